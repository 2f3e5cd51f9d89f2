//! A page of the list of runs, as a query asks for it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{ApiError, ApiResult};
use crate::runs::RunEntry;

/// Most runs of a page of the list.
const MOST: u32 = 1000;

/// Which runs to list.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunsQuery {
    /// Only runs of this study.
    #[serde(default)]
    pub study: Option<String>,
    /// Only runs with this text in their id, study, question, version, commit or machine, whatever its case.
    #[serde(default)]
    pub search: Option<String>,
    /// Most runs to list; 1000 when left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
    /// How many of the newest to pass over.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000))]
    pub offset: Option<u32>,
}

/// A page of the list of runs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunList {
    /// The runs, newest first.
    pub runs: Vec<RunEntry>,
    /// How many runs the query selects in all.
    pub total: u64,
    /// How many runs there are of each study, whatever the query selects.
    pub studies: BTreeMap<String, u64>,
}

impl RunList {
    /// The page that a query asks for of all runs.
    ///
    /// # Errors
    /// When the limit is out of range.
    pub fn of(all: Vec<RunEntry>, query: &RunsQuery) -> ApiResult<Self> {
        let limit = query.limit.unwrap_or(MOST);
        if !(1..=MOST).contains(&limit) {
            return Err(ApiError::bad(format!("limit must be a number from 1 to {MOST}")));
        }
        let mut studies = BTreeMap::new();
        for run in &all {
            *studies.entry(run.study.clone()).or_default() += 1;
        }
        let search = query.search.as_deref().map(str::to_lowercase).filter(|text| !text.is_empty());
        let study = query.study.as_deref().filter(|study| !study.is_empty());
        let is_meant = |run: &RunEntry| {
            study.is_none_or(|study| run.study == study) && search.as_deref().is_none_or(|text| run.has(text))
        };
        let meant: Vec<RunEntry> = all.into_iter().filter(is_meant).collect();
        let (total, offset) = (meant.len() as u64, query.offset.unwrap_or_default() as usize);
        Ok(RunList { runs: meant.into_iter().skip(offset).take(limit as usize).collect(), total, studies })
    }
}

//! What readers ask of runs: reports, figures, comparisons, histories. A child computes each answer, this program once more, with the
//! least priority and limits on time and memory ([`crate::helper`]), one at a time, so that trials that run meanwhile hardly notice.
//! Answers are kept as long as the summaries that they are made of are the same.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use wiredyno_report::Format;
use wiredyno_store::RunFolder;

use crate::error::{ApiError, ApiResult, ErrorDetail};
use crate::explore::{
    CompareQuery, DistributionQuery, FiguresQuery, HistoryQuery, RecommendQuery, compared, distribution,
    figures, history, recommended,
};
use crate::helper::Helper;
use crate::runs::{RunEntry, Runs};

/// The command of this program that a child is started with.
pub const COMMAND: &str = "answer";

/// Bytes of answers that are kept.
const KEPT_BYTES: usize = 64 << 20;

/// A question about runs.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Question {
    /// What lists have of these runs; those that can't be read are left out.
    Entries {
        /// Their ids.
        ids: Vec<String>,
    },
    /// The machine of a run, as its summary has it.
    Environment {
        /// The run.
        id: String,
    },
    /// The parts of its report, for embedding in a page.
    Page {
        /// The run.
        id: String,
    },
    /// Its report in one file.
    Report {
        /// The run.
        id: String,
    },
    /// Its figures as a table.
    Table {
        /// The run.
        id: String,
    },
    /// Its figures by cell.
    Figures {
        /// The run.
        id: String,
        /// Which.
        query: FiguresQuery,
    },
    /// The distribution of a time of single messages.
    Distribution {
        /// The run.
        id: String,
        /// Which.
        query: DistributionQuery,
    },
    /// Which codec and mode to choose.
    Recommend {
        /// The run.
        id: String,
        /// By what.
        query: RecommendQuery,
    },
    /// How two runs differ.
    Compare {
        /// Which, and in what.
        query: CompareQuery,
    },
    /// A study over time.
    History {
        /// Its runs, the oldest first.
        runs: Vec<RunEntry>,
        /// What of them.
        query: HistoryQuery,
    },
}

impl Question {
    /// The runs that it is about.
    fn runs(&self) -> Vec<&str> {
        match self {
            Question::Entries { ids } => ids.iter().map(String::as_str).collect(),
            Question::Environment { id }
            | Question::Page { id }
            | Question::Report { id }
            | Question::Table { id }
            | Question::Figures { id, .. }
            | Question::Distribution { id, .. }
            | Question::Recommend { id, .. } => vec![id],
            Question::Compare { query } => vec![&query.base, &query.new],
            Question::History { runs, .. } => runs.iter().map(|run| run.id.as_str()).collect(),
        }
    }

    /// The answer, from the run folders.
    fn answer(&self, folder: &Path) -> ApiResult<String> {
        let runs = Runs::new(folder);
        let summary = |id: &str| runs.open(id)?.read_summary().map_err(ApiError::conflict);
        let rendered =
            |id: &str, format| wiredyno_report::render(&summary(id)?, format).map_err(ApiError::internal);
        match self {
            Question::Entries { ids } => {
                let entry = |id: &String| Some(RunEntry::of(id, &summary(id).ok()?));
                text(&ids.iter().filter_map(entry).collect::<Vec<_>>())
            }
            Question::Environment { id } => text(&summary(id)?.environment),
            Question::Page { id } => wiredyno_report::page(&summary(id)?).map_err(ApiError::internal),
            Question::Report { id } => rendered(id, Format::Html),
            Question::Table { id } => rendered(id, Format::Csv),
            Question::Figures { id, query } => text(&figures(&summary(id)?, query)?),
            Question::Distribution { id, query } => {
                let open: RunFolder = runs.open(id)?;
                text(&distribution(&open, &summary(id)?, query)?)
            }
            Question::Recommend { id, query } => text(&recommended(&summary(id)?, query)?),
            Question::Compare { query } => {
                text(&compared(&summary(&query.base)?, &summary(&query.new)?, query)?)
            }
            Question::History { runs, query } => {
                let with_summary = |run: &RunEntry| Ok((run.clone(), summary(&run.id)?));
                text(&history(runs.iter().map(with_summary), query)?)
            }
        }
    }
}

fn text(value: &impl Serialize) -> ApiResult<String> {
    serde_json::to_string(value).map_err(ApiError::internal)
}

/// The first line of what a child says: whether what follows is the answer, or why there is none.
#[derive(Serialize, Deserialize)]
struct Said {
    status: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    detail: Option<ErrorDetail>,
}

/// What a child does: reads a question on its input, answers on its output.
///
/// # Errors
/// When it can't read or write, or is no question.
pub fn child(folder: &Path) -> anyhow::Result<ExitCode> {
    let mut asked = String::new();
    std::io::stdin().read_to_string(&mut asked)?;
    let (said, body) = match serde_json::from_str::<Question>(&asked)?.answer(folder) {
        Ok(body) => (Said { status: 200, detail: None }, body),
        Err(error) => {
            let (status, detail) = error.parts();
            (Said { status: status.as_u16(), detail: Some(detail) }, String::new())
        }
    };
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, &said)?;
    out.write_all(b"\n")?;
    out.write_all(body.as_bytes())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// An answer that is kept, with what it is made of.
struct Kept {
    question: String,
    made_of: Vec<SystemTime>,
    answer: Arc<str>,
}

/// See the module.
pub struct Reader {
    helper: Arc<Helper>,
    program: PathBuf,
    folder: PathBuf,
    kept: Mutex<Vec<Kept>>,
}

impl Reader {
    /// Of the runs in a folder, answered by this program.
    pub fn new(helper: Arc<Helper>, program: &Path, folder: &Path) -> Self {
        Reader { helper, program: program.to_owned(), folder: folder.to_owned(), kept: Mutex::default() }
    }

    /// Answers: JSON, a table or a page.
    ///
    /// # Errors
    /// When there is no such run, or the question makes no sense, or takes too much.
    pub async fn answer(&self, runs: &Runs, question: &Question) -> ApiResult<Arc<str>> {
        let is_list = matches!(question, Question::Entries { .. });
        // Lists leave out what can't be read, and are kept by whoever asked.
        let made_of = if is_list {
            Vec::new()
        } else {
            question.runs().iter().map(|id| runs.written(id)).collect::<ApiResult<Vec<_>>>()?
        };
        let asked = text(question)?;
        if !is_list && let Some(answer) = self.known(&asked, &made_of) {
            return Ok(answer);
        }
        let folder = self.folder.as_os_str();
        let said = self.helper.compute(&self.program, &[COMMAND.as_ref(), folder], asked.as_bytes()).await?;
        if !said.status.success() {
            eprintln!("wiredyno-server: an answer failed ({}): {}", said.status, said.errors.trim());
            return Err(ApiError::text("limit", "that takes more time or memory than an answer may", None));
        }
        let (head, body) = said.output.split_once('\n').unwrap_or((&said.output, ""));
        let head: Said = serde_json::from_str(head).map_err(ApiError::internal)?;
        if let Some(detail) = head.detail {
            let status = StatusCode::from_u16(head.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            return Err(ApiError::of_parts(status, detail));
        }
        let answer: Arc<str> = body.into();
        if !is_list {
            self.keep(Kept { question: asked, made_of, answer: Arc::clone(&answer) });
        }
        Ok(answer)
    }

    fn known(&self, question: &str, made_of: &[SystemTime]) -> Option<Arc<str>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|one| one.question == question)?;
        let found = kept.remove(place);
        if found.made_of != made_of {
            return None;
        }
        let answer = Arc::clone(&found.answer);
        // Those that were asked last stand at the end.
        kept.push(found);
        Some(answer)
    }

    fn keep(&self, one: Kept) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|other| other.question != one.question);
        kept.push(one);
        let mut bytes: usize = kept.iter().map(|one| one.answer.len() + one.question.len()).sum();
        while bytes > KEPT_BYTES && !kept.is_empty() {
            let oldest = kept.remove(0);
            bytes -= oldest.answer.len() + oldest.question.len();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn answers_are_kept_while_their_summaries_are_the_same_and_there_is_room() {
        let none = Path::new("/nowhere");
        let reader = Reader::new(Arc::new(Helper::new(none, none)), none, none);
        let at = |s: u64| vec![SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(s)];
        let long: Arc<str> = "x".repeat(KEPT_BYTES / 2 - 100).into();
        let keep = |question: &str, s| {
            reader.keep(Kept { question: question.into(), made_of: at(s), answer: Arc::clone(&long) });
        };
        keep("a", 1);
        keep("b", 1);
        assert!(reader.known("a", &at(1)).is_some());
        // The one that was not asked again makes room.
        keep("c", 1);
        assert!(reader.known("b", &at(1)).is_none());
        assert!(reader.known("a", &at(1)).is_some() && reader.known("c", &at(1)).is_some());
        assert!(reader.known("a", &at(2)).is_none(), "its summary was written again");
    }
}

//! Questions about runs: reports, figures, comparisons, histories. A child process (this program again) computes each answer, at the
//! lowest priority and with limits on time and memory ([`crate::helper`]), one at a time, so that running trials hardly notice.
//! Answers are cached until the summaries that they come from change.

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

/// The hidden subcommand that child processes are started with.
pub const COMMAND: &str = "answer";

/// Most bytes of cached answers, with their questions.
const KEPT_BYTES: usize = 64 << 20;

/// Runs per question when a list is read, so that no question exceeds its time limit.
const AT_ONCE: usize = 40;

/// A question about runs, which a child process answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Question {
    /// The list entries of these runs; unreadable ones are left out.
    Entries {
        /// Ids of the runs.
        ids: Vec<String>,
    },
    /// The environment of a run, from its summary.
    Environment {
        /// The run's id.
        id: String,
    },
    /// The parts of a run's report, for embedding in a page.
    Page { id: String },
    /// A run's report as one HTML file.
    Report { id: String },
    /// A run's figures as CSV.
    Table { id: String },
    /// Figures of a run by cell.
    Figures {
        id: String,
        /// Which figures to answer.
        query: FiguresQuery,
    },
    /// The distribution of a time of single messages.
    Distribution {
        id: String,
        /// Which time, and of which cells.
        query: DistributionQuery,
    },
    /// Which codec and mode to choose.
    Recommend {
        id: String,
        /// The needs and weights to apply.
        query: RecommendQuery,
    },
    /// The differences between two runs.
    Compare {
        /// Which runs, and which metrics and cells.
        query: CompareQuery,
    },
    /// A figure of a study over its runs.
    History {
        /// Its runs, the oldest first.
        runs: Vec<RunEntry>,
        /// The figure, and of which cells.
        query: HistoryQuery,
    },
}

impl Question {
    /// The ids of the runs that the question is about.
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

    /// The answer, computed from the run folders.
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

/// The first line of a child's output: status 200 with the answer on the next lines, or the error.
#[derive(Serialize, Deserialize)]
struct Said {
    status: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    detail: Option<ErrorDetail>,
}

/// The work of a child: reads a question from standard input, answers on standard output.
///
/// # Errors
/// When reading or writing fails, or the input is not a question.
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

/// A cached answer, with the times at which its summaries were written.
struct Kept {
    question: String,
    made_of: Vec<SystemTime>,
    answer: Arc<str>,
}

/// Starts children for questions and caches their answers; the least recently used is evicted first.
pub struct Reader {
    helper: Arc<Helper>,
    program: PathBuf,
    folder: PathBuf,
    kept: Mutex<Vec<Kept>>,
}

impl Reader {
    /// A reader of the runs in a folder, with `program` (this one) as child.
    pub fn new(helper: Arc<Helper>, program: &Path, folder: &Path) -> Self {
        Reader { helper, program: program.to_owned(), folder: folder.to_owned(), kept: Mutex::default() }
    }

    /// The answer: JSON, CSV or HTML.
    ///
    /// # Errors
    /// When there is no such run, the question is invalid, or the answer exceeds its limits.
    pub async fn answer(&self, runs: &Runs, question: &Question) -> ApiResult<Arc<str>> {
        let is_list = matches!(question, Question::Entries { .. });
        // Lists leave out unreadable runs, and the caller caches them.
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
            return Err(ApiError::text("limit", "the answer takes more time or memory than allowed", None));
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

    /// All runs that have a summary, newest first. Summaries whose entries are not cached are read.
    ///
    /// # Errors
    /// When the folder can't be read.
    pub async fn list(&self, runs: &Runs) -> ApiResult<Vec<RunEntry>> {
        let there = runs.there().await?;
        for ids in runs.unknown(&there).chunks(AT_ONCE) {
            let answer = self.answer(runs, &Question::Entries { ids: ids.to_vec() }).await?;
            runs.learn(&there, serde_json::from_str(&answer).map_err(ApiError::internal)?);
        }
        runs.listed(&there)
    }

    fn known(&self, question: &str, made_of: &[SystemTime]) -> Option<Arc<str>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|one| one.question == question)?;
        let found = kept.remove(place);
        if found.made_of != made_of {
            return None;
        }
        let answer = Arc::clone(&found.answer);
        // Most recently used last.
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
        // The least recently used one makes room.
        keep("c", 1);
        assert!(reader.known("b", &at(1)).is_none());
        assert!(reader.known("a", &at(1)).is_some() && reader.known("c", &at(1)).is_some());
        assert!(reader.known("a", &at(2)).is_none(), "its summary was written again");
    }
}

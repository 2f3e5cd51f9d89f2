//! One run: a study carried out from its plan to its summary.

mod carried_out;
mod clients;
mod error;
mod prepared;
mod sizes;
mod summary;
mod trials;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use wiredyno_contract::{LinkId, PayloadId};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_link::spec::LinkSpec;
use wiredyno_model::summary::{CellSummary, Outcomes, Summary};
use wiredyno_model::trial::{CodecTrialRecord, TrialRecord};
use wiredyno_model::{Known, Study};
use wiredyno_payloads::Payload;
use wiredyno_planning::plan::{Only, Plan, PlannedCodecTrial, PlannedTrial};
use wiredyno_planning::resume::Written;
use wiredyno_planning::study::StudySource;
use wiredyno_seats::runner::Interrupt;
use wiredyno_seats::runners::Injected;
use wiredyno_seats::serving::{External, Servings};
use wiredyno_store::{RunFolder, RunRecords};

pub use carried_out::rights;
pub use clients::DescriptorsError;
pub use error::{PrepareError, RunError};

/// What to run and how.
pub struct RunRequest {
    /// The study, after `--set`.
    pub study: Study,
    /// The text that it was read from, and what errors call that.
    pub source: StudySource,
    /// Cells kept.
    pub only: Vec<Only>,
    /// The run folder to make.
    pub folder: PathBuf,
    /// Brokers that run already, by protocol.
    pub external: BTreeMap<String, External>,
    /// What of it was written on the command line; whether to capture packets, one file a trial.
    pub written: Written,
    /// Whether the run folder is there, and the run goes on.
    pub resumes: bool,
    /// Differences on purpose; none in a study.
    pub injected: Injected,
    /// Where the run lives.
    pub sandbox: Sandbox,
    /// Set when the run shall end.
    pub interrupt: Interrupt,
    /// The commit that the program was made of.
    pub commit: &'static str,
}

/// What happens during a run, for those who show it.
pub enum Event<'a> {
    /// The plan is made.
    Planned {
        /// Codec trials to come.
        codec_trials: usize,
        /// Message trials to come.
        trials: usize,
        /// Lanes at most.
        lanes: u32,
        /// How long it will take about, in nanoseconds.
        estimate_ns: u64,
    },
    /// What is planned, one by one; comes behind the plan's numbers.
    Plan {
        /// All of it.
        plan: &'a Plan,
        /// What was there before, of a run that is gone on with.
        before: &'a RunRecords,
    },
    /// Cells whose figures are not known well enough yet get another trial each.
    Round {
        /// Trials to come beyond those told of before.
        trials: usize,
    },
    /// A codec trial begins.
    CodecTrialStarted(&'a PlannedCodecTrial),
    /// A codec trial ended.
    CodecTrial {
        /// The trial.
        record: &'a CodecTrialRecord,
        /// Whether it will be repeated.
        again: bool,
    },
    /// The process of a lane's link is gone: it is laid again, and the trial on it is made anew.
    LaneGone {
        /// The lane.
        lane: u32,
        /// Why it is gone.
        reason: &'a str,
    },
    /// A message trial begins.
    TrialStarted {
        /// The trial.
        planned: &'a PlannedTrial,
        /// Its lane.
        lane: u32,
    },
    /// A message trial ended.
    Trial {
        /// The trial.
        record: &'a TrialRecord,
        /// Median latency of its delivered messages.
        median_latency_ns: Option<i64>,
        /// Whether it will be repeated.
        again: bool,
    },
}

/// A finished run.
pub struct FinishedRun {
    /// Where it is.
    pub folder: RunFolder,
    /// What it found.
    pub summary: Summary,
    /// What ended it before its last trial, beside the user.
    pub broke: Option<RunError>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Every cell has something to show.
    Whole,
    /// All trials of a cell are invalid or failed, or nothing has a figure.
    Incomplete,
    /// It was interrupted.
    Interrupted,
}

impl FinishedRun {
    /// How it ended.
    pub fn ending(&self) -> Ending {
        let summary = &self.summary;
        let nothing = |outcomes: &Outcomes| outcomes.complete + outcomes.overloaded == 0;
        let messages = summary.cells.iter().map(|cell| &cell.outcomes);
        let mut outcomes = messages.chain(summary.codecs.iter().map(|codec| &codec.outcomes));
        if !summary.run.complete {
            Ending::Interrupted
        } else if outcomes.any(nothing) || no_figure(summary).is_some() {
            Ending::Incomplete
        } else {
            Ending::Whole
        }
    }
}

/// Why a run has no figure at all, and what to do; `None` where it has one.
pub fn no_figure(summary: &Summary) -> Option<String> {
    let messages = summary.cells.iter().map(|cell| (&cell.outcomes, &cell.metrics));
    let codecs = summary.codecs.iter().map(|codec| (&codec.outcomes, &codec.metrics));
    let (mut made, mut all) = (false, Outcomes::default());
    for (outcomes, metrics) in messages.chain(codecs) {
        if outcomes.complete > 0 && !metrics.is_empty() {
            return None;
        }
        made = true;
        all.overloaded += outcomes.overloaded;
        all.failed += outcomes.failed;
        all.invalid += outcomes.invalid;
    }
    if !made {
        let why = summary.not_run.first().map_or("nothing was left to run", |not_run| &not_run.why);
        return Some(format!("the run has no figure, because nothing of it can be run here: {why}"));
    }
    let cells = summary.cells.iter();
    let of = |pick: fn(&CellSummary) -> &Vec<String>| cells.clone().flat_map(pick).next().map(String::as_str);
    let (what, why, remedy) = match all {
        Outcomes { overloaded, failed, invalid, .. }
            if overloaded >= failed.max(invalid) && overloaded > 0 =>
        {
            (
                "overloaded",
                of(|cell| &cell.overloaded),
                "send less: a longer load.interval, or fewer publishers",
            )
        }
        Outcomes { failed, invalid, .. } if failed >= invalid && failed > 0 => {
            let codec = summary.codecs.iter().flat_map(|codec| &codec.failed).next();
            let why = of(|cell| &cell.failed).or(codec.map(String::as_str));
            ("failed", why, "the report says of each trial why")
        }
        _ => {
            let codec = summary.codecs.iter().flat_map(|codec| &codec.invalid).next();
            let why = of(|cell| &cell.invalid).or(codec.map(String::as_str));
            (
                "invalid",
                why,
                "run it on a machine that does nothing else, or widen the limit named ([limits])",
            )
        }
    };
    let why = why.map_or_else(String::new, |why| format!(", {why}"));
    Some(format!("the run has no figure, because no trial is complete: most are {what}{why}; {remedy}"))
}

/// Where a run of a study goes unless something else is said: `<date>-<study>` below a folder of runs, with a number behind it
/// where that exists.
pub fn free_folder(runs: &Path, study: &str) -> PathBuf {
    let base = format!("{}-{study}", jiff::Timestamp::now().strftime("%Y-%m-%d"));
    let mut path = runs.join(&base);
    let mut number = 2;
    while path.exists() {
        path = runs.join(format!("{base}-{number}"));
        number += 1;
    }
    path
}

/// Makes the folder of a run, or the next of its name and number where somebody was quicker: runs that are started together get
/// folders of their own.
///
/// # Errors
/// When it can't be made.
pub fn claim_folder(runs: &Path, study: &str) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(runs)?;
    loop {
        let path = free_folder(runs, study);
        match std::fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

impl PreparedRun {
    /// Has the run make another folder than was asked for, which is its own.
    pub fn move_to(&mut self, folder: PathBuf) {
        self.request.folder = folder;
    }
}

/// A run before its first trial: everything is known, nothing has been started.
pub struct PreparedRun {
    request: RunRequest,
    /// What there is.
    pub known: Known,
    payloads: Vec<Payload>,
    /// The trials.
    pub plan: Plan,
    links: HashMap<LinkId, LinkSpec>,
    servings: Servings,
    /// Why messages of these contents can only be counted.
    counted_only: Vec<(prepared::Contents, String)>,
    /// About how long bodies are, by payload, in bytes.
    body_bytes: BTreeMap<PayloadId, u64>,
    /// The runs that thresholds name, by folder.
    bases: BTreeMap<String, Summary>,
    notes: Vec<String>,
    /// Whether its trials are only read, perhaps on another machine.
    is_past: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_folder_that_exists_gets_a_number_behind_it() {
        let desk = tempfile::tempdir().unwrap();
        let first = free_folder(desk.path(), "demo");
        assert!(first.display().to_string().ends_with("-demo"), "{}", first.display());
        std::fs::create_dir(&first).unwrap();
        let second = free_folder(desk.path(), "demo");
        assert_eq!(second.display().to_string(), format!("{}-2", first.display()));
        std::fs::create_dir(&second).unwrap();
        assert_eq!(free_folder(desk.path(), "demo").display().to_string(), format!("{}-3", first.display()));
    }

    #[test]
    fn runs_that_start_together_get_folders_of_their_own() {
        let desk = tempfile::tempdir().unwrap();
        let runs = desk.path().join("runs");
        let claim = || claim_folder(&runs, "demo").unwrap();
        let claimed: Vec<PathBuf> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|_| scope.spawn(claim)).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let different: std::collections::BTreeSet<&PathBuf> = claimed.iter().collect();
        assert_eq!(different.len(), 8, "{claimed:?}");
    }
}

//! One run: the execution of a study, from its plan to its summary.

mod agents;
mod carried_out;
mod clients;
mod error;
mod ground;
mod lanes;
mod prepared;
mod sizes;
mod summary;
mod trials;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use wiredyno_contract::{LinkId, PayloadId};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_link::spec::LinkSpec;
use wiredyno_model::live::LiveTrial;
use wiredyno_model::summary::{AgentMachine, CellSummary, Outcomes, Summary};
use wiredyno_model::trial::{CodecTrialRecord, TrialRecord};
use wiredyno_model::{Host, Known, Study};
use wiredyno_payloads::Payload;
use wiredyno_planning::plan::{Only, Plan, PlannedCodecTrial, PlannedTrial};
use wiredyno_planning::resume::Written;
use wiredyno_planning::source::StudySource;
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::runners::Injected;
use wiredyno_seats::seat::away::Away;
use wiredyno_seats::serving::{External, Servings};
use wiredyno_store::{RunFolder, RunRecords};

pub use carried_out::rights;
pub use clients::DescriptorsError;
pub use error::{PrepareError, RunError};

/// What to run and how.
pub struct RunRequest {
    /// The study, after `--set`.
    pub study: Study,
    /// The text of the study, and its name in errors.
    pub source: StudySource,
    /// The cells to keep; all if empty.
    pub only: Vec<Only>,
    /// The run folder to create, or to resume in.
    pub folder: PathBuf,
    /// Brokers that run already, by protocol.
    pub external: BTreeMap<String, External>,
    /// The hosts that are agents, if any are.
    pub agents: Option<RunAgents>,
    /// The parts that were written on the command line; whether to capture packets, one file for each trial.
    pub written: Written,
    /// Whether the run folder exists, and the run resumes.
    pub resumes: bool,
    /// Deliberate differences of a self-test; a study has none.
    pub injected: Injected,
    /// The sandbox in which the run's processes are started.
    pub sandbox: Sandbox,
    /// Set when the run is to end.
    pub interrupt: Interrupt,
    /// Whether trials are reported while they run ([`Event::Live`]).
    pub live: bool,
    /// The commit from which the program was built.
    pub commit: &'static str,
}

/// The hosts of a run that are agents.
#[derive(Clone)]
pub struct RunAgents {
    /// The hosts that are agents, each with their number.
    pub hosts: BTreeMap<Host, usize>,
    /// The machines themselves; absent until they have joined.
    pub away: Option<Arc<dyn Away + Send + Sync>>,
    /// What the run records of them.
    pub machines: Vec<AgentMachine>,
}

/// What happens during a run, for its display.
pub enum Event<'a> {
    /// The plan is complete: nothing has been started yet.
    Planned {
        /// The number of codec trials.
        codec_trials: usize,
        /// The number of message trials.
        trials: usize,
        /// The most lanes at once.
        lanes: u32,
        /// About how long it will take, in nanoseconds.
        estimate_ns: u64,
    },
    /// The plan in detail; follows the numbers of the plan.
    Plan {
        /// The cells, trials and left out parts.
        plan: &'a Plan,
        /// The earlier trials of a resumed run.
        before: &'a RunRecords,
    },
    /// Cells whose figures are not known well enough yet each get another trial.
    Round {
        /// How many trials are added.
        trials: usize,
    },
    /// A codec trial begins.
    CodecTrialStarted(&'a PlannedCodecTrial),
    /// A codec trial ended.
    CodecTrial {
        /// What is kept of it.
        record: &'a CodecTrialRecord,
        /// Whether it is invalid and will be repeated.
        again: bool,
    },
    /// The process of a lane's link is gone, or an agent: its trial is repeated, over the link laid again, or once the agent is back.
    LaneGone {
        /// The number of the lane.
        lane: u32,
        /// What is known of the cause.
        reason: &'a str,
    },
    /// A message trial begins.
    TrialStarted {
        /// The cell, repeat and attempt of the trial.
        planned: &'a PlannedTrial,
        /// The number of its lane.
        lane: u32,
    },
    /// What the running message trials did in about the last second, provisionally; also at the end of each.
    Live {
        /// One entry for each.
        trials: &'a [LiveTrial],
    },
    /// A message trial ended.
    Trial {
        /// What is kept of it.
        record: &'a TrialRecord,
        /// Median latency of its delivered messages; absent if unknown.
        median_latency_ns: Option<i64>,
        /// Whether it is invalid and will be repeated.
        again: bool,
    },
}

/// A run that has ended, with its summary.
pub struct FinishedRun {
    /// The run folder with its files.
    pub folder: RunFolder,
    /// The summary of its trials.
    pub summary: Summary,
    /// The error that ended it before its last trial; absent if the user did.
    pub broke: Option<RunError>,
}

/// How a run ended, as exit codes distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Every cell has figures.
    Whole,
    /// All trials of a cell are invalid or failed, or nothing has a figure.
    Incomplete,
    /// The user interrupted it.
    Interrupted,
}

impl FinishedRun {
    /// How the run ended, from its summary.
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

/// What to do where a trial has a reason of its own.
const SAID: &str = "the report says of each trial why";

/// Why a run has no figures at all, and what to do; `None` if it has some.
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
            ("failed", why, SAID)
        }
        _ => {
            let codec = summary.codecs.iter().flat_map(|codec| &codec.invalid).next();
            let why = of(|cell| &cell.invalid).or(codec.map(String::as_str));
            // The sentence about a limit says so.
            let remedy = match why {
                Some(why) if !why.contains("limit") => SAID,
                _ => "run it on a machine that does nothing else, or widen the limit named ([limits])",
            };
            ("invalid", why, remedy)
        }
    };
    let why = why.map_or_else(String::new, |why| format!(", {why}"));
    Some(format!("the run has no figure, because no trial is complete: most are {what}{why}; {remedy}"))
}

/// The default folder of a run: `<date>-<study>` below a folder of runs, followed by a number
/// if that exists.
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

/// Creates the folder of a run, or one with the next number if another process was quicker: runs that are started together get
/// separate folders.
///
/// # Errors
/// When it can't be created.
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
    /// Makes the run use another folder than requested, which already belongs to it.
    pub fn move_to(&mut self, folder: PathBuf) {
        self.request.folder = folder;
    }

    /// The hosts that are agents, as planned.
    pub fn agents(&self) -> Option<&RunAgents> {
        self.request.agents.as_ref()
    }

    /// The agents have come: the run that was planned for them is carried out by these.
    pub fn meet(&mut self, agents: RunAgents) {
        self.request.agents = Some(agents);
    }

    /// Makes the run report nothing of trials while they run.
    #[must_use]
    pub fn without_live(mut self) -> Self {
        self.request.live = false;
        self
    }
}

/// A run before its first trial: everything is known, nothing has been started.
pub struct PreparedRun {
    request: RunRequest,
    /// The brokers, codecs and clients known here.
    pub known: Known,
    payloads: Vec<Payload>,
    /// The cells and trials to run.
    pub plan: Plan,
    links: HashMap<LinkId, LinkSpec>,
    servings: Servings,
    /// Why messages of these contents can only be counted.
    counted_only: Vec<(prepared::Contents, String)>,
    /// The approximate length of bodies, by payload, in bytes.
    body_bytes: BTreeMap<PayloadId, u64>,
    /// The runs to which thresholds refer, by folder.
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

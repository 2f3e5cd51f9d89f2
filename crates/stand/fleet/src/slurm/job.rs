//! A job of Slurm: how it is watched, and cancelled.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{LIMIT, Slurm, name_of, plain};
use crate::command::{Input, answer, tail};
use crate::{Engine, FleetError, Place, Record, State, differs, warn};

/// How long agents may take to end by themselves before the job is cancelled, after which time the user is told that this takes its time, and how long it may take.
const ENDS: Duration = Duration::from_secs(3);
const TOLD: Duration = Duration::from_secs(5);
const CANCELLED: Duration = Duration::from_secs(60);
/// The time between two looks at a job that is to end.
const AGAIN: Duration = Duration::from_secs(1);

/// A job that was submitted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Job {
    pub(super) number: u64,
    /// The cluster that has it, where there are several.
    pub(super) cluster: Option<String>,
    pub(super) agents: usize,
    /// What its agents say.
    pub(super) output: PathBuf,
    /// Its last known state, and Slurm's reason.
    pub(super) state: Option<(String, String)>,
}

/// The name of the file with what a job's agents say.
pub(super) fn output_of(number: u64) -> String {
    format!("wiredyno-fleet-{number}.out")
}

impl Job {
    /// A command of Slurm about this job.
    fn command(&self, program: &str) -> Command {
        let mut command = plain(program);
        command.args(self.cluster.iter().map(|cluster| format!("--clusters={cluster}")));
        command
    }

    /// Asks for the job's state and the reason; `None` if Slurm no longer knows it.
    fn state(&self) -> Result<Option<(String, String)>, FleetError> {
        let mut command = self.command("squeue");
        command.args(["--noheader", "--states=all", "--format=%T|%r"]).arg(format!("--jobs={}", self.number));
        match answer("squeue", &mut command, Input(&[]), LIMIT, &|| false) {
            Ok(said) => Ok(state_of(&said)),
            Err(FleetError::Failed { said, .. }) if said.contains("Invalid job id") => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Its agents, all in this state.
    fn all(&self, state: &State, unsure: Option<String>) -> Vec<Place> {
        let one = |number| Place { agent: name_of(number), state: state.clone(), unsure: unsure.clone() };
        (0..self.agents).map(one).collect()
    }

    /// How it has ended; `None` if it has not, or that can't be asked. What Slurm no longer knows has ended in its last known state, if that is an end.
    fn ended(&self) -> Option<(String, String)> {
        let known = || self.state.clone().filter(|(state, _)| is_over(state));
        match self.state() {
            Ok(None) => Some(known().unwrap_or_else(forgotten)),
            Ok(state) => state.filter(|(state, _)| is_over(state)),
            Err(_) => None,
        }
    }

    fn ended_within(&self, limit: Duration) -> Option<(String, String)> {
        let until = Instant::now() + limit;
        loop {
            let ended = self.ended();
            if ended.is_some() || Instant::now() >= until {
                return ended;
            }
            std::thread::sleep(AGAIN);
        }
    }
}

/// The state of a job of which Slurm no longer knows how it has ended.
const FORGOTTEN: &str = "FORGOTTEN";
/// The state of one whose agents have ended by themselves.
const COMPLETED: &str = "COMPLETED";

fn forgotten() -> (String, String) {
    (FORGOTTEN.to_owned(), String::new())
}

/// How a job has ended, in words.
fn in_words(number: u64, (state, reason): &(String, String)) -> String {
    let reason = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
    match state.as_str() {
        FORGOTTEN => format!("job {number} is no longer known to Slurm, nor how it has ended"),
        state => format!("job {number} has ended, {}{reason}", state.to_lowercase()),
    }
}

impl Job {
    /// Says what is wrong with what was kept of it.
    pub(crate) fn check(&self) -> Result<(), FleetError> {
        let name = self.output.file_name().is_some_and(|name| name == output_of(self.number).as_str());
        let is_word = |text: &String| !text.is_empty() && !text.contains(|one: char| one.is_whitespace());
        match name && self.output.is_absolute() && self.cluster.as_ref().is_none_or(is_word) {
            true => Ok(()),
            false => Err(FleetError::Asked("this is not what a fleet of Slurm has left".to_owned())),
        }
    }

    /// In what it differs from a section.
    pub(crate) fn differs(&self, section: &Slurm) -> Option<String> {
        differs("agents", (&(section.agents as usize), &self.agents))
    }

    /// Has the job cancelled, and waits for its end. Returns what may be left.
    fn cancel(&self) -> Vec<String> {
        let number = self.number;
        let mut command = self.command("scancel");
        if let Err(error) = answer("scancel", command.arg(number.to_string()), Input(&[]), LIMIT, &|| false) {
            return vec![format!("Slurm's job {number} may still exist: scancel {number}: {error}")];
        }
        if self.ended_within(TOLD).is_some() {
            return Vec::new();
        }
        if let Err(error) = self.state() {
            return vec![format!("job {number} was cancelled; whether it has ended is unknown: {error}")];
        }
        warn(&format!("waiting until Slurm has ended job {number} on all of its nodes"));
        if self.ended_within(CANCELLED).is_some() {
            return Vec::new();
        }
        vec![format!(
            "job {number} is cancelled, and Slurm still waits for a node of it that does not answer: it ends what is there when the node is back, and its agent ends by itself"
        )]
    }
}

/// Whether a job in this state has ended. Jobs that end, or are about to run, have not.
fn is_over(state: &str) -> bool {
    !["PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "STAGE_OUT", "SIGNALING", "STOPPED"]
        .contains(&state)
}

/// The state and the reason in the answer of `squeue --format=%T|%r`: none if the job is not listed. With several clusters there is a line with the cluster's name.
fn state_of(said: &str) -> Option<(String, String)> {
    let (state, reason) = said.lines().find_map(|line| line.split_once('|'))?;
    let reason = if reason.trim() == "None" { "" } else { reason.trim() };
    Some((state.trim().to_owned(), reason.to_owned()))
}

impl Engine for Job {
    fn look(&mut self) -> Vec<Place> {
        // As long as Slurm can't be asked, the job's state is assumed unchanged.
        let mut unsure = None;
        match self.state() {
            Ok(state) => {
                let known = self.state.take().filter(|(state, _)| is_over(state));
                self.state = state.or(known).or_else(|| Some(forgotten()));
            }
            Err(error) if self.state.is_none() => {
                let state = State::Waits(format!("job {} was submitted; {error}", self.number));
                unsure = Some(error.to_string());
                return self.all(&state, unsure);
            }
            Err(error) => unsure = Some(error.to_string()),
        }
        let number = self.number;
        let state = match &self.state {
            Some((state, reason)) if state == "PENDING" || state == "CONFIGURING" => {
                let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
                State::Waits(format!("job {number} is {}{reason}", state.to_lowercase()))
            }
            Some(ended) if is_over(&ended.0) => {
                let said = std::fs::read(&self.output).map(|text| tail(&text)).unwrap_or_default();
                let said = if said.is_empty() { said } else { format!(": {said}") };
                State::Gone(format!("{}{said}", in_words(number, ended)))
            }
            Some(_) => State::Runs,
            None => State::Waits(format!("job {number} was submitted")),
        };
        self.all(&state, unsure)
    }

    fn record(&self) -> Record {
        Record::Slurm(self.clone())
    }

    fn end(&mut self) -> Vec<String> {
        let Some(ended) = self.ended_within(ENDS) else {
            let left = self.cancel();
            if left.is_empty() {
                self.remove_output();
            }
            return left;
        };
        if ended.0 == COMPLETED {
            self.remove_output();
        } else {
            let output = self.output.display();
            let said = if self.output.exists() {
                format!("; what its agents said is in {output}")
            } else {
                String::new()
            };
            warn(&format!("{}{said}", in_words(self.number, &ended)));
        }
        Vec::new()
    }
}

impl Job {
    /// It does not exist if the job never started, or is on another machine.
    fn remove_output(&self) {
        let _ = std::fs::remove_file(&self.output);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_names_no_other_file_than_its_jobs() {
        let job =
            |output: &str| Job { number: 7, cluster: None, agents: 2, output: output.into(), state: None };
        job("/home/me/wiredyno-fleet-7.out").check().unwrap();
        for output in ["/etc/passwd", "/home/me/wiredyno-fleet-8.out", "wiredyno-fleet-7.out"] {
            job(output).check().unwrap_err();
        }
    }

    #[test]
    fn states_are_read_from_one_line_and_a_job_that_is_not_listed_has_none() {
        assert_eq!(state_of("PENDING|Resources\n"), Some(("PENDING".into(), "Resources".into())));
        assert_eq!(state_of("CLUSTER: east\nRUNNING|None\n"), Some(("RUNNING".into(), String::new())));
        assert_eq!(state_of("\n"), None);
        assert!(is_over("FAILED") && is_over("PREEMPTED") && !is_over("COMPLETING") && is_over(FORGOTTEN));
        let told = in_words(7, &forgotten());
        assert_eq!(told, "job 7 is no longer known to Slurm, nor how it has ended");
        assert_eq!(
            in_words(7, &("TIMEOUT".into(), "TimeLimit".into())),
            "job 7 has ended, timeout (TimeLimit)"
        );
    }
}

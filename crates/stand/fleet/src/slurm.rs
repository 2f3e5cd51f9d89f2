//! Agents on the nodes of one job of Slurm, one on each node. Slurm's own commands are used, with the user's account and settings.
//!
//! The job's script has the invitations, which it hands to all of its agents on standard input; each takes the line of its own number. Only the job's owner and Slurm's administrators can read the script of a
//! job. An agent that ends does not end the others, nor does a node that is lost.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;
use wiredyno_contract::Span;

use crate::command::{Input, answer, quoted, tail};
use crate::{Engine, FleetError, PATIENCE, Place, State, own_program};

/// How long a command of Slurm may take.
const LIMIT: Duration = Duration::from_secs(60);
/// How long agents may take to end by themselves before the job is cancelled, after which time the user is told that this takes its time, and how long it may take.
const ENDS: Duration = Duration::from_secs(3);
const TOLD: Duration = Duration::from_secs(5);
const CANCELLED: Duration = Duration::from_secs(60);
/// The time between two looks at a job that is to end.
const AGAIN: Duration = Duration::from_millis(300);

/// One job of Slurm, on as many nodes as there are agents.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slurm {
    /// How many agents to ask for, each on a node of its own, at least one. If the study needs fewer, the job may start with that many.
    pub agents: u32,
    /// The path of the program on the nodes; if left out, its path on this machine, which the nodes must be able to read.
    #[serde(default)]
    pub program: Option<String>,
    /// `--partition` of sbatch.
    #[serde(default)]
    pub partition: Option<String>,
    /// `--account` of sbatch.
    #[serde(default)]
    pub account: Option<String>,
    /// `--constraint` of sbatch.
    #[serde(default)]
    pub constraint: Option<String>,
    /// `--time` of sbatch, rounded up to minutes: Slurm then ends the job.
    #[serde(default)]
    pub time: Option<Span>,
    /// How long an agent tries to reach its coordinator again; a minute if left out.
    #[serde(default)]
    pub patience: Option<Span>,
    /// Further options of sbatch, for example `["--exclusive"]`.
    #[serde(default)]
    pub options: Vec<String>,
}

/// The name with which the agent of a number joins.
fn name_of(number: usize) -> String {
    format!("agent-{number}")
}

impl Slurm {
    pub(crate) fn names(&self) -> Vec<String> {
        (0..self.agents as usize).map(name_of).collect()
    }

    pub(crate) fn check(&self) -> Result<(), FleetError> {
        match self.agents {
            0 => Err(FleetError::Asked("[fleet.slurm]: agents must be at least 1".to_owned())),
            _ => Ok(()),
        }
    }

    /// The job's script.
    fn script(&self, program: &str, invitations: &[String]) -> String {
        let agent = format!(
            "exec {} agent - --indexed --name agent --label node=\"$SLURMD_NODENAME\" --patience {}",
            quoted(program),
            self.patience.unwrap_or(PATIENCE)
        );
        let invitations: String = invitations.iter().map(|line| format!("{line}\n")).collect();
        format!(
            "#!/bin/sh\n\
             exec srun --ntasks=\"$SLURM_JOB_NUM_NODES\" --ntasks-per-node=1 --kill-on-bad-exit=0 --wait=0 --no-kill --label sh -c {} <<'INVITATIONS'\n\
             {invitations}INVITATIONS\n",
            quoted(&agent)
        )
    }

    fn sbatch(&self, least: usize, output: &str) -> Command {
        let mut command = Command::new("sbatch");
        command.args([
            "--parsable",
            "--job-name=wiredyno",
            "--ntasks-per-node=1",
            "--no-kill",
            "--no-requeue",
        ]);
        command.arg(format!("--nodes={}-{}", least.clamp(1, self.agents as usize), self.agents));
        command.arg(format!("--output={output}"));
        for (option, value) in
            [("partition", &self.partition), ("account", &self.account), ("constraint", &self.constraint)]
        {
            command.args(value.as_ref().map(|value| format!("--{option}={value}")));
        }
        command.args(self.time.map(|time| format!("--time={}", time.ns.div_ceil(60_000_000_000))));
        command.args(&self.options);
        command
    }

    pub(crate) fn up(
        &self,
        invitations: &[String],
        least: usize,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Job, FleetError> {
        let program = match &self.program {
            Some(program) => program.clone(),
            None => own_program()?.display().to_string(),
        };
        let here = std::env::current_dir()
            .map_err(|source| FleetError::Start { what: "this folder".to_owned(), source })?;
        // What stands for a job's number in names of files.
        let script = self.script(&program, invitations);
        let mut command = self.sbatch(least, &here.join("wiredyno-fleet-%j.out").display().to_string());
        // An interruption in the middle would leave a job whose number nobody knows.
        let said = answer("sbatch", &mut command, Input(&[script.as_bytes()]), LIMIT, &|| false)?;
        // With several clusters it is NUMBER;CLUSTER.
        let number = said.trim().split(';').next().and_then(|number| number.parse().ok());
        let Some(number) = number else {
            let said = format!("expected a job number, got `{}`", tail(said.as_bytes()));
            return Err(FleetError::Answer { what: "sbatch".to_owned(), said });
        };
        let output = here.join(format!("wiredyno-fleet-{number}.out"));
        let mut job = Job { number, agents: self.agents as usize, output, state: None };
        if interrupted() {
            job.end();
            return Err(FleetError::Interrupted);
        }
        Ok(job)
    }
}

/// A job that was submitted.
pub struct Job {
    number: u64,
    agents: usize,
    /// What its agents say.
    output: PathBuf,
    /// Its last known state, and Slurm's reason.
    state: Option<(String, String)>,
}

impl Job {
    /// Asks for the job's state and the reason; `None` if Slurm no longer knows it.
    fn state(&self) -> Result<Option<(String, String)>, FleetError> {
        let said = answer("squeue", Command::new("squeue").arg("--json"), Input(&[]), LIMIT, &|| false)?;
        state_of(&said, self.number).ok_or_else(|| FleetError::Answer {
            what: "squeue --json".to_owned(),
            said: tail(said.as_bytes()),
        })
    }

    fn is_over(&self) -> bool {
        matches!(self.state(), Ok(None)) || matches!(self.state(), Ok(Some((state, _))) if is_over(&state))
    }

    fn is_over_within(&self, limit: Duration) -> bool {
        let until = Instant::now() + limit;
        loop {
            if self.is_over() {
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
            std::thread::sleep(AGAIN);
        }
    }
}

impl Job {
    /// Has the job cancelled, and waits for its end. There is nobody to return to what is left of it, and the user has to know.
    fn cancel(&self) {
        let number = self.number;
        let mut command = Command::new("scancel");
        if let Err(error) = answer("scancel", command.arg(number.to_string()), Input(&[]), LIMIT, &|| false) {
            eprintln!("Slurm's job {number} may still exist: scancel {number}: {error}");
            return;
        }
        if self.is_over_within(TOLD) {
            return;
        }
        eprintln!("waiting until Slurm has ended job {number} on all of its nodes");
        if !self.is_over_within(CANCELLED) {
            eprintln!(
                "job {number} is cancelled, and Slurm still waits for a node of it that does not answer: it ends what is there when the node is back, and its agent ends by itself"
            );
        }
    }
}

/// Whether a job in this state has ended. Jobs that end, or are about to run, have not.
fn is_over(state: &str) -> bool {
    !["PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "STAGE_OUT", "SIGNALING", "STOPPED"]
        .contains(&state)
}

/// The state of a job in the answer of `squeue --json` and its reason: `Some(None)` if it is not listed, `None` if this is not such an answer.
fn state_of(said: &str, number: u64) -> Option<Option<(String, String)>> {
    let answer: Value = serde_json::from_str(said).ok()?;
    let jobs = answer["jobs"].as_array()?;
    let text = |of: &Value| match of {
        // Since 23.02 a job has a list of states.
        Value::Array(all) => all.first().and_then(Value::as_str).map(str::to_owned),
        one => one.as_str().map(str::to_owned),
    };
    let job = jobs.iter().find(|job| job["job_id"].as_u64() == Some(number));
    Some(job.map(|job| {
        (
            text(&job["job_state"]).unwrap_or_default(),
            text(&job["state_reason"]).filter(|reason| reason != "None").unwrap_or_default(),
        )
    }))
}

impl Engine for Job {
    fn look(&mut self) -> Vec<Place> {
        // As long as Slurm can't be asked, the job's state is assumed unchanged.
        if let Ok(state) = self.state() {
            self.state = Some(state.unwrap_or_else(|| ("COMPLETED".to_owned(), String::new())));
        }
        let number = self.number;
        let state = match &self.state {
            Some((state, reason)) if state == "PENDING" || state == "CONFIGURING" => {
                let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
                State::Waits(format!("job {number} is {}{reason}", state.to_lowercase()))
            }
            Some((state, reason)) if is_over(state) => {
                let reason = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
                let said = std::fs::read(&self.output).map(|text| tail(&text)).unwrap_or_default();
                let said = if said.is_empty() { said } else { format!(": {said}") };
                State::Gone(format!("job {number} has ended, {}{reason}{said}", state.to_lowercase()))
            }
            Some(_) => State::Runs,
            None => State::Waits(format!("job {number} was submitted")),
        };
        (0..self.agents).map(|number| Place { agent: name_of(number), state: state.clone() }).collect()
    }

    fn end(&mut self) {
        if !self.is_over_within(ENDS) {
            self.cancel();
        }
        // It does not exist if the job never started, or is on another machine.
        let _ = std::fs::remove_file(&self.output);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slurm() -> Slurm {
        Slurm {
            agents: 3,
            program: None,
            partition: Some("main".into()),
            account: None,
            constraint: None,
            time: Some(Span::from_s(90)),
            patience: None,
            options: vec!["--exclusive".into()],
        }
    }

    #[test]
    fn a_job_asks_for_a_node_for_each_agent_and_takes_what_a_study_needs() {
        let words = |least| -> Vec<String> {
            let command = slurm().sbatch(least, "out-%j");
            command.get_args().map(|word| word.to_string_lossy().into_owned()).collect()
        };
        let all = words(2);
        for word in
            ["--nodes=2-3", "--output=out-%j", "--partition=main", "--time=2", "--exclusive", "--no-kill"]
        {
            assert!(all.iter().any(|one| one == word), "{word} in {all:?}");
        }
        assert!(words(0).contains(&"--nodes=1-3".to_owned()) && words(9).contains(&"--nodes=3-3".to_owned()));
    }

    #[test]
    fn invitations_stand_in_the_script_alone_and_a_path_stays_one_word() {
        let script = slurm().script("/opt/it's here/wiredyno", &["one:1/x".into(), "two:2/y".into()]);
        assert!(script.ends_with("<<'INVITATIONS'\none:1/x\ntwo:2/y\nINVITATIONS\n"), "{script}");
        let checked = Command::new("sh").args(["-n", "-c", &script]).output().unwrap();
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    }

    #[test]
    fn states_are_read_as_old_and_new_versions_write_them() {
        let old = r#"{"jobs": [{"job_id": 7, "job_state": "PENDING", "state_reason": "Resources"}]}"#;
        assert_eq!(state_of(old, 7), Some(Some(("PENDING".into(), "Resources".into()))));
        let new = r#"{"jobs": [{"job_id": 7, "job_state": ["RUNNING", "X"], "state_reason": "None"}]}"#;
        assert_eq!(state_of(new, 7), Some(Some(("RUNNING".into(), String::new()))));
        assert_eq!(state_of(new, 8), Some(None));
        assert_eq!(state_of("slurm_load_jobs error", 7), None);
        assert!(is_over("FAILED") && is_over("PREEMPTED") && !is_over("COMPLETING"));
    }
}

//! Agents on the nodes of one job of Slurm, one on each node. Slurm's own commands are used, with the user's account and settings.
//!
//! The job's script has the invitations, which it hands to all of its agents on standard input; each takes the line of its own number. Only the job's owner and Slurm's administrators can read the script of a
//! job. An agent that ends does not end the others, nor does a node that is lost.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use wiredyno_contract::Span;

use crate::command::{Input, answer, quoted, tail};
use crate::{Engine, FleetError, PATIENCE, Place, Record, State, drawn, own_program};

/// How long a submission may take, and any other command of Slurm.
const SUBMITTED: Duration = Duration::from_secs(60);
const LIMIT: Duration = Duration::from_secs(15);
/// How long agents may take to end by themselves before the job is cancelled, after which time the user is told that this takes its time, and how long it may take.
const ENDS: Duration = Duration::from_secs(3);
const TOLD: Duration = Duration::from_secs(5);
const CANCELLED: Duration = Duration::from_secs(60);
/// The time between two looks at a job that is to end.
const AGAIN: Duration = Duration::from_secs(1);

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

/// The options of sbatch that would make something else of the job or of its output. Short ones may have their values attached.
const OURS: &str = "--array --wait --wrap --test-only --output --job-name --nodes --ntasks -a -W -o -J -N -n";

fn is_ours(word: &str) -> bool {
    let is_it =
        |ours: &str| word.split('=').next() == Some(ours) || ours.len() == 2 && word.starts_with(ours);
    OURS.split(' ').any(is_it)
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
        let asked = |what: String| Err(FleetError::Asked(format!("[fleet.slurm]: {what}")));
        if self.agents == 0 {
            return asked("agents must be at least 1".to_owned());
        }
        match self.options.iter().find(|word| is_ours(word)) {
            Some(word) => {
                asked(format!("leave `{word}` out of options: this program submits one job, in its own way"))
            }
            None => Ok(()),
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

    fn sbatch(&self, least: usize, output: &str, name: &str) -> Command {
        let mut command = Command::new("sbatch");
        command.args(["--parsable", "--ntasks-per-node=1", "--no-kill", "--no-requeue"]);
        command.arg(format!("--job-name={name}"));
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
        let script = self.script(&program, invitations);
        // By this name a job can be cancelled whose number is not known.
        let name = format!("wiredyno-{}", drawn()?);
        // %j stands for a job's number in names of files, and %% for the character.
        let folder = here.display().to_string().replace('%', "%%");
        let output = format!("{folder}/wiredyno-fleet-%j.out");
        let mut command = self.sbatch(least, &output, &name);
        // An interruption in the middle would leave a job whose number nobody knows.
        let said = answer("sbatch", &mut command, Input(&[script.as_bytes()]), SUBMITTED, &|| false);
        let told = said.and_then(|said| {
            told(&said).ok_or_else(|| {
                let said = format!("expected a job number, got `{}`", tail(said.as_bytes()));
                FleetError::Answer { what: "sbatch".to_owned(), said }
            })
        });
        let (number, cluster) = told.inspect_err(|_| cancel_by_name(&name))?;
        let output = here.join(output_of(number));
        let mut job = Job { number, cluster, agents: self.agents as usize, output, state: None };
        if interrupted() {
            job.end().iter().for_each(|left| eprintln!("{left}"));
            return Err(FleetError::Interrupted);
        }
        Ok(job)
    }
}

/// A job that was submitted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Job {
    number: u64,
    /// The cluster that has it, where there are several.
    cluster: Option<String>,
    agents: usize,
    /// What its agents say.
    output: PathBuf,
    /// Its last known state, and Slurm's reason.
    state: Option<(String, String)>,
}

/// The name of the file with what a job's agents say.
fn output_of(number: u64) -> String {
    format!("wiredyno-fleet-{number}.out")
}

/// The number and, with several clusters, the cluster of a job that was submitted: `NUMBER` or `NUMBER;CLUSTER` in the last line, below what a site's own sbatch may say.
fn told(said: &str) -> Option<(u64, Option<String>)> {
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    let (number, cluster) = match last.split_once(';') {
        Some((number, cluster)) => (number, Some(cluster.to_owned())),
        None => (last, None),
    };
    Some((number.parse().ok()?, cluster))
}

/// Cancels the job that sbatch may have submitted although it failed, took too long, or answered something else.
fn cancel_by_name(name: &str) {
    let mut command = Command::new("scancel");
    command.arg(format!("--name={name}"));
    // Where there is no Slurm, or no such job, sbatch has said so.
    let _ = answer("scancel", &mut command, Input(&[]), LIMIT, &|| false);
}

impl Job {
    /// A command of Slurm about this job, whatever the user's environment says of other jobs.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("SQUEUE_"))
        {
            command.env_remove(name);
        }
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
    /// Says what is wrong with what was kept of it.
    pub(crate) fn check(&self) -> Result<(), FleetError> {
        let name = self.output.file_name().is_some_and(|name| name == output_of(self.number).as_str());
        let is_word = |text: &String| !text.is_empty() && !text.contains(|one: char| one.is_whitespace());
        match name && self.output.is_absolute() && self.cluster.as_ref().is_none_or(is_word) {
            true => Ok(()),
            false => Err(FleetError::Asked("this is not what a fleet of Slurm has left".to_owned())),
        }
    }

    /// Has the job cancelled, and waits for its end. Returns what may be left.
    fn cancel(&self) -> Vec<String> {
        let number = self.number;
        let mut command = self.command("scancel");
        if let Err(error) = answer("scancel", command.arg(number.to_string()), Input(&[]), LIMIT, &|| false) {
            return vec![format!("Slurm's job {number} may still exist: scancel {number}: {error}")];
        }
        if self.is_over_within(TOLD) {
            return Vec::new();
        }
        if let Err(error) = self.state() {
            return vec![format!("job {number} was cancelled; whether it has ended is unknown: {error}")];
        }
        eprintln!("waiting until Slurm has ended job {number} on all of its nodes");
        if self.is_over_within(CANCELLED) {
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
                self.state = Some(state.unwrap_or_else(|| ("COMPLETED".to_owned(), String::new())));
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
            Some((state, reason)) if is_over(state) => {
                let reason = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
                let said = std::fs::read(&self.output).map(|text| tail(&text)).unwrap_or_default();
                let said = if said.is_empty() { said } else { format!(": {said}") };
                State::Gone(format!("job {number} has ended, {}{reason}{said}", state.to_lowercase()))
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
        let before = self.state();
        if let Ok(Some((state, reason))) = &before
            && is_over(state)
            && state != "COMPLETED"
        {
            let reason = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
            let (number, state) = (self.number, state.to_lowercase());
            eprintln!(
                "job {number} had ended, {state}{reason}; what its agents said is in {}",
                self.output.display()
            );
            return Vec::new();
        }
        let left = if self.is_over_within(ENDS) { Vec::new() } else { self.cancel() };
        // It does not exist if the job never started, or is on another machine.
        let _ = std::fs::remove_file(&self.output);
        left
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
            let command = slurm().sbatch(least, "out-%j", "wiredyno-7");
            command.get_args().map(|word| word.to_string_lossy().into_owned()).collect()
        };
        let all = words(2);
        for word in [
            "--nodes=2-3",
            "--output=out-%j",
            "--job-name=wiredyno-7",
            "--partition=main",
            "--time=2",
            "--exclusive",
            "--no-kill",
        ] {
            assert!(all.iter().any(|one| one == word), "{word} in {all:?}");
        }
        assert!(words(0).contains(&"--nodes=1-3".to_owned()) && words(9).contains(&"--nodes=3-3".to_owned()));
    }

    #[test]
    fn an_option_that_makes_something_else_of_the_job_is_refused() {
        slurm().check().unwrap();
        for word in ["--array=0-3", "--wait", "-a0-3", "-o", "--output=x", "-N4"] {
            let asks = Slurm { options: vec![word.into()], ..slurm() };
            assert!(asks.check().unwrap_err().to_string().contains(word), "{word}");
        }
        let fine =
            ["--exclusive", "--qos=high", "-A", "--nodelist=n1", "--wait-all-nodes=1", "--ntasks-per-core=1"];
        Slurm { options: fine.map(String::from).to_vec(), ..slurm() }.check().unwrap();
    }

    #[test]
    fn invitations_stand_in_the_script_alone_and_a_path_stays_one_word() {
        let script = slurm().script("/opt/it's here/wiredyno", &["one:1/x".into(), "two:2/y".into()]);
        assert!(script.ends_with("<<'INVITATIONS'\none:1/x\ntwo:2/y\nINVITATIONS\n"), "{script}");
        let checked = Command::new("sh").args(["-n", "-c", &script]).output().unwrap();
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    }

    #[test]
    fn a_job_is_known_by_the_last_line_of_the_answer() {
        assert_eq!(told("77\n"), Some((77, None)));
        assert_eq!(told("Welcome to the cluster\n\n77;east\n"), Some((77, Some("east".into()))));
        assert_eq!(told("sbatch: error"), None);
        assert_eq!(told(""), None);
    }

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
        assert!(is_over("FAILED") && is_over("PREEMPTED") && !is_over("COMPLETING"));
    }
}

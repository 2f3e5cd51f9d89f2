//! Agents on the nodes of one job of Slurm, one on each node. Slurm's own commands are used, with the user's account and settings.
//!
//! The job's script has the invitations, which it hands to all of its agents on standard input; each takes the line of its own number. Only the job's owner and Slurm's administrators can read the script of a
//! job. An agent that ends does not end the others, nor does a node that is lost.

mod job;

use std::process::Command;
use std::time::Duration;

use serde::Deserialize;
use wiredyno_contract::Span;

use self::job::output_of;
use crate::command::{Input, answer, quoted, tail};
use crate::{Engine, FleetError, PATIENCE, drawn, own_program, warn};

pub use self::job::Job;

/// How long a submission may take, and any other command of Slurm.
const SUBMITTED: Duration = Duration::from_secs(60);
const LIMIT: Duration = Duration::from_secs(15);
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
        let (number, cluster) = told.inspect_err(|error| {
            // Without an sbatch there is no job either.
            if !matches!(error, FleetError::Start { .. }) {
                self.cancel_by_name(&name);
            }
        })?;
        let output = here.join(output_of(number));
        let mut job = Job { number, cluster, agents: self.agents as usize, output, state: None };
        if interrupted() {
            job.end().iter().for_each(|left| warn(left));
            return Err(FleetError::Interrupted);
        }
        Ok(job)
    }
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

/// A command of Slurm, whatever the user's environment says of which jobs it is about.
fn plain(program: &str) -> Command {
    let mut command = Command::new(program);
    let filters = |name: &std::ffi::OsStr| {
        let name = name.to_string_lossy();
        name.starts_with("SQUEUE_") || name.starts_with("SCANCEL_")
    };
    for (name, _) in std::env::vars_os().filter(|(name, _)| filters(name)) {
        command.env_remove(name);
    }
    command
}

impl Slurm {
    /// The clusters to which a job may go, as sbatch is told of them; none if Slurm has its own idea, which scancel shares.
    fn clusters(&self, environment: Option<String>) -> Option<String> {
        let mut words = self.options.iter();
        let mut found = None;
        while let Some(word) = words.next() {
            let value = match word.split_once('=') {
                Some(("--clusters" | "--cluster", value)) => Some(value.to_owned()),
                None if ["--clusters", "--cluster", "-M"].contains(&word.as_str()) => words.next().cloned(),
                _ => word.strip_prefix("-M").map(str::to_owned),
            };
            found = value.or(found);
        }
        found.or(environment)
    }

    /// Cancels the job that sbatch may have submitted although it failed, took too long, or answered something else.
    fn cancel_by_name(&self, name: &str) {
        let clusters = self.clusters(std::env::var("SBATCH_CLUSTERS").ok());
        let words: Vec<String> = clusters
            .map(|clusters| format!("--clusters={clusters}"))
            .into_iter()
            .chain([format!("--name={name}")])
            .collect();
        let mut command = plain("scancel");
        command.args(&words);
        if let Err(error) = answer("scancel", &mut command, Input(&[]), LIMIT, &|| false) {
            warn(&format!("a job named {name} may exist: scancel {}: {error}", words.join(" ")));
        }
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
    fn a_job_is_cancelled_where_it_was_submitted() {
        let of = |options: &[&str]| {
            let options = options.iter().map(|word| (*word).to_owned()).collect();
            Slurm { options, ..slurm() }.clusters(Some("south".into())).unwrap()
        };
        let all = [
            of(&["--clusters=east"]),
            of(&["-M", "east"]),
            of(&["-Mwest", "--clusters", "east"]),
            of(&["--mem=1"]),
        ];
        assert_eq!(all, ["east", "east", "east", "south"]);
        assert_eq!(slurm().clusters(None), None);
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
}

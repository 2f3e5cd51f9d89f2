//! `wiredyno agent`: puts this machine at the service of a coordinator.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use wiredyno_agents::agent::{self, Ended, Event, Terms};
use wiredyno_agents::{INVITATION, Invitation, Limits};
use wiredyno_contract::Span;
use wiredyno_model::summary::Environment;
use wiredyno_running::environment;
use wiredyno_seats::allowed::Allowed;

use crate::output::errln;
use crate::{exit, failure, interrupts, runner, terminal};

/// The longest name of an agent, in characters.
const MOST_NAME_CHARS: usize = 40;

#[derive(clap::Args)]
pub struct Arguments {
    /// The file with the invitation that `wiredyno agents` wrote, `-` for standard input; else WIREDYNO_INVITATION has the line itself
    #[arg(value_name = "FILE")]
    invitation: Option<PathBuf>,
    /// The name of this machine in studies and reports; its host name if left out
    #[arg(long)]
    name: Option<String>,
    /// A label for this machine, for example site=garage; may be repeated
    #[arg(long = "label", value_name = "KEY=VALUE")]
    labels: Vec<String>,
    /// One of several agents that one command starts: its index, from SLURM_PROCID or JOB_COMPLETION_INDEX, is that of its line among the invitations,
    /// and is added to its name
    #[arg(long)]
    indexed: bool,
    /// How long to try to reach the coordinator, at first and after each break
    #[arg(long, value_name = "TIME", default_value = "1min")]
    patience: Span,
    /// The most memory that each program of the coordinator may have, in gigabytes; four fifths of the machine's if left out
    #[arg(long, value_name = "GB", value_parser = gigabytes)]
    most_memory: Option<u64>,
    /// The longest file that each of them may write, in gigabytes
    #[arg(long, value_name = "GB", value_parser = gigabytes, default_value = "16")]
    most_file: u64,
    /// How long to serve at most; as long as the coordinator wants if left out
    #[arg(long, value_name = "TIME")]
    most_time: Option<Span>,
}

/// Four fifths of the machine's memory, in bytes; `None` if that is not known.
fn most_memory(environment: &Environment) -> Option<u64> {
    (environment.memory_bytes > 0).then_some(environment.memory_bytes / 5 * 4)
}

/// Bytes from gigabytes.
fn gigabytes(text: &str) -> Result<u64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.01..=1e6).contains(number));
    number
        .map(|number| (number * 1e9) as u64)
        .ok_or_else(|| "a number of gigabytes from 0.01, for example 2.5".to_owned())
}

/// Serves until the coordinator says that the run is over, or Ctrl-C.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let index = arguments.indexed.then(index).transpose()?;
    let invitation = invitation(arguments.invitation.as_deref(), index)?;
    let name = arguments.name.clone().map_or_else(host_name, Ok)?;
    // Before there are threads.
    let sandbox = runner::enter_sandbox()?;
    let environment = environment::read(Vec::new(), env!("WIREDYNO_COMMIT"));
    let terms = Terms {
        name: index.map_or_else(|| name.clone(), |index| format!("{name}-{index}")),
        labels: labels(&arguments.labels)?,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        limits: Limits {
            memory_bytes: arguments.most_memory.or(most_memory(&environment)),
            file_bytes: Some(arguments.most_file),
        },
        environment,
        patience: Duration::from_nanos(arguments.patience.ns),
        sandbox: Some(sandbox),
        allowed: Allowed::of_machine().map_err(failure::wrong)?,
    };
    let interrupt = interrupts::catch_interrupts()?;
    let most_time = arguments.most_time.map(|most| Duration::from_nanos(most.ns));
    let until = most_time.and_then(|most| Instant::now().checked_add(most));
    let in_time = || until.is_none_or(|until| Instant::now() < until);
    let goes_on = || !interrupt.is_set() && in_time();
    let mut last = None;
    let mut tell = |event: Event| {
        if terminal::is_quiet() || last.as_ref() == Some(&event) {
            return;
        }
        match &event {
            Event::Waiting(why) => errln!("waiting for the coordinator: {why}"),
            Event::Joined => errln!("joined as {}", terms.name),
            Event::Present(coordinator) => errln!("serving {coordinator}"),
            Event::Cut(why) => errln!("disconnected, trying to reconnect: {why}"),
        }
        last = Some(event);
    };
    match agent::run(&invitation, &terms, &goes_on, &mut tell)? {
        Ended::RunOver => {
            if !terminal::is_quiet() {
                errln!("the run is over");
            }
            Ok(exit::DONE)
        }
        Ended::Interrupted if !in_time() => {
            errln!("this agent has served as long as --most-time says");
            Ok(exit::DONE)
        }
        Ended::Interrupted => Ok(ExitCode::from(exit::INTERRUPTED)),
    }
}

/// Where an engine that starts one command several times says which of them this is: Slurm (srun(1)), an Indexed Job of Kubernetes.
const INDICES: [&str; 2] = ["SLURM_PROCID", "JOB_COMPLETION_INDEX"];

/// Which of several agents this is, from 0.
fn index() -> anyhow::Result<usize> {
    let told = INDICES.iter().find_map(|name| std::env::var(name).ok().map(|text| (name, text)));
    let (name, text) = told.ok_or_else(|| {
        failure::wrong(anyhow!(
            "--indexed needs {} in the environment, which {}: leave it out, and give each agent its own invitation",
            INDICES.join(" or "),
            "srun and Kubernetes set"
        ))
    })?;
    text.parse().with_context(|| format!("{name}={text}: an index is a number from 0"))
}

/// Reads the invitation, which is a secret: no command line has it. With an index it is a line among several.
fn invitation(file: Option<&Path>, index: Option<usize>) -> anyhow::Result<Invitation> {
    let (text, from) = match file {
        Some(path) if path == Path::new("-") => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).context("standard input")?;
            (text, "standard input".to_owned())
        }
        Some(path) => {
            let text = std::fs::read_to_string(path);
            let from = path.display().to_string();
            (
                text.with_context(|| {
                    format!("{from}: copy the file that `wiredyno agents` wrote to this machine")
                })?,
                from,
            )
        }
        None => match std::env::var(INVITATION) {
            Ok(text) => (text, INVITATION.to_owned()),
            Err(_) => {
                return Err(failure::wrong(anyhow!(
                    "an agent needs an invitation: `wiredyno agents` on the machine that coordinates writes one; name its file, or set {INVITATION}"
                )));
            }
        },
    };
    let line = match index {
        None => text.as_str(),
        Some(index) => text.lines().nth(index).ok_or_else(|| {
            anyhow!("{from}: there are {} invitations, and none for index {index}", text.lines().count())
        })?,
    };
    line.parse().with_context(|| from)
}

fn host_name() -> anyhow::Result<String> {
    let whole =
        nix::unistd::gethostname().context("this machine's name can't be read: choose one with --name")?;
    let whole = whole.to_string_lossy();
    let first = whole.split('.').next().unwrap_or_default().to_lowercase();
    let name: String = first.chars().map(|one| if one.is_ascii_alphanumeric() { one } else { '-' }).collect();
    Ok(name.trim_matches('-').chars().take(MOST_NAME_CHARS).collect())
}

fn labels(of: &[String]) -> anyhow::Result<BTreeMap<String, String>> {
    let mut all = BTreeMap::new();
    for text in of {
        let Some((key, value)) =
            text.split_once('=').filter(|(key, value)| !key.is_empty() && !value.is_empty())
        else {
            return Err(failure::wrong(anyhow!("--label {text}: write KEY=VALUE, for example site=garage")));
        };
        if all.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err(failure::wrong(anyhow!("--label {text}: `{key}` is given twice")));
        }
    }
    Ok(all)
}

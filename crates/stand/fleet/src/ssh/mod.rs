//! Agents on machines that ssh reaches, as the user's own configuration says.
//!
//! Each machine gets a folder of its own with the program and the invitation, and a shell in a session of its own (setsid) that starts the agent, keeps its
//! output, and removes the folder some time after the agent's end unless that was done before. The connection ends once the agent has started, so nothing
//! that breaks it later affects the agent. The folder's name is chosen here, so that it can be removed even if the machine's answer never came.
//! One file because what is started there, and what is known of it, is removed by the same names.

mod scripts;

use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use wiredyno_contract::Span;

use self::scripts::{DOWN, HOW, RUN, SERVE, UP, masked};
use crate::command::{Input, answer, quoted, tail};
use crate::{Engine, FleetError, PATIENCE, Place, Record, State, differs, drawn, own_program, warn};

/// How long reaching a machine and copying the program to it may take.
const START: Duration = Duration::from_secs(300);
/// How long it may take to report its agent's state, and to end it.
const LOOK: Duration = Duration::from_secs(20);
/// The part of a folder's name that says to whom it belongs.
const FOLDER: &str = "/wiredyno-agent.";

/// Machines that ssh reaches without a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ssh {
    /// What one would type after `ssh`: names of the user's configuration, `user@host`. An agent has the name of its machine.
    pub machines: Vec<String>,
    /// Further options of ssh, for example `["-p", "2222"]`.
    #[serde(default)]
    pub options: Vec<String>,
    /// Where the program is on these machines; if left out, this one is copied there, and removed afterwards.
    #[serde(default)]
    pub program: Option<String>,
    /// The folder below which each agent gets its own; `/tmp` if left out.
    #[serde(default)]
    pub folder: Option<String>,
    /// How long an agent tries to reach its coordinator again, and how long its folder stays after its end if nobody removes it; a minute if left out.
    #[serde(default)]
    pub patience: Option<Span>,
}

impl Ssh {
    /// Agents on these machines, in the usual way.
    pub fn of(machines: Vec<String>) -> Self {
        Ssh { machines, options: Vec::new(), program: None, folder: None, patience: None }
    }

    /// The names of its agents.
    pub fn names(&self) -> Vec<String> {
        self.machines.iter().map(|machine| name_of(machine)).collect()
    }

    pub(crate) fn check(&self) -> Result<(), FleetError> {
        if self.machines.is_empty() {
            return Err(FleetError::Asked("[fleet.ssh]: machines is empty: name at least one".to_owned()));
        }
        let mut names = std::collections::BTreeSet::new();
        for machine in &self.machines {
            let name = name_of(machine);
            if machine.starts_with('-') || name.is_empty() {
                return Err(FleetError::Asked(format!("[fleet.ssh]: `{machine}` is not a machine's name")));
            }
            if !names.insert(name.clone()) {
                return Err(FleetError::Asked(format!(
                    "[fleet.ssh]: the agent `{name}` appears twice: each machine has one agent, named after the machine"
                )));
            }
        }
        Ok(())
    }

    /// A command on a machine: a script for a Bourne shell, with arguments.
    fn at(&self, machine: &str, script: &str, arguments: &[&str]) -> Command {
        let mut words =
            vec!["exec sh -c".to_owned(), quoted(RUN), "wiredyno".to_owned(), quoted(&masked(script))];
        words.extend(arguments.iter().map(|one| quoted(one)));
        let mut command = Command::new("ssh");
        // Nothing may prompt: nobody would see it.
        command.args(["-T", "-x", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15"]);
        // Another session may hold the ports that the user's configuration forwards.
        command.args(["-o", "ClearAllForwardings=yes"]).args(&self.options);
        // After the user's own, which count if they say otherwise. A machine that is gone is noticed after twenty seconds.
        command.args(["-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3"]);
        command.args(["--", machine]).arg(words.join(" "));
        command
    }

    pub(crate) fn up(
        &self,
        invitations: &[String],
        interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<Started, FleetError> {
        let program = match &self.program {
            Some(_) => Vec::new(),
            None => {
                let path = own_program()?;
                let what = path.display().to_string();
                std::fs::read(path).map_err(|source| FleetError::Start { what, source })?
            }
        };
        let drawn = drawn()?;
        // Machines may share a file system, or be one.
        let folder = |machine: &str| {
            let below = self.folder.as_deref().unwrap_or("/tmp");
            format!("{below}{FOLDER}{drawn}-{}", name_of(machine))
        };
        let start = |machine: &String, invitation: &String| {
            self.start(machine, invitation, &folder(machine), &program, interrupted)
        };
        let begun: Vec<Result<(), FleetError>> = std::thread::scope(|scope| {
            let begun: Vec<_> = self
                .machines
                .iter()
                .zip(invitations)
                .map(|(machine, invitation)| scope.spawn(move || start(machine, invitation)))
                .collect();
            // A panic has been printed.
            let lost = || FleetError::Asked("the attempt to start it panicked".to_owned());
            begun.into_iter().map(|one| one.join().unwrap_or_else(|_| Err(lost()))).collect()
        });
        let is_interrupted = begun.iter().any(|one| matches!(one, Err(FleetError::Interrupted)));
        let mut first = None;
        let agents = self.machines.iter().zip(begun).map(|(machine, begun)| {
            let (is_there, state) = match begun {
                Ok(()) => (true, State::Runs),
                Err(error) => {
                    let why = error.to_string();
                    let is_there = may_be_there(&error);
                    first.get_or_insert(error);
                    (is_there, State::Gone(why))
                }
            };
            Agent { machine: machine.clone(), folder: is_there.then(|| folder(machine)), state, unsure: None }
        });
        let mut started = Started { ssh: self.clone(), agents: agents.collect() };
        if is_interrupted || started.agents.iter().all(|agent| agent.state != State::Runs) {
            started.end().iter().for_each(|left| warn(left));
            return Err(first.filter(|_| !is_interrupted).unwrap_or(FleetError::Interrupted));
        }
        Ok(started)
    }

    /// Starts the agent on a machine, in a folder that is not there yet.
    fn start(
        &self,
        machine: &str,
        invitation: &str,
        folder: &str,
        program: &[u8],
        interrupted: &dyn Fn() -> bool,
    ) -> Result<(), FleetError> {
        let what = format!("ssh {machine}");
        let patience = self.patience.unwrap_or(PATIENCE);
        let arguments = [
            &name_of(machine),
            std::env::consts::ARCH,
            folder,
            self.program.as_deref().unwrap_or_default(),
            &masked(SERVE),
            &patience.to_string(),
            &patience.ns.div_ceil(1_000_000_000).to_string(),
            &program.len().to_string(),
        ];
        let mut command = self.at(machine, UP, &arguments);
        let input = [invitation.as_bytes(), b"\n", program];
        let said = answer(&what, &mut command, Input(&input), START, interrupted).map_err(in_words)?;
        if said.trim_end_matches('\n') == folder {
            return Ok(());
        }
        let said = format!(
            "expected the agent's folder, got `{}`: what a login prints there must go to standard error",
            tail(said.as_bytes())
        );
        Err(FleetError::Answer { what, said })
    }
}

/// The exit code of ssh if an error of its own occurred (ssh(1)).
const BROKEN: i32 = 255;

/// How ssh says that it was never connected and logged in.
const NEVER: [&str; 5] = [
    "ssh: connect to host",
    "ssh: Could not resolve hostname",
    "kex_exchange_identification: ",
    "Host key verification failed",
    "Permission denied (",
];

/// Whether something of an agent may be on a machine where starting it has failed. What failed there has removed its folder; of a connection that broke it is not known how far it came.
fn may_be_there(error: &FleetError) -> bool {
    match error {
        FleetError::Start { .. } => false,
        FleetError::Failed { status, said, .. } => {
            status.code() == Some(BROKEN) && !NEVER.iter().any(|never| said.contains(never))
        }
        _ => true,
    }
}

/// A failure of ssh itself, of which a user's configuration may have it say nothing.
fn in_words(error: FleetError) -> FleetError {
    match error {
        FleetError::Failed { what, status, said } if said.is_empty() && status.code() == Some(BROKEN) => {
            let said = ": the connection was not made, or broke, and ssh says no more (LogLevel)".to_owned();
            FleetError::Failed { what, status, said }
        }
        FleetError::Slow { what, limit, said } => {
            let hint =
                "; if the program takes too long to copy, install wiredyno there and name it by program =";
            FleetError::Slow { what, limit, said: format!("{said}{hint}") }
        }
        error => error,
    }
}

/// The agent's name: that of the machine without its user, as far as a name may have it.
fn name_of(machine: &str) -> String {
    let host = machine.rsplit_once('@').map_or(machine, |(_, host)| host);
    let letters = host.to_lowercase();
    let name: String =
        letters.chars().map(|one| if one.is_ascii_alphanumeric() { one } else { '-' }).collect();
    name.trim_matches('-').chars().take(40).collect()
}

/// An agent on a machine.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Agent {
    machine: String,
    /// Its folder there; none if there is nothing of it.
    folder: Option<String>,
    state: State,
    /// Why the machine could not be asked.
    #[serde(default)]
    unsure: Option<String>,
}

/// Agents that were started over ssh.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Started {
    ssh: Ssh,
    agents: Vec<Agent>,
}

impl Started {
    /// Says what is wrong with what was kept of it.
    pub(crate) fn check(&self) -> Result<(), FleetError> {
        self.ssh.check()?;
        let below = format!("{}{FOLDER}", self.ssh.folder.as_deref().unwrap_or("/tmp"));
        let is_own = |folder: &String| folder.strip_prefix(&below).is_some_and(|name| !name.contains('/'));
        let is_one = |agent: &Agent| {
            self.ssh.machines.contains(&agent.machine) && agent.folder.as_ref().is_none_or(is_own)
        };
        match self.agents.iter().all(is_one) {
            true => Ok(()),
            false => Err(FleetError::Asked("this is not what a fleet over ssh has left".to_owned())),
        }
    }

    /// In what it differs from a section.
    pub(crate) fn differs(&self, section: &Ssh) -> Option<String> {
        let left = &self.ssh;
        differs("machines", (&section.machines, &left.machines))
            .or_else(|| differs("options", (&section.options, &left.options)))
            .or_else(|| differs("program", (&section.program, &left.program)))
            .or_else(|| differs("folder", (&section.folder, &left.folder)))
    }

    /// Runs a script for each agent that was started, all at once; returns what each printed.
    fn each(&self, script: &str) -> Vec<Option<Result<String, FleetError>>> {
        std::thread::scope(|scope| {
            let one = |agent: &Agent| {
                let folder = agent.folder.as_deref()?;
                let mut command = self.ssh.at(&agent.machine, script, &[folder]);
                Some(answer(&format!("ssh {}", agent.machine), &mut command, Input(&[]), LOOK, &|| false))
            };
            let begun: Vec<_> = self.agents.iter().map(|agent| scope.spawn(move || one(agent))).collect();
            // A panic has been printed.
            begun.into_iter().map(|one| one.join().unwrap_or_default()).collect()
        })
    }
}

impl Engine for Started {
    fn look(&mut self) -> Vec<Place> {
        let how = self.each(HOW);
        for (agent, how) in self.agents.iter_mut().zip(how) {
            // The state of a machine that can't be asked now is assumed unchanged: the lease of its agent says more.
            let text = match how {
                Some(Ok(text)) => text,
                Some(Err(error)) => {
                    agent.unsure = Some(error.to_string());
                    continue;
                }
                None => continue,
            };
            agent.unsure = None;
            agent.state = match text.split_once('\n') {
                Some(("runs", _)) => State::Runs,
                // It never came there, and why is known.
                Some(("gone", _)) if matches!(agent.state, State::Gone(_)) => continue,
                Some(("gone", _)) | None => State::Gone("its folder is gone".to_owned()),
                Some(("killed", said)) => State::Gone(format!("it was killed: {}", tail(said.as_bytes()))),
                Some((code, said)) => State::Gone(format!("it ended with {code}: {}", tail(said.as_bytes()))),
            };
        }
        let place = |agent: &Agent| Place {
            agent: name_of(&agent.machine),
            state: agent.state.clone(),
            unsure: agent.unsure.clone(),
        };
        self.agents.iter().map(place).collect()
    }

    fn record(&self) -> Record {
        Record::Ssh(self.clone())
    }

    fn end(&mut self) -> Vec<String> {
        let ended = self.each(DOWN);
        let mut left = Vec::new();
        for (agent, ended) in self.agents.iter_mut().zip(ended) {
            match ended {
                Some(Err(error)) => left.push(format!(
                    "the agent on {} may still be running until its lease expires: {error}",
                    agent.machine
                )),
                _ => agent.folder = None,
            }
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_called_as_its_machine() {
        assert_eq!(name_of("pi@Garage.example.net"), "garage-example-net");
        assert_eq!(name_of("gateway_2"), "gateway-2");
        assert_eq!(name_of("user@"), "");
    }

    #[test]
    fn a_machine_gets_one_word_for_each_argument() {
        let ssh = Ssh {
            machines: vec!["pi".into()],
            options: vec!["-p".into(), "2222".into()],
            program: None,
            folder: None,
            patience: None,
        };
        let command = ssh.at("pi", "echo \"$1\"", &["it's"]);
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
        let alive = words.iter().position(|word| word.starts_with("ServerAlive")).unwrap();
        assert_eq!(
            words[alive - 3..alive - 1],
            ["-p", "2222"],
            "of an option that is there twice the first counts"
        );
        assert_eq!(words[words.len() - 3..words.len() - 1], ["--", "pi"]);
        let line = words.last().unwrap();
        assert!(line.ends_with(" wiredyno 'echo \"$1\"' 'it'\\''s'"), "{line}");
    }

    #[test]
    fn a_record_names_no_other_folder_than_an_agents() {
        let ssh =
            Ssh { machines: vec!["pi".into()], options: vec![], program: None, folder: None, patience: None };
        let check = |machine: &str, folder: &str| {
            let (machine, folder) = (machine.to_owned(), Some(folder.to_owned()));
            let agent = Agent { machine, folder, state: State::Runs, unsure: None };
            Started { ssh: ssh.clone(), agents: vec![agent] }.check()
        };
        check("pi", "/tmp/wiredyno-agent.0a1b2c3d-pi").unwrap();
        check("-oProxyCommand=x", "/tmp/wiredyno-agent.0a1b2c3d-pi").unwrap_err();
        for folder in ["/home/pi", "/tmp/wiredyno-agent./../../home/pi", ""] {
            check("pi", folder).unwrap_err();
        }
    }

    #[test]
    fn what_a_file_does_not_say_is_not_believed_of_a_record() {
        let ssh = Ssh {
            machines: vec!["pi".into()],
            options: vec!["-p".into(), "2222".into()],
            program: None,
            folder: None,
            patience: None,
        };
        let started = Started { ssh: ssh.clone(), agents: Vec::new() };
        // Patience is that of the fleet while it stays.
        assert_eq!(started.differs(&Ssh { patience: Some(Span::from_s(5)), ..ssh.clone() }), None);
        let other = Ssh { options: vec!["-oProxyCommand=x".into()], ..ssh.clone() };
        let told = Started { ssh: other, agents: Vec::new() }.differs(&ssh).unwrap();
        assert!(told.starts_with("`options` is now [\"-p\", \"2222\"], and was [\"-oProxy"), "{told}");
        let below = Ssh { folder: Some("/home".into()), ..ssh.clone() };
        assert!(started.differs(&below).unwrap().contains("`folder`"));
        assert!(started.differs(&Ssh { machines: vec!["pi2".into()], ..ssh }).is_some());
    }

    #[test]
    fn only_a_connection_that_was_never_made_has_left_nothing() {
        let failed = |code: i32, said: &str| {
            // The code of an exit is in the second byte (wait(2)).
            let status = std::os::unix::process::ExitStatusExt::from_raw(code << 8);
            may_be_there(&FleetError::Failed { what: "ssh pi".into(), status, said: said.into() })
        };
        assert!(failed(255, ": Timeout, server 10.0.0.2 not responding.") && failed(255, ""));
        assert!(!failed(255, ": ssh: connect to host pi port 22: No route to host"));
        assert!(!failed(255, ": me@pi: Permission denied (publickey)."));
        assert!(!failed(1, ": mkdir: cannot create directory"));
        assert!(may_be_there(&FleetError::Interrupted));
    }

    #[test]
    fn any_login_shell_carries_a_script_out() {
        let ssh = Ssh { machines: vec![], options: vec![], program: None, folder: None, patience: None };
        let script = "set -eu\nif true; then\n  printf '%s|' 'a\\b!' \"$@\"\nfi\n";
        let command = ssh.at("pi", script, &["it's", &masked("x\ny")]);
        let line = command.get_args().last().unwrap().to_string_lossy().into_owned();
        let shells = ["sh", "bash", "csh", "tcsh", "fish"].into_iter();
        for shell in shells.filter(|shell| Command::new(shell).args(["-c", "true"]).output().is_ok()) {
            let output = Command::new(shell).args(["-c", &line]).output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert_eq!(said, "a\\b!|it's|x\\0012y|", "{shell}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

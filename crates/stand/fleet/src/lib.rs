//! Fleets: agents that are brought to machines, and taken away from them, by what manages these machines already: ssh, Slurm, Kubernetes, or people.
//!
//! Nothing here decides where an agent should run. An engine is given invitations, one for each agent, and starts `wiredyno agent` with one of them on each machine; from then
//! on the agents dial their coordinator. What an engine started is ended when its [`Up`] is dropped. If this process is killed before, agents end by
//! themselves, because nobody renews their leases.
//!
//! Invitations are secrets: they go over standard input, never over a command line or an environment.
//!
//! One file because each of its functions is one choice between the engines.

mod command;
pub mod image;
mod kubernetes;
mod list;
mod slurm;
mod ssh;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::{self, Read, Write};
use std::net::IpAddr;
use std::process::ExitStatus;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use wiredyno_contract::Span;

pub use self::kubernetes::Kubernetes;
pub use self::kubernetes::manifests;
pub use self::list::List;
pub use self::slurm::Slurm;
pub use self::ssh::Ssh;

/// How agents are started on machines, as a file of `wiredyno run --fleet` states it: `[fleet.ssh]`, `[fleet.slurm]`, `[fleet.kubernetes]` or `[fleet.list]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fleet {
    /// On the machines of the user's own ssh configuration.
    Ssh(Ssh),
    /// On the nodes of one job of Slurm.
    Slurm(Slurm),
    /// In the pods of one Job of Kubernetes.
    Kubernetes(Kubernetes),
    /// By somebody else, each with an invitation in a file.
    List(List),
}

/// How long agents try to reach their coordinator again, unless the file says otherwise.
const PATIENCE: Span = Span::from_s(60);

/// Eight letters and digits that nobody can guess: folders and jobs of this name are nobody else's.
fn drawn() -> Result<String, FleetError> {
    let mut bytes = [0; 4];
    let read = std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(|source| FleetError::Start { what: "/dev/urandom".to_owned(), source })?;
    Ok(format!("{:08x}", u32::from_ne_bytes(bytes)))
}

/// Why a fleet is not up.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// A command of the engine could not be started.
    #[error("{what}: it could not be started: {source}{}", if source.kind() == io::ErrorKind::NotFound { "; install it, or start the agents yourself (docs/AGENTS.md)" } else { "" })]
    Start {
        /// The command, as messages name it.
        what: String,
        /// What the system said.
        source: io::Error,
    },
    /// A command ended with a status other than success.
    #[error("{what}: {status}{said}")]
    Failed {
        /// The command, as messages name it.
        what: String,
        /// Its exit status or signal.
        status: ExitStatus,
        /// The end of what it said on standard error, with a leading separator; empty if it said nothing.
        said: String,
    },
    /// A command did not end within its limit, and was killed.
    #[error("{what}: it did not end within {} s{said}", limit.as_secs())]
    Slow {
        /// The command, as messages name it.
        what: String,
        /// How long the command may take.
        limit: Duration,
        /// The end of what it said on standard error, with a leading separator; empty if it said nothing.
        said: String,
    },
    /// A command succeeded, but gave an unexpected answer.
    #[error("{what}: {said}")]
    Answer {
        /// The command, as messages name it.
        what: String,
        /// What is wrong with its answer.
        said: String,
    },
    /// The file asks for something impossible.
    #[error("{0}")]
    Asked(String),
    /// The user interrupted it.
    #[error("interrupted")]
    Interrupted,
}

/// What has become of the agent of one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// It has not been started yet, for this reason.
    Waits(String),
    /// It was started, and has not ended as far as is known.
    Runs,
    /// It could not be started, or has ended, for this reason.
    Gone(String),
}

/// Where one agent is, or is to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The name with which the agent joins.
    pub agent: String,
    /// What has become of it.
    pub state: State,
    /// Why the engine could not be asked; the state is then the last that is known.
    #[serde(default)]
    pub unsure: Option<String>,
}

impl Place {
    fn new(agent: String, state: State) -> Self {
        Place { agent, state, unsure: None }
    }
}

/// What an engine has started.
trait Engine {
    /// Asks the engine what has become of the agents.
    fn look(&mut self) -> Vec<Place>;

    /// The addresses by which the others reach agents, where these are known to differ from those that agents dial from.
    fn addresses(&mut self) -> BTreeMap<String, IpAddr> {
        BTreeMap::new()
    }

    /// What another process needs to look after it.
    fn record(&self) -> Record;

    /// Ends them, removes their files from their machines, and returns when both are done, or can't be: what may be left, in words.
    fn end(&mut self) -> Vec<String>;
}

/// What another process needs to look after a fleet, or to take it down.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Record {
    /// Agents that were started over ssh.
    Ssh(ssh::Started),
    /// A job of Slurm.
    Slurm(slurm::Job),
    /// A Job of Kubernetes.
    Kubernetes(kubernetes::Job),
    /// Agents that were invited.
    List(list::Invited),
}

/// A running fleet. It is taken down on drop, unless it is [left](Self::leave): agents get a moment to end by themselves, are then asked to end, and finally killed.
pub struct Up {
    engine: Box<dyn Engine>,
    is_left: bool,
}

impl Fleet {
    /// The same with another patience of agents.
    pub fn with_patience(mut self, patience: Span) -> Self {
        match &mut self {
            Fleet::Ssh(of) => of.patience = Some(patience),
            Fleet::Slurm(of) => of.patience = Some(patience),
            Fleet::Kubernetes(of) => of.patience = Some(patience),
            Fleet::List(of) => of.patience = Some(patience),
        }
        self
    }

    /// What brings its agents to machines, as its section is called.
    pub fn engine(&self) -> &'static str {
        match self {
            Fleet::Ssh(_) => "ssh",
            Fleet::Slurm(_) => "slurm",
            Fleet::Kubernetes(_) => "kubernetes",
            Fleet::List(_) => "list",
        }
    }

    /// How many agents it has, at most.
    pub fn agents(&self) -> usize {
        match self {
            Fleet::Ssh(ssh) => ssh.machines.len(),
            Fleet::Slurm(slurm) => slurm.agents as usize,
            Fleet::Kubernetes(of) => of.agents as usize,
            Fleet::List(of) => of.agents.len(),
        }
    }

    /// The names with which its agents join, in the order in which they are given invitations.
    pub fn names(&self) -> Vec<String> {
        match self {
            Fleet::Ssh(ssh) => ssh.names(),
            Fleet::Slurm(slurm) => slurm.names(),
            Fleet::Kubernetes(of) => of.names(),
            Fleet::List(of) => of.agents.clone(),
        }
    }

    /// The key of its agents' label, if they have one that is known before they join.
    fn label(&self) -> Option<&'static str> {
        match self {
            Fleet::Ssh(_) | Fleet::List(_) => None,
            Fleet::Slurm(_) | Fleet::Kubernetes(_) => Some("node"),
        }
    }

    /// Whether an agent may have a label of this key.
    fn may_have(&self, key: &str) -> bool {
        // Who starts agents may give them any.
        matches!(self, Fleet::List(_)) || self.label() == Some(key)
    }

    /// How many agents it takes until each of these (names or labels `key=value`) is among them: agents are started in the order of their names.
    ///
    /// # Errors
    /// When one of them can never be.
    pub fn least(&self, wanted: &[&str]) -> Result<usize, FleetError> {
        let names = self.names();
        let place = |of: &&str| match (of.split_once('='), names.iter().position(|name| name == of)) {
            (_, Some(place)) => Ok(place + 1),
            (Some((key, _)), None) if self.may_have(key) => Ok(0),
            _ => Err(FleetError::Asked(format!(
                "[hosts]: no agent of the fleet is `{of}`; they are {}{}",
                names.join(", "),
                self.label().map(|key| format!(", each with a label {key}=...")).unwrap_or_default()
            ))),
        };
        let places = wanted.iter().map(place).collect::<Result<Vec<usize>, _>>()?;
        Ok(places.into_iter().fold(wanted.len(), usize::max))
    }

    /// Says what is wrong with the section of a file.
    ///
    /// # Errors
    /// When it names no machine, or the same agent twice.
    pub fn check(&self) -> Result<(), FleetError> {
        match self {
            Fleet::Ssh(ssh) => ssh.check(),
            Fleet::Slurm(slurm) => slurm.check(),
            Fleet::Kubernetes(of) => of.check(),
            Fleet::List(of) => of.check(),
        }
    }

    /// Says in what this section is not the one with which a fleet was brought up. What was left of a fleet may be somebody else's; the section is what the user has read.
    ///
    /// # Errors
    /// When something differs that commands about the fleet are made of.
    pub fn check_left(&self, record: &Record) -> Result<(), FleetError> {
        let differs = match (self, record) {
            (Fleet::Ssh(ssh), Record::Ssh(started)) => started.differs(ssh),
            (Fleet::Slurm(slurm), Record::Slurm(job)) => job.differs(slurm),
            (Fleet::Kubernetes(of), Record::Kubernetes(job)) => job.differs(of)?,
            (Fleet::List(of), Record::List(invited)) => invited.differs(of),
            _ => Some("the engine is another one".to_owned()),
        };
        differs.map_or(Ok(()), |what| {
            Err(FleetError::Asked(format!(
                "the file is not the one with which this fleet was brought up: {what}; write it as it was until the fleet is down"
            )))
        })
    }

    /// Starts an agent with each of the invitations, which are lines of text. At least `least` of them are needed: an engine may begin with fewer than
    /// there are invitations, but not with fewer than that. Agents that could not be started are reported by [`Up::look`].
    ///
    /// # Errors
    /// When none could be started, or `interrupted` returns true; nothing is left running then.
    pub fn up(
        &self,
        invitations: &[String],
        least: usize,
        interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<Up, FleetError> {
        self.check()?;
        let engine: Box<dyn Engine> = match self {
            Fleet::Ssh(ssh) => Box::new(ssh.up(invitations, interrupted)?),
            Fleet::Slurm(slurm) => Box::new(slurm.up(invitations, least, interrupted)?),
            Fleet::Kubernetes(of) => Box::new(of.up(invitations, interrupted)?),
            Fleet::List(of) => Box::new(of.up(invitations)?),
        };
        Ok(Up { engine, is_left: false })
    }
}

impl Up {
    /// The fleet that another process has left.
    ///
    /// # Errors
    /// When the record has what no fleet leaves.
    pub fn again(record: &Record) -> Result<Self, FleetError> {
        let engine: Box<dyn Engine> = match record.clone() {
            Record::Ssh(started) => started.check().map(|()| Box::new(started))?,
            Record::Slurm(job) => job.check().map(|()| Box::new(job))?,
            Record::Kubernetes(job) => job.check().map(|()| Box::new(job))?,
            Record::List(invited) => invited.check().map(|()| Box::new(invited))?,
        };
        Ok(Up { engine, is_left: false })
    }

    /// What another process needs of it.
    pub fn record(&self) -> Record {
        self.engine.record()
    }

    /// From now on it stays when this is dropped.
    pub fn leave(&mut self) {
        self.is_left = true;
    }

    /// Takes it down; returns what may be left of it, in words.
    pub fn end(mut self) -> Vec<String> {
        self.is_left = true;
        self.engine.end()
    }

    /// What has become of each agent. It takes as long as the engine takes to answer, up to seconds.
    pub fn look(&mut self) -> Vec<Place> {
        self.engine.look()
    }

    /// The addresses by which the others reach agents, by name, where these differ from those that agents dial from. It takes as long as [`Up::look`].
    pub fn addresses(&mut self) -> BTreeMap<String, IpAddr> {
        self.engine.addresses()
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        if !self.is_left {
            // There is nobody to return it to, and the user has to know.
            self.engine.end().iter().for_each(|left| warn(left));
        }
    }
}

/// Says something on standard error, as far as somebody reads it: whoever closes it keeps nothing from being removed.
fn warn(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Says in what the section of a file differs from what was brought up; nothing if both are equal.
fn differs(key: &str, (says, left): (&impl Debug, &impl Debug)) -> Option<String> {
    let (says, left) = (format!("{says:?}"), format!("{left:?}"));
    (says != left).then(|| format!("`{key}` is now {says}, and was {left} when the fleet was brought up"))
}

/// The program that agents are: this one.
fn own_program() -> Result<std::path::PathBuf, FleetError> {
    std::env::current_exe().map_err(|source| FleetError::Start { what: "wiredyno agent".to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct File {
        fleet: Fleet,
    }

    #[test]
    fn a_section_names_its_engine() {
        let of = |text: &str| {
            toml::from_str::<File>(text).map(|file| file.fleet).map_err(|error| error.to_string())
        };
        let ssh = of("[fleet.ssh]\nmachines = [\"pi@garage\", \"gateway\"]\n").unwrap();
        assert_eq!(ssh.agents(), 2);
        ssh.check().unwrap();
        let slurm =
            of("[fleet.slurm]\nagents = 3\npartition = \"main\"\ntime = \"30min\"\npatience = \"5min\"\n")
                .unwrap();
        assert!(
            matches!(&slurm, Fleet::Slurm(of) if of.agents == 3 && of.patience == Some(Span::from_s(300)))
        );
        let kubernetes =
            of("[fleet.kubernetes]\nagents = 3\nimage = \"wiredyno:1\"\nhost_network = true\n").unwrap();
        assert_eq!(kubernetes.names(), ["agent-0", "agent-1", "agent-2"]);
        kubernetes.check().unwrap();
        let no_image = of("[fleet.kubernetes]\nagents = 3\n").unwrap_err();
        assert!(no_image.contains("image"), "{no_image}");
        let unknown = of("[fleet.slurm]\nagents = 3\nqueue = \"main\"\n").unwrap_err();
        assert!(unknown.contains("line 3") && unknown.contains("queue"), "{unknown}");
        let engine = of("[fleet.nomad]\nagents = 3\n").unwrap_err();
        assert!(engine.contains("nomad") && engine.contains("ssh"), "{engine}");
    }

    #[test]
    fn a_host_waits_for_nobody_who_can_not_come() {
        let of = |text: &str| toml::from_str::<File>(text).unwrap().fleet;
        let slurm = of("[fleet.slurm]\nagents = 4\n");
        assert_eq!(slurm.least(&["node=n1", "node=n2"]).unwrap(), 2);
        // The third of them is needed, so there have to be three.
        assert_eq!(slurm.least(&["agent-2", "agent-0"]).unwrap(), 3);
        let refused = slurm.least(&["agent-4"]).unwrap_err().to_string();
        assert!(
            refused.contains("`agent-4`") && refused.contains("agent-3, each with a label node="),
            "{refused}"
        );
        let list = of("[fleet.list]\nagents = [\"vehicle\", \"gateway\"]\n");
        assert_eq!(list.least(&["gateway"]).unwrap(), 2);
        assert_eq!(list.least(&["site=garage", "site=roof"]).unwrap(), 2);
        assert!(list.least(&["edge"]).unwrap_err().to_string().contains("they are vehicle, gateway"));
        let ssh = of("[fleet.ssh]\nmachines = [\"pi@garage\"]\n");
        assert_eq!(ssh.least(&["garage"]).unwrap(), 1);
        assert!(ssh.least(&["site=garage"]).unwrap_err().to_string().contains("they are garage"));
    }

    #[test]
    fn what_can_not_be_is_refused() {
        let refused =
            |text: &str| toml::from_str::<File>(text).unwrap().fleet.check().unwrap_err().to_string();
        assert!(refused("[fleet.ssh]\nmachines = []\n").contains("machines is empty"));
        let twice = refused("[fleet.ssh]\nmachines = [\"pi@garage\", \"garage\"]\n");
        assert!(twice.contains("`garage`") && twice.contains("twice"), "{twice}");
        assert!(
            refused("[fleet.ssh]\nmachines = [\"-oProxyCommand=x\"]\n").contains("is not a machine's name")
        );
        assert!(refused("[fleet.slurm]\nagents = 0\n").contains("at least 1"));
        let token = refused("[fleet.kubernetes]\nagents = 1\nimage = \"i\"\noptions = [\"--token=abc\"]\n");
        assert!(
            token.contains("`--token`") && token.contains("kubeconfig") && !token.contains("abc"),
            "{token}"
        );
    }
}

//! `wiredyno run --agents FILE`: which hosts of a study are other machines.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow};
use serde::{Deserialize, Deserializer};
use wiredyno_agents::{Member, MemberState};
use wiredyno_contract::{LinkId, LoadKind, Span};
use wiredyno_fleet::{Fleet, Up};
use wiredyno_model::{Host, Study};
use wiredyno_running::run::RunAgents;
use wiredyno_seats::interrupt::Interrupt;

use crate::failure;

use super::fleet::word;
use super::standing::{Hold, Standing};

/// Which hosts are agents, as a file says.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentsFile {
    /// Where the coordinator listens, over TCP and UDP.
    #[serde(default = "AgentsFile::listen")]
    pub(super) listen: SocketAddr,
    /// The name or address under which agents reach this machine.
    pub(super) host: Option<String>,
    /// The folder for invitations.
    #[serde(default = "AgentsFile::invitations")]
    pub(super) invitations: PathBuf,
    /// How long to wait for agents before the run.
    #[serde(default = "AgentsFile::within")]
    pub(super) within: Span,
    /// How long a trial waits for one that is cut off; after three such trials in a row the run ends.
    #[serde(default = "AgentsFile::patience")]
    pub(super) patience: Span,
    /// The agents by host: names, or labels `key=value`. A host that is left out is this machine; publishers are divided among several.
    #[serde(deserialize_with = "one_or_more")]
    pub(super) hosts: BTreeMap<Host, Vec<String>>,
    /// The address at which others reach a host, where that is not the one that it dials from.
    #[serde(default)]
    pub(super) addresses: BTreeMap<Host, IpAddr>,
    /// How agents are started on their machines; otherwise people start them.
    pub(super) fleet: Option<Fleet>,
    /// The fleet that is up for this file, if one is.
    #[serde(skip)]
    pub(super) standing: Option<Standing>,
    /// Its own path.
    #[serde(skip)]
    path: PathBuf,
}

/// One text, or a list of them, by host.
fn one_or_more<'de, D: Deserializer<'de>>(input: D) -> Result<BTreeMap<Host, Vec<String>>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected the name or a label of an agent in quotes, or a list of them")]
    enum Written {
        One(String),
        More(Vec<String>),
    }
    let all = BTreeMap::<Host, Written>::deserialize(input)?;
    let list = |written| match written {
        Written::One(one) => vec![one],
        Written::More(all) => all,
    };
    Ok(all.into_iter().map(|(host, written)| (host, list(written))).collect())
}

impl AgentsFile {
    fn listen() -> SocketAddr {
        SocketAddr::from(([0, 0, 0, 0], 7411))
    }

    fn invitations() -> PathBuf {
        PathBuf::from("invited")
    }

    fn within() -> Span {
        Span::from_s(600)
    }

    fn patience() -> Span {
        Span::from_s(20)
    }

    /// The hosts, before any agent has joined.
    pub fn planned(&self) -> RunAgents {
        let hosts = self.hosts.iter().map(|(host, agents)| (*host, agents.len())).collect();
        RunAgents { hosts, away: None, machines: Vec::new() }
    }

    /// The file that --agents or --fleet names, if one does.
    pub fn named(agents: Option<&Path>, fleet: Option<&Path>) -> anyhow::Result<Option<Self>> {
        let Some(mut file) = Self::written(agents, fleet)? else { return Ok(None) };
        if let Some(path) = fleet {
            let stands = || -> anyhow::Result<Option<Standing>> {
                let standing = Standing::read(path)?;
                file.check_standing(standing.as_ref())?;
                Ok(standing)
            };
            file.standing = stands().with_context(|| path.display().to_string()).map_err(failure::wrong)?;
        }
        Ok(Some(file))
    }

    /// The same, as it is written: whether a fleet is up for it is not looked at.
    pub fn written(agents: Option<&Path>, fleet: Option<&Path>) -> anyhow::Result<Option<Self>> {
        let Some(path) = agents.or(fleet) else { return Ok(None) };
        let read = || {
            let text = std::fs::read_to_string(path)
                .context("expected the file that says which host is which agent")?;
            let mut file = Self::parse(&text)?;
            path.clone_into(&mut file.path);
            match (&file.fleet, fleet) {
                (None, Some(_)) => Err(anyhow!(
                    "[fleet.ssh], [fleet.slurm], [fleet.kubernetes] or [fleet.list] says how --fleet brings agents to machines, and none is there; without one, write --agents"
                )),
                (Some(_), None) => Err(anyhow!("[fleet] brings agents to machines only with --fleet FILE")),
                _ => Ok(file),
            }
        };
        read().with_context(|| path.display().to_string()).map(Some).map_err(failure::wrong)
    }

    /// What a fleet has left is carried out on machines: only what this file says too, which its user has read, is believed of it.
    fn check_standing(&self, standing: Option<&Standing>) -> anyhow::Result<()> {
        match (&self.fleet, standing) {
            (Some(fleet), Some(standing)) => fleet
                .check_left(standing.engine())
                .with_context(|| format!("{} is not used", Standing::path(&self.path).display())),
            _ => Ok(()),
        }
    }

    /// The fleet that is up for this file, held. Waits for a command that has it, for so long at most, or until the user interrupts that.
    ///
    /// # Errors
    /// When it can't be read, or is not what this file says.
    pub fn hold(&self, patience: Duration, interrupt: &Interrupt) -> anyhow::Result<Hold> {
        let hold = Standing::hold(&self.path, patience, interrupt)?;
        if let Hold::Held(standing, _) = &hold {
            self.check_standing(Some(standing))?;
        }
        Ok(hold)
    }

    /// The fleet that is up for it, if one is, which it then no longer has.
    pub fn take_standing(&mut self) -> Option<Standing> {
        self.standing.take()
    }

    /// Its own path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a fleet is up for this file.
    pub fn is_up(&self) -> bool {
        self.standing.is_some()
    }

    /// What brings agents to machines, and their names; nobody and those of hosts if people start them.
    pub fn agents(&self) -> (&'static str, Vec<String>) {
        match &self.fleet {
            Some(fleet) => (fleet.engine(), fleet.names()),
            None => ("nobody", self.wanted().into_iter().map(str::to_owned).collect()),
        }
    }

    /// The agents of hosts, by name or label.
    pub fn hosts(&self) -> &BTreeMap<Host, Vec<String>> {
        &self.hosts
    }

    /// The same, one by one.
    pub(super) fn places(&self) -> impl Iterator<Item = (Host, &str)> {
        self.hosts.iter().flat_map(|(host, agents)| agents.iter().map(|agent| (*host, agent.as_str())))
    }

    /// Whether it says at which port the coordinator listens.
    pub fn has_port(&self) -> bool {
        self.listen.port() != 0
    }

    /// The names or labels of the agents that hosts are to be.
    pub(super) fn wanted(&self) -> Vec<&str> {
        self.places().map(|(_, agent)| agent).collect()
    }

    /// What a run waits for before its trials, in words.
    pub fn waited_for(&self) -> String {
        format!("waiting for the agents {}", self.wanted().join(" and "))
    }

    /// How many agents are invited.
    pub(super) fn invited(&self) -> usize {
        self.fleet.as_ref().map_or(self.wanted().len(), Fleet::agents)
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let file: AgentsFile = toml::from_str(text)?;
        if file.hosts.values().any(Vec::is_empty) || file.hosts.is_empty() {
            return Err(anyhow!("[hosts] names no agent: write edge or cloud, with the name of its agent"));
        }
        let mut named = BTreeSet::new();
        // Several agents may have one label.
        if let Some((_, twice)) =
            file.places().find(|(_, agent)| !agent.contains('=') && !named.insert(*agent))
        {
            return Err(anyhow!(
                "[hosts]: `{twice}` is named twice, and each place needs an agent of its own"
            ));
        }
        if let Some(fleet) = &file.fleet {
            fleet.check()?;
            fleet.least(&file.wanted())?;
        }
        if let Some((host, _)) = file
            .addresses
            .iter()
            .find(|(host, _)| file.hosts.get(host).is_some_and(|agents| agents.len() > 1))
        {
            return Err(anyhow!(
                "[addresses]: `{}` is several agents, and nothing connects to them",
                word(*host)
            ));
        }
        let places = file.wanted().len();
        if file.invited() < places {
            return Err(anyhow!(
                "[hosts] has {places}, and the fleet {} agent(s): each place needs an agent of its own",
                file.invited()
            ));
        }
        Ok(file)
    }

    /// For each place, the agent that is connected and takes it. A name is that agent's; a label that of any other that has it.
    fn taken(&self, members: &[Member]) -> Vec<Option<String>> {
        let present = || members.iter().filter(|member| member.state == MemberState::Present);
        let named = |wanted: &str| present().find(|of| of.name == wanted).map(|of| of.name.clone());
        let mut taken: Vec<Option<String>> = self.places().map(|(_, wanted)| named(wanted)).collect();
        for (place, (_, wanted)) in self.places().enumerate() {
            let Some((key, value)) = wanted.split_once('=') else { continue };
            let is_it = |of: &&Member| {
                of.labels.get(key).is_some_and(|label| label == value)
                    && !taken.iter().flatten().any(|name| *name == of.name)
            };
            taken[place] = present().find(is_it).map(|of| of.name.clone());
        }
        taken
    }

    /// The agents of all hosts, once all are connected.
    pub(super) fn there(&self, members: &[Member]) -> Option<BTreeMap<Host, Vec<String>>> {
        let mut there: BTreeMap<Host, Vec<String>> = BTreeMap::new();
        for ((host, _), agent) in self.places().zip(self.taken(members)) {
            there.entry(host).or_default().push(agent?);
        }
        Some(there)
    }

    /// The names or labels of the places that nobody takes.
    fn free(&self, members: &[Member]) -> Vec<&str> {
        let free = self.places().zip(self.taken(members)).filter(|(_, agent)| agent.is_none());
        free.map(|((_, wanted), _)| wanted).collect()
    }

    /// The setting that divides the publishers of a study among the agents of their host, one runner on each, unless the study has several runners. Subscribers
    /// need none.
    pub fn dividing(&self, study: &Study) -> anyhow::Result<Option<String>> {
        let host = study.hosts.publisher;
        let Some(agents) = self.hosts.get(&host).filter(|agents| agents.len() > 1) else {
            return Ok(None);
        };
        let Some(load) = &study.load else { return Ok(None) };
        if load.kind == LoadKind::Closed {
            let one = anyhow!(
                "{}: in a closed loop one runner publishes: name one agent for `{}` in [hosts]",
                self.path.display(),
                word(host)
            );
            return Err(failure::wrong(one));
        }
        Ok((load.publisher_runners == 1).then(|| format!("load.publisher_runners={}", agents.len())))
    }

    /// The addresses at which others reach hosts: as the file says, else as the engine does that has brought the agents. Nothing connects to one of several.
    pub(super) fn addresses_of(
        &self,
        agents: &BTreeMap<Host, Vec<String>>,
        up: Option<&mut Up>,
    ) -> BTreeMap<Host, IpAddr> {
        let known = up.map(Up::addresses).unwrap_or_default();
        let of = |(host, names): (&Host, &Vec<String>)| match &names[..] {
            [only] => Some((*host, *known.get(only)?)),
            _ => None,
        };
        let mut addresses: BTreeMap<Host, IpAddr> = agents.iter().filter_map(of).collect();
        addresses.extend(&self.addresses);
        addresses
    }

    /// Why no place can get another agent than it has, although some have none: all of the fleet are connected.
    pub(super) fn in_vain(&self, members: &[Member]) -> Option<String> {
        let present = || members.iter().filter(|member| member.state == MemberState::Present);
        let lacking = self.free(members);
        if lacking.is_empty() || present().count() < self.invited() {
            return None;
        }
        let labelled = |member: &Member| {
            let labels: Vec<String> =
                member.labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
            format!("{} ({})", member.name, labels.join(", "))
        };
        let all: Vec<String> = present().map(labelled).collect();
        Some(format!(
            "all agents of the fleet have joined, and [hosts] asks for another one, `{}`: they are {}",
            lacking.join("`, `"),
            all.join(", ")
        ))
    }

    /// The names or labels of the agents that are not connected, in words.
    pub(super) fn absent(&self, members: &[Member]) -> String {
        self.free(members).into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    }

    /// Why not all agents joined in time.
    pub(super) fn lacking(&self, members: &[Member]) -> String {
        let there: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
        let there = if there.is_empty() {
            "none has joined".to_owned()
        } else {
            format!("joined: {}", there.join(", "))
        };
        format!(
            "no agent {} joined within {} ({there}); {}",
            self.absent(members),
            self.within,
            match self.fleet {
                None => "start it with --name or --label as the file says",
                Some(_) => "do the machines reach this one at the port on which it listens?",
            }
        )
    }
}

/// Machines talk over the network between them, whatever links the study has.
pub fn over_the_real_network(study: &mut Study) {
    study.axes.link = LinkId::REAL.parse().into_iter().collect();
    study.axes.loss = Vec::new();
    study.without_link = None;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fleet_has_an_agent_for_each_host() {
        let of = |text: &str| {
            AgentsFile::parse(&format!("[hosts]\nedge = \"agent-0\"\ncloud = \"agent-1\"\n{text}"))
        };
        let file = of("[fleet.slurm]\nagents = 3\n").unwrap();
        assert_eq!((file.invited(), file.hosts.len()), (3, 2));
        let few = of("[fleet.slurm]\nagents = 1\n").unwrap_err().to_string();
        assert!(few.contains("no agent of the fleet is `agent-1`"), "{few}");
        let none = of("[fleet.slurm]\nagents = 0\n").unwrap_err().to_string();
        assert!(none.contains("at least 1"), "{none}");
    }

    fn wrong(text: &str) -> String {
        format!("{:#}", AgentsFile::parse(text).unwrap_err())
    }

    #[test]
    fn a_file_names_an_agent_for_each_host_that_is_not_here() {
        let file = AgentsFile::parse("[hosts]\nedge = \"vehicle\"\n").unwrap();
        assert_eq!(file.hosts[&Host::Edge], ["vehicle"]);
        assert_eq!(
            (file.listen.port(), file.invitations.display().to_string()),
            (7411, "invited".to_owned())
        );
        let text = "listen = \"127.0.0.1:0\"\nwithin = \"30s\"\n[hosts]\nedge = \"site=garage\"\ncloud = \"dc\"\n[addresses]\nedge = \"10.0.0.7\"\n";
        let file = AgentsFile::parse(text).unwrap();
        assert_eq!((file.within, file.addresses.len()), (Span::from_s(30), 1));
        assert!(wrong("[hosts]\n").contains("names no agent"));
        assert!(wrong("[hosts]\nedge = []\n").contains("names no agent"));
        assert!(wrong("[hosts]\nedge = \"a\"\ncloud = \"a\"\n").contains("an agent of its own"));
        assert!(wrong("[hosts]\nedge = [\"a\", \"b\", \"a\"]\n").contains("`a` is named twice"));
        assert!(wrong("[hosts]\nedge = 3\n").contains("or a list of them"));
        let unknown = wrong("[hosts]\nedge = \"a\"\nfog = \"b\"\n");
        assert!(unknown.contains("line 3") && unknown.contains("fog"), "{unknown}");
        assert!(wrong("[hosts]\nedge = \"a\"\n[adresses]\n").contains("adresses"));
    }
}

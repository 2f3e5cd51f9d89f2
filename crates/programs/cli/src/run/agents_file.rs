//! `wiredyno run --agents FILE`: which hosts of a study are other machines.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use serde::Deserialize;
use wiredyno_agents::{Coordinator, Hosts, Member, MemberState};
use wiredyno_answers::quantity::quantity;
use wiredyno_contract::{LinkId, Span};
use wiredyno_fleet::{Fleet, FleetError, Up};
use wiredyno_model::{Host, Study};
use wiredyno_running::run::RunAgents;
use wiredyno_seats::interrupt::Interrupt;

use crate::agents::{Inviting, tell, watch};
use crate::failure;

use super::fleet::Looking;

/// The longest wait for the first exchanges with the clocks of all agents.
const CLOCKS: Duration = Duration::from_secs(10);

/// How long clocks are measured before a run: the bound rests on the shortest of some twenty round trips.
const LOOKED_AT: Duration = Duration::from_secs(2);

/// Which hosts are agents, as a file says.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentsFile {
    /// Where the coordinator listens, over TCP and UDP.
    #[serde(default = "AgentsFile::listen")]
    listen: SocketAddr,
    /// The name or address under which agents reach this machine.
    host: Option<String>,
    /// The folder for invitations.
    #[serde(default = "AgentsFile::invitations")]
    invitations: PathBuf,
    /// How long to wait for agents before the run.
    #[serde(default = "AgentsFile::within")]
    within: Span,
    /// How long a trial waits for one that is cut off; after three such trials in a row the run ends.
    #[serde(default = "AgentsFile::patience")]
    patience: Span,
    /// The agents by host: a name, or a label `key=value`. A host that is left out is this machine.
    hosts: BTreeMap<Host, String>,
    /// The address at which others reach a host, where that is not the one that it dials from.
    #[serde(default)]
    addresses: BTreeMap<Host, IpAddr>,
    /// How agents are started on their machines; otherwise people start them.
    fleet: Option<Fleet>,
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
        RunAgents { hosts: self.hosts.keys().copied().collect(), away: None, machines: Vec::new() }
    }

    /// The file that --agents or --fleet names, if one does.
    pub fn named(agents: Option<&Path>, fleet: Option<&Path>) -> anyhow::Result<Option<Self>> {
        let Some(path) = agents.or(fleet) else { return Ok(None) };
        let read = || {
            let text = std::fs::read_to_string(path)
                .context("expected the file that says which host is which agent")?;
            let file = Self::parse(&text)?;
            match (&file.fleet, fleet) {
                (None, Some(_)) => Err(anyhow!(
                    "[fleet.ssh], [fleet.slurm] or [fleet.kubernetes] says how --fleet brings agents to machines, and none is there; without one, write --agents"
                )),
                (Some(_), None) => Err(anyhow!("[fleet] brings agents to machines only with --fleet FILE")),
                _ => Ok(file),
            }
        };
        read().with_context(|| path.display().to_string()).map(Some).map_err(failure::wrong)
    }

    /// The names or labels of the agents that hosts are to be.
    fn wanted(&self) -> Vec<&str> {
        self.hosts.values().map(String::as_str).collect()
    }

    /// How many agents are invited.
    fn invited(&self) -> usize {
        self.fleet.as_ref().map_or(self.hosts.len(), Fleet::agents)
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let file: AgentsFile = toml::from_str(text)?;
        if file.hosts.is_empty() {
            return Err(anyhow!("[hosts] names no agent: write edge or cloud, with the name of its agent"));
        }
        let named: BTreeSet<&String> = file.hosts.values().collect();
        if named.len() < file.hosts.len() {
            return Err(anyhow!("[hosts]: each host needs an agent of its own"));
        }
        if let Some(fleet) = &file.fleet {
            fleet.check()?;
            fleet.least(&file.wanted())?;
        }
        if file.invited() < file.hosts.len() {
            return Err(anyhow!(
                "[hosts] has {}, and the fleet {} agent(s): each host needs an agent of its own",
                file.hosts.len(),
                file.invited()
            ));
        }
        Ok(file)
    }

    /// The agents of those hosts whose agent is connected. A name is that agent's; a label that of any other that has it.
    fn there(&self, members: &[Member]) -> BTreeMap<Host, String> {
        let mut taken: BTreeMap<Host, String> = BTreeMap::new();
        let present = || members.iter().filter(|member| member.state == MemberState::Present);
        for (host, wanted) in &self.hosts {
            taken.extend(present().find(|of| of.name == *wanted).map(|of| (*host, of.name.clone())));
        }
        for (host, wanted) in &self.hosts {
            let Some((key, value)) = wanted.split_once('=') else { continue };
            let is_it = |of: &&Member| {
                of.labels.get(key).is_some_and(|label| label == value)
                    && !taken.values().any(|name| *name == of.name)
            };
            let found = present().find(is_it).map(|of| (*host, of.name.clone()));
            taken.extend(found);
        }
        taken
    }

    /// The addresses at which others reach hosts: as the file says, else as the engine does that has brought the agents.
    fn addresses_of(&self, agents: &BTreeMap<Host, String>, up: Option<&mut Up>) -> BTreeMap<Host, IpAddr> {
        let known = up.map(Up::addresses).unwrap_or_default();
        let of = |(host, name): (&Host, &String)| Some((*host, *known.get(name)?));
        let mut addresses: BTreeMap<Host, IpAddr> = agents.iter().filter_map(of).collect();
        addresses.extend(&self.addresses);
        addresses
    }

    /// Why not all agents joined in time.
    fn lacking(&self, members: &[Member]) -> String {
        let taken = self.there(members);
        let lacking = self.hosts.iter().filter(|(host, _)| !taken.contains_key(host));
        let lacking: Vec<String> = lacking.map(|(_, name)| format!("`{name}`")).collect();
        let there: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
        let there = if there.is_empty() {
            "none has joined".to_owned()
        } else {
            format!("joined: {}", there.join(", "))
        };
        format!(
            "no agent {} joined within {} ({there}); {}",
            lacking.join(", "),
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

/// The agents that a file names, once all have joined; `None` if the user interrupts the wait. A fleet that was started for it is put into `up`.
pub fn met(
    file: &AgentsFile,
    interrupt: &Interrupt,
    up: &mut Option<Up>,
) -> anyhow::Result<Option<RunAgents>> {
    let coordinator = Coordinator::listen(file.listen, env!("CARGO_PKG_VERSION"))?;
    if !invited(file, &coordinator, interrupt, up)? {
        return Ok(None);
    }
    let Some(agents) = all_there(file, &coordinator, interrupt, up.as_mut())? else { return Ok(None) };
    let members = coordinator.members();
    let is_other = |of: &&Member| {
        agents.values().any(|name| *name == of.name) && of.architecture != std::env::consts::ARCH
    };
    if let Some(of) = members.iter().find(is_other) {
        return Err(anyhow!(
            "{} is {}, and this machine {}: runners are sent as they are compiled here; start the run on a machine like {0}",
            of.name,
            of.architecture,
            std::env::consts::ARCH
        ));
    }
    let addresses = file.addresses_of(&agents, up.as_mut());
    let hosts_there = Hosts::new(coordinator, agents, addresses, Duration::from_nanos(file.patience.ns));
    if !clocks_known(&hosts_there, interrupt)? {
        return Ok(None);
    }
    let machines = hosts_there.machines();
    if let Some(of) = machines.iter().find(|of| of.address.contains(':')) {
        return Err(anyhow!(
            "{} is reached at {}, and messages go over IPv4 here: write its IPv4 address in [addresses]",
            of.name,
            of.address
        ));
    }
    Ok(Some(RunAgents { away: Some(Arc::new(hosts_there)), machines, ..file.planned() }))
}

/// Invites agents; a fleet is started with the invitations, others are written to files. False if the user interrupts that.
fn invited(
    file: &AgentsFile,
    coordinator: &Coordinator,
    interrupt: &Interrupt,
    up: &mut Option<Up>,
) -> anyhow::Result<bool> {
    let inviting = Inviting {
        host: file.host.clone(),
        invitations: Some(file.invitations.clone()),
        within: file.within,
    };
    let invited = u32::try_from(file.invited()).unwrap_or(u32::MAX);
    let Some(fleet) = &file.fleet else {
        inviting.invite(coordinator, invited)?;
        return Ok(true);
    };
    let lines = inviting.lines(coordinator, invited)?;
    let address = coordinator.address();
    tell(&format!("listening at {address}; starting {invited} agent(s) on their machines"));
    match fleet.up(&lines, fleet.least(&file.wanted())?, &|| interrupt.is_set()) {
        Err(FleetError::Interrupted) => Ok(false),
        brought => {
            *up = Some(brought.context("no agent could be started on a machine")?);
            Ok(true)
        }
    }
}

/// Waits until each host has its agent; `None` if the user interrupts the wait.
fn all_there(
    file: &AgentsFile,
    coordinator: &Coordinator,
    interrupt: &Interrupt,
    mut up: Option<&mut Up>,
) -> anyhow::Result<Option<BTreeMap<Host, String>>> {
    let mut looking = Looking::new();
    let (until, mut known) = (Instant::now() + Duration::from_nanos(file.within.ns), Vec::new());
    loop {
        let there = file.there(&coordinator.members());
        if there.len() == file.hosts.len() {
            return Ok(Some(there));
        }
        if interrupt.is_set() {
            return Ok(None);
        }
        if Instant::now() >= until {
            return Err(anyhow!(file.lacking(&coordinator.members())));
        }
        if let Some(up) = up.as_deref_mut()
            && let Some(why) = looking.in_vain(up, &file.hosts, &coordinator.members())
        {
            return Err(anyhow!(why));
        }
        let soon = until.min(Instant::now() + Duration::from_millis(500));
        watch(coordinator, &mut known, interrupt, soon, None);
    }
}

/// Measures the clocks until something is known of each, and reports it. False if the user interrupts that.
fn clocks_known(hosts: &Hosts, interrupt: &Interrupt) -> anyhow::Result<bool> {
    let begun = Instant::now();
    loop {
        std::thread::sleep(Duration::from_millis(100));
        if interrupt.is_set() {
            return Ok(false);
        }
        if begun.elapsed() < LOOKED_AT {
            continue;
        }
        let now_ns = wiredyno_seats::machine::monotonic_ns();
        let line = |name: &String| hosts.coordinator().line(name, now_ns - 1_000_000_000, now_ns);
        let lines: Result<Vec<_>, _> = hosts.agents().values().map(line).collect();
        match lines {
            Ok(lines) => {
                for (name, line) in hosts.agents().values().zip(lines) {
                    let bound = quantity(line.bound_ns as f64, "ns");
                    tell(&match line.bound_ns {
                        0 => format!("the clock of {name} is this machine's"),
                        _ => format!("the clock of {name} is known within {bound}, either way"),
                    });
                }
                return Ok(true);
            }
            Err(error) if begun.elapsed() >= CLOCKS => return Err(error.into()),
            Err(_) => {}
        }
    }
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
        assert_eq!(file.hosts[&Host::Edge], "vehicle");
        assert_eq!(
            (file.listen.port(), file.invitations.display().to_string()),
            (7411, "invited".to_owned())
        );
        let text = "listen = \"127.0.0.1:0\"\nwithin = \"30s\"\n[hosts]\nedge = \"site=garage\"\ncloud = \"dc\"\n[addresses]\nedge = \"10.0.0.7\"\n";
        let file = AgentsFile::parse(text).unwrap();
        assert_eq!((file.within, file.addresses.len()), (Span::from_s(30), 1));
        assert!(wrong("[hosts]\n").contains("names no agent"));
        assert!(wrong("[hosts]\nedge = \"a\"\ncloud = \"a\"\n").contains("an agent of its own"));
        let unknown = wrong("[hosts]\nedge = \"a\"\nfog = \"b\"\n");
        assert!(unknown.contains("line 3") && unknown.contains("fog"), "{unknown}");
        assert!(wrong("[hosts]\nedge = \"a\"\n[adresses]\n").contains("adresses"));
    }
}

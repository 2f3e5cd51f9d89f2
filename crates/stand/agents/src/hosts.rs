//! The hosts of a study on agents: what a run needs of other machines.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::{IpAddr, SocketAddrV4};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wiredyno_brokers::Secured;
use wiredyno_link::spec::Direction;
use wiredyno_link::tap::TapTerms;
use wiredyno_model::Host;
use wiredyno_model::summary::AgentMachine;
use wiredyno_process::scratch::Scratch;
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::managed::Managed;
use wiredyno_seats::runner_error::RunnerError;
use wiredyno_seats::seat::away::Away;
use wiredyno_seats::seat::clock::{Moment, SeatClock};
use wiredyno_seats::seat::tap::{Tapping, Taps};
use wiredyno_seats::seat::{BrokerSeat, RunnerSeat, SeatFile, process};
use wiredyno_seats::server_error::ServerError;

use crate::clockwork::ClockView;
use crate::coordinator::{Coordinator, Member};
use crate::known::{Known, OfTrial};
use crate::opened::Opened;
use crate::role::broker::AgentBroker;
use crate::role::gate::{Goal, Origin, Relayed, Sink, Source};
use crate::role::line::{Connection, Keeper};
use crate::role::seat::AgentSeat;
use crate::role::tap::{OneTap, TapsOfTrial};
use crate::role::{Deed, Outcome};

/// The longest wait for an exchange after the end of a trial, so that its end lies between two.
const SETTLING: Duration = Duration::from_secs(1);

/// How long a request to a role takes on both machines, its clock included: far more than on any that is not overloaded.
const DEED: Duration = Duration::from_millis(10);

/// The most sentences for the notes of a run.
const MOST_NOTES: usize = 20;

/// The most time that is added before the first message.
const MOST_LEAD: Duration = Duration::from_secs(5);

/// Where the hosts of a study are.
pub struct Hosts {
    known: Arc<Known>,
    /// The agents by host, at least one each; a host that is missing is this machine. Only publishers and subscribers are on a host of several.
    agents: BTreeMap<Host, Vec<String>>,
    /// The address at which others reach a host, where one was given.
    addresses: BTreeMap<Host, IpAddr>,
    /// How long a trial waits for an agent that is cut off.
    patience: Duration,
}

impl Hosts {
    /// Hosts on agents of a coordinator, by name; publishers and subscribers of one with several are divided among them. A host without any is this machine. A trial waits for an agent that is cut off, for as long as its
    /// patience.
    pub fn new(
        coordinator: Coordinator,
        agents: BTreeMap<Host, Vec<String>>,
        addresses: BTreeMap<Host, IpAddr>,
        patience: Duration,
    ) -> Self {
        Hosts { known: Arc::new(Known::new(coordinator)), agents, addresses, patience }
    }

    /// The names of the agents, host by host.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.agents.values().flatten()
    }

    /// The coordinator, to see which agents are connected.
    pub fn coordinator(&self) -> &Coordinator {
        &self.known.coordinator
    }

    /// What a run records of the machines.
    pub fn machines(&self) -> Vec<AgentMachine> {
        let members = self.known.coordinator.members();
        let of = |(host, name): (Host, &String)| {
            let member = members.iter().find(|member| member.name == *name)?;
            Some(AgentMachine {
                name: name.clone(),
                host,
                address: self
                    .address_of(host, name)
                    .map_or_else(|_| "unknown".to_owned(), |address| address.to_string()),
                environment: member.environment.clone()?,
            })
        };
        let all = self.agents.iter().flat_map(|(host, names)| names.iter().map(|name| (*host, name)));
        all.filter_map(of).collect()
    }

    /// Waits for a limited time until an agent is connected.
    fn await_back(&self, agent: &str, interrupt: &Interrupt) -> Result<(), String> {
        let (until, mut version) = (Instant::now() + self.patience, 0);
        loop {
            let Some(why) = self.known.away(agent) else { return Ok(()) };
            if interrupt.is_set() {
                return Err("interrupted".to_owned());
            }
            if Instant::now() >= until {
                return Err(format!("the agent has been disconnected for {:.0?}: {why}", self.patience));
            }
            version = self.known.coordinator.wait(version, Duration::from_millis(100));
        }
    }

    /// The connection of a new role of an agent, which takes part in the trial, with the numbers of its session and of the role.
    fn opened(&self, agent: &str, interrupt: &Interrupt) -> Result<([u64; 2], Connection), String> {
        self.await_back(agent, interrupt)?;
        let (numbers, connection) = self.known.coordinator.open(agent, &|| !interrupt.is_set())?;
        self.known.uses(agent, numbers[0]);
        Ok((numbers, connection))
    }

    /// The agent of a host whose turn it is.
    fn agent_of(&self, host: Host, number: u32) -> Option<&str> {
        let names = self.agents.get(&host)?;
        names.get(number as usize % names.len().max(1)).map(String::as_str)
    }

    /// The address at which others reach an agent of a host.
    fn address_of(&self, host: Host, agent: &str) -> io::Result<IpAddr> {
        if let Some(address) = self.addresses.get(&host) {
            return Ok(*address);
        }
        let presence = self.known.coordinator.presence_of(agent).map_err(io::Error::other)?;
        presence.address.ok_or_else(|| not_connected(agent))
    }

    /// The address at which agents reach this machine.
    fn ours(&self) -> io::Result<IpAddr> {
        let reaches_us = |agent: &String| {
            let presence = self.known.coordinator.presence_of(agent).map_err(io::Error::other)?;
            presence.reaches_us_at.ok_or_else(|| not_connected(agent))
        };
        let all = self.names().map(reaches_us).collect::<io::Result<BTreeSet<IpAddr>>>()?;
        match all.into_iter().collect::<Vec<_>>()[..] {
            [only] => Ok(only),
            [one, other, ..] => Err(io::Error::other(format!(
                "agents reach this machine at {one} and at {other}: write one of them that all reach in [addresses]"
            ))),
            [] => Err(here()),
        }
    }
}

fn not_connected(agent: &str) -> io::Error {
    io::Error::other(format!("the address of {agent} is not known: it is not connected"))
}

/// Asked of a host without an agent.
fn here() -> io::Error {
    io::Error::other("that host is this machine; please report this")
}

fn unexpected(agent: &str) -> io::Error {
    io::Error::other(format!("{agent} gave an unexpected answer; please report this"))
}

impl Away for Hosts {
    fn has(&self, host: Host) -> bool {
        self.agents.contains_key(&host)
    }

    fn machines(&self, host: Host) -> u32 {
        self.agents.get(&host).map_or(1, |names| names.len() as u32)
    }

    fn seat(
        &self,
        role: &'static str,
        (host, number): (Host, u32),
        command: &Command,
        interrupt: &Interrupt,
    ) -> Result<Box<dyn RunnerSeat>, RunnerError> {
        let away =
            |agent: &str, problem: String| RunnerError::Away { role, agent: agent.to_owned(), problem };
        let agent = self.agent_of(host, number).ok_or_else(|| away("this machine", here().to_string()))?;
        let opened = self.opened(agent, interrupt);
        let (numbers, connection) = opened.map_err(|problem| match interrupt.is_set() {
            true => RunnerError::Interrupted,
            false => away(agent, problem),
        })?;
        self.known.of_trial().timed.insert(agent.to_owned());
        let keeper: Arc<dyn Keeper> = self.known.clone();
        Ok(Box::new(AgentSeat::start(role, (agent, numbers), connection, command, (keeper, interrupt))?))
    }

    fn broker(
        &self,
        host: Host,
        managed: &Managed,
        at: (&str, Secured<'_>),
        interrupt: &Interrupt,
    ) -> Result<Box<dyn BrokerSeat>, ServerError> {
        let agent = self.agent_of(host, 0).ok_or_else(|| ServerError::Place(here()))?;
        let away = |problem: String| match interrupt.is_set() {
            true => RunnerError::Interrupted.into(),
            false => {
                let (broker, agent) = (managed.folder.broker.id.clone(), agent.to_owned());
                ServerError::Away { broker, agent, problem }
            }
        };
        let (numbers, connection) = self.opened(agent, interrupt).map_err(away)?;
        let keeper: Arc<dyn Keeper> = self.known.clone();
        let started = AgentBroker::start((agent, numbers), connection, (managed, at), (keeper, interrupt));
        Ok(Box::new(started.map_err(|error| away(error.to_string()))?))
    }

    fn address(&self, host: Host) -> io::Result<IpAddr> {
        if let Some(address) = self.addresses.get(&host) {
            return Ok(*address);
        }
        match self.agent_of(host, 0) {
            Some(agent) => self.address_of(host, agent),
            None => self.ours(),
        }
    }

    fn free_port(&self, host: Host, interrupt: &Interrupt) -> io::Result<u16> {
        // The other host may be the one that knows our address.
        for agent in self.names() {
            self.await_back(agent, interrupt).map_err(|why| io::Error::other(format!("{agent}: {why}")))?;
        }
        let address = self.address(host)?;
        let Some(agent) = self.agent_of(host, 0) else { return process::free_port(address) };
        match Opened::new(&self.known).ask(agent, &Deed::FreePort { address }, interrupt) {
            Ok((Outcome::Port { port }, _)) => Ok(port),
            Ok(_) => Err(unexpected(agent)),
            Err(error) => Err(io::Error::other(format!(
                "no port at {address} of {error}; if the agent does not have this address itself, write one that it has in [addresses]"
            ))),
        }
    }

    fn gate(
        &self,
        (publisher, gate): (Host, &SeatFile),
        subscriber: Host,
        interrupt: &Interrupt,
    ) -> io::Result<(SeatFile, Box<dyn Any + Send>)> {
        let mut opened = Opened::new(&self.known);
        let (file, from) = match self.agent_of(subscriber, 0) {
            Some(agent) => match opened.ask(agent, &Deed::GateFrom, interrupt)? {
                (Outcome::Named { file }, connection) => (file, Origin::There(Box::new(connection))),
                _ => return Err(unexpected(agent)),
            },
            None => {
                let folder = opened.folder.insert(Scratch::new("gate-")?);
                let path = folder.path().join("gate");
                (path.display().to_string(), Origin::Here(Source::new(&path)?))
            }
        };
        let to = match self.agent_of(publisher, 0) {
            Some(agent) => {
                Goal::There(Box::new(opened.ask(agent, &Deed::GateInto { gate: gate.name() }, interrupt)?.1))
            }
            None => Goal::Here(Sink::new(gate.name().into())),
        };
        Ok((SeatFile::of(file), Box::new(Relayed::begin(from, to, opened)?)))
    }

    fn tap(
        &self,
        Tapping { server: (of_server, endpoint), is_between, format }: Tapping<'_>,
        interrupt: &Interrupt,
    ) -> Result<Box<dyn Taps>, String> {
        if !is_between {
            return Err("all roles are on one host".to_owned());
        }
        let address =
            endpoint.host.parse().map_err(|_| format!("{} is not an IPv4 address", endpoint.host))?;
        let server = SocketAddrV4::new(address, endpoint.port);
        let towards = match of_server {
            Host::Cloud => Direction::Up,
            Host::Edge => Direction::Down,
        };
        let mut taps = TapsOfTrial::default();
        // The server's machine first: a client there exchanges nothing with it that passes a device.
        for host in [of_server, of_server.other()] {
            let terms = TapTerms { server, serves: host == of_server, towards, format };
            let Some(names) = self.agents.get(&host) else {
                taps.add(host, "this machine", OneTap::here(terms)?)?;
                continue;
            };
            for agent in names {
                // It takes part in no trial by this: what is lost with it are counts.
                let opened = self.await_back(agent, interrupt);
                let opened =
                    opened.and_then(|()| self.known.coordinator.open(agent, &|| !interrupt.is_set()));
                let (numbers, connection) = opened.map_err(|why| format!("{agent}: {why}"))?;
                let keeper: Arc<dyn Keeper> = self.known.clone();
                let there = OneTap::on_agent((agent, numbers), connection, terms, (keeper, interrupt))?;
                taps.add(host, agent, there)?;
            }
        }
        Ok(Box::new(taps))
    }

    fn note(&self, sentence: String) {
        let mut notes = self.known.notes();
        if notes.len() < MOST_NOTES {
            notes.insert(sentence);
        }
    }

    fn notes(&self) -> Vec<String> {
        self.known.notes().iter().cloned().collect()
    }

    fn round_trip(&self) -> Duration {
        let members = self.known.coordinator.members();
        let round_trip_ns = |member: &Member| match &member.clock {
            ClockView::Known(known) => Some(known.round_trip_ns),
            ClockView::Unknown | ClockView::Doubted(_) => None,
        };
        let slowest_ns = members.iter().filter_map(round_trip_ns).max().unwrap_or_default();
        Duration::from_nanos(slowest_ns.max(0).unsigned_abs())
    }

    fn gone(&self) -> Option<String> {
        // What broke may be seen here before the lease of the machine shows it: each has to answer once more.
        let (asked_ns, until) = (Moment::now().ns(), Instant::now() + crate::LEASE + SETTLING);
        let used = self.known.of_trial().used.clone();
        for (agent, session) in &used {
            while self.known.is_there(agent, *session).is_ok() {
                if self.known.coordinator.has_exchange_after(agent, asked_ns) {
                    break;
                }
                if Instant::now() >= until {
                    self.known.lost(agent, "it does not answer");
                    break;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        let lost = self.known.of_trial().lost.clone();
        let why =
            |agent: &String| Some(format!("the agent {agent} is not connected: {}", self.known.away(agent)?));
        lost.or_else(|| self.names().find_map(why))
    }

    fn lead(&self, runners: u32) -> Duration {
        // Each is told, and watched; and as much again for a packet that is lost.
        ((self.round_trip() * 2 + DEED) * (4 + 2 * runners)).min(MOST_LEAD)
    }

    fn begin(&self) {
        let mut of_trial = self.known.of_trial();
        let last = std::mem::take(&mut of_trial.last);
        let begun = Moment::now();
        *of_trial = OfTrial { last, begun: Some(begun), ..OfTrial::default() };
        drop(of_trial);
        self.known.coordinator.keep_clocks_since(begun.ns());
    }

    fn settle(&self, from: Moment, until: Moment) -> io::Result<()> {
        let waited = Instant::now() + SETTLING;
        let timed = self.known.of_trial().timed.clone();
        let is_after = |agent: &String| self.known.coordinator.has_exchange_after(agent, until.ns());
        while !timed.iter().all(is_after) && Instant::now() < waited {
            std::thread::sleep(Duration::from_millis(10));
        }
        // Roles that share a clock get one line.
        let mut settled: BTreeMap<String, SeatClock> = BTreeMap::new();
        for agent in timed {
            let clock = self.known.clock_of(&agent, from, until)?;
            let known = settled.values().find(|known| known.is(clock)).copied();
            settled.insert(agent, known.unwrap_or(clock));
        }
        self.known.of_trial().settled = settled;
        Ok(())
    }
}

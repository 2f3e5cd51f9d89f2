//! Waits for the agents of a run, or of a fleet that stays.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use wiredyno_agents::{Coordinator, Hosts, Member};
use wiredyno_answers::quantity::quantity;
use wiredyno_contract::Span;
use wiredyno_fleet::{Fleet, FleetError, Up};
use wiredyno_model::Host;
use wiredyno_running::run::RunAgents;
use wiredyno_seats::interrupt::Interrupt;

use crate::agents::{Inviting, tell, watch};
use crate::output::errln;

use super::agents_file::AgentsFile;
use super::fleet::Looking;
use super::held::Held;
use super::standing::{Hold, Reserved, Standing, in_use};

/// The longest wait for the first exchanges with the clocks of all agents.
const CLOCKS: Duration = Duration::from_secs(10);

/// How long clocks are measured before a run: the bound rests on the shortest of some twenty round trips.
const LOOKED_AT: Duration = Duration::from_secs(2);

/// How long a fleet that stays waits for further agents, once each host has its own.
const OTHERS: Duration = Duration::from_secs(10);

/// How long agents of a fleet that is up may take to come back: they look every two seconds.
const RETURNS: Duration = Duration::from_secs(15);

/// How long a run waits for a command about the fleet that is up: longer than one that only looks at it takes.
const HELD: Duration = Duration::from_secs(20);

/// The fleet of a run, which it is to keep until it has let its agents go.
#[derive(Default)]
pub struct Used {
    up: Option<Up>,
    /// That of a fleet that stays: dropped last.
    held: Option<Held>,
}

impl Used {
    /// The coordinator of the fleet that is up for a file, which no other command uses from now on; `None` if the user interrupts the wait for another command.
    fn standing(&mut self, file: &AgentsFile, interrupt: &Interrupt) -> anyhow::Result<Option<Coordinator>> {
        tell("using the fleet that is up");
        let (standing, held) = match file.hold(HELD, interrupt)? {
            Hold::Held(standing, held) => (standing, held),
            Hold::InUse if interrupt.is_set() => return Ok(None),
            Hold::InUse => return Err(in_use(file.path())),
            Hold::Missing => return Err(anyhow!("the fleet that was up has been taken down meanwhile")),
        };
        self.held = Some(held);
        let coordinator = standing.coordinator()?.or_in_use()?;
        self.up = Some(standing.up()?);
        Ok(Some(coordinator))
    }
}

/// The agents that a file names, once all have joined; `None` if the user interrupts the wait. The fleet that they are of is put into `used`.
pub fn met(file: &AgentsFile, interrupt: &Interrupt, used: &mut Used) -> anyhow::Result<Option<RunAgents>> {
    let coordinator = match &file.standing {
        Some(_) => match used.standing(file, interrupt)? {
            Some(coordinator) => coordinator,
            None => return Ok(None),
        },
        None => {
            let coordinator = Coordinator::listen(file.listen, env!("CARGO_PKG_VERSION"))?;
            if !invited(file, &coordinator, interrupt, &mut used.up)? {
                return Ok(None);
            }
            coordinator
        }
    };
    let Some(agents) = all_there(file, &coordinator, interrupt, used.up.as_mut())? else { return Ok(None) };
    let members = coordinator.members();
    let is_other = |of: &&Member| {
        agents.values().flatten().any(|name| *name == of.name) && of.architecture != std::env::consts::ARCH
    };
    if let Some(of) = members.iter().find(is_other) {
        return Err(anyhow!(
            "{} is {}, and this machine {}: runners are sent as they are compiled here; start the run on a machine like {0}",
            of.name,
            of.architecture,
            std::env::consts::ARCH
        ));
    }
    let addresses = file.addresses_of(&agents, used.up.as_mut());
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

/// Brings up a fleet that stays, whose agents wait so long for the next run, and keeps it; false if the user interrupts that.
///
/// # Errors
/// When hosts of the file don't get their agents, or the fleet can't be kept. Nothing is left running then.
pub fn brought(
    file: &AgentsFile,
    stay: Span,
    kept: &mut Reserved,
    interrupt: &Interrupt,
) -> anyhow::Result<bool> {
    let mut file = file.clone();
    file.fleet = file.fleet.map(|fleet| fleet.with_patience(stay));
    // Dropped after the coordinator, which first lets its agents go.
    let mut up = None;
    let coordinator = Coordinator::listen(file.listen, env!("CARGO_PKG_VERSION"))?;
    if !invited(&file, &coordinator, interrupt, &mut up)?
        || all_there(&file, &coordinator, interrupt, up.as_mut())?.is_none()
    {
        return Ok(false);
    }
    let until = Instant::now() + OTHERS;
    watch(&coordinator, &mut coordinator.presences(), interrupt, until, Some(file.invited()));
    let Some(mut up) = up else { return Ok(false) };
    tell_missing(&file, &coordinator);
    let standing = Standing::new(coordinator.address(), coordinator.kept(), up.record());
    if interrupt.is_set() {
        drop(coordinator);
        return Ok(false);
    }
    if let Err(error) = kept.keep(&standing) {
        drop(coordinator);
        return Err(error);
    }
    coordinator.stay(true);
    up.leave();
    Ok(true)
}

/// Says which agents of a fleet have not joined: who comes later is not let in, because the key that lets agents in is not kept.
fn tell_missing(file: &AgentsFile, coordinator: &Coordinator) {
    let joined: Vec<String> = coordinator.members().into_iter().map(|member| member.name).collect();
    let missing = missing(file.fleet.as_ref().map(Fleet::names).unwrap_or_default(), &joined);
    if !missing.is_empty() {
        errln!("not there, and can't join this fleet any more: {}", missing.join(", "));
    }
}

/// The agents of a fleet that have not joined.
fn missing(mut all: Vec<String>, joined: &[String]) -> Vec<String> {
    all.retain(|name| !joined.contains(name));
    all
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
    let doing = if matches!(fleet, Fleet::List(_)) { "waiting for" } else { "starting" };
    tell(&format!("listening at {address}; {doing} {invited} agent(s) on their machines"));
    match fleet.up(&lines, fleet.least(&file.wanted())?, &|| interrupt.is_set()) {
        Err(FleetError::Interrupted) => Ok(false),
        brought => {
            *up = Some(brought.context("no agent could be started on a machine")?);
            Ok(true)
        }
    }
}

/// Waits until each host has its agents; `None` if the user interrupts the wait.
fn all_there(
    file: &AgentsFile,
    coordinator: &Coordinator,
    interrupt: &Interrupt,
    mut up: Option<&mut Up>,
) -> anyhow::Result<Option<BTreeMap<Host, Vec<String>>>> {
    let wanted: Vec<(Host, &str)> = file.places().collect();
    let mut looking = Looking::new();
    let begun = Instant::now();
    let (until, mut known) = (begun + Duration::from_nanos(file.within.ns), Vec::new());
    loop {
        if let Some(there) = file.there(&coordinator.members()) {
            return Ok(Some(there));
        }
        if interrupt.is_set() {
            return Ok(None);
        }
        if up.is_some()
            && let Some(why) = file.in_vain(&coordinator.members())
        {
            return Err(anyhow!(why));
        }
        if file.standing.is_some() && begun.elapsed() >= RETURNS {
            return Err(anyhow!(
                "of the fleet that is up, {} did not come back to this machine within {} s; take what is left of it down with `wiredyno fleet down`, and bring it up again",
                file.absent(&coordinator.members()),
                RETURNS.as_secs()
            ));
        }
        if Instant::now() >= until {
            return Err(anyhow!(file.lacking(&coordinator.members())));
        }
        if let Some(up) = up.as_deref_mut()
            && let Some(why) = looking.in_vain(up, &wanted, &coordinator.members())
        {
            return Err(match file.standing {
                None => anyhow!(why),
                Some(_) => anyhow!(
                    "{why}; take what is left of the fleet down with `wiredyno fleet down`, and bring it up again"
                ),
            });
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
        let lines: Result<Vec<_>, _> = hosts.names().map(line).collect();
        match lines {
            Ok(lines) => {
                for (name, line) in hosts.names().zip(lines) {
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
    fn who_has_not_joined_is_missing() {
        let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let all = || names(&["agent-0", "agent-1", "agent-2"]);
        assert_eq!(missing(all(), &names(&["agent-1"])), names(&["agent-0", "agent-2"]));
        assert!(missing(all(), &all()).is_empty());
    }
}

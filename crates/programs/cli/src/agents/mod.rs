//! `wiredyno agents`: invites agents, and shows which machines joined and how well their clocks are known.

mod shown;

use std::fs::OpenOptions;
use std::io::{IsTerminal, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use wiredyno_agents::{Coordinator, MemberState, Presence};
use wiredyno_contract::Span;
use wiredyno_seats::interrupt::Interrupt;

use self::shown::{AgentsShown, PairShown};
use crate::output::{errln, outln};
use crate::{exit, failure, interrupts, terminal};

#[cfg(test)]
pub use self::shown::AgentsShown as Shown;

/// The longest wait for a change before Ctrl-C is checked.
const LOOK: Duration = Duration::from_millis(100);

#[derive(clap::Args)]
pub struct Arguments {
    /// Where to listen, over TCP and UDP
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "0.0.0.0:7411")]
    listen: SocketAddr,
    /// The name or address under which agents reach this machine; else the address that it uses for other networks
    #[arg(long)]
    host: Option<String>,
    /// How many agents to invite
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    expect: u32,
    /// How long to wait for them; an invitation expires then
    #[arg(long, value_name = "TIME", default_value = "10min")]
    within: Span,
    /// How long to measure their clocks, once all have joined
    #[arg(long = "for", value_name = "TIME", default_value = "10s")]
    lasting: Span,
    /// Write each invitation into a file of this folder, which only you can read; without it, a terminal shows them
    #[arg(long, value_name = "FOLDER")]
    invitations: Option<PathBuf>,
    /// Print one JSON object, described by docs/agents.schema.json
    #[arg(long)]
    json: bool,
}

/// Invites, waits, measures, and prints what it found.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let is_seen = std::io::stdout().is_terminal() && !arguments.json;
    if arguments.invitations.is_none() && !is_seen {
        return Err(failure::wrong(anyhow!(
            "invitations are secrets, which only a terminal shows, and not with --json: add --invitations FOLDER"
        )));
    }
    let interrupt = interrupts::catch_interrupts()?;
    let coordinator = Coordinator::listen(arguments.listen, env!("CARGO_PKG_VERSION"))?;
    let inviting = Inviting {
        host: arguments.host.clone(),
        invitations: arguments.invitations.clone(),
        within: arguments.within,
    };
    inviting.invite(&coordinator, arguments.expect)?;
    let mut known = Vec::new();
    let until = Instant::now() + Duration::from_nanos(arguments.within.ns);
    let came = watch(&coordinator, &mut known, &interrupt, until, Some(arguments.expect as usize));
    if interrupt.is_set() {
        return Ok(ExitCode::from(exit::INTERRUPTED));
    }
    if came > 0 {
        tell(&format!(
            "{came} of {} have joined; measuring their clocks for {}",
            arguments.expect, arguments.lasting
        ));
        let until = Instant::now() + Duration::from_nanos(arguments.lasting.ns);
        watch(&coordinator, &mut known, &interrupt, until, None);
    }
    let pairs = pairs(&coordinator, &interrupt);
    if interrupt.is_set() {
        return Ok(ExitCode::from(exit::INTERRUPTED));
    }
    let shown = AgentsShown::new(arguments.expect, coordinator.members(), pairs);
    if arguments.json {
        outln!("{}", serde_json::to_string_pretty(&shown)?);
    } else {
        outln!("{}", shown.in_words().trim_end());
    }
    Ok(if shown.is_complete() { exit::DONE } else { ExitCode::from(exit::CANT_TELL) })
}

/// How agents are invited.
pub struct Inviting {
    /// The name or address under which they reach this machine; else the address that it uses for other networks.
    pub host: Option<String>,
    /// The folder for invitations; without one a terminal shows them.
    pub invitations: Option<PathBuf>,
    /// For how long each is good.
    pub within: Span,
}

pub fn tell(text: &str) {
    if !terminal::is_quiet() {
        errln!("{text}");
    }
}

impl Inviting {
    /// One invitation for each of so many agents, as lines of text.
    pub fn lines(&self, coordinator: &Coordinator, expected: u32) -> anyhow::Result<Vec<String>> {
        let host = match &self.host {
            Some(host) => host.clone(),
            None => own_address(coordinator.address())?.to_string(),
        };
        let lasting = Duration::from_nanos(self.within.ns);
        (0..expected).map(|_| Ok(coordinator.invite(&host, lasting)?.to_string())).collect()
    }

    /// Writes one invitation for each of so many agents.
    pub fn invite(&self, coordinator: &Coordinator, expected: u32) -> anyhow::Result<()> {
        for (number, invitation) in (1..).zip(self.lines(coordinator, expected)?) {
            let Some(folder) = &self.invitations else {
                outln!("{invitation}");
                continue;
            };
            std::fs::create_dir_all(folder)
                .with_context(|| format!("{}: name a folder that you may write to", folder.display()))?;
            let path = folder.join(format!("agent-{number}.invitation"));
            // One of an earlier run is no longer of use.
            let _ = std::fs::remove_file(&path);
            let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
            // In one write: whoever waits for the file sees all of it.
            made.and_then(|mut file| file.write_all(format!("{invitation}\n").as_bytes()))
                .with_context(|| format!("{}: name a folder that you may write to", path.display()))?;
        }
        let each = match &self.invitations {
            Some(folder) => format!("{}/agent-N.invitation, each for one agent", folder.display()),
            None => "one of these lines, each for one agent".to_owned(),
        };
        tell(&format!(
            "listening at {} for {expected} agent(s); on each machine, within {}: wiredyno agent FILE, with {each}",
            coordinator.address(),
            self.within
        ));
        Ok(())
    }
}

/// The address that this machine uses towards other networks. Nothing is sent: connecting a datagram socket only looks up the route.
fn own_address(listen: SocketAddr) -> anyhow::Result<IpAddr> {
    if !listen.ip().is_unspecified() {
        return Ok(listen.ip());
    }
    // Addresses for documentation (RFC 5737, RFC 3849).
    let far: IpAddr = match listen {
        SocketAddr::V4(_) => Ipv4Addr::new(192, 0, 2, 1).into(),
        SocketAddr::V6(_) => Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1).into(),
    };
    let looked_up = || -> std::io::Result<IpAddr> {
        let socket = UdpSocket::bind((listen.ip(), 0))?;
        socket.connect((far, 9))?;
        Ok(socket.local_addr()?.ip())
    };
    looked_up().context("this machine has no route to other networks: name it with --host")
}

/// Reports who joins and leaves, until a moment, or until this many are connected. Returns how many are.
pub fn watch(
    coordinator: &Coordinator,
    known: &mut Vec<Presence>,
    interrupt: &Interrupt,
    until: Instant,
    enough: Option<usize>,
) -> usize {
    let mut version = 0;
    loop {
        let members = coordinator.presences();
        for member in &members {
            let before = known.iter().find(|one| one.name == member.name).map(|one| &one.state);
            if before != Some(&member.state) {
                tell(&came(member));
            }
        }
        *known = members;
        let present = known.iter().filter(|one| one.state == MemberState::Present).count();
        let is_enough = enough.is_some_and(|enough| present >= enough);
        if is_enough || interrupt.is_set() || Instant::now() >= until {
            return present;
        }
        version = coordinator.wait(version, LOOK.min(until.saturating_duration_since(Instant::now())));
    }
}

fn came(member: &Presence) -> String {
    let from = member.address.map(|address| format!(" from {address}")).unwrap_or_default();
    match &member.state {
        MemberState::Invited => format!("{} has joined", member.name),
        MemberState::Present => format!("{} is connected{from}", member.name),
        MemberState::Cut(why) => format!("{} is disconnected: {why}", member.name),
        MemberState::Ended => format!("{} has ended", member.name),
    }
}

/// Compares the clocks of all pairs. An agent is in one pair at a time, and as many pairs as can be are compared at once: the rounds of a tournament.
fn pairs(coordinator: &Coordinator, interrupt: &Interrupt) -> Vec<PairShown> {
    let members = coordinator.presences();
    let present = members.iter().filter(|one| one.state == MemberState::Present);
    let mut names: Vec<String> = present.map(|one| one.name.clone()).collect();
    names.sort();
    let mut all = Vec::new();
    for round in rounds(names.len()) {
        if interrupt.is_set() {
            return all;
        }
        let probe = |&(from, to): &(usize, usize)| {
            PairShown::new(&names[from], &names[to], coordinator.probe(&names[from], &names[to]))
        };
        let probed: Vec<PairShown> = std::thread::scope(|scope| {
            let started: Vec<_> = round.iter().map(|pair| scope.spawn(move || probe(pair))).collect();
            // A panic has been printed.
            let lost = |&(from, to): &(usize, usize)| PairShown::lost(&names[from], &names[to]);
            started
                .into_iter()
                .zip(&round)
                .map(|(one, pair)| one.join().unwrap_or_else(|_| lost(pair)))
                .collect()
        });
        all.extend(probed);
    }
    all.sort_by(|one: &PairShown, other| (&one.from, &one.to).cmp(&(&other.from, &other.to)));
    all
}

/// The rounds in which each of this many meets every other once (the circle method): one is fixed, the others rotate.
fn rounds(count: usize) -> Vec<Vec<(usize, usize)>> {
    // With an odd number one pauses in each round.
    let even = count + count % 2;
    let turning = even.saturating_sub(1);
    let place = |round: usize, seat: usize| if seat == 0 { 0 } else { (seat - 1 + round) % turning + 1 };
    let of = |round: usize| {
        let pairs = (0..even / 2).map(|seat| (place(round, seat), place(round, even - 1 - seat)));
        pairs
            .filter(|&(one, other)| one.max(other) < count)
            .map(|(one, other)| (one.min(other), one.max(other)))
            .collect()
    };
    (0..turning).map(of).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_meets_each_other_once_and_nobody_two_at_a_time() {
        for count in 0..12 {
            let all = rounds(count);
            for round in &all {
                let busy: BTreeSet<usize> = round.iter().flat_map(|&(one, other)| [one, other]).collect();
                assert_eq!(busy.len(), 2 * round.len(), "{count}: {round:?}");
            }
            let met: BTreeSet<(usize, usize)> = all.iter().flatten().copied().collect();
            assert_eq!(met.len(), count * count.saturating_sub(1) / 2, "{count}: {all:?}");
            assert_eq!(met.len(), all.iter().flatten().count());
        }
    }

    #[test]
    fn an_address_is_found_without_sending_anything() {
        let listen: SocketAddr = "127.0.0.1:0".parse().unwrap();
        assert_eq!(own_address(listen).unwrap(), listen.ip());
    }
}

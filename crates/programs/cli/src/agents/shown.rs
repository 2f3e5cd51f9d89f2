//! What `wiredyno agents` prints.

use std::collections::BTreeMap;
use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;
use wiredyno_agents::{ClockPath, ClockView, Member, MemberState, ProbeError, Probed};
use wiredyno_clocks::Estimate;

/// Which agents joined, and what is known of their clocks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AgentsShown {
    /// How many were invited.
    pub expected: u32,
    /// Those that have joined.
    pub agents: Vec<AgentShown>,
    /// Each pair of those that were connected at the end.
    pub pairs: Vec<PairShown>,
}

/// An agent as `--json` shows it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AgentShown {
    /// Its name, as hosts refer to it.
    pub id: String,
    /// `present`, `invited` (it has not reconnected since it joined), `cut` or `ended`.
    pub state: String,
    /// Why it is cut off.
    pub reason: Option<String>,
    /// The address from which it connected.
    pub address: Option<String>,
    /// The labels that its operator gave it.
    pub labels: BTreeMap<String, String>,
    /// The version of its program.
    pub program: String,
    /// Its machine, in words.
    pub machine: Option<String>,
    /// CPUs that it may use.
    pub cpus: Option<u32>,
    /// All its memory, in bytes.
    pub memory_bytes: Option<u64>,
    /// Whether NTP, chrony or PTP keeps its wall clock, according to its kernel; absent if the kernel doesn't say.
    pub wall_clock_synchronised: Option<bool>,
    /// The largest error of its wall clock, as its kernel was told, in microseconds.
    pub wall_clock_most_us: Option<i64>,
    /// Its clock against the coordinator's.
    pub clock: Option<ClockShown>,
    /// Why its clock can't be trusted.
    pub doubt: Option<String>,
}

/// A clock against another.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ClockShown {
    /// How far it is ahead, in nanoseconds of CLOCK_MONOTONIC.
    pub ahead_ns: i64,
    /// How wrong that may be, either way. 0 if it is one clock.
    pub bound_ns: u64,
    /// How fast it gains, in parts per billion.
    pub drift_ppb: f64,
    /// How wrong that may be, either way.
    pub drift_bound_ppb: f64,
    /// Both read one clock: one boot, one time namespace.
    pub is_one_clock: bool,
    /// The path of the exchanges that counted: `control` (TLS to the coordinator), `datagrams` (UDP), for a pair `direct` or `coordinator`.
    pub path: String,
    /// The smallest round trip of these exchanges, for a pair of those between the two, in nanoseconds.
    pub round_trip_ns: Option<i64>,
    /// Exchanges that were answered.
    pub exchanges: u64,
}

/// Two agents' clocks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PairShown {
    /// The agent that asked.
    pub from: String,
    /// The agent that answered.
    pub to: String,
    /// The second's clock against the first's.
    pub clock: Option<ClockShown>,
    /// Why they can't be compared.
    pub doubt: Option<String>,
}

impl ClockShown {
    fn new(estimate: Estimate, is_one_clock: bool, path: &str) -> Self {
        ClockShown {
            ahead_ns: estimate.offset_ns,
            bound_ns: estimate.bound_ns,
            drift_ppb: estimate.drift_ppb,
            drift_bound_ppb: estimate.drift_bound_ppb,
            is_one_clock,
            path: path.to_owned(),
            round_trip_ns: None,
            exchanges: 0,
        }
    }
}

impl AgentShown {
    fn new(member: Member) -> Self {
        let (state, reason) = match member.state {
            MemberState::Invited => ("invited", None),
            MemberState::Present => ("present", None),
            MemberState::Cut(why) => ("cut", Some(why)),
            MemberState::Ended => ("ended", None),
        };
        let (clock, doubt) = match member.clock {
            ClockView::Unknown => (None, None),
            ClockView::Doubted(why) => (None, Some(why)),
            ClockView::Known(known) => {
                let path = match known.path {
                    ClockPath::Control => "control",
                    ClockPath::Datagrams => "datagrams",
                };
                let shown = ClockShown {
                    round_trip_ns: Some(known.round_trip_ns),
                    exchanges: known.exchanges as u64,
                    ..ClockShown::new(known.estimate, known.is_ours, path)
                };
                (Some(shown), None)
            }
        };
        let environment = member.environment.as_ref();
        AgentShown {
            id: member.name,
            state: state.to_owned(),
            reason,
            address: member.address.map(|address| address.to_string()),
            labels: member.labels,
            program: member.program,
            machine: environment.map(|of| format!("{}, {}, {}", of.cpu, of.os, of.kernel)),
            cpus: environment.map(|of| of.cpus),
            memory_bytes: environment.map(|of| of.memory_bytes),
            wall_clock_synchronised: member.sync.map(|sync| sync.synchronised),
            wall_clock_most_us: member.sync.map(|sync| sync.most_us),
            clock,
            doubt,
        }
    }
}

impl PairShown {
    /// Of two that were not compared because of an error of ours.
    pub fn lost(from: &str, to: &str) -> Self {
        let doubt = "an error of this program; please report it".to_owned();
        PairShown { from: from.to_owned(), to: to.to_owned(), clock: None, doubt: Some(doubt) }
    }

    /// Of what comparing them gave.
    pub fn new(from: &str, to: &str, probed: Result<Probed, ProbeError>) -> Self {
        let (clock, doubt) = match probed {
            Err(error) => (None, Some(error.to_string())),
            Ok(of) => {
                let path = if of.is_direct { "direct" } else { "coordinator" };
                let shown = ClockShown {
                    round_trip_ns: of.round_trip_ns,
                    exchanges: u64::from(of.exchanges.0),
                    ..ClockShown::new(of.estimate, of.is_one_clock, path)
                };
                (Some(shown), None)
            }
        };
        PairShown { from: from.to_owned(), to: to.to_owned(), clock, doubt }
    }
}

impl AgentsShown {
    /// Of what was found at the end.
    pub fn new(expected: u32, members: Vec<Member>, pairs: Vec<PairShown>) -> Self {
        AgentsShown { expected, agents: members.into_iter().map(AgentShown::new).collect(), pairs }
    }

    /// Whether all joined and stayed, and each clock is known.
    pub fn is_complete(&self) -> bool {
        let fine = self.agents.iter().filter(|one| one.state == "present" && one.clock.is_some()).count();
        fine >= self.expected as usize && self.pairs.iter().all(|pair| pair.clock.is_some())
    }

    /// The same as lines for a terminal.
    pub fn in_words(&self) -> String {
        let mut text = String::new();
        let present = self.agents.iter().filter(|one| one.state == "present").count();
        // Writing to a string does not fail.
        let _ = writeln!(text, "{present} of {} agents are connected", self.expected);
        for agent in &self.agents {
            let _ = writeln!(text, "\n{}  {}", agent.id, agent_words(agent));
        }
        if !self.pairs.is_empty() {
            let _ = writeln!(
                text,
                "\nClocks of each pair of agents; a latency from one to the other can't be known better than this bound:"
            );
        }
        for pair in &self.pairs {
            let words = match (&pair.clock, &pair.doubt) {
                (Some(clock), _) => clock_words(clock, &pair.from),
                (None, doubt) => {
                    format!("can't be compared: {}", doubt.as_deref().unwrap_or("nothing is known"))
                }
            };
            let _ = writeln!(text, "  {} to {}: {words}", pair.from, pair.to);
        }
        text
    }
}

fn agent_words(agent: &AgentShown) -> String {
    let mut lines = Vec::new();
    let from = agent.address.as_ref().map(|address| format!(" from {address}")).unwrap_or_default();
    let labels: Vec<String> = agent.labels.iter().map(|(key, value)| format!(", {key}={value}")).collect();
    let reason = agent.reason.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    lines.push(format!("{}{from}{}{reason}", agent.state, labels.concat()));
    if let (Some(machine), Some(cpus), Some(bytes)) = (&agent.machine, agent.cpus, agent.memory_bytes) {
        lines.push(format!("  {machine}, {cpus} CPU(s), {:.1} GB", bytes as f64 / 1e9));
    }
    match (agent.wall_clock_synchronised, agent.wall_clock_most_us) {
        (Some(true), Some(most_us)) => {
            lines.push(format!(
                "  its kernel says that its wall clock is synchronised, wrong by at most {}",
                time(most_us.saturating_mul(1_000))
            ));
        }
        (Some(false), _) => {
            lines.push("  its kernel says that its wall clock is not synchronised".to_owned());
        }
        _ => {}
    }
    lines.push(match (&agent.clock, &agent.doubt) {
        (Some(clock), _) => format!("  clock: {}", clock_words(clock, "the coordinator")),
        (None, Some(doubt)) => format!("  clock: can't be trusted: {doubt}"),
        (None, None) => "  clock: not known yet".to_owned(),
    });
    lines.join("\n")
}

fn clock_words(clock: &ClockShown, other: &str) -> String {
    if clock.is_one_clock {
        return format!("the same as that of {other}");
    }
    let which = if clock.ahead_ns < 0 { "behind" } else { "ahead of" };
    let seconds = clock.ahead_ns.unsigned_abs() / 1_000_000_000;
    let rest = clock.ahead_ns.unsigned_abs() % 1_000_000_000;
    let trip =
        clock.round_trip_ns.map(|ns| format!(", shortest round trip {}", time(ns))).unwrap_or_default();
    let gains = match clock.drift_bound_ppb < clock.drift_ppb.abs() {
        true => format!(
            ", {} {:.1} µs in a second",
            if clock.drift_ppb > 0.0 { "gains" } else { "loses" },
            clock.drift_ppb.abs() / 1e3
        ),
        false => String::new(),
    };
    let exchanges = clock.exchanges;
    let by = match clock.path.as_str() {
        "control" => format!("{exchanges} exchanges over its connection{trip}"),
        "datagrams" => format!("{exchanges} exchanges by datagrams{trip}"),
        "direct" => format!("{exchanges} exchanges by datagrams between the two{trip}"),
        _ => "each compared with the coordinator".to_owned(),
    };
    format!(
        "{seconds}.{rest:09} s {which} that of {other}, give or take {}{gains} ({by})",
        time(i64::try_from(clock.bound_ns).unwrap_or(i64::MAX))
    )
}

/// A time with three digits.
fn time(ns: i64) -> String {
    let (factor, unit) = match ns.unsigned_abs() {
        0..1_000 => return format!("{ns} ns"),
        1_000..1_000_000 => (1e3, "µs"),
        1_000_000..1_000_000_000 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    let value = ns as f64 / factor;
    let digits = if value.abs() < 10.0 {
        2
    } else if value.abs() < 100.0 {
        1
    } else {
        0
    };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(ahead_ns: i64, bound_ns: u64) -> ClockShown {
        let estimate = Estimate {
            at_ns: 0,
            offset_ns: ahead_ns,
            bound_ns,
            drift_ppb: -2_500.0,
            drift_bound_ppb: 100.0,
            broken: false,
        };
        ClockShown {
            round_trip_ns: Some(80_500),
            exchanges: 50,
            ..ClockShown::new(estimate, false, "direct")
        }
    }

    #[test]
    fn a_clock_is_told_with_its_bound() {
        assert_eq!(
            clock_words(&clock(-3_600_000_012_345, 41_250), "vehicle"),
            "3600.000012345 s behind that of vehicle, give or take 41.2 µs, loses 2.5 µs in a second (50 exchanges by datagrams between the two, shortest round trip 80.5 µs)"
        );
        let one = ClockShown { is_one_clock: true, ..clock(0, 0) };
        assert_eq!(clock_words(&one, "vehicle"), "the same as that of vehicle");
    }

    #[test]
    fn who_is_missing_or_doubted_is_not_complete() {
        let shown = |expected, doubt: Option<&str>| {
            let pair = PairShown {
                from: "a".into(),
                to: "b".into(),
                clock: doubt.is_none().then(|| clock(1, 1)),
                doubt: doubt.map(str::to_owned),
            };
            AgentsShown { expected, agents: Vec::new(), pairs: vec![pair] }
        };
        assert!(shown(0, None).is_complete());
        assert!(!shown(1, None).is_complete());
        let doubted = shown(0, Some("its stamps are wrong"));
        assert!(!doubted.is_complete() && doubted.in_words().contains("its stamps are wrong"));
    }
}

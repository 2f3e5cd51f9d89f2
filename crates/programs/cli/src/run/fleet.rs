//! Watches a fleet's agents until a run has all that it needs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use wiredyno_agents::{Member, MemberState};
use wiredyno_fleet::{Place, State, Up};
use wiredyno_model::Host;

use crate::agents::tell;

/// The time between two questions to the engine.
const AGAIN: Duration = Duration::from_secs(2);

/// Asks the engine from time to time, reports what changes, and knows when waiting is futile.
pub struct Looking {
    asked: Option<Instant>,
    told: BTreeSet<String>,
}

impl Looking {
    pub fn new() -> Self {
        Looking { asked: None, told: BTreeSet::new() }
    }

    /// Why some host can no longer get an agent; `None` while all still can.
    pub fn in_vain(&mut self, up: &mut Up, wanted: &[(Host, &str)], members: &[Member]) -> Option<String> {
        if self.asked.is_some_and(|asked| asked.elapsed() < AGAIN) {
            return None;
        }
        let places = up.look();
        self.asked = Some(Instant::now());
        for (why, agents) in reasons(&places) {
            let line = format!("{}: {why}", agents.join(", "));
            if self.told.insert(line.clone()) {
                tell(&line);
            }
        }
        let present = |name: &str| {
            members.iter().any(|member| member.name == name && member.state == MemberState::Present)
        };
        let lacking = lacking(&places, wanted, &present)?;
        let whys: BTreeSet<&str> = reasons(&places).into_keys().collect();
        Some(format!("{lacking}: {}", whys.into_iter().collect::<Vec<_>>().join("; ")))
    }
}

/// A host, as files write it.
pub fn word(host: Host) -> &'static str {
    match host {
        Host::Edge => "edge",
        Host::Cloud => "cloud",
    }
}

/// The agents that do not run, by the reason.
fn reasons(places: &[Place]) -> BTreeMap<&str, Vec<&str>> {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for place in places {
        match &place.state {
            State::Waits(why) | State::Gone(why) => all.entry(why).or_default().push(&place.agent),
            State::Runs => {}
        }
    }
    all
}

/// What hosts need and can no longer get.
fn lacking(places: &[Place], wanted: &[(Host, &str)], present: &dyn Fn(&str) -> bool) -> Option<String> {
    let gone = |place: &&Place| matches!(place.state, State::Gone(_)) && !present(&place.agent);
    if let Some((host, name)) =
        wanted.iter().find(|(_, name)| places.iter().filter(gone).any(|place| place.agent == *name))
    {
        return Some(format!("the agent `{name}`, needed as {}, is gone", word(*host)));
    }
    let left = places.iter().filter(|place| !gone(place)).count();
    let needed = wanted.len();
    (left < needed)
        .then(|| format!("{left} of the fleet's {} agents are left, and {needed} are needed", places.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(states: &[State]) -> Vec<Place> {
        let place = |(number, state): (usize, &State)| Place {
            agent: format!("agent-{number}"),
            state: state.clone(),
            unsure: None,
        };
        states.iter().enumerate().map(place).collect()
    }

    #[test]
    fn waiting_is_in_vain_when_too_few_are_left_or_the_named_one_is_gone() {
        let gone = || State::Gone("job 7 has ended".to_owned());
        let named = [(Host::Edge, "agent-1")];
        let labelled = [(Host::Edge, "site=a"), (Host::Cloud, "site=b")];
        let nobody = |_: &str| false;
        let all = places(&[State::Runs, State::Waits("job 7 is pending".to_owned()), gone()]);
        assert_eq!(lacking(&all, &named, &nobody), None);
        assert_eq!(lacking(&all, &labelled, &nobody), None);
        let one = places(&[State::Runs, gone(), gone()]);
        assert!(lacking(&one, &named, &nobody).unwrap().contains("`agent-1`, needed as edge"));
        assert!(lacking(&one, &labelled, &nobody).unwrap().contains("1 of the fleet's 3 agents"));
        // The engine's answer is outdated: the agent has joined.
        assert_eq!(lacking(&one, &named, &|name| name == "agent-1"), None);
        assert_eq!(reasons(&one), BTreeMap::from([("job 7 has ended", vec!["agent-1", "agent-2"])]));
    }
}

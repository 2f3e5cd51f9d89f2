//! The agents of a run as its trials see them: who is connected, who was lost, and how clocks are told.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wiredyno_seats::seat::clock::{Moment, SeatClock};

use crate::coordinator::{Coordinator, MemberState};
use crate::role::line::Keeper;

/// How far before now a clock is examined while a trial runs.
const LATELY: Duration = Duration::from_secs(2);

/// The agents of a run, and what is known of a trial on them.
pub(crate) struct Known {
    pub(crate) coordinator: Coordinator,
    of_trial: Mutex<OfTrial>,
    /// Sentences for the notes of the run.
    notes: Mutex<BTreeSet<String>>,
}

/// What is known of a trial.
#[derive(Default)]
pub(crate) struct OfTrial {
    /// How clocks are described, by agent, once that is settled.
    pub(crate) settled: BTreeMap<String, SeatClock>,
    /// How they were told last.
    pub(crate) last: BTreeMap<String, SeatClock>,
    pub(crate) begun: Option<Moment>,
    /// The agents that have a role in it, with the session in which it was begun.
    pub(crate) used: BTreeMap<String, u64>,
    /// Those with a role that takes times.
    pub(crate) timed: BTreeSet<String>,
    /// Which of them was lost, and why.
    pub(crate) lost: Option<String>,
}

impl Known {
    pub(crate) fn new(coordinator: Coordinator) -> Self {
        Known { coordinator, of_trial: Mutex::default(), notes: Mutex::default() }
    }

    pub(crate) fn of_trial(&self) -> MutexGuard<'_, OfTrial> {
        self.of_trial.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn notes(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why an agent is not there.
    pub(crate) fn away(&self, agent: &str) -> Option<String> {
        match self.coordinator.presence_of(agent) {
            Ok(presence) => match presence.state {
                MemberState::Present => None,
                MemberState::Invited => Some("it has not joined yet".to_owned()),
                MemberState::Cut(why) => Some(why),
                MemberState::Ended => Some("it has ended".to_owned()),
            },
            Err(why) => Some(why),
        }
    }

    /// How a clock was from one moment to another.
    pub(crate) fn clock_of(&self, agent: &str, from: Moment, until: Moment) -> io::Result<SeatClock> {
        let line = self.coordinator.line(agent, from.ns(), until.ns()).map_err(io::Error::other)?;
        if line.which == 0 {
            return Ok(SeatClock::OURS);
        }
        let ahead = (line.ahead_ns, Moment::of_ns(line.at_ns));
        Ok(SeatClock::drifting(line.which, ahead, line.drift_ppb, line.bound_ns))
    }
}

/// Why an agent that is back is of no use to the trial that it was in.
const GONE: &str = "it was disconnected, and what it ran is gone";

/// That a trial has lost an agent.
fn lost(agent: &str, why: &str) -> String {
    format!("the agent {agent} is not connected: {why}")
}

impl Keeper for Known {
    fn has(&self, agent: &str, session: u64) -> Result<(), String> {
        match self.away(agent) {
            Some(why) => Err(why),
            None => match self.coordinator.presence_of(agent)?.session == session {
                true => Ok(()),
                false => Err(GONE.to_owned()),
            },
        }
    }

    fn is_there(&self, agent: &str, session: u64) -> Result<(), String> {
        self.has(agent, session).inspect_err(|why| self.lost(agent, why))
    }

    fn uses(&self, agent: &str, session: u64) {
        let mut of_trial = self.of_trial();
        let known = *of_trial.used.entry(agent.to_owned()).or_insert(session);
        if known != session {
            of_trial.lost.get_or_insert_with(|| lost(agent, GONE));
        }
    }

    fn lost(&self, agent: &str, why: &str) {
        self.of_trial().lost.get_or_insert_with(|| lost(agent, why));
    }

    fn clock(&self, agent: &str) -> SeatClock {
        if let Some(clock) = self.of_trial().settled.get(agent) {
            return *clock;
        }
        let now = Moment::now();
        let lately = Moment::of_ns(now.ns() - i64::try_from(LATELY.as_nanos()).unwrap_or_default());
        // What the trial's roles have written so far is as old as the trial. A clock that was set before it began is known since then, and one
        // that was set since is known now: that ends the trial when it is settled, and until then nothing waits in vain.
        let begun = self.of_trial().begun.unwrap_or(now);
        let known =
            [begun.min(lately), begun, now].into_iter().find_map(|from| self.clock_of(agent, from, now).ok());
        let mut of_trial = self.of_trial();
        match known {
            Some(clock) => {
                of_trial.last.insert(agent.to_owned(), clock);
                clock
            }
            None => of_trial.last.get(agent).copied().unwrap_or(SeatClock::OURS),
        }
    }

    fn close(&self, agent: &str, number: u64) {
        self.coordinator.close(agent, number);
    }
}

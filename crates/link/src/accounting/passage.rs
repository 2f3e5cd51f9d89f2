//! When packets that carry messages entered the link and left it, for the time split of messages.

use serde::{Deserialize, Serialize};

use super::Phase;
use crate::spec::Direction;

/// Packets that are kept: 10,000 messages of a few packets each. Where there are more, none is told.
const LIMIT: usize = 1 << 16;

/// A packet of the measured phase that carries a message, or may do so as far as can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// Its flow, an index into the counters' flows.
    pub flow: u32,
    /// Where it went.
    pub direction: Direction,
    /// Whether it was sent before, wholly or in part.
    pub resent: bool,
    /// When it entered, CLOCK_MONOTONIC.
    pub entered_ns: u64,
    /// When it was handed to the receiving host; absent where it was dropped.
    pub delivered_ns: Option<u64>,
}

/// What the books say of a packet that carries a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(super) flow: usize,
    pub(super) resent: bool,
}

/// The list of passages while it grows.
#[derive(Debug, Default)]
pub(crate) struct Passages {
    phase: Phase,
    list: Vec<Passage>,
    overflown: bool,
}

impl Passages {
    pub(crate) fn mark(&mut self, phase: Phase) {
        self.phase = phase;
    }

    /// Notes a packet; its place, where it is kept.
    pub(crate) fn enter(&mut self, entry: Entry, direction: Direction, entered_ns: u64) -> Option<u32> {
        if self.phase != Phase::Measure || self.overflown {
            return None;
        }
        if self.list.len() == LIMIT {
            self.overflown = true;
            self.list = Vec::new();
            return None;
        }
        let place = u32::try_from(self.list.len()).ok()?;
        let flow = u32::try_from(entry.flow).ok()?;
        self.list.push(Passage { flow, direction, resent: entry.resent, entered_ns, delivered_ns: None });
        Some(place)
    }

    pub(crate) fn delivered(&mut self, place: u32, at_ns: u64) {
        if let Some(passage) = self.list.get_mut(place as usize) {
            passage.delivered_ns = Some(at_ns);
        }
    }

    /// All of them, where all are kept.
    pub(crate) fn all(&self) -> Option<Vec<Passage>> {
        (!self.overflown).then(|| self.list.clone())
    }
}

//! When messages entered and left the link, for the time split of messages. Messages are identified by their body, as in the
//! accounting of deliveries: a wrong body, from a misread frame, matches no message.
//!
//! When reported to the program, a passage takes about 150 bytes of JSON, so a trial's take 10 MB at most.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::spec::Direction;

/// Most passages kept: 32,768 messages that cross the link twice. If there are more, none is reported.
const LIMIT: usize = 1 << 16;

/// One message crossing the link in one direction, begun in the measured phase. Messages that share a frame have passages with the
/// same times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// Index of its flow in the counters' flows.
    pub flow: u32,
    /// The direction in which it crossed.
    pub direction: Direction,
    /// XXH3-128 of the message's body.
    pub digest: u128,
    /// Whether the datagrams that carry it were all sent before: the passage is that of a copy. TCP retransmissions belong to the
    /// passage that they repair.
    pub resent: bool,
    /// When its first byte, including the frame's header, first entered; CLOCK_MONOTONIC.
    pub entered_ns: u64,
    /// When the receiving host had all of it and, in a stream, everything before it; absent if that never happened.
    pub delivered_ns: Option<u64>,
}

/// What a packet carries of messages when it is handed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Carried {
    /// A contiguous part of a stream.
    Stretch(Stretch),
    /// Messages, or parts of them.
    Parts(Vec<Part>),
}

/// Bytes of one direction of a TCP connection, counted from its SYN, which is the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(super) flow: usize,
    pub(super) direction: Direction,
    /// Distinguishes connections with the same ports.
    pub(super) connection: u32,
    pub(super) begin: u64,
    pub(super) end: u64,
}

/// What a datagram holds of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The complete message: the index of its passage.
    Whole(u32),
    /// This many pieces of an assembly.
    Pieces { assembly: usize, first: u32, count: u32 },
}

/// The list of passages while messages enter.
#[derive(Debug, Default)]
pub(super) struct Passages {
    list: Vec<Passage>,
    overflown: bool,
}

impl Passages {
    /// A list that keeps none.
    pub(super) fn none() -> Self {
        Passages { overflown: true, ..Passages::default() }
    }

    /// Whether more passages can be kept.
    pub(super) fn has_room(&self) -> bool {
        !self.overflown
    }

    /// Records a message that has entered; returns its index if it is kept.
    pub(super) fn enter(&mut self, flow: usize, direction: Direction, message: Message) -> Option<u32> {
        if self.list.len() == LIMIT {
            self.overflown = true;
            self.list = Vec::new();
        }
        if self.overflown {
            return None;
        }
        let place = u32::try_from(self.list.len()).ok()?;
        let (flow, Message { digest, resent, entered_ns }) = (u32::try_from(flow).ok()?, message);
        self.list.push(Passage { flow, direction, digest, resent, entered_ns, delivered_ns: None });
        Some(place)
    }

    /// Records delivery to the receiving host; later copies change nothing.
    pub(super) fn delivered(&mut self, place: u32, at_ns: u64) {
        if let Some(passage) = self.list.get_mut(place as usize) {
            passage.delivered_ns.get_or_insert(at_ns);
        }
    }

    /// All passages, if none had to be dropped.
    pub(super) fn all(&self) -> Option<Vec<Passage>> {
        (!self.overflown).then(|| self.list.clone())
    }
}

/// A message that has entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) digest: u128,
    pub(super) resent: bool,
    pub(super) entered_ns: u64,
}

impl Message {
    pub(super) fn of(body: &[u8], entered_ns: u64) -> Self {
        Message { digest: xxh3_128(body), resent: false, entered_ns }
    }
}

/// How far the receiving host has one direction of a TCP connection without a gap, and which messages wait for that. A message that
/// arrives after a lost segment is complete when that segment has been retransmitted, as for the receiver.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    connection: u32,
    /// Position of the first gap; absent before the first segment.
    frontier: Option<u64>,
    /// Stretches after the gap, in order and disjoint.
    ahead: Vec<(u64, u64)>,
    /// Where messages end, in order, and the indices of their passages.
    awaited: VecDeque<(u64, u32)>,
}

impl Arrivals {
    /// A connection begins; position 0 is its SYN.
    pub(super) fn opened(&mut self) {
        *self = Arrivals { connection: self.connection.wrapping_add(1), ..Arrivals::default() };
    }

    /// The number of the connection, as in its stretches.
    pub(super) fn begun(&mut self, first: u64) -> u32 {
        self.frontier.get_or_insert(first);
        self.connection
    }

    /// Registers a message that ends before `end`, to be reported on arrival.
    pub(super) fn await_end(&mut self, end: u64, place: u32) {
        self.awaited.push_back((end, place));
    }

    /// Records a stretch that was handed over; returns the messages that it completes.
    pub(super) fn delivered(&mut self, stretch: &Stretch) -> impl Iterator<Item = u32> + '_ {
        if stretch.connection == self.connection {
            let place = self.ahead.partition_point(|(begin, _)| *begin < stretch.begin);
            self.ahead.insert(place, (stretch.begin, stretch.end));
        }
        let mut frontier = self.frontier.unwrap_or_default();
        let joined = self.ahead.iter().take_while(|(begin, end)| {
            let joins = *begin <= frontier;
            frontier = if joins { frontier.max(*end) } else { frontier };
            joins
        });
        let joined = joined.count();
        self.ahead.drain(..joined);
        self.frontier = self.frontier.map(|_| frontier);
        let whole = self.awaited.partition_point(|(end, _)| *end <= frontier);
        self.awaited.drain(..whole).map(|(_, place)| place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(begin: u64, end: u64) -> Stretch {
        Stretch { flow: 0, direction: Direction::Up, connection: 0, begin, end }
    }

    #[test]
    fn a_message_behind_a_gap_is_there_when_the_gap_is_closed() {
        let mut arrivals = Arrivals::default();
        arrivals.begun(1);
        for (end, place) in [(11, 0), (25, 1), (31, 2), (41, 3)] {
            arrivals.await_end(end, place);
        }
        let mut given = |begin, end| arrivals.delivered(&stretch(begin, end)).collect::<Vec<u32>>();
        assert_eq!(given(1, 11), [0]);
        assert_eq!(given(21, 31), [0_u32; 0], "11 to 20 are missing");
        assert_eq!(given(31, 41), [0_u32; 0]);
        assert_eq!(given(5, 15), [0_u32; 0], "in part what was there");
        assert_eq!(given(11, 21), [1, 2, 3]);
        assert_eq!(given(11, 21), [0_u32; 0], "once more");
    }

    #[test]
    fn what_is_of_an_earlier_connection_moves_nothing() {
        let mut arrivals = Arrivals::default();
        arrivals.begun(1);
        arrivals.opened();
        assert_eq!(arrivals.begun(0), 1);
        arrivals.await_end(5, 7);
        assert_eq!(arrivals.delivered(&stretch(0, 10)).count(), 0);
        assert_eq!(arrivals.delivered(&Stretch { connection: 1, ..stretch(0, 10) }).next(), Some(7));
    }

    #[test]
    fn of_too_many_messages_none_is_told() {
        let mut passages = Passages::default();
        let message = Message::of(b"body", 5);
        for number in 0..LIMIT {
            assert_eq!(passages.enter(0, Direction::Up, message), Some(number as u32));
        }
        passages.delivered(3, 9);
        passages.delivered(3, 11);
        assert_eq!(passages.all().unwrap()[3].delivered_ns, Some(9));
        assert!(passages.has_room() && passages.enter(0, Direction::Up, message).is_none());
        assert_eq!((passages.has_room(), passages.all()), (false, None));
    }
}

//! When messages entered the link and left it, for the time split of messages. Which message it was is told by its body, as the
//! accounting of deliveries does it: a body that is not the right one, because a frame was misread, is no message's.
//!
//! To the program a passage costs some 150 bytes of JSON, so that a trial's are 10 MB at most.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::spec::Direction;

/// Passages that are kept: of 32,768 messages that cross twice. Where there are more, none is told.
const LIMIT: usize = 1 << 16;

/// One message on its way over the link in one direction, begun in the measured phase. Messages that share a frame have passages
/// with the same times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// Its flow, an index into the counters' flows.
    pub flow: u32,
    /// Where it went.
    pub direction: Direction,
    /// XXH3-128 of its body.
    pub digest: u128,
    /// Whether datagrams that carry it were sent before, as a whole: the passage is that of a copy. What TCP repeats belongs to the
    /// passage that it repairs.
    pub resent: bool,
    /// When its first byte, with the frame's header, entered for the first time, CLOCK_MONOTONIC.
    pub entered_ns: u64,
    /// When the receiving host had all of it, and of a stream all that stands before it; absent where that never was.
    pub delivered_ns: Option<u64>,
}

/// What a packet brings when it is handed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Carried {
    /// A part of a stream.
    Stretch(Stretch),
    /// Messages, or parts of them.
    Parts(Vec<Part>),
}

/// Bytes of one direction of a TCP connection, counted from its SYN, which is the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(super) flow: usize,
    pub(super) direction: Direction,
    /// Which of the connections with the same ports.
    pub(super) connection: u32,
    pub(super) begin: u64,
    pub(super) end: u64,
}

/// What a datagram holds of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// All of it: the place of its passage.
    Whole(u32),
    /// So many pieces of an assembly.
    Pieces { assembly: usize, first: u32, count: u32 },
}

/// The list of passages while it grows.
#[derive(Debug, Default)]
pub(super) struct Passages {
    list: Vec<Passage>,
    overflown: bool,
}

impl Passages {
    /// Whether further ones are kept.
    pub(super) fn has_room(&self) -> bool {
        !self.overflown
    }

    /// Notes a message that has entered; its place, where it is kept.
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

    /// The receiving host has it; what comes again later changes nothing.
    pub(super) fn delivered(&mut self, place: u32, at_ns: u64) {
        if let Some(passage) = self.list.get_mut(place as usize) {
            passage.delivered_ns.get_or_insert(at_ns);
        }
    }

    /// All of them, where all are kept.
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

/// Up to where the receiving host has one direction of a TCP connection without a gap, and which messages wait for that. So a
/// message that has arrived behind a lost segment is there when that segment has come again, as the receiver reads it.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    connection: u32,
    /// Where the first gap is; absent before the first segment.
    frontier: Option<u64>,
    /// Stretches behind the gap, in their order, apart from each other.
    ahead: Vec<(u64, u64)>,
    /// Where messages end, in order, and the places of their passages.
    awaited: VecDeque<(u64, u32)>,
}

impl Arrivals {
    /// A connection begins, whose first byte is of its SYN.
    pub(super) fn opened(&mut self) {
        *self = Arrivals { connection: self.connection.wrapping_add(1), ..Arrivals::default() };
    }

    /// Which connection it is, as stretches of it say.
    pub(super) fn begun(&mut self, first: u64) -> u32 {
        self.frontier.get_or_insert(first);
        self.connection
    }

    /// A message that ends before `end` is to be told of.
    pub(super) fn await_end(&mut self, end: u64, place: u32) {
        self.awaited.push_back((end, place));
    }

    /// A stretch was handed over; gives the messages that are whole by it.
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

//! When each message crossed the link, from the passages of messages that the link has seen. Times of passages are by the link's
//! clock, all others by ours.
//!
//! A passage is assigned to a message by its body, as an arrival is: among equal bodies by time, since none is sent while its equal is in flight.
//! Passages on the publisher's flows are the hop to the broker, those on the subscriber's flows the hop from it. A crossing begins
//! when the message's first byte entered, and ends when the host had the first complete copy of it, in a stream with everything
//! before it: waiting behind other data and for repeats is the network's, however many messages are in flight.
//!
//! A message that did not arrive has no crossing, nor has one whose body was not found in any frame: because it is encrypted or
//! compressed by the client, or in a format that the link can't read.

use std::collections::HashMap;

use wiredyno_link::accounting::{FlowCounters, LinkCounters, Passage};
use wiredyno_link::spec::Direction;
use wiredyno_model::trial::{Crossing, MessageRecord};
use wiredyno_model::{Host, Hosts};
use wiredyno_process::socket::Socket;
use wiredyno_seats::seat::clock::{SeatClock, Stamp};

use crate::traffic::owned;

/// Adds their crossings to messages.
pub struct Crossings {
    ways: Option<[Passages; 2]>,
    known: u64,
}

impl Crossings {
    /// For the messages of a trial, with the sockets of its publisher and its subscriber, and the link's counters and clock.
    /// Without a link, or if it does not know the messages, messages are passed on unchanged.
    pub fn new(
        counted: Option<(&LinkCounters, SeatClock)>,
        sockets: (&[Socket], &[Socket]),
        hosts: &Hosts,
    ) -> Self {
        let known =
            counted.and_then(|(counters, clock)| Some((counters, counters.passages.as_ref()?, clock)));
        let ways = known.map(|(counters, passages, clock)| {
            let way =
                |sockets, from, to| Passages::new((passages, clock), &counters.flows, sockets, (from, to));
            [way(sockets.0, hosts.publisher, hosts.broker), way(sockets.1, hosts.broker, hosts.subscriber)]
        });
        Crossings { ways, known: 0 }
    }

    /// How many messages so far have a known crossing; `None` if there is no source for it.
    pub fn known(&self) -> Option<u64> {
        self.ways.is_some().then_some(self.known)
    }

    /// A message with its crossing, if that is known. `digest` is that of its body.
    pub fn told(&mut self, digest: u128, mut message: MessageRecord) -> MessageRecord {
        if let (Some(ways), Some(received_ns)) = (&self.ways, message.received_ns) {
            message.crossing = between(ways, digest, message.encoded_ns, received_ns);
            self.known += u64::from(message.crossing.is_some());
        }
        message
    }
}

fn between(ways: &[Passages; 2], digest: u128, begin_ns: i64, end_ns: i64) -> Option<Crossing> {
    let to = ways[0].crossed(digest, begin_ns, end_ns)?;
    let from = ways[1].crossed(digest, to.map_or(begin_ns, |(_, at_ns)| at_ns), end_ns)?;
    to.or(from).map(|_| Crossing {
        to_broker_ns: to.map(|(begin_ns, _)| begin_ns),
        at_broker_ns: to.map(|(_, end_ns)| end_ns),
        from_broker_ns: from.map(|(begin_ns, _)| begin_ns),
        at_subscriber_ns: from.map(|(_, end_ns)| end_ns),
    })
}

/// The messages of a role on one hop.
struct Passages {
    /// Whether the hop goes over the link at all.
    crosses: bool,
    /// By the digests of the bodies.
    passed: HashMap<u128, Vec<Passed>>,
}

/// A passage, in times of our clock.
struct Passed {
    entered_ns: i64,
    delivered_ns: Option<i64>,
    resent: bool,
}

impl Passages {
    fn new(
        (passages, clock): (&[Passage], SeatClock),
        flows: &[FlowCounters],
        sockets: &[Socket],
        (from, to): (Host, Host),
    ) -> Self {
        let direction = match from {
            Host::Edge => Direction::Up,
            Host::Cloud => Direction::Down,
        };
        let own: Vec<bool> = flows.iter().map(|flow| owned(flow, sockets)).collect();
        let belongs = |passage: &&Passage| {
            passage.direction == direction && own.get(passage.flow as usize).copied().unwrap_or(false)
        };
        let crosses = from != to;
        let own = passages.iter().filter(|one| crosses && belongs(one));
        Self { crosses, passed: Self::of(own, clock) }
    }

    fn of<'p>(passages: impl Iterator<Item = &'p Passage>, clock: SeatClock) -> HashMap<u128, Vec<Passed>> {
        let ours_ns =
            |stamp_ns: u64| clock.moment(Stamp::of_ns(i64::try_from(stamp_ns).unwrap_or(i64::MAX))).ns();
        let mut passed: HashMap<u128, Vec<Passed>> = HashMap::new();
        for one in passages {
            passed.entry(one.digest).or_default().push(Passed {
                entered_ns: ours_ns(one.entered_ns),
                delivered_ns: one.delivered_ns.map(ours_ns),
                resent: one.resent,
            });
        }
        passed
    }

    /// When a message that was in flight in this span began to cross, and when it had crossed; `Some(None)` if it does not go over the link,
    /// `None` if it is not known.
    fn crossed(&self, digest: u128, begin_ns: i64, end_ns: i64) -> Option<Option<(i64, i64)>> {
        if !self.crosses {
            return Some(None);
        }
        let passed = self.passed.get(&digest)?;
        // A repeat may be of an earlier equal message.
        let new = passed.iter().filter(|one| !one.resent && one.entered_ns >= begin_ns);
        let entered_ns = new.map(|one| one.entered_ns).min()?;
        let copies = passed.iter().filter(|one| one.entered_ns >= entered_ns);
        let delivered_ns = copies.filter_map(|one| one.delivered_ns).min()?;
        (delivered_ns <= end_ns).then_some(Some((entered_ns, delivered_ns)))
    }
}

#[cfg(test)]
mod tests;

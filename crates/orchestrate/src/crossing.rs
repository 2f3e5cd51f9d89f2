//! When each message crossed the link, from the packets that carried messages. Times of packets are stamps of the link's clock, all
//! others are of ours.
//!
//! A packet does not say which message it carries, so a message has a crossing only where no other one was on its way
//! meanwhile: from its bytes being ready to its receipt. The packets of the publisher's flows in that span that carry messages are
//! its way to the broker, those of the subscriber's flows its way from it. A crossing begins with the first packet that is new
//! and ends with the last that was handed over, repeats included, so that waiting for a repeat is the network's.

use wiredyno_link::accounting::{FlowCounters, LinkCounters, Passage};
use wiredyno_link::spec::Direction;
use wiredyno_model::trial::{Crossing, MessageRecord};
use wiredyno_model::{Host, Hosts};
use wiredyno_process::socket::Socket;

use crate::seat::clock::{SeatClock, Stamp};
use crate::traffic::owned;

/// Tells messages that come in order of sending when they crossed. One is held back until the next is known.
pub struct Crossings<'a> {
    ways: Option<[Way<'a>; 2]>,
    held: Option<MessageRecord>,
    /// Until when those before the one that is held were on their way.
    busy_until_ns: i64,
    known: u64,
}

impl<'a> Crossings<'a> {
    /// For the messages of a trial, with the sockets of its publisher and its subscriber, and what the link has counted by its clock.
    /// Without a link, and where its packets are not known, messages pass as they are.
    pub fn new(
        counted: Option<(&'a LinkCounters, SeatClock)>,
        sockets: (&[Socket], &[Socket]),
        hosts: &Hosts,
    ) -> Self {
        let known =
            counted.and_then(|(counters, clock)| Some((counters, counters.passages.as_ref()?, clock)));
        let ways = known.map(|(counters, passages, clock)| {
            let way = |sockets, from, to| Way::new((passages, clock), &counters.flows, sockets, (from, to));
            [way(sockets.0, hosts.publisher, hosts.broker), way(sockets.1, hosts.broker, hosts.subscriber)]
        });
        Crossings { ways, held: None, busy_until_ns: i64::MIN, known: 0 }
    }

    /// Takes the next message and gives the one before.
    pub fn push(&mut self, message: MessageRecord) -> Option<MessageRecord> {
        let told = self.held.take().map(|held| self.told(held, message.encoded_ns));
        self.held = Some(message);
        told
    }

    /// Gives the last message.
    pub fn last(&mut self) -> Option<MessageRecord> {
        self.held.take().map(|held| self.told(held, i64::MAX))
    }

    /// Messages so far whose crossing is known; `None` where no packet tells.
    pub fn known(&self) -> Option<u64> {
        self.ways.is_some().then_some(self.known)
    }

    fn told(&mut self, mut message: MessageRecord, next_ns: i64) -> MessageRecord {
        let Some(ways) = &self.ways else { return message };
        let (begin_ns, end_ns) = (message.encoded_ns, end_ns(&message));
        let alone = self.busy_until_ns < begin_ns && next_ns > end_ns;
        self.busy_until_ns = self.busy_until_ns.max(end_ns);
        if alone && message.received_ns.is_some() {
            message.crossing = between(ways, begin_ns, end_ns);
            self.known += u64::from(message.crossing.is_some());
        }
        message
    }
}

/// Until when a message was on its way. One that was lost may have been at any time, so that it keeps those behind it from being
/// told: its deadline has passed before a closed load sends the next, but a copy of it can still be under way.
fn end_ns(message: &MessageRecord) -> i64 {
    message.received_ns.unwrap_or(message.acked_ns.or(message.sent_ns).unwrap_or(message.encoded_ns))
}

fn between(ways: &[Way<'_>; 2], begin_ns: i64, end_ns: i64) -> Option<Crossing> {
    let from = ways[1].begin_ns(begin_ns, end_ns);
    let to = ways[0].begin_ns(begin_ns, from.unwrap_or(end_ns));
    let arrived = to.and_then(|to| ways[0].end_ns(to, from.unwrap_or(end_ns)));
    let left = from.and_then(|from| ways[1].end_ns(from, end_ns));
    let whole =
        |way: &Way<'_>, begin: Option<i64>, end: Option<i64>| !way.crosses || begin.and(end).is_some();
    let any = ways.iter().any(|way| way.crosses);
    (any && whole(&ways[0], to, arrived) && whole(&ways[1], from, left)).then_some(Crossing {
        to_broker_ns: to,
        at_broker_ns: arrived,
        from_broker_ns: from,
        at_subscriber_ns: left,
    })
}

/// The packets of a role that carry messages one way, in the order in which they entered.
struct Way<'a> {
    /// Whether it goes over the link at all.
    crosses: bool,
    passages: Vec<&'a Passage>,
    /// Of their times.
    clock: SeatClock,
}

impl<'a> Way<'a> {
    fn new(
        (passages, clock): (&'a [Passage], SeatClock),
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
        Self { crosses, passages: passages.iter().filter(|one| crosses && belongs(one)).collect(), clock }
    }

    /// When the first new packet of a span entered.
    fn begin_ns(&self, begin_ns: i64, end_ns: i64) -> Option<i64> {
        let first = self.passages.partition_point(|one| self.ours_ns(one.entered_ns) < begin_ns);
        let new = self.passages[first..].iter().find(|one| !one.resent)?;
        Some(self.ours_ns(new.entered_ns)).filter(|at_ns| *at_ns <= end_ns)
    }

    /// When the last packet of a span was handed over.
    fn end_ns(&self, begin_ns: i64, end_ns: i64) -> Option<i64> {
        let first = self.passages.partition_point(|one| self.ours_ns(one.entered_ns) < begin_ns);
        let entered = self.passages[first..].iter().take_while(|one| self.ours_ns(one.entered_ns) <= end_ns);
        entered.filter_map(|one| Some(self.ours_ns(one.delivered_ns?))).filter(|at_ns| *at_ns <= end_ns).max()
    }

    fn ours_ns(&self, stamp_ns: u64) -> i64 {
        self.clock.moment(Stamp::of_ns(i64::try_from(stamp_ns).unwrap_or(i64::MAX))).ns()
    }
}

#[cfg(test)]
mod tests;

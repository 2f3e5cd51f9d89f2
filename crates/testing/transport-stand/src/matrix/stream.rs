//! A publisher that sends continuously, and its subscriber, while something happens to the broker.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use wiredyno_contract::Capability;
use wiredyno_transport::{ClientSetup, FinishError, Publisher, Subscriber};

use super::Mode;
use crate::exchange::setup;
use crate::notebook::{Arrivals, LIMIT, Notebook, Seen};

/// How many messages arrive and are acknowledged before anything happens.
pub const SETTLED: u32 = 500;

/// Most messages in flight at once.
const UNDER_WAY: usize = 100;

/// Polling interval for whether enough has been sent.
const LOOK: Duration = Duration::from_millis(20);

/// What is known of a stream, from the notebooks of both roles.
pub struct Record {
    pub mode: Mode,
    pub publishes: Arc<Notebook>,
    pub arrives: Arc<Notebook>,
    sent: u32,
}

/// A publisher and a subscriber of one mode.
pub struct Stream {
    pub record: Record,
    pub publisher: Box<dyn Publisher>,
    subscriber: Box<dyn Subscriber>,
}

/// How the roles of a stream ended.
pub struct Ended {
    pub publisher: Result<(), FinishError>,
    pub subscriber: Result<(), FinishError>,
}

impl Stream {
    pub fn open(mode: &Mode, endpoint: SocketAddr, case: &str) -> Stream {
        let setup = setup(mode.setting(), endpoint, &mode.topic(case));
        let [publishes, arrives] = [(); 2].map(|()| Arc::new(Notebook::default()));
        let subscriber = mode.transport.subscriber(&setup, Box::new(Arrivals(arrives.clone()))).unwrap();
        let publisher = mode.transport.publisher(&setup, publishes.clone()).unwrap();
        let record = Record { mode: mode.clone(), publishes, arrives, sent: 0 };
        Stream { record, publisher, subscriber }
    }

    /// Sends the next number; returns whether it was taken.
    pub fn send(&mut self) -> bool {
        let number = self.record.sent;
        let taken = self.publisher.send(number.into(), &number.to_le_bytes()).is_ok();
        self.record.sent += u32::from(taken);
        taken
    }

    /// Sends the first messages and waits until all have arrived and are acknowledged.
    pub fn settle(&mut self, messages: u32) {
        (0..messages).for_each(|_| assert!(self.send()));
        let (name, all) = (self.record.mode.name(), messages as usize);
        let acks = if self.publisher.acknowledges() { all } else { 0 };
        let sent = |seen: &Seen| seen.sent.len() >= all && seen.acked.len() >= acks;
        self.record.publishes.wait(&name, sent, |_| ());
        self.record.arrives.wait(&name, |seen| seen.bodies.len() >= all, |_| ());
    }

    /// Continues sending on a thread, with few in flight, until `enough` is set or a connection is lost.
    pub fn flow(mut self, enough: Arc<AtomicBool>) -> JoinHandle<Stream> {
        let work = move || {
            while !enough.load(Ordering::SeqCst) {
                let least = (self.record.sent as usize).saturating_sub(UNDER_WAY);
                let room = self.record.arrives.holds_within(LOOK, |seen| seen.bodies.len() >= least);
                if room && !self.send() {
                    break;
                }
            }
            self
        };
        std::thread::spawn(work)
    }

    /// Ends both roles, each within `grace`; either may fail.
    pub fn end(self, grace: Duration) -> (Record, Ended) {
        let publisher = self.publisher.finish(grace);
        (self.record, Ended { publisher, subscriber: self.subscriber.finish(grace) })
    }

    /// Ends both roles cleanly; where messages are retransmitted, the subscriber ends when all have arrived.
    pub fn complete(self) -> Record {
        let name = self.record.mode.name();
        self.publisher.finish(LIMIT).unwrap_or_else(|error| panic!("{name}: {error}"));
        if self.record.mode.has(Capability::Reliable) {
            let all = self.record.sent as usize;
            let whole = |seen: &Seen| seen.bodies.len() >= all && distinct(seen).len() >= all;
            self.record.arrives.wait(&name, whole, |_| ());
        }
        self.subscriber.finish(LIMIT).unwrap_or_else(|error| panic!("{name}: {error}"));
        self.record
    }
}

/// The numbers that arrived, in order of arrival.
fn numbers(seen: &Seen) -> impl Iterator<Item = u32> {
    seen.bodies.iter().map(|body| u32::from_le_bytes(body.as_slice().try_into().unwrap()))
}

fn distinct(seen: &Seen) -> BTreeSet<u32> {
    numbers(seen).collect()
}

impl Record {
    /// Checks what arrived against what was sent and what the mode promises: duplicates only if declared, everything that had
    /// settled, and no gap if order is promised, or (if both roles `went_on`) if messages are retransmitted until they arrive.
    pub fn count(&self, went_on: bool) {
        let arrived: Vec<u32> = self.arrives.look(|seen| numbers(seen).collect());
        let distinct = self.arrives.look(distinct);
        let copies = arrived.len() - distinct.len();
        let counts = format!(
            "{}: {} sent, {} acknowledged, {} arrived, {copies} copies",
            self.mode.name(),
            self.sent,
            self.publishes.look(|seen| seen.acked.len()),
            distinct.len()
        );
        assert!(copies == 0 || self.mode.has(Capability::MayDuplicate), "{counts}: no copies are declared");
        assert!((0..SETTLED).all(|number| distinct.contains(&number)), "{counts}: what had arrived is lost");
        assert!(distinct.last().is_some_and(|last| *last < self.sent), "{counts}: more than was sent");
        if went_on && self.mode.has(Capability::Reliable) {
            assert_eq!(distinct.len(), self.sent as usize, "{counts}: messages are lost");
        }
        if !went_on && self.mode.has(Capability::Ordered) && copies == 0 {
            assert!(arrived.iter().copied().eq(0..arrived.len() as u32), "{counts}: a gap, or out of order");
        }
    }
}

/// Checks that a new publisher and a new subscriber carry messages.
pub fn works(mode: &Mode, endpoint: SocketAddr, case: &str) {
    let mut fresh = Stream::open(mode, endpoint, case);
    fresh.settle(10);
    fresh.complete();
}

/// The errors of a new publisher and a new subscriber, which must come within the limit.
pub fn refused(mode: &Mode, endpoint: SocketAddr, limit: Duration) -> [String; 2] {
    let setup = ClientSetup { limit, ..setup(mode.setting(), endpoint, &mode.topic("refused")) };
    let book = Arc::new(Notebook::default());
    let publisher = mode.transport.publisher(&setup, book.clone()).err();
    let subscriber = mode.transport.subscriber(&setup, Box::new(Arrivals(book))).err();
    [publisher, subscriber].map(|error| error.unwrap().to_string())
}

//! The subscriber's role: everything happens on the transport's receiving thread.
//!
//! An arrival is stamped `received` by the transport, then decompressed, decoded and stamped `decoded`; reading its
//! fields, hashing, the gate and the record come after.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wiredyno_runner_wire::Success;
use wiredyno_runner_wire::bulk::{ABSENT, ReceivedRow, SentRow};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::{FinishError, ReceivedSink, Subscriber};
use xxhash_rust::xxh3::xxh3_128;

use crate::codec::Loaded;
use crate::gate::Receipts;
use crate::stand::Receiving;
use crate::tally::Tally;

/// Records for which room is made beforehand.
const ROOM: usize = 1 << 16;

/// Records that are looked at in one go: the receiving thread must not wait long for them.
const LOOK: usize = 1 << 10;

/// What arrived, shared by the receiving thread and the session.
#[derive(Default)]
pub struct Arrivals {
    pub tally: Tally,
    last_ns: AtomicI64,
    /// CPU time of the stand's own work so far, nanoseconds.
    pub stand_cpu_ns: AtomicU64,
    rows: Mutex<Vec<ReceivedRow>>,
    broken: Mutex<Option<String>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Arrivals {
    /// Why the connection is lost, if it is.
    pub fn broken(&self) -> Option<String> {
        locked(&self.broken).clone()
    }

    /// Progress until a moment: arrivals, and when the last was received.
    pub fn wait(&self, messages: u64, until_ns: i64, given_up: &AtomicBool) -> (u64, Option<i64>) {
        let arrived = self.tally.wait(messages, until_ns, given_up);
        (arrived, self.last_ns(arrived))
    }

    /// Waits until a moment for all of these messages; gives how many have arrived, and when the last of all was received.
    /// Copies count once, and what came before the first of them was sent does not.
    pub fn wait_for(&self, awaited: Awaited, until_ns: i64, given_up: &AtomicBool) -> (u64, Option<i64>) {
        let Awaited { messages, begun_ns, mut missing } = awaited;
        let (mut seen, mut left) = (0, messages);
        loop {
            // Asked before the rows are looked at: what came until then counts.
            let over = now_ns() >= until_ns || given_up.load(Ordering::SeqCst) || self.broken().is_some();
            loop {
                let next: Vec<ReceivedRow> = locked(&self.rows)[seen..].iter().take(LOOK).copied().collect();
                for row in &next {
                    let awaited = missing.get_mut(&row.digest).filter(|_| row.received_ns >= begun_ns);
                    if let Some(times @ 1..) = awaited {
                        *times -= 1;
                        left -= 1;
                    }
                }
                seen += next.len();
                if next.len() < LOOK {
                    break;
                }
            }
            if left == 0 || over {
                return (messages - left, self.last_ns(seen as u64));
            }
            // As many have to arrive yet: nobody is woken for fewer.
            self.tally.wait(seen as u64 + left, until_ns, given_up);
        }
    }

    fn last_ns(&self, arrived: u64) -> Option<i64> {
        (arrived > 0).then(|| self.last_ns.load(Ordering::SeqCst))
    }
}

/// Messages that are waited for, by content.
pub struct Awaited {
    /// How many there are.
    pub messages: u64,
    /// When the publisher turned to the first of them.
    begun_ns: i64,
    missing: HashMap<u128, u64>,
}

impl Awaited {
    /// Of a publisher's rows, which are gone through one by one.
    pub fn of<E>(sent: impl IntoIterator<Item = Result<SentRow, E>>) -> Result<Self, E> {
        let mut awaited = Awaited { messages: 0, begun_ns: i64::MAX, missing: HashMap::new() };
        for row in sent {
            let row = row?;
            awaited.messages += 1;
            awaited.begun_ns = awaited.begun_ns.min(row.build_start_ns);
            *awaited.missing.entry(row.digest).or_default() += 1;
        }
        Ok(awaited)
    }
}

/// The sink on the receiving thread.
pub struct Receiver {
    arrivals: Arc<Arrivals>,
    loaded: Option<Loaded>,
    receipts: Option<Receipts>,
    stand: Receiving,
}

impl Receiver {
    /// Decodes with the codec, if there is one; tells the gate, if there is one.
    pub fn new(arrivals: Arc<Arrivals>, loaded: Option<Loaded>, receipts: Option<Receipts>) -> Self {
        locked(&arrivals.rows).reserve(ROOM);
        Receiver { arrivals, loaded, receipts, stand: Receiving::new() }
    }
}

impl ReceivedSink for Receiver {
    fn received(&mut self, body: &[u8], received_ns: i64) {
        let mut decoded_ns = ABSENT;
        if let Some(loaded) = &mut self.loaded {
            // What can't be decoded is counted by its missing time; what is decoded was read as well.
            if loaded.receive(body, &mut || decoded_ns = now_ns()).is_err() {
                decoded_ns = ABSENT;
            }
        }
        self.stand.begin(received_ns);
        let digest = xxh3_128(body);
        if let Some(receipts) = &mut self.receipts {
            receipts.tell(digest);
        }
        locked(&self.arrivals.rows).push(ReceivedRow {
            digest,
            body_bytes: body.len() as u64,
            received_ns,
            decoded_ns,
        });
        self.arrivals.last_ns.store(received_ns, Ordering::SeqCst);
        self.arrivals.tally.add();
        self.arrivals.stand_cpu_ns.store(self.stand.end(), Ordering::Relaxed);
    }

    fn broken(&mut self, reason: &str) {
        locked(&self.arrivals.broken).get_or_insert_with(|| reason.to_owned());
        self.arrivals.tally.close();
    }
}

/// The role as the session holds it.
pub struct SubscriberRole {
    pub arrivals: Arc<Arrivals>,
    pub subscriber: Box<dyn Subscriber>,
}

impl SubscriberRole {
    /// What a wait has come to.
    pub fn progress(&self, messages: u64, last_ns: Option<i64>) -> Success {
        let stand_cpu_ns = Some(self.arrivals.stand_cpu_ns.load(Ordering::Relaxed));
        Success::Progress { messages, acked: 0, last_ns, stand_cpu_ns }
    }

    /// Disconnects and gives the records.
    pub fn finish(self, grace: Duration) -> (Vec<ReceivedRow>, Result<(), FinishError>) {
        let connection = self.subscriber.finish(grace);
        (std::mem::take(&mut *locked(&self.arrivals.rows)), connection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(body: &[u8], at_ns: i64) -> SentRow {
        SentRow {
            sequence: 0,
            digest: xxh3_128(body),
            body_bytes: body.len() as u64,
            intended_send_ns: at_ns,
            build_start_ns: at_ns,
            built_ns: at_ns,
            encoded_ns: at_ns,
            handed_over_ns: at_ns,
            sent_ns: at_ns,
            acked_ns: ABSENT,
        }
    }

    fn awaited(sent: &[SentRow]) -> Awaited {
        Awaited::of(sent.iter().map(|row| Ok::<_, std::convert::Infallible>(*row))).unwrap()
    }

    #[test]
    fn copies_and_what_came_before_stand_for_no_message_that_is_awaited() {
        let arrivals = Arc::new(Arrivals::default());
        let mut receiver = Receiver::new(arrivals.clone(), None, None);
        let (sent, given_up) = ([sent(b"a", 100), sent(b"b", 110), sent(b"b", 120)], AtomicBool::new(false));
        let wait = |until_ns| arrivals.wait_for(awaited(&sent), until_ns, &given_up);
        for (body, at_ns) in [(b"a", 90), (b"w", 105), (b"a", 110), (b"a", 115), (b"b", 120)] {
            receiver.received(body, at_ns);
        }
        assert_eq!(wait(now_ns() - 1), (2, Some(120)), "the content of two messages arrived once");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| wait(i64::MAX));
            for (body, at_ns) in [(b"a", 130), (b"x", 140), (b"b", 150)] {
                receiver.received(body, at_ns);
            }
            assert_eq!(waiting.join().unwrap().0, 3);
        });
        receiver.received(b"b", 160);
        assert_eq!(wait(i64::MAX), (3, Some(160)));
    }

    #[test]
    fn a_lost_connection_ends_the_wait() {
        let arrivals = Arc::new(Arrivals::default());
        Receiver::new(arrivals.clone(), None, None).broken("gone");
        let given_up = AtomicBool::new(false);
        assert_eq!(arrivals.wait_for(awaited(&[sent(b"a", 1)]), i64::MAX, &given_up), (0, None));
        given_up.store(true, Ordering::SeqCst);
        assert_eq!(Arrivals::default().wait_for(awaited(&[sent(b"a", 1)]), i64::MAX, &given_up), (0, None));
    }
}

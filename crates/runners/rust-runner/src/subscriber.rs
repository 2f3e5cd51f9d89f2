//! The subscriber's role: everything happens on the transport's receiving thread.
//!
//! An arrival is stamped `received` by the transport, then decompressed, decoded and stamped `decoded`; reading its
//! fields, hashing, the gate and the record come after. Records go to a file in chunks while messages arrive ([`crate::spool`]).

use std::collections::HashMap;
use std::convert::Infallible;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

use wiredyno_contract::bulk::{ABSENT, BulkError, ReceivedRow, digest_for};
use wiredyno_contract::live::LiveWriter;
use wiredyno_contract::{Clients, Membership, Share, Success};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::{FinishError, ReceivedSink, Subscriber};
use xxhash_rust::xxh3::xxh3_128;

use crate::awaited::Awaited;
use crate::clients;
use crate::codec::Loaded;
use crate::gate::Receipts;
use crate::lock::locked;
use crate::spool::Spooling;
use crate::stamps::CHUNK;
use crate::stand::{Receiving, ThreadClock};
use crate::tally::Tally;

/// What arrived, shared by the receiving thread and the session.
pub struct Arrivals {
    pub tally: Tally,
    last_ns: AtomicI64,
    /// CPU time of the stand's own work on each receiving thread so far, nanoseconds.
    stand_cpu_ns: Mutex<HashMap<ThreadId, Arc<AtomicU64>>>,
    kept: Mutex<Kept>,
    records: Spooling<Vec<ReceivedRow>>,
    broken: Mutex<Option<String>>,
}

/// What receiving threads write one at a time.
struct Kept {
    /// Rows that are not handed over yet.
    rows: Vec<ReceivedRow>,
    /// Where arrivals are counted for whoever watches.
    live: Option<LiveWriter>,
}

impl Kept {
    /// Takes the rows, and makes room for the next chunk.
    fn take(&mut self) -> Vec<ReceivedRow> {
        std::mem::replace(&mut self.rows, Vec::with_capacity(CHUNK))
    }
}

impl Arrivals {
    /// # Errors
    /// When there is no file for the rows.
    pub fn new(live: Option<LiveWriter>) -> io::Result<Self> {
        Ok(Arrivals {
            tally: Tally::default(),
            last_ns: AtomicI64::new(0),
            stand_cpu_ns: Mutex::default(),
            kept: Mutex::new(Kept { rows: Vec::with_capacity(CHUNK), live }),
            records: Spooling::begin()?,
            broken: Mutex::default(),
        })
    }

    /// The counter for the stand's work on the calling thread.
    fn stand_of_thread(&self) -> Arc<AtomicU64> {
        locked(&self.stand_cpu_ns).entry(std::thread::current().id()).or_default().clone()
    }

    /// The stand's work on all receiving threads, and on the one that did most of it, nanoseconds.
    fn stand_ns(&self) -> (u64, u64) {
        let threads = locked(&self.stand_cpu_ns);
        // A receiver that moves to another thread may report a decrease there.
        let told = || threads.values().map(|ns| ns.load(Ordering::Relaxed).cast_signed());
        let (all, most) = (told().sum::<i64>(), told().max().unwrap_or_default());
        (all.max(0).unsigned_abs(), most.max(0).unsigned_abs())
    }

    /// Writes the rows of everything that has arrived; returns how many there are.
    fn flush(&self) -> Result<u64, BulkError> {
        // Handed over under the lock, so that they come before concurrent arrivals.
        let mut kept = locked(&self.kept);
        self.records.add(kept.take());
        drop(kept);
        self.records.flush()
    }

    /// Why the connection is lost, if it is.
    pub fn broken(&self) -> Option<String> {
        locked(&self.broken).clone()
    }

    /// Progress until a moment: arrivals, and when the last was received.
    pub fn wait(&self, messages: u64, until_ns: i64, given_up: &AtomicBool) -> (u64, Option<i64>) {
        let arrived = self.tally.wait(messages, until_ns, given_up);
        (arrived, self.last_ns(arrived))
    }

    /// Waits until a moment for all of these messages; returns how many have arrived, and when the last of all was
    /// received. Copies count once, and arrivals before the first of them was sent don't count.
    pub fn wait_for(
        &self,
        mut awaited: Awaited,
        until_ns: i64,
        given_up: &AtomicBool,
    ) -> Result<(u64, Option<i64>), BulkError> {
        let mut seen = 0;
        loop {
            // Read before the rows are checked: what came until then counts.
            let over = now_ns() >= until_ns || given_up.load(Ordering::SeqCst) || self.broken().is_some();
            let (arrived, reader) = (self.flush()?, self.records.reader());
            for row in reader.rows(seen, arrived) {
                awaited.arrived(&row?);
            }
            seen = arrived;
            let left = awaited.left(over, || reader.rows(0, seen))?;
            if left == 0 || over {
                return Ok((awaited.deliveries - left, self.last_ns(seen)));
            }
            // At least this many must still arrive: fewer wake no thread.
            self.tally.wait(seen + left, until_ns, given_up);
        }
    }

    fn last_ns(&self, arrived: u64) -> Option<i64> {
        (arrived > 0).then(|| self.last_ns.load(Ordering::SeqCst))
    }
}

pub struct Receiver {
    arrivals: Arc<Arrivals>,
    loaded: Option<Loaded>,
    receipts: Option<Receipts>,
    /// As which of the role's subscribers it receives, from 0.
    subscriber: u32,
    stand: Receiving,
    /// What the stand's work on its arrivals has taken so far, nanoseconds, and where its thread's total is reported.
    stand_ns: u64,
    told_ns: Option<(ThreadId, Arc<AtomicU64>)>,
}

impl Receiver {
    /// Decodes if there is a codec; writes into the gate if there is one.
    pub fn new(
        arrivals: Arc<Arrivals>,
        loaded: Option<Loaded>,
        receipts: Option<Receipts>,
        subscriber: u32,
    ) -> Self {
        let stand = Receiving::new();
        Receiver { arrivals, loaded, receipts, subscriber, stand, stand_ns: 0, told_ns: None }
    }

    /// The reported time includes estimates for arrivals that were not measured, and decreases where one cost less than those before. A
    /// decrease counts, too, so that the sum over threads is that of all receivers' last reports. It wraps around on the way.
    fn tell_stand(&mut self) {
        let before_ns = std::mem::replace(&mut self.stand_ns, self.stand.end());
        let thread = std::thread::current().id();
        let (_, told_ns) = match self.told_ns.take() {
            Some(told) if told.0 == thread => self.told_ns.insert(told),
            _ => self.told_ns.insert((thread, self.arrivals.stand_of_thread())),
        };
        told_ns.fetch_add(self.stand_ns.wrapping_sub(before_ns), Ordering::Relaxed);
    }
}

impl ReceivedSink for Receiver {
    fn received(&mut self, body: &[u8], received_ns: i64) {
        let mut decoded_ns = ABSENT;
        if let Some(loaded) = &mut self.loaded {
            // A body that can't be decoded is counted by its missing time; one that is decoded was read as well.
            if loaded.receive(body, &mut || decoded_ns = now_ns()).is_err() {
                decoded_ns = ABSENT;
            }
        }
        self.stand.begin(received_ns);
        let digest = xxh3_128(body);
        if let Some(receipts) = &mut self.receipts {
            receipts.tell(digest);
        }
        let mut kept = locked(&self.arrivals.kept);
        if let Some(live) = &mut kept.live {
            live.count(digest, body.len(), received_ns);
        }
        let digest = digest_for(self.subscriber, digest);
        kept.rows.push(ReceivedRow { digest, body_bytes: body.len() as u64, received_ns, decoded_ns });
        if kept.rows.len() >= CHUNK {
            self.arrivals.records.add(kept.take());
        }
        drop(kept);
        self.arrivals.last_ns.fetch_max(received_ns, Ordering::SeqCst);
        self.arrivals.tally.add();
        self.tell_stand();
    }

    fn broken(&mut self, reason: &str) {
        locked(&self.arrivals.broken).get_or_insert_with(|| reason.to_owned());
        self.arrivals.tally.close();
    }
}

/// The role as the session holds it.
pub struct SubscriberRole {
    pub arrivals: Arc<Arrivals>,
    pub subscribers: Vec<Box<dyn Subscriber>>,
    /// How many there are, on how many topics, and whether they share messages; publishers differ only by number here.
    pub clients: Clients,
    /// Those of them that are here.
    pub share: Share,
}

impl SubscriberRole {
    /// The state of a wait. Called on the session's thread, all of whose CPU time is the stand's.
    pub fn progress(&self, messages: u64, last_ns: Option<i64>) -> Success {
        let arrivals = &self.arrivals;
        let (receiving_ns, most_ns) = arrivals.stand_ns();
        let stand_cpu_ns = receiving_ns + arrivals.records.cpu_ns() + ThreadClock::now_ns();
        let session_cpu_ns = stand_cpu_ns.saturating_sub(most_ns);
        Success::Progress { messages, acked: 0, last_ns, stand_cpu_ns: Some(stand_cpu_ns), session_cpu_ns }
    }

    /// Makes all stop receiving before any leaves its group; returns what each did as a member.
    pub fn memberships(&mut self, grace: Duration) -> Vec<Membership> {
        let (share, subscribers): (_, Vec<_>) = (self.share, self.subscribers.iter_mut().collect());
        let told = clients::each(subscribers, |own, client| {
            let subscriber = share.number + own * share.of;
            let membership = client.membership(grace);
            Ok::<_, Infallible>(membership.map(|membership| Membership { subscriber, ..membership }))
        });
        match told {
            Ok(told) => told.into_iter().flatten().collect(),
            Err(never) => match never {},
        }
    }

    /// Disconnects and writes the records; returns how many there are.
    pub fn finish(self, to: File, grace: Duration) -> (Result<u64, BulkError>, Result<(), FinishError>) {
        let connection = clients::end(self.subscribers, |subscriber| subscriber.finish(grace));
        let written = self.arrivals.flush().and_then(|_| self.arrivals.records.copy(0, to));
        (written, connection)
    }
}

#[cfg(test)]
mod tests {
    use wiredyno_contract::bulk::{SentRow, write_sent};

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
        let file = tempfile::NamedTempFile::new().unwrap();
        write_sent(&mut file.reopen().unwrap(), sent).unwrap();
        Awaited::of(file.reopen().unwrap(), (Clients::default(), Share::WHOLE)).unwrap()
    }

    /// Bodies of very different size, so that one arrival's time is a poor estimate of the next.
    #[test]
    fn the_stands_work_is_what_was_told_last_and_not_the_sum_of_its_rises() {
        let arrivals = Arc::new(Arrivals::new(None).unwrap());
        let mut receivers = [0, 1].map(|subscriber| Receiver::new(arrivals.clone(), None, None, subscriber));
        let (small, large) = (vec![7; 10], vec![7; 100_000]);
        for place in 0..2_000 {
            let body = if place % 50 == 0 { &large } else { &small };
            receivers[place % 2].received(body, now_ns());
        }
        let told: u64 = receivers.iter().map(|receiver| receiver.stand_ns).sum();
        assert_eq!(arrivals.stand_ns(), (told, told), "both on this thread");
    }

    #[test]
    fn the_stands_work_of_several_receiving_threads_is_told_of_the_one_that_did_most() {
        let arrivals = Arc::new(Arrivals::new(None).unwrap());
        let taken: Vec<u64> = [10, 1_000, 10]
            .map(|messages| {
                let mut receiver = Receiver::new(arrivals.clone(), None, None, 0);
                let receiving = std::thread::spawn(move || {
                    (0..messages).for_each(|_| receiver.received(&[7; 100], now_ns()));
                    receiver.stand_ns
                });
                receiving.join().unwrap()
            })
            .to_vec();
        let (all, most) = (taken.iter().sum(), taken.iter().copied().max().unwrap());
        assert_eq!(arrivals.stand_ns(), (all, most));
        let role = SubscriberRole {
            arrivals,
            subscribers: Vec::new(),
            clients: Clients::default(),
            share: Share::WHOLE,
        };
        let Success::Progress { stand_cpu_ns: Some(stand), session_cpu_ns: elsewhere, .. } =
            role.progress(0, None)
        else {
            panic!("it tells")
        };
        assert_eq!(stand - elsewhere, most);
    }

    #[test]
    fn copies_and_what_came_before_stand_for_no_message_that_is_awaited() {
        let arrivals = Arc::new(Arrivals::new(None).unwrap());
        let mut receiver = Receiver::new(arrivals.clone(), None, None, 0);
        let (sent, given_up) = ([sent(b"a", 100), sent(b"b", 110), sent(b"b", 120)], AtomicBool::new(false));
        let wait = |until_ns| arrivals.wait_for(awaited(&sent), until_ns, &given_up).unwrap();
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
        let arrivals = Arc::new(Arrivals::new(None).unwrap());
        Receiver::new(arrivals.clone(), None, None, 0).broken("gone");
        let given_up = AtomicBool::new(false);
        let wait =
            |arrivals: &Arrivals| arrivals.wait_for(awaited(&[sent(b"a", 1)]), i64::MAX, &given_up).unwrap();
        assert_eq!(wait(&arrivals), (0, None));
        given_up.store(true, Ordering::SeqCst);
        assert_eq!(wait(&Arrivals::new(None).unwrap()), (0, None));
    }
}

//! The subscriber's role: everything happens on the transport's receiving thread.
//!
//! An arrival is stamped `received` by the transport, then decompressed, decoded and stamped `decoded`; reading its
//! fields, hashing, the gate and the record come after.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wiredyno_runner_wire::bulk::{ABSENT, ReceivedRow};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::{FinishError, ReceivedSink, Subscriber};
use xxhash_rust::xxh3::xxh3_128;

use crate::codec::Loaded;
use crate::gate::Receipts;
use crate::tally::Tally;

/// Records for which room is made beforehand.
const ROOM: usize = 1 << 16;

/// What arrived, shared by the receiving thread and the session.
#[derive(Default)]
pub struct Arrivals {
    pub tally: Tally,
    last_ns: AtomicI64,
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
        (arrived, (arrived > 0).then(|| self.last_ns.load(Ordering::SeqCst)))
    }
}

/// The sink on the receiving thread.
pub struct Receiver {
    arrivals: Arc<Arrivals>,
    loaded: Option<Loaded>,
    receipts: Option<Receipts>,
}

impl Receiver {
    /// Decodes with the codec, if there is one; tells the gate, if there is one.
    pub fn new(arrivals: Arc<Arrivals>, loaded: Option<Loaded>, receipts: Option<Receipts>) -> Self {
        locked(&arrivals.rows).reserve(ROOM);
        Receiver { arrivals, loaded, receipts }
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
        let digest = xxh3_128(body);
        if let Some(receipts) = &self.receipts {
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
    /// Disconnects and gives the records.
    pub fn finish(self, grace: Duration) -> (Vec<ReceivedRow>, Result<(), FinishError>) {
        let connection = self.subscriber.finish(grace);
        (std::mem::take(&mut *locked(&self.arrivals.rows)), connection)
    }
}

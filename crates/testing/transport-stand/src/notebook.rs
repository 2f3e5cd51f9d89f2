//! Sinks that record events.

use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use wiredyno_transport::{ReceivedSink, SentSink};

/// Time limit for any step, on a machine that also does other work; passing tests take a fraction. Steps with limits of their own end
/// long before half of this.
pub const LIMIT: Duration = Duration::from_secs(240);

/// What a sink has recorded so far.
#[derive(Default)]
pub struct Seen {
    /// The bodies that arrived, in order of arrival.
    pub bodies: Vec<Vec<u8>>,
    /// When each body arrived, in nanoseconds.
    pub received_ns: Vec<i64>,
    /// Tokens of sent messages, with timestamps.
    pub sent: Vec<(u64, i64)>,
    /// Tokens of acknowledged messages, with timestamps.
    pub acked: Vec<(u64, i64)>,
    /// Why the connection was lost, if it was.
    pub broken: Option<String>,
}

/// A record shared by the sinks of a test.
#[derive(Default)]
pub struct Notebook {
    seen: Mutex<Seen>,
    changed: Condvar,
}

impl Notebook {
    fn note(&self, change: impl FnOnce(&mut Seen)) {
        change(&mut self.seen.lock().unwrap());
        self.changed.notify_all();
    }

    /// Calls `look` with the current record.
    pub fn look<T>(&self, look: impl FnOnce(&Seen) -> T) -> T {
        look(&self.seen.lock().unwrap())
    }

    /// Waits up to `limit` until `enough` holds; returns whether it does.
    pub fn holds_within(&self, limit: Duration, enough: impl Fn(&Seen) -> bool) -> bool {
        let seen = self.seen.lock().unwrap();
        enough(&self.changed.wait_timeout_while(seen, limit, |seen| !enough(seen)).unwrap().0)
    }

    /// Waits until `enough` holds, then calls `look`; panics after [`LIMIT`].
    pub fn wait<T>(&self, what: &str, enough: impl Fn(&Seen) -> bool, look: impl FnOnce(&Seen) -> T) -> T {
        let until = Instant::now() + LIMIT;
        let mut seen = self.seen.lock().unwrap();
        while !enough(&seen) {
            let left = until.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "{what}: {} arrived, {} sent, {} acknowledged, broken: {:?}",
                seen.bodies.len(),
                seen.sent.len(),
                seen.acked.len(),
                seen.broken
            );
            seen = self.changed.wait_timeout(seen, left).unwrap().0;
        }
        look(&seen)
    }
}

impl SentSink for Notebook {
    fn sent(&self, token: u64, at_ns: i64) {
        self.note(|seen| seen.sent.push((token, at_ns)));
    }
    fn acked(&self, token: u64, at_ns: i64) {
        self.note(|seen| seen.acked.push((token, at_ns)));
    }
    fn broken(&self, reason: &str) {
        self.note(|seen| seen.broken = Some(reason.to_owned()));
    }
}

/// A sink that records what arrives.
pub struct Arrivals(pub Arc<Notebook>);

impl ReceivedSink for Arrivals {
    fn received(&mut self, body: &[u8], received_ns: i64) {
        self.0.note(|seen| {
            seen.bodies.push(body.to_vec());
            seen.received_ns.push(received_ns);
        });
    }
    fn broken(&mut self, reason: &str) {
        self.0.note(|seen| seen.broken = Some(reason.to_owned()));
    }
}

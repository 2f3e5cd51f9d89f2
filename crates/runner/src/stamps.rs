//! What the transport reports of messages, written without locks from whichever thread it reports on.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use wiredyno_runner_wire::bulk::ABSENT;
use wiredyno_transport::SentSink;

use crate::tally::Tally;

/// Batches of messages in the life of a publisher: warm-ups and starts.
const BATCHES: usize = 1 << 10;

/// Bits of a token for the number within its batch.
const NUMBER_BITS: u32 = 32;

/// The times of one message.
struct Stamp {
    sent_ns: AtomicI64,
    acked_ns: AtomicI64,
}

/// The messages of one warm-up or start.
pub struct Batch {
    stamps: Box<[Stamp]>,
    /// How many were sent.
    pub sent: Tally,
    /// How many were acknowledged.
    pub acked: Tally,
}

impl Batch {
    /// When a message was sent and when it was acknowledged, or [`ABSENT`].
    pub fn times_ns(&self, number: u64) -> (i64, i64) {
        let stamp = usize::try_from(number).ok().and_then(|number| self.stamps.get(number));
        stamp.map_or((ABSENT, ABSENT), |stamp| {
            (stamp.sent_ns.load(Ordering::Acquire), stamp.acked_ns.load(Ordering::Acquire))
        })
    }

    /// When the last of those sent so far was sent.
    pub fn last_sent_ns(&self) -> Option<i64> {
        let sent = self.stamps.iter().map(|stamp| stamp.sent_ns.load(Ordering::Acquire));
        sent.filter(|&at_ns| at_ns != ABSENT).max()
    }
}

/// All batches of a publisher.
pub struct Stamps {
    batches: Box<[OnceLock<Arc<Batch>>]>,
    broken: Mutex<Option<String>>,
    lost: AtomicBool,
}

impl Stamps {
    /// Without a batch yet.
    pub fn new() -> Self {
        Stamps {
            batches: (0..BATCHES).map(|_| OnceLock::new()).collect(),
            broken: Mutex::default(),
            lost: AtomicBool::new(false),
        }
    }

    /// Room for so many messages, made beforehand; gives the token of the first, the others follow. `None`
    /// when there were too many batches already.
    pub fn reserve(&self, messages: u32) -> Option<(u64, Arc<Batch>)> {
        let index = self.batches.iter().position(|batch| batch.get().is_none())?;
        let absent = || Stamp { sent_ns: AtomicI64::new(ABSENT), acked_ns: AtomicI64::new(ABSENT) };
        let batch = Arc::new(Batch {
            stamps: (0..messages).map(|_| absent()).collect(),
            sent: Tally::default(),
            acked: Tally::default(),
        });
        self.batches[index].set(batch.clone()).ok()?;
        if self.lost.load(Ordering::SeqCst) {
            self.close();
        }
        Some(((index as u64) << NUMBER_BITS, batch))
    }

    /// Why the connection is lost, if it is.
    pub fn broken(&self) -> Option<String> {
        self.broken.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn place(&self, token: u64) -> Option<(&Batch, &Stamp)> {
        let batch = self.batches.get((token >> NUMBER_BITS) as usize)?.get()?;
        let stamp = batch.stamps.get((token & u64::from(u32::MAX)) as usize)?;
        Some((batch, stamp))
    }

    fn close(&self) {
        for batch in self.batches.iter().filter_map(OnceLock::get) {
            batch.sent.close();
            batch.acked.close();
        }
    }
}

impl SentSink for Stamps {
    fn sent(&self, token: u64, at_ns: i64) {
        if let Some((batch, stamp)) = self.place(token) {
            stamp.sent_ns.store(at_ns, Ordering::Release);
            batch.sent.add();
        }
    }

    fn acked(&self, token: u64, at_ns: i64) {
        if let Some((batch, stamp)) = self.place(token) {
            stamp.acked_ns.store(at_ns, Ordering::Release);
            batch.acked.add();
        }
    }

    fn broken(&self, reason: &str) {
        let mut broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
        broken.get_or_insert_with(|| reason.to_owned());
        self.lost.store(true, Ordering::SeqCst);
        drop(broken);
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_find_their_message_whatever_the_batch() {
        let stamps = Stamps::new();
        let (warm, first) = stamps.reserve(2).unwrap();
        let (start, second) = stamps.reserve(3).unwrap();
        stamps.sent(warm + 1, 11);
        stamps.sent(start, 20);
        stamps.acked(start, 25);
        stamps.sent(start + 3, 99);
        stamps.acked(7 << 40, 99);
        assert_eq!([first.times_ns(0), first.times_ns(1)], [(ABSENT, ABSENT), (11, ABSENT)]);
        assert_eq!([second.times_ns(0), second.times_ns(3)], [(20, 25), (ABSENT, ABSENT)]);
        assert_eq!((second.sent.count(), second.acked.count()), (1, 1));
        assert_eq!((first.last_sent_ns(), second.last_sent_ns()), (Some(11), Some(20)));
    }

    #[test]
    fn a_lost_connection_ends_every_wait() {
        let stamps = Stamps::new();
        let (_, batch) = stamps.reserve(2).unwrap();
        SentSink::broken(&stamps, "reset");
        let (_, later) = stamps.reserve(2).unwrap();
        let given_up = AtomicBool::new(false);
        assert_eq!(batch.sent.wait(2, i64::MAX, &given_up), 0);
        assert_eq!(later.acked.wait(2, i64::MAX, &given_up), 0);
        assert_eq!(stamps.broken().as_deref(), Some("reset"));
    }
}

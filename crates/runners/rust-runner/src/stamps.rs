//! What the transport reports about messages, on whichever thread it does so.
//!
//! Reports of [`CHUNK`] messages are kept together until all of them have come and the messages' rows are written; later ones
//! are kept one by one. A report takes a lock that is shared except for the moments in which a chunk is opened and closed,
//! when hardly any of its reports are outstanding.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use wiredyno_contract::bulk::{ABSENT, SentRow};
use wiredyno_transport::SentSink;

use crate::tally::Tally;

/// The most batches of messages in the life of a publisher: warm-ups and starts.
const BATCHES: usize = 1 << 10;

/// Bits of a token for the number within its batch.
const NUMBER_BITS: u32 = 32;

/// Messages whose reports are kept together.
pub const CHUNK: usize = 1 << 12;

/// No report yet: a moment of CLOCK_MONOTONIC before any message is sent.
const NEVER: i64 = 0;

/// What was reported about a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    Sent,
    Acked,
}

struct Chunk {
    sent_ns: Box<[AtomicI64]>,
    acked_ns: Box<[AtomicI64]>,
    reports: AtomicU64,
}

impl Chunk {
    fn new(messages: usize) -> Self {
        let never = || (0..messages).map(|_| AtomicI64::new(NEVER)).collect();
        Chunk { sent_ns: never(), acked_ns: never(), reports: AtomicU64::new(0) }
    }
}

/// The messages of one warm-up or start.
pub struct Batch {
    messages: u32,
    /// Absent before a chunk is opened and after it is closed.
    chunks: Box<[RwLock<Option<Chunk>>]>,
    /// Reports about messages whose chunk was already closed: number, kind, moment.
    late: Mutex<Vec<(u32, Report, i64)>>,
    /// How many reports each message gets.
    reports_each: u64,
    last_sent_ns: AtomicI64,
    pub sent: Tally,
    pub acked: Tally,
}

impl Batch {
    fn new(messages: u32, reports_each: u64) -> Self {
        let chunks = (messages as usize).div_ceil(CHUNK);
        Batch {
            messages,
            chunks: (0..chunks).map(|_| RwLock::new(None)).collect(),
            late: Mutex::default(),
            reports_each,
            last_sent_ns: AtomicI64::new(NEVER),
            sent: Tally::default(),
            acked: Tally::default(),
        }
    }

    /// Makes room for the reports of the chunk that begins with a number.
    pub fn open(&self, number: u64) {
        let first = number as usize;
        if let Some(chunk) = self.chunks.get(first / CHUNK) {
            let room = CHUNK.min(self.messages as usize - first);
            *chunk.write().unwrap_or_else(PoisonError::into_inner) = Some(Chunk::new(room));
        }
    }

    /// Copies the reports into the rows of the chunk that begins with a number, and frees the chunk; later reports are late.
    /// False, and does nothing, where reports are still expected and it is not the `last` moment.
    pub fn close(&self, first: u64, rows: &mut [SentRow], last: bool) -> bool {
        let Some(room) = self.chunks.get(first as usize / CHUNK) else { return true };
        let awaited = self.reports_each * rows.len() as u64;
        let whole = |chunk: &Chunk| chunk.reports.load(Ordering::Acquire) >= awaited;
        let shared = room.read().unwrap_or_else(PoisonError::into_inner);
        if !last && shared.as_ref().is_some_and(|chunk| !whole(chunk)) {
            return false;
        }
        drop(shared);
        let Some(chunk) = room.write().unwrap_or_else(PoisonError::into_inner).take() else { return true };
        for (row, (sent_ns, acked_ns)) in rows.iter_mut().zip(chunk.sent_ns.iter().zip(&chunk.acked_ns)) {
            (row.sent_ns, row.acked_ns) = (told(sent_ns), told(acked_ns));
        }
        true
    }

    /// What was reported too late for [`Batch::close`]; each report is returned once.
    pub fn late(&self) -> Vec<(u32, Report, i64)> {
        std::mem::take(&mut *self.late.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// When the last of those sent so far was sent.
    pub fn last_sent_ns(&self) -> Option<i64> {
        Some(self.last_sent_ns.load(Ordering::Acquire)).filter(|&at_ns| at_ns != NEVER)
    }

    fn report(&self, number: u32, report: Report, at_ns: i64) {
        let number_in_all = number as usize;
        let Some(room) = self.chunks.get(number_in_all / CHUNK).filter(|_| number < self.messages) else {
            return;
        };
        match &*room.read().unwrap_or_else(PoisonError::into_inner) {
            Some(chunk) => {
                let times = if report == Report::Sent { &chunk.sent_ns } else { &chunk.acked_ns };
                // A second acknowledgement is not counted.
                let before = times[number_in_all % CHUNK].swap(at_ns, Ordering::Relaxed);
                chunk.reports.fetch_add(u64::from(before == NEVER), Ordering::Release);
            }
            None => {
                let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
                late.push((number, report, at_ns));
            }
        }
        match report {
            Report::Sent => {
                self.last_sent_ns.fetch_max(at_ns, Ordering::AcqRel);
                self.sent.add();
            }
            Report::Acked => self.acked.add(),
        }
    }
}

fn told(time_ns: &AtomicI64) -> i64 {
    match time_ns.load(Ordering::Relaxed) {
        NEVER => ABSENT,
        at_ns => at_ns,
    }
}

pub struct Stamps {
    batches: Box<[OnceLock<Arc<Batch>>]>,
    broken: Mutex<Option<String>>,
    lost: AtomicBool,
}

impl Stamps {
    pub fn new() -> Self {
        Stamps {
            batches: (0..BATCHES).map(|_| OnceLock::new()).collect(),
            broken: Mutex::default(),
            lost: AtomicBool::new(false),
        }
    }

    /// Reserves a batch; returns the token of the first message, the others follow. `acknowledged`: whether they will be.
    /// `None` when there were too many batches already.
    pub fn reserve(&self, messages: u32, acknowledged: bool) -> Option<(u64, Arc<Batch>)> {
        let index = self.batches.iter().position(|batch| batch.get().is_none())?;
        let batch = Arc::new(Batch::new(messages, 1 + u64::from(acknowledged)));
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

    fn report(&self, token: u64, report: Report, at_ns: i64) {
        if let Some(batch) = self.batches.get((token >> NUMBER_BITS) as usize).and_then(OnceLock::get) {
            batch.report((token & u64::from(u32::MAX)) as u32, report, at_ns);
        }
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
        self.report(token, Report::Sent, at_ns);
    }

    fn acked(&self, token: u64, at_ns: i64) {
        self.report(token, Report::Acked, at_ns);
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

    fn row(sequence: u64) -> SentRow {
        SentRow {
            sequence,
            digest: 0,
            body_bytes: 1,
            intended_send_ns: 1,
            build_start_ns: 1,
            built_ns: 1,
            encoded_ns: 1,
            handed_over_ns: 1,
            sent_ns: ABSENT,
            acked_ns: ABSENT,
        }
    }

    fn times(rows: &[SentRow]) -> Vec<(i64, i64)> {
        rows.iter().map(|row| (row.sent_ns, row.acked_ns)).collect()
    }

    #[test]
    fn stamps_find_their_message_whatever_the_batch() {
        let stamps = Stamps::new();
        let (warm, first) = stamps.reserve(2, true).unwrap();
        let (start, second) = stamps.reserve(3, true).unwrap();
        [&first, &second].into_iter().for_each(|batch| batch.open(0));
        stamps.sent(warm + 1, 11);
        stamps.sent(start, 20);
        stamps.acked(start, 25);
        stamps.sent(start + 3, 99);
        stamps.acked(7 << 40, 99);
        let mut rows = [row(SentRow::WARMUP), row(SentRow::WARMUP | 1)];
        assert!(!first.close(0, &mut rows, false), "reports are awaited");
        assert!(first.close(0, &mut rows, true));
        assert_eq!(times(&rows), [(ABSENT, ABSENT), (11, ABSENT)]);
        let mut rows = [row(0)];
        assert!(second.close(0, &mut rows, false), "all is known of the one that was handed over");
        assert_eq!(times(&rows), [(20, 25)]);
        assert_eq!((second.sent.count(), second.acked.count()), (1, 1));
        assert_eq!((first.last_sent_ns(), second.last_sent_ns()), (Some(11), Some(20)));
    }

    #[test]
    fn what_is_reported_of_a_closed_chunk_is_late_and_of_others_is_not() {
        let stamps = Stamps::new();
        let (token, batch) = stamps.reserve(CHUNK as u32 + 1, true).unwrap();
        [0, CHUNK as u64].into_iter().for_each(|number| batch.open(number));
        let mut rows: Vec<SentRow> = (0..=CHUNK as u64).map(row).collect();
        (0..=CHUNK as u64).for_each(|number| stamps.sent(token + number, 5));
        assert!(!batch.close(0, &mut rows[..CHUNK], false) && batch.close(0, &mut rows[..CHUNK], true));
        stamps.acked(token, 7);
        stamps.acked(token + CHUNK as u64, 8);
        assert_eq!(batch.late(), [(0, Report::Acked, 7)]);
        assert!(batch.late().is_empty() && batch.close(CHUNK as u64, &mut rows[CHUNK..], false));
        assert_eq!(times(&rows[CHUNK - 1..]), [(5, ABSENT), (5, 8)]);
        assert_eq!((batch.sent.count(), batch.acked.count()), (CHUNK as u64 + 1, 2));
    }

    #[test]
    fn a_lost_connection_ends_every_wait() {
        let stamps = Stamps::new();
        let (_, batch) = stamps.reserve(2, true).unwrap();
        SentSink::broken(&stamps, "reset");
        let (_, later) = stamps.reserve(2, true).unwrap();
        let given_up = AtomicBool::new(false);
        assert_eq!(batch.sent.wait(2, i64::MAX, &given_up), 0);
        assert_eq!(later.acked.wait(2, i64::MAX, &given_up), 0);
        assert_eq!(stamps.broken().as_deref(), Some("reset"));
    }
}

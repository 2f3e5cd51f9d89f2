//! Rows of a role on their way into a file, so that a role's memory is independent of its number of messages.
//!
//! The sending or receiving thread hands rows over in chunks; a thread of its own writes them, so that no write delays a
//! message. The file has no name; it is copied when its rows are requested.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use wiredyno_contract::bulk::{BulkError, ReceivedRow, Row, SentRow};
use wiredyno_contract::row_file::{RowFile, RowReader};

use crate::load::prefer;
use crate::stamps::{Batch, Report};
use crate::stand::ThreadClock;

/// The most chunks that wait for reports about their rows: beyond that the oldest is written without them, and changed at the end.
const WAITING: usize = 16;

/// The measured work takes precedence over the writing thread.
const NICENESS: i32 = 5;

/// Rows that are handed over together.
pub trait Chunk: Send + 'static {
    type Row: Row + Send;

    fn rows(&self) -> &[Self::Row];

    /// Fills in what was reported about the rows; false where more is expected and it is not the `last` moment.
    fn settle(&mut self, last: bool) -> bool;

    /// The batch whose reports they are.
    fn batch(&self) -> Option<&Arc<Batch>>;

    /// Fills in a late report.
    fn put(row: &mut Self::Row, report: Report, at_ns: i64);
}

/// Arrivals: nothing is reported about them later.
impl Chunk for Vec<ReceivedRow> {
    type Row = ReceivedRow;

    fn rows(&self) -> &[ReceivedRow] {
        self
    }

    fn settle(&mut self, _last: bool) -> bool {
        true
    }

    fn batch(&self) -> Option<&Arc<Batch>> {
        None
    }

    fn put(_row: &mut ReceivedRow, _report: Report, _at_ns: i64) {}
}

/// Messages of one chunk of a batch.
pub struct Sent {
    pub batch: Arc<Batch>,
    /// The number of the first in its batch.
    pub first: u64,
    pub rows: Vec<SentRow>,
}

impl Chunk for Sent {
    type Row = SentRow;

    fn rows(&self) -> &[SentRow] {
        &self.rows
    }

    fn settle(&mut self, last: bool) -> bool {
        self.batch.close(self.first, &mut self.rows, last)
    }

    fn batch(&self) -> Option<&Arc<Batch>> {
        Some(&self.batch)
    }

    fn put(row: &mut SentRow, report: Report, at_ns: i64) {
        match report {
            Report::Sent => row.sent_ns = at_ns,
            Report::Acked => row.acked_ns = at_ns,
        }
    }
}

enum Order<C: Chunk> {
    Add(C),
    /// Write everything added so far; answers how many rows there are then.
    Flush(Sender<Result<u64, BulkError>>),
    /// The same, and copy the rows from a place on; answers how many.
    Copy(u64, File, Sender<Result<u64, BulkError>>),
    End,
}

/// The sending end: where rows are handed over.
pub struct Spool<C: Chunk> {
    orders: Sender<Order<C>>,
}

impl<C: Chunk> Clone for Spool<C> {
    fn clone(&self) -> Self {
        Spool { orders: self.orders.clone() }
    }
}

impl<C: Chunk> Spool<C> {
    /// Hands rows over, in order. A failure to write is reported when rows are requested.
    pub fn add(&self, chunk: C) {
        // Without its thread, a request for rows fails too.
        let _ = self.orders.send(Order::Add(chunk));
    }
}

/// A spool with its thread, which ends with it.
pub struct Spooling<C: Chunk> {
    spool: Spool<C>,
    reader: RowReader<C::Row>,
    cpu_ns: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl<C: Chunk> Spooling<C> {
    /// Creates the file and starts the thread.
    ///
    /// # Errors
    /// When a file can't be created in the temporary folder, or a thread can't be started.
    pub fn begin() -> io::Result<Self> {
        let file = RowFile::new(tempfile::tempfile()?)?;
        let (reader, cpu_ns) = (file.reader(), Arc::new(AtomicU64::new(0)));
        let (orders, inbox) = channel();
        let writing = Writing { file, pending: VecDeque::new(), rows: 0, batches: Vec::new(), failed: None };
        let told_ns = cpu_ns.clone();
        let thread = std::thread::Builder::new()
            .name("records".into())
            .spawn(move || writing.run(&inbox, &told_ns))?;
        Ok(Spooling { spool: Spool { orders }, reader, cpu_ns, thread: Some(thread) })
    }

    pub fn add(&self, chunk: C) {
        self.spool.add(chunk);
    }

    pub fn spool(&self) -> Spool<C> {
        self.spool.clone()
    }

    /// CPU time that writing has taken so far, nanoseconds.
    pub fn cpu_ns(&self) -> u64 {
        self.cpu_ns.load(Ordering::Relaxed)
    }

    /// Waits until everything handed over is written; returns how many rows there are.
    ///
    /// # Errors
    /// When something could not be written.
    pub fn flush(&self) -> Result<u64, BulkError> {
        self.ask(Order::Flush)
    }

    /// Writes the rows from a place on into a file; returns how many there are.
    ///
    /// # Errors
    /// When something could not be written.
    pub fn copy(&self, first: u64, to: File) -> Result<u64, BulkError> {
        self.ask(|answer| Order::Copy(first, to, answer))
    }

    /// Reads the rows that were written.
    pub fn reader(&self) -> &RowReader<C::Row> {
        &self.reader
    }

    fn ask(&self, order: impl FnOnce(Sender<Result<u64, BulkError>>) -> Order<C>) -> Result<u64, BulkError> {
        let (answer, answered) = channel();
        let _ = self.spool.orders.send(order(answer));
        let gone = || {
            BulkError::Read(io::Error::other("the thread that writes records has ended: please report this"))
        };
        answered.recv().unwrap_or_else(|_| Err(gone()))
    }
}

impl<C: Chunk> Drop for Spooling<C> {
    fn drop(&mut self) {
        let _ = self.spool.orders.send(Order::End);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Writing<C: Chunk> {
    file: RowFile<C::Row>,
    /// Chunks that are not written yet, each with the place of its first row.
    pending: VecDeque<(u64, C)>,
    /// How many rows were added.
    rows: u64,
    /// Each batch with the place of its first row.
    batches: Vec<(u64, Arc<Batch>)>,
    /// The first failure; nothing after it is written.
    failed: Option<String>,
}

impl<C: Chunk> Writing<C> {
    fn run(mut self, inbox: &Receiver<Order<C>>, told_ns: &AtomicU64) {
        prefer(NICENESS);
        while let Ok(order) = inbox.recv() {
            match order {
                Order::Add(chunk) => self.add(chunk),
                Order::Flush(answer) => {
                    let rows = self.whole();
                    let _ = answer.send(rows);
                }
                Order::End => return,
                Order::Copy(first, mut to, answer) => {
                    let copied = self.whole().and_then(|_| Ok(self.file.copy(first, &mut to)?));
                    let _ = answer.send(copied);
                }
            }
            told_ns.store(ThreadClock::now_ns(), Ordering::Relaxed);
        }
    }

    fn add(&mut self, chunk: C) {
        if let Some(batch) = chunk.batch()
            && self.batches.last().is_none_or(|(_, last)| !Arc::ptr_eq(last, batch))
        {
            self.batches.push((self.rows, batch.clone()));
        }
        let rows = chunk.rows().len() as u64;
        self.pending.push_back((self.rows, chunk));
        self.rows += rows;
        self.write(WAITING);
    }

    /// Writes the chunks that are complete, and the oldest until at most `waiting` are left.
    fn write(&mut self, waiting: usize) {
        for _ in 0..self.pending.len() {
            let Some((first, mut chunk)) = self.pending.pop_front() else { return };
            // After this one come all that were not checked, and those that must wait.
            if chunk.settle(self.pending.len() >= waiting) {
                if self.failed.is_none() {
                    self.failed = self.file.put(first, chunk.rows()).err().map(|error| error.to_string());
                }
            } else {
                self.pending.push_back((first, chunk));
            }
        }
    }

    /// Writes everything, late reports included; returns how many rows there are.
    fn whole(&mut self) -> Result<u64, BulkError> {
        self.write(0);
        for (first, batch) in &self.batches {
            for (number, report, at_ns) in batch.late() {
                self.file.change(first + u64::from(number), |row| C::put(row, report, at_ns))?;
            }
        }
        match &self.failed {
            None => Ok(self.rows),
            Some(reason) => Err(BulkError::Read(io::Error::other(reason.clone()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use wiredyno_transport::SentSink;

    use super::*;
    use crate::stamps::{CHUNK, Stamps};
    use wiredyno_contract::bulk::ABSENT;

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

    /// More chunks than may wait for acknowledgements; every other acknowledgement comes at once, and the rest at the end.
    #[test]
    fn rows_are_whole_and_in_order_whenever_their_reports_come() {
        let (stamps, spooling) = (Stamps::new(), Spooling::<Sent>::begin().unwrap());
        let spool = spooling.spool();
        let messages = (WAITING + 4) * CHUNK + 5;
        let (token, batch) = stamps.reserve(messages as u32, true).unwrap();
        let numbers: Vec<u64> = (0..messages as u64).collect();
        for chunk in numbers.chunks(CHUNK) {
            batch.open(chunk[0]);
            for number in chunk {
                stamps.sent(token + number, 10 + *number as i64);
                if (number / CHUNK as u64).is_multiple_of(2) {
                    stamps.acked(token + number, 20 + *number as i64);
                }
            }
            let (batch, first) = (batch.clone(), chunk[0]);
            spool.add(Sent { batch, first, rows: chunk.iter().copied().map(row).collect() });
        }
        assert_eq!(spooling.flush().unwrap(), messages as u64);
        let late = numbers.iter().filter(|number| (**number / CHUNK as u64) % 2 == 1);
        late.for_each(|number| stamps.acked(token + number, 20 + *number as i64));
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(spooling.copy(1, file.reopen().unwrap()).unwrap(), messages as u64 - 1);
        let rows = wiredyno_contract::bulk::read_sent(&mut file.reopen().unwrap()).unwrap();
        for (number, row) in (1..).zip(rows) {
            let expected = (number, 10 + number as i64, 20 + number as i64);
            assert_eq!((row.sequence, row.sent_ns, row.acked_ns), expected);
        }
    }
}

//! The publisher's role: a thread of its own that builds, encodes and sends on schedule.
//!
//! Stamps of a message: `build_start` (the prepared message goes to the codec), `built`, `encoded` (and compressed), then the
//! transport's `sent` and `acked`. What can be done before a message is due is done then: its own number, the space for its row.
//! Hashing and recording come after the hand-over to the transport. Rows go to a file in chunks while messages are sent
//! ([`crate::spool`]).
//!
//! One file because open loop, closed loop and batch are one thread with one state, and the role is its other end.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use wiredyno_contract::bulk::{ABSENT, BulkError, SentRow};
use wiredyno_contract::live::LiveWriter;
use wiredyno_contract::numbering::{Numbering, Place};
use wiredyno_contract::{Failure, LoadKind, Share, Start};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::{FinishError, Publisher, SendError};
use xxhash_rust::xxh3::xxh3_128;

use crate::Records;
use crate::clients;
use crate::codec::Loaded;
use crate::gate::{Gate, GateError, UnderWay};
use crate::load::{Schedule, wait_until};
use crate::spool::{Sent, Spool, Spooling};
use crate::stamps::{Batch, CHUNK, Stamps};
use crate::stand::{Publishing, burn};

/// The most messages of a batch that a client holds, in number and bytes: more than any client's own queue needs to stay full.
const IN_HAND: u64 = 1 << 16;
const IN_HAND_BYTES: u64 = 64 << 20;

/// How long to wait before checking whether the client has room again.
const LOOK_AGAIN: Duration = Duration::from_micros(100);

/// Why messages were not sent.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The codec or the compression after it failed.
    #[error("{0}")]
    Encode(Failure),
    #[error(transparent)]
    Send(#[from] SendError),
    /// The gate can't be opened.
    #[error(transparent)]
    Gate(#[from] GateError),
    #[error("the gate of the closed loop failed: {0}")]
    GateLost(io::Error),
    #[error(
        "a closed loop needs a gate: name the path of a pipe to create in `gate`, here and in `subscribe`"
    )]
    NoGate,
    #[error("this publisher has had too many warm-ups and starts: finish it and publish again")]
    TooManyBatches,
    #[error("the publishing thread has ended: please report this")]
    Gone,
    #[error("no thread to publish on: {0}; check the limit on threads (ulimit -u)")]
    Thread(io::Error),
    #[error("a record could not be read: {0}")]
    Unread(String),
    /// There is no file for the rows.
    #[error(
        "can't create the file for the records in the temporary folder: {0}; make room there, or name another in TMPDIR"
    )]
    NoFile(io::Error),
    /// The rows are not in their file.
    #[error("the records could not be written while messages were sent: {0}")]
    Records(BulkError),
}

enum Command {
    Send {
        start: Start,
        token: u64,
        batch: Arc<Batch>,
        warmup: bool,
        gate: Option<Gate>,
    },
    /// Is carried out after everything ordered before has finished.
    Rows {
        /// Receives the place of the last order's first row.
        answer: Sender<u64>,
    },
    Finish {
        grace: Duration,
        answer: Sender<Finished>,
    },
}

/// Values of measured messages that are not samples.
pub struct Values {
    pub read: Records,
    /// How many there are, from number 0; as many as samples where absent.
    pub records: Option<u64>,
}

/// What a publisher leaves behind when it ends.
pub struct Finished {
    /// The codec with its samples, for the next role.
    pub loaded: Loaded,
    /// The reader of records, for the next publisher.
    pub values: Option<Values>,
    pub sending: Result<(), PublishError>,
    pub connection: Result<(), FinishError>,
}

/// The role as the session holds it.
pub struct PublisherRole {
    pub stamps: Arc<Stamps>,
    /// This runner's messages of the last warm-up or start, and how many they are.
    pub last: Option<(u32, Arc<Batch>)>,
    share: Share,
    pub acknowledges: bool,
    /// CPU time of the stand's own work on the publishing thread so far, nanoseconds.
    stand_cpu_ns: Arc<AtomicU64>,
    records: Spooling<Sent>,
    commands: Sender<Command>,
    halted: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl PublisherRole {
    /// Takes over the connected publishers of a share, which take turns.
    pub fn new(
        publishers: Vec<Box<dyn Publisher>>,
        (loaded, values): (Loaded, Option<Values>),
        stamps: Arc<Stamps>,
        share: Share,
        live: Option<LiveWriter>,
    ) -> Result<Self, PublishError> {
        let (commands, inbox) = channel();
        let halted = Arc::new(AtomicBool::new(false));
        let acknowledges = publishers.iter().any(|publisher| publisher.acknowledges());
        let stand_cpu_ns = Arc::new(AtomicU64::new(0));
        let numbering = Numbering {
            samples: loaded.bound.sample_count() as u64,
            records: values.as_ref().and_then(|values| values.records),
            span: loaded.bound.sequence_span(),
            warmups: 0,
        };
        let records = Spooling::begin().map_err(PublishError::NoFile)?;
        let work = Work {
            share,
            publishers,
            loaded,
            values,
            stamps: stamps.clone(),
            halted: halted.clone(),
            rows: Vec::new(),
            count: 0,
            first: 0,
            batch: None,
            spool: records.spool(),
            digest: 0,
            body: Vec::new(),
            numbering,
            stand_cpu_ns: stand_cpu_ns.clone(),
            live,
            sending: Ok(()),
        };
        let thread = std::thread::Builder::new()
            .name("publisher".into())
            .spawn(move || work.run(&inbox))
            .map_err(PublishError::Thread)?;
        let thread = Some(thread);
        Ok(PublisherRole {
            stamps,
            share,
            last: None,
            acknowledges,
            stand_cpu_ns,
            records,
            commands,
            halted,
            thread,
        })
    }

    /// Sends warm-up messages one by one; returns how many of them are this runner's, and their batch.
    pub fn warm_up(&mut self, messages: u32) -> Result<(u32, Arc<Batch>), PublishError> {
        let batch = self.order(Start::open(now_ns(), messages, 0), true)?;
        let own = self.share.count(messages);
        self.last = Some((own, batch.clone()));
        Ok((own, batch))
    }

    /// CPU time of the stand's own work so far on the publishing thread, nanoseconds.
    pub fn stand_cpu_ns(&self) -> u64 {
        self.stand_cpu_ns.load(Ordering::Relaxed)
    }

    /// CPU time that writing the records has taken so far, nanoseconds.
    pub fn records_cpu_ns(&self) -> u64 {
        self.records.cpu_ns()
    }

    /// Writes what was handed over in the last warm-up or start, once that has ended; returns how many rows there are, `None` when it
    /// has not ended within the grace.
    pub fn write(&self, to: File, grace: Duration) -> Result<Option<u64>, PublishError> {
        let (answer, first) = channel();
        self.commands.send(Command::Rows { answer }).map_err(|_| PublishError::Gone)?;
        match first.recv_timeout(grace) {
            Ok(first) => Ok(Some(self.records.copy(first, to).map_err(PublishError::Records)?)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(PublishError::Gone),
        }
    }

    pub fn start(&mut self, start: Start) -> Result<(), PublishError> {
        let own = self.share.count(start.messages);
        self.last = Some((own, self.order(start, false)?));
        Ok(())
    }

    fn order(&mut self, start: Start, warmup: bool) -> Result<Arc<Batch>, PublishError> {
        let gate = match (start.kind, &start.gate) {
            (LoadKind::Open | LoadKind::Batch | LoadKind::Search, _) => None,
            (LoadKind::Closed, Some(path)) => Some(Gate::open(path)?),
            (LoadKind::Closed, None) => return Err(PublishError::NoGate),
        };
        let (token, batch) = self
            .stamps
            .reserve(self.share.count(start.messages), self.acknowledges)
            .ok_or(PublishError::TooManyBatches)?;
        let command = Command::Send { start, token, batch: batch.clone(), warmup, gate };
        self.commands.send(command).map_err(|_| PublishError::Gone)?;
        Ok(batch)
    }

    /// Stops the schedule, disconnects and writes the records of all that was handed over; returns how many there are.
    pub fn finish(mut self, to: File, grace: Duration) -> Result<(Finished, u64), PublishError> {
        self.halted.store(true, Ordering::SeqCst);
        let (answer, finished) = channel();
        let asked = self.commands.send(Command::Finish { grace, answer });
        asked.map_err(|_| PublishError::Gone)?;
        let finished = finished.recv().map_err(|_| PublishError::Gone)?;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let rows = self.records.copy(0, to).map_err(PublishError::Records)?;
        Ok((finished, rows))
    }
}

impl Drop for PublisherRole {
    fn drop(&mut self) {
        self.halted.store(true, Ordering::SeqCst);
        // The thread ends when the channel of commands closes.
        let (commands, _) = channel();
        self.commands = commands;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Work {
    share: Share,
    publishers: Vec<Box<dyn Publisher>>,
    loaded: Loaded,
    /// The source of measured messages' values, where they are not samples.
    values: Option<Values>,
    stamps: Arc<Stamps>,
    halted: Arc<AtomicBool>,
    /// Rows of one chunk that are not handed over yet.
    rows: Vec<SentRow>,
    /// How many rows there are in all, and how many there were before the current batch.
    count: u64,
    first: u64,
    batch: Option<Arc<Batch>>,
    spool: Spool<Sent>,
    /// XXH3-128 of the last body.
    digest: u128,
    body: Vec<u8>,
    numbering: Numbering,
    stand_cpu_ns: Arc<AtomicU64>,
    /// Where measured messages are counted for whoever watches.
    live: Option<LiveWriter>,
    sending: Result<(), PublishError>,
}

struct Sending<'a> {
    start: &'a Start,
    token: u64,
    warmup: bool,
    /// How many of its messages are this runner's.
    own: u32,
    /// How many of those it has sent.
    number: u64,
    stand: &'a mut Publishing,
}

/// A message that waits for its moment.
struct Ready {
    /// Its number in the warm-up or start.
    number: u64,
    place: Place,
    /// Whether its value is read when it is due.
    reads: bool,
}

impl Work {
    fn run(mut self, inbox: &Receiver<Command>) {
        // Timers of this thread get a slack of a nanosecond instead of 50 microseconds.
        let _ = nix::sys::prctl::set_timerslack(1);
        let mut stand = Publishing::new(self.stand_cpu_ns.clone());
        while let Ok(command) = inbox.recv() {
            match command {
                Command::Send { start, token, batch, warmup, gate } => {
                    self.send_batch(&start, token, batch, warmup, gate.as_ref(), &mut stand)
                }
                Command::Rows { answer } => {
                    let _ = answer.send(self.first);
                }
                Command::Finish { grace, answer } => {
                    let _ = answer.send(self.finish(grace));
                    return;
                }
            }
        }
    }

    fn send_batch(
        &mut self,
        start: &Start,
        token: u64,
        batch: Arc<Batch>,
        warmup: bool,
        gate: Option<&Gate>,
        stand: &mut Publishing,
    ) {
        stand.begin();
        (self.first, self.batch) = (self.count, Some(batch));
        let own = self.share.count(start.messages);
        let mut sending = Sending { start, token, warmup, own, number: 0, stand };
        let result = match gate {
            None if start.kind == LoadKind::Batch => self.all_at_once(&mut sending),
            None => self.open_loop(&mut sending),
            Some(gate) => self.closed_loop(&mut sending, gate),
        };
        self.hand_over_rows();
        if warmup {
            self.numbering.warmups += u64::from(start.messages);
        }
        sending.stand.end();
        if let Err(error) = result {
            // A wait for this batch reports why it ends here.
            wiredyno_transport::SentSink::broken(&*self.stamps, &error.to_string());
            if self.sending.is_ok() {
                self.sending = Err(error);
            }
        }
    }

    fn open_loop(&mut self, sending: &mut Sending<'_>) -> Result<(), PublishError> {
        let start = sending.start;
        let schedule = Schedule::new(start.arrivals, start.interval_ns, start.messages, start.seed);
        let own = schedule.skip(self.share.number as usize).step_by(self.share.of.max(1) as usize);
        let mut due = own.map(|offset_ns| start.at_ns.saturating_add(offset_ns)).peekable();
        while let Some(intended_ns) = due.next() {
            let ready = self.make_ready(sending);
            if !self.send_at(sending, ready, intended_ns, due.peek().copied())? {
                break;
            }
        }
        Ok(())
    }

    /// Sends each message as soon as the transport has taken the previous one and it is ready, until there are enough or the time
    /// is over.
    fn all_at_once(&mut self, sending: &mut Sending<'_>) -> Result<(), PublishError> {
        let start = sending.start;
        let messages = u64::from(sending.own);
        let limit_ns = start.duration_ns.unwrap_or(u64::MAX);
        let end_ns = start.at_ns.saturating_add_unsigned(limit_ns);
        let mut last = messages == 0;
        while !last {
            self.await_room(sending);
            let ready = self.make_ready(sending);
            let intended_ns = now_ns().max(start.at_ns);
            last = sending.number + 1 >= messages || intended_ns >= end_ns;
            let next = (!last).then_some(start.at_ns);
            if !self.send_at(sending, ready, intended_ns, next)? {
                break;
            }
        }
        if let (Some(batch), true) = (&self.batch, sending.number < messages) {
            batch.sent.ends_at(sending.number);
            batch.acked.ends_at(sending.number);
        }
        Ok(())
    }

    /// Waits while the transport holds too much that it has not reported as sent: a client without a bound of its own would take the
    /// whole batch into memory.
    fn await_room(&self, sending: &Sending<'_>) {
        let Some(batch) = &self.batch else { return };
        let most = (IN_HAND_BYTES / self.body.len().max(1) as u64).clamp(1, IN_HAND);
        while sending.number.saturating_sub(batch.sent.count()) >= most
            && !self.halted.load(Ordering::Relaxed)
            && self.stamps.broken().is_none()
        {
            std::thread::sleep(LOOK_AGAIN);
        }
    }

    /// As many as the window at a time: the next is due `interval` after the receipt of one of them is read
    /// from the gate, or after its deadline.
    fn closed_loop(&mut self, sending: &mut Sending<'_>, gate: &Gate) -> Result<(), PublishError> {
        let start = sending.start;
        let span = |ns: u64| i64::try_from(ns).unwrap_or(i64::MAX);
        let (interval_ns, deadline_ns) = (span(start.interval_ns), span(start.deadline_ns));
        // The first are due at once.
        let mut under_way = UnderWay::new(start.window, start.at_ns.saturating_sub(interval_ns));
        while sending.number < u64::from(sending.own) {
            let ready = self.make_ready(sending);
            let free_ns = loop {
                match under_way.take() {
                    Some(free_ns) => break free_ns,
                    None if gate.wait(&mut under_way, &self.halted).map_err(PublishError::GateLost)? => {}
                    None => return Ok(()),
                }
            };
            let intended_ns = free_ns.saturating_add(interval_ns);
            if !self.send_at(sending, ready, intended_ns, None)? {
                break;
            }
            under_way.add(self.digest, intended_ns.saturating_add(deadline_ns));
        }
        Ok(())
    }

    /// Does what can be done for the next message before it is due: makes room for its row, and puts its number into its value, unless
    /// that must be read first.
    fn make_ready(&mut self, sending: &Sending<'_>) -> Ready {
        if sending.number.is_multiple_of(CHUNK as u64) {
            self.begin_rows(sending);
        }
        let number = self.share.nth(sending.number);
        let place = match sending.warmup {
            true => self.numbering.warmup(self.numbering.warmups + number),
            false => self.numbering.measured(number),
        };
        let reads = self.values.is_some() && !sending.warmup;
        if !reads {
            self.loaded.bound.prepare(place.sample as usize, place.number);
        }
        Ready { number, place, reads }
    }

    /// Sends the message that is ready at its time, or at once when that is past; together with the one after it where that is due by
    /// then too. False when halted.
    fn send_at(
        &mut self,
        sending: &mut Sending<'_>,
        Ready { number, place, reads }: Ready,
        intended_send_ns: i64,
        next_ns: Option<i64>,
    ) -> Result<bool, PublishError> {
        let soon = |waited| sending.stand.message(waited);
        let Some(spun_ns) = wait_until(intended_send_ns, &self.halted, soon) else { return Ok(false) };
        let is_single = self.publishers.len() == 1;
        let turn = (sending.number % self.publishers.len().max(1) as u64) as usize;
        let publisher = self.publishers.get_mut(turn).ok_or(PublishError::Gone)?;
        if let Some(values) = self.values.as_mut().filter(|_| reads) {
            // A user's program would read its record now, too.
            let value = (values.read)(place.sample).map_err(PublishError::Unread)?;
            self.loaded.bound.take_numbered(&value, place.number).map_err(PublishError::Unread)?;
        }
        let build_start_ns = now_ns();
        self.loaded.bound.build();
        let built_ns = now_ns();
        self.loaded.encode_message(&mut self.body).map_err(PublishError::Encode)?;
        burn(sending.start.burden_ns);
        let encoded_ns = now_ns();
        let token = sending.token + sending.number;
        // With several publishers, each would hold its own.
        if is_single && next_ns.is_some_and(|next_ns| next_ns <= encoded_ns) {
            publisher.send_followed(token, &self.body)?;
        } else {
            publisher.send(token, &self.body)?;
        }
        let handed_over_ns = now_ns();
        sending.stand.handed_over(spun_ns);
        let mark = if sending.warmup { SentRow::WARMUP } else { 0 };
        self.digest = xxh3_128(&self.body);
        if let Some(live) = self.live.as_mut().filter(|_| !sending.warmup) {
            live.count(self.digest, self.body.len(), intended_send_ns);
        }
        self.count += 1;
        self.rows.push(SentRow {
            sequence: number | mark,
            digest: self.digest,
            body_bytes: self.body.len() as u64,
            intended_send_ns,
            build_start_ns,
            built_ns,
            encoded_ns,
            handed_over_ns,
            sent_ns: ABSENT,
            acked_ns: ABSENT,
        });
        sending.number += 1;
        Ok(true)
    }

    /// Makes room for the next chunk, and hands over the previous one.
    fn begin_rows(&mut self, sending: &Sending<'_>) {
        self.hand_over_rows();
        let left = u64::from(sending.own) - sending.number;
        self.rows.reserve_exact(CHUNK.min(left as usize));
        if let Some(batch) = &self.batch {
            batch.open(sending.number);
        }
    }

    fn hand_over_rows(&mut self) {
        if let (Some(batch), false) = (&self.batch, self.rows.is_empty()) {
            let (batch, rows) = (batch.clone(), std::mem::take(&mut self.rows));
            self.spool.add(Sent { batch, first: self.count - self.first - rows.len() as u64, rows });
        }
    }

    fn finish(self, grace: Duration) -> Finished {
        let Work { publishers, loaded, values, sending, .. } = self;
        let connection = clients::end(publishers, |publisher| publisher.finish(grace));
        Finished { loaded, values, sending, connection }
    }
}

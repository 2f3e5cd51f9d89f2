//! Exact accounting: matches what was sent with what arrived, by content and time.
//!
//! An arrival belongs to the latest message with its content that the publisher had begun (`build_start`) by then:
//!
//! - Before that moment the message did not exist. All times are of our clock, to which the records' stamps are converted, and
//!   which never goes back, so an earlier arrival belongs to no message; if no message with its content was sent before it, it is corrupted. A
//!   `sent` that was stamped after the arrival is legitimate: such negative times are kept. Where publisher and subscriber read two clocks, an arrival may
//!   seem earlier by as much as the comparison of the two may be wrong.
//! - Of messages with equal content the latest is the right one as long as none is in flight when its equal is sent, whatever
//!   is lost, repeated or overtaken meanwhile. Another arrival of a message that has already arrived is a copy of it.
//!
//! Whether that holds is known from the plan ([`crate::contents`]) and checked in the records: equal contents must be sent at
//! least `drain` apart, and no message may have been in flight for half of that distance, unless that is less
//! than `drain`. In a closed loop they follow at once, and each must have arrived exactly once before the next was sent. Where it
//! does not hold, messages are only counted: of each content as many have arrived as there were arrivals, but
//! no more than were sent. That is exact if the protocol makes no copies. Which message an arrival belongs to is then
//! unknown, so there are no times, no copies and no order.
//!
//! Messages and arrivals are streamed from file to file and are never all in memory: contents are distributed over shards
//! ([`spill`]), each shard is matched by itself, and the results are merged in order of sending.

mod matching;
mod spill;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use wiredyno_contract::bulk::{
    ABSENT, BulkError, ReceivedRow, Row, Rows, SentRow, SupersededRow, digest_for,
};
use wiredyno_contract::{Clients, LoadKind, Span};
use wiredyno_model::trial::{Backlog, Delivery, MessageRecord, Schedule};
use wiredyno_stats::histogram::HistogramError;
use wiredyno_store::StoreError;

use crate::pace::{Moments, Pace};
use matching::{Arrival, Arrived, Doubts, First, Key, Shard};
use spill::{Merged, Spill, Spilled, shard_of, shards};
use wiredyno_seats::seat::Recorded;
use wiredyno_seats::seat::clock::{SeatClock, Stamped};

/// About how many messages or arrivals are matched in memory at a time: some tens of megabytes.
pub const SHARD_ROWS: u64 = 100_000;

/// The sums over a trial's messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// How many messages were delivered, lost, late, duplicated.
    pub delivery: Delivery,
    /// Bytes of all bodies sent.
    pub body_bytes: u64,
    /// How the schedule was kept.
    pub schedule: Schedule,
    /// How many messages were in flight when half, and when all, had been sent.
    pub backlog: Backlog,
    /// From the first intended send to the last hand-over, in nanoseconds.
    pub sending_ns: u64,
    /// When the first measured message was due, by our clock.
    pub first_intended_ns: i64,
    /// When the last one arrived, by our clock; absent if none did.
    pub last_received_ns: Option<i64>,
    /// Bytes of the bodies of those that arrived; 0 where messages were only counted.
    pub delivered_body_bytes: u64,
    /// From the moment the publisher began the first message of all, a warm-up message, to its receipt. Absent without warm-up,
    /// if it was lost, and if messages are only counted.
    pub first_message_ns: Option<u64>,
    /// Why messages were only counted; absent if every arrival was matched.
    pub counted_only: Option<String>,
}

/// The parameters of the accounting.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// A message received later than this after its intended send is late.
    pub deadline: Span,
    /// How long after the last send the drain ends.
    pub drain: Span,
    /// The end of the drain, by our clock: what arrives or is superseded later counts as lost.
    pub cutoff_ns: i64,
    /// How the load issued the messages: open or closed loop, or batch.
    pub kind: LoadKind,
    /// The pause of a closed loop with one message in flight at a time, so that each waits for the one before.
    pub turn: Option<Span>,
    /// The publishers and subscribers: a message counts once for each subscriber that it is for.
    pub clients: Clients,
    /// How wrong the difference between a time of the subscriber's clock and one of the publisher's may be, either way; 0 where they read one clock.
    pub clock_bound: Span,
    /// Why messages can only be counted, if that is known beforehand.
    pub counted_only: Option<&'a str>,
}

/// What the roles of a trial left behind.
#[derive(Debug, Clone, Copy)]
pub struct Records<'a> {
    /// What the publisher recorded of its sends.
    pub sent: &'a Recorded,
    /// What the subscriber recorded of its receipts.
    pub received: &'a Recorded,
    /// What a server skipped, with times of our clock. All of it is held in memory.
    pub superseded: &'a [SupersededRow],
    /// A folder for intermediate files, about as large as the two records.
    pub scratch: &'a Path,
    /// Rows of a shard; [`SHARD_ROWS`] except in tests.
    pub shard_rows: u64,
}

/// Why there is no account.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// A role's bulk file can't be read.
    #[error("the records of the {role}: {source}")]
    Records {
        /// The role whose file it is.
        role: &'static str,
        /// What is wrong with it.
        source: BulkError,
    },
    /// An intermediate file can't be written or read.
    #[error("the matching of messages: {0}; is the disk of the temporary folder full?")]
    Scratch(#[from] io::Error),
    /// Percentiles of the schedule, or of the messages' metrics.
    #[error("the percentiles of the trial: {0}")]
    Percentiles(#[from] HistogramError),
    /// The file of messages can't be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Arrivals matched with messages: the number of messages is known, and they can be read in order.
pub struct Matching<'a> {
    records: Records<'a>,
    terms: Terms<'a>,
    split: Split,
    met: Met,
    /// Why messages are only counted.
    doubt: Option<String>,
}

impl<'a> Matching<'a> {
    /// Matches arrivals with messages, and distinguishes superseded from lost messages.
    ///
    /// # Errors
    /// When a file can't be read or written.
    pub fn of(records: &Records<'a>, terms: &Terms<'a>) -> Result<Self, AccountError> {
        let split = Split::of(records, terms)?;
        let met = split.matched(records, terms)?;
        let doubt = terms.counted_only.map(str::to_owned).or_else(|| match terms.kind {
            LoadKind::Open | LoadKind::Batch | LoadKind::Search => met.doubts.of_schedule(terms.drain),
            LoadKind::Closed => met.doubts.of_turns(),
        });
        Ok(Matching { records: *records, terms: *terms, split, met, doubt })
    }

    /// Measured messages, once for every subscriber that each was for: as many as [`Self::account`] keeps.
    pub fn messages(&self) -> u64 {
        self.met.delivery.sent
    }

    /// The sums over all messages. Every measured one goes to `keep`, with the digest of its body, in order of sending.
    ///
    /// # Errors
    /// When a file can't be read, there is no memory for percentiles, or `keep` fails.
    pub fn account(
        self,
        keep: &mut dyn FnMut(u128, MessageRecord) -> Result<(), AccountError>,
    ) -> Result<Account, AccountError> {
        let Matching { records, terms, split, met, doubt } = self;
        let delivery = match doubt {
            // Between two connections there is no defined order.
            None if !terms.clients.is_single() => Delivery { reordered: None, ..met.delivery },
            None => Delivery { reordered: Some(reordered(&met.firsts)?), ..met.delivery },
            Some(_) => met.counted,
        };
        let arrived: &[PathBuf] = if doubt.is_none() { &met.arrived } else { &[] };
        let mut arrived = Merged::<4, Arrived>::open(arrived)?;
        let exact = delivery.sent <= crate::observe::EXACT_MESSAGES;
        let mut pace = Pace::new(terms.kind == LoadKind::Open, terms.turn, exact, split.moments)?;
        let mut first_message_ns = None;
        let (mut last_received_ns, mut delivered_body_bytes) = (None, 0);
        let mut positions = 0_u64..;
        for row in sent_rows(&records)? {
            let row = row?;
            // Complete when the last of its subscribers has it; not received if one of them did not get it.
            let mut whole: Option<MessageRecord> = None;
            for position in positions.by_ref().take(terms.clients.fan_out() as usize) {
                let arrival = arrived.next_at(position)?;
                if row.is_warmup() {
                    if let (0, Some(arrival)) = (position, arrival) {
                        first_message_ns = u64::try_from(arrival.received_ns - row.build_start_ns).ok();
                    }
                    continue;
                }
                let message = record(&row, arrival);
                if let Some(received_ns) = message.received_ns {
                    last_received_ns = last_received_ns.max(Some(received_ns));
                    delivered_body_bytes += u64::from(message.body_bytes);
                }
                whole = Some(whole.map_or(message, |before| to_both(before, &message)));
                keep(row.digest, message)?;
            }
            whole.map_or(Ok(()), |whole| pace.add(&whole))?;
        }
        let (schedule, backlog) = pace.told();
        Ok(Account {
            delivery,
            body_bytes: split.body_bytes,
            schedule,
            backlog,
            sending_ns: split.moments.sending_ns(),
            first_intended_ns: split.moments.first_intended_ns(),
            last_received_ns: if doubt.is_none() { last_received_ns } else { split.last_received_ns },
            delivered_body_bytes,
            first_message_ns,
            counted_only: doubt,
        })
    }
}

/// Merges two deliveries of a message: it has arrived when both subscribers have it.
fn to_both(one: MessageRecord, other: &MessageRecord) -> MessageRecord {
    let received_ns = one.received_ns.zip(other.received_ns).map(|(one, other)| one.max(other));
    MessageRecord { received_ns, ..one }
}

type Reading<R> = Box<dyn Iterator<Item = Result<R, AccountError>>>;

/// Rows with times of our clock.
fn rows<R: Row + Stamped + 'static>(
    recorded: &Recorded,
    role: &'static str,
) -> Result<(u64, Reading<R>), AccountError> {
    let failed = move |source| AccountError::Records { role, source };
    let file = File::open(&recorded.path).map_err(|error| failed(error.into()))?;
    let (rows, clock) = (Rows::<R, File>::of(file).map_err(failed)?, recorded.clock);
    let expected = rows.expected();
    let ours = move |row: R| row.told_by(SeatClock::OURS, clock);
    Ok((expected, Box::new(rows.map(move |row| row.map(ours).map_err(failed)))))
}

fn sent_rows(records: &Records<'_>) -> Result<Reading<SentRow>, AccountError> {
    Ok(rows(records.sent, "publisher")?.1)
}

/// Messages and arrivals by shard, and what is known of all of them.
struct Split {
    sent: Vec<PathBuf>,
    received: Vec<PathBuf>,
    moments: Moments,
    body_bytes: u64,
    /// When the publisher began the first measured message.
    begun_ns: i64,
    /// The last arrival since then.
    last_received_ns: Option<i64>,
}

/// The results of all shards together.
struct Met {
    delivery: Delivery,
    counted: Delivery,
    doubts: Doubts,
    /// One file for each shard, sorted by position.
    arrived: Vec<PathBuf>,
    /// One file for each shard, sorted by place.
    firsts: Vec<PathBuf>,
}

impl Split {
    fn of(records: &Records<'_>, terms: &Terms<'_>) -> Result<Self, AccountError> {
        let (messages, sent_rows) = rows::<SentRow>(records.sent, "publisher")?;
        let (arrivals, received_rows) = rows::<ReceivedRow>(records.received, "subscriber")?;
        let deliveries = messages * u64::from(terms.clients.fan_out());
        let count = shards(deliveries.max(arrivals), records.shard_rows);
        let mut sent = Spill::new(records.scratch, "sent", count)?;
        let mut moments = Moments::default();
        let (mut body_bytes, mut begun_ns) = (0, i64::MAX);
        for (position, row) in (0..).zip(sent_rows) {
            let row = row?;
            let SentRow { sequence, digest, build_start_ns, intended_send_ns, .. } = row;
            // By the subscriber's clock it may have begun that much earlier.
            let build_start_ns = build_start_ns.saturating_sub_unsigned(terms.clock_bound.ns);
            let fan_out = u64::from(terms.clients.fan_out());
            for (copy, subscriber) in (0..).zip(terms.clients.receivers(row.number())) {
                let (position, digest) = (position * fan_out + copy, digest_for(subscriber, digest));
                let key = Key { position, sequence, digest, build_start_ns, intended_send_ns };
                sent.add(shard_of(digest, count), &key)?;
            }
            if !row.is_warmup() {
                body_bytes += row.body_bytes * fan_out;
                begun_ns = begun_ns.min(build_start_ns);
                moments.add(&record(&row, None), messages - position);
            }
        }
        let mut received = Spill::new(records.scratch, "received", count)?;
        let mut last_received_ns = None;
        for (place, row) in (0..).zip(received_rows) {
            let ReceivedRow { digest, received_ns, decoded_ns, .. } = row?;
            if received_ns <= terms.cutoff_ns {
                last_received_ns = last_received_ns.max(Some(received_ns).filter(|at_ns| *at_ns >= begun_ns));
                let arrival = Arrival { place, digest, received_ns, decoded_ns };
                received.add(shard_of(digest, count), &arrival)?;
            }
        }
        let (sent, received) = (sent.paths()?, received.paths()?);
        Ok(Split { sent, received, moments, body_bytes, begun_ns, last_received_ns })
    }

    fn matched(&self, records: &Records<'_>, terms: &Terms<'_>) -> Result<Met, AccountError> {
        let count = self.sent.len() as u64;
        let mut skipped = skipped(records.superseded, terms.cutoff_ns, count);
        let mut arrived = Spill::new(records.scratch, "arrived", count)?;
        let mut firsts = Spill::new(records.scratch, "firsts", count)?;
        let unknown = Delivery { late: None, duplicated: None, reordered: None, ..Delivery::default() };
        let (mut delivery, mut counted, mut doubts) = (Delivery::default(), unknown, Doubts::default());
        for (number, (sent, received)) in self.sent.iter().zip(&self.received).enumerate() {
            let keys = Spilled::open(sent)?.collect::<io::Result<Vec<Key>>>()?;
            let arrivals = Spilled::open(received)?.collect::<io::Result<Vec<Arrival>>>()?;
            let shard = Shard::of(&keys, &arrivals);
            let matched = shard.matched();
            counted += shard.counted(&skipped[number], self.begun_ns);
            delivery += shard.delivery(&matched, std::mem::take(&mut skipped[number]), terms);
            doubts.add(shard.doubts(&matched, terms.drain));
            matched.arrived(&keys).try_for_each(|row| arrived.add(number, &row))?;
            matched.firsts(&keys).iter().try_for_each(|row| firsts.add(number, row))?;
            [sent, received].into_iter().try_for_each(std::fs::remove_file)?;
        }
        Ok(Met { delivery, counted, doubts, arrived: arrived.paths()?, firsts: firsts.paths()? })
    }
}

/// How often messages of each content were superseded before the end of the drain, by shard.
fn skipped(superseded: &[SupersededRow], cutoff_ns: i64, shards: u64) -> Vec<HashMap<u128, u64>> {
    let mut skipped: Vec<HashMap<u128, u64>> = (0..shards).map(|_| HashMap::new()).collect();
    for row in superseded.iter().filter(|row| row.at_ns <= cutoff_ns) {
        *skipped[shard_of(row.digest, shards)].entry(row.digest).or_default() += 1;
    }
    skipped
}

/// Messages that arrived after one that was sent later.
fn reordered(firsts: &[PathBuf]) -> io::Result<u64> {
    let mut firsts = Merged::<2, First>::open(firsts)?;
    let (mut reordered, mut latest) = (0, None);
    while let Some(First { position, .. }) = firsts.next_row()? {
        reordered += u64::from(latest.is_some_and(|latest| latest > position));
        latest = latest.max(Some(position));
    }
    Ok(reordered)
}

fn record(row: &SentRow, arrived: Option<Arrived>) -> MessageRecord {
    MessageRecord {
        sequence: row.sequence,
        body_bytes: u32::try_from(row.body_bytes).unwrap_or(u32::MAX),
        intended_send_ns: row.intended_send_ns,
        build_start_ns: row.build_start_ns,
        built_ns: row.built_ns,
        encoded_ns: row.encoded_ns,
        handed_over_ns: present(row.handed_over_ns),
        sent_ns: present(row.sent_ns),
        acked_ns: present(row.acked_ns),
        received_ns: arrived.map(|arrived| arrived.received_ns),
        decoded_ns: arrived.and_then(|arrived| present(arrived.decoded_ns)),
        crossing: None,
        arrivals: arrived.map_or(0, |arrived| arrived.times),
    }
}

fn present(time_ns: i64) -> Option<i64> {
    (time_ns != ABSENT).then_some(time_ns)
}

//! The times of messages, written and read one by one, in row groups whose size is independent of the number of messages.

use std::fs;
use std::path::{Path, PathBuf};

use wiredyno_model::trial::{Crossing, MessageRecord};

use crate::error::StoreError;
use crate::leaves::{Kind, leaves};
use crate::metadata::{self, Metadata};
use crate::table::{Column, GROUP_ROWS, Reader, Table, Writer};

const MESSAGE_COLUMNS: [&str; 16] = [
    "sequence",
    "body_bytes",
    "arrivals",
    "intended_send_ns",
    "build_start_ns",
    "built_ns",
    "encoded_ns",
    "handed_over_ns",
    "sent_ns",
    "acked_ns",
    "received_ns",
    "decoded_ns",
    "to_broker_ns",
    "at_broker_ns",
    "from_broker_ns",
    "at_subscriber_ns",
];

fn message_of(columns: &[Vec<Option<i64>>], row: usize) -> MessageRecord {
    let [
        sequence,
        body_bytes,
        arrivals,
        intended,
        start,
        built,
        encoded,
        handed_over,
        sent,
        acked,
        received,
        decoded,
        to_broker_ns,
        at_broker_ns,
        from_broker_ns,
        at_subscriber_ns,
    ] = std::array::from_fn(|column| columns[column][row]);
    MessageRecord {
        sequence: sequence.unwrap_or_default().unsigned_abs(),
        body_bytes: u32::try_from(body_bytes.unwrap_or_default()).unwrap_or_default(),
        arrivals: u32::try_from(arrivals.unwrap_or_default()).unwrap_or_default(),
        intended_send_ns: intended.unwrap_or_default(),
        build_start_ns: start.unwrap_or_default(),
        built_ns: built.unwrap_or_default(),
        encoded_ns: encoded.unwrap_or_default(),
        handed_over_ns: handed_over,
        sent_ns: sent,
        acked_ns: acked,
        received_ns: received,
        decoded_ns: decoded,
        crossing: to_broker_ns.or(from_broker_ns).map(|_| Crossing {
            to_broker_ns,
            at_broker_ns,
            from_broker_ns,
            at_subscriber_ns,
        }),
    }
}

/// Most messages of a trial that are kept after a run. Of more, only one in so many is kept; figures are computed from all.
pub const KEPT_MESSAGES: u64 = 1_000_000;

/// Messages, each of which represents this many.
pub(crate) fn table_of(trial: u32, rows: &[MessageRecord], stands_for: u64) -> Table {
    let stands_for = i64::try_from(stands_for).unwrap_or(i64::MAX);
    let number = i64::from(trial);
    let integers = |of: fn(&MessageRecord) -> i64| Column::Integer(rows.iter().map(of).collect());
    let maybe = |of: fn(&MessageRecord) -> Option<i64>| Column::MaybeInteger(rows.iter().map(of).collect());
    Table::default()
        .with("trial", Column::Integer(vec![number; rows.len()]))
        .with("sequence", integers(|m| i64::try_from(m.sequence).unwrap_or(i64::MAX)))
        .with("body_bytes", integers(|m| i64::from(m.body_bytes)))
        .with("arrivals", integers(|m| i64::from(m.arrivals)))
        .with("intended_send_ns", integers(|m| m.intended_send_ns))
        .with("build_start_ns", integers(|m| m.build_start_ns))
        .with("built_ns", integers(|m| m.built_ns))
        .with("encoded_ns", integers(|m| m.encoded_ns))
        .with("handed_over_ns", maybe(|m| m.handed_over_ns))
        .with("sent_ns", maybe(|m| m.sent_ns))
        .with("acked_ns", maybe(|m| m.acked_ns))
        .with("received_ns", maybe(|m| m.received_ns))
        .with("decoded_ns", maybe(|m| m.decoded_ns))
        .with("to_broker_ns", maybe(|m| m.crossing?.to_broker_ns))
        .with("at_broker_ns", maybe(|m| m.crossing?.at_broker_ns))
        .with("from_broker_ns", maybe(|m| m.crossing?.from_broker_ns))
        .with("at_subscriber_ns", maybe(|m| m.crossing?.at_subscriber_ns))
        .with("stands_for", Column::Integer(vec![stands_for; rows.len()]))
}

/// The meaning of the columns of messages.
pub(crate) fn about() -> Metadata {
    let leaves = leaves::<MessageRecord>(&[]);
    let trial = ("trial".to_owned(), "The number of its trial.", Kind::Integer);
    let of_leaves = leaves.iter().map(|leaf| (leaf.name(), leaf.about.as_str(), leaf.kind));
    let stands_for = (
        "stands_for".to_owned(),
        "How many messages this one stands for: with very many in a trial, only one in so many is kept.",
        Kind::Integer,
    );
    metadata::of_columns(std::iter::once(trial).chain(of_leaves).chain([stands_for]))
}

/// Writes the messages of one trial, in order of sending.
pub struct MessagesWriter {
    trial: u32,
    path: PathBuf,
    file: Option<Writer>,
    rows: Vec<MessageRecord>,
}

impl MessagesWriter {
    /// A writer for a file that is created with the first message. [`crate::RunFolder::messages_part`] returns its path.
    pub fn new(path: &Path, trial: u32) -> Self {
        MessagesWriter { trial, path: path.to_owned(), file: None, rows: Vec::new() }
    }

    /// Adds the next message.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn push(&mut self, message: MessageRecord) -> Result<(), StoreError> {
        self.rows.push(message);
        if self.rows.len() < GROUP_ROWS { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        let table = table_of(self.trial, &self.rows, 1);
        self.rows.clear();
        let failed = || StoreError::parquet(&self.path);
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(Writer::create(&self.path, &table, &about()).map_err(failed())?),
        };
        file.write(table).map_err(failed())
    }

    /// Writes the remaining messages, and the file's end.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn finish(mut self) -> Result<(), StoreError> {
        if !self.rows.is_empty() {
            self.flush()?;
        }
        self.file.map_or(Ok(()), Writer::close).map_err(StoreError::parquet(&self.path))
    }
}

/// Messages in a file, with the numbers of their trials.
pub(crate) struct MessagesFile {
    path: PathBuf,
    reader: Reader,
}

impl MessagesFile {
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let reader = Reader::open(path).map_err(StoreError::parquet(path))?;
        metadata::check(&reader, path)?;
        Ok(MessagesFile { path: path.to_owned(), reader })
    }

    pub fn groups(&self) -> usize {
        self.reader.groups()
    }

    pub fn each_span(&self, from: &str, to: &str, each: &mut dyn FnMut(u32, i64)) -> Result<(), StoreError> {
        let failed = || StoreError::parquet(&self.path);
        for group in 0..self.groups() {
            let column = |name| self.reader.integers(group, name).map_err(failed());
            let (trials, begun, ended) = (column("trial")?, column(from)?, column(to)?);
            for ((trial, begun), ended) in trials.into_iter().zip(begun).zip(ended) {
                if let (Some(trial), Some(begun), Some(ended)) = (trial, begun, ended) {
                    each(u32::try_from(trial).unwrap_or(u32::MAX), ended - begun);
                }
            }
        }
        Ok(())
    }

    pub fn group(&self, group: usize) -> Result<Vec<(u32, MessageRecord)>, StoreError> {
        let failed = || StoreError::parquet(&self.path);
        let numbers = self.reader.integers(group, "trial").map_err(failed())?;
        let column = |name| self.reader.integers_or_absent(group, name).map_err(failed());
        let columns = MESSAGE_COLUMNS.map(column).into_iter().collect::<Result<Vec<_>, _>>()?;
        let trial = |number: Option<i64>| u32::try_from(number.unwrap_or_default()).unwrap_or(u32::MAX);
        let numbers = numbers.into_iter().enumerate();
        Ok(numbers.map(|(row, number)| (trial(number), message_of(&columns, row))).collect())
    }
}

/// The messages of one trial, in order of sending.
pub struct Messages {
    file: Option<MessagesFile>,
    /// The messages of a part of an older version, which had them in its record.
    old: Vec<MessageRecord>,
}

impl Messages {
    pub(crate) fn of(file: &Path, old: Vec<MessageRecord>) -> Result<Self, StoreError> {
        let file = file.exists().then(|| MessagesFile::open(file)).transpose()?;
        Ok(Messages { file, old })
    }

    /// The messages that a [`MessagesWriter`] wrote to this path; none if there is no file.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::of(path, Vec::new())
    }

    /// Number of messages, 0 without a file.
    pub fn count(&self) -> u64 {
        self.old.len() as u64 + self.file.as_ref().map_or(0, |file| file.reader.rows())
    }

    /// Calls `each` for every message, in order of sending.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn for_each(&mut self, each: &mut dyn FnMut(&MessageRecord)) -> Result<(), StoreError> {
        self.old.iter().for_each(&mut *each);
        if let Some(file) = &self.file {
            for group in 0..file.groups() {
                file.group(group)?.iter().for_each(|(_, message)| each(message));
            }
        }
        Ok(())
    }

    /// All messages in memory, in order of sending.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn all(mut self) -> Result<Vec<MessageRecord>, StoreError> {
        let mut all = Vec::new();
        self.for_each(&mut |message| all.push(*message))?;
        Ok(all)
    }

    /// Tables for a file's row groups, without messages that are not kept.
    pub(crate) fn tables(self, trial: u32, most: u64) -> impl Iterator<Item = Result<Table, StoreError>> {
        let stands_for = self.count().div_ceil(most).max(1);
        let Messages { file, old } = self;
        let groups = file.as_ref().map_or(0, MessagesFile::groups);
        let of_group = move |group| {
            let Some(file) = &file else { return Ok(Table::default()) };
            let messages = file.group(group)?.into_iter().map(|(_, message)| message);
            let kept: Vec<MessageRecord> =
                messages.filter(|message| message.sequence.is_multiple_of(stands_for)).collect();
            Ok(table_of(trial, &kept, stands_for))
        };
        let old = (!old.is_empty()).then(|| Ok(table_of(trial, &old, 1)));
        old.into_iter().chain((0..groups).map(of_group))
    }
}

/// The file of a trial's messages, next to its record, from the record's path.
pub(crate) fn beside(part: &Path) -> PathBuf {
    part.with_extension("parquet")
}

/// Removes a file, if it exists.
pub(crate) fn forget(path: &Path) -> Result<(), StoreError> {
    if path.exists() { fs::remove_file(path).map_err(StoreError::io(path)) } else { Ok(()) }
}

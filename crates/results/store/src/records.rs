//! `trials.parquet`: one row for each trial of either kind, with a column for each leaf of its record ([`crate::leaves`]).

use std::path::Path;

use parquet::errors::ParquetError;
use serde_json::{Map, Value};
use wiredyno_model::Outcome;
use wiredyno_model::trial::{CodecTrialRecord, TrialRecord};

use crate::error::StoreError;
use crate::leaves::{Kind, Leaf, leaves};
use crate::metadata::{self, Metadata};
use crate::table::{Column, Reader, Table};

/// All trials of a run without their messages and batches.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunRecords {
    /// Message trials, sorted by number.
    pub messages: Vec<TrialRecord>,
    /// Codec trials, sorted by number, with loops without batches.
    pub codecs: Vec<CodecTrialRecord>,
}

/// Columns before those of the records, which lack them.
const COMPUTED: [(&str, &str); 4] = [
    ("kind", "`message` or `codec`."),
    ("outcome", "What became of it: `complete`, `invalid`, `overloaded`, `failed`."),
    ("reasons", "Why it is not complete; NULL where it is."),
    ("protocol", "The protocol of its mode; NULL for codec trials."),
];

/// The flag after those columns.
const VALID: (&str, &str) = ("valid", "Whether it is complete, and enters figures.");

/// Number of trials that are converted to columns at a time.
const ROWS: usize = 1_000;

/// The batches of a loop are in samples.parquet.
fn without_batches(record: &CodecTrialRecord) -> CodecTrialRecord {
    let mut bare = record.clone();
    bare.phases.iter_mut().for_each(|measured| measured.batches.clear());
    bare
}

/// The columns of both kinds of trials. What both have is one column; if a codec trial's has another type, it is a separate column.
fn columns() -> (Vec<Leaf>, Vec<Leaf>) {
    let of_messages = leaves::<TrialRecord>(&[]);
    let differs =
        |leaf: &Leaf| of_messages.iter().any(|other| other.name() == leaf.name() && other.kind != leaf.kind);
    let of_codecs = leaves::<CodecTrialRecord>(&[]).into_iter();
    let of_codecs = of_codecs.map(|leaf| if differs(&leaf) { leaf.called("codec_") } else { leaf }).collect();
    (of_messages, of_codecs)
}

/// A trial to be converted to a row.
struct Row {
    computed: [Value; COMPUTED.len()],
    valid: bool,
    record: Value,
    is_message: bool,
}

/// A trial of either kind, without what is in other files.
enum Trial<'a> {
    Message(&'a TrialRecord),
    Codec(&'a CodecTrialRecord),
}

impl Trial<'_> {
    fn number(&self) -> u32 {
        match self {
            Trial::Message(record) => record.trial,
            Trial::Codec(record) => record.trial,
        }
    }

    fn row(&self) -> serde_json::Result<Row> {
        let (kind, outcome, reasons, protocol, record) = match self {
            Trial::Message(record) => {
                let protocol = Value::from(record.cell.mode.protocol.as_str());
                ("message", record.outcome(), record.reasons(), protocol, serde_json::to_value(record)?)
            }
            Trial::Codec(record) => {
                let bare = serde_json::to_value(without_batches(record))?;
                ("codec", record.outcome(), record.reasons(), Value::Null, bare)
            }
        };
        let reasons = if reasons.is_empty() { Value::Null } else { reasons.join("; ").into() };
        Ok(Row {
            computed: [kind.into(), outcome.name().into(), reasons, protocol],
            valid: outcome == Outcome::Complete,
            record,
            is_message: kind == "message",
        })
    }
}

/// One row for each trial of either kind, by number, some at a time.
pub(crate) fn tables(records: &RunRecords) -> impl Iterator<Item = serde_json::Result<Table>> + '_ {
    let mut trials: Vec<Trial<'_>> = records.messages.iter().map(Trial::Message).collect();
    trials.extend(records.codecs.iter().map(Trial::Codec));
    trials.sort_by_key(Trial::number);
    let columns = columns();
    let numbers = 0..trials.len().div_ceil(ROWS);
    numbers.map(move |part| {
        let end = trials.len().min((part + 1) * ROWS);
        let rows: Vec<Row> =
            trials[part * ROWS..end].iter().map(Trial::row).collect::<serde_json::Result<_>>()?;
        Ok(table_of(&rows, &columns))
    })
}

fn table_of(rows: &[Row], columns: &(Vec<Leaf>, Vec<Leaf>)) -> Table {
    let mut table = Table::default();
    for (place, (name, _)) in COMPUTED.into_iter().enumerate() {
        let text = |row: &Row| row.computed[place].as_str().map(str::to_owned);
        table = table.with(name, Column::MaybeText(rows.iter().map(text).collect()));
    }
    table = table.with(VALID.0, Column::MaybeFlag(rows.iter().map(|row| Some(row.valid)).collect()));
    for (message, codec) in pairs(columns) {
        let Some(leaf) = message.or(codec) else { continue };
        let value = |row: &'_ Row| {
            let of_kind = if row.is_message { message } else { codec };
            of_kind.map_or(Value::Null, |leaf| leaf.value(&row.record).clone())
        };
        let values: Vec<Value> = rows.iter().map(value).collect();
        table = table.with(leaf.name(), leaf.column(values.iter()));
    }
    table
}

/// The meaning of the columns of trials.
pub(crate) fn about() -> Metadata {
    let computed = COMPUTED.map(|(name, about)| (name.to_owned(), about, Kind::Text));
    let valid = (VALID.0.to_owned(), VALID.1, Kind::Flag);
    let columns = columns();
    let leaves = pairs(&columns).filter_map(|(message, codec)| message.or(codec));
    let leaves = leaves.map(|leaf| (leaf.name(), leaf.about.as_str(), leaf.kind));
    metadata::of_columns(computed.into_iter().chain([valid]).chain(leaves))
}

/// The leaves of message trials with those of codec trials of the same name, then those of codec trials alone.
fn pairs(
    (of_messages, of_codecs): &(Vec<Leaf>, Vec<Leaf>),
) -> impl Iterator<Item = (Option<&Leaf>, Option<&Leaf>)> {
    let counterpart = |leaf: &Leaf| of_codecs.iter().find(|other| other.name() == leaf.name());
    let only_of_codecs =
        of_codecs.iter().filter(|leaf| of_messages.iter().all(|other| other.name() != leaf.name()));
    let pairs = of_messages.iter().map(move |leaf| (Some(leaf), counterpart(leaf)));
    pairs.chain(only_of_codecs.map(|leaf| (None, Some(leaf))))
}

/// All records of a file, of this or an older layout.
pub(crate) fn read(path: &Path) -> Result<RunRecords, StoreError> {
    let reader = Reader::open(path).map_err(StoreError::parquet(path))?;
    metadata::check(&reader, path)?;
    let mut trials = RunRecords::default();
    for group in 0..reader.groups() {
        let records = if reader.has(group, "record") {
            records_of_layout_1(&reader, group)
        } else {
            records_of(&reader, group)
        };
        for (is_message, record) in records.map_err(StoreError::parquet(path))? {
            let content = |error| StoreError::content(path, error);
            if is_message {
                trials.messages.push(serde_json::from_value(record).map_err(content)?);
            } else {
                trials.codecs.push(serde_json::from_value(record).map_err(content)?);
            }
        }
    }
    Ok(trials)
}

/// The records of a row group of layout 1, with the kind of each.
fn records_of_layout_1(reader: &Reader, group: usize) -> parquet::errors::Result<Vec<(bool, Value)>> {
    let (kinds, records) = (reader.texts(group, "kind")?, reader.texts(group, "record")?);
    let record = |(kind, text): (&String, &String)| {
        let record = serde_json::from_str(text).map_err(|error| ParquetError::External(error.into()))?;
        Ok((kind == "message", record))
    };
    kinds.iter().zip(&records).map(record).collect()
}

/// The records of a row group of layout 2, with the kind of each.
fn records_of(reader: &Reader, group: usize) -> parquet::errors::Result<Vec<(bool, Value)>> {
    let is_message: Vec<bool> =
        reader.values(group, "kind")?.iter().map(|kind| kind.as_str() == Some("message")).collect();
    let mut records = vec![Map::new(); is_message.len()];
    let (of_messages, of_codecs) = columns();
    for (leaves, messages) in [(of_messages, true), (of_codecs, false)] {
        // A column that an older file lacks is absent from its records.
        for leaf in leaves.iter().filter(|leaf| reader.has(group, &leaf.name())) {
            let values = reader.values(group, &leaf.name())?;
            for ((record, value), is_message) in records.iter_mut().zip(values).zip(&is_message) {
                if *is_message == messages {
                    let value = match value {
                        Value::String(text) => {
                            leaf.of_text(text).map_err(|error| ParquetError::External(error.into()))?
                        }
                        value => value,
                    };
                    leaf.put(record, value);
                }
            }
        }
    }
    Ok(is_message.into_iter().zip(records.into_iter().map(Value::Object)).collect())
}

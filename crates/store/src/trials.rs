//! The trials of a run: parts while it goes on, Parquet files at its end.
//!
//! `trials.parquet` has one row a trial of either kind and a column for each leaf of its record ([`crate::leaves`]); what a
//! column means stands in the file's metadata. `messages.parquet` has the times of every measured message, `samples.parquet` the raw
//! timings of codec trials; one row group a trial each.

use std::fs;
use std::path::{Path, PathBuf};

use parquet::errors::ParquetError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use wiredyno_model::trial::{Batch, CodecTrialRecord, MessageRecord, TrialRecord};

use crate::folder::{PARTS, RunFolder, StoreError, TRIALS, hidden, place};
use crate::leaves::{Leaf, leaves};
use crate::table::{Column, Reader, Table, write_parquet};

/// A message trial with the times of its messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageTrial {
    /// The trial.
    pub record: TrialRecord,
    /// Its measured messages in order of sending.
    pub messages: Vec<MessageRecord>,
}

/// All trials of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunTrials {
    /// Message trials by number.
    pub messages: Vec<MessageTrial>,
    /// Codec trials by number.
    pub codecs: Vec<CodecTrialRecord>,
}

const MESSAGE_PART: &str = "message.json";
const CODEC_PART: &str = "codec.json";

impl RunFolder {
    /// Adds a finished message trial.
    ///
    /// # Errors
    /// When the part can't be written.
    pub fn add_message_trial(&self, trial: &MessageTrial) -> Result<(), StoreError> {
        self.add_part(trial.record.trial, MESSAGE_PART, trial)
    }

    /// Adds a finished codec trial.
    ///
    /// # Errors
    /// When the part can't be written.
    pub fn add_codec_trial(&self, record: &CodecTrialRecord) -> Result<(), StoreError> {
        self.add_part(record.trial, CODEC_PART, record)
    }

    fn parts(&self) -> PathBuf {
        self.path().join(PARTS)
    }

    fn add_part(&self, trial: u32, kind: &str, part: &impl Serialize) -> Result<(), StoreError> {
        let path = self.parts().join(format!("{trial:05}.{kind}"));
        let bytes = serde_json::to_vec(part).map_err(|error| StoreError::content(&path, error))?;
        self.put(&path, &bytes)
    }

    /// Turns the parts into Parquet files and takes them away; parts stay when anything fails.
    ///
    /// # Errors
    /// When a part can't be read or a file can't be written.
    pub fn compact(&self) -> Result<(), StoreError> {
        let trials = self.read_parts()?;
        self.write_table(
            "messages.parquet",
            &[],
            trials.messages.iter().filter(|t| !t.messages.is_empty()).map(messages_table),
        )?;
        self.write_table(
            "samples.parquet",
            &[],
            trials.codecs.iter().filter(|t| !t.phases.is_empty()).map(samples_table),
        )?;
        let table = trial_table(&trials).map_err(|error| StoreError::content(&self.parts(), error))?;
        let (table, about) = table.map_or((None, Vec::new()), |(table, about)| (Some(table), about));
        // With this file in its place the parts are superfluous.
        self.write_table(TRIALS, &about, table)?;
        fs::remove_dir_all(self.parts()).map_err(StoreError::io(&self.parts()))
    }

    fn write_table(
        &self,
        name: &str,
        metadata: &[(String, String)],
        tables: impl IntoIterator<Item = Table>,
    ) -> Result<(), StoreError> {
        let path = self.path().join(name);
        let part = hidden(&path);
        write_parquet(&part, metadata, tables.into_iter().map(Ok)).map_err(StoreError::parquet(&path))?;
        if part.exists() { place(&part, &path) } else { Ok(()) }
    }

    /// All trials, from the Parquet files or, in a run that has not ended, from the parts.
    ///
    /// # Errors
    /// When a file can't be read.
    pub fn read_trials(&self) -> Result<RunTrials, StoreError> {
        let path = self.path().join(TRIALS);
        if !path.exists() {
            return self.read_parts();
        }
        let reader = Reader::open(&path).map_err(StoreError::parquet(&path))?;
        let mut trials = RunTrials::default();
        for group in 0..reader.groups() {
            let records = if reader.has(group, "record") {
                records_of_layout_1(&reader, group)
            } else {
                records_of(&reader, group)
            };
            for (is_message, record) in records.map_err(StoreError::parquet(&path))? {
                let content = |error| StoreError::content(&path, error);
                if is_message {
                    let record = serde_json::from_value(record).map_err(content)?;
                    trials.messages.push(MessageTrial { record, messages: Vec::new() });
                } else {
                    trials.codecs.push(serde_json::from_value(record).map_err(content)?);
                }
            }
        }
        self.attach_messages(&mut trials.messages)?;
        self.attach_samples(&mut trials.codecs)?;
        Ok(trials)
    }

    fn read_parts(&self) -> Result<RunTrials, StoreError> {
        let folder = self.parts();
        let mut names = Vec::new();
        for entry in fs::read_dir(&folder).map_err(StoreError::io(&folder))? {
            names.push(entry.map_err(StoreError::io(&folder))?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        let mut trials = RunTrials::default();
        for name in names.iter().filter(|name| !name.starts_with('.')) {
            let path = folder.join(name);
            if name.ends_with(MESSAGE_PART) {
                trials.messages.push(read_part(&path)?);
            } else if name.ends_with(CODEC_PART) {
                trials.codecs.push(read_part(&path)?);
            }
        }
        Ok(trials)
    }

    fn attach_messages(&self, trials: &mut [MessageTrial]) -> Result<(), StoreError> {
        let path = self.path().join("messages.parquet");
        if !path.exists() {
            return Ok(());
        }
        let failed = || StoreError::parquet(&path);
        let reader = Reader::open(&path).map_err(failed())?;
        for group in 0..reader.groups() {
            let column = |name| reader.integers(group, name).map_err(failed());
            let numbers = column("trial")?;
            let Some(Some(number)) = numbers.first().copied() else {
                continue;
            };
            let column = |name| reader.integers_or_absent(group, name).map_err(failed());
            let columns = MESSAGE_COLUMNS.map(column).into_iter().collect::<Result<Vec<_>, _>>()?;
            let messages = (0..numbers.len()).map(|row| message_of(&columns, row)).collect();
            if let Some(trial) = trials.iter_mut().find(|trial| i64::from(trial.record.trial) == number) {
                trial.messages = messages;
            }
        }
        Ok(())
    }

    fn attach_samples(&self, trials: &mut [CodecTrialRecord]) -> Result<(), StoreError> {
        let path = self.path().join("samples.parquet");
        if !path.exists() {
            return Ok(());
        }
        let failed = || StoreError::parquet(&path);
        let reader = Reader::open(&path).map_err(failed())?;
        for group in 0..reader.groups() {
            let column = |name| reader.integers(group, name).map_err(failed());
            let (numbers, loops) = (column("trial")?, column("loop")?);
            let (elapsed, iterations) = (column("elapsed_ns")?, column("iterations")?);
            let (cpu, instructions) = (column("cpu_ns")?, column("instructions")?);
            let Some(Some(number)) = numbers.first().copied() else {
                continue;
            };
            let Some(trial) = trials.iter_mut().find(|trial| i64::from(trial.trial) == number) else {
                continue;
            };
            for row in 0..numbers.len() {
                let phase = usize::try_from(loops[row].unwrap_or_default()).unwrap_or_default();
                if let Some(measured) = trial.phases.get_mut(phase) {
                    measured.batches.push(Batch {
                        elapsed_ns: elapsed[row].unwrap_or_default().unsigned_abs(),
                        iterations: iterations[row].unwrap_or_default().unsigned_abs(),
                        cpu_ns: cpu[row].map(i64::unsigned_abs),
                        instructions: instructions[row].map(i64::unsigned_abs),
                    });
                }
            }
        }
        Ok(())
    }
}

fn read_part<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T, StoreError> {
    let text = fs::read_to_string(path).map_err(StoreError::io(path))?;
    serde_json::from_str(&text).map_err(|error| StoreError::content(path, error))
}

const MESSAGE_COLUMNS: [&str; 12] = [
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
    }
}

fn messages_table(trial: &MessageTrial) -> Table {
    let rows = &trial.messages;
    let number = i64::from(trial.record.trial);
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
}

/// One timed batch with its place: number of the loop, its phase, number of the batch.
struct SampleRow {
    number: usize,
    phase: &'static str,
    position: usize,
    batch: Batch,
}

fn samples_table(trial: &CodecTrialRecord) -> Table {
    let mut rows = Vec::new();
    for (number, measured) in trial.phases.iter().enumerate() {
        let phase = measured.phase.name();
        let batches = measured.batches.iter().enumerate();
        rows.extend(batches.map(|(position, batch)| SampleRow { number, phase, position, batch: *batch }));
    }
    let integers = |of: fn(&SampleRow) -> u64| {
        Column::Integer(rows.iter().map(|row| i64::try_from(of(row)).unwrap_or(i64::MAX)).collect())
    };
    let maybe = |of: fn(&SampleRow) -> Option<u64>| {
        let whole = |row| of(row).map(|value| i64::try_from(value).unwrap_or(i64::MAX));
        Column::MaybeInteger(rows.iter().map(whole).collect())
    };
    let same = |number: u32| Column::Integer(vec![i64::from(number); rows.len()]);
    let texts = |text: String| Column::Text(vec![text; rows.len()]);
    Table::default()
        .with("trial", same(trial.trial))
        .with("payload", texts(trial.cell.payload.to_string()))
        .with("codec", texts(trial.cell.codec.to_string()))
        .with("compression", texts(trial.cell.compression.to_string()))
        .with("repeat", same(trial.repeat))
        .with("loop", integers(|row| row.number as u64))
        .with("phase", Column::Text(rows.iter().map(|row| row.phase.to_owned()).collect()))
        .with("batch", integers(|row| row.position as u64))
        .with("elapsed_ns", integers(|row| row.batch.elapsed_ns))
        .with("iterations", integers(|row| row.batch.iterations))
        .with("cpu_ns", maybe(|row| row.batch.cpu_ns))
        .with("instructions", maybe(|row| row.batch.instructions))
}

/// What stands before the columns of the records, and is not in them by that name.
const COMPUTED: [(&str, &str); 4] = [
    ("kind", "`message` or `codec`"),
    ("outcome", "what became of it: `complete`, `invalid`, `overloaded`, `failed`"),
    ("reasons", "why it is not complete"),
    ("protocol", "the protocol of its mode; NULL for codec trials"),
];

/// Of a loop, batches stand in samples.parquet.
fn without_batches(record: &CodecTrialRecord) -> CodecTrialRecord {
    let mut bare = record.clone();
    bare.phases.iter_mut().for_each(|measured| measured.batches.clear());
    bare
}

/// The columns of both kinds of trials. What both have is one column; where a codec trial's is of another kind, it is a column apart.
fn columns() -> (Vec<Leaf>, Vec<Leaf>) {
    let of_messages = leaves::<TrialRecord>(&[]);
    let differs =
        |leaf: &Leaf| of_messages.iter().any(|other| other.name() == leaf.name() && other.kind != leaf.kind);
    let of_codecs = leaves::<CodecTrialRecord>(&[]).into_iter();
    let of_codecs = of_codecs.map(|leaf| if differs(&leaf) { leaf.called("codec_") } else { leaf }).collect();
    (of_messages, of_codecs)
}

/// A trial on its way into the table.
struct Row {
    number: u32,
    computed: [Value; COMPUTED.len()],
    record: Value,
    is_message: bool,
}

fn rows(trials: &RunTrials) -> serde_json::Result<Vec<Row>> {
    let mut rows = Vec::with_capacity(trials.messages.len() + trials.codecs.len());
    for MessageTrial { record, .. } in &trials.messages {
        let outcome = record.outcome().name();
        let protocol = record.cell.mode.protocol.as_str();
        rows.push(Row {
            number: record.trial,
            computed: ["message".into(), outcome.into(), record.reasons().join("; ").into(), protocol.into()],
            record: serde_json::to_value(record)?,
            is_message: true,
        });
    }
    for record in &trials.codecs {
        let outcome = record.outcome().name();
        rows.push(Row {
            number: record.trial,
            computed: ["codec".into(), outcome.into(), record.reasons().join("; ").into(), Value::Null],
            record: serde_json::to_value(without_batches(record))?,
            is_message: false,
        });
    }
    rows.sort_by_key(|row| row.number);
    Ok(rows)
}

/// Pairs of a file's metadata.
type Metadata = Vec<(String, String)>;

/// One row a trial of either kind, with what the columns mean.
fn trial_table(trials: &RunTrials) -> serde_json::Result<Option<(Table, Metadata)>> {
    let rows = rows(trials)?;
    if rows.is_empty() {
        return Ok(None);
    }
    let (of_messages, of_codecs) = columns();
    let mut about = vec![("wiredyno.layout".to_owned(), TRIALS_LAYOUT.to_string())];
    let mut table = Table::default();
    for (place, (name, meaning)) in COMPUTED.into_iter().enumerate() {
        let text = |row: &Row| row.computed[place].as_str().map(str::to_owned);
        table = table.with(name, Column::MaybeText(rows.iter().map(text).collect()));
        about.push((format!("about.{name}"), meaning.to_owned()));
    }
    let counterpart = |leaf: &Leaf| of_codecs.iter().find(|other| other.name() == leaf.name());
    let only_of_codecs =
        of_codecs.iter().filter(|leaf| of_messages.iter().all(|other| other.name() != leaf.name()));
    let pairs = of_messages.iter().map(|leaf| (Some(leaf), counterpart(leaf)));
    for (message, codec) in pairs.chain(only_of_codecs.map(|leaf| (None, Some(leaf)))) {
        let Some(leaf) = message.or(codec) else { continue };
        let value = |row: &'_ Row| {
            let of_kind = if row.is_message { message } else { codec };
            of_kind.map_or(Value::Null, |leaf| leaf.value(&row.record).clone())
        };
        let values: Vec<Value> = rows.iter().map(value).collect();
        about.push((format!("about.{}", leaf.name()), leaf.about.clone()));
        table = table.with(leaf.name(), leaf.column(values.iter()));
    }
    Ok(Some((table, about)))
}

/// The layout of trials.parquet: 1 had each record as JSON in `record`.
const TRIALS_LAYOUT: u32 = 2;

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
        // A column that an older file has not is absent in its records.
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

#[cfg(test)]
mod tests {
    use super::*;
    use wiredyno_model::summary::Environment;
    use wiredyno_model::trial::{
        Allocations, Buffer, DictionaryUsed, FirstCalls, Missing, Phase, PhaseMeasurement,
    };
    use wiredyno_model::{CodecCell, Study};

    fn study() -> Study {
        let text =
            "name = \"t\"\nwhy = \"?\"\n[axes]\npayload = [\"small\"]\ncodec = [\"json/serde-json\"]\n";
        Study::parse("t.toml", text).unwrap()
    }

    fn codec_trial(trial: u32) -> CodecTrialRecord {
        let batch = |elapsed_ns, iterations, instructions| Batch {
            elapsed_ns,
            iterations,
            cpu_ns: Some(elapsed_ns / 2),
            instructions,
        };
        let phase = |(phase, buffer)| PhaseMeasurement {
            phase,
            buffer,
            batches: vec![batch(u64::from(trial) + 5, 2, None), batch(9, 3, Some(77))],
            timer_overhead_ns: 20.5,
            allocations: Some(Allocations { count: Some(1.5), bytes: Some(10.0), peak_bytes: 7 }),
            stack_bytes: Some(700),
            missing: vec![Missing { what: "instructions".into(), why: "not permitted".into() }],
        };
        let loops = [
            (Phase::Encode, Buffer::Reused),
            (Phase::Encode, Buffer::Fresh),
            (Phase::Compress, Buffer::Reused),
        ];
        CodecTrialRecord {
            trial,
            cell: CodecCell {
                payload: "small".parse().unwrap(),
                codec: "json/serde-json".parse().unwrap(),
                compression: "zstd:3:dictionary".parse().unwrap(),
            },
            repeat: 1,
            attempt: 0,
            invalid: Vec::new(),
            failed: None,
            body_bytes: vec![21, 22],
            uncompressed_bytes: vec![31, 30],
            dictionary: Some(DictionaryUsed { bytes: 256, training_samples: 100 }),
            first_calls: Some(FirstCalls { setup_ns: 1, encode_ns: 2, decode_ns: 3 }),
            process_memory: None,
            phases: loops.map(phase).into(),
            machine: Default::default(),
        }
    }

    #[test]
    fn codec_trials_come_back_from_parquet_as_they_were_added() {
        let folder = tempfile::tempdir().unwrap();
        let run =
            RunFolder::create(&folder.path().join("r"), &study(), &Environment::default(), &()).unwrap().0;
        let trials = [codec_trial(0), codec_trial(1)];
        trials.iter().for_each(|trial| run.add_codec_trial(trial).unwrap());
        let parts = run.read_trials().unwrap();
        assert_eq!(parts.codecs, trials);
        run.compact().unwrap();
        assert!(!run.path().join("trials").exists(), "parts are taken away");
        assert_eq!(run.read_trials().unwrap(), parts);
    }

    #[test]
    fn a_run_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r");
        RunFolder::create(&path, &study(), &Environment::default(), &()).unwrap();
        let again = RunFolder::create(&path, &study(), &Environment::default(), &()).unwrap_err();
        assert!(again.to_string().contains("--out"), "{again}");
        assert!(RunFolder::open(&path).unwrap_err().to_string().contains("no run"));
    }
}

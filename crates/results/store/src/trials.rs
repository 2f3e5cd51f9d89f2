//! The trials of a run: parts while it is in progress, Parquet files at its end. One file because parts and tables hold the same trials, and
//! `compact` reads one and writes the other.
//!
//! `trials.parquet` has one row for each trial ([`crate::records`]), `messages.parquet` the times of every measured message,
//! `samples.parquet` the raw timings of codec trials; the meaning of each column is in the file's metadata. A part of a message trial is its
//! record as JSON, with its messages next to it as Parquet, which are written first.

use std::fs;
use std::path::{Path, PathBuf};

use parquet::errors::ParquetError;
use serde::{Deserialize, Serialize};
use wiredyno_model::trial::{CodecTrialRecord, MessageRecord, TrialRecord};

use crate::error::StoreError;
use crate::folder::{PARTS, RunFolder, TRIALS, hidden, place};
use crate::messages::{KEPT_MESSAGES, Messages, MessagesFile, beside};
use crate::records::RunRecords;
use crate::table::{Table, write_parquet};
use crate::{messages, records, samples};

/// A message trial with the times of its messages.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageTrial {
    /// The record, as in `trials.parquet`.
    pub record: TrialRecord,
    /// Its measured messages in order of sending.
    pub messages: Vec<MessageRecord>,
}

/// All trials of a run, complete and in memory: for runs that are known to be small.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunTrials {
    /// Message trials, sorted by number.
    pub messages: Vec<MessageTrial>,
    /// Codec trials, sorted by number.
    pub codecs: Vec<CodecTrialRecord>,
}

const MESSAGE_PART: &str = "message.json";
const CODEC_PART: &str = "codec.json";

/// A part of a message trial. Those of older versions contain the messages.
#[derive(Serialize, Deserialize)]
struct MessagePart<R> {
    record: R,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    messages: Vec<MessageRecord>,
}

impl RunFolder {
    /// The file to which the messages of a trial are written before [`Self::add_message_trial`], which takes them from there. A trial
    /// without messages has no such file.
    pub fn messages_part(&self, trial: u32) -> PathBuf {
        hidden(&beside(&self.part(trial, MESSAGE_PART)))
    }

    /// Adds a finished message trial, with the messages that were written for it.
    ///
    /// # Errors
    /// When the part can't be written.
    pub fn add_message_trial(&self, record: &TrialRecord) -> Result<(), StoreError> {
        let messages = self.messages_part(record.trial);
        if messages.exists() {
            place(&messages, &beside(&self.part(record.trial, MESSAGE_PART)))?;
        }
        self.add_part(record.trial, MESSAGE_PART, &MessagePart { record, messages: Vec::new() })
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

    fn part(&self, trial: u32, kind: &str) -> PathBuf {
        self.parts().join(format!("{trial:05}.{kind}"))
    }

    fn add_part(&self, trial: u32, kind: &str, part: &impl Serialize) -> Result<(), StoreError> {
        let path = self.part(trial, kind);
        let bytes = serde_json::to_vec(part).map_err(|error| StoreError::content(&path, error))?;
        self.put(&path, &bytes)
    }

    /// Converts the parts to Parquet files and deletes them; parts remain if anything fails. Works trial by trial, so that memory is
    /// independent of the number of messages.
    ///
    /// Reads the messages once more: the row groups of a trial's own file are as small as the trial, and those of a run's file hold many
    /// trials, whose messages are thinned out if there are very many.
    ///
    /// # Errors
    /// When a part can't be read or a file can't be written.
    pub fn compact(&self) -> Result<(), StoreError> {
        let records = self.read_records()?;
        let of_trial = |record: &TrialRecord| {
            let number = record.trial;
            let (opened, failed) = match self.messages_of(number) {
                Ok(messages) => (Some(messages.tables(number, KEPT_MESSAGES)), None),
                Err(error) => (None, Some(Err(error))),
            };
            failed.into_iter().chain(opened.into_iter().flatten())
        };
        self.write_table(
            "messages.parquet",
            &messages::about(),
            records.messages.iter().flat_map(of_trial).map(external),
        )?;
        let of_codec = |record: &CodecTrialRecord| self.codec_trial(record.trial);
        let timed = records.codecs.iter().filter(|record| !record.phases.is_empty());
        let tables = timed.map(of_codec).map(|trial| external(trial.map(|trial| samples::table_of(&trial))));
        self.write_table("samples.parquet", &samples::about(), tables)?;
        // Once this file is in place the parts are superfluous.
        self.write_table(TRIALS, &records::about(), records::tables(&records).map(external))?;
        fs::remove_dir_all(self.parts()).map_err(StoreError::io(&self.parts()))
    }

    pub(crate) fn write_table(
        &self,
        name: &str,
        metadata: &[(String, String)],
        tables: impl IntoIterator<Item = parquet::errors::Result<Table>>,
    ) -> Result<(), StoreError> {
        let path = self.path().join(name);
        let part = hidden(&path);
        messages::forget(&part)?;
        write_parquet(&part, metadata, tables).map_err(StoreError::parquet(&path))?;
        if part.exists() { place(&part, &path) } else { Ok(()) }
    }

    /// The records of all trials, from the Parquet file or, if the run has not ended, from the parts.
    ///
    /// # Errors
    /// When a file can't be read.
    pub fn read_records(&self) -> Result<RunRecords, StoreError> {
        let path = self.path().join(TRIALS);
        if path.exists() {
            return records::read(&path);
        }
        let mut records = RunRecords::default();
        for part in self.names_of_parts()?.iter().map(|name| self.parts().join(name)) {
            let name = part.to_string_lossy();
            if name.ends_with(MESSAGE_PART) {
                records.messages.push(read_part::<MessagePart<TrialRecord>>(&part)?.record);
            } else if name.ends_with(CODEC_PART) {
                let mut record = read_part::<CodecTrialRecord>(&part)?;
                record.phases.iter_mut().for_each(|measured| measured.batches = Vec::new());
                records.codecs.push(record);
            }
        }
        Ok(records)
    }

    fn names_of_parts(&self) -> Result<Vec<String>, StoreError> {
        let folder = self.parts();
        let mut names = Vec::new();
        for entry in fs::read_dir(&folder).map_err(StoreError::io(&folder))? {
            let name = entry.map_err(StoreError::io(&folder))?.file_name().to_string_lossy().into_owned();
            // A hidden file is incomplete.
            names.extend((!name.starts_with('.')).then_some(name));
        }
        names.sort();
        Ok(names)
    }

    /// The messages of a trial, in a run that has not ended.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn messages_of(&self, trial: u32) -> Result<Messages, StoreError> {
        let part = self.part(trial, MESSAGE_PART);
        let file = beside(&part);
        let old = match file.exists() || !part.exists() {
            true => Vec::new(),
            false => read_part::<MessagePart<serde::de::IgnoredAny>>(&part)?.messages,
        };
        Messages::of(&file, old)
    }

    /// The time between two stamps of every message of a run that has ended, with the number of its trial; messages without one of the two
    /// are left out. Works row group by row group: memory is independent of the number of messages.
    ///
    /// # Errors
    /// When the messages can't be read, or lack such a stamp.
    pub fn each_span(&self, from: &str, to: &str, each: &mut dyn FnMut(u32, i64)) -> Result<(), StoreError> {
        let path = self.path().join("messages.parquet");
        if path.exists() { MessagesFile::open(&path)?.each_span(from, to, each) } else { Ok(()) }
    }

    /// A codec trial with its batches, in a run that has not ended.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn codec_trial(&self, trial: u32) -> Result<CodecTrialRecord, StoreError> {
        read_part(&self.part(trial, CODEC_PART))
    }

    /// All trials with everything that was kept.
    ///
    /// # Errors
    /// When a file can't be read.
    pub fn read_trials(&self) -> Result<RunTrials, StoreError> {
        let RunRecords { messages, mut codecs } = self.read_records()?;
        let whole = self.path().join(TRIALS).exists();
        let mut trials: Vec<MessageTrial> =
            messages.into_iter().map(|record| MessageTrial { record, messages: Vec::new() }).collect();
        if whole {
            self.attach_messages(&mut trials)?;
            samples::attach(&self.path().join("samples.parquet"), &mut codecs)?;
        } else {
            for trial in &mut trials {
                trial.messages = self.messages_of(trial.record.trial)?.all()?;
            }
            for record in &mut codecs {
                *record = self.codec_trial(record.trial)?;
            }
        }
        Ok(RunTrials { messages: trials, codecs })
    }

    fn attach_messages(&self, trials: &mut [MessageTrial]) -> Result<(), StoreError> {
        let path = self.path().join("messages.parquet");
        if !path.exists() {
            return Ok(());
        }
        let file = MessagesFile::open(&path)?;
        for group in 0..file.groups() {
            for (number, message) in file.group(group)? {
                // By number, as in the file.
                if let Ok(place) = trials.binary_search_by_key(&number, |trial| trial.record.trial) {
                    trials[place].messages.push(message);
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

/// Carries an error of ours through the Parquet library.
fn external<T, E: std::error::Error + Send + Sync + 'static>(
    result: Result<T, E>,
) -> parquet::errors::Result<T> {
    result.map_err(|error| ParquetError::External(Box::new(error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Reader;
    use wiredyno_contract::{
        Allocations, Batch, Buffer, DictionaryUsed, FirstCalls, Missing, Phase, PhaseMeasurement, Settling,
    };
    use wiredyno_model::summary::Environment;
    use wiredyno_model::trial::ZeroBytes;
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
            collections: 1,
            collected_ns: 2,
            compiled_ns: 3,
        };
        let phase = |(phase, buffer)| PhaseMeasurement {
            phase,
            buffer,
            batches: vec![batch(u64::from(trial) + 5, 2, None), batch(9, 3, Some(77))],
            timer_overhead_ns: 20.5,
            allocations: Some(Allocations { count: Some(1.5), bytes: Some(10.0), peak_bytes: 7 }),
            stack_bytes: Some(700),
            missing: vec![Missing { what: "instructions".into(), why: "not permitted".into() }],
            settling: Some(Settling { settled: false, took_ns: 9, calls: 8, variation: Some(0.25) }),
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
            zero_bytes: vec![ZeroBytes { zero: 3, all: 31 }, ZeroBytes { zero: 0, all: 30 }],
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
        assert!(RunFolder::open(&path).unwrap_err().to_string().contains("without a summary"));
    }

    fn message_record(trial: u32) -> TrialRecord {
        let record = serde_json::json!({
            "trial": trial, "repeat": 0, "attempt": 0, "lane": 0, "seed": u64::MAX, "started_unix_ns": -1, "duration_ns": 1,
            "cell": { "payload": "small", "codec": "json/serde-json", "mode": "mqtt:qos1", "link": "lte", "loss": 0.05 },
            "invalid": [], "failed": (trial > 3).then_some("it broke"), "transport": null,
            "broker": { "id": "mosquitto", "version": "2", "label": "" },
            "delivery": wiredyno_model::trial::Delivery { late: None, ..Default::default() },
            "body_bytes": 20, "wire": wiredyno_model::trial::WireByPhase::default(), "publisher_wire": null,
            "subscriber_wire": null, "roles": wiredyno_model::trial::Roles::default(),
            "schedule": wiredyno_model::trial::Schedule::default(), "link": wiredyno_model::trial::LinkQuality::default(),
            "machine": wiredyno_model::trial::Machine::default()
        });
        serde_json::from_value(record).unwrap()
    }

    fn message(sequence: u64) -> MessageRecord {
        let at = sequence as i64;
        MessageRecord {
            sequence,
            body_bytes: 7,
            intended_send_ns: at,
            build_start_ns: at + 1,
            built_ns: at + 2,
            encoded_ns: at + 3,
            handed_over_ns: Some(at + 4),
            sent_ns: None,
            acked_ns: sequence.is_multiple_of(2).then_some(-at),
            received_ns: Some(at + 5),
            decoded_ns: None,
            arrivals: 1,
            crossing: None,
        }
    }

    fn run_in(folder: &Path) -> RunFolder {
        RunFolder::create(&folder.join("r"), &study(), &Environment::default(), &()).unwrap().0
    }

    fn add(run: &RunFolder, trial: u32, messages: u64) {
        let mut writer = crate::MessagesWriter::new(&run.messages_part(trial), trial);
        (0..messages).for_each(|sequence| writer.push(message(sequence)).unwrap());
        writer.finish().unwrap();
        run.add_message_trial(&message_record(trial)).unwrap();
    }

    /// More than a row group, a few, and none.
    #[test]
    fn messages_come_back_one_by_one_before_and_after_a_run_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let run = run_in(folder.path());
        let counts = [(0, 70_000), (3, 5), (4, 0)];
        counts.into_iter().for_each(|(trial, messages)| add(&run, trial, messages));
        run.add_codec_trial(&codec_trial(1)).unwrap();
        let parts = run.read_trials().unwrap();
        for ((trial, count), read) in counts.into_iter().zip(&parts.messages) {
            assert_eq!((read.record.trial, run.messages_of(trial).unwrap().count()), (trial, count));
            assert_eq!(read.messages, (0..count).map(message).collect::<Vec<_>>());
        }
        run.compact().unwrap();
        assert_eq!(run.read_trials().unwrap(), parts);
        let records = run.read_records().unwrap();
        assert!(records.codecs[0].phases.iter().all(|measured| measured.batches.is_empty()));
        let reader = Reader::open(&run.path().join("messages.parquet")).unwrap();
        assert_eq!((reader.rows(), reader.told("unit.sent_ns").as_deref()), (70_005, Some("ns")));
        let reader = Reader::open(&run.path().join(TRIALS)).unwrap();
        assert_eq!(reader.told("wiredyno.layout").as_deref(), Some("2"));
        let column = |name| serde_json::Value::from(reader.values(0, name).unwrap());
        assert_eq!(column("valid"), serde_json::json!([true, true, true, false]));
        assert_eq!(column("reasons"), serde_json::json!([null, null, null, "it broke"]));
        assert_eq!(column("delivery_late"), serde_json::json!([null, null, null, null]));
        assert_eq!(column("seed"), serde_json::json!([u64::MAX, null, u64::MAX, u64::MAX]));
        assert_eq!(column("loss"), serde_json::json!([0.05, null, 0.05, 0.05]));
        assert_eq!(column("wire_measure_up_bytes"), serde_json::json!([0, null, 0, 0]));
    }

    #[test]
    fn of_very_many_messages_a_sample_is_kept_that_says_for_how_many_each_stands() {
        let folder = tempfile::tempdir().unwrap();
        let run = run_in(folder.path());
        add(&run, 0, 70_001);
        let kept = |most| {
            let tables: Result<Vec<Table>, _> = run.messages_of(0).unwrap().tables(0, most).collect();
            let path = folder.path().join("kept.parquet");
            write_parquet(&path, &messages::about(), tables.unwrap().into_iter().map(Ok)).unwrap();
            let reader = Reader::open(&path).unwrap();
            let column = |name| {
                let groups = (0..reader.groups()).map(|group| reader.integers(group, name).unwrap());
                groups.flatten().flatten().collect::<Vec<i64>>()
            };
            (column("sequence"), column("stands_for"))
        };
        let (sequence, stands_for) = kept(10_000);
        assert_eq!(sequence, (0..=8_750).map(|number| number * 8).collect::<Vec<i64>>());
        assert!(stands_for.iter().all(|of| *of == 8));
        assert_eq!(kept(70_001).1, vec![1; 70_001]);
    }

    #[test]
    fn parts_of_older_versions_have_their_messages_in_them() {
        let folder = tempfile::tempdir().unwrap();
        let run = run_in(folder.path());
        let part = MessagePart { record: message_record(2), messages: vec![message(0), message(1)] };
        run.add_part(2, MESSAGE_PART, &part).unwrap();
        let trial = MessageTrial { record: part.record, messages: part.messages };
        assert_eq!(run.read_trials().unwrap().messages, std::slice::from_ref(&trial));
        run.compact().unwrap();
        assert_eq!(run.read_trials().unwrap().messages, [trial]);
    }

    #[test]
    fn records_of_layout_1_open_and_a_layout_to_come_names_the_version_that_can() {
        use crate::table::Column;
        let folder = tempfile::tempdir().unwrap();
        let run = run_in(folder.path());
        let texts = |texts: [String; 2]| Column::Text(texts.into());
        let record = (message_record(0), codec_trial(1));
        let table = || {
            let json =
                [serde_json::to_string(&record.0), serde_json::to_string(&record.1)].map(Result::unwrap);
            Table::default()
                .with("kind", texts(["message".into(), "codec".into()]))
                .with("trial", Column::Integer(vec![0, 1]))
                .with("record", texts(json))
        };
        run.write_table(TRIALS, &[], [Ok(table())]).unwrap();
        let read = run.read_records().unwrap();
        assert_eq!((&read.messages[0], &read.codecs[0]), (&record.0, &record.1));
        let newer = [("wiredyno.layout", "3"), ("wiredyno.version", "9.8.7")];
        let newer = newer.map(|(key, value)| (key.to_owned(), value.to_owned()));
        run.write_table(TRIALS, &newer, [Ok(table())]).unwrap();
        let refused = run.read_records().unwrap_err().to_string();
        assert!(refused.contains("its layout is 3") && refused.contains("use Wiredyno 9.8.7"), "{refused}");
    }
}

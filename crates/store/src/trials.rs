//! The trials of a run: parts while it goes on, Parquet files at its end.
//!
//! `trials.parquet` has one row a trial ([`crate::records`]), `messages.parquet` the times of every measured message,
//! `samples.parquet` the raw timings of codec trials; what a column means stands in the file's metadata. A part of a message trial
//! is its record as JSON, and its messages as Parquet beside it, which are written first.

use std::fs;
use std::path::{Path, PathBuf};

use parquet::errors::ParquetError;
use serde::{Deserialize, Serialize};
use wiredyno_model::trial::{CodecTrialRecord, MessageRecord, TrialRecord};

use crate::folder::{PARTS, RunFolder, StoreError, TRIALS, hidden, place};
use crate::messages::{Messages, MessagesFile, beside};
use crate::table::{Table, write_parquet};
use crate::{messages, records, samples};

/// A message trial with the times of its messages.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageTrial {
    /// The trial.
    pub record: TrialRecord,
    /// Its measured messages in order of sending.
    pub messages: Vec<MessageRecord>,
}

/// All trials of a run with everything, in memory: for runs of which it is known that they are small.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunTrials {
    /// Message trials by number.
    pub messages: Vec<MessageTrial>,
    /// Codec trials by number.
    pub codecs: Vec<CodecTrialRecord>,
}

/// All trials of a run without what they measured one by one: neither messages nor batches.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunRecords {
    /// Message trials by number.
    pub messages: Vec<TrialRecord>,
    /// Codec trials by number, with loops that have no batches.
    pub codecs: Vec<CodecTrialRecord>,
}

const MESSAGE_PART: &str = "message.json";
const CODEC_PART: &str = "codec.json";

/// A part of a message trial. Those of older versions have the messages in them.
#[derive(Serialize, Deserialize)]
struct MessagePart<R> {
    record: R,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    messages: Vec<MessageRecord>,
}

impl RunFolder {
    /// Where the messages of a trial are to be written before [`Self::add_message_trial`], which takes them from there. A trial
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

    /// Turns the parts into Parquet files and takes them away; parts stay when anything fails. Trial by trial, so that memory does
    /// not hang on how many messages there are.
    ///
    /// # Errors
    /// When a part can't be read or a file can't be written.
    pub fn compact(&self) -> Result<(), StoreError> {
        let records = self.read_records()?;
        let of_trial = |record: &TrialRecord| {
            let number = record.trial;
            let (opened, failed) = match self.messages_of(number) {
                Ok(messages) => (Some(messages.tables(number)), None),
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
        // With this file in its place the parts are superfluous.
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

    /// The records of all trials, from the Parquet file or, in a run that has not ended, from the parts.
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
            // What is hidden is not whole.
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

    /// A codec trial with its batches, in a run that has not ended.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn codec_trial(&self, trial: u32) -> Result<CodecTrialRecord, StoreError> {
        read_part(&self.part(trial, CODEC_PART))
    }

    /// All trials with everything that there is of them.
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
                // By number, as they are in the file.
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

/// An error of ours on its way through the Parquet library.
fn external<T, E: std::error::Error + Send + Sync + 'static>(
    result: Result<T, E>,
) -> parquet::errors::Result<T> {
    result.map_err(|error| ParquetError::External(Box::new(error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wiredyno_model::summary::Environment;
    use wiredyno_model::trial::{
        Allocations, Batch, Buffer, DictionaryUsed, FirstCalls, Missing, Phase, PhaseMeasurement,
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

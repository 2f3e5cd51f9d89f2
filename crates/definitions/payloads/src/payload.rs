//! A payload opened at a size: its definition and its samples.
//!
//! One file because its code without tests is below 400 lines.

use std::collections::HashSet;
use std::path::PathBuf;

use prost_reflect::{DynamicMessage, MessageDescriptor};
use wiredyno_contract::PayloadId;
use wiredyno_schema::generator::{Generator, GeneratorError};
use wiredyno_schema::{Definition, DefinitionError, SampleError, canonical_bytes, read_samples};
use xxhash_rust::xxh3::xxh3_64;

use crate::dictionary;
use crate::folder::{DEFINITION, FolderError, GENERATOR, PayloadFolder, SAMPLES};

/// Why a payload can't be used.
#[derive(Debug, thiserror::Error)]
pub enum PayloadError {
    /// No payload has that name.
    #[error("no payload `{id}`; {hint}")]
    Unknown {
        /// The id or path requested.
        id: String,
        /// A similar name, or how to list payloads.
        hint: String,
    },
    /// A folder has the name of a bundled payload but different files.
    #[error(
        "`{name}` is a payload of the program, and {path} has another {files}: rename the folder, or rebuild the program \
         if the folder is its own"
    )]
    Taken {
        /// The name that both have.
        name: String,
        /// The folder's path as it was found.
        path: PathBuf,
        /// The names of the files that differ.
        files: String,
    },
    /// A name matches two different folders.
    #[error(
        "`{name}` is both {first} and {second}, which differ in {files}: name the intended one by its path, or rename the \
         other"
    )]
    Ambiguous {
        /// The name that both have.
        name: String,
        /// The folder that was found first.
        first: PathBuf,
        /// The folder that was found second.
        second: PathBuf,
        /// The names of the files that differ.
        files: String,
    },
    /// The id has a size but must not have one, lacks a required size, or has an unsupported size.
    #[error("payload `{id}` {problem}")]
    Size {
        /// The id as it was requested.
        id: String,
        /// What is wrong with the size, and what to write instead.
        problem: String,
    },
    /// The folder has neither samples nor generator rules.
    #[error("payload `{id}` has neither samples.jsonl nor generator.toml: add one of them")]
    NoSamples {
        /// The id as it was requested.
        id: String,
    },
    /// There are too few samples to train a dictionary.
    #[error(
        "payload `{id}` has {samples} samples: a dictionary is trained on samples other than those measured, and needs \
         {needed} in all; add samples, or a generator.toml"
    )]
    TooFewToTrain {
        /// The id as it was requested.
        id: String,
        /// How many samples the payload has.
        samples: usize,
        /// The minimum, counting measured and training samples together.
        needed: usize,
    },
    /// The folder is not a payload.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// message.proto is invalid.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// A line of samples.jsonl is invalid.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// generator.toml is invalid.
    #[error(transparent)]
    Generator(#[from] GeneratorError),
}

impl PayloadError {
    /// Whether the request itself was wrong: no payload has that name, or none has that size.
    pub fn names_nothing(&self) -> bool {
        use GeneratorError::{SizeMissing, SizeUnused};
        matches!(
            self,
            Self::Unknown { .. }
                | Self::Size { .. }
                | Self::Generator(SizeMissing { .. } | SizeUnused { .. })
        )
    }
}

/// A payload opened at a size.
#[derive(Clone)]
pub struct Payload {
    id: PayloadId,
    folder: PayloadFolder,
    definition: Definition,
    /// The path of the samples file as errors show it.
    samples_at: String,
}

/// What lists show about a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// Its name, without a size.
    pub name: String,
    /// Whether it takes a size after an `@`.
    pub sized: bool,
    /// What it is, in one sentence.
    pub about: String,
    /// The text of its message.proto.
    pub definition: String,
    /// How many samples it has; 0 if its rules are invalid.
    pub samples: u32,
    /// How many different samples it makes for trials that ask for more; equal to `samples` if it makes no more.
    pub distinct: u32,
    /// Why no dictionary can be trained on its samples; `None` if one can.
    pub no_dictionary: Option<String>,
}

/// Whether a payload takes a size, how many samples it has, and how many different ones it makes.
#[derive(Default)]
struct Counted {
    sized: bool,
    samples: u32,
    distinct: u32,
}

/// Samples one after the other; an invalid one yields an error in its turn.
pub type Samples<'a> = Box<dyn Iterator<Item = Result<DynamicMessage, SampleError>> + 'a>;

impl Payload {
    /// Opens a folder and compiles its definition. Samples are not read until requested.
    ///
    /// # Errors
    /// When the definition is invalid.
    pub fn open(folder: PayloadFolder, size_bytes: Option<u32>) -> Result<Self, PayloadError> {
        let definition = Definition::from_source(folder.definition(), &folder.at(DEFINITION))?;
        let samples_at = folder.at(SAMPLES);
        let id = PayloadId { name: folder.name.clone(), size_bytes };
        Ok(Payload { id, folder, definition, samples_at })
    }

    /// The id, with its size.
    pub fn id(&self) -> &PayloadId {
        &self.id
    }

    /// The folder that it was opened from.
    pub fn folder(&self) -> &PayloadFolder {
        &self.folder
    }

    /// The message type in the form that code generators walk.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// The descriptor of its message type, for samples.
    pub fn descriptor(&self) -> &MessageDescriptor {
        &self.definition.descriptor
    }

    /// A digest of the definition alone, without comments: payloads with equal digests can share a runner.
    /// 32 hexadecimal digits of XXH3-128 over the encoded descriptor set.
    pub fn definition_digest(&self) -> String {
        crate::digest(&self.definition.descriptor_set)
    }

    /// What the payload is, in one sentence. Empty if the definition has no comment at its head.
    pub fn about(&self) -> String {
        self.folder.about()
    }

    /// What lists show about the payload.
    pub fn description(&self) -> Description {
        let counted = self.counted();
        let no_dictionary = match &counted {
            Ok(counted) => self.enough_to_train(counted.samples).err().map(|why| why.to_string()),
            Err(error) => Some(error.to_string()),
        };
        let Counted { sized, samples, distinct } = counted.unwrap_or_default();
        Description {
            name: self.folder.name.clone(),
            sized,
            about: self.about(),
            definition: self.folder.definition().to_owned(),
            samples,
            distinct,
            no_dictionary,
        }
    }

    /// The payload's samples in order: the first [`Payload::sample_count`] that generator.toml generates, else those of
    /// samples.jsonl. With a limit, at most that many.
    ///
    /// # Errors
    /// When the rules are invalid, when there are no samples, when a required size is missing, or when the payload takes none.
    pub fn samples(&self, limit: Option<usize>) -> Result<Samples<'_>, PayloadError> {
        self.first_of(limit, Generator::samples)
    }

    /// As [`Payload::samples`], and beyond the sample set as many as generator.toml says are `distinct`.
    ///
    /// # Errors
    /// Those of [`Payload::samples`].
    pub fn distinct_samples(&self, limit: usize) -> Result<Samples<'_>, PayloadError> {
        self.first_of(Some(limit), Generator::distinct)
    }

    fn first_of(
        &self,
        limit: Option<usize>,
        most: fn(&Generator) -> u32,
    ) -> Result<Samples<'_>, PayloadError> {
        let limit = limit.unwrap_or(usize::MAX);
        match (self.folder.generator(), self.folder.samples()) {
            (Some(rules), _) => {
                let generator = self.generator(rules, self.id.size_bytes)?;
                let limit = limit.min(most(&generator) as usize);
                Ok(Box::new(generator.map(Ok).take(limit)))
            }
            (None, Some(_)) if self.id.size_bytes.is_some() => Err(PayloadError::Size {
                id: self.id.to_string(),
                problem: "takes no size: leave out `@` and what follows".to_owned(),
            }),
            (None, Some(text)) => {
                let lines = read_samples(text, self.descriptor(), &self.samples_at);
                Ok(Box::new(lines.take(limit)))
            }
            (None, None) => Err(PayloadError::NoSamples { id: self.id.to_string() }),
        }
    }

    /// The sample of this number, counted from 0, as [`Payload::samples`] yields it; `None` beyond the last. A generator only
    /// performs the random draws of the samples before it.
    ///
    /// # Errors
    /// Those of [`Payload::samples`], and when the sample is invalid.
    pub fn sample(&self, number: usize) -> Result<Option<DynamicMessage>, PayloadError> {
        if let Some(rules) = self.folder.generator() {
            let mut generator = self.generator(rules, self.id.size_bytes)?;
            if number >= generator.samples() as usize {
                return Ok(None);
            }
            generator.skip_messages(number as u64);
            return Ok(Some(generator.message()));
        }
        Ok(self.samples(None)?.nth(number).transpose()?)
    }

    /// Splits the samples: at most `limit` to measure, and at most `training` others to train a dictionary on. The split does
    /// not depend on the limits. With a generator, the first [`Payload::sample_count`] samples are measured and later ones
    /// train; in a file of samples, every second one trains and the others are measured. A sample equal to any of those to
    /// measure, within the limit or not, never trains.
    ///
    /// # Errors
    /// When samples are invalid or there are none.
    pub fn samples_apart(
        &self,
        limit: Option<usize>,
        training: usize,
    ) -> Result<(Samples<'_>, Samples<'_>), PayloadError> {
        Ok((self.measured_apart(limit)?, self.training(training)?))
    }

    /// The samples to measure of [`Payload::samples_apart`].
    pub(crate) fn measured_apart(&self, limit: Option<usize>) -> Result<Samples<'_>, PayloadError> {
        if self.folder.generator().is_some() {
            return self.samples(limit);
        }
        Ok(Box::new(self.samples(None)?.step_by(2).take(limit.unwrap_or(usize::MAX))))
    }

    /// The samples to train on of [`Payload::samples_apart`]. Generates every sample, and keeps a hash of each in memory.
    pub(crate) fn training(&self, training: usize) -> Result<Samples<'_>, PayloadError> {
        // Plain Protobuf bytes would not do: equal values can differ in the order of their map entries.
        let hash = |value: &DynamicMessage| xxh3_64(&canonical_bytes(value));
        if let Some(rules) = self.folder.generator() {
            let mut others = self.generator(rules, self.id.size_bytes)?;
            let own = others.samples() as usize;
            let known: HashSet<u64> = others.by_ref().take(own).map(|value| hash(&value)).collect();
            // Where few values are possible, most later samples repeat known ones: limit the search.
            let others = others.take(training * 4).filter(move |value| !known.contains(&hash(value)));
            return Ok(Box::new(others.take(training).map(Ok)));
        }
        let measured = self.measured_apart(None)?;
        let known: HashSet<u64> = measured.filter_map(|value| Some(hash(&value.ok()?))).collect();
        let others = self.samples(None)?.skip(1).step_by(2);
        let unknown = others.filter(move |value| value.as_ref().map_or(true, |v| !known.contains(&hash(v))));
        Ok(Box::new(unknown.take(training)))
    }

    /// Whether it has enough samples to train a dictionary on, apart from those that are measured.
    ///
    /// # Errors
    /// With what to add if it has not.
    pub fn can_train(&self) -> Result<(), PayloadError> {
        self.enough_to_train(self.sample_count()?)
    }

    fn enough_to_train(&self, samples: u32) -> Result<(), PayloadError> {
        let (samples, needed) = (samples as usize, 2 * dictionary::LEAST_SAMPLES);
        if self.folder.generator().is_some() || samples >= needed {
            return Ok(());
        }
        Err(PayloadError::TooFewToTrain { id: self.id.to_string(), samples, needed })
    }

    fn generator(&self, rules: &str, size_bytes: Option<u32>) -> Result<Generator, GeneratorError> {
        Generator::from_toml(rules, self.folder.at(GENERATOR), self.descriptor(), size_bytes)
    }

    /// How many samples it has.
    ///
    /// # Errors
    /// When the generator rules are invalid.
    pub fn sample_count(&self) -> Result<u32, PayloadError> {
        Ok(self.counted()?.samples)
    }

    /// How many different samples it makes for trials that ask for more than the set.
    ///
    /// # Errors
    /// When the generator rules are invalid.
    pub fn distinct_count(&self) -> Result<u32, PayloadError> {
        Ok(self.counted()?.distinct)
    }

    /// Parsing the rules dominates the cost.
    fn counted(&self) -> Result<Counted, PayloadError> {
        let Some(rules) = self.folder.generator() else {
            let lines = self.folder.samples().unwrap_or_default().lines();
            let lines = lines.filter(|line| !line.trim().is_empty()).count();
            let samples = u32::try_from(lines).unwrap_or(u32::MAX);
            return Ok(Counted { sized: false, samples, distinct: samples });
        };
        let plain = self.generator(rules, None);
        let sized = matches!(plain, Err(GeneratorError::SizeMissing { .. }));
        // The number does not depend on the size: if one is required, any will do.
        let generator = match self.id.size_bytes.or(sized.then_some(1)) {
            None => plain?,
            size => self.generator(rules, size)?,
        };
        Ok(Counted { sized, samples: generator.samples(), distinct: generator.distinct() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::bundled_names;

    fn bundled(name: &str) -> Payload {
        let id: PayloadId = name.parse().unwrap();
        Payload::open(PayloadFolder::bundled(&id.name).unwrap(), id.size_bytes).unwrap()
    }

    fn on_disk(files: &[(&str, &str)]) -> (tempfile::TempDir, Payload) {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("trips");
        std::fs::create_dir(&folder).unwrap();
        for (file, text) in files {
            std::fs::write(folder.join(file), text).unwrap();
        }
        let payload = Payload::open(PayloadFolder::read(&folder).unwrap(), None).unwrap();
        (parent, payload)
    }

    const PROTO: &str = "syntax = \"proto3\"; message A { uint32 x = 1; }";

    #[test]
    fn every_bundled_payload_opens_and_describes_itself() {
        for name in bundled_names() {
            let payload = bundled(name);
            let description = payload.description();
            assert_eq!((description.name.as_str(), description.samples > 0), (name, true));
            assert_eq!(
                description.sized,
                ["kafka-record", "opaque", "opaque-text"].contains(&name),
                "{name}"
            );
            assert_eq!(payload.folder().is_sized(), description.sized, "{name}");
            assert_eq!(payload.definition_digest().len(), 32);
        }
        assert!(bundled("person").description().no_dictionary.unwrap().contains("needs 16 in all"));
        assert_eq!(bundled("small").description().no_dictionary, None);
    }

    #[test]
    fn the_digest_in_the_contract_of_runners_is_that_of_person() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/RUNNER.md");
        let digest = bundled("person").definition_digest();
        let page = std::fs::read_to_string(page).unwrap();
        let told = page.matches("\"definition\":\"").count();
        assert_eq!(page.matches(&format!("\"definition\":\"{digest}\"")).count(), told, "{digest}");
    }

    #[test]
    fn definitions_that_differ_in_comments_alone_have_one_digest() {
        let digest = |proto: &str| on_disk(&[("message.proto", proto)]).1.definition_digest();
        let plain = digest(PROTO);
        assert_eq!(plain, digest(&format!("// Words.\n{PROTO}\n// More.")));
        assert_ne!(plain, digest(&PROTO.replace(" x ", " y ")));
        assert_eq!(
            bundled("envelope-1-digest").definition_digest(),
            bundled("envelope-3").definition_digest()
        );
    }

    #[test]
    fn sizes_and_samples_that_are_missing_or_too_many_are_errors() {
        let error = |payload: Payload| payload.samples(None).err().unwrap().to_string();
        assert!(error(bundled("person@3")).contains("takes no size"), "person@3");
        assert!(error(bundled("opaque")).contains("payloads/opaque/generator.toml:"), "opaque");
        assert!(error(bundled("small@3")).contains("has no sizes"), "small@3");
        let (_parent, bare) = on_disk(&[("message.proto", PROTO)]);
        assert!(error(bare).contains("neither samples.jsonl nor generator.toml"));
        let (_parent, broken) = on_disk(&[("message.proto", PROTO), ("samples.jsonl", "{\"x\":1}\n\n{")]);
        assert_eq!(broken.sample_count().unwrap(), 2);
        let samples: Vec<_> = broken.samples(None).unwrap().collect();
        let error = samples[1].as_ref().unwrap_err().to_string();
        assert!(samples[0].is_ok() && error.contains("trips/samples.jsonl:3"), "{error}");
    }

    #[test]
    fn distinct_samples_go_on_after_the_set_as_far_as_the_rules_say() {
        let payload = bundled("kafka-record@1176");
        let description = payload.description();
        assert_eq!((description.samples, description.distinct), (100, 1_048_575));
        assert_eq!(payload.samples(Some(300)).unwrap().count(), 100);
        let more: Vec<_> = payload.distinct_samples(300).unwrap().map(Result::unwrap).collect();
        let set: Vec<_> = payload.samples(None).unwrap().map(Result::unwrap).collect();
        assert!(more.len() == 300 && more[..100] == set[..]);
        let different: HashSet<Vec<u8>> = more.iter().map(canonical_bytes).collect();
        assert_eq!(different.len(), 300);
        // Files of samples and rules without the key have their set alone.
        for name in ["person", "small"] {
            let payload = bundled(name);
            let count = payload.distinct_samples(5_000).unwrap().count();
            assert_eq!(u32::try_from(count).unwrap(), payload.sample_count().unwrap(), "{name}");
        }
    }

    #[test]
    fn a_sample_by_its_number_is_the_one_of_the_row() {
        for name in ["person", "current-status", "denm", "opaque@100"] {
            let payload = bundled(name);
            let row: Vec<_> = payload.samples(Some(30)).unwrap().map(Result::unwrap).collect();
            for (number, sample) in row.iter().enumerate() {
                assert!(payload.sample(number).unwrap().as_ref() == Some(sample), "{name} {number}");
            }
            let beyond = payload.sample_count().unwrap() as usize;
            assert!(payload.sample(beyond).unwrap().is_none());
            assert!(payload.sample(beyond - 1).unwrap().is_some());
        }
        assert!(bundled("opaque").sample(0).is_err());
    }

    #[test]
    fn what_trains_is_never_measured_and_does_not_depend_on_limits() {
        let lines: String = (0..20).map(|x| format!("{{\"x\":{}}}\n", x % 13)).collect();
        let (_parent, file) = on_disk(&[("message.proto", PROTO), ("samples.jsonl", &lines)]);
        file.can_train().unwrap();
        for (payload, own) in [(file, 10), (bundled("small"), 100), (bundled("vehicle-data"), 100)] {
            let deal = |limit, training| {
                let (measured, training) = payload.samples_apart(limit, training).unwrap();
                let all = |samples: Samples| samples.collect::<Result<Vec<_>, _>>().unwrap();
                (all(measured), all(training))
            };
            let (measured, training) = deal(None, 50);
            assert_eq!(measured.len(), own);
            assert!(!training.is_empty() && training.iter().all(|value| !measured.contains(value)));
            assert_eq!(deal(Some(3), 2), (measured[..3].to_vec(), training[..2].to_vec()));
        }
    }
}

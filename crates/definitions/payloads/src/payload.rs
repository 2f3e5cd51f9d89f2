//! A payload at a size: its definition and its samples.

use std::collections::HashSet;
use std::path::PathBuf;

use prost_reflect::{DynamicMessage, MessageDescriptor};
use wiredyno_contract::PayloadId;
use wiredyno_schema::generator::{Generator, GeneratorError};
use wiredyno_schema::{Definition, DefinitionError, SampleError, canonical_bytes, read_samples};
use xxhash_rust::xxh3::xxh3_64;

use crate::dictionary;
use crate::folder::{DEFINITION, FolderError, GENERATOR, PayloadFolder, SAMPLES};

/// Why a payload can't be had.
#[derive(Debug, thiserror::Error)]
pub enum PayloadError {
    /// There is none of that name.
    #[error("no payload `{id}`; {hint}")]
    Unknown {
        /// What was asked for.
        id: String,
        /// Near names, or how to list them.
        hint: String,
    },
    /// A folder has the name of a payload of the program, and is another.
    #[error(
        "`{name}` is a payload of the program, and {path} has another {files}: rename the folder, or rebuild the program \
         if the folder is its own"
    )]
    Taken {
        /// The name of both.
        name: String,
        /// The folder as it was found.
        path: PathBuf,
        /// What differs.
        files: String,
    },
    /// A name means two folders.
    #[error(
        "`{name}` is both {first} and {second}, which differ in {files}: name the intended one by its path, or rename the \
         other"
    )]
    Ambiguous {
        /// The name of both.
        name: String,
        /// One folder.
        first: PathBuf,
        /// The other one.
        second: PathBuf,
        /// What differs.
        files: String,
    },
    /// A size where there must be none, or none where there must be one.
    #[error("payload `{id}` {problem}")]
    Size {
        /// What was asked for.
        id: String,
        /// What to write instead.
        problem: String,
    },
    /// The folder gives no samples.
    #[error("payload `{id}` has neither samples.jsonl nor generator.toml: add one of them")]
    NoSamples {
        /// What was asked for.
        id: String,
    },
    /// A dictionary needs more.
    #[error(
        "payload `{id}` has {samples} samples: a dictionary is trained on samples other than those measured, and needs \
         {needed} in all; add samples, or a generator.toml"
    )]
    TooFewToTrain {
        /// What was asked for.
        id: String,
        /// How many there are.
        samples: usize,
        /// How many are needed.
        needed: usize,
    },
    /// The folder is no payload's.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The definition is wrong.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// A sample is broken.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// The rules by which samples are made are broken.
    #[error(transparent)]
    Generator(#[from] GeneratorError),
}

impl PayloadError {
    /// Whether there is nothing of the name that was asked for, or nothing at such a size: what names it is wrong.
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

/// A payload at a size.
#[derive(Clone)]
pub struct Payload {
    id: PayloadId,
    folder: PayloadFolder,
    definition: Definition,
    /// How errors call the file with samples.
    samples_at: String,
}

/// What lists say about a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// Its name, without a size.
    pub name: String,
    /// Whether it takes a size behind an at sign.
    pub sized: bool,
    /// What it is, in a sentence.
    pub about: String,
    /// The text of its message.proto.
    pub definition: String,
    /// How many samples it comes with; 0 where its rules are broken.
    pub samples: u32,
    /// Why no dictionary can be trained on its samples; absent where one can.
    pub no_dictionary: Option<String>,
}

/// Samples one after the other; a broken one is an error when its turn comes.
pub type Samples<'a> = Box<dyn Iterator<Item = Result<DynamicMessage, SampleError>> + 'a>;

impl Payload {
    /// Opens a folder: compiles its definition. Samples are looked at when they are asked for.
    ///
    /// # Errors
    /// When the definition is wrong.
    pub fn open(folder: PayloadFolder, size_bytes: Option<u32>) -> Result<Self, PayloadError> {
        let definition = Definition::from_source(folder.definition(), &folder.at(DEFINITION))?;
        let samples_at = folder.at(SAMPLES);
        let id = PayloadId { name: folder.name.clone(), size_bytes };
        Ok(Payload { id, folder, definition, samples_at })
    }

    /// The id with its size.
    pub fn id(&self) -> &PayloadId {
        &self.id
    }

    /// The folder that it was opened of.
    pub fn folder(&self) -> &PayloadFolder {
        &self.folder
    }

    /// The message type as generators of code walk it.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// The message type of its samples.
    pub fn descriptor(&self) -> &MessageDescriptor {
        &self.definition.descriptor
    }

    /// A digest of the definition without its comments and of nothing else: payloads that share it can share a runner.
    /// 32 hexadecimal digits, of XXH3's 128 bits over the encoded descriptor set.
    pub fn definition_digest(&self) -> String {
        crate::digest(&self.definition.descriptor_set)
    }

    /// What it is, in a sentence. Empty where the definition has no comment at its head.
    pub fn about(&self) -> String {
        self.folder.about()
    }

    /// What lists say about it.
    pub fn description(&self) -> Description {
        let counted = self.counted();
        let no_dictionary = match &counted {
            Ok((_, samples)) => self.enough_to_train(*samples).err().map(|why| why.to_string()),
            Err(error) => Some(error.to_string()),
        };
        let (sized, samples) = counted.unwrap_or((false, 0));
        Description {
            name: self.folder.name.clone(),
            sized,
            about: self.about(),
            definition: self.folder.definition().to_owned(),
            samples,
            no_dictionary,
        }
    }

    /// The payload's samples in order: the first [`Payload::sample_count`] of generator.toml, else those of
    /// samples.jsonl. With a limit, at most so many.
    ///
    /// # Errors
    /// When the rules are broken, when there are no samples, or when the size is missing or there must be none.
    pub fn samples(&self, limit: Option<usize>) -> Result<Samples<'_>, PayloadError> {
        let limit = limit.unwrap_or(usize::MAX);
        match (self.folder.generator(), self.folder.samples()) {
            (Some(rules), _) => {
                let generator = self.generator(rules, self.id.size_bytes)?;
                let limit = limit.min(generator.samples() as usize);
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

    /// The sample of this number, counted from 0, as [`Payload::samples`] gives it; `None` beyond the last. Of those
    /// before it a generator makes the draws alone.
    ///
    /// # Errors
    /// As of [`Payload::samples`], and when the sample is broken.
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

    /// The samples to measure, at most `limit`, and others to train a dictionary on, at most `training`. What is
    /// dealt to which side does not depend on the limits. Of a generator, the first [`Payload::sample_count`] are
    /// measured and those behind them train; of a file with samples, every second one trains and the others are
    /// measured. A sample that equals one of those to measure, whether within the limit or not, never trains.
    ///
    /// # Errors
    /// When samples are broken or there are none.
    pub fn samples_apart(
        &self,
        limit: Option<usize>,
        training: usize,
    ) -> Result<(Samples<'_>, Samples<'_>), PayloadError> {
        Ok((self.measured_apart(limit)?, self.training(training)?))
    }

    /// One side of [`Payload::samples_apart`]: those to measure.
    pub(crate) fn measured_apart(&self, limit: Option<usize>) -> Result<Samples<'_>, PayloadError> {
        if self.folder.generator().is_some() {
            return self.samples(limit);
        }
        Ok(Box::new(self.samples(None)?.step_by(2).take(limit.unwrap_or(usize::MAX))))
    }

    /// The other side: those to train on. Takes the time to make all samples; holds a number for each.
    pub(crate) fn training(&self, training: usize) -> Result<Samples<'_>, PayloadError> {
        // Not Protobuf's plain bytes: those of equal values differ in the order of their maps' entries.
        let hash = |value: &DynamicMessage| xxh3_64(&canonical_bytes(value));
        if let Some(rules) = self.folder.generator() {
            let mut others = self.generator(rules, self.id.size_bytes)?;
            let own = others.samples() as usize;
            let known: HashSet<u64> = others.by_ref().take(own).map(|value| hash(&value)).collect();
            // Where few values are possible, most of what follows is known: the search has an end.
            let others = others.take(training * 4).filter(move |value| !known.contains(&hash(value)));
            return Ok(Box::new(others.take(training).map(Ok)));
        }
        let measured = self.measured_apart(None)?;
        let known: HashSet<u64> = measured.filter_map(|value| Some(hash(&value.ok()?))).collect();
        let others = self.samples(None)?.skip(1).step_by(2);
        let unknown = others.filter(move |value| value.as_ref().map_or(true, |v| !known.contains(&hash(v))));
        Ok(Box::new(unknown.take(training)))
    }

    /// Whether it has samples enough to train a dictionary on beside those that are measured.
    ///
    /// # Errors
    /// With what to add when it has not.
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

    /// How many samples it comes with.
    ///
    /// # Errors
    /// When the rules by which they are made are broken.
    pub fn sample_count(&self) -> Result<u32, PayloadError> {
        Ok(self.counted()?.1)
    }

    /// Whether it takes a size, and how many samples it comes with. Reading rules takes longer than all else here.
    fn counted(&self) -> Result<(bool, u32), PayloadError> {
        let Some(rules) = self.folder.generator() else {
            let lines = self.folder.samples().unwrap_or_default().lines();
            let lines = lines.filter(|line| !line.trim().is_empty()).count();
            return Ok((false, u32::try_from(lines).unwrap_or(u32::MAX)));
        };
        let plain = self.generator(rules, None);
        let sized = matches!(plain, Err(GeneratorError::SizeMissing { .. }));
        // A size does not change the number; any will do where one is asked for.
        let generator = match self.id.size_bytes.or(sized.then_some(1)) {
            None => plain?,
            size => self.generator(rules, size)?,
        };
        Ok((sized, generator.samples()))
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

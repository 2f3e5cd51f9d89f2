//! A payload as runners get it: files in a folder.

use std::io;
use std::path::Path;

use prost_reflect::DynamicMessage;
use wiredyno_contract::{PayloadSource, samples};
use wiredyno_payloads::{Payload, SamplesFileError, Which};
use wiredyno_process::scratch::Scratch;
use wiredyno_schema::{canonical_bytes, idl};

/// Why a payload's files can't be written.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The samples can't be written.
    #[error(transparent)]
    Samples(#[from] SamplesFileError),
    /// A file or folder can't be written.
    #[error("a payload's files for a runner: {0}")]
    Io(#[from] io::Error),
}

/// The file of definitions in a source's folder.
const DESCRIPTORS: &str = "descriptors";
const SAMPLES: &str = "samples";

/// A payload's files, deleted when dropped.
pub struct Source {
    folder: Scratch,
    source: PayloadSource,
}

impl Source {
    /// From at most `limit` of a payload's own samples, written as the program writes them.
    ///
    /// # Errors
    /// When samples are invalid or a file can't be written.
    pub fn own(payload: &Payload, limit: Option<usize>) -> Result<Source, SourceError> {
        let folder = Scratch::new("samples-")?;
        let file = payload.write_samples(&folder.path().join(SAMPLES), limit, Which::Set)?;
        Source::new(payload, folder, file.digest)
    }

    /// The same with samples to train a dictionary on, separate from those to measure.
    ///
    /// # Errors
    /// Likewise, and if a payload has too few samples.
    pub fn training(payload: &Payload, limit: usize, training: usize) -> Result<Source, SourceError> {
        let folder = Scratch::new("samples-")?;
        let file = payload.write_samples(&folder.path().join(SAMPLES), Some(limit), Which::Measured)?;
        let path = folder.path().join("training");
        payload.write_training(&path, training, wiredyno_payloads::dictionary::TRAINING_BYTES)?;
        let mut source = Source::new(payload, folder, file.digest)?;
        source.source.training = Some(path.display().to_string());
        Ok(source)
    }

    /// From any values of a payload's message.
    ///
    /// # Errors
    /// When a file can't be written.
    pub fn of(payload: &Payload, values: &[DynamicMessage]) -> Result<Source, SourceError> {
        let folder = Scratch::new("samples-")?;
        let mut bytes = samples::MAGIC.to_vec();
        bytes.extend((values.len() as u64).to_le_bytes());
        for value in values {
            let value = canonical_bytes(value);
            bytes.extend((value.len() as u32).to_le_bytes());
            bytes.extend(value);
        }
        std::fs::write(folder.path().join(SAMPLES), &bytes)?;
        Source::new(payload, folder, digest(&bytes))
    }

    fn new(payload: &Payload, folder: Scratch, samples_digest: String) -> Result<Source, SourceError> {
        let definition = payload.definition();
        std::fs::write(folder.path().join(DESCRIPTORS), &definition.descriptor_set)?;
        let path = |name: &str| folder.path().join(name).display().to_string();
        let source = PayloadSource {
            name: payload.id().clone(),
            descriptor_set: path(DESCRIPTORS),
            definition: payload.definition_digest(),
            message: definition.root().full_name.clone(),
            samples: path(SAMPLES),
            samples_digest,
            training: None,
            sequence: definition.sequence_name(),
            schemas: idl::write_all(definition, &folder.path().join("schemas"))?,
        };
        Ok(Source { folder, source })
    }

    /// The source as requests contain it.
    pub fn wire(&self) -> PayloadSource {
        self.source.clone()
    }

    /// The folder of the files, where tests may add others.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// The 128-bit XXH3 hash, as 32 hexadecimal digits.
fn digest(bytes: &[u8]) -> String {
    format!("{:032x}", xxhash_rust::xxh3::xxh3_128(bytes))
}

//! The file that hands samples to runners.
//!
//! Why: this program generates values once, for runners in any language, and every language can read Protobuf.
//!
//! | bytes | hold |
//! |---|---|
//! | 8 | [`MAGIC`], whose digits are the layout's version |
//! | 8 | the number of samples, little-endian |
//! | then for each sample: 4 | the length of the sample, little-endian |
//! | so many | the sample's canonical Protobuf bytes, see [`wiredyno_schema::canonical`] |
//!
//! There is no padding and no trailer. Equal samples give equal files. A file is complete or absent: it is
//! built in a temporary sibling, then renamed. Samples are generated and written one by one, so that memory holds only one.
//!
//! Limits: a sample has fewer than 4 GiB.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use wiredyno_contract::samples::MAGIC;
use wiredyno_schema::canonical_bytes;
use xxhash_rust::xxh3::Xxh3Default;

use crate::payload::{Payload, PayloadError, Samples};

/// A file of samples on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplesFile {
    /// The path it was written to.
    pub path: PathBuf,
    /// The number of samples in it.
    pub samples: u32,
    /// A digest of the whole file: 32 hexadecimal digits of XXH3-128.
    pub digest: String,
}

/// Why no samples file was written.
#[derive(Debug, thiserror::Error)]
pub enum SamplesFileError {
    /// The payload has no usable samples.
    #[error(transparent)]
    Payload(#[from] PayloadError),
    /// The file can't be written.
    #[error("{path}: {reason}; no file was written")]
    Write {
        /// The file that could not be written.
        path: PathBuf,
        /// The operating system's error.
        reason: io::Error,
    },
    /// A sample is too long for the layout's 32-bit length.
    #[error(
        "sample {sample} of `{id}` has {bytes} bytes, and a sample in a file may have up to {}: make it shorter",
        u32::MAX
    )]
    TooLong {
        /// The payload's id.
        id: String,
        /// The sample's number, counted from 1.
        sample: u32,
        /// The sample's length as canonical Protobuf.
        bytes: usize,
    },
}

/// Which samples are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The sample set: [`Payload::samples`].
    Set,
    /// With a limit, as many different ones as the payload makes: [`Payload::distinct_samples`].
    Distinct,
    /// Those to measure beside a dictionary: [`Payload::samples_apart`].
    Measured,
}

impl Payload {
    /// Writes samples, at most `limit` of them.
    ///
    /// # Errors
    /// When samples are invalid or there are none, or the file can't be written.
    pub fn write_samples(
        &self,
        path: &Path,
        limit: Option<usize>,
        which: Which,
    ) -> Result<SamplesFile, SamplesFileError> {
        let samples = match (which, limit) {
            (Which::Measured, _) => self.measured_apart(limit)?,
            (Which::Distinct, Some(limit)) => self.distinct_samples(limit)?,
            (Which::Set | Which::Distinct, _) => self.samples(limit)?,
        };
        let mut samples = samples.peekable();
        if samples.peek().is_none() {
            return Err(PayloadError::NoSamples { id: self.id().to_string() }.into());
        }
        self.write(path, Box::new(samples), usize::MAX)
    }

    /// Writes the training samples of [`Payload::samples_apart`], at most `samples` of them, and stops once they have `bytes`
    /// bytes as counted in the file. The trainer stops at [`crate::dictionary::TRAINING_BYTES`] of the codec's own output, so a
    /// codec denser than Protobuf uses more samples.
    ///
    /// # Errors
    /// When samples are invalid or too few, or the file can't be written.
    pub fn write_training(
        &self,
        path: &Path,
        samples: usize,
        bytes: usize,
    ) -> Result<SamplesFile, SamplesFileError> {
        self.can_train()?;
        self.write(path, self.training(samples)?, bytes)
    }

    fn write(
        &self,
        path: &Path,
        samples: Samples<'_>,
        limit_bytes: usize,
    ) -> Result<SamplesFile, SamplesFileError> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let made = MADE.fetch_add(1, Ordering::Relaxed);
        let mut beside = path.as_os_str().to_owned();
        beside.push(format!(".making-{}-{made}", std::process::id()));
        let beside = PathBuf::from(beside);
        let written = self.write_beside(&beside, samples, limit_bytes).and_then(|(samples, digest)| {
            std::fs::rename(&beside, path).map_err(at(path))?;
            Ok(SamplesFile { path: path.to_owned(), samples, digest })
        });
        if written.is_err() {
            // The first error is the one to report.
            let _ = std::fs::remove_file(&beside);
        }
        written
    }

    /// Writes the file; returns the number of samples and the digest.
    fn write_beside(
        &self,
        path: &Path,
        samples: Samples<'_>,
        limit_bytes: usize,
    ) -> Result<(u32, String), SamplesFileError> {
        let file = File::options().read(true).write(true).create_new(true).open(path).map_err(at(path))?;
        let mut out = BufWriter::new(file);
        out.write_all(&[0; 16]).map_err(at(path))?;
        let (mut count, mut bytes) = (0, 0);
        for sample in samples {
            let body = canonical_bytes(&sample.map_err(PayloadError::from)?);
            count += 1;
            bytes += body.len();
            let length = u32::try_from(body.len()).map_err(|_| SamplesFileError::TooLong {
                id: self.id().to_string(),
                sample: count,
                bytes: body.len(),
            })?;
            out.write_all(&length.to_le_bytes()).and_then(|()| out.write_all(&body)).map_err(at(path))?;
            if bytes >= limit_bytes {
                break;
            }
        }
        let digest = finish(out, count).map_err(at(path))?;
        Ok((count, digest))
    }
}

/// Adds the path to a system error.
fn at(path: &Path) -> impl Fn(io::Error) -> SamplesFileError {
    let path = path.to_owned();
    move |reason| SamplesFileError::Write { path: path.clone(), reason }
}

/// Writes the number of samples, now known, into the header, and digests the file, header included.
fn finish(out: BufWriter<File>, samples: u32) -> io::Result<String> {
    let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&MAGIC)?;
    file.write_all(&u64::from(samples).to_le_bytes())?;
    file.seek(SeekFrom::Start(0))?;
    let (mut hash, mut part) = (Xxh3Default::new(), vec![0; 64 << 10]);
    loop {
        match file.read(&mut part)? {
            0 => return Ok(format!("{:032x}", hash.digest128())),
            length => hash.update(&part[..length]),
        }
    }
}

#[cfg(test)]
mod tests {
    use prost_reflect::DynamicMessage;
    use wiredyno_schema::write_value;

    use super::*;
    use crate::dictionary;
    use crate::folder::{PayloadFolder, bundled_names};

    fn bundled(name: &str, size_bytes: Option<u32>) -> Payload {
        Payload::open(PayloadFolder::bundled(name).unwrap(), size_bytes).unwrap()
    }

    /// Reads the file as a runner does. Compares values as texts, because prost-reflect distinguishes a field set to its default
    /// from one never set, even where the message can't.
    fn read(file: &SamplesFile, payload: &Payload) -> Vec<String> {
        let bytes = std::fs::read(&file.path).unwrap();
        assert_eq!(file.digest, crate::digest(&bytes));
        assert_eq!(bytes[..8], MAGIC);
        assert_eq!(bytes[8..16], u64::from(file.samples).to_le_bytes());
        let (mut rest, mut values) = (&bytes[16..], Vec::new());
        while let Some((length, behind)) = rest.split_first_chunk() {
            let (body, behind) = behind.split_at(u32::from_le_bytes(*length) as usize);
            let value = DynamicMessage::decode(payload.descriptor().clone(), body).unwrap();
            values.push(write_value(&value).unwrap());
            rest = behind;
        }
        assert_eq!((rest.len(), values.len()), (0, file.samples as usize));
        values
    }

    fn texts(samples: Samples) -> Vec<String> {
        samples.map(|sample| write_value(&sample.unwrap()).unwrap()).collect()
    }

    #[test]
    fn the_samples_of_every_bundled_payload_come_back_equal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("samples");
        for name in bundled_names() {
            let sized = bundled(name, None).folder().is_sized();
            let payload = bundled(name, sized.then_some(1_000));
            let file = payload.write_samples(&path, Some(50), Which::Set).unwrap();
            let samples = texts(payload.samples(Some(50)).unwrap());
            assert!(read(&file, &payload) == samples, "{name}");
            assert_eq!(
                payload.write_samples(&path, Some(50), Which::Set).unwrap(),
                file,
                "{name}: equal samples give an equal digest"
            );
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn the_layout_is_fixed_to_the_byte() {
        let folder = tempfile::tempdir().unwrap();
        let file = bundled("person", None).write_samples(&folder.path().join("s"), None, Which::Set).unwrap();
        let bytes = std::fs::read(&file.path).unwrap();
        assert_eq!(bytes[..20], *b"WDSAMP01\x01\0\0\0\0\0\0\0\x21\0\0\0");
        assert_eq!((bytes.len(), file.samples), (20 + 33, 1));
    }

    #[test]
    fn with_a_dictionary_files_hold_what_samples_apart_deals() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["envelope-2", "small", "json-config"] {
            let payload = bundled(name, None);
            let (measured, training) = payload.samples_apart(Some(20), 30).unwrap();
            let (measured, training) = (texts(measured), texts(training));
            let file =
                payload.write_samples(&folder.path().join("measured"), Some(20), Which::Measured).unwrap();
            assert_eq!(read(&file, &payload), measured, "{name}");
            let path = folder.path().join("training");
            let file = payload.write_training(&path, 30, dictionary::TRAINING_BYTES).unwrap();
            assert_eq!(read(&file, &payload), training, "{name}");
            let file = payload.write_training(&path, 30, 1).unwrap();
            assert_eq!(read(&file, &payload), training[..1], "{name}: one sample is enough bytes");
        }
    }

    #[test]
    fn a_failure_leaves_the_file_that_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let (trips, path) = (folder.path().join("trips"), folder.path().join("samples"));
        std::fs::create_dir(&trips).unwrap();
        std::fs::write(trips.join("message.proto"), "syntax = \"proto3\"; message A { uint32 x = 1; }")
            .unwrap();
        std::fs::write(&path, "before").unwrap();
        let payload = |samples: &str| {
            std::fs::write(trips.join("samples.jsonl"), samples).unwrap();
            Payload::open(PayloadFolder::read(&trips).unwrap(), None).unwrap()
        };
        let error = payload("{}\n{\"y\":1}").write_samples(&path, None, Which::Set).unwrap_err().to_string();
        assert!(error.contains("trips/samples.jsonl:2"), "{error}");
        let error = payload("\n").write_samples(&path, None, Which::Set).unwrap_err().to_string();
        assert!(error.contains("neither samples.jsonl"), "{error}");
        let error = payload("{}").write_training(&path, 10, 10).unwrap_err().to_string();
        assert!(error.contains("has 1 samples"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "before");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
        let error = payload("{}").write_samples(&trips.join("no/file"), None, Which::Set).unwrap_err();
        assert!(matches!(error, SamplesFileError::Write { .. }), "{error}");
    }
}

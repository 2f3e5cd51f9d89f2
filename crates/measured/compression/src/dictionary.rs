//! A dictionary trained on samples that are never measured.
//!
//! `Payload::samples_apart` of `crates/definitions/payloads` selects the samples. The trainer is the reference library's (COVER with its
//! default settings), and gives the same dictionary for the same samples, so publisher and subscriber train one each instead of
//! sending it.

use wiredyno_contract::{CompressionId, DictionaryUsed};

use super::CompressionError;

/// The longest dictionary. The trainer fills the space that it is given; tests of the Zstandard project find its
/// gain in the first kilobytes for short messages.
pub const MOST_BYTES: usize = 16 << 10;

/// The shortest dictionary that the trainer makes (`ZDICT_DICTSIZE_MIN`).
const LEAST_BYTES: usize = 256;

/// A dictionary is at most this fraction (one part in 8) of its training data, so that it contains what
/// messages share and not the messages themselves.
const PART: usize = 8;

/// The most samples to train on.
pub const MOST_SAMPLES: usize = 1_000;

/// The fewest samples to train on.
pub const LEAST_SAMPLES: usize = 8;

/// No more samples are taken once they reach this many bytes.
pub const TRAINING_BYTES: usize = 4 << 20;

/// A dictionary that both sides have beforehand.
pub struct Dictionary {
    bytes: Vec<u8>,
    training_samples: u32,
}

impl Dictionary {
    /// Trains a dictionary on samples.
    ///
    /// # Errors
    /// When there are too few samples, or they have nothing in common.
    pub fn train(id: &CompressionId, samples: &[Vec<u8>]) -> Result<Self, CompressionError> {
        let refused = |reason: String| CompressionError::Training { id: id.to_string(), reason };
        if samples.len() < LEAST_SAMPLES {
            return Err(refused(format!(
                "{} samples to train on, at least {LEAST_SAMPLES} are needed beside those measured: add samples, \
                 or a generator.toml",
                samples.len()
            )));
        }
        let total: usize = samples.iter().map(Vec::len).sum();
        let most = (total / PART).clamp(LEAST_BYTES, MOST_BYTES);
        let bytes = zstd::dict::from_samples(samples, most).map_err(|error| {
            refused(format!(
                "training on {} samples of {total} bytes failed: {error}; they may be too short, or have nothing in common",
                samples.len()
            ))
        })?;
        Ok(Dictionary { bytes, training_samples: u32::try_from(samples.len()).unwrap_or(u32::MAX) })
    }

    /// The dictionary's content, as trained.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The description of it in results.
    pub fn used(&self) -> DictionaryUsed {
        DictionaryUsed {
            bytes: u32::try_from(self.bytes.len()).unwrap_or(u32::MAX),
            training_samples: self.training_samples,
        }
    }
}

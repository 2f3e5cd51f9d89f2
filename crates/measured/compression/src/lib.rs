//! Compression as an axis of its own over any codec: one file for each method, one registry.
//!
//! An id is the method with its level where it has levels, `gzip:6`, and `:dictionary` where both sides have one
//! beforehand. A method creates a [`Compressor`], which keeps its state between messages; from outside a
//! compressor with its samples is a [`BoundCompression`]. Every message is compressed independently: nothing is
//! learnt from earlier ones.
//!
//! Limits: decompression returns at most [`LIMIT_BYTES`] and never trusts a stated length beyond that.

pub mod bound;
pub mod dictionary;
pub mod gzip;
pub mod lz4;
pub mod none;
pub mod snappy;
pub mod zstd;

use wiredyno_codec::MeasureError;
use wiredyno_contract::{CompressionDescription, CompressionId};

pub use bound::BoundCompression;
pub use dictionary::Dictionary;

/// The most bytes that decompressing one message may give: 64 MiB. A message that claims more is refused before
/// memory is reserved for it.
pub const LIMIT_BYTES: usize = 64 << 20;

/// Why bytes could not be compressed or decompressed.
#[derive(Debug, thiserror::Error)]
pub enum CompressionError {
    /// There is no such method, level or dictionary.
    #[error("no compression {problem}")]
    Unknown {
        /// What is wrong with the id, and what to write instead.
        problem: String,
    },
    /// The library could not be set up.
    #[error("{id} can't be set up: {reason}")]
    SetUp {
        /// The id, with level and dictionary.
        id: String,
        /// The error of the library.
        reason: String,
    },
    /// A dictionary could not be trained.
    #[error("no dictionary for {id}: {reason}")]
    Training {
        /// The id, with level and dictionary.
        id: String,
        /// What went wrong, and what to do.
        reason: String,
    },
    /// A message could not be compressed.
    #[error("{id} can't compress these bytes: {reason}")]
    Compress {
        /// The id, with level and dictionary.
        id: String,
        /// The error of the library.
        reason: String,
    },
    /// Bytes are not a message of this compression. Damaged input always ends here, never in a panic.
    #[error("{id} can't decompress these bytes: {reason}")]
    Decompress {
        /// The id, with level and dictionary.
        id: String,
        /// The error of the library.
        reason: String,
    },
}

impl From<CompressionError> for MeasureError {
    fn from(error: CompressionError) -> MeasureError {
        MeasureError::Compression(error.to_string())
    }
}

/// Compresses and decompresses messages, keeping its state between them.
pub trait Compressor: Send {
    /// Replaces the content of `out` with the compressed bytes.
    ///
    /// # Errors
    /// With the error of the library.
    fn compress(&mut self, plain: &[u8], out: &mut Vec<u8>) -> Result<(), String>;

    /// Replaces the content of `out` with the plain bytes, at most [`LIMIT_BYTES`]. Never panics.
    ///
    /// # Errors
    /// When the bytes are damaged, followed by others, or longer than the limit.
    fn decompress(&mut self, compressed: &[u8], out: &mut Vec<u8>) -> Result<(), String>;
}

/// A compression method, independent of level and samples.
pub trait Method: Sync {
    /// The first part of its ids: `zstd`.
    fn name(&self) -> &'static str;

    /// The library and its version from Cargo.lock.
    fn library(&self) -> (&'static str, &'static str);

    /// What the bytes are, and what is timed.
    fn about(&self) -> &'static str;

    /// Lowest and highest level; `None` where it has no levels.
    fn levels(&self) -> Option<[u8; 2]> {
        None
    }

    /// Whether it can use a dictionary.
    fn takes_dictionary(&self) -> bool {
        false
    }

    /// The ids that lists show; other levels can be used as well.
    fn ids(&self) -> &'static [&'static str];

    /// Creates a compressor for an id that [`CompressionDescription::accepts`]; `None` where there is nothing to do.
    ///
    /// # Errors
    /// When the library refuses the setting or has no memory.
    fn bind(
        &self,
        id: &CompressionId,
        dictionary: Option<Dictionary>,
    ) -> Result<Option<Box<dyn BoundCompression>>, CompressionError>;

    /// The full description as the runner reports it.
    ///
    /// # Errors
    /// When an id in the list is invalid.
    fn description(&self) -> Result<CompressionDescription, wiredyno_contract::IdError> {
        let (library, version) = self.library();
        Ok(CompressionDescription {
            method: self.name().to_owned(),
            library: library.to_owned(),
            version: version.to_owned(),
            about: self.about().to_owned(),
            levels: self.levels(),
            dictionary: self.takes_dictionary(),
            ids: self.ids().iter().map(|id| id.parse()).collect::<Result<_, _>>()?,
        })
    }
}

/// Every method of this program. To add one: a file, and an entry here.
pub static REGISTRY: &[&dyn Method] = &[&none::None, &gzip::Gzip, &zstd::Zstd, &lz4::Lz4, &snappy::Snappy];

/// The method of an id whose level and dictionary fit it.
///
/// # Errors
/// With what to write instead.
pub fn find(id: &CompressionId) -> Result<&'static dyn Method, CompressionError> {
    let unknown = |problem: String| CompressionError::Unknown { problem };
    for method in REGISTRY {
        let description = method.description().map_err(|error| unknown(error.to_string()))?;
        if description.accepts(id).map_err(unknown)? {
            return Ok(*method);
        }
    }
    let names = REGISTRY.iter().map(|method| method.name());
    Err(unknown(format!("`{id}`; {}", hint(&id.method, names))))
}

/// The nearest name, or how to list them all.
fn hint<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> String {
    match wiredyno_contract::nearest(wanted, names) {
        Some(near) => format!("did you mean `{near}`? `wiredyno list compressions` shows all"),
        None => "`wiredyno list compressions` shows them".to_owned(),
    }
}

/// The version of a library that this crate depends on.
fn version(library: &str) -> &'static str {
    wiredyno_versions::of(env!("CARGO_PKG_NAME"), library).unwrap_or_default()
}

/// Creates the compressor for an id; `None` for `none`.
///
/// # Errors
/// When there is no such compression, its dictionary can't be trained from `training`, or its library fails.
pub fn bind(
    id: &CompressionId,
    training: &[Vec<u8>],
) -> Result<Option<Box<dyn BoundCompression>>, CompressionError> {
    let method = find(id)?;
    let dictionary = if id.dictionary { Some(Dictionary::train(id, training)?) } else { None };
    method.bind(id, dictionary)
}

/// Extends an empty buffer by `length` bytes, or refuses a length beyond the limit.
fn room(out: &mut Vec<u8>, length: usize) -> Result<(), String> {
    out.clear();
    if length > LIMIT_BYTES {
        return Err(format!("they claim {length} bytes, more than the limit of {LIMIT_BYTES}"));
    }
    out.try_reserve(length).map_err(|error| error.to_string())
}

/// Refuses a length that a block of this size can't give, before memory is filled for it.
fn plausible(length: usize, block_bytes: usize, most_per_byte: usize) -> Result<(), String> {
    if length > LIMIT_BYTES || length <= block_bytes.saturating_mul(most_per_byte) {
        return Ok(());
    }
    Err(format!("they claim {length} bytes, more than {block_bytes} bytes can give"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text with repetitions, bytes without any, and nothing at all.
    fn bodies() -> Vec<Vec<u8>> {
        let text = |n: usize| format!("{{\"id\":{n},\"name\":\"sensor-{n}\",\"ok\":true}}").repeat(n % 7 + 1);
        let mut state = 1u64;
        let mut noise = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        let mut bodies: Vec<Vec<u8>> = (0..60).map(|n| text(n).into_bytes()).collect();
        bodies.push((0..3_000).map(|_| noise()).collect());
        bodies.push(vec![7; 100_000]);
        bodies.push(Vec::new());
        bodies
    }

    fn all() -> Vec<Box<dyn BoundCompression>> {
        let training: Vec<Vec<u8>> = bodies().into_iter().take(60).collect();
        let ids = REGISTRY.iter().flat_map(|method| method.ids());
        ids.filter_map(|id| bind(&id.parse().unwrap(), &training).unwrap()).collect()
    }

    #[test]
    fn the_registry_has_what_the_study_format_promises() {
        let ids: Vec<&str> = REGISTRY.iter().flat_map(|method| method.ids()).copied().collect();
        assert_eq!(ids, ["none", "gzip:6", "zstd:3", "zstd:3:dictionary", "lz4", "snappy"]);
        for id in ids {
            assert_eq!(find(&id.parse().unwrap()).unwrap().name(), id.split(':').next().unwrap());
        }
        for (id, hint) in [
            ("gzip", "level from 1 to 9"),
            ("gzip:10", "level from 1 to 9"),
            ("lz4:1", "no levels"),
            ("gzip:6:dictionary", "no dictionary"),
            ("zst:3", "`zstd`"),
        ] {
            let error = find(&id.parse().unwrap()).err().unwrap().to_string();
            assert!(error.contains(hint), "{error}");
        }
    }

    #[test]
    fn everything_comes_back_and_text_gets_shorter() {
        for mut compression in all() {
            let (mut squeezed, mut back) = (vec![1, 2, 3], vec![4]);
            for body in bodies() {
                compression.compress(&body, &mut squeezed).unwrap();
                compression.decompress(&squeezed, &mut back).unwrap();
                assert_eq!(back, body, "{}", compression.id());
            }
            compression.compress(&bodies()[59], &mut squeezed).unwrap();
            assert!(squeezed.len() < bodies()[59].len(), "{}", compression.id());
        }
    }

    #[test]
    fn damaged_bytes_are_refused_or_give_other_bytes_but_never_panic_nor_grow_without_bound() {
        for mut compression in all() {
            let (mut squeezed, mut back) = (Vec::new(), Vec::new());
            for body in bodies().iter().skip(50) {
                compression.compress(body, &mut squeezed).unwrap();
                for length in 0..squeezed.len().min(400) {
                    assert!(
                        compression.decompress(&squeezed[..length], &mut back).is_err() || back != *body,
                        "{}: {length} of {} bytes",
                        compression.id(),
                        squeezed.len()
                    );
                }
                for at in 0..squeezed.len().min(300) {
                    for flip in [1u8, 0x80, 0xff] {
                        let mut damaged = squeezed.clone();
                        damaged[at] ^= flip;
                        let _ = compression.decompress(&damaged, &mut back);
                        assert!(back.capacity() <= 2 * LIMIT_BYTES, "{}", compression.id());
                    }
                }
                let mut longer = squeezed.clone();
                longer.extend_from_slice(b"more");
                assert!(compression.decompress(&longer, &mut back).is_err(), "{}", compression.id());
            }
        }
    }

    #[test]
    fn what_claims_to_be_longer_than_the_limit_is_refused() {
        let mut back = Vec::new();
        // LZ4: a length in front; Snappy: a varint in front; both claim 2 GiB.
        let claims: [(&str, &[u8]); 2] =
            [("lz4", &[0, 0, 0, 0x80, 0x10, 0]), ("snappy", &[0x80, 0x80, 0x80, 0x80, 0x08, 0])];
        for (id, bytes) in claims {
            let mut compression = bind(&id.parse().unwrap(), &[]).unwrap().unwrap();
            let error = compression.decompress(bytes, &mut back).unwrap_err().to_string();
            assert!(error.contains("limit"), "{error}");
        }
        // gzip and zstd: 65 MiB of zeros are few bytes.
        for id in ["gzip:6", "zstd:3"] {
            let mut compression = bind(&id.parse().unwrap(), &[]).unwrap().unwrap();
            let mut squeezed = Vec::new();
            compression.compress(&vec![0; LIMIT_BYTES + (1 << 20)], &mut squeezed).unwrap();
            let error = compression.decompress(&squeezed, &mut back).unwrap_err().to_string();
            assert!(error.contains("limit"), "{id}: {error}");
        }
    }

    #[test]
    fn a_dictionary_makes_short_messages_shorter_and_needs_samples_that_are_alike() {
        let training: Vec<Vec<u8>> = bodies().into_iter().take(60).collect();
        let (id, plain): (CompressionId, CompressionId) =
            ("zstd:3:dictionary".parse().unwrap(), "zstd:3".parse().unwrap());
        let (mut with, mut without) =
            (bind(&id, &training).unwrap().unwrap(), bind(&plain, &[]).unwrap().unwrap());
        let body = b"{\"id\":901,\"name\":\"sensor-901\",\"ok\":true}";
        let (mut short, mut long) = (Vec::new(), Vec::new());
        with.compress(body, &mut short).unwrap();
        without.compress(body, &mut long).unwrap();
        assert!(short.len() < long.len(), "{} with, {} without", short.len(), long.len());
        assert_eq!(with.dictionary().unwrap().training_samples, 60);
        assert!(without.decompress(&short, &mut long).is_err(), "the dictionary is needed to read it");
        let error = bind(&id, &training[..2]).err().unwrap().to_string();
        assert!(error.contains("at least"), "{error}");
    }
}

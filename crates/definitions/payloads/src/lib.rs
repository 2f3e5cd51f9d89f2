//! Payloads: folders of text that say what is sent. Those in the program and those on a user's disk are had the same way.
//!
//! A [`PayloadFolder`] is files as they stand, nothing read of them; so listing names costs nothing. A [`Payload`] is a
//! folder opened at a size: its definition compiled, its samples to be had one after the other. Samples reach runners,
//! programs in any language, as one file: see [`samples_file`].
//!
//! Limits: nothing here knows codecs; which of them can carry a payload, its runners say.
//!
//! ```
//! let payload = wiredyno_payloads::find(&"person".parse()?)?;
//! let sample = payload.samples(Some(1))?.next().ok_or("no sample")??;
//! assert_eq!(wiredyno_schema::canonical_bytes(&sample).len(), 33);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod dictionary;
mod find;
mod folder;
mod new;
mod payload;
pub mod samples_file;

pub use find::{PayloadName, find};
pub use folder::{DOCUMENTS, FolderError, PayloadFolder, Place, bundled_names};
pub use new::{MadePayload, NewError, NewPayload, STANDARD_INPUT};
pub use payload::{Description, Payload, PayloadError, Samples};
pub use samples_file::{SamplesFile, SamplesFileError};

/// 32 hexadecimal digits of XXH3's 128 bits.
pub fn digest(bytes: &[u8]) -> String {
    format!("{:032x}", xxhash_rust::xxh3::xxh3_128(bytes))
}

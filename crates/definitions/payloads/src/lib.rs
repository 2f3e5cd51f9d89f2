//! Payloads: folders of text that define what is sent. Bundled payloads and those on a user's disk are used in the same way.
//!
//! A [`PayloadFolder`] holds files as text, unparsed, so listing names costs nothing. A [`Payload`] is a folder opened at a
//! size: its definition is compiled, and it yields its samples one after the other. Samples reach runners, which are programs
//! in any language, as one file: see [`samples_file`].
//!
//! Limits: nothing here knows codecs; runners report which codecs can carry a payload.
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
pub use samples_file::{SamplesFile, SamplesFileError, Which};

/// The XXH3-128 of some bytes, as 32 hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    format!("{:032x}", xxhash_rust::xxh3::xxh3_128(bytes))
}

//! Codecs that are left out of the runners of a definition, because their code can't be generated or does not compile.
//!
//! They are noted in the cache, by definition, so that plans and sizes report them before the next build. A note is valid until the
//! compiler or the sources of program and codec change, or a build is forced.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::cache::Cache;
use crate::cache_error::{CacheError, at};
use crate::composition::Composition;
use crate::parts;

/// The folder of notes in a cache.
const NOTES: &str = "left-out";

/// What to do about it where it is not a bug.
const AGAIN: &str = "`wiredyno build --force` tries again";

/// A codec that is missing from the runners of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The name of the payload that was to be built.
    pub payload: String,
    /// Digest of its definition, 32 hexadecimal digits.
    pub definition: String,
    /// `format/implementation`, or `format/implementation:variant`.
    pub codec: &'static str,
    /// Why it is left out, with what to do.
    pub reason: String,
}

impl std::fmt::Display for LeftOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} is left out: {}", self.payload, self.codec, self.reason)
    }
}

impl LeftOut {
    /// For a codec that no code can be generated for.
    pub(crate) fn not_generated(composition: &Composition, codec: &'static str, why: &str) -> Self {
        let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
        Self::of(composition, codec, format!("no code can be generated for it: {why}; {AGAIN}"))
    }

    /// For a codec whose generated code does not compile.
    pub(crate) fn not_compiled(composition: &Composition, codec: &'static str, error: &str) -> Self {
        // Of a build script itself, which found something missing.
        if let Some(own) = error.strip_prefix("Error: ") {
            let own = own.trim_matches('"');
            return Self::of(composition, codec, format!("it can't be compiled here: {own}; {AGAIN}"));
        }
        let what =
            "the code generated for it does not compile, which is a bug: please report it with message.proto";
        Self::of(composition, codec, format!("{what}: {error}; {AGAIN}"))
    }

    fn of(composition: &Composition, codec: &'static str, reason: String) -> Self {
        let (payload, definition) = (composition.payload().to_owned(), composition.definition().to_owned());
        LeftOut { payload, definition, codec, reason }
    }
}

/// As stored in a file.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    codec: String,
    /// A digest of everything that the reason depends on.
    key: String,
    reason: String,
}

/// A digest of the compiler and of the sources behind a codec's code.
fn key(codec: &str, compiler: &str) -> String {
    let package = wiredyno_codec_registry::REGISTRY
        .iter()
        .find(|known| known.id == codec)
        .map_or("", |known| known.package);
    let text = format!("{compiler}\n{}\n{codec}\n{}\n", parts::GENERATOR, parts::digest(package));
    format!("{:032x}", xxh3_128(text.as_bytes()))
}

impl Cache {
    /// The codecs that were left out of the runners of a definition and would be again, each with the reason.
    ///
    /// # Errors
    /// When a note exists and can't be read.
    pub fn left_out(&self, definition: &str) -> Result<Vec<(String, String)>, CacheError> {
        let notes = self.notes(definition)?;
        if notes.is_empty() {
            return Ok(Vec::new());
        }
        let compiler = self.compiler();
        let current = notes.into_iter().filter(|note| note.key == key(&note.codec, &compiler));
        Ok(current.map(|note| (note.codec, note.reason)).collect())
    }

    /// Forgets what was left out of a definition's runners.
    ///
    /// # Errors
    /// When the note can't be deleted.
    pub fn forget_left_out(&self, definition: &str) -> Result<(), CacheError> {
        let path = self.note_of(definition);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(&path)(error)),
            _ => Ok(()),
        }
    }

    /// Notes what is left out, in addition to earlier notes.
    pub(crate) fn note_left_out(&self, left_out: &[LeftOut], compiler: &str) -> Result<(), CacheError> {
        let folder = self.folder(NOTES)?;
        for one in left_out {
            let mut notes = self.notes(&one.definition)?;
            notes.retain(|note| note.codec != one.codec);
            let (codec, reason) = (one.codec.to_owned(), one.reason.clone());
            notes.push(Note { key: key(&codec, compiler), codec, reason });
            let path = self.note_of(&one.definition);
            let write = || {
                let mut file = tempfile::NamedTempFile::new_in(&folder)?;
                io::Write::write_all(&mut file, &serde_json::to_vec(&notes)?)?;
                file.persist(&path).map_err(|error| error.error)
            };
            write().map_err(at(&path))?;
        }
        Ok(())
    }

    fn note_of(&self, definition: &str) -> PathBuf {
        self.path().join(NOTES).join(definition)
    }

    /// Empty where there is no such file, or one of another version of the program.
    fn notes(&self, definition: &str) -> Result<Vec<Note>, CacheError> {
        let path = self.note_of(definition);
        match std::fs::read(&path) {
            Ok(text) => Ok(serde_json::from_slice(&text).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(at(&path)(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_noted_until_compiler_or_sources_change_or_it_is_forgotten() {
        let desk = tempfile::tempdir().unwrap();
        let cache = Cache::at(desk.path().to_owned());
        let one = |codec, reason: &str| LeftOut {
            payload: "a".to_owned(),
            definition: "0123".to_owned(),
            codec,
            reason: reason.to_owned(),
        };
        let compiler = cache.compiler();
        assert_eq!(cache.left_out("0123").unwrap(), []);
        cache.note_left_out(&[one("json/serde-json", "old"), one("cbor/ciborium", "b")], &compiler).unwrap();
        cache.note_left_out(&[one("json/serde-json", "new")], &compiler).unwrap();
        let noted = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(codec, why)| ((*codec).to_owned(), (*why).to_owned())).collect::<Vec<_>>()
        };
        assert_eq!(
            cache.left_out("0123").unwrap(),
            noted(&[("cbor/ciborium", "b"), ("json/serde-json", "new")])
        );
        assert_eq!(cache.left_out("4567").unwrap(), []);
        cache.note_left_out(&[one("cbor/ciborium", "of another compiler")], "rustc 1.0").unwrap();
        assert_eq!(cache.left_out("0123").unwrap(), noted(&[("json/serde-json", "new")]));
        cache.forget_left_out("0123").unwrap();
        assert_eq!(cache.left_out("0123").unwrap(), []);
        cache.forget_left_out("0123").unwrap();
    }
}

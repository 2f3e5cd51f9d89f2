//! A payload's folder as it stands on disk: its files, their digests, and whether they can be built at all.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use wiredyno_model::PayloadId;
use wiredyno_schema::generator::{Generator, GeneratorError};
use wiredyno_schema::{Definition, DefinitionError, SampleError, read_samples};
use xxhash_rust::xxh3::xxh3_128;

use crate::sources;

/// The message's definition.
pub const DEFINITION: &str = "message.proto";
/// Samples as they are.
const SAMPLES: &str = "samples.jsonl";
/// Rules by which samples are made.
const GENERATOR: &str = "generator.toml";

/// The files that make a runner; the README is not among them.
const FILES: [&str; 3] = [DEFINITION, SAMPLES, GENERATOR];

/// Any size will do to look at rules that ask for one.
const SOME_SIZE_BYTES: u32 = 1024;

/// Why a folder is no payload that can be built.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It is not there.
    #[error(
        "there is no folder {0}: name a payload's folder, such as `wiredyno new NAME --from FILE` makes; payloads of the \
         program itself (`wiredyno list payloads`) need no build"
    )]
    Missing(PathBuf),
    /// It can't be read.
    #[error("{path}: {reason}")]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// It is no payload.
    #[error(
        "{0} has no {DEFINITION}: name a payload's folder, such as `wiredyno new NAME --from FILE` makes"
    )]
    NoDefinition(PathBuf),
    /// Its name is no payload's.
    #[error(
        "{path}: the folder's name is the payload's id, and `{name}` is none: use small letters, digits and hyphens"
    )]
    Name {
        /// The folder.
        path: PathBuf,
        /// Its last part.
        name: String,
    },
    /// Nothing to send.
    #[error("{0} has neither {SAMPLES} nor {GENERATOR}: add one of them")]
    NoSamples(PathBuf),
    /// The definition is wrong.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// A sample is wrong.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// The rules are wrong.
    #[error(transparent)]
    Generator(#[from] GeneratorError),
}

/// A payload's folder, read.
#[derive(Debug, Clone)]
pub struct PayloadFolder {
    /// The payload's name.
    pub name: String,
    /// The folder, absolute.
    pub path: PathBuf,
    files: Vec<(&'static str, Vec<u8>)>,
}

impl PayloadFolder {
    /// Reads the folder; what its files hold is looked at by [`PayloadFolder::check`].
    ///
    /// # Errors
    /// When it is no folder with a definition, or has a name that no payload can have.
    pub fn read(path: &Path) -> Result<Self, FolderError> {
        let absolute = path.canonicalize().map_err(|reason| match reason.kind() {
            io::ErrorKind::NotFound => FolderError::Missing(path.to_owned()),
            _ => FolderError::Read { path: path.to_owned(), reason },
        })?;
        let name = absolute.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut files = Vec::new();
        for file in FILES {
            let at = absolute.join(file);
            match std::fs::read(&at) {
                Ok(bytes) => files.push((file, bytes)),
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
                Err(reason) => return Err(FolderError::Read { path: at, reason }),
            }
        }
        if files.first().is_none_or(|(file, _)| *file != DEFINITION) {
            return Err(FolderError::NoDefinition(path.to_owned()));
        }
        if !name.parse::<PayloadId>().is_ok_and(|id| id.size_bytes.is_none()) {
            return Err(FolderError::Name { path: path.to_owned(), name });
        }
        Ok(PayloadFolder { name, path: absolute, files })
    }

    fn text(&self, file: &str) -> Option<String> {
        let (_, bytes) = self.files.iter().find(|(name, _)| *name == file)?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    }

    /// The text of message.proto.
    pub fn definition(&self) -> String {
        self.text(DEFINITION).unwrap_or_default()
    }

    /// Looks at everything that would else be found only after minutes of compiling.
    ///
    /// # Errors
    /// With file and line, where definition, samples or rules are wrong.
    pub fn check(&self) -> Result<(), FolderError> {
        let at = |file: &str| self.path.join(file).display().to_string();
        let definition = Definition::from_source(&self.definition(), &at(DEFINITION))?;
        match (self.text(GENERATOR), self.text(SAMPLES)) {
            (Some(rules), _) => {
                let made = |size| Generator::from_toml(&rules, at(GENERATOR), &definition.descriptor, size);
                match made(None) {
                    Err(GeneratorError::SizeMissing { .. }) => made(Some(SOME_SIZE_BYTES))?,
                    made => made?,
                };
            }
            (None, Some(samples)) => {
                let mut any = false;
                for sample in read_samples(&samples, &definition.descriptor, &at(SAMPLES)) {
                    sample?;
                    any = true;
                }
                if !any {
                    return Err(FolderError::NoSamples(self.path.clone()));
                }
            }
            (None, None) => return Err(FolderError::NoSamples(self.path.clone())),
        }
        Ok(())
    }

    /// A digest of each file. 32 hexadecimal digits each.
    pub fn digests(&self) -> BTreeMap<String, String> {
        let digest = |bytes: &[u8]| format!("{:032x}", xxh3_128(bytes));
        self.files.iter().map(|(file, bytes)| ((*file).to_owned(), digest(bytes))).collect()
    }

    /// The digest that a runner of this folder is kept under: of the name, the files and the sources of the program,
    /// which hold its codecs. 32 hexadecimal digits.
    pub fn build_digest(&self) -> String {
        let mut text = format!("{}\n{}\n", self.name, sources::DIGEST);
        for (file, digest) in self.digests() {
            text.push_str(&format!("{file} {digest}\n"));
        }
        format!("{:032x}", xxh3_128(text.as_bytes()))
    }

    /// Copies what was read into a folder, so that what is compiled is what was digested.
    ///
    /// # Errors
    /// When a file can't be written.
    pub(crate) fn copy_to(&self, folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        self.files.iter().try_for_each(|(file, bytes)| std::fs::write(folder.join(file), bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROTO: &str = "syntax = \"proto3\"; message A { uint32 x = 1; }";

    fn folder(name: &str, files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        for (file, text) in files {
            std::fs::write(folder.join(file), text).unwrap();
        }
        (parent, folder)
    }

    #[test]
    fn what_can_not_be_built_is_refused_before_the_compiler_starts() {
        let refused = |name: &str, files: &[(&str, &str)]| {
            let (_parent, folder) = folder(name, files);
            PayloadFolder::read(&folder).and_then(|folder| folder.check()).unwrap_err().to_string()
        };
        for (name, files, part) in [
            ("trips", &[][..], "has no message.proto"),
            ("Trips", &[(DEFINITION, PROTO)], "`Trips` is none"),
            ("trips", &[(DEFINITION, PROTO)], "neither samples.jsonl nor generator.toml"),
            ("trips", &[(DEFINITION, PROTO), (SAMPLES, "\n")], "neither samples.jsonl nor generator.toml"),
            ("trips", &[(DEFINITION, PROTO), (SAMPLES, "{\"x\":1}\n{\"y\":1}\n")], "samples.jsonl:2"),
            ("trips", &[(DEFINITION, PROTO), (GENERATOR, "sed = 1\n")], "generator.toml:1"),
            (
                "trips",
                &[(DEFINITION, "syntax = \"proto3\";\nmessage A { x }"), (SAMPLES, "{}")],
                "message.proto:2",
            ),
        ] {
            let error = refused(name, files);
            assert!(error.contains(part), "{part} is not in {error}");
        }
    }

    #[test]
    fn the_digest_follows_name_and_content_and_nothing_else() {
        let digest = |name: &str, samples: &str, readme: &str| {
            let files = [(DEFINITION, PROTO), (SAMPLES, samples), ("README.md", readme)];
            let (_parent, folder) = folder(name, &files);
            let folder = PayloadFolder::read(&folder).unwrap();
            folder.check().unwrap();
            folder.build_digest()
        };
        let first = digest("a", "{\"x\":1}", "one");
        assert_eq!(first, digest("a", "{\"x\":1}", "two"));
        assert_ne!(first, digest("b", "{\"x\":1}", "one"));
        assert_ne!(first, digest("a", "{\"x\":2}", "one"));
    }
}

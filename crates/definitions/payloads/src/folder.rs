//! A payload's folder: its files as text, their digests, and the check that they make a payload.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use wiredyno_contract::PayloadId;
use wiredyno_schema::generator::{Generator, GeneratorError, takes_size};
use wiredyno_schema::{Definition, DefinitionError, SampleError, read_samples};

include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// The file with the message definition.
pub(crate) const DEFINITION: &str = "message.proto";
/// The file with samples that are sent as they stand.
pub(crate) const SAMPLES: &str = "samples.jsonl";
/// The JSON documents that the samples were converted from, unchanged, one a line. They are not part of the payload; `size` also reports their size.
pub const DOCUMENTS: &str = "documents.jsonl";
/// The file with the rules that generate samples.
pub(crate) const GENERATOR: &str = "generator.toml";

/// The files that make a payload; the README is not among them.
const FILES: [&str; 3] = [DEFINITION, SAMPLES, GENERATOR];

/// A size to check rules with that require one; its value does not matter.
const SOME_SIZE_BYTES: u32 = 1024;

/// Why a folder is not a payload.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The folder does not exist.
    #[error(
        "there is no folder {0}: name a payload's folder, such as `wiredyno new NAME --from FILE` makes; payloads of the \
         program itself (`wiredyno list payloads`) need no folder"
    )]
    Missing(PathBuf),
    /// A file or folder can't be read.
    #[error("{path}: {reason}")]
    Read {
        /// The file or folder that failed.
        path: PathBuf,
        /// The operating system's error.
        reason: io::Error,
    },
    /// A file is not UTF-8 text.
    #[error("{path}:{line}: this is not UTF-8: save the file as UTF-8")]
    Text {
        /// The file that is not text.
        path: PathBuf,
        /// The line of the first invalid byte, counted from 1.
        line: usize,
    },
    /// The folder has no message.proto.
    #[error(
        "{0} has no {DEFINITION}: name a payload's folder, such as `wiredyno new NAME --from FILE` makes"
    )]
    NoDefinition(PathBuf),
    /// The folder's name is not a valid payload id.
    #[error(
        "{path}: the folder's name is the payload's id, and `{name}` is not valid: use small letters, digits and hyphens"
    )]
    Name {
        /// The folder whose name it is.
        path: PathBuf,
        /// The last component of the path.
        name: String,
    },
    /// The folder has neither samples nor generator rules.
    #[error("{0} has neither {SAMPLES} nor {GENERATOR}: add one of them")]
    NoSamples(PathBuf),
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

/// Where a payload's folder is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Embedded in the program.
    Bundled,
    /// On disk; an absolute path.
    Disk(PathBuf),
}

/// The contents of a payload's folder.
#[derive(Debug, Clone)]
pub struct PayloadFolder {
    /// The payload's name, which is the folder's.
    pub name: String,
    /// Where its files were read from.
    pub place: Place,
    files: Vec<(&'static str, Cow<'static, str>)>,
}

/// The project's folder of bundled payloads.
const BUNDLED_IN: &str = "payloads";

/// The names of the bundled payloads, in order. Reads no files.
pub fn bundled_names() -> impl Iterator<Item = &'static str> {
    BUNDLED.iter().filter_map(|(path, _)| {
        let (folder, file) = path.rsplit_once('/')?;
        let name = folder.strip_prefix(BUNDLED_IN)?.strip_prefix('/')?;
        (file == DEFINITION).then_some(name)
    })
}

/// A file of a bundled payload.
fn bundled_text(name: &str, file: &str) -> Option<&'static str> {
    let path = format!("{BUNDLED_IN}/{name}/{file}");
    BUNDLED.iter().find(|(bundled, _)| *bundled == path).map(|(_, text)| *text)
}

impl PayloadFolder {
    /// The bundled payload of that name, or `None`.
    pub fn bundled(name: &str) -> Option<Self> {
        let bundled = |file| Some((file, Cow::Borrowed(bundled_text(name, file)?)));
        let files: Vec<_> = FILES.into_iter().filter_map(bundled).collect();
        let defined = files.iter().any(|(file, _)| *file == DEFINITION);
        defined.then(|| PayloadFolder { name: name.to_owned(), place: Place::Bundled, files })
    }

    /// Reads a folder on disk without validating its contents ([`PayloadFolder::check`] does that). Its name is the path's last
    /// component, even if that is a link to a folder of another name.
    ///
    /// # Errors
    /// When the folder has no definition, its name is not a valid payload id, or a file is not UTF-8.
    pub fn read(path: &Path) -> Result<Self, FolderError> {
        let absolute = path.canonicalize().map_err(|reason| match reason.kind() {
            io::ErrorKind::NotFound => FolderError::Missing(path.to_owned()),
            _ => FolderError::Read { path: path.to_owned(), reason },
        })?;
        let name = path.file_name().or(absolute.file_name());
        let name = name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut files = Vec::new();
        for file in FILES {
            if let Some(text) = read_text(&absolute.join(file))? {
                files.push((file, Cow::Owned(text)));
            }
        }
        if files.first().is_none_or(|(file, _)| *file != DEFINITION) {
            return Err(FolderError::NoDefinition(path.to_owned()));
        }
        if !name.parse::<PayloadId>().is_ok_and(|id| id.size_bytes.is_none()) {
            return Err(FolderError::Name { path: path.to_owned(), name });
        }
        Ok(PayloadFolder { name, place: Place::Disk(absolute), files })
    }

    fn text(&self, file: &str) -> Option<&str> {
        self.files.iter().find(|(name, _)| *name == file).map(|(_, text)| text.as_ref())
    }

    /// The text of message.proto, comments included.
    pub fn definition(&self) -> &str {
        self.text(DEFINITION).unwrap_or_default()
    }

    /// The text of samples.jsonl; `None` if there is no such file.
    pub fn samples(&self) -> Option<&str> {
        self.text(SAMPLES)
    }

    /// The text of generator.toml, whose rules take precedence over samples.jsonl; `None` if there is no such file.
    pub fn generator(&self) -> Option<&str> {
        self.text(GENERATOR)
    }

    /// What the payload is, in one sentence: the first of the comment at the head of message.proto. Empty without a comment.
    pub fn about(&self) -> String {
        first_sentence(self.definition())
    }

    /// Whether the generator rules require a size after an `@`. False if the rules are invalid or absent. Does not read the
    /// definition.
    pub fn is_sized(&self) -> bool {
        self.generator().is_some_and(takes_size)
    }

    /// The folder as errors and lists show it: its path on disk, or `payloads/<name>` for a bundled one.
    pub fn path(&self) -> PathBuf {
        match &self.place {
            Place::Bundled => Path::new("payloads").join(&self.name),
            Place::Disk(path) => path.clone(),
        }
    }

    /// The path of one of its files, as errors show it.
    pub(crate) fn at(&self, file: &str) -> String {
        self.path().join(file).display().to_string()
    }

    /// Checks everything that would otherwise fail only in use: the definition, and every sample or the rules that generate
    /// samples.
    ///
    /// # Errors
    /// With file and line, if the definition, a sample or a rule is invalid.
    pub fn check(&self) -> Result<(), FolderError> {
        let definition = Definition::from_source(self.definition(), &self.at(DEFINITION))?;
        match (self.generator(), self.samples()) {
            (Some(rules), _) => {
                let made =
                    |size| Generator::from_toml(rules, self.at(GENERATOR), &definition.descriptor, size);
                match made(None) {
                    Err(GeneratorError::SizeMissing { .. }) => made(Some(SOME_SIZE_BYTES))?,
                    made => made?,
                };
            }
            (None, Some(samples)) => {
                let mut any = false;
                for sample in read_samples(samples, &definition.descriptor, &self.at(SAMPLES)) {
                    sample?;
                    any = true;
                }
                if !any {
                    return Err(FolderError::NoSamples(self.path()));
                }
            }
            (None, None) => return Err(FolderError::NoSamples(self.path())),
        }
        Ok(())
    }

    /// A digest of each file, keyed by file name: 32 hexadecimal digits of XXH3-128.
    pub fn digests(&self) -> BTreeMap<String, String> {
        let digest = |(file, text): &(&str, Cow<str>)| ((*file).to_owned(), crate::digest(text.as_bytes()));
        self.files.iter().map(digest).collect()
    }

    /// The files that differ between two folders, including those that only one of them has.
    pub fn differences(&self, other: &PayloadFolder) -> Vec<&'static str> {
        FILES.into_iter().filter(|file| self.text(file) != other.text(file)).collect()
    }

    /// Writes the files to a folder, which is created if missing.
    ///
    /// # Errors
    /// When a file can't be written.
    pub fn copy_to(&self, folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        self.files.iter().try_for_each(|(file, text)| std::fs::write(folder.join(file), text.as_bytes()))
    }
}

/// A file's text; `None` if the file does not exist.
fn read_text(path: &Path) -> Result<Option<String>, FolderError> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(reason) => return Err(FolderError::Read { path: path.to_owned(), reason }),
    };
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
        FolderError::Text { path: path.to_owned(), line }
    })
}

/// The first sentence of the comment at the head of a message definition.
fn first_sentence(proto: &str) -> String {
    let comment = proto.lines().map(str::trim).skip_while(|line| !line.starts_with("//"));
    let lines = comment.map_while(|line| line.strip_prefix("//")).map(str::trim);
    let text = lines.collect::<Vec<_>>().join(" ");
    match text.split_once(". ") {
        Some((sentence, _)) => format!("{sentence}."),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROTO: &str = "syntax = \"proto3\"; message A { uint32 x = 1; }";

    fn folder(name: &str, files: &[(&str, &[u8])]) -> (tempfile::TempDir, PathBuf) {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        for (file, text) in files {
            std::fs::write(folder.join(file), text).unwrap();
        }
        (parent, folder)
    }

    #[test]
    fn what_is_no_payload_is_refused_with_file_and_line() {
        let refused = |name: &str, files: &[(&str, &[u8])]| {
            let (_parent, folder) = folder(name, files);
            PayloadFolder::read(&folder).and_then(|folder| folder.check()).unwrap_err().to_string()
        };
        let proto = (DEFINITION, PROTO.as_bytes());
        for (name, files, part) in [
            ("trips", &[][..], "has no message.proto"),
            ("Trips", &[proto], "`Trips` is not valid"),
            ("trips", &[proto], "neither samples.jsonl nor generator.toml"),
            ("trips", &[proto, (SAMPLES, b"\n")], "neither samples.jsonl nor generator.toml"),
            ("trips", &[proto, (SAMPLES, b"{\"x\":1}\n{\"y\":1}\n")], "trips/samples.jsonl:2"),
            ("trips", &[proto, (SAMPLES, b"{\"x\":1}\n\xE4")], "trips/samples.jsonl:2: this is not UTF-8"),
            ("trips", &[proto, (GENERATOR, b"sed = 1\n")], "trips/generator.toml:1"),
            (
                "trips",
                &[(DEFINITION, b"syntax = \"proto3\";\nmessage A { x }"), (SAMPLES, b"{}")],
                "trips/message.proto:2",
            ),
        ] {
            let error = refused(name, files);
            assert!(error.contains(part), "{part} is not in {error}");
        }
        let missing = PayloadFolder::read(Path::new("no/such/folder")).unwrap_err().to_string();
        assert!(missing.starts_with("there is no folder no/such/folder:"), "{missing}");
    }

    #[test]
    fn digests_follow_the_content_of_the_files_that_count() {
        let read = |samples: &str, readme: &str| {
            let files = [(DEFINITION, PROTO), (SAMPLES, samples), ("README.md", readme)];
            let (_parent, folder) = folder("a", &files.map(|(file, text)| (file, text.as_bytes())));
            let folder = PayloadFolder::read(&folder).unwrap();
            folder.check().unwrap();
            folder
        };
        let first = read("{\"x\":1}", "one");
        assert_eq!(first.digests(), read("{\"x\":1}", "two").digests());
        assert_eq!(first.digests().keys().collect::<Vec<_>>(), [DEFINITION, SAMPLES]);
        let other = read("{\"x\":2}", "one");
        assert_ne!(first.digests(), other.digests());
        assert_eq!(first.differences(&other), [SAMPLES]);
    }

    #[test]
    fn a_bundled_folder_is_that_of_the_project() {
        for name in bundled_names() {
            let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../payloads").join(name);
            let (bundled, disk) =
                (PayloadFolder::bundled(name).unwrap(), PayloadFolder::read(&project).unwrap());
            assert!(bundled.differences(&disk).is_empty(), "{name}");
            bundled.check().unwrap();
            assert!(!bundled.about().is_empty(), "{name}");
            let copy = tempfile::tempdir().unwrap();
            let copy = copy.path().join(name);
            bundled.copy_to(&copy).unwrap();
            assert_eq!(PayloadFolder::read(&copy).unwrap().digests(), bundled.digests());
        }
        assert!(bundled_names().is_sorted() && bundled_names().count() > 20);
    }

    #[test]
    fn the_head_comment_of_a_definition_says_what_it_is() {
        let proto = "syntax = \"proto3\";\n\n// A record\n// of a person. More.\nmessage A {}\n// no\n";
        assert_eq!(first_sentence(proto), "A record of a person.");
        assert_eq!(first_sentence("message A {}"), "");
    }
}

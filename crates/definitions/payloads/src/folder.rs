//! A payload's folder: its files as texts, their digests, and whether they make a payload at all.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use wiredyno_contract::PayloadId;
use wiredyno_schema::generator::{Generator, GeneratorError, takes_size};
use wiredyno_schema::{Definition, DefinitionError, SampleError, read_samples};

include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// The message's definition.
pub(crate) const DEFINITION: &str = "message.proto";
/// Samples as they are.
pub(crate) const SAMPLES: &str = "samples.jsonl";
/// The JSON documents that samples were made of, as they came, one a line: no part of the payload, `size` weighs them beside it.
pub const DOCUMENTS: &str = "documents.jsonl";
/// Rules by which samples are made.
pub(crate) const GENERATOR: &str = "generator.toml";

/// The files that make a payload; the README is not among them.
const FILES: [&str; 3] = [DEFINITION, SAMPLES, GENERATOR];

/// Any size will do to look at rules that ask for one.
const SOME_SIZE_BYTES: u32 = 1024;

/// Why a folder is no payload.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It is not there.
    #[error(
        "there is no folder {0}: name a payload's folder, such as `wiredyno new NAME --from FILE` makes; payloads of the \
         program itself (`wiredyno list payloads`) need no folder"
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
    /// A file is no text.
    #[error("{path}:{line}: this is not UTF-8: save the file as UTF-8")]
    Text {
        /// The file.
        path: PathBuf,
        /// The line of the first byte that is wrong, counted from 1.
        line: usize,
    },
    /// It is no payload.
    #[error(
        "{0} has no {DEFINITION}: name a payload's folder, such as `wiredyno new NAME --from FILE` makes"
    )]
    NoDefinition(PathBuf),
    /// Its name is no payload's.
    #[error(
        "{path}: the folder's name is the payload's id, and `{name}` is not valid: use small letters, digits and hyphens"
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

/// Where a folder stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In the program.
    Bundled,
    /// On disk; an absolute path.
    Disk(PathBuf),
}

/// A payload's folder, read.
#[derive(Debug, Clone)]
pub struct PayloadFolder {
    /// The payload's name.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    files: Vec<(&'static str, Cow<'static, str>)>,
}

/// The folder of the project in which payloads stand.
const BUNDLED_IN: &str = "payloads";

/// The names of the payloads in the program, in order. Nothing is read.
pub fn bundled_names() -> impl Iterator<Item = &'static str> {
    BUNDLED.iter().filter_map(|(path, _)| {
        let (folder, file) = path.rsplit_once('/')?;
        let name = folder.strip_prefix(BUNDLED_IN)?.strip_prefix('/')?;
        (file == DEFINITION).then_some(name)
    })
}

/// A file of a payload in the program.
fn bundled_text(name: &str, file: &str) -> Option<&'static str> {
    let path = format!("{BUNDLED_IN}/{name}/{file}");
    BUNDLED.iter().find(|(bundled, _)| *bundled == path).map(|(_, text)| *text)
}

impl PayloadFolder {
    /// The folder of that name in the program; `None` where it has none.
    pub fn bundled(name: &str) -> Option<Self> {
        let bundled = |file| Some((file, Cow::Borrowed(bundled_text(name, file)?)));
        let files: Vec<_> = FILES.into_iter().filter_map(bundled).collect();
        let defined = files.iter().any(|(file, _)| *file == DEFINITION);
        defined.then(|| PayloadFolder { name: name.to_owned(), place: Place::Bundled, files })
    }

    /// Reads a folder on disk; what its files hold is looked at by [`PayloadFolder::check`]. Its name is the path's last
    /// part, also where that is a link to a folder of another name.
    ///
    /// # Errors
    /// When it is no folder with a definition, has a name that no payload can have, or a file is no UTF-8.
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

    /// The text of message.proto.
    pub fn definition(&self) -> &str {
        self.text(DEFINITION).unwrap_or_default()
    }

    /// The text of samples.jsonl.
    pub fn samples(&self) -> Option<&str> {
        self.text(SAMPLES)
    }

    /// The text of generator.toml. Where there is one, samples are made by it.
    pub fn generator(&self) -> Option<&str> {
        self.text(GENERATOR)
    }

    /// What it is, in a sentence: the first of the comment at the head of message.proto. Empty without one.
    pub fn about(&self) -> String {
        first_sentence(self.definition())
    }

    /// Whether a size behind an at sign is asked for by the rules by which samples are made. Says no of rules that are broken,
    /// and of none. The definition is not looked at.
    pub fn is_sized(&self) -> bool {
        self.generator().is_some_and(takes_size)
    }

    /// The folder as errors and lists call it: its path, or `payloads/<name>` of the project for a bundled one.
    pub fn path(&self) -> PathBuf {
        match &self.place {
            Place::Bundled => Path::new("payloads").join(&self.name),
            Place::Disk(path) => path.clone(),
        }
    }

    /// A file of it as errors call it.
    pub(crate) fn at(&self, file: &str) -> String {
        self.path().join(file).display().to_string()
    }

    /// Looks at everything that would else be found only when the payload is used: the definition, and every sample or
    /// the rules by which they are made.
    ///
    /// # Errors
    /// With file and line, where definition, samples or rules are wrong.
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

    /// A digest of each file, by the file's name. 32 hexadecimal digits each, of XXH3's 128 bits.
    pub fn digests(&self) -> BTreeMap<String, String> {
        let digest = |(file, text): &(&str, Cow<str>)| ((*file).to_owned(), crate::digest(text.as_bytes()));
        self.files.iter().map(digest).collect()
    }

    /// The files in which two folders differ, or that only one of them has.
    pub fn differences(&self, other: &PayloadFolder) -> Vec<&'static str> {
        FILES.into_iter().filter(|file| self.text(file) != other.text(file)).collect()
    }

    /// Copies what was read into a folder, which is made where it is missing.
    ///
    /// # Errors
    /// When a file can't be written.
    pub fn copy_to(&self, folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        self.files.iter().try_for_each(|(file, text)| std::fs::write(folder.join(file), text.as_bytes()))
    }
}

/// A file's text; `None` where there is no file.
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

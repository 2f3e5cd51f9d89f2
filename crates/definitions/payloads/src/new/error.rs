//! Why a payload folder was not made.

use std::io;
use std::path::PathBuf;

use wiredyno_contract::PayloadId;
use wiredyno_schema::import::ImportError;
use wiredyno_schema::{DefinitionError, SampleError};

/// Why no folder was created.
#[derive(Debug, thiserror::Error)]
pub enum NewError {
    /// The id contains a size.
    #[error("`{0}`: a new payload takes no size")]
    Sized(PayloadId),
    /// The id is a bundled payload's.
    #[error("`{0}` is already a payload of the program: give the new one another name")]
    Bundled(String),
    /// In a study, the name is a pattern that selects payloads.
    #[error("`{0}` means all payloads in a study: give the new one another name")]
    Pattern(String),
    /// The path already exists.
    #[error("{0} exists already: remove it, or name another folder with --out")]
    Exists(PathBuf),
    /// The input file does not exist.
    #[error("{0}: there is no such file; --from takes a .proto, .avsc, .schema.json, .jsonl or .json file")]
    NoFile(String),
    /// The input path is not a regular file.
    #[error("{0} is {1}; --from takes a .proto, .avsc, .schema.json, .jsonl or .json file")]
    NoRegular(String, &'static str),
    /// A message is named, but the input is no .proto file.
    #[error("--message is only for .proto files; {0} is not one")]
    NoProto(String),
    /// The file's extension is unknown.
    #[error("{0}: unknown kind of file; name it .proto, .avsc, .schema.json, .jsonl or .json")]
    Unknown(String),
    /// The input is in a language that can be written but not read.
    #[error(
        "{0}: {1} is a language that `wiredyno schema translate` can write but `wiredyno new` can't read: give a .proto, an Avro schema, a JSON Schema, \
         or JSON samples"
    )]
    WrittenOnly(String, &'static str),
    /// Samples are given for input that itself contains samples.
    #[error("{0} already contains samples: leave out --samples")]
    SamplesTwice(String),
    /// The input file is invalid.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A sample does not match the definition.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// A sample has a value that the definition can't hold, or lacks one that the input file requires.
    #[error("{file}:{line}: {reason}")]
    Convert {
        /// The samples file's name.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// Why the conversion failed.
        reason: String,
    },
    /// The importer produced an invalid definition.
    #[error("the generated definition is not valid; report this with the file: {0}")]
    Unsound(DefinitionError),
    /// A file can't be read or written.
    #[error("{place}: {reason}")]
    Io {
        /// The file, with its line if a line can't be read.
        place: String,
        /// The operating system's error.
        reason: io::Error,
    },
}

impl NewError {
    pub(super) fn at(place: impl ToString) -> impl FnOnce(io::Error) -> NewError {
        let place = place.to_string();
        move |reason| NewError::Io { place, reason }
    }

    /// The file at fault, with its line if a single line is at fault; `None` if the error is not about a file's text.
    pub fn place(&self) -> Option<(&str, Option<usize>)> {
        let with_line = |(file, line)| (file, Some(line));
        match self {
            NewError::Import(error) => Some(error.place()),
            NewError::Sample(error) => error.place().map(with_line),
            NewError::Convert { file, line, .. } => Some((file, Some(*line))),
            _ => None,
        }
    }
}

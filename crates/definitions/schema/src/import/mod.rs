//! Creates a payload from JSON samples, a JSON Schema, an Avro schema or a .proto file.
//!
//! Every source becomes a [`Draft`], which is printed as a message.proto whose comments state where each
//! field comes from, and which converts ordinary JSON documents to samples. The same input gives the same
//! output. Anything that would change values is refused with file and line; constraints that .proto and its options
//! can't express become comments, which [`Draft::remarks`] lists.

pub mod again;
mod all_of;
pub mod avsc;
pub mod draft;
mod editions;
pub mod holds;
mod identifier;
mod imports;
pub mod infer;
pub mod json;
pub mod json_schema;
pub mod proto;
mod references;
mod sample;

pub use draft::Draft;

/// Adds the path, which begins with a dot, to what was found; not at the top level, and not if the text names it already.
fn with_path(what: String, path: &str) -> String {
    match path.trim_start_matches('.') {
        "" => what,
        path if what.contains(&format!("`{path}`")) => what,
        path => format!("{what}, at `{path}`"),
    }
}

/// Why an import failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// The file has something that can't be imported.
    #[error("{file}:{line}: {what}; {remedy}")]
    Refused {
        /// The file as the caller named it.
        file: String,
        /// Its line, counted from 1.
        line: usize,
        /// What was found in that line.
        what: String,
        /// What to write instead, or where.
        remedy: String,
    },
    /// Two samples can't be values of one definition.
    #[error(transparent)]
    Samples(#[from] Box<Mixed>),
    /// The file contains no samples.
    #[error("{file} contains no sample: write at least one JSON document into it")]
    Empty {
        /// The file as the caller named it.
        file: String,
    },
}

impl ImportError {
    /// The file at fault, and the line in it.
    pub fn place(&self) -> (&str, Option<usize>) {
        match self {
            ImportError::Refused { file, line, .. } => (file, Some(*line)),
            ImportError::Samples(mixed) => (&mixed.file, None),
            ImportError::Empty { file } => (file, None),
        }
    }
}

/// Two samples that can't be values of one definition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {what}: line {first_line} has {first}, line {second_line} has {second}; {remedy}")]
pub struct Mixed {
    /// The file as the caller named it.
    pub file: String,
    /// The path, and the conflict at it.
    pub what: String,
    /// The line of the first sample.
    pub first_line: usize,
    /// The first value, shortened.
    pub first: String,
    /// The line of the second sample.
    pub second_line: usize,
    /// The second value, shortened.
    pub second: String,
    /// How to resolve the conflict.
    pub remedy: String,
}

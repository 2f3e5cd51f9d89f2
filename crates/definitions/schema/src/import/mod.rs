//! Makes a payload of what people have: JSON samples, a JSON Schema, an Avro schema, a .proto file.
//!
//! Every source becomes a [`Draft`], which is printed as a message.proto with comments that say where each
//! field comes from, and which converts ordinary JSON documents into samples. The same input gives the same
//! output. What would change values is refused with file and line; constraints that .proto and its options
//! can't express become comments, which [`Draft::remarks`] counts.

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

/// What was found, and the path of where, which begins with a point; without it at the top, and where it is said already.
fn with_path(what: String, path: &str) -> String {
    match path.trim_start_matches('.') {
        "" => what,
        path if what.contains(&format!("`{path}`")) => what,
        path => format!("{what}, at `{path}`"),
    }
}

/// Why something can't be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// Something in the file.
    #[error("{file}:{line}: {what}; {remedy}")]
    Refused {
        /// The file as the caller named it.
        file: String,
        /// Its line, counted from 1.
        line: usize,
        /// What was found.
        what: String,
        /// What to do about it.
        remedy: String,
    },
    /// Two samples that don't go together.
    #[error(transparent)]
    Samples(#[from] Box<Mixed>),
    /// There is nothing in it.
    #[error("{file} contains no sample: write at least one JSON document into it")]
    Empty {
        /// The file as the caller named it.
        file: String,
    },
}

impl ImportError {
    /// The file that it is about, and the line that is wrong.
    pub fn place(&self) -> (&str, Option<usize>) {
        match self {
            ImportError::Refused { file, line, .. } => (file, Some(*line)),
            ImportError::Samples(mixed) => (&mixed.file, None),
            ImportError::Empty { file } => (file, None),
        }
    }
}

/// Two samples that don't go together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {what}: line {first_line} has {first}, line {second_line} has {second}; {remedy}")]
pub struct Mixed {
    /// The file as the caller named it.
    pub file: String,
    /// The path, and what is wrong there.
    pub what: String,
    /// Where one stands.
    pub first_line: usize,
    /// One, shortened.
    pub first: String,
    /// Where the other stands.
    pub second_line: usize,
    /// The other, shortened.
    pub second: String,
    /// What to do about it.
    pub remedy: String,
}

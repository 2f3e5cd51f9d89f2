//! Errors of a walk. Boxed, so that results are one word when nothing fails.

use std::fmt;

/// Why a value can't be written, or bytes can't be read.
#[derive(Debug)]
pub struct Fault(Box<(Problem, Option<&'static str>)>);

/// What is wrong with a value or with the input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The input ends too early.
    #[error("the input ends too early")]
    Truncated,
    /// A number is outside of what the definition or the format allows.
    #[error("{0} is outside the range that the definition allows")]
    OutOfRange(i128),
    /// A text, byte string or list has a length that is not allowed.
    #[error("{0} is a length that the definition or the format does not allow")]
    Length(u64),
    /// A text is not UTF-8, or contains characters that the format can't express.
    #[error("the text contains characters that are not allowed here")]
    Text,
    /// The definition does not name this number of an enum.
    #[error("{0} is not a value of the enum")]
    UnknownEnum(i64),
    /// The definition does not name this alternative of a oneof.
    #[error("{0} is not an alternative of the oneof")]
    UnknownAlternative(u64),
    /// Messages nest deeper than this limit.
    #[error("it nests deeper than {0}")]
    Depth(u32),
    /// A list claims more elements than the remaining bytes can hold.
    #[error("a list of {0} elements does not fit in the remaining bytes")]
    Count(u64),
    /// A required member is absent.
    #[error("it is required but absent")]
    Missing,
    /// Anything else, in the words of the format or library.
    #[error("{0}")]
    Other(String),
}

impl Fault {
    /// A fault that concerns the message as a whole.
    #[cold]
    #[inline(never)]
    pub fn new(problem: Problem) -> Fault {
        Fault(Box::new((problem, None)))
    }

    /// A fault in one field.
    #[cold]
    #[inline(never)]
    pub fn in_field(problem: Problem, field: &'static str) -> Fault {
        Fault(Box::new((problem, Some(field))))
    }

    /// Described by the format or library.
    #[cold]
    #[inline(never)]
    pub fn other(reason: impl fmt::Display) -> Fault {
        Fault::new(Problem::Other(reason.to_string()))
    }

    /// What is wrong, without the field.
    pub fn problem(&self) -> &Problem {
        &self.0.0
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.1 {
            Some(field) => write!(f, "{field}: {}", self.0.0),
            None => self.0.0.fmt(f),
        }
    }
}

impl std::error::Error for Fault {}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Fault {
        Fault::new(problem)
    }
}

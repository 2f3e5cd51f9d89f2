//! What goes wrong in a walk. Boxed, so that the way without faults carries one word.

use std::fmt;

/// A value can't be written, or bytes can't be read.
#[derive(Debug)]
pub struct Fault(Box<(Problem, Option<&'static str>)>);

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The input ends too early.
    #[error("the input ends too early")]
    Truncated,
    /// A number is outside of what the definition or the format allows.
    #[error("{0} is outside the range that the definition allows")]
    OutOfRange(i128),
    /// A text, byte string or list is shorter or longer than allowed.
    #[error("{0} is a length that the definition or the format does not allow")]
    Length(u64),
    /// A text is no UTF-8, or holds characters that the format can't express.
    #[error("the text contains characters that are not allowed here")]
    Text,
    /// An enum's number that the definition does not name.
    #[error("{0} is not a value of the enum")]
    UnknownEnum(i64),
    /// A oneof's alternative that the definition does not name.
    #[error("{0} is not an alternative of the oneof")]
    UnknownAlternative(u64),
    /// Messages nest too deep.
    #[error("it nests deeper than {0}")]
    Depth(u32),
    /// The list says that it has more elements than so many bytes can hold.
    #[error("a list of {0} elements does not fit in the remaining bytes")]
    Count(u64),
    /// A member that must be there is absent.
    #[error("it is required but absent")]
    Missing,
    /// Anything else, in the words of the format or library.
    #[error("{0}")]
    Other(String),
}

impl Fault {
    /// A fault of the format as a whole.
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

    /// In the words of the format or library.
    #[cold]
    #[inline(never)]
    pub fn other(reason: impl fmt::Display) -> Fault {
        Fault::new(Problem::Other(reason.to_string()))
    }

    /// What is wrong.
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

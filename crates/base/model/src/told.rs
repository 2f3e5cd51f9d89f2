//! Errors on standard error in a form that programs read.

use serde::{Deserialize, Serialize};

/// The environment variable that requests it, with the value [`JSON`].
pub const ERRORS: &str = "WIREDYNO_ERRORS";

/// The value that requests a line of JSON instead of a sentence.
pub const JSON: &str = "json";

/// An error as one line of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldError {
    /// The message, without the place if `file` is there.
    pub error: String,
    /// The file that is wrong, as the user named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in `file`, from 1; absent where no line is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

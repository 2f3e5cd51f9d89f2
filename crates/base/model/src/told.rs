//! What the program says on standard error where something could not be done, for programs.

use serde::{Deserialize, Serialize};

/// The variable of the environment that asks for it by [`JSON`].
pub const ERRORS: &str = "WIREDYNO_ERRORS";

/// The value that asks for a line of JSON in place of a sentence.
pub const JSON: &str = "json";

/// Why something could not be done: one line of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldError {
    /// The sentence, without the place where there is one.
    pub error: String,
    /// The file in which something is wrong, as it was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

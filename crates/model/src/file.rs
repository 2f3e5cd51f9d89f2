//! Reading the project's TOML files: every refusal names file, line and the nearest known key.

use serde::de::DeserializeOwned;
use wiredyno_contract::nearest;

/// A file that was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {problem}{hint}", self.place())]
pub struct FileError {
    /// The file as the user named it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What was wrong.
    pub problem: String,
    /// What to do about it, with a leading separator; empty where the problem says it.
    pub hint: String,
}

/// What stands behind the name of a file whose text was changed on the command line: its lines are none that anybody sees, and
/// are not told.
pub const CHANGED: &str = " with --set";

impl FileError {
    /// File and line, as far as somebody can look there.
    fn place(&self) -> String {
        match self.file.ends_with(CHANGED) {
            true => self.file.clone(),
            false => format!("{}:{}", self.file, self.line),
        }
    }

    /// A refusal of the value at the first occurrence of `needle` in the file.
    pub fn at(file: &str, text: &str, needle: &str, problem: impl Into<String>) -> Self {
        let line = text.find(needle).map_or(1, |offset| line_of(text, offset));
        FileError { file: file.to_owned(), line, problem: problem.into(), hint: String::new() }
    }
}

/// The line, from 1, of a byte offset.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text[..offset.min(text.len())].matches('\n').count() + 1
}

/// Parses a TOML file whose type refuses unknown keys.
///
/// # Errors
/// When the text is no TOML, has unknown or missing keys, or values of the wrong kind.
pub fn parse_toml<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, FileError> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        let problem = error.message().trim().to_owned();
        let hint = hint_for(&problem);
        FileError { file: file.to_owned(), line, problem, hint }
    })
}

/// Serde lists the known keys behind "unknown field `x`, expected one of `a`, `b`": the nearest of them.
fn hint_for(problem: &str) -> String {
    let Some(rest) =
        problem.strip_prefix("unknown field ").or_else(|| problem.strip_prefix("unknown variant "))
    else {
        return String::new();
    };
    let mut quoted = rest.split('`').skip(1).step_by(2);
    let Some(given) = quoted.next() else {
        return String::new();
    };
    nearest(given, quoted).map_or(String::new(), |key| format!("; did you mean `{key}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Example {
        #[allow(dead_code, reason = "read by serde only")]
        repeats: u32,
        #[allow(dead_code, reason = "read by serde only")]
        lanes: Option<u32>,
    }

    #[test]
    fn an_unknown_key_is_refused_with_file_line_and_the_nearest_key() {
        let error = parse_toml::<Example>("study.toml", "repeats = 5\nlane = 2\n").unwrap_err();
        assert_eq!((error.file.as_str(), error.line), ("study.toml", 2));
        assert!(error.to_string().contains("did you mean `lanes`?"), "{error}");
    }

    #[test]
    fn a_text_that_was_changed_since_has_no_lines_to_look_at() {
        let file = format!("t.toml{CHANGED}");
        let error = parse_toml::<Example>(&file, "repeats = 5\nlane = 2\n").unwrap_err().to_string();
        assert!(error.starts_with("t.toml with --set: unknown field `lane`"), "{error}");
    }

    #[test]
    fn a_wrong_value_is_refused_with_its_line() {
        let error = parse_toml::<Example>("study.toml", "\nrepeats = \"x\"\n").unwrap_err();
        assert_eq!(error.line, 2);
    }
}

//! Where a study comes from, for errors that name the line.

use wiredyno_model::{FileError, Refusal, TomlText};

/// Where a study comes from, for errors with a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudySource {
    /// The name in errors: a path, perhaps followed by `with --set`.
    pub file: String,
    /// The text of the study, as TOML.
    pub text: String,
    /// Whether it was changed on the command line, so that the user does not see its lines.
    pub is_changed: bool,
}

impl StudySource {
    /// A study's file without changes from the command line.
    pub fn of_file(file: String, text: String) -> Self {
        StudySource { file, text, is_changed: false }
    }

    /// Refuses something in the text, with the line if the user can see it.
    pub fn refuse(&self, refusal: Refusal) -> FileError {
        self.told(TomlText { file: &self.file, text: &self.text }.refuse(refusal))
    }

    /// An error about the text, with the line only if the user can see it.
    pub fn told(&self, error: FileError) -> FileError {
        if self.is_changed { error.without_line() } else { error }
    }
}

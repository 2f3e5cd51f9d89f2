//! Reading the project's TOML files: every refusal names file, line and the nearest known key.

use serde::de::DeserializeOwned;
use toml::de::{DeTable, DeValue};
use wiredyno_contract::nearest;

use crate::place::{Place, Refusal, Step};

/// A file that was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {problem}{hint}", self.place())]
pub struct FileError {
    /// The file as the user named it.
    pub file: String,
    /// The line, from 1; absent where the text was changed on the command line, so that its lines are not those of the file.
    pub line: Option<usize>,
    /// What was wrong, in words.
    pub problem: String,
    /// What to do about it, with a leading separator; empty where `problem` says it.
    pub hint: String,
    /// Whether a table has a key that it can't have.
    pub is_unknown_key: bool,
}

impl FileError {
    /// File, and line where there is one.
    fn place(&self) -> String {
        match self.line {
            None => self.file.clone(),
            Some(line) => format!("{}:{line}", self.file),
        }
    }

    /// The error without its line, for a text whose lines are not those of the file.
    #[must_use]
    pub fn without_line(self) -> Self {
        FileError { line: None, ..self }
    }
}

/// A TOML file's text, for errors about its content.
#[derive(Debug, Clone, Copy)]
pub struct TomlText<'a> {
    /// The name of the file in errors.
    pub file: &'a str,
    /// The whole content; spans of errors are byte offsets in it.
    pub text: &'a str,
}

impl TomlText<'_> {
    /// A refusal with the line of its place, or of the innermost enclosing table or list where the place does not exist.
    pub fn refuse(&self, Refusal { place, problem }: Refusal) -> FileError {
        let line = line_of(self.text, offset_of(self.text, &place));
        FileError {
            file: self.file.to_owned(),
            line: Some(line),
            problem,
            hint: String::new(),
            is_unknown_key: false,
        }
    }
}

/// Byte offset of a place: of the key rather than its value. 0 if nothing is found.
fn offset_of(text: &str, place: &Place) -> usize {
    let Ok(document) = DeTable::parse(text) else { return 0 };
    let document = DeValue::Table(document.into_inner());
    let (mut offset, mut value) = (0, &document);
    for step in place.steps() {
        let found = match (step, value) {
            (Step::Key(name), DeValue::Table(table)) => table
                .iter()
                .find(|(key, _)| key.get_ref() == name)
                .map(|(key, inner)| (key.span().start, inner.get_ref())),
            (Step::Item(position), DeValue::Array(items)) => {
                items.get(*position).map(|item| (item.span().start, item.get_ref()))
            }
            (Step::Word(word), DeValue::Array(items)) => items
                .iter()
                .find(|item| item.get_ref().as_str() == Some(word))
                .map(|item| (item.span().start, item.get_ref())),
            (Step::Mention(word), value) => mention(value, word).map(|start| (start, value)),
            _ => None,
        };
        let Some((start, inner)) = found else { break };
        (offset, value) = (start, inner);
    }
    offset
}

/// Byte offset of the first key or text equal to `word`.
fn mention(value: &DeValue, word: &str) -> Option<usize> {
    let below = |start: usize, value: &DeValue| {
        if value.as_str() == Some(word) { Some(start) } else { mention(value, word) }
    };
    match value {
        DeValue::Table(table) => table
            .iter()
            .filter_map(|(key, value)| {
                if key.get_ref() == word {
                    return Some(key.span().start);
                }
                below(value.span().start, value.get_ref())
            })
            .min(),
        DeValue::Array(items) => items.iter().find_map(|item| below(item.span().start, item.get_ref())),
        _ => None,
    }
}

/// The line, from 1, of a byte offset.
fn line_of(text: &str, offset: usize) -> usize {
    text[..offset.min(text.len())].matches('\n').count() + 1
}

/// Parses a TOML file whose type refuses unknown keys.
///
/// # Errors
/// When the text is not TOML, has unknown or missing keys, or values of the wrong kind.
pub fn parse_toml<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, FileError> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        let problem = error.message().trim().to_owned();
        let is_unknown_key = problem.starts_with(UNKNOWN_KEY);
        let hint = hint_for(&problem);
        FileError { file: file.to_owned(), line: Some(line), problem, hint, is_unknown_key }
    })
}

/// How serde's message about an unknown key of a table begins. It has no other wording.
const UNKNOWN_KEY: &str = "unknown field ";

/// The nearest of the known keys, which serde lists in "unknown field `x`, expected one of `a`, `b`".
fn hint_for(problem: &str) -> String {
    let Some(rest) = problem.strip_prefix(UNKNOWN_KEY).or_else(|| problem.strip_prefix("unknown variant "))
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
        assert_eq!((error.file.as_str(), error.line), ("study.toml", Some(2)));
        assert!(error.to_string().contains("did you mean `lanes`?"), "{error}");
    }

    #[test]
    fn a_text_that_was_changed_since_has_no_lines_to_look_at() {
        let error = parse_toml::<Example>("t.toml with --set", "repeats = 5\nlane = 2\n").unwrap_err();
        let error = error.without_line().to_string();
        assert!(error.starts_with("t.toml with --set: unknown field `lane`"), "{error}");
    }

    #[test]
    fn a_place_is_found_in_the_structure_and_not_by_its_words() {
        let text = "why = \"repeats of lanes\"\n# lanes = 1\ncells = [\n\"a\",\n\"lanes\",\n]\n\n[trials]\nlanes = 3\nuntil.within = 1\n\
                    [[claim]]\nid = \"x\"\n[[claim]]\nid = \"y\"\nat = { link = \"lan\", lanes = \"x\" }\n";
        let claim = |position| Place::of(["claim"]).item(position);
        for (place, line) in [
            (Place::of(["trials", "lanes"]), 9),
            (Place::of(["trials", "until", "within"]), 10),
            (Place::of(["trials", "until", "at_most"]), 10),
            (Place::of(["trials", "repeats"]), 8),
            (Place::of(["cells"]), 3),
            (Place::of(["cells"]).word("lanes"), 5),
            (Place::of(["cells"]).word("b"), 3),
            (Place::of(["cells"]).item(0), 4),
            (claim(1), 13),
            (claim(1).join(Place::of(["id"])), 14),
            (claim(1).mention("x"), 15),
            (claim(1).mention("link"), 15),
            (claim(0).mention("y"), 11),
            (claim(2), 11),
            (Place::of(["nothing"]), 1),
        ] {
            let refused = TomlText { file: "t.toml", text }.refuse(Refusal::at(place.clone(), "no"));
            assert_eq!(refused.line, Some(line), "{place:?}");
        }
    }

    #[test]
    fn a_wrong_value_is_refused_with_its_line() {
        let error = parse_toml::<Example>("study.toml", "\nrepeats = \"x\"\n").unwrap_err();
        assert_eq!(error.line, Some(2));
    }
}

//! Parses JSON documents with what an importer needs and serde_json's value drops: the digits of numbers as written, the
//! order of keys, duplicate keys, and line numbers.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::ImportError;
use crate::lines::Lines;

/// The maximum nesting: a level of a document can become three of a sample (a list of mixed values in a list), and
/// readers of samples stop at 128 (serde_json's recursion limit).
const MAX_DEPTH: usize = 40;

/// A value with its position in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Json {
    /// The value itself, by kind.
    pub value: Kind,
    /// The line where it starts, counted from 1.
    pub line: usize,
}

/// A value, by JSON's kinds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// JSON's `null`, which importers take as absent.
    Null,
    /// `true` or `false`, as written.
    Bool(bool),
    /// A number's digits, exactly as written.
    Number(String),
    /// A string without its escapes.
    Text(String),
    /// The elements of an array, in order.
    List(Vec<Json>),
    /// An object's keys and values, in order.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The value of an object's key; `None` if it has no such key.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match &self.value {
            Kind::Object(pairs) => pairs.iter().find(|(known, _)| known == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The content of a string; `None` for any other kind.
    pub fn as_text(&self) -> Option<&str> {
        if let Kind::Text(text) = &self.value { Some(text) } else { None }
    }

    /// The value as JSON, shortened for error messages.
    pub fn shortened(&self) -> String {
        let text = self.to_string();
        match text.char_indices().nth(40) {
            Some((end, _)) => format!("`{}...`", &text[..end]),
            None => format!("`{text}`"),
        }
    }
}

impl std::fmt::Display for Json {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.value {
            Kind::Null => f.write_str("null"),
            Kind::Bool(value) => write!(f, "{value}"),
            Kind::Number(digits) => f.write_str(digits),
            Kind::Text(text) => write!(f, "{}", serde_json::Value::from(text.as_str())),
            Kind::List(list) => {
                f.write_str("[")?;
                for (at, value) in list.iter().enumerate() {
                    write!(f, "{}{value}", if at == 0 { "" } else { "," })?;
                }
                f.write_str("]")
            }
            Kind::Object(pairs) => {
                f.write_str("{")?;
                for (at, (key, value)) in pairs.iter().enumerate() {
                    let comma = if at == 0 { "" } else { "," };
                    write!(f, "{comma}{}:{value}", serde_json::Value::from(key.as_str()))?;
                }
                f.write_str("}")
            }
        }
    }
}

/// Keys with the raw text of their values.
struct Pairs<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Pairs<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Pairs<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<'de>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry::<String, &RawValue>()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(All)
    }
}

/// Parses one document. `first_line` is the line of the file where `text` starts.
///
/// # Errors
/// When the text is not JSON, repeats a key in an object, or nests deeper than 40 levels.
pub fn parse(text: &str, file: &str, first_line: usize) -> Result<Json, ImportError> {
    let parser = Parser { text, file, first_line, lines: Lines::of(text) };
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| parser.no_json(&error, 0))?;
    parser.value(raw, 0)
}

struct Parser<'a> {
    text: &'a str,
    file: &'a str,
    first_line: usize,
    lines: Lines,
}

impl Parser<'_> {
    fn line_of(&self, raw: &RawValue) -> usize {
        // Raw values are slices of the text.
        let offset = (raw.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        self.first_line + self.lines.at(offset) - 1
    }

    fn refuse(&self, line: usize, what: String, remedy: &str) -> ImportError {
        ImportError::Refused { file: self.file.to_owned(), line, what, remedy: remedy.to_owned() }
    }

    fn no_json(&self, error: &serde_json::Error, line: usize) -> ImportError {
        let text = error.to_string();
        let reason = text.split(" at line ").next().unwrap_or_default();
        let line = if line == 0 { self.first_line + error.line().saturating_sub(1) } else { line };
        self.refuse(line, format!("this is not JSON: {reason}, column {}", error.column()), "fix it")
    }

    fn value(&self, raw: &RawValue, depth: usize) -> Result<Json, ImportError> {
        let line = self.line_of(raw);
        if depth > MAX_DEPTH {
            return Err(self.refuse(
                line,
                format!("it nests deeper than {MAX_DEPTH} levels"),
                "make it flatter",
            ));
        }
        let text = raw.get();
        let wrong = |error: serde_json::Error| self.no_json(&error, line);
        let value = match text.as_bytes().first() {
            Some(b'{') => {
                let pairs: Pairs<'_> = serde_json::from_str(text).map_err(wrong)?;
                let mut seen = std::collections::HashSet::new();
                let mut read = Vec::with_capacity(pairs.0.len());
                for (key, value) in pairs.0 {
                    if !seen.insert(key.clone()) {
                        return Err(self.refuse(
                            self.line_of(value),
                            format!("the key `{key}` appears twice in one object"),
                            "keep one of them",
                        ));
                    }
                    read.push((key, self.value(value, depth + 1)?));
                }
                Kind::Object(read)
            }
            Some(b'[') => {
                let list: Vec<&RawValue> = serde_json::from_str(text).map_err(wrong)?;
                Kind::List(
                    list.into_iter().map(|value| self.value(value, depth + 1)).collect::<Result<_, _>>()?,
                )
            }
            Some(b'"') => Kind::Text(serde_json::from_str(text).map_err(wrong)?),
            Some(b't') => Kind::Bool(true),
            Some(b'f') => Kind::Bool(false),
            Some(b'n') => Kind::Null,
            _ => Kind::Number(text.to_owned()),
        };
        Ok(Json { value, line })
    }
}

/// Whether a file has one document per line, by its name.
pub fn is_lines(file: &str) -> bool {
    file.ends_with(".jsonl") || file.ends_with(".ndjson")
}

/// The raw documents of a file other than JSON lines, each with its line: a single document, or the elements of a list of objects.
///
/// # Errors
/// When the text is not JSON.
pub fn texts<'a>(text: &'a str, file: &str) -> Result<Vec<(usize, &'a str)>, ImportError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parser = Parser { text, file, first_line: 1, lines: Lines::of(text) };
    let whole: &RawValue = serde_json::from_str(text).map_err(|error| parser.no_json(&error, 0))?;
    let list: Option<Vec<&RawValue>> = serde_json::from_str(whole.get()).ok();
    let is_objects = |list: &Vec<&RawValue>| {
        !list.is_empty() && list.iter().all(|document| document.get().starts_with('{'))
    };
    let documents = list.filter(is_objects).unwrap_or_else(|| vec![whole]);
    Ok(documents.into_iter().map(|document| (parser.line_of(document), document.get())).collect())
}

/// The raw documents of a text of unknown kind, each with its line: one per line if the first line is a document, else as
/// in [`texts`].
///
/// # Errors
/// When the text is not JSON.
pub fn texts_of_input<'a>(text: &'a str, name: &str) -> Result<Vec<(usize, &'a str)>, ImportError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let lines: Vec<(usize, &str)> = lines.collect();
    match lines.first() {
        Some((at, first)) if lines.len() > 1 && parse(first, name, *at).is_ok() => Ok(lines),
        _ => texts(text, name),
    }
}

/// A document without white space between tokens (RFC 8259, section 2), and otherwise unchanged.
pub fn minified(text: &str) -> String {
    let (mut out, mut inside, mut escaped) = (String::with_capacity(text.len()), false, false);
    for c in text.chars() {
        match (inside, c) {
            (false, ' ' | '\t' | '\n' | '\r') => continue,
            (true, '\\') if !escaped => escaped = true,
            (_, '"') if !escaped => inside = !inside,
            _ => escaped = false,
        }
        out.push(c);
    }
    out
}

/// The documents of a file: one per line in `.jsonl`, else a single document or a list of documents.
///
/// # Errors
/// As for [`parse`]; each is reported in its turn.
pub fn documents<'a>(
    text: &'a str,
    file: &'a str,
) -> Box<dyn Iterator<Item = Result<Json, ImportError>> + 'a> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if is_lines(file) {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        return Box::new(lines.map(move |(at, line)| parse(line, file, at + 1)));
    }
    match texts(text, file) {
        Ok(all) => Box::new(all.into_iter().map(move |(line, text)| parse(text, file, line))),
        Err(error) => Box::new(std::iter::once(Err(error))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_order_and_lines_stay() {
        let json =
            parse("{\n \"b\": 1.0e5,\n \"a\": [123456789012345678901234567890]}", "f.json", 7).unwrap();
        assert_eq!(json.to_string(), "{\"b\":1.0e5,\"a\":[123456789012345678901234567890]}");
        assert_eq!(json.get("b").map(|b| b.line), Some(8));
        assert_eq!(json.get("a").map(|a| a.line), Some(9));
    }

    #[test]
    fn documents_come_as_they_were_written_without_white_space() {
        let text = "[\n {\"a\" : \"x \\\" \\u00e9\\\\\", \"b\": [1.0e5, 2]},\n {}\n]";
        let all = texts(text, "f.json").unwrap();
        assert_eq!(all.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(minified(all[0].1), "{\"a\":\"x \\\" \\u00e9\\\\\",\"b\":[1.0e5,2]}");
        assert_eq!(texts(" [1, 2] ", "f.json").unwrap(), [(1, "[1, 2]")]);
        assert!(texts("{", "f.json").unwrap_err().to_string().starts_with("f.json:1: this is not JSON"));
    }

    #[test]
    fn what_is_no_json_names_its_line() {
        for (text, wanted) in [
            ("{\"a\": 1,\n \"a\": 2}", "f.json:2: the key `a` appears twice"),
            ("{\"a\": 1,\n}", "f.json:2: this is not JSON"),
            ("{\"a\": 01}", "f.json:1: this is not JSON"),
            ("", "f.json:1: this is not JSON"),
            ("{\"a\": \"\\ud800\"}", "f.json:1: this is not JSON"),
        ] {
            let error = parse(text, "f.json", 1).unwrap_err().to_string();
            assert!(error.starts_with(wanted), "{text}: {error}");
        }
        let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
        assert!(parse(&deep, "f.json", 1).unwrap_err().to_string().contains("deeper than 40"));
    }
}

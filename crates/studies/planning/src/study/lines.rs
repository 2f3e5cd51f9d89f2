//! Every key of every bundled study is damaged in many ways; the error must name the line where a reader would look. Lines
//! are found here by reading the text line by line, without the parser whose spans are under test.

use wiredyno_contract::CodecDescription;
use wiredyno_model::{FileError, Study};

use crate::catalogue;
use crate::stock;

/// A key of a study's text.
#[derive(Debug, Clone)]
struct Key {
    /// Including its section, such as `load.messages`.
    path: String,
    /// The number of its line, counted from 1.
    line: usize,
    /// Where its value begins and ends, in bytes.
    value: std::ops::Range<usize>,
}

/// The keys of a text with one key per line, whose values may continue over lines.
fn keys(text: &str) -> Vec<Key> {
    let (mut keys, mut section) = (Vec::new(), String::new());
    let (mut offset, mut line) = (0, 1);
    while offset < text.len() {
        let rest = &text[offset..];
        let whole = rest.split_inclusive('\n').next().unwrap();
        let (mut length, written) = (whole.len(), whole.trim());
        if let Some(header) = written.strip_prefix('[') {
            section = format!("{}.", header.split(']').next().unwrap());
        } else if !written.is_empty() && !written.starts_with('#') {
            let (key, _) = whole.split_once('=').unwrap();
            let begin = offset + key.len() + 1;
            let begin = begin + text[begin..].len() - text[begin..].trim_start().len();
            let end = begin + value_length(&text[begin..]);
            keys.push(Key {
                path: format!("{section}{}", key.trim().trim_matches('"')),
                line,
                value: begin..end,
            });
            length = text[end..].find('\n').map_or(text.len(), |more| end + more + 1) - offset;
        }
        line += rest[..length].matches('\n').count();
        offset += length;
    }
    keys
}

/// The length of the value at the beginning of a text.
fn value_length(text: &str) -> usize {
    const PROSE: &str = "\"\"\"";
    if let Some(prose) = text.strip_prefix(PROSE) {
        return prose.find(PROSE).unwrap() + 2 * PROSE.len();
    }
    let (mut quoted, mut depth) = (false, 0);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth -= 1,
            '#' | '\n' if !quoted && depth == 0 => return text[..at].trim_end().len(),
            _ => {}
        }
    }
    text.len()
}

const DAMAGES: [&str; 14] = [
    "[]",
    "0",
    "-1",
    "7.5",
    "true",
    "\"nope\"",
    "\"0ns\"",
    "\"0/s\"",
    "\"a/b\"",
    "\"\"",
    "[\"nope\"]",
    "[\"no*\"]",
    "[0]",
    "{}",
];

/// A list with its values repeated.
fn doubled(value: &str) -> Option<String> {
    let inner = value.strip_prefix('[')?.strip_suffix(']')?.trim().trim_end_matches(',');
    (!inner.is_empty()).then(|| format!("[{inner}, {inner}]"))
}

/// Where a reader would look for an error's cause, once this key is damaged: at the key, except for values that are valid alone but no
/// longer fit another key's.
fn expected_line(damaged: &str, path: &str, problem: &str) -> usize {
    let line = |path: &str| keys(damaged).into_iter().find(|key| key.path == path).unwrap().line;
    let of_cells = |axis: &str| {
        let names = |text: &str| text.contains(&format!("{axis}="));
        let mut below = damaged.lines().enumerate().skip(line("cells") - 1);
        below.find(|(_, text)| names(text)).unwrap().0 + 1
    };
    match path.split_once('.') {
        Some(("axes", axis)) if problem.starts_with("cells: ") => of_cells(axis),
        // The first of the protocol's options that are axes, by name.
        Some(("axes", "mode")) if problem.contains("has no mode of it") => {
            let options = keys(damaged).into_iter().filter(|key| key.path.starts_with("axes.kafka."));
            options.min_by(|a, b| a.path.cmp(&b.path)).unwrap().line
        }
        Some(("axes", "format")) if problem.contains("the axis `runner`") => line("axes.runner"),
        Some(("load", _)) if problem.contains("needs a rate or an interval") => line("load.kind"),
        _ => line(path),
    }
}

/// The program's error for a study with this text, without opening its payloads.
fn said(text: &str, codecs: &[CodecDescription]) -> Option<FileError> {
    let read = || -> Result<Study, FileError> {
        let mut study = Study::parse("t.toml", text)?;
        study.resolve("t.toml", text, codecs, &[])?;
        study.with_options("t.toml", text, &wiredyno_transport_registry::descriptions())
    };
    read().err()
}

#[test]
fn every_damaged_key_of_every_bundled_study_is_refused_at_its_own_line() {
    let codecs = stock::codecs().unwrap().described;
    let (mut refused, mut wrong) = (0, Vec::new());
    for (name, text) in catalogue::bundled_in("studies").filter(|(name, _)| !name.contains('/')) {
        let keys = keys(text);
        assert!(keys.iter().any(|key| key.path == "axes.payload"), "{name}: {keys:?}");
        for key in &keys {
            let value = &text[key.value.clone()];
            let damages = DAMAGES.iter().map(|damage| (*damage).to_owned()).chain(doubled(value));
            for damage in damages {
                let mut damaged = text.to_owned();
                damaged.replace_range(key.value.clone(), &damage);
                let Some(error) = said(&damaged, &codecs) else { continue };
                refused += 1;
                let line = expected_line(&damaged, &key.path, &error.problem);
                if error.line != Some(line) {
                    wrong.push(format!("{name}: {} = {damage}: not line {line} but {error}", key.path));
                }
            }
        }
    }
    assert!(refused > 1000, "only {refused} damaged studies were refused");
    assert!(wrong.is_empty(), "{} of {refused}:\n{}", wrong.len(), wrong.join("\n"));
}

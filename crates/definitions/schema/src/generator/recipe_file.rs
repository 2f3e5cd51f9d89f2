//! Parses generator.toml into a [`Recipe`] and checks every rule against the message.

use prost_reflect::{Kind, MessageDescriptor};
use toml::de::{DeTable, DeValue};

use super::GeneratorError;
use super::calendar::{Timestamps, unix_ms};
use super::path::{PathPattern, Target};
use super::reader::{Entry, Source, Table};
use super::rule::{Filling, Number, Profile, Recipe, Rule, RuleSet, SHAPE_NAMES, Shape};
use super::template::Template;
use crate::lines::Lines;

/// Messages nested deeper than this are not generated, so that a rule file can't cause endless recursion.
const MAX_DEPTH: usize = 16;
/// The longest list that a rule may request: a typo must not exhaust memory.
const MAX_COUNT: u32 = 1_000_000;

const ROOT_KEYS: [&str; 6] = ["seed", "samples", "distinct", "default", "field", "profile"];
const PROFILE_KEYS: [&str; 4] = ["name", "weight", "default", "field"];
const TIMESTAMP_KEYS: [&str; 4] = ["start", "step_ms", "jitter_ms", "decimals"];
const FILLING_KEYS: [&str; 4] = ["choices", "pattern", "timestamp", "length"];

/// Every key of a rule, with the shapes that it applies to.
const RULE_KEYS: [(&str, &[Shape]); 15] = [
    ("presence", &[Shape::Optional]),
    ("zero", &[Shape::Integer, Shape::Float, Shape::Bool, Shape::String, Shape::Bytes, Shape::Enum]),
    ("range", &[Shape::Integer, Shape::Float]),
    ("step", &[Shape::Integer, Shape::Float]),
    ("decimals", &[Shape::Float]),
    ("truth", &[Shape::Bool]),
    ("sequence", &[Shape::Integer, Shape::String]),
    ("choices", &[Shape::String]),
    ("pattern", &[Shape::String]),
    ("timestamp", &[Shape::String]),
    ("length", &[Shape::String, Shape::Bytes]),
    ("alphabet", &[Shape::String]),
    ("style", &[Shape::String, Shape::Bytes]),
    ("count", &[Shape::List]),
    ("weights", &[Shape::Enum, Shape::Oneof]),
];

/// The contents of a generator.toml.
pub(super) struct GeneratorFile {
    pub(super) seed: u64,
    pub(super) samples: u32,
    pub(super) distinct: u32,
    pub(super) recipe: Recipe,
}

/// What the rules are checked against.
struct Reading<'m> {
    message: &'m MessageDescriptor,
    size_bytes: Option<u32>,
    size_used: bool,
}

/// Parses `text`; `file` names it in errors.
pub(super) fn read(
    text: &str,
    file: &str,
    message: &MessageDescriptor,
    size_bytes: Option<u32>,
) -> Result<GeneratorFile, GeneratorError> {
    let lines = Lines::of(text);
    let source = Source { file, text, lines: &lines };
    let document = source.parse()?;
    let root = Table { source, entries: document.get_ref(), line: 1 };
    root.refuse_unknown(&ROOT_KEYS)?;
    let seed = root.require("seed", "the seed of all values")?.unsigned(u64::MAX)?;
    let samples = root.require("samples", "how many messages are in the payload's sample set")?;
    let samples = samples.integer(1, i128::from(u32::MAX))?;
    let distinct =
        root.get("distinct").map(|entry| entry.integer(samples, i128::from(u32::MAX))).transpose()?;
    let mut reading = Reading { message, size_bytes, size_used: false };
    let rules = reading.rule_set(&root)?;
    let mut profiles = Vec::new();
    if let Some(entry) = root.get("profile") {
        for table in entry.tables()? {
            profiles.push(reading.profile(&table)?);
        }
        if profiles.iter().map(|profile| profile.weight).sum::<u64>() == 0 {
            return Err(
                entry.wrong("has only profiles of weight 0", "give one of them a weight of 1 or more")
            );
        }
    } else {
        profiles.push(Profile { weight: 1, rules: RuleSet::default() });
    }
    if let (Some(size_bytes), false) = (size_bytes, reading.size_used) {
        return Err(GeneratorError::SizeUnused { file: file.to_owned(), size_bytes });
    }
    let recipe = Recipe {
        base: Rule::plain(),
        rules,
        profiles,
        max_depth: MAX_DEPTH,
        max_messages: usize::MAX,
        lists_shrink: false,
        by_format: false,
    };
    let [samples, distinct] =
        [samples, distinct.unwrap_or(samples)].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    Ok(GeneratorFile { seed, samples, distinct, recipe })
}

/// Whether rules use the payload's size, in the keys where [`read`] accepts it. False if the text is not TOML.
pub(super) fn takes_size(text: &str) -> bool {
    fn asks(value: &DeValue<'_>, key: &str) -> bool {
        match value {
            DeValue::Table(table) => table.iter().any(|(key, value)| asks(value.get_ref(), key.get_ref())),
            DeValue::Array(items) => items.iter().any(|item| asks(item.get_ref(), key)),
            DeValue::String(text) if key == "length" => text == "size",
            DeValue::String(text) if key == "count" => text.starts_with("size"),
            _ => false,
        }
    }
    // Most files don't contain the word at all.
    let table = if text.contains("size") { DeTable::parse(text).ok() } else { None };
    table.is_some_and(|table| table.get_ref().iter().any(|(key, value)| asks(value.get_ref(), key.get_ref())))
}

impl Reading<'_> {
    fn profile(&mut self, table: &Table<'_>) -> Result<Profile, GeneratorError> {
        table.refuse_unknown(&PROFILE_KEYS)?;
        table.require("name", "what kind of message this profile makes")?.string()?;
        let weight = table.require("weight", "how often it is chosen, relative to the other profiles")?;
        Ok(Profile { weight: weight.unsigned(u64::from(u32::MAX))?, rules: self.rule_set(table)? })
    }

    /// The `[default]` and `[[field]]` rules in a table.
    fn rule_set(&mut self, table: &Table<'_>) -> Result<RuleSet, GeneratorError> {
        let mut set = RuleSet::default();
        if let Some(defaults) = table.get("default") {
            for entry in defaults.table()?.iter() {
                let Some((_, shape)) = SHAPE_NAMES.iter().find(|(name, _)| *name == entry.key) else {
                    return Err(entry.unknown_key(&SHAPE_NAMES.map(|(name, _)| name)));
                };
                set.defaults.push((*shape, self.default_rule(&entry, *shape)?));
            }
        }
        if let Some(fields) = table.get("field") {
            for table in fields.tables()? {
                set.fields.push(self.field_rule(&table)?);
            }
        }
        Ok(set)
    }

    fn default_rule(&mut self, entry: &Entry<'_>, shape: Option<Shape>) -> Result<Rule, GeneratorError> {
        let table = entry.table()?;
        table.refuse_unknown(&RULE_KEYS.map(|(key, _)| key))?;
        for key in table.iter() {
            let fits = |shape| key.key == "presence" || applies(key.key, &[shape]);
            if shape.is_some_and(|shape| !fits(shape)) {
                return Err(key.wrong(format!("has no meaning for `{}` fields", entry.key), "leave it out"));
            }
        }
        self.rule(&table)
    }

    fn field_rule(&mut self, table: &Table<'_>) -> Result<(PathPattern, Rule), GeneratorError> {
        let mut known = RULE_KEYS.map(|(key, _)| key).to_vec();
        known.push("path");
        table.refuse_unknown(&known)?;
        let entry = table.require("path", "which fields the rule is for, such as `engine.*`")?;
        let pattern = PathPattern::parse(entry.string()?);
        let targets = pattern.targets(self.message);
        if targets.is_empty() {
            return Err(GeneratorError::UnknownPath {
                file: entry.source.file.to_owned(),
                line: entry.line,
                path: entry.string()?.to_owned(),
                message: self.message.full_name().to_owned(),
                remedy: match pattern.nearest(self.message) {
                    Some(path) => format!("did you mean `{path}`?"),
                    None => "write field names of message.proto joined by points".to_owned(),
                },
            });
        }
        for key in table.iter().filter(|key| key.key != "path") {
            if !targets.iter().any(|target| applies(key.key, &target.shapes)) {
                let remedy = "leave it out, or name another field in `path`";
                return Err(key.wrong("has no meaning for the fields that `path` names", remedy));
            }
        }
        let rule = self.rule(table)?;
        check_numbers(table, &rule, &targets)?;
        check_weights(table, &targets)?;
        Ok((pattern, rule))
    }

    fn rule(&mut self, table: &Table<'_>) -> Result<Rule, GeneratorError> {
        let probability = |key: &str| table.get(key).map(|entry| entry.probability()).transpose();
        let step = match table.get("step") {
            None => None,
            Some(entry) if matches!(entry.value, DeValue::Array(_)) => Some(entry.range()?),
            Some(entry) => Some(match entry.number()? {
                Number::Integer(step) => (Number::Integer(-step.abs()), Number::Integer(step.abs())),
                Number::Float(step) => (Number::Float(-step.abs()), Number::Float(step.abs())),
            }),
        };
        let decimals = table.get("decimals").map(|entry| entry.unsigned(15)).transpose()?;
        let sequence = table.get("sequence");
        let weights = table.get("weights").map(|entry| weights(&entry)).transpose()?;
        Ok(Rule {
            presence: probability("presence")?,
            zero: probability("zero")?,
            range: table.get("range").map(|entry| entry.range()).transpose()?,
            step,
            decimals: decimals.and_then(|places| u32::try_from(places).ok()),
            truth: probability("truth")?,
            sequence: sequence.map(|entry| entry.integer(0, i128::from(u64::MAX))).transpose()?,
            filling: self.filling(table)?,
            count: table.get("count").map(|entry| self.count(&entry)).transpose()?,
            weights,
        })
    }

    /// The number of elements: a number, a range, or as many as fit the payload's size.
    fn count(&mut self, entry: &Entry<'_>) -> Result<(u32, u32), GeneratorError> {
        let DeValue::String(text) = entry.value else {
            return entry.amount(MAX_COUNT);
        };
        let share = text.split_once('/').filter(|(size, _)| size.trim() == "size");
        let bytes = share.and_then(|(_, bytes)| bytes.trim().parse::<u32>().ok()).filter(|bytes| *bytes > 0);
        let Some(bytes) = bytes else {
            return Err(entry.wrong("is not a count", "write 3, [1, 4] or \"size / 100\""));
        };
        let Some(size) = self.size_bytes else {
            return Err(GeneratorError::SizeMissing { file: entry.source.file.to_owned(), line: entry.line });
        };
        self.size_used = true;
        let count = (size / bytes).clamp(1, MAX_COUNT);
        Ok((count, count))
    }

    fn filling(&mut self, table: &Table<'_>) -> Result<Option<Filling>, GeneratorError> {
        let mut present = FILLING_KEYS.iter().filter_map(|key| table.get(key));
        let (first, second) = (present.next(), present.next());
        let Some(entry) = first else {
            // Style and alphabet need a length to fill.
            return match ["style", "alphabet"].iter().find_map(|key| table.get(key)) {
                None => Ok(None),
                Some(lonely) => Err(lonely.wrong("requires a `length`", "add `length = 8` or `[4, 12]`")),
            };
        };
        if let Some(other) = second {
            return Err(other.wrong(format!("can't be combined with `{}`", entry.key), "keep one of the two"));
        }
        Ok(Some(match entry.key {
            "choices" => {
                let choices = entry.strings()?;
                if choices.is_empty() {
                    return Err(entry.wrong("is empty", "name at least one string"));
                }
                Filling::Choices(choices)
            }
            "pattern" => {
                let known = "known places are {sequence:03}, {digit:4}, {letter:2}, {hex:8}";
                let template =
                    Template::parse(entry.string()?).map_err(|reason| entry.wrong(reason, known))?;
                let first = table.get("sequence").map(|entry| entry.unsigned(u64::MAX)).transpose()?;
                Filling::Pattern { template, first: first.unwrap_or(1) }
            }
            "timestamp" => Filling::Timestamps(timestamps(&entry.table()?)?),
            _ => self.filled(table, &entry)?,
        }))
    }

    fn filled(&mut self, table: &Table<'_>, length: &Entry<'_>) -> Result<Filling, GeneratorError> {
        let length = match (length.value, self.size_bytes) {
            (DeValue::String(text), Some(size)) if text.as_ref() == "size" => {
                self.size_used = true;
                (size, size)
            }
            (DeValue::String(text), None) if text.as_ref() == "size" => {
                return Err(GeneratorError::SizeMissing {
                    file: length.source.file.to_owned(),
                    line: length.line,
                });
            }
            (DeValue::String(_), _) => {
                return Err(length.wrong("is a string other than \"size\"", "write 8, [4, 12] or \"size\""));
            }
            _ => length.amount(u32::MAX)?,
        };
        let alphabet = table.get("alphabet");
        let Some(style) = table.get("style") else {
            return letters(alphabet.as_ref(), length);
        };
        match style.string()? {
            "text" if alphabet.is_none() => Ok(Filling::Prose { length }),
            "text" => Err(style.wrong("takes no `alphabet`", "leave the alphabet out")),
            "random" => letters(alphabet.as_ref(), length),
            other => Err(style.wrong(format!("`{other}` is not a style"), "write \"random\" or \"text\"")),
        }
    }
}

fn letters(alphabet: Option<&Entry<'_>>, length: (u32, u32)) -> Result<Filling, GeneratorError> {
    let Some(entry) = alphabet else {
        return Ok(Filling::Letters { alphabet: ('a'..='z').collect(), length });
    };
    let alphabet: Vec<char> = entry.string()?.chars().collect();
    if alphabet.is_empty() {
        return Err(entry.wrong("is empty", "name at least one character"));
    }
    Ok(Filling::Letters { alphabet, length })
}

fn timestamps(table: &Table<'_>) -> Result<Timestamps, GeneratorError> {
    table.refuse_unknown(&TIMESTAMP_KEYS)?;
    let start = table.require("start", "the first message's time")?;
    let start_unix_ms = match start.value {
        DeValue::Datetime(value) => unix_ms(value),
        _ => None,
    };
    let remedy = "write date, time and offset without quotes, seconds to 59: 2018-03-05T06:00:00Z";
    let number = |key: &str, high| table.get(key).map(|entry| entry.unsigned(high)).transpose();
    Ok(Timestamps {
        start_unix_ms: start_unix_ms.ok_or_else(|| start.wrong("is not a point in time", remedy))?,
        step_ms: i64::try_from(number("step_ms", i64::MAX.unsigned_abs())?.unwrap_or(0)).unwrap_or(i64::MAX),
        jitter_ms: number("jitter_ms", u64::from(u32::MAX))?.unwrap_or(0),
        decimals: u32::try_from(number("decimals", 3)?.unwrap_or(0)).unwrap_or(3),
    })
}

fn weights(entry: &Entry<'_>) -> Result<Vec<(String, u64)>, GeneratorError> {
    let read = |item: Entry<'_>| Ok((item.key.to_owned(), item.unsigned(u64::from(u32::MAX))?));
    let weights = entry.table()?.iter().map(read).collect::<Result<Vec<_>, GeneratorError>>()?;
    if weights.iter().all(|(_, weight)| *weight == 0) {
        return Err(entry.wrong("has no weight above 0", "give one of the names a weight of 1 or more"));
    }
    Ok(weights)
}

/// Whether a rule's key applies to a field of these shapes.
fn applies(key: &str, shapes: &[Shape]) -> bool {
    let known = RULE_KEYS.iter().find(|(name, _)| *name == key);
    known.is_some_and(|(_, meant)| shapes.iter().any(|shape| meant.contains(shape)))
}

/// Checks that ranges and steps of integer fields are integers within the field's type.
fn check_numbers(table: &Table<'_>, rule: &Rule, targets: &[Target]) -> Result<(), GeneratorError> {
    let integers = targets.iter().filter_map(|target| target.field.as_ref()).filter_map(|field| {
        let limits = integer_limits(&field.kind())?;
        Some((field.full_name().to_owned(), limits))
    });
    for (name, (low, high)) in integers {
        for (key, bounds) in [("range", &rule.range), ("step", &rule.step)] {
            let (Some(bounds), Some(entry)) = (bounds, table.get(key)) else {
                continue;
            };
            let (Number::Integer(from), Number::Integer(to)) = *bounds else {
                return Err(
                    entry.wrong(format!("has a fraction, but {name} is an integer"), "write integers")
                );
            };
            if key == "range" && (from < low || to > high) {
                let remedy = format!("stay within {low} to {high}, or give the field a wider type");
                return Err(entry.wrong(format!("does not fit into {name}"), remedy));
            }
        }
    }
    Ok(())
}

fn check_weights(table: &Table<'_>, targets: &[Target]) -> Result<(), GeneratorError> {
    let Some(entry) = table.get("weights") else {
        return Ok(());
    };
    let known: Vec<&str> =
        targets.iter().flat_map(|target| &target.weight_names).map(String::as_str).collect();
    entry.table()?.refuse_unknown(&known)
}

/// The least and greatest value of an integer type; `None` for other types.
pub(super) fn integer_limits(kind: &Kind) -> Option<(i128, i128)> {
    match kind {
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Some((i128::from(i32::MIN), i128::from(i32::MAX))),
        Kind::Uint32 | Kind::Fixed32 => Some((0, i128::from(u32::MAX))),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Some((i128::from(i64::MIN), i128::from(i64::MAX))),
        Kind::Uint64 | Kind::Fixed64 => Some((0, i128::from(u64::MAX))),
        _ => None,
    }
}

//! TOML with positions: tables that know each key's line and refuse unknown keys.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::GeneratorError;
use super::path::nearest;
use super::rule::Number;
use crate::lines::Lines;

/// The file being parsed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
    pub(super) lines: &'a Lines,
}

impl<'a> Source<'a> {
    /// The line, counted from 1, where a byte range starts.
    pub(super) fn line(&self, span: Range<usize>) -> usize {
        self.lines.at(span.start)
    }

    /// Parses the whole file as TOML, keeping positions.
    pub(super) fn parse(&self) -> Result<Spanned<DeTable<'a>>, GeneratorError> {
        DeTable::parse(self.text).map_err(|error| GeneratorError::Syntax {
            file: self.file.to_owned(),
            line: error.span().map_or(1, |span| self.line(span)),
            reason: error.message().to_owned(),
        })
    }
}

/// A table, with its place in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table<'a> {
    pub(super) source: Source<'a>,
    pub(super) entries: &'a DeTable<'a>,
    pub(super) line: usize,
}

/// A value, with its place in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) source: Source<'a>,
    pub(super) key: &'a str,
    pub(super) line: usize,
    pub(super) value: &'a DeValue<'a>,
}

impl<'a> Table<'a> {
    pub(super) fn get(&self, key: &str) -> Option<Entry<'a>> {
        self.iter().find(|entry| entry.key == key)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Entry<'a>> + use<'a> {
        let source = self.source;
        self.entries.iter().map(move |(key, value)| Entry {
            source,
            key: key.get_ref().as_ref(),
            line: source.line(key.span()),
            value: value.get_ref(),
        })
    }

    /// Refuses every key that is not in `known`, and suggests the most similar one.
    pub(super) fn refuse_unknown(&self, known: &[&str]) -> Result<(), GeneratorError> {
        match self.iter().find(|entry| !known.contains(&entry.key)) {
            None => Ok(()),
            Some(entry) => Err(entry.unknown_key(known)),
        }
    }

    /// The entry, or an error that states what it is for.
    pub(super) fn require(
        &self,
        key: &'static str,
        meaning: &'static str,
    ) -> Result<Entry<'a>, GeneratorError> {
        self.get(key).ok_or_else(|| GeneratorError::MissingKey {
            file: self.source.file.to_owned(),
            line: self.line,
            key,
            meaning,
        })
    }
}

impl<'a> Entry<'a> {
    pub(super) fn unknown_key(&self, known: &[&str]) -> GeneratorError {
        GeneratorError::UnknownKey {
            file: self.source.file.to_owned(),
            line: self.line,
            key: self.key.to_owned(),
            remedy: match nearest(self.key, known.iter().copied()) {
                Some(name) => format!("did you mean `{name}`?"),
                None => format!("known here are: {}", known.join(", ")),
            },
        }
    }

    pub(super) fn wrong(&self, reason: impl Into<String>, remedy: impl Into<String>) -> GeneratorError {
        GeneratorError::BadValue {
            file: self.source.file.to_owned(),
            line: self.line,
            key: self.key.to_owned(),
            reason: reason.into(),
            remedy: remedy.into(),
        }
    }

    fn is_not(&self, wanted: &str, remedy: &str) -> GeneratorError {
        self.wrong(format!("is a TOML {}, not {wanted}", self.value.type_str()), remedy)
    }

    pub(super) fn table(&self) -> Result<Table<'a>, GeneratorError> {
        match self.value {
            DeValue::Table(entries) => Ok(Table { source: self.source, entries, line: self.line }),
            _ => Err(self.is_not("a table", "write it as `[table]` or `{ key = value }`")),
        }
    }

    /// The tables of an array `[[key]]`.
    pub(super) fn tables(&self) -> Result<Vec<Table<'a>>, GeneratorError> {
        let source = self.source;
        let read = |item: &'a Spanned<DeValue<'a>>| {
            let line = source.line(item.span());
            Entry { value: item.get_ref(), line, ..*self }.table()
        };
        self.items("a list of tables", "write each as `[[table]]`")?.iter().map(read).collect()
    }

    fn items(&self, wanted: &str, remedy: &str) -> Result<&'a [Spanned<DeValue<'a>>], GeneratorError> {
        match self.value {
            DeValue::Array(items) => Ok(items),
            _ => Err(self.is_not(wanted, remedy)),
        }
    }

    pub(super) fn string(&self) -> Result<&'a str, GeneratorError> {
        match self.value {
            DeValue::String(text) => Ok(text.as_ref()),
            _ => Err(self.is_not("a string", "put it in double quotes")),
        }
    }

    pub(super) fn strings(&self) -> Result<Vec<String>, GeneratorError> {
        let items = self.items("a list of strings", "write it as `[\"one\", \"two\"]`")?;
        items.iter().map(|item| Ok(Entry { value: item.get_ref(), ..*self }.string()?.to_owned())).collect()
    }

    pub(super) fn number(&self) -> Result<Number, GeneratorError> {
        match self.value {
            DeValue::Integer(value) => i128::from_str_radix(value.as_str(), value.radix())
                .map(Number::Integer)
                .map_err(|_| self.wrong("is too large for any integer type", "use at most 64 bits")),
            DeValue::Float(value) => match value.as_str().parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(Number::Float(value)),
                _ => Err(self.wrong("is not a finite number", "write a number such as 0.5")),
            },
            _ => Err(self.is_not("a number", "write it without quotes")),
        }
    }

    /// An integer within `low..=high`, or an error that states both.
    pub(super) fn integer(&self, low: i128, high: i128) -> Result<i128, GeneratorError> {
        match self.number()? {
            Number::Integer(value) if (low..=high).contains(&value) => Ok(value),
            _ => Err(self.wrong("is out of its range", format!("give an integer from {low} to {high}"))),
        }
    }

    pub(super) fn unsigned(&self, high: u64) -> Result<u64, GeneratorError> {
        Ok(u64::try_from(self.integer(0, i128::from(high))?).unwrap_or(high))
    }

    /// A probability from 0 to 1.
    pub(super) fn probability(&self) -> Result<f64, GeneratorError> {
        let value = self.number()?.as_float();
        if (0.0..=1.0).contains(&value) {
            return Ok(value);
        }
        Err(self.wrong(format!("{value} is not a probability"), "give a number from 0 to 1"))
    }

    /// A pair `[low, high]`; an error if it is reversed.
    pub(super) fn range(&self) -> Result<(Number, Number), GeneratorError> {
        let remedy = "write it as `[lowest, highest]`";
        let items = self.items("a pair of numbers", remedy)?;
        let [low, high] = items else {
            return Err(self.wrong(format!("has {} numbers, not 2", items.len()), remedy));
        };
        let low = Entry { value: low.get_ref(), ..*self }.number()?;
        let high = Entry { value: high.get_ref(), ..*self }.number()?;
        if low.as_float() > high.as_float() {
            return Err(self.wrong("is reversed", remedy));
        }
        Ok((low, high))
    }

    /// `n` or `[low, high]`, both from 0 to `limit`.
    pub(super) fn amount(&self, limit: u32) -> Result<(u32, u32), GeneratorError> {
        let (low, high) = match self.value {
            DeValue::Array(_) => self.range()?,
            _ => self.number().map(|number| (number, number))?,
        };
        match (low, high) {
            (Number::Integer(low), Number::Integer(high)) => {
                let in_limit = |value| u32::try_from(value).ok().filter(|value| *value <= limit);
                in_limit(low).zip(in_limit(high))
            }
            _ => None,
        }
        .ok_or_else(|| self.wrong("is out of its range", format!("give integers from 0 to {limit}")))
    }
}

//! Options of transports: what a study can set beyond the mode, in a table `[transport.<protocol>]`.
//!
//! A transport declares each option with its kind, default and meaning ([`TransportOption`]); a study gives values
//! ([`OptionTable`]); [`resolve`] combines both, so that a runner always gets every option with a value of its kind. An
//! option whose values are to be compared is an axis of the study instead.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capability::Capability;
use crate::nearest::nearest;
use crate::unit::Span;

/// A value, as in TOML and JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OptionValue {
    /// `true` or `false`.
    Flag(bool),
    /// A 64-bit integer.
    Whole(i64),
    /// A floating-point number.
    Real(f64),
    /// A word, or a span of time such as `"2s"`.
    Text(String),
}

impl OptionValue {
    /// A span of time, as text.
    pub fn span(span: Span) -> Self {
        OptionValue::Text(span.to_string())
    }

    /// The value that a word on the command line stands for, in its usual form: `2000ms` is the span of time
    /// `2s`.
    pub fn of_word(word: &str) -> Self {
        let flag = word.parse().map(OptionValue::Flag).ok();
        let whole = || word.parse().map(OptionValue::Whole).ok();
        let real = || word.parse().map(OptionValue::Real).ok();
        let span = || word.parse().map(OptionValue::span).ok();
        flag.or_else(whole).or_else(real).or_else(span).unwrap_or_else(|| OptionValue::Text(word.to_owned()))
    }

    /// As the command line, cells and reports write it: without quotation marks.
    pub fn plain(&self) -> String {
        match self {
            OptionValue::Real(number) => number.to_string(),
            OptionValue::Text(text) => text.clone(),
            other => other.to_string(),
        }
    }

    /// The flag, if it is one.
    pub fn as_flag(&self) -> Option<bool> {
        match self {
            OptionValue::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    /// The whole number, if it is one.
    pub fn as_whole(&self) -> Option<i64> {
        match self {
            OptionValue::Whole(number) => Some(*number),
            _ => None,
        }
    }

    /// The number, whole or not, if it is one.
    pub fn as_real(&self) -> Option<f64> {
        match self {
            OptionValue::Whole(number) => Some(*number as f64),
            OptionValue::Real(number) => Some(*number),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            OptionValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The span of time, if it is one.
    pub fn as_span(&self) -> Option<Span> {
        self.as_text()?.parse().ok()
    }
}

impl fmt::Display for OptionValue {
    /// As in TOML: text in quotation marks.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValue::Flag(flag) => write!(f, "{flag}"),
            OptionValue::Whole(number) => write!(f, "{number}"),
            OptionValue::Real(number) => write!(f, "{number:?}"),
            OptionValue::Text(text) => write!(f, "{text:?}"),
        }
    }
}

/// Values, keyed by the options' names.
pub type OptionTable = BTreeMap<String, OptionValue>;

/// What values an option takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum OptionKind {
    /// `true` or `false`.
    Flag,
    /// One of a list of values.
    Choice {
        /// The values, in the order in which lists show them.
        of: Vec<OptionValue>,
    },
    /// A whole number within a range.
    Whole {
        /// The smallest, included.
        least: i64,
        /// The largest, included.
        most: i64,
    },
    /// A floating-point number within a range.
    Real {
        /// The smallest, included.
        least: f64,
        /// The largest, included.
        most: f64,
    },
    /// A span of time, written with its unit.
    Span {
        /// The shortest, included.
        least: Span,
        /// The longest, included.
        most: Span,
    },
}

impl fmt::Display for OptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionKind::Flag => write!(f, "true or false"),
            OptionKind::Choice { of } => {
                let words: Vec<String> = of.iter().map(ToString::to_string).collect();
                write!(f, "one of {}", words.join(", "))
            }
            OptionKind::Whole { least, most } => write!(f, "a whole number from {least} to {most}"),
            OptionKind::Real { least, most } => write!(f, "a number from {least} to {most}"),
            OptionKind::Span { least, most } => write!(f, "a span of time from \"{least}\" to \"{most}\""),
        }
    }
}

impl OptionKind {
    /// The value in its usual form (`"2000ms"` becomes `"2s"`), if it is of this kind and in range.
    fn take(&self, value: &OptionValue) -> Option<OptionValue> {
        match self {
            OptionKind::Flag => value.as_flag().map(OptionValue::Flag),
            OptionKind::Choice { of } => of.contains(value).then(|| value.clone()),
            OptionKind::Whole { least, most } => {
                value.as_whole().filter(|number| (least..=most).contains(&number)).map(OptionValue::Whole)
            }
            OptionKind::Real { least, most } => {
                value.as_real().filter(|number| (least..=most).contains(&number)).map(OptionValue::Real)
            }
            OptionKind::Span { least, most } => {
                value.as_span().filter(|span| (least..=most).contains(&span)).map(OptionValue::span)
            }
        }
    }
}

/// One option as a transport declares it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TransportOption {
    /// The key in a study's table.
    pub name: String,
    /// What values it takes, with their range.
    pub kind: OptionKind,
    /// The value if a study gives none.
    pub default: OptionValue,
    /// What it does, in a sentence, with its source.
    pub about: String,
    /// Labels that modes gain or lose with a value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub brings: Vec<OptionCapability>,
}

/// A capability that an option's value adds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OptionCapability {
    /// The option's value that adds the capability.
    pub value: OptionValue,
    /// The capability that it adds.
    pub capability: Capability,
    /// The setting that it applies to; absent for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setting: Option<String>,
}

/// Why an option can't be taken as given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct OptionError {
    /// The option's name in the study.
    pub name: String,
    /// What is wrong and how to fix it.
    pub problem: String,
}

/// The option with a name.
///
/// # Errors
/// When there is none, with the nearest as a hint.
pub fn find<'a>(
    of: &str,
    declared: &'a [TransportOption],
    name: &str,
) -> Result<&'a TransportOption, OptionError> {
    declared.iter().find(|option| option.name == name).ok_or_else(|| {
        let hint = match nearest(name, declared.iter().map(|option| option.name.as_str())) {
            Some(near) => format!("did you mean `{near}`?"),
            None if declared.is_empty() => "it has no options, leave it out".to_owned(),
            None => "`wiredyno list protocols` shows what there is".to_owned(),
        };
        OptionError { name: name.to_owned(), problem: format!("{of} has no option `{name}`; {hint}") }
    })
}

impl TransportOption {
    /// A value in its usual form.
    ///
    /// # Errors
    /// When it is not of the option's kind.
    pub fn take(&self, of: &str, value: &OptionValue) -> Result<OptionValue, OptionError> {
        let TransportOption { name, kind, .. } = self;
        let problem = || format!("{of}: `{name}` is {value}: write {kind}");
        kind.take(value).ok_or_else(|| OptionError { name: name.clone(), problem: problem() })
    }
}

/// All options of a transport: the given values in their usual form, and defaults for the rest.
///
/// # Errors
/// When a name is unknown, or a value is not of its option's kind.
pub fn resolve(
    of: &str,
    declared: &[TransportOption],
    given: &OptionTable,
) -> Result<OptionTable, OptionError> {
    let mut all: OptionTable =
        declared.iter().map(|option| (option.name.clone(), option.default.clone())).collect();
    for (name, value) in given {
        all.insert(name.clone(), find(of, declared, name)?.take(of, value)?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_they_look_like_and_values_are_written_plainly() {
        for (word, value, plain) in [
            ("true", OptionValue::Flag(true), "true"),
            ("64", OptionValue::Whole(64), "64"),
            ("1.50", OptionValue::Real(1.5), "1.5"),
            ("2000ms", OptionValue::Text("2s".into()), "2s"),
            ("put", OptionValue::Text("put".into()), "put"),
        ] {
            assert_eq!(OptionValue::of_word(word), value);
            assert_eq!(value.plain(), plain);
        }
        assert_eq!(OptionValue::Real(2.0).plain(), OptionValue::of_word("2").plain());
    }
}

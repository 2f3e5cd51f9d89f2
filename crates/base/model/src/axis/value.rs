//! The values of an axis that may be chosen by pattern: `codec = ["protobuf/*", "json/serde-json"]`, `payload = ["all"]`.
//!
//! A study as written holds ids and patterns. What a pattern matches is known once a runner has listed its codecs: then
//! [`Axis::resolve`] replaces patterns by ids, and only ids are recorded. Limit: `*` is the only wildcard.

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::{Deref, DerefMut};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use wiredyno_contract::IdError;

/// The word for everything that is available.
const ALL: &str = "all";

/// Stands for any number of characters, including none.
const ANY: char = '*';

/// Ids by a text in which `*` stands for any characters, or by the word `all`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pattern(String);

impl Pattern {
    /// The pattern that a text is; `None` for a text without wildcard, which may be an id.
    pub fn of(text: &str) -> Option<Pattern> {
        (text == ALL || text.contains(ANY)).then(|| Pattern(text.to_owned()))
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it stands for this id.
    pub fn matches(&self, id: &str) -> bool {
        if self.0 == ALL {
            return true;
        }
        let mut parts = self.0.split(ANY);
        let Some(mut rest) = parts.next().and_then(|start| id.strip_prefix(start)) else { return false };
        let mut parts: Vec<&str> = parts.collect();
        let Some(end) = parts.pop() else { return rest.is_empty() };
        for part in parts {
            let Some(found) = rest.find(part) else { return false };
            rest = &rest[found + part.len()..];
        }
        rest.ends_with(end)
    }

    /// For a payload that takes a size: the size that the pattern gives it, if it matches the name. The size follows the
    /// pattern's at sign; a pattern without one matches no such payload.
    pub fn sized(&self, name: &str) -> Option<u32> {
        let (names, size) = self.0.split_once('@')?;
        let stands = names == name || Pattern::of(names).is_some_and(|pattern| pattern.matches(name));
        size.parse().ok().filter(|_| stands)
    }
}

/// A pattern that matches nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` matches no {kind}: `wiredyno list {kind}s` shows what there is{hint}")]
pub struct NothingMatches {
    /// The pattern as written.
    pub pattern: String,
    /// What was to be matched: `codec` or `payload`.
    pub kind: &'static str,
    /// A suggestion, with a leading separator; empty for none.
    pub hint: String,
}

/// The values of an axis: ids, and patterns until they are resolved. Dereferences to the ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis<T> {
    ids: Vec<T>,
    patterns: Vec<Pattern>,
}

impl<T> Default for Axis<T> {
    fn default() -> Self {
        Axis { ids: Vec::new(), patterns: Vec::new() }
    }
}

impl<T> Axis<T> {
    /// Patterns that are not resolved yet, in the order written.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }
}

impl<T: PartialEq> Axis<T> {
    /// Puts what each pattern matches after the ids, in the order of `found`, each id once. Returns the patterns that
    /// matched nothing.
    pub fn resolve(&mut self, found: impl Fn(&Pattern) -> Vec<T>) -> Vec<Pattern> {
        let mut empty = Vec::new();
        for pattern in std::mem::take(&mut self.patterns) {
            let all = found(&pattern);
            if all.is_empty() {
                empty.push(pattern);
            }
            for id in all {
                if !self.ids.contains(&id) {
                    self.ids.push(id);
                }
            }
        }
        empty
    }
}

impl<T> From<Vec<T>> for Axis<T> {
    fn from(ids: Vec<T>) -> Self {
        Axis { ids, patterns: Vec::new() }
    }
}

impl<T> Deref for Axis<T> {
    type Target = Vec<T>;
    fn deref(&self) -> &Vec<T> {
        &self.ids
    }
}

impl<T> DerefMut for Axis<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.ids
    }
}

impl<'a, T> IntoIterator for &'a Axis<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.ids.iter()
    }
}

/// One word of the list. Its own type, so that a refusal names the word's line.
struct Word<T>(Result<T, Pattern>);

impl<'de, T: FromStr<Err = IdError>> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let Some(pattern) = Pattern::of(&text) else {
            return text.parse().map(|id| Word(Ok(id))).map_err(D::Error::custom);
        };
        let known = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "*-./:@".contains(c);
        if !text.chars().all(known) {
            return Err(D::Error::custom(format!(
                "`{text}` matches nothing: write a pattern of small letters, digits and `-./:@`, with `*` for any of them, for \
                 example `protobuf/*`"
            )));
        }
        Ok(Word(Err(pattern)))
    }
}

impl<'de, T: FromStr<Err = IdError>> Deserialize<'de> for Axis<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut axis = Axis { ids: Vec::new(), patterns: Vec::new() };
        for Word(word) in Vec::<Word<T>>::deserialize(deserializer)? {
            match word {
                Ok(id) => axis.ids.push(id),
                Err(pattern) => axis.patterns.push(pattern),
            }
        }
        Ok(axis)
    }
}

impl<T: Display> Serialize for Axis<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ids = self.ids.iter().map(ToString::to_string);
        serializer.collect_seq(ids.chain(self.patterns.iter().map(|pattern| pattern.0.clone())))
    }
}

impl<T: JsonSchema> JsonSchema for Axis<T> {
    fn schema_name() -> Cow<'static, str> {
        Vec::<T>::schema_name()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Vec::<T>::json_schema(generator)
    }
    fn inline_schema() -> bool {
        Vec::<T>::inline_schema()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wiredyno_contract::CodecId;

    fn stands_for(pattern: &str, id: &str) -> bool {
        Pattern::of(pattern).is_some_and(|pattern| pattern.matches(id))
    }

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, id) in [
            ("all", "json/serde-json"),
            ("*", "json/serde-json"),
            ("json/*", "json/serde-json"),
            ("*/wiredyno", "lcm/wiredyno"),
            ("exi/*:strict", "exi/wiredyno:strict"),
            ("*a*a*", "aa"),
            ("json/serde-json*", "json/serde-json"),
        ] {
            assert!(stands_for(pattern, id), "{pattern} {id}");
        }
        for (pattern, id) in [
            ("json/*", "bson/bson"),
            ("*/wiredyno", "exi/wiredyno:strict"),
            ("a*a", "a"),
            ("*ab*ab*", "ab"),
            ("json/serde-json", "json/serde-json"),
        ] {
            assert!(!stands_for(pattern, id), "{pattern} {id}");
        }
    }

    #[test]
    fn a_size_stands_behind_the_at_sign() {
        let sized = |pattern: &str, name: &str| Pattern::of(pattern).and_then(|pattern| pattern.sized(name));
        assert_eq!(sized("*@1024", "opaque"), Some(1024));
        assert_eq!(sized("all", "opaque"), None);
        assert_eq!(sized("opaque*@16", "opaque-text"), Some(16));
        assert_eq!(sized("kafka*@16", "opaque"), None);
        assert_eq!(sized("*@x", "opaque"), None);
    }

    #[test]
    fn patterns_become_ids_once_each_behind_those_that_are_named() {
        let mut axis: Axis<CodecId> = serde_json::from_str(r#"["cbor/ciborium", "json/*", "x*"]"#).unwrap();
        assert_eq!(serde_json::to_string(&axis).unwrap(), r#"["cbor/ciborium","json/*","x*"]"#);
        let known = ["json/serde-json", "cbor/ciborium", "json/sonic-rs"];
        let empty = axis.resolve(|pattern| {
            known.iter().filter(|id| pattern.matches(id)).map(|id| id.parse().unwrap()).collect()
        });
        assert_eq!(empty, [Pattern("x*".into())]);
        let text = serde_json::to_string(&axis).unwrap();
        assert_eq!(text, r#"["cbor/ciborium","json/serde-json","json/sonic-rs"]"#);
    }

    #[test]
    fn what_is_neither_id_nor_pattern_is_refused() {
        for text in [r#"["JSON/*"]"#, r#"["json"]"#, r#"[""]"#, r#"["json/* "]"#] {
            assert!(serde_json::from_str::<Axis<CodecId>>(text).is_err(), "{text}");
        }
    }
}

//! A record as typed columns: its leaves, as described by its JSON Schema, and the conversion of its values in both directions.
//!
//! Nested objects are flattened, with their names joined by `_`; the cell's come first and without a prefix. A list, or a table
//! with its own keys, is a column of JSON. Absent values are NULL. A field added to a record becomes a column without further
//! changes.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde_json::{Map, Value};

use crate::table::Column;

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A boolean: true or false.
    Flag,
    /// A signed whole number of 64 bits.
    Integer,
    /// An unsigned whole number of 64 bits.
    Unsigned,
    /// A floating-point number of 64 bits.
    Real,
    /// A text, such as an id.
    Text,
    /// Any other value, as JSON.
    Json,
}

/// A leaf of a record, which becomes a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// Its keys, from the record inwards.
    path: Vec<String>,
    /// A prefix of its name; empty for none.
    prefix: &'static str,
    /// The type of its values.
    pub kind: Kind,
    /// Its meaning, from the record's documentation, with the unit if the name does not include it.
    pub about: String,
}

impl Leaf {
    /// The column's name: prefix and keys.
    pub fn name(&self) -> String {
        let path = match &self.path[..] {
            [cell, below @ ..] if cell == "cell" && !below.is_empty() => below,
            path => path,
        };
        format!("{}{}", self.prefix, path.join("_"))
    }

    /// The leaf with a prefix before its name.
    pub fn called(self, prefix: &'static str) -> Leaf {
        Leaf { prefix, ..self }
    }

    /// Its value in a record; `Null` if it has none.
    pub fn value<'a>(&self, record: &'a Value) -> &'a Value {
        self.path.iter().try_fold(record, |value, name| value.get(name)).unwrap_or(&Value::Null)
    }

    /// Puts a value into a record; absent values are left out.
    pub fn put(&self, record: &mut Map<String, Value>, value: Value) {
        let Some((last, above)) = self.path.split_last() else { return };
        if value.is_null() {
            return;
        }
        let mut place = record;
        for name in above {
            let inner = place.entry(name.clone()).or_insert_with(|| Value::Object(Map::new()));
            let Value::Object(inner) = inner else { return };
            place = inner;
        }
        place.insert(last.clone(), value);
    }

    /// The column of these values.
    pub fn column<'a>(&self, values: impl Iterator<Item = &'a Value>) -> Column {
        let text = |value: &Value| match value {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        };
        match self.kind {
            Kind::Flag => Column::MaybeFlag(values.map(Value::as_bool).collect()),
            Kind::Integer => Column::MaybeInteger(values.map(Value::as_i64).collect()),
            Kind::Unsigned => Column::MaybeUnsigned(values.map(Value::as_u64).collect()),
            Kind::Real => Column::MaybeReal(values.map(Value::as_f64).collect()),
            Kind::Text => Column::MaybeText(values.map(text).collect()),
            Kind::Json => {
                let json = |value: &Value| (!value.is_null()).then(|| value.to_string());
                Column::MaybeText(values.map(json).collect())
            }
        }
    }

    /// The value that a text in its column represents.
    pub fn of_text(&self, text: String) -> serde_json::Result<Value> {
        if self.kind == Kind::Json { serde_json::from_str(&text) } else { Ok(Value::String(text)) }
    }
}

/// The leaves of a record, those of its cell first, else in the record's order; without those of these names.
pub fn leaves<T: JsonSchema>(without: &[&str]) -> Vec<Leaf> {
    let schema = schemars::schema_for!(T).to_value();
    let mut found = Vec::new();
    walk(&schema, &schema, &mut Vec::new(), "", &mut found);
    let (mut leaves, others): (Vec<Leaf>, Vec<Leaf>) =
        found.into_iter().partition(|leaf: &Leaf| leaf.path.len() > 1 && leaf.path[0] == "cell");
    leaves.extend(others);
    let mut names = BTreeSet::new();
    leaves.retain(|leaf| !without.contains(&leaf.name().as_str()) && names.insert(leaf.name()));
    leaves
}

fn walk(root: &Value, schema: &Value, path: &mut Vec<String>, about: &str, leaves: &mut Vec<Leaf>) {
    let schema = resolved(root, schema);
    let properties = schema.get("properties").and_then(Value::as_object);
    if let Some(properties) = properties {
        for (name, inner) in properties {
            let said = inner.get("description").and_then(Value::as_str).unwrap_or_default();
            path.push(name.clone());
            walk(root, inner, path, said, leaves);
            path.pop();
        }
        return;
    }
    leaves.push(Leaf { path: path.clone(), prefix: "", kind: kind(schema), about: about.to_owned() });
}

/// Follows a reference, and the choice between a value and null.
fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str)
        && let Some(definition) = name.strip_prefix('#').and_then(|pointer| root.pointer(pointer))
    {
        return resolved(root, definition);
    }
    for choice in ["anyOf", "allOf"] {
        let some = schema.get(choice).and_then(Value::as_array).map(|all| {
            all.iter()
                .filter(|one| one.get("type").and_then(Value::as_str) != Some("null"))
                .collect::<Vec<_>>()
        });
        if let Some([one]) = some.as_deref() {
            return resolved(root, one);
        }
    }
    schema
}

fn kind(schema: &Value) -> Kind {
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(all)) => {
            all.iter().filter_map(Value::as_str).filter(|one| *one != "null").collect()
        }
        _ => Vec::new(),
    };
    let unsigned =
        schema.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with("uint"));
    match types[..] {
        ["boolean"] => Kind::Flag,
        ["integer"] if unsigned => Kind::Unsigned,
        ["integer"] => Kind::Integer,
        ["number"] => Kind::Real,
        ["string"] => Kind::Text,
        // An enumeration of words is a choice of constants without a type.
        [] if is_of_words(schema) => Kind::Text,
        _ => Kind::Json,
    }
}

fn is_of_words(schema: &Value) -> bool {
    let choices = schema.get("oneOf").and_then(Value::as_array);
    let is_word = |one: &Value| {
        one.get("const").is_some_and(Value::is_string) || one.get("type") == Some(&"string".into())
    };
    choices.is_some_and(|all| all.iter().all(is_word)) || schema.get("enum").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::{Deserialize, Serialize};

    #[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    enum Word {
        One,
        TwoWords,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
    struct Inner {
        /// How many.
        count: u64,
        #[serde(default)]
        least_ns: Option<i64>,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
    struct Cell {
        mode: String,
        loss: Option<f64>,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
    struct Record {
        trial: u32,
        seed: u64,
        cell: Cell,
        good: bool,
        word: Word,
        up: Inner,
        down: Option<Inner>,
        list: Vec<u32>,
    }

    fn record() -> Record {
        Record {
            trial: 3,
            seed: u64::MAX,
            cell: Cell { mode: "tcp".into(), loss: None },
            good: true,
            word: Word::TwoWords,
            up: Inner { count: 5, least_ns: Some(-7) },
            down: None,
            list: vec![1, 2],
        }
    }

    #[test]
    fn a_record_has_a_column_for_each_leaf_with_its_kind() {
        let leaves = leaves::<Record>(&[]);
        let told: Vec<(String, Kind)> = leaves.iter().map(|leaf| (leaf.name(), leaf.kind)).collect();
        let expected = [
            ("mode", Kind::Text),
            ("loss", Kind::Real),
            ("trial", Kind::Unsigned),
            ("seed", Kind::Unsigned),
            ("good", Kind::Flag),
            ("word", Kind::Text),
            ("up_count", Kind::Unsigned),
            ("up_least_ns", Kind::Integer),
            ("down_count", Kind::Unsigned),
            ("down_least_ns", Kind::Integer),
            ("list", Kind::Json),
        ];
        assert_eq!(told, expected.map(|(name, kind)| (name.to_owned(), kind)));
        assert_eq!(leaves[6].about, "How many.");
    }

    #[test]
    fn a_record_comes_back_from_its_leaves() {
        let value = serde_json::to_value(record()).unwrap();
        let mut again = Map::new();
        for leaf in leaves::<Record>(&[]) {
            leaf.put(&mut again, leaf.value(&value).clone());
        }
        assert_eq!(serde_json::from_value::<Record>(Value::Object(again)).unwrap(), record());
    }
}

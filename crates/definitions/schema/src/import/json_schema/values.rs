//! Schemas that list values: `const`, `enum`.

use super::super::ImportError;
use super::super::draft::{DraftEnum, DraftType, Part, narrowest, whole_number};
use super::super::identifier::{Scope, type_name};
use super::super::json::{Json, Kind};
use super::{Reader, Value, double};

impl<'a> Reader<'a> {
    /// The values listed in `const` or `enum`, each without a title.
    pub(super) fn values(&self, schema: &'a Json) -> Result<Option<Vec<Value<'a>>>, ImportError> {
        let listed = match (schema.get("const"), schema.get("enum")) {
            (None, None) => return Ok(None),
            (Some(only), Some(Json { value: Kind::List(list), .. }))
                if list.iter().all(|value| value.value != only.value) =>
            {
                let what = format!("`const` {} is none of `enum`", only.shortened());
                return Err(self.refuse(only, what, "write one of them"));
            }
            (Some(only), _) => std::slice::from_ref(only),
            (None, Some(Json { value: Kind::List(list), .. })) if !list.is_empty() => list,
            (None, Some(other)) => {
                return Err(self.refuse(
                    other,
                    "`enum` is not a list of values".to_owned(),
                    "list the values",
                ));
            }
        };
        Ok(Some(listed.iter().map(|value| (value, None)).collect()))
    }

    /// The type for the values of `const` and `enum`.
    pub(super) fn valued(
        &mut self,
        schema: &'a Json,
        values: &[Value<'a>],
        name: &str,
        path: &str,
    ) -> Result<Part, ImportError> {
        let kind_of = |json: &Json| match &json.value {
            Kind::Null => Ok("null"),
            Kind::Bool(_) => Ok("flag"),
            Kind::Text(_) => Ok("text"),
            Kind::Number(digits) if whole_number(digits).is_some() => Ok("integer"),
            Kind::Number(_) => Ok("number"),
            Kind::List(_) | Kind::Object(_) => {
                let what = format!("{} in `enum` or `const` is not a single value", json.shortened());
                Err(self.refuse(json, what, "write `properties` or `items`, and texts or numbers in them"))
            }
        };
        let mut kinds: Vec<(&str, Vec<Value<'a>>)> = Vec::new();
        for value in values {
            let kind = kind_of(value.0)?;
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, list)) => list.push(*value),
                None => kinds.push((kind, vec![*value])),
            }
        }
        let nullable = kinds.iter().any(|(kind, _)| *kind == "null");
        kinds.retain(|(kind, _)| *kind != "null");
        // An integer is also a number.
        if let (Some(at), Some(of)) = (
            kinds.iter().position(|(kind, _)| *kind == "integer"),
            kinds.iter().position(|(kind, _)| *kind == "number"),
        ) {
            let integers = std::mem::take(&mut kinds[at].1);
            kinds[of].1.extend(integers);
            kinds.remove(at);
        }
        let part = match kinds.as_slice() {
            [] => self.typed(schema, "null", name, path)?,
            [(kind, list)] => self.of_values(kind, list, name, path)?,
            several => {
                let mut alternatives = Vec::new();
                for (kind, list) in several {
                    let part = self.of_values(kind, list, &format!("{name}_{kind}"), path)?;
                    alternatives.push(((*kind).to_owned(), part));
                }
                self.draft.choice(alternatives, &mut self.types, &format!("{name}_Choice"))
            }
        };
        Ok(self.nullable(part, nullable, path))
    }

    /// The type for values of one kind.
    pub(super) fn of_values(
        &mut self,
        kind: &str,
        values: &[Value<'a>],
        name: &str,
        path: &str,
    ) -> Result<Part, ImportError> {
        let said = values.iter().map(|(value, title)| match title {
            Some(title) => format!("{value} ({title})"),
            None => value.to_string(),
        });
        let said = format!("One of {}.", said.collect::<Vec<_>>().join(", "));
        match kind {
            "text" => Ok(self.enumeration(values, name)),
            "integer" => {
                let number = |value: &Json| match &value.value {
                    Kind::Number(digits) => whole_number(digits),
                    _ => None,
                };
                let numbers: Vec<i128> = values.iter().filter_map(|(value, _)| number(value)).collect();
                let least = numbers.iter().min().copied().unwrap_or_default();
                let most = numbers.iter().max().copied().unwrap_or_default();
                let ty = narrowest(least, most).ok_or_else(|| {
                    let what = format!("{least} to {most} is not a range of 64-bit integers");
                    self.refuse(values[0].0, what, "narrow the values")
                })?;
                let mut part = Part::one(ty).saying(said);
                part.allowed.values = numbers;
                if let (Ok(least), Ok(most)) = (i64::try_from(least), i64::try_from(most)) {
                    part.options.push(format!("(wiredyno.range) = {{ min: {least}, max: {most} }}"));
                }
                Ok(part)
            }
            "number" => {
                let mut part = Part::one(DraftType::Double);
                part.invented.values = values.iter().filter_map(|(value, _)| double(value)).collect();
                self.remark(&mut part, path, said);
                Ok(part)
            }
            _ => Ok(match values {
                [(only, _)] => {
                    let mut part = Part::one(DraftType::Bool).saying(said);
                    part.invented.values = vec![f64::from(u8::from(only.value == Kind::Bool(true)))];
                    part
                }
                _ => Part::one(DraftType::Bool),
            }),
        }
    }

    pub(super) fn enumeration(&mut self, values: &[Value<'a>], name: &str) -> Part {
        let name = self.types.take_enum(&type_name(name, "Enum"));
        let mut scope = Scope::default();
        let mut symbols: Vec<(String, i32, String)> = Vec::new();
        for text in values.iter().filter_map(|(value, _)| value.as_text()) {
            if symbols.iter().all(|(_, _, known)| known != text) {
                symbols.push((scope.take_value(text, &name), symbols.len() as i32, text.to_owned()));
            }
        }
        self.draft.enums.push(DraftEnum { name, values: symbols, ..DraftEnum::default() });
        Part::one(DraftType::Enum(self.draft.enums.len() - 1))
    }
}

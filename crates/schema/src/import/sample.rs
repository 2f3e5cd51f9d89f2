//! Ordinary JSON documents as samples: what a draft makes of each, in the proto3 JSON mapping.

use std::fmt::Write as _;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::prelude::BASE64_STANDARD;

use super::ImportError;
use super::draft::{BytesText, Draft, DraftField, DraftShape, DraftType, StandsFor, fits, integer};
use super::json::{Json, Kind};

impl Draft {
    /// Turns a document into a sample: one line in the proto3 JSON mapping.
    ///
    /// # Errors
    /// When the document has a key that no field has, lacks one that must be there, or has a value of another type.
    pub fn sample(&self, document: &Json, file: &str) -> Result<String, ImportError> {
        let mut line = String::new();
        self.write(DraftType::Message(0), document, file, "", &mut line)?;
        Ok(line)
    }

    fn write(
        &self,
        ty: DraftType,
        value: &Json,
        file: &str,
        path: &str,
        out: &mut String,
    ) -> Result<(), ImportError> {
        let wrong = |wanted: &str| {
            Err(refused(file, value.line, format!("{} is {}, not {wanted}", named(path), value.shortened())))
        };
        match (ty, &value.value) {
            (DraftType::Message(index), _) => return self.write_message(index, value, file, path, out),
            (DraftType::Bool, Kind::Bool(value)) => {
                let _ = write!(out, "{value}");
            }
            (ty, Kind::Number(digits)) if ty.is_integer() => match integer(digits) {
                // The proto3 JSON mapping writes 64 bits as text.
                Some(number) if fits(ty, number) && ty.is_wide() => {
                    let _ = write!(out, "\"{number}\"");
                }
                Some(number) if fits(ty, number) => {
                    let _ = write!(out, "{number}");
                }
                _ => {
                    return wrong(if ty.is_wide() {
                        "an integer of 64 bits"
                    } else {
                        "an integer of 32 bits"
                    });
                }
            },
            (DraftType::Float | DraftType::Double, Kind::Number(digits)) => match digits.parse::<f64>() {
                Ok(number) if number.is_finite() => out.push_str(digits),
                _ => return wrong("a number that a double holds"),
            },
            (DraftType::String, Kind::Text(text)) => quote(text, out),
            (DraftType::Bytes, Kind::Text(text)) => match (self.bytes, characters(text)) {
                (BytesText::Base64, _) if from_base64(text).is_some() => quote(text, out),
                (BytesText::Base64, _) => return wrong("base64"),
                (BytesText::Characters, Some(bytes)) => quote(&BASE64_STANDARD.encode(bytes), out),
                (BytesText::Characters, None) => {
                    return wrong("bytes as Avro's JSON writes them, a character of U+0000 to U+00FF each");
                }
            },
            (DraftType::Enum(index), Kind::Text(text)) => {
                match self.enums[index].values.iter().find(|(_, _, known)| known == text) {
                    Some((name, ..)) => quote(name, out),
                    None => return wrong("a value of the enum"),
                }
            }
            (DraftType::Bool, _) => return wrong("true or false"),
            (DraftType::String | DraftType::Bytes | DraftType::Enum(_), _) => return wrong("a text"),
            _ => return wrong("a number"),
        }
        Ok(())
    }

    fn write_message(
        &self,
        index: usize,
        value: &Json,
        file: &str,
        path: &str,
        out: &mut String,
    ) -> Result<(), ImportError> {
        let message = &self.messages[index];
        match message.stands_for {
            StandsFor::Object => {}
            StandsFor::Value => {
                out.push('{');
                self.write_member(&message.fields[0], value, file, path, &mut true, out)?;
                out.push('}');
                return Ok(());
            }
            StandsFor::Choice => {
                let said = message.fields.iter().find(|field| of_branch(field, value).is_some());
                if let Some(field) = said {
                    out.push('{');
                    self.write_member(field, value, file, path, &mut true, out)?;
                    out.push('}');
                    return Ok(());
                }
                // Tried in order, so that an integer is tried before a double.
                for field in &message.fields {
                    let mut text = String::from("{");
                    if self.accepts(field, value)
                        && self.write_member(field, value, file, path, &mut true, &mut text).is_ok()
                    {
                        out.push_str(&text);
                        out.push('}');
                        return Ok(());
                    }
                }
                let what = format!(
                    "{} is {}, which is not an alternative of `{}`",
                    named(path),
                    value.shortened(),
                    message.name
                );
                return Err(refused(file, value.line, what));
            }
        }
        let Kind::Object(pairs) = &value.value else {
            return Err(refused(
                file,
                value.line,
                format!("{} is {}, not an object", named(path), value.shortened()),
            ));
        };
        out.push('{');
        let mut first = true;
        for field in &message.fields {
            let found = pairs.iter().find(|(key, _)| *key == field.key);
            match (found, field.shape) {
                (Some((_, value)), _) => {
                    let path = format!("{path}.{}", field.key);
                    self.write_member(field, value, file, &path, &mut first, out)?;
                }
                (None, DraftShape::One) if field.oneof.is_none() => {
                    let what = format!("{} has no `{}`", named(path), field.key);
                    return Err(refused(file, value.line, what));
                }
                (None, _) => {}
            }
        }
        if let Some((key, extra)) = pairs.iter().find(|(key, _)| message.fields.iter().all(|f| f.key != *key))
        {
            let what = format!("{} has the key `{key}`, which is not in the definition", named(path));
            return Err(refused(file, extra.line, what));
        }
        out.push('}');
        Ok(())
    }

    /// Whether a value looks like an alternative of a choice.
    fn accepts(&self, field: &DraftField, value: &Json) -> bool {
        match (field.shape, field.ty, &value.value) {
            (DraftShape::List, _, Kind::List(_)) => true,
            (DraftShape::List, ..) => false,
            (_, DraftType::Message(index), _) if self.messages[index].stands_for != StandsFor::Object => true,
            (_, DraftType::Message(_), Kind::Object(_)) => true,
            (_, DraftType::Bool, Kind::Bool(_)) => true,
            (_, DraftType::String | DraftType::Bytes | DraftType::Enum(_), Kind::Text(_)) => true,
            (_, DraftType::Float | DraftType::Double, Kind::Number(_)) => true,
            (
                _,
                DraftType::Int32 | DraftType::Int64 | DraftType::Uint32 | DraftType::Uint64,
                Kind::Number(digits),
            ) => integer(digits).is_some_and(|number| fits(field.ty, number)),
            _ => false,
        }
    }

    /// Whether what stands in an object under the name of a field's type is a value of the field, rather than the object itself one.
    fn may_be(&self, field: &DraftField, inner: &Json) -> bool {
        match (field.shape, field.ty) {
            (DraftShape::Map(_), _) => matches!(inner.value, Kind::Object(_)),
            (DraftShape::List, _) => matches!(inner.value, Kind::List(_)),
            (_, DraftType::Message(index)) => {
                let is_object = self.messages[index].stands_for == StandsFor::Object;
                !is_object || matches!(inner.value, Kind::Object(_))
            }
            _ => true,
        }
    }

    /// Refuses bytes of another length than a field has.
    fn check_length(
        &self,
        field: &DraftField,
        value: &Json,
        file: &str,
        path: &str,
    ) -> Result<(), ImportError> {
        const FIXED: &str = "(wiredyno.fixed_length) = ";
        let (DraftType::Bytes, Kind::Text(text)) = (field.ty, &value.value) else { return Ok(()) };
        let fixed = field.options.iter().find_map(|option| option.strip_prefix(FIXED)?.parse::<usize>().ok());
        let bytes = match self.bytes {
            BytesText::Base64 => from_base64(text),
            BytesText::Characters => characters(text),
        };
        match (fixed, bytes) {
            (Some(fixed), Some(bytes)) if bytes.len() != fixed => {
                let what = format!("{} has {} bytes, not {fixed}", named(path), bytes.len());
                Err(refused(file, value.line, what))
            }
            _ => Ok(()),
        }
    }

    fn write_member(
        &self,
        field: &DraftField,
        value: &Json,
        file: &str,
        path: &str,
        first: &mut bool,
        out: &mut String,
    ) -> Result<(), ImportError> {
        if matches!(value.value, Kind::Null) && !matches!(field.shape, DraftShape::One) {
            return Ok(());
        }
        let value = of_branch(field, value).filter(|inner| self.may_be(field, inner)).unwrap_or(value);
        self.check_length(field, value, file, path)?;
        if !std::mem::take(first) {
            out.push(',');
        }
        quote(&field.name, out);
        out.push(':');
        match (field.shape, &value.value) {
            (DraftShape::One | DraftShape::Optional, _) => self.write(field.ty, value, file, path, out)?,
            (DraftShape::List, Kind::List(list)) => {
                out.push('[');
                for (at, value) in list.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    self.write(field.ty, value, file, &format!("{path}[{at}]"), out)?;
                }
                out.push(']');
            }
            (DraftShape::Map(_), Kind::Object(pairs)) => {
                out.push('{');
                for (at, (key, value)) in pairs.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    quote(key, out);
                    out.push(':');
                    self.write(field.ty, value, file, &format!("{path}[{key:?}]"), out)?;
                }
                out.push('}');
            }
            (shape, _) => {
                let wanted = if shape == DraftShape::List { "a list" } else { "an object" };
                let what = format!("{} is {}, not {wanted}", named(path), value.shortened());
                return Err(refused(file, value.line, what));
            }
        }
        Ok(())
    }
}

/// The value in `{"string": value}`, where that is how a field's type is called in a union.
fn of_branch<'a>(field: &DraftField, value: &'a Json) -> Option<&'a Json> {
    match (&field.branch, &value.value) {
        (Some(branch), Kind::Object(pairs)) => match &pairs[..] {
            [(key, inner)] if key == branch => Some(inner),
            _ => None,
        },
        _ => None,
    }
}

/// The bytes of a text that has a character for each; `None` where one is beyond a byte.
fn characters(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

/// As the proto3 JSON mapping reads it: either alphabet, with padding or without.
fn from_base64(text: &str) -> Option<Vec<u8>> {
    const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let standard = text.replace('-', "+").replace('_', "/");
    GeneralPurpose::new(&STANDARD, LENIENT).decode(standard).ok()
}

fn refused(file: &str, line: usize, what: String) -> ImportError {
    let remedy = "fix the sample or the definition".to_owned();
    ImportError::Refused { file: file.to_owned(), line, what, remedy }
}

fn named(path: &str) -> String {
    match path.trim_start_matches('.') {
        "" => "the document".to_owned(),
        path => format!("`{path}`"),
    }
}

fn quote(text: &str, out: &mut String) {
    let _ = write!(out, "{}", serde_json::Value::from(text));
}

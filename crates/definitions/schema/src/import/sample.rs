//! Converts ordinary JSON documents to samples, according to a draft, in the proto3 JSON mapping.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write as _;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::prelude::BASE64_STANDARD;

use super::ImportError;
use super::draft::{
    BytesText, Draft, DraftField, DraftShape, DraftType, StandsFor, fits, integer, whole_number,
};
use super::json::{Json, Kind};

impl Draft {
    /// Converts a document to a sample: one line in the proto3 JSON mapping.
    ///
    /// # Errors
    /// When the document has a key that is not in the definition, lacks a required one, or has a value of the wrong type.
    pub fn sample(&self, document: &Json, file: &str) -> Result<String, ImportError> {
        let mut line = String::new();
        let writer = Writer { draft: self, file, chosen: RefCell::default() };
        writer.write(DraftType::Message(0), document, "", &mut line)?;
        Ok(line)
    }
}

/// A value converted as an alternative of a choice: its text, or why it is none.
type Chosen = Result<String, String>;

struct Writer<'a> {
    draft: &'a Draft,
    file: &'a str,
    /// By value and choice: otherwise nested choices would be converted again for every path to them.
    chosen: RefCell<HashMap<(*const Json, usize), Chosen>>,
}

impl Writer<'_> {
    fn refused(&self, line: usize, what: String) -> ImportError {
        let remedy = "fix the sample or the definition".to_owned();
        ImportError::Refused { file: self.file.to_owned(), line, what, remedy }
    }

    fn write(&self, ty: DraftType, value: &Json, path: &str, out: &mut String) -> Result<(), ImportError> {
        let wrong = |wanted: &str| {
            Err(self.refused(value.line, format!("{} is {}, not {wanted}", named(path), value.shortened())))
        };
        match (ty, &value.value) {
            (DraftType::Message(index), _) => return self.write_message(index, value, path, out),
            (DraftType::Bool, Kind::Bool(value)) => {
                let _ = write!(out, "{value}");
            }
            (ty, Kind::Number(digits)) if ty.is_integer() => match held(digits) {
                // The proto3 JSON mapping writes 64-bit integers as strings.
                Some(number) if fits(ty, number) && ty.is_wide() => {
                    let _ = write!(out, "\"{number}\"");
                }
                Some(number) if fits(ty, number) => {
                    let _ = write!(out, "{number}");
                }
                Some(number) if ty.is_wide() && u64::try_from(number).is_ok() => {
                    return wrong(
                        "a signed integer of 64 bits (in a JSON Schema, `maximum` 18446744073709551615 makes it an unsigned one)",
                    );
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
                Ok(number) if number.is_finite() && is_kept(digits, number, ty) => out.push_str(digits),
                _ if ty == DraftType::Float => return wrong("a number that a float holds"),
                _ => return wrong("a number that a double holds"),
            },
            (DraftType::String, Kind::Text(text)) => quote(text, out),
            (DraftType::Bytes, Kind::Text(text)) => match (self.draft.bytes, characters(text)) {
                (BytesText::Base64, _) if from_base64(text).is_some() => quote(text, out),
                (BytesText::Base64, _) => return wrong("base64"),
                (BytesText::Characters, Some(bytes)) => quote(&BASE64_STANDARD.encode(bytes), out),
                (BytesText::Characters, None) => {
                    return wrong("bytes as Avro's JSON writes them, a character of U+0000 to U+00FF each");
                }
            },
            (DraftType::Enum(index), Kind::Text(text)) => {
                match self.draft.enums[index].values.iter().find(|(_, _, known)| known == text) {
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
        path: &str,
        out: &mut String,
    ) -> Result<(), ImportError> {
        let message = &self.draft.messages[index];
        match message.stands_for {
            StandsFor::Object => {}
            StandsFor::Value => {
                out.push('{');
                self.write_member(&message.fields[0], value, path, &mut true, out)?;
                out.push('}');
                return Ok(());
            }
            StandsFor::Choice => {
                let said = message.fields.iter().find(|field| of_branch(field, value).is_some());
                let Some(field) = said else { return self.write_choice(index, value, path, out) };
                out.push('{');
                self.write_member(field, value, path, &mut true, out)?;
                out.push('}');
                return Ok(());
            }
        }
        let Kind::Object(pairs) = &value.value else {
            return Err(
                self.refused(value.line, format!("{} is {}, not an object", named(path), value.shortened()))
            );
        };
        out.push('{');
        let mut first = true;
        for field in &message.fields {
            let found = pairs.iter().find(|(key, _)| *key == field.key);
            match (found, field.shape) {
                (Some((_, value)), _) => {
                    let path = format!("{path}.{}", field.key);
                    self.write_member(field, value, &path, &mut first, out)?;
                }
                (None, DraftShape::One | DraftShape::Required) if field.oneof.is_none() => {
                    let what = format!("{} has no `{}`", named(path), field.key);
                    return Err(self.refused(value.line, what));
                }
                (None, _) => {}
            }
        }
        let known: HashMap<&str, ()> = message.fields.iter().map(|field| (field.key.as_str(), ())).collect();
        if let Some((key, extra)) = pairs.iter().find(|(key, _)| !known.contains_key(key.as_str())) {
            let what = format!("{} has the key `{key}`, which is not in the definition", named(path));
            return Err(self.refused(extra.line, what));
        }
        out.push('}');
        Ok(())
    }

    /// A value of one of several kinds, as the alternative whose constraints it satisfies. Of several for numbers or strings, the first is
    /// used, so that an integer is tried before a double; an object that satisfies two alternatives is ambiguous.
    fn write_choice(
        &self,
        index: usize,
        value: &Json,
        path: &str,
        out: &mut String,
    ) -> Result<(), ImportError> {
        let key = (std::ptr::from_ref(value), index);
        let known = self.chosen.borrow().get(&key).cloned();
        let chosen = known.unwrap_or_else(|| {
            let chosen = self.choose(index, value, path);
            self.chosen.borrow_mut().insert(key, chosen.clone());
            chosen
        });
        match chosen {
            Ok(text) => out.push_str(&text),
            Err(what) => {
                let what = format!("{} is {}, {what}", named(path), value.shortened());
                return Err(self.refused(value.line, what));
            }
        }
        Ok(())
    }

    fn choose(&self, index: usize, value: &Json, path: &str) -> Chosen {
        let message = &self.draft.messages[index];
        let mut found: Vec<(&DraftField, String)> = Vec::new();
        for field in &message.fields {
            let mut text = String::from("{");
            if self.accepts(field, value)
                && self.write_member(field, value, path, &mut true, &mut text).is_ok()
            {
                text.push('}');
                found.push((field, text));
            }
        }
        let is_object = |field: &DraftField| matches!(field.ty, DraftType::Message(to) if self.draft.messages[to].stands_for == StandsFor::Object);
        // A string that is an enum's symbol becomes that symbol.
        let is_symbol = |field: &DraftField| matches!(field.ty, DraftType::Enum(_));
        match found.as_slice() {
            [] => Err(format!("which is not an alternative of `{}`", message.name)),
            [(one, _), (other, _), ..] if is_object(one) && is_object(other) => Err(format!(
                "which both `{}` and `{}` of `{}` allow, so that they can't be told apart",
                one.key, other.key, message.name
            )),
            several => {
                let symbol = several.iter().find(|(field, _)| is_symbol(field));
                Ok(symbol.unwrap_or(&several[0]).1.clone())
            }
        }
    }

    /// Whether a value has the kind of an alternative.
    fn accepts(&self, field: &DraftField, value: &Json) -> bool {
        match (field.shape, field.ty, &value.value) {
            (DraftShape::List, _, Kind::List(_)) => true,
            (DraftShape::List, ..) => false,
            (_, DraftType::Message(index), _)
                if self.draft.messages[index].stands_for != StandsFor::Object =>
            {
                true
            }
            (_, DraftType::Message(_), Kind::Object(_)) => true,
            (_, DraftType::Bool, Kind::Bool(_)) => true,
            (_, DraftType::String | DraftType::Bytes | DraftType::Enum(_), Kind::Text(_)) => true,
            (_, DraftType::Float | DraftType::Double, Kind::Number(_)) => true,
            (
                _,
                DraftType::Int32 | DraftType::Int64 | DraftType::Uint32 | DraftType::Uint64,
                Kind::Number(digits),
            ) => held(digits).is_some_and(|number| fits(field.ty, number)),
            _ => false,
        }
    }

    /// In an object keyed by the name of a field's type: whether the inner value is the field's value, rather than the object itself.
    fn may_be(&self, field: &DraftField, inner: &Json) -> bool {
        match (field.shape, field.ty) {
            (DraftShape::Map(_), _) => matches!(inner.value, Kind::Object(_)),
            (DraftShape::List, _) => matches!(inner.value, Kind::List(_)),
            (_, DraftType::Message(index)) => {
                let is_object = self.draft.messages[index].stands_for == StandsFor::Object;
                !is_object || matches!(inner.value, Kind::Object(_))
            }
            _ => true,
        }
    }

    /// Refuses bytes whose length is not the field's fixed length.
    fn check_length(&self, field: &DraftField, value: &Json, path: &str) -> Result<(), ImportError> {
        const FIXED: &str = "(wiredyno.fixed_length) = ";
        let (DraftType::Bytes, Kind::Text(text)) = (field.ty, &value.value) else { return Ok(()) };
        let fixed = field.options.iter().find_map(|option| option.strip_prefix(FIXED)?.parse::<usize>().ok());
        let bytes = match self.draft.bytes {
            BytesText::Base64 => from_base64(text),
            BytesText::Characters => characters(text),
        };
        match (fixed, bytes) {
            (Some(fixed), Some(bytes)) if bytes.len() != fixed => {
                let what = format!("{} has {} bytes, not {fixed}", named(path), bytes.len());
                Err(self.refused(value.line, what))
            }
            _ => Ok(()),
        }
    }

    fn write_member(
        &self,
        field: &DraftField,
        value: &Json,
        path: &str,
        first: &mut bool,
        out: &mut String,
    ) -> Result<(), ImportError> {
        if matches!(value.value, Kind::Null) && !matches!(field.shape, DraftShape::One | DraftShape::Required)
        {
            return Ok(());
        }
        let value = of_branch(field, value).filter(|inner| self.may_be(field, inner)).unwrap_or(value);
        self.check_length(field, value, path)?;
        if !std::mem::take(first) {
            out.push(',');
        }
        quote(&field.name, out);
        out.push(':');
        match (field.shape, &value.value) {
            (DraftShape::One | DraftShape::Required | DraftShape::Optional, _) => {
                self.write_element(field, value, path, out)?;
            }
            (DraftShape::List, Kind::List(list)) => {
                out.push('[');
                for (at, value) in list.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    self.write_element(field, value, &format!("{path}[{at}]"), out)?;
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
                    self.write_element(field, value, &format!("{path}[{key:?}]"), out)?;
                }
                out.push('}');
            }
            (shape, _) => {
                let wanted = if shape == DraftShape::List { "a list" } else { "an object" };
                let what = format!("{} is {}, not {wanted}", named(path), value.shortened());
                return Err(self.refused(value.line, what));
            }
        }
        Ok(())
    }

    /// Converts one value of a field.
    fn write_element(
        &self,
        field: &DraftField,
        value: &Json,
        path: &str,
        out: &mut String,
    ) -> Result<(), ImportError> {
        self.write(field.ty, value, path, out)?;
        let is_allowed = match &value.value {
            Kind::Number(digits) if field.ty.is_integer() => {
                held(digits).is_none_or(|number| field.allowed.holds(number))
            }
            Kind::Number(digits) => digits.parse().is_ok_and(|number| field.invented.holds(number)),
            Kind::Bool(value) => field.invented.holds(f64::from(u8::from(*value))),
            _ => true,
        };
        match is_allowed {
            true => Ok(()),
            false => {
                let what = format!("{} is {value}, which the schema does not allow", named(path));
                Err(self.refused(value.line, what))
            }
        }
    }
}

/// The value in `{"string": value}`, if that is the name of the field's type in a union.
fn of_branch<'a>(field: &DraftField, value: &'a Json) -> Option<&'a Json> {
    match (&field.branch, &value.value) {
        (Some(branch), Kind::Object(pairs)) => match &pairs[..] {
            [(key, inner)] if key == branch => Some(inner),
            _ => None,
        },
        _ => None,
    }
}

/// The bytes of a string with one character per byte; `None` if a character exceeds a byte.
fn characters(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

/// Decodes base64 as the proto3 JSON mapping does: either alphabet, with or without padding.
fn from_base64(text: &str) -> Option<Vec<u8>> {
    const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let standard = text.replace('-', "+").replace('_', "/");
    GeneralPurpose::new(&STANDARD, LENIENT).decode(standard).ok()
}

/// The integer that digits stand for: `5.0` is an integer, minus zero is a float.
fn held(digits: &str) -> Option<i128> {
    whole_number(digits).filter(|number| *number != 0 || !digits.starts_with('-'))
}

/// Whether a float represents an integer's digits exactly; fractions may be rounded.
fn is_kept(digits: &str, number: f64, ty: DraftType) -> bool {
    integer(digits).is_none_or(|whole| match ty {
        DraftType::Float => number as f32 as i128 == whole,
        _ => number as i128 == whole,
    })
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

//! XML 1.0 as the codec writes it through quick-xml: only elements, named and ordered as in message.proto.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use wiredyno_codec::record::{Fault, FieldInfo, Problem, StandsFor};

use crate::described::Described;
use crate::of_codecs::xml::{digits, is_allowed};
use crate::rule::{self, in_range};
use crate::value::{Datum, Member, Record};

pub fn write(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    let mut to = Document { out };
    to.start(value.info.name);
    members(value, &mut to)?;
    to.end(value.info.name);
    Ok(())
}

struct Document<'o> {
    out: &'o mut Vec<u8>,
}

impl Document<'_> {
    fn start(&mut self, name: &str) {
        self.tag("<", name);
    }

    fn end(&mut self, name: &str) {
        self.tag("</", name);
    }

    fn tag(&mut self, open: &str, name: &str) {
        self.plain(open);
        self.plain(name);
        self.plain(">");
    }

    /// Writes text that needs no escaping.
    fn plain(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Writes text, escaping the characters that a reader would take for markup or convert as line ends.
    fn escaped(&mut self, text: &str) {
        for byte in text.bytes() {
            match byte {
                b'<' => self.plain("&lt;"),
                b'>' => self.plain("&gt;"),
                b'&' => self.plain("&amp;"),
                b'\r' => self.plain("&#13;"),
                _ => self.out.push(byte),
            }
        }
    }

    /// Writes the fewest digits that identify the value.
    fn float(&mut self, value: impl zmij::Float + Copy + Into<f64>) {
        let wide: f64 = value.into();
        match wide {
            f64::INFINITY => self.plain("INF"),
            f64::NEG_INFINITY => self.plain("-INF"),
            _ if wide.is_nan() => self.plain("NaN"),
            _ => self.plain(digits(zmij::Buffer::new().format_finite(value))),
        }
    }
}

fn members(value: &Record, to: &mut Document<'_>) -> Result<(), Fault> {
    value.members().try_for_each(|member| match member {
        Member::One(field, one) | Member::Optional(field, Some(one)) => tagged(field, field.name, one, to),
        Member::List(field, list) => {
            rule::length(field, field.list_length(), list.len())?;
            list.iter().try_for_each(|one| tagged(field, field.name, one, to))
        }
        Member::Map(field, entries) => {
            rule::length(field, field.list_length(), entries.len())?;
            entries.iter().try_for_each(|(key, one)| {
                to.start(field.name);
                tagged(&rule::key(field), "key", key, to)?;
                tagged(field, "value", one, to)?;
                to.end(field.name);
                Ok(())
            })
        }
        Member::Choice(choice, Some((at, one))) => {
            let field = &choice.alternatives[at];
            tagged(field, field.name, one, to)
        }
        Member::Optional(_, None) | Member::Choice(_, None) => Ok(()),
    })
}

fn tagged(field: &FieldInfo, name: &'static str, value: &Datum, to: &mut Document<'_>) -> Result<(), Fault> {
    to.start(name);
    content(field, value, to)?;
    to.end(name);
    Ok(())
}

fn content(field: &FieldInfo, value: &Datum, to: &mut Document<'_>) -> Result<(), Fault> {
    if let Some(value) = value.integer() {
        in_range(field, value)?;
    }
    match value {
        Datum::Bool(value) => to.plain(if *value { "true" } else { "false" }),
        Datum::I32(value) => to.plain(&value.to_string()),
        Datum::I64(value) => to.plain(&value.to_string()),
        Datum::U32(value) => to.plain(&value.to_string()),
        Datum::U64(value) => to.plain(&value.to_string()),
        Datum::F32(value) => to.float(*value),
        Datum::F64(value) => to.float(*value),
        Datum::Text(text) => {
            rule::length(field, field.value_length(), text.len())?;
            if !is_allowed(text) {
                return Err(Fault::in_field(Problem::Text, field.name));
            }
            to.escaped(text);
        }
        Datum::Bytes(bytes) => {
            rule::length(field, field.value_length(), bytes.len())?;
            to.plain(&STANDARD.encode(bytes));
        }
        Datum::Enum(info, ordinal) => to.plain(info.values.get(*ordinal).map_or("", |(name, _)| name)),
        Datum::Message(value) => match (value.well_known(), value.info.stands_for, value.members().next()) {
            (Some(known), ..) => {
                let text = known.text()?;
                match is_allowed(&text) {
                    true => to.escaped(&text),
                    false => return Err(Fault::in_field(Problem::Text, field.name)),
                }
            }
            (None, StandsFor::Value, Some(Member::One(field, one))) => content(field, one, to)?,
            _ => members(value, to)?,
        },
    }
    Ok(())
}

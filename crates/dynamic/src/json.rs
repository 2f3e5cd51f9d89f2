//! JSON (RFC 8259), with the program's own library: numbers as numbers, bytes as base64, enums by name, keys as text, absent
//! optional fields left out. NaN and infinities are refused: the codecs write null in their place, which is read back as nothing.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use wiredyno_codec::record::{Fault, Problem};

use crate::described::Described;
use crate::value::{Datum, Member, Plain, Record};

/// `json/serde-json`; `json/sonic-rs` writes the same.
pub fn write(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    finite(value)?;
    serde_json::to_writer(out, &Object(value)).map_err(Fault::other)
}

/// Refuses numbers that JSON does not have.
fn finite(value: &Record) -> Result<(), Fault> {
    let one = |field: &'static str, datum: &Datum| match datum {
        Datum::F32(number) => is_number(field, (*number).into()),
        Datum::F64(number) => is_number(field, *number),
        Datum::Message(inner) => finite(inner),
        _ => Ok(()),
    };
    value.fields().try_for_each(|member| match member {
        Member::One(field, datum) | Member::Optional(field, Some(datum)) => one(field.name, datum),
        Member::List(field, list) => list.iter().try_for_each(|datum| one(field.name, datum)),
        Member::Map(field, entries) => entries.iter().try_for_each(|(_, datum)| one(field.name, datum)),
        Member::Optional(_, None) | Member::Choice(..) => Ok(()),
    })
}

fn is_number(field: &'static str, number: f64) -> Result<(), Fault> {
    match number.is_finite() {
        true => Ok(()),
        false => Err(Fault::in_field(Problem::Other(format!("{number} is no number in JSON")), field)),
    }
}

/// A message.
struct Object<'a>(&'a Record);

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        for member in self.0.fields() {
            match member {
                Member::One(field, one) | Member::Optional(field, Some(one)) => {
                    object.serialize_entry(field.name, &Element(one))?;
                }
                Member::List(field, list) => object.serialize_entry(field.name, &List(list))?,
                Member::Map(field, entries) => object.serialize_entry(field.name, &Map(entries))?,
                Member::Optional(_, None) | Member::Choice(..) => {}
            }
        }
        object.end()
    }
}

struct List<'a>(&'a [Datum]);

impl Serialize for List<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        self.0.iter().try_for_each(|one| list.serialize_element(&Element(one)))?;
        list.end()
    }
}

struct Map<'a>(&'a [(Datum, Datum)]);

impl Serialize for Map<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(key, one)| map.serialize_entry(&Element(key), &Element(one)))?;
        map.end()
    }
}

struct Element<'a>(&'a Datum);

impl Serialize for Element<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Datum::Bool(value) => serializer.serialize_bool(*value),
            Datum::I32(value) => serializer.serialize_i32(*value),
            Datum::I64(value) => serializer.serialize_i64(*value),
            Datum::U32(value) => serializer.serialize_u32(*value),
            Datum::U64(value) => serializer.serialize_u64(*value),
            Datum::F32(value) => serializer.serialize_f32(*value),
            Datum::F64(value) => serializer.serialize_f64(*value),
            Datum::Text(text) => serializer.serialize_str(text),
            Datum::Bytes(bytes) => serializer.serialize_str(&STANDARD.encode(bytes)),
            Datum::Enum(info, place) => {
                serializer.serialize_str(info.values.get(*place).map_or("", |(name, _)| name))
            }
            Datum::Message(value) => match value.plain(true) {
                None => Object(value).serialize(serializer),
                Some(Plain::One(one) | Plain::Optional(Some(one))) => Element(one).serialize(serializer),
                Some(Plain::Optional(None)) => serializer.serialize_none(),
                Some(Plain::List(list)) => List(list).serialize(serializer),
                Some(Plain::Map(entries)) => Map(entries).serialize(serializer),
            },
        }
    }
}

//! JSON (RFC 8259), with the program's own library: numbers as numbers, bytes as base64, enums by name, keys as strings, absent
//! optional fields omitted, well-known types as in proto3's JSON mapping. NaN and infinities are refused: the codecs write null in
//! their place, which is read as an absent value. The variant `proto3` writes them and 64-bit integers as strings, as that mapping does.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::ser::{Error as _, Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use wiredyno_codec::confluent::Framing;
use wiredyno_codec::record::{Fault, Problem};
use wiredyno_codec::well_known::proto3::text_of;

use crate::described::Described;
use crate::value::{Datum, Member, Plain, Record};

/// Encodes as `json/serde-json` does; `json/sonic-rs` writes the same bytes.
pub fn write(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    finite::<false>(value)?;
    serde_json::to_writer(out, &Object::<false>(value)).map_err(Fault::other)
}

pub fn proto3(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    finite::<true>(value)?;
    serde_json::to_writer(out, &Object::<true>(value)).map_err(Fault::other)
}

/// Encodes as `json/serde-json:confluent` does.
pub fn confluent(described: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    out.extend_from_slice(Framing::new().header());
    write(described, value, out)
}

/// Refuses numbers that JSON lacks, and for `proto3` those whose string a choice could not distinguish from a string.
fn finite<const PROTO3: bool>(value: &Record) -> Result<(), Fault> {
    let has_texts = PROTO3 && !stands_for_one_of_several::<PROTO3>(value);
    let one = |field: &'static str, datum: &Datum| match datum {
        Datum::F32(number) if !has_texts => is_number(field, (*number).into()),
        Datum::F64(number) if !has_texts => is_number(field, *number),
        Datum::Message(inner) => finite::<PROTO3>(inner),
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
        false => Err(Fault::in_field(Problem::Other(format!("{number} is not a JSON number")), field)),
    }
}

/// The value that replaces a message, if any.
fn plain<const PROTO3: bool>(value: &Record) -> Option<Plain<'_>> {
    value.plain(!(PROTO3 && value.has_wide_alternative()))
}

/// Whether a message is replaced by the value of an alternative.
fn stands_for_one_of_several<const PROTO3: bool>(value: &Record) -> bool {
    matches!(value.members().next(), Some(Member::Choice(..))) && plain::<PROTO3>(value).is_some()
}

struct Object<'a, const PROTO3: bool>(&'a Record);

impl<const PROTO3: bool> Serialize for Object<'_, PROTO3> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        for member in self.0.fields() {
            match member {
                Member::One(field, one) | Member::Optional(field, Some(one)) => {
                    object.serialize_entry(field.name, &Element::<PROTO3>(one))?;
                }
                Member::List(field, list) => object.serialize_entry(field.name, &List::<PROTO3>(list))?,
                Member::Map(field, entries) => object.serialize_entry(field.name, &Map::<PROTO3>(entries))?,
                Member::Optional(_, None) | Member::Choice(..) => {}
            }
        }
        object.end()
    }
}

struct List<'a, const PROTO3: bool>(&'a [Datum]);

impl<const PROTO3: bool> Serialize for List<'_, PROTO3> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        self.0.iter().try_for_each(|one| list.serialize_element(&Element::<PROTO3>(one)))?;
        list.end()
    }
}

struct Map<'a, const PROTO3: bool>(&'a [(Datum, Datum)]);

impl<const PROTO3: bool> Serialize for Map<'_, PROTO3> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        // Keys are strings in any case.
        self.0.iter().try_for_each(|(key, one)| {
            map.serialize_entry(&Element::<false>(key), &Element::<PROTO3>(one))
        })?;
        map.end()
    }
}

struct Element<'a, const PROTO3: bool>(&'a Datum);

impl<const PROTO3: bool> Serialize for Element<'_, PROTO3> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Datum::Bool(value) => serializer.serialize_bool(*value),
            Datum::I32(value) => serializer.serialize_i32(*value),
            Datum::I64(value) if PROTO3 => serializer.collect_str(value),
            Datum::I64(value) => serializer.serialize_i64(*value),
            Datum::U32(value) => serializer.serialize_u32(*value),
            Datum::U64(value) if PROTO3 => serializer.collect_str(value),
            Datum::U64(value) => serializer.serialize_u64(*value),
            Datum::F32(value) => match text_of((*value).into()).filter(|_| PROTO3) {
                Some(text) => serializer.serialize_str(text),
                None => serializer.serialize_f32(*value),
            },
            Datum::F64(value) => match text_of(*value).filter(|_| PROTO3) {
                Some(text) => serializer.serialize_str(text),
                None => serializer.serialize_f64(*value),
            },
            Datum::Text(text) => serializer.serialize_str(text),
            Datum::Bytes(bytes) => serializer.serialize_str(&STANDARD.encode(bytes)),
            Datum::Enum(info, _) if info.stands_for_null => serializer.serialize_unit(),
            Datum::Enum(info, place) => {
                serializer.serialize_str(info.values.get(*place).map_or("", |(name, _)| name))
            }
            Datum::Message(value) => match (value.well_known(), plain::<PROTO3>(value)) {
                (Some(known), _) => serializer.serialize_str(&known.text().map_err(S::Error::custom)?),
                (None, None) => Object::<PROTO3>(value).serialize(serializer),
                (None, Some(Plain::One(one) | Plain::Optional(Some(one)))) => {
                    Element::<PROTO3>(one).serialize(serializer)
                }
                (None, Some(Plain::Optional(None))) => serializer.serialize_none(),
                (None, Some(Plain::List(list))) => List::<PROTO3>(list).serialize(serializer),
                (None, Some(Plain::Map(entries))) => Map::<PROTO3>(entries).serialize(serializer),
            },
        }
    }
}

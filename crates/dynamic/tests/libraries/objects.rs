//! Objects for the serde libraries: the walk of the codecs' generated objects.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, SerializeStruct, Serializer};
use wiredyno_dynamic::{Datum, Member, Record};

/// What formats want differently: `wiredyno_contract::SerdeStyle`.
#[derive(Clone, Copy)]
pub struct Style {
    /// Absent fields are left out; else they are written as null.
    omit_absent: bool,
    /// Unsigned 64-bit integers keep their bits as signed ones, and keys of maps are text.
    signed: bool,
}

pub const OMITTING: Style = Style { omit_absent: true, signed: false };
pub const COMPLETE: Style = Style { omit_absent: false, signed: false };
pub const SIGNED: Style = Style { omit_absent: true, signed: true };

/// A message for serde.
pub struct Named<'a>(pub &'a Record, pub Style);

impl Serialize for Named<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Named(record, style) = *self;
        let absent = |member: &Member<'_>| matches!(member, Member::Optional(_, None));
        let count = record.fields().filter(|member| !style.omit_absent || !absent(member)).count();
        let mut object = serializer.serialize_struct(record.info.name, count)?;
        let leaf = |value| Leaf(value, style);
        for member in record.fields() {
            match member {
                Member::One(field, one) => object.serialize_field(field.name, &leaf(one))?,
                Member::Optional(field, None) if style.omit_absent => object.skip_field(field.name)?,
                Member::Optional(field, one) => object.serialize_field(field.name, &one.map(leaf))?,
                Member::List(field, list) => object.serialize_field(field.name, &Seq(list, style))?,
                Member::Map(field, entries) => {
                    object.serialize_field(field.name, &Entries(entries, style))?
                }
                Member::Choice(..) => {}
            }
        }
        object.end()
    }
}

/// A list.
struct Seq<'a>(&'a [Datum], Style);

impl Serialize for Seq<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.0.len()))?;
        self.0.iter().try_for_each(|element| seq.serialize_element(&Leaf(element, self.1)))?;
        seq.end()
    }
}

/// A map.
struct Entries<'a>(&'a [(Datum, Datum)], Style);

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in self.0 {
            match self.1.signed {
                true => map.serialize_entry(&text_of(key), &Leaf(value, self.1))?,
                false => map.serialize_entry(&Leaf(key, self.1), &Leaf(value, self.1))?,
            }
        }
        map.end()
    }
}

/// A key as text.
fn text_of(key: &Datum) -> String {
    match key {
        Datum::Bool(key) => key.to_string(),
        Datum::I32(key) => key.to_string(),
        Datum::I64(key) => key.to_string(),
        Datum::U32(key) => key.to_string(),
        Datum::U64(key) => key.to_string(),
        Datum::Text(key) => key.clone(),
        // Protobuf has no other keys.
        _ => String::new(),
    }
}

/// One element.
struct Leaf<'a>(&'a Datum, Style);

impl Serialize for Leaf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Datum::Bool(value) => serializer.serialize_bool(*value),
            Datum::I32(value) => serializer.serialize_i32(*value),
            Datum::I64(value) => serializer.serialize_i64(*value),
            Datum::U32(value) => serializer.serialize_u32(*value),
            Datum::U64(value) if self.1.signed => serializer.serialize_i64(value.cast_signed()),
            Datum::U64(value) => serializer.serialize_u64(*value),
            Datum::F32(value) => serializer.serialize_f32(*value),
            Datum::F64(value) => serializer.serialize_f64(*value),
            Datum::Text(text) => serializer.serialize_str(text),
            Datum::Bytes(bytes) if serializer.is_human_readable() => {
                serializer.serialize_str(&STANDARD.encode(bytes))
            }
            Datum::Bytes(bytes) => serializer.serialize_bytes(bytes),
            // The name of the type is not in any format's bytes.
            Datum::Enum(info, ordinal) => {
                let name = info.values.get(*ordinal).map_or("", |(name, _)| name);
                serializer.serialize_unit_variant("", *ordinal as u32, name)
            }
            Datum::Message(value) => Named(value, self.1).serialize(serializer),
        }
    }
}

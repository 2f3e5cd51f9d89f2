//! Objects for the serde libraries: they walk values as the codecs' generated objects do.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, SerializeStruct, Serializer};
use wiredyno_codec::well_known::{messagepack_time, text};
use wiredyno_dynamic::{Datum, Known, Member, Plain, Record};

/// How formats differ: `wiredyno_contract::SerdeStyle`.
#[derive(Clone, Copy)]
pub struct Style {
    /// Absent fields are omitted; else they are written as null.
    omit_absent: bool,
    /// Unsigned 64-bit integers keep their bits as signed ones, and map keys are strings.
    signed: bool,
    /// 64-bit integers are strings, and so are NaN and infinities.
    texts: bool,
    times: Times,
}

/// The representation of timestamps, by the library's own type for them if it has one.
#[derive(Clone, Copy, PartialEq)]
enum Times {
    Texts,
    Tags,
    Extensions,
    Dates,
    Fields,
}

const NAMED: Style = Style { omit_absent: true, signed: false, texts: false, times: Times::Texts };
pub const JSON: Style = NAMED;
pub const PROTO3: Style = Style { texts: true, ..NAMED };
pub const CBOR: Style = Style { times: Times::Tags, ..NAMED };
pub const MESSAGEPACK: Style = Style { times: Times::Extensions, ..NAMED };
pub const BSON: Style = Style { signed: true, times: Times::Dates, ..NAMED };
pub const COMPLETE: Style = Style { omit_absent: false, times: Times::Fields, ..NAMED };

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

struct Seq<'a>(&'a [Datum], Style);

impl Serialize for Seq<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.0.len()))?;
        self.0.iter().try_for_each(|element| seq.serialize_element(&Leaf(element, self.1)))?;
        seq.end()
    }
}

struct Entries<'a>(&'a [(Datum, Datum)], Style);

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in self.0 {
            match self.1.signed || self.1.texts {
                true => map.serialize_entry(&text_of(key), &Leaf(value, self.1))?,
                false => map.serialize_entry(&Leaf(key, self.1), &Leaf(value, self.1))?,
            }
        }
        map.end()
    }
}

/// A map's key as a string.
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

struct Leaf<'a>(&'a Datum, Style);

impl Serialize for Leaf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Datum::Bool(value) => serializer.serialize_bool(*value),
            Datum::I32(value) => serializer.serialize_i32(*value),
            Datum::I64(value) if self.1.texts => serializer.serialize_str(&value.to_string()),
            Datum::U64(value) if self.1.texts => serializer.serialize_str(&value.to_string()),
            Datum::F32(value) if self.1.texts && !value.is_finite() => {
                no_number(f64::from(*value), serializer)
            }
            Datum::F64(value) if self.1.texts && !value.is_finite() => no_number(*value, serializer),
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
            Datum::Enum(info, _) if info.stands_for_null && self.1.omit_absent => serializer.serialize_unit(),
            // No format writes the type's name.
            Datum::Enum(info, ordinal) => {
                let name = info.values.get(*ordinal).map_or("", |(name, _)| name);
                serializer.serialize_unit_variant("", *ordinal as u32, name)
            }
            Datum::Message(value) => message(value, self.1, serializer),
        }
    }
}

/// The string for NaN or an infinity, as in proto3's JSON mapping.
fn no_number<S: Serializer>(number: f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match number {
        f64::INFINITY => "Infinity",
        f64::NEG_INFINITY => "-Infinity",
        _ => "NaN",
    })
}

/// What rmp-serde treats as an extension, according to its documentation.
#[derive(serde::Serialize)]
#[serde(rename = "_ExtStruct")]
struct Extension((i8, Raw));

struct Raw(Vec<u8>);

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

/// A message, or the value that replaces it.
fn message<S: Serializer>(value: &Record, style: Style, serializer: S) -> Result<S::Ok, S::Error> {
    let no_text = |error: text::NoText| serde::ser::Error::custom(error);
    match (value.well_known(), style.times) {
        (Some(Known::Timestamp(seconds, nanos)), Times::Texts) => {
            return serializer.collect_str(&text::Timestamp::new(seconds, nanos).map_err(no_text)?);
        }
        (Some(Known::Duration(seconds, nanos)), Times::Texts) => {
            return serializer.collect_str(&text::Duration::new(seconds, nanos).map_err(no_text)?);
        }
        (Some(Known::FieldMask(paths)), Times::Texts) => {
            let paths = paths.iter().map(|path| if let Datum::Text(path) = path { path } else { "" });
            return serializer.serialize_str(&text::write_mask(paths).map_err(no_text)?);
        }
        (Some(Known::Timestamp(seconds, nanos)), Times::Tags) => {
            let time = text::Timestamp::new(seconds, nanos).map_err(no_text)?;
            return ciborium::tag::Required::<_, 0>(time.to_string()).serialize(serializer);
        }
        (Some(Known::Timestamp(seconds, nanos)), Times::Extensions) => {
            let time = messagepack_time(seconds, nanos);
            let (bytes, length) = time.ok_or_else(|| serde::ser::Error::custom("no time"))?;
            return Extension((-1, Raw(bytes[..length].to_vec()))).serialize(serializer);
        }
        (Some(Known::Timestamp(seconds, nanos)), Times::Dates)
            if (0..1_000_000_000).contains(&nanos) && nanos % 1_000_000 == 0 && seconds.abs() < 1 << 50 =>
        {
            let milliseconds = seconds * 1_000 + i64::from(nanos / 1_000_000);
            return bson::DateTime::from_millis(milliseconds).serialize(serializer);
        }
        _ => {}
    }
    // A string could not be distinguished from other strings.
    if style.texts
        && let (Some(Plain::One(Datum::F64(number))), Some(Member::Choice(..))) =
            (value.plain(true), value.members().next())
        && !number.is_finite()
    {
        return Err(serde::ser::Error::custom("no number"));
    }
    let is_plain = style.omit_absent && !(style.texts && value.has_wide_alternative());
    match value.plain(is_plain) {
        None => Named(value, style).serialize(serializer),
        Some(Plain::One(one)) => Leaf(one, style).serialize(serializer),
        Some(Plain::Optional(one)) => one.map(|one| Leaf(one, style)).serialize(serializer),
        Some(Plain::List(list)) => Seq(list, style).serialize(serializer),
        Some(Plain::Map(entries)) => Entries(entries, style).serialize(serializer),
    }
}

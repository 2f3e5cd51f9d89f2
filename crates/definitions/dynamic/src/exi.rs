//! EXI's four variants; the codec's code names the sections of the specification.

use wiredyno_codec::record::{Fault, FieldInfo, MessageInfo};
use wiredyno_codec_exi::float;
use wiredyno_codec_exi::grammar::{
    Integers, Next, alternatives, bits, has_subtypes, integers, merged_message, most_elements, name_key,
    next, path_key,
};
use wiredyno_codec_exi::text::Strings;
use wiredyno_codec_exi::writer::{Document, Place};

use crate::described::Described;
use crate::rule::{self, in_range};
use crate::value::{Datum, Member, Record};

macro_rules! variants {
    ($($name:ident, $codec:literal, $strict:literal, $merged:literal;)*) => {$(
        #[doc = concat!("`", $codec, "`.")]
        pub fn $name(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
            write::<$strict, $merged>(value, out)
        }
    )*};
}
variants! {
    strict, "exi/wiredyno:strict", true, false;
    default, "exi/wiredyno:default", false, false;
    strict_merged, "exi/wiredyno:strict-merged", true, true;
    default_merged, "exi/wiredyno:default-merged", false, true;
}

fn write<const STRICT: bool, const MERGED: bool>(value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    let mut strings = Strings::default();
    let mut to = Document::<STRICT, MERGED>::new(&mut strings, out);
    record(value, &mut to)?;
    to.finish();
    Ok(())
}

type To<'s, 'o, const STRICT: bool, const MERGED: bool> = Document<'s, 'o, STRICT, MERGED>;

/// Writes a message as an element of its own.
fn record<const STRICT: bool, const MERGED: bool>(
    value: &Record,
    to: &mut To<'_, '_, STRICT, MERGED>,
) -> Result<(), Fault> {
    let width = To::<STRICT, MERGED>::width(next(value.info, 0, MERGED).productions(1));
    let mut place = Place { width, passed: 0, follow: 1, path: 0, merged: false };
    members(value, &mut place, to)?;
    to.put(place.passed.into(), place.width);
    Ok(())
}

fn members<const STRICT: bool, const MERGED: bool>(
    value: &Record,
    place: &mut Place,
    to: &mut To<'_, '_, STRICT, MERGED>,
) -> Result<(), Fault> {
    let message = value.info;
    let after = |position: usize| next(message, position + 1, MERGED);
    for member in value.members() {
        match member {
            Member::One(field, Datum::Message(inner)) if merged_message(field, MERGED).is_some() => {
                let follow = after(field.position).productions(place.follow);
                let path = path_key(place.path, name_key(field));
                let mut inside = Place { follow, path, merged: true, ..*place };
                members(inner, &mut inside, to)?;
                (place.width, place.passed) = (inside.width, inside.passed);
            }
            Member::One(field, one) | Member::Optional(field, Some(one)) => {
                to.start(place, 0);
                To::<STRICT, MERGED>::arrive(place, after(field.position));
                element(field, one, to)?;
            }
            Member::Optional(_, None) => place.passed += 1,
            Member::List(field, list) => {
                elements(message, field, list, place, to, |one, to| element(field, one, to))?;
            }
            Member::Map(field, entries) => elements(message, field, entries, place, to, |(key, one), to| {
                to.path = 0;
                to.only();
                element(&rule::key(field), key, to)?;
                to.only();
                element(field, one, to)?;
                to.only();
                Ok(())
            })?,
            Member::Choice(choice, Some((at, one))) => {
                to.start(place, at as u32);
                To::<STRICT, MERGED>::arrive(place, after(choice.position));
                element(&choice.alternatives[at], one, to)?;
            }
            Member::Choice(choice, None) => place.passed += alternatives(choice).starts,
        }
    }
    Ok(())
}

/// Writes the elements of a list or map; `content` writes the content of one.
fn elements<'s, 'o, T, const STRICT: bool, const MERGED: bool>(
    message: &MessageInfo,
    field: &FieldInfo,
    elements: &[T],
    place: &mut Place,
    to: &mut To<'s, 'o, STRICT, MERGED>,
    mut content: impl FnMut(&T, &mut To<'s, 'o, STRICT, MERGED>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    rule::length(field, field.list_length(), elements.len())?;
    let most = most_elements(field);
    let count = elements.len() as u32;
    for (number, one) in (1..).zip(elements) {
        to.start(place, 0);
        let after = match field.fixed_length {
            Some(fixed) if number < fixed => Next::ONE,
            _ if Some(number) == most => next(message, field.position + 1, MERGED),
            _ => next(message, field.position, MERGED),
        };
        To::<STRICT, MERGED>::arrive(place, after);
        content(one, to)?;
    }
    if most.is_none_or(|most| count < most) {
        place.passed += 1;
    }
    Ok(())
}

/// The event that precedes a simple value.
fn characters<const STRICT: bool, const MERGED: bool>(
    field: &FieldInfo,
    to: &mut To<'_, '_, STRICT, MERGED>,
) {
    to.zeros(if STRICT { u32::from(has_subtypes(field)) } else { 1 });
}

fn element<const STRICT: bool, const MERGED: bool>(
    field: &FieldInfo,
    value: &Datum,
    to: &mut To<'_, '_, STRICT, MERGED>,
) -> Result<(), Fault> {
    if let Some(value) = value.integer() {
        in_range(field, value)?;
    }
    let length = match value {
        Datum::Message(value) => return record(value, to),
        Datum::Text(text) => Some(text.len()),
        Datum::Bytes(bytes) => Some(bytes.len()),
        _ => None,
    };
    if let Some(length) = length {
        rule::length(field, field.value_length(), length)?;
        if to.nothing(length == 0) {
            return Ok(());
        }
    }
    characters(field, to);
    match value {
        Datum::Bool(value) => to.put(u64::from(*value), 1),
        Datum::I32(value) => integer(field, (*value).into(), to),
        Datum::I64(value) => integer(field, *value, to),
        Datum::U32(value) => integer(field, (*value).into(), to),
        Datum::U64(value) => match integers(field) {
            Integers::Bits { min, width } => to.put(value.wrapping_sub(min.cast_unsigned()), width),
            Integers::Unsigned | Integers::Signed => to.unsigned(*value),
        },
        Datum::F32(value) => float::write_f32(to.bits(), *value),
        Datum::F64(value) => float::write_f64(to.bits(), *value),
        Datum::Text(text) => {
            let name = name_key(field);
            let key = if MERGED { path_key(to.path, name) } else { name };
            to.string(text, key);
        }
        Datum::Bytes(bytes) => {
            to.unsigned(bytes.len() as u64);
            to.bits().put_bytes(bytes);
        }
        Datum::Enum(info, ordinal) => to.put(*ordinal as u64, bits(info.values.len() as u32)),
        Datum::Message(_) => {}
    }
    to.only();
    Ok(())
}

fn integer<const STRICT: bool, const MERGED: bool>(
    field: &FieldInfo,
    value: i64,
    to: &mut To<'_, '_, STRICT, MERGED>,
) {
    match integers(field) {
        Integers::Bits { min, width } => to.put(value.wrapping_sub(min).cast_unsigned(), width),
        Integers::Unsigned => to.unsigned(value.cast_unsigned()),
        Integers::Signed => to.signed(value),
    }
}

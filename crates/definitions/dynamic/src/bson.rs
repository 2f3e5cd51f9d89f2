//! BSON (bsonspec.org, version 1.1): documents with field names, absent fields omitted, lists as documents with indexes for
//! names. It has no unsigned numbers: 32-bit ones are written with 64 bits, 64-bit ones keep their bits. Map keys are strings.
//! Timestamps are datetimes if a whole number of milliseconds represents them, else documents of their fields.

use wiredyno_codec::record::{Fault, Problem};
use wiredyno_codec::well_known::bson_milliseconds;

use crate::described::Described;
use crate::value::{Datum, Known, Member, Plain, Record};

/// Element types.
const DOUBLE: u8 = 0x01;
const STRING: u8 = 0x02;
const DOCUMENT: u8 = 0x03;
const ARRAY: u8 = 0x04;
const BINARY: u8 = 0x05;
const BOOLEAN: u8 = 0x08;
const DATETIME: u8 = 0x09;
const NULL: u8 = 0x0a;
const INT32: u8 = 0x10;
const INT64: u8 = 0x12;
/// The subtype of plain bytes.
const GENERIC: u8 = 0x00;

pub fn write(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    record(value, out)
}

/// Appends a document: its length (including its own four bytes), the output of `write`, and a NUL.
fn document(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>) -> Result<(), Fault>) -> Result<(), Fault> {
    let start = out.len();
    out.extend([0; 4]);
    write(out)?;
    out.push(0);
    let bytes = length(out.len() - start)?;
    out[start..start + 4].copy_from_slice(&bytes);
    Ok(())
}

/// A length, which BSON stores signed.
fn length(bytes: usize) -> Result<[u8; 4], Fault> {
    let length = i32::try_from(bytes).map_err(|_| Fault::new(Problem::Length(bytes as u64)))?;
    Ok(length.to_le_bytes())
}

/// Appends what precedes a value: its type and name, which ends at the first NUL.
fn name(ty: u8, name: &str, out: &mut Vec<u8>) -> Result<(), Fault> {
    if name.as_bytes().contains(&0) {
        return Err(Fault::other("a key of a map contains a NUL, which ends names"));
    }
    out.push(ty);
    out.extend_from_slice(name.as_bytes());
    out.push(0);
    Ok(())
}

fn record(value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    document(out, |out| {
        value.fields().try_for_each(|member| match member {
            Member::One(field, one) | Member::Optional(field, Some(one)) => element(field.name, one, out),
            Member::List(field, list) => elements(field.name, list, out),
            Member::Map(field, map) => entries(field.name, map, out),
            // Its alternatives are written as optional fields.
            Member::Optional(_, None) | Member::Choice(..) => Ok(()),
        })
    })
}

fn elements(named: &str, list: &[Datum], out: &mut Vec<u8>) -> Result<(), Fault> {
    name(ARRAY, named, out)?;
    document(out, |out| {
        (0_usize..).zip(list).try_for_each(|(place, one)| element(&place.to_string(), one, out))
    })
}

fn entries(named: &str, map: &[(Datum, Datum)], out: &mut Vec<u8>) -> Result<(), Fault> {
    name(DOCUMENT, named, out)?;
    document(out, |out| map.iter().try_for_each(|(key, one)| element(&text_of(key), one, out)))
}

/// A key as a string: decimal digits, `true`, `false`, or unchanged.
fn text_of(key: &Datum) -> String {
    match key {
        Datum::Bool(key) => key.to_string(),
        Datum::I32(key) => key.to_string(),
        Datum::I64(key) => key.to_string(),
        Datum::U32(key) => key.to_string(),
        Datum::U64(key) => key.to_string(),
        Datum::Text(key) => key.clone(),
        _ => String::new(),
    }
}

fn element(named: &str, value: &Datum, out: &mut Vec<u8>) -> Result<(), Fault> {
    let mut fixed = |ty: u8, bytes: &[u8]| {
        name(ty, named, out)?;
        out.extend_from_slice(bytes);
        Ok(())
    };
    match value {
        Datum::Bool(value) => fixed(BOOLEAN, &[u8::from(*value)]),
        Datum::I32(value) => fixed(INT32, &value.to_le_bytes()),
        Datum::I64(value) => fixed(INT64, &value.to_le_bytes()),
        Datum::U32(value) => fixed(INT64, &i64::from(*value).to_le_bytes()),
        Datum::U64(value) => fixed(INT64, &value.to_le_bytes()),
        Datum::F32(value) => fixed(DOUBLE, &f64::from(*value).to_le_bytes()),
        Datum::F64(value) => fixed(DOUBLE, &value.to_le_bytes()),
        Datum::Text(text) => string(named, text, out),
        Datum::Enum(info, _) if info.stands_for_null => fixed(NULL, &[]),
        Datum::Enum(info, place) => string(named, info.values.get(*place).map_or("", |(name, _)| name), out),
        Datum::Bytes(bytes) => {
            name(BINARY, named, out)?;
            out.extend(length(bytes.len())?);
            out.push(GENERIC);
            out.extend_from_slice(bytes);
            Ok(())
        }
        Datum::Message(value)
            if let Some(Known::Timestamp(seconds, nanos)) = value.well_known()
                && let Some(milliseconds) = bson_milliseconds(seconds, nanos) =>
        {
            fixed(DATETIME, &milliseconds.to_le_bytes())
        }
        Datum::Message(value) => match value.plain(true) {
            None => {
                name(DOCUMENT, named, out)?;
                record(value, out)
            }
            Some(Plain::One(one) | Plain::Optional(Some(one))) => element(named, one, out),
            Some(Plain::Optional(None)) => name(NULL, named, out),
            Some(Plain::List(list)) => elements(named, list, out),
            Some(Plain::Map(map)) => entries(named, map, out),
        },
    }
}

/// Appends a string: its length including the final NUL (the string may contain others), then its bytes.
fn string(named: &str, text: &str, out: &mut Vec<u8>) -> Result<(), Fault> {
    name(STRING, named, out)?;
    out.extend(length(text.len() + 1)?);
    out.extend_from_slice(text.as_bytes());
    out.push(0);
    Ok(())
}

//! OpenDaVINCI's Netstrings in all forms, by the layout of the codec.

use wiredyno_codec::record::{Fault, FieldInfo};
use wiredyno_codec_netstrings::name_id;
use wiredyno_codec_netstrings::writer::{Body, varint as put_varint, zigzag};

use crate::described::Described;
use crate::rule::{self, in_range};
use crate::value::{Datum, Member, Record};

pub fn write(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    message(value, &mut Body::<false> { out, by_name: false })
}

pub fn crc(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    message(value, &mut Body::<false> { out, by_name: true })
}

pub fn varint(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    message(value, &mut Body::<true> { out, by_name: false })
}

pub fn container(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    let mut to = Body::<false> { out, by_name: false };
    let start = to.container_start();
    message(value, &mut to)?;
    to.container_end(start)
}

fn message<const VARINT: bool>(value: &Record, to: &mut Body<'_, VARINT>) -> Result<(), Fault> {
    let start = to.open_message();
    for member in value.members() {
        match member {
            Member::One(field, one) | Member::Optional(field, Some(one)) => {
                self::field(field, to, |to| element(field, one, to))?;
            }
            Member::List(field, list) => self::field(field, to, |to| {
                count(field, list.len(), to)?;
                list.iter().try_for_each(|one| element(field, one, to))
            })?,
            Member::Map(field, entries) => self::field(field, to, |to| {
                count(field, entries.len(), to)?;
                entries.iter().try_for_each(|(key, one)| {
                    element(&rule::key(field), key, to)?;
                    element(field, one, to)
                })
            })?,
            Member::Choice(choice, Some((at, one))) => {
                let field = &choice.alternatives[at];
                self::field(field, to, |to| element(field, one, to))?;
            }
            Member::Optional(_, None) | Member::Choice(_, None) => {}
        }
    }
    to.close_message(start)
}

/// Writes one field: id, size, and the output of `write`.
fn field<'o, const VARINT: bool>(
    field: &FieldInfo,
    to: &mut Body<'o, VARINT>,
    write: impl FnOnce(&mut Body<'o, VARINT>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    to.put_id(if to.by_name { name_id(field.name) } else { field.number });
    let start = to.open();
    write(to)?;
    to.close(start)
}

fn count<const VARINT: bool>(
    field: &FieldInfo,
    count: usize,
    to: &mut Body<'_, VARINT>,
) -> Result<(), Fault> {
    let allowed = field.list_length();
    rule::length(field, allowed, count)?;
    if allowed.fixed.is_some() { Ok(()) } else { to.length(count) }
}

fn element<const VARINT: bool>(
    field: &FieldInfo,
    value: &Datum,
    to: &mut Body<'_, VARINT>,
) -> Result<(), Fault> {
    if let Some(value) = value.integer() {
        in_range(field, value)?;
    }
    match value {
        Datum::Bool(value) => to.out.push(u8::from(*value)),
        Datum::I32(value) if VARINT => put_varint(zigzag((*value).into()), to.out),
        Datum::I64(value) if VARINT => put_varint(zigzag(*value), to.out),
        Datum::U32(value) if VARINT => put_varint((*value).into(), to.out),
        Datum::U64(value) if VARINT => put_varint(*value, to.out),
        Datum::Enum(..) if VARINT => put_varint(zigzag(value.number().into()), to.out),
        Datum::I32(value) => to.out.extend_from_slice(&value.to_be_bytes()),
        Datum::I64(value) => to.out.extend_from_slice(&value.to_be_bytes()),
        Datum::U32(value) => to.out.extend_from_slice(&value.to_be_bytes()),
        Datum::U64(value) => to.out.extend_from_slice(&value.to_be_bytes()),
        Datum::Enum(..) => to.out.extend_from_slice(&value.number().to_be_bytes()),
        Datum::F32(value) => to.out.extend_from_slice(&value.to_be_bytes()),
        Datum::F64(value) => to.out.extend_from_slice(&value.to_be_bytes()),
        Datum::Text(text) => string(field, text.as_bytes(), to)?,
        Datum::Bytes(bytes) => string(field, bytes, to)?,
        Datum::Message(value) => message(value, to)?,
    }
    Ok(())
}

fn string<const VARINT: bool>(
    field: &FieldInfo,
    bytes: &[u8],
    to: &mut Body<'_, VARINT>,
) -> Result<(), Fault> {
    rule::length(field, field.value_length(), bytes.len())?;
    to.length(bytes.len())?;
    to.out.extend_from_slice(bytes);
    Ok(())
}

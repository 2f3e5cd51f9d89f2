//! The encoding of ETSI TS 103 097 v1.1.1.

use wiredyno_codec::record::{Fault, FieldInfo, Integer, Problem};
use wiredyno_codec_ts_103_097::writer::{Body, unspeakable};
use wiredyno_codec_ts_103_097::{tag, width_of};

use crate::described::Described;
use crate::rule::{self, in_range};
use crate::value::{Datum, Member, Record};

pub fn write(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    record(value, &mut Body { out })
}

fn record(value: &Record, to: &mut Body<'_>) -> Result<(), Fault> {
    value.members().try_for_each(|member| match member {
        Member::One(field, one) => element(field, one, to),
        Member::List(field, list) => {
            let allowed = field.list_length();
            rule::length(field, allowed, list.len())?;
            if allowed.fixed.is_some() {
                return list.iter().try_for_each(|one| element(field, one, to));
            }
            to.out.push(0);
            let start = to.out.len();
            list.iter().try_for_each(|one| element(field, one, to))?;
            to.close(start)
        }
        Member::Choice(choice, Some((at, one))) => {
            let field = &choice.alternatives[at];
            to.out.push(tag(field) as u8);
            element(field, one, to)
        }
        Member::Optional(..) => unspeakable("fields that may be absent"),
        Member::Map(..) => unspeakable("maps"),
        Member::Choice(_, None) => unspeakable("oneofs that may be empty"),
    })
}

fn element(field: &FieldInfo, value: &Datum, to: &mut Body<'_>) -> Result<(), Fault> {
    match value {
        Datum::Bool(_) => unspeakable("booleans"),
        Datum::F32(_) | Datum::F64(_) => unspeakable("floating-point numbers"),
        Datum::I32(value) => integer(field, (*value).into(), to),
        Datum::I64(value) => integer(field, *value, to),
        Datum::U32(value) => integer(field, (*value).into(), to),
        Datum::U64(value) if field.range.is_some() && *value > i64::MAX.cast_unsigned() => {
            Err(Fault::in_field(Problem::OutOfRange((*value).into()), field.name))
        }
        Datum::U64(value) => integer(field, value.cast_signed(), to),
        Datum::Enum(..) => integer(field, value.number().into(), to),
        Datum::Text(text) => opaque(field, text.as_bytes(), to),
        Datum::Bytes(bytes) => opaque(field, bytes, to),
        Datum::Message(value) => record(value, to),
    }
}

fn integer(field: &FieldInfo, value: i64, to: &mut Body<'_>) -> Result<(), Fault> {
    in_range(field, value)?;
    match width_of(field) {
        Some(Integer { bits: 8, .. }) => to.out.push(value as u8),
        Some(Integer { bits: 16, .. }) => to.out.extend_from_slice(&(value as u16).to_be_bytes()),
        Some(Integer { bits: 32, .. }) => to.out.extend_from_slice(&(value as u32).to_be_bytes()),
        Some(_) => to.out.extend_from_slice(&value.to_be_bytes()),
        None => to.put_intx(value.cast_unsigned())?,
    }
    Ok(())
}

fn opaque(field: &FieldInfo, value: &[u8], to: &mut Body<'_>) -> Result<(), Fault> {
    let allowed = field.value_length();
    rule::length(field, allowed, value.len())?;
    if allowed.fixed.is_none() {
        to.put_intx(value.len() as u64)?;
    }
    to.out.extend_from_slice(value);
    Ok(())
}

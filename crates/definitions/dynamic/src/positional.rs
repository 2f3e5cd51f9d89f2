//! LCM, ROS 1 and CDR: fields one after the other, without names or numbers.

use wiredyno_codec::positional::writer::Body;
use wiredyno_codec::positional::{Layout, integer_of};
use wiredyno_codec::record::{Fault, FieldInfo, Length, Problem};
use wiredyno_codec_cdr::{BIG_HEADER, Big, LITTLE_HEADER, Little};
use wiredyno_codec_lcm::container::Envelope;
use wiredyno_codec_lcm::{Network, header};
use wiredyno_codec_ros1::container::Times;
use wiredyno_codec_ros1::{Plain, UDP_HEADER};

use crate::described::Described;
use crate::rule::{self, in_range, misplaced};
use crate::value::{Datum, Member, Record};

pub fn ros1(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    write::<Plain>(value, out)
}

pub fn ros1_udp(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    out.extend_from_slice(&UDP_HEADER);
    out.extend_from_slice(&[0; 4]);
    let start = out.len();
    write::<Plain>(value, out)?;
    let length = out.len() - start;
    let length = u32::try_from(length).map_err(|_| Fault::new(Problem::Length(length as u64)))?;
    out[start - 4..start].copy_from_slice(&length.to_le_bytes());
    Ok(())
}

pub fn ros1_container(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    let mut message = Vec::new();
    write::<Plain>(value, &mut message)?;
    Times::default().wrap(&message, out)
}

pub fn lcm(described: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    out.extend_from_slice(&described.fingerprint().to_be_bytes());
    write::<Network>(value, out)
}

pub fn lcm_udp(described: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    out.extend_from_slice(&header(value.info));
    lcm(described, value, out)
}

pub fn lcm_container(described: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    let mut message = Vec::new();
    lcm(described, value, &mut message)?;
    Envelope::of(value.info).wrap(&message, out)
}

pub fn cdr(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    out.extend_from_slice(&LITTLE_HEADER);
    write::<Little>(value, out)
}

pub fn cdr_big_endian(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    out.extend_from_slice(&BIG_HEADER);
    write::<Big>(value, out)
}

fn write<L: Layout>(value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    record(value, &mut Body::<L, Vec<u8>>::new(out))
}

type To<'o, L> = Body<'o, L, Vec<u8>>;

fn record<L: Layout>(value: &Record, to: &mut To<'_, L>) -> Result<(), Fault> {
    for member in value.members() {
        match member {
            Member::One(field, one) => element(field, one, to)?,
            Member::Optional(field, one) => {
                to.length(usize::from(one.is_some()))?;
                one.map_or(Ok(()), |one| element(field, one, to))?;
            }
            Member::List(field, list) => {
                count(field, field.list_length(), list.len(), to)?;
                list.iter().try_for_each(|one| element(field, one, to))?;
            }
            Member::Map(field, entries) => {
                count(field, field.list_length(), entries.len(), to)?;
                for (key, one) in entries {
                    element(&rule::key(field), key, to)?;
                    element(field, one, to)?;
                }
            }
            Member::Choice(choice, chosen) => {
                for (at, field) in choice.alternatives.iter().enumerate() {
                    let one = chosen.filter(|(place, _)| *place == at);
                    to.length(usize::from(one.is_some()))?;
                    one.map_or(Ok(()), |(_, one)| element(field, one, to))?;
                }
            }
        }
    }
    Ok(())
}

/// Writes the number of elements or bytes, unless the definition fixes it.
fn count<L: Layout>(
    field: &FieldInfo,
    allowed: Length,
    count: usize,
    to: &mut To<'_, L>,
) -> Result<(), Fault> {
    rule::length(field, allowed, count)?;
    if allowed.fixed.is_some() { Ok(()) } else { to.length(count) }
}

fn element<L: Layout>(field: &FieldInfo, value: &Datum, to: &mut To<'_, L>) -> Result<(), Fault> {
    match value {
        Datum::Bool(value) => to.number([u8::from(*value)]),
        Datum::F32(value) => to.number(value.to_le_bytes()),
        Datum::F64(value) => to.number(value.to_le_bytes()),
        Datum::Text(text) if !L::NUL => {
            to.length(text.len())?;
            to.raw(text.as_bytes());
        }
        Datum::Text(text) if text.as_bytes().contains(&0) => {
            return Err(Fault::in_field(Problem::Text, field.name));
        }
        Datum::Text(text) => {
            to.length(text.len() + 1)?;
            to.raw(text.as_bytes());
            to.raw(&[0]);
        }
        Datum::Bytes(bytes) => {
            count(field, field.value_length(), bytes.len(), to)?;
            to.raw(bytes);
        }
        Datum::Message(value) => record(value, to)?,
        Datum::Enum(..) => integer(field, value.number().into(), to)?,
        Datum::U64(bits) => {
            in_range(field, value.integer().unwrap_or(i64::MAX))?;
            integer(field, bits.cast_signed(), to)?;
        }
        Datum::I32(_) | Datum::I64(_) | Datum::U32(_) => {
            let value = value.integer().ok_or_else(|| misplaced(field))?;
            in_range(field, value)?;
            integer(field, value, to)?;
        }
    }
    Ok(())
}

/// Writes the low bytes of a number.
fn integer<L: Layout>(field: &FieldInfo, value: i64, to: &mut To<'_, L>) -> Result<(), Fault> {
    match integer_of(field, L::INTEGERS).ok_or_else(|| misplaced(field))?.bits {
        8 => to.number((value as i8).to_le_bytes()),
        16 => to.number((value as i16).to_le_bytes()),
        32 => to.number((value as i32).to_le_bytes()),
        _ => to.number(value.to_le_bytes()),
    }
    Ok(())
}

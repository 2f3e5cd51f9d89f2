//! Distinguished Encoding Rules: X.690 (02/2021), clauses 8 and 10.

use wiredyno_codec::asn1;
use wiredyno_codec::record::{Fault, FieldInfo, FieldType};

use super::{integer, put_length, put_octets, signed_octets};
use crate::described::Described;
use crate::rule;
use crate::value::{Datum, Member, Record};

/// The class bits of a context-specific tag, and the bit of a constructed encoding (8.1.2).
const CONTEXT: u8 = 0x80;
const CONSTRUCTED: u8 = 0x20;
/// The universal tag number of SEQUENCE and SEQUENCE OF.
const SEQUENCE: u32 = 16;

/// A tag's class bits and its number.
type Tag = (u8, u32);

pub fn write(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    constructed((0, SEQUENCE), out, |out| members(value, out))
}

fn put_tag((class, number): Tag, out: &mut Vec<u8>) {
    if number < 31 {
        return out.push(class | number as u8);
    }
    out.push(class | 31);
    let groups = (32 - number.leading_zeros()).div_ceil(7);
    for group in (0..groups).rev() {
        let more = if group > 0 { 0x80 } else { 0 };
        out.push((number >> (7 * group)) as u8 & 0x7f | more);
    }
}

fn primitive(tag: Tag, content: &[u8], out: &mut Vec<u8>) {
    put_tag(tag, out);
    put_length(content.len(), out);
    out.extend_from_slice(content);
}

fn constructed(
    (class, number): Tag,
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut content = Vec::new();
    write(&mut content)?;
    primitive((class | CONSTRUCTED, number), &content, out);
    Ok(())
}

fn members(value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    for (position, member) in (0..).zip(value.members()) {
        // AUTOMATIC TAGS: members are numbered from 0.
        let tag = (CONTEXT, position);
        match member {
            Member::One(field, one) | Member::Optional(field, Some(one)) => element(field, one, tag, out)?,
            Member::List(field, list) => {
                rule::length(field, field.list_length(), list.len())?;
                constructed(tag, out, |out| {
                    list.iter().try_for_each(|one| element(field, one, (0, universal(field.ty)), out))
                })?;
            }
            Member::Map(field, entries) => {
                rule::length(field, field.list_length(), entries.len())?;
                constructed(tag, out, |out| {
                    entries.iter().try_for_each(|(key, one)| {
                        constructed((0, SEQUENCE), out, |out| {
                            element(&rule::key(field), key, (CONTEXT, 0), out)?;
                            element(field, one, (CONTEXT, 1), out)
                        })
                    })
                })?;
            }
            // A CHOICE has no tag that the member's tag could replace, so the member's tag encloses it.
            Member::Choice(choice, Some((at, one))) => constructed(tag, out, |out| {
                element(&choice.alternatives[at], one, (CONTEXT, at as u32), out)
            })?,
            Member::Optional(_, None) | Member::Choice(_, None) => {}
        }
    }
    Ok(())
}

/// The universal tag number of a list's element (X.680, 8.4).
fn universal(ty: FieldType) -> u32 {
    match ty {
        FieldType::Bool => 1,
        FieldType::I32 | FieldType::I64 | FieldType::U32 | FieldType::U64 => 2,
        FieldType::F32 | FieldType::F64 | FieldType::Bytes => 4,
        FieldType::Enum(_) => 10,
        FieldType::Text => 12,
        FieldType::Message(_) => SEQUENCE,
    }
}

fn element(field: &FieldInfo, value: &Datum, tag: Tag, out: &mut Vec<u8>) -> Result<(), Fault> {
    match value {
        Datum::Bool(value) => primitive(tag, &[if *value { 0xff } else { 0 }], out),
        Datum::F32(value) => primitive(tag, &value.to_be_bytes(), out),
        Datum::F64(value) => primitive(tag, &value.to_be_bytes(), out),
        Datum::Text(text) => primitive(tag, text.as_bytes(), out),
        Datum::Bytes(bytes) => {
            rule::length(field, asn1::size(field), bytes.len())?;
            primitive(tag, bytes, out);
        }
        Datum::Enum(..) => number(tag, value.number().into(), out),
        Datum::Message(value) => constructed(tag, out, |out| members(value, out))?,
        _ => number(tag, integer(field, value)?, out),
    }
    Ok(())
}

fn number(tag: Tag, value: i128, out: &mut Vec<u8>) {
    let octets = signed_octets(value);
    put_tag(tag, out);
    put_length(octets, out);
    put_octets(value, octets, out);
}

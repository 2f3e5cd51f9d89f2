//! Aligned PER: X.691 (02/2021); comments name its clauses.

use wiredyno_codec::asn1::{self, Bounds, bounds};
use wiredyno_codec::record::{Fault, FieldInfo, Length};
use wiredyno_codec_asn1_uper::{FRAGMENT, MAX_FRAGMENTS, choice_width, index_width, width_of};

use super::{integer, signed_octets, unsigned_octets};
use crate::described::Described;
use crate::rule;
use crate::value::{Datum, Member, Record};

/// Size bounds from here on are not constraints (11.9.4.1).
const LIMIT: u32 = 1 << 16;

pub fn write(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    let start = out.len();
    let mut to = Bits { out, free: 0 };
    record(value, &mut to)?;
    // A complete encoding has at least one octet (11.1.3).
    if out.len() == start {
        out.push(0);
    }
    Ok(())
}

/// Bits, most significant first; messages begin at an octet boundary.
struct Bits<'o> {
    out: &'o mut Vec<u8>,
    /// Unused low bits of the last octet.
    free: u32,
}

impl Bits<'_> {
    fn put(&mut self, value: u64, width: u32) {
        let mut left = width;
        while left > 0 {
            if self.free == 0 {
                self.out.push(0);
                self.free = 8;
            }
            let now = left.min(self.free);
            let bits = (value >> (left - now)) as u8 & (0xff_u16 >> (8 - now)) as u8;
            self.free -= now;
            left -= now;
            if let Some(last) = self.out.last_mut() {
                *last |= bits << self.free;
            }
        }
    }

    fn align(&mut self) {
        self.free = 0;
    }

    /// Writes whole octets, aligned; writes nothing if there are none.
    fn octets(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.align();
            self.out.extend_from_slice(bytes);
        }
    }

    /// Writes the lowest octets of a number, aligned.
    fn number(&mut self, value: i128, octets: usize) {
        self.octets(&value.to_be_bytes()[16 - octets..]);
    }
}

fn record(value: &Record, to: &mut Bits<'_>) -> Result<(), Fault> {
    if value.info.extensible {
        to.put(0, 1);
    }
    for member in value.members() {
        match member {
            Member::Optional(_, one) => to.put(u64::from(one.is_some()), 1),
            Member::Choice(choice, one) if !choice.required => to.put(u64::from(one.is_some()), 1),
            _ => {}
        }
    }
    for member in value.members() {
        match member {
            Member::One(field, one) | Member::Optional(field, Some(one)) => element(field, one, to)?,
            Member::List(field, list) => counted(field, field.list_length(), list, to, |list, to| {
                list.iter().try_for_each(|one| element(field, one, to))
            })?,
            Member::Map(field, entries) => {
                counted(field, field.list_length(), entries, to, |entries, to| {
                    entries.iter().try_for_each(|(key, one)| {
                        element(&rule::key(field), key, to)?;
                        element(field, one, to)
                    })
                })?
            }
            Member::Choice(choice, Some((at, one))) => {
                if choice.extensible {
                    to.put(0, 1);
                }
                ordinal(at, choice.alternatives.len(), choice_width(choice), to);
                element(&choice.alternatives[at], one, to)?;
            }
            Member::Optional(_, None) | Member::Choice(_, None) => {}
        }
    }
    Ok(())
}

/// Writes an index among `count` alternatives: a constrained whole number (11.5.7).
fn ordinal(at: usize, count: usize, width: u32, to: &mut Bits<'_>) {
    match count {
        0..256 => to.put(at as u64, width),
        256 => to.number(at as i128, 1),
        _ => to.number(at as i128, 2),
    }
}

/// Writes a count in the form that its constraint determines (11.9), then the counted elements.
fn counted<T>(
    field: &FieldInfo,
    allowed: Length,
    items: &[T],
    to: &mut Bits<'_>,
    mut write: impl FnMut(&[T], &mut Bits<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    rule::length(field, allowed, items.len())?;
    match (allowed.fixed, allowed.max) {
        (Some(0..LIMIT), _) => return write(items, to),
        (None, Some(max @ 0..LIMIT)) => {
            ordinal(items.len(), max as usize + 1, width_of(max.into()), to);
            return write(items, to);
        }
        _ => {}
    }
    let mut rest = items;
    loop {
        let left = rest.len();
        let run = match left {
            0..128 => {
                to.number(left as i128, 1);
                left
            }
            128..FRAGMENT => {
                to.number(0x8000 | left as i128, 2);
                left
            }
            _ => {
                let units = (left / FRAGMENT).min(MAX_FRAGMENTS);
                to.number(0xc0 | units as i128, 1);
                units * FRAGMENT
            }
        };
        let (now, later) = rest.split_at(run);
        write(now, to)?;
        if run < FRAGMENT {
            return Ok(());
        }
        rest = later;
    }
}

/// Writes an OCTET STRING; one of fixed length up to two octets is not aligned (17.6).
fn octets(field: &FieldInfo, allowed: Length, bytes: &[u8], to: &mut Bits<'_>) -> Result<(), Fault> {
    counted(field, allowed, bytes, to, |bytes, to| {
        match allowed.fixed {
            Some(0..=2) => bytes.iter().for_each(|byte| to.put(u64::from(*byte), 8)),
            _ => to.octets(bytes),
        }
        Ok(())
    })
}

fn element(field: &FieldInfo, value: &Datum, to: &mut Bits<'_>) -> Result<(), Fault> {
    match value {
        Datum::Bool(value) => to.put(u64::from(*value), 1),
        Datum::F32(value) => to.octets(&value.to_be_bytes()),
        Datum::F64(value) => to.octets(&value.to_be_bytes()),
        Datum::Text(text) => octets(field, Length { fixed: None, max: None }, text.as_bytes(), to)?,
        Datum::Bytes(bytes) => octets(field, asn1::size(field), bytes, to)?,
        // Enumeration indexes are not aligned here, as in rasn.
        Datum::Enum(info, ordinal) => {
            to.put(*ordinal as u64, index_width(info) + u32::from(info.extensible));
        }
        Datum::Message(value) => record(value, to)?,
        _ => number(field, integer(field, value)?, to),
    }
    Ok(())
}

fn number(field: &FieldInfo, value: i128, to: &mut Bits<'_>) {
    let octets = match bounds(field) {
        Bounds::Within(min, max) => return within(value - i128::from(min), max.abs_diff(min), to),
        Bounds::Natural => unsigned_octets(value.unsigned_abs()),
        Bounds::Any => signed_octets(value),
    };
    to.number(octets as i128, 1);
    to.number(value, octets);
}

/// Writes an offset from 0 to `span` (11.5.7).
fn within(offset: i128, span: u64, to: &mut Bits<'_>) {
    match span {
        0..255 => to.put(offset as u64, width_of(span)),
        255 => to.number(offset, 1),
        256..0x1_0000 => to.number(offset, 2),
        _ => {
            // The number of octets, from one to those of the span; then the offset in that many (13.2.6).
            let octets = unsigned_octets(offset.unsigned_abs());
            to.put(octets as u64 - 1, width_of(unsigned_octets(span.into()) as u64 - 1));
            to.number(offset, octets);
        }
    }
}

//! Apache Thrift's compact and (strict) binary protocols: a plain struct, without a message header.
//!
//! Source: doc/specs/thrift-compact-protocol.md and thrift-binary-protocol.md of Apache Thrift; where they leave a choice,
//! its Rust library 0.25: field numbers that increase by exactly 15 are written in full, structs nest at most 64 deep.

use wiredyno_codec::record::{Fault, FieldInfo, Problem};

use crate::described::Described;
use crate::of_codecs::thrift::{WireType, element_type};
use crate::rule::{in_range, key};
use crate::value::{Datum, Member, Record};

/// The library's default limit of nesting when writing.
const MAX_DEPTH: u32 = 64;

pub fn compact(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    structure(value, &mut Output { out, compact: true, last: 0, depth: 0 })
}

pub fn binary(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    structure(value, &mut Output { out, compact: false, last: 0, depth: 0 })
}

struct Output<'o> {
    out: &'o mut Vec<u8>,
    /// Whether the protocol is compact; else binary.
    compact: bool,
    /// The number of this struct's last field.
    last: u32,
    depth: u32,
}

impl Output<'_> {
    /// A type's number. In the compact protocol, a boolean field's type says true or false; elements have that of true.
    fn number_of(&self, ty: WireType) -> u8 {
        let (compact, binary) = match ty {
            WireType::Bool => (1, 2),
            WireType::I8 => (3, 3),
            WireType::I16 => (4, 6),
            WireType::I32 => (5, 8),
            WireType::I64 => (6, 10),
            WireType::Double => (7, 4),
            WireType::String => (8, 11),
            WireType::Struct => (12, 12),
            WireType::Map => (11, 13),
            WireType::List => (9, 15),
        };
        if self.compact { compact } else { binary }
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.out.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.out.push(value as u8);
    }

    /// Writes a field's header; `carries` refuses numbers above 32,767.
    fn field(&mut self, ty: u8, number: u32) {
        if !self.compact {
            self.out.push(ty);
            self.out.extend((number as u16).to_be_bytes());
            return;
        }
        match number.checked_sub(self.last) {
            Some(step @ 1..15) => self.out.push((step as u8) << 4 | ty),
            _ => {
                self.out.push(ty);
                self.varint(zigzag(number.into()));
            }
        }
        self.last = number;
    }

    /// Writes the elements' type and count.
    fn list(&mut self, ty: WireType, count: u32) {
        let ty = self.number_of(ty);
        match count {
            _ if !self.compact => {
                self.out.push(ty);
                self.out.extend(count.to_be_bytes());
            }
            0..15 => self.out.push((count as u8) << 4 | ty),
            _ => {
                self.out.push(0xf0 | ty);
                self.varint(count.into());
            }
        }
    }

    /// Writes the types of keys and values, and the count; the compact protocol writes only the count if it is 0.
    fn map(&mut self, key: WireType, value: WireType, count: u32) {
        let (key, value) = (self.number_of(key), self.number_of(value));
        if !self.compact {
            self.out.extend([key, value]);
            self.out.extend(count.to_be_bytes());
            return;
        }
        self.varint(count.into());
        if count > 0 {
            self.out.push(key << 4 | value);
        }
    }

    fn integer(&mut self, ty: WireType, value: i64) {
        match (ty, self.compact) {
            (WireType::I8, _) => self.out.push(value as u8),
            (_, true) => self.varint(zigzag(value)),
            (WireType::I16, _) => self.out.extend((value as i16).to_be_bytes()),
            (WireType::I32, _) => self.out.extend((value as i32).to_be_bytes()),
            _ => self.out.extend(value.to_be_bytes()),
        }
    }

    fn double(&mut self, value: f64) {
        self.out.extend(if self.compact { value.to_le_bytes() } else { value.to_be_bytes() });
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let length = count(bytes.len()).map_err(Fault::new)?;
        match self.compact {
            true => self.varint(length.into()),
            false => self.out.extend(length.to_be_bytes()),
        }
        self.out.extend_from_slice(bytes);
        Ok(())
    }
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

/// A number of elements or bytes, which Thrift stores signed.
fn count(count: usize) -> Result<u32, Problem> {
    match i32::try_from(count) {
        Ok(count) => Ok(count.cast_unsigned()),
        Err(_) => Err(Problem::Length(count as u64)),
    }
}

fn structure(value: &Record, to: &mut Output<'_>) -> Result<(), Fault> {
    if to.depth == MAX_DEPTH {
        return Err(Fault::new(Problem::Depth(MAX_DEPTH)));
    }
    to.depth += 1;
    let last = std::mem::take(&mut to.last);
    for member in value.members() {
        match member {
            Member::One(field, one) | Member::Optional(field, Some(one)) => self::field(field, one, to)?,
            Member::List(field, list) => {
                to.field(to.number_of(WireType::List), field.number);
                let count = count(list.len()).map_err(|problem| Fault::in_field(problem, field.name))?;
                to.list(element_type(field), count);
                list.iter().try_for_each(|one| element(field, one, to))?;
            }
            Member::Map(field, entries) => map(field, entries, to)?,
            Member::Choice(choice, Some((at, one))) => self::field(&choice.alternatives[at], one, to)?,
            Member::Optional(_, None) | Member::Choice(_, None) => {}
        }
    }
    to.out.push(0);
    to.last = last;
    to.depth -= 1;
    Ok(())
}

fn field(field: &FieldInfo, value: &Datum, to: &mut Output<'_>) -> Result<(), Fault> {
    if let (Datum::Bool(value), true) = (value, to.compact) {
        to.field(boolean(*value), field.number);
        return Ok(());
    }
    to.field(to.number_of(element_type(field)), field.number);
    element(field, value, to)
}

/// A boolean in the compact protocol, as a field's type and as an element.
fn boolean(value: bool) -> u8 {
    if value { 1 } else { 2 }
}

fn map(field: &FieldInfo, entries: &[(Datum, Datum)], to: &mut Output<'_>) -> Result<(), Fault> {
    let key = key(field);
    to.field(to.number_of(WireType::Map), field.number);
    let count = count(entries.len()).map_err(|problem| Fault::in_field(problem, field.name))?;
    to.map(element_type(&key), element_type(field), count);
    for (name, one) in entries {
        element(&key, name, to)?;
        element(field, one, to)?;
    }
    Ok(())
}

fn element(field: &FieldInfo, value: &Datum, to: &mut Output<'_>) -> Result<(), Fault> {
    if let Some(value) = value.integer() {
        in_range(field, value)?;
    }
    match value {
        Datum::Bool(value) if to.compact => to.out.push(boolean(*value)),
        Datum::Bool(value) => to.out.push((*value).into()),
        Datum::I32(value) => to.integer(element_type(field), (*value).into()),
        Datum::I64(value) => to.integer(element_type(field), *value),
        Datum::U32(value) => to.integer(element_type(field), (*value).into()),
        Datum::U64(value) => to.integer(element_type(field), value.cast_signed()),
        Datum::F32(value) => to.double((*value).into()),
        Datum::F64(value) => to.double(*value),
        Datum::Text(text) => to.bytes(text.as_bytes())?,
        Datum::Bytes(bytes) => to.bytes(bytes)?,
        Datum::Enum(..) => to.integer(WireType::I32, value.number().into()),
        Datum::Message(value) => structure(value, to)?,
    }
    Ok(())
}

//! Cap'n Proto, plain and packed, with the positions that the codec's layout determines.

mod segments;

use segments::{At, Segments, Structure, Width};
use wiredyno_codec::record::{Fault, FieldInfo, FieldType, Integer, Problem, Shape};

use crate::described::Described;
use crate::of_codecs::capnproto::{Entry, Size, Slot, entry, has_flag, size};
use crate::rule::{in_range, key, misplaced};
use crate::value::{Datum, Member, Record};

/// The most elements of a list, words of a list of structs and bytes of a text that a list pointer can count.
const MAX_ELEMENTS: usize = (1 << 29) - 1;

pub fn plain(described: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    message(described, value)?.write(out);
    Ok(())
}

pub fn packed(described: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    message(described, value)?.write_packed(out);
    Ok(())
}

fn message(described: &Described, value: &Record) -> Result<Segments, Fault> {
    let (segments, root) = Segments::new();
    let mut to = Output { described, segments };
    let structure = to.segments.structure(root, size(value.info));
    to.structure(value, structure)?;
    Ok(to.segments)
}

/// Where the next value is written.
#[derive(Clone, Copy)]
enum Place {
    /// A field of a struct, at the offset that its [`Slot`] gives.
    Field(Structure, u32),
    /// An element of the list of scalars or pointers that begins here.
    Element(At, u32),
    /// An element of a list of structs.
    Struct(Structure),
}

struct Output<'p> {
    described: &'p Described,
    segments: Segments,
}

impl Output<'_> {
    fn structure(&mut self, value: &Record, to: Structure) -> Result<(), Fault> {
        let described = self.described;
        let mut slots = described.slots(value.index).iter();
        let mut slot = || slots.next().copied().unwrap_or(Slot { at: 0, flag: 0, union: 0 });
        for member in value.members() {
            match member {
                Member::One(field, one) => self.element(field, one, Place::Field(to, slot().at))?,
                Member::Optional(field, one) => {
                    let slot = slot();
                    if let Some(one) = one {
                        if has_flag(field) {
                            self.segments.put_bit(to.data, slot.flag as usize);
                        }
                        self.element(field, one, Place::Field(to, slot.at))?;
                    }
                }
                Member::List(field, list) => self.elements(field, list, pointer(to, slot().at))?,
                Member::Map(field, entries) => self.map(field, entries, pointer(to, slot().at))?,
                Member::Choice(choice, chosen) => {
                    let slots: Vec<Slot> = choice.alternatives.iter().map(|_| slot()).collect();
                    if let Some((at, one)) = chosen {
                        // `none` is 0.
                        let union = to.data.plus(slots[0].union as usize * 2);
                        self.segments.put(union, &(at as u16 + 1).to_le_bytes());
                        self.element(&choice.alternatives[at], one, Place::Field(to, slots[at].at))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn elements(&mut self, field: &FieldInfo, list: &[Datum], to: At) -> Result<(), Fault> {
        if list.is_empty() {
            return Ok(());
        }
        if let FieldType::Message(info) = field.ty {
            let size = size(info);
            let made = self.segments.structures(to, structs(field, list.len(), size)?, size);
            return made.zip(list).try_for_each(|(made, one)| self.element(field, one, Place::Struct(made)));
        }
        let made = self.segments.list(to, count(field, list.len())?, width(field));
        (0..).zip(list).try_for_each(|(at, one)| self.element(field, one, Place::Element(made, at)))
    }

    fn map(&mut self, field: &FieldInfo, entries: &[(Datum, Datum)], to: At) -> Result<(), Fault> {
        if entries.is_empty() {
            return Ok(());
        }
        let key = key(field);
        let Entry { key: key_at, value: value_at, size } = entry(&key, field);
        let made = self.segments.structures(to, structs(field, entries.len(), size)?, size);
        for (made, (name, one)) in made.zip(entries) {
            self.element(&key, name, Place::Field(made, key_at))?;
            self.element(field, one, Place::Field(made, value_at))?;
        }
        Ok(())
    }

    /// Writes a number in its own width.
    fn scalar(&mut self, field: &FieldInfo, bytes: &[u8], place: Place) -> Result<(), Fault> {
        let (start, at) = match place {
            Place::Field(structure, at) => (structure.data, at),
            Place::Element(start, at) => (start, at),
            Place::Struct(..) => return Err(misplaced(field)),
        };
        self.segments.put(start.plus(at as usize * bytes.len()), bytes);
        Ok(())
    }

    fn element(&mut self, field: &FieldInfo, value: &Datum, place: Place) -> Result<(), Fault> {
        match value {
            Datum::Bool(false) => Ok(()),
            Datum::Bool(true) => {
                match place {
                    Place::Field(structure, at) => self.segments.put_bit(structure.data, at as usize),
                    Place::Element(start, at) => self.segments.put_bit(start, at as usize),
                    Place::Struct(..) => return Err(misplaced(field)),
                }
                Ok(())
            }
            Datum::F32(value) => self.scalar(field, &value.to_le_bytes(), place),
            Datum::F64(value) => self.scalar(field, &value.to_le_bytes(), place),
            Datum::Enum(_, ordinal) => self.scalar(field, &(*ordinal as u16).to_le_bytes(), place),
            Datum::I32(value) => self.integer(field, (*value).into(), place),
            Datum::I64(value) => self.integer(field, *value, place),
            Datum::U32(value) => self.integer(field, (*value).into(), place),
            Datum::U64(value) if field.range.is_some() && i64::try_from(*value).is_err() => {
                Err(Fault::in_field(Problem::OutOfRange((*value).into()), field.name))
            }
            Datum::U64(value) => self.integer(field, value.cast_signed(), place),
            // A text ends in a NUL.
            Datum::Text(text) => self.block(field, text.as_bytes(), 1, place),
            Datum::Bytes(bytes) => self.block(field, bytes, 0, place),
            Datum::Message(value) => {
                let to = match place {
                    Place::Struct(structure) => structure,
                    place => self.segments.structure(pointer_at(field, place)?, size(value.info)),
                };
                self.structure(value, to)
            }
        }
    }

    /// Writes a text or byte string; an empty one is omitted if that means the same.
    fn block(&mut self, field: &FieldInfo, bytes: &[u8], behind: usize, place: Place) -> Result<(), Fault> {
        if bytes.is_empty() && !matches!(field.shape, Shape::Optional) {
            return Ok(());
        }
        if bytes.len() >= MAX_ELEMENTS {
            return Err(Fault::in_field(Problem::Length(bytes.len() as u64), field.name));
        }
        let count = count(field, bytes.len() + behind)?;
        let at = self.segments.list(pointer_at(field, place)?, count, Width::Byte);
        self.segments.put(at, bytes);
        Ok(())
    }

    fn integer(&mut self, field: &FieldInfo, value: i64, place: Place) -> Result<(), Fault> {
        in_range(field, value)?;
        let bytes = field.integer().ok_or_else(|| misplaced(field))?.bytes();
        self.scalar(field, &value.to_le_bytes()[..bytes], place)
    }
}

fn pointer(structure: Structure, at: u32) -> At {
    structure.pointers.plus(at as usize * segments::WORD)
}

fn pointer_at(field: &FieldInfo, place: Place) -> Result<At, Fault> {
    match place {
        Place::Field(structure, at) => Ok(pointer(structure, at)),
        Place::Element(start, at) => Ok(start.plus(at as usize * segments::WORD)),
        Place::Struct(..) => Err(misplaced(field)),
    }
}

fn count(field: &FieldInfo, count: usize) -> Result<u32, Fault> {
    match count {
        0..=MAX_ELEMENTS => Ok(count as u32),
        _ => Err(Fault::in_field(Problem::Length(count as u64), field.name)),
    }
}

/// The number of structs, all of whose words a list pointer can count.
fn structs(field: &FieldInfo, structs: usize, size: Size) -> Result<u32, Fault> {
    match structs.saturating_mul(size.words() as usize) {
        0..=MAX_ELEMENTS => count(field, structs),
        _ => Err(Fault::in_field(Problem::Length(structs as u64), field.name)),
    }
}

/// How a list stores its elements, unless they are structs.
fn width(field: &FieldInfo) -> Width {
    match field.ty {
        FieldType::Bool => Width::Bit,
        FieldType::Enum(_) => Width::TwoBytes,
        FieldType::F32 => Width::FourBytes,
        FieldType::F64 => Width::EightBytes,
        FieldType::Text | FieldType::Bytes | FieldType::Message(_) => Width::Pointer,
        _ => match field.integer() {
            Some(Integer { bits: 8, .. }) => Width::Byte,
            Some(Integer { bits: 16, .. }) => Width::TwoBytes,
            Some(Integer { bits: 32, .. }) => Width::FourBytes,
            _ => Width::EightBytes,
        },
    }
}

//! FlatBuffers as planus builds them: from the back, with equal vtables, texts and byte strings written once.
//!
//! planus' own builder requires compile-time types; this one performs the same steps (planus 1.3, `builder.rs`, `table_writer.rs`)
//! at run time. The schema is that of `wiredyno_schema::idl::fbs`.

use std::collections::HashMap;

use wiredyno_codec::record::{EnumInfo, Fault, FieldType};

use crate::described::Described;
use crate::value::{Datum, Member, Record};

/// The most fields of a table: a vtable's size in bytes is a 16-bit number.
const MAX_FIELDS: usize = (u16::MAX as usize - 4) / 2;

pub fn write(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    let mut to = Builder::default();
    let root = to.table(value)?;
    let at = to.prepare(4, 4.max(to.alignment));
    to.front(&(at - root).to_le_bytes());
    out.extend(to.reversed.iter().rev());
    Ok(())
}

/// An offset from the end of the buffer.
type Offset = u32;

/// A value in a table or vector: its bytes, or the offset that it points to.
enum Held {
    Scalar(u64, u32),
    Pointer(Offset),
}

impl Held {
    fn bytes(&self) -> u32 {
        match self {
            Held::Scalar(_, bytes) => *bytes,
            Held::Pointer(_) => 4,
        }
    }

    /// Writes it, where `at` is its start, counted from the end.
    fn put(&self, at: Offset, out: &mut Vec<u8>) {
        match self {
            Held::Scalar(value, bytes) => out.extend_from_slice(&value.to_le_bytes()[..*bytes as usize]),
            Held::Pointer(to) => out.extend_from_slice(&(at - to).to_le_bytes()),
        }
    }
}

struct Builder {
    /// The buffer, in reverse order.
    reversed: Vec<u8>,
    delayed: u32,
    alignment: u32,
    vtables: HashMap<Vec<u8>, Offset>,
    texts: HashMap<Vec<u8>, Offset>,
    byte_strings: HashMap<Vec<u8>, Offset>,
}

impl Default for Builder {
    fn default() -> Builder {
        let (vtables, texts, byte_strings) = Default::default();
        Builder { reversed: Vec::new(), delayed: 0, alignment: 1, vtables, texts, byte_strings }
    }
}

impl Builder {
    fn length(&self) -> Offset {
        self.reversed.len() as Offset
    }

    /// Pads so that a block of `bytes` bytes is aligned in the finished buffer; returns the offset of its start.
    fn prepare(&mut self, bytes: u32, alignment: u32) -> Offset {
        let delayed = self.delayed.wrapping_sub(bytes) & (self.alignment - 1);
        let padding = delayed & (alignment - 1);
        self.delayed = delayed.wrapping_sub(padding);
        self.alignment = self.alignment.max(alignment);
        self.reversed.resize(self.reversed.len() + padding as usize, 0);
        self.length() + bytes
    }

    fn front(&mut self, bytes: &[u8]) {
        self.reversed.extend(bytes.iter().rev());
    }

    /// Writes a length, bytes and a terminator, only once for equal blocks.
    fn block(&mut self, bytes: &[u8], is_text: bool) -> Offset {
        let known = if is_text { &self.texts } else { &self.byte_strings };
        if let Some(offset) = known.get(bytes) {
            return *offset;
        }
        let end: &[u8] = if is_text { &[0] } else { &[] };
        let offset = self.prepare((4 + bytes.len() + end.len()) as u32, 4);
        self.front(end);
        self.front(bytes);
        self.front(&(bytes.len() as u32).to_le_bytes());
        let known = if is_text { &mut self.texts } else { &mut self.byte_strings };
        known.insert(bytes.to_vec(), offset);
        offset
    }

    /// Writes fields, each with its index in the vtable, in their order.
    fn fields(&mut self, mut fields: Vec<(usize, Held)>) -> Offset {
        // planus orders them by width, the widest first.
        fields.sort_by_key(|(place, held)| (std::cmp::Reverse(held.bytes()), *place));
        let mut places = vec![0_u16; fields.iter().map(|(place, _)| place + 1).max().unwrap_or(0)];
        let (mut size, mut alignment) = (4, 4);
        for (place, held) in &fields {
            places[*place] = size as u16;
            size += held.bytes();
            alignment = alignment.max(held.bytes());
        }
        let header = [4 + 2 * places.len() as u16, size as u16];
        let vtable: Vec<u8> = header.into_iter().chain(places).flat_map(u16::to_le_bytes).collect();
        let vtable_at = match self.vtables.get(&vtable) {
            Some(offset) => *offset,
            None => {
                let offset = self.prepare(vtable.len() as u32, 2);
                self.front(&vtable);
                self.vtables.insert(vtable, offset);
                offset
            }
        };
        let mut at = self.prepare(size - 4, alignment);
        let mut block = Vec::new();
        for (_, held) in &fields {
            held.put(at, &mut block);
            at -= held.bytes();
        }
        self.front(&block);
        let at = self.prepare(4, 1);
        self.front(&vtable_at.wrapping_sub(at).to_le_bytes());
        self.length()
    }

    fn vector(&mut self, elements: &[Held], width: u32) -> Offset {
        let mut at = self.prepare(width * elements.len() as u32, width.max(4));
        let mut block = Vec::new();
        for held in elements {
            held.put(at, &mut block);
            at -= width;
        }
        self.front(&block);
        self.prepare(4, 1);
        self.front(&(elements.len() as u32).to_le_bytes());
        self.length()
    }

    fn table(&mut self, value: &Record) -> Result<Offset, Fault> {
        let mut fields = Vec::new();
        for (place, member) in value.fields().enumerate() {
            if place >= MAX_FIELDS {
                return Err(Fault::other(format_args!("a table has at most {MAX_FIELDS} fields")));
            }
            let held = match member {
                Member::One(_, one) => self.implicit(one)?,
                Member::Optional(_, None) | Member::Choice(..) => None,
                Member::Optional(_, Some(one)) => Some(self.element(one)?),
                Member::List(_, []) | Member::Map(_, []) => None,
                Member::List(field, list) => {
                    let elements = list.iter().map(|one| self.list_element(one));
                    let elements = elements.collect::<Result<Vec<Held>, Fault>>()?;
                    Some(Held::Pointer(self.vector(&elements, width(field.ty))))
                }
                Member::Map(_, entries) => {
                    let mut elements = Vec::with_capacity(entries.len());
                    for (key, one) in entries {
                        let key = self.implicit(key)?;
                        let one = self.implicit(one)?;
                        let fields = [key, one].into_iter().enumerate();
                        let fields = fields.filter_map(|(place, held)| Some((place, held?))).collect();
                        elements.push(Held::Pointer(self.fields(fields)));
                    }
                    Some(Held::Pointer(self.vector(&elements, 4)))
                }
            };
            fields.extend(held.map(|held| (place, held)));
        }
        Ok(self.fields(fields))
    }

    /// A field without presence: zeros, empty texts and byte strings are omitted.
    fn implicit(&mut self, value: &Datum) -> Result<Option<Held>, Fault> {
        let left_out = match value {
            Datum::F32(value) => *value == 0.0,
            Datum::F64(value) => *value == 0.0,
            Datum::Text(text) => text.is_empty(),
            Datum::Bytes(bytes) => bytes.is_empty(),
            Datum::Message(_) => false,
            _ => matches!(self.element(value)?, Held::Scalar(0, _)),
        };
        if left_out { Ok(None) } else { self.element(value).map(Some) }
    }

    /// Byte strings in lists are wrapped in a table each.
    fn list_element(&mut self, value: &Datum) -> Result<Held, Fault> {
        match value {
            Datum::Bytes(_) => {
                let held = self.implicit(value)?;
                let fields = held.into_iter().map(|held| (0, held)).collect();
                Ok(Held::Pointer(self.fields(fields)))
            }
            _ => self.element(value),
        }
    }

    fn element(&mut self, value: &Datum) -> Result<Held, Fault> {
        Ok(match value {
            Datum::Bool(value) => Held::Scalar((*value).into(), 1),
            Datum::I32(value) => Held::Scalar(value.cast_unsigned().into(), 4),
            Datum::I64(value) => Held::Scalar(value.cast_unsigned(), 8),
            Datum::U32(value) => Held::Scalar((*value).into(), 4),
            Datum::U64(value) => Held::Scalar(*value, 8),
            Datum::F32(value) => Held::Scalar(value.to_bits().into(), 4),
            Datum::F64(value) => Held::Scalar(value.to_bits(), 8),
            Datum::Enum(info, _) => Held::Scalar(value.number().cast_unsigned().into(), enum_width(info)),
            Datum::Text(text) => Held::Pointer(self.block(text.as_bytes(), true)),
            Datum::Bytes(bytes) => Held::Pointer(self.block(bytes, false)),
            Datum::Message(value) => Held::Pointer(self.table(value)?),
        })
    }
}

/// The size of one element of a vector, in bytes.
fn width(ty: FieldType) -> u32 {
    match ty {
        FieldType::Bool => 1,
        FieldType::I64 | FieldType::U64 | FieldType::F64 => 8,
        FieldType::Enum(info) => enum_width(info),
        _ => 4,
    }
}

/// The size of an enum in bytes: ubyte, short or int, as in the schema.
fn enum_width(info: &EnumInfo) -> u32 {
    let all_in = |low: i32, high: i32| info.values.iter().all(|(_, number)| (low..=high).contains(number));
    match () {
        () if all_in(0, 255) => 1,
        () if all_in(-32_768, 32_767) => 2,
        () => 4,
    }
}

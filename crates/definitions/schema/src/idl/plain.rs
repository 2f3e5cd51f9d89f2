//! Definitions as plain structs without absent members: what LCM, ROS messages, OMG IDL and ODVD have in common.
//!
//! The stand-ins are those of these formats' codecs: an optional field is a list of at most one element, and so
//! is each alternative of a oneof; a map is a list of {key, value}; bytes inside lists are wrapped in a struct.

use super::untold::{self, Tells, Width};
use super::{Expression, Note, Refusal};
use crate::model::{Cardinality, Definition, Field, Message, Type};

/// Which integer types a language has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Integers {
    /// Signed and unsigned, 8 to 64 bits.
    All,
    /// Signed, 8 to 64 bits, and one unsigned type of 8 bits.
    Signed,
    /// Signed and unsigned, 32 and 64 bits.
    Wide,
}

/// The type of one element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Plain {
    Bool,
    Integer {
        bits: u8,
        signed: bool,
    },
    F32,
    F64,
    Text,
    /// A byte of a byte string, which is a list of bytes.
    Byte,
    /// A struct, by its name.
    Struct(String),
    /// An enum, by its index in the definition.
    Enum(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    One,
    AtMostOne,
    Any { max: Option<u32> },
    Exactly(u32),
}

#[derive(Debug, Clone)]
pub(super) struct Member {
    pub name: String,
    pub number: u32,
    pub ty: Plain,
    pub count: Count,
}

#[derive(Debug, Clone)]
pub(super) struct Struct {
    pub name: String,
    pub members: Vec<Member>,
}

/// The structs in dependency order, as far as they are not recursive; the root's is the last.
pub(super) struct Structs {
    pub structs: Vec<Struct>,
    pub notes: Vec<Note>,
    /// The name of a recursive message, if there is one.
    pub recursive: Option<String>,
}

/// How a language differs from the others, and words its stand-ins.
pub(super) struct Language {
    pub name: &'static str,
    pub integers: Integers,
    /// Whether enums are types; else they are 32-bit integers, or the narrowest if [`Integers::All`].
    pub has_enums: bool,
    /// Whether fields and alternatives can be absent without a stand-in.
    pub has_absence: bool,
    /// Whether strings can contain any bytes, so that bytes become strings.
    pub has_byte_strings: bool,
    pub tells: Tells,
    /// How it expresses the package.
    pub package: &'static str,
}

pub(super) fn lower(definition: &Definition, language: &Language) -> Result<Structs, Refusal> {
    let mut lowering = Lowering {
        definition,
        language,
        done: Vec::new(),
        open: Vec::new(),
        out: Vec::new(),
        notes: Vec::from_iter(Note::package(definition, Expression::stand_in(language.package))),
        recursive: None,
    };
    lowering.message(0)?;
    Ok(Structs { structs: lowering.out, notes: lowering.notes, recursive: lowering.recursive })
}

struct Lowering<'a> {
    definition: &'a Definition,
    language: &'a Language,
    done: Vec<usize>,
    open: Vec<usize>,
    out: Vec<Struct>,
    notes: Vec<Note>,
    recursive: Option<String>,
}

pub(super) fn camel(name: &str) -> String {
    let mut upper = true;
    name.chars()
        .filter_map(|c| {
            let wanted = if upper { c.to_ascii_uppercase() } else { c };
            upper = c == '_';
            (c != '_').then_some(wanted)
        })
        .collect()
}

impl Lowering<'_> {
    fn message(&mut self, index: usize) -> Result<(), Refusal> {
        if self.done.contains(&index) {
            return Ok(());
        }
        let message = &self.definition.messages[index];
        if self.open.contains(&index) {
            self.recursive.get_or_insert_with(|| message.name.clone());
            return Ok(());
        }
        self.open.push(index);
        let mut members = Vec::new();
        let mut notes = Vec::new();
        for field in &message.fields {
            members.push(self.member(message, field, &mut notes)?);
        }
        self.open.pop();
        self.done.push(index);
        self.notes.extend(notes);
        self.out.push(Struct { name: message.name.clone(), members });
        Ok(())
    }

    fn member(&mut self, message: &Message, field: &Field, notes: &mut Vec<Note>) -> Result<Member, Refusal> {
        let mut standing_in = Vec::new();
        let optional = field.oneof.is_some() || field.cardinality == Cardinality::Optional;
        let options = &field.options;
        let many = matches!(field.cardinality, Cardinality::Repeated | Cardinality::Map(_));
        let byte_string = field.ty == Type::Bytes && !self.language.has_byte_strings;
        let ty = match field.cardinality {
            Cardinality::Map(key) => {
                standing_in.push("a list of {key, value}".to_owned());
                Plain::Struct(self.entry(message, field, key)?)
            }
            _ if byte_string && !many && !optional => Plain::Byte,
            _ => self.element(field, field.ty, if many { None } else { options.fixed_length })?,
        };
        let count = match (options.fixed_length, options.max_length) {
            _ if optional => Count::AtMostOne,
            (Some(length), _) if many || ty == Plain::Byte => Count::Exactly(length),
            (None, max) if many || ty == Plain::Byte => Count::Any { max },
            _ => Count::One,
        };
        if optional && !self.language.has_absence {
            standing_in.push("a list of at most one element".to_owned());
        }
        if field.oneof.is_some() {
            standing_in.push("a member of its own beside the other alternatives".to_owned());
        }
        if byte_string && ty != Plain::Byte {
            standing_in.push("a struct around bytes".to_owned());
        }
        if field.ty == Type::Bytes && self.language.has_byte_strings {
            standing_in.push("text of any bytes".to_owned());
        }
        standing_in.extend(self.integer_note(field, &ty));
        standing_in.extend(self.language.tells.untold(field));
        notes.push(Note::of(message, &field.name, Expression::by_all(standing_in)));
        Ok(Member { name: field.name.clone(), number: field.number, ty, count })
    }

    /// The stand-in for an integer or enum type that the language lacks.
    fn integer_note(&self, field: &Field, ty: &Plain) -> Option<String> {
        match (field.ty, ty) {
            (Type::Enum(_), Plain::Integer { bits, .. }) => Some(format!("an integer of {bits} bits")),
            (_, Plain::Integer { bits, signed }) => {
                untold::integer(field, Width { bits: *bits, signed: *signed })
            }
            _ => None,
        }
    }

    fn element(&mut self, field: &Field, ty: Type, fixed_length: Option<u32>) -> Result<Plain, Refusal> {
        Ok(match ty {
            Type::Bool => Plain::Bool,
            Type::F32 => Plain::F32,
            Type::F64 => Plain::F64,
            Type::String => Plain::Text,
            Type::Bytes if self.language.has_byte_strings => Plain::Text,
            Type::Bytes => Plain::Struct(self.bytes(fixed_length)),
            Type::Message(index) => {
                self.message(index)?;
                Plain::Struct(self.definition.messages[index].name.clone())
            }
            Type::Enum(index) if self.language.has_enums => Plain::Enum(index),
            Type::Enum(index) => {
                let numbers = self.definition.enums[index].values.iter().map(|value| i64::from(value.number));
                let (min, max) = (numbers.clone().min().unwrap_or(0), numbers.max().unwrap_or(0));
                match self.language.integers {
                    Integers::All => narrowest(min.min(0), max.max(0)),
                    _ => Plain::Integer { bits: 32, signed: true },
                }
            }
            Type::I32 | Type::I64 | Type::U32 | Type::U64 => self.integer(ty, field.options.range),
        })
    }

    fn integer(&self, ty: Type, range: Option<(i64, i64)>) -> Plain {
        let declared = Plain::Integer {
            bits: if matches!(ty, Type::I32 | Type::U32) { 32 } else { 64 },
            signed: matches!(ty, Type::I32 | Type::I64),
        };
        let wanted = match (self.language.integers, range) {
            (Integers::Wide, _) | (_, None) => declared,
            (_, Some((min, max))) => narrowest(min, max),
        };
        if self.language.integers != Integers::Signed {
            return wanted;
        }
        match (wanted, range) {
            (Plain::Integer { bits: 16, signed: false }, Some((_, max))) if max > 0x7fff => {
                Plain::Integer { bits: 32, signed: true }
            }
            (Plain::Integer { bits: 32, signed: false }, Some((_, max))) if max <= 0x7fff_ffff => {
                Plain::Integer { bits: 32, signed: true }
            }
            (Plain::Integer { bits: 32, signed: false }, _) => Plain::Integer { bits: 64, signed: true },
            (Plain::Integer { bits: bits @ (16 | 64), signed: false }, _) => {
                Plain::Integer { bits, signed: true }
            }
            (other, _) => other,
        }
    }

    fn entry(&mut self, message: &Message, field: &Field, key: Type) -> Result<String, Refusal> {
        let name = self.free_name(&format!("{}{}Entry", message.name, camel(&field.name)));
        let key = match key {
            Type::I32 | Type::I64 | Type::U32 | Type::U64 => self.integer(key, None),
            _ => self.element(field, key, None)?,
        };
        let value = self.element(field, field.ty, None)?;
        let member = |name: &str, number, ty| Member { name: name.to_owned(), number, ty, count: Count::One };
        let members = vec![member("key", 1, key), member("value", 2, value)];
        self.out.push(Struct { name: name.clone(), members });
        Ok(name)
    }

    /// The struct that wraps bytes.
    fn bytes(&mut self, fixed_length: Option<u32>) -> String {
        let (name, count) = match fixed_length {
            Some(length) => (format!("ByteString{length}"), Count::Exactly(length)),
            None => ("ByteString".to_owned(), Count::Any { max: None }),
        };
        let name = self.free_name(&name);
        if !self.out.iter().any(|known| known.name == name) {
            let members = vec![Member { name: "data".to_owned(), number: 1, ty: Plain::Byte, count }];
            self.out.push(Struct { name: name.clone(), members });
        }
        name
    }

    /// A name that no type of the definition has.
    fn free_name(&self, name: &str) -> String {
        let taken = |name: &str| {
            self.definition.messages.iter().any(|message| message.name.eq_ignore_ascii_case(name))
                || self.definition.enums.iter().any(|known| known.name.eq_ignore_ascii_case(name))
        };
        let mut name = name.to_owned();
        while taken(&name) {
            name.push('X');
        }
        name
    }
}

/// The narrowest integer type that holds both values.
fn narrowest(min: i64, max: i64) -> Plain {
    let Width { bits, signed } = Width::narrowest(min, max);
    Plain::Integer { bits, signed }
}

impl Structs {
    /// Refuses recursive definitions.
    pub fn flat(self, language: &Language) -> Result<Structs, Refusal> {
        match self.recursive {
            None => Ok(self),
            Some(path) => Err(Refusal {
                language: language.name,
                path,
                reason: "it contains itself, but types there must be complete before use".to_owned(),
            }),
        }
    }
}

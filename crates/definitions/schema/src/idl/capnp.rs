//! Cap'n Proto schemas.
//!
//! Names become lowerCamelCase, as the compiler requires; digits distinguish names that coincide or become empty. Fields are
//! numbered in the order of message.proto, because Cap'n Proto allows no gaps. Integers have the narrowest type that holds the
//! range. Absent texts, byte strings and messages are null pointers. Stand-ins: an optional scalar follows a Bool `has...`; a
//! oneof is a union with `none` before its members; a map is a list of {key, value} structs.
//!
//! Limit: enum numbers become positions, in ascending order of the numbers, because Cap'n Proto has no other numbers.

use std::fmt::Write as _;
use std::hash::Hasher as _;

use heck::ToLowerCamelCase;

use super::untold::{self, Tells, Width};
use super::{Expression, Idl, Lowered, Note, Refusal, entry_name, type_name};
use crate::model::{Cardinality, Definition, Field, Message, Type};

/// Cap'n Proto schemas, as the language `capnp`.
#[derive(Debug)]
pub struct Capnp;

impl Idl for Capnp {
    fn id(&self) -> &'static str {
        "capnp"
    }

    fn name(&self) -> &'static str {
        "Cap'n Proto schema"
    }

    fn extension(&self) -> &'static str {
        "capnp"
    }

    fn lower(&self, definition: &Definition) -> Result<Lowered, Refusal> {
        let root = &definition.root().full_name;
        let mut text = format!("@{:#x};\n# Lowered from {root}.\n\n", file_id(root));
        let unsaid = Expression::stand_in("names without it");
        let mut notes = Vec::from_iter(Note::package(definition, unsaid));
        notes.extend(Note::counted_enums(definition));
        for declared in &definition.enums {
            let _ = writeln!(text, "enum {} {{", type_name(&declared.name));
            let mut taken = Vec::new();
            for (place, value) in declared.ascending().enumerate() {
                let _ = writeln!(text, "  {} @{place};", member_name(&value.name, &mut taken));
            }
            text.push_str("}\n\n");
        }
        for message in &definition.messages {
            structure(definition, message, &mut text, &mut notes);
        }
        Ok(Lowered { text, notes })
    }
}

/// Each file needs a unique id with the top bit set: the FNV-1a hash of a name, that of the root.
pub(crate) fn file_id(name: &str) -> u64 {
    struct Fnv(u64);
    impl std::hash::Hasher for Fnv {
        fn finish(&self) -> u64 {
            self.0
        }
        fn write(&mut self, bytes: &[u8]) {
            for byte in bytes {
                self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    hash.write(name.as_bytes());
    hash.finish() | 1 << 63
}

fn structure(definition: &Definition, message: &Message, text: &mut String, notes: &mut Vec<Note>) {
    for field in &message.fields {
        if let Cardinality::Map(key) = field.cardinality {
            let _ = writeln!(
                text,
                "struct {} {{\n  key @0 :{};\n  value @1 :{};\n}}\n",
                entry_name(message, field),
                scalar(definition, key),
                element(definition, field)
            );
        }
    }
    let _ = writeln!(text, "struct {} {{", type_name(&message.name));
    let mut ordinal = 0u32;
    let mut next = || {
        ordinal += 1;
        ordinal - 1
    };
    let mut taken = Vec::new();
    for (index, field) in message.fields.iter().enumerate() {
        let name = member_name(&field.name, &mut taken);
        let element = element(definition, field);
        if let Some(oneof) = field.oneof.map(|oneof| &message.oneofs[oneof]) {
            if oneof.fields[0] == index {
                let union = member_name(&oneof.name, &mut taken);
                let _ = writeln!(text, "  {union} :union {{\n    none @{} :Void;", next());
            }
            let _ = writeln!(text, "    {name} @{} :{element};", next());
            if oneof.fields.last() == Some(&index) {
                text.push_str("  }\n");
            }
        } else {
            let ty = match field.cardinality {
                Cardinality::Repeated => format!("List({element})"),
                Cardinality::Map(_) => format!("List({})", entry_name(message, field)),
                _ => element,
            };
            if has_flag(field) {
                let flag = member_name(&flag_name(&field.name), &mut taken);
                let _ = writeln!(text, "  {flag} @{} :Bool;", next());
            }
            let _ = writeln!(text, "  {name} @{} :{ty};", next());
        }
        notes.push(Note::of(message, &field.name, expression(field)));
    }
    text.push_str("}\n\n");
}

/// A member's name that is not among those taken.
fn member_name(name: &str, taken: &mut Vec<String>) -> String {
    let cased = name.to_lower_camel_case();
    let own = match cased.starts_with(|c: char| c.is_ascii_alphabetic()) {
        true => cased,
        false => format!("x{cased}"),
    };
    let mut unique = own.clone();
    let mut number = 2;
    while taken.contains(&unique) {
        unique = format!("{own}{number}");
        number += 1;
    }
    taken.push(unique.clone());
    unique
}

/// The name of the Bool that says whether an optional scalar is present.
fn flag_name(field: &str) -> String {
    format!("has_{field}").to_lower_camel_case()
}

/// Whether absence needs a separate Bool, because the field is not a pointer.
pub(crate) fn has_flag(field: &Field) -> bool {
    field.cardinality == Cardinality::Optional
        && field.oneof.is_none()
        && !matches!(field.ty, Type::String | Type::Bytes | Type::Message(_))
}

fn expression(field: &Field) -> Expression {
    let shape = match field.cardinality {
        _ if field.oneof.is_some() => Some("a union with `none`".to_owned()),
        Cardinality::Map(_) => Some("a list of {key, value} structs".to_owned()),
        _ if has_flag(field) => Some(format!("a Bool `{}` before it", flag_name(&field.name))),
        _ => None,
    };
    let width = match field.options.range {
        Some((min, max)) => Some(Width::narrowest(min, max)),
        None => Width::declared(field.ty),
    };
    let integer = width.and_then(|width| untold::integer(field, width));
    Expression::by_all(shape.into_iter().chain(integer).chain(Tells::NO_LENGTHS.untold(field)))
}

fn element(definition: &Definition, field: &Field) -> String {
    let Some((min, max)) = field.options.range else {
        return scalar(definition, field.ty);
    };
    let width = Width::narrowest(min, max);
    format!("{}Int{}", if width.signed { "" } else { "U" }, width.bits)
}

fn scalar(definition: &Definition, ty: Type) -> String {
    match ty {
        Type::Bool => "Bool".to_owned(),
        Type::I32 => "Int32".to_owned(),
        Type::I64 => "Int64".to_owned(),
        Type::U32 => "UInt32".to_owned(),
        Type::U64 => "UInt64".to_owned(),
        Type::F32 => "Float32".to_owned(),
        Type::F64 => "Float64".to_owned(),
        Type::String => "Text".to_owned(),
        Type::Bytes => "Data".to_owned(),
        Type::Enum(index) => type_name(&definition.enums[index].name),
        Type::Message(index) => type_name(&definition.messages[index].name),
    }
}

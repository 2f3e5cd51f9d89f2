//! FlatBuffers schemas.
//!
//! Messages are tables. Scalars and enums without presence have the default zero, optional ones are `= null`;
//! empty texts, byte strings and vectors are omitted. Stand-ins: repeated bytes are tables around [ubyte], maps
//! are vectors of {key, value} tables, members of a oneof are optional fields. Keywords get a trailing underscore.

use std::fmt::Write as _;

use heck::ToSnakeCase as _;

use super::untold::{self, Tells, Width};
use super::{
    Expression, Idl, Lowered, Note, Refusal, entry_name, is_required_message, type_name, unreserved,
};
use crate::model::{Cardinality, Definition, Enum, Field, Message, Type};

/// FlatBuffers schemas, as the language `fbs`.
#[derive(Debug)]
pub struct Fbs;

/// The table that wraps each element of repeated bytes.
pub const BYTES_ELEMENT: &str = "BytesElement";

impl Idl for Fbs {
    fn id(&self) -> &'static str {
        "fbs"
    }

    fn name(&self) -> &'static str {
        "FlatBuffers schema"
    }

    fn extension(&self) -> &'static str {
        "fbs"
    }

    fn lower(&self, definition: &Definition) -> Result<Lowered, Refusal> {
        let mut text = format!("// Lowered from {}.\n\n", definition.root().full_name);
        let unsaid = Expression::stand_in("names without it");
        let mut notes = Vec::from_iter(Note::package(definition, unsaid));
        definition.enums.iter().for_each(|declared| enumeration(declared, &mut text));
        if has_repeated_bytes(definition) {
            let _ = writeln!(text, "table {BYTES_ELEMENT} {{\n  value: [ubyte];\n}}\n");
        }
        for message in &definition.messages {
            table(definition, message, &mut text, &mut notes);
        }
        let _ = writeln!(text, "root_type {};", type_name(&definition.root().name));
        Ok(Lowered { text, notes })
    }
}

/// Keywords of the language, which planus does not accept as names.
const RESERVED: &[&str] = &[
    "attribute",
    "enum",
    "file_extension",
    "file_identifier",
    "include",
    "namespace",
    "native_include",
    "root_type",
    "rpc_service",
    "struct",
    "table",
    "union",
];

/// A field's name in the schema. `gen` is a keyword of Rust 2024 that planus 1.3 does not escape.
pub fn field_name(name: &str) -> String {
    match name.to_snake_case() == "gen" {
        true => "gen_v".to_owned(),
        false => unreserved(name, RESERVED),
    }
}

/// Whether the definition has repeated bytes, so that the schema needs [`BYTES_ELEMENT`].
pub fn has_repeated_bytes(definition: &Definition) -> bool {
    let mut fields = definition.messages.iter().flat_map(|message| &message.fields);
    fields.any(|field| field.ty == Type::Bytes && field.cardinality == Cardinality::Repeated)
}

fn enumeration(declared: &Enum, text: &mut String) {
    let values: Vec<_> =
        declared.ascending().map(|v| format!("  {} = {}", unreserved(&v.name, RESERVED), v.number)).collect();
    let _ = writeln!(
        text,
        "enum {} : {} {{\n{}\n}}\n",
        type_name(&declared.name),
        enum_base(declared),
        values.join(",\n")
    );
}

/// The smallest integer type that holds all values, as an author would choose it.
fn enum_base(declared: &Enum) -> &'static str {
    let numbers = || declared.values.iter().map(|value| value.number);
    let all_in = |low: i32, high: i32| numbers().all(|number| (low..=high).contains(&number));
    if all_in(0, 255) {
        "ubyte"
    } else if all_in(-32_768, 32_767) {
        "short"
    } else {
        "int"
    }
}

fn table(definition: &Definition, message: &Message, text: &mut String, notes: &mut Vec<Note>) {
    for field in &message.fields {
        let Cardinality::Map(key) = field.cardinality else {
            continue;
        };
        let required = if matches!(field.ty, Type::Message(_)) { " (required)" } else { "" };
        let _ = writeln!(
            text,
            "table {} {{\n  key: {};\n  value: {}{required};\n}}\n",
            entry_name(message, field),
            element(definition, key),
            element(definition, field.ty)
        );
    }
    let messages = definition.messages.iter();
    let tables: Vec<String> = messages
        .flat_map(|one| {
            let maps = one.fields.iter().filter(|field| matches!(field.cardinality, Cardinality::Map(_)));
            maps.map(|field| entry_name(one, field)).chain([type_name(&one.name)])
        })
        .collect();
    let _ = writeln!(text, "table {} {{", type_name(&message.name));
    for field in &message.fields {
        let element = element(definition, field.ty);
        let scalar = !matches!(field.ty, Type::String | Type::Bytes | Type::Message(_));
        let ty = match field.cardinality {
            Cardinality::Implicit if is_required_message(field) => format!("{element} (required)"),
            Cardinality::Implicit => element,
            Cardinality::Optional if scalar => format!("{element} = null"),
            Cardinality::Optional => element,
            Cardinality::Repeated if field.ty == Type::Bytes => format!("[{BYTES_ELEMENT}]"),
            Cardinality::Repeated => format!("[{element}]"),
            Cardinality::Map(_) => format!("[{}]", entry_name(message, field)),
        };
        let mut name = field_name(&field.name);
        // A field may not have a table's name.
        if tables.contains(&name) {
            name.push('_');
        }
        let _ = writeln!(text, "  {name}: {ty};");
        notes.push(Note::of(message, &field.name, expression(field)));
    }
    text.push_str("}\n\n");
}

fn expression(field: &Field) -> Expression {
    let shape = match field.cardinality {
        _ if field.oneof.is_some() => Some("an optional field for each member of the oneof"),
        Cardinality::Map(_) => Some("a vector of {key, value} tables"),
        Cardinality::Repeated if field.ty == Type::Bytes => Some("a vector of tables around [ubyte]"),
        _ => None,
    };
    let integer = Width::declared(field.ty).and_then(|width| untold::integer(field, width));
    Expression::by_all(
        shape.map(str::to_owned).into_iter().chain(integer).chain(Tells::NO_LENGTHS.untold(field)),
    )
}

fn element(definition: &Definition, ty: Type) -> String {
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::I32 => "int".to_owned(),
        Type::I64 => "long".to_owned(),
        Type::U32 => "uint".to_owned(),
        Type::U64 => "ulong".to_owned(),
        Type::F32 => "float".to_owned(),
        Type::F64 => "double".to_owned(),
        Type::String => "string".to_owned(),
        Type::Bytes => "[ubyte]".to_owned(),
        Type::Enum(index) => type_name(&definition.enums[index].name),
        Type::Message(index) => type_name(&definition.messages[index].name),
    }
}

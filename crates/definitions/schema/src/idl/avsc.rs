//! Avro schemas (JSON).
//!
//! Stand-ins: unsigned 32-bit integers are long; unsigned 64-bit integers are the long with the same bits; maps
//! with keys other than strings are arrays of {key, value} records; members of a oneof are optional fields. Optional
//! fields are unions `["null", T]` with default null. Enum symbols are in the order of their numbers.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::untold::{self, Tells, Width};
use super::{Expression, Idl, Lowered, Note, Refusal, entry_name, type_name};
use crate::model::{Cardinality, Definition, Field, Message, Type};

/// Avro schemas, as the language `avsc`.
#[derive(Debug)]
pub struct Avsc;

impl Idl for Avsc {
    fn id(&self) -> &'static str {
        "avsc"
    }

    fn name(&self) -> &'static str {
        "Avro schema"
    }

    fn extension(&self) -> &'static str {
        "avsc"
    }

    fn lower(&self, definition: &Definition) -> Result<Lowered, Refusal> {
        let unsaid = Expression::stand_in("names without it");
        let mut notes = Vec::from_iter(Note::package(definition, unsaid));
        notes.extend(Note::counted_enums(definition));
        for message in &definition.messages {
            notes
                .extend(message.fields.iter().map(|field| Note::of(message, &field.name, expression(field))));
        }
        let text = format!("{:#}\n", record(definition, 0, &mut HashSet::new()));
        Ok(Lowered { text, notes })
    }
}

fn expression(field: &Field) -> Expression {
    let shape = match field.cardinality {
        _ if field.oneof.is_some() => Some("an optional field for each member of the oneof"),
        Cardinality::Map(key) if key != Type::String => Some("an array of {key, value} records"),
        _ => None,
    };
    let bits = if field.ty == Type::I32 { 32 } else { 64 };
    let integer = untold::integer(field, Width { bits, signed: true });
    Expression::by_all(
        shape.map(str::to_owned).into_iter().chain(integer).chain(Tells::NO_LENGTHS.untold(field)),
    )
}

fn record(definition: &Definition, index: usize, known: &mut HashSet<String>) -> Value {
    let message = &definition.messages[index];
    let name = type_name(&message.name);
    if !known.insert(name.clone()) {
        return json!(name);
    }
    let fields: Vec<Value> =
        message.fields.iter().map(|field| member(definition, message, field, known)).collect();
    json!({ "type": "record", "name": name, "fields": fields })
}

fn member(definition: &Definition, message: &Message, field: &Field, known: &mut HashSet<String>) -> Value {
    let ty = match field.cardinality {
        Cardinality::Map(key) if key != Type::String => {
            let key = element(definition, key, known);
            let value = element(definition, field.ty, known);
            let name = entry_name(message, field);
            let fields = json!([{ "name": "key", "type": key }, { "name": "value", "type": value }]);
            json!({ "type": "array", "items": { "type": "record", "name": name, "fields": fields } })
        }
        Cardinality::Map(_) => json!({ "type": "map", "values": element(definition, field.ty, known) }),
        Cardinality::Repeated => json!({ "type": "array", "items": element(definition, field.ty, known) }),
        Cardinality::Implicit => element(definition, field.ty, known),
        Cardinality::Optional => {
            let union = json!(["null", element(definition, field.ty, known)]);
            return json!({ "name": field.name, "type": union, "default": null });
        }
    };
    json!({ "name": field.name, "type": ty })
}

fn element(definition: &Definition, ty: Type, known: &mut HashSet<String>) -> Value {
    match ty {
        Type::Bool => json!("boolean"),
        Type::I32 => json!("int"),
        Type::I64 | Type::U32 | Type::U64 => json!("long"),
        Type::F32 => json!("float"),
        Type::F64 => json!("double"),
        Type::String => json!("string"),
        Type::Bytes => json!("bytes"),
        Type::Message(index) => record(definition, index, known),
        Type::Enum(index) => {
            let declared = &definition.enums[index];
            let name = type_name(&declared.name);
            let symbols: Vec<_> = declared.ascending().map(|value| &value.name).collect();
            match known.insert(name.clone()) {
                true => json!({ "type": "enum", "name": name, "symbols": symbols }),
                false => json!(name),
            }
        }
    }
}

//! Protobuf's binary wire format, as prost writes it: fields in ascending order of their numbers, a oneof at its
//! smallest number, values without presence left out at their default, lists of numbers packed, maps in the order of
//! their keys.

use prost_reflect::prost::encoding::{WireType, encode_key, encode_varint};
use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, Value};
use wiredyno_schema::{Cardinality, Type};

use crate::plan::{Content, Message, Plan};
use crate::{EncodeError, Encoder};

/// `protobuf/prost`.
pub struct Protobuf;

impl Encoder for Protobuf {
    fn codec(&self) -> &'static str {
        "protobuf/prost"
    }

    fn encode(&self, plan: &Plan, value: &DynamicMessage, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        message(plan.message(0, value), out);
        Ok(())
    }
}

fn message(value: Message<'_>, out: &mut Vec<u8>) {
    let declared = value.declared();
    let place = |at: usize| {
        let field = &declared.fields[at];
        let oneof = field.oneof.map(|oneof| &declared.oneofs[oneof].fields);
        oneof
            .and_then(|fields| fields.iter().map(|at| declared.fields[*at].number).min())
            .unwrap_or(field.number)
    };
    let mut order: Vec<usize> = (0..declared.fields.len()).collect();
    order.sort_by_key(|at| place(*at));
    for at in order {
        let (field, descriptor) = (value.field(at), value.descriptor(at));
        match value.content(at) {
            Content::None => {}
            Content::One(one) => {
                let left_out = field.cardinality == Cardinality::Implicit
                    && !matches!(field.ty, Type::Message(_))
                    && is_default(&one);
                if !left_out {
                    tagged(value.plan, descriptor, field.ty, &one, out);
                }
            }
            Content::List(list) if list.is_empty() => {}
            Content::List(list) if descriptor.is_packed() => {
                let mut body = Vec::new();
                list.iter().for_each(|element| bare(value.plan, descriptor, field.ty, element, &mut body));
                encode_key(descriptor.number(), WireType::LengthDelimited, out);
                encode_varint(body.len() as u64, out);
                out.extend_from_slice(&body);
            }
            Content::List(list) => {
                list.iter().for_each(|element| tagged(value.plan, descriptor, field.ty, element, out));
            }
            Content::Map(key_type, entries) => {
                map(value.plan, descriptor, (key_type, field.ty), &entries, out)
            }
        }
    }
}

fn map(
    plan: &Plan,
    field: &FieldDescriptor,
    types: (Type, Type),
    entries: &[(Value, Value)],
    out: &mut Vec<u8>,
) {
    let Kind::Message(entry) = field.kind() else {
        return;
    };
    let (key_field, value_field) = (entry.map_entry_key_field(), entry.map_entry_value_field());
    for (key, value) in entries {
        let mut body = Vec::new();
        if !is_default(key) {
            tagged(plan, &key_field, types.0, key, &mut body);
        }
        if !is_default(value) {
            tagged(plan, &value_field, types.1, value, &mut body);
        }
        encode_key(field.number(), WireType::LengthDelimited, out);
        encode_varint(body.len() as u64, out);
        out.extend_from_slice(&body);
    }
}

/// Floats by their bits: minus zero is no default. A message is one if it has no field.
fn is_default(value: &Value) -> bool {
    match value {
        Value::Bool(value) => !value,
        Value::I32(value) | Value::EnumNumber(value) => *value == 0,
        Value::I64(value) => *value == 0,
        Value::U32(value) => *value == 0,
        Value::U64(value) => *value == 0,
        Value::F32(value) => *value == 0.0,
        Value::F64(value) => *value == 0.0,
        Value::String(text) => text.is_empty(),
        Value::Bytes(bytes) => bytes.is_empty(),
        Value::Message(message) => message.fields().next().is_none(),
        Value::List(list) => list.is_empty(),
        Value::Map(map) => map.is_empty(),
    }
}

fn tagged(plan: &Plan, field: &FieldDescriptor, ty: Type, value: &Value, out: &mut Vec<u8>) {
    let wire = match field.kind() {
        Kind::Double | Kind::Fixed64 | Kind::Sfixed64 => WireType::SixtyFourBit,
        Kind::Float | Kind::Fixed32 | Kind::Sfixed32 => WireType::ThirtyTwoBit,
        Kind::String | Kind::Bytes | Kind::Message(_) => WireType::LengthDelimited,
        _ => WireType::Varint,
    };
    encode_key(field.number(), wire, out);
    bare(plan, field, ty, value, out);
}

fn bare(plan: &Plan, field: &FieldDescriptor, ty: Type, value: &Value, out: &mut Vec<u8>) {
    let delimited = |bytes: &[u8], out: &mut Vec<u8>| {
        encode_varint(bytes.len() as u64, out);
        out.extend_from_slice(bytes);
    };
    match (field.kind(), value) {
        (Kind::Sint32, Value::I32(value)) => {
            encode_varint(u64::from(((value << 1) ^ (value >> 31)) as u32), out)
        }
        (Kind::Sint64, Value::I64(value)) => encode_varint(((value << 1) ^ (value >> 63)) as u64, out),
        (Kind::Sfixed32, Value::I32(value)) => out.extend_from_slice(&value.to_le_bytes()),
        (Kind::Sfixed64, Value::I64(value)) => out.extend_from_slice(&value.to_le_bytes()),
        (Kind::Fixed32, Value::U32(value)) => out.extend_from_slice(&value.to_le_bytes()),
        (Kind::Fixed64, Value::U64(value)) => out.extend_from_slice(&value.to_le_bytes()),
        (_, Value::Bool(value)) => encode_varint(u64::from(*value), out),
        (_, Value::I32(value) | Value::EnumNumber(value)) => encode_varint(i64::from(*value) as u64, out),
        (_, Value::I64(value)) => encode_varint(*value as u64, out),
        (_, Value::U32(value)) => encode_varint(u64::from(*value), out),
        (_, Value::U64(value)) => encode_varint(*value, out),
        (_, Value::F32(value)) => out.extend_from_slice(&value.to_le_bytes()),
        (_, Value::F64(value)) => out.extend_from_slice(&value.to_le_bytes()),
        (_, Value::String(text)) => delimited(text.as_bytes(), out),
        (_, Value::Bytes(bytes)) => delimited(bytes, out),
        (_, Value::Message(value)) => {
            if let Type::Message(index) = ty {
                let mut body = Vec::new();
                message(plan.message(index, value), &mut body);
                delimited(&body, out);
            }
        }
        (_, Value::List(_) | Value::Map(_)) => {}
    }
}

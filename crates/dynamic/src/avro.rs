//! Avro's binary encoding (Apache Avro 1.11 specification, "Binary Encoding"), with the stand-ins of the codec's schema.

use prost_reflect::{DynamicMessage, Value};
use wiredyno_schema::{Cardinality, Type};

use crate::plan::{Content, Message, Plan};
use crate::{EncodeError, Encoder};

/// `avro/apache-avro`.
pub struct Avro;

impl Encoder for Avro {
    fn codec(&self) -> &'static str {
        "avro/apache-avro"
    }

    fn encode(&self, plan: &Plan, value: &DynamicMessage, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        record(plan.message(0, value), out);
        Ok(())
    }
}

/// A zigzag varint.
fn long(value: i64, out: &mut Vec<u8>) {
    let mut rest = ((value << 1) ^ (value >> 63)) as u64;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

fn record(value: Message<'_>, out: &mut Vec<u8>) {
    for at in 0..value.declared().fields.len() {
        let field = value.field(at);
        match value.content(at) {
            Content::None => long(0, out),
            Content::One(one) => {
                if field.cardinality == Cardinality::Optional {
                    long(1, out);
                }
                element(value.plan, field.ty, &one, out);
            }
            Content::List(list) => {
                block(list.len(), out, |out| {
                    list.iter().for_each(|one| element(value.plan, field.ty, one, out))
                });
            }
            Content::Map(key_type, entries) => block(entries.len(), out, |out| {
                for (key, one) in &entries {
                    element(value.plan, key_type, key, out);
                    element(value.plan, field.ty, one, out);
                }
            }),
        }
    }
}

/// One block of all elements, then the empty one that ends a list or map.
fn block(count: usize, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    if count > 0 {
        long(count as i64, out);
        write(out);
    }
    long(0, out);
}

fn element(plan: &Plan, ty: Type, value: &Value, out: &mut Vec<u8>) {
    match (value, ty) {
        (Value::Bool(value), _) => out.push(u8::from(*value)),
        (Value::I32(value), _) => long(i64::from(*value), out),
        (Value::I64(value), _) => long(*value, out),
        (Value::U32(value), _) => long(i64::from(*value), out),
        (Value::U64(value), _) => long(*value as i64, out),
        (Value::F32(value), _) => out.extend_from_slice(&value.to_le_bytes()),
        (Value::F64(value), _) => out.extend_from_slice(&value.to_le_bytes()),
        (Value::String(text), _) => {
            long(text.len() as i64, out);
            out.extend_from_slice(text.as_bytes());
        }
        (Value::Bytes(bytes), _) => {
            long(bytes.len() as i64, out);
            out.extend_from_slice(bytes);
        }
        (Value::EnumNumber(number), Type::Enum(index)) => {
            let values = &plan.definition.enums[index].values;
            long(values.iter().position(|value| value.number == *number).unwrap_or(0) as i64, out);
        }
        (Value::Message(value), Type::Message(index)) => record(plan.message(index, value), out),
        _ => {}
    }
}

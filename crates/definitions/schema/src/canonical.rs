//! Canonical Protobuf bytes: equal values have equal bytes, on every machine and in every run.
//!
//! Why: Protobuf leaves the order of a map's entries open, and prost-reflect keeps them in a hash map, so its output
//! varies from run to run. Runners get samples in this form, and samples are compared by it.
//!
//! Where <https://protobuf.dev/programming-guides/encoding/> leaves a choice: fields are in ascending order of their
//! numbers; a field without presence is omitted at its default, but -0.0 is not the default 0.0; a map's entries are in
//! key order (numbers by value, strings by bytes, false before true), and always have both key and value,
//! as Google's own libraries write them; repeated scalars are packed unless the definition says otherwise.
//!
//! Limits: proto3 messages that [`crate::Definition`] accepts, so no groups and no extensions. Fields unknown to the
//! definition are omitted; samples never have any. A NaN keeps its bits.

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MapKey, ReflectMessage, Value};

/// The value's canonical bytes. An empty message has no bytes.
pub fn canonical_bytes(value: &DynamicMessage) -> Vec<u8> {
    let mut out = Vec::new();
    message(value, &mut out);
    out
}

/// How a field's content is delimited, by wire type number.
#[derive(Clone, Copy)]
enum Wire {
    Varint = 0,
    Eight = 1,
    Delimited = 2,
    Four = 5,
}

fn message(value: &DynamicMessage, out: &mut Vec<u8>) {
    // Ascending by number: prost-reflect keeps them in that order.
    for descriptor in value.descriptor().fields() {
        if value.has_field(&descriptor) || is_negative_zero(value, &descriptor) {
            field(&value.get_field(&descriptor), &descriptor, out);
        }
    }
}

/// Whether a float field is -0.0: prost-reflect compares floats by value and takes -0.0 for the default.
fn is_negative_zero(value: &DynamicMessage, field: &FieldDescriptor) -> bool {
    if !matches!(field.kind(), Kind::Float | Kind::Double) || field.is_list() || field.supports_presence() {
        return false;
    }
    match *value.get_field(field) {
        Value::F32(number) => number == 0.0 && number.is_sign_negative(),
        Value::F64(number) => number == 0.0 && number.is_sign_negative(),
        _ => false,
    }
}

fn field(value: &Value, descriptor: &FieldDescriptor, out: &mut Vec<u8>) {
    let kind = descriptor.kind();
    match value {
        Value::List(elements) if descriptor.is_packed() => {
            let mut packed = Vec::new();
            elements.iter().for_each(|element| content(element, &kind, &mut packed));
            tag(descriptor.number(), Wire::Delimited, out);
            delimited(&packed, out);
        }
        Value::List(elements) => {
            elements.iter().for_each(|element| single(descriptor.number(), element, &kind, out));
        }
        Value::Map(entries) => {
            let Kind::Message(entry) = kind else { return };
            let (of_key, of_value) =
                (entry.map_entry_key_field().kind(), entry.map_entry_value_field().kind());
            let mut entries: Vec<(&MapKey, &Value)> = entries.iter().collect();
            entries.sort_unstable_by(|a, b| a.0.cmp(b.0));
            for (key, value) in entries {
                let mut inner = Vec::new();
                single(1, &Value::from(key.clone()), &of_key, &mut inner);
                single(2, value, &of_value, &mut inner);
                tag(descriptor.number(), Wire::Delimited, out);
                delimited(&inner, out);
            }
        }
        value => single(descriptor.number(), value, &kind, out),
    }
}

fn single(number: u32, value: &Value, kind: &Kind, out: &mut Vec<u8>) {
    let wire = match kind {
        Kind::Double | Kind::Fixed64 | Kind::Sfixed64 => Wire::Eight,
        Kind::Float | Kind::Fixed32 | Kind::Sfixed32 => Wire::Four,
        Kind::String | Kind::Bytes | Kind::Message(_) => Wire::Delimited,
        _ => Wire::Varint,
    };
    tag(number, wire, out);
    content(value, kind, out);
}

/// Appends what follows the tag.
fn content(value: &Value, kind: &Kind, out: &mut Vec<u8>) {
    match (value, kind) {
        (Value::Bool(value), _) => out.push(u8::from(*value)),
        (Value::I32(value), Kind::Sfixed32) => out.extend(value.to_le_bytes()),
        (Value::I32(value), Kind::Sint32) => varint(zigzag(i64::from(*value)), out),
        (Value::I64(value), Kind::Sfixed64) => out.extend(value.to_le_bytes()),
        (Value::I64(value), Kind::Sint64) => varint(zigzag(*value), out),
        (Value::U32(value), Kind::Fixed32) => out.extend(value.to_le_bytes()),
        (Value::U64(value), Kind::Fixed64) => out.extend(value.to_le_bytes()),
        // Negative numbers take ten bytes, even 32-bit ones.
        (Value::I32(value) | Value::EnumNumber(value), _) => varint(i64::from(*value) as u64, out),
        (Value::I64(value), _) => varint(*value as u64, out),
        (Value::U32(value), _) => varint(u64::from(*value), out),
        (Value::U64(value), _) => varint(*value, out),
        (Value::F32(value), _) => out.extend(value.to_le_bytes()),
        (Value::F64(value), _) => out.extend(value.to_le_bytes()),
        (Value::String(value), _) => delimited(value.as_bytes(), out),
        (Value::Bytes(value), _) => delimited(value, out),
        (Value::Message(value), _) => delimited(&canonical_bytes(value), out),
        // Neither occurs inside another list or map.
        (Value::List(_) | Value::Map(_), _) => {}
    }
}

fn tag(number: u32, wire: Wire, out: &mut Vec<u8>) {
    varint(u64::from(number) << 3 | wire as u64, out);
}

fn delimited(bytes: &[u8], out: &mut Vec<u8>) {
    varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Maps numbers of small magnitude to small unsigned ones: 0, -1, 1, -2 become 0, 1, 2, 3.
fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

/// Seven bits per byte, lowest first; the eighth bit is set if more bytes follow.
fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use prost_reflect::prost::Message as _;

    use super::*;
    use crate::generator::Generator;
    use crate::{Definition, read_value};

    const PROTO: &str = r#"syntax = "proto3";
        message A {
            // Declared out of order: bytes are in order of field numbers.
            optional string name = 20;
            bool bool = 1; int32 int32 = 2; sint32 sint32 = 3; sfixed32 sfixed32 = 4; int64 int64 = 5;
            sint64 sint64 = 6; sfixed64 sfixed64 = 7; uint32 uint32 = 8; fixed32 fixed32 = 9; uint64 uint64 = 10;
            fixed64 fixed64 = 11; float float = 12; double double = 13; string string = 14; bytes bytes = 15;
            E enum = 16; optional int32 maybe = 17; A inner = 18; optional E maybe_enum = 19;
            oneof choice { uint32 number = 21; string text = 22; B message = 23; }
            repeated E enums = 24; repeated sint64 numbers = 25; repeated uint32 apart = 26 [packed = false];
            repeated string texts = 27; repeated B messages = 28; repeated double doubles = 29;
            repeated bool bools = 30; repeated fixed32 words = 31; repeated int32 signed = 32;
        }
        message B { uint32 x = 1; }
        enum E { ZERO = 0; ONE = 1; MINUS = -1; }
    "#;

    const MAPS: &str = "syntax = \"proto3\"; message A { map<string, A> m = 1; map<sint32, float> n = 2; \
        map<bool, bytes> b = 3; map<uint64, E> e = 4; } enum E { ZERO = 0; ONE = 1; }";

    fn definition(proto: &str) -> Definition {
        Definition::from_source(proto, "message.proto").unwrap()
    }

    fn value(definition: &Definition, json: &str) -> DynamicMessage {
        read_value(json, &definition.descriptor, "samples.jsonl", 1).unwrap()
    }

    #[test]
    fn without_maps_the_bytes_are_those_of_prost_reflect() {
        let definition = definition(PROTO);
        for json in [
            "{}",
            r#"{"maybe":0,"name":"","maybe_enum":"ZERO","inner":{}}"#,
            r#"{"number":0}"#,
            r#"{"text":""}"#,
            r#"{"message":{}}"#,
            r#"{"message":{"x":300},"enum":"MINUS","enums":["MINUS","ZERO","ONE"],"maybe_enum":-7}"#,
            r#"{"bool":true,"int32":-1,"sint32":-2147483648,"sfixed32":-3,"int64":-4,"sint64":"-9223372036854775808"}"#,
            r#"{"uint32":4294967295,"fixed32":1,"uint64":"18446744073709551615","fixed64":2,"float":-0.5,"double":"NaN"}"#,
            r#"{"numbers":[-1,0,1],"apart":[0,300],"texts":["","ä"],"messages":[{},{"x":1}],"doubles":[-0.0,1e300]}"#,
            r#"{"bools":[true,false],"words":[7],"signed":[-1,0,2147483647],"string":"x","bytes":"AAE="}"#,
            r#"{"inner":{"inner":{"maybe":0,"signed":[-5]}}}"#,
        ] {
            let value = value(&definition, json);
            assert_eq!(canonical_bytes(&value), value.encode_to_vec(), "{json}");
        }
        for (number, value) in Generator::invented(&definition.descriptor, 1).take(300).enumerate() {
            assert_eq!(canonical_bytes(&value), value.encode_to_vec(), "seed 1, message {number}");
        }
    }

    #[test]
    fn entries_of_maps_are_in_the_order_of_their_keys_and_whole() {
        let definition = definition(MAPS);
        let text = r#"{"m":{"b":{"n":{"10":1.5,"-7":0,"2":-0.0}},"":{},"ä":{},"a":{}},"b":{"true":"","false":"AA=="},"e":{"18446744073709551615":"ONE","9":"ZERO"}}"#;
        let inner = [
            &[0x12, 7, 0x08, 13, 0x15, 0, 0, 0, 0][..],
            &[0x12, 7, 0x08, 4, 0x15, 0, 0, 0, 0x80],
            &[0x12, 7, 0x08, 20, 0x15, 0, 0, 0xC0, 0x3F],
        ]
        .concat();
        let expected = [
            &[0x0A, 4, 0x0A, 0, 0x12, 0][..],
            &[0x0A, 5, 0x0A, 1, b'a', 0x12, 0],
            &[0x0A, 5 + 27, 0x0A, 1, b'b', 0x12, 27],
            &inner,
            &[0x0A, 6, 0x0A, 2, 0xC3, 0xA4, 0x12, 0],
            &[0x1A, 5, 0x08, 0, 0x12, 1, 0],
            &[0x1A, 4, 0x08, 1, 0x12, 0],
            &[0x22, 4, 0x08, 9, 0x10, 0],
            &[0x22, 13, 0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0x10, 1],
        ]
        .concat();
        // Hash maps are shuffled: a single pass could be in order by luck.
        for _ in 0..20 {
            let value = value(&definition, text);
            let bytes = canonical_bytes(&value);
            assert_eq!(bytes, expected);
            assert_eq!(DynamicMessage::decode(definition.descriptor.clone(), &bytes[..]).unwrap(), value);
        }
    }

    #[test]
    fn what_was_written_reads_back_equal_and_is_written_the_same_again() {
        for proto in [PROTO, MAPS] {
            let definition = definition(proto);
            for (number, value) in Generator::invented(&definition.descriptor, 2).take(300).enumerate() {
                let bytes = canonical_bytes(&value);
                let read = DynamicMessage::decode(definition.descriptor.clone(), &bytes[..]).unwrap();
                assert_eq!(read, value, "seed 2, message {number}");
                assert_eq!(canonical_bytes(&read), bytes, "seed 2, message {number}");
                let foreign =
                    DynamicMessage::decode(definition.descriptor.clone(), &value.encode_to_vec()[..]);
                assert_eq!(canonical_bytes(&foreign.unwrap()), bytes, "seed 2, message {number}");
            }
        }
    }

    #[test]
    fn a_negative_zero_is_no_default() {
        let definition = definition(PROTO);
        let value = value(&definition, r#"{"float":-0.0,"double":-0.0,"int32":0}"#);
        let bytes = canonical_bytes(&value);
        assert_eq!(bytes, [0x65, 0, 0, 0, 0x80, 0x69, 0, 0, 0, 0, 0, 0, 0, 0x80]);
        let read = DynamicMessage::decode(definition.descriptor.clone(), &bytes[..]).unwrap();
        assert_eq!(canonical_bytes(&read), bytes);
    }
}

//! Protobuf's binary wire format, as prost writes it: fields in ascending order of their numbers, a oneof at its
//! smallest number, values without presence omitted at their default, lists of numbers packed unless the definition says
//! otherwise, map entries in key order; and as upb writes it, where that differs in more than order.

use crate::of_codecs::container::{BEFORE, END, MAGIC};
use prost_reflect::prost::encoding::{WireType, encode_key, encode_varint};
use prost_reflect::{FieldDescriptor, Kind};
use wiredyno_codec::confluent::Framing;
use wiredyno_codec::record::{Fault, Problem};

use crate::described::Described;
use crate::value::{Datum, Member, Record};

/// The library whose choices are followed.
#[derive(Clone, Copy, PartialEq)]
enum Library {
    /// Omits defaults in map entries, too, and takes minus zero for a default.
    Prost,
    /// Writes map entries whole, and writes minus zero.
    Upb,
}

pub fn write(described: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    message(described, Library::Prost, value, out);
    Ok(())
}

/// Encodes as `protobuf/prost:confluent` does.
pub fn confluent(described: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    out.extend_from_slice(Framing::of_file(&described.definition.indexes()).header());
    write(described, value, out)
}

/// As `protobuf/upb`, but in another order: the library writes fields by their numbers, and maps in hash order.
pub fn upb(described: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    message(described, Library::Upb, value, out);
    Ok(())
}

pub fn container(described: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    let (mut body, mut inside) = (Vec::new(), BEFORE.to_vec());
    message(described, Library::Prost, value, &mut body);
    delimited(&body, &mut inside);
    inside.extend_from_slice(&END);
    let too_long = |_| Fault::new(Problem::Length(inside.len() as u64));
    let length = u32::try_from(inside.len()).map_err(too_long)?;
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&inside);
    Ok(())
}

fn delimited(bytes: &[u8], out: &mut Vec<u8>) {
    encode_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

fn message(described: &Described, library: Library, value: &Record, out: &mut Vec<u8>) {
    #[cfg(test)]
    tests::STEPS.with(|steps| steps.set(steps.get() + 1));
    let declared = &described.definition.messages[value.index];
    let place = |at: usize| {
        let field = &declared.fields[at];
        let oneof = field.oneof.map(|oneof| &declared.oneofs[oneof].fields);
        oneof
            .and_then(|fields| fields.iter().map(|at| declared.fields[*at].number).min())
            .unwrap_or(field.number)
    };
    let mut order: Vec<(usize, Member<'_>)> = value.fields().enumerate().collect();
    order.sort_by_key(|(at, _)| place(*at));
    for (at, member) in order {
        let field = &described.descriptors[value.index][at];
        match member {
            Member::One(_, one) if !field.supports_presence() && is_default(library, one) => {}
            Member::One(_, one) | Member::Optional(_, Some(one)) => {
                tagged(described, library, field, one, out)
            }
            Member::List(_, list) if field.is_packed() && !list.is_empty() => {
                let mut body = Vec::new();
                list.iter().for_each(|element| bare(described, library, field, element, &mut body));
                encode_key(field.number(), WireType::LengthDelimited, out);
                delimited(&body, out);
            }
            Member::List(_, list) => {
                list.iter().for_each(|element| tagged(described, library, field, element, out))
            }
            Member::Map(_, entries) => map(described, library, field, entries, out),
            Member::Optional(_, None) | Member::Choice(..) => {}
        }
    }
}

fn map(
    described: &Described,
    library: Library,
    field: &FieldDescriptor,
    entries: &[(Datum, Datum)],
    out: &mut Vec<u8>,
) {
    let Kind::Message(entry) = field.kind() else {
        return;
    };
    let (key_field, value_field) = (entry.map_entry_key_field(), entry.map_entry_value_field());
    for (key, value) in entries {
        let mut body = Vec::new();
        let whole = library == Library::Upb;
        if whole || !is_default(library, key) {
            tagged(described, library, &key_field, key, &mut body);
        }
        match value {
            Datum::Message(record) => {
                // Encode only once: encoding again to check for emptiness would double the time with each level.
                let mut inner = Vec::new();
                message(described, library, record, &mut inner);
                // prost compares whole messages: one whose encoding is empty is the default.
                if whole || !inner.is_empty() {
                    encode_key(value_field.number(), WireType::LengthDelimited, &mut body);
                    delimited(&inner, &mut body);
                }
            }
            value if whole || !is_default(library, value) => {
                tagged(described, library, &value_field, value, &mut body);
            }
            _ => {}
        }
        encode_key(field.number(), WireType::LengthDelimited, out);
        delimited(&body, out);
    }
}

fn is_default(library: Library, value: &Datum) -> bool {
    let bits_count = library == Library::Upb;
    match value {
        Datum::F32(value) if bits_count => value.to_bits() == 0,
        Datum::F64(value) if bits_count => value.to_bits() == 0,
        Datum::Bool(value) => !value,
        Datum::I32(value) => *value == 0,
        Datum::Enum(..) => value.number() == 0,
        Datum::I64(value) => *value == 0,
        Datum::U32(value) => *value == 0,
        Datum::U64(value) => *value == 0,
        Datum::F32(value) => *value == 0.0,
        Datum::F64(value) => *value == 0.0,
        Datum::Text(text) => text.is_empty(),
        Datum::Bytes(bytes) => bytes.is_empty(),
        Datum::Message(_) => false,
    }
}

fn tagged(
    described: &Described,
    library: Library,
    field: &FieldDescriptor,
    value: &Datum,
    out: &mut Vec<u8>,
) {
    let wire = match field.kind() {
        Kind::Double | Kind::Fixed64 | Kind::Sfixed64 => WireType::SixtyFourBit,
        Kind::Float | Kind::Fixed32 | Kind::Sfixed32 => WireType::ThirtyTwoBit,
        Kind::String | Kind::Bytes | Kind::Message(_) => WireType::LengthDelimited,
        _ => WireType::Varint,
    };
    encode_key(field.number(), wire, out);
    bare(described, library, field, value, out);
}

fn bare(described: &Described, library: Library, field: &FieldDescriptor, value: &Datum, out: &mut Vec<u8>) {
    match (field.kind(), value) {
        (Kind::Sint32, Datum::I32(value)) => {
            encode_varint(u64::from(((value << 1) ^ (value >> 31)).cast_unsigned()), out)
        }
        (Kind::Sint64, Datum::I64(value)) => {
            encode_varint(((value << 1) ^ (value >> 63)).cast_unsigned(), out)
        }
        (Kind::Sfixed32, Datum::I32(value)) => out.extend_from_slice(&value.to_le_bytes()),
        (Kind::Sfixed64, Datum::I64(value)) => out.extend_from_slice(&value.to_le_bytes()),
        (Kind::Fixed32, Datum::U32(value)) => out.extend_from_slice(&value.to_le_bytes()),
        (Kind::Fixed64, Datum::U64(value)) => out.extend_from_slice(&value.to_le_bytes()),
        (_, Datum::Bool(value)) => encode_varint(u64::from(*value), out),
        (_, Datum::I32(value)) => encode_varint(i64::from(*value).cast_unsigned(), out),
        (_, Datum::Enum(..)) => encode_varint(i64::from(value.number()).cast_unsigned(), out),
        (_, Datum::I64(value)) => encode_varint(value.cast_unsigned(), out),
        (_, Datum::U32(value)) => encode_varint(u64::from(*value), out),
        (_, Datum::U64(value)) => encode_varint(*value, out),
        (_, Datum::F32(value)) => out.extend_from_slice(&value.to_le_bytes()),
        (_, Datum::F64(value)) => out.extend_from_slice(&value.to_le_bytes()),
        (_, Datum::Text(text)) => delimited(text.as_bytes(), out),
        (_, Datum::Bytes(bytes)) => delimited(bytes, out),
        (_, Datum::Message(value)) => {
            let mut body = Vec::new();
            message(described, library, value, &mut body);
            delimited(&body, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use wiredyno_schema::{Definition, read_value};

    use super::*;
    use crate::ENCODERS;

    std::thread_local! {
        /// How many messages were written.
        pub static STEPS: Cell<u64> = const { Cell::new(0) };
    }

    fn described(body: &str) -> Described {
        let text = format!("syntax = \"proto3\"; import \"wiredyno/options.proto\"; {body}");
        Described::new(Definition::from_source(&text, "message.proto").unwrap())
    }

    fn value(described: &Described, sample: &str) -> Record {
        let value = read_value(sample, &described.definition.descriptor, "s.jsonl", 1).unwrap();
        described.value(&value).unwrap()
    }

    fn bytes(codec: &str, described: &Described, value: &Record) -> Result<String, String> {
        let encoder = ENCODERS.iter().find(|encoder| encoder.codec() == codec).unwrap();
        let mut out = Vec::new();
        encoder.encode(described, value, &mut out).map_err(|error| error.reason)?;
        Ok(out.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The expected bytes are those of Google's own library for Python (7.36).
    #[test]
    fn presence_and_packing_are_those_of_the_definition() {
        let required = "optional float lat = 1 [(wiredyno.required) = true]; optional string id = 3 [(wiredyno.required) = true];";
        for (body, sample, wanted) in [
            (format!("message A {{ {required} }}"), r#"{"lat":0,"id":""}"#, "0d000000001a00"),
            (
                "message A { repeated int32 v = 2 [packed = false]; repeated int32 w = 3; }".to_owned(),
                r#"{"v":[1,2],"w":[1,2]}"#,
                "100110021a020102",
            ),
        ] {
            let described = described(&body);
            let value = value(&described, sample);
            for codec in ["protobuf/prost", "protobuf/upb"] {
                assert_eq!(bytes(codec, &described, &value).as_deref(), Ok(wanted), "{codec} {body}");
            }
        }
        let zero = described("message A { double g = 1; map<string, double> m = 2; }");
        let value = value(&zero, r#"{"g":-0.0,"m":{"a":-0.0}}"#);
        let wanted = "090000000000000080120c0a0161110000000000000080";
        assert_eq!(bytes("protobuf/upb", &zero, &value).as_deref(), Ok(wanted));
    }

    #[test]
    fn a_required_value_that_is_absent_is_named() {
        let described = described("message A { optional uint32 n = 1 [(wiredyno.required) = true]; }");
        let empty = read_value("{}", &described.definition.descriptor, "s.jsonl", 1).unwrap();
        let error = described.value(&empty).unwrap_err().to_string();
        assert!(error.starts_with("`n` of `A` is absent, but the definition requires it"), "{error}");
    }

    #[test]
    fn each_message_is_written_once_however_deep_its_maps_are() {
        let described = described("message A { map<string, A> m = 1; uint32 x = 2; }");
        let nested =
            |depth: usize| format!("{}{{\"x\":1}}{}", "{\"m\":{\"a\":".repeat(depth), "}}".repeat(depth));
        let shallow = value(&described, &nested(10));
        STEPS.set(0);
        bytes("protobuf/prost", &described, &shallow).unwrap();
        assert_eq!(STEPS.get(), 11);
        let deep = value(&described, &nested(40));
        for encoder in ENCODERS.iter().filter(|encoder| encoder.refuses(&described).is_none()) {
            let _ = encoder.encode(&described, &deep, &mut Vec::new());
        }
    }

    #[test]
    fn json_has_neither_nan_nor_infinity_and_others_have() {
        let described = described("message A { double g = 1; repeated double ranges = 2; }");
        for (sample, wanted) in [
            (r#"{"g":"NaN"}"#, "g: NaN is not a JSON number"),
            (r#"{"ranges":[1.5,"-Infinity"]}"#, "ranges: -inf is not a JSON number"),
        ] {
            let value = value(&described, sample);
            assert_eq!(bytes("json/serde-json", &described, &value), Err(wanted.to_owned()));
            assert!(bytes("cbor/ciborium", &described, &value).is_ok());
        }
    }
}

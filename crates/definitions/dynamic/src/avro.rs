//! Avro's binary encoding (Apache Avro 1.11 specification, "Binary Encoding"), with the stand-ins of the codec's schema.

use wiredyno_codec::confluent::Framing;
use wiredyno_codec::record::Fault;

use crate::described::Described;
use crate::rule::in_range;
use crate::value::{Datum, Member, Record};

/// Encodes as Apache's library does, which has no ranges.
pub fn write(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    record(value, false, out)
}

/// Encodes as our own codec does, which refuses numbers outside the definition's ranges.
pub fn write_checked(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    record(value, true, out)
}

/// Encodes as `avro/apache-avro:confluent` does.
pub fn confluent(described: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    out.extend_from_slice(Framing::new().header());
    write(described, value, out)
}

/// Appends a zigzag varint.
fn long(value: i64, out: &mut Vec<u8>) {
    let mut rest = ((value << 1) ^ (value >> 63)).cast_unsigned();
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

fn record(value: &Record, checked: bool, out: &mut Vec<u8>) -> Result<(), Fault> {
    for member in value.fields() {
        match member {
            Member::One(field, one) => element(field, one, checked, out)?,
            Member::Optional(_, None) => long(0, out),
            Member::Optional(field, Some(one)) => {
                long(1, out);
                element(field, one, checked, out)?;
            }
            Member::List(field, list) => block(list.len(), out, |out| {
                list.iter().try_for_each(|one| element(field, one, checked, out))
            })?,
            Member::Map(field, entries) => block(entries.len(), out, |out| {
                entries.iter().try_for_each(|(key, one)| {
                    element(&crate::rule::key(field), key, checked, out)?;
                    element(field, one, checked, out)
                })
            })?,
            Member::Choice(..) => {}
        }
    }
    Ok(())
}

/// Appends all elements as one block, then the empty block that ends a list or map.
fn block(
    count: usize,
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    if count > 0 {
        long(count as i64, out);
        write(out)?;
    }
    long(0, out);
    Ok(())
}

fn element(
    field: &wiredyno_codec::record::FieldInfo,
    value: &Datum,
    checked: bool,
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    if checked && let Some(value) = value.integer() {
        in_range(field, value)?;
    }
    match value {
        Datum::Bool(value) => out.push(u8::from(*value)),
        Datum::I32(value) => long(i64::from(*value), out),
        Datum::I64(value) => long(*value, out),
        Datum::U32(value) => long(i64::from(*value), out),
        Datum::U64(value) => long(value.cast_signed(), out),
        Datum::F32(value) => out.extend_from_slice(&value.to_le_bytes()),
        Datum::F64(value) => out.extend_from_slice(&value.to_le_bytes()),
        Datum::Text(text) => {
            long(text.len() as i64, out);
            out.extend_from_slice(text.as_bytes());
        }
        Datum::Bytes(bytes) => {
            long(bytes.len() as i64, out);
            out.extend_from_slice(bytes);
        }
        Datum::Enum(_, ordinal) => long(*ordinal as i64, out),
        Datum::Message(value) => record(value, checked, out)?,
    }
    Ok(())
}

//! Apache Thrift's protocols, through Apache's own library, as the codec drives it.

use thrift::protocol::{
    TBinaryOutputProtocol, TCompactOutputProtocol, TListIdentifier, TMapIdentifier, TOutputProtocol,
    TStructIdentifier, TType,
};
use wiredyno_codec::record::{Fault, FieldInfo, Problem};
use wiredyno_codec_thrift::{Output, element_type, refused};

use crate::rule::{in_range, key};
use wiredyno_dynamic::{Datum, Member, Record};

pub fn compact(value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    write(value, &mut TCompactOutputProtocol::new(out))
}

pub fn binary(value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    write(value, &mut TBinaryOutputProtocol::new(out, true))
}

fn write(value: &Record, protocol: &mut dyn TOutputProtocol) -> Result<(), Fault> {
    structure(value, &mut Output { protocol })
}

fn structure(value: &Record, to: &mut Output<'_>) -> Result<(), Fault> {
    to.protocol.write_struct_begin(&TStructIdentifier { name: String::new() }).map_err(refused)?;
    for member in value.members() {
        match member {
            Member::One(field, one) | Member::Optional(field, Some(one)) => self::field(field, one, to)?,
            Member::List(field, list) => {
                to.field(TType::List, field.number)?;
                let size = count(field, list.len())?;
                let announced = TListIdentifier { element_type: element_type(field), size };
                to.protocol.write_list_begin(&announced).map_err(refused)?;
                list.iter().try_for_each(|one| element(field, one, to))?;
                to.protocol.write_list_end().map_err(refused)?;
                to.field_end()?;
            }
            Member::Map(field, entries) => map(field, entries, to)?,
            Member::Choice(choice, Some((at, one))) => self::field(&choice.alternatives[at], one, to)?,
            Member::Optional(_, None) | Member::Choice(_, None) => {}
        }
    }
    to.protocol.write_field_stop().map_err(refused)?;
    to.protocol.write_struct_end().map_err(refused)
}

fn field(field: &FieldInfo, value: &Datum, to: &mut Output<'_>) -> Result<(), Fault> {
    to.field(element_type(field), field.number)?;
    element(field, value, to)?;
    to.field_end()
}

fn map(field: &FieldInfo, entries: &[(Datum, Datum)], to: &mut Output<'_>) -> Result<(), Fault> {
    let key = key(field);
    to.field(TType::Map, field.number)?;
    let announced = TMapIdentifier {
        key_type: Some(element_type(&key)),
        value_type: Some(element_type(field)),
        size: count(field, entries.len())?,
    };
    to.protocol.write_map_begin(&announced).map_err(refused)?;
    for (name, one) in entries {
        element(&key, name, to)?;
        element(field, one, to)?;
    }
    to.protocol.write_map_end().map_err(refused)?;
    to.field_end()
}

fn count(field: &FieldInfo, count: usize) -> Result<i32, Fault> {
    i32::try_from(count).map_err(|_| Fault::in_field(Problem::Length(count as u64), field.name))
}

fn element(field: &FieldInfo, value: &Datum, to: &mut Output<'_>) -> Result<(), Fault> {
    if let Some(value) = value.integer() {
        in_range(field, value)?;
    }
    match value {
        Datum::Bool(value) => to.protocol.write_bool(*value).map_err(refused),
        Datum::I32(value) => to.signed((*value).into(), element_type(field)),
        Datum::I64(value) => to.signed(*value, element_type(field)),
        Datum::U32(value) => to.signed((*value).into(), element_type(field)),
        Datum::U64(value) => to.signed(value.cast_signed(), element_type(field)),
        Datum::F32(value) => to.protocol.write_double((*value).into()).map_err(refused),
        Datum::F64(value) => to.protocol.write_double(*value).map_err(refused),
        Datum::Text(text) => to.protocol.write_string(text).map_err(refused),
        Datum::Bytes(bytes) => to.protocol.write_bytes(bytes).map_err(refused),
        Datum::Enum(..) => to.protocol.write_i32(value.number()).map_err(refused),
        Datum::Message(value) => structure(value, to),
    }
}

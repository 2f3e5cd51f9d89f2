//! The encoding of ETSI TS 103 097 v1.1.1, the binary security envelope of vehicle messages, as a rule over definitions.
//!
//! The standard's text was not available; the layout is the project's note of it, and the four profiles come out at their
//! published sizes. The tests read the bytes with a program written from that layout. Version 1.2.1 and later are other formats.
//!
//! Everything is big-endian. An integer takes the bytes of the definition's range; a `uint32` without a range is an IntX: as
//! many leading one-bits as bytes follow, a zero, then the value. An enum is the narrowest unsigned integer. Bytes and text of
//! fixed length are written unchanged; all other bytes, texts and lists are preceded by their length IN BYTES, as an IntX. A
//! oneof that is never empty is a type byte, `(wiredyno.choice_tag)` or else the field's number, and the alternative.
//!
//! What the format can't express is refused by `carries`: fields or oneofs that may be absent (a list of a oneof can express
//! it), maps, booleans, floats, and lists of elements that take no bytes.

pub mod declared;
mod reader;
pub mod writer;

use wiredyno_contract::DeclaredCodec;

use reader::Input;
use wiredyno_codec::codec::{Codec, Reason};
use wiredyno_codec::record::{
    ChoiceInfo, Fault, FieldInfo, FieldType, Integer, MemberInfo, MessageInfo, Record, RecordFormat, Shape,
};
use writer::Body;

/// Implements `ts-103-097/wiredyno`, declared as [`declared::TS103097`].
#[derive(Debug, Default)]
pub struct Ts103097;

impl Codec for Ts103097 {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::TS103097
    }
}

impl RecordFormat for Ts103097 {
    type State = ();

    fn carries(message: &'static MessageInfo) -> Result<(), Reason> {
        carries(message, &mut Vec::new())
    }

    fn state<M: Record>(&self) -> Result<(), Fault> {
        Ok(())
    }

    fn write<M: Record>(&self, (): &mut (), message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        message.write(&mut Body { out })
    }

    fn read<M: Record>(&self, (): &(), bytes: &[u8]) -> Result<M, Fault> {
        let mut input = Input::new(bytes);
        let message = M::read(&mut input)?;
        input.finish()?;
        Ok(message)
    }
}

/// How an integer or enum field is written: a width in bytes and whether it is signed; `None` for IntX.
pub const fn width_of(field: &FieldInfo) -> Option<Integer> {
    match (field.ty, field.range) {
        (FieldType::U32, None) => None,
        _ => match field.integer() {
            Some(integer) => Some(integer),
            None => panic!("no integer"),
        },
    }
}

/// The type byte of an alternative.
pub fn tag(field: &FieldInfo) -> u32 {
    field.choice_tag.unwrap_or(field.number)
}

/// The index of the alternative with a type byte.
fn alternative(choice: &ChoiceInfo, wanted: u8) -> Option<usize> {
    choice.alternatives.iter().position(|field| tag(field) == u32::from(wanted))
}

fn carries(message: &'static MessageInfo, known: &mut Vec<&'static MessageInfo>) -> Result<(), Reason> {
    if known.iter().any(|other| std::ptr::eq(*other, message)) {
        return Ok(());
    }
    known.push(message);
    for member in message.members {
        match member {
            MemberInfo::Field(field) => element(message, field, known)?,
            MemberInfo::Choice(choice) if !choice.required => {
                return Err(Reason(format!(
                    "the oneof `{}` of `{}` may be empty, for which the format has no sign",
                    choice.name, message.name
                )));
            }
            MemberInfo::Choice(choice) => {
                let mut tags: Vec<u32> = choice.alternatives.iter().map(tag).collect();
                tags.sort_unstable();
                if tags.last().is_some_and(|tag| *tag > 255) || tags.windows(2).any(|two| two[0] == two[1]) {
                    return Err(Reason(format!(
                        "the alternatives of `{}` in `{}` need different types up to 255: set `(wiredyno.choice_tag)`",
                        choice.name, message.name
                    )));
                }
                choice.alternatives.iter().try_for_each(|field| element(message, field, known))?;
            }
        }
    }
    Ok(())
}

fn element(
    message: &'static MessageInfo,
    field: &'static FieldInfo,
    known: &mut Vec<&'static MessageInfo>,
) -> Result<(), Reason> {
    let refuse = |what: &str| Err(Reason(format!("`{}` of `{}` {what}", field.name, message.name)));
    match field.shape {
        Shape::Optional => return refuse("may be absent, for which the format has no sign"),
        Shape::Map(_) => return refuse("is a map, which the format does not have"),
        Shape::List if least_bytes(field, &mut Vec::new()) == 0 => {
            return refuse("is a list of elements without bytes, which its length in bytes can't count");
        }
        Shape::One | Shape::List => {}
    }
    match field.ty {
        FieldType::Bool => refuse("is true or false, which the format does not have"),
        FieldType::F32 | FieldType::F64 => {
            refuse("is a floating-point number, which the format does not have")
        }
        FieldType::Enum(info) if info.values.iter().any(|(_, number)| *number < 0) => {
            refuse("is an enum with numbers below zero")
        }
        FieldType::Message(inner) => carries(inner, known),
        _ => Ok(()),
    }
}

/// The fewest bytes that one element takes; messages that contain themselves count once.
fn least_bytes(field: &'static FieldInfo, above: &mut Vec<&'static MessageInfo>) -> usize {
    let FieldType::Message(message) = field.ty else {
        return match (field.ty, field.shape, field.fixed_length) {
            (FieldType::Bytes | FieldType::Text, Shape::One, Some(length)) => length as usize,
            _ => 1,
        };
    };
    if above.iter().any(|other| std::ptr::eq(*other, message)) {
        return 0;
    }
    above.push(message);
    let of_member = |member: &'static MemberInfo| match member {
        MemberInfo::Choice(_) => 1,
        MemberInfo::Field(field) if matches!(field.shape, Shape::List) && field.fixed_length.is_none() => 1,
        MemberInfo::Field(field) => least_bytes(field, above),
    };
    let least = message.members.iter().map(of_member).sum();
    above.pop();
    least
}

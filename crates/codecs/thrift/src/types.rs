//! How a definition maps to Thrift: types, and what can't be carried. Apache's library is not used here:
//! `wiredyno-dynamic` compiles this file too, and has no library.

use wiredyno_codec::codec::Reason;
use wiredyno_codec::record::{FieldInfo, FieldType, Integer, MemberInfo, MessageInfo, Shape};

/// The types that are used here; each protocol has its own numbers for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireType {
    /// `bool`, one of two values.
    Bool,
    /// `i8`, signed, 8 bits wide.
    I8,
    /// `i16`, signed, 16 bits wide.
    I16,
    /// `i32`, signed, 32 bits wide.
    I32,
    /// `i64`, signed, 64 bits wide.
    I64,
    /// `double`, IEEE 754 binary64; also for single-precision fields.
    Double,
    /// A text or byte string.
    String,
    /// A message, nested or as an element.
    Struct,
    /// A map field, `map<K, V>` in Thrift.
    Map,
    /// A repeated field, `list<T>` in Thrift.
    List,
}

/// Refuses field numbers above 32,767, the largest in Thrift's i16, and more required members than a reader counts.
///
/// # Errors
/// With the field or message concerned.
pub fn carries(info: &'static MessageInfo) -> Result<(), Reason> {
    numbers_fit(info, &mut Vec::new())
}

fn numbers_fit(info: &'static MessageInfo, known: &mut Vec<*const MessageInfo>) -> Result<(), Reason> {
    if known.contains(&std::ptr::from_ref(info)) {
        return Ok(());
    }
    known.push(info);
    let check = |field: &'static FieldInfo, known: &mut Vec<_>| match field.ty {
        _ if i16::try_from(field.number).is_err() => Err(Reason(format!(
            "`{}.{}` has number {}, and Thrift numbers fields up to {}",
            info.name,
            field.name,
            field.number,
            i16::MAX
        ))),
        FieldType::Message(inner) => numbers_fit(inner, known),
        _ => Ok(()),
    };
    for member in info.members {
        match member {
            MemberInfo::Field(field) => check(field, known)?,
            MemberInfo::Choice(choice) => {
                choice.alternatives.iter().try_for_each(|field| check(field, known))?;
            }
        }
    }
    if required_mask(info).count_ones() as usize != required_members(info) {
        return Err(Reason(format!("`{}` has more than 64 required messages and oneofs", info.name)));
    }
    Ok(())
}

/// The wire type of a field's elements.
pub const fn element_type(field: &FieldInfo) -> WireType {
    match field.ty {
        FieldType::Bool => WireType::Bool,
        FieldType::F32 | FieldType::F64 => WireType::Double,
        FieldType::Text | FieldType::Bytes => WireType::String,
        FieldType::Enum(_) => WireType::I32,
        FieldType::Message(_) => WireType::Struct,
        _ => match integer_bits(field) {
            8 => WireType::I8,
            16 => WireType::I16,
            32 => WireType::I32,
            _ => WireType::I64,
        },
    }
}

/// The width of the signed type that holds an integer field.
pub const fn integer_bits(field: &FieldInfo) -> u8 {
    match field.integer() {
        Some(Integer { bits, signed: true } | Integer { bits: bits @ 64, .. }) => bits,
        Some(Integer { bits, signed: false }) => match field.range {
            // Unsigned ranges that end within the positive half need no wider type.
            Some((_, max)) => Integer::holding(-1, max).bits,
            None => bits * 2,
        },
        None => 64,
    }
}

/// The wire type of a whole field.
pub const fn wire_type(field: &FieldInfo) -> WireType {
    match field.shape {
        Shape::List => WireType::List,
        Shape::Map(_) => WireType::Map,
        Shape::One | Shape::Optional => element_type(field),
    }
}

/// How many members of a message must be present and have no empty value to start from.
const fn required_members(info: &MessageInfo) -> usize {
    let (mut at, mut members) = (0, 0);
    while at < info.members.len() {
        members += is_required(&info.members[at]) as usize;
        at += 1;
    }
    members
}

/// Whether a member must be present and has no empty value to start from.
pub const fn is_required(member: &MemberInfo) -> bool {
    match member {
        MemberInfo::Field(field) => {
            matches!(field.shape, Shape::One) && matches!(field.ty, FieldType::Message(_))
        }
        MemberInfo::Choice(choice) => choice.required,
    }
}

/// One bit for each required member, up to the last one.
pub const fn required_mask(info: &MessageInfo) -> u64 {
    match required_members(info) {
        0 => 0,
        members @ 1..64 => (1 << members) - 1,
        _ => u64::MAX,
    }
}

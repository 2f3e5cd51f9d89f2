//! How a message definition maps to ASN.1, as constants: shared by every set of encoding rules here.
//!
//! The module itself is what `wiredyno_schema::idl::asn1` writes; this file derives the same from a [`FieldInfo`], so
//! that a difference between codecs and module makes the comparisons with foreign compilers fail. Stand-ins: a float
//! is the OCTET STRING of its IEEE 754 bytes, big-endian (REAL is missing from several PER implementations); a map is
//! a SEQUENCE OF SEQUENCE {key, value}. A text's length is not constrained: ASN.1 counts characters, definitions bytes.

use crate::record::{FieldInfo, FieldType, Length};

/// The value constraint of an INTEGER.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bounds {
    /// Both ends are stated, and included.
    Within(i64, i64),
    /// `(0..MAX)`: not negative, without an upper bound.
    Natural,
    /// No constraint: any integer of the field's type.
    Any,
}

/// The constraint of an integer field's elements: its range, else the limits of a 32-bit type. 64-bit types have no
/// bounds other than zero, because compilers differ in what they can hold.
pub const fn bounds(field: &FieldInfo) -> Bounds {
    match (field.range, field.ty) {
        (Some((min, max)), _) => Bounds::Within(min, max),
        (None, FieldType::I32) => Bounds::Within(i32::MIN as i64, i32::MAX as i64),
        (None, FieldType::U32) => Bounds::Within(0, u32::MAX as i64),
        (None, FieldType::U64) => Bounds::Natural,
        (None, _) => Bounds::Any,
    }
}

/// The size constraint of a field's bytes; that of a list is [`FieldInfo::list_length`].
pub const fn size(field: &FieldInfo) -> Length {
    match field.ty {
        FieldType::F32 => Length { fixed: Some(4), max: None },
        FieldType::F64 => Length { fixed: Some(8), max: None },
        FieldType::Bytes => field.value_length(),
        _ => Length { fixed: None, max: None },
    }
}

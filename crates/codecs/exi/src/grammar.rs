//! The schema-informed grammars as constants: how many productions there are at each place in a message's content.
//!
//! Source: EXI 1.0 (Second Edition), sections 8.5.4.1 (grammars of schema types, here sequences and choices of
//! local elements), 8.5.4.3 (event codes in schema order, EE last) and 8.5.4.4 (undeclared productions). A place
//! is the state of the grammar after the previous member: its productions are SE of every element that may come
//! next, then EE if none is required. Grammars are never built: the compiler folds what the definition fixes.

use wiredyno_codec::record::{ChoiceInfo, FieldInfo, FieldType, MemberInfo, MessageInfo, Shape};

/// What follows the escape at the start of a simple value, in default grammars: EE, AT(xsi:type), AT(xsi:nil), AT(*),
/// AT(*) untyped, SE(*), CH untyped (section 8.5.4.4.1), in three bits.
pub const UNDECLARED_BITS: u32 = 3;
/// The event code of the undeclared end, EE.
pub const UNDECLARED_END: u32 = 0;

/// What may come at a place in a message's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Next {
    /// How many elements may start.
    pub starts: u32,
    /// Whether the content may end, so that what follows the message is among the productions.
    pub open: bool,
}

impl Next {
    /// One element, which is required.
    pub const ONE: Next = Next { starts: 1, open: false };
    /// Nothing more within the message.
    pub const END: Next = Next { starts: 0, open: true };

    /// The number of productions, given the number for what follows the message.
    #[inline(always)]
    pub const fn productions(self, follow: u32) -> u32 {
        self.starts + if self.open { follow } else { 0 }
    }
}

/// The number of bits that distinguish `count` productions.
#[inline(always)]
pub const fn bits(count: u32) -> u32 {
    if count <= 1 { 0 } else { 32 - (count - 1).leading_zeros() }
}

/// What may come before the member at `position`; after the last one, the end.
pub const fn next(message: &MessageInfo, position: usize, merged: bool) -> Next {
    let mut starts = 0;
    let mut at = position;
    while at < message.members.len() {
        let member = member(&message.members[at], merged);
        starts += member.starts;
        if !member.open {
            return Next { starts, open: false };
        }
        at += 1;
    }
    Next { starts, open: true }
}

/// How many elements a member can start with, and whether it may be absent.
pub const fn member(member: &MemberInfo, merged: bool) -> Next {
    match member {
        MemberInfo::Choice(choice) => alternatives(choice),
        MemberInfo::Field(field) => match field.shape {
            Shape::One => match merged_message(field, merged) {
                Some(inner) => next(inner, 0, merged),
                None => Next::ONE,
            },
            Shape::Optional => Next { starts: 1, open: true },
            Shape::List | Shape::Map(_) => Next {
                starts: if matches!(most_elements(field), Some(0)) { 0 } else { 1 },
                open: !matches!(field.fixed_length, Some(1..)),
            },
        },
    }
}

/// The elements of a oneof, and whether it may be empty.
pub const fn alternatives(choice: &ChoiceInfo) -> Next {
    Next { starts: choice.alternatives.len() as u32, open: !choice.required }
}

/// `maxOccurs` of a list or map.
pub const fn most_elements(field: &FieldInfo) -> Option<u32> {
    match field.fixed_length {
        Some(fixed) => Some(fixed),
        None => field.max_length,
    }
}

/// The message whose members replace this field.
pub const fn merged_message(field: &FieldInfo, merged: bool) -> Option<&'static MessageInfo> {
    match (field.ty, field.shape) {
        (FieldType::Message(inner), Shape::One) if merged => Some(inner),
        _ => None,
    }
}

/// How an integer is written (section 7.1.5, 7.1.9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Integers {
    /// In a fixed number of bits, as the offset from `min`.
    Bits {
        /// The lower bound, which offsets start from.
        min: i64,
        /// How many bits the offset takes.
        width: u32,
    },
    /// Groups of seven bits, without a sign.
    Unsigned,
    /// A sign, then groups of seven bits.
    Signed,
}

impl Integers {
    /// Whether it is written in a fixed number of bits.
    pub(super) const fn is_bits(self) -> bool {
        matches!(self, Integers::Bits { .. })
    }

    /// Whether it is written without a sign, in groups of bits.
    pub(super) const fn is_unsigned(self) -> bool {
        matches!(self, Integers::Unsigned)
    }

    /// Lower bound and number of bits of [`Integers::Bits`]; zero for others.
    pub(super) const fn min_and_width(self) -> (i64, u32) {
        match self {
            Integers::Bits { min, width } => (min, width),
            Integers::Unsigned | Integers::Signed => (0, 0),
        }
    }
}

/// The largest range that is written in a fixed number of bits.
const BOUNDED_RANGE: u64 = 4096;

/// How this field's integers are written.
pub const fn integers(field: &FieldInfo) -> Integers {
    match (field.range, field.ty) {
        (Some((min, max)), _) if max.abs_diff(min) < BOUNDED_RANGE => {
            Integers::Bits { min, width: bits(max.abs_diff(min) as u32 + 1) }
        }
        (_, FieldType::U32 | FieldType::U64) | (Some((0.., _)), _) => Integers::Unsigned,
        _ => Integers::Signed,
    }
}

/// Whether the element's type has named subtypes, so that even strict grammars let `xsi:type` choose one
/// (section 8.5.4.4.2): XML Schema's own types do, types that this schema restricts in place do not.
pub const fn has_subtypes(field: &FieldInfo) -> bool {
    match field.ty {
        FieldType::I32 | FieldType::I64 | FieldType::U32 | FieldType::U64 => field.range.is_none(),
        FieldType::Text => {
            let length = field.value_length();
            length.fixed.is_none() && length.max.is_none()
        }
        _ => false,
    }
}

/// A number for the element's name (FNV-1a, 64 bits), by which string tables distinguish elements.
pub const fn name_key(field: &FieldInfo) -> u64 {
    // The elements of a map's entries are called key and value.
    let name = match field.shape {
        Shape::Map(_) => "value".as_bytes(),
        _ => field.name.as_bytes(),
    };
    let mut key = 0xcbf2_9ce4_8422_2325;
    let mut at = 0;
    while at < name.len() {
        key = (key ^ name[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    key
}

/// The key of a name below a path.
#[inline(always)]
pub const fn path_key(path: u64, name: u64) -> u64 {
    (path.rotate_left(23) ^ name).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_tell_productions_apart() {
        assert_eq!([0, 1, 2, 3, 4, 5, 4096, 4097].map(bits), [0, 0, 1, 2, 2, 3, 12, 13]);
    }

    #[test]
    fn paths_do_not_commute() {
        assert_ne!(path_key(path_key(0, 1), 2), path_key(path_key(0, 2), 1));
    }
}

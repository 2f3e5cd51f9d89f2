//! The contents of a message definition, as constants.

use super::{Choice, Record};

/// What the definition says about a message.
#[derive(Debug)]
pub struct MessageInfo {
    /// Its name, preceded by those of the messages around it.
    pub name: &'static str,
    /// Its members in the definition's order.
    pub members: &'static [MemberInfo],
    /// Whether it ends with an extension marker (ASN.1).
    pub extensible: bool,
    /// What represents it in formats for people that have a value of their own for it.
    pub stands_for: StandsFor,
}

/// How formats that have a value of their own for a message write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandsFor {
    /// No value of its own: its fields.
    Fields,
    /// The value of its only field, which is always there.
    Value,
    /// A time: seconds since 1970, and nanoseconds.
    Timestamp,
    /// Seconds, and nanoseconds of the same sign.
    Duration,
    /// A `FieldMask`: the paths of fields.
    FieldMask,
}

/// A member of a message.
#[derive(Debug)]
pub enum MemberInfo {
    /// A field outside every oneof.
    Field(FieldInfo),
    /// A oneof, in the place of its first alternative.
    Choice(&'static ChoiceInfo),
}

impl MemberInfo {
    /// Whether it may be absent and has a flag in [`Record::Presence`].
    pub const fn is_optional(&self) -> bool {
        match self {
            MemberInfo::Field(field) => matches!(field.shape, Shape::Optional),
            MemberInfo::Choice(choice) => !choice.required,
        }
    }
}

/// What the definition says about a oneof.
#[derive(Debug)]
pub struct ChoiceInfo {
    /// The name in the definition.
    pub name: &'static str,
    /// Its index among its message's members.
    pub position: usize,
    /// The index of its flag among those of the optional members; 0 if it is never empty.
    pub flag: usize,
    /// Whether it is never empty.
    pub required: bool,
    /// Whether it ends with an extension marker (ASN.1).
    pub extensible: bool,
    /// Its alternatives in the definition's order.
    pub alternatives: &'static [FieldInfo],
}

/// A field of a message, or an alternative of a oneof.
#[derive(Debug)]
pub struct FieldInfo {
    /// The name in the definition.
    pub name: &'static str,
    /// Its field number in Protobuf.
    pub number: u32,
    /// Its index among its message's members, or its oneof's alternatives.
    pub position: usize,
    /// The index of its flag among those of the optional members; 0 if it has none.
    pub flag: usize,
    /// The type of one element.
    pub ty: FieldType,
    /// How many elements there are.
    pub shape: Shape,
    /// Integers: the values that occur, both ends included.
    pub range: Option<(i64, i64)>,
    /// The exact number of bytes or elements, if fixed.
    pub fixed_length: Option<u32>,
    /// The most bytes or elements, if limited.
    pub max_length: Option<u32>,
    /// The number stands for value / 10^scale.
    pub fixed_point_scale: Option<u32>,
    /// The number is a Unicode character.
    pub character: bool,
    /// Alternatives of a oneof: the number that announces this one in formats with such numbers of their own, up to 255.
    pub choice_tag: Option<u32>,
    /// What represents its message in formats that have a value of their own for it.
    pub stands_for: StandsFor,
}

/// The type of a field's elements.
#[derive(Debug, Clone, Copy)]
pub enum FieldType {
    /// A truth value, `bool` in Protobuf.
    Bool,
    /// `int32`, `sint32` or `sfixed32` in Protobuf.
    I32,
    /// `int64`, `sint64` or `sfixed64` in Protobuf.
    I64,
    /// `uint32` or `fixed32` in Protobuf.
    U32,
    /// `uint64` or `fixed64` in Protobuf.
    U64,
    /// IEEE 754 binary32, `float` in Protobuf.
    F32,
    /// IEEE 754 binary64, `double` in Protobuf.
    F64,
    /// UTF-8 text, `string` in Protobuf.
    Text,
    /// Any bytes, `bytes` in Protobuf.
    Bytes,
    /// An enum of the definition.
    Enum(&'static EnumInfo),
    /// A nested message, or a message that is an element.
    Message(&'static MessageInfo),
}

/// How many elements a field has.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// Exactly one: always present.
    One,
    /// One or none: presence is explicit.
    Optional,
    /// Any number, in order: `repeated` in Protobuf.
    List,
    /// One per key of this type.
    Map(FieldType),
}

/// What the definition says about an enum.
#[derive(Debug)]
pub struct EnumInfo {
    /// Its name, preceded by those of the messages around it.
    pub name: &'static str,
    /// Names and numbers, in ascending order of the numbers.
    pub values: &'static [(&'static str, i32)],
    /// Whether it ends with an extension marker (ASN.1).
    pub extensible: bool,
    /// Whether self-describing formats write null instead.
    pub stands_for_null: bool,
}

/// A fixed-width integer type, as languages have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Integer {
    /// 8, 16, 32 or 64.
    pub bits: u8,
    /// Two's complement if true, never negative if false.
    pub signed: bool,
}

impl Integer {
    /// The narrowest type that holds both; unsigned if neither is negative.
    pub const fn holding(min: i64, max: i64) -> Integer {
        let signed = min < 0;
        let bits = if signed {
            let below = -(min + 1);
            let most = if below > max { below } else { max };
            match most {
                0..=0x7f => 8,
                0x80..=0x7fff => 16,
                0x8000..=0x7fff_ffff => 32,
                _ => 64,
            }
        } else {
            match max {
                0..=0xff => 8,
                0x100..=0xffff => 16,
                0x1_0000..=0xffff_ffff => 32,
                _ => 64,
            }
        };
        Integer { bits, signed }
    }

    /// How many bytes a value takes.
    pub const fn bytes(self) -> usize {
        self.bits as usize / 8
    }
}

/// The allowed number of bytes of a text or byte string, or of elements of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Length {
    /// The exact number, if fixed.
    pub fixed: Option<u32>,
    /// The largest number, if limited.
    pub max: Option<u32>,
}

impl Length {
    /// Whether a length is allowed.
    #[inline]
    pub const fn allows(self, length: usize) -> bool {
        match (self.fixed, self.max) {
            (Some(fixed), _) => length == fixed as usize,
            (None, Some(max)) => length <= max as usize,
            (None, None) => true,
        }
    }
}

impl FieldInfo {
    /// A field with only a type: the first of its message, always present.
    pub const fn plain(name: &'static str, ty: FieldType) -> FieldInfo {
        FieldInfo {
            name,
            number: 1,
            position: 0,
            flag: 0,
            ty,
            shape: Shape::One,
            range: None,
            fixed_length: None,
            max_length: None,
            fixed_point_scale: None,
            character: false,
            choice_tag: None,
            stands_for: StandsFor::Fields,
        }
    }

    /// The allowed number of a list's or map's elements.
    pub const fn list_length(&self) -> Length {
        match self.shape {
            Shape::List | Shape::Map(_) => Length { fixed: self.fixed_length, max: self.max_length },
            _ => Length { fixed: None, max: None },
        }
    }

    /// The allowed number of bytes of a text or byte string; those in lists are not limited.
    pub const fn value_length(&self) -> Length {
        match self.shape {
            Shape::List | Shape::Map(_) => Length { fixed: None, max: None },
            _ => Length { fixed: self.fixed_length, max: self.max_length },
        }
    }

    /// The integer type of this field in languages that have narrow ones: the narrowest that holds the range, else
    /// the declared one; an enum's is the narrowest that holds its numbers. `None` for other types.
    pub const fn integer(&self) -> Option<Integer> {
        if let FieldType::Enum(info) = self.ty {
            return Some(info.integer());
        }
        let declared = match self.ty {
            FieldType::I32 => Integer { bits: 32, signed: true },
            FieldType::I64 => Integer { bits: 64, signed: true },
            FieldType::U32 => Integer { bits: 32, signed: false },
            FieldType::U64 => Integer { bits: 64, signed: false },
            _ => return None,
        };
        match self.range {
            Some((min, max)) => Some(Integer::holding(min, max)),
            None => Some(declared),
        }
    }
}

impl EnumInfo {
    /// The narrowest integer type that holds its numbers.
    pub const fn integer(&self) -> Integer {
        let (mut min, mut max, mut at) = (0, 0, 0);
        while at < self.values.len() {
            let number = self.values[at].1 as i64;
            min = if number < min { number } else { min };
            max = if number > max { number } else { max };
            at += 1;
        }
        Integer::holding(min, max)
    }
}

/// A field as a type: what the walk passes to writers and readers.
pub trait Field {
    /// What the definition says about the field.
    const INFO: &'static FieldInfo;
    /// Whether it is the alternative of a oneof.
    const IN_CHOICE: bool;
}

/// The field at an index among a message's members.
pub struct At<M, const POSITION: usize>(std::marker::PhantomData<M>);

impl<M: Record, const POSITION: usize> Field for At<M, POSITION> {
    const INFO: &'static FieldInfo = match &M::INFO.members[POSITION] {
        MemberInfo::Field(field) => field,
        MemberInfo::Choice(_) => panic!("a oneof stands at this place"),
    };
    const IN_CHOICE: bool = false;
}

/// The alternative at an index of a oneof.
pub struct Alternative<C, const POSITION: usize>(std::marker::PhantomData<C>);

impl<C: Choice, const POSITION: usize> Field for Alternative<C, POSITION> {
    const INFO: &'static FieldInfo = &C::INFO.alternatives[POSITION];
    const IN_CHOICE: bool = true;
}

/// The keys of a map field.
pub struct Key<F>(std::marker::PhantomData<F>);

impl<F: Field> Field for Key<F> {
    const INFO: &'static FieldInfo = &FieldInfo {
        name: "key",
        number: 1,
        position: 0,
        flag: 0,
        ty: match F::INFO.shape {
            Shape::Map(key) => key,
            _ => panic!("only maps have keys"),
        },
        shape: Shape::One,
        range: None,
        fixed_length: None,
        max_length: None,
        fixed_point_scale: None,
        character: false,
        choice_tag: None,
        stands_for: StandsFor::Fields,
    };
    const IN_CHOICE: bool = false;
}

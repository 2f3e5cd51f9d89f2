//! What a message definition says, as constants.

use super::{Choice, Record};

/// A message.
#[derive(Debug)]
pub struct MessageInfo {
    /// Its name, those of the messages around it in front.
    pub name: &'static str,
    /// Its members in the definition's order.
    pub members: &'static [MemberInfo],
    /// Whether it ends in an extension marker (ASN.1).
    pub extensible: bool,
    /// What stands in its place where a format for people has a value of its own for it.
    pub stands_for: StandsFor,
}

/// What a message is where a format has a value of its own for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandsFor {
    /// Its fields.
    Fields,
    /// The value of its only field, which is always there.
    Value,
    /// A time: seconds since 1970, and nanoseconds.
    Timestamp,
    /// Seconds, and nanoseconds of the same sign.
    Duration,
    /// Paths of fields.
    FieldMask,
}

/// A member of a message.
#[derive(Debug)]
pub enum MemberInfo {
    /// A field outside of every oneof.
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

/// A oneof.
#[derive(Debug)]
pub struct ChoiceInfo {
    /// Its name.
    pub name: &'static str,
    /// Where it stands among its message's members.
    pub position: usize,
    /// Where its flag stands among those of the optional members; 0 if it is never empty.
    pub flag: usize,
    /// Whether it is never empty.
    pub required: bool,
    /// Whether it ends in an extension marker (ASN.1).
    pub extensible: bool,
    /// Its alternatives in the definition's order.
    pub alternatives: &'static [FieldInfo],
}

/// A field of a message, or an alternative of a oneof.
#[derive(Debug)]
pub struct FieldInfo {
    /// Its name.
    pub name: &'static str,
    /// Its Protobuf number.
    pub number: u32,
    /// Where it stands among its message's members, or its oneof's alternatives.
    pub position: usize,
    /// Where its flag stands among those of the optional members; 0 if it has none.
    pub flag: usize,
    /// The type of one element.
    pub ty: FieldType,
    /// How many elements there are.
    pub shape: Shape,
    /// Integers: the values that occur, both ends included.
    pub range: Option<(i64, i64)>,
    /// Exactly so many bytes or elements.
    pub fixed_length: Option<u32>,
    /// At most so many bytes or elements.
    pub max_length: Option<u32>,
    /// The number stands for value / 10^scale.
    pub fixed_point_scale: Option<u32>,
    /// The number is a Unicode character.
    pub character: bool,
    /// Alternatives of a oneof: what announces this one in formats with such numbers of their own, up to 255.
    pub choice_tag: Option<u32>,
    /// What its message is where a format has a value of its own for it.
    pub stands_for: StandsFor,
}

/// The type of a field's elements.
#[derive(Debug, Clone, Copy)]
pub enum FieldType {
    /// true or false.
    Bool,
    /// Signed, 32 bits.
    I32,
    /// Signed, 64 bits.
    I64,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
    /// IEEE 754, 32 bits.
    F32,
    /// IEEE 754, 64 bits.
    F64,
    /// UTF-8 text.
    Text,
    /// Any bytes.
    Bytes,
    /// An enum.
    Enum(&'static EnumInfo),
    /// A message.
    Message(&'static MessageInfo),
}

/// How many elements a field has.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// Exactly one.
    One,
    /// One or none.
    Optional,
    /// Any number, in order.
    List,
    /// One per key of this type.
    Map(FieldType),
}

/// An enum.
#[derive(Debug)]
pub struct EnumInfo {
    /// Its name, those of the messages around it in front.
    pub name: &'static str,
    /// Names and numbers, in ascending order of the numbers.
    pub values: &'static [(&'static str, i32)],
    /// Whether it ends in an extension marker (ASN.1).
    pub extensible: bool,
    /// Whether formats that describe themselves write null in its place.
    pub stands_for_null: bool,
}

/// A fixed-width integer type, as languages have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Integer {
    /// 8, 16, 32 or 64.
    pub bits: u8,
    /// Two's complement, or none below zero.
    pub signed: bool,
}

impl Integer {
    /// The narrowest type that holds both; unsigned where nothing lies below zero.
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

    /// The bytes of one.
    pub const fn bytes(self) -> usize {
        self.bits as usize / 8
    }
}

/// How many bytes a text or byte string has, or how many elements a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Length {
    /// Exactly so many.
    pub fixed: Option<u32>,
    /// At most so many.
    pub max: Option<u32>,
}

impl Length {
    /// Whether so many are allowed.
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
    /// A field of which nothing but its type is said: the first, always there.
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

    /// What bounds the number of a list's or map's elements.
    pub const fn list_length(&self) -> Length {
        match self.shape {
            Shape::List | Shape::Map(_) => Length { fixed: self.fixed_length, max: self.max_length },
            _ => Length { fixed: None, max: None },
        }
    }

    /// What bounds the bytes of a text or byte string; those in lists are not bounded.
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
    /// The narrowest integer type that holds the numbers.
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

/// A field as a type: what the walk hands to writers and readers.
pub trait Field {
    /// What the definition says.
    const INFO: &'static FieldInfo;
    /// Whether it is the alternative of a oneof.
    const IN_CHOICE: bool;
}

/// The field at a place among a message's members.
pub struct At<M, const POSITION: usize>(std::marker::PhantomData<M>);

impl<M: Record, const POSITION: usize> Field for At<M, POSITION> {
    const INFO: &'static FieldInfo = match &M::INFO.members[POSITION] {
        MemberInfo::Field(field) => field,
        MemberInfo::Choice(_) => panic!("a oneof stands at this place"),
    };
    const IN_CHOICE: bool = false;
}

/// The alternative at a place of a oneof.
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

//! A value in its definition's order, which every encoder walks.

use prost_reflect::{DynamicMessage, MapKey, Value};
use wiredyno_codec::record::{
    ChoiceInfo, EnumInfo, Fault, FieldInfo, FieldType, MemberInfo, MessageInfo, Shape,
};
use wiredyno_codec::well_known::text;
use wiredyno_schema::WellKnown;

use crate::described::{Described, Standing};

/// Why a value does not comply with its definition, in a way that every codec refuses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// An enum's number has no name in the definition.
    #[error("`{field}` is {number}, which is not a value of `{name}`; write one of its names")]
    UnknownEnum {
        /// The name of the field.
        field: &'static str,
        /// The number without a name.
        number: i32,
        /// The name of the enum.
        name: &'static str,
    },
    /// A required field or oneof is absent.
    #[error("`{field}` of `{message}` is absent, but the definition requires it; add it to the sample")]
    Missing {
        /// The name of the field or oneof.
        field: &'static str,
        /// The message that lacks it.
        message: &'static str,
    },
    /// A field's value does not have the type that the definition gives it.
    #[error("`{field}` of `{message}` has a different type than in the definition; report this")]
    OtherType {
        /// The name of the field.
        field: &'static str,
        /// The name of the message that has the field.
        message: &'static str,
    },
}

/// A message's values, in the definition's order.
#[derive(Debug, Clone)]
pub struct Record {
    /// The message in the form that compiled codecs use.
    pub info: &'static MessageInfo,
    /// The index of its type in the definition's messages.
    pub index: usize,
    /// How self-describing formats represent it.
    standing: Standing,
    members: Vec<Content>,
}

/// A single value, of any type.
#[derive(Debug, Clone)]
pub enum Datum {
    /// A value of type `bool`.
    Bool(bool),
    /// A signed integer of 32 bits.
    I32(i32),
    /// A signed integer of 64 bits.
    I64(i64),
    /// An unsigned integer of 32 bits.
    U32(u32),
    /// An unsigned integer of 64 bits.
    U64(u64),
    /// A value of type `float`.
    F32(f32),
    /// A value of type `double`.
    F64(f64),
    /// A value of type `string`.
    Text(String),
    /// A value of type `bytes`.
    Bytes(Vec<u8>),
    /// An enum's value: its index in ascending order of the numbers.
    Enum(&'static EnumInfo, usize),
    /// A message inside another one.
    Message(Record),
}

#[derive(Debug, Clone)]
enum Content {
    One(Datum),
    Optional(Option<Datum>),
    List(Vec<Datum>),
    Map(Vec<(Datum, Datum)>),
    Choice(Option<(usize, Datum)>),
}

/// A message's member with its value.
#[derive(Debug, Clone, Copy)]
pub enum Member<'a> {
    /// A field that is always present.
    One(&'static FieldInfo, &'a Datum),
    /// A field that may be absent, with its value if it is present.
    Optional(&'static FieldInfo, Option<&'a Datum>),
    /// A list field, with its elements in order.
    List(&'static FieldInfo, &'a [Datum]),
    /// A map field, with its entries in ascending order of their keys.
    Map(&'static FieldInfo, &'a [(Datum, Datum)]),
    /// A oneof, with the index and value of the alternative that is present, if any.
    Choice(&'static ChoiceInfo, Option<(usize, &'a Datum)>),
}

/// A well-known type with its value.
#[derive(Debug, Clone, Copy)]
pub enum Known<'a> {
    /// Seconds since 1970-01-01 UTC, and nanoseconds.
    Timestamp(i64, i32),
    /// Seconds, and nanoseconds of the same sign.
    Duration(i64, i32),
    /// Paths, each of them a text.
    FieldMask(&'a [Datum]),
}

impl Known<'_> {
    /// Its text in proto3's JSON mapping.
    pub(crate) fn text(self) -> Result<String, Fault> {
        let path = |path: &Datum| if let Datum::Text(path) = path { path.clone() } else { String::new() };
        let text = match self {
            Known::Timestamp(seconds, nanos) => {
                text::Timestamp::new(seconds, nanos).map(|time| time.to_string())
            }
            Known::Duration(seconds, nanos) => {
                text::Duration::new(seconds, nanos).map(|time| time.to_string())
            }
            Known::FieldMask(paths) => {
                let paths: Vec<String> = paths.iter().map(path).collect();
                text::write_mask(paths.iter().map(String::as_str))
            }
        };
        text.map_err(Fault::other)
    }
}

/// The value that replaces a message that stands for it.
#[derive(Debug, Clone, Copy)]
pub enum Plain<'a> {
    /// A value that is always present.
    One(&'a Datum),
    /// A value that may be null.
    Optional(Option<&'a Datum>),
    /// The elements of a list.
    List(&'a [Datum]),
    /// A map's keys and values.
    Map(&'a [(Datum, Datum)]),
}

impl Record {
    /// The value that self-describing formats write in its place; `None` if they write the message. Set `of_several_kinds` for formats that
    /// identify the alternative of a choice by its value.
    pub fn plain(&self, of_several_kinds: bool) -> Option<Plain<'_>> {
        if !self.standing.is_value {
            return None;
        }
        Some(match self.members().next()? {
            Member::One(_, one) => Plain::One(one),
            Member::Optional(_, one) => Plain::Optional(one),
            Member::List(_, list) => Plain::List(list),
            Member::Map(_, entries) => Plain::Map(entries),
            Member::Choice(_, Some((_, one))) if of_several_kinds => Plain::One(one),
            Member::Choice(..) => return None,
        })
    }

    /// Whether it stands for a value of several kinds that include a 64-bit integer: formats that write those as strings write the message
    /// itself.
    pub fn has_wide_alternative(&self) -> bool {
        self.standing.has_wide_alternative
    }

    /// The well-known type that it is, with its value; `None` for other messages.
    pub fn well_known(&self) -> Option<Known<'_>> {
        let of_time = |make: fn(i64, i32) -> Known<'static>| {
            let (mut seconds, mut nanos) = (0, 0);
            for member in self.members() {
                match member {
                    Member::One(_, Datum::I64(value)) => seconds = *value,
                    Member::One(_, Datum::I32(value)) => nanos = *value,
                    _ => {}
                }
            }
            make(seconds, nanos)
        };
        Some(match self.standing.well_known? {
            WellKnown::Timestamp => of_time(Known::Timestamp),
            WellKnown::Duration => of_time(Known::Duration),
            WellKnown::FieldMask => match self.members().next()? {
                Member::List(_, paths) => Known::FieldMask(paths),
                _ => return None,
            },
        })
    }

    /// Its members, in the definition's order.
    pub fn members(&self) -> impl ExactSizeIterator<Item = Member<'_>> {
        self.info.members.iter().zip(&self.members).map(|(info, content)| match (info, content) {
            (MemberInfo::Field(info), Content::One(one)) => Member::One(info, one),
            (MemberInfo::Field(info), Content::Optional(one)) => Member::Optional(info, one.as_ref()),
            (MemberInfo::Field(info), Content::List(list)) => Member::List(info, list),
            (MemberInfo::Field(info), Content::Map(map)) => Member::Map(info, map),
            (MemberInfo::Field(info), Content::Choice(_)) => Member::Optional(info, None),
            (MemberInfo::Choice(info), Content::Choice(chosen)) => {
                Member::Choice(info, chosen.as_ref().map(|(at, value)| (*at, value)))
            }
            (MemberInfo::Choice(info), _) => Member::Choice(info, None),
        })
    }

    /// Its fields in the definition's order, with a oneof's as optional fields, for formats without choices.
    pub fn fields(&self) -> impl Iterator<Item = Member<'_>> {
        self.members().flat_map(|member| {
            let alternatives: &'static [FieldInfo] = match member {
                Member::Choice(info, _) => info.alternatives,
                _ => &[],
            };
            let chosen = match member {
                Member::Choice(_, chosen) => chosen,
                _ => None,
            };
            let of_choice = alternatives.iter().enumerate().map(move |(at, info)| {
                Member::Optional(info, chosen.filter(|(place, _)| *place == at).map(|(_, value)| value))
            });
            let own = if matches!(member, Member::Choice(..)) { None } else { Some(member) };
            own.into_iter().chain(of_choice)
        })
    }

    fn read(described: &Described, index: usize, value: &DynamicMessage) -> Result<Record, ValueError> {
        let (info, mut descriptors) = (described.infos[index], described.descriptors[index].iter());
        let mut members = Vec::with_capacity(info.members.len());
        for member in info.members {
            let count = match member {
                MemberInfo::Field(_) => 1,
                MemberInfo::Choice(choice) => choice.alternatives.len(),
            };
            let descriptors: Vec<_> = descriptors.by_ref().take(count).collect();
            members.push(match member {
                MemberInfo::Field(field) => content(described, info, field, descriptors[0], value)?,
                MemberInfo::Choice(choice) => {
                    let chosen = descriptors.iter().position(|descriptor| value.has_field(descriptor));
                    if chosen.is_none() && choice.required {
                        return Err(ValueError::Missing { field: choice.name, message: info.name });
                    }
                    let read = |at: usize| {
                        let (field, held) = (&choice.alternatives[at], value.get_field(descriptors[at]));
                        Ok((at, datum(described, info, field, &held)?))
                    };
                    Content::Choice(chosen.map(read).transpose()?)
                }
            });
        }
        Ok(Record { info, index, standing: described.standing[index], members })
    }
}

impl Described {
    /// Converts a value of the root to the definition's order.
    ///
    /// # Errors
    /// When it lacks a required field or oneof, or contains a number that an enum does not name.
    pub fn value(&self, value: &DynamicMessage) -> Result<Record, ValueError> {
        Record::read(self, 0, value)
    }
}

impl Datum {
    /// The number of an enum's value; 0 for other types.
    pub fn number(&self) -> i32 {
        match self {
            Datum::Enum(info, ordinal) => info.values.get(*ordinal).map_or(0, |(_, number)| *number),
            _ => 0,
        }
    }

    /// An integer or enum as every codec checks it; unsigned ones beyond the largest i64 are clamped to it.
    pub fn integer(&self) -> Option<i64> {
        Some(match self {
            Datum::I32(value) => (*value).into(),
            Datum::I64(value) => *value,
            Datum::U32(value) => (*value).into(),
            Datum::U64(value) => i64::try_from(*value).unwrap_or(i64::MAX),
            _ => return None,
        })
    }
}

fn content(
    described: &Described,
    message: &'static MessageInfo,
    field: &'static FieldInfo,
    descriptor: &prost_reflect::FieldDescriptor,
    value: &DynamicMessage,
) -> Result<Content, ValueError> {
    let read = |held: &Value| datum(described, message, field, held);
    let other = || ValueError::OtherType { field: field.name, message: message.name };
    let there = value.has_field(descriptor);
    let held = value.get_field(descriptor);
    Ok(match (field.shape, &*held) {
        (Shape::One, _) if !there && descriptor.supports_presence() => {
            return Err(ValueError::Missing { field: field.name, message: message.name });
        }
        (Shape::One, held) => Content::One(read(held)?),
        (Shape::Optional, held) if there => Content::Optional(Some(read(held)?)),
        (Shape::Optional, _) => Content::Optional(None),
        (Shape::List, Value::List(list)) => Content::List(list.iter().map(read).collect::<Result<_, _>>()?),
        (Shape::Map(_), Value::Map(map)) => {
            let mut entries: Vec<(&MapKey, &Value)> = map.iter().collect();
            entries.sort_by(|(a, _), (b, _)| order(a, b));
            let entry = |(key, held): (&MapKey, &Value)| {
                let value = datum(described, message, field, held)?;
                Ok((key_datum(key), value))
            };
            Content::Map(entries.into_iter().map(entry).collect::<Result<_, _>>()?)
        }
        _ => return Err(other()),
    })
}

fn datum(
    described: &Described,
    message: &'static MessageInfo,
    field: &'static FieldInfo,
    value: &Value,
) -> Result<Datum, ValueError> {
    let other = || ValueError::OtherType { field: field.name, message: message.name };
    Ok(match (value, field.ty) {
        (Value::Bool(value), _) => Datum::Bool(*value),
        (Value::I32(value), _) => Datum::I32(*value),
        (Value::I64(value), _) => Datum::I64(*value),
        (Value::U32(value), _) => Datum::U32(*value),
        (Value::U64(value), _) => Datum::U64(*value),
        (Value::F32(value), _) => Datum::F32(*value),
        (Value::F64(value), _) => Datum::F64(*value),
        (Value::String(text), _) => Datum::Text(text.clone()),
        (Value::Bytes(bytes), _) => Datum::Bytes(bytes.to_vec()),
        (Value::EnumNumber(number), FieldType::Enum(info)) => {
            let ordinal = info.values.binary_search_by_key(number, |(_, known)| *known);
            let unknown = |_| ValueError::UnknownEnum { field: field.name, number: *number, name: info.name };
            Datum::Enum(info, ordinal.map_err(unknown)?)
        }
        (Value::Message(value), FieldType::Message(info)) => {
            let index = described.index_of(info).ok_or_else(other)?;
            Datum::Message(Record::read(described, index, value)?)
        }
        _ => return Err(other()),
    })
}

/// All keys of a map have the same type.
fn order(a: &MapKey, b: &MapKey) -> std::cmp::Ordering {
    match (a, b) {
        (MapKey::Bool(a), MapKey::Bool(b)) => a.cmp(b),
        (MapKey::I32(a), MapKey::I32(b)) => a.cmp(b),
        (MapKey::I64(a), MapKey::I64(b)) => a.cmp(b),
        (MapKey::U32(a), MapKey::U32(b)) => a.cmp(b),
        (MapKey::U64(a), MapKey::U64(b)) => a.cmp(b),
        (MapKey::String(a), MapKey::String(b)) => a.cmp(b),
        _ => std::cmp::Ordering::Equal,
    }
}

fn key_datum(key: &MapKey) -> Datum {
    match key {
        MapKey::Bool(key) => Datum::Bool(*key),
        MapKey::I32(key) => Datum::I32(*key),
        MapKey::I64(key) => Datum::I64(*key),
        MapKey::U32(key) => Datum::U32(*key),
        MapKey::U64(key) => Datum::U64(*key),
        MapKey::String(key) => Datum::Text(key.clone()),
    }
}

//! The fingerprint of an LCM type, as lcm-gen's generated code computes it: a hash over member names, primitive type
//! names and dimensions, to which those of the member types are added, rotated left once per level.
//!
//! The hashed structs are those that the translation to LCM's language writes (`wiredyno schema`): the tests compare
//! both through lcm-gen.

use wiredyno_codec::codec::Reason;
use wiredyno_codec::positional::{Integers, integer_of};
use wiredyno_codec::record::{FieldInfo, FieldType, Integer, MemberInfo, MessageInfo, Shape};

/// The fingerprint that lcm-gen gives the message's type.
pub fn fingerprint(message: &'static MessageInfo) -> u64 {
    Types::of(message).fingerprint()
}

/// LCM identifies a member by its name: the added counts must not have the name of another member.
pub fn carries(message: &'static MessageInfo) -> Result<(), Reason> {
    let types = Types::of(message);
    for (message, of) in types.messages.iter().zip(&types.structs) {
        let mut names: Vec<&str> = of.members.iter().map(|member| member.name.as_str()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Reason(format!(
                "`{}` is both a field and the count that LCM needs before a list in `{}`; rename the field",
                twice[0], message.name
            )));
        }
    }
    Ok(())
}

/// A message's type and those of its members, as LCM's structs with their strings laid out.
#[derive(Debug)]
pub struct Types {
    /// The root first.
    messages: Vec<&'static MessageInfo>,
    structs: Vec<Struct>,
    /// Which of them are being hashed.
    above: Vec<bool>,
}

impl Types {
    /// Everything that is reachable from a message.
    pub fn of(root: &'static MessageInfo) -> Types {
        let (mut messages, mut structs) = (vec![root], Vec::new());
        while let Some(message) = messages.get(structs.len()).copied() {
            structs.push(Struct::of(message, &mut messages));
        }
        let above = vec![false; structs.len()];
        Types { messages, structs, above }
    }

    /// The root's fingerprint, computed again in every call, without allocating.
    pub fn fingerprint(&mut self) -> u64 {
        of_message(0, &self.structs, &mut self.above).cast_unsigned()
    }
}

/// Every field, the alternatives of oneofs in their places.
fn fields(message: &'static MessageInfo) -> impl Iterator<Item = &'static FieldInfo> {
    message.members.iter().flat_map(|member| match member {
        MemberInfo::Field(field) => std::slice::from_ref(field),
        MemberInfo::Choice(choice) => choice.alternatives,
    })
}

fn in_choice(message: &'static MessageInfo, field: &'static FieldInfo) -> bool {
    message.members.iter().any(|member| match member {
        MemberInfo::Field(_) => false,
        MemberInfo::Choice(choice) => choice.alternatives.iter().any(|other| std::ptr::eq(other, field)),
    })
}

#[derive(Debug)]
enum Kind {
    Primitive(&'static str),
    Struct(Struct),
    /// A message, by its index, because messages may contain themselves.
    Message(usize),
}

/// A member: its name, type and dimension.
#[derive(Debug)]
struct Member {
    name: String,
    kind: Kind,
    dimension: Option<Dimension>,
}

#[derive(Debug)]
enum Dimension {
    /// Its size, in decimal digits.
    Constant(String),
    /// The name of its count.
    Count(String),
}

#[derive(Debug)]
struct Struct {
    members: Vec<Member>,
}

impl Struct {
    /// Adds the messages of its members that are not known yet.
    fn of(message: &'static MessageInfo, messages: &mut Vec<&'static MessageInfo>) -> Struct {
        let mut members = Vec::new();
        for field in fields(message) {
            let optional = matches!(field.shape, Shape::Optional) || in_choice(message, field);
            members.extend(members_of(field, optional, messages));
        }
        Struct { members }
    }

    /// `lcm_struct_hash` of lcm-gen.
    fn own(&self) -> i64 {
        let mut hash = 0x1234_5678;
        for member in &self.members {
            text(&mut hash, &member.name);
            if let Kind::Primitive(name) = member.kind {
                text(&mut hash, name);
            }
            update(&mut hash, i64::from(member.dimension.is_some()));
            match &member.dimension {
                Some(Dimension::Constant(size)) => {
                    update(&mut hash, 0);
                    text(&mut hash, size);
                }
                Some(Dimension::Count(name)) => {
                    update(&mut hash, 1);
                    text(&mut hash, name);
                }
                None => {}
            }
        }
        hash
    }

    /// `__TYPE_hash_recursive` of lcm-gen's C: types that are already being hashed further up add nothing.
    fn recursive(&self, structs: &[Struct], above: &mut [bool]) -> i64 {
        let mut hash = self.own();
        for member in &self.members {
            hash = hash.wrapping_add(match &member.kind {
                Kind::Primitive(_) => 0,
                Kind::Struct(inner) => inner.recursive(structs, above),
                Kind::Message(inner) => of_message(*inner, structs, above),
            });
        }
        hash.rotate_left(1)
    }
}

fn of_message(message: usize, structs: &[Struct], above: &mut [bool]) -> i64 {
    if std::mem::replace(&mut above[message], true) {
        return 0;
    }
    let hash = structs[message].recursive(structs, above);
    above[message] = false;
    hash
}

/// The members that represent one field: itself, and before it its count if it has one.
fn members_of(
    field: &'static FieldInfo,
    optional: bool,
    messages: &mut Vec<&'static MessageInfo>,
) -> Vec<Member> {
    let list = matches!(field.shape, Shape::List | Shape::Map(_));
    let plain_bytes = matches!(field.ty, FieldType::Bytes) && !list && !optional;
    let kind = match field.shape {
        Shape::Map(key) => Kind::Struct(Struct {
            members: vec![
                single("key", primitive(key, None)),
                single("value", kind_of(field, None, messages)),
            ],
        }),
        _ if plain_bytes => Kind::Primitive("byte"),
        _ => kind_of(field, if list { None } else { field.fixed_length }, messages),
    };
    let name = field.name.to_owned();
    let dimension = match field.fixed_length {
        _ if !list && !optional && !plain_bytes => None,
        Some(length) if !optional => Some(Dimension::Constant(length.to_string())),
        _ => Some(Dimension::Count(format!("{name}_count"))),
    };
    let count = match &dimension {
        Some(Dimension::Count(name)) => Some(single(name, Kind::Primitive("int32_t"))),
        _ => None,
    };
    count.into_iter().chain([Member { name, kind, dimension }]).collect()
}

fn single(name: &str, kind: Kind) -> Member {
    Member { name: name.to_owned(), kind, dimension: None }
}

/// The type of one element.
fn kind_of(
    field: &'static FieldInfo,
    fixed_length: Option<u32>,
    messages: &mut Vec<&'static MessageInfo>,
) -> Kind {
    match field.ty {
        FieldType::Message(message) => Kind::Message(index_of(message, messages)),
        FieldType::Bytes => Kind::Struct(bytes(fixed_length)),
        ty => primitive(ty, integer_of(field, Integers::Signed)),
    }
}

/// The index of a message, which is added if it is not known yet.
fn index_of(message: &'static MessageInfo, messages: &mut Vec<&'static MessageInfo>) -> usize {
    let known = messages.iter().position(|known| std::ptr::eq(*known, message));
    known.unwrap_or_else(|| {
        messages.push(message);
        messages.len() - 1
    })
}

/// Byte strings inside lists, which LCM has only as structs.
fn bytes(fixed_length: Option<u32>) -> Struct {
    let data = |dimension| Member {
        name: "data".to_owned(),
        kind: Kind::Primitive("byte"),
        dimension: Some(dimension),
    };
    Struct {
        members: match fixed_length {
            Some(length) => vec![data(Dimension::Constant(length.to_string()))],
            None => vec![
                single("data_count", Kind::Primitive("int32_t")),
                data(Dimension::Count("data_count".to_owned())),
            ],
        },
    }
}

fn primitive(ty: FieldType, integer: Option<Integer>) -> Kind {
    Kind::Primitive(match (ty, integer) {
        (FieldType::Bool, _) => "boolean",
        (FieldType::F32, _) => "float",
        (FieldType::F64, _) => "double",
        (FieldType::Text, _) => "string",
        (_, Some(Integer { bits: 8, signed: false })) => "byte",
        (_, Some(Integer { bits: 8, .. })) => "int8_t",
        (_, Some(Integer { bits: 16, .. })) => "int16_t",
        (_, Some(Integer { bits: 32, .. })) => "int32_t",
        (FieldType::I32 | FieldType::Enum(_), None) => "int32_t",
        _ => "int64_t",
    })
}

/// `hash_update` of lcm-gen.
fn update(hash: &mut i64, byte: i64) {
    *hash = ((*hash << 8) ^ (*hash >> 55)).wrapping_add(byte);
}

/// `hash_string_update` of lcm-gen: the length, then every byte as a signed char.
fn text(hash: &mut i64, text: &str) {
    update(hash, i64::from(text.len() as u8 as i8));
    for byte in text.bytes() {
        update(hash, i64::from(byte.cast_signed()));
    }
}

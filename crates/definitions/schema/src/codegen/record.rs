//! Generates the walk over domain values for our own formats: impls of `Record`, `Choice`, `Enumeration` and
//! `Value` of the crate `wiredyno-codec`, and statics with what the definition states.

use std::fmt::Write as _;

use super::names::{rust_field, rust_type, rust_value, rust_variant};
use super::{Slot, Types, plain};
use crate::model::{Cardinality, Enum, Field, Message, Type, WellKnown};

const PRELUDE: &str = "use ::wiredyno_codec::record::{Alternative, At, Choice, ChoiceInfo, Counted, EnumInfo, Enumeration, \
                       Fault, Field, FieldInfo, FieldType, MemberInfo, MessageInfo, Problem, Reader, Record, Shape, \
                       StandsFor, \
                       Value, Visitor, Writer};\nuse super::domain;\n";

pub fn module(types: &Types<'_>) -> String {
    let mut code = PRELUDE.to_owned();
    for (index, declared) in types.definition.enums.iter().enumerate() {
        enumeration(declared, index, &mut code);
    }
    for (index, message) in types.definition.messages.iter().enumerate() {
        for oneof in 0..message.oneofs.len() {
            choice(types, message, index, oneof, &mut code);
        }
        info(types, message, index, &mut code);
        record(types, message, index, &mut code);
    }
    code
}

/// `Value` for an enum or message, which calls the matching method of writers and readers.
fn value(name: &str, method: &str, by_value: bool, inline: &str, code: &mut String) {
    let this = if by_value { "*self" } else { "self" };
    let _ = writeln!(
        code,
        "impl Value for domain::{name} {{\n\
         {inline} fn write<F: Field, W: Writer>(&self, writer: &mut W) -> ::core::result::Result<(), Fault> {{ writer.{method}::<F, _>({this}) }}\n\
         {inline} fn read<'a, F: Field, R: Reader<'a>>(reader: &mut R) -> ::core::result::Result<Self, Fault> {{ reader.{method}::<F, _>() }}\n\
         #[inline] fn visit<F: Field, W: Visitor>(visitor: &mut W) -> ::core::result::Result<(), Fault> {{ visitor.{method}::<F, Self>() }}\n}}"
    );
}

fn enumeration(declared: &Enum, index: usize, code: &mut String) {
    let name = rust_type(&declared.name);
    let mut values: Vec<_> = declared.values.iter().collect();
    values.sort_by_key(|value| value.number);
    let listed: String = values.iter().map(|v| format!("({:?}, {}),", v.name, v.number)).collect();
    let arms = |arm: &dyn Fn(usize, &str, i32) -> String| -> String {
        values.iter().enumerate().map(|(at, v)| arm(at, &rust_value(&v.name), v.number)).collect()
    };
    let _ = writeln!(
        code,
        "static ENUM_{index}: EnumInfo = EnumInfo {{ name: {:?}, values: &[{listed}], extensible: {}, stands_for_null: {} }};\n\
         impl Enumeration for domain::{name} {{\n\
         const INFO: &'static EnumInfo = &ENUM_{index};\n\
         #[inline] fn number(self) -> i32 {{ domain::{name}::number(self) }}\n\
         #[inline] fn ordinal(self) -> usize {{ match self {{ {} }} }}\n\
         #[inline] fn from_number(number: i32) -> ::core::result::Result<Self, Fault> {{ match number {{ {} _ => ::core::result::Result::Err(Fault::new(Problem::UnknownEnum(number as i64))) }} }}\n\
         #[inline] fn from_ordinal(ordinal: usize) -> ::core::result::Result<Self, Fault> {{ match ordinal {{ {} _ => ::core::result::Result::Err(Fault::new(Problem::UnknownEnum(ordinal as i64))) }} }}\n}}",
        declared.name,
        declared.extensible,
        declared.stands_for_null,
        arms(&|at, variant, _| format!("domain::{name}::{variant} => {at},")),
        arms(&|_, variant, number| format!(
            "{number} => ::core::result::Result::Ok(domain::{name}::{variant}),"
        )),
        arms(&|at, variant, _| format!("{at} => ::core::result::Result::Ok(domain::{name}::{variant}),")),
    );
    value(&name, "enumeration", true, "#[inline]", code);
}

fn type_info(ty: Type) -> String {
    match ty {
        Type::Bool => "FieldType::Bool".to_owned(),
        Type::I32 => "FieldType::I32".to_owned(),
        Type::I64 => "FieldType::I64".to_owned(),
        Type::U32 => "FieldType::U32".to_owned(),
        Type::U64 => "FieldType::U64".to_owned(),
        Type::F32 => "FieldType::F32".to_owned(),
        Type::F64 => "FieldType::F64".to_owned(),
        Type::String => "FieldType::Text".to_owned(),
        Type::Bytes => "FieldType::Bytes".to_owned(),
        Type::Enum(index) => format!("FieldType::Enum(&ENUM_{index})"),
        Type::Message(index) => format!("FieldType::Message(&MESSAGE_{index})"),
    }
}

fn option(value: Option<impl std::fmt::Debug>) -> String {
    value.map_or_else(
        || "::core::option::Option::None".to_owned(),
        |value| format!("::core::option::Option::Some({value:?})"),
    )
}

/// What a message stands for in formats that have a native type for it.
fn stands_for(message: &Message) -> String {
    let what = match message.well_known {
        Some(WellKnown::Timestamp) => "Timestamp",
        Some(WellKnown::Duration) => "Duration",
        Some(WellKnown::FieldMask) => "FieldMask",
        None if message.stands_for_one_value() => "Value",
        None => "Fields",
    };
    format!("StandsFor::{what}")
}

fn field_info(message: &Message, field: &Field, position: usize, flag: usize) -> String {
    let shape = match field.cardinality {
        _ if field.oneof.is_some() => "Shape::One".to_owned(),
        Cardinality::Implicit => "Shape::One".to_owned(),
        Cardinality::Optional => "Shape::Optional".to_owned(),
        Cardinality::Repeated => "Shape::List".to_owned(),
        Cardinality::Map(key) => format!("Shape::Map({})", type_info(key)),
    };
    let options = &field.options;
    format!(
        "FieldInfo {{ name: {:?}, number: {}, position: {position}, flag: {flag}, ty: {}, shape: {shape}, range: {}, fixed_length: {}, max_length: {}, fixed_point_scale: {}, character: {}, choice_tag: {}, stands_for: {} }}",
        field.name,
        field.number,
        type_info(field.ty),
        option(options.range),
        option(options.fixed_length),
        option(options.max_length),
        option(options.fixed_point_scale),
        options.character,
        option(options.choice_tag),
        stands_for(message),
    )
}

/// The number of presence flags before this slot's.
fn flag_of(message: &Message, slots: &[Slot<'_>], position: usize) -> usize {
    slots[..position].iter().filter(|slot| is_optional(message, slot)).count()
}

fn is_optional(message: &Message, slot: &Slot<'_>) -> bool {
    match slot {
        Slot::Field(field) => field.cardinality == Cardinality::Optional,
        Slot::Oneof(oneof) => !message.oneofs[*oneof].required,
    }
}

fn info(types: &Types<'_>, message: &Message, index: usize, code: &mut String) {
    let slots = types.slots(message);
    let mut members = String::new();
    for (position, slot) in slots.iter().enumerate() {
        let _ = match slot {
            Slot::Field(field) => {
                let info = field_info(message, field, position, flag_of(message, &slots, position));
                writeln!(members, "MemberInfo::Field({info}),")
            }
            Slot::Oneof(oneof) => writeln!(members, "MemberInfo::Choice(&CHOICE_{index}_{oneof}),"),
        };
    }
    let _ = writeln!(
        code,
        "static MESSAGE_{index}: MessageInfo = MessageInfo {{ name: {:?}, members: &[{members}], extensible: {}, stands_for: {} }};",
        message.name,
        message.extensible,
        stands_for(message)
    );
}

fn choice(types: &Types<'_>, message: &Message, index: usize, oneof: usize, code: &mut String) {
    let declared = &message.oneofs[oneof];
    let slots = types.slots(message);
    let position =
        slots.iter().position(|slot| matches!(slot, Slot::Oneof(known) if *known == oneof)).unwrap_or(0);
    let fields: Vec<&Field> = declared.fields.iter().map(|at| &message.fields[*at]).collect();
    let alternatives: String = fields
        .iter()
        .enumerate()
        .map(|(at, field)| format!("{},", field_info(message, field, at, 0)))
        .collect();
    let name = types.oneof_name(message, oneof);
    let arms = |arm: &dyn Fn(usize, &str) -> String| -> String {
        fields.iter().enumerate().map(|(at, field)| arm(at, &rust_variant(&field.name))).collect()
    };
    let _ = writeln!(
        code,
        "static CHOICE_{index}_{oneof}: ChoiceInfo = ChoiceInfo {{ name: {:?}, position: {position}, flag: {}, required: {}, extensible: {}, alternatives: &[{alternatives}] }};\n\
         impl Choice for domain::{name} {{\n\
         const INFO: &'static ChoiceInfo = &CHOICE_{index}_{oneof};\n\
         #[inline] fn ordinal(&self) -> usize {{ match self {{ {} }} }}\n\
         #[inline] fn write<W: Writer, M: Record>(&self, writer: &mut W, frame: &mut W::Frame<M>) -> ::core::result::Result<(), Fault> {{ match self {{ {} }} }}\n\
         #[inline] fn read<'a, R: Reader<'a>, M: Record>(ordinal: usize, reader: &mut R, frame: &mut R::Frame<M>) -> ::core::result::Result<Self, Fault> {{ ::core::result::Result::Ok(match ordinal {{ {} _ => return ::core::result::Result::Err(Fault::new(Problem::UnknownAlternative(ordinal as u64))) }}) }}\n\
         #[inline] fn visit<W: Visitor, M: Record>(ordinal: usize, visitor: &mut W) -> ::core::result::Result<(), Fault> {{ match ordinal {{ {} _ => ::core::result::Result::Err(Fault::new(Problem::UnknownAlternative(ordinal as u64))) }} }}\n}}",
        declared.name,
        flag_of(message, &slots, position),
        declared.required,
        declared.extensible,
        arms(&|at, variant| format!("domain::{name}::{variant}(_) => {at},")),
        arms(&|at, variant| format!(
            "domain::{name}::{variant}(value) => writer.one::<M, Alternative<Self, {at}>, _>(frame, value),"
        )),
        arms(&|at, variant| format!(
            "{at} => domain::{name}::{variant}(reader.one::<M, Alternative<Self, {at}>, _>(frame)?),"
        )),
        arms(&|at, _| format!(
            "{at} => visitor.one::<M, Alternative<Self, {at}>, {}>(),",
            element(types, fields[at].ty)
        )),
    );
}

/// A message of at most this many scalars (also in nested messages) and nothing else is always inlined into what walks over it: the
/// compiler estimates its size before indexes become constants, which is far too high.
const MOST_MERGED_SCALARS: usize = 32;

/// Whether a message has at most `left` scalars that are always present, and nothing else; returns how many more it could have.
fn scalars_left(types: &Types<'_>, message: &Message, mut left: usize) -> Option<usize> {
    for field in &message.fields {
        left = match (field.cardinality, field.ty) {
            (Cardinality::Implicit, Type::Message(inner)) => {
                scalars_left(types, &types.definition.messages[inner], left.checked_sub(1)?)?
            }
            (Cardinality::Implicit, Type::String | Type::Bytes) => return None,
            (Cardinality::Implicit, _) => left.checked_sub(1)?,
            _ => return None,
        };
    }
    message.oneofs.is_empty().then_some(left)
}

fn record(types: &Types<'_>, message: &Message, index: usize, code: &mut String) {
    let name = rust_type(&message.name);
    let slots = types.slots(message);
    let [mut presence, mut write, mut read, mut empty, mut numbered, mut visit] =
        [const { String::new() }; 6];
    for (position, slot) in slots.iter().enumerate() {
        match slot {
            Slot::Field(field) => {
                let member = rust_field(&field.name);
                if is_optional(message, slot) {
                    let _ = write!(presence, "self.{member}.is_some(),");
                }
                field_walk(
                    types,
                    field,
                    &member,
                    position,
                    [&mut write, &mut read, &mut empty, &mut numbered, &mut visit],
                );
            }
            Slot::Oneof(oneof) => {
                let member = rust_field(&message.oneofs[*oneof].name);
                if is_optional(message, slot) {
                    let _ = write!(presence, "self.{member}.is_some(),");
                }
                let choice = types.oneof_name(message, *oneof);
                choice_walk(
                    types,
                    message,
                    *oneof,
                    &choice,
                    &member,
                    [&mut write, &mut read, &mut empty, &mut numbered, &mut visit],
                );
            }
        }
    }
    let flags = slots.iter().filter(|slot| is_optional(message, slot)).count();
    let members = slots.len();
    let inline = match scalars_left(types, message, MOST_MERGED_SCALARS) {
        Some(_) => "#[inline(always)]",
        None => "#[inline]",
    };
    let _ = writeln!(
        code,
        "impl Record for domain::{name} {{\n\
         const INFO: &'static MessageInfo = &MESSAGE_{index};\n\
         type Presence = [bool; {flags}];\n\
         #[inline] fn presence(&self) -> [bool; {flags}] {{ [{presence}] }}\n\
         {inline} fn write<W: Writer>(&self, writer: &mut W) -> ::core::result::Result<(), Fault> {{ let mut frame = writer.begin(self)?;\n{write}writer.end::<Self>(frame) }}\n\
         {inline} fn read<'a, R: Reader<'a>>(reader: &mut R) -> ::core::result::Result<Self, Fault> {{ let mut frame = reader.begin::<Self>()?;\nlet read = domain::{name} {{ {read} }};\nreader.end::<Self>(frame)?; ::core::result::Result::Ok(read) }}\n\
         fn empty() -> Self {{ domain::{name} {{ {empty} }} }}\n\
         #[inline] fn counted<C: Counted>(call: C) -> C::Output {{ call.call::<{members}>() }}\n\
         #[inline] fn read_numbered<'a, R: Reader<'a>>(&mut self, reader: &mut R, frame: &mut R::Frame<Self>, number: u32) -> ::core::result::Result<bool, Fault> {{ match number {{ {numbered} _ => return ::core::result::Result::Ok(false) }} #[allow(unreachable_code)] ::core::result::Result::Ok(true) }}\n\
         fn visit<W: Visitor>(visitor: &mut W) -> ::core::result::Result<(), Fault> {{ {visit} ::core::result::Result::Ok(()) }}\n}}"
    );
    value(&name, "message", false, inline, code);
}

/// The code for one field in each of write, read, empty and reading by number.
fn field_walk(types: &Types<'_>, field: &Field, member: &str, position: usize, code: [&mut String; 5]) {
    let [write, read, empty, numbered, visit] = code;
    let at = format!("At<Self, {position}>");
    let (method, extra) = match field.cardinality {
        Cardinality::Implicit => ("one", "_"),
        Cardinality::Optional => ("optional", "_"),
        Cardinality::Repeated => ("list", "_"),
        Cardinality::Map(_) => ("map", "_, _"),
    };
    let value = match field.cardinality {
        Cardinality::Optional => format!("self.{member}.as_ref()"),
        _ => format!("&self.{member}"),
    };
    let _ = writeln!(write, "writer.{method}::<Self, {at}, {extra}>(&mut frame, {value})?;");
    let _ = writeln!(read, "{member}: reader.{method}::<Self, {at}, {extra}>(&mut frame)?,");
    let key = match field.cardinality {
        Cardinality::Map(key) => format!("{}, ", element(types, key)),
        _ => String::new(),
    };
    let _ = writeln!(visit, "visitor.{method}::<Self, {at}, {key}{}>()?;", element(types, field.ty));
    let nothing = match field.cardinality {
        Cardinality::Implicit => empty_element(types, field.ty),
        _ => "::core::default::Default::default()".to_owned(),
    };
    let _ = writeln!(empty, "{member}: {nothing},");
    let by_number = match field.cardinality {
        Cardinality::Optional => {
            format!("::core::option::Option::Some(reader.one::<Self, {at}, _>(frame)?)")
        }
        _ => format!("reader.{method}::<Self, {at}, {extra}>(frame)?"),
    };
    let _ = writeln!(numbered, "{} => self.{member} = {by_number},", field.number);
}

fn choice_walk(
    types: &Types<'_>,
    message: &Message,
    oneof: usize,
    choice: &str,
    member: &str,
    code: [&mut String; 5],
) {
    let [write, read, empty, numbered, visit] = code;
    let declared = &message.oneofs[oneof];
    let some = |value: String| match declared.required {
        true => value,
        false => format!("::core::option::Option::Some({value})"),
    };
    let (method, value) = match declared.required {
        true => ("choice", format!("&self.{member}")),
        false => ("optional_choice", format!("self.{member}.as_ref()")),
    };
    let _ = writeln!(write, "writer.{method}::<Self, domain::{choice}>(&mut frame, {value})?;");
    let _ = writeln!(read, "{member}: reader.{method}::<Self, domain::{choice}>(&mut frame)?,");
    let _ = writeln!(visit, "visitor.choice::<Self, domain::{choice}>()?;");
    for (at, index) in declared.fields.iter().enumerate() {
        let field = &message.fields[*index];
        let variant = rust_variant(&field.name);
        let read = format!(
            "domain::{choice}::{variant}(reader.one::<Self, Alternative<domain::{choice}, {at}>, _>(frame)?)"
        );
        let _ = writeln!(numbered, "{} => self.{member} = {},", field.number, some(read));
    }
    let first = &message.fields[declared.fields[0]];
    let _ = match declared.required {
        true => writeln!(
            empty,
            "{member}: domain::{choice}::{}({}),",
            rust_variant(&first.name),
            empty_element(types, first.ty)
        ),
        false => writeln!(empty, "{member}: ::core::option::Option::None,"),
    };
}

/// The domain type of one element.
fn element(types: &Types<'_>, ty: Type) -> String {
    match ty {
        Type::Enum(_) | Type::Message(_) => format!("domain::{}", types.name(ty)),
        _ => plain(ty).to_owned(),
    }
}

fn empty_element(types: &Types<'_>, ty: Type) -> String {
    match ty {
        Type::Message(_) => format!("<domain::{} as Record>::empty()", types.name(ty)),
        Type::Enum(index) => {
            let declared = &types.definition.enums[index];
            format!("domain::{}::{}", rust_type(&declared.name), rust_value(&declared.values[0].name))
        }
        _ => "::core::default::Default::default()".to_owned(),
    }
}

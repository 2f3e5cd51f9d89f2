//! Creates a definition's [`MessageInfo`]s, which are statics in generated code, at run time.
//!
//! Why: with them, every function of a format over [`MessageInfo`] (what it carries, widths, layouts,
//! fingerprints) is the codec's own. They are leaked, some kilobytes for a definition.

use std::mem::MaybeUninit;

use wiredyno_codec::record::{
    ChoiceInfo, EnumInfo, FieldInfo, FieldType, MemberInfo, MessageInfo, Shape, StandsFor,
};
use wiredyno_schema::{Cardinality, Definition, Enum, Field, Message, Type, WellKnown};

/// A placeholder for each message until all of them are written.
static UNSET: MessageInfo =
    MessageInfo { name: "", members: &[], extensible: false, stands_for: StandsFor::Fields };

/// One for each of the definition's messages, in its order.
pub(crate) fn messages(definition: &Definition) -> Vec<&'static MessageInfo> {
    let enums: Vec<&'static EnumInfo> =
        definition.enums.iter().map(|e| &*Box::leak(enumeration(e))).collect();
    // Messages may be recursive: reserve a place for each first.
    let places: Vec<*mut MessageInfo> = definition
        .messages
        .iter()
        .map(|_| Box::leak(Box::new(MaybeUninit::<MessageInfo>::uninit())).as_mut_ptr())
        .collect();
    for (message, place) in definition.messages.iter().zip(&places) {
        let members = Box::leak(members(message, &enums, &places));
        let info = MessageInfo {
            name: kept(&message.name),
            members,
            extensible: message.extensible,
            stands_for: stands_for(message),
        };
        // SAFETY: the place is large enough and aligned, and is not read before all are written.
        unsafe { place.write(info) };
    }
    // SAFETY: every place was written above, and is never freed or written again.
    places.into_iter().map(|place| unsafe { &*place }).collect()
}

fn kept(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

fn enumeration(declared: &Enum) -> Box<EnumInfo> {
    let values = declared.ascending().map(|value| (kept(&value.name), value.number)).collect::<Vec<_>>();
    Box::new(EnumInfo {
        name: kept(&declared.name),
        values: values.leak(),
        extensible: declared.extensible,
        stands_for_null: declared.stands_for_null,
    })
}

fn members(message: &Message, enums: &[&'static EnumInfo], places: &[*mut MessageInfo]) -> Box<[MemberInfo]> {
    let mut slots: Vec<(bool, MemberInfo, Option<&Field>)> = Vec::new();
    let mut flag = 0;
    for (at, field) in message.fields.iter().enumerate() {
        let position = slots.len();
        let (optional, info, own) = match field.oneof.map(|oneof| &message.oneofs[oneof]) {
            Some(oneof) if oneof.fields.first() != Some(&at) => continue,
            Some(oneof) => {
                let fields: Vec<&Field> = oneof.fields.iter().map(|at| &message.fields[*at]).collect();
                let infos = fields.iter().enumerate().map(|(at, one)| field_info(message, one, at, 0, enums));
                let mut alternatives: Box<[FieldInfo]> = infos.collect();
                alternatives.iter_mut().zip(&fields).for_each(|(info, one)| point(info, one, places));
                let choice = ChoiceInfo {
                    name: kept(&oneof.name),
                    position,
                    flag,
                    required: oneof.required,
                    extensible: oneof.extensible,
                    alternatives: Box::leak(alternatives),
                };
                (!oneof.required, MemberInfo::Choice(Box::leak(Box::new(choice))), None)
            }
            None => {
                let info = field_info(message, field, position, flag, enums);
                (field.cardinality == Cardinality::Optional, MemberInfo::Field(info), Some(field))
            }
        };
        slots.push((optional, info, own));
        flag += usize::from(optional);
    }
    let own: Vec<Option<&Field>> = slots.iter().map(|(_, _, field)| *field).collect();
    let mut members: Box<[MemberInfo]> = slots.into_iter().map(|(_, info, _)| info).collect();
    for (member, field) in members.iter_mut().zip(own) {
        if let (MemberInfo::Field(info), Some(field)) = (member, field) {
            point(info, field, places);
        }
    }
    members
}

/// Points a field at its message's place, which may not be written yet.
fn point(info: &mut FieldInfo, field: &Field, places: &[*mut MessageInfo]) {
    if let (FieldType::Message(slot), Type::Message(index)) = (&mut info.ty, field.ty) {
        let slot: *mut &'static MessageInfo = slot;
        // SAFETY: a reference and a pointer have the same layout, and we own the slot. It is written as a pointer, so that no
        // reference exists before the place is written; until then the field is neither moved as a value nor read.
        unsafe { slot.cast::<*const MessageInfo>().write(places[index].cast_const()) };
    }
}

/// What a message stands for in formats that have a native type for it.
fn stands_for(message: &Message) -> StandsFor {
    match message.well_known {
        Some(WellKnown::Timestamp) => StandsFor::Timestamp,
        Some(WellKnown::Duration) => StandsFor::Duration,
        Some(WellKnown::FieldMask) => StandsFor::FieldMask,
        None if message.stands_for_one_value() => StandsFor::Value,
        None => StandsFor::Fields,
    }
}

fn field_info(
    message: &Message,
    field: &Field,
    position: usize,
    flag: usize,
    enums: &[&'static EnumInfo],
) -> FieldInfo {
    let options = &field.options;
    FieldInfo {
        name: kept(&field.name),
        number: field.number,
        position,
        flag,
        ty: field_type(field.ty, enums),
        shape: match field.cardinality {
            _ if field.oneof.is_some() => Shape::One,
            Cardinality::Implicit => Shape::One,
            Cardinality::Optional => Shape::Optional,
            Cardinality::Repeated => Shape::List,
            Cardinality::Map(key) => Shape::Map(field_type(key, enums)),
        },
        range: options.range,
        fixed_length: options.fixed_length,
        max_length: options.max_length,
        fixed_point_scale: options.fixed_point_scale,
        character: options.character,
        choice_tag: options.choice_tag,
        stands_for: stands_for(message),
    }
}

fn field_type(ty: Type, enums: &[&'static EnumInfo]) -> FieldType {
    match ty {
        Type::Bool => FieldType::Bool,
        Type::I32 => FieldType::I32,
        Type::I64 => FieldType::I64,
        Type::U32 => FieldType::U32,
        Type::U64 => FieldType::U64,
        Type::F32 => FieldType::F32,
        Type::F64 => FieldType::F64,
        Type::String => FieldType::Text,
        Type::Bytes => FieldType::Bytes,
        Type::Enum(index) => FieldType::Enum(enums[index]),
        Type::Message(_) => FieldType::Message(&UNSET),
    }
}

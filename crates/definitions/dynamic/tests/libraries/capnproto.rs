//! Cap'n Proto, with the library's runtime and the positions that the codec's layout determines.

use capnp::message::{Allocator, Builder, ScratchSpaceHeapAllocator};
use capnp::private::layout::{ListBuilder, PointerBuilder, PrimitiveElement, StructBuilder};
use capnp::struct_list;
use wiredyno_codec::record::{Fault, FieldInfo, FieldType, Problem, Shape};
use wiredyno_codec_capnproto::layout::{Entry, Slot, entry, has_flag, size, slot};
use wiredyno_codec_capnproto::write::{MAX_ELEMENTS, element_size, structs};
use wiredyno_codec_capnproto::{Node, RootBuilder, Scalar, Scratch, encode, struct_size};

use crate::rule::{in_range, key, misplaced};
use wiredyno_dynamic::{Datum, Member, Record};

pub fn plain(value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    write(value, |message| capnp::serialize::write_message(out, message))
}

pub fn packed(value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    write(value, |message| capnp::serialize_packed::write_message(out, message))
}

fn write(
    value: &Record,
    emit: impl FnOnce(&Builder<ScratchSpaceHeapAllocator<'_>>) -> capnp::Result<()>,
) -> Result<(), Fault> {
    encode(&mut Scratch::new(), |builder| root(value, builder), emit)
}

fn root<A: Allocator>(value: &Record, builder: &mut Builder<A>) -> Result<(), Fault> {
    let RootBuilder(pointer) = builder.init_root();
    structure(value, pointer.init_struct(struct_size(size(value.info))))
}

/// Where the next value is written.
enum Place<'b> {
    /// A field of a struct, at the offset that its [`Slot`] gives.
    Field(StructBuilder<'b>, u32),
    /// An element of a list of scalars or pointers.
    Element(ListBuilder<'b>, u32),
    /// An element of a list of structs.
    Struct(struct_list::Builder<'b, Node>, u32),
}

fn structure(value: &Record, mut to: StructBuilder<'_>) -> Result<(), Fault> {
    for member in value.members() {
        match member {
            Member::One(field, one) => {
                element(field, one, Place::Field(to.reborrow(), slot(value.info, field.number).at))?
            }
            Member::Optional(field, one) => {
                let slot = slot(value.info, field.number);
                if let Some(one) = one {
                    if has_flag(field) {
                        to.set_bool_field(slot.flag as usize, true);
                    }
                    element(field, one, Place::Field(to.reborrow(), slot.at))?;
                }
            }
            Member::List(field, list) => {
                let pointer = to.reborrow().get_pointer_field(slot(value.info, field.number).at as usize);
                elements(field, list, pointer)?;
            }
            Member::Map(field, entries) => {
                let pointer = to.reborrow().get_pointer_field(slot(value.info, field.number).at as usize);
                map(field, entries, pointer)?;
            }
            Member::Choice(choice, chosen) => {
                let slots: Vec<Slot> =
                    choice.alternatives.iter().map(|field| slot(value.info, field.number)).collect();
                if let Some((at, one)) = chosen {
                    // `none` is 0.
                    to.set_data_field(slots[0].union as usize, at as u16 + 1);
                    let place = Place::Field(to.reborrow(), slots[at].at);
                    element(&choice.alternatives[at], one, place)?;
                }
            }
        }
    }
    Ok(())
}

fn count(field: &FieldInfo, count: usize) -> Result<u32, Fault> {
    match count {
        0..=MAX_ELEMENTS => Ok(count as u32),
        _ => Err(Fault::in_field(Problem::Length(count as u64), field.name)),
    }
}

fn elements(field: &FieldInfo, list: &[Datum], pointer: PointerBuilder<'_>) -> Result<(), Fault> {
    if list.is_empty() {
        return Ok(());
    }
    let count = count(field, list.len())?;
    if let FieldType::Message(info) = field.ty {
        let mut made = structs(pointer, count, struct_size(size(info)))?;
        return (0..)
            .zip(list)
            .try_for_each(|(at, one)| element(field, one, Place::Struct(made.reborrow(), at)));
    }
    let mut made = pointer.init_list(element_size(field), count);
    (0..).zip(list).try_for_each(|(at, one)| element(field, one, Place::Element(made.reborrow(), at)))
}

fn map(field: &FieldInfo, entries: &[(Datum, Datum)], pointer: PointerBuilder<'_>) -> Result<(), Fault> {
    if entries.is_empty() {
        return Ok(());
    }
    let key = key(field);
    let Entry { key: key_at, value: value_at, size } = entry(&key, field);
    let mut list = structs(pointer, count(field, entries.len())?, struct_size(size))?;
    for (at, (name, one)) in (0..).zip(entries) {
        let mut made = list.reborrow().get(at).0;
        element(&key, name, Place::Field(made.reborrow(), key_at))?;
        element(field, one, Place::Field(made.reborrow(), value_at))?;
    }
    Ok(())
}

fn scalar<T: Scalar>(field: &FieldInfo, value: T, place: Place<'_>) -> Result<(), Fault> {
    match place {
        Place::Field(structure, at) => value.set_field(&structure, at),
        Place::Element(list, at) => PrimitiveElement::set(&list, at, value),
        Place::Struct(..) => return Err(misplaced(field)),
    }
    Ok(())
}

fn pointer<'b>(field: &FieldInfo, place: Place<'b>) -> Result<PointerBuilder<'b>, Fault> {
    match place {
        Place::Field(structure, at) => Ok(structure.get_pointer_field(at as usize)),
        Place::Element(list, at) => Ok(list.get_pointer_element(at)),
        Place::Struct(..) => Err(misplaced(field)),
    }
}

fn element(field: &FieldInfo, value: &Datum, place: Place<'_>) -> Result<(), Fault> {
    match value {
        Datum::Bool(value) => match place {
            Place::Field(structure, at) => structure.set_bool_field(at as usize, *value),
            Place::Element(list, at) => PrimitiveElement::set(&list, at, *value),
            Place::Struct(..) => return Err(misplaced(field)),
        },
        Datum::F32(value) => scalar(field, *value, place)?,
        Datum::F64(value) => scalar(field, *value, place)?,
        Datum::Enum(_, ordinal) => scalar(field, *ordinal as u16, place)?,
        Datum::I32(value) => integer(field, (*value).into(), place)?,
        Datum::I64(value) => integer(field, *value, place)?,
        Datum::U32(value) => integer(field, (*value).into(), place)?,
        Datum::U64(value) if field.range.is_some() && i64::try_from(*value).is_err() => {
            return Err(Fault::in_field(Problem::OutOfRange((*value).into()), field.name));
        }
        Datum::U64(value) => integer(field, value.cast_signed(), place)?,
        Datum::Text(text) if is_there(field, text.as_bytes())? => {
            pointer(field, place)?.set_text(text.as_str().into());
        }
        Datum::Bytes(bytes) if is_there(field, bytes)? => pointer(field, place)?.set_data(bytes),
        Datum::Text(_) | Datum::Bytes(_) => {}
        Datum::Message(value) => {
            let to = match place {
                Place::Struct(list, at) => list.get(at).0,
                place => pointer(field, place)?.init_struct(struct_size(size(value.info))),
            };
            structure(value, to)?;
        }
    }
    Ok(())
}

/// Whether a text or byte string is written: an empty one is omitted if that means the same.
fn is_there(field: &FieldInfo, bytes: &[u8]) -> Result<bool, Fault> {
    match bytes.len() {
        MAX_ELEMENTS.. => Err(Fault::in_field(Problem::Length(bytes.len() as u64), field.name)),
        0 => Ok(matches!(field.shape, Shape::Optional)),
        _ => Ok(true),
    }
}

fn integer(field: &FieldInfo, value: i64, place: Place<'_>) -> Result<(), Fault> {
    in_range(field, value)?;
    match field.integer().ok_or_else(|| misplaced(field))?.bits {
        8 => scalar(field, value as u8, place),
        16 => scalar(field, value as u16, place),
        32 => scalar(field, value as u32, place),
        _ => scalar(field, value as u64, place),
    }
}

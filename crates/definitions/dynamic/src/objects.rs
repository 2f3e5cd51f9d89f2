//! The walk of formats that serde libraries write: fields by name, or in the definition's order without names.
//!
//! Fields are those of the codecs' generated objects: a oneof as optional fields, enums by name or index, and absent
//! fields omitted if the format has names ([`Form::OMITS`]), else written as absent.

use wiredyno_codec::record::Fault;

use crate::value::{Datum, Known, Member, Plain, Record};

/// What a format writes for each part of a value.
pub trait Form {
    /// Whether the format omits absent fields.
    const OMITS: bool;

    /// Before the fields of a message: their number.
    fn object(&mut self, fields: usize);
    /// Before a field.
    fn name(&mut self, name: &str);
    /// An optional field without a value, if the format does not omit it.
    fn absent(&mut self);
    /// Before the value of an optional field.
    fn present(&mut self) {}
    /// Before the elements of a list: their number.
    fn list(&mut self, count: usize);
    /// Before the keys and values of a map: the number of entries.
    fn map(&mut self, count: usize);

    /// A value of type `bool`.
    fn boolean(&mut self, value: bool);
    /// A number of a signed type.
    fn signed(&mut self, value: i64);
    /// A number of an unsigned type.
    fn unsigned(&mut self, value: u64);
    /// A value of type `float`.
    fn single(&mut self, value: f32);
    /// A value of type `double`.
    fn double(&mut self, value: f64);
    /// A value of type `string`.
    fn text(&mut self, value: &str);
    /// A value of type `bytes`.
    fn bytes(&mut self, value: &[u8]);
    /// An enum's value: its index in ascending order of the numbers, and its name.
    fn variant(&mut self, place: usize, name: &str);
    /// A timestamp in the format's native type: seconds since 1970, and nanoseconds. Writes nothing and returns `false` if the format has
    /// none, so that the fields are written.
    fn timestamp(&mut self, _seconds: i64, _nanos: i32) -> Result<bool, Fault> {
        Ok(false)
    }
}

pub fn record<F: Form>(value: &Record, to: &mut F) -> Result<(), Fault> {
    let absent = |member: &Member<'_>| matches!(member, Member::Optional(_, None));
    to.object(value.fields().filter(|member| !F::OMITS || !absent(member)).count());
    value.fields().try_for_each(|member| match member {
        Member::One(field, one) => {
            to.name(field.name);
            element(one, to)
        }
        Member::Optional(_, None) if F::OMITS => Ok(()),
        Member::Optional(field, one) => {
            to.name(field.name);
            match one {
                None => {
                    to.absent();
                    Ok(())
                }
                Some(one) => {
                    to.present();
                    element(one, to)
                }
            }
        }
        Member::List(field, list) => {
            to.name(field.name);
            elements(list, to)
        }
        Member::Map(field, of) => {
            to.name(field.name);
            entries(of, to)
        }
        // Its alternatives are written as optional fields.
        Member::Choice(..) => Ok(()),
    })
}

fn elements<F: Form>(list: &[Datum], to: &mut F) -> Result<(), Fault> {
    to.list(list.len());
    list.iter().try_for_each(|one| element(one, to))
}

fn entries<F: Form>(map: &[(Datum, Datum)], to: &mut F) -> Result<(), Fault> {
    to.map(map.len());
    map.iter().try_for_each(|(key, one)| {
        element(key, to)?;
        element(one, to)
    })
}

/// A message, or the value that it stands for. Without names, a reader can't identify alternatives by their value.
fn message<F: Form>(value: &Record, to: &mut F) -> Result<(), Fault> {
    if let Some(Known::Timestamp(seconds, nanos)) = value.well_known()
        && to.timestamp(seconds, nanos)?
    {
        return Ok(());
    }
    match value.plain(F::OMITS) {
        None => record(value, to),
        Some(Plain::One(one)) => element(one, to),
        Some(Plain::Optional(None)) => {
            to.absent();
            Ok(())
        }
        Some(Plain::Optional(Some(one))) => {
            to.present();
            element(one, to)
        }
        Some(Plain::List(list)) => elements(list, to),
        Some(Plain::Map(map)) => entries(map, to),
    }
}

fn element<F: Form>(value: &Datum, to: &mut F) -> Result<(), Fault> {
    match value {
        Datum::Bool(value) => to.boolean(*value),
        Datum::I32(value) => to.signed((*value).into()),
        Datum::I64(value) => to.signed(*value),
        Datum::U32(value) => to.unsigned((*value).into()),
        Datum::U64(value) => to.unsigned(*value),
        Datum::F32(value) => to.single(*value),
        Datum::F64(value) => to.double(*value),
        Datum::Text(text) => to.text(text),
        Datum::Bytes(bytes) => to.bytes(bytes),
        // Written like an absent value: names show that this one is present.
        Datum::Enum(info, _) if info.stands_for_null && F::OMITS => to.absent(),
        Datum::Enum(info, place) => to.variant(*place, info.values.get(*place).map_or("", |(name, _)| name)),
        Datum::Message(value) => return message(value, to),
    }
    Ok(())
}

//! ASN.1's unaligned PER; the codec's code names the clauses of X.691.

use wiredyno_codec::asn1;
use wiredyno_codec::record::{Fault, FieldInfo, Problem};
use wiredyno_codec_asn1_uper::writer::{Body, signed_octets, unsigned_octets};
use wiredyno_codec_asn1_uper::{FRAGMENT, Number, choice_width, count_of, index_width, number_of};

use crate::described::Described;
use crate::rule::key;
use crate::value::{Datum, Member, Record};

pub fn write(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    let mut to = Body::new(out);
    record(value, &mut to)?;
    to.finish();
    Ok(())
}

fn record(value: &Record, to: &mut Body<'_>) -> Result<(), Fault> {
    if value.info.extensible {
        to.bits.put(0, 1);
    }
    for member in value.members() {
        match member {
            Member::Optional(_, one) => to.bits.put(u64::from(one.is_some()), 1),
            Member::Choice(choice, one) if !choice.required => to.bits.put(u64::from(one.is_some()), 1),
            _ => {}
        }
    }
    for member in value.members() {
        match member {
            Member::One(field, one) | Member::Optional(field, Some(one)) => element(field, one, to)?,
            Member::List(field, list) => runs(field, list, to, |one, to| element(field, one, to))?,
            Member::Map(field, entries) => runs(field, entries, to, |(name, one), to| {
                element(&key(field), name, to)?;
                element(field, one, to)
            })?,
            Member::Choice(choice, Some((at, one))) => {
                to.bits.put(at as u64, choice_width(choice) + u32::from(choice.extensible));
                element(&choice.alternatives[at], one, to)?;
            }
            Member::Optional(_, None) | Member::Choice(_, None) => {}
        }
    }
    Ok(())
}

/// Writes the elements of a list, in fragments if it is long.
fn runs<T>(
    field: &FieldInfo,
    elements: &[T],
    to: &mut Body<'_>,
    mut write: impl FnMut(&T, &mut Body<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let allowed = field.list_length();
    if to.counted(count_of(allowed), allowed, elements.len(), field.name)? {
        return elements.iter().try_for_each(|one| write(one, to));
    }
    let mut rest = elements;
    loop {
        let run = to.run(rest.len());
        let (now, later) = rest.split_at(run);
        now.iter().try_for_each(|one| write(one, to))?;
        if run < FRAGMENT {
            return Ok(());
        }
        rest = later;
    }
}

fn element(field: &FieldInfo, value: &Datum, to: &mut Body<'_>) -> Result<(), Fault> {
    match value {
        Datum::Bool(value) => to.bits.put(u64::from(*value), 1),
        Datum::I32(value) => signed(field, (*value).into(), to)?,
        Datum::I64(value) => signed(field, *value, to)?,
        Datum::U32(value) => signed(field, (*value).into(), to)?,
        Datum::U64(value) => match (number_of(field), i64::try_from(*value)) {
            (Number::Unsigned, _) => to.octets(*value, unsigned_octets(*value)),
            (_, Ok(value)) => signed(field, value, to)?,
            (_, Err(_)) => return Err(Fault::in_field(Problem::OutOfRange((*value).into()), field.name)),
        },
        Datum::F32(value) => to.bits.put(value.to_bits().into(), 32),
        Datum::F64(value) => to.bits.put(value.to_bits(), 64),
        Datum::Text(text) => to.runs_of_bytes(text.as_bytes()),
        Datum::Bytes(bytes) => {
            let allowed = asn1::size(field);
            match to.counted(count_of(allowed), allowed, bytes.len(), field.name)? {
                true => to.bits.put_bytes(bytes),
                false => to.runs_of_bytes(bytes),
            }
        }
        Datum::Enum(info, ordinal) => {
            to.bits.put(*ordinal as u64, index_width(info) + u32::from(info.extensible));
        }
        Datum::Message(value) => record(value, to)?,
    }
    Ok(())
}

fn signed(field: &FieldInfo, value: i64, to: &mut Body<'_>) -> Result<(), Fault> {
    let refused = || Err(Fault::in_field(Problem::OutOfRange(value.into()), field.name));
    match number_of(field) {
        Number::Offset { min, span, width } => {
            let offset = value.wrapping_sub(min).cast_unsigned();
            if value < min || offset > span {
                return refused();
            }
            to.bits.put(offset, width);
        }
        Number::Unsigned if value < 0 => return refused(),
        Number::Unsigned => to.octets(value.cast_unsigned(), unsigned_octets(value.cast_unsigned())),
        Number::Signed => to.octets(value.cast_unsigned(), signed_octets(value)),
    }
    Ok(())
}

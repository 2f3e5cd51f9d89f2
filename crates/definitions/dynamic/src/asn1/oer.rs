//! Canonical Octet Encoding Rules: X.696 (02/2021); comments name its clauses. rasn writes the canonical form for Basic OER, too.

use wiredyno_codec::asn1::{self, Bounds, bounds};
use wiredyno_codec::record::{Fault, FieldInfo};

use super::{integer, put_length, put_octets, signed_octets, unsigned_octets};
use crate::described::Described;
use crate::rule;
use crate::value::{Datum, Member, Record};

/// Later alternatives have tags of several octets (8.7), which no known definition needs.
const MAX_TAG: usize = 62;

/// Encodes for both `asn1-oer/rasn` and `asn1-oer/rasn:canonical`.
pub fn write(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    record(value, out)
}

fn record(value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    preamble(value, out);
    for member in value.members() {
        match member {
            Member::One(field, one) | Member::Optional(field, Some(one)) => element(field, one, out)?,
            Member::List(field, list) => {
                quantity(list.len(), out);
                list.iter().try_for_each(|one| element(field, one, out))?;
            }
            Member::Map(field, entries) => {
                quantity(entries.len(), out);
                for (key, one) in entries {
                    element(&rule::key(field), key, out)?;
                    element(field, one, out)?;
                }
            }
            Member::Choice(_, Some((at, _))) if at > MAX_TAG => {
                return Err(Fault::other(format_args!(
                    "alternative {at} of a oneof: more than {} need the compiled codec",
                    MAX_TAG + 1
                )));
            }
            Member::Choice(choice, Some((at, one))) => {
                out.push(0x80 | at as u8);
                element(&choice.alternatives[at], one, out)?;
            }
            Member::Optional(_, None) | Member::Choice(_, None) => {}
        }
    }
    Ok(())
}

/// Writes the extension bit and the flags of optional members, in whole octets (16.2).
fn preamble(value: &Record, out: &mut Vec<u8>) {
    let extension = value.info.extensible.then_some(false);
    let flags = value.members().filter_map(|member| match member {
        Member::Optional(_, one) => Some(one.is_some()),
        Member::Choice(choice, one) if !choice.required => Some(one.is_some()),
        _ => None,
    });
    let bits: Vec<bool> = extension.into_iter().chain(flags).collect();
    let octet =
        |bits: &[bool]| (0..).zip(bits).fold(0, |octet, (at, bit)| octet | u8::from(*bit) << (7 - at));
    out.extend(bits.chunks(8).map(octet));
}

/// Writes the number of elements (17.2).
fn quantity(count: usize, out: &mut Vec<u8>) {
    let octets = unsigned_octets(count as u128);
    put_length(octets, out);
    put_octets(count as i128, octets, out);
}

fn element(field: &FieldInfo, value: &Datum, out: &mut Vec<u8>) -> Result<(), Fault> {
    match value {
        Datum::Bool(value) => out.push(if *value { 0xff } else { 0 }),
        Datum::F32(value) => out.extend_from_slice(&value.to_be_bytes()),
        Datum::F64(value) => out.extend_from_slice(&value.to_be_bytes()),
        Datum::Text(text) => {
            put_length(text.len(), out);
            out.extend_from_slice(text.as_bytes());
        }
        Datum::Bytes(bytes) => {
            let allowed = asn1::size(field);
            rule::length(field, allowed, bytes.len())?;
            if allowed.fixed.is_none() {
                put_length(bytes.len(), out);
            }
            out.extend_from_slice(bytes);
        }
        Datum::Enum(..) => match value.number() {
            number @ 0..0x80 => out.push(number as u8),
            // The long form (11.4).
            number => {
                let octets = signed_octets(number.into());
                out.push(0x80 | octets as u8);
                put_octets(number.into(), octets, out);
            }
        },
        Datum::Message(value) => record(value, out)?,
        _ => number(field, integer(field, value)?, out),
    }
    Ok(())
}

/// Writes a number: in 1, 2, 4 or 8 octets if both bounds are given, else after the number of its octets (10.2 to 10.4).
fn number(field: &FieldInfo, value: i128, out: &mut Vec<u8>) {
    let octets = match bounds(field) {
        Bounds::Within(min, max) => {
            let needed = match min < 0 {
                true => signed_octets(min.into()).max(signed_octets(max.into())),
                false => unsigned_octets(max.unsigned_abs().into()),
            };
            return put_octets(value, needed.next_power_of_two(), out);
        }
        Bounds::Natural => unsigned_octets(value.unsigned_abs()),
        Bounds::Any => signed_octets(value),
    };
    put_length(octets, out);
    put_octets(value, octets, out);
}

//! ASN.1's encoding rules, for the module that `wiredyno schema` writes. Unaligned PER uses parts of our own codec;
//! the others are written from the recommendations, because rasn's encoders require constants, and are compared with rasn.

pub mod aper;
pub mod der;
pub mod oer;
pub mod uper;

use wiredyno_codec::asn1::{Bounds, bounds};
use wiredyno_codec::record::{Fault, FieldInfo, Problem};

use crate::rule::misplaced;
use crate::value::Datum;

/// An integer within its constraint; wide enough for unsigned 64 bits.
fn integer(field: &FieldInfo, value: &Datum) -> Result<i128, Fault> {
    let value: i128 = match value {
        Datum::I32(value) => (*value).into(),
        Datum::I64(value) => (*value).into(),
        Datum::U32(value) => (*value).into(),
        Datum::U64(value) => (*value).into(),
        _ => return Err(misplaced(field)),
    };
    let allowed = match bounds(field) {
        Bounds::Within(min, max) => i128::from(min) <= value && value <= i128::from(max),
        Bounds::Natural => value >= 0,
        Bounds::Any => true,
    };
    if allowed { Ok(value) } else { Err(Fault::in_field(Problem::OutOfRange(value), field.name)) }
}

/// The fewest octets of a number in two's complement.
fn signed_octets(value: i128) -> usize {
    (i128::BITS - (value ^ (value >> 127)).leading_zeros() + 1).div_ceil(8) as usize
}

/// The fewest octets of a non-negative number; zero takes one.
fn unsigned_octets(value: u128) -> usize {
    (u128::BITS - value.leading_zeros()).div_ceil(8).max(1) as usize
}

/// Writes the lowest octets of a number, most significant first.
fn put_octets(value: i128, octets: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&value.to_be_bytes()[16 - octets..]);
}

/// Writes a length in octets in X.690's definite form (8.1.3), which X.696 shares (8.6).
fn put_length(length: usize, out: &mut Vec<u8>) {
    if length >= 0x80 {
        out.push(0x80 | unsigned_octets(length as u128) as u8);
    }
    put_octets(length as i128, unsigned_octets(length as u128), out);
}

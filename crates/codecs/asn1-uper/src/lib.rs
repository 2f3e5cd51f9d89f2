//! ASN.1 with the unaligned Packed Encoding Rules, BASIC-PER and CANONICAL-PER alike, of the module that
//! `wiredyno_schema::idl::asn1` writes.
//!
//! Source: ITU-T X.691 (02/2021), with clauses named in the code. Checked against pycrate, asn1tools and asn1c. The
//! walk compiles to straight-line code: widths, ranges and the number of optional members are constants of the message.
//!
//! Covered: constrained, semi-constrained and unconstrained INTEGER; length determinants with fragments of 16K to 64K;
//! the preamble with extension bit and OPTIONAL flags; CHOICE and ENUMERATED with extension bit; extension additions of
//! a newer version are skipped in a SEQUENCE and refused in a CHOICE or ENUMERATED. The definition has no additions of
//! its own, so none is ever written.
//!
//! Memory of a reader: an element takes at least one bit, so at most 8 elements per byte of input; lists of elements
//! that take no bits are limited to [`MAX_EMPTY_ELEMENTS`](wiredyno_codec::record::MAX_EMPTY_ELEMENTS).

pub mod bits;
pub mod declared;
mod reader;
pub mod writer;

use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::asn1::{Bounds, bounds};
use wiredyno_codec::codec::Codec;
use wiredyno_codec::record::{
    ChoiceInfo, EnumInfo, Fault, FieldInfo, Length, MessageInfo, Record, RecordFormat,
};

/// Lengths from here on are fragmented (11.9.3.8).
pub const FRAGMENT: usize = 1 << 14;

/// The most units of 16K in one fragment.
pub const MAX_FRAGMENTS: usize = 4;

/// Implements `asn1-uper/wiredyno`, declared as [`declared::UPER`].
#[derive(Debug, Default)]
pub struct Uper;

impl Codec for Uper {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::UPER
    }
}

impl RecordFormat for Uper {
    type State = ();

    fn state<M: Record>(&self) -> Result<(), Fault> {
        Ok(())
    }

    #[inline(always)]
    fn write<M: Record>(&self, (): &mut (), message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        let mut body = writer::Body::new(out);
        message.write(&mut body)?;
        body.finish();
        Ok(())
    }

    #[inline(always)]
    fn read<M: Record>(&self, (): &(), bytes: &[u8]) -> Result<M, Fault> {
        let mut input = reader::Input::new(bytes);
        let message = M::read(&mut input)?;
        input.finish()?;
        Ok(message)
    }
}

/// The number of bits for numbers from 0 to `most`.
pub const fn width_of(most: u64) -> u32 {
    u64::BITS - most.leading_zeros()
}

/// How an INTEGER is written.
#[derive(Debug, Clone, Copy)]
pub enum Number {
    /// As an offset from `min`, at most `span`, in `width` bits (11.5).
    Offset {
        /// The lower bound, which offsets start from.
        min: i64,
        /// The upper bound minus the lower bound.
        span: u64,
        /// How many bits the offset takes.
        width: u32,
    },
    /// As a length and the fewest octets of an unsigned number (11.7).
    Unsigned,
    /// As a length and the fewest octets of a two's complement number (11.8).
    Signed,
}

/// How this field's integers are written.
pub const fn number_of(field: &FieldInfo) -> Number {
    match bounds(field) {
        Bounds::Within(min, max) => {
            let span = max.wrapping_sub(min).cast_unsigned();
            Number::Offset { min, span, width: width_of(span) }
        }
        Bounds::Natural => Number::Unsigned,
        Bounds::Any => Number::Signed,
    }
}

/// How the number of elements, octets or characters is written (11.9).
#[derive(Debug, Clone, Copy)]
pub enum Count {
    /// Not written: the definition fixes it.
    Fixed(usize),
    /// In `width` bits, at most `max`.
    Within {
        /// The largest count that is allowed.
        max: usize,
        /// How many bits it takes.
        width: u32,
    },
    /// In one or two octets, or as fragments.
    Any,
}

/// To PER, sizes of 64K and more are no constraint (11.9.4.1).
pub const fn count_of(length: Length) -> Count {
    const LIMIT: u32 = 1 << 16;
    match (length.fixed, length.max) {
        (Some(fixed), _) if fixed < LIMIT => Count::Fixed(fixed as usize),
        (None, Some(max)) if max < LIMIT => Count::Within { max: max as usize, width: width_of(max as u64) },
        _ => Count::Any,
    }
}

/// The number of bits in a message's preamble: extension bit, then a flag for each optional member (19.1, 19.2).
pub const fn preamble_of(message: &MessageInfo) -> u32 {
    let (mut flags, mut at) = (message.extensible as u32, 0);
    while at < message.members.len() {
        flags += message.members[at].is_optional() as u32;
        at += 1;
    }
    flags
}

/// The number of bits in an ENUMERATED's index (14).
pub const fn index_width(info: &EnumInfo) -> u32 {
    width_of(info.values.len() as u64 - 1)
}

/// The number of bits in a CHOICE's index (23).
pub const fn choice_width(info: &ChoiceInfo) -> u32 {
    width_of(info.alternatives.len() as u64 - 1)
}

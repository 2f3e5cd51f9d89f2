//! CDR as DDS and ROS 2 write it: XCDR version 1 of final types, after its encapsulation header.
//!
//! Source: OMG DDS-XTypes 1.3, clauses 7.4.1 (XCDR1) and 7.6.2.1.2 (encapsulation: two bytes of representation,
//! 00 00 for big-endian and 00 01 for little-endian CDR, two bytes of options); the bytes are checked against
//! Cyclone DDS. Numbers are aligned to multiples of their width, counted from the end of the header; strings
//! carry their length including the NUL; enums take four bytes.
//!
//! Stand-ins: an optional field is `sequence<T, 1>`; so is each alternative of a oneof; a map is a sequence of
//! {key, value}. Fixed lengths are arrays; bounds are not in the bytes, but are checked. Integers are the
//! narrowest IDL type that holds the definition's range. Readers accept either byte order.

pub mod declared;

use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::Codec;
use wiredyno_codec::positional::{self, Integers, Layout};
use wiredyno_codec::record::{Fault, Problem, Record, RecordFormat};

/// Implements `cdr/wiredyno`, declared as [`declared::CDR`].
#[derive(Debug, Default)]
pub struct Cdr;

/// Implements `cdr/wiredyno:big-endian`, declared as [`declared::BIG_ENDIAN_CDR`].
#[derive(Debug, Default)]
pub struct BigEndianCdr;

/// Layout with the least significant byte first.
pub struct Little;
/// Layout with the most significant byte first.
pub struct Big;

impl Layout for Little {
    const BIG_ENDIAN: bool = false;
    const ALIGNED: bool = true;
    const NUL: bool = true;
    const INTEGERS: Integers = Integers::WideEnums;
}

impl Layout for Big {
    const BIG_ENDIAN: bool = true;
    const ALIGNED: bool = true;
    const NUL: bool = true;
    const INTEGERS: Integers = Integers::WideEnums;
}

/// Encapsulation header of [`Little`], options 0.
pub const LITTLE_HEADER: [u8; 4] = [0, 1, 0, 0];
/// Encapsulation header of [`Big`], options 0.
pub const BIG_HEADER: [u8; 4] = [0, 0, 0, 0];

impl Codec for Cdr {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::CDR
    }
}

impl Codec for BigEndianCdr {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::BIG_ENDIAN_CDR
    }
}

/// Reads either byte order. Compiled once for both codecs.
#[inline(never)]
fn read<M: Record>(bytes: &[u8]) -> Result<M, Fault> {
    let Some((header, body)) = bytes.split_first_chunk::<4>() else {
        return Err(Fault::new(Problem::Truncated));
    };
    match *header {
        [0, 1, _, _] => positional::read::<Little, M>(body),
        [0, 0, _, _] => positional::read::<Big, M>(body),
        [high, low, ..] => Err(Fault::other(format_args!(
            "encapsulation {high:02x} {low:02x} is not plain CDR (00 00 or 00 01)"
        ))),
    }
}

impl RecordFormat for Cdr {
    type State = ();

    fn state<M: Record>(&self) -> Result<(), Fault> {
        Ok(())
    }

    #[inline(always)]
    fn write<M: Record>(&self, (): &mut (), message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        out.extend_from_slice(&LITTLE_HEADER);
        positional::write::<Little, M>(message, out)
    }

    #[inline(always)]
    fn read<M: Record>(&self, (): &(), bytes: &[u8]) -> Result<M, Fault> {
        read(bytes)
    }
}

impl RecordFormat for BigEndianCdr {
    type State = ();

    fn state<M: Record>(&self) -> Result<(), Fault> {
        Ok(())
    }

    #[inline(always)]
    fn write<M: Record>(&self, (): &mut (), message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        out.extend_from_slice(&BIG_HEADER);
        positional::write::<Big, M>(message, out)
    }

    #[inline(always)]
    fn read<M: Record>(&self, (): &(), bytes: &[u8]) -> Result<M, Fault> {
        read(bytes)
    }
}

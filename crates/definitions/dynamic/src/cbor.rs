//! CBOR (RFC 8949) as ciborium writes it: maps with field names, absent fields omitted, lengths first, and every head in
//! its shortest form (section 4.2.1), also floats if that is lossless. Timestamps are strings with tag 0.

use wiredyno_codec::record::Fault;

use crate::described::Described;
use crate::objects::{self, Form};
use crate::value::{Known, Record};

pub fn write(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    objects::record(value, &mut Items(out))
}

/// Major types (section 3.1).
const UNSIGNED: u8 = 0;
const NEGATIVE: u8 = 1;
const BYTES: u8 = 2;
const TEXT: u8 = 3;
const ARRAY: u8 = 4;
const MAP: u8 = 5;
const TAG: u8 = 6;

/// The tag of a time as a string (section 3.4.1).
const TIME: u64 = 0;

/// Major type 7 (section 3.3), with the additional information in the low bits.
const FALSE: u8 = 0xf4;
const TRUE: u8 = 0xf5;
const NULL: u8 = 0xf6;
const HALF: u8 = 0xf9;
const SINGLE: u8 = 0xfa;
const DOUBLE: u8 = 0xfb;

struct Items<'o>(&'o mut Vec<u8>);

impl Items<'_> {
    /// A major type and its argument: in the first byte up to 23, else in the next 1, 2, 4 or 8 bytes.
    fn head(&mut self, major: u8, argument: u64) {
        let major = major << 5;
        match argument {
            0..24 => self.0.push(major | argument as u8),
            24..0x100 => self.0.extend([major | 24, argument as u8]),
            0x100..0x1_0000 => self.put(major | 25, &(argument as u16).to_be_bytes()),
            0x1_0000..0x1_0000_0000 => self.put(major | 26, &(argument as u32).to_be_bytes()),
            _ => self.put(major | 27, &argument.to_be_bytes()),
        }
    }

    fn put(&mut self, first: u8, rest: &[u8]) {
        self.0.push(first);
        self.0.extend_from_slice(rest);
    }
}

impl Form for Items<'_> {
    const OMITS: bool = true;

    fn object(&mut self, fields: usize) {
        self.map(fields);
    }

    fn name(&mut self, name: &str) {
        self.text(name);
    }

    fn absent(&mut self) {
        self.0.push(NULL);
    }

    fn list(&mut self, count: usize) {
        self.head(ARRAY, count as u64);
    }

    fn map(&mut self, count: usize) {
        self.head(MAP, count as u64);
    }

    fn boolean(&mut self, value: bool) {
        self.0.push(if value { TRUE } else { FALSE });
    }

    fn signed(&mut self, value: i64) {
        match u64::try_from(value) {
            Ok(value) => self.head(UNSIGNED, value),
            // Encodes -1 - n.
            Err(_) => self.head(NEGATIVE, (!value).cast_unsigned()),
        }
    }

    fn unsigned(&mut self, value: u64) {
        self.head(UNSIGNED, value);
    }

    fn single(&mut self, value: f32) {
        self.double(value.into());
    }

    fn double(&mut self, value: f64) {
        let single = value as f32;
        if let Some(half) = half(value) {
            self.put(HALF, &half.to_be_bytes());
        } else if f64::from(single).to_bits() == value.to_bits() {
            self.put(SINGLE, &single.to_be_bytes());
        } else {
            self.put(DOUBLE, &value.to_be_bytes());
        }
    }

    fn text(&mut self, value: &str) {
        self.head(TEXT, value.len() as u64);
        self.0.extend_from_slice(value.as_bytes());
    }

    fn bytes(&mut self, value: &[u8]) {
        self.head(BYTES, value.len() as u64);
        self.0.extend_from_slice(value);
    }

    fn variant(&mut self, _: usize, name: &str) {
        self.text(name);
    }

    fn timestamp(&mut self, seconds: i64, nanos: i32) -> Result<bool, Fault> {
        let text = Known::Timestamp(seconds, nanos).text()?;
        self.head(TAG, TIME);
        self.text(&text);
        Ok(true)
    }
}

/// The bits of the binary16 with exactly this value, if there is one; for NaNs, if it is quiet and keeps its payload.
fn half(value: f64) -> Option<u16> {
    /// The fraction's bits for which a binary16 has no room.
    const LOST: u64 = (1 << 42) - 1;
    let bits = value.to_bits();
    let sign = (bits >> 48) as u16 & 0x8000;
    let exponent = (bits >> 52) as i32 & 0x7ff;
    let fraction = bits & ((1 << 52) - 1);
    let kept = (fraction & LOST == 0).then_some((fraction >> 42) as u16);
    let magnitude = match exponent - 1023 {
        // Infinity, or a quiet NaN, whose first fraction bit is set.
        1024 if fraction == 0 || fraction >> 51 == 1 => 0x7c00 | kept?,
        power @ -14..=15 => (power + 15) as u16 * 0x400 + kept?,
        // Subnormal in binary16: multiples of 2^-24. Scaling by powers of two is lossless here, and the largest result is below 1,024.
        ..-14 => {
            let steps = value.abs() * f64::from(1 << 24);
            if steps.fract() != 0.0 {
                return None;
            }
            steps as u16
        }
        _ => return None,
    };
    Some(sign | magnitude)
}

#[cfg(test)]
mod tests {
    use super::half;

    #[test]
    fn halves_are_those_of_the_specification() {
        // RFC 8949, appendix A.
        let known = [
            (0.0, 0x0000),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (1.5, 0x3e00),
            (65504.0, 0x7bff),
            (5.960464477539063e-8, 0x0001),
            (0.00006103515625, 0x0400),
            (-4.0, 0xc400),
            (f64::INFINITY, 0x7c00),
            (f64::NAN, 0x7e00),
            (f64::NEG_INFINITY, 0xfc00),
        ];
        for (value, bits) in known {
            assert_eq!(half(value), Some(bits), "{value}");
        }
        for value in [1.1, 65505.0, 65536.0, 100_000.0, 3e-8, -4.1, 1e300, 5e-324, f64::MAX] {
            assert_eq!(half(value), None, "{value}");
        }
    }
}

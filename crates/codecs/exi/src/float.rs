//! Floats as EXI has them (section 7.1.4): a decimal mantissa and a power of ten, both integers.
//!
//! The fewest digits that give the same value back are written (as canonical EXI requires: no trailing zeros in
//! the mantissa). Minus zero is written as zero, because the mantissa has no sign of its own there.

use super::bits::{BitReader, PutIntegers};
use wiredyno_codec::bits::BitWriter;
use wiredyno_codec::record::Fault;

/// The exponent that marks infinities and NaN: -(2^14).
const SPECIAL: i64 = -(1 << 14);

/// A finite value's shortest digits, from the text that `zmij` prints: `-12.5`, `1e300`.
fn decimal(text: &str) -> (i64, i64) {
    let (mut mantissa, mut exponent) = (0i64, 0i64);
    let (digits, power) = text.split_once('e').unwrap_or((text, "0"));
    let mut behind = false;
    for byte in digits.bytes() {
        match byte {
            b'0'..=b'9' => {
                mantissa = mantissa * 10 + i64::from(byte - b'0');
                exponent -= i64::from(behind);
            }
            b'.' => behind = true,
            _ => {}
        }
    }
    if mantissa == 0 {
        return (0, 0);
    }
    while mantissa % 10 == 0 {
        mantissa /= 10;
        exponent += 1;
    }
    let sign = if digits.starts_with('-') { -1 } else { 1 };
    (sign * mantissa, exponent + power.parse::<i64>().unwrap_or(0))
}

fn write(bits: &mut BitWriter<'_>, (mantissa, exponent): (i64, i64)) {
    bits.put_signed(mantissa);
    bits.put_signed(exponent);
}

/// Powers of ten that a binary64 holds exactly.
const EXACT: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// A float as it was read.
enum Read {
    Finite { mantissa: i64, exponent: i64 },
    Infinite { negative: bool },
    NotANumber,
}

fn read(bits: &mut BitReader<'_>) -> Result<Read, Fault> {
    let (mantissa, exponent) = (bits.signed()?, bits.signed()?);
    Ok(match (mantissa, exponent) {
        (1, SPECIAL) => Read::Infinite { negative: false },
        (-1, SPECIAL) => Read::Infinite { negative: true },
        (_, SPECIAL) => Read::NotANumber,
        (_, exponent) if exponent.abs() >= -SPECIAL => {
            return Err(Fault::other(format_args!("{exponent} is not an exponent of a float")));
        }
        (mantissa, exponent) => Read::Finite { mantissa, exponent },
    })
}

macro_rules! float {
    ($write:ident, $read:ident, $ty:ty, $digits:expr) => {
        /// Writes a float in its shortest form.
        #[inline(never)]
        pub fn $write(bits: &mut BitWriter<'_>, value: $ty) {
            let parts = if value.is_nan() {
                (0, SPECIAL)
            } else if value.is_infinite() {
                (if value < 0.0 { -1 } else { 1 }, SPECIAL)
            } else {
                decimal(zmij::Buffer::new().format_finite(value))
            };
            write(bits, parts);
        }

        /// Reads one, rounded correctly to the nearest value.
        #[inline(never)]
        pub(super) fn $read(bits: &mut BitReader<'_>) -> Result<$ty, Fault> {
            let (mantissa, exponent) = match read(bits)? {
                Read::Finite { mantissa, exponent } => (mantissa, exponent),
                Read::Infinite { negative: false } => return Ok(<$ty>::INFINITY),
                Read::Infinite { negative: true } => return Ok(<$ty>::NEG_INFINITY),
                Read::NotANumber => return Ok(<$ty>::NAN),
            };
            // Both are exact, so one operation rounds once (W. D. Clinger, 1990).
            if mantissa.unsigned_abs() <= 1 << <$ty>::MANTISSA_DIGITS && exponent.unsigned_abs() <= $digits {
                let power = EXACT[exponent.unsigned_abs() as usize] as $ty;
                let mantissa = mantissa as $ty;
                return Ok(if exponent < 0 { mantissa / power } else { mantissa * power });
            }
            format!("{mantissa}e{exponent}").parse().map_err(|_| Fault::other("not a float"))
        }
    };
}
float!(write_f64, read_f64, f64, 22);
float!(write_f32, read_f32, f32, 10);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_powers() {
        for (text, parts) in [
            ("0.0", (0, 0)),
            ("-0.0", (0, 0)),
            ("-12.5", (-125, -1)),
            ("1200.0", (12, 2)),
            ("5e-324", (5, -324)),
            ("1.7976931348623157e308", (17_976_931_348_623_157, 292)),
        ] {
            assert_eq!(decimal(text), parts, "{text}");
        }
    }

    #[test]
    fn values_come_back_to_the_bit() {
        let mut values = vec![0.0, 1.0, -1.5, 0.1, 1e22, 1e23, f64::MAX, f64::MIN_POSITIVE, 5e-324];
        values.extend([f64::INFINITY, f64::NEG_INFINITY]);
        // A multiplicative sequence of bit patterns.
        values.extend((1..5_000u64).map(|n| f64::from_bits(n.wrapping_mul(0x9e37_79b9_7f4a_7c15))));
        for value in values {
            let mut out = Vec::new();
            let mut bits = BitWriter::new(&mut out);
            write_f64(&mut bits, value);
            write_f32(&mut bits, value as f32);
            bits.finish();
            let mut bits = BitReader::new(&out);
            let (wide, narrow) = (read_f64(&mut bits).unwrap(), read_f32(&mut bits).unwrap());
            assert!(wide == value || value.is_nan() && wide.is_nan(), "{value:e} {wide:e}");
            assert!(narrow == value as f32 || narrow.is_nan() && value.is_nan(), "{value:e} {narrow:e}");
        }
    }
}

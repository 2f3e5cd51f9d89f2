//! How a message's own number is stored in its sequence field.
//!
//! The encoded size must not change within a trial where the format allows that, so every rule keeps a constant
//! width. Numbers wrap around where the field can't hold more.

/// Integer fields hold `SEQUENCE_BASE + n mod SEQUENCE_SPAN`: ten digits in JSON, five bytes as varint and
/// as zigzag varint, a 32-bit integer in MessagePack and CBOR, four bytes in fixed formats.
pub const SEQUENCE_BASE: u32 = 1_000_000_000;

/// How many different numbers an integer field holds.
pub const SEQUENCE_SPAN: u32 = 1_000_000_000;

/// Bytes fields hold the number big-endian in this many leading bytes, fewer where the field is shorter.
pub const SEQUENCE_BYTES: usize = 8;

/// Strings that don't end with a digit lose this many bytes at their end, fewer where the string is shorter.
pub const SEQUENCE_DIGITS: usize = 10;

/// A field that can carry a message's number.
pub trait Sequence {
    /// Stores the number, wrapped to the field's span.
    fn set_sequence(&mut self, number: u64);

    /// How many different numbers the field can hold, at least 1; `u64::MAX` where it is 2^64.
    fn sequence_span(&self) -> u64;
}

/// An integer field whose definition states a range: the number counts through the upper half of the range, whose
/// numbers have the same width in most encodings.
pub trait RangedSequence {
    /// Stores the number, wrapped to the range's span.
    fn set_sequence_in(&mut self, number: u64, min: i64, max: i64);
}

/// How many different numbers an integer field with this range holds.
pub fn ranged_span(min: i64, max: i64) -> u64 {
    (max.abs_diff(min) / 2).saturating_add(1)
}

macro_rules! integers {
    ($($ty:ty),*) => {$(
        impl RangedSequence for $ty {
            fn set_sequence_in(&mut self, number: u64, min: i64, max: i64) {
                *self = max.wrapping_sub_unsigned(number % ranged_span(min, max)) as $ty;
            }
        }

        impl RangedSequence for Option<$ty> {
            fn set_sequence_in(&mut self, number: u64, min: i64, max: i64) {
                self.get_or_insert_default().set_sequence_in(number, min, max);
            }
        }

        impl Sequence for $ty {
            fn set_sequence(&mut self, number: u64) {
                *self = (SEQUENCE_BASE as $ty) + (number % u64::from(SEQUENCE_SPAN)) as $ty;
            }

            fn sequence_span(&self) -> u64 {
                u64::from(SEQUENCE_SPAN)
            }
        }
    )*};
}
integers!(i32, i64, u32, u64);

/// How many bytes at the end of a text the number replaces: its trailing digits, else up to [`SEQUENCE_DIGITS`]
/// trailing ASCII characters.
fn digits_of(text: &str) -> usize {
    let trailing = |wanted: fn(&u8) -> bool| text.bytes().rev().take_while(wanted).count();
    match trailing(u8::is_ascii_digit) {
        0 => trailing(u8::is_ascii).min(SEQUENCE_DIGITS),
        digits => digits,
    }
}

impl Sequence for String {
    fn set_sequence(&mut self, number: u64) {
        let mut rest = number;
        let width = digits_of(self);
        let keep = self.len() - width;
        let mut digits = vec![b'0'; width];
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        self.truncate(keep);
        self.extend(digits.into_iter().map(char::from));
    }

    fn sequence_span(&self) -> u64 {
        10u64.checked_pow(digits_of(self) as u32).unwrap_or(u64::MAX)
    }
}

impl Sequence for Vec<u8> {
    fn set_sequence(&mut self, number: u64) {
        let width = self.len().min(SEQUENCE_BYTES);
        let bytes = number.to_be_bytes();
        self[..width].copy_from_slice(&bytes[SEQUENCE_BYTES - width..]);
    }

    fn sequence_span(&self) -> u64 {
        match self.len() {
            short @ 0..SEQUENCE_BYTES => 1 << (8 * short),
            _ => u64::MAX,
        }
    }
}

impl<T: Sequence + Default> Sequence for Option<T> {
    fn set_sequence(&mut self, number: u64) {
        self.get_or_insert_default().set_sequence(number);
    }

    fn sequence_span(&self) -> u64 {
        self.as_ref().map_or_else(|| T::default().sequence_span(), Sequence::sequence_span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered<T: Sequence>(mut value: T, number: u64) -> T {
        value.set_sequence(number);
        value
    }

    #[test]
    fn strings_count_within_the_width_of_their_digits() {
        let small = || "message007".to_owned();
        assert_eq!(numbered(small(), 1), "message001");
        assert_eq!(numbered(small(), 1_000), "message000");
        assert_eq!(small().sequence_span(), 1_000);
        assert_eq!(numbered("123-456-7890".to_owned(), 42), "123-456-0042");
    }

    #[test]
    fn text_without_digits_gives_up_its_end() {
        assert_eq!(numbered("the quick brown fox".to_owned(), 42), "the quick0000000042");
        assert_eq!(numbered("né".to_owned(), 42), "né", "no ASCII at the end: nothing to replace");
        assert_eq!(numbered(String::new(), 42), "");
    }

    #[test]
    fn bytes_carry_the_number_in_front() {
        assert_eq!(numbered(vec![9u8; 10], 258), [0, 0, 0, 0, 0, 0, 1, 2, 9, 9]);
        assert_eq!(numbered(vec![9u8; 2], 0x1_0203), [2, 3]);
        assert_eq!(vec![0u8; 2].sequence_span(), 65_536);
    }

    #[test]
    fn integers_with_a_range_count_down_through_its_upper_half() {
        let mut value = 0u32;
        let numbers: Vec<u32> = (0..4)
            .map(|number| {
                value.set_sequence_in(number, 0, 5);
                value
            })
            .collect();
        assert_eq!((numbers, ranged_span(0, 5)), (vec![5, 4, 3, 5], 3));
        let mut value = Some(0i64);
        value.set_sequence_in(u64::MAX, i64::MIN, i64::MAX);
        assert!(value.unwrap() >= -1);
    }

    #[test]
    fn integers_keep_their_width_in_every_varint() {
        for number in [0, 1, u64::from(SEQUENCE_SPAN) - 1, u64::MAX] {
            let value = numbered(0i32, number);
            assert!((1_000_000_000..2_000_000_000).contains(&value), "{value}");
        }
        assert_eq!(numbered(Some(5u64), 3), Some(1_000_000_003));
    }
}

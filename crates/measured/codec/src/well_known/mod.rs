//! Google's well-known types in self-describing formats, as their users write them. Used by generated code.
//!
//! | type | JSON | CBOR | MessagePack | BSON |
//! |---|---|---|---|---|
//! | Timestamp | text (RFC 3339) | tag 0 with that text (RFC 8949, section 3.4.1) | extension -1 (MessagePack specification, "Timestamp extension type") | UTC datetime in whole milliseconds, else a document of its fields |
//! | Duration | text (`1.500s`) | its fields | its fields | its fields |
//! | FieldMask | text (`fooBar,a.b`) | the list of its paths | that list | that list |
//!
//! All are exact, whatever the format. A value that has no text is refused where text is written. A field whose value may be null is
//! read as present by [`present`].
//!
//! serde has no tags, extensions or dates: libraries represent them under names that their documentation gives. They are here without
//! the libraries, which come with the codecs.
//!
//! One file because every row of the table is a pair of functions, and the pairs share their visitors.

pub mod proto3;
pub mod text;

use std::fmt;

use serde::de::{self, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, SerializeStruct as _, SerializeTuple as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// CBOR's tag of a time as text (RFC 8949, section 3.4.1).
const CBOR_TIME: u64 = 0;
/// The type of MessagePack's extension for times.
const MESSAGEPACK_TIME: i8 = -1;
const NANOS_A_MILLISECOND: i32 = 1_000_000;

/// A value that is read from text.
struct FromText<T> {
    expected: &'static str,
    read: fn(&str) -> Option<T>,
}

impl<T> Visitor<'_> for FromText<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.read)(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }
}

const TIMESTAMP: FromText<text::Timestamp> =
    FromText { expected: "a time in the form of RFC 3339", read: text::Timestamp::read };

/// Writes a timestamp as text.
///
/// # Errors
/// When it has no text, or the library fails.
pub fn write_text_timestamp<S: Serializer>(seconds: i64, nanos: i32, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&text::Timestamp::new(seconds, nanos).map_err(S::Error::custom)?)
}

/// Reads a timestamp from text: seconds since 1970, and nanoseconds.
///
/// # Errors
/// When the text is not a timestamp, or the library fails.
pub fn read_text_timestamp<'de, D: Deserializer<'de>>(from: D) -> Result<(i64, i32), D::Error> {
    from.deserialize_str(TIMESTAMP).map(text::Timestamp::parts)
}

/// Writes a duration as text.
///
/// # Errors
/// When it has no text, or the library fails.
pub fn write_text_duration<S: Serializer>(seconds: i64, nanos: i32, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&text::Duration::new(seconds, nanos).map_err(S::Error::custom)?)
}

/// Reads a duration from text: seconds, and nanoseconds of the same sign.
///
/// # Errors
/// When the text is not a duration, or the library fails.
pub fn read_text_duration<'de, D: Deserializer<'de>>(from: D) -> Result<(i64, i32), D::Error> {
    let duration = FromText { expected: "seconds followed by an `s`", read: text::Duration::read };
    from.deserialize_str(duration).map(text::Duration::parts)
}

/// Writes a field mask as text.
///
/// # Errors
/// When it has no text, or the library fails.
pub fn write_text_mask<S: Serializer>(paths: &[String], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&text::write_mask(paths.iter().map(String::as_str)).map_err(S::Error::custom)?)
}

/// Reads a field mask from text.
///
/// # Errors
/// When the text is not a field mask, or the library fails.
pub fn read_text_mask<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    from.deserialize_str(FromText { expected: "paths separated by commas", read: text::read_mask })
}

/// A tagged item, in the form that ciborium uses (its module `tag`).
#[derive(Serialize, Deserialize)]
#[serde(rename = "@@TAG@@")]
enum Tagged<T> {
    #[serde(rename = "@@UNTAGGED@@")]
    Without(T),
    #[serde(rename = "@@TAGGED@@")]
    With(u64, T),
}

struct TimeText(text::Timestamp);

impl Serialize for TimeText {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for TimeText {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<TimeText, D::Error> {
        from.deserialize_str(TIMESTAMP).map(TimeText)
    }
}

/// Writes a timestamp as text with CBOR's tag 0.
///
/// # Errors
/// When it has no text, or the library fails.
pub fn write_tagged_timestamp<S: Serializer>(seconds: i64, nanos: i32, to: S) -> Result<S::Ok, S::Error> {
    let time = text::Timestamp::new(seconds, nanos).map_err(S::Error::custom)?;
    Tagged::With(CBOR_TIME, TimeText(time)).serialize(to)
}

/// Reads a timestamp from text with CBOR's tag 0.
///
/// # Errors
/// When it is not such a text, or the library fails.
pub fn read_tagged_timestamp<'de, D: Deserializer<'de>>(from: D) -> Result<(i64, i32), D::Error> {
    match Tagged::<TimeText>::deserialize(from)? {
        Tagged::With(CBOR_TIME, time) => Ok(time.0.parts()),
        Tagged::With(..) | Tagged::Without(_) => Err(D::Error::custom("a time without tag 0")),
    }
}

/// The bytes of MessagePack's time: 4, 8 or 12, the fewest that hold it. `None` if the nanoseconds are negative or make a second or
/// more.
pub fn messagepack_time(seconds: i64, nanos: i32) -> Option<([u8; 12], usize)> {
    let nanos = u32::try_from(nanos).ok().filter(|nanos| *nanos < 1_000_000_000)?;
    let mut bytes = [0; 12];
    let length = match (u64::try_from(seconds), u32::try_from(seconds)) {
        (_, Ok(seconds)) if nanos == 0 => {
            bytes[..4].copy_from_slice(&seconds.to_be_bytes());
            4
        }
        // 34 bits.
        (Ok(unsigned), _) if unsigned >> 34 == 0 => {
            bytes[..8].copy_from_slice(&(u64::from(nanos) << 34 | unsigned).to_be_bytes());
            8
        }
        _ => {
            bytes[..4].copy_from_slice(&nanos.to_be_bytes());
            bytes[4..].copy_from_slice(&seconds.to_be_bytes());
            12
        }
    };
    Some((bytes, length))
}

/// The time that these bytes represent.
fn read_messagepack_time(bytes: &[u8]) -> Option<(i64, i32)> {
    let (seconds, nanos) = match bytes.len() {
        4 => (i64::from(u32::from_be_bytes(bytes.try_into().ok()?)), 0),
        8 => {
            let both = u64::from_be_bytes(bytes.try_into().ok()?);
            ((both & ((1 << 34) - 1)).cast_signed(), (both >> 34) as u32)
        }
        12 => {
            let (nanos, seconds) = bytes.split_at(4);
            (i64::from_be_bytes(seconds.try_into().ok()?), u32::from_be_bytes(nanos.try_into().ok()?))
        }
        _ => return None,
    };
    Some((seconds, i32::try_from(nanos).ok().filter(|nanos| *nanos < 1_000_000_000)?))
}

/// An extension's type and bytes, in the form that rmp-serde uses.
struct Extension<'b>(&'b [u8]);

impl Serialize for Extension<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        struct Raw<'b>(&'b [u8]);

        impl Serialize for Raw<'_> {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_bytes(self.0)
            }
        }

        let mut pair = to.serialize_tuple(2)?;
        pair.serialize_element(&MESSAGEPACK_TIME)?;
        pair.serialize_element(&Raw(self.0))?;
        pair.end()
    }
}

/// The name that rmp-serde gives a newtype whose content is an extension (`MSGPACK_EXT_STRUCT_NAME`).
const EXTENSION: &str = "_ExtStruct";

/// Writes a timestamp as MessagePack's extension -1.
///
/// # Errors
/// When its nanoseconds are out of range, or the library fails.
pub fn write_extended_timestamp<S: Serializer>(seconds: i64, nanos: i32, to: S) -> Result<S::Ok, S::Error> {
    let Some((bytes, length)) = messagepack_time(seconds, nanos) else {
        return Err(S::Error::custom(format_args!("a time has no {nanos} ns beside its seconds")));
    };
    to.serialize_newtype_struct(EXTENSION, &Extension(&bytes[..length]))
}

/// Reads a timestamp from MessagePack's extension -1.
///
/// # Errors
/// When it is not such a time, or the library fails.
pub fn read_extended_timestamp<'de, D: Deserializer<'de>>(from: D) -> Result<(i64, i32), D::Error> {
    struct Time;

    impl<'de> Visitor<'de> for Time {
        type Value = (i64, i32);

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("a time of 4, 8 or 12 bytes in an extension of type -1")
        }

        fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<(i64, i32), D::Error> {
            from.deserialize_tuple(2, self)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<(i64, i32), A::Error> {
            let ty: Option<i8> = parts.next_element()?;
            if ty != Some(MESSAGEPACK_TIME) {
                return Err(A::Error::invalid_type(de::Unexpected::Other("another extension"), &self));
            }
            parts
                .next_element::<TimeBytes>()?
                .map(|time| time.0)
                .ok_or_else(|| A::Error::invalid_length(1, &self))
        }
    }

    struct TimeBytes((i64, i32));

    impl<'de> Deserialize<'de> for TimeBytes {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<TimeBytes, D::Error> {
            from.deserialize_bytes(Bytes).map(TimeBytes)
        }
    }

    struct Bytes;

    impl Visitor<'_> for Bytes {
        type Value = (i64, i32);

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("a time of 4, 8 or 12 bytes")
        }

        fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<(i64, i32), E> {
            read_messagepack_time(bytes).ok_or_else(|| E::invalid_value(de::Unexpected::Bytes(bytes), &self))
        }
    }

    from.deserialize_newtype_struct(EXTENSION, Time)
}

/// BSON's datetime of a timestamp: milliseconds since 1970. `None` unless it is a whole number of them that fits 64 bits.
pub fn bson_milliseconds(seconds: i64, nanos: i32) -> Option<i64> {
    let is_whole = (0..1_000_000_000).contains(&nanos) && nanos % NANOS_A_MILLISECOND == 0;
    let milliseconds = seconds.checked_mul(1_000)?.checked_add(i64::from(nanos / NANOS_A_MILLISECOND));
    milliseconds.filter(|_| is_whole)
}

/// Writes a timestamp as BSON's datetime where that is exact, else as a document of its fields.
///
/// # Errors
/// When the library fails.
pub fn write_dated_timestamp<S: Serializer>(seconds: i64, nanos: i32, to: S) -> Result<S::Ok, S::Error> {
    /// The content of a date in the form that bson accepts.
    struct Milliseconds(i64);

    impl Serialize for Milliseconds {
        fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            let mut number = to.serialize_struct("$numberLong", 1)?;
            number.serialize_field("$numberLong", &Digits(self.0))?;
            number.end()
        }
    }

    struct Digits(i64);

    impl Serialize for Digits {
        fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            to.collect_str(&self.0)
        }
    }

    match bson_milliseconds(seconds, nanos) {
        Some(milliseconds) => {
            let mut date = to.serialize_struct("$date", 1)?;
            date.serialize_field("$date", &Milliseconds(milliseconds))?;
            date.end()
        }
        None => {
            let mut fields = to.serialize_struct("Timestamp", 2)?;
            fields.serialize_field("seconds", &seconds)?;
            fields.serialize_field("nanos", &nanos)?;
            fields.end()
        }
    }
}

/// Reads a timestamp from BSON's datetime, or from a document of its fields.
///
/// # Errors
/// When it is neither, or the library fails.
pub fn read_dated_timestamp<'de, D: Deserializer<'de>>(from: D) -> Result<(i64, i32), D::Error> {
    struct Time;

    /// The content of a date in the form that bson returns: `{"$numberLong": "digits"}`.
    #[derive(Deserialize)]
    struct Milliseconds {
        #[serde(rename = "$numberLong")]
        digits: String,
    }

    impl<'de> Visitor<'de> for Time {
        type Value = (i64, i32);

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("a datetime, or a document with seconds and nanos")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(i64, i32), A::Error> {
            let (mut seconds, mut nanos) = (None, None);
            while let Some(name) = fields.next_key::<String>()? {
                match name.as_str() {
                    "$date" => {
                        let Milliseconds { digits } = fields.next_value()?;
                        let milliseconds: i64 = digits.parse().map_err(A::Error::custom)?;
                        let nanos = milliseconds.rem_euclid(1_000) as i32 * NANOS_A_MILLISECOND;
                        return Ok((milliseconds.div_euclid(1_000), nanos));
                    }
                    "seconds" => seconds = Some(fields.next_value()?),
                    "nanos" => nanos = Some(fields.next_value()?),
                    other => return Err(A::Error::unknown_field(other, &["seconds", "nanos"])),
                }
            }
            seconds.zip(nanos).ok_or_else(|| A::Error::custom("a time lacks seconds or nanos"))
        }
    }

    from.deserialize_any(Time)
}

/// Writes null, for `NullValue`.
///
/// # Errors
/// When the library fails.
pub fn write_null<S: Serializer>(to: S) -> Result<S::Ok, S::Error> {
    to.serialize_unit()
}

/// Reads null, for `NullValue`.
///
/// # Errors
/// When it is something else, or the library fails.
pub fn read_null<'de, D: Deserializer<'de>>(from: D) -> Result<(), D::Error> {
    struct Null;

    impl Visitor<'_> for Null {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("null")
        }

        fn visit_unit<E: de::Error>(self) -> Result<(), E> {
            Ok(())
        }

        fn visit_none<E: de::Error>(self) -> Result<(), E> {
            Ok(())
        }
    }

    from.deserialize_any(Null)
}

/// Reads a field that is present and may be null, which serde alone takes for absent.
///
/// # Errors
/// When the library fails.
pub fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// The same, no deeper than [`nested`](crate::serde_objects::nested) allows.
///
/// # Errors
/// When it is deeper, or the library fails.
pub fn present_nested<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    crate::serde_objects::nested(from).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messagepack_has_times_of_three_lengths() {
        // MessagePack specification: timestamp 32, 64 and 96.
        for (seconds, nanos, wanted) in [
            (0, 0, &[0, 0, 0, 0][..]),
            (0xffff_ffff, 0, &[0xff, 0xff, 0xff, 0xff]),
            (1, 1, &[0, 0, 0, 4, 0, 0, 0, 1]),
            (0x1_0000_0000, 0, &[0, 0, 0, 1, 0, 0, 0, 0]),
            (0x3_ffff_ffff, 999_999_999, &[0xee, 0x6b, 0x27, 0xff, 0xff, 0xff, 0xff, 0xff]),
            (0x4_0000_0000, 0, &[0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0]),
            (-1, 5, &[0, 0, 0, 5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
        ] {
            let (bytes, length) = messagepack_time(seconds, nanos).unwrap();
            assert_eq!(&bytes[..length], wanted, "{seconds} {nanos}");
            assert_eq!(read_messagepack_time(wanted), Some((seconds, nanos)));
        }
        assert_eq!(messagepack_time(0, -1), None);
        assert_eq!(messagepack_time(0, 1_000_000_000), None);
        for bytes in [&[][..], &[0; 5], &[0xff; 8], &[0xff; 12]] {
            assert_eq!(read_messagepack_time(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn a_datetime_of_bson_is_exact() {
        assert_eq!(bson_milliseconds(1, 5_000_000), Some(1_005));
        assert_eq!(bson_milliseconds(-1, 999_000_000), Some(-1));
        for (seconds, nanos) in [(0, 1), (0, -1_000_000), (0, 1_000_000_000), (i64::MAX, 0)] {
            assert_eq!(bson_milliseconds(seconds, nanos), None, "{seconds} {nanos}");
        }
    }
}

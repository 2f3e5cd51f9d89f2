//! postcard 1 (the wire format of its specification, postcard.jamesmunns.com/wire-format), for reference.
//!
//! Fields in order without tags, integers as varints (signed ones zigzag), an option as one byte, enums as the
//! varint of their index in the definition; members of a oneof are optional fields.
//!
//! The library allocates no more than the input holds. It has no limit for nesting, so definitions that contain
//! themselves are stopped at 128 levels by `serde_objects::nested`, and lists of messages without fields, whose
//! elements take no bytes, at 65,536 elements.

pub mod declared;

use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::Codec;
use wiredyno_codec::serde_codec;

/// Implements `postcard/postcard`, declared as [`declared::POSTCARD`].
#[derive(Debug, Default)]
pub struct Postcard;

impl Codec for Postcard {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::POSTCARD
    }
}

fn write<T: serde::Serialize>(object: &T, out: &mut Vec<u8>) -> Result<(), postcard::Error> {
    postcard::to_extend(object, std::mem::take(out)).map(|written| *out = written)
}

fn read<'a, T: serde::Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, wiredyno_codec::record::Fault> {
    let (object, rest) = postcard::take_from_bytes(bytes).map_err(wiredyno_codec::record::Fault::other)?;
    match rest.len() {
        0 => Ok(object),
        left => {
            Err(wiredyno_codec::record::Fault::other(format_args!("{left} bytes are left after the message")))
        }
    }
}

serde_codec!(Postcard, write: write, read: read);

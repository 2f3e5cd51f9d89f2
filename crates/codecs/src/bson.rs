//! BSON 1.1 (bsonspec.org) with MongoDB's library.
//!
//! A document with the field names of message.proto, absent optional fields left out, enums as their names, bytes
//! as binary of the generic subtype. BSON has no unsigned integers, no single-precision floats, and only text keys:
//! unsigned 32-bit integers are int64, unsigned 64-bit ones int64 with their bits kept, floats double, and map keys
//! their text in decimal digits.
//!
//! Decoding goes through the library's raw documents: [`Element`] gives their elements to serde. The library has a
//! deserializer of its own, which takes any value for any type and would be compiled for every message eleven times, once
//! for each BSON type that it shows as a map; a decoder for one definition needs none of that.
//!
//! The library checks every length against the document that it stands in, and knows no limit for nesting: decoding
//! recurses as deep as the message definition does, and definitions that contain themselves are stopped at
//! 128 levels by `named::nested`.

use bson::error::Error;
use bson::raw::{RawArrayIter, RawBsonRef, RawDocument, RawElement, RawIter};
use bson::spec::BinarySubtype;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, Visitor,
};
use wiredyno_model::Capability;

use crate::codec::Codec;
use crate::named::{Types, serde_codec};

/// `bson/bson`.
#[derive(Debug, Default)]
pub struct Bson;

impl Codec for Bson {
    fn id(&self) -> &'static str {
        "bson/bson"
    }

    fn library(&self) -> (&'static str, &'static str) {
        ("bson", env!("WIREDYNO_VERSION_BSON"))
    }

    fn about(&self) -> &'static str {
        "Documents with field names, absent fields left out. Build clones into serde structs; encode writes; decode \
         walks the library's raw documents, validates UTF-8 and types and allocates every string; read walks structs."
    }

    fn capabilities(&self) -> &'static [Capability] {
        &[
            Capability::SelfDescribing,
            Capability::ValidatesUtf8,
            Capability::ReusesBuffers,
            Capability::Canonical,
        ]
    }
}

serde_codec!(
    Bson, Types, Signed,
    write: |object, out: &mut Vec<u8>| bson::serialize_to_buffer(object, out),
    read: from_slice
);

fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, Error> {
    T::deserialize(Element(RawBsonRef::Document(RawDocument::from_bytes(bytes)?)))
}

/// An element's value for serde: only what the type asks for is taken.
struct Element<'de>(RawBsonRef<'de>);

impl<'de> Element<'de> {
    #[cold]
    fn unexpected<V: Visitor<'de>>(&self, visitor: &V) -> Error {
        Error::invalid_type(Unexpected::Other(&format!("{:?}", self.0.element_type())), visitor)
    }

    #[inline]
    fn number<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            RawBsonRef::Int32(value) => visitor.visit_i32(value),
            RawBsonRef::Int64(value) => visitor.visit_i64(value),
            RawBsonRef::Double(value) => visitor.visit_f64(value),
            _ => Err(self.unexpected(&visitor)),
        }
    }
}

/// The numbers' methods: which BSON type a number has, says nothing about its width.
macro_rules! numbers {
    ($($method:ident)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.number(visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for Element<'de> {
    type Error = Error;

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_f32 deserialize_f64
    }

    #[inline]
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            RawBsonRef::Boolean(value) => visitor.visit_bool(value),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            RawBsonRef::String(text) => visitor.visit_borrowed_str(text),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    #[inline]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    #[inline]
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            RawBsonRef::Binary(value) if value.subtype == BinarySubtype::Generic => {
                visitor.visit_borrowed_bytes(value.bytes)
            }
            _ => Err(self.unexpected(&visitor)),
        }
    }

    #[inline]
    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_bytes(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            RawBsonRef::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            RawBsonRef::Array(array) => visitor.visit_seq(Elements(array.into_iter())),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            RawBsonRef::Document(document) => {
                visitor.visit_map(Members { members: document.iter_elements(), member: None })
            }
            _ => Err(self.unexpected(&visitor)),
        }
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }

    #[inline]
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            RawBsonRef::String(name) => visitor.visit_enum(name.into_deserializer()),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    /// Of a member that the message does not know nothing is looked at.
    #[inline]
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    /// Of all other types nothing is written.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        Err(self.unexpected(&visitor))
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    serde::forward_to_deserialize_any! {
        char identifier newtype_struct tuple tuple_struct unit unit_struct
    }
}

/// The elements of an array.
struct Elements<'de>(RawArrayIter<'de>);

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        match self.0.next() {
            Some(value) => seed.deserialize(Element(value?)).map(Some),
            None => Ok(None),
        }
    }
}

/// The elements of a document, by their names.
struct Members<'de> {
    members: RawIter<'de>,
    member: Option<RawElement<'de>>,
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        match self.members.next() {
            Some(member) => {
                let key = self.member.insert(member?).key().as_str();
                seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some)
            }
            None => Ok(None),
        }
    }

    #[inline]
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        match self.member.take() {
            Some(member) => seed.deserialize(Element(member.value()?)),
            None => Err(Error::custom("a value was asked for before its key")),
        }
    }
}

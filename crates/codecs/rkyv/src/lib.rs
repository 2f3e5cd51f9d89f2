//! rkyv 0.8, for reference: a value's memory layout as the message, read in place.
//!
//! The format's options are features of the library, and change the bytes: little-endian, 32-bit relative pointers, unaligned,
//! so that a body may begin at any address, as bodies from a socket do. Texts of up to eight bytes are stored in their field; a
//! oneof takes the space of its largest alternative; maps are B-trees with nodes of five entries.
//!
//! The derives are on domain types, as with the library's users; a runner has a copy of these types for this codec only, so
//! that no other codec's types carry the derives. A definition is not carried when one of its enums or oneofs has more than 256
//! alternatives (the library's tags are one byte), or when a list has elements that take no bytes, whose number the library
//! can't check against the input.
//!
//! Zero-copy: decoding validates the whole archive (`bytecheck`), which no other part of the program could do without `unsafe`;
//! every byte then belongs to one value, so a walk is never longer than the buffer. Pointers nest at most 128 deep.

pub mod declared;

use std::num::NonZeroUsize;

use ::rkyv::api::access_with_context;
use ::rkyv::api::low::{LowDeserializer, LowSerializer, LowValidator, deserialize, to_bytes_in_with_alloc};
use ::rkyv::boxed::ArchivedBox;
use ::rkyv::bytecheck::CheckBytes;
use ::rkyv::collections::btree_map::ArchivedBTreeMap;
use ::rkyv::option::ArchivedOption;
use ::rkyv::primitive::{ArchivedF32, ArchivedF64, ArchivedI32, ArchivedI64, ArchivedU32, ArchivedU64};
use ::rkyv::rancor::Error;
use ::rkyv::ser::allocator::{Arena, ArenaHandle};
use ::rkyv::string::ArchivedString;
use ::rkyv::validation::Validator;
use ::rkyv::validation::archive::ArchiveValidator;
use ::rkyv::vec::ArchivedVec;
use ::rkyv::{Archive, Deserialize, Serialize};
use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::{Codec, CodecFor, DecodeError, EncodeError, Reason};
use wiredyno_codec::payload::PayloadTypes;
use wiredyno_codec::touch::{Digest, Touch};

/// How deep pointers in the input are followed.
const MAX_DEPTH: NonZeroUsize = NonZeroUsize::new(128).unwrap();

/// [`Touch`] for the archived forms of values: types that belong neither to this crate nor to that trait's.
pub trait TouchArchived {
    /// Mixes this value into the digest.
    fn touch(&self, digest: &mut Digest);

    /// Mixes a list of such values, with its length, into the digest.
    #[inline]
    fn touch_list(list: &[Self], digest: &mut Digest)
    where
        Self: Sized,
    {
        digest.number(list.len() as u64);
        for element in list {
            element.touch(digest);
        }
    }
}

/// The traits that rkyv's derives implement.
pub trait Archives:
    Archive<
        Archived: TouchArchived
                      + for<'a> CheckBytes<LowValidator<'a, Error>>
                      + Deserialize<Self, LowDeserializer<Error>>
                      + 'static,
    > + for<'a> Serialize<LowSerializer<Vec<u8>, ArenaHandle<'a>, Error>>
    + Send
    + Sized
{
}

impl<T> Archives for T where
    T: Archive<
            Archived: TouchArchived
                          + for<'a> CheckBytes<LowValidator<'a, Error>>
                          + Deserialize<T, LowDeserializer<Error>>
                          + 'static,
        > + for<'a> Serialize<LowSerializer<Vec<u8>, ArenaHandle<'a>, Error>>
        + Send
        + Sized
{
}

/// A payload in the form that rkyv needs.
pub trait Types: PayloadTypes {
    /// Why rkyv can't carry it; `None` if it can.
    const WHY_NOT: Option<&'static str>;
    /// The domain type, or `()` if it is not carried.
    type Object: Archives;
    /// The phase `build`: domain value to object.
    fn object(value: &Self::Domain) -> Self::Object;
    /// The object's domain value; `None` if it is not carried.
    fn domain(object: Self::Object) -> Option<Self::Domain>;
}

/// Implements `rkyv/rkyv`, declared as [`declared::RKYV`].
#[derive(Debug, Default)]
pub struct Rkyv;

impl Codec for Rkyv {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::RKYV
    }
}

impl<P: Types> CodecFor<P> for Rkyv {
    type State = Arena;
    type Object = P::Object;
    type Decoded<'a> = &'a <P::Object as Archive>::Archived;

    fn carries(&self) -> Result<(), Reason> {
        P::WHY_NOT.map_or(Ok(()), |why| Err(Reason(why.to_owned())))
    }

    fn state(&self) -> Result<Arena, Reason> {
        Ok(Arena::new())
    }

    fn build(&self, _: &Arena, value: &P::Domain) -> P::Object {
        P::object(value)
    }

    fn encode(&self, arena: &mut Arena, object: &P::Object, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let written = to_bytes_in_with_alloc::<_, _, Error>(object, std::mem::take(out), arena.acquire());
        *out = written.map_err(|error| self.encode_error(&error))?;
        Ok(())
    }

    fn decode<'a>(&self, _: &Arena, bytes: &'a [u8]) -> Result<Self::Decoded<'a>, DecodeError> {
        let mut context = Validator::new(ArchiveValidator::with_max_depth(bytes, Some(MAX_DEPTH)), ());
        access_with_context::<<P::Object as Archive>::Archived, _, Error>(bytes, &mut context)
            .map_err(|error| self.decode_error(&error))
    }

    fn read(&self, decoded: &Self::Decoded<'_>) -> Result<u64, DecodeError> {
        let mut digest = Digest::default();
        decoded.touch(&mut digest);
        Ok(digest.value())
    }

    fn lift(&self, decoded: Self::Decoded<'_>) -> Result<P::Domain, DecodeError> {
        let object = deserialize::<P::Object, Error>(decoded).map_err(|error| self.decode_error(&error))?;
        P::domain(object).ok_or_else(|| self.decode_error(&P::WHY_NOT.unwrap_or_default()))
    }
}

macro_rules! numbers {
    ($($archived:ty),*) => {$(
        impl TouchArchived for $archived {
            #[inline]
            fn touch(&self, digest: &mut Digest) {
                Touch::touch(&self.to_native(), digest);
            }
        }
    )*};
}
numbers!(ArchivedI32, ArchivedI64, ArchivedU32, ArchivedU64, ArchivedF32, ArchivedF64);

impl TouchArchived for bool {
    #[inline]
    fn touch(&self, digest: &mut Digest) {
        Touch::touch(self, digest);
    }
}

/// For the numbers that the definition gives to the values of an enum.
impl TouchArchived for i32 {
    #[inline]
    fn touch(&self, digest: &mut Digest) {
        Touch::touch(self, digest);
    }
}

impl TouchArchived for u8 {
    #[inline]
    fn touch(&self, digest: &mut Digest) {
        Touch::touch(self, digest);
    }

    #[inline]
    fn touch_list(list: &[u8], digest: &mut Digest) {
        digest.bytes(list);
    }
}

/// Stands for a payload that is not carried.
impl TouchArchived for () {
    fn touch(&self, _: &mut Digest) {}
}

impl TouchArchived for ArchivedString {
    #[inline]
    fn touch(&self, digest: &mut Digest) {
        digest.bytes(self.as_str().as_bytes());
    }
}

impl<T: TouchArchived> TouchArchived for ArchivedVec<T> {
    #[inline]
    fn touch(&self, digest: &mut Digest) {
        T::touch_list(self, digest);
    }
}

impl<T: TouchArchived> TouchArchived for ArchivedOption<T> {
    #[inline]
    fn touch(&self, digest: &mut Digest) {
        match self {
            ArchivedOption::Some(value) => {
                digest.number(1);
                value.touch(digest);
            }
            ArchivedOption::None => digest.number(0),
        }
    }
}

impl<T: TouchArchived> TouchArchived for ArchivedBox<T> {
    #[inline]
    fn touch(&self, digest: &mut Digest) {
        (**self).touch(digest);
    }
}

impl<K: TouchArchived, V: TouchArchived> TouchArchived for ArchivedBTreeMap<K, V> {
    #[inline]
    fn touch(&self, digest: &mut Digest) {
        digest.number(self.len() as u64);
        for (key, value) in self.iter() {
            key.touch(digest);
            value.touch(digest);
        }
    }
}

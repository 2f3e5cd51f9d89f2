//! Cap'n Proto, plain and packed, on the runtime of capnproto-rust.
//!
//! The code that the library's generator would print for `current-status` (725 fields) has tens of thousands of lines and
//! needs the `capnp` program; here the walk calls the same runtime functions as generated code does, with places that
//! [`layout`] computes at compile time. So every payload has this codec, a user's too. `capnp convert` reads what it
//! writes (oracles).
//!
//! A message is one segment table and one segment, more when it outgrows the first 1,024 words. Stand-ins are those of
//! `wiredyno_schema::idl::capnp`: a Bool before optional scalars, a union with `none` for a oneof, a list of {key, value}
//! structs for a map; empty texts, byte strings and lists are null pointers, except optional texts and byte strings.
//!
//! Zero-copy: decoding finds the segments (packed: unpacks them); `read` walks the buffer, where the runtime checks each
//! pointer and the walk checks UTF-8. Against hostile input the runtime's limits are set: nesting at 128, and a walk may
//! touch as many words as the message has and 1,024 more, so that pointers to the same thing don't multiply work;
//! unpacking stops at 128 times the input's bytes and half a megabyte more.

pub mod declared;
pub mod layout;
mod read;
pub mod write;

use capnp::message::{Builder, Reader as Message, ReaderOptions, ReaderSegments, ScratchSpaceHeapAllocator};
use capnp::private::layout::{PointerBuilder, PointerReader, StructBuilder, StructReader, StructSize};
use capnp::serialize::{BufferSegments, OwnedSegments};
use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::{Codec, CodecFor, DecodeError, EncodeError, Reason};
use wiredyno_codec::payload::PayloadTypes;
use wiredyno_codec::record::{Fault, Record};

/// The first segment, as large as the library's own allocator makes it.
const FIRST_SEGMENT_BYTES: usize = 1024 * 8;

/// Words that every walk may touch beyond those of the message.
const WALK_SLACK_WORDS: usize = 1024;

/// The most words to unpack for each byte of input; the next constant is added for any input.
const UNPACKED_WORDS_PER_BYTE: usize = 16;
const UNPACKED_SLACK_WORDS: usize = 1 << 16;

const NESTING: i32 = 128;

/// Implements `capnproto/capnp`, declared as [`declared::PLAIN`].
#[derive(Debug, Default)]
pub struct Plain;

/// Implements `capnproto/capnp:packed`, declared as [`declared::PACKED`].
#[derive(Debug, Default)]
pub struct Packed;

impl Codec for Plain {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::PLAIN
    }
}

impl Codec for Packed {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::PACKED
    }
}

/// A struct's size in the runtime's type.
pub const fn struct_size(size: layout::Size) -> StructSize {
    StructSize { data: size.data, pointers: size.pointers }
}

/// A struct whose type only the walk knows.
pub struct Node;

/// An element to read, from the runtime's lists of structs.
pub struct NodeReader<'a>(StructReader<'a>);
/// An element to fill, from the runtime's lists of structs.
pub struct NodeBuilder<'a>(pub StructBuilder<'a>);

impl<'a> From<StructReader<'a>> for NodeReader<'a> {
    fn from(reader: StructReader<'a>) -> Self {
        NodeReader(reader)
    }
}

impl<'a> From<StructBuilder<'a>> for NodeBuilder<'a> {
    fn from(builder: StructBuilder<'a>) -> Self {
        NodeBuilder(builder)
    }
}

impl capnp::traits::HasStructSize for NodeBuilder<'_> {
    // Lists are created with their true size and only looked up with this one, which every size satisfies.
    const STRUCT_SIZE: StructSize = StructSize { data: 0, pointers: 0 };
}

impl<'a> capnp::traits::IntoInternalStructReader<'a> for NodeReader<'a> {
    fn into_internal_struct_reader(self) -> StructReader<'a> {
        self.0
    }
}

impl capnp::traits::SetterInput<Node> for NodeReader<'_> {
    fn set_pointer_builder(
        mut builder: PointerBuilder<'_>,
        input: Self,
        canonicalize: bool,
    ) -> capnp::Result<()> {
        builder.set_struct(&input.0, canonicalize)
    }
}

impl capnp::introspect::Introspect for Node {
    fn introspect() -> capnp::introspect::Type {
        capnp::introspect::TypeVariant::AnyPointer.into()
    }
}

impl capnp::traits::OwnedStruct for Node {
    type Reader<'a> = NodeReader<'a>;
    type Builder<'a> = NodeBuilder<'a>;
}

/// A number in a struct's data section. The runtime's own trait for these is private.
pub trait Scalar: capnp::private::layout::PrimitiveElement {
    /// Reads the number at an offset in units of its own width.
    fn get_field(structure: StructReader<'_>, at: u32) -> Self;
    /// Writes the number at an offset in units of its own width.
    fn set_field(self, structure: &StructBuilder<'_>, at: u32);
}

macro_rules! scalars {
    ($($ty:ty),*) => {$(
        impl Scalar for $ty {
            #[inline]
            fn get_field(structure: StructReader<'_>, at: u32) -> $ty {
                structure.get_data_field(at as usize)
            }
            #[inline]
            fn set_field(self, structure: &StructBuilder<'_>, at: u32) {
                structure.set_data_field(at as usize, self);
            }
        }
    )*};
}
scalars!(i8, u8, i16, u16, i32, u32, i64, u64, f32, f64);

/// The pointer to a message's root, to be filled.
pub struct RootBuilder<'a>(pub PointerBuilder<'a>);
/// The pointer to a message's root.
struct RootReader<'a>(PointerReader<'a>);

impl<'a> capnp::traits::FromPointerBuilder<'a> for RootBuilder<'a> {
    fn init_pointer(builder: PointerBuilder<'a>, _: u32) -> Self {
        RootBuilder(builder)
    }

    fn get_from_pointer(builder: PointerBuilder<'a>, _: Option<&'a [capnp::Word]>) -> capnp::Result<Self> {
        Ok(RootBuilder(builder))
    }
}

impl<'a> capnp::traits::FromPointerReader<'a> for RootReader<'a> {
    fn get_from_pointer(reader: &PointerReader<'a>, _: Option<&'a [capnp::Word]>) -> capnp::Result<Self> {
        Ok(RootReader(*reader))
    }
}

#[cold]
#[inline(never)]
fn refused(error: capnp::Error) -> Fault {
    Fault::other(error)
}

/// Memory for the first segment; the library zeroes it again after each message.
pub struct Scratch(Vec<u8>);

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch::new()
    }
}

impl Scratch {
    /// As long as the library's own default.
    pub fn new() -> Scratch {
        Scratch(vec![0; FIRST_SEGMENT_BYTES])
    }
}

/// Fills a message builder and passes it to `write`.
pub fn encode(
    scratch: &mut Scratch,
    fill: impl FnOnce(&mut Builder<ScratchSpaceHeapAllocator<'_>>) -> Result<(), Fault>,
    emit: impl FnOnce(&Builder<ScratchSpaceHeapAllocator<'_>>) -> capnp::Result<()>,
) -> Result<(), Fault> {
    let mut builder = Builder::new(ScratchSpaceHeapAllocator::new(&mut scratch.0));
    fill(&mut builder)?;
    emit(&builder).map_err(refused)
}

fn options(words: usize) -> ReaderOptions {
    ReaderOptions { traversal_limit_in_words: Some(words), nesting_limit: NESTING }
}

/// The segments of an encoded message, and their number of words, which limits each walk.
pub struct Segments<S> {
    segments: S,
    words: usize,
}

impl<S: ReaderSegments> Segments<S> {
    fn new(segments: S) -> Segments<S> {
        let each = (0..).map_while(|at| segments.get_segment(at)).map(|segment| segment.len() / 8);
        let words = each.sum();
        Segments { segments, words }
    }

    /// A message with the runtime's limits reset for a new walk.
    fn message(&self) -> Message<&S> {
        Message::new(&self.segments, options(self.words + WALK_SLACK_WORDS))
    }

    fn digest<M: Record>(&self) -> Result<u64, Fault> {
        read::digest::<M>(self.message().get_root::<RootReader<'_>>().map_err(refused)?.0)
    }

    fn lift<M: Record>(&self) -> Result<M, Fault> {
        let left_bytes = self.words * 8;
        read::value(self.message().get_root::<RootReader<'_>>().map_err(refused)?.0, left_bytes)
    }
}

fn nothing_left(rest: &[u8]) -> Result<(), Fault> {
    match rest.len() {
        0 => Ok(()),
        left => Err(Fault::other(format_args!("{left} bytes are left after the message"))),
    }
}

fn plain(mut bytes: &[u8]) -> Result<Segments<BufferSegments<&[u8]>>, Fault> {
    let limit = options(bytes.len() / 8 + WALK_SLACK_WORDS);
    let message = capnp::serialize::read_message_from_flat_slice(&mut bytes, limit).map_err(refused)?;
    nothing_left(bytes)?;
    Ok(Segments::new(message.into_segments()))
}

fn packed(mut bytes: &[u8]) -> Result<Segments<OwnedSegments>, Fault> {
    let limit = options(bytes.len() * UNPACKED_WORDS_PER_BYTE + UNPACKED_SLACK_WORDS);
    let message = capnp::serialize_packed::read_message(&mut bytes, limit).map_err(refused)?;
    nothing_left(bytes)?;
    Ok(Segments::new(message.into_segments()))
}

macro_rules! codec {
    ($codec:ty, $segments:ty, $decode:expr, $write:path) => {
        impl<P: PayloadTypes> CodecFor<P> for $codec {
            type State = Scratch;
            type Object = P::Domain;
            type Decoded<'a> = Segments<$segments>;

            fn state(&self) -> Result<Scratch, Reason> {
                Ok(Scratch::new())
            }

            fn build(&self, _: &Scratch, value: &P::Domain) -> P::Domain {
                value.clone()
            }

            fn encode(
                &self,
                scratch: &mut Scratch,
                object: &P::Domain,
                out: &mut Vec<u8>,
            ) -> Result<(), EncodeError> {
                encode(scratch, |builder| write::root(builder, object), |message| $write(out, message))
                    .map_err(|fault| self.encode_error(&fault))
            }

            fn encode_fresh(&self, _: &mut Scratch, object: &P::Domain) -> Result<Vec<u8>, EncodeError> {
                let mut out = Vec::new();
                let mut scratch = Scratch::new();
                encode(
                    &mut scratch,
                    |builder| write::root(builder, object),
                    |message| $write(&mut out, message),
                )
                .map_err(|fault| self.encode_error(&fault))?;
                Ok(out)
            }

            fn decode<'a>(&self, _: &Scratch, bytes: &'a [u8]) -> Result<Self::Decoded<'a>, DecodeError> {
                $decode(bytes).map_err(|fault| self.decode_error(&fault))
            }

            fn read(&self, decoded: &Self::Decoded<'_>) -> Result<u64, DecodeError> {
                decoded.digest::<P::Domain>().map_err(|fault| self.decode_error(&fault))
            }

            fn lift(&self, decoded: Self::Decoded<'_>) -> Result<P::Domain, DecodeError> {
                decoded.lift().map_err(|fault| self.decode_error(&fault))
            }
        }
    };
}

codec!(Plain, BufferSegments<&'a [u8]>, plain, capnp::serialize::write_message);
codec!(Packed, OwnedSegments, packed, capnp::serialize_packed::write_message);

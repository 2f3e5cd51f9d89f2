//! FlatBuffers with planus.
//!
//! The schema is lowered from message.proto: messages are tables, scalars without presence have their default
//! and are left out if equal to it, optional ones are `= null`, empty texts, byte strings and vectors are left
//! out, maps are vectors of {key, value} tables, members of a oneof are optional fields.
//!
//! Zero-copy: decoding only finds the root; planus has no verifier and checks bounds and UTF-8 at each access,
//! which is in `read`. Because a damaged buffer can make tables share what lies below them, a walk stops once
//! it has touched more bytes than the buffer has, or nests too deep.
//!
//! Encoding fills planus' builder from the back and copies the finished bytes into the output; with a reused
//! buffer the builder is reused too.

pub mod declared;

use planus::{Builder, ReadAsRoot, WriteAsOffset};
use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::{Codec, CodecFor, DecodeError, EncodeError, Reason};
use wiredyno_codec::convert::{Lift, Lower};
use wiredyno_codec::payload::PayloadTypes;
use wiredyno_codec::touch::{Digest, Touch};

/// Deeper nesting of the input is refused.
const MAX_DEPTH: u32 = 128;

/// Bytes that every walk may touch beyond the buffer's own length: omitted scalars are touched without being in the buffer.
const WALK_SLACK_BYTES: u64 = 64;

/// Why a buffer can't be walked completely.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// Something is outside the buffer, or is not valid text or a value of its enum.
    #[error("{0}")]
    Access(planus::Error),
    /// Parts of the buffer are used repeatedly.
    #[error("its parts overlap")]
    Overlap,
    /// Tables nest deeper than 128.
    #[error("it nests deeper than {MAX_DEPTH}")]
    Depth,
}

impl<E: Into<planus::Error>> From<E> for WalkError {
    fn from(error: E) -> WalkError {
        WalkError::Access(error.into())
    }
}

/// A walk through one buffer.
#[derive(Debug)]
pub struct Walk {
    digest: Digest,
    left_bytes: u64,
    depth: u32,
}

impl Walk {
    fn over(buffer: &[u8]) -> Walk {
        Walk { digest: Digest::default(), left_bytes: buffer.len() as u64 + WALK_SLACK_BYTES, depth: 0 }
    }

    #[inline]
    fn spend(&mut self, bytes: u64) -> Result<(), WalkError> {
        self.left_bytes = self.left_bytes.checked_sub(bytes).ok_or(WalkError::Overlap)?;
        Ok(())
    }

    /// Mixes in a scalar or enum.
    #[inline]
    pub fn scalar<T: Touch>(&mut self, value: T) {
        value.touch(&mut self.digest);
    }

    /// Mixes in whether an optional field is present.
    #[inline]
    pub fn present(&mut self, present: bool) {
        self.digest.number(u64::from(present));
    }

    /// Mixes in a text or byte string; counts its four bytes of length.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), WalkError> {
        self.spend(4 + bytes.len() as u64)?;
        self.digest.bytes(bytes);
        Ok(())
    }

    /// Mixes in a text, byte string or vector that is omitted because it is empty.
    #[inline]
    pub fn nothing(&mut self) {
        self.digest.number(0);
    }

    /// Mixes in the length of a vector whose elements take `stride` bytes each.
    #[inline]
    pub fn list(&mut self, length: usize, stride: u64) -> Result<(), WalkError> {
        self.spend(4 + length as u64 * stride)?;
        self.digest.number(length as u64);
        Ok(())
    }

    /// Walks a table, which takes at least the four bytes that point to its vtable.
    #[inline]
    pub fn table<T: WalkTable>(&mut self, table: T) -> Result<(), WalkError> {
        self.spend(4)?;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(WalkError::Depth);
        }
        table.walk(self)?;
        self.depth -= 1;
        Ok(())
    }
}

/// A view of a table that can be walked. Implemented by generated code.
pub trait WalkTable {
    /// Touches every field, in the definition's order.
    fn walk(&self, walk: &mut Walk) -> Result<(), WalkError>;
}

/// A payload whose types FlatBuffers can write.
pub trait Types: PayloadTypes<Domain: Lower<Self::Table>> {
    /// planus' owned table, which is built and encoded.
    type Table: WriteAsOffset<Self::Table>
        + for<'a> TryFrom<Self::View<'a>, Error = planus::Error>
        + Lift<Self::Domain>
        + Send;
    /// planus' view of a table in a buffer.
    type View<'a>: ReadAsRoot<'a> + WalkTable + Copy;
    /// The generated schema, as text.
    const FBS: &'static str;
}

/// Implements `flatbuffers/planus`, declared as [`declared::PLANUS`].
#[derive(Debug, Default)]
pub struct Planus;

impl Codec for Planus {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::PLANUS
    }
}

/// The result of decoding: the root, and the buffer's length for the walk.
pub struct Root<'a, V> {
    view: V,
    buffer: &'a [u8],
}

impl<P: Types> CodecFor<P> for Planus {
    type State = Builder;
    type Object = P::Table;
    type Decoded<'a> = Root<'a, P::View<'a>>;

    fn state(&self) -> Result<Builder, Reason> {
        Ok(Builder::new())
    }

    fn build(&self, _: &Builder, value: &P::Domain) -> P::Table {
        value.lower()
    }

    fn encode(&self, builder: &mut Builder, object: &P::Table, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        builder.clear();
        out.extend_from_slice(builder.finish(object, None));
        Ok(())
    }

    fn encode_fresh(&self, _: &mut Builder, object: &P::Table) -> Result<Vec<u8>, EncodeError> {
        Ok(Builder::new().finish(object, None).to_vec())
    }

    fn decode<'a>(&self, _: &Builder, bytes: &'a [u8]) -> Result<Self::Decoded<'a>, DecodeError> {
        let view = P::View::read_as_root(bytes).map_err(|error| self.decode_error(&error))?;
        Ok(Root { view, buffer: bytes })
    }

    fn read(&self, decoded: &Self::Decoded<'_>) -> Result<u64, DecodeError> {
        let mut walk = Walk::over(decoded.buffer);
        walk.table(decoded.view).map_err(|error| self.decode_error(&error))?;
        Ok(walk.digest.value())
    }

    fn lift(&self, decoded: Self::Decoded<'_>) -> Result<P::Domain, DecodeError> {
        // The walk limits what planus' own conversion would copy.
        let mut walk = Walk::over(decoded.buffer);
        walk.table(decoded.view).map_err(|error| self.decode_error(&error))?;
        let table = P::Table::try_from(decoded.view).map_err(|error| self.decode_error(&error))?;
        table.lift().map_err(|error| self.decode_error(&error))
    }
}

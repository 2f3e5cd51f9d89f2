//! What a format of our own implements, and the codec that results from it.

use super::{Fault, MessageInfo, Record};
use crate::codec::{Codec, CodecFor, DecodeError, EncodeError, Reason};
use crate::payload::PayloadTypes;
use crate::touch::digest_of;

/// A format that uses the walk: a type that implements this in addition to [`Codec`] is a codec for every
/// payload.
pub trait RecordFormat: Codec + Default + Send + 'static {
    /// What lives as long as the binding: a hash of the definition, a table.
    type State: Send;

    /// Whether the format can express the message, directly or through stand-ins that its file documents.
    fn carries(_: &'static MessageInfo) -> Result<(), Reason> {
        Ok(())
    }

    /// Creates what lives as long as the binding, outside every clock.
    fn state<M: Record>(&self) -> Result<Self::State, Fault>;

    /// Appends the encoded message to `out`.
    fn write<M: Record>(&self, state: &mut Self::State, message: &M, out: &mut Vec<u8>) -> Result<(), Fault>;

    /// Reads the message; bytes after it are a fault.
    fn read<M: Record>(&self, state: &Self::State, bytes: &[u8]) -> Result<M, Fault>;
}

impl<C: RecordFormat, P: PayloadTypes> CodecFor<P> for C {
    type State = C::State;
    type Object = P::Domain;
    type Decoded<'a> = P::Domain;

    fn carries(&self) -> Result<(), Reason> {
        C::carries(P::Domain::INFO)
    }

    fn state(&self) -> Result<C::State, Reason> {
        RecordFormat::state::<P::Domain>(self).map_err(|fault| Reason(fault.to_string()))
    }

    fn build(&self, _: &C::State, value: &P::Domain) -> P::Domain {
        value.clone()
    }

    #[inline]
    fn encode(&self, state: &mut C::State, object: &P::Domain, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.write(state, object, out).map_err(|fault| self.encode_error(&fault))
    }

    #[inline]
    fn decode(&self, state: &C::State, bytes: &[u8]) -> Result<P::Domain, DecodeError> {
        RecordFormat::read(self, state, bytes).map_err(|fault| self.decode_error(&fault))
    }

    fn read(&self, decoded: &P::Domain) -> Result<u64, DecodeError> {
        Ok(digest_of(decoded))
    }

    fn lift(&self, decoded: P::Domain) -> Result<P::Domain, DecodeError> {
        Ok(decoded)
    }
}

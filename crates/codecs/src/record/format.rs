//! What a format of our own gives, and the codec that comes of it.

use prost_reflect::MessageDescriptor;
use wiredyno_model::Capability;

use super::{Fault, MessageInfo, Record};
use crate::bind::{Binding, Bound};
use crate::codec::{Codec, CodecFor, DecodeError, EncodeError, Reason};
use crate::payload::PayloadTypes;
use crate::registry;
use crate::touch::digest_of;

/// A format that works through the walk: implement this beside [`Codec`], and the type is a codec for every
/// payload.
pub trait RecordFormat: Codec + Default + Send + 'static {
    /// What lives as long as the binding: a hash of the definition, a table.
    type State: Send;

    /// Whether the format can express the message, directly or through stand-ins that its file documents.
    fn carries(_: &'static MessageInfo) -> Result<(), Reason> {
        Ok(())
    }

    /// Makes what lives as long as the binding, outside every clock.
    fn state<M: Record>(&self) -> Result<Self::State, Fault>;

    /// Appends the encoded message.
    fn write<M: Record>(&self, state: &mut Self::State, message: &M, out: &mut Vec<u8>) -> Result<(), Fault>;

    /// Reads the message; bytes behind it are a fault.
    fn read<M: Record>(&self, state: &Self::State, bytes: &[u8]) -> Result<M, Fault>;
}

impl<C: RecordFormat, P: PayloadTypes> CodecFor<P> for C {
    type State = C::State;
    type Object = P::Domain;
    type Decoded<'a> = P::Domain;

    fn carries(&self) -> Result<(), Reason> {
        C::carries(P::Domain::INFO)
    }

    /// All formats of the walk take and give the same objects, so that they share one binding: [`Walked`].
    fn bind(payload: &'static str, descriptor: &MessageDescriptor) -> Result<Box<dyn Bound>, Reason> {
        Walked::<P>::bind(C::default().id(), format::<C, P>, payload, descriptor)
    }

    fn state(&self) -> Result<C::State, Reason> {
        RecordFormat::state::<P::Domain>(self).map_err(|fault| Reason(fault.to_string()))
    }

    fn build(&self, _: &C::State, value: &P::Domain) -> P::Domain {
        value.clone()
    }

    // Merged into the one function behind [`Walk`].
    #[inline(always)]
    fn encode(&self, state: &mut C::State, object: &P::Domain, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.write(state, object, out).map_err(|fault| self.encode_error(&fault))
    }

    #[inline(always)]
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

impl<P: PayloadTypes> CodecFor<P> for Walked<P> {
    type State = Box<dyn Walk<P>>;
    type Object = P::Domain;
    type Decoded<'a> = P::Domain;

    fn state(&self) -> Result<Box<dyn Walk<P>>, Reason> {
        (self.format)()
    }

    fn build(&self, _: &Box<dyn Walk<P>>, value: &P::Domain) -> P::Domain {
        value.clone()
    }

    #[inline(always)]
    fn encode(
        &self,
        walk: &mut Box<dyn Walk<P>>,
        object: &P::Domain,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        walk.encode(object, out)
    }

    #[inline(always)]
    fn decode(&self, walk: &Box<dyn Walk<P>>, bytes: &[u8]) -> Result<P::Domain, DecodeError> {
        walk.decode(bytes)
    }

    fn read(&self, decoded: &P::Domain) -> Result<u64, DecodeError> {
        Ok(digest_of(decoded))
    }

    fn lift(&self, decoded: P::Domain) -> Result<P::Domain, DecodeError> {
        Ok(decoded)
    }
}

/// A format's calls over one payload.
trait Walk<P: PayloadTypes>: Send {
    fn encode(&mut self, message: &P::Domain, out: &mut Vec<u8>) -> Result<(), EncodeError>;

    fn decode(&self, bytes: &[u8]) -> Result<P::Domain, DecodeError>;
}

struct Format<C: RecordFormat> {
    format: C,
    state: C::State,
}

fn format<C: RecordFormat, P: PayloadTypes>() -> Result<Box<dyn Walk<P>>, Reason> {
    let format = C::default();
    let state = CodecFor::<P>::state(&format)?;
    Ok(Box::new(Format { format, state }))
}

impl<C: RecordFormat, P: PayloadTypes> Walk<P> for Format<C> {
    fn encode(&mut self, message: &P::Domain, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        CodecFor::<P>::encode(&self.format, &mut self.state, message, out)
    }

    fn decode(&self, bytes: &[u8]) -> Result<P::Domain, DecodeError> {
        CodecFor::<P>::decode(&self.format, &self.state, bytes)
    }
}

/// Any format of the walk as a codec, by way of a jump through a table: what else a binding takes is compiled once for all
/// of them.
struct Walked<P: PayloadTypes> {
    codec: &'static dyn Codec,
    format: fn() -> Result<Box<dyn Walk<P>>, Reason>,
}

impl<P: PayloadTypes> Walked<P> {
    #[inline(never)]
    fn bind(
        id: &str,
        format: fn() -> Result<Box<dyn Walk<P>>, Reason>,
        payload: &'static str,
        descriptor: &MessageDescriptor,
    ) -> Result<Box<dyn Bound>, Reason> {
        let codec = registry::find(id).map_err(|error| Reason(error.to_string()))?;
        Ok(Box::new(Binding::new(Walked { codec, format }, payload, descriptor)?))
    }
}

impl<P: PayloadTypes> Codec for Walked<P> {
    fn id(&self) -> &'static str {
        self.codec.id()
    }

    fn library(&self) -> (&'static str, &'static str) {
        self.codec.library()
    }

    fn about(&self) -> &'static str {
        self.codec.about()
    }

    fn capabilities(&self) -> &'static [Capability] {
        self.codec.capabilities()
    }

    fn one_call(&self) -> Result<(), Reason> {
        self.codec.one_call()
    }
}

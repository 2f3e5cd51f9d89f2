//! CBOR (RFC 8949) with ciborium.
//!
//! Maps with field names, absent fields left out, enums as their names, bytes as byte strings. ciborium
//! shortens floats where that loses nothing, as RFC 8949's preferred serialization does.

use wiredyno_model::Capability;

use crate::codec::{BindError, Codec, CodecFor, DecodeError, EncodeError};
use crate::convert::{Lift, Lower};
use crate::named::Types;
use crate::touch::digest_of;

/// Nesting of the input is refused past this depth; each level costs stack.
const MAX_DEPTH: usize = 128;

/// `cbor/ciborium`.
#[derive(Debug, Default)]
pub struct Ciborium;

impl Codec for Ciborium {
    fn id(&self) -> &'static str {
        "cbor/ciborium"
    }

    fn library(&self) -> (&'static str, &'static str) {
        ("ciborium", env!("WIREDYNO_VERSION_CIBORIUM"))
    }

    fn about(&self) -> &'static str {
        "Maps with field names, absent fields left out, floats in the shortest exact width. Build clones into \
         serde structs; encode writes; decode validates UTF-8 and types and allocates every string; read walks structs."
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

impl<P: Types> CodecFor<P> for Ciborium {
    type State = ();
    type Object = P::Omitting;
    type Decoded<'a> = P::Omitting;

    fn state(&self) -> Result<(), BindError> {
        Ok(())
    }

    fn build(&self, (): &(), value: &P::Domain) -> P::Omitting {
        value.lower()
    }

    fn encode(&self, (): &mut (), object: &P::Omitting, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        ciborium::into_writer(object, out).map_err(|error| self.encode_error(&error))
    }

    fn decode(&self, (): &(), bytes: &[u8]) -> Result<P::Omitting, DecodeError> {
        ciborium::de::from_reader_with_recursion_limit(bytes, MAX_DEPTH)
            .map_err(|error| self.decode_error(&error))
    }

    fn read(&self, decoded: &P::Omitting) -> Result<u64, DecodeError> {
        Ok(digest_of(decoded))
    }

    fn lift(&self, decoded: P::Omitting) -> Result<P::Domain, DecodeError> {
        decoded.lift().map_err(|error| self.decode_error(&error))
    }
}

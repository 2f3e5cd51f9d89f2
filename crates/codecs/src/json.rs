//! JSON (RFC 8259) as people write it, with serde_json.
//!
//! Compact, field names as in message.proto, numbers as numbers (64-bit ones too), enums as their names,
//! bytes as base64 text, map keys as text, absent optional fields left out, all others written.
//! NaN and infinities have no JSON form: serde_json writes null, which the round trip then refuses.

use wiredyno_model::Capability;

use crate::codec::{BindError, Codec, CodecFor, DecodeError, EncodeError};
use crate::convert::{Lift, Lower};
use crate::named::Types;
use crate::touch::digest_of;

/// `json/serde-json`.
#[derive(Debug, Default)]
pub struct SerdeJson;

impl Codec for SerdeJson {
    fn id(&self) -> &'static str {
        "json/serde-json"
    }

    fn library(&self) -> (&'static str, &'static str) {
        ("serde_json", env!("WIREDYNO_VERSION_SERDE_JSON"))
    }

    fn about(&self) -> &'static str {
        "Compact JSON, numbers as numbers, bytes as base64. Build clones into serde structs; encode is \
         to_writer/to_vec; decode parses, validates UTF-8 and types, and allocates every string; read walks structs."
    }

    fn capabilities(&self) -> &'static [Capability] {
        &[
            Capability::SelfDescribing,
            Capability::HumanReadable,
            Capability::BytesAsBase64,
            Capability::ValidatesUtf8,
            Capability::ReusesBuffers,
            Capability::Canonical,
        ]
    }
}

impl<P: Types> CodecFor<P> for SerdeJson {
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
        serde_json::to_writer(out, object).map_err(|error| self.encode_error(&error))
    }

    fn encode_fresh(&self, (): &mut (), object: &P::Omitting) -> Result<Vec<u8>, EncodeError> {
        serde_json::to_vec(object).map_err(|error| self.encode_error(&error))
    }

    fn decode(&self, (): &(), bytes: &[u8]) -> Result<P::Omitting, DecodeError> {
        serde_json::from_slice(bytes).map_err(|error| self.decode_error(&error))
    }

    fn read(&self, decoded: &P::Omitting) -> Result<u64, DecodeError> {
        Ok(digest_of(decoded))
    }

    fn lift(&self, decoded: P::Omitting) -> Result<P::Domain, DecodeError> {
        decoded.lift().map_err(|error| self.decode_error(&error))
    }
}

//! `raw`: the unchanged bytes of a payload that has only one string or bytes field. The floor that every format is compared to.

pub mod declared;

use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::{Codec, CodecFor, DecodeError, EncodeError, Reason};
use wiredyno_codec::payload::PayloadTypes;
use wiredyno_codec::touch::{Digest, Touch};

/// A field that is its own encoding.
pub trait RawField: Sized + Touch {
    /// The bytes of the field, unchanged.
    fn as_bytes(&self) -> &[u8];

    /// The field from its bytes; text must be UTF-8.
    fn from_bytes(bytes: &[u8]) -> Result<Self, std::str::Utf8Error>;
}

impl RawField for String {
    fn as_bytes(&self) -> &[u8] {
        self.as_bytes()
    }

    fn from_bytes(bytes: &[u8]) -> Result<String, std::str::Utf8Error> {
        std::str::from_utf8(bytes).map(str::to_owned)
    }
}

impl RawField for Vec<u8> {
    fn as_bytes(&self) -> &[u8] {
        self
    }

    fn from_bytes(bytes: &[u8]) -> Result<Vec<u8>, std::str::Utf8Error> {
        Ok(bytes.to_vec())
    }
}

/// Says which payloads can be sent unchanged.
pub trait Types: PayloadTypes {
    /// The bytes of the only field; `None` where the payload has more fields, or one of another type.
    fn raw_bytes(value: &Self::Domain) -> Option<&[u8]>;

    /// The value of these bytes; `None` where the payload has more fields, or one of another type.
    fn from_raw_bytes(bytes: &[u8]) -> Option<Result<Self::Domain, std::str::Utf8Error>>;

    /// Why the payload can't be sent unchanged; `None` if it can.
    const WHY_NOT_RAW: Option<&'static str>;
}

/// Implements `raw/wiredyno`, declared as [`declared::RAW`].
#[derive(Debug, Default)]
pub struct Raw;

impl Codec for Raw {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::RAW
    }
}

impl<P: Types> CodecFor<P> for Raw {
    type State = ();
    type Object = Vec<u8>;
    type Decoded<'a> = P::Domain;

    fn carries(&self) -> Result<(), Reason> {
        P::WHY_NOT_RAW.map_or(Ok(()), |reason| Err(Reason(reason.to_owned())))
    }

    fn state(&self) -> Result<(), Reason> {
        Ok(())
    }

    fn build(&self, (): &(), value: &P::Domain) -> Vec<u8> {
        P::raw_bytes(value).unwrap_or_default().to_vec()
    }

    fn encode(&self, (): &mut (), object: &Vec<u8>, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        out.extend_from_slice(object);
        Ok(())
    }

    fn decode(&self, (): &(), bytes: &[u8]) -> Result<P::Domain, DecodeError> {
        match P::from_raw_bytes(bytes) {
            Some(value) => value.map_err(|error| self.decode_error(&error)),
            None => Err(self.decode_error(&P::WHY_NOT_RAW.unwrap_or("the payload has other fields"))),
        }
    }

    fn read(&self, decoded: &P::Domain) -> Result<u64, DecodeError> {
        let mut digest = Digest::default();
        decoded.touch(&mut digest);
        Ok(digest.value())
    }

    fn lift(&self, decoded: P::Domain) -> Result<P::Domain, DecodeError> {
        Ok(decoded)
    }
}

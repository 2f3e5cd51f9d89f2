//! ASN.1 with the library rasn: unaligned and aligned PER (X.691), OER (X.696) and DER (X.690) of the module that
//! `wiredyno_schema::idl::asn1` writes.
//!
//! rasn's derive macros would take minutes for messages with hundreds of optional members, and would need objects of
//! their own. Instead its `Encode` and `Decode` are implemented here once, by the walk over domain values: each member
//! makes the same call to rasn's encoder or decoder that a derive would generate, with constant tags and constraints.
//! So the object is the domain value, `build` clones it, and all encoding rules are rasn's. Our own UPER shares
//! nothing with this except `wiredyno_codec::asn1`.
//!
//! Limits: rasn refuses nesting deeper than 128; enums of more than [`bounds::MAX_VALUES`] values and oneofs of more
//! alternatives are not carried.

pub mod bounds;
pub mod declared;
mod info;
mod read;
mod write;

use rasn::error::{DecodeError, EncodeError};
use wiredyno_contract::DeclaredCodec;

use info::Members;
use wiredyno_codec::codec::{Codec, Reason};
use wiredyno_codec::record::{Fault, MessageInfo, Record, RecordFormat};

fn written(result: Result<(), EncodeError>) -> Result<(), Fault> {
    result.map_err(Fault::other)
}

fn read_whole<M>(result: Result<(Members<M>, &[u8]), DecodeError>) -> Result<M, Fault> {
    match result {
        Ok((message, [])) => Ok(message.into_message()),
        Ok((_, rest)) => Err(Fault::other(format_args!("{} octets are left after the message", rest.len()))),
        Err(error) => Err(Fault::other(error)),
    }
}

/// One codec for each set of encoding rules; `rasn::$rules` has the functions.
macro_rules! codec {
    ($name:ident, $id:literal, $declared:ident, $rules:ident) => {
        #[doc = concat!("`", $id, "`.")]
        #[derive(Debug, Default)]
        pub struct $name;

        impl Codec for $name {
            fn declared(&self) -> &'static DeclaredCodec {
                &declared::$declared
            }
        }

        impl RecordFormat for $name {
            type State = ();

            fn carries(message: &'static MessageInfo) -> Result<(), Reason> {
                bounds::carries(message)
            }

            fn state<M: Record>(&self) -> Result<(), Fault> {
                Ok(())
            }

            fn write<M: Record>(&self, (): &mut (), message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
                written(::rasn::$rules::encode_buf(Members::of(message), out))
            }

            fn read<M: Record>(&self, (): &(), bytes: &[u8]) -> Result<M, Fault> {
                read_whole(::rasn::$rules::decode_with_remainder::<Members<M>>(bytes))
            }
        }
    };
}

codec!(Uper, "asn1-uper/rasn", UPER, uper);
codec!(Aper, "asn1-aper/rasn", APER, aper);
codec!(Oer, "asn1-oer/rasn", OER, oer);
codec!(Coer, "asn1-oer/rasn:canonical", COER, coer);
codec!(Der, "asn1-der/rasn", DER, der);

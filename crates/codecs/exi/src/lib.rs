//! EXI 1.0, schema-informed and bit-packed.
//!
//! Source: W3C, "Efficient XML Interchange (EXI) Format 1.0 (Second Edition)", 2014. The schema is the one that `wiredyno schema
//! translate` gives as `xsd`, or as `xsd-merged` for the variants of that name; checked against EXIficient, whose grammars come from the
//! same schema, byte for byte in both directions. For well-known types and wrappers, which `xsd` maps to the texts and values of XML,
//! EXI writes the fields.
//!
//! Choices: no cookie, no options in the header (both sides know them), one document, values by their types (no
//! lexical preservation), unbounded string tables. `strict` allows what the schema says and nothing else; `default`
//! is the default fidelity: grammars keep an escape code at every place, for content that the schema does not have.
//! It is used for elements of texts and bytes that are empty, which end without characters; any other content of
//! that kind is refused.
//!
//! Floats are decimal in EXI, with the fewest digits that give the same value back; minus zero becomes zero. Characters that
//! XML 1.0 forbids are written like any other. What a document may expand to is bounded: repeated strings by 4 Mi characters
//! and 32 per byte of input, nesting by [`Depth`](wiredyno_codec::record::Depth), the rest by the bits that each element takes.

pub mod bits;
pub mod declared;
pub mod float;
pub mod grammar;
mod reader;
pub mod text;
pub mod writer;

use wiredyno_contract::DeclaredCodec;

use reader::Input;
use text::Strings;
use wiredyno_codec::codec::Codec;
use wiredyno_codec::record::{Fault, Record, RecordFormat};
use writer::Document;

/// Distinguishing bits `10`, no options, final version 1 (section 5).
const HEADER: u32 = 0x80;

macro_rules! variant {
    ($(#[$doc:meta])* $codec:ident, $declared:ident, strict: $strict:literal, merged: $merged:literal) => {
        $(#[$doc])*
        #[derive(Debug, Default)]
        pub struct $codec;

        impl Codec for $codec {
            fn declared(&self) -> &'static DeclaredCodec {
                &declared::$declared
            }
        }

        impl RecordFormat for $codec {
            type State = Strings;

            fn state<M: Record>(&self) -> Result<Strings, Fault> {
                Ok(Strings::default())
            }

            #[inline(always)]
            fn write<M: Record>(&self, strings: &mut Strings, message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
                let mut document = Document::<$strict, $merged>::new(strings, out);
                message.write(&mut document)?;
                document.finish();
                Ok(())
            }

            #[inline(always)]
            fn read<M: Record>(&self, _: &Strings, bytes: &[u8]) -> Result<M, Fault> {
                let mut input = Input::<$strict, $merged>::new(bytes);
                input.header()?;
                let message = M::read(&mut input)?;
                input.finish()?;
                Ok(message)
            }
        }
    };
}

variant!(
    /// Implements `exi/wiredyno:strict`, declared as [`declared::STRICT`].
    Strict, STRICT, strict: true, merged: false
);
variant!(
    /// Implements `exi/wiredyno:default`, declared as [`declared::DEFAULT_FIDELITY`].
    DefaultFidelity, DEFAULT_FIDELITY, strict: false, merged: false
);
variant!(
    /// Implements `exi/wiredyno:strict-merged`, declared as [`declared::STRICT_MERGED`].
    StrictMerged, STRICT_MERGED, strict: true, merged: true
);
variant!(
    /// Implements `exi/wiredyno:default-merged`, declared as [`declared::DEFAULT_FIDELITY_MERGED`].
    DefaultFidelityMerged, DEFAULT_FIDELITY_MERGED, strict: false, merged: true
);

//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Objects, SerdeStyle};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&BITCODE];

/// Declares `bitcode/bitcode`, which the type `Bitcode` implements.
pub static BITCODE: DeclaredCodec = DeclaredCodec::new(
    "bitcode/bitcode",
    "wiredyno-codec-bitcode",
    "Bitcode",
)
.library("bitcode")
.about(
    "Through serde. Build clones into serde structs; encode fills columns, packs and copies them out; decode \
         unpacks, validates UTF-8 and allocates every string; read walks structs.",
)
.capabilities(&[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::Canonical])
.objects(Objects::Serde(SerdeStyle::Complete));

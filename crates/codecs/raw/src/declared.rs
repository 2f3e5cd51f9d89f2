//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Objects};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&RAW];

/// Declares `raw/wiredyno`, which the type `Raw` implements.
pub static RAW: DeclaredCodec = DeclaredCodec::new("raw/wiredyno", "wiredyno-codec-raw", "Raw")
    .about("The only field's bytes as they stand. Build clones them; encode copies them; decode checks UTF-8 of text and \
         copies; read walks them.")
    .capabilities(&[
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ])
    .objects(Objects::Raw)
    .size_known();

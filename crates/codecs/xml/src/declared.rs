//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&QUICK_XML];

/// Declares `xml/quick-xml`, which the type `QuickXml` implements.
pub static QUICK_XML: DeclaredCodec = DeclaredCodec::new("xml/quick-xml", "wiredyno-codec-xml", "QuickXml")
    .library("quick-xml")
    .about("Compact XML without declaration, one element per value, bytes as base64. Build clones the value; encode writes \
         events and escapes; decode reads events, validates UTF-8, names and types, and allocates every string; read \
         walks structs.")
    .capabilities(&[
        Capability::SelfDescribing,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
        Capability::HumanReadable,
        Capability::BytesAsBase64,
    ])
    .size_known();

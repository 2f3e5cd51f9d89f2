//! What is known about these codecs without compiling them.

use wiredyno_contract::{Capability, DeclaredCodec};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&PLAIN, &PACKED];

/// Declares `capnproto/capnp`, which the type `Plain` implements.
pub static PLAIN: DeclaredCodec = DeclaredCodec::new("capnproto/capnp", "wiredyno-codec-capnproto", "Plain")
    .library("capnp")
    .about("Plain stream framing. Build clones the value; encode fills a message builder and copies its segments out; \
         decode finds the segments; read walks the buffer, checking pointers and UTF-8 at each access.")
    .capabilities(&[
        Capability::ZeroCopy,
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
    ])
    .size_known();

/// Declares `capnproto/capnp:packed`, which the type `Packed` implements.
pub static PACKED: DeclaredCodec = DeclaredCodec::new("capnproto/capnp:packed", "wiredyno-codec-capnproto", "Packed")
    .library("capnp")
    .about("Packed stream framing. Build clones the value; encode fills a message builder and packs its segments; decode \
         unpacks them; read walks the result, checking pointers and UTF-8 at each access.")
    .capabilities(&[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::ReusesBuffers])
    .size_known();

//! What the program and reports know of this transport; needs no client library.

use wiredyno_contract::{Addresses, Capability, DeclaredTransport, Security, WireFormat};

/// The largest body, in bytes; a larger length indicates a stream that is not ours.
pub const BODY_LIMIT_BYTES: u32 = 256 << 20;

/// The declaration. The relay has no default port.
pub static DECLARED: DeclaredTransport =
    DeclaredTransport::new("tcp", "wiredyno", "wiredyno-transport-tcp", |_, _| {
        Some(env!("CARGO_PKG_VERSION"))
    })
    .addresses(Addresses::clear(&["tcp"], None))
    .format(WireFormat::Plain)
    .received_at("the last byte of the message")
    .sent_at("the kernel has accepted the last byte of the message, and of those due by then")
    .securities(&[Security::None, Security::Tls, Security::Mtls])
    .limit_bytes(BODY_LIMIT_BYTES as u64)
    .capabilities(&[Capability::Ordered, Capability::Reliable, Capability::Brokerless]);

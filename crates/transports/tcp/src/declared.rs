//! What the program and reports know of this transport; needs no client library.

use wiredyno_contract::{
    Addresses, BodyLimit, Capability, Security, TransportDescription, TransportId, WireFormat,
};

/// The package that implements it.
pub const PACKAGE: &str = "wiredyno-transport-tcp";

/// How addresses are written. The relay has no port of its own.
pub const ADDRESSES: Addresses = Addresses::clear(&["tcp"], None);

/// The largest body, in bytes; a longer length is taken for a stream that is not ours.
pub const BODY_LIMIT_BYTES: u32 = 256 << 20;

/// What it is.
pub fn description() -> TransportDescription {
    TransportDescription {
        id: TransportId { protocol: "tcp".into(), implementation: "wiredyno".into() },
        library: "wiredyno".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        server: None,
        settings: Vec::new(),
        options: Vec::new(),
        format: Some(WireFormat::Plain),
        received_at: "the last byte of the message".into(),
        sent_at: "the kernel has accepted the last byte of the message, and of those due by then".into(),
        securities: vec![Security::None, Security::Tls, Security::Mtls],
        security_note: String::new(),
        limit: Some(BodyLimit::of(BODY_LIMIT_BYTES)),
        capabilities: vec![Capability::Ordered, Capability::Reliable, Capability::Brokerless],
    }
}

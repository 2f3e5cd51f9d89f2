//! What the program and reports know of this transport; needs no client library.

use wiredyno_contract::{Addresses, BodyLimit, Capability, TransportDescription, TransportId, WireFormat};

/// The package that implements it.
pub const PACKAGE: &str = "wiredyno-transport-udp";

/// How addresses are written. The relay has no port of its own.
pub const ADDRESSES: Addresses = Addresses::clear(&["udp"], None);

/// The largest body: 65,535 bytes of an IPv4 packet less its header of 20 (RFC 791) and the UDP header of 8
/// (RFC 768).
pub const BODY_LIMIT_BYTES: u16 = 65_507;

/// What it is.
pub fn description() -> TransportDescription {
    TransportDescription {
        id: TransportId { protocol: "udp".into(), implementation: "wiredyno".into() },
        library: "wiredyno".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        server: None,
        settings: Vec::new(),
        options: Vec::new(),
        format: Some(WireFormat::Plain),
        received_at: "the datagram".into(),
        sent_at: "the kernel has accepted the datagram, and those due by then".into(),
        securities: TransportDescription::in_the_clear(),
        security_note: String::new(),
        limit: Some(BodyLimit::of(BODY_LIMIT_BYTES)),
        capabilities: vec![Capability::MayDuplicate, Capability::Brokerless, Capability::Datagram],
    }
}

//! What the program and reports know of this transport; needs no client library.

use wiredyno_contract::{Addresses, Capability, DeclaredTransport, WireFormat};

/// The largest body: 65,535 bytes of an IPv4 packet less its header of 20 (RFC 791) and the UDP header of 8
/// (RFC 768).
pub const BODY_LIMIT_BYTES: u16 = 65_507;

/// The declaration. The relay has no default port.
pub static DECLARED: DeclaredTransport =
    DeclaredTransport::new("udp", "wiredyno", "wiredyno-transport-udp", |_, _| {
        Some(env!("CARGO_PKG_VERSION"))
    })
    .addresses(Addresses::clear(&["udp"], None))
    .format(WireFormat::Plain)
    .received_at("the datagram")
    .sent_at("the kernel has accepted the datagram, and those due by then")
    .limit_bytes(BODY_LIMIT_BYTES as u64)
    .capabilities(&[Capability::MayDuplicate, Capability::Brokerless, Capability::Datagram]);

//! The transports that there are: one folder a protocol, a line each in [`REGISTRY`].
//!
//! A protocol's folder is a package of its own, `wiredyno-transport-<protocol>`, hyphens included, which exports
//! `TRANSPORT: &dyn wiredyno_transport::Transport`. Its `src/declared.rs` says what it is and needs no client library.
//! That file is compiled there and here, so that the program knows all transports without compiling their libraries,
//! and nothing is said twice; a runner compiles the packages that it was composed of.
//!
//! `addresses` there says how its server's address is written, and `securities` how it encrypts, where it does: if it
//! can do without, the package has a cargo feature `tls`, without which it is compiled without and refuses to encrypt.
//!
//! What it needs of the machine stands there too, in `needs`, or in `encrypts_with` where only its encryption does.
//!
//! A protocol may have several: a mode means the first of them, and another where it names it (`dds/cyclonedds:reliable`). They have one name of
//! the protocol, and the same settings and options.
//!
//! Limits: one implementation a folder; a folder's file `declared.rs` may use `wiredyno-contract`, `wiredyno-versions`,
//! `wiredyno-dds` and the standard library alone.

use wiredyno_contract::{DeclaredTransport, TransportDescription, TransportId};

/// Compiles the declarations in the folders of these protocols, and lists them in the order given.
macro_rules! registry {
    ($($protocol:ident: $declared:literal,)*) => {
        $(
            #[path = $declared]
            #[allow(dead_code, reason = "some of a declaration is read by its implementation alone")]
            mod $protocol;
        )*

        /// Every transport.
        pub static REGISTRY: &[&DeclaredTransport] = &[$(&$protocol::DECLARED),*];
    };
}

registry! {
    amqp_0_9_1: "../amqp-0-9-1/src/declared.rs",
    amqp_1_0: "../amqp-1-0/src/declared.rs",
    coap: "../coap/src/declared.rs",
    dds: "../dds/src/declared.rs",
    dds_cyclonedds: "../dds-cyclonedds/src/declared.rs",
    kafka: "../kafka/src/declared.rs",
    mqtt: "../mqtt/src/declared.rs",
    mqtt5: "../mqtt5/src/declared.rs",
    quic: "../quic/src/declared.rs",
    tcp: "../tcp/src/declared.rs",
    udp: "../udp/src/declared.rs",
}

/// The transport with this id.
pub fn find(id: &TransportId) -> Option<&'static DeclaredTransport> {
    REGISTRY.iter().copied().find(|transport| transport.is(id))
}

/// The transport that is used for a protocol: the first in the registry.
pub fn of_protocol(protocol: &str) -> Option<&'static DeclaredTransport> {
    REGISTRY.iter().copied().find(|known| known.protocol == protocol)
}

/// What all transports declare, in the order of the registry.
pub fn descriptions() -> Vec<TransportDescription> {
    REGISTRY.iter().map(|transport| transport.describe()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_addresses_in_the_docs_is_what_is_declared() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/FORMAT.md");
        let text = std::fs::read_to_string(path).unwrap();
        let table = text.split("## A broker by address").nth(1).unwrap().split("\n## ").next().unwrap();
        for DeclaredTransport { protocol, addresses, .. } in REGISTRY {
            let row = table.lines().find(|line| {
                line.starts_with("| ") && line.split('|').nth(1).unwrap().contains(&format!("`{protocol}`"))
            });
            let row = row.unwrap_or_else(|| panic!("no row for {protocol}"));
            for scheme in [Some(addresses.clear), addresses.tls].into_iter().flatten() {
                let words = scheme.words.iter().map(|word| format!("`{word}://`"));
                for part in words.chain(scheme.port.map(|port| port.to_string())) {
                    assert!(row.contains(&part), "{protocol}: {part} is missing in {row}");
                }
            }
        }
    }
}

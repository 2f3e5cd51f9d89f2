//! What the program and reports know of this transport; needs no client library.

use wiredyno_contract::{Addresses, TransportDescription};

/// The package that implements it.
pub const PACKAGE: &str = "wiredyno-transport-dds";

/// How addresses are written: not at all, as there are no servers.
pub const ADDRESSES: Addresses = Addresses::NONE;

/// What it is.
pub fn description() -> TransportDescription {
    let description = wiredyno_dds::description(
        "rustdds",
        wiredyno_versions::of(PACKAGE, "rustdds").unwrap_or_default(),
        &[wiredyno_dds::FRAGMENT_SIZE, wiredyno_dds::ANNOUNCEMENT_INTERVAL, wiredyno_dds::WRITE_BATCH],
        "the complete sample, after all before it, as the reader hands it over: in reliable, samples after a gap wait for its \
         repair",
        "the writer has put the sample into its history; a thread of the library sends it",
    );
    TransportDescription {
        security_note: "the client RustDDS is compiled without its feature for DDS Security, which brings OpenSSL and PKCS #11; \
                        `dds/cyclonedds` has it"
            .into(),
        ..description
    }
}

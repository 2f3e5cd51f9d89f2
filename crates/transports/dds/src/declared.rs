//! What the program and reports know of this transport; needs no client library.

use wiredyno_contract::DeclaredTransport;

/// The declaration of the client.
pub static DECLARED: DeclaredTransport =
    wiredyno_dds::declared("rustdds", "wiredyno-transport-dds", wiredyno_versions::of)
        .options(|| {
            wiredyno_dds::options(&[
                wiredyno_dds::FRAGMENT_SIZE,
                wiredyno_dds::ANNOUNCEMENT_INTERVAL,
                wiredyno_dds::WRITE_BATCH,
            ])
        })
        .received_at(
            "the complete sample, after all before it, as the reader hands it over: in reliable, samples after a gap wait for its \
             repair",
        )
        .sent_at("the writer has put the sample into its history; a thread of the library sends it")
        .security_note(
            "the client RustDDS is compiled without its feature for DDS Security, which brings OpenSSL and PKCS #11; \
             `dds/cyclonedds` has it",
        );

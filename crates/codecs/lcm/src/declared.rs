//! What is known about these codecs without compiling them.

use wiredyno_contract::{Capability, DeclaredCodec};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&LCM, &LCM_UDP];

const CAPABILITIES: &[Capability] =
    &[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::ReusesBuffers, Capability::Canonical];

/// Declares `lcm/wiredyno`, which the type `Lcm` implements.
pub static LCM: DeclaredCodec = DeclaredCodec::new("lcm/wiredyno", "wiredyno-codec-lcm", "Lcm")
    .about("Fingerprint and body, as lcm-gen's encode lays them out; no unsigned integers: wider signed ones stand in. \
         Build clones the value; encode writes; decode checks fingerprint, lengths and UTF-8 and allocates every \
         string; read walks structs.")
    .capabilities(CAPABILITIES)
    .size_known();

/// Declares `lcm/wiredyno:udp`, which the type `LcmUdp` implements.
pub static LCM_UDP: DeclaredCodec = DeclaredCodec::new("lcm/wiredyno:udp", "wiredyno-codec-lcm", "LcmUdp")
    .about("As lcm/wiredyno, preceded by the header of an LCM datagram: magic LC02, sequence number (always 0 here), and the \
         message's name as the channel.")
    .capabilities(CAPABILITIES)
    .size_known();

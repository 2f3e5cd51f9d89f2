//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Objects};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&APACHE_AVRO];

/// Declares `avro/apache-avro`, which the type `ApacheAvro` implements.
pub static APACHE_AVRO: DeclaredCodec = DeclaredCodec::new("avro/apache-avro", "wiredyno-codec-avro", "ApacheAvro")
    .library("apache-avro")
    .about("Plain datum, reader's schema equal to the writer's. Build clones into serde structs; encode and decode walk \
         the schema; decode validates UTF-8 and allocates every string; read walks structs.")
    .capabilities(&[
        Capability::SchemaDriven,
        Capability::ValidatesUtf8,
        Capability::ReusesBuffers,
        Capability::Canonical,
    ])
    .objects(Objects::Avro)
    .size_known();

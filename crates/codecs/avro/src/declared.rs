//! What is known about this codec without compiling it.

use wiredyno_contract::{Capability, DeclaredCodec, Objects};

/// Every codec of this crate, for the registry.
pub static CODECS: &[&DeclaredCodec] = &[&APACHE_AVRO, &CONFLUENT];

/// The fairness labels that all codecs here have.
const CAPABILITIES: &[Capability] =
    &[Capability::SchemaDriven, Capability::ValidatesUtf8, Capability::ReusesBuffers, Capability::Canonical];

/// Declares `avro/apache-avro`, which the type `ApacheAvro` implements.
pub static APACHE_AVRO: DeclaredCodec = DeclaredCodec::new("avro/apache-avro", "wiredyno-codec-avro", "ApacheAvro")
    .library("apache-avro")
    .about("Plain datum, reader's schema equal to the writer's. Build clones into serde structs; encode and decode walk \
         the schema; decode validates UTF-8 and allocates every string; read walks structs.")
    .capabilities(CAPABILITIES)
    .objects(Objects::Avro)
    .size_known();

/// Declares `avro/apache-avro:confluent`, which the type `Confluent` implements.
pub static CONFLUENT: DeclaredCodec = DeclaredCodec::new("avro/apache-avro:confluent", "wiredyno-codec-avro", "Confluent")
    .library("apache-avro")
    .about("As avro/apache-avro, behind the five bytes of Confluent's schema registry: encode writes a zero and the schema's id, decode looks the id up \
         among known schemas. No registry is asked; the writer's schema is the reader's.")
    .capabilities(CAPABILITIES)
    .objects(Objects::Avro)
    .size_known();

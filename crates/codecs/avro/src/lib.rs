//! Avro 1.11 binary encoding (a datum without container or fingerprint), by apache-avro.
//!
//! The schema is lowered from message.proto: optional fields are unions `["null", T]` with default null,
//! unsigned 32-bit integers are long, unsigned 64-bit ones are long with their bits kept (Avro has no
//! unsigned types), maps with other than text keys are arrays of {key, value} records, members of a oneof
//! are optional fields. Writer's and reader's schema are the same.
//!
//! The variant `confluent` has the framing of a schema registry before the datum ([`wiredyno_codec::confluent`]).
//!
//! Schemas are kept for the life of the process, a few kilobytes per binding: the library's readers and
//! writers borrow from them.

pub mod declared;

use apache_avro::Schema;
use apache_avro::reader::datum::GenericDatumReader;
use apache_avro::writer::datum::GenericDatumWriter;
use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::{Codec, CodecFor, DecodeError, EncodeError, Reason};
use wiredyno_codec::confluent::Framing;
use wiredyno_codec::confluent_codec;
use wiredyno_codec::convert::{Lift, Lower};
use wiredyno_codec::payload::PayloadTypes;
use wiredyno_codec::serde_objects::Object;
use wiredyno_codec::touch::digest_of;

/// The most that apache-avro may allocate for one string, byte string or collection because of a length in the
/// input. The library accepts this setting once per process.
const MAX_ALLOCATION_BYTES: usize = 16 << 20;

/// A payload whose types Avro can write.
pub trait Types: PayloadTypes<Domain: Lower<Self::Record>> {
    /// The object for serde, in the shape of the schema.
    type Record: Object<Self::Domain>;
    /// The schema, as JSON text.
    const AVSC: &'static str;
}

/// Implements `avro/apache-avro`, declared as [`declared::APACHE_AVRO`].
#[derive(Debug, Default)]
pub struct ApacheAvro;

impl Codec for ApacheAvro {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::APACHE_AVRO
    }
}

/// Implements `avro/apache-avro:confluent`, declared as [`declared::CONFLUENT`].
#[derive(Debug, Default)]
pub struct Confluent;

impl Codec for Confluent {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::CONFLUENT
    }
}

confluent_codec!(Confluent, ApacheAvro, |_| Framing::new());

/// A schema as apache-avro needs it, resolved once.
pub struct ApacheState {
    writer: GenericDatumWriter<'static>,
    reader: GenericDatumReader<'static>,
}

impl<P: Types> CodecFor<P> for ApacheAvro {
    type State = ApacheState;
    type Object = P::Record;
    type Decoded<'a> = P::Record;

    fn state(&self) -> Result<ApacheState, Reason> {
        let refused = |error: apache_avro::Error| Reason(error.to_string());
        apache_avro::util::max_allocation_bytes(MAX_ALLOCATION_BYTES);
        let schema: &'static Schema = Box::leak(Box::new(Schema::parse_str(P::AVSC).map_err(refused)?));
        Ok(ApacheState {
            writer: GenericDatumWriter::builder(schema).human_readable(false).build().map_err(refused)?,
            reader: GenericDatumReader::builder(schema).human_readable(false).build().map_err(refused)?,
        })
    }

    fn build(&self, _: &ApacheState, value: &P::Domain) -> P::Record {
        value.lower()
    }

    fn encode(
        &self,
        state: &mut ApacheState,
        object: &P::Record,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        state.writer.write_ser(out, object).map(|_| ()).map_err(|error| self.encode_error(&error))
    }

    fn decode(&self, state: &ApacheState, bytes: &[u8]) -> Result<P::Record, DecodeError> {
        state.reader.read_deser(&mut &*bytes).map_err(|error| self.decode_error(&error))
    }

    fn read(&self, decoded: &P::Record) -> Result<u64, DecodeError> {
        Ok(digest_of(decoded))
    }

    fn lift(&self, decoded: P::Record) -> Result<P::Domain, DecodeError> {
        decoded.lift().map_err(|error| self.decode_error(&error))
    }
}

//! Avro 1.11 binary encoding with static code, for comparison with libraries that walk a schema at run time.
//!
//! Source: the Avro 1.11.1 specification, "Binary Encoding". Schema, stand-ins and bytes are those of
//! `avro/apache-avro` (see `avro`); the schema is known at compile time and nothing in it is looked up. Lists
//! and maps are written as one block without its size in bytes; readers accept several, with or without.
//!
//! Against hostile input: a list claims no more elements than bytes are left (records without fields, which take
//! none, at most 65,536), and records nest at most 128 deep.

pub mod declared;

mod reader;
mod writer;

use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::Codec;
use wiredyno_codec::cursor::Cursor;
use wiredyno_codec::record::{Depth, Fault, Record, RecordFormat};

use self::reader::Input;
use self::writer::Datum;

/// Implements `avro/wiredyno`, declared as [`declared::STATIC`].
#[derive(Debug, Default)]
pub struct Static;

impl Codec for Static {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::STATIC
    }
}

impl RecordFormat for Static {
    type State = ();

    fn state<M: Record>(&self) -> Result<(), Fault> {
        Ok(())
    }

    fn write<M: Record>(&self, (): &mut (), message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        message.write(&mut Datum { out })
    }

    fn read<M: Record>(&self, (): &(), bytes: &[u8]) -> Result<M, Fault> {
        let mut input = Input { cursor: Cursor::new(bytes), depth: Depth::default() };
        let message = M::read(&mut input)?;
        input.cursor.finish()?;
        Ok(message)
    }
}

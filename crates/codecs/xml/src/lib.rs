//! XML 1.0 (fifth edition) through quick-xml's events, valid against the schema that `wiredyno schema translate`
//! gives as `xsd`.
//!
//! Compact, without declaration, attributes or namespaces: elements named and ordered as in message.proto, absent optional fields left out,
//! lists as repeated elements, maps as elements with key and value, bytes as base64, enums as their names. Well-known types are the texts of
//! proto3's JSON mapping, of which a timestamp's is XML Schema's `dateTime`; a wrapper's element has only its value. `Struct`, `Value` and
//! `ListValue` keep their elements, because XML does not distinguish kinds of values. Floats have the fewest digits that give the same value
//! back; `INF`, `-INF` and `NaN` are XML Schema's names. Characters that XML 1.0 forbids (most controls, U+FFFE, U+FFFF) can't be written
//! and are refused, even as references. Readers skip comments, processing instructions, attributes and white space between elements, know
//! the five predefined entities and character references, and refuse document types.

pub mod characters;
pub mod declared;

mod reader;
mod writer;

use quick_xml::Reader as Events;
use quick_xml::events::Event;
use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::Codec;
use wiredyno_codec::record::{Depth, Fault, Field, Length, Problem, Record, RecordFormat};

use self::reader::Input;
pub use self::writer::Document;

/// Implements `xml/quick-xml`, declared as [`declared::QUICK_XML`].
#[derive(Debug, Default)]
pub struct QuickXml;

impl Codec for QuickXml {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::QUICK_XML
    }
}

impl RecordFormat for QuickXml {
    /// Buffer for base64 before it becomes an event.
    type State = String;

    fn state<M: Record>(&self) -> Result<String, Fault> {
        Ok(String::new())
    }

    fn write<M: Record>(&self, scratch: &mut String, message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        let mut document = Document::new(out, scratch);
        document.start(M::INFO.name)?;
        message.write(&mut document)?;
        document.end_tag(M::INFO.name)
    }

    fn read<M: Record>(&self, _: &String, bytes: &[u8]) -> Result<M, Fault> {
        let text = std::str::from_utf8(bytes).map_err(|_| Fault::new(Problem::Text))?;
        let mut events = Events::from_str(text);
        events.config_mut().expand_empty_elements = true;
        let mut input =
            Input { events, ahead: None, depth: Depth::default(), moment: (0, 0), paths: Vec::new() };
        input.open(M::INFO.name)?;
        let message = M::read(&mut input)?;
        input.close()?;
        match input.next_tag()? {
            Event::Eof => Ok(message),
            _ => Err(Fault::other("more than the root element")),
        }
    }
}

/// Refuses a length that the definition does not allow.
fn length<F: Field>(allowed: Length, length: usize) -> Result<(), Fault> {
    match allowed.allows(length) {
        true => Ok(()),
        false => Err(Fault::in_field(Problem::Length(length as u64), F::INFO.name)),
    }
}

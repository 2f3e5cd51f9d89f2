//! Writes a message as a document.

use std::collections::BTreeMap;

use super::characters::{digits, is_allowed};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use quick_xml::Writer as Sink;
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};
use wiredyno_codec::record::{
    Choice, Enumeration, Fault, Field, Key, Problem, Record, StandsFor, Value, Writer, check,
};
use wiredyno_codec::well_known::text;

use super::length;

/// A document being written.
pub struct Document<'s, 'o> {
    sink: Sink<&'o mut Vec<u8>>,
    scratch: &'s mut String,
    /// The fields of the time or duration that becomes text.
    moment: (i64, i32),
    /// The paths of the field mask.
    paths: Vec<String>,
}

/// Whether a field's value is directly in its message's element, without an element of its own.
pub(super) const fn is_bare<F: Field>() -> bool {
    !matches!(F::INFO.stands_for, StandsFor::Fields)
}

/// Whether a field is part of a time or duration.
pub(super) const fn is_of_moment<F: Field>() -> bool {
    matches!(F::INFO.stands_for, StandsFor::Timestamp | StandsFor::Duration)
}

impl<'s, 'o> Document<'s, 'o> {
    /// Appends to the content of `out`.
    pub fn new(out: &'o mut Vec<u8>, scratch: &'s mut String) -> Self {
        Document { sink: Sink::new(out), scratch, moment: (0, 0), paths: Vec::new() }
    }

    /// The start of an element.
    ///
    /// # Errors
    /// When the library fails.
    #[inline(never)]
    pub fn start(&mut self, name: &'static str) -> Result<(), Fault> {
        self.sink.write_event(Event::Start(BytesStart::new(name))).map_err(Fault::other)
    }

    /// The end of an element.
    ///
    /// # Errors
    /// When the library fails.
    #[inline(never)]
    pub fn end_tag(&mut self, name: &'static str) -> Result<(), Fault> {
        self.sink.write_event(Event::End(BytesEnd::new(name))).map_err(Fault::other)
    }

    /// Text in which nothing needs escaping.
    #[inline(never)]
    pub fn plain(&mut self, text: &str) -> Result<(), Fault> {
        self.sink.write_event(Event::Text(BytesText::from_escaped(text))).map_err(Fault::other)
    }

    /// Text in which XML's own characters are escaped.
    ///
    /// # Errors
    /// When the library fails.
    pub fn escaped(&mut self, text: &str) -> Result<(), Fault> {
        self.plain(&quick_xml::escape::partial_escape(text))
    }

    /// Bytes as base64 text.
    ///
    /// # Errors
    /// When the library fails.
    pub fn base64(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.scratch.clear();
        STANDARD.encode_string(bytes, self.scratch);
        let text = BytesText::from_escaped(self.scratch.as_str());
        self.sink.write_event(Event::Text(text)).map_err(Fault::other)
    }

    fn number<F: Field>(&mut self, value: impl itoa::Integer + Copy + Into<i128>) -> Result<(), Fault> {
        check::<F>(i64::try_from(value.into()).unwrap_or(i64::MAX))?;
        self.plain(itoa::Buffer::new().format(value))
    }

    /// A float of either width.
    ///
    /// # Errors
    /// When the library fails.
    pub fn float(&mut self, value: impl zmij::Float + Copy + Into<f64>) -> Result<(), Fault> {
        let wide: f64 = value.into();
        match wide {
            f64::INFINITY => self.plain("INF"),
            f64::NEG_INFINITY => self.plain("-INF"),
            _ if wide.is_nan() => self.plain("NaN"),
            _ => self.plain(digits(zmij::Buffer::new().format_finite(value))),
        }
    }
}

impl Writer for Document<'_, '_> {
    type Frame<M: Record> = ();

    #[inline]
    fn begin<M: Record>(&mut self, _: &M) -> Result<(), Fault> {
        Ok(())
    }

    #[inline]
    fn end<M: Record>(&mut self, (): ()) -> Result<(), Fault> {
        Ok(())
    }

    fn one<M: Record, F: Field, V: Value>(&mut self, (): &mut (), value: &V) -> Result<(), Fault> {
        if const { is_bare::<F>() } {
            return value.write::<F, _>(self);
        }
        self.start(F::INFO.name)?;
        value.write::<F, _>(self)?;
        self.end_tag(F::INFO.name)
    }

    fn optional<M: Record, F: Field, V: Value>(
        &mut self,
        frame: &mut (),
        value: Option<&V>,
    ) -> Result<(), Fault> {
        match value {
            Some(value) => self.one::<M, F, V>(frame, value),
            None => Ok(()),
        }
    }

    fn list<M: Record, F: Field, V: Value>(&mut self, frame: &mut (), values: &[V]) -> Result<(), Fault> {
        length::<F>(F::INFO.list_length(), values.len())?;
        values.iter().try_for_each(|value| self.one::<M, F, V>(frame, value))
    }

    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        (): &mut (),
        entries: &BTreeMap<K, V>,
    ) -> Result<(), Fault> {
        length::<F>(F::INFO.list_length(), entries.len())?;
        for (key, value) in entries {
            self.start(F::INFO.name)?;
            self.start("key")?;
            key.write::<Key<F>, _>(self)?;
            self.end_tag("key")?;
            self.start("value")?;
            value.write::<F, _>(self)?;
            self.end_tag("value")?;
            self.end_tag(F::INFO.name)?;
        }
        Ok(())
    }

    fn choice<M: Record, C: Choice>(&mut self, frame: &mut (), choice: &C) -> Result<(), Fault> {
        choice.write::<_, M>(self, frame)
    }

    fn optional_choice<M: Record, C: Choice>(
        &mut self,
        frame: &mut (),
        choice: Option<&C>,
    ) -> Result<(), Fault> {
        match choice {
            Some(choice) => choice.write::<_, M>(self, frame),
            None => Ok(()),
        }
    }

    fn boolean<F: Field>(&mut self, value: bool) -> Result<(), Fault> {
        self.plain(if value { "true" } else { "false" })
    }

    fn i32<F: Field>(&mut self, value: i32) -> Result<(), Fault> {
        if const { is_of_moment::<F>() } {
            self.moment.1 = value;
            return Ok(());
        }
        self.number::<F>(value)
    }

    fn i64<F: Field>(&mut self, value: i64) -> Result<(), Fault> {
        if const { is_of_moment::<F>() } {
            self.moment.0 = value;
            return Ok(());
        }
        self.number::<F>(value)
    }

    fn u32<F: Field>(&mut self, value: u32) -> Result<(), Fault> {
        self.number::<F>(value)
    }

    fn u64<F: Field>(&mut self, value: u64) -> Result<(), Fault> {
        self.number::<F>(value)
    }

    fn f32<F: Field>(&mut self, value: f32) -> Result<(), Fault> {
        self.float(value)
    }

    fn f64<F: Field>(&mut self, value: f64) -> Result<(), Fault> {
        self.float(value)
    }

    fn text<F: Field>(&mut self, value: &str) -> Result<(), Fault> {
        length::<F>(F::INFO.value_length(), value.len())?;
        if !is_allowed(value) {
            return Err(Fault::in_field(Problem::Text, F::INFO.name));
        }
        if const { matches!(F::INFO.stands_for, StandsFor::FieldMask) } {
            self.paths.push(value.to_owned());
            return Ok(());
        }
        self.escaped(value)
    }

    fn bytes<F: Field>(&mut self, value: &[u8]) -> Result<(), Fault> {
        length::<F>(F::INFO.value_length(), value.len())?;
        self.base64(value)
    }

    fn enumeration<F: Field, E: Enumeration>(&mut self, value: E) -> Result<(), Fault> {
        self.plain(E::INFO.values[value.ordinal()].0)
    }

    fn message<F: Field, M: Record>(&mut self, value: &M) -> Result<(), Fault> {
        value.write(self)?;
        let (seconds, nanos) = self.moment;
        match const { M::INFO.stands_for } {
            StandsFor::Fields | StandsFor::Value => Ok(()),
            StandsFor::Timestamp => {
                self.plain(&text::Timestamp::new(seconds, nanos).map_err(Fault::other)?.to_string())
            }
            StandsFor::Duration => {
                self.plain(&text::Duration::new(seconds, nanos).map_err(Fault::other)?.to_string())
            }
            StandsFor::FieldMask => {
                let paths = std::mem::take(&mut self.paths);
                self.escaped(&text::write_mask(paths.iter().map(String::as_str)).map_err(Fault::other)?)
            }
        }
    }
}

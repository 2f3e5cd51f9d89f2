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

use std::borrow::Cow;
use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use characters::{digits, is_allowed};
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};
use quick_xml::{Reader as Events, Writer as Sink};
use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::Codec;
use wiredyno_codec::record::{
    Choice, Depth, Enumeration, Fault, Field, Key, Length, Problem, Reader, Record, RecordFormat, StandsFor,
    Value, Writer, check,
};
use wiredyno_codec::well_known::text;

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
const fn is_bare<F: Field>() -> bool {
    !matches!(F::INFO.stands_for, StandsFor::Fields)
}

/// Whether a field is part of a time or duration.
const fn is_of_moment<F: Field>() -> bool {
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

struct Input<'a> {
    events: Events<&'a [u8]>,
    /// An event that was peeked at.
    ahead: Option<Event<'a>>,
    depth: Depth,
    /// The fields of the time or duration whose text was read.
    moment: (i64, i32),
    /// The paths of the field mask, the first one last.
    paths: Vec<String>,
}

impl<'a> Input<'a> {
    #[inline(never)]
    fn event(&mut self) -> Result<Event<'a>, Fault> {
        match self.ahead.take() {
            Some(event) => Ok(event),
            None => self.events.read_event().map_err(Fault::other),
        }
    }

    /// The next start, end or end of the document; only white space is skipped on the way.
    fn next_tag(&mut self) -> Result<Event<'a>, Fault> {
        loop {
            match self.event()? {
                event @ (Event::Start(_) | Event::End(_) | Event::Eof) => return Ok(event),
                Event::Comment(_) | Event::PI(_) | Event::Decl(_) => {}
                Event::Text(text) if text.bytes().all(|byte| byte.is_ascii_whitespace()) => {}
                other => return Err(Fault::other(format_args!("{other:?} between elements"))),
            }
        }
    }

    /// If the next start is an element named in `names`, takes it and returns the name's index.
    #[inline(never)]
    fn take_start(
        &mut self,
        count: usize,
        name: impl Fn(usize) -> &'static str,
    ) -> Result<Option<usize>, Fault> {
        let event = self.next_tag()?;
        if let Event::Start(start) = &event
            && let Some(found) = (0..count).find(|at| start.name().as_ref() == name(*at))
        {
            return Ok(Some(found));
        }
        self.ahead = Some(event);
        Ok(None)
    }

    fn starts(&mut self, name: &'static str) -> Result<bool, Fault> {
        Ok(self.take_start(1, |_| name)?.is_some())
    }

    fn open(&mut self, name: &'static str) -> Result<(), Fault> {
        match self.starts(name)? {
            true => Ok(()),
            false => Err(Fault::in_field(Problem::Missing, name)),
        }
    }

    /// The end of an element; quick-xml has checked that its name matches the start.
    #[inline(never)]
    fn close(&mut self) -> Result<(), Fault> {
        match self.next_tag()? {
            Event::End(_) => Ok(()),
            other => Err(Fault::other(format_args!("{other:?} where an element should end"))),
        }
    }

    /// The characters up to the element's end, which is not taken.
    #[inline(never)]
    fn content(&mut self) -> Result<Cow<'a, str>, Fault> {
        let mut content = Cow::Borrowed("");
        let append = |content: &mut Cow<'a, str>, text: Cow<'a, str>| match content.is_empty() {
            true => *content = text,
            false => content.to_mut().push_str(&text),
        };
        loop {
            match self.event()? {
                Event::Text(text) => append(&mut content, text.xml10_content()),
                Event::CData(text) => append(&mut content, text.xml10_content()),
                Event::GeneralRef(name) => {
                    let character = match name.resolve_char_ref().map_err(Fault::other)? {
                        Some(character) => character,
                        None => match &*name {
                            "lt" => '<',
                            "gt" => '>',
                            "amp" => '&',
                            "apos" => '\'',
                            "quot" => '"',
                            _ => return Err(Fault::other(format_args!("no entity `{}` is known", &*name))),
                        },
                    };
                    content.to_mut().push(character);
                }
                Event::Comment(_) | Event::PI(_) => {}
                event @ Event::End(_) => {
                    self.ahead = Some(event);
                    return Ok(content);
                }
                other => return Err(Fault::other(format_args!("{other:?} inside a value"))),
            }
        }
    }

    fn number<F: Field, T: std::str::FromStr + Copy + Into<i128>>(&mut self) -> Result<T, Fault> {
        let content = self.content()?;
        let text = content.trim_matches(WHITE_SPACE);
        let value: T = text.parse().map_err(|_| not_a(F::INFO.name, text))?;
        check::<F>(i64::try_from(value.into()).unwrap_or(i64::MAX))?;
        Ok(value)
    }

    fn float<F: Field, T: std::str::FromStr + From<f32>>(&mut self) -> Result<T, Fault> {
        let content = self.content()?;
        match content.trim_matches(WHITE_SPACE) {
            "INF" => Ok(T::from(f32::INFINITY)),
            "-INF" => Ok(T::from(f32::NEG_INFINITY)),
            "NaN" => Ok(T::from(f32::NAN)),
            text if text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')) => {
                text.parse().map_err(|_| not_a(F::INFO.name, text))
            }
            text => Err(not_a(F::INFO.name, text)),
        }
    }
}

impl Input<'_> {
    /// A well-known type, from its text.
    fn known<F: Field, T>(&mut self, read: fn(&str) -> Option<T>) -> Result<T, Fault> {
        let content = self.content()?;
        let text = content.trim_matches(WHITE_SPACE);
        read(text).ok_or_else(|| not_a(F::INFO.name, text))
    }
}

/// What XML counts as white space.
const WHITE_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

#[cold]
#[inline(never)]
fn not_a(field: &'static str, text: &str) -> Fault {
    Fault::other(format_args!("{field}: {text:?} is not a value of its type"))
}

impl<'a> Reader<'a> for Input<'a> {
    type Frame<M: Record> = ();

    fn begin<M: Record>(&mut self) -> Result<(), Fault> {
        self.depth.enter()
    }

    fn end<M: Record>(&mut self, (): ()) -> Result<(), Fault> {
        self.depth.leave();
        Ok(())
    }

    fn one<M: Record, F: Field, V: Value>(&mut self, (): &mut ()) -> Result<V, Fault> {
        if const { is_bare::<F>() } {
            return V::read::<F, _>(self);
        }
        // The start of an alternative was taken to determine which one it is.
        if !F::IN_CHOICE {
            self.open(F::INFO.name)?;
        }
        let value = V::read::<F, _>(self)?;
        self.close()?;
        Ok(value)
    }

    fn optional<M: Record, F: Field, V: Value>(&mut self, (): &mut ()) -> Result<Option<V>, Fault> {
        if !self.starts(F::INFO.name)? {
            return Ok(None);
        }
        let value = V::read::<F, _>(self)?;
        self.close()?;
        Ok(Some(value))
    }

    fn list<M: Record, F: Field, V: Value>(&mut self, (): &mut ()) -> Result<Vec<V>, Fault> {
        let mut list = Vec::new();
        if const { is_bare::<F>() } {
            while !self.paths.is_empty() {
                list.push(V::read::<F, _>(self)?);
            }
            return Ok(list);
        }
        while self.starts(F::INFO.name)? {
            list.push(V::read::<F, _>(self)?);
            self.close()?;
        }
        length::<F>(F::INFO.list_length(), list.len())?;
        Ok(list)
    }

    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        (): &mut (),
    ) -> Result<BTreeMap<K, V>, Fault> {
        let mut map = BTreeMap::new();
        while self.starts(F::INFO.name)? {
            self.open("key")?;
            let key = K::read::<Key<F>, _>(self)?;
            self.close()?;
            self.open("value")?;
            map.insert(key, V::read::<F, _>(self)?);
            self.close()?;
            self.close()?;
        }
        length::<F>(F::INFO.list_length(), map.len())?;
        Ok(map)
    }

    fn choice<M: Record, C: Choice>(&mut self, frame: &mut ()) -> Result<C, Fault> {
        self.optional_choice::<M, C>(frame)?.ok_or_else(|| Fault::in_field(Problem::Missing, C::INFO.name))
    }

    fn optional_choice<M: Record, C: Choice>(&mut self, frame: &mut ()) -> Result<Option<C>, Fault> {
        let alternatives = C::INFO.alternatives;
        match self.take_start(alternatives.len(), |at| alternatives[at].name)? {
            Some(ordinal) => C::read::<_, M>(ordinal, self, frame).map(Some),
            None => Ok(None),
        }
    }

    fn boolean<F: Field>(&mut self) -> Result<bool, Fault> {
        let content = self.content()?;
        match content.trim_matches(WHITE_SPACE) {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            text => Err(not_a(F::INFO.name, text)),
        }
    }

    fn i32<F: Field>(&mut self) -> Result<i32, Fault> {
        if const { is_of_moment::<F>() } {
            return Ok(self.moment.1);
        }
        self.number::<F, _>()
    }

    fn i64<F: Field>(&mut self) -> Result<i64, Fault> {
        if const { is_of_moment::<F>() } {
            return Ok(self.moment.0);
        }
        self.number::<F, _>()
    }

    fn u32<F: Field>(&mut self) -> Result<u32, Fault> {
        self.number::<F, _>()
    }

    fn u64<F: Field>(&mut self) -> Result<u64, Fault> {
        self.number::<F, _>()
    }

    fn f32<F: Field>(&mut self) -> Result<f32, Fault> {
        self.float::<F, _>()
    }

    fn f64<F: Field>(&mut self) -> Result<f64, Fault> {
        self.float::<F, _>()
    }

    fn text<F: Field>(&mut self) -> Result<String, Fault> {
        let text = match const { F::INFO.stands_for } {
            StandsFor::FieldMask => Cow::Owned(self.paths.pop().unwrap_or_default()),
            _ => self.content()?,
        };
        length::<F>(F::INFO.value_length(), text.len())?;
        match is_allowed(&text) {
            true => Ok(text.into_owned()),
            false => Err(Fault::in_field(Problem::Text, F::INFO.name)),
        }
    }

    fn bytes<F: Field>(&mut self) -> Result<Vec<u8>, Fault> {
        let mut text = self.content()?;
        if text.contains(WHITE_SPACE) {
            text.to_mut().retain(|character| !WHITE_SPACE.contains(&character));
        }
        let bytes = STANDARD.decode(text.as_bytes()).map_err(|_| not_a(F::INFO.name, &text))?;
        length::<F>(F::INFO.value_length(), bytes.len())?;
        Ok(bytes)
    }

    fn enumeration<F: Field, E: Enumeration>(&mut self) -> Result<E, Fault> {
        let name = self.content()?;
        match E::INFO.values.iter().position(|(known, _)| *known == name) {
            Some(ordinal) => E::from_ordinal(ordinal),
            None => Err(not_a(F::INFO.name, &name)),
        }
    }

    fn message<F: Field, M: Record>(&mut self) -> Result<M, Fault> {
        match const { M::INFO.stands_for } {
            StandsFor::Fields | StandsFor::Value => {}
            StandsFor::Timestamp => self.moment = self.known::<F, _>(text::Timestamp::read)?.parts(),
            StandsFor::Duration => self.moment = self.known::<F, _>(text::Duration::read)?.parts(),
            StandsFor::FieldMask => {
                self.paths = self.known::<F, _>(text::read_mask)?;
                self.paths.reverse();
            }
        }
        M::read(self)
    }

    fn left_bytes(&self) -> usize {
        // Every list grows as its elements come, so this limits nothing.
        0
    }
}

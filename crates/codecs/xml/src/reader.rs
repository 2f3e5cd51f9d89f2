//! Reads a message from a document.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::characters::is_allowed;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use quick_xml::Reader as Events;
use quick_xml::events::Event;
use wiredyno_codec::record::{
    Choice, Depth, Enumeration, Fault, Field, Key, Problem, Reader, Record, StandsFor, Value, check,
};
use wiredyno_codec::well_known::text;

use super::length;
use super::writer::{is_bare, is_of_moment};

pub(super) struct Input<'a> {
    pub(super) events: Events<&'a [u8]>,
    /// An event that was peeked at.
    pub(super) ahead: Option<Event<'a>>,
    pub(super) depth: Depth,
    /// The fields of the time or duration whose text was read.
    pub(super) moment: (i64, i32),
    /// The paths of the field mask, the first one last.
    pub(super) paths: Vec<String>,
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
    pub(super) fn next_tag(&mut self) -> Result<Event<'a>, Fault> {
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

    pub(super) fn open(&mut self, name: &'static str) -> Result<(), Fault> {
        match self.starts(name)? {
            true => Ok(()),
            false => Err(Fault::in_field(Problem::Missing, name)),
        }
    }

    /// The end of an element; quick-xml has checked that its name matches the start.
    #[inline(never)]
    pub(super) fn close(&mut self) -> Result<(), Fault> {
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

//! A message definition under construction: importers fill it, and it is printed as message.proto.
//!
//! One file because a draft's types, and what is checked of all of them together, follow each other's changes.

mod number;
mod print;

use std::collections::{HashSet, VecDeque};
use std::fmt::Write as _;

use super::ImportError;
use super::identifier::{Scope, called_like_a_number, type_name};
use crate::model::{Invented, WellKnown};

pub use self::number::{fits, integer, narrowest, whole_number};

/// The header comment of a definition without a field that identifies messages.
pub const NO_SEQUENCE: &str = "No field holds a message number. To send messages with this payload, mark a string, \
                               bytes or integer field of the root with [(wiredyno.sequence) = true]: each message \
                               gets its own number there.";

/// The option for the form of a field's values.
pub const FORMAT: &str = "(wiredyno.format)";

/// The formats of strings for which values can be invented.
pub const FORMATS: [&str; 10] =
    ["uuid", "date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri"];

/// A definition under construction. The first message is the root.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    /// The payload's id, from which the package's name is derived.
    pub payload: String,
    /// The header comment's lines, such as the source.
    pub about: Vec<String>,
    /// How the Avro codecs' output differs from the Avro schema that is the source; a sentence of the header comment, too.
    pub avro: Option<String>,
    /// All messages, the root first.
    pub messages: Vec<DraftMessage>,
    /// All enums, in the order in which they were found.
    pub enums: Vec<DraftEnum>,
    /// What the source states and the definition can't express, one sentence each; they are comments, too.
    pub remarks: Vec<String>,
    /// How documents represent bytes as strings.
    pub bytes: BytesText,
}

/// How documents represent bytes as strings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BytesText {
    /// In base64, as in proto3's JSON mapping.
    #[default]
    Base64,
    /// One character per byte, U+0000 to U+00FF (Apache Avro 1.11 specification, "JSON Encoding").
    Characters,
}

/// A message under construction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DraftMessage {
    /// Its name, which no other message or enum has.
    pub name: String,
    /// The lines of the comment above the message.
    pub comments: Vec<String>,
    /// Its fields, in the order in which they are printed.
    pub fields: Vec<DraftField>,
    /// The names of its oneofs, each with whether one of its fields is always present.
    pub oneofs: Vec<(String, bool)>,
    /// Its representation in documents.
    pub stands_for: StandsFor,
    /// The well-known type that it is, if any.
    pub well_known: Option<WellKnown>,
    /// The line of the JSON file that declares it; 0 if none does.
    pub line: usize,
}

/// A message's representation in documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StandsFor {
    /// An object with the fields' keys.
    #[default]
    Object,
    /// A value that .proto can't have in its place: a list in a list, a null in a list. The message has one field.
    Value,
    /// A value of one of several kinds. The message has one oneof and no other fields.
    Choice,
}

/// A field under construction.
#[derive(Debug, Clone, PartialEq)]
pub struct DraftField {
    /// Its name, unique in its message.
    pub name: String,
    /// Its key in documents, which may differ from its name.
    pub key: String,
    /// Its Protobuf number, unique in its message.
    pub number: u32,
    /// The type of one element.
    pub ty: DraftType,
    /// Its number of elements, and its presence.
    pub shape: DraftShape,
    /// The index of its oneof in the message's list.
    pub oneof: Option<usize>,
    /// Avro's name for its type if it is a union's branch: Avro's own JSON writes `{"string": "x"}`.
    pub branch: Option<String>,
    /// The integers that it, or each of its elements, may have.
    pub allowed: Allowed,
    /// Further constraints of the source on its values: floats, or each element, are checked against them, and invented values comply.
    pub invented: Invented,
    /// Its options, as text: `(wiredyno.fixed_length) = 3`.
    pub options: Vec<String>,
    /// The lines of the comment above the field.
    pub comments: Vec<String>,
}

/// A field's type under construction, with Protobuf's encodings distinguished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraftType {
    /// `bool`, a boolean in documents.
    Bool,
    /// `int32`, whose negative numbers take ten bytes.
    Int32,
    /// `int64`, whose negative numbers take ten bytes.
    Int64,
    /// `uint32`, of variable length.
    Uint32,
    /// `uint64`, of variable length.
    Uint64,
    /// `sint32`, of variable length by magnitude.
    Sint32,
    /// `sint64`, of variable length by magnitude.
    Sint64,
    /// `fixed32`, always four bytes.
    Fixed32,
    /// `fixed64`, always eight bytes.
    Fixed64,
    /// `sfixed32`, always four bytes.
    Sfixed32,
    /// `sfixed64`, always eight bytes.
    Sfixed64,
    /// `float`, which must hold a document's integer exactly.
    Float,
    /// `double`, which must hold a document's integer exactly.
    Double,
    /// `string`, a string in documents.
    String,
    /// `bytes`, a string in documents; see [`BytesText`].
    Bytes,
    /// A message: its index in [`Draft::messages`].
    Message(usize),
    /// An enum: its index in [`Draft::enums`].
    Enum(usize),
}

/// How many values a field under construction has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraftShape {
    /// Exactly one, whose default Protobuf may omit.
    One,
    /// Exactly one number, string or bytes, which Protobuf always writes: proto2's `required`.
    Required,
    /// One or none; null in documents means none.
    Optional,
    /// Any number of elements, in order.
    List,
    /// Entries with unique keys of this type.
    Map(DraftType),
}

/// An enum under construction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftEnum {
    /// Its name, which no other message or enum has.
    pub name: String,
    /// The lines of the comment above the enum.
    pub comments: Vec<String>,
    /// Name, number and representation in documents of each value. The first has the number 0.
    pub values: Vec<(String, i32, String)>,
    /// Whether its only value stands for null in documents.
    pub stands_for_null: bool,
    /// Whether its value 0 is absent from the source.
    pub zero_is_added: bool,
}

/// Larger integers are not all exact as doubles.
const MOST_EXACT: i128 = 1 << 53;

impl DraftField {
    /// The option for the constraints that no other option expresses.
    fn said_of_values(&self) -> Option<String> {
        let mut said = self.invented.clone();
        let exact = |number: i128| (number.abs() <= MOST_EXACT).then_some(number as f64);
        let is_unsigned = !fits(self.ty, -1);
        let is_own = |least: &i128| !(is_unsigned && *least <= 0);
        if !self.options.iter().any(|option| option.starts_with("(wiredyno.range)")) {
            said.min =
                said.min.or(self.allowed.least.filter(is_own).and_then(exact).map(|least| (least, true)));
            said.max = said.max.or(self.allowed.most.and_then(exact).map(|most| (most, true)));
        }
        let ends = self.allowed.values.iter().min().zip(self.allowed.values.iter().max());
        let are_all = ends
            .is_none_or(|(least, most)| (*least..=*most).all(|number| self.allowed.values.contains(&number)));
        if said.values.is_empty() && !are_all {
            said.values = self.allowed.values.iter().copied().filter_map(exact).collect();
        }
        if self.options.iter().any(|option| option.starts_with("(wiredyno.fixed_length)"))
            && self.shape == DraftShape::List
        {
            said.count = (None, None);
        }
        said.to_text()
    }
}

/// The integers that the source allows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed {
    /// The least integer; `None` if there is no bound.
    pub least: Option<i128>,
    /// The greatest integer; `None` if there is no bound.
    pub most: Option<i128>,
    /// The only values allowed; empty if there is no such list.
    pub values: Vec<i128>,
}

impl Allowed {
    /// Whether the source allows an integer.
    pub fn holds(&self, number: i128) -> bool {
        self.least.is_none_or(|least| number >= least)
            && self.most.is_none_or(|most| number <= most)
            && (self.values.is_empty() || self.values.contains(&number))
    }
}

/// The import of one value of the source, before it becomes a field.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The type of one element, as in [`DraftField::ty`].
    pub ty: DraftType,
    /// Its number of elements, and its presence.
    pub shape: DraftShape,
    /// Avro's name for its type if it is a union's branch.
    pub branch: Option<String>,
    /// The integers that each element may have.
    pub allowed: Allowed,
    /// Further constraints of the source on its values.
    pub invented: Invented,
    /// The options of the field, as text.
    pub options: Vec<String>,
    /// The lines of the comment above the field.
    pub comments: Vec<String>,
}

impl Part {
    /// A part with exactly one value of a type.
    pub fn one(ty: DraftType) -> Part {
        Part {
            ty,
            shape: DraftShape::One,
            branch: None,
            allowed: Allowed::default(),
            invented: Invented::default(),
            options: Vec::new(),
            comments: Vec::new(),
        }
    }

    /// Adds a comment line; returns the part.
    #[must_use]
    pub fn saying(mut self, comment: String) -> Part {
        self.comments.push(comment);
        self
    }

    /// Makes it a field with this name, key and number.
    pub fn into_field(self, name: String, key: &str, number: u32) -> DraftField {
        let Part { ty, shape, branch, allowed, invented, options, comments } = self;
        let key = key.to_owned();
        DraftField { name, key, number, ty, shape, oneof: None, branch, allowed, invented, options, comments }
    }
}

impl Draft {
    /// Wraps a value in a message, because .proto can't have it as an element of a list or map.
    pub(super) fn around(&mut self, mut inner: Part, nulls: bool, types: &mut Scope, name: &str) -> Part {
        let message = types.take(&type_name(name, "Element"));
        if nulls && inner.shape == DraftShape::One {
            inner.shape = DraftShape::Optional;
        }
        let comment = match nulls {
            true => "Stands for an element that may be null.",
            false => "Stands for a list or map in a list or map.",
        };
        self.messages.push(DraftMessage {
            name: message,
            comments: vec![comment.to_owned()],
            fields: vec![inner.into_field("value".to_owned(), "value", 1)],
            oneofs: Vec::new(),
            stands_for: StandsFor::Value,
            well_known: None,
            line: 0,
        });
        Part::one(DraftType::Message(self.messages.len() - 1))
    }

    /// A value as an element of a list or map, wrapped in a message if it can't be one otherwise.
    pub(super) fn element(&mut self, part: Part, types: &mut Scope, name: &str) -> Part {
        match part.shape {
            DraftShape::One => part,
            shape => self.around(part, shape == DraftShape::Optional, types, name),
        }
    }

    /// A message with one oneof of these alternatives, each with the kind's name.
    pub(super) fn choice(
        &mut self,
        alternatives: Vec<(String, Part)>,
        types: &mut Scope,
        name: &str,
    ) -> Part {
        let message = self.open_choice(types, name);
        self.close_choice(message, alternatives, types, name)
    }

    /// Reserves a choice whose alternatives are not known yet, because they may refer to it.
    pub(super) fn open_choice(&mut self, types: &mut Scope, name: &str) -> usize {
        let name = types.take(&type_name(name, "Choice"));
        self.messages.push(DraftMessage { name, ..DraftMessage::default() });
        self.messages.len() - 1
    }

    /// Sets the alternatives of a reserved choice.
    pub(super) fn close_choice(
        &mut self,
        message: usize,
        alternatives: Vec<(String, Part)>,
        types: &mut Scope,
        name: &str,
    ) -> Part {
        let mut scope = Scope::default();
        let mut fields = Vec::new();
        for (kind, part) in alternatives {
            let kind = scope.take(&kind);
            let part = self.element(part, types, &format!("{name}_{kind}_Element"));
            let mut field = part.into_field(kind.clone(), &kind, field_number(fields.len()));
            field.oneof = Some(0);
            fields.push(field);
        }
        let made = &mut self.messages[message];
        made.comments = vec!["Stands for a value of one of several kinds.".to_owned()];
        made.fields = fields;
        made.oneofs = vec![("kind".to_owned(), true)];
        made.stands_for = StandsFor::Choice;
        Part::one(DraftType::Message(message))
    }

    /// For each message, whether it has a finite value.
    fn finite(&self) -> Vec<bool> {
        let mut finite = vec![false; self.messages.len()];
        loop {
            let ends = |field: &DraftField| !matches!((field.ty, field.shape), (DraftType::Message(to), DraftShape::One) if !finite[to]);
            let has_value = |message: &DraftMessage| {
                let choices = message.oneofs.iter().enumerate().filter(|(_, (_, is_required))| *is_required);
                let of = |at: usize| message.fields.iter().filter(move |field| field.oneof == Some(at));
                message.fields.iter().filter(|field| field.oneof.is_none()).all(ends)
                    && choices.map(|(at, _)| at).all(|at| of(at).any(ends))
            };
            let next: Vec<bool> = self.messages.iter().map(has_value).collect();
            if next == finite {
                return finite;
            }
            finite = next;
        }
    }

    /// A message that contains itself in every value, so that no value is finite, and the key of the field through which it does.
    pub(super) fn endless(&self) -> Option<(usize, &str)> {
        let finite = self.finite();
        let finite = &finite;
        let held = |message: usize| {
            let of = &self.messages[message];
            let is_always = move |field: &DraftField| field.oneof.is_none_or(|oneof| of.oneofs[oneof].1);
            let fields = of.fields.iter().filter(move |field| is_always(field));
            fields.filter_map(move |field| match (field.ty, field.shape) {
                (DraftType::Message(to), DraftShape::One) if !finite[message] && !finite[to] => {
                    Some((to, field.key.as_str()))
                }
                _ => None,
            })
        };
        let comes_back = |start: usize, first: usize| {
            let (mut seen, mut waiting) = (HashSet::new(), vec![first]);
            while let Some(next) = waiting.pop() {
                if next == start {
                    return true;
                }
                if seen.insert(next) {
                    waiting.extend(held(next).map(|(to, _)| to));
                }
            }
            false
        };
        (0..self.messages.len()).find_map(|start| {
            let key = held(start).find_map(|(first, key)| comes_back(start, first).then_some(key))?;
            Some((start, key))
        })
    }

    /// Refuses a message without finite values, at the line that declares it.
    pub(super) fn refuse_endless(&self, file: &str, remedy: &str) -> Result<(), ImportError> {
        let Some((message, key)) = self.endless() else { return Ok(()) };
        let DraftMessage { name, line, .. } = &self.messages[message];
        Err(ImportError::Refused {
            file: file.to_owned(),
            line: (*line).max(1),
            what: format!("`{name}` always contains itself in `{key}`: no value could be finite"),
            remedy: remedy.to_owned(),
        })
    }

    /// Marks a field of the root whose name suggests a message number; if there is none, the header comment says so.
    pub(super) fn propose_sequence(&mut self) {
        if self.messages[0]
            .fields
            .iter()
            .any(|f| f.options.iter().any(|o| o.starts_with("(wiredyno.sequence)")))
        {
            return;
        }
        let usable = |field: &DraftField| {
            field.oneof.is_none()
                && matches!(field.shape, DraftShape::One | DraftShape::Required | DraftShape::Optional)
                && (field.ty.is_integer() || matches!(field.ty, DraftType::String | DraftType::Bytes))
                && called_like_a_number(&field.name)
        };
        match self.messages[0].fields.iter_mut().find(|field| usable(field)) {
            Some(field) => {
                field.options.push("(wiredyno.sequence) = true".to_owned());
                field.comments.push("By its name, it holds the message number. Check that.".to_owned());
            }
            None => self.about.push(NO_SEQUENCE.to_owned()),
        }
    }

    /// The paths from the root, as in `features[].coordinates`, of values that have messages of their own although they are not objects
    /// in documents: lists in lists, nulls in lists, values of several kinds.
    pub fn wrapped(&self) -> Vec<String> {
        let (mut found, mut seen) = (Vec::new(), HashSet::from([0]));
        let mut waiting = VecDeque::from([(0, String::new())]);
        while let Some((message, path)) = waiting.pop_front() {
            for field in &self.messages[message].fields {
                let DraftType::Message(to) = field.ty else { continue };
                let mark = match field.shape {
                    DraftShape::One | DraftShape::Required | DraftShape::Optional => "",
                    DraftShape::List => "[]",
                    DraftShape::Map(_) => "[*]",
                };
                let dot = if path.is_empty() { "" } else { "." };
                let place = format!("{path}{dot}{}", field.key);
                if self.messages[to].stands_for != StandsFor::Object {
                    found.push(place);
                } else if seen.insert(to) {
                    waiting.push_back((to, format!("{place}{mark}")));
                }
            }
        }
        found
    }
}

fn comment(text: &mut String, indent: &str, line: &str) {
    // A line break in a source's key or value must not end the comment.
    let line = line.replace(['\n', '\r'], " ");
    let _ = writeln!(text, "{indent}//{}{line}", if line.is_empty() { "" } else { " " });
}

impl DraftType {
    /// Whether it is an integer type.
    pub fn is_integer(self) -> bool {
        fits(self, 0)
    }

    /// Whether it is a 64-bit integer type.
    pub fn is_wide(self) -> bool {
        fits(self, 1 << 40)
    }
}

/// The number of the field at an index: from 1, skipping those that Protobuf reserves.
pub fn field_number(at: usize) -> u32 {
    let number = at as u32 + 1;
    if number >= 19_000 { number + 1_000 } else { number }
}

fn enumeration(declared: &DraftEnum, text: &mut String) {
    text.push('\n');
    for line in &declared.comments {
        comment(text, "", line);
    }
    let _ = writeln!(text, "message {0}Values {{\n  enum {0} {{", declared.name);
    if declared.stands_for_null {
        text.push_str("    option (wiredyno.stands_for_null) = true;\n");
    }
    if declared.zero_is_added {
        text.push_str("    option (wiredyno.zero_is_added) = true;\n");
    }
    for (name, number, document) in &declared.values {
        if name != document {
            comment(text, "    ", &format!("{document:?} in documents"));
        }
        let _ = writeln!(text, "    {name} = {number};");
    }
    text.push_str("  }\n}\n");
}

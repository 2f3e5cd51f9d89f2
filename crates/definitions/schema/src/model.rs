//! The neutral model of a message definition: what every generator and every IDL lowering walks.
//!
//! Messages and enums are kept flat, in the order in which they are reached from the root, so that
//! generators never have to search. Nested types get the names of their parents in front.

use prost_reflect::MessageDescriptor;

/// Everything known about one payload's message type.
#[derive(Debug, Clone)]
pub struct Definition {
    /// The messages reachable from the root, the root first.
    pub messages: Vec<Message>,
    /// The enums reachable from the root.
    pub enums: Vec<Enum>,
    /// The root as prost-reflect sees it, for values whose type is not known at compile time.
    pub descriptor: MessageDescriptor,
    /// The encoded `FileDescriptorSet` with imports and without source positions.
    pub descriptor_set: Vec<u8>,
    /// Where the field marked `(wiredyno.sequence)` stands: its place among the root's fields, or the places of the
    /// required messages on the way to it and then its own.
    pub sequence: Option<Vec<usize>>,
}

impl Definition {
    /// The message that the payload is about.
    pub fn root(&self) -> &Message {
        &self.messages[0]
    }

    /// The package that the root belongs to; empty where the file names none.
    pub fn package(&self) -> &str {
        self.descriptor.package_name()
    }

    /// The field that tells messages apart, if the definition marks one.
    pub fn sequence_field(&self) -> Option<&Field> {
        self.sequence_path().and_then(|path| path.last().copied())
    }

    /// The required messages on the way to the field that tells messages apart, and that field.
    pub fn sequence_path(&self) -> Option<Vec<&Field>> {
        let mut message = Some(self.root());
        let step = |place: &usize| {
            let field = message?.fields.get(*place)?;
            message = match field.ty {
                Type::Message(index) => self.messages.get(index),
                _ => None,
            };
            Some(field)
        };
        self.sequence.as_ref()?.iter().map(step).collect()
    }

    /// The same by names with points between them, as runners are told it.
    pub fn sequence_name(&self) -> Option<String> {
        let names: Vec<&str> = self.sequence_path()?.iter().map(|field| field.name.as_str()).collect();
        Some(names.join("."))
    }

    /// The only field of a payload that can be sent as it stands: a root with one string or bytes field,
    /// neither repeated nor optional.
    pub fn raw_field(&self) -> Option<&Field> {
        match self.root().fields.as_slice() {
            [field]
                if matches!(field.ty, Type::String | Type::Bytes)
                    && field.cardinality == Cardinality::Implicit =>
            {
                Some(field)
            }
            _ => None,
        }
    }

    /// Why the payload can't be sent as it stands; `None` if it has a [`Definition::raw_field`].
    pub fn why_not_raw(&self) -> Option<String> {
        let why = || format!("`{}` is more than one plain string or bytes field", self.root().name);
        self.raw_field().is_none().then(why)
    }

    /// Why rkyv can't hold the payload; `None` if it can: its tags are one byte, and elements that take no bytes can't be
    /// checked against the input.
    pub fn why_not_rkyv(&self) -> Option<String> {
        const MAX_TAGS: usize = 256;
        let enums = self.enums.iter().map(|declared| (&declared.name, declared.values.len()));
        let oneofs = self.messages.iter().flat_map(|message| &message.oneofs);
        let oneofs = oneofs.map(|oneof| (&oneof.name, oneof.fields.len()));
        if let Some((name, count)) = enums.chain(oneofs).find(|(_, count)| *count > MAX_TAGS) {
            return Some(format!("`{name}` has {count} alternatives, but its tags allow only {MAX_TAGS}"));
        }
        let fields = self.messages.iter().flat_map(|message| &message.fields);
        let mut lists = fields.filter(|field| field.cardinality == Cardinality::Repeated);
        let empty = lists
            .find(|field| matches!(field.ty, Type::Message(element) if self.is_always_empty(element)))?;
        Some(format!("elements of `{}` take no bytes, so their number can't be checked", empty.name))
    }

    /// Whether values of the message hold nothing at all.
    fn is_always_empty(&self, message: usize) -> bool {
        self.messages[message].fields.iter().all(|field| match field.ty {
            Type::Message(inner) => field.cardinality == Cardinality::Implicit && self.is_always_empty(inner),
            _ => false,
        })
    }
}

/// One message type.
#[derive(Debug, Clone)]
pub struct Message {
    /// Its name with the names of the messages around it in front: `Outer.Inner` is `OuterInner`.
    pub name: String,
    /// Its name in the file: `wiredyno.payload.person.Person`.
    pub full_name: String,
    /// Its fields in the order of the file.
    pub fields: Vec<Field>,
    /// Its oneofs, without those that proto3 makes for optional fields.
    pub oneofs: Vec<Oneof>,
    /// Whether `(wiredyno.extensible)` is set.
    pub extensible: bool,
    /// Whether formats that describe themselves write the value of its only field, or of the alternative that is there, in its place
    /// (`(wiredyno.stands_for_value)`).
    pub stands_for_value: bool,
    /// Which of Google's well-known types it is (`(wiredyno.well_known)`).
    pub well_known: Option<WellKnown>,
}

impl Message {
    /// Whether formats for people write the value of its only field, which is always there, without a name around it.
    pub fn stands_for_one_value(&self) -> bool {
        let is_one = |field: &Field| field.cardinality == Cardinality::Implicit;
        self.stands_for_value && matches!(&self.fields[..], [only] if is_one(only))
    }
}

/// Google's well-known types that are no messages in proto3's JSON mapping and more than the value of a field
/// (<https://protobuf.dev/programming-guides/json/>).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WellKnown {
    /// Seconds since 1970 in UTC, and nanoseconds.
    Timestamp,
    /// Seconds, and nanoseconds of the same sign.
    Duration,
    /// Paths of fields.
    FieldMask,
}

impl WellKnown {
    /// All of them, by their names in the option.
    pub const ALL: [(&'static str, WellKnown); 3] = [
        ("timestamp", WellKnown::Timestamp),
        ("duration", WellKnown::Duration),
        ("field_mask", WellKnown::FieldMask),
    ];

    /// The one with a name in the option.
    pub fn of(name: &str) -> Option<WellKnown> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, known)| *known)
    }

    /// Its name in the option.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }
}

/// A choice among fields, of which at most one is present.
#[derive(Debug, Clone)]
pub struct Oneof {
    /// Its name in the file.
    pub name: String,
    /// Where its fields stand in [`Message::fields`]; they are neighbours.
    pub fields: Vec<usize>,
    /// Whether `(wiredyno.required_choice)` is set: one of its fields is always present.
    pub required: bool,
    /// Whether `(wiredyno.choice_extensible)` is set.
    pub extensible: bool,
}

/// One field of a message.
#[derive(Debug, Clone)]
pub struct Field {
    /// Its name in the file.
    pub name: String,
    /// Its Protobuf number.
    pub number: u32,
    /// The type of one element.
    pub ty: Type,
    /// How many elements there are.
    pub cardinality: Cardinality,
    /// Whether `(wiredyno.required)` is set: always there, and written by Protobuf whatever it holds.
    pub required: bool,
    /// Where its oneof stands in [`Message::oneofs`].
    pub oneof: Option<usize>,
    /// Whether Rust needs a box, because the message contains itself through singular fields.
    pub boxed: bool,
    /// What `wiredyno/options.proto` says about it.
    pub options: FieldOptions,
}

/// The type of a field's elements. Protobuf's three encodings of one integer type are one type here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// true or false.
    Bool,
    /// Signed, 32 bits.
    I32,
    /// Signed, 64 bits.
    I64,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
    /// IEEE 754, 32 bits.
    F32,
    /// IEEE 754, 64 bits.
    F64,
    /// UTF-8 text.
    String,
    /// Any bytes.
    Bytes,
    /// An index into [`Definition::enums`].
    Enum(usize),
    /// An index into [`Definition::messages`].
    Message(usize),
}

/// How many elements a field has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cardinality {
    /// Exactly one; a value equal to the type's default may be left out by formats that do so. Fields that
    /// are marked `(wiredyno.required)` too, which Protobuf never leaves out.
    Implicit,
    /// One or none: `optional` fields, members of a oneof, singular messages.
    Optional,
    /// Any number, in order.
    Repeated,
    /// One per key of this type; order does not matter.
    Map(Type),
}

/// What `wiredyno/options.proto` says about a field.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FieldOptions {
    /// The values that occur, both ends included.
    pub range: Option<(i64, i64)>,
    /// Exactly so many bytes or elements.
    pub fixed_length: Option<u32>,
    /// At most so many bytes or elements.
    pub max_length: Option<u32>,
    /// The number stands for value / 10^scale.
    pub fixed_point_scale: Option<u32>,
    /// Digits in all, and behind the point.
    pub decimal: Option<(u32, u32)>,
    /// The number is a Unicode character.
    pub character: bool,
    /// What the value looks like: `uuid`, `date-time` ...
    pub format: Option<String>,
    /// What values are invented.
    pub invented: Invented,
    /// Fields of a oneof: what announces this alternative in formats with such numbers of their own, up to 255.
    pub choice_tag: Option<u32>,
}

/// What a schema says of values and no format looks at: samples that are invented keep it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Invented {
    /// Characters of a string, or bytes, at least and at most.
    pub length: (Option<u32>, Option<u32>),
    /// Elements of a list or map, at least and at most.
    pub count: (Option<u32>, Option<u32>),
    /// The least number, and whether it is one.
    pub min: Option<(f64, bool)>,
    /// The greatest number, and whether it is one.
    pub max: Option<(f64, bool)>,
    /// Numbers are multiples of this one.
    pub multiple_of: Option<f64>,
    /// Numbers, none but these; 1 and 0 for true and false. Empty where all are.
    pub values: Vec<f64>,
    /// A regular expression for strings.
    pub pattern: Option<String>,
}

impl Invented {
    /// Whether a number is one.
    pub fn holds(&self, number: f64) -> bool {
        let is_above = |(least, is_one): (f64, bool)| number > least || is_one && number == least;
        let is_below = |(most, is_one): (f64, bool)| number < most || is_one && number == most;
        self.min.is_none_or(is_above)
            && self.max.is_none_or(is_below)
            && (self.values.is_empty() || self.values.contains(&number))
    }

    /// The option's value in a .proto file; `None` where it says nothing.
    pub fn to_text(&self) -> Option<String> {
        let mut parts: Vec<String> = Vec::new();
        let mut whole =
            |name: &str, value: Option<u32>| parts.extend(value.map(|value| format!("{name}: {value}")));
        whole("min_length", self.length.0);
        whole("max_length", self.length.1);
        whole("min_count", self.count.0);
        whole("max_count", self.count.1);
        for (name, bound) in [("min", self.min), ("max", self.max)] {
            let Some((value, is_one)) = bound else { continue };
            parts.push(format!("{name}: {value:?}"));
            parts.extend((!is_one).then(|| format!("without_{name}: true")));
        }
        parts.extend(self.multiple_of.map(|value| format!("multiple_of: {value:?}")));
        parts.extend(self.values.iter().map(|value| format!("values: {value:?}")));
        parts.extend(self.pattern.as_ref().map(|pattern| {
            let escaped = pattern.replace('\\', "\\\\").replace('"', "\\\"");
            format!("pattern: \"{escaped}\"")
        }));
        (!parts.is_empty()).then(|| format!("{{ {} }}", parts.join(", ")))
    }
}

/// One enum type.
#[derive(Debug, Clone)]
pub struct Enum {
    /// Its name with the names of the messages around it in front.
    pub name: String,
    /// Its name in the file.
    pub full_name: String,
    /// Its values in the order of the file; the first is the default and has the number 0.
    pub values: Vec<EnumValue>,
    /// Whether `(wiredyno.enum_extensible)` is set.
    pub extensible: bool,
    /// Whether formats that describe themselves write null in its place (`(wiredyno.stands_for_null)`).
    pub stands_for_null: bool,
    /// Whether no value has the number 0, which stands there because proto3 wants it (`(wiredyno.zero_is_added)`).
    pub zero_is_added: bool,
}

impl Enum {
    /// The values in ascending order of their numbers, which is that of every format that counts them.
    pub fn ascending(&self) -> impl Iterator<Item = &EnumValue> {
        let mut values: Vec<&EnumValue> = self.values.iter().collect();
        values.sort_by_key(|value| value.number);
        values.into_iter()
    }
}

/// One value of an enum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnumValue {
    /// Its name in the file.
    pub name: String,
    /// Its number.
    pub number: i32,
}

//! The neutral model of a message definition, which all code generators and IDL lowerings walk.
//!
//! Messages and enums are in flat lists, in the order in which they are reached from the root, so that
//! generators never have to search. A nested type's name starts with the names of its parents.

use prost_reflect::MessageDescriptor;

/// Everything known about a payload's message type.
#[derive(Debug, Clone)]
pub struct Definition {
    /// The messages reachable from the root, the root first.
    pub messages: Vec<Message>,
    /// The enums reachable from the root.
    pub enums: Vec<Enum>,
    /// The root's descriptor, for values whose type is not known at compile time.
    pub descriptor: MessageDescriptor,
    /// The encoded `FileDescriptorSet`, with imports, without source positions.
    pub descriptor_set: Vec<u8>,
    /// The field marked `(wiredyno.sequence)`: the indexes of the required messages from the root to it, then its own
    /// (each an index into the enclosing message's fields). `None` if no field is marked.
    pub sequence: Option<Vec<usize>>,
}

impl Definition {
    /// The index of the payload's message among those of its file, from 0; of a nested one that of its outermost message first.
    pub fn indexes(&self) -> Vec<u32> {
        // Field numbers of descriptor.proto alternate with indexes: `message_type` 4, then `nested_type` 3.
        self.descriptor.path().iter().skip(1).step_by(2).map(|index| index.unsigned_abs()).collect()
    }

    /// The payload's message.
    pub fn root(&self) -> &Message {
        &self.messages[0]
    }

    /// The root's package; empty if the file names none.
    pub fn package(&self) -> &str {
        self.descriptor.package_name()
    }

    /// The field that identifies messages, if the definition marks one.
    pub fn sequence_field(&self) -> Option<&Field> {
        self.sequence_path().and_then(|path| path.last().copied())
    }

    /// The required messages on the way to the field that identifies messages, then that field.
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

    /// The names of that path joined by dots, as runners get it.
    pub fn sequence_name(&self) -> Option<String> {
        let names: Vec<&str> = self.sequence_path()?.iter().map(|field| field.name.as_str()).collect();
        Some(names.join("."))
    }

    /// The only field of a payload that can be sent without encoding: the root has one string or bytes field,
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

    /// Why the payload can't be sent without encoding; `None` if it has a [`Definition::raw_field`].
    pub fn why_not_raw(&self) -> Option<String> {
        let why = || format!("`{}` is more than one plain string or bytes field", self.root().name);
        self.raw_field().is_none().then(why)
    }

    /// The same with the names that generated code in other languages has: `M0`, `f1`, `E0_V0`. Values and bytes of formats without names
    /// stay the same.
    pub fn neutral(&self) -> Definition {
        let mut neutral = self.neutral_types();
        for message in &mut neutral.messages {
            for field in &mut message.fields {
                field.name = format!("f{}", field.number);
            }
            for (place, oneof) in message.oneofs.iter_mut().enumerate() {
                oneof.name = format!("o{place}");
            }
        }
        for (at, declared) in neutral.enums.iter_mut().enumerate() {
            for (place, value) in declared.values.iter_mut().enumerate() {
                value.name = format!("E{at}_V{place}");
            }
        }
        neutral
    }

    /// The same with neutral names of messages and enums only.
    pub fn neutral_types(&self) -> Definition {
        let mut neutral = self.clone();
        for (at, message) in neutral.messages.iter_mut().enumerate() {
            message.name = format!("M{at}");
        }
        for (at, declared) in neutral.enums.iter_mut().enumerate() {
            declared.name = format!("E{at}");
        }
        neutral
    }

    /// Why rkyv can't represent the payload; `None` if it can. Its tags are one byte, and the number of elements that take no
    /// bytes can't be checked against the input.
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

    /// Whether values of the message never hold anything.
    fn is_always_empty(&self, message: usize) -> bool {
        self.messages[message].fields.iter().all(|field| match field.ty {
            Type::Message(inner) => field.cardinality == Cardinality::Implicit && self.is_always_empty(inner),
            _ => false,
        })
    }
}

/// A message type, with its fields and options.
#[derive(Debug, Clone)]
pub struct Message {
    /// Its name, prefixed with those of the enclosing messages: `Outer.Inner` is `OuterInner`.
    pub name: String,
    /// Its full Protobuf name: `wiredyno.payload.person.Person`.
    pub full_name: String,
    /// Its fields, in file order.
    pub fields: Vec<Field>,
    /// Its oneofs, without the synthetic ones of proto3's optional fields.
    pub oneofs: Vec<Oneof>,
    /// Whether `(wiredyno.extensible)` is set: ASN.1 then ends the type in an extension marker.
    pub extensible: bool,
    /// Whether self-describing formats write the value of its only field, or of the present alternative, in its place
    /// (`(wiredyno.stands_for_value)`).
    pub stands_for_value: bool,
    /// Google's well-known type that it is (`(wiredyno.well_known)`), if any.
    pub well_known: Option<WellKnown>,
}

impl Message {
    /// Whether text formats write just the value of its only field, which is always present.
    pub fn stands_for_one_value(&self) -> bool {
        let is_one = |field: &Field| field.cardinality == Cardinality::Implicit;
        self.stands_for_value && matches!(&self.fields[..], [only] if is_one(only))
    }
}

/// Google's well-known types that proto3's JSON mapping does not write as objects, and that hold more than one field's value
/// (<https://protobuf.dev/programming-guides/json/>).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WellKnown {
    /// Seconds since 1970-01-01 UTC, and nanoseconds.
    Timestamp,
    /// Seconds, and nanoseconds of the same sign.
    Duration,
    /// Paths of fields: `user.name`, `photo`.
    FieldMask,
}

impl WellKnown {
    /// All types, with their names in the option.
    pub const ALL: [(&'static str, WellKnown); 3] = [
        ("timestamp", WellKnown::Timestamp),
        ("duration", WellKnown::Duration),
        ("field_mask", WellKnown::FieldMask),
    ];

    /// The type of that name in the option; `None` if there is none.
    pub fn of(name: &str) -> Option<WellKnown> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, known)| *known)
    }

    /// Its name in the option.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }
}

/// A choice among fields, at most one of which is present.
#[derive(Debug, Clone)]
pub struct Oneof {
    /// Its name in the file.
    pub name: String,
    /// The indexes of its fields in [`Message::fields`]; they are consecutive.
    pub fields: Vec<usize>,
    /// Whether `(wiredyno.required_choice)` is set: exactly one of its fields is present.
    pub required: bool,
    /// Whether `(wiredyno.choice_extensible)` is set: ASN.1 then ends the choice in an extension marker.
    pub extensible: bool,
}

/// A field of a message.
#[derive(Debug, Clone)]
pub struct Field {
    /// Its name in the file.
    pub name: String,
    /// Its Protobuf number, unique in the message.
    pub number: u32,
    /// The type of one element.
    pub ty: Type,
    /// How many elements there are.
    pub cardinality: Cardinality,
    /// Whether `(wiredyno.required)` is set: it is always present, and Protobuf writes it whatever its value.
    pub required: bool,
    /// The index of its oneof in [`Message::oneofs`].
    pub oneof: Option<usize>,
    /// Whether Rust needs a `Box`, because the message contains itself through singular fields.
    pub boxed: bool,
    /// Its options of `wiredyno/options.proto`.
    pub options: FieldOptions,
}

/// The type of a field's elements. Protobuf's encodings of the same integer type are not distinguished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// Protobuf's `bool`: true or false.
    Bool,
    /// Signed, 32 bits: `int32`, `sint32` or `sfixed32`.
    I32,
    /// Signed, 64 bits: `int64`, `sint64` or `sfixed64`.
    I64,
    /// Unsigned, 32 bits: `uint32` or `fixed32`.
    U32,
    /// Unsigned, 64 bits: `uint64` or `fixed64`.
    U64,
    /// IEEE 754, 32 bits: `float`.
    F32,
    /// IEEE 754, 64 bits: `double`.
    F64,
    /// UTF-8 text of any length.
    String,
    /// Any bytes, of any number.
    Bytes,
    /// An enum: its index in [`Definition::enums`].
    Enum(usize),
    /// A message: its index in [`Definition::messages`].
    Message(usize),
}

/// How many elements a field has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cardinality {
    /// Exactly one; formats that omit defaults may omit a value equal to the type's default. Also fields
    /// marked `(wiredyno.required)`, which Protobuf never omits.
    Implicit,
    /// One or none: `optional` fields, members of a oneof, singular messages.
    Optional,
    /// Any number of elements, in order.
    Repeated,
    /// Entries with unique keys of this type, in no order.
    Map(Type),
}

/// A field's options of `wiredyno/options.proto`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FieldOptions {
    /// The least and greatest value of an integer.
    pub range: Option<(i64, i64)>,
    /// The exact number of bytes or elements.
    pub fixed_length: Option<u32>,
    /// The maximum number of bytes or elements.
    pub max_length: Option<u32>,
    /// The number of decimals of a fixed-point number: the integer stands for value / 10^scale.
    pub fixed_point_scale: Option<u32>,
    /// Digits in total, and digits after the point.
    pub decimal: Option<(u32, u32)>,
    /// Whether the integer is a Unicode code point.
    pub character: bool,
    /// The form of the value in invented samples: `uuid`, `date-time` ...
    pub format: Option<String>,
    /// Constraints on the values of invented samples.
    pub invented: Invented,
    /// Fields of a oneof: the tag, up to 255, of this alternative in formats with tags of their own.
    pub choice_tag: Option<u32>,
}

/// What a schema states about values and no format uses: invented samples comply with it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Invented {
    /// The least and greatest number of a string's characters or of bytes.
    pub length: (Option<u32>, Option<u32>),
    /// The least and greatest number of elements of a list or map.
    pub count: (Option<u32>, Option<u32>),
    /// The lower bound of numbers, and whether it is itself allowed.
    pub min: Option<(f64, bool)>,
    /// The upper bound of numbers, and whether it is itself allowed.
    pub max: Option<(f64, bool)>,
    /// All numbers are multiples of this one.
    pub multiple_of: Option<f64>,
    /// The only numbers allowed; 1 and 0 for booleans. Empty if there is no such list.
    pub values: Vec<f64>,
    /// A regular expression that strings match.
    pub pattern: Option<String>,
}

impl Invented {
    /// Whether a number satisfies all constraints.
    pub fn holds(&self, number: f64) -> bool {
        let is_above = |(least, is_one): (f64, bool)| number > least || is_one && number == least;
        let is_below = |(most, is_one): (f64, bool)| number < most || is_one && number == most;
        self.min.is_none_or(is_above)
            && self.max.is_none_or(is_below)
            && (self.values.is_empty() || self.values.contains(&number))
    }

    /// The option as text for a .proto file; `None` if there are no constraints.
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

/// An enum type, with its values and options.
#[derive(Debug, Clone)]
pub struct Enum {
    /// Its name, prefixed with those of the enclosing messages.
    pub name: String,
    /// Its full Protobuf name.
    pub full_name: String,
    /// Its values, in file order; the first is the default and has the number 0.
    pub values: Vec<EnumValue>,
    /// Whether `(wiredyno.enum_extensible)` is set: ASN.1 then ends the enumeration in an extension marker.
    pub extensible: bool,
    /// Whether self-describing formats write null in its place (`(wiredyno.stands_for_null)`).
    pub stands_for_null: bool,
    /// Whether the value 0 exists only because proto3 requires one, so that no sample has it (`(wiredyno.zero_is_added)`).
    pub zero_is_added: bool,
}

impl Enum {
    /// The values in ascending order of their numbers, as every format that numbers them by position does.
    pub fn ascending(&self) -> impl Iterator<Item = &EnumValue> {
        let mut values: Vec<&EnumValue> = self.values.iter().collect();
        values.sort_by_key(|value| value.number);
        values.into_iter()
    }
}

/// A value of an enum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnumValue {
    /// Its name in the file.
    pub name: String,
    /// Its Protobuf number; negative ones are allowed.
    pub number: i32,
}

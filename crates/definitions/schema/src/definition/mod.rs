//! Reads `message.proto` into the neutral model, in-process (protox), without protoc.
//!
//! The root message is the one with `option (wiredyno.root) = true;`, else the file's only top-level
//! message, else the only top-level message that no other message refers to. Anything that can't be
//! carried faithfully is refused here, with file and line, so generators need no checks of their own.
//!
//! One file because one reader walks one descriptor, from the root to messages, fields and elements, and refuses on the way.

mod compile;
mod options;
mod recursion;

use std::collections::{HashMap, HashSet};

use heck::ToUpperCamelCase as _;
use prost_reflect::{
    DescriptorPool, DynamicMessage, EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor, Syntax, Value,
};
use prost_types::SourceCodeInfo;

use crate::model::{
    Cardinality, Definition, Enum, EnumValue, Field, FieldOptions, Invented, Message, Oneof, Type, WellKnown,
};

use self::compile::{Compiled, SOURCE_NAME, compile};

/// The text of `wiredyno/options.proto`, which message definitions import.
pub const OPTIONS_PROTO: &str = include_str!("../../proto/wiredyno/options.proto");

const OPTIONS_NAME: &str = "wiredyno/options.proto";

/// Why a message definition is rejected.
#[derive(Debug, thiserror::Error)]
pub enum DefinitionError {
    /// The text is not a valid .proto file.
    #[error("{file}:{reason}")]
    Syntax {
        /// The file as the caller named it.
        file: String,
        /// The parser's error, with line and column.
        reason: String,
    },
    /// The file is valid Protobuf, but has something that this project can't carry.
    #[error("{file}:{line}: {what}; {remedy}")]
    Refused {
        /// The file as the caller named it.
        file: String,
        /// Its line, counted from 1.
        line: usize,
        /// The unsupported construct, by name.
        what: String,
        /// What to write instead.
        remedy: String,
    },
    /// An option of this project is on an element where it is not allowed.
    #[error("{file}:{line}: `({option})` on `{message}{field}`; {remedy}")]
    Misplaced {
        /// The file as the caller named it.
        file: String,
        /// Its line, counted from 1.
        line: usize,
        /// The option's full name: `wiredyno.range`.
        option: String,
        /// The message's name and a dot, if the field's name alone is ambiguous; else empty.
        message: String,
        /// The name of the field with the option.
        field: String,
        /// Where the option is allowed.
        remedy: String,
    },
    /// A descriptor stored by an earlier build can't be read.
    #[error("the stored descriptor of `{message}` can't be read: {reason}; build the payload again")]
    Stored {
        /// The root message's full name.
        message: String,
        /// The error that prost-reflect returned.
        reason: String,
    },
}

impl DefinitionError {
    /// The file at fault, and the line in it.
    pub fn place(&self) -> Option<(&str, usize)> {
        match self {
            DefinitionError::Refused { file, line, .. } | DefinitionError::Misplaced { file, line, .. } => {
                Some((file, *line))
            }
            DefinitionError::Syntax { .. } | DefinitionError::Stored { .. } => None,
        }
    }
}

/// Decodes a descriptor set as stored in [`Definition::descriptor_set`].
pub fn descriptor(set: &[u8], root: &str) -> Result<MessageDescriptor, DefinitionError> {
    let stored = |reason: String| DefinitionError::Stored { message: root.to_owned(), reason };
    DescriptorPool::decode(set)
        .map_err(|error| stored(error.to_string()))?
        .get_message_by_name(root)
        .ok_or_else(|| stored("the message is missing".to_owned()))
}

impl Definition {
    /// Parses the text of a message.proto; `file` names it in errors.
    pub fn from_source(text: &str, file: &str) -> Result<Definition, DefinitionError> {
        let compiled = compile(text, file)?;
        Reader { file, compiled: &compiled, messages: Vec::new(), enums: Vec::new(), known: HashMap::new() }
            .read()
    }
}

struct Reader<'a> {
    file: &'a str,
    compiled: &'a Compiled,
    messages: Vec<Message>,
    enums: Vec<Enum>,
    known: HashMap<String, usize>,
}

impl Reader<'_> {
    fn read(mut self) -> Result<Definition, DefinitionError> {
        let root = self.root()?;
        self.message(&root)?;
        self.no_endless_message(&root)?;
        self.box_recursion();
        self.unique_names(&root)?;
        let sequence = self.sequence(&root)?;
        let mut definition = Definition {
            messages: std::mem::take(&mut self.messages),
            enums: std::mem::take(&mut self.enums),
            descriptor: root,
            descriptor_set: self.compiled.descriptor_set.clone(),
            sequence,
        };
        if let Some((message, why)) = definition.wrong_plain_value() {
            let descriptor = self.compiled.pool.get_message_by_name(&message.full_name);
            let path = descriptor.as_ref().map_or(&[][..], MessageDescriptor::path);
            return Err(self.refuse(
                path,
                format!("`{}` can't stand for a value: {why}", message.name),
                "remove `(wiredyno.stands_for_value)`",
            ));
        }
        if let Some((message, why)) = definition.wrong_well_known() {
            let descriptor = self.compiled.pool.get_message_by_name(&message.full_name);
            let path = descriptor.as_ref().map_or(&[][..], MessageDescriptor::path);
            return Err(self.refuse(
                path,
                format!("`{}` is not a well-known type: {why}", message.name),
                "remove `(wiredyno.well_known)`",
            ));
        }
        definition.unmark_ambiguous_values();
        Ok(definition)
    }

    /// The well-known type that the option names, if any; the message's fields are not checked yet.
    fn well_known(&self, message: &MessageDescriptor) -> Result<Option<WellKnown>, DefinitionError> {
        let Some(name) = value(&message.options(), "wiredyno.well_known") else { return Ok(None) };
        let name = name.as_str().unwrap_or_default();
        match WellKnown::ALL.iter().find(|(known, _)| *known == name) {
            Some((_, known)) => Ok(Some(*known)),
            None => Err(self.refuse(
                message.path(),
                format!("`(wiredyno.well_known)` of `{}` is \"{name}\"", message.name()),
                &format!("write one of {}", WellKnown::ALL.map(|(name, _)| name).join(", ")),
            )),
        }
    }

    /// The line of the element with this path, counted from 1.
    fn line(&self, path: &[i32]) -> usize {
        let at = |positions: &SourceCodeInfo| {
            let location = positions.location.iter().find(|location| location.path == path)?;
            location.span.first().map(|line| *line as usize + 1)
        };
        self.compiled.positions.as_ref().and_then(at).unwrap_or(1)
    }

    fn refuse(&self, path: &[i32], what: String, remedy: &str) -> DefinitionError {
        let (file, line) = (self.file.to_owned(), self.line(path));
        DefinitionError::Refused { file, line, what, remedy: remedy.to_owned() }
    }

    /// The error for an option on a field where it is not allowed.
    fn misplaced(&self, field: &FieldDescriptor, option: &str, remedy: &str) -> DefinitionError {
        DefinitionError::Misplaced {
            file: self.file.to_owned(),
            line: self.line(field.path()),
            option: option.to_owned(),
            message: String::new(),
            field: field.name().to_owned(),
            remedy: remedy.to_owned(),
        }
    }

    fn root(&self) -> Result<MessageDescriptor, DefinitionError> {
        let Some(file) = self.compiled.pool.get_file_by_name(SOURCE_NAME) else {
            return Err(self.refuse(&[], "the file vanished".to_owned(), "report this"));
        };
        if file.syntax() != Syntax::Proto3 {
            return Err(self.refuse(&[12], "this is not proto3".to_owned(), "write `syntax = \"proto3\";`"));
        }
        let all: Vec<_> = file.messages().collect();
        let marked: Vec<_> = all.iter().filter(|m| flag(&m.options(), "wiredyno.root")).collect();
        let referred: HashSet<_> = all
            .iter()
            .flat_map(|message| message.fields().map(move |field| (message.clone(), field)))
            .filter_map(|(message, field)| match field.kind() {
                Kind::Message(target) if target != message => Some(target.full_name().to_owned()),
                _ => None,
            })
            .collect();
        let free: Vec<_> = all.iter().filter(|m| !referred.contains(m.full_name())).collect();
        match (marked.as_slice(), all.as_slice(), free.as_slice()) {
            ([root], _, _) => Ok((*root).clone()),
            ([], [only], _) => Ok(only.clone()),
            ([], _, [only]) => Ok((*only).clone()),
            ([_, second, ..], _, _) => Err(self.refuse(
                second.path(),
                format!("`{}` is the second message marked as root", second.name()),
                "mark one only",
            )),
            _ => Err(self.refuse(
                &[],
                format!("{} top-level messages could be the payload's", free.len()),
                "put `option (wiredyno.root) = true;` into the intended one",
            )),
        }
    }

    fn message(&mut self, message: &MessageDescriptor) -> Result<usize, DefinitionError> {
        if let Some(index) = self.known.get(message.full_name()) {
            return Ok(*index);
        }
        if message.parent_file().name() != SOURCE_NAME {
            return Err(self.refuse(
                &[],
                format!("`{}` comes from another file", message.full_name()),
                "define the message in this file, or let `wiredyno new` do that, which supports well-known types",
            ));
        }
        let index = self.messages.len();
        self.known.insert(message.full_name().to_owned(), index);
        self.messages.push(Message {
            name: flat_name(message.package_name(), message.full_name()),
            full_name: message.full_name().to_owned(),
            fields: Vec::new(),
            oneofs: Vec::new(),
            extensible: flag(&message.options(), "wiredyno.extensible"),
            stands_for_value: flag(&message.options(), "wiredyno.stands_for_value"),
            well_known: self.well_known(message)?,
        });
        let mut declared: Vec<_> = message.fields().map(|field| (field.path().to_vec(), field)).collect();
        declared.sort_by(|a, b| a.0.cmp(&b.0));
        let mut oneofs: Vec<Oneof> = Vec::new();
        let mut fields: Vec<Field> = Vec::new();
        for (_, descriptor) in declared {
            let mut field = self.field(&descriptor)?;
            if let Some(oneof) = descriptor.containing_oneof().filter(|oneof| !oneof.is_synthetic()) {
                let known = oneofs.iter().position(|known| known.name == oneof.name());
                let place = known.unwrap_or_else(|| {
                    oneofs.push(Oneof {
                        name: oneof.name().to_owned(),
                        fields: Vec::new(),
                        required: flag(&oneof.options(), "wiredyno.required_choice"),
                        extensible: flag(&oneof.options(), "wiredyno.choice_extensible"),
                    });
                    oneofs.len() - 1
                });
                oneofs[place].fields.push(fields.len());
                field.oneof = Some(place);
            }
            fields.push(field);
        }
        self.messages[index].fields = fields;
        self.messages[index].oneofs = oneofs;
        Ok(index)
    }

    fn field(&mut self, field: &FieldDescriptor) -> Result<Field, DefinitionError> {
        let kind = field.kind();
        let (ty, cardinality) = match &kind {
            Kind::Message(entry) if field.is_map() => {
                let key = self.element(&entry.map_entry_key_field())?;
                (self.element(&entry.map_entry_value_field())?, Cardinality::Map(key))
            }
            _ if field.is_list() => (self.element(field)?, Cardinality::Repeated),
            _ if flag(&field.options(), "wiredyno.required") => {
                if !field.supports_presence()
                    || field.containing_oneof().is_some_and(|one| !one.is_synthetic())
                {
                    return Err(self.misplaced(
                        field,
                        "wiredyno.required",
                        "this option belongs on singular message fields and `optional` fields, outside a oneof",
                    ));
                }
                (self.element(field)?, Cardinality::Implicit)
            }
            _ if field.supports_presence() => (self.element(field)?, Cardinality::Optional),
            _ => (self.element(field)?, Cardinality::Implicit),
        };
        let options = self.options(field, ty, cardinality)?;
        Ok(Field {
            name: field.name().to_owned(),
            number: field.number(),
            ty,
            cardinality,
            required: flag(&field.options(), "wiredyno.required"),
            oneof: None,
            boxed: false,
            options,
        })
    }

    fn element(&mut self, field: &FieldDescriptor) -> Result<Type, DefinitionError> {
        Ok(match field.kind() {
            Kind::Bool => Type::Bool,
            Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Type::I32,
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Type::I64,
            Kind::Uint32 | Kind::Fixed32 => Type::U32,
            Kind::Uint64 | Kind::Fixed64 => Type::U64,
            Kind::Float => Type::F32,
            Kind::Double => Type::F64,
            Kind::String => Type::String,
            Kind::Bytes => Type::Bytes,
            Kind::Message(message) => Type::Message(self.message(&message)?),
            Kind::Enum(descriptor) => Type::Enum(self.enumeration(&descriptor)?),
        })
    }

    fn enumeration(&mut self, descriptor: &EnumDescriptor) -> Result<usize, DefinitionError> {
        let known = self.enums.iter().position(|known| known.full_name == descriptor.full_name());
        if let Some(index) = known {
            return Ok(index);
        }
        let values: Vec<_> = descriptor
            .values()
            .map(|value| EnumValue { name: value.name().to_owned(), number: value.number() })
            .collect();
        let mut numbers = HashSet::new();
        if let Some(twice) = values.iter().find(|value| !numbers.insert(value.number)) {
            return Err(self.refuse(
                descriptor.path(),
                format!("`{}` has the number {} of another value", twice.name, twice.number),
                "aliases can't be told apart after a round trip: give each value its own number",
            ));
        }
        let stands_for_null = flag(&descriptor.options(), "wiredyno.stands_for_null");
        if stands_for_null && values.len() > 1 {
            return Err(self.refuse(
                descriptor.path(),
                format!("`{}` stands for null and has {} values", descriptor.name(), values.len()),
                "remove `(wiredyno.stands_for_null)`",
            ));
        }
        let zero_is_added = has_added_zero(descriptor);
        if zero_is_added && values.len() < 2 {
            return Err(self.refuse(
                descriptor.path(),
                format!("the only value of `{}` is the added zero", descriptor.name()),
                "remove `(wiredyno.zero_is_added)`",
            ));
        }
        self.enums.push(Enum {
            stands_for_null,
            zero_is_added,
            name: flat_name(descriptor.package_name(), descriptor.full_name()),
            full_name: descriptor.full_name().to_owned(),
            values,
            extensible: flag(&descriptor.options(), "wiredyno.enum_extensible"),
        });
        Ok(self.enums.len() - 1)
    }

    fn unique_names(&self, root: &MessageDescriptor) -> Result<(), DefinitionError> {
        let mut names = HashSet::new();
        let all = self.messages.iter().map(|m| &m.name).chain(self.enums.iter().map(|e| &e.name));
        for name in all {
            // Compares names as languages with CamelCase names write them.
            if !names.insert(name.to_upper_camel_case().to_ascii_lowercase()) {
                return Err(self.refuse(
                    root.path(),
                    format!("two types are called `{name}` once nesting is removed"),
                    "rename one of them",
                ));
            }
        }
        Ok(())
    }
}

/// The options of a field, not yet validated.
pub(crate) fn read_options(field: &FieldDescriptor) -> FieldOptions {
    let options = field.options();
    let number = |name: &str| value(&options, name).and_then(|value| value.as_u32());
    let pair = |name: &str, first: &str, second: &str| {
        let value = value(&options, name)?;
        let message = value.as_message()?;
        Some((
            message.get_field_by_name(first)?.into_owned(),
            message.get_field_by_name(second)?.into_owned(),
        ))
    };
    FieldOptions {
        range: pair("wiredyno.range", "min", "max").and_then(|(a, b)| Some((a.as_i64()?, b.as_i64()?))),
        fixed_length: number("wiredyno.fixed_length"),
        max_length: number("wiredyno.max_length"),
        fixed_point_scale: number("wiredyno.fixed_point_scale"),
        decimal: pair("wiredyno.decimal", "precision", "scale")
            .and_then(|(a, b)| Some((a.as_u32()?, b.as_u32()?))),
        character: flag(&options, "wiredyno.character"),
        format: value(&options, "wiredyno.format").and_then(|value| value.as_str().map(str::to_owned)),
        invented: value(&options, "wiredyno.invented")
            .and_then(|value| Some(invented(value.as_message()?)))
            .unwrap_or_default(),
        choice_tag: number("wiredyno.choice_tag"),
    }
}

fn invented(said: &DynamicMessage) -> Invented {
    let of = |name: &str| said.has_field_by_name(name).then(|| said.get_field_by_name(name)).flatten();
    let whole = |name: &str| of(name).and_then(|value| value.as_u32());
    let number = |name: &str| of(name).and_then(|value| value.as_f64());
    let is_without = |name: &str| of(name).and_then(|value| value.as_bool()).unwrap_or(false);
    Invented {
        length: (whole("min_length"), whole("max_length")),
        count: (whole("min_count"), whole("max_count")),
        min: number("min").map(|value| (value, !is_without("without_min"))),
        max: number("max").map(|value| (value, !is_without("without_max"))),
        multiple_of: number("multiple_of").filter(|value| *value > 0.0),
        values: of("values")
            .and_then(|values| Some(values.as_list()?.iter().filter_map(Value::as_f64).collect()))
            .unwrap_or_default(),
        pattern: of("pattern").and_then(|value| value.as_str().map(str::to_owned)),
    }
}

/// Turns `pkg.Outer.Inner` into `OuterInner`.
fn flat_name(package: &str, full_name: &str) -> String {
    let local = full_name.strip_prefix(package).unwrap_or(full_name);
    local.split('.').filter(|part| !part.is_empty()).collect()
}

/// The value of one of the project's options; `None` if it is not set.
pub(crate) fn value(options: &DynamicMessage, name: &str) -> Option<Value> {
    options.extensions().find(|(extension, _)| extension.full_name() == name).map(|(_, value)| value.clone())
}

/// Whether an enum's value 0 exists only because proto3 requires it.
pub(crate) fn has_added_zero(declared: &EnumDescriptor) -> bool {
    flag(&declared.options(), "wiredyno.zero_is_added")
}

pub(crate) fn flag(options: &DynamicMessage, name: &str) -> bool {
    value(options, name).and_then(|value| value.as_bool()).unwrap_or(false)
}

#[cfg(test)]
mod tests;

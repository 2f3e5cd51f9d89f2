//! Imports a .proto file with its imports as a definition: proto2, proto3 and edition 2023, maps, oneofs, well-known types.
//!
//! All messages that the chosen one needs go into one proto3 file with the same numbers and
//! wire types, so that Protobuf's bytes stay the same; well-known types become messages marked as such. What .proto can
//! express and proto3 can't (defaults, extensions, aliases of an enum's value) becomes comments; groups are refused.
//!
//! One file because the definition and values of it are converted by the same rules.

mod choose;
mod files;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use prost_reflect::{
    Cardinality, DescriptorPool, DynamicMessage, EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor,
    ReflectMessage, Syntax, Value,
};
use protox::Compiler;
use protox::file::{ChainFileResolver, GoogleFileResolver};

use super::ImportError;
use super::draft::{Allowed, Draft, DraftEnum, DraftField, DraftMessage, DraftShape, DraftType, StandsFor};
use super::editions::Older;
use super::identifier::{Scope, is_value, type_name};
use super::imports::Missing;
use crate::definition::{DefinitionError, flag, has_added_zero, read_options, value};
use crate::model::{Definition, WellKnown};

use self::choose::choose;
use self::files::{Above, Places};

/// The result of importing a .proto file.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The definition, with the message as its root.
    pub draft: Draft,
    /// The message as the file defines it, for parsing samples in the proto3 JSON mapping.
    pub message: MessageDescriptor,
}

/// Google's types that proto3's JSON mapping represents by the value of their only field.
const STAND_ALONE: [&str; 11] = [
    "google.protobuf.BoolValue",
    "google.protobuf.BytesValue",
    "google.protobuf.DoubleValue",
    "google.protobuf.FloatValue",
    "google.protobuf.Int32Value",
    "google.protobuf.Int64Value",
    "google.protobuf.UInt32Value",
    "google.protobuf.UInt64Value",
    "google.protobuf.StringValue",
    "google.protobuf.ListValue",
    "google.protobuf.Struct",
];

/// Google's types that the mapping represents as strings.
const MAPPED: [(&str, WellKnown); 3] = [
    ("google.protobuf.Timestamp", WellKnown::Timestamp),
    ("google.protobuf.Duration", WellKnown::Duration),
    ("google.protobuf.FieldMask", WellKnown::FieldMask),
];

/// Google's type that the mapping represents as any value: null, a number, a string, a boolean, an object, a list.
const ANY_VALUE: &str = "google.protobuf.Value";

/// Google's enum that the mapping represents as null.
const NULL: &str = "google.protobuf.NullValue";

/// Google's type whose JSON form no codec writes: its content is known only for each value.
const ANY: &str = "google.protobuf.Any";

/// The names of files in an edition, before they were rewritten.
type Editions = Arc<Mutex<HashSet<String>>>;

/// Something in a file that can't be carried, with the file's name, found before the compiler runs.
type Refused = Arc<Mutex<Option<(String, Older)>>>;

/// The files that were read, with the names under which they import each other.
type Files = Arc<Mutex<Vec<(String, PathBuf, Vec<Missing>)>>>;

/// The name under which files import this project's options.
const OPTIONS_NAME: &str = "wiredyno/options.proto";

/// Imports a .proto file. `message` selects one of several messages that could be the payload's.
///
/// # Errors
/// When the file is invalid, when the message does not exist or is ambiguous, or when it can't be carried.
pub fn import(path: &Path, message: Option<&str>, payload: &str) -> Result<Imported, ImportError> {
    let file = path.display().to_string();
    let refuse = |line: usize, what: String, remedy: &str| ImportError::Refused {
        file: file.clone(),
        line,
        what,
        remedy: remedy.to_owned(),
    };
    let absolute = std::path::absolute(path).map_err(|error| refuse(1, error.to_string(), "name a file"))?;
    let name = absolute.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut resolver = ChainFileResolver::new();
    let (editions, refused, files) = (Editions::default(), Refused::default(), Files::default());
    let folders = absolute.ancestors().skip(1).map(Path::to_owned).collect();
    resolver.add(Above {
        folders,
        editions: editions.clone(),
        refused: refused.clone(),
        files: files.clone(),
    });
    resolver.add(GoogleFileResolver::new());
    let mut compiler = Compiler::with_file_resolver(resolver);
    compiler.include_imports(true).include_source_info(true);
    let opened = compiler.open_file(&name);
    let read = std::mem::take(&mut *files.lock().unwrap_or_else(PoisonError::into_inner));
    let places = Places { own: (name.clone(), file.clone()), read };
    opened.map_err(|error| match refused.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some((of, (line, what, remedy))) => places.refused(&of, line, what, remedy),
        None => places.refusal(&format!("{error:?}")),
    })?;
    let pool = DescriptorPool::decode(compiler.encode_file_descriptor_set().as_slice())
        .map_err(|error| refuse(1, error.to_string(), "report this"))?;
    let root = choose(&pool, &name, message).map_err(|(what, remedy)| refuse(1, what, &remedy))?;
    let mut reader = Reader {
        places: &places,
        editions,
        draft: Draft::default(),
        types: Scope::default(),
        messages: HashMap::new(),
        enums: HashMap::new(),
    };
    reader.draft.payload = payload.to_owned();
    reader.draft.about = vec![format!("Made from the message {} of {file}.", root.full_name())];
    let left_out = places.left_out();
    reader.draft.about.extend(left_out.iter().cloned());
    reader.draft.remarks.extend(left_out);
    reader.message(&root)?;
    reader.refuse_endless(&pool)?;
    reader.draft.propose_sequence();
    // This project's own options are checked as in any definition; errors in them are errors in the file.
    let judged = Definition::from_source(&reader.draft.to_proto(), &file);
    if let Err(DefinitionError::Misplaced { option, message, field, remedy, .. }) = judged {
        let what = format!("`({option})` on `{message}{field}`");
        let (file, line) = places.of_option(&field);
        return Err(ImportError::Refused { file, line, what, remedy });
    }
    Ok(Imported { draft: reader.draft, message: root })
}

/// Converts a sample to the definition's type, field by field, because both types have the same numbers.
///
/// # Errors
/// With what the definition has no place for, or what the file requires and the sample lacks.
pub fn convert(value: &DynamicMessage, to: &MessageDescriptor) -> Result<DynamicMessage, String> {
    if let Some((extension, _)) = value.extensions().next() {
        return Err(format!(
            "the value has the extension `{}`, and a definition has none: write it as a field of `{}` in the .proto file",
            extension.full_name(),
            value.descriptor().name()
        ));
    }
    let mut made = DynamicMessage::new(to.clone());
    for field in value.descriptor().fields() {
        if field.cardinality() == Cardinality::Required && !value.has_field(&field) {
            return Err(format!(
                "`{}` of `{}` is absent, and required",
                field.name(),
                value.descriptor().name()
            ));
        }
        // The library takes minus zero for the default, but Protobuf writes it.
        if field.supports_presence() && !value.has_field(&field) {
            continue;
        }
        let own = to.get_field(field.number());
        let own = own.ok_or_else(|| format!("`{}` is lost; report this", field.name()))?;
        let of = |error| format!("`{}` of `{}` is {error}", field.name(), value.descriptor().name());
        made.set_field(&own, converted(&value.get_field(&field), &own.kind(), &of)?);
    }
    Ok(made)
}

/// `of` adds the path of the value to an error.
fn converted(value: &Value, to: &Kind, of: &dyn Fn(String) -> String) -> Result<Value, String> {
    Ok(match (value, to) {
        (Value::EnumNumber(number), Kind::Enum(declared))
            if declared.get_value(*number).is_none() || *number == 0 && has_added_zero(declared) =>
        {
            return Err(of(format!(
                "{number}, for which the enum has no name: a definition has no other numbers"
            )));
        }
        (Value::Map(entries), Kind::Message(entry)) => {
            let kind = entry.map_entry_value_field().kind();
            let entries = entries.iter().map(|(key, value)| Ok((key.clone(), converted(value, &kind, of)?)));
            Value::Map(entries.collect::<Result<_, String>>()?)
        }
        (Value::List(list), _) => {
            Value::List(list.iter().map(|value| converted(value, to, of)).collect::<Result<_, _>>()?)
        }
        (Value::Message(message), Kind::Message(to)) => Value::Message(convert(message, to)?),
        (value, _) => value.clone(),
    })
}

struct Reader<'a> {
    places: &'a Places,
    /// Files in an edition: their lists are packed by default.
    editions: Editions,
    draft: Draft,
    types: Scope,
    messages: HashMap<String, usize>,
    enums: HashMap<String, usize>,
}

impl Reader<'_> {
    /// An error at a position in the file or in one of its imports.
    fn refuse(
        &self,
        file: &prost_reflect::FileDescriptor,
        path: &[i32],
        what: String,
        remedy: &str,
    ) -> ImportError {
        let info = file.file_descriptor_proto().source_code_info.as_ref();
        let at = info.and_then(|info| info.location.iter().find(|location| location.path == path));
        let line = at.and_then(|location| location.span.first()).map_or(1, |line| *line as usize + 1);
        self.places.refused(file.name(), line, what, remedy)
    }

    fn refuse_endless(&self, pool: &DescriptorPool) -> Result<(), ImportError> {
        let Some((endless, key)) = self.draft.endless() else { return Ok(()) };
        let mut known = self.messages.iter();
        let name = known.find_map(|(name, index)| (*index == endless).then_some(name.as_str()));
        let Some(message) = name.and_then(|name| pool.get_message_by_name(name)) else { return Ok(()) };
        let what =
            format!("`{}` always contains itself in `{key}`: no value could be finite", message.name());
        Err(self.refuse(
            &message.parent_file(),
            message.path(),
            what,
            "make one of the fields in the cycle optional",
        ))
    }

    #[expect(
        clippy::too_many_lines,
        reason = "a message's options and comments in order, then its fields, with the draft's index reserved in between"
    )]
    fn message(&mut self, message: &MessageDescriptor) -> Result<usize, ImportError> {
        if let Some(index) = self.messages.get(message.full_name()) {
            return Ok(*index);
        }
        let index = self.draft.messages.len();
        self.messages.insert(message.full_name().to_owned(), index);
        let local = message.full_name().strip_prefix(message.package_name()).unwrap_or(message.full_name());
        let name = self.types.take(&type_name(&local.replace('.', "_"), "Message"));
        let mut comments = comments(&message.parent_file(), message.path());
        if message.extension_ranges().next().is_some() {
            let remark = "Its extensions are left out.".to_owned();
            self.draft.remarks.push(format!("{name}: {remark}"));
            comments.push(remark);
        }
        // The payload's root is a message, whatever its type.
        let is_root = index == 0;
        let mapped = MAPPED.iter().find(|(name, _)| *name == message.full_name() && !is_root);
        let said = value(&message.options(), "wiredyno.well_known");
        let said = said
            .as_ref()
            .and_then(|name| WellKnown::ALL.iter().find(|(known, _)| Some(*known) == name.as_str()));
        let well_known = mapped.or(said).map(|(_, known)| *known);
        let stands_alone =
            STAND_ALONE.contains(&message.full_name()) || well_known == Some(WellKnown::FieldMask);
        let is_marked = flag(&message.options(), "wiredyno.stands_for_value");
        let stands_for = match message.full_name() {
            ANY_VALUE if !is_root => StandsFor::Choice,
            _ if is_marked || stands_alone && !is_root => StandsFor::Value,
            _ => StandsFor::Object,
        };
        if message.full_name() == ANY {
            let remark = "proto3's JSON mapping writes the inner message's fields next to `@type`; all codecs write its type and \
                          bytes.";
            self.draft.remarks.push(format!("{name}: {remark}"));
            comments.push(remark.to_owned());
        }
        if stands_alone
            && !is_root
            && message.fields().len() == 1
            && message.name().ends_with("Value")
            && message.name() != "ListValue"
        {
            comments
                .push("A wrapper: a message with one field in Protobuf, in JSON the value alone.".to_owned());
        }
        let made =
            DraftMessage { name: name.clone(), comments, stands_for, well_known, ..DraftMessage::default() };
        self.draft.messages.push(made);
        let mut declared: Vec<FieldDescriptor> = message.fields().collect();
        declared.sort_by(|a, b| a.path().cmp(b.path()));
        let mut oneofs: Vec<(String, bool)> = Vec::new();
        let mut fields = Vec::new();
        for descriptor in declared {
            let mut field = self.field(&descriptor, &name)?;
            if let Some(oneof) = descriptor.containing_oneof().filter(|oneof| !oneof.is_synthetic()) {
                let known = oneofs.iter().position(|(known, _)| known == oneof.name());
                field.oneof = Some(known.unwrap_or_else(|| {
                    // A Value without one of its kinds does not occur there.
                    let is_always_there = message.full_name() == ANY_VALUE
                        || flag(&oneof.options(), "wiredyno.required_choice");
                    oneofs.push((oneof.name().to_owned(), is_always_there));
                    oneofs.len() - 1
                }));
                field.shape = DraftShape::One;
            }
            fields.push(field);
        }
        self.draft.messages[index].fields = fields;
        self.draft.messages[index].oneofs = oneofs;
        Ok(index)
    }

    fn field(&mut self, field: &FieldDescriptor, message: &str) -> Result<DraftField, ImportError> {
        let file = field.parent_message().parent_file();
        if field.is_group() {
            let remedy = "groups have a wire type of their own: write a message field";
            return Err(self.refuse(
                &file,
                field.path(),
                format!("`{}.{}` is a group", field.parent_message().full_name(), field.name()),
                remedy,
            ));
        }
        let (ty, shape) = match field.kind() {
            Kind::Message(entry) if field.is_map() => {
                let key = self.element(&entry.map_entry_key_field())?;
                (self.element(&entry.map_entry_value_field())?, DraftShape::Map(key))
            }
            _ if field.is_list() => (self.element(field)?, DraftShape::List),
            _ if field.cardinality() == Cardinality::Required
                || flag(&field.options(), "wiredyno.required") =>
            {
                let ty = self.element(field)?;
                let is_message = matches!(ty, DraftType::Message(_));
                (ty, if is_message { DraftShape::One } else { DraftShape::Required })
            }
            _ if field.supports_presence() => (self.element(field)?, DraftShape::Optional),
            _ => (self.element(field)?, DraftShape::One),
        };
        let mut comments = comments(&file, field.path());
        if field.parent_message().parent_file().syntax() == Syntax::Proto2
            && let Some(default) = &field.field_descriptor_proto().default_value
        {
            let remark = format!("Default in the file: {default}.");
            self.draft.remarks.push(format!("{message}.{}: {remark}", field.name()));
            comments.push(remark);
        }
        Ok(DraftField {
            name: field.name().to_owned(),
            key: field.name().to_owned(),
            number: field.number(),
            ty,
            shape,
            oneof: None,
            branch: None,
            allowed: Allowed::default(),
            invented: read_options(field).invented,
            options: self.layout(field, shape).into_iter().chain(option_texts(field)).collect(),
            comments,
        })
    }

    /// The option that affects the field's bytes, apart from its type.
    fn layout(&self, field: &FieldDescriptor, shape: DraftShape) -> Option<String> {
        let is_number = !matches!(field.kind(), Kind::String | Kind::Bytes | Kind::Message(_));
        let packed = field.field_descriptor_proto().options.as_ref().and_then(|options| options.packed);
        let file = field.parent_file();
        let is_of_edition =
            || self.editions.lock().unwrap_or_else(PoisonError::into_inner).contains(file.name());
        let by_default = file.syntax() != Syntax::Proto2 || is_of_edition();
        let is_unpacked = shape == DraftShape::List && is_number && !packed.unwrap_or(by_default);
        is_unpacked.then(|| "packed = false".to_owned())
    }

    fn element(&mut self, field: &FieldDescriptor) -> Result<DraftType, ImportError> {
        Ok(match field.kind() {
            Kind::Bool => DraftType::Bool,
            Kind::Int32 => DraftType::Int32,
            Kind::Int64 => DraftType::Int64,
            Kind::Uint32 => DraftType::Uint32,
            Kind::Uint64 => DraftType::Uint64,
            Kind::Sint32 => DraftType::Sint32,
            Kind::Sint64 => DraftType::Sint64,
            Kind::Fixed32 => DraftType::Fixed32,
            Kind::Fixed64 => DraftType::Fixed64,
            Kind::Sfixed32 => DraftType::Sfixed32,
            Kind::Sfixed64 => DraftType::Sfixed64,
            Kind::Float => DraftType::Float,
            Kind::Double => DraftType::Double,
            Kind::String => DraftType::String,
            Kind::Bytes => DraftType::Bytes,
            Kind::Message(message) => DraftType::Message(self.message(&message)?),
            Kind::Enum(declared) => DraftType::Enum(self.enumeration(&declared)?),
        })
    }

    fn enumeration(&mut self, declared: &EnumDescriptor) -> Result<usize, ImportError> {
        if let Some(index) = self.enums.get(declared.full_name()) {
            return Ok(*index);
        }
        let local =
            declared.full_name().strip_prefix(declared.package_name()).unwrap_or(declared.full_name());
        let name = self.types.take_enum(&type_name(&local.replace('.', "_"), "Enum"));
        let mut values: Vec<(String, i32, String)> = declared
            .values()
            .map(|v| {
                let own = v.name().to_owned();
                // Here the enum may have another name.
                let kept = if is_value(&own, &name) { own.clone() } else { format!("symbol_{own}") };
                (kept, v.number(), own)
            })
            .collect();
        let mut comments = comments(&declared.parent_file(), declared.path());
        // Google's libraries read every alias of a number, and write the first.
        let mut places: Vec<_> = declared.values().collect();
        places.sort_by(|a, b| a.path().cmp(b.path()));
        let mut firsts: HashMap<i32, String> = HashMap::new();
        for value in places {
            firsts.entry(value.number()).or_insert_with(|| value.name().to_owned());
        }
        values.retain(|(_, number, own)| {
            let Some(first) = firsts.get(number).filter(|first| *first != own) else { return true };
            let remark = format!("{own} is another name of {first} in the file.");
            self.draft.remarks.push(format!("{name}: {remark}"));
            comments.push(remark);
            false
        });
        // proto3 requires the value 0 first.
        let zero = values.iter().position(|(_, number, _)| *number == 0);
        match zero {
            Some(zero) => values[..=zero].rotate_right(1),
            None => {
                let mut zero = format!("{}_ZERO", name.to_ascii_uppercase());
                while values.iter().any(|(known, ..)| *known == zero) {
                    zero.push('_');
                }
                let remark = format!("{zero} is added: proto3 requires a value 0.");
                self.draft.remarks.push(format!("{name}: {remark}"));
                comments.push(remark);
                values.insert(0, (zero.clone(), 0, zero));
            }
        }
        self.draft.enums.push(DraftEnum {
            name,
            comments,
            values,
            stands_for_null: declared.full_name() == NULL
                || flag(&declared.options(), "wiredyno.stands_for_null"),
            zero_is_added: zero.is_none() || has_added_zero(declared),
        });
        self.enums.insert(declared.full_name().to_owned(), self.draft.enums.len() - 1);
        Ok(self.draft.enums.len() - 1)
    }
}

/// The comment above an element of the file.
fn comments(file: &prost_reflect::FileDescriptor, path: &[i32]) -> Vec<String> {
    // Google's own files have long explanations.
    if file.name().starts_with("google/protobuf/") {
        return Vec::new();
    }
    let info = file.file_descriptor_proto().source_code_info.as_ref();
    let at = info.and_then(|info| info.location.iter().find(|location| location.path == path));
    let text = at.and_then(|location| location.leading_comments.as_deref()).unwrap_or_default();
    text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// This project's options, if the file already has some.
fn option_texts(field: &FieldDescriptor) -> Vec<String> {
    let found = read_options(field);
    let mut texts = Vec::new();
    if flag(&field.options(), "wiredyno.sequence") {
        texts.push("(wiredyno.sequence) = true".to_owned());
    }
    if let Some((min, max)) = found.range {
        texts.push(format!("(wiredyno.range) = {{ min: {min}, max: {max} }}"));
    }
    let mut number = |name: &str, value: Option<u32>| {
        texts.extend(value.map(|value| format!("(wiredyno.{name}) = {value}")));
    };
    number("fixed_length", found.fixed_length);
    number("max_length", found.max_length);
    number("fixed_point_scale", found.fixed_point_scale);
    if found.character {
        texts.push("(wiredyno.character) = true".to_owned());
    }
    if let Some((precision, scale)) = found.decimal {
        texts.push(format!("(wiredyno.decimal) = {{ precision: {precision}, scale: {scale} }}"));
    }
    texts.extend(found.format.map(|format| format!("(wiredyno.format) = {format:?}")));
    texts
}

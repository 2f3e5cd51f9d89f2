//! Reads `message.proto` into the neutral model, in-process (protox), without protoc.
//!
//! The root message is the one with `option (wiredyno.root) = true;`, else the file's only top-level
//! message, else the only top-level message that no other message refers to. Anything that can't be
//! carried faithfully is refused here, with file and line, so generators need no checks of their own.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use heck::ToUpperCamelCase as _;
use prost_reflect::{
    DescriptorPool, DynamicMessage, EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor, Syntax, Value,
};
use prost_types::{FileDescriptorProto, SourceCodeInfo};
use protox::Compiler;
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver};

use crate::model::{
    Cardinality, Definition, Enum, EnumValue, Field, FieldOptions, Invented, Message, Oneof, Type, WellKnown,
};

/// The text of `wiredyno/options.proto`, which message definitions import.
pub const OPTIONS_PROTO: &str = include_str!("../proto/wiredyno/options.proto");

const OPTIONS_NAME: &str = "wiredyno/options.proto";
const SOURCE_NAME: &str = "message.proto";

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

/// Resolves the one source file by a fixed name.
struct OneSource(String);

impl FileResolver for OneSource {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        match name {
            SOURCE_NAME => File::from_source(name, &self.0),
            OPTIONS_NAME => File::from_source(name, OPTIONS_PROTO),
            _ => Err(protox::Error::file_not_found(name)),
        }
    }
}

/// A compiled source file.
struct Compiled {
    pool: DescriptorPool,
    /// The file and its imports, without source positions.
    descriptor_set: Vec<u8>,
    /// Source positions in the file.
    positions: Option<SourceCodeInfo>,
}

fn compile(text: &str, file: &str) -> Result<Compiled, DefinitionError> {
    match compile_quickly(text) {
        Some(compiled) => Ok(compiled),
        None => compile_any(text, file),
    }
}

/// A fast path for a file that imports only the options, or nothing: the options, which would dominate the time, are compiled
/// once per process. Returns `None` for any other file and for any error, which [`compile_any`] then handles.
fn compile_quickly(text: &str) -> Option<Compiled> {
    static OPTIONS: LazyLock<Option<DescriptorPool>> = LazyLock::new(|| {
        let mut options = FileDescriptorProto::from(File::from_source(OPTIONS_NAME, OPTIONS_PROTO).ok()?);
        options.source_code_info = None;
        let imports: Option<Vec<FileDescriptorProto>> = options
            .dependency
            .iter()
            .map(|import| Some(GoogleFileResolver::new().open_file(import).ok()?.into()))
            .collect();
        let mut pool = DescriptorPool::new();
        pool.add_file_descriptor_protos(imports?.into_iter().chain([options])).ok()?;
        Some(pool)
    });
    // Options that decide the encoding are applied too late here: lists would count as packed.
    if text.contains("packed") {
        return None;
    }
    let mut source = FileDescriptorProto::from(File::from_source(SOURCE_NAME, text).ok()?);
    let mut pool = match source.dependency.as_slice() {
        [] => DescriptorPool::new(),
        [only] if only == OPTIONS_NAME => OPTIONS.clone()?,
        _ => return None,
    };
    let positions = source.source_code_info.take();
    pool.add_file_descriptor_proto(source).ok()?;
    let descriptor_set = pool.encode_to_vec();
    Some(Compiled { pool, descriptor_set, positions })
}

/// Compiles any file; errors say what is wrong, and where.
fn compile_any(text: &str, file: &str) -> Result<Compiled, DefinitionError> {
    let syntax = |reason: String| {
        let reason = reason.replace(&format!("{SOURCE_NAME}:"), "");
        let reason = reason.trim_start();
        let place = if reason.starts_with(|c: char| c.is_ascii_digit()) { "" } else { " " };
        DefinitionError::Syntax { file: file.to_owned(), reason: format!("{place}{reason}") }
    };
    let mut compiler = compiler(text.to_owned());
    compiler.open_file(SOURCE_NAME).map_err(|error| syntax(format!("{error:?}")))?;
    let descriptor_set = compiler.encode_file_descriptor_set();
    // Custom options survive only in the encoded form, hence the detour through bytes.
    let encoded = compiler.include_source_info(true).encode_file_descriptor_set();
    let pool = DescriptorPool::decode(encoded.as_slice()).map_err(|e| syntax(e.to_string()))?;
    let file = pool.get_file_by_name(SOURCE_NAME);
    let positions = file.and_then(|file| file.file_descriptor_proto().source_code_info.clone());
    Ok(Compiled { pool, descriptor_set, positions })
}

/// A compiler for this source, whose output includes imports but no source positions.
fn compiler(text: String) -> Compiler {
    let mut resolver = ChainFileResolver::new();
    resolver.add(OneSource(text));
    resolver.add(GoogleFileResolver::new());
    let mut compiler = Compiler::with_file_resolver(resolver);
    compiler.include_imports(true).include_source_info(false);
    compiler
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

    fn options(
        &self,
        field: &FieldDescriptor,
        ty: Type,
        cardinality: Cardinality,
    ) -> Result<FieldOptions, DefinitionError> {
        let found = read_options(field);
        let many = matches!(cardinality, Cardinality::Repeated | Cardinality::Map(_));
        let integer = matches!(ty, Type::I32 | Type::I64 | Type::U32 | Type::U64);
        let sized = many || matches!(ty, Type::String | Type::Bytes);
        let wrong = |option: &str, where_: &str| {
            self.misplaced(field, option, &format!("this option belongs on {where_}"))
        };
        if let Some((min, max)) = found.range {
            if !integer {
                return Err(wrong("wiredyno.range", "integer fields"));
            }
            if min > max {
                return Err(wrong("wiredyno.range", "integer fields with min not above max"));
            }
        }
        if found.fixed_point_scale.is_some() && !integer {
            return Err(wrong("wiredyno.fixed_point_scale", "integer fields"));
        }
        if (found.fixed_length.is_some() || found.max_length.is_some()) && !sized {
            return Err(wrong("wiredyno.fixed_length/max_length", "string, bytes, repeated and map fields"));
        }
        if found.fixed_length.is_some() && found.max_length.is_some() {
            return Err(wrong("wiredyno.max_length", "fields without a fixed length"));
        }
        if found.decimal.is_some() && !matches!(ty, Type::String | Type::Bytes) {
            return Err(wrong("wiredyno.decimal", "string and bytes fields"));
        }
        if found.format.is_some() && ty != Type::String && !integer {
            return Err(wrong("wiredyno.format", "string and integer fields"));
        }
        if found.character && ty != Type::U32 {
            return Err(wrong("wiredyno.character", "uint32 fields"));
        }
        if let Some(tag) = found.choice_tag {
            if field.containing_oneof().is_none_or(|oneof| oneof.is_synthetic()) {
                return Err(wrong("wiredyno.choice_tag", "fields of a oneof"));
            }
            if tag > 255 {
                return Err(wrong("wiredyno.choice_tag", "fields of a oneof with a value of at most 255"));
            }
        }
        Ok(found)
    }

    fn sequence(&self, root: &MessageDescriptor) -> Result<Option<Vec<usize>>, DefinitionError> {
        let Some(file) = self.compiled.pool.get_file_by_name(SOURCE_NAME) else {
            return Ok(None);
        };
        let mut found = None;
        let mut waiting: Vec<_> = file.messages().collect();
        while let Some(message) = waiting.pop() {
            waiting.extend(message.child_messages());
            for field in message.fields().filter(|field| flag(&field.options(), "wiredyno.sequence")) {
                let path =
                    self.known.get(message.full_name()).and_then(|index| self.sequence_to(*index, &field));
                if path.is_none() || found.is_some() {
                    let remedy = format!(
                        "mark one singular string, bytes or integer field of `{}`, or of a message that is \
                         required in one place on the way from there",
                        root.name()
                    );
                    return Err(DefinitionError::Misplaced {
                        file: self.file.to_owned(),
                        line: self.line(field.path()),
                        option: "wiredyno.sequence".to_owned(),
                        message: format!("{}.", message.name()),
                        field: field.name().to_owned(),
                        remedy,
                    });
                }
                found = path;
            }
        }
        Ok(found)
    }

    /// The field indexes on the way from the root to the field that identifies messages.
    fn sequence_to(&self, message: usize, field: &FieldDescriptor) -> Option<Vec<usize>> {
        let place = self.messages[message].fields.iter().position(|known| known.name == field.name())?;
        let known = &self.messages[message].fields[place];
        let fits = known.oneof.is_none()
            && matches!(known.cardinality, Cardinality::Implicit | Cardinality::Optional)
            && matches!(known.ty, Type::I32 | Type::I64 | Type::U32 | Type::U64 | Type::String | Type::Bytes);
        let (mut paths, mut waiting) = (Vec::new(), vec![(0, Vec::new())]);
        while let Some((at, path)) = waiting.pop() {
            // Required messages never contain themselves, so this terminates.
            for (step, field) in self.messages[at].fields.iter().enumerate() {
                if let (Type::Message(to), Cardinality::Implicit) = (field.ty, field.cardinality) {
                    waiting.push((to, [path.as_slice(), &[step]].concat()));
                }
            }
            if at == message {
                paths.push(path);
            }
        }
        match paths.as_slice() {
            [path] if fits => Some([path.as_slice(), &[place]].concat()),
            _ => None,
        }
    }

    /// For each message, whether it has a finite value.
    fn finite(&self) -> Vec<bool> {
        let mut finite = vec![false; self.messages.len()];
        loop {
            let ends = |field: &Field| !matches!(field.ty, Type::Message(to) if !finite[to]);
            let has_value = |message: &Message| {
                let mut always =
                    message.fields.iter().filter(|field| field.cardinality == Cardinality::Implicit);
                let mut choices = message.oneofs.iter().filter(|oneof| oneof.required);
                always.all(ends)
                    && choices.all(|oneof| oneof.fields.iter().any(|at| ends(&message.fields[*at])))
            };
            let next: Vec<bool> = self.messages.iter().map(has_value).collect();
            if next == finite {
                return finite;
            }
            finite = next;
        }
    }

    /// Refuses a message that always contains itself, be it through every alternative of a required oneof.
    fn no_endless_message(&self, root: &MessageDescriptor) -> Result<(), DefinitionError> {
        let finite = self.finite();
        let finite = &finite;
        let required = |message: usize| {
            let of = &self.messages[message];
            let is_always = move |field: &Field| {
                field.cardinality == Cardinality::Implicit
                    || field.oneof.is_some_and(|oneof| of.oneofs[oneof].required)
            };
            of.fields.iter().filter(move |field| is_always(field)).filter_map(move |field| match field.ty {
                Type::Message(to) if !finite[message] && !finite[to] => Some(to),
                _ => None,
            })
        };
        for start in 0..self.messages.len() {
            let (mut seen, mut waiting) = (HashSet::new(), Vec::from_iter(required(start)));
            while let Some(next) = waiting.pop() {
                if next == start {
                    return Err(self.refuse(
                        root.path(),
                        format!("`{}` always contains itself", self.messages[start].full_name),
                        "remove `(wiredyno.required)` from one of the fields in the cycle",
                    ));
                }
                if seen.insert(next) {
                    waiting.extend(required(next));
                }
            }
        }
        Ok(())
    }

    /// Marks the singular fields through which a message contains itself.
    fn box_recursion(&mut self) {
        let direct: Vec<Vec<usize>> = self
            .messages
            .iter()
            .map(|message| {
                let singular = message.fields.iter().filter(|f| f.cardinality == Cardinality::Optional);
                singular.filter_map(|f| if let Type::Message(to) = f.ty { Some(to) } else { None }).collect()
            })
            .collect();
        let reaches = |from: usize, to: usize| {
            let (mut seen, mut waiting) = (HashSet::new(), vec![from]);
            while let Some(next) = waiting.pop() {
                if next == to {
                    return true;
                }
                if seen.insert(next) {
                    waiting.extend(&direct[next]);
                }
            }
            false
        };
        for (index, message) in self.messages.iter_mut().enumerate() {
            for field in &mut message.fields {
                if let (Type::Message(target), Cardinality::Optional) = (field.ty, field.cardinality) {
                    field.boxed = reaches(target, index);
                }
            }
        }
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
mod tests {
    use super::*;

    /// The line of each message and field.
    fn places(compiled: &Compiled) -> Vec<(&[i32], i32)> {
        let mut declared: HashSet<Vec<i32>> = HashSet::new();
        for message in compiled.pool.all_messages() {
            declared.insert(message.path().to_vec());
            declared.extend(message.fields().map(|field| field.path().to_vec()));
        }
        let all = compiled.positions.as_ref().unwrap().location.iter();
        let known = all.filter(|location| declared.contains(&location.path));
        known.map(|location| (location.path.as_slice(), location.span[0])).collect()
    }

    #[test]
    fn the_quick_way_gives_what_the_compiler_gives() {
        let payloads = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../payloads");
        let mut quick = 0;
        for folder in std::fs::read_dir(payloads).unwrap() {
            let text = std::fs::read_to_string(folder.unwrap().path().join("message.proto")).unwrap();
            let any = compile_any(&text, SOURCE_NAME).unwrap();
            if let Some(compiled) = compile_quickly(&text) {
                assert!(compiled.descriptor_set == any.descriptor_set, "{text}");
                assert_eq!(places(&compiled), places(&any), "{text}");
                quick += 1;
            }
        }
        assert!(quick > 20, "only {quick}");
    }

    #[test]
    fn a_list_that_is_not_packed_is_known_as_such() {
        let text =
            "syntax = \"proto3\"; message A { repeated int32 x = 1 [packed = false]; repeated int32 y = 2; }";
        let definition = Definition::from_source(text, "message.proto").unwrap();
        let packed: Vec<bool> = definition.descriptor.fields().map(|field| field.is_packed()).collect();
        assert_eq!(packed, [false, true]);
    }

    #[test]
    fn what_is_wrong_is_never_compiled_quickly() {
        let head = "syntax = \"proto3\"; ";
        for text in [
            "message A { uint32 x = 1 [(wiredyno.sequence) = true]; }",
            "import \"wiredyno/options.proto\"; message A { uint32 x = 1 [(wiredyno.sequences) = true]; }",
            "import \"google/protobuf/timestamp.proto\"; message A { google.protobuf.Timestamp t = 1; }",
            "message A { B b = 1; }",
            "message A { ",
        ] {
            assert!(compile_quickly(&format!("{head}{text}")).is_none(), "{text}");
        }
    }
}

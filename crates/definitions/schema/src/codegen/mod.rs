//! Writes the crates that are generated for a message definition: one with its types, and one for each codec over them.
//!
//! | crate | has |
//! |---|---|
//! | types | domain types, the walk over them, Protobuf's objects, by which values come to a runner |
//! | a codec's | the codec's own object types, conversions to and from the domain, and `ENTRY`, the codec bound to them |
//!
//! A codec's crate does not depend on which others there are: its machine code is the same beside one codec and beside
//! forty. A oneof is an enum in the domain and in Protobuf; the other objects hold its members as optional fields, of which
//! conversions allow one.

mod avro;
mod domain;
mod flatbuffers;
mod names;
mod protobuf;
mod record;
mod rkyv;
mod serde_objects;
mod upb;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use wiredyno_contract::{DeclaredCodec, Objects};

use crate::idl::Refusal;
use crate::model::{Cardinality, Definition, Field, Message, Type};
use names::{rust_field, rust_type, rust_value, rust_variant};
pub(crate) use protobuf::layout_options;

/// Why code could not be generated.
#[derive(Debug, thiserror::Error)]
pub enum CodegenError {
    /// A language in which a codec takes its schema can't express the definition.
    #[error(transparent)]
    Idl(#[from] Refusal),
    /// A temporary file for a library could not be written.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: std::io::Error,
    },
    /// Two names become one in Rust.
    #[error("`{first}` and `{second}` are both `{name}` in generated code; rename one of them")]
    Names {
        /// One.
        first: String,
        /// The other.
        second: String,
        /// What both become.
        name: String,
    },
    /// A library that generates code refused what was lowered.
    #[error("{library} refuses the schema made from message.proto: {reason}")]
    Library {
        /// The library.
        library: &'static str,
        /// What it said.
        reason: String,
    },
}

impl CodegenError {
    /// Whether the codec's library or language is what refuses, and not this machine.
    pub fn is_of_codec(&self) -> bool {
        !matches!(self, CodegenError::File { .. })
    }
}

/// A generated crate, but for its manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    /// `lib.rs` and its modules, by their names in `src`.
    pub files: Vec<(&'static str, String)>,
    /// What it depends on beside the types' crate.
    pub dependencies: Vec<String>,
}

fn file_error(path: &Path) -> impl FnOnce(std::io::Error) -> CodegenError + '_ {
    |reason| CodegenError::File { path: path.to_owned(), reason }
}

/// What generated code is not asked.
const ALLOW: &str = "#![allow(warnings, clippy::all, clippy::pedantic)]\n";

/// The crate with a definition's types.
///
/// # Errors
/// When names of the definition collide in Rust, or a library refuses it.
pub fn types(definition: &Definition) -> Result<Generated, CodegenError> {
    let types = Types { definition, archived: false };
    types.check_names()?;
    let mut files = shared_modules(&types)?;
    let bridge = bridge(definition);
    let lib = format!(
        "//! The types of a message definition.\n{ALLOW}pub mod domain;\nmod record;\npub mod protobuf;\n{bridge}"
    );
    files.push(("lib.rs", lib));
    Ok(Generated { files, dependencies: ["prost", "wiredyno-codec"].map(str::to_owned).to_vec() })
}

/// The way from and to Protobuf's bytes: not generic and never merged, so that it is compiled in the crate that has it.
fn bridge(definition: &Definition) -> String {
    let root = rust_type(&definition.root().name);
    format!(
        "/// The value of Protobuf's bytes.\n\
         #[inline(never)]\n\
         pub fn from_protobuf(bytes: &[u8]) -> ::core::result::Result<domain::{root}, ::std::string::String> {{\n\
         let message: protobuf::{root} = ::prost::Message::decode(bytes).map_err(|error| ::std::string::ToString::to_string(&error))?;\n\
         ::wiredyno_codec::convert::Lift::lift(message).map_err(|error| ::std::string::ToString::to_string(&error))\n}}\n\
         /// Protobuf's bytes of a value.\n\
         #[inline(never)]\n\
         pub fn to_protobuf(value: &domain::{root}) -> ::std::vec::Vec<u8> {{\n\
         let message: protobuf::{root} = ::wiredyno_codec::convert::Lower::lower(value);\n\
         ::prost::Message::encode_to_vec(&message)\n}}\n"
    )
}

/// Domain, walk and Protobuf's objects.
fn shared_modules(types: &Types<'_>) -> Result<Vec<(&'static str, String)>, CodegenError> {
    Ok(vec![
        ("domain.rs", domain::module(types)),
        ("record.rs", record::module(types)),
        ("protobuf.rs", protobuf::module(types)?),
    ])
}

/// The crate with one codec over a definition; `types_crate` is the name of the one with the types, as Rust writes it.
///
/// # Errors
/// When the schema language of the codec can't express the definition, or a library or protoc refuses it or is missing.
pub fn codec(
    definition: &Definition,
    codec: &DeclaredCodec,
    types_crate: &str,
) -> Result<Generated, CodegenError> {
    let types = Types { definition, archived: codec.objects == Objects::Rkyv };
    types.check_names()?;
    let package = codec.package.replace('-', "_");
    let root = rust_type(&definition.root().name);
    let mut files = Vec::new();
    let mut dependencies = vec!["wiredyno-codec".to_owned(), codec.package.to_owned()];
    // What stands beside `lib.rs`, and what the payload's types say to the codec.
    let mut modules = format!("use {types_crate}::{{domain, from_protobuf, protobuf, to_protobuf}};\n");
    let mut said = String::new();
    match codec.objects {
        Objects::None | Objects::Protobuf => {}
        Objects::Raw => said = raw(&types, &package, &root),
        Objects::Serde(style) => {
            dependencies.push("serde".to_owned());
            files.push(("objects.rs", serde_objects::module(&types, style)));
            said = format!(
                "impl ::wiredyno_codec::serde_objects::Types for Types {{ type Object = objects::{root}; }}\n"
            );
        }
        Objects::Avro => {
            dependencies.push("serde".to_owned());
            files.push(("objects.rs", avro::module(&types)));
            said = format!(
                "impl ::{package}::Types for Types {{ type Record = objects::{root}; const AVSC: &'static str = {:?}; }}\n",
                avro::schema(definition)?
            );
        }
        Objects::FlatBuffers => {
            dependencies.push("planus".to_owned());
            let (objects, schema) = flatbuffers::module(&types)?;
            files.push(("objects.rs", objects));
            let root = names::planus_name(&definition.root().name);
            said = format!(
                "impl ::{package}::Types for Types {{ type Table = objects::{root}; type View<'a> = objects::{root}Ref<'a>; const FBS: &'static str = {schema:?}; }}\n"
            );
        }
        Objects::Rkyv => {
            dependencies.extend(["prost", "rkyv"].map(str::to_owned));
            files = shared_modules(&types)?;
            files.push(("objects.rs", rkyv::module(&types)));
            modules = format!("mod domain;\nmod record;\nmod protobuf;\n{}", bridge(definition));
            said = format!("impl ::{package}::Types for Types {{ {} }}\n", rkyv::types_impl(&types));
        }
        Objects::Upb => {
            dependencies.push("protobuf".to_owned());
            files.push(("message_proto.rs", upb::code(&types, codec)?));
            files.push(("objects.rs", upb::module(&types)));
            modules.push_str("mod message_proto;\n");
            said = format!("impl ::{package}::Types for Types {{ {} }}\n", upb::types_impl(&types));
        }
    }
    if files.iter().any(|(name, _)| *name == "objects.rs") {
        modules.push_str("mod objects;\n");
    }
    let ty = codec.type_name;
    let lib = format!(
        "//! `{id}` over one message definition.\n{ALLOW}{modules}\n\
         /// The types of this definition.\n\
         pub struct Types;\n\
         impl ::wiredyno_codec::PayloadTypes for Types {{\n\
         type Domain = domain::{root};\n\
         type Message = protobuf::{root};\n\
         fn from_protobuf(bytes: &[u8]) -> ::core::result::Result<domain::{root}, ::std::string::String> {{ from_protobuf(bytes) }}\n\
         fn to_protobuf(value: &domain::{root}) -> ::std::vec::Vec<u8> {{ to_protobuf(value) }}\n}}\n\
         {said}\
         const GENERIC: ::wiredyno_codec::TableEntry = ::wiredyno_codec::TableEntry::of::<::{package}::{ty}, Types>(&::{package}::{ty});\n\
         // Not generic and never merged, so that all of the codec is compiled in this crate and not in each runner that has it.\n\
         #[inline(never)]\n\
         fn carries() -> ::core::result::Result<(), ::wiredyno_codec::Reason> {{ (GENERIC.carries)() }}\n\
         #[inline(never)]\n\
         fn bind(payload: &str) -> ::core::result::Result<::std::boxed::Box<dyn ::wiredyno_codec::BoundCodec>, ::wiredyno_codec::Reason> {{ (GENERIC.bind)(payload) }}\n\
         /// The codec, bound to them.\n\
         pub const ENTRY: ::wiredyno_codec::TableEntry = ::wiredyno_codec::TableEntry {{ codec: GENERIC.codec, carries, bind }};\n",
        id = codec.id
    );
    files.push(("lib.rs", lib));
    Ok(Generated { files, dependencies })
}

/// What the payload says to the codec that sends its only field as it stands.
fn raw(types: &Types<'_>, package: &str, root: &str) -> String {
    let (why_not, bytes, from_bytes) = match (types.definition.why_not_raw(), types.definition.raw_field()) {
        (None, Some(field)) => {
            let field = rust_field(&field.name);
            (
                "::core::option::Option::None".to_owned(),
                format!("::core::option::Option::Some(::{package}::RawField::as_bytes(&value.{field}))"),
                format!(
                    "::core::option::Option::Some(::{package}::RawField::from_bytes(bytes).map(|{field}| domain::{root} {{ {field} }}))"
                ),
            )
        }
        (why_not, _) => {
            let why_not = why_not.unwrap_or_default();
            let none = "::core::option::Option::None".to_owned();
            (format!("::core::option::Option::Some({why_not:?})"), none.clone(), none)
        }
    };
    format!(
        "impl ::{package}::Types for Types {{\n\
         const WHY_NOT_RAW: ::core::option::Option<&'static str> = {why_not};\n\
         fn raw_bytes(value: &domain::{root}) -> ::core::option::Option<&[u8]> {{ {bytes} }}\n\
         fn from_raw_bytes(bytes: &[u8]) -> ::core::option::Option<::core::result::Result<domain::{root}, ::core::str::Utf8Error>> {{ {from_bytes} }}\n}}\n"
    )
}

/// A definition with the questions that all generators ask.
struct Types<'a> {
    definition: &'a Definition,
    /// Whether the domain types have the derives of rkyv.
    archived: bool,
}

/// What bounds the decoding of a field by serde.
enum DecodeLimit {
    /// The number of a list's elements, which have no fields and may take no bytes.
    EmptyElements,
    /// The depth of a message that contains itself.
    Nested,
}

/// A member of a domain struct: a field, or a oneof in the place of its first member.
enum Slot<'a> {
    Field(&'a Field),
    Oneof(usize),
}

impl Types<'_> {
    fn slots<'m>(&self, message: &'m Message) -> Vec<Slot<'m>> {
        let fields = message.fields.iter().enumerate();
        fields
            .filter_map(|(index, field)| match field.oneof {
                None => Some(Slot::Field(field)),
                Some(oneof) if message.oneofs[oneof].fields[0] == index => Some(Slot::Oneof(oneof)),
                Some(_) => None,
            })
            .collect()
    }

    /// The Rust name of a message or enum.
    fn name(&self, ty: Type) -> String {
        match ty {
            Type::Enum(index) => rust_type(&self.definition.enums[index].name),
            Type::Message(index) => rust_type(&self.definition.messages[index].name),
            _ => String::new(),
        }
    }

    /// What bounds the decoding of a field by serde, where libraries do not.
    fn bounded(&self, field: &Field) -> Option<DecodeLimit> {
        let Type::Message(element) = field.ty else {
            return None;
        };
        if field.cardinality == Cardinality::Repeated && self.definition.messages[element].fields.is_empty() {
            return Some(DecodeLimit::EmptyElements);
        }
        self.contains_itself(element).then_some(DecodeLimit::Nested)
    }

    /// Whether a value of the message can nest without end.
    fn contains_itself(&self, message: usize) -> bool {
        let inner = |index: usize| {
            let fields = self.definition.messages[index].fields.iter();
            fields.filter_map(|field| match field.ty {
                Type::Message(inner) => Some(inner),
                _ => None,
            })
        };
        let mut reached: Vec<usize> = inner(message).collect();
        let mut at = 0;
        while at < reached.len() {
            let found: Vec<usize> = inner(reached[at]).filter(|index| !reached.contains(index)).collect();
            reached.extend(found);
            at += 1;
        }
        reached.contains(&message)
    }

    /// The domain's enum for a oneof.
    fn oneof_name(&self, message: &Message, oneof: usize) -> String {
        // No type of a message has two underscores.
        format!("{}__{}", rust_type(&message.name), rust_variant(&message.oneofs[oneof].name))
    }

    /// A field's Rust type, given that of its elements.
    fn shape(&self, field: &Field, element: &str, key: &str) -> String {
        match field.cardinality {
            Cardinality::Implicit => element.to_owned(),
            Cardinality::Optional if field.boxed => {
                format!("::core::option::Option<::std::boxed::Box<{element}>>")
            }
            Cardinality::Optional => format!("::core::option::Option<{element}>"),
            Cardinality::Repeated => format!("::std::vec::Vec<{element}>"),
            Cardinality::Map(_) => format!("::std::collections::BTreeMap<{key}, {element}>"),
        }
    }

    /// Refuses names that differ in the file and are equal in Rust.
    fn check_names(&self) -> Result<(), CodegenError> {
        let mut types = Vec::new();
        for message in &self.definition.messages {
            types.push((rust_type(&message.name), message.full_name.clone()));
            for (index, oneof) in message.oneofs.iter().enumerate() {
                types
                    .push((self.oneof_name(message, index), format!("{}.{}", message.full_name, oneof.name)));
            }
            let fields = message.fields.iter().map(|field| (rust_field(&field.name), field.name.clone()));
            let oneofs = message.oneofs.iter().map(|oneof| (rust_field(&oneof.name), oneof.name.clone()));
            self.unique(fields.chain(oneofs).collect())?;
        }
        for declared in &self.definition.enums {
            types.push((rust_type(&declared.name), declared.full_name.clone()));
            self.unique(declared.values.iter().map(|v| (rust_value(&v.name), v.name.clone())).collect())?;
        }
        self.unique(types)
    }

    fn unique(&self, mut names: Vec<(String, String)>) -> Result<(), CodegenError> {
        names.sort();
        match names.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            None => Ok(()),
            Some(pair) => Err(CodegenError::Names {
                first: pair[0].1.clone(),
                second: pair[1].1.clone(),
                name: pair[0].0.clone(),
            }),
        }
    }
}

/// The Rust type of scalars, texts and integers, equal in domain, Protobuf and serde objects.
fn plain(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "bool",
        Type::I32 => "i32",
        Type::I64 => "i64",
        Type::U32 => "u32",
        Type::U64 => "u64",
        Type::F32 => "f32",
        Type::F64 => "f64",
        Type::String => "::std::string::String",
        Type::Bytes => "::std::vec::Vec<u8>",
        Type::Enum(_) | Type::Message(_) => "",
    }
}

/// What the generated modules name without their path.
const PRELUDE: &str = "use ::wiredyno_codec::convert::{Lift, LiftError, Lower};\n\
                       use ::wiredyno_codec::touch::{Digest, Touch};\n";

/// `impl Touch` for an object whose members are touched one after the other.
fn touch_impl(target: &str, generics: &str, members: &[String]) -> String {
    let mut code = format!(
        "impl{generics} Touch for {target} {{ fn touch(&self, digest: &mut Digest) {{ let _ = &digest;\n"
    );
    for member in members {
        let _ = writeln!(code, "Touch::touch(&self.{member}, digest);");
    }
    code + "} }\n"
}

/// The expression that lowers a oneof's member into an optional field.
fn lower_member(types: &Types<'_>, message: &Message, oneof: usize, field: &Field, value: &str) -> String {
    let own =
        format!("super::domain::{}::{}(value)", types.oneof_name(message, oneof), rust_variant(&field.name));
    let pattern = match message.oneofs[oneof].required {
        true => own,
        false => format!("::core::option::Option::Some({own})"),
    };
    format!(
        "match &self.{member} {{ {pattern} => ::core::option::Option::Some({value}), _ => ::core::option::Option::None }}",
        member = rust_field(&message.oneofs[oneof].name),
    )
}

/// The expression that lifts optional fields into a oneof; `value` lifts one member's `value`.
fn lift_oneof(
    types: &Types<'_>,
    message: &Message,
    oneof: usize,
    ident: impl Fn(&str) -> String,
    value: impl Fn(&Field) -> String,
) -> String {
    let mut code = "{ let mut found = ::core::option::Option::None;\n".to_owned();
    for index in &message.oneofs[oneof].fields {
        let field = &message.fields[*index];
        let _ = writeln!(
            code,
            "if let ::core::option::Option::Some(value) = self.{ident} {{ if ::core::option::Option::is_some(&found) {{ return ::core::result::Result::Err(LiftError::SeveralOfOneof {{ name: {name:?} }}); }} found = ::core::option::Option::Some(super::domain::{choice}::{variant}({value})); }}",
            ident = ident(&field.name),
            name = message.oneofs[oneof].name,
            choice = types.oneof_name(message, oneof),
            variant = rust_variant(&field.name),
            value = value(field),
        );
    }
    code + &match message.oneofs[oneof].required {
        true => format!("found.ok_or(LiftError::Missing {{ name: {:?} }})? }}", message.oneofs[oneof].name),
        false => "found }".to_owned(),
    }
}

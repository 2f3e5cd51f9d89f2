//! Generates crates for a message definition: one with its types, and one per codec.
//!
//! | crate | contents |
//! |---|---|
//! | types | domain types, the walk over them, and Protobuf's objects, through which values reach a runner |
//! | a codec's | the codec's own object types, conversions to and from the domain, and `ENTRY`, the codec bound to them |
//!
//! A codec's crate is independent of which other codecs exist: its machine code is the same next to one codec or
//! forty. A oneof is an enum in the domain and in Protobuf; other objects hold its members as optional fields, of which
//! conversions allow one.
//!
//! One file because it has the two crates' frames and the helpers that all modules below share.

mod avro;
mod domain;
mod flatbuffers;
mod names;
mod native;
mod protobuf;
pub mod protoc;
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
pub use native::why_not as why_not_native;

/// Why no code was generated.
#[derive(Debug, thiserror::Error)]
pub enum CodegenError {
    /// The codec's schema language can't express the definition.
    #[error(transparent)]
    Idl(#[from] Refusal),
    /// A temporary file for a code generator could not be written.
    #[error("{path}: {reason}")]
    File {
        /// The file or folder that failed.
        path: PathBuf,
        /// The operating system's error.
        reason: std::io::Error,
    },
    /// Two names of the definition become the same name in Rust.
    #[error("`{first}` and `{second}` are both `{name}` in generated code; rename one of them")]
    Names {
        /// The full name of the first.
        first: String,
        /// The full name of the second.
        second: String,
        /// The Rust name of both.
        name: String,
    },
    /// A code generator's library refused the schema that it was given.
    #[error("{library} refuses the schema made from message.proto: {reason}")]
    Library {
        /// The name of the library.
        library: &'static str,
        /// The library's error message.
        reason: String,
    },
}

impl CodegenError {
    /// Whether the codec's library or language refuses, rather than this machine failing.
    pub fn is_of_codec(&self) -> bool {
        !matches!(self, CodegenError::File { .. })
    }
}

/// A generated crate, without its manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    /// `lib.rs` and its modules, keyed by file name in `src`.
    pub files: Vec<(&'static str, String)>,
    /// Its dependencies other than the types crate.
    pub dependencies: Vec<String>,
    /// Its build script, if it has one.
    pub build: Option<String>,
    /// The dependencies of that.
    pub build_dependencies: Vec<String>,
}

impl Generated {
    /// A crate without a build script.
    fn plain(files: Vec<(&'static str, String)>, dependencies: Vec<String>) -> Generated {
        Generated { files, dependencies, build: None, build_dependencies: Vec::new() }
    }
}

fn file_error(path: &Path) -> impl FnOnce(std::io::Error) -> CodegenError + '_ {
    |reason| CodegenError::File { path: path.to_owned(), reason }
}

/// Lints do not apply to generated code.
const ALLOW: &str = "#![allow(warnings, clippy::all, clippy::pedantic)]\n";

/// Generates the crate with a definition's types.
///
/// # Errors
/// When names of the definition collide in Rust, or a library refuses the definition.
pub fn types(definition: &Definition) -> Result<Generated, CodegenError> {
    let types = Types { definition, archived: false };
    types.check_names()?;
    let mut files = shared_modules(&types)?;
    let bridge = bridge(definition);
    let lib = format!(
        "//! The types of a message definition.\n{ALLOW}pub mod domain;\nmod record;\npub mod protobuf;\n{bridge}"
    );
    files.push(("lib.rs", lib));
    Ok(Generated::plain(files, ["prost", "wiredyno-codec"].map(str::to_owned).to_vec()))
}

/// Conversions from and to Protobuf's bytes: not generic and never inlined, so that they are compiled once, in this crate.
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

/// The modules `domain`, `record` and `protobuf`.
fn shared_modules(types: &Types<'_>) -> Result<Vec<(&'static str, String)>, CodegenError> {
    Ok(vec![
        ("domain.rs", domain::module(types)),
        ("record.rs", record::module(types)),
        ("protobuf.rs", protobuf::module(types)?),
    ])
}

/// Generates the crate of one codec for a definition with this digest (32 hexadecimal digits); `types_crate` is the Rust name of the
/// types crate.
///
/// # Errors
/// When the codec's schema language can't express the definition, or a library or protoc refuses it or is missing.
#[expect(
    clippy::too_many_lines,
    reason = "a list of cases by the codec's kind of objects, all of which fill the same four variables"
)]
pub fn codec(
    definition: &Definition,
    digest: &str,
    codec: &DeclaredCodec,
    types_crate: &str,
) -> Result<Generated, CodegenError> {
    let types = Types { definition, archived: codec.objects == Objects::Rkyv };
    types.check_names()?;
    if let Objects::Native(native) = codec.objects {
        return native::module(&types, codec, native, digest, types_crate);
    }
    let package = codec.package.replace('-', "_");
    let root = rust_type(&definition.root().name);
    let mut files = Vec::new();
    let mut dependencies = vec!["wiredyno-codec".to_owned(), codec.package.to_owned()];
    // Modules next to `lib.rs`, and the impl by which the payload's types configure the codec.
    let mut modules = format!("use {types_crate}::{{domain, from_protobuf, protobuf, to_protobuf}};\n");
    let mut said = String::new();
    match codec.objects {
        Objects::None | Objects::Protobuf | Objects::Native(_) => {}
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
         const INDEXES: &'static [u32] = &{indexes:?};\n\
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
        id = codec.id,
        indexes = types.definition.indexes(),
    );
    files.push(("lib.rs", lib));
    Ok(Generated::plain(files, dependencies))
}

/// The impl that tells the raw codec which field to send without encoding.
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

/// A definition, with the lookups that all generators need.
struct Types<'a> {
    definition: &'a Definition,
    /// Whether the domain types derive rkyv's traits.
    archived: bool,
}

/// What limits the decoding of a field by serde.
enum DecodeLimit {
    /// The number of a list's elements, which have no fields and may take no bytes.
    EmptyElements,
    /// The depth of a recursive message.
    Nested,
}

/// A member of a domain struct: a field, or a oneof at the position of its first field.
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

    /// What limits the decoding of a field by serde, where libraries have no limit.
    fn bounded(&self, field: &Field) -> Option<DecodeLimit> {
        let Type::Message(element) = field.ty else {
            return None;
        };
        if field.cardinality == Cardinality::Repeated && self.definition.messages[element].fields.is_empty() {
            return Some(DecodeLimit::EmptyElements);
        }
        self.contains_itself(element).then_some(DecodeLimit::Nested)
    }

    /// Whether a message is recursive, so that its values can nest without limit.
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
        // No message's type has two consecutive underscores.
        format!("{}__{}", rust_type(&message.name), rust_variant(&message.oneofs[oneof].name))
    }

    /// A field's Rust type, built from its element's type.
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

    /// Refuses names that differ in the file but coincide in Rust.
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

/// The Rust type of scalars, strings and integers, which domain, Protobuf and serde objects share.
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

/// The imports of every generated module.
const PRELUDE: &str = "use ::wiredyno_codec::convert::{Lift, LiftError, Lower};\n\
                       use ::wiredyno_codec::touch::{Digest, Touch};\n";

/// `impl Touch` for an object that touches its members one after the other.
fn touch_impl(target: &str, generics: &str, members: &[String]) -> String {
    let mut code = format!(
        "impl{generics} Touch for {target} {{ fn touch(&self, digest: &mut Digest) {{ let _ = &digest;\n"
    );
    for member in members {
        let _ = writeln!(code, "Touch::touch(&self.{member}, digest);");
    }
    code + "} }\n"
}

/// The expression that lowers a oneof's member to an optional field.
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

/// The expression that lifts optional fields to a oneof; `value` lifts one member's `value`.
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

//! Writes the Rust modules of payloads: domain types, and each codec's own object types.
//!
//! Called from build scripts, for the bundled payloads and for a user's folder alike:
//!
//! ```ignore
//! wiredyno_schema::codegen::generate_folder(Path::new("../../payloads"), Path::new("upb"), Path::new(&out_dir))?;
//! // and in lib.rs: include!(concat!(env!("OUT_DIR"), "/payloads.rs"));
//! ```
//!
//! The generated code needs the crates `wiredyno-codecs`, `prost`, `protobuf`, `planus`, `rkyv` and `serde` beside it. Files
//! end in `OUT_DIR`, never among sources. A oneof is an enum in the domain and in Protobuf; the other
//! objects hold its members as optional fields, of which conversions allow one.

mod avro;
mod domain;
mod flatbuffers;
mod named;
mod names;
mod protobuf;
mod record;
mod rkyv;
mod upb;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::definition::DefinitionError;
use crate::idl::avsc::Avsc;
use crate::idl::fbs::Fbs;
use crate::idl::{Idl as _, Refusal};
use crate::model::{Cardinality, Definition, Field, Message, Type};
use names::{module_name, rust_field, rust_type, rust_variant};

/// Why code could not be generated.
#[derive(Debug, thiserror::Error)]
pub enum CodegenError {
    /// message.proto was refused.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// A language in which a codec takes its schema can't express the definition.
    #[error(transparent)]
    Idl(#[from] Refusal),
    /// A file could not be read or written.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: std::io::Error,
    },
    /// Two names become one in Rust.
    #[error("{payload}: `{first}` and `{second}` are both `{name}` in generated code; rename one of them")]
    Names {
        /// The payload.
        payload: String,
        /// One.
        first: String,
        /// The other.
        second: String,
        /// What both become.
        name: String,
    },
    /// A library that generates code refused what was lowered.
    #[error("{payload}: {library} refuses the schema made from message.proto: {reason}")]
    Library {
        /// The payload.
        payload: String,
        /// The library.
        library: &'static str,
        /// What it said.
        reason: String,
    },
}

/// Names the payloads to build, separated by commas, where not all are wanted: a codec's author compiles in a
/// fraction of the time with `WIREDYNO_PAYLOADS=person,small`.
const ONLY: &str = "WIREDYNO_PAYLOADS";

/// Generates the modules of every folder of `payloads` that has a message.proto, and `payloads.rs` in `out`
/// that holds them all. Prints the `cargo::rerun-if-changed` lines of everything read.
///
/// `upb` holds protoc's code for them, see [`crate::protoc`].
pub fn generate_folder(payloads: &Path, upb: &Path, out: &Path) -> Result<(), CodegenError> {
    // Cargo looks at everything below, so that a new folder is noticed too.
    println!("cargo::rerun-if-changed={}", payloads.display());
    let entries = std::fs::read_dir(payloads).map_err(file_error(payloads))?;
    let mut folders: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("message.proto").is_file())
        .collect();
    folders.sort();
    println!("cargo::rerun-if-env-changed={ONLY}");
    let only = std::env::var(ONLY).ok();
    let wanted = |name: &str| only.as_ref().is_none_or(|only| only.split(',').any(|one| one.trim() == name));
    generate_wanted(&folders, wanted, Some(upb), out)
}

/// Generates the modules of these payload folders.
pub fn generate(folders: &[PathBuf], upb: Option<&Path>, out: &Path) -> Result<(), CodegenError> {
    generate_wanted(folders, |_| true, upb, out)
}

/// One module for each definition, and an entry for each payload. Payloads whose definitions differ in nothing but
/// comments share the module of the first of them.
fn generate_wanted(
    folders: &[PathBuf],
    wanted: impl Fn(&str) -> bool,
    upb: Option<&Path>,
    out: &Path,
) -> Result<(), CodegenError> {
    let sources = folders.iter().map(|folder| Source::read(folder)).collect::<Result<Vec<_>, _>>()?;
    let mut code = String::new();
    let mut entries = String::new();
    let mut generated: Vec<&str> = Vec::new();
    for source in sources.iter().filter(|source| wanted(&source.name)) {
        let first = sources.iter().find(|other| other.is_like(source)).unwrap_or(source);
        let types = Types { payload: &first.name, definition: &first.definition };
        if !generated.contains(&types.payload) {
            definition(&types, upb, out, &mut code)?;
            generated.push(types.payload);
        }
        entries.push_str(&entry(&types, source));
    }
    let _ = write!(
        code,
        "/// Every payload of this crate, in the order of their names.\n\
         pub static PAYLOADS: &[::wiredyno_codecs::PayloadEntry] = &[\n{entries}];\n"
    );
    write(&out.join("payloads.rs"), &code)
}

/// A payload's folder, and what its message.proto says.
struct Source {
    name: String,
    folder: PathBuf,
    definition: Definition,
}

impl Source {
    fn read(folder: &Path) -> Result<Source, CodegenError> {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let file = folder.join("message.proto");
        println!("cargo::rerun-if-changed={}", folder.display());
        let text = std::fs::read_to_string(&file).map_err(file_error(&file))?;
        let definition = Definition::from_source(&text, &format!("payloads/{name}/message.proto"))?;
        Ok(Source { name, folder: folder.to_owned(), definition })
    }

    /// Whether both definitions are the same; a descriptor set holds no comments.
    fn is_like(&self, other: &Source) -> bool {
        self.definition.descriptor_set == other.definition.descriptor_set
    }
}

/// Generates one definition's files, and its module in `code`.
fn definition(
    types: &Types<'_>,
    upb_folder: Option<&Path>,
    out: &Path,
    code: &mut String,
) -> Result<(), CodegenError> {
    types.check_names()?;
    let own = out.join(types.payload);
    std::fs::create_dir_all(&own).map_err(file_error(&own))?;
    let avsc = Avsc.lower(types.definition)?.text;
    let fbs = Fbs.lower(types.definition)?.text;
    write(&own.join("descriptor.bin"), &types.definition.descriptor_set)?;
    write(&own.join("message.avsc"), &avsc)?;
    write(&own.join("message.fbs"), &fbs)?;
    write(&own.join("domain.rs"), domain::module(types))?;
    let upb = upb::generated(types, upb_folder, &own)?;
    write(&own.join("upb_objects.rs"), upb::module(types, &upb))?;
    write(&own.join("rkyv.rs"), rkyv::module(types))?;
    write(&own.join("record.rs"), record::module(types))?;
    write(&own.join("named.rs"), named::module(types))?;
    write(&own.join("avro.rs"), avro::module(types))?;
    write(&own.join("protobuf.rs"), protobuf::module(types)?)?;
    write(&own.join("flatbuffers.rs"), flatbuffers::module(types, &own.join("message.fbs"))?)?;
    code.push_str(&module_code(types, &upb));
    Ok(())
}

/// What is said about a payload, with the types of its definition.
fn entry(types: &Types<'_>, source: &Source) -> String {
    let module = module_name(types.payload);
    let sequence = match types.definition.sequence_path() {
        Some(path) => {
            let names: Vec<&str> = path.iter().map(|field| field.name.as_str()).collect();
            format!("::core::option::Option::Some({:?})", names.join("."))
        }
        None => "::core::option::Option::None".to_owned(),
    };
    format!(
        r#"    ::wiredyno_codecs::PayloadEntry {{
        name: {name:?},
        proto: include_str!({proto:?}),
        root: {root:?},
        descriptor_set: include_bytes!({descriptor}),
        avsc: <{module}::Types as ::wiredyno_codecs::avro::Types>::AVSC,
        fbs: <{module}::Types as ::wiredyno_codecs::flatbuffers::Types>::FBS,
        sequence: {sequence},
        samples: {samples},
        generator: {generator},
        table: ::wiredyno_codecs::registry::Table::<{module}::Types>::ENTRIES,
    }},
"#,
        name = source.name,
        proto = source.folder.join("message.proto").display().to_string(),
        root = types.definition.root().full_name,
        descriptor = types.part("descriptor.bin"),
        samples = optional_text(&source.folder, "samples.jsonl"),
        generator = optional_text(&source.folder, "generator.toml"),
    )
}

/// The text of an optional file as an expression.
fn optional_text(folder: &Path, file: &str) -> String {
    let path = folder.join(file);
    match path.is_file() {
        true => format!("::core::option::Option::Some(include_str!({:?}))", path.display().to_string()),
        false => "::core::option::Option::None".to_owned(),
    }
}

fn module_code(types: &Types<'_>, upb: &upb::Generated) -> String {
    let name = types.payload;
    let module = module_name(name);
    let root = rust_type(&types.definition.root().name);
    let why_not_raw = match types.definition.why_not_raw() {
        None => "::core::option::Option::None".to_owned(),
        Some(why) => format!("::core::option::Option::Some({why:?})"),
    };
    let (raw_bytes, from_raw_bytes) = match types.definition.raw_field() {
        Some(field) => {
            let field = rust_field(&field.name);
            (
                format!(
                    "::core::option::Option::Some(::wiredyno_codecs::raw::RawField::as_bytes(&value.{field}))"
                ),
                format!(
                    "::core::option::Option::Some(::wiredyno_codecs::raw::RawField::from_bytes(bytes).map(|{field}| domain::{root} {{ {field} }}))"
                ),
            )
        }
        None => (
            "{ let _ = value; ::core::option::Option::None }".to_owned(),
            "{ let _ = bytes; ::core::option::Option::None }".to_owned(),
        ),
    };
    format!(
        r#"/// The definition of `{name}`.
#[allow(missing_docs, nonstandard_style, unused_imports, unused_mut, unreachable_patterns, unused_parens, unused_variables, clippy::all, clippy::pedantic, clippy::undocumented_unsafe_blocks)]
mod {module} {{
    /// Domain types.
    mod domain {{ include!({domain}); }}
    /// The walk over domain values.
    mod record {{ include!({record}); }}
    /// The walk over archived values.
    mod rkyv {{ include!({rkyv}); }}
    /// Objects for self-describing serde codecs.
    mod named {{ include!({named}); }}
    /// Objects for Avro.
    mod avro {{ include!({avro}); }}
    /// Objects for Protobuf.
    mod protobuf {{ include!({protobuf}); }}
    /// Objects for Google's Protobuf.
    #[allow(warnings)]
    mod upb {{ include!({upb_objects}); }}
    /// Objects for FlatBuffers.
    mod flatbuffers {{ include!({flatbuffers}); }}

    /// The types of this definition.
    pub struct Types;

    impl ::wiredyno_codecs::PayloadTypes for Types {{
        type Domain = domain::{root};
        type Message = protobuf::{root};
    }}
    impl ::wiredyno_codecs::named::Types for Types {{
        type Omitting = named::{root}<::wiredyno_codecs::named::Omitting>;
        type Complete = named::{root}<::wiredyno_codecs::named::Complete>;
        type Signed = named::{root}<::wiredyno_codecs::named::Signed>;
    }}
    impl ::wiredyno_codecs::avro::Types for Types {{
        type Record = avro::{root};
        const AVSC: &'static str = include_str!({avsc});
    }}
    impl ::wiredyno_codecs::flatbuffers::Types for Types {{
        type Table = flatbuffers::{root};
        type View<'a> = flatbuffers::{root}Ref<'a>;
        const FBS: &'static str = include_str!({fbs});
    }}
    impl ::wiredyno_codecs::upb::Types for Types {{
        {upb_types}
    }}
    impl ::wiredyno_codecs::rkyv::Types for Types {{
        {rkyv_types}
    }}
    impl ::wiredyno_codecs::raw::Types for Types {{
        const WHY_NOT_RAW: ::core::option::Option<&'static str> = {why_not_raw};
        fn raw_bytes(value: &domain::{root}) -> ::core::option::Option<&[u8]> {{ {raw_bytes} }}
        fn from_raw_bytes(bytes: &[u8])
            -> ::core::option::Option<::core::result::Result<domain::{root}, ::core::str::Utf8Error>> {{ {from_raw_bytes} }}
    }}
}}
"#,
        domain = types.part("domain.rs"),
        record = types.part("record.rs"),
        rkyv = types.part("rkyv.rs"),
        upb_objects = types.part("upb_objects.rs"),
        upb_types = upb::types_impl(types, upb),
        rkyv_types = rkyv::types_impl(types),
        named = types.part("named.rs"),
        avro = types.part("avro.rs"),
        protobuf = types.part("protobuf.rs"),
        flatbuffers = types.part("flatbuffers.rs"),
        avsc = types.part("message.avsc"),
        fbs = types.part("message.fbs"),
    )
}

fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), CodegenError> {
    std::fs::write(path, content).map_err(file_error(path))
}

fn file_error(path: &Path) -> impl FnOnce(std::io::Error) -> CodegenError + '_ {
    |reason| CodegenError::File { path: path.to_owned(), reason }
}

/// A definition with the questions that all generators ask.
struct Types<'a> {
    /// The payload that it was read of, the first where several share it.
    payload: &'a str,
    definition: &'a Definition,
}

/// What bounds the decoding of a field by serde.
enum Bound {
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
    /// One of the files that are generated, as an expression.
    fn part(&self, file: &str) -> String {
        format!("concat!(env!(\"OUT_DIR\"), \"/{}/{file}\")", self.payload)
    }

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
    fn bounded(&self, field: &Field) -> Option<Bound> {
        let Type::Message(element) = field.ty else {
            return None;
        };
        if field.cardinality == Cardinality::Repeated && self.definition.messages[element].fields.is_empty() {
            return Some(Bound::EmptyElements);
        }
        self.contains_itself(element).then_some(Bound::Nested)
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
        format!("{}{}", rust_type(&message.name), rust_type(&message.oneofs[oneof].name))
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
            for (_, field) in flatbuffers::entries(message) {
                types.push((field, format!("the map entries of {}", message.full_name)));
            }
            let fields = message.fields.iter().map(|field| (rust_field(&field.name), field.name.clone()));
            let oneofs = message.oneofs.iter().map(|oneof| (rust_field(&oneof.name), oneof.name.clone()));
            self.unique(fields.chain(oneofs).collect())?;
        }
        for declared in &self.definition.enums {
            types.push((rust_type(&declared.name), declared.full_name.clone()));
            self.unique(declared.values.iter().map(|v| (rust_variant(&v.name), v.name.clone())).collect())?;
        }
        types.push((crate::idl::fbs::BYTES_ELEMENT.to_owned(), "the elements of repeated bytes".to_owned()));
        self.unique(types)
    }

    fn unique(&self, mut names: Vec<(String, String)>) -> Result<(), CodegenError> {
        names.sort();
        match names.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            None => Ok(()),
            Some(pair) => Err(CodegenError::Names {
                payload: self.payload.to_owned(),
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
const PRELUDE: &str = "use ::wiredyno_codecs::convert::{Lift, LiftError, Lower};\n\
                       use ::wiredyno_codecs::touch::{Digest, Touch};\n";

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

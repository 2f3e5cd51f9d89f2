//! Crates of codecs in C and C++: the application's types in C++ with their description, what the format's compiler generates, and the
//! lines that compile and bind them.
//!
//! Types, members and enums have neutral names (`M0`, `f1`, `E0`) in a namespace that is named after the definition: names of the
//! definition may be keywords or macros in C and C++, and functions of two definitions in one program would be merged silently.

mod access;
mod domain;

use std::fmt::Write as _;

use wiredyno_contract::{DeclaredCodec, Native, NativeObjects};

use super::names::rust_type;
use super::{ALLOW, CodegenError, Generated, Types};
use crate::model::Definition;

/// How many digits of the digest are in names: enough to distinguish two.
const SHORT: usize = 16;

/// The crate of a codec in C or C++ for a definition, whose digest has 32 hexadecimal digits.
///
/// # Errors
/// When the format's compiler is missing or refuses the definition.
pub(super) fn module(
    types: &Types<'_>,
    codec: &DeclaredCodec,
    native: &Native,
    digest: &str,
    types_crate: &str,
) -> Result<Generated, CodegenError> {
    let short = &digest[..SHORT];
    let table = format!("wd_{}_{short}", word(codec.id));
    let mut files = vec![("domain.hpp", domain::header(types.definition, short))];
    let mut compiled = vec!["codec.cpp"];
    let mut included = String::from("#include \"domain.hpp\"\n");
    match native.objects {
        NativeObjects::None => {}
        NativeObjects::Protobuf => {
            let made = access::protobuf(types.definition, codec, short)?;
            compiled.extend(made.iter().map(|(name, _)| *name).filter(|name| name.ends_with(".cc")));
            files.extend(made);
            included.push_str("#include \"objects.hpp\"\n");
        }
        NativeObjects::FlatBuffers => {
            files.extend(access::flatbuffers(types.definition, codec, short)?);
            included.push_str("#include \"objects.hpp\"\n");
        }
    }
    files.push((
        "codec.cpp",
        format!(
            "// `{}` over one message definition.\n{included}#include \"{}\"\n#include \"wiredyno/loop.hpp\"\n\n\
             extern \"C\" const wd_codec {table} = wd::table<{}, domain::M0>();\n",
            codec.id, native.header, codec.type_name
        ),
    ));
    files.push(("lib.rs", lib(types.definition, codec, &table, types_crate)));
    Ok(Generated {
        files,
        dependencies: ["wiredyno-codec", "wiredyno-cpp", codec.package].map(str::to_owned).to_vec(),
        build: Some(build(native, &table, &compiled)),
        build_dependencies: vec!["wiredyno-cpp-build".to_owned()],
    })
}

/// A codec's id as part of a name in C.
fn word(id: &str) -> String {
    id.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}

/// The build script.
fn build(native: &Native, table: &str, compiled: &[&str]) -> String {
    format!(
        "//! Compiles the codec for this definition.\n\n\
         fn main() -> wiredyno_cpp_build::Done<()> {{\n    \
         wiredyno_cpp_build::compile(&wiredyno_cpp_build::Made {{ name: {table:?}, files: &{compiled:?}, libraries: &{:?} }})\n}}\n",
        native.libraries
    )
}

/// The crate's Rust code: the types, and the codec bound to them.
fn lib(definition: &Definition, codec: &DeclaredCodec, table: &str, types_crate: &str) -> String {
    let root = rust_type(&definition.root().name);
    let (id, package) = (codec.id, codec.package.replace('-', "_"));
    let mut code = format!(
        "//! `{id}` over one message definition.\n{ALLOW}use {types_crate}::{{domain, from_protobuf, protobuf, to_protobuf}};\n\
         unsafe extern \"C\" {{ static {table}: ::wiredyno_cpp::Table; }}\n\
         fn declared() -> &'static ::wiredyno_cpp::DeclaredCodec {{ ::wiredyno_cpp::declared(::{package}::declared::CODECS, {id:?}) }}\n\
         // SAFETY: the table was compiled by this package's build script.\n\
         static CODEC: ::wiredyno_cpp::Foreign = unsafe {{ ::wiredyno_cpp::Foreign::new(declared, &raw const {table}) }};\n"
    );
    let _ = write!(
        code,
        "/// The types of this definition.\n\
         pub struct Types;\n\
         impl ::wiredyno_codec::PayloadTypes for Types {{\n\
         type Domain = domain::{root};\n\
         type Message = protobuf::{root};\n\
         fn from_protobuf(bytes: &[u8]) -> ::core::result::Result<domain::{root}, ::std::string::String> {{ from_protobuf(bytes) }}\n\
         fn to_protobuf(value: &domain::{root}) -> ::std::vec::Vec<u8> {{ to_protobuf(value) }}\n}}\n\
         fn carries() -> ::core::result::Result<(), ::wiredyno_codec::Reason> {{ {} }}\n\
         fn bind(payload: &str) -> ::core::result::Result<::std::boxed::Box<dyn ::wiredyno_codec::BoundCodec>, ::wiredyno_codec::Reason> {{ ::wiredyno_cpp::bind::<Types>(&CODEC, payload) }}\n\
         /// The codec, bound to them.\n\
         pub const ENTRY: ::wiredyno_codec::TableEntry = ::wiredyno_codec::TableEntry {{ codec: &CODEC, carries, bind }};\n",
        match definition.why_not_native(codec) {
            None => "::core::result::Result::Ok(())".to_owned(),
            Some(why) => format!(
                "::core::result::Result::Err(::wiredyno_codec::Reason(::std::string::String::from({why:?})))"
            ),
        }
    );
    code
}

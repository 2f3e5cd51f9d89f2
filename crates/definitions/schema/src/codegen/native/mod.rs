//! Crates of codecs in C and C++: the application's types in C++ with their description, what the format's compiler generates, and the
//! lines that compile and bind them.
//!
//! Types, members and enums have neutral names (`M0`, `f1`, `E0`) in a namespace that is named after the definition: names of the
//! definition may be keywords or macros in C and C++, and functions of two definitions in one program would be merged silently.

mod access;
mod domain;
mod words;

use std::fmt::Write as _;

use wiredyno_contract::{Capability, DeclaredCodec, Native, NativeObjects};

use super::names::rust_type;
use super::{ALLOW, CodegenError, Generated, Types};
use crate::idl::capnp::Capnp;
use crate::idl::fbs::Fbs;
use crate::idl::thrift::Thrift;
use crate::idl::{Idl as _, Lcm, RosMsg};
use crate::model::{Definition, Message};

/// How many digits of the digest are in names: enough to distinguish two.
const SHORT: usize = 16;

/// The version of codecs without a library.
const OWN_VERSION: &str = env!("CARGO_PKG_VERSION");

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
    if let Some(why) = why_not(types.definition, codec) {
        return Ok(Generated {
            files: vec![("lib.rs", refusing(types.definition, codec, native, types_crate, &why))],
            dependencies: dependencies(codec),
            build: None,
            build_dependencies: Vec::new(),
        });
    }
    let short = &digest[..SHORT];
    let table = format!("wd_{}_{short}", word(codec.id));
    let mut files = vec![("domain.hpp", domain::header(types.definition, short))];
    let mut compiled = vec!["codec.cpp"];
    let mut included = String::from("#include \"domain.hpp\"\n");
    let definition = types.definition;
    let made = match native.objects {
        NativeObjects::None => Vec::new(),
        NativeObjects::Protobuf => access::protobuf(definition, codec, short)?,
        NativeObjects::FlatBuffers => access::flatbuffers(definition, codec, short)?,
        NativeObjects::CapnProto => access::capnproto(definition, codec, short)?,
        NativeObjects::Thrift => access::thrift(definition, codec, short)?,
        NativeObjects::Lcm => vec![("objects.hpp", access::lcm(definition, codec, short)?)],
        NativeObjects::Ros1 => vec![("objects.hpp", access::ros1(definition, codec, short)?)],
    };
    let is_compiled = |name: &&str| [".cc", ".cpp"].iter().any(|ending| name.ends_with(ending));
    compiled.extend(made.iter().map(|(name, _)| *name).filter(is_compiled));
    if !made.is_empty() {
        included.push_str("#include \"objects.hpp\"\n");
    }
    files.extend(made);
    files.push((
        "codec.cpp",
        format!(
            "// `{}` over one message definition.\n// Of a library whose headers don't say it.\n#define WD_LIBRARY_VERSION {:?}\n\n\
             {included}#include \"{}\"\n#include \"wiredyno/loop.hpp\"\n\n\
             extern \"C\" const wd_codec {table} = wd::table<{}, domain::M0>();\n",
            codec.id, version(native), native.header, codec.type_name
        ),
    ));
    files.push(("lib.rs", lib(types.definition, codec, &table, types_crate)));
    Ok(Generated {
        files,
        dependencies: dependencies(codec),
        build: Some(build(native, &table, &compiled)),
        build_dependencies: vec!["wiredyno-cpp-build".to_owned()],
    })
}

/// A codec's id as part of a name in C.
fn word(id: &str) -> String {
    id.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}

fn build(native: &Native, table: &str, compiled: &[&str]) -> String {
    format!(
        "//! Compiles the codec for this definition.\n\n\
         fn main() -> wiredyno_cpp_build::Done<()> {{\n    \
         wiredyno_cpp_build::compile(&wiredyno_cpp_build::Made {{ name: {table:?}, files: &{compiled:?}, libraries: &{:?} }})\n}}\n",
        native.libraries
    )
}

fn dependencies(codec: &DeclaredCodec) -> Vec<String> {
    ["wiredyno-codec", "wiredyno-cpp", codec.package].map(str::to_owned).to_vec()
}

/// Why a codec in C or C++ can't carry a definition; `None` if it can. The language of its objects may not express it, lcm-gen's classes have
/// the fields' own names, and codecs of JSON write no values in the place of messages.
pub fn why_not(definition: &Definition, codec: &DeclaredCodec) -> Option<String> {
    let native = codec.as_native()?;
    let lowered = match native.objects {
        NativeObjects::None | NativeObjects::Protobuf => Ok(()),
        NativeObjects::FlatBuffers => Fbs.lower(definition).map(|_| ()),
        NativeObjects::Lcm => Lcm.lower(definition).and_then(|_| words::lcm_members(definition)),
        NativeObjects::Ros1 => RosMsg.lower(definition).map(|_| ()),
        NativeObjects::Thrift => Thrift.lower(definition).map(|_| ()),
        NativeObjects::CapnProto => Capnp.lower(definition).map(|_| ()),
    };
    if let Err(refusal) = lowered {
        return Some(refusal.to_string());
    }
    if !codec.capabilities.contains(&Capability::HumanReadable) {
        return None;
    }
    let stands = |message: &&Message| message.stands_for_value || message.well_known.is_some();
    if let Some(message) = definition.messages.iter().find(stands) {
        return Some(format!("`{}` is not an object in JSON, which this codec does not write", message.name));
    }
    let null = definition.enums.iter().find(|declared| declared.stands_for_null)?;
    Some(format!("`{}` is null in JSON, which this codec does not write", null.name))
}

/// The crate's Rust code where the codec carries the definition.
fn lib(definition: &Definition, codec: &DeclaredCodec, table: &str, types_crate: &str) -> String {
    let own = format!(
        "unsafe extern \"C\" {{ static {table}: ::wiredyno_cpp::Table; }}\n\
         // SAFETY: the table was compiled by this package's build script.\n\
         static CODEC: ::wiredyno_cpp::Foreign = unsafe {{ ::wiredyno_cpp::Foreign::new(declared, &raw const {table}) }};\n"
    );
    entry(definition, codec, types_crate, &own, "::core::result::Result::Ok(())")
}

/// The version of a codec's library, as the machine has it.
fn version(native: &Native) -> String {
    native.version.map_or_else(|| Some(OWN_VERSION.to_owned()), wiredyno_needs::version).unwrap_or_default()
}

/// The same where it does not, without code in C++.
fn refusing(
    definition: &Definition,
    codec: &DeclaredCodec,
    native: &Native,
    types_crate: &str,
    why: &str,
) -> String {
    let compiler = wiredyno_needs::compiler().unwrap_or_default();
    let own = format!(
        "static CODEC: ::wiredyno_cpp::Foreign = ::wiredyno_cpp::Foreign::refusing(declared, {:?}, {compiler:?});\n",
        version(native)
    );
    let carries = format!(
        "::core::result::Result::Err(::wiredyno_codec::Reason(::std::string::String::from({why:?})))"
    );
    entry(definition, codec, types_crate, &own, &carries)
}

/// The types, and the codec bound to them.
fn entry(
    definition: &Definition,
    codec: &DeclaredCodec,
    types_crate: &str,
    own: &str,
    carries: &str,
) -> String {
    let root = rust_type(&definition.root().name);
    let (id, package) = (codec.id, codec.package.replace('-', "_"));
    let mut code = format!(
        "//! `{id}` over one message definition.\n{ALLOW}use {types_crate}::{{domain, from_protobuf, protobuf, to_protobuf}};\n\
         fn declared() -> &'static ::wiredyno_cpp::DeclaredCodec {{ ::wiredyno_cpp::declared(::{package}::declared::CODECS, {id:?}) }}\n{own}"
    );
    let _ = write!(
        code,
        "/// The types of this definition.\n\
         pub struct Types;\n\
         impl ::wiredyno_codec::PayloadTypes for Types {{\n\
         type Domain = domain::{root};\n\
         type Message = protobuf::{root};\n\
         const INDEXES: &'static [u32] = &{indexes:?};\n\
         fn from_protobuf(bytes: &[u8]) -> ::core::result::Result<domain::{root}, ::std::string::String> {{ from_protobuf(bytes) }}\n\
         fn to_protobuf(value: &domain::{root}) -> ::std::vec::Vec<u8> {{ to_protobuf(value) }}\n}}\n\
         fn carries() -> ::core::result::Result<(), ::wiredyno_codec::Reason> {{ {carries} }}\n\
         fn bind(payload: &str) -> ::core::result::Result<::std::boxed::Box<dyn ::wiredyno_codec::BoundCodec>, ::wiredyno_codec::Reason> {{ ::wiredyno_cpp::bind::<Types>(&CODEC, payload) }}\n\
         /// The codec, bound to them.\n\
         pub const ENTRY: ::wiredyno_codec::TableEntry = ::wiredyno_codec::TableEntry {{ codec: &CODEC, carries, bind }};\n",
        indexes = definition.indexes(),
    );
    code
}

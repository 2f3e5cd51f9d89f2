//! The list of all codecs: one folder for each library of a format, one line for each in [`REGISTRY`].
//!
//! A folder is a package of its own, `wiredyno-codec-<folder>`. Its `src/declared.rs` says what codecs it has and needs no
//! library. That file is compiled both there and here, so that the program knows all codecs without compiling their
//! libraries, and nothing is stated twice; a runner compiles the packages that it is composed of.
//!
//! Limits: a folder's file `declared.rs` may use only `wiredyno-contract` and the standard library.

use std::sync::LazyLock;

use wiredyno_contract::{CodecDescription, CodecId, DeclaredCodec};

/// Compiles the declarations in these folders, and lists their codecs in the order given.
macro_rules! registry {
    ($($folder:ident: $declared:literal,)*) => {
        $(
            #[path = $declared]
            #[allow(dead_code, reason = "its parts are named by the implementation alone")]
            mod $folder;
        )*

        static FOLDERS: &[&[&DeclaredCodec]] = &[$($folder::CODECS),*];
    };
}

registry! {
    raw: "../../../codecs/raw/src/declared.rs",
    json: "../../../codecs/json/src/declared.rs",
    messagepack: "../../../codecs/messagepack/src/declared.rs",
    cbor: "../../../codecs/cbor/src/declared.rs",
    avro: "../../../codecs/avro/src/declared.rs",
    protobuf: "../../../codecs/protobuf/src/declared.rs",
    flatbuffers: "../../../codecs/flatbuffers/src/declared.rs",
    ros1: "../../../codecs/ros1/src/declared.rs",
    asn1_uper: "../../../codecs/asn1-uper/src/declared.rs",
    rasn: "../../../codecs/rasn/src/declared.rs",
    lcm: "../../../codecs/lcm/src/declared.rs",
    cdr: "../../../codecs/cdr/src/declared.rs",
    netstrings: "../../../codecs/netstrings/src/declared.rs",
    ts_103_097: "../../../codecs/ts-103-097/src/declared.rs",
    protobuf_container: "../../../codecs/protobuf-container/src/declared.rs",
    xml: "../../../codecs/xml/src/declared.rs",
    exi: "../../../codecs/exi/src/declared.rs",
    thrift: "../../../codecs/thrift/src/declared.rs",
    sonic: "../../../codecs/sonic/src/declared.rs",
    bson: "../../../codecs/bson/src/declared.rs",
    avro_static: "../../../codecs/avro-static/src/declared.rs",
    postcard: "../../../codecs/postcard/src/declared.rs",
    bitcode: "../../../codecs/bitcode/src/declared.rs",
    rkyv: "../../../codecs/rkyv/src/declared.rs",
    upb: "../../../codecs/upb/src/declared.rs",
    capnproto: "../../../codecs/capnproto/src/declared.rs",
    libprotobuf: "../../../codecs/libprotobuf/src/declared.rs",
    nlohmann: "../../../codecs/nlohmann/src/declared.rs",
    flatbuffers_cpp: "../../../codecs/flatbuffers-cpp/src/declared.rs",
    rapidjson: "../../../codecs/rapidjson/src/declared.rs",
    msgpack_cxx: "../../../codecs/msgpack-cxx/src/declared.rs",
    lcm_cpp: "../../../codecs/lcm-cpp/src/declared.rs",
    roscpp: "../../../codecs/roscpp/src/declared.rs",
    netstrings_cpp: "../../../codecs/netstrings-cpp/src/declared.rs",
    thrift_cpp: "../../../codecs/thrift-cpp/src/declared.rs",
    capnproto_cpp: "../../../codecs/capnproto-cpp/src/declared.rs",
}

/// Every codec that a Rust runner can have.
pub static REGISTRY: LazyLock<Vec<&'static DeclaredCodec>> =
    LazyLock::new(|| FOLDERS.iter().flat_map(|codecs| codecs.iter().copied()).collect());

/// The codec with this id.
pub fn find(id: &CodecId) -> Option<&'static DeclaredCodec> {
    let id = id.to_string();
    REGISTRY.iter().copied().find(|codec| codec.id == id)
}

/// All of them as their runner describes them, those in C and C++ with the versions of the machine's libraries and compiler. One with an
/// invalid id is left out, which a test forbids.
pub fn descriptions() -> Vec<CodecDescription> {
    DESCRIBED.clone()
}

static DESCRIBED: LazyLock<Vec<CodecDescription>> = LazyLock::new(|| {
    let native = REGISTRY.iter().filter(|codec| codec.as_native().is_some());
    wiredyno_needs::learn(native.flat_map(|codec| codec.needs));
    let compiler = LazyLock::new(wiredyno_needs::compiler);
    let describe = |codec: &&'static DeclaredCodec| {
        let of_cargo = || wiredyno_versions::of(codec.package, codec.library).map(str::to_owned);
        let Some(native) = codec.as_native() else {
            return codec.describe(&of_cargo().unwrap_or_default()).ok();
        };
        let version = native.version.map_or_else(of_cargo, wiredyno_needs::version);
        let described = codec.describe(version.as_deref().unwrap_or(NOT_INSTALLED)).ok()?;
        Some(CodecDescription { compiler: compiler.clone(), ..described })
    };
    REGISTRY.iter().filter_map(describe).collect()
});

/// Instead of the version of a library that the machine does not have.
const NOT_INSTALLED: &str = "(not installed)";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_codec_has_an_id_of_its_own_a_version_and_a_word_about_it() {
        let ids: BTreeSet<&str> = REGISTRY.iter().map(|codec| codec.id).collect();
        assert_eq!(ids.len(), REGISTRY.len());
        assert_eq!(descriptions().len(), REGISTRY.len());
        for codec in descriptions() {
            assert!(!codec.version.is_empty() && !codec.about.is_empty(), "{}", codec.id);
            assert!(find(&codec.id).is_some());
        }
    }

    /// The sources below a folder, as one text.
    fn sources(folder: &Path) -> String {
        let mut text = String::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                text.push_str(&sources(&path));
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                text.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
        text
    }

    /// An empty test program takes time to link, and rustdoc takes time to read a crate without examples.
    #[test]
    fn crates_without_tests_have_no_test_program_and_no_test_is_passed_over() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let below = |folder: &Path| -> Vec<_> {
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
        };
        let mut looked_at = 0;
        for group in below(&crates) {
            for folder in below(&group) {
                let Ok(manifest) = std::fs::read_to_string(folder.join("Cargo.toml")) else { continue };
                if !folder.join("src/lib.rs").is_file() {
                    continue;
                }
                let library = manifest.split("\n[lib]\n").nth(1).and_then(|rest| rest.split("\n[").next());
                let text = sources(&folder.join("src"));
                let has_tests = text.contains("#[test]");
                // Fences begin and end in turn; one that names no language is Rust.
                let fences = text.lines().filter_map(|line| {
                    let line = line.trim_start();
                    line.strip_prefix("//! ```").or_else(|| line.strip_prefix("/// ```"))
                });
                let has_examples = fences.step_by(2).any(str::is_empty);
                for (switch, has) in [("test = false", has_tests), ("doctest = false", has_examples)] {
                    let off = library.is_some_and(|library| library.lines().any(|line| line == switch));
                    assert!(has || off, "{}: write `{switch}` below [lib]", folder.display());
                    assert!(!(has && off), "{}: take `{switch}` away", folder.display());
                }
                looked_at += 1;
            }
        }
        assert!(looked_at > 40, "{looked_at} crates");
    }
}

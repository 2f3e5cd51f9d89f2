//! The one list of codecs. To add one: a folder beside this one, and its two lines here.
//!
//! Each folder is a crate with one library of a format. What it declares ([`DeclaredCodec`]) is compiled here too, without the
//! crate and its library, so that the program lists and plans codecs that it does not contain. A runner is composed of the
//! crates that a study asks for.

use std::sync::LazyLock;

use wiredyno_model::{CodecDescription, CodecId, DeclaredCodec};

#[path = "../asn1-uper/src/declared.rs"]
mod asn1_uper;
#[path = "../avro/src/declared.rs"]
mod avro;
#[path = "../avro-static/src/declared.rs"]
mod avro_static;
#[path = "../bitcode/src/declared.rs"]
mod bitcode;
#[path = "../bson/src/declared.rs"]
mod bson;
#[path = "../capnproto/src/declared.rs"]
mod capnproto;
#[path = "../cbor/src/declared.rs"]
mod cbor;
#[path = "../cdr/src/declared.rs"]
mod cdr;
#[path = "../exi/src/declared.rs"]
mod exi;
#[path = "../flatbuffers/src/declared.rs"]
mod flatbuffers;
#[path = "../json/src/declared.rs"]
mod json;
#[path = "../lcm/src/declared.rs"]
mod lcm;
#[path = "../messagepack/src/declared.rs"]
mod messagepack;
#[path = "../netstrings/src/declared.rs"]
mod netstrings;
#[path = "../postcard/src/declared.rs"]
mod postcard;
#[path = "../protobuf/src/declared.rs"]
mod protobuf;
#[path = "../protobuf-container/src/declared.rs"]
mod protobuf_container;
#[path = "../rasn/src/declared.rs"]
mod rasn;
#[path = "../raw/src/declared.rs"]
mod raw;
#[path = "../rkyv/src/declared.rs"]
mod rkyv;
#[path = "../ros1/src/declared.rs"]
mod ros1;
#[path = "../sonic/src/declared.rs"]
mod sonic;
#[path = "../thrift/src/declared.rs"]
mod thrift;
#[path = "../ts-103-097/src/declared.rs"]
mod ts_103_097;
#[path = "../upb/src/declared.rs"]
mod upb;
#[path = "../xml/src/declared.rs"]
mod xml;

/// The codecs of each folder, in the order of lists.
static FOLDERS: &[&[&DeclaredCodec]] = &[
    raw::CODECS,
    json::CODECS,
    messagepack::CODECS,
    cbor::CODECS,
    avro::CODECS,
    protobuf::CODECS,
    flatbuffers::CODECS,
    ros1::CODECS,
    asn1_uper::CODECS,
    rasn::CODECS,
    lcm::CODECS,
    cdr::CODECS,
    netstrings::CODECS,
    ts_103_097::CODECS,
    protobuf_container::CODECS,
    xml::CODECS,
    exi::CODECS,
    thrift::CODECS,
    sonic::CODECS,
    bson::CODECS,
    avro_static::CODECS,
    postcard::CODECS,
    bitcode::CODECS,
    rkyv::CODECS,
    upb::CODECS,
    capnproto::CODECS,
];

/// Every codec that a Rust runner can have.
pub static REGISTRY: LazyLock<Vec<&'static DeclaredCodec>> =
    LazyLock::new(|| FOLDERS.iter().flat_map(|codecs| codecs.iter().copied()).collect());

/// The codec with this id.
pub fn find(id: &CodecId) -> Option<&'static DeclaredCodec> {
    let id = id.to_string();
    REGISTRY.iter().copied().find(|codec| codec.id == id)
}

/// All of them as their runner describes them. One whose id is none is left out, which a test forbids.
pub fn descriptions() -> Vec<CodecDescription> {
    let version =
        |codec: &DeclaredCodec| wiredyno_versions::of(codec.package, codec.library).unwrap_or_default();
    REGISTRY.iter().filter_map(|codec| codec.describe(version(codec)).ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_codec_has_an_id_of_its_own_and_a_version() {
        let ids: BTreeSet<&str> = REGISTRY.iter().map(|codec| codec.id).collect();
        assert_eq!(ids.len(), REGISTRY.len());
        assert_eq!(descriptions().len(), REGISTRY.len());
        for codec in descriptions() {
            assert!(!codec.version.is_empty(), "{}", codec.id);
            assert!(find(&codec.id).is_some());
        }
    }
}

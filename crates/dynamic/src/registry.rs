//! The one list of encoders. To add one: a file, and its codecs here.

use wiredyno_codecs::codec::Reason;
use wiredyno_codecs::record::{Fault, RecordFormat};
use wiredyno_codecs::{cdr, lcm, netstrings as frames, rasn, thrift as apache, ts_103_097 as envelope};

use crate::asn1::{aper, der, oer, uper};
use crate::plan::Plan;
use crate::value::Record;
use crate::{
    avro, capnproto, exi, flatbuffers, named, netstrings, positional, protobuf, raw, rkyv, thrift,
    ts_103_097, xml,
};

/// A value can't be encoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{codec}: {reason}")]
pub struct EncodeError {
    /// The codec that the encoder stands for.
    pub codec: &'static str,
    /// Why.
    pub reason: String,
}

/// Gives the bytes of a codec without its generated code.
pub struct Encoder {
    codec: &'static str,
    same_as: Option<&'static str>,
    carries: fn(&Plan) -> Result<(), Reason>,
    write: fn(&Plan, &Record, &mut Vec<u8>) -> Result<(), Fault>,
}

impl Encoder {
    /// The id of the codec that it stands for.
    pub fn codec(&self) -> &'static str {
        self.codec
    }

    /// Another codec of the list whose bytes are the same for every value; `None` for the first of its kind.
    pub fn same_as(&self) -> Option<&'static str> {
        self.same_as
    }

    /// Why the format can't carry the message type, in the codec's words; `None` if it can.
    pub fn refuses(&self, plan: &Plan) -> Option<String> {
        (self.carries)(plan).err().map(|reason| reason.to_string())
    }

    /// Appends the bytes of a value of the plan's message type.
    ///
    /// # Errors
    /// When the format can't hold the value.
    pub fn encode(&self, plan: &Plan, value: &Record, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let refused = |fault: Fault| EncodeError { codec: self.codec, reason: fault.to_string() };
        (self.write)(plan, value, out).map_err(refused)
    }
}

type Write = fn(&Plan, &Record, &mut Vec<u8>) -> Result<(), Fault>;

const fn all(codec: &'static str, write: Write) -> Encoder {
    Encoder { codec, same_as: None, carries: |_| Ok(()), write }
}

const fn some(codec: &'static str, carries: fn(&Plan) -> Result<(), Reason>, write: Write) -> Encoder {
    Encoder { codec, same_as: None, carries, write }
}

/// Every encoder, in the order of the codecs' registry.
pub static ENCODERS: &[Encoder] = &[
    some("raw/wiredyno", raw::carries, raw::write),
    all("json/serde-json", named::json),
    all("messagepack/rmp-serde", named::messagepack),
    all("messagepack/rmp-serde:positional", named::positional),
    all("cbor/ciborium", named::cbor),
    all("avro/apache-avro", avro::write),
    all("protobuf/prost", protobuf::write),
    all("flatbuffers/planus", flatbuffers::write),
    all("ros1/wiredyno", positional::ros1),
    all("asn1-uper/wiredyno", uper::write),
    Encoder {
        same_as: Some("asn1-uper/wiredyno"),
        ..some("asn1-uper/rasn", |plan| rasn::Uper::carries(plan.root()), uper::write)
    },
    some("asn1-aper/rasn", |plan| rasn::Aper::carries(plan.root()), aper::write),
    some("asn1-oer/rasn", |plan| rasn::Oer::carries(plan.root()), oer::write),
    Encoder {
        same_as: Some("asn1-oer/rasn"),
        ..some("asn1-oer/rasn:canonical", |plan| rasn::Coer::carries(plan.root()), oer::write)
    },
    some("asn1-der/rasn", |plan| rasn::Der::carries(plan.root()), der::write),
    all("ros1/wiredyno:udp", positional::ros1_udp),
    some("lcm/wiredyno", |plan| lcm::Lcm::carries(plan.root()), positional::lcm),
    some("lcm/wiredyno:udp", |plan| lcm::LcmUdp::carries(plan.root()), positional::lcm_udp),
    some("cdr/wiredyno", |plan| cdr::Cdr::carries(plan.root()), positional::cdr),
    some(
        "cdr/wiredyno:big-endian",
        |plan| cdr::BigEndianCdr::carries(plan.root()),
        positional::cdr_big_endian,
    ),
    all("netstrings/wiredyno", netstrings::write),
    some("netstrings/wiredyno:crc", |plan| frames::NetstringsCrc::carries(plan.root()), netstrings::crc),
    all("netstrings/wiredyno:varint", netstrings::varint),
    all("netstrings/wiredyno:container", netstrings::container),
    some("ts-103-097/wiredyno", |plan| envelope::Ts103097::carries(plan.root()), ts_103_097::write),
    all("protobuf/prost:container", protobuf::container),
    all("xml/quick-xml", xml::write),
    all("exi/wiredyno:strict", exi::strict),
    all("exi/wiredyno:default", exi::default),
    all("exi/wiredyno:strict-merged", exi::strict_merged),
    all("exi/wiredyno:default-merged", exi::default_merged),
    some("thrift/apache-thrift", |plan| apache::Compact::carries(plan.root()), thrift::compact),
    some("thrift/apache-thrift:binary", |plan| apache::Binary::carries(plan.root()), thrift::binary),
    Encoder { same_as: Some("json/serde-json"), ..all("json/sonic-rs", named::sonic) },
    all("bson/bson", named::bson),
    all("avro/wiredyno", avro::write_checked),
    all("postcard/postcard", named::postcard),
    some("rkyv/rkyv", rkyv::carries, rkyv::write),
    all("protobuf/upb", protobuf::upb),
    all("capnproto/capnp", capnproto::plain),
    all("capnproto/capnp:packed", capnproto::packed),
];

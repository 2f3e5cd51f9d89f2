//! The list of all encoders. To add one: a file, and its codecs here; what they can't carry is a line in `carrying.rs`.

use wiredyno_codec::codec::Reason;
use wiredyno_codec::record::Fault;

use crate::asn1::{aper, der, oer, uper};
use crate::described::Described;
use crate::value::Record;
use crate::{
    avro, bson, capnproto, carrying, cbor, exi, flatbuffers, json, messagepack, netstrings, positional,
    postcard, protobuf, raw, rkyv, thrift, ts_103_097, xml,
};

/// The error of a value that the format can't hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{codec}: {reason}")]
pub struct EncodeError {
    /// The id of the codec that the encoder stands for.
    pub codec: &'static str,
    /// Why the value can't be encoded.
    pub reason: String,
}

/// Produces a codec's bytes without its generated code.
pub struct Encoder {
    codec: &'static str,
    same_as: Option<&'static str>,
    /// Refuses what the codec could carry but this encoder can't.
    limit: fn(&Described) -> Result<(), Reason>,
    write: Write,
}

impl Encoder {
    /// The id of the codec that it stands for.
    pub fn codec(&self) -> &'static str {
        self.codec
    }

    /// An earlier codec of the list with the same bytes for every value; `None` if there is none.
    pub fn same_as(&self) -> Option<&'static str> {
        self.same_as
    }

    /// Why the format can't carry the message type, in the codec's words; `None` if it can. In addition to [`not_carried`],
    /// it refuses types of which rkyv would write many megabytes for any value; codecs don't check that.
    ///
    /// [`not_carried`]: crate::not_carried
    pub fn refuses(&self, described: &Described) -> Option<String> {
        let carried = carrying::carries(self.codec, &described.definition, described.root());
        carried.and_then(|()| (self.limit)(described)).err().map(|reason| reason.to_string())
    }

    /// Appends the encoding of a value of the definition's root.
    ///
    /// # Errors
    /// When the format can't represent the value.
    pub fn encode(
        &self,
        described: &Described,
        value: &Record,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        let refused = |fault: Fault| EncodeError { codec: self.codec, reason: fault.to_string() };
        (self.write)(described, value, out).map_err(refused)
    }
}

type Write = fn(&Described, &Record, &mut Vec<u8>) -> Result<(), Fault>;

const fn of(codec: &'static str, write: Write) -> Encoder {
    Encoder { codec, same_as: None, limit: |_| Ok(()), write }
}

const fn like(first: &'static str, codec: &'static str, write: Write) -> Encoder {
    Encoder { same_as: Some(first), ..of(codec, write) }
}

/// Every encoder, in the order of the codecs' registry: one for each codec that declares `size_known`. `bitcode/bitcode` does
/// not, because its format is documented only by its library.
pub static ENCODERS: &[Encoder] = &[
    of("raw/wiredyno", raw::write),
    of("json/serde-json", json::write),
    of("json/serde-json:proto3", json::proto3),
    of("json/serde-json:confluent", json::confluent),
    of("messagepack/rmp-serde", messagepack::named),
    of("messagepack/rmp-serde:positional", messagepack::positional),
    of("cbor/ciborium", cbor::write),
    of("avro/apache-avro", avro::write),
    of("avro/apache-avro:confluent", avro::confluent),
    of("protobuf/prost", protobuf::write),
    of("protobuf/prost:confluent", protobuf::confluent),
    of("flatbuffers/planus", flatbuffers::write),
    of("ros1/wiredyno", positional::ros1),
    of("ros1/wiredyno:udp", positional::ros1_udp),
    of("ros1/wiredyno:container", positional::ros1_container),
    like("ros1/wiredyno:container", "ros1/wiredyno:container-alone", positional::ros1_container),
    of("asn1-uper/wiredyno", uper::write),
    like("asn1-uper/wiredyno", "asn1-uper/rasn", uper::write),
    of("asn1-aper/rasn", aper::write),
    of("asn1-oer/rasn", oer::write),
    like("asn1-oer/rasn", "asn1-oer/rasn:canonical", oer::write),
    of("asn1-der/rasn", der::write),
    of("lcm/wiredyno", positional::lcm),
    of("lcm/wiredyno:udp", positional::lcm_udp),
    of("lcm/wiredyno:container", positional::lcm_container),
    like("lcm/wiredyno:container", "lcm/wiredyno:container-alone", positional::lcm_container),
    like("lcm/wiredyno", "lcm/wiredyno:hashing", positional::lcm),
    like("lcm/wiredyno:container", "lcm/wiredyno:container-alone-hashing", positional::lcm_container),
    of("cdr/wiredyno", positional::cdr),
    of("cdr/wiredyno:big-endian", positional::cdr_big_endian),
    of("netstrings/wiredyno", netstrings::write),
    of("netstrings/wiredyno:crc", netstrings::crc),
    of("netstrings/wiredyno:varint", netstrings::varint),
    of("netstrings/wiredyno:container", netstrings::container),
    like("netstrings/wiredyno:container", "netstrings/wiredyno:container-alone", netstrings::container),
    of("ts-103-097/wiredyno", ts_103_097::write),
    of("protobuf/prost:container", protobuf::container),
    like("protobuf/prost:container", "protobuf/prost:container-alone", protobuf::container),
    of("xml/quick-xml", xml::write),
    of("exi/wiredyno:strict", exi::strict),
    of("exi/wiredyno:default", exi::default),
    of("exi/wiredyno:strict-merged", exi::strict_merged),
    of("exi/wiredyno:default-merged", exi::default_merged),
    of("thrift/apache-thrift", thrift::compact),
    of("thrift/apache-thrift:binary", thrift::binary),
    like("json/serde-json", "json/sonic-rs", json::write),
    of("bson/bson", bson::write),
    of("avro/wiredyno", avro::write_checked),
    of("postcard/postcard", postcard::write),
    Encoder { limit: rkyv::limit, ..of("rkyv/rkyv", rkyv::write) },
    of("protobuf/upb", protobuf::upb),
    of("capnproto/capnp", capnproto::plain),
    of("capnproto/capnp:packed", capnproto::packed),
];

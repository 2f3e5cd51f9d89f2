//! Which codecs can't carry a definition, and why, of all in the registry and without compiling one.

use wiredyno_codec::codec::Reason;
use wiredyno_codec::record::{MessageInfo, RecordFormat};
use wiredyno_codec_lcm as lcm;
use wiredyno_codec_netstrings as netstrings;
use wiredyno_codec_ts_103_097 as envelope;
use wiredyno_codecs::REGISTRY;
use wiredyno_model::CodecId;
use wiredyno_schema::Definition;
use wiredyno_schema::idl::Idl;
use wiredyno_schema::idl::avsc::Avsc;
use wiredyno_schema::idl::fbs::Fbs;

use crate::info;
use crate::shared::{rasn, thrift};

/// What a codec asks of a definition, the same as its compiled code.
type Rule = fn(&Definition, &'static MessageInfo) -> Result<(), Reason>;

/// The codecs that don't carry every definition. To add one: a line.
static RULES: &[(&str, Rule)] = &[
    ("raw/wiredyno", |definition, _| refuse(definition.why_not_raw())),
    ("avro/apache-avro", |definition, _| lowers(&Avsc, definition)),
    ("flatbuffers/planus", |definition, _| lowers(&Fbs, definition)),
    ("asn1-uper/rasn", |_, root| rasn::carries(root)),
    ("asn1-aper/rasn", |_, root| rasn::carries(root)),
    ("asn1-oer/rasn", |_, root| rasn::carries(root)),
    ("asn1-oer/rasn:canonical", |_, root| rasn::carries(root)),
    ("asn1-der/rasn", |_, root| rasn::carries(root)),
    ("lcm/wiredyno", |_, root| lcm::Lcm::carries(root)),
    ("lcm/wiredyno:udp", |_, root| lcm::LcmUdp::carries(root)),
    ("netstrings/wiredyno:crc", |_, root| netstrings::NetstringsCrc::carries(root)),
    ("ts-103-097/wiredyno", |_, root| envelope::Ts103097::carries(root)),
    ("thrift/apache-thrift", |_, root| thrift::carries(root)),
    ("thrift/apache-thrift:binary", |_, root| thrift::carries(root)),
    ("rkyv/rkyv", |definition, _| refuse(definition.why_not_rkyv())),
];

fn refuse(reason: Option<String>) -> Result<(), Reason> {
    reason.map_or(Ok(()), |reason| Err(Reason(reason)))
}

/// What generating a codec's objects would say of their schema.
fn lowers(language: &dyn Idl, definition: &Definition) -> Result<(), Reason> {
    refuse(language.lower(definition).err().map(|refusal| refusal.to_string()))
}

/// The codecs of the registry, in its order, that can't carry a definition, each with the reason that its compiled code or
/// the generator of its objects gives. Every other codec carries it.
///
/// Not answered is what only libraries and machines say when code is generated: names that become one in Rust, which no codec
/// is generated for, and a missing protoc.
///
/// It takes XX and keeps some kilobytes for the life of the process, as [`Plan::new`](crate::Plan::new) does.
pub fn not_carried(definition: &Definition) -> Vec<(CodecId, String)> {
    let Some(root) = info::messages(definition).first().copied() else {
        return Vec::new();
    };
    let reason = |id: &str| carries(id, definition, root).err().map(|reason| reason.to_string());
    // A test forbids ids that are none.
    REGISTRY.iter().filter_map(|codec| Some((codec.id.parse().ok()?, reason(codec.id)?))).collect()
}

/// Whether a codec can carry a definition whose root is `root`.
pub fn carries(codec: &str, definition: &Definition, root: &'static MessageInfo) -> Result<(), Reason> {
    let rule = RULES.iter().find(|(id, _)| *id == codec);
    rule.map_or(Ok(()), |(_, rule)| rule(definition, root))
}

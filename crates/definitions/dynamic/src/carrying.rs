//! Determines which codecs of the registry can't carry a definition, and why, without compiling them.

use wiredyno_codec::codec::Reason;
use wiredyno_codec::record::{MessageInfo, RecordFormat};
use wiredyno_codec_lcm as lcm;
use wiredyno_codec_netstrings as netstrings;
use wiredyno_codec_registry::REGISTRY;
use wiredyno_codec_ts_103_097 as envelope;
use wiredyno_contract::CodecId;
use wiredyno_schema::idl::Idl;
use wiredyno_schema::idl::avsc::Avsc;
use wiredyno_schema::idl::fbs::Fbs;
use wiredyno_schema::{Definition, codegen};

use crate::info;
use crate::of_codecs::{rasn, thrift};

/// A codec's check of a definition, the same as in its compiled code.
type Rule = fn(&Definition, &'static MessageInfo) -> Result<(), Reason>;

/// The codecs that don't carry every definition. To add one, add a line.
static RULES: &[(&str, Rule)] = &[
    ("raw/wiredyno", |definition, _| refuse(definition.why_not_raw())),
    ("avro/apache-avro", |definition, _| lowers(&Avsc, definition)),
    ("avro/apache-avro:confluent", |definition, _| lowers(&Avsc, definition)),
    ("flatbuffers/planus", |definition, _| {
        lowers(&Fbs, definition).and_then(|()| refuse(definition.why_not_planus()))
    }),
    ("asn1-uper/rasn", |_, root| rasn::carries(root)),
    ("asn1-aper/rasn", |_, root| rasn::carries(root)),
    ("asn1-oer/rasn", |_, root| rasn::carries(root)),
    ("asn1-oer/rasn:canonical", |_, root| rasn::carries(root)),
    ("asn1-der/rasn", |_, root| rasn::carries(root)),
    ("lcm/wiredyno", |_, root| lcm::Lcm::carries(root)),
    ("lcm/wiredyno:udp", |_, root| lcm::LcmUdp::carries(root)),
    ("lcm/wiredyno:container", |_, root| lcm::carries(root)),
    ("lcm/wiredyno:container-alone", |_, root| lcm::carries(root)),
    ("lcm/wiredyno:hashing", |_, root| lcm::LcmHashing::carries(root)),
    ("lcm/wiredyno:container-alone-hashing", |_, root| lcm::carries(root)),
    ("netstrings/wiredyno:crc", |_, root| netstrings::NetstringsCrc::carries(root)),
    ("ts-103-097/wiredyno", |_, root| envelope::Ts103097::carries(root)),
    ("thrift/apache-thrift", |_, root| thrift::carries(root)),
    ("thrift/apache-thrift:binary", |_, root| thrift::carries(root)),
    ("rkyv/rkyv", |definition, _| refuse(definition.why_not_rkyv())),
];

fn refuse(reason: Option<String>) -> Result<(), Reason> {
    reason.map_or(Ok(()), |reason| Err(Reason(reason)))
}

/// The error that generating a codec's objects would report for their schema.
fn lowers(language: &dyn Idl, definition: &Definition) -> Result<(), Reason> {
    refuse(language.lower(definition).err().map(|refusal| refusal.to_string()))
}

/// The codecs that can't carry a definition, in the registry's order, each with the reason that its compiled code or
/// the generator of its objects gives. Every other codec carries it.
///
/// Not covered are errors that depend on the machine that generates code: a missing protoc.
///
/// Compiled with optimisation, a call takes 0.01 ms for `person` (a few fields) and 3 ms for `current-status` (725 fields), most of
/// it for Avro's schema. Each call leaks some kilobytes, as [`Described::new`](crate::Described::new) does: call it once per
/// definition.
pub fn not_carried(definition: &Definition) -> Vec<(CodecId, String)> {
    let Some(root) = info::messages(definition).first().copied() else {
        return Vec::new();
    };
    let reason = |id: &str| carries(id, definition, root).err().map(|reason| reason.to_string());
    // A test ensures that all ids are valid.
    REGISTRY.iter().filter_map(|codec| Some((codec.id.parse().ok()?, reason(codec.id)?))).collect()
}

/// Whether a codec can carry a definition whose root is `root`.
pub fn carries(codec: &str, definition: &Definition, root: &'static MessageInfo) -> Result<(), Reason> {
    let native = REGISTRY.iter().find(|known| known.id == codec && known.as_native().is_some());
    if let Some(reason) = native.and_then(|native| codegen::why_not_native(definition, native)) {
        return Err(Reason(reason));
    }
    let rule = RULES.iter().find(|(id, _)| *id == codec);
    rule.map_or(Ok(()), |(_, rule)| rule(definition, root))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The reasons given for a definition, by codec.
    fn said(source: &str) -> Vec<(String, String)> {
        let source = format!("syntax = \"proto3\"; import \"wiredyno/options.proto\"; {source}");
        let definition = Definition::from_source(&source, "message.proto").unwrap();
        not_carried(&definition).into_iter().map(|(id, reason)| (id.to_string(), reason)).collect()
    }

    fn of(codec: &str, source: &str) -> String {
        said(source).into_iter().find(|(id, _)| id == codec).map(|(_, reason)| reason).unwrap_or_default()
    }

    /// The codecs that can't carry the definition.
    fn codecs(source: &str) -> Vec<String> {
        said(source).into_iter().map(|(id, _)| id).collect()
    }

    const RASN: [&str; 5] =
        ["asn1-uper/rasn", "asn1-aper/rasn", "asn1-oer/rasn", "asn1-oer/rasn:canonical", "asn1-der/rasn"];

    #[test]
    fn every_rule_is_about_a_codec_of_the_registry_and_stands_once() {
        let ids: BTreeSet<&str> = RULES.iter().map(|(id, _)| *id).collect();
        assert_eq!(ids.len(), RULES.len());
        assert!(ids.iter().all(|id| REGISTRY.iter().any(|codec| codec.id == *id)));
    }

    #[test]
    fn what_all_codecs_carry_has_no_reasons() {
        assert!(said("message A { string text = 1; }").is_empty());
    }

    #[test]
    fn raw_and_the_envelope_say_what_they_miss() {
        let source = "message A { bool flag = 1; string text = 2; }";
        assert_eq!(codecs(source), ["raw/wiredyno", "ts-103-097/wiredyno"]);
        assert_eq!(of("raw/wiredyno", source), "`A` is more than one plain string or bytes field");
        assert_eq!(
            of("ts-103-097/wiredyno", source),
            "`flag` of `A` is true or false, which the format does not have"
        );
    }

    #[test]
    fn thrift_refuses_large_numbers_of_fields_and_many_required_members() {
        let reason = of("thrift/apache-thrift", "message A { string text = 32768; }");
        assert_eq!(reason, "`A.text` has number 32768, and Thrift numbers fields up to 32767");
        let field = |at| format!("B b{at} = {at} [(wiredyno.required) = true];");
        let source = |count: u32| {
            let fields: String = (1..=count).map(field).collect();
            format!("message A {{ {fields} }} message B {{ string text = 1; }}")
        };
        assert_eq!(of("thrift/apache-thrift:binary", &source(64)), "");
        let reason = of("thrift/apache-thrift:binary", &source(65));
        assert_eq!(reason, "`A` has more than 64 required messages and oneofs");
    }

    #[test]
    fn rasn_and_rkyv_refuse_what_has_too_many_alternatives() {
        let source = |count: u32| {
            let values: String = (0..count).map(|at| format!("V{at} = {at};")).collect();
            format!("message A {{ Many many = 1; }} enum Many {{ {values} }}")
        };
        assert_eq!(codecs(&source(256)), ["raw/wiredyno"]);
        assert_eq!(of("rkyv/rkyv", &source(257)), "`Many` has 257 alternatives, but its tags allow only 256");
        assert_eq!(codecs(&source(1024)), ["raw/wiredyno", "rkyv/rkyv"]);
        let refused = codecs(&source(1025));
        assert!(RASN.iter().all(|id| refused.iter().any(|refused| refused == id)), "{refused:?}");
        let wanted = "an enum or oneof of `A` has 1025 values; the tables made for rasn hold 1024";
        assert_eq!(of("asn1-der/rasn", &source(1025)), wanted);
    }

    #[test]
    fn names_that_are_one_in_the_code_of_planus_are_refused_by_that_codec_alone() {
        let source = "message A { E e = 1; } enum E { V1_0 = 0; V10 = 1; }";
        assert_eq!(codecs(source), ["raw/wiredyno", "flatbuffers/planus"]);
        let wanted = "`V1_0` and `V10` are both `V10` in the code of planus; rename one of them";
        assert_eq!(of("flatbuffers/planus", source), wanted);
    }

    #[test]
    fn names_that_the_pseudo_crc_can_t_tell_apart_are_refused() {
        let wanted = "`ac` and `ba` of `A` have the same pseudo-CRC; rename one of them";
        assert_eq!(of("netstrings/wiredyno:crc", "message A { string ac = 1; string ba = 2; }"), wanted);
    }

    #[test]
    fn a_field_that_is_the_count_of_another_is_refused_by_lcm() {
        let source = "message A { repeated sint32 n = 1; sint32 n_count = 2; }";
        let wanted =
            "`n_count` is both a field and the count that LCM needs before a list in `A`; rename the field";
        let variants = ["", ":udp", ":container", ":container-alone", ":hashing", ":container-alone-hashing"];
        let said = variants.map(|variant| of(&format!("lcm/wiredyno{variant}"), source));
        assert_eq!(said, [wanted; 6]);
    }

    #[test]
    fn the_codecs_whose_bytes_are_known_have_an_encoder_in_the_order_of_the_registry() {
        let ids: Vec<&str> = crate::ENCODERS.iter().map(crate::Encoder::codec).collect();
        for codec in REGISTRY.iter() {
            assert_eq!(
                ids.contains(&codec.id),
                codec.size_known,
                "{}: `size_known` says otherwise",
                codec.id
            );
        }
        let places: Vec<usize> =
            ids.iter().map(|id| REGISTRY.iter().position(|codec| codec.id == *id).unwrap()).collect();
        assert!(places.is_sorted_by(|a, b| a < b), "{places:?}");
    }
}

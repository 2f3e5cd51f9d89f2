//! Families of formats, which group a list of forty codecs.
//!
//! A family follows from what a codec declares, and from the series of standards in its format's id; no format and
//! no implementation is looked up by name. Limit: a codec belongs to one family, the first below that applies.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use wiredyno_contract::{Capability, CodecDescription};

/// Prefixes of the ids of formats that telecom and traffic standards define: ASN.1 encoding rules (ITU-T X.690 to X.697) and
/// technical specifications of ETSI.
const TELECOM: [&str; 2] = ["asn1-", "ts-"];

/// A family of formats, in the order in which lists and reports show them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// A person can read the bytes.
    Text,
    /// Binary, with names or types in the bytes.
    SelfDescribing,
    /// Binary, both sides need the schema.
    SchemaDriven,
    /// Read where the bytes lie, without decoding.
    ZeroCopy,
    /// Defined by telecom and traffic standards.
    Telecom,
    /// None of these: the codec copies bytes.
    Plain,
}

impl Family {
    /// All families, in the order of lists and reports.
    pub const ALL: [Family; 6] = [
        Family::Text,
        Family::SelfDescribing,
        Family::SchemaDriven,
        Family::ZeroCopy,
        Family::Telecom,
        Family::Plain,
    ];

    /// The family of a format whose codec declares these capabilities.
    pub fn of(format: &str, capabilities: &[Capability]) -> Family {
        let declares = |capability| capabilities.contains(&capability);
        if TELECOM.iter().any(|start| format.starts_with(start)) {
            Family::Telecom
        } else if declares(Capability::HumanReadable) {
            Family::Text
        } else if declares(Capability::ZeroCopy) && declares(Capability::SchemaDriven) {
            Family::ZeroCopy
        } else if declares(Capability::SelfDescribing) {
            Family::SelfDescribing
        } else if declares(Capability::SchemaDriven) {
            Family::SchemaDriven
        } else {
            Family::Plain
        }
    }

    /// The family of each format. If its codecs belong to several, as a packed variant of a zero-copy format may, the
    /// first that is more than schema-driven.
    pub fn of_formats<'a>(
        codecs: impl IntoIterator<Item = &'a CodecDescription>,
    ) -> BTreeMap<&'a str, Family> {
        let mut families = BTreeMap::new();
        let place = |family: Family| (family == Family::SchemaDriven, family);
        for codec in codecs {
            let family = families.entry(codec.id.format.as_str()).or_insert(Family::of_codec(codec));
            if place(Family::of_codec(codec)) < place(*family) {
                *family = Family::of_codec(codec);
            }
        }
        families
    }

    /// The family of a codec's format.
    pub fn of_codec(codec: &CodecDescription) -> Self {
        Family::of(&codec.id.format, &codec.capabilities)
    }

    /// The name that lists and reports show.
    pub fn title(self) -> &'static str {
        match self {
            Family::Text => "text",
            Family::SelfDescribing => "self-describing binary",
            Family::SchemaDriven => "schema-driven",
            Family::ZeroCopy => "zero-copy",
            Family::Telecom => "telecom and traffic",
            Family::Plain => "plain bytes",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Capability::{Canonical, HumanReadable, SchemaDriven, SelfDescribing, ValidatesUtf8, ZeroCopy};

    #[test]
    fn the_family_follows_from_what_is_declared() {
        for (format, capabilities, family) in [
            ("json", &[SelfDescribing, HumanReadable][..], Family::Text),
            ("cbor", &[SelfDescribing, ValidatesUtf8], Family::SelfDescribing),
            ("protobuf", &[SchemaDriven, Canonical], Family::SchemaDriven),
            ("flatbuffers", &[SchemaDriven, ZeroCopy], Family::ZeroCopy),
            ("asn1-uper", &[SchemaDriven, Canonical], Family::Telecom),
            ("opaque", &[], Family::Plain),
        ] {
            assert_eq!(Family::of(format, capabilities), family, "{format}");
        }
    }

    #[test]
    fn a_variant_does_not_take_a_format_out_of_its_family() {
        let codec = |id: &str, capabilities: &[Capability]| CodecDescription {
            id: id.parse().unwrap(),
            runner: None,
            language: None,
            compiler: None,
            library: String::new(),
            version: String::new(),
            about: String::new(),
            capabilities: capabilities.to_vec(),
        };
        let codecs = [
            codec("capnproto/capnp:packed", &[SchemaDriven]),
            codec("capnproto/capnp", &[ZeroCopy, SchemaDriven]),
            codec("messagepack/rmp-serde:named", &[SelfDescribing]),
            codec("messagepack/rmp-serde:positional", &[SchemaDriven]),
        ];
        let families = Family::of_formats(&codecs);
        assert_eq!(
            (families["capnproto"], families["messagepack"]),
            (Family::ZeroCopy, Family::SelfDescribing)
        );
    }

    #[test]
    fn families_are_listed_once_and_in_order() {
        assert!(Family::ALL.is_sorted());
    }
}

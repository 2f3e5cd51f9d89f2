//! Versioning trials: a reader with the old definition gets bytes of the new one, and the other way round.
//!
//! The results recorded here are those that the test `expressiveness` finds when it repeats the trials with each language's own
//! library; it fails if they differ. The changed messages are in a list that a number follows, so that a reader can't succeed
//! by ignoring the end of the input.

use serde::Serialize;

use super::Support;
use crate::definition::DefinitionError;
use crate::model::Definition;

/// A change of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// `uint32 extra = 4` is added after the other fields.
    Add,
    /// `uint32 number = 1`, the first field, is removed.
    Remove,
}

impl Change {
    /// The id of its construct, which the test's script uses too.
    pub fn construct(self) -> &'static str {
        match self {
            Change::Add => "add-field",
            Change::Remove => "remove-field",
        }
    }
}

/// How a reader handles bytes that the other version wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// Fields that both versions have keep their values; those that the writer lacks are absent, empty or the default.
    Reads,
    /// It rejects the bytes.
    Refuses,
    /// It silently returns other values, or crashes.
    Garbles,
}

/// Where a definition of a trial comes from.
#[derive(Debug, Clone, Copy)]
pub enum Definitions {
    /// Translated by `wiredyno schema translate` from the old and the new message.proto.
    Translated,
    /// Written in the language: the old text, then the new one.
    Written(&'static str, &'static str),
}

/// A recorded trial: how a language's readers handle one change.
#[derive(Debug)]
pub struct Trial {
    /// The id of the language.
    pub language: &'static str,
    /// The change between the old and the new definition.
    pub change: Change,
    /// What the author of the definition must do for it; empty if the translation suffices.
    pub form: &'static str,
    /// The encoding or way of reading, if the language's library has several: a keyword of the test's script.
    pub with: &'static str,
    /// The old and the new definition.
    pub definitions: Definitions,
    /// How the old reader handles new bytes.
    pub old_reads_new: Reading,
    /// How the new reader handles old bytes.
    pub new_reads_old: Reading,
}

const OLD: &str = "uint32 number = 1; string name = 2; double value = 3;";
const ADDED: &str = "uint32 number = 1; string name = 2; double value = 3; uint32 extra = 4;";
const REMOVED: &str = "string name = 2; double value = 3;";

/// The old and the new definition of a change, as payloads.
///
/// # Errors
/// None in practice: a test compiles them.
pub fn definitions(change: Change) -> Result<[Definition; 2], DefinitionError> {
    let definition = |fields: &str| {
        let text = format!(
            "syntax = \"proto3\";\npackage constructs.tried;\nimport \"wiredyno/options.proto\";\n\
             message Log {{ option (wiredyno.root) = true; repeated Reading readings = 1; uint32 last = 2; }}\n\
             message Reading {{ {fields} }}\n"
        );
        Definition::from_source(&text, "versions")
    };
    let new = match change {
        Change::Add => ADDED,
        Change::Remove => REMOVED,
    };
    Ok([definition(OLD)?, definition(new)?])
}

/// What the trials show about a change in a language; `None` if there was no trial.
pub(super) fn support(change: Change, language: &str) -> Option<Support> {
    let trials = || TRIALS.iter().filter(|trial| trial.change == change && trial.language == language);
    let first = trials().next()?;
    let good =
        trials().find(|trial| trial.old_reads_new == Reading::Reads && trial.new_reads_old == Reading::Reads);
    Some(match good {
        Some(good) if good.form.is_empty() => Support::Direct,
        Some(good) => Support::StandIn(good.form.to_owned()),
        None => Support::Not(format!(
            "the old reader {} new bytes, the new one {} old ones",
            first.old_reads_new.verb(),
            first.new_reads_old.verb()
        )),
    })
}

impl Reading {
    /// The verb for a sentence: `reads`.
    pub fn verb(self) -> &'static str {
        match self {
            Reading::Reads => "reads",
            Reading::Refuses => "refuses",
            Reading::Garbles => "garbles",
        }
    }
}

const fn trial(
    language: &'static str,
    change: Change,
    (old_reads_new, new_reads_old): (Reading, Reading),
) -> Trial {
    written(language, change, "", "", Definitions::Translated, (old_reads_new, new_reads_old))
}

const fn written(
    language: &'static str,
    change: Change,
    form: &'static str,
    with: &'static str,
    definitions: Definitions,
    (old_reads_new, new_reads_old): (Reading, Reading),
) -> Trial {
    Trial { language, change, form, with, definitions, old_reads_new, new_reads_old }
}

use Change::{Add, Remove};
use Definitions::{Translated, Written};
use Reading::{Garbles, Reads, Refuses};

/// All trials; the first of each language and change uses the plain translation.
pub static TRIALS: &[Trial] = &[
    trial("proto", Add, (Reads, Reads)),
    trial("proto", Remove, (Reads, Reads)),
    trial("thrift", Add, (Reads, Reads)),
    trial("thrift", Remove, (Reads, Reads)),
    trial("odvd", Add, (Reads, Reads)),
    trial("odvd", Remove, (Reads, Reads)),
    trial("fbs", Add, (Reads, Reads)),
    trial("fbs", Remove, (Garbles, Garbles)),
    written(
        "fbs",
        Remove,
        "the field stays as `(deprecated)`",
        "",
        Written(FBS_OLD, FBS_DEPRECATED),
        (Reads, Reads),
    ),
    trial("capnp", Add, (Reads, Reads)),
    trial("capnp", Remove, (Garbles, Garbles)),
    written(
        "capnp",
        Remove,
        "the field stays under a name that says so",
        "",
        Written(CAPNP_OLD, CAPNP_OBSOLETE),
        (Reads, Reads),
    ),
    trial("avsc", Add, (Reads, Refuses)),
    written(
        "avsc",
        Add,
        "the new field has a default, and readers have the writer's schema",
        "",
        Written(AVSC_OLD, AVSC_ADDED),
        (Reads, Reads),
    ),
    written("avsc", Add, "readers have their own schema only", "alone", Translated, (Refuses, Refuses)),
    trial("avsc", Remove, (Refuses, Reads)),
    written(
        "avsc",
        Remove,
        "the old field had a default, and readers have the writer's schema",
        "",
        Written(AVSC_OLD, AVSC_REMOVED),
        (Reads, Reads),
    ),
    trial("asn1", Add, (Garbles, Refuses)),
    written(
        "asn1",
        Add,
        "extension marker before the new field",
        "uper",
        Written(ASN1_OLD, ASN1_ADDED),
        (Reads, Reads),
    ),
    written(
        "asn1",
        Add,
        "extension marker before the new field, DER",
        "der",
        Written(ASN1_OLD, ASN1_ADDED),
        (Reads, Reads),
    ),
    trial("asn1", Remove, (Refuses, Garbles)),
    written(
        "asn1",
        Remove,
        "the field was OPTIONAL and is never sent again",
        "uper",
        Written(ASN1_OPTIONAL, ASN1_OPTIONAL),
        (Reads, Reads),
    ),
    trial("xsd", Add, (Refuses, Refuses)),
    written(
        "xsd",
        Add,
        "a wildcard at the old end, the new field optional",
        "",
        Written(XSD_OLD, XSD_ADDED),
        (Reads, Reads),
    ),
    trial("xsd", Remove, (Refuses, Refuses)),
    written(
        "xsd",
        Remove,
        "the field was optional and is never sent again",
        "",
        Written(XSD_OPTIONAL, XSD_OPTIONAL),
        (Reads, Reads),
    ),
    trial("lcm", Add, (Refuses, Refuses)),
    trial("lcm", Remove, (Refuses, Refuses)),
    trial("rosmsg", Add, (Refuses, Refuses)),
    trial("rosmsg", Remove, (Refuses, Refuses)),
    written("omg-idl", Add, "", "final", Translated, (Garbles, Refuses)),
    written("omg-idl", Add, "`@appendable`", "appendable", Translated, (Reads, Reads)),
    written("omg-idl", Add, "`@mutable`, with ids", "mutable", Translated, (Reads, Reads)),
    written("omg-idl", Remove, "", "final", Translated, (Refuses, Garbles)),
    written("omg-idl", Remove, "`@appendable`", "appendable", Translated, (Refuses, Garbles)),
    written("omg-idl", Remove, "`@mutable`, with ids", "mutable", Translated, (Reads, Reads)),
];

const FBS_OLD: &str = "table Reading { number: uint; name: string; value: double; }\n\
    table Log { readings: [Reading]; last: uint; }\nroot_type Log;\n";
const FBS_DEPRECATED: &str = "table Reading { number: uint (deprecated); name: string; value: double; }\n\
    table Log { readings: [Reading]; last: uint; }\nroot_type Log;\n";

const CAPNP_OLD: &str = "@0xd3f0b4b1c2a59687;\nstruct Reading { number @0 :UInt32; name @1 :Text; value @2 :Float64; }\n\
    struct Log { readings @0 :List(Reading); last @1 :UInt32; }\n";
const CAPNP_OBSOLETE: &str = "@0xd3f0b4b1c2a59688;\n\
    struct Reading { obsoleteNumber @0 :UInt32; name @1 :Text; value @2 :Float64; }\n\
    struct Log { readings @0 :List(Reading); last @1 :UInt32; }\n";

const AVSC_OLD: &str = r#"{"type": "record", "name": "Log", "fields": [{"name": "readings", "type": {"type": "array", "items":
  {"type": "record", "name": "Reading", "fields": [{"name": "number", "type": "long", "default": 0},
  {"name": "name", "type": "string"}, {"name": "value", "type": "double"}]}}}, {"name": "last", "type": "long"}]}"#;
const AVSC_ADDED: &str = r#"{"type": "record", "name": "Log", "fields": [{"name": "readings", "type": {"type": "array", "items":
  {"type": "record", "name": "Reading", "fields": [{"name": "number", "type": "long", "default": 0},
  {"name": "name", "type": "string"}, {"name": "value", "type": "double"},
  {"name": "extra", "type": "long", "default": 0}]}}}, {"name": "last", "type": "long"}]}"#;
const AVSC_REMOVED: &str = r#"{"type": "record", "name": "Log", "fields": [{"name": "readings", "type": {"type": "array", "items":
  {"type": "record", "name": "Reading", "fields": [{"name": "name", "type": "string"},
  {"name": "value", "type": "double"}]}}}, {"name": "last", "type": "long"}]}"#;

const ASN1_OLD: &str = "LogModule DEFINITIONS AUTOMATIC TAGS ::= BEGIN\n\
    Log ::= SEQUENCE { readings SEQUENCE OF Reading, last INTEGER (0..4294967295) }\n\
    Reading ::= SEQUENCE { number INTEGER (0..4294967295), name UTF8String, value OCTET STRING (SIZE(8)), ... }\nEND\n";
const ASN1_ADDED: &str = "LogModule DEFINITIONS AUTOMATIC TAGS ::= BEGIN\n\
    Log ::= SEQUENCE { readings SEQUENCE OF Reading, last INTEGER (0..4294967295) }\n\
    Reading ::= SEQUENCE { number INTEGER (0..4294967295), name UTF8String, value OCTET STRING (SIZE(8)), ...,\n  \
    extra INTEGER (0..4294967295) }\nEND\n";
const ASN1_OPTIONAL: &str = "LogModule DEFINITIONS AUTOMATIC TAGS ::= BEGIN\n\
    Log ::= SEQUENCE { readings SEQUENCE OF Reading, last INTEGER (0..4294967295) }\n\
    Reading ::= SEQUENCE { number INTEGER (0..4294967295) OPTIONAL, name UTF8String, value OCTET STRING (SIZE(8)) }\n\
    END\n";

const XSD_OLD: &str = r#"<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="Log" type="Log"/>
<xs:complexType name="Log"><xs:sequence><xs:element name="readings" type="Reading" minOccurs="0" maxOccurs="unbounded"/>
<xs:element name="last" type="xs:unsignedInt"/></xs:sequence></xs:complexType>
<xs:complexType name="Reading"><xs:sequence><xs:element name="number" type="xs:unsignedInt"/>
<xs:element name="name" type="xs:string"/><xs:element name="value" type="xs:double"/>
<xs:any processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:schema>
"#;
const XSD_ADDED: &str = r#"<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="Log" type="Log"/>
<xs:complexType name="Log"><xs:sequence><xs:element name="readings" type="Reading" minOccurs="0" maxOccurs="unbounded"/>
<xs:element name="last" type="xs:unsignedInt"/></xs:sequence></xs:complexType>
<xs:complexType name="Reading"><xs:sequence><xs:element name="number" type="xs:unsignedInt"/>
<xs:element name="name" type="xs:string"/><xs:element name="value" type="xs:double"/>
<xs:element name="extra" type="xs:unsignedInt" minOccurs="0"/></xs:sequence></xs:complexType></xs:schema>
"#;
const XSD_OPTIONAL: &str = r#"<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="Log" type="Log"/>
<xs:complexType name="Log"><xs:sequence><xs:element name="readings" type="Reading" minOccurs="0" maxOccurs="unbounded"/>
<xs:element name="last" type="xs:unsignedInt"/></xs:sequence></xs:complexType>
<xs:complexType name="Reading"><xs:sequence><xs:element name="number" type="xs:unsignedInt" minOccurs="0"/>
<xs:element name="name" type="xs:string"/><xs:element name="value" type="xs:double"/></xs:sequence></xs:complexType>
</xs:schema>
"#;

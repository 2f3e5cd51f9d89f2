//! The constructs that interface languages are compared by: one small definition each, written as in a payload.

use super::Change;
use crate::definition::DefinitionError;
use crate::model::Definition;

/// A construct of interface languages, with the way to find out whether a language has it.
#[derive(Debug)]
pub struct Construct {
    /// Its id in tables and JSON: `int8`.
    pub id: &'static str,
    /// What is expected of a language, in a few words.
    pub asks: &'static str,
    /// How support for it is determined.
    pub by: By,
}

/// How a language's support is determined.
#[derive(Debug, Clone, Copy)]
pub enum By {
    /// From the translation's notes to a message with these members, next to these types.
    Translation {
        /// The members of the root message, in .proto.
        members: &'static str,
        /// Further top-level types that the members use.
        types: &'static str,
    },
    /// A restriction of a construct that is carried anyway: a translation that is the same without it does not express it.
    Restriction {
        /// The root message's members with the restriction.
        members: &'static str,
        /// The root message's members without the restriction.
        without: &'static str,
    },
    /// From the translation's note to the package.
    Package,
    /// Message definitions can't express it: only texts in the language itself count.
    Text,
    /// From trials with an old and a new reader.
    Readers(Change),
}

const fn member(id: &'static str, asks: &'static str, members: &'static str) -> Construct {
    Construct { id, asks, by: By::Translation { members, types: "" } }
}

/// Every construct, in the order of the table.
pub static CONSTRUCTS: &[Construct] = &[
    member("bool", "true or false", "bool value = 1;"),
    member("char", "one character, as a type of its own", "uint32 value = 1 [(wiredyno.character) = true];"),
    member("int8", "8 bit signed", "sint32 value = 1 [(wiredyno.range) = { min: -128, max: 127 }];"),
    member("uint8", "8 bit unsigned", "uint32 value = 1 [(wiredyno.range) = { min: 0, max: 255 }];"),
    member("int16", "16 bit signed", "sint32 value = 1 [(wiredyno.range) = { min: -32768, max: 32767 }];"),
    member("uint16", "16 bit unsigned", "uint32 value = 1 [(wiredyno.range) = { min: 0, max: 65535 }];"),
    member("int32", "32 bit signed", "int32 value = 1;"),
    member("uint32", "32 bit unsigned", "uint32 value = 1;"),
    member("int64", "64 bit signed", "int64 value = 1;"),
    member("uint64", "64 bit unsigned", "uint64 value = 1;"),
    member("float", "IEEE 754, 32 bits", "float value = 1;"),
    member("double", "IEEE 754, 64 bits", "double value = 1;"),
    member("string", "text of any length", "string value = 1;"),
    member("bytes", "any bytes, of any number", "bytes value = 1;"),
    member(
        "enum",
        "one of several named values",
        "enum Light { OFF = 0; RED = 1; GREEN = 2; } Light value = 1;",
    ),
    member(
        "enum-numbers",
        "named values with chosen numbers",
        "enum Light { OFF = 0; RED = 4; } Light value = 1;",
    ),
    Construct {
        id: "message",
        asks: "a message inside of a message",
        by: By::Translation {
            members: "Wheel value = 1 [(wiredyno.required) = true];",
            types: "message Wheel { int32 size = 1; }",
        },
    },
    member("list", "any number of elements", "repeated int32 value = 1;"),
    Construct {
        id: "fixed-array",
        asks: "a fixed number of elements",
        by: By::Restriction {
            members: "repeated int32 value = 1 [(wiredyno.fixed_length) = 4];",
            without: "repeated int32 value = 1;",
        },
    },
    member("map", "values by keys", "map<string, int32> value = 1;"),
    member("optional", "a number or nothing, which differs from zero", "optional int32 value = 1;"),
    member("oneof", "one of several fields at a time", "oneof value { int32 number = 1; string text = 2; }"),
    Construct { id: "default", asks: "the value of a field that is not given", by: By::Text },
    Construct {
        id: "range",
        asks: "the least and greatest value of an integer",
        by: By::Restriction {
            members: "int32 value = 1 [(wiredyno.range) = { min: -5, max: 1000 }];",
            without: "int32 value = 1;",
        },
    },
    Construct {
        id: "fixed-length",
        asks: "a fixed number of bytes",
        by: By::Restriction {
            members: "bytes value = 1 [(wiredyno.fixed_length) = 8];",
            without: "bytes value = 1;",
        },
    },
    Construct { id: "namespace", asks: "a namespace around types", by: By::Package },
    Construct {
        id: "add-field",
        asks: "a new field at the end: both readers still work",
        by: By::Readers(Change::Add),
    },
    Construct {
        id: "remove-field",
        asks: "the first field removed: both readers still work",
        by: By::Readers(Change::Remove),
    },
];

/// The package of the constructs' definitions.
pub const PACKAGE: &str = "constructs.said";

impl Construct {
    /// The root message's name, which is a keyword of no language.
    pub fn message_name(&self) -> String {
        format!("Says{}", crate::idl::type_name(&self.id.replace('-', "_")))
    }

    /// A definition whose root has these members.
    pub(super) fn definition(&self, members: &str, types: &str) -> Result<Definition, DefinitionError> {
        let name = self.message_name();
        let text = format!(
            "syntax = \"proto3\";\npackage {PACKAGE};\nimport \"wiredyno/options.proto\";\n\
             message {name} {{ option (wiredyno.root) = true; {members} }}\n{types}\n"
        );
        Definition::from_source(&text, self.id)
    }
}

//! ODVD, OpenDaVINCI's message language. Field ids are the definition's numbers.
//!
//! Limits: its compiler is an Eclipse plug-in that the tests can't run; they use our own parser for the grammar that
//! OpenDaVINCI publishes (DataModel.xtext). The translation matches what the Netstrings codecs write: maps are lists of
//! {key, value}, bytes are texts, integers have 32 or 64 bits, though the grammar has maps, bytes and narrower integers.

use std::fmt::Write as _;

use super::plain::{self, Count, Integers, Language, Plain};
use super::untold::Tells;
use super::{Idl, Lowered, Refusal};
use crate::model::Definition;

/// ODVD files, as the language `odvd`.
pub struct Odvd;

const LANGUAGE: Language = Language {
    name: "ODVD",
    integers: Integers::Wide,
    has_enums: false,
    has_absence: false,
    has_byte_strings: true,
    tells: Tells::NO_LENGTHS,
    package: "the package `wiredyno`, regardless of the definition's",
};

/// Keywords of the grammar: as names they need a preceding caret, which is not part of the name (Xtext's terminal ID).
const KEYWORDS: &[&str] = &[
    "bool", "bytes", "char", "const", "default", "double", "enum", "false", "float", "id", "int16", "int32",
    "int64", "int8", "list", "map", "message", "package", "string", "true", "uint16", "uint32", "uint64",
    "uint8",
];

fn identifier(name: &str) -> String {
    match KEYWORDS.contains(&name) {
        true => format!("^{name}"),
        false => name.to_owned(),
    }
}

/// The number of the first message; later ones count up.
const FIRST_ID: usize = 1000;

impl Idl for Odvd {
    fn id(&self) -> &'static str {
        "odvd"
    }

    fn name(&self) -> &'static str {
        "OpenDaVINCI data description"
    }

    fn extension(&self) -> &'static str {
        "odvd"
    }

    fn lower(&self, definition: &Definition) -> Result<Lowered, Refusal> {
        let plain = plain::lower(definition, &LANGUAGE)?.flat(&LANGUAGE)?;
        let mut text = "package wiredyno;\n".to_owned();
        for (at, declared) in plain.structs.iter().enumerate() {
            let _ = writeln!(text, "\nmessage {} [id = {}] {{", identifier(&declared.name), FIRST_ID + at);
            for member in &declared.members {
                let ty = type_name(&member.ty);
                let ty = match member.count {
                    Count::One => ty,
                    Count::AtMostOne | Count::Any { .. } | Count::Exactly(_) => format!("list<{ty}>"),
                };
                let _ = writeln!(text, "    {ty} {} [id = {}];", identifier(&member.name), member.number);
            }
            text.push_str("}\n");
        }
        Ok(Lowered { text, notes: plain.notes })
    }
}

fn type_name(ty: &Plain) -> String {
    match ty {
        Plain::Bool => "bool".to_owned(),
        Plain::F32 => "float".to_owned(),
        Plain::F64 => "double".to_owned(),
        Plain::Text | Plain::Byte => "string".to_owned(),
        Plain::Integer { bits, signed: true } => format!("int{bits}"),
        Plain::Integer { bits, signed: false } => format!("uint{bits}"),
        Plain::Struct(name) => identifier(name),
        Plain::Enum(_) => "int32".to_owned(),
    }
}

//! ODVD, OpenDaVINCI's message language. Ids of fields are the definition's numbers.
//!
//! Limits: its compiler is an Eclipse plug-in that the tests can't run; the wording follows OpenDaVINCI's published examples
//! (`message Name [id = N] { double speed [id = 1]; }`). What the language does not show there is refused or stands in.

use std::fmt::Write as _;

use super::plain::{self, Count, Integers, Language, Plain};
use super::untold::Tells;
use super::{Idl, Lowered, Refusal};
use crate::model::Definition;

/// ODVD.
pub struct Odvd;

const LANGUAGE: Language = Language {
    name: "ODVD",
    integers: Integers::Wide,
    has_enums: false,
    has_absence: false,
    has_byte_strings: true,
    tells: Tells::NO_LENGTHS,
    package: "the package `wiredyno`, whatever the definition's is",
};

/// Messages are numbered from here.
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
            let _ = writeln!(text, "\nmessage {} [id = {}] {{", declared.name, FIRST_ID + at);
            for member in &declared.members {
                let ty = type_name(&member.ty);
                let ty = match member.count {
                    Count::One => ty,
                    Count::AtMostOne | Count::Any { .. } | Count::Exactly(_) => format!("list<{ty}>"),
                };
                let _ = writeln!(text, "    {ty} {} [id = {}];", member.name, member.number);
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
        Plain::Struct(name) => name.clone(),
        Plain::Enum(_) => "int32".to_owned(),
    }
}

//! ROS 1 messages, as genpy and gencpp read them: the root's fields, then the other messages behind lines of `=`, each
//! with its name (the form of `gendeps --cat`, and of recorded bags).

use std::fmt::Write as _;

use super::plain::{self, Count, Integers, Language, Plain, Struct};
use super::untold::Tells;
use super::{Idl, Lowered, Refusal};
use crate::model::Definition;

/// ROS 1 messages.
pub struct RosMsg;

const LANGUAGE: Language = Language {
    name: "ROS messages",
    integers: Integers::All,
    has_enums: false,
    has_absence: false,
    has_byte_strings: false,
    tells: Tells { fixed_lists: true, fixed_bytes: true, ..Tells::NO_LENGTHS },
    package: "the package `wiredyno`, regardless of the definition's",
};

/// The package that the messages belong to.
const PACKAGE: &str = "wiredyno";

impl Idl for RosMsg {
    fn id(&self) -> &'static str {
        "rosmsg"
    }

    fn name(&self) -> &'static str {
        "ROS 1 messages"
    }

    fn extension(&self) -> &'static str {
        "msg"
    }

    fn lower(&self, definition: &Definition) -> Result<Lowered, Refusal> {
        let plain = plain::lower(definition, &LANGUAGE)?.flat(&LANGUAGE)?;
        let mut text = String::new();
        for (at, declared) in plain.structs.iter().rev().enumerate() {
            if at > 0 {
                let _ = writeln!(text, "{}\nMSG: {PACKAGE}/{}", "=".repeat(80), declared.name);
            }
            members(declared, &mut text);
            if at > 0 && declared.members.is_empty() {
                // Else genpy does not find the end of the name.
                text.push('\n');
            }
        }
        Ok(Lowered { text, notes: plain.notes })
    }
}

fn members(declared: &Struct, text: &mut String) {
    for member in &declared.members {
        let ty = match &member.ty {
            Plain::Bool => "bool".to_owned(),
            Plain::F32 => "float32".to_owned(),
            Plain::F64 => "float64".to_owned(),
            Plain::Text => "string".to_owned(),
            Plain::Byte => "uint8".to_owned(),
            Plain::Integer { bits, signed: true } => format!("int{bits}"),
            Plain::Integer { bits, signed: false } => format!("uint{bits}"),
            Plain::Struct(name) => format!("{PACKAGE}/{name}"),
            Plain::Enum(_) => "int32".to_owned(),
        };
        let list = match member.count {
            Count::One => String::new(),
            Count::Exactly(count) => format!("[{count}]"),
            Count::AtMostOne | Count::Any { .. } => "[]".to_owned(),
        };
        let _ = writeln!(text, "{ty}{list} {}", member.name);
    }
}

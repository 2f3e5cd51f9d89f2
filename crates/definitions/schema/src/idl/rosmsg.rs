//! ROS 1 messages, as genpy and gencpp accept them: the root's fields, then the other messages, each after a line of `=` and
//! a line with its name (the form of `gendeps --cat`, and of recorded bags).

use std::fmt::Write as _;

use super::plain::{self, Count, Integers, Language, Plain, Struct};
use super::untold::Tells;
use super::{Idl, Lowered, Refusal};
use crate::model::Definition;

/// ROS 1 messages, as the language `rosmsg`.
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

/// The package of all messages.
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
            members(declared, &mut text)?;
            if at > 0 && declared.members.is_empty() {
                // Otherwise genpy does not find the end of the name.
                text.push('\n');
            }
        }
        Ok(Lowered { text, notes: plain.notes })
    }
}

/// A field's name: genpy requires a letter first.
fn field_name(declared: &Struct, name: &str) -> Result<String, Refusal> {
    if name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return Ok(name.to_owned());
    }
    let own = format!("f{name}");
    if declared.members.iter().any(|other| other.name == own) {
        let path = format!("{}.{name}", declared.name);
        let reason = format!("a name must start with a letter, and `{own}` is another field; rename one");
        return Err(Refusal { language: LANGUAGE.name, path, reason });
    }
    Ok(own)
}

fn members(declared: &Struct, text: &mut String) -> Result<(), Refusal> {
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
        let _ = writeln!(text, "{ty}{list} {}", field_name(declared, &member.name)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lowered(fields: &str) -> Result<Lowered, Refusal> {
        let source = format!("syntax = \"proto3\"; message A {{ {fields} }}");
        RosMsg.lower(&Definition::from_source(&source, "message.proto").unwrap())
    }

    #[test]
    fn names_begin_with_a_letter() {
        let text = lowered("int32 _ = 1; int32 _1 = 2; int32 a = 3;").unwrap().text;
        assert_eq!(text, "int32 f_\nint32 f_1\nint32 a\n");
        let refusal = lowered("int32 _a = 1; int32 f_a = 2;").map(|_| ()).unwrap_err();
        assert!(refusal.reason.ends_with("rename one"), "{refusal}");
    }
}

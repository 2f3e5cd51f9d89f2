//! LCM's type specification language, as lcm-gen accepts it.
//!
//! A list of variable length follows a member `NAME_count` with its length. `byte` is the only unsigned integer.

use std::fmt::Write as _;

use super::plain::{self, Count, Integers, Language, Plain};
use super::untold::Tells;
use super::{Idl, Lowered, Refusal};
use crate::model::Definition;

/// LCM type specifications, as the language `lcm`.
pub struct Lcm;

const LANGUAGE: Language = Language {
    name: "LCM",
    integers: Integers::Signed,
    has_enums: false,
    has_absence: false,
    has_byte_strings: false,
    tells: Tells { fixed_lists: true, fixed_bytes: true, ..Tells::NO_LENGTHS },
    package: "the package `wiredyno`, regardless of the definition's",
};

impl Idl for Lcm {
    fn id(&self) -> &'static str {
        "lcm"
    }

    fn name(&self) -> &'static str {
        "LCM type specification"
    }

    fn extension(&self) -> &'static str {
        "lcm"
    }

    fn lower(&self, definition: &Definition) -> Result<Lowered, Refusal> {
        let plain = plain::lower(definition, &LANGUAGE)?;
        let mut text = "package wiredyno;\n".to_owned();
        for declared in &plain.structs {
            let _ = writeln!(text, "\nstruct {}\n{{", declared.name);
            for member in &declared.members {
                let (name, ty) = (&member.name, type_name(&member.ty));
                let _ = match member.count {
                    Count::One => writeln!(text, "    {ty} {name};"),
                    Count::Exactly(count) => writeln!(text, "    {ty} {name}[{count}];"),
                    Count::AtMostOne | Count::Any { .. } => {
                        let count = format!("{name}_count");
                        if declared.members.iter().any(|other| other.name == count) {
                            return Err(Refusal {
                                language: LANGUAGE.name,
                                path: format!("{}.{count}", declared.name),
                                reason: format!(
                                    "the count of the list `{name}` needs this name; rename the field"
                                ),
                            });
                        }
                        writeln!(text, "    int32_t {count};\n    {ty} {name}[{count}];")
                    }
                };
            }
            text.push_str("}\n");
        }
        Ok(Lowered { text, notes: plain.notes })
    }
}

fn type_name(ty: &Plain) -> String {
    match ty {
        Plain::Bool => "boolean".to_owned(),
        Plain::F32 => "float".to_owned(),
        Plain::F64 => "double".to_owned(),
        Plain::Text => "string".to_owned(),
        Plain::Byte | Plain::Integer { bits: 8, signed: false } => "byte".to_owned(),
        Plain::Integer { bits, .. } => format!("int{bits}_t"),
        Plain::Struct(name) => name.clone(),
        Plain::Enum(_) => "int32_t".to_owned(),
    }
}

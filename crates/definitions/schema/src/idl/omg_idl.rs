//! OMG IDL 4.2, as Cyclone DDS's idlc accepts it. Types are final, so that XCDR1 writes members one after the other.
//!
//! Limits: recursive definitions get forward declarations, which not every compiler supports (idlc 0.10 does not).

use std::fmt::Write as _;

use super::plain::{self, Count, Integers, Language, Plain, Struct};
use super::untold::Tells;
use super::{Expression, Idl, Lowered, Note, Refusal};
use crate::model::{Definition, Enum};

/// OMG IDL, as the language `omg-idl`.
pub struct OmgIdl;

const LANGUAGE: Language = Language {
    name: "OMG IDL",
    integers: Integers::All,
    has_enums: true,
    has_absence: false,
    has_byte_strings: false,
    tells: Tells::LENGTHS,
    package: "the module `wiredyno`, regardless of the package",
};

/// The module that contains all types.
const MODULE: &str = "wiredyno";

/// Keywords in lower case (OMG IDL 4.2, table 7-6); they are reserved in any case.
const KEYWORDS: &[&str] = &[
    "abstract",
    "any",
    "alias",
    "attribute",
    "bitfield",
    "bitmask",
    "bitset",
    "boolean",
    "case",
    "char",
    "component",
    "connector",
    "const",
    "consumes",
    "context",
    "custom",
    "default",
    "double",
    "emits",
    "enum",
    "eventtype",
    "exception",
    "factory",
    "false",
    "finder",
    "fixed",
    "float",
    "getraises",
    "home",
    "import",
    "in",
    "inout",
    "int16",
    "int32",
    "int64",
    "int8",
    "interface",
    "local",
    "long",
    "manages",
    "map",
    "mirrorport",
    "module",
    "multiple",
    "native",
    "object",
    "octet",
    "oneway",
    "out",
    "port",
    "porttype",
    "primarykey",
    "private",
    "provides",
    "public",
    "publishes",
    "raises",
    "readonly",
    "sequence",
    "setraises",
    "short",
    "string",
    "struct",
    "supports",
    "switch",
    "true",
    "truncatable",
    "typedef",
    "typeid",
    "typename",
    "typeprefix",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "union",
    "unsigned",
    "uses",
    "valuebase",
    "valuetype",
    "void",
    "wchar",
    "wstring",
];

/// Keywords get a leading underscore, which is not part of the name.
fn identifier(name: &str) -> String {
    match KEYWORDS.contains(&name.to_ascii_lowercase().as_str()) {
        true => format!("_{name}"),
        false => name.to_owned(),
    }
}

impl Idl for OmgIdl {
    fn id(&self) -> &'static str {
        "omg-idl"
    }

    fn name(&self) -> &'static str {
        "OMG IDL"
    }

    fn extension(&self) -> &'static str {
        "idl"
    }

    fn lower(&self, definition: &Definition) -> Result<Lowered, Refusal> {
        let mut plain = plain::lower(definition, &LANGUAGE)?;
        let mut text = format!("module {MODULE} {{\n");
        let mut taken = types_of(definition, &plain.structs)?;
        for declared in &definition.enums {
            enumeration(declared, &mut taken, &mut plain.notes, &mut text)?;
        }
        if let Some(recursive) = &plain.recursive {
            let path = recursive.clone();
            let expression = Expression::stand_in("a forward declaration, which not every compiler follows");
            plain.notes.push(Note { path, expression });
            for declared in &plain.structs {
                let _ = writeln!(text, "struct {};", identifier(&declared.name));
            }
        }
        for declared in &plain.structs {
            let _ = writeln!(text, "@final struct {} {{", identifier(&declared.name));
            for member in &declared.members {
                let ty = type_in(declared, type_name(definition, &member.ty));
                let name = member_name(declared, &member.name, &mut plain.notes);
                let _ = match member.count {
                    Count::One => writeln!(text, "  {ty} {name};"),
                    Count::Exactly(count) => writeln!(text, "  {ty} {name}[{count}];"),
                    Count::AtMostOne => writeln!(text, "  sequence<{ty}, 1> {name};"),
                    Count::Any { max: Some(max) } => writeln!(text, "  sequence<{ty}, {max}> {name};"),
                    Count::Any { max: None } => writeln!(text, "  sequence<{ty}> {name};"),
                };
            }
            text.push_str("};\n");
        }
        text.push_str("};\n");
        Ok(Lowered { text, notes: plain.notes })
    }
}

/// A type as members of a struct refer to it. An unqualified name enters the struct's scope, where no member may then have it;
/// a name qualified by its module does not.
fn type_in(declared: &Struct, ty: String) -> String {
    let bare = ty.trim_start_matches('_');
    match declared.members.iter().any(|member| member.name.eq_ignore_ascii_case(bare)) {
        true if !KEYWORDS.contains(&ty.as_str()) => format!("{MODULE}::{ty}"),
        _ => ty,
    }
}

/// A member's name. A member can't be called like its struct: it gets a trailing underscore, and a note.
fn member_name(declared: &Struct, name: &str, notes: &mut [Note]) -> String {
    if !name.eq_ignore_ascii_case(&declared.name) {
        return identifier(name);
    }
    let mut other = format!("{name}_");
    while declared.members.iter().any(|member| member.name.eq_ignore_ascii_case(&other)) {
        other.push('_');
    }
    let path = format!("{}.{name}", declared.name);
    if let Some(note) = notes.iter_mut().find(|note| note.path == path) {
        let before = if let Expression::StandIn(by) = &note.expression { Some(by.clone()) } else { None };
        note.expression = Expression::by_all(before.into_iter().chain([format!("the name `{other}`")]));
    }
    other
}

/// The lower-case names of all types, which must differ.
fn types_of(definition: &Definition, structs: &[Struct]) -> Result<Vec<String>, Refusal> {
    let mut taken: Vec<String> = Vec::new();
    let names = definition.enums.iter().map(|declared| &declared.name);
    for name in names.chain(structs.iter().map(|declared| &declared.name)) {
        let bare = name.to_ascii_lowercase();
        if taken.contains(&bare) {
            let reason = "another type has a name that differs only in case; rename one".to_owned();
            return Err(Refusal { language: LANGUAGE.name, path: name.clone(), reason });
        }
        taken.push(bare);
    }
    Ok(taken)
}

/// An enumerator's name. It shares a scope with all types and other enums' enumerators: if it is taken, its enum's name is prefixed.
fn enumerator(
    declared: &Enum,
    name: &str,
    taken: &mut Vec<String>,
    notes: &mut Vec<Note>,
) -> Result<String, Refusal> {
    let path = format!("{}.{name}", declared.name);
    let mut own = name.to_owned();
    if taken.contains(&own.to_ascii_lowercase()) {
        own = format!("{}_{name}", declared.name);
        notes
            .push(Note { path: path.clone(), expression: Expression::stand_in(format!("the name `{own}`")) });
    }
    let bare = own.to_ascii_lowercase();
    if taken.contains(&bare) {
        let reason = "another name differs only in case; rename one".to_owned();
        return Err(Refusal { language: LANGUAGE.name, path, reason });
    }
    taken.push(bare);
    Ok(identifier(&own))
}

fn enumeration(
    declared: &Enum,
    taken: &mut Vec<String>,
    notes: &mut Vec<Note>,
    text: &mut String,
) -> Result<(), Refusal> {
    let mut values: Vec<_> = declared.values.iter().collect();
    values.sort_by_key(|value| value.number);
    if let Some(below) = values.iter().find(|value| value.number < 0) {
        return Err(Refusal {
            language: LANGUAGE.name,
            path: format!("{}.{}", declared.name, below.name),
            reason: "enum numbers can't be negative in OMG IDL".to_owned(),
        });
    }
    let values = values.iter().map(|value| {
        Ok(format!("  @value({}) {}", value.number, enumerator(declared, &value.name, taken, notes)?))
    });
    let values = values.collect::<Result<Vec<_>, Refusal>>()?;
    let _ = writeln!(text, "enum {} {{\n{}\n}};", identifier(&declared.name), values.join(",\n"));
    Ok(())
}

fn type_name(definition: &Definition, ty: &Plain) -> String {
    match ty {
        Plain::Bool => "boolean".to_owned(),
        Plain::F32 => "float".to_owned(),
        Plain::F64 => "double".to_owned(),
        Plain::Text => "string".to_owned(),
        Plain::Byte => "octet".to_owned(),
        Plain::Integer { bits, signed: true } => format!("int{bits}"),
        Plain::Integer { bits, signed: false } => format!("uint{bits}"),
        Plain::Struct(name) => identifier(name),
        Plain::Enum(index) => identifier(&definition.enums[*index].name),
    }
}

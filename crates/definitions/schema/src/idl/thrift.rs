//! Apache Thrift IDL.
//!
//! Fields keep their Protobuf numbers; those that are always present have Thrift's default requiredness, others are
//! `optional`. Stand-ins: Thrift has no unsigned integers, so an integer has the narrowest of i8, i16, i32 and i64 that
//! holds its range or type, and an unsigned 64-bit integer is the i64 with the same bits; float is double; members of a
//! oneof are optional fields (a Thrift union would be an additional struct around them).

use std::fmt::Write as _;

use super::untold::{self, Tells, Width};
use super::{Expression, Idl, Lowered, Note, Refusal, type_name, unreserved};
use crate::model::{Cardinality, Definition, Enum, Field, Message, Type};

/// Thrift's IDL, as the language `thrift`.
#[derive(Debug)]
pub struct Thrift;

const NAME: &str = "Thrift IDL";

/// Thrift's keywords, and words that its compiler refuses because they are keywords of a target language.
const RESERVED: &[&str] = &[
    "BEGIN",
    "END",
    "False",
    "None",
    "True",
    "__CLASS__",
    "__DIR__",
    "__FILE__",
    "__FUNCTION__",
    "__LINE__",
    "__METHOD__",
    "__NAMESPACE__",
    "abstract",
    "alias",
    "and",
    "args",
    "as",
    "assert",
    "async",
    "await",
    "begin",
    "binary",
    "bool",
    "break",
    "byte",
    "case",
    "catch",
    "class",
    "clone",
    "const",
    "continue",
    "cpp_include",
    "cpp_namespace",
    "cpp_type",
    "declare",
    "def",
    "default",
    "del",
    "delete",
    "delphi_namespace",
    "do",
    "double",
    "dynamic",
    "elif",
    "else",
    "elseif",
    "elsif",
    "end",
    "enddeclare",
    "endfor",
    "endforeach",
    "endif",
    "endswitch",
    "endwhile",
    "ensure",
    "enum",
    "except",
    "exception",
    "exec",
    "extends",
    "false",
    "finally",
    "float",
    "for",
    "foreach",
    "from",
    "function",
    "global",
    "goto",
    "i16",
    "i32",
    "i64",
    "i8",
    "if",
    "implements",
    "import",
    "in",
    "include",
    "inline",
    "instanceof",
    "interface",
    "is",
    "java_package",
    "lambda",
    "list",
    "map",
    "module",
    "namespace",
    "native",
    "new",
    "next",
    "nil",
    "nonlocal",
    "not",
    "oneway",
    "optional",
    "or",
    "package",
    "pass",
    "perl_package",
    "php_namespace",
    "print",
    "private",
    "protected",
    "public",
    "py_module",
    "raise",
    "redo",
    "register",
    "required",
    "rescue",
    "retry",
    "return",
    "ruby_namespace",
    "self",
    "senum",
    "service",
    "set",
    "sizeof",
    "slist",
    "smalltalk_category",
    "smalltalk_prefix",
    "static",
    "string",
    "struct",
    "super",
    "switch",
    "synchronized",
    "then",
    "this",
    "throw",
    "throws",
    "transient",
    "true",
    "try",
    "typedef",
    "undef",
    "union",
    "unless",
    "unsigned",
    "until",
    "use",
    "var",
    "virtual",
    "void",
    "volatile",
    "when",
    "while",
    "with",
    "xor",
    "xsd_all",
    "xsd_attrs",
    "xsd_namespace",
    "xsd_nillable",
    "xsd_optional",
    "yield",
];

impl Idl for Thrift {
    fn id(&self) -> &'static str {
        "thrift"
    }

    fn name(&self) -> &'static str {
        NAME
    }

    fn extension(&self) -> &'static str {
        "thrift"
    }

    fn lower(&self, definition: &Definition) -> Result<Lowered, Refusal> {
        let mut text = format!("// Lowered from {}.\n\n", definition.root().full_name);
        let unsaid = Expression::stand_in("names without it");
        let mut notes = Vec::from_iter(Note::package(definition, unsaid));
        for declared in &definition.enums {
            enumeration(declared, &mut text);
        }
        // Thrift's compilers require structs before their use, except recursive ones.
        for message in definition.messages.iter().rev() {
            let _ = writeln!(text, "struct {} {{", own_type(&message.name));
            for field in &message.fields {
                member(definition, message, field, &mut text)?;
                notes.push(Note::of(message, &field.name, expression(field)));
            }
            text.push_str("}\n\n");
        }
        Ok(Lowered { text, notes })
    }
}

fn enumeration(declared: &Enum, text: &mut String) {
    let _ = writeln!(text, "enum {} {{", own_type(&declared.name));
    for value in declared.ascending() {
        let _ = writeln!(text, "  {} = {},", unreserved(&value.name, RESERVED), value.number);
    }
    text.push_str("}\n\n");
}

/// A struct's or enum's name.
fn own_type(name: &str) -> String {
    unreserved(&type_name(name), RESERVED)
}

fn member(
    definition: &Definition,
    message: &Message,
    field: &Field,
    text: &mut String,
) -> Result<(), Refusal> {
    if i16::try_from(field.number).is_err() {
        return Err(Refusal {
            language: NAME,
            path: format!("{}.{}", message.name, field.name),
            reason: format!("it has number {}, and Thrift numbers fields up to {}", field.number, i16::MAX),
        });
    }
    let element = element(definition, field, field.ty);
    let ty = match field.cardinality {
        Cardinality::Implicit => element,
        Cardinality::Optional => format!("optional {element}"),
        Cardinality::Repeated => format!("list<{element}>"),
        Cardinality::Map(key) => format!("map<{}, {element}>", scalar(definition, key)),
    };
    let _ = writeln!(text, "  {}: {ty} {},", field.number, unreserved(&field.name, RESERVED));
    Ok(())
}

fn element(definition: &Definition, field: &Field, ty: Type) -> String {
    match width(field).filter(|_| field.options.range.is_some()) {
        Some(width) => format!("i{}", width.bits),
        None => scalar(definition, ty),
    }
}

/// The narrowest signed type; Thrift has no unsigned ones.
fn width(field: &Field) -> Option<Width> {
    let declared = Width::declared(field.ty)?;
    Some(match field.options.range {
        Some((min, max)) => Width { signed: true, ..Width::narrowest(min.min(-1 - max), max) },
        None if declared.signed => declared,
        None => Width { bits: 64, signed: true },
    })
}

fn scalar(definition: &Definition, ty: Type) -> String {
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::I32 => "i32".to_owned(),
        Type::I64 | Type::U32 | Type::U64 => "i64".to_owned(),
        Type::F32 | Type::F64 => "double".to_owned(),
        Type::String => "string".to_owned(),
        Type::Bytes => "binary".to_owned(),
        Type::Enum(index) => own_type(&definition.enums[index].name),
        Type::Message(index) => own_type(&definition.messages[index].name),
    }
}

fn expression(field: &Field) -> Expression {
    let shape = match field.ty {
        _ if field.oneof.is_some() => Some("an optional field for each member of the oneof"),
        Type::F32 => Some("double"),
        _ => None,
    };
    let integer = width(field).and_then(|width| untold::integer(field, width));
    Expression::by_all(
        shape.map(str::to_owned).into_iter().chain(integer).chain(Tells::NO_LENGTHS.untold(field)),
    )
}

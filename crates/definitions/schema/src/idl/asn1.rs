//! ASN.1 (ITU-T X.680, 02/2021): one module with AUTOMATIC TAGS.
//!
//! Why this subset: all compilers that the tests run (pycrate, asn1tools, asn1c) and the codecs here interpret it identically.
//! Stand-ins: `float` and `double` are the OCTET STRING of their IEEE 754 bytes, big-endian, because several PER
//! implementations lack REAL; a map is a SEQUENCE OF SEQUENCE {key, value}. Text has no SIZE, because ASN.1 counts
//! characters where definitions count bytes. 64-bit integers without a stated range have no upper bound, because
//! compilers differ in what they can hold. Limits: names that coincide in ASN.1 are refused.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::untold::Tells;
use super::{Expression, Idl, Lowered, Note, Refusal};
use crate::model::{Cardinality, Definition, Enum, Field, FieldOptions, Message, Type};

/// ASN.1 modules, as the language `asn1`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asn1;

impl Idl for Asn1 {
    fn id(&self) -> &'static str {
        "asn1"
    }

    fn name(&self) -> &'static str {
        "ASN.1"
    }

    fn extension(&self) -> &'static str {
        "asn"
    }

    fn lower(&self, definition: &Definition) -> Result<Lowered, Refusal> {
        let root = type_name(&definition.root().name);
        let package = Note::package(definition, Expression::StandIn(format!("the module `{root}Module`")));
        let notes = Vec::from_iter(package);
        let mut module = Module { definition, text: String::new(), notes };
        let _ = writeln!(module.text, "{root}Module DEFINITIONS AUTOMATIC TAGS ::=\nBEGIN");
        module.unique_types()?;
        for message in &definition.messages {
            module.message(message)?;
        }
        for declared in &definition.enums {
            module.enumeration(declared)?;
        }
        module.text.push_str("\nEND\n");
        Ok(Lowered { text: module.text, notes: module.notes })
    }
}

struct Module<'a> {
    definition: &'a Definition,
    text: String,
    notes: Vec<Note>,
}

/// Words that X.680 (12.38) reserves and that could be a type's name.
const RESERVED: &[&str] = &[
    "ABSENT",
    "ALL",
    "ANY",
    "APPLICATION",
    "AUTOMATIC",
    "BEGIN",
    "BIT",
    "BOOLEAN",
    "BY",
    "CHARACTER",
    "CHOICE",
    "CLASS",
    "COMPONENT",
    "COMPONENTS",
    "CONSTRAINED",
    "CONTAINING",
    "DATE",
    "DEFAULT",
    "DEFINITIONS",
    "DURATION",
    "EMBEDDED",
    "ENCODED",
    "END",
    "ENUMERATED",
    "EXCEPT",
    "EXPLICIT",
    "EXPORTS",
    "EXTENSIBILITY",
    "EXTERNAL",
    "FALSE",
    "FROM",
    "IDENTIFIER",
    "IMPLICIT",
    "IMPLIED",
    "IMPORTS",
    "INCLUDES",
    "INSTANCE",
    "INSTRUCTIONS",
    "INTEGER",
    "INTERSECTION",
    "MAX",
    "MIN",
    "MINUS",
    "NULL",
    "OBJECT",
    "OCTET",
    "OF",
    "OPTIONAL",
    "PATTERN",
    "PDV",
    "PRESENT",
    "PRIVATE",
    "REAL",
    "SEQUENCE",
    "SET",
    "SETTINGS",
    "SIZE",
    "STRING",
    "SYNTAX",
    "TAGS",
    "TIME",
    "TRUE",
    "UNION",
    "UNIQUE",
    "UNIVERSAL",
    "WITH",
];

/// Turns `Outer_Inner` into `Outer-Inner`: letters, digits and single hyphens, starting with a capital.
fn type_name(name: &str) -> String {
    let hyphened = hyphened(name);
    let mut letters = hyphened.chars();
    let first = letters.next().map_or('X', |letter| letter.to_ascii_uppercase());
    let name = format!("{first}{}", letters.as_str());
    if RESERVED.contains(&name.as_str()) { format!("{name}-Type") } else { name }
}

/// Turns `first_name` into `first-name`, `STATE_ON` into `state-on`: small letters, digits and single hyphens.
fn identifier(name: &str) -> String {
    hyphened(name).to_ascii_lowercase()
}

fn hyphened(name: &str) -> String {
    let parts: Vec<&str> = name.split('_').filter(|part| !part.is_empty()).collect();
    match parts.join("-") {
        name if name.starts_with(|c: char| c.is_ascii_alphabetic()) => name,
        name => format!("x{name}"),
    }
}

fn refusal(path: String, reason: String) -> Refusal {
    Refusal { language: "ASN.1", path, reason }
}

/// Refuses names that differ in the definition but coincide in ASN.1.
fn unique<'n>(owner: &str, names: impl Iterator<Item = (String, &'n str)>) -> Result<(), Refusal> {
    let mut known = HashSet::new();
    for (lowered, name) in names {
        if !known.insert(lowered.clone()) {
            let path = if owner.is_empty() { name.to_owned() } else { format!("{owner}.{name}") };
            return Err(refusal(path, format!("another name is `{lowered}` too; rename one")));
        }
    }
    Ok(())
}

impl Module<'_> {
    fn unique_types(&self) -> Result<(), Refusal> {
        let messages = self.definition.messages.iter().map(|message| &message.name);
        let enums = self.definition.enums.iter().map(|declared| &declared.name);
        unique("", messages.chain(enums).map(|name| (type_name(name), name.as_str())))
    }

    fn message(&mut self, message: &Message) -> Result<(), Refusal> {
        let plain = message.fields.iter().filter(|field| field.oneof.is_none()).map(|field| &field.name);
        let oneofs = message.oneofs.iter().map(|oneof| &oneof.name);
        unique(&message.name, plain.chain(oneofs).map(|name| (identifier(name), name.as_str())))?;
        let mut members = Vec::new();
        for (index, field) in message.fields.iter().enumerate() {
            match field.oneof {
                None => members.push(self.field(message, field)),
                Some(oneof) if message.oneofs[oneof].fields[0] == index => {
                    members.push(self.choice(message, oneof)?);
                }
                Some(_) => {}
            }
        }
        if message.extensible {
            members.push("...".to_owned());
        }
        let name = type_name(&message.name);
        let _ = match members.is_empty() {
            true => writeln!(self.text, "\n{name} ::= SEQUENCE {{ }}"),
            false => writeln!(self.text, "\n{name} ::= SEQUENCE {{\n  {}\n}}", members.join(",\n  ")),
        };
        Ok(())
    }

    fn field(&mut self, message: &Message, field: &Field) -> String {
        let (ty, shape) = self.shape(field);
        let stand_in = if let Expression::StandIn(by) = shape { Some(by) } else { None };
        let expression = Expression::by_all(stand_in.into_iter().chain(Tells::LENGTHS.untold(field)));
        self.notes.push(Note { path: format!("{}.{}", message.name, field.name), expression });
        let optional = match (field.cardinality, field.oneof) {
            (Cardinality::Optional, None) => " OPTIONAL",
            _ => "",
        };
        format!("{} {ty}{optional}", identifier(&field.name))
    }

    fn choice(&mut self, message: &Message, oneof: usize) -> Result<String, Refusal> {
        let declared = &message.oneofs[oneof];
        let path = format!("{}.{}", message.name, declared.name);
        self.notes.push(Note { path: path.clone(), expression: Expression::Direct });
        let fields = || declared.fields.iter().map(|index| &message.fields[*index]);
        unique(&path, fields().map(|field| (identifier(&field.name), field.name.as_str())))?;
        let mut alternatives: Vec<String> = fields().map(|field| self.field(message, field)).collect();
        if declared.extensible {
            alternatives.push("...".to_owned());
        }
        let optional = if declared.required { "" } else { " OPTIONAL" };
        Ok(format!(
            "{} CHOICE {{\n    {}\n  }}{optional}",
            identifier(&declared.name),
            alternatives.join(",\n    ")
        ))
    }

    fn enumeration(&mut self, declared: &Enum) -> Result<(), Refusal> {
        unique(&declared.name, declared.values.iter().map(|v| (identifier(&v.name), v.name.as_str())))?;
        let mut values: Vec<_> = declared.values.iter().collect();
        // In the order in which PER numbers them (X.691, 14.1).
        values.sort_by_key(|value| value.number);
        let mut items: Vec<String> =
            values.iter().map(|value| format!("{}({})", identifier(&value.name), value.number)).collect();
        if declared.extensible {
            items.push("...".to_owned());
        }
        self.notes.push(Note { path: declared.name.clone(), expression: Expression::Direct });
        let name = type_name(&declared.name);
        let _ = writeln!(self.text, "\n{name} ::= ENUMERATED {{\n  {}\n}}", items.join(",\n  "));
        Ok(())
    }

    /// A field's type with its constraints, and how it expresses the field.
    fn shape(&self, field: &Field) -> (String, Expression) {
        let options = &field.options;
        match field.cardinality {
            Cardinality::Implicit | Cardinality::Optional => self.element(field.ty, options, true),
            Cardinality::Repeated => {
                let (ty, expression) = self.element(field.ty, options, false);
                (format!("{} OF {ty}", sized("SEQUENCE", options)), expression)
            }
            Cardinality::Map(key) => {
                let (key, _) = self.element(key, &FieldOptions::default(), false);
                let (value, _) = self.element(field.ty, options, false);
                let ty = format!("{} OF SEQUENCE {{ key {key}, value {value} }}", sized("SEQUENCE", options));
                (ty, Expression::StandIn("SEQUENCE OF SEQUENCE {key, value}, in ascending order".to_owned()))
            }
        }
    }

    /// The type of one element; `whole` if length options apply to it rather than to the list that contains it.
    fn element(&self, ty: Type, options: &FieldOptions, whole: bool) -> (String, Expression) {
        let direct = |ty: &str| (ty.to_owned(), Expression::Direct);
        let ieee = |bytes: u32| {
            (
                format!("OCTET STRING (SIZE({bytes}))"),
                Expression::StandIn(format!("OCTET STRING of the {bytes} bytes of IEEE 754, big-endian")),
            )
        };
        match ty {
            Type::Bool => direct("BOOLEAN"),
            Type::I32 | Type::I64 | Type::U32 | Type::U64 => direct(&integer(ty, options)),
            Type::F32 => ieee(4),
            Type::F64 => ieee(8),
            Type::String => direct("UTF8String"),
            Type::Bytes if whole => direct(&sized("OCTET STRING", options)),
            Type::Bytes => direct("OCTET STRING"),
            Type::Enum(index) => direct(&type_name(&self.definition.enums[index].name)),
            Type::Message(index) => direct(&type_name(&self.definition.messages[index].name)),
        }
    }
}

fn integer(ty: Type, options: &FieldOptions) -> String {
    let (min, max) = match (options.range, ty) {
        (Some(range), _) => range,
        (None, Type::I32) => (i32::MIN.into(), i32::MAX.into()),
        (None, Type::U32) => (0, u32::MAX.into()),
        (None, Type::U64) => return "INTEGER (0..MAX)".to_owned(),
        (None, _) => return "INTEGER".to_owned(),
    };
    format!("INTEGER ({min}..{max})")
}

/// A type with the SIZE that the definition gives.
fn sized(ty: &str, options: &FieldOptions) -> String {
    match (options.fixed_length, options.max_length) {
        (Some(fixed), _) => format!("{ty} (SIZE({fixed}))"),
        (None, Some(max)) => format!("{ty} (SIZE(0..{max}))"),
        (None, None) => ty.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn lowered(body: &str) -> Result<Lowered, Refusal> {
        let text = format!("syntax = \"proto3\";\nimport \"wiredyno/options.proto\";\n{body}");
        Asn1.lower(&Definition::from_source(&text, "message.proto").unwrap())
    }

    #[test]
    fn a_message_becomes_a_module() {
        let module = lowered(
            "message Position { option (wiredyno.extensible) = true;\n\
             sint32 lane_number = 1 [(wiredyno.range) = { min: -1, max: 14 }]; optional uint64 at = 2;\n\
             oneof what { option (wiredyno.required_choice) = true; Kind kind = 3; double x = 4; }\n\
             map<string, bytes> notes = 5 [(wiredyno.max_length) = 9]; bytes code = 6 [(wiredyno.fixed_length) = 2]; }\n\
             enum Kind { option (wiredyno.enum_extensible) = true; KIND_NONE = 0; KIND_ODD = 7; KIND_LOW = 3; }",
        )
        .unwrap();
        assert_eq!(
            module.text,
            "PositionModule DEFINITIONS AUTOMATIC TAGS ::=\nBEGIN\n\n\
             Position ::= SEQUENCE {\n  lane-number INTEGER (-1..14),\n  at INTEGER (0..MAX) OPTIONAL,\n  \
             what CHOICE {\n    kind Kind,\n    x OCTET STRING (SIZE(8))\n  },\n  \
             notes SEQUENCE (SIZE(0..9)) OF SEQUENCE { key UTF8String, value OCTET STRING },\n  \
             code OCTET STRING (SIZE(2)),\n  ...\n}\n\n\
             Kind ::= ENUMERATED {\n  kind-none(0),\n  kind-low(3),\n  kind-odd(7),\n  ...\n}\n\nEND\n"
        );
        let stand_ins: Vec<&str> = module
            .notes
            .iter()
            .filter(|note| note.expression != Expression::Direct)
            .map(|note| note.path.as_str())
            .collect();
        assert_eq!(stand_ins, ["Position.x", "Position.notes"]);
    }

    #[test]
    fn names_that_become_one_are_refused_and_reserved_words_are_not_used() {
        let refused = lowered("message A { int32 a_b = 1; oneof A_b { int32 c = 2; } }").unwrap_err();
        assert!(refused.to_string().contains("A.A_b can't be expressed in ASN.1"), "{refused}");
        assert!(lowered("message SET { bool b = 1; }").unwrap().text.contains("SET-Type ::= SEQUENCE"));
    }
}

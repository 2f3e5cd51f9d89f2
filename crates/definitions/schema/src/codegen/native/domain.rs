//! The application's types in C++, and their description for codecs that walk it (`wiredyno/shape.hpp`).

use std::fmt::Write as _;

use prost_reflect::Kind;

use crate::model::{Cardinality, Definition, Field, Message, Type};

/// The header `domain.hpp`.
pub fn header(definition: &Definition, short: &str) -> String {
    let mut code = format!(
        "// The types of {}.\n#pragma once\n\n#include \"wiredyno/shape.hpp\"\n\nnamespace definition_{short} {{\n",
        definition.root().full_name
    );
    for (at, declared) in definition.enums.iter().enumerate() {
        let values = declared.values.iter().enumerate();
        let values: String = values.map(|(place, value)| format!("V{place} = {}, ", value.number)).collect();
        let _ = writeln!(code, "enum class E{at} : int32_t {{ {values}}};");
    }
    for at in 0..definition.messages.len() {
        let _ = writeln!(code, "struct M{at};");
    }
    for at in ordered(definition) {
        let _ = writeln!(code, "struct M{at} {{");
        for field in &definition.messages[at].fields {
            let _ = writeln!(code, "  {} f{}{{}};", member(field), field.number);
        }
        code.push_str("};\n");
    }
    let _ = writeln!(code, "}}\nnamespace domain = definition_{short};\n\nnamespace wd {{");
    for (at, declared) in definition.enums.iter().enumerate() {
        let _ = writeln!(
            code,
            "template <> struct Enumeration<domain::E{at}> {{ static constexpr std::array<EnumValue, {}> values{{{{",
            declared.values.len()
        );
        for value in &declared.values {
            let _ = writeln!(code, "  {{{}, {:?}}},", value.number, value.name);
        }
        code.push_str("}}; };\n");
    }
    for (at, message) in definition.messages.iter().enumerate() {
        shape(definition, at, message, &mut code);
    }
    code + "}\n"
}

/// The messages, each after those that it holds as members.
pub(super) fn ordered(definition: &Definition) -> Vec<usize> {
    fn visit(definition: &Definition, at: usize, seen: &mut [bool], order: &mut Vec<usize>) {
        if std::mem::replace(&mut seen[at], true) {
            return;
        }
        for field in &definition.messages[at].fields {
            // A map's node holds its value; only vectors and boxes may hold a type that is not complete.
            let held = !field.boxed && field.cardinality != Cardinality::Repeated;
            if let (Type::Message(inner), true) = (field.ty, held) {
                visit(definition, inner, seen, order);
            }
        }
        order.push(at);
    }
    let (mut seen, mut order) = (vec![false; definition.messages.len()], Vec::new());
    for at in 0..definition.messages.len() {
        visit(definition, at, &mut seen, &mut order);
    }
    order
}

/// The type of one element.
fn element(ty: Type) -> String {
    match ty {
        Type::Bool => "bool",
        Type::I32 => "int32_t",
        Type::I64 => "int64_t",
        Type::U32 => "uint32_t",
        Type::U64 => "uint64_t",
        Type::F32 => "float",
        Type::F64 => "double",
        Type::String => "std::string",
        Type::Bytes => "wd::Bytes",
        Type::Enum(at) => return format!("E{at}"),
        Type::Message(at) => return format!("M{at}"),
    }
    .to_owned()
}

/// The type of a field's member.
fn member(field: &Field) -> String {
    let one = element(field.ty);
    match field.cardinality {
        Cardinality::Implicit => one,
        Cardinality::Optional if field.boxed => format!("wd::Box<{one}>"),
        Cardinality::Optional => format!("std::optional<{one}>"),
        Cardinality::Repeated => format!("std::vector<{one}>"),
        Cardinality::Map(key) => format!("std::map<{}, {one}>", element(key)),
    }
}

/// How Protobuf writes a value of this kind.
fn wire(kind: &Kind) -> &'static str {
    match kind {
        Kind::Sint32 | Kind::Sint64 => "zigzag",
        Kind::Fixed32 | Kind::Sfixed32 | Kind::Float => "fixed32",
        Kind::Fixed64 | Kind::Sfixed64 | Kind::Double => "fixed64",
        Kind::String | Kind::Bytes | Kind::Message(_) => "none",
        _ => "varint",
    }
}

/// How Protobuf writes a field's keys and its elements.
fn wires(definition: &Definition, message: &Message, field: &Field) -> (&'static str, &'static str) {
    let descriptor = definition.descriptor.parent_pool().get_message_by_name(&message.full_name);
    let kind = descriptor.and_then(|message| message.get_field(field.number)).map(|field| field.kind());
    match (field.cardinality, kind) {
        (Cardinality::Map(_), Some(Kind::Message(entry))) => {
            (wire(&entry.map_entry_key_field().kind()), wire(&entry.map_entry_value_field().kind()))
        }
        (_, Some(kind)) => ("none", wire(&kind)),
        (_, None) => ("none", "none"),
    }
}

fn shape(definition: &Definition, at: usize, message: &Message, code: &mut String) {
    let _ = writeln!(
        code,
        "template <> struct Shape<domain::M{at}> {{\n  static constexpr std::string_view name = {:?};\n  static constexpr std::array<Oneof, {}> oneofs{{{}}};",
        message.name,
        message.oneofs.len(),
        match message.oneofs.is_empty() {
            true => String::new(),
            false => format!(
                "{{{}}}",
                message
                    .oneofs
                    .iter()
                    .map(|oneof| format!("{{{:?}, {}}}, ", oneof.name, oneof.required))
                    .collect::<String>()
            ),
        }
    );
    for field in &message.fields {
        let (key_wire, wire) = wires(definition, message, field);
        let number = field.number;
        let _ = writeln!(
            code,
            "  struct F{number} {{\n    using Owner = domain::M{at};\n    static constexpr auto member = &domain::M{at}::f{number};\n    \
             static constexpr std::string_view name = {:?};\n    static constexpr uint32_t number = {number};\n    \
             static constexpr Wire wire = Wire::{wire}, key_wire = Wire::{key_wire};\n    \
             static constexpr bool required = {};\n    static constexpr int oneof = {};\n    \
             static constexpr int64_t fixed_length = {};\n  }};",
            field.name,
            field.required,
            field.oneof.map_or_else(|| "-1".to_owned(), |oneof| oneof.to_string()),
            field.options.fixed_length.map_or(-1, i64::from)
        );
    }
    let listed: Vec<String> = message.fields.iter().map(|field| format!("F{}", field.number)).collect();
    let _ = writeln!(code, "  using Fields = wd::Fields<{}>;\n}};", listed.join(", "));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(source: &str) -> String {
        let source = format!("syntax = \"proto3\"; import \"wiredyno/options.proto\"; {source}");
        header(&Definition::from_source(&source, "message.proto").unwrap(), "0123456789abcdef")
    }

    #[test]
    fn a_struct_comes_after_those_that_it_holds_and_may_contain_itself_in_a_box_or_a_list() {
        let code = of(
            "message A { option (wiredyno.root) = true; B b = 1; repeated A more = 2; A again = 3; map<int32, C> c = 4; } \
                       message B { C c = 1; } message C { string class = 1; }",
        );
        let at = |text: &str| code.find(text).unwrap_or_else(|| panic!("{text} is missing in {code}"));
        // A is M0, B and C follow as they are reached.
        assert!(at("struct M2 {") < at("struct M1 {") && at("struct M1 {") < at("struct M0 {"), "{code}");
        at("std::optional<M1> f1{};");
        at("std::vector<M0> f2{};");
        at("wd::Box<M0> f3{};");
        at("std::map<int32_t, M2> f4{};");
        // Names of the definition are texts only.
        at("std::string f1{};");
        at("name = \"class\"");
        assert!(code.contains("namespace definition_0123456789abcdef {"));
    }

    #[test]
    fn the_description_says_how_protobuf_writes_a_field_and_which_oneof_it_is_in() {
        let code = of(
            "message A { sint32 a = 1; fixed64 b = 2; map<sint64, float> c = 3; oneof d { string e = 5; bool f = 6; } \
             E g = 7; } enum E { NONE = 0; LOW = -2147483648; }",
        );
        let field = |number: u32| {
            let rest = code.split(&format!("struct F{number} {{")).nth(1).unwrap();
            rest.split("};").next().unwrap().to_owned()
        };
        assert!(field(1).contains("wire = Wire::zigzag, key_wire = Wire::none"));
        assert!(field(2).contains("wire = Wire::fixed64"));
        assert!(field(3).contains("wire = Wire::fixed32, key_wire = Wire::zigzag"));
        assert!(
            field(5).contains("oneof = 0")
                && field(6).contains("oneof = 0")
                && field(1).contains("oneof = -1")
        );
        assert!(code.contains("{-2147483648, \"LOW\"},") && code.contains("{\"d\", false}"), "{code}");
    }
}

//! Names in generated code, by the rules of the generators that are used (heck's cases).
//!
//! Names that differ in a definition differ in Rust: where case conversion would lose a difference (`FooBar` and `foo_bar`, `V1_0` and `V10`),
//! a digest is appended. Names never prevent code generation, unless two digests are equal.

use heck::{ToShoutySnakeCase, ToSnakeCase, ToUpperCamelCase};

use crate::idl::fbs::field_name;

/// Keywords that can be raw identifiers (Rust 2024; prost-build's list).
const RAW: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try",
    "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Keywords that can't be raw identifiers.
const NEVER_RAW: &[&str] = &["_", "super", "self", "Self", "extern", "crate"];

fn identifier(name: String) -> String {
    if RAW.contains(&name.as_str()) {
        format!("r#{name}")
    } else if NEVER_RAW.contains(&name.as_str()) {
        format!("{name}_")
    } else if name.starts_with(|c: char| c.is_numeric()) {
        format!("_{name}")
    } else {
        name
    }
}

/// Names that generated modules import, which no type in them may have.
const IMPORTED: &[&str] = &[
    "Alternative",
    "At",
    "Choice",
    "ChoiceInfo",
    "Counted",
    "Differ",
    "Digest",
    "EnumInfo",
    "Enumeration",
    "Fault",
    "Field",
    "FieldInfo",
    "FieldType",
    "Lift",
    "LiftError",
    "Lower",
    "MemberInfo",
    "MessageInfo",
    "Problem",
    "Reader",
    "Record",
    "Shape",
    "StandsFor",
    "Touch",
    "Types",
    "Value",
    "Visitor",
    "Walk",
    "WalkError",
    "WalkTable",
    "Writer",
];

/// A digest of a name before case conversion (FNV-1a, 24 of its 32 bits).
fn mark(name: &str) -> String {
    let digest = name
        .bytes()
        .fold(0x811c_9dc5_u32, |digest, byte| (digest ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("h{:06x}", digest & 0xff_ffff)
}

/// A message's or enum's type name.
pub fn rust_type(name: &str) -> String {
    let cased = name.to_upper_camel_case();
    match cased == name && !IMPORTED.contains(&name) {
        true => identifier(cased),
        false => identifier(cased + &mark(name).to_upper_camel_case()),
    }
}

/// A struct field's name before it is escaped.
fn field(name: &str) -> String {
    let cased = name.to_snake_case();
    match cased.to_upper_camel_case().to_snake_case() == name {
        true => cased,
        false => format!("{cased}_{}", mark(name)).trim_start_matches('_').to_owned(),
    }
}

/// A struct field's name, escaped if it is a keyword.
pub fn rust_field(name: &str) -> String {
    identifier(field(name))
}

/// The name given to prost-build for a field or oneof, from which it derives [`rust_field`] and [`rust_variant`].
pub fn proto_field(name: &str) -> String {
    rust_field(name).trim_start_matches("r#").to_owned()
}

/// The variant for a oneof's field, or the type of a oneof.
pub fn rust_variant(name: &str) -> String {
    identifier(field(name).to_upper_camel_case())
}

/// The variant for an enum's value.
pub fn rust_value(name: &str) -> String {
    let cased = name.to_upper_camel_case();
    match cased.to_shouty_snake_case() == name {
        true => identifier(cased),
        false => identifier(cased + &mark(name).to_upper_camel_case()),
    }
}

/// The module that prost-build generates for a message's oneofs.
pub fn prost_module(name: &str) -> String {
    identifier(rust_type(name).trim_start_matches("r#").to_snake_case())
}

/// planus' name for a table, an enum or an enum's value.
pub fn planus_name(name: &str) -> String {
    identifier(name.to_upper_camel_case())
}

/// planus' name for a struct field: keywords, `union` included, get a trailing underscore.
pub fn planus_field(name: &str) -> String {
    let snake = field_name(name).to_snake_case();
    match RAW.contains(&snake.as_str()) || NEVER_RAW.contains(&snake.as_str()) || snake == "union" {
        true => format!("{snake}_"),
        false => snake,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_are_different_in_rust() {
        const ALIKE: [&[&str]; 6] = [
            &["foo_bar", "FooBar", "fooBar", "FOO_BAR", "foo__bar", "_foo_bar", "foo_bar_"],
            &["v1_0", "v10", "V1_0", "V10", "v_1_0"],
            &["self", "self_", "Self", "SELF", "_self"],
            &["type", "Type", "TYPE", "type_"],
            &["_", "__", "___"],
            &["A", "a", "_a", "_1a", "a1"],
        ];
        for names in ALIKE {
            for cased in [rust_type, rust_field, rust_variant, rust_value] {
                let made: std::collections::BTreeSet<String> = names.iter().map(|name| cased(name)).collect();
                assert_eq!(made.len(), names.len(), "{names:?} became {made:?}");
            }
        }
    }

    #[test]
    fn usual_names_are_rusts_usual_ones() {
        assert_eq!(rust_type("KitchenSink"), "KitchenSink");
        assert_eq!([rust_field("station_id"), rust_field("type")], ["station_id", "r#type"]);
        assert_eq!(rust_variant("station_id"), "StationId");
        assert_eq!(rust_value("MOOD_GOOD"), "MoodGood");
        assert_eq!(rust_type("Lower"), format!("Lower{}", mark("Lower").to_upper_camel_case()));
    }
}

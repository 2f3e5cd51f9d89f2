//! Names of generated code, by the rules of the generators that are used (heck's cases).

use heck::{ToSnakeCase, ToUpperCamelCase};

use crate::idl::fbs::field_name;

/// Keywords that can be raw identifiers (Rust 2024; prost-build's list).
const RAW: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try",
    "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Keywords that can't.
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

/// The type of a message, enum or oneof.
pub fn rust_type(name: &str) -> String {
    identifier(name.to_upper_camel_case())
}

/// A variant of an enum.
pub fn rust_variant(name: &str) -> String {
    identifier(name.to_upper_camel_case())
}

/// A struct's field, as prost-build names it.
pub fn rust_field(name: &str) -> String {
    identifier(name.to_snake_case())
}

/// A struct's field, as planus names it: keywords get an underscore behind them, `union` among them.
pub fn planus_field(name: &str) -> String {
    let snake = field_name(name).to_snake_case();
    match RAW.contains(&snake.as_str()) || NEVER_RAW.contains(&snake.as_str()) || snake == "union" {
        true => format!("{snake}_"),
        false => snake,
    }
}

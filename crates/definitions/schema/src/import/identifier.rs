//! Derives .proto names from arbitrary keys and symbols.

use std::collections::HashSet;

use heck::ToUpperCamelCase;

/// Whether the text is a valid .proto name.
pub fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && text.chars().any(|c| c.is_ascii_alphanumeric())
}

/// The text with all characters replaced that a name can't contain; `fallback` if nothing is left.
pub fn identifier(text: &str, fallback: &str) -> String {
    if is_identifier(text) {
        return text.to_owned();
    }
    let mut name = String::new();
    for c in text.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => name.push(c),
            _ if name.is_empty() || name.ends_with('_') => {}
            _ => name.push('_'),
        }
    }
    let name = name.trim_end_matches('_');
    match name.chars().next() {
        None => fallback.to_owned(),
        Some(first) if first.is_ascii_digit() => format!("{fallback}_{name}"),
        Some(_) => name.to_owned(),
    }
}

/// A message's or enum's name derived from the text.
pub fn type_name(text: &str, fallback: &str) -> String {
    let name = identifier(text, fallback).to_upper_camel_case();
    if is_identifier(&name) { name } else { fallback.to_owned() }
}

/// Words that start a statement in an enum's body and so can't name a value.
const STATEMENTS: [&str; 2] = ["option", "reserved"];

/// Whether an enum value can have the name: values share the scope around their enum.
pub fn is_value(name: &str, enum_name: &str) -> bool {
    name != enum_name && !STATEMENTS.contains(&name)
}

/// Whether a field's name suggests that it identifies messages.
pub fn called_like_a_number(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let ends = ["seq", "sequence", "sequence_number", "id", "number", "counter", "index"];
    ends.iter().any(|end| name == *end || name.ends_with(&format!("_{end}"))) || name.starts_with("seq")
}

/// The names in a scope; numbers distinguish names that would be equal. Generated code changes case, so names that
/// differ only in case or underscores count as equal.
#[derive(Debug, Default, Clone)]
pub struct Scope(HashSet<String>);

impl Scope {
    fn key(name: &str) -> String {
        name.chars().filter(|c| *c != '_').collect::<String>().to_ascii_lowercase()
    }

    /// Claims the name, or a free variant with a number.
    pub fn take(&mut self, name: &str) -> String {
        if self.0.insert(Self::key(name)) {
            return name.to_owned();
        }
        let free =
            (2..).map(|number| format!("{name}_v{number}")).find(|other| self.0.insert(Self::key(other)));
        free.unwrap_or_else(|| name.to_owned())
    }

    /// Claims a name for an enum value: the symbol itself as far as .proto allows.
    pub fn take_value(&mut self, symbol: &str, enum_name: &str) -> String {
        let name = identifier(symbol, "symbol");
        let name = if is_value(&name, enum_name) { name } else { format!("symbol_{name}") };
        self.take(&name)
    }

    /// Claims a name for an enum, and that of the message that wraps the enum.
    pub fn take_enum(&mut self, name: &str) -> String {
        let around = |name: &str| format!("{name}Values");
        let numbered = (2..).map(|number| format!("{name}_v{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        let free = names
            .find(|name| self.is_free(name) && self.is_free(&around(name)))
            .unwrap_or_else(|| name.to_owned());
        self.take(&around(&free));
        self.take(&free)
    }

    /// Whether nothing has claimed the name.
    pub fn is_free(&self, name: &str) -> bool {
        !self.0.contains(&Self::key(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_become_names() {
        for (key, name) in [
            ("first-name", "first_name"),
            ("größe", "gr_e"),
            ("", "field"),
            ("漢字", "field"),
            ("2fast", "field_2fast"),
            ("a.b.c", "a_b_c"),
            ("_id", "_id"),
            ("__", "field"),
        ] {
            assert_eq!(identifier(key, "field"), name, "{key:?}");
        }
    }

    #[test]
    fn a_value_is_called_neither_like_its_enum_nor_like_a_statement() {
        let mut scope = Scope::default();
        let symbols = ["CAR", "Kind", "option", "reserved", "Option"];
        let names = symbols.map(|symbol| scope.take_value(symbol, "Kind"));
        assert_eq!(names, ["CAR", "symbol_Kind", "symbol_option", "symbol_reserved", "Option"]);
    }

    #[test]
    fn names_that_generated_code_would_confuse_are_told_apart() {
        let mut scope = Scope::default();
        assert_eq!(scope.take("userId"), "userId");
        assert_eq!(scope.take("user_id"), "user_id_v2");
        assert_eq!(scope.take("USERID"), "USERID_v3");
    }
}

//! Words that can't name a member of a class in C++.

use crate::idl::Refusal;
use crate::model::Definition;

/// The keywords of C++20, and of the alternative tokens (ISO/IEC 14882:2020, [lex.key] and [lex.digraph]).
const KEYWORDS: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
];

/// The functions of each class that lcm-gen writes, and the types that its members have.
const OF_LCM: &[&str] = &[
    "encode",
    "decode",
    "getEncodedSize",
    "getHash",
    "getTypeName",
    "_encodeNoHash",
    "_getEncodedSizeNoHash",
    "_decodeNoHash",
    "_computeHash",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint64_t",
    "std",
];

/// Macros of the headers that generated classes include.
const MACROS: &[&str] = &[
    "NULL", "EOF", "BUFSIZ", "RAND_MAX", "CHAR_BIT", "INT_MAX", "assert", "errno", "stdin", "stdout",
    "stderr",
];

/// Refuses a definition with a field whose name can't be a member of a class that lcm-gen writes for C++.
///
/// # Errors
/// With the first such field.
pub(crate) fn lcm_members(definition: &Definition) -> Result<(), Refusal> {
    for message in &definition.messages {
        if let Some(field) = message.fields.iter().find(|field| is_taken(&field.name)) {
            return Err(Refusal {
                language: "LCM's C++",
                path: format!("{}.{}", message.name, field.name),
                reason: "lcm-gen makes it a member of a class, where the word has another meaning; rename the field".to_owned(),
            });
        }
    }
    Ok(())
}

/// Whether a field of this name can't be a member of a class that lcm-gen writes, whose own names are `M0`, `M1` and so on. Names that
/// begin with an underscore and a capital letter, or have two underscores, belong to the compiler.
fn is_taken(name: &str) -> bool {
    let is_class = name
        .strip_prefix('M')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()));
    let of_compiler =
        name.strip_prefix('_').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()));
    [KEYWORDS, OF_LCM, MACROS].iter().any(|words| words.contains(&name))
        || is_class
        || of_compiler
        || name.contains("__")
}

#[cfg(test)]
mod tests {
    use super::is_taken;

    #[test]
    fn keywords_macros_and_the_classes_own_names_are_taken() {
        assert!(
            ["class", "xor", "errno", "getHash", "M12", "_Atomic", "a__b", "int32_t"]
                .into_iter()
                .all(is_taken)
        );
        assert!(!["speed", "M", "Mx", "_speed", "klass", "hash"].into_iter().any(is_taken));
    }
}

//! XML 1.0's rules on characters and numbers. quick-xml is not used here: `wiredyno-dynamic` compiles this file too, and has
//! no library.

/// Whether XML 1.0 allows every character (production 2, Char).
pub fn is_allowed(text: &str) -> bool {
    let control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r');
    !text.bytes().any(|byte| control(&byte) || byte == 0xef)
        || !text
            .chars()
            .any(|c| matches!(c, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}'))
}

/// A finite value's shortest digits, in the form of XML Schema's float and double: `1.5`, `3`, `1e300`.
pub fn digits(text: &str) -> &str {
    text.strip_suffix(".0").unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forbidden_characters_are_known() {
        for text in ["", "a\t\r\n", "ï»¿ \u{fffd}\u{10ffff}\u{feff}", "\u{7f}\u{80}"] {
            assert!(is_allowed(text), "{text:?}");
        }
        for text in ["\0", "a\u{b}", "\u{1f}", "x\u{fffe}", "\u{ffff}"] {
            assert!(!is_allowed(text), "{text:?}");
        }
    }

    #[test]
    fn whole_numbers_have_no_point() {
        assert_eq!(["1.0", "-0.0", "1.5", "1e300"].map(digits), ["1", "-0", "1.5", "1e300"]);
    }
}

//! Rewrites Protobuf's edition 2023 as proto2 or proto3, which the compiler used here supports, with the same fields, numbers and bytes.
//!
//! Features become labels: explicit presence is `optional`, implicit presence has no label, legacy presence is `required`. `EXPANDED` lists
//! of numbers get `packed = false`. Other features don't affect a message's bytes, except groups (`DELIMITED`), which are
//! refused. Line numbers are preserved for errors. Limits: in a file with both implicit presence and something that proto3 lacks, defaults
//! and extensions are dropped; `LEGACY_REQUIRED` in such a file is refused, because it would lose bytes.
//!
//! Sources: protobuf.dev/editions/features and protobuf.dev/reference/protobuf/edition-2023-spec.
//!
//! One file because its code without tests is below 400 lines.

use std::ops::Range;

/// The only supported edition.
const KNOWN: &str = "2023";

/// The option of a list of numbers that is written element by element.
const UNPACKED: &str = "packed = false";

/// Something in an edition's file that can't be rewritten: its line, what it is, and what to do.
pub type Older = (usize, String, &'static str);

/// The text of a .proto file with both ends of every range of extensions, as the compiler requires; `None` if no range lacks one.
pub fn with_both_ends(text: &str) -> Option<String> {
    let tokens = tokens(text);
    let word = |at: usize| &text[tokens[at].clone()];
    let (mut out, mut from) = (String::new(), 0);
    for at in 0..tokens.len().saturating_sub(2) {
        if word(at) == "extensions" && word(at + 1).parse::<u32>().is_ok() && word(at + 2) == "[" {
            out.push_str(&text[from..tokens[at + 1].end]);
            out.push_str(" to ");
            out.push_str(word(at + 1));
            from = tokens[at + 1].end;
        }
    }
    (from > 0).then(|| out + &text[from..])
}

/// The text rewritten as proto2 or proto3 if it is in an edition; `None` if it needs no change.
///
/// # Errors
/// When it is in another edition, or has groups; with what to do about it.
pub fn in_older_words(text: &str) -> Result<Option<String>, Older> {
    let tokens = tokens(text);
    let word = |at: usize| tokens.get(at).map_or("", |token| &text[token.clone()]);
    if (word(0), word(1)) != ("edition", "=") {
        return Ok(None);
    }
    let edition = word(2).trim_matches(['"', '\'']);
    if edition != KNOWN {
        let what = format!("edition {edition} is not supported");
        return Err((1, what, "write it in edition 2023 or proto3"));
    }
    let place = |wanted: &str| tokens.iter().find(|token| &text[(*token).clone()] == wanted);
    let line = |token: &Range<usize>| text[..token.start].matches('\n').count() + 1;
    let has = |wanted: &str| place(wanted).is_some();
    if let Some(token) = place("DELIMITED") {
        let what = "`message_encoding = DELIMITED` makes a group, which has its own wire type";
        return Err((line(token), what.to_owned(), "leave it out"));
    }
    if let (Some(token), true) = (place("LEGACY_REQUIRED"), has("IMPLICIT")) {
        let what = "`LEGACY_REQUIRED` and `IMPLICIT` in one file have no equivalent in proto2 or proto3";
        return Err((line(token), what.to_owned(), "move one of them to a file of its own"));
    }
    let proto2 = ["LEGACY_REQUIRED", "CLOSED", "default", "extensions"].iter().any(|word| has(word))
        && !has("IMPLICIT");
    let mut rewriter = Rewriter { text, tokens: &tokens, at: 0, proto2, edits: Vec::new() };
    rewriter.body(Scope::File, Features { presence: Presence::Explicit, expanded: false });
    Ok(Some(rewriter.edited()))
}

/// The byte ranges of words, quoted strings and punctuation, without comments.
pub(super) fn tokens(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let start = at;
        let rest = &text[at..];
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            continue;
        }
        match bytes[at] {
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(bytes.len());
            }
            byte if is_word(byte) => {
                while at < bytes.len() && is_word(bytes[at]) {
                    at += 1;
                }
            }
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            _ => at += rest.chars().next().map_or(1, char::len_utf8),
        }
        // An unterminated quote may end inside a character.
        while !text.is_char_boundary(at) {
            at += 1;
        }
        tokens.push(start..at);
    }
    tokens
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    File,
    Message,
    Oneof,
    Enum,
}

/// The values of `features.field_presence`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Explicit,
    Implicit,
    Required,
}

impl Presence {
    fn of(word: &str) -> Option<Presence> {
        Some(match word {
            "EXPLICIT" => Presence::Explicit,
            "IMPLICIT" => Presence::Implicit,
            "LEGACY_REQUIRED" => Presence::Required,
            _ => return None,
        })
    }
}

/// The features in effect at a place; inner scopes inherit them.
#[derive(Clone, Copy)]
struct Features {
    presence: Presence,
    /// Whether lists of numbers are written element by element.
    expanded: bool,
}

struct Rewriter<'a> {
    text: &'a str,
    tokens: &'a [Range<usize>],
    at: usize,
    proto2: bool,
    /// Replacements of byte ranges, from first to last.
    edits: Vec<(Range<usize>, String)>,
}

impl<'a> Rewriter<'a> {
    fn word(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| &self.text[token.clone()])
    }

    /// The text with all replacements made.
    fn edited(self) -> String {
        let (mut out, mut from) = (String::with_capacity(self.text.len() + 256), 0);
        for (range, new) in self.edits {
            out.push_str(&self.text[from..range.start]);
            out.push_str(&new);
            from = range.end;
        }
        out + &self.text[from..]
    }

    /// Replaces tokens by a text with the same number of line ends.
    fn replace(&mut self, tokens: Range<usize>, mut new: String) {
        let (Some(first), Some(last)) = (self.tokens.get(tokens.start), self.tokens.get(tokens.end - 1))
        else {
            return;
        };
        let range = first.start..last.end;
        new.extend(self.text[range.clone()].matches('\n'));
        self.edits.push((range, new));
    }

    /// The token after a statement that ends in a semicolon or in the block that it opens.
    fn end(&self, from: usize) -> usize {
        let (mut at, mut depth) = (from, 0usize);
        while at < self.tokens.len() {
            match self.word(at) {
                "{" => depth += 1,
                "}" if depth <= 1 => return at + 1,
                "}" => depth -= 1,
                ";" if depth == 0 => return at + 1,
                _ => {}
            }
            at += 1;
        }
        at
    }

    /// The statements up to the closing brace.
    fn body(&mut self, scope: Scope, mut features: Features) {
        while self.at < self.tokens.len() {
            let start = self.at;
            match self.word(start) {
                "}" => {
                    self.at += 1;
                    return;
                }
                ";" => self.at += 1,
                "edition" if scope == Scope::File => {
                    let end = self.end(start);
                    let syntax = if self.proto2 { "proto2" } else { "proto3" };
                    self.replace(start..end, format!("syntax = \"{syntax}\";"));
                    self.at = end;
                }
                "option" => {
                    let end = self.statement(start);
                    if self.word(start + 1).starts_with("features") {
                        features = self.features(start..end, features);
                        self.replace(start..end, String::new());
                    }
                    self.at = end;
                }
                "message" if self.word(start + 2) == "{" => self.block(Scope::Message, features),
                "oneof" if self.word(start + 2) == "{" => self.block(Scope::Oneof, features),
                "enum" if self.word(start + 2) == "{" => self.block(Scope::Enum, features),
                "extend" if self.word(start + 2) == "{" => self.block(Scope::Message, features),
                "reserved" => self.reserved(),
                "extensions" => {
                    let end = self.statement(start);
                    if !self.proto2 {
                        self.replace(start..end, String::new());
                    }
                    self.at = end;
                }
                _ if scope == Scope::File => self.at = self.end(start),
                _ => self.member(scope, features),
            }
        }
    }

    fn block(&mut self, scope: Scope, features: Features) {
        self.at += 3;
        self.body(scope, features);
    }

    /// The token after the semicolon that ends a statement, skipping any blocks in it.
    fn statement(&self, from: usize) -> usize {
        let (mut at, mut depth) = (from, 0i32);
        while at < self.tokens.len() {
            match self.word(at) {
                "{" => depth += 1,
                "}" => depth -= 1,
                ";" if depth <= 0 => return at + 1,
                _ => {}
            }
            at += 1;
        }
        at
    }

    /// The features that these tokens set, inheriting the others from `around`.
    fn features(&self, tokens: Range<usize>, around: Features) -> Features {
        let encoding = |at| match self.word(at) {
            "EXPANDED" => Some(true),
            "PACKED" => Some(false),
            _ => None,
        };
        Features {
            presence: tokens.clone().find_map(|at| Presence::of(self.word(at))).unwrap_or(around.presence),
            expanded: tokens.clone().find_map(encoding).unwrap_or(around.expanded),
        }
    }

    /// Quotes reserved names, as proto2 and proto3 require.
    fn reserved(&mut self) {
        let end = self.statement(self.at);
        for at in self.at + 1..end {
            let word = self.word(at);
            let is_name = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            if is_name && !["to", "max"].contains(&word) {
                self.replace(at..at + 1, format!("\"{word}\""));
            }
        }
        self.at = end;
    }

    /// A field or an enum value.
    fn member(&mut self, scope: Scope, around: Features) {
        let (start, end) = (self.at, self.statement(self.at));
        self.at = end;
        let options = (start..end).find(|at| self.word(*at) == "[");
        let Features { presence, expanded } = options.map_or(around, |from| self.features(from..end, around));
        let labelled = ["repeated", "optional", "required"].contains(&self.word(start))
            || (self.word(start) == "map" && self.word(start + 1) == "<");
        if scope == Scope::Message && !labelled {
            let label = match presence {
                Presence::Explicit => "optional ",
                Presence::Required if self.proto2 => "required ",
                Presence::Required | Presence::Implicit => "",
            };
            self.replace(start..start + 1, format!("{label}{}", self.word(start)));
        }
        let unpacked = expanded && self.word(start) == "repeated" && scope == Scope::Message;
        match options {
            Some(from) => self.options(from, end, unpacked),
            None if unpacked => self.replace(end - 1..end, format!(" [{UNPACKED}];")),
            None => {}
        }
    }

    /// Removes options that proto2 and proto3 lack from the brackets, and adds `packed = false` if needed.
    fn options(&mut self, from: usize, end: usize, unpacked: bool) {
        let (mut depth, mut entry) = (0, from + 1);
        let mut kept: Vec<&str> = Vec::new();
        for at in from..end {
            let word = self.word(at);
            match word {
                "[" | "{" | "(" => depth += 1,
                "}" | ")" => depth -= 1,
                "]" | "," if depth == 1 => {
                    let name = self.word(entry);
                    let dropped = name.starts_with("features") || (name == "default" && !self.proto2);
                    if !dropped && entry < at {
                        kept.push(&self.text[self.tokens[entry].start..self.tokens[at - 1].end]);
                    }
                    entry = at + 1;
                    if word == "]" {
                        if unpacked {
                            kept.push(UNPACKED);
                        }
                        let new =
                            if kept.is_empty() { String::new() } else { format!("[{}]", kept.join(", ")) };
                        let lines: usize = kept.iter().map(|kept| kept.matches('\n').count()).sum();
                        self.replace(from..at + 1, new);
                        // Line ends inside the kept part are there already.
                        if let Some((_, new)) = self.edits.last_mut() {
                            new.truncate(new.len() - lines);
                        }
                        return;
                    }
                }
                "]" => depth -= 1,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_become_labels_and_lines_stay() {
        let text = "// Of today.\nedition = \"2023\";\npackage a;\noption features.utf8_validation = NONE;\n\
            message A {\n  reserved old, older;\n  reserved 5 to 7;\n  int32 id = 1;\n  string name = 2 [deprecated = true,\n    \
            features.field_presence = IMPLICIT];\n  repeated int32 codes = 3 [features.repeated_field_encoding = EXPANDED];\n  \
            map<string, int32> all = 4;\n  oneof kind { int32 x = 8; B y = 9; }\n  message B { bytes data = 1; }\n  \
            enum E { option features.enum_type = OPEN; ZERO = 0; }\n}\nservice S { rpc Do(A) returns (A); }\n";
        let old = in_older_words(text).unwrap().unwrap();
        assert_eq!(old.lines().count(), text.lines().count(), "{old}");
        for part in [
            "// Of today.\nsyntax = \"proto3\";\npackage a;\n\nmessage A {",
            "reserved \"old\", \"older\";\n  reserved 5 to 7;\n  optional int32 id = 1;\n  string name = 2 [deprecated = true]\n;",
            "repeated int32 codes = 3 [packed = false];\n  map<string, int32> all = 4;\n  oneof kind { int32 x = 8; B y = 9; }",
            "message B { optional bytes data = 1; }\n  enum E {  ZERO = 0; }\n}\nservice S",
        ] {
            assert!(old.contains(part), "no {part:?} in\n{old}");
        }
    }

    #[test]
    fn what_only_proto2_has_stays_where_nothing_is_implicit() {
        let text = "edition = \"2023\"; message A { int32 a = 1 [default = 7]; \
            int32 b = 2 [features.field_presence = LEGACY_REQUIRED]; extensions 10 to max; }";
        let old = in_older_words(text).unwrap().unwrap();
        assert_eq!(
            old,
            "syntax = \"proto2\"; message A { optional int32 a = 1 [default = 7]; required int32 b = 2 ; extensions 10 to max; }"
        );
        let both = text.replace("int32 a", "option features.field_presence = IMPLICIT; int32 a");
        assert!(in_older_words(&both).unwrap_err().1.contains("`LEGACY_REQUIRED` and `IMPLICIT`"));
        let implicit = text
            .replace("[features.field_presence = LEGACY_REQUIRED]", "")
            .replace("edition = \"2023\";", "edition = \"2023\"; option features.field_presence = IMPLICIT;");
        let old = in_older_words(&implicit).unwrap().unwrap();
        assert_eq!(old, "syntax = \"proto3\";  message A { int32 a = 1 ; int32 b = 2 ;  }");
    }

    #[test]
    fn other_files_stay_as_they_are_and_other_editions_are_refused() {
        assert_eq!(in_older_words("syntax = \"proto3\"; message edition {}"), Ok(None));
        assert_eq!(in_older_words(""), Ok(None));
        assert!(
            in_older_words("edition = \"2024\";").unwrap_err().1.contains("edition 2024 is not supported")
        );
        let group = "edition = '2023'; message A { A a = 1 [features.message_encoding = DELIMITED]; }";
        assert!(in_older_words(group).unwrap_err().1.contains("group"));
        for broken in [
            "edition = \"2023\"; message A { int32 a",
            "edition = \"2023\"; message A { int32 a = 1 [",
            "edition = \"2023",
            "edition = \"2023\"; \"ä\\",
        ] {
            let _ = in_older_words(broken);
        }
    }
}

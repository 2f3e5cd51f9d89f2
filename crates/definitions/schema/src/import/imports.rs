//! Removes missing imports from a .proto file.
//!
//! Many files import definitions of other programs' options (`google/api/annotations.proto`, `gogoproto/gogo.proto`,
//! `validate/validate.proto`), which don't affect a message's bytes and which people seldom have at hand. Such an import is removed,
//! together with the file's custom options and services. If a message needs anything else from it, compiling the rest fails
//! with an error. Line numbers are preserved for errors.

use std::ops::Range;

use super::editions::tokens;

/// An import of a file that does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The line of the import, counted from 1.
    pub line: usize,
    /// The path as written in the import.
    pub name: String,
}

/// The text without the missing imports, and those imports; `None` if none is missing, or if the file has neither custom
/// options nor services that could need the import.
pub fn without_missing(text: &str, is_there: impl Fn(&str) -> bool) -> Option<(String, Vec<Missing>)> {
    let tokens = tokens(text);
    let mut cutter = Cutter { text, tokens: &tokens, cuts: Vec::new() };
    let missing = cutter.imports(&is_there);
    if missing.is_empty() {
        return None;
    }
    let imports = cutter.cuts.len();
    cutter.options();
    // If nothing in the file could need an import only for options, it may be needed for types.
    if cutter.cuts.len() == imports {
        return None;
    }
    cutter.cuts.sort_by_key(|(range, _)| range.start);
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for (range, new) in &cutter.cuts {
        // A cut inside another cut is already covered.
        if range.start < from {
            continue;
        }
        out.push_str(&text[from..range.start]);
        out.push_str(new);
        let kept = new.matches('\n').count();
        out.extend(text[range.clone()].matches('\n').skip(kept));
        from = range.end;
    }
    Some((out + &text[from..], missing))
}

struct Cutter<'a> {
    text: &'a str,
    tokens: &'a [Range<usize>],
    /// Byte ranges with their replacements.
    cuts: Vec<(Range<usize>, String)>,
}

impl<'a> Cutter<'a> {
    fn word(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| &self.text[token.clone()])
    }

    fn starts_statement(&self, at: usize) -> bool {
        at == 0 || matches!(self.word(at - 1), ";" | "{" | "}")
    }

    fn cut(&mut self, from: usize, end: usize, new: String) {
        if let (Some(first), Some(last)) = (self.tokens.get(from), self.tokens.get(end - 1)) {
            self.cuts.push((first.start..last.end, new));
        }
    }

    /// The token after the bracket that closes this one, or after the end of the statement.
    fn end(&self, from: usize, closing: &str) -> usize {
        let (mut at, mut depth) = (from, 0i32);
        while at < self.tokens.len() {
            let word = self.word(at);
            match word {
                "{" | "[" | "(" => depth += 1,
                "}" | "]" | ")" => depth -= 1,
                _ => {}
            }
            at += 1;
            if word == closing && depth <= 0 {
                return at;
            }
        }
        at
    }

    fn imports(&mut self, is_there: &dyn Fn(&str) -> bool) -> Vec<Missing> {
        let mut missing = Vec::new();
        for at in 0..self.tokens.len() {
            if self.word(at) != "import" || !self.starts_statement(at) {
                continue;
            }
            let named = at + 1 + usize::from(!self.word(at + 1).starts_with(['"', '\'']));
            let name = self.word(named).trim_matches(['"', '\'']);
            if name.is_empty() || self.word(named + 1) != ";" || is_there(name) {
                continue;
            }
            let line = self.text[..self.tokens[at].start].matches('\n').count() + 1;
            missing.push(Missing { line, name: name.to_owned() });
            self.cut(at, named + 2, String::new());
        }
        missing
    }

    /// Cuts services and custom options.
    fn options(&mut self) {
        let is_other = |word: &str| word != "wiredyno" && !word.starts_with("wiredyno.");
        let mut at = 0;
        while at < self.tokens.len() {
            let end = match self.word(at) {
                "service" if self.starts_statement(at) && self.word(at + 2) == "{" => {
                    let end = self.end(at, "}");
                    self.cut(at, end, String::new());
                    end
                }
                "option" if self.starts_statement(at) && self.word(at + 1) == "(" => {
                    let end = self.end(at, ";");
                    if is_other(self.word(at + 2)) {
                        // An empty statement is not allowed everywhere, but no statement is.
                        self.cut(at, end, String::new());
                    }
                    end
                }
                "option" if self.starts_statement(at) => self.end(at, ";"),
                "[" => self.of_field(at, &is_other),
                _ => at + 1,
            };
            at = end;
        }
    }

    /// Cuts custom options in brackets; returns the token after them.
    fn of_field(&mut self, from: usize, is_other: &dyn Fn(&str) -> bool) -> usize {
        let end = self.end(from, "]");
        let (mut kept, mut has_other): (Vec<&str>, bool) = (Vec::new(), false);
        let (mut entry, mut depth) = (from + 1, 0);
        for at in from..end {
            match self.word(at) {
                "{" | "[" | "(" => depth += 1,
                "}" | ")" => depth -= 1,
                "]" => depth -= 1,
                _ => {}
            }
            let ends = (self.word(at) == "," && depth == 1) || at + 1 == end;
            if ends && entry < at {
                match self.word(entry) == "(" && is_other(self.word(entry + 1)) {
                    true => has_other = true,
                    false => kept.push(&self.text[self.tokens[entry].start..self.tokens[at - 1].end]),
                }
            }
            if ends {
                entry = at + 1;
            }
        }
        if has_other {
            let new = if kept.is_empty() { String::new() } else { format!("[{}]", kept.join(", ")) };
            self.cut(from, end, new);
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_services_go_with_the_import_that_is_not_there() {
        let text = "syntax = \"proto3\";\nimport \"google/protobuf/any.proto\";\nimport public \"gogo.proto\";\n\
            option (gogo.all) = { a: [1, 2] };\noption java_package = \"a\";\nmessage A {\n  option (gogo.equal) = true;\n  \
            int32 x = 1 [(gogo.nullable) = false, deprecated = true,\n    (v.rules).int32 = { gt: 1, in: [1, 2] }];\n  \
            repeated int32 y = 2 [(gogo.name) = \"]\"];\n  int32 z = 3 [(wiredyno.range) = { min: 0, max: 1 }, (a) = 1];\n  \
            extensions 9 [verification = UNVERIFIED];\n}\n\
            service S {\n  rpc Do(A) returns (B) { option (http) = { get: \"/\" }; }\n}\nenum E { Z = 0 [(gogo.v) = 1]; }\n";
        let (cut, missing) = without_missing(text, |name| name.starts_with("google/")).unwrap();
        assert_eq!(missing, [Missing { line: 3, name: "gogo.proto".to_owned() }]);
        assert_eq!(cut.lines().count(), text.lines().count(), "{cut}");
        assert_eq!(
            cut,
            "syntax = \"proto3\";\nimport \"google/protobuf/any.proto\";\n\n\noption java_package = \"a\";\nmessage A {\n  \n  \
             int32 x = 1 [deprecated = true]\n;\n  repeated int32 y = 2 ;\n  int32 z = 3 [(wiredyno.range) = { min: 0, max: 1 }];\n  \
             extensions 9 [verification = UNVERIFIED];\n}\n\n\n\nenum E { Z = 0 ; }\n"
        );
        assert_eq!(without_missing(text, |_| true), None);
        assert_eq!(
            without_missing("import \"a.proto\"; message A { int32 x = 1 [deprecated = true]; }", |_| false),
            None
        );
        for broken in
            ["import \"a", "import \"a\"; service S {", "import \"a\"; option (", "import \"a\"; x ["]
        {
            let _ = without_missing(broken, |_| false);
        }
    }
}

//! Random definitions with names that are keywords of forty languages, differ only in case, or are not valid names.

use std::fmt::Write as _;

/// SplitMix64 (Steele, Lea, Flood 2014), to avoid a dependency.
pub struct Draw(pub u64);

impl Draw {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

/// Keywords of some language: Ada, ASN.1, Avro, AWK, Bash, C, C++, C#, Cap'n Proto, Clojure, COBOL, CORBA IDL, D, Dart, Delphi, Eiffel,
/// Elixir, Erlang, F#, FlatBuffers, Fortran, Go, Groovy, Haskell, Java, JavaScript, Julia, Kotlin, LCM, Lisp, Lua, MATLAB, Nim, OCaml, Perl, PHP,
/// PL/SQL, Prolog, Protobuf, Python, R, ROS, Ruby, Rust, Scala, Smalltalk, SQL, Swift, Tcl, Thrift, TypeScript, VHDL, Zig; and names used by serde,
/// prost and the program's own code.
const WORDS: &str = "abstract accept access aliased all and array as asm assert async attribute auto await base become begin bool boolean box break byte \
    case cast catch char choice class component const constant continue crate data declare default defer delete descriptor digest do double dyn else \
    elsif elif end ensure entry enum error event except exception explicit export extends extern external factory false field file_identifier final \
    finally fixed float fn for foreach foreign friend from fun function gen generic get global goto group guard if impl implements import in include \
    inherit inline inout instanceof int int32 integer interface internal is key lambda lazy let library list lock long loop macro main map match mixin \
    mod module move mut mutable namespace native new nil none nonlocal not null object octet of oneof open operator option optional or out override \
    package pass priv private procedure protected protocol public pub raise range read readonly real record rec ref register repeated require \
    required rescue reserved return root_type rpc_service sealed self sequence service set short signed sizeof static step strictfp string struct \
    super switch synchronized syntax table template then this throw throws trait transient true try type typedef typeof typename uint8_t union unless \
    unsafe unsigned unsized until use using val value var variant virtual void volatile wait when where while with write xor yield";

/// A keyword in another case, or with digits or underscores.
fn twisted(word: &str, draw: &mut Draw) -> String {
    let capital = || word[..1].to_ascii_uppercase() + &word[1..];
    match draw.below(10) {
        0 => word.to_ascii_uppercase(),
        1 => capital(),
        2 => format!("{word}_"),
        3 => format!("{word}{}", draw.below(12)),
        4 => format!("{word}_{}", draw.below(12)),
        5 => format!("get_{word}"),
        6 => format!("{word}Value"),
        _ => word.to_owned(),
    }
}

/// The names of one scope, and whether they must differ ignoring case and underscores.
struct Names(Vec<String>, bool);

impl Names {
    fn take(&mut self, draw: &mut Draw) -> String {
        let words: Vec<&str> = WORDS.split_whitespace().collect();
        // Often a name that differs from another one only in case.
        let known = self.0.len();
        for _ in 0..100 {
            let name = match known > 0 && draw.below(4) == 0 {
                true => {
                    let other = &self.0[draw.below(known)];
                    if draw.below(2) == 0 { other.to_ascii_uppercase() } else { other.to_ascii_lowercase() }
                }
                false => twisted(draw.of(&words), draw),
            };
            let is_same = |other: &String| *other == name || self.1 && bare(other) == bare(&name);
            if !self.0.iter().any(is_same) {
                self.0.push(name.clone());
                return name;
            }
        }
        let name = format!("name{known}");
        self.0.push(name.clone());
        name
    }
}

/// A name without case and underscores: Protobuf refuses two fields of a message for which these are equal.
fn bare(name: &str) -> String {
    name.replace('_', "").to_ascii_lowercase()
}

/// A message.proto with up to five messages and three enums.
#[expect(clippy::too_many_lines, reason = "it writes one file from top to bottom")]
pub fn proto(draw: &mut Draw) -> String {
    const SCALARS: [&str; 15] = [
        "bool", "int32", "sint32", "sfixed32", "int64", "sint64", "sfixed64", "uint32", "fixed32", "uint64",
        "fixed64", "float", "double", "string", "bytes",
    ];
    const KEYS: [&str; 5] = ["string", "int32", "uint64", "bool", "sint64"];
    let mut types: Vec<String> = Vec::new();
    let mut scope = Names(Vec::new(), true);
    let (messages, enums) = (1 + draw.below(4), draw.below(3));
    while types.len() < messages + enums {
        let name = scope.take(draw);
        types.push(name);
    }
    let mut text = "syntax = \"proto3\"; import \"wiredyno/options.proto\";\n".to_owned();
    let (of_messages, of_enums) = types.split_at(messages);
    for declared in of_enums {
        // Each enum is wrapped in a message, so that values of several enums may have the same name.
        let _ = write!(text, "message In_{declared}_ {{ enum {declared} {{ ");
        let mut values = Names(Vec::new(), false);
        for number in 0..=draw.below(5) {
            let _ = write!(text, "{} = {number}; ", values.take(draw));
        }
        text.push_str("} }\n");
    }
    for (at, message) in of_messages.iter().enumerate() {
        let _ = write!(text, "message {message} {{ ");
        if at == 0 {
            text.push_str("option (wiredyno.root) = true; ");
        }
        let mut fields = Names(Vec::new(), true);
        let mut number = 0;
        let ty = |draw: &mut Draw| match draw.below(10) {
            0 | 1 => format!(".{}", of_messages[draw.below(of_messages.len())]),
            2 if !of_enums.is_empty() => {
                let one = &of_enums[draw.below(of_enums.len())];
                format!(".In_{one}_.{one}")
            }
            _ => draw.of(&SCALARS).to_owned(),
        };
        for _ in 0..draw.below(9) {
            number += 1 + draw.below(3);
            let of = ty(draw);
            let label = match draw.below(4) {
                0 => "optional ",
                1 => "repeated ",
                _ => "",
            };
            let _ = match draw.below(6) {
                0 => write!(text, "map<{}, {of}> {} = {number}; ", draw.of(&KEYS), fields.take(draw)),
                _ => write!(text, "{label}{of} {} = {number}; ", fields.take(draw)),
            };
        }
        if draw.below(2) == 0 {
            let _ = write!(text, "oneof {} {{ ", fields.take(draw));
            for _ in 0..=draw.below(3) {
                number += 1;
                let of = ty(draw);
                let _ = write!(text, "{of} {} = {number}; ", fields.take(draw));
            }
            text.push_str("} ");
        }
        text.push_str("}\n");
    }
    text
}

/// A JSON document with keys and values of every kind, including empty and deep ones.
pub fn document(draw: &mut Draw, depth: usize) -> String {
    const KEYS: [&str; 16] = [
        "",
        "1st",
        "2026",
        "größe",
        "名前",
        "a-b",
        "a b",
        "a.b",
        "a_b",
        "A_B",
        "aB",
        "$ref",
        "@type",
        "__proto__",
        "é",
        "\\u0000",
    ];
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut keys: Vec<String> = Vec::new();
    for _ in 0..draw.below(6) {
        let key = match draw.below(2) {
            0 => draw.of(&KEYS).to_owned(),
            _ => twisted(draw.of(&words), draw),
        };
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let mut text = String::from("{");
    for (at, key) in keys.iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        let _ = write!(text, "{comma}\"{key}\":{}", value(draw, depth));
    }
    text + "}"
}

fn value(draw: &mut Draw, depth: usize) -> String {
    match draw.below(if depth > 3 { 8 } else { 11 }) {
        0 => "null".to_owned(),
        1 => "true".to_owned(),
        2 => draw.below(1 << 40).to_string(),
        3 => format!("-{}.5", draw.below(1000)),
        4 => "\"\"".to_owned(),
        5 => format!("\"{}\"", "ü€ ".repeat(draw.below(4))),
        6 => "[]".to_owned(),
        7 => "{}".to_owned(),
        8 => {
            let list: Vec<String> = (0..draw.below(4)).map(|_| value(draw, depth + 1)).collect();
            format!("[{}]", list.join(","))
        }
        9 => document(draw, depth + 1),
        // A deeply nested value.
        _ => {
            let levels = draw.below(12);
            format!("{}{}{}", "[".repeat(levels), value(draw, 4), "]".repeat(levels))
        }
    }
}

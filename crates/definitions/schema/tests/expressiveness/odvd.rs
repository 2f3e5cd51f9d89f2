//! Our own parser of ODVD's grammar, because the language's compiler is an Eclipse plug-in.
//!
//! Source: `odDataStructureGenerator/org.opendavinci.datamodel/src/org/opendavinci/DataModel.xtext` of OpenDaVINCI
//! (github.com/se-research/OpenDaVINCI). It also checks that the messages named by fields exist, as the plug-in does with its scopes.

const TYPES: &[&str] = &[
    "bool", "char", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float",
    "double", "string", "bytes",
];

/// The grammar's keywords, which are not identifiers.
const WORDS: &[&str] =
    &["package", "message", "list", "map", "enum", "const", "default", "id", "true", "false"];

/// Parses a file; the error says what is wrong.
pub fn read(text: &str) -> Result<(), String> {
    let mut file = File { rest: tokens(text)?, messages: Vec::new(), named: Vec::new() };
    if file.take_if("package") {
        file.identifier(".")?;
        file.take(";")?;
    }
    while !file.rest.is_empty() {
        file.message()?;
    }
    match file.named.iter().find(|name| !name.contains("::") && !file.messages.contains(name)) {
        Some(name) => Err(format!("no message is called `{name}`")),
        None => Ok(()),
    }
}

/// Identifiers, numbers, strings and punctuation, in reverse order.
fn tokens(text: &str) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if let Some(text) = rest.strip_prefix('"') {
            text.find('"').ok_or("a text has no end")? + 2
        } else if rest.starts_with("//") {
            rest = rest.split_once('\n').map_or("", |(_, after)| after).trim_start();
            continue;
        } else if rest.starts_with("::") {
            2
        } else if first.is_ascii_digit() || "+-".contains(first) {
            let more = |c: char| !(c.is_ascii_digit() || c == '.');
            rest[1..].find(more).map_or(rest.len(), |end| end + 1)
        } else if first.is_ascii_alphabetic() || first == '_' {
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        found.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    found.reverse();
    Ok(found)
}

struct File {
    rest: Vec<String>,
    messages: Vec<String>,
    named: Vec<String>,
}

impl File {
    fn peek(&self) -> &str {
        self.rest.last().map_or("", String::as_str)
    }

    fn next(&mut self) -> Result<String, String> {
        self.rest.pop().ok_or_else(|| "the file ends too early".to_owned())
    }

    fn take_if(&mut self, sign: &str) -> bool {
        let found = self.peek() == sign;
        if found {
            self.rest.pop();
        }
        found
    }

    fn take(&mut self, sign: &str) -> Result<(), String> {
        match self.take_if(sign) {
            true => Ok(()),
            false => Err(format!("`{}` stands where `{sign}` must", self.peek())),
        }
    }

    fn id(&mut self) -> Result<String, String> {
        if self.take_if("^") {
            return self.next();
        }
        let name = self.next()?;
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        match starts && !WORDS.contains(&name.as_str()) && !TYPES.contains(&name.as_str()) {
            true => Ok(name),
            false => Err(format!("`{name}` is not an identifier")),
        }
    }

    fn identifier(&mut self, between: &str) -> Result<String, String> {
        let mut name = self.id()?;
        while self.take_if(between) {
            name = format!("{name}{between}{}", self.id()?);
        }
        Ok(name)
    }

    fn number(&mut self) -> Result<(), String> {
        let number = self.next()?;
        number.parse::<f64>().map(drop).map_err(|_| format!("`{number}` is not a number"))
    }

    fn message(&mut self) -> Result<(), String> {
        self.take("message")?;
        let name = self.identifier(".")?;
        self.messages.push(name);
        self.numbered()?;
        self.take("{")?;
        while !self.take_if("}") {
            self.attribute()?;
            self.take(";")?;
        }
        Ok(())
    }

    /// Parses `[id = 7]`.
    fn numbered(&mut self) -> Result<(), String> {
        self.take("[")?;
        self.take("id")?;
        self.take("=")?;
        self.number()?;
        self.take("]")
    }

    fn attribute(&mut self) -> Result<(), String> {
        if self.take_if("list") {
            self.take("<")?;
            self.any_type()?;
            self.take(">")?;
            self.id()?;
            return self.numbered();
        }
        if self.take_if("map") {
            self.take("<")?;
            self.primitive()?;
            self.take(",")?;
            self.any_type()?;
            self.take(">")?;
            self.id()?;
            return self.numbered();
        }
        if self.take_if("enum") {
            return self.enumeration();
        }
        if self.take_if("const") {
            self.primitive()?;
            self.id()?;
            self.take("=")?;
            return self.value();
        }
        self.any_type()?;
        self.take_if("*");
        self.id()?;
        self.scalar_or_array()
    }

    fn enumeration(&mut self) -> Result<(), String> {
        self.id()?;
        self.take("{")?;
        let mut values = 0;
        while !self.take_if("}") {
            self.id()?;
            self.take("=")?;
            self.number()?;
            self.take(",")?;
            values += 1;
        }
        if values == 0 { Err("an enum has no value".to_owned()) } else { Ok(()) }
    }

    /// Parses `[default = 5, id = 1]` or `[4] [id = 1]`.
    fn scalar_or_array(&mut self) -> Result<(), String> {
        self.take("[")?;
        if self.peek().starts_with(|c: char| c.is_ascii_digit()) {
            self.number()?;
            self.take("]")?;
            return self.numbered();
        }
        if self.take_if("default") {
            self.take("=")?;
            self.value()?;
        }
        self.take_if(",");
        self.take("id")?;
        self.take("=")?;
        self.number()?;
        self.take("]")
    }

    fn value(&mut self) -> Result<(), String> {
        let value = self.next()?;
        let first = value.chars().next().unwrap_or(' ');
        match first.is_ascii_alphanumeric() || "\"+-_".contains(first) {
            true => Ok(()),
            false => Err(format!("`{value}` is not a value")),
        }
    }

    fn primitive(&mut self) -> Result<(), String> {
        let name = self.next()?;
        match TYPES.contains(&name.as_str()) {
            true => Ok(()),
            false => Err(format!("`{name}` is not a primitive type")),
        }
    }

    fn any_type(&mut self) -> Result<(), String> {
        if TYPES.contains(&self.peek()) {
            return self.primitive();
        }
        let mut name = self.id()?;
        let between = if self.peek() == "::" { "::" } else { "." };
        while self.take_if(between) {
            name = format!("{name}{between}{}", self.id()?);
        }
        self.named.push(name);
        Ok(())
    }
}

//! Patterns for strings: literal text with places that each message fills.
//!
//! `{sequence:03}` is the message's number in three digits, which wraps around (after 999 comes 000);
//! `{digit:4}`, `{letter:2}` (A to Z) and `{hex:8}` are that many random characters; `{{` and `}}` are braces.

use super::draw::Draw;

const PLACES: [&str; 4] = ["sequence", "digit", "letter", "hex"];

/// A pattern as literal and variable parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(String),
    /// The message's number in this many digits, at most 19.
    Sequence(u32),
    Random {
        alphabet: &'static [u8],
        count: u32,
    },
}

impl Template {
    /// Parses a pattern; the error says what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if let Some(after) = rest.strip_prefix("{{").or_else(|| rest.strip_prefix("}}")) {
                literal.push(first);
                rest = after;
            } else if first == '{' {
                let Some((place, after)) = rest[1..].split_once('}') else {
                    return Err(format!("`{rest}` opens a place that no `}}` closes"));
                };
                if !literal.is_empty() {
                    parts.push(Part::Literal(std::mem::take(&mut literal)));
                }
                parts.push(part(place)?);
                rest = after;
            } else if first == '}' {
                return Err("a single `}` closes nothing; write `}}` for a brace".to_owned());
            } else {
                literal.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        if !literal.is_empty() {
            parts.push(Part::Literal(literal));
        }
        Ok(Self { parts })
    }

    /// The text for the message with the given number.
    pub(super) fn fill(&self, draw: &mut Draw, number: u64) -> String {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(literal) => text.push_str(literal),
                Part::Sequence(digits) => {
                    let wrapped = number % 10u64.pow(*digits);
                    text.push_str(&format!("{wrapped:0width$}", width = *digits as usize));
                }
                Part::Random { alphabet, count } => {
                    for _ in 0..*count {
                        text.push(char::from(alphabet[draw.below(alphabet.len() as u64) as usize]));
                    }
                }
            }
        }
        text
    }
}

fn part(place: &str) -> Result<Part, String> {
    let (name, count) = place.split_once(':').unwrap_or((place, "1"));
    let count: u32 =
        count.parse().map_err(|_| format!("`{count}` in `{{{place}}}` is not a number of characters"))?;
    let random = |alphabet: &'static str| Ok(Part::Random { alphabet: alphabet.as_bytes(), count });
    match name {
        "sequence" if (1..=19).contains(&count) => Ok(Part::Sequence(count)),
        "sequence" => Err(format!("`{{{place}}}` has {count} digits, but 1 to 19 are possible")),
        "digit" => random("0123456789"),
        "letter" => random("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        "hex" => random("0123456789abcdef"),
        _ => Err(format!("`{name}` is not a known place; known are {}", PLACES.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_wraps_within_its_width() {
        let template = Template::parse("message{sequence:03}").unwrap();
        let mut draw = Draw::new(1);
        let texts = [1, 2, 999, 1_000, 1_001].map(|number| template.fill(&mut draw, number));
        assert_eq!(texts, ["message001", "message002", "message999", "message000", "message001"]);
    }

    #[test]
    fn random_places_have_their_length_and_braces_stay() {
        let text = Template::parse("{{{digit:3}-{letter:2}}}").unwrap().fill(&mut Draw::new(1), 1);
        assert_eq!(text.len(), 8);
        assert!(text.starts_with('{') && text.ends_with('}'));
    }

    #[test]
    fn wrong_patterns_say_why() {
        assert!(Template::parse("{sequense:03}").unwrap_err().contains("known are sequence"));
        assert!(Template::parse("{sequence:99}").unwrap_err().contains("1 to 19"));
        assert!(Template::parse("{sequence").unwrap_err().contains("closes"));
        assert!(Template::parse("a}").unwrap_err().contains("}}"));
    }
}

//! Sentences with emphasis, written once and rendered as HTML, Markdown or plain text.

use std::fmt::Write as _;

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Plain(String),
    /// What the sentence is about: the best, a count.
    Strong(String),
    /// Less important: intervals, conditions.
    Faint(String),
}

/// A sentence, or a few.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sentence(Vec<Piece>);

impl Sentence {
    /// A sentence without emphasis.
    pub fn plain(text: impl Into<String>) -> Self {
        Sentence::default().then(text)
    }

    /// Continues with plain text.
    #[must_use]
    pub fn then(mut self, text: impl Into<String>) -> Self {
        self.0.push(Piece::Plain(text.into()));
        self
    }

    /// Continues with emphasised text.
    #[must_use]
    pub fn strong(mut self, text: impl Into<String>) -> Self {
        self.0.push(Piece::Strong(text.into()));
        self
    }

    /// Continues with text that may stand back.
    #[must_use]
    pub fn faint(mut self, text: impl Into<String>) -> Self {
        self.0.push(Piece::Faint(text.into()));
        self
    }

    /// Without emphasis.
    pub fn to_plain(&self) -> String {
        let parts = self.0.iter().map(|piece| match piece {
            Piece::Plain(text) | Piece::Strong(text) | Piece::Faint(text) => text.as_str(),
        });
        parts.collect()
    }

    /// As inline Markdown.
    pub fn to_markdown(&self) -> String {
        let mut out = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Plain(text) | Piece::Faint(text) => out.push_str(&escape_markdown(text)),
                Piece::Strong(text) => out.push_str(&format!("**{}**", escape_markdown(text))),
            }
        }
        out
    }

    /// As inline HTML, escaped.
    pub fn to_html(&self) -> String {
        let mut out = String::new();
        for piece in &self.0 {
            // Writing to a String can't fail.
            let _ = match piece {
                Piece::Plain(text) => write!(out, "{}", escape_html(text)),
                Piece::Strong(text) => write!(out, "<strong>{}</strong>", escape_html(text)),
                Piece::Faint(text) => write!(out, "<span class=\"faint\">{}</span>", escape_html(text)),
            };
        }
        out
    }
}

/// Text for element content and double-quoted attributes.
pub fn escape_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// Text for one line of Markdown, tables included: what would be markup is escaped, line ends become spaces.
pub fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' | '`' | '*' | '_' | '<' | '>' | '|' => {
                out.push('\\');
                out.push(character);
            }
            '\n' | '\r' => out.push(' '),
            other => out.push(other),
        }
    }
    out
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emphasis_is_rendered_and_markup_in_the_text_is_not() {
        let sentence = Sentence::plain("a <b> & ").strong("c*d").faint(" [1, 2]");
        assert_eq!(sentence.to_plain(), "a <b> & c*d [1, 2]");
        assert_eq!(sentence.to_markdown(), r"a \<b\> & **c\*d** [1, 2]");
        assert_eq!(
            sentence.to_html(),
            "a &lt;b&gt; &amp; <strong>c*d</strong><span class=\"faint\"> [1, 2]</span>"
        );
    }

    #[test]
    fn lists_read_like_prose() {
        let words = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(listed(&words), "a, b and c");
        assert_eq!(listed(&words[..2]), "a and b");
    }
}

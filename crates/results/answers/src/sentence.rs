//! Sentences with emphasis, written once and rendered as HTML, Markdown or plain text.

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Plain(String),
    /// What the sentence is about: the best, a count.
    Strong(String),
    /// Less important text, such as intervals and conditions.
    Faint(String),
    /// A number followed by its interval; the two stay on one line.
    Figure(String, Option<String>),
}

/// A sentence, or a few sentences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sentence(Vec<Piece>);

impl Sentence {
    /// Starts with text without emphasis.
    pub fn plain(text: impl Into<String>) -> Self {
        Sentence::default().then(text)
    }

    /// Continues with text without emphasis.
    #[must_use]
    pub fn then(mut self, text: impl Into<String>) -> Self {
        self.0.push(Piece::Plain(text.into()));
        self
    }

    /// Continues with emphasised text, bold in Markdown and HTML.
    #[must_use]
    pub fn strong(mut self, text: impl Into<String>) -> Self {
        self.0.push(Piece::Strong(text.into()));
        self
    }

    /// Continues with text of less importance.
    #[must_use]
    pub fn faint(mut self, text: impl Into<String>) -> Self {
        self.0.push(Piece::Faint(text.into()));
        self
    }

    /// Continues with a number and its interval.
    #[must_use]
    pub fn figure(mut self, main: impl Into<String>, interval: Option<String>) -> Self {
        self.0.push(Piece::Figure(main.into(), interval));
        self
    }

    /// The text alone, without any markup.
    pub fn to_plain(&self) -> String {
        self.render(
            |text| text.to_owned(),
            |text| text.to_owned(),
            |main, interval| format!("{main}{interval}"),
        )
    }

    /// Inline Markdown, with the text escaped.
    pub fn to_markdown(&self) -> String {
        // Blanks inside the asterisks would turn them into text (CommonMark, "Emphasis and strong
        // emphasis").
        let strong = |text: &str| {
            let (begin, end) = (text.trim_start(), text.trim_end());
            let (before, behind) = (&text[..text.len() - begin.len()], &text[end.len()..]);
            match text.trim() {
                "" => text.to_owned(),
                word => format!("{before}**{}**{behind}", escape_markdown(word)),
            }
        };
        let text = self.render(escape_markdown, strong, |main, interval| {
            format!("{}{}", strong(main), escape_markdown(interval))
        });
        // Where two touch, one ends where the next begins; asterisks in the text are escaped.
        text.replace("****", "")
    }

    /// Inline HTML, with the text escaped.
    pub fn to_html(&self) -> String {
        let strong = |text: &str| format!("<strong>{}</strong>", escape_html(text));
        let faint = |text: &str| format!("<span class=\"faint\">{}</span>", escape_html(text));
        let figure = |main: &str, interval: &str| {
            format!("<span class=\"figure\">{}{}</span>", strong(main), faint(interval))
        };
        let parts = self.0.iter().map(|piece| match piece {
            Piece::Faint(text) => faint(text),
            other => Sentence(vec![other.clone()]).render(escape_html, strong, figure),
        });
        parts.collect()
    }

    /// Renders piece by piece; an interval comes with the blank before it, or is empty.
    fn render(
        &self,
        plain: impl Fn(&str) -> String,
        strong: impl Fn(&str) -> String,
        figure: impl Fn(&str, &str) -> String,
    ) -> String {
        let parts = self.0.iter().map(|piece| match piece {
            Piece::Plain(text) | Piece::Faint(text) => plain(text),
            Piece::Strong(text) => strong(text),
            Piece::Figure(main, None) => figure(main, ""),
            Piece::Figure(main, Some(interval)) => figure(main, &format!(" {interval}")),
        });
        parts.collect()
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

/// Text for one line of Markdown, tables included: markup is escaped, line ends become spaces.
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

/// Joins words: `a`, `a and b`, `a, b and c`.
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
    fn what_is_strong_side_by_side_is_markdown_all_the_same() {
        let sentence = Sentence::plain("").strong("coap lost ").strong("10 %").strong("").strong("!");
        assert_eq!(sentence.to_markdown(), "**coap lost** **10 %!**");
    }

    #[test]
    fn lists_read_like_prose() {
        let words = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(listed(&words), "a, b and c");
        assert_eq!(listed(&words[..2]), "a and b");
    }
}

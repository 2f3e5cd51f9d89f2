//! Which codecs read what others of their format write: as an answer, and as a picture.

use std::fmt::Write;

use wiredyno_answers::interoperability::{Exchange, How, Interoperability, Misread, Understanding};
use wiredyno_contract::CodecId;

use crate::answer::Answer;
use crate::document::Block;
use crate::sentence::{Sentence, escape_html as escape};
use crate::table::{About, Column, Row, Table, Value};

/// Sides of the picture's squares and its margins, in pixels.
const SQUARE: usize = 22;
const LABELS: usize = 250;
const GAP: usize = 46;

/// What each codec reads of the others: a table for each format, then the first sample that came out otherwise.
pub fn interoperability(found: &Interoperability) -> Answer {
    let payloads = payloads(found).join(", ");
    let [whole, part, none] = found.counted();
    let pairs = whole + part + none;
    let conclusion = format!(
        "Of {pairs} pairs of different codecs of one format, {whole} understand every sample of {payloads}, {part} some of them, {none} none."
    );
    let mut parts: Vec<(String, Block)> = found
        .formats()
        .iter()
        .map(|format| ((*format).to_owned(), Block::Table(table(found, format))))
        .collect();
    let misread: Vec<Sentence> = found.misread().map(|(exchange, first)| misread(exchange, first)).collect();
    if !misread.is_empty() {
        parts.push(("The first sample that came out otherwise".to_owned(), Block::List(misread)));
    }
    if !found.left_out.is_empty() {
        let lines = found.left_out.iter().map(|left| Sentence::plain(format!("{}: {}", left.what, left.why)));
        parts.push(("Left out".to_owned(), Block::List(lines.collect())));
    }
    Answer {
        title: "Which codecs read what others write?".to_owned(),
        conclusion: Sentence::plain(conclusion),
        parts,
    }
}

fn payloads(found: &Interoperability) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for exchange in &found.exchanges {
        let name = exchange.payload.to_string();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A row for each codec that wrote, a column for each that read, both in the same order.
fn table(found: &Interoperability, format: &str) -> Table {
    let codecs = found.codecs(format);
    let mut columns = vec![Column::words("written by"), Column::words("read by")];
    columns.extend((1..=codecs.len()).map(|place| Column::words(place.to_string())));
    let row = |(place, writer): (usize, &&wiredyno_contract::CodecId)| {
        let mut values = vec![Value::text(writer), Value::text(place + 1)];
        values.extend(codecs.iter().map(|reader| Value::text(cell(found.between(writer, reader)))));
        Row { about: About::Other, values }
    };
    Table {
        id: "",
        caption: Sentence::default(),
        columns,
        rows: codecs.iter().enumerate().map(row).collect(),
    }
}

fn cell(understanding: Option<Understanding>) -> String {
    match understanding {
        None => "\u{2013}".to_owned(),
        Some(Understanding::Whole) => "yes".to_owned(),
        Some(Understanding::Part(some, all)) => format!("{some} of {all}"),
        Some(Understanding::None) => "no".to_owned(),
    }
}

fn misread(exchange: &Exchange, first: &Misread) -> Sentence {
    let Exchange { payload, writer, reader, .. } = exchange;
    let sample = first.sample;
    Sentence::plain(match &first.how {
        How::Refused { reason } => {
            format!("{reader} refuses sample {sample} of {payload} from {writer}: {reason}")
        }
        How::Different { field, written, read } => {
            format!(
                "{reader} reads sample {sample} of {payload} from {writer} with another `{field}`: {read}, not {written}"
            )
        }
    })
}

/// The same tables as squares, as SVG.
pub fn interoperability_picture(found: &Interoperability) -> String {
    let formats = found.formats();
    let height: usize = formats.iter().map(|format| found.codecs(format).len() * SQUARE + GAP).sum();
    let most = formats.iter().map(|format| found.codecs(format).len()).max().unwrap_or(0);
    let width = LABELS + most * SQUARE + 20;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"12\"><title>Which codecs read what others write</title>\
         <style>text{{fill:#333}}.yes{{fill:#2b7a4b}}.part{{fill:#e0a100}}.no{{fill:#b8322a}}.none{{fill:#ddd}}\
         @media(prefers-color-scheme:dark){{text{{fill:#ddd}}.none{{fill:#444}}}}</style>"
    );
    let mut top = 0;
    for format in formats {
        let codecs = found.codecs(format);
        top += GAP;
        let _ =
            write!(svg, "<text x=\"8\" y=\"{}\" font-weight=\"bold\">{}</text>", top - 26, escape(format));
        for (column, _) in codecs.iter().enumerate() {
            let x = LABELS + column * SQUARE + SQUARE / 2;
            let _ =
                write!(svg, "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{}</text>", top - 5, column + 1);
        }
        for (row, writer) in codecs.iter().enumerate() {
            let y = top + row * SQUARE;
            let label = escape(&writer.to_string());
            let _ = write!(
                svg,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{label}  {}</text>",
                LABELS - 8,
                y + 15,
                row + 1
            );
            for (column, reader) in codecs.iter().enumerate() {
                let at = (LABELS + column * SQUARE, y);
                square(&mut svg, at, (writer, reader), found);
            }
        }
        top += codecs.len() * SQUARE;
    }
    svg.push_str("</svg>\n");
    svg
}

/// What a reader understands of a writer, as a square at this place.
fn square(
    svg: &mut String,
    (x, y): (usize, usize),
    (writer, reader): (&CodecId, &CodecId),
    found: &Interoperability,
) {
    let understanding = found.between(writer, reader);
    let class = match understanding {
        None => "none",
        Some(Understanding::Whole) => "yes",
        Some(Understanding::Part(..)) => "part",
        Some(Understanding::None) => "no",
    };
    let told = escape(&format!("{reader} reads {writer}: {}", cell(understanding)));
    let _ = write!(
        svg,
        "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{0}\" height=\"{0}\"><title>{told}</title></rect>",
        SQUARE - 2
    );
    // Colours alone don't tell.
    let sign = match understanding {
        Some(Understanding::Part(..)) => "~",
        Some(Understanding::None) => "×",
        _ => return,
    };
    let _ = write!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" style=\"fill:#fff\">{sign}</text>",
        x + SQUARE / 2 - 1,
        y + 15
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found() -> Interoperability {
        let exchange = |writer: &str, reader: &str, understood| Exchange {
            payload: "person".parse().unwrap(),
            writer: writer.parse().unwrap(),
            reader: reader.parse().unwrap(),
            samples: 4,
            understood,
            first: (understood < 4).then(|| Misread {
                sample: understood,
                how: How::Different {
                    field: "id".to_owned(),
                    written: "7".to_owned(),
                    read: "\"7\"".to_owned(),
                },
            }),
        };
        Interoperability {
            exchanges: vec![
                exchange("json/a", "json/a", 4),
                exchange("json/a", "json/b", 4),
                exchange("json/b", "json/a", 1),
                exchange("json/b", "json/b", 4),
            ],
            left_out: Vec::new(),
        }
    }

    #[test]
    fn the_answer_has_a_table_for_each_format_and_what_was_misread() {
        let text = interoperability(&found()).to_markdown();
        for part in [
            "Of 2 pairs of different codecs of one format, 1 understand every sample of person, 1 some of them, 0 none.",
            "1 of 4",
            "json/a reads sample 1 of person from json/b with another `id`: \"7\", not 7",
        ] {
            assert!(text.replace('\\', "").contains(part), "{part} is not in {text}");
        }
    }

    #[test]
    fn the_picture_has_a_square_for_each_pair() {
        let svg = interoperability_picture(&found());
        let count = |class: &str| svg.matches(&format!("<rect class=\"{class}\"")).count();
        assert_eq!((count("yes"), count("part"), count("no")), (3, 1, 0));
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    }
}

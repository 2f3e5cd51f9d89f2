//! The report as Markdown: the same sentences and tables as in HTML, but of many codecs only the best few, so that it
//! fits a screen or two. Charts need the HTML.

use crate::document::{Block, Document, Section};
use crate::finding::Finding;
use crate::first_screen;
use crate::heat::{HeatMap, Matrix, Spot};
use crate::published::Drawing;
use crate::sentence::escape_markdown;
use crate::table::{Table, Value};

pub fn render(document: &Document) -> String {
    let mut out = format!("# {}\n\n", escape_markdown(&document.title));
    if !document.question.trim().is_empty() {
        out += &format!("**{}**\n\n", escape_markdown(&document.question));
    }
    out += &format!("{}\n\n", document.method.to_markdown());
    out += &format!("{}\n\n", escape_markdown(&document.facts.join(" \u{b7} ")));
    if let Some(analysis) = &document.analysis {
        out += &format!("{}\n\n", escape_markdown(analysis.trim()));
    }
    for section in &document.sections {
        out += &render_section(section);
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn render_section(section: &Section) -> String {
    let body: String = section.blocks.iter().map(render_block).collect();
    if body.is_empty() {
        return String::new();
    }
    let lead = section.lead.to_markdown();
    let lead = if lead.is_empty() { lead } else { format!("{lead}\n\n") };
    format!("## {}\n\n{lead}{body}", section.question)
}

/// A block with its content.
pub fn render_block(block: &Block) -> String {
    match block {
        Block::Answer(sentences) => {
            sentences.iter().map(|sentence| format!("{}\n\n", sentence.to_markdown())).collect()
        }
        Block::Badge(badge) => {
            let lines: String =
                badge.lines.iter().map(|line| format!("- {}\n", line.to_markdown())).collect();
            format!("**{}** {}\n\n{lines}\n", badge.fitness.word(), escape_markdown(&badge.line))
        }
        Block::Bars(picture) => render_table(&first_screen::table(picture)),
        Block::Findings(findings) => findings.iter().map(finding).collect(),
        Block::List(sentences) => {
            let lines: String =
                sentences.iter().map(|sentence| format!("- {}\n", sentence.to_markdown())).collect();
            format!("{lines}\n")
        }
        Block::Table(table) => render_table(table),
        Block::Drawing(drawing) => render_drawing(drawing),
        Block::InText(block) => render_block(block),
        Block::Heat(map) => map.matrices.iter().map(|one| heat(map, one)).collect(),
        Block::Fold(fold) => fold.blocks.iter().map(render_block).collect(),
        Block::Effects(_) | Block::OnPage(_) | Block::Chart(_) => String::new(),
    }
}

/// A heat map in numbers; what can't be distinguished from the best is in bold.
fn heat(map: &HeatMap, matrix: &Matrix) -> String {
    let mut out =
        format!("{}, {}\n\n", escape_markdown(&map.metric.title), escape_markdown(&matrix.condition));
    let line = |first: &str, rest: Vec<String>| format!("| {first} | {} |\n", rest.join(" | "));
    out += &line("", matrix.columns.iter().map(|mode| escape_markdown(mode)).collect());
    out += &line("---", matrix.columns.iter().map(|_| "---:".to_owned()).collect());
    let spot = |spot: &Option<Spot>| match spot {
        None => String::new(),
        Some(spot) if spot.ties && !spot.text.is_empty() => format!("**{}**", escape_markdown(&spot.text)),
        Some(spot) => escape_markdown(&spot.text),
    };
    for (coding, spots) in &matrix.rows {
        out += &line(&escape_markdown(coding), spots.iter().map(spot).collect());
    }
    out + "\n"
}

fn finding(finding: &Finding) -> String {
    let mut out = format!("### {} ({})\n\n", finding.metric.best.unwrap_or_default(), finding.metric.title);
    for answer in &finding.answers {
        out += &format!("- *{}*: {}\n", escape_markdown(&answer.condition), answer.sentence.to_markdown());
    }
    out + "\n"
}

/// A figure as a list of its values.
fn render_drawing(drawing: &Drawing) -> String {
    let mut out =
        format!("### {}\n\n{}\n\n", escape_markdown(&drawing.title), escape_markdown(&drawing.caption));
    for group in &drawing.groups {
        for mark in &group.marks {
            let published = mark.published.map(|value| format!(", published {value:.1}")).unwrap_or_default();
            let line = format!("{}, {}: {}{published}", group.title, mark.title, mark.text);
            out += &format!("- {}\n", escape_markdown(&line));
        }
    }
    out + "\n"
}

fn render_table(table: &Table) -> String {
    let mut out = format!("{}\n\n", table.caption.to_markdown());
    let cells = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    out += &cells(table.columns.iter().map(|column| escape_markdown(&column.title)).collect());
    out +=
        &cells(table.columns.iter().map(|c| if c.numeric { "---:".into() } else { "---".into() }).collect());
    for row in &table.rows {
        out += &cells(row.values.iter().map(value).collect());
    }
    out + "\n"
}

fn value(value: &Value) -> String {
    let text = escape_markdown(&value.text);
    let text = if value.best { format!("**{text}**") } else { text };
    match &value.detail {
        Some(detail) => format!("{text} {}", escape_markdown(detail)),
        None => text,
    }
}

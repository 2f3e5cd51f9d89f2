//! The report as one HTML file that opens offline: sentences and tables need no JavaScript; the inlined bundle of the
//! front end adds sorting, filters and charts from the summary, which is inlined as compressed JSON. One file because
//! every block of a document has its HTML here.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use serde::ser::Error;
use wiredyno_answers::opening::{Choice, Measure, Picture, PictureFigure, Standing};
use wiredyno_model::AxisInfo;
use wiredyno_model::axis::TABLE;
use wiredyno_model::family::Family;
use wiredyno_model::summary::Summary;

use crate::document::{Block, Chart, Document, Place, Section};
use crate::effects::{EffectCell, EffectRow, EffectTable};
use crate::finding::{Answer, Finding, Spread};
use crate::first_screen::{self, Badge};
use crate::heat::{HOW_TO_READ, HeatMap, Matrix, Spot};
use crate::metric::{self, MetricInfo, Scope, ordered};
use crate::published::Drawing;
use crate::quantity::{self, Scale};
use crate::sentence::{Sentence, escape_html};
use crate::table::{About, Groups, Row, Table};
use crate::{RenderError, codecs};

const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/bundled/web/dist/report.js"));
const STYLE: &str = include_str!(concat!(env!("OUT_DIR"), "/bundled/web/dist/report.css"));

/// Forbids loading anything: the page is self-contained.
const CONTENT_SECURITY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/// The data for the front end. `web/src/model.ts` declares the same, except the summary, whose types are generated from
/// its schema.
#[derive(Serialize)]
struct PageData<'a> {
    summary: &'a Summary,
    metrics: Vec<MetricInfo>,
    /// In the order in which they are shown.
    families: Vec<FamilyOnPage>,
    /// The family of each format.
    formats: BTreeMap<&'a str, Family>,
    /// By unit, the largest scale first.
    scales: BTreeMap<&'static str, &'static [Scale]>,
    /// In the order in which cells are crossed.
    axes: &'static [AxisInfo],
}

/// A family with at least one codec in the study.
#[derive(Serialize)]
struct FamilyOnPage {
    name: Family,
    title: &'static str,
}

/// The report's parts for a page with its own frame and scripts.
#[derive(Serialize)]
pub struct Page<'a> {
    #[serde(flatten)]
    data: PageData<'a>,
    title: &'a str,
    question: &'a str,
    /// The method sentence, as HTML.
    asked: String,
    analysis: Vec<String>,
    facts: &'a [String],
    /// List items with links to the sections, as HTML.
    navigation: String,
    sections: Vec<SectionOnPage<'a>>,
}

/// A section with its title inside.
#[derive(Serialize)]
struct SectionOnPage<'a> {
    id: &'a str,
    title: &'a str,
    html: String,
}

/// The parts of a document with the summary it was made from.
pub fn page<'a>(document: &'a Document, summary: &'a Summary) -> Page<'a> {
    let sections =
        document.sections.iter().map(|of| SectionOnPage { id: of.id, title: of.title, html: section(of) });
    Page {
        data: page_data(summary),
        title: &document.title,
        question: &document.question,
        asked: document.method.to_html(),
        analysis: document.analysis.as_deref().map(paragraphs).unwrap_or_default(),
        facts: &document.facts,
        navigation: navigation(document),
        sections: sections.collect(),
    }
}

/// Renders a document with the summary it was made from.
///
/// # Errors
/// When the summary can't be written as JSON.
pub fn render(document: &Document, summary: &Summary) -> Result<String, RenderError> {
    let data = packed(&page_data(summary))?;
    let title = escape_html(&document.title);
    let sections: String = document.sections.iter().map(section).collect();
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{CONTENT_SECURITY}\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} \u{b7} Wiredyno</title>\n\
         <style>{style}</style>\n</head>\n<body>\n{head}<nav aria-label=\"Sections\"><ul>{nav}</ul><div id=\"filters\"></div></nav>\n<main>\n{sections}</main>\n\
         <footer>Made by Wiredyno {version} from <code>summary.json</code> of run <code>{run}</code>. \
         This file loads nothing from anywhere.</footer>\n\
         <script type=\"application/gzip;base64\" id=\"wiredyno-data\">{data}</script>\n<script>{script}</script>\n\
         </body>\n</html>\n",
        style = STYLE.replace("</", "<\\/"),
        head = head(document),
        nav = navigation(document),
        version = escape_html(&summary.run.version),
        run = escape_html(&summary.run.id),
        script = SCRIPT.replace("</script", "<\\/script"),
    ))
}

fn page_data(summary: &Summary) -> PageData<'_> {
    let mut metrics = ordered(Scope::Message, summary.cells.iter().flat_map(|cell| cell.metrics.keys()));
    metrics.extend(ordered(Scope::Codec, summary.codecs.iter().flat_map(|codec| codec.metrics.keys())));
    let formats = codecs::families(summary);
    let present = Family::ALL.into_iter().filter(|family| formats.values().any(|of| of == family));
    let families = present.map(|name| FamilyOnPage { name, title: name.title() }).collect();
    PageData { summary, metrics, families, formats, scales: quantity::scales(), axes: TABLE }
}

/// JSON, compressed (RFC 1952) and encoded as text (RFC 4648, section 4), which can't end a script element.
fn packed(data: &PageData<'_>) -> Result<String, RenderError> {
    let mut compressed = GzEncoder::new(Vec::new(), Compression::default());
    serde_json::to_writer(&mut compressed, data)?;
    let compressed = compressed.finish().map_err(serde_json::Error::custom)?;
    Ok(STANDARD.encode(compressed))
}

fn head(document: &Document) -> String {
    let facts: String = document.facts.iter().map(|fact| format!("<li>{}</li>", escape_html(fact))).collect();
    let analysis = document.analysis.as_deref().map(paragraphs).unwrap_or_default();
    let analysis: String = analysis.iter().map(|text| format!("<p>{}</p>\n", escape_html(text))).collect();
    format!(
        "<header class=\"masthead\">\n<p class=\"brand\">Wiredyno <span>study</span> {title}</p>\n<h1>{question}</h1>\n\
         <ul class=\"facts\">{facts}</ul>\n<details class=\"fold\" id=\"fold-asked\">\n<summary>What was asked, and how to read it</summary>\n\
         <p class=\"asked\">{asked}</p>\n<div class=\"analysis\">{analysis}</div>\n</details>\n</header>\n",
        title = escape_html(&document.title),
        question = escape_html(&document.question),
        asked = document.method.to_html(),
    )
}

/// Paragraphs, separated by an empty line, without the line breaks of the TOML file.
fn paragraphs(text: &str) -> Vec<String> {
    let parts = text.trim().split("\n\n").map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    parts.filter(|part| !part.is_empty()).collect()
}

/// The entries of the navigation as list items.
fn navigation(document: &Document) -> String {
    let link = |section: &Section| format!("<li><a href=\"#{}\">{}</a></li>", section.id, section.title);
    let place = |place: Place<'_>| match place {
        Place::Section(section) => link(section),
        // A menu with one entry is a plain link.
        Place::Menu(_, held) if held.len() == 1 => link(held[0]),
        Place::Menu(word, held) => {
            let links: String = held.into_iter().map(link).collect();
            format!("<li><details name=\"sections\"><summary>{word}</summary><ul>{links}</ul></details></li>")
        }
    };
    document.places().into_iter().map(place).collect()
}

fn section(section: &Section) -> String {
    let Section { id, question, .. } = section;
    let lead = section.lead.to_html();
    let shown: Vec<&Block> =
        section.blocks.iter().filter(|block| !matches!(block, Block::InText(_))).collect();
    // A section with a single fold becomes that fold.
    if let [Block::Fold(fold)] = shown[..] {
        let inner: String = fold.blocks.iter().map(block).collect();
        return format!(
            "<section id=\"{id}\" class=\"folded\" aria-labelledby=\"{id}-title\">\n<details class=\"fold\" id=\"{fold}\">\n\
             <summary><h2 id=\"{id}-title\">{question}</h2> <span class=\"lead\">{lead}</span></summary>\n{inner}</details>\n</section>\n",
            fold = fold.id(),
        );
    }
    let blocks: String = section.blocks.iter().map(block).collect();
    let lead = if lead.is_empty() { lead } else { format!("<p class=\"lead\">{lead}</p>\n") };
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{question}</h2>\n{lead}{blocks}</section>\n",
    )
}

fn block(this: &Block) -> String {
    match this {
        Block::Answer(sentences) => answer_lines(sentences),
        Block::Badge(one) => badge(one, " id=\"fold-how-sure\""),
        Block::Bars(picture) => bars(picture, "choice", &first_screen::caption(picture)),
        Block::Findings(findings) => {
            let cards: String = findings.iter().map(finding).collect();
            format!("<div class=\"findings\">\n{cards}</div>\n")
        }
        Block::List(sentences) => list(sentences),
        Block::Table(table) => render_table(table),
        Block::Chart(chart) => render_chart(chart),
        Block::Drawing(drawing) => render_drawing(drawing),
        Block::OnPage(inner) => block(inner),
        Block::Effects(table) => effects(table),
        Block::Heat(map) => heat(map),
        Block::Fold(fold) => {
            let inner: String = fold.blocks.iter().map(block).collect();
            format!(
                "<details class=\"fold\" id=\"{}\">\n<summary>{}</summary>\n{inner}</details>\n",
                fold.id(),
                escape_html(&fold.title)
            )
        }
        Block::InText(_) => String::new(),
    }
}

fn answer_lines(sentences: &[Sentence]) -> String {
    let lines: String =
        sentences.iter().map(|sentence| format!("<p>{}</p>\n", unbroken(&sentence.to_html()))).collect();
    format!("<div class=\"answer\">\n{lines}</div>\n")
}

/// `id` is an attribute, or nothing where a page may have several.
fn badge(badge: &Badge, id: &str) -> String {
    format!(
        "<details class=\"badge {class}\"{id}>\n<summary><strong>{word}</strong> {line}</summary>\n{lines}</details>\n",
        class = badge.fitness.word().replace(' ', "-"),
        word = badge.fitness.word(),
        line = escape_html(&badge.line),
        lines = list(&badge.lines),
    )
}

/// The picture of an answer on its own: what its rows are, and its caption.
pub struct Bars {
    pub picture: Picture,
    pub rows: &'static str,
    pub caption: String,
}

/// An answer on its own, for a page: a report's first screen, then the parts in the order of the text.
pub fn on_page(answer: &crate::Answer, badge_of: Option<&Badge>, picture: Option<&Bars>) -> String {
    let bars = picture.map(|of| bars(&of.picture, of.rows, &of.caption));
    let part = |(heading, of): &(String, Block)| {
        let title =
            if heading.is_empty() { String::new() } else { format!("<h3>{}</h3>\n", escape_html(heading)) };
        let of = match of {
            Block::Table(table) if heading.is_empty() => named_table(table, &answer.title),
            Block::Table(table) => named_table(table, heading),
            other => block(other),
        };
        format!("{title}{of}")
    };
    let parts: String = answer.parts.iter().map(part).collect();
    format!(
        "{}{}{}{parts}",
        answer_lines(std::slice::from_ref(&answer.conclusion)),
        badge_of.map(|of| badge(of, "")).unwrap_or_default(),
        bars.unwrap_or_default(),
    )
}

/// Bars with their figures: a table, so that it can be read without a script, printed, and read aloud.
fn bars(picture: &Picture, rows_are: &str, caption: &str) -> String {
    let ends = first_screen::ends(picture);
    let headings: String = picture
        .measures
        .iter()
        .map(|measure| format!("<th scope=\"col\">{}</th>", escape_html(&measure.title)))
        .collect();
    let row = |choice: &Choice| {
        let cells = choice.figures.iter().zip(&picture.measures).zip(&ends);
        let cells: String =
            cells.map(|((figure, measure), end)| bar(figure.as_ref(), measure, *end)).collect();
        let word = first_screen::word(choice.standing);
        let word = if word.is_empty() { String::new() } else { format!(" <small>{word}</small>") };
        format!(
            "<tr class=\"{}\"><th scope=\"row\">{}{word}</th>{cells}</tr>\n",
            if choice.standing == Standing::Best { "best" } else { "" },
            escape_html(&choice.name),
        )
    };
    let rows: String = picture.choices.iter().map(row).collect();
    format!(
        "<figure class=\"chart\">\n<table class=\"bars\">\n<thead><tr><th scope=\"col\">{rows_are}</th>{headings}</tr></thead>\n<tbody>\n{rows}</tbody>\n\
         </table>\n<figcaption>{}</figcaption>\n</figure>\n",
        escape_html(caption),
    )
}

fn bar(figure: Option<&PictureFigure>, measure: &Measure, end: f64) -> String {
    let label = escape_html(&measure.title);
    let Some(shown) = figure else { return format!("<td data-label=\"{label}\">\u{2013}</td>") };
    let share = |value: f64| if end > 0.0 { (value / end * 100.0).clamp(0.0, 100.0) } else { 0.0 };
    let whisker = shown.interval.map(|[low, high]| {
        format!("<i style=\"left:{:.1}%;width:{:.1}%\"></i>", share(low), share(high) - share(low))
    });
    let (text, interval) = quantity::apart(shown.mean, shown.interval, measure.unit);
    let survivors = if shown.of_survivors { " <small>of those that arrived</small>" } else { "" };
    let class = if shown.of_survivors { "bar survivors" } else { "bar" };
    format!(
        "<td data-label=\"{label}\" data-sort=\"{}\"><span class=\"{class}\" aria-hidden=\"true\"><b style=\"width:{:.1}%\"></b>{}</span>\
         <span class=\"figure\"><strong>{}</strong> <span class=\"faint\">{}</span></span>{survivors}</td>",
        shown.mean,
        share(shown.mean),
        whisker.unwrap_or_default(),
        escape_html(&text),
        escape_html(&interval.unwrap_or_default()),
    )
}

fn effects(table: &EffectTable) -> String {
    let heading = |metric: &MetricInfo| {
        let meaning = escape_html(&metric::words(&metric.meaning));
        format!("<th scope=\"col\" title=\"{meaning}\">{}</th>", escape_html(&metric.title))
    };
    let payloads = table.rows.iter().any(|row| row.payload.is_some());
    let payload_heading = if payloads { "<th scope=\"col\">payload</th>" } else { "" };
    let headings: String = table.columns.iter().map(heading).collect();
    let rows: String = table.rows.iter().map(effect_row(table)).collect();
    format!(
        "<div class=\"table\" role=\"region\" aria-label=\"Effects: {title}\" tabindex=\"0\">\n<table class=\"effects\" id=\"effects-{axis}\">\n\
         <thead><tr><th scope=\"col\">{title}</th>{payload_heading}{headings}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n",
        title = table.title,
        axis = table.axis,
    )
}

/// Prevents a line break between a number and what belongs to it.
fn unbroken(text: &str) -> String {
    text.replace("\u{d7} ", "\u{d7}\u{a0}").replace(" %", "\u{a0}%")
}

fn effect_row(table: &EffectTable) -> impl Fn(&EffectRow) -> String {
    let cell = |(cell, metric): (&Option<EffectCell>, &MetricInfo)| {
        let label = escape_html(&metric.title);
        let Some(EffectCell { tone, main, details, estimate }) = cell else {
            return format!("<td data-label=\"{label}\">\u{2013}</td>");
        };
        let details: String =
            details.iter().map(|line| format!("<small>{}</small>", unbroken(&escape_html(line)))).collect();
        let main = escape_html(main);
        format!(
            "<td class=\"{tone}\" data-label=\"{label}\" data-sort=\"{estimate}\"><strong>{main}</strong>{details}</td>"
        )
    };
    move |row| {
        let cells: String = row.cells.iter().zip(&table.columns).map(cell).collect();
        let payload = row.payload.as_deref().map(escape_html);
        let about =
            payload.as_ref().map(|payload| format!(" data-payload=\"{payload}\"")).unwrap_or_default();
        let payload = payload.map(|payload| format!("<td data-label=\"payload\">{payload}</td>"));
        let repeats = if row.repeats { " class=\"repeats\"" } else { "" };
        format!(
            "<tr{about}><th scope=\"row\"{repeats}>{} <small>instead of {}</small></th>{}{cells}</tr>\n",
            escape_html(&row.value),
            escape_html(&row.instead_of),
            payload.unwrap_or_default()
        )
    }
}

fn heat(map: &HeatMap) -> String {
    let matrices: String = map.matrices.iter().map(|one| matrix(&map.metric, one)).collect();
    format!(
        "<figure class=\"chart heat-map\">\n<h3>{}</h3>\n<div class=\"matrices\">{matrices}</div>\n<figcaption>{}</figcaption>\n</figure>\n",
        escape_html(&map.metric.title),
        escape_html(HOW_TO_READ),
    )
}

fn matrix(metric: &MetricInfo, matrix: &Matrix) -> String {
    let head: String =
        matrix.columns.iter().map(|mode| format!("<th scope=\"col\">{}</th>", escape_html(mode))).collect();
    let row = |(coding, spots): &(String, Vec<Option<Spot>>)| {
        let spots: String = spots.iter().map(spot).collect();
        format!("<tr><th scope=\"row\">{}</th>{spots}</tr>\n", escape_html(coding))
    };
    let rows: String = matrix.rows.iter().map(row).collect();
    format!(
        "<div class=\"table\" role=\"region\" aria-label=\"{title}, {condition}\" tabindex=\"0\"><table class=\"matrix\" \
         data-metric=\"{name}\">\n<caption>{condition}</caption>\n<thead><tr><td></td>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n",
        title = escape_html(&metric.title),
        condition = escape_html(&matrix.condition),
        name = metric.name,
    )
}

fn spot(spot: &Option<Spot>) -> String {
    let Some(spot) = spot else { return "<td></td>".to_owned() };
    let ties = match (spot.wins, spot.ties) {
        (true, _) => " winner",
        (false, true) => " tie",
        (false, false) => "",
    };
    let loss = if spot.lossy { "<small>lost some</small>" } else { "" };
    format!(
        "<td class=\"heat{ties}\" data-cell=\"{cell}\" style=\"--heat:{:.3}\" title=\"{}\"><a href=\"#cell-{cell}\">{}</a>{loss}</td>",
        spot.heat,
        escape_html(&spot.figure),
        escape_html(&spot.text),
        cell = spot.cell,
    )
}

fn list(sentences: &[Sentence]) -> String {
    let items: String =
        sentences.iter().map(|sentence| format!("<li>{}</li>\n", sentence.to_html())).collect();
    format!("<ul class=\"sentences\">\n{items}</ul>\n")
}

fn finding(finding: &Finding) -> String {
    let answers: String = finding.answers.iter().map(answer).collect();
    format!(
        "<article class=\"finding\">\n<h3><a href=\"#{section}\" title=\"{meaning}\">{best}</a> <span>{title}</span></h3>\n\
         <dl>\n{answers}</dl>\n</article>\n",
        section = finding.metric.section,
        meaning = escape_html(&metric::words(&finding.metric.meaning)),
        best = finding.metric.best.unwrap_or_default(),
        title = escape_html(&finding.metric.title),
    )
}

fn answer(answer: &Answer) -> String {
    format!(
        "<dt>{}{}</dt><dd>{}</dd>\n",
        escape_html(&answer.condition),
        strip(&answer.spread),
        answer.sentence.to_html()
    )
}

/// A strip with a mark for every candidate, from the lowest mean on the left to the highest on the right.
fn strip(spread: &Spread) -> String {
    let low = spread.means.iter().copied().fold(f64::MAX, f64::min);
    let high = spread.means.iter().copied().fold(f64::MIN, f64::max);
    if spread.means.len() < 2 || high <= low {
        return String::new();
    }
    let mark = |(place, mean): (usize, &f64)| {
        let x = 4.0 + 92.0 * (mean - low) / (high - low);
        let class = if place < spread.tied { "top" } else { "rest" };
        format!("<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"5\" r=\"3\"/>")
    };
    // The best last, so that no other mark covers it.
    let marks: Vec<String> = spread.means.iter().enumerate().map(mark).rev().collect();
    format!(
        "<svg class=\"strip\" viewBox=\"0 0 100 10\" aria-hidden=\"true\"><line x1=\"2\" x2=\"98\" y1=\"5\" y2=\"5\"/>{}</svg>",
        marks.concat()
    )
}

fn render_chart(chart: &Chart) -> String {
    format!(
        "<figure class=\"chart\" data-chart=\"{name}\">\n<h3>{title}</h3>\n<div class=\"panels\"><p class=\"no-script\">Charts need \
         JavaScript; the numbers are in the tables.</p></div>\n<figcaption>{caption}</figcaption>\n</figure>\n",
        name = chart.name,
        title = chart.title,
        caption = chart.caption,
    )
}

fn render_drawing(drawing: &Drawing) -> String {
    format!(
        "<figure class=\"chart\">\n<h3>{title}</h3>\n{svg}<figcaption>{caption}</figcaption>\n</figure>\n",
        title = escape_html(&drawing.title),
        svg = drawing.to_svg(),
        caption = escape_html(&drawing.caption),
    )
}

/// Rows of a table that are printed on paper; `web/src/style.css` has the same number.
const PRINTED_ROWS: usize = 25;

fn render_table(table: &Table) -> String {
    named_table(table, &table.caption.to_plain())
}

/// A table under its caption, if it has one, by this name for those who don't see it.
fn named_table(table: &Table, label: &str) -> String {
    let column = |column: &crate::table::Column| {
        let class = if column.numeric { " class=\"number\"" } else { "" };
        let payload =
            column.payload.as_ref().map(|payload| format!(" data-payload=\"{}\"", escape_html(payload)));
        let groups = match column.groups {
            Some(Groups::Apart) => " data-groups=\"apart\"",
            Some(Groups::Together) => " data-groups=\"together\"",
            None => "",
        };
        let title = escape_html(&column.title);
        format!("<th scope=\"col\"{class}{}{groups}>{title}</th>", payload.unwrap_or_default())
    };
    let head: String = table.columns.iter().map(column).collect();
    let rows: String = table.rows.iter().map(|row| render_row(table, row)).collect();
    let unprinted = match table.rows.len().saturating_sub(PRINTED_ROWS) {
        0 => String::new(),
        more => format!(
            "<p class=\"unprinted\" data-printed=\"{PRINTED_ROWS}\">{} more in the file</p>\n",
            quantity::count(more as u64)
        ),
    };
    format!(
        "<div class=\"table\" role=\"region\" aria-label=\"{label}\" tabindex=\"0\">\n<table{id}>\n{caption}\
         <thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n{unprinted}</div>\n",
        label = escape_html(label),
        id = if table.id.is_empty() { String::new() } else { format!(" id=\"{}\"", table.id) },
        caption = match table.caption.to_html() {
            none if none.is_empty() => none,
            words => format!("<caption><span>{words}</span></caption>\n"),
        },
    )
}

fn render_row(table: &Table, row: &Row) -> String {
    let about = match row.about {
        About::Cell(place) if table.id == "results-table" => {
            format!(" data-cell=\"{place}\" id=\"cell-{place}\"")
        }
        // The first trial of a cell.
        About::Cell(place)
            if table.id == "trial-table" && row.values.first().is_some_and(|value| !value.repeats) =>
        {
            format!(" data-cell=\"{place}\" id=\"trials-{place}\"")
        }
        About::Cell(place) => format!(" data-cell=\"{place}\""),
        About::Codec(place) => format!(" data-codec=\"{place}\""),
        About::AnyPayload(place) => format!(" data-any-payload=\"{place}\""),
        About::Other => String::new(),
    };
    let cell = |(value, column): (&crate::table::Value, &crate::table::Column)| {
        let classes = [
            (column.numeric, "number"),
            (value.heat.is_some(), "heat"),
            (column.groups.is_some(), "group"),
            (value.repeats, "repeats"),
            (value.best, "best"),
        ];
        let classes: Vec<&str> =
            classes.into_iter().filter(|(has, _)| *has).map(|(_, class)| class).collect();
        let class =
            if classes.is_empty() { String::new() } else { format!(" class=\"{}\"", classes.join(" ")) };
        let heat = value.heat.map(|heat| format!(" style=\"--heat:{heat:.3}\"")).unwrap_or_default();
        let sort = value.sort.map(|sort| format!(" data-sort=\"{sort}\"")).unwrap_or_default();
        let detail = value.detail.as_ref().map(|detail| format!("<small>{}</small>", escape_html(detail)));
        let text = match &value.link {
            Some(link) => format!("<a href=\"{}\">{}</a>", escape_html(link), escape_html(&value.text)),
            None => escape_html(&value.text),
        };
        format!("<td{class}{heat}{sort}>{text}{}</td>", detail.unwrap_or_default())
    };
    let cells: String = row.values.iter().zip(&table.columns).map(cell).collect();
    format!("<tr{about}>{cells}</tr>\n")
}

//! Figures of the study redrawn: one mark for each message and format, with the printed value beside it if there is one.

use std::collections::BTreeMap;

use wiredyno_claims::{Figure, Kind, Measured, Message, PrintedAs, Published, Shows, combinations, kind};
use wiredyno_model::summary::Summary;

use super::tables::{Subject, place_words};
use crate::quantity;

/// A figure, ready to be drawn on one scale.
#[derive(Debug, Clone)]
pub struct Drawing {
    pub title: String,
    pub caption: String,
    /// One group for each message and place on axes.
    pub groups: Vec<Group>,
    pub logarithmic: bool,
}

/// The marks of one message.
#[derive(Debug, Clone)]
pub struct Group {
    pub title: String,
    /// One mark for each format or protocol.
    pub marks: Vec<Mark>,
}

/// The figure of one format or protocol.
#[derive(Debug, Clone)]
pub struct Mark {
    /// The format and the codec that stands for it.
    pub title: String,
    pub value: f64,
    /// Ends of the line through it: its 95 % interval, or the range of samples.
    pub line: Option<[f64; 2]>,
    /// The measured value in words.
    pub text: String,
    /// The value printed by the study.
    pub published: Option<f64>,
}

/// Redraws a figure.
///
/// # Errors
/// With the reason why it is not drawn, a sentence.
pub fn drawing(published: &Published, summary: &Summary, figure: &Figure) -> Result<Drawing, String> {
    if let Some(why) = &figure.not_redrawn {
        return Err(why.clone());
    }
    let shows = figure.shows.ok_or("it does not say what it shows")?;
    let baseline = figure.baseline.as_ref().and_then(|id| Subject::find(published, id));
    let of = |subject: Subject<'_>, message: &Message, at: &BTreeMap<String, String>| {
        subject.measured(published, summary, message, &figure.metric, &[at]).ok()
    };
    let subjects: Vec<Subject<'_>> = figure
        .formats
        .iter()
        .chain(&figure.protocols)
        .filter_map(|id| Subject::find(published, id))
        .collect();
    let places = combinations(&figure.at);
    let varies = |axis: &String| figure.at.get(axis).is_some_and(|values| values.all().len() > 1);
    let mut groups = Vec::new();
    for message in figure.messages.iter().filter_map(|id| published.message(id)) {
        for at in &places {
            let base = baseline.and_then(|baseline| of(baseline, message, at)).map(|measured| measured.mean);
            let marks = subjects.iter().filter_map(|subject| {
                let title = format!("{} ({})", subject.name(), subject.here());
                let printed = printed(published, figure, (message, at), subject.id(), shows);
                mark(title, &of(*subject, message, at)?, shows, base, printed)
            });
            let marks: Vec<Mark> = marks.collect();
            let varied = at.iter().filter(|(axis, _)| varies(axis));
            let place = place_words(&varied.map(|(axis, value)| (axis.clone(), value.clone())).collect());
            let separator = if place.is_empty() { "" } else { ", " };
            if !marks.is_empty() {
                groups.push(Group { title: format!("{}{separator}{place}", message.name), marks });
            }
        }
    }
    if groups.is_empty() {
        return Err("the run has no trials for it.".to_owned());
    }
    let mut caption = match (shows, baseline) {
        (Shows::Index, Some(baseline)) => format!("In per cent of {}. ", baseline.name()),
        (Shows::Range, _) => "Line: smallest to largest; mark: median. ".to_owned(),
        _ => String::new(),
    };
    caption += if figure.logarithmic { "Logarithmic scale. " } else { "The scale starts at zero. " };
    caption += figure.note.as_deref().unwrap_or_default();
    let title = format!("Figure {}: {}", figure.id, figure.title);
    Ok(Drawing { title, caption: caption.trim().to_owned(), groups, logarithmic: figure.logarithmic })
}

fn mark(
    title: String,
    measured: &Measured,
    shows: Shows,
    base: Option<f64>,
    published: Option<f64>,
) -> Option<Mark> {
    let (value, line, text) = match shows {
        Shows::Value => {
            let text = quantity::with_interval(measured.mean, measured.interval_95, &measured.unit);
            (measured.mean, measured.interval_95, text)
        }
        Shows::Index => {
            let base = base.filter(|base| *base > 0.0)?;
            let index = |value: f64| value / base * 100.0;
            let line = measured.interval_95.map(|ends| ends.map(index));
            (index(measured.mean), line, format!("{:.1} %", index(measured.mean)))
        }
        Shows::Range => {
            let [least, median, most] = measured.range?;
            let unit = &measured.unit;
            let ends = [least, median, most].map(|end| quantity::quantity(end, unit));
            (median, Some([least, most]), format!("{} ({} to {})", ends[1], ends[0], ends[2]))
        }
    };
    Some(Mark { title, value, line, text, published })
}

/// The printed value on the scale of the figure, if the study's own table has it.
fn printed(
    published: &Published,
    figure: &Figure,
    (message, at): (&Message, &BTreeMap<String, String>),
    subject: &str,
    shows: Shows,
) -> Option<f64> {
    let table = published.table.iter().find(|table| Some(&table.id) == figure.table.as_ref())?;
    let stands = |row: &&wiredyno_claims::Row| {
        let own = published.placed(None, &[&table.at, &row.at]);
        row.message == message.id && (row.at.is_empty() || own == published.placed(None, &[&table.at, at]))
    };
    let row = table.row.iter().find(stands)?;
    let number = row.number(subject);
    match (shows, table.printed_as) {
        (Shows::Value, PrintedAs::Value) if kind(&table.metric) != Kind::Time => number,
        (Shows::Index, PrintedAs::Change) if table.baseline.as_deref() == Some(subject) => Some(100.0),
        (Shows::Index, PrintedAs::Change) => Some(100.0 + number?),
        (Shows::Index, PrintedAs::Value) => Some(number? / row.number(figure.baseline.as_ref()?)? * 100.0),
        _ => None,
    }
}

const WIDTH: f64 = 970.0;
const NAMES: f64 = 400.0;
const ROOM_FOR_TEXT: f64 = 190.0;
const LINE: f64 = 20.0;

impl Drawing {
    /// Inline SVG, in the colours of the page.
    pub fn to_svg(&self) -> String {
        let ends = self.marks().flat_map(|mark| {
            mark.line.into_iter().flatten().chain([mark.value]).chain(mark.published).collect::<Vec<_>>()
        });
        let ends: Vec<f64> =
            ends.filter(|end| end.is_finite() && (!self.logarithmic || *end > 0.0)).collect();
        let highest = ends.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let lowest = ends.iter().copied().fold(highest, f64::min);
        let span = WIDTH - NAMES - ROOM_FOR_TEXT;
        let place = |value: f64| {
            let share = if self.logarithmic {
                let low = lowest.ln() - 0.1;
                (value.max(lowest).ln() - low) / (highest.ln() - low).max(f64::MIN_POSITIVE)
            } else {
                value / highest
            };
            NAMES + span * share.clamp(0.0, 1.0)
        };
        let lines: usize = self.groups.iter().map(|group| group.marks.len() + 1).sum();
        let height = lines as f64 * LINE + 6.0;
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\" style=\"max-width:{WIDTH}px;width:100%;height:auto;\
             font:12px system-ui,sans-serif\">\n",
            crate::sentence::escape_html(&self.title)
        );
        let mut y = LINE * 0.7;
        for group in &self.groups {
            svg += &text(0.0, y, &group.title, "fill:var(--ink);font-weight:600", "start");
            y += LINE;
            for mark in &group.marks {
                svg += &drawn(mark, y, &place, self.logarithmic);
                y += LINE;
            }
        }
        svg + "</svg>\n"
    }

    fn marks(&self) -> impl Iterator<Item = &Mark> {
        self.groups.iter().flat_map(|group| &group.marks)
    }
}

fn text(x: f64, y: f64, words: &str, style: &str, anchor: &str) -> String {
    let words = crate::sentence::escape_html(words);
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" style=\"{style}\">{words}</text>\n")
}

fn drawn(mark: &Mark, y: f64, place: &impl Fn(f64) -> f64, logarithmic: bool) -> String {
    let middle = y - 4.0;
    let mut svg = text(NAMES - 10.0, y, &mark.title, "fill:var(--faint)", "end");
    let line = |from: f64, to: f64, style: &str| {
        format!(
            "<line x1=\"{from:.1}\" x2=\"{to:.1}\" y1=\"{middle:.1}\" y2=\"{middle:.1}\" style=\"{style}\"/>\n"
        )
    };
    if !logarithmic {
        svg += &line(NAMES, place(mark.value), "stroke:var(--accent);stroke-width:7;opacity:0.28");
    }
    if let Some([low, high]) = mark.line {
        svg += &line(place(low), place(high), "stroke:var(--accent);stroke-width:2");
    }
    let mut end = place(mark.value);
    svg += &format!("<circle cx=\"{end:.1}\" cy=\"{middle:.1}\" r=\"4\" style=\"fill:var(--accent)\"/>\n");
    if let Some(published) = mark.published {
        let x = place(published);
        svg += &format!(
            "<path d=\"M{x:.1} {:.1}l5 5l-5 5l-5 -5z\" style=\"fill:none;stroke:var(--ink);stroke-width:1.5\"/>\n",
            middle - 5.0
        );
        end = end.max(x);
    }
    if let Some([_, high]) = mark.line {
        end = end.max(place(high));
    }
    svg + &text(end + 11.0, y, &mark.text, "fill:var(--ink)", "start")
}

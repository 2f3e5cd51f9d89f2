//! Printed numbers with ours beside them.

use wiredyno_claims::{
    Format, Kind, Measured, Message, PrintedAs, Published, Row as Printed, Table as PublishedTable,
};
use wiredyno_claims::{averaged, kind, measured, metric_words};
use wiredyno_model::summary::Summary;

use crate::quantity;
use crate::sentence::Sentence;
use crate::table::{About, Column, Row, Table, Value};

/// What stands for the study's formats.
pub fn formats(published: &Published) -> Table {
    let row = |format: &Format| {
        let mut codec = Value::text(&format.codec);
        if !format.also.is_empty() {
            let also: Vec<String> = format.also.iter().map(ToString::to_string).collect();
            codec.detail = Some(format!("also {}", also.join(", ")));
        }
        let same = if format.same_implementation { "yes" } else { "no" };
        let note = format.note.as_ref().map_or_else(Value::none, Value::text);
        let values =
            vec![Value::text(&format.name), Value::text(&format.theirs), codec, Value::text(same), note];
        Row { about: About::Other, values }
    };
    let columns = ["format", "the study measured", "here", "same implementation", "note"];
    Table {
        id: "published-formats",
        caption: Sentence::plain("What stands for the formats of the study."),
        columns: columns.into_iter().map(Column::words).collect(),
        rows: published.format.iter().map(row).collect(),
    }
}

/// One table of the study.
pub fn table(published: &Published, summary: &Summary, table: &PublishedTable) -> Table {
    let times = kind(&table.metric) == Kind::Time;
    let baseline = table.baseline.as_ref().and_then(|id| published.format(id));
    // Times are set in relation to a format even where the study prints them as they are.
    let relative = times && table.printed_as == PrintedAs::Value;
    let mut columns = vec![Column::words("message"), Column::words("format")];
    columns.extend(["published", "measured"].map(Column::numbers));
    if relative {
        columns.push(Column::numbers("published, relative"));
        columns.push(Column::numbers("measured, relative"));
    } else {
        columns.push(Column::numbers("measured less published"));
    }
    columns.push(Column::words("remarks"));
    let mut rows = Vec::new();
    for printed in &table.row {
        let Some(message) = published.message(&printed.message) else { continue };
        for format in &published.format {
            let Some(text) = printed.values.get(&format.id) else { continue };
            let line = Line { summary, table, printed, message, format, baseline };
            rows.push(Row { about: About::Other, values: line.values(text, relative) });
        }
    }
    Table { id: "", caption: caption(table, baseline), columns, rows }
}

fn caption(table: &PublishedTable, baseline: Option<&Format>) -> Sentence {
    let mut caption = Sentence::default().strong(format!("{}, {}.", table.title, table.place));
    caption = caption.then(format!(" Measured: {}", metric_words(&table.metric)));
    let against = baseline.map(|baseline| baseline.name.as_str()).unwrap_or_default();
    caption = match table.printed_as {
        PrintedAs::Value if baseline.is_some() => caption.then(format!("; relative to {against}")),
        PrintedAs::Value => caption,
        PrintedAs::Change => caption.then(format!("; change against {against}")),
        PrintedAs::Difference => caption.then(format!("; difference from {against}")),
    };
    let note = table.note.as_ref().map(|note| format!(". {note}")).unwrap_or_else(|| ".".to_owned());
    caption.then(note)
}

/// A printed number.
struct Line<'a> {
    summary: &'a Summary,
    table: &'a PublishedTable,
    printed: &'a Printed,
    message: &'a Message,
    format: &'a Format,
    baseline: Option<&'a Format>,
}

impl Line<'_> {
    fn values(&self, text: &str, relative: bool) -> Vec<Value> {
        let unit = &self.table.unit;
        let published = self.printed.number(&self.format.id);
        let mut shown = Value::number(format!("{text} {unit}"), published.unwrap_or_default());
        if self.printed.disputed.contains_key(&self.format.id) {
            shown.detail = Some("disputed".to_owned());
        }
        let ours = measured(self.summary, &self.format.codec, self.message, &self.table.metric);
        let beside = self.baseline.map(|baseline| {
            measured(self.summary, &baseline.codec, self.message, &self.table.metric).map(|value| value.mean)
        });
        let beside = beside.and_then(Result::ok).filter(|beside| *beside > 0.0);
        let mut format = Value::text(&self.format.name);
        format.detail = Some(self.format.codec.to_string());
        let mut values = vec![Value::text(&self.message.name), format, shown];
        let lacking = ours.as_ref().err().cloned();
        let ours = ours.ok();
        if relative {
            values.push(ours.as_ref().map_or_else(Value::none, as_measured));
            let base = self.baseline.and_then(|baseline| self.printed.number(&baseline.id));
            values.push(ratio(published, base));
            values.push(ratio(ours.map(|ours| ours.mean), beside));
        } else {
            let figure = ours.as_ref().and_then(|ours| self.as_printed(ours, beside));
            values.push(match (figure, self.table.printed_as, &ours) {
                (Some(_), PrintedAs::Value, Some(ours)) => as_measured(ours),
                (Some(figure), _, _) => Value::number(format!("{} {unit}", signed(figure)), figure),
                (None, ..) => Value::none(),
            });
            values.push(match (figure, published) {
                (Some(ours), Some(published)) if self.table.printed_as == PrintedAs::Value => {
                    let percent = (ours / published - 1.0) * 100.0;
                    Value::number(format!("{} %", signed(percent)), percent)
                }
                (Some(ours), Some(published)) => {
                    let points = if unit == "%" { "points" } else { unit };
                    Value::number(format!("{} {points}", signed(ours - published)), ours - published)
                }
                _ => Value::none(),
            });
        }
        values.push(self.remarks(lacking));
        values
    }

    /// Ours as the study prints its own.
    fn as_printed(&self, ours: &Measured, beside: Option<f64>) -> Option<f64> {
        match self.table.printed_as {
            PrintedAs::Value => Some(ours.mean),
            PrintedAs::Change => Some((ours.mean / beside? - 1.0) * 100.0),
            PrintedAs::Difference => Some(ours.mean - beside?),
        }
    }

    fn remarks(&self, lacking: Option<String>) -> Value {
        let disputed = self.printed.disputed.get(&self.format.id).map(|why| format!("{why}."));
        let parts: Vec<String> =
            lacking.into_iter().chain(disputed).chain(self.printed.place.clone()).collect();
        if parts.is_empty() { Value::none() } else { Value::text(parts.join(" ")) }
    }
}

fn as_measured(ours: &Measured) -> Value {
    let (text, detail) = quantity::apart(ours.mean, ours.interval_95, &ours.unit);
    Value { text, detail, sort: Some(ours.mean), ..Value::default() }
}

fn ratio(value: Option<f64>, base: Option<f64>) -> Value {
    match (value, base) {
        (Some(value), Some(base)) if base != 0.0 => {
            let ratio = value / base;
            let text = if ratio < 0.1 { format!("{ratio:.4}") } else { format!("{ratio:.2}") };
            Value::number(text, ratio)
        }
        _ => Value::none(),
    }
}

/// One decimal with a sign, as changes are printed.
fn signed(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    if rounded == 0.0 { "0".to_owned() } else { format!("{rounded:+.1}") }
}

/// The average messages of the study for each of the rates that it names, by its formula.
pub fn averages(published: &Published, summary: &Summary) -> Option<Table> {
    let body = ["body".to_owned()];
    let mut rows = Vec::new();
    for message in &published.message {
        let Some(average) = &message.average else { continue };
        let mut rates = vec![average.with_per_s];
        rates.extend(average.other_rates_per_s.iter().copied().filter(|rate| *rate != average.with_per_s));
        for rate in rates {
            let mut values = vec![
                Value::text(&message.name),
                Value::number(format!("{rate} of {} /s", average.messages_per_s), rate),
            ];
            values.extend(published.format.iter().map(|format| {
                let ours = averaged(summary, &format.codec, average, rate, &body);
                ours.map_or_else(|_| Value::none(), |ours| as_measured(&ours))
            }));
            rows.push(Row { about: About::Other, values });
        }
    }
    let mut columns = vec![Column::words("message"), Column::numbers("with")];
    columns.extend(published.format.iter().map(|format| Column::numbers(&format.name)));
    let caption = "Average size at several rates of those that carry more, w of m messages a second: \
                   ((m - w) without + w with) / m. The first is the study's. ";
    let table = Table { id: "published-averages", caption: Sentence::plain(caption), columns, rows };
    (!table.rows.is_empty()).then_some(table)
}

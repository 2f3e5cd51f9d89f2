//! Printed numbers with the measured ones beside them.

use std::collections::BTreeMap;

use wiredyno_claims::{
    Format, Kind, Lack, Measured, Message, Of, PrintedAs, Protocol, Published, Row as Printed,
    Table as PublishedTable,
};
use wiredyno_claims::{averaged, kind, measured, metric_words};
use wiredyno_model::summary::Summary;

use crate::quantity;
use crate::sentence::Sentence;
use crate::table::{About, Column, Row, Table, Value};

/// The codecs that stand for the study's formats.
pub fn formats(published: &Published) -> Table {
    let row = |format: &Format| {
        let mut codec = Value::text(&format.codec);
        if !format.also.is_empty() {
            let also: Vec<String> = format.also.iter().map(ToString::to_string).collect();
            codec.detail = Some(format!("also {}", also.join(", ")));
        }
        let same = if format.own.is_some() { "yes" } else { "no" };
        let note = format.note.as_ref().map_or_else(Value::none, Value::text);
        let values =
            vec![Value::text(&format.name), Value::text(&format.theirs), codec, Value::text(same), note];
        Row { about: About::Other, values }
    };
    let columns = ["format", "the study measured", "here", "the study's own library", "note"];
    Table {
        id: "published-formats",
        caption: Sentence::plain("What stands in for the formats of the study."),
        columns: columns.into_iter().map(Column::words).collect(),
        rows: published.format.iter().map(row).collect(),
    }
}

/// The modes that stand for the study's protocols; `None` if it has none.
pub fn protocols(published: &Published) -> Option<Table> {
    let row = |protocol: &Protocol| {
        let mut mode = Value::text(&protocol.mode);
        if !protocol.also.is_empty() {
            let also: Vec<String> = protocol.also.iter().map(ToString::to_string).collect();
            mode.detail = Some(format!("also {}", also.join(", ")));
        }
        let same = if protocol.own.is_some() { "yes" } else { "no" };
        let note = protocol.note.as_ref().map_or_else(Value::none, Value::text);
        let values =
            vec![Value::text(&protocol.name), Value::text(&protocol.theirs), mode, Value::text(same), note];
        Row { about: About::Other, values }
    };
    let columns = ["protocol", "the study measured", "here", "the study's own library", "note"];
    let table = Table {
        id: "published-protocols",
        caption: Sentence::plain("What stands in for the protocols of the study."),
        columns: columns.into_iter().map(Column::words).collect(),
        rows: published.protocol.iter().map(row).collect(),
    };
    (!table.rows.is_empty()).then_some(table)
}

/// A format or a protocol of the study, whose figures a table or a picture shows.
#[derive(Clone, Copy)]
pub enum Subject<'a> {
    Format(&'a Format),
    Protocol(&'a Protocol),
}

impl<'a> Subject<'a> {
    /// The format or protocol with this id.
    pub fn find(published: &'a Published, id: &str) -> Option<Self> {
        let protocol = || published.protocol(id).map(Subject::Protocol);
        published.format(id).map(Subject::Format).or_else(protocol)
    }

    /// All of them, formats before protocols.
    pub fn all(published: &'a Published) -> impl Iterator<Item = Self> {
        published.format.iter().map(Subject::Format).chain(published.protocol.iter().map(Subject::Protocol))
    }

    pub fn id(self) -> &'a str {
        match self {
            Subject::Format(format) => &format.id,
            Subject::Protocol(protocol) => &protocol.id,
        }
    }

    pub fn name(self) -> &'a str {
        match self {
            Subject::Format(format) => &format.name,
            Subject::Protocol(protocol) => &protocol.name,
        }
    }

    /// The codec or mode that stands for it here.
    pub fn here(self) -> String {
        match self {
            Subject::Format(format) => format.codec.to_string(),
            Subject::Protocol(protocol) => protocol.mode.to_string(),
        }
    }

    /// Its figures for a message, at a place on axes.
    pub fn measured(
        self,
        published: &Published,
        summary: &Summary,
        message: &Message,
        metrics: &[String],
        places: &[&BTreeMap<String, String>],
    ) -> Result<Measured, Lack> {
        let sent_in = || message.format.as_ref().and_then(|id| published.format(id));
        let (format, protocol) = match self {
            Subject::Format(format) => (Some(format), None),
            Subject::Protocol(protocol) => (sent_in(), Some(protocol)),
        };
        let none = || Lack::NotRun(format!("no format carries `{}`", message.id));
        let format = format.ok_or_else(none)?;
        let placed = protocol.is_some() || places.iter().any(|place| !place.is_empty());
        if !Published::is_of_messages(metrics, placed) {
            return measured(summary, &format.codec, message, metrics, Of::Codec);
        }
        measured(summary, &format.codec, message, metrics, Of::Messages(&published.placed(protocol, places)))
    }
}

/// One table of the study.
pub fn table(published: &Published, summary: &Summary, table: &PublishedTable) -> Table {
    let times = kind(&table.metric) == Kind::Time;
    let baseline = table.baseline.as_ref().and_then(|id| Subject::find(published, id));
    // Times are compared relative to a format even if the study prints them as they are.
    let relative = times && table.printed_as == PrintedAs::Value;
    let placed = table.row.iter().any(|row| !row.at.is_empty());
    let of_protocols =
        table.row.iter().flat_map(|row| row.values.keys()).any(|id| published.protocol(id).is_some());
    let mut columns = vec![Column::words("message")];
    columns.extend(placed.then(|| Column::words("at")));
    columns.push(Column::words(if of_protocols { "protocol" } else { "format" }));
    columns.extend(["published", "measured"].map(Column::numbers));
    if relative {
        columns.push(Column::numbers("published, relative"));
        columns.push(Column::numbers("measured, relative"));
    } else {
        columns.push(Column::numbers("measured minus published"));
    }
    columns.push(Column::words("remarks"));
    let mut rows = Vec::new();
    for printed in &table.row {
        let Some(message) = published.message(&printed.message) else { continue };
        for subject in Subject::all(published) {
            let Some(text) = printed.values.get(subject.id()) else { continue };
            let line = Line { published, summary, table, printed, message, subject, baseline };
            let mut values = line.values(text, relative);
            if placed {
                values.insert(1, Value::text(place_words(&printed.at)));
            }
            rows.push(Row { about: About::Other, values });
        }
    }
    Table { id: "", caption: caption(table, baseline), columns, rows }
}

/// A place on axes in words: `5 % loss`.
pub fn place_words(at: &BTreeMap<String, String>) -> String {
    let value = |(axis, value): (&String, &String)| {
        let known = wiredyno_model::selection::plain_value(axis, value).unwrap_or_else(|_| value.clone());
        wiredyno_answers::value_name(axis, &known)
    };
    at.iter().map(value).collect::<Vec<_>>().join(", ")
}

fn caption(table: &PublishedTable, baseline: Option<Subject<'_>>) -> Sentence {
    let mut caption = Sentence::default().strong(format!("{}, {}.", table.title, table.place));
    caption = caption.then(format!(" Measured: {}", metric_words(&table.metric)));
    let against = baseline.map(Subject::name).unwrap_or_default();
    caption = match table.printed_as {
        PrintedAs::Value if baseline.is_some() => caption.then(format!("; relative to {against}")),
        PrintedAs::Value => caption,
        PrintedAs::Change => caption.then(format!("; change against {against}")),
        PrintedAs::Difference => caption.then(format!("; difference from {against}")),
    };
    let note = table.note.as_ref().map(|note| format!(". {note}")).unwrap_or_else(|| ".".to_owned());
    caption.then(note)
}

/// A printed number, with what is needed to compare it.
struct Line<'a> {
    published: &'a Published,
    summary: &'a Summary,
    table: &'a PublishedTable,
    printed: &'a Printed,
    message: &'a Message,
    subject: Subject<'a>,
    baseline: Option<Subject<'a>>,
}

impl Line<'_> {
    fn values(&self, text: &str, relative: bool) -> Vec<Value> {
        let unit = &self.table.unit;
        let published = self.printed.number(self.subject.id());
        let mut shown = Value::number(format!("{text} {unit}"), published.unwrap_or_default());
        if self.printed.disputed.contains_key(self.subject.id()) {
            shown.detail = Some("disputed".to_owned());
        }
        let of = |subject: Subject<'_>| {
            let places = [&self.table.at, &self.printed.at];
            subject.measured(self.published, self.summary, self.message, &self.table.metric, &places)
        };
        let ours = of(self.subject);
        let beside = self.baseline.map(|baseline| of(baseline).map(|value| value.mean));
        let beside = beside.and_then(Result::ok).filter(|beside| *beside > 0.0);
        let mut format = Value::text(self.subject.name());
        format.detail = Some(self.subject.here());
        let mut values = vec![Value::text(&self.message.name), format, shown];
        let lacking = ours.as_ref().err().map(ToString::to_string);
        let ours = ours.ok();
        if relative {
            values.push(ours.as_ref().map_or_else(Value::none, as_measured));
            let base = self.baseline.and_then(|baseline| self.printed.number(baseline.id()));
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
                (Some(ours), Some(published))
                    if self.table.printed_as == PrintedAs::Value && published != 0.0 =>
                {
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

    /// The measured value in the form that the study prints.
    fn as_printed(&self, ours: &Measured, beside: Option<f64>) -> Option<f64> {
        match self.table.printed_as {
            PrintedAs::Value => in_printed_unit(ours.mean, &ours.unit, &self.table.unit),
            PrintedAs::Change => Some((ours.mean / beside? - 1.0) * 100.0),
            PrintedAs::Difference => in_printed_unit(ours.mean - beside?, &ours.unit, &self.table.unit),
        }
    }

    fn remarks(&self, lacking: Option<String>) -> Value {
        let disputed = self.printed.disputed.get(self.subject.id()).map(|why| format!("{why}."));
        let parts: Vec<String> =
            lacking.into_iter().chain(disputed).chain(self.printed.place.clone()).collect();
        if parts.is_empty() { Value::none() } else { Value::text(parts.join(" ")) }
    }
}

/// Converts a number from the summary's unit to the printed one: KB and MB are thousands; `of 1,048,575` is a share of that many. `None`
/// if it can't be converted.
fn in_printed_unit(value: f64, unit: &str, printed: &str) -> Option<f64> {
    let times = match (unit, printed) {
        (_, "") => 1.0,
        (unit, printed) if unit == printed => 1.0,
        ("ns", "us") => 1e-3,
        ("ns", "ms") => 1e-6,
        ("ns", "s") => 1e-9,
        ("bytes", "B") => 1.0,
        ("bytes", "KB") => 1e-3,
        ("bytes", "MB") => 1e-6,
        ("bytes", "GB") => 1e-9,
        ("ratio", "%") => 100.0,
        ("per_s", "records/s") => 1.0,
        ("ratio", printed) => printed.strip_prefix("of ")?.replace(',', "").parse().ok()?,
        _ => return None,
    };
    Some(value * times)
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

/// One decimal with a sign, the form of printed changes.
fn signed(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    if rounded == 0.0 { "0".to_owned() } else { format!("{rounded:+.1}") }
}

/// The study's average messages for each of the rates that it names, by its formula.
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
                let ours = averaged(summary, &format.codec, average, rate, &body, Of::Codec);
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

/// Numbers of the publication that belong to no table; `None` where there are none.
pub fn numbers(published: &Published) -> Option<Table> {
    let row = |number: &wiredyno_claims::Number| {
        let note = number.note.as_ref().map_or_else(Value::none, Value::text);
        let values =
            vec![Value::text(&number.says), Value::text(&number.value), Value::text(&number.place), note];
        Row { about: About::Other, values }
    };
    let table = Table {
        id: "published-numbers",
        caption: Sentence::plain("What else the study prints; only claims compare it with a run."),
        columns: ["what", "published", "where", "remarks"].into_iter().map(Column::words).collect(),
        rows: published.number.iter().map(row).collect(),
    };
    (!table.rows.is_empty()).then_some(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_in_the_unit_that_is_printed() {
        for (value, unit, printed, expected) in [
            (5_870_000.0, "bytes", "MB", Some(5.87)),
            (1_500_000.0, "ns", "ms", Some(1.5)),
            (0.221, "ratio", "%", Some(22.1)),
            (0.08, "ratio", "of 1,048,575", Some(83_886.0)),
            (41.0, "bytes", "bytes", Some(41.0)),
            (1.0, "ns", "MB", None),
        ] {
            let ours = in_printed_unit(value, unit, printed);
            let near = ours.zip(expected).is_some_and(|(ours, expected)| (ours - expected).abs() < 1e-9);
            assert!(near || ours == expected, "{value} {unit} {printed}: {ours:?}");
        }
    }
}

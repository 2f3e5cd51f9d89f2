//! The tables of codec trials: codecs grouped by format, the bytes of every codec and payload, and the best few where
//! there is little room.
//!
//! A format's codecs are listed together, formats in the order of their families, which codecs declare.

use std::collections::BTreeMap;

use wiredyno_contract::PayloadId;
use wiredyno_model::CodecCell;
use wiredyno_model::family::Family;
use wiredyno_model::summary::{CodecSummary, Summary};

use crate::finding::best_codecs;
use crate::metric::{self, Scope};
use crate::quantity;
use crate::ranking::payloads;
use crate::sentence::Sentence;
use crate::table::{About, Column, Groups, Row, Table, Value};
use crate::tables::{mean, properties, trials};

/// With more rows of codecs than this, text shows the best few and the page uses small rows.
pub const MANY: usize = 16;

/// Most rows of the best few, over all payloads, that fit a screen.
const BEST_ROWS: usize = 30;

/// Whether there are too many codec trials to show all in text.
pub fn many(summary: &Summary) -> bool {
    summary.codecs.len() > MANY
}

/// Number of codecs and formats of a summary.
pub fn extent(summary: &Summary) -> (usize, usize) {
    let codecs = &summary.study.axes.codec;
    let mut formats: Vec<&str> = codecs.iter().map(|codec| codec.format.as_str()).collect();
    formats.sort_unstable();
    formats.dedup();
    (codecs.len(), formats.len())
}

/// The families of the formats in a summary.
pub fn families(summary: &Summary) -> BTreeMap<&str, Family> {
    Family::of_formats(&summary.codecs_described)
}

/// The position of a compression among those of the study.
fn compression_place(summary: &Summary, axes: &CodecCell) -> usize {
    let compressions = &summary.study.axes.compression;
    compressions.iter().position(|known| *known == axes.compression).unwrap_or(compressions.len())
}

/// Indices in `codecs`: payloads and compressions in the order of the study, formats by family, codecs by name.
fn in_order(summary: &Summary) -> Vec<usize> {
    let families = families(summary);
    let payloads = &summary.study.axes.payload;
    let key = |place: &usize| {
        let axes = &summary.codecs[*place].axes;
        let payload = payloads.iter().position(|payload| *payload == axes.payload);
        let family = families.get(axes.codec.format.as_str()).copied().unwrap_or(Family::Plain);
        (payload.unwrap_or(payloads.len()), family, axes.codec.clone(), compression_place(summary, axes))
    };
    let mut places: Vec<usize> = (0..summary.codecs.len()).collect();
    places.sort_by_cached_key(key);
    places
}

/// Codec trials, grouped by payload and format.
pub fn codecs(summary: &Summary) -> Table {
    let measured = metric::columns(Scope::Codec, |name| {
        summary.codecs.iter().any(|codec| codec.metrics.contains_key(name))
    });
    let compresses = summary.study.axes.compresses();
    let mut columns = vec![
        Column::group("payload", Groups::Apart),
        Column::group("format", Groups::Together),
        Column::words("codec"),
    ];
    columns.extend(compresses.then(|| Column::words("compression")));
    columns.push(Column::numbers("trials"));
    columns.extend(measured.iter().map(|column| Column::numbers(column.heading)));
    columns.push(Column::words("properties"));
    let best = |name: &str| best_codecs(summary, &metric::describe(Scope::Codec, name));
    let best: Vec<_> = measured.iter().map(|column| best(column.name)).collect();
    let mut above: Option<&CodecCell> = None;
    let mut rows = Vec::new();
    for place in in_order(summary) {
        let codec = &summary.codecs[place];
        let same_payload = above.is_some_and(|above| above.payload == codec.axes.payload);
        let same_format = above.is_some_and(|above| above.codec.format == codec.axes.codec.format);
        let mut values = vec![
            Value { repeats: same_payload, ..Value::text(&codec.axes.payload) },
            Value { repeats: same_payload && same_format, ..Value::text(&codec.axes.codec.format) },
            Value::text(&codec.axes.codec),
        ];
        values.extend(compresses.then(|| Value::text(&codec.axes.compression)));
        values.push(trials(codec.valid_trials, codec.trials));
        let figures = measured.iter().zip(&best);
        values.extend(
            figures.map(|(column, best)| mean(codec.metrics.get(column.name)).marked(best.contains(&place))),
        );
        values.push(Value::text(declared(summary, codec)));
        rows.push(Row { about: About::Codec(place), values });
        above = Some(&codec.axes);
    }
    Table {
        id: "codec-table",
        caption: Sentence::plain(
            "Time of one operation on one message: mean over trials with its 95 % interval. Heap and stack are peaks of \
             one call, measured in a separate pass without timing. Properties are declared by the implementation and \
             matter for fairness. Bold: the best of a payload, and what can't be distinguished from it. Sorting keeps payloads apart, and formats together unless the filters say otherwise.",
        ),
        columns,
        rows,
    }
}

/// The properties that a codec declares.
fn declared(summary: &Summary, codec: &CodecSummary) -> String {
    let described = summary.codecs_described.iter().find(|described| described.id == codec.axes.codec);
    described.map(|described| properties(&described.capabilities)).unwrap_or_default()
}

/// The mean of a metric; `None` if no valid trial has it.
fn mean_of(codec: &CodecSummary, name: &str) -> Option<f64> {
    let metric = codec.metrics.get(name).filter(|_| codec.valid_trials > 0)?;
    metric.mean.is_finite().then_some(metric.mean)
}

/// Bytes of one message: a row for each codec, a column for each payload, coloured by the factor over the smallest.
pub fn sizes(summary: &Summary) -> Table {
    let payloads = payloads(summary);
    let bytes = |payload: &PayloadId, name: &str| {
        let found = summary.codecs.iter().find(|c| c.axes.payload == *payload && c.axes.coding() == name);
        found.and_then(|codec| mean_of(codec, "body"))
    };
    let of_payload = |payload: &PayloadId| {
        let codecs = summary.codecs.iter().filter(move |codec| codec.axes.payload == *payload);
        codecs.filter_map(|codec| mean_of(codec, "body")).collect::<Vec<f64>>()
    };
    let ranges: Vec<(f64, f64)> = payloads
        .iter()
        .map(|payload| {
            let all = of_payload(payload);
            (all.iter().copied().fold(f64::MAX, f64::min), all.iter().copied().fold(0.0, f64::max))
        })
        .collect();
    let mut columns = vec![Column::group("format", Groups::Together), Column::words("codec")];
    columns.extend(payloads.iter().map(|payload| Column {
        payload: Some(payload.to_string()),
        ..Column::numbers(payload.to_string())
    }));
    let mut seen: Vec<String> = Vec::new();
    let mut rows: Vec<Row> = Vec::new();
    let mut format_above = "";
    let mut places = in_order(summary);
    let families = families(summary);
    // Not by payload here: a codec that the first payload lacks is still listed with its format.
    places.sort_by_key(|&place| {
        let axes = &summary.codecs[place].axes;
        let family = families.get(axes.codec.format.as_str()).copied().unwrap_or(Family::Plain);
        (family, axes.codec.clone(), compression_place(summary, axes))
    });
    for place in places {
        let axes = &summary.codecs[place].axes;
        let name = axes.coding();
        if seen.contains(&name) {
            continue;
        }
        let format = axes.codec.format.as_str();
        let mut values =
            vec![Value { repeats: format == format_above, ..Value::text(format) }, Value::text(&name)];
        values
            .extend(payloads.iter().zip(&ranges).map(|(payload, range)| heat(bytes(payload, &name), *range)));
        rows.push(Row { about: About::AnyPayload(place), values });
        format_above = format;
        seen.push(name);
    }
    Table {
        id: "size-table",
        caption: Sentence::plain(
            "Bytes of one message, mean over the payload's samples; beside it, the factor over the payload's \
             smallest. Stronger colour means larger, on a logarithmic scale for each payload. A dash: can't be \
             carried, or not measured.",
        ),
        columns,
        rows,
    }
}

/// A number of bytes, coloured by its position between the smallest and the largest of its payload.
fn heat(bytes: Option<f64>, (least, most): (f64, f64)) -> Value {
    let Some(bytes) = bytes else { return Value::none() };
    let known = least > 0.0 && most > least;
    Value {
        detail: (least > 0.0).then(|| format!("{:.2}\u{d7}", bytes / least)),
        heat: known.then(|| (bytes / least).ln() / (most / least).ln()),
        ..Value::number(quantity::quantity(bytes, "bytes"), bytes)
    }
}

/// The best few of each payload, smallest and fastest side by side: as many as fit a screen.
pub fn best_few(summary: &Summary) -> Table {
    let payloads = payloads(summary);
    let each = (BEST_ROWS / payloads.len().max(1)).clamp(1, 3);
    let ranked = |payload: &PayloadId, name: &str| {
        let of_payload = summary.codecs.iter().filter(|codec| codec.axes.payload == *payload);
        let mut all: Vec<(&CodecSummary, f64)> =
            of_payload.filter_map(|codec| Some((codec, mean_of(codec, name)?))).collect();
        all.sort_by(|a, b| a.1.total_cmp(&b.1));
        all.truncate(each);
        all.into_iter().map(|(codec, value)| (codec.axes.coding(), value)).collect::<Vec<_>>()
    };
    let mut rows = Vec::new();
    for payload in payloads.iter().take(BEST_ROWS) {
        let (smallest, quickest) = (ranked(payload, "body"), ranked(payload, "total"));
        for rank in 0..smallest.len().max(quickest.len()) {
            let mut values = vec![Value { repeats: rank > 0, ..Value::text(payload) }];
            for (ranking, unit) in [(&smallest, "bytes"), (&quickest, "ns")] {
                match ranking.get(rank) {
                    Some((name, value)) => values
                        .extend([Value::text(name), Value::number(quantity::quantity(*value, unit), *value)]),
                    None => values.extend([Value::default(), Value::default()]),
                }
            }
            rows.push(Row { about: About::Other, values });
        }
    }
    let (codecs, formats) = extent(summary);
    let untold = match payloads.len().saturating_sub(BEST_ROWS) {
        0 => String::new(),
        more => format!(" {more} more payloads were measured."),
    };
    Table {
        id: "best-few-table",
        caption: Sentence::plain(format!(
            "The best few of {codecs} codecs of {formats} formats, by means alone. report.html has all of them, with intervals \
             and ties; summary.json has the figures.{untold}"
        )),
        columns: vec![
            Column::words("payload"),
            Column::words("smallest"),
            Column::numbers("body"),
            Column::words("quickest"),
            Column::numbers("all phases"),
        ],
        rows,
    }
}

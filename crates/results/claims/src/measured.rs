//! A run's figures for a format and a message of a study, from codec trials or message trials.

use std::collections::BTreeMap;

use wiredyno_contract::{CodecId, CompressionId, PayloadId};
use wiredyno_model::summary::{CellSummary, Metric, Part, Summary};
use wiredyno_model::{About, Cell, CodecCell, Scope, metric};

use crate::published::{Average, Message};

/// What a metric depends on, which decides what may be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Bytes of messages: depends on the format alone.
    Size,
    /// Time, and counts per time: depends on the implementation and the machine.
    Time,
    /// Heap and stack, or a whole process: depends on the implementation.
    Memory,
    /// Bytes on the wire, packets, shares: depends on the implementation.
    Count,
}

/// The kind of a sum of metrics.
pub fn kind(metrics: &[String]) -> Kind {
    let about = |name: &String| {
        let found = [Scope::Codec, Scope::Message].into_iter().find_map(|scope| metric::find(scope, name));
        found.map_or(About::Time, |info| info.about)
    };
    let abouts: Vec<About> = metrics.iter().map(about).collect();
    let any = |of: &[About]| abouts.iter().any(|about| of.contains(about));
    if abouts.iter().all(|about| *about == About::Size) {
        Kind::Size
    } else if any(&[About::Heap, About::Process]) {
        Kind::Memory
    } else if any(&[About::Time]) {
        Kind::Time
    } else {
        Kind::Count
    }
}

/// A sum of metrics as verdicts name it: `encode_fresh_peak + encode_fresh_stack`.
pub fn metric_words(metrics: &[String]) -> String {
    metrics.join(" + ")
}

/// A sum of metrics of one codec and message.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The mean of each valid trial, by its repeat; for a sum, the repeats that all parts have.
    pub by_repeat: BTreeMap<u32, f64>,
    /// Mean over trials, in `unit`.
    pub mean: f64,
    /// 95 % interval of the mean, for a single metric of a single payload that has one.
    pub interval_95: Option<[f64; 2]>,
    /// Unit in the summary, such as `ns`.
    pub unit: String,
    /// Smallest, median and largest observation, for a single metric of a single payload.
    pub range: Option<[f64; 3]>,
}

/// Why there is no figure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Lack {
    /// The machine can't provide it, for this reason.
    #[error("{0}")]
    NotHad(String),
    /// The run has no such trials; the text says which.
    #[error("{0}")]
    NotRun(String),
}

/// The trials that are used.
#[derive(Debug, Clone, Copy)]
pub enum Of<'a> {
    /// Codec trials, without messages.
    Codec,
    /// Message trials of the cell with these values on axes.
    Messages(&'a BTreeMap<String, String>),
}

/// The figures of one codec for a message, or why there are none.
///
/// # Errors
/// With what the run lacks.
pub fn measured(
    summary: &Summary,
    codec: &CodecId,
    message: &Message,
    metrics: &[String],
    of: Of<'_>,
) -> Result<Measured, Lack> {
    match (&message.payload, &message.average) {
        (Some(payload), _) => sum(summary, codec, payload, metrics, of),
        (None, Some(average)) => averaged(summary, codec, average, average.with_per_s, metrics, of),
        (None, None) => {
            let each = message.sum.iter().map(|payload| sum(summary, codec, payload, metrics, of));
            let each: Vec<Measured> = each.collect::<Result<_, _>>()?;
            let whole = each.into_iter().reduce(added);
            whole.ok_or_else(|| Lack::NotRun(format!("no payload stands in for `{}`", message.id)))
        }
    }
}

/// Adds two figures, for the repeats that both have.
fn added(one: Measured, other: Measured) -> Measured {
    let by_repeat = one.by_repeat.iter();
    let by_repeat =
        by_repeat.filter_map(|(repeat, value)| Some((*repeat, value + other.by_repeat.get(repeat)?)));
    Measured {
        by_repeat: by_repeat.collect(),
        mean: one.mean + other.mean,
        interval_95: None,
        unit: one.unit,
        range: None,
    }
}

/// The study's formula for the average message: s = ((m - w) s_without + w s_with) / m.
///
/// # Errors
/// With what the run lacks.
pub fn averaged(
    summary: &Summary,
    codec: &CodecId,
    average: &Average,
    with_per_s: f64,
    metrics: &[String],
    of: Of<'_>,
) -> Result<Measured, Lack> {
    let share = with_per_s / average.messages_per_s;
    let weighed = |payload: &PayloadId, weight: f64| -> Result<Measured, Lack> {
        let measured = sum(summary, codec, payload, metrics, of)?;
        let by_repeat = measured.by_repeat.iter().map(|(repeat, value)| (*repeat, value * weight)).collect();
        Ok(Measured { by_repeat, mean: measured.mean * weight, ..measured })
    };
    Ok(added(weighed(&average.without, 1.0 - share)?, weighed(&average.with, share)?))
}

fn sum(
    summary: &Summary,
    codec: &CodecId,
    payload: &PayloadId,
    metrics: &[String],
    of: Of<'_>,
) -> Result<Measured, Lack> {
    let found = match of {
        Of::Codec => codec_metrics(summary, codec, payload)?,
        Of::Messages(at) => &cell(summary, codec, payload, at)?.metrics,
    };
    let mut parts: Vec<&Metric> = Vec::new();
    for name in metrics {
        let lacks = || Lack::NotRun(format!("`{name}` was not measured for {}", words(payload, codec, of)));
        let metric = found.get(name).ok_or_else(lacks)?;
        if let Some(coverage) = metric.coverage.filter(|_| !metric.is_covered()) {
            let of = words(payload, codec, of);
            return Err(Lack::NotRun(format!("`{name}` is known of {coverage} messages only for {of}")));
        }
        parts.push(metric);
    }
    let [first, rest @ ..] = parts.as_slice() else {
        return Err(Lack::NotRun("no metric is named".to_owned()));
    };
    let by_repeat = first.by_repeat.iter().filter_map(|(repeat, value)| {
        let rest: Option<f64> = rest.iter().map(|metric| metric.by_repeat.get(repeat).copied()).sum();
        Some((*repeat, value + rest?))
    });
    Ok(Measured {
        by_repeat: by_repeat.collect(),
        mean: parts.iter().map(|metric| metric.mean).sum(),
        interval_95: if rest.is_empty() { first.interval_95 } else { None },
        unit: first.unit.clone(),
        range: rest.is_empty().then_some([first.min, first.median, first.max]),
    })
}

/// A payload and codec, with the place on axes, in words.
pub(crate) fn words(payload: &PayloadId, codec: &CodecId, of: Of<'_>) -> String {
    match of {
        Of::Codec => format!("{payload} in {codec}"),
        Of::Messages(at) => format!("{payload} in {codec} at {}", place_words(at)),
    }
}

/// Values on axes in words: `loss 0.05, mode mqtt:qos1`.
pub(crate) fn place_words(at: &BTreeMap<String, String>) -> String {
    at.iter().map(|(axis, value)| format!("{axis} {value}")).collect::<Vec<_>>().join(", ")
}

/// The codec trials of a payload and a codec, without compression.
fn codec_metrics<'a>(
    summary: &'a Summary,
    codec: &CodecId,
    payload: &PayloadId,
) -> Result<&'a BTreeMap<String, Metric>, Lack> {
    let is_it =
        |cell: &CodecCell| cell.payload == *payload && cell.codec == *codec && cell.compression.is_none();
    let mut trials = summary.codecs.iter().filter(|trials| is_it(&trials.axes));
    match trials.next() {
        Some(trials) if trials.valid_trials > 0 => Ok(&trials.metrics),
        Some(_) => Err(Lack::NotRun(format!("{payload} has no valid trial in {codec}"))),
        None => {
            let is_it = |part: &Part| matches!(part, Part::Codec(cell) if is_it(cell));
            Err(absent(summary, is_it, format!("{payload} in {codec}")))
        }
    }
}

/// The cell with these values.
fn cell<'a>(
    summary: &'a Summary,
    codec: &CodecId,
    payload: &PayloadId,
    at: &BTreeMap<String, String>,
) -> Result<&'a CellSummary, Lack> {
    let mut cells = summary.cells.iter().filter(|cell| is_of(&cell.axes, codec, payload, at));
    let place = words(payload, codec, Of::Messages(at));
    match (cells.next(), cells.next()) {
        (Some(cell), None) if cell.valid_trials > 0 => Ok(cell),
        (Some(_), None) => Err(Lack::NotRun(format!("{place} has no complete trial"))),
        (Some(one), Some(other)) => {
            let names = summary.study.axes.names();
            let open = names.iter().filter(|axis| one.axes.value(axis) != other.axes.value(axis));
            let open: Vec<&str> = open.copied().collect();
            Err(Lack::NotRun(format!("{place} is several cells: add its value of {}", open.join(", "))))
        }
        (None, _) => {
            let is_it = |part: &Part| match part {
                Part::Cell(cell) => is_of(cell, codec, payload, at),
                Part::Codec(cell) | Part::MessagesOf(cell) => {
                    cell.payload == *payload && cell.codec == *codec && is_compressed(cell, at)
                }
                Part::Secured { mode, security } => {
                    let is = |axis: &str, value: String| at.get(axis).is_some_and(|own| *own == value);
                    is("mode", mode.to_string()) && is("security", security.to_string())
                }
            };
            Err(absent(summary, is_it, place))
        }
    }
}

/// Whether a cell has a payload, a codec and these values; without compression if the values name none.
pub(crate) fn is_of(
    cell: &Cell,
    codec: &CodecId,
    payload: &PayloadId,
    at: &BTreeMap<String, String>,
) -> bool {
    let plain = at.contains_key("compression") || cell.compression.is_none();
    let ours = cell.payload == *payload && cell.codec == *codec;
    ours && plain && at.iter().all(|(axis, value)| has(cell, axis, value))
}

/// Whether bytes are compressed as these values require; uncompressed if they name nothing.
fn is_compressed(cell: &CodecCell, at: &BTreeMap<String, String>) -> bool {
    match at.get("compression") {
        Some(compression) => compression.parse().is_ok_and(|id: CompressionId| id == cell.compression),
        None => cell.compression.is_none(),
    }
}

/// Whether a cell has a value on an axis; loopback loses nothing.
fn has(cell: &Cell, axis: &str, value: &str) -> bool {
    match cell.value(axis) {
        Some(known) => known == value,
        None => axis == "loss" && value == "0" && cell.link.is_loopback(),
    }
}

/// Why there are no figures: the run's reason, or that it has none.
fn absent(summary: &Summary, is_it: impl Fn(&Part) -> bool, place: String) -> Lack {
    match summary.not_run.iter().find(|not_run| not_run.part.as_ref().is_some_and(&is_it)) {
        Some(not_run) => Lack::NotHad(format!("{place} did not run: {}", not_run.why)),
        None => Lack::NotRun(format!("the run has no trials of {place}")),
    }
}

//! What a run measured of a format and a message of a study.

use std::collections::BTreeMap;

use wiredyno_model::summary::{CodecSummary, Metric, Summary};
use wiredyno_model::{CodecId, PayloadId};

use crate::published::{Average, Message};

/// What a metric is about, which decides what may be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Bytes of messages: a property of the format, whoever writes it.
    Size,
    /// Time: of the implementation and the machine.
    Time,
    /// Heap and stack, or a whole process: of the implementation.
    Memory,
}

/// The kind of a sum of metrics.
pub fn kind(metrics: &[String]) -> Kind {
    let memory = |name: &String| {
        ["_peak", "_stack", "_allocated", "_allocations"].iter().any(|ending| name.ends_with(ending))
            || name.starts_with("resident_")
    };
    if metrics.iter().all(|name| name.starts_with("body")) {
        Kind::Size
    } else if metrics.iter().any(memory) {
        Kind::Memory
    } else {
        Kind::Time
    }
}

/// `encode_fresh_peak + encode_fresh_stack`: a sum of metrics as verdicts name it.
pub fn metric_words(metrics: &[String]) -> String {
    metrics.join(" + ")
}

/// A sum of metrics of one codec and message.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The mean of each valid trial, by its repeat; of a sum the repeats that all parts have.
    pub by_repeat: BTreeMap<u32, f64>,
    /// Mean over trials.
    pub mean: f64,
    /// 95 % interval of the mean, for a single metric of a single payload that has one.
    pub interval_95: Option<[f64; 2]>,
    /// Unit of the summary.
    pub unit: String,
    /// Smallest, median and largest observation, for a single metric of a single payload.
    pub range: Option<[f64; 3]>,
}

/// The figures of one codec for a message, or why there are none.
///
/// # Errors
/// A sentence: what the run does not have.
pub fn measured(
    summary: &Summary,
    codec: &CodecId,
    message: &Message,
    metrics: &[String],
) -> Result<Measured, String> {
    match (&message.payload, &message.average) {
        (Some(payload), _) => sum(summary, codec, payload, metrics),
        (None, Some(average)) => averaged(summary, codec, average, average.with_per_s, metrics),
        (None, None) => Err(format!("`{}` stands for no payload", message.id)),
    }
}

/// The study's formula for the average message: s = ((m - w) s_without + w s_with) / m.
///
/// # Errors
/// A sentence: what the run does not have.
pub fn averaged(
    summary: &Summary,
    codec: &CodecId,
    average: &Average,
    with_per_s: f64,
    metrics: &[String],
) -> Result<Measured, String> {
    let without = sum(summary, codec, &average.without, metrics)?;
    let with = sum(summary, codec, &average.with, metrics)?;
    let share = with_per_s / average.messages_per_s;
    let mix = |without: f64, with: f64| without * (1.0 - share) + with * share;
    let by_repeat = without.by_repeat.iter();
    let by_repeat: BTreeMap<u32, f64> = by_repeat
        .filter_map(|(repeat, &value)| Some((*repeat, mix(value, *with.by_repeat.get(repeat)?))))
        .collect();
    Ok(Measured {
        by_repeat,
        mean: mix(without.mean, with.mean),
        interval_95: None,
        unit: without.unit,
        range: None,
    })
}

/// The codec trials of a payload and a codec, its bytes left as they are.
fn find<'a>(summary: &'a Summary, payload: &PayloadId, codec: &CodecId) -> Option<&'a CodecSummary> {
    let name = format!("{payload} {codec}");
    summary.codecs.iter().find(|codec| codec.axes.to_string() == name && codec.valid_trials > 0)
}

fn sum(
    summary: &Summary,
    codec: &CodecId,
    payload: &PayloadId,
    metrics: &[String],
) -> Result<Measured, String> {
    let Some(trials) = find(summary, payload, codec) else {
        return Err(absent(summary, payload, codec));
    };
    let mut parts: Vec<&Metric> = Vec::new();
    for name in metrics {
        let lacks = || format!("`{name}` was not measured for {payload} in {codec}");
        parts.push(trials.metrics.get(name).ok_or_else(lacks)?);
    }
    let [first, rest @ ..] = parts.as_slice() else {
        return Err("no metric is named".to_owned());
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

/// Why a payload and a codec have no figures.
fn absent(summary: &Summary, payload: &PayloadId, codec: &CodecId) -> String {
    let name = format!("{payload} {codec}");
    if let Some(not_run) = summary.not_run.iter().find(|not_run| not_run.what == name) {
        return format!("{payload} did not run in {codec}: {}", not_run.why);
    }
    let invalid = summary.codecs.iter().any(|codec| codec.axes.to_string() == name);
    if invalid {
        format!("{payload} has no valid trial in {codec}")
    } else {
        format!("the run has no trials of {payload} in {codec}")
    }
}

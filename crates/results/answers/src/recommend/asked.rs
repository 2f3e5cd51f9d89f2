//! The request: needs and weights, as users write them.

use wiredyno_contract::LoadKind;
use wiredyno_model::Figure;
use wiredyno_model::figure::Statistic;
use wiredyno_model::summary::Summary;

use crate::limit::Limit;

/// A need: a figure with its limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Need {
    /// The figure that is limited.
    pub figure: Figure,
    /// The limit that it must keep.
    pub limit: Limit,
    /// The text as written, such as `lost=0`.
    pub text: String,
    /// Whether it is assumed, because the user named none.
    pub is_default: bool,
}

/// The option that a need is written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// With `--need`: the figure may reach the limit.
    AtMost,
    /// With `--below`: it must stay below.
    Below,
    /// With `--above`: it must stay above.
    Above,
}

/// A metric that is weighed, with its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Weight {
    /// As written: a metric, or one of the short names.
    pub name: String,
    /// Metrics whose sum is weighed.
    pub metrics: Vec<String>,
    /// The weight, above 0.
    pub weight: f64,
}

/// What is wrong about a need or a weight.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{option} {text}: {problem}")]
pub struct BadOption {
    option: &'static str,
    text: String,
    problem: String,
}

/// Short names of what users weigh, each with the metrics that are summed: for messages, and for codecs alone.
const SHORT: [(&str, &[&str], &[&str]); 4] = [
    ("bytes", &["wire_per_message"], &["body"]),
    ("cpu", &["publisher_cpu_per_message", "subscriber_cpu_per_delivery"], &["total"]),
    ("time", &["latency"], &["total"]),
    ("memory", &["publisher_memory", "subscriber_memory"], &["encode_peak", "decode_peak"]),
];

/// What is weighed by default: the rate if the load is as high as a path carries, else bytes and time. Where no bytes on the wire were counted,
/// as on loopback, those of the body.
pub fn usual(summary: &Summary) -> &'static str {
    match summary.study.load.as_ref().map(|load| load.kind).filter(|_| !summary.cells.is_empty()) {
        Some(LoadKind::Search) => "sustained_rate",
        Some(LoadKind::Batch) => "throughput",
        _ if !has(summary, "wire_per_message") && has(summary, "body") => "body=1,time=1",
        _ => "bytes=1,time=1",
    }
}

fn has(summary: &Summary, metric: &str) -> bool {
    let of_messages = |cell: &wiredyno_model::summary::CellSummary| cell.metrics.contains_key(metric);
    match summary.cells.is_empty() {
        true => metric == "wire_per_message",
        false => summary.cells.iter().any(of_messages),
    }
}

/// The share of messages that may be lost by default.
const DEFAULT_LOST: &str = "lost=1%";

impl Need {
    /// Reads `lost=0`, `latency.p99=200ms`; `kind` is that of the option.
    ///
    /// # Errors
    /// What is wrong and what to write.
    pub fn parse(option: &'static str, text: &str, kind: Kind) -> Result<Need, BadOption> {
        let bad = |problem: String| BadOption { option, text: text.to_owned(), problem };
        let (figure, limit) = text
            .split_once('=')
            .ok_or_else(|| bad("write a figure, an equals sign and a limit, for example lost=0".into()))?;
        let figure: Figure = figure.parse().map_err(|error| bad(format!("{error}")))?;
        let limit = figure.quantity(limit).map_err(|error| bad(error.to_string()))?;
        if figure.metric == "lost" && figure.statistic != Statistic::Mean {
            return Err(bad(
                "messages lost are counted over all trials: write lost without a statistic, as in lost=1%"
                    .into(),
            ));
        }
        let limit = match kind {
            Kind::AtMost => Limit::AtMost(limit),
            Kind::Below => Limit::Below(limit),
            Kind::Above => Limit::Above(limit),
        };
        Ok(Need { figure, limit, text: text.to_owned(), is_default: false })
    }

    /// These, with the default where messages are sent: that at most 1 % are lost, unless a need says otherwise.
    ///
    /// # Errors
    /// None that is known: the text is the program's own.
    pub fn with_default(mut needs: Vec<Need>, messages: bool) -> Result<Vec<Need>, BadOption> {
        if messages && !needs.iter().any(|need| need.figure.metric == "lost") {
            let lost = Need::parse("--need", DEFAULT_LOST, Kind::AtMost)?;
            needs.insert(0, Need { is_default: true, ..lost });
        }
        Ok(needs)
    }
}

impl Weight {
    /// Reads `bytes=2,latency=1`, for a run with messages or without.
    ///
    /// # Errors
    /// What is wrong and what to write.
    pub fn parse(text: &str, messages: bool) -> Result<Vec<Weight>, BadOption> {
        let bad = |problem: String| BadOption { option: "--weigh", text: text.to_owned(), problem };
        let one = |part: &str| {
            let (name, weight) = part.split_once('=').unwrap_or((part, "1"));
            let name = name.trim().to_owned();
            let weight: f64 = weight.trim().parse().unwrap_or(f64::NAN);
            if !(weight > 0.0 && weight.is_finite()) {
                return Err(bad(format!(
                    "the weight of `{name}` must be a number above 0, for example {name}=2"
                )));
            }
            if let Some((_, of_messages, of_codecs)) = SHORT.iter().find(|(short, ..)| *short == name) {
                let metrics = if messages { of_messages } else { of_codecs };
                return Ok(Weight {
                    name,
                    metrics: metrics.iter().map(ToString::to_string).collect(),
                    weight,
                });
            }
            let figure: Figure = name.parse().map_err(|error| bad(format!("{error}")))?;
            if figure.statistic != Statistic::Mean {
                return Err(bad("means over trials are weighed: leave out the part after the point".into()));
            }
            Ok(Weight { name, metrics: vec![figure.metric], weight })
        };
        let weights: Vec<Weight> = text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(one)
            .collect::<Result<_, _>>()?;
        if weights.is_empty() {
            return Err(bad("name at least one metric, for example bytes=1,time=1".into()));
        }
        Ok(weights)
    }
}

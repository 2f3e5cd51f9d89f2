//! Thresholds: bounds that a study's figures must keep.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wiredyno_contract::Factor;

use crate::AXES;
use crate::figure::{Figure, Statistic};
use crate::place::{Place, Refusal};
use crate::selection::{Selection, is_axis, plain_value};

/// A threshold as written: a limit, or how much worse a figure may be than in a stored run or at a base value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    /// The figure: a metric's name in `summary.json`, followed by `.median`, `.p99` or `.max` if it is not the mean.
    pub metric: String,
    /// The cells it applies to, as in `mode=mqtt:*; loss=0`; all that have the metric when left out.
    #[serde(rename = "where", default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<String>,
    /// The figure must be below this: `"200ms"`, `"1.2kB"`, `"1%"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<String>,
    /// The figure must be above this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<String>,
    /// The folder of a run that the figure must not be worse than.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub than: Option<String>,
    /// A value of the same study that the others are compared with, as in `codec=json/serde-json`: the figure must not be worse than there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// How much worse it may be: `"5%"`; not at all when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worse_by: Option<WrittenFactor>,
}

/// A factor written as a number or with a percent sign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a number of 0 or more, or a text such as \"5%\"")]
pub enum WrittenFactor {
    /// A bare number: `0.05` is 5 %.
    Number(f64),
    /// A number, or a percentage such as `"5%"`.
    Text(String),
}

/// What a threshold compares a figure with.
#[derive(Debug, Clone, PartialEq)]
pub enum Against {
    /// It must be below this, in the metric's unit.
    Below(f64),
    /// It must be above this, in the metric's unit.
    Above(f64),
    /// It must not be worse than in the run of this folder by more than this share.
    Run {
        /// The run's folder, as written.
        folder: String,
        /// How much worse it may be, as a share; 0 for not at all.
        worse_by: f64,
    },
    /// It must not be worse than at this value of an axis of the same study, everything else equal.
    Base {
        /// Name of the axis, never `payload`.
        axis: String,
        /// The value that all others are compared with.
        value: String,
        /// How much worse it may be, as a share; 0 for not at all.
        worse_by: f64,
    },
}

impl Threshold {
    /// The figure, the cells and the limit.
    ///
    /// # Errors
    /// What is wrong and what to write, at the key of this table.
    pub fn read(&self) -> Result<(Figure, Selection, Against), Refusal> {
        let at = |key: &'static str| move |problem: String| Refusal::at(Place::of([key]), problem);
        let figure: Figure = self.metric.parse().map_err(|error| at("metric")(format!("{error}")))?;
        let cells = self.cells.as_deref().unwrap_or_default();
        let cells: Selection = cells.parse().map_err(|error| at("where")(format!("{error}")))?;
        let limit = |text: &str| figure.quantity(text).map_err(|error| error.to_string());
        let worse_by = || self.worse_by.as_ref().map_or(Ok(0.0), WrittenFactor::get).map_err(at("worse_by"));
        let against = match (&self.below, &self.above, &self.than, &self.base) {
            (Some(below), None, None, None) if self.worse_by.is_none() => {
                Against::Below(limit(below).map_err(at("below"))?)
            }
            (None, Some(above), None, None) if self.worse_by.is_none() => {
                Against::Above(limit(above).map_err(at("above"))?)
            }
            (None, None, Some(folder), None) => {
                figure_of_trials(&figure).map_err(at("metric"))?;
                Against::Run { folder: folder.clone(), worse_by: worse_by()? }
            }
            (None, None, None, Some(base)) => {
                figure_of_trials(&figure).map_err(at("metric"))?;
                let (axis, value) = base_value(base).map_err(at("base"))?;
                Against::Base { axis, value, worse_by: worse_by()? }
            }
            _ => {
                let problem = "a threshold has one of `below`, `above`, `than` and `base`; the last two with `worse_by`";
                return Err(at("metric")(problem.to_owned()));
            }
        };
        Ok((figure, cells, against))
    }
}

/// Refuses a figure that single trials don't have.
fn figure_of_trials(figure: &Figure) -> Result<(), String> {
    if figure.statistic != Statistic::Max {
        return Ok(());
    }
    Err(format!("the largest of all has no interval to compare by: write `{0}` or `{0}.p99`", figure.metric))
}

/// The axis and the value of a base.
fn base_value(text: &str) -> Result<(String, String), String> {
    let (axis, value) = text
        .split_once('=')
        .ok_or_else(|| format!("`{text}`: write an axis and a value, as in codec=json/serde-json"))?;
    let axis = axis.trim();
    if axis == "payload" || !is_axis(axis) {
        return Err(format!(
            "there is no axis `{axis}` to compare along; write one of {}",
            AXES[1..].join(", ")
        ));
    }
    Ok((axis.to_owned(), plain_value(axis, value.trim()).map_err(|error| error.to_string())?))
}

impl WrittenFactor {
    fn get(&self) -> Result<f64, String> {
        let factor = match self {
            WrittenFactor::Number(number) => Factor::new(*number),
            WrittenFactor::Text(text) => text.parse(),
        };
        factor.map(Factor::get).map_err(|error| format!("worse_by: {error}"))
    }
}

impl fmt::Display for WrittenFactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WrittenFactor::Number(number) => write!(f, "{number}"),
            WrittenFactor::Text(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.metric)?;
        let worse_by = || self.worse_by.as_ref().map_or("0".to_owned(), ToString::to_string);
        match (&self.below, &self.above, &self.than, &self.base) {
            (Some(below), ..) => write!(f, " below {below}")?,
            (_, Some(above), ..) => write!(f, " above {above}")?,
            (_, _, Some(than), _) => write!(f, " at most {} worse than in {than}", worse_by())?,
            (.., Some(base)) => write!(f, " at most {} worse than with {base}", worse_by())?,
            _ => {}
        }
        match &self.cells {
            Some(cells) => write!(f, " where {cells}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(toml: &str) -> Result<(Figure, Selection, Against), Refusal> {
        toml::from_str::<Threshold>(toml).unwrap().read()
    }

    #[test]
    fn a_threshold_has_a_limit_or_a_run() {
        let (figure, cells, against) =
            read("metric = \"latency.p99\"\nwhere = \"mode=mqtt:*\"\nbelow = \"200ms\"").unwrap();
        assert_eq!((figure.to_string().as_str(), cells.is_all()), ("latency.p99", false));
        assert_eq!(against, Against::Below(200e6));
        let (_, cells, against) = read("metric = \"body\"\nthan = \"runs/base\"\nworse_by = \"5%\"").unwrap();
        assert!(cells.is_all());
        let (_, _, base) = read("metric = \"latency.p99\"\nbase = \"codec=json/serde-json\"").unwrap();
        let (axis, value) = ("codec".to_owned(), "json/serde-json".to_owned());
        assert_eq!(base, Against::Base { axis, value, worse_by: 0.0 });
        assert_eq!(against, Against::Run { folder: "runs/base".into(), worse_by: 0.05 });
    }

    #[test]
    fn what_is_none_is_refused_with_what_to_write() {
        for (toml, key, needle) in [
            ("metric = \"latency\"", "metric", "one of `below`"),
            ("metric = \"latency\"\nbelow = \"200\"", "below", "200ms"),
            ("metric = \"latency\"\nbelow = \"1s\"\nabove = \"1s\"", "metric", "one of `below`"),
            ("metric = \"latency.max\"\nthan = \"runs/a\"", "metric", "write `latency` or `latency.p99`"),
            ("metric = \"latency\"\nbase = \"codek=a\"", "base", "no axis `codek`"),
            (
                "metric = \"latency\"\nbase = \"codec=json/serde-json\"\nthan = \"a\"",
                "metric",
                "one of `below`",
            ),
            ("metric = \"latency\"\nbelow = \"1s\"\nworse_by = \"1%\"", "metric", "one of `below`"),
            ("metric = \"latncy\"\nbelow = \"1s\"", "metric", "did you mean `latency`?"),
            ("metric = \"body\"\nwhere = \"modes=a\"\nbelow = \"1\"", "where", "did you mean `mode`?"),
            ("metric = \"body\"\nthan = \"a\"\nworse_by = \"-5%\"", "worse_by", "worse_by"),
        ] {
            let error = read(toml).unwrap_err();
            assert_eq!(error.place, Place::of([key]), "{toml}");
            assert!(error.to_string().contains(needle), "{toml}: {error}");
        }
    }
}

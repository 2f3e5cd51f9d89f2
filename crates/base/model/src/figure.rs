//! One number of a metric, as people name it: `latency.p99`, `wire_per_message`.

use std::fmt;
use std::str::FromStr;

use wiredyno_contract::{QuantityError, Span, nearest};

use crate::metric::{self, MetricInfo, Range, Scope, Unit};

/// A metric and one of its statistics.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Figure {
    /// The metric, by its name in the summary.
    pub metric: String,
    /// The statistic; the mean where the text names none.
    pub statistic: Statistic,
}

/// A statistic of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Statistic {
    /// Mean over trials of each trial's mean.
    #[default]
    Mean,
    /// Median of all observations, pooled over trials.
    Median,
    /// 99th percentile of all observations.
    P99,
    /// The largest observation of all trials, which has no interval.
    Max,
}

/// Fewest observations for a 90th percentile: ten lie beyond it. With fewer it is little more than one of the largest.
pub const LEAST_FOR_P90: u64 = 100;

/// Fewest observations for a 99th percentile, by the same rule.
pub const LEAST_FOR_P99: u64 = 1_000;

const STATISTICS: [(&str, Statistic); 4] = [
    ("mean", Statistic::Mean),
    ("median", Statistic::Median),
    ("p99", Statistic::P99),
    ("max", Statistic::Max),
];

/// A text that is not a figure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FigureError {
    /// There is no such metric.
    #[error("there is no metric `{name}`{hint}")]
    Metric {
        /// As written.
        name: String,
        /// The nearest name, or where metrics are listed; with a leading separator.
        hint: String,
    },
    /// The metric exists, the statistic doesn't.
    #[error("`{name}` is not a figure of a metric: write mean, median, p99 or max after the point")]
    Statistic {
        /// As written.
        name: String,
    },
    /// A median, percentile or maximum of a metric that has only a mean ([`MetricInfo::mean_only`]).
    #[error("only the mean of `{metric}` over trials is unbiased: write `{metric}`")]
    MeanOnly {
        /// The metric's name.
        metric: String,
    },
}

impl Figure {
    /// Its row in the table of metrics, that of message trials where they have the metric.
    pub fn info(&self) -> Option<MetricInfo> {
        [Scope::Message, Scope::Codec].into_iter().find_map(|scope| metric::find(scope, &self.metric))
    }

    /// Reads a quantity of its unit: `200ms`, `3kB`, `5%`, `12`.
    ///
    /// # Errors
    /// When the text is not a quantity, or outside the metric's range.
    pub fn quantity(&self, text: &str) -> Result<f64, QuantityError> {
        let quantity = self.read(text.trim())?;
        let refused = |kind, shape| Err(QuantityError::new(text.trim(), kind, shape));
        match self.info().map(|info| info.range) {
            Some(Range::Share) if !(0.0..=1.0).contains(&quantity) => {
                refused("share", "0 to 1, for example 5% or 0.05")
            }
            Some(Range::Positive) if quantity < 0.0 => {
                refused("value that this metric can have", "0 or more")
            }
            _ => Ok(quantity),
        }
    }

    fn read(&self, text: &str) -> Result<f64, QuantityError> {
        let unit = self.info().map_or(Unit::Count, |info| info.unit);
        let number = |digits: &str, times: f64| {
            digits.trim().parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| number * times)
        };
        let ending = |endings: &[(&str, f64)]| {
            endings.iter().find_map(|(ending, times)| number(text.strip_suffix(ending)?, *times))
        };
        let (found, kind, shape) = match unit {
            Unit::Ns => return text.parse::<Span>().map(|span| span.ns as f64),
            Unit::Bytes => {
                let units = [("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("B", 1.0), ("", 1.0)];
                (ending(&units), "number of bytes", "for example 1200, 1200B or 1.2kB")
            }
            Unit::Ratio => (ending(&[("%", 0.01), ("", 1.0)]), "ratio", "for example 5% or 0.05"),
            Unit::PerSecond => {
                let units = [("k/s", 1e3), ("/s", 1.0), ("k", 1e3), ("", 1.0)];
                (ending(&units), "rate", "for example 5000/s or 5k/s")
            }
            Unit::BytesPerSecond => {
                let units = [("kB/s", 1e3), ("MB/s", 1e6), ("GB/s", 1e9), ("B/s", 1.0), ("", 1.0)];
                (ending(&units), "rate of bytes", "for example 500kB/s or 1.2MB/s")
            }
            Unit::Count => (ending(&[("", 1.0)]), "number", "digits, for example 12"),
        };
        found.ok_or_else(|| QuantityError::new(text, kind, shape))
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = STATISTICS.iter().find(|(_, statistic)| *statistic == self.statistic);
        match word.filter(|(_, statistic)| *statistic != Statistic::Mean) {
            Some((word, _)) => write!(f, "{}.{word}", self.metric),
            None => f.write_str(&self.metric),
        }
    }
}

impl FromStr for Figure {
    type Err = FigureError;
    fn from_str(text: &str) -> Result<Self, FigureError> {
        let (name, statistic) = text.trim().split_once('.').unwrap_or((text.trim(), "mean"));
        let found = STATISTICS.iter().find(|(word, _)| *word == statistic);
        let Some((_, statistic)) = found else {
            return Err(FigureError::Statistic { name: statistic.to_owned() });
        };
        let figure = Figure { metric: name.to_owned(), statistic: *statistic };
        if figure.info().is_none() {
            let all: Vec<String> =
                metric::all(Scope::Message).chain(metric::all(Scope::Codec)).map(|info| info.name).collect();
            let hint = match nearest(name, all.iter().map(String::as_str)) {
                Some(near) => format!("; did you mean `{near}`?"),
                None => "; docs/METHODOLOGY.md has the table of metrics".to_owned(),
            };
            return Err(FigureError::Metric { name: name.to_owned(), hint });
        }
        let mean_only = figure.info().is_some_and(|info| info.mean_only);
        if mean_only && figure.statistic != Statistic::Mean {
            return Err(FigureError::MeanOnly { metric: figure.metric });
        }
        Ok(figure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_a_metric_and_a_number_of_it() {
        let figure: Figure = "latency.p99".parse().unwrap();
        assert_eq!((figure.metric.as_str(), figure.statistic), ("latency", Statistic::P99));
        assert_eq!(figure.to_string(), "latency.p99");
        assert_eq!("body".parse::<Figure>().unwrap().to_string(), "body");
        let error = "latancy".parse::<Figure>().unwrap_err();
        assert_eq!(error.to_string(), "there is no metric `latancy`; did you mean `latency`?");
        assert!("latency.p98".parse::<Figure>().unwrap_err().to_string().contains("p99"));
        assert!("broker_cpu_per_message".parse::<Figure>().is_ok());
        let error = "broker_cpu_per_message.median".parse::<Figure>().unwrap_err();
        assert!(error.to_string().contains("over trials is unbiased"), "{error}");
    }

    #[test]
    fn quantities_are_read_in_the_metrics_unit() {
        let read = |figure: &str, text: &str| figure.parse::<Figure>().unwrap().quantity(text);
        assert_eq!(read("latency", "200ms"), Ok(200e6));
        assert_eq!(read("wire_per_message", "1.2kB"), Ok(1200.0));
        assert_eq!(read("wire_per_message", "900"), Ok(900.0));
        assert_eq!(read("lost", "5%"), Ok(0.05));
        assert_eq!(read("lost", "0"), Ok(0.0));
        assert!(read("latency", "200").is_err() && read("body", "inf").is_err());
    }

    #[test]
    fn a_quantity_that_no_figure_of_the_metric_can_have_is_refused_with_the_range() {
        let refused = |figure: &str, text: &str| {
            figure.parse::<Figure>().unwrap().quantity(text).unwrap_err().to_string()
        };
        let share = "is not a share: write 0 to 1, for example 5% or 0.05";
        assert_eq!(refused("lost", "-1"), format!("`-1` {share}"));
        assert_eq!(refused("lost", "101%"), format!("`101%` {share}"));
        assert!(refused("wire_per_message", "-1kB").ends_with("write 0 or more"));
        let signed = metric::all(Scope::Message)
            .find(|info| info.range == Range::Signed && info.unit != Unit::Ns)
            .map(|info| info.name);
        assert!(signed.is_none_or(|name| name.parse::<Figure>().unwrap().quantity("-1").is_ok()));
        assert_eq!("lost".parse::<Figure>().unwrap().quantity("100%"), Ok(1.0));
    }
}

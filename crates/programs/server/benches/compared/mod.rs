//! What the benches of the platform compare: a study that runs repeatedly, the figures of its runs, and ratios of these with a verdict.

use serde_json::Value as Json;
use wiredyno_bench::{Done, Table, Value};
use wiredyno_stats::{Level, Sample, mean_interval};

/// Codec trials, and messages over `lan`.
pub const MEASURED: &str = r#"
name = "watched"
why = "Do watchers change what is measured?"
[axes]
payload = ["person"]
codec = ["json/serde-json", "protobuf/prost"]
mode = ["mqtt:qos1"]
link = ["lan"]
[load]
kind = "open"
interval = "5ms"
messages = 200
deadline = "1s"
drain = "300ms"
[trials]
repeats = 5
lanes = 1
"#;

/// Equivalence margins: how far the ratio of time with watchers to time without may lie from 1.
const CODEC_MARGIN: f64 = 0.02;
pub const LATENCY_MARGIN: f64 = 0.05;

/// Aim for the 95th percentile of answer times, in milliseconds.
pub const ANSWER_MS: f64 = 50.0;

/// A figure of a run: name, nanoseconds and margin.
pub type Figure = (String, f64, f64);

/// The figures of a run of [`MEASURED`]: the median latency and the median times of each codec.
pub fn figures(summary: &Json) -> Vec<Figure> {
    let mut all = Vec::new();
    for cell in summary["cells"].as_array().into_iter().flatten() {
        let name = cell["axes"]["codec"].as_str().unwrap_or_default();
        let median = cell["metrics"]["latency"]["median"].as_f64();
        all.extend(median.map(|median| (format!("latency of {name} over lan"), median, LATENCY_MARGIN)));
    }
    for codec in summary["codecs"].as_array().into_iter().flatten() {
        for metric in ["encode", "decode"] {
            let median = codec["metrics"][metric]["median"].as_f64();
            let name = format!("{metric} of {}", codec["axes"]["codec"].as_str().unwrap_or_default());
            all.extend(median.map(|median| (name, median, CODEC_MARGIN)));
        }
    }
    all
}

/// Ratios of watched to alone, by figure, one of each repeat.
#[derive(Default)]
pub struct Ratios(Vec<(String, f64, Vec<f64>)>);

impl Ratios {
    /// Adds the ratios of a repeat; figures that one side lacks are left out.
    pub fn add(&mut self, alone: &[Figure], watched: &[Figure]) {
        for (name, alone, margin) in alone {
            let Some((_, watched, _)) = watched.iter().find(|(known, ..)| known == name) else { continue };
            let ratio = watched / alone;
            match self.0.iter_mut().find(|(known, ..)| known == name) {
                Some((.., values)) => values.push(ratio),
                None => self.0.push((name.clone(), *margin, vec![ratio])),
            }
        }
    }

    /// Writes them into a table, each with its verdict: equivalent when the whole 90 % interval of the mean ratio lies within the margin, which is two
    /// one-sided tests at 5 % (Schuirmann 1987).
    pub fn tell(&self, table: &mut Table) -> Done<()> {
        let level = Level::new(0.9)?;
        for (name, margin, values) in &self.0 {
            let interval = Sample::new(values.clone()).ok().and_then(|all| mean_interval(&all, level).ok());
            let verdict = match interval {
                Some(of) if of.low > 1.0 - margin && of.high < 1.0 + margin => "equivalent",
                Some(of) if of.low > 1.0 + margin || of.high < 1.0 - margin => "different",
                _ => "not decided",
            };
            let row = format!("{name}: {verdict} within {:.0} %", margin * 100.0);
            values.iter().for_each(|ratio| table.add(Value::new(row.clone(), "watched / alone", *ratio)));
        }
        Ok(())
    }
}

/// A percentile of values, by the nearest rank above.
pub fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    values.get((last as f64 * share).ceil() as usize).copied().unwrap_or(f64::NAN)
}

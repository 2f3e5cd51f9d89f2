//! A synthetic rate trace, one value per second, with the character of a drive through a mobile network: slow
//! log-normal change with memory, interrupted by fades in which the rate falls by orders of magnitude for
//! some seconds.
//!
//! Model, per second i: x[i] = c x[i-1] + sqrt(1 - c^2) n[i] with standard normal n (an AR(1) process of unit
//! variance); rate = median * exp(spread * x[i]). In each second outside a fade, one begins with probability
//! 1/`fade_every`; it lasts a geometric number of seconds with mean `fade_length`. During a fade the rate is
//! divided by a factor drawn once per fade, uniform on a log scale between 10 and `fade_depth`. The result is
//! capped at `peak`. The rate floor belongs to the link, which applies it.
//!
//! Our own model: it imitates the appearance of published drive traces and is fitted to none of them.

use serde::{Deserialize, Serialize};

use crate::random::{Draws, Purpose};
use wiredyno_contract::{BitRate, Ratio, Span};

/// The generator's parameters, as in a link file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drive {
    /// Seed of the trace itself; a link's trace is the same in every run.
    pub seed: u64,
    /// Length in seconds, after which the trace repeats.
    pub seconds: u32,
    /// Median of the rate outside fades.
    pub median: BitRate,
    /// Standard deviation of the rate's natural logarithm.
    pub spread: f64,
    /// Correlation from one second to the next, 0..=1.
    pub correlation: Ratio,
    /// Mean time from the end of a fade to the start of the next.
    pub fade_every: Span,
    /// Mean length of a fade.
    pub fade_length: Span,
    /// The largest factor by which a fade divides the rate, at least 10.
    pub fade_depth: f64,
    /// The rate never exceeds this.
    pub peak: BitRate,
}

impl Drive {
    /// Why the parameters are invalid, if they are.
    pub(crate) fn objection(&self) -> Option<&'static str> {
        if !(1..=86_400).contains(&self.seconds) {
            Some("`seconds` must be 1 to 86400")
        } else if !(self.spread.is_finite() && (0.0..=5.0).contains(&self.spread)) {
            Some("`spread` must be 0 to 5 (standard deviation of ln(rate))")
        } else if !(self.fade_depth.is_finite() && self.fade_depth >= 10.0) {
            Some("`fade_depth` must be at least 10")
        } else if self.fade_every.ns < 1_000_000_000 || self.fade_length.ns < 1_000_000_000 {
            Some("`fade_every` and `fade_length` must be at least 1s")
        } else if self.median.bits_per_s == 0 || self.peak < self.median {
            Some("`median` must be above 0 and at most `peak`")
        } else {
            None
        }
    }

    /// The trace: bits per second, one value per second.
    pub fn trace(&self) -> Vec<u64> {
        let mut draws = Draws::new(self.seed, Purpose::Drive);
        let memory = self.correlation.get();
        let fresh = (1.0 - memory * memory).sqrt();
        let begin = 1e9 / self.fade_every.ns as f64;
        let end = 1e9 / self.fade_length.ns as f64;
        let mut level = draws.normal();
        let mut fade: Option<f64> = None;
        (0..self.seconds)
            .map(|_| {
                level = memory * level + fresh * draws.normal();
                let turn = draws.unit();
                let depth = draws.unit();
                fade = match fade {
                    None if turn < begin => Some(10.0 * (self.fade_depth / 10.0).powf(depth)),
                    Some(_) if turn < end => None,
                    unchanged => unchanged,
                };
                let rate = self.median.bits_per_s as f64 * (self.spread * level).exp() / fade.unwrap_or(1.0);
                rate.min(self.peak.bits_per_s as f64) as u64
            })
            .collect()
    }
}

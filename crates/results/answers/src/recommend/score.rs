//! Scores of candidates, repeat by repeat, and which of them a test distinguishes from the best.
//!
//! A score is the weighted sum of logarithms of what is weighed, as a mean over conditions. Two candidates are compared by the difference of
//! their scores within repeats, with the paired t test: what the repeats of a run share cancels out. The level is corrected for the number of
//! candidates (Bonferroni): each is compared with the best at an error rate of 5 % divided by their number.

use std::collections::BTreeMap;

use wiredyno_model::metric::{self, Better, MetricInfo, Range};
use wiredyno_stats::contrast::{MOST_REPEATS, POWER};
use wiredyno_stats::{Level, MIN_TRIALS_FOR_INTERVAL, Sample, power, t_test};

use super::asked::Weight;
use crate::things::Thing;

/// The least share that arrives, so that a total loss has a logarithm.
const LEAST_SHARE: f64 = 1e-9;

/// How values of one weight become numbers whose differences count.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Measure {
    /// The logarithm of the value.
    Factor,
    /// The logarithm after adding this, for a metric that is 0 somewhere: the least value above 0 that was measured. 0 is at most twice as good
    /// as that.
    FactorFrom(f64),
    /// For a share lost: how many times as much must be sent for the same amount to arrive.
    Lost,
}

impl Measure {
    fn of(self, value: f64) -> Option<f64> {
        let number = match self {
            Measure::Factor => value.ln(),
            Measure::FactorFrom(least) => (value + least).ln(),
            Measure::Lost => -(1.0 - value).max(LEAST_SHARE).ln(),
        };
        number.is_finite().then_some(number)
    }
}

/// How the values of a weight are converted, the same for all candidates.
#[derive(Debug, Clone)]
pub(super) struct Taken<'w> {
    pub weight: &'w Weight,
    measure: Measure,
    /// 1 if less is better, -1 if more is.
    sign: f64,
    /// Whether the samples alone decide the value.
    pub is_exact: bool,
}

impl<'w> Taken<'w> {
    pub fn of(weight: &'w Weight, things: &[&Thing<'_>]) -> Result<Self, String> {
        let infos: Vec<MetricInfo> = weight
            .metrics
            .iter()
            .filter_map(|name| things.first().and_then(|thing| metric::find(thing.scope, name)))
            .collect();
        if infos.len() < weight.metrics.len() {
            return Err(format!("--weigh {}: these trials have no such metric", weight.name));
        }
        if infos.iter().any(|info| info.better == Better::Neither) {
            return Err(format!("--weigh {}: it has no good direction, so it can't be weighed", weight.name));
        }
        let values = || {
            let metrics =
                things.iter().flat_map(|thing| weight.metrics.iter().filter_map(|name| thing.metric(name)));
            metrics.flat_map(|metric| metric.by_repeat.values().copied().chain([metric.mean]))
        };
        if values().any(|value| value < 0.0) {
            return Err(format!("--weigh {}: it is below 0 somewhere, and has no ratio", weight.name));
        }
        let higher = infos.iter().any(|info| info.better == Better::Higher);
        let is_share = infos.iter().all(|info| info.range == Range::Share);
        let least = values().filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
        let measure = match (is_share && !higher, values().any(|value| value == 0.0)) {
            (true, _) => Measure::Lost,
            (false, true) => Measure::FactorFrom(if least.is_finite() { least } else { 1.0 }),
            (false, false) => Measure::Factor,
        };
        let is_exact = infos.iter().all(|info| info.exact);
        Ok(Taken { weight, measure, sign: if higher { -1.0 } else { 1.0 }, is_exact })
    }

    /// A thing's value, over all of its trials.
    pub fn whole(&self, thing: &Thing<'_>) -> Option<f64> {
        let sum =
            self.weight.metrics.iter().map(|name| Some(thing.metric(name)?.mean)).sum::<Option<f64>>()?;
        Some(self.sign * self.measure.of(sum)?)
    }

    /// Its value in each repeat that has all metrics.
    fn by_repeat(&self, thing: &Thing<'_>) -> BTreeMap<u32, f64> {
        let all: Option<Vec<&BTreeMap<u32, f64>>> =
            self.weight.metrics.iter().map(|name| Some(&thing.metric(name)?.by_repeat)).collect();
        let Some([first, others @ ..]) = all.as_deref() else { return BTreeMap::new() };
        let sum = |(repeat, value): (&u32, &f64)| {
            let rest = others.iter().map(|of| of.get(repeat).copied()).sum::<Option<f64>>()?;
            Some((*repeat, self.sign * self.measure.of(value + rest)?))
        };
        first.iter().filter_map(sum).collect()
    }
}

/// The weighted score of each repeat that every thing has.
pub(super) fn by_repeat(things: &[&Thing<'_>], taken: &[Taken<'_>]) -> BTreeMap<u32, f64> {
    let parts: Vec<(f64, BTreeMap<u32, f64>)> = things
        .iter()
        .flat_map(|thing| taken.iter().map(|one| (one.weight.weight, one.by_repeat(thing))))
        .collect();
    let Some((_, first)) = parts.first() else { return BTreeMap::new() };
    let score = |repeat: &u32| {
        let sum = parts.iter().map(|(weight, part)| Some(weight * part.get(repeat)?)).sum::<Option<f64>>()?;
        Some((*repeat, sum / things.len() as f64))
    };
    first.keys().filter_map(score).collect()
}

/// Differences of scores, which are sums of logarithms, below this are due to the order of additions.
const ROUNDING: f64 = 1e-9;

/// A candidate compared with the best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Beside {
    /// Whether the test distinguishes it from the best.
    pub is_behind: bool,
    /// Whether only two clocks, which may have made the difference up, keep it from being distinguished.
    pub by_clocks: bool,
    /// The corrected interval of the difference of scores; absent if there is no test.
    pub interval: Option<[f64; 2]>,
    /// Repeats that both have.
    pub repeats: usize,
    /// Number of repeats with which such a difference is found in four of five runs; absent beyond 10,000, and if it is found already.
    pub needed: Option<usize>,
}

/// By how much the two clocks of publishers and subscribers may have made up a score, either way.
pub(super) fn made_up_by_clocks(things: &[&Thing<'_>], taken: &[Taken<'_>]) -> f64 {
    let of = |thing: &Thing<'_>, one: &Taken<'_>| {
        let bound_ns: u64 = one.weight.metrics.iter().map(|name| thing.clock_bound_ns(name)).sum();
        let value: f64 = one.weight.metrics.iter().filter_map(|name| Some(thing.metric(name)?.mean)).sum();
        match bound_ns as f64 {
            bound if bound == 0.0 || one.weight.weight == 0.0 => 0.0,
            // Of a latency below its bound nothing is known. Downwards is further than upwards.
            bound if bound >= value => f64::INFINITY,
            bound => -one.weight.weight.abs() * ((value - bound) / value).ln(),
        }
    };
    let all = things.iter().flat_map(|thing| taken.iter().map(move |one| of(thing, one)));
    all.sum::<f64>() / things.len().max(1) as f64
}

/// Compares a candidate with the best; `exact` holds both scores if the samples alone decide them. `made_up` is how much of the difference two clocks may
/// have made up: the same in all repeats.
pub(super) fn beside(
    own: &BTreeMap<u32, f64>,
    best: &BTreeMap<u32, f64>,
    exact: Option<[f64; 2]>,
    (candidates, made_up): (usize, f64),
) -> Beside {
    if let Some([own, best]) = exact {
        let difference = own - best;
        let is_behind = difference > ROUNDING;
        return Beside {
            is_behind,
            by_clocks: false,
            interval: Some([difference; 2]),
            repeats: 1,
            needed: is_behind.then_some(1),
        };
    }
    let differences: Vec<f64> =
        own.iter().filter_map(|(repeat, score)| Some(score - best.get(repeat)?)).collect();
    let repeats = differences.len();
    let level = Level::new(1.0 - Level::P95.error_rate() / candidates.max(1) as f64).unwrap_or(Level::P95);
    let test = Sample::new(differences).ok().and_then(|sample| t_test::paired(&sample, level).ok());
    let Some(test) = test else {
        let needed = Some(MIN_TRIALS_FOR_INTERVAL);
        return Beside { is_behind: false, by_clocks: false, interval: None, repeats, needed };
    };
    let interval = [test.interval.low, test.interval.high];
    let deviation = test.standard_error * (repeats as f64).sqrt();
    // A difference that exceeds rounding is one.
    let is_shown = interval[0] > ROUNDING;
    let is_behind = interval[0] > ROUNDING + made_up;
    if is_shown && !is_behind {
        return Beside { is_behind, by_clocks: true, interval: Some(interval), repeats, needed: None };
    }
    let needed = (test.difference != 0.0 && !is_behind)
        .then(|| power::pairs_needed(test.difference.abs(), deviation, level, POWER, MOST_REPEATS))
        .flatten();
    Beside { is_behind, by_clocks: false, interval: Some(interval), repeats, needed }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(values: &[f64]) -> BTreeMap<u32, f64> {
        (0..).zip(values.iter().copied()).collect()
    }

    #[test]
    fn what_repeats_share_drops_out_and_the_number_of_candidates_widens() {
        let best = scores(&[1.0, 3.0, 2.0, 5.0, 4.0]);
        let behind = scores(&[1.2, 3.25, 2.2, 5.15, 4.2]);
        let of_two = beside(&behind, &best, None, (2, 0.0));
        assert!(of_two.is_behind && of_two.repeats == 5, "{of_two:?}");
        let width = |beside: Beside| beside.interval.map(|[low, high]| high - low).unwrap();
        assert!(width(beside(&behind, &best, None, (20, 0.0))) > 1.5 * width(of_two));
        let few = beside(&scores(&[1.2, 3.2]), &best, None, (2, 0.0));
        assert_eq!((few.is_behind, few.interval, few.needed), (false, None, Some(5)));
        let by_clocks = beside(&behind, &best, None, (2, 0.3));
        assert_eq!((by_clocks.is_behind, by_clocks.by_clocks, by_clocks.needed), (false, true, None));
        assert!(beside(&behind, &best, None, (2, 0.01)).is_behind);
    }

    #[test]
    fn what_the_samples_decide_needs_no_repeats() {
        assert!(beside(&scores(&[2.0]), &scores(&[1.0]), Some([2.0, 1.0]), (2, 0.0)).is_behind);
        assert!(!beside(&scores(&[1.0]), &scores(&[1.0]), Some([1.0, 1.0]), (2, 0.0)).is_behind);
    }
}

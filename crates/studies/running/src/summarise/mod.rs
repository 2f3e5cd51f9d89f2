//! From trials to the figures of `summary.json`. Only valid trials are included; the trial is the statistical unit.

use std::collections::{BTreeMap, BTreeSet};

use wiredyno_conducting::cpu_cost::{self, CpuCost, OfCpu};
use wiredyno_conducting::observe::{Observed, codec_tally, figure_of_trial};
use wiredyno_contract::Missing;
use wiredyno_model::figure::{LEAST_FOR_P90, LEAST_FOR_P99};
use wiredyno_model::metric::{self, MetricInfo, Range, Scope};
use wiredyno_model::summary::{
    BoxPlot, CellSummary, CodecSummary, Coverage, Metric, Outcomes, RatioInterval, SETTLED, Searched,
    Stopped, TrialMade, UnderOverload, Withheld,
};
use wiredyno_model::trial::{
    CodecTrialRecord, Delivery, Invalid, Overload, SearchLimit, TrialRecord, Wire, WireByPhase,
};
use wiredyno_model::{Cell, CodecCell, Hosts, Outcome};
use wiredyno_stats::{
    AxisScale, Bootstrap, Ecdf, Interval, Level, NoInterval, Proportion, Quantile, Ratio, Sample, Statistic,
    Tally, mean_interval, positive_mean_interval,
};

/// How many points of a latency's cumulative distribution are kept: more than a chart has pixels to show.
const ECDF_COLUMNS: usize = 200;

/// Observations of one quantity: the repeat and what was observed, per valid trial.
type ByTrial = Vec<(u32, Option<Tally>)>;

/// The figures of one cell's message trials.
/// `stopped` is why the cell has its number of trials, if the study has a rule for that.
pub fn message_cell(
    cell: &Cell,
    trials: &[Observed<'_>],
    hosts: &Hosts,
    seed: u64,
    stopped: Option<Stopped>,
) -> CellSummary {
    let of = |outcome: Outcome| {
        trials.iter().filter(move |trial| trial.record.outcome() == outcome).collect::<Vec<_>>()
    };
    let complete = of(Outcome::Complete);
    let overloaded = of(Outcome::Overloaded);
    let (metrics, delivery, lost_ratio) = figures(&complete, hosts, seed);
    let (needs_messages, withheld) = withheld(&complete);
    let summed = |of: fn(&WireByPhase) -> [Wire; 2]| {
        let wires = complete.iter().filter_map(|trial| trial.record.wire.as_ref()).map(of);
        wires.flatten().reduce(|mut sum, wire| {
            sum += wire;
            sum
        })
    };
    let latencies = Tally::merged(complete.iter().filter_map(|trial| trial.latencies()));
    CellSummary {
        axes: cell.clone(),
        trials: count(trials.len()),
        valid_trials: count(complete.len()),
        outcomes: Outcomes::of(trials.iter().map(|trial| trial.record.outcome())),
        invalid: reasons(trials.iter().flat_map(|trial| trial.record.invalid.iter().map(Invalid::sentence))),
        dropped: dropped(trials.iter().map(|trial| trial.record.invalid.as_slice())),
        overloaded: reasons(
            overloaded.iter().flat_map(|trial| trial.record.overloaded.iter().map(Overload::sentence)),
        ),
        failed: reasons(of(Outcome::Failed).iter().filter_map(|trial| trial.record.failed.clone())),
        under_overload: (!overloaded.is_empty()).then(|| {
            let (metrics, delivery, lost_ratio) = figures(&overloaded, hosts, seed);
            UnderOverload { metrics, delivery, lost_ratio }
        }),
        broker: trials.iter().find_map(|trial| trial.record.broker.clone()),
        metrics,
        delivery,
        counted_only: counted_only(&complete),
        lost_ratio,
        late_ratio: share(&complete, |delivery| delivery.late),
        wire: summed(|phases| [phases.measure, Wire::default()]),
        wire_setup: summed(|phases| [phases.setup, phases.teardown]),
        wire_probe: summed(|phases| [phases.probe, Wire::default()]),
        wire_warmup: summed(|phases| [phases.warmup, Wire::default()]),
        clock_bound_ns: complete.iter().filter_map(|trial| Some(trial.record.clocks?.bound_ns())).max(),
        latency_ecdf: latencies.as_ref().map_or_else(Vec::new, ecdf),
        latency_box: latencies.as_ref().map(box_plot),
        trial_latency_ns: complete.iter().filter_map(|trial| Some(trial.latencies()?.mean())).collect(),
        made: trials.iter().map(made).collect(),
        searched: searched(trials),
        needs_messages,
        withheld,
        full: limits(complete.iter().filter_map(|trial| trial.record.full)),
        stopped,
    }
}

/// The results of searches; `None` if there are none.
fn searched(trials: &[Observed<'_>]) -> Option<Searched> {
    let searches: Vec<_> = trials.iter().filter_map(|trial| trial.record.search.as_ref()).collect();
    let rates: Vec<f64> = searches.iter().filter_map(|search| Some(search.rate?.per_s())).collect();
    let spread = rates.iter().copied().reduce(f64::max).zip(rates.iter().copied().reduce(f64::min));
    let spread = spread.map(|(highest, lowest)| highest / lowest);
    let limits = limits(searches.iter().filter_map(|search| search.limit));
    let settled = rates.len() == searches.len() && spread.is_some_and(|spread| spread <= SETTLED);
    (!searches.is_empty()).then_some(Searched { settled, spread, limits })
}

/// The limits that stopped rates, by name, with how often.
fn limits(of: impl Iterator<Item = SearchLimit>) -> BTreeMap<String, u32> {
    let mut limits = BTreeMap::new();
    for limit in of {
        let name = serde_json::to_value(limit).ok().and_then(|name| Some(name.as_str()?.to_owned()));
        *limits.entry(name.unwrap_or_default()).or_insert(0) += 1;
    }
    limits
}

/// The summary of one trial. The run folder knows where its packets are.
fn made(trial: &Observed<'_>) -> TrialMade {
    let record = trial.record;
    let invalid = record.invalid.iter().map(Invalid::sentence);
    let why = invalid.chain(record.overloaded.iter().map(Overload::sentence)).chain(record.failed.clone());
    TrialMade {
        trial: record.trial,
        repeat: record.repeat,
        outcome: record.outcome(),
        why: why.collect::<Vec<_>>().join("; "),
        seed: record.seed,
        sent: record.delivery.sent,
        lost: record.delivery.lost,
        latency_ns: trial.latencies().map(Tally::mean),
        capture: None,
    }
}

/// The figures of trials of one outcome.
fn figures(
    trials: &[&Observed<'_>],
    hosts: &Hosts,
    seed: u64,
) -> (BTreeMap<String, Metric>, Delivery, Option<RatioInterval>) {
    let mut metrics = BTreeMap::new();
    for of in metric::all(Scope::Message) {
        if let Some(of_cpu) = OfCpu::named(&of.name) {
            if let Some(CpuCost::Told(ratio, repeats)) = cpu_cost::over(&records(trials), of_cpu) {
                metrics.insert(of.name.clone(), of_ratio(&of, &ratio, &repeats));
            }
            continue;
        }
        let observed = trials.iter().map(|trial| (trial.record.repeat, trial.tally(&of.name, hosts)));
        put(&mut metrics, &of, observed.collect(), seed);
        if let Some(metric) = metrics.get_mut(&of.name) {
            metric.coverage = coverage(trials, &of.name);
        }
    }
    let mut delivery = Delivery::default();
    trials.iter().for_each(|trial| delivery += trial.record.delivery);
    let lost_ratio = share(trials, |delivery| Some(delivery.lost));
    if let (Some(lost), Some(share)) = (metrics.get_mut("lost"), &lost_ratio) {
        // A share gets the interval of a share, which has an upper end even if nothing was lost.
        lost.interval_95 = lost.interval_95.map(|_| share.interval_95);
    }
    (metrics, delivery, lost_ratio)
}

fn records<'a>(trials: &[&Observed<'a>]) -> Vec<&'a TrialRecord> {
    trials.iter().map(|trial| trial.record).collect()
}

/// The withheld metrics: how many messages a trial would need, and what is known nevertheless.
fn withheld(trials: &[&Observed<'_>]) -> (BTreeMap<String, u64>, BTreeMap<String, Withheld>) {
    let (mut needs_messages, mut withheld) = (BTreeMap::new(), BTreeMap::new());
    let records = records(trials);
    for name in OfCpu::names() {
        let of = OfCpu::named(name).and_then(|of| cpu_cost::over(&records, of));
        if let Some(CpuCost::Withheld { known, messages }) = of {
            withheld.insert(name.to_owned(), known);
            needs_messages.extend(messages.map(|needed| (name.to_owned(), needed)));
        }
    }
    (needs_messages, withheld)
}

/// The values by which a study continues until a metric is known: one for each complete trial of a cell. Empty if the cell does not know it, or
/// only for some of its messages.
pub fn stop_values(trials: &[&Observed<'_>], name: &str, hosts: &Hosts) -> Vec<f64> {
    let hidden = OfCpu::named(name).and_then(|of| cpu_cost::over(&records(trials), of));
    let in_part = coverage(trials, name).is_some_and(|coverage| !coverage.is_enough());
    if in_part || matches!(hidden, Some(CpuCost::Withheld { .. })) {
        return Vec::new();
    }
    trials.iter().filter_map(|trial| trial.stop_value(name, hosts)).collect()
}

/// The figures of a quantity that is only correct on the mean of trials.
fn of_ratio(of: &MetricInfo, ratio: &Ratio, repeats: &[u32]) -> Metric {
    let (mean, steady) = (ratio.value(), ratio.steady());
    let interval = ratio.interval(Level::P95).ok();
    Metric {
        unit: of.unit.name().to_owned(),
        count: steady.len() as u64,
        coverage: None,
        mean,
        interval_95: interval.map(|within| [within.low.max(0.0), within.high]),
        median: mean,
        median_interval_95: None,
        p90: None,
        p90_interval_95: None,
        p99: None,
        p99_interval_95: None,
        min: steady.iter().copied().fold(f64::INFINITY, f64::min),
        max: steady.iter().copied().fold(0.0, f64::max),
        by_repeat: repeats.iter().copied().zip(steady).collect(),
        median_by_repeat: BTreeMap::new(),
        p99_by_repeat: BTreeMap::new(),
    }
}

/// How many messages of trials a metric covers; `None` for all, and for a metric that is not made of single messages.
fn coverage(trials: &[&Observed<'_>], name: &str) -> Option<Coverage> {
    let of_trials = trials.iter().filter_map(|trial| trial.coverage(name));
    let all = of_trials.reduce(|sum, one| Coverage { known: sum.known + one.known, of: sum.of + one.of })?;
    (all.known < all.of).then_some(all)
}

/// A share of the messages of trials, with its interval over trials; absent if a trial does not report it.
fn share(trials: &[&Observed<'_>], of: fn(&Delivery) -> Option<u64>) -> Option<RatioInterval> {
    let delivery = trials.iter().map(|trial| &trial.record.delivery);
    let shares: Vec<Proportion> = delivery.filter_map(|d| Proportion::new(of(d)?, d.sent).ok()).collect();
    let (all, interval) = Proportion::over_trials(&shares, Level::P95)?;
    Some(RatioInterval { ratio: all.ratio(), interval_95: [interval.low, interval.high] })
}

/// The figures of codec trials of one payload, codec and compression; `stopped` as in [`message_cell`].
pub fn codec_cell(
    cell: &CodecCell,
    trials: &[&CodecTrialRecord],
    seed: u64,
    stopped: Option<Stopped>,
) -> CodecSummary {
    let valid: Vec<&CodecTrialRecord> = trials.iter().copied().filter(|trial| trial.is_complete()).collect();
    let mut metrics = BTreeMap::new();
    for of in metric::all(Scope::Codec) {
        let observed = valid.iter().map(|trial| (trial.repeat, codec_tally(&of.name, trial)));
        put(&mut metrics, &of, observed.collect(), seed);
    }
    let mut missing: Vec<Missing> = Vec::new();
    for lack in valid.iter().flat_map(|trial| &trial.phases).flat_map(|measured| &measured.missing) {
        if !missing.contains(lack) {
            missing.push(lack.clone());
        }
    }
    CodecSummary {
        axes: cell.clone(),
        trials: count(trials.len()),
        valid_trials: count(valid.len()),
        outcomes: Outcomes::of(trials.iter().map(|trial| trial.outcome())),
        invalid: reasons(trials.iter().flat_map(|trial| trial.invalid.iter().map(Invalid::sentence))),
        dropped: dropped(trials.iter().map(|trial| trial.invalid.as_slice())),
        failed: reasons(
            trials
                .iter()
                .filter(|trial| trial.outcome() == Outcome::Failed)
                .filter_map(|trial| trial.failed.clone()),
        ),
        metrics,
        stopped,
        dictionary: valid.iter().find_map(|trial| trial.dictionary),
        missing,
    }
}

/// Adds the figures of a quantity, unless nothing was observed.
fn put(metrics: &mut BTreeMap<String, Metric>, of: &MetricInfo, by_trial: ByTrial, seed: u64) {
    if let Some(figures) = figures_of(of, by_trial, derived_metric_seed(seed, &of.name)) {
        metrics.insert(of.name.clone(), figures);
    }
}

fn derived_metric_seed(seed: u64, name: &str) -> u64 {
    wiredyno_planning::plan::derived_seed(seed, name, 0)
}

fn figures_of(of: &MetricInfo, by_trial: ByTrial, seed: u64) -> Option<Metric> {
    let observed = by_trial.into_iter().filter_map(|(repeat, observed)| Some((repeat, observed?)));
    let (repeats, trials): (Vec<u32>, Vec<Tally>) = observed.unzip();
    let figures: Vec<f64> = trials.iter().map(figure_of_trial(&of.name)).collect();
    let by_repeat = repeats.iter().copied().zip(figures.iter().copied()).collect();
    let quantiles = |quantile, least: u64| {
        let enough = repeats.iter().zip(&trials).filter(|(_, trial)| trial.count() >= least);
        enough.map(|(repeat, trial)| (*repeat, trial.quantile(quantile))).collect::<BTreeMap<u32, f64>>()
    };
    // A trial of a codec's loop is already represented by its median.
    let of_messages = of.scope == Scope::Message;
    let figures = Sample::new(figures).ok()?;
    let all = Tally::merged(&trials)?;
    let count = all.count();
    let around = |quantile| Bootstrap::seeded(seed).tallies(&trials, Statistic::Quantile(quantile));
    let most = if of.range == Range::Share { 1.0 } else { f64::INFINITY };
    let ends = |interval: Result<Interval, NoInterval>| {
        interval.ok().map(|within| [within.low.min(most), within.high.min(most)])
    };
    let interval_of_mean = if of.range == Range::Signed { mean_interval } else { positive_mean_interval };
    let p90 = (count >= LEAST_FOR_P90).then(|| all.quantile(Quantile::P90));
    let p99 = (count >= LEAST_FOR_P99).then(|| all.quantile(Quantile::P99));
    Some(Metric {
        unit: of.unit.name().to_owned(),
        count,
        coverage: None,
        mean: figures.mean(),
        interval_95: ends(interval_of_mean(&figures, Level::P95)),
        median: all.quantile(Quantile::MEDIAN),
        median_interval_95: ends(around(Quantile::MEDIAN)),
        p90,
        p90_interval_95: p90.and_then(|_| ends(around(Quantile::P90))),
        p99,
        p99_interval_95: p99.and_then(|_| ends(around(Quantile::P99))),
        min: all.min(),
        max: all.max(),
        by_repeat,
        median_by_repeat: if of_messages { quantiles(Quantile::MEDIAN, 2) } else { BTreeMap::new() },
        p99_by_repeat: if of_messages { quantiles(Quantile::P99, LEAST_FOR_P99) } else { BTreeMap::new() },
    })
}

fn ecdf(latencies: &Tally) -> Vec<[f64; 2]> {
    let points = Ecdf::of_tally(latencies).thinned(ECDF_COLUMNS, AxisScale::Linear);
    points.iter().map(|point| [point.value, point.fraction]).collect()
}

/// More outliers of a cell than these are thinned for drawing.
const OUTLIERS_DRAWN: usize = 40;

fn box_plot(latencies: &Tally) -> BoxPlot {
    let plot = wiredyno_stats::BoxPlot::of_tally(latencies);
    BoxPlot {
        low: plot.whisker_low,
        q1: plot.p25,
        median: plot.median,
        q3: plot.p75,
        high: plot.whisker_high,
        outliers: plot.outliers(),
        outside: plot.outside(latencies, OUTLIERS_DRAWN),
    }
}

fn count(items: usize) -> u32 {
    u32::try_from(items).unwrap_or(u32::MAX)
}

/// Why messages of trials were only counted, in words.
fn counted_only(trials: &[&Observed<'_>]) -> Vec<String> {
    reasons(trials.iter().filter_map(|trial| trial.record.counted_only.clone()))
}

/// Reasons in words, each once with how often it came.
/// How many trials each kind of fault spoilt.
fn dropped<'a>(trials: impl Iterator<Item = &'a [Invalid]>) -> BTreeMap<String, u32> {
    let mut counted = BTreeMap::new();
    for invalid in trials {
        for kind in invalid.iter().map(Invalid::kind).collect::<BTreeSet<_>>() {
            *counted.entry(kind.to_owned()).or_insert(0) += 1;
        }
    }
    counted
}

fn reasons(sentences: impl Iterator<Item = String>) -> Vec<String> {
    let mut counted: BTreeMap<String, u32> = BTreeMap::new();
    for sentence in sentences {
        *counted.entry(sentence).or_default() += 1;
    }
    let line = |(sentence, times): (String, u32)| match times {
        1 => sentence,
        _ => format!("{sentence} ({times} times)"),
    };
    counted.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests;

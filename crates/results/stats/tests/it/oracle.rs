//! Our numbers compared with those of SciPy, NumPy and statsmodels.
//!
//! `oracle.py` printed `oracle.json` (see there for how), which holds data, results and library versions, so
//! that this needs no Python. Formulas must agree to rounding. Bootstrap intervals come from other random
//! draws, so their ends must agree within a few percent of the width.

use serde::Deserialize;
use wiredyno_stats::{
    Bootstrap, BoxPlot, Ecdf, Interval, Level, Method, Proportion, Quantile, Sample, Statistic, compare,
    correction, distribution, effect, mean_interval, positive_mean_interval, power, rank_test, t_test,
};

#[derive(Deserialize)]
struct Oracle {
    distributions: Vec<DistributionCase>,
    quantiles: Vec<QuantileCase>,
    samples: Vec<SampleCase>,
    pairs: Vec<PairCase>,
    paired: Vec<PairedCase>,
    proportions: Vec<ProportionCase>,
    clustered_proportions: Vec<ClusteredCase>,
    corrections: Vec<CorrectionCase>,
    powers: Vec<PowerCase>,
}

#[derive(Deserialize)]
struct DistributionCase {
    name: String,
    args: Vec<f64>,
    point: f64,
    lower: f64,
    upper: f64,
}

#[derive(Deserialize)]
struct QuantileCase {
    name: String,
    args: Vec<f64>,
    p: f64,
    value: f64,
}

#[derive(Deserialize)]
struct SampleCase {
    values: Vec<f64>,
    mean: f64,
    deviation: f64,
    quantiles: Vec<(f64, f64)>,
    t_interval: (f64, f64),
    positive_interval: Option<(f64, f64)>,
    box_plot: BoxPlotCase,
    ecdf: (Vec<f64>, Vec<f64>),
    bca_mean: (f64, f64),
    bca_median: (f64, f64),
    percentile_mean: (f64, f64),
}

#[derive(Deserialize)]
struct BoxPlotCase {
    whisker_low: f64,
    p25: f64,
    p75: f64,
    whisker_high: f64,
    low: u64,
    high: u64,
    far: u64,
}

#[derive(Deserialize)]
struct PairCase {
    a: Vec<f64>,
    b: Vec<f64>,
    welch: WelchCase,
    u: f64,
    u_p: f64,
    u_exact: bool,
    delta: f64,
    g: f64,
    fieller: (f64, f64),
    bca_ratio: (f64, f64),
}

#[derive(Deserialize)]
struct WelchCase {
    p: f64,
    freedom: f64,
    interval: (f64, f64),
}

#[derive(Deserialize)]
struct PairedCase {
    values: Vec<f64>,
    t_p: f64,
    interval: (f64, f64),
}

#[derive(Deserialize)]
struct ProportionCase {
    hits: u64,
    total: u64,
    level: f64,
    exact: (f64, f64),
}

#[derive(Deserialize)]
struct ClusteredCase {
    trials: Vec<(u64, u64)>,
    level: f64,
    interval: (f64, f64),
}

#[derive(Deserialize)]
struct CorrectionCase {
    p_values: Vec<f64>,
    holm: Vec<f64>,
}

#[derive(Deserialize)]
struct PowerCase {
    pairs: usize,
    difference: f64,
    power: f64,
    smallest: f64,
}

fn oracle() -> Oracle {
    serde_json::from_str(include_str!("../oracle.json")).unwrap()
}

/// Equal to `relative` of the oracle's value, or to 1e-15 if that is 0.
#[track_caller]
fn close(got: f64, expected: f64, relative: f64, what: &str) {
    let allowed = (expected.abs() * relative).max(1e-15);
    assert!(got == expected || (got - expected).abs() <= allowed, "{what}: {got} is not {expected}");
}

#[track_caller]
fn close_interval(got: Interval, expected: (f64, f64), what: &str) {
    let scale = expected.0.abs().max(expected.1.abs());
    for (got, expected) in [(got.low, expected.0), (got.high, expected.1)] {
        assert!((got - expected).abs() <= 1e-10 * scale, "{what}: {got} is not {expected}");
    }
}

/// Ends within `share` of the width.
#[track_caller]
fn near_interval(got: Interval, expected: (f64, f64), share: f64, what: &str) {
    let width = expected.1 - expected.0;
    for (got, expected) in [(got.low, expected.0), (got.high, expected.1)] {
        assert!(
            (got - expected).abs() <= share * width,
            "{what}: {got} is not near {expected} (width {width})"
        );
    }
}

fn sample(values: &[f64]) -> Sample {
    Sample::new(values.to_vec()).unwrap()
}

#[test]
fn distribution_tails_agree() {
    for case in oracle().distributions {
        let tails = match (case.name.as_str(), case.args.as_slice()) {
            ("normal", []) => distribution::normal(case.point),
            ("student_t", [freedom]) => distribution::student_t(*freedom, case.point),
            ("beta", [a, b]) => distribution::beta(*a, *b, case.point),
            other => panic!("unknown distribution {other:?}"),
        };
        let what = format!("{} {:?} at {}", case.name, case.args, case.point);
        close(tails.lower, case.lower, 1e-8, &what);
        close(tails.upper, case.upper, 1e-8, &what);
    }
}

#[test]
fn distribution_quantiles_agree() {
    for case in oracle().quantiles {
        let got = match (case.name.as_str(), case.args.as_slice()) {
            ("normal", []) => distribution::normal_quantile(case.p),
            ("student_t", [freedom]) => distribution::student_t_quantile(*freedom, case.p),
            ("beta", [a, b]) => distribution::beta_quantile(*a, *b, case.p),
            other => panic!("unknown distribution {other:?}"),
        };
        close(got, case.value, 1e-10, &format!("{} {:?} at {}", case.name, case.args, case.p));
    }
}

#[test]
fn summaries_and_t_intervals_agree() {
    for case in oracle().samples {
        let sample = sample(&case.values);
        close(sample.mean(), case.mean, 1e-13, "mean");
        close(sample.standard_deviation().unwrap(), case.deviation, 1e-13, "deviation");
        for (fraction, expected) in case.quantiles {
            close(sample.quantile(Quantile::new(fraction).unwrap()), expected, 1e-13, "quantile");
        }
        close_interval(mean_interval(&sample, Level::P95).unwrap(), case.t_interval, "t interval");
        if let Some(expected) = case.positive_interval {
            let interval = positive_mean_interval(&sample, Level::P95).unwrap();
            close_interval(interval, expected, "t interval of the logarithm");
        }
    }
}

#[test]
fn box_plots_and_distribution_functions_agree() {
    for case in oracle().samples {
        let sample = sample(&case.values);
        let (plot, expected) = (BoxPlot::of(&sample), case.box_plot);
        close(plot.p25, expected.p25, 1e-13, "p25");
        close(plot.p75, expected.p75, 1e-13, "p75");
        assert_eq!((plot.whisker_low, plot.whisker_high), (expected.whisker_low, expected.whisker_high));
        assert_eq!((plot.outliers_low, plot.outliers_high), (expected.low, expected.high));
        assert_eq!(plot.far_out, expected.far);
        let (values, fractions): (Vec<f64>, Vec<f64>) =
            Ecdf::of(&sample).points().iter().map(|point| (point.value, point.fraction)).unzip();
        assert_eq!(values, case.ecdf.0);
        for (got, expected) in fractions.iter().zip(&case.ecdf.1) {
            close(*got, *expected, 1e-13, "ecdf");
        }
    }
}

#[test]
fn bootstrap_intervals_agree_within_their_noise() {
    let bootstrap = Bootstrap { resamples: 100_000, ..Bootstrap::seeded(1) };
    for case in oracle().samples {
        let values = sample(&case.values);
        let what = format!("{} values", values.count());
        let mean = bootstrap.values(&values, Statistic::Mean).unwrap();
        assert_eq!(mean.method, Method::BootstrapBca);
        // Five values have only 126 resamples: an end is one of few means, and noise selects one or the next
        // (complete enumeration of the 3,125 draws gives ours here).
        let share = if values.count() == 5 { 0.05 } else { 0.02 };
        near_interval(mean, case.bca_mean, share, &what);
        let plain = Bootstrap { corrected: false, ..bootstrap }.values(&values, Statistic::Mean).unwrap();
        assert_eq!(plain.method, Method::BootstrapPercentile);
        near_interval(plain, case.percentile_mean, share, &what);
        // Medians have few possible values: an end may be the next of them.
        near_interval(bootstrap.values(&values, Statistic::MEDIAN).unwrap(), case.bca_median, 0.05, &what);
    }
    for case in oracle().pairs {
        let trials =
            |values: &[f64]| -> Vec<Sample> { values.iter().map(|&value| sample(&[value])).collect() };
        let ratio = bootstrap.ratio(&trials(&case.a), &trials(&case.b), Statistic::Mean).unwrap();
        near_interval(ratio, case.bca_ratio, 0.02, "ratio");
    }
}

#[test]
fn comparisons_and_effect_sizes_agree() {
    for case in oracle().pairs {
        let (a, b) = (sample(&case.a), sample(&case.b));
        let welch = t_test::welch(&a, &b, Level::P95).unwrap();
        close(welch.p_value, case.welch.p, 1e-9, "Welch's p");
        close(welch.freedom.unwrap(), case.welch.freedom, 1e-11, "Welch's degrees of freedom");
        close_interval(welch.interval, case.welch.interval, "Welch's interval");
        let rank = rank_test::rank_sum(&a, &b);
        assert_eq!((rank.statistic, rank.exact), (case.u, case.u_exact));
        close(rank.p_value, case.u_p, 1e-10, "rank sum");
        close(effect::cliffs_delta(&a, &b), case.delta, 1e-13, "Cliff's delta");
        close(effect::hedges_g(&a, &b).unwrap(), case.g, 1e-11, "Hedges' g");
        close_interval(effect::ratio_of_means(&a, &b, Level::P95).unwrap(), case.fieller, "Fieller");
        assert_eq!(compare(&b, &a, Level::P95).unwrap().differs, case.welch.p < 0.05);
    }
}

#[test]
fn paired_tests_agree() {
    for case in oracle().paired {
        let differences = sample(&case.values);
        let test = t_test::paired(&differences, Level::P95).unwrap();
        close(test.p_value, case.t_p, 1e-9, "paired t");
        close_interval(test.interval, case.interval, "paired interval");
    }
}

#[test]
fn intervals_of_proportions_agree() {
    for case in oracle().proportions {
        let proportion = Proportion::new(case.hits, case.total).unwrap();
        let level = Level::new(case.level).unwrap();
        let what = format!("{} of {}", case.hits, case.total);
        close_interval(proportion.clopper_pearson(level), case.exact, &what);
    }
}

#[test]
fn intervals_of_clustered_proportions_agree() {
    for case in oracle().clustered_proportions {
        let of = |&(hits, total): &(u64, u64)| Proportion::new(hits, total).unwrap();
        let trials: Vec<Proportion> = case.trials.iter().map(of).collect();
        let (_, interval) = Proportion::over_trials(&trials, Level::new(case.level).unwrap()).unwrap();
        close_interval(interval, case.interval, &format!("{:?}", case.trials));
    }
}

#[test]
fn corrections_agree() {
    for case in oracle().corrections {
        let holm = correction::holm(&case.p_values).unwrap();
        assert_eq!(holm.len(), case.holm.len());
        holm.iter().zip(&case.holm).for_each(|(own, theirs)| close(*own, *theirs, 1e-13, "Holm"));
    }
}

#[test]
fn powers_agree() {
    for case in oracle().powers {
        let PowerCase { pairs, difference, power, smallest } = case;
        let got = power::of_paired_t(3.0 * difference, 3.0, pairs, Level::P95).unwrap();
        close(got, power, 1e-6, &format!("power of {pairs} pairs at {difference}"));
        let got = power::smallest_found(1.0, pairs, Level::P95, 0.8).unwrap();
        close(got, smallest, 1e-6, &format!("smallest difference of {pairs} pairs"));
    }
}

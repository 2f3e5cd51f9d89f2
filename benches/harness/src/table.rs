//! The table: both medians, their ratio with a bootstrap interval, and whether it is within the aim.

use wiredyno_bench::Done;
use wiredyno_stats::{Bootstrap, Quantile, Sample, Statistic};

/// Aim: medians within this share of each other.
const AIM: f64 = 0.02;
/// Seed of the bootstrap.
const SEED: u64 = 1;

/// One operation, with one value per repeat on both sides.
pub struct Row {
    name: String,
    /// Ours.
    pub ours_ns: Vec<f64>,
    /// Criterion's.
    pub criterion_ns: Vec<f64>,
}

impl Row {
    /// Without values yet.
    pub fn new(name: String) -> Self {
        Self { name, ours_ns: Vec::new(), criterion_ns: Vec::new() }
    }
}

/// Prints all rows, and how many are within the aim.
pub fn print(rows: impl Iterator<Item = Row>) -> Done<()> {
    println!("{:<50} {:>11} {:>11} {:>7} {:>18}", "", "ours, ns", "criterion's", "ratio", "95 % interval");
    let (mut within, mut undecided, mut all) = (0, 0, 0);
    for row in rows {
        let (ours, criterion) = (Sample::new(row.ours_ns)?, Sample::new(row.criterion_ns)?);
        let [our_ns, criterion_ns] = [&ours, &criterion].map(|sample| sample.quantile(Quantile::MEDIAN));
        let ratio = our_ns / criterion_ns;
        let each = |sample: &Sample| {
            sample.values().iter().map(|value| Sample::new(vec![*value])).collect::<Result<Vec<_>, _>>()
        };
        let interval = Bootstrap::seeded(SEED).ratio(&each(&ours)?, &each(&criterion)?, Statistic::MEDIAN);
        all += 1;
        let near = (ratio - 1.0).abs() <= AIM;
        within += u32::from(near);
        let told = match interval {
            Ok(interval) => {
                let inside = interval.low <= 1.0 + AIM && interval.high >= 1.0 - AIM;
                undecided += u32::from(!near && inside);
                format!(
                    "{:.3} .. {:.3}{}",
                    interval.low,
                    interval.high,
                    if near || inside { "" } else { " *" }
                )
            }
            Err(_) => "no interval".to_owned(),
        };
        println!("{:<50} {our_ns:>11.1} {criterion_ns:>11.1} {ratio:>7.3} {told:>18}", row.name);
    }
    println!(
        "{within} of {all} ratios are within {} %; of the others {undecided} have an interval that reaches in",
        AIM * 100.0
    );
    Ok(())
}

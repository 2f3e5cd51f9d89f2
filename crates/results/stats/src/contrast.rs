//! The effect of one value of an axis instead of another, everything else equal. One file because the effect, its interaction and
//! its family share one layout of blocks.
//!
//! A *block* is a combination of the other axes' values in which both values were measured. Equal repeats had the same conditions
//! in all cells, so within a block they are pairs. Every block has equal weight. A repeat's value is the mean of its differences
//! over the blocks, and the t interval is over repeats: what blocks of one repeat share (the same stretch of the link's trace, the
//! same minutes of the machine) is not treated as independent evidence.
//!
//! If a block lacks a repeat, the repeat's value is the mean over blocks of the blocks' own means, plus the mean deviation of its
//! other blocks from theirs: the additive two-way layout (H. Scheffe, "The Analysis of Variance", 1959, chapter 4), which leaves
//! complete data unchanged. Blocks with fewer than [`MIN_TRIALS_FOR_INTERVAL`] repeats are left out.
//!
//! Several contrasts that answer one question are tested together, as a family, by Holm's procedure: see [`judge`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::best::Scale;
use crate::correction;
use crate::interval::{Interval, MIN_TRIALS_FOR_INTERVAL, Method, NoInterval, enough_trials};
use crate::parameter::Level;
use crate::power;
use crate::sample::Sample;
use crate::t_test::{self, TTest};

/// A cell's values by the number of the repeat.
pub type ByRepeat = BTreeMap<u32, f64>;

/// Two cells that differ in one axis' value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// The value whose effect is asked for.
    pub value: ByRepeat,
    /// The value that it is compared with.
    pub instead_of: ByRepeat,
}

/// The effect of one value instead of another.
#[derive(Debug, Clone, PartialEq)]
pub struct Contrast {
    /// The scale of the effect: on logarithms, it is the logarithm of the ratio.
    pub scale: Scale,
    /// The mean over blocks, its interval and its test, not corrected.
    pub test: TTest,
    /// Its value in each block that was given; `None` if the block has too few repeats.
    pub blocks: Vec<Option<f64>>,
    /// Number of repeats that entered.
    pub repeats: usize,
}

/// A contrast tested with the others of its family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// Whether it is distinguished from no effect at the family's level.
    pub real: bool,
    /// p-value after Holm's correction, 0..1.
    pub adjusted_p_value: f64,
    /// At the error rate of its test: it excludes 0 exactly if the contrast is real.
    pub interval: Interval,
    /// The smallest effect that a test at the family's strictest rate finds in four of five runs; `None` if nothing varies, or
    /// trials were not pairs.
    pub smallest_found: Option<f64>,
    /// Number of repeats with which an effect of the given size would be found in four of five runs, at the same rate; `None` if
    /// nothing varies, trials were not pairs, or [`MOST_REPEATS`] are too few.
    pub repeats_needed: Option<usize>,
}

/// The search for the number of repeats ends here.
pub const MOST_REPEATS: usize = 10_000;

/// The share of runs in which [`Judged::smallest_found`] would be found.
pub const POWER: f64 = 0.8;

impl Block {
    /// Differences within repeats on a scale: for repeats that both have, with values that the scale has.
    fn differences(&self, scale: Scale) -> ByRepeat {
        let pair = |(repeat, value): (&u32, &f64)| {
            let difference = scale.on(*value) - scale.on(*self.instead_of.get(repeat)?);
            difference.is_finite().then_some((*repeat, difference))
        };
        self.value.iter().filter_map(pair).collect()
    }

    /// The mean difference within repeats; `None` if none is shared.
    pub fn mean_difference(&self, scale: Scale) -> Option<f64> {
        let differences = self.differences(scale);
        (!differences.is_empty()).then(|| mean(differences.values().copied()))
    }

    /// The difference of means, for trials whose repeats share nothing; `None` if a side has no value on the scale.
    pub fn difference_of_means(&self, scale: Scale) -> Option<f64> {
        let side = |values: &ByRepeat| {
            let values: Vec<f64> =
                values.values().map(|value| scale.on(*value)).filter(|value| value.is_finite()).collect();
            (!values.is_empty()).then(|| mean(values.into_iter()))
        };
        Some(side(&self.value)? - side(&self.instead_of)?)
    }

    /// Number of trials that are compared: repeats that both sides have, or for unpaired trials the number that both have.
    pub fn pairs(&self, paired: bool) -> usize {
        if paired {
            return self.value.keys().filter(|repeat| self.instead_of.contains_key(repeat)).count();
        }
        self.value.len().min(self.instead_of.len())
    }

    /// The two values, if each side has the same in all of its trials.
    pub fn constants(&self) -> Option<[f64; 2]> {
        let side = |values: &ByRepeat| {
            let first = *values.values().next()?;
            values.values().all(|value| *value == first).then_some(first)
        };
        Some([side(&self.instead_of)?, side(&self.value)?])
    }

    /// Whether ratios exist: all values of both are above 0.
    fn is_positive(&self) -> bool {
        self.value.values().chain(self.instead_of.values()).all(|&value| value > 0.0)
    }
}

/// Logarithms if every value of every block is above 0, else the values themselves.
pub fn scale_of(blocks: &[Block]) -> Scale {
    if blocks.iter().all(Block::is_positive) { Scale::Logarithms } else { Scale::Values }
}

/// Whether a block enters: whether it has as many repeats as an interval needs.
fn counts(repeats: &ByRepeat) -> bool {
    repeats.len() >= MIN_TRIALS_FOR_INTERVAL
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len();
    values.sum::<f64>() / count as f64
}

/// The value of each repeat over blocks, by the additive layout.
fn over_blocks(blocks: &[&ByRepeat]) -> ByRepeat {
    let means: Vec<f64> = blocks.iter().map(|block| mean(block.values().copied())).collect();
    let all = mean(means.iter().copied());
    let mut deviations: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for (block, own) in blocks.iter().zip(&means) {
        for (repeat, value) in *block {
            deviations.entry(*repeat).or_default().push(value - own);
        }
    }
    deviations.into_iter().map(|(repeat, of)| (repeat, all + mean(of.into_iter()))).collect()
}

fn sample(values: &ByRepeat) -> Option<Sample> {
    Sample::new(values.values().copied().collect::<Vec<_>>()).ok()
}

/// The effect over all blocks, with trials of one repeat as pairs.
///
/// # Errors
/// [`NoInterval::TooFewTrials`] if no block has enough repeats.
pub fn contrast(blocks: &[Block], scale: Scale, level: Level) -> Result<Contrast, NoInterval> {
    let differences: Vec<ByRepeat> = blocks.iter().map(|block| block.differences(scale)).collect();
    let most = differences.iter().map(BTreeMap::len).max().unwrap_or(0);
    enough_trials(most)?;
    let entering: Vec<&ByRepeat> = differences.iter().filter(|block| counts(block)).collect();
    let values = sample(&over_blocks(&entering)).ok_or(NoInterval::NotFinite)?;
    let of_block = |block: &ByRepeat| counts(block).then(|| mean(block.values().copied()));
    Ok(Contrast {
        scale,
        test: t_test::paired(&values, level)?,
        blocks: differences.iter().map(of_block).collect(),
        repeats: values.count(),
    })
}

/// The same for trials whose repeats share nothing, such as those of two runs with seeds of their own: Welch's t.
///
/// # Errors
/// As [`contrast`].
pub fn independent(blocks: &[Block], scale: Scale, level: Level) -> Result<Contrast, NoInterval> {
    let on_scale = |values: &ByRepeat| -> ByRepeat {
        let scaled = values.iter().map(|(repeat, value)| (*repeat, scale.on(*value)));
        scaled.filter(|(_, value)| value.is_finite()).collect()
    };
    let sides: Vec<[ByRepeat; 2]> =
        blocks.iter().map(|block| [on_scale(&block.value), on_scale(&block.instead_of)]).collect();
    let most = sides.iter().map(|[a, b]| a.len().min(b.len())).max().unwrap_or(0);
    enough_trials(most)?;
    let entering = || sides.iter().filter(|[a, b]| counts(a) && counts(b));
    let side = |place: usize| {
        let blocks: Vec<&ByRepeat> = entering().map(|sides| &sides[place]).collect();
        sample(&over_blocks(&blocks)).ok_or(NoInterval::NotFinite)
    };
    let (value, instead_of) = (side(0)?, side(1)?);
    let of_block = |[a, b]: &[ByRepeat; 2]| {
        (counts(a) && counts(b)).then(|| mean(a.values().copied()) - mean(b.values().copied()))
    };
    Ok(Contrast {
        scale,
        test: t_test::welch(&value, &instead_of, level)?,
        blocks: sides.iter().map(of_block).collect(),
        repeats: value.count().min(instead_of.count()),
    })
}

/// Whether the effect in some blocks differs from that in the others: the difference of both within repeats.
///
/// # Errors
/// [`NoInterval::TooFewTrials`] if either has no block with enough repeats, or too few repeats are shared.
pub fn interaction(
    blocks: &[Block],
    others: &[Block],
    scale: Scale,
    level: Level,
) -> Result<TTest, NoInterval> {
    let values = |blocks: &[Block]| {
        let differences: Vec<ByRepeat> = blocks.iter().map(|block| block.differences(scale)).collect();
        let entering: Vec<&ByRepeat> = differences.iter().filter(|block| counts(block)).collect();
        enough_trials(if entering.is_empty() { 0 } else { MIN_TRIALS_FOR_INTERVAL })?;
        Ok(over_blocks(&entering))
    };
    let (ones, others) = (values(blocks)?, values(others)?);
    let shared: ByRepeat =
        ones.iter().filter_map(|(repeat, value)| Some((*repeat, value - others.get(repeat)?))).collect();
    enough_trials(shared.len())?;
    t_test::paired(&sample(&shared).ok_or(NoInterval::NotFinite)?, level)
}

/// The mean effect if there are too few repeats for an interval; `None` if no block has a repeat of both.
pub fn without_interval(blocks: &[Block], scale: Scale) -> Option<f64> {
    let means: Vec<f64> = blocks.iter().filter_map(|block| block.mean_difference(scale)).collect();
    (!means.is_empty()).then(|| mean(means.into_iter()))
}

/// Tests contrasts that answer one question together: the probability that any contrast without an effect is called real stays
/// below the level's error rate, by Holm's procedure. `worth_finding` is the effect, on the contrast's scale, for which the number
/// of repeats is computed.
pub fn judge(family: &[Contrast], level: Level, worth_finding: f64) -> Vec<Judged> {
    let p_values: Vec<f64> = family.iter().map(|contrast| contrast.test.p_value).collect();
    // p-values of finite samples are probabilities, so neither call can fail.
    let adjusted = correction::holm(&p_values).unwrap_or_default();
    let rates = correction::holm_rates(&p_values, level.error_rate()).unwrap_or_default();
    let strictest = Level::new(1.0 - level.error_rate() / family.len().max(1) as f64).unwrap_or(level);
    // Repeats are the same in nearly all contrasts.
    let mut shifts: BTreeMap<usize, Option<f64>> = BTreeMap::new();
    let mut smallest = |pairs: usize, deviation: f64| {
        let shift =
            shifts.entry(pairs).or_insert_with(|| power::smallest_shift(pairs, strictest, POWER).ok());
        Some((*shift)? * deviation / (pairs as f64).sqrt())
    };
    let needed = |deviation| power::pairs_needed(worth_finding, deviation, strictest, POWER, MOST_REPEATS);
    let judged = family.iter().zip(adjusted.into_iter().zip(rates));
    judged
        .map(|(contrast, (adjusted_p_value, rate))| {
            let test = &contrast.test;
            let own_level = Level::new(1.0 - rate).unwrap_or(level);
            let deviation = deviation(contrast);
            Judged {
                real: test.p_value < rate,
                adjusted_p_value,
                interval: test.at_level(own_level).interval,
                smallest_found: deviation.and_then(|deviation| smallest(contrast.repeats, deviation)),
                repeats_needed: deviation.and_then(needed),
            }
        })
        .collect()
}

/// The deviation of the repeats' values, if trials were pairs and something varies.
fn deviation(contrast: &Contrast) -> Option<f64> {
    let paired = contrast.test.interval.method == Method::PairedT;
    let deviation = contrast.test.standard_error * (contrast.repeats as f64).sqrt();
    (paired && deviation > 0.0).then_some(deviation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draws;

    fn by_repeat(values: &[f64]) -> ByRepeat {
        (0..).zip(values.iter().copied()).collect()
    }

    fn block(value: &[f64], instead_of: &[f64]) -> Block {
        Block { value: by_repeat(value), instead_of: by_repeat(instead_of) }
    }

    /// Nearly normal: the sum of twelve uniform draws minus six.
    fn normal(draws: &mut Draws) -> f64 {
        (0..12).map(|_| draws.index(1 << 20) as f64 / f64::from(1 << 20)).sum::<f64>() - 6.0
    }

    const DRIFT: [f64; 5] = [100.0, 140.0, 90.0, 120.0, 160.0];

    #[test]
    fn what_repeats_and_blocks_share_drops_out() {
        let slower = DRIFT.map(|value| value * 1.5);
        let blocks = [block(&slower, &DRIFT), block(&slower.map(|v| v * 7.0), &DRIFT.map(|v| v * 7.0))];
        assert_eq!(scale_of(&blocks), Scale::Logarithms);
        let found = contrast(&blocks, Scale::Logarithms, Level::P95).unwrap();
        assert!((found.test.difference.exp() - 1.5).abs() < 1e-12);
        assert_eq!((found.repeats, found.blocks.len()), (5, 2));
        assert!(found.test.p_value < 1e-9);
    }

    /// A single block gives the paired t test.
    #[test]
    fn one_block_is_a_paired_t_test() {
        let (a, b) = ([5.1, 6.3, 4.8, 5.5, 6.0], [5.0, 6.0, 5.1, 5.2, 5.5]);
        let found = contrast(&[block(&a, &b)], Scale::Values, Level::P95).unwrap();
        let differences: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
        let plain = t_test::paired(&Sample::new(differences).unwrap(), Level::P95).unwrap();
        assert!((found.test.p_value - plain.p_value).abs() < 1e-12);
        assert!((found.test.difference - plain.difference).abs() < 1e-12);
    }

    /// A repeat that only a slow block has does not pull the mean to that block.
    #[test]
    fn a_missing_trial_does_not_shift_the_effect() {
        let mut gap = block(&DRIFT.map(|value| value + 2.0), &DRIFT);
        let whole = block(&DRIFT.map(|value| value + 10.0), &DRIFT);
        let six = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        gap.value = by_repeat(&six.map(|value| value + 2.0));
        gap.instead_of = by_repeat(&six);
        let found = contrast(&[gap, whole], Scale::Values, Level::P95).unwrap();
        assert!((found.test.difference - 6.0).abs() < 1e-12 && found.test.standard_error < 1e-12);
        assert_eq!(found.repeats, 6);
    }

    #[test]
    fn blocks_with_few_repeats_are_left_out_and_said_to_be() {
        let few = block(&[1.0, 2.0], &[9.0, 9.0]);
        let whole = block(&DRIFT.map(|value| value + 1.0), &DRIFT);
        let found = contrast(&[few.clone(), whole], Scale::Values, Level::P95).unwrap();
        assert_eq!(found.blocks, [None, Some(1.0)]);
        assert!(contrast(std::slice::from_ref(&few), Scale::Values, Level::P95).is_err());
        assert_eq!(without_interval(&[few], Scale::Values), Some(-7.5));
        assert_eq!(without_interval(&[], Scale::Values), None);
    }

    #[test]
    fn an_effect_that_is_elsewhere_another_one_is_an_interaction() {
        let noise = [0.1, -0.2, 0.15, -0.05, 0.0];
        let shifted = |by: f64| {
            let values: Vec<f64> = DRIFT.iter().zip(noise).map(|(value, noise)| value + by + noise).collect();
            block(&values, &DRIFT)
        };
        let there = interaction(&[shifted(30.0)], &[shifted(1.0)], Scale::Values, Level::P95).unwrap();
        assert!((there.difference - 29.0).abs() < 1e-9 && there.p_value < 1e-6);
        let none = interaction(&[shifted(1.0)], &[shifted(1.0)], Scale::Values, Level::P95).unwrap();
        assert_eq!(none.p_value, 1.0);
    }

    /// Families of ten contrasts without an effect, where blocks of one repeat share much: at most one family in twenty has a false
    /// one. Of 400 families 5 % are 20; more than 34 would be rarer than one in a thousand.
    #[test]
    fn a_family_without_effects_stays_silent() {
        let mut draws = Draws::seeded(20_261_124);
        let mut alarms = 0;
        for _ in 0..400 {
            let family: Vec<Contrast> = (0..10)
                .map(|_| {
                    let shared: Vec<[f64; 2]> =
                        (0..5).map(|_| [0.3 * normal(&mut draws), 0.3 * normal(&mut draws)]).collect();
                    let blocks: Vec<Block> = (0..6)
                        .map(|_| {
                            let mut side = |place: usize| -> Vec<f64> {
                                shared.iter().map(|s| (s[place] + 0.2 * normal(&mut draws)).exp()).collect()
                            };
                            block(&side(0), &side(1))
                        })
                        .collect();
                    contrast(&blocks, Scale::Logarithms, Level::P95).unwrap()
                })
                .collect();
            alarms += usize::from(judge(&family, Level::P95, 0.1).iter().any(|one| one.real));
        }
        assert!(alarms <= 34, "{alarms} of 400 families have a false difference");
    }

    #[test]
    fn verdict_interval_and_smallest_difference_agree() {
        let slower = [151.0, 209.0, 136.0, 178.0, 241.0];
        let real = contrast(&[block(&slower, &DRIFT)], Scale::Logarithms, Level::P95).unwrap();
        let none =
            contrast(&[block(&[101.0, 138.0, 92.0, 118.0, 161.0], &DRIFT)], Scale::Logarithms, Level::P95);
        let judged = judge(&[real, none.unwrap()], Level::P95, 0.1);
        assert_eq!(judged.iter().map(|one| one.real).collect::<Vec<_>>(), [true, false]);
        for one in judged {
            assert_eq!(one.real, !one.interval.contains(0.0));
            let (smallest, needed) = (one.smallest_found.unwrap(), one.repeats_needed.unwrap());
            assert_eq!(smallest <= 0.1, needed == 5, "{smallest} {needed}");
        }
    }

    #[test]
    fn runs_that_share_nothing_are_compared_by_welch() {
        let a = [10.0, 11.0, 9.5, 10.5, 10.2, 9.9];
        let b = [12.0, 13.1, 12.4, 11.8, 12.9];
        let found = independent(&[block(&b, &a)], Scale::Values, Level::P95).unwrap();
        let plain =
            t_test::welch(&Sample::new(b.to_vec()).unwrap(), &Sample::new(a.to_vec()).unwrap(), Level::P95);
        assert!((found.test.p_value - plain.unwrap().p_value).abs() < 1e-12);
    }
}

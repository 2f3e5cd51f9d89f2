//! One effect while it is computed: its pairs, its estimate and its verdict.
//!
//! One file because the verdict uses the pairs, the estimate and the interval of the same draft.

use wiredyno_model::Range;
use wiredyno_model::metric::{MetricInfo, Scope};
use wiredyno_model::summary::{Effect, EffectAt, EffectScale, EffectVerdict, Metric};
use wiredyno_stats::best::Scale;
use wiredyno_stats::contrast::{self, Block, Contrast, Judged};
use wiredyno_stats::{Level, MIN_TRIALS_FOR_INTERVAL, Proportion};

use super::dependence::WORTH_SPLITTING;
use super::words::clause;
use super::{LOST, Question, SMALL, SMALL_SHARE};
use crate::conclusion::{Conclusion, shown};
use crate::things::Thing;

/// Two things that differ in one value.
pub(crate) struct Pair<'a> {
    pub value: &'a Thing<'a>,
    pub instead_of: &'a Thing<'a>,
}

/// An effect being computed.
pub(super) struct Draft<'a> {
    pub(super) question: &'a Question<'a>,
    pub(super) metric: &'a MetricInfo,
    /// The pairs that have the metric, and their blocks.
    pairs: Vec<&'a Pair<'a>>,
    blocks: Vec<Block>,
    pub(super) scale: Scale,
    /// If the samples alone decide it: both sides' values in each block.
    exact: Option<Vec<[f64; 2]>>,
    pub(super) contrast: Option<Contrast>,
    pub(super) judged: Option<Judged>,
    pub(super) depends_on: Vec<EffectAt>,
    /// Pairs that do not enter it, and why.
    pub(super) without: Vec<(String, String)>,
}

impl<'a> Draft<'a> {
    /// Returns the reason if there is no answer.
    pub(super) fn of(question: &'a Question<'a>, metric: &'a MetricInfo) -> Result<Draft<'a>, String> {
        let mut without = Vec::new();
        let (mut pairs, mut blocks) = (Vec::new(), Vec::new());
        for pair in &question.pairs {
            match pair.block(metric, question) {
                Ok(block) => {
                    pairs.push(pair);
                    blocks.push(block);
                }
                Err(lack) => without.push((pair.value.name(), lack)),
            }
        }
        if blocks.is_empty() {
            let why = without.into_iter().next().map(|(_, why)| why);
            return Err(why.unwrap_or_else(|| "nothing was measured".to_owned()));
        }
        let exact = metric.exact.then(|| blocks.iter().map(Block::constants).collect()).flatten();
        // A share is compared in percentage points: 0 lost has no logarithm, and twice as much of nearly nothing means nothing.
        let scale = match metric.range {
            Range::Positive => contrast::scale_of(&blocks),
            Range::Share | Range::Signed => Scale::Values,
        };
        let compare = if question.paired { contrast::contrast } else { contrast::independent };
        let contrast = if exact.is_some() { None } else { compare(&blocks, scale, Level::P95).ok() };
        // If others have enough repeats for a test, those that don't are left out.
        let entered = contrast.as_ref().map_or(&[][..], |contrast| &contrast.blocks);
        for ((pair, block), _) in pairs.iter().zip(&blocks).zip(entered).filter(|(_, of)| of.is_none()) {
            let repeats = block.pairs(question.paired);
            without.push((
                pair.value.name(),
                format!(
                    "{repeats} repeats are complete on both sides, a test needs {MIN_TRIALS_FOR_INTERVAL}"
                ),
            ));
        }
        let depends_on = Vec::new();
        Ok(Draft {
            question,
            metric,
            pairs,
            blocks,
            scale,
            exact,
            contrast,
            judged: None,
            depends_on,
            without,
        })
    }

    /// The effect on the scale of the comparison; `None` if nothing can be compared.
    fn estimate(&self) -> Option<f64> {
        if let Some(contrast) = &self.contrast {
            return Some(contrast.test.difference);
        }
        let of_block = self.of_block();
        (!of_block.is_empty()).then(|| of_block.iter().sum::<f64>() / of_block.len() as f64)
    }

    /// The effect in each block that was compared.
    fn of_block(&self) -> Vec<f64> {
        if let Some(contrast) = &self.contrast {
            return contrast.blocks.iter().copied().flatten().collect();
        }
        let is_paired = self.question.paired && self.exact.is_none();
        let difference = |block: &Block| {
            if is_paired { block.mean_difference(self.scale) } else { block.difference_of_means(self.scale) }
        };
        self.blocks.iter().filter_map(difference).collect()
    }

    /// What the samples decide: one trial of each side is enough.
    fn exact_verdict(&self, sides: &[[f64; 2]]) -> EffectVerdict {
        let estimate = self.estimate().unwrap_or(0.0);
        match sides.iter().any(|[instead_of, value]| instead_of != value) {
            false => EffectVerdict::NoDifference,
            true if estimate == 0.0 => EffectVerdict::Different,
            true => shown(self.metric.better, estimate > 0.0),
        }
    }

    fn back(&self, value: f64) -> f64 {
        if self.scale == Scale::Logarithms { value.exp() } else { value }
    }

    /// The means of both sides in each pair that was compared.
    fn sides(&self) -> Vec<[f64; 2]> {
        let mean =
            |thing: &Thing<'_>| thing.metrics.get(&self.metric.name).map(|metric: &Metric| metric.mean);
        let both = |pair: &Pair<'_>| Some([mean(pair.instead_of)?, mean(pair.value)?]);
        let entered = |place: usize| {
            let blocks = self.contrast.as_ref().map(|contrast| &contrast.blocks);
            blocks.is_none_or(|blocks| blocks.get(place).is_none_or(Option::is_some))
        };
        self.pairs
            .iter()
            .enumerate()
            .filter(|(place, _)| entered(*place))
            .filter_map(|(_, pair)| both(pair))
            .collect()
    }

    fn means(&self) -> [f64; 2] {
        let sides = self.sides();
        let over = |of: &dyn Fn(f64) -> f64, place: usize| {
            sides.iter().map(|side| of(side[place])).sum::<f64>() / sides.len().max(1) as f64
        };
        [0, 1].map(|place| match self.scale {
            Scale::Logarithms => over(&f64::ln, place).exp(),
            Scale::Values => over(&|mean| mean, place),
        })
    }

    fn difference(&self) -> f64 {
        let sides = self.sides();
        sides.iter().map(|[without, with]| with - without).sum::<f64>() / sides.len().max(1) as f64
    }

    fn verdict(&self) -> EffectVerdict {
        if let Some(sides) = &self.exact {
            return self.exact_verdict(sides);
        }
        let Some(judged) = self.judged else { return EffectVerdict::NoInterval };
        let [low, high] = [judged.interval.low, judged.interval.high];
        if !judged.real {
            let small = match self.scale {
                Scale::Logarithms => SMALL.ln(),
                // For a share, a percentage point; for other differences, the same fraction of the mean.
                Scale::Values if self.metric.range == Range::Share => SMALL_SHARE,
                Scale::Values => (SMALL - 1.0) * self.means()[0].abs(),
            };
            return if low >= -small && high <= small {
                EffectVerdict::NoDifference
            } else {
                EffectVerdict::Undecided
            };
        }
        shown(self.metric.better, low > 0.0)
    }

    /// The interval on the scale of the comparison.
    fn interval(&self) -> Option<[f64; 2]> {
        if self.exact.is_some() {
            return self.estimate().map(|estimate| [estimate; 2]);
        }
        self.judged.map(|judged| [judged.interval.low, judged.interval.high])
    }

    /// The most trials of a block that were compared.
    fn repeats(&self) -> usize {
        let is_paired = self.question.paired && self.exact.is_none();
        let most = || self.blocks.iter().map(|block| block.pairs(is_paired)).max().unwrap_or(0);
        self.contrast.as_ref().map_or_else(most, |contrast| contrast.repeats)
    }

    /// Messages lost and sent on both sides, for loss itself and for a metric that only messages that arrived have, if any were lost.
    fn lost_beside(&self) -> Option<[(u64, u64); 2]> {
        let is_told = self.metric.of_arrived || self.metric.name == LOST;
        let of = |thing: fn(&Pair<'a>) -> &'a Thing<'a>| {
            let all = self.pairs.iter().filter_map(|pair| thing(pair).delivery);
            all.fold((0, 0), |(lost, sent), of| (lost + of.lost, sent + of.sent))
        };
        let both = [of(|pair| pair.instead_of), of(|pair| pair.value)];
        (is_told && both.iter().any(|(lost, _)| *lost > 0)).then_some(both)
    }

    pub(super) fn effect(&self, family: usize) -> Effect {
        let question = self.question;
        let lost = self.lost_beside();
        let share = |(lost, sent): (u64, u64)| if sent == 0 { 0.0 } else { lost as f64 / sent as f64 };
        let estimate = self.estimate().unwrap_or(0.0);
        let of_block = self.of_block();
        let same = of_block.iter().filter(|of| **of * estimate > 0.0 || **of == estimate).count();
        let mut effect = Effect {
            axis: question.axis.clone(),
            value: question.value.clone(),
            instead_of: question.instead_of.clone(),
            payload: question.payload.clone(),
            scope: if self.metric.scope == Scope::Message { "message" } else { "codec" }.to_owned(),
            metric: self.metric.name.clone(),
            unit: self.metric.unit.name().to_owned(),
            scale: match self.scale {
                Scale::Logarithms => EffectScale::Factor,
                Scale::Values => EffectScale::Difference,
            },
            estimate: self.back(estimate),
            interval: self.interval().map(|interval| interval.map(|end| self.back(end))),
            verdict: self.verdict(),
            means: self.means(),
            difference: self.difference(),
            combinations: of_block.len() as u32,
            same_direction: same as u32,
            repeats: self.repeats() as u32,
            family: if self.exact.is_some() { 1 } else { family.max(1) as u32 },
            smallest_found: self
                .judged
                .and_then(|judged| judged.smallest_found)
                .map(|found| self.back(found)),
            repeats_needed: self
                .judged
                .filter(|_| self.scale == Scale::Logarithms)
                .and_then(|judged| judged.repeats_needed.map(|repeats| repeats as u32)),
            depends_on: self.depends_on.clone(),
            lost: lost.map(|both| both.map(share)),
            sent: lost.map(|both| both.map(|(_, sent)| sent)),
            clock_bound_ns: None,
            text: String::new(),
        };
        if let Some(bound_ns) = self.left_open_by_clocks(&effect) {
            (effect.verdict, effect.clock_bound_ns) = (EffectVerdict::Undecided, Some(bound_ns));
            effect.depends_on = Vec::new();
        }
        if let Some([value, instead_of]) = self.constant_losses() {
            let none = value.hits() + instead_of.hits() == 0;
            let error = Level::P95.error_rate() / if none { 1.0 } else { f64::from(effect.family) };
            let level = Level::new(1.0 - error).unwrap_or(Level::P95);
            let [low, high] = value.difference(instead_of, level);
            effect.interval = Some([low, high]);
            effect.verdict = match Conclusion::of([low, high], |end| end.abs() <= SMALL_SHARE) {
                _ if low > 0.0 || high < 0.0 => shown(self.metric.better, low > 0.0),
                Conclusion::NoDifference => EffectVerdict::NoDifference,
                _ => EffectVerdict::Undecided,
            };
        }
        effect.text = clause(&effect, self.metric).to_plain();
        effect
    }

    /// How far two clocks may have made up a latency's difference, if that leaves open what the trials seem to show. What a clock is wrong by is the same in all of
    /// them, so repeats do not help, and the interval is as much wider: on the scale of the comparison, by what it can be in each pair.
    fn left_open_by_clocks(&self, effect: &Effect) -> Option<u64> {
        let bound_ns = |thing: &Thing<'_>| thing.clock_bound_ns(&self.metric.name);
        let bounds_ns = |pair: &&Pair<'_>| bound_ns(pair.value).saturating_add(bound_ns(pair.instead_of));
        let most_ns = self.pairs.iter().map(bounds_ns).max().filter(|most_ns| *most_ns > 0)?;
        let mean = |thing: &Thing<'_>| thing.metrics.get(&self.metric.name).map(|metric| metric.mean);
        let shift = |pair: &&Pair<'_>| -> Option<f64> {
            let (value, instead_of) = (mean(pair.value)?, mean(pair.instead_of)?);
            let (own, other) = (bound_ns(pair.value) as f64, bound_ns(pair.instead_of) as f64);
            Some(match self.scale {
                Scale::Values => own + other,
                // Downwards is further than upwards; of a latency below its bound nothing is known.
                Scale::Logarithms if own >= value || other >= instead_of => f64::INFINITY,
                Scale::Logarithms => -((value - own) / value).ln() - ((instead_of - other) / instead_of).ln(),
            })
        };
        let shifts: Vec<f64> = self.pairs.iter().filter_map(shift).collect();
        let shift = shifts.iter().sum::<f64>() / shifts.len().max(1) as f64;
        let [low, high] =
            effect.interval?.map(|end| if self.scale == Scale::Logarithms { end.ln() } else { end });
        let small = match self.scale {
            Scale::Logarithms => SMALL.ln(),
            Scale::Values => (SMALL - 1.0) * self.means()[0].abs(),
        };
        let is_open = match effect.verdict {
            EffectVerdict::Better | EffectVerdict::Worse | EffectVerdict::Different => {
                low.abs().min(high.abs()) <= shift
            }
            EffectVerdict::NoDifference => low.abs().max(high.abs()) + shift > small,
            EffectVerdict::Undecided | EffectVerdict::NoInterval => false,
        };
        is_open.then_some(most_ns)
    }

    /// The shares of messages lost, of the value and of its reference, if all trials of a cell lost the same share: they do not vary, and
    /// the number of messages bounds the loss.
    fn constant_losses(&self) -> Option<[Proportion; 2]> {
        if self.metric.name != LOST || self.blocks.iter().any(|block| block.constants().is_none()) {
            return None;
        }
        let share = |thing: fn(&Pair<'a>) -> &'a Thing<'a>| {
            let all = self.pairs.iter().filter_map(|pair| thing(pair).delivery);
            let (lost, sent) = all.fold((0, 0), |(lost, sent), of| (lost + of.lost, sent + of.sent));
            Proportion::new(lost, sent).ok()
        };
        let shares = [share(|pair| pair.value)?, share(|pair| pair.instead_of)?];
        // A few trials may have lost the same by chance.
        let is_enough =
            shares.iter().all(|share| share.hits() == 0) || self.repeats() >= MIN_TRIALS_FOR_INTERVAL;
        is_enough.then_some(shares)
    }
}

impl Pair<'_> {
    /// Both sides' trials for a metric, or why they can't be compared.
    fn block(&self, metric: &MetricInfo, question: &Question<'_>) -> Result<Block, String> {
        let hops = [self.instead_of.hops, self.value.hops];
        if let ([Some(one), Some(other)], Scope::Message, false) = (hops, metric.scope, metric.exact)
            && one != other
            && !question.anyway
        {
            return Err(HOPS.to_owned());
        }
        // A metric known only for a part of the messages may cover just the irrelevant part.
        let lacks = |thing: &Thing<'_>| format!("{}: {}", thing.name(), thing.why_no(&metric.name));
        let value = self.value.metric(&metric.name).ok_or_else(|| lacks(self.value))?;
        let instead_of = self.instead_of.metric(&metric.name).ok_or_else(|| lacks(self.instead_of))?;
        if value.unit != instead_of.unit {
            return Err(format!("the units differ: {} and {}", instead_of.unit, value.unit));
        }
        let block = Block { value: value.by_repeat.clone(), instead_of: instead_of.by_repeat.clone() };
        let is_paired = question.paired && !metric.exact;
        if block.pairs(is_paired) == 0 {
            return Err(format!("{}: no repeat is complete on both sides", self.value.name()));
        }
        Ok(block)
    }
}

/// Why one hop is not compared with two.
pub(crate) const HOPS: &str =
    "one hop against two: a message goes directly to the subscriber here, over a broker there";

impl<'a> Draft<'a> {
    /// The axes on which some pair has a value, in their order.
    pub(super) fn axes(&self) -> Vec<&'a str> {
        let mut axes: Vec<&str> = Vec::new();
        for (axis, _) in self.pairs.iter().flat_map(|pair| &pair.value.values) {
            if !axes.contains(axis) {
                axes.push(axis);
            }
        }
        axes
    }

    /// The values of another axis among the pairs, in their order.
    pub(super) fn values_of(&self, axis: &str) -> Vec<String> {
        let mut values: Vec<String> = Vec::new();
        for value in self.pairs.iter().filter_map(|pair| pair.value.value(axis)) {
            if !values.iter().any(|known| known == value) {
                values.push(value.to_owned());
            }
        }
        values
    }

    /// The blocks at a value of another axis, and those at its other values.
    pub(super) fn parted(&self, axis: &str, value: &str) -> (Vec<Block>, Vec<Block>) {
        let all = self.pairs.iter().zip(&self.blocks).filter(|(pair, _)| pair.value.value(axis).is_some());
        let (own, others): (Vec<_>, Vec<_>) =
            all.partition(|(pair, _)| pair.value.value(axis) == Some(value));
        let blocks = |of: Vec<(_, &Block)>| of.into_iter().map(|(_, block)| block.clone()).collect();
        (blocks(own), blocks(others))
    }

    pub(super) fn at_values_of(&self, axis: &str, level: Level) -> Vec<EffectAt> {
        let at = |value: String| {
            let (own, _) = self.parted(axis, &value);
            let contrast = contrast::contrast(&own, self.scale, level).ok()?;
            let interval = contrast.test.interval;
            Some(EffectAt {
                axis: axis.to_owned(),
                value,
                estimate: self.back(contrast.test.difference),
                interval: Some([interval.low, interval.high].map(|end| self.back(end))),
            })
        };
        self.values_of(axis).into_iter().filter_map(at).collect()
    }

    pub(super) fn is_worth_splitting(&self, at: &[EffectAt]) -> bool {
        let least = at.iter().map(|one| one.estimate).fold(f64::INFINITY, f64::min);
        let most = at.iter().map(|one| one.estimate).fold(f64::NEG_INFINITY, f64::max);
        match self.scale {
            Scale::Logarithms => most / least > WORTH_SPLITTING,
            Scale::Values if self.metric.range == Range::Share => {
                most - least > (WORTH_SPLITTING - 1.0) / 10.0
            }
            Scale::Values => true,
        }
    }
}

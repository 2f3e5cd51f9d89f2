//! Effects that depend on another axis: found by comparing the effect at each of its values.

use std::collections::BTreeMap;

use wiredyno_model::summary::EffectAt;
use wiredyno_stats::Level;
use wiredyno_stats::best::Scale;
use wiredyno_stats::contrast::{self};

use super::draft::Draft;

/// An effect that depends on another axis is split only if its extremes differ by more than this factor.
pub(super) const WORTH_SPLITTING: f64 = 1.1;

/// A test of whether an effect depends on another axis: the draft, the axis, and the test's p-value.
struct Dependence<'a> {
    draft: usize,
    axis: &'a str,
    p_value: f64,
}

/// Finds the other axis on which each effect depends, if any; all these tests are a family, too.
pub(super) fn split<'a>(drafts: &mut [Draft<'a>]) {
    let mut tests = Vec::new();
    for (place, draft) in drafts.iter().enumerate() {
        if draft.contrast.is_none() || !draft.question.paired {
            continue;
        }
        let is_asked = |axis: &str| draft.question.axis.split('+').any(|asked| asked == axis);
        for axis in draft
            .axes()
            .into_iter()
            .filter(|axis| !is_asked(axis) && *axis != "payload" && !axis.contains('+'))
        {
            let values = draft.values_of(axis);
            if values.len() < 2 {
                continue;
            }
            // Two values are one question; of more, each is compared with all others.
            let asked = if values.len() == 2 { &values[..1] } else { &values[..] };
            let p_values = asked.iter().filter_map(|value| {
                let (own, others) = draft.parted(axis, value);
                let test = contrast::interaction(&own, &others, draft.scale, Level::P95).ok()?;
                Some(test.p_value)
            });
            tests.extend(p_values.map(|p_value| Dependence { draft: place, axis, p_value }));
        }
    }
    let p_values: Vec<f64> = tests.iter().map(|test| test.p_value).collect();
    let adjusted = wiredyno_stats::correction::holm(&p_values).unwrap_or_default();
    let mut found: BTreeMap<usize, (&'a str, f64)> = BTreeMap::new();
    for (test, adjusted) in tests.iter().zip(adjusted) {
        let best = found.get(&test.draft).map_or(f64::INFINITY, |(_, p_value)| *p_value);
        if adjusted < Level::P95.error_rate() && test.p_value < best {
            found.insert(test.draft, (test.axis, test.p_value));
        }
    }
    for (place, (axis, _)) in found {
        let at = drafts[place].at_values_of(axis, Level::P95);
        if drafts[place].is_worth_splitting(&at) {
            drafts[place].depends_on = at;
        }
    }
}

/// The axes that may separate lossless from lossy conditions: the loss set for all links, else the links with their own losses.
const OF_LOSS: [&str; 2] = ["loss", "link"];

/// Separates lossless and lossy conditions if all together decide nothing. These tests are corrected for the largest possible number of
/// them.
pub(super) fn split_by_loss(drafts: &mut [Draft<'_>], family: usize) {
    for draft in drafts {
        let is_open = draft.judged.is_some_and(|judged| !judged.real) && draft.depends_on.is_empty();
        let asked = &draft.question.axis;
        let told_by =
            OF_LOSS.iter().map(|axis| (axis, draft.values_of(axis))).find(|(_, values)| values.len() > 1);
        let Some((axis, values)) = told_by.filter(|(axis, _)| !asked.split('+').any(|asked| asked == **axis))
        else {
            continue;
        };
        if !is_open || !draft.question.paired {
            continue;
        }
        let error = Level::P95.error_rate() / (family.max(1) * values.len()) as f64;
        let at = draft.at_values_of(axis, Level::new(1.0 - error).unwrap_or(Level::P95));
        let none = if draft.scale == Scale::Logarithms { 1.0 } else { 0.0 };
        let is_shown = |one: &EffectAt| one.interval.is_some_and(|[low, high]| low > none || high < none);
        if at.iter().any(is_shown) {
            draft.depends_on = at;
        }
    }
}

//! What the controls found: differences that were made and must be shown, and differences that do not exist and must not.

use std::collections::BTreeMap;

use serde::Serialize;
use wiredyno_conducting::observe::{codec_value, message_value};
use wiredyno_contract::PayloadId;
use wiredyno_model::Study;
use wiredyno_stats::{Level, MIN_TRIALS_FOR_INTERVAL, Sample, power, t_test};
use wiredyno_store::RunTrials;

use super::{Control, FALSE_ALARM, POWER, Part, Place, TOLD_REPEATS};

/// The result of a control.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The control that was run.
    pub control: Control,
    /// Name of the metric that shows the difference.
    pub metric: &'static str,
    /// The deliberate difference: a ratio less 1, or a difference of shares.
    pub made: f64,
    /// Repeats in which all its cells were complete.
    pub pairs: usize,
    /// The difference between the cells with and without it.
    pub difference: Difference,
    /// Whether the test found it.
    pub found: bool,
    /// Probability that a test of this many pairs finds the deliberate difference.
    pub power: f64,
    /// The smallest difference that a study finds in four of five cases, by the number of repeats.
    pub smallest: Vec<(usize, f64)>,
    /// The difference between equal cells.
    pub between_equal: Difference,
    /// Whether equal cells count as different; 5 % of self-tests report that by chance.
    pub false_alarm: bool,
}

/// A difference with its interval at 95 % and the p-value of no difference; in the scale of [`Control::is_ratio`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Difference {
    /// The mean over the pairs of trials.
    pub mean: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
    /// Probability of a difference at least this large if there is none.
    pub p_value: f64,
}

/// Judges the trials of a control.
///
/// # Errors
/// With what to do if too few of its repeats are complete.
pub fn judge(part: &Part, trials: &RunTrials, study: &Study) -> Result<Finding, String> {
    let control = part.control;
    let base = values(control, control.differing()[0], trials, study);
    let made = part.made(base.values().sum::<f64>() / base.len().max(1) as f64);
    let differing = differences(control, control.differing(), trials, study)?;
    let equal = differences(control, control.equal(), trials, study)?;
    let deviation = differing.standard_deviation().unwrap_or(0.0);
    let scaled = |value: f64| if control.is_ratio() { value.exp_m1() } else { value };
    let shift = if control.is_ratio() { made.ln_1p() } else { made };
    let tested = |differences: &Sample| {
        let test = t_test::paired(differences, Level::P95).map_err(|error| error.to_string())?;
        let (low, high) = (scaled(test.interval.low), scaled(test.interval.high));
        Ok::<_, String>(Difference { mean: scaled(test.difference), low, high, p_value: test.p_value })
    };
    let (difference, between_equal) = (tested(&differing)?, tested(&equal)?);
    let smallest = TOLD_REPEATS.into_iter().map(|repeats| {
        let smallest = power::smallest_found(deviation, repeats, Level::P95, POWER);
        Ok((repeats, scaled(smallest.map_err(|error| error.to_string())?)))
    });
    let pairs = differing.count();
    Ok(Finding {
        control,
        metric: control.metric(),
        made,
        pairs,
        found: difference.p_value < Level::P95.error_rate() && difference.mean > 0.0,
        difference,
        power: power::of_paired_t(shift, deviation, pairs, Level::P95).map_err(|error| error.to_string())?,
        smallest: smallest.collect::<Result<_, String>>()?,
        false_alarm: between_equal.p_value < FALSE_ALARM / Control::ALL.len() as f64,
        between_equal,
    })
}

/// For each repeat in which both cells are complete, the second minus the first, on logarithms if it is a ratio.
pub(super) fn differences(
    control: Control,
    cells: [Place; 2],
    trials: &RunTrials,
    study: &Study,
) -> Result<Sample, String> {
    let [first, second] = cells.map(|place| values(control, place, trials, study));
    let pairs = first.iter().filter_map(|(repeat, first)| Some((*first, *second.get(repeat)?)));
    let differences: Vec<f64> = match control.is_ratio() {
        true => pairs.map(|(first, second)| second.ln() - first.ln()).collect(),
        false => pairs.map(|(first, second)| second - first).collect(),
    };
    if differences.len() < MIN_TRIALS_FOR_INTERVAL {
        return Err(format!(
            "only {} of {} repeats are complete, {MIN_TRIALS_FOR_INTERVAL} are needed: the machine is too busy",
            differences.len(),
            study.trials.repeats
        ));
    }
    Sample::new(differences).map_err(|error| error.to_string())
}

/// The values of a cell's complete trials in the control's metric, by repeat.
pub(super) fn values(
    control: Control,
    place: Place,
    trials: &RunTrials,
    study: &Study,
) -> BTreeMap<u32, f64> {
    let (name, size, link) = place;
    let is_payload = |id: &PayloadId| id.name == name && id.size_bytes == Some(size);
    if control.needs_link() {
        let of_cell = trials.messages.iter().filter(|trial| {
            let cell = &trial.record.cell;
            trial.record.is_complete() && is_payload(&cell.payload) && cell.link.as_str() == link
        });
        let value = |trial| message_value(control.metric(), trial, &study.hosts);
        of_cell.filter_map(|trial| Some((trial.record.repeat, value(trial)?))).collect()
    } else {
        let of_cell =
            trials.codecs.iter().filter(|trial| trial.is_complete() && is_payload(&trial.cell.payload));
        of_cell.filter_map(|trial| Some((trial.repeat, codec_value(control.metric(), trial)?))).collect()
    }
}

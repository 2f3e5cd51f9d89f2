//! How the number of trials of each cell came about, in a study with `trials.until`.

use wiredyno_model::study::Until;
use wiredyno_model::summary::{StopReason, Stopped, Summary};

use crate::quantity;
use crate::sentence::Sentence;
use crate::table::{About, Column, Row, Table, Value};

/// A cell or a codec cell: its place, its name, its valid trials, how it stopped.
type Entry = (About, String, u32, Stopped);

/// Cells that the rule stopped, in the order of the summary.
fn entries(summary: &Summary) -> Vec<Entry> {
    let cells = summary.cells.iter().enumerate().filter_map(|(place, cell)| {
        Some((About::Cell(place), cell.axes.to_string(), cell.valid_trials, cell.stopped?))
    });
    let codecs = summary.codecs.iter().enumerate().filter_map(|(place, codec)| {
        Some((About::Codec(place), codec.axes.to_string(), codec.valid_trials, codec.stopped?))
    });
    cells.chain(codecs).collect()
}

/// The rule in words: "the 95 % interval of `latency` is within 5 % of the mean, at most 30 trials".
fn rule(until: &Until) -> String {
    format!(
        "the 95 % interval of `{}` is within {} of the mean, at most {} trials",
        until.metric,
        quantity::percent(until.within.get()),
        until.at_most
    )
}

/// How many reached the precision that the study requires; `None` if it requires none, or no cell came to its
/// end.
pub fn caution(summary: &Summary) -> Option<Sentence> {
    let until = summary.study.trials.until.as_ref()?;
    let entries = entries(summary);
    if entries.is_empty() {
        return None;
    }
    let count = |why| entries.iter().filter(|(_, _, _, stopped)| stopped.why == why).count();
    let [reached, limit, without] =
        [StopReason::Reached, StopReason::Limit, StopReason::NotMeasured].map(count);
    let mut sentence = Sentence::default()
        .strong(format!("{reached} of {} combinations are as precise as asked", entries.len()))
        .then(format!(": each was repeated until {}", rule(until)));
    if limit > 0 {
        sentence = sentence.then(format!("; {limit} stopped at the limit, with wider intervals"));
    }
    if without > 0 {
        sentence = sentence.then(format!("; {without} have no such figure"));
    }
    Some(sentence.then("."))
}

/// Every combination with its trials, the precision reached, and why it stopped; `None` if the study has no
/// rule.
pub fn table(summary: &Summary) -> Option<Table> {
    let until = summary.study.trials.until.as_ref()?;
    let rows = entries(summary).into_iter().map(|(about, what, trials, Stopped { why, within })| {
        let within =
            within.map_or_else(Value::none, |ratio| Value::number(quantity::quantity(ratio, "ratio"), ratio));
        let why = match why {
            StopReason::Reached => "reached",
            StopReason::Limit => "limit",
            StopReason::NotMeasured => "no such figure",
        };
        let trials = Value::number(trials.to_string(), f64::from(trials));
        Row { about, values: vec![Value::text(what), trials, within, Value::text(why)] }
    });
    Some(Table {
        id: "stopping-table",
        caption: Sentence::plain(format!(
            "Each combination was repeated until {}. Within: half the interval as a share of the mean. A check after each \
             round tends to stop where the spread happens to look small, so these intervals cover a little less than 95 \
             %.",
            rule(until)
        )),
        columns: vec![
            Column::words("combination"),
            Column::numbers("valid trials"),
            Column::numbers("within"),
            Column::words("stopped by"),
        ],
        rows: rows.collect(),
    })
}

//! Invalid trials, counted by combination and by the stand's fault.

use std::collections::BTreeMap;

use wiredyno_model::summary::Summary;

use crate::sentence::Sentence;
use crate::table::{About, Column, Row, Table, Value};
use crate::tables::of_results;

/// A combination's trials: all, the invalid ones, and these by fault.
struct Trials<'a> {
    about: About,
    what: String,
    all: u32,
    invalid: u32,
    dropped: &'a BTreeMap<String, u32>,
}

/// Number of trials that each kind of fault disturbed: in all, and for each combination with any.
pub fn table(summary: &Summary) -> Table {
    let cells = summary.cells.iter().enumerate().map(|(place, cell)| Trials {
        about: About::Cell(place),
        what: cell.axes.to_string(),
        all: cell.trials,
        invalid: cell.outcomes.invalid,
        dropped: &cell.dropped,
    });
    let codecs = summary.codecs.iter().enumerate().map(|(place, codec)| Trials {
        about: About::Codec(place),
        what: codec.axes.to_string(),
        all: codec.trials,
        invalid: codec.outcomes.invalid,
        dropped: &codec.dropped,
    });
    let combinations: Vec<Trials<'_>> = cells.chain(codecs).collect();
    let mut in_all: BTreeMap<String, u32> = BTreeMap::new();
    for (kind, trials) in combinations.iter().flat_map(|of| of.dropped) {
        *in_all.entry(kind.clone()).or_default() += trials;
    }
    let row = |of: &Trials<'_>| {
        let mut values = vec![Value::text(&of.what), of_results(of.invalid, of.all)];
        values.extend(in_all.keys().map(|kind| match of.dropped.get(kind) {
            Some(trials) => Value::number(trials.to_string(), f64::from(*trials)),
            None => Value::none(),
        }));
        Row { about: of.about, values }
    };
    let spoilt: Vec<&Trials<'_>> = combinations.iter().filter(|of| !of.dropped.is_empty()).collect();
    let sum = Trials {
        about: About::Other,
        what: "all".to_owned(),
        all: combinations.iter().map(|of| of.all).sum(),
        invalid: combinations.iter().map(|of| of.invalid).sum(),
        dropped: &in_all,
    };
    let whole = (spoilt.len() > 1).then_some(&sum);
    let rows = whole.into_iter().chain(spoilt).map(row).collect();
    let mut columns = vec![Column::words("combination"), Column::numbers("invalid")];
    columns.extend(in_all.keys().map(Column::numbers));
    Table {
        id: "dropped-table",
        caption: Sentence::plain(
            "Invalid trials, of all that were carried out, by what was wrong with the stand. A trial can have several faults.",
        ),
        columns,
        rows,
    }
}

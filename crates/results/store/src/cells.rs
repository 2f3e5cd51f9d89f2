//! `cells.parquet`: the figures of the summary, a row for each cell and metric.

use serde_json::Value;
use wiredyno_model::cell_figure::CellFigure;
use wiredyno_model::summary::Summary;

use crate::leaves::leaves;
use crate::metadata::{self, Metadata};
use crate::table::Table;

/// The rows, `None` if there are no figures, and the meaning of the columns.
pub(crate) fn table_of(summary: &Summary) -> serde_json::Result<Option<(Table, Metadata)>> {
    let rows = summary.figures().iter().map(serde_json::to_value).collect::<Result<Vec<Value>, _>>()?;
    if rows.is_empty() {
        return Ok(None);
    }
    let leaves = leaves::<CellFigure>(&[]);
    let column = |table: Table, leaf: &crate::leaves::Leaf| {
        table.with(leaf.name(), leaf.column(rows.iter().map(|row| leaf.value(row))))
    };
    Ok(Some((leaves.iter().fold(Table::default(), column), metadata::of_leaves(&leaves))))
}

//! The figures of a summary as CSV (RFC 4180, UTF-8): the columns of `cells.parquet`, nothing where there is nothing.

use wiredyno_model::summary::Summary;

pub(crate) fn render(summary: &Summary) -> Result<String, ::csv::Error> {
    let mut rows = ::csv::Writer::from_writer(Vec::new());
    for figure in summary.figures() {
        rows.serialize(figure)?;
    }
    let bytes = rows.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

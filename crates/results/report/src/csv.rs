//! The figures of a summary as CSV (RFC 4180, UTF-8): the columns of `cells.parquet`, empty where there is no value.

use serde_json::{Map, Value};
use wiredyno_model::summary::Summary;

use crate::RenderError;

pub(crate) fn render(summary: &Summary) -> Result<String, RenderError> {
    let mut rows = ::csv::Writer::from_writer(Vec::new());
    let columns = |figure| serde_json::from_value(serde_json::to_value(figure)?);
    let figures: Vec<Map<String, Value>> = summary.figures().iter().map(columns).collect::<Result<_, _>>()?;
    if let Some(first) = figures.first() {
        rows.write_record(first.keys())?;
    }
    for figure in &figures {
        rows.write_record(figure.values().map(text))?;
    }
    let bytes = rows.into_inner().map_err(|error| ::csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

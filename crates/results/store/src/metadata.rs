//! Metadata of every Parquet file: its layout, the version that wrote it, and the meaning and unit of each column.

use std::path::Path;

use crate::error::StoreError;
use crate::leaves::{Kind, Leaf};
use crate::table::Reader;

/// The layout of the Parquet files of a run. Layout 1 had each record as JSON in the column `record` of trials.parquet, and no
/// metadata.
pub const LAYOUT: u32 = 2;

const LAYOUT_KEY: &str = "wiredyno.layout";
const VERSION_KEY: &str = "wiredyno.version";

/// Key and value pairs of a file's metadata.
pub type Metadata = Vec<(String, String)>;

/// Metadata of a file with these columns: `about.` for each, and `unit.` for numbers that have one.
pub fn of_columns<'a>(columns: impl IntoIterator<Item = (String, &'a str, Kind)>) -> Metadata {
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let mut metadata =
        vec![pair(LAYOUT_KEY, &LAYOUT.to_string()), pair(VERSION_KEY, env!("CARGO_PKG_VERSION"))];
    for (name, about, kind) in columns {
        metadata.extend(unit(&name, kind).map(|unit| (format!("unit.{name}"), unit.to_owned())));
        metadata.push((format!("about.{name}"), about.to_owned()));
    }
    metadata
}

/// Metadata of a file with a record's leaves as columns.
pub fn of_leaves<'a>(leaves: impl IntoIterator<Item = &'a Leaf>) -> Metadata {
    of_columns(leaves.into_iter().map(|leaf| (leaf.name(), leaf.about.as_str(), leaf.kind)))
}

/// Numbers that identify something instead of measuring it.
const NUMBERS_THAT_NAME: [&str; 8] =
    ["trial", "repeat", "attempt", "lane", "seed", "sequence", "loop", "batch"];

/// Figures of `cells.parquet`, whose unit is in their row.
const UNIT_IN_ROW: [&str; 4] = ["mean", "median", "p90", "p99"];

const RATIOS: [&str; 8] = [
    "loss",
    "utilisation",
    "steal",
    "busiest_thread",
    "busiest_thread_on_cpu",
    "busiest_thread_stand",
    "rate_error",
    "ratio",
];

/// The unit of a column: `ns`, `bytes`, `packets`, `per_s`, `ratio` (0..1), `count`, or `row` if it is in the row's `unit`.
fn unit(name: &str, kind: Kind) -> Option<&'static str> {
    let ends = |ending: &str| name == ending || name.ends_with(&format!("_{ending}"));
    if !matches!(kind, Kind::Integer | Kind::Unsigned | Kind::Real) || NUMBERS_THAT_NAME.contains(&name) {
        return None;
    }
    let first = name.split('_').next().unwrap_or_default();
    Some(match name {
        "min" | "max" => "row",
        _ if UNIT_IN_ROW.contains(&first) => "row",
        _ if ends("ns") => "ns",
        _ if ends("bytes") => "bytes",
        _ if ends("packets") => "packets",
        _ if name.ends_with("_per_s") => "per_s",
        _ if RATIOS.iter().any(|ratio| ends(ratio)) => "ratio",
        _ => "count",
    })
}

/// Refuses a file of a later layout, and names the version that can read it.
pub fn check(reader: &Reader, path: &Path) -> Result<(), StoreError> {
    let layout = reader.told(LAYOUT_KEY).and_then(|layout| layout.parse().ok()).unwrap_or(1);
    if layout <= LAYOUT {
        return Ok(());
    }
    let by = reader.told(VERSION_KEY).unwrap_or_else(|| "a newer version".to_owned());
    let problem = format!(
        "its layout is {layout}, and this is Wiredyno {}, which reads layouts up to {LAYOUT}: use Wiredyno {by}, which wrote \
         it, or newer",
        env!("CARGO_PKG_VERSION")
    );
    Err(StoreError::content(path, problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_that_measures_has_a_unit() {
        let of = |name| unit(name, Kind::Unsigned);
        assert_eq!((of("roles_broker_cpu_ns"), of("wire_measure_up_bytes")), (Some("ns"), Some("bytes")));
        assert_eq!((of("wire_setup_down_dropped_packets"), of("bytes")), (Some("packets"), Some("bytes")));
        assert_eq!((of("delivery_sent"), of("schedule_rate_error")), (Some("count"), Some("ratio")));
        assert_eq!((of("p99_low"), of("trial"), unit("mode", Kind::Text)), (Some("row"), None, None));
        assert_eq!(of("rate_per_s"), Some("per_s"));
    }
}

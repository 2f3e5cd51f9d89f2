//! The raw timings of codec trials, a row for each batch.

use std::path::Path;

use wiredyno_contract::Batch;
use wiredyno_model::trial::CodecTrialRecord;

use crate::error::StoreError;
use crate::leaves::Kind;
use crate::metadata::{self, Metadata};
use crate::table::{Column, Reader, Table};

/// One timed batch with its position: number of the loop, its phase, number of the batch.
struct SampleRow {
    number: usize,
    phase: &'static str,
    position: usize,
    batch: Batch,
}

pub(crate) fn table_of(trial: &CodecTrialRecord) -> Table {
    let mut rows = Vec::new();
    for (number, measured) in trial.phases.iter().enumerate() {
        let phase = measured.phase.name();
        let batches = measured.batches.iter().enumerate();
        rows.extend(batches.map(|(position, batch)| SampleRow { number, phase, position, batch: *batch }));
    }
    let integers = |of: fn(&SampleRow) -> u64| {
        Column::Integer(rows.iter().map(|row| i64::try_from(of(row)).unwrap_or(i64::MAX)).collect())
    };
    let maybe = |of: fn(&SampleRow) -> Option<u64>| {
        let whole = |row| of(row).map(|value| i64::try_from(value).unwrap_or(i64::MAX));
        Column::MaybeInteger(rows.iter().map(whole).collect())
    };
    let same = |number: u32| Column::Integer(vec![i64::from(number); rows.len()]);
    let texts = |text: String| Column::Text(vec![text; rows.len()]);
    Table::default()
        .with("trial", same(trial.trial))
        .with("payload", texts(trial.cell.payload.to_string()))
        .with("codec", texts(trial.cell.codec.to_string()))
        .with("compression", texts(trial.cell.compression.to_string()))
        .with("repeat", same(trial.repeat))
        .with("loop", integers(|row| row.number as u64))
        .with("phase", Column::Text(rows.iter().map(|row| row.phase.to_owned()).collect()))
        .with("batch", integers(|row| row.position as u64))
        .with("elapsed_ns", integers(|row| row.batch.elapsed_ns))
        .with("iterations", integers(|row| row.batch.iterations))
        .with("cpu_ns", maybe(|row| row.batch.cpu_ns))
        .with("instructions", maybe(|row| row.batch.instructions))
        .with("collections", integers(|row| row.batch.collections))
        .with("collected_ns", integers(|row| row.batch.collected_ns))
        .with("compiled_ns", integers(|row| row.batch.compiled_ns))
}

/// The meaning of the columns of samples.
pub(crate) fn about() -> Metadata {
    use Kind::{Integer, Text};
    let columns = [
        ("trial", "The number of its trial.", Integer),
        ("payload", "The payload.", Text),
        ("codec", "The codec.", Text),
        ("compression", "How its bytes are compressed.", Text),
        ("repeat", "Which repeat, from 0.", Integer),
        ("loop", "Which loop of the trial, from 0.", Integer),
        ("phase", "The phase that it timed.", Text),
        ("batch", "Which batch of the loop, from 0.", Integer),
        ("elapsed_ns", "How long the batch took.", Integer),
        ("iterations", "Calls in it.", Integer),
        ("cpu_ns", "Its CPU time; NULL where unknown.", Integer),
        ("instructions", "Its instructions; NULL where counting is not allowed.", Integer),
        ("collections", "Collections of the runner's garbage collector during it.", Integer),
        ("collected_ns", "How long these took, as reported by the collector.", Integer),
        ("compiled_ns", "How long compilers of the runner's language worked during it.", Integer),
    ];
    metadata::of_columns(columns.map(|(name, about, kind)| (name.to_owned(), about, kind)))
}

/// Adds the batches of a file to their trials, which are sorted by number.
pub(crate) fn attach(path: &Path, trials: &mut [CodecTrialRecord]) -> Result<(), StoreError> {
    if !path.exists() {
        return Ok(());
    }
    let failed = || StoreError::parquet(path);
    let reader = Reader::open(path).map_err(failed())?;
    metadata::check(&reader, path)?;
    for group in 0..reader.groups() {
        let column = |name| reader.integers(group, name).map_err(failed());
        let (numbers, loops) = (column("trial")?, column("loop")?);
        let (elapsed, iterations) = (column("elapsed_ns")?, column("iterations")?);
        let (cpu, instructions) = (column("cpu_ns")?, column("instructions")?);
        // Runs of before have none of these.
        let later = |name| reader.integers_or_absent(group, name).map_err(failed());
        let (collections, collected) = (later("collections")?, later("collected_ns")?);
        let compiled = later("compiled_ns")?;
        for row in 0..numbers.len() {
            let number = numbers[row].unwrap_or_default();
            let place = trials.binary_search_by_key(&number, |trial| i64::from(trial.trial));
            let phase = usize::try_from(loops[row].unwrap_or_default()).unwrap_or_default();
            let Some(trial) = place.ok().and_then(|place| trials.get_mut(place)) else { continue };
            if let Some(measured) = trial.phases.get_mut(phase) {
                measured.batches.push(Batch {
                    elapsed_ns: elapsed[row].unwrap_or_default().unsigned_abs(),
                    iterations: iterations[row].unwrap_or_default().unsigned_abs(),
                    cpu_ns: cpu[row].map(i64::unsigned_abs),
                    instructions: instructions[row].map(i64::unsigned_abs),
                    collections: collections[row].unwrap_or_default().unsigned_abs(),
                    collected_ns: collected[row].unwrap_or_default().unsigned_abs(),
                    compiled_ns: compiled[row].unwrap_or_default().unsigned_abs(),
                });
            }
        }
    }
    Ok(())
}

//! The table: one row a quantity, its mean over the repeats with a 95 % t interval, and what it stands beside.

use std::fmt;

use wiredyno_stats::parameter::Level;
use wiredyno_stats::{Sample, mean_interval};

/// One measured value of a row.
pub struct Value {
    /// The row's name.
    pub row: String,
    /// The unit.
    pub unit: &'static str,
    /// What was measured.
    pub measured: f64,
    /// What a model says, or what is aimed at.
    pub beside: Option<Beside>,
}

/// What a value stands beside.
#[derive(Clone)]
pub struct Beside {
    /// What it is: `told`, `PFTK`, `aim: at most`.
    pub what: &'static str,
    /// In the row's unit.
    pub value: f64,
    /// Whether the ratio of the two says anything.
    pub ratio: bool,
}

impl Value {
    pub fn new(row: impl Into<String>, unit: &'static str, measured: f64) -> Self {
        Self { row: row.into(), unit, measured, beside: None }
    }

    /// Beside what a model or the link's definition says.
    pub fn model(self, what: &'static str, value: f64) -> Self {
        Self { beside: Some(Beside { what, value, ratio: true }), ..self }
    }

    /// Beside a bound.
    pub fn aim(self, what: &'static str, value: f64) -> Self {
        Self { beside: Some(Beside { what, value, ratio: false }), ..self }
    }
}

struct Row {
    name: String,
    unit: &'static str,
    beside: Option<Beside>,
    values: Vec<f64>,
}

/// All rows, in the order in which they came, and what could not be measured.
#[derive(Default)]
pub struct Table {
    rows: Vec<Row>,
    notes: Vec<String>,
}

impl Table {
    pub fn add(&mut self, value: Value) {
        match self.rows.iter_mut().find(|row| row.name == value.row) {
            Some(row) => row.values.push(value.measured),
            None => self.rows.push(Row {
                name: value.row,
                unit: value.unit,
                beside: value.beside,
                values: vec![value.measured],
            }),
        }
    }

    /// Something that was not measured, once.
    pub fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<46} {:>11} {:>25} {:<10} beside", "", "mean", "95 % interval", "unit")?;
        for row in &self.rows {
            let Ok(sample) = Sample::new(row.values.clone()) else {
                writeln!(f, "{:<46} no finite value", row.name)?;
                continue;
            };
            let interval = match mean_interval(&sample, Level::P95) {
                Ok(interval) => format!("{:.3} .. {:.3}", interval.low, interval.high),
                Err(_) => format!("no interval ({} repeats)", row.values.len()),
            };
            write!(f, "{:<46} {:>11.3} {interval:>25} {:<10}", row.name, sample.mean(), row.unit)?;
            match &row.beside {
                Some(beside) if beside.ratio && beside.value != 0.0 => {
                    let ratio = sample.mean() / beside.value;
                    writeln!(f, " {} {:.3}: ratio {ratio:.3}", beside.what, beside.value)?;
                }
                Some(beside) => writeln!(f, " {} {:.3}", beside.what, beside.value)?,
                None => writeln!(f)?,
            }
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "not measured: {note}"))
    }
}

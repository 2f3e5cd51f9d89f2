//! The table: one row per quantity, with its mean over the repeats, a 95 % t interval, and what it is compared with.

use std::fmt;

use wiredyno_stats::parameter::Level;
use wiredyno_stats::{Sample, mean_interval};

/// One measured value of a row.
#[derive(Debug, Clone)]
pub struct Value {
    /// The row's name; values with the same name are averaged.
    pub row: String,
    /// The unit, such as `us`.
    pub unit: &'static str,
    /// The measured value, in that unit.
    pub measured: f64,
    /// A model's prediction or an aim, to compare with.
    pub beside: Option<Beside>,
}

/// What a measured value is compared with.
#[derive(Debug, Clone)]
pub struct Beside {
    /// What it is: `told`, `PFTK`, `aim: at most`.
    pub what: &'static str,
    /// Its value, in the row's unit.
    pub value: f64,
    /// Whether the measured value is expected to equal it; false for a bound.
    pub equals: bool,
}

impl Value {
    /// A value that is compared with nothing.
    pub fn new(row: impl Into<String>, unit: &'static str, measured: f64) -> Self {
        Self { row: row.into(), unit, measured, beside: None }
    }

    /// Compares it with the prediction of a model or a definition.
    pub fn model(self, what: &'static str, value: f64) -> Self {
        Self { beside: Some(Beside { what, value, equals: true }), ..self }
    }

    /// Compares it with a bound to aim at.
    pub fn aim(self, what: &'static str, value: f64) -> Self {
        Self { beside: Some(Beside { what, value, equals: false }), ..self }
    }
}

struct Row {
    name: String,
    unit: &'static str,
    beside: Option<Beside>,
    values: Vec<f64>,
}

/// All rows, in the order of their first values, and notes on what could not be measured.
#[derive(Default)]
pub struct Table {
    rows: Vec<Row>,
    notes: Vec<String>,
}

impl Table {
    /// Adds one repeat's value to its row; a new name creates a row.
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

    /// Notes something that was not measured; repeated notes are dropped.
    pub fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<46} {:>11} {:>25} {:<10} beside", "", "mean", "95 % interval", "unit")?;
        self.rows.iter().try_for_each(|row| write!(f, "{row}"))?;
        self.notes.iter().try_for_each(|note| writeln!(f, "not measured: {note}"))
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ok(sample) = Sample::new(self.values.clone()) else {
            return writeln!(f, "{:<46} no finite value", self.name);
        };
        let (mean, interval) = (sample.mean(), mean_interval(&sample, Level::P95).ok());
        let said = match &interval {
            Some(interval) => format!("{:.3} .. {:.3}", interval.low, interval.high),
            None => format!("no interval ({} repeats)", self.values.len()),
        };
        write!(f, "{:<46} {mean:>11.3} {said:>25} {:<10}", self.name, self.unit)?;
        let Some(Beside { what, value, equals }) = &self.beside else { return writeln!(f) };
        write!(f, " {what} {value:.3}")?;
        if *value != 0.0 {
            // The other value is not a measurement: the ratio's interval is the measured one, divided by it.
            write!(f, ": ratio {:.3}", mean / value)?;
            if let (true, Some(interval)) = (equals, interval) {
                write!(f, " [{:.3}, {:.3}]", interval.low / value, interval.high / value)?;
            }
        }
        writeln!(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_its_mean_interval_and_ratio() {
        let mut table = Table::default();
        for measured in [1.0, 2.0, 3.0, 4.0, 5.0] {
            table.add(Value::new("a", "us", measured).model("told", 2.0));
            table.add(Value::new("b", "us", measured).aim("aim: at most", 6.0));
        }
        table.note("c: no right".into());
        table.note("c: no right".into());
        let text = table.to_string();
        // 3 +- 2.776 * sqrt(2.5 / 5)
        assert!(
            text.contains("1.037 .. 4.963") && text.contains("told 2.000: ratio 1.500 [0.518, 2.482]"),
            "{text}"
        );
        assert!(text.contains("aim: at most 6.000: ratio 0.500\n"), "{text}");
        assert_eq!(text.matches("not measured: c: no right").count(), 1);
    }
}

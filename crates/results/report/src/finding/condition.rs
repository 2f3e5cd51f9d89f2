//! The cells that are compared with each other: those under the same condition.

use wiredyno_model::axis::TABLE;
use wiredyno_model::summary::{CellSummary, Summary};
use wiredyno_model::{AxisInfo, Part};

/// What comparable cells have in common: their values on the axes that are conditions, and the number of hops of a message if that differs
/// under them.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    given: Vec<(&'static AxisInfo, String)>,
    hops: Option<u32>,
}

impl Condition {
    fn of(cell: &CellSummary) -> Self {
        let axes = TABLE.iter().filter(|axis| axis.part == Part::Condition);
        let given = axes.filter_map(|axis| Some((axis, cell.axes.value(axis.name)?))).collect();
        Condition { given, hops: None }
    }

    /// The condition in words: `small, lte, 5 % loss, 10k/s, one hop`.
    pub fn name(&self) -> String {
        let hops = self.hops.map(|hops| if hops == 1 { "one hop" } else { "two hops" }.to_owned());
        let given = self.given.iter().map(|(axis, value)| axis.in_words(value));
        given.chain(hops).collect::<Vec<_>>().join(", ")
    }

    /// The conditions of a summary, in the order of its cells.
    pub fn all(summary: &Summary) -> Vec<Condition> {
        let mut conditions = Vec::new();
        for cell in &summary.cells {
            let condition = Condition::of(cell);
            if !conditions.contains(&condition) {
                conditions.push(condition);
            }
        }
        conditions
    }

    /// The conditions under which candidates are ranked: the same, with each number of hops separate.
    pub fn of_rankings(summary: &Summary) -> Vec<Condition> {
        Self::all(summary).into_iter().flat_map(|condition| condition.by_hops(summary)).collect()
    }

    /// One condition for each number of hops, fewer first, if there are several.
    fn by_hops(self, summary: &Summary) -> Vec<Condition> {
        let mut known: Vec<u32> = self.cells(summary).filter_map(CellSummary::hops).collect();
        known.sort_unstable();
        known.dedup();
        if known.len() < 2 {
            return vec![self];
        }
        known.into_iter().map(|hops| Condition { hops: Some(hops), ..self.clone() }).collect()
    }

    /// Whether a cell was measured under this condition.
    pub fn has(&self, cell: &CellSummary) -> bool {
        Condition::of(cell).given == self.given && self.hops.is_none_or(|hops| cell.hops() == Some(hops))
    }

    /// The cells under this condition.
    pub fn cells<'a>(&'a self, summary: &'a Summary) -> impl Iterator<Item = &'a CellSummary> {
        summary.cells.iter().filter(|cell| self.has(cell))
    }
}

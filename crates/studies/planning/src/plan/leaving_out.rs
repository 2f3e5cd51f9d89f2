//! Taking cells out of a plan, with the reason.

use wiredyno_model::Cell;

use super::Plan;
use crate::left_out::{LeftOut, Part, Reason};

impl Plan {
    /// The cell that is left out first if there is no time for all: the last one of messages, then of codecs.
    pub fn last_of_all(&self) -> Option<Part> {
        let messages = self.cells.last().map(|cell| Part::Cell(Box::new(cell.clone())));
        messages.or_else(|| self.codec_trials.last().map(|trial| Part::Codec(trial.cell.clone())))
    }

    /// Leaves out a cell, of messages or of a codec.
    pub fn leave_out(&mut self, part: &Part, reason: Reason) {
        match part {
            Part::Cell(left_out) => {
                self.without(|cell| *cell == **left_out, &reason);
            }
            Part::Codec(left_out) => {
                self.codec_trials.retain(|trial| trial.cell != *left_out);
                self.left_out.push(LeftOut { part: part.clone(), reason });
            }
            // Only found by a plan's check.
            Part::MessagesOf(_) | Part::Secured { .. } => {}
        }
    }

    /// Leaves out cells that can't be run, with the reason. Returns whether there were any.
    pub fn without(&mut self, cannot: impl Fn(&Cell) -> bool, reason: &Reason) -> bool {
        let before = self.cells.len();
        self.trials.retain(|trial| !cannot(&trial.cell));
        self.cells.retain(|cell| {
            let out = cannot(cell);
            if out {
                self.left_out
                    .push(LeftOut { part: Part::Cell(Box::new(cell.clone())), reason: reason.clone() });
            }
            !out
        });
        self.cells.len() < before
    }
}

//! The search for the highest sustained rate: doubled until one is not sustained, then narrowed by bisection, then confirmed.
//!
//! One bad moment of the machine must not decide: a rate that was not sustained is tried again, and the more frequent result counts. A bad
//! moment may last longer than two attempts, and a broker's virtual machine may not have been warm: the rate that stopped the search is tried
//! once more at its end, and if most of its attempts succeed by then, the search continues from there.
//!
//! It knows only rates and verdicts, so that it can be tried on a simulated server.

mod verdict;

use std::collections::BTreeMap;

use wiredyno_contract::MessageRate;

pub use self::verdict::{Terms, is_apart, limit, refusal};

/// The ratio of two rates between which the search no longer looks.
const CLOSE: f64 = 1.04;

/// How often the found rate has to be sustained, and how often a rate must not be sustained to be refused.
const CONFIRMED: u32 = 2;

/// How often the rate that stopped the search must not have been sustained before the search ends.
const STOPPED: u32 = 3;

/// After this many attempts at a rate the majority decides.
const MOST_ATTEMPTS: u32 = 5;

/// No rate beyond these is tried: one in ten seconds, ten million a second.
const LEAST: u64 = 100;
const MOST: u64 = 10_000_000_000;

/// A search with more steps does not converge: a rate is sustained and then not, again and again.
const MOST_STEPS: u32 = 90;

/// The next step of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Try this rate.
    Try(MessageRate),
    /// Nothing more: this is the highest sustained rate; `None` if there is none.
    Found(Option<MessageRate>),
}

/// The result of one attempt at a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    Sustained,
    /// It was not sustained; `apart` if no message met another one: a lower rate would change nothing.
    Missed {
        apart: bool,
    },
}

/// The results of the attempts at one rate.
#[derive(Debug, Clone, Copy, Default)]
struct Attempts {
    sustained: u32,
    missed: u32,
    /// How many of those that missed it had no message that met another.
    apart: u32,
}

enum Standing {
    Sustained,
    Refused,
    /// Another attempt has to decide.
    Open,
}

impl Attempts {
    fn standing(self) -> Standing {
        let Attempts { sustained, missed, .. } = self;
        match () {
            () if sustained > 0 && missed == 0 => Standing::Sustained,
            () if sustained >= CONFIRMED && sustained > missed => Standing::Sustained,
            () if missed >= CONFIRMED && missed > sustained => Standing::Refused,
            () if sustained + missed >= MOST_ATTEMPTS => Standing::Refused,
            () => Standing::Open,
        }
    }
}

/// A search for the highest sustained rate, see the module.
#[derive(Debug, Clone)]
pub struct Search {
    first: u64,
    /// By rate, in messages per 1,000 s.
    tried: BTreeMap<u64, Attempts>,
    steps: u32,
}

impl Search {
    /// A search that begins at a rate.
    pub fn from(first: MessageRate) -> Self {
        Search { first: first.per_1000_s.clamp(LEAST, MOST), tried: BTreeMap::new(), steps: 0 }
    }

    /// The next step of the search.
    pub fn next(&self) -> Next {
        let rate = |per_1000_s: u64| MessageRate { per_1000_s };
        let stopped = self.tried.iter().find(|(_, tried)| matches!(tried.standing(), Standing::Refused));
        let refused = stopped.map(|(rate, _)| *rate);
        // Rates above a refused one were sustained by luck.
        let below = || self.tried.range(..refused.unwrap_or(u64::MAX));
        let highest = below().rfind(|(_, tried)| matches!(tried.standing(), Standing::Sustained));
        let highest = highest.map(|(rate, tried)| (*rate, tried.sustained));
        let found = Next::Found(highest.map(|(kept, _)| rate(kept)));
        if self.steps >= MOST_STEPS {
            return found;
        }
        if let Some((open, _)) = below().find(|(_, tried)| matches!(tried.standing(), Standing::Open)) {
            return Next::Try(rate(*open));
        }
        let confirm = |(kept, times): (u64, u32)| match times >= CONFIRMED {
            true => found,
            false => Next::Try(rate(kept)),
        };
        // Early failures at the rate that stops the search are not enough to end it.
        if let (Some((kept, _)), Some((refused, tried))) = (highest, stopped)
            && is_close(kept, *refused)
            && tried.missed < STOPPED
            && tried.sustained + tried.missed < MOST_ATTEMPTS
        {
            return Next::Try(rate(*refused));
        }
        match (highest, refused) {
            (None, None) => Next::Try(rate(self.first)),
            (Some(kept), None) if kept.0 >= MOST => confirm(kept),
            (Some((kept, _)), None) => Next::Try(rate((kept * 2).min(MOST))),
            (None, Some(refused)) if refused <= LEAST || self.tried[&refused].apart >= CONFIRMED => {
                Next::Found(None)
            }
            (None, Some(refused)) => Next::Try(rate((refused / 2).max(LEAST))),
            (Some(kept), Some(refused)) if is_close(kept.0, refused) => confirm(kept),
            (Some((kept, _)), Some(refused)) => {
                Next::Try(rounded((kept as f64 * refused as f64).sqrt(), kept, refused))
            }
        }
    }

    /// Adds the result of an attempt at a rate.
    pub fn tell(&mut self, rate: MessageRate, attempt: Attempt) {
        self.steps += 1;
        let tried = self.tried.entry(rate.per_1000_s).or_default();
        match attempt {
            Attempt::Sustained => tried.sustained += 1,
            Attempt::Missed { apart } => {
                tried.missed += 1;
                tried.apart += u32::from(apart);
            }
        }
    }

    /// Whether it converged.
    pub fn is_settled(&self) -> bool {
        self.steps < MOST_STEPS
    }
}

/// Whether two rates are so close that nothing between them is tried.
fn is_close(sustained: u64, refused: u64) -> bool {
    refused as f64 <= sustained as f64 * CLOSE
}

/// Rounds to three digits; a value that would coincide with an end is not rounded.
fn rounded(per_1000_s: f64, above: u64, below: u64) -> MessageRate {
    let unit = 10_f64.powf(per_1000_s.log10().floor() - 2.0).max(1.0);
    let round = ((per_1000_s / unit).round() * unit) as u64;
    let fits = round > above && round < below;
    MessageRate { per_1000_s: if fits { round } else { per_1000_s as u64 } }
}

#[cfg(test)]
mod tests;

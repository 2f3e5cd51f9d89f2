//! What all comparisons of a claim show together with one choice of libraries, and the words for it.
//!
//! A claim holds if as many of its comparisons hold as it needs: all, or the share that "generally" stands for. It fails if so many fail that the
//! rest can't be enough. Both are partial conjunctions ([`Corrections`]).

use crate::compare::{Corrections, Scale};
use crate::verdict::{Comparison, MOST_REPEATS, Standing};

/// What a claim needs of its comparisons.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Needed {
    /// How many must hold.
    pub needed: usize,
    /// How many there are.
    pub comparisons: usize,
    /// How far two varying figures may differ and still be equal.
    pub tie: f64,
}

/// Two figures that differ by less than this are equal for anyone who chooses between them, unless a claim says otherwise.
const TIE: f64 = 0.05;

impl Needed {
    /// For a claim of this many comparisons of which this share must hold.
    pub(crate) fn of(comparisons: usize, share: Option<f64>, tie: Option<f64>) -> Self {
        // A share is written with a few digits: 0.8 of 30 are 24, whatever binary fractions make of it.
        let needed = share.map_or(comparisons, |share| (share * comparisons as f64 - 1e-9).ceil() as usize);
        Needed { needed: needed.max(1), comparisons, tie: tie.unwrap_or(TIE) }
    }

    pub(crate) fn corrections(self) -> Corrections {
        Corrections::of(self.needed, self.comparisons)
    }

    /// The result of this many that hold and fail.
    fn standing(self, holds: usize, fails: usize) -> Option<Standing> {
        if holds >= self.needed {
            Some(Standing::Holds)
        } else if self.comparisons - fails.min(self.comparisons) < self.needed {
            Some(Standing::Fails)
        } else {
            None
        }
    }
}

/// What comparisons show together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Concluded {
    /// This, for this reason.
    Standing(Standing, String),
    /// Figures are missing: that part of the run does not exist, or the machine can't provide it.
    Missing { why: String, not_had: bool },
}

/// The result of all comparisons together, with the one that decides.
pub(crate) fn conclude(comparisons: &[Comparison], asked: Needed) -> Concluded {
    let with = |outcome: Standing| comparisons.iter().filter(move |one| one.outcome == Some(outcome));
    let all = comparisons.len();
    let count = |outcome| with(outcome).count();
    let (holds, fails) = (count(Standing::Holds), count(Standing::Fails));
    let nearest = |a: &&Comparison, b: &&Comparison| a.distance.total_cmp(&b.distance);
    match asked.standing(holds, fails) {
        Some(Standing::Fails) => {
            let farthest = with(Standing::Fails).max_by(nearest);
            let told = farthest.map(|one| one.sentence(Deciding::Failing)).unwrap_or_default();
            let told = match all {
                1 => told,
                _ => format!(
                    "{fails} of {all} comparisons say otherwise{}; the farthest: {told}",
                    asked.words()
                ),
            };
            return Concluded::Standing(Standing::Fails, told);
        }
        Some(_) => {
            let closest = with(Standing::Holds).min_by(nearest);
            let told = closest.map(|one| one.sentence(Deciding::Holding)).unwrap_or_default();
            let told = match (all, holds == all) {
                (1, _) => told,
                (_, true) => format!("all {all} comparisons hold, the closest to its bound: {told}"),
                _ => {
                    format!(
                        "{holds} of {all} comparisons hold{}; the closest to its bound: {told}",
                        asked.words()
                    )
                }
            };
            return Concluded::Standing(Standing::Holds, told);
        }
        None => {}
    }
    if let Some(lacking) = comparisons.iter().find(|one| one.why.is_some()) {
        return Concluded::Missing { why: lacking.why.clone().unwrap_or_default(), not_had: lacking.not_had };
    }
    if comparisons.is_empty() {
        return Concluded::Missing { why: "it names nothing to compare".to_owned(), not_had: false };
    }
    undecided(comparisons, asked, holds, fails)
}

/// The result where neither enough comparisons hold nor enough fail: a tie, or what is open.
fn undecided(comparisons: &[Comparison], asked: Needed, holds: usize, fails: usize) -> Concluded {
    let with = |outcome: Standing| comparisons.iter().filter(move |one| one.outcome == Some(outcome));
    let all = comparisons.len();
    let count = |outcome| with(outcome).count();
    let nearest = |a: &&Comparison, b: &&Comparison| a.distance.total_cmp(&b.distance);
    let ties = count(Standing::Tie);
    // If all that is open held, and it still were not enough, only ties are left in between.
    if holds + count(Standing::Open) < asked.needed {
        let tie = with(Standing::Tie).max_by(nearest);
        let told = tie.map(|one| one.sentence(Deciding::Failing)).unwrap_or_default();
        let count = if all == 1 { String::new() } else { format!("{ties} of {all} comparisons are ties; ") };
        return Concluded::Standing(Standing::Tie, format!("{count}{told}"));
    }
    let mut open: Vec<&Comparison> = with(Standing::Open).collect();
    open.sort_by_key(|one| one.repeats_to_decide.unwrap_or(usize::MAX));
    let decides = repeats_to_decide(&open, asked, holds, fails);
    let told = open.last().map(|one| one.sentence(Deciding::Plain)).unwrap_or_default();
    let counts = match (all, ties) {
        (1, _) => String::new(),
        (_, 0) => format!("{holds} of {all} comparisons hold, {fails} do not{}; open: ", asked.words()),
        _ => format!(
            "{holds} of {all} comparisons hold, {fails} do not, {ties} are ties{}; open: ",
            asked.words()
        ),
    };
    Concluded::Standing(Standing::Open, format!("{counts}{told}; {decides}"))
}

/// How many repeats would decide, in words: the fewest with which enough of the open comparisons, fewest repeats first, show what they tend to.
fn repeats_to_decide(open: &[&Comparison], asked: Needed, mut holds: usize, mut fails: usize) -> String {
    for one in open {
        let Some(repeats) = one.repeats_to_decide else { break };
        match one.tends_to {
            Some(Standing::Holds) => holds += 1,
            Some(Standing::Fails) => fails += 1,
            _ => {}
        }
        if asked.standing(holds, fails).is_some() {
            return format!("about {repeats} repeats would decide it, if the estimates are right");
        }
    }
    if open.iter().all(|one| one.repeats_to_decide.is_some()) {
        let most = open.iter().filter_map(|one| one.repeats_to_decide).max().unwrap_or_default();
        return format!("about {most} repeats would show a tie, if the estimates are right");
    }
    format!("more than {MOST_REPEATS} repeats would be needed: the figures lie on the bound")
}

impl Needed {
    /// The share in words; nothing where all must hold.
    fn words(self) -> String {
        if self.needed == self.comparisons {
            return String::new();
        }
        format!(" ({} are needed)", self.needed)
    }
}

/// Which interval decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deciding {
    Holding,
    Failing,
    Plain,
}

impl Comparison {
    /// The estimate in words, with the interval that decided.
    pub(crate) fn sentence(&self, deciding: Deciding) -> String {
        let Some(estimate) = &self.estimate else {
            return self.why.clone().unwrap_or_default();
        };
        let [low, high] = match deciding {
            Deciding::Holding => estimate.interval_holding,
            Deciding::Failing => estimate.interval_failing,
            Deciding::Plain => estimate.interval_95,
        };
        let between = |low: f64, high: f64, words: &dyn Fn(f64) -> String| match estimate.exact {
            true => ", exactly".to_owned(),
            false => format!(" [{}, {}]", words(low), words(high)),
        };
        let interval = between(low, high, &digits);
        let tie = if self.outcome == Some(Standing::Tie) { ": a tie" } else { "" };
        match estimate.scale {
            // Growth compared with none is itself a factor.
            Scale::Ratio if self.left == LEVEL && self.asked == BELOW => {
                let interval = between(1.0 / high, 1.0 / low, &digits);
                format!("{} is {}{interval}; claimed: above 1", self.right, digits(1.0 / estimate.value))
            }
            Scale::Ratio if self.right == LEVEL => {
                format!("{} is {}{interval}; claimed: {}", self.left, digits(estimate.value), self.asked)
            }
            Scale::Ratio => format!(
                "{} is {} times {}{interval}{tie}; claimed: {}",
                self.left,
                digits(estimate.value),
                self.right,
                self.asked
            ),
            Scale::Value => {
                let interval = between(low, high, &|value| amount(value, &self.unit));
                format!(
                    "{} is {}{interval}; claimed: {}",
                    self.left,
                    amount(estimate.value, &self.unit),
                    self.asked
                )
            }
            Scale::Difference => format!(
                "{} minus {} is {}{interval}{tie}; claimed: below 0",
                self.left,
                self.right,
                digits(estimate.value)
            ),
        }
    }
}

/// The words for no growth, and for the condition on something that is claimed to be less.
pub(crate) const LEVEL: &str = "none";
pub(crate) const BELOW: &str = "below 1";

/// A value in its unit; times in a suitable one.
pub(crate) fn amount(value: f64, unit: &str) -> String {
    const TIMES: [(f64, &str); 3] = [(1e9, "s"), (1e6, "ms"), (1e3, "\u{b5}s")];
    let (size, unit) = match unit {
        "" | "ratio" => return short(value),
        "ns" => TIMES.into_iter().find(|(size, _)| value.abs() >= *size).unwrap_or((1.0, "ns")),
        unit => (1.0, unit),
    };
    format!("{} {unit}", short(value / size))
}

/// A number with up to three decimals.
pub(crate) fn short(value: f64) -> String {
    ((value * 1000.0).round() / 1000.0).to_string()
}

/// Three decimals below 10, fewer above.
pub(crate) fn digits(value: f64) -> String {
    match value.abs() {
        size if size >= 1000.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

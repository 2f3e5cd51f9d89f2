//! How far a rate can be raised before latency turns up: knees of latency over rate.
//!
//! A rate is kept if no trial was overloaded or failed, at most 1 % was lost and no more than at the lowest rate, and latency is at most
//! twice that at the lowest rate: its 99th percentile if all trials have one, else its median. Loss and latency are judged by their 95 %
//! intervals, the factor of latency within repeats. What these leave open is not decided, and the lowest rate is judged by loss alone.

use wiredyno_contract::MessageRate;
use wiredyno_model::figure::Statistic;
use wiredyno_model::summary::{CellSummary, Knee, KneeReason, Metric, OpenRate, OpenReason, Summary};
use wiredyno_model::{Cell, Figure};
use wiredyno_stats::Level;
use wiredyno_stats::best::Scale;
use wiredyno_stats::contrast::{self, Block, ByRepeat};

use crate::conclusion::Conclusion;
use crate::limit::{Limit, held};
use crate::sentence::Sentence;
use crate::things::Thing;

/// A latency of more than this many times that at the lowest rate is beyond the knee.
pub const RISE: f64 = 2.0;

/// A share of messages lost whose interval lies above this is beyond the knee, too.
pub const MOST_LOST: f64 = 0.01;

/// What is known of a rate.
#[derive(Debug, Clone, Copy)]
enum Standing {
    Kept,
    Open(OpenReason),
    Beyond(KneeReason),
}

/// A cell, with its view for answers.
type Point<'t, 'a> = (&'a CellSummary, &'t Thing<'a>);

/// The knees of a summary, in the order of its cells: one for everything that was measured at two rates or more.
pub fn knees(summary: &Summary) -> Vec<Knee> {
    let things = Thing::every(summary);
    let mut curves: Vec<(Cell, Vec<(MessageRate, Point<'_, '_>)>)> = Vec::new();
    for (cell, thing) in summary.cells.iter().zip(&things) {
        let Some(rate) = cell.axes.rate else { continue };
        let axes = Cell { rate: None, ..cell.axes.clone() };
        match curves.iter_mut().find(|(known, _)| *known == axes) {
            Some((_, points)) => points.push((rate, (cell, thing))),
            None => curves.push((axes, vec![(rate, (cell, thing))])),
        }
    }
    curves.retain(|(_, points)| points.len() > 1);
    curves.into_iter().map(|(axes, points)| knee(axes, points)).collect()
}

fn knee(axes: Cell, mut points: Vec<(MessageRate, Point<'_, '_>)>) -> Knee {
    points.sort_by_key(|(rate, _)| *rate);
    let with_tails = points.iter().all(|(_, (_, thing))| match thing.metric("latency") {
        Some(latency) => latency.p99_by_repeat.len() == latency.by_repeat.len(),
        None => true,
    });
    let latency = |thing: &Thing<'_>| thing.metric("latency").map(|metric| by_repeat(metric, with_tails));
    // The lowest rate that has a latency.
    let lowest = points.iter().find_map(|(_, point)| Some((*point, latency(point.1)?)));
    let standing = |(cell, thing): Point<'_, '_>| {
        let loss = loss(cell, thing, lowest.as_ref().map(|((lowest, _), _)| *lowest));
        let Standing::Kept = loss else { return loss };
        match (&lowest, latency(thing)) {
            (Some(((lowest, _), _)), Some(_)) if std::ptr::eq(*lowest, cell) => Standing::Kept,
            (Some(((_, lowest), base)), Some(own)) => {
                let bounds_ns = [thing, *lowest].map(|thing| thing.clock_bound_ns("latency") as f64);
                rise(own, base.clone(), bounds_ns)
            }
            _ => Standing::Open(OpenReason::NoFigure),
        }
    };
    let found: Vec<(MessageRate, Standing)> =
        points.iter().map(|(rate, point)| (*rate, standing(*point))).collect();
    let beyond = found.iter().find_map(|(rate, of)| match of {
        Standing::Beyond(why) => Some((*rate, *why)),
        _ => None,
    });
    let below = || found.iter().filter(|(rate, _)| beyond.is_none_or(|(beyond, _)| *rate < beyond));
    let rate = below().filter(|(_, of)| matches!(of, Standing::Kept)).map(|(rate, _)| *rate).next_back();
    // What is kept at a higher rate is kept at a lower one.
    let open = below().filter(|(of, _)| rate.is_none_or(|kept| *of > kept)).find_map(|(rate, of)| match of {
        Standing::Open(why) => Some(OpenRate { rate: *rate, why: *why }),
        _ => None,
    });
    let (beyond, why) = (beyond.map(|(rate, _)| rate), beyond.map(|(_, why)| why));
    Knee { axes, rate, beyond, why, open }
}

/// The value of latency in each trial that is compared.
fn by_repeat(latency: &Metric, with_tails: bool) -> ByRepeat {
    let medians = &latency.median_by_repeat;
    let own = if medians.is_empty() { &latency.by_repeat } else { medians };
    if with_tails { &latency.p99_by_repeat } else { own }.clone()
}

/// Whether trials were completed, and how many messages they lost.
fn loss(cell: &CellSummary, thing: &Thing<'_>, lowest: Option<&CellSummary>) -> Standing {
    if cell.outcomes.overloaded + cell.outcomes.failed > 0 {
        return Standing::Beyond(KneeReason::NotComplete);
    }
    if cell.valid_trials == 0 {
        return Standing::Open(OpenReason::NoFigure);
    }
    if lowest.is_some_and(|lowest| loses_more(cell, lowest)) {
        return Standing::Beyond(KneeReason::Lost);
    }
    let lost = Figure { metric: "lost".to_owned(), statistic: Statistic::Mean };
    match held(thing, &lost, Limit::AtMost(MOST_LOST)).conclusion {
        Conclusion::NoDifference => Standing::Kept,
        Conclusion::Difference => Standing::Beyond(KneeReason::Lost),
        Conclusion::NotDecided => Standing::Open(OpenReason::Messages),
        Conclusion::CantTell => Standing::Open(OpenReason::NoFigure),
    }
}

/// Whether latency rose beyond the factor that is allowed, repeat by repeat.
fn rise(value: ByRepeat, instead_of: ByRepeat, bounds_ns: [f64; 2]) -> Standing {
    let doubt = doubt_of(&value, bounds_ns[0]) + doubt_of(&instead_of, bounds_ns[1]);
    let block = [Block { value, instead_of }];
    // No number of trials narrows what the clocks leave open.
    let undecided = || if doubt.is_infinite() { OpenReason::Clocks } else { OpenReason::Trials };
    let Ok(found) = contrast::contrast(&block, Scale::Logarithms, Level::P95) else {
        return Standing::Open(undecided());
    };
    let interval = found.test.interval;
    let within =
        |doubt: f64| Conclusion::of([interval.low - doubt, interval.high + doubt], |end| end <= RISE.ln());
    let concluded = within(0.0);
    if matches!(concluded, Conclusion::NoDifference | Conclusion::Difference) && within(doubt) != concluded {
        return Standing::Open(OpenReason::Clocks);
    }
    match concluded {
        Conclusion::NoDifference => Standing::Kept,
        Conclusion::Difference => Standing::Beyond(KneeReason::Latency),
        _ => Standing::Open(undecided()),
    }
}

/// By how much two clocks may have changed the logarithm of a latency, in nanoseconds, either way: downwards it is more. Of one below its bound nothing is known.
fn doubt_of(latency: &ByRepeat, bound_ns: f64) -> f64 {
    let least_ns = latency.values().copied().fold(f64::INFINITY, f64::min);
    match bound_ns {
        0.0 => 0.0,
        bound_ns if bound_ns >= least_ns => f64::INFINITY,
        bound_ns => -((least_ns - bound_ns) / least_ns).ln(),
    }
}

/// Whether the intervals of the shares lost don't overlap.
fn loses_more(here: &CellSummary, there: &CellSummary) -> bool {
    let ratios = here.lost_ratio.as_ref().zip(there.lost_ratio.as_ref());
    ratios.is_some_and(|(here, there)| here.interval_95[0] > there.interval_95[1])
}

/// A knee as a sentence, with the reason.
pub fn sentence(knee: &Knee) -> Sentence {
    let why = match knee.why {
        Some(KneeReason::NotComplete) => "a role could not keep up or broke",
        Some(KneeReason::Lost) => "more was lost than at the lowest rate, or more than 1 %",
        Some(KneeReason::Latency) | None => "latency was more than twice that at the lowest rate",
    };
    let start = Sentence::default().strong(knee.axes.to_string());
    let start = match (knee.rate, knee.beyond, knee.open) {
        (Some(rate), None, None) => {
            return start.then(" kept up at every requested rate, up to ").strong(rate.to_string()).then(".");
        }
        (Some(rate), _, _) => start.then(" kept up at ").strong(rate.to_string()),
        (None, Some(_), None) => start.then(" did not keep up even at the lowest rate"),
        (None, _, _) => start.then(" is not shown to keep up at any rate"),
    };
    let start = match knee.open {
        Some(open) => start.then(format!("; {} is not decided: {}", open.rate, doubt(open.why))),
        None => start,
    };
    match knee.beyond {
        Some(_) if knee.rate.is_none() && knee.open.is_none() => start.then(format!(": {why}.")),
        Some(beyond) => start.then(format!("; at {beyond} {why}.")),
        None => start.then("."),
    }
}

fn doubt(why: OpenReason) -> &'static str {
    match why {
        OpenReason::NoFigure => "no trial shows it",
        OpenReason::Messages => "more messages would tell whether it loses over 1 %",
        OpenReason::Trials => "more trials would tell whether latency doubles",
        OpenReason::Clocks => "the bounds of two clocks leave open whether latency doubles",
    }
}

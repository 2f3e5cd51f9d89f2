//! A figure of a cell compared with a limit: the one way in which needs and thresholds are judged.

use wiredyno_model::Figure;
use wiredyno_model::figure::LEAST_FOR_P99;
use wiredyno_model::figure::Statistic;
use wiredyno_model::metric::{self, Scope};
use wiredyno_model::summary::Metric;
use wiredyno_stats::contrast::ByRepeat;
use wiredyno_stats::{Level, MIN_TRIALS_FOR_INTERVAL, Proportion, Sample, mean_interval};

use crate::conclusion::Conclusion;
use crate::quantity;
use crate::things::{Thing, exact_share};

/// The bound of a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// It may reach this, not exceed it.
    AtMost(f64),
    /// It must stay below this.
    Below(f64),
    /// It must stay above this.
    Above(f64),
}

/// A figure compared with its limit.
pub(crate) struct Held {
    pub conclusion: Conclusion,
    /// The figure, and what would decide or why nothing can be said.
    pub text: String,
}

/// Numbers of messages above this are not computed.
const MOST_MESSAGES: u64 = 10_000_000;

impl Limit {
    pub(crate) fn value(self) -> f64 {
        let (Limit::AtMost(value) | Limit::Below(value) | Limit::Above(value)) = self;
        value
    }

    fn is_kept(self, value: f64) -> bool {
        match self {
            Limit::AtMost(limit) => value <= limit,
            Limit::Below(limit) => value < limit,
            Limit::Above(limit) => value > limit,
        }
    }

    /// The side of the limit on which a figure misses it: `above 100 ms`.
    pub(crate) fn passed(self, unit: &str) -> String {
        let word = if matches!(self, Limit::Above(_)) { "not above" } else { "above" };
        let word = if matches!(self, Limit::Below(_)) { "not below" } else { word };
        format!("{word} {}", quantity::quantity(self.value(), unit))
    }
}

/// Compares a figure of a thing with its limit.
pub(crate) fn held(thing: &Thing<'_>, figure: &Figure, limit: Limit) -> Held {
    let cant_tell = |text: String| Held { conclusion: Conclusion::CantTell, text };
    if thing.valid_trials == 0 {
        return cant_tell(thing.why_no(&figure.metric));
    }
    if figure.metric == "lost" && figure.statistic == Statistic::Mean {
        return lost(thing, limit);
    }
    let Some(metric) = thing.metric(&figure.metric) else { return cant_tell(thing.why_no(&figure.metric)) };
    let Some((value, interval, of)) = estimate(metric, figure) else {
        return cant_tell(too_few(metric, figure));
    };
    let shown = format!("{figure} {}{of}", quantity::with_interval(value, interval, &metric.unit));
    let shown = match never_arrived(thing, figure) {
        Some((missing, sent)) => {
            let shown =
                format!("{shown}, of {} of {} sent", quantity::count(sent - missing), quantity::count(sent));
            // The slowest of the messages sent are those that never arrived.
            let is_reached = match figure.statistic {
                Statistic::Max => true,
                Statistic::P99 => missing * 100 > sent,
                _ => false,
            };
            if is_reached && !matches!(limit, Limit::Above(_)) {
                let text = format!("{shown}: the others never arrived");
                return Held { conclusion: Conclusion::Difference, text };
            }
            shown
        }
        None => shown,
    };
    if figure.statistic == Statistic::P99 && metric.p99_by_repeat.len() < metric.by_repeat.len() {
        let text = format!(
            "{shown}: {} of its trials have fewer than {} messages, and so none",
            quantity::count((metric.by_repeat.len() - metric.p99_by_repeat.len()) as u64),
            quantity::count(LEAST_FOR_P99)
        );
        return Held { conclusion: Conclusion::NotDecided, text };
    }
    let exact = figure.info().is_some_and(|info| info.exact) && is_constant(&metric.by_repeat);
    let interval = match interval {
        Some(interval) => interval,
        // The largest was observed, and what the samples decide is the same in every trial.
        None if exact || figure.statistic == Statistic::Max => [value, value],
        None => {
            let text = format!("{shown}; {MIN_TRIALS_FOR_INTERVAL} complete trials would give an interval");
            return Held { conclusion: Conclusion::NotDecided, text };
        }
    };
    let conclusion = Conclusion::of(interval, |end| limit.is_kept(end));
    if conclusion == Conclusion::NotDecided {
        let limit = quantity::quantity(limit.value(), &metric.unit);
        return Held { conclusion, text: format!("{shown}: {limit} lies within, more trials would tell") };
    }
    // What a clock is wrong by is the same in all trials.
    let bound_ns = thing.clock_bound_ns(&figure.metric);
    let widened = [interval[0] - bound_ns as f64, interval[1] + bound_ns as f64];
    if Conclusion::of(widened, |end| limit.is_kept(end)) == conclusion {
        return Held { conclusion, text: shown };
    }
    Held { conclusion: Conclusion::NotDecided, text: format!("{shown}{}", left_open_by_clocks(bound_ns)) }
}

/// That the clocks of publisher and subscriber leave open what trials show.
pub(crate) fn left_open_by_clocks(bound_ns: u64) -> String {
    let bound = quantity::quantity(bound_ns as f64, "ns");
    format!("; not decided: clocks, which may be wrong by {bound}, and more trials would not help")
}

/// Whether every trial gave the same.
pub(crate) fn is_constant(by_repeat: &ByRepeat) -> bool {
    let mut values = by_repeat.values();
    let first = values.next();
    first.is_some() && values.all(|value| Some(value) == first)
}

/// For a figure that only messages that arrived have, how many of those sent did not arrive; `None` if all did.
fn never_arrived(thing: &Thing<'_>, figure: &Figure) -> Option<(u64, u64)> {
    let of_arrived = metric::find(Scope::Message, &figure.metric).is_some_and(|info| info.of_arrived);
    let delivery = thing.delivery.filter(|_| of_arrived)?;
    let missing = delivery.sent.saturating_sub(delivery.delivered);
    (missing > 0).then_some((missing, delivery.sent))
}

/// A figure with its interval, followed by the number of observations where that matters.
fn estimate(metric: &Metric, figure: &Figure) -> Option<(f64, Option<[f64; 2]>, String)> {
    if figure.statistic != Statistic::P99 {
        return figure.of(metric).map(|(value, interval)| (value, interval, String::new()));
    }
    let trials = Sample::new(metric.p99_by_repeat.values().copied().collect::<Vec<_>>()).ok()?;
    let interval = mean_interval(&trials, Level::P95).ok().map(|interval| [interval.low, interval.high]);
    Some((trials.mean(), interval, counts(metric)))
}

/// The number of trials and messages of a 99th percentile.
pub(crate) fn counts(metric: &Metric) -> String {
    let trials = metric.p99_by_repeat.len() as u64;
    format!(" ({} trials, {} messages)", quantity::count(trials), quantity::count(metric.count))
}

pub(crate) fn too_few(metric: &Metric, figure: &Figure) -> String {
    format!(
        "{figure} needs trials of {} messages, but there are {} messages in {} trials",
        quantity::count(LEAST_FOR_P99),
        quantity::count(metric.count),
        quantity::count(metric.by_repeat.len() as u64)
    )
}

/// Lost messages are counted: none lost has an upper bound, and against a limit of none a single one is too many.
fn lost(thing: &Thing<'_>, limit: Limit) -> Held {
    let Some((delivery, share)) = thing.delivery.filter(|delivery| delivery.sent > 0).zip(thing.lost) else {
        return Held { conclusion: Conclusion::CantTell, text: "nothing was sent".to_owned() };
    };
    // A superseded message never arrived either; its interval over trials is not known.
    let missing = delivery.lost + delivery.superseded;
    let share = match delivery.superseded {
        0 => share,
        _ => exact_share(missing, delivery.sent).unwrap_or(share),
    };
    let word = if delivery.superseded > 0 { "lost or superseded" } else { "lost" };
    let counted =
        format!("{word} {} of {} messages", quantity::count(missing), quantity::count(delivery.sent));
    let shown = match missing {
        0 => format!("{counted}, so at most {}", quantity::quantity(share.interval_95[1], "ratio")),
        _ => format!("{counted}, {}", quantity::ends(share.interval_95, "ratio")),
    };
    if limit == Limit::AtMost(0.0) {
        let conclusion = if missing == 0 { Conclusion::NoDifference } else { Conclusion::Difference };
        return Held { conclusion, text: shown };
    }
    let conclusion = Conclusion::of(share.interval_95, |end| limit.is_kept(end));
    // A few trials do not show how losses vary between trials.
    if missing > 0
        && conclusion == Conclusion::NoDifference
        && (thing.valid_trials as usize) < MIN_TRIALS_FOR_INTERVAL
    {
        let text =
            format!("{shown}: {MIN_TRIALS_FOR_INTERVAL} complete trials would show how losses scatter");
        return Held { conclusion: Conclusion::NotDecided, text };
    }
    if conclusion != Conclusion::NotDecided {
        return Held { conclusion, text: shown };
    }
    let more = messages_needed(missing, delivery.sent, share.interval_95, limit.value()).map_or_else(
        || "no number of messages up to 10 million".to_owned(),
        |all| format!("{} more messages", quantity::count(all - delivery.sent)),
    );
    let text = format!("{shown}: {more} would decide about {}", quantity::percent(limit.value()));
    Held { conclusion, text }
}

/// Number of messages that decides about a limit if the share lost stays the same. If trials vary, the interval is wider than that
/// of independent messages; the number grows with the square of that.
fn messages_needed(lost: u64, sent: u64, interval: [f64; 2], limit: f64) -> Option<u64> {
    let ratio = lost as f64 / sent as f64;
    let independent = Proportion::new(lost, sent).ok()?.clopper_pearson(Level::P95);
    let wider = ((interval[1] - interval[0]) / (independent.high - independent.low)).max(1.0).powi(2);
    let decides = |count: u64| {
        let lost = ((ratio * count as f64).round() as u64).min(count);
        let within = Proportion::new(lost, count).map(|share| share.clopper_pearson(Level::P95));
        within.is_ok_and(|within| within.high <= limit || within.low > limit)
    };
    let (mut low, mut high) = (1, sent.max(1));
    while !decides(high) {
        low = high;
        high = high.checked_mul(2).filter(|high| *high <= MOST_MESSAGES)?;
    }
    while high - low > 1 {
        let middle = low.midpoint(high);
        if decides(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(((high as f64 * wider).ceil() as u64).max(sent + 1)).filter(|all| *all <= MOST_MESSAGES)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 - 0.025^(1/n) is at most 1 % from 368 messages on.
    #[test]
    fn so_many_messages_without_a_loss_show_that_at_most_one_per_cent_are_lost() {
        let of = |lost, sent| {
            let interval = Proportion::new(lost, sent).unwrap().clopper_pearson(Level::P95);
            messages_needed(lost, sent, [interval.low, interval.high], 0.01)
        };
        assert_eq!(of(0, 50), Some(368));
        assert!(of(2, 100).is_some_and(|all| all > 500), "{:?}", of(2, 100));
        // What is lost as often as the limit allows is never decided.
        assert_eq!(of(1, 100), None);
    }

    #[test]
    fn losses_in_bursts_take_more_messages() {
        let independent = Proportion::new(5, 1_000).unwrap().clopper_pearson(Level::P95);
        let narrow = messages_needed(5, 1_000, [independent.low, independent.high], 0.01).unwrap();
        let wide =
            messages_needed(5, 1_000, [0.0, 2.0 * (independent.high - independent.low)], 0.01).unwrap();
        assert!(wide > 3 * narrow && wide < 5 * narrow, "{narrow} and {wide}");
    }
}

//! The search for the highest sustained rate: doubled until one is not sustained, then narrowed by bisection, then confirmed.
//!
//! One bad moment of the machine must not decide: a rate that was not sustained is tried again, and the more frequent result counts. A bad
//! moment may last longer than two attempts, and a broker's virtual machine may not have been warm: the rate that stopped the search is tried
//! once more at its end, and if most of its attempts succeed by then, the search continues from there.
//!
//! It knows only rates and verdicts, so that it can be tried on a simulated server.

use std::collections::BTreeMap;

use wiredyno_contract::{Factor, MessageRate, Ratio, Span};
use wiredyno_link::spec::{DirectionSpec, LinkSpec, RateSpec};
use wiredyno_model::summary::LEAST_FOR_P99;
use wiredyno_model::trial::{Backlog, RoleUse, SearchLimit, TrialRecord, Wire};
use wiredyno_model::{Figure, Hosts, Limits, Role, Statistic, Unit};
use wiredyno_stats::Quantile;

use crate::cpu_cost::{self, CpuCost, OfCpu};
use crate::observe::Observed;
use crate::validity::{Stand, backlog_grew, moving, utilisation};

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

/// The terms by which a step is judged.
pub struct Terms<'a> {
    /// The figure that the study bounds, and its limit.
    pub bound: (&'a Figure, f64),
    /// Whether the mode guarantees that everything arrives.
    pub reliable: bool,
    /// The share lost at the lowest sustained rate, for modes without guarantee.
    pub lost_before: Option<f64>,
    /// The hosts of the roles.
    pub hosts: &'a Hosts,
}

/// How much more may be lost than at the lowest rate in a mode without guarantee, as a share.
const MORE_LOST: f64 = 0.01;

/// The largest relative difference between the requested and the kept rate.
const RATE_ERROR: f64 = 0.01;

/// Why a rate was not sustained; `None` if it was. The trial must not be invalid.
pub fn refusal(trial: &Observed<'_>, terms: &Terms<'_>) -> Option<String> {
    let record = trial.record;
    if let Some(reason) = &record.failed {
        return Some(reason.clone());
    }
    if let Some(overload) = record.overloaded.first() {
        return Some(overload.sentence());
    }
    let delivery = &record.delivery;
    let lost = delivery.lost as f64 / delivery.sent.max(1) as f64;
    if terms.reliable && delivery.lost > 0 {
        return Some(format!("{} of {} messages were lost", delivery.lost, delivery.sent));
    }
    if terms.lost_before.is_some_and(|before| lost > before + MORE_LOST) {
        return Some(format!("{:.1} % of all messages were lost", lost * 100.0));
    }
    if record.schedule.rate_error.abs() > RATE_ERROR {
        return Some(format!("the rate was missed by {:.1} %", record.schedule.rate_error * 100.0));
    }
    if backlog_grew(record) {
        let Backlog { half, end } = record.backlog;
        return Some(format!("{half} messages were in flight at half time, and {end} at the end"));
    }
    let (figure, below) = terms.bound;
    if let Some(lack) = lacks(trial, figure) {
        return Some(lack);
    }
    match figure_of(trial, figure, terms.hosts) {
        None => Some(format!("{figure} is not known")),
        Some((value, held)) if value >= below => {
            let unit = figure.info().map_or(Unit::Count, |info| info.unit);
            let quantity = |value| wiredyno_answers::quantity::quantity(value, unit.name());
            Some(format!("{held} was {}, not below {}", quantity(value), quantity(below)))
        }
        Some(_) => None,
    }
}

/// Whether a step was missed by losses or latency although no message met another: each that arrived did so before half the time to the next had
/// passed. What loses messages or is too slow even then does so at any rate; other figures, such as CPU time, depend on the rate itself.
pub fn is_apart(trial: &Observed<'_>, rate: MessageRate, terms: &Terms<'_>) -> bool {
    let of_messages =
        trial.record.delivery.lost > 0 || terms.bound.0.info().is_some_and(|info| info.of_arrived);
    let between_ns = 1e12 / rate.per_1000_s as f64;
    // If nothing arrived, more might arrive at a lower rate.
    let latency =
        trial.tally("latency", terms.hosts).filter(|_| of_messages && trial.record.overloaded.is_empty());
    latency.is_some_and(|latency| latency.max() * 2.0 < between_ns)
}

/// Why a step can't be judged by its bound: the figure is hidden by the fixed cost, or covers only some of the messages, while the others
/// may be what matters.
fn lacks(trial: &Observed<'_>, figure: &Figure) -> Option<String> {
    if let Some(coverage) = trial.coverage(&figure.metric).filter(|coverage| !coverage.is_enough()) {
        return Some(format!("{figure} is known of {coverage} messages only"));
    }
    match cpu_cost::over(&[trial.record], OfCpu::named(&figure.metric)?)? {
        CpuCost::Told(..) => None,
        CpuCost::Withheld { messages: Some(needed), .. } => {
            Some(format!("{figure} needs at least {needed} messages a step"))
        }
        CpuCost::Withheld { messages: None, .. } => {
            Some(format!("{figure} can't be distinguished from what the process uses without messages"))
        }
    }
}

/// A figure of one trial, and the number that represents it: a 99th percentile of too few messages is represented by the largest value.
fn figure_of(trial: &Observed<'_>, figure: &Figure, hosts: &Hosts) -> Option<(f64, Figure)> {
    let tally = trial.tally(&figure.metric, hosts)?;
    let few = figure.statistic == Statistic::P99 && tally.count() < LEAST_FOR_P99;
    let statistic = if few { Statistic::Max } else { figure.statistic };
    let value = match statistic {
        Statistic::Mean => tally.mean(),
        Statistic::Median => tally.quantile(Quantile::MEDIAN),
        Statistic::P99 => tally.quantile(Quantile::P99),
        Statistic::Max => tally.max(),
    };
    Some((value, Figure { statistic, ..figure.clone() }))
}

/// A link that carries this share of its rate is full.
const FULL: f64 = 0.9;

/// A thread that runs or waits for a CPU for this share of the time is saturated: the limit of `utilisation` is for what disturbs a
/// trial.
const BUSY: f64 = 0.85;

/// What stopped a rate: a role by its users' work, the stand, a socket's buffer, the link's rate, the machine, or nothing. If CPUs ran out,
/// the machine is named before a role whose thread waited for one longer than it ran: it would not have been saturated on a larger machine.
///
/// `scheduled` is whether messages had due times: a publisher spins before them, so that its thread is busy, and is saturated only if it fell
/// behind.
pub fn limit(
    record: &TrialRecord,
    link: Option<&LinkSpec>,
    limits: &Limits,
    stand: Stand,
    scheduled: bool,
) -> SearchLimit {
    let utilisation = Ratio::new(utilisation(&moving(record, stand), stand)).ok();
    let no_cpu_left = utilisation.is_some_and(|share| limits.utilisation.passed_by(share).is_some());
    let of_machine = |waited: bool| no_cpu_left && waited;
    let users = |used: &RoleUse| used.users_share_of_busiest(record.sending_ns);
    let full = record.roles.known().filter(|(_, used)| users(used) >= BUSY);
    let key = |used: &RoleUse| (!used.waited_more_than_it_ran(), users(used));
    let fullest = full.max_by(|(_, a), (_, b)| {
        let ((ran_a, users_a), (ran_b, users_b)) = (key(a), key(b));
        ran_a.cmp(&ran_b).then(users_a.total_cmp(&users_b))
    });
    let link_busy = record.link.as_ref().filter(|link| link.busiest_thread.is_some_and(|busy| busy >= BUSY));
    let spins = scheduled && keeps_schedule(record, limits);
    let runner_busy = record
        .roles
        .known()
        .find(|(role, used)| used.busiest_thread >= BUSY && !(spins && *role == Role::Publisher));
    let dropped = record.roles.known().find(|(_, used)| used.dropped_datagrams > 0);
    if let Some((role, used)) = fullest {
        return if of_machine(used.waited_more_than_it_ran()) { SearchLimit::Machine } else { of_role(role) };
    }
    if let Some(link) = link_busy {
        return if of_machine(link.waited_more_than_it_ran()) {
            SearchLimit::Machine
        } else {
            SearchLimit::Stand
        };
    }
    if let Some((_, used)) = runner_busy {
        return if of_machine(used.waited_more_than_it_ran()) {
            SearchLimit::Machine
        } else {
            SearchLimit::Stand
        };
    }
    if woke_late(record, limits) {
        return SearchLimit::Stand;
    }
    if let Some((role, _)) = dropped {
        return of_role(role);
    }
    match link.is_some_and(|link| is_full(record, link)) {
        true => SearchLimit::Link,
        false if no_cpu_left => SearchLimit::Machine,
        false => SearchLimit::Waiting,
    }
}

fn of_role(role: Role) -> SearchLimit {
    match role {
        Role::Publisher => SearchLimit::Publisher,
        Role::Subscriber => SearchLimit::Subscriber,
        Role::Broker => SearchLimit::Broker,
    }
}

/// Whether the generator woke up too late to keep its rate.
fn woke_late(record: &TrialRecord, limits: &Limits) -> bool {
    let woken = Span { ns: record.schedule.woken_p99_ns.max(0).unsigned_abs() };
    let error = Factor::new(record.schedule.woken_rate_error.max(0.0)).ok();
    limits.schedule_lag_p99.passed_by(woken).is_some()
        || error.is_some_and(|error| limits.rate_error.passed_by(error).is_some())
}

/// Whether messages were sent when they were due.
pub(crate) fn keeps_schedule(record: &TrialRecord, limits: &Limits) -> bool {
    let late = Span { ns: record.schedule.busy_p99_ns.max(0).unsigned_abs() };
    limits.schedule_lag_p99.passed_by(late).is_none() && !woke_late(record, limits)
}

/// Whether a direction of the link carried nearly its rate for as long as messages were sent or arrived.
fn is_full(record: &TrialRecord, link: &LinkSpec) -> bool {
    let Some(wire) = record.wire.map(|wire| wire.measure) else { return false };
    let received_ns = record.receiving.map_or(0, |receiving| receiving.last_ns);
    let seconds = received_ns.max(record.sending_ns) as f64 / 1e9;
    let Wire { up, down } = wire;
    [(up.bytes, &link.up), (down.bytes, &link.down)].into_iter().any(|(bytes, direction)| {
        bits_per_s(direction).is_some_and(|rate| seconds > 0.0 && bytes as f64 * 8.0 / seconds >= rate * FULL)
    })
}

/// The mean rate of a direction; `None` for one without a limit.
fn bits_per_s(direction: &DirectionSpec) -> Option<f64> {
    match &direction.rate {
        RateSpec::Unlimited => None,
        RateSpec::Constant { rate } => Some(rate.bits_per_s as f64),
        RateSpec::Trace { bits_per_s, .. } => {
            Some(bits_per_s.iter().sum::<u64>() as f64 / bits_per_s.len().max(1) as f64)
        }
    }
}

#[cfg(test)]
mod tests;

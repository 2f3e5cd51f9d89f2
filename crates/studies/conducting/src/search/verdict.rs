//! Whether a rate was sustained, why not, and what was used up then.

use wiredyno_contract::{MessageRate, Ratio};
use wiredyno_link::spec::{DirectionSpec, LinkSpec, RateSpec};
use wiredyno_model::figure::LEAST_FOR_P99;
use wiredyno_model::trial::{Backlog, RoleUse, SearchLimit, TrialRecord, Wire};
use wiredyno_model::{Figure, Hosts, Limits, Role, Statistic, Unit};
use wiredyno_stats::Quantile;

use crate::cpu_cost::{self, CpuCost, OfCpu};
use crate::observe::Observed;
use crate::validity::{Stand, backlog_grew, keeps_schedule, utilisation_around, woke_late};

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
        // What two clocks may be wrong by counts against the rate: the one that is found is kept in any case.
        Some((value, held)) if value + doubt_ns(record, figure) >= below => {
            let unit = figure.info().map_or(Unit::Count, |info| info.unit);
            let quantity = |value| wiredyno_answers::quantity::quantity(value, unit.name());
            let doubt = match doubt_ns(record, figure) {
                0.0 => String::new(),
                doubt => format!(", give or take {} by two clocks", quantity(doubt)),
            };
            Some(format!("{held} was {}{doubt}, not below {}", quantity(value), quantity(below)))
        }
        Some(_) => None,
    }
}

/// How wrong a figure of a trial may be because of two clocks, in nanoseconds; 0 where they are not in it.
fn doubt_ns(record: &TrialRecord, figure: &Figure) -> f64 {
    let is_across = wiredyno_answers::ACROSS_CLOCKS.contains(&figure.metric.as_str());
    record.clocks.filter(|_| is_across).map_or(0.0, |clocks| clocks.bound_ns() as f64)
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
    let no_cpu_left = |role: Option<Role>| {
        let share = Ratio::new(utilisation_around(role, record, stand)).ok();
        share.is_some_and(|share| limits.utilisation.passed_by(share).is_some())
    };
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
        let of_machine = used.waited_more_than_it_ran() && no_cpu_left(Some(role));
        return if of_machine { SearchLimit::Machine } else { of_role(role) };
    }
    if let Some(link) = link_busy {
        return if link.waited_more_than_it_ran() && no_cpu_left(None) {
            SearchLimit::Machine
        } else {
            SearchLimit::Stand
        };
    }
    if let Some((role, used)) = runner_busy {
        return if used.waited_more_than_it_ran() && no_cpu_left(Some(role)) {
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
        false if record.roles.known().any(|(role, _)| no_cpu_left(Some(role))) => SearchLimit::Machine,
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

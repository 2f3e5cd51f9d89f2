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
mod tests {
    use wiredyno_model::trial::{Delivery, LinkQuality, Machine, MessageRecord, Moving, Roles, Schedule};
    use wiredyno_store::MessageTrial;

    use super::*;

    /// Searches a server that sustains the rates for which `sustains` returns true; returns what was found and how many steps it took.
    fn searched(first: &str, mut sustains: impl FnMut(f64) -> bool) -> (Option<f64>, u32) {
        let mut search = Search::from(first.parse().unwrap());
        loop {
            match search.next() {
                Next::Try(rate) => search.tell(rate, attempt(sustains(rate.per_s()))),
                Next::Found(rate) => return (rate.map(MessageRate::per_s), search.steps),
            }
        }
    }

    fn attempt(sustained: bool) -> Attempt {
        if sustained { Attempt::Sustained } else { Attempt::Missed { apart: false } }
    }

    /// A link that loses 6 %, in a mode that repeats nothing and with a bound for all messages: each takes 20 ms.
    #[test]
    fn what_fails_while_no_message_meets_another_is_not_tried_at_lower_rates() {
        let mut search = Search::from("4k/s".parse().unwrap());
        let mut tried = Vec::new();
        let found = loop {
            match search.next() {
                Next::Try(rate) => {
                    tried.push(rate.per_s());
                    search.tell(rate, Attempt::Missed { apart: rate.per_s() < 25.0 });
                }
                Next::Found(rate) => break rate,
            }
        };
        assert_eq!(found, None);
        assert_eq!(tried.last(), Some(&15.625), "{tried:?}");
    }

    #[test]
    fn a_known_capacity_is_found_within_five_per_cent_from_wherever_it_begins() {
        for capacity in [0.3, 7.0, 123.4, 999.0, 54_321.0, 3.3e6] {
            for first in ["1/s", "100/s", "1M/s"] {
                let (found, steps) = searched(first, |rate| rate <= capacity);
                let found = found.unwrap();
                assert!(found <= capacity && found >= capacity * 0.95, "{capacity} from {first}: {found}");
                assert!(steps < MOST_STEPS, "{steps} steps");
            }
        }
        assert_eq!(searched("100/s", |_| true).0, Some(1e7));
        assert_eq!(searched("100/s", |_| false).0, None);
    }

    #[test]
    fn a_rate_that_is_sustained_by_luck_is_given_up() {
        // Above 1,000 the first attempt at each rate is sustained, up to 1,500.
        let mut tried = std::collections::BTreeSet::new();
        let (found, _) =
            searched("100/s", |rate| rate <= 1_000.0 || rate <= 1_500.0 && tried.insert(rate.to_bits()));
        assert!((950.0..=1_000.0).contains(&found.unwrap()), "{found:?}");
    }

    #[test]
    fn a_bad_moment_decides_nothing() {
        // One attempt in eight fails at any rate, and never twice in a row.
        let mut attempt = 0;
        for first in ["100/s", "4k/s"] {
            let (found, steps) = searched(first, |rate| {
                attempt += 1;
                rate <= 50_000.0 && attempt % 8 != 0
            });
            let found = found.unwrap();
            assert!((47_500.0..=50_000.0).contains(&found) && steps < 45, "{found} in {steps} steps");
        }
    }

    #[test]
    fn a_bad_spell_decides_nothing() {
        // Three attempts in a row fail, wherever in the search they are.
        for spell in 0..25 {
            let mut attempt = 0;
            let (found, steps) = searched("4k/s", |rate| {
                attempt += 1;
                rate <= 50_000.0 && !(spell..spell + 3).contains(&attempt)
            });
            let found = found.unwrap();
            assert!((47_500.0..=50_000.0).contains(&found), "{found} with a spell from attempt {spell}");
            assert!(steps < 45, "{steps} steps with a spell from attempt {spell}");
        }
    }

    #[test]
    fn a_server_without_a_capacity_ends_the_search_all_the_same() {
        let mut turn = 0_u32;
        let mut search = Search::from("100/s".parse().unwrap());
        while let Next::Try(rate) = search.next() {
            turn = turn.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            search.tell(rate, attempt(turn >> 31 == 0));
        }
        assert!(search.steps <= MOST_STEPS);
    }

    const STAND: Stand = Stand { timer_resolution_ns: 30, cpus_online: 2 };

    fn record() -> TrialRecord {
        serde_json::from_value(serde_json::json!({
            "trial": 0, "repeat": 0, "attempt": 0, "lane": 0, "seed": 1, "started_unix_ns": 0, "duration_ns": 1,
            "cell": { "payload": "small", "codec": "json/serde-json", "mode": "tcp", "link": "loopback" },
            "invalid": [], "transport": null, "broker": null, "delivery": Delivery::default(), "body_bytes": 0,
            "wire": null, "publisher_wire": null, "subscriber_wire": null, "roles": Roles::default(),
            "schedule": Schedule::default(), "link": null, "machine": Machine::default()
        }))
        .unwrap()
    }

    /// A role whose busiest thread was busy for a share of the time, on a CPU for another, and doing the stand's own work for a third.
    fn busy(busy: f64, on_cpu: f64, stand: f64) -> RoleUse {
        RoleUse {
            busiest_thread: busy,
            busiest_thread_on_cpu: Some(on_cpu),
            busiest_thread_stand: Some(stand),
            ..RoleUse::default()
        }
    }

    fn stopped(publisher: RoleUse, subscriber: RoleUse, change: impl Fn(&mut TrialRecord)) -> SearchLimit {
        let mut record = record();
        record.roles = Roles { publisher, subscriber, broker: None };
        record.sending_ns = 1_640_000_000;
        change(&mut record);
        limit(&record, None, &Limits::default(), STAND, false)
    }

    #[test]
    fn what_was_full_is_told_from_the_raw_time_of_threads() {
        let of = |publisher, subscriber, woken_p99_ns| {
            stopped(publisher, subscriber, |record| record.schedule.woken_p99_ns = woken_p99_ns)
        };
        let idle = busy(0.3, 0.3, 0.0);
        assert_eq!(of(busy(1.0, 0.9, 0.54), idle, 0), SearchLimit::Stand);
        assert_eq!(of(busy(1.0, 0.9, 0.06), idle, 0), SearchLimit::Publisher);
        assert_eq!(of(idle, busy(0.98, 0.9, 0.8), 0), SearchLimit::Stand);
        assert_eq!(of(idle, busy(0.98, 0.9, 0.0), 0), SearchLimit::Subscriber);
        assert_eq!(of(idle, idle, 60_000_000), SearchLimit::Stand);
        assert_eq!(of(idle, idle, 0), SearchLimit::Waiting);
        // Old records have the work of all threads over the time of sending: each of two runners did half of it.
        let old = |stand_cpu_ns, runners| RoleUse {
            busiest_thread: 1.0,
            stand_cpu_ns,
            runners,
            ..RoleUse::default()
        };
        assert_eq!(of(old(400_000_000, 0), idle, 0), SearchLimit::Stand);
        assert_eq!(of(old(400_000_000, 2), idle, 0), SearchLimit::Publisher);
    }

    /// It spins before due times: at 20,000 messages a second all the time.
    #[test]
    fn a_publisher_that_keeps_its_schedule_is_not_full() {
        let of = |busy_p99_ns: i64, scheduled: bool| {
            let mut record = record();
            record.roles.publisher = busy(1.0, 0.95, 0.9);
            record.schedule.busy_p99_ns = busy_p99_ns;
            limit(&record, None, &Limits::default(), STAND, scheduled)
        };
        assert_eq!(of(0, true), SearchLimit::Waiting);
        assert_eq!(of(60_000_000, true), SearchLimit::Stand);
        assert_eq!(of(0, false), SearchLimit::Stand);
    }

    #[test]
    fn a_full_emulator_is_the_stand() {
        let idle = busy(0.24, 0.2, 0.1);
        let with_link = |busy: f64, on_cpu: f64| {
            stopped(idle, idle, |record| {
                record.link = Some(LinkQuality {
                    busiest_thread: Some(busy),
                    busiest_thread_on_cpu: Some(on_cpu),
                    ..LinkQuality::default()
                });
            })
        };
        assert_eq!(with_link(0.88, 0.7), SearchLimit::Stand);
        assert_eq!(with_link(0.70, 0.7), SearchLimit::Waiting);
    }

    /// One publisher and eight subscribers on two CPUs: each waits longer than it runs.
    #[test]
    fn where_cpus_ran_out_the_machine_is_named_before_a_role_that_waited_for_one() {
        let of = |in_use_ns: u64, publisher: RoleUse, subscriber: RoleUse| {
            stopped(publisher, subscriber, |record| {
                // Over the whole measured part it is half.
                record.machine.utilisation = 0.5;
                record.moving = Some(Moving {
                    moved_ns: 1_000_000_000,
                    watched_ns: 1_000_000_000,
                    in_use_ns,
                    ..Moving::default()
                });
            })
        };
        let (waiting, running) = (busy(0.97, 0.30, 0.05), busy(0.90, 0.80, 0.02));
        assert_eq!(of(1_950_000_000, waiting, busy(0.9, 0.2, 0.1)), SearchLimit::Machine);
        assert_eq!(of(1_950_000_000, waiting, running), SearchLimit::Subscriber);
        // If CPUs were left it waited for something of its own.
        assert_eq!(of(1_000_000_000, waiting, busy(0.2, 0.2, 0.1)), SearchLimit::Publisher);
        let idle = busy(0.3, 0.3, 0.0);
        assert_eq!(of(1_950_000_000, idle, idle), SearchLimit::Machine, "while messages moved it was full");
    }

    /// Ten messages, one of which took 400 ms.
    #[test]
    fn a_p99_of_few_messages_is_held_by_the_largest_and_one_of_survivors_by_none() {
        let message = |sequence: u64, latency_ms: i64| MessageRecord {
            sequence,
            body_bytes: 1,
            intended_send_ns: 0,
            build_start_ns: 0,
            built_ns: 0,
            encoded_ns: 0,
            handed_over_ns: Some(0),
            sent_ns: Some(0),
            acked_ns: None,
            received_ns: Some(latency_ms * 1_000_000),
            decoded_ns: None,
            crossing: None,
            arrivals: 1,
        };
        let refused = |messages: u64, sent: u64, reliable: bool| {
            let mut record = record();
            record.delivery =
                Delivery { sent, delivered: messages, lost: sent - messages, ..Delivery::default() };
            let latency = |place| if place == 0 { 400 } else { 50 };
            let messages = (0..messages).map(|place| message(place, latency(place))).collect();
            let trial = MessageTrial { record, messages };
            let figure = "latency.p99".parse().unwrap();
            let hosts = Hosts::default();
            let terms = Terms { bound: (&figure, 300e6), reliable, lost_before: None, hosts: &hosts };
            refusal(&Observed::of_trial(&trial).unwrap(), &terms)
        };
        assert_eq!(refused(200, 200, true).as_deref(), Some("latency.max was 400 ms, not below 300 ms"));
        assert_eq!(refused(1_000, 1_000, true), None, "one in a thousand may take longer");
        let survivors = refused(1_200, 2_000, false);
        assert_eq!(survivors.as_deref(), Some("latency.p99 is known of 1200 of 2000 messages only"));
    }

    /// Ten messages of 50 ms each: at 5/s none meets another, at 20/s they do. A bound on CPU time depends on the rate.
    #[test]
    fn only_losses_and_latency_without_meetings_give_up_lower_rates() {
        let message = |sequence: u64| MessageRecord {
            sequence,
            body_bytes: 1,
            intended_send_ns: 0,
            build_start_ns: 0,
            built_ns: 0,
            encoded_ns: 0,
            handed_over_ns: Some(0),
            sent_ns: Some(0),
            acked_ns: None,
            received_ns: Some(50_000_000),
            decoded_ns: None,
            crossing: None,
            arrivals: 1,
        };
        let of = |rate: &str, figure: &str, lost: u64| {
            let mut record = record();
            record.delivery = Delivery { sent: 10 + lost, delivered: 10, lost, ..Delivery::default() };
            let trial = MessageTrial { record, messages: (0..10).map(message).collect() };
            let (figure, hosts) = (figure.parse().unwrap(), Hosts::default());
            let terms = Terms { bound: (&figure, 1e6), reliable: true, lost_before: None, hosts: &hosts };
            is_apart(&Observed::of_trial(&trial).unwrap(), rate.parse().unwrap(), &terms)
        };
        assert!(of("5/s", "latency.p99", 0) && of("5/s", "publisher_cpu_per_message", 1));
        assert!(!of("20/s", "latency.p99", 0) && !of("20/s", "latency.p99", 1));
        assert!(!of("5/s", "publisher_cpu_per_message", 0));
    }

    #[test]
    fn a_queue_of_known_service_time_is_found_by_its_latency() {
        // The mean time in an M/M/1 queue is 1 / (capacity - rate): below 10 ms up to 100 below the capacity.
        let capacity = 5_000.0;
        let (found, _) = searched("1k/s", |rate| rate < capacity && 1.0 / (capacity - rate) < 0.010);
        let found = found.unwrap();
        assert!((4_900.0 * 0.95..=4_900.0).contains(&found), "{found}");
    }
}

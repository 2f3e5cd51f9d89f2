//! What roles cost without messages: a blank before the measured part, with the same conversation but no messages.
//!
//! In each of [`ROUNDS`] rounds the seats are left alone for a while, and then get the requests of the measured part, with a load of
//! no messages. The first gives the CPU time that an idle role takes (timers, polling, keep-alives, collectors), per time;
//! the second gives what the conversation adds that the runner could not report as the stand's own. Both together, over the length of the measured
//! part, are the role's fixed cost: what it would have used there without any message. It is never divided among messages.
//!
//! A broker takes no part in the conversation, so all of its blank is idle time. The idle rate is the mean of the rounds: some trials
//! meet a rare event and others miss it, which is correct on their mean. A median would miss it in all.

use std::time::Duration;

use wiredyno_model::trial::{RoleUse, Roles};
use wiredyno_seats::seat::clock::Moment;

use super::measured::StandWork;

pub(super) const ROUNDS: usize = 5;

/// How long the seats are left alone in each.
pub(super) const IDLE: Duration = Duration::from_millis(10);

/// Student's t at 95 %, two-sided, with [`ROUNDS`] - 1 degrees of freedom.
const STUDENT_T: f64 = 2.776;

/// CPU time of each role so far, without the stand's own work.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Used {
    at_ns: i64,
    publisher_ns: f64,
    subscriber_ns: f64,
    broker_ns: Option<f64>,
}

impl Used {
    /// From what the roles have used, and the stand's own work, since any moment before the blank.
    pub(super) fn at(now: Moment, roles: &Roles, stand: StandWork) -> Self {
        // The stand's clocks read a little later than the kernel's: the difference may be negative, and is correct on the mean.
        let users = |used: &RoleUse, stand_ns: u64| used.cpu_ns as f64 - stand_ns as f64;
        Used {
            at_ns: now.ns(),
            publisher_ns: users(&roles.publisher, stand.publisher_ns),
            subscriber_ns: users(&roles.subscriber, stand.subscriber_ns),
            broker_ns: roles.broker.as_ref().map(|used| used.cpu_ns as f64),
        }
    }
}

/// One round: at its beginning, after the idle time, at its end.
pub(super) type Round = [Used; 3];

/// The rounds of a blank.
#[derive(Debug, Default)]
pub(super) struct Blank(pub(super) Vec<Round>);

impl Blank {
    /// Adds the fixed cost of a measured part of this length to what the roles used.
    pub(super) fn fill(&self, roles: &mut Roles, measured_ns: u64) {
        let put = |used: &mut RoleUse, of: fn(&Used) -> Option<f64>, talks: bool| {
            let spans: Option<Vec<[Span; 2]>> = self.0.iter().map(|round| spans(round, of)).collect();
            if let Some([all, idle]) = spans.and_then(|spans| fixed(&spans, talks, measured_ns)) {
                (used.fixed_cpu_ns, used.fixed_cpu_error_ns) =
                    (Some(all.ns as i64), Some(all.error_ns as u64));
                (used.idle_cpu_ns, used.idle_cpu_error_ns) =
                    (Some(idle.ns as i64), Some(idle.error_ns as u64));
            }
        };
        put(&mut roles.publisher, |used| Some(used.publisher_ns), true);
        put(&mut roles.subscriber, |used| Some(used.subscriber_ns), true);
        if let Some(broker) = &mut roles.broker {
            put(broker, |used| used.broker_ns, false);
        }
    }
}

/// CPU time within a time, nanoseconds.
#[derive(Debug, Clone, Copy)]
struct Span {
    cpu_ns: f64,
    ns: f64,
}

fn spans(round: &Round, of: fn(&Used) -> Option<f64>) -> Option<[Span; 2]> {
    let span = |from: &Used, to: &Used| {
        Some(Span { cpu_ns: of(to)? - of(from)?, ns: (to.at_ns - from.at_ns).max(1) as f64 })
    };
    Some([span(&round[0], &round[1])?, span(&round[1], &round[2])?])
}

/// A cost and half the width of its interval at 95 %, nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cost {
    ns: f64,
    error_ns: f64,
}

/// The fixed cost of a span, and the part of it that grows with time. `talks`: whether the role takes part in the conversation.
fn fixed(rounds: &[[Span; 2]], talks: bool, over_ns: u64) -> Option<[Cost; 2]> {
    if rounds.len() < 2 {
        return None;
    }
    let idle = |[idle, talk]: &[Span; 2]| match talks {
        true => idle.cpu_ns / idle.ns,
        false => (idle.cpu_ns + talk.cpu_ns) / (idle.ns + talk.ns),
    };
    let rates: Vec<f64> = rounds.iter().map(idle).collect();
    let rate = mean(&rates);
    let talk = |[_, talk]: &[Span; 2]| if talks { talk.cpu_ns - rate * talk.ns } else { 0.0 };
    let talks: Vec<f64> = rounds.iter().map(talk).collect();
    let over_ns = over_ns as f64;
    let of_idle = standard_error(&rates) * over_ns;
    let all = STUDENT_T * of_idle.hypot(standard_error(&talks));
    Some([
        Cost { ns: mean(&talks) + rate * over_ns, error_ns: all },
        Cost { ns: rate * over_ns, error_ns: STUDENT_T * of_idle },
    ])
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn standard_error(values: &[f64]) -> f64 {
    let (count, mean) = (values.len() as f64, mean(values));
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (count - 1.0) / count).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds of 10 ms alone and 2 ms of conversation, by the CPU time in both.
    fn rounds(cpu_ns: &[(f64, f64)]) -> Vec<[Span; 2]> {
        let round =
            |&(idle, talk): &(f64, f64)| [Span { cpu_ns: idle, ns: 10e6 }, Span { cpu_ns: talk, ns: 2e6 }];
        cpu_ns.iter().map(round).collect()
    }

    #[test]
    fn the_conversation_counts_once_and_idling_by_time() {
        // A hundredth of a CPU throughout, and 80 us for each conversation.
        let steady = rounds(&[(100e3, 100e3); ROUNDS]);
        let [all, idle] = fixed(&steady, true, 1_000_000_000).unwrap();
        assert!((all.ns - (80e3 + 10e6)).abs() < 1.0 && all.error_ns < 1.0, "{all:?}");
        assert!((idle.ns - 10e6).abs() < 1.0, "{idle:?}");
        let [of_broker, idle] = fixed(&rounds(&[(100e3, 20e3); ROUNDS]), false, 1_000_000_000).unwrap();
        assert!((of_broker.ns - 10e6).abs() < 1.0 && of_broker == idle, "{of_broker:?}");
    }

    /// A timer that fires every 200 ms for 1 ms occurs in one round of some blanks, and in none of others.
    #[test]
    fn what_happens_once_in_a_while_is_right_on_the_mean_of_trials() {
        let mut met = [(0.0, 0.0); ROUNDS];
        met[2].0 = 1e6;
        let over_ns = 10_000_000_000;
        let cost = |cpu_ns: &[(f64, f64)]| fixed(&rounds(cpu_ns), false, over_ns).unwrap();
        let [Cost { ns: with_ns, error_ns }, _] = cost(&met);
        // Three in ten blanks of 60 ms meet it.
        let mean_ns = 0.3 * with_ns + 0.7 * cost(&[(0.0, 0.0); ROUNDS])[0].ns;
        assert!((mean_ns - 50e6).abs() < 1.0, "{mean_ns}: 50 times 1 ms in 10 s");
        assert!(error_ns > with_ns, "one event says little: {error_ns}");
    }

    #[test]
    fn conversations_that_differ_give_an_error() {
        let differing = rounds(&[(0.0, 40e3), (0.0, 50e3), (0.0, 60e3), (0.0, 50e3), (0.0, 50e3)]);
        let [Cost { ns: cost_ns, error_ns }, idle] = fixed(&differing, true, 100_000_000).unwrap();
        // Deviation 7,071 ns, divided by the root of five, by Student's t.
        assert!((cost_ns - 50e3).abs() < 1.0 && (error_ns - 8_779.0).abs() < 2.0, "{cost_ns} {error_ns}");
        assert_eq!(idle.error_ns, 0.0, "no part of it grows with time");
        assert_eq!(fixed(&differing[..1], true, 1), None);
    }

    #[test]
    fn it_is_put_into_what_each_role_used() {
        let used = |at_ms: i64, publisher_us: f64| Used {
            at_ns: at_ms * 1_000_000,
            publisher_ns: publisher_us * 1e3,
            subscriber_ns: 0.0,
            broker_ns: None,
        };
        let round = |number: i64| {
            let at = number * 12;
            let so_far = number as f64 * 70.0;
            [used(at, so_far), used(at + 10, so_far), used(at + 12, so_far + 70.0)]
        };
        let blank = Blank((0..ROUNDS as i64).map(round).collect());
        let mut roles = Roles { broker: Some(RoleUse::default()), ..Roles::default() };
        blank.fill(&mut roles, 300_000_000);
        assert_eq!(
            (roles.publisher.fixed_cpu_ns, roles.publisher.fixed_cpu_error_ns),
            (Some(70_000), Some(0))
        );
        assert_eq!(roles.subscriber.fixed_cpu_ns, Some(0));
        assert_eq!(roles.broker.unwrap().fixed_cpu_ns, None, "it is unknown for a broker that has ended");
    }
}

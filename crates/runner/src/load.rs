//! When messages are sent: pacing as a pure function of time and hits, and waiting for a moment.
//!
//! An open loop keeps its intended times whatever happened before: a publisher that is late sends at once
//! and never skips, so that latency from the intended time shows what a user of a late system would see.

use std::sync::atomic::{AtomicBool, Ordering};

use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_nanosleep};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use wiredyno_model::Arrivals;
use wiredyno_transport::clock::now_ns;

/// The last part of a wait is spent spinning, since a sleep ends tens of microseconds late.
const SPIN_NS: i64 = 50_000;

/// So long before its moment is a waiting thread told that it comes: time for a system call or two.
const SOON_NS: i64 = 10_000;

/// A sleep is at most so long before it looks whether it is still wanted.
const SLICE_NS: i64 = 100_000_000;

/// What an open loop has to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Send the next message when so much time has passed since the start.
    At {
        /// The intended send, since the start.
        offset_ns: i64,
        /// How long to wait for it; 0 when it is due or overdue.
        wait_ns: i64,
    },
    /// All were sent.
    Done,
}

/// The intended sends of an open loop, since its start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    offsets_ns: Vec<i64>,
}

impl Schedule {
    /// `messages` sends, `interval_ns` apart or exponentially distributed around it (a Poisson process, from
    /// `seed`), in bursts, or at a rate that grows until they are so far apart; the first is due at once.
    pub fn new(arrivals: Arrivals, interval_ns: u64, messages: u32, seed: u64) -> Schedule {
        let interval_ns = i64::try_from(interval_ns).unwrap_or(i64::MAX);
        let offsets_ns = match arrivals {
            Arrivals::Constant => {
                (0..i64::from(messages)).map(|number| number.saturating_mul(interval_ns)).collect()
            }
            Arrivals::Poisson => {
                let mut random = ChaCha8Rng::seed_from_u64(seed);
                let mut at_ns = 0.0;
                let mut offset = || {
                    let offset = at_ns as i64;
                    at_ns += exponential(random.next_u64()) * interval_ns as f64;
                    offset
                };
                (0..messages).map(|_| offset()).collect()
            }
            Arrivals::Bursts(each) => {
                let first = |number: u32| number - number % each.max(1);
                (0..messages).map(|number| i64::from(first(number)).saturating_mul(interval_ns)).collect()
            }
            Arrivals::Ramp(from) => ramp(from.per_s(), 1e9 / interval_ns.max(1) as f64, messages),
        };
        Schedule { offsets_ns }
    }

    /// What to do when `elapsed_ns` have passed since the start and `hits` messages were sent.
    pub fn pace(&self, elapsed_ns: i64, hits: usize) -> Pace {
        match self.offsets_ns.get(hits) {
            Some(&offset_ns) => Pace::At { offset_ns, wait_ns: offset_ns.saturating_sub(elapsed_ns).max(0) },
            None => Pace::Done,
        }
    }
}

/// Sends at a rate that goes from one to another in proportion to time, in nanoseconds since the first. With f(t) = f0 + (f1 - f0) t / T
/// the k-th is due where the integral of f from 0 is k; all n fill T = 2 n / (f0 + f1).
fn ramp(from_per_s: f64, to_per_s: f64, messages: u32) -> Vec<i64> {
    let span_s = 2.0 * f64::from(messages) / (from_per_s + to_per_s);
    let growth = (to_per_s - from_per_s) / span_s;
    let due_s = |number: u32| {
        let number = f64::from(number);
        // The root of growth / 2 t^2 + f0 t - number, in the form that stays exact for a small growth.
        2.0 * number / (from_per_s + (from_per_s.powi(2) + 2.0 * growth * number).max(0.0).sqrt())
    };
    (0..messages).map(|number| (due_s(number) * 1e9) as i64).collect()
}

/// An exponentially distributed number of mean 1, from 53 random bits: -ln(u) with u in (0, 1].
fn exponential(bits: u64) -> f64 {
    let u = ((bits >> 11) + 1) as f64 / (1u64 << 53) as f64;
    -u.ln()
}

/// Waits for a moment of CLOCK_MONOTONIC: asleep until shortly before, then spinning. `soon` is called with true just
/// before that moment, at once and with false where it has passed. Gives how long it spun after that call, in
/// nanoseconds of CPU time; `None` when `halted` was set meanwhile.
pub fn wait_until(at_ns: i64, halted: &AtomicBool, soon: impl FnOnce(bool)) -> Option<u64> {
    if now_ns() >= at_ns {
        if halted.load(Ordering::Relaxed) {
            return None;
        }
        soon(false);
        return Some(0);
    }
    loop {
        let left_ns = at_ns.saturating_sub(now_ns());
        if halted.load(Ordering::Relaxed) {
            return None;
        }
        if left_ns <= SPIN_NS {
            break;
        }
        sleep_until(now_ns() + (left_ns - SPIN_NS).min(SLICE_NS));
    }
    spin_until(at_ns - SOON_NS);
    soon(true);
    let called_ns = now_ns();
    spin_until(at_ns);
    // Time beyond that was somebody else's.
    Some((now_ns() - called_ns).clamp(0, SOON_NS).unsigned_abs())
}

fn spin_until(at_ns: i64) {
    while now_ns() < at_ns {
        std::hint::spin_loop();
    }
}

fn sleep_until(at_ns: i64) {
    let at = TimeSpec::new(at_ns / 1_000_000_000, at_ns % 1_000_000_000);
    // A signal ends it early, which the caller's loop takes care of.
    let _ = clock_nanosleep(ClockId::CLOCK_MONOTONIC, ClockNanosleepFlags::TIMER_ABSTIME, &at);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pace_is_a_function_of_elapsed_time_and_hits() {
        let schedule = Schedule::new(Arrivals::Constant, 100, 3, 0);
        let table = [
            // elapsed, hits, offset, wait
            (0, 0, 0, 0),
            (0, 1, 100, 100),
            (40, 1, 100, 60),
            (100, 1, 100, 0),
            (1_000, 1, 100, 0),
            (1_000, 2, 200, 0),
            (-50, 0, 0, 50),
        ];
        for (elapsed_ns, hits, offset_ns, wait_ns) in table {
            let expected = Pace::At { offset_ns, wait_ns };
            assert_eq!(schedule.pace(elapsed_ns, hits), expected, "{elapsed_ns} {hits}");
        }
        assert_eq!(schedule.pace(0, 3), Pace::Done);
        assert_eq!(Schedule::new(Arrivals::Poisson, 100, 0, 0).pace(0, 0), Pace::Done);
    }

    #[test]
    fn poisson_arrivals_follow_their_seed_mean_and_variance() {
        let (interval, messages) = (1_000_000, 100_000);
        let schedule = Schedule::new(Arrivals::Poisson, interval, messages, 7);
        assert_eq!(schedule, Schedule::new(Arrivals::Poisson, interval, messages, 7));
        assert_ne!(schedule, Schedule::new(Arrivals::Poisson, interval, messages, 8));
        assert_eq!(schedule.offsets_ns[0], 0);
        assert!(schedule.offsets_ns.is_sorted());
        let gaps: Vec<f64> = schedule.offsets_ns.windows(2).map(|w| (w[1] - w[0]) as f64 / 1e6).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        // Standard errors of 100,000 exponentials: 0.003 of the mean, 0.009 of the variance; four of them.
        assert!((mean - 1.0).abs() < 0.013, "{mean}");
        assert!((variance - 1.0).abs() < 0.036, "{variance}");
    }

    #[test]
    fn bursts_keep_the_rate_and_come_at_once() {
        let schedule = Schedule::new(Arrivals::Bursts(3), 10, 8, 0);
        assert_eq!(schedule.offsets_ns, [0, 0, 0, 30, 30, 30, 60, 60]);
    }

    #[test]
    fn a_ramp_grows_in_proportion_to_time() {
        let rate = |text: &str| text.parse().unwrap();
        // From 100/s to 300/s: 400 messages fill 2 s, and after 1 s it is 200/s, with 150 sent.
        let offsets_ns = Schedule::new(Arrivals::Ramp(rate("100/s")), 3_333_333, 400, 0).offsets_ns;
        assert!((offsets_ns[150] - 1_000_000_000).abs() < 1_000, "{}", offsets_ns[150]);
        assert!((offsets_ns[1] - 10_000_000).abs() < 60_000, "{}", offsets_ns[1]);
        let last_ns = offsets_ns[399] - offsets_ns[398];
        assert!((last_ns - 3_333_333).abs() < 10_000, "{last_ns}");
        let level = Schedule::new(Arrivals::Ramp(rate("1k/s")), 1_000_000, 5, 0).offsets_ns;
        assert_eq!(level, [0, 1_000_000, 2_000_000, 3_000_000, 4_000_000]);
        let falling = Schedule::new(Arrivals::Ramp(rate("300/s")), 10_000_000, 400, 0).offsets_ns;
        assert!(falling.is_sorted() && (falling[250] - 1_000_000_000).abs() < 1_000, "{}", falling[250]);
    }

    #[test]
    fn the_extremes_of_the_random_number_stay_finite() {
        assert_eq!(exponential(u64::MAX), 0.0);
        assert!(exponential(0).is_finite());
    }

    #[test]
    fn a_halted_wait_ends_and_a_past_moment_needs_none() {
        let halted = AtomicBool::new(true);
        assert_eq!(wait_until(i64::MAX, &halted, |_| ()), None);
        assert_eq!(wait_until(0, &halted, |_| ()), None);
        halted.store(false, Ordering::Relaxed);
        let mut told = None;
        assert_eq!(wait_until(0, &halted, |waited| told = Some(waited)), Some(0));
        assert_eq!(told, Some(false));
        let at_ns = now_ns() + 1_000_000;
        assert!(wait_until(at_ns, &halted, |waited| told = Some(waited)).unwrap() <= SOON_NS.unsigned_abs());
        assert!(now_ns() >= at_ns && told == Some(true));
    }
}

//! When messages are sent: the schedule of an open loop, and waiting for a moment.
//!
//! An open loop keeps its intended times whatever happened before: a publisher that is late sends at once
//! and never skips, so that latency from the intended time shows what a user of an overloaded system would see.

use std::sync::atomic::{AtomicBool, Ordering};

use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_nanosleep};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use wiredyno_contract::Arrivals;
use wiredyno_transport::clock::now_ns;

/// The last part of a wait is spent spinning, because a sleep ends tens of microseconds late.
const SPIN_NS: i64 = 50_000;

/// How long before its moment a waiting thread is notified: time for one or two system calls.
const SOON_NS: i64 = 10_000;

/// The longest sleep before a wait checks whether it was halted.
const SLICE_NS: i64 = 100_000_000;

/// The intended sends of an open loop, in order, in nanoseconds since its start.
#[derive(Debug, Clone)]
pub struct Schedule {
    gaps: Gaps,
    interval_ns: i64,
    messages: u32,
    next: u32,
}

#[derive(Debug, Clone)]
enum Gaps {
    Constant,
    Poisson { random: Box<ChaCha8Rng>, at_ns: f64 },
    Bursts(u32),
    Ramp { from_per_s: f64, growth: f64 },
}

impl Schedule {
    /// `messages` sends, `interval_ns` apart or exponentially distributed around it (a Poisson process, from
    /// `seed`), in bursts, or at a rate that grows until they are that far apart; the first is due at once.
    pub fn new(arrivals: Arrivals, interval_ns: u64, messages: u32, seed: u64) -> Schedule {
        let gaps = match arrivals {
            Arrivals::Constant => Gaps::Constant,
            Arrivals::Poisson => {
                Gaps::Poisson { random: Box::new(ChaCha8Rng::seed_from_u64(seed)), at_ns: 0.0 }
            }
            Arrivals::Bursts(each) => Gaps::Bursts(each.max(1)),
            Arrivals::Ramp(from) => {
                let (from_per_s, to_per_s) = (from.per_s(), 1e9 / interval_ns.max(1) as f64);
                let span_s = 2.0 * f64::from(messages) / (from_per_s + to_per_s);
                Gaps::Ramp { from_per_s, growth: (to_per_s - from_per_s) / span_s }
            }
        };
        Schedule { gaps, interval_ns: i64::try_from(interval_ns).unwrap_or(i64::MAX), messages, next: 0 }
    }
}

impl Iterator for Schedule {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        if self.next == self.messages {
            return None;
        }
        let number = self.next;
        self.next += 1;
        let intervals = |number: u32| i64::from(number).saturating_mul(self.interval_ns);
        Some(match &mut self.gaps {
            Gaps::Constant => intervals(number),
            Gaps::Poisson { random, at_ns } => {
                let offset_ns = *at_ns as i64;
                *at_ns += exponential(random.next_u64()) * self.interval_ns as f64;
                offset_ns
            }
            Gaps::Bursts(each) => intervals(number - number % *each),
            Gaps::Ramp { from_per_s, growth } => (ramp_s(*from_per_s, *growth, number) * 1e9) as i64,
        })
    }
}

/// When a message is due at a rate that changes linearly from one to another, in seconds since the first. With f(t) = f0
/// + (f1 - f0) t / T the k-th is due where the integral of f from 0 is k; all n fill T = 2 n / (f0 + f1).
fn ramp_s(from_per_s: f64, growth: f64, number: u32) -> f64 {
    let number = f64::from(number);
    // The root of growth / 2 t^2 + f0 t - number, in the form that stays accurate for a small growth.
    2.0 * number / (from_per_s + (from_per_s.powi(2) + 2.0 * growth * number).max(0.0).sqrt())
}

/// An exponentially distributed number of mean 1, from 53 random bits: -ln(u) with u in (0, 1].
fn exponential(bits: u64) -> f64 {
    let u = ((bits >> 11) + 1) as f64 / (1u64 << 53) as f64;
    -u.ln()
}

/// Waits for a moment of CLOCK_MONOTONIC: asleep until shortly before, then spinning. `soon` is called with true just
/// before that moment, or at once with false where it has passed. Returns how long it spun after that call, in
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
    // Time beyond that belonged to other threads.
    Some((now_ns() - called_ns).clamp(0, SOON_NS).unsigned_abs())
}

/// The calling thread's share of a contended CPU (setpriority(2)): -20 for the most, 19 for the least. Without the right to change
/// it everything stays as it was.
pub fn prefer(niceness: i32) {
    // SAFETY: takes only integers; to Linux, 0 means the calling thread.
    let _ = unsafe { nix::libc::setpriority(nix::libc::PRIO_PROCESS, 0, niceness) };
}

fn spin_until(at_ns: i64) {
    while now_ns() < at_ns {
        std::hint::spin_loop();
    }
}

fn sleep_until(at_ns: i64) {
    let at = TimeSpec::new(at_ns / 1_000_000_000, at_ns % 1_000_000_000);
    // A signal ends it early, which the caller's loop handles.
    let _ = clock_nanosleep(ClockId::CLOCK_MONOTONIC, ClockNanosleepFlags::TIMER_ABSTIME, &at);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(arrivals: Arrivals, interval_ns: u64, messages: u32, seed: u64) -> Vec<i64> {
        Schedule::new(arrivals, interval_ns, messages, seed).collect()
    }

    #[test]
    fn constant_arrivals_are_an_interval_apart_and_end() {
        assert_eq!(offsets(Arrivals::Constant, 100, 3, 0), [0, 100, 200]);
        assert!(offsets(Arrivals::Poisson, 100, 0, 0).is_empty());
    }

    #[test]
    fn poisson_arrivals_follow_their_seed_mean_and_variance() {
        let (interval, messages) = (1_000_000, 100_000);
        let schedule = offsets(Arrivals::Poisson, interval, messages, 7);
        assert_eq!(schedule, offsets(Arrivals::Poisson, interval, messages, 7));
        assert_ne!(schedule, offsets(Arrivals::Poisson, interval, messages, 8));
        assert_eq!(schedule[0], 0);
        assert!(schedule.is_sorted());
        let gaps: Vec<f64> = schedule.windows(2).map(|w| (w[1] - w[0]) as f64 / 1e6).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        // Standard errors of 100,000 exponentials: 0.003 of the mean, 0.009 of the variance; four of them.
        assert!((mean - 1.0).abs() < 0.013, "{mean}");
        assert!((variance - 1.0).abs() < 0.036, "{variance}");
    }

    #[test]
    fn bursts_keep_the_rate_and_come_at_once() {
        assert_eq!(offsets(Arrivals::Bursts(3), 10, 8, 0), [0, 0, 0, 30, 30, 30, 60, 60]);
    }

    #[test]
    fn a_ramp_grows_in_proportion_to_time() {
        let rate = |text: &str| text.parse().unwrap();
        // From 100/s to 300/s: 400 messages fill 2 s, and after 1 s it is 200/s, with 150 sent.
        let offsets_ns = offsets(Arrivals::Ramp(rate("100/s")), 3_333_333, 400, 0);
        assert!((offsets_ns[150] - 1_000_000_000).abs() < 1_000, "{}", offsets_ns[150]);
        assert!((offsets_ns[1] - 10_000_000).abs() < 60_000, "{}", offsets_ns[1]);
        let last_ns = offsets_ns[399] - offsets_ns[398];
        assert!((last_ns - 3_333_333).abs() < 10_000, "{last_ns}");
        let level = offsets(Arrivals::Ramp(rate("1k/s")), 1_000_000, 5, 0);
        assert_eq!(level, [0, 1_000_000, 2_000_000, 3_000_000, 4_000_000]);
        let falling = offsets(Arrivals::Ramp(rate("300/s")), 10_000_000, 400, 0);
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

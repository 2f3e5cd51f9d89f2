//! CPU time of the stand's own work: waiting for the moment of a message, numbering it, hashing it, recording it, opening the gate.
//! Users of a client and a codec pay none of it, so it is separated from theirs.
//!
//! Measured by the CPU clock of the thread that does it. Reading that clock is a system call of some hundred nanoseconds up to a
//! microsecond; the cost of readings is measured beforehand and counts as the stand's. A publisher reads it while it waits. Of messages
//! that are not waited for, and of arrivals that follow each other within [`APART_NS`], the first [`FIRST`] are all measured, then one
//! in [`ONE_IN`], and the others are assumed to cost as much. Which ones are measured depends on their number: if it depended on time,
//! those after a pause would be measured, which cost more. The first ones cost more too, and none of them stands for others before
//! enough are known.
//!
//! Limits: stamps inside what users pay (some ten nanoseconds each) are not subtracted, nor is what the stand's work leaves behind in
//! caches.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use nix::time::{ClockId, clock_gettime};

/// Arrivals this far apart are all measured: two readings in that time take two per cent at most.
const APART_NS: i64 = 100_000;

/// How many are measured one by one before any stands for others: a cold first one costs several times as much as later ones.
const FIRST: u64 = 64;

/// Then one in this many is measured: a prime, so that all samples get their turn.
const ONE_IN: u64 = 17;

/// How many pairs of readings determine the cost of a reading.
const PAIRS: usize = 101;

#[derive(Debug, Clone, Copy)]
pub struct ThreadClock {
    /// CPU time of one reading, subtracted from results.
    reading_ns: u64,
}

impl ThreadClock {
    fn calibrated() -> Self {
        let mut pairs = [(); PAIRS].map(|()| {
            let first = Self::now_ns();
            Self::now_ns() - first
        });
        pairs.sort_unstable();
        ThreadClock { reading_ns: pairs[PAIRS / 2] }
    }

    /// CPU time of the calling thread so far, nanoseconds.
    pub fn now_ns() -> u64 {
        let now = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID);
        now.map_or(0, |time| time.tv_sec().unsigned_abs() * 1_000_000_000 + time.tv_nsec().unsigned_abs())
    }

    /// CPU time since an earlier reading, without the cost of one.
    fn since_ns(&self, earlier_ns: u64) -> u64 {
        Self::now_ns().saturating_sub(earlier_ns).saturating_sub(self.reading_ns)
    }
}

/// Spends this much CPU time of the calling thread, nanoseconds: it includes two readings of the clock, one before the moment is known and
/// half of one on either side of it.
pub fn burn(ns: u64) {
    static CLOCK: LazyLock<ThreadClock> = LazyLock::new(ThreadClock::calibrated);
    if ns > 0 {
        let until_ns = ThreadClock::now_ns() + ns.saturating_sub(CLOCK.reading_ns);
        while ThreadClock::now_ns() < until_ns {}
    }
}

/// Times of which some were measured and the others are assumed to be like them.
#[derive(Debug, Clone, Copy, Default)]
struct Part {
    measured: u64,
    measured_ns: u64,
    /// How many were measured after the first [`FIRST`]; these alone stand for others, because the first ones cost more.
    drawn: u64,
    drawn_ns: u64,
    others: u64,
}

impl Part {
    fn add(&mut self, ns: u64) {
        if self.measured >= FIRST {
            self.drawn += 1;
            self.drawn_ns += ns;
        }
        self.measured += 1;
        self.measured_ns += ns;
    }

    /// Whether the next one is to be measured.
    fn is_due(&self) -> bool {
        self.measured < FIRST || (self.measured + self.others).is_multiple_of(ONE_IN)
    }

    fn total_ns(&self) -> u64 {
        // Before any is drawn there are at most a few others.
        let (stand_for_ns, stand_for) = match self.drawn {
            0 => (self.measured_ns, self.measured),
            drawn => (self.drawn_ns, drawn),
        };
        let others = u128::from(stand_for_ns) * u128::from(self.others) / u128::from(stand_for.max(1));
        self.measured_ns + others as u64
    }
}

/// For a publishing thread: everything it spends except building, encoding and handing over.
pub struct Publishing {
    clock: ThreadClock,
    /// The thread's CPU time when the batch began.
    began_ns: u64,
    /// What users pay, for messages that were waited for and for those that were due at once.
    waited: Part,
    due: Part,
    /// The current message: the thread's CPU time when its users' part began, and whether it was waited for.
    begun: Option<(u64, bool)>,
    /// The stand's part of earlier batches.
    before_ns: u64,
    told_ns: Arc<AtomicU64>,
}

impl Publishing {
    /// Created on the thread itself; reports what the stand has spent so far in `told_ns`.
    pub fn new(told_ns: Arc<AtomicU64>) -> Self {
        Publishing {
            clock: ThreadClock::calibrated(),
            began_ns: 0,
            waited: Part::default(),
            due: Part::default(),
            begun: None,
            before_ns: 0,
            told_ns,
        }
    }

    pub fn begin(&mut self) {
        (self.waited, self.due) = (Part::default(), Part::default());
        self.began_ns = ThreadClock::now_ns();
    }

    /// The users' part of a message begins soon, or now where it was not waited for.
    pub fn message(&mut self, waited: bool) {
        let measured = waited || self.due.is_due();
        self.begun = measured.then(|| (ThreadClock::now_ns(), waited));
    }

    /// It has been handed over; `spun_ns` of the time since [`Publishing::message`] was spent waiting.
    pub fn handed_over(&mut self, spun_ns: u64) {
        match self.begun.take() {
            None => self.due.others += 1,
            Some((begun_ns, waited)) => {
                let users_ns = self.clock.since_ns(begun_ns).saturating_sub(spun_ns);
                if waited {
                    self.waited.add(users_ns)
                } else {
                    self.due.add(users_ns)
                }
                self.tell();
            }
        }
    }

    pub fn end(&mut self) {
        self.before_ns = self.tell();
    }

    fn tell(&self) -> u64 {
        let users_ns = self.waited.total_ns() + self.due.total_ns();
        let thread_ns = ThreadClock::now_ns().saturating_sub(self.began_ns);
        let stand_ns = self.before_ns + thread_ns.saturating_sub(users_ns);
        self.told_ns.store(stand_ns, Ordering::Relaxed);
        stand_ns
    }
}

/// For a receiving thread: what comes after `decoded`. Created on any thread.
pub struct Receiving {
    clock: ThreadClock,
    /// Arrivals after a pause, and those that follow closely.
    apart: Part,
    close: Part,
    readings_ns: u64,
    begun_ns: Option<u64>,
    is_close: bool,
    last_ns: Option<i64>,
}

impl Receiving {
    pub fn new() -> Self {
        let clock = ThreadClock::calibrated();
        let (apart, close) = (Part::default(), Part::default());
        Receiving { clock, apart, close, readings_ns: 0, begun_ns: None, is_close: false, last_ns: None }
    }

    /// The stand's work on an arrival begins.
    pub fn begin(&mut self, received_ns: i64) {
        let last_ns = self.last_ns.replace(received_ns);
        self.is_close = last_ns.is_some_and(|last_ns| received_ns - last_ns < APART_NS);
        let measured = !self.is_close || self.close.is_due();
        self.begun_ns = measured.then(ThreadClock::now_ns);
    }

    /// It has ended; returns what the stand has spent so far.
    pub fn end(&mut self) -> u64 {
        match self.begun_ns.take() {
            Some(begun_ns) => {
                let part = if self.is_close { &mut self.close } else { &mut self.apart };
                part.add(self.clock.since_ns(begun_ns));
                self.readings_ns += 2 * self.clock.reading_ns;
            }
            None => self.close.others += 1,
        }
        self.apart.total_ns() + self.close.total_ns() + self.readings_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses this much of the thread's CPU time.
    fn work(ns: u64) {
        let until_ns = ThreadClock::now_ns() + ns;
        while ThreadClock::now_ns() < until_ns {}
    }

    #[test]
    fn what_was_not_measured_counts_like_what_was() {
        let mut part = Part { others: 3, ..Part::default() };
        assert_eq!(part.total_ns(), 0);
        part.add(10);
        part.add(20);
        assert_eq!(part.total_ns(), 30 + 45);
    }

    #[test]
    fn the_first_ones_stand_for_no_others() {
        let mut part = Part::default();
        (0..FIRST).for_each(|_| part.add(1_000));
        part.others = 4;
        assert_eq!(part.total_ns(), (FIRST + 4) * 1_000, "until one is drawn there is nothing else");
        part.add(10);
        part.others += 12;
        assert_eq!(part.total_ns(), FIRST * 1_000 + 10 + 160);
    }

    #[test]
    fn a_publisher_tells_its_waits_and_records_from_what_users_pay() {
        let told_ns = Arc::new(AtomicU64::new(0));
        let mut publishing = Publishing::new(told_ns.clone());
        for batches in 1..=2 {
            let began_ns = ThreadClock::now_ns();
            publishing.begin();
            for _ in 0..3 {
                work(5_000_000);
                publishing.message(true);
                work(2_000_000);
                publishing.handed_over(500_000);
                work(1_000_000);
            }
            publishing.end();
            // Users pay 1.5 ms of each message's 8, and the thread's clock excludes preemption.
            let thread_ns = ThreadClock::now_ns() - began_ns;
            let stand_ns = told_ns.load(Ordering::Relaxed);
            assert!(stand_ns >= batches * 19_500_000 - 1_000_000, "{stand_ns}");
            assert!(
                thread_ns >= 24_000_000 && stand_ns <= batches * (thread_ns + 2_000_000 - 4_500_000),
                "{stand_ns} of {thread_ns}"
            );
        }
    }

    #[test]
    fn a_subscriber_counts_what_comes_behind_decoding_alone() {
        let mut receiving = Receiving::new();
        let mut stand_ns = 0;
        for arrival in 0..3 {
            work(3_000_000);
            receiving.begin(arrival * APART_NS);
            work(1_000_000);
            stand_ns = receiving.end();
        }
        assert!((3_000_000..8_000_000).contains(&stand_ns), "{stand_ns}");
    }

    #[test]
    fn the_first_that_follow_closely_stand_for_themselves_alone() {
        let mut part = Part::default();
        let count = |part: &mut Part, ns| match part.is_due() {
            true => part.add(ns),
            false => part.others += 1,
        };
        // The first is cold.
        count(&mut part, 90_000);
        (1..FIRST).for_each(|_| count(&mut part, 1_000));
        assert_eq!((part.measured, part.others), (FIRST, 0));
        assert_eq!(part.total_ns(), 90_000 + (FIRST - 1) * 1_000, "nothing is told but what was measured");
        (0..ONE_IN * 10).for_each(|_| count(&mut part, 1_000));
        assert_eq!((part.measured, part.others), (FIRST + 10, ONE_IN * 10 - 10));
    }
}

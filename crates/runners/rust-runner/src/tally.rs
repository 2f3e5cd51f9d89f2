//! A count that one thread can wait for while others add to it without blocking.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use wiredyno_transport::clock::now_ns;

/// The longest sleep before a wait checks whether it was given up.
const SLICE: Duration = Duration::from_millis(100);

/// Adding costs two atomic operations as long as the count is below the awaited one.
#[derive(Debug)]
pub struct Tally {
    count: AtomicU64,
    /// The waiting thread is woken from this count on; 0 without one.
    wanted: AtomicU64,
    /// The count will never exceed this.
    most: AtomicU64,
    closed: AtomicBool,
    lock: Mutex<()>,
    bell: Condvar,
}

impl Default for Tally {
    fn default() -> Self {
        Tally {
            count: AtomicU64::new(0),
            wanted: AtomicU64::new(0),
            most: AtomicU64::new(u64::MAX),
            closed: AtomicBool::new(false),
            lock: Mutex::new(()),
            bell: Condvar::new(),
        }
    }
}

impl Tally {
    /// Sets the final count: a wait for more ends there.
    pub fn ends_at(&self, most: u64) {
        self.most.store(most, Ordering::SeqCst);
        self.wanted.fetch_min(most.max(1), Ordering::SeqCst);
        self.ring();
    }

    pub fn add(&self) {
        // Sequentially consistent with `wait`: either this sees the wanted count, or `wait` sees this one.
        let count = self.count.fetch_add(1, Ordering::SeqCst) + 1;
        let wanted = self.wanted.load(Ordering::SeqCst);
        if wanted != 0 && count >= wanted {
            self.ring();
        }
    }

    pub fn count(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }

    /// Nothing will be added any more: ends every wait.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.ring();
    }

    fn ring(&self) {
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
        self.bell.notify_all();
    }

    /// Waits for a count, until a moment of CLOCK_MONOTONIC, the tally's end, or until `given_up` is set.
    /// Returns the count then.
    pub fn wait(&self, wanted: u64, until_ns: i64, given_up: &AtomicBool) -> u64 {
        let wanted = || wanted.min(self.most.load(Ordering::SeqCst));
        self.wanted.store(wanted().max(1), Ordering::SeqCst);
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while self.count() < wanted()
            && !self.closed.load(Ordering::SeqCst)
            && !given_up.load(Ordering::SeqCst)
        {
            let left_ns = until_ns.saturating_sub(now_ns());
            let Ok(left_ns @ 1..) = u64::try_from(left_ns) else {
                break;
            };
            let slice = SLICE.min(Duration::from_nanos(left_ns));
            guard = self.bell.wait_timeout(guard, slice).unwrap_or_else(PoisonError::into_inner).0;
        }
        self.wanted.store(0, Ordering::SeqCst);
        self.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_at_the_count_at_the_time_and_at_the_close() {
        let tally = Tally::default();
        let given_up = AtomicBool::new(false);
        assert_eq!(tally.wait(1, now_ns() - 1, &given_up), 0);
        std::thread::scope(|scope| {
            scope.spawn(|| (0..1000).for_each(|_| tally.add()));
            assert!(tally.wait(1000, i64::MAX, &given_up) >= 1000);
        });
        std::thread::scope(|scope| {
            scope.spawn(|| tally.ends_at(1000));
            assert_eq!(tally.wait(1001, i64::MAX, &given_up), 1000);
        });
        let tally = Tally::default();
        (0..1000).for_each(|_| tally.add());
        std::thread::scope(|scope| {
            scope.spawn(|| tally.close());
            assert_eq!(tally.wait(1001, i64::MAX, &given_up), 1000);
        });
    }
}

//! Time that a client spends before its measured connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Time that a client spends on connections before the measured one, for instance to get a session to resume. The clones of a
/// setup share it.
#[derive(Debug, Clone, Default)]
pub struct Before(Arc<AtomicU64>);

impl Before {
    /// Records the time, in nanoseconds. With several clients the longest time counts.
    pub fn note(&self, ns: u64) {
        self.0.fetch_max(ns, Ordering::Relaxed);
    }

    /// The time, in nanoseconds; 0 if there was no earlier connection.
    pub fn ns(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

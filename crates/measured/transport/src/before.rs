//! What a client did before the connection that counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Time that a client spent on connections before the one that counts, for instance to get a session that it resumes; shared by
/// the clones of a setup.
#[derive(Debug, Clone, Default)]
pub struct Before(Arc<AtomicU64>);

impl Before {
    /// Notes it, in nanoseconds. Of several clients the longest counts.
    pub fn note(&self, ns: u64) {
        self.0.fetch_max(ns, Ordering::Relaxed);
    }

    /// The time, in nanoseconds; 0 where the first connection counts.
    pub fn ns(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

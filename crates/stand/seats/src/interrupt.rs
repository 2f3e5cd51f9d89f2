//! Whether to give up waiting: the user interrupts the run, or something that is needed has ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Returns whether something has ended that is needed for what is waited for.
pub type Over = Arc<dyn Fn() -> bool + Send + Sync>;

/// Set once when the user interrupts the run; shared by everything that waits.
#[derive(Clone, Default)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    over: Option<Over>,
}

impl std::fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interrupt").field("flag", &self.flag).finish_non_exhaustive()
    }
}

impl Interrupt {
    /// Uses a flag that a signal handler sets.
    pub fn new(flag: Arc<AtomicBool>) -> Self {
        Interrupt { flag, over: None }
    }

    /// The same, but also set when something needed has ended.
    pub fn or_when(&self, over: Option<Over>) -> Self {
        Interrupt { flag: Arc::clone(&self.flag), over }
    }

    /// Interrupts the run.
    pub fn set(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether the run is to end, or something needed has ended.
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.over.as_ref().is_some_and(|over| over())
    }
}

//! Locks that outlive a panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The contents, even if a thread panicked while holding them.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

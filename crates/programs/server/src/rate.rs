//! Rate limits: a token bucket for each address or user.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Buckets that are remembered. With more, full ones are dropped, or all if none is full.
const ASKERS: usize = 10_000;

/// The buckets, by address or user.
pub struct Rate {
    per_second: f64,
    burst: f64,
    buckets: Mutex<HashMap<String, (f64, Instant)>>,
}

impl Rate {
    /// Allows `per_second` requests a second and bursts of `burst`.
    pub fn new(per_second: f64, burst: f64) -> Self {
        Rate { per_second, burst, buckets: Mutex::default() }
    }

    /// Takes a token; without one, the error is the wait in seconds.
    pub fn take(&self, asker: &str) -> Result<(), u32> {
        self.take_at(asker, Instant::now())
    }

    fn take_at(&self, asker: &str, now: Instant) -> Result<(), u32> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= ASKERS && !buckets.contains_key(asker) {
            // Full buckets carry no information.
            buckets.retain(|_, (left, since)| {
                *left + now.duration_since(*since).as_secs_f64() * self.per_second < self.burst
            });
            if buckets.len() >= ASKERS {
                buckets.clear();
            }
        }
        let (left, since) = buckets.entry(asker.to_owned()).or_insert((self.burst, now));
        *left = (*left + now.duration_since(*since).as_secs_f64() * self.per_second).min(self.burst);
        *since = now;
        if *left < 1.0 {
            return Err(((1.0 - *left) / self.per_second).ceil().max(1.0) as u32);
        }
        *left -= 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_burst_is_let_through_and_then_so_many_a_second() {
        let rate = Rate::new(2.0, 3.0);
        let now = Instant::now();
        let taken = (0..5).filter(|_| rate.take_at("a", now).is_ok()).count();
        assert_eq!(taken, 3);
        assert_eq!(rate.take_at("a", now), Err(1));
        assert!(rate.take_at("b", now).is_ok(), "another one");
        assert!(rate.take_at("a", now + Duration::from_millis(500)).is_ok());
    }
}

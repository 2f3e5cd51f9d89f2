//! Whose clock it is: only processes of one boot in one time namespace share CLOCK_MONOTONIC.

use serde::{Deserialize, Serialize};

use crate::exchange::Exchange;
use crate::track::Track;

/// Identifies a CLOCK_MONOTONIC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockIdentity {
    /// The kernel's `/proc/sys/kernel/random/boot_id`, new at each boot.
    pub boot_id: String,
    /// The inode of `/proc/self/ns/time`; 0 on a kernel without time namespaces (before Linux 5.6).
    pub time_namespace: u64,
}

/// A machine that claims to share our clock, and doesn't.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "it claims to share our clock, but an exchange shows its clock ahead by {low_ns} to {high_ns} ns: it copies our boot id, or its stamps are wrong"
)]
pub struct SameClockError {
    /// The smallest offset that the exchange allows, in nanoseconds.
    pub low_ns: i64,
    /// The largest offset that it allows, in nanoseconds.
    pub high_ns: i64,
}

impl ClockIdentity {
    /// Whether both name one clock. An identity without a boot id is nobody's.
    pub fn is(&self, other: &ClockIdentity) -> bool {
        !self.boot_id.is_empty() && self == other
    }
}

impl Track {
    /// Checks that every exchange is possible between readers of one clock, whose offset is exactly 0.
    ///
    /// # Errors
    /// The first that is not.
    pub fn confirm_same_clock(&self) -> Result<(), SameClockError> {
        let resolution_ns = self.assumed().resolution_ns;
        let ends =
            |one: &Exchange| (one.t3_ns - one.t4_ns - resolution_ns, one.t2_ns - one.t1_ns + resolution_ns);
        match self.exchanges().iter().map(ends).find(|&(low, high)| low > 0 || high < 0) {
            Some((low_ns, high_ns)) => Err(SameClockError { low_ns, high_ns }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_boot_and_one_time_namespace_are_one_clock() {
        let of = |boot_id: &str, time_namespace| ClockIdentity { boot_id: boot_id.into(), time_namespace };
        assert!(of("a", 1).is(&of("a", 1)));
        assert!(!of("a", 1).is(&of("a", 2)) && !of("a", 1).is(&of("b", 1)) && !of("", 0).is(&of("", 0)));
    }

    #[test]
    fn a_copied_boot_id_is_found_out() {
        let mut track = Track::default();
        track.add(Exchange { t1_ns: 0, t2_ns: 40, t3_ns: 50, t4_ns: 100 }).unwrap();
        assert_eq!(track.confirm_same_clock(), Ok(()));
        track.add(Exchange { t1_ns: 1_000, t2_ns: 5_040, t3_ns: 5_050, t4_ns: 1_100 }).unwrap();
        assert_eq!(track.confirm_same_clock(), Err(SameClockError { low_ns: 3_949, high_ns: 4_041 }));
    }
}

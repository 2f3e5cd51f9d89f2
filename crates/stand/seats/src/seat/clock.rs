//! Times of several clocks. The conductor of a trial uses moments of its own clock; what a seat reports and is sent are stamps of the
//! seat's clock, which have no order and no differences. Only the seat's [`SeatClock`] converts between them.

use std::ops::Add;
use std::time::Duration;

use wiredyno_contract::bulk::{ABSENT, ReceivedRow, SentRow, SupersededRow};
use wiredyno_process::clock::monotonic_ns;

/// A moment on the clock of this program: CLOCK_MONOTONIC of its machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    ns: i64,
}

impl Moment {
    /// The current moment.
    pub fn now() -> Self {
        Moment { ns: monotonic_ns() }
    }

    /// Nanoseconds of CLOCK_MONOTONIC of this program's machine, for code that works only with its clock.
    pub fn ns(self) -> i64 {
        self.ns
    }

    /// The time since an earlier moment; zero if that is later.
    pub fn since(self, earlier: Moment) -> Duration {
        Duration::from_nanos(self.ns.saturating_sub(earlier.ns).max(0).unsigned_abs())
    }
}

impl Add<Duration> for Moment {
    type Output = Moment;

    fn add(self, span: Duration) -> Moment {
        Moment { ns: self.ns.saturating_add(i64::try_from(span.as_nanos()).unwrap_or(i64::MAX)) }
    }
}

/// A time on a seat's clock, in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub struct Stamp {
    ns: i64,
}

impl Stamp {
    /// From what the role has reported or written.
    pub fn of_ns(ns: i64) -> Self {
        Stamp { ns }
    }

    /// The value for a request to the role.
    pub fn ns(self) -> i64 {
        self.ns
    }
}

/// The offset of a seat's clock from ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeatClock {
    ahead_ns: i64,
    bound_ns: u64,
}

impl SeatClock {
    /// The clock of a seat that shares ours.
    pub const OURS: SeatClock = SeatClock { ahead_ns: 0, bound_ns: 0 };

    /// A clock that is ahead of ours by `ahead_ns`; its bound is how wrong that may be, either way.
    pub const fn new(ahead_ns: i64, bound_ns: u64) -> Self {
        SeatClock { ahead_ns, bound_ns }
    }

    /// How wrong a moment converted from a stamp may be, either way; 0 for our own clock.
    pub fn bound(self) -> Duration {
        Duration::from_nanos(self.bound_ns)
    }

    /// The time of the seat's clock at a moment.
    pub fn stamp(self, at: Moment) -> Stamp {
        Stamp { ns: at.ns.saturating_add(self.ahead_ns) }
    }

    /// The moment at which the seat's clock showed this.
    pub fn moment(self, stamp: Stamp) -> Moment {
        Moment { ns: stamp.ns.saturating_sub(self.ahead_ns) }
    }

    /// Converts a time of another clock to this one; a missing time stays missing.
    fn instead_of(self, other: SeatClock, time_ns: i64) -> i64 {
        match time_ns {
            ABSENT => ABSENT,
            time_ns => self.stamp(other.moment(Stamp::of_ns(time_ns))).ns,
        }
    }
}

/// A record whose times are stamps of a seat's clock.
pub trait Stamped: Sized {
    /// The same record with the times of another clock.
    fn told_by(self, clock: SeatClock, instead_of: SeatClock) -> Self;
}

impl Stamped for SentRow {
    fn told_by(self, clock: SeatClock, other: SeatClock) -> Self {
        let told = |time_ns| clock.instead_of(other, time_ns);
        SentRow {
            sequence: self.sequence,
            digest: self.digest,
            body_bytes: self.body_bytes,
            intended_send_ns: told(self.intended_send_ns),
            build_start_ns: told(self.build_start_ns),
            built_ns: told(self.built_ns),
            encoded_ns: told(self.encoded_ns),
            handed_over_ns: told(self.handed_over_ns),
            sent_ns: told(self.sent_ns),
            acked_ns: told(self.acked_ns),
        }
    }
}

impl Stamped for ReceivedRow {
    fn told_by(self, clock: SeatClock, other: SeatClock) -> Self {
        let told = |time_ns| clock.instead_of(other, time_ns);
        ReceivedRow {
            digest: self.digest,
            body_bytes: self.body_bytes,
            received_ns: told(self.received_ns),
            decoded_ns: told(self.decoded_ns),
        }
    }
}

impl Stamped for SupersededRow {
    fn told_by(self, clock: SeatClock, other: SeatClock) -> Self {
        SupersededRow { digest: self.digest, at_ns: clock.instead_of(other, self.at_ns) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_told_by_the_clock_that_made_it_and_what_did_not_happen_stays_so() {
        let (ahead, behind) = (SeatClock::new(1_000, 20), SeatClock::new(-500, 30));
        let moment = SeatClock::OURS.moment(Stamp::of_ns(7_000));
        assert_eq!((ahead.stamp(moment).ns(), behind.stamp(moment).ns()), (8_000, 6_500));
        assert_eq!(ahead.moment(ahead.stamp(moment)), moment);
        assert_eq!((SeatClock::OURS.bound(), ahead.bound()), (Duration::ZERO, Duration::from_nanos(20)));
        let row = ReceivedRow { digest: 1, body_bytes: 2, received_ns: 8_000, decoded_ns: ABSENT };
        let told = row.told_by(behind, ahead);
        assert_eq!(told, ReceivedRow { received_ns: 6_500, ..row });
        assert_eq!(row.told_by(SeatClock::OURS, SeatClock::OURS), row);
    }

    #[test]
    fn spans_are_never_negative_and_moments_far_away_do_not_wrap() {
        let (earlier, later) = (Moment { ns: 10 }, Moment { ns: 25 });
        assert_eq!((later.since(earlier), earlier.since(later)), (Duration::from_nanos(15), Duration::ZERO));
        assert_eq!(earlier + Duration::from_nanos(15), later);
        assert_eq!((later + Duration::MAX).ns(), i64::MAX);
    }
}

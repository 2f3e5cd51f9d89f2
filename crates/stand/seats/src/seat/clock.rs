//! Times of several clocks. The conductor of a trial uses moments of its own clock; what a seat reports and is sent are stamps of the
//! seat's clock, which have no order and no differences. Only the seat's [`SeatClock`] converts between them.

use std::ops::Add;
use std::time::Duration;

use wiredyno_contract::bulk::{ABSENT, ReceivedRow, SentRow, SupersededRow};
use wiredyno_process::clock::monotonic_ns;

const SECOND_NS: i128 = 1_000_000_000;

fn whole_ns(ns: i128) -> i64 {
    ns.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

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

    /// From nanoseconds of CLOCK_MONOTONIC of this program's machine.
    pub fn of_ns(ns: i64) -> Self {
        Moment { ns }
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

/// The offset of a seat's clock from ours: a line through time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeatClock {
    /// Which clock it is: 0 for ours.
    which: u64,
    ahead_ns: i64,
    /// By our clock: when it is ahead by that.
    at_ns: i64,
    drift_ppb: i64,
    bound_ns: u64,
}

impl SeatClock {
    /// The clock of a seat that shares ours.
    pub const OURS: SeatClock = SeatClock::of(0, 0, 0);

    /// The number of clocks in common, which are none of their own: two of them are not one.
    const COMMON: u64 = u64::MAX;

    /// The fastest drift, in parts per billion: no clock of a computer is that wrong.
    const MOST_DRIFT_PPB: i64 = 100_000_000;

    /// The clock of this number, from 1, which is always ahead of ours by `ahead_ns`; its bound is how wrong that may be, either way.
    pub const fn of(which: u64, ahead_ns: i64, bound_ns: u64) -> Self {
        SeatClock { which, ahead_ns, at_ns: 0, drift_ppb: 0, bound_ns }
    }

    /// The clock of this number, from 1, which is ahead of ours by `ahead_ns` at a moment, and by `drift_ppb` nanoseconds more each second.
    #[must_use]
    pub fn drifting(which: u64, (ahead_ns, at): (i64, Moment), drift_ppb: i64, bound_ns: u64) -> Self {
        let drift_ppb = drift_ppb.clamp(-Self::MOST_DRIFT_PPB, Self::MOST_DRIFT_PPB);
        SeatClock { which, ahead_ns, at_ns: at.ns, drift_ppb, bound_ns }
    }

    /// A clock in common for records of several, by which their times are told: it goes as ours does, and is as wrong as the most uncertain of
    /// them. It is theirs if they have one.
    #[must_use]
    pub fn common(clocks: impl IntoIterator<Item = SeatClock>) -> SeatClock {
        let mut clocks = clocks.into_iter();
        let first = clocks.next().unwrap_or(SeatClock::OURS);
        let common = |so_far: SeatClock, clock: SeatClock| SeatClock {
            bound_ns: so_far.bound_ns.max(clock.bound_ns),
            ..if clock.is(first) && so_far.is(first) { first } else { SeatClock::of(Self::COMMON, 0, 0) }
        };
        clocks.fold(first, common)
    }

    /// Whether both are one clock, whatever is known of it: times of the one are times of the other.
    pub fn is(self, other: SeatClock) -> bool {
        self.which == other.which && self.which != Self::COMMON
    }

    /// How wrong a moment converted from a stamp may be, either way; 0 for our own clock.
    pub fn bound(self) -> Duration {
        Duration::from_nanos(self.bound_ns)
    }

    /// How far it is ahead of ours at a moment, in nanoseconds.
    pub fn ahead_ns(self, at: Moment) -> i64 {
        let since_ns = i128::from(at.ns) - i128::from(self.at_ns);
        whole_ns(i128::from(self.ahead_ns) + (since_ns * i128::from(self.drift_ppb)).div_euclid(SECOND_NS))
    }

    /// How fast it gets ahead of ours, in nanoseconds per second.
    pub fn drift_ppb(self) -> i64 {
        self.drift_ppb
    }

    /// The time of the seat's clock at a moment.
    pub fn stamp(self, at: Moment) -> Stamp {
        Stamp { ns: at.ns.saturating_add(self.ahead_ns(at)) }
    }

    /// The moment at which the seat's clock showed this.
    pub fn moment(self, stamp: Stamp) -> Moment {
        // From when it was ahead by `ahead_ns`, as it counts and as we do.
        let its_ns = i128::from(stamp.ns) - i128::from(self.ahead_ns) - i128::from(self.at_ns);
        let speed = SECOND_NS + i128::from(self.drift_ppb);
        // Of the moments whose stamp this is, the first.
        let ours_ns = -(-its_ns * SECOND_NS).div_euclid(speed);
        Moment { ns: whole_ns(i128::from(self.at_ns) + ours_ns) }
    }

    /// Converts a time of another clock to this one; a missing time stays missing.
    fn instead_of(self, other: SeatClock, time_ns: i64) -> i64 {
        match time_ns {
            ABSENT => ABSENT,
            time_ns if self.is(other) => time_ns,
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
        let (ahead, behind) = (SeatClock::of(1, 1_000, 20), SeatClock::of(2, -500, 30));
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
    fn several_clocks_are_told_by_one_that_is_as_uncertain_as_the_most_uncertain() {
        let (ahead, behind) = (SeatClock::of(1, 1_000, 20), SeatClock::of(2, -500, 30));
        assert_eq!(SeatClock::common([]), SeatClock::OURS);
        assert_eq!(SeatClock::common([ahead, ahead]), ahead);
        let common = SeatClock::common([ahead, behind, ahead]);
        assert!([ahead, behind, SeatClock::OURS].iter().all(|clock| !common.is(*clock)));
        assert_eq!(common.bound(), Duration::from_nanos(30));
        assert!(
            !common.is(SeatClock::common([behind, ahead])),
            "what is told by two clocks is not told by one"
        );
        // Both at the same moment.
        let rows = [(ahead, 8_000), (behind, 6_500)]
            .map(|(clock, at_ns)| SupersededRow { digest: 1, at_ns }.told_by(common, clock).at_ns);
        assert_eq!(rows, [7_000, 7_000]);
        assert_eq!(SeatClock::common([SeatClock::OURS, ahead]).bound(), Duration::from_nanos(20));
    }

    #[test]
    fn a_clock_that_drifts_is_converted_there_and_back() {
        let at = |ns| Moment { ns };
        for (drift_ppb, ahead_ns) in [(0, 5), (40_000, 3_600_000_000_000), (-999_999, -7), (1_000_000, 0)] {
            let clock = SeatClock::drifting(1, (ahead_ns, at(1_000_000)), drift_ppb, 10);
            for ns in (0..40).map(|step| step * 777_777_777).chain([1_000_000, i64::MAX / 4]) {
                let back = clock.moment(clock.stamp(at(ns)));
                assert!((back.ns - ns).abs() <= 1, "{drift_ppb} ppb: {ns} came back as {}", back.ns);
            }
        }
        let clock = SeatClock::drifting(1, (100, at(0)), 50_000, 10);
        assert!(clock.is(SeatClock::drifting(1, (0, at(7)), 0, 3)) && !clock.is(SeatClock::OURS));
        assert_eq!(clock.stamp(at(2_000_000_000)).ns(), 2_000_000_000 + 100 + 100_000);
        assert_eq!(clock.ahead_ns(at(-1_000_000_000)), 100 - 50_000);
        let wild = SeatClock::drifting(1, (0, at(0)), i64::MIN, 0);
        assert_eq!(wild.drift_ppb(), -SeatClock::MOST_DRIFT_PPB, "time goes on at any rate");
    }

    #[test]
    fn spans_are_never_negative_and_moments_far_away_do_not_wrap() {
        let (earlier, later) = (Moment { ns: 10 }, Moment { ns: 25 });
        assert_eq!((later.since(earlier), earlier.since(later)), (Duration::from_nanos(15), Duration::ZERO));
        assert_eq!(earlier + Duration::from_nanos(15), later);
        assert_eq!((later + Duration::MAX).ns(), i64::MAX);
    }
}

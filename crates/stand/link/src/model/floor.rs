//! The round trip of a lone packet by a link's model: the floor that a laid link must keep.
//!
//! Exact except for jitter, which is an unbounded normal: there the bounds are five deviations on either side of
//! each direction's delay (a draw is outside once in 1.7 million). Loss and queues are ignored: a lost packet has no
//! round trip, and a lone one never waits. Traces and drawn delays have their first values, as before the anchor.

use super::{Fate, LinkModel, Seeds};
use crate::spec::{Direction, LinkSpec, LossSpec, QueueSpec, RateSpec};

/// How many deviations of jitter a draw is expected to stay within.
const DEVIATIONS: u64 = 5;
/// An anchor later than every packet of a probe.
const FAR_NS: u64 = 3_600_000_000_000;

/// The round trip of a lone packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundTripBounds {
    /// The shortest that the model gives.
    pub least_ns: u64,
    /// The longest that the model gives.
    pub most_ns: u64,
    /// The part of both that the packet spends on the lines of both directions; 0 without a rate.
    pub serial_ns: u64,
}

impl RoundTripBounds {
    /// For a packet of `ip_len` bytes and an answer of the same size.
    pub fn of(spec: &LinkSpec, seeds: Seeds, ip_len: u32) -> Self {
        let mut steady = spec.clone();
        for part in [&mut steady.up, &mut steady.down] {
            part.loss = LossSpec::default();
            part.jitter.ns = 0;
            part.queue = QueueSpec::default();
        }
        let mut at_once = steady.clone();
        (at_once.up.rate, at_once.down.rate) = (RateSpec::Unlimited, RateSpec::Unlimited);
        let middle_ns = round_trip_ns(&steady, seeds, ip_len);
        let serial_ns = middle_ns - round_trip_ns(&at_once, seeds, ip_len);
        let jitter_ns = DEVIATIONS * (spec.up.jitter.ns + spec.down.jitter.ns);
        Self {
            least_ns: middle_ns.saturating_sub(jitter_ns).max(serial_ns),
            most_ns: middle_ns + jitter_ns,
            serial_ns,
        }
    }
}

fn round_trip_ns(spec: &LinkSpec, seeds: Seeds, ip_len: u32) -> u64 {
    let mut model = LinkModel::new(spec, seeds, FAR_NS);
    let mut arrival = |now_ns, direction| match model.offer(now_ns, direction, ip_len) {
        Fate::Deliver { at_ns } => at_ns,
        // Without loss and queue nothing is dropped.
        Fate::Drop(_) => now_ns,
    };
    let there_ns = arrival(0, Direction::Up);
    arrival(there_ns, Direction::Down)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::RoundTripSpec;
    use wiredyno_contract::{BitRate, Span};

    const MS: u64 = 1_000_000;
    const SEEDS: Seeds = Seeds { packets: 1, conditions: 7 };

    #[test]
    fn delay_and_rate_of_both_directions_are_the_floor() {
        let mut spec = LinkSpec::unshaped().with_loss(0.5);
        assert_eq!(
            RoundTripBounds::of(&spec, SEEDS, 84),
            RoundTripBounds { least_ns: 0, most_ns: 0, serial_ns: 0 }
        );
        (spec.up.delay, spec.down.delay) = (Span::from_ms(30), Span::from_ms(5));
        // A frame of 98 + 14 bytes = 896 bits takes 1 ms at 896 kbit/s.
        spec.up.rate = RateSpec::Constant { rate: BitRate { bits_per_s: 896_000 } };
        spec.up.queue = QueueSpec { packets: Some(1), bytes: None };
        let bounds = RoundTripBounds::of(&spec, SEEDS, 98);
        assert_eq!(bounds, RoundTripBounds { least_ns: 36 * MS, most_ns: 36 * MS, serial_ns: MS });
    }

    #[test]
    fn jitter_widens_the_bounds_but_never_below_what_the_line_takes() {
        let mut spec = LinkSpec::unshaped();
        (spec.up.delay, spec.up.jitter) = (Span::from_ms(30), Span::from_ms(2));
        let bounds = RoundTripBounds::of(&spec, SEEDS, 84);
        assert_eq!((bounds.least_ns, bounds.most_ns), (20 * MS, 40 * MS));
        spec.down.jitter = Span::from_ms(9);
        assert_eq!(RoundTripBounds::of(&spec, SEEDS, 84).least_ns, 0);
    }

    /// The same draw as the laid link's: whatever its seed, a packet before the anchor takes exactly this long.
    #[test]
    fn a_drawn_round_trip_is_that_of_the_first_interval() {
        let mut spec = LinkSpec::unshaped();
        let (mean, deviation) = (Span::from_ms(70), Span::from_ms(6));
        spec.round_trip = Some(RoundTripSpec { mean, deviation, every: Span::from_s(1), on: None });
        let of = |conditions| RoundTripBounds::of(&spec, Seeds { packets: 9, conditions }, 84).least_ns;
        assert_ne!(of(1), of(2));
        for conditions in 1..20 {
            let mut model = LinkModel::new(&spec, Seeds { packets: 3, conditions }, 0);
            let Fate::Deliver { at_ns } = model.offer(5 * MS, Direction::Up, 84) else { panic!() };
            assert!((2 * (at_ns - 5 * MS)).abs_diff(of(conditions)) <= 1, "{conditions}");
        }
    }
}

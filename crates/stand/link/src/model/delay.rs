//! Delay: fixed, drawn per interval, and jittered per packet; never reorders.

use super::Seeds;
use crate::random::{Draws, Purpose};
use crate::spec::{Direction, DirectionSpec, RoundTripSpec};

/// The delay of one direction.
#[derive(Debug, Clone)]
pub(super) struct Delay {
    fixed_ns: u64,
    jitter_ns: u64,
    jitter: Draws,
    round_trip: Option<RoundTrip>,
    anchor_ns: u64,
    last_arrival_ns: u64,
}

/// A direction's share of a drawn round trip, half unless the link assigns all of it to one direction; both directions draw the
/// same number for the same interval.
#[derive(Debug, Clone)]
struct RoundTrip {
    spec: RoundTripSpec,
    draws: Draws,
    /// The drawn number is divided by this; `None` if the other direction has all of it.
    divisor: Option<u64>,
    current: Option<(u64, u64)>,
}

impl Delay {
    pub(super) fn new(
        spec: &DirectionSpec,
        round_trip: Option<RoundTripSpec>,
        seeds: Seeds,
        direction: Direction,
        anchor_ns: u64,
    ) -> Self {
        let purpose = match direction {
            Direction::Up => Purpose::JitterUp,
            Direction::Down => Purpose::JitterDown,
        };
        Self {
            fixed_ns: spec.delay.ns,
            jitter_ns: spec.jitter.ns,
            jitter: Draws::new(seeds.packets, purpose),
            round_trip: round_trip.map(|spec| RoundTrip {
                spec,
                draws: Draws::new(seeds.conditions, Purpose::RoundTrip),
                divisor: match spec.on {
                    None => Some(2),
                    Some(all) => (all == direction).then_some(1),
                },
                current: None,
            }),
            anchor_ns,
            last_arrival_ns: 0,
        }
    }

    pub(super) fn anchor(&mut self, anchor_ns: u64) {
        self.anchor_ns = anchor_ns;
    }

    /// When a packet that left the bottleneck at `left_ns` arrives.
    pub(super) fn arrival(&mut self, left_ns: u64) -> u64 {
        let mut delay_ns = self.fixed_ns;
        if let Some(round_trip) = &mut self.round_trip {
            delay_ns += round_trip.part_ns(left_ns.saturating_sub(self.anchor_ns));
        }
        if self.jitter_ns > 0 {
            let shift = self.jitter.normal() * self.jitter_ns as f64;
            delay_ns = delay_ns.saturating_add_signed(shift as i64);
        }
        self.last_arrival_ns = self.last_arrival_ns.max(left_ns + delay_ns);
        self.last_arrival_ns
    }
}

impl RoundTrip {
    fn part_ns(&mut self, since_anchor_ns: u64) -> u64 {
        let Some(divisor) = self.divisor else { return 0 };
        let interval = since_anchor_ns / self.spec.every.ns.max(1);
        match self.current {
            Some((drawn_for, part_ns)) if drawn_for == interval => part_ns,
            _ => {
                self.draws.seek(interval);
                let shift = self.draws.normal() * self.spec.deviation.ns as f64;
                let part_ns = self.spec.mean.ns.saturating_add_signed(shift as i64) / divisor;
                self.current = Some((interval, part_ns));
                part_ns
            }
        }
    }
}

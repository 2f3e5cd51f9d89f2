//! The link as a pure function of seeds and injected time: one small type per effect, composed here.
//!
//! A packet that enters passes loss, queue, rate and delay in this order. Packets keep their order (see
//! [`crate::spec`]). Times are CLOCK_MONOTONIC in nanoseconds, but this module only compares and adds them.
//! Delays drawn per interval and rate traces count from the anchor; before the anchor their first values hold.
//! No I/O, no clock, no thread. Deliberate [`Faults`] act after all of this, on packets instead of lengths.

mod bottleneck;
mod delay;
mod fault;
mod floor;
mod loss;

use bottleneck::{Line, Queue};
use delay::Delay;
pub use fault::{FaultCount, Faults, Passed, Struck};
pub use floor::RoundTripBounds;
use loss::Loss;

use serde::{Deserialize, Serialize};

use crate::spec::{Direction, ETHERNET_HEADER_BYTES, LinkSpec};

/// The seeds of a link's random values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seeds {
    /// Draws per packet: loss, jitter and faults. One seed per trial.
    pub packets: u64,
    /// The conditions that all cells of one repeat share: the offset into rate traces and the sequence of
    /// round trip delays. One seed per repeat.
    pub conditions: u64,
}

/// What happens to a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is dropped and never arrives.
    Drop(DropReason),
    /// It arrives at this time.
    Deliver {
        /// In the caller's clock, never before the `now_ns` of the offer.
        at_ns: u64,
    },
}

/// Why a packet was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DropReason {
    /// The link's random loss, or its bursts.
    Loss,
    /// The queue had no room.
    Queue,
    /// A fault rule of the link.
    Fault,
}

impl DropReason {
    /// All reasons, in the order of counters.
    pub const ALL: [Self; 3] = [Self::Loss, Self::Queue, Self::Fault];

    /// The word used in counters and captures.
    pub fn word(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::Queue => "queue",
            Self::Fault => "fault",
        }
    }
}

/// Both directions of a link.
#[derive(Debug, Clone)]
pub struct LinkModel {
    paths: [Path; 2],
}

/// The model of one direction.
#[derive(Debug, Clone)]
struct Path {
    loss: Loss,
    queue: Queue,
    line: Line,
    delay: Delay,
}

impl LinkModel {
    /// The model of a spec, anchored at `anchor_ns`.
    pub fn new(spec: &LinkSpec, seeds: Seeds, anchor_ns: u64) -> Self {
        Self {
            paths: Direction::ALL.map(|direction| {
                let part = spec.direction(direction);
                Path {
                    loss: Loss::new(part.loss, seeds.packets, direction),
                    queue: Queue::new(part.queue),
                    line: Line::new(&part.rate, part.rate_floor, seeds.conditions, anchor_ns),
                    delay: Delay::new(part, spec.round_trip, seeds, direction, anchor_ns),
                }
            }),
        }
    }

    /// Moves the start of traces and of drawn delays; packets in flight keep their fate.
    pub fn anchor(&mut self, anchor_ns: u64) {
        for path in &mut self.paths {
            path.line.anchor(anchor_ns);
            path.delay.anchor(anchor_ns);
        }
    }

    /// Decides on a packet of `ip_len` bytes that enters at `now_ns`, which must not decrease per direction.
    pub fn offer(&mut self, now_ns: u64, direction: Direction, ip_len: u32) -> Fate {
        let path = &mut self.paths[direction.index()];
        let frame_bytes = ip_len + ETHERNET_HEADER_BYTES;
        if path.loss.strikes() {
            return Fate::Drop(DropReason::Loss);
        }
        if !path.queue.admits(now_ns, frame_bytes) {
            return Fate::Drop(DropReason::Queue);
        }
        let left_ns = path.line.transmit(now_ns, frame_bytes);
        path.queue.push(left_ns, frame_bytes);
        Fate::Deliver { at_ns: path.delay.arrival(left_ns) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{LossSpec, QueueSpec, RateSpec, RoundTripSpec};
    use wiredyno_contract::{BitRate, Ratio, Span};

    const SEEDS: Seeds = Seeds { packets: 1, conditions: 1 };
    const MS: u64 = 1_000_000;
    const S: u64 = 1_000_000_000;

    fn arrival(fate: Fate) -> u64 {
        match fate {
            Fate::Deliver { at_ns } => at_ns,
            Fate::Drop(reason) => panic!("dropped: {reason:?}"),
        }
    }

    #[test]
    fn thirty_five_ms_each_way_are_exactly_seventy() {
        let mut spec = LinkSpec::unshaped();
        spec.up.delay = Span { ns: 35 * MS };
        spec.down.delay = Span { ns: 35 * MS };
        let mut model = LinkModel::new(&spec, SEEDS, 0);
        for k in 0..1000 {
            let there = arrival(model.offer(k * MS, Direction::Up, 84));
            let back = arrival(model.offer(there, Direction::Down, 84));
            assert_eq!(back, k * MS + 70 * MS);
        }
    }

    #[test]
    fn ten_percent_each_way_lose_nineteen_of_a_hundred_and_the_seed_decides_which() {
        let spec = LinkSpec::unshaped().with_loss(0.1);
        let lost = |seed| {
            let seeds = Seeds { packets: seed, conditions: 1 };
            let mut model = LinkModel::new(&spec, seeds, 0);
            (0..200_000u64)
                .filter(|k| {
                    matches!(model.offer(*k, Direction::Up, 84), Fate::Drop(DropReason::Loss))
                        || matches!(model.offer(*k, Direction::Down, 84), Fate::Drop(_))
                })
                .collect::<Vec<_>>()
        };
        let first = lost(1);
        assert_eq!(first, lost(1));
        assert_ne!(first, lost(2));
        // 200,000 trials at p = 0.19: standard deviation 0.00088, so 0.004 is more than 4 of them.
        let share = first.len() as f64 / 200_000.0;
        assert!((share - 0.19).abs() < 0.004, "{share}");
    }

    #[test]
    fn loss_of_nothing_and_of_everything() {
        let mut none = LinkModel::new(&LinkSpec::unshaped().with_loss(0.0), SEEDS, 0);
        let mut all = LinkModel::new(&LinkSpec::unshaped().with_loss(1.0), SEEDS, 0);
        for k in 0..10_000 {
            assert_eq!(none.offer(k, Direction::Up, 84), Fate::Deliver { at_ns: k });
            assert_eq!(all.offer(k, Direction::Up, 84), Fate::Drop(DropReason::Loss));
        }
    }

    #[test]
    fn packets_leave_at_exactly_the_constant_rate() {
        // 3 Mbit/s and frames of 1000 bytes: 8000 bits take 2666666.67 ns, and no rounding adds up.
        let mut spec = LinkSpec::unshaped();
        spec.up.rate = RateSpec::Constant { rate: BitRate { bits_per_s: 3_000_000 } };
        let mut model = LinkModel::new(&spec, SEEDS, 0);
        for k in 1..=3_000u64 {
            assert_eq!(arrival(model.offer(0, Direction::Up, 986)), (k * 8_000 * S).div_ceil(3_000_000));
        }
        // After a pause the line is free: the next packet only takes its own time.
        assert_eq!(arrival(model.offer(100 * S, Direction::Up, 986)), 100 * S + 2_666_667);
    }

    #[test]
    fn a_packet_that_spans_seconds_of_a_trace_takes_each_at_its_rate() {
        // 8000 bits: 1000 in second 0, the floor of 500 for the 0 in second 1, 4000 in second 2, and so on.
        let mut spec = LinkSpec::unshaped();
        spec.up.rate = RateSpec::Trace { name: "t".into(), bits_per_s: vec![1_000, 0, 4_000] };
        spec.up.rate_floor = BitRate { bits_per_s: 500 };
        let mut line = Line::new(&spec.up.rate, spec.up.rate_floor, 1, 10 * S);
        line.set_offset_ns(0);
        // 1000 + 500 + 4000 + 1000 + 500 = 7000 bits in five seconds, the last 1000 in 0.25 s.
        assert_eq!(line.transmit(10 * S, 1_000), 15 * S + S / 4);
        // Before the anchor the first rate holds.
        let mut line = Line::new(&spec.up.rate, spec.up.rate_floor, 1, 10 * S);
        line.set_offset_ns(0);
        assert_eq!(line.transmit(2 * S, 1_000), 10 * S);
    }

    #[test]
    fn the_trace_offset_comes_from_the_conditions_seed_alone() {
        let mut spec = LinkSpec::unshaped();
        spec.up.rate =
            RateSpec::Trace { name: "t".into(), bits_per_s: (1..=600).map(|k| k * 1_000).collect() };
        let first = |packets, conditions| {
            arrival(LinkModel::new(&spec, Seeds { packets, conditions }, 0).offer(0, Direction::Up, 111))
        };
        assert_eq!(first(1, 5), first(2, 5));
        assert_ne!(first(1, 5), first(1, 6));
    }

    #[test]
    fn a_full_queue_drops_exactly_what_does_not_fit() {
        let mut spec = LinkSpec::unshaped();
        // A frame of 1000 bytes takes 1 ms.
        spec.up.rate = RateSpec::Constant { rate: BitRate { bits_per_s: 8_000_000 } };
        spec.up.queue = QueueSpec { packets: Some(3), bytes: None };
        let mut model = LinkModel::new(&spec, SEEDS, 0);
        let fates: Vec<_> = (0..5).map(|_| model.offer(0, Direction::Up, 986)).collect();
        let (full, at) = (Fate::Drop(DropReason::Queue), |at_ns| Fate::Deliver { at_ns });
        assert_eq!(fates, [at(MS), at(2 * MS), at(3 * MS), full, full]);
        // The first has left at 1 ms: there is room for one.
        assert_eq!(model.offer(MS - 1, Direction::Up, 986), full);
        assert_eq!(model.offer(MS, Direction::Up, 986), at(4 * MS));
        assert_eq!(model.offer(MS, Direction::Up, 986), full);

        spec.up.queue = QueueSpec { packets: None, bytes: Some(2_500) };
        let mut model = LinkModel::new(&spec, SEEDS, 0);
        let fates: Vec<_> =
            [986, 986, 986, 486].map(|len| model.offer(0, Direction::Up, len)).into_iter().collect();
        assert_eq!(fates, [at(MS), at(2 * MS), full, at(2 * MS + MS / 2)]);
    }

    #[test]
    fn the_round_trip_is_drawn_once_an_interval_and_split_equally() {
        let mut spec = LinkSpec::unshaped();
        spec.round_trip = Some(RoundTripSpec {
            mean: Span { ns: 70 * MS },
            deviation: Span { ns: 6 * MS },
            every: Span { ns: S },
            on: None,
        });
        let mut model = LinkModel::new(&spec, SEEDS, 5 * S);
        let mut draws = Vec::new();
        for second in 0..2_000u64 {
            let now = (5 + second) * S;
            let up = arrival(model.offer(now, Direction::Up, 84)) - now;
            let later = arrival(model.offer(now + S / 2, Direction::Up, 84)) - now - S / 2;
            let down = arrival(model.offer(now + S / 2, Direction::Down, 84)) - now - S / 2;
            assert_eq!(up, later);
            assert!(up.abs_diff(down) <= 1, "{up} {down}");
            draws.push((up + down) as f64 / MS as f64);
        }
        let mean = draws.iter().sum::<f64>() / 2_000.0;
        let deviation = (draws.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / 1_999.0).sqrt();
        // Standard errors: 0.13 ms of the mean, 0.095 ms of the deviation.
        assert!((mean - 70.0).abs() < 0.5 && (deviation - 6.0).abs() < 0.4, "{mean} {deviation}");
    }

    #[test]
    fn one_direction_may_have_all_of_the_round_trip() {
        let mut spec = LinkSpec::unshaped();
        let mean = Span { ns: 70 * MS };
        let drawn = RoundTripSpec {
            mean,
            deviation: Span { ns: 0 },
            every: Span { ns: S },
            on: Some(Direction::Down),
        };
        spec.round_trip = Some(drawn);
        let mut model = LinkModel::new(&spec, SEEDS, 0);
        assert_eq!(arrival(model.offer(S, Direction::Up, 84)), S);
        assert_eq!(arrival(model.offer(S, Direction::Down, 84)), S + 70 * MS);
    }

    #[test]
    fn jitter_keeps_the_order() {
        let mut spec = LinkSpec::unshaped();
        spec.up.delay = Span { ns: 10 * MS };
        spec.up.jitter = Span { ns: 5 * MS };
        let mut model = LinkModel::new(&spec, SEEDS, 0);
        let times: Vec<_> = (0..10_000).map(|k| arrival(model.offer(k * MS, Direction::Up, 84))).collect();
        assert!(times.is_sorted());
        assert!(times.iter().zip(0..).all(|(t, k)| *t >= k * MS));
        // Packets a second apart don't hold each other back, so the mean is kept.
        let mut model = LinkModel::new(&spec, SEEDS, 0);
        let sum: u64 = (0..10_000).map(|k| arrival(model.offer(k * S, Direction::Up, 84)) - k * S).sum();
        assert!((sum as f64 / 1e10 - 10.0).abs() < 0.2, "{sum}");
    }

    #[test]
    fn loss_draws_do_not_depend_on_jitter() {
        let plain = LinkSpec::unshaped().with_loss(0.3);
        let mut jittery = plain.clone();
        jittery.up.jitter = Span { ns: MS };
        let lost = |spec: &LinkSpec| {
            let mut model = LinkModel::new(spec, SEEDS, 0);
            (0..1_000).map(|k| matches!(model.offer(k, Direction::Up, 84), Fate::Drop(_))).collect::<Vec<_>>()
        };
        assert_eq!(lost(&plain), lost(&jittery));
        assert_eq!(plain.up.loss, LossSpec::Independent { share: Ratio::new(0.3).unwrap() });
    }
}

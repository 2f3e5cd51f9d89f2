//! The bottleneck: a line with a rate, and the droptail queue in front of it.

use std::collections::VecDeque;

use crate::random::{Draws, Purpose};
use crate::spec::{QueueSpec, RateSpec};
use wiredyno_contract::BitRate;

const SECOND_NS: u64 = 1_000_000_000;

/// Sends one frame after another at the current rate. Exact: the capacity of the last nanosecond that a frame
/// does not use is credited to the next frame.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// Bits per second, one value per second; a single value is constant, none means unlimited.
    rates: Vec<u64>,
    /// Where in the trace the anchor is.
    offset_ns: u64,
    anchor_ns: u64,
    free_at_ns: u64,
    /// In bit-nanoseconds per second, that is 1e-9 bit.
    credit: u128,
}

impl Line {
    pub(super) fn new(rate: &RateSpec, floor: BitRate, conditions_seed: u64, anchor_ns: u64) -> Self {
        let rates: Vec<u64> = match rate {
            RateSpec::Unlimited => Vec::new(),
            RateSpec::Constant { rate } => vec![rate.bits_per_s.max(floor.bits_per_s).max(1)],
            RateSpec::Trace { bits_per_s, .. } => {
                bits_per_s.iter().map(|r| (*r).max(floor.bits_per_s).max(1)).collect()
            }
        };
        let offset_ns = match rates.len() as u64 {
            0 | 1 => 0,
            seconds => Draws::new(conditions_seed, Purpose::TraceOffset).u64() % (seconds * SECOND_NS),
        };
        Self { rates, offset_ns, anchor_ns, free_at_ns: 0, credit: 0 }
    }

    pub(super) fn anchor(&mut self, anchor_ns: u64) {
        self.anchor_ns = anchor_ns;
    }

    #[cfg(test)]
    pub(super) fn set_offset_ns(&mut self, offset_ns: u64) {
        self.offset_ns = offset_ns;
    }

    /// The time at which the last bit of a frame available at `now_ns` has left.
    pub(super) fn transmit(&mut self, now_ns: u64, frame_bytes: u32) -> u64 {
        if self.rates.is_empty() {
            return now_ns;
        }
        if now_ns > self.free_at_ns {
            self.free_at_ns = now_ns;
            self.credit = 0;
        }
        let mut work = u128::from(frame_bytes) * 8 * u128::from(SECOND_NS);
        work -= self.credit.min(work);
        let mut at_ns = self.free_at_ns;
        loop {
            let (rate, holds_ns) = self.rate_at(at_ns);
            let takes_ns = work.div_ceil(u128::from(rate));
            if takes_ns <= u128::from(holds_ns) {
                // The cast is exact: takes_ns is at most holds_ns.
                at_ns += takes_ns as u64;
                self.credit = takes_ns * u128::from(rate) - work;
                self.free_at_ns = at_ns;
                return at_ns;
            }
            work -= u128::from(holds_ns) * u128::from(rate);
            at_ns += holds_ns;
        }
    }

    /// The rate at a time, and how long it holds from then on.
    fn rate_at(&self, at_ns: u64) -> (u64, u64) {
        if let [constant] = self.rates[..] {
            return (constant, u64::MAX - at_ns);
        }
        let since_ns = at_ns.saturating_sub(self.anchor_ns);
        let position_ns = since_ns + self.offset_ns;
        let second = (position_ns / SECOND_NS) as usize % self.rates.len();
        let waits_ns = self.anchor_ns.saturating_sub(at_ns);
        (self.rates[second], waits_ns + SECOND_NS - position_ns % SECOND_NS)
    }
}

/// Frames that wait for the line or are being sent.
#[derive(Debug, Clone)]
pub(super) struct Queue {
    limit: QueueSpec,
    /// When each frame will have left, and its bytes.
    frames: VecDeque<(u64, u32)>,
    bytes: u64,
}

impl Queue {
    pub(super) fn new(limit: QueueSpec) -> Self {
        Self { limit, frames: VecDeque::new(), bytes: 0 }
    }

    /// Whether the queue has room for a frame at `now_ns`.
    pub(super) fn admits(&mut self, now_ns: u64, frame_bytes: u32) -> bool {
        while let Some((left_ns, bytes)) = self.frames.front()
            && *left_ns <= now_ns
        {
            self.bytes -= u64::from(*bytes);
            self.frames.pop_front();
        }
        self.limit.packets.is_none_or(|limit| (self.frames.len() as u64) < limit)
            && self.limit.bytes.is_none_or(|limit| self.bytes + u64::from(frame_bytes) <= limit)
    }

    pub(super) fn push(&mut self, left_ns: u64, frame_bytes: u32) {
        if self.limit != QueueSpec::default() {
            self.frames.push_back((left_ns, frame_bytes));
            self.bytes += u64::from(frame_bytes);
        }
    }
}

//! What a link is: delay, jitter, rate, loss, queue, per direction, with the source of its numbers.
//!
//! Order is always kept. Jitter and newly drawn delays therefore hold a packet back behind a slower one, which raises the mean delay:
//! we accept that shift, as with a radio link's in-order delivery. A packet that would overtake arrives at the same time as its
//! predecessor.

use std::path::Path;

use serde::{Deserialize, Serialize};

mod drive;
mod fault;
mod link_file;

pub use drive::Drive;
pub use fault::{DEFAULT_HOLD, Fault, FaultProtocol, FaultSpec, Strikes};
pub use link_file::LinkFileError;

use wiredyno_contract::{BitRate, Ratio, Span};

/// Bytes of the Ethernet header that every counted packet carries in addition to its IP length (no FCS): two
/// addresses and the EtherType, IEEE 802.3.
pub const ETHERNET_HEADER_BYTES: u32 = 14;
/// MTU of a link that doesn't specify one: Ethernet's (RFC 894).
pub const DEFAULT_MTU_BYTES: u16 = 1500;
/// TCP congestion control of a link that doesn't specify one; the system default differs between machines.
pub const DEFAULT_CONGESTION: &str = "cubic";

/// Seen from the vehicle: `up` leads from `edge` to `cloud`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// From host `edge` to host `cloud`.
    Up,
    /// From host `cloud` to host `edge`.
    Down,
}

impl Direction {
    /// Both directions, in the order of [`Self::index`].
    pub const ALL: [Self; 2] = [Self::Up, Self::Down];

    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }

    /// 0 for up, 1 for down.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// A complete link that can be laid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// The link's id: the name of its file.
    pub id: String,
    /// What it represents, in one sentence.
    pub about: String,
    /// Where its numbers come from.
    pub source: String,
    /// A round trip delay that changes over time, in addition to the directions' own delays.
    pub round_trip: Option<RoundTripSpec>,
    /// The direction from `edge` to `cloud`.
    pub up: DirectionSpec,
    /// The direction from `cloud` to `edge`.
    pub down: DirectionSpec,
    /// The largest IP packet, 576 to 9000 bytes.
    pub mtu_bytes: u16,
    /// TCP congestion control on both hosts' routes.
    pub congestion: String,
    /// Deliberate faults, tried in this order; none on an ordinary link.
    pub faults: Vec<FaultSpec>,
}

/// A round trip delay drawn in fixed intervals from a normal distribution, cut at 0; half of it applies to each direction, or all to
/// one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundTripSpec {
    /// Mean of the distribution, before the cut.
    pub mean: Span,
    /// Standard deviation of the distribution.
    pub deviation: Span,
    /// How long a draw holds, counted from the link's anchor.
    pub every: Span,
    /// The direction that gets all of it; half to each if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<Direction>,
}

/// One direction of a link.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirectionSpec {
    /// Fixed delay of every packet.
    pub delay: Span,
    /// Standard deviation of a normal drawn for each packet and added to the delay (sum cut at 0).
    pub jitter: Span,
    /// The rate at which bytes leave.
    pub rate: RateSpec,
    /// The rate never falls below this.
    pub rate_floor: BitRate,
    /// How packets are lost, before the queue.
    pub loss: LossSpec,
    /// How much may wait for the rate.
    pub queue: QueueSpec,
    /// Whether it keeps its own loss, whatever loss a study sets.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_loss: bool,
}

/// The rate at which frames (IP length plus Ethernet header) leave.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum RateSpec {
    /// Frames leave at once, without queueing.
    #[default]
    Unlimited,
    /// The same rate at all times.
    Constant {
        /// Bits per second, of frames.
        rate: BitRate,
    },
    /// One rate per second, repeated from the start at the end.
    Trace {
        /// The file or generator that it came from.
        name: String,
        /// Bits per second, one value per second; never empty.
        bits_per_s: Vec<u64>,
    },
}

/// How packets are lost. Losses happen on entry to the link, before a packet uses any rate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum LossSpec {
    /// Each packet independently, with equal probability.
    Independent {
        /// Probability, from 0 to 1.
        share: Ratio,
    },
    /// In bursts: a chain of two states, `good` and `bad`, that may change with every packet (E. N. Gilbert, Capacity of a
    /// Burst-Noise Channel, Bell System Technical Journal 39, 1960; E. O. Elliott, Estimates of Error Rates for Codes on Burst-Noise
    /// Channels, the same 42, 1963). It begins in its stationary distribution: bad with probability p / (p + r). It stays bad for
    /// 1 / r packets on average.
    GilbertElliott {
        /// Probability of going from good to bad, per packet.
        p: Ratio,
        /// Probability of going from bad to good, per packet.
        r: Ratio,
        /// Probability of losing a packet in the good state; 0 in Gilbert's model.
        loss_good: Ratio,
        /// Probability of losing a packet in the bad state; 1 if a burst loses all its packets.
        loss_bad: Ratio,
    },
}

impl LossSpec {
    /// Loses a share of all packets in bursts of this mean length: Gilbert's chain with r = 1 / mean and p = r share / (1 - share).
    /// `None` if the mean is below 1 packet, or if bursts this short can't make up a share this large.
    pub fn in_bursts(share: Ratio, mean_packets: f64) -> Option<Self> {
        if !(mean_packets >= 1.0 && share.get() < 1.0) {
            return None;
        }
        let r = 1.0 / mean_packets;
        let p = Ratio::new(r * share.get() / (1.0 - share.get())).ok()?;
        let (loss_good, loss_bad) = (Ratio::default(), Ratio::new(1.0).ok()?);
        Some(Self::GilbertElliott { p, r: Ratio::new(r).ok()?, loss_good, loss_bad })
    }

    /// The long-run share of lost packets: for a Gilbert-Elliott chain (r loss_good + p loss_bad) / (p + r), which is p / (p + r) if
    /// the good state loses none and the bad state all.
    pub fn stationary(&self) -> f64 {
        match self {
            Self::Independent { share } => share.get(),
            Self::GilbertElliott { loss_good, loss_bad, .. } => {
                let bad = self.bad_share();
                (1.0 - bad) * loss_good.get() + bad * loss_bad.get()
            }
        }
    }

    /// The share of packets that meet the bad state, 0..1; 0 for independent loss and for a chain that never changes state.
    pub(crate) fn bad_share(&self) -> f64 {
        match self {
            Self::GilbertElliott { p, r, .. } if p.get() + r.get() > 0.0 => p.get() / (p.get() + r.get()),
            _ => 0.0,
        }
    }
}

impl Default for LossSpec {
    fn default() -> Self {
        Self::Independent { share: Ratio::default() }
    }
}

/// Limits of the droptail queue in front of the rate; the packet being sent counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueSpec {
    /// At most this many packets.
    pub packets: Option<u64>,
    /// At most this many bytes of frames.
    pub bytes: Option<u64>,
}

impl LinkSpec {
    /// Parses a link from the text of its file. `path` names it in errors, gives its id, and locates its trace files.
    pub fn parse(text: &str, path: &Path) -> Result<Self, LinkFileError> {
        link_file::parse(text, path)
    }

    /// Reads a link from its file.
    pub fn read(path: &Path) -> Result<Self, LinkFileError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| LinkFileError::Read { path: path.to_owned(), source })?;
        Self::parse(&text, path)
    }

    /// A link that forwards everything at once.
    pub fn unshaped() -> Self {
        Self {
            id: "unshaped".to_owned(),
            about: "Passes every packet on at once".to_owned(),
            source: "ours".to_owned(),
            round_trip: None,
            up: DirectionSpec::default(),
            down: DirectionSpec::default(),
            mtu_bytes: DEFAULT_MTU_BYTES,
            congestion: DEFAULT_CONGESTION.to_owned(),
            faults: Vec::new(),
        }
    }

    /// This link with a different loss in both directions, except directions with `own_loss`: a study's `loss` replaces the link's. A
    /// ratio outside 0..=1 is clamped.
    #[must_use]
    pub fn with_loss(mut self, ratio: f64) -> Self {
        let share = Ratio::new(ratio.clamp(0.0, 1.0)).unwrap_or_default();
        for part in [&mut self.up, &mut self.down] {
            if !part.own_loss {
                part.loss = LossSpec::Independent { share };
            }
        }
        self
    }

    /// This link with a different fixed delay in each direction; a changing round trip is still added.
    #[must_use]
    pub fn with_delay(mut self, each_way: Span) -> Self {
        (self.up.delay, self.down.delay) = (each_way, each_way);
        self
    }

    /// The part of the spec for one direction.
    pub fn direction(&self, direction: Direction) -> &DirectionSpec {
        match direction {
            Direction::Up => &self.up,
            Direction::Down => &self.down,
        }
    }

    /// The mean delay of a small packet in both directions together, without queueing: the expected mean of a ping (excluding
    /// jitter's shift).
    pub fn mean_round_trip(&self) -> Span {
        Span { ns: self.up.delay.ns + self.down.delay.ns + self.round_trip.map_or(0, |r| r.mean.ns) }
    }
}

#[cfg(test)]
mod tests;

//! What clients and the path over a link add to the time of a trial. The time of a whole run is estimated where it is prepared (`wiredyno-running`).

use wiredyno_contract::RUST;
use wiredyno_link::spec::{DirectionSpec, LinkSpec, RateSpec};

/// The times that clients add to the minimum, as far as an estimate knows them: measured on two CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clients {
    /// Until they are ready, beyond connecting sockets: creating topics, joining a group, discovering each other.
    pub ready_ns: u64,
    /// What a publisher and a subscriber together take for a message, as fast as they can.
    pub message_ns: u64,
}

impl Clients {
    /// For a protocol in a runner.
    pub fn of(protocol: &str, runner: &str) -> Self {
        let ready_ns = wiredyno_transport_registry::of_protocol(protocol).map_or(0, |client| client.ready_ns);
        let message_ns = if runner == RUST { 20_000 } else { 100_000 };
        Clients { ready_ns, message_ns }
    }
}

/// How a link delays a message, as far as an estimate knows it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PathEstimate {
    /// Its round trip, without load.
    pub round_trip_ns: u64,
    /// How long a message keeps the slower direction busy.
    pub body_ns: u64,
    /// The share of packets that it loses, in the direction that loses more.
    pub loss: f64,
}

impl PathEstimate {
    /// For a message with this many bytes on the wire.
    pub fn over(link: &LinkSpec, wire_bytes: u64) -> PathEstimate {
        let busy_ns = |way: &DirectionSpec| {
            let bits_per_s = match &way.rate {
                RateSpec::Unlimited => return 0,
                RateSpec::Constant { rate } => rate.bits_per_s,
                RateSpec::Trace { bits_per_s, .. } => {
                    bits_per_s.iter().sum::<u64>() / (bits_per_s.len() as u64).max(1)
                }
            };
            (wire_bytes as f64 * 8e9 / bits_per_s.max(way.rate_floor.bits_per_s).max(1) as f64) as u64
        };
        PathEstimate {
            round_trip_ns: link.mean_round_trip().ns,
            body_ns: busy_ns(&link.up).max(busy_ns(&link.down)),
            loss: link.up.loss.stationary().max(link.down.loss.stationary()),
        }
    }
}

//! Where the roles of a study sit, and between which of them its messages travel.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wiredyno_contract::{Capability, TransportDescription};

use crate::axis::{Cell, Way};

/// A place where processes run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Host {
    /// The vehicle, robot or device.
    Edge,
    /// The data centre, at the far end of the link.
    Cloud,
}

impl Host {
    /// Both hosts, in order.
    pub const ALL: [Host; 2] = [Host::Edge, Host::Cloud];

    /// The host at the other end of the link.
    pub const fn other(self) -> Host {
        match self {
            Host::Edge => Host::Cloud,
            Host::Cloud => Host::Edge,
        }
    }
}

/// The host of each role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Hosts {
    /// The publisher's host: `edge` unless the study says otherwise.
    pub publisher: Host,
    /// The subscriber's host: `edge` measures the round trip, `cloud` one way.
    pub subscriber: Host,
    /// The host of the broker, or of the relay where a protocol has none.
    pub broker: Host,
}

impl Default for Hosts {
    fn default() -> Self {
        Hosts { publisher: Host::Edge, subscriber: Host::Edge, broker: Host::Cloud }
    }
}

impl Hosts {
    /// The same for a protocol without a broker between publishers and subscribers: where both are on one host, the subscriber moves to
    /// the broker's, so that messages cross the link, once.
    #[must_use]
    pub fn apart(self) -> Self {
        if self.publisher == self.subscriber { Hosts { subscriber: self.broker, ..self } } else { self }
    }

    /// The hosts of roles that use a client: these, but for a direct client, whose messages pass no broker.
    #[must_use]
    pub fn used_by(self, client: &TransportDescription) -> Self {
        if client.capabilities.contains(&Capability::Direct) { self.apart() } else { self }
    }

    /// How many times a message crosses the link on its way from the publisher over the broker to the subscriber.
    pub fn hops(&self) -> u32 {
        u32::from(self.publisher != self.broker) + u32::from(self.broker != self.subscriber)
    }

    /// The way of a cell's messages between these hosts, in words, with the number of hops: `there and back, two hops`. `straight` where
    /// there is no broker or relay. On loopback there is no other host to come back from.
    pub fn way_in_words(&self, cell: &Cell, straight: bool) -> String {
        let hops = if straight { "one hop" } else { "two hops" };
        match (cell.link.is_loopback(), self.publisher == self.subscriber) {
            (true, _) => hops.to_owned(),
            (false, true) => format!("there and back, {hops}"),
            (false, false) => format!("one way, {hops}"),
        }
    }

    /// These, with the subscriber at the end of a cell's way.
    #[must_use]
    pub fn of(&self, cell: &Cell) -> Hosts {
        let subscriber = match cell.way {
            None => self.subscriber,
            Some(Way::RoundTrip) => self.publisher,
            Some(Way::OneWay) => self.publisher.other(),
        };
        Hosts { subscriber, ..*self }
    }
}

/// How long one start of a broker serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Lifetime {
    /// One trial: no trial finds what another left behind.
    #[default]
    Trial,
    /// All trials of a cell on a lane: no cell finds what another left behind. A lane runs as many of these brokers as it has cells for
    /// them.
    Cell,
    /// All trials of a lane, each with a topic or queue of its own: for brokers that take seconds to start.
    Run,
}

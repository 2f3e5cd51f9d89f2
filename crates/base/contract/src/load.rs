//! What issues messages, and between whom they go.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::unit::MessageRate;

/// Who sends and receives, on how many topics. Client `i` of either kind has the topic `i` modulo their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clients {
    /// How many publish.
    pub publishers: u32,
    /// How many subscribe.
    pub subscribers: u32,
    /// How many topics there are; it divides both.
    pub topics: u32,
}

impl Clients {
    /// How many subscribers every message is for.
    pub fn fan_out(self) -> u32 {
        self.subscribers / self.topics.max(1)
    }

    /// Whether there is one of each.
    pub fn is_single(self) -> bool {
        self.publishers == 1 && self.subscribers == 1
    }

    /// The subscribers that a message is for, by its number: publishers take turns.
    pub fn receivers(self, number: u64) -> impl Iterator<Item = u32> {
        let topics = self.topics.max(1);
        let topic = (number % u64::from(topics)) as u32;
        (topic..self.subscribers).step_by(topics as usize)
    }
}

impl Default for Clients {
    fn default() -> Self {
        Clients { publishers: 1, subscribers: 1, topics: 1 }
    }
}

/// What issues the next message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LoadKind {
    /// Messages are sent on a schedule, whatever happened to the earlier ones.
    Open,
    /// A message is sent when one of those under way was received, or its deadline passed.
    Closed,
    /// A message is sent as soon as the client has taken the one before.
    Batch,
    /// Open loops at rates that close in on the highest that is sustained. A runner takes it for an open loop.
    Search,
}

/// How the times between the messages of an open loop are distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arrivals {
    /// All alike.
    #[default]
    Constant,
    /// Exponentially distributed around the interval, from the trial's seed.
    Poisson,
    /// So many at once, and then as long a pause as keeps the rate.
    Bursts(u32),
    /// The rate grows in proportion to time, from this one at the beginning to that of the load at the end.
    Ramp(MessageRate),
}

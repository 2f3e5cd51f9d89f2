//! What triggers messages, and which clients they go between.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::unit::MessageRate;

/// How many clients send and receive, on how many topics. Client `i` of either kind has the topic `i` modulo their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clients {
    /// How many publish, on all topics together.
    pub publishers: u32,
    /// How many subscribe, on all topics together.
    pub subscribers: u32,
    /// How many topics there are; divides both.
    pub topics: u32,
}

impl Clients {
    /// How many subscribers receive each message.
    pub fn fan_out(self) -> u32 {
        self.subscribers / self.topics.max(1)
    }

    /// Whether there is one publisher and one subscriber.
    pub fn is_single(self) -> bool {
        self.publishers == 1 && self.subscribers == 1
    }

    /// The subscribers that receive a message, by its number: publishers take turns.
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

/// What triggers the next message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LoadKind {
    /// Messages are sent on a schedule, independent of earlier ones.
    Open,
    /// A message is sent when one in flight is received, or when its deadline passes.
    Closed,
    /// A message is sent as soon as the client has taken the previous one.
    Batch,
    /// Open loops at rates that converge on the highest sustained one. A runner treats it as an open loop.
    Search,
}

/// How the times between the messages of an open loop are distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arrivals {
    /// All equal to the interval.
    #[default]
    Constant,
    /// Exponentially distributed around the interval, from the trial's seed.
    Poisson,
    /// This many at once, then a pause that keeps the rate.
    Bursts(u32),
    /// The rate grows linearly, from this one at the beginning to that of the load at the end.
    Ramp(MessageRate),
}

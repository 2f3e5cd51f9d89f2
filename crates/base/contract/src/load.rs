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
    /// Whether the subscribers of a topic share its messages, so that each message goes to one of them, instead of to all.
    pub shared: bool,
}

impl Clients {
    /// How often each message is to be received: once by every subscriber of its topic, or once by any of those that share it.
    pub fn fan_out(self) -> u32 {
        let of_topic = self.subscribers / self.topics.max(1);
        if self.shared { of_topic.min(1) } else { of_topic }
    }

    /// Whether there is one publisher and one subscriber.
    pub fn is_single(self) -> bool {
        self.publishers == 1 && self.subscribers == 1
    }

    /// The subscribers as which a message is received, by its number: publishers take turns. Those that share messages receive all as the first of
    /// their topic.
    pub fn receivers(self, number: u64) -> impl Iterator<Item = u32> {
        let topics = self.topics.max(1);
        let topic = (number % u64::from(topics)) as u32;
        (topic..self.subscribers).step_by(topics as usize).take(self.fan_out() as usize)
    }

    /// The subscriber as which another one receives: itself, or the first of its topic where they share messages.
    pub fn receives_as(self, subscriber: u32) -> u32 {
        if self.shared { subscriber % self.topics.max(1) } else { subscriber }
    }

    /// Whether a subscriber's receipts open the gate of a closed loop: those of one subscriber of each topic, or of all that share its messages.
    pub fn opens_gate(self, subscriber: u32) -> bool {
        self.shared || subscriber < self.topics.max(1)
    }
}

impl Default for Clients {
    fn default() -> Self {
        Clients { publishers: 1, subscribers: 1, topics: 1, shared: false }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_subscribers_share_is_received_once_as_the_first_of_the_topic() {
        let all = Clients { publishers: 2, subscribers: 6, topics: 2, shared: false };
        let shared = Clients { shared: true, ..all };
        let receivers = |clients: Clients, number| clients.receivers(number).collect::<Vec<_>>();
        assert_eq!((all.fan_out(), receivers(all, 3)), (3, vec![1, 3, 5]));
        assert_eq!((shared.fan_out(), receivers(shared, 3)), (1, vec![1]));
        let as_whom = |clients: Clients| (0..6).map(|one| clients.receives_as(one)).collect::<Vec<_>>();
        assert_eq!(as_whom(all), [0, 1, 2, 3, 4, 5]);
        assert_eq!(as_whom(shared), [0, 1, 0, 1, 0, 1]);
        let opening = |clients: Clients| (0..6).filter(|one| clients.opens_gate(*one)).count();
        assert_eq!((opening(all), opening(shared)), (2, 6));
    }
}

//! Connecting as a publisher.

use serde::{Deserialize, Serialize};

use super::{Client, is_one, one};

/// Connect as a publisher. Message `n` of a warm-up or start is sent by client `n` modulo their number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Publish {
    /// The clients that publish, those of other runners included.
    #[serde(flatten)]
    pub client: Client,
    /// How many clients subscribe in all: where the transport says `direct`, each publisher waits for those of its topic.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub subscribers: u32,
    /// Which of these clients this runner has, with the messages that they send; absent for all of both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
}

impl From<Client> for Publish {
    /// Of all of the clients, for one subscriber.
    fn from(client: Client) -> Self {
        Publish { client, subscribers: 1, share: None }
    }
}

/// The part of a load that one of several runners publishes or receives. Of the clients, counted from 0, it has those whose number is `number` modulo
/// `of`, and sends their messages, each with the number, the time and the content that it would have if one runner sent all, or receives what goes to them:
/// `of` divides the number of clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// Which part, from 0.
    pub number: u32,
    /// How many parts there are, at least 1.
    pub of: u32,
}

impl Share {
    /// The whole load.
    pub const WHOLE: Share = Share { number: 0, of: 1 };

    /// How many of `all` are in it: clients, or messages.
    pub fn count(self, all: u32) -> u32 {
        all.saturating_sub(self.number).div_ceil(self.of.max(1))
    }

    /// Whether a client is in it, by its number.
    pub fn has(self, client: u32) -> bool {
        client % self.of.max(1) == self.number
    }

    /// The overall number of its `own`-th, both counted from 0.
    pub fn nth(self, own: u64) -> u64 {
        u64::from(self.number) + own * u64::from(self.of.max(1))
    }
}

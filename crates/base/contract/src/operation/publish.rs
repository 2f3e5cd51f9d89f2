//! Connecting as a publisher.

use serde::{Deserialize, Serialize};

use super::{Client, is_one, one};

/// Connect as a publisher. Message `n` of a warm-up or start goes out by client `n` modulo their number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Publish {
    /// The clients that publish.
    #[serde(flatten)]
    pub client: Client,
    /// How many clients subscribe in all: where the transport says `direct`, each publisher waits for those of its topic.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub subscribers: u32,
    /// Which of these clients this runner has, with the messages that go out by them; absent for all of both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
}

impl From<Client> for Publish {
    /// All of the clients, for one subscriber.
    fn from(client: Client) -> Self {
        Publish { client, subscribers: 1, share: None }
    }
}

/// The part of a load that one of several runners publishes. Of the clients, counted from 0, it has those whose number is `number` modulo
/// `of`, and sends the messages that go out by them, each with the number, the time and the content that it would have if one runner
/// sent all: `of` divides the number of clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// Which one, from 0.
    pub number: u32,
    /// How many there are, at least 1.
    pub of: u32,
}

impl Share {
    /// All of it.
    pub const WHOLE: Share = Share { number: 0, of: 1 };

    /// How many of so many are in it: of clients, or of messages.
    pub fn count(self, all: u32) -> u32 {
        all.saturating_sub(self.number).div_ceil(self.of.max(1))
    }

    /// The number in all of one in it, both counted from 0.
    pub fn nth(self, own: u64) -> u64 {
        u64::from(self.number) + own * u64::from(self.of.max(1))
    }
}

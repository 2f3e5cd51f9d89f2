//! The clients of a publisher or subscriber.

use serde::{Deserialize, Serialize};

use super::{is_one, one};
use crate::id::TransportId;
use crate::option::OptionTable;
use crate::terms::{Endpoint, LoginFile, TlsTerms};

/// Where the clients of a role connect, with which login, and how many they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Client {
    /// The client library.
    pub transport: TransportId,
    /// The reliability setting; absent where the protocol has only one.
    pub setting: Option<String>,
    /// The broker or relay to connect to.
    pub endpoint: Endpoint,
    /// Topic, queue or resource, unique to the trial.
    pub topic: String,
    /// How many clients of the role connect, each with a connection of its own.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub clients: u32,
    /// How many topics they use: client `i` has the topic `i` modulo their number, see [`topic_of`].
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub topics: u32,
    /// Values of the transport's options; missing ones have their defaults.
    #[serde(default)]
    pub options: OptionTable,
    /// Seed of the protocol's random values, such as the first wait before a retransmission.
    #[serde(default)]
    pub seed: u64,
    /// The login to use; absent for none, or the protocol's own guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub login: Option<LoginFile>,
    /// How to encrypt; absent for a connection in the clear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<TlsTerms>,
}

impl Client {
    /// One client on one topic, in the clear, with the protocol's only setting and its options' defaults.
    pub fn new(transport: TransportId, endpoint: Endpoint, topic: impl Into<String>) -> Self {
        Client {
            transport,
            setting: None,
            endpoint,
            topic: topic.into(),
            clients: 1,
            topics: 1,
            options: OptionTable::new(),
            seed: 0,
            login: None,
            tls: None,
        }
    }
}

/// The name of a client's topic: the trial's, followed by the topic's number where there are several.
pub fn topic_of(trial: &str, client: u32, topics: u32) -> String {
    if topics <= 1 { trial.to_owned() } else { format!("{trial}/{}", client % topics) }
}

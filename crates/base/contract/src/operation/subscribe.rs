//! Connecting as a subscriber.

use serde::{Deserialize, Serialize};

use super::{Client, Share};

/// Connect as a subscriber. Receipts of all clients but the first are recorded with [`crate::bulk::digest_for`], those of clients that share
/// messages like those of the first of their topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Subscribe {
    /// The clients that subscribe; with `listen` its endpoint is where to listen. Only the first client of each topic writes into
    /// the gate, or all that share messages.
    #[serde(flatten)]
    pub client: Client,
    /// Listen there for publishers that connect directly, instead of connecting: only where the transport says
    /// `peer-to-peer`.
    #[serde(default)]
    pub listen: bool,
    /// Whether the clients of a topic share its messages, so that each message goes to one of them: where the transport's options make it
    /// `shared`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
    /// The part of the clients that this runner has; all of them if absent. Those that share messages are not divided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
    /// Named pipe for the digest of each receipt, in closed loops.
    pub gate: Option<String>,
}

impl From<Client> for Subscribe {
    /// These clients connect, for an open loop.
    fn from(client: Client) -> Self {
        Subscribe { client, listen: false, shared: false, share: None, gate: None }
    }
}

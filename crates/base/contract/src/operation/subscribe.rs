//! Connecting as a subscriber.

use serde::{Deserialize, Serialize};

use super::Client;

/// Connect as a subscriber. Digests of what others than the first client get are those of [`crate::bulk::digest_for`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Subscribe {
    /// The clients that subscribe; with `listen` its endpoint is where to listen. Of each topic the first client alone writes into
    /// the gate.
    #[serde(flatten)]
    pub client: Client,
    /// Listen there for publishers that connect themselves, in place of connecting: only where the transport says
    /// `peer-to-peer`.
    #[serde(default)]
    pub listen: bool,
    /// Named pipe into which the digest of each receipt is written, for closed loops.
    pub gate: Option<String>,
}

impl From<Client> for Subscribe {
    /// These connect, for an open loop.
    fn from(client: Client) -> Self {
        Subscribe { client, listen: false, gate: None }
    }
}

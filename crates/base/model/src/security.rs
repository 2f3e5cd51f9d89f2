//! A study's settings for all its secured connections.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of every secured connection of a study: `[security]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SecuritySettings {
    /// Brokers that the run starts require the run's user and password, and admit that user to the run's topics only.
    pub login: bool,
    /// Each client connects once before the connection that counts, whose handshake then resumes what the first agreed
    /// (RFC 8446, section 2.2), where its library does that.
    pub resumption: bool,
}

impl SecuritySettings {
    /// Whether every setting has its default.
    pub fn is_default(&self) -> bool {
        *self == SecuritySettings::default()
    }
}

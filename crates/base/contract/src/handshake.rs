//! What a client tells of its handshake.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A version of TLS or DTLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TlsVersion {
    /// RFC 5246.
    #[serde(rename = "1.2")]
    Tls12,
    /// RFC 8446.
    #[serde(rename = "1.3")]
    Tls13,
    /// DTLS: RFC 6347.
    #[serde(rename = "dtls-1.2")]
    Dtls12,
}

/// A client's handshake of TLS or DTLS, as far as its library tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Handshake {
    /// From the making of ClientHello to the moment when the server's Finished was found good: one round trip and what both sides
    /// calculate, in TLS 1.3.
    pub took_ns: u64,
    /// CPU time of the client's thread for it; absent where that is not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    /// Bytes of its records that the client sent, without the headers of TCP, UDP and IP; absent where that is not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_bytes: Option<u64>,
    /// The same of those that it got.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received_bytes: Option<u64>,
    /// Whether it resumed what a connection before had agreed.
    #[serde(default)]
    pub resumed: bool,
}

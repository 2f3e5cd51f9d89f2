//! What a client reports about its handshake.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A version of TLS or DTLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TlsVersion {
    /// TLS 1.2, RFC 5246.
    #[serde(rename = "1.2")]
    Tls12,
    /// TLS 1.3, RFC 8446.
    #[serde(rename = "1.3")]
    Tls13,
    /// DTLS 1.2, RFC 6347.
    #[serde(rename = "dtls-1.2")]
    Dtls12,
}

/// A client's TLS or DTLS handshake, as far as its library reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Handshake {
    /// From creating ClientHello until the server's Finished is verified: in TLS 1.3, one round trip and the computation on both
    /// sides.
    pub took_ns: u64,
    /// CPU time that the client's thread spent on it; absent where that is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    /// Bytes of the records that the client sent, without TCP, UDP and IP headers; absent where that is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_bytes: Option<u64>,
    /// The same for the records that it received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received_bytes: Option<u64>,
    /// Whether it resumed the session of an earlier connection.
    #[serde(default)]
    pub resumed: bool,
}

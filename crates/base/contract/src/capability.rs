//! The properties that codecs and transports declare. They are also the fairness labels of reports:
//! differences between implementations are declared by them, never derived from their names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One property of a codec or transport that a reader of results should know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Capability {
    /// Decoding does not copy: the cost of access lies in the `read` phase.
    ZeroCopy,
    /// Both sides need the schema; field names are not in the bytes.
    SchemaDriven,
    /// The bytes can be read without a schema.
    SelfDescribing,
    /// Decoding refuses strings that are not UTF-8.
    ValidatesUtf8,
    /// Encoding can write into a reused buffer.
    ReusesBuffers,
    /// The same value always gives the same bytes.
    Canonical,
    /// A person can read the bytes.
    HumanReadable,
    /// Bytes fields are written as base64 text.
    BytesAsBase64,
    /// Messages arrive in the order in which they were sent.
    Ordered,
    /// Lost packets are retransmitted until the message arrives.
    Reliable,
    /// A message can arrive more than once.
    MayDuplicate,
    /// No broker is needed; the runner plays the broker's role itself.
    Brokerless,
    /// One message is one datagram, which limits its size.
    Datagram,
    /// A subscriber can accept a publisher's connection itself, without a broker in between.
    PeerToPeer,
    /// Messages of different topics are kept apart.
    Topics,
    /// A waiting message can be skipped in favour of a newer one: it is counted as superseded.
    MaySupersede,
    /// There is never a broker or relay between publisher and subscriber: they discover each other, and a message
    /// makes one hop.
    Direct,
    /// Connections are always encrypted: the protocol has no unencrypted ones.
    Encrypted,
    /// The subscribers of a topic share its messages: each message goes to one of them.
    Shared,
}

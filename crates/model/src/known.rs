//! What there is, as far as it can be known without compiling or starting anything: what lists show and plans are made of.

use serde::{Deserialize, Serialize};

use crate::capability::{CodecDescription, CompressionDescription, TransportDescription};
use crate::id::{BrokerId, CodecId};

/// Codecs, compressions, transports, and payloads with who carries them.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// The codecs of all runners.
    pub codecs: Vec<CodecDescription>,
    /// The compression methods.
    pub compressions: Vec<CompressionDescription>,
    /// The transports of all runners.
    pub transports: Vec<TransportDescription>,
    /// The brokers, with the protocols that each serves.
    pub brokers: Vec<(String, Vec<String>)>,
    /// The payloads that were looked at.
    pub payloads: Vec<PayloadDescription>,
}

impl Known {
    /// Whether a broker serves a protocol.
    pub fn serves(&self, broker: &BrokerId, protocol: &str) -> bool {
        let known = self.brokers.iter().find(|(name, _)| *name == broker.name);
        known.is_some_and(|(_, protocols)| protocols.iter().any(|served| served == protocol))
    }
}

/// A payload, as lists and plans see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayloadDescription {
    /// Its name, without a size.
    pub name: String,
    /// Whether it takes a size behind an at sign.
    pub sized: bool,
    /// What it is, in a sentence.
    pub about: String,
    /// The text of its message.proto.
    pub definition: String,
    /// How many samples it comes with.
    pub samples: u32,
    /// The codecs that can't carry it, or can't be had here, with the reason.
    pub not_carried: Vec<(CodecId, String)>,
    /// Why no dictionary can be trained on its samples; absent where one can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_dictionary: Option<String>,
}

//! What is available, as far as that is known without compiling or starting anything. Lists and plans are built from it.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wiredyno_contract::{
    BrokerId, CodecDescription, CodecId, CompressionDescription, RUST, TransportDescription,
};

use crate::axis::Cell;
use crate::lack::Lack;
use crate::study::Study;

/// Codecs, compressions, transports, brokers, and payloads with the codecs that carry them.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// The codecs of all runners.
    pub codecs: Vec<CodecDescription>,
    /// All compression methods that a study can name.
    pub compressions: Vec<CompressionDescription>,
    /// The transports of the composed runner.
    pub transports: Vec<TransportDescription>,
    /// The transports of runners that are folders, by the runner's name; a runner without transports has no entry.
    pub folder_transports: BTreeMap<String, Vec<TransportDescription>>,
    /// Names of the runners whose publishers read records from a database.
    pub folder_readers: BTreeSet<String>,
    /// The brokers, with the protocols that each serves.
    pub brokers: Vec<(String, Vec<String>)>,
    /// The payloads that were examined.
    pub payloads: Vec<PayloadDescription>,
}

impl Known {
    /// The name of the runner that has a codec.
    pub fn runner_of(&self, codec: &CodecId) -> &str {
        let described = self.codecs.iter().find(|described| described.id == *codec);
        described.map_or(RUST, |described| described.runner_name())
    }

    /// The client that carries a cell's messages: that of its protocol in the runner that has its codec. `None` if that runner has none.
    pub fn client(&self, cell: &Cell) -> Option<&TransportDescription> {
        let own = match self.runner_of(&cell.codec) {
            RUST => &self.transports,
            folder => self.folder_transports.get(folder)?,
        };
        cell.mode.transport(own)
    }

    /// The clients whose options a study may set: the composed runner's, then those of the other runners whose codecs it names.
    pub fn clients_of(&self, study: &Study) -> Vec<TransportDescription> {
        let runners: BTreeSet<&str> = study.axes.codec.iter().map(|codec| self.runner_of(codec)).collect();
        let others = runners.into_iter().filter_map(|runner| self.folder_transports.get(runner)).flatten();
        self.transports.iter().chain(others).cloned().collect()
    }

    /// Whether the runner that has a codec reads records from a database.
    pub fn reads_records(&self, codec: &CodecId) -> bool {
        let runner = self.runner_of(codec);
        runner == RUST || self.folder_readers.contains(runner)
    }

    /// Whether a broker serves a protocol.
    pub fn serves(&self, broker: &BrokerId, protocol: &str) -> bool {
        let known = self.brokers.iter().find(|(name, _)| *name == broker.name);
        known.is_some_and(|(_, protocols)| protocols.iter().any(|served| served == protocol))
    }
}

/// A payload, as lists and plans see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PayloadDescription {
    /// The name, without a size.
    pub name: String,
    /// Whether it takes a size after an at sign.
    pub sized: bool,
    /// What it is, in a sentence.
    pub about: String,
    /// The text of its message.proto.
    pub definition: String,
    /// Number of samples that come with it.
    pub samples: u32,
    /// How many different samples it makes for trials that ask for more; `samples` if it makes no more.
    pub distinct: u32,
    /// The codecs that can't carry it or are not available here, with the reason.
    pub not_carried: Vec<(CodecId, String)>,
    /// Those of them that could carry it and are not available here.
    #[serde(skip)]
    pub lacking: Vec<(CodecId, Lack)>,
    /// Why no dictionary can be trained on its samples; absent where one can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_dictionary: Option<String>,
}

//! The protocol between a lane's process and its owner: one JSON object per line, one reply per request.

use serde::{Deserialize, Serialize};
use wiredyno_contract::WireFormat;

use crate::accounting::{LinkCounters, Phase};
use crate::capture::CaptureFile;
use crate::model::Seeds;
use crate::spec::LinkSpec;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Request {
    Lay { spec: Box<LinkSpec>, seeds: Seeds, capture: Option<CaptureFile> },
    Anchor { at_ns: u64 },
    Mark { phase: Phase },
    ReadAs { format: WireFormat },
    Counters,
    Finish,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Reply {
    Ready(Ready),
    Done,
    Counters(Box<LinkCounters>),
    Failed {
        message: String,
    },
    /// The process ends for this reason: sent once, instead of the next answer.
    Ending {
        message: String,
    },
}

/// The first message of a process that has started.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Ready {
    /// File descriptors of the process's network namespaces, edge and cloud.
    pub(super) namespaces: [i32; 2],
    pub(super) realtime: bool,
    pub(super) notes: Vec<String>,
}

//! The runner's replies.

use serde::{Deserialize, Serialize};

use crate::codec_description::{CodecDescription, CompressionDescription};
use crate::handshake::{Handshake, TlsVersion};
use crate::id::CodecId;
use crate::membership::Membership;
use crate::phase::{DictionaryUsed, FirstCalls, PhaseMeasurement};
use crate::terms::Endpoint;
use crate::transport_description::TransportDescription;

/// A runner's reply to one request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The request's id.
    pub id: u64,
    /// Whether it succeeded; its key is on the same level as `id`.
    #[serde(flatten)]
    pub answer: Answer,
}

/// One of the keys of a reply: `"ok": {...}` or `"failed": {"error": "..."}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The operation succeeded, with its result.
    Ok(Success),
    /// The operation failed; the process continues.
    Failed(Failure),
}

impl From<Result<Success, Failure>> for Answer {
    fn from(result: Result<Success, Failure>) -> Self {
        match result {
            Ok(outcome) => Answer::Ok(outcome),
            Err(failure) => Answer::Failed(failure),
        }
    }
}

impl From<Answer> for Result<Success, Failure> {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Ok(outcome) => Ok(outcome),
            Answer::Failed(failure) => Err(failure),
        }
    }
}

/// The result of an operation that succeeded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Success {
    /// Answers `describe`.
    Description(Box<Description>),
    /// Answers `load`.
    Loaded {
        /// Samples loaded, all of which came back equal from a round trip.
        samples: u32,
        /// Length of each sample's body, as sent.
        body_bytes: Vec<u32>,
        /// Length of each sample before compression; empty without compression.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        uncompressed_bytes: Vec<u32>,
        /// The compression's dictionary; absent where it has none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dictionary: Option<DictionaryUsed>,
    },
    /// Answers `call-first`.
    CalledFirst {
        /// Times of the first calls.
        calls: FirstCalls,
    },
    /// Answers `encode-samples`.
    EncodedSamples {
        /// Their bytes in hexadecimal; none unless requested.
        bodies: Vec<String>,
    },
    /// Answers `encode`.
    Encoded {
        /// The sample's or value's bytes in hexadecimal.
        body: String,
    },
    /// Answers `decode`.
    Decoded {
        /// The value as Protobuf bytes, in hexadecimal.
        value: String,
    },
    /// Answers `measure`.
    Measured {
        /// Timings, heap and stack.
        measurement: PhaseMeasurement,
        /// Digest of what was produced, hexadecimal; the same for every measurement of the same samples.
        digest: String,
    },
    /// Answers `serve`.
    Serving {
        /// Where it listens, with the port that it got.
        endpoint: Endpoint,
        /// The certificate that clients have to trust, in PEM form, where the server created one; it is for the endpoint's
        /// host. Absent where connections are in the clear.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        certificate: Option<String>,
    },
    /// Answers `publish` and `subscribe`.
    Connected {
        /// How long the client took to connect, from the call to its return; absent where the runner does not report it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        connect_ns: Option<u64>,
        /// The negotiated version of TLS; absent in the clear, or where the client does not report it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tls: Option<TlsVersion>,
        /// The first client's handshake; absent in the clear, or where the client does not report it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        handshake: Option<Handshake>,
    },
    /// Answers the `await` operations.
    Progress {
        /// Publisher: messages of the last `warm-up` or `start` handed over. Subscriber: arrivals since `subscribe`, or how
        /// many of the awaited ones have arrived.
        messages: u64,
        /// Publisher: how many of those are acknowledged.
        acked: u64,
        /// CLOCK_MONOTONIC of the last send or arrival; absent before the first.
        last_ns: Option<i64>,
        /// CPU time that the role has spent so far on the stand's own work: waiting for the moment of a message, numbering,
        /// hashing and recording it, the gate. Absent where the runner can't separate it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stand_cpu_ns: Option<u64>,
        /// The part of that done on threads other than the one that did most of it: all CPU time of the thread that carries out requests,
        /// writing records, further receiving threads. 0 where it is not separated.
        #[serde(default)]
        session_cpu_ns: u64,
    },
    /// Answers `write-sent`.
    Written {
        /// How many records the file has.
        records: u64,
    },
    /// Answers `finish` and `finish-serving`.
    Finished {
        /// How many records the file has.
        records: u64,
        /// What went wrong before or at the end: a message that could not be encoded or sent, a lost
        /// connection. The records are written all the same, but the trial can't count.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<String>,
        /// Messages that the protocol was still trying to deliver when its time was over: they are lost, as on
        /// a slow or lossy link, and the trial counts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unfinished: Option<String>,
        /// What subscribers did as members of a group, where their transport has groups and they were in one.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        memberships: Vec<Membership>,
    },
    /// Answers every operation that has nothing to report.
    Done,
}

/// Why an operation failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{error}")]
pub struct Failure {
    /// What happened, with the ids concerned and what to do.
    pub error: String,
}

/// A runner and everything it offers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// Version of the contract that it implements: [`CONTRACT`].
    pub contract: u32,
    /// Name, language and version of the program.
    pub runner: Runner,
    /// The codecs that it offers.
    pub codecs: Vec<CodecDescription>,
    /// Its compression methods; without any it sends bytes as the codecs make them.
    #[serde(default)]
    pub compressions: Vec<CompressionDescription>,
    /// The transports that it offers.
    pub transports: Vec<TransportDescription>,
    /// Digest of the definition that its codecs were compiled for; absent where they accept any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// The codecs that can't carry that definition, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_carried: Vec<(CodecId, String)>,
    /// Whether it supports [`Operation::ReadRecords`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reads_records: bool,
}

/// The runner program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runner {
    /// Its name: the folder in `runners/`, or `rust` for the composed one.
    pub name: String,
    /// Language with the version of the compiler or interpreter.
    pub language: String,
    /// Version of the runner itself, not of its libraries.
    pub version: String,
}

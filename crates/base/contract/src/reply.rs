//! What a runner answers.

use serde::{Deserialize, Serialize};

use crate::capability::{CodecDescription, CompressionDescription, TransportDescription};
use crate::handshake::{Handshake, TlsVersion};
use crate::id::CodecId;
use crate::phase::{DictionaryUsed, FirstCalls, PhaseMeasurement};
use crate::terms::Endpoint;

/// What a runner answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The request's id.
    pub id: u64,
    /// How it went.
    #[serde(flatten)]
    pub answer: Answer,
}

/// Either key of a reply: `"ok": {...}` or `"failed": {"error": "..."}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// It went well.
    Ok(Success),
    /// It did not.
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

/// How an operation ended well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Success {
    /// To `describe`.
    Description(Box<Description>),
    /// To `load`.
    Loaded {
        /// Samples taken, all of which came back equal from a round trip.
        samples: u32,
        /// Length of each sample's body, as it is sent.
        body_bytes: Vec<u32>,
        /// Length of each sample before compression; empty where nothing is compressed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        uncompressed_bytes: Vec<u32>,
        /// The compression's dictionary.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dictionary: Option<DictionaryUsed>,
    },
    /// To `call-first`.
    CalledFirst {
        /// Their times.
        calls: FirstCalls,
    },
    /// To `encode-samples`.
    EncodedSamples {
        /// Their bytes in hexadecimal; none unless asked for.
        bodies: Vec<String>,
    },
    /// To `encode`.
    Encoded {
        /// The bytes in hexadecimal.
        body: String,
    },
    /// To `decode`.
    Decoded {
        /// The value as Protobuf's bytes, in hexadecimal.
        value: String,
    },
    /// To `measure`.
    Measured {
        /// Timings, heap and stack.
        measurement: PhaseMeasurement,
        /// Digest of what was produced, hexadecimal; the same for every measurement of the same samples.
        digest: String,
    },
    /// To `serve`.
    Serving {
        /// Where it listens now.
        endpoint: Endpoint,
        /// The certificate that clients have to trust, in PEM form, where the server made itself one; it is for the endpoint's
        /// host. Absent where connections are in the clear.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        certificate: Option<String>,
    },
    /// To `publish` and `subscribe`.
    Connected {
        /// How long the client took to connect, from the call to its return; absent where the runner does not tell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        connect_ns: Option<u64>,
        /// The version of TLS that was agreed; absent in the clear, or where the client does not tell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tls: Option<TlsVersion>,
        /// The first client's handshake; absent in the clear, or where the client does not tell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        handshake: Option<Handshake>,
    },
    /// To the `await` operations.
    Progress {
        /// Messages of the last `warm-up` or `start` handed over (publisher); arrived since `subscribe`, or of those awaited
        /// the ones that have arrived (subscriber).
        messages: u64,
        /// Of a publisher's, those acknowledged.
        acked: u64,
        /// CLOCK_MONOTONIC of the last send or arrival; absent before the first.
        last_ns: Option<i64>,
        /// CPU time that the role has taken so far for what is the stand's alone: waiting for the moment of a message, numbering,
        /// hashing and recording it, the gate. Absent where the runner can't tell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stand_cpu_ns: Option<u64>,
        /// Of that, what was done on other threads than the one that did most of it: all CPU time of the thread that carries out requests,
        /// writing of records, further receiving threads. 0 where it is not told apart.
        #[serde(default)]
        session_cpu_ns: u64,
    },
    /// To `write-sent`.
    Written {
        /// Records written.
        records: u64,
    },
    /// To `finish` and `finish-serving`.
    Finished {
        /// Records written.
        records: u64,
        /// What went wrong before or at the end: a message that could not be encoded or sent, a connection
        /// that was lost. The records are written all the same, but the trial can't count.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<String>,
        /// Messages that the protocol still tried to deliver when the time for that was over: they are lost, as
        /// a slow or lossy link makes them, and the trial counts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unfinished: Option<String>,
    },
    /// To everything that has nothing to tell.
    Done,
}

/// How an operation failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{error}")]
pub struct Failure {
    /// What happened, with the ids it concerns and what to do.
    pub error: String,
}

/// A runner and all it has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// [`CONTRACT`].
    pub contract: u32,
    /// The runner.
    pub runner: Runner,
    /// Its codecs.
    pub codecs: Vec<CodecDescription>,
    /// Its compression methods; without any it sends bytes as codecs make them.
    #[serde(default)]
    pub compressions: Vec<CompressionDescription>,
    /// Its transports.
    pub transports: Vec<TransportDescription>,
    /// Digest of the definition that its codecs were compiled for; absent where they take any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// Those of its codecs that can't carry that definition, with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_carried: Vec<(CodecId, String)>,
    /// Whether it can do [`Operation::ReadRecords`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reads_records: bool,
}

/// The runner program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runner {
    /// Its name: the folder in `runners/`, or `rust` for the one that is composed.
    pub name: String,
    /// Language with the compiler's or interpreter's version.
    pub language: String,
    /// Its own version.
    pub version: String,
}

//! What the orchestrator asks.

mod client;
mod publish;
mod start;
mod subscribe;

use serde::{Deserialize, Serialize};

pub use client::{Client, topic_of};
pub use publish::{Publish, Share};
pub use start::Start;
pub use subscribe::Subscribe;

use crate::id::{CodecId, CompressionId, TransportId};
use crate::option::OptionTable;
use crate::phase::{Buffer, Phase};
#[cfg(doc)]
use crate::reply::Success;
use crate::source::{PayloadSource, RecordSource};
use crate::terms::{Endpoint, ServerTlsTerms};

/// The version of the contract that this crate describes.
pub const CONTRACT: u32 = 2;

/// What the orchestrator asks; every request gets exactly one reply with its id, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Chosen by the orchestrator, repeated in the reply.
    pub id: u64,
    /// What to do.
    #[serde(flatten)]
    pub operation: Operation,
}

/// The operations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum Operation {
    /// What the runner has: [`Success::Description`].
    Describe,
    /// Take a payload and a codec for all that follows, read its samples and verify that each comes back
    /// equal from a round trip: [`Success::Loaded`].
    Load {
        /// The payload.
        payload: PayloadSource,
        /// The codec.
        codec: CodecId,
        /// What to do to its bytes; nothing when absent.
        #[serde(default, skip_serializing_if = "CompressionId::is_none")]
        compression: CompressionId,
        /// How many samples to take at most, from the first on; all of the file when absent.
        samples: Option<u32>,
    },
    /// Read the values of measured messages from a database, not from the samples that were loaded: [`Success::Done`]. Comes between
    /// `load` and `publish`. A message takes the record whose number is that of its sample.
    ReadRecords {
        /// Where they are.
        source: RecordSource,
    },
    /// Time the first calls of a codec in this process, which must not have loaded anything before:
    /// [`Success::CalledFirst`].
    CallFirst {
        /// The payload; its first sample is used.
        payload: PayloadSource,
        /// The codec.
        codec: CodecId,
    },
    /// Read samples and encode each, in a process that must not have loaded anything before unless their bytes are asked
    /// for, so that whoever watches it sees what encoding alone takes: [`Success::EncodedSamples`].
    EncodeSamples {
        /// The payload.
        payload: PayloadSource,
        /// The codec.
        codec: CodecId,
        /// How many samples to take at most.
        samples: u32,
        /// Whether the reply has their bytes.
        give: bool,
    },
    /// Decode and read bytes one after the other, in a process that must not have loaded anything before:
    /// [`Success::Done`]. Without any, the codec is made ready and the process counts as fresh still.
    DecodeSamples {
        /// The payload.
        payload: PayloadSource,
        /// The codec.
        codec: CodecId,
        /// The bytes of each in hexadecimal.
        bodies: Vec<String>,
    },
    /// Encode a sample as it stands, or a value: [`Success::Encoded`].
    Encode {
        /// Number of the sample, from 0.
        sample: Option<u32>,
        /// The value as Protobuf's bytes, in hexadecimal.
        value: Option<String>,
    },
    /// Decode bytes: [`Success::Decoded`].
    Decode {
        /// The bytes in hexadecimal.
        body: String,
    },
    /// Time a phase of the loaded codec or compression, and count heap and stack of one call: [`Success::Measured`].
    Measure {
        /// The phase.
        phase: Phase,
        /// The least time of a batch.
        batch_time_ns: u64,
        /// Batches to time.
        batches: u32,
        /// Where the phase writes its bytes to.
        buffer: Buffer,
        /// Of a thousand calls so many are made twice and counted once: a difference on purpose, which `doctor --self-test`
        /// looks for.
        #[serde(default, skip_serializing_if = "is_zero")]
        burden_per_mille: u32,
    },
    /// Serve the broker's role: [`Success::Serving`].
    Serve {
        /// The transport whose server role to take.
        transport: TransportId,
        /// Where to listen; port 0 for any.
        endpoint: Endpoint,
        /// Values of the transport's options; those left out have their defaults.
        #[serde(default)]
        options: OptionTable,
        /// Seed of what the protocol draws.
        #[serde(default)]
        seed: u64,
        /// With what it encrypts; absent for connections in the clear.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tls: Option<ServerTlsTerms>,
    },
    /// Connect as a publisher: [`Success::Connected`] once messages can be sent.
    Publish(Publish),
    /// Connect as a subscriber: [`Success::Connected`] once messages sent from now on will arrive.
    Subscribe(Subscribe),
    /// Publisher: send so many warm-up messages at once: [`Success::Done`] when all are handed over.
    WarmUp {
        /// How many.
        messages: u32,
    },
    /// Publisher: send the measured messages. [`Success::Done`] comes at once; the schedule runs on.
    Start(Start),
    /// Publisher: wait until all messages of the last `warm-up` or `start` are handed over and, where the protocol
    /// acknowledges, acknowledged: [`Success::Progress`], latest at `until_ns`.
    AwaitSent {
        /// CLOCK_MONOTONIC.
        until_ns: i64,
        /// Whether acknowledgements are waited for too.
        acked: bool,
    },
    /// Subscriber: wait until so many messages have arrived in all, warm-up included:
    /// [`Success::Progress`], latest at `until_ns`.
    AwaitReceived {
        /// Arrivals since `subscribe`.
        messages: u64,
        /// CLOCK_MONOTONIC.
        until_ns: i64,
    },
    /// Publisher: write what was handed over in the last `warm-up` or `start`, which must have come to its end:
    /// [`Success::Written`].
    WriteSent {
        /// The file to write, in the layout of [`crate::bulk`].
        records: String,
    },
    /// Subscriber: wait until every message of a publisher's records has arrived, each as often as its content stands
    /// there; copies count once, and nothing counts that came before the first of them was sent: [`Success::Progress`], latest
    /// at `until_ns`.
    AwaitDelivered {
        /// What `write-sent` wrote.
        sent: String,
        /// CLOCK_MONOTONIC.
        until_ns: i64,
    },
    /// Publisher or subscriber: end the schedule where it stands, disconnect in good order and write the bulk
    /// records: [`Success::Finished`].
    Finish {
        /// The file to write, in the layout of [`crate::bulk`].
        records: String,
    },
    /// Server: write which messages were superseded, in the layout of [`crate::bulk`], and end all servers:
    /// [`Success::Finished`].
    FinishServing {
        /// The file to write.
        records: String,
    },
    /// End all roles and exit: [`Success::Done`].
    Stop,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn one() -> u32 {
    1
}

fn is_one(number: &u32) -> bool {
    *number == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reply::{Answer, Failure, Reply, Success};

    #[test]
    fn requests_and_replies_are_flat_json_objects() {
        let request = Request { id: 7, operation: Operation::WarmUp { messages: 2 } };
        assert_eq!(serde_json::to_string(&request).unwrap(), r#"{"id":7,"op":"warm-up","messages":2}"#);
        let reply = Reply { id: 7, answer: Answer::Ok(Success::Done) };
        let text = serde_json::to_string(&reply).unwrap();
        assert_eq!(text, r#"{"id":7,"ok":{"outcome":"done"}}"#);
        assert_eq!(serde_json::from_str::<Reply>(&text).unwrap(), reply);
        let failed = Reply { id: 8, answer: Answer::Failed(Failure { error: "no such codec".into() }) };
        let text = serde_json::to_string(&failed).unwrap();
        assert_eq!(serde_json::from_str::<Reply>(&text).unwrap(), failed);
    }
}

//! The orchestrator's requests.

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

/// A request of the orchestrator; each gets exactly one reply with its id, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Chosen by the orchestrator; the reply repeats it.
    pub id: u64,
    /// What to do; its fields are on the same level as `id`.
    #[serde(flatten)]
    pub operation: Operation,
}

/// The operations that a request can ask for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum Operation {
    /// Describe what the runner offers: [`Success::Description`].
    Describe,
    /// Select a payload and a codec for all that follows, read its samples and verify that each comes back
    /// equal from a round trip: [`Success::Loaded`].
    Load {
        /// The payload's files.
        payload: PayloadSource,
        /// One that the runner describes.
        codec: CodecId,
        /// The compression to apply after the codec; none when absent.
        #[serde(default, skip_serializing_if = "CompressionId::is_none")]
        compression: CompressionId,
        /// How many samples to take at most, from the first; all of the file when absent.
        samples: Option<u32>,
    },
    /// Read the values of measured messages from a database instead of the loaded samples: [`Success::Done`]. Comes between `load`
    /// and `publish`. A message uses the record whose number is that of its sample.
    ReadRecords {
        /// Socket, user and table of the records.
        source: RecordSource,
        /// How many records there are, from number 0; absent for as many as loaded samples. More of them are used only where
        /// numbers distinguish measured messages from those of warm-up ([`Numbering`]).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        records: Option<u64>,
    },
    /// Time the first calls of a codec in this process, which must not have loaded anything before:
    /// [`Success::CalledFirst`].
    CallFirst {
        /// The payload; its first sample is used.
        payload: PayloadSource,
        /// One that the runner describes.
        codec: CodecId,
    },
    /// Read samples and encode each, in a process that must not have loaded anything before unless their bytes are
    /// requested, so that an observer sees the cost of encoding alone: [`Success::EncodedSamples`].
    EncodeSamples {
        /// The payload's files.
        payload: PayloadSource,
        /// One that the runner describes.
        codec: CodecId,
        /// How many samples to take at most.
        samples: u32,
        /// Whether the reply contains their bytes.
        give: bool,
    },
    /// Decode and read bodies one by one, in a process that must not have loaded anything before:
    /// [`Success::Done`]. Without any, the codec is prepared and the process still counts as fresh.
    DecodeSamples {
        /// The payload's files.
        payload: PayloadSource,
        /// One that the runner describes.
        codec: CodecId,
        /// The bytes of each, in hexadecimal.
        bodies: Vec<String>,
    },
    /// Encode a loaded sample unchanged, or a value: [`Success::Encoded`].
    Encode {
        /// Number of the sample, from 0.
        sample: Option<u32>,
        /// The value as Protobuf bytes, in hexadecimal.
        value: Option<String>,
    },
    /// Decode a body with the loaded codec: [`Success::Decoded`].
    Decode {
        /// The body in hexadecimal, as it was sent.
        body: String,
    },
    /// Time a phase of the loaded codec or compression, and count heap and stack of one call: [`Success::Measured`].
    Measure {
        /// A phase of the codec or of its compression, or `empty`.
        phase: Phase,
        /// The minimum duration of a batch.
        batch_time_ns: u64,
        /// How many batches to time.
        batches: u32,
        /// Where the phase writes its bytes.
        buffer: Buffer,
        /// Of a thousand calls, this many are made twice and counted once: a deliberate difference that `doctor
        /// --self-test` looks for.
        #[serde(default, skip_serializing_if = "is_zero")]
        burden_per_mille: u32,
        /// The longest that a loop may be called before its batches, so that a compiler of the runner's language settles. `None` for the
        /// runner's own bound; a runner with nothing to settle begins at once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        settle_ns: Option<u64>,
    },
    /// Take the broker's role: [`Success::Serving`].
    Serve {
        /// The transport whose server role to take.
        transport: TransportId,
        /// Where to listen; port 0 for any free one.
        endpoint: Endpoint,
        /// Values of the transport's options; missing ones have their defaults.
        #[serde(default)]
        options: OptionTable,
        /// Seed of the protocol's random values.
        #[serde(default)]
        seed: u64,
        /// How to encrypt; absent for connections in the clear.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tls: Option<ServerTlsTerms>,
    },
    /// Count what the next role does in a file that the program watches: [`Success::Done`]. A runner that does not know the operation has no
    /// live curves.
    CountLive {
        /// The file, in the layout of [`crate::live`].
        counters: String,
    },
    /// Connect as a publisher: [`Success::Connected`] once messages can be sent.
    Publish(Publish),
    /// Connect as a subscriber: [`Success::Connected`] once messages sent from now on will arrive.
    Subscribe(Subscribe),
    /// Publisher: send this many warm-up messages at once: [`Success::Done`] when all are handed over.
    WarmUp {
        /// How many to send.
        messages: u32,
    },
    /// Publisher: send the measured messages. [`Success::Done`] comes at once; the schedule continues.
    Start(Start),
    /// Publisher: wait until all messages of the last `warm-up` or `start` are handed over and, where the protocol
    /// acknowledges, acknowledged: [`Success::Progress`], at the latest at `until_ns`.
    AwaitSent {
        /// Deadline of the wait, CLOCK_MONOTONIC.
        until_ns: i64,
        /// Whether to wait for acknowledgements too.
        acked: bool,
    },
    /// Subscriber: wait until this many messages have arrived in all, including warm-up: [`Success::Progress`],
    /// at the latest at `until_ns`.
    AwaitReceived {
        /// How many arrivals to wait for, counted since `subscribe`.
        messages: u64,
        /// Deadline of the wait, CLOCK_MONOTONIC.
        until_ns: i64,
    },
    /// Publisher: write what was handed over in the last `warm-up` or `start`, which must have ended:
    /// [`Success::Written`].
    WriteSent {
        /// The file to write, in the layout of [`crate::bulk`].
        records: String,
    },
    /// Subscriber: wait until every message of a publisher's records has arrived, each content as often as it occurs there;
    /// copies count once, and arrivals before the first of them was sent don't count: [`Success::Progress`], at the latest at
    /// `until_ns`.
    AwaitDelivered {
        /// The file that `write-sent` wrote.
        sent: String,
        /// Deadline of the wait, CLOCK_MONOTONIC.
        until_ns: i64,
    },
    /// Publisher or subscriber: stop the schedule, disconnect cleanly and write the bulk records:
    /// [`Success::Finished`].
    Finish {
        /// The file to write, in the layout of [`crate::bulk`].
        records: String,
    },
    /// Server: write which messages were superseded, in the layout of [`crate::bulk`], and end all servers:
    /// [`Success::Finished`].
    FinishServing {
        /// The file to write, in the layout of [`crate::bulk`].
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

//! Requests and replies, one JSON object a line.

use serde::{Deserialize, Serialize};
use wiredyno_model::trial::{
    Buffer, DictionaryUsed, FirstCalls, Handshake, Phase, PhaseMeasurement, TlsVersion,
};
use wiredyno_model::{
    Arrivals, CodecDescription, CodecId, CompressionDescription, CompressionId, LoadKind, OptionTable,
    PayloadId, TransportDescription, TransportId,
};

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
    Publish {
        /// The client to use.
        transport: TransportId,
        /// The reliability setting, absent where the protocol has just one.
        setting: Option<String>,
        /// The broker or relay.
        endpoint: Endpoint,
        /// Topic, queue or resource, unique to the trial.
        topic: String,
        /// How many clients connect: message `n` of a warm-up or start goes out by client `n` modulo their number.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        clients: u32,
        /// On how many topics: client `i` has the topic `i` modulo their number, see [`topic_of`].
        #[serde(default = "one", skip_serializing_if = "is_one")]
        topics: u32,
        /// How many clients subscribe in all: where the transport says `direct`, each publisher waits for those of its topic.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        subscribers: u32,
        /// Which of these clients this runner has, with the messages that go out by them; absent for all of both.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        share: Option<Share>,
        /// Values of the transport's options; those left out have their defaults.
        #[serde(default)]
        options: OptionTable,
        /// Seed of what the protocol draws, such as the first wait before a message is sent again.
        #[serde(default)]
        seed: u64,
        /// As whom to connect; absent for nobody, or the protocol's own guest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        login: Option<LoginFile>,
        /// How to encrypt; absent for a connection in the clear.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tls: Option<TlsTerms>,
    },
    /// Connect as a subscriber: [`Success::Connected`] once messages sent from now on will arrive.
    Subscribe {
        /// The client to use.
        transport: TransportId,
        /// The reliability setting, absent where the protocol has just one.
        setting: Option<String>,
        /// The broker or relay; with `listen` where to listen.
        endpoint: Endpoint,
        /// Listen there for publishers that connect themselves, in place of connecting: only where the transport says
        /// `peer-to-peer`.
        #[serde(default)]
        listen: bool,
        /// Topic, queue or resource, unique to the trial.
        topic: String,
        /// How many clients connect, each with a connection of its own; digests of what others than the first get are those of
        /// [`crate::bulk::digest_for`].
        #[serde(default = "one", skip_serializing_if = "is_one")]
        clients: u32,
        /// On how many topics, as in `publish`. Of each topic the first client alone writes into the gate.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        topics: u32,
        /// Named pipe into which the digest of each receipt is written, for closed loops.
        gate: Option<String>,
        /// Values of the transport's options; those left out have their defaults.
        #[serde(default)]
        options: OptionTable,
        /// Seed of what the protocol draws.
        #[serde(default)]
        seed: u64,
        /// As in `publish`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        login: Option<LoginFile>,
        /// How to encrypt; absent for a connection in the clear.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tls: Option<TlsTerms>,
    },
    /// Publisher: send so many warm-up messages at once: [`Success::Done`] when all are handed over.
    WarmUp {
        /// How many.
        messages: u32,
    },
    /// Publisher: send the measured messages. [`Success::Done`] comes at once; the schedule runs on.
    Start {
        /// The intended send of the first message, CLOCK_MONOTONIC.
        at_ns: i64,
        /// The number of messages.
        messages: u32,
        /// Open or closed loop, or a batch.
        kind: LoadKind,
        /// Time between intended sends (open), pause after a receipt (closed).
        interval_ns: u64,
        /// How the times between messages are distributed.
        arrivals: Arrivals,
        /// Batch: how long messages are sent, if there are not `messages` before; absent for no limit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        duration_ns: Option<u64>,
        /// Closed loop: how many may be under way.
        #[serde(default = "one")]
        window: u32,
        /// Seed of Poisson arrivals.
        seed: u64,
        /// Closed loop: how long to wait for a receipt before going on without it.
        deadline_ns: u64,
        /// Closed loop: the named pipe to make and wait on.
        gate: Option<String>,
    },
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

/// The name of a client's topic where there are several: that of the trial with the topic's number behind it.
pub fn topic_of(trial: &str, client: u32, topics: u32) -> String {
    if topics <= 1 { trial.to_owned() } else { format!("{trial}/{}", client % topics) }
}

fn one() -> u32 {
    1
}

fn is_one(number: &u32) -> bool {
    *number == 1
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A payload as a runner is handed it: files, so that any language can read it and new samples need no new build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayloadSource {
    /// Its name with its size, for texts alone.
    pub name: PayloadId,
    /// The file with the encoded `google.protobuf.FileDescriptorSet`, custom options included.
    pub descriptor_set: String,
    /// Digest of that file, 32 hexadecimal digits (XXH3-128). A runner that was compiled for a definition refuses another.
    pub definition: String,
    /// The full name of the message.
    pub message: String,
    /// The file with the samples, in the layout of [`crate::samples`].
    pub samples: String,
    /// Digest of that file, likewise.
    pub samples_digest: String,
    /// The file with samples to train a dictionary on, in the same layout; absent where none is trained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<String>,
    /// The path of the field that tells messages apart, names joined by points; absent for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence: Option<String>,
}

/// The part of a load that one of several runners publishes. Of the clients, counted from 0, it has those whose number is `number` modulo
/// `of`, and sends the messages that go out by them, each with the number, the time and the content that it would have if one runner
/// sent all: `of` divides the number of clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// Which one, from 0.
    pub number: u32,
    /// How many there are, at least 1.
    pub of: u32,
}

impl Share {
    /// All of it.
    pub const WHOLE: Share = Share { number: 0, of: 1 };

    /// How many of so many are in it: of clients, or of messages.
    pub fn count(self, all: u32) -> u32 {
        all.saturating_sub(self.number).div_ceil(self.of.max(1))
    }

    /// The number in all of one in it, both counted from 0.
    pub fn nth(self, own: u64) -> u64 {
        u64::from(self.number) + own * u64::from(self.of.max(1))
    }
}

/// A user, and the file with the word that proves it: no secret stands in a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoginFile {
    /// The user's name.
    pub user: String,
    /// The file that holds the password and nothing else.
    pub password_file: String,
}

/// How a connection is encrypted. Certificates and keys stand in files that it names, never in a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsTerms {
    /// The name, or IP address, that the server's certificate has to be for; a name is also told to the server.
    pub server_name: String,
    /// The file with the certificates of the authorities to trust, and no others, in PEM form; absent for the system's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<String>,
    /// What the client shows where the server asks for it; absent for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateFiles>,
    /// A key that both sides know beforehand, in place of certificates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub psk: Option<PskFile>,
    /// What the authority says of all that take part in DDS Security.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<DocumentFiles>,
    /// The oldest version that is good enough; absent for 1.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<TlsVersion>,
    /// Connect once before the connection that counts, which then resumes what the first agreed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resumes: bool,
    /// The file to which the keys of connections are added, in the form that Wireshark reads (SSLKEYLOGFILE); absent for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_log: Option<String>,
}

impl TlsTerms {
    /// Those of a server that shows a certificate for this name, signed by one of the authorities of a file, or of the system's.
    pub fn of(server_name: String, ca_file: Option<String>) -> Self {
        TlsTerms {
            server_name,
            ca_file,
            certificate: None,
            psk: None,
            documents: None,
            least: None,
            resumes: false,
            key_log: None,
        }
    }
}

/// With what a server encrypts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerTlsTerms {
    /// What it shows; absent where a key is known beforehand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateFiles>,
    /// The file with the authorities one of which has to have signed a client's certificate; absent where clients need none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_ca_file: Option<String>,
    /// A key that both sides know beforehand, in place of certificates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub psk: Option<PskFile>,
}

/// A certificate with its key, in PEM form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertificateFiles {
    /// The file with the certificate, and those of the authorities between it and one that is trusted.
    pub certificate_file: String,
    /// The file with its key, as PKCS 8.
    pub key_file: String,
}

/// A key that both sides know beforehand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PskFile {
    /// How the client calls it.
    pub identity: String,
    /// The file that holds it in hexadecimal and nothing else.
    pub key_file: String,
}

/// Documents that the authority has signed (DDS Security 1.1, sections 9.4.1.2 and 9.4.1.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentFiles {
    /// The file that says what is protected, and how.
    pub governance_file: String,
    /// The file that says who may publish and subscribe to which topics.
    pub permissions_file: String,
}

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// IP address.
    pub host: String,
    /// Port.
    pub port: u16,
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

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

/// A table of records in a PostgreSQL database on this machine: columns `number` (bigint, from 0) and `value` (bytea, Protobuf's bytes).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordSource {
    /// The folder of its Unix socket.
    pub socket: String,
    /// The number in the socket's name.
    pub port: u16,
    /// As whom to connect, without a password, to the database `postgres`.
    pub user: String,
    /// The table.
    pub table: String,
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

#[cfg(test)]
mod tests {
    use super::*;

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

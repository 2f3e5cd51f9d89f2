//! What the program and reports know of this transport, and what a study can set in `[transport.kafka]`; needs no client
//! library. Options are a single list, from which both the description and the parsing of values derive. One file because the registry compiles it alone, without
//! the rest of this crate.

use wiredyno_contract::option::OptionCapability;
use wiredyno_contract::{
    Addresses, Brings, Capability, DeclaredOption, DeclaredTransport, Need, OptionKind, OptionValue,
    Security, Span, TransportOption, TransportOptions, TransportSetting, WireFormat, Words,
};

/// librdkafka, linked dynamically. `rdkafka-sys` requires this version.
const RDKAFKA: Need = Need::library("rdkafka", "1.9.2").debian(&["librdkafka-dev"]);

/// The declaration. Kafka has no scheme of its own: these are the names of its listeners' protocols, and the ports of
/// its documentation.
pub static DECLARED: DeclaredTransport = DeclaredTransport::new(
    "kafka",
    "rdkafka",
    "wiredyno-transport-kafka",
    wiredyno_versions::of,
)
.library("rdkafka")
.addresses(Addresses::clear(&["kafka", "plaintext"], Some(9092)).or_tls(&["ssl", "kafka+ssl"], 9093))
.needs(&[RDKAFKA])
.settings(settings)
.options(options)
.format(WireFormat::Kafka)
.received_at(
    "the record, as the client's poll hands it over: the records of one fetch wait for those \
                      before them",
)
.sent_at(
    "the socket has accepted the last byte of its Produce request, known once that is answered (in acks-0 \
                  at once): without an answer there is no such time",
)
.securities(&[Security::None, Security::Tls, Security::Mtls])
.capabilities(&[Capability::Topics])
.ready_ns(450_000_000);

/// `group` has two values that bring labels, and the list of options has room for one.
fn options() -> Vec<TransportOption> {
    let mut options = Options::STANDARD.declared();
    let brings =
        |group, capability| OptionCapability { value: Group::WORDS.value(group), capability, setting: None };
    for option in options.iter_mut().filter(|option| option.name == "group") {
        option.brings = vec![
            brings(Group::Own, Capability::MayDuplicate),
            brings(Group::Shared, Capability::MayDuplicate),
            brings(Group::Shared, Capability::Shared),
        ];
    }
    options
}

fn settings() -> Vec<TransportSetting> {
    let setting = |(name, setting, about): (&str, Setting, &str)| {
        let mut capabilities = Vec::new();
        if setting.acks != Acks::None {
            capabilities.push(Capability::Reliable);
            if !setting.idempotent {
                capabilities.push(Capability::MayDuplicate);
            }
        }
        TransportSetting::new(name, about, capabilities)
    };
    SETTINGS.into_iter().map(setting).collect()
}

/// Which replicas must have written a record before the publisher gets an acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acks {
    /// None: there is no acknowledgement.
    None,
    /// Only the leader of the partition.
    Leader,
    /// All replicas that are in sync.
    All,
}

/// How the records of a setting are acknowledged.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The acknowledgements that a Produce request asks for.
    pub acks: Acks,
    /// Whether batches are numbered, so that the broker drops duplicates and rejects gaps.
    pub idempotent: bool,
}

/// Settings in order of increasing reliability: word, meaning, promise.
pub const SETTINGS: [(&str, Setting, &str); 4] = [
    (
        "acks-0",
        Setting { acks: Acks::None, idempotent: false },
        "sent and forgotten: what a broker can't write is lost silently",
    ),
    (
        "acks-1",
        Setting { acks: Acks::Leader, idempotent: false },
        "acknowledged by the leader, resent until then: copies or a changed order after a broker's error; lost if a \
         leader dies before others have it",
    ),
    (
        "acks-all",
        Setting { acks: Acks::All, idempotent: false },
        "acknowledged by all in-sync replicas, resent until then: copies or a changed order after a broker's error",
    ),
    (
        "idempotent",
        Setting { acks: Acks::All, idempotent: true },
        "acknowledged by all in-sync replicas, batches numbered: no copies and no changed order, whatever is resent; at \
         most 5 requests in flight",
    ),
];

/// How a publisher compresses its batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// No compression, which is the default.
    None,
    /// With gzip, at the library's level.
    Gzip,
    /// With Snappy, which has no levels.
    Snappy,
    /// With LZ4, at the library's level.
    Lz4,
    /// With Zstandard, at the library's level.
    Zstd,
}

impl Compression {
    const WORDS: Words<Compression> = Words(&[
        ("none", Compression::None),
        ("gzip", Compression::Gzip),
        ("snappy", Compression::Snappy),
        ("lz4", Compression::Lz4),
        ("zstd", Compression::Zstd),
    ]);

    /// The name in studies and in the library's configuration.
    pub fn word(self) -> &'static str {
        Compression::WORDS.word(self)
    }
}

/// Which key a record has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// None.
    None,
    /// Its number among those that the publisher's role sent, in decimal digits.
    Sequence,
    /// That number modulo how many keys there are.
    Few,
}

impl Key {
    const WORDS: Words<Key> = Words(&[("none", Key::None), ("sequence", Key::Sequence), ("few", Key::Few)]);
}

/// How a record's partition follows from its key; without a key it is any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partitioner {
    /// By CRC-32, the library's default.
    Crc32,
    /// By murmur2, as Kafka's own client in Java does.
    Murmur2,
    /// By FNV-1a.
    Fnv1a,
    /// Any partition, whatever the key.
    Random,
}

impl Partitioner {
    const WORDS: Words<Partitioner> = Words(&[
        ("consistent_random", Partitioner::Crc32),
        ("murmur2_random", Partitioner::Murmur2),
        ("fnv1a_random", Partitioner::Fnv1a),
        ("random", Partitioner::Random),
    ]);

    /// The name in studies and in the library's configuration.
    pub fn word(self) -> &'static str {
        Partitioner::WORDS.word(self)
    }
}

/// The options of clients and topics. The standard ones are the library's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Publisher: the largest batch, in bytes.
    pub batch_bytes: i64,
    /// Publisher: how long a record waits for others to join its batch, in nanoseconds.
    pub linger_ns: u64,
    /// Publisher: how batches are compressed.
    pub compression: Compression,
    /// Publisher: which key a record has.
    pub key: Key,
    /// Publisher: how many keys there are where they are few, 1 or more.
    pub key_values: i64,
    /// Publisher: how many headers a record has, from 0 to 100.
    pub headers: i64,
    /// Publisher: how a record's partition follows from its key.
    pub partitioner: Partitioner,
    /// Topic: partitions, 1 or more.
    pub partitions: i64,
    /// Topic: replicas of each partition, 1 or more.
    pub replication: i64,
    /// Subscriber: the consumer group that it is in.
    pub group: Group,
    /// Subscriber: how a group assigns partitions to its members.
    pub assignment: Assignment,
    /// Subscriber: how long a group's coordinator waits for a member's heartbeat, in nanoseconds.
    pub session_timeout_ns: u64,
    /// Subscriber: when it commits its position.
    pub commit: Commit,
    /// Subscriber: whether it waits for the answer to a commit.
    pub commit_mode: CommitMode,
    /// Subscriber: how many bytes must be available before a fetch is answered.
    pub fetch_min_bytes: i64,
    /// Subscriber: the longest that a fetch waits for that, in nanoseconds.
    pub fetch_wait_max_ns: u64,
    /// Subscriber: the most that a fetch returns from one partition, in bytes; one batch is returned whatever its size.
    pub fetch_partition_bytes: i64,
    /// Subscriber: how many records a call of the library is to return; 0 and 1 poll for one after the other.
    pub take: i64,
    /// Subscriber: how long a call waits for that many, in nanoseconds.
    pub take_wait_ns: u64,
    /// Subscriber: as of when a record is received.
    pub take_stamp: TakeStamp,
}

/// As of when a record is received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakeStamp {
    /// When the program gets to it.
    Record,
    /// For all records of a call alike: when the call returned.
    Call,
}

impl TakeStamp {
    const WORDS: Words<TakeStamp> = Words(&[("record", TakeStamp::Record), ("call", TakeStamp::Call)]);
}

/// The consumer group that a subscriber is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// None: it reads partitions that it names itself.
    None,
    /// One of its own, which gets all partitions.
    Own,
    /// That of all subscribers of the topic, which share its partitions.
    Shared,
}

impl Group {
    const WORDS: Words<Group> =
        Words(&[("none", Group::None), ("own", Group::Own), ("shared", Group::Shared)]);
}

/// How a group assigns partitions to its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assignment {
    /// Each member gets a range of consecutive partitions; all stop during a rebalance.
    Range,
    /// Partitions are dealt out to the members in turn; all stop likewise.
    RoundRobin,
    /// Members keep as many partitions as they can, and only stop reading those that move.
    CooperativeSticky,
}

impl Assignment {
    const WORDS: Words<Assignment> = Words(&[
        ("range", Assignment::Range),
        ("roundrobin", Assignment::RoundRobin),
        ("cooperative-sticky", Assignment::CooperativeSticky),
    ]);

    /// The name in studies and in the library's configuration.
    pub fn word(self) -> &'static str {
        Assignment::WORDS.word(self)
    }
}

/// When a subscriber commits its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commit {
    /// Never.
    None,
    /// When it has dealt with a record.
    Record,
    /// When it has dealt with all records of a call.
    Batch,
    /// The library does, at intervals, if it is in a group.
    Auto,
}

impl Commit {
    const WORDS: Words<Commit> = Words(&[
        ("none", Commit::None),
        ("record", Commit::Record),
        ("batch", Commit::Batch),
        ("auto", Commit::Auto),
    ]);
}

/// Whether a subscriber waits for the answer to a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitMode {
    /// It does, before it turns to the next record.
    Sync,
    /// It does not.
    Async,
}

impl CommitMode {
    const WORDS: Words<CommitMode> = Words(&[("sync", CommitMode::Sync), ("async", CommitMode::Async)]);
}

impl Options {
    /// Whether the library commits by itself.
    pub fn commits_by_itself(&self) -> bool {
        self.group != Group::None && self.commit == Commit::Auto
    }

    /// Whether the broker learns of its group: it is a member, or commits.
    pub fn is_known_by_group(&self) -> bool {
        self.group != Group::None || matches!(self.commit, Commit::Record | Commit::Batch)
    }

    /// The defaults: librdkafka's own (its CONFIGURATION.md), one partition, one copy.
    pub const STANDARD: Options = Options {
        batch_bytes: 1_000_000,
        linger_ns: 5_000_000,
        compression: Compression::None,
        key: Key::None,
        key_values: 10,
        headers: 0,
        partitioner: Partitioner::Crc32,
        partitions: 1,
        replication: 1,
        group: Group::None,
        assignment: Assignment::Range,
        session_timeout_ns: 45_000_000_000,
        commit: Commit::Auto,
        commit_mode: CommitMode::Sync,
        fetch_min_bytes: 1,
        fetch_wait_max_ns: 500_000_000,
        fetch_partition_bytes: 1_048_576,
        take: 0,
        take_wait_ns: 100_000_000,
        take_stamp: TakeStamp::Record,
    };
}

impl TransportOptions for Options {
    const PROTOCOL: &'static str = "kafka";

    const DECLARED: &'static [DeclaredOption<Self>] = &[
        DeclaredOption {
            name: "batch_bytes",
            kind: || OptionKind::Whole { least: 1, most: 2_147_483_647 },
            about: "batch.size: most bytes of records that a publisher puts into one batch, and 10,000 records (batch.num.messages); a \
                    single record may have more",
            get: |options| OptionValue::Whole(options.batch_bytes),
            set: |options, value| value.as_whole().map(|bytes| options.batch_bytes = bytes),
            brings: None,
        },
        DeclaredOption {
            name: "linger",
            kind: || OptionKind::Span { least: Span { ns: 0 }, most: Span::from_s(900) },
            about: "linger.ms: how long a record waits in the publisher for others to join its batch; anything but 0 may take up \
                    to a millisecond longer. 5 ms is the default of librdkafka, and of Kafka's own client since 4.0",
            get: |options| OptionValue::span(Span { ns: options.linger_ns }),
            set: |options, value| value.as_span().map(|span| options.linger_ns = span.ns),
            brings: None,
        },
        DeclaredOption {
            name: "compression",
            kind: || Compression::WORDS.kind(),
            about: "compression.type: how a publisher compresses its batches",
            get: |options| Compression::WORDS.value(options.compression),
            set: |options, value| {
                Compression::WORDS.meaning(value).map(|method| options.compression = method)
            },
            brings: None,
        },
        DeclaredOption {
            name: "key",
            kind: || Key::WORDS.kind(),
            about: "the key of a record: none, its number in decimal digits, or that number modulo key_values; records of one key go to one partition \
                    (see partitioner), and the key's bytes are sent with each",
            get: |options| Key::WORDS.value(options.key),
            set: |options, value| Key::WORDS.meaning(value).map(|key| options.key = key),
            brings: None,
        },
        DeclaredOption {
            name: "key_values",
            kind: || OptionKind::Whole { least: 1, most: 1_000_000_000 },
            about: "how many different keys there are if they are few",
            get: |options| OptionValue::Whole(options.key_values),
            set: |options, value| value.as_whole().map(|values| options.key_values = values),
            brings: None,
        },
        DeclaredOption {
            name: "headers",
            kind: || OptionKind::Whole { least: 0, most: 100 },
            about: "headers of each record, as tracing and routing add them: `traceparent` (W3C Trace Context), then others of the same form; name and \
                    value take about 70 bytes each, and ids differ from record to record",
            get: |options| OptionValue::Whole(options.headers),
            set: |options, value| value.as_whole().map(|headers| options.headers = headers),
            brings: None,
        },
        DeclaredOption {
            name: "partitioner",
            kind: || Partitioner::WORDS.kind(),
            about: "partitioner: how a record's partition follows from its key, by CRC-32 (librdkafka's default), murmur2 (as Kafka's own client in Java) or \
                    FNV-1a; without a key it is any, and records stay with one for twice the \
                    linger (sticky.partitioning.linger.ms); with a linger of 0 each record goes to a random one",
            get: |options| Partitioner::WORDS.value(options.partitioner),
            set: |options, value| {
                Partitioner::WORDS.meaning(value).map(|partitioner| options.partitioner = partitioner)
            },
            brings: None,
        },
        DeclaredOption {
            name: "partitions",
            kind: || OptionKind::Whole { least: 1, most: 1_000 },
            about: "partitions of the topic; a publisher spreads its records over them; with more than one, order is kept \
                    only within each",
            get: |options| OptionValue::Whole(options.partitions),
            set: |options, value| value.as_whole().map(|partitions| options.partitions = partitions),
            brings: Some(Brings {
                value: || OptionValue::Whole(1),
                capability: Capability::Ordered,
                setting: None,
            }),
        },
        DeclaredOption {
            name: "replication",
            kind: || OptionKind::Whole { least: 1, most: 9 },
            about: "copies of each partition, on as many brokers",
            get: |options| OptionValue::Whole(options.replication),
            set: |options, value| value.as_whole().map(|copies| options.replication = copies),
            brings: None,
        },
        DeclaredOption {
            name: "group",
            kind: || Group::WORDS.kind(),
            about: "the consumer group of a subscriber, with heartbeats every 3 s: its own, which gets all records, or that of all subscribers of \
                    the topic, which share its partitions, so that each record goes to one of them; with none it reads partitions that it names itself",
            get: |options| Group::WORDS.value(options.group),
            set: |options, value| Group::WORDS.meaning(value).map(|group| options.group = group),
            brings: None,
        },
        DeclaredOption {
            name: "assignment",
            kind: || Assignment::WORDS.kind(),
            about: "partition.assignment.strategy: how a group assigns partitions to its members; during a rebalance all members stop reading, or, with \
                    cooperative-sticky, only the partitions that move are not read",
            get: |options| Assignment::WORDS.value(options.assignment),
            set: |options, value| {
                Assignment::WORDS.meaning(value).map(|strategy| options.assignment = strategy)
            },
            brings: None,
        },
        DeclaredOption {
            name: "session_timeout",
            kind: || OptionKind::Span { least: Span::from_s(6), most: Span::from_s(1_800) },
            about: "session.timeout.ms: how long a group's coordinator waits for the heartbeat of a member before its partitions go to others; \
                    brokers accept 6 s to 30 min by default",
            get: |options| OptionValue::span(Span { ns: options.session_timeout_ns }),
            set: |options, value| value.as_span().map(|span| options.session_timeout_ns = span.ns),
            brings: None,
        },
        DeclaredOption {
            name: "commit",
            kind: || Commit::WORDS.kind(),
            about: "when a subscriber commits its offset: never, when it has dealt with a record or with all records of a call \
                    (see take: a call returns one record unless it is above 1), or as the library does by itself (enable.auto.commit, every 5 s and at the end), \
                    which it does only in a group, and for records that it has returned, dealt with or not",
            get: |options| Commit::WORDS.value(options.commit),
            set: |options, value| Commit::WORDS.meaning(value).map(|commit| options.commit = commit),
            brings: None,
        },
        DeclaredOption {
            name: "commit_mode",
            kind: || CommitMode::WORDS.kind(),
            about: "whether a subscriber that commits each record or batch waits for the broker's answer before it continues",
            get: |options| CommitMode::WORDS.value(options.commit_mode),
            set: |options, value| CommitMode::WORDS.meaning(value).map(|mode| options.commit_mode = mode),
            brings: None,
        },
        DeclaredOption {
            name: "fetch_min_bytes",
            kind: || OptionKind::Whole { least: 1, most: 100_000_000 },
            about: "fetch.min.bytes: bytes that must be available before a broker answers a subscriber's fetch",
            get: |options| OptionValue::Whole(options.fetch_min_bytes),
            set: |options, value| value.as_whole().map(|bytes| options.fetch_min_bytes = bytes),
            brings: None,
        },
        DeclaredOption {
            name: "fetch_wait_max",
            kind: || OptionKind::Span { least: Span { ns: 0 }, most: Span::from_s(300) },
            about: "fetch.wait.max.ms: the longest that a broker waits for fetch_min_bytes; rounded up to whole \
                    milliseconds",
            get: |options| OptionValue::span(Span { ns: options.fetch_wait_max_ns }),
            set: |options, value| value.as_span().map(|span| options.fetch_wait_max_ns = span.ns),
            brings: None,
        },
        DeclaredOption {
            name: "fetch_partition_bytes",
            kind: || OptionKind::Whole { least: 1, most: 1_000_000_000 },
            about: "max.partition.fetch.bytes: most bytes that a fetch gets from one partition; one batch is always returned, \
                    whatever its size",
            get: |options| OptionValue::Whole(options.fetch_partition_bytes),
            set: |options, value| value.as_whole().map(|bytes| options.fetch_partition_bytes = bytes),
            brings: None,
        },
        DeclaredOption {
            name: "take",
            kind: || OptionKind::Whole { least: 0, most: 1_000_000 },
            about: "how a subscriber takes records: 1 polls for one after the other, more asks for so many at once and waits until they are there \
                    or take_wait has passed (rd_kafka_consume_batch_queue, Python's consume); 0 is the client's usual way: Rust's polls for one \
                    after the other, Python's polls for one and takes with it what else is there",
            get: |options| OptionValue::Whole(options.take),
            set: |options, value| value.as_whole().map(|records| options.take = records),
            brings: None,
        },
        DeclaredOption {
            name: "take_wait",
            kind: || OptionKind::Span { least: Span { ns: 0 }, most: Span::from_s(10) },
            about: "how long a subscriber that takes several records at once waits for so many; rounded up to whole milliseconds",
            get: |options| OptionValue::span(Span { ns: options.take_wait_ns }),
            set: |options, value| value.as_span().map(|span| options.take_wait_ns = span.ns),
            brings: None,
        },
        DeclaredOption {
            name: "take_stamp",
            kind: || TakeStamp::WORDS.kind(),
            about: "when a record is received: when the program gets to it, or, for all records of a call alike, when the call returns",
            get: |options| TakeStamp::WORDS.value(options.take_stamp),
            set: |options, value| TakeStamp::WORDS.meaning(value).map(|stamp| options.take_stamp = stamp),
            brings: None,
        },
    ];
}

#[cfg(test)]
mod tests {
    use wiredyno_contract::{OptionTable, resolve};

    use super::*;

    #[test]
    fn every_option_reads_back_what_it_shows() {
        assert_eq!(Options::STANDARD.with(&OptionTable::new()), Ok(Options::STANDARD));
        let other = Options {
            batch_bytes: 16_384,
            linger_ns: 250_000,
            compression: Compression::Zstd,
            key: Key::Few,
            key_values: 3,
            headers: 2,
            partitioner: Partitioner::Murmur2,
            partitions: 6,
            replication: 3,
            group: Group::Shared,
            assignment: Assignment::CooperativeSticky,
            session_timeout_ns: 6_000_000_000,
            commit: Commit::Record,
            commit_mode: CommitMode::Async,
            fetch_min_bytes: 100_000,
            fetch_wait_max_ns: 20_000_000,
            fetch_partition_bytes: 4_096,
            take: 5_000,
            take_wait_ns: 20_000_000,
            take_stamp: TakeStamp::Call,
        };
        let shown = other.declared().into_iter().map(|option| (option.name, option.default)).collect();
        assert_eq!(Options::STANDARD.with(&shown), Ok(other));
    }

    #[test]
    fn what_can_not_be_is_refused() {
        let refused = |name: &str, value| {
            Options::STANDARD.with(&OptionTable::from([(name.to_owned(), value)])).unwrap_err().problem
        };
        let method = refused("compression", OptionValue::Text("brotli".into()));
        assert!(method.contains("\"none\", \"gzip\", \"snappy\", \"lz4\", \"zstd\""), "{method}");
        assert!(refused("partition", OptionValue::Whole(2)).contains("did you mean `partitions`?"));
        assert!(refused("linger", OptionValue::Whole(5)).contains("a span of time from \"0ns\" to"), "unit");
    }

    #[test]
    fn order_is_promised_with_one_partition_and_a_group_may_bring_copies() {
        let labels = |values: &[(&str, OptionValue)]| {
            let values = values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
            let values = resolve("kafka", &DECLARED.describe().options, &values).unwrap();
            DECLARED
                .describe()
                .under(&values)
                .settings
                .into_iter()
                .map(|s| s.capabilities)
                .collect::<Vec<_>>()
        };
        use Capability::{MayDuplicate, Ordered, Reliable, Shared};
        let usual = [
            vec![Ordered],
            vec![Ordered, Reliable, MayDuplicate],
            vec![Ordered, Reliable, MayDuplicate],
            vec![Ordered, Reliable],
        ];
        assert_eq!(labels(&[]), usual);
        assert!(
            DECLARED.describe().settings.iter().all(|setting| !setting.capabilities.contains(&Ordered)),
            "not without options"
        );
        let spread = |group: &str| {
            labels(&[("partitions", OptionValue::Whole(4)), ("group", OptionValue::Text(group.into()))])
        };
        assert_eq!((&spread("none")[0], &spread("none")[3]), (&vec![], &vec![Reliable]));
        assert_eq!(
            (&spread("own")[0], &spread("own")[3]),
            (&vec![MayDuplicate], &vec![Reliable, MayDuplicate])
        );
        assert_eq!(spread("shared")[0], [MayDuplicate, Shared]);
        assert_eq!(spread("shared")[3], [Reliable, MayDuplicate, Shared]);
    }
}

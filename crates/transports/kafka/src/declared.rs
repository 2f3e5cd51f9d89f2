//! What the program and reports know of this transport, and what a study can set in `[transport.kafka]`; needs no client
//! library. Options are a single list, from which both the description and the parsing of values derive.

use wiredyno_contract::{
    Addresses, Brings, Capability, DeclaredOption, DeclaredTransport, Need, OptionKind, OptionValue,
    Security, Span, TransportOptions, TransportSetting, WireFormat, Words,
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
.options(|| Options::STANDARD.declared())
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

/// The options of clients and topics. The standard ones are the library's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Publisher: the largest batch, in bytes.
    pub batch_bytes: i64,
    /// Publisher: how long a record waits for others to join its batch, in nanoseconds.
    pub linger_ns: u64,
    /// Publisher: how batches are compressed.
    pub compression: Compression,
    /// Topic: partitions, 1 or more.
    pub partitions: i64,
    /// Topic: replicas of each partition, 1 or more.
    pub replication: i64,
    /// Subscriber: whether it is in a consumer group of its own instead of reading partitions that it names.
    pub group: bool,
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

impl Options {
    /// The defaults: librdkafka's own (its CONFIGURATION.md), one partition, one copy.
    pub const STANDARD: Options = Options {
        batch_bytes: 1_000_000,
        linger_ns: 5_000_000,
        compression: Compression::None,
        partitions: 1,
        replication: 1,
        group: false,
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
            about: "batch.size: most bytes of records that a publisher puts into one batch (a single record may have more)",
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
            kind: || OptionKind::Flag,
            about: "each subscriber is in a consumer group of its own, with heartbeats (every 3 s) and commits (every 5 \
                    s); without it, it reads partitions that it names itself",
            get: |options| OptionValue::Flag(options.group),
            set: |options, value| value.as_flag().map(|group| options.group = group),
            brings: Some(Brings {
                value: || OptionValue::Flag(true),
                capability: Capability::MayDuplicate,
                setting: None,
            }),
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
            partitions: 6,
            replication: 3,
            group: true,
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
        use Capability::{MayDuplicate, Ordered, Reliable};
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
        let spread = labels(&[("partitions", OptionValue::Whole(4)), ("group", OptionValue::Flag(true))]);
        assert_eq!(spread[0], [MayDuplicate]);
        assert_eq!(spread[3], [Reliable, MayDuplicate]);
    }
}

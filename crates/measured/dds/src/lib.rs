//! What all DDS clients share: settings, options with their meaning, the topic's type and name. A study says the same for every library, and
//! writers of one library match readers of another.

mod client;

pub use client::{Client, Library, await_matches};

use wiredyno_contract::{
    Capability, DeclaredOption, DeclaredTransport, LibraryVersion, OptionKind, OptionValue, Span,
    TransportOption, TransportOptions, TransportSetting, WireFormat, Words,
};

/// Name of the topics' type, `module wiredyno { struct Body { sequence<octet> bytes; }; };`, final and without a key.
pub const TYPE: &str = "wiredyno::Body";

/// Largest body, in bytes: without a limit, a history's number of samples would not bound its memory.
pub const BODY_LIMIT_BYTES: usize = 64 << 20;

/// Name of an option that not every library can set.
pub const FRAGMENT_SIZE: &str = "fragment_size";
/// Name of an option that not every library can set.
pub const ANNOUNCEMENT_INTERVAL: &str = "announcement_interval";
/// Name of an option that not every library can set.
pub const WRITE_BATCH: &str = "write_batch";

/// The name of a trial's topic: characters that names can't contain become `_` (allowed are letters, digits and `_`, DDS 1.4, annex B;
/// libraries also accept `/` and `:`, since ROS 2 uses them). The discovery port is part of it, so that two runs over the same machine's
/// loopback don't receive each other's messages.
pub fn topic_name(topic: &str, port: u16) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || "/:".contains(c) { c } else { '_' };
    format!("{}/{port}", topic.chars().map(allowed).collect::<String>())
}

/// Declares a DDS client, with what all of them share.
pub const fn declared(
    implementation: &'static str,
    package: &'static str,
    version: LibraryVersion,
) -> DeclaredTransport {
    DeclaredTransport::new(Options::PROTOCOL, implementation, package, version)
        .library(implementation)
        .settings(settings)
        .format(WireFormat::Rtps)
        .capabilities(&[Capability::PeerToPeer, Capability::Topics, Capability::Direct])
        .ready_ns(450_000_000)
}

/// The options of a study, except those of [`Options`] that a library can't set.
pub fn options(without: &[&str]) -> Vec<TransportOption> {
    let mut options = Options::STANDARD.declared();
    options.retain(|option| !without.contains(&option.name.as_str()));
    options
}

fn settings() -> Vec<TransportSetting> {
    let setting = |(name, setting, about): (&str, Setting, &str)| {
        let mut capabilities = vec![Capability::Ordered];
        capabilities.extend(setting.reliable.then_some(Capability::Reliable));
        TransportSetting::new(name, about, capabilities)
    };
    SETTINGS.into_iter().map(setting).collect()
}

/// The QoS policies behind a setting.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// RELIABILITY is RELIABLE, not BEST_EFFORT (DDS 1.4, section 2.2.3.14).
    pub reliable: bool,
}

/// Settings in order of increasing reliability: word, meaning, promise.
pub const SETTINGS: [(&str, Setting, &str); 2] = [
    (
        "best-effort",
        Setting { reliable: false },
        "sent once: a lost datagram loses its samples, a lost fragment the whole sample",
    ),
    (
        "reliable",
        Setting { reliable: true },
        "heartbeats, acknowledgements and retransmissions until every subscriber has it; order is kept, so later samples wait",
    ),
];

/// Whether a writer keeps samples for readers that join later (DDS 1.4, section 2.2.3.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Later readers get only new samples.
    Volatile,
    /// Later readers also get the samples in the history of a writer that still exists.
    TransientLocal,
}

impl Durability {
    const WORDS: Words<Durability> =
        Words(&[("volatile", Durability::Volatile), ("transient-local", Durability::TransientLocal)]);
}

/// Options of participants, writers and readers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The domain, from 0 to 232; all ports derive from it.
    pub domain: u16,
    /// KEEP_LAST with this depth; 0 for KEEP_ALL.
    pub history_depth: i32,
    /// RESOURCE_LIMITS: the most samples that a writer or reader holds, at least 1.
    pub max_samples: i32,
    /// DURABILITY of writers and readers.
    pub durability: Durability,
    /// `max_blocking_time` of RELIABILITY: how long a full writer blocks the publisher, in nanoseconds.
    pub max_blocking_ns: u64,
    /// Bytes of a fragment, for samples that are too large for one.
    pub fragment_bytes: u16,
    /// Interval at which a participant announces itself, in nanoseconds.
    pub announcement_ns: u64,
    /// Whether samples that are due together share a datagram.
    pub write_batch: bool,
}

impl Options {
    /// The defaults. History and blocking time differ from the specification, which keeps the last sample and blocks for 100 ms: with those
    /// values a reliable writer discards samples that no reader has yet, and gives up while it waits for the first repair.
    pub const STANDARD: Options = Options {
        domain: 0,
        history_depth: 0,
        max_samples: 8_192,
        durability: Durability::Volatile,
        max_blocking_ns: 10_000_000_000,
        fragment_bytes: 1_344,
        announcement_ns: 30_000_000_000,
        write_batch: false,
    };
}

impl TransportOptions for Options {
    const PROTOCOL: &'static str = "dds";

    const DECLARED: &'static [DeclaredOption<Self>] = &[
        DeclaredOption {
            name: "domain",
            kind: || OptionKind::Whole { least: 0, most: 232 },
            about: "domain id, from which ports are derived (DDSI-RTPS, section 9.6): participants in different domains \
                don't find each other",
            get: |options| OptionValue::Whole(options.domain.into()),
            set: |options, value| u16::try_from(value.as_whole()?).ok().map(|domain| options.domain = domain),
            brings: None,
        },
        DeclaredOption {
            name: "history_depth",
            kind: || OptionKind::Whole { least: 0, most: i32::MAX.into() },
            about: "HISTORY of writers and readers: KEEP_LAST with this depth, 0 for KEEP_ALL (DDS 1.4, section 2.2.3.18; its \
                    default is 1). In reliable, samples that are discarded because of the depth count as lost",
            get: |options| OptionValue::Whole(options.history_depth.into()),
            set: |options, value| {
                i32::try_from(value.as_whole()?).ok().map(|depth| options.history_depth = depth)
            },
            brings: None,
        },
        DeclaredOption {
            name: "max_samples",
            kind: || OptionKind::Whole { least: 1, most: 1_000_000 },
            about: "RESOURCE_LIMITS of writers and readers: most samples that each holds (DDS 1.4, section 2.2.3.19), and most \
                    unacknowledged samples of a reliable writer. A reader keeps samples already taken until it reaches this number: \
                    memory is this times the size of a message. 8,192 is rustdds' default for writers",
            get: |options| OptionValue::Whole(options.max_samples.into()),
            set: |options, value| {
                i32::try_from(value.as_whole()?).ok().map(|samples| options.max_samples = samples)
            },
            brings: None,
        },
        DeclaredOption {
            name: "durability",
            kind: || Durability::WORDS.kind(),
            about: "DURABILITY: whether a writer keeps samples for subscribers that join later (DDS 1.4, section 2.2.3.4)",
            get: |options| Durability::WORDS.value(options.durability),
            set: |options, value| {
                Durability::WORDS.meaning(value).map(|durability| options.durability = durability)
            },
            brings: None,
        },
        DeclaredOption {
            name: "max_blocking",
            kind: || OptionKind::Span { least: Span { ns: 0 }, most: Span::from_s(3_600) },
            about: "max_blocking_time of RELIABILITY: how long a full reliable writer makes the publisher wait before it refuses \
                    (DDS 1.4, section 2.2.3.14; its default is 100 ms)",
            get: |options| OptionValue::span(Span { ns: options.max_blocking_ns }),
            set: |options, value| value.as_span().map(|span| options.max_blocking_ns = span.ns),
            brings: None,
        },
        DeclaredOption {
            name: FRAGMENT_SIZE,
            kind: || OptionKind::Whole { least: 256, most: 14_000 },
            about: "bytes of a fragment: larger samples are sent in DATA_FRAG submessages of this size (DDSI-RTPS, section 8.3.7.3; \
                    1,344 is Cyclone DDS's default)",
            get: |options| OptionValue::Whole(options.fragment_bytes.into()),
            set: |options, value| {
                u16::try_from(value.as_whole()?).ok().map(|bytes| options.fragment_bytes = bytes)
            },
            brings: None,
        },
        DeclaredOption {
            name: ANNOUNCEMENT_INTERVAL,
            kind: || OptionKind::Span { least: Span::from_ms(100), most: Span::from_s(3_600) },
            about: "how often a participant announces itself to those that it has not found (SPDP, DDSI-RTPS, section 8.5.3; 30 s \
                    is Cyclone DDS's default): the delay if an announcement is lost",
            get: |options| OptionValue::span(Span { ns: options.announcement_ns }),
            set: |options, value| value.as_span().map(|span| options.announcement_ns = span.ns),
            brings: None,
        },
        DeclaredOption {
            name: WRITE_BATCH,
            kind: || OptionKind::Flag,
            about: "samples that are due together share a datagram, which is sent when it is full or the last of them is written (Cyclone DDS: \
                    Internal/WriteBatch and dds_write_flush; off by default, ddsperf switches it on). More throughput for more latency",
            get: |options| OptionValue::Flag(options.write_batch),
            set: |options, value| value.as_flag().map(|flag| options.write_batch = flag),
            brings: None,
        },
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use wiredyno_contract::OptionTable;

    #[test]
    fn a_topic_has_a_name_that_every_library_takes() {
        assert_eq!(topic_name("wiredyno/12", 18_830), "wiredyno/12/18830");
        assert_eq!(topic_name("test/best-effort", 1), "test/best_effort/1");
    }

    #[test]
    fn what_is_shown_is_what_is_read() {
        assert_eq!(Options::STANDARD.with(&OptionTable::new()), Ok(Options::STANDARD));
        let other = Options {
            domain: 232,
            history_depth: 5,
            max_samples: 100,
            durability: Durability::TransientLocal,
            max_blocking_ns: 100_000_000,
            fragment_bytes: 512,
            announcement_ns: 1_000_000_000,
            write_batch: true,
        };
        let shown = other.declared().into_iter().map(|option| (option.name, option.default)).collect();
        assert_eq!(Options::STANDARD.with(&shown), Ok(other));
    }
}

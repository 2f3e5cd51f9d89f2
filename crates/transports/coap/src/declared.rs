//! What the program and reports know of this transport, and what a study can set in `[transport.coap]`; needs no client
//! library. Options are a single list, from which both the description and the parsing of values derive.

use wiredyno_contract::{
    Addresses, BodyLimit, Brings, Capability, DeclaredOption, DeclaredTransport, Need, OptionKind,
    OptionValue, Security, Span, TransportOptions, TransportSetting, WireFormat, Words,
};

/// DTLS is linked with it.
const OPENSSL: Need = Need::library("openssl", "1.1.1").debian(&["libssl-dev"]);

/// The largest datagram: 65,535 bytes of an IPv4 packet less its header of 20 (RFC 791) and the UDP header of 8 (RFC
/// 768).
pub const DATAGRAM_LIMIT_BYTES: u16 = 65_507;

/// How much longer a notification is than its body: header, a token of up to 8 bytes, Observe with up to 3 bytes, and
/// the marker.
pub const NOTIFICATION_OVERHEAD_BYTES: u16 = 4 + 8 + 4 + 1;

/// The declaration. Addresses are those of RFC 7252, section 6.1.
pub static DECLARED: DeclaredTransport =
    DeclaredTransport::new("coap", "wiredyno", "wiredyno-transport-coap", wiredyno_versions::of)
        .library("coap-lite")
        .addresses(Addresses::clear(&["coap"], Some(5683)))
        .encrypts_with(&[OPENSSL])
        .settings(settings)
        .options(|| Options::STANDARD.declared())
        .format(WireFormat::Coap)
        .received_at("the notification's datagram, or its last block's")
        .sent_at("the kernel has accepted the request's datagram, or its first block's, for the first time")
        .securities(&[Security::None, Security::DtlsPsk, Security::DtlsCert])
        .capabilities(&[Capability::Brokerless, Capability::Topics]);

fn settings() -> Vec<TransportSetting> {
    let setting = |(name, setting, about): (&str, Setting, &str)| {
        let mut capabilities = Vec::new();
        if setting.confirmable {
            capabilities.push(Capability::Reliable);
        }
        if !setting.blocks {
            capabilities.push(Capability::Datagram);
        }
        let repeats_option = setting.confirmable.then(|| MAX_RETRANSMIT.to_owned());
        // A long topic leaves less.
        let limit =
            (!setting.blocks).then(|| BodyLimit::of(DATAGRAM_LIMIT_BYTES - NOTIFICATION_OVERHEAD_BYTES));
        TransportSetting { repeats_option, limit, ..TransportSetting::new(name, about, capabilities) }
    };
    SETTINGS.into_iter().map(setting).collect()
}

/// How the messages of a setting are carried.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Requests and notifications are acknowledged and retransmitted.
    pub confirmable: bool,
    /// Bodies above one block's size are sent in blocks.
    pub blocks: bool,
}

/// Settings in order of increasing reliability: word, meaning, promise.
pub const SETTINGS: [(&str, Setting, &str); 4] = [
    (
        "non-block",
        Setting { confirmable: false, blocks: true },
        "non-confirmable, bodies above 1,024 bytes in blocks: a lost block loses the body",
    ),
    (
        "non",
        Setting { confirmable: false, blocks: false },
        "non-confirmable, whole bodies in one datagram: sent once, requests and notifications",
    ),
    (
        "con-block",
        Setting { confirmable: true, blocks: true },
        "confirmable, bodies above 1,024 bytes in blocks: one at a time (NSTART 1, RFC 7252 section 4.7), each retransmitted until acknowledged, up to 4 times",
    ),
    (
        "con",
        Setting { confirmable: true, blocks: false },
        "confirmable, whole bodies in one datagram: one at a time (NSTART 1, RFC 7252 section 4.7), retransmitted until acknowledged, up to 4 times",
    ),
];

/// Transmission parameters (RFC 7252, section 4.8). NSTART is fixed at 1: one confirmable message per peer is in flight
/// at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transmission {
    /// ACK_TIMEOUT: the shortest first wait for an acknowledgement.
    pub ack_timeout_ns: i64,
    /// ACK_RANDOM_FACTOR in thousandths, 1000 or more: the first wait is drawn between ACK_TIMEOUT and this many
    /// thousandths of it.
    pub ack_random_permille: i64,
    /// MAX_RETRANSMIT: how often a confirmable message is retransmitted before it is given up, at most 25.
    pub max_retransmit: u32,
    /// MAX_LATENCY: the longest that a datagram is assumed to travel.
    pub max_latency_ns: i64,
    /// How long the parts of a non-confirmable block-wise transfer wait for the other side before the whole body is
    /// given up. RFC 7959 does not specify this; ours is the longest first wait of a confirmable message.
    pub non_patience_ns: i64,
}

impl Transmission {
    /// The default values of RFC 7252, section 4.8.
    pub const STANDARD: Transmission = Transmission {
        ack_timeout_ns: 2_000_000_000,
        ack_random_permille: 1500,
        max_retransmit: 4,
        max_latency_ns: 100_000_000_000,
        non_patience_ns: 3_000_000_000,
    };
}

/// Size exponent of the largest block, 1,024 bytes.
pub const LARGEST_SZX: u8 = 6;

/// Bytes in a block with this size exponent.
pub fn size_bytes(szx: u8) -> usize {
    1 << (szx + 4)
}

/// How publishers hand over a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// POST, the default; see [`Options::method`].
    Post,
    /// PUT in place of POST.
    Put,
}

impl Method {
    const WORDS: Words<Method> = Words(&[("post", Method::Post), ("put", Method::Put)]);
}

/// The options of an endpoint. The standard ones measure every message that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Timers and retransmissions of all messages.
    pub transmission: Transmission,
    /// How publishers hand over a body.
    pub method: Method,
    /// Subscriber: creates the resource with an empty PUT before observing it. Off, because our server knows any
    /// resource.
    pub create: bool,
    /// Size exponent of blocks, 0..=6: blocks have 2^(szx + 4) bytes (RFC 7959, section 2.2).
    pub szx: u8,
    /// Drops messages whose id was seen before (RFC 7252, section 4.5). If off, every copy that arrives is handed over.
    pub deduplicate: bool,
    /// Subscriber: drops notifications older than the newest one seen (RFC 7641, section 3.4). Off, because every
    /// message that arrives should be measured.
    pub discard_stale: bool,
    /// Server: a newer notification replaces those that still wait for a slow observer (RFC 7641, section 4.5.2). Off,
    /// for the same reason.
    pub supersede: bool,
    /// Server: how many confirmable notifications in a row must fail before the observer is forgotten. RFC 7641,
    /// section 4.5, forgets after the first (1); ours is 2, so that one unlucky message on a very lossy link does not
    /// end a whole trial.
    pub failures_until_forgotten: u32,
}

impl Options {
    /// The values of options that a study leaves out.
    pub const STANDARD: Options = Options {
        transmission: Transmission::STANDARD,
        method: Method::Post,
        create: false,
        szx: LARGEST_SZX,
        deduplicate: true,
        discard_stale: false,
        supersede: false,
        failures_until_forgotten: 2,
    };
}

/// Name of the option for how often a confirmable message is retransmitted.
pub const MAX_RETRANSMIT: &str = "max_retransmit";

/// The longest span of an option: with 20 retransmissions, each doubling the wait, times still fit 63 bits.
const LONGEST: Span = Span::from_s(60);

impl TransportOptions for Options {
    const PROTOCOL: &'static str = "coap";

    const DECLARED: &'static [DeclaredOption<Self>] = &[
        DeclaredOption {
            name: "method",
            kind: || Method::WORDS.kind(),
            about: "how publishers hand over a body",
            get: |options| Method::WORDS.value(options.method),
            set: |options, value| Method::WORDS.meaning(value).map(|method| options.method = method),
            brings: None,
        },
        DeclaredOption {
            name: "create",
            kind: || OptionKind::Flag,
            about: "the subscriber creates the resource by an empty PUT before it observes it, for servers that do not have it \
                    yet",
            get: |options| OptionValue::Flag(options.create),
            set: |options, value| value.as_flag().map(|flag| options.create = flag),
            brings: None,
        },
        DeclaredOption {
            name: "deduplicate",
            kind: || OptionKind::Flag,
            about: "clients and server drop messages with an id already seen (RFC 7252, section 4.5)",
            get: |options| OptionValue::Flag(options.deduplicate),
            set: |options, value| value.as_flag().map(|flag| options.deduplicate = flag),
            brings: Some(Brings {
                value: || OptionValue::Flag(false),
                capability: Capability::MayDuplicate,
                setting: None,
            }),
        },
        DeclaredOption {
            name: "supersede",
            kind: || OptionKind::Flag,
            about: "in the server, a newer notification replaces those waiting for a slow observer (RFC 7641, section \
                    4.5.2)",
            get: |options| OptionValue::Flag(options.supersede),
            set: |options, value| value.as_flag().map(|flag| options.supersede = flag),
            brings: Some(Brings {
                value: || OptionValue::Flag(true),
                capability: Capability::MaySupersede,
                setting: None,
            }),
        },
        DeclaredOption {
            name: "discard_stale",
            kind: || OptionKind::Flag,
            about: "subscribers drop notifications older than the newest seen (RFC 7641, section 3.4): they count as lost",
            get: |options| OptionValue::Flag(options.discard_stale),
            set: |options, value| value.as_flag().map(|flag| options.discard_stale = flag),
            brings: None,
        },
        DeclaredOption {
            name: "block_size",
            kind: || OptionKind::Choice { of: (0..=LARGEST_SZX).map(block_size).collect() },
            about: "bytes of a block in the settings that use blocks (RFC 7959, section 2.2)",
            get: |options| block_size(options.szx),
            set: |options, value| {
                options.szx = (0..=LARGEST_SZX).find(|szx| block_size(*szx) == *value)?;
                Some(())
            },
            brings: None,
        },
        DeclaredOption {
            name: "ack_timeout",
            kind: || OptionKind::Span { least: Span::from_ms(1), most: LONGEST },
            about: "ACK_TIMEOUT: the shortest first wait for an acknowledgement (RFC 7252, section 4.8)",
            get: |options| span(options.transmission.ack_timeout_ns),
            set: |options, value| span_ns(value).map(|ns| options.transmission.ack_timeout_ns = ns),
            brings: None,
        },
        DeclaredOption {
            name: "ack_random_factor",
            kind: || OptionKind::Real { least: 1.0, most: 10.0 },
            about: "ACK_RANDOM_FACTOR: the first wait is drawn between ACK_TIMEOUT and this many times ACK_TIMEOUT; \
                    resolution 0.001",
            get: |options| OptionValue::Real(options.transmission.ack_random_permille as f64 / 1000.0),
            set: |options, value| {
                options.transmission.ack_random_permille = (value.as_real()? * 1000.0).round() as i64;
                Some(())
            },
            brings: None,
        },
        DeclaredOption {
            name: MAX_RETRANSMIT,
            kind: || OptionKind::Whole { least: 0, most: 20 },
            about: "MAX_RETRANSMIT: how often a confirmable message is retransmitted before it is given up",
            get: |options| OptionValue::Whole(options.transmission.max_retransmit.into()),
            set: |options, value| {
                options.transmission.max_retransmit = value.as_whole()?.try_into().ok()?;
                Some(())
            },
            brings: None,
        },
        DeclaredOption {
            name: "max_latency",
            kind: || OptionKind::Span { least: Span { ns: 0 }, most: Span::from_s(3_600) },
            about: "MAX_LATENCY: the longest that a datagram is assumed to travel; message ids stay in use accordingly",
            get: |options| span(options.transmission.max_latency_ns),
            set: |options, value| span_ns(value).map(|ns| options.transmission.max_latency_ns = ns),
            brings: None,
        },
        DeclaredOption {
            name: "non_patience",
            kind: || OptionKind::Span { least: Span::from_ms(1), most: LONGEST },
            about: "how long a non-confirmable block-wise transfer may make no progress before it is given up",
            get: |options| span(options.transmission.non_patience_ns),
            set: |options, value| span_ns(value).map(|ns| options.transmission.non_patience_ns = ns),
            brings: None,
        },
        DeclaredOption {
            name: "failures_until_forgotten",
            kind: || OptionKind::Whole { least: 1, most: 1_000 },
            about: "how many confirmable notifications in a row must fail before the server forgets an observer; RFC \
                    7641, section 4.5, forgets after the first",
            get: |options| OptionValue::Whole(options.failures_until_forgotten.into()),
            set: |options, value| {
                options.failures_until_forgotten = value.as_whole()?.try_into().ok()?;
                Some(())
            },
            brings: None,
        },
    ];
}

fn block_size(szx: u8) -> OptionValue {
    OptionValue::Whole(size_bytes(szx) as i64)
}

fn span(ns: i64) -> OptionValue {
    OptionValue::span(Span { ns: ns.max(0).unsigned_abs() })
}

fn span_ns(value: &OptionValue) -> Option<i64> {
    i64::try_from(value.as_span()?.ns).ok()
}

#[cfg(test)]
mod tests {
    use wiredyno_contract::OptionTable;

    use super::*;

    fn table(values: &[(&str, OptionValue)]) -> OptionTable {
        values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }

    #[test]
    fn every_option_reads_back_what_it_shows() {
        assert_eq!(Options::STANDARD.with(&OptionTable::new()), Ok(Options::STANDARD));
        let other = Options {
            transmission: Transmission {
                ack_timeout_ns: 5_000_000,
                ack_random_permille: 1_250,
                max_retransmit: 7,
                max_latency_ns: 3_000_000_000,
                non_patience_ns: 9_000_000,
            },
            method: Method::Put,
            create: true,
            szx: 2,
            deduplicate: false,
            discard_stale: true,
            supersede: true,
            failures_until_forgotten: 1,
        };
        let shown = other.declared().into_iter().map(|option| (option.name, option.default)).collect();
        assert_eq!(Options::STANDARD.with(&shown), Ok(other));
    }

    #[test]
    fn what_can_not_be_is_refused() {
        let refused = |name, value| Options::STANDARD.with(&table(&[(name, value)])).unwrap_err().problem;
        let size = refused("block_size", OptionValue::Whole(100));
        assert!(size.contains("one of 16, 32, 64, 128, 256, 512, 1024"), "{size}");
        assert!(refused("ack_timout", OptionValue::Flag(true)).contains("did you mean `ack_timeout`?"));
        assert!(refused("method", OptionValue::Text("get".into())).contains("\"post\", \"put\""));
    }
}

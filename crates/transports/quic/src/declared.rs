//! What the program and reports know of this transport, and what a study can set in `[transport.quic]`; needs no client library.
//! Options are a single list, from which both the description and the parsing of values derive.

use wiredyno_contract::{
    Addresses, BodyLimit, Brings, Capability, DeclaredOption, DeclaredTransport, OptionKind, OptionValue,
    Security, Span, TransportOptions, TransportSetting, WireFormat, Words,
};

/// The declaration. The relay has no default port.
pub static DECLARED: DeclaredTransport =
    DeclaredTransport::new("quic", "quinn", "wiredyno-transport-quic", wiredyno_versions::of)
        .library("quinn")
        .addresses(Addresses::encrypted(&["quic"]))
        .settings(settings)
        .options(|| Options::STANDARD.declared())
        .format(WireFormat::Quic)
        .received_at(
            "the last byte of the message in its stream, or its datagram, as the library hands it over",
        )
        .sent_at(
            "the library has buffered the last byte for the connection: the packet follows when congestion \
                  control and pacing allow",
        )
        .securities(&[Security::Tls])
        .security_note("QUIC is always encrypted: its handshake is TLS 1.3 (RFC 9001)")
        .capabilities(&[Capability::Brokerless, Capability::Topics, Capability::Encrypted]);

fn settings() -> Vec<TransportSetting> {
    let standard = Options::STANDARD;
    let datagram = BodyLimit {
        bytes: datagram_limit_bytes(standard.initial_mtu).into(),
        option: Some(INITIAL_MTU.to_owned()),
    };
    let setting = |(name, carrier, about): (&str, Carrier, &str)| {
        let (capability, limit) = match carrier {
            Carrier::Stream => (Capability::Reliable, BodyLimit::of(STREAM_LIMIT_BYTES)),
            Carrier::Datagram => (Capability::Datagram, datagram.clone()),
        };
        TransportSetting { limit: Some(limit), ..TransportSetting::new(name, about, vec![capability]) }
    };
    SETTINGS.into_iter().map(setting).collect()
}

/// The QUIC frames that carry messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    /// Unidirectional streams (RFC 9000, section 2).
    Stream,
    /// DATAGRAM frames (RFC 9221), sent once.
    Datagram,
}

/// The word for the setting with streams.
const STREAM: &str = "stream";

/// Settings in order of increasing reliability: word, meaning, promise.
pub const SETTINGS: [(&str, Carrier, &str); 2] = [
    (
        "datagram",
        Carrier::Datagram,
        "a message is a DATAGRAM frame (RFC 9221): encrypted, under congestion control, sent once",
    ),
    (STREAM, Carrier::Stream, "messages are sent in streams: lost packets are resent until the bytes arrive"),
];

/// Which messages share a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streams {
    /// All of them: one after another, each preceded by its length.
    One,
    /// None: each has its own stream and does not wait for lost data of others.
    Each,
}

impl Streams {
    const WORDS: Words<Streams> = Words(&[("one", Streams::One), ("each", Streams::Each)]);
}

/// The algorithm that controls the congestion window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Congestion {
    /// CUBIC (RFC 9438), the library's default.
    Cubic,
    /// NewReno (RFC 9002, section 7).
    NewReno,
    /// BBR as implemented by the library, which calls it experimental.
    Bbr,
}

impl Congestion {
    const WORDS: Words<Congestion> =
        Words(&[("cubic", Congestion::Cubic), ("newreno", Congestion::NewReno), ("bbr", Congestion::Bbr)]);
}

/// The options of clients and relay. The standard ones are the library's own, except `keep_alive`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Which messages share a stream.
    pub streams: Streams,
    /// Whether clients resume: an earlier connection provides what 0-RTT needs.
    pub zero_rtt: bool,
    /// Silence after which a connection is given up, in ms.
    pub idle_timeout_ms: u32,
    /// Silence after which a client sends a PING, in ms; 0 for never.
    pub keep_alive_ms: u32,
    /// The algorithm that controls the congestion window.
    pub congestion: Congestion,
    /// Bytes that may be in flight before the first acknowledgement.
    pub initial_window_bytes: u32,
    /// Round trip assumed before one is measured, in ms.
    pub initial_rtt_ms: u32,
    /// UDP payload assumed to fit into a packet from the start, in bytes.
    pub initial_mtu: u16,
    /// Whether larger packets are probed for.
    pub mtu_discovery: bool,
    /// How many streams of the other side may be open at a time.
    pub max_streams: u32,
    /// Bytes that the other side may send on a stream before they are read.
    pub stream_window_bytes: u32,
}

impl Options {
    /// The values of options that a study leaves out.
    pub const STANDARD: Options = Options {
        streams: Streams::One,
        zero_rtt: false,
        idle_timeout_ms: 30_000,
        keep_alive_ms: 10_000,
        congestion: Congestion::Cubic,
        initial_window_bytes: 12_000,
        initial_rtt_ms: 333,
        initial_mtu: 1_200,
        mtu_discovery: true,
        max_streams: 100,
        stream_window_bytes: 1_250_000,
    };
}

/// The option that determines the largest datagram.
const INITIAL_MTU: &str = "initial_mtu";

/// The largest body in a stream, in bytes; a larger length indicates a stream that is not ours.
pub const STREAM_LIMIT_BYTES: u32 = 256 << 20;

/// The most bytes that a packet with a DATAGRAM frame has besides the body: of a short header (RFC 9000, section 17.3.1) the
/// flags, the library's connection id of 8 and a packet number of 4, the tag of 16 (RFC 9001, section 5.3), and the frame's type
/// and length as the library provides for them (RFC 9221, section 4).
const DATAGRAM_OVERHEAD_BYTES: u16 = 1 + 8 + 4 + 16 + 9;

/// The largest body in a datagram that is sure to fit, in bytes. Larger packets found later by probing are not used, so that the
/// limit is the same for every message.
pub fn datagram_limit_bytes(initial_mtu: u16) -> u16 {
    initial_mtu.saturating_sub(DATAGRAM_OVERHEAD_BYTES)
}

/// The longest span of an option.
const LONGEST: Span = Span::from_s(3_600);

impl TransportOptions for Options {
    const PROTOCOL: &'static str = "quic";

    const DECLARED: &'static [DeclaredOption<Self>] = &[
        DeclaredOption {
            name: "streams",
            kind: || Streams::WORDS.kind(),
            about: "in `stream`: one stream for all messages, which arrive in order, or each message in a stream of its own, which \
                    waits for no other and is acknowledged when the relay has received all of it",
            get: |options| Streams::WORDS.value(options.streams),
            set: |options, value| Streams::WORDS.meaning(value).map(|streams| options.streams = streams),
            brings: Some(Brings {
                value: || Streams::WORDS.value(Streams::One),
                capability: Capability::Ordered,
                setting: Some(STREAM),
            }),
        },
        DeclaredOption {
            name: "zero_rtt",
            kind: || OptionKind::Flag,
            about: "clients reconnect: an earlier connection provides a session, and data goes with the first packet (0-RTT, \
                    RFC 9001, section 4.6); both connections count as set-up on the wire, only the second is timed",
            get: |options| OptionValue::Flag(options.zero_rtt),
            set: |options, value| value.as_flag().map(|flag| options.zero_rtt = flag),
            brings: None,
        },
        DeclaredOption {
            name: "idle_timeout",
            kind: || OptionKind::Span { least: Span::from_ms(100), most: LONGEST },
            about: "silence after which a connection is given up (max_idle_timeout, RFC 9000, section 10.1); resolution 1 ms",
            get: |options| span(options.idle_timeout_ms),
            set: |options, value| span_ms(value).map(|ms| options.idle_timeout_ms = ms),
            brings: None,
        },
        DeclaredOption {
            name: "keep_alive",
            kind: || OptionKind::Span { least: Span { ns: 0 }, most: LONGEST },
            about: "silence after which a client sends a PING, so that the connection is not given up; \"0s\" for never, \
                    the library's own default; resolution 1 ms",
            get: |options| span(options.keep_alive_ms),
            set: |options, value| span_ms(value).map(|ms| options.keep_alive_ms = ms),
            brings: None,
        },
        DeclaredOption {
            name: "congestion",
            kind: || Congestion::WORDS.kind(),
            about: "congestion control: CUBIC (RFC 9438), NewReno (RFC 9002, section 7), or BBR, which the library calls \
                    experimental",
            get: |options| Congestion::WORDS.value(options.congestion),
            set: |options, value| Congestion::WORDS.meaning(value).map(|rule| options.congestion = rule),
            brings: None,
        },
        DeclaredOption {
            name: "initial_window",
            kind: || OptionKind::Whole { least: 2_400, most: 100_000_000 },
            about: "bytes that may be in flight before the first acknowledgement (RFC 9002, section 7.2)",
            get: |options| OptionValue::Whole(options.initial_window_bytes.into()),
            set: |options, value| whole(value, &mut options.initial_window_bytes),
            brings: None,
        },
        DeclaredOption {
            name: "initial_rtt",
            kind: || OptionKind::Span { least: Span::from_ms(1), most: Span::from_s(60) },
            about: "round trip assumed before one is measured (RFC 9002, section 6.2.2); resolution 1 ms",
            get: |options| span(options.initial_rtt_ms),
            set: |options, value| span_ms(value).map(|ms| options.initial_rtt_ms = ms),
            brings: None,
        },
        DeclaredOption {
            name: INITIAL_MTU,
            kind: || OptionKind::Whole { least: 1_200, most: 1_472 },
            about: "UDP payload in bytes assumed to pass from the start (RFC 9000, section 14); a datagram's body can have 38 \
                    fewer",
            get: |options| OptionValue::Whole(options.initial_mtu.into()),
            set: |options, value| whole(value, &mut options.initial_mtu),
            brings: None,
        },
        DeclaredOption {
            name: "mtu_discovery",
            kind: || OptionKind::Flag,
            about: "probe for packets of up to 1,452 bytes (DPLPMTUD, RFC 9000, section 14.3), for streams",
            get: |options| OptionValue::Flag(options.mtu_discovery),
            set: |options, value| value.as_flag().map(|flag| options.mtu_discovery = flag),
            brings: None,
        },
        DeclaredOption {
            name: "max_streams",
            kind: || OptionKind::Whole { least: 1, most: 1_000_000 },
            about: "streams that each side lets the other have open at a time (MAX_STREAMS, RFC 9000, section 4.6); with \
                    `streams` = \"each\" also the most messages in flight",
            get: |options| OptionValue::Whole(options.max_streams.into()),
            set: |options, value| whole(value, &mut options.max_streams),
            brings: None,
        },
        DeclaredOption {
            name: "stream_window",
            kind: || OptionKind::Whole { least: 1_200, most: 1 << 30 },
            about: "bytes that may be sent on a stream before the other side has read them (MAX_STREAM_DATA, RFC 9000, section 4.1)",
            get: |options| OptionValue::Whole(options.stream_window_bytes.into()),
            set: |options, value| whole(value, &mut options.stream_window_bytes),
            brings: None,
        },
    ];
}

fn whole<T: TryFrom<i64>>(value: &OptionValue, place: &mut T) -> Option<()> {
    *place = T::try_from(value.as_whole()?).ok()?;
    Some(())
}

fn span(ms: u32) -> OptionValue {
    OptionValue::span(Span::from_ms(ms.into()))
}

fn span_ms(value: &OptionValue) -> Option<u32> {
    u32::try_from(value.as_span()?.ns / 1_000_000).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wiredyno_contract::OptionTable;

    #[test]
    fn every_option_reads_back_what_it_shows() {
        assert_eq!(Options::STANDARD.with(&OptionTable::new()), Ok(Options::STANDARD));
        let other = Options {
            streams: Streams::Each,
            zero_rtt: true,
            idle_timeout_ms: 1_500,
            keep_alive_ms: 0,
            congestion: Congestion::Bbr,
            initial_window_bytes: 30_000,
            initial_rtt_ms: 20,
            initial_mtu: 1_400,
            mtu_discovery: false,
            max_streams: 7,
            stream_window_bytes: 65_536,
        };
        let shown = other.declared().into_iter().map(|option| (option.name, option.default)).collect();
        assert_eq!(Options::STANDARD.with(&shown), Ok(other));
    }

    #[test]
    fn order_comes_with_one_stream_alone_and_the_largest_datagram_with_the_mtu() {
        let under =
            |name: &str, value| DECLARED.describe().under(&OptionTable::from([(name.to_owned(), value)]));
        let one = under("streams", OptionValue::Text("one".into()));
        assert!(
            one.has(Some(STREAM), Capability::Ordered) && !one.has(Some("datagram"), Capability::Ordered)
        );
        let each = under("streams", OptionValue::Text("each".into()));
        assert!(!each.has(Some(STREAM), Capability::Ordered));
        let limit = |described: wiredyno_contract::TransportDescription| {
            described.limit(Some("datagram")).map(|limit| limit.bytes)
        };
        assert_eq!(limit(DECLARED.describe()), Some(1_162));
        assert_eq!(limit(under(INITIAL_MTU, OptionValue::Whole(1_472))), Some(1_434));
    }
}

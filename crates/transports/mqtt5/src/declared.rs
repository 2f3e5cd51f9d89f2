//! What the program and reports know of this transport, with its options; needs no client library.

use wiredyno_contract::{
    Addresses, Capability, DeclaredOption, DeclaredTransport, OptionKind, OptionValue, Security,
    TransportOptions, TransportSetting, WireFormat, Words,
};

/// Settings: word, quality of service as a number, promise.
pub const SETTINGS: [(&str, u8, &str); 3] = [
    ("qos0", 0, "at most once: sent and forgotten; only TCP recovers lost packets"),
    ("qos1", 1, "at least once: kept until PUBACK"),
    ("qos2", 2, "exactly once: PUBREC, PUBREL, PUBCOMP"),
];

/// The declaration. Addresses use IANA's ports; `ssl` and `tls` are other clients' names for it.
pub static DECLARED: DeclaredTransport =
    DeclaredTransport::new("mqtt5", "rumqttc", "wiredyno-transport-mqtt5", wiredyno_versions::of)
        .library("rumqttc")
        .addresses(Addresses::clear(&["mqtt", "tcp"], Some(1883)).or_tls(&["mqtts", "ssl", "tls"], 8883))
        .settings(settings)
        .options(|| Options::STANDARD.declared())
        .format(WireFormat::Mqtt)
        .received_at("PUBLISH (at QoS 2 too, before PUBREC)")
        .sent_at("the event loop has flushed PUBLISH to the socket")
        .securities(&[Security::None, Security::Tls, Security::Mtls])
        .capabilities(&[Capability::Ordered, Capability::Reliable, Capability::Topics]);

fn settings() -> Vec<TransportSetting> {
    let setting = |(name, qos, about): (&str, u8, &str)| {
        let capabilities = if qos == 1 { vec![Capability::MayDuplicate] } else { Vec::new() };
        TransportSetting::new(name, about, capabilities)
    };
    SETTINGS.into_iter().map(setting).collect()
}

/// The values of the option `session`, and whether the broker keeps the session.
const SESSIONS: Words<bool> = Words(&[("clean", false), ("kept", true)]);

/// The options of a study beyond the mode. None of them changes what a mode promises, as no client reconnects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Whether the broker keeps clients' sessions.
    pub kept: bool,
    /// Whether the broker retains messages.
    pub retain: bool,
    /// Whether publishers send their topic in full only once.
    pub topic_alias: bool,
    /// Receive Maximum that clients announce, in messages.
    pub receive_maximum: u16,
}

impl Options {
    /// The values of options that a study leaves out.
    pub const STANDARD: Options =
        Options { kept: false, retain: false, topic_alias: false, receive_maximum: u16::MAX };
}

impl TransportOptions for Options {
    const PROTOCOL: &'static str = "mqtt5";

    const DECLARED: &'static [DeclaredOption<Self>] = &[
        DeclaredOption {
            name: "session",
            kind: || SESSIONS.kind(),
            about: "clients connect with Clean Start 1, or with 0 and a Session Expiry Interval of an hour (MQTT 5.0, 3.1.2.4 and \
                    3.1.2.11.2): a broker stores what a persistent session needs, for subscribers each unacknowledged message; \
                    removed at the end",
            get: |options| SESSIONS.value(options.kept),
            set: |options, value| SESSIONS.meaning(value).map(|kept| options.kept = kept),
            brings: None,
        },
        DeclaredOption {
            name: "retain",
            kind: || OptionKind::Flag,
            about: "messages have the RETAIN flag (MQTT 5.0, 3.3.1.3): the broker stores each instead of the previous one; the last \
                    is removed at the end",
            get: |options| OptionValue::Flag(options.retain),
            set: |options, value| value.as_flag().map(|flag| options.retain = flag),
            brings: None,
        },
        DeclaredOption {
            name: "topic_alias",
            kind: || OptionKind::Flag,
            about: "a publisher sends its topic in full once, and two bytes instead from then on (MQTT 5.0, 3.3.2.3.4); \
                    subscribers announce no aliases, so they receive the full topic",
            get: |options| OptionValue::Flag(options.topic_alias),
            set: |options, value| value.as_flag().map(|flag| options.topic_alias = flag),
            brings: None,
        },
        DeclaredOption {
            name: "receive_maximum",
            kind: || OptionKind::Whole { least: 1, most: u16::MAX.into() },
            about: "messages of QoS 1 and 2 that a broker may send to a subscriber before the first of them is acknowledged (MQTT \
                    5.0, 3.1.2.11.3); the maximum is the protocol's default, and a broker may have its own limit",
            get: |options| OptionValue::Whole(options.receive_maximum.into()),
            set: |options, value| {
                options.receive_maximum = value.as_whole()?.try_into().ok()?;
                Some(())
            },
            brings: None,
        },
    ];
}

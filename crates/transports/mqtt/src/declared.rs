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
    DeclaredTransport::new("mqtt", "rumqttc", "wiredyno-transport-mqtt", wiredyno_versions::of)
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether the broker keeps clients' sessions.
    pub kept: bool,
    /// Whether the broker retains messages.
    pub retain: bool,
}

impl Options {
    /// The values of options that a study leaves out.
    pub const STANDARD: Options = Options { kept: false, retain: false };
}

impl TransportOptions for Options {
    const PROTOCOL: &'static str = "mqtt";

    const DECLARED: &'static [DeclaredOption<Self>] = &[
        DeclaredOption {
            name: "session",
            kind: || SESSIONS.kind(),
            about: "clients connect with Clean Session 1 or 0 (MQTT 3.1.1, 3.1.2.4): a broker stores what a persistent \
                    session needs, for subscribers each unacknowledged message; removed at the end",
            get: |options| SESSIONS.value(options.kept),
            set: |options, value| SESSIONS.meaning(value).map(|kept| options.kept = kept),
            brings: None,
        },
        DeclaredOption {
            name: "retain",
            kind: || OptionKind::Flag,
            about: "messages have the RETAIN flag (MQTT 3.1.1, 3.3.1.3): the broker stores each instead of the previous one; \
                    the last is removed at the end",
            get: |options| OptionValue::Flag(options.retain),
            set: |options, value| value.as_flag().map(|flag| options.retain = flag),
            brings: None,
        },
    ];
}

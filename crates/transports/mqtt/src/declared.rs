//! What the program and reports know of this transport, with its options; needs no client library.

use wiredyno_model::{
    Capability, OptionError, OptionKind, OptionTable, OptionValue, TransportDescription, TransportId,
    TransportOption, TransportSetting, resolve,
};

/// Settings: word, quality of service as MQTT numbers it, promise.
pub const SETTINGS: [(&str, u8, &str); 3] = [
    ("qos0", 0, "at most once: sent and forgotten, TCP alone cares for lost packets"),
    ("qos1", 1, "at least once: kept until PUBACK"),
    ("qos2", 2, "exactly once: PUBREC, PUBREL, PUBCOMP"),
];

/// The package that implements it.
pub const PACKAGE: &str = "wiredyno-transport-mqtt";

/// What it is.
pub fn description() -> TransportDescription {
    let setting = |(name, qos, about): (&str, u8, &str)| {
        let capabilities = if qos == 1 { vec![Capability::MayDuplicate] } else { Vec::new() };
        TransportSetting::new(name, about, capabilities)
    };
    let version = wiredyno_versions::of(PACKAGE, "rumqttc");
    TransportDescription {
        id: TransportId { protocol: "mqtt".into(), implementation: "rumqttc".into() },
        library: "rumqttc".into(),
        // Without a version it is refused.
        version: version.unwrap_or_default().into(),
        server: None,
        settings: SETTINGS.into_iter().map(setting).collect(),
        options: options(),
        datagrams: None,
        received_at: "PUBLISH (at QoS 2 too, before PUBREC)".into(),
        sent_at: "the event loop has flushed PUBLISH to the socket".into(),
        capabilities: vec![Capability::Ordered, Capability::Reliable],
    }
}

/// The values of the option `session`: nothing is kept, the broker keeps it.
const SESSIONS: [&str; 2] = ["clean", "kept"];

/// What a study can set beyond the mode. None of it changes what a mode promises, as no client connects again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// The broker keeps the sessions of clients.
    pub kept: bool,
    /// The broker retains messages.
    pub retain: bool,
}

fn options() -> Vec<TransportOption> {
    let word = |word: &str| OptionValue::Text(word.to_owned());
    vec![
        TransportOption {
            name: "session".to_owned(),
            kind: OptionKind::Choice { of: SESSIONS.map(word).to_vec() },
            default: word(SESSIONS[0]),
            about: "clients connect with Clean Session 1 or 0 (MQTT 3.1.1, 3.1.2.4): a broker stores what a kept session \
                    needs, for subscribers each message that is not acknowledged; removed at the end"
                .to_owned(),
            brings: Vec::new(),
        },
        TransportOption {
            name: "retain".to_owned(),
            kind: OptionKind::Flag,
            default: OptionValue::Flag(false),
            about: "messages have the RETAIN flag (MQTT 3.1.1, 3.3.1.3): the broker stores each in place of the one before; \
                    the last is removed at the end"
                .to_owned(),
            brings: Vec::new(),
        },
    ]
}

impl Options {
    /// The values given, and defaults for the rest.
    ///
    /// # Errors
    /// When a name is unknown, or a value not of its option's kind.
    pub fn of(values: &OptionTable) -> Result<Options, OptionError> {
        let values = resolve("mqtt", &options(), values)?;
        let value = |name| values.get(name);
        Ok(Options {
            kept: value("session").and_then(OptionValue::as_text) == Some(SESSIONS[1]),
            retain: value("retain").and_then(OptionValue::as_flag) == Some(true),
        })
    }
}

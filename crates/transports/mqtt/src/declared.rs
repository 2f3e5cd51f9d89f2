//! What the program and reports know of this transport; needs no client library.

use wiredyno_model::{Capability, TransportDescription, TransportId, TransportSetting};

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
        options: Vec::new(),
        datagrams: None,
        received_at: "PUBLISH (at QoS 2 too, before PUBREC)".into(),
        sent_at: "the event loop has flushed PUBLISH to the socket".into(),
        capabilities: vec![Capability::Ordered, Capability::Reliable],
    }
}

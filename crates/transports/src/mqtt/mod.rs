//! `mqtt/rumqttc`: MQTT 3.1.1 through the rumqttc client, at QoS 0, 1 and 2.
//!
//! Decisions: TCP_NODELAY on (the library's default is off); clean sessions; client ids of our own that are
//! unique on a machine; no keep-alive packets during a trial; a lost connection ends the role. Messages wait
//! in memory for the event loop's thread, so the schedule never waits for the network; up to
//! [`client::INFLIGHT`] messages of QoS 1 and 2 are on their way unacknowledged.
//!
//! rumqttc 0.25 hands a QoS 2 message to the application at PUBLISH, before PUBREC is sent (read in its
//! `state.rs`: `handle_incoming_packet` queues the event, `handle_incoming_pubrel` none). It keeps no memory
//! of packet ids to suppress a repeated PUBLISH; without reconnecting, none comes. It reads up to nine packets
//! that are there at once and flushes its acknowledgements before it hands them over (`framed.rs`: `readb`), so
//! in a burst the first of them waits for the reading of the others.

mod broker;
mod client;
mod publisher;
mod subscriber;

use std::sync::Arc;

use rumqttc::QoS;
use wiredyno_model::{Capability, TransportDescription, TransportId, TransportSetting};

use crate::{
    ClientSetup, ConnectError, Publisher, ReceivedSink, SentSink, ServeError, Server, ServerSetup,
    Subscriber, Transport,
};

const NAME: &str = "mqtt/rumqttc";

/// Largest body: MQTT's remaining length (268,435,455; MQTT 3.1.1, 2.2.3) less room for the topic.
const BODY_LIMIT_BYTES: usize = 268_000_000;

/// Settings: word, QoS, promise.
const SETTINGS: [(&str, QoS, &str); 3] = [
    ("qos0", QoS::AtMostOnce, "at most once: sent and forgotten, TCP alone cares for lost packets"),
    ("qos1", QoS::AtLeastOnce, "at least once: kept until PUBACK"),
    ("qos2", QoS::ExactlyOnce, "exactly once: PUBREC, PUBREL, PUBCOMP"),
];

/// MQTT 3.1.1 through rumqttc.
pub struct Rumqttc;

impl Transport for Rumqttc {
    fn description(&self) -> TransportDescription {
        let setting = |(name, qos, about): (&str, QoS, &str)| {
            let capabilities = match qos {
                QoS::AtLeastOnce => vec![Capability::MayDuplicate],
                QoS::AtMostOnce | QoS::ExactlyOnce => Vec::new(),
            };
            TransportSetting::new(name, about, capabilities)
        };
        TransportDescription {
            id: TransportId { protocol: "mqtt".into(), implementation: "rumqttc".into() },
            library: "rumqttc".into(),
            version: env!("RUMQTTC_VERSION").into(),
            server: Some(concat!("rumqttd ", env!("RUMQTTD_VERSION")).into()),
            settings: SETTINGS.into_iter().map(setting).collect(),
            options: Vec::new(),
            datagrams: None,
            received_at: "PUBLISH (at QoS 2 too, before PUBREC)".into(),
            sent_at: "the event loop has flushed PUBLISH to the socket".into(),
            capabilities: vec![Capability::Ordered, Capability::Reliable],
        }
    }

    fn publisher(
        &self,
        setup: &ClientSetup,
        sink: Arc<dyn SentSink>,
    ) -> Result<Box<dyn Publisher>, ConnectError> {
        let qos = quality(setup)?;
        Ok(Box::new(publisher::MqttPublisher::connect(setup, qos, sink)?))
    }

    fn subscriber(
        &self,
        setup: &ClientSetup,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Box<dyn Subscriber>, ConnectError> {
        let qos = quality(setup)?;
        Ok(Box::new(subscriber::MqttSubscriber::connect(setup, qos, sink)?))
    }

    fn server(&self, setup: &ServerSetup) -> Result<Box<dyn Server>, ServeError> {
        Ok(Box::new(broker::EmbeddedBroker::start(setup.bind)?))
    }
}

fn quality(setup: &ClientSetup) -> Result<QoS, ConnectError> {
    let wanted = setup.setting.as_deref();
    match SETTINGS.iter().find(|(name, ..)| Some(*name) == wanted) {
        Some((_, qos, _)) => Ok(*qos),
        None => Err(ConnectError::Setting {
            transport: NAME,
            setting: wanted.unwrap_or_default().to_owned(),
            known: SETTINGS.map(|(name, ..)| name).join(", "),
        }),
    }
}

//! `mqtt/rumqttc`: MQTT 3.1.1 through the rumqttc client, at QoS 0, 1 and 2.
//!
//! Decisions: TCP_NODELAY on (the library's default is off); clean sessions; client ids of our own that are
//! unique on a machine; no keep-alive packets during a trial; a lost connection ends the role. Messages wait
//! in memory for the event loop's thread, so the schedule never waits for the network; up to
//! `INFLIGHT` messages of QoS 1 and 2 are on their way unacknowledged.
//!
//! rumqttc 0.25 hands a QoS 2 message to the application at PUBLISH, before PUBREC is sent (read in its
//! `state.rs`: `handle_incoming_packet` queues the event, `handle_incoming_pubrel` none). It keeps no memory
//! of packet ids to suppress a repeated PUBLISH; without reconnecting, none comes. It reads up to nine packets
//! that are there at once and flushes its acknowledgements before it hands them over (`framed.rs`: `readb`), so
//! in a burst the first of them waits for the reading of the others.
//!
//! Limits: no server, a broker is a program of its own.

mod client;
pub mod declared;
mod publisher;
mod subscriber;

use std::sync::Arc;

use rumqttc::QoS;
use wiredyno_model::TransportDescription;
use wiredyno_transport::{
    ClientSetup, ConnectError, Publisher, ReceivedSink, SentSink, ServeError, Server, ServerSetup,
    Subscriber, Transport,
};

const NAME: &str = "mqtt/rumqttc";

/// Largest body: MQTT's remaining length (268,435,455; MQTT 3.1.1, 2.2.3) less room for the topic.
pub const BODY_LIMIT_BYTES: usize = 268_000_000;

/// What to do without a broker.
const REMEDY: &str = "install mosquitto (sudo apt-get install mosquitto), or build the broker for a first look (cargo build \
                      --release -p wiredyno-broker-rumqttd)";

/// MQTT 3.1.1 through rumqttc.
pub static TRANSPORT: &dyn Transport = &Rumqttc;

struct Rumqttc;

impl Transport for Rumqttc {
    fn description(&self) -> TransportDescription {
        declared::description()
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

    fn server(&self, _setup: &ServerSetup) -> Result<Box<dyn Server>, ServeError> {
        Err(ServeError::NeedsBroker { transport: NAME, remedy: REMEDY })
    }
}

fn quality(setup: &ClientSetup) -> Result<QoS, ConnectError> {
    Ok(match setup.setting_of(NAME, &declared::SETTINGS)? {
        0 => QoS::AtMostOnce,
        1 => QoS::AtLeastOnce,
        _ => QoS::ExactlyOnce,
    })
}

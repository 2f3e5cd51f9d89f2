//! `mqtt/rumqttc`: MQTT 3.1.1 through the rumqttc client, at QoS 0, 1 and 2; also what the transport for MQTT 5 shares with it.
//!
//! [`v3`] implements this version with the library's module for it ([`dialect`]); [`client`], [`publisher`] and [`subscriber`] do the
//! rest for every version.
//!
//! Decisions: TCP_NODELAY on (the library's default is off); clean sessions unless the option `session` says otherwise; our own client
//! ids, unique on a machine; no keep-alive packets during a trial; a lost connection ends the role, so for a kept session the broker's
//! cost of keeping it is what is measured. Messages wait in memory for the event loop's thread, so the schedule never waits for the
//! network; up to `INFLIGHT` messages of QoS 1 and 2 are in flight unacknowledged. Messages that had been read when a connection broke
//! are handed over. [`remains`] describes what a client leaves at the broker, and how that is removed.
//!
//! rumqttc 0.25 hands a QoS 2 message to the application at PUBLISH, before PUBREC is sent (as read in its `state.rs`:
//! `handle_incoming_packet` queues the event, `handle_incoming_pubrel` none). It does not remember packet ids to suppress a repeated
//! PUBLISH; without reconnecting, none arrives. It reads up to nine available packets at once and flushes its acknowledgements before
//! handing them over (`framed.rs`: `readb`), so in a burst the first of them waits until the others are read. It counts packet ids up
//! to its window and starts again, and at QoS 2 considers an id free at PUBREC: a broker that completes messages in a different order
//! than they were sent would see ids reused too early (`next_pkid`, `handle_incoming_pubrec`).
//!
//! With TLS (the library's, configured by `wiredyno_tls`) `sent` is when the library's flush has returned, which is when the kernel
//! has taken the record with the message's end. The library looks up its server under the name that it verifies: it is given the name
//! if that resolves to the endpoint, otherwise the address, and then sends the server no name.
//!
//! Limits: no server; a broker is a separate program; no IPv6 addresses with TLS, only names.

pub mod client;
pub mod declared;
pub mod dialect;
pub mod publisher;
pub mod remains;
pub mod subscriber;
pub mod v3;

use std::marker::PhantomData;
use std::sync::Arc;

use rumqttc::QoS;
use wiredyno_contract::TransportDescription;
use wiredyno_transport::{
    ClientSetup, ConnectError, Publisher, ReceivedSink, SentSink, ServeError, Server, ServerSetup,
    Subscriber, Transport,
};

use dialect::Dialect;
use publisher::MqttPublisher;
use subscriber::MqttSubscriber;
use v3::Version3;

/// MQTT 3.1.1 through the rumqttc client.
pub static TRANSPORT: &dyn Transport = &Rumqttc::<Version3>::NEW;

/// A transport through the library's module for one version of the protocol.
pub struct Rumqttc<V>(PhantomData<fn() -> V>);

impl<V> Rumqttc<V> {
    /// The transport.
    pub const NEW: Self = Self(PhantomData);
}

impl<V: Dialect> Transport for Rumqttc<V> {
    fn description(&self) -> TransportDescription {
        V::DECLARED.describe()
    }

    fn publisher(
        &self,
        setup: &ClientSetup,
        sink: Arc<dyn SentSink>,
    ) -> Result<Box<dyn Publisher>, ConnectError> {
        Ok(Box::new(MqttPublisher::<V>::connect(setup, V::wishes(setup)?, sink)?))
    }

    fn subscriber(
        &self,
        setup: &ClientSetup,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Box<dyn Subscriber>, ConnectError> {
        Ok(Box::new(MqttSubscriber::<V>::connect(setup, V::wishes(setup)?, sink)?))
    }

    fn server(&self, _setup: &ServerSetup) -> Result<Box<dyn Server>, ServeError> {
        Err(ServeError::NeedsBroker { transport: V::NAME, remedy: V::REMEDY })
    }
}

/// The library's quality of service with this number.
pub fn quality(number: u8) -> QoS {
    match number {
        0 => QoS::AtMostOnce,
        1 => QoS::AtLeastOnce,
        _ => QoS::ExactlyOnce,
    }
}

//! MQTT 5 through the library's module for it.

use bytes::Bytes;
#[cfg(feature = "tls")]
use rumqttc::v5::StateError;
use rumqttc::v5::mqttbytes::QoS as Quality5;
use rumqttc::v5::mqttbytes::v5::{
    ConnAck, ConnectProperties, ConnectReturnCode, Filter, Packet, PubAckReason, PubCompReason, PubRecReason,
    PublishProperties, RetainForwardRule, SubscribeReasonCode,
};
use rumqttc::v5::{AsyncClient, ConnectionError, Event as LibraryEvent, EventLoop, MqttOptions};
use rumqttc::{NetworkOptions, Outgoing, QoS};

use wiredyno_contract::{DeclaredTransport, TransportOptions};
use wiredyno_transport::tls::TlsFault;
use wiredyno_transport::{ClientSetup, ConnectError, Tls};
use wiredyno_transport_mqtt::dialect::{
    Dial, Dialect, Event, Grants, INFLIGHT, KEEP_ALIVE, Lost, Message, PACKET_LIMIT_BYTES, QUEUE,
    WRITE_LIMIT_SECONDS, Wishes,
};
use wiredyno_transport_mqtt::quality;

use crate::declared::{DECLARED, Options, SETTINGS};

/// How long a broker keeps a kept session after its connection: longer than a trial.
const EXPIRY_S: u32 = 3_600;

/// A client of MQTT 5.
pub struct Version5 {
    events: EventLoop,
    tls: Option<Tls>,
}

impl Dialect for Version5 {
    const NAME: &'static str = "mqtt5/rumqttc";
    const DECLARED: &'static DeclaredTransport = &DECLARED;
    const REMEDY: &'static str = "install mosquitto (sudo apt-get install mosquitto)";
    type Requests = AsyncClient;

    fn wishes(setup: &ClientSetup) -> Result<Wishes, ConnectError> {
        let refused = |source| ConnectError::Option { transport: Self::NAME, source };
        let options = Options::STANDARD.with(&setup.options).map_err(refused)?;
        Ok(Wishes {
            quality: quality(setup.setting_of(Self::NAME, &SETTINGS)?),
            kept: options.kept,
            retain: options.retain,
            alias: options.topic_alias,
            receive_maximum: options.receive_maximum,
        })
    }

    fn open(dial: &Dial) -> Result<(AsyncClient, Self), TlsFault> {
        let mut options = MqttOptions::new(dial.id.as_str(), dial.host(), dial.endpoint.port());
        let mut network = NetworkOptions::new();
        network.set_tcp_nodelay(true);
        let mut properties = ConnectProperties::new();
        // Absent properties have the protocol's defaults: the session ends with the connection, 65,535 messages at
        // once.
        properties.session_expiry_interval = dial.kept.then_some(EXPIRY_S);
        properties.receive_maximum = (dial.receive_maximum < u16::MAX).then_some(dial.receive_maximum);
        properties.max_packet_size = u32::try_from(PACKET_LIMIT_BYTES).ok();
        options
            .set_clean_start(!dial.kept)
            .set_keep_alive(KEEP_ALIVE)
            .set_connect_properties(properties)
            .set_network_options(network)
            .set_connection_timeout(WRITE_LIMIT_SECONDS)
            .set_outgoing_inflight_upper_limit(INFLIGHT);
        if let Some(transport) = dial.encrypted()? {
            options.set_transport(transport);
        }
        if let Some(login) = &dial.login {
            options.set_credentials(login.user.as_str(), login.password.as_str());
        }
        let (requests, events) = AsyncClient::new(options, QUEUE);
        Ok((requests, Version5 { events, tls: dial.tls.clone() }))
    }

    async fn next(&mut self) -> Result<Event, Lost> {
        self.events.poll().await.map(told).map_err(|error| lost(error, &self.tls))
    }

    fn left_over(&mut self) -> Option<Event> {
        let mut events = std::iter::from_fn(|| self.events.state.events.pop_front());
        events.find(|event| matches!(event, LibraryEvent::Incoming(_))).map(told)
    }

    fn subscribe(requests: &AsyncClient, topic: &str, quality: QoS) -> Result<(), String> {
        let mut filter = Filter::new(topic, to_library(quality));
        filter.retain_forward_rule = RetainForwardRule::Never;
        requests.try_subscribe_many([filter]).map_err(|error| error.to_string())
    }

    fn publish(requests: &AsyncClient, message: &Message<'_>) -> Result<(), String> {
        let Message { topic, alias, quality, retain, body } = *message;
        let (quality, body) = (to_library(quality), Bytes::copy_from_slice(body));
        let taken = match alias {
            None => requests.try_publish(topic, quality, retain, body),
            Some(_) => {
                let properties = PublishProperties { topic_alias: alias, ..Default::default() };
                requests.try_publish_with_properties(topic, quality, retain, body, properties)
            }
        };
        taken.map_err(|error| error.to_string())
    }

    fn disconnect(requests: &AsyncClient) -> Result<(), String> {
        requests.try_disconnect().map_err(|error| error.to_string())
    }
}

fn told(event: LibraryEvent) -> Event {
    match event {
        LibraryEvent::Outgoing(Outgoing::Publish(packet)) => Event::Sent(packet),
        LibraryEvent::Outgoing(Outgoing::Disconnect) => Event::Left,
        LibraryEvent::Outgoing(_) => Event::Other,
        LibraryEvent::Incoming(packet) => match packet {
            Packet::Publish(message) if message.retain => Event::Other,
            Packet::Publish(message) => Event::Arrived(message.payload),
            Packet::PubAck(ack) => match ack.reason {
                PubAckReason::Success | PubAckReason::NoMatchingSubscribers => Event::Acked(ack.pkid),
                reason => Event::Refused(ack.pkid, format!("{reason:?} in PUBACK")),
            },
            Packet::PubRec(record) => match record.reason {
                PubRecReason::Success | PubRecReason::NoMatchingSubscribers => Event::Other,
                reason => Event::Refused(record.pkid, format!("{reason:?} in PUBREC")),
            },
            Packet::PubComp(complete) => match complete.reason {
                PubCompReason::Success => Event::Acked(complete.pkid),
                reason => Event::Refused(complete.pkid, format!("{reason:?} in PUBCOMP")),
            },
            Packet::ConnAck(answer) => Event::Accepted(grants(answer)),
            Packet::SubAck(answer) => Event::Subscribed(match answer.return_codes.as_slice() {
                [SubscribeReasonCode::Success(quality)] => Ok(from_library(*quality)),
                other => Err(format!("{other:?}")),
            }),
            _ => Event::Other,
        },
    }
}

/// What CONNACK announces; absent properties have the protocol's defaults (MQTT 5.0, 3.2.2.3).
fn grants(answer: ConnAck) -> Grants {
    let said = answer.properties;
    let said = said.as_ref();
    Grants {
        session_present: answer.session_present,
        quality: said.and_then(|said| said.max_qos).unwrap_or(2),
        retain: said.and_then(|said| said.retain_available) != Some(0),
        aliases: said.and_then(|said| said.topic_alias_max).unwrap_or(0),
        packet_bytes: said
            .and_then(|said| said.max_packet_size)
            .and_then(|bytes| usize::try_from(bytes).ok())
            .unwrap_or(PACKET_LIMIT_BYTES),
    }
}

#[cfg_attr(not(feature = "tls"), expect(unused_variables, reason = "only errors with TLS use it"))]
fn lost(error: ConnectionError, tls: &Option<Tls>) -> Lost {
    match error {
        ConnectionError::ConnectionRefused(
            code @ (ConnectReturnCode::BadUserNamePassword
            | ConnectReturnCode::NotAuthorized
            | ConnectReturnCode::Banned),
        ) => Lost::Login(format!("{code:?}")),
        #[cfg(feature = "tls")]
        ConnectionError::Tls(error) => Dial::fault(tls, &error),
        // A server that rejects a client's certificate says so after the handshake.
        #[cfg(feature = "tls")]
        ConnectionError::Io(error)
        | ConnectionError::MqttState(
            StateError::Io(error) | StateError::Deserialization(rumqttc::v5::mqttbytes::Error::Io(error)),
        ) if tls.is_some() => Dial::fault_behind(tls, &error),
        other => Lost::Other(other.to_string()),
    }
}

fn to_library(quality: QoS) -> Quality5 {
    match quality {
        QoS::AtMostOnce => Quality5::AtMostOnce,
        QoS::AtLeastOnce => Quality5::AtLeastOnce,
        QoS::ExactlyOnce => Quality5::ExactlyOnce,
    }
}

fn from_library(quality: Quality5) -> QoS {
    match quality {
        Quality5::AtMostOnce => QoS::AtMostOnce,
        Quality5::AtLeastOnce => QoS::AtLeastOnce,
        Quality5::ExactlyOnce => QoS::ExactlyOnce,
    }
}

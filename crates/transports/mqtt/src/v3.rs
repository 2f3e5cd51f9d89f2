//! MQTT 3.1.1 through the library's older module.

#[cfg(feature = "tls")]
use rumqttc::StateError;
use rumqttc::{
    AsyncClient, ConnectReturnCode, ConnectionError, EventLoop, MqttOptions, NetworkOptions, Outgoing,
    Packet, QoS, SubscribeReasonCode,
};

use wiredyno_contract::{DeclaredTransport, TransportOptions};
use wiredyno_transport::tls::TlsFault;
use wiredyno_transport::{ClientSetup, ConnectError, Tls};

use crate::declared::{DECLARED, Options, SETTINGS};
use crate::dialect::{
    Dial, Dialect, Event, Grants, INFLIGHT, KEEP_ALIVE, Lost, Message, PACKET_LIMIT_BYTES, QUEUE,
    WRITE_LIMIT_SECONDS, Wishes,
};
use crate::quality;

/// A client of MQTT 3.1.1.
pub struct Version3 {
    events: EventLoop,
    tls: Option<Tls>,
}

impl Dialect for Version3 {
    const NAME: &'static str = "mqtt/rumqttc";
    const DECLARED: &'static DeclaredTransport = &DECLARED;
    const REMEDY: &'static str = "install mosquitto (sudo apt-get install mosquitto), or build the broker for a first look (cargo build \
                                  --release -p wiredyno-broker-rumqttd)";
    type Requests = AsyncClient;

    fn wishes(setup: &ClientSetup) -> Result<Wishes, ConnectError> {
        let refused = |source| ConnectError::Option { transport: Self::NAME, source };
        let options = Options::STANDARD.with(&setup.options).map_err(refused)?;
        Ok(Wishes {
            quality: quality(setup.setting_of(Self::NAME, &SETTINGS)?),
            kept: options.kept,
            retain: options.retain,
            alias: false,
            receive_maximum: u16::MAX,
        })
    }

    fn open(dial: &Dial) -> Result<(AsyncClient, Self), TlsFault> {
        let mut options = MqttOptions::new(dial.id.as_str(), dial.host(), dial.endpoint.port());
        options
            .set_clean_session(!dial.kept)
            .set_keep_alive(KEEP_ALIVE)
            .set_max_packet_size(PACKET_LIMIT_BYTES, PACKET_LIMIT_BYTES)
            .set_inflight(INFLIGHT);
        if let Some(transport) = dial.encrypted()? {
            options.set_transport(transport);
        }
        if let Some(login) = &dial.login {
            options.set_credentials(login.user.as_str(), login.password.as_str());
        }
        let (requests, mut events) = AsyncClient::new(options, QUEUE);
        let mut network = NetworkOptions::new();
        network.set_tcp_nodelay(true);
        network.set_connection_timeout(WRITE_LIMIT_SECONDS);
        events.set_network_options(network);
        Ok((requests, Version3 { events, tls: dial.tls.clone() }))
    }

    async fn next(&mut self) -> Result<Event, Lost> {
        self.events.poll().await.map(told).map_err(|error| lost(error, &self.tls))
    }

    fn left_over(&mut self) -> Option<Event> {
        let mut events = std::iter::from_fn(|| self.events.state.events.pop_front());
        events.find(|event| matches!(event, rumqttc::Event::Incoming(_))).map(told)
    }

    fn subscribe(requests: &AsyncClient, topic: &str, quality: QoS) -> Result<(), String> {
        requests.try_subscribe(topic, quality).map_err(|error| error.to_string())
    }

    fn publish(requests: &AsyncClient, message: &Message<'_>) -> Result<(), String> {
        let Message { topic, quality, retain, body, .. } = *message;
        requests.try_publish(topic, quality, retain, body).map_err(|error| error.to_string())
    }

    fn disconnect(requests: &AsyncClient) -> Result<(), String> {
        requests.try_disconnect().map_err(|error| error.to_string())
    }
}

fn told(event: rumqttc::Event) -> Event {
    match event {
        rumqttc::Event::Outgoing(Outgoing::Publish(packet)) => Event::Sent(packet),
        rumqttc::Event::Outgoing(Outgoing::Disconnect) => Event::Left,
        rumqttc::Event::Outgoing(_) => Event::Other,
        rumqttc::Event::Incoming(packet) => match packet {
            Packet::Publish(message) if message.retain => Event::Other,
            Packet::Publish(message) => Event::Arrived(message.payload),
            Packet::PubAck(ack) => Event::Acked(ack.pkid),
            Packet::PubComp(complete) => Event::Acked(complete.pkid),
            Packet::ConnAck(answer) => Event::Accepted(Grants {
                session_present: answer.session_present,
                quality: 2,
                retain: true,
                aliases: 0,
                packet_bytes: PACKET_LIMIT_BYTES,
            }),
            Packet::SubAck(answer) => Event::Subscribed(match answer.return_codes.as_slice() {
                [SubscribeReasonCode::Success(quality)] => Ok(*quality),
                other => Err(format!("{other:?}")),
            }),
            _ => Event::Other,
        },
    }
}

/// Return codes 4 and 5 (MQTT 3.1.1, 3.2.2.3): mosquitto answers 5 to a wrong password.
#[cfg_attr(not(feature = "tls"), expect(unused_variables, reason = "only errors with TLS use it"))]
fn lost(error: ConnectionError, tls: &Option<Tls>) -> Lost {
    match error {
        ConnectionError::ConnectionRefused(
            code @ (ConnectReturnCode::BadUserNamePassword | ConnectReturnCode::NotAuthorized),
        ) => Lost::Login(format!("{code:?}")),
        #[cfg(feature = "tls")]
        ConnectionError::Tls(error) => Dial::fault(tls, &error),
        // A server that rejects a client's certificate says so after the handshake.
        #[cfg(feature = "tls")]
        ConnectionError::Io(error)
        | ConnectionError::MqttState(
            StateError::Io(error) | StateError::Deserialization(rumqttc::mqttbytes::Error::Io(error)),
        ) if tls.is_some() => Dial::fault_behind(tls, &error),
        other => Lost::Other(other.to_string()),
    }
}

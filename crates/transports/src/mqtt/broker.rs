//! The embedded broker, rumqttd, for machines without another: good for a first look, not for comparison.
//!
//! It never sets TCP_NODELAY, and it keeps the messages of each topic in a log of limited length, so that a
//! subscriber that falls far behind loses some. It has no way to end: its threads live as long as the
//! process.

use std::collections::HashMap;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rumqttd::{Broker, Config, ConnectionSettings, RouterConfig, ServerSettings};

use super::{BODY_LIMIT_BYTES, NAME, Rumqttc};
use crate::{ClientSetup, ConnectError, ReceivedSink, SentSink, ServeError, Server, Transport};

/// How long the broker may take until a message comes through.
const HEALTH_LIMIT: Duration = Duration::from_secs(5);

/// Pause between two attempts to connect to a broker that is starting.
const HEALTH_PAUSE: Duration = Duration::from_millis(5);

const HEALTH_TOPIC: &str = "wiredyno/health";

/// Bytes of a part of a topic's log; a message may be larger. A read takes a part as a whole, so small parts
/// keep the memory small.
const SEGMENT_BYTES: usize = 1 << 20;

/// Parts of a topic's log.
const SEGMENTS: usize = 128;

pub struct EmbeddedBroker {
    address: SocketAddr,
}

impl EmbeddedBroker {
    pub fn start(bind: SocketAddr) -> Result<Self, ServeError> {
        let refused = |source| ServeError::Bind { transport: NAME, address: bind, source };
        // The library neither takes a listener nor tells its port, so the port is found out beforehand.
        let address = TcpListener::bind(bind).and_then(|listener| listener.local_addr()).map_err(refused)?;
        let mut broker = Broker::new(config(address));
        let thread = std::thread::Builder::new()
            .name("mqtt-broker".into())
            .spawn(move || broker.start().map_err(|error| error.to_string()))
            .map_err(refused)?;
        await_health(address, &thread)?;
        Ok(EmbeddedBroker { address })
    }
}

fn config(address: SocketAddr) -> Config {
    let settings = ServerSettings {
        name: "mqtt-listener".into(),
        listen: address,
        tls: None,
        next_connection_delay_ms: 0,
        connections: ConnectionSettings {
            connection_timeout_ms: 60_000,
            max_payload_size: BODY_LIMIT_BYTES,
            max_inflight_count: 1_000,
            auth: None,
            external_auth: None,
            dynamic_filters: true,
        },
    };
    Config {
        router: RouterConfig {
            max_connections: 1_000,
            max_outgoing_packet_count: 200,
            max_segment_size: SEGMENT_BYTES,
            max_segment_count: SEGMENTS,
            ..RouterConfig::default()
        },
        v4: Some(HashMap::from([("1".to_owned(), settings)])),
        ..Config::default()
    }
}

/// Reports each arrival, and each loss of the connection as one too: the caller's patience then ends.
struct Arrival(Sender<Result<(), String>>);

impl ReceivedSink for Arrival {
    fn received(&mut self, _body: &[u8], _received_ns: i64) {
        let _ = self.0.send(Ok(()));
    }

    fn broken(&mut self, reason: &str) {
        let _ = self.0.send(Err(reason.to_owned()));
    }
}

struct Unheard;

impl SentSink for Unheard {
    fn sent(&self, _token: u64, _at_ns: i64) {}
    fn acked(&self, _token: u64, _at_ns: i64) {}
    fn broken(&self, _reason: &str) {}
}

/// Sends a message through the broker until one arrives.
fn await_health(address: SocketAddr, broker: &JoinHandle<Result<(), String>>) -> Result<(), ServeError> {
    let until = Instant::now() + HEALTH_LIMIT;
    let reachable = if address.ip().is_unspecified() {
        SocketAddr::new(std::net::Ipv4Addr::LOCALHOST.into(), address.port())
    } else {
        address
    };
    loop {
        let reason = match message_through(reachable, until) {
            Ok(()) => return Ok(()),
            Err(reason) => reason,
        };
        if Instant::now() >= until || broker.is_finished() {
            return Err(ServeError::Unhealthy { transport: NAME, address, reason });
        }
        std::thread::sleep(HEALTH_PAUSE);
    }
}

fn message_through(endpoint: SocketAddr, until: Instant) -> Result<(), String> {
    let left = || until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
    let setup = ClientSetup {
        setting: Some("qos1".into()),
        endpoint,
        topic: HEALTH_TOPIC.into(),
        limit: left(),
        options: Default::default(),
        seed: 0,
    };
    let (tell, arrivals) = channel();
    let failed = |error: ConnectError| error.to_string();
    let subscriber = Rumqttc.subscriber(&setup, Box::new(Arrival(tell))).map_err(failed)?;
    let mut publisher = Rumqttc.publisher(&setup, Arc::new(Unheard)).map_err(failed)?;
    publisher.send(0, b"health").map_err(|error| error.to_string())?;
    arrivals.recv_timeout(left()).map_err(|_| "a message did not come through".to_owned())??;
    publisher.finish(left()).map_err(|error| error.to_string())?;
    subscriber.finish(left()).map_err(|error| error.to_string())
}

impl Server for EmbeddedBroker {
    fn address(&self) -> SocketAddr {
        self.address
    }
}

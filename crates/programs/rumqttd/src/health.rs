//! The health check of the broker: a message has to get through.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use wiredyno_transport::{ClientSetup, ReceivedSink, SentSink};
use wiredyno_transport_mqtt::TRANSPORT;

/// How long the broker may take until a message gets through.
const HEALTH_LIMIT: Duration = Duration::from_secs(5);

/// Pause between two attempts to connect to a broker that is starting.
const HEALTH_PAUSE: Duration = Duration::from_millis(5);

const HEALTH_TOPIC: &str = "wiredyno/health";

/// Reports each arrival, and also a lost connection, which ends the caller's wait.
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

/// Returns when a message has got through the broker at this address.
///
/// # Errors
/// When none does within [`HEALTH_LIMIT`], or the broker's thread ends.
pub fn wait<T>(address: SocketAddr, broker: &JoinHandle<T>) -> Result<()> {
    let until = Instant::now() + HEALTH_LIMIT;
    let reachable = match address {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => (Ipv4Addr::LOCALHOST, v4.port()).into(),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => (Ipv6Addr::LOCALHOST, v6.port()).into(),
        other => other,
    };
    while let Err(error) = message_through(reachable, until) {
        let goes_on = Instant::now() < until && !broker.is_finished();
        ensure!(goes_on, "the broker at {address} does not pass its health check: {error:#}");
        std::thread::sleep(HEALTH_PAUSE);
    }
    Ok(())
}

/// Sends a message through the broker and waits for its arrival.
fn message_through(endpoint: SocketAddr, until: Instant) -> Result<()> {
    let left = || until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
    let setup = ClientSetup {
        setting: Some("qos1".into()),
        endpoint,
        topic: HEALTH_TOPIC.into(),
        subscribers: 1,
        limit: left(),
        options: Default::default(),
        seed: 0,
        login: None,
        tls: None,
        before: Default::default(),
    };
    let (tell, arrivals) = channel();
    let subscriber = TRANSPORT.subscriber(&setup, Box::new(Arrival(tell)))?;
    let mut publisher = TRANSPORT.publisher(&setup, Arc::new(Unheard))?;
    publisher.send(0, b"health")?;
    let arrived = arrivals.recv_timeout(left()).context("a message did not arrive")?;
    arrived.map_err(anyhow::Error::msg)?;
    publisher.finish(left())?;
    subscriber.finish(left())?;
    Ok(())
}

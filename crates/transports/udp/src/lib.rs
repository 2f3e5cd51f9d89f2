//! `udp/wiredyno`: plain datagrams through a relay on the broker's host, the floor for all protocols.
//!
//! A datagram is a message's body and nothing else. Clients register over TCP at the relay's port number (TCP has separate port
//! numbers), so that registration survives loss and is never mistaken for a message: one byte for the role, the subscriber's
//! datagram port as u16, big-endian; the relay sends the role's byte back. A subscriber stays registered as long as that
//! connection lives; no packet is sent on it meanwhile. The relay forwards every datagram to all subscribers; it has no topics, so
//! one relay serves one trial.
//!
//! Messages that are due together are sent in one call, as are those that the relay finds waiting: on the wire they are ordinary
//! datagrams. `sent` of each of them is when that call returned.
//!
//! Limits: bodies up to 65,507 bytes (IPv4); bodies larger than the path's MTU travel as IP fragments. A full socket buffer drops
//! datagrams, as for every program: that counts as loss.

pub mod declared;
mod many;
mod publisher;
mod relay;
mod subscriber;

use std::sync::Arc;

use wiredyno_contract::TransportDescription;
use wiredyno_transport::{
    ClientSetup, ConnectError, Publisher, ReceivedSink, SentSink, ServeError, Server, ServerSetup,
    Subscriber, Transport,
};

const NAME: &str = "udp/wiredyno";

const BODY_LIMIT_BYTES: usize = declared::BODY_LIMIT_BYTES as usize;

/// Plain datagrams through a relay.
pub static TRANSPORT: &dyn Transport = &Udp;

struct Udp;

impl Transport for Udp {
    fn description(&self) -> TransportDescription {
        declared::DECLARED.describe()
    }

    fn publisher(
        &self,
        setup: &ClientSetup,
        sink: Arc<dyn SentSink>,
    ) -> Result<Box<dyn Publisher>, ConnectError> {
        setup.without_setting(NAME)?;
        setup.in_the_clear(NAME)?;
        Ok(Box::new(publisher::UdpPublisher::connect(setup, sink)?))
    }

    fn subscriber(
        &self,
        setup: &ClientSetup,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Box<dyn Subscriber>, ConnectError> {
        setup.without_setting(NAME)?;
        setup.in_the_clear(NAME)?;
        Ok(Box::new(subscriber::UdpSubscriber::connect(setup, sink)?))
    }

    fn server(&self, setup: &ServerSetup) -> Result<Box<dyn Server>, ServeError> {
        setup.in_the_clear(NAME)?;
        Ok(Box::new(relay::UdpRelay::start(setup.bind)?))
    }
}

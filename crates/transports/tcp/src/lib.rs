//! `tcp/wiredyno`: length-prefixed bodies over TCP through a relay on the broker's host, the floor that reliable protocols are
//! compared with.
//!
//! A client connects, sends one byte (publisher or subscriber) and gets it back when it is registered. After that there are only
//! frames: the body's length as u32, big-endian, and the body. The relay forwards every publisher's frame to all subscribers, as soon
//! as it has all of it; it has no topics, so one relay serves one trial. A slow subscriber slows the publishers down through TCP's own
//! flow control. TCP_NODELAY is on everywhere. Messages that are due together are sent in one call, as are complete frames that the
//! relay finds in one read.
//!
//! With TLS (rustls, see `wiredyno_tls`) the relay is a server of TLS 1.3 with the run's certificate: it decrypts and re-encrypts. A
//! message counts as sent when the kernel has taken the record with its end.

pub mod declared;
mod frame;
mod line;
mod publisher;
mod relay;
mod subscriber;

use std::sync::Arc;

use wiredyno_contract::TransportDescription;
use wiredyno_transport::{
    ClientSetup, ConnectError, Publisher, ReceivedSink, SentSink, ServeError, Server, ServerSetup,
    Subscriber, Transport,
};

const NAME: &str = "tcp/wiredyno";

/// Length-prefixed bodies over TCP, through a relay.
pub static TRANSPORT: &dyn Transport = &Tcp;

struct Tcp;

impl Transport for Tcp {
    fn description(&self) -> TransportDescription {
        declared::DECLARED.describe()
    }

    fn publisher(
        &self,
        setup: &ClientSetup,
        sink: Arc<dyn SentSink>,
    ) -> Result<Box<dyn Publisher>, ConnectError> {
        setup.without_setting(NAME)?;
        Ok(Box::new(publisher::TcpPublisher::connect(setup, sink)?))
    }

    fn subscriber(
        &self,
        setup: &ClientSetup,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Box<dyn Subscriber>, ConnectError> {
        setup.without_setting(NAME)?;
        Ok(Box::new(subscriber::TcpSubscriber::connect(setup, sink)?))
    }

    fn server(&self, setup: &ServerSetup) -> Result<Box<dyn Server>, ServeError> {
        Ok(Box::new(relay::TcpRelay::start(setup)?))
    }
}

//! Tests of clients that find each other, without a server between them.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};

use wiredyno_contract::TransportDescription;
use wiredyno_transport::{
    ClientSetup, ConnectError, Publisher, ReceivedSink, SentSink, ServeError, Server, ServerSetup,
    Subscriber, Transport,
};

use crate::exchange::{settings, setup};
use crate::notebook::{LIMIT, Notebook};

/// A loopback address where no other clients meet.
pub fn meeting_place() -> SocketAddr {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap()
}

/// A topic without subscribers causes a clear error within the limit, in every setting.
pub fn nobody_there_is_told(transport: &dyn Transport) {
    for setting in settings(transport) {
        let limit = Duration::from_millis(300);
        let setup = ClientSetup { limit, ..setup(setting.as_deref(), meeting_place(), "test/nobody") };
        let begin = Instant::now();
        let error = transport.publisher(&setup, Arc::new(Notebook::default())).err().unwrap();
        assert!(matches!(error, ConnectError::Unmatched { found: 0, wanted: 1, .. }), "{error}");
        let text = error.to_string();
        for part in ["test/nobody", "127.0.0.1", &transport.description().id.to_string(), "multicast"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(begin.elapsed() < LIMIT, "the limit was exceeded");
    }
}

/// A publisher's client and a subscriber's client of the same protocol.
pub struct Pair {
    /// The publisher's client library.
    pub publisher: &'static dyn Transport,
    /// The subscriber's client library.
    pub subscriber: &'static dyn Transport,
}

impl Transport for Pair {
    fn description(&self) -> TransportDescription {
        self.publisher.description()
    }

    fn publisher(
        &self,
        setup: &ClientSetup,
        sink: Arc<dyn SentSink>,
    ) -> Result<Box<dyn Publisher>, ConnectError> {
        self.publisher.publisher(setup, sink)
    }

    fn subscriber(
        &self,
        setup: &ClientSetup,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Box<dyn Subscriber>, ConnectError> {
        self.subscriber.subscriber(setup, sink)
    }

    fn server(&self, setup: &ServerSetup) -> Result<Box<dyn Server>, ServeError> {
        self.publisher.server(setup)
    }
}

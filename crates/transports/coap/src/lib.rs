//! `coap/wiredyno`: CoAP (RFC 7252) with observation (RFC 7641) and block-wise transfer (RFC 7959). Messages by `coap-lite`, endpoints our own:
//! existing libraries lack what loss measurements need (de-duplication in the server, retransmitted notifications).
//!
//! A topic is a resource: `vehicle/7` is `coap://endpoint/vehicle/7`. Publishers POST bodies, the server notifies the observers in messages of
//! the request's type, subscribers observe. Bodies are sent whole in one datagram (as IP fragments if the path's MTU requires it) or, in the
//! settings `...-block`, above 1,024 bytes in blocks: Block1 towards the server; the notification carries the first block and the observer
//! fetches the others.
//!
//! Decisions: tokens of 4 bytes; no Content-Format; entity tags only with blocks. Every notification is delivered: none is superseded or dropped
//! as stale by default (a study sets `Options` in `[transport.coap]`). A publisher pings the server to connect. An observer renews its
//! registration after 70 s without a notification. A server forgets an observer that resets a notification, or does not acknowledge two in a row.
//! A server that ends notifies its observers with 5.03. The server sends an observer the next notification in blocks when it has fetched the
//! last, so that blocks never mix; a non-confirmable transfer that makes no progress for 3 s is given up.
//!
//! With DTLS (cargo feature `tls`, the machine's OpenSSL; see `dtls`) each datagram is a record. A message counts as sent when the kernel has
//! taken its record.
//!
//! Limits: IPv4 and IPv6; no proxies, no multicast, no congestion control beyond NSTART 1.

mod block;
mod client;
pub mod declared;
#[cfg(not(feature = "tls"))]
#[path = "clear.rs"]
mod dtls;
#[cfg(feature = "tls")]
mod dtls;
mod duplicates;
mod endpoint;
mod exchange;
mod message;
mod peer;
mod publisher;
mod receiver;
mod sender;
mod server;
mod service;
#[cfg(test)]
mod simulation;
mod subscriber;
mod transmission;

use std::sync::Arc;

use declared::{Options, SETTINGS};
use wiredyno_contract::{TransportDescription, TransportOptions};
use wiredyno_transport::{
    ClientSetup, ConnectError, Publisher, ReceivedSink, SentSink, ServeError, Server, ServerSetup,
    Subscriber, Transport,
};

const NAME: &str = "coap/wiredyno";

/// CoAP with observation and block-wise transfer.
pub static TRANSPORT: &dyn Transport = &Coap;

struct Coap;

impl Transport for Coap {
    fn description(&self) -> TransportDescription {
        declared::DECLARED.describe()
    }

    fn publisher(
        &self,
        setup: &ClientSetup,
        sink: Arc<dyn SentSink>,
    ) -> Result<Box<dyn Publisher>, ConnectError> {
        let (setting, options) = (setup.setting_of(NAME, &SETTINGS)?, options(setup)?);
        Ok(Box::new(publisher::CoapPublisher::connect(setup, setting, &options, sink)?))
    }

    fn subscriber(
        &self,
        setup: &ClientSetup,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Box<dyn Subscriber>, ConnectError> {
        let (setting, options) = (setup.setting_of(NAME, &SETTINGS)?, options(setup)?);
        Ok(Box::new(subscriber::CoapSubscriber::connect(setup, setting, &options, sink)?))
    }

    fn server(&self, setup: &ServerSetup) -> Result<Box<dyn Server>, ServeError> {
        let options = Options::STANDARD.with(&setup.options);
        let options = options.map_err(|source| ServeError::Option { transport: NAME, source })?;
        Ok(Box::new(server::CoapServer::start(setup, &options)?))
    }
}

fn options(setup: &ClientSetup) -> Result<Options, ConnectError> {
    let options = Options::STANDARD.with(&setup.options);
    options.map_err(|source| ConnectError::Option { transport: NAME, source })
}

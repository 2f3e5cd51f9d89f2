//! `quic/quinn`: QUIC (RFC 9000) through a relay on the broker's host, messages as streams or as datagrams (RFC 9221).
//!
//! A client connects, opens a bidirectional stream and sends on it its role (publisher or subscriber), what carries its messages
//! and its topic; the relay answers with the first byte when it is registered. Messages are sent in unidirectional streams, all in
//! one, each preceded by its length as u32, big-endian, or each in its own, or in DATAGRAM frames. The relay forwards every message
//! to all subscribers of its topic, in each subscriber's own form, as soon as it has all of it. A slow subscriber slows the
//! publishers down through flow control; with datagrams, those that have waited longest are dropped and count as lost.
//!
//! TLS 1.3 is part of QUIC and always on. At its start the relay generates a key and a certificate for its address and announces
//! the certificate ([`wiredyno_transport::Server::certificate`]), which is the only one that clients trust.
//!
//! Decisions: the library's default cipher suites; ALPN `wiredyno`; segmentation offload is off everywhere, so that packets are
//! counted and not what a kernel would split into packets; a publisher disconnects when the relay has read everything; all
//! connections of the relay are on one thread.
//!
//! Limits: a message in a stream is acknowledged only if it has a stream of its own, as the library reports no more; keys are
//! written nowhere; no migration, no Retry.

mod client;
mod config;
pub mod declared;
mod frame;
mod publisher;
mod relay;
mod subscriber;

use std::sync::Arc;

use declared::{Carrier, Options, SETTINGS, Streams};
use wiredyno_contract::{TransportDescription, TransportOptions};
use wiredyno_transport::{
    ClientSetup, ConnectError, Publisher, ReceivedSink, SentSink, ServeError, Server, ServerSetup,
    Subscriber, Transport,
};

const NAME: &str = "quic/quinn";

/// QUIC streams and datagrams, through quinn.
pub static TRANSPORT: &dyn Transport = &Quic;

struct Quic;

impl Transport for Quic {
    fn description(&self) -> TransportDescription {
        declared::DECLARED.describe()
    }

    fn publisher(
        &self,
        setup: &ClientSetup,
        sink: Arc<dyn SentSink>,
    ) -> Result<Box<dyn Publisher>, ConnectError> {
        let (form, options) = wishes(setup)?;
        Ok(Box::new(publisher::QuicPublisher::connect(setup, form, options, sink)?))
    }

    fn subscriber(
        &self,
        setup: &ClientSetup,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Box<dyn Subscriber>, ConnectError> {
        let (form, options) = wishes(setup)?;
        Ok(Box::new(subscriber::QuicSubscriber::connect(setup, form, options, sink)?))
    }

    fn server(&self, setup: &ServerSetup) -> Result<Box<dyn Server>, ServeError> {
        let options = Options::STANDARD.with(&setup.options);
        let options = options.map_err(|source| ServeError::Option { transport: NAME, source })?;
        Ok(Box::new(relay::QuicRelay::start(setup, &options)?))
    }
}

/// How messages are carried on one leg.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// One stream for all messages, in order.
    OneStream,
    /// A separate stream for each message.
    StreamEach,
    /// A DATAGRAM frame for each message.
    Datagrams,
}

impl Form {
    /// The byte for each form in a greeting.
    const BYTES: [(u8, Form); 3] =
        [(b'o', Form::OneStream), (b'e', Form::StreamEach), (b'd', Form::Datagrams)];

    fn byte(self) -> u8 {
        Form::BYTES.iter().find(|(_, form)| *form == self).map_or(0, |(byte, _)| *byte)
    }

    fn of(byte: u8) -> Option<Form> {
        Form::BYTES.iter().find(|(known, _)| *known == byte).map(|(_, form)| *form)
    }
}

fn wishes(setup: &ClientSetup) -> Result<(Form, Options), ConnectError> {
    let carrier = setup.setting_of(NAME, &SETTINGS)?;
    let options = Options::STANDARD.with(&setup.options);
    let options = options.map_err(|source| ConnectError::Option { transport: NAME, source })?;
    let form = match (carrier, options.streams) {
        (Carrier::Datagram, _) => Form::Datagrams,
        (Carrier::Stream, Streams::One) => Form::OneStream,
        (Carrier::Stream, Streams::Each) => Form::StreamEach,
    };
    Ok((form, options))
}

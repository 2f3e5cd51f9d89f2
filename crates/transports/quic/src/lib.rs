//! `quic/quinn`: QUIC (RFC 9000) through a relay on the broker's host, messages as streams or as datagrams (RFC 9221).
//!
//! A client connects, opens a bidirectional stream and says on it what it is (publisher or subscriber), what carries its messages
//! and its topic; the relay answers with the first byte when it is registered. Messages go in unidirectional streams, all in one
//! behind their lengths as u32, big-endian, or each in one of its own, or in DATAGRAM frames. The relay hands every message to
//! all subscribers of its topic, in what carries it there, as soon as it has all of it. A subscriber that does not keep up slows
//! the publishers down by flow control; where it gets datagrams, those that wait longest are dropped and count as lost.
//!
//! TLS 1.3 is QUIC's own and always on. The relay makes itself a key and a certificate for its address when it starts and tells
//! the certificate ([`wiredyno_transport::Server::certificate`]), which clients then trust and no other.
//!
//! Decisions: the library's default cipher suites; ALPN `wiredyno`; segmentation offload is off everywhere, so that what is counted
//! are packets and not what a kernel would cut into packets; a publisher takes its leave when the relay has read all; the relay's
//! connections are all on one thread.
//!
//! Limits: a stream's message is acknowledged only where it has a stream of its own, as the library does not tell more; keys are
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

/// QUIC streams and datagrams.
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

/// What carries messages on one leg.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// One stream for all.
    OneStream,
    /// A stream for each.
    StreamEach,
    /// Datagrams.
    Datagrams,
}

impl Form {
    /// As greetings say it.
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

//! `coap/wiredyno`: CoAP (RFC 7252) with observation (RFC 7641) and block-wise transfer (RFC 7959), messages by
//! `coap-lite`, endpoints our own: the libraries that exist lack what loss measurements need (de-duplication in the
//! server, notifications that are repeated).
//!
//! A topic is a resource: `vehicle/7` is `coap://endpoint/vehicle/7`. Publishers POST bodies, the server notifies
//! the observers in messages of the request's type, subscribers observe. Bodies travel whole in one datagram (IP
//! fragments where the path's MTU asks for them), or above 1,024 bytes in blocks in the settings `...-block`: Block1
//! towards the server; the notification carries the first block and the observer fetches the others.
//!
//! Decisions: tokens of 4 bytes; no Content-Format; entity tags only with blocks. Every notification is delivered:
//! none is superseded or dropped as stale by default ([`Options`]; a study sets them in `[transport.coap]`). A publisher pings the server to connect. An
//! observer renews its registration after 70 s without a notification. A server forgets an observer that resets a
//! notification, or does not acknowledge two in a row. A server that ends tells its observers with 5.03. The
//! server sends the next notification in blocks to an observer when it has fetched the last, so that none is mixed
//! up; a non-confirmable transfer that stands still for 3 s is given up.
//!
//! Limits: IPv4 and IPv6 without DTLS; no proxies, no multicast, no congestion control beyond NSTART 1.

mod block;
mod client;
mod declared;
mod duplicates;
mod endpoint;
mod exchange;
mod message;
mod options;
mod peer;
mod publisher;
mod receiver;
mod sender;
mod server;
mod service;
#[cfg(test)]
mod simulation;
mod subscriber;

use std::sync::Arc;

pub use options::{Method, Options, Transmission};
use wiredyno_model::{
    Capability, DatagramFormat, OptionTable, TransportDescription, TransportId, TransportSetting,
};

use crate::{
    ClientSetup, ConnectError, Publisher, ReceivedSink, SentSink, ServeError, Server, ServerSetup,
    Subscriber, Transport,
};

const NAME: &str = "coap/wiredyno";

/// What a setting means.
#[derive(Debug, Clone, Copy)]
struct Setting {
    /// Requests and notifications are acknowledged and repeated.
    confirmable: bool,
    /// Bodies above one block's size travel in blocks.
    blocks: bool,
}

/// Settings in order of reliability: word, meaning, promise.
const SETTINGS: [(&str, Setting, &str); 4] = [
    (
        "non-block",
        Setting { confirmable: false, blocks: true },
        "non-confirmable, bodies above 1,024 bytes in blocks: a lost block loses the body",
    ),
    (
        "non",
        Setting { confirmable: false, blocks: false },
        "non-confirmable, whole bodies in one datagram: sent once, requests and notifications",
    ),
    (
        "con-block",
        Setting { confirmable: true, blocks: true },
        "confirmable, bodies above 1,024 bytes in blocks: each repeated until acknowledged, up to 4 times",
    ),
    (
        "con",
        Setting { confirmable: true, blocks: false },
        "confirmable, whole bodies in one datagram: repeated until acknowledged, up to 4 times",
    ),
];

/// CoAP with these options.
pub struct Coap {
    options: Options,
}

/// The one of the registry.
pub static STANDARD: Coap = Coap::with(Options::STANDARD);

impl Coap {
    /// A variant: these options are the defaults of the endpoints that it makes, not of those at the other end.
    pub const fn with(options: Options) -> Self {
        Coap { options }
    }

    fn options_of(&self, setup: &ClientSetup) -> Result<Options, ConnectError> {
        let options = self.options.with(&setup.options);
        options.map_err(|source| ConnectError::Option { transport: NAME, source })
    }
}

impl Transport for Coap {
    fn description(&self) -> TransportDescription {
        let setting = |(name, setting, about): (&str, Setting, &str)| {
            let mut capabilities = Vec::new();
            if setting.confirmable {
                capabilities.push(Capability::Reliable);
            }
            if !setting.blocks {
                capabilities.push(Capability::Datagram);
            }
            let repeats_option = setting.confirmable.then(|| declared::MAX_RETRANSMIT.to_owned());
            TransportSetting { repeats_option, ..TransportSetting::new(name, about, capabilities) }
        };
        let description = TransportDescription {
            id: TransportId { protocol: "coap".into(), implementation: "wiredyno".into() },
            library: "coap-lite".into(),
            version: env!("COAP_LITE_VERSION").into(),
            server: None,
            settings: SETTINGS.into_iter().map(setting).collect(),
            options: self.options.declared(),
            datagrams: Some(DatagramFormat::Coap),
            received_at: "the notification's datagram, or that of its last block".into(),
            sent_at:
                "the kernel has taken the request's datagram, or that of its first block, for the first time"
                    .into(),
            capabilities: vec![Capability::Brokerless],
        };
        description.under(&OptionTable::new())
    }

    fn publisher(
        &self,
        setup: &ClientSetup,
        sink: Arc<dyn SentSink>,
    ) -> Result<Box<dyn Publisher>, ConnectError> {
        let (setting, options) = (find(setup)?, self.options_of(setup)?);
        Ok(Box::new(publisher::CoapPublisher::connect(setup, setting, &options, sink)?))
    }

    fn subscriber(
        &self,
        setup: &ClientSetup,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Box<dyn Subscriber>, ConnectError> {
        let (setting, options) = (find(setup)?, self.options_of(setup)?);
        Ok(Box::new(subscriber::CoapSubscriber::connect(setup, setting, &options, sink)?))
    }

    fn server(&self, setup: &ServerSetup) -> Result<Box<dyn Server>, ServeError> {
        let options = self.options.with(&setup.options);
        let options = options.map_err(|source| ServeError::Option { transport: NAME, source })?;
        Ok(Box::new(server::CoapServer::start(setup, &options)?))
    }
}

fn find(setup: &ClientSetup) -> Result<Setting, ConnectError> {
    let wanted = setup.setting.as_deref();
    match SETTINGS.iter().find(|(name, ..)| Some(*name) == wanted) {
        Some((_, setting, _)) => Ok(*setting),
        None => Err(ConnectError::Setting {
            transport: NAME,
            setting: wanted.unwrap_or_default().to_owned(),
            known: SETTINGS.map(|(name, ..)| name).join(", "),
        }),
    }
}

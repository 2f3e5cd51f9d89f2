//! The differences between the versions of MQTT, as far as our clients are concerned.
//!
//! rumqttc has a module for each version, with separate types, so the common parts are written once against [`Dialect`], and
//! each version implements that with its module.

use std::future::Future;
use std::net::SocketAddr;

use bytes::Bytes;
use rumqttc::QoS;
use wiredyno_contract::DeclaredTransport;
use wiredyno_transport::tls::TlsFault;
use wiredyno_transport::{ClientSetup, ConnectError, Login, Tls};

/// Longer than any trial, so no PINGREQ occurs in it. Some brokers would refuse zero.
pub const KEEP_ALIVE: std::time::Duration = std::time::Duration::from_secs(12 * 3600);

/// Most messages of QoS 1 and 2 in flight: 70 ms of round trip at 10,000 messages per second. A broker of MQTT 5 may allow
/// fewer.
pub const INFLIGHT: u16 = 1_000;

/// Most messages waiting for the event loop. Not reserved in advance: memory is the only intended limit.
pub const QUEUE: usize = 1 << 24;

/// How long one write, or connecting, may take in the library: a megabyte over a slow link takes minutes.
pub const WRITE_LIMIT_SECONDS: u64 = 600;

/// Largest body: MQTT's remaining length (268,435,455; MQTT 3.1.1, 2.2.3) less room for the topic.
pub const BODY_LIMIT_BYTES: usize = 268_000_000;

/// The largest packet that a client reads or writes.
pub const PACKET_LIMIT_BYTES: usize = BODY_LIMIT_BYTES + 400_000;

/// One version of the protocol, implemented with the library's module for it.
pub trait Dialect: Sized + Send + 'static {
    /// The transport's id, for errors.
    const NAME: &'static str;
    /// What the transport is.
    const DECLARED: &'static DeclaredTransport;
    /// What to do without a broker.
    const REMEDY: &'static str;
    /// Hands requests to the event loop, from any thread.
    type Requests: Clone + Send + 'static;

    /// What a client's mode and options ask of it.
    ///
    /// # Errors
    /// When an option has a value that it can't have.
    fn wishes(setup: &ClientSetup) -> Result<Wishes, ConnectError>;

    /// Creates a client that connects when its first event is requested.
    ///
    /// # Errors
    /// When it can't encrypt as requested.
    fn open(dial: &Dial) -> Result<(Self::Requests, Self), TlsFault>;

    /// The next event. After an error no more may be requested: the library would reconnect.
    fn next(&mut self) -> impl Future<Output = Result<Event, Lost>>;

    /// After an error: events that the library had read from the network and not yet handed over, in order.
    fn left_over(&mut self) -> Option<Event>;

    /// Requests a SUBSCRIBE for a topic.
    ///
    /// # Errors
    /// When the library does not accept it.
    fn subscribe(requests: &Self::Requests, topic: &str, quality: QoS) -> Result<(), String>;

    /// Requests a PUBLISH for a message.
    ///
    /// # Errors
    /// When the library does not accept it.
    fn publish(requests: &Self::Requests, message: &Message<'_>) -> Result<(), String>;

    /// Requests DISCONNECT, after all earlier requests.
    ///
    /// # Errors
    /// When the library does not accept it.
    fn disconnect(requests: &Self::Requests) -> Result<(), String>;
}

/// Where to connect, and as which client.
#[derive(Debug, Clone)]
pub struct Dial {
    /// The broker's address and port.
    pub endpoint: SocketAddr,
    /// The client identifier, one that no other client has.
    pub id: String,
    /// Whether the broker should keep the session when the connection ends.
    pub kept: bool,
    /// Messages of QoS 1 and 2 that the broker may send before the first of them is acknowledged; only for MQTT 5.
    pub receive_maximum: u16,
    /// User and password; `None` for an anonymous client.
    pub login: Option<Login>,
    /// How the connection is encrypted; `None` for a plain one.
    pub tls: Option<Tls>,
}

impl Dial {
    /// The endpoint's host in the library's form. The library sends the server the name under which it looks for it.
    pub fn host(&self) -> String {
        let host =
            self.tls.as_ref().map_or_else(|| self.endpoint.ip().to_string(), |tls| tls.host(self.endpoint));
        if host.contains(':') { format!("[{host}]") } else { host }
    }

    /// The library's transport; `None` for its default, without encryption.
    ///
    /// # Errors
    /// When there is no trusted authority, or TLS is not compiled in.
    #[cfg(feature = "tls")]
    pub fn encrypted(&self) -> Result<Option<rumqttc::Transport>, TlsFault> {
        let Some(tls) = &self.tls else { return Ok(None) };
        // It would treat the brackets as part of the name.
        if self.host().starts_with('[') {
            let reason =
                "the client library does not support IPv6 addresses with TLS: write the server's name";
            return Err(TlsFault::Handshake(reason.into()));
        }
        let config = rumqttc::TlsConfiguration::Rustls(wiredyno_tls::config(tls, self.endpoint)?);
        Ok(Some(rumqttc::Transport::tls_with_config(config)))
    }

    /// The library's transport; `None` for its default, without encryption.
    ///
    /// # Errors
    /// When TLS is requested, as it is not compiled in.
    #[cfg(not(feature = "tls"))]
    pub fn encrypted(&self) -> Result<Option<rumqttc::Transport>, TlsFault> {
        self.tls.as_ref().map_or(Ok(None), |_| Err(TlsFault::NotCompiled))
    }

    /// Why there is no encrypted connection, if the library's error says so.
    #[cfg(feature = "tls")]
    pub fn fault(tls: &Option<Tls>, error: &rumqttc::TlsError) -> Lost {
        match (tls, error) {
            (Some(tls), rumqttc::TlsError::Io(error)) => wiredyno_tls::fault(error, &tls.server_name)
                .map_or_else(|| Lost::Other(error.to_string()), Lost::Tls),
            (_, other) => Lost::Tls(TlsFault::Handshake(other.to_string())),
        }
    }
}

#[cfg(feature = "tls")]
impl Dial {
    /// Why an encrypted connection ended after its handshake.
    pub fn fault_behind(tls: &Option<Tls>, error: &std::io::Error) -> Lost {
        let name = tls.as_ref().map_or("", |tls| &tls.server_name);
        wiredyno_tls::fault_behind(error, name).map_or_else(|| Lost::Other(error.to_string()), Lost::Tls)
    }
}

/// What a client requires of its broker besides a connection.
#[derive(Debug, Clone, Copy)]
pub struct Wishes {
    /// Quality of service of publishing and subscribing.
    pub quality: QoS,
    /// Whether the broker must keep the session.
    pub kept: bool,
    /// Whether the broker must retain messages.
    pub retain: bool,
    /// Whether the topic is sent in full once and as a number from then on; only for MQTT 5.
    pub alias: bool,
    /// The same as [`Dial::receive_maximum`]; for MQTT 5.
    pub receive_maximum: u16,
}

/// A message to publish, with its flags.
pub struct Message<'a> {
    /// Its topic; empty if an alias known to the broker replaces it.
    pub topic: &'a str,
    /// The topic's alias; `None` without one.
    pub alias: Option<u16>,
    /// Quality of service of this message.
    pub quality: QoS,
    /// Whether the broker keeps it for later subscribers; an empty message removes what it keeps.
    pub retain: bool,
    /// The bytes of the message.
    pub body: &'a [u8],
}

/// What a broker announces in CONNACK.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grants {
    /// It had kept a session of this client.
    pub session_present: bool,
    /// The highest quality of service that it supports.
    pub quality: u8,
    /// Whether it supports retained messages.
    pub retain: bool,
    /// How many topic aliases a publisher may use.
    pub aliases: u16,
    /// The largest packet that it accepts, in bytes.
    pub packet_bytes: usize,
}

/// What happens on a connection, as far as a client needs to know.
#[derive(Debug)]
pub enum Event {
    /// CONNACK: the connection was accepted.
    Accepted(Grants),
    /// SUBACK: granted with this quality, or refused for this reason.
    Subscribed(Result<QoS, String>),
    /// A PUBLISH with this packet id, 0 at QoS 0, was flushed to the socket.
    Sent(u16),
    /// The last acknowledgement for this packet id arrived.
    Acked(u16),
    /// The broker rejected the message with this packet id, for this reason.
    Refused(u16, String),
    /// A message that arrived after the subscription. A message retained before it, whose PUBLISH has the RETAIN flag
    /// (3.3.1.3 of both versions), is [`Event::Other`]: HiveMQ looks for it after SUBACK, and then sends a message twice that
    /// was retained in between.
    Arrived(Bytes),
    /// DISCONNECT was flushed to the socket.
    Left,
    /// Any event that needs no action.
    Other,
}

/// Why a connection was lost.
#[derive(Debug)]
pub enum Lost {
    /// The broker rejects user name and password, or a client without them.
    Login(String),
    /// There is no encrypted connection.
    Tls(TlsFault),
    /// Any other reason, as text.
    Other(String),
}

impl Lost {
    /// The reason as text, for errors.
    pub fn reason(self) -> String {
        match self {
            Lost::Login(reason) | Lost::Other(reason) => reason,
            Lost::Tls(fault) => fault.to_string(),
        }
    }
}

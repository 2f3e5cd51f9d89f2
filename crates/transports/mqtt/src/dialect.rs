//! What differs between the versions of MQTT, as far as a client of this project needs it.
//!
//! rumqttc has a module for each version with types of its own, so everything that is done alike is written once
//! against [`Dialect`], and each version says how its module does it.

use std::future::Future;
use std::net::SocketAddr;

use bytes::Bytes;
use rumqttc::QoS;
use wiredyno_contract::DeclaredTransport;
use wiredyno_transport::tls::TlsFault;
use wiredyno_transport::{ClientSetup, ConnectError, Login, Tls};

/// Longer than any trial: no PINGREQ falls into it. Zero would be refused by some brokers.
pub const KEEP_ALIVE: std::time::Duration = std::time::Duration::from_secs(12 * 3600);

/// Messages of QoS 1 and 2 on their way at once: 70 ms of round trip at 10,000 messages a second. A broker of MQTT 5 may
/// allow fewer.
pub const INFLIGHT: u16 = 1_000;

/// Messages waiting for the event loop at most. Not reserved beforehand: memory is the only limit meant.
pub const QUEUE: usize = 1 << 24;

/// How long one write, or laying a connection, may take in the library: a megabyte over a slow link takes minutes.
pub const WRITE_LIMIT_SECONDS: u64 = 600;

/// Largest body: MQTT's remaining length (268,435,455; MQTT 3.1.1, 2.2.3) less room for the topic.
pub const BODY_LIMIT_BYTES: usize = 268_000_000;

/// The largest packet that a client reads or writes.
pub const PACKET_LIMIT_BYTES: usize = BODY_LIMIT_BYTES + 400_000;

/// One version of the protocol, through the library's module for it.
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

    /// A client that connects when it is first asked for an event.
    ///
    /// # Errors
    /// When it can't encrypt as it shall.
    fn open(dial: &Dial) -> Result<(Self::Requests, Self), TlsFault>;

    /// The next event. After an error there is nothing more to ask for: the library would connect anew.
    fn next(&mut self) -> impl Future<Output = Result<Event, Lost>>;

    /// After an error: events that the library had read from the network and not handed over, in order.
    fn left_over(&mut self) -> Option<Event>;

    /// Asks for SUBSCRIBE.
    ///
    /// # Errors
    /// When the library does not take it.
    fn subscribe(requests: &Self::Requests, topic: &str, quality: QoS) -> Result<(), String>;

    /// Asks for PUBLISH.
    ///
    /// # Errors
    /// When the library does not take it.
    fn publish(requests: &Self::Requests, message: &Message<'_>) -> Result<(), String>;

    /// Asks for DISCONNECT, behind everything asked for before.
    ///
    /// # Errors
    /// When the library does not take it.
    fn disconnect(requests: &Self::Requests) -> Result<(), String>;
}

/// Whom to call, and as what.
#[derive(Debug, Clone)]
pub struct Dial {
    /// The broker.
    pub endpoint: SocketAddr,
    /// The client identifier.
    pub id: String,
    /// The broker shall keep the session when the connection ends.
    pub kept: bool,
    /// Messages of QoS 1 and 2 that the broker may send before the first of them is acknowledged; for MQTT 5 alone.
    pub receive_maximum: u16,
    /// As whom.
    pub login: Option<Login>,
    /// How the connection is encrypted.
    pub tls: Option<Tls>,
}

impl Dial {
    /// The endpoint's host as the library takes it. A server is told the name under which the library looks for it.
    pub fn host(&self) -> String {
        let host =
            self.tls.as_ref().map_or_else(|| self.endpoint.ip().to_string(), |tls| tls.host(self.endpoint));
        if host.contains(':') { format!("[{host}]") } else { host }
    }

    /// What the library lays its connection with; `None` for its own way, in the clear.
    ///
    /// # Errors
    /// When there is nothing to trust, or TLS is not compiled in.
    #[cfg(feature = "tls")]
    pub fn encrypted(&self) -> Result<Option<rumqttc::Transport>, TlsFault> {
        let Some(tls) = &self.tls else { return Ok(None) };
        // It would take the brackets for a part of the name.
        if self.host().starts_with('[') {
            let reason = "the client library knows no IPv6 addresses with TLS: write the server's name";
            return Err(TlsFault::Handshake(reason.into()));
        }
        let config = rumqttc::TlsConfiguration::Rustls(wiredyno_tls::config(tls, self.endpoint)?);
        Ok(Some(rumqttc::Transport::tls_with_config(config)))
    }

    /// What the library lays its connection with; `None` for its own way, in the clear.
    ///
    /// # Errors
    /// When there shall be TLS, which is not compiled in.
    #[cfg(not(feature = "tls"))]
    pub fn encrypted(&self) -> Result<Option<rumqttc::Transport>, TlsFault> {
        self.tls.as_ref().map_or(Ok(None), |_| Err(TlsFault::NotCompiled))
    }

    /// Why the library has no encrypted connection, where that is what its error says.
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

/// What a client asks of its broker beyond a connection.
#[derive(Debug, Clone, Copy)]
pub struct Wishes {
    /// Quality of service, of publishing and of subscribing.
    pub quality: QoS,
    /// The broker keeps the session.
    pub kept: bool,
    /// Messages are retained.
    pub retain: bool,
    /// The topic is written out once and has a number from then on; for MQTT 5 alone.
    pub alias: bool,
    /// As [`Dial::receive_maximum`].
    pub receive_maximum: u16,
}

/// A message to publish.
pub struct Message<'a> {
    /// Its topic; empty where an alias known to the broker stands for it.
    pub topic: &'a str,
    /// The topic's number.
    pub alias: Option<u16>,
    /// Quality of service.
    pub quality: QoS,
    /// The broker keeps it for later subscribers; an empty one removes what it keeps.
    pub retain: bool,
    /// The body.
    pub body: &'a [u8],
}

/// What a broker says of itself in CONNACK.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grants {
    /// It had kept a session of this client.
    pub session_present: bool,
    /// The highest quality of service that it serves.
    pub quality: u8,
    /// It retains messages.
    pub retain: bool,
    /// How many topics a publisher may number.
    pub aliases: u16,
    /// The largest packet that it takes, in bytes.
    pub packet_bytes: usize,
}

/// What happens on a connection, as far as it concerns a client.
#[derive(Debug)]
pub enum Event {
    /// CONNACK: accepted.
    Accepted(Grants),
    /// SUBACK: with this quality, or refused for this reason.
    Subscribed(Result<QoS, String>),
    /// A PUBLISH with this packet id, 0 at QoS 0, was flushed to the socket.
    Sent(u16),
    /// The last acknowledgement for this packet id.
    Acked(u16),
    /// The broker has not taken the message with this packet id, for this reason.
    Refused(u16, String),
    /// A message that came after the subscription. What a broker had retained before, whose PUBLISH has the RETAIN flag
    /// (3.3.1.3 of both versions), is [`Event::Other`]: HiveMQ looks for it after SUBACK, and then sends a message twice that
    /// was retained in between.
    Arrived(Bytes),
    /// DISCONNECT was flushed to the socket.
    Left,
    /// Anything else.
    Other,
}

/// Why a connection is lost.
#[derive(Debug)]
pub enum Lost {
    /// The broker refuses user name and password, or a client without them.
    Login(String),
    /// There is no encrypted connection.
    Tls(TlsFault),
    /// Anything else.
    Other(String),
}

impl Lost {
    /// What the library said.
    pub fn reason(self) -> String {
        match self {
            Lost::Login(reason) | Lost::Other(reason) => reason,
            Lost::Tls(fault) => fault.to_string(),
        }
    }
}

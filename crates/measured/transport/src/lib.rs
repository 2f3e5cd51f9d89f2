//! What a transport is: the contract between the runner and the implementations of protocols.
//!
//! A [`Transport`] is one client implementation of a protocol. It connects as a [`Publisher`] or as a
//! [`Subscriber`], and serves the broker's role where it can ([`Server`]). Every transport chooses its own threads and reports each
//! event to a sink when it happens, with a timestamp of [`clock::now_ns`]. Only the protocol's own bytes go over the wire.
//!
//! Limits: there is no reconnection. A lost connection ends the role with an error.

mod before;
pub mod clock;
mod error;
pub mod name;
pub mod socket;
pub mod tls;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use before::Before;
pub use error::{ConnectError, FinishError, SendError, ServeError};
pub use tls::Tls;
use tls::{ServerTls, TlsFault};
use wiredyno_contract::{Membership, OptionTable, TransportDescription};

/// What a client needs to connect.
#[derive(Debug, Clone)]
pub struct ClientSetup {
    /// The reliability setting, one of the description's; `None` where the protocol has just one.
    pub setting: Option<String>,
    /// The broker or relay; where the description says `Direct`, the subscriber's host.
    pub endpoint: SocketAddr,
    /// Topic, queue or resource. Protocols without topics ignore it: their relay serves one trial.
    pub topic: String,
    /// How many subscribers the topic has. Where clients find each other, a publisher waits for them; where subscribers share messages, they wait
    /// for each other.
    pub subscribers: u32,
    /// The longest time that connecting may take.
    pub limit: Duration,
    /// Values of the options that the description declares; those left out have their defaults.
    pub options: OptionTable,
    /// Seed of the protocol's random values (initial waits, ids, tokens), derived from the trial's. Roles of one trial may share it.
    pub seed: u64,
    /// User to connect as; `None` for the protocol's default, which is anonymous or a guest.
    pub login: Option<Login>,
    /// How the connection is encrypted; `None` for a plain one.
    pub tls: Option<Tls>,
    /// Where a transport records time spent on connections before the measured one.
    pub before: Before,
}

/// A user name with its password.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    /// User name; it may appear in errors.
    pub user: String,
    /// The password; it appears in no log, error or result.
    pub password: String,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("user", &self.user).finish_non_exhaustive()
    }
}

impl ClientSetup {
    /// Rejects any setting, for a protocol that has only one mode.
    ///
    /// # Errors
    /// When a setting is given.
    pub fn without_setting(&self, transport: &'static str) -> Result<(), ConnectError> {
        match &self.setting {
            None => Ok(()),
            Some(setting) => Err(ConnectError::Setting {
                transport,
                setting: setting.clone(),
                known: "none: it has only one mode".into(),
            }),
        }
    }

    /// Rejects TLS, for a protocol that has none here: what should be encrypted never goes out in the clear.
    ///
    /// # Errors
    /// When TLS is requested.
    pub fn in_the_clear(&self, transport: &'static str) -> Result<(), ConnectError> {
        let refused =
            |_: &Tls| ConnectError::Tls { transport, endpoint: self.endpoint, fault: TlsFault::Never };
        self.tls.as_ref().map_or(Ok(()), |tls| Err(refused(tls)))
    }

    /// The meaning of the setting, looked up in a protocol's settings: word, meaning, promise.
    ///
    /// # Errors
    /// When it is unknown or absent.
    pub fn setting_of<T: Copy>(
        &self,
        transport: &'static str,
        settings: &[(&str, T, &str)],
    ) -> Result<T, ConnectError> {
        let wanted = self.setting.as_deref();
        match settings.iter().find(|(word, ..)| Some(*word) == wanted) {
            Some((_, meaning, _)) => Ok(*meaning),
            None => Err(ConnectError::Setting {
                transport,
                setting: wanted.unwrap_or_default().to_owned(),
                known: settings.iter().map(|(word, ..)| *word).collect::<Vec<_>>().join(", "),
            }),
        }
    }
}

/// What a server needs to serve.
#[derive(Clone)]
pub struct ServerSetup {
    /// Where to listen; port 0 for any.
    pub bind: SocketAddr,
    /// Values of the options that the description declares; those left out have their defaults.
    pub options: OptionTable,
    /// Seed of what the protocol draws, from the trial's.
    pub seed: u64,
    /// How the server encrypts; `None` for plain connections.
    pub tls: Option<ServerTls>,
    /// Receives events of messages inside the server.
    pub sink: Arc<dyn ServedSink>,
}

impl ServerSetup {
    /// A server with default options, whose events are dropped.
    pub fn at(bind: SocketAddr) -> Self {
        ServerSetup { bind, options: OptionTable::new(), seed: 0, tls: None, sink: Arc::new(Unheard) }
    }

    /// Rejects TLS, for a protocol that has none here.
    ///
    /// # Errors
    /// When TLS is requested.
    pub fn in_the_clear(&self, transport: &'static str) -> Result<(), ServeError> {
        self.tls.as_ref().map_or(Ok(()), |_| Err(ServeError::Tls { transport, fault: TlsFault::Never }))
    }
}

/// Receives events of messages inside a server; called from any of its threads.
pub trait ServedSink: Send + Sync {
    /// A newer message replaced this one at `at_ns`, while it waited to be sent to a subscriber.
    fn superseded(&self, body: &[u8], at_ns: i64);
}

/// A sink that drops all events.
struct Unheard;

impl ServedSink for Unheard {
    fn superseded(&self, _body: &[u8], _at_ns: i64) {}
}

/// One client implementation of a protocol.
pub trait Transport: Sync {
    /// Its declared properties, with the library's real version.
    fn description(&self) -> TransportDescription;

    /// Connects as a publisher; returns when it can send.
    ///
    /// # Errors
    /// When the setting is unknown, or the endpoint does not answer within the limit.
    fn publisher(
        &self,
        setup: &ClientSetup,
        sink: Arc<dyn SentSink>,
    ) -> Result<Box<dyn Publisher>, ConnectError>;

    /// Connects as a subscriber; returns when messages sent from now on will be received.
    ///
    /// # Errors
    /// When the setting is unknown, or the endpoint does not answer within the limit.
    fn subscriber(
        &self,
        setup: &ClientSetup,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Box<dyn Subscriber>, ConnectError>;

    /// Listens at the setup's endpoint as a subscriber to which publishers connect directly; returns when they can. Only where the
    /// description says `PeerToPeer`; for `Direct` it does the same as [`Transport::subscriber`].
    ///
    /// # Errors
    /// When the protocol has no such subscribers, the setting is unknown, or the address is not available.
    fn peer(
        &self,
        _setup: &ClientSetup,
        _sink: Box<dyn ReceivedSink>,
    ) -> Result<Box<dyn Subscriber>, ConnectError> {
        Err(ConnectError::NoPeer { protocol: self.description().id.protocol })
    }

    /// Serves the broker's role; returns when the server answers.
    ///
    /// # Errors
    /// When the protocol needs a separate broker, or the address is not available.
    fn server(&self, setup: &ServerSetup) -> Result<Box<dyn Server>, ServeError>;
}

/// Receives a publisher's events; called from any thread of the transport.
pub trait SentSink: Send + Sync {
    /// The transport has taken the message: see `sent_at` of its description.
    fn sent(&self, token: u64, at_ns: i64);
    /// The protocol's acknowledgement has arrived.
    fn acked(&self, token: u64, at_ns: i64);
    /// The connection is lost: no more messages will be sent or acknowledged.
    fn broken(&self, reason: &str);
}

/// Receives a subscriber's messages; called only from the receiving thread.
pub trait ReceivedSink: Send {
    /// The client handed over a message at `received_ns`, just now.
    fn received(&mut self, body: &[u8], received_ns: i64);
    /// The connection is lost: no more messages will arrive.
    fn broken(&mut self, reason: &str);
}

/// A connected publisher; [`Publisher::finish`] disconnects it.
pub trait Publisher: Send {
    /// Hands a message over, without waiting for the network where the protocol allows that. The sink reports the token back.
    ///
    /// # Errors
    /// When the body is too large for the protocol, the client's queue is full, or the connection is lost; the message is then not
    /// sent.
    fn send(&mut self, token: u64, body: &[u8]) -> Result<(), SendError>;

    /// Like [`Publisher::send`], for a message that others follow immediately: it may be held until the next `send` or `finish`, so
    /// that one system call takes several. A transport that gains nothing from this sends it at once.
    ///
    /// # Errors
    /// Those of [`Publisher::send`].
    fn send_followed(&mut self, token: u64, body: &[u8]) -> Result<(), SendError> {
        self.send(token, body)
    }

    /// Whether the protocol acknowledges messages in this setting.
    fn acknowledges(&self) -> bool;

    /// Disconnects cleanly once all messages have left, at the latest after `grace`.
    ///
    /// # Errors
    /// When the connection was lost before, or messages could not be sent in time.
    fn finish(self: Box<Self>, grace: Duration) -> Result<(), FinishError>;
}

/// A connected subscriber; [`Subscriber::finish`] disconnects it.
pub trait Subscriber: Send {
    /// Waits until it knows which part of the messages it gets. Called when all subscribers of a role are connected, and only where they share
    /// messages, so that each may depend on how many there are ([`ClientSetup::subscribers`]); others have nothing to wait for.
    ///
    /// # Errors
    /// When that is not known by `until`, or the connection was lost.
    fn settle(&self, _until: Instant) -> Result<(), ConnectError> {
        Ok(())
    }

    /// Stops receiving, commits what is due and tells what it did as a member of a group, at the latest after `grace`; `None` where it is in
    /// none. It stays a member until [`Subscriber::finish`], so that the others of its role can tell theirs before any leaves.
    fn membership(&mut self, _grace: Duration) -> Option<Membership> {
        None
    }

    /// Disconnects cleanly, at the latest after `grace`; the sink is dropped before this returns.
    ///
    /// # Errors
    /// When the connection was lost before.
    fn finish(self: Box<Self>, grace: Duration) -> Result<(), FinishError>;
}

/// A server in the broker's role; it ends when dropped, as far as its library allows.
pub trait Server: Send {
    /// The address where it listens, with the actual port.
    fn address(&self) -> SocketAddr;

    /// The certificate that clients must trust, in PEM form, if the server made its own (valid for the address where it listens);
    /// `None` for plain connections.
    fn certificate(&self) -> Option<&str> {
        None
    }
}

//! What a transport is: the contract between the runner and the implementations of protocols.
//!
//! A [`Transport`] is one client implementation of a protocol. It connects as a [`Publisher`] or as a
//! [`Subscriber`], and serves the broker's role where it can ([`Server`]). Every transport runs on threads of
//! its own choice and reports what happens to a sink at the moment it happens, stamped with
//! [`clock::now_ns`]. Nothing goes over the wire that is not the protocol's own.
//!
//! Limits: a lost connection is never laid again; it ends the role with an error.

mod before;
pub mod clock;
mod error;
pub mod socket;
pub mod tls;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

pub use before::Before;
pub use error::{ConnectError, FinishError, SendError, ServeError};
pub use tls::Tls;
use tls::{ServerTls, TlsFault};
use wiredyno_contract::{OptionTable, TransportDescription};

/// What a client needs to connect.
#[derive(Debug, Clone)]
pub struct ClientSetup {
    /// The reliability setting, one of the description's; `None` where the protocol has just one.
    pub setting: Option<String>,
    /// The broker or relay; where the description says `Direct`, the host of the subscriber.
    pub endpoint: SocketAddr,
    /// Topic, queue or resource. Protocols without such a thing ignore it: their relay serves one trial.
    pub topic: String,
    /// How many subscribers the topic has: a publisher of a protocol whose clients find each other waits for them.
    pub subscribers: u32,
    /// The longest that connecting may take.
    pub limit: Duration,
    /// Values of the options that the description declares; those left out have their defaults.
    pub options: OptionTable,
    /// Seed of what the protocol draws (first waits, ids, tokens), from the trial's; roles of one trial may share it.
    pub seed: u64,
    /// As whom to connect; `None` for the protocol's own default, which is nobody or a guest.
    pub login: Option<Login>,
    /// How the connection is encrypted; `None` for one in the clear.
    pub tls: Option<Tls>,
    /// Told by a transport that connects before the connection that counts.
    pub before: Before,
}

/// A user and the word that proves it.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    /// The user's name.
    pub user: String,
    /// The password; it stands in no log, no error and no result.
    pub password: String,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("user", &self.user).finish_non_exhaustive()
    }
}

impl ClientSetup {
    /// Refuses a setting, for a protocol that has just one mode.
    ///
    /// # Errors
    /// When there is one.
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

    /// Refuses TLS, for a protocol that has none here: nothing that shall be encrypted goes out in the clear.
    ///
    /// # Errors
    /// When it is asked for.
    pub fn in_the_clear(&self, transport: &'static str) -> Result<(), ConnectError> {
        let refused =
            |_: &Tls| ConnectError::Tls { transport, endpoint: self.endpoint, fault: TlsFault::Never };
        self.tls.as_ref().map_or(Ok(()), |tls| Err(refused(tls)))
    }

    /// What the setting means, of a protocol whose settings are these: word, meaning, promise.
    ///
    /// # Errors
    /// When it is none of them, or absent.
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
    /// With what it encrypts; `None` for connections in the clear.
    pub tls: Option<ServerTls>,
    /// Hears what becomes of messages in the server.
    pub sink: Arc<dyn ServedSink>,
}

impl ServerSetup {
    /// A server with all options at their defaults, of which nothing is heard.
    pub fn at(bind: SocketAddr) -> Self {
        ServerSetup { bind, options: OptionTable::new(), seed: 0, tls: None, sink: Arc::new(Unheard) }
    }

    /// Refuses to encrypt, for a protocol that can't here.
    ///
    /// # Errors
    /// When it is asked for.
    pub fn in_the_clear(&self, transport: &'static str) -> Result<(), ServeError> {
        self.tls.as_ref().map_or(Ok(()), |_| Err(ServeError::Tls { transport, fault: TlsFault::Never }))
    }
}

/// Hears what becomes of messages in a server; called from any thread of it.
pub trait ServedSink: Send + Sync {
    /// A subscriber will not get this message, because a newer one took its place at `at_ns` while it waited.
    fn superseded(&self, body: &[u8], at_ns: i64);
}

/// A sink for those who don't want to hear.
struct Unheard;

impl ServedSink for Unheard {
    fn superseded(&self, _body: &[u8], _at_ns: i64) {}
}

/// One client implementation of a protocol.
pub trait Transport: Sync {
    /// What it is, with the library's real version.
    fn description(&self) -> TransportDescription;

    /// Connects as a publisher; returns when messages can be sent.
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

    /// Listens at the setup's endpoint as a subscriber to whom publishers connect themselves; returns when they can. Only where
    /// the description says `PeerToPeer`. Where it says `Direct`, it is what [`Transport::subscriber`] does.
    ///
    /// # Errors
    /// When the protocol has no such subscribers, the setting is unknown, or the address can't be taken.
    fn peer(
        &self,
        _setup: &ClientSetup,
        _sink: Box<dyn ReceivedSink>,
    ) -> Result<Box<dyn Subscriber>, ConnectError> {
        Err(ConnectError::NoPeer { protocol: self.description().id.protocol })
    }

    /// Serves the broker's role; returns when it answers.
    ///
    /// # Errors
    /// When the protocol needs a broker, which is a program of its own, or the address can't be taken.
    fn server(&self, setup: &ServerSetup) -> Result<Box<dyn Server>, ServeError>;
}

/// Hears what becomes of messages; called from any thread of the transport.
pub trait SentSink: Send + Sync {
    /// The transport has taken the message: see `sent_at` of its description.
    fn sent(&self, token: u64, at_ns: i64);
    /// The protocol's acknowledgement has arrived.
    fn acked(&self, token: u64, at_ns: i64);
    /// The connection is lost: nothing more will be sent or acknowledged.
    fn broken(&self, reason: &str);
}

/// Hears what arrives; called from the receiving thread alone.
pub trait ReceivedSink: Send {
    /// The client handed over a message at `received_ns`, just now.
    fn received(&mut self, body: &[u8], received_ns: i64);
    /// The connection is lost: nothing more will arrive.
    fn broken(&mut self, reason: &str);
}

/// A connected publisher.
pub trait Publisher: Send {
    /// Hands a message over, without waiting for the network where the protocol allows that. The token comes
    /// back through the sink.
    ///
    /// # Errors
    /// When the body is too large for the protocol, or the connection is lost; the message is not sent then.
    fn send(&mut self, token: u64, body: &[u8]) -> Result<(), SendError>;

    /// As [`Publisher::send`], of a message that others follow at once: it may be held until the next `send` or `finish`, so that one
    /// call of the system takes several. A transport that gains nothing by that sends it.
    ///
    /// # Errors
    /// As there.
    fn send_followed(&mut self, token: u64, body: &[u8]) -> Result<(), SendError> {
        self.send(token, body)
    }

    /// Whether the protocol acknowledges messages in this setting.
    fn acknowledges(&self) -> bool;

    /// Disconnects in good order, after what was handed over has left; latest after `grace`.
    ///
    /// # Errors
    /// When the connection was lost before, or messages were left over.
    fn finish(self: Box<Self>, grace: Duration) -> Result<(), FinishError>;
}

/// A connected subscriber.
pub trait Subscriber: Send {
    /// Disconnects in good order, latest after `grace`; the sink is dropped before this returns.
    ///
    /// # Errors
    /// When the connection was lost before.
    fn finish(self: Box<Self>, grace: Duration) -> Result<(), FinishError>;
}

/// A server in the broker's role; it ends when dropped, as far as its library can.
pub trait Server: Send {
    /// Where it listens.
    fn address(&self) -> SocketAddr;

    /// The certificate that clients have to trust, in PEM form, of a server that made itself one: it is for the address where it
    /// listens. `None` where connections are in the clear.
    fn certificate(&self) -> Option<&str> {
        None
    }
}

//! Errors, one enum per operation.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use wiredyno_contract::OptionError;

use crate::tls::TlsFault;

/// Why a client could not connect.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The setting is not one of the transport's.
    #[error("{transport} has no setting `{setting}`: choose {known}")]
    Setting {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
        /// As requested; empty for none.
        setting: String,
        /// The settings that the transport has, as text.
        known: String,
    },
    /// An option has a value that can't be used.
    #[error("{transport}: {source}")]
    Option {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
        /// Which option, and what to write instead.
        source: OptionError,
    },
    /// The endpoint refused or can't be reached.
    #[error(
        "{transport} can't connect to {endpoint}: {reason}; is the broker or relay running at that address?"
    )]
    Unreachable {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
        /// The broker, relay or peer.
        endpoint: SocketAddr,
        /// What the system or the library said.
        reason: String,
    },
    /// The endpoint did not answer in time.
    #[error(
        "{transport} had no answer from {endpoint} within {limit:?}: is the broker or relay running, and does the link carry packets?"
    )]
    Silent {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
        /// The broker, relay or peer.
        endpoint: SocketAddr,
        /// How long the client waited.
        limit: Duration,
    },
    /// A publisher that looks for subscribers itself found too few in time.
    #[error(
        "{transport} found {found} of {wanted} subscribers of `{topic}` from {address} within {limit:?}: are they running in the \
         same domain, and does the network between them carry multicast?"
    )]
    Unmatched {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
        /// The topic whose subscribers were missing.
        topic: String,
        /// The local address from which the publisher looked.
        address: IpAddr,
        /// How many it found in time.
        found: u32,
        /// How many the setup asks for.
        wanted: u32,
        /// How long the publisher looked.
        limit: Duration,
    },
    /// The broker rejects this user.
    #[error(
        "{transport}: {endpoint} refused the login of `{user}`: {reason}; check user, password and the user's permissions"
    )]
    Login {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
        /// The broker's address and port.
        endpoint: SocketAddr,
        /// The user's name; empty if the client gave none.
        user: String,
        /// The broker's own explanation, or its code.
        reason: String,
    },
    /// The encrypted connection failed or can't be trusted, or the server unexpectedly speaks TLS.
    #[error("{transport} has no connection to {endpoint}: {fault}")]
    Tls {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
        /// The broker's address and port.
        endpoint: SocketAddr,
        /// Why there is no encrypted connection.
        fault: TlsFault,
    },
    /// The broker answered, but did not grant the subscription.
    #[error("{transport}: {endpoint} did not grant the subscription to `{topic}`: {reason}")]
    NotGranted {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
        /// The broker's address and port.
        endpoint: SocketAddr,
        /// The topic of the subscription.
        topic: String,
        /// What the broker said, or what it granted instead.
        reason: String,
    },
    /// The broker answered, but lacks something that the options or the setting require.
    #[error(
        "{transport}: {endpoint} can't serve this: {reason}; leave the option out, or use another broker"
    )]
    Unfit {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
        /// The broker's address and port.
        endpoint: SocketAddr,
        /// What the broker lacks, as text.
        reason: String,
    },
    /// The protocol has no subscribers that publishers connect to.
    #[error("a subscriber of {protocol} can't listen itself: name a broker instead of `peer`")]
    NoPeer {
        /// Name of the protocol, such as `mqtt`.
        protocol: String,
    },
    /// This machine refused a thread or a socket.
    #[error(
        "{transport} can't start a client: {source}; check the limits on threads and open files (ulimit -a)"
    )]
    Local {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
        /// The error that the operating system reported.
        source: io::Error,
    },
}

impl ConnectError {
    /// The transport's id; empty where the error concerns a protocol as a whole.
    pub fn transport(&self) -> &'static str {
        match self {
            ConnectError::Setting { transport, .. }
            | ConnectError::Option { transport, .. }
            | ConnectError::Unreachable { transport, .. }
            | ConnectError::Silent { transport, .. }
            | ConnectError::Unmatched { transport, .. }
            | ConnectError::Login { transport, .. }
            | ConnectError::Tls { transport, .. }
            | ConnectError::NotGranted { transport, .. }
            | ConnectError::Unfit { transport, .. }
            | ConnectError::Local { transport, .. } => transport,
            ConnectError::NoPeer { .. } => "",
        }
    }
}

/// Why a message was not sent.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The body is larger than the protocol carries.
    #[error(
        "{transport} carries bodies up to {limit_bytes} bytes, this one has {body_bytes}: use a smaller payload or another protocol"
    )]
    TooLarge {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
        /// The body's length, in bytes.
        body_bytes: usize,
        /// The largest body it carries, in bytes.
        limit_bytes: usize,
    },
    /// The client's own queue is full.
    #[error(
        "{transport} has {limit} waiting and accepts no more: the link or the broker is slower than the load"
    )]
    Full {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
        /// How much may wait, as text.
        limit: String,
    },
    /// The connection was lost; the message is not sent.
    #[error("{transport} lost its connection: {reason}")]
    Broken {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
        /// What the system or the library said.
        reason: String,
    },
}

/// Why a client did not disconnect cleanly.
#[derive(Debug, thiserror::Error)]
pub enum FinishError {
    /// The connection was lost before the end.
    #[error("{transport} lost its connection: {reason}")]
    Broken {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
        /// What the system or the library said.
        reason: String,
    },
    /// Messages were still waiting to be sent.
    #[error(
        "{transport} could not disconnect cleanly within {grace:?}: {reason}; the link or the broker is slower than the load"
    )]
    Unfinished {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
        /// How long the client waited for them.
        grace: Duration,
        /// What was still waiting, as text.
        reason: String,
    },
    /// The broker rejected some messages: they count as unacknowledged.
    #[error("{transport}: the broker refused {messages} messages, the first with {reason}")]
    Refused {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
        /// How many messages were rejected.
        messages: u64,
        /// What the broker said about the first.
        reason: String,
    },
    /// Something remains at the broker.
    #[error("{transport} could not remove {what} from the broker: {reason}; later trials may find it there")]
    Left {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
        /// What remains, such as a topic.
        what: String,
        /// Why it could not be removed.
        reason: String,
    },
}

/// Why a server could not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// An option has a value that can't be used.
    #[error("{transport}: {source}")]
    Option {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
        /// Which option, and what to write instead.
        source: OptionError,
    },
    /// The server can't encrypt as requested.
    #[error("{transport} can't serve: {fault}")]
    Tls {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
        /// Why encryption is not possible.
        fault: TlsFault,
    },
    /// The address is not available.
    #[error("{transport} can't listen at {address}: {source}; choose another port, or 0 for any")]
    Bind {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
        /// The address that was requested.
        address: SocketAddr,
        /// The error that the operating system reported.
        source: io::Error,
    },
    /// There is no server: clients find each other.
    #[error("{transport} has no server: its publishers and subscribers find each other")]
    Direct {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
    },
    /// There is no server: the protocol needs a broker.
    #[error("{transport} has no server of its own: {remedy}")]
    NeedsBroker {
        /// Its id, such as `mqtt/rumqttc`.
        transport: &'static str,
        /// Which broker to use, and how to get it.
        remedy: &'static str,
    },
}

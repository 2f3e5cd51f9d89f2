//! What can go wrong, one enum per operation.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use wiredyno_contract::OptionError;

use crate::tls::TlsFault;

/// Why a client is not connected.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The setting is not one of the transport's.
    #[error("{transport} has no setting `{setting}`: choose {known}")]
    Setting {
        /// The transport.
        transport: &'static str,
        /// As asked for; empty for none.
        setting: String,
        /// The settings it has, in words.
        known: String,
    },
    /// An option can't be taken as given.
    #[error("{transport}: {source}")]
    Option {
        /// The transport.
        transport: &'static str,
        /// Which, and what to write.
        source: OptionError,
    },
    /// The endpoint refused or can't be reached.
    #[error(
        "{transport} can't connect to {endpoint}: {reason}; is the broker or relay running at that address?"
    )]
    Unreachable {
        /// The transport.
        transport: &'static str,
        /// Where to.
        endpoint: SocketAddr,
        /// What the system or the library said.
        reason: String,
    },
    /// The endpoint did not answer in time.
    #[error(
        "{transport} had no answer from {endpoint} within {limit:?}: is the broker or relay running, and does the link carry packets?"
    )]
    Silent {
        /// The transport.
        transport: &'static str,
        /// Where to.
        endpoint: SocketAddr,
        /// How long it waited.
        limit: Duration,
    },
    /// Too few subscribers were found in time, by a publisher that looks for them itself.
    #[error(
        "{transport} found {found} of {wanted} subscribers of `{topic}` from {address} within {limit:?}: are they running in the \
         same domain, and does the network between them carry multicast?"
    )]
    Unmatched {
        /// The transport.
        transport: &'static str,
        /// The topic.
        topic: String,
        /// The own address, from which was looked.
        address: IpAddr,
        /// How many were found.
        found: u32,
        /// How many there should be.
        wanted: u32,
        /// How long it looked.
        limit: Duration,
    },
    /// The broker does not let this user in.
    #[error(
        "{transport}: {endpoint} refused the login of `{user}`: {reason}; check user, password and the user's permissions"
    )]
    Login {
        /// The transport.
        transport: &'static str,
        /// The broker.
        endpoint: SocketAddr,
        /// The user's name; empty for a client that gave none.
        user: String,
        /// What it said.
        reason: String,
    },
    /// No encrypted connection that can be trusted, or an unexpected one.
    #[error("{transport} has no connection to {endpoint}: {fault}")]
    Tls {
        /// The transport.
        transport: &'static str,
        /// The broker.
        endpoint: SocketAddr,
        /// What is wrong.
        fault: TlsFault,
    },
    /// The broker answered, but granted something else.
    #[error("{transport}: {endpoint} did not grant the subscription to `{topic}`: {reason}")]
    NotGranted {
        /// The transport.
        transport: &'static str,
        /// The broker.
        endpoint: SocketAddr,
        /// The topic.
        topic: String,
        /// What it said.
        reason: String,
    },
    /// The broker answered, and does not have what the options or the setting ask for.
    #[error(
        "{transport}: {endpoint} can't serve this: {reason}; leave the option out, or use another broker"
    )]
    Unfit {
        /// The transport.
        transport: &'static str,
        /// The broker.
        endpoint: SocketAddr,
        /// What it lacks.
        reason: String,
    },
    /// Publishers can't connect to a subscriber of this protocol.
    #[error("a subscriber of {protocol} can't listen itself: name a broker instead of `peer`")]
    NoPeer {
        /// The protocol.
        protocol: String,
    },
    /// This machine refused a thread or a socket.
    #[error(
        "{transport} can't start a client: {source}; check the limits on threads and open files (ulimit -a)"
    )]
    Local {
        /// The transport.
        transport: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

impl ConnectError {
    /// The transport that it is of; empty where it is of a protocol.
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

/// Why a message was not handed over.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The body is larger than the protocol carries.
    #[error(
        "{transport} carries bodies up to {limit_bytes} bytes, this one has {body_bytes}: use a smaller payload or another protocol"
    )]
    TooLarge {
        /// The transport.
        transport: &'static str,
        /// The body's length.
        body_bytes: usize,
        /// The most it carries.
        limit_bytes: usize,
    },
    /// The client's own queue holds all that it may.
    #[error(
        "{transport} has {limit} waiting and accepts no more: the link or the broker is slower than the load"
    )]
    Full {
        /// The transport.
        transport: &'static str,
        /// How much may wait, in words.
        limit: String,
    },
    /// The connection is lost.
    #[error("{transport} lost its connection: {reason}")]
    Broken {
        /// The transport.
        transport: &'static str,
        /// What the system or the library said.
        reason: String,
    },
}

/// Why a client did not end in good order.
#[derive(Debug, thiserror::Error)]
pub enum FinishError {
    /// The connection was lost before.
    #[error("{transport} lost its connection: {reason}")]
    Broken {
        /// The transport.
        transport: &'static str,
        /// What the system or the library said.
        reason: String,
    },
    /// Messages were still waiting to leave.
    #[error(
        "{transport} could not disconnect cleanly within {grace:?}: {reason}; the link or the broker is slower than the load"
    )]
    Unfinished {
        /// The transport.
        transport: &'static str,
        /// How long it waited.
        grace: Duration,
        /// What was left.
        reason: String,
    },
    /// The broker has not taken some messages: they are among those without an acknowledgement.
    #[error("{transport} was refused {messages} messages, the first with {reason}")]
    Refused {
        /// The transport.
        transport: &'static str,
        /// How many.
        messages: u64,
        /// What the broker said to the first.
        reason: String,
    },
    /// Something stays behind at the broker.
    #[error("{transport} could not remove {what} from the broker: {reason}; later trials may find it there")]
    Left {
        /// The transport.
        transport: &'static str,
        /// What.
        what: String,
        /// Why it could not be removed.
        reason: String,
    },
}

/// Why a server does not serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// An option can't be taken as given.
    #[error("{transport}: {source}")]
    Option {
        /// The transport.
        transport: &'static str,
        /// Which, and what to write.
        source: OptionError,
    },
    /// It can't encrypt as it shall.
    #[error("{transport} can't serve: {fault}")]
    Tls {
        /// The transport.
        transport: &'static str,
        /// What is wrong.
        fault: TlsFault,
    },
    /// The address can't be taken.
    #[error("{transport} can't listen at {address}: {source}; choose another port, or 0 for any")]
    Bind {
        /// The transport.
        transport: &'static str,
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// It has no server: clients find each other.
    #[error("{transport} has no server: its publishers and subscribers find each other")]
    Direct {
        /// The transport.
        transport: &'static str,
    },
    /// It has no server: the protocol needs a broker.
    #[error("{transport} has no server of its own: {remedy}")]
    NeedsBroker {
        /// The transport.
        transport: &'static str,
        /// Which broker serves, and how it is had.
        remedy: &'static str,
    },
}

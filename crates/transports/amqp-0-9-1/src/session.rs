//! A connection and a channel, opened within a time limit and closed cleanly; translates the library's errors.

use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::{Stream as Items, StreamExt};
use lapin::protocol::constants::REPLY_SUCCESS;
use lapin::uri::{AMQPAuthority, AMQPQueryString, AMQPScheme, AMQPUri, AMQPUserInfo};
use lapin::{AsyncTcpStream, Channel, Connection, ConnectionProperties, Error, ErrorKind, Event};
use tokio::runtime::Handle;

use crate::NAME;
use crate::kit;
use crate::stream::{Leash, Stage, Stream, Watch};
use wiredyno_transport::{ClientSetup, ConnectError, Login};

/// User without a login: the one that a new RabbitMQ has.
const GUEST: &str = "guest";

/// Reply codes for a user who is rejected, or not allowed here: access-refused and not-allowed (AMQP 0-9-1, section 4.8.2; the
/// numbers are in the protocol's XML).
const REFUSALS: [u16; 2] = [403, 530];

/// How long the library may take to report why it has dropped a stream.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// Reply code for a missing object: not-found.
pub const NOT_FOUND: u16 = 404;

/// A connection with one channel for everything that a role does.
pub struct Session {
    connection: Connection,
    /// The channel of all the role's work.
    pub channel: Channel,
    events: Mutex<Pin<Box<dyn Items<Item = Event> + Send>>>,
    blocked: Arc<Mutex<Option<String>>>,
    leash: Leash,
}

impl Session {
    /// Connects, logs in and opens a channel. `leash` gets access to the stream as soon as it exists.
    pub async fn open(
        setup: &ClientSetup,
        watch: Option<Box<dyn Watch>>,
        leash: &Leash,
        blocked: Arc<Mutex<Option<String>>>,
    ) -> Result<Session, ConnectError> {
        let login = login(setup);
        let unreachable = |error: io::Error| unreachable(setup, error.to_string());
        let socket = wiredyno_tls::connect(NAME, setup).await?;
        let stream = Stream::over(socket, watch, leash.clone()).map_err(unreachable)?;
        // Requested once: the library never reconnects, as recovery is off.
        let stream = Mutex::new(Some(stream));
        let connect = async move |_, _| {
            let stream = stream.lock().unwrap_or_else(PoisonError::into_inner).take();
            let stream = stream.ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected))?;
            Ok(AsyncTcpStream::Plain(stream))
        };
        let runtime = kit::runtime(Handle::current());
        let properties = ConnectionProperties::default().with_connection_name(setup.topic.as_str().into());
        let connector = Connection::connector(uri(setup, &login), runtime, connect, properties);
        let connection = within(connector, leash).await;
        let connection = connection.map_err(|error| not_let_in(setup, &login, leash, &error))?;
        let events = Mutex::new(connection.events_listener().boxed() as Pin<Box<_>>);
        let failed = |error| self::unreachable(setup, reason(leash, &error));
        let channel = connection.create_channel().await.map_err(failed)?;
        Ok(Session { connection, channel, events, blocked, leash: leash.clone() })
    }

    /// Another channel, for attempts that may close their channel.
    pub async fn other_channel(&self) -> Result<Channel, String> {
        self.connection.create_channel().await.map_err(|error| self.reason(&error))
    }

    /// Waits until the connection or a channel is lost; returns why.
    pub async fn lost(&self) -> String {
        loop {
            let event = std::future::poll_fn(|cx| {
                self.events.lock().unwrap_or_else(PoisonError::into_inner).poll_next_unpin(cx)
            });
            let blocked = match event.await {
                Some(Event::Error(error)) => return self.reason(&error),
                None => return "the library has ended".into(),
                Some(Event::ConnectionBlocked(reason)) => Some(reason),
                Some(Event::ConnectionUnblocked) => None,
                Some(_) => continue,
            };
            *self.blocked.lock().unwrap_or_else(PoisonError::into_inner) = blocked;
        }
    }

    /// An error as text; if the connection was lost, with the operating system's error.
    pub fn reason(&self, error: &Error) -> String {
        reason(&self.leash, error)
    }

    /// Closes channel and connection, after the broker has handled everything sent before.
    pub async fn close(self) -> Result<(), String> {
        let close = async {
            self.channel.close(REPLY_SUCCESS, "OK".into()).await?;
            self.connection.close(REPLY_SUCCESS, "OK".into()).await
        };
        close.await.map_err(|error| self.reason(&error))
    }
}

/// Waits for a connection as long as its stream exists: lapin 4.12 reports nothing when the broker closes it between
/// connection.start and the library's answer.
async fn within(
    connector: impl Future<Output = Result<Connection, Error>>,
    leash: &Leash,
) -> Result<Connection, Error> {
    let mut connector = pin!(connector);
    tokio::select! {
        biased;
        connected = &mut connector => return connected,
        () = leash.closed() => {}
    }
    let lost = || Err(io::Error::from(io::ErrorKind::ConnectionAborted).into());
    tokio::time::timeout(LAST_WORDS, connector).await.unwrap_or_else(|_| lost())
}

/// The broker's reply code in an error, if the broker refused.
pub fn reply_code(error: &Error) -> Option<u16> {
    match error.kind() {
        ErrorKind::ProtocolError(error) => Some(error.get_id()),
        _ => None,
    }
}

/// The error for an endpoint where nothing listens, or not the expected protocol.
pub fn unreachable(setup: &ClientSetup, reason: String) -> ConnectError {
    ConnectError::Unreachable { transport: NAME, endpoint: setup.endpoint, reason }
}

fn reason(leash: &Leash, error: &Error) -> String {
    match error.kind() {
        ErrorKind::ProtocolError(error) => {
            format!("the broker said {}: {}", error.get_id(), error.get_message())
        }
        ErrorKind::IOError(io) => leash.loss().unwrap_or_else(|| io.to_string()),
        ErrorKind::InvalidConnectionState(_) | ErrorKind::InvalidChannelState(..) => {
            leash.loss().unwrap_or_else(|| error.to_string())
        }
        _ => error.to_string(),
    }
}

/// Why there is no connection: some brokers say why they refuse a login, others just close (AMQP 0-9-1, section 2.2.4).
fn not_let_in(setup: &ClientSetup, login: &Login, leash: &Leash, error: &Error) -> ConnectError {
    let reason = reason(leash, error);
    let refused = reply_code(error).is_some_and(|code| REFUSALS.contains(&code));
    let closed = leash.stage() == Stage::Greeted && leash.loss().is_some();
    if refused || closed {
        let (endpoint, user) = (setup.endpoint, login.user.clone());
        return ConnectError::Login { transport: NAME, endpoint, user, reason };
    }
    unreachable(setup, reason)
}

fn login(setup: &ClientSetup) -> Login {
    let guest = || Login { user: GUEST.into(), password: GUEST.into() };
    setup.login.clone().unwrap_or_else(guest)
}

/// Endpoint and login in the library's form. No heartbeats of ours, unless the broker asks for them in connection.tune.
fn uri(setup: &ClientSetup, login: &Login) -> AMQPUri {
    AMQPUri {
        scheme: AMQPScheme::AMQP,
        authority: AMQPAuthority {
            userinfo: AMQPUserInfo { username: login.user.clone(), password: login.password.clone() },
            host: setup.endpoint.ip().to_string(),
            port: setup.endpoint.port(),
        },
        vhost: "/".into(),
        query: AMQPQueryString { heartbeat: Some(0), ..AMQPQueryString::default() },
    }
}

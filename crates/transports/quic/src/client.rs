//! A client's connection: connecting, greeting, and the errors.

use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use quinn::{
    ClientConfig, Connecting, Connection, ConnectionError, Endpoint, RecvStream, SendStream,
    TransportErrorCode, VarInt,
};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use wiredyno_transport::socket::any_port_towards;
use wiredyno_transport::tls::TlsFault;
use wiredyno_transport::{ClientSetup, ConnectError, Tls};

use crate::declared::Options;
use crate::{Form, NAME, config};

/// The code of a cleanly closed connection.
pub const DONE: VarInt = VarInt::from_u32(0);

/// How long a closing connection is waited for, so that the packet that says so can leave.
const CLOSING: Duration = Duration::from_millis(200);

/// Most connections made to get a session: a ticket may be lost.
const ATTEMPTS: u32 = 5;

/// A connection that is established and greeted.
pub struct Link {
    pub endpoint: Endpoint,
    pub connection: Connection,
    /// The stream of the greeting: it ends when both sides have sent everything.
    pub ours: SendStream,
    pub theirs: RecvStream,
    /// Whether the relay's answer to the greeting has not been read yet.
    pub unanswered: bool,
}

/// Everything that a client needs, so that it can run on its own thread.
pub struct Terms {
    setup: ClientSetup,
    tls: Tls,
    options: Options,
    config: ClientConfig,
    role: u8,
    form: Form,
}

impl Terms {
    pub fn new(setup: &ClientSetup, options: Options, role: u8, form: Form) -> Result<Self, ConnectError> {
        let refused = |fault| ConnectError::Tls { transport: NAME, endpoint: setup.endpoint, fault };
        let untold =
            || TlsFault::Certificate("QUIC always encrypts, but no trusted authority was named".into());
        let tls = setup.tls.clone().ok_or_else(untold).map_err(refused)?;
        let config = config::client(&options, &tls, setup.endpoint).map_err(refused)?;
        Ok(Terms { setup: setup.clone(), tls, options, config, role, form })
    }

    /// Connects and greets, within the limit.
    pub async fn connect(&self) -> Result<Link, ConnectError> {
        let role = char::from(self.role).to_string();
        let endpoint = config::endpoint(any_port_towards(self.setup.endpoint), None, &role, self.setup.seed)
            .map_err(|source| ConnectError::Local { transport: NAME, source })?;
        let laid = timeout(self.setup.limit, async {
            match self.options.zero_rtt {
                true => self.come_back(&endpoint).await,
                false => self.greeted(self.connecting(&endpoint)?.await, false).await,
            }
        });
        let (connection, ours, theirs, unanswered) = laid.await.unwrap_or_else(|_| {
            let Self { setup: ClientSetup { endpoint, limit, .. }, .. } = self;
            Err(ConnectError::Silent { transport: NAME, endpoint: *endpoint, limit: *limit })
        })?;
        Ok(Link { endpoint, connection, ours, theirs, unanswered })
    }

    fn connecting(&self, endpoint: &Endpoint) -> Result<Connecting, ConnectError> {
        let connecting =
            endpoint.connect_with(self.config.clone(), self.setup.endpoint, &self.tls.server_name);
        connecting.map_err(|error| self.unreachable(error.to_string()))
    }

    /// The error for an endpoint that can't be connected to, for this reason.
    pub fn unreachable(&self, reason: String) -> ConnectError {
        ConnectError::Unreachable { transport: NAME, endpoint: self.setup.endpoint, reason }
    }

    /// Connects until there is a session to resume, then reconnects with data in the first packet.
    async fn come_back(&self, endpoint: &Endpoint) -> Result<Greeted, ConnectError> {
        let begun = Instant::now();
        let mut connecting = self.connecting(endpoint)?;
        for _ in 0..ATTEMPTS {
            let (connection, mut ours, mut theirs, _) = self.greeted(connecting.await, false).await?;
            // The relay's last data comes after its tickets.
            let _ = ours.finish();
            let _ = theirs.read_to_end(1).await;
            connection.close(DONE, b"");
            self.setup.before.note(u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX));
            connecting = match self.connecting(endpoint)?.into_0rtt() {
                Ok((connection, accepted)) => {
                    // A publisher's messages need no prior answer.
                    let at_once = self.role == wiredyno_transport::socket::PUBLISHER;
                    let guarded = connection.clone();
                    tokio::spawn(async move {
                        if !accepted.await {
                            guarded.close(VarInt::from_u32(1), b"early data was refused");
                        }
                    });
                    return self.greeted(Ok(connection), at_once).await;
                }
                // The ticket was lost on the way: the connection just begun brings another.
                Err(connecting) => connecting,
            };
        }
        let reason = "its tickets do not allow early data; start it with the option zero_rtt too".into();
        Err(ConnectError::Unfit { transport: NAME, endpoint: self.setup.endpoint, reason })
    }

    /// Sends the client's role and topic; waits for the answer unless `at_once`.
    async fn greeted(
        &self,
        laid: Result<Connection, ConnectionError>,
        at_once: bool,
    ) -> Result<Greeted, ConnectError> {
        let connection = laid.map_err(|error| self.refused(&error))?;
        let lost = |reason: String| match connection.close_reason() {
            Some(error) => self.refused(&error),
            None => self.unreachable(reason),
        };
        let (mut ours, mut theirs) = connection.open_bi().await.map_err(|error| self.refused(&error))?;
        let topic = self.setup.topic.as_bytes();
        let length = u16::try_from(topic.len())
            .map_err(|_| self.unreachable("its topics have 65,535 bytes at most".into()))?;
        let greeting = [&[self.role, self.form.byte()], &length.to_be_bytes()[..], topic].concat();
        ours.write_all(&greeting).await.map_err(|error| lost(error.to_string()))?;
        if !at_once {
            self.answered(&mut theirs).await.map_err(lost)?;
        }
        Ok((connection, ours, theirs, at_once))
    }

    async fn answered(&self, theirs: &mut RecvStream) -> Result<(), String> {
        let mut answer = [0];
        theirs.read_exact(&mut answer).await.map_err(|error| error.to_string())?;
        match answer[0] == self.role {
            true => Ok(()),
            false => Err(format!(
                "it answered the greeting with {:#04x}, so it is not a Wiredyno relay",
                answer[0]
            )),
        }
    }

    /// The error for a connection that was not established.
    fn refused(&self, error: &ConnectionError) -> ConnectError {
        let endpoint = self.setup.endpoint;
        let fault = |fault| ConnectError::Tls { transport: NAME, endpoint, fault };
        match error {
            ConnectionError::TimedOut => {
                ConnectError::Silent { transport: NAME, endpoint, limit: self.setup.limit }
            }
            ConnectionError::TransportError(error) if is_of_tls(error.code) => {
                fault(of_tls(error.code, &error.reason))
            }
            ConnectionError::ConnectionClosed(close) if is_of_tls(close.error_code) => {
                fault(TlsFault::Handshake(format!("the server aborted it: {close}")))
            }
            other => self.unreachable(other.to_string()),
        }
    }
}

type Greeted = (Connection, SendStream, RecvStream, bool);

/// The codes of TLS alerts (RFC 9000, section 20.1: CRYPTO_ERROR).
const CRYPTO_ERRORS: std::ops::Range<u64> = 0x100..0x200;

fn is_of_tls(code: TransportErrorCode) -> bool {
    CRYPTO_ERRORS.contains(&u64::from(code))
}

/// What our side found wrong with a certificate, by the alert that it sent (RFC 8446, section 6.2).
fn of_tls(code: TransportErrorCode, reason: &str) -> TlsFault {
    match u64::from(code) - CRYPTO_ERRORS.start {
        45 => TlsFault::Expired(String::new()),
        48 => TlsFault::UnknownAuthority,
        42..=46 => TlsFault::Certificate(reason.to_owned()),
        _ => TlsFault::Handshake(reason.to_owned()),
    }
}

/// Closes a connection and gives the packet that says so time to leave.
pub async fn close(endpoint: &Endpoint, connection: &Connection, within: Duration) {
    connection.close(DONE, b"");
    let _ = timeout(within.min(CLOSING), endpoint.wait_idle()).await;
}

/// Runs all of a client on its own thread.
pub fn on_own_thread<T: Send + 'static>(
    name: &str,
    work: impl FnOnce(Runtime) -> T + Send + 'static,
) -> std::io::Result<JoinHandle<T>> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    std::thread::Builder::new().name(name.into()).spawn(move || work(runtime))
}

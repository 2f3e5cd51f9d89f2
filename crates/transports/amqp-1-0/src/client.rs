//! One connection with its session, and the thread it runs on.

use std::future::Future;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use fe2o3_amqp::connection::{self, ConnectionHandle, OpenError};
use fe2o3_amqp::sasl_profile::SaslProfile;
use fe2o3_amqp::session::SessionHandle;
use fe2o3_amqp::{Connection, Session};
use tokio::sync::Notify;

use crate::greeting::Stage;
use crate::stream::{Loss, Stream, Written};
use crate::{MAX_FRAME_BYTES, NAME};
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, name};

/// Login if none is given: the user that AMQP brokers have from the start.
pub const GUEST: (&str, &str) = ("guest", "guest");

/// A client's part: publishing or subscribing.
pub trait Role: Send + 'static {
    /// The connection with the attached links.
    type Link;

    /// Part of the thread's name.
    const NAME: &'static str;

    /// Connects, and attaches the role's link.
    fn attach(&mut self) -> impl Future<Output = Result<Self::Link, ConnectError>>;

    /// Works until everything is done, or the connection is lost; the error is the reason.
    fn serve(&mut self, link: &mut Self::Link) -> impl Future<Output = Result<(), String>>;

    /// Detaches and closes cleanly; the error is the reason if sent messages may not have arrived.
    fn close(&mut self, link: Self::Link) -> impl Future<Output = Result<(), String>>;

    /// Reports that the connection is lost.
    fn broken(&mut self, reason: &str);
}

/// A client's thread, with its runtime.
pub struct Client {
    abandon: Arc<Notify>,
    /// How the thread ended, once it has: with the reason if the connection was lost.
    ended: Receiver<Option<String>>,
    thread: Option<JoinHandle<()>>,
}

impl Client {
    /// Starts the thread; returns when the role is attached.
    pub fn start<R: Role>(setup: &ClientSetup, mut role: R) -> Result<Client, ConnectError> {
        let local = |source| ConnectError::Local { transport: NAME, source };
        let abandon = Arc::new(Notify::new());
        let (tell_ready, ready) = channel();
        let (tell_end, ended) = channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(local)?;
        let (setup, abandoned) = (setup.clone(), abandon.clone());
        let thread = std::thread::Builder::new()
            .name(format!("amqp-1-0-{}", R::NAME))
            .spawn(move || {
                let life = || runtime.block_on(live(&mut role, &setup, &abandoned, &tell_ready));
                // A panic of the library must not look like silence.
                let end = catch_unwind(AssertUnwindSafe(life))
                    .unwrap_or_else(|_| Some("the client library panicked".to_owned()));
                if let Some(reason) = &end {
                    role.broken(reason);
                }
                drop(role);
                // Ends the library's tasks and closes the connection.
                drop(runtime);
                let _ = tell_end.send(end);
            })
            .map_err(local)?;
        let client = Client { abandon, ended, thread: Some(thread) };
        match ready.recv() {
            Ok(Ok(())) => Ok(client),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(local(io::Error::other("the client library panicked while connecting"))),
        }
    }

    /// Waits until the role, which has been told to end, has done so.
    pub fn finish(mut self, grace: Duration) -> Result<(), FinishError> {
        let end = self.ended.recv_timeout(grace);
        self.end();
        match end {
            Ok(None) => Ok(()),
            Ok(Some(reason)) => Err(FinishError::Broken { transport: NAME, reason }),
            Err(RecvTimeoutError::Disconnected) => Err(FinishError::Broken {
                transport: NAME,
                reason: "the client's thread ended without a reason: please report this".into(),
            }),
            Err(RecvTimeoutError::Timeout) => Err(FinishError::Unfinished {
                transport: NAME,
                grace,
                reason: "messages were not sent or not settled, or the broker did not answer the close"
                    .into(),
            }),
        }
    }

    fn end(&mut self) {
        self.abandon.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.end();
    }
}

/// The thread: attaches, reports the result, then serves until the end; returns the reason if the connection was lost.
async fn live<R: Role>(
    role: &mut R,
    setup: &ClientSetup,
    abandoned: &Notify,
    ready: &Sender<Result<(), ConnectError>>,
) -> Option<String> {
    let silent = ConnectError::Silent { transport: NAME, endpoint: setup.endpoint, limit: setup.limit };
    let attached = tokio::time::timeout(setup.limit, role.attach()).await.unwrap_or(Err(silent));
    let mut link = match attached {
        Ok(link) => link,
        Err(error) => {
            let _ = ready.send(Err(error));
            return None;
        }
    };
    let _ = ready.send(Ok(()));
    let work = async {
        role.serve(&mut link).await?;
        role.close(link).await
    };
    tokio::select! {
        biased;
        end = work => end.err(),
        () = abandoned.notified() => None,
    }
}

/// An open connection with its session.
pub struct Opened {
    /// The library's handle on the connection.
    pub connection: ConnectionHandle<()>,
    /// The library's handle on its session.
    pub session: SessionHandle<()>,
    loss: Loss,
}

impl Opened {
    /// Connects, logs in and begins a session.
    pub async fn open<W: Written + 'static>(
        setup: &ClientSetup,
        written: impl Fn() -> W,
    ) -> Result<Opened, ConnectError> {
        let given = setup.login.as_ref().map(|login| (login.user.as_str(), login.password.as_str()));
        let (user, password) = given.unwrap_or(GUEST);
        let plain = SaslProfile::Plain { username: user.into(), password: password.into() };
        let mut loss = Loss::default();
        let opened = match Opened::log_in(setup, plain, written(), &loss).await? {
            // The broker has no passwords, and none was requested.
            Err(OpenError::NotImplemented(_)) if given.is_none() => {
                loss = Loss::default();
                Opened::log_in(setup, SaslProfile::Anonymous, written(), &loss).await?
            }
            other => other,
        };
        let refused = |reason| ConnectError::Login {
            transport: NAME,
            endpoint: setup.endpoint,
            user: user.to_owned(),
            reason,
        };
        let mut connection = opened.map_err(|error| match error {
            OpenError::SaslError { code, .. } => refused(format!("{code:?}")),
            // A broker sends sasl-outcome and closes at once: Qpid's does not always wait until the former has left.
            OpenError::Io(error) if loss.stage() == Stage::Asked && is_end(&error) => {
                refused("it closed the connection in answer to the login".into())
            }
            OpenError::Io(error) => unreachable(setup, error.to_string()),
            OpenError::ProtocolHeaderMismatch(header) => {
                let reason = format!("it does not speak AMQP 1.0 with SASL, it began with {header:?}");
                unreachable(setup, reason)
            }
            OpenError::NotImplemented(Some(what)) => unreachable(setup, what),
            other => unreachable(setup, other.to_string()),
        })?;
        match Session::begin(&mut connection).await {
            Ok(session) => Ok(Opened { connection, session, loss }),
            Err(error) => Err(unreachable(setup, error.to_string())),
        }
    }

    async fn log_in<W: Written + 'static>(
        setup: &ClientSetup,
        profile: SaslProfile,
        written: W,
        loss: &Loss,
    ) -> Result<Result<ConnectionHandle<()>, OpenError>, ConnectError> {
        let socket = wiredyno_tls::connect(NAME, setup).await?;
        let stream = Stream::over(socket, Box::new(written), loss.clone());
        let connection = Connection::builder()
            .container_id(unique_name())
            .max_frame_size(MAX_FRAME_BYTES)
            .sasl_profile(profile)
            .open_with_stream(stream);
        Ok(connection.await)
    }

    /// Why the connection ended, as text.
    pub fn why(&self, end: Result<(), connection::Error>) -> String {
        match end {
            Err(connection::Error::RemoteClosedWithError(error)) => {
                format!("the broker closed the connection: {error}")
            }
            Ok(()) | Err(connection::Error::RemoteClosed) => "the broker closed the connection".into(),
            Err(other) => self.loss.reason().unwrap_or_else(|| other.to_string()),
        }
    }

    /// Why an operation on the connection failed: if the connection ended, why that; otherwise what the library says.
    pub async fn why_failed(&mut self, library: String) -> String {
        if self.connection.is_closed() {
            let end = self.connection.on_close().await;
            return self.why(end);
        }
        self.loss.reason().unwrap_or(library)
    }

    /// Ends the session and closes the connection, cleanly.
    pub async fn close(mut self) -> Result<(), String> {
        // Only the broker's answer to the close matters: by then it has read everything before it.
        let _ = self.session.end().await;
        let end = self.connection.close().await;
        end.map_err(|error| self.why(Err(error)))
    }
}

/// Whether an error says that the other side has ended the connection.
fn is_end(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    [UnexpectedEof, ConnectionReset, ConnectionAborted, BrokenPipe].contains(&error.kind())
}

/// The address of a topic: a routing key of the exchange that every AMQP broker has.
pub fn address(topic: &str) -> String {
    format!("amq.direct/{topic}")
}

/// A name that no other client has.
pub fn unique_name() -> String {
    format!("wiredyno-{}", name::own())
}

/// The endpoint answered, but not as expected.
pub fn unreachable(setup: &ClientSetup, reason: String) -> ConnectError {
    ConnectError::Unreachable { transport: NAME, endpoint: setup.endpoint, reason }
}

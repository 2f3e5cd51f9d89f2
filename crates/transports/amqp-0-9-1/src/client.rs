//! One client: a thread that has a session and performs its role.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::Notify;

use crate::NAME;
use crate::session::Session;
use crate::stream::{Leash, Watch};
use wiredyno_transport::{ClientSetup, ConnectError, FinishError};

/// Why a client did not disconnect cleanly.
#[derive(Debug, Clone)]
pub enum End {
    /// The connection was lost, for this reason.
    Broken(String),
    /// It was told to give up; this remains at the broker.
    Abandoned(Option<String>),
    /// The broker rejected this many messages.
    Refused(u64),
    /// This remains at the broker, for this reason.
    Left(String, String),
}

/// A client's part: publishing or subscribing.
#[allow(async_fn_in_trait, reason = "it is polled on one thread")]
pub trait Role: Send + 'static {
    /// Creates what it needs at the broker; once this returns, it sends or receives.
    async fn open(&mut self, session: &Session) -> Result<(), ConnectError>;
    /// Sends or receives until it is told to stop and has nothing left to do.
    async fn work(&mut self, session: &Session) -> Result<(), End>;
    /// Removes what it has created; the connection is closed next.
    async fn clean(&mut self, session: &Session) -> Result<(), End>;
    /// What remains at the broker without cleaning.
    fn leaves(&self) -> Option<String>;
    /// Reports that the connection is lost.
    fn broken(&mut self, reason: &str);
}

/// A client's thread, with its runtime.
pub struct Client {
    abandon: Arc<Notify>,
    blocked: Arc<Mutex<Option<String>>>,
    /// How the thread ended, once it has.
    ended: Receiver<Result<(), End>>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread uses while it works.
struct Work<R> {
    setup: ClientSetup,
    role: R,
    watch: Option<Box<dyn Watch>>,
    abandon: Arc<Notify>,
    blocked: Arc<Mutex<Option<String>>>,
    ready: Sender<Result<(), ConnectError>>,
}

impl Client {
    /// Connects; returns when the role can send or receive.
    pub fn start<R: Role>(
        setup: &ClientSetup,
        name: &str,
        role: R,
        watch: Option<Box<dyn Watch>>,
    ) -> Result<Client, ConnectError> {
        let local = |source| ConnectError::Local { transport: NAME, source };
        let abandon = Arc::new(Notify::new());
        let blocked = Arc::new(Mutex::new(None));
        let (tell_ready, ready) = channel();
        let (tell_end, ended) = channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(local)?;
        let mut work = Work {
            setup: setup.clone(),
            role,
            watch,
            abandon: abandon.clone(),
            blocked: blocked.clone(),
            ready: tell_ready,
        };
        let thread = std::thread::Builder::new()
            .name(format!("amqp-{name}"))
            .spawn(move || {
                let run = || runtime.block_on(work.run());
                // A panic of the library must not look like silence.
                let end = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
                    let reason = "the client library panicked".to_owned();
                    work.role.broken(&reason);
                    Err(End::Broken(reason))
                });
                drop(work);
                // Before the end is reported: tasks that the library left running end here.
                drop(runtime);
                let _ = tell_end.send(end);
            })
            .map_err(local)?;
        let client = Client { abandon, blocked, ended, thread: Some(thread) };
        match ready.recv() {
            Ok(Ok(())) => Ok(client),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(local(io::Error::other("the client library panicked while connecting"))),
        }
    }

    /// Waits for a stopped client to end, and gives it up after `grace`.
    pub fn finish(mut self, grace: Duration) -> Result<(), FinishError> {
        let end = self.ended.recv_timeout(grace);
        self.end();
        let broken = |reason| FinishError::Broken { transport: NAME, reason };
        match end {
            Ok(Ok(())) => Ok(()),
            Ok(Err(End::Broken(reason))) => Err(broken(reason)),
            Ok(Err(End::Refused(messages))) => {
                Err(FinishError::Refused { transport: NAME, messages, reason: "basic.nack".into() })
            }
            Ok(Err(End::Left(what, reason))) => Err(FinishError::Left { transport: NAME, what, reason }),
            Ok(Err(End::Abandoned(left))) => Err(self.unfinished(grace, left)),
            // It has meanwhile been told to give up, and has done so.
            Err(RecvTimeoutError::Timeout) => match self.ended.try_recv() {
                Ok(Err(End::Abandoned(left))) => Err(self.unfinished(grace, left)),
                _ => Err(self.unfinished(grace, None)),
            },
            Err(RecvTimeoutError::Disconnected) => {
                Err(broken("the client's thread ended without a reason: please report this".into()))
            }
        }
    }

    fn unfinished(&self, grace: Duration, left: Option<String>) -> FinishError {
        let blocked = self.blocked.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut reason = match blocked {
            Some(said) => format!("the broker accepts no messages at the moment ({said})"),
            None => "messages were not sent, or were neither confirmed nor acknowledged".to_owned(),
        };
        if let Some(left) = left {
            reason += &format!(", and {left} stays at the broker");
        }
        FinishError::Unfinished { transport: NAME, grace, reason }
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

impl<R: Role> Work<R> {
    async fn run(&mut self) -> Result<(), End> {
        let leash = Leash::default();
        let opened = self.open(&leash).await;
        let session = match opened {
            Ok(session) => session,
            Err(error) => {
                leash.cut().await;
                let _ = self.ready.send(Err(error));
                return Ok(());
            }
        };
        let _ = self.ready.send(Ok(()));
        let end = self.live(session).await;
        leash.cut().await;
        if let Err(End::Broken(reason)) = &end {
            self.role.broken(reason);
        }
        end
    }

    async fn open(&mut self, leash: &Leash) -> Result<Session, ConnectError> {
        let limit = self.setup.limit;
        let open = async {
            let watch = self.watch.take();
            let session = Session::open(&self.setup, watch, leash, self.blocked.clone()).await?;
            self.role.open(&session).await?;
            Ok(session)
        };
        let silent = ConnectError::Silent { transport: NAME, endpoint: self.setup.endpoint, limit };
        tokio::time::timeout(limit, open).await.unwrap_or(Err(silent))
    }

    async fn live(&mut self, session: Session) -> Result<(), End> {
        let abandon = self.abandon.clone();
        let role = &mut self.role;
        tokio::select! {
            biased;
            reason = session.lost() => return Err(End::Broken(reason)),
            end = role.work(&session) => end?,
            () = abandon.notified() => return Err(End::Abandoned(role.leaves())),
        }
        // This attempt may close a channel, which is not a loss of the connection.
        let close = async {
            let cleaned = role.clean(&session).await;
            session.close().await.map_err(End::Broken)?;
            cleaned
        };
        tokio::select! {
            end = close => end,
            () = abandon.notified() => Err(End::Abandoned(role.leaves())),
        }
    }
}

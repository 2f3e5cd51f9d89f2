//! One connection: rumqttc's event loop on its own thread, for any version of the protocol.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rumqttc::QoS;
use tokio::sync::Notify;

use crate::dialect::{Dial, Dialect, Event, Grants, Lost, Wishes};
use crate::remains;
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, name};

/// How a role handles the events of its connection.
pub trait Listener: Send {
    /// Handles an event that just occurred.
    fn event(&mut self, event: Event);
    /// The connection is lost, for this reason.
    fn broken(&mut self, reason: &str);
}

/// A connection and its thread.
pub struct Connection<D: Dialect> {
    /// The handle for requests to the event loop.
    pub requests: D::Requests,
    /// What the broker announced in CONNACK.
    pub grants: Grants,
    dial: Dial,
    /// For publishers and subscribers the session; for subscribers also the retained message of their topic.
    left_behind: remains::Remains,
    abandon: Arc<Notify>,
    /// How the thread ended, once it has: with the reason if the connection was lost.
    ended: Receiver<Option<String>>,
    thread: Option<JoinHandle<()>>,
}

/// What a connection's thread works with.
struct Work<D: Dialect> {
    setup: ClientSetup,
    wishes: Wishes,
    subscribes: bool,
    requests: D::Requests,
    events: D,
    abandon: Arc<Notify>,
}

/// The role of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It publishes, and does not subscribe.
    Publisher,
    /// It subscribes to the topic before it counts as connected.
    Subscriber,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Role::Publisher => "publisher",
            Role::Subscriber => "subscriber",
        }
    }
}

impl<D: Dialect> Connection<D> {
    /// Connects and, for a subscriber, subscribes.
    ///
    /// # Errors
    /// When the broker refuses, does not answer within the limit, or lacks a required feature.
    pub fn open(
        setup: &ClientSetup,
        role: Role,
        wishes: Wishes,
        mut listener: Box<dyn Listener>,
    ) -> Result<Self, ConnectError> {
        let local = |source| ConnectError::Local { transport: D::NAME, source };
        let dial = Dial {
            endpoint: setup.endpoint,
            id: id(role),
            kept: wishes.kept,
            receive_maximum: wishes.receive_maximum,
            login: setup.login.clone(),
            tls: setup.tls.clone(),
        };
        let subscribes = role == Role::Subscriber;
        let (transport, endpoint) = (D::NAME, setup.endpoint);
        let no_tls = |fault| ConnectError::Tls { transport, endpoint, fault };
        let (requests, events) = D::open(&dial).map_err(no_tls)?;
        let abandon = Arc::new(Notify::new());
        let work = Work::<D> {
            setup: setup.clone(),
            wishes,
            subscribes,
            requests: requests.clone(),
            events,
            abandon: abandon.clone(),
        };
        let (tell_ready, ready) = channel();
        let (tell_end, ended) = channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(local)?;
        let thread = std::thread::Builder::new()
            .name(format!("mqtt-{}", role.name()))
            .spawn(move || {
                let run = || runtime.block_on(work.run(&tell_ready, &mut *listener));
                // The library unwraps in places; its panics must not look like silence.
                let end = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
                    let reason = "the client library panicked".to_owned();
                    listener.broken(&reason);
                    Some(reason)
                });
                drop(listener);
                let _ = tell_end.send(end);
            })
            .map_err(local)?;
        let grants = match ready.recv() {
            Ok(Ok(grants)) => grants,
            Ok(Err(error)) => return Err(error),
            Err(_) => return Err(local(io::Error::other("the client library panicked while connecting"))),
        };
        let retained = (subscribes && wishes.retain).then(|| setup.topic.clone());
        let left_behind = remains::Remains { session: wishes.kept, retained };
        Ok(Connection { requests, grants, dial, left_behind, abandon, ended, thread: Some(thread) })
    }

    /// Sends DISCONNECT after everything that is waiting, waits for the broker to close, and removes what the broker
    /// keeps.
    ///
    /// # Errors
    /// When the connection was lost before, messages were left over, or something remains at the broker.
    pub fn finish(mut self, grace: Duration) -> Result<(), FinishError> {
        let until = Instant::now() + grace;
        let asked = D::disconnect(&self.requests);
        let end = self.ended.recv_timeout(grace);
        self.end();
        match (end, asked) {
            (Ok(None), _) => {
                let left = until.saturating_duration_since(Instant::now());
                remains::remove::<D>(&self.dial, &self.left_behind, left)
            }
            (Ok(Some(reason)), _) => Err(FinishError::Broken { transport: D::NAME, reason }),
            (Err(RecvTimeoutError::Disconnected), _) => Err(FinishError::Broken {
                transport: D::NAME,
                reason: "the client's thread ended without a reason: please report this".into(),
            }),
            (Err(RecvTimeoutError::Timeout), Ok(())) => Err(FinishError::Unfinished {
                transport: D::NAME,
                grace,
                reason: "messages were not sent or not acknowledged".into(),
            }),
            (Err(RecvTimeoutError::Timeout), Err(reason)) => {
                Err(FinishError::Unfinished { transport: D::NAME, grace, reason })
            }
        }
    }

    fn end(&mut self) {
        self.abandon.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl<D: Dialect> Drop for Connection<D> {
    fn drop(&mut self) {
        self.end();
    }
}

/// A client identifier that no other has, and short: only 23 characters are guaranteed to be accepted (MQTT 3.1.1, 3.1.3.1). A broker that gets one again
/// disconnects the first (3.1.4-2).
fn id(role: Role) -> String {
    format!("wd{}{}", &role.name()[..1], name::own())
}

impl<D: Dialect> Work<D> {
    /// The thread: connects, reports the result, then hands over events until the connection ends.
    async fn run(
        mut self,
        ready: &Sender<Result<Grants, ConnectError>>,
        listener: &mut dyn Listener,
    ) -> Option<String> {
        let limit = self.setup.limit;
        let silent = ConnectError::Silent { transport: D::NAME, endpoint: self.setup.endpoint, limit };
        let connected = tokio::time::timeout(limit, self.connect()).await.unwrap_or(Err(silent));
        let failed = connected.is_err();
        let _ = ready.send(connected);
        if failed {
            return None;
        }
        let mut in_good_order = false;
        let reason = loop {
            tokio::select! {
                biased;
                event = self.events.next() => match event {
                    Ok(event) => {
                        in_good_order |= matches!(event, Event::Left);
                        listener.event(event);
                    }
                    Err(lost) => break lost.reason(),
                },
                () = self.abandon.notified() => return None,
            }
        };
        while let Some(event) = self.events.left_over() {
            listener.event(event);
        }
        // The broker closes on DISCONNECT.
        if in_good_order {
            return None;
        }
        listener.broken(&reason);
        Some(reason)
    }

    async fn connect(&mut self) -> Result<Grants, ConnectError> {
        let (transport, endpoint) = (D::NAME, self.setup.endpoint);
        let user = self.setup.login.as_ref().map_or_else(String::new, |login| login.user.clone());
        let mut granted = None;
        loop {
            let event = self.events.next().await.map_err(|lost| match lost {
                Lost::Login(reason) => {
                    ConnectError::Login { transport, endpoint, user: user.clone(), reason }
                }
                Lost::Tls(fault) => ConnectError::Tls { transport, endpoint, fault },
                Lost::Other(reason) => ConnectError::Unreachable { transport, endpoint, reason },
            })?;
            match event {
                Event::Accepted(grants) => {
                    let missing = lacking(&self.wishes, &grants);
                    let unfit = |reason| Err(ConnectError::Unfit { transport, endpoint, reason });
                    missing.map_or(Ok(()), unfit)?;
                    if !self.subscribes {
                        return Ok(grants);
                    }
                    D::subscribe(&self.requests, &self.setup.topic, self.wishes.quality)
                        .map_err(|reason| self.not_granted(reason))?;
                    granted = Some(grants);
                }
                Event::Subscribed(answer) => {
                    let asked = self.wishes.quality;
                    let refused = match answer {
                        Ok(quality) if quality == asked => None,
                        Ok(quality) => Some(format!("{quality:?}")),
                        Err(codes) => Some(codes),
                    };
                    if let Some(answer) = refused {
                        return Err(self.not_granted(format!("asked for {asked:?}, answered {answer}")));
                    }
                    if let Some(grants) = granted.take() {
                        return Ok(grants);
                    }
                }
                _ => {}
            }
        }
    }

    fn not_granted(&self, reason: String) -> ConnectError {
        ConnectError::NotGranted {
            transport: D::NAME,
            endpoint: self.setup.endpoint,
            topic: self.setup.topic.clone(),
            reason,
        }
    }
}

/// A required feature that the broker lacks.
fn lacking(wishes: &Wishes, grants: &Grants) -> Option<String> {
    let quality = match wishes.quality {
        QoS::AtMostOnce => 0,
        QoS::AtLeastOnce => 1,
        QoS::ExactlyOnce => 2,
    };
    if quality > grants.quality {
        Some(format!("it supports QoS only up to {}, not {quality}", grants.quality))
    } else if wishes.retain && !grants.retain {
        Some("it retains no messages".into())
    } else if wishes.alias && grants.aliases == 0 {
        Some("it accepts no topic aliases".into())
    } else if grants.session_present {
        Some("it has a session of an earlier client with the same identifier".into())
    } else {
        None
    }
}

//! One connection: rumqttc's event loop on a thread of its own.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rumqttc::{AsyncClient, Event, EventLoop, MqttOptions, NetworkOptions, Packet, QoS, SubscribeReasonCode};
use tokio::sync::Notify;

use crate::{BODY_LIMIT_BYTES, NAME};
use wiredyno_transport::{ClientSetup, ConnectError, FinishError};

/// Messages of QoS 1 and 2 on their way at once: 70 ms of round trip at 10,000 messages a second.
pub const INFLIGHT: u16 = 1_000;

/// Messages waiting for the event loop at most. Not reserved beforehand: memory is the only limit meant.
const QUEUE: usize = 1 << 24;

/// Longer than any trial: no PINGREQ falls into it. Zero would be refused by some brokers.
const KEEP_ALIVE: Duration = Duration::from_secs(12 * 3600);

/// How long one write may take: a megabyte over a slow link takes minutes.
const WRITE_LIMIT_SECONDS: u64 = 600;

const MAX_PACKET_BYTES: usize = BODY_LIMIT_BYTES + 400_000;

/// Distinguishes the clients of one process.
static CLIENTS: AtomicU64 = AtomicU64::new(0);

/// What a role does with the events of its connection.
pub trait Listener: Send {
    /// An event of the library, just now.
    fn event(&mut self, event: Event);
    /// The connection is lost.
    fn broken(&mut self, reason: &str);
}

/// A connection and its thread.
pub struct Connection {
    pub client: AsyncClient,
    closing: Arc<AtomicBool>,
    abandon: Arc<Notify>,
    /// How the thread ended, once it has: the reason if the connection was lost.
    ended: Receiver<Option<String>>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread of a connection works with.
struct Work {
    setup: ClientSetup,
    subscribe: Option<QoS>,
    client: AsyncClient,
    events: EventLoop,
    closing: Arc<AtomicBool>,
    abandon: Arc<Notify>,
}

impl Connection {
    /// Connects and, for a subscriber, subscribes with this quality.
    pub fn open(
        setup: &ClientSetup,
        role: &str,
        subscribe: Option<QoS>,
        mut listener: Box<dyn Listener>,
    ) -> Result<Connection, ConnectError> {
        let local = |source| ConnectError::Local { transport: NAME, source };
        let (client, events) = open_client(setup, role);
        let (closing, abandon) = (Arc::new(AtomicBool::new(false)), Arc::new(Notify::new()));
        let work = Work {
            setup: setup.clone(),
            subscribe,
            client: client.clone(),
            events,
            closing: closing.clone(),
            abandon: abandon.clone(),
        };
        let (tell_ready, ready) = channel();
        let (tell_end, ended) = channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(local)?;
        let thread = std::thread::Builder::new()
            .name(format!("mqtt-{role}"))
            .spawn(move || {
                let run = || runtime.block_on(work.run(&tell_ready, &mut *listener));
                // The library unwraps here and there; a panic of its must not look like silence.
                let end = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
                    let reason = "the client library panicked".to_owned();
                    listener.broken(&reason);
                    Some(reason)
                });
                drop(listener);
                let _ = tell_end.send(end);
            })
            .map_err(local)?;
        let connection = Connection { client, closing, abandon, ended, thread: Some(thread) };
        match ready.recv() {
            Ok(Ok(())) => Ok(connection),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(local(io::Error::other("the client library panicked while connecting"))),
        }
    }

    /// Says DISCONNECT behind all that waits, and waits for the broker to close.
    pub fn finish(mut self, grace: Duration) -> Result<(), FinishError> {
        self.closing.store(true, Ordering::SeqCst);
        let asked = self.client.try_disconnect();
        let end = self.ended.recv_timeout(grace);
        self.end();
        match (end, asked) {
            (Ok(None), _) => Ok(()),
            (Ok(Some(reason)), _) => Err(FinishError::Broken { transport: NAME, reason }),
            (Err(RecvTimeoutError::Disconnected), _) => Err(FinishError::Broken {
                transport: NAME,
                reason: "the client's thread ended without a reason: please report this".into(),
            }),
            (Err(RecvTimeoutError::Timeout), Ok(())) => Err(FinishError::Unfinished {
                transport: NAME,
                grace,
                reason: "messages had not left or were not acknowledged".into(),
            }),
            (Err(RecvTimeoutError::Timeout), Err(error)) => {
                Err(FinishError::Unfinished { transport: NAME, grace, reason: error.to_string() })
            }
        }
    }

    fn end(&mut self) {
        self.closing.store(true, Ordering::SeqCst);
        self.abandon.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.end();
    }
}

fn open_client(setup: &ClientSetup, role: &str) -> (AsyncClient, EventLoop) {
    let number = CLIENTS.fetch_add(1, Ordering::Relaxed);
    // Short: at most 23 characters are sure to be accepted (MQTT 3.1.1, 3.1.3.1).
    let initial = role.chars().next().unwrap_or('c');
    let id = format!("wd{initial}{}x{number}", std::process::id());
    let host = setup.endpoint.ip();
    let host = if host.is_ipv6() { format!("[{host}]") } else { host.to_string() };
    let mut options = MqttOptions::new(id, host, setup.endpoint.port());
    options
        .set_clean_session(true)
        .set_keep_alive(KEEP_ALIVE)
        .set_max_packet_size(MAX_PACKET_BYTES, MAX_PACKET_BYTES)
        .set_inflight(INFLIGHT);
    let (client, mut events) = AsyncClient::new(options, QUEUE);
    let mut network = NetworkOptions::new();
    network.set_tcp_nodelay(true);
    network.set_connection_timeout(WRITE_LIMIT_SECONDS);
    events.set_network_options(network);
    (client, events)
}

impl Work {
    /// The thread: connects, tells how that went, then hands events over until the connection ends.
    async fn run(
        mut self,
        ready: &Sender<Result<(), ConnectError>>,
        listener: &mut dyn Listener,
    ) -> Option<String> {
        let limit = self.setup.limit;
        let silent = ConnectError::Silent { transport: NAME, endpoint: self.setup.endpoint, limit };
        let connected = tokio::time::timeout(limit, self.connect()).await.unwrap_or(Err(silent));
        let failed = connected.is_err();
        let _ = ready.send(connected);
        if failed {
            return None;
        }
        let reason = loop {
            tokio::select! {
                biased;
                event = self.events.poll() => match event {
                    Ok(event) => listener.event(event),
                    Err(error) => break error.to_string(),
                },
                () = self.abandon.notified() => return None,
            }
        };
        if self.closing.load(Ordering::SeqCst) {
            return None;
        }
        listener.broken(&reason);
        Some(reason)
    }

    async fn connect(&mut self) -> Result<(), ConnectError> {
        loop {
            let event = self.events.poll().await.map_err(|error| ConnectError::Unreachable {
                transport: NAME,
                endpoint: self.setup.endpoint,
                reason: error.to_string(),
            })?;
            match (event, self.subscribe) {
                (Event::Incoming(Packet::ConnAck(_)), None) => return Ok(()),
                (Event::Incoming(Packet::ConnAck(_)), Some(qos)) => {
                    let asked = self.client.try_subscribe(self.setup.topic.clone(), qos);
                    asked.map_err(|error| self.not_granted(error.to_string()))?;
                }
                (Event::Incoming(Packet::SubAck(answer)), Some(qos)) => {
                    return match answer.return_codes.as_slice() {
                        [SubscribeReasonCode::Success(granted)] if *granted == qos => Ok(()),
                        other => Err(self.not_granted(format!("asked for {qos:?}, answered {other:?}"))),
                    };
                }
                _ => {}
            }
        }
    }

    fn not_granted(&self, reason: String) -> ConnectError {
        ConnectError::NotGranted {
            transport: NAME,
            endpoint: self.setup.endpoint,
            topic: self.setup.topic.clone(),
            reason,
        }
    }
}

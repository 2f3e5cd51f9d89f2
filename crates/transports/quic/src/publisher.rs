//! Hands messages to the library on its own thread, in order of arrival, so that the schedule never waits.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use quinn::{Connection, SendDatagramError, SendStream};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::sleep;
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::socket::PUBLISHER;
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, Publisher, SendError, SentSink};

use crate::client::{Link, Terms, close, on_own_thread};
use crate::declared::{Options, STREAM_LIMIT_BYTES, datagram_limit_bytes};
use crate::frame::Framed;
use crate::{Form, NAME};

/// Most messages taken from the schedule's thread at once.
const AT_ONCE: usize = 64;

/// Polling interval for whether the last datagrams have left.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

pub struct QuicPublisher {
    form: Form,
    limit_bytes: usize,
    orders: UnboundedSender<Order>,
    shared: Arc<Shared>,
    /// How the thread ended, once it has.
    ended: Receiver<Result<(), FinishError>>,
    thread: Option<JoinHandle<()>>,
}

enum Order {
    Message(u64, Bytes),
    /// No more messages will follow.
    Finish,
}

#[derive(Default)]
struct Shared {
    /// Why nothing more can be sent, if so.
    broken: OnceLock<String>,
    /// Tells the thread to end at once.
    abort: Notify,
}

impl QuicPublisher {
    pub fn connect(
        setup: &ClientSetup,
        form: Form,
        options: Options,
        sink: Arc<dyn SentSink>,
    ) -> Result<Self, ConnectError> {
        let limit_bytes = match form {
            Form::Datagrams => datagram_limit_bytes(options.initial_mtu).into(),
            Form::OneStream | Form::StreamEach => STREAM_LIMIT_BYTES as usize,
        };
        let terms = Terms::new(setup, options, PUBLISHER, form)?;
        let (orders, incoming) = unbounded_channel();
        let (tell_connected, connected) = channel();
        let (tell_ended, ended) = channel();
        let shared = Arc::new(Shared::default());
        let of_thread = shared.clone();
        let thread = on_own_thread("quic-publisher", move |runtime| {
            runtime.block_on(async move {
                let link = match terms.connect().await {
                    Ok(link) => link,
                    Err(error) => return drop(tell_connected.send(Err(error))),
                };
                let uplink = match Uplink::over(&link.connection, form, sink).await {
                    Ok(uplink) => uplink,
                    Err(reason) => return drop(tell_connected.send(Err(terms.unreachable(reason)))),
                };
                let _ = tell_connected.send(Ok(()));
                let _ = tell_ended.send(work(link, uplink, incoming, &of_thread).await);
            });
        });
        let thread = thread.map_err(|source| ConnectError::Local { transport: NAME, source })?;
        match connected.recv() {
            Ok(Ok(())) => {
                Ok(QuicPublisher { form, limit_bytes, orders, shared, ended, thread: Some(thread) })
            }
            Ok(Err(error)) => {
                let _ = thread.join();
                Err(error)
            }
            Err(_) => Err(panicked_while_connecting(setup)),
        }
    }
}

/// The error for a thread that ended without a result.
pub fn panicked_while_connecting(setup: &ClientSetup) -> ConnectError {
    let reason = "its thread panicked: please report this".into();
    ConnectError::Unreachable { transport: NAME, endpoint: setup.endpoint, reason }
}

struct Uplink {
    connection: Connection,
    form: Form,
    /// The shared stream, if there is one.
    stream: Option<SendStream>,
    /// Streams that are not yet acknowledged.
    unacknowledged: JoinSet<()>,
    /// The library's buffer for waiting datagrams, in bytes.
    room_bytes: usize,
    sink: Arc<dyn SentSink>,
}

impl Uplink {
    async fn over(connection: &Connection, form: Form, sink: Arc<dyn SentSink>) -> Result<Self, String> {
        let stream = match form {
            Form::OneStream => Some(connection.open_uni().await.map_err(|error| error.to_string())?),
            Form::StreamEach | Form::Datagrams => None,
        };
        Ok(Uplink {
            connection: connection.clone(),
            form,
            stream,
            unacknowledged: JoinSet::new(),
            room_bytes: connection.datagram_send_buffer_space(),
            sink,
        })
    }

    /// Hands a message to the library; waits while its buffer is full.
    async fn send(&mut self, token: u64, bytes: Bytes) -> Result<(), String> {
        match (self.form, &mut self.stream) {
            (Form::Datagrams, _) => match self.connection.send_datagram_wait(bytes).await {
                // The path's MTU has become smaller than assumed: the message is lost as if a router had dropped it.
                Ok(()) | Err(SendDatagramError::TooLarge) => self.sink.sent(token, now_ns()),
                Err(error) => return Err(error.to_string()),
            },
            (_, Some(stream)) => {
                stream.write_chunk(bytes).await.map_err(|error| error.to_string())?;
                self.sink.sent(token, now_ns());
            }
            (_, None) => {
                let mut stream = self.connection.open_uni().await.map_err(|error| error.to_string())?;
                stream.write_chunk(bytes).await.map_err(|error| error.to_string())?;
                stream.finish().map_err(|error| error.to_string())?;
                self.sink.sent(token, now_ns());
                let (sink, stopped) = (self.sink.clone(), stream.stopped());
                self.unacknowledged.spawn(async move {
                    if let Ok(None) = stopped.await {
                        sink.acked(token, now_ns());
                    }
                });
            }
        }
        while self.unacknowledged.try_join_next().is_some() {}
        Ok(())
    }

    /// Waits until the relay has everything, as far as can be known.
    async fn flush(&mut self) -> Result<(), String> {
        if let Some(mut stream) = self.stream.take() {
            stream.finish().map_err(|error| error.to_string())?;
            stream.stopped().await.map_err(|error| error.to_string())?;
        }
        while self.unacknowledged.join_next().await.is_some() {}
        if self.form == Form::Datagrams {
            // When nothing is waiting, the whole buffer is free again.
            while self.connection.datagram_send_buffer_space() < self.room_bytes
                && self.connection.close_reason().is_none()
            {
                sleep(LOOK_AGAIN).await;
            }
        }
        Ok(())
    }
}

/// The work of the thread once it is connected.
async fn work(
    mut link: Link,
    mut uplink: Uplink,
    mut orders: UnboundedReceiver<Order>,
    shared: &Shared,
) -> Result<(), FinishError> {
    let sink = uplink.sink.clone();
    let connection = link.connection.clone();
    let done = tokio::select! {
        biased;
        () = shared.abort.notified() => Ok(()),
        error = connection.closed() => Err(error.to_string()),
        done = carry_out(&mut link, &mut uplink, &mut orders) => done,
    };
    if let Err(reason) = &done {
        // The connection's close reason is more informative than the error of a call.
        let reason = connection.close_reason().map_or_else(|| reason.clone(), |error| error.to_string());
        let _ = shared.broken.set(reason.clone());
        sink.broken(&reason);
        return Err(FinishError::Broken { transport: NAME, reason });
    }
    close(&link.endpoint, &connection, Duration::MAX).await;
    Ok(())
}

/// Sends messages until none follows, then disconnects: the relay ends the greeting's stream when it has read everything.
async fn carry_out(
    link: &mut Link,
    uplink: &mut Uplink,
    orders: &mut UnboundedReceiver<Order>,
) -> Result<(), String> {
    let mut batch = Vec::with_capacity(AT_ONCE);
    'sending: loop {
        if orders.recv_many(&mut batch, AT_ONCE).await == 0 {
            break;
        }
        for order in batch.drain(..) {
            match order {
                Order::Message(token, bytes) => uplink.send(token, bytes).await?,
                Order::Finish => break 'sending,
            }
        }
    }
    uplink.flush().await?;
    link.ours.finish().map_err(|error| error.to_string())?;
    let last = link.theirs.read_to_end(1).await.map_err(|error| error.to_string())?;
    match (link.unanswered, &*last) {
        (false, []) | (true, [PUBLISHER]) => Ok(()),
        (_, other) => Err(format!("the relay sent {other:?} at the end of the greeting's stream")),
    }
}

impl Publisher for QuicPublisher {
    fn send(&mut self, token: u64, body: &[u8]) -> Result<(), SendError> {
        if body.len() > self.limit_bytes {
            let (body_bytes, limit_bytes) = (body.len(), self.limit_bytes);
            return Err(SendError::TooLarge { transport: NAME, body_bytes, limit_bytes });
        }
        let bytes = match self.form {
            Form::OneStream => Framed::new(body).whole(),
            Form::StreamEach | Form::Datagrams => Bytes::copy_from_slice(body),
        };
        let broken = self.shared.broken.get();
        if broken.is_none() && self.orders.send(Order::Message(token, bytes)).is_ok() {
            return Ok(());
        }
        let reason = broken.or_else(|| self.shared.broken.get()).cloned();
        let reason = reason.unwrap_or_else(|| "its thread has ended".into());
        Err(SendError::Broken { transport: NAME, reason })
    }

    fn acknowledges(&self) -> bool {
        self.form == Form::StreamEach
    }

    fn finish(mut self: Box<Self>, grace: Duration) -> Result<(), FinishError> {
        let _ = self.orders.send(Order::Finish);
        let ended = self.ended.recv_timeout(grace);
        self.end();
        match ended {
            Ok(ended) => ended,
            Err(RecvTimeoutError::Timeout) => Err(FinishError::Unfinished {
                transport: NAME,
                grace,
                reason: "the relay had not confirmed everything".into(),
            }),
            Err(RecvTimeoutError::Disconnected) => {
                let reason = "the publishing thread panicked: please report this".into();
                Err(FinishError::Broken { transport: NAME, reason })
            }
        }
    }
}

impl QuicPublisher {
    fn end(&mut self) {
        self.shared.abort.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for QuicPublisher {
    fn drop(&mut self) {
        self.end();
    }
}

//! Receives on its own thread.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use quinn::{ConnectionError, RecvStream};
use tokio::sync::oneshot;
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::socket::SUBSCRIBER;
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, ReceivedSink, Subscriber};

use crate::client::{Link, Terms, close, on_own_thread};
use crate::declared::{Options, STREAM_LIMIT_BYTES};
use crate::frame::Deframer;
use crate::publisher::panicked_while_connecting;
use crate::{Form, NAME};

pub struct QuicSubscriber {
    /// Tells the thread to disconnect, and how long that may take.
    leave: Option<oneshot::Sender<Duration>>,
    /// Why the connection ended early, if it did; available once the thread has ended.
    ended: Receiver<Option<String>>,
    thread: Option<JoinHandle<()>>,
}

impl QuicSubscriber {
    pub fn connect(
        setup: &ClientSetup,
        form: Form,
        options: Options,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Self, ConnectError> {
        let terms = Terms::new(setup, options, SUBSCRIBER, form)?;
        let (tell_connected, connected) = channel();
        let (tell_ended, ended) = channel();
        let (leave, leaving) = oneshot::channel();
        let thread = on_own_thread("quic-receiver", move |runtime| {
            let end = runtime.block_on(async move {
                match terms.connect().await {
                    Err(error) => {
                        let _ = tell_connected.send(Err(error));
                        None
                    }
                    Ok(link) => {
                        let _ = tell_connected.send(Ok(()));
                        receive(link, form, Sink(Arc::new(Mutex::new(sink))), leaving).await
                    }
                }
            });
            // Tasks that still held the sink end with it.
            drop(runtime);
            let _ = tell_ended.send(end);
        });
        let thread = thread.map_err(|source| ConnectError::Local { transport: NAME, source })?;
        match connected.recv() {
            Ok(Ok(())) => Ok(QuicSubscriber { leave: Some(leave), ended, thread: Some(thread) }),
            Ok(Err(error)) => {
                let _ = thread.join();
                Err(error)
            }
            Err(_) => Err(panicked_while_connecting(setup)),
        }
    }

    fn end(&mut self, grace: Duration) -> Option<String> {
        let leave = self.leave.take()?;
        let _ = leave.send(grace);
        let ended = self.ended.recv();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        ended.unwrap_or_else(|_| Some("the receiving thread panicked: please report this".into()))
    }
}

/// The sink, shared by the tasks of one thread.
#[derive(Clone)]
struct Sink(Arc<Mutex<Box<dyn ReceivedSink>>>);

impl Sink {
    fn locked(&self) -> MutexGuard<'_, Box<dyn ReceivedSink>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn received(&self, body: &[u8]) {
        let mut sink = self.locked();
        sink.received(body, now_ns());
    }
}

/// Hands messages to the sink until the connection ends; returns why, if that was not requested.
async fn receive(
    link: Link,
    form: Form,
    sink: Sink,
    mut leaving: oneshot::Receiver<Duration>,
) -> Option<String> {
    let Link { endpoint, connection, ours: _ours, theirs: _theirs, .. } = link;
    let reason = loop {
        tokio::select! {
            biased;
            grace = &mut leaving => {
                close(&endpoint, &connection, grace.unwrap_or_default()).await;
                return None;
            }
            datagram = connection.read_datagram() => match datagram {
                Ok(body) => sink.received(&body),
                Err(error) => break error,
            },
            stream = connection.accept_uni() => match stream {
                Ok(stream) => drop(tokio::spawn(read(stream, form, sink.clone()))),
                Err(error) => break error,
            },
        }
    };
    let reason = match reason {
        ConnectionError::ApplicationClosed(_) => "the relay closed the connection".to_owned(),
        other => other.to_string(),
    };
    sink.locked().broken(&reason);
    Some(reason)
}

/// Hands over the messages of one stream. An error on it ends the connection, which reports it.
async fn read(mut stream: RecvStream, form: Form, sink: Sink) {
    if form == Form::StreamEach {
        if let Ok(body) = stream.read_to_end(STREAM_LIMIT_BYTES as usize).await {
            sink.received(&body);
        }
        return;
    }
    let mut deframer = Deframer::default();
    while let Ok(Some(chunk)) = stream.read_chunk(usize::MAX, true).await {
        if deframer.feed(&chunk.bytes, |body| sink.received(body)).is_err() {
            return;
        }
    }
}

impl Subscriber for QuicSubscriber {
    fn finish(mut self: Box<Self>, grace: Duration) -> Result<(), FinishError> {
        match self.end(grace) {
            None => Ok(()),
            Some(reason) => Err(FinishError::Broken { transport: NAME, reason }),
        }
    }
}

impl Drop for QuicSubscriber {
    fn drop(&mut self) {
        self.end(Duration::ZERO);
    }
}

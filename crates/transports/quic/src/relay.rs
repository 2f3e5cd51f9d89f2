//! The relay: forwards every publisher's messages to all subscribers of its topic.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use quinn::{Connection, Endpoint, Incoming, RecvStream, SendStream};
use tokio::sync::{Mutex as InTurn, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;
use wiredyno_transport::socket::{PUBLISHER, SUBSCRIBER};
use wiredyno_transport::{ServeError, Server, ServerSetup};

use crate::client::{DONE, on_own_thread};
use crate::declared::{Options, STREAM_LIMIT_BYTES};
use crate::frame::{Deframer, Framed, HEADER_BYTES};
use crate::{Form, NAME, config};

/// How long the relay waits for clients to learn that it ends.
const CLOSING: Duration = Duration::from_millis(500);

pub struct QuicRelay {
    address: SocketAddr,
    certificate: String,
    close: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl QuicRelay {
    pub fn start(setup: &ServerSetup, options: &Options) -> Result<Self, ServeError> {
        let failed = |source| ServeError::Bind { transport: NAME, address: setup.bind, source };
        let (config, certificate) =
            config::server(options, setup.bind).map_err(|error| failed(std::io::Error::other(error)))?;
        let (close, closing) = oneshot::channel();
        let (tell_bound, bound) = std::sync::mpsc::channel();
        let (bind, seed) = (setup.bind, setup.seed);
        let thread = on_own_thread("quic-relay", move |runtime| {
            runtime.block_on(async move {
                let bound = config::endpoint(bind, Some(config), "relay", seed);
                match bound.and_then(|endpoint| Ok((endpoint.local_addr()?, endpoint))) {
                    Ok((address, endpoint)) => {
                        let _ = tell_bound.send(Ok(address));
                        serve(&endpoint, closing).await;
                    }
                    Err(error) => drop(tell_bound.send(Err(error))),
                }
            });
        });
        let thread = Some(thread.map_err(failed)?);
        let address =
            bound.recv().unwrap_or_else(|_| Err(std::io::Error::other("the relay's thread panicked")));
        Ok(QuicRelay { address: address.map_err(failed)?, certificate, close: Some(close), thread })
    }
}

/// Accepts connections until the relay ends, then notifies all clients.
async fn serve(endpoint: &Endpoint, mut closing: oneshot::Receiver<()>) {
    let topics = Topics::default();
    let mut clients = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            _ = &mut closing => break,
            incoming = endpoint.accept() => match incoming {
                Some(incoming) => drop(clients.spawn(client(incoming, topics.clone()))),
                None => break,
            },
            Some(_) = clients.join_next(), if !clients.is_empty() => {}
        }
    }
    endpoint.close(DONE, b"the relay ends");
    let _ = timeout(CLOSING, endpoint.wait_idle()).await;
}

/// The topics that clients have named.
#[derive(Clone, Default)]
struct Topics(Arc<Mutex<HashMap<Vec<u8>, Arc<Topic>>>>);

impl Topics {
    fn named(&self, name: Vec<u8>) -> Arc<Topic> {
        locked(&self.0).entry(name).or_default().clone()
    }
}

/// A topic's subscribers, in order of registration.
#[derive(Default)]
struct Topic(Mutex<Vec<Arc<Subscriber>>>);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Topic {
    /// Forwards a message to all subscribers. One that fails removes itself: its own task sees the end of its connection.
    async fn forward(&self, message: &Framed) {
        let subscribers = locked(&self.0).clone();
        for subscriber in subscribers {
            let _ = subscriber.take(message).await;
        }
    }
}

/// A subscriber's connection, registered with its topic.
struct Subscriber {
    connection: Connection,
    form: Form,
    /// The shared stream, if there is one: messages of several publishers are sent one after another.
    stream: Option<InTurn<SendStream>>,
}

impl Subscriber {
    /// Waits while a stream's buffer is full; datagrams that have waited longest are dropped to make room.
    async fn take(&self, message: &Framed) -> Result<(), Gone> {
        match (self.form, &self.stream) {
            (Form::Datagrams, _) => self.connection.send_datagram(message.body()).map_err(|_| Gone),
            (_, Some(stream)) => stream.lock().await.write_chunk(message.whole()).await.map_err(|_| Gone),
            (_, None) => {
                let mut stream = self.connection.open_uni().await.map_err(|_| Gone)?;
                stream.write_chunk(message.body()).await.map_err(|_| Gone)?;
                stream.finish().map_err(|_| Gone)
            }
        }
    }
}

/// A connection, or data on it, is unusable. Reporting that is the client's part; the relay continues with the others.
#[derive(Debug)]
struct Gone;

/// Handles one client from its first packet to its last.
async fn client(incoming: Incoming, topics: Topics) -> Result<(), Gone> {
    let connecting = incoming.accept().map_err(|_| Gone)?;
    // Early data is read before the handshake ends.
    let connection = match connecting.into_0rtt() {
        Ok((connection, _)) => connection,
        Err(connecting) => connecting.await.map_err(|_| Gone)?,
    };
    let (mut ours, mut theirs) = connection.accept_bi().await.map_err(|_| Gone)?;
    let mut greeting = [0; 4];
    theirs.read_exact(&mut greeting).await.map_err(|_| Gone)?;
    let [role, form, high, low] = greeting;
    let mut topic = vec![0; u16::from_be_bytes([high, low]).into()];
    theirs.read_exact(&mut topic).await.map_err(|_| Gone)?;
    let (topic, form) = (topics.named(topic), Form::of(form).ok_or(Gone)?);
    match role {
        PUBLISHER => {
            ours.write_all(&[role]).await.map_err(|_| Gone)?;
            publisher(&connection, form, &topic, &mut theirs).await?;
        }
        SUBSCRIBER => {
            let stream = match form {
                Form::OneStream => Some(InTurn::new(connection.open_uni().await.map_err(|_| Gone)?)),
                Form::StreamEach | Form::Datagrams => None,
            };
            let subscriber = Arc::new(Subscriber { connection: connection.clone(), form, stream });
            // Registered before it is confirmed.
            locked(&topic.0).push(subscriber.clone());
            let confirmed = ours.write_all(&[role]).await;
            if confirmed.is_ok() {
                let _ = theirs.read(&mut [0]).await;
            }
            locked(&topic.0).retain(|other| !Arc::ptr_eq(other, &subscriber));
        }
        _ => connection.close(DONE, b"no greeting"),
    }
    // The client has been sent everything, and closes when it knows that.
    let _ = ours.finish();
    connection.closed().await;
    Ok(())
}

/// Forwards a publisher's messages until it has announced the end and everything is read.
async fn publisher(
    connection: &Connection,
    form: Form,
    topic: &Arc<Topic>,
    greeting: &mut RecvStream,
) -> Result<(), Gone> {
    let mut streams = JoinSet::new();
    loop {
        let mut more = [0];
        tokio::select! {
            // Arrived messages take precedence over the end.
            biased;
            stream = connection.accept_uni() => {
                let stream = stream.map_err(|_| Gone)?;
                streams.spawn(read(stream, form, topic.clone()));
            }
            datagram = connection.read_datagram() => {
                topic.forward(&Framed::new(&datagram.map_err(|_| Gone)?)).await;
            }
            // Invalid data ends the connection.
            Some(Ok(Err(gone))) = streams.join_next(), if !streams.is_empty() => return Err(gone),
            _ = greeting.read(&mut more) => break,
        }
    }
    while streams.join_next().await.is_some() {}
    Ok(())
}

/// Forwards the messages of one stream.
async fn read(mut stream: RecvStream, form: Form, topic: Arc<Topic>) -> Result<(), Gone> {
    if form == Form::StreamEach {
        let mut bytes = vec![0; HEADER_BYTES];
        while let Some(chunk) = stream.read_chunk(usize::MAX, true).await.map_err(|_| Gone)? {
            bytes.extend_from_slice(&chunk.bytes);
            if bytes.len() > HEADER_BYTES + STREAM_LIMIT_BYTES as usize {
                return Err(Gone);
            }
        }
        topic.forward(&Framed::behind_room(bytes)).await;
        return Ok(());
    }
    let (mut deframer, mut messages) = (Deframer::default(), Vec::new());
    while let Some(chunk) = stream.read_chunk(usize::MAX, true).await.map_err(|_| Gone)? {
        let fed = deframer.feed(&chunk.bytes, |body| messages.push(Framed::new(body)));
        for message in messages.drain(..) {
            topic.forward(&message).await;
        }
        fed.map_err(|_| Gone)?;
    }
    Ok(())
}

impl Server for QuicRelay {
    fn address(&self) -> SocketAddr {
        self.address
    }

    fn certificate(&self) -> Option<&str> {
        Some(&self.certificate)
    }
}

impl Drop for QuicRelay {
    fn drop(&mut self) {
        if let Some(close) = self.close.take() {
            let _ = close.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

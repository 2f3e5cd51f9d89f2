//! The relay: forwards every publisher's frames to all subscribers.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crate::NAME;
use crate::frame::FrameReader;
use crate::line::{Line, Reader, Terms};
use wiredyno_transport::socket::{PUBLISHER, SUBSCRIBER, wake};
use wiredyno_transport::{ServeError, Server, ServerSetup};

pub struct TcpRelay {
    address: SocketAddr,
    listener: TcpListener,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    terms: Terms,
    closing: AtomicBool,
    /// All connections, so that they can be ended.
    connections: Mutex<Vec<Arc<TcpStream>>>,
    /// The lock of each keeps the frames of several publishers separate.
    subscribers: Mutex<Vec<Arc<Mutex<Arc<Line>>>>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TcpRelay {
    pub fn start(setup: &ServerSetup) -> Result<Self, ServeError> {
        let bind = setup.bind;
        let terms = Terms::of(setup.tls.as_ref());
        let terms = terms.map_err(|fault| ServeError::Tls { transport: NAME, fault })?;
        let start = || {
            let listener = TcpListener::bind(bind)?;
            let address = listener.local_addr()?;
            let shared = Arc::new(Shared { terms, ..Shared::default() });
            let (accepting, of_acceptor) = (listener.try_clone()?, shared.clone());
            let acceptor = std::thread::Builder::new()
                .name("tcp-relay".into())
                .spawn(move || accept(&accepting, &of_acceptor))?;
            Ok(TcpRelay { address, listener, shared, acceptor: Some(acceptor) })
        };
        start().map_err(|source: io::Error| ServeError::Bind { transport: NAME, address: bind, source })
    }
}

/// Serves every connection on its own thread until the relay closes.
fn accept(listener: &TcpListener, shared: &Shared) {
    std::thread::scope(|scope| {
        while let Ok((stream, _)) = listener.accept() {
            let stream = Arc::new(stream);
            locked(&shared.connections).push(stream.clone());
            if shared.closing.load(Ordering::SeqCst) {
                break;
            }
            scope.spawn(move || {
                // Reporting a failed connection is the client's part; the relay continues with the others.
                let _ = serve(&stream, shared);
                wake(&*stream);
                locked(&shared.connections).retain(|other| !Arc::ptr_eq(other, &stream));
            });
        }
        for connection in locked(&shared.connections).iter() {
            wake(&**connection);
        }
    });
}

fn serve(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let line = Arc::new(Line::taken(stream.try_clone()?, &shared.terms)?);
    let mut incoming = line.reader();
    let mut greeting = [0];
    incoming.read_exact(&mut greeting)?;
    match greeting[0] {
        PUBLISHER => {
            (&*line).write_all(&greeting)?;
            let end = forward(&mut incoming, shared);
            let _ = line.close();
            end
        }
        SUBSCRIBER => {
            let subscriber = Arc::new(Mutex::new(line.clone()));
            // Registered before it is confirmed, and no frame may precede the confirmation.
            let own = locked(&subscriber);
            locked(&shared.subscribers).push(subscriber.clone());
            (&**own).write_all(&greeting)?;
            drop(own);
            let end = incoming.read(&mut [0]);
            locked(&shared.subscribers).retain(|other| !Arc::ptr_eq(other, &subscriber));
            end.map(|_| ())
        }
        other => Err(io::Error::new(io::ErrorKind::InvalidData, format!("no greeting: {other:#04x}"))),
    }
}

/// Forwards the frames of one publisher to all subscribers.
fn forward(publisher: &mut Reader, shared: &Shared) -> io::Result<()> {
    let mut reader = FrameReader::new();
    let mut subscribers = Vec::new();
    while let Some(frames) = reader.next_frames(publisher)? {
        subscribers.clone_from(&locked(&shared.subscribers));
        for subscriber in &subscribers {
            let line = locked(subscriber);
            // One that fails removes itself: its own thread sees the end of the connection.
            if (&**line).write_all(frames).is_err() {
                wake(&**line);
            }
        }
    }
    Ok(())
}

impl Server for TcpRelay {
    fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for TcpRelay {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        wake(&self.listener);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

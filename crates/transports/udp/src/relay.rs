//! The relay: forwards every datagram to all registered subscribers.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crate::NAME;
use crate::many::{Incoming, Outgoing};
use wiredyno_transport::socket::{PUBLISHER, SUBSCRIBER, wake, widen_buffers};
use wiredyno_transport::{ServeError, Server};

/// How often another free port is tried if the one found for datagrams is in use for connections.
const PORT_ATTEMPTS: u32 = 20;

pub struct UdpRelay {
    address: SocketAddr,
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    datagrams: UdpSocket,
    listener: TcpListener,
    closing: AtomicBool,
    /// All registrations, so that they can be ended.
    connections: Mutex<Vec<Arc<TcpStream>>>,
    subscribers: Mutex<Vec<SocketAddr>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A datagram socket and a listener at the same port number.
fn same_port(bind: SocketAddr) -> io::Result<(UdpSocket, TcpListener)> {
    let mut attempts = 0;
    loop {
        let datagrams = UdpSocket::bind(bind)?;
        match TcpListener::bind(datagrams.local_addr()?) {
            Ok(listener) => return Ok((datagrams, listener)),
            Err(error) if bind.port() != 0 || attempts == PORT_ATTEMPTS => return Err(error),
            Err(_) => attempts += 1,
        }
    }
}

impl UdpRelay {
    pub fn start(bind: SocketAddr) -> Result<Self, ServeError> {
        let start = || {
            let (datagrams, listener) = same_port(bind)?;
            widen_buffers(&datagrams);
            let mut relay = UdpRelay {
                address: datagrams.local_addr()?,
                shared: Arc::new(Shared {
                    datagrams,
                    listener,
                    closing: AtomicBool::new(false),
                    connections: Mutex::default(),
                    subscribers: Mutex::default(),
                }),
                threads: Vec::new(),
            };
            for (name, work) in [("udp-relay", forward as fn(&Shared)), ("udp-registrar", accept)] {
                let shared = relay.shared.clone();
                let thread = std::thread::Builder::new().name(name.into()).spawn(move || work(&shared))?;
                relay.threads.push(thread);
            }
            Ok(relay)
        };
        start().map_err(|source: io::Error| ServeError::Bind { transport: NAME, address: bind, source })
    }
}

/// Forwards every datagram to all subscribers.
fn forward(shared: &Shared) {
    let (mut incoming, mut outgoing) = (Incoming::new(), Outgoing::default());
    let mut subscribers = Vec::new();
    loop {
        let received = incoming.receive(&shared.datagrams);
        if shared.closing.load(Ordering::SeqCst) {
            return;
        }
        // A failed receive concerns one datagram, like loss.
        let Ok(count) = received else { continue };
        outgoing.clear();
        (0..count).for_each(|place| outgoing.add(incoming.datagram(place)));
        subscribers.clone_from(&locked(&shared.subscribers));
        for subscriber in &subscribers {
            let mut sent = 0;
            while sent < count {
                // A datagram that can't be sent is lost, as on any hop.
                sent += outgoing.send(sent, &shared.datagrams, Some(*subscriber)).unwrap_or(1);
            }
        }
    }
}

/// Serves every registration on its own thread until the relay closes.
fn accept(shared: &Shared) {
    std::thread::scope(|scope| {
        while let Ok((stream, peer)) = shared.listener.accept() {
            let stream = Arc::new(stream);
            locked(&shared.connections).push(stream.clone());
            if shared.closing.load(Ordering::SeqCst) {
                break;
            }
            scope.spawn(move || {
                // Reporting a failed registration is the client's part.
                let _ = register(&stream, peer, shared);
                wake(&*stream);
                locked(&shared.connections).retain(|other| !Arc::ptr_eq(other, &stream));
            });
        }
        for connection in locked(&shared.connections).iter() {
            wake(&**connection);
        }
    });
}

fn register(mut stream: &TcpStream, peer: SocketAddr, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut greeting = [0; 3];
    stream.read_exact(&mut greeting)?;
    let [role, high, low] = greeting;
    match role {
        PUBLISHER => stream.write_all(&[role]),
        SUBSCRIBER => {
            let subscriber = SocketAddr::new(peer.ip(), u16::from_be_bytes([high, low]));
            locked(&shared.subscribers).push(subscriber);
            let end = stream.write_all(&[role]).and_then(|()| stream.read(&mut [0]));
            locked(&shared.subscribers).retain(|other| *other != subscriber);
            end.map(|_| ())
        }
        other => Err(io::Error::new(io::ErrorKind::InvalidData, format!("no greeting: {other:#04x}"))),
    }
}

impl Server for UdpRelay {
    fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for UdpRelay {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        wake(&self.shared.listener);
        wake(&self.shared.datagrams);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

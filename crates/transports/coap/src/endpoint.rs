//! A socket with a thread: passes datagrams and the time to a [`Machine`], which decides.
//!
//! One thread waits for both, so an incoming message is timestamped and answered without a thread switch. It never
//! sleeps longer than the shortest wait that another thread may meanwhile begin, so it needs no wake-up.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::eventfd::EventFd;
use nix::sys::time::TimeSpec;

use crate::declared::DATAGRAM_LIMIT_BYTES;
use crate::dtls::{RECORD_LIMIT_BYTES, Veil};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::socket::widen_buffers;

/// Sends the datagrams of a [`Machine`].
pub trait Wire {
    /// Sends a datagram; returns the time at which the kernel has taken it.
    fn send(&mut self, to: SocketAddr, datagram: &[u8]) -> i64;
}

/// The decisions of an endpoint, without socket and clock.
pub trait Machine: Send + 'static {
    /// A datagram was taken from the socket at `at_ns`.
    fn datagram(&mut self, from: SocketAddr, datagram: &[u8], at_ns: i64, wire: &mut dyn Wire);
    /// The time is now `now_ns`, which may be what `due_ns` requested.
    fn tick(&mut self, now_ns: i64, wire: &mut dyn Wire);
    /// When [`Machine::tick`] must be called; `None` if nothing is pending.
    fn due_ns(&self) -> Option<i64>;
    /// The socket is no longer usable.
    fn failed(&mut self, reason: &str);
}

/// A socket, with the encryption on it.
pub struct Channel {
    /// The UDP socket, connected if there is a `peer`.
    pub socket: UdpSocket,
    /// The socket's connected peer: only its datagrams are received, and its kernel reports if nothing listens.
    pub peer: Option<SocketAddr>,
    /// The encryption; `None` for plain datagrams.
    pub veil: Option<Veil>,
}

impl Channel {
    /// The longest message that fits one datagram, in bytes.
    pub fn limit_bytes(&self) -> usize {
        if self.veil.is_some() { RECORD_LIMIT_BYTES } else { DATAGRAM_LIMIT_BYTES.into() }
    }

    /// Sends a message to the connected peer.
    pub fn send(&mut self, message: &[u8]) -> io::Result<()> {
        let Channel { socket, peer, veil } = self;
        let (Some(veil), Some(peer)) = (veil, *peer) else { return socket.send(message).map(drop) };
        let mut sent = Ok(());
        veil.encrypt(peer, message, &mut |_: SocketAddr, record: &[u8]| {
            if let Err(error) = socket.send(record) {
                sent = Err(error);
            }
        });
        sent
    }

    /// Receives the messages in the peer's next datagram.
    pub fn recv(&mut self, buffer: &mut [u8]) -> io::Result<Vec<Vec<u8>>> {
        let Channel { socket, peer, veil } = self;
        let bytes = socket.recv(buffer)?;
        let (Some(veil), Some(peer)) = (veil, *peer) else { return Ok(vec![buffer[..bytes].to_vec()]) };
        Ok(veil.decrypt(peer, &buffer[..bytes], &mut |_, record| drop(socket.send(record))))
    }
}

/// A machine with its socket; ends when dropped.
pub struct Endpoint<M: Machine> {
    shared: Arc<Shared<M>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared<M> {
    socket: UdpSocket,
    /// The socket's connected peer: only its datagrams are received, and its kernel reports if nothing listens.
    peer: Option<SocketAddr>,
    /// Locked after the machine, never before it.
    veil: Option<Mutex<Veil>>,
    machine: Mutex<M>,
    changed: Condvar,
    closing: AtomicBool,
    /// Ends the thread's sleep when the endpoint is closed.
    alarm: EventFd,
    longest_nap: Duration,
}

/// Sends on a socket and remembers that the peer's kernel has refused.
struct SocketWire<'a> {
    socket: &'a UdpSocket,
    peer: Option<SocketAddr>,
    veil: Option<&'a Mutex<Veil>>,
    refused: Option<String>,
}

fn send(socket: &UdpSocket, peer: Option<SocketAddr>, to: SocketAddr, datagram: &[u8]) -> io::Result<usize> {
    match peer {
        Some(_) => socket.send(datagram),
        None => socket.send_to(datagram, to),
    }
}

impl Wire for SocketWire<'_> {
    fn send(&mut self, to: SocketAddr, datagram: &[u8]) -> i64 {
        let sent = match self.veil {
            None => send(self.socket, self.peer, to, datagram).map(drop),
            Some(veil) => {
                let mut sent = Ok(());
                let mut pass = |to: SocketAddr, record: &[u8]| {
                    if let Err(error) = send(self.socket, self.peer, to, record) {
                        sent = Err(error);
                    }
                };
                locked(veil).encrypt(to, datagram, &mut pass);
                sent
            }
        };
        let at_ns = now_ns();
        // Other errors are treated like loss on the way: confirmable messages are retransmitted, others count as
        // lost.
        if let Err(error) = sent
            && error.kind() == io::ErrorKind::ConnectionRefused
        {
            self.refused = Some(error.to_string());
        }
        at_ns
    }
}

fn locked(veil: &Mutex<Veil>) -> MutexGuard<'_, Veil> {
    veil.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<M: Machine> Shared<M> {
    fn machine(&self) -> MutexGuard<'_, M> {
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, action: impl FnOnce(&mut M, &mut dyn Wire) -> T) -> T {
        let mut wire =
            SocketWire { socket: &self.socket, peer: self.peer, veil: self.veil.as_ref(), refused: None };
        let mut machine = self.machine();
        let result = action(&mut machine, &mut wire);
        if let Some(reason) = wire.refused {
            machine.failed(&reason);
        }
        drop(machine);
        self.changed.notify_all();
        result
    }

    /// Sleeps until a datagram has arrived or the machine's time has come; returns whether a datagram has arrived.
    fn sleep(&self) -> bool {
        let of_veil = self.veil.as_ref().and_then(|veil| locked(veil).due_ns());
        let due_ns = self.machine().due_ns().into_iter().chain(of_veil).min();
        let nap = due_ns.map_or(self.longest_nap, |due_ns| {
            let left_ns = due_ns.saturating_sub(now_ns()).max(0);
            Duration::from_nanos(left_ns.unsigned_abs()).min(self.longest_nap)
        });
        let wakers = [self.socket.as_fd(), self.alarm.as_fd()];
        let mut wakers = wakers.map(|waker| PollFd::new(waker, PollFlags::POLLIN));
        // An interruption only shortens the sleep.
        let _ = ppoll(&mut wakers, Some(TimeSpec::from_duration(nap)), None);
        wakers[0].any().unwrap_or(true)
    }

    /// Passes the messages in a datagram to the machine.
    fn decrypted(&self, veil: &Mutex<Veil>, from: SocketAddr, datagram: &[u8]) {
        let mut answer = |to, record: &[u8]| drop(send(&self.socket, self.peer, to, record));
        let messages = locked(veil).decrypt(from, datagram, &mut answer);
        let at_ns = now_ns();
        for message in messages {
            self.with(|machine, wire| machine.datagram(from, &message, at_ns, wire));
        }
    }

    fn work(&self) {
        // One more than the longest datagram, so that truncation would be noticed.
        let mut buffer = vec![0; 65_536];
        loop {
            let readable = self.sleep();
            if self.closing.load(Ordering::SeqCst) {
                return;
            }
            let received = readable.then(|| self.socket.recv_from(&mut buffer));
            let at_ns = now_ns();
            match received {
                Some(Ok((bytes, from))) => match &self.veil {
                    None => self.with(|machine, wire| machine.datagram(from, &buffer[..bytes], at_ns, wire)),
                    Some(veil) => self.decrypted(veil, from, &buffer[..bytes]),
                },
                Some(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    self.with(|machine, _| machine.failed(&error.to_string()));
                }
                Some(Err(_)) | None => {}
            }
            if let Some(veil) = &self.veil {
                locked(veil).tick(at_ns, &mut |to, record| drop(send(&self.socket, self.peer, to, record)));
            }
            // After the datagram: it may be the acknowledgement that makes a retransmission unnecessary.
            if self.machine().due_ns().is_some_and(|due_ns| due_ns <= at_ns) {
                self.with(|machine, wire| machine.tick(at_ns, wire));
            }
        }
    }
}

impl<M: Machine> Endpoint<M> {
    /// Starts the thread. `longest_nap` is the shortest wait that other threads begin through the machine.
    pub fn start(name: &str, way: Channel, longest_nap: Duration, machine: M) -> io::Result<Self> {
        let Channel { socket, peer, veil } = way;
        widen_buffers(&socket);
        let shared = Arc::new(Shared {
            socket,
            peer,
            veil: veil.map(Mutex::new),
            machine: Mutex::new(machine),
            changed: Condvar::new(),
            closing: AtomicBool::new(false),
            alarm: EventFd::new()?,
            longest_nap,
        });
        let of_thread = shared.clone();
        let thread = std::thread::Builder::new().name(name.into()).spawn(move || of_thread.work())?;
        Ok(Endpoint { shared, thread: Some(thread) })
    }

    /// Runs an action of the machine now, on this thread.
    pub fn with<T>(&self, action: impl FnOnce(&mut M, &mut dyn Wire) -> T) -> T {
        self.shared.with(action)
    }

    /// Waits until `done` holds, at most for `limit`; returns whether it does.
    pub fn wait(&self, limit: Duration, done: impl Fn(&M) -> bool) -> bool {
        let until = Instant::now() + limit;
        let mut machine = self.shared.machine();
        loop {
            if done(&machine) {
                return true;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.shared.changed.wait_timeout(machine, left);
            machine = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Ends the thread; the machine can still be queried.
    pub fn end(&mut self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        // Fails only when the counter is full: then the thread is already awake.
        let _ = self.shared.alarm.write(1);
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            self.with(|machine, _| machine.failed("its thread panicked: please report this"));
        }
    }

    /// Sends close_notify in DTLS, after everything that the machine has sent.
    fn part(&self) {
        let Shared { socket, peer, veil, .. } = &*self.shared;
        if let Some(veil) = veil {
            locked(veil).close(*peer, &mut |to, record| drop(send(socket, *peer, to, record)));
        }
    }
}

impl<M: Machine> Drop for Endpoint<M> {
    fn drop(&mut self) {
        self.end();
        self.part();
    }
}

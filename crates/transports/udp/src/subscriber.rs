//! Receives datagrams on its own thread; another thread sleeps until the relay ends the registration.

use std::io::{self, Read};
use std::net::{TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::NAME;
use crate::many::Incoming;
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::socket::{SUBSCRIBER, any_port_towards, greet, wake, widen_buffers};
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, ReceivedSink, Subscriber};

pub struct UdpSubscriber {
    shared: Arc<Shared>,
    receiver: Option<JoinHandle<Option<String>>>,
    watcher: Option<JoinHandle<()>>,
}

struct Shared {
    socket: UdpSocket,
    /// The subscriber is registered while this is open.
    registration: TcpStream,
    /// Whether this side ends the registration.
    closing: AtomicBool,
    /// Whether the relay ended the registration.
    lost: AtomicBool,
}

impl UdpSubscriber {
    pub fn connect(setup: &ClientSetup, mut sink: Box<dyn ReceivedSink>) -> Result<Self, ConnectError> {
        let local = |source| ConnectError::Local { transport: NAME, source };
        let open = || {
            let socket = UdpSocket::bind(any_port_towards(setup.endpoint))?;
            // Only the relay's datagrams are accepted.
            socket.connect(setup.endpoint)?;
            widen_buffers(&socket);
            let port = socket.local_addr()?.port();
            Ok((socket, port))
        };
        let (socket, port) = open().map_err(local)?;
        let [high, low] = port.to_be_bytes();
        let shared = Arc::new(Shared {
            registration: greet(NAME, setup.endpoint, &[SUBSCRIBER, high, low], setup.limit)?,
            socket,
            closing: AtomicBool::new(false),
            lost: AtomicBool::new(false),
        });
        let mut subscriber = UdpSubscriber { shared: shared.clone(), receiver: None, watcher: None };
        let watched = shared.clone();
        let thread = |name: &str| std::thread::Builder::new().name(name.into());
        let receiver = thread("udp-receiver").spawn(move || receive(&shared, &mut *sink));
        subscriber.receiver = Some(receiver.map_err(local)?);
        let watcher = thread("udp-registration").spawn(move || watch(&watched));
        subscriber.watcher = Some(watcher.map_err(local)?);
        Ok(subscriber)
    }

    fn end(&mut self) -> Option<String> {
        self.shared.closing.store(true, Ordering::SeqCst);
        wake(&self.shared.registration);
        wake(&self.shared.socket);
        if let Some(watcher) = self.watcher.take() {
            let _ = watcher.join();
        }
        match self.receiver.take()?.join() {
            Ok(reason) => reason,
            Err(_) => Some("the receiving thread panicked: please report this".into()),
        }
    }
}

/// Waits for the end of the registration.
fn watch(shared: &Shared) {
    let _ = (&shared.registration).read(&mut [0]);
    shared.lost.store(true, Ordering::SeqCst);
    wake(&shared.socket);
}

/// Hands datagrams to the sink until the socket ends; returns why, if that was not requested.
fn receive(shared: &Shared, sink: &mut dyn ReceivedSink) -> Option<String> {
    let mut incoming = Incoming::new();
    let reason = 'receiving: loop {
        let received = incoming.receive(&shared.socket);
        let ending = shared.closing.load(Ordering::SeqCst) || shared.lost.load(Ordering::SeqCst);
        let count = match received {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => break error.to_string(),
        };
        for datagram in (0..count).map(|place| incoming.datagram(place)) {
            // A socket that was shut down reads like an empty datagram, but then one side is ending.
            if datagram.is_empty() && ending {
                break 'receiving "the relay ended the registration".to_owned();
            }
            // Each gets the time of its handover: those that arrived together waited for the previous ones, as they would in
            // the socket.
            sink.received(datagram, now_ns());
        }
    };
    if shared.closing.load(Ordering::SeqCst) {
        return None;
    }
    sink.broken(&reason);
    Some(reason)
}

impl Subscriber for UdpSubscriber {
    fn finish(mut self: Box<Self>, _grace: Duration) -> Result<(), FinishError> {
        match self.end() {
            None => Ok(()),
            Some(reason) => Err(FinishError::Broken { transport: NAME, reason }),
        }
    }
}

impl Drop for UdpSubscriber {
    fn drop(&mut self) {
        self.end();
    }
}

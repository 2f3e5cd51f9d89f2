//! Sends datagrams from the calling thread: the shortest possible path.

use std::io;
use std::net::UdpSocket;
use std::sync::Arc;
use std::time::Duration;

use crate::many::{MOST, Outgoing};
use crate::{BODY_LIMIT_BYTES, NAME};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::socket::{PUBLISHER, any_port_towards, greet, widen_buffers};
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, Publisher, SendError, SentSink};

pub struct UdpPublisher {
    socket: UdpSocket,
    sink: Arc<dyn SentSink>,
    /// Messages that others follow, with their tokens.
    held: Outgoing,
    tokens: Vec<u64>,
}

impl UdpPublisher {
    pub fn connect(setup: &ClientSetup, sink: Arc<dyn SentSink>) -> Result<Self, ConnectError> {
        // A datagram would not show that nothing listens; the greeting does.
        drop(greet(NAME, setup.endpoint, &[PUBLISHER, 0, 0], setup.limit)?);
        let open = || {
            let socket = UdpSocket::bind(any_port_towards(setup.endpoint))?;
            socket.connect(setup.endpoint)?;
            widen_buffers(&socket);
            Ok(socket)
        };
        match open() {
            Ok(socket) => {
                Ok(UdpPublisher { socket, sink, held: Outgoing::default(), tokens: Vec::with_capacity(MOST) })
            }
            Err(source) => Err(ConnectError::Local { transport: NAME, source }),
        }
    }
}

/// Checks that a body fits into a datagram.
fn fitting(body: &[u8]) -> Result<(), SendError> {
    if body.len() <= BODY_LIMIT_BYTES {
        return Ok(());
    }
    Err(SendError::TooLarge { transport: NAME, body_bytes: body.len(), limit_bytes: BODY_LIMIT_BYTES })
}

impl UdpPublisher {
    fn broken(&self, error: &io::Error) -> SendError {
        let reason = error.to_string();
        self.sink.broken(&reason);
        SendError::Broken { transport: NAME, reason }
    }

    fn flush(&mut self) -> Result<(), SendError> {
        let mut first = 0;
        while first < self.held.count() {
            let taken = self.held.send(first, &self.socket, None).map_err(|error| self.broken(&error))?;
            let at_ns = now_ns();
            self.tokens[first..first + taken].iter().for_each(|token| self.sink.sent(*token, at_ns));
            first += taken;
        }
        self.held.clear();
        self.tokens.clear();
        Ok(())
    }
}

impl Publisher for UdpPublisher {
    fn send(&mut self, token: u64, body: &[u8]) -> Result<(), SendError> {
        if self.tokens.is_empty() {
            fitting(body)?;
            self.socket.send(body).map_err(|error| self.broken(&error))?;
            self.sink.sent(token, now_ns());
            return Ok(());
        }
        self.send_followed(token, body)?;
        self.flush()
    }

    fn send_followed(&mut self, token: u64, body: &[u8]) -> Result<(), SendError> {
        fitting(body)?;
        self.held.add(body);
        self.tokens.push(token);
        if self.tokens.len() < MOST { Ok(()) } else { self.flush() }
    }

    fn acknowledges(&self) -> bool {
        false
    }

    fn finish(mut self: Box<Self>, _grace: Duration) -> Result<(), FinishError> {
        self.flush().map_err(|error| FinishError::Broken { transport: NAME, reason: error.to_string() })
    }
}

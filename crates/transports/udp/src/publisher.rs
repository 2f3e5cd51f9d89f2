//! Sends datagrams in the calling thread: the leanest path there is.

use std::net::UdpSocket;
use std::sync::Arc;
use std::time::Duration;

use crate::{BODY_LIMIT_BYTES, NAME, any_port_towards};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::socket::{PUBLISHER, greet, widen_buffers};
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, Publisher, SendError, SentSink};

pub struct UdpPublisher {
    socket: UdpSocket,
    sink: Arc<dyn SentSink>,
}

impl UdpPublisher {
    pub fn connect(setup: &ClientSetup, sink: Arc<dyn SentSink>) -> Result<Self, ConnectError> {
        // A datagram into the void would not tell that nobody listens, the greeting does.
        drop(greet(NAME, setup.endpoint, &[PUBLISHER, 0, 0], setup.limit)?);
        let open = || {
            let socket = UdpSocket::bind(any_port_towards(setup.endpoint))?;
            socket.connect(setup.endpoint)?;
            widen_buffers(&socket);
            Ok(socket)
        };
        match open() {
            Ok(socket) => Ok(UdpPublisher { socket, sink }),
            Err(source) => Err(ConnectError::Local { transport: NAME, source }),
        }
    }
}

impl Publisher for UdpPublisher {
    fn send(&mut self, token: u64, body: &[u8]) -> Result<(), SendError> {
        if body.len() > BODY_LIMIT_BYTES {
            return Err(SendError::TooLarge {
                transport: NAME,
                body_bytes: body.len(),
                limit_bytes: BODY_LIMIT_BYTES,
            });
        }
        match self.socket.send(body) {
            Ok(_) => {
                self.sink.sent(token, now_ns());
                Ok(())
            }
            Err(error) => {
                let reason = error.to_string();
                self.sink.broken(&reason);
                Err(SendError::Broken { transport: NAME, reason })
            }
        }
    }

    fn acknowledges(&self) -> bool {
        false
    }

    fn finish(self: Box<Self>, _grace: Duration) -> Result<(), FinishError> {
        Ok(())
    }
}

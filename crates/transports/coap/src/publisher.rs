//! The publisher with its socket: a ping to check that the server answers, then one POST after another.

use std::sync::Arc;
use std::time::Duration;

use crate::NAME;
use crate::client::{ask_alive, connect};
use crate::declared::Options;
use crate::declared::Setting;
use crate::endpoint::Endpoint;
use crate::sender::Sender;
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, Publisher, SendError, SentSink};

pub struct CoapPublisher {
    endpoint: Endpoint<Sender>,
    body_limit_bytes: usize,
}

impl CoapPublisher {
    pub fn connect(
        setup: &ClientSetup,
        setting: Setting,
        options: &Options,
        sink: Arc<dyn SentSink>,
    ) -> Result<Self, ConnectError> {
        let (mut way, seed) = connect(setup, "publisher")?;
        ask_alive(&mut way, setup, options, seed)?;
        let sender = Sender::new(setup, setting, options.clone(), seed, sink);
        let body_limit_bytes = sender.body_limit_bytes(way.limit_bytes());
        let nap = Duration::from_nanos(options.transmission.ack_timeout_ns.unsigned_abs());
        let endpoint = Endpoint::start("coap-publisher", way, nap, sender);
        let endpoint = endpoint.map_err(|source| ConnectError::Local { transport: NAME, source })?;
        Ok(CoapPublisher { endpoint, body_limit_bytes })
    }
}

impl Publisher for CoapPublisher {
    fn send(&mut self, token: u64, body: &[u8]) -> Result<(), SendError> {
        if body.len() > self.body_limit_bytes {
            return Err(SendError::TooLarge {
                transport: NAME,
                body_bytes: body.len(),
                limit_bytes: self.body_limit_bytes,
            });
        }
        let sent = self.endpoint.with(|sender, wire| sender.send(token, body, wire));
        sent.map_err(|reason| SendError::Broken { transport: NAME, reason })
    }

    fn acknowledges(&self) -> bool {
        true
    }

    fn finish(mut self: Box<Self>, grace: Duration) -> Result<(), FinishError> {
        let ended = |sender: &Sender| sender.left() == 0 || sender.broken().is_some();
        self.endpoint.wait(grace, ended);
        let (left, broken) =
            self.endpoint.with(|sender, _| (sender.left(), sender.broken().map(str::to_owned)));
        self.endpoint.end();
        match broken {
            Some(reason) => Err(FinishError::Broken { transport: NAME, reason }),
            None if left > 0 => Err(FinishError::Unfinished {
                transport: NAME,
                grace,
                reason: format!("{left} messages were not sent or not acknowledged"),
            }),
            None => Ok(()),
        }
    }
}

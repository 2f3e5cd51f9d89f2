//! Publishes; matches packet ids to tokens.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rumqttc::{Event, Outgoing, Packet, QoS};

use crate::client::{Connection, INFLIGHT, Listener};
use crate::{BODY_LIMIT_BYTES, NAME};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, Publisher, SendError, SentSink};

pub struct MqttPublisher {
    connection: Connection,
    topic: String,
    qos: QoS,
    /// Tokens in the order of their messages, for the event loop.
    tokens: Sender<u64>,
    broken: Arc<Mutex<Option<String>>>,
}

struct Tracker {
    sink: Arc<dyn SentSink>,
    tokens: Receiver<u64>,
    /// The token of each packet id on its way.
    on_their_way: Vec<u64>,
    broken: Arc<Mutex<Option<String>>>,
}

impl Listener for Tracker {
    fn event(&mut self, event: Event) {
        let at_ns = now_ns();
        match event {
            // The library takes messages in order and reports each once, so the oldest token is this one's.
            Event::Outgoing(Outgoing::Publish(packet)) => {
                if let Ok(token) = self.tokens.try_recv() {
                    self.sink.sent(token, at_ns);
                    if let Some(place) = self.on_their_way.get_mut(usize::from(packet)) {
                        *place = token;
                    }
                }
            }
            Event::Incoming(Packet::PubAck(ack)) => self.acked(ack.pkid, at_ns),
            Event::Incoming(Packet::PubComp(complete)) => self.acked(complete.pkid, at_ns),
            _ => {}
        }
    }

    fn broken(&mut self, reason: &str) {
        *self.broken.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason.to_owned());
        self.sink.broken(reason);
    }
}

impl Tracker {
    fn acked(&self, packet: u16, at_ns: i64) {
        if let Some(token) = self.on_their_way.get(usize::from(packet)) {
            self.sink.acked(*token, at_ns);
        }
    }
}

impl MqttPublisher {
    pub fn connect(setup: &ClientSetup, qos: QoS, sink: Arc<dyn SentSink>) -> Result<Self, ConnectError> {
        let (tokens, queue) = channel();
        let broken = Arc::new(Mutex::new(None));
        let tracker = Tracker {
            sink,
            tokens: queue,
            on_their_way: vec![0; usize::from(INFLIGHT) + 1],
            broken: broken.clone(),
        };
        Ok(MqttPublisher {
            connection: Connection::open(setup, "publisher", None, Box::new(tracker))?,
            topic: setup.topic.clone(),
            qos,
            tokens,
            broken,
        })
    }

    fn reason(&self) -> Option<String> {
        self.broken.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Publisher for MqttPublisher {
    fn send(&mut self, token: u64, body: &[u8]) -> Result<(), SendError> {
        if body.len() > BODY_LIMIT_BYTES {
            return Err(SendError::TooLarge {
                transport: NAME,
                body_bytes: body.len(),
                limit_bytes: BODY_LIMIT_BYTES,
            });
        }
        let broken = |reason| SendError::Broken { transport: NAME, reason };
        if let Some(reason) = self.reason() {
            return Err(broken(reason));
        }
        // The token goes first: the event loop may report the message before this thread goes on.
        if self.tokens.send(token).is_err() {
            return Err(broken("the client's thread has ended".into()));
        }
        let taken = self.connection.client.try_publish(self.topic.as_str(), self.qos, false, body);
        taken.map_err(|error| broken(self.reason().unwrap_or_else(|| error.to_string())))
    }

    fn acknowledges(&self) -> bool {
        self.qos != QoS::AtMostOnce
    }

    fn finish(self: Box<Self>, grace: Duration) -> Result<(), FinishError> {
        self.connection.finish(grace)
    }
}

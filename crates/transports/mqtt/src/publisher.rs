//! Publishes; matches packet ids to tokens.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rumqttc::QoS;

use crate::client::{Connection, Listener, Role};
use crate::dialect::{BODY_LIMIT_BYTES, Dialect, Event, INFLIGHT, Message, Wishes};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, Publisher, SendError, SentSink};

/// The alias of the topic, if aliases are requested (MQTT 5.0, 3.3.2.3.4).
const ALIAS: u16 = 1;

/// The most that PUBLISH has besides topic and body: fixed header (5), length of the topic (2), packet id (2),
/// properties' length (1) and a topic alias (3) (MQTT 5.0, 3.3).
const PUBLISH_BYTES: usize = 13;

/// A publisher of either version.
pub struct MqttPublisher<D: Dialect> {
    connection: Connection<D>,
    topic: String,
    wishes: Wishes,
    body_limit_bytes: usize,
    /// Whether the broker knows the topic's alias.
    numbered: bool,
    /// Tokens in the order of their messages, for the event loop.
    tokens: Sender<u64>,
    fates: Arc<Fates>,
}

/// The state of the messages so far.
#[derive(Default)]
struct Fate {
    broken: Option<String>,
    /// Messages that are not yet acknowledged.
    open: u64,
    /// Messages that the broker has rejected; next, why it rejected the first.
    refused: u64,
    refusal: String,
}

/// Shared by the publisher and its event loop.
#[derive(Default)]
struct Fates {
    fate: Mutex<Fate>,
    changed: Condvar,
}

impl Fates {
    fn lock(&self) -> MutexGuard<'_, Fate> {
        self.fate.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Updates the state, and wakes a thread that waits for the last acknowledgement.
    fn note(&self, change: impl FnOnce(&mut Fate)) {
        let mut fate = self.lock();
        change(&mut fate);
        if fate.open == 0 || fate.broken.is_some() {
            self.changed.notify_all();
        }
    }

    /// Waits until every message is settled or the connection is lost; returns how many messages are unsettled.
    fn settle(&self, grace: Duration) -> u64 {
        let waits = |fate: &mut Fate| fate.open > 0 && fate.broken.is_none();
        let settled = self.changed.wait_timeout_while(self.lock(), grace, waits);
        let (fate, _) = settled.unwrap_or_else(PoisonError::into_inner);
        if fate.broken.is_some() { 0 } else { fate.open }
    }
}

struct Tracker {
    sink: Arc<dyn SentSink>,
    tokens: Receiver<u64>,
    /// The token of each packet id in flight.
    on_their_way: Vec<u64>,
    fates: Arc<Fates>,
}

impl Listener for Tracker {
    fn event(&mut self, event: Event) {
        let at_ns = now_ns();
        match event {
            // The library sends messages in order and reports each once, so the oldest token belongs to this one.
            Event::Sent(packet) => {
                if let Ok(token) = self.tokens.try_recv() {
                    self.sink.sent(token, at_ns);
                    if let Some(place) = self.on_their_way.get_mut(usize::from(packet)) {
                        *place = token;
                    }
                }
            }
            Event::Acked(packet) => {
                if let Some(token) = self.on_their_way.get(usize::from(packet)) {
                    self.sink.acked(*token, at_ns);
                }
                self.fates.note(|fate| fate.open = fate.open.saturating_sub(1));
            }
            Event::Refused(_, reason) => self.fates.note(|fate| {
                if fate.refused == 0 {
                    fate.refusal = reason;
                }
                fate.refused += 1;
                fate.open = fate.open.saturating_sub(1);
            }),
            _ => {}
        }
    }

    fn broken(&mut self, reason: &str) {
        self.fates.note(|fate| fate.broken = Some(reason.to_owned()));
        self.sink.broken(reason);
    }
}

impl<D: Dialect> MqttPublisher<D> {
    /// Connects; returns when it can publish.
    ///
    /// # Errors
    /// When the broker refuses, does not answer within the limit, or lacks a required feature.
    pub fn connect(
        setup: &ClientSetup,
        wishes: Wishes,
        sink: Arc<dyn SentSink>,
    ) -> Result<Self, ConnectError> {
        let (tokens, queue) = channel();
        let fates = Arc::new(Fates::default());
        let tracker = Tracker {
            sink,
            tokens: queue,
            on_their_way: vec![0; usize::from(INFLIGHT) + 1],
            fates: fates.clone(),
        };
        let connection = Connection::open(setup, Role::Publisher, wishes, Box::new(tracker))?;
        let room = connection.grants.packet_bytes.saturating_sub(PUBLISH_BYTES + setup.topic.len());
        Ok(MqttPublisher {
            connection,
            topic: setup.topic.clone(),
            wishes,
            body_limit_bytes: room.min(BODY_LIMIT_BYTES),
            numbered: false,
            tokens,
            fates,
        })
    }
}

impl<D: Dialect> Publisher for MqttPublisher<D> {
    fn send(&mut self, token: u64, body: &[u8]) -> Result<(), SendError> {
        if body.len() > self.body_limit_bytes {
            return Err(SendError::TooLarge {
                transport: D::NAME,
                body_bytes: body.len(),
                limit_bytes: self.body_limit_bytes,
            });
        }
        let broken = |reason| SendError::Broken { transport: D::NAME, reason };
        let mut fate = self.fates.lock();
        if let Some(reason) = fate.broken.clone() {
            return Err(broken(reason));
        }
        // Counted first, like the token: its acknowledgement may arrive before this thread continues.
        fate.open += u64::from(self.acknowledges());
        drop(fate);
        // The token goes first: the event loop may report the message before this thread continues.
        if self.tokens.send(token).is_err() {
            return Err(broken("the client's thread has ended".into()));
        }
        let message = Message {
            topic: if self.numbered { "" } else { &self.topic },
            alias: self.wishes.alias.then_some(ALIAS),
            quality: self.wishes.quality,
            retain: self.wishes.retain,
            body,
        };
        let taken = D::publish(&self.connection.requests, &message);
        taken.map_err(|error| {
            let mut fate = self.fates.lock();
            fate.open = fate.open.saturating_sub(1);
            broken(fate.broken.clone().unwrap_or(error))
        })?;
        self.numbered = self.wishes.alias;
        Ok(())
    }

    fn acknowledges(&self) -> bool {
        self.wishes.quality != QoS::AtMostOnce
    }

    fn finish(self: Box<Self>, grace: Duration) -> Result<(), FinishError> {
        let until = Instant::now() + grace;
        let MqttPublisher { connection, fates, .. } = *self;
        // A broker drops messages that a leaving client has not released: at QoS 2 it owns a message only with PUBREL.
        let open = fates.settle(grace);
        let lost = fates.lock().broken.clone();
        let end = match open {
            0 => connection.finish(until.saturating_duration_since(Instant::now())),
            open => Err(FinishError::Unfinished {
                transport: D::NAME,
                grace,
                reason: format!("{open} messages were not sent or not acknowledged"),
            }),
        };
        // A connection lost earlier may not report it at its end: its thread may have ended, or see the request first.
        let end = lost.map_or(end, |reason| Err(FinishError::Broken { transport: D::NAME, reason }));
        let fate = fates.lock();
        match fate.refused {
            0 => end,
            messages => {
                Err(FinishError::Refused { transport: D::NAME, messages, reason: fate.refusal.clone() })
            }
        }
    }
}

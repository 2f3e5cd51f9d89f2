//! Publishes; a separate thread polls for delivery reports.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rdkafka::ClientConfig;
use rdkafka::error::RDKafkaErrorCode;

use crate::admin::Admin;
use crate::client::{BATCH_LIMIT_BYTES, Connecting, Health, POLL, config, part};
use crate::declared::{Acks, Key, Options, Setting};
use crate::headers::HEADER_BYTES;
use crate::producer::{Producer, Reports};
use crate::written::Written;
use crate::{BODY_LIMIT_BYTES, NAME, topic};
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, Publisher, SendError, SentSink};

/// Most records waiting for the library's threads; no memory is reserved in advance.
const QUEUE_RECORDS: usize = 1 << 24;

/// Their total size in bytes: the library's own default.
pub const QUEUE_BYTES: usize = 1 << 30;

/// The most that a batch of one record has besides its body: 61 bytes of the batch header, 7 numbers of the record (Kafka
/// protocol, record batch) and the digits of a key, rounded up.
const RECORD_BYTES: usize = 128;

pub struct KafkaPublisher {
    producer: Option<Arc<Producer>>,
    acks: Acks,
    limit_bytes: usize,
    keys: Keys,
    closing: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// The keys of records: written into the same bytes, one after the other.
struct Keys {
    key: Key,
    values: u64,
    text: String,
}

impl Keys {
    fn of(options: &Options) -> Self {
        let values = u64::try_from(options.key_values).unwrap_or(1).max(1);
        Keys { key: options.key, values, text: String::new() }
    }

    /// The key of the message with a number.
    fn of_message(&mut self, number: u64) -> Option<&[u8]> {
        let number = match self.key {
            Key::None => return None,
            Key::Sequence => number,
            Key::Few => number % self.values,
        };
        self.text.clear();
        // Writing into a text does not fail.
        let _ = write!(self.text, "{number}");
        Some(self.text.as_bytes())
    }
}

fn settings(setup: &ClientSetup, setting: Setting, options: &Options) -> ClientConfig {
    let acks = match setting.acks {
        Acks::None => "0",
        Acks::Leader => "1",
        Acks::All => "all",
    };
    let mut config = config(setup);
    config
        .set("acks", acks)
        .set("enable.idempotence", setting.idempotent.to_string())
        .set("batch.size", options.batch_bytes.to_string())
        .set("linger.ms", (options.linger_ns as f64 / 1e6).to_string())
        .set("compression.type", options.compression.word())
        .set("partitioner", options.partitioner.word())
        .set("queue.buffering.max.messages", QUEUE_RECORDS.to_string())
        .set("queue.buffering.max.kbytes", (QUEUE_BYTES / 1024).to_string())
        // Messages don't expire.
        .set("message.timeout.ms", "0");
    config
}

impl KafkaPublisher {
    pub fn connect(
        setup: &ClientSetup,
        setting: Setting,
        options: &Options,
        sink: Arc<dyn SentSink>,
    ) -> Result<Self, ConnectError> {
        let until = Instant::now() + setup.limit;
        let reports = Reports {
            written: Arc::new(Written { sink, identified: AtomicBool::new(!setting.idempotent) }),
            acknowledged: setting.acks != Acks::None,
            health: Health::default(),
            fate: Mutex::default(),
        };
        let topic = topic::name(&setup.topic);
        let headers = usize::try_from(options.headers).unwrap_or(0);
        let producer = Arc::new(Producer::new(&settings(setup, setting, options), &topic, headers, reports)?);
        let limit_bytes = match Self::reach(&producer, setup, until) {
            Ok(limit_bytes) => limit_bytes.saturating_sub(headers * HEADER_BYTES).min(BODY_LIMIT_BYTES),
            Err(error) => {
                part(producer, Duration::ZERO);
                return Err(error);
            }
        };
        let closing = Arc::new(AtomicBool::new(false));
        let work = (producer.clone(), closing.clone());
        let thread = std::thread::Builder::new()
            .name("kafka-publisher".into())
            .spawn(move || poll(&work.0, &work.1))
            .map_err(|source| ConnectError::Local { transport: NAME, source })?;
        Ok(KafkaPublisher {
            producer: Some(producer),
            acks: setting.acks,
            limit_bytes,
            keys: Keys::of(options),
            closing,
            thread: Some(thread),
        })
    }

    /// Waits for the topic, connections to its leaders and the producer's id; returns the largest body that the topic
    /// accepts without headers.
    fn reach(producer: &Producer, setup: &ClientSetup, until: Instant) -> Result<usize, ConnectError> {
        let (client, reports) = (producer.client(), producer.reports());
        let serve = |span: Duration| producer.poll(span);
        let connecting = Connecting { setup, health: &reports.health, serve: &serve, until };
        let partitions = topic::await_leaders(client, &connecting)?.partitions;
        topic::ends(client, &partitions, &connecting)?;
        while !reports.written.identified.load(Ordering::SeqCst) {
            let left = connecting.left()?;
            serve(left.min(Duration::from_millis(1)));
        }
        let serve = || {
            producer.poll(Duration::ZERO);
            !reports.health.is_down()
        };
        let admin = Admin { client, serve: &serve, until };
        // If the broker does not report it, the broker itself rejects bodies that are too large.
        let limit = admin.batch_limit_bytes(&topic::name(&setup.topic)).unwrap_or(BATCH_LIMIT_BYTES);
        connecting.left()?;
        Ok(limit.saturating_sub(RECORD_BYTES))
    }

    /// Ends the thread, discards what is left and drops the library's client.
    fn end(&mut self, patience: Duration) {
        self.closing.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        if let Some(producer) = self.producer.take() {
            part(producer, patience);
        }
    }
}

/// Runs the library's callbacks until the role ends or the connection is lost.
fn poll(producer: &Producer, closing: &AtomicBool) {
    let reports = producer.reports();
    while !closing.load(Ordering::SeqCst) {
        producer.poll(POLL);
        if let Some(reason) = reports.health.end(|span| producer.poll(span)) {
            // Otherwise the library would resend it to a broker that has come back.
            producer.purge();
            reports.fate().broken = Some(reason.clone());
            reports.written.sink.broken(&reason);
            return;
        }
    }
}

impl Publisher for KafkaPublisher {
    fn send(&mut self, token: u64, body: &[u8]) -> Result<(), SendError> {
        if body.len() > self.limit_bytes {
            return Err(SendError::TooLarge {
                transport: NAME,
                body_bytes: body.len(),
                limit_bytes: self.limit_bytes,
            });
        }
        let broken = |reason| SendError::Broken { transport: NAME, reason };
        let Some(producer) = &self.producer else { return Err(broken("it has ended".to_owned())) };
        let reports = producer.reports();
        // The lock is not taken for every message.
        if reports.health.is_down()
            && let Some(reason) = reports.fate().broken.clone()
        {
            return Err(broken(reason));
        }
        producer.send(token, self.keys.of_message(token), body).map_err(|error| match error {
            RDKafkaErrorCode::QueueFull => SendError::Full {
                transport: NAME,
                limit: format!("{QUEUE_RECORDS} records or {QUEUE_BYTES} bytes"),
            },
            _ => broken(error.to_string()),
        })
    }

    fn acknowledges(&self) -> bool {
        self.acks != Acks::None
    }

    fn finish(mut self: Box<Self>, grace: Duration) -> Result<(), FinishError> {
        let until = Instant::now() + grace;
        let left = || until.saturating_duration_since(Instant::now());
        let Some(producer) = self.producer.clone() else { return Ok(()) };
        let reports = producer.reports().clone();
        while producer.waiting() > 0 && !reports.health.is_down() && !left().is_zero() {
            // This does not wait for batches to fill.
            producer.flush(POLL.min(left()));
        }
        let waiting = producer.waiting();
        drop(producer);
        self.end(left().max(POLL));
        let mut fate = reports.fate();
        // The thread may have ended before it was told to.
        let down = reports.health.is_down().then(|| reports.health.last().unwrap_or_default());
        if let Some(reason) = fate.broken.take().or(down) {
            return Err(FinishError::Broken { transport: NAME, reason });
        }
        if waiting > 0 {
            let reason = format!("{waiting} messages were not sent or not acknowledged");
            return Err(FinishError::Unfinished { transport: NAME, grace, reason });
        }
        match fate.refused.take() {
            Some((messages, reason)) => Err(FinishError::Refused { transport: NAME, messages, reason }),
            None => Ok(()),
        }
    }
}

impl Drop for KafkaPublisher {
    fn drop(&mut self) {
        self.end(POLL);
    }
}

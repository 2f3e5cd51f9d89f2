//! Subscribes; a separate thread polls for records. It creates the topic if there is none, and removes what it created. One file because the role and its
//! thread are two ends of one consumer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rdkafka::client::{Client, ClientContext};
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer, ConsumerContext};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::{ClientConfig, Message, Offset, TopicPartitionList};
use rdkafka_sys::rd_kafka_type_t::RD_KAFKA_PRODUCER;

use crate::admin::{Admin, Refusal};
use crate::client::{BATCH_LIMIT_BYTES, Connecting, Health, POLL, config, local, milliseconds, part};
use crate::declared::{Options, TakeStamp};
use crate::topic::Found;
use crate::{NAME, topic};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, ReceivedSink, Subscriber};

/// How long a cluster that has just started may still lack nodes for the requested replicas.
const GATHERING: Duration = Duration::from_secs(5);

/// Pause before a request to a broker is repeated.
const PAUSE: Duration = Duration::from_millis(50);

/// How long one query for a coordinator may take before the connection is checked again.
const COORDINATOR_TRY: Duration = Duration::from_secs(1);

/// How long removing the topic may take when nothing waits for it.
const LEAVING: Duration = Duration::from_secs(2);

/// Distinguishes the groups of one process.
static GROUPS: AtomicU64 = AtomicU64::new(0);

pub struct KafkaSubscriber {
    consumer: Option<Arc<BaseConsumer<Listening>>>,
    setup: ClientSetup,
    /// Where to connect for removing the topic: the broker named in the setup may have died meanwhile.
    brokers: String,
    topic: String,
    /// Whether this subscriber created the topic.
    made: bool,
    /// The group of which it is the only member, if any.
    group: Option<String>,
    closing: Arc<AtomicBool>,
    /// Returns the reason if the connection was lost.
    thread: Option<JoinHandle<Option<String>>>,
}

/// Receives the library's reports other than records.
#[derive(Default)]
struct Listening {
    health: Health,
}

impl ClientContext for Listening {
    fn log(&self, _level: RDKafkaLogLevel, _facility: &str, _message: &str) {}

    fn error(&self, error: KafkaError, reason: &str) {
        self.health.note(&error, reason);
    }
}

impl ConsumerContext for Listening {}

fn settings(setup: &ClientSetup, options: &Options, group: &str) -> ClientConfig {
    let wait_max = milliseconds(Duration::from_nanos(options.fetch_wait_max_ns));
    let mut config = config(setup);
    config
        // The library requires a group even for explicitly named partitions; it is then never joined.
        .set("group.id", group)
        .set("enable.auto.commit", options.group.to_string())
        .set("enable.auto.offset.store", options.group.to_string())
        .set("auto.offset.reset", "earliest")
        .set("fetch.min.bytes", options.fetch_min_bytes.to_string())
        .set("fetch.wait.max.ms", wait_max.to_string())
        .set("max.partition.fetch.bytes", options.fetch_partition_bytes.to_string())
        // Above these limits, 2.0 stops fetching for a second; these are its maxima.
        .set("queued.min.messages", "10000000")
        .set("queued.max.messages.kbytes", "2097151");
    config
}

impl KafkaSubscriber {
    pub fn connect(
        setup: &ClientSetup,
        options: &Options,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Self, ConnectError> {
        let until = Instant::now() + setup.limit;
        let number = GROUPS.fetch_add(1, Ordering::Relaxed);
        let group = format!("wiredyno-{:x}-{}-{number}", setup.seed, std::process::id());
        let consumer: BaseConsumer<Listening> =
            settings(setup, options, &group).create_with_context(Listening::default()).map_err(local)?;
        let consumer = Arc::new(consumer);
        let closing = Arc::new(AtomicBool::new(false));
        let mut subscriber = KafkaSubscriber {
            consumer: Some(consumer.clone()),
            setup: setup.clone(),
            brokers: setup.endpoint.to_string(),
            topic: topic::name(&setup.topic),
            made: false,
            group: None,
            closing: closing.clone(),
            thread: None,
        };
        // From here on, no failure leaves a topic behind.
        subscriber.begin(&consumer, setup, options, group, until)?;
        let taking = Taking::of(options);
        let thread = std::thread::Builder::new()
            .name("kafka-subscriber".into())
            .spawn(move || {
                let mut sink = sink;
                let run = || receive(&consumer, &closing, taking, &mut *sink);
                let end = catch_unwind(AssertUnwindSafe(run));
                let end = end.unwrap_or_else(|_| Some("the receiving thread panicked".to_owned()));
                if let Some(reason) = &end {
                    sink.broken(reason);
                }
                end
            })
            .map_err(|source| ConnectError::Local { transport: NAME, source })?;
        subscriber.thread = Some(thread);
        Ok(subscriber)
    }

    /// Creates or finds the topic, and begins to read at its end.
    fn begin(
        &mut self,
        consumer: &BaseConsumer<Listening>,
        setup: &ClientSetup,
        options: &Options,
        group: String,
        until: Instant,
    ) -> Result<(), ConnectError> {
        let client = consumer.client();
        let serve = |span: Duration| {
            // Nothing is assigned yet, so no record can arrive.
            consumer.poll(span);
        };
        let health = &consumer.context().health;
        let connecting = Connecting { setup, health, serve: &serve, until };
        self.made = make_topic(consumer, options, &connecting)?;
        let Found { partitions, brokers } = topic::await_leaders(client, &connecting)?;
        self.brokers = brokers;
        let mut from = TopicPartitionList::new();
        for (partition, end) in topic::ends(client, &partitions, &connecting)? {
            from.add_partition_offset(&self.topic, partition, Offset::Offset(end)).map_err(local)?;
        }
        if !options.group {
            await_coordinator(consumer, &from, &connecting)?;
            return consumer.assign(&from).map_err(local);
        }
        self.group = Some(group);
        // The group begins where this subscription does. Its coordinator may still be starting.
        while let Err(error) = consumer.commit(&from, CommitMode::Sync) {
            if connecting.left().is_err() {
                return Err(connecting.not_granted(format!("the group: {error}")));
            }
            std::thread::sleep(PAUSE);
        }
        consumer.subscribe(&[&self.topic]).map_err(local)?;
        while consumer.assignment().map_err(local)?.count() < partitions.len() {
            serve(connecting.left()?.min(Duration::from_millis(1)));
        }
        Ok(())
    }

    /// Ends the thread, and with it the sink. Returns the reason if the connection was lost.
    fn stop(&mut self) -> Option<String> {
        self.closing.store(true, Ordering::SeqCst);
        let gone = |_| Some("the receiving thread panicked: please report this".to_owned());
        self.thread.take().and_then(|thread| thread.join().unwrap_or_else(gone))
    }

    /// Drops the library's client, then removes what this subscriber created. In the opposite order, the library (2.0)
    /// would wait many seconds for the topic's partitions.
    fn leave(&mut self, until: Instant, lost: bool) -> Result<(), (String, String)> {
        let Some(consumer) = self.consumer.take() else { return Ok(()) };
        part(consumer, until.saturating_duration_since(Instant::now()).max(POLL));
        let own = Own { topic: self.made.then_some(&self.topic), group: self.group.as_ref() };
        if lost || (own.topic.is_none() && own.group.is_none()) {
            return Ok(());
        }
        let mut config = config(&self.setup);
        config.set("bootstrap.servers", &self.brokers);
        own.remove(&config, until)
    }
}

/// What a subscriber has created at the broker.
struct Own<'a> {
    topic: Option<&'a String>,
    group: Option<&'a String>,
}

impl Own<'_> {
    /// Removes it and waits until it is gone; the error is what remains and why. Uses a separate connection: on the
    /// subscriber's, a fetch that waits for records delays all later requests.
    fn remove(&self, config: &ClientConfig, until: Instant) -> Result<(), (String, String)> {
        let topic = self.topic.map_or_else(String::new, |topic| format!("the topic {topic}"));
        let stays = |error: KafkaError| (topic.clone(), error.to_string());
        let native = config.create_native_config().map_err(stays)?;
        let client = Client::new(config, native, RD_KAFKA_PRODUCER, Listening::default()).map_err(stays)?;
        let serve = || {
            // SAFETY: the client is alive.
            unsafe { rdkafka_sys::rd_kafka_poll(client.native_ptr(), 0) };
            !client.context().health.is_down()
        };
        let admin = Admin { client: &client, serve: &serve, until };
        let mut result = Ok(());
        if let Some(group) = self.group {
            let removed =
                removed(|| admin.delete_group(group), RDKafkaErrorCode::GroupIdNotFound, &client, until);
            result = removed.map_err(|reason| (format!("the group {group}"), reason));
        }
        if let Some(name) = self.topic {
            let missing = RDKafkaErrorCode::UnknownTopicOrPartition;
            let removed = removed(|| admin.delete(name), missing, &client, until);
            let gone = removed.and_then(|()| match topic::await_gone(&client, name, until) {
                true => Ok(()),
                false => Err("the broker still has it".to_owned()),
            });
            result = result.and(gone.map_err(|reason| (topic, reason)));
        }
        part(client, POLL);
        result
    }
}

/// Removes something, which may already be gone. A group may still have a member that is leaving.
fn removed(
    mut remove: impl FnMut() -> Result<(), Refusal>,
    missing: RDKafkaErrorCode,
    client: &Client<Listening>,
    until: Instant,
) -> Result<(), String> {
    loop {
        return match remove() {
            Ok(()) => Ok(()),
            Err(Refusal::Refused { code, .. }) if code == missing => Ok(()),
            Err(Refusal::Refused { code: RDKafkaErrorCode::NonEmptyGroup, .. }) if Instant::now() < until => {
                std::thread::sleep(PAUSE);
                continue;
            }
            Err(Refusal::Refused { reason, .. }) => Err(reason),
            Err(Refusal::Unanswered) => {
                let unsaid = || "the broker did not answer in time".to_owned();
                Err(client.context().health.last().unwrap_or_else(unsaid))
            }
        };
    }
}

/// Waits for the group's coordinator. The library looks for it even if the group is never joined; this completes that
/// before the first record arrives. A broker that has none, or does not report it, is no obstacle.
fn await_coordinator(
    consumer: &BaseConsumer<Listening>,
    from: &TopicPartitionList,
    connecting: &Connecting<'_>,
) -> Result<(), ConnectError> {
    let until = Instant::now() + GATHERING;
    while Instant::now() < until {
        let left = connecting.left()?;
        let asked = consumer.committed_offsets(from.clone(), left.min(COORDINATOR_TRY));
        let code = asked.err().and_then(|error| error.rdkafka_error_code());
        if code != Some(RDKafkaErrorCode::OperationTimedOut) {
            break;
        }
    }
    Ok(())
}

/// Creates the topic; false if it already exists.
fn make_topic(
    consumer: &BaseConsumer<Listening>,
    options: &Options,
    connecting: &Connecting<'_>,
) -> Result<bool, ConnectError> {
    let name = topic::name(&connecting.setup.topic);
    let serve = || {
        consumer.poll(Duration::ZERO);
        !connecting.health.is_down()
    };
    let admin = Admin { client: consumer.client(), serve: &serve, until: connecting.until };
    let patience = connecting.until.min(Instant::now() + GATHERING);
    let small = |number: i64| i32::try_from(number).unwrap_or(i32::MAX);
    let (partitions, copies) = (small(options.partitions), small(options.replication));
    let mut limit = Some(BATCH_LIMIT_BYTES);
    loop {
        let (code, reason) = match admin.create(&name, partitions, copies, limit) {
            Ok(()) => return Ok(true),
            Err(Refusal::Refused { code, reason }) => (code, reason),
            Err(Refusal::Unanswered) => {
                return Err(connecting.left().err().unwrap_or_else(|| connecting.given_up()));
            }
        };
        match code {
            RDKafkaErrorCode::TopicAlreadyExists => return Ok(false),
            // Some brokers don't accept a limit on batches from clients: then their own applies.
            RDKafkaErrorCode::InvalidConfig | RDKafkaErrorCode::PolicyViolation if limit.is_some() => {
                limit = None;
            }
            // More nodes may still join.
            RDKafkaErrorCode::InvalidReplicationFactor if Instant::now() < patience => {
                connecting.left()?;
                std::thread::sleep(PAUSE);
            }
            RDKafkaErrorCode::InvalidReplicationFactor => {
                return Err(ConnectError::Unfit {
                    transport: NAME,
                    endpoint: connecting.setup.endpoint,
                    reason: format!("{copies} copies of each partition: {reason}"),
                });
            }
            RDKafkaErrorCode::OperationTimedOut | RDKafkaErrorCode::BrokerTransportFailure => {
                return Err(connecting.left().err().unwrap_or_else(|| connecting.given_up()));
            }
            _ => return Err(connecting.not_granted(reason)),
        }
    }
}

/// How records are taken.
#[derive(Debug, Clone, Copy)]
struct Taking {
    /// How many at a time, from 2; `None` for one after the other.
    at_once: Option<usize>,
    wait: Duration,
    stamp: TakeStamp,
}

impl Taking {
    fn of(options: &Options) -> Self {
        let at_once = usize::try_from(options.take).ok().filter(|take| *take > 1);
        let wait = Duration::from_nanos(options.take_wait_ns);
        Taking { at_once, wait, stamp: options.take_stamp }
    }
}

/// The client's queue, from which several records are taken by one call.
struct Queue<'a> {
    consumer: &'a BaseConsumer<Listening>,
    queue: *mut rdkafka_sys::rd_kafka_queue_t,
    taken: Vec<*mut rdkafka_sys::rd_kafka_message_t>,
    taking: Taking,
}

impl<'a> Queue<'a> {
    /// `None` if records are taken one after the other.
    fn of(consumer: &'a BaseConsumer<Listening>, taking: Taking) -> Option<Self> {
        let taken = vec![std::ptr::null_mut(); taking.at_once?];
        // SAFETY: the client is alive, and outlives the queue, which borrows it.
        let queue = unsafe { rdkafka_sys::rd_kafka_queue_get_consumer(consumer.client().native_ptr()) };
        (!queue.is_null()).then_some(Queue { consumer, queue, taken, taking })
    }

    /// Hands over the records of one call; returns how many, or the first error among them, when the others have been handed over.
    fn take(&mut self, sink: &mut dyn ReceivedSink) -> Result<usize, KafkaError> {
        let wait_ms = milliseconds(self.taking.wait);
        // SAFETY: the queue is alive, and there is room for as many pointers as it is told.
        let count = unsafe {
            rdkafka_sys::rd_kafka_consume_batch_queue(
                self.queue,
                wait_ms,
                self.taken.as_mut_ptr(),
                self.taken.len(),
            )
        };
        let returned_ns = now_ns();
        // SAFETY: the client is alive. Errors of the whole client come by its main queue, which the call above does not serve.
        unsafe { rdkafka_sys::rd_kafka_poll(self.consumer.client().native_ptr(), 0) };
        let mut failed = None;
        let taken = usize::try_from(count).unwrap_or_default();
        for &message in &self.taken[..taken] {
            // SAFETY: the call has filled in so many pointers to messages, which are ours until they are destroyed.
            let (error, payload, length) = unsafe { ((*message).err, (*message).payload, (*message).len) };
            if error == rdkafka_sys::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR_NO_ERROR {
                let at_ns = match self.taking.stamp {
                    TakeStamp::Record => now_ns(),
                    TakeStamp::Call => returned_ns,
                };
                let body: &[u8] = if payload.is_null() {
                    &[]
                } else {
                    // SAFETY: a message has so many bytes there until it is destroyed.
                    unsafe { std::slice::from_raw_parts(payload.cast(), length) }
                };
                sink.received(body, at_ns);
            } else {
                failed = failed.or(Some(KafkaError::MessageConsumption(error.into())));
            }
            // SAFETY: as above; it is not used any more.
            unsafe { rdkafka_sys::rd_kafka_message_destroy(message) };
        }
        if self.consumer.context().health.is_down() {
            return Ok(0);
        }
        failed.map_or(Ok(taken), Err)
    }
}

impl Drop for Queue<'_> {
    fn drop(&mut self) {
        // SAFETY: the queue is ours and is not used any more.
        unsafe { rdkafka_sys::rd_kafka_queue_destroy(self.queue) };
    }
}

/// Hands over records until the role ends (`None`) or the connection is lost.
fn receive(
    consumer: &BaseConsumer<Listening>,
    closing: &AtomicBool,
    taking: Taking,
    sink: &mut dyn ReceivedSink,
) -> Option<String> {
    let health = &consumer.context().health;
    let mut queue = Queue::of(consumer, taking);
    let mut next = || match &mut queue {
        Some(queue) => queue.take(sink),
        None => match consumer.poll(POLL) {
            Some(Ok(record)) => {
                sink.received(record.payload().unwrap_or_default(), now_ns());
                Ok(1)
            }
            Some(Err(error)) => Err(error),
            None => Ok(0),
        },
    };
    while !closing.load(Ordering::SeqCst) {
        match next() {
            Ok(0) => {}
            Ok(_) => continue,
            // If the topic's creator has removed it, the trial is over, and nothing more will arrive.
            Err(error) if is_gone(&error) || is_passing(&error) => continue,
            Err(error) => return Some(error.to_string()),
        }
        // The client's queue is empty: everything that arrived before the end has been handed over.
        let serve = |span: Duration| {
            consumer.poll(span);
        };
        if let Some(reason) = health.end(serve) {
            return Some(reason);
        }
    }
    // SAFETY: the client is alive; this runs callbacks and takes no record.
    unsafe { rdkafka_sys::rd_kafka_poll(consumer.client().native_ptr(), 0) };
    health.end(|_| ())
}

fn is_gone(error: &KafkaError) -> bool {
    matches!(
        error.rdkafka_error_code(),
        Some(RDKafkaErrorCode::UnknownTopicOrPartition | RDKafkaErrorCode::UnknownPartition)
    )
}

fn is_passing(error: &KafkaError) -> bool {
    matches!(
        error.rdkafka_error_code(),
        Some(
            RDKafkaErrorCode::BrokerTransportFailure
                | RDKafkaErrorCode::AllBrokersDown
                | RDKafkaErrorCode::LeaderNotAvailable
                | RDKafkaErrorCode::NotLeaderForPartition
                | RDKafkaErrorCode::ReplicaNotAvailable
                | RDKafkaErrorCode::OperationTimedOut
        )
    )
}

impl Subscriber for KafkaSubscriber {
    fn finish(mut self: Box<Self>, grace: Duration) -> Result<(), FinishError> {
        // The thread may be in a call that waits for records.
        let lost = self.stop();
        let until = Instant::now() + grace;
        let left = self.leave(until, lost.is_some());
        if let Some(reason) = lost {
            return Err(FinishError::Broken { transport: NAME, reason });
        }
        left.map_err(|(what, reason)| FinishError::Left { transport: NAME, what, reason })
    }
}

impl Drop for KafkaSubscriber {
    fn drop(&mut self) {
        let lost = self.stop().is_some();
        let _ = self.leave(Instant::now() + LEAVING, lost);
    }
}

//! Subscribes; a separate thread polls for records. It creates the topic if there is none, and removes what it created. One file because the role and its
//! thread are two ends of one consumer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};
use wiredyno_contract::Membership;

use crate::admin::{Admin, Refusal};
use crate::client::{BATCH_LIMIT_BYTES, Connecting, POLL, config, local, milliseconds, part};
use crate::committing::Progress;
use crate::declared::{Assignment, Group, Options};
use crate::group::{Complete, Listening, held};
use crate::own::Own;
use crate::taking::{Outlet, Taking, receive};
use crate::topic::Found;
use crate::{NAME, topic};
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, ReceivedSink, Subscriber, name};

/// How long a cluster that has just started may still lack nodes for the requested replicas.
const GATHERING: Duration = Duration::from_secs(5);

/// Pause before a request to a broker is repeated.
const PAUSE: Duration = Duration::from_millis(50);

/// How long one query for a coordinator may take before the connection is checked again.
const COORDINATOR_TRY: Duration = Duration::from_secs(1);

/// How long to wait for the library's client to end. Where another subscriber has removed the topic meanwhile, the library (2.0) waits for minutes; nothing depends on
/// the rest of that, which goes on in the background.
const PARTING: Duration = Duration::from_secs(3);

/// The longest that commits are waited for at the end, as long as answers arrive: the program waits for five minutes.
const COMMITTING: Duration = Duration::from_secs(240);

/// How long removing the topic may take when nothing waits for it.
const LEAVING: Duration = Duration::from_secs(2);

pub struct KafkaSubscriber {
    consumer: Option<Arc<BaseConsumer<Listening>>>,
    setup: ClientSetup,
    options: Options,
    /// Where to connect for removing the topic: the broker named in the setup may have died meanwhile.
    brokers: String,
    topic: String,
    /// How many partitions the topic has.
    partitions: usize,
    /// Whether this subscriber created the topic.
    made: bool,
    group: String,
    /// Whether this subscriber removes the group.
    removes_group: bool,
    closing: Arc<AtomicBool>,
    /// Returns how far it got, and the reason if the connection was lost.
    thread: Option<JoinHandle<Ended>>,
    /// The same once the thread has ended.
    ended: Option<Ended>,
}

/// What the receiving thread leaves behind.
struct Ended {
    progress: Progress,
    lost: Option<String>,
}

fn settings(setup: &ClientSetup, options: &Options, group: &str) -> ClientConfig {
    let wait_max = milliseconds(Duration::from_nanos(options.fetch_wait_max_ns));
    let session = milliseconds(Duration::from_nanos(options.session_timeout_ns));
    let by_itself = options.commits_by_itself().to_string();
    let mut config = config(setup);
    config
        // The library requires a group even for explicitly named partitions; it is then never joined.
        .set("group.id", group)
        .set("partition.assignment.strategy", options.assignment.word())
        .set("session.timeout.ms", session.to_string())
        // The library refuses a shorter one; its default is five minutes.
        .set("max.poll.interval.ms", session.max(300_000).to_string())
        .set("enable.auto.commit", &by_itself)
        .set("enable.auto.offset.store", &by_itself)
        .set("auto.offset.reset", "earliest")
        .set("fetch.min.bytes", options.fetch_min_bytes.to_string())
        .set("fetch.wait.max.ms", wait_max.to_string())
        .set("max.partition.fetch.bytes", options.fetch_partition_bytes.to_string())
        // Above these limits, 2.0 stops fetching for a second; these are its maxima.
        .set("queued.min.messages", "10000000")
        .set("queued.max.messages.kbytes", "2097151");
    config
}

/// The name of a subscriber's group: that of all on the topic, or one that no other has.
fn group_name(setup: &ClientSetup, options: &Options) -> String {
    if options.group == Group::Shared {
        return format!("{}-group", topic::name(&setup.topic));
    }
    format!("wiredyno-{:x}-{}", setup.seed, name::own())
}

impl KafkaSubscriber {
    pub fn connect(
        setup: &ClientSetup,
        options: &Options,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Self, ConnectError> {
        let until = Instant::now() + setup.limit;
        let group = group_name(setup, options);
        let consumer: BaseConsumer<Listening> =
            settings(setup, options, &group).create_with_context(Listening::default()).map_err(local)?;
        if options.assignment == Assignment::CooperativeSticky {
            consumer.context().group.cooperates();
        }
        let consumer = Arc::new(consumer);
        let mut subscriber = KafkaSubscriber {
            consumer: Some(consumer.clone()),
            setup: setup.clone(),
            options: options.clone(),
            brokers: setup.endpoint.to_string(),
            topic: topic::name(&setup.topic),
            partitions: 0,
            made: false,
            group,
            removes_group: false,
            closing: Arc::default(),
            thread: None,
            ended: None,
        };
        // From here on, no failure leaves a topic behind.
        subscriber.begin(&consumer, until)?;
        subscriber.thread = Some(subscriber.receiving(consumer, sink)?);
        Ok(subscriber)
    }

    /// The thread that takes records.
    fn receiving(
        &self,
        consumer: Arc<BaseConsumer<Listening>>,
        mut sink: Box<dyn ReceivedSink>,
    ) -> Result<JoinHandle<Ended>, ConnectError> {
        let (taking, closing) = (Taking::of(&self.options), self.closing.clone());
        let mut progress = Progress::of(&self.options, &self.topic);
        let run = move || {
            let mut outlet = Outlet { sink: &mut *sink, progress: &mut progress };
            let run = || receive(&consumer, &closing, taking, &mut outlet);
            let end = catch_unwind(AssertUnwindSafe(run));
            let lost = end.unwrap_or_else(|_| Some("the receiving thread panicked".to_owned()));
            if let Some(reason) = &lost {
                sink.broken(reason);
            }
            Ended { progress, lost }
        };
        let thread = std::thread::Builder::new().name("kafka-subscriber".into()).spawn(run);
        thread.map_err(|source| ConnectError::Local { transport: NAME, source })
    }

    /// Creates or finds the topic, and begins to read at its end.
    fn begin(&mut self, consumer: &BaseConsumer<Listening>, until: Instant) -> Result<(), ConnectError> {
        let setup = self.setup.clone();
        let client = consumer.client();
        let serve = |span: Duration| {
            // Nothing is assigned yet, so no record can arrive.
            consumer.poll(span);
        };
        let health = &consumer.context().health;
        let connecting = Connecting { setup: &setup, health, serve: &serve, until };
        self.made = make_topic(consumer, &self.options, &connecting)?;
        let Found { partitions, brokers } = topic::await_leaders(client, &connecting)?;
        (self.brokers, self.partitions) = (brokers, partitions.len());
        if self.partitions < usize::try_from(self.options.partitions).unwrap_or(usize::MAX) {
            let (wanted, found) = (self.options.partitions, self.partitions);
            return Err(ConnectError::Unfit {
                transport: NAME,
                endpoint: setup.endpoint,
                reason: format!(
                    "the topic {} exists and has {found} partitions, not {wanted} or more",
                    self.topic
                ),
            });
        }
        let mut from = TopicPartitionList::new();
        for (partition, end) in topic::ends(client, &partitions, &connecting)? {
            from.add_partition_offset(&self.topic, partition, Offset::Offset(end)).map_err(local)?;
        }
        if self.options.group == Group::None {
            await_coordinator(consumer, &from, &connecting)?;
            self.removes_group = self.options.is_known_by_group();
            consumer.context().group.settled();
            return consumer.assign(&from).map_err(local);
        }
        self.join(consumer, &from, &connecting)
    }

    /// Joins the group, which begins where this subscription does. A member of a shared one learns later which partitions it gets.
    fn join(
        &mut self,
        consumer: &BaseConsumer<Listening>,
        from: &TopicPartitionList,
        connecting: &Connecting<'_>,
    ) -> Result<(), ConnectError> {
        let first = begin_group(consumer, from, connecting)?;
        self.removes_group = match self.options.group {
            Group::Shared => self.made || first,
            Group::Own | Group::None => true,
        };
        (connecting.serve)(Duration::ZERO);
        consumer.context().group.forget_commits();
        consumer.subscribe(&[&self.topic]).map_err(local)?;
        if self.options.group == Group::Shared {
            return Ok(());
        }
        while consumer.assignment().map_err(local)?.count() < self.partitions {
            (connecting.serve)(connecting.left()?.min(Duration::from_millis(1)));
        }
        consumer.context().group.settled();
        Ok(())
    }

    /// Ends the thread, and with it the sink.
    fn stop(&mut self) {
        if let Some(consumer) = &self.consumer {
            consumer.context().group.over();
        }
        self.closing.store(true, Ordering::SeqCst);
        let gone = |_| Ended {
            progress: Progress::default(),
            lost: Some("the receiving thread panicked: please report this".to_owned()),
        };
        if let Some(thread) = self.thread.take() {
            self.ended = Some(thread.join().unwrap_or_else(gone));
        }
    }

    /// Why the connection was lost, if it was.
    fn lost(&self) -> Option<String> {
        self.ended.as_ref().and_then(|ended| ended.lost.clone())
    }

    /// What is due is committed, and every commit answered. Commits that a subscriber did not wait for may be many: after `grace` it waits for them
    /// as long as answers arrive, up to [`COMMITTING`].
    fn commit_the_rest(&self, consumer: &BaseConsumer<Listening>, under_way: u64, grace: Duration) {
        let reports = &consumer.context().group;
        if self.options.commits_by_itself() {
            // As the library does when it closes, but the offsets are known before that. Its answer is counted by the callback.
            let _ = consumer.commit_consumer_state(CommitMode::Sync);
        }
        let (begun, mut known) = (Instant::now(), (0, Instant::now()));
        loop {
            // SAFETY: the client is alive; this runs callbacks and takes no record.
            unsafe { rdkafka_sys::rd_kafka_poll(consumer.client().native_ptr(), 0) };
            let (answered, now) = (reports.answered(), Instant::now());
            if answered > known.0 {
                known = (answered, now);
            }
            let stalled = now - known.1 >= grace || now - begun >= COMMITTING;
            if answered >= under_way || stalled {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Drops the library's client, then removes what this subscriber created. In the opposite order, the library (2.0)
    /// would wait many seconds for the topic's partitions.
    fn leave(&mut self, until: Instant, lost: bool) -> Result<(), (String, String)> {
        let Some(consumer) = self.consumer.take() else { return Ok(()) };
        let left = until.saturating_duration_since(Instant::now());
        part(consumer, left.clamp(POLL, PARTING));
        let own =
            Own { topic: self.made.then_some(&self.topic), group: self.removes_group.then_some(&self.group) };
        if lost || (own.topic.is_none() && own.group.is_none()) {
            return Ok(());
        }
        let mut config = config(&self.setup);
        config.set("bootstrap.servers", &self.brokers);
        own.remove(&config, until)
    }
}

/// Commits where a group is to begin, so that it exists; false if it already has members. Its coordinator may still be starting.
fn begin_group(
    consumer: &BaseConsumer<Listening>,
    from: &TopicPartitionList,
    connecting: &Connecting<'_>,
) -> Result<bool, ConnectError> {
    loop {
        let Err(error) = consumer.commit(from, CommitMode::Sync) else { return Ok(true) };
        if is_begun(&error) {
            return Ok(false);
        }
        if connecting.left().is_err() {
            return Err(connecting.not_granted(format!("the group: {error}")));
        }
        std::thread::sleep(PAUSE);
    }
}

/// Whether a group refuses the commit of a stranger, because it has members.
fn is_begun(error: &KafkaError) -> bool {
    matches!(
        error.rdkafka_error_code(),
        Some(
            RDKafkaErrorCode::UnknownMemberId
                | RDKafkaErrorCode::IllegalGeneration
                | RDKafkaErrorCode::RebalanceInProgress
        )
    )
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

impl Subscriber for KafkaSubscriber {
    fn settle(&self, until: Instant) -> Result<(), ConnectError> {
        let Some(consumer) = self.consumer.as_ref().filter(|_| self.options.group == Group::Shared) else {
            return Ok(());
        };
        let serve = |_: Duration| ();
        let connecting =
            Connecting { setup: &self.setup, health: &consumer.context().health, serve: &serve, until };
        let complete = Complete {
            group: &self.group,
            topic: &self.topic,
            partitions: self.partitions,
            members: self.setup.subscribers.max(1) as usize,
            brokers: &self.brokers,
        };
        complete.wait(consumer, &connecting)?;
        consumer.context().group.settled();
        Ok(())
    }

    fn membership(&mut self, grace: Duration) -> Option<Membership> {
        self.stop();
        let consumer = self.consumer.as_ref().filter(|_| self.options.is_known_by_group())?;
        let ended = self.ended.as_ref()?;
        if ended.lost.is_none() {
            self.commit_the_rest(consumer, ended.progress.under_way(), grace);
        }
        let mut membership = consumer.context().group.told(&self.group);
        if ended.lost.is_none() {
            membership.partitions = held(consumer, &self.topic, grace);
        }
        ended.progress.tell(&mut membership);
        Some(membership)
    }

    fn finish(mut self: Box<Self>, grace: Duration) -> Result<(), FinishError> {
        // The thread may be in a call that waits for records.
        self.stop();
        let (until, lost) = (Instant::now() + grace, self.lost());
        let left = self.leave(until, lost.is_some());
        if let Some(reason) = lost {
            return Err(FinishError::Broken { transport: NAME, reason });
        }
        left.map_err(|(what, reason)| FinishError::Left { transport: NAME, what, reason })
    }
}

impl Drop for KafkaSubscriber {
    fn drop(&mut self) {
        self.stop();
        let lost = self.lost().is_some();
        let _ = self.leave(Instant::now() + LEAVING, lost);
    }
}

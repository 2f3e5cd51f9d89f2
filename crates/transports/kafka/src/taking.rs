//! Takes records from the client and hands them over, until the role ends or the connection is lost.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rdkafka::Message;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};

use crate::client::{POLL, milliseconds};
use crate::committing::Progress;
use crate::declared::{Options, TakeStamp};
use crate::group::Listening;
use wiredyno_transport::ReceivedSink;
use wiredyno_transport::clock::now_ns;

/// How records are taken.
#[derive(Debug, Clone, Copy)]
pub struct Taking {
    /// How many at a time, from 2; `None` for one after the other.
    at_once: Option<usize>,
    wait: Duration,
    stamp: TakeStamp,
}

impl Taking {
    /// As the options say.
    pub fn of(options: &Options) -> Self {
        let at_once = usize::try_from(options.take).ok().filter(|take| *take > 1);
        let wait = Duration::from_nanos(options.take_wait_ns);
        Taking { at_once, wait, stamp: options.take_stamp }
    }
}

/// Where records go: to the runner, and into the account of what was taken.
pub struct Outlet<'a> {
    /// Gets each record's value.
    pub sink: &'a mut dyn ReceivedSink,
    /// Gets each record's partition and offset, and commits.
    pub progress: &'a mut Progress,
}

impl Outlet<'_> {
    fn hand_over(
        &mut self,
        consumer: &BaseConsumer<Listening>,
        body: &[u8],
        at_ns: i64,
        (partition, offset): (i32, i64),
    ) {
        self.sink.received(body, at_ns);
        self.progress.took(consumer, partition, offset);
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
    fn take(&mut self, outlet: &mut Outlet<'_>) -> Result<usize, KafkaError> {
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
            let (error, payload, length, place) = unsafe {
                let message = &*message;
                (message.err, message.payload, message.len, (message.partition, message.offset))
            };
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
                outlet.hand_over(self.consumer, body, at_ns, place);
            } else {
                failed = failed.or(Some(KafkaError::MessageConsumption(error.into())));
            }
            // SAFETY: as above; it is not used any more.
            unsafe { rdkafka_sys::rd_kafka_message_destroy(message) };
        }
        outlet.progress.dealt_with(self.consumer);
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

/// Polls for one record and hands it over.
fn poll(consumer: &BaseConsumer<Listening>, outlet: &mut Outlet<'_>) -> Result<usize, KafkaError> {
    match consumer.poll(POLL) {
        Some(Ok(record)) => {
            let place = (record.partition(), record.offset());
            outlet.hand_over(consumer, record.payload().unwrap_or_default(), now_ns(), place);
            outlet.progress.dealt_with(consumer);
            Ok(1)
        }
        Some(Err(error)) => Err(error),
        None => Ok(0),
    }
}

/// Hands over records until the role ends (`None`) or the connection is lost.
pub fn receive(
    consumer: &BaseConsumer<Listening>,
    closing: &AtomicBool,
    taking: Taking,
    outlet: &mut Outlet<'_>,
) -> Option<String> {
    let health = &consumer.context().health;
    let mut queue = Queue::of(consumer, taking);
    let mut next = || match &mut queue {
        Some(queue) => queue.take(outlet),
        None => poll(consumer, outlet),
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

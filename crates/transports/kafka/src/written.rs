//! When a record left. The library does not report which records a request holds, but its interceptors provide enough: when
//! a Produce request is answered, they report how long ago it was written (to a microsecond), and right after, on the same
//! thread, which records that settles. If no answer is requested, a request is settled as soon as it is written.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rdkafka_sys::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR_NO_ERROR;
use rdkafka_sys::{
    rd_kafka_conf_interceptor_add_on_new, rd_kafka_conf_t, rd_kafka_interceptor_add_on_acknowledgement,
    rd_kafka_interceptor_add_on_response_received, rd_kafka_message_t, rd_kafka_resp_err_t, rd_kafka_t,
};

use wiredyno_transport::SentSink;
use wiredyno_transport::clock::now_ns;

/// Kafka protocol, api key of Produce.
const PRODUCE: i16 = 0;
/// Kafka protocol, api key of InitProducerId.
const INIT_PRODUCER_ID: i16 = 22;

thread_local! {
    /// When the Produce request was written whose answer this thread of the library is reporting. Such a thread serves one
    /// connection of one client.
    static WRITTEN_NS: Cell<Option<i64>> = const { Cell::new(None) };
}

/// Receives the fate of requests from the library's threads.
pub struct Written {
    /// Receives sent messages with timestamps.
    pub sink: Arc<dyn SentSink>,
    /// Whether the producer has its id, without which an idempotent one sends nothing.
    pub identified: AtomicBool,
}

/// Makes the library report to `written` for the client that will be created from a configuration.
///
/// # Safety
/// The configuration is alive, and the client created from it ends before `written`.
pub unsafe fn watch(configuration: *mut rd_kafka_conf_t, written: &Arc<Written>) -> rd_kafka_resp_err_t {
    let opaque = Arc::as_ptr(written).cast_mut().cast::<c_void>();
    // SAFETY: as the caller promises; the function has the required type.
    unsafe { rd_kafka_conf_interceptor_add_on_new(configuration, NAME.as_ptr(), Some(on_new), opaque) }
}

/// The name of these interceptors in the library's logs.
const NAME: &CStr = c"wiredyno";

/// A client is being created: none of its threads runs yet.
unsafe extern "C" fn on_new(
    client: *mut rd_kafka_t,
    _configuration: *const rd_kafka_conf_t,
    written: *mut c_void,
    _problem: *mut c_char,
    _problem_bytes: usize,
) -> rd_kafka_resp_err_t {
    // SAFETY: the client is valid during this call; both functions have the required types.
    let added = unsafe {
        [
            rd_kafka_interceptor_add_on_response_received(client, NAME.as_ptr(), Some(on_response), written),
            rd_kafka_interceptor_add_on_acknowledgement(client, NAME.as_ptr(), Some(on_settled), written),
        ]
    };
    added.into_iter().find(|error| *error != RD_KAFKA_RESP_ERR_NO_ERROR).unwrap_or(RD_KAFKA_RESP_ERR_NO_ERROR)
}

/// A request was answered, or has failed; `rtt_us` is negative without an answer.
unsafe extern "C" fn on_response(
    _client: *mut rd_kafka_t,
    _socket: c_int,
    _broker: *const c_char,
    _broker_id: i32,
    api_key: i16,
    _api_version: i16,
    _correlation: i32,
    _size: usize,
    rtt_us: i64,
    error: rd_kafka_resp_err_t,
    written: *mut c_void,
) -> rd_kafka_resp_err_t {
    let succeeded = error == RD_KAFKA_RESP_ERR_NO_ERROR;
    if api_key == PRODUCE {
        let at_ns = now_ns() - rtt_us.max(0).saturating_mul(1_000);
        WRITTEN_NS.set(succeeded.then_some(at_ns));
    } else if api_key == INIT_PRODUCER_ID && succeeded {
        // SAFETY: the pointer is the one given to `watch`, whose target outlives the client.
        let written = unsafe { &*written.cast::<Written>() };
        written.identified.store(true, Ordering::SeqCst);
    }
    RD_KAFKA_RESP_ERR_NO_ERROR
}

/// A message was delivered or given up.
unsafe extern "C" fn on_settled(
    _client: *mut rd_kafka_t,
    message: *mut rd_kafka_message_t,
    written: *mut c_void,
) -> rd_kafka_resp_err_t {
    // SAFETY: the message is valid during this call; the other pointer is the one given to `watch`.
    let (message, written) = unsafe { (&*message, &*written.cast::<Written>()) };
    // The library's own errors are below zero: such a message was never answered.
    let answered = message.err as i32 >= 0;
    if let Some(at_ns) = WRITTEN_NS.get().filter(|_| answered) {
        written.sink.sent(message._private as u64, at_ns);
    }
    RD_KAFKA_RESP_ERR_NO_ERROR
}

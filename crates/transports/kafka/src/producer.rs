//! A producer: `rdkafka`'s client plus the library's interceptors, for which its own producer has no place. Sending works as
//! in its `BaseProducer`.

use std::ffi::{CString, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::client::{Client, ClientContext};
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka_sys as sys;
use sys::rd_kafka_resp_err_t::{
    RD_KAFKA_RESP_ERR__PURGE_INFLIGHT, RD_KAFKA_RESP_ERR__PURGE_QUEUE, RD_KAFKA_RESP_ERR_NO_ERROR,
};
use sys::rd_kafka_type_t::RD_KAFKA_PRODUCER;
use sys::rd_kafka_vtype_t::{
    RD_KAFKA_VTYPE_END, RD_KAFKA_VTYPE_HEADERS, RD_KAFKA_VTYPE_KEY, RD_KAFKA_VTYPE_MSGFLAGS,
    RD_KAFKA_VTYPE_OPAQUE, RD_KAFKA_VTYPE_TOPIC, RD_KAFKA_VTYPE_VALUE,
};

use crate::client::{Health, local, milliseconds};
use crate::headers::Headers;
use crate::written::{Written, watch};
use wiredyno_transport::ConnectError;
use wiredyno_transport::clock::now_ns;

/// Tokens are passed to the library and back as pointers.
const _: () = assert!(usize::BITS >= u64::BITS);

/// Receives the library's reports.
pub struct Reports {
    /// Records when requests were written.
    pub written: Arc<Written>,
    /// Whether brokers acknowledge what they write.
    pub acknowledged: bool,
    /// The state of the connections.
    pub health: Health,
    /// The state of the role.
    pub fate: Mutex<Fate>,
}

/// The state of a publisher.
#[derive(Default)]
pub struct Fate {
    /// Why the connection was lost, if it was.
    pub broken: Option<String>,
    /// How many messages the broker rejected, and what it said about the first.
    pub refused: Option<(u64, String)>,
}

impl Reports {
    /// The current state of the role.
    pub fn fate(&self) -> MutexGuard<'_, Fate> {
        self.fate.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientContext for Reports {
    fn log(&self, _level: RDKafkaLogLevel, _facility: &str, _message: &str) {}

    fn error(&self, error: KafkaError, reason: &str) {
        self.health.note(&error, reason);
    }
}

/// The library's producer for one topic.
pub struct Producer {
    client: Client<Reports>,
    topic: CString,
    headers: Headers,
}

impl Producer {
    /// Creates a producer for one topic, whose records have so many headers.
    pub fn new(
        config: &ClientConfig,
        topic: &str,
        headers: usize,
        reports: Reports,
    ) -> Result<Self, ConnectError> {
        let topic = CString::new(topic).map_err(local)?;
        let native = config.create_native_config().map_err(local)?;
        // SAFETY: the configuration is alive. The client created from it has `reports` as its context, which keeps `written`
        // alive and ends after the library's part (fields are dropped in their order).
        let watched = unsafe {
            sys::rd_kafka_conf_set_dr_msg_cb(native.ptr(), Some(delivered));
            watch(native.ptr(), &reports.written)
        };
        if watched != RD_KAFKA_RESP_ERR_NO_ERROR {
            return Err(local(RDKafkaErrorCode::from(watched)));
        }
        let client = Client::new(config, native, RD_KAFKA_PRODUCER, reports).map_err(local)?;
        Ok(Producer { client, topic, headers: Headers::new(headers) })
    }

    /// The client, for requests that all clients support.
    pub fn client(&self) -> &Client<Reports> {
        &self.client
    }

    /// The reports received so far.
    pub fn reports(&self) -> &Arc<Reports> {
        self.client.context()
    }

    /// Hands a message over, with its key if it has one; the library copies both.
    pub fn send(&self, token: u64, key: Option<&[u8]>, body: &[u8]) -> Result<(), RDKafkaErrorCode> {
        let (key, key_bytes) = key.map_or((std::ptr::null(), 0), |key| (key.as_ptr(), key.len()));
        let headers = self.headers.of_message(token);
        // SAFETY: the list has the types that the library requires after each tag, and is terminated; topic, key and body outlive
        // the call. Even an empty slice has a pointer, so it becomes an empty value and not a null one; no key and no headers are null.
        let error = unsafe {
            sys::rd_kafka_producev(
                self.client.native_ptr(),
                RD_KAFKA_VTYPE_TOPIC,
                self.topic.as_ptr(),
                RD_KAFKA_VTYPE_MSGFLAGS,
                sys::RD_KAFKA_MSG_F_COPY,
                RD_KAFKA_VTYPE_VALUE,
                body.as_ptr().cast::<c_void>(),
                body.len(),
                RD_KAFKA_VTYPE_KEY,
                key.cast::<c_void>(),
                key_bytes,
                RD_KAFKA_VTYPE_OPAQUE,
                token as *mut c_void,
                RD_KAFKA_VTYPE_HEADERS,
                headers,
                RD_KAFKA_VTYPE_END,
            )
        };
        if error == RD_KAFKA_RESP_ERR_NO_ERROR {
            return Ok(());
        }
        if !headers.is_null() {
            // SAFETY: the library takes headers over only with a record that it has accepted.
            unsafe { sys::rd_kafka_headers_destroy(headers) };
        }
        Err(error.into())
    }

    /// Runs the library's callbacks for this long.
    pub fn poll(&self, span: Duration) {
        // SAFETY: the client is alive.
        unsafe { sys::rd_kafka_poll(self.client.native_ptr(), milliseconds(span)) };
    }

    /// Sends what is waiting, without waiting for batches to fill; returns after `span`, or when everything is settled.
    pub fn flush(&self, span: Duration) {
        // SAFETY: the client is alive.
        unsafe { sys::rd_kafka_flush(self.client.native_ptr(), milliseconds(span)) };
    }

    /// How many messages are waiting, in flight, or have a report that was not polled yet.
    pub fn waiting(&self) -> usize {
        // SAFETY: the client is alive.
        let waiting = unsafe { sys::rd_kafka_outq_len(self.client.native_ptr()) };
        usize::try_from(waiting).unwrap_or(0)
    }

    /// Discards messages that are waiting or in flight.
    pub fn purge(&self) {
        let all = sys::RD_KAFKA_PURGE_F_QUEUE | sys::RD_KAFKA_PURGE_F_INFLIGHT;
        // SAFETY: the client is alive.
        unsafe { sys::rd_kafka_purge(self.client.native_ptr(), all) };
        self.poll(Duration::ZERO);
    }
}

impl Drop for Producer {
    fn drop(&mut self) {
        self.purge();
    }
}

/// A delivery report, on the polling thread. Messages discarded at the end are not rejections.
unsafe extern "C" fn delivered(
    _client: *mut sys::rd_kafka_t,
    message: *const sys::rd_kafka_message_t,
    reports: *mut c_void,
) {
    let at_ns = now_ns();
    // SAFETY: the message is valid during this call; `Client` has given the library a pointer to its context, which outlives
    // it.
    let (message, reports) = unsafe { (&*message, &*reports.cast::<Reports>()) };
    match message.err {
        RD_KAFKA_RESP_ERR_NO_ERROR if reports.acknowledged => {
            reports.written.sink.acked(message._private as u64, at_ns);
        }
        RD_KAFKA_RESP_ERR_NO_ERROR | RD_KAFKA_RESP_ERR__PURGE_QUEUE | RD_KAFKA_RESP_ERR__PURGE_INFLIGHT => {}
        error => {
            let reason = || (0, RDKafkaErrorCode::from(error).to_string());
            reports.fate().refused.get_or_insert_with(reason).0 += 1;
        }
    }
}

//! Creating, querying and removing a topic or a group, over an existing client's connection: `rdkafka`'s own admin client
//! would briefly open another.

use std::ffi::{CStr, CString, c_char};
use std::ptr::NonNull;
use std::time::{Duration, Instant};

use rdkafka::client::{Client, ClientContext};
use rdkafka::error::RDKafkaErrorCode;
use rdkafka_sys as sys;
use sys::rd_kafka_admin_op_t::{self, *};
use sys::rd_kafka_resp_err_t::{self, RD_KAFKA_RESP_ERR_NO_ERROR};

use crate::client::milliseconds;

/// How often callbacks run while waiting for an answer.
const SLICE: Duration = Duration::from_millis(20);

/// Room for the library's message about an invalid parameter.
const TEXT_BYTES: usize = 512;

/// Why a request was not carried out.
#[derive(Debug)]
pub enum Refusal {
    /// The broker or the library refuses.
    Refused {
        /// The error code in Kafka's protocol.
        code: RDKafkaErrorCode,
        /// The explanation that came with it.
        reason: String,
    },
    /// The time ran out, or the connection was lost, before an answer arrived.
    Unanswered,
}

/// An object of the library that must be freed.
struct Owned<T> {
    pointer: NonNull<T>,
    give_back: unsafe extern "C" fn(*mut T),
}

impl<T> Owned<T> {
    /// Takes ownership of what a constructor of the library returned.
    fn new(pointer: *mut T, give_back: unsafe extern "C" fn(*mut T)) -> Result<Self, Refusal> {
        let pointer = NonNull::new(pointer);
        let pointer = pointer.ok_or_else(|| refused(rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR__INVALID_ARG, ""));
        Ok(Owned { pointer: pointer?, give_back })
    }

    fn raw(&self) -> *mut T {
        self.pointer.as_ptr()
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the pointer came from the constructor that matches this function, and is not used afterwards.
        unsafe { (self.give_back)(self.raw()) };
    }
}

/// Sends admin requests through a client, with a deadline.
pub struct Admin<'a, C: ClientContext> {
    /// The client whose connections are used.
    pub client: &'a Client<C>,
    /// Runs the client's callbacks; false if the connection is lost.
    pub serve: &'a dyn Fn() -> bool,
    /// When an answer must have arrived.
    pub until: Instant,
}

impl<C: ClientContext> Admin<'_, C> {
    /// Creates a topic, with `max.message.bytes` if given.
    ///
    /// # Errors
    /// When the broker refuses, for instance because the topic exists, or does not answer.
    pub fn create(
        &self,
        name: &str,
        partitions: i32,
        copies: i32,
        limit_bytes: Option<usize>,
    ) -> Result<(), Refusal> {
        let name = text(name)?;
        let mut problem = [0; TEXT_BYTES];
        // SAFETY: both texts outlive the call, and the second has the stated length.
        let topic = unsafe {
            sys::rd_kafka_NewTopic_new(name.as_ptr(), partitions, copies, problem.as_mut_ptr(), problem.len())
        };
        let topic = Owned::new(topic, sys::rd_kafka_NewTopic_destroy)?;
        if let Some(limit_bytes) = limit_bytes {
            let value = text(&limit_bytes.to_string())?;
            // SAFETY: the topic is alive, and the texts outlive the call, which copies them.
            let set =
                unsafe { sys::rd_kafka_NewTopic_set_config(topic.raw(), LIMIT.as_ptr(), value.as_ptr()) };
            accepted(set, "")?;
        }
        let event = self.ask(RD_KAFKA_ADMIN_OP_CREATETOPICS, |client, options, queue| {
            // SAFETY: all arguments are alive during the call, which copies the one topic.
            unsafe { sys::rd_kafka_CreateTopics(client, &mut topic.raw(), 1, options, queue) }
        })?;
        // SAFETY: the event is alive, and its results are used before it ends.
        unsafe {
            let result = sys::rd_kafka_event_CreateTopics_result(event.raw());
            of_topics(|count| sys::rd_kafka_CreateTopics_result_topics(result, count))
        }
    }

    /// Removes a topic by its name.
    ///
    /// # Errors
    /// When the broker refuses, or does not answer.
    pub fn delete(&self, name: &str) -> Result<(), Refusal> {
        let name = text(name)?;
        // SAFETY: the text outlives the call, which copies it.
        let topic = unsafe { sys::rd_kafka_DeleteTopic_new(name.as_ptr()) };
        let topic = Owned::new(topic, sys::rd_kafka_DeleteTopic_destroy)?;
        let event = self.ask(RD_KAFKA_ADMIN_OP_DELETETOPICS, |client, options, queue| {
            // SAFETY: all arguments are alive during the call, which copies the one topic.
            unsafe { sys::rd_kafka_DeleteTopics(client, &mut topic.raw(), 1, options, queue) }
        })?;
        // SAFETY: the event is alive, and its results are used before it ends.
        unsafe {
            let result = sys::rd_kafka_event_DeleteTopics_result(event.raw());
            of_topics(|count| sys::rd_kafka_DeleteTopics_result_topics(result, count))
        }
    }

    /// Removes a group, which must have no members.
    ///
    /// # Errors
    /// When the broker refuses, or does not answer.
    pub fn delete_group(&self, name: &str) -> Result<(), Refusal> {
        let name = text(name)?;
        // SAFETY: the text outlives the call, which copies it.
        let group = unsafe { sys::rd_kafka_DeleteGroup_new(name.as_ptr()) };
        let group = Owned::new(group, sys::rd_kafka_DeleteGroup_destroy)?;
        let event = self.ask(RD_KAFKA_ADMIN_OP_DELETEGROUPS, |client, options, queue| {
            // SAFETY: all arguments are alive during the call, which copies the one group.
            unsafe { sys::rd_kafka_DeleteGroups(client, &mut group.raw(), 1, options, queue) }
        })?;
        // SAFETY: the event is alive, and its results are used before it ends.
        unsafe {
            let result = sys::rd_kafka_event_DeleteGroups_result(event.raw());
            let groups = listed(|count| sys::rd_kafka_DeleteGroups_result_groups(result, count));
            groups.iter().try_for_each(|group| {
                let error = sys::rd_kafka_group_result_error(*group);
                if error.is_null() {
                    return Ok(());
                }
                accepted(sys::rd_kafka_error_code(error), &words(sys::rd_kafka_error_string(error)))
            })
        }
    }

    /// The largest batch that a topic accepts, in bytes.
    ///
    /// # Errors
    /// When the broker does not report it, or does not answer.
    pub fn batch_limit_bytes(&self, name: &str) -> Result<usize, Refusal> {
        let name = text(name)?;
        let kind = sys::rd_kafka_ResourceType_t::RD_KAFKA_RESOURCE_TOPIC;
        // SAFETY: the text outlives the call, which copies it.
        let topic = unsafe { sys::rd_kafka_ConfigResource_new(kind, name.as_ptr()) };
        let topic = Owned::new(topic, sys::rd_kafka_ConfigResource_destroy)?;
        let event = self.ask(RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, |client, options, queue| {
            // SAFETY: all arguments are alive during the call, which copies the one resource.
            unsafe { sys::rd_kafka_DescribeConfigs(client, &mut topic.raw(), 1, options, queue) }
        })?;
        let unsaid = || {
            refused(rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR_INVALID_CONFIG, "the broker does not report it")
        };
        // SAFETY: the event is alive, and its results are used before it ends; the library returns as many as it counts.
        unsafe {
            let result = sys::rd_kafka_event_DescribeConfigs_result(event.raw());
            let resources = listed(|count| sys::rd_kafka_DescribeConfigs_result_resources(result, count));
            let resource = *resources.first().ok_or_else(unsaid)?;
            accepted(
                sys::rd_kafka_ConfigResource_error(resource),
                &words(sys::rd_kafka_ConfigResource_error_string(resource)),
            )?;
            let entries = listed(|count| sys::rd_kafka_ConfigResource_configs(resource, count));
            let mut entries = entries.iter();
            let entry = entries.find(|entry| words(sys::rd_kafka_ConfigEntry_name(**entry)) == limit());
            let value = entry.map(|entry| words(sys::rd_kafka_ConfigEntry_value(*entry)));
            value.and_then(|value| value.parse().ok()).ok_or_else(unsaid)
        }
    }

    /// Sends a request and waits for its answer.
    fn ask(
        &self,
        kind: rd_kafka_admin_op_t,
        request: impl FnOnce(
            *mut sys::rd_kafka_t,
            *const sys::rd_kafka_AdminOptions_t,
            *mut sys::rd_kafka_queue_t,
        ),
    ) -> Result<Owned<sys::rd_kafka_event_t>, Refusal> {
        let client = self.client.native_ptr();
        let left_ms = milliseconds(self.until.saturating_duration_since(Instant::now())).clamp(1, 300_000);
        let mut problem = [0; TEXT_BYTES];
        // SAFETY: the client is alive; what is created here is freed before it ends, and the text has the stated length.
        let (queue, options) = unsafe {
            let queue = Owned::new(sys::rd_kafka_queue_new(client), sys::rd_kafka_queue_destroy)?;
            let options = sys::rd_kafka_AdminOptions_new(client, kind);
            let options = Owned::new(options, sys::rd_kafka_AdminOptions_destroy)?;
            let (raw, text, bytes) = (options.raw(), problem.as_mut_ptr(), problem.len());
            let set = sys::rd_kafka_AdminOptions_set_request_timeout(raw, left_ms, text, bytes);
            accepted(set, &words(text))?;
            if matches!(kind, RD_KAFKA_ADMIN_OP_CREATETOPICS | RD_KAFKA_ADMIN_OP_DELETETOPICS) {
                let set = sys::rd_kafka_AdminOptions_set_operation_timeout(raw, left_ms, text, bytes);
                accepted(set, &words(text))?;
            }
            (queue, options)
        };
        request(client, options.raw(), queue.raw());
        loop {
            // SAFETY: the queue is alive.
            let event = unsafe { sys::rd_kafka_queue_poll(queue.raw(), milliseconds(SLICE)) };
            if !event.is_null() {
                let event = Owned::new(event, sys::rd_kafka_event_destroy)?;
                // SAFETY: the event is alive.
                let (error, reason) = unsafe {
                    (
                        sys::rd_kafka_event_error(event.raw()),
                        words(sys::rd_kafka_event_error_string(event.raw())),
                    )
                };
                return accepted(error, &reason).map(|()| event);
            }
            if !(self.serve)() || Instant::now() >= self.until {
                return Err(Refusal::Unanswered);
            }
        }
    }
}

/// The topic's setting that limits its batches.
const LIMIT: &CStr = c"max.message.bytes";

fn limit() -> String {
    LIMIT.to_string_lossy().into_owned()
}

/// The library's result for the one topic that it was asked to create or remove.
///
/// # Safety
/// `results` returns a list of valid results and writes its length.
unsafe fn of_topics(
    results: impl FnOnce(*mut usize) -> *mut *const sys::rd_kafka_topic_result_t,
) -> Result<(), Refusal> {
    // SAFETY: as the caller promises.
    unsafe {
        listed(results).iter().try_for_each(|topic| {
            let reason = words(sys::rd_kafka_topic_result_error_string(*topic));
            accepted(sys::rd_kafka_topic_result_error(*topic), &reason)
        })
    }
}

/// A list that the library returns with its length.
///
/// # Safety
/// `give` returns a list that lives as long as the object it was requested from, and writes its length.
unsafe fn listed<T>(give: impl FnOnce(*mut usize) -> *mut *const T) -> Vec<*const T> {
    let mut count = 0;
    let list = give(&mut count);
    if list.is_null() {
        return Vec::new();
    }
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(list, count) }.to_vec()
}

/// A text of the library; empty if it is null.
///
/// # Safety
/// The pointer is null or points to a NUL-terminated text.
unsafe fn words(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

fn text(text: &str) -> Result<CString, Refusal> {
    CString::new(text)
        .map_err(|_| refused(rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR__INVALID_ARG, "it contains a zero byte"))
}

fn accepted(error: rd_kafka_resp_err_t, reason: &str) -> Result<(), Refusal> {
    if error == RD_KAFKA_RESP_ERR_NO_ERROR { Ok(()) } else { Err(refused(error, reason)) }
}

fn refused(error: rd_kafka_resp_err_t, reason: &str) -> Refusal {
    let code = RDKafkaErrorCode::from(error);
    // If the broker gives no text, the library's is used.
    let reason = if reason.is_empty() { code.to_string() } else { reason.to_owned() };
    Refusal::Refused { code, reason }
}

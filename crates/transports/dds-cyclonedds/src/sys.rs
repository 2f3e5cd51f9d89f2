//! The parts of the library's C interface that are used (`dds/dds.h` and `dds/ddsc/*.h` of version 0.10), and the type that `idlc`
//! generates.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::MaybeUninit;

/// A handle; negative for an error.
pub type Entity = i32;
/// `dds_duration_t`: a span of time, in nanoseconds.
pub type Span = i64;

/// `DDS_RETCODE_TIMEOUT`: waiting took too long.
pub const TIMEOUT: i32 = -10;
/// `DDS_RETCODE_NOT_ALLOWED_BY_SECURITY`: the permissions forbid it.
pub const NOT_ALLOWED: i32 = -13;
/// The log levels `DDS_LC_FATAL`, `DDS_LC_ERROR` and `DDS_LC_WARNING`.
pub const COMPLAINTS: u32 = 7;
/// `DDS_INFINITY`: wait without a limit.
pub const EVER: Span = i64::MAX;
/// `DDS_ANY_STATE`: all bits of sample, view and instance states.
pub const ANY_STATE: u32 = 127;

/// `dds_sequence_octet`, all that is in `wiredyno_Body`.
#[repr(C)]
pub struct Body {
    pub maximum: u32,
    pub length: u32,
    pub buffer: *mut u8,
    pub release: bool,
}

/// `dds_sample_info_t`, of which `valid_data` is used.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Info {
    pub sample_state: c_int,
    pub view_state: c_int,
    pub instance_state: c_int,
    pub valid_data: bool,
    pub source_timestamp: i64,
    pub instance_handle: u64,
    pub publication_handle: u64,
    pub disposed_generation_count: u32,
    pub no_writers_generation_count: u32,
    pub sample_rank: u32,
    pub generation_rank: u32,
    pub absolute_generation_rank: u32,
}

/// `dds_publication_matched_status_t`: the readers matched with a writer.
#[repr(C)]
#[derive(Default)]
pub struct Matched {
    pub total_count: u32,
    pub total_count_change: i32,
    pub current_count: u32,
    pub current_count_change: i32,
    pub last_subscription_handle: u64,
}

/// `dds_offered_incompatible_qos_status_t`: readers that request more than offered.
#[repr(C)]
#[derive(Default)]
pub struct Incompatible {
    pub total_count: u32,
    pub total_count_change: i32,
    pub last_policy_id: u32,
}

/// `dds_log_data_t`, given to the log sink.
#[repr(C)]
pub struct LogLine {
    pub priority: u32,
    pub domain: u32,
    pub file: *const c_char,
    pub line: u32,
    pub function: *const c_char,
    pub message: *const c_char,
    pub size: usize,
    pub header_size: usize,
}

/// `dds_topic_descriptor_t`, only ever pointed to.
#[repr(C)]
pub struct Descriptor {
    _private: [u8; 0],
}

/// `dds_qos_t`, only ever pointed to.
#[repr(C)]
pub struct Qos {
    _private: [u8; 0],
}

unsafe extern "C" {
    /// The topic's type, generated from `Body.idl`.
    pub static wiredyno_Body_desc: Descriptor;

    pub fn dds_create_domain(domain: u32, config: *const c_char) -> Entity;
    pub fn dds_create_participant(domain: u32, qos: *const Qos, listener: *const c_void) -> Entity;
    pub fn dds_create_topic(
        participant: Entity,
        descriptor: *const Descriptor,
        name: *const c_char,
        qos: *const Qos,
        listener: *const c_void,
    ) -> Entity;
    pub fn dds_create_writer(
        participant: Entity,
        topic: Entity,
        qos: *const Qos,
        listener: *const c_void,
    ) -> Entity;
    pub fn dds_create_reader(
        participant: Entity,
        topic: Entity,
        qos: *const Qos,
        listener: *const c_void,
    ) -> Entity;
    pub fn dds_create_readcondition(reader: Entity, mask: u32) -> Entity;
    pub fn dds_create_guardcondition(participant: Entity) -> Entity;
    pub fn dds_set_guardcondition(guard: Entity, triggered: bool) -> i32;
    pub fn dds_create_waitset(participant: Entity) -> Entity;
    pub fn dds_waitset_attach(waitset: Entity, entity: Entity, blob: isize) -> i32;
    pub fn dds_waitset_wait(waitset: Entity, blobs: *mut isize, count: usize, span: Span) -> i32;
    pub fn dds_write(writer: Entity, data: *const c_void) -> i32;
    pub fn dds_write_flush(writer: Entity) -> i32;
    pub fn dds_take(
        reader: Entity,
        samples: *mut *mut c_void,
        infos: *mut Info,
        room: usize,
        most: u32,
    ) -> i32;
    pub fn dds_return_loan(reader: Entity, samples: *mut *mut c_void, count: i32) -> i32;
    pub fn dds_wait_for_acks(writer: Entity, span: Span) -> i32;
    pub fn dds_get_publication_matched_status(writer: Entity, status: *mut Matched) -> i32;
    pub fn dds_get_offered_incompatible_qos_status(writer: Entity, status: *mut Incompatible) -> i32;
    pub fn dds_delete(entity: Entity) -> i32;
    pub fn dds_create_qos() -> *mut Qos;
    pub fn dds_delete_qos(qos: *mut Qos);
    pub fn dds_qset_prop(qos: *mut Qos, name: *const c_char, value: *const c_char);
    pub fn dds_qset_reliability(qos: *mut Qos, kind: c_int, max_blocking: Span);
    pub fn dds_qset_history(qos: *mut Qos, kind: c_int, depth: i32);
    pub fn dds_qset_durability(qos: *mut Qos, kind: c_int);
    pub fn dds_qset_durability_service(
        qos: *mut Qos,
        cleanup_delay: Span,
        history: c_int,
        depth: i32,
        max_samples: i32,
        max_instances: i32,
        max_samples_per_instance: i32,
    );
    pub fn dds_qset_resource_limits(
        qos: *mut Qos,
        max_samples: i32,
        max_instances: i32,
        max_samples_per_instance: i32,
    );
    pub fn dds_set_log_sink(sink: Option<extern "C" fn(*mut c_void, *const LogLine)>, data: *mut c_void);
    fn dds_strretcode(code: i32) -> *const c_char;
}

/// The library's text for a return code.
pub fn meaning(code: i32) -> String {
    // SAFETY: the library returns a static string for every code.
    let text = unsafe { CStr::from_ptr(dds_strretcode(code)) };
    text.to_string_lossy().into_owned()
}

/// The handle or code itself, or the library's error text.
pub fn checked(code: i32) -> Result<i32, String> {
    if code < 0 { Err(meaning(code)) } else { Ok(code) }
}

/// Takes up to `MOST` samples, and passes each with data to `each` while it is on loan; returns how many there were.
///
/// # Errors
/// The library's own error text.
pub fn take<const MOST: usize>(reader: Entity, mut each: impl FnMut(&[u8])) -> Result<usize, String> {
    let mut samples = [std::ptr::null_mut::<c_void>(); MOST];
    let mut infos = [MaybeUninit::<Info>::uninit(); MOST];
    // SAFETY: there is room for the requested samples and infos; null pointers request a loan.
    let taken =
        unsafe { dds_take(reader, samples.as_mut_ptr(), infos.as_mut_ptr().cast(), MOST, MOST as u32) };
    let taken = checked(taken)?;
    for (sample, info) in samples.iter().zip(&infos).take(taken as usize) {
        // SAFETY: the library has filled in this many infos.
        if !unsafe { info.assume_init_ref() }.valid_data {
            continue;
        }
        // SAFETY: a sample with data is a body of the topic's type, on loan until it is returned below.
        let body = unsafe { &*sample.cast::<Body>() };
        each(match body.buffer.is_null() {
            true => &[],
            // SAFETY: the body has this many bytes while it is on loan.
            false => unsafe { std::slice::from_raw_parts(body.buffer, body.length as usize) },
        });
    }
    if taken > 0 {
        // SAFETY: these are the loans of the call above.
        checked(unsafe { dds_return_loan(reader, samples.as_mut_ptr(), taken) })?;
    }
    Ok(taken as usize)
}

//! The headers of records, as tracing and routing add them: the first is `traceparent` of W3C Trace Context (section 3.2), further ones have names of
//! their own and values of the same form. Ids differ from record to record, as a tracer's do, so that no compressor makes less of them than of real
//! ones; they follow from the record's number.

use std::ffi::{CStr, CString, c_void};
use std::fmt::Write;

use rdkafka_sys as sys;

/// The length of every value in bytes: version, trace id, parent id and flags.
const VALUE_BYTES: usize = 2 + 1 + 32 + 1 + 16 + 1 + 2;

/// The most that a header takes in a record, in bytes: name, value and a byte for the length of each, rounded up.
pub const HEADER_BYTES: usize = 16 + VALUE_BYTES;

/// The names of a producer's headers.
pub struct Headers {
    names: Vec<CString>,
}

impl Headers {
    /// So many headers for each record.
    pub fn new(count: usize) -> Self {
        let further = (2..=count).filter_map(|number| CString::new(format!("header-{number}")).ok());
        let first = (count > 0).then(|| c"traceparent".to_owned());
        Headers { names: first.into_iter().chain(further).collect() }
    }

    /// The headers of the record with a number, in the library's form; null if it has none. They are the caller's until the library takes them over
    /// with a record.
    pub fn of_message(&self, number: u64) -> *mut sys::rd_kafka_headers_t {
        if self.names.is_empty() {
            return std::ptr::null_mut();
        }
        let mut value = String::with_capacity(VALUE_BYTES);
        // SAFETY: the list has just been made; names and values outlive the calls, which copy both.
        unsafe {
            let list = sys::rd_kafka_headers_new(self.names.len());
            for (place, name) in (0..).zip(&self.names) {
                write_value(number, place, &mut value);
                let name: &CStr = name;
                let (bytes, length) = (value.as_ptr().cast::<c_void>(), value.len() as isize);
                sys::rd_kafka_header_add(list, name.as_ptr(), name.count_bytes() as isize, bytes, length);
            }
            list
        }
    }
}

/// Writes the value of one header of a record in place of `value`.
fn write_value(number: u64, header: u64, value: &mut String) {
    let id = |part: u64| mixed(number.wrapping_mul(301).wrapping_add(header * 3 + part));
    value.clear();
    // Writing into a text does not fail.
    let _ = write!(value, "00-{:016x}{:016x}-{:016x}-01", id(0), id(1), id(2));
}

/// The output of SplitMix64 for a state (G. L. Steele, D. Lea, C. H. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
fn mixed(state: u64) -> u64 {
    let mut mixed = state.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn values_have_the_form_of_trace_context_and_no_two_are_alike() {
        let mut all = HashSet::new();
        for number in 0..100 {
            for header in 0..100 {
                let mut value = String::new();
                write_value(number, header, &mut value);
                let parts: Vec<usize> = value.split('-').map(str::len).collect();
                assert_eq!((value.len(), parts), (VALUE_BYTES, vec![2, 32, 16, 2]), "{value}");
                assert!(all.insert(value));
            }
        }
    }

    #[test]
    fn the_first_is_traceparent_and_names_fit_into_their_room() {
        let names = |count| Headers::new(count).names;
        assert!(names(0).is_empty() && Headers::new(0).of_message(1).is_null());
        assert_eq!(names(2), [c"traceparent".to_owned(), c"header-2".to_owned()]);
        assert!(names(100).iter().all(|name| name.count_bytes() + 4 <= HEADER_BYTES - VALUE_BYTES));
    }
}

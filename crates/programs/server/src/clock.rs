//! Wall-clock time.

/// The current time, in milliseconds of Unix time.
pub fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

//! The time of day.

/// Milliseconds of Unix time.
pub fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

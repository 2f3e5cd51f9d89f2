//! What a record says of the messages of a trial, and of one of them.

use wiredyno_model::trial::{MessageRecord, TrialRecord};

/// From the intended send to the receipt, in nanoseconds.
pub fn latency(message: &MessageRecord) -> Option<i64> {
    Some(message.received_ns? - message.intended_send_ns)
}

/// Messages that were published. A record counts each of them once for every subscriber that it was for.
pub(crate) fn published(trial: &TrialRecord) -> f64 {
    trial.delivery.sent as f64 / f64::from(trial.fan_out.max(1))
}

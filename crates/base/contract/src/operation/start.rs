//! Sending the measured messages.

use serde::{Deserialize, Serialize};

use super::one;
use crate::load::{Arrivals, LoadKind};

/// Send the measured messages, on a schedule, by receipts or as fast as possible.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The intended send of the first message, CLOCK_MONOTONIC.
    pub at_ns: i64,
    /// How many messages to send.
    pub messages: u32,
    /// What triggers the next message.
    pub kind: LoadKind,
    /// Time between intended sends (open), pause after a receipt (closed).
    pub interval_ns: u64,
    /// How the times between messages are distributed.
    pub arrivals: Arrivals,
    /// Batch: how long to send, unless `messages` are sent before; absent for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ns: Option<u64>,
    /// Closed loop: how many messages may be in flight.
    #[serde(default = "one")]
    pub window: u32,
    /// Seed of the random times of Poisson arrivals.
    pub seed: u64,
    /// Closed loop: how long to wait for a receipt before continuing without it.
    pub deadline_ns: u64,
    /// Closed loop: the named pipe to create and wait on.
    pub gate: Option<String>,
    /// Extra CPU time to spend on encoding each message, in nanoseconds, to check that it is detected; 0 except in self-tests.
    #[serde(default, skip_serializing_if = "is_none")]
    pub burden_ns: u64,
}

fn is_none(burden_ns: &u64) -> bool {
    *burden_ns == 0
}

impl Start {
    /// An open loop with equal intervals; an interval of 0 sends as fast as the transport takes messages.
    pub fn open(at_ns: i64, messages: u32, interval_ns: u64) -> Self {
        Start {
            at_ns,
            messages,
            kind: LoadKind::Open,
            interval_ns,
            arrivals: Arrivals::Constant,
            duration_ns: None,
            window: 1,
            seed: 0,
            deadline_ns: 0,
            gate: None,
            burden_ns: 0,
        }
    }
}

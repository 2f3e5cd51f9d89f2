//! What a running trial does now, second by second. It is provisional: figures of results come from the records of all messages, which are
//! read when the trial has ended.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::outcome::Role;

/// The seconds of one trial that are kept: beyond this, neighbours are merged, so that a longer trial has fewer points a minute.
pub const MOST_KEPT: usize = 180;

/// What a trial is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LivePhase {
    /// Messages that are not measured, then a look at what idle roles use.
    #[default]
    WarmUp,
    /// Measured messages are sent.
    Sending,
    /// All are sent; what is on its way is awaited.
    Draining,
}

/// What a role used in some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LiveRole {
    /// Publisher, subscriber or broker.
    pub role: Role,
    /// CPU time of its processes, the stand's own work included, in nanoseconds.
    pub cpu_ns: u64,
    /// Their resident sets at the end, in bytes.
    pub memory_bytes: u64,
}

/// About a second of a running trial. Amounts are those of this time alone.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LiveSecond {
    /// Its end, in milliseconds of Unix time.
    pub at_ms: i64,
    /// How long it is, in nanoseconds.
    pub span_ns: u64,
    /// What the trial was doing at its end.
    pub phase: LivePhase,
    /// Measured messages handed over; absent if the publisher's runner does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<u64>,
    /// Arrivals, copies included; absent if the subscriber's runner does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<u64>,
    /// Median latency of the arrivals that were matched, from the intended send to the receipt, in nanoseconds. At high rates it is that of
    /// a part of the messages, chosen by their content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ns: Option<i64>,
    /// 99th percentile of the same, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_ns: Option<i64>,
    /// How many arrivals these two are from.
    pub timed: u64,
    /// Deliveries whose time to arrive passed: the study's drain, at most ten seconds. At high rates, of a part of the messages.
    pub judged: u64,
    /// Of these, how many had not arrived.
    pub missing: u64,
    /// What the roles used.
    pub roles: Vec<LiveRole>,
    /// Bytes from the edge that entered the link; absent without a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_bytes: Option<u64>,
    /// Bytes from the cloud that entered the link; absent without a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub down_bytes: Option<u64>,
}

/// A trial's measured messages so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LiveTotal {
    /// Measured messages handed over; absent if the publisher's runner does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<u64>,
    /// Arrivals since the first was sent, copies included; absent if the subscriber's runner does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<u64>,
    /// Median latency, in nanoseconds, to the width of a histogram's bucket: 1 in 1,024.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ns: Option<i64>,
    /// 99th percentile of latency, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_ns: Option<i64>,
    /// How many arrivals these two are from.
    pub timed: u64,
    /// Deliveries whose time to arrive has passed.
    pub judged: u64,
    /// Of these, how many have not arrived.
    pub missing: u64,
    /// Bytes from the edge that entered the link; absent without a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_bytes: Option<u64>,
    /// Bytes from the cloud that entered the link; absent without a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub down_bytes: Option<u64>,
}

/// The last second of one running trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LiveTrial {
    /// The name of its cell.
    pub name: String,
    /// Number of the repeat, from 0.
    pub repeat: u32,
    /// Earlier attempts of this repeat, all invalid.
    pub attempt: u32,
    /// That second.
    #[serde(flatten)]
    pub second: LiveSecond,
    /// All of the trial so far.
    pub so_far: LiveTotal,
}

/// The seconds of a running trial, thinned as it goes on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LiveSeries {
    /// How many seconds one of its points is from, about.
    pub step_s: u32,
    /// In order of time, at most [`MOST_KEPT`].
    pub seconds: Vec<LiveSecond>,
    /// All of the trial so far.
    pub so_far: LiveTotal,
}

impl LiveSecond {
    /// Both together, where `next` follows. The percentiles are the mean of the medians, by arrivals, and the larger of the others: an
    /// approximation for a picture.
    #[must_use]
    pub fn with(&self, next: &LiveSecond) -> LiveSecond {
        let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (None, None) => None,
            (one, other) => Some(one.unwrap_or_default() + other.unwrap_or_default()),
        };
        let (weight, other) = (self.timed as f64, next.timed as f64);
        let median = |one: i64, two: i64| {
            ((one as f64 * weight + two as f64 * other) / (weight + other).max(1.0)).round() as i64
        };
        let both = |one: Option<i64>, two: Option<i64>, of: &dyn Fn(i64, i64) -> i64| match (one, two) {
            (Some(one), Some(two)) => Some(of(one, two)),
            (one, two) => one.or(two),
        };
        let before = |role: Role| self.roles.iter().find(|of| of.role == role).map_or(0, |of| of.cpu_ns);
        LiveSecond {
            at_ms: next.at_ms,
            span_ns: self.span_ns + next.span_ns,
            phase: next.phase,
            sent: sum(self.sent, next.sent),
            received: sum(self.received, next.received),
            p50_ns: both(self.p50_ns, next.p50_ns, &median),
            p99_ns: both(self.p99_ns, next.p99_ns, &i64::max),
            timed: self.timed + next.timed,
            judged: self.judged + next.judged,
            missing: self.missing + next.missing,
            roles: next
                .roles
                .iter()
                .map(|role| LiveRole { cpu_ns: role.cpu_ns + before(role.role), ..*role })
                .collect(),
            up_bytes: sum(self.up_bytes, next.up_bytes),
            down_bytes: sum(self.down_bytes, next.down_bytes),
        }
    }
}

impl LiveSeries {
    /// Appends the next second.
    pub fn add(&mut self, second: LiveSecond, so_far: LiveTotal) {
        self.step_s = self.step_s.max(1);
        self.so_far = so_far;
        let step_ns = u64::from(self.step_s) * 1_000_000_000;
        match self.seconds.last_mut() {
            // A second is seldom exactly one.
            Some(last) if self.step_s > 1 && last.span_ns + 500_000_000 < step_ns => {
                *last = last.with(&second)
            }
            _ => self.seconds.push(second),
        }
        if self.seconds.len() > MOST_KEPT {
            self.step_s *= 2;
            let pairs = self.seconds.chunks(2);
            self.seconds = pairs
                .map(|pair| match pair {
                    [one, next] => one.with(next),
                    one => one[0].clone(),
                })
                .collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(number: u64) -> LiveSecond {
        LiveSecond {
            at_ms: number as i64 * 1000,
            span_ns: 1_000_100_000,
            phase: LivePhase::Sending,
            sent: Some(10),
            received: None,
            p50_ns: Some(100),
            p99_ns: Some(number as i64),
            timed: 10,
            judged: 5,
            missing: 1,
            roles: vec![LiveRole { role: Role::Publisher, cpu_ns: 7, memory_bytes: number }],
            up_bytes: Some(3),
            down_bytes: None,
        }
    }

    #[test]
    fn a_long_trial_has_longer_points_and_the_same_sums() {
        let mut series = LiveSeries::default();
        for number in 0..3_600 {
            series.add(second(number), LiveTotal { sent: Some(10 * number), ..LiveTotal::default() });
            assert!(series.seconds.len() <= MOST_KEPT);
        }
        assert_eq!((series.step_s, series.so_far.sent), (32, Some(35_990)));
        let sum = |of: fn(&LiveSecond) -> u64| series.seconds.iter().map(of).sum::<u64>();
        assert_eq!(sum(|one| one.sent.unwrap()), 36_000);
        assert_eq!(sum(|one| one.roles[0].cpu_ns), 7 * 3_600);
        assert_eq!(sum(|one| one.judged), 5 * 3_600);
        assert!(series.seconds.iter().all(|one| one.received.is_none() && one.p50_ns == Some(100)));
        assert_eq!(series.seconds.last().unwrap().at_ms, 3_599_000);
        assert_eq!(series.seconds.last().unwrap().p99_ns, Some(3_599));
        let spans: Vec<u64> = series.seconds.iter().map(|one| one.span_ns / 1_000_000_000).collect();
        assert!(spans.iter().rev().skip(1).all(|span| *span == 32), "{spans:?}");
    }
}

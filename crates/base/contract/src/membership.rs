//! What a subscriber did as a member of a group: one that shares messages with others, or commits its position to a broker.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A subscriber's part in a group, as its client saw it, up to the moment at which it stopped receiving.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Membership {
    /// Which subscriber of its role it is, from 0.
    pub subscriber: u32,
    /// The group's name at the broker.
    pub group: String,
    /// Assignments that it got until all members were connected.
    #[serde(default)]
    pub joining: u32,
    /// Assignments that it got later: each time partitions were taken from it or given to it, and whenever all members had to rejoin. The end of the trial
    /// does not count.
    #[serde(default)]
    pub rebalances: u32,
    /// From the moment at which its client was told to give up partitions until the next assignment, summed over those later assignments, in nanoseconds.
    #[serde(default)]
    pub rebalancing_ns: u64,
    /// Commits that the broker confirmed.
    #[serde(default)]
    pub commits: u64,
    /// Commits that it refused, or did not answer.
    #[serde(default)]
    pub failed_commits: u64,
    /// How long the committing calls blocked the receiving thread, summed, in nanoseconds; 0 where the library commits by itself.
    #[serde(default)]
    pub committing_ns: u64,
    /// The partitions that it was assigned or took messages from, by number.
    pub partitions: Vec<PartitionUse>,
}

/// A partition of a topic, as a member of a group used it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PartitionUse {
    /// The partition's number within its topic, from 0.
    pub partition: u32,
    /// Whether it was the member's when it stopped receiving.
    pub held: bool,
    /// Messages that the member took from it: those of the warm-up and copies included.
    pub messages: u64,
    /// The offset after the last of them; absent where there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
    /// The offset that the broker has for the group: where a member that takes the partition over begins. Absent for a partition that was not held, and
    /// where the broker has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committed: Option<i64>,
    /// The offset that the partition's next message gets, as of the client's last fetch; absent likewise, and where nothing was fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<i64>,
}

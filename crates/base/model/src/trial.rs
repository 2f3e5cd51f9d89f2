//! The results of one trial: its record, the times of its messages, the samples of its codec loops. One file because its types are the
//! parts of one record.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wiredyno_contract::{
    DictionaryUsed, FirstCalls, Handshake, Membership, MessageRate, Phase, PhaseMeasurement, TlsVersion,
    TransportId,
};

use crate::axis::{Cell, CodecCell};
pub use crate::outcome::{Invalid, Overload};
use crate::outcome::{Outcome, Role, outcome_of};

/// Exact accounting of a trial's measured messages: sent = delivered + lost + superseded. The other counts are parts of the delivered, except
/// `corrupted`, which counts arrivals that match no sent message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Delivery {
    /// Messages handed to the transport.
    pub sent: u64,
    /// Messages that arrived at least once, with all their bytes, before the end of the drain.
    pub delivered: u64,
    /// Messages that did not arrive by then.
    pub lost: u64,
    /// Messages that the protocol was allowed to skip in favour of a newer one.
    pub superseded: u64,
    /// Delivered, but later than the deadline. Absent, like the next two, where messages were only counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<u64>,
    /// Arrivals beyond the first of a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duplicated: Option<u64>,
    /// Messages that arrived after one that was sent later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reordered: Option<u64>,
    /// Arrivals that match no sent message.
    pub corrupted: u64,
}

/// Nothing sent, and every count known.
impl Default for Delivery {
    fn default() -> Self {
        let (late, duplicated, reordered) = (Some(0), Some(0), Some(0));
        Delivery { sent: 0, delivered: 0, lost: 0, superseded: 0, late, duplicated, reordered, corrupted: 0 }
    }
}

/// A count that is unknown in one of two is unknown in their sum.
impl std::ops::AddAssign for Delivery {
    fn add_assign(&mut self, other: Delivery) {
        let sum = |one: Option<u64>, other: Option<u64>| Some(one? + other?);
        self.sent += other.sent;
        self.delivered += other.delivered;
        self.lost += other.lost;
        self.superseded += other.superseded;
        self.late = sum(self.late, other.late);
        self.duplicated = sum(self.duplicated, other.duplicated);
        self.reordered = sum(self.reordered, other.reordered);
        self.corrupted += other.corrupted;
    }
}

/// Packets and bytes of one direction of the link, counted where they enter it, before loss. Bytes are the
/// IP length plus 14 for an Ethernet header without FCS, per packet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WireCount {
    /// Packets, before loss.
    pub packets: u64,
    /// Bytes, before loss, headers included.
    pub bytes: u64,
    /// Of the packets, those dropped by the link.
    pub dropped_packets: u64,
    /// Of the packets, retransmissions of TCP segments (by sequence number) or CoAP messages (by id).
    pub retransmitted_packets: u64,
    /// Bytes of the retransmitted packets, headers included.
    pub retransmitted_bytes: u64,
    /// Of the packets, those that carry data of the application layer for the first time: neither bare
    /// acknowledgements nor retransmissions.
    pub application_packets: u64,
    /// Bytes of the application packets, headers included.
    pub application_bytes: u64,
    /// All bytes by purpose; absent in old records.
    #[serde(default)]
    pub classes: Option<WireClasses>,
    /// Of the bytes of class `message`, those after the headers of TCP or UDP, IP and Ethernet: the protocol's frames with the bodies in them.
    /// 0 in old records.
    #[serde(default)]
    pub message_frame_bytes: u64,
}

/// Bytes of one direction of the link by purpose, headers included: together all that entered. If a packet holds several frames, each byte
/// counts for its own frame, and the headers for the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WireClasses {
    /// Frames that carry a message.
    pub message: u64,
    /// The protocol's acknowledgements, and requests for further messages.
    pub acknowledgement: u64,
    /// Keep-alive requests and their answers.
    pub keep_alive: u64,
    /// Connecting, logins, subscriptions, and disconnecting.
    pub set_up: u64,
    /// TCP segments without payload that only acknowledge.
    pub transport: u64,
    /// Copies of bytes sent before.
    pub retransmitted: u64,
    /// Unreadable: encrypted, or of no known format.
    pub unread: u64,
}

impl WireClasses {
    /// Bytes of all classes together.
    pub fn total(&self) -> u64 {
        let Self { message, acknowledgement, keep_alive, set_up, transport, retransmitted, unread } = self;
        message + acknowledgement + keep_alive + set_up + transport + retransmitted + unread
    }
}

impl std::ops::AddAssign for WireClasses {
    fn add_assign(&mut self, other: WireClasses) {
        self.message += other.message;
        self.acknowledgement += other.acknowledgement;
        self.keep_alive += other.keep_alive;
        self.set_up += other.set_up;
        self.transport += other.transport;
        self.retransmitted += other.retransmitted;
        self.unread += other.unread;
    }
}

impl std::ops::AddAssign for WireCount {
    fn add_assign(&mut self, other: WireCount) {
        self.packets += other.packets;
        self.bytes += other.bytes;
        self.dropped_packets += other.dropped_packets;
        self.retransmitted_packets += other.retransmitted_packets;
        self.retransmitted_bytes += other.retransmitted_bytes;
        self.application_packets += other.application_packets;
        self.application_bytes += other.application_bytes;
        if let Some(classes) = other.classes {
            *self.classes.get_or_insert_default() += classes;
        }
        self.message_frame_bytes += other.message_frame_bytes;
    }
}

/// Both directions of the link.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Wire {
    /// From edge to cloud, as packets enter the link.
    pub up: WireCount,
    /// From cloud to edge, as packets enter the link.
    pub down: WireCount,
}

impl std::ops::AddAssign for Wire {
    fn add_assign(&mut self, other: Wire) {
        self.up += other.up;
        self.down += other.down;
    }
}

/// A trial's bytes on the wire by phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WireByPhase {
    /// Echoes before the trial, which check the link's floor.
    #[serde(default)]
    pub probe: Wire,
    /// Connecting and subscribing, before any message.
    pub setup: Wire,
    /// Warm-up messages, which no figure includes.
    pub warmup: Wire,
    /// From the first intended send to the end of the drain.
    pub measure: Wire,
    /// Disconnecting, after the drain.
    pub teardown: Wire,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What one role's process used during the measured part of a trial.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoleUse {
    /// CPU time of all threads, user and system.
    pub cpu_ns: u64,
    /// Of that, the stand's own work in a runner, which users of client and codec don't pay for: waiting until a message is due, numbering,
    /// hashing and recording it. 0 where it was not distinguished.
    #[serde(default)]
    pub stand_cpu_ns: u64,
    /// Of that, the part of threads other than the one that did most of it: the thread that talks to the stand, the one that writes records,
    /// those of further subscribers.
    #[serde(default)]
    pub session_cpu_ns: u64,
    /// The fixed cost of the measured part: the CPU time, without the stand's own work, that the process would have used in it without any
    /// message, estimated from a blank before; only the mean over trials is right, a single value may be below 0. Absent where there was no
    /// blank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed_cpu_ns: Option<i64>,
    /// Half the width of its 95 % interval; absent likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed_cpu_error_ns: Option<u64>,
    /// Of the fixed cost, the part proportional to time: what the idle process takes in as long as the measured part lasts. Absent in old
    /// records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_cpu_ns: Option<i64>,
    /// Half the width of its 95 % interval, which grows with the length of the measured part as well; absent likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_cpu_error_ns: Option<u64>,
    /// Runners that shared the role, above 1: all figures except `busiest_thread` are sums over them. 0 for one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub runners: u32,
    /// Largest resident set size since the process began.
    pub peak_memory_bytes: u64,
    /// Time in which its threads were runnable but waited for a CPU (`run_delay`), summed over threads.
    #[serde(default)]
    pub run_delay_ns: u64,
    /// Share of the time in which its busiest thread was on a CPU or waited for one, 0..1, including the stand's own work. From the first
    /// intended send until the last message was sent, or until all had arrived, whichever is later.
    #[serde(default)]
    pub busiest_thread: f64,
    /// The part of that on a CPU, without waiting for one. Absent in old records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest_thread_on_cpu: Option<f64>,
    /// Share of the same time that the stand's own work took on the thread that did most of it, 0..1. Absent in old records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest_thread_stand: Option<f64>,
    /// Datagrams that the kernel dropped because the buffer of one of its UDP sockets was full.
    #[serde(default)]
    pub dropped_datagrams: u64,
    /// Resident set when the measured part began.
    #[serde(default)]
    pub resident_begin_bytes: u64,
    /// Resident set at the end of its drain.
    #[serde(default)]
    pub resident_end_bytes: u64,
}

/// What two processes of one role used together. Peaks of memory are summed, as if both occurred at once. The caller sets the number of
/// runners and the fixed cost, which is known only of all of them together.
impl std::ops::AddAssign for RoleUse {
    fn add_assign(&mut self, other: RoleUse) {
        let RoleUse {
            cpu_ns,
            stand_cpu_ns,
            session_cpu_ns,
            fixed_cpu_ns: _,
            fixed_cpu_error_ns: _,
            idle_cpu_ns: _,
            idle_cpu_error_ns: _,
            runners: _,
            peak_memory_bytes,
            run_delay_ns,
            busiest_thread,
            busiest_thread_on_cpu,
            busiest_thread_stand,
            dropped_datagrams,
            resident_begin_bytes,
            resident_end_bytes,
        } = other;
        (self.fixed_cpu_ns, self.fixed_cpu_error_ns, self.runners) = (None, None, 0);
        (self.idle_cpu_ns, self.idle_cpu_error_ns) = (None, None);
        if busiest_thread > self.busiest_thread {
            (self.busiest_thread, self.busiest_thread_on_cpu) = (busiest_thread, busiest_thread_on_cpu);
            self.busiest_thread_stand = busiest_thread_stand;
        }
        self.cpu_ns += cpu_ns;
        self.stand_cpu_ns += stand_cpu_ns;
        self.session_cpu_ns += session_cpu_ns;
        self.peak_memory_bytes += peak_memory_bytes;
        self.run_delay_ns += run_delay_ns;
        self.dropped_datagrams += dropped_datagrams;
        self.resident_begin_bytes += resident_begin_bytes;
        self.resident_end_bytes += resident_end_bytes;
    }
}

impl RoleUse {
    /// CPU time without the stand's own work.
    pub fn users_cpu_ns(&self) -> u64 {
        self.cpu_ns.saturating_sub(self.stand_cpu_ns)
    }

    /// CPU time that is due to messages: without the stand's own work and the fixed cost. `None` where that is not known.
    pub fn messages_cpu_ns(&self) -> Option<f64> {
        Some(self.cpu_ns as f64 - self.stand_cpu_ns as f64 - self.fixed_cpu_ns? as f64)
    }

    /// The least that remains of the busiest thread's share without the stand's own work, as if it were the thread that did most of that work,
    /// 0..1. `sending_ns` is how long messages were sent: for old records, the work of all message threads of a runner is subtracted, over
    /// that time.
    pub fn users_share_of_busiest(&self, sending_ns: u64) -> f64 {
        let of_all = || {
            let stand_ns = self.stand_cpu_ns.saturating_sub(self.session_cpu_ns) as f64;
            stand_ns / f64::from(self.runners.max(1)) / sending_ns.max(1) as f64
        };
        (self.busiest_thread - self.busiest_thread_stand.unwrap_or_else(of_all)).max(0.0)
    }

    /// Whether its busiest thread waited for a CPU longer than it ran on one.
    pub fn waited_more_than_it_ran(&self) -> bool {
        self.busiest_thread_on_cpu.is_some_and(|on_cpu| on_cpu < self.busiest_thread / 2.0)
    }
}

/// What each role used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Roles {
    /// All processes of publishers.
    pub publisher: RoleUse,
    /// The process of the subscribers.
    pub subscriber: RoleUse,
    /// The broker or relay; absent where its process is not the run's.
    pub broker: Option<RoleUse>,
}

impl Roles {
    /// The roles whose processes are the run's, publisher first.
    pub fn known(&self) -> impl Iterator<Item = (Role, &RoleUse)> {
        let broker = self.broker.as_ref().map(|used| (Role::Broker, used));
        let ends = [(Role::Publisher, &self.publisher), (Role::Subscriber, &self.subscriber)];
        ends.into_iter().chain(broker)
    }
}

/// The part of a trial in which messages moved, with CPU use and waiting during it. Counters are read when the publisher begins to wait for
/// the first message to be due, and as soon as all have arrived and been acknowledged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Moving {
    /// From the first intended send to the last receipt, or the last hand-over if that came later. Limits are shares of it.
    pub moved_ns: u64,
    /// From the first reading of the counters to the last: contains all of `moved_ns`, and some time around it that the counters include.
    pub watched_ns: u64,
    /// CPU time in use on all CPUs, by any process (`/proc/stat`, to 10 ms).
    pub in_use_ns: u64,
    /// CPU use of the publishers.
    pub publisher: CpuUse,
    /// CPU use of the subscribers.
    pub subscriber: CpuUse,
    /// The broker or relay; absent where its process is not the run's.
    pub broker: Option<CpuUse>,
    /// Time in which the link's process was runnable but waited for a CPU.
    pub link_run_delay_ns: u64,
}

/// The load of an agent's machine while messages moved, by its own counters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentLoad {
    /// The agent's name.
    pub agent: String,
    /// Its machine: 0 is that of the program which conducted the trial, and agents with one number share a machine.
    pub machine: u32,
    /// The roles that it had, with what they used.
    pub roles: Vec<RolePart>,
    /// CPUs online.
    pub cpus: u32,
    /// From the first reading of the counters to the last, nanoseconds.
    pub watched_ns: u64,
    /// CPU time in use on all CPUs, by any process, nanoseconds (`/proc/stat`, to 10 ms).
    pub in_use_ns: u64,
    /// Share of all CPU time that its hypervisor gave to other machines, 0..1.
    pub steal: f64,
}

impl AgentLoad {
    /// Share of all CPU time in use, 0..1.
    pub fn utilisation(&self) -> f64 {
        let available_ns = self.watched_ns as f64 * f64::from(self.cpus.max(1));
        if available_ns > 0.0 { (self.in_use_ns as f64 / available_ns).min(1.0) } else { 0.0 }
    }

    /// Whether it had a role.
    pub fn has(&self, role: Role) -> bool {
        self.roles.iter().any(|part| part.role == role)
    }
}

/// What a role used on one machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RolePart {
    /// The role.
    pub role: Role,
    /// What its processes there used while messages moved.
    pub used: CpuUse,
}

/// Counters are read at most this long before the first intended send, nanoseconds.
pub const MOST_LEAD_NS: u64 = 30_000_000;

/// CPU time of a role's processes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CpuUse {
    /// CPU time of all threads, user and system.
    pub cpu_ns: u64,
    /// Of that, the stand's own work in a runner.
    pub stand_cpu_ns: u64,
    /// Time in which threads were runnable but waited for a CPU, summed over threads.
    pub run_delay_ns: u64,
}

impl std::ops::AddAssign for CpuUse {
    fn add_assign(&mut self, other: CpuUse) {
        self.cpu_ns = self.cpu_ns.saturating_add(other.cpu_ns);
        self.stand_cpu_ns = self.stand_cpu_ns.saturating_add(other.stand_cpu_ns);
        self.run_delay_ns = self.run_delay_ns.saturating_add(other.run_delay_ns);
    }
}

impl Moving {
    /// The roles whose processes are the run's, publisher first.
    pub fn known(&self) -> impl Iterator<Item = (Role, CpuUse)> {
        let ends = [(Role::Publisher, self.publisher), (Role::Subscriber, self.subscriber)];
        ends.into_iter().chain(self.broker.map(|used| (Role::Broker, used)))
    }

    /// A time as a share of that in which messages moved or were awaited: if some never came, counters were read when the wait for them ended.
    /// Otherwise a trial with losses would have a stricter limit than one without.
    pub fn share(&self, ns: u64) -> f64 {
        ns as f64 / self.moved_ns.max(self.watched_ns.saturating_sub(MOST_LEAD_NS)).max(1) as f64
    }
}

/// How well the publisher kept its schedule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Schedule {
    /// Median of actual minus intended send.
    pub lag_p50_ns: i64,
    /// 99th percentile of actual minus intended send.
    pub lag_p99_ns: i64,
    /// Largest actual minus intended send.
    pub lag_max_ns: i64,
    /// |achieved - intended| / intended of the send rate, 0..1; 0 for closed loops.
    pub rate_error: f64,
    /// 99th percentile of how late the publisher woke up: `build_start` minus the later of the intended send and the hand-over of the previous
    /// message. The stand's own part of the lag.
    #[serde(default)]
    pub woken_p99_ns: i64,
    /// How far late wake-ups alone changed the send rate, as a share of the intended span; 0 for closed loops.
    #[serde(default)]
    pub woken_rate_error: f64,
    /// 99th percentile of how long the publisher was still busy with the previous message when the next was due; 0 if it never was.
    #[serde(default)]
    pub busy_p99_ns: i64,
    /// Closed loops with one message in flight: mean time from the receipt of a message until the next is due, without the pause. Absent for
    /// other loads, and where no receipt came before another message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap_ns: Option<i64>,
}

/// How the highest sustained rate was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Search {
    /// The highest sustained rate; absent where none was.
    pub rate: Option<MessageRate>,
    /// The rates that were tried, in order.
    pub steps: Vec<SearchStep>,
    /// What stopped the lowest rate that was not sustained; absent if all were.
    pub limit: Option<SearchLimit>,
}

/// A rate that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SearchStep {
    /// The rate offered.
    pub rate: MessageRate,
    /// Why it was not sustained; absent where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// The resource that is exhausted at the highest rate, so that no higher rate is sustained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SearchLimit {
    /// A thread of the publisher had no CPU time left.
    Publisher,
    /// A thread of the subscriber, or its socket's buffer.
    Subscriber,
    /// A thread of the broker or relay, or its socket's buffer.
    Broker,
    /// The emulated link's rate, in one direction.
    Link,
    /// CPU time of the whole machine.
    Machine,
    /// The stand itself: a thread of a runner had no CPU time left because of the stand's own work, or one of the link's had none, or the
    /// generator woke up late. Shows nothing about what was measured, except that its limit is higher.
    Stand,
    /// As many messages were in flight as the closed loop allows.
    Window,
    /// Nothing was exhausted: client, broker or protocol wait for each other.
    Waiting,
}

/// How long it took until the measured messages had arrived, from the first intended send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Receiving {
    /// Until the last receipt of a measured message.
    pub last_ns: u64,
    /// Until the end of the drain: all had arrived and been acknowledged and the link was quiet, or the drain's time was over.
    pub drained_ns: u64,
    /// Bytes of the bodies of the measured messages that arrived; 0 where messages were only counted.
    pub body_bytes: u64,
}

/// Messages in flight: sent, and not yet arrived. Those that never arrived are left out, so that loss does not look like a queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Backlog {
    /// When half of the messages had been sent.
    pub half: u64,
    /// When the last one was sent.
    pub end: u64,
}

/// The machine's state during the trial.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// Share of all CPU time in use, 0..1.
    pub utilisation: f64,
    /// Share of all CPU time that the hypervisor gave to other machines, 0..1.
    pub steal: f64,
    /// Trials in progress when this one began, itself included.
    pub lanes_in_use: u32,
    /// 99th percentile of how late a sleeping thread was woken, just before the trial.
    #[serde(default)]
    pub scheduling_lateness_p99_ns: u64,
    /// Load average of the last minute, just before the trial.
    #[serde(default)]
    pub load_1min: f64,
    /// The CPU that the publishing thread had for itself among the trial's runners, relay and link; absent where it shared one.
    #[serde(default)]
    pub publisher_cpu: Option<u32>,
}

/// Echoes over the laid link, one way and back, before anything else uses it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinkProbe {
    /// ICMP echoes sent over the link.
    pub sent: u32,
    /// Echoes that came back, of those sent.
    pub answered: u32,
    /// The shortest round trip; absent when none came back.
    pub least_ns: Option<u64>,
    /// The least round trip that the link's model predicts for an echo alone on the link.
    pub model_least_ns: u64,
    /// The most that it predicts; more than the least only where the link has jitter.
    pub model_most_ns: u64,
    /// Whether the link itself loses packets, so that a missing answer proves nothing.
    pub lossy: bool,
}

/// How closely the emulated link followed its model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkQuality {
    /// Median of how much later than planned packets left the link.
    pub lateness_p50_ns: u64,
    /// 99th percentile of that lateness.
    pub lateness_p99_ns: u64,
    /// Largest value of that lateness.
    pub lateness_max_ns: u64,
    /// Packets dropped by the hosts' transmit queues ahead of the link.
    pub host_dropped_packets: u64,
    /// CPU time of the link's process.
    pub cpu_ns: u64,
    /// Share of the time in which its busiest thread was on a CPU or waited for one, as [`RoleUse::busiest_thread`]; absent in old records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest_thread: Option<f64>,
    /// The part of that on a CPU; absent likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest_thread_on_cpu: Option<f64>,
    /// Time of the measured part in which the link's process was runnable but waited for a CPU.
    #[serde(default)]
    pub run_delay_ns: u64,
    /// The probe before the trial.
    #[serde(default)]
    pub probe: Option<LinkProbe>,
    /// The probe after it; absent where packets of the trial were still in the link.
    #[serde(default)]
    pub probe_after: Option<LinkProbe>,
}

impl LinkQuality {
    /// Whether its busiest thread waited for a CPU longer than it ran on one.
    pub fn waited_more_than_it_ran(&self) -> bool {
        let shares = self.busiest_thread.zip(self.busiest_thread_on_cpu);
        shares.is_some_and(|(busy, on_cpu)| on_cpu < busy / 2.0)
    }
}

/// The id that stands for no broker: messages go directly from the publisher to the subscriber, in one hop.
pub const PEER: &str = "peer";

/// The broker of a trial.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct BrokerUsed {
    /// Its id: a folder in `brokers/`, `relay` for the runner's own, `peer` for none, `external` for one given by address.
    pub id: String,
    /// Its version, as it reports it.
    pub version: String,
    /// What reports note beside its numbers, such as "embedded, for a first look"; empty for none.
    #[serde(default)]
    pub label: String,
    /// The file system of its data, such as `ext4` or `tmpfs`; empty where the run does not start it or it keeps none.
    #[serde(default)]
    pub storage: String,
}

/// What came before the measured messages. Absent parts did not happen, or were not reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SetUp {
    /// Time until the publisher's client was connected: until messages could be sent.
    pub publisher_connect_ns: Option<u64>,
    /// Time until the subscriber's client was connected: until messages sent from then on would arrive.
    pub subscriber_connect_ns: Option<u64>,
    /// The first message over both connections, a warm-up message: from the moment the publisher turned to it to its receipt.
    pub first_message_ns: Option<u64>,
    /// From the start of the broker's first preparing step until all of its nodes listened. For a broker that serves several trials, that of
    /// its only start.
    pub broker_start_ns: Option<u64>,
    /// Trials that the broker had served before this one.
    pub broker_served_trials: Option<u32>,
    /// The version of TLS that the publisher and the broker agreed on; absent in the clear, and where its client does not report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<TlsVersion>,
    /// The publisher's handshake; absent in the clear, and where its client does not report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publisher_handshake: Option<Handshake>,
    /// The subscriber's handshake; absent likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscriber_handshake: Option<Handshake>,
    /// CPU time of all of the broker's processes while all clients connected; absent where they are not the run's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broker_connect_cpu_ns: Option<u64>,
}

/// What is known of a role's clock over a trial: a straight line through time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoleClock {
    /// How far it was ahead of the coordinator's clock when messages began, in nanoseconds; negative if behind.
    pub ahead_ns: i64,
    /// How much further it got ahead, in nanoseconds per second.
    pub drift_ppb: i64,
    /// How wrong the line may be at any time of the trial, either way, in nanoseconds.
    pub bound_ns: u64,
}

/// The clocks of two roles on two machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TwoClocks {
    /// The publisher's.
    pub publisher: RoleClock,
    /// The subscriber's.
    pub subscriber: RoleClock,
}

impl TwoClocks {
    /// How wrong a one-way latency between the two may be, either way, in nanoseconds.
    pub fn bound_ns(&self) -> u64 {
        self.publisher.bound_ns.saturating_add(self.subscriber.bound_ns)
    }
}

/// Everything about one message trial except its messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrialRecord {
    /// Its number in the schedule, from 0; repeated attempts get numbers of their own.
    pub trial: u32,
    /// Its values on the axes.
    pub cell: Cell,
    /// Number of the repeat, from 0. Link and load of a repeat have the same seed in all cells.
    pub repeat: u32,
    /// Earlier attempts of this repeat, all invalid.
    pub attempt: u32,
    /// The lane it ran in, from 0.
    pub lane: u32,
    /// The seed of its link and load.
    pub seed: u64,
    /// When it began: Unix time.
    pub started_unix_ns: i64,
    /// Duration in nanoseconds, set-up included.
    pub duration_ns: u64,
    /// How the stand itself disturbed it; empty where it did not.
    pub invalid: Vec<Invalid>,
    /// What could not keep up with an open loop; empty where everything kept up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overloaded: Vec<Overload>,
    /// What broke of what was tested, and where to look; absent where nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// The client library of publisher and subscriber.
    pub transport: Option<TransportId>,
    /// The broker used; absent if the trial ended before.
    pub broker: Option<BrokerUsed>,
    /// What came before the measured messages.
    #[serde(default)]
    pub set_up: SetUp,
    /// Number of subscribers of each message: it counts once for each, in all that follows. 1 where they share messages.
    #[serde(default = "TrialRecord::one", skip_serializing_if = "TrialRecord::is_one")]
    pub fan_out: u32,
    /// Accounting of its messages.
    pub delivery: Delivery,
    /// What each subscriber did as a member of a group; empty where they were in none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memberships: Vec<Membership>,
    /// Why its messages were only counted: no arrival was matched with a message, so there are no times. Absent where all were matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_only: Option<String>,
    /// Bytes of the bodies of all measured messages sent.
    pub body_bytes: u64,
    /// Bytes that the client adds to a program that includes it; absent where the study does not measure the size of clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implementation_bytes: Option<u64>,
    /// By how many bytes the broker's files with messages grew in the `measure` phase, copies on all nodes included; absent where they are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored_bytes: Option<u64>,
    /// Bytes on the wire; absent on loopback, where they are not counted.
    pub wire: Option<WireByPhase>,
    /// The same for the publisher's flows alone, both directions, in the `measure` phase.
    pub publisher_wire: Option<Wire>,
    /// The same for the subscriber's flows alone.
    pub subscriber_wire: Option<Wire>,
    /// The clocks of publisher and subscriber, where they are two; absent where both roles read one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<TwoClocks>,
    /// CPU and memory of the roles.
    pub roles: Roles,
    /// How the schedule was kept.
    pub schedule: Schedule,
    /// Messages in flight at half time and at the end.
    #[serde(default)]
    pub backlog: Backlog,
    /// From the first intended send to the last hand-over.
    #[serde(default)]
    pub sending_ns: u64,
    /// How the rate of a search was found; absent in other trials. Everything else in the record is from the last step at that rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
    /// The resource that was exhausted while messages went as fast as possible: for batches, and closed loops with a window above 1. A search
    /// has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full: Option<SearchLimit>,
    /// What arrived, and after how long; absent where nothing arrived, and in old records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receiving: Option<Receiving>,
    /// How long the measured part lasted, drain included; 0 in old records.
    #[serde(default)]
    pub measured_ns: u64,
    /// The part of it in which messages moved; absent where something broke before, and in old records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moving: Option<Moving>,
    /// Measured messages whose crossing of the link is known; absent where nothing shows it, and in old records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crossed: Option<u64>,
    /// The link's own quality; absent on loopback.
    pub link: Option<LinkQuality>,
    /// Load of the machine and scheduling.
    pub machine: Machine,
    /// The load of the machines of its agents; absent without agents, where something broke before, and in old records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentLoad>,
}

impl TrialRecord {
    /// What roles used while messages moved, machine by machine: a role on agents has a part on each, all others one on this machine (`None`). The stand's own work
    /// in a divided role is divided as its CPU time is.
    pub fn parts(&self, moving: &Moving) -> Vec<(Option<&AgentLoad>, RolePart)> {
        let mut parts = Vec::new();
        for (role, whole) in moving.known() {
            let away: Vec<&AgentLoad> = self.agents.iter().filter(|load| load.has(role)).collect();
            if away.is_empty() {
                parts.push((None, RolePart { role, used: whole }));
            }
            let stand_share = whole.stand_cpu_ns as f64 / whole.cpu_ns.max(1) as f64;
            for load in away {
                for part in load.roles.iter().filter(|part| part.role == role) {
                    let stand_cpu_ns = (part.used.cpu_ns as f64 * stand_share.min(1.0)) as u64;
                    parts.push((Some(load), RolePart { role, used: CpuUse { stand_cpu_ns, ..part.used } }));
                }
            }
        }
        parts
    }

    /// Share of all CPU time in use, 0..1, on the busiest of its machines.
    pub fn utilisation(&self) -> f64 {
        self.agents.iter().map(AgentLoad::utilisation).fold(self.machine.utilisation, f64::max)
    }

    /// Share of all CPU time that the hypervisor gave to others, 0..1, on that of its machines where it is largest.
    pub fn steal(&self) -> f64 {
        self.agents.iter().map(|load| load.steal).fold(self.machine.steal, f64::max)
    }

    fn one() -> u32 {
        1
    }

    fn is_one(number: &u32) -> bool {
        *number == 1
    }

    /// The outcome, from its findings.
    pub fn outcome(&self) -> Outcome {
        outcome_of(&self.invalid, &self.overloaded, self.failed.as_deref())
    }

    /// Why it is not complete, a sentence for each reason; empty for a complete trial.
    pub fn reasons(&self) -> Vec<String> {
        let invalid = self.invalid.iter().map(Invalid::sentence);
        invalid.chain(self.overloaded.iter().map(Overload::sentence)).chain(self.failed.clone()).collect()
    }

    /// Whether its figures count.
    pub fn is_complete(&self) -> bool {
        self.outcome() == Outcome::Complete
    }
}

/// The times of one measured message: CLOCK_MONOTONIC, nanoseconds. Absent times mean that it did not happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessageRecord {
    /// Its number in the trial, from 0.
    pub sequence: u64,
    /// Length of its body in bytes, compressed if anything is.
    pub body_bytes: u32,
    /// When it was due by the schedule.
    pub intended_send_ns: i64,
    /// When building the codec's object began.
    pub build_start_ns: i64,
    /// When the object was built and encoding began.
    pub built_ns: i64,
    /// When its bytes were ready.
    pub encoded_ns: i64,
    /// When the call that hands it to the transport returned, and the publisher was free for the next; absent in old records.
    #[serde(default)]
    pub handed_over_ns: Option<i64>,
    /// When the transport had taken it; each transport declares what that means.
    pub sent_ns: Option<i64>,
    /// When the protocol's acknowledgement arrived.
    pub acked_ns: Option<i64>,
    /// When the receiving client handed it to the application; the first arrival counts.
    pub received_ns: Option<i64>,
    /// When its decoded object was complete.
    pub decoded_ns: Option<i64>,
    /// When it crossed the link, where that is known.
    #[serde(default)]
    pub crossing: Option<Crossing>,
    /// Number of arrivals, duplicates included.
    pub arrivals: u32,
}

/// When a message crossed the link to the broker and from it. Known where its body was found in the frames that crossed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Crossing {
    /// Its first byte entered the link on its way to the broker; absent where publisher and broker share a host.
    pub to_broker_ns: Option<i64>,
    /// The broker's host had all of it, and of a stream everything before it.
    pub at_broker_ns: Option<i64>,
    /// Its first byte entered the link on its way to the subscriber; absent where broker and subscriber share a host.
    pub from_broker_ns: Option<i64>,
    /// The subscriber's host had all of it, likewise.
    pub at_subscriber_ns: Option<i64>,
}

/// How many bytes of a sample's body are 0, as the codec writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ZeroBytes {
    /// Bytes that are 0.
    pub zero: u32,
    /// All bytes, before compression.
    pub all: u32,
}

impl ZeroBytes {
    /// The share of zeros, from 0 to 1; 0 for a body without bytes.
    pub fn share(self) -> f64 {
        f64::from(self.zero) / f64::from(self.all.max(1))
    }
}

/// The largest resident sets (`VmHWM` of proc(5)) of processes that did one thing with a codec; they include the program, libraries and the
/// samples as values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProcessMemory {
    /// Process in which the codec is ready for the payload and has seen no message.
    pub idle_bytes: u64,
    /// Process that built the samples and encoded each.
    pub encode_bytes: u64,
    /// Process that received the samples' bytes and decoded and read each.
    pub decode_bytes: u64,
}

/// A codec trial: the phases of one codec on one payload, once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CodecTrialRecord {
    /// Its number in the schedule, from 0.
    pub trial: u32,
    /// The payload, codec and compression.
    pub cell: CodecCell,
    /// Number of the repeat, from 0.
    pub repeat: u32,
    /// Earlier attempts of this repeat, all invalid.
    #[serde(default)]
    pub attempt: u32,
    /// How the stand itself disturbed it; empty where it did not.
    pub invalid: Vec<Invalid>,
    /// What broke in the codec, and where to look; absent if nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// Length of each sample's body, as it would be sent.
    pub body_bytes: Vec<u32>,
    /// Length of each sample before compression; empty where nothing is compressed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncompressed_bytes: Vec<u32>,
    /// Size and training of the compression's dictionary; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dictionary: Option<DictionaryUsed>,
    /// The first calls in a process of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_calls: Option<FirstCalls>,
    /// Memory of whole processes; absent where the kernel does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process_memory: Option<ProcessMemory>,
    /// The zeros in each sample's body; empty in records of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zero_bytes: Vec<ZeroBytes>,
    /// The loops timed, in order.
    pub phases: Vec<PhaseMeasurement>,
    /// Load of the machine and scheduling.
    pub machine: Machine,
}

impl CodecTrialRecord {
    /// The outcome; a codec trial is never overloaded.
    pub fn outcome(&self) -> Outcome {
        outcome_of(&self.invalid, &[], self.failed.as_deref())
    }

    /// Why it is not complete, a sentence for each reason; empty for a complete trial.
    pub fn reasons(&self) -> Vec<String> {
        self.invalid.iter().map(Invalid::sentence).chain(self.failed.clone()).collect()
    }

    /// Whether its figures count.
    pub fn is_complete(&self) -> bool {
        self.outcome() == Outcome::Complete
    }

    /// The loop with the largest share of batches that waited for a CPU, and that share; `None` where no CPU time is known.
    pub fn most_disturbed(&self) -> Option<(Phase, f64)> {
        let shares =
            self.phases.iter().filter_map(|measured| Some((measured.phase, measured.disturbed_share()?)));
        // The first of equal ones.
        shares.reduce(|most, other| if other.1 > most.1 { other } else { most })
    }
}

#[cfg(test)]
mod tests {
    use wiredyno_contract::{Batch, Buffer};

    use super::*;

    /// Batches of 2 ms, of which some waited for a CPU as long as they ran.
    fn measured(phase: Phase, batches: usize, waited: usize, cpu: bool) -> PhaseMeasurement {
        let batch = |place| Batch {
            elapsed_ns: if place < waited { 4_000_000 } else { 2_010_000 },
            iterations: 100,
            cpu_ns: cpu.then_some(2_000_000),
            ..Batch::default()
        };
        PhaseMeasurement {
            phase,
            buffer: Buffer::Reused,
            batches: (0..batches).map(batch).collect(),
            timer_overhead_ns: 20.0,
            allocations: None,
            stack_bytes: None,
            missing: Vec::new(),
            settling: None,
        }
    }

    #[test]
    fn the_worst_loop_of_a_trial_speaks_for_it() {
        let record = |phases| CodecTrialRecord {
            trial: 0,
            cell: CodecCell {
                payload: "small".parse().unwrap(),
                codec: "json/serde-json".parse().unwrap(),
                compression: "none".parse().unwrap(),
            },
            repeat: 0,
            attempt: 0,
            invalid: Vec::new(),
            failed: None,
            body_bytes: Vec::new(),
            uncompressed_bytes: Vec::new(),
            dictionary: None,
            first_calls: None,
            process_memory: None,
            zero_bytes: Vec::new(),
            phases,
            machine: Machine::default(),
        };
        let phases = vec![
            measured(Phase::Build, 10, 1, true),
            measured(Phase::Encode, 10, 3, true),
            measured(Phase::Decode, 10, 10, false),
            measured(Phase::Read, 10, 3, true),
        ];
        assert_eq!(record(phases).most_disturbed(), Some((Phase::Encode, 0.3)));
        assert_eq!(record(vec![measured(Phase::Build, 10, 10, false)]).most_disturbed(), None);
        assert_eq!(measured(Phase::Build, 10, 4, false).disturbed_share(), None);
    }
}

//! What is counted: packets and bytes by phase, direction and flow.

use std::net::SocketAddrV4;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};
use wiredyno_model::trial::WireClasses;

use super::lateness::LatenessSummary;
use super::passage::Passage;
use super::retransmission::Resent;
use crate::model::{DropReason, FaultCount};
use crate::packet::TCP;
use crate::spec::Direction;

/// The part of a trial that a packet belongs to; the orchestrator marks the changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// The first phase: brokers and clients start and connect.
    #[default]
    Setup,
    /// Echoes that examine the link itself, before the rest of the set-up.
    Probe,
    /// Messages that are not measured.
    Warmup,
    /// Messages that are measured, and their drain.
    Measure,
    /// Clients disconnect; nothing is measured any more.
    Teardown,
}

/// A number of packets and the bytes of their frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Amount {
    /// Number of packets, each fragment counted.
    pub packets: u64,
    /// Sum of IP length plus Ethernet header.
    pub bytes: u64,
}

impl Amount {
    fn add(&mut self, bytes: u64) {
        self.packets += 1;
        self.bytes += bytes;
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        self.packets += other.packets;
        self.bytes += other.bytes;
    }
}

/// What entered in one direction in one phase. All other amounts are subsets of `entered`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Everything that entered, dropped or not.
    pub entered: Amount,
    /// Part of `entered`: dropped by the link's loss.
    pub dropped_loss: Amount,
    /// Part of `entered`: dropped because the queue was full.
    pub dropped_queue: Amount,
    /// Part of `entered`: dropped by a deliberate fault.
    pub dropped_fault: Amount,
    /// Part of `entered`: TCP segments with something sent before (SYN, data or FIN), and the packets (with all fragments) of
    /// CoAP messages and RTPS samples that were sent before.
    pub retransmitted: Amount,
    /// Retransmitted packets that carry only a FIN; kernels don't report all of these for a socket before it is closed.
    pub retransmitted_fin_packets: u64,
    /// TCP payload bytes that were sent before: `tcpi_bytes_retrans` of the sender.
    pub retransmitted_payload_bytes: u64,
    /// Part of `entered`: packets with application data sent for the first time, that is without retransmissions and TCP segments
    /// without payload.
    pub application: Amount,
    /// All bytes that entered, by purpose.
    pub classes: WireClasses,
    /// Part of the class of messages: the frames themselves, after the headers of TCP or UDP, IP and Ethernet.
    pub message_frame_bytes: u64,
}

impl Tally {
    pub(super) fn add(
        &mut self,
        bytes: u64,
        dropped: Option<DropReason>,
        resent: Option<Resent>,
        has_payload: bool,
    ) {
        self.entered.add(bytes);
        if has_payload && resent.is_none() {
            self.application.add(bytes);
        }
        match dropped {
            Some(DropReason::Loss) => self.dropped_loss.add(bytes),
            Some(DropReason::Queue) => self.dropped_queue.add(bytes),
            Some(DropReason::Fault) => self.dropped_fault.add(bytes),
            None => {}
        }
        if let Some(resent) = resent {
            self.retransmitted.add(bytes);
            self.retransmitted_payload_bytes += u64::from(resent.payload_bytes);
            self.retransmitted_fin_packets += u64::from(resent.fin_only);
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.entered += other.entered;
        self.dropped_loss += other.dropped_loss;
        self.dropped_queue += other.dropped_queue;
        self.dropped_fault += other.dropped_fault;
        self.retransmitted += other.retransmitted;
        self.retransmitted_fin_packets += other.retransmitted_fin_packets;
        self.retransmitted_payload_bytes += other.retransmitted_payload_bytes;
        self.application += other.application;
        self.classes += other.classes;
        self.message_frame_bytes += other.message_frame_bytes;
    }
}

/// One tally for each phase of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are the phases")]
pub struct PhaseTallies {
    pub probe: Tally,
    pub setup: Tally,
    pub warmup: Tally,
    pub measure: Tally,
    pub teardown: Tally,
}

impl PhaseTallies {
    /// The tally of one phase.
    pub fn phase(&self, phase: Phase) -> &Tally {
        match phase {
            Phase::Probe => &self.probe,
            Phase::Setup => &self.setup,
            Phase::Warmup => &self.warmup,
            Phase::Measure => &self.measure,
            Phase::Teardown => &self.teardown,
        }
    }

    pub(super) fn phase_mut(&mut self, phase: Phase) -> &mut Tally {
        match phase {
            Phase::Probe => &mut self.probe,
            Phase::Setup => &mut self.setup,
            Phase::Warmup => &mut self.warmup,
            Phase::Measure => &mut self.measure,
            Phase::Teardown => &mut self.teardown,
        }
    }

    /// The sum over all phases.
    pub fn total(&self) -> Tally {
        let mut total = self.probe;
        total += self.setup;
        total += self.warmup;
        total += self.measure;
        total += self.teardown;
        total
    }
}

impl AddAssign for PhaseTallies {
    fn add_assign(&mut self, other: Self) {
        self.probe += other.probe;
        self.setup += other.setup;
        self.warmup += other.warmup;
        self.measure += other.measure;
        self.teardown += other.teardown;
    }
}

/// The tallies of both directions of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BothWays {
    /// From host `edge` to host `cloud`.
    pub up: PhaseTallies,
    /// From host `cloud` to host `edge`.
    pub down: PhaseTallies,
}

impl BothWays {
    /// The tallies of one direction.
    pub fn direction(&self, direction: Direction) -> &PhaseTallies {
        match direction {
            Direction::Up => &self.up,
            Direction::Down => &self.down,
        }
    }

    pub(super) fn direction_mut(&mut self, direction: Direction) -> &mut PhaseTallies {
        match direction {
            Direction::Up => &mut self.up,
            Direction::Down => &mut self.down,
        }
    }
}

/// What one flow sent, in both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowCounters {
    /// IP protocol number: 6 TCP, 17 UDP.
    pub protocol: u8,
    /// The address on `edge` (for a multicast from `cloud`: the group).
    pub edge: SocketAddrV4,
    /// The address on `cloud` (for a multicast from `edge`: the group).
    pub cloud: SocketAddrV4,
    /// What entered, by direction and phase.
    pub tallies: BothWays,
}

/// When a phase began, in both clocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseMark {
    /// The phase that began at this time.
    pub phase: Phase,
    /// Its begin on CLOCK_MONOTONIC, in nanoseconds.
    pub at_ns: u64,
    /// CLOCK_REALTIME, nanoseconds since 1970: the timestamps of the capture.
    pub at_unix_ns: u64,
    /// Faults injected by the link until then, in the order of its rules.
    pub injected: Vec<u64>,
}

/// Everything that a link has counted since it was laid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkCounters {
    /// The flows, in the order of their first packet.
    pub flows: Vec<FlowCounters>,
    /// ICMP echoes and the replies to them: the probe's, in its phase.
    pub echoes: BothWays,
    /// Other packets without a flow: the rest of ICMP, IGMP, stray fragments.
    pub other: BothWays,
    /// Packets that are not IPv4; they are neither counted above nor delivered nor captured.
    pub not_ipv4_packets: u64,
    /// How much later than planned packets were delivered, since the link was laid.
    pub lateness: LatenessSummary,
    /// Packets that the TUN queues dropped before the link could read them, since it was laid: above 0, the trial's counts are
    /// incomplete.
    pub tun_dropped_packets: u64,
    /// Packets that the receiving host's TUN rejected.
    pub undeliverable_packets: u64,
    /// Packets that have entered and are still in flight.
    pub on_the_way_packets: u64,
    /// Packets of TCP connections older than the link, from processes of an earlier trial that have ended but whose kernel still
    /// tries to close them. Neither counted above nor delivered nor captured.
    pub stale_packets: u64,
    /// CPU time (user and system) of the link's process since it was laid.
    pub cpu_ns: u64,
    /// Whether the link's process ran with real-time priority.
    pub realtime: bool,
    /// When each phase began, in order.
    pub marks: Vec<PhaseMark>,
    /// What the link's faults did, in the order of its rules. Packets that they drop are among the dropped; their copies and
    /// changes are not counted, as the accounts show what was sent.
    pub faults: Vec<FaultCount>,
    /// The measured messages in the order in which they entered, available once the link is finished. Absent before that, if
    /// there were too many to keep, and if faults were injected.
    pub passages: Option<Vec<Passage>>,
}

impl LinkCounters {
    /// Sum of flows and other packets over all phases, per direction.
    pub fn total(&self, direction: Direction) -> Tally {
        let mut total = self.echoes.direction(direction).total();
        total += self.other.direction(direction).total();
        for flow in &self.flows {
            total += flow.tallies.direction(direction).total();
        }
        total
    }

    /// Sum of the flows in one phase: what messages cost in `Phase::Measure`.
    pub fn flows_in(&self, phase: Phase, direction: Direction) -> Tally {
        let mut total = Tally::default();
        for flow in &self.flows {
            total += *flow.tallies.direction(direction).phase(phase);
        }
        total
    }
}

impl FlowCounters {
    /// Whether the flow is TCP.
    pub fn is_tcp(&self) -> bool {
        self.protocol == TCP
    }
}

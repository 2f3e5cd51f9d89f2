//! Exact accounting of what enters the link: packets and bytes per flow, direction and phase. Drops and retransmissions (of TCP
//! and, on request, of CoAP or RTPS) are named subsets.
//!
//! Bytes are IP length plus [`ETHERNET_HEADER_BYTES`], counted where a packet enters, before loss and queue. A flow is the
//! 5-tuple; IP fragments belong to the flow of their first fragment, by IP id. Packets without ports (IGMP, ICMP except echoes,
//! which are separate) and fragments whose first was never seen are `other`.

mod coap;
mod conversation;
mod datagrams;
mod lateness;
mod passage;
mod retransmission;
mod rtps;

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};
use wiredyno_model::trial::WireClasses;

use coap::IdWatch;
use conversation::{Class, Conversation, Seen};
use datagrams::{Datagrams, Sent};
pub use lateness::{Lateness, LatenessBucket, LatenessSummary};
pub(crate) use passage::Carried;
pub use passage::Passage;
use passage::{Arrivals, Passages, Stretch};
use retransmission::{Resent, SequenceWatch};
use rtps::SampleWatch;
use wiredyno_contract::WireFormat;

use crate::model::{DropReason, FaultCount};
use crate::packet::{Ipv4, Segment, TCP};
use crate::spec::{Direction, ETHERNET_HEADER_BYTES};

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
    fn add(&mut self, bytes: u64, dropped: Option<DropReason>, resent: Option<Resent>, has_payload: bool) {
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

    fn phase_mut(&mut self, phase: Phase) -> &mut Tally {
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

    fn direction_mut(&mut self, direction: Direction) -> &mut PhaseTallies {
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct FlowKey {
    protocol: u8,
    edge: SocketAddrV4,
    cloud: SocketAddrV4,
}

/// Identifies a datagram that is sent in fragments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct FragmentKey {
    protocol: u8,
    source: Ipv4Addr,
    destination: Ipv4Addr,
    id: u16,
}

#[derive(Debug)]
struct Flow {
    counters: FlowCounters,
    sequences: [SequenceWatch; 2],
    ids: [IdWatch; 2],
    samples: [SampleWatch; 2],
    conversation: Option<Conversation>,
    arrivals: [Arrivals; 2],
}

impl Flow {
    /// Classifies a segment's bytes by purpose.
    fn sort_segment(
        &mut self,
        (phase, seen): (Phase, Seen),
        direction: Direction,
        (ip, segment): (&Ipv4<'_>, Segment),
        bytes: u64,
        resent: Option<Resent>,
    ) {
        let payload_at = self.sequences[direction.index()].payload_at(segment);
        let tally = self.counters.tallies.direction_mut(direction).phase_mut(phase);
        let classes = &mut tally.classes;
        if segment.syn && resent.is_none() {
            self.arrivals[direction.index()].opened();
            if let Some(conversation) = &mut self.conversation {
                conversation.opened(direction);
            }
        }
        let body = ip.body().unwrap_or_default();
        let old_bytes = resent.map_or(0, |resent| resent.payload_bytes as usize).min(body.len());
        let new = &body[old_bytes..];
        if new.is_empty() {
            *match (resent, segment.syn || segment.fin || segment.rst) {
                (Some(_), _) => &mut classes.retransmitted,
                (None, true) => &mut classes.set_up,
                (None, false) => &mut classes.transport,
            } += bytes;
            return;
        }
        let headers = bytes - body.len() as u64;
        let message_before = classes.message;
        let first = match &mut self.conversation {
            Some(conversation) => {
                conversation.stream((direction, payload_at + old_bytes as u64), new, seen, classes)
            }
            None => {
                Class::Unread.count(classes, new.len() as u64);
                Class::Unread
            }
        };
        let frames = classes.message - message_before;
        tally.message_frame_bytes += frames;
        if resent.is_some() {
            classes.retransmitted += headers + old_bytes as u64;
        } else {
            first.count(classes, headers);
        }
    }

    /// The part of a stream that a segment carries, if any. Messages that end in it are awaited from then on.
    fn stretch(
        &mut self,
        (number, direction): (usize, Direction),
        segment: Segment,
        passages: &mut Passages,
    ) -> Option<Carried> {
        let begin = self.sequences[direction.index()].payload_at(segment);
        let arrivals = &mut self.arrivals[direction.index()];
        let connection = arrivals.begun(begin);
        for shown in self.conversation.iter_mut().flat_map(Conversation::shown) {
            if let Some(place) = passages.enter(number, direction, shown.message) {
                arrivals.await_end(shown.end, place);
            }
        }
        let end = begin + u64::from(segment.payload_bytes);
        (end > begin).then_some(Carried::Stretch(Stretch { flow: number, direction, connection, begin, end }))
    }

    /// Classifies the bytes of a datagram or of a fragment of one.
    fn sort_datagram(
        &mut self,
        phase: Phase,
        direction: Direction,
        (ip, place): (&Ipv4<'_>, Fragmented),
        bytes: u64,
    ) {
        let tally = self.counters.tallies.direction_mut(direction).phase_mut(phase);
        if place.resent {
            tally.classes.retransmitted += bytes;
        } else {
            place.class.count(&mut tally.classes, bytes);
            if place.class == Class::Message {
                tally.message_frame_bytes += ip.datagram_begin().unwrap_or(ip.payload).len() as u64;
            }
        }
    }
}

/// What is known of a datagram from its first fragment.
#[derive(Debug, Clone, Copy)]
struct Fragmented {
    flow: usize,
    /// Whether the whole datagram was sent before.
    resent: bool,
    /// The purpose of the whole datagram.
    class: Class,
}

/// The key of the datagram that a fragment belongs to.
fn fragment_of(ip: &Ipv4<'_>) -> FragmentKey {
    FragmentKey { protocol: ip.protocol, source: ip.source, destination: ip.destination, id: ip.id }
}

/// The flow of a packet with ports.
fn key_of(direction: Direction, ip: &Ipv4<'_>) -> Option<FlowKey> {
    let (source, destination) = ip.endpoints()?;
    let (edge, cloud) = match direction {
        Direction::Up => (source, destination),
        Direction::Down => (destination, source),
    };
    Some(FlowKey { protocol: ip.protocol, edge, cloud })
}

/// The accounts of a link, updated with every packet that enters.
#[derive(Debug, Default)]
pub struct Accounts {
    phase: Phase,
    flows: Vec<Flow>,
    index: HashMap<FlowKey, usize>,
    /// The flows of the last two packets: most packets belong to one of them.
    recent: [Option<(FlowKey, usize)>; 2],
    fragments: HashMap<FragmentKey, Fragmented>,
    echoes: BothWays,
    other: BothWays,
    format: Option<WireFormat>,
    passages: Passages,
    datagrams: Datagrams,
}

impl Accounts {
    /// Later packets belong to this phase.
    pub fn mark(&mut self, phase: Phase) {
        self.phase = phase;
    }

    /// The format of flows that begin from now on: it makes the purpose of their bytes and the retransmissions of datagrams
    /// known. Without it no datagram is a retransmission.
    pub fn read_as(&mut self, format: WireFormat) {
        self.format = Some(format);
    }

    /// Counts a packet that enters at `at_ns`, with the link's decision about it. Returns false, and counts nothing, if it is not
    /// IPv4.
    pub fn enter(
        &mut self,
        at_ns: u64,
        direction: Direction,
        packet: &[u8],
        dropped: Option<DropReason>,
    ) -> bool {
        match Ipv4::read(packet) {
            Some(ip) => {
                self.enter_read(at_ns, direction, &ip, packet.len(), dropped);
                true
            }
            None => false,
        }
    }

    /// Like [`Accounts::enter`], for a packet of this many bytes that is already parsed. Returns the messages that it carries,
    /// for [`Accounts::delivered`].
    pub(crate) fn enter_read(
        &mut self,
        at_ns: u64,
        direction: Direction,
        ip: &Ipv4<'_>,
        packet_bytes: usize,
        dropped: Option<DropReason>,
    ) -> Option<Carried> {
        let bytes = packet_bytes as u64 + u64::from(ETHERNET_HEADER_BYTES);
        let (phase, place) = (self.phase, self.place_of(at_ns, direction, ip));
        let found = place.and_then(|place| Some((self.flows.get_mut(place.flow)?, place)));
        let Some((flow, place)) = found else {
            let apart = if ip.is_echo() { &mut self.echoes } else { &mut self.other };
            let tally = apart.direction_mut(direction).phase_mut(phase);
            tally.add(bytes, dropped, None, false);
            Class::Unread.count(&mut tally.classes, bytes);
            return None;
        };
        let segment = ip.segment();
        let has_payload = segment.as_ref().is_none_or(|segment| segment.payload_bytes > 0);
        let again = place.resent.then_some(Resent { payload_bytes: 0, fin_only: false });
        let resent = segment.and_then(|segment| flow.sequences[direction.index()].see(segment)).or(again);
        let telling = phase == Phase::Measure && self.passages.has_room();
        let carried = match segment {
            Some(segment) => {
                let seen = Seen { at_ns, telling };
                flow.sort_segment((phase, seen), direction, (ip, segment), bytes, resent);
                flow.stretch((place.flow, direction), segment, &mut self.passages)
            }
            None => {
                flow.sort_datagram(phase, direction, (ip, place), bytes);
                let format = self.format.filter(|_| telling && place.class == Class::Message);
                let sent = Sent { flow: place.flow, direction, at_ns, resent: place.resent };
                let datagrams = &mut self.datagrams;
                let is_dropped = dropped.is_some();
                format.and_then(|format| {
                    datagrams.enter((ip, fragment_of(ip)), sent, format, is_dropped, &mut self.passages)
                })
            }
        };
        flow.counters.tallies.direction_mut(direction).phase_mut(phase).add(
            bytes,
            dropped,
            resent,
            has_payload,
        );
        if !self.passages.has_room() {
            self.datagrams.forget();
        }
        carried.filter(|_| dropped.is_none() && self.passages.has_room())
    }

    /// Records that what a packet carries was handed to the receiving host.
    pub(crate) fn delivered(&mut self, carried: &Carried, at_ns: u64) {
        match carried {
            Carried::Stretch(stretch) => {
                if let Some(flow) = self.flows.get_mut(stretch.flow) {
                    let whole = flow.arrivals[stretch.direction.index()].delivered(stretch);
                    whole.for_each(|place| self.passages.delivered(place, at_ns));
                }
            }
            Carried::Parts(parts) => self.datagrams.delivered(parts, at_ns, &mut self.passages),
        }
    }

    /// The passages of measured messages, if all were kept.
    pub(crate) fn passages(&self) -> Option<Vec<Passage>> {
        self.passages.all()
    }

    /// Whether a packet belongs to a TCP connection whose beginning was not seen, so that it is older than these accounts.
    pub(crate) fn is_stale(&self, direction: Direction, ip: &Ipv4<'_>) -> bool {
        let begins = ip.segment().is_none_or(|segment| segment.syn);
        !begins && key_of(direction, ip).is_some_and(|key| self.find(&key).is_none())
    }

    /// The index of a known flow.
    fn find(&self, key: &FlowKey) -> Option<usize> {
        let recent = self.recent.iter().flatten().find(|(recent, _)| recent == key);
        recent.map(|(_, flow)| *flow).or_else(|| self.index.get(key).copied())
    }

    /// The index of a flow, which is added if it is new.
    fn flow_of(&mut self, key: FlowKey) -> usize {
        if let Some((_, flow)) = self.recent.iter().flatten().find(|(recent, _)| *recent == key) {
            return *flow;
        }
        let (flows, format) = (&mut self.flows, self.format);
        let flow = *self.index.entry(key).or_insert_with(|| {
            let FlowKey { protocol, edge, cloud } = key;
            let counters = FlowCounters { protocol, edge, cloud, tallies: BothWays::default() };
            let conversation = format.map(Conversation::new);
            flows.push(Flow {
                counters,
                sequences: Default::default(),
                ids: Default::default(),
                samples: Default::default(),
                conversation,
                arrivals: Default::default(),
            });
            flows.len() - 1
        });
        self.recent = [Some((key, flow)), self.recent[0]];
        flow
    }

    /// The flow of a packet, and whether it belongs to a datagram that was sent before.
    fn place_of(&mut self, at_ns: u64, direction: Direction, ip: &Ipv4<'_>) -> Option<Fragmented> {
        let fragment = fragment_of(ip);
        if ip.fragment_offset != 0 {
            return self.fragments.get(&fragment).copied();
        }
        let Some(key) = key_of(direction, ip) else {
            self.fragments.remove(&fragment);
            return None;
        };
        let flow = self.flow_of(key);
        let (mut resent, mut class) = (false, Class::Unread);
        if let (Some(known), Some(body)) = (self.flows.get_mut(flow), ip.datagram_begin()) {
            resent = match self.format {
                Some(WireFormat::Coap) => known.ids[direction.index()].is_resent(body, at_ns),
                Some(WireFormat::Rtps) => known.samples[direction.index()].is_resent(body),
                _ => false,
            };
            class = known.conversation.as_ref().map_or(Class::Unread, |known| known.datagram(body));
        }
        let place = Fragmented { flow, resent, class };
        if ip.more_fragments {
            // IP ids have only 16 bits: a new first fragment with the same id replaces the old one.
            self.fragments.insert(fragment, place);
        }
        Some(place)
    }

    /// All flows so far, in order of appearance.
    pub fn flows(&self) -> Vec<FlowCounters> {
        self.flows.iter().map(|flow| flow.counters).collect()
    }

    /// ICMP echoes and their replies.
    pub fn echoes(&self) -> BothWays {
        self.echoes
    }

    /// Other packets without a flow.
    pub fn other(&self) -> BothWays {
        self.other
    }
}

impl FlowCounters {
    /// Whether the flow is TCP.
    pub fn is_tcp(&self) -> bool {
        self.protocol == TCP
    }
}

#[cfg(test)]
mod tests;

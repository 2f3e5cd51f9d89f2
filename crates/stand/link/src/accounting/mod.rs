//! Exact accounting of what enters the link: packets and bytes per flow, direction and phase. Drops and retransmissions (of TCP
//! and, on request, of CoAP or RTPS) are named subsets.
//!
//! Bytes are IP length plus [`ETHERNET_HEADER_BYTES`], counted where a packet enters, before loss and queue. A flow is the
//! 5-tuple; IP fragments belong to the flow of their first fragment, by IP id. Packets without ports (IGMP, ICMP except echoes,
//! which are separate) and fragments whose first was never seen are `other`.

mod coap;
mod conversation;
mod counters;
mod datagrams;
mod flow;
mod lateness;
mod passage;
mod retransmission;
mod rtps;

use std::collections::HashMap;

use conversation::{Class, Conversation, Seen};
use datagrams::{Datagrams, Sent};
pub use lateness::{Lateness, LatenessBucket, LatenessSummary};
pub(crate) use passage::Carried;
pub use passage::Passage;
use passage::Passages;
use retransmission::Resent;
use wiredyno_contract::WireFormat;

use crate::model::DropReason;
use crate::packet::Ipv4;
use crate::spec::{Direction, ETHERNET_HEADER_BYTES};

pub use self::counters::{
    Amount, BothWays, FlowCounters, LinkCounters, Phase, PhaseMark, PhaseTallies, Tally,
};
use self::flow::{Flow, FlowKey, FragmentKey, Fragmented, fragment_of, key_of};

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
    /// Accounts in which messages are not followed: counts alone.
    pub(crate) fn without_passages() -> Self {
        Accounts { passages: Passages::none(), ..Accounts::default() }
    }

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

    /// How many flows there are so far.
    pub(crate) fn flow_count(&self) -> usize {
        self.flows.len()
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

#[cfg(test)]
mod tests;

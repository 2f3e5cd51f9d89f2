//! One flow while its packets are counted, and the fragments of its datagrams.

use std::net::{Ipv4Addr, SocketAddrV4};

use super::coap::IdWatch;
use super::conversation::{Class, Conversation, Seen};
use super::counters::{FlowCounters, Phase};
use super::passage::{Arrivals, Carried, Passages, Stretch};
use super::retransmission::{Resent, SequenceWatch};
use super::rtps::SampleWatch;
use crate::packet::{Ipv4, Segment};
use crate::spec::Direction;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct FlowKey {
    pub(super) protocol: u8,
    pub(super) edge: SocketAddrV4,
    pub(super) cloud: SocketAddrV4,
}

/// Identifies a datagram that is sent in fragments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct FragmentKey {
    protocol: u8,
    source: Ipv4Addr,
    destination: Ipv4Addr,
    id: u16,
}

#[derive(Debug)]
pub(super) struct Flow {
    pub(super) counters: FlowCounters,
    pub(super) sequences: [SequenceWatch; 2],
    pub(super) ids: [IdWatch; 2],
    pub(super) samples: [SampleWatch; 2],
    pub(super) conversation: Option<Conversation>,
    pub(super) arrivals: [Arrivals; 2],
}

impl Flow {
    /// Classifies a segment's bytes by purpose.
    pub(super) fn sort_segment(
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
    pub(super) fn stretch(
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
    pub(super) fn sort_datagram(
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
pub(super) struct Fragmented {
    pub(super) flow: usize,
    /// Whether the whole datagram was sent before.
    pub(super) resent: bool,
    /// The purpose of the whole datagram.
    pub(super) class: Class,
}

/// The key of the datagram that a fragment belongs to.
pub(super) fn fragment_of(ip: &Ipv4<'_>) -> FragmentKey {
    FragmentKey { protocol: ip.protocol, source: ip.source, destination: ip.destination, id: ip.id }
}

/// The flow of a packet with ports.
pub(super) fn key_of(direction: Direction, ip: &Ipv4<'_>) -> Option<FlowKey> {
    let (source, destination) = ip.endpoints()?;
    let (edge, cloud) = match direction {
        Direction::Up => (source, destination),
        Direction::Down => (destination, source),
    };
    Some(FlowKey { protocol: ip.protocol, edge, cloud })
}

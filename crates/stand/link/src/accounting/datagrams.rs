//! Messages in datagrams: one per datagram, several, or one over many, as IP fragments, blocks of CoAP or fragments of RTPS. A
//! retransmission is another copy of the same part: a message is complete when each of its parts has arrived once.
//!
//! The link keeps the order, so a datagram in IP fragments is complete with its last one if none was dropped.

use std::collections::HashMap;

use wiredyno_contract::WireFormat;

use super::passage::{Carried, Message, Part, Passages};
use super::{FragmentKey, coap, rtps};
use crate::packet::Ipv4;
use crate::spec::Direction;

const UDP_HEADER_BYTES: usize = 8;
const FRAGMENT_UNIT_BYTES: usize = 8;

/// The longest message that is reassembled; longer ones are not reported.
const MESSAGE_LIMIT_BYTES: usize = 16 << 20;

/// Where a datagram is going, when it began to enter, and whether it was sent before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    pub(super) flow: usize,
    pub(super) direction: Direction,
    pub(super) at_ns: u64,
    pub(super) resent: bool,
}

/// A datagram that still lacks fragments.
#[derive(Debug)]
struct Fragments {
    /// The UDP header and what follows.
    bytes: Vec<u8>,
    sent: Sent,
    /// Whether no fragment was dropped so far.
    intact: bool,
}

/// A message over several datagrams.
#[derive(Debug, Default)]
struct Assembly {
    begun_ns: u64,
    bytes: Vec<u8>,
    /// Which parts have entered, then which have arrived.
    entered: Vec<bool>,
    arrived: Vec<bool>,
    /// Number of parts, once known.
    count: Option<usize>,
    place: Option<u32>,
}

impl Assembly {
    /// Records parts that enter; returns whether they are the last to enter for the first time.
    fn enter(&mut self, first: u32, count: u32) -> bool {
        mark(&mut self.entered, first, count) && self.is_all(&self.entered)
    }

    /// Records parts that arrive; returns whether they are the last to arrive for the first time.
    fn arrive(&mut self, first: u32, count: u32) -> bool {
        mark(&mut self.arrived, first, count) && self.is_all(&self.arrived)
    }

    fn is_all(&self, parts: &[bool]) -> bool {
        self.count == Some(parts.len()) && parts.iter().all(|known| *known)
    }
}

/// Marks parts; returns whether any was new.
fn mark(parts: &mut Vec<bool>, first: u32, count: u32) -> bool {
    let end = first.saturating_add(count) as usize;
    if parts.len() < end {
        parts.resize(end, false);
    }
    let parts = &mut parts[first as usize..end];
    let is_new = parts.iter().any(|known| !known);
    parts.fill(true);
    is_new
}

/// Which message a part belongs to: flow, direction and path or tag in CoAP; the sample in RTPS, in whichever direction its parts go.
type Whose = (usize, Option<Direction>, Vec<u8>);

/// Reassembles messages from the datagrams of all flows.
#[derive(Debug, Default)]
pub(super) struct Datagrams {
    fragments: HashMap<FragmentKey, Fragments>,
    assemblies: Vec<Assembly>,
    whose: HashMap<Whose, usize>,
}

impl Datagrams {
    /// Takes a packet of a datagram that carries messages; returns the parts that are available when it is handed over.
    pub(super) fn enter(
        &mut self,
        (ip, key): (&Ipv4<'_>, FragmentKey),
        sent: Sent,
        format: WireFormat,
        dropped: bool,
        passages: &mut Passages,
    ) -> Option<Carried> {
        let (sent, intact, datagram) = if ip.fragment_offset == 0 && !ip.more_fragments {
            (sent, true, ip.payload.to_vec())
        } else {
            self.put_together(ip, key, sent, dropped)?
        };
        let parts = self.parts(datagram.get(UDP_HEADER_BYTES..)?, sent, format, passages);
        (intact && !dropped && !parts.is_empty()).then_some(Carried::Parts(parts))
    }

    /// Adds a fragment; returns the datagram that it completes, and whether no earlier fragment was dropped.
    fn put_together(
        &mut self,
        ip: &Ipv4<'_>,
        key: FragmentKey,
        sent: Sent,
        dropped: bool,
    ) -> Option<(Sent, bool, Vec<u8>)> {
        if ip.fragment_offset == 0 {
            let fragments = Fragments { bytes: ip.payload.to_vec(), sent, intact: !dropped };
            self.fragments.insert(key, fragments);
            return None;
        }
        let fragments = self.fragments.get_mut(&key)?;
        if fragments.bytes.len() != usize::from(ip.fragment_offset) * FRAGMENT_UNIT_BYTES {
            self.fragments.remove(&key);
            return None;
        }
        fragments.bytes.extend_from_slice(ip.payload);
        fragments.intact &= !dropped;
        if ip.more_fragments {
            return None;
        }
        self.fragments.remove(&key).map(|whole| (whole.sent, whole.intact, whole.bytes))
    }

    /// The messages in a complete datagram, or the parts of them that it holds.
    fn parts(&mut self, body: &[u8], sent: Sent, format: WireFormat, passages: &mut Passages) -> Vec<Part> {
        let mut whole = |bytes: &[u8]| {
            let message = Message { resent: sent.resent, ..Message::of(bytes, sent.at_ns) };
            passages.enter(sent.flow, sent.direction, message).map(Part::Whole)
        };
        match format {
            WireFormat::Plain => whole(body).into_iter().collect(),
            WireFormat::Coap => match coap::content(body) {
                Some(coap::Content { bytes, block: None }) => whole(bytes).into_iter().collect(),
                Some(coap::Content { bytes, block: Some(block) }) => {
                    self.block(block, bytes, sent, passages).into_iter().collect()
                }
                None => Vec::new(),
            },
            WireFormat::Rtps => {
                let part = |sample| match sample {
                    rtps::Sample::Whole(payload) => {
                        let message = Message::of(rtps::octets(payload)?, sent.at_ns);
                        let message = Message { resent: sent.resent, ..message };
                        passages.enter(sent.flow, sent.direction, message).map(Part::Whole)
                    }
                    fragments => self.fragments(&fragments, sent, passages),
                };
                rtps::samples(body).filter_map(part).collect()
            }
            _ => Vec::new(),
        }
    }

    /// A block of CoAP. The first block of a body begins it; a block that has entered already is a repetition; others must follow the
    /// last.
    fn block(
        &mut self,
        block: coap::Block,
        bytes: &[u8],
        sent: Sent,
        passages: &mut Passages,
    ) -> Option<Part> {
        let whose = (sent.flow, Some(sent.direction), block.whose);
        if block.number == 0 && !sent.resent {
            self.whose.insert(whose.clone(), self.assemblies.len());
            self.assemblies.push(Assembly { begun_ns: sent.at_ns, ..Assembly::default() });
        }
        let assembly = *self.whose.get(&whose)?;
        let known = self.assemblies.get_mut(assembly)?;
        if known.entered.len() == block.number as usize {
            if known.bytes.len() != block.offset || block.offset + bytes.len() > MESSAGE_LIMIT_BYTES {
                return None;
            }
            known.bytes.extend_from_slice(bytes);
            known.count = block.is_last.then_some(block.number as usize + 1);
            if known.enter(block.number, 1) {
                let body = std::mem::take(&mut known.bytes);
                let message = Message::of(&body, known.begun_ns);
                known.place = passages.enter(sent.flow, sent.direction, message);
            }
        } else if block.number as usize > known.entered.len() {
            return None;
        }
        Some(Part::Pieces { assembly, first: block.number, count: 1 })
    }

    /// Fragments of an RTPS sample.
    fn fragments(&mut self, sample: &rtps::Sample<'_>, sent: Sent, passages: &mut Passages) -> Option<Part> {
        let rtps::Sample::Fragments { whose, first, fragment_bytes, sample_bytes, bytes } = sample else {
            return None;
        };
        if *fragment_bytes == 0 || *sample_bytes > MESSAGE_LIMIT_BYTES {
            return None;
        }
        let next = self.assemblies.len();
        let assembly = *self.whose.entry((0, None, whose.clone())).or_insert(next);
        if assembly == next {
            self.assemblies.push(Assembly {
                begun_ns: sent.at_ns,
                bytes: vec![0; *sample_bytes],
                count: Some(sample_bytes.div_ceil(*fragment_bytes)),
                ..Assembly::default()
            });
        }
        let known = self.assemblies.get_mut(assembly)?;
        let begin = *first as usize * fragment_bytes;
        // The last fragment may be followed by padding.
        let bytes = bytes.get(..bytes.len().min(sample_bytes.saturating_sub(begin)))?;
        let count = u32::try_from(bytes.len().div_ceil(*fragment_bytes)).ok()?;
        // After the whole message has entered, nothing is stored.
        if let Some(room) = known.bytes.get_mut(begin..begin + bytes.len()) {
            room.copy_from_slice(bytes);
        }
        if known.enter(*first, count) {
            let sample = std::mem::take(&mut known.bytes);
            let message = Message::of(rtps::octets(&sample)?, known.begun_ns);
            known.place = passages.enter(sent.flow, sent.direction, message);
        }
        Some(Part::Pieces { assembly, first: *first, count })
    }

    /// Records that these parts were handed over.
    pub(super) fn delivered(&mut self, parts: &[Part], at_ns: u64, passages: &mut Passages) {
        for part in parts {
            let place = match *part {
                Part::Whole(place) => Some(place),
                Part::Pieces { assembly, first, count } => {
                    let mut known = self.assemblies.get_mut(assembly);
                    let whole = known.as_mut().is_some_and(|known| known.arrive(first, count));
                    known.filter(|_| whole).and_then(|known| known.place)
                }
            };
            place.into_iter().for_each(|place| passages.delivered(place, at_ns));
        }
    }

    /// Drops everything, once messages are no longer reported.
    pub(super) fn forget(&mut self) {
        *self = Datagrams::default();
    }
}

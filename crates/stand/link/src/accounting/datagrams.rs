//! Messages in datagrams: one in each, several, or one in many, as IP fragments, blocks of CoAP or fragments of RTPS. What is sent again
//! is another copy of the same part: a message is there when each of its parts has arrived once.
//!
//! The link keeps the order, so that a datagram in IP fragments is there with its last one where none was dropped.

use std::collections::HashMap;

use wiredyno_contract::WireFormat;

use super::passage::{Carried, Message, Part, Passages};
use super::{FragmentKey, coap, rtps};
use crate::packet::Ipv4;
use crate::spec::Direction;

const UDP_HEADER_BYTES: usize = 8;
const FRAGMENT_UNIT_BYTES: usize = 8;

/// The longest message that is put together; longer ones are not told.
const MESSAGE_LIMIT_BYTES: usize = 16 << 20;

/// Where a datagram is going, when it began to enter, and whether it was sent before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    pub(super) flow: usize,
    pub(super) direction: Direction,
    pub(super) at_ns: u64,
    pub(super) resent: bool,
}

/// A datagram of which fragments are missing.
#[derive(Debug)]
struct Fragments {
    /// With the header of UDP.
    bytes: Vec<u8>,
    sent: Sent,
    /// None was dropped so far.
    intact: bool,
}

/// A message that goes in several datagrams.
#[derive(Debug, Default)]
struct Assembly {
    begun_ns: u64,
    bytes: Vec<u8>,
    /// Which parts have entered, and which have arrived.
    entered: Vec<bool>,
    arrived: Vec<bool>,
    /// How many there are, once that is known.
    count: Option<usize>,
    place: Option<u32>,
}

impl Assembly {
    /// Notes parts; whether all have entered by this for the first time.
    fn enter(&mut self, first: u32, count: u32) -> bool {
        mark(&mut self.entered, first, count) && self.is_all(&self.entered)
    }

    /// Notes parts; whether all have arrived by this for the first time.
    fn arrive(&mut self, first: u32, count: u32) -> bool {
        mark(&mut self.arrived, first, count) && self.is_all(&self.arrived)
    }

    fn is_all(&self, parts: &[bool]) -> bool {
        self.count == Some(parts.len()) && parts.iter().all(|known| *known)
    }
}

/// Whether any of them is new.
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

/// Which message a part is of: flow, direction and path or tag in CoAP; the sample in RTPS, whichever way its parts go.
type Whose = (usize, Option<Direction>, Vec<u8>);

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Datagrams {
    fragments: HashMap<FragmentKey, Fragments>,
    assemblies: Vec<Assembly>,
    whose: HashMap<Whose, usize>,
}

impl Datagrams {
    /// Takes a packet of a datagram that carries messages; gives what of them is there when it is handed over.
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

    /// Adds a fragment; gives the datagram that it ends, and whether all of it before was let through.
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

    /// The messages in a whole datagram, or what it holds of them.
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

    /// A block of CoAP. The first one of a body begins it; one that has entered already comes again; others have to follow the last.
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
        // Behind the last fragment there may be padding.
        let bytes = bytes.get(..bytes.len().min(sample_bytes.saturating_sub(begin)))?;
        let count = u32::try_from(bytes.len().div_ceil(*fragment_bytes)).ok()?;
        // Nothing is kept of what has entered whole.
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

    /// Parts were handed over.
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

    /// Forgets all, where none is told any more.
    pub(super) fn forget(&mut self) {
        *self = Datagrams::default();
    }
}

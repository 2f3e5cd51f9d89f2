//! RTPS messages, the datagrams of DDS (DDSI-RTPS, section 9.4): their purpose, and which samples were sent before.
//!
//! A datagram holds a header and several submessages: samples of user writers, heartbeats and acknowledgements for them, and the same for
//! the built-in writers by which participants discover each other. It counts for its samples if it has any, otherwise for the first
//! submessage with a purpose: heartbeats, acknowledgements and gaps of user writers as acknowledgement, discovery as set-up, the built-in
//! liveliness messages as keep-alive.
//!
//! A sample, or the fragments of one in a submessage, is a retransmission if the same end of the flow has sent it before. Periodic
//! announcements of participants are not: they are meant to be repeated.
//!
//! Limits: for a datagram in IP fragments only the first is read. Only the last 65,536 samples or fragments of a flow are remembered.
//! Encrypted samples can't be distinguished from anything else: unread.

use std::collections::{HashSet, VecDeque};

use super::conversation::Class;

/// The first bytes of every message.
const MAGIC: &[u8] = b"RTPS";
const HEADER_BYTES: usize = 20;
/// Where the sender's GUID prefix is.
const PREFIX: std::ops::Range<usize> = 8..20;
const SUBMESSAGE_HEADER_BYTES: usize = 4;

/// Ids of submessages (section 9.4.5.1.1).
const PAD: u8 = 0x01;
const ACKNACK: u8 = 0x06;
const HEARTBEAT: u8 = 0x07;
const GAP: u8 = 0x08;
const INFO_TS: u8 = 0x09;
const NACK_FRAG: u8 = 0x12;
const HEARTBEAT_FRAG: u8 = 0x13;
const DATA: u8 = 0x15;
const DATA_FRAG: u8 = 0x16;

/// The flag for little-endian numbers.
const LITTLE_ENDIAN: u8 = 0x01;

/// The built-in writers of participants' announcements and of their liveliness messages (section 9.3.1.3).
const PARTICIPANT_WRITER: Entity = [0x00, 0x01, 0x00, 0xc2];
const LIFE_WRITER: Entity = [0x00, 0x02, 0x00, 0xc2];

type Entity = [u8; 4];

/// How many samples or fragments of a flow are remembered.
const REMEMBERED: usize = 1 << 16;

/// Whether a writer is a user's: by the two highest bits of its kind (section 9.3.1.2).
fn is_users(writer: Entity) -> bool {
    writer[3] >> 6 == 0
}

/// The parts of a submessage that are used here.
struct Submessage<'a> {
    id: u8,
    flags: u8,
    little_endian: bool,
    /// What follows its header, as far as available.
    content: &'a [u8],
}

impl<'a> Submessage<'a> {
    fn entity(&self, at: usize) -> Option<Entity> {
        self.content.get(at..at + 4)?.try_into().ok()
    }

    /// The writer that it comes from or is addressed to.
    fn writer(&self) -> Option<Entity> {
        match self.id {
            // Extra flags and the offset of inline QoS come first.
            DATA | DATA_FRAG => self.entity(8),
            ACKNACK | HEARTBEAT | GAP | NACK_FRAG | HEARTBEAT_FRAG => self.entity(4),
            _ => None,
        }
    }

    fn u32(&self, at: usize) -> Option<u32> {
        let bytes = self.entity(at)?;
        Some(if self.little_endian { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    }

    fn u16(&self, at: usize) -> Option<u16> {
        let bytes = self.content.get(at..at + 2)?.try_into().ok()?;
        Some(if self.little_endian { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) })
    }

    /// The serialized data that it carries, after any inline QoS.
    fn payload(&self) -> Option<&'a [u8]> {
        const INLINE_QOS: u8 = 0x02;
        const DATA_FLAG: u8 = 0x04;
        /// Ends a list of parameters (section 9.4.2.11).
        const SENTINEL: u16 = 1;
        // A fragment always carries data.
        if self.id == DATA && self.flags & DATA_FLAG == 0 {
            return None;
        }
        // Counted from the end of the field.
        let mut at = 4 + usize::from(self.u16(2)?);
        if self.id == DATA_FRAG {
            at = at.max(32);
        }
        if self.flags & INLINE_QOS != 0 {
            loop {
                let (parameter, length) = (self.u16(at)?, self.u16(at + 2)?);
                at += 4;
                if parameter == SENTINEL {
                    break;
                }
                at += usize::from(length);
            }
        }
        self.content.get(at..)
    }

    /// Sequence number and first fragment of what it carries, 0 for a whole sample.
    fn sample(&self) -> Option<(u64, u32)> {
        let number = || Some(u64::from(self.u32(12)?) << 32 | u64::from(self.u32(16)?));
        match self.id {
            DATA => Some((number()?, 0)),
            DATA_FRAG => Some((number()?, self.u32(20)?)),
            _ => None,
        }
    }
}

/// The submessages of a message; none if it is not RTPS.
fn submessages(body: &[u8]) -> impl Iterator<Item = Submessage<'_>> {
    let mut rest = match body.starts_with(MAGIC) {
        true => body.get(HEADER_BYTES..).unwrap_or_default(),
        false => &[],
    };
    std::iter::from_fn(move || {
        let (&[id, flags, first, second], content) = rest.split_first_chunk::<SUBMESSAGE_HEADER_BYTES>()?;
        let little_endian = flags & LITTLE_ENDIAN != 0;
        let length = match little_endian {
            true => u16::from_le_bytes([first, second]),
            false => u16::from_be_bytes([first, second]),
        };
        // A length of 0 means up to the end, except where an empty submessage is valid (section 9.4.5.1.3).
        let to_the_end = length == 0 && id != PAD && id != INFO_TS;
        let length = if to_the_end { content.len() } else { usize::from(length).min(content.len()) };
        rest = &content[length..];
        Some(Submessage { id, flags, little_endian, content: &content[..length] })
    })
}

/// The purpose of a datagram.
pub(super) fn class(body: &[u8]) -> Class {
    if !body.starts_with(MAGIC) {
        return Class::Unread;
    }
    let mut first = None;
    for part in submessages(body) {
        let Some(writer) = part.writer() else { continue };
        let class = match (part.sample().is_some(), writer) {
            (true, writer) if is_users(writer) => return Class::Message,
            (false, writer) if is_users(writer) => Class::Acknowledgement,
            (_, LIFE_WRITER) => Class::KeepAlive,
            _ => Class::SetUp,
        };
        first.get_or_insert(class);
    }
    first.unwrap_or(Class::Unread)
}

/// What a datagram holds of a user writer's sample.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sample<'a> {
    /// The complete sample: its serialized payload.
    Whole(&'a [u8]),
    /// Some of the sample's fragments.
    Fragments {
        /// GUID prefix, writer and sequence number.
        whose: Vec<u8>,
        /// The first fragment, counted from 0.
        first: u32,
        fragment_bytes: usize,
        sample_bytes: usize,
        bytes: &'a [u8],
    },
}

/// The samples in a datagram (sections 9.4.5.4 and 9.4.5.5).
pub(super) fn samples(body: &[u8]) -> impl Iterator<Item = Sample<'_>> {
    submessages(body).filter_map(move |part| {
        part.writer().filter(|writer| is_users(*writer))?;
        let (number, first) = part.sample()?;
        let bytes = part.payload()?;
        if part.id == DATA {
            return Some(Sample::Whole(bytes));
        }
        let whose = [body.get(PREFIX)?, part.content.get(8..12)?, &number.to_be_bytes()].concat();
        Some(Sample::Fragments {
            whose,
            first: first.checked_sub(1)?,
            fragment_bytes: usize::from(part.u16(26)?),
            sample_bytes: part.u32(28)? as usize,
            bytes,
        })
    })
}

/// The bytes of a message in a serialized payload: CDR of a structure with one sequence of octets, that is after the encapsulation
/// (section 10.2) and their number.
pub(super) fn octets(payload: &[u8]) -> Option<&[u8]> {
    const LITTLE_ENDIAN_ENCAPSULATION: u8 = 1;
    let (&[_, encapsulation, _, _, first, second, third, fourth], rest) = payload.split_first_chunk()?;
    let length = [first, second, third, fourth];
    let length = match encapsulation & LITTLE_ENDIAN_ENCAPSULATION {
        0 => u32::from_be_bytes(length),
        _ => u32::from_le_bytes(length),
    };
    rest.get(..length as usize)
}

/// A sample, or where some of its fragments begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Part {
    prefix: [u8; 12],
    writer: Entity,
    number: u64,
    fragment: u32,
}

/// The samples that one end of a flow has sent.
#[derive(Debug, Default)]
pub(super) struct SampleWatch {
    seen: HashSet<Part>,
    order: VecDeque<Part>,
}

impl SampleWatch {
    /// Whether a datagram has samples and all of them were sent before.
    pub(super) fn is_resent(&mut self, body: &[u8]) -> bool {
        let Some(prefix) = body.get(PREFIX).and_then(|prefix| prefix.try_into().ok()) else { return false };
        let (mut any, mut all) = (false, true);
        for part in submessages(body) {
            let (Some(writer), Some((number, fragment))) = (part.writer(), part.sample()) else { continue };
            if writer == PARTICIPANT_WRITER {
                continue;
            }
            any = true;
            all &= !self.remember(Part { prefix, writer, number, fragment });
        }
        any && all
    }

    /// Remembers a part; returns whether it is new.
    fn remember(&mut self, part: Part) -> bool {
        if !self.seen.insert(part) {
            return false;
        }
        if self.order.len() == REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.seen.remove(&oldest);
        }
        self.order.push_back(part);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USERS_WRITER: Entity = [0x00, 0x00, 0x01, 0x03];

    fn message(parts: &[Vec<u8>]) -> Vec<u8> {
        [b"RTPS\x02\x03\x01\x10".as_slice(), b"one prefix..", &parts.concat()].concat()
    }

    fn submessage(id: u8, content: &[u8]) -> Vec<u8> {
        [&[id, LITTLE_ENDIAN][..], &(content.len() as u16).to_le_bytes(), content].concat()
    }

    fn data(writer: Entity, number: u32) -> Vec<u8> {
        let numbers = [0_u32.to_le_bytes(), number.to_le_bytes()].concat();
        submessage(DATA, &[&[0, 0, 16, 0, 0, 0, 0, 0], &writer[..], &numbers, b"body"].concat())
    }

    fn fragment(number: u32, fragment: u32) -> Vec<u8> {
        let numbers = [0_u32, number, fragment].map(u32::to_le_bytes).concat();
        submessage(DATA_FRAG, &[&[0, 0, 16, 0, 0, 0, 0, 0], &USERS_WRITER[..], &numbers, b"..."].concat())
    }

    fn about(id: u8, writer: Entity) -> Vec<u8> {
        submessage(id, &[&[0, 0, 0, 0], &writer[..], b"counts"].concat())
    }

    fn stamp() -> Vec<u8> {
        submessage(INFO_TS, &[0; 8])
    }

    #[test]
    fn a_datagram_counts_for_its_samples_or_what_comes_first() {
        for (parts, expected) in [
            (vec![stamp(), data(USERS_WRITER, 1), about(HEARTBEAT, USERS_WRITER)], Class::Message),
            (vec![about(HEARTBEAT, USERS_WRITER), data(USERS_WRITER, 1)], Class::Message),
            (vec![stamp(), fragment(1, 1)], Class::Message),
            (vec![about(HEARTBEAT, USERS_WRITER)], Class::Acknowledgement),
            (vec![about(ACKNACK, USERS_WRITER)], Class::Acknowledgement),
            (vec![about(GAP, USERS_WRITER)], Class::Acknowledgement),
            (vec![about(NACK_FRAG, USERS_WRITER)], Class::Acknowledgement),
            (vec![stamp(), data(PARTICIPANT_WRITER, 1)], Class::SetUp),
            (vec![about(ACKNACK, [0, 0, 3, 0xc2])], Class::SetUp),
            (vec![data(LIFE_WRITER, 1), about(HEARTBEAT, LIFE_WRITER)], Class::KeepAlive),
            (vec![about(ACKNACK, LIFE_WRITER)], Class::KeepAlive),
            (vec![stamp()], Class::Unread),
        ] {
            assert_eq!(class(&message(&parts)), expected, "{parts:?}");
        }
        assert_eq!(class(b"RTPX, or anything else"), Class::Unread);
        assert_eq!(class(b"RTPS"), Class::Unread);
    }

    #[test]
    fn big_endian_and_a_length_of_0_are_read() {
        let content = [&[0, 0, 0, 16, 0, 0, 0, 0], &USERS_WRITER[..], &[0, 0, 0, 0, 0, 0, 0, 7]].concat();
        let last = message(&[stamp(), [&[DATA, 0, 0, 0][..], &content].concat()]);
        assert_eq!(class(&last), Class::Message);
        let mut watch = SampleWatch::default();
        assert!(!watch.is_resent(&last) && watch.is_resent(&last));
        // An empty INFO_TS is empty; its length 0 does not mean all the rest.
        let invalid = message(&[vec![INFO_TS, 0x03, 0, 0], about(HEARTBEAT, USERS_WRITER)]);
        assert_eq!(class(&invalid), Class::Acknowledgement);
    }

    #[test]
    fn what_was_sent_before_is_a_retransmission_but_for_announcements() {
        let mut watch = SampleWatch::default();
        let of = |parts: &[Vec<u8>]| message(parts);
        assert!(!watch.is_resent(&of(&[data(USERS_WRITER, 1)])));
        assert!(!watch.is_resent(&of(&[data(USERS_WRITER, 2)])));
        assert!(watch.is_resent(&of(&[data(USERS_WRITER, 1)])));
        assert!(!watch.is_resent(&of(&[data(USERS_WRITER, 2), data(USERS_WRITER, 3)])), "one is new");
        assert!(watch.is_resent(&of(&[data(USERS_WRITER, 2), data(USERS_WRITER, 3)])));
        assert!(!watch.is_resent(&of(&[fragment(4, 1)])) && !watch.is_resent(&of(&[fragment(4, 6)])));
        assert!(watch.is_resent(&of(&[fragment(4, 6)])));
        let announcement = of(&[data(PARTICIPANT_WRITER, 1)]);
        assert!(!watch.is_resent(&announcement) && !watch.is_resent(&announcement));
        let beat = of(&[about(HEARTBEAT, USERS_WRITER)]);
        assert!(!watch.is_resent(&beat) && !watch.is_resent(&beat));
        assert!(!watch.is_resent(b"") && !watch.is_resent(b"nothing that is known here"));
    }

    #[test]
    fn cut_and_strange_messages_are_read_as_far_as_they_go() {
        let whole = message(&[stamp(), data(USERS_WRITER, 1), about(HEARTBEAT, USERS_WRITER)]);
        for length in 0..whole.len() {
            class(&whole[..length]);
            SampleWatch::default().is_resent(&whole[..length]);
        }
        let mut watch = SampleWatch::default();
        for number in 0..REMEMBERED as u32 + 2 {
            watch.is_resent(&message(&[data(USERS_WRITER, number)]));
        }
        assert_eq!((watch.seen.len(), watch.order.len()), (REMEMBERED, REMEMBERED));
    }
}

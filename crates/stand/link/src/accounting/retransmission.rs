//! TCP retransmissions by sequence number, observed where segments enter the link, that is in the sender's order. A segment
//! that occupies sequence space below what was sent before is a retransmission. Keepalives and zero-window probes without
//! payload repeat a sequence number but occupy none, so they are not. If a segment repeats in part, only that part counts as
//! repeated payload.

use crate::packet::Segment;

/// What one direction of a connection has sent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SequenceWatch {
    /// The sequence number after the last that was sent.
    next: Option<u32>,
    /// The connection's first sequence number, to distinguish a retransmitted SYN from a new connection with the same ports.
    initial: Option<u32>,
    /// How many sequence numbers precede `next`, from the first that was seen.
    used: u64,
}

/// A segment that was sent before, wholly or in part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Resent {
    pub(super) payload_bytes: u32,
    pub(super) fin_only: bool,
}

impl SequenceWatch {
    pub(super) fn see(&mut self, segment: Segment) -> Option<Resent> {
        let occupied = segment.payload_bytes + u32::from(segment.syn) + u32::from(segment.fin);
        if occupied == 0 {
            return None;
        }
        let end = segment.sequence.wrapping_add(occupied);
        if segment.syn && self.initial != Some(segment.sequence) {
            *self = Self { next: Some(end), initial: Some(segment.sequence), used: u64::from(occupied) };
            return None;
        }
        let Some(next) = self.next else {
            (self.next, self.used) = (Some(end), u64::from(occupied));
            return None;
        };
        // Sequence numbers wrap: RFC 9293 section 3.4 compares them modulo 2^32.
        let behind = next.wrapping_sub(segment.sequence) as i32;
        let further = end.wrapping_sub(next) as i32;
        if further > 0 {
            (self.next, self.used) = (Some(end), self.used + u64::from(further.unsigned_abs()));
        }
        (behind > 0).then(|| Resent {
            payload_bytes: segment.payload_bytes.min(behind as u32 - u32::from(segment.syn)),
            fin_only: segment.fin && segment.payload_bytes == 0,
        })
    }

    /// Where the payload of the last segment begins, in sequence numbers from the first that was seen (a SYN is the first),
    /// which never wrap.
    pub(super) fn payload_at(&self, segment: Segment) -> u64 {
        let begin = segment.sequence.wrapping_add(u32::from(segment.syn));
        let before_next = self.next.map_or(0, |next| next.wrapping_sub(begin));
        self.used.saturating_sub(u64::from(before_next))
    }
}

//! Reads what accounting needs of an IPv4 packet: RFC 791, RFC 9293 (TCP), RFC 768 (UDP). Never panics; what
//! is too short or no IPv4 is `None`.

use std::net::{Ipv4Addr, SocketAddrV4};

/// IP protocol numbers (IANA).
pub(crate) const TCP: u8 = 6;
pub(crate) const UDP: u8 = 17;

/// The IPv4 header's part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ipv4<'a> {
    pub(crate) protocol: u8,
    pub(crate) source: Ipv4Addr,
    pub(crate) destination: Ipv4Addr,
    pub(crate) id: u16,
    pub(crate) fragment_offset: u16,
    pub(crate) more_fragments: bool,
    pub(crate) payload: &'a [u8],
}

/// What counts in a TCP segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) sequence: u32,
    pub(crate) payload_bytes: u32,
    pub(crate) syn: bool,
    pub(crate) fin: bool,
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

impl<'a> Ipv4<'a> {
    /// Reads a packet; the total length may be shorter than the bytes but not longer.
    pub(crate) fn read(packet: &'a [u8]) -> Option<Self> {
        let first = *packet.first()?;
        let header_bytes = usize::from(first & 0x0f) * 4;
        let total_bytes = usize::from(u16_at(packet, 2)?);
        if first >> 4 != 4 || header_bytes < 20 || total_bytes < header_bytes {
            return None;
        }
        let fragment = u16_at(packet, 6)?;
        Some(Self {
            protocol: *packet.get(9)?,
            source: Ipv4Addr::from(u32_at(packet, 12)?),
            destination: Ipv4Addr::from(u32_at(packet, 16)?),
            id: u16_at(packet, 4)?,
            fragment_offset: fragment & 0x1fff,
            more_fragments: fragment & 0x2000 != 0,
            payload: packet.get(header_bytes..total_bytes)?,
        })
    }

    /// Source and destination with ports, where this packet carries them.
    pub(crate) fn endpoints(&self) -> Option<(SocketAddrV4, SocketAddrV4)> {
        if self.fragment_offset != 0 || !matches!(self.protocol, TCP | UDP) {
            return None;
        }
        let source = SocketAddrV4::new(self.source, u16_at(self.payload, 0)?);
        Some((source, SocketAddrV4::new(self.destination, u16_at(self.payload, 2)?)))
    }

    /// The TCP segment, where this is a whole one.
    pub(crate) fn segment(&self) -> Option<Segment> {
        if self.protocol != TCP || self.fragment_offset != 0 || self.more_fragments {
            return None;
        }
        let header_bytes = usize::from(self.payload.get(12)? >> 4) * 4;
        let flags = *self.payload.get(13)?;
        Some(Segment {
            sequence: u32_at(self.payload, 4)?,
            payload_bytes: self.payload.len().checked_sub(header_bytes)? as u32,
            syn: flags & 0x02 != 0,
            fin: flags & 0x01 != 0,
        })
    }
}

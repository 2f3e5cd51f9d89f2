//! Parses what accounting needs of an IPv4 packet: RFC 791, RFC 9293 (TCP), RFC 768 (UDP). Never panics; a packet
//! that is too short or not IPv4 is `None`.

use std::net::{Ipv4Addr, SocketAddrV4};

/// IP protocol numbers (IANA).
pub(crate) const ICMP: u8 = 1;
pub(crate) const TCP: u8 = 6;
pub(crate) const UDP: u8 = 17;

/// ICMP types (RFC 792).
pub(crate) const ECHO: u8 = 8;
pub(crate) const ECHO_REPLY: u8 = 0;

const UDP_HEADER_BYTES: usize = 8;

/// The relevant fields of an IPv4 header.
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

/// The relevant fields of a TCP segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) sequence: u32,
    pub(crate) payload_bytes: u32,
    pub(crate) syn: bool,
    pub(crate) fin: bool,
    pub(crate) rst: bool,
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

impl<'a> Ipv4<'a> {
    /// Parses a packet; the total length may be less than the bytes but not more.
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

    /// Source and destination with ports, if this packet contains them.
    pub(crate) fn endpoints(&self) -> Option<(SocketAddrV4, SocketAddrV4)> {
        if self.fragment_offset != 0 || !matches!(self.protocol, TCP | UDP) {
            return None;
        }
        let source = SocketAddrV4::new(self.source, u16_at(self.payload, 0)?);
        Some((source, SocketAddrV4::new(self.destination, u16_at(self.payload, 2)?)))
    }

    /// Whether this is an ICMP echo or the reply to one (RFC 792), or the first fragment of it.
    pub(crate) fn is_echo(&self) -> bool {
        let echo = self.payload.first().is_some_and(|kind| [ECHO, ECHO_REPLY].contains(kind));
        self.protocol == ICMP && self.fragment_offset == 0 && echo
    }

    /// What follows the TCP or UDP header, if this is a complete segment or datagram.
    pub(crate) fn body(&self) -> Option<&'a [u8]> {
        if self.fragment_offset != 0 || self.more_fragments {
            return None;
        }
        let header_bytes = match self.protocol {
            TCP => usize::from(self.payload.get(12)? >> 4) * 4,
            UDP => UDP_HEADER_BYTES,
            _ => return None,
        };
        self.payload.get(header_bytes..)
    }

    /// What follows the UDP header, if this is a datagram or its first fragment: at least its beginning.
    pub(crate) fn datagram_begin(&self) -> Option<&'a [u8]> {
        let first = self.protocol == UDP && self.fragment_offset == 0;
        self.payload.get(UDP_HEADER_BYTES..).filter(|_| first)
    }

    /// The TCP segment, if this is a complete one.
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
            rst: flags & 0x04 != 0,
        })
    }
}

/// Flips the `draw`-th bit (modulo their number) from byte `from_byte` of a TCP or UDP body and corrects the
/// checksum; IP's own covers only its header. Returns false if there is no such bit.
pub(crate) fn flip_bit(packet: &mut [u8], from_byte: usize, draw: u64) -> bool {
    let Some(ip) = Ipv4::read(packet) else { return false };
    let Some(body) = ip.body().filter(|body| body.len() > from_byte) else { return false };
    let (protocol, source, destination) = (ip.protocol, ip.source, ip.destination);
    let bit = draw % ((body.len() - from_byte) as u64 * 8);
    let body_at = ip.payload.len() - body.len();
    let payload_at = usize::from(packet[0] & 0x0f) * 4;
    let end = usize::from(u16::from_be_bytes([packet[2], packet[3]]));
    let payload = &mut packet[payload_at..end];
    payload[body_at + from_byte + (bit / 8) as usize] ^= 1 << (bit % 8);
    // Position of the checksum: RFC 9293 section 3.1 and RFC 768.
    let checksum_at = if protocol == TCP { 16 } else { 6 };
    if protocol == UDP && payload[checksum_at..checksum_at + 2] == [0, 0] {
        return true; // The sender sent none.
    }
    payload[checksum_at..checksum_at + 2].fill(0);
    let sum = match checksum(protocol, source, destination, payload) {
        0 if protocol == UDP => 0xffff,
        sum => sum,
    };
    payload[checksum_at..checksum_at + 2].copy_from_slice(&sum.to_be_bytes());
    true
}

/// The Internet checksum (RFC 1071) over the pseudo header and a segment or datagram.
pub(crate) fn checksum(protocol: u8, source: Ipv4Addr, destination: Ipv4Addr, payload: &[u8]) -> u16 {
    let words = |bytes: &[u8]| -> u64 {
        let word = |pair: &[u8]| u64::from(u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]));
        bytes.chunks(2).map(word).sum()
    };
    let mut sum = words(&source.octets()) + words(&destination.octets());
    sum += u64::from(protocol) + payload.len() as u64 + words(payload);
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

//! Packets as they leave a device that divides large ones itself (segmentation offload; kernel documentation: networking/segmentation-offloads).
//!
//! A packet socket sees such a packet whole, with what the device is to make of it in front (struct virtio_net_hdr, linux/virtio_net.h): the kind, and the bytes of payload in each part. Each part
//! has a copy of the headers, with its own length and, in TCP, its own sequence number; FIN and PSH are those of the last one.

use crate::packet::UDP;

/// Bytes in front of each packet.
pub(super) const OFFLOAD_BYTES: usize = 10;

/// Kinds of division (`VIRTIO_NET_HDR_GSO_*`), without the flag for ECN.
const NONE: u8 = 0;
const TCPV4: u8 = 1;
const UDP_L4: u8 = 5;
const ECN: u8 = 0x80;

const UDP_HEADER_BYTES: usize = 8;
const FIN: u8 = 0x01;
const PSH: u8 = 0x08;
const CWR: u8 = 0x80;

/// What a device does with a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offload {
    /// It leaves as it is.
    Whole,
    /// It is divided into parts with this many bytes of payload.
    Divided(usize),
    /// Something else is done with it, so that it is unknown what leaves.
    Unknown,
}

impl Offload {
    /// Reads what stands in front of a packet; `None` if that is too short.
    pub(super) fn read(front: &[u8]) -> Option<Self> {
        let (kind, payload_bytes) = (front.get(1)? & !ECN, front.get(4..6)?.try_into().ok()?);
        Some(match (kind, usize::from(u16::from_ne_bytes(payload_bytes))) {
            (NONE, _) => Offload::Whole,
            (TCPV4 | UDP_L4, bytes @ 1..) => Offload::Divided(bytes),
            _ => Offload::Unknown,
        })
    }
}

/// Passes on the parts of a packet, each as a packet of its own; returns false, and passes on nothing, if it can't be divided.
pub(super) fn divide(packet: &[u8], payload_bytes: usize, pass: &mut dyn FnMut(&[u8])) -> bool {
    let Some(head) = Head::read(packet) else { return false };
    let payload = &packet[head.bytes..];
    let parts = payload.len().div_ceil(payload_bytes.max(1)).max(1);
    let mut part = Vec::with_capacity(head.bytes + payload_bytes);
    for (number, piece) in payload.chunks(payload_bytes.max(1)).enumerate() {
        part.clear();
        part.extend_from_slice(&packet[..head.bytes]);
        part.extend_from_slice(piece);
        head.of_part(&mut part, (number, parts), number * payload_bytes);
        pass(&part);
    }
    true
}

/// The headers of IPv4 (RFC 791) and of TCP (RFC 9293) or UDP (RFC 768).
#[derive(Debug, Clone, Copy)]
struct Head {
    ip_bytes: usize,
    bytes: usize,
    is_udp: bool,
}

impl Head {
    fn read(packet: &[u8]) -> Option<Self> {
        let first = *packet.first()?;
        let ip_bytes = usize::from(first & 0x0f) * 4;
        let is_udp = *packet.get(9)? == UDP;
        let own_bytes =
            if is_udp { UDP_HEADER_BYTES } else { usize::from(packet.get(ip_bytes + 12)? >> 4) * 4 };
        let bytes = ip_bytes + own_bytes;
        let is_sound = first >> 4 == 4 && ip_bytes >= 20 && own_bytes >= UDP_HEADER_BYTES;
        (is_sound && packet.len() > bytes).then_some(Head { ip_bytes, bytes, is_udp })
    }

    /// Gives a part its own lengths, number and flags.
    fn of_part(self, part: &mut [u8], (number, parts): (usize, usize), offset: usize) {
        let put = |part: &mut [u8], at: usize, value: usize| {
            part[at..at + 2].copy_from_slice(&(value as u16).to_be_bytes());
        };
        let bytes = part.len();
        put(part, 2, bytes);
        let id = usize::from(u16::from_be_bytes([part[4], part[5]]));
        put(part, 4, id.wrapping_add(number));
        if self.is_udp {
            put(part, self.ip_bytes + 4, bytes - self.ip_bytes);
            return;
        }
        let at = self.ip_bytes + 4;
        let mut sequence = [0; 4];
        sequence.copy_from_slice(&part[at..at + 4]);
        let sequence = u32::from_be_bytes(sequence).wrapping_add(offset as u32);
        part[at..at + 4].copy_from_slice(&sequence.to_be_bytes());
        let flags = &mut part[self.ip_bytes + 13];
        if number + 1 < parts {
            *flags &= !(FIN | PSH);
        }
        if number > 0 {
            *flags &= !CWR;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Ipv4;

    fn tcp(payload: &[u8]) -> Vec<u8> {
        let mut packet = vec![0; 40];
        packet[0] = 0x45;
        packet[2..4].copy_from_slice(&(40 + payload.len() as u16).to_be_bytes());
        packet[4..6].copy_from_slice(&0xffff_u16.to_be_bytes());
        packet[9] = 6;
        packet[24..28].copy_from_slice(&0xffff_fffe_u32.to_be_bytes());
        packet[32] = 5 << 4;
        packet[33] = 0x10 | PSH | FIN | CWR;
        packet.extend_from_slice(payload);
        packet
    }

    fn parts(packet: &[u8], bytes: usize) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        assert!(divide(packet, bytes, &mut |part| all.push(part.to_vec())));
        all
    }

    #[test]
    fn parts_of_a_segment_are_segments_that_follow_each_other() {
        let all = parts(&tcp(b"abcdefg"), 3);
        let read: Vec<_> = all.iter().map(|part| Ipv4::read(part).unwrap()).collect();
        let bodies: Vec<_> = read.iter().map(|ip| ip.body().unwrap()).collect();
        assert_eq!(bodies, [&b"abc"[..], b"def", b"g"]);
        assert_eq!(read.iter().map(|ip| ip.id).collect::<Vec<_>>(), [0xffff, 0, 1]);
        let segments: Vec<_> = read.iter().map(|ip| ip.segment().unwrap()).collect();
        assert_eq!(segments.iter().map(|one| one.sequence).collect::<Vec<_>>(), [0xffff_fffe, 1, 4]);
        assert_eq!(segments.iter().map(|one| one.fin).collect::<Vec<_>>(), [false, false, true]);
        let flags: Vec<u8> = all.iter().map(|part| part[33]).collect();
        assert_eq!(flags, [0x10 | CWR, 0x10, 0x10 | PSH | FIN]);
    }

    #[test]
    fn parts_of_a_datagram_are_datagrams() {
        let mut packet = vec![0; 28];
        packet[0] = 0x45;
        packet[9] = UDP;
        packet.extend_from_slice(&[7; 10]);
        let all = parts(&packet, 4);
        let lengths: Vec<(u16, usize)> =
            all.iter().map(|part| (u16::from_be_bytes([part[24], part[25]]), part.len())).collect();
        assert_eq!(lengths, [(12, 32), (12, 32), (10, 30)]);
        assert!(all.iter().all(|part| Ipv4::read(part).unwrap().datagram_begin().is_some()));
    }

    #[test]
    fn what_stands_in_front_says_what_the_device_does() {
        let front = |kind: u8, bytes: u16| {
            let [low, high] = bytes.to_ne_bytes();
            Offload::read(&[0, kind, 40, 0, low, high, 0, 0, 0, 0])
        };
        assert_eq!(front(NONE, 0), Some(Offload::Whole));
        assert_eq!(front(TCPV4, 1_448), Some(Offload::Divided(1_448)));
        assert_eq!(front(TCPV4 | ECN, 1_448), Some(Offload::Divided(1_448)));
        assert_eq!(front(UDP_L4, 1_200), Some(Offload::Divided(1_200)));
        assert_eq!(front(3, 1_480), Some(Offload::Unknown), "fragments of a datagram");
        assert_eq!(front(TCPV4, 0), Some(Offload::Unknown));
        assert_eq!(Offload::read(&[0; 3]), None);
    }

    #[test]
    fn what_has_no_sound_headers_is_not_divided() {
        for packet in [&tcp(b"abc")[..30], &tcp(b""), b"", &[0x65; 60]] {
            assert!(!divide(packet, 2, &mut |_| panic!("a part of nothing")), "{packet:?}");
        }
    }
}

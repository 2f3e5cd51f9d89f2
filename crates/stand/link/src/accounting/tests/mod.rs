use std::net::Ipv4Addr;

use wiredyno_model::trial::WireClasses;

use super::*;
use crate::packet::{ICMP, TCP, UDP};

const EDGE: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 1);
const CLOUD: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 2);
const IGMP: u8 = 2;
const SYN: u8 = 2;
const FIN: u8 = 1;
const ACK: u8 = 16;

/// An IPv4 packet; `fragment` is the flags-and-offset field, in units of 8 bytes.
fn ip(protocol: u8, source: Ipv4Addr, destination: Ipv4Addr, id: u16, fragment: u16, body: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x45, 0];
    packet.extend((20 + body.len() as u16).to_be_bytes());
    packet.extend(id.to_be_bytes());
    packet.extend(fragment.to_be_bytes());
    packet.extend([64, protocol, 0, 0]);
    packet.extend(source.octets());
    packet.extend(destination.octets());
    packet.extend(body);
    packet
}

fn tcp(sequence: u32, flags: u8, payload: usize) -> Vec<u8> {
    let mut body = vec![0x30, 0x39, 0x07, 0x5b];
    body.extend(sequence.to_be_bytes());
    body.extend([0; 4]);
    body.extend([0x50, flags, 0, 0, 0, 0, 0, 0]);
    body.extend(vec![7; payload]);
    ip(TCP, EDGE, CLOUD, 1, 0x4000, &body)
}

fn udp(length: usize) -> Vec<u8> {
    let mut body = vec![0x30, 0x39, 0x16, 0x33, 0, 0, 0, 0];
    body.resize(length, 1);
    body
}

/// The segments' retransmissions: packets, payload bytes, FIN-only packets.
fn resent(segments: &[Vec<u8>]) -> (u64, u64, u64) {
    let mut accounts = Accounts::default();
    for segment in segments {
        assert!(accounts.enter(0, Direction::Up, segment, None));
    }
    let tally = accounts.flows()[0].tallies.up.total();
    assert_eq!(tally.entered.packets, segments.len() as u64);
    (tally.retransmitted.packets, tally.retransmitted_payload_bytes, tally.retransmitted_fin_packets)
}

#[test]
fn bytes_are_ip_length_plus_ethernet_header_per_flow_direction_and_phase() {
    let mut accounts = Accounts::default();
    let up = ip(UDP, EDGE, CLOUD, 1, 0, &udp(108));
    let mut answer = udp(58);
    answer.rotate_left(2);
    answer[..4].copy_from_slice(&[0x16, 0x33, 0x30, 0x39]);
    let down = ip(UDP, CLOUD, EDGE, 1, 0, &answer);
    accounts.enter(0, Direction::Up, &up, None);
    accounts.mark(Phase::Measure);
    accounts.enter(0, Direction::Up, &up, Some(DropReason::Loss));
    accounts.enter(0, Direction::Up, &up, Some(DropReason::Queue));
    accounts.enter(0, Direction::Down, &down, None);
    let flows = accounts.flows();
    assert_eq!(flows.len(), 1, "both directions are one flow");
    let tallies = flows[0].tallies;
    assert_eq!(tallies.up.setup.entered, Amount { packets: 1, bytes: 142 });
    assert_eq!(tallies.up.measure.entered, Amount { packets: 2, bytes: 284 });
    assert_eq!(tallies.up.measure.dropped_loss, Amount { packets: 1, bytes: 142 });
    assert_eq!(tallies.up.measure.dropped_queue, Amount { packets: 1, bytes: 142 });
    assert_eq!(tallies.down.total().entered, Amount { packets: 1, bytes: 92 });
}

#[test]
fn what_was_not_sent_before_is_no_retransmission() {
    let segments =
        [tcp(100, SYN, 0), tcp(101, ACK, 0), tcp(101, ACK, 500), tcp(601, ACK, 500), tcp(1101, ACK | FIN, 0)];
    assert_eq!(resent(&segments), (0, 0, 0));
}

#[test]
fn syn_data_and_fin_sent_again_are_retransmissions() {
    let segments = [
        tcp(100, SYN, 0),
        tcp(100, SYN, 0),
        tcp(101, ACK, 500),
        tcp(601, ACK, 500),
        tcp(101, ACK, 500),
        tcp(1101, ACK | FIN, 0),
        tcp(1101, ACK | FIN, 0),
    ];
    assert_eq!(resent(&segments), (3, 500, 1));
}

#[test]
fn keepalives_probes_and_late_acks_are_none() {
    let segments =
        [tcp(100, SYN, 0), tcp(101, ACK, 500), tcp(600, ACK, 0), tcp(601, ACK, 0), tcp(101, ACK, 0)];
    assert_eq!(resent(&segments), (0, 0, 0));
}

#[test]
fn a_segment_that_repeats_in_part_counts_its_repeated_payload() {
    let segments = [tcp(100, SYN, 0), tcp(101, ACK, 500), tcp(401, ACK, 500), tcp(901, ACK, 100)];
    assert_eq!(resent(&segments), (1, 200, 0));
    // Data followed by a FIN, the data sent before: a retransmission, but not of a FIN alone.
    let segments = [tcp(100, SYN, 0), tcp(101, ACK, 500), tcp(101, ACK | FIN, 500)];
    assert_eq!(resent(&segments), (1, 500, 0));
}

#[test]
fn sequence_numbers_wrap() {
    let start = u32::MAX - 99;
    let segments =
        [tcp(start, SYN, 0), tcp(start + 1, ACK, 500), tcp(401, ACK, 10), tcp(start + 1, ACK, 500)];
    assert_eq!(resent(&segments), (1, 500, 0));
}

#[test]
fn a_new_connection_on_the_same_ports_starts_anew() {
    let segments = [tcp(5000, SYN, 0), tcp(5001, ACK, 500), tcp(100, SYN, 0), tcp(101, ACK, 500)];
    assert_eq!(resent(&segments), (0, 0, 0));
}

#[test]
fn fragments_belong_to_the_flow_of_their_first() {
    let mut accounts = Accounts::default();
    let first = ip(UDP, EDGE, CLOUD, 7, 0x2000, &udp(1480));
    let second = ip(UDP, EDGE, CLOUD, 7, 185, &[1; 300]);
    let stray = ip(UDP, EDGE, CLOUD, 8, 185, &[1; 300]);
    for packet in [&first, &second, &stray] {
        accounts.enter(0, Direction::Up, packet, None);
    }
    let total = accounts.flows()[0].tallies.up.total();
    assert_eq!(total.entered, Amount { packets: 2, bytes: 1500 + 14 + 320 + 14 });
    assert_eq!(accounts.other().up.total().entered, Amount { packets: 1, bytes: 334 });
}

/// A UDP datagram of CoAP: type and token length, message id, and a body of the requested length.
fn coap(first: u8, id: u16, length: usize) -> Vec<u8> {
    let mut body = udp(8);
    body.extend([first, 0x02]);
    body.extend(id.to_be_bytes());
    body.extend(*b"tokn");
    body.resize(length, 0xb1);
    body
}

#[test]
fn coap_messages_sent_again_are_a_subset_where_they_are_asked_for() {
    let con = ip(UDP, EDGE, CLOUD, 1, 0, &coap(0x44, 7, 108));
    let non = ip(UDP, EDGE, CLOUD, 1, 0, &coap(0x54, 8, 108));
    for asked in [false, true] {
        let mut accounts = Accounts::default();
        if asked {
            accounts.read_as(WireFormat::Coap);
        }
        for packet in [&con, &non, &con, &non, &con] {
            accounts.enter(0, Direction::Up, packet, Some(DropReason::Loss));
        }
        // The other end has its own message ids.
        let mut answer = con.clone();
        answer[12..20].rotate_left(4);
        answer[20..24].rotate_left(2);
        accounts.enter(0, Direction::Down, &answer, None);
        let tallies = accounts.flows()[0].tallies;
        let again = if asked { Amount { packets: 2, bytes: 2 * 142 } } else { Amount::default() };
        assert_eq!(tallies.up.total().retransmitted, again);
        assert_eq!(tallies.up.total().application.packets, 5 - again.packets);
        assert_eq!(tallies.up.total().retransmitted_payload_bytes, 0, "that is TCP's");
        assert_eq!(tallies.down.total().retransmitted, Amount::default());
    }
}

#[test]
fn all_fragments_of_a_coap_message_sent_again_are_retransmissions() {
    let mut accounts = Accounts::default();
    accounts.read_as(WireFormat::Coap);
    // The kernel gives every datagram another IP id; the second datagram repeats the first, the third is new.
    for (ip_id, message_id) in [(7, 1), (8, 1), (9, 2)] {
        let first = ip(UDP, EDGE, CLOUD, ip_id, 0x2000, &coap(0x44, message_id, 1480));
        let second = ip(UDP, EDGE, CLOUD, ip_id, 185, &[1; 300]);
        accounts.enter(0, Direction::Up, &first, None);
        accounts.enter(0, Direction::Up, &second, None);
    }
    let total = accounts.flows()[0].tallies.up.total();
    assert_eq!(total.entered.packets, 6);
    assert_eq!(total.retransmitted, Amount { packets: 2, bytes: 1500 + 14 + 320 + 14 });
}

#[test]
fn icmp_is_apart_and_what_is_no_ipv4_is_not_counted() {
    let mut accounts = Accounts::default();
    assert!(accounts.enter(0, Direction::Up, &ip(ICMP, EDGE, CLOUD, 1, 0, &[8; 64]), None));
    assert!(!accounts.enter(0, Direction::Up, &[0x60; 48], None));
    assert!(!accounts.enter(0, Direction::Up, &[], None));
    let membership = ip(IGMP, EDGE, CLOUD, 2, 0, &[0x22; 20]);
    assert!(accounts.enter(0, Direction::Up, &membership, None));
    assert_eq!(accounts.flows().len(), 0);
    assert_eq!(accounts.echoes().up.total().entered, Amount { packets: 1, bytes: 98 });
    assert_eq!(accounts.other().up.total().entered, Amount { packets: 1, bytes: 54 });
}

#[test]
fn a_connection_older_than_the_books_is_stale() {
    let mut accounts = Accounts::default();
    let stale =
        |accounts: &Accounts, packet: &[u8]| accounts.is_stale(Direction::Up, &Ipv4::read(packet).unwrap());
    assert!(stale(&accounts, &tcp(101, ACK, 0)) && stale(&accounts, &tcp(101, FIN | ACK, 0)));
    assert!(!stale(&accounts, &tcp(100, SYN, 0)) && !stale(&accounts, &ip(UDP, EDGE, CLOUD, 1, 0, &udp(20))));
    accounts.enter(0, Direction::Up, &tcp(100, SYN, 0), None);
    assert!(!stale(&accounts, &tcp(101, ACK, 0)));
    let mut answer = tcp(7, ACK, 0);
    answer[12..20].rotate_left(4);
    answer[20..24].rotate_left(2);
    assert!(
        !accounts.is_stale(Direction::Down, &Ipv4::read(&answer).unwrap()),
        "both directions are one connection"
    );
    assert!(accounts.is_stale(Direction::Up, &Ipv4::read(&answer).unwrap()));
}

/// A segment with these bytes, from the edge or to it.
fn segment(direction: Direction, sequence: u32, flags: u8, bytes: &[u8]) -> Vec<u8> {
    let mut packet = tcp(sequence, flags, bytes.len());
    packet[40..].copy_from_slice(bytes);
    if direction == Direction::Down {
        packet[12..20].rotate_left(4);
        packet[20..24].rotate_left(2);
    }
    packet
}

#[test]
fn bytes_are_told_apart_by_what_they_are_for_and_headers_go_with_the_first() {
    use Direction::{Down, Up};
    const FRAME: u64 = 54;
    let mut accounts = Accounts::default();
    accounts.read_as(WireFormat::Mqtt);
    let connect = b"\x10\x0d\0\x04MQTT\x04\x02\0\x3c\0\x01c";
    let publish = b"\x32\x08\0\x01t\0\x01abc";
    let packets: [(Direction, u32, u8, Vec<u8>); 9] = [
        (Up, 99, SYN, vec![]),
        (Down, 499, SYN | ACK, vec![]),
        (Up, 100, ACK, vec![]),
        (Up, 100, ACK, connect.to_vec()),
        (Down, 500, ACK, b"\x20\x02\0\0".to_vec()),
        // A message followed by a keep-alive.
        (Up, 115, ACK, [&publish[..], b"\xc0\0"].concat()),
        (Down, 504, ACK, b"\x40\x02\0\x01".to_vec()),
        // The message again, followed by another: headers and old bytes are a repeat.
        (Up, 115, ACK, [&publish[..], b"\xc0\0", &publish[..]].concat()),
        (Up, 137, ACK | FIN, vec![]),
    ];
    for (direction, sequence, flags, bytes) in packets {
        accounts.enter(0, direction, &segment(direction, sequence, flags, &bytes), None);
    }
    let tallies = accounts.flows()[0].tallies;
    let up = WireClasses {
        set_up: FRAME + FRAME + 15 + FRAME,
        transport: FRAME,
        message: FRAME + 10 + 10,
        keep_alive: 2,
        retransmitted: FRAME + 12,
        ..WireClasses::default()
    };
    assert_eq!(tallies.up.setup.classes, up);
    let frames = [tallies.up.setup, tallies.down.setup].map(|tally| tally.message_frame_bytes);
    assert_eq!(frames, [10 + 10, 0], "frames without the headers below them, each once");
    let down =
        WireClasses { set_up: FRAME + FRAME + 4, acknowledgement: FRAME + 4, ..WireClasses::default() };
    assert_eq!(tallies.down.setup.classes, down);
    for tally in [tallies.up.setup, tallies.down.setup] {
        assert_eq!(tally.classes.total(), tally.entered.bytes);
    }
}

#[test]
fn all_fragments_of_a_datagram_are_for_what_the_first_says() {
    let mut accounts = Accounts::default();
    accounts.read_as(WireFormat::Coap);
    accounts.enter(0, Direction::Up, &ip(UDP, EDGE, CLOUD, 7, 0x2000, &coap(0x44, 1, 1480)), None);
    accounts.enter(0, Direction::Up, &ip(UDP, EDGE, CLOUD, 7, 185, &[1; 300]), None);
    let tally = accounts.flows()[0].tallies.up.total();
    assert_eq!(tally.classes, WireClasses { message: tally.entered.bytes, ..WireClasses::default() });
    assert_eq!(tally.message_frame_bytes, coap(0x44, 1, 1480).len() as u64 - 8 + 300, "without UDP's header");
    // The same again is not a new frame.
    accounts.enter(1, Direction::Up, &ip(UDP, EDGE, CLOUD, 8, 0x2000, &coap(0x44, 1, 1480)), None);
    assert_eq!(accounts.flows()[0].tallies.up.total().message_frame_bytes, tally.message_frame_bytes);
}

#[test]
fn coap_messages_are_told_apart() {
    for (body, class, why) in [
        (&b"\x40\0\0\x01"[..], Class::KeepAlive, "a ping"),
        (b"\x60\0\0\x01", Class::Acknowledgement, "an empty acknowledgement"),
        (b"\x70\0\0\x01", Class::Acknowledgement, "a reset"),
        (b"\x44\x01\0\x01tokn\x60\x51a", Class::SetUp, "GET with Observe"),
        (b"\x44\x01\0\x01tokn\xb1a\xc1\x16", Class::Acknowledgement, "GET of block 1"),
        (b"\x44\x01\0\x01tokn\xb1a\xc1\x06", Class::SetUp, "GET of block 0"),
        (b"\x44\x03\0\x01tokn\xb1a\xffbody", Class::Message, "PUT"),
        (b"\x64\x44\0\x01tokn", Class::Acknowledgement, "2.04"),
        (b"\x64\x5f\0\x01tokn\xd1\x0e\x08", Class::Acknowledgement, "2.31 with Block1"),
        (b"\x54\x45\0\x01tokn\x61\x05\xffbody", Class::Message, "a notification"),
        (b"\x54\x45\0\x01tokn\x61\x05", Class::Message, "a notification of nothing"),
        (b"\x64\x84\0\x01tokn\xffno", Class::Acknowledgement, "4.04"),
        (b"\x16\xfe\xfd\0\0", Class::Unread, "DTLS"),
    ] {
        assert_eq!(super::coap::class(body), class, "{why}");
    }
}

#[test]
fn cut_off_packets_never_panic() {
    for whole in [tcp(1, ACK, 40), ip(UDP, EDGE, CLOUD, 1, 0, &coap(0x44, 1, 40))] {
        for length in 0..whole.len() {
            let mut accounts = Accounts::default();
            accounts.read_as(WireFormat::Coap);
            accounts.enter(0, Direction::Up, &whole[..length], None);
            let mut lying = whole.clone();
            lying[0] = 0x4f;
            lying.truncate(length);
            accounts.enter(0, Direction::Up, &lying, None);
        }
    }
}

mod messages;

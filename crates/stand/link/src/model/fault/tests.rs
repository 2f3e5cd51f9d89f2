use std::net::Ipv4Addr;

use super::*;
use crate::packet::checksum;
use wiredyno_contract::{Ratio, Span};

const EDGE: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 1);
const CLOUD: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 2);
const MS: u64 = 1_000_000;

/// A UDP datagram or TCP segment whose body is `bytes` times its number, with a correct checksum.
fn packet(protocol: u8, number: u8, bytes: usize) -> Vec<u8> {
    let mut payload = vec![0x30, 0x39, 0x16, 0x33];
    if protocol == UDP {
        payload.extend((8 + bytes as u16).to_be_bytes());
        payload.extend([0, 0]);
    } else {
        payload.extend([0, 0, 0, 1, 0, 0, 0, 0, 0x50, 0x10, 0, 0, 0, 0, 0, 0]);
    }
    payload.extend(vec![number; bytes]);
    let at = if protocol == UDP { 6 } else { 16 };
    let sum = checksum(protocol, EDGE, CLOUD, &payload);
    payload[at..at + 2].copy_from_slice(&sum.to_be_bytes());
    let mut packet = vec![0x45, 0];
    packet.extend((20 + payload.len() as u16).to_be_bytes());
    packet.extend([0, 1, 0x40, 0, 64, protocol, 0, 0]);
    packet.extend(EDGE.octets());
    packet.extend(CLOUD.octets());
    packet.extend(payload);
    packet
}

fn rule(fault: Fault, numbers: &[u64]) -> FaultSpec {
    FaultSpec {
        fault,
        direction: Direction::Up,
        protocol: FaultProtocol::Udp,
        least_payload_bytes: 10,
        strikes: Strikes::Packets { numbers: numbers.to_vec() },
    }
}

fn reorder(behind: u32) -> Fault {
    Fault::Reorder { behind, at_most: Span { ns: 100 * MS } }
}

/// Sends `count` datagrams of 10 bytes, one per millisecond; returns the numbers and times of arrivals, in
/// order.
fn arrivals(faults: &mut Faults, count: u8) -> Vec<(u8, u64)> {
    let mut out = Vec::new();
    for number in 0..count {
        let (at_ns, datagram) = (u64::from(number) * MS, packet(UDP, number, 10));
        faults.release_due(at_ns, &mut out);
        let struck = faults.judge(Direction::Up, &datagram);
        faults.carry(struck, at_ns, Direction::Up, datagram, &mut out);
    }
    faults.release_due(u64::MAX, &mut out);
    out.iter().map(|passed| (passed.packet[28], passed.at_ns / MS)).collect()
}

fn numbers(faults: &mut Faults, count: u8) -> Vec<u8> {
    arrivals(faults, count).into_iter().map(|(number, _)| number).collect()
}

fn count(matched: u64, injected: u64) -> FaultCount {
    FaultCount { matched, injected }
}

#[test]
fn each_fault_does_what_it_says_and_counts_it() {
    let mut faults = Faults::new(&[rule(Fault::Drop, &[1, 3])], 1);
    assert_eq!(numbers(&mut faults, 5), [0, 2, 4]);
    assert_eq!(faults.counts(), [count(5, 2)]);

    let mut faults = Faults::new(&[rule(Fault::Duplicate, &[1, 3])], 1);
    assert_eq!(numbers(&mut faults, 5), [0, 1, 1, 2, 3, 3, 4]);
    assert_eq!(faults.counts(), [count(5, 2)]);

    let mut faults = Faults::new(&[rule(reorder(2), &[1])], 1);
    assert_eq!(arrivals(&mut faults, 5), [(0, 0), (2, 2), (3, 3), (1, 3), (4, 4)]);
    assert_eq!(faults.counts(), [count(5, 1)]);
}

#[test]
fn a_held_packet_is_no_passer_and_one_that_nobody_passes_goes_on_in_time() {
    let mut faults = Faults::new(&[rule(reorder(1), &[1, 2, 5])], 1);
    // 1 and 2 wait for 3; 5, the last, is released after its 100 ms and is not a reordering.
    assert_eq!(arrivals(&mut faults, 6), [(0, 0), (3, 3), (1, 3), (2, 3), (4, 4), (5, 105)]);
    assert_eq!(faults.counts(), [count(6, 2)]);
    assert_eq!(faults.next_release_ns(), None);
}

#[test]
fn a_packet_passed_by_too_few_goes_on_in_time_and_is_reordered() {
    let mut faults = Faults::new(&[rule(reorder(9), &[1])], 1);
    assert_eq!(arrivals(&mut faults, 3), [(0, 0), (2, 2), (1, 101)]);
    assert_eq!(faults.counts(), [count(3, 1)]);
    // A packet that arrives after the time has not passed it.
    let short = Fault::Reorder { behind: 1, at_most: Span { ns: MS / 2 } };
    let mut faults = Faults::new(&[rule(short, &[1])], 1);
    assert_eq!(numbers(&mut faults, 3), [0, 1, 2]);
    assert_eq!(faults.counts(), [count(3, 0)]);
}

#[test]
fn dropped_and_damaged_packets_do_not_pass() {
    let flip = Fault::FlipBit { from_byte: 0 };
    let rules = [rule(reorder(1), &[0]), rule(Fault::Drop, &[1]), rule(flip, &[2])];
    let mut faults = Faults::new(&rules, 1);
    let order = numbers(&mut faults, 4);
    assert_eq!((order[1], order[2]), (3, 0));
    assert_eq!(faults.counts(), [count(4, 1), count(4, 1), count(4, 1)]);
}

#[test]
fn the_first_rule_that_strikes_is_the_only_one() {
    let rules = [rule(Fault::Drop, &[1]), rule(Fault::Duplicate, &[1, 2])];
    let mut faults = Faults::new(&rules, 1);
    assert_eq!(numbers(&mut faults, 4), [0, 2, 2, 3]);
    assert_eq!(faults.counts(), [count(4, 1), count(4, 1)]);
}

#[test]
fn a_flipped_bit_is_one_bit_behind_the_sequence_and_the_checksum_fits() {
    for (protocol, of, header) in [(UDP, FaultProtocol::Udp, 28), (TCP, FaultProtocol::Tcp, 40)] {
        let flip = FaultSpec {
            protocol: of,
            ..rule(Fault::FlipBit { from_byte: 8 }, &(0..200).collect::<Vec<_>>())
        };
        let mut faults = Faults::new(&[flip], 1);
        let mut hit = std::collections::HashSet::new();
        for number in 0..200 {
            let before = packet(protocol, number, 11 + usize::from(number % 2));
            let (struck, mut out) = (faults.judge(Direction::Up, &before), Vec::new());
            faults.carry(struck, 0, Direction::Up, before.clone(), &mut out);
            let after = &out[0].packet;
            assert_eq!(after[header..header + 8], before[header..header + 8]);
            let changed =
                |a: &[u8], b: &[u8]| -> u32 { a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum() };
            assert_eq!(changed(&after[header..], &before[header..]), 1);
            hit.extend((header + 8..before.len()).filter(|at| after[*at] != before[*at]));
            // Over a segment with a correct checksum the sum is zero (RFC 1071 section 1).
            assert_eq!(checksum(protocol, EDGE, CLOUD, &after[20..]), 0);
        }
        assert_eq!(hit.len(), 4, "every byte after the eighth is hit at times");
        assert_eq!(faults.counts(), [count(200, 200)]);
    }
}

#[test]
fn what_does_not_match_is_left_alone() {
    let mut faults = Faults::new(&[rule(Fault::FlipBit { from_byte: 20 }, &[0])], 1);
    let mut fragment = packet(UDP, 1, 40);
    fragment[6] = 0x20;
    for (direction, packet) in [
        (Direction::Down, packet(UDP, 1, 40)),
        (Direction::Up, packet(TCP, 1, 40)),
        (Direction::Up, packet(UDP, 1, 20)),
        (Direction::Up, fragment),
        (Direction::Up, vec![0x45; 11]),
    ] {
        assert_eq!(faults.judge(direction, &packet), None);
    }
    assert_eq!(faults.counts(), [count(0, 0)]);
    assert!(faults.judge(Direction::Up, &packet(UDP, 1, 21)).is_some());
    let small = Faults::new(&[rule(Fault::Drop, &[0])], 1).judge(Direction::Up, &packet(UDP, 1, 9));
    assert_eq!(small, None, "below the least payload");
}

#[test]
fn a_share_strikes_its_share_and_the_seed_decides_which() {
    let spec = |share| FaultSpec {
        strikes: Strikes::Ratio { share: Ratio::new(share).unwrap() },
        ..rule(Fault::Drop, &[])
    };
    let struck = |rules: &[FaultSpec], seed| {
        let mut faults = Faults::new(rules, seed);
        let datagram = packet(UDP, 0, 10);
        (0..10_000).map(|_| faults.judge(Direction::Up, &datagram).is_some()).collect::<Vec<_>>()
    };
    let first = struck(&[spec(0.1)], 1);
    assert_eq!(first, struck(&[spec(0.1)], 1));
    assert_ne!(first, struck(&[spec(0.1)], 2));
    // Standard deviation 30.
    let times = first.iter().filter(|struck| **struck).count();
    assert!(times.abs_diff(1_000) < 120, "{times}");
    // Each rule draws independently: two rules with the same share do not strike the same packets.
    assert!(struck(&[spec(0.1), spec(0.1)], 1).iter().filter(|s| **s).count() > times + 700);
}

#[test]
fn without_rules_nothing_is_touched() {
    let mut faults = Faults::new(&[], 1);
    assert!(faults.is_empty());
    assert_eq!(numbers(&mut faults, 3), [0, 1, 2]);
    assert_eq!(faults.next_release_ns(), None);
}

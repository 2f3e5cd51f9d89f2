//! QUIC, compared with the faults that the link injected: streams repair all of them, datagrams are lost with their packets.

use wiredyno_link::spec::{Direction, Fault, FaultProtocol, LinkSpec};
use wiredyno_model::trial::Delivery;

use crate::faults::{FLIP, delayed, rule, share, stream_faults, with};
use crate::full;
use crate::stage::{Order, Staged, carry_out};

/// Without the library's probes for larger packets, so that each packet of 100 bytes and more contains a message while messages are measured.
const NO_PROBES: &str = "mtu_discovery = false";

/// A flip in both directions: the packet's tag is wrong, so it is discarded.
fn flipped() -> LinkSpec {
    let of = |direction| rule(FLIP, direction, FaultProtocol::Udp, share(0.05));
    with(delayed(), [of(Direction::Up), of(Direction::Down)])
}

/// What is dropped, duplicated, delayed or damaged on the way is neither lost nor duplicated nor corrupted, and out of order only if
/// each message has its own stream.
pub fn streams_repair_everything() {
    let mut rows = stream_faults(FaultProtocol::Udp);
    rows.push(("flip a bit", flipped()));
    let messages = if full() { 1_000 } else { 150 };
    for streams in ["one", "each"] {
        let order = |(_, link): &(&str, LinkSpec)| Order {
            interval: "5ms".to_owned(),
            drain: "20s".to_owned(),
            options: format!("streams = \"{streams}\"\n{NO_PROBES}"),
            ..Order::new("quic:stream", messages, link)
        };
        let outcomes = carry_out(&rows.iter().map(order).collect::<Vec<_>>());
        for ((name, _), outcome) in rows.iter().zip(&outcomes) {
            let injected = outcome.injected();
            assert!(injected.iter().any(|count| *count > 0), "{streams}, {name}: {injected:?}");
            let delivery = outcome.delivery();
            let reordered = if streams == "each" { delivery.reordered } else { Some(0) };
            let sent = u64::from(messages);
            let expected = Delivery { sent, delivered: sent, reordered, ..Delivery::default() };
            assert_eq!(Delivery { late: Some(0), ..delivery }, expected, "{streams}, {name}: {injected:?}");
        }
    }
}

/// Packets with messages that a fault dropped while messages were measured: those from publishers up, and to subscribers.
fn dropped(outcome: &Staged) -> u64 {
    let flows = outcome.counters.flows.iter();
    flows
        .flat_map(|flow| [flow.tallies.up.measure, flow.tallies.down.measure])
        .map(|way| way.dropped_fault.packets)
        .sum()
}

/// Nothing is repeated, copies are recognised by their packets' numbers, and damage by the tag. A packet may hold several messages if
/// the publisher was not scheduled for a while, so that as many are lost as packets or a few more.
pub fn datagrams_are_lost_with_their_packets() {
    let both = |fault: Fault, ratio| {
        let of = |direction| rule(fault, direction, FaultProtocol::Udp, share(ratio));
        with(delayed(), [of(Direction::Up), of(Direction::Down)])
    };
    let rows = [
        ("no fault", delayed()),
        ("drop", both(Fault::Drop, 0.05)),
        ("duplicate", both(Fault::Duplicate, 0.1)),
        ("flip a bit", flipped()),
    ];
    let order = |(_, link): &(&str, LinkSpec)| Order {
        options: NO_PROBES.to_owned(),
        ..Order::new("quic:datagram", 300, link)
    };
    let outcomes = carry_out(&rows.iter().map(order).collect::<Vec<_>>());
    for ((name, link), outcome) in rows.iter().zip(&outcomes) {
        let injected = outcome.injected();
        assert!(link.faults.is_empty() || injected.iter().any(|count| *count > 0), "{name}: {injected:?}");
        let delivery = Delivery { late: Some(0), ..outcome.delivery() };
        let (lost, dropped) = (delivery.lost, dropped(outcome));
        let expected = Delivery { sent: 300, delivered: 300 - lost, lost, ..Delivery::default() };
        assert_eq!(delivery, expected, "{name}: injected {injected:?}");
        match *name {
            // This many messages of a hundred bytes fit into a packet, and a busy machine combines them.
            "drop" => assert!(dropped > 0 && (dropped..=12 * dropped).contains(&lost), "{lost}, {dropped}"),
            "flip a bit" => assert!(lost > 0, "{name}: {injected:?}"),
            _ => assert_eq!(lost, 0, "{name}: {link:?}"),
        }
    }
}

//! Delivery counts, compared with the faults that the link injected.

use wiredyno_contract::{Ratio, Span};
use wiredyno_link::spec::{Direction, Fault, FaultProtocol, FaultSpec, LinkSpec, LossSpec, Strikes};
use wiredyno_model::trial::Delivery;

use crate::full;
use crate::stage::{Order, Staged, carry_out, seeds};

const MS: u64 = 1_000_000;
/// After the sequence, which takes the first eight bytes of a body, and what precedes the body: nothing
/// (udp), four bytes of length (tcp), up to 24 bytes of MQTT's header and topic or CoAP's header and options.
const BEHIND_SEQUENCE: u32 = 40;
/// CoAP with first waits of 50 to 75 ms instead of 2 to 3 s, and more repeats than chance uses up in these tests.
pub const QUICK: &str = "ack_timeout = \"50ms\"\nmax_retransmit = 8";
const REORDER: Fault = Fault::Reorder { behind: 3, at_most: Span { ns: 40 * MS } };
/// Holds a packet up for half of the drain, as no packet overtakes the last one.
const HELD_UP: Fault = Fault::Reorder { behind: 1_000, at_most: Span { ns: 500 * MS } };
pub const FLIP: Fault = Fault::FlipBit { from_byte: BEHIND_SEQUENCE };

pub fn delayed() -> LinkSpec {
    let mut link = LinkSpec::unshaped();
    (link.up.delay, link.down.delay) = (Span { ns: 2 * MS }, Span { ns: 2 * MS });
    link
}

pub fn share(ratio: f64) -> Strikes {
    Strikes::Ratio { share: Ratio::new(ratio).unwrap() }
}

pub fn rule(fault: Fault, direction: Direction, protocol: FaultProtocol, strikes: Strikes) -> FaultSpec {
    // A message's packets and nothing else: no greeting, no acknowledgement.
    FaultSpec { fault, direction, protocol, least_payload_bytes: 100, strikes }
}

pub fn with(mut link: LinkSpec, rules: impl IntoIterator<Item = FaultSpec>) -> LinkSpec {
    link.faults = rules.into_iter().collect();
    link
}

/// A row of the table for `udp` and one-datagram `coap:non`: the link, and the expected delivery, from the injected faults (in the order
/// of the rules) and the packets that loss took, and nothing else.
struct Row {
    name: &'static str,
    link: LinkSpec,
    expected: fn(injected: &[u64], lost_up_and_down: u64) -> Delivery,
}

#[expect(clippy::too_many_lines, reason = "a table, a row for each fault")]
fn datagram_rows() -> Vec<Row> {
    use Direction::{Down, Up};
    let of = |fault, direction, strikes| rule(fault, direction, FaultProtocol::Udp, strikes);
    let both = |fault| [of(fault, Up, share(0.05)), of(fault, Down, share(0.05))];
    let numbers = |numbers: &[u64]| Strikes::Packets { numbers: numbers.to_vec() };
    let damage = [Fault::Drop, Fault::Duplicate, REORDER, FLIP];
    let bursts = LossSpec::GilbertElliott {
        p: Ratio::new(0.02).unwrap(),
        r: Ratio::new(0.3).unwrap(),
        loss_good: Ratio::default(),
        loss_bad: Ratio::new(1.0).unwrap(),
    };
    let mut bursty = delayed();
    bursty.down.loss = bursts;
    vec![
        Row {
            name: "no faults: everything arrives once, in order",
            link: delayed(),
            expected: |_, _| Delivery::default(),
        },
        Row {
            name: "drops in both directions are lost",
            link: with(delayed(), both(Fault::Drop)),
            expected: |i, _| Delivery { lost: i[0] + i[1], ..Delivery::default() },
        },
        Row {
            name: "the first and the last message, by their numbers",
            link: with(delayed(), [of(Fault::Drop, Up, numbers(&[0, 299]))]),
            expected: |i, _| {
                assert_eq!(i, [2]);
                Delivery { lost: 2, ..Delivery::default() }
            },
        },
        Row {
            name: "copies are duplicates, upward",
            link: with(delayed(), [of(Fault::Duplicate, Up, share(0.1))]),
            expected: |i, _| Delivery { duplicated: Some(i[0]), ..Delivery::default() },
        },
        Row {
            name: "copies are duplicates, downward",
            link: with(delayed(), [of(Fault::Duplicate, Down, share(0.1))]),
            expected: |i, _| Delivery { duplicated: Some(i[0]), ..Delivery::default() },
        },
        Row {
            name: "copies don't replace a message in flight: the last one is held up",
            link: with(
                delayed(),
                [of(Fault::Duplicate, Up, numbers(&[1, 3, 5, 7])), of(HELD_UP, Up, numbers(&[299]))],
            ),
            expected: |i, _| {
                // No packet overtakes it, so nothing is out of order.
                assert_eq!(i, [4, 0]);
                Delivery { duplicated: Some(4), ..Delivery::default() }
            },
        },
        Row {
            name: "packets that others pass are reordered, upward",
            link: with(delayed(), [of(REORDER, Up, share(0.1))]),
            expected: |i, _| Delivery { reordered: Some(i[0]), ..Delivery::default() },
        },
        Row {
            name: "packets that others pass are reordered, downward",
            link: with(delayed(), [of(REORDER, Down, share(0.1))]),
            expected: |i, _| Delivery { reordered: Some(i[0]), ..Delivery::default() },
        },
        Row {
            name: "a flipped bit is a corrupted arrival and a lost message, in both directions",
            link: with(delayed(), [of(FLIP, Up, share(0.1)), of(FLIP, Down, numbers(&[1_000]))]),
            expected: |i, _| Delivery { corrupted: i[0] + i[1], lost: i[0] + i[1], ..Delivery::default() },
        },
        Row {
            name: "all four at once",
            link: with(delayed(), damage.map(|fault| of(fault, Up, share(0.05)))),
            expected: |i, _| Delivery {
                lost: i[0] + i[3],
                duplicated: Some(i[1]),
                reordered: Some(i[2]),
                corrupted: i[3],
                ..Delivery::default()
            },
        },
        Row {
            name: "drops and corruption add to the link's own loss",
            link: with(
                delayed().with_loss(0.05),
                [of(Fault::Drop, Up, share(0.05)), of(FLIP, Down, share(0.05))],
            ),
            expected: |i, lost| Delivery { lost: lost + i[0] + i[1], corrupted: i[1], ..Delivery::default() },
        },
        Row {
            name: "losses in bursts and copies, downward",
            link: with(bursty, [of(Fault::Duplicate, Down, share(0.1))]),
            expected: |i, lost| Delivery { lost, duplicated: Some(i[0]), ..Delivery::default() },
        },
    ]
}

/// Packets with messages that the link's loss took: those that publishers send up and subscribers are sent. CoAP's
/// server answers publishers too, which is no message; a subscriber sends nothing while messages are measured.
fn lost_datagrams(outcome: &Staged) -> u64 {
    let udp = outcome.counters.flows.iter().filter(|flow| flow.protocol == 17);
    udp.map(|flow| {
        let (up, down) = (flow.tallies.up.measure, flow.tallies.down.measure);
        if up.entered.packets > 0 { up.dropped_loss.packets } else { down.dropped_loss.packets }
    })
    .sum()
}

/// What the link injected equals what was counted; nothing is late, nothing is unaccounted for.
pub fn datagrams(mode: &str, options: &str) {
    for seed in seeds(if full() { 5 } else { 1 }) {
        let mut rows = datagram_rows();
        // `udp` shows the effect of each fault on a datagram: here, that CoAP's non-confirmable messages are datagrams.
        if mode != "udp" && !full() {
            rows.drain(1..rows.len() - 3);
        }
        let order =
            |row: &Row| Order { seed, options: options.to_owned(), ..Order::new(mode, 300, &row.link) };
        let outcomes = carry_out(&rows.iter().map(order).collect::<Vec<_>>());
        for (row, outcome) in rows.iter().zip(&outcomes) {
            let injected = outcome.injected();
            let expected = (row.expected)(&injected, lost_datagrams(outcome));
            let expected = Delivery { sent: 300, delivered: 300 - expected.lost, ..expected };
            let delivery = Delivery { late: Some(0), ..outcome.delivery() };
            assert_eq!(delivery, expected, "{mode}, {} (seed {seed}): injected {injected:?}", row.name);
            let struck = row.link.faults.iter().zip(&injected);
            let random = struck.filter(|(rule, _)| matches!(rule.strikes, Strikes::Ratio { .. }));
            assert!(random.clone().all(|(_, count)| *count > 0), "{mode}, {}: {injected:?}", row.name);
        }
    }
}

/// Messages of no bytes are all alike: only their exact number is reported, unless the plan ensures that each has arrived before the
/// next is sent.
pub fn without_bytes() {
    let drop = FaultSpec {
        least_payload_bytes: 0,
        ..rule(Fault::Drop, Direction::Up, FaultProtocol::Udp, Strikes::Packets { numbers: vec![3, 9] })
    };
    let order = Order { body_bytes: 0, ..Order::new("udp", 10, &with(delayed(), [drop])) };
    let apart = Order { interval: "400ms".to_owned(), drain: "100ms".to_owned(), ..order.clone() };
    for (order, counted) in [(order, true), (apart, false)] {
        let outcome = carry_out(std::slice::from_ref(&order)).remove(0);
        assert_eq!(outcome.injected(), [2]);
        let told = (!counted).then_some(0);
        let expected = Delivery {
            sent: 10,
            delivered: 8,
            lost: 2,
            late: told,
            duplicated: told,
            reordered: told,
            ..Delivery::default()
        };
        assert_eq!(outcome.delivery(), expected, "{}", order.interval);
        assert_eq!(outcome.record.counted_only.is_some(), counted, "{:?}", outcome.record.counted_only);
        assert_eq!(outcome.received, if counted { 0 } else { 8 });
    }
}

/// How CoAP's own endpoints handle faults beyond that: with de-duplication no copy is delivered, and confirmable
/// messages repair drops (a flipped bit with a correct checksum is beyond CoAP as it is beyond TCP).
///
/// | mode | fault | lost | duplicated | reordered | corrupted |
/// |---|---|---|---|---|---|
/// | `coap:non` | duplicate | 0 | 0 | 0 | 0 |
/// | `coap:con` | drop, duplicate, both | 0 | 0 | 0 | 0 |
/// | `coap:con` | flip a bit upward | injected | 0 | 0 | injected |
pub fn coap_repairs() {
    use Direction::{Down, Up};
    let both =
        |fault, ratio| [Up, Down].map(|direction| rule(fault, direction, FaultProtocol::Udp, share(ratio)));
    let (drop, duplicate) = (both(Fault::Drop, 0.1), both(Fault::Duplicate, 0.1));
    let all: Vec<FaultSpec> = drop.iter().chain(&duplicate).cloned().collect();
    let flip = rule(FLIP, Up, FaultProtocol::Udp, share(0.1));
    let rows = [
        ("coap:non", "duplicate", with(delayed(), duplicate.clone())),
        ("coap:con", "drop", with(delayed(), drop)),
        ("coap:con", "duplicate", with(delayed(), duplicate)),
        ("coap:con", "drop and duplicate", with(delayed(), all)),
        ("coap:con", "flip a bit", with(delayed(), [flip])),
    ];
    let messages = if full() { 1_000 } else { 100 };
    let order = |(mode, _, link): &(&str, &str, LinkSpec)| Order {
        options: QUICK.to_owned(),
        drain: "60s".to_owned(),
        ..Order::new(mode, messages, link)
    };
    let outcomes = carry_out(&rows.iter().map(order).collect::<Vec<_>>());
    for ((mode, name, _), outcome) in rows.iter().zip(&outcomes) {
        let injected = outcome.injected();
        assert!(injected.iter().all(|count| *count > 0), "{mode}, {name}: {injected:?}");
        let damaged = if *name == "flip a bit" { injected[0] } else { 0 };
        let (sent, lost, corrupted) = (u64::from(messages), damaged, damaged);
        let expected = Delivery { sent, delivered: sent - lost, lost, corrupted, ..Delivery::default() };
        let delivery = Delivery { late: Some(0), ..outcome.delivery() };
        assert_eq!(delivery, expected, "{mode}, {name}: injected {injected:?}");
    }
}

/// The faults that a reliable stream repairs, over packets of this protocol: each kind separately, then all of them.
pub fn stream_faults(protocol: FaultProtocol) -> Vec<(&'static str, LinkSpec)> {
    use Direction::{Down, Up};
    let both = |fault, ratio| [Up, Down].map(|direction| rule(fault, direction, protocol, share(ratio)));
    let reorder = Fault::Reorder { behind: 2, at_most: Span { ns: 20 * MS } };
    let (drop, duplicate, reorder) =
        (both(Fault::Drop, 0.04), both(Fault::Duplicate, 0.1), both(reorder, 0.05));
    let all: Vec<FaultSpec> = drop.iter().chain(&duplicate).chain(&reorder).cloned().collect();
    vec![
        ("drop", with(delayed(), drop)),
        ("duplicate", with(delayed(), duplicate)),
        ("reorder", with(delayed(), reorder)),
        ("all of them", with(delayed(), all)),
    ]
}

/// How TCP handles each fault, for every mode that runs over it: TCP repeats what is dropped, discards copies
/// and restores the order, so nothing is lost, duplicated or reordered. A flipped bit with a correct checksum
/// is beyond it: the application gets it, and what was not repeated can't be repaired.
///
/// | fault | lost | duplicated | reordered | corrupted |
/// |---|---|---|---|---|
/// | drop, duplicate, reorder, all of them | 0 | 0 | 0 | 0 |
/// | flip a bit | injected | 0 | 0 | injected |
///
/// A segment that TCP repeats unnecessarily (its probes fire when a process was not scheduled) goes over the link twice, and
/// a bit that is flipped in the copy is never read: fewer can then be lost and corrupted, but never more.
pub fn stream(mode: &str) {
    // One message per segment, and none that is repeated, so that the flip hits a body that is read.
    let flip = [rule(FLIP, Direction::Up, FaultProtocol::Tcp, share(0.1))];
    let mut rows = stream_faults(FaultProtocol::Tcp);
    // `tcp` shows how TCP handles each fault separately.
    if mode != "tcp" && !full() {
        rows.drain(..rows.len() - 1);
    }
    rows.push(("flip a bit", with(delayed(), flip)));
    let messages = if full() { 2_000 } else { 150 };
    for seed in seeds(if full() { 3 } else { 1 }) {
        let order = |(_, link): &(&str, LinkSpec)| Order {
            interval: "5ms".to_owned(),
            drain: "20s".to_owned(),
            seed,
            ..Order::new(mode, messages, link)
        };
        let outcomes = carry_out(&rows.iter().map(order).collect::<Vec<_>>());
        for ((name, _), outcome) in rows.iter().zip(&outcomes) {
            let injected = outcome.injected();
            // The number of segments that can be hit depends on TCP: on a busy machine it puts many messages into each.
            assert!(injected.iter().any(|count| *count > 0), "{mode}, {name}: {injected:?}");
            let delivery = Delivery { late: Some(0), ..outcome.delivery() };
            let damaged = if *name == "flip a bit" { injected[0] } else { 0 };
            let unread = (damaged - delivery.corrupted.min(damaged)).min(repeated_upward(outcome));
            let (sent, lost) = (u64::from(messages), damaged - unread);
            let expected =
                Delivery { sent, delivered: sent - lost, lost, corrupted: lost, ..Delivery::default() };
            assert_eq!(delivery, expected, "{mode}, {name} (seed {seed}): injected {injected:?}");
        }
    }
}

/// Modes that brokers other than mosquitto serve. Flipped bits are not tested there: Kafka's batches have a checksum, and
/// in AMQP's frames the end marker may be hit.
pub const OF_BROKERS: [&str; 9] = [
    "mqtt5:qos1",
    "mqtt5:qos2",
    "amqp-0-9-1:auto-ack",
    "amqp-0-9-1:manual-ack",
    "amqp-1-0:settled",
    "amqp-1-0:unsettled",
    "kafka:acks-0",
    "kafka:acks-1",
    "kafka:idempotent",
];

/// Drops, copies and reordering on the link lose nothing, duplicate nothing, reorder nothing: each separately in the long form.
pub fn stream_of_broker(mode: &str) {
    let rows = stream_faults(FaultProtocol::Tcp);
    let rows = if full() { &rows[..] } else { &rows[rows.len() - 1..] };
    let messages = if full() { 1_000 } else { 150 };
    let order = |(_, link): &(&str, LinkSpec)| Order {
        interval: "5ms".to_owned(),
        drain: "20s".to_owned(),
        ..Order::new(mode, messages, link)
    };
    let outcomes = carry_out(&rows.iter().map(order).collect::<Vec<_>>());
    for ((name, _), outcome) in rows.iter().zip(&outcomes) {
        let injected = outcome.injected();
        // The number of packets that can be hit depends on the client: on a busy machine it puts many messages into each.
        assert!(injected.iter().any(|count| *count > 0), "{mode}, {name}: {injected:?}");
        let delivery = Delivery { late: Some(0), ..outcome.delivery() };
        let sent = u64::from(messages);
        let expected = Delivery { sent, delivered: sent, ..Delivery::default() };
        assert_eq!(delivery, expected, "{mode}, {name}: injected {injected:?}");
    }
}

/// Segments that went up twice while messages were measured.
fn repeated_upward(outcome: &Staged) -> u64 {
    let tcp = outcome.counters.flows.iter().filter(|flow| flow.is_tcp());
    tcp.map(|flow| flow.tallies.up.measure.retransmitted.packets).sum()
}

//! The parts of the time of each message, over a lossy link, with several messages in flight.

use wiredyno_conducting::observe::message_value;
use wiredyno_contract::{Ratio, Span};
use wiredyno_link::spec::{LinkSpec, LossSpec};
use wiredyno_model::Hosts;
use wiredyno_store::MessageTrial;

use crate::faults::QUICK;
use crate::stage::{self, Order, Staged, carry_out};

const DELAY_NS: i64 = 10_000_000;
const MESSAGES: u32 = 100;

const PARTS: [&str; 8] = [
    "schedule_lag",
    "build_time",
    "encode_time",
    "publisher_queue_time",
    "publisher_network_time",
    "broker_time",
    "subscriber_network_time",
    "subscriber_queue_time",
];

/// A mode, its options, the length of a body, and whether lost messages are repeated.
type Row = (&'static str, &'static str, u32, bool);

const WITHOUT_BROKERS: [Row; 5] = [
    ("tcp", "", 2_000, true),
    ("udp", "", 100, false),
    ("coap:con", QUICK, 100, true),
    ("coap:con", QUICK, 2_000, true),
    ("dds:reliable", "", 100, true),
];

const OF_BROKERS: [Row; 5] = [
    ("mqtt:qos1", "", 100, true),
    ("mqtt5:qos1", "", 3_000, true),
    ("amqp-0-9-1:manual-ack", "", 3_000, true),
    ("amqp-1-0:unsettled", "", 100, true),
    ("kafka:acks-1", "", 100, true),
];

/// Modes that need no broker.
pub fn without_brokers() {
    add_up_with_losses(&WITHOUT_BROKERS);
}

/// Modes over the brokers that are installed.
pub fn of_brokers() {
    add_up_with_losses(&OF_BROKERS);
}

fn lossy() -> LinkSpec {
    let mut link = LinkSpec::unshaped();
    for way in [&mut link.up, &mut link.down] {
        way.delay = Span { ns: DELAY_NS.unsigned_abs() };
        way.loss = LossSpec::Independent { share: Ratio::new(0.05).unwrap() };
    }
    link
}

/// The crossing of every message that arrives is known, its parts add up to its latency, and losses show as the network's.
fn add_up_with_losses(rows: &[Row]) {
    let rows: Vec<Row> = rows
        .iter()
        .copied()
        .filter(|(mode, ..)| stage::served(mode.split(':').next().unwrap_or(mode)).is_ok())
        .collect();
    let order = |(mode, options, body_bytes, _): &Row| Order {
        options: (*options).to_owned(),
        body_bytes: *body_bytes,
        warmup: 2,
        interval: "4ms".to_owned(),
        drain: if *mode == "udp" { "1s" } else { "60s" }.to_owned(),
        ..Order::new(mode, MESSAGES, &lossy())
    };
    let orders: Vec<Order> = rows.iter().map(order).collect();
    for ((mode, _, body_bytes, repairs), outcome) in rows.iter().zip(carry_out(&orders)) {
        let name = format!("{mode}, {body_bytes} B");
        let delivered = outcome.delivery().delivered;
        assert_eq!(outcome.record.crossed, Some(delivered), "{name}: all that arrived");
        assert!(
            if *repairs { delivered == u64::from(MESSAGES) } else { delivered > 0 },
            "{name}: {delivered}"
        );
        let longest_ns = add_up(&name, outcome);
        // The sender learns of a loss a round trip after it sent at the earliest.
        assert!(!repairs || longest_ns >= 3 * DELAY_NS, "{name}: {longest_ns}");
    }
}

/// The longest time that a message was in the network one way.
fn add_up(name: &str, outcome: Staged) -> i64 {
    let mut longest_ns = 0;
    for message in outcome.messages.into_iter().filter(|message| message.received_ns.is_some()) {
        let crossing = message.crossing.unwrap();
        let ways = [
            (crossing.to_broker_ns, crossing.at_broker_ns),
            (crossing.from_broker_ns, crossing.at_subscriber_ns),
        ];
        let mut stamps = vec![message.encoded_ns];
        for (begin_ns, end_ns) in ways.into_iter().filter_map(|(begin, end)| begin.zip(end)) {
            assert!(end_ns - begin_ns >= DELAY_NS, "{name}: {message:?}");
            longest_ns = longest_ns.max(end_ns - begin_ns);
            stamps.extend([begin_ns, end_ns]);
        }
        stamps.extend(message.received_ns);
        assert!(stamps.is_sorted(), "{name}: {message:?}");
        let trial = MessageTrial { record: outcome.record.clone(), messages: vec![message] };
        let value = |metric: &str| message_value(metric, &trial, &Hosts::default());
        let sum: f64 = PARTS.iter().filter_map(|part| value(part)).sum();
        assert_eq!(Some(sum), value("latency"), "{name}: {message:?}");
    }
    longest_ns
}

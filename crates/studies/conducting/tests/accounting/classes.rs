//! The purpose of bytes, and when messages crossed the link, compared with tshark's dissection and its times of packets.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use wiredyno_link::accounting::{FlowCounters, Phase};
use wiredyno_model::trial::WireClasses;

use crate::faults::delayed;
use crate::stage::{self, Order, Staged, carry_out, carry_out_one_at_a_time};
use crate::stdout;

/// A mode, the layer below and the dissector of its protocol, the fields that give a frame's kind, and the class of a kind.
struct Known {
    mode: &'static str,
    layer: &'static str,
    dissector: &'static str,
    fields: &'static [&'static str],
    class: fn(&[&str]) -> Option<&'static str>,
}

const KNOWN: [Known; 5] = [
    Known { mode: "mqtt:qos2", layer: "tcp.port", dissector: "mqtt", fields: &["mqtt.msgtype"], class: mqtt },
    Known {
        mode: "amqp-0-9-1:manual-ack",
        layer: "tcp.port",
        dissector: "amqp",
        fields: &["amqp.type", "amqp.method.method"],
        class: amqp_0_9_1,
    },
    Known {
        mode: "amqp-1-0:unsettled",
        layer: "tcp.port",
        dissector: "amqp",
        fields: &["amqp.performative"],
        class: amqp_1_0,
    },
    Known {
        mode: "kafka:acks-1",
        layer: "tcp.port",
        dissector: "kafka",
        fields: &["kafka.request_key", "kafka.response_key", "ip.len"],
        class: kafka,
    },
    Known { mode: "coap:con", layer: "udp.port", dissector: "coap", fields: &["coap.code"], class: coap },
];

/// Numbers of the MQTT specifications' table 2.1, as tshark prints them.
fn mqtt(fields: &[&str]) -> Option<&'static str> {
    match fields[0] {
        "3" => Some("message"),
        "4" | "5" | "6" | "7" => Some("acknowledgement"),
        "12" | "13" => Some("keep-alive"),
        _ => None,
    }
}

/// Types of frames; methods of class Basic are the only methods while messages are sent.
fn amqp_0_9_1(fields: &[&str]) -> Option<&'static str> {
    match (fields[0], fields[1]) {
        ("1", "40" | "60") | ("2" | "3", _) => Some("message"),
        ("1", "80") => Some("acknowledgement"),
        ("8", _) => Some("keep-alive"),
        _ => None,
    }
}

fn amqp_1_0(fields: &[&str]) -> Option<&'static str> {
    match fields[0] {
        "20" => Some("message"),
        "19" | "21" => Some("acknowledgement"),
        "" => Some("keep-alive"),
        _ => None,
    }
}

/// An answer to a fetch without records is shorter than a message of 1,000 bytes.
fn kafka(fields: &[&str]) -> Option<&'static str> {
    let bytes: u32 = fields[2].parse().ok()?;
    match (fields[0], fields[1]) {
        ("0", _) => Some("message"),
        ("1", _) | (_, "0") => Some("acknowledgement"),
        (_, "1") => Some(if bytes > 1_000 { "message" } else { "keep-alive" }),
        ("12", _) | (_, "12") => Some("keep-alive"),
        // The broker sends the head of an answer before its records; tshark reports both for the packet that the second one ends.
        ("", "") if bytes > 100 => Some("message"),
        _ => None,
    }
}

/// Codes: 0 empty, 2 and 3 POST and PUT, 68 and 95 answers without a body, 69 Content.
fn coap(fields: &[&str]) -> Option<&'static str> {
    match fields[0] {
        "2" | "3" | "69" => Some("message"),
        "0" | "68" | "95" | "65" => Some("acknowledgement"),
        _ => None,
    }
}

/// A frame of the measured phase.
struct Frame {
    at_unix_ns: u64,
    bytes: u64,
    up: bool,
    class: Option<&'static str>,
}

fn dissected(capture: &Path, known: &Known, outcome: &Staged) -> Vec<Frame> {
    let mut command = Command::new("tshark");
    let measured_bytes = |flow: &&FlowCounters| flow.tallies.up.measure.entered.bytes;
    let port = outcome.counters.flows.iter().max_by_key(measured_bytes).unwrap().cloud.port();
    let decode = format!("{}=={port},{}", known.layer, known.dissector);
    command.arg("-r").arg(capture).args(["-d", &decode, "-T", "fields"]);
    // If a packet has several frames, the first one counts.
    command.args(["-E", "occurrence=f", "-E", "separator=|", "-Y", "tcp || udp"]);
    let common = ["frame.time_epoch", "frame.len", "frame.interface_name", "tcp.len"];
    for field in common.iter().chain(known.fields) {
        command.args(["-e", field]);
    }
    let at = |phase| outcome.counters.marks.iter().find(|mark| mark.phase == phase).unwrap().at_unix_ns;
    let measured = at(Phase::Measure)..at(Phase::Teardown);
    let frame = |line: &str| {
        let fields: Vec<&str> = line.split('|').collect();
        let (seconds, fraction) = fields[0].split_once('.').unwrap();
        let at_unix_ns = format!("{seconds}{fraction:0<9}").parse().unwrap();
        let bare = fields[3] == "0";
        Frame {
            at_unix_ns,
            bytes: fields[1].parse().unwrap(),
            up: fields[2] == "up",
            class: if bare { Some("transport") } else { (known.class)(&fields[4..]) },
        }
    };
    let text = stdout(command.stderr(Stdio::null()));
    text.lines().map(frame).filter(|frame| measured.contains(&frame.at_unix_ns)).collect()
}

fn by_name(classes: &WireClasses) -> BTreeMap<&'static str, u64> {
    let WireClasses { message, acknowledgement, keep_alive, set_up, transport, retransmitted, unread } =
        *classes;
    let all = [
        ("message", message),
        ("acknowledgement", acknowledgement),
        ("keep-alive", keep_alive),
        ("set-up", set_up),
        ("transport", transport),
        ("retransmitted", retransmitted),
        ("unread", unread),
    ];
    all.into_iter().filter(|(_, bytes)| *bytes > 0).collect()
}

/// One message at a time, smaller than a segment, so that each packet holds one frame, or several of one kind.
pub fn classes_and_crossings_equal_tsharks() {
    let folder = tempfile::tempdir().unwrap();
    let known: Vec<&Known> =
        KNOWN.iter().filter(|known| stage::served(known.mode.split(':').next().unwrap()).is_ok()).collect();
    let orders: Vec<Order> = known
        .iter()
        .map(|known| Order {
            body_bytes: 1_000,
            warmup: 2,
            interval: "120ms".to_owned(),
            drain: "20s".to_owned(),
            capture: Some(folder.path().join(format!("{}.pcapng", known.mode.replace(':', "-")))),
            ..Order::new(known.mode, 12, &delayed())
        })
        .collect();
    for ((known, order), outcome) in known.iter().zip(&orders).zip(&carry_out_one_at_a_time(&orders)) {
        let frames = dissected(order.capture.as_ref().unwrap(), known, outcome);
        let measure = outcome.record.wire.unwrap().measure;
        for (up, count) in [(true, measure.up), (false, measure.down)] {
            let mut theirs: BTreeMap<&str, u64> = BTreeMap::new();
            for frame in frames.iter().filter(|frame| frame.up == up) {
                *theirs.entry(frame.class.unwrap_or("another")).or_default() += frame.bytes;
            }
            let ours = by_name(&count.classes.unwrap());
            assert_eq!(ours, theirs, "{}: up: {up}", known.mode);
            assert_eq!(ours.values().sum::<u64>(), count.bytes, "{}: together they are all", known.mode);
        }
        crossings_equal_tsharks(known.mode, &frames, outcome);
    }
}

/// Without a broker a message crosses once: bytes of a message go one way only, and the parts of its time are the publisher's queue, the
/// network, and the subscriber's queue.
pub fn a_message_between_peers_crosses_once() {
    let order = Order {
        body_bytes: 1_000,
        warmup: 2,
        interval: "60ms".to_owned(),
        drain: "20s".to_owned(),
        subscriber: "cloud".to_owned(),
        broker: "peer".to_owned(),
        ..Order::new("amqp-1-0:unsettled", 12, &delayed())
    };
    let outcome = carry_out(&[order]).remove(0);
    assert_eq!((outcome.delivery().delivered, outcome.delivery().lost), (12, 0));
    let used = outcome.record.broker.as_ref().unwrap();
    assert!(used.id == "peer" && outcome.record.roles.broker.is_none(), "{used:?}");
    let measure = outcome.record.wire.unwrap().measure;
    let [up, down] = [measure.up, measure.down].map(|way| way.classes.unwrap());
    assert!(up.message > 12_000 && up.message < 13_500 + 12 * 66, "{up:?}");
    assert_eq!((down.message, up.unread, down.unread), (0, 0, 0));
    assert!(down.acknowledgement > 0, "dispositions");
    assert!(outcome.crossings.len() >= 10, "{} of 12 crossings known", outcome.crossings.len());
    for (encoded_ns, crossing, received_ns) in &outcome.crossings {
        let stamps = [Some(*encoded_ns), crossing.to_broker_ns, crossing.at_broker_ns, Some(*received_ns)];
        assert!(stamps.map(Option::unwrap).is_sorted(), "{crossing:?}");
        assert_eq!((crossing.from_broker_ns, crossing.at_subscriber_ns), (None, None));
    }
}

/// The first message frame of each direction after a message's encoding is its own, as no messages overlap.
fn crossings_equal_tsharks(mode: &str, frames: &[Frame], outcome: &Staged) {
    let mark = &outcome.counters.marks[0];
    let unix_ns = |at_ns: i64| at_ns.unsigned_abs() + (mark.at_unix_ns - mark.at_ns);
    // Kafka's client and the broker may join messages if the machine was busy: then some overlap.
    assert!(outcome.crossings.len() >= 10, "{mode}: {} of 12 crossings known", outcome.crossings.len());
    for (encoded_ns, crossing, received_ns) in &outcome.crossings {
        let stamps = [
            crossing.to_broker_ns,
            crossing.at_broker_ns,
            crossing.from_broker_ns,
            crossing.at_subscriber_ns,
        ];
        let stamps = stamps.map(Option::unwrap);
        assert!(
            *encoded_ns <= stamps[0] && stamps.is_sorted() && stamps[3] <= *received_ns,
            "{mode}: {stamps:?}"
        );
        // The link's delay is in both directions.
        assert!(
            stamps[1] - stamps[0] >= 2_000_000 && stamps[3] - stamps[2] >= 2_000_000,
            "{mode}: {stamps:?}"
        );
        for (up, at_ns) in [(true, stamps[0]), (false, stamps[2])] {
            let mut carrying = frames.iter().filter(|frame| frame.up == up && frame.class == Some("message"));
            let theirs = carrying.find(|frame| frame.at_unix_ns >= unix_ns(*encoded_ns)).unwrap();
            // tshark prints nanoseconds as they are in the capture.
            assert_eq!(theirs.at_unix_ns, unix_ns(at_ns), "{mode}: up: {up}");
        }
    }
}

//! DDS, whose messages go directly from publisher to subscriber: how its readers handle faults, and the purpose of its datagrams.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use wiredyno_contract::{Ratio, Span};
use wiredyno_link::accounting::Phase;
use wiredyno_link::spec::{Direction, Fault, FaultProtocol, FaultSpec, LinkSpec, Strikes};
use wiredyno_model::trial::Delivery;

use crate::faults::delayed;
use crate::stage::{Order, Staged, carry_out};
use crate::{full, stdout};

/// The rules hit datagrams of at least this size: samples of these bodies, and no discovery.
const BODY_BYTES: u32 = 1_000;

fn upward(fault: Fault, strikes: Strikes) -> FaultSpec {
    FaultSpec {
        fault,
        direction: Direction::Up,
        protocol: FaultProtocol::Udp,
        least_payload_bytes: BODY_BYTES,
        strikes,
    }
}

fn with(rules: impl IntoIterator<Item = FaultSpec>) -> LinkSpec {
    LinkSpec { faults: rules.into_iter().collect(), ..delayed() }
}

fn share(ratio: f64) -> Strikes {
    Strikes::Ratio { share: Ratio::new(ratio).unwrap() }
}

fn of(mode: &str, messages: u32, link: &LinkSpec) -> Order {
    Order {
        body_bytes: BODY_BYTES,
        warmup: 2,
        interval: "10ms".to_owned(),
        ..Order::new(mode, messages, link)
    }
}

/// Dropped, duplicated and overtaken samples, whole and in fragments: everything arrives once, in order.
pub fn reliable() {
    let reorder = Fault::Reorder { behind: 2, at_most: Span { ns: 20_000_000 } };
    let all = [Fault::Drop, Fault::Duplicate, reorder].map(|fault| upward(fault, share(0.1)));
    let messages = if full() { 1_000 } else { 100 };
    let orders = [BODY_BYTES, 6_000].map(|body_bytes| Order {
        body_bytes,
        drain: "30s".to_owned(),
        ..of("dds:reliable", messages, &with(all.clone()))
    });
    for (order, outcome) in orders.iter().zip(carry_out(&orders)) {
        let injected = outcome.injected();
        assert!(injected.iter().all(|count| *count > 0), "{injected:?}");
        let sent = u64::from(messages);
        let expected = Delivery { sent, delivered: sent, ..Delivery::default() };
        let delivery = Delivery { late: Some(0), ..outcome.delivery() };
        assert_eq!(delivery, expected, "{} bytes: injected {injected:?}", order.body_bytes);
        // Heartbeats are dropped too, which are not repeated, and a repeat may carry several samples.
        let repeated = outcome.record.wire.unwrap().measure.up.retransmitted_packets;
        assert!(repeated > 0, "no repeats of {} packets that were dropped", injected[0]);
    }
}

/// A dropped datagram loses the sample that it holds, or of which it holds a fragment; copies are discarded.
pub fn best_effort() {
    let numbers = |numbers: &[u64]| Strikes::Packets { numbers: numbers.to_vec() };
    // Samples of 6,000 bytes in five datagrams: 20 and 22 belong to one sample, 41 to another.
    let rows = [
        ("drop", BODY_BYTES, with([upward(Fault::Drop, share(0.1))]), None),
        ("drop fragments", 6_000, with([upward(Fault::Drop, numbers(&[20, 22, 41]))]), Some(2)),
        ("duplicate", BODY_BYTES, with([upward(Fault::Duplicate, share(0.1))]), Some(0)),
    ];
    let messages = if full() { 1_000 } else { 100 };
    let order = |(_, body_bytes, link, _): &(&str, u32, LinkSpec, Option<u64>)| Order {
        body_bytes: *body_bytes,
        warmup: 0,
        ..of("dds:best-effort", messages, link)
    };
    let outcomes = carry_out(&rows.iter().map(order).collect::<Vec<_>>());
    for ((name, _, _, lost), outcome) in rows.iter().zip(&outcomes) {
        let injected = outcome.injected();
        assert!(injected[0] > 0, "{name}");
        let (sent, lost) = (u64::from(messages), lost.unwrap_or(injected[0]));
        let expected = Delivery { sent, delivered: sent - lost, lost, ..Delivery::default() };
        let delivery = Delivery { late: Some(0), ..outcome.delivery() };
        assert_eq!(delivery, expected, "{name}: injected {injected:?}");
    }
}

/// The class of a datagram, from the ids of its submessages and the kinds of writers as tshark prints them.
fn class(ids: &str, writers: &str) -> &'static str {
    let users: Vec<bool> = writers.split(',').map(|id| parsed(id) & 0xc0 == 0).collect();
    let data = ids.split(',').any(|id| matches!(parsed(id), 0x15 | 0x16));
    match (data, users.first()) {
        (true, _) if users.contains(&true) => "message",
        (_, Some(true)) => "acknowledgement",
        _ if writers.split(',').all(|id| parsed(id) == 0x0000_02c2) => "keep-alive",
        _ => "set-up",
    }
}

fn parsed(number: &str) -> u32 {
    match number.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).unwrap(),
        None => number.parse().unwrap(),
    }
}

/// Bytes by class in one direction while messages were measured.
fn dissected(capture: &Path, outcome: &Staged, way: &str) -> BTreeMap<&'static str, u64> {
    let mut command = Command::new("tshark");
    command.arg("-r").arg(capture).args(["-T", "fields", "-E", "separator=|", "-Y", "rtps"]);
    for field in ["frame.time_epoch", "frame.len", "frame.interface_name", "rtps.sm.id", "rtps.sm.wrEntityId"]
    {
        command.args(["-e", field]);
    }
    let at = |phase| outcome.counters.marks.iter().find(|mark| mark.phase == phase).unwrap().at_unix_ns;
    let measured = at(Phase::Measure)..at(Phase::Teardown);
    let mut sums = BTreeMap::new();
    for line in stdout(command.stderr(Stdio::null())).lines() {
        let fields: Vec<&str> = line.split('|').collect();
        let [time, bytes, interface, ids, writers] = fields[..] else { panic!("tshark printed {line}") };
        let (seconds, fraction) = time.split_once('.').unwrap();
        let at_unix_ns: u64 = format!("{seconds}{fraction:0<9}").parse().unwrap();
        if interface == way && measured.contains(&at_unix_ns) {
            *sums.entry(class(ids, writers)).or_default() += bytes.parse::<u64>().unwrap();
        }
    }
    sums
}

/// One message at a time. The parts of a message's crossing are the publisher's queue, the network and the subscriber's queue.
pub fn classes() {
    let folder = tempfile::tempdir().unwrap();
    let orders = ["dds:best-effort", "dds:reliable"].map(|mode| Order {
        interval: "60ms".to_owned(),
        drain: "5s".to_owned(),
        capture: Some(folder.path().join(format!("{}.pcapng", mode.replace(':', "-")))),
        ..of(mode, 20, &delayed())
    });
    for (order, outcome) in orders.iter().zip(carry_out(&orders)) {
        let mode = &order.mode;
        assert_eq!((outcome.delivery().delivered, outcome.delivery().lost), (20, 0), "{mode}");
        let used = outcome.record.broker.as_ref().unwrap();
        assert!(used.id == "peer" && outcome.record.roles.broker.is_none(), "{mode}: {used:?}");
        let measure = outcome.record.wire.unwrap().measure;
        for (way, count) in [("up", measure.up), ("down", measure.down)] {
            let theirs = dissected(order.capture.as_ref().unwrap(), &outcome, way);
            let ours = count.classes.unwrap();
            let ours = [
                ("message", ours.message),
                ("acknowledgement", ours.acknowledgement),
                ("keep-alive", ours.keep_alive),
                ("set-up", ours.set_up),
                ("transport", ours.transport),
                ("retransmitted", ours.retransmitted),
                ("unread", ours.unread),
            ];
            let ours: BTreeMap<&str, u64> = ours.into_iter().filter(|(_, bytes)| *bytes > 0).collect();
            // Which of a participant's announcements is its first depends on where the measured phase began.
            assert_eq!(announced(&ours), announced(&theirs), "{mode} {way}");
            assert_eq!(ours.values().sum::<u64>(), count.bytes, "{mode} {way}: together they are all");
        }
        let up = measure.up.classes.unwrap();
        assert!(up.message > 20 * u64::from(BODY_BYTES), "{mode}: {up:?}");
        assert_eq!(measure.down.classes.unwrap().message, 0, "{mode}");
        assert!(outcome.record.wire.unwrap().setup.up.bytes > 0, "{mode}: discovery is set-up");
        assert!(outcome.crossings.len() >= 16, "{mode}: {} of 20 crossings known", outcome.crossings.len());
        for (encoded_ns, crossing, received_ns) in &outcome.crossings {
            let stamps =
                [Some(*encoded_ns), crossing.to_broker_ns, crossing.at_broker_ns, Some(*received_ns)];
            assert!(stamps.map(Option::unwrap).is_sorted(), "{mode}: {crossing:?}");
            assert_eq!((crossing.from_broker_ns, crossing.at_subscriber_ns), (None, None), "{mode}");
        }
    }
}

/// The same, with keep-alive and set-up of participants added up.
fn announced<'a>(classes: &BTreeMap<&'a str, u64>) -> BTreeMap<&'a str, u64> {
    let mut all = classes.clone();
    let kept = all.remove("keep-alive").unwrap_or_default();
    if kept > 0 {
        *all.entry("set-up").or_default() += kept;
    }
    all
}

//! CoAP's retransmissions and superseded messages, compared with what tshark's dissector sees in the capture.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

use wiredyno_link::accounting::Phase;
use wiredyno_link::spec::Direction;

use crate::books::{PHASES, lossy, wire};
use crate::faults::{QUICK, delayed};
use crate::stage::{Order, Staged, carry_out, seeds};
use crate::{full, stdout};

/// A UDP frame as tshark reads it.
struct Frame {
    at_unix_ns: u64,
    bytes: u64,
    direction: Direction,
    /// Sender and IP id, if it is a fragment.
    fragment: Option<String>,
    /// In the frame that completes a datagram: its confirmable message.
    confirmable: Option<Confirmable>,
}

struct Confirmable {
    /// Addresses, ports, message id and token.
    identity: String,
    /// Whether it is about an observed resource.
    observe: bool,
}

const FIELDS: [&str; 14] = [
    "frame.time_epoch",
    "frame.len",
    "frame.interface_name",
    "ip.proto",
    "ip.flags.mf",
    "ip.frag_offset",
    "ip.id",
    "ip.src",
    "udp.srcport",
    "udp.dstport",
    "coap.mid",
    "coap.token",
    "coap.type",
    "coap.opt.observe",
];

/// All UDP frames of a capture; the server's port is that of trials.
fn tshark(capture: &Path) -> Vec<Frame> {
    let mut command = Command::new("tshark");
    command.arg("-r").arg(capture).args(["-Y", "ip.proto == 17", "-d", "udp.port==18830,coap"]);
    // ICMP errors contain a second IP header: the first one counts.
    command.args(["-T", "fields", "-E", "occurrence=f", "-E", "separator=|"]);
    for field in FIELDS {
        command.args(["-e", field]);
    }
    stdout(command.stderr(Stdio::null())).lines().filter_map(frame).collect()
}

fn frame(line: &str) -> Option<Frame> {
    let fields: Vec<&str> = line.split('|').collect();
    let [time, bytes, interface, protocol, more, offset, id, source, from, to, mid, token, kind, observe] =
        fields[..]
    else {
        panic!("tshark printed {line}");
    };
    if protocol != "17" {
        return None;
    }
    let (seconds, fraction) = time.split_once('.').unwrap();
    let whole = ["0", "False"].contains(&more) && offset == "0";
    Some(Frame {
        at_unix_ns: format!("{seconds}{fraction:0<9}").parse().unwrap(),
        bytes: bytes.parse().unwrap(),
        direction: if interface == "up" { Direction::Up } else { Direction::Down },
        fragment: (!whole).then(|| format!("{source} {id}")),
        confirmable: (kind == "0").then(|| Confirmable {
            identity: format!("{source} {from} {to} {mid} {token}"),
            observe: !observe.is_empty(),
        }),
    })
}

/// The indices of all frames of confirmable messages that were sent before, by addresses, message id and token.
fn resent(frames: &[Frame]) -> Vec<usize> {
    let mut of_datagram: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut resent = Vec::new();
    for (place, frame) in frames.iter().enumerate() {
        let parts = match &frame.fragment {
            Some(datagram) => of_datagram.entry(datagram).or_default(),
            None => &mut Vec::new(),
        };
        parts.push(place);
        if let Some(message) = &frame.confirmable {
            let parts = std::mem::take(parts);
            if !seen.insert(message.identity.as_str()) {
                resent.extend(parts);
            }
        }
    }
    resent
}

/// The phase of a frame, by the times of the link's phase marks.
fn phase_of(frame: &Frame, outcome: &Staged) -> Phase {
    let begun = outcome.counters.marks.iter().rev().find(|mark| mark.at_unix_ns <= frame.at_unix_ns);
    begun.unwrap().phase
}

/// Packets and bytes of retransmissions, by phase and direction, equal those that tshark's message
/// ids show: small messages, fragmented ones and blocks, on a link that drops at random and by its queue.
pub fn retransmissions_equal_tsharks() {
    let folder = tempfile::tempdir().unwrap();
    let seeds = seeds(if full() { 4 } else { 1 });
    let cases = [("coap:con", 100), ("coap:con", 3_000), ("coap:con-block", 3_000), ("coap:non", 3_000)];
    let order = |seed: u64, (mode, body_bytes): (&str, u32)| Order {
        body_bytes,
        seed,
        warmup: 3,
        interval: "10ms".to_owned(),
        drain: if mode == "coap:non" { "500ms" } else { "60s" }.to_owned(),
        options: QUICK.to_owned(),
        capture: Some(folder.path().join(format!("{}-{body_bytes}-{seed}.pcapng", mode.replace(':', "-")))),
        ..Order::new(mode, if full() { 500 } else { 100 }, &lossy())
    };
    let orders: Vec<Order> = seeds.flat_map(|seed| cases.map(|case| order(seed, case))).collect();
    for (order, outcome) in orders.iter().zip(carry_out(&orders)) {
        let name = format!("{} with {} bytes, seed {}", order.mode, order.body_bytes, order.seed);
        let frames = tshark(order.capture.as_ref().unwrap());
        let resent = resent(&frames);
        let phases = outcome.record.wire.unwrap();
        for phase in PHASES {
            for direction in Direction::ALL {
                let of = wire(&phases, phase);
                let ours = if direction == Direction::Up { of.up } else { of.down };
                let theirs = resent
                    .iter()
                    .map(|place| &frames[*place])
                    .filter(|frame| frame.direction == direction && phase_of(frame, &outcome) == phase)
                    .fold((0, 0), |(packets, bytes), frame| (packets + 1, bytes + frame.bytes));
                let ours = (ours.retransmitted_packets, ours.retransmitted_bytes);
                assert_eq!(ours, theirs, "{name}: {phase:?} {direction:?}");
            }
        }
        let fragments = order.body_bytes > 1_500 && order.mode != "coap:con-block";
        assert_eq!(frames.iter().any(|frame| frame.fragment.is_some()), fragments, "{name}");
        // Pings and (de)registrations are confirmable in every mode, but none occurs among the measured messages.
        let measured = resent.iter().filter(|place| phase_of(&frames[**place], &outcome) == Phase::Measure);
        let measured = measured.count();
        let expected = if order.mode == "coap:non" { 0..1 } else { 5..usize::MAX };
        assert!(expected.contains(&measured), "{name}: {measured} packets sent again");
    }
}

/// What is sent is delivered or superseded, and the superseded are those for which tshark sees no notification. The
/// publisher is beside the server, so that its messages come faster than a slow observer acknowledges.
pub fn superseded() {
    let folder = tempfile::tempdir().unwrap();
    let links = [("without loss", delayed()), ("with loss", delayed().with_loss(0.1))];
    let messages = if full() { 2_000 } else { 200 };
    let order = |(name, link): &(&str, wiredyno_link::spec::LinkSpec)| Order {
        publisher: "cloud".to_owned(),
        options: format!("{QUICK}\nsupersede = true"),
        drain: "5s".to_owned(),
        capture: Some(folder.path().join(format!("{}.pcapng", name.replace(' ', "-")))),
        ..Order::new("coap:con", messages, link)
    };
    let orders = links.each_ref().map(order);
    for ((name, _), (order, outcome)) in links.iter().zip(orders.iter().zip(carry_out(&orders))) {
        let frames = tshark(order.capture.as_ref().unwrap());
        let confirmable = frames.iter().filter(|frame| frame.direction == Direction::Down);
        let notified: BTreeSet<&str> = confirmable
            .filter_map(|frame| frame.confirmable.as_ref().filter(|message| message.observe))
            .map(|message| message.identity.as_str())
            .collect();
        let delivery = outcome.delivery();
        let superseded = u64::from(messages) - notified.len() as u64;
        assert_eq!(delivery.superseded, superseded, "{name}: {delivery:?}");
        assert_eq!((delivery.delivered, delivery.lost), (notified.len() as u64, 0), "{name}: {delivery:?}");
        assert!(superseded > 0, "{name}: a link's round trip is twice the interval");
    }
}

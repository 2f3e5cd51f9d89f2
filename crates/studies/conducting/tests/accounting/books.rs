//! Wire bytes, retransmissions, CPU and memory, compared with other tools' figures. One file because all of them check the same records.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::process::{Command, Stdio};

use wiredyno_contract::{BitRate, Span};
use wiredyno_link::accounting::{Phase, Tally};
use wiredyno_link::spec::{Direction, LinkSpec, QueueSpec, RateSpec};
use wiredyno_model::trial::{Wire, WireByPhase, WireCount};

use crate::faults::{self, QUICK, delayed};
use crate::stage::{self, Order, Staged, carry_out};
use crate::watch::Reading;
use crate::{full, stdout};

pub const PHASES: [Phase; 5] = [Phase::Probe, Phase::Setup, Phase::Warmup, Phase::Measure, Phase::Teardown];

/// A frame as tshark reads it.
struct Frame {
    at_unix_ns: u64,
    bytes: u64,
    direction: Direction,
    dropped: bool,
    /// For TCP, the source and the destination port.
    ports: Option<(u16, u16)>,
}

/// All TCP and UDP frames of a capture, including later fragments of a datagram, and the echoes of the probe.
fn tshark(capture: &Path) -> Vec<Frame> {
    let mut command = Command::new("tshark");
    command.arg("-r").arg(capture).args([
        "-Y",
        "ip.proto == 6 || ip.proto == 17 || icmp.type == 0 || icmp.type == 8",
        "-T",
        "fields",
    ]);
    // ICMP errors, such as those about a datagram with a lost fragment, belong to no message. They contain a second IP
    // header, because of which the filter accepts them: the first one counts.
    command.args(["-E", "occurrence=f", "-E", "separator=|"]);
    for field in [
        "frame.time_epoch",
        "frame.len",
        "frame.interface_name",
        "frame.comment",
        "ip.proto",
        "icmp.type",
        "tcp.srcport",
        "tcp.dstport",
    ] {
        command.args(["-e", field]);
    }
    let text = stdout(command.stderr(Stdio::null()));
    text.lines().filter_map(frame).collect()
}

fn frame(line: &str) -> Option<Frame> {
    let fields: Vec<&str> = line.split('|').collect();
    let [time, bytes, interface, comment, protocol, icmp_type, source, destination] = fields[..] else {
        panic!("tshark printed {line}");
    };
    if !matches!((protocol, icmp_type), ("1", "0" | "8") | ("6" | "17", "")) {
        return None;
    }
    let (seconds, fraction) = time.split_once('.').unwrap();
    let at_unix_ns = format!("{seconds}{:0<9}", fraction).parse().unwrap();
    let direction = if interface == "up" { Direction::Up } else { Direction::Down };
    let port = |text: &str| text.parse::<u16>().ok();
    Some(Frame {
        at_unix_ns,
        bytes: bytes.parse().unwrap(),
        direction,
        dropped: comment.starts_with("dropped: "),
        ports: port(source).zip(port(destination)),
    })
}

/// Packets, bytes, dropped packets.
type Sums = (u64, u64, u64);

fn sums<'a>(frames: impl Iterator<Item = &'a Frame>) -> Sums {
    frames.fold((0, 0, 0), |(packets, bytes, dropped), frame| {
        (packets + 1, bytes + frame.bytes, dropped + u64::from(frame.dropped))
    })
}

/// The frames of a phase, by the times of the link's phase marks.
fn of_phase<'a>(
    frames: &'a [Frame],
    outcome: &Staged,
    phase: Phase,
    direction: Direction,
) -> impl Iterator<Item = &'a Frame> {
    let marks = &outcome.counters.marks;
    let phase_at = |at_unix_ns| marks.iter().rev().find(|mark| mark.at_unix_ns <= at_unix_ns).unwrap().phase;
    frames.iter().filter(move |frame| frame.direction == direction && phase_at(frame.at_unix_ns) == phase)
}

fn recorded(count: WireCount) -> Sums {
    (count.packets, count.bytes, count.dropped_packets)
}

pub fn wire(phases: &WireByPhase, phase: Phase) -> Wire {
    match phase {
        Phase::Probe => phases.probe,
        Phase::Setup => phases.setup,
        Phase::Warmup => phases.warmup,
        Phase::Measure => phases.measure,
        Phase::Teardown => phases.teardown,
    }
}

/// A link that drops packets for every possible reason.
pub fn lossy() -> LinkSpec {
    let mut link = delayed().with_loss(0.05);
    link.up.rate = RateSpec::Constant { rate: BitRate { bits_per_s: 4_000_000 } };
    link.up.queue = QueueSpec { packets: Some(12), bytes: None };
    link
}

/// Every phase and direction of a trial's record, and of every TCP flow of the link, equals the sums that tshark gets from the
/// capture.
pub fn wire_equals_tshark() {
    let modes = [
        "mqtt:qos0",
        "mqtt:qos1",
        "mqtt:qos2",
        "tcp",
        "udp",
        "coap:non",
        "coap:con",
        "quic:stream",
        "quic:datagram",
    ];
    // Sent at more than the link's rate, independent of acknowledgements: udp.
    assert!(wire_of_modes_equals_tshark(&modes) > 0, "a queue that drops was part of it");
}

/// The same for a mode of each protocol of the other brokers; in the long form for all modes.
pub fn wire_of_kept_brokers() {
    let one_each = ["mqtt5:qos1", "amqp-0-9-1:manual-ack", "amqp-1-0:unsettled", "kafka:acks-1"];
    let modes: &[&str] = if full() { &faults::OF_BROKERS } else { &one_each };
    let served = |mode: &&str| stage::served(mode.split_once(':').unwrap().0).is_ok();
    wire_of_modes_equals_tshark(&modes.iter().copied().filter(served).collect::<Vec<_>>());
}

/// The same for messages that go directly from publisher to subscriber: both roles have all flows.
pub fn wire_of_one_hop() {
    // A participant that finds no other at once announces itself again after ten seconds, and three times at most: less loss.
    let link = LinkSpec { faults: Vec::new(), ..lossy().with_loss(0.02) };
    wire_over_equals_tshark(&["dds:best-effort", "dds:reliable"], &link, |phases, publisher, subscriber| {
        publisher == phases.measure && subscriber == phases.measure
    });
}

/// The packets that the queue dropped.
fn wire_of_modes_equals_tshark(modes: &[&str]) -> u64 {
    wire_over_equals_tshark(modes, &lossy(), |phases, mut roles, subscriber| {
        roles += subscriber;
        roles == phases.measure
    })
}

/// Given the phases, the publisher's wire and the subscriber's: whether these have all flows.
type HaveAll = fn(&WireByPhase, Wire, Wire) -> bool;

/// The packets that the queue dropped.
fn wire_over_equals_tshark(modes: &[&str], link: &LinkSpec, have_all: HaveAll) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let orders: Vec<Order> = modes
        .iter()
        .flat_map(|mode| [(*mode, 100), (*mode, 3_000)])
        .filter(|(mode, body_bytes)| stage::carries(mode, *body_bytes))
        .map(|(mode, body_bytes)| Order {
            body_bytes,
            warmup: 3,
            interval: "5ms".to_owned(),
            drain: match mode {
                "udp" | "coap:non" | "dds:best-effort" | "quic:datagram" => "500ms",
                "coap:con" => "60s",
                _ => "20s",
            }
            .to_owned(),
            options: if mode == "coap:con" { QUICK.to_owned() } else { String::new() },
            capture: Some(folder.path().join(format!("{}-{body_bytes}.pcapng", mode.replace(':', "-")))),
            ..Order::new(mode, if full() { 1_000 } else { 100 }, link)
        })
        .collect();
    let outcomes = carry_out(&orders);
    for (order, outcome) in orders.iter().zip(&outcomes) {
        let name = format!("{} with {} bytes", order.mode, order.body_bytes);
        let frames = tshark(order.capture.as_ref().unwrap());
        let phases = outcome.record.wire.unwrap();
        for phase in PHASES {
            for direction in Direction::ALL {
                let theirs = sums(of_phase(&frames, outcome, phase, direction));
                let of = wire(&phases, phase);
                let ours = recorded(if direction == Direction::Up { of.up } else { of.down });
                assert_eq!(ours, theirs, "{name}: {phase:?} {direction:?}");
            }
        }
        assert!(phases.measure.up.bytes >= u64::from(order.messages * order.body_bytes), "{name}");
        flows_equal_tshark(&name, &frames, outcome);
        let roles = (outcome.record.publisher_wire.unwrap(), outcome.record.subscriber_wire.unwrap());
        assert!(
            have_all(&phases, roles.0, roles.1),
            "{name}: {roles:?} have all flows of {:?}",
            phases.measure
        );
    }
    outcomes.iter().map(|outcome| outcome.counters.total(Direction::Up).dropped_queue.packets).sum()
}

/// What is measured does not depend on the number of earlier messages: each has its complete handshake, and no other's. Each
/// message has ended before the next begins. Bare acknowledgements are left out: whether TCP sends one or piggybacks it on
/// data depends on what the connection has seen.
pub fn warm_up_is_in_no_measured_byte() {
    let messages = if full() { 40 } else { 8 };
    for mode in ["mqtt:qos2", "mqtt:qos1", "tcp", "coap:con"] {
        let orders = [0, 1, 10].map(|warmup| Order {
            warmup,
            interval: "300ms".to_owned(),
            drain: "10s".to_owned(),
            ..Order::new(mode, messages, &delayed())
        });
        let told = stage::carry_out_one_at_a_time(&orders).into_iter().map(|outcome| {
            let measured = outcome.record.wire.unwrap().measure;
            [measured.up, measured.down].map(|way| {
                let again = (way.retransmitted_packets, way.retransmitted_bytes);
                (way.application_packets, way.application_bytes, again)
            })
        });
        let told: Vec<_> = told.collect();
        assert!(
            told.windows(2).all(|pair| pair[0] == pair[1]),
            "{mode} with 0, 1 and 10 of warm-up: {told:?}"
        );
        let handshake = if mode == "mqtt:qos2" { 4 } else { 1 };
        assert!(told[0][0].0 >= u64::from(messages) * handshake, "{mode}: {told:?}");
    }
}

fn flows_equal_tshark(name: &str, frames: &[Frame], outcome: &Staged) {
    for flow in outcome.counters.flows.iter().filter(|flow| flow.is_tcp()) {
        let (edge, cloud) = (flow.edge.port(), flow.cloud.port());
        for (direction, ports) in [(Direction::Up, (edge, cloud)), (Direction::Down, (cloud, edge))] {
            for phase in PHASES {
                let of_flow = of_phase(frames, outcome, phase, direction);
                let theirs = sums(of_flow.filter(|frame| frame.ports == Some(ports)));
                let Tally { entered, dropped_loss, dropped_queue, dropped_fault, .. } =
                    *flow.tallies.direction(direction).phase(phase);
                let dropped = dropped_loss.packets + dropped_queue.packets + dropped_fault.packets;
                assert_eq!((entered.packets, entered.bytes, dropped), theirs, "{name}: {ports:?} {phase:?}");
            }
        }
    }
}

/// The sum of the kernel's counters of every TCP socket (sock_diag, by `ss`) in the last reading before the
/// clients disconnect, compared with the link's count up to there: equal for reno, within one per socket for cubic. The reading is
/// older than the disconnect, and on a busy machine more so: retransmissions in between, at most one packet in `AGAIN_NS`, are only
/// in the link's count. Most sockets retransmitted nothing then.
pub fn retransmissions_equal_the_kernels() {
    let seeds = stage::seeds(if full() { 6 } else { 2 });
    let case = |congestion: &'static str, mode: &'static str, seed| {
        let mut link = delayed().with_loss(0.06);
        link.congestion = congestion.to_owned();
        let order = Order { seed, watched: true, drain: "20s".to_owned(), ..Order::new(mode, 200, &link) };
        (congestion, Order { body_bytes: 2_000, ..order })
    };
    let cases: Vec<(&str, Order)> = seeds
        .flat_map(|seed| [("reno", seed), ("cubic", seed)])
        .flat_map(|(congestion, seed)| ["tcp", "mqtt:qos1"].map(|mode| case(congestion, mode, seed)))
        .collect();
    let orders: Vec<Order> = cases.iter().map(|(_, order)| order.clone()).collect();
    let (mut all, mut sockets, mut equal) = (0, 0, 0);
    for ((congestion, order), outcome) in cases.iter().zip(carry_out(&orders)) {
        let slack = u64::from(*congestion != "reno");
        let ours = resent(&outcome);
        let reading = last_before(&outcome, Phase::Teardown);
        let since = (outcome.began_ns(Phase::Teardown) - reading.to_ns).div_ceil(AGAIN_NS);
        let theirs = of_sockets(reading);
        for (ends, ours) in &ours {
            let theirs = theirs.get(ends).copied();
            let name = format!("{congestion} {} seed {}: {ends:?}", order.mode, order.seed);
            let theirs = theirs.unwrap_or_else(|| panic!("{name}: no such socket was seen"));
            let fits = theirs <= ours + slack && *ours <= theirs + slack + since;
            assert!(fits, "{name}: {ours} here, {theirs} in the kernel, at most {since} since then");
            all += ours;
            sockets += 1;
            equal += u64::from(ours.abs_diff(theirs) <= slack);
        }
    }
    assert!(all > 20, "{all}: there was something to count");
    assert!(equal * 4 > sockets * 3, "{equal} of {sockets} agree");
}

/// A connection retransmits some twenty packets in seconds: hardly two of them within this.
const AGAIN_NS: u64 = 20_000_000;

/// Sender and receiver of one direction of a connection, by their ports.
type Ends = (u16, u16);

/// The link's count of retransmissions up to the end of the measured phase, FIN excluded, for each direction of
/// connections that are open then.
fn resent(outcome: &Staged) -> BTreeMap<Ends, u64> {
    let mut counted = BTreeMap::new();
    for flow in outcome.counters.flows.iter().filter(|flow| flow.is_tcp()) {
        let (edge, cloud) = (flow.edge.port(), flow.cloud.port());
        for (direction, ends) in [(Direction::Up, (edge, cloud)), (Direction::Down, (cloud, edge))] {
            let phases = flow.tallies.direction(direction);
            let before = [phases.probe, phases.setup, phases.warmup, phases.measure];
            let packets =
                before.iter().map(|t| t.retransmitted.packets - t.retransmitted_fin_packets).sum::<u64>();
            counted.insert(ends, packets);
        }
    }
    assert_eq!(counted.len(), 4, "publisher and subscriber, both directions: {counted:?}");
    counted
}

fn of_sockets(reading: &Reading) -> HashMap<Ends, u64> {
    let sockets = reading.sockets.iter().flatten();
    sockets.map(|socket| ((socket.local.port(), socket.peer.port()), socket.retransmitted)).collect()
}

/// The last reading with sockets that ended before a phase began.
fn last_before(outcome: &Staged, phase: Phase) -> &Reading {
    let began_ns = outcome.began_ns(phase);
    let before = |reading: &&Reading| reading.to_ns <= began_ns && reading.sockets.is_some();
    outcome.readings.iter().rev().find(before).unwrap()
}

/// Whether a value is between these, with a tolerance of 5 per cent or `least`, whichever is more.
fn lies(ours: u64, [low, high]: [u64; 2], least: u64) -> bool {
    ours + least.max(low / 20) >= low && ours <= high + least.max(high / 20)
}

/// A record's CPU time and memory of each role equal what /proc reported of the process at both ends of the
/// measured phase.
pub fn use_equals_proc() {
    let fast = |mode| Order {
        interval: "200us".to_owned(),
        watched: true,
        ..Order::new(mode, if full() { 50_000 } else { 8_000 }, &without_delay())
    };
    let orders = ["udp", "tcp", "mqtt:qos0"].map(fast);
    let tick_ns = 1_000_000_000 / ticks_per_s();
    let mut at_most_ns = 0;
    for (order, outcome) in orders.iter().zip(carry_out(&orders)) {
        let (began_ns, ended_ns) = (outcome.began_ns(Phase::Measure), outcome.began_ns(Phase::Teardown));
        let first = outcome.readings.iter().find(|reading| reading.from_ns >= began_ns).unwrap();
        let last = outcome.readings.iter().rev().find(|reading| reading.to_ns <= ended_ns).unwrap();
        let roles = outcome.record.roles;
        let named = [
            ("broker", roles.broker.unwrap()),
            ("subscriber", roles.subscriber),
            ("publisher", roles.publisher),
        ];
        assert_eq!(last.processes.len(), named.len(), "{:?}", last.processes);
        for (role, ours) in named {
            let stands = ours.stand_cpu_ns;
            let told = if role == "broker" { stands == 0 } else { (1..ours.cpu_ns).contains(&stands) };
            assert!(told, "{}: {stands} ns of the {role}'s {} are the stand's", order.mode, ours.cpu_ns);
        }
        // A busy machine reads late: the phase is between the readings within it and those around it.
        for (&(role, ours), after) in named.iter().zip(&last.processes) {
            let of = |reading: &Reading| {
                reading.processes.iter().find(|process| process.pid == after.pid).cloned()
            };
            let before = of(first).unwrap();
            let earlier =
                outcome.readings.iter().rev().filter(|reading| reading.to_ns <= began_ns).find_map(of);
            let later = outcome.readings.iter().filter(|reading| reading.from_ns >= ended_ns).find_map(of);
            let later = later.unwrap_or_else(|| after.clone());
            let cpu_ns =
                [after.ticks - before.ticks, later.ticks - earlier.map_or(0, |process| process.ticks)];
            let name = format!("{} {role}", order.mode);
            let cpu_ns = cpu_ns.map(|ticks| ticks * tick_ns);
            assert!(
                lies(ours.cpu_ns, cpu_ns, 20_000_000),
                "{name}: {} ns here, {cpu_ns:?} in /proc",
                ours.cpu_ns
            );
            let (memory, peaks) = (ours.peak_memory_bytes, [after.peak_bytes, later.peak_bytes]);
            assert!(lies(memory, peaks, 1 << 20), "{name}: {memory} bytes here, {peaks:?} in /proc");
            at_most_ns = at_most_ns.max(ours.cpu_ns);
        }
    }
    assert!(at_most_ns > 100_000_000, "{at_most_ns} ns: enough work to tell the readings apart");
}

fn without_delay() -> LinkSpec {
    let mut link = LinkSpec::unshaped();
    (link.up.delay, link.down.delay) = (Span { ns: 0 }, Span { ns: 0 });
    link
}

fn ticks_per_s() -> u64 {
    let ticks = nix::unistd::sysconf(nix::unistd::SysconfVar::CLK_TCK).unwrap().unwrap();
    u64::try_from(ticks).unwrap()
}

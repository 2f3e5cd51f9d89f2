//! Converts the link's counters to the terms of the results.

use wiredyno_link::accounting::{FlowCounters, LinkCounters, Phase, PhaseTallies, Tally};
use wiredyno_link::spec::Direction;
use wiredyno_model::trial::{LinkQuality, Wire, WireByPhase, WireCount};

use wiredyno_process::socket::Socket;

fn count(tally: &Tally) -> WireCount {
    WireCount {
        packets: tally.entered.packets,
        bytes: tally.entered.bytes,
        dropped_packets: tally.dropped_loss.packets
            + tally.dropped_queue.packets
            + tally.dropped_fault.packets,
        retransmitted_packets: tally.retransmitted.packets,
        retransmitted_bytes: tally.retransmitted.bytes,
        application_packets: tally.application.packets,
        application_bytes: tally.application.bytes,
        classes: Some(tally.classes),
        message_frame_bytes: tally.message_frame_bytes,
    }
}

/// All flows together, by phase. Packets outside any flow (ICMP, IGMP) belong to no message and are left out, except for the
/// echoes of the probe.
pub fn by_phase(counters: &LinkCounters) -> WireByPhase {
    let wire = |phase| Wire {
        up: count(&counters.flows_in(phase, Direction::Up)),
        down: count(&counters.flows_in(phase, Direction::Down)),
    };
    let echoes = |direction| count(counters.echoes.direction(direction).phase(Phase::Probe));
    WireByPhase {
        probe: Wire { up: echoes(Direction::Up), down: echoes(Direction::Down) },
        setup: wire(Phase::Setup),
        warmup: wire(Phase::Warmup),
        measure: wire(Phase::Measure),
        teardown: wire(Phase::Teardown),
    }
}

/// What was sent up and down over a network of others, by phase.
pub fn of_taps(up: &PhaseTallies, down: &PhaseTallies) -> WireByPhase {
    let wire = |phase| Wire { up: count(up.phase(phase)), down: count(down.phase(phase)) };
    WireByPhase {
        probe: wire(Phase::Probe),
        setup: wire(Phase::Setup),
        warmup: wire(Phase::Warmup),
        measure: wire(Phase::Measure),
        teardown: wire(Phase::Teardown),
    }
}

/// Whether a flow belongs to one of the sockets.
pub fn owned(flow: &FlowCounters, sockets: &[Socket]) -> bool {
    let is_owner = |socket: &Socket| {
        !socket.listening && (socket.owns(flow.protocol, flow.edge) || socket.owns(flow.protocol, flow.cloud))
    };
    sockets.iter().any(is_owner)
}

/// The measured phase of the flows that belong to these sockets.
pub fn of_sockets(counters: &LinkCounters, sockets: &[Socket]) -> Wire {
    let mut wire = Wire::default();
    for flow in &counters.flows {
        if owned(flow, sockets) {
            wire.up += count(flow.tallies.up.phase(Phase::Measure));
            wire.down += count(flow.tallies.down.phase(Phase::Measure));
        }
    }
    wire
}

/// Packets that have entered the link, in all phases, flows and directions.
pub fn entered_packets(counters: &LinkCounters) -> u64 {
    Direction::ALL.iter().map(|direction| counters.total(*direction).entered.packets).sum()
}

/// How well the link kept to its model.
pub fn quality(counters: &LinkCounters) -> LinkQuality {
    LinkQuality {
        lateness_p50_ns: counters.lateness.median_ns,
        lateness_p99_ns: counters.lateness.p99_ns,
        lateness_max_ns: counters.lateness.max_ns,
        host_dropped_packets: counters.tun_dropped_packets,
        busiest_thread: None,
        busiest_thread_on_cpu: None,
        cpu_ns: counters.cpu_ns,
        run_delay_ns: 0,
        probe: None,
        probe_after: None,
    }
}

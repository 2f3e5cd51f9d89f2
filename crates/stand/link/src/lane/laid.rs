//! A laid link: its model, accounts, capture, and the packets in flight.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufWriter};

use wiredyno_contract::WireFormat;

use crate::accounting::{Accounts, Carried, Lateness, LinkCounters, Phase, PhaseMark};
use crate::capture::{Capture, CaptureFile};
use crate::clock;
use crate::host::Keeper;
use crate::model::{DropReason, Fate, Faults, LinkModel, Passed, Seeds, Struck};
use crate::packet::Ipv4;
use crate::spec::{Direction, LinkSpec};

#[derive(Debug)]
struct OnTheWay {
    at_ns: u64,
    packet: Vec<u8>,
    /// What it carries of messages.
    carried: Option<Carried>,
}

/// The packets in flight in one direction, in order of arrival, then of entry. A link keeps the order, so all packets except
/// those that a fault holds back are appended at the end.
#[derive(Debug, Default)]
struct InFlight(VecDeque<OnTheWay>);

impl InFlight {
    fn put(&mut self, one: OnTheWay) {
        let at_ns = one.at_ns;
        let last = self.0.back().is_none_or(|last| last.at_ns <= at_ns);
        let place = if last { self.0.len() } else { self.0.partition_point(|before| before.at_ns <= at_ns) };
        self.0.insert(place, one);
    }

    fn next_ns(&self) -> Option<u64> {
        self.0.front().map(|next| next.at_ns)
    }
}

/// A link in operation between a lane's hosts.
#[derive(Debug)]
pub(super) struct Laid {
    model: LinkModel,
    accounts: Accounts,
    capture: Option<Capture<BufWriter<File>>>,
    lateness: Lateness,
    faults: Faults,
    on_the_way: [InFlight; 2],
    spare: Vec<Vec<u8>>,
    not_ipv4_packets: u64,
    stale_packets: u64,
    undeliverable_packets: u64,
    marks: Vec<PhaseMark>,
    /// CLOCK_REALTIME minus CLOCK_MONOTONIC when the link was laid; kept constant, so that the capture's timestamps never
    /// jump.
    unix_offset_ns: u64,
    dropped_before: u64,
    cpu_before_ns: u64,
    /// Whether accounts and capture are finished.
    closed: bool,
}

/// Packets that the hosts' TUN queues have dropped so far.
fn dropped_packets(hosts: &[Keeper; 2]) -> io::Result<u64> {
    Ok(hosts[0].dropped_packets()? + hosts[1].dropped_packets()?)
}

impl Laid {
    pub(super) fn new(
        spec: &LinkSpec,
        seeds: Seeds,
        capture: Option<&CaptureFile>,
        hosts: &[Keeper; 2],
    ) -> io::Result<Self> {
        let capture = match capture {
            Some(CaptureFile { path, comment }) => {
                Some(Capture::new(BufWriter::with_capacity(1 << 20, File::create(path)?), comment)?)
            }
            None => None,
        };
        let now_ns = clock::monotonic_ns();
        let mut laid = Self {
            model: LinkModel::new(spec, seeds, now_ns),
            accounts: Accounts::default(),
            capture,
            lateness: Lateness::default(),
            faults: Faults::new(&spec.faults, seeds.packets),
            on_the_way: Default::default(),
            spare: Vec::new(),
            not_ipv4_packets: 0,
            stale_packets: 0,
            undeliverable_packets: 0,
            marks: Vec::new(),
            unix_offset_ns: clock::unix_ns() - now_ns,
            dropped_before: dropped_packets(hosts)?,
            cpu_before_ns: clock::process_cpu_ns(),
            closed: false,
        };
        laid.mark(Phase::Setup);
        Ok(laid)
    }

    pub(super) fn anchor(&mut self, at_ns: u64) {
        self.model.anchor(at_ns);
    }

    pub(super) fn mark(&mut self, phase: Phase) {
        let at_ns = clock::monotonic_ns();
        self.accounts.mark(phase);
        let injected = self.faults.counts().iter().map(|count| count.injected).collect();
        self.marks.push(PhaseMark { phase, at_ns, at_unix_ns: at_ns + self.unix_offset_ns, injected });
    }

    pub(super) fn read_as(&mut self, format: WireFormat) {
        self.accounts.read_as(format);
    }

    /// A buffer to read a packet into, reused if possible.
    pub(super) fn buffer(&mut self, bytes: usize) -> Vec<u8> {
        let mut buffer = self.spare.pop().unwrap_or_default();
        buffer.resize(bytes, 0);
        buffer
    }

    pub(super) fn give_back(&mut self, buffer: Vec<u8>) {
        if self.spare.len() < 4_096 {
            self.spare.push(buffer);
        }
    }

    /// Handles a packet that enters the link.
    pub(super) fn enter(
        &mut self,
        direction: Direction,
        packet: Vec<u8>,
        hosts: &[Keeper; 2],
    ) -> io::Result<()> {
        let Some(ip) = Ipv4::read(&packet) else {
            self.not_ipv4_packets += 1;
            self.give_back(packet);
            return Ok(());
        };
        if self.accounts.is_stale(direction, &ip) {
            self.stale_packets += 1;
            self.give_back(packet);
            return Ok(());
        }
        let now_ns = clock::monotonic_ns();
        let fate = self.model.offer(now_ns, direction, packet.len() as u32);
        let struck = match fate {
            Fate::Deliver { .. } => self.faults.judge(direction, &packet),
            Fate::Drop(_) => None,
        };
        let dropped = match fate {
            Fate::Drop(reason) => Some(reason),
            Fate::Deliver { .. } => struck.filter(|struck| struck.drops()).map(|_| DropReason::Fault),
        };
        let mut carried = None;
        if !self.closed {
            carried = self.accounts.enter_read(now_ns, direction, &ip, packet.len(), dropped);
            self.write_down(now_ns, direction, &packet, dropped)?;
        }
        match fate {
            Fate::Drop(_) => self.give_back(packet),
            Fate::Deliver { at_ns } if self.faults.is_empty() => {
                self.pass_on(now_ns, direction, OnTheWay { at_ns, packet, carried }, hosts);
            }
            Fate::Deliver { at_ns } => self.with_faults(now_ns, struck, at_ns, direction, packet, hosts),
        }
        Ok(())
    }

    /// Captures a packet, if the link has a capture.
    fn write_down(
        &mut self,
        now_ns: u64,
        direction: Direction,
        packet: &[u8],
        dropped: Option<DropReason>,
    ) -> io::Result<()> {
        if let Some(capture) = &mut self.capture {
            capture.packet(now_ns + self.unix_offset_ns, direction, packet, dropped).map_err(|e| {
                io::Error::new(e.kind(), format!("capture: {e}; make room on its disk or run without"))
            })?;
        }
        Ok(())
    }

    fn with_faults(
        &mut self,
        now_ns: u64,
        struck: Option<Struck>,
        at_ns: u64,
        direction: Direction,
        packet: Vec<u8>,
        hosts: &[Keeper; 2],
    ) {
        let mut passed = Vec::new();
        self.faults.carry(struck, at_ns, direction, packet, &mut passed);
        self.pass_all_on(now_ns, passed, hosts);
    }

    /// Delivers the packets that faults let through; their messages are not tracked.
    fn pass_all_on(&mut self, now_ns: u64, passed: Vec<Passed>, hosts: &[Keeper; 2]) {
        for Passed { at_ns, direction, packet } in passed {
            self.pass_on(now_ns, direction, OnTheWay { at_ns, packet, carried: None }, hosts);
        }
    }

    /// Delivers a packet now, or when its time has come.
    fn pass_on(&mut self, now_ns: u64, direction: Direction, one: OnTheWay, hosts: &[Keeper; 2]) {
        let way = &mut self.on_the_way[direction.index()];
        if one.at_ns <= now_ns && way.0.is_empty() {
            self.deliver(&one, direction, hosts);
            self.give_back(one.packet);
        } else {
            way.put(one);
        }
    }

    /// Delivers what is due; returns when the next packet is due.
    pub(super) fn deliver_due(&mut self, hosts: &[Keeper; 2]) -> Option<u64> {
        let mut read_ns = None;
        loop {
            let release_ns = self.faults.next_release_ns();
            let next_ns = |direction: Direction| self.on_the_way[direction.index()].next_ns();
            let next = Direction::ALL
                .into_iter()
                .filter_map(|way| Some((next_ns(way)?, way)))
                .min_by_key(|(at_ns, _)| *at_ns);
            let soonest_ns = next.map(|(at_ns, _)| at_ns).into_iter().chain(release_ns).min()?;
            let now_ns = *read_ns.get_or_insert_with(clock::monotonic_ns);
            if soonest_ns > now_ns {
                return Some(soonest_ns);
            }
            if release_ns.is_some_and(|release_ns| release_ns <= now_ns) {
                let mut passed = Vec::new();
                self.faults.release_due(now_ns, &mut passed);
                self.pass_all_on(now_ns, passed, hosts);
            } else if let Some((_, direction)) = next
                && let Some(due) = self.on_the_way[direction.index()].0.pop_front()
            {
                read_ns = Some(self.deliver(&due, direction, hosts));
                self.give_back(due.packet);
            }
        }
    }

    /// Completes the capture; packets that enter later are delivered but neither counted nor captured, so that both end at
    /// the same packet.
    pub(super) fn close(&mut self) -> io::Result<()> {
        self.closed = true;
        self.flush()
    }

    /// Hands a packet to its receiver; returns when that was done.
    fn deliver(&mut self, one: &OnTheWay, direction: Direction, hosts: &[Keeper; 2]) -> u64 {
        // Packets that go up arrive at the cloud.
        let receiver = match direction {
            Direction::Up => &hosts[1],
            Direction::Down => &hosts[0],
        };
        // Read beforehand, because the receiver may have the packet before the call returns.
        let carried = one.carried.as_ref().map(|carried| (carried, clock::monotonic_ns()));
        match receiver.tun.write(&one.packet) {
            Ok(_) => carried.into_iter().for_each(|(carried, at_ns)| self.accounts.delivered(carried, at_ns)),
            Err(_) => self.undeliverable_packets += 1,
        }
        let now_ns = clock::monotonic_ns();
        self.lateness.record(now_ns.saturating_sub(one.at_ns));
        now_ns
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.capture.as_mut().map_or(Ok(()), Capture::flush)
    }

    pub(super) fn counters(&self, hosts: &[Keeper; 2], realtime: bool) -> io::Result<LinkCounters> {
        Ok(LinkCounters {
            flows: self.accounts.flows(),
            echoes: self.accounts.echoes(),
            other: self.accounts.other(),
            not_ipv4_packets: self.not_ipv4_packets,
            stale_packets: self.stale_packets,
            on_the_way_packets: self.on_the_way.iter().map(|way| way.0.len() as u64).sum(),
            lateness: self.lateness.summary(),
            tun_dropped_packets: dropped_packets(hosts)?.saturating_sub(self.dropped_before),
            undeliverable_packets: self.undeliverable_packets,
            cpu_ns: clock::process_cpu_ns() - self.cpu_before_ns,
            realtime,
            marks: self.marks.clone(),
            faults: self.faults.counts(),
            passages: self.accounts.passages().filter(|_| self.closed && self.faults.is_empty()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_leave_in_the_order_of_arrival_then_of_entry() {
        let mut way = InFlight::default();
        for (at_ns, name) in [(5, 1), (7, 2), (7, 3), (6, 4), (5, 5), (1, 6), (9, 7)] {
            way.put(OnTheWay { at_ns, packet: vec![name], carried: None });
        }
        let left: Vec<(u64, u8)> = way.0.iter().map(|one| (one.at_ns, one.packet[0])).collect();
        assert_eq!(left, [(1, 6), (5, 1), (5, 5), (6, 4), (7, 2), (7, 3), (9, 7)]);
        assert_eq!(way.next_ns(), Some(1));
    }
}

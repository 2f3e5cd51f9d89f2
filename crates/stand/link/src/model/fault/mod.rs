//! Deliberate faults, as a pure function of seed, packets and injected time: see [`crate::spec::FaultSpec`].

use serde::{Deserialize, Serialize};

use crate::packet::{Ipv4, TCP, UDP, flip_bit};
use crate::random::{Draws, Purpose};
use crate::spec::{Direction, Fault, FaultProtocol, FaultSpec, Strikes};

/// What a rule has done since the link was laid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FaultCount {
    /// Packets that matched, struck or not.
    pub matched: u64,
    /// Faults that happened. For a reorder, packets that at least one other has passed; a held packet that
    /// none passed arrived in order and is not counted.
    pub injected: u64,
}

/// The rule that strikes a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Struck {
    rule: usize,
    fault: Fault,
}

impl Struck {
    /// Whether the rule drops the packet.
    pub fn drops(self) -> bool {
        self.fault == Fault::Drop
    }
}

/// A packet to be delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// Time of delivery; packets with equal times keep their order.
    pub at_ns: u64,
    /// The direction in which it goes.
    pub direction: Direction,
    /// The complete IP packet, possibly changed by a fault.
    pub packet: Vec<u8>,
}

/// The state of a link's fault rules.
#[derive(Debug)]
pub struct Faults {
    rules: Vec<Rule>,
    held: Vec<Held>,
}

#[derive(Debug)]
struct Rule {
    spec: FaultSpec,
    strikes: Draws,
    bits: Draws,
    count: FaultCount,
}

/// A packet held back until others have passed it.
#[derive(Debug)]
struct Held {
    rule: usize,
    until_ns: u64,
    left: u32,
    passed_by_any: bool,
    packet: Vec<u8>,
}

impl Rule {
    fn matches(&self, direction: Direction, packet: &[u8]) -> bool {
        let protocol = match self.spec.protocol {
            FaultProtocol::Tcp => TCP,
            FaultProtocol::Udp => UDP,
        };
        let first = match self.spec.fault {
            Fault::FlipBit { from_byte } => from_byte.saturating_add(1),
            _ => 0,
        };
        let least = self.spec.least_payload_bytes.max(first) as usize;
        let body = || Ipv4::read(packet).filter(|ip| ip.protocol == protocol)?.body();
        self.spec.direction == direction && body().is_some_and(|body| body.len() >= least)
    }

    /// Whether a matching packet is struck. One draw per packet, whatever the share.
    fn strikes(&mut self) -> bool {
        let number = self.count.matched;
        self.count.matched += 1;
        match &self.spec.strikes {
            Strikes::Ratio { share } => self.strikes.strikes(*share),
            Strikes::Packets { numbers } => numbers.contains(&number),
        }
    }
}

impl Faults {
    /// The rules with their random state.
    pub fn new(rules: &[FaultSpec], seed: u64) -> Self {
        let rule = |(index, spec): (u64, &FaultSpec)| Rule {
            spec: spec.clone(),
            strikes: Draws::numbered(seed, Purpose::Fault, index),
            bits: Draws::numbered(seed, Purpose::FlippedBit, index),
            count: FaultCount::default(),
        };
        Self { rules: (0..).zip(rules).map(rule).collect(), held: Vec::new() }
    }

    /// Whether there are no rules: every packet passes unchanged.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Applies all rules to a packet that the link would deliver; the first that strikes acts.
    pub fn judge(&mut self, direction: Direction, packet: &[u8]) -> Option<Struck> {
        let mut struck = None;
        for (rule, of) in self.rules.iter_mut().enumerate() {
            if of.matches(direction, packet) && of.strikes() {
                struck = struck.or(Some(Struck { rule, fault: of.spec.fault }));
            }
        }
        struck
    }

    /// Carries out the judgement on a packet that would arrive at `at_ns`, which must not decrease per
    /// direction; adds the packets to deliver to `out`.
    pub fn carry(
        &mut self,
        struck: Option<Struck>,
        at_ns: u64,
        direction: Direction,
        mut packet: Vec<u8>,
        out: &mut Vec<Passed>,
    ) {
        let Some(Struck { rule, fault }) = struck else {
            return self.pass_whole(at_ns, direction, packet, out);
        };
        match fault {
            Fault::Drop => self.rules[rule].count.injected += 1,
            Fault::Duplicate => {
                self.rules[rule].count.injected += 1;
                out.push(Passed { at_ns, direction, packet: packet.clone() });
                self.pass_whole(at_ns, direction, packet, out);
            }
            Fault::Reorder { behind, at_most } => self.held.push(Held {
                rule,
                until_ns: at_ns.saturating_add(at_most.ns),
                left: behind.max(1),
                passed_by_any: false,
                packet,
            }),
            Fault::FlipBit { from_byte } => {
                let draw = self.rules[rule].bits.u64();
                self.rules[rule].count.injected += u64::from(flip_bit(&mut packet, from_byte as usize, draw));
                out.push(Passed { at_ns, direction, packet });
            }
        }
    }

    /// Delivers an undamaged packet, followed by those that enough packets have now passed.
    fn pass_whole(&mut self, at_ns: u64, direction: Direction, packet: Vec<u8>, out: &mut Vec<Passed>) {
        let passes: Vec<bool> = self.rules.iter().map(|rule| rule.matches(direction, &packet)).collect();
        out.push(Passed { at_ns, direction, packet });
        for held in self.held.iter_mut().filter(|held| passes[held.rule] && at_ns <= held.until_ns) {
            held.left -= 1;
            held.passed_by_any = true;
        }
        self.release(|held| (held.left == 0).then_some(at_ns), out);
    }

    /// When the next held packet is released although too few have passed it.
    pub fn next_release_ns(&self) -> Option<u64> {
        self.held.iter().map(|held| held.until_ns).min()
    }

    /// Releases packets that have been held long enough at `now_ns`.
    pub fn release_due(&mut self, now_ns: u64, out: &mut Vec<Passed>) {
        self.release(|held| (held.until_ns <= now_ns).then_some(held.until_ns), out);
    }

    fn release(&mut self, due_ns: impl Fn(&Held) -> Option<u64>, out: &mut Vec<Passed>) {
        for (held, at_ns) in self.held.extract_if(.., |held| due_ns(held).is_some()).filter_map(|held| {
            let at_ns = due_ns(&held)?;
            Some((held, at_ns))
        }) {
            let rule = &mut self.rules[held.rule];
            rule.count.injected += u64::from(held.passed_by_any);
            out.push(Passed { at_ns, direction: rule.spec.direction, packet: held.packet });
        }
    }

    /// What each rule has done, in the order of the rules.
    pub fn counts(&self) -> Vec<FaultCount> {
        self.rules.iter().map(|rule| rule.count).collect()
    }
}

#[cfg(test)]
mod tests;

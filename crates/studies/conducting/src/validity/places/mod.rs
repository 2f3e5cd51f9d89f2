//! The machines of a trial, with what its roles used on each, and what else was busy there.

use wiredyno_contract::LoadKind;
use wiredyno_model::Role;
use wiredyno_model::trial::{Moving, RolePart, TrialRecord};
use wiredyno_seats::machine::TICK_NS;

use super::{Stand, utilisation};

/// The number of the machine on which this program runs.
pub(super) const HERE: u32 = 0;

/// An agent, or this program, with the machine on which it is.
pub(super) struct Place<'a> {
    /// The agent's name; `None` for this program.
    pub(super) agent: Option<&'a str>,
    /// The number of its machine.
    pub(super) machine: u32,
    /// What its roles used.
    pub(super) parts: Vec<RolePart>,
    /// What all roles on its machine used, those of other agents there included.
    on_machine: Vec<RolePart>,
    /// CPU time in use on that machine.
    in_use_ns: u64,
    /// Share of all CPU time in use on it, 0..1.
    pub(super) utilisation: f64,
    /// Share that its hypervisor gave to other machines, where that is known apart.
    pub(super) steal: Option<f64>,
}

impl Place<'_> {
    /// Whether it has a role.
    pub(super) fn has(&self, role: Role) -> bool {
        self.parts.iter().any(|part| part.role == role)
    }

    /// The share of all roles on its machine in the CPU time in use there, 0..1. A broker that is not ours counts as other work.
    pub(super) fn own(&self) -> f64 {
        let own_ns: u64 = self.on_machine.iter().map(|part| part.used.cpu_ns).sum();
        if self.in_use_ns > 0 { (own_ns as f64 / self.in_use_ns as f64).min(1.0) } else { 0.0 }
    }
}

/// This program's place first, then those of agents.
pub(super) fn all<'a>(record: &'a TrialRecord, moving: &Moving, stand: Stand) -> Vec<Place<'a>> {
    let parts = record.parts(moving);
    let of = |agent: Option<&str>| -> Vec<RolePart> {
        let its = parts.iter().filter(|(load, _)| load.map(|load| load.agent.as_str()) == agent);
        its.map(|(_, part)| *part).collect()
    };
    let on = |machine: u32| -> Vec<RolePart> {
        let its = parts.iter().filter(|(load, _)| load.map_or(HERE, |load| load.machine) == machine);
        its.map(|(_, part)| *part).collect()
    };
    let here = Place {
        agent: None,
        machine: HERE,
        parts: of(None),
        on_machine: on(HERE),
        in_use_ns: moving.in_use_ns,
        utilisation: utilisation(moving, stand),
        steal: None,
    };
    let away = record.agents.iter().map(|load| Place {
        agent: Some(&load.agent),
        machine: load.machine,
        parts: of(Some(&load.agent)),
        on_machine: on(load.machine),
        in_use_ns: load.in_use_ns,
        utilisation: load.utilisation(),
        steal: Some(load.steal),
    });
    std::iter::once(here).chain(away).collect()
}

/// How long something was runnable and waited for a CPU.
pub(super) struct Wait {
    /// The role; `None` for the link.
    pub(super) role: Option<Role>,
    /// It in words.
    pub(super) process: String,
    /// All of it, nanoseconds.
    pub(super) run_delay_ns: u64,
    /// What of it was for other work and the stand's own; `None` where that is not known: all of it counts.
    pub(super) for_others_ns: Option<f64>,
}

impl Wait {
    /// That of a process which is no role.
    pub(super) fn of(process: String, run_delay_ns: u64, for_others_ns: Option<f64>) -> Self {
        Wait { role: None, process, run_delay_ns, for_others_ns }
    }
}

/// The waits of all roles in these places.
pub(super) fn waits(
    record: &TrialRecord,
    moving: &Moving,
    places: &[&Place<'_>],
    kind: LoadKind,
) -> Vec<Wait> {
    // Records of agents that did not tell.
    let is_unknown = record.agents.is_empty() && record.cell.link.is_real();
    let apart = record.machine.publisher_cpu.is_some();
    let mut waits = Vec::new();
    for role in moving.known().map(|(role, _)| role) {
        let its: Vec<_> = places.iter().filter(|place| place.has(role)).collect();
        for place in &its {
            let busy = (!is_unknown).then(|| Busy::of(place, kind, apart));
            for part in place.parts.iter().filter(|part| part.role == role) {
                let process = match place.agent {
                    Some(agent) if its.len() > 1 => format!("{role} on {agent}"),
                    _ => role.to_string(),
                };
                let run_delay_ns = part.used.run_delay_ns;
                let for_others_ns = busy.map(|busy| busy.waited_for_others_ns(run_delay_ns));
                waits.push(Wait { role: Some(role), process, run_delay_ns, for_others_ns });
            }
        }
    }
    waits
}

/// What used the CPUs of a machine while messages moved, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Busy {
    /// What is under test: client, codec, broker with all of its threads.
    tested_ns: f64,
    /// Other work and the stand's own, at most: what is in use but not by the things under test, and what the kernel's counters may hide of it.
    others_ns: f64,
}

impl Busy {
    /// The stand's own work in the runners counts as under test if messages go as fast as they can, because then each message needs it and
    /// what is saturated is reported with the rate; and if the publishing thread has a CPU for itself.
    fn of(place: &Place<'_>, kind: LoadKind, apart: bool) -> Self {
        let full_speed = matches!(kind, LoadKind::Batch | LoadKind::Search);
        let tested = place.on_machine.iter().map(|RolePart { role, used }| {
            let counts = full_speed || (apart && *role == Role::Publisher);
            used.cpu_ns.saturating_sub(if counts { 0 } else { used.stand_cpu_ns })
        });
        let tested_ns = tested.fold(0, u64::saturating_add);
        let others_ns = place.in_use_ns.saturating_sub(tested_ns).saturating_add(TICK_NS);
        Busy { tested_ns: tested_ns as f64, others_ns: others_ns as f64 }
    }

    /// How much of a wait for a CPU was for others. A waiting process waits for those on the CPUs: for others in proportion to their share of what
    /// is in use, and no longer than they were there.
    fn waited_for_others_ns(self, run_delay_ns: u64) -> f64 {
        let share = self.others_ns / (self.others_ns + self.tested_ns);
        (run_delay_ns as f64 * share).min(self.others_ns)
    }
}

#[cfg(test)]
mod tests;

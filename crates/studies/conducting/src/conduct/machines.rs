//! The machines of a trial's agents, from what each says about itself.

use std::io;

use wiredyno_model::Role;
use wiredyno_model::trial::{AgentLoad, CpuUse, RolePart};
use wiredyno_seats::machine::{TICK_NS, boot_id};
use wiredyno_seats::seat::clock::Moment;
use wiredyno_seats::seat::{MachineUse, Moved};

/// How much longer than here an agent may have watched, in nanoseconds: it reads its counters some time after it was asked to.
const SLACK_NS: u64 = 10_000_000_000;

/// The most CPUs of a machine.
const MOST_CPUS: u32 = 100_000;

/// What is known of them so far.
pub(super) struct Machines {
    since: Moment,
    /// The boot ids of those that have a number: ours is the first.
    numbers: Vec<String>,
    pub(super) agents: Vec<AgentLoad>,
}

impl Machines {
    /// None, watched since a moment.
    pub(super) fn since(since: Moment) -> Self {
        Machines { since, numbers: vec![boot_id()], agents: Vec::new() }
    }

    /// Adds what a role used on its machine; returns it.
    ///
    /// # Errors
    /// When an agent says what can't be.
    pub(super) fn add(&mut self, role: Role, moved: Moved) -> io::Result<CpuUse> {
        let Moved { used, machine } = moved;
        let Some((agent, machine)) = machine else { return Ok(used) };
        if !is_possible(&machine, used, self.since) {
            return Err(io::Error::other(format!(
                "the agent {agent} says what can't be of its machine: {machine:?}, of which its {role} used {used:?}"
            )));
        }
        let number = self.number(&agent, &machine.boot_id);
        let place = match self.agents.iter().position(|load| load.agent == agent) {
            Some(place) => place,
            None => {
                let MachineUse { cpus, watched_ns, in_use_ns, steal, .. } = machine;
                let (machine, roles) = (number, Vec::new());
                self.agents.push(AgentLoad { agent, machine, roles, cpus, watched_ns, in_use_ns, steal });
                self.agents.len() - 1
            }
        };
        let roles = &mut self.agents[place].roles;
        match roles.iter_mut().find(|part| part.role == role) {
            Some(part) => part.used += used,
            None => roles.push(RolePart { role, used }),
        }
        Ok(used)
    }

    /// The number of a machine. One that does not say which it is, is its agent's alone.
    fn number(&mut self, agent: &str, boot_id: &str) -> u32 {
        let which = if boot_id.is_empty() { format!("of {agent}") } else { boot_id.to_owned() };
        let known = self.numbers.iter().position(|known| *known == which).unwrap_or(self.numbers.len());
        if known == self.numbers.len() {
            self.numbers.push(which);
        }
        u32::try_from(known).unwrap_or(u32::MAX)
    }
}

/// Whether no counter says more than the time that has passed allows.
fn is_possible(machine: &MachineUse, used: CpuUse, since: Moment) -> bool {
    let MachineUse { cpus, watched_ns, in_use_ns, steal, .. } = *machine;
    let most_ns = u64::try_from(Moment::now().since(since).as_nanos()).unwrap_or(u64::MAX);
    let most_ns = most_ns.saturating_add(SLACK_NS);
    let cpu_ns = most_ns.saturating_mul(cpus.into());
    // Ticks are rounded on each CPU.
    let in_use = watched_ns.saturating_mul(cpus.into()).saturating_add(u64::from(cpus) * 10 * TICK_NS);
    (1..=MOST_CPUS).contains(&cpus)
        && watched_ns <= most_ns
        && in_use_ns <= in_use
        && (0.0..=1.0).contains(&steal)
        && used.cpu_ns <= cpu_ns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(agent: &str, boot_id: &str, machine: MachineUse, cpu_ns: u64) -> Moved {
        let machine = MachineUse { boot_id: boot_id.into(), ..machine };
        Moved { used: CpuUse { cpu_ns, ..CpuUse::default() }, machine: Some((agent.into(), machine)) }
    }

    const SECOND: u64 = 1_000_000_000;

    fn quiet() -> MachineUse {
        MachineUse { cpus: 2, watched_ns: SECOND, in_use_ns: SECOND, ..MachineUse::default() }
    }

    #[test]
    fn agents_of_one_machine_have_one_number_and_roles_of_one_agent_are_kept_apart() {
        let mut of = Machines::since(Moment::now());
        let here = boot_id();
        for (role, agent, boot, cpu_ns) in [
            (Role::Publisher, "vehicle", "a", 1),
            (Role::Publisher, "vehicle", "a", 2),
            (Role::Subscriber, "vehicle", "a", 4),
            (Role::Subscriber, "car", "b", 8),
            (Role::Subscriber, "truck", "a", 16),
            (Role::Broker, "rack", &here, 32),
            (Role::Subscriber, "dumb", "", 64),
            (Role::Subscriber, "mute", "", 128),
        ] {
            of.add(role, moved(agent, boot, quiet(), cpu_ns)).unwrap();
        }
        let ours = Moved { used: CpuUse { cpu_ns: 7, ..CpuUse::default() }, machine: None };
        assert_eq!(of.add(Role::Publisher, ours).unwrap().cpu_ns, 7);
        let told: Vec<_> = of.agents.iter().map(|load| (load.agent.as_str(), load.machine)).collect();
        assert_eq!(told, [("vehicle", 1), ("car", 2), ("truck", 1), ("rack", 0), ("dumb", 3), ("mute", 4)]);
        let of_vehicle: Vec<_> =
            of.agents[0].roles.iter().map(|part| (part.role, part.used.cpu_ns)).collect();
        assert_eq!(of_vehicle, [(Role::Publisher, 3), (Role::Subscriber, 4)]);
    }

    #[test]
    fn what_can_not_be_is_refused_with_the_name_of_the_agent() {
        let mut of = Machines::since(Moment::now());
        let wrong = [
            (MachineUse { watched_ns: u64::MAX, ..quiet() }, 0),
            (MachineUse { watched_ns: 60 * SECOND, ..quiet() }, 0),
            (MachineUse { in_use_ns: 4 * SECOND, ..quiet() }, 0),
            (MachineUse { steal: 5.0, ..quiet() }, 0),
            (MachineUse { steal: f64::NAN, ..quiet() }, 0),
            (MachineUse { cpus: 0, ..quiet() }, 0),
            (quiet(), u64::MAX),
        ];
        for (machine, cpu_ns) in wrong {
            let error = of.add(Role::Publisher, moved("liar", "a", machine, cpu_ns)).unwrap_err();
            assert!(error.to_string().contains("the agent liar says what can't be"), "{error}");
        }
        assert!(of.agents.is_empty());
    }
}

use wiredyno_model::trial::RolePart;

use crate::validity::tests::{judged, trial};
use crate::validity::*;

/// Two CPUs of an agent, for a second.
fn load(agent: &str, roles: &[Role], in_use_ns: u64, own_ns: u64) -> AgentLoad {
    let used = CpuUse { cpu_ns: own_ns, ..CpuUse::default() };
    let roles = roles.iter().map(|&role| RolePart { role, used }).collect();
    let (agent, machine) = (agent.to_owned(), 1);
    AgentLoad { agent, machine, roles, cpus: 2, watched_ns: 1_000_000_000, in_use_ns, steal: 0.0 }
}

#[test]
fn an_agents_machine_is_overloaded_by_its_roles_and_invalid_by_others() {
    let mut record = trial();
    record.agents = vec![load("vehicle", &[Role::Publisher], 1_950_000_000, 300_000_000)];
    let (invalid, overloaded) = judged(&record, LoadKind::Open);
    assert_eq!(
        invalid,
        ["the machine of the agent vehicle was busy 98 % of the time (limit 90 %), mostly with other work"]
    );
    assert!(overloaded.is_empty());
    record.agents[0].roles[0].used.cpu_ns = 1_500_000_000;
    let (invalid, overloaded) = judged(&record, LoadKind::Open);
    assert!(
        overloaded[0].contains("the agent vehicle") && overloaded[0].contains("77 % of it"),
        "{overloaded:?}"
    );
    assert!(invalid.is_empty() && judged(&record, LoadKind::Closed).1.is_empty(), "{invalid:?}");
    record.agents = vec![AgentLoad { steal: 0.5, ..load("vehicle", &[Role::Publisher], 0, 0) }];
    let (invalid, _) = judged(&record, LoadKind::Closed);
    assert!(invalid[0].contains("CPU time of the machine of the agent vehicle"), "{invalid:?}");
}

#[test]
fn a_role_on_an_agent_waits_for_what_else_is_busy_there() {
    let waits = |agents: Vec<AgentLoad>| {
        let mut record = trial();
        record.cell.link = "real".parse().unwrap();
        record.agents = agents;
        record.moving = Some(Moving {
            moved_ns: 1_000_000_000,
            watched_ns: 1_000_000_000,
            in_use_ns: 1_500_000_000,
            publisher: CpuUse { cpu_ns: 400_000_000, run_delay_ns: 300_000_000, stand_cpu_ns: 0 },
            ..Moving::default()
        });
        judged(&record, LoadKind::Closed).0
    };
    let waiting = |agent: &str, machine: u32, in_use_ns: u64| {
        let mut load = load(agent, &[Role::Publisher], in_use_ns, 400_000_000);
        (load.machine, load.roles[0].used.run_delay_ns) = (machine, 300_000_000);
        load
    };
    // It had its machine for itself: it waited for its own threads, however busy this machine is.
    let alone = || waiting("vehicle", 1, 405_000_000);
    assert_eq!(waits(vec![alone()]), Vec::<String>::new());
    assert!(
        waits(vec![waiting("vehicle", 1, 1_200_000_000)])[0]
            .contains("the publisher waited for a CPU 30.0 %")
    );
    // Each of several machines is judged by what is busy there, and the worst is named.
    assert_eq!(waits(vec![alone(), waiting("truck", 2, 405_000_000)]), Vec::<String>::new());
    let found = waits(vec![alone(), waiting("truck", 2, 1_200_000_000), waiting("car", 3, 1_200_000_000)]);
    assert!(found.len() == 1 && found[0].contains("the publisher on truck waited"), "{found:?}");
    // What another agent's role used of the same machine is no other work.
    assert_eq!(
        waits(vec![waiting("truck", 2, 805_000_000), waiting("car", 2, 805_000_000)]),
        Vec::<String>::new()
    );
}

#[test]
fn agents_that_share_a_machine_use_it_up_together() {
    let mut record = trial();
    let half = |agent: &str, role, machine| AgentLoad {
        machine,
        ..load(agent, &[role], 1_950_000_000, 900_000_000)
    };
    record.agents = vec![half("vehicle", Role::Publisher, 1), half("car", Role::Subscriber, 1)];
    let (invalid, overloaded) = judged(&record, LoadKind::Open);
    assert!(invalid.is_empty() && overloaded.len() == 2, "{invalid:?} {overloaded:?}");
    record.agents[1].machine = 2;
    assert_eq!(judged(&record, LoadKind::Open).0.len(), 2);
}

#[test]
fn a_machine_that_its_roles_use_up_excuses_none_but_them() {
    let mut record = trial();
    record.schedule.woken_p99_ns = 50_000_000;
    let load = |agent: &str, role, machine, in_use_ns| AgentLoad {
        machine,
        ..load(agent, &[role], in_use_ns, in_use_ns)
    };
    record.agents = vec![
        load("vehicle", Role::Publisher, 1, 100_000_000),
        load("car", Role::Subscriber, 2, 1_950_000_000),
    ];
    let (invalid, overloaded) = judged(&record, LoadKind::Open);
    assert!(
        overloaded.len() == 1 && !invalid.is_empty(),
        "the publisher woke late by itself: {overloaded:?}"
    );
    record.agents = vec![
        load("vehicle", Role::Publisher, 1, 1_950_000_000),
        load("car", Role::Subscriber, 2, 100_000_000),
    ];
    let (invalid, overloaded) = judged(&record, LoadKind::Open);
    assert!(overloaded.len() == 1 && invalid.is_empty(), "{invalid:?}");
}

#[test]
fn a_busy_desk_on_which_nothing_of_a_trial_runs_is_no_fault_of_it() {
    let mut record = trial();
    record.machine.utilisation = 0.97;
    record.agents = [Role::Publisher, Role::Subscriber, Role::Broker]
        .map(|role| load("vehicle", &[role], 400_000_000, 300_000_000))
        .to_vec();
    assert_eq!(judged(&record, LoadKind::Open).0, Vec::<String>::new());
    // Its gates pass over it.
    assert_eq!(judged(&record, LoadKind::Closed).0.len(), 1);
}

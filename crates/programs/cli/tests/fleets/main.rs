//! Fleets that are brought up for real: by ssh to servers of its own, as a job of a Slurm with three nodes, and in a Kubernetes with two, all in namespaces of this machine; and what
//! becomes of them when something breaks. The programs are those that `make deps-test` unpacks (`packages`); where they could not be had, tests are
//! ignored, with the reason in the name. They mostly wait, so several run at a time. Kubernetes is built by `make test-kubernetes`, which alone runs its tests.

#![allow(clippy::unwrap_used, reason = "every function here is a test or a part of one")]

#[path = "../physical/processes.rs"]
mod processes;
#[path = "../stand/mod.rs"]
mod stand;

mod kubernetes;
mod packages;
mod slurm;
mod ssh;
mod stage;
mod standing;

use std::process::Command;

use libtest_mimic::Arguments;
use stand::{installed, said};
use wiredyno_listed::listed;

/// A test's name, its function, and the reason if it can't run here.
type Listed = (&'static str, fn(), Result<(), String>);

/// Whether machines can be had: the rights, and what the kernel has to know.
fn machines() -> Result<(), String> {
    if !nix::unistd::geteuid().is_root() {
        return Err("needs root".to_owned());
    }
    ["unshare", "nsenter", "setpriv", "ip", "mount"].into_iter().try_for_each(installed)?;
    let tried = "ip link add br0 type bridge && ip link add link1 type veth peer name eth0 && mount -t tmpfs tmpfs /mnt";
    let mut command = Command::new("unshare");
    command.args(["--net", "--mount", "--pid", "--uts", "--fork", "--mount-proc", "sh", "-c", tried]);
    match said(&mut command) {
        said if said.code == Some(0) => Ok(()),
        said => Err(format!("no machine can be made: {}", said.err.trim())),
    }
}

fn main() {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = arguments.test_threads.or(Some(4));
    let machines = machines();
    let ssh = || machines.clone().and_then(|()| ssh::here());
    let slurm = || machines.clone().and_then(|()| slurm::here());
    let kubernetes = || machines.clone().and_then(|()| kubernetes::here());
    let all: Vec<Listed> = vec![
        ("slurm::a_run_ends_when_a_node_is_cut_off_and_slurm_has_no_job_any_more", slurm::cut, slurm()),
        ("ssh::a_run_ends_when_a_machine_is_cut_off_and_that_cleans_up_by_itself", ssh::cut, ssh()),
        (
            "slurm::fewer_agents_than_asked_for_are_enough_and_a_daemon_that_dies_costs_nothing",
            slurm::fewer,
            slurm(),
        ),
        ("slurm::a_killed_coordinator_leaves_neither_job_nor_agent", slurm::killed, slurm()),
        ("ssh::a_killed_coordinator_leaves_neither_agent_nor_folder", ssh::killed, ssh()),
        ("slurm::a_killed_agent_ends_the_run_and_the_job", slurm::agent_killed, slurm()),
        ("slurm::control_c_ends_job_and_agents", slurm::interrupted, slurm()),
        ("ssh::control_c_ends_agents_and_removes_what_was_brought", ssh::interrupted, ssh()),
        ("slurm::a_study_runs_on_the_nodes_of_a_job", slurm::study, slurm()),
        ("ssh::a_fleet_that_stays_serves_several_runs", ssh::stays, ssh()),
        ("slurm::a_fleet_that_stays_serves_several_runs", slurm::stays, slurm()),
        ("kubernetes::a_fleet_that_stays_serves_several_runs", kubernetes::stays, kubernetes()),
        ("ssh::a_study_runs_on_machines_and_leaves_nothing_there", ssh::study, ssh()),
        ("ssh::a_machine_that_is_not_reached_and_needed_ends_the_run_at_once", ssh::unreached, ssh()),
        (
            "kubernetes::a_study_runs_in_pods_and_leaves_nothing_in_the_cluster",
            kubernetes::study,
            kubernetes(),
        ),
        (
            "kubernetes::a_pod_that_is_refused_or_waits_is_told_in_the_words_of_the_cluster",
            kubernetes::refused,
            kubernetes(),
        ),
        (
            "kubernetes::a_run_ends_when_an_agent_is_killed_or_its_pod_is_evicted",
            kubernetes::lost,
            kubernetes(),
        ),
        (
            "kubernetes::a_run_ends_when_a_node_is_cut_off_and_its_pod_goes_when_it_is_back",
            kubernetes::cut,
            kubernetes(),
        ),
        (
            "kubernetes::control_c_and_a_killed_coordinator_leave_neither_job_nor_pod",
            kubernetes::ended,
            kubernetes(),
        ),
    ];
    let trials = all.into_iter().map(|(name, run, right)| listed(name, run, right)).collect();
    libtest_mimic::run(&arguments, trials).exit();
}

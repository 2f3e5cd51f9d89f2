//! Physical tests: real hosts, real packets, real time. This program is its own lane process and its own small
//! `wiredyno link`: called with a role, it plays that, otherwise it runs the tests. Tests prevented by a
//! missing right are ignored, with the reason in the test's name; as root none is.

#![allow(clippy::unwrap_used, reason = "every function here is a test or plays one")]

mod roles;
mod tests;

use std::path::PathBuf;
use std::process::Command;

use libtest_mimic::Arguments;
use wiredyno_link::sandbox::Rights;
use wiredyno_listed::{installed, listed};

/// A test's name, its function, and what prevents it.
type Listed = (&'static str, fn(), Result<(), String>);

/// The path of this program.
fn this() -> PathBuf {
    std::env::current_exe().unwrap()
}

/// A command that starts this program in a role.
fn role(name: &str) -> Command {
    let mut command = Command::new(this());
    command.arg(name);
    command
}

fn stdout(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{text}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

fn main() {
    if let Some(code) = roles::play() {
        std::process::exit(code);
    }
    let mut arguments = Arguments::from_args();
    // They measure time, so they run one at a time unless requested otherwise.
    arguments.test_threads = arguments.test_threads.or(Some(1));
    let rights: Rights = serde_json::from_str(&stdout(&mut role("rights"))).unwrap();
    let link = || rights.network_namespaces.clone().map_err(|missing| missing.to_string());
    let inside = || rights.pid_namespace.clone().map_err(|missing| missing.to_string());
    let root = || nix::unistd::geteuid().is_root().then_some(()).ok_or("needs root".to_owned());
    let ping = || link().and_then(|()| installed("ping"));
    let tshark = || link().and_then(|()| installed("tshark"));
    let other_user = || root().and_then(|()| installed("useradd")).and_then(|()| installed("setpriv"));
    let all: Vec<Listed> = vec![
        ("ping_shows_70_ms_for_35_ms_each_way", tests::ping_shows_the_delay, ping()),
        ("ping_loses_19_percent_for_10_percent_each_way", tests::ping_shows_the_loss, ping()),
        (
            "tcp_arrives_intact_through_loss_and_retransmissions_equal_the_kernels",
            tests::tcp_through_loss,
            link(),
        ),
        ("taps_count_what_the_link_counts", tests::taps_count_what_the_link_counts, link()),
        ("a_stalled_link_says_what_its_tun_dropped", tests::stalled_link_counts_its_drops, link()),
        (
            "congestion_control_is_the_links_and_not_the_machines",
            tests::congestion_control_is_the_links,
            link(),
        ),
        ("a_constant_rate_is_kept", tests::rate_is_kept, link()),
        ("capture_sums_equal_the_counters", tests::capture_equals_counters, tshark()),
        ("multicast_crosses_the_link", tests::multicast_crosses, link()),
        ("hosts_reach_each_other_and_nobody_else", tests::hosts_reach_nobody_else, link()),
        ("lanes_side_by_side_do_not_see_each_other", tests::lanes_are_apart, link()),
        ("nothing_is_left_when_the_outer_process_is_killed", tests::nothing_is_left, link().and(inside())),
        ("exit_codes_and_signals_pass_through", tests::statuses_pass_through, link().and(inside())),
        ("exec_starts_a_server_first_and_ends_it", tests::server_on_cloud, link().and(installed("python3"))),
        ("check_measures_the_floor", tests::check_measures, link()),
        ("an_ordinary_user_has_the_link_too", tests::ordinary_user, other_user().and(ping())),
        ("without_namespaces_the_reason_is_named_and_a_watchdog_cleans_up", tests::without_rights, root()),
    ];
    let trials = all.into_iter().map(|(name, run, right)| listed(name, run, right)).collect();
    libtest_mimic::run(&arguments, trials).exit();
}

//! Proofs of the accounting: real message trials through the orchestrator, on a link that injects faults, whose
//! records are compared with the link's own list of what it did, tshark, the kernel's sockets and /proc. This
//! program is its own runner and lane process: called with a role it plays that, otherwise it runs the tests.
//!
//! Short forms always run; `WIREDYNO_TEST_FULL=1` makes more and longer trials. Tests that lack a permission or tool
//! are ignored, with the reason in the test's name. No test bounds a time: a busy machine makes trials
//! slow and may make them invalid, but every count still has to be right.

#![allow(clippy::unwrap_used, reason = "every function here is a test or plays one")]

mod books;
mod classes;
mod coap;
mod dds;
mod faults;
mod groups;
mod live;
mod parts;
mod quic;
mod stage;
mod timings;
mod watch;

use std::path::PathBuf;
use std::process::Command;

use libtest_mimic::{Arguments, Trial};
use wiredyno_link::sandbox::Rights;
use wiredyno_listed::{installed, listed};

/// A test's name, what it does, and what prevents it.
type Listed = (&'static str, fn(), Result<(), String>);

/// The path of this program.
fn this() -> PathBuf {
    std::env::current_exe().unwrap()
}

/// A command that runs this program in a role.
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

/// Whether the long forms are requested.
fn full() -> bool {
    std::env::var_os("WIREDYNO_TEST_FULL").is_some_and(|value| value == "1")
}

#[expect(clippy::too_many_lines, reason = "the list of tests with what each needs")]
fn main() {
    if let Some(code) = stage::play() {
        std::process::exit(code);
    }
    let mut arguments = Arguments::from_args();
    if !arguments.list {
        stage::build();
    }
    // Trials wait more than they compute.
    arguments.test_threads = arguments.test_threads.or(Some(4));
    let rights: Rights = serde_json::from_str(&stdout(&mut role("rights"))).unwrap();
    let link = || rights.network_namespaces.clone().map_err(|missing| missing.to_string());
    let tshark = || link().and_then(|()| installed("tshark"));
    let ss = || link().and_then(|()| installed("ss"));
    let all: Vec<Listed> = vec![
        ("udp_counts_equal_what_was_injected", || faults::datagrams("udp", ""), link()),
        (
            "coap_non_counts_equal_what_was_injected",
            || faults::datagrams("coap:non", "deduplicate = false"),
            link(),
        ),
        ("messages_without_bytes_are_only_counted", faults::without_bytes, link()),
        ("coap_drops_copies_and_con_repairs_losses", faults::coap_repairs, link()),
        ("tcp_loses_and_duplicates_nothing", || faults::stream("tcp"), link()),
        ("quic_streams_lose_and_duplicate_nothing", quic::streams_repair_everything, link()),
        ("quic_datagrams_are_lost_with_their_packets", quic::datagrams_are_lost_with_their_packets, link()),
        ("mqtt_qos0_loses_and_duplicates_nothing", || faults::stream("mqtt:qos0"), link()),
        ("mqtt_qos1_loses_and_duplicates_nothing", || faults::stream("mqtt:qos1"), link()),
        ("mqtt_qos2_loses_and_duplicates_nothing", || faults::stream("mqtt:qos2"), link()),
        ("wire_bytes_and_packets_equal_tsharks", books::wire_equals_tshark, tshark()),
        ("wire_bytes_of_brokers_that_are_kept_equal_tsharks", books::wire_of_kept_brokers, tshark()),
        ("wire_bytes_of_one_hop_equal_tsharks", books::wire_of_one_hop, tshark()),
        ("dds_reliable_loses_and_duplicates_nothing", dds::reliable, link()),
        ("dds_best_effort_loses_what_a_fragment_s_loss_implies", dds::best_effort, link()),
        ("dds_classes_equal_tsharks_and_messages_cross_once", dds::classes, tshark()),
        ("classes_and_crossings_equal_tsharks", classes::classes_and_crossings_equal_tsharks, tshark()),
        ("a_message_between_peers_crosses_once", classes::a_message_between_peers_crosses_once, link()),
        (
            "members_of_a_group_get_each_message_once_and_tell_of_which_partition",
            groups::each_message_once,
            link().and_then(|()| stage::served("kafka")),
        ),
        ("parts_of_each_message_add_up_with_losses", parts::without_brokers, link()),
        ("parts_of_each_message_add_up_with_losses_over_brokers", parts::of_brokers, link()),
        ("warm_up_is_in_no_measured_byte", books::warm_up_is_in_no_measured_byte, link()),
        ("coap_retransmissions_equal_tsharks", coap::retransmissions_equal_tsharks, tshark()),
        ("what_coap_supersedes_is_exactly_what_tshark_misses", coap::superseded, tshark()),
        ("retransmissions_equal_the_kernels", books::retransmissions_equal_the_kernels, ss()),
        ("cpu_and_memory_equal_what_proc_says", books::use_equals_proc, link()),
        (
            "what_is_shown_of_a_running_trial_is_what_its_record_says_afterwards",
            live::equals_the_record,
            link(),
        ),
        (
            "timings_are_in_the_database_when_they_are_committed_and_only_then",
            timings::kept_when_committed,
            wiredyno_seats::database::missing().map_or(Ok(()), |lack| Err(lack.to_string())),
        ),
    ];
    let mut trials: Vec<Trial> =
        all.into_iter().map(|(name, run, right)| listed(name.to_owned(), run, right)).collect();
    for mode in faults::OF_BROKERS {
        let protocol = mode.split_once(':').map_or(mode, |(protocol, _)| protocol);
        let name = format!("{}_loses_and_duplicates_nothing", mode.replace(['-', ':'], "_"));
        let right = link().and_then(|()| stage::served(protocol));
        trials.push(listed(name, move || faults::stream_of_broker(mode), right));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

//! Runs that need rights or installed programs: links, signals, other users, brokers, tshark. A missing one
//! makes a test ignored, with the reason in its name; as root with the programs installed none is. Names begin with
//! their module's name, as in libtest: `scripts/tests` runs each module as a job of its own.

#![allow(clippy::unwrap_used, reason = "every function here is a test or a part of one")]

#[path = "../stand/mod.rs"]
mod stand;

mod agents;
mod brokers;
mod drift;
mod kills;
mod links;
mod one_way;
mod options;
mod own;
mod pace;
mod printed;
mod processes;
mod records;
mod room;
mod self_test;
mod signals;
mod twenty;
mod users;

use std::process::Command;

use libtest_mimic::Arguments;
use stand::{installed, postgresql, wiredyno};
use wiredyno_listed::listed;

/// A test's name, its function, and the reason if it can't run here.
type Listed = (&'static str, fn(), Result<(), String>);

/// What `doctor` reports about a right.
fn right(id: &str) -> Result<(), String> {
    let findings = wiredyno(&["doctor", "--json"]).json();
    let finding = stand::array(&findings).iter().find(|finding| finding["id"] == id).unwrap().clone();
    match finding["here"].as_bool() {
        Some(true) => Ok(()),
        _ => Err(finding["detail"].to_string()),
    }
}

/// The Python to use: `WIREDYNO_PYTHON`, as in the other crates' tests, or the one on the path.
fn python() -> Command {
    Command::new(std::env::var_os("WIREDYNO_PYTHON").unwrap_or_else(|| "python3".into()))
}

/// Whether Python can import a module.
fn python_has(module: &str) -> Result<(), String> {
    let imported = python().args(["-c", &format!("import {module}")]).output();
    let here = imported.is_ok_and(|output| output.status.success());
    here.then_some(()).ok_or_else(|| format!("Python has no {module}"))
}

/// Tests that take minutes run only with `WIREDYNO_TEST_FULL`.
fn full() -> Result<(), String> {
    std::env::var_os("WIREDYNO_TEST_FULL")
        .map(|_| ())
        .ok_or_else(|| "WIREDYNO_TEST_FULL=1 runs it".to_owned())
}

#[expect(clippy::too_many_lines, reason = "the list of tests with what each needs")]
fn main() {
    let mut arguments = Arguments::from_args();
    // Each test loads the whole machine, so they run one at a time unless the arguments say otherwise.
    arguments.test_threads = arguments.test_threads.or(Some(1));
    let (link, inside) = (right("emulated link"), right("nothing outlives a run"));
    let link = || link.clone();
    let run_ends = || link().and_then(|()| inside.clone());
    let root = || nix::unistd::geteuid().is_root().then_some(()).ok_or("needs root".to_owned());
    let other_user = || root().and_then(|()| installed("useradd")).and_then(|()| installed("setpriv"));
    let mosquitto = || installed("mosquitto");
    let cargo = || installed("cargo").and_then(|()| installed("cc"));
    let apart = || root().and_then(|()| installed("unshare"));
    let all: Vec<Listed> = vec![
        ("agents::clocks_that_are_apart_are_known_within_their_bounds", agents::clocks_apart, apart()),
        (
            "agents::clocks_at_both_ends_of_a_lopsided_link_are_known_within_their_bounds",
            agents::clocks_over_a_link,
            apart().and_then(|()| link()),
        ),
        ("agents::a_study_runs_on_two_machines_with_clocks_apart", agents::roles_apart, apart()),
        ("agents::publishers_on_three_machines_are_told_by_one_clock", agents::publishers_apart, apart()),
        (
            "agents::subscribers_on_two_machines_are_told_by_one_clock",
            agents::subscribers_apart,
            apart().and_then(|()| mosquitto()),
        ),
        (
            "agents::a_broker_runs_on_the_machine_that_is_its_host",
            agents::broker_apart,
            apart().and_then(|()| mosquitto()),
        ),
        (
            "agents::a_latency_over_a_lopsided_link_is_told_within_its_bound",
            agents::latency_over_a_link,
            apart().and_then(|()| link()),
        ),
        (
            "agents::a_machine_that_is_cut_off_or_dies_costs_trials_and_no_more",
            agents::cut_and_killed,
            apart(),
        ),
        (
            "drift::what_is_said_of_a_clock_that_drifts_is_true",
            drift::clock_that_drifts,
            apart().and_then(|()| installed("cc")).and(full()),
        ),
        (
            "drift::what_is_said_of_a_clock_that_wanders_is_true",
            drift::clock_that_wanders,
            apart().and_then(|()| installed("cc")).and(full()),
        ),
        (
            "drift::what_is_said_of_a_clock_that_is_set_is_true_or_no_figure",
            drift::clock_that_is_set,
            apart().and_then(|()| installed("cc")).and(full()),
        ),
        (
            "twenty::what_twenty_machines_send_is_merged_without_loss",
            twenty::merged_without_loss,
            apart().and(full()),
        ),
        (
            "links::reliable_modes_deliver_everything_at_5_percent_loss_and_qos_2_nothing_twice",
            links::reliable_modes_deliver,
            link(),
        ),
        ("links::the_links_floor_is_probed_before_each_trial_and_judged", links::floor_is_probed, link()),
        (
            "links::captures_open_in_tshark_and_hold_what_was_counted",
            links::captures,
            link().and(installed("tshark")),
        ),
        (
            "links::captures_of_encrypted_trials_hold_what_was_counted_and_are_read_with_their_keys",
            links::encrypted_captures,
            link().and(installed("tshark")).and(installed("mosquitto")),
        ),
        (
            "one_way::one_way_bodies_cross_the_link_once_and_there_and_back_twice",
            one_way::bodies_cross_once,
            link(),
        ),
        ("one_way::one_way_the_report_predicts_the_loss_of_one_leg", one_way::the_model_has_one_leg, link()),
        (
            "one_way::headers_are_what_stands_around_bodies_and_clients_are_weighed",
            one_way::headers_and_weights,
            link().and(cargo()).and(full()),
        ),
        (
            "pace::the_fast_way_of_a_study_and_its_own_pace_agree",
            pace::fast_and_own_pace_agree,
            link().and(mosquitto()).and(full()),
        ),
        (
            "records::records_are_read_from_a_private_database_that_ends_with_the_run",
            records::read_and_ended,
            cargo().and(postgresql()),
        ),
        (
            "signals::an_interrupted_run_leaves_no_database",
            signals::interrupted_database,
            run_ends().and(cargo()).and(postgresql()),
        ),
        (
            "options::an_option_as_an_axis_changes_the_packets_that_it_says",
            options::blocks_as_an_axis,
            link(),
        ),
        ("links::the_demo_is_planned_in_lanes_and_runs_one_cell_of_it", links::one_cell_of_the_demo, link()),
        ("links::the_whole_demo_loses_nothing_where_the_mode_is_reliable", links::demo, link().and(full())),
        (
            "self_test::the_self_test_finds_bytes_and_losses_that_were_made",
            self_test::finds_what_was_made,
            link(),
        ),
        ("self_test::the_self_test_refuses_too_few_repeats", self_test::refuses_too_few_repeats, Ok(())),
        ("links::pyarrow_reads_the_parquet_files", links::parquet_in_python, python_has("pyarrow")),
        (
            "printed::what_commands_print_for_programs_is_valid_against_the_published_schemas",
            printed::against_schemas,
            python_has("jsonschema"),
        ),
        (
            "links::the_summary_of_a_real_run_is_valid_against_the_published_schema",
            links::summary_against_schema,
            python_has("jsonschema"),
        ),
        (
            "signals::a_run_shows_its_progress_on_a_terminal",
            signals::progress_on_a_terminal,
            installed("script"),
        ),
        (
            "signals::interrupting_the_process_group_ends_a_run_in_good_order",
            signals::interrupted_group,
            run_ends(),
        ),
        ("signals::terminating_the_program_ends_a_run_in_good_order", signals::terminated, run_ends()),
        (
            "signals::control_c_on_a_terminal_ends_a_run_in_good_order",
            signals::control_c,
            run_ends().and(installed("script")),
        ),
        (
            "signals::interrupting_codec_trials_ends_a_run_in_good_order",
            signals::interrupted_codec_trials,
            run_ends(),
        ),
        ("signals::killing_the_program_leaves_no_process_and_no_host", signals::killed, run_ends()),
        (
            "kills::processes_killed_in_the_middle_of_trials_cost_no_finished_trial_and_leave_nothing",
            kills::seeded,
            run_ends().and(mosquitto()),
        ),
        (
            "kills::a_lane_that_goes_costs_no_attempt_and_one_that_goes_again_and_again_ends_the_run",
            kills::lanes,
            run_ends().and(mosquitto()),
        ),
        ("users::an_ordinary_user_runs_a_study_over_a_link", users::ordinary_user, other_user().and(link())),
        (
            "users::a_user_without_the_device_is_told_why_and_gets_the_stand_in",
            users::no_device,
            other_user(),
        ),
        ("users::a_user_without_namespaces_is_told_why_and_gets_the_stand_in", users::no_namespaces, root()),
        ("brokers::a_broker_that_runs_already_is_used_and_left_running", brokers::external, mosquitto()),
        ("brokers::a_broker_that_does_not_answer_is_named_in_the_results", brokers::absent, Ok(())),
        ("brokers::an_installed_broker_is_preferred_and_its_version_recorded", brokers::managed, mosquitto()),
        (
            "brokers::a_broker_serves_a_trial_a_cell_or_the_run_and_says_where_its_data_lie",
            brokers::lifetimes,
            mosquitto(),
        ),
        (
            "brokers::a_broker_that_does_not_end_when_it_is_asked_to_is_killed_and_the_run_goes_on",
            brokers::stubborn,
            mosquitto(),
        ),
        (
            "brokers::without_an_installed_broker_the_report_says_embedded",
            brokers::embedded,
            root().and(link()).and(brokers::beside()),
        ),
        (
            "signals::an_interrupted_build_leaves_no_process_and_no_half_made_runner",
            signals::interrupted_build,
            run_ends().and(cargo()),
        ),
        (
            "signals::a_killed_build_leaves_no_process_and_the_next_one_builds",
            signals::killed_build,
            run_ends().and(cargo()),
        ),
        ("signals::a_runner_that_a_run_uses_is_not_deleted", signals::in_use, run_ends()),
        (
            "room::without_room_for_a_runner_the_user_is_told_how_to_make_some",
            room::none_for_a_runner,
            cargo().and(room::of_its_own()),
        ),
        (
            "room::a_run_whose_disk_fills_up_ends_and_goes_on_when_there_is_room",
            room::none_for_a_trial,
            room::of_its_own(),
        ),
        (
            "own::a_payload_from_json_lines_is_built_and_measured_over_mqtt",
            own::built_and_measured,
            root().and(cargo()).and(brokers::beside()).and(full()),
        ),
    ];
    let trials = all.into_iter().map(|(name, run, right)| listed(name, run, right)).collect();
    libtest_mimic::run(&arguments, trials).exit();
}

//! Every runner and codec over every composed payload: one process each, driven over the contract.
//!
//! A test is a property, a runner with its payload, and a codec. Names begin with a payload that takes long, or another part: `scripts/tests` runs each as a job of its own. A failure that no runner may have, such as a panic, a
//! crash or silence, fails the test that meets it.

#![allow(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

mod damage;
mod describe;
mod formats;
mod interoperability;
mod measured;
mod numbered;
mod values;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use prost_reflect::DynamicMessage;
use wiredyno_testkit::{Subject, folders, payloads, rust};

/// A property of a runner's codec, as a test.
type Property = (&'static str, fn(&Subject, &str));

/// Properties tested with every codec that carries the payload.
const OF_CODECS: &[Property] = &[
    ("every_sample_comes_back_equal", values::every_sample_comes_back_equal),
    ("values_of_unknown_type_come_back", values::values_of_unknown_type_come_back),
    ("fresh_processes_give_the_same_bytes", values::fresh_processes_give_the_same_bytes),
    ("first_calls_are_timed_and_right", measured::first_calls_are_timed_and_right),
    ("all_phases_are_measured_and_checked", measured::all_phases_are_measured_and_checked),
    ("numbered_messages_differ_and_keep_their_size", numbered::numbered_messages_differ_and_keep_their_size),
    ("truncated_bytes_never_panic", damage::truncated_bytes_never_panic),
    ("mutated_bytes_never_panic_or_hang", damage::mutated_bytes_never_panic_or_hang),
];

/// Properties tested with every codec over the payload with the most constructs.
const OF_KITCHEN_SINK: &[Property] = &[(
    "ten_repeats_agree_on_heap_and_stack_of_one_call",
    measured::ten_repeats_agree_on_heap_and_stack_of_one_call,
)];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    // One runner alone, while working on it: without the comparisons, which need all.
    let only = std::env::var("WIREDYNO_TEST_RUNNER").ok();
    let others = || folders::subjects(only.as_deref());
    let subjects = match rust::subjects(|_| only.as_deref().is_none_or(|only| only == rust::NAME)) {
        Ok(subjects) => &*subjects.into_iter().chain(others()).collect::<Vec<_>>().leak(),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let mut trials = Vec::new();
    for subject in subjects {
        for codec in subject.carried() {
            let of_sink = if subject.payload.id().name == "kitchen-sink" { OF_KITCHEN_SINK } else { &[] };
            trials.extend(OF_CODECS.iter().chain(of_sink).map(|(name, property)| {
                test_of(part(subject), format!("{name} {} {codec}", subject.name()), || {
                    property(subject, codec)
                })
            }));
        }
        for codec in subject.codecs.iter().filter(|codec| subject.refuses(codec).is_some()) {
            let name = format!("what_is_not_carried_is_refused {} {codec}", subject.name());
            let refused = || describe::what_is_not_carried_is_refused(subject, codec);
            trials.push(test_of(part(subject), name, refused));
        }
        for (codec, reason) in &subject.missing {
            let name = format!("every_property {} {codec} [{reason}]", subject.name());
            trials.push(test_of(part(subject), name, || {}).with_ignored_flag(true));
        }
    }
    trials.extend(describe::tests(subjects));
    let of_no_job = || assert_eq!(jobs(), PARTS, "scripts/tests has other parts of these tests");
    trials.push(test("every_test_is_in_a_part_that_is_run".to_owned(), of_no_job));
    if only.is_none() {
        trials.extend(formats::tests(subjects));
        trials.extend(interoperability::tests(subjects));
    }
    trials.extend(damage::long_tests(subjects));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The parts of these tests: payloads over which most codecs are tested, the other payloads, and what is tested of all runners.
const PARTS: [&str; 6] = ["kitchen-flat", "kitchen-sink", "nested-bounds", "person", OTHERS, RUNNERS];
const OTHERS: &str = "payloads";
const RUNNERS: &str = "runners";

/// The part of a subject's tests.
fn part(subject: &Subject) -> &'static str {
    PARTS.into_iter().find(|part| subject.payload.id().name == **part).unwrap_or(OTHERS)
}

/// The parts that `scripts/tests` runs.
fn jobs() -> Vec<&'static str> {
    let script = include_str!("../../../../../scripts/tests");
    let parts = script.split_once("PARTS = {\"codecs\": (").and_then(|(_, rest)| rest.split_once(')'));
    parts.map_or_else(Vec::new, |(parts, _)| parts.split('"').skip(1).step_by(2).collect())
}

/// A test of all runners.
fn test(name: String, run: impl FnOnce() + Send + 'static) -> Trial {
    test_of(RUNNERS, name, run)
}

fn test_of(part: &str, name: String, run: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(format!("{part}::{name}"), || {
        run();
        Ok(())
    })
}

/// Most samples per payload: enough to cover every shape, few enough to stay quick.
const SAMPLES: usize = 20;

/// For messages longer than this, such as images, a few samples suffice and take long enough.
const LONG_BYTES: usize = 50_000;

/// The samples of a payload that the suites use.
fn samples(subject: &Subject) -> Vec<DynamicMessage> {
    let mut samples = payloads::samples(&subject.payload, SAMPLES);
    if prost_reflect::prost::Message::encoded_len(&samples[0]) > LONG_BYTES {
        samples.truncate(2);
    }
    samples
}

/// For each runner, the first subject over a payload with a codec.
fn over<'a>(subjects: &'a [Subject], payload: &str, codec: &str) -> Vec<&'a Subject> {
    let has = |subject: &&Subject| {
        subject.payload.id().name == payload && subject.codecs.iter().any(|known| known == codec)
    };
    let found: Vec<&Subject> = subjects.iter().filter(has).collect();
    assert!(!found.is_empty(), "no runner has {codec} over {payload}");
    found
}

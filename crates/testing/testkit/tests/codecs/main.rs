//! Every runner and codec over every composed payload: one process each, driven over the contract.
//!
//! A test is a property, a runner with its payload, and a codec. A failure that no runner may have, such as a panic, a
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
                test(format!("{name} {} {codec}", subject.name()), || property(subject, codec))
            }));
        }
        for codec in subject.codecs.iter().filter(|codec| subject.refuses(codec).is_some()) {
            let name = format!("what_is_not_carried_is_refused {} {codec}", subject.name());
            trials.push(test(name, || describe::what_is_not_carried_is_refused(subject, codec)));
        }
        for (codec, reason) in &subject.missing {
            let name = format!("every_property {} {codec} [{reason}]", subject.name());
            trials.push(test(name, || {}).with_ignored_flag(true));
        }
    }
    trials.extend(describe::tests(subjects));
    if only.is_none() {
        trials.extend(formats::tests(subjects));
        trials.extend(interoperability::tests(subjects));
    }
    trials.extend(damage::long_tests(subjects));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn test(name: String, run: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, || {
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

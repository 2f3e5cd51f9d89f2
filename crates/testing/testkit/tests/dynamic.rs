//! Encoders without generated code: they write the same bytes as the codecs for every payload that is compiled here, and for all
//! bundled payloads the recorded sizes.
//!
//! `WIREDYNO_UPDATE_SNAPSHOTS=1` writes the record.

#![allow(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use prost_reflect::DynamicMessage;
use wiredyno_codec_registry::REGISTRY;
use wiredyno_contract::{Operation, Success};
use wiredyno_dynamic::{Described, ENCODERS, Encoder};
use wiredyno_payloads::bundled_names;
use wiredyno_schema::canonical_bytes;
use wiredyno_testkit::payloads::{self, seed};
use wiredyno_testkit::{Subject, full, rust};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let subjects = match rust::subjects(|_| true) {
        Ok(subjects) => &*subjects.leak(),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let test = |name: String, run: Box<dyn FnOnce() + Send>| {
        Trial::test(name, || {
            run();
            Ok(())
        })
    };
    let mut trials = Vec::new();
    for subject in subjects {
        let name = format!("every_encoder_gives_the_bytes_of_its_codec {}", subject.name());
        trials.push(test(name, Box::new(|| every_encoder_gives_the_bytes_of_its_codec(subject))));
    }
    let once = "every_encoder_was_compared_over_some_payload".to_owned();
    trials.push(test(once, Box::new(|| every_encoder_was_compared_over_some_payload(subjects))));
    let list = "the_list_follows_the_registry_and_names_each_codec_once".to_owned();
    trials.push(test(list, Box::new(the_list_follows_the_registry_and_names_each_codec_once)));
    for name in bundled_names() {
        let title = format!("sizes_are_those_on_record {name}");
        trials.push(test(title, Box::new(|| sizes_are_those_on_record(name))));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A few values in `make test`, more with `WIREDYNO_TEST_FULL`.
fn values() -> usize {
    if full() { 500 } else { 20 }
}

fn every_encoder_gives_the_bytes_of_its_codec(subject: &Subject) {
    let described = Described::new(subject.payload.definition().clone());
    let mut values = payloads::samples(&subject.payload, self::values());
    values.extend(payloads::invented(&subject.payload, self::values()));
    for encoder in ENCODERS.iter().filter(|encoder| has(subject, encoder)) {
        let (codec, own) = (encoder.codec(), encoder.refuses(&described));
        match subject.refuses(codec) {
            None => {
                assert_eq!(own, None, "{codec} over {}", subject.name());
                compare(encoder, &described, subject, &values);
            }
            Some(reason) => {
                let own = own.unwrap_or_else(|| panic!("{codec} over {}: {reason}", subject.name()));
                assert!(reason.contains(&own), "{codec} over {}: {own:?}, but {reason}", subject.name());
            }
        }
    }
}

fn has(subject: &Subject, encoder: &Encoder) -> bool {
    subject.codecs.iter().any(|codec| codec == encoder.codec())
}

/// Compares one encoder with its codec over every value: the same bytes, or both refuse it.
fn compare(encoder: &Encoder, described: &Described, subject: &Subject, values: &[DynamicMessage]) {
    let codec = encoder.codec();
    let mut loaded = subject.load(codec, &values[..1]);
    let operation =
        |value| Operation::Encode { sample: None, value: Some(hex::encode(canonical_bytes(value))) };
    let answers = loaded.runner.ask_all(values.iter().map(operation));
    for (at, (answer, value)) in answers.into_iter().zip(values).enumerate() {
        let place = format!("{codec} over {}, value {at}, seed {}", subject.name(), seed());
        let mut found = Vec::new();
        let dynamic = match described.value(value) {
            Ok(value) => encoder.encode(described, &value, &mut found).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        match (answer, dynamic) {
            (Ok(Success::Encoded { body }), Ok(())) => {
                let mut wanted = hex::decode(body).unwrap();
                // It orders fields by number and maps by hash: the same bytes in another order.
                if codec == "protobuf/upb" {
                    wanted.sort_unstable();
                    found.sort_unstable();
                }
                assert_eq!(hex::encode(&wanted), hex::encode(&found), "{place}");
            }
            (Err(_), Err(_)) => {}
            (compiled, dynamic) => panic!("{place}: {compiled:?}, but {dynamic:?}"),
        }
    }
}

fn every_encoder_was_compared_over_some_payload(subjects: &[Subject]) {
    for encoder in ENCODERS {
        let codec = encoder.codec();
        let compared = |subject: &Subject| {
            let absent = subject.missing.iter().any(|(missing, _)| missing == codec);
            absent || has(subject, encoder) && subject.refuses(codec).is_none()
        };
        assert!(subjects.iter().any(compared), "{codec} was compared over no payload");
    }
}

fn the_list_follows_the_registry_and_names_each_codec_once() {
    let places: Vec<usize> = ENCODERS
        .iter()
        .map(|encoder| REGISTRY.iter().position(|codec| codec.id == encoder.codec()).unwrap())
        .collect();
    assert!(places.is_sorted_by(|a, b| a < b), "{places:?}");
    for encoder in ENCODERS {
        let first = encoder.same_as().map(|id| ENCODERS.iter().find(|other| other.codec() == id).unwrap());
        assert!(first.is_none_or(|first| first.same_as().is_none()), "{}", encoder.codec());
    }
}

/// Samples of each payload whose sizes are recorded.
const RECORDED: usize = 50;

/// The size at which a sized payload is recorded.
const SIZE_BYTES: u32 = 1024;

/// Formats stay unchanged even for payloads that are not compiled here.
fn sizes_are_those_on_record(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/snapshots/sizes/{name}.txt"));
    let found = sizes(name);
    if std::env::var_os("WIREDYNO_UPDATE_SNAPSHOTS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &found).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    for (found, wanted) in found.lines().zip(wanted.lines()) {
        assert_eq!(found, wanted, "{name}: WIREDYNO_UPDATE_SNAPSHOTS=1 writes it anew, if it is meant");
    }
    assert_eq!(found, wanted, "{name}: WIREDYNO_UPDATE_SNAPSHOTS=1 writes it anew, if it is meant");
}

/// A line for each encoder: the codec with the sum of bytes, the least and the most, or that it can't carry the payload.
fn sizes(name: &str) -> String {
    let sized = payloads::find(name).description().sized;
    let payload = payloads::find(&if sized { format!("{name}@{SIZE_BYTES}") } else { name.to_owned() });
    let described = Described::new(payload.definition().clone());
    let samples: Vec<_> =
        payloads::samples(&payload, RECORDED).iter().map(|value| described.value(value).unwrap()).collect();
    let mut text =
        format!("# {}, {} samples: codec, bytes of all, least, most\n", payload.id(), samples.len());
    for encoder in ENCODERS {
        let codec = encoder.codec();
        if encoder.refuses(&described).is_some() {
            let _ = writeln!(text, "{codec} not carried");
            continue;
        }
        let size = |value| {
            let mut bytes = Vec::new();
            encoder.encode(&described, value, &mut bytes).unwrap();
            bytes.len()
        };
        let sizes: Vec<usize> = samples.iter().map(size).collect();
        let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
        let _ = writeln!(text, "{codec} {} {least} {most}", sizes.iter().sum::<usize>());
    }
    text
}

//! A runner's description, compared with what is known without starting it.

use std::collections::BTreeSet;

use libtest_mimic::Trial;
use wiredyno_contract::{CONTRACT, CodecId, Operation};
use wiredyno_testkit::{Runner, Source, Subject, folders, rust};

use crate::{over, samples, test};

pub fn tests(subjects: &'static [Subject]) -> Vec<Trial> {
    let each = |subject: &'static Subject| {
        let name = format!("a_description_states_versions_and_what_was_asked_for {}", subject.name());
        let all = test(name, || states_versions_and_what_was_asked_for(subject));
        let name = format!("the_registries_say_what_the_runner_says {}", subject.name());
        let own = test(name, || match subject.runner {
            rust::NAME => the_registries_say_what_the_runner_says(subject),
            name => assert_eq!(subject.description().codecs, folders::declared(name)),
        });
        let name = format!("the_environment_puts_nothing_between_the_replies {}", subject.name());
        let clean = test(name, || the_environment_puts_nothing_between_the_replies(subject));
        [all, own, clean]
    };
    let there = subjects.iter().filter(|subject| !subject.program.is_empty());
    let mut trials: Vec<Trial> = there.flat_map(each).collect();
    if subjects.iter().all(|subject| subject.runner != rust::NAME) {
        return trials;
    }
    trials.push(test("a_payload_of_several_fields_is_not_sent_raw".into(), || {
        for subject in over(subjects, "person", "raw/wiredyno") {
            let reason = subject.refuses("raw/wiredyno").unwrap();
            assert!(reason.contains("more than one plain string or bytes field"), "{reason}");
        }
    }));
    trials
}

fn states_versions_and_what_was_asked_for(subject: &Subject) {
    let said = subject.description();
    assert_eq!((said.contract, said.runner.name.as_str()), (CONTRACT, subject.runner));
    assert!(!said.runner.version.is_empty() && !said.runner.language.is_empty());
    let mut ids = BTreeSet::new();
    for codec in &said.codecs {
        assert!(ids.insert(codec.id.to_string()), "{} is there twice", codec.id);
        assert!(codec.version.starts_with(|c: char| c.is_ascii_digit()), "{codec:?}");
        assert!(!codec.library.is_empty() && !codec.about.is_empty(), "{codec:?}");
    }
    for codec in &subject.codecs {
        assert!(ids.contains(codec), "{codec} is missing");
    }
    let digest = subject.payload.definition_digest();
    assert!(said.definition.as_ref().is_none_or(|definition| *definition == digest));
}

/// Options that make a language's own machine print on standard output.
const TALKATIVE: [(&str, &str); 3] = [
    ("JAVA_TOOL_OPTIONS", "-XX:+PrintFlagsFinal -Xlog:gc*:stdout"),
    ("JDK_JAVA_OPTIONS", "-XX:+PrintCommandLineFlags"),
    ("PYTHONDUMPREFS", "1"),
];

fn the_environment_puts_nothing_between_the_replies(subject: &Subject) {
    // A line that is not a reply ends the test.
    let mut runner = Runner::start_with(&subject.program, &TALKATIVE);
    runner.must(Operation::Describe);
    runner.must(Operation::Stop);
}

/// Rust's runners report nothing that the program did not know.
fn the_registries_say_what_the_runner_says(subject: &Subject) {
    let said = subject.description();
    assert!(said.runner.language.starts_with("Rust 1."), "{}", said.runner.language);
    assert_eq!(said.definition, Some(subject.payload.definition_digest()));
    let known = wiredyno_codec_registry::descriptions();
    for codec in &said.codecs {
        assert_eq!(known.iter().find(|known| known.id == codec.id), Some(codec));
    }
    let known = wiredyno_transport_registry::descriptions();
    for transport in &said.transports {
        assert_eq!(known.iter().find(|known| known.id == transport.id), Some(transport));
    }
    let known = wiredyno_compression::REGISTRY.iter().map(|method| method.description().unwrap());
    assert!(known.eq(said.compressions.iter().cloned()));
    // These are known without compiling.
    let mut refused = wiredyno_dynamic::not_carried(subject.payload.definition());
    refused.retain(|(id, _)| said.codecs.iter().any(|codec| codec.id == *id));
    let sorted = |mut all: Vec<(CodecId, String)>| {
        all.sort_by_key(|(id, _)| id.to_string());
        all
    };
    assert_eq!(sorted(said.not_carried.clone()), sorted(refused), "{}", subject.name());
}

pub fn what_is_not_carried_is_refused(subject: &Subject, codec: &str) {
    let source = Source::of(&subject.payload, &samples(subject)[..1]).unwrap();
    let reason = subject.refuses(codec).unwrap();
    let load = Operation::Load {
        payload: source.wire(),
        codec: codec.parse().unwrap(),
        compression: Default::default(),
        samples: None,
    };
    let first = Operation::CallFirst { payload: source.wire(), codec: codec.parse().unwrap() };
    for operation in [first, load] {
        let failure = subject.start().ask(operation).unwrap_err();
        let whole = [codec, reason, &subject.payload.id().to_string()];
        assert!(whole.iter().all(|part| failure.error.contains(part)), "{failure}");
    }
}

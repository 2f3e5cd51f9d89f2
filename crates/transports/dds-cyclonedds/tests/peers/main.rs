//! What every transport of the registry must do, and DDS clients with each other: over loopback.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

mod secured;

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::Trial;
use wiredyno_contract::{Capability, OptionTable, OptionValue};
use wiredyno_dds::{FRAGMENT_SIZE, WRITE_BATCH};
use wiredyno_transport::{ConnectError, Transport};
use wiredyno_transport_dds_cyclonedds::TRANSPORT;
use wiredyno_transport_registry::find;
use wiredyno_transport_stand::{
    Notebook, Pair, capabilities, carries_messages_with, meeting_place, nobody_there_is_told,
    reaches_all_subscribers, run, settings, setup,
};

fn the_registry_says_what_it_says() {
    let description = TRANSPORT.description();
    assert_eq!(find(&description.id).unwrap().describe(), description);
    let first = wiredyno_transport_dds::TRANSPORT.description();
    let shared: Vec<_> = description.options.iter().filter(|option| first.options.contains(option)).collect();
    assert_eq!(
        shared,
        first.options.iter().collect::<Vec<_>>(),
        "whatever the library, a study says the same"
    );
    assert_eq!(first.settings, description.settings);
    assert_eq!(first.id.protocol, description.id.protocol);
}

fn settings_carry_messages(transport: &dyn Transport, options: &OptionTable, kept: fn(&str) -> bool) {
    let place = meeting_place();
    for setting in settings(transport).into_iter().filter(|setting| setting.as_deref().is_some_and(kept)) {
        carries_messages_with(transport, setting.as_deref(), options, place);
    }
}

fn a_message_goes_to_all_subscribers_from_all_publishers(transport: &dyn Transport) {
    let reliable = |setting: &Option<String>| {
        capabilities(transport, setting.as_deref()).contains(&Capability::Reliable)
    };
    for setting in settings(transport).into_iter().filter(reliable) {
        reaches_all_subscribers(transport, setting.as_deref(), meeting_place(), "test/fan-out", 20);
    }
}

fn an_unknown_setting_is_refused() {
    let setup = setup(Some("qos7"), meeting_place(), "test");
    let error = TRANSPORT.publisher(&setup, Arc::new(Notebook::default())).err();
    assert!(matches!(error, Some(ConnectError::Setting { .. })), "{error:?}");
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.get(1).is_some_and(|first| first == secured::SUBSCRIBE) {
        return secured::subscribe(&arguments[2..]);
    }
    let rust = wiredyno_transport_dds::TRANSPORT;
    let mut trials = Vec::new();
    let mut add = |name: String, test: Box<dyn FnOnce() + Send>| {
        trials.push(Trial::test(name, || {
            test();
            Ok(())
        }));
    };
    add("the_registry_says_what_it_says".into(), Box::new(the_registry_says_what_it_says));
    add("an_unknown_setting_is_refused".into(), Box::new(an_unknown_setting_is_refused));
    add("nobody_there_is_told".into(), Box::new(|| nobody_there_is_told(TRANSPORT)));
    // RustDDS's fragments have 256 bytes, and Cyclone DDS rejects fragments shorter than its own as malformed. Reliable
    // messages of a megabyte from RustDDS don't get through: see docs/adr/0017-one-hop.md.
    let short = || OptionTable::from([(FRAGMENT_SIZE.to_owned(), OptionValue::Whole(256))]);
    let batched = || OptionTable::from([(WRITE_BATCH.to_owned(), OptionValue::Flag(true))]);
    let all: fn(&str) -> bool = |_| true;
    let best_effort: fn(&str) -> bool = |setting| setting == "best-effort";
    for (name, publisher, subscriber, options, kept) in [
        ("cyclonedds", TRANSPORT, TRANSPORT, OptionTable::new(), all),
        ("cyclonedds with short fragments", TRANSPORT, TRANSPORT, short(), all),
        ("cyclonedds with batches", TRANSPORT, TRANSPORT, batched(), all),
        ("cyclonedds to rustdds", TRANSPORT, rust, OptionTable::new(), all),
        ("rustdds to cyclonedds", rust, TRANSPORT, short(), best_effort),
    ] {
        let pair = || Pair { publisher, subscriber };
        let (one, many) = (pair(), pair());
        add(
            format!("{name}: settings_carry_messages"),
            Box::new(move || settings_carry_messages(&one, &options, kept)),
        );
        // On a busy machine, one of RustDDS's reliable messages to three Cyclone DDS readers is occasionally missing.
        if kept("reliable") {
            add(
                format!("{name}: a_message_goes_to_all_subscribers_from_all_publishers"),
                Box::new(move || a_message_goes_to_all_subscribers_from_all_publishers(&many)),
            );
        }
    }
    trials.extend(secured::tests());
    run(trials)
}

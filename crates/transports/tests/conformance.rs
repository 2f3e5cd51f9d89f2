//! What every transport of the registry has to do, over loopback; messages where it brings a server of its own. Those that need
//! a broker carry theirs in the matrix of their own package.

// Helper functions of tests may unwrap like the tests themselves: a failure is a failed test.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Trial};
use tempfile::NamedTempFile;
use wiredyno_contract::{Capability, OptionTable, OptionValue, TransportDescription, resolve};
use wiredyno_transport::{ClientSetup, ConnectError, SendError, ServeError, ServerSetup, Transport};
use wiredyno_transport_stand::{
    Arrivals, LIMIT, NOBODY, Notebook, Served, capabilities, carries_messages_as, datagram_limit_bytes,
    meeting_place, nobody_there_is_told, reaches_all_subscribers_of, settings, setup,
};
use wiredyno_transports::{REGISTRY, descriptions, find};

const ANY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// The implementations, in the order of the registry, without those that need a library of the machine's: those are asked the
/// same in their own packages.
fn transports() -> [&'static dyn Transport; 9] {
    [
        wiredyno_transport_amqp_0_9_1::TRANSPORT,
        wiredyno_transport_amqp_1_0::TRANSPORT,
        wiredyno_transport_coap::TRANSPORT,
        wiredyno_transport_dds::TRANSPORT,
        wiredyno_transport_mqtt::TRANSPORT,
        wiredyno_transport_mqtt5::TRANSPORT,
        wiredyno_transport_quic::TRANSPORT,
        wiredyno_transport_tcp::TRANSPORT,
        wiredyno_transport_udp::TRANSPORT,
    ]
}

fn has(transport: &dyn Transport, capability: Capability) -> bool {
    transport.description().capabilities.contains(&capability)
}

fn brokerless(transport: &dyn Transport) -> bool {
    has(transport, Capability::Brokerless)
}

/// Whether clients find each other.
fn direct(transport: &dyn Transport) -> bool {
    has(transport, Capability::Direct)
}

/// Of a setting and a topic.
type Meeting = Box<dyn Fn(Option<&str>, &str) -> ClientSetup>;

/// What clients are told of a setting and a topic: the transport's own server, or a place where they find each other.
fn meeting(transport: &dyn Transport) -> Meeting {
    if direct(transport) {
        let place = meeting_place();
        return Box::new(move |setting, topic| setup(setting, place, topic));
    }
    let server = Served::new(transport);
    Box::new(move |setting, topic| server.setup(setting, topic))
}

fn the_registry_says_what_the_implementations_say() {
    let compiled_here = REGISTRY.iter().filter(|protocol| protocol.needs.is_empty());
    let declared: Vec<TransportDescription> = compiled_here.map(|protocol| protocol.describe()).collect();
    assert_eq!(declared, transports().map(Transport::description));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut packages = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let manifest = entry.unwrap().path().join("Cargo.toml");
        if let Ok(text) = std::fs::read_to_string(&manifest) {
            let name = text.lines().find_map(|line| line.strip_prefix("name = "));
            packages.insert(name.unwrap().trim_matches('"').to_owned());
        }
    }
    let registered: BTreeSet<String> = REGISTRY.iter().map(|protocol| protocol.package.to_owned()).collect();
    assert_eq!(registered, packages, "a folder without a line in the registry, or the other way round");
}

fn ids_are_unique_versions_are_stated_capabilities_are_sorted() {
    let mut ids = BTreeSet::new();
    for description in descriptions() {
        let id = description.id.to_string();
        assert!(ids.insert(id.clone()), "{id} stands twice in the registry");
        assert_eq!(id.parse(), Ok(description.id.clone()));
        assert!(description.version.starts_with(|c: char| c.is_ascii_digit()), "{id}");
        assert!(!description.received_at.is_empty() && !description.sent_at.is_empty(), "{id}");
        assert!(description.capabilities.is_sorted(), "{id}");
        assert!(description.settings.iter().all(|s| s.capabilities.is_sorted()), "{id}");
        let found = find(&description.id).unwrap();
        assert_eq!(found.describe(), description);
    }
}

fn declared_options_are_whole_and_nothing_else_is_taken() {
    descriptions().into_iter().for_each(options_are_whole);
}

fn options_are_whole(description: TransportDescription) {
    let id = description.id.to_string();
    let defaults: OptionTable =
        description.options.iter().map(|option| (option.name.clone(), option.default.clone())).collect();
    assert_eq!(defaults.len(), description.options.len(), "{id}: an option stands there twice");
    assert_eq!(resolve(&id, &description.options, &defaults).as_ref(), Ok(&defaults), "{id}");
    for option in &description.options {
        assert!(!option.about.is_empty() && !option.name.contains('-'), "{id}: {}", option.name);
        for brought in &option.brings {
            let values = OptionTable::from([(option.name.clone(), brought.value.clone())]);
            assert!(resolve(&id, &description.options, &values).is_ok(), "{id}: {}", option.name);
            let under = description.clone().under(&values);
            let mut meant =
                under.settings.iter().filter(|s| brought.setting.as_ref().is_none_or(|name| s.name == *name));
            assert!(meant.clone().next().is_some(), "{id}: {brought:?}");
            assert!(meant.all(|s| s.capabilities.contains(&brought.capability)), "{id}");
        }
    }
    for name in description.settings.iter().filter_map(|setting| setting.repeats_option.as_ref()) {
        assert!(defaults.get(name).is_some_and(|value| value.as_whole().is_some()), "{id}: {name}");
    }
    let unknown = OptionTable::from([("no_such_option".to_owned(), OptionValue::Flag(true))]);
    assert!(resolve(&id, &description.options, &unknown).is_err(), "{id}");
}

fn every_setting_carries_messages_of_every_size_once_and_equal(transport: &dyn Transport) {
    let told = meeting(transport);
    for setting in settings(transport) {
        carries_messages_as(transport, &told(setting.as_deref(), "test/sizes"));
    }
}

fn a_message_goes_to_all_subscribers_from_all_publishers(transport: &dyn Transport) {
    let told = meeting(transport);
    let setting = settings(transport).swap_remove(0);
    reaches_all_subscribers_of(transport, &told(setting.as_deref(), "test/fan-out"), 1);
}

/// What a client is told of a server that has ended, where the transport has one of its own, and what it trusts.
fn told(transport: &dyn Transport, setting: Option<&str>) -> (ClientSetup, Option<NamedTempFile>) {
    match brokerless(transport) {
        true => {
            let server = Served::new(transport);
            (server.setup(setting, "test/dead"), server.end())
        }
        false => (setup(setting, ANY, "test/dead"), None),
    }
}

fn a_dead_endpoint_is_a_clear_error_within_the_limit(transport: &dyn Transport) {
    if direct(transport) {
        return nobody_there_is_told(transport);
    }
    // A port of nobody's, and a server that takes connections and never says a word.
    let mute = TcpListener::bind(ANY).unwrap();
    let setting = settings(transport).swap_remove(0);
    let told = told(transport, setting.as_deref());
    for endpoint in [NOBODY, mute.local_addr().unwrap()] {
        let limit = Duration::from_millis(300);
        let setup = ClientSetup { endpoint, limit, ..told.0.clone() };
        let begin = Instant::now();
        let book = Arc::new(Notebook::default());
        let publisher = transport.publisher(&setup, book.clone()).err().unwrap();
        let subscriber = transport.subscriber(&setup, Box::new(Arrivals(book))).err().unwrap();
        for error in [publisher, subscriber] {
            let text = error.to_string();
            assert!(text.contains(&endpoint.to_string()), "{text}");
            assert!(text.contains(&transport.description().id.to_string()), "{text}");
            assert!(
                matches!(error, ConnectError::Unreachable { .. } | ConnectError::Silent { .. }),
                "{text}"
            );
        }
        assert!(begin.elapsed() < LIMIT, "the limit is no limit");
    }
}

fn an_unknown_setting_is_refused_with_the_known_ones(transport: &dyn Transport) {
    let setup = setup(Some("qos7"), ANY, "test");
    let error = transport.publisher(&setup, Arc::new(Notebook::default())).err().unwrap();
    assert!(matches!(error, ConnectError::Setting { .. }), "{error}");
    assert!(error.to_string().contains("qos7"), "{error}");
    for setting in transport.description().settings {
        assert!(error.to_string().contains(&setting.name), "{error}");
    }
}

fn a_body_larger_than_a_datagram_is_refused_and_nothing_else_is_hurt(transport: &dyn Transport) {
    for setting in settings(transport) {
        let setting = setting.as_deref();
        if !capabilities(transport, setting).contains(&Capability::Datagram) {
            continue;
        }
        let server = Served::new(transport);
        let setup = server.setup(setting, "test");
        let book = Arc::new(Notebook::default());
        let _subscriber = transport.subscriber(&setup, Box::new(Arrivals(book.clone()))).unwrap();
        let mut publisher = transport.publisher(&setup, book.clone()).unwrap();
        let limit = datagram_limit_bytes(&mut *publisher);
        let declared = transport.description().limit(setting).map(|limit| limit.bytes as usize);
        // What is declared is for every topic: a long one leaves less.
        assert!(declared.is_some_and(|most| (limit..limit + 100).contains(&most)), "{limit}: {declared:?}");
        let error = publisher.send(0, &vec![0; limit + 1]).unwrap_err();
        assert!(matches!(error, SendError::TooLarge { limit_bytes, .. } if limit_bytes == limit), "{error}");
        publisher.send(1, b"small").unwrap();
        book.wait("small", |seen| seen.bodies.len() == 1, |seen| assert_eq!(seen.sent[0].0, 1));
    }
}

fn a_server_that_ends_is_told_to_the_subscriber(transport: &dyn Transport) {
    let server = Served::new(transport);
    let setting = settings(transport).swap_remove(0);
    let setup = server.setup(setting.as_deref(), "test");
    let book = Arc::new(Notebook::default());
    let subscriber = transport.subscriber(&setup, Box::new(Arrivals(book.clone()))).unwrap();
    let _trusted = server.end();
    book.wait("broken", |seen| seen.broken.is_some(), |_| ());
    assert!(subscriber.finish(LIMIT).is_err());
}

/// At a port that is taken. Where there is no server the port does not matter: what to install is said.
fn a_server_that_can_not_be_is_an_error_that_says_why(transport: &dyn Transport) {
    let taken = TcpListener::bind(ANY).unwrap();
    let address = taken.local_addr().unwrap();
    let _datagrams = UdpSocket::bind(address).unwrap();
    let error = transport.server(&ServerSetup::at(address)).err().unwrap();
    let text = error.to_string();
    if direct(transport) {
        assert!(matches!(error, ServeError::Direct { .. }) && text.contains("find each other"), "{text}");
    } else if brokerless(transport) {
        assert!(matches!(error, ServeError::Bind { .. }) && text.contains(&address.to_string()), "{text}");
    } else {
        assert!(matches!(error, ServeError::NeedsBroker { .. }) && text.contains("install"), "{text}");
    }
}

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    let mut add = |name: String, test: Box<dyn FnOnce() + Send>| {
        let run = move || {
            test();
            Ok(())
        };
        trials.push(Trial::test(name, run));
    };
    let of_all: [(&str, fn()); 3] = [
        ("the_registry_says_what_the_implementations_say", the_registry_says_what_the_implementations_say),
        (
            "ids_are_unique_versions_are_stated_capabilities_are_sorted",
            ids_are_unique_versions_are_stated_capabilities_are_sorted,
        ),
        (
            "declared_options_are_whole_and_nothing_else_is_taken",
            declared_options_are_whole_and_nothing_else_is_taken,
        ),
    ];
    for (name, test) in of_all {
        add(name.to_owned(), Box::new(test));
    }
    /// Where messages go that a test sends.
    enum Place {
        /// Through the transport's own server.
        Server,
        /// Anywhere that needs no broker.
        Meeting,
        /// Nowhere.
        None,
    }
    /// Name, where messages go, test.
    type Case = (&'static str, Place, fn(&dyn Transport));
    let of_each: [Case; 7] = [
        (
            "every_setting_carries_messages_of_every_size_once_and_equal",
            Place::Meeting,
            every_setting_carries_messages_of_every_size_once_and_equal,
        ),
        (
            "a_message_goes_to_all_subscribers_from_all_publishers",
            Place::Meeting,
            a_message_goes_to_all_subscribers_from_all_publishers,
        ),
        (
            "a_dead_endpoint_is_a_clear_error_within_the_limit",
            Place::None,
            a_dead_endpoint_is_a_clear_error_within_the_limit,
        ),
        (
            "an_unknown_setting_is_refused_with_the_known_ones",
            Place::None,
            an_unknown_setting_is_refused_with_the_known_ones,
        ),
        (
            "a_body_larger_than_a_datagram_is_refused_and_nothing_else_is_hurt",
            Place::None,
            a_body_larger_than_a_datagram_is_refused_and_nothing_else_is_hurt,
        ),
        (
            "a_server_that_ends_is_told_to_the_subscriber",
            Place::Server,
            a_server_that_ends_is_told_to_the_subscriber,
        ),
        (
            "a_server_that_can_not_be_is_an_error_that_says_why",
            Place::None,
            a_server_that_can_not_be_is_an_error_that_says_why,
        ),
    ];
    for transport in transports() {
        let id = transport.description().id;
        for (name, place, test) in &of_each {
            let is_there = match place {
                Place::Server => brokerless(transport),
                Place::Meeting => brokerless(transport) || direct(transport),
                Place::None => true,
            };
            let test = *test;
            if is_there {
                add(format!("{id}: {name}"), Box::new(move || test(transport)));
            }
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

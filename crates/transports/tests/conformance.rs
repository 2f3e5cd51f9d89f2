//! What every transport of the registry has to do, over loopback with its own server.

// Helper functions of tests may unwrap like the tests themselves: a failure is a failed test.
#![allow(clippy::unwrap_used)]

mod stand;

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::sync::Arc;
use std::time::{Duration, Instant};

use stand::{
    Arrivals, LIMIT, Notebook, capabilities, carries_messages, datagram_limit_bytes, settings, setup,
};
use wiredyno_model::{Capability, OptionTable, OptionValue, resolve};
use wiredyno_transports::{ConnectError, REGISTRY, SendError, ServerSetup, find};

const ANY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

#[test]
fn ids_are_unique_versions_are_stated_capabilities_are_sorted() {
    let mut ids = BTreeSet::new();
    for transport in REGISTRY {
        let description = transport.description();
        let id = description.id.to_string();
        assert!(ids.insert(id.clone()), "{id} stands twice in the registry");
        assert_eq!(id.parse(), Ok(description.id.clone()));
        assert!(description.version.starts_with(|c: char| c.is_ascii_digit()), "{id}");
        assert!(!description.received_at.is_empty() && !description.sent_at.is_empty(), "{id}");
        assert!(description.capabilities.is_sorted(), "{id}");
        assert!(description.settings.iter().all(|s| s.capabilities.is_sorted()), "{id}");
        assert!(find(&description.id).is_some());
    }
}

#[test]
fn declared_options_are_whole_and_nothing_else_is_taken() {
    for transport in REGISTRY {
        let description = transport.description();
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
                assert!(under.settings.iter().all(|s| s.capabilities.contains(&brought.capability)), "{id}");
            }
        }
        for name in description.settings.iter().filter_map(|setting| setting.repeats_option.as_ref()) {
            assert!(defaults.get(name).is_some_and(|value| value.as_whole().is_some()), "{id}: {name}");
        }
        let unknown = OptionTable::from([("no_such_option".to_owned(), OptionValue::Flag(true))]);
        assert!(resolve(&id, &description.options, &unknown).is_err(), "{id}");
    }
}

#[test]
fn every_setting_carries_messages_of_every_size_once_and_equal() {
    for transport in REGISTRY {
        let server = transport.server(&ServerSetup::at(ANY)).unwrap();
        for setting in settings(*transport) {
            carries_messages(*transport, setting.as_deref(), server.address());
        }
    }
}

#[test]
fn a_message_goes_to_all_subscribers_from_all_publishers() {
    for transport in REGISTRY {
        let server = transport.server(&ServerSetup::at(ANY)).unwrap();
        let setting = settings(*transport).swap_remove(0);
        let setup = setup(setting.as_deref(), server.address(), "test/fan-out");
        let books: Vec<_> = (0..3).map(|_| Arc::new(Notebook::default())).collect();
        let connect = |book: &Arc<Notebook>| transport.subscriber(&setup, Box::new(Arrivals(book.clone())));
        let subscribers: Vec<_> = books.iter().map(|book| connect(book).unwrap()).collect();
        for body in [b"first", b"other"] {
            let mut publisher = transport.publisher(&setup, Arc::new(Notebook::default())).unwrap();
            publisher.send(0, body).unwrap();
            publisher.finish(LIMIT).unwrap();
        }
        for book in &books {
            let mut bodies = book.wait("fan-out", |seen| seen.bodies.len() == 2, |seen| seen.bodies.clone());
            bodies.sort();
            assert_eq!(bodies, [b"first", b"other"]);
        }
        for subscriber in subscribers {
            subscriber.finish(LIMIT).unwrap();
        }
    }
}

#[test]
fn a_dead_endpoint_is_a_clear_error_within_the_limit() {
    // A port that was free a moment ago, and a server that takes connections and never says a word.
    let dead = TcpListener::bind(ANY).unwrap().local_addr().unwrap();
    let mute = TcpListener::bind(ANY).unwrap();
    for transport in REGISTRY {
        let setting = settings(*transport).swap_remove(0);
        for endpoint in [dead, mute.local_addr().unwrap()] {
            let mut setup = setup(setting.as_deref(), endpoint, "test/dead");
            setup.limit = Duration::from_millis(300);
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
}

#[test]
fn an_unknown_setting_is_refused_with_the_known_ones() {
    for transport in REGISTRY {
        let setup = setup(Some("qos7"), ANY, "test");
        let error = transport.publisher(&setup, Arc::new(Notebook::default())).err().unwrap();
        assert!(matches!(error, ConnectError::Setting { .. }), "{error}");
        assert!(error.to_string().contains("qos7"), "{error}");
    }
}

#[test]
fn a_body_larger_than_a_datagram_is_refused_and_nothing_else_is_hurt() {
    for transport in REGISTRY {
        for setting in settings(*transport) {
            let setting = setting.as_deref();
            if !capabilities(*transport, setting).contains(&Capability::Datagram) {
                continue;
            }
            let server = transport.server(&ServerSetup::at(ANY)).unwrap();
            let setup = setup(setting, server.address(), "test");
            let book = Arc::new(Notebook::default());
            let _subscriber = transport.subscriber(&setup, Box::new(Arrivals(book.clone()))).unwrap();
            let mut publisher = transport.publisher(&setup, book.clone()).unwrap();
            let limit = datagram_limit_bytes(&mut *publisher);
            assert!((65_000..=65_507).contains(&limit), "{limit}");
            let error = publisher.send(0, &vec![0; limit + 1]).unwrap_err();
            assert!(
                matches!(error, SendError::TooLarge { limit_bytes, .. } if limit_bytes == limit),
                "{error}"
            );
            publisher.send(1, b"small").unwrap();
            book.wait("small", |seen| seen.bodies.len() == 1, |seen| assert_eq!(seen.sent[0].0, 1));
        }
    }
}

#[test]
fn a_server_that_ends_is_told_to_the_subscriber() {
    for transport in REGISTRY {
        // The embedded MQTT broker can't end before its process does.
        if !transport.description().capabilities.contains(&Capability::Brokerless) {
            continue;
        }
        let server = transport.server(&ServerSetup::at(ANY)).unwrap();
        let setting = settings(*transport).swap_remove(0);
        let setup = setup(setting.as_deref(), server.address(), "test");
        let book = Arc::new(Notebook::default());
        let subscriber = transport.subscriber(&setup, Box::new(Arrivals(book.clone()))).unwrap();
        drop(server);
        book.wait("broken", |seen| seen.broken.is_some(), |_| ());
        assert!(subscriber.finish(LIMIT).is_err());
    }
}

#[test]
fn a_taken_port_is_an_error_that_names_it() {
    for transport in REGISTRY {
        let taken = TcpListener::bind(ANY).unwrap();
        let address = taken.local_addr().unwrap();
        let _datagrams = UdpSocket::bind(address).unwrap();
        let error = transport.server(&ServerSetup::at(address)).err().unwrap().to_string();
        assert!(error.contains(&address.to_string()), "{error}");
    }
}

//! What every transport must do, tested over loopback. Messages are exchanged if the transport has its own server or needs none;
//! transports that need a broker exchange theirs in the matrix.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Trial};
use tempfile::NamedTempFile;
use wiredyno_contract::Capability;
use wiredyno_transport::{ClientSetup, ConnectError, SendError, ServeError, ServerSetup, Transport};

use crate::NOBODY;
use crate::direct::{meeting_place, nobody_there_is_told};
use crate::exchange::{
    Served, capabilities, carries_messages_as, datagram_limit_bytes, reaches_all_subscribers_of, settings,
    setup,
};
use crate::notebook::{Arrivals, LIMIT, Notebook};

const ANY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// Where a test's messages go.
enum Place {
    /// Through the transport's own server.
    Server,
    /// Anywhere that needs no broker.
    Meeting,
    /// The test sends no messages.
    None,
}

/// A test's name, where its messages go, and the test.
type Case = (&'static str, Place, fn(&dyn Transport));

macro_rules! cases {
    ($($place:ident $name:ident),* $(,)?) => { [$((stringify!($name), Place::$place, $name as _)),*] };
}

const CASES: [Case; 8] = cases![
    None the_registry_says_what_the_implementation_says,
    Meeting every_setting_carries_messages_of_every_size_once_and_equal,
    Meeting a_message_goes_to_all_subscribers_from_all_publishers,
    None a_dead_endpoint_is_a_clear_error_within_the_limit,
    None an_unknown_setting_is_refused_with_the_known_ones,
    None a_body_larger_than_a_datagram_is_refused_and_nothing_else_is_hurt,
    Server a_server_that_ends_is_told_to_the_subscriber,
    None a_server_that_can_not_be_is_an_error_that_says_why,
];

/// A transport's tests, for a program that also has others.
pub fn conformance(transport: &'static dyn Transport) -> Vec<Trial> {
    let id = transport.description().id;
    let is_there = |place: &Place| match place {
        Place::Server => brokerless(transport),
        Place::Meeting => brokerless(transport) || direct(transport),
        Place::None => true,
    };
    let trial = |(name, _, test): Case| {
        Trial::test(format!("{id}: {name}"), move || {
            test(transport);
            Ok(())
        })
    };
    CASES.into_iter().filter(|(_, place, _)| is_there(place)).map(trial).collect()
}

/// The `main` of a program that consists of these tests.
pub fn conforms(transport: &'static dyn Transport) -> ExitCode {
    libtest_mimic::run(&Arguments::from_args(), conformance(transport)).exit_code()
}

fn has(transport: &dyn Transport, capability: Capability) -> bool {
    transport.description().capabilities.contains(&capability)
}

fn brokerless(transport: &dyn Transport) -> bool {
    has(transport, Capability::Brokerless)
}

/// Whether the transport's clients find each other.
fn direct(transport: &dyn Transport) -> bool {
    has(transport, Capability::Direct)
}

/// Makes a client's setup from a setting and a topic.
type Meeting = Box<dyn Fn(Option<&str>, &str) -> ClientSetup>;

/// How clients are set up: for the transport's own server, or for a place where they find each other.
fn meeting(transport: &dyn Transport) -> Meeting {
    if direct(transport) {
        let place = meeting_place();
        return Box::new(move |setting, topic| setup(setting, place, topic));
    }
    let server = Served::new(transport);
    Box::new(move |setting, topic| server.setup(setting, topic))
}

fn the_registry_says_what_the_implementation_says(transport: &dyn Transport) {
    let description = transport.description();
    let registered = wiredyno_transport_registry::find(&description.id).map(|known| known.describe());
    assert_eq!(registered, Some(description));
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

/// A client's setup for a server that has ended, if the transport has its own, with the file that the client trusts.
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
    // A port where nothing listens, and a server that accepts connections and never answers.
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
        assert!(begin.elapsed() < LIMIT, "the limit was exceeded");
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
        // The declared limit holds for every topic: a long topic leaves less.
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

/// Binds a port that is taken. Without a server the port is irrelevant: the error says what to install.
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

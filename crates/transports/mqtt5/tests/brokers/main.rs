//! Both versions of MQTT: every mode over every broker that serves them, and beyond the matrix, over each broker that is used in
//! production, every option, what is on the wire, what remains at a broker, and what a broker refuses.

// Test helpers may unwrap like the tests themselves: a failure is a failed test.
#![allow(clippy::unwrap_used)]

mod refusals;
mod secured;
mod wire;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::Trial;
use wire::{RECEIVE_MAXIMUM, SESSION_EXPIRY, TOPIC_ALIAS, Tap};
use wiredyno_contract::{OptionTable, OptionValue, TlsVersion};
use wiredyno_transport::{Publisher, Subscriber, Transport};
use wiredyno_transport_stand::{
    Arrivals, Grounds, LIMIT, Notebook, Shared, carries_messages_with, conformance, folder, matrix, numbered,
    run, settings, setup,
};

/// A version of the protocol under test.
#[derive(Clone, Copy)]
pub struct Version {
    /// The transport that implements it.
    pub transport: &'static dyn Transport,
    /// The protocol level in CONNECT.
    pub number: u8,
}

fn versions() -> [Version; 2] {
    [
        Version { transport: wiredyno_transport_mqtt::TRANSPORT, number: 4 },
        Version { transport: wiredyno_transport_mqtt5::TRANSPORT, number: 5 },
    ]
}

/// An option table from names and values.
pub fn options(values: &[(&str, OptionValue)]) -> OptionTable {
    values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

fn kept() -> (&'static str, OptionValue) {
    ("session", OptionValue::Text("kept".into()))
}

fn flag(name: &str) -> (&str, OptionValue) {
    (name, OptionValue::Flag(true))
}

fn receive_maximum(messages: i64) -> (&'static str, OptionValue) {
    ("receive_maximum", OptionValue::Whole(messages))
}

/// A subscriber and a publisher that share a notebook.
pub fn pair(
    version: Version,
    endpoint: SocketAddr,
    setting: &str,
    topic: &str,
    options: &OptionTable,
) -> (Arc<Notebook>, Box<dyn Subscriber>, Box<dyn Publisher>) {
    let book = Arc::new(Notebook::default());
    let mut setup = setup(Some(setting), endpoint, topic);
    setup.options = options.clone();
    let subscriber = version.transport.subscriber(&setup, Box::new(Arrivals(book.clone()))).unwrap();
    let publisher = version.transport.publisher(&setup, book.clone()).unwrap();
    (book, subscriber, publisher)
}

fn options_at_other_values_carry_messages(version: Version, broker: SocketAddr) {
    let mut tables = vec![options(&[kept()]), options(&[flag("retain")]), options(&[kept(), flag("retain")])];
    if version.number == 5 {
        tables.push(options(&[flag("topic_alias")]));
        tables.push(options(&[kept(), flag("retain"), flag("topic_alias"), receive_maximum(200)]));
    }
    for setting in settings(version.transport) {
        for table in &tables {
            carries_messages_with(version.transport, setting.as_deref(), table, broker);
        }
    }
}

/// At QoS 2 a broker owns a message only with PUBREL, and drops what a leaving client has not released.
fn what_was_sent_arrives_from_a_publisher_that_finishes_at_once(version: Version, broker: SocketAddr) {
    for setting in ["qos1", "qos2"] {
        let (book, subscriber, mut publisher) =
            pair(version, broker, setting, "at-once", &OptionTable::new());
        let bodies = numbered(100);
        for (token, body) in bodies.iter().enumerate() {
            publisher.send(token as u64, body).unwrap();
        }
        publisher.finish(LIMIT).unwrap();
        book.wait(setting, |_| true, |seen| assert_eq!(seen.acked.len(), bodies.len(), "{setting}"));
        book.wait(setting, |seen| seen.bodies.len() >= bodies.len(), |seen| assert!(seen.bodies == bodies));
        subscriber.finish(LIMIT).unwrap();
    }
}

fn a_kept_session_is_at_the_broker_until_its_client_finishes(version: Version, broker: SocketAddr) {
    let tap = Tap::at(broker);
    let present = |id: &str| wire::session_present(broker, id, version.number);
    let (book, subscriber, mut publisher) =
        pair(version, tap.address, "qos1", "session", &options(&[kept()]));
    publisher.send(0, b"body").unwrap();
    book.wait("both", |seen| seen.bodies.len() == 1 && seen.acked.len() == 1, |_| ());
    let connects = tap.connects();
    assert_eq!(connects.len(), 2);
    for connect in &connects {
        assert!(!connect.clean);
        if version.number == 5 {
            assert!(connect.properties.contains(&(SESSION_EXPIRY, 3_600)), "{connect:?}");
        }
    }
    publisher.finish(LIMIT).unwrap();
    subscriber.finish(LIMIT).unwrap();
    for (first, last) in connects.iter().zip(&tap.connects().split_off(2)) {
        assert!(last.clean && last.properties.iter().all(|(property, _)| *property != SESSION_EXPIRY));
        assert!(connects.iter().any(|connect| connect.id == last.id));
        assert!(!present(&first.id), "the session of {} is still there", first.id);
    }
    // Clients that do not finish leave their session, which shows that it existed.
    drop(pair(version, tap.address, "qos1", "session", &options(&[kept()])));
    for left in tap.connects().split_off(4) {
        assert!(present(&left.id), "no session of {} was kept", left.id);
    }
}

fn a_clean_session_is_not_kept(version: Version, broker: SocketAddr) {
    let tap = Tap::at(broker);
    drop(pair(version, tap.address, "qos1", "session", &OptionTable::new()));
    for connect in tap.connects() {
        assert!(connect.clean, "{connect:?}");
        assert!(!wire::session_present(broker, &connect.id, version.number));
    }
}

fn a_retained_message_waits_for_later_subscribers_until_the_end(version: Version, broker: SocketAddr) {
    let topic = "retained";
    let (book, subscriber, mut publisher) = pair(version, broker, "qos1", topic, &options(&[flag("retain")]));
    publisher.send(0, b"first").unwrap();
    publisher.send(1, b"last").unwrap();
    book.wait("retained", |seen| seen.bodies.len() == 2 && seen.acked.len() == 2, |_| ());
    publisher.finish(LIMIT).unwrap();
    let mut outside = wire::Raw::connect(broker, "outside", true, version.number);
    outside.subscribe(topic);
    assert_eq!(outside.message(), (true, b"last".to_vec()));
    // Subscribers of trials only receive messages sent after their subscription.
    let book = Arc::new(Notebook::default());
    let setup = setup(Some("qos1"), broker, topic);
    let late = version.transport.subscriber(&setup, Box::new(Arrivals(book.clone()))).unwrap();
    outside.publish(topic, b"live");
    book.wait("late", |seen| !seen.bodies.is_empty(), |seen| assert_eq!(seen.bodies, [b"live"]));
    late.finish(LIMIT).unwrap();
    subscriber.finish(LIMIT).unwrap();
    // The empty message that removes it is sent to connected subscribers.
    assert_eq!(outside.message(), (false, b"live".to_vec()));
    assert_eq!(outside.message(), (false, Vec::new()));
    let mut after = wire::Raw::connect(broker, "after", true, version.number);
    after.subscribe(topic);
    after.publish(topic, b"marker");
    assert_eq!(after.message(), (false, b"marker".to_vec()));
}

/// The second message is shorter by the topic.
fn with_an_alias_the_topic_is_written_once(version: Version, broker: SocketAddr) {
    for setting in ["qos0", "qos1", "qos2"] {
        let topic = format!("alias/{setting}/of/some/length");
        for (aliased, saved_bytes) in [(true, topic.len()), (false, 0)] {
            let tap = Tap::at(broker);
            let table = options(&[("topic_alias", OptionValue::Flag(aliased))]);
            let (book, subscriber, mut publisher) = pair(version, tap.address, setting, &topic, &table);
            for token in 0..3 {
                publisher.send(token, b"body").unwrap();
            }
            book.wait("aliased", |seen| seen.bodies.len() == 3, |_| ());
            publisher.finish(LIMIT).unwrap();
            subscriber.finish(LIMIT).unwrap();
            let packets = tap.packets();
            let sent: Vec<_> =
                packets.iter().filter(|packet| packet.up && packet.kind == wire::PUBLISH).collect();
            let lengths: Vec<usize> = sent.iter().map(|packet| packet.length).collect();
            assert_eq!(lengths[0] - lengths[1], saved_bytes, "{lengths:?}");
            assert_eq!(lengths[1], lengths[2]);
            let said: Vec<_> = sent.iter().map(|packet| packet.publish(version.number)).collect();
            let topics: Vec<&str> = said.iter().map(|publish| publish.topic.as_str()).collect();
            let again = if aliased { "" } else { topic.as_str() };
            assert_eq!(topics, [topic.as_str(), again, again]);
            let alias = if aliased { vec![(TOPIC_ALIAS, 1)] } else { Vec::new() };
            assert!(said.iter().all(|publish| publish.properties == alias), "{said:?}");
        }
    }
}

fn a_receive_maximum_of_one_is_announced_and_kept(version: Version, broker: SocketAddr) {
    receives_at_most(version, broker, 1);
}

/// Not for mosquitto 2.0.11: at each acknowledgement it sends as many again, whatever is in flight.
fn a_receive_maximum_of_seven_is_announced_and_kept(version: Version, broker: SocketAddr) {
    receives_at_most(version, broker, 7);
}

fn receives_at_most(version: Version, broker: SocketAddr, messages: i64) {
    for setting in ["qos1", "qos2"] {
        let tap = Tap::at(broker);
        let table = options(&[receive_maximum(messages)]);
        let (book, subscriber, mut publisher) = pair(version, tap.address, setting, "window", &table);
        for connect in tap.connects() {
            assert!(connect.properties.contains(&(RECEIVE_MAXIMUM, messages as u32)), "{connect:?}");
        }
        let bodies = numbered(300);
        for (token, body) in bodies.iter().enumerate() {
            publisher.send(token as u64, body).unwrap();
        }
        book.wait(setting, |seen| seen.bodies.len() >= bodies.len(), |seen| assert!(seen.bodies == bodies));
        publisher.finish(LIMIT).unwrap();
        subscriber.finish(LIMIT).unwrap();
        let most = tap.most_on_their_way(false, version.number);
        assert!((1..=messages as usize).contains(&most), "{setting}: {most} on their way at once");
    }
}

const NOT_BY_MOSQUITTO: &str = "a_receive_maximum_of_seven_is_announced_and_kept";

/// A test's name, the lowest version, and its function.
type Case = (&'static str, u8, fn(Version, SocketAddr));

const CASES: [Case; 8] = [
    (
        "what_was_sent_arrives_from_a_publisher_that_finishes_at_once",
        4,
        what_was_sent_arrives_from_a_publisher_that_finishes_at_once,
    ),
    ("options_at_other_values_carry_messages", 4, options_at_other_values_carry_messages),
    (
        "a_kept_session_is_at_the_broker_until_its_client_finishes",
        4,
        a_kept_session_is_at_the_broker_until_its_client_finishes,
    ),
    ("a_clean_session_is_not_kept", 4, a_clean_session_is_not_kept),
    (
        "a_retained_message_waits_for_later_subscribers_until_the_end",
        4,
        a_retained_message_waits_for_later_subscribers_until_the_end,
    ),
    ("with_an_alias_the_topic_is_written_once", 5, with_an_alias_the_topic_is_written_once),
    ("a_receive_maximum_of_one_is_announced_and_kept", 5, a_receive_maximum_of_one_is_announced_and_kept),
    (NOT_BY_MOSQUITTO, 5, a_receive_maximum_of_seven_is_announced_and_kept),
];

fn main() -> ExitCode {
    let brokers = ["mosquitto", "hivemq"].map(|name| Shared::standing(&folder(name), 1));
    let mut trials: Vec<Trial> = Vec::new();
    for broker in &brokers {
        let own = broker.name() == "mosquitto";
        for version in versions() {
            let title =
                |name: &str| format!("{}: {}: {name}", broker.name(), version.transport.description().id);
            for (name, _, test) in CASES.into_iter().filter(|(_, least, _)| version.number >= *least) {
                if !own || name != NOT_BY_MOSQUITTO {
                    trials.push(broker.trial(&title(name), move |broker| test(version, broker.address())));
                }
            }
            for (name, _, test) in refusals::CASES.into_iter().filter(|case| own && version.number >= case.1)
            {
                trials.push(broker.trial_of(&title(name), move || test(version)));
            }
        }
    }
    trials.extend(versions().into_iter().flat_map(|version| matrix(version.transport, None)));
    trials.push(brokers[0].trial_of(
        "mosquitto_as_its_folder_secures_it_lets_in_the_runs_own_and_to_its_topics_alone",
        secured::mosquitto_as_its_folder_secures_it_lets_in_the_runs_own_and_to_its_topics_alone,
    ));
    let grounds = Grounds::new();
    let mosquitto = grounds.broker("mosquitto");
    for Version { transport, .. } in versions() {
        trials.extend(conformance(transport));
        trials.extend(grounds.trials(transport, &mosquitto, Some(TlsVersion::Tls13)));
        trials.extend(grounds.mutual_trials(transport));
    }
    run(trials)
}

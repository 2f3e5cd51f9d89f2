//! What a broker refuses, with mosquitto configured to do so.

use std::process::Command;
use std::sync::Arc;

use wiredyno_contract::OptionValue;
use wiredyno_transport::{ConnectError, FinishError, Login, SendError};
use wiredyno_transport_stand::{Arrivals, Broker, LIMIT, Notebook, changed, setup};

use crate::wire::Tap;
use crate::{Version, options, pair};

/// A test's name, the lowest version, and its function.
pub type Case = (&'static str, u8, fn(Version));

pub const CASES: [Case; 5] = [
    ("a_login_is_used_and_a_refused_one_is_an_error_of_its_own", 4, login),
    ("messages_that_a_broker_refuses_are_told_and_not_acknowledged", 5, refused_messages),
    ("a_broker_s_packet_size_is_a_limit_on_bodies", 5, packet_size),
    ("a_broker_s_receive_maximum_narrows_the_window", 5, window),
    ("a_broker_that_lacks_what_is_asked_for_is_an_error_of_connecting", 5, lacking),
];

/// With these lines appended to its configuration, where they override earlier ones.
fn start(lines: &str) -> Broker {
    Broker::start(&changed("mosquitto", "mosquitto.conf", |text| format!("{text}{lines}")), 1).unwrap()
}

fn login(version: Version) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("passwords");
    // Debian installs it next to the broker.
    let made = Command::new("mosquitto_passwd").args(["-c", "-b"]).arg(&file).args(["ada", "right"]).status();
    assert!(made.unwrap().success());
    let lines = format!("allow_anonymous false\npassword_file {}\n", file.display());
    let broker = start(&lines);
    let login = |user: &str, password: &str| Login { user: user.into(), password: password.into() };
    let mut setup = setup(Some("qos1"), broker.address(), "login");
    let book = Arc::new(Notebook::default());
    for (wrong, name) in
        [(None, ""), (Some(login("ada", "wrong")), "ada"), (Some(login("bob", "right")), "bob")]
    {
        setup.login = wrong;
        let publisher = version.transport.publisher(&setup, book.clone()).err().unwrap();
        let subscriber =
            version.transport.subscriber(&setup, Box::new(Arrivals(book.clone()))).err().unwrap();
        for error in [publisher, subscriber] {
            let text = error.to_string();
            assert!(matches!(&error, ConnectError::Login { user, .. } if user == name), "{text}");
            assert!(!format!("{text} {error:?}").contains("wrong"), "{text}");
        }
    }
    // The removal at the end needs the login too.
    setup.login = Some(login("ada", "right"));
    setup.options =
        options(&[("retain", OptionValue::Flag(true)), ("session", OptionValue::Text("kept".into()))]);
    let subscriber = version.transport.subscriber(&setup, Box::new(Arrivals(book.clone()))).unwrap();
    let mut publisher = version.transport.publisher(&setup, book.clone()).unwrap();
    publisher.send(0, b"body").unwrap();
    book.wait("login", |seen| seen.bodies.len() == 1 && seen.acked.len() == 1, |_| ());
    publisher.finish(LIMIT).unwrap();
    subscriber.finish(LIMIT).unwrap();
}

fn refused_messages(version: Version) {
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join("rules");
    std::fs::write(&rules, "topic readwrite open\ntopic read shut\n").unwrap();
    let broker = start(&format!("max_queued_messages 1000\nacl_file {}\n", rules.display()));
    for setting in ["qos1", "qos2"] {
        let (book, subscriber, mut publisher) =
            pair(version, broker.address(), setting, "shut", &options(&[]));
        for token in 0..3 {
            publisher.send(token, b"body").unwrap();
        }
        book.wait("sent", |seen| seen.sent.len() == 3, |_| ());
        let error = publisher.finish(LIMIT).unwrap_err();
        let FinishError::Refused { messages, reason, .. } = &error else { panic!("{error}") };
        assert!(*messages == 3 && reason.contains("NotAuthorized"), "{error}");
        book.wait("acked", |_| true, |seen| assert!(seen.acked.is_empty() && seen.bodies.is_empty()));
        subscriber.finish(LIMIT).unwrap();
        let (book, subscriber, mut publisher) =
            pair(version, broker.address(), setting, "open", &options(&[]));
        publisher.send(0, b"body").unwrap();
        book.wait("open", |seen| seen.bodies.len() == 1 && seen.acked.len() == 1, |_| ());
        publisher.finish(LIMIT).unwrap();
        subscriber.finish(LIMIT).unwrap();
    }
}

fn packet_size(version: Version) {
    let broker = start("max_packet_size 1000\n");
    let (book, subscriber, mut publisher) = pair(version, broker.address(), "qos1", "size", &options(&[]));
    let error = publisher.send(0, &[1; 1_000]).unwrap_err();
    let SendError::TooLarge { limit_bytes, .. } = error else { panic!("{error}") };
    assert!((980..1_000).contains(&limit_bytes), "{error}");
    assert!(matches!(publisher.send(1, &vec![1; limit_bytes + 1]), Err(SendError::TooLarge { .. })));
    publisher.send(2, &vec![1; limit_bytes]).unwrap();
    book.wait("size", |seen| seen.bodies.len() == 1, |seen| assert_eq!(seen.bodies[0].len(), limit_bytes));
    publisher.finish(LIMIT).unwrap();
    subscriber.finish(LIMIT).unwrap();
}

fn window(version: Version) {
    let broker = start("max_inflight_messages 5\n");
    let tap = Tap::at(broker.address());
    let (book, subscriber, mut publisher) = pair(version, tap.address, "qos1", "window", &options(&[]));
    for token in 0..300_u32 {
        publisher.send(token.into(), &token.to_le_bytes()).unwrap();
    }
    book.wait("window", |seen| seen.bodies.len() == 300 && seen.acked.len() == 300, |_| ());
    publisher.finish(LIMIT).unwrap();
    subscriber.finish(LIMIT).unwrap();
    let most = tap.most_on_their_way(true, version.number);
    assert!((1..=5).contains(&most), "{most} on their way at once");
}

fn lacking(version: Version) {
    let flag = |name| options(&[(name, OptionValue::Flag(true))]);
    for (lines, setting, table, said) in [
        ("max_topic_alias 0\n", "qos0", flag("topic_alias"), "topic alias"),
        ("retain_available false\n", "qos0", flag("retain"), "retains no messages"),
        ("max_qos 1\n", "qos2", options(&[]), "QoS only up to 1"),
    ] {
        let broker = start(lines);
        let mut setup = setup(Some(setting), broker.address(), "lacking");
        setup.options = table;
        let book = Arc::new(Notebook::default());
        let publisher = version.transport.publisher(&setup, book.clone()).err().unwrap();
        let subscriber =
            version.transport.subscriber(&setup, Box::new(Arrivals(book.clone()))).err().unwrap();
        for error in [publisher, subscriber] {
            assert!(
                matches!(error, ConnectError::Unfit { .. }) && error.to_string().contains(said),
                "{error}"
            );
        }
        // Without the option, the broker works.
        setup.options.clear();
        setup.setting = Some("qos1".into());
        version.transport.publisher(&setup, book).unwrap().finish(LIMIT).unwrap();
    }
}

//! Every mode over every broker that serves the protocol, and beyond the matrix: the client against a real Apache Qpid Broker-J, against
//! itself, and against endpoints that are not brokers.

// Test helpers may unwrap like the tests themselves: a failure is a failed test.
#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use wiredyno_contract::{OptionValue, TlsVersion};
use wiredyno_transport::{ClientSetup, ConnectError, Login, SendError};
use wiredyno_transport_amqp_1_0::TRANSPORT;
use wiredyno_transport_stand::{
    Arrivals, Grounds, LIMIT, NOBODY, Notebook, Seen, Shared, conformance, folder, matrix, run, setup,
};

/// A test, given the address of the broker that all tests share.
type Test = fn(SocketAddr);

fn modes() -> [&'static str; 2] {
    ["settled", "unsettled"]
}

/// Sends these bodies, and checks that they arrive unchanged, once and in order.
fn carries(setup: &ClientSetup, bodies: &[Vec<u8>]) {
    let what = format!("{:?} {:?}", setup.setting, setup.options);
    let book = Arc::new(Notebook::default());
    let subscriber = TRANSPORT.subscriber(setup, Box::new(Arrivals(book.clone()))).unwrap();
    let mut publisher = TRANSPORT.publisher(setup, book.clone()).unwrap();
    for (token, body) in bodies.iter().enumerate() {
        publisher.send(token as u64, body).unwrap();
    }
    let all = bodies.len();
    let acks = if publisher.acknowledges() { all } else { 0 };
    let enough = |seen: &Seen| {
        seen.bodies.len() >= all && seen.sent.len() >= all && seen.acked.len() >= acks
            || seen.broken.is_some()
    };
    book.wait(&what, enough, |seen| {
        assert_eq!(seen.broken, None, "{what}");
        assert!(seen.bodies == bodies, "{what}: what arrived differs from what was sent");
        assert!(seen.sent.iter().map(|(token, _)| *token).eq(0..all as u64), "{what}");
        assert!(seen.acked.iter().map(|(token, _)| *token).eq(0..acks as u64), "{what}");
        assert!(seen.sent.is_sorted_by_key(|(_, at_ns)| *at_ns), "{what}");
        assert!(seen.acked.iter().zip(&seen.sent).all(|(acked, sent)| acked.1 >= sent.1), "{what}");
    });
    publisher.finish(LIMIT).unwrap();
    subscriber.finish(LIMIT).unwrap();
}

fn options_at_other_values_carry_the_same(endpoint: SocketAddr) {
    let bodies: Vec<Vec<u8>> =
        [0, 1, 1_000, 300_000, 7, 1_000_000, 3].iter().map(|size| vec![*size as u8; *size]).collect();
    let tables = [
        [("credit", OptionValue::Whole(2)), ("durable", OptionValue::Flag(false))],
        [("credit", OptionValue::Whole(3)), ("durable", OptionValue::Flag(true))],
        [("credit", OptionValue::Whole(100_000)), ("durable", OptionValue::Flag(true))],
    ];
    for (number, options) in tables.into_iter().enumerate() {
        for mode in modes() {
            let mut setup = setup(Some(mode), endpoint, &format!("options/{number}/{mode}"));
            setup.options = options.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
            carries(&setup, &bodies);
        }
    }
    let mut setup = setup(Some("settled"), endpoint, "options");
    setup.options.insert("credit".into(), OptionValue::Whole(0));
    let error = TRANSPORT.publisher(&setup, Arc::new(Notebook::default())).err().unwrap();
    assert!(matches!(error, ConnectError::Option { .. }), "{error}");
}

fn topics_with_odd_names_are_kept_apart(endpoint: SocketAddr) {
    let topics = ["a", "a/b", "a.b", "#", "*", "a.*", "Ünï cödé", "a b"];
    let book = || Arc::new(Notebook::default());
    let books: Vec<_> = topics.iter().map(|topic| (topic, book())).collect();
    let connect = |(topic, book): &(&&str, Arc<Notebook>)| {
        TRANSPORT
            .subscriber(&setup(Some("unsettled"), endpoint, topic), Box::new(Arrivals(book.clone())))
            .unwrap()
    };
    let subscribers: Vec<_> = books.iter().map(connect).collect();
    for topic in topics {
        let mut publisher = TRANSPORT.publisher(&setup(Some("unsettled"), endpoint, topic), book()).unwrap();
        publisher.send(0, topic.as_bytes()).unwrap();
        publisher.finish(LIMIT).unwrap();
    }
    for (topic, book) in &books {
        book.wait(topic, |seen| !seen.bodies.is_empty(), |_| ());
    }
    for subscriber in subscribers {
        subscriber.finish(LIMIT).unwrap();
    }
    for (topic, book) in books {
        book.wait(topic, |_| true, |seen| assert_eq!(seen.bodies, [topic.as_bytes()], "{topic}"));
    }
}

fn what_nobody_subscribed_to_is_taken_and_hurts_nothing(endpoint: SocketAddr) {
    for mode in modes() {
        let setup = setup(Some(mode), endpoint, &format!("nobody/{mode}"));
        let book = Arc::new(Notebook::default());
        let mut publisher = TRANSPORT.publisher(&setup, book.clone()).unwrap();
        publisher.send(0, b"lost").unwrap();
        let acks = usize::from(publisher.acknowledges());
        book.wait(mode, |seen| seen.sent.len() == 1 && seen.acked.len() == acks, |_| ());
        let subscriber = TRANSPORT.subscriber(&setup, Box::new(Arrivals(book.clone()))).unwrap();
        publisher.send(1, b"kept").unwrap();
        book.wait(mode, |seen| !seen.bodies.is_empty(), |seen| assert_eq!(seen.bodies, [b"kept"]));
        publisher.finish(LIMIT).unwrap();
        subscriber.finish(LIMIT).unwrap();
    }
}

fn a_body_larger_than_the_broker_takes_is_refused_and_hurts_nothing(endpoint: SocketAddr) {
    let setup = setup(Some("unsettled"), endpoint, "large");
    let book = Arc::new(Notebook::default());
    let mut publisher = TRANSPORT.publisher(&setup, book.clone()).unwrap();
    // Qpid's default is 100 MiB.
    let error = publisher.send(0, &vec![0; 100 << 20]).unwrap_err();
    let SendError::TooLarge { limit_bytes, .. } = error else { panic!("{error}") };
    assert!((100_000_000..100 << 20).contains(&limit_bytes), "{limit_bytes}");
    publisher.send(1, b"small").unwrap();
    book.wait("small", |seen| seen.acked.len() == 1, |seen| assert_eq!(seen.acked[0].0, 1));
    publisher.finish(LIMIT).unwrap();
}

/// Debian's Python, for which python3-qpid-proton is built.
const PYTHON: &str = "/usr/bin/python3";

/// Python's binding of Qpid Proton accepts what we send, and we accept what it sends.
const PROTON: &str = r#"
import sys
from proton import Message, Data
from proton.utils import BlockingConnection
url, topic = sys.argv[1:3]
connection = BlockingConnection(url, timeout=20)
receiver = connection.create_receiver("amq.direct/" + topic)
sender = connection.create_sender("amq.direct/" + topic + "/back")
print("ready", flush=True)
for _ in range(3):
    message = receiver.receive()
    receiver.accept()
    body = bytes(message.body)
    print(message.inferred, message.durable, type(message.body).__name__, len(body), sum(body), flush=True)
    sender.send(Message(body=body, inferred=True))
connection.close()
"#;

fn foreign_software_reads_what_we_send_and_we_what_it_sends(endpoint: SocketAddr) {
    let topic = "proton";
    let there = setup(Some("unsettled"), endpoint, topic);
    let back = setup(Some("unsettled"), endpoint, "proton/back");
    let book = Arc::new(Notebook::default());
    let subscriber = TRANSPORT.subscriber(&back, Box::new(Arrivals(book.clone()))).unwrap();
    let mut child = Command::new(PYTHON)
        .args(["-c", PROTON, &format!("amqp://guest:guest@{endpoint}"), topic])
        .env("PN_TRACE_FRM", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    let mut ready = [0; 6];
    out.read_exact(&mut ready).unwrap();
    assert_eq!(&ready, b"ready\n");
    let mut publisher = TRANSPORT.publisher(&there, Arc::new(Notebook::default())).unwrap();
    let bodies = [Vec::new(), b"hello".to_vec(), vec![3; 1_000_000]];
    for (token, body) in bodies.iter().enumerate() {
        publisher.send(token as u64, body).unwrap();
    }
    publisher.finish(LIMIT).unwrap();
    let mut said = String::new();
    out.read_to_string(&mut said).unwrap();
    assert!(child.wait().unwrap().success(), "{said}");
    // `inferred` shows that the body was in a data section.
    assert_eq!(said, "True False bytes 0 0\nTrue False bytes 5 532\nTrue False bytes 1000000 3000000\n");
    book.wait("back", |seen| seen.bodies.len() == 3, |seen| assert!(seen.bodies == bodies));
    subscriber.finish(LIMIT).unwrap();
}

/// Whether Python has the binding.
fn proton() -> bool {
    let probe = Command::new(PYTHON).args(["-c", "import proton.utils"]).stderr(Stdio::null()).status();
    probe.is_ok_and(|status| status.success())
}

fn a_wrong_login_is_refused_and_said_without_the_password(endpoint: SocketAddr) {
    let mut setup = setup(Some("settled"), endpoint, "login");
    let login = |user: &str, password: &str| Some(Login { user: user.into(), password: password.into() });
    for (user, password) in [("guest", "secret"), ("nobody", "guest"), ("", "")] {
        setup.login = login(user, password);
        let book = Arc::new(Notebook::default());
        let publisher = TRANSPORT.publisher(&setup, book.clone()).err().unwrap();
        let subscriber = TRANSPORT.subscriber(&setup, Box::new(Arrivals(book))).err().unwrap();
        for error in [publisher, subscriber] {
            let text = format!("{error} {error:?}");
            assert!(matches!(&error, ConnectError::Login { user: of, .. } if of == user), "{text}");
            assert!(text.contains(&endpoint.to_string()) && !text.contains("secret"), "{text}");
        }
    }
    setup.login = login("guest", "guest");
    carries(&setup, &[b"in".to_vec()]);
}

/// Qpid closes a connection with a wrong login while its own answer may not have left: what the client then sees.
fn a_broker_that_closes_in_answer_to_a_login_has_refused_it() {
    const MECHANISMS: &[u8] = b"AMQP\x03\x01\x00\x00\x00\x00\x00\x1b\x02\x01\x00\x00\x00\x53\x40\xc0\x0e\x01\xe0\x0b\x01\xb3\x00\x00\x00\x05PLAIN";
    const TAKEN: &[u8] = b"\x00\x00\x00\x10\x02\x01\x00\x00\x00\x53\x44\xc0\x03\x01\x50\x00";
    for (answer, is_login) in [(&b""[..], true), (TAKEN, false)] {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let endpoint = listener.local_addr().unwrap();
        let broker = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.read_exact(&mut [0; 8]).unwrap();
            stream.write_all(MECHANISMS).unwrap();
            // sasl-init: its size, then the rest of it.
            let mut size = [0; 4];
            stream.read_exact(&mut size).unwrap();
            stream.read_exact(&mut vec![0; u32::from_be_bytes(size) as usize - 4]).unwrap();
            stream.write_all(answer).unwrap();
            // Waits for the end, so that a reset loses nothing.
            stream.shutdown(std::net::Shutdown::Write).unwrap();
            let _ = stream.read_to_end(&mut Vec::new());
        });
        let mut setup = setup(Some("settled"), endpoint, "test/race");
        setup.login = Some(Login { user: "ada".into(), password: "secret".into() });
        let error = TRANSPORT.publisher(&setup, Arc::new(Notebook::default())).err().unwrap();
        broker.join().unwrap();
        match is_login {
            true => assert!(matches!(&error, ConnectError::Login { user, .. } if user == "ada"), "{error}"),
            false => assert!(matches!(error, ConnectError::Unreachable { .. }), "{error}"),
        }
    }
}

fn endpoints_that_are_no_broker_are_clear_errors_within_the_limit() {
    let listen = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    // A port where nothing listens; one that accepts connections and never answers; one that sends nonsense; one that begins correctly,
    // then sends nonsense; one that closes at once.
    let mute = listen();
    let talks = |words: &'static [u8]| {
        let listener = listen();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut greeting = [0; 8];
                let _ = stream.read_exact(&mut greeting);
                let _ = stream.write_all(words);
                // Reads to the end, so that a reset does not lose its answer.
                let _ = stream.shutdown(std::net::Shutdown::Write);
                let _ = stream.read_to_end(&mut Vec::new());
            }
        });
        address
    };
    let http = talks(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    let half = talks(b"AMQP\x03\x01\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
    let closes = talks(b"");
    for (endpoint, expected) in [
        (NOBODY, "refused"),
        (mute.local_addr().unwrap(), "no answer"),
        (http, "does not speak AMQP 1.0"),
        (half, "can't connect"),
        (closes, "can't connect"),
    ] {
        let mut setup = setup(Some("settled"), endpoint, "test/dead");
        setup.limit = Duration::from_millis(500);
        let begin = Instant::now();
        let book = Arc::new(Notebook::default());
        let publisher = TRANSPORT.publisher(&setup, book.clone()).err().unwrap();
        let subscriber = TRANSPORT.subscriber(&setup, Box::new(Arrivals(book))).err().unwrap();
        for error in [publisher, subscriber] {
            let text = error.to_string();
            assert!(text.contains(expected) && text.contains(&endpoint.to_string()), "{text}");
            assert!(
                matches!(error, ConnectError::Unreachable { .. } | ConnectError::Silent { .. }),
                "{text}"
            );
        }
        assert!(begin.elapsed() < LIMIT, "the limit was exceeded");
    }
}

/// A listening subscriber accepts one publisher after another, and more messages than one link carries.
fn publishers_connect_to_a_subscriber_that_listens() {
    for mode in modes() {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
        let setup = setup(Some(mode), free, "peer");
        let book = Arc::new(Notebook::default());
        let subscriber = TRANSPORT.peer(&setup, Box::new(Arrivals(book.clone()))).unwrap();
        let mut sent = Vec::new();
        for count in [3_usize, 9_000] {
            let told = Arc::new(Notebook::default());
            let mut publisher = TRANSPORT.publisher(&setup, told.clone()).unwrap();
            for token in 0..count {
                let body = vec![token as u8; if token == 1 { 1_000_000 } else { token % 50 }];
                publisher.send(token as u64, &body).unwrap();
                sent.push(body);
            }
            let acks = if publisher.acknowledges() { count } else { 0 };
            told.wait(mode, |seen| seen.sent.len() == count && seen.acked.len() == acks, |_| ());
            publisher.finish(LIMIT).unwrap();
        }
        book.wait(
            mode,
            |seen| seen.bodies.len() >= sent.len(),
            |seen| {
                assert!(seen.bodies == sent, "{mode}: what arrived differs from what was sent");
            },
        );
        subscriber.finish(LIMIT).unwrap();
        let refused = TRANSPORT.publisher(&setup, Arc::new(Notebook::default())).err().unwrap();
        assert!(matches!(refused, ConnectError::Unreachable { .. }), "{refused}: nothing listens any more");
    }
}

fn main() -> ExitCode {
    let qpid = Shared::standing(&folder("qpid"), 1);
    let over_it: [(&str, Test); 5] = [
        (
            "a_wrong_login_is_refused_and_said_without_the_password",
            a_wrong_login_is_refused_and_said_without_the_password,
        ),
        ("options_at_other_values_carry_the_same", options_at_other_values_carry_the_same),
        ("topics_with_odd_names_are_kept_apart", topics_with_odd_names_are_kept_apart),
        (
            "what_nobody_subscribed_to_is_taken_and_hurts_nothing",
            what_nobody_subscribed_to_is_taken_and_hurts_nothing,
        ),
        (
            "a_body_larger_than_the_broker_takes_is_refused_and_hurts_nothing",
            a_body_larger_than_the_broker_takes_is_refused_and_hurts_nothing,
        ),
    ];
    let mut trials: Vec<Trial> = over_it
        .into_iter()
        .map(|(name, test)| qpid.trial(name, move |broker| test(broker.address())))
        .collect();
    let python = (!proton()).then_some(" [Proton is not installed: apt-get install python3-qpid-proton]");
    let name =
        format!("foreign_software_reads_what_we_send_and_we_what_it_sends{}", python.unwrap_or_default());
    let foreign = qpid.trial(&name, |broker| {
        foreign_software_reads_what_we_send_and_we_what_it_sends(broker.address());
    });
    let ignored = foreign.has_ignored_flag() || python.is_some();
    trials.push(foreign.with_ignored_flag(ignored));
    trials.push(Trial::test("publishers_connect_to_a_subscriber_that_listens", || {
        publishers_connect_to_a_subscriber_that_listens();
        Ok(())
    }));
    trials.push(Trial::test("a_broker_that_closes_in_answer_to_a_login_has_refused_it", || {
        a_broker_that_closes_in_answer_to_a_login_has_refused_it();
        Ok(())
    }));
    trials.push(Trial::test("endpoints_that_are_no_broker_are_clear_errors_within_the_limit", || {
        endpoints_that_are_no_broker_are_clear_errors_within_the_limit();
        Ok(())
    }));
    trials.extend(matrix(TRANSPORT, None));
    trials.extend(conformance(TRANSPORT));
    let grounds = Grounds::new();
    trials.extend(grounds.trials(TRANSPORT, &grounds.broker("qpid"), Some(TlsVersion::Tls13)));
    run(trials)
}

//! Rejected logins, endpoints that are not brokers, and brokers that hang, refuse and die.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use wiredyno_contract::OptionValue;
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, Login};
use wiredyno_transport_amqp_0_9_1::TRANSPORT;
use wiredyno_transport_stand::{self as stand, Arrivals, Broker, LIMIT, Notebook};

use crate::ctl::ctl;
use crate::{no_thread_is_left, pair, setup};

/// The errors of a publisher and a subscriber.
fn errors(setup: &ClientSetup) -> [ConnectError; 2] {
    let book = Arc::new(Notebook::default());
    [
        TRANSPORT.publisher(setup, book.clone()).err().unwrap(),
        TRANSPORT.subscriber(setup, Box::new(Arrivals(book))).err().unwrap(),
    ]
}

/// Listens, and answers each connection with these bytes before closing it; with `None` it never answers.
fn server(answer: Option<&'static [u8]>) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            match answer {
                None => kept.push(stream),
                Some(answer) => {
                    let mut header = [0; 8];
                    let _ = stream.read_exact(&mut header);
                    let _ = stream.write_all(answer);
                }
            }
        }
    });
    address
}

/// connection.start with the mechanism PLAIN, as a broker sends it; this one then closes.
const START: &[u8] = b"\x01\x00\x00\x00\x00\x00\x1c\x00\x0a\x00\x0a\x00\x09\x00\x00\x00\x00\x00\x00\x00\x05PLAIN\x00\x00\x00\x05en_US\xce";

pub fn no_broker() {
    let limit = Duration::from_millis(300);
    let login = Login { user: "alice".into(), password: "hunter2".into() };
    let asked = |endpoint| ClientSetup {
        limit,
        login: Some(login.clone()),
        ..stand::setup(Some("manual-ack"), endpoint, "test/none")
    };
    assert!(!format!("{:?}", asked(stand::NOBODY)).contains("hunter2"), "{:?}", asked(stand::NOBODY));
    let is_unreachable = |error: &ConnectError| matches!(error, ConnectError::Unreachable { .. });
    let is_silent = |error: &ConnectError| matches!(error, ConnectError::Silent { .. });
    let is_login = |error: &ConnectError| matches!(error, ConnectError::Login { .. });
    /// What it is, its address, what the error must be, and a word of its text.
    type Case<'a> = (&'a str, SocketAddr, &'a dyn Fn(&ConnectError) -> bool, &'a str);
    let cases: [Case<'_>; 7] = [
        ("no listener", stand::NOBODY, &is_unreachable, "refused"),
        ("a silent server", server(None), &is_silent, "no answer"),
        ("one that hangs up", server(Some(b"")), &is_unreachable, "closed the connection"),
        ("garbage", server(Some(b"HTTP/1.1 400 Bad Request\r\n\r\n")), &is_unreachable, "can't connect"),
        ("zeros", server(Some(&[0; 64])), &is_unreachable, "can't connect"),
        (
            "another version",
            server(Some(b"AMQP\x00\x01\x00\x00")),
            &is_unreachable,
            "only supports AMQP 1.0.0",
        ),
        ("one that greets and hangs up", server(Some(START)), &is_login, "closed the connection"),
    ];
    for (what, endpoint, is, word) in cases {
        let begin = Instant::now();
        for error in errors(&asked(endpoint)) {
            let text = error.to_string();
            assert!(is(&error), "{what}: {text}");
            assert!(text.contains(word) && text.contains(&endpoint.to_string()), "{what}: {text}");
            assert!(text.contains("amqp-0-9-1/lapin") && !text.contains("hunter2"), "{what}: {text}");
        }
        assert!(begin.elapsed() < LIMIT, "{what}: the limit was exceeded");
        no_thread_is_left();
    }
}

pub fn wrong_login(broker: &mut Broker) {
    let with = |user: &str, password: &str| ClientSetup {
        login: Some(Login { user: user.into(), password: password.into() }),
        ..setup(broker, "manual-ack", "test/login", &[])
    };
    for (user, password) in [("guest", "hunter2"), ("nobody", "hunter2"), ("guest", "")] {
        let setup = with(user, password);
        assert!(!format!("{setup:?}").contains("hunter2"), "{setup:?}");
        for error in errors(&setup) {
            let text = format!("{error} {error:?}");
            assert!(matches!(&error, ConnectError::Login { user: named, .. } if named == user), "{text}");
            assert!(text.contains(user) && !text.contains("hunter2"), "{text}");
        }
    }
    // The same by name as the default guest, and a user without any permission.
    let (subscriber, publisher, _) = pair(&with("guest", "guest"));
    publisher.finish(LIMIT).unwrap();
    subscriber.finish(LIMIT).unwrap();
    ctl(broker, &["add_user", "reader", "secret"]);
    for error in errors(&with("reader", "secret")) {
        assert!(matches!(error, ConnectError::Login { .. }), "no right to the virtual host: {error}");
    }
    ctl(broker, &["set_permissions", "reader", "", "", ""]);
    let setup = with("reader", "secret");
    let book = Arc::new(Notebook::default());
    let error = TRANSPORT.subscriber(&setup, Box::new(Arrivals(book.clone()))).err().unwrap();
    assert!(matches!(error, ConnectError::NotGranted { .. }), "{error}");
    assert!(error.to_string().contains("403"), "{error}");
    // A broker checks a publisher's rights when it publishes.
    let mut publisher = TRANSPORT.publisher(&setup, book.clone()).unwrap();
    publisher.send(0, b"x").unwrap();
    book.wait(
        "not allowed",
        |seen| seen.broken.is_some(),
        |seen| {
            assert!(seen.broken.as_ref().unwrap().contains("403"), "{:?}", seen.broken);
        },
    );
    assert!(matches!(publisher.finish(LIMIT), Err(FinishError::Broken { .. })));
}

pub fn ended_by_the_broker(broker: &mut Broker) {
    let (subscriber, publisher, book) = pair(&setup(broker, "manual-ack", "test/forced", &[]));
    let other = Arc::new(Notebook::default());
    let setup = setup(broker, "auto-ack", "test/forced", &[]);
    let third = TRANSPORT.subscriber(&setup, Box::new(Arrivals(other.clone()))).unwrap();
    ctl(broker, &["close_all_connections", "they are not wanted"]);
    for book in [&book, &other] {
        book.wait(
            "closed",
            |seen| seen.broken.is_some(),
            |seen| {
                let reason = seen.broken.as_ref().unwrap();
                assert!(reason.contains("320") && reason.contains("they are not wanted"), "{reason}");
            },
        );
    }
    for ended in [publisher.finish(LIMIT), subscriber.finish(LIMIT), third.finish(LIMIT)] {
        assert!(matches!(ended, Err(FinishError::Broken { .. })), "{ended:?}");
    }
    // A queue that is deleted while its subscriber uses it.
    let (subscriber, publisher, book) = pair(&setup_durable(broker));
    let queues = ctl(broker, &["list_queues", "name"]);
    let queue = queues.lines().find(|line| line.starts_with("wiredyno.")).unwrap();
    ctl(broker, &["delete_queue", queue]);
    book.wait(
        "cancelled",
        |seen| seen.broken.is_some(),
        |seen| {
            assert!(
                seen.broken.as_ref().unwrap().contains("cancelled the subscription"),
                "{:?}",
                seen.broken
            );
        },
    );
    publisher.finish(LIMIT).unwrap();
    assert!(matches!(subscriber.finish(LIMIT), Err(FinishError::Broken { .. })));
}

fn setup_durable(broker: &Broker) -> ClientSetup {
    setup(broker, "manual-ack", "test/deleted", &[("durable", OptionValue::Flag(true))])
}

pub fn hanging_broker(broker: &mut Broker) {
    let durable = [("durable", OptionValue::Flag(true))];
    let (subscriber, mut publisher, book) = pair(&setup(broker, "manual-ack", "test/hang", &durable));
    broker.signal(Signal::SIGSTOP);
    // More than the sockets hold; none of it waits.
    let body = vec![0; 1 << 20];
    (0..20).for_each(|token| publisher.send(token, &body).unwrap());
    let grace = Duration::from_millis(200);
    let begin = Instant::now();
    let ended = [publisher.finish(grace), subscriber.finish(grace)];
    for ended in &ended {
        assert!(matches!(ended, Err(FinishError::Unfinished { .. })), "{ended:?}");
    }
    assert!(begin.elapsed() < LIMIT, "the grace was exceeded");
    no_thread_is_left();
    let setup = ClientSetup { limit: grace, ..setup(broker, "manual-ack", "test/hang", &[]) };
    for error in errors(&setup) {
        assert!(matches!(error, ConnectError::Silent { .. }), "{error}");
    }
    broker.signal(Signal::SIGCONT);
    // The error names what could not be deleted.
    let text = ended[1].as_ref().unwrap_err().to_string();
    let queue = text.split_whitespace().find(|word| word.starts_with("wiredyno.")).unwrap();
    ctl(broker, &["delete_queue", queue]);
    book.wait("not reported as broken", |_| true, |seen| assert_eq!(seen.broken, None));
}

/// Only the started program is killed. Its helpers end by themselves when they notice; there is no epmd.
pub fn dying_broker(broker: &mut Broker) {
    let (subscriber, publisher, book) = pair(&setup(broker, "manual-ack", "test/death", &[]));
    let name = |pid| std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    let before: Vec<String> = broker.processes().into_iter().map(name).collect();
    assert!(before.iter().any(|name| name.contains("beam.smp")), "{before:?}");
    kill(Pid::from_raw(broker.pids()[0].try_into().unwrap()), Signal::SIGKILL).unwrap();
    book.wait("dead", |seen| seen.broken.is_some(), |_| ());
    for ended in [publisher.finish(LIMIT), subscriber.finish(LIMIT)] {
        assert!(matches!(ended, Err(FinishError::Broken { .. })), "{ended:?}");
    }
    let until = Instant::now() + LIMIT;
    while !broker.processes().is_empty() {
        assert!(Instant::now() < until, "left: {:?}", broker.processes());
        std::thread::yield_now();
    }
    no_thread_is_left();
    broker.restart();
}

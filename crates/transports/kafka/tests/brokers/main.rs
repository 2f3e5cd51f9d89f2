//! Every mode of Kafka over its broker, started once for all tests, what is specific to Kafka, and TLS with the tests' own
//! certificates. The library does not report the negotiated version of TLS. One file
//! because all of its tests share that broker.

// Test helpers may unwrap like the tests themselves: a failure is a failed test.
#![allow(clippy::unwrap_used)]

mod groups;
mod tools;

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rdkafka::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use wiredyno_contract::OptionValue;
use wiredyno_transport::{
    ClientSetup, ConnectError, FinishError, Login, Publisher, SendError, ServeError, ServerSetup, Subscriber,
};
use wiredyno_transport_kafka::{BODY_LIMIT_BYTES, TRANSPORT};
use wiredyno_transport_stand::{
    Arrivals, Broker, Grounds, LIMIT, NOBODY, Notebook, Seen, Shared, changed, folder, full, matrix, run,
    settings, setup,
};

/// A test's name and function.
type Case = (&'static str, fn(&mut Broker));

const ANY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// An independent client that queries the broker.
fn witness(address: SocketAddr) -> BaseConsumer {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", address.to_string()).set("group.id", "witness").create().unwrap()
}

/// How many records the broker has in each partition of a topic.
fn counted(address: SocketAddr, topic: &str) -> Vec<i64> {
    let witness = witness(address);
    let metadata = witness.fetch_metadata(Some(topic), LIMIT).unwrap();
    let partitions = metadata.topics()[0].partitions();
    let count = |id| witness.fetch_watermarks(topic, id, LIMIT).unwrap();
    partitions.iter().map(|partition| count(partition.id())).map(|(low, high)| high - low).collect()
}

fn topics(address: SocketAddr) -> Vec<String> {
    let metadata = witness(address).fetch_metadata(None, LIMIT).unwrap();
    let names = metadata.topics().iter().map(|topic| topic.name().to_owned());
    names.filter(|name| !name.starts_with("__")).collect()
}

/// A topic's partitions on the disks of all nodes: the segments of its logs.
fn segments(broker: &Broker, topic: &str) -> Vec<Vec<u8>> {
    let mut segments = Vec::new();
    for partition in broker.folders().iter().flat_map(|node| std::fs::read_dir(node.join("data")).unwrap()) {
        let partition = partition.unwrap();
        if !partition.file_name().to_string_lossy().starts_with(&format!("{topic}-")) {
            continue;
        }
        for file in std::fs::read_dir(partition.path()).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|kind| kind == "log") {
                segments.push(std::fs::read(path).unwrap());
            }
        }
    }
    segments
}

struct Pair {
    book: Arc<Notebook>,
    publisher: Box<dyn Publisher>,
    subscriber: Box<dyn Subscriber>,
}

fn connect(setup: &ClientSetup) -> Pair {
    let book = Arc::new(Notebook::default());
    let subscriber = TRANSPORT.subscriber(setup, Box::new(Arrivals(book.clone()))).unwrap();
    let publisher = TRANSPORT.publisher(setup, book.clone()).unwrap();
    Pair { book, publisher, subscriber }
}

impl Pair {
    fn send_all(&mut self, bodies: &[Vec<u8>]) {
        for (token, body) in bodies.iter().enumerate() {
            self.publisher.send(token as u64, body).unwrap();
        }
    }

    /// Waits until all messages have arrived and all timestamps are recorded.
    fn await_all<T>(&self, name: &str, messages: usize, look: impl FnOnce(&Seen) -> T) -> T {
        let acks = if self.publisher.acknowledges() { messages } else { 0 };
        let enough = |seen: &Seen| {
            seen.bodies.len() >= messages && seen.sent.len() >= messages && seen.acked.len() >= acks
        };
        self.book.wait(name, enough, look)
    }

    fn finish(self) {
        self.publisher.finish(LIMIT).unwrap();
        self.subscriber.finish(LIMIT).unwrap();
        self.book.wait("the end", |_| true, |seen| assert_eq!(seen.broken, None));
    }
}

/// Numbered bodies of a given size.
fn numbered(messages: usize, bytes: usize) -> Vec<Vec<u8>> {
    let body = |number: usize| {
        let text = format!("{number:07} sensor reads {:.3} ", (number as f64).sin());
        text.bytes().cycle().take(bytes).collect()
    };
    (0..messages).map(body).collect()
}

fn every_setting_carries_messages_of_every_size_once_in_order_and_leaves_no_topic(broker: &mut Broker) {
    for setting in settings(TRANSPORT) {
        let name = setting.clone().unwrap();
        let mut pair = connect(&setup(setting.as_deref(), broker.address(), &format!("sizes/{name}")));
        let sizes = [0, 1, 1_000, 1 << 20, 0, 10 << 20, 1, 100, 0];
        let bodies: Vec<_> = sizes.iter().flat_map(|&bytes| numbered(1, bytes)).collect();
        pair.send_all(&bodies);
        pair.await_all(&name, bodies.len(), |seen| {
            assert!(seen.bodies == bodies, "{name}: what arrived differs from what was sent");
            let tokens = |stamps: &[(u64, i64)]| stamps.iter().map(|(token, _)| *token).collect::<Vec<_>>();
            assert_eq!(tokens(&seen.sent), (0..bodies.len() as u64).collect::<Vec<_>>(), "{name}");
            let stamps = seen.sent.iter().zip(&seen.received_ns);
            assert!(
                stamps.clone().all(|(sent, received)| sent.1 < *received),
                "{name}: received before sent"
            );
            assert!(seen.acked.iter().zip(&seen.sent).all(|(acked, sent)| acked.1 >= sent.1), "{name}");
        });
        assert_eq!(pair.publisher.acknowledges(), name != "acks-0");
        pair.finish();
        assert_eq!(topics(broker.address()), [""; 0], "{name}");
    }
}

fn ten_thousand_small_messages_keep_their_order_and_the_broker_counts_as_many(broker: &mut Broker) {
    for setting in settings(TRANSPORT) {
        let mut pair = connect(&setup(setting.as_deref(), broker.address(), "many"));
        let bodies = numbered(10_000, 100);
        pair.send_all(&bodies);
        pair.await_all("many", bodies.len(), |seen| assert!(seen.bodies == bodies, "{setting:?}"));
        assert_eq!(counted(broker.address(), "many"), [10_000], "{setting:?}");
        pair.finish();
    }
}

/// Nothing is received from an earlier trial's topic of the same name, in a group or not.
fn a_subscription_begins_when_it_is_made(broker: &mut Broker) {
    let first = connect(&setup(Some("acks-all"), broker.address(), "kept"));
    let Pair { book, mut publisher, subscriber } = first;
    publisher.send(0, b"of yesterday").unwrap();
    book.wait("yesterday", |seen| seen.bodies.len() == 1 && seen.acked.len() == 1, |_| ());
    for group in ["none", "own"] {
        let mut later = setup(Some("acks-all"), broker.address(), "kept");
        later.options = [("group".to_owned(), OptionValue::Text(group.into()))].into();
        let mut pair = connect(&later);
        pair.publisher.send(0, b"of today").unwrap();
        pair.await_all("today", 1, |seen| assert_eq!(seen.bodies, [b"of today"], "group: {group}"));
        pair.finish();
        assert_eq!(topics(broker.address()), ["kept"], "it is not this one's to remove");
    }
    publisher.finish(LIMIT).unwrap();
    subscriber.finish(LIMIT).unwrap();
    assert_eq!(topics(broker.address()), [""; 0]);
}

/// Each option with other values than its default.
fn other_values() -> Vec<(&'static str, OptionValue)> {
    let text = |word: &str| OptionValue::Text(word.into());
    vec![
        ("batch_bytes", OptionValue::Whole(500)),
        ("linger", text("0ns")),
        ("linger", text("1500us")),
        ("compression", text("gzip")),
        ("compression", text("snappy")),
        ("compression", text("lz4")),
        ("compression", text("zstd")),
        ("partitions", OptionValue::Whole(4)),
        ("replication", OptionValue::Whole(1)),
        ("key", text("sequence")),
        ("key", text("few")),
        ("key_values", OptionValue::Whole(3)),
        ("headers", OptionValue::Whole(2)),
        ("partitioner", text("murmur2_random")),
        ("group", text("own")),
        ("assignment", text("roundrobin")),
        ("session_timeout", text("6s")),
        ("commit", text("record")),
        ("commit", text("batch")),
        ("commit_mode", text("async")),
        ("fetch_min_bytes", OptionValue::Whole(50_000)),
        ("fetch_wait_max", text("10ms")),
        ("fetch_partition_bytes", OptionValue::Whole(1_000)),
        ("take", OptionValue::Whole(1)),
        ("take", OptionValue::Whole(150)),
        ("take_wait", text("20ms")),
        ("take_stamp", text("call")),
    ]
}

fn every_option_works_at_another_value(broker: &mut Broker) {
    for (row, (option, value)) in other_values().into_iter().enumerate() {
        for setting in ["acks-1", "idempotent"] {
            let name = format!("{setting}, {option} = {value}");
            // The files of a deleted topic remain for a second.
            let topic = format!("options-{row}-{setting}");
            let mut setup = setup(Some(setting), broker.address(), &topic);
            setup.options = [(option.to_owned(), value.clone())].into();
            let mut pair = connect(&setup);
            let mut bodies = numbered(400, 1_000);
            for (number, body) in bodies.iter().enumerate() {
                pair.publisher.send(number as u64, body).unwrap();
                if number % 100 == 99 {
                    // Records without a key stay with one partition for a while.
                    pair.await_all(&name, number + 1, |_| ());
                }
            }
            let mut arrived = pair.await_all(&name, bodies.len(), |seen| seen.bodies.clone());
            let counts = counted(broker.address(), &topic);
            assert_eq!(counts.iter().sum::<i64>(), 400, "{name}");
            if option == "partitions" {
                assert_eq!(counts.len(), 4, "{name}");
                arrived.sort();
                bodies.sort();
            }
            assert!(arrived == bodies, "{name}");
            let segments = segments(broker, &topic);
            if option != "compression" {
                let headers = segments
                    .iter()
                    .flat_map(|bytes| bytes.windows(11))
                    .filter(|name| *name == b"traceparent");
                assert_eq!(headers.count(), if option == "headers" { 400 } else { 0 }, "{name}");
            }
            let stored: usize = segments.iter().map(Vec::len).sum();
            let plain: usize = bodies.iter().map(Vec::len).sum();
            assert_eq!(stored < plain / 2, option == "compression", "{name}: {stored} bytes for {plain}");
            pair.finish();
        }
    }
    let witness = witness(broker.address());
    let groups = witness.fetch_group_list(None, LIMIT).unwrap();
    let left: Vec<_> = groups.groups().iter().map(|group| group.name().to_owned()).collect();
    assert_eq!(left, [""; 0], "groups remain");
}

/// A call for a hundred records returns when they are there, as long as it may wait: one time for all of them, or one for each, in order.
fn records_are_taken_as_many_at_a_time_as_is_asked_for(broker: &mut Broker) {
    for (stamp, row) in [("call", 0), ("record", 1)] {
        let mut setup = setup(Some("acks-1"), broker.address(), &format!("taken-{row}"));
        let text = |word: &str| OptionValue::Text(word.into());
        setup.options = [
            ("take".to_owned(), OptionValue::Whole(100)),
            ("take_wait".to_owned(), text("10s")),
            ("take_stamp".to_owned(), text(stamp)),
            ("linger".to_owned(), text("0ns")),
        ]
        .into();
        let begun = Instant::now();
        let mut pair = connect(&setup);
        let bodies = numbered(100, 50);
        pair.publisher.send(0, &bodies[0]).unwrap();
        pair.book.wait(
            stamp,
            |seen| seen.acked.len() == 1,
            |seen| {
                // One alone does not end the call.
                assert!(seen.bodies.is_empty() || begun.elapsed() > Duration::from_secs(10), "{stamp}");
            },
        );
        for (number, body) in bodies.iter().enumerate().skip(1) {
            pair.publisher.send(number as u64, body).unwrap();
        }
        pair.await_all(stamp, bodies.len(), |seen| {
            assert!(seen.bodies == bodies && seen.received_ns.is_sorted(), "{stamp}");
            let times: BTreeSet<i64> = seen.received_ns.iter().copied().collect();
            let calls = 2 + begun.elapsed().as_secs() as usize / 10;
            assert_eq!(times.len() <= calls, stamp == "call", "{stamp}: {times:?}");
        });
        pair.finish();
    }
}

fn what_does_not_fit_is_refused_before_it_is_sent(broker: &mut Broker) {
    let mut pair = connect(&setup(Some("acks-1"), broker.address(), "large"));
    let error = pair.publisher.send(0, &vec![0; BODY_LIMIT_BYTES + 1]).unwrap_err();
    assert!(matches!(error, SendError::TooLarge { limit_bytes: BODY_LIMIT_BYTES, .. }), "{error}");
    let largest = vec![7; BODY_LIMIT_BYTES];
    pair.publisher.send(1, &largest).unwrap();
    pair.await_all("the largest", 1, |seen| assert!(seen.bodies[0] == largest));
    pair.finish();
}

/// A topic created by another client, for small records.
fn the_limit_of_a_topic_is_known_before_anything_is_sent(broker: &mut Broker) {
    use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
    let mut config = ClientConfig::new();
    let admin: AdminClient<_> =
        config.set("bootstrap.servers", broker.address().to_string()).create().unwrap();
    let topic = NewTopic::new("small", 1, TopicReplication::Fixed(1)).set("max.message.bytes", "2000");
    now(admin.create_topics([&topic], &AdminOptions::new())).unwrap();
    let mut pair = connect(&setup(Some("acks-all"), broker.address(), "small"));
    let error = pair.publisher.send(0, &[0; 2_000]).unwrap_err();
    let SendError::TooLarge { limit_bytes, .. } = error else { panic!("{error}") };
    assert!((1_800..2_000).contains(&limit_bytes), "{limit_bytes}");
    let largest = vec![1; limit_bytes];
    pair.publisher.send(1, &largest).unwrap();
    pair.await_all("the largest", 1, |seen| assert_eq!(seen.bodies, [largest.as_slice()]));
    pair.finish();
    now(admin.delete_topics(&["small"], &AdminOptions::new())).unwrap();
}

/// Waits for a future that a thread of the admin client completes.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let until = Instant::now() + LIMIT;
    loop {
        match future.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop())) {
            std::task::Poll::Ready(value) => return value,
            std::task::Poll::Pending if Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(5))
            }
            std::task::Poll::Pending => panic!("no answer"),
        }
    }
}

fn what_a_broker_refuses_is_said(broker: &mut Broker) {
    let mut copies = setup(Some("acks-all"), broker.address(), "copies");
    copies.options = [("replication".to_owned(), OptionValue::Whole(3))].into();
    let sink = || Box::new(Arrivals(Arc::new(Notebook::default())));
    let error = TRANSPORT.subscriber(&copies, sink()).err().unwrap();
    assert!(matches!(&error, ConnectError::Unfit { reason, .. } if reason.contains("3 copies")), "{error}");
    let strange = setup(Some("acks-all"), broker.address(), "with space");
    let error = TRANSPORT.subscriber(&strange, sink()).err().unwrap();
    assert!(matches!(error, ConnectError::NotGranted { .. }), "{error}");
    assert!(error.to_string().contains("with space"), "{error}");
    let mut nobody = setup(Some("acks-all"), broker.address(), "nobody/there");
    nobody.limit = Duration::from_millis(500);
    let error = TRANSPORT.publisher(&nobody, Arc::new(Notebook::default())).err().unwrap();
    assert!(matches!(error, ConnectError::NotGranted { .. }), "{error}");
    assert_eq!(topics(broker.address()), [""; 0]);
}

/// Both connect, or report why not, within the limit.
fn errors_of_both(endpoint: SocketAddr, limit: Duration) -> [ConnectError; 2] {
    let mut setup = setup(Some("acks-1"), endpoint, "dead");
    setup.limit = limit;
    let begin = Instant::now();
    let book = Arc::new(Notebook::default());
    let publisher = TRANSPORT.publisher(&setup, book.clone()).err().unwrap();
    let subscriber = TRANSPORT.subscriber(&setup, Box::new(Arrivals(book))).err().unwrap();
    assert!(begin.elapsed() < limit * 2 + LIMIT / 4, "the limit was exceeded");
    for error in [&publisher, &subscriber] {
        assert!(error.to_string().contains(&endpoint.to_string()), "{error}");
    }
    [publisher, subscriber]
}

fn a_dead_endpoint_is_unreachable_at_once() {
    let begin = Instant::now();
    for error in errors_of_both(NOBODY, LIMIT * 10) {
        assert!(matches!(error, ConnectError::Unreachable { .. }), "{error}");
        assert!(error.to_string().contains("refused"), "{error}");
    }
    assert!(begin.elapsed() < LIMIT, "it waited for its limit");
}

fn a_silent_endpoint_is_given_up_at_the_limit() {
    let mute = TcpListener::bind(ANY).unwrap();
    for error in errors_of_both(mute.local_addr().unwrap(), Duration::from_millis(300)) {
        assert!(matches!(error, ConnectError::Silent { .. }), "{error}");
    }
}

fn an_endpoint_that_speaks_something_else_is_no_broker() {
    let server = TcpListener::bind(ANY).unwrap();
    let endpoint = server.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in server.incoming() {
            let Ok(mut stream) = stream else { return };
            let _ = stream.read(&mut [0; 100]);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
            let _ = stream.read(&mut [0; 100]);
        }
    });
    for error in errors_of_both(endpoint, Duration::from_secs(5)) {
        assert!(matches!(error, ConnectError::Unreachable { .. }), "{error}");
    }
}

fn an_unknown_setting_or_option_is_refused() {
    let error =
        TRANSPORT.publisher(&setup(Some("qos1"), ANY, "t"), Arc::new(Notebook::default())).err().unwrap();
    assert!(matches!(error, ConnectError::Setting { .. }), "{error}");
    let mut wrong = setup(Some("acks-1"), ANY, "t");
    wrong.options = [("linger".to_owned(), OptionValue::Whole(5))].into();
    let sink = Box::new(Arrivals(Arc::new(Notebook::default())));
    let error = TRANSPORT.subscriber(&wrong, sink).err().unwrap();
    assert!(matches!(error, ConnectError::Option { .. }), "{error}");
    let error = TRANSPORT.server(&ServerSetup::at(ANY)).err().unwrap();
    assert!(matches!(error, ServeError::NeedsBroker { .. }), "{error}");
}

fn the_registry_says_what_the_implementation_says() {
    let description = TRANSPORT.description();
    let registered = wiredyno_transport_registry::find(&description.id).unwrap();
    assert_eq!(registered.describe(), description);
    assert_eq!(wiredyno_needs::lack(registered.needed(true)), None, "it has been compiled");
    assert!(description.version.starts_with("0.33."), "{}", description.version);
}

/// Resumes the broker when dropped.
struct Halted<'a>(&'a Broker);

impl Drop for Halted<'_> {
    fn drop(&mut self) {
        self.0.signal(Signal::SIGCONT);
    }
}

fn a_broker_that_hangs_ends_no_role_but_its_patience(broker: &mut Broker) {
    let mut pair = connect(&setup(Some("acks-1"), broker.address(), "hang"));
    pair.publisher.send(0, b"before").unwrap();
    pair.await_all("before", 1, |_| ());
    broker.signal(Signal::SIGSTOP);
    let halted = Halted(broker);
    pair.publisher.send(1, b"into the void").unwrap();
    let begin = Instant::now();
    let error = pair.publisher.finish(Duration::from_millis(300)).unwrap_err();
    assert!(matches!(error, FinishError::Unfinished { .. }), "{error}");
    assert!(error.to_string().contains("1 messages"), "{error}");
    let error = pair.subscriber.finish(Duration::from_millis(300)).unwrap_err();
    assert!(matches!(&error, FinishError::Left { what, .. } if what == "the topic hang"), "{error}");
    assert!(begin.elapsed() < LIMIT, "it waited for the broker");
    drop(halted);
    pair.book.wait("no end", |_| true, |seen| assert_eq!(seen.broken, None));
}

/// A broker that requires a password.
fn a_login_is_given_and_a_wrong_one_is_refused() {
    let lines = "\nlistener.security.protocol.map=CLIENTS:SASL_PLAINTEXT,COPIES:PLAINTEXT,CONTROLLER:PLAINTEXT\n\
                 listener.name.clients.sasl.enabled.mechanisms=PLAIN\n\
                 listener.name.clients.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule \
                 required user_probe=\"open sesame\";\n";
    // If a name occurs twice, the last one counts.
    let folder = changed("kafka", "server.properties", |text| format!("{text}{lines}"));
    let kafka = Broker::start(&folder, 1).unwrap();
    let mut setup = setup(Some("acks-all"), kafka.address(), "secret");
    let login = |password: &str| Some(Login { user: "probe".to_owned(), password: password.to_owned() });
    setup.login = login("open sesame");
    let mut pair = connect(&setup);
    pair.publisher.send(0, b"inside").unwrap();
    pair.await_all("inside", 1, |seen| assert_eq!(seen.bodies, [b"inside"]));
    pair.finish();
    setup.login = login("shut sesame");
    let book = Arc::new(Notebook::default());
    let publisher = TRANSPORT.publisher(&setup, book.clone()).err().unwrap();
    let subscriber = TRANSPORT.subscriber(&setup, Box::new(Arrivals(book))).err().unwrap();
    for error in [publisher, subscriber] {
        assert!(matches!(&error, ConnectError::Login { user, .. } if user == "probe"), "{error}");
        assert!(!error.to_string().contains("sesame"), "{error}");
    }
    setup.login = None;
    let error = TRANSPORT.publisher(&setup, Arc::new(Notebook::default())).err().unwrap();
    assert!(matches!(error, ConnectError::Unreachable { .. }), "{error}");
}

/// Three nodes, three replicas: one dies, the roles continue with the others.
fn three_nodes_outlive_the_death_of_one() {
    let mut kafka = Broker::start(&folder("kafka"), 3).unwrap();
    for setting in ["acks-all", "idempotent"] {
        let mut setup = setup(Some(setting), kafka.address(), &format!("three/{setting}"));
        setup.options = [("replication".to_owned(), OptionValue::Whole(3))].into();
        let mut pair = connect(&setup);
        pair.send_all(&numbered(1_000, 100));
        pair.await_all(setting, 1_000, |seen| assert!(seen.bodies == numbered(1_000, 100), "{setting}"));
        assert_eq!(counted(kafka.address(), &format!("three.{setting}")), [1_000]);
        assert_eq!(segments(&kafka, &format!("three.{setting}")).len(), 3, "copies on every node");
        pair.finish();
    }
    let leader = |address, topic: &str| {
        let metadata = witness(address).fetch_metadata(Some(topic), LIMIT).unwrap();
        usize::try_from(metadata.topics()[0].partitions()[0].leader()).unwrap() - 1
    };
    let mut setup = setup(Some("idempotent"), kafka.address(), "three/death");
    setup.options = [("replication".to_owned(), OptionValue::Whole(3))].into();
    let mut pair = connect(&setup);
    let bodies = numbered(3_000, 100);
    for (number, body) in bodies.iter().enumerate() {
        if number == 1_000 {
            let leader = leader(kafka.address(), "three.death");
            kill(Pid::from_raw(kafka.pids()[leader].try_into().unwrap()), Signal::SIGKILL).unwrap();
            while kafka.ended().is_none() {
                std::thread::yield_now();
            }
        }
        pair.publisher.send(number as u64, body).unwrap();
        std::thread::yield_now();
    }
    pair.await_all("death", bodies.len(), |seen| assert!(seen.bodies == bodies, "no copy, no gap, in order"));
    pair.finish();
}

fn main() -> ExitCode {
    if let Some(ended) = groups::member_of_another_process() {
        return ended;
    }
    macro_rules! cases {
        ($($name:ident),* $(,)?) => { [$((stringify!($name), $name as _)),*] };
    }
    let alone: [(&str, fn()); 5] = cases![
        the_registry_says_what_the_implementation_says,
        an_unknown_setting_or_option_is_refused,
        a_dead_endpoint_is_unreachable_at_once,
        a_silent_endpoint_is_given_up_at_the_limit,
        an_endpoint_that_speaks_something_else_is_no_broker,
    ];
    let over_it: [Case; 8] = cases![
        every_setting_carries_messages_of_every_size_once_in_order_and_leaves_no_topic,
        ten_thousand_small_messages_keep_their_order_and_the_broker_counts_as_many,
        a_subscription_begins_when_it_is_made,
        every_option_works_at_another_value,
        records_are_taken_as_many_at_a_time_as_is_asked_for,
        what_does_not_fit_is_refused_before_it_is_sent,
        the_limit_of_a_topic_is_known_before_anything_is_sent,
        what_a_broker_refuses_is_said,
    ];
    let of_groups = groups::CASES;
    // It leaves its topic behind, which other tests would find.
    let last: [Case; 1] = cases![a_broker_that_hangs_ends_no_role_but_its_patience];
    // Each with a broker of its own.
    let slow: [(&str, fn()); 2] =
        cases![a_login_is_given_and_a_wrong_one_is_refused, three_nodes_outlive_the_death_of_one];
    let kafka = Shared::standing(&folder("kafka"), 1);
    let own = match full() {
        true => Shared::of(folder("kafka"), 1),
        false => Shared::ignored(folder("kafka"), 1, "slow: WIREDYNO_TEST_FULL=1"),
    };
    let without_broker = |(name, test): (&str, fn())| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    let trials = alone.map(without_broker).into_iter();
    let trials =
        trials.chain(over_it.into_iter().chain(of_groups).map(|(name, test)| kafka.trial(name, test)));
    let trials = trials.chain(slow.map(|(name, test)| own.trial_of(name, test)));
    let grounds = Grounds::new();
    let encrypted = grounds.trials(TRANSPORT, &grounds.broker("kafka"), None);
    let last = last.map(|(name, test)| kafka.trial(name, test));
    run(trials.chain(matrix(TRANSPORT, Some(topics))).chain(last).chain(encrypted).collect())
}

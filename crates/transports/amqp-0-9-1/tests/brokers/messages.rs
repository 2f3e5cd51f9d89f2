//! What arrives, in which order, and what the broker counts.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use wiredyno_contract::OptionValue;
use wiredyno_transport::{Publisher, ReceivedSink, SendError};
use wiredyno_transport_amqp_0_9_1::{BODY_LIMIT_BYTES, TRANSPORT};
use wiredyno_transport_stand::{Arrivals, Broker, LIMIT, Notebook, Seen};

use crate::ctl::ctl;
use crate::{pair, setup, text};

/// No bytes, one byte, one frame, exactly one full frame, more frames, and again no bytes.
const SIZES: [usize; 8] = [0, 1, 100, 1_000, 131_064, 131_065, 400_000, 0];

/// Sends bodies of these sizes, each filled with its number.
fn send(publisher: &mut dyn Publisher, sizes: &[usize]) -> Vec<Vec<u8>> {
    let body = |(number, size): (usize, &usize)| vec![number as u8; *size];
    let bodies: Vec<Vec<u8>> = sizes.iter().enumerate().map(body).collect();
    for (token, body) in bodies.iter().enumerate() {
        publisher.send(token as u64, body).unwrap();
    }
    bodies
}

/// Waits until everything has arrived and been acknowledged as expected, and checks it.
fn check(name: &str, book: &Notebook, bodies: &[Vec<u8>], acknowledged: bool) {
    let all = bodies.len();
    let acks = if acknowledged { all } else { 0 };
    let enough = |seen: &Seen| seen.bodies.len() >= all && seen.sent.len() >= all && seen.acked.len() >= acks;
    book.wait(name, enough, |seen| {
        assert!(seen.bodies == bodies, "{name}: what arrived differs from what was sent");
        let tokens = |stamps: &[(u64, i64)]| stamps.iter().map(|(token, _)| *token).collect::<Vec<_>>();
        let expected: Vec<u64> = (0..all as u64).collect();
        assert_eq!(tokens(&seen.sent), expected, "{name}");
        // A broker that stores messages may confirm a small one before a large one.
        let mut acked = seen.acked.clone();
        acked.sort_unstable();
        assert_eq!(tokens(&acked), expected[..acks], "{name}");
        assert!(seen.sent.is_sorted_by_key(|sent| sent.1), "{name}");
        assert!(seen.sent.iter().zip(&acked).all(|(sent, acked)| sent.1 <= acked.1), "{name}");
        assert!(seen.received_ns.is_sorted(), "{name}");
        assert_eq!(seen.broken, None, "{name}");
    });
}

pub fn every_mode_and_option(broker: &mut Broker) {
    for setting in ["auto-ack", "manual-ack"] {
        for confirms in ["by-mode", "none", "each", "batched"] {
            for exchange in ["direct", "fanout", "topic"] {
                for durable in [false, true] {
                    let name = format!("{setting} {confirms} {exchange} durable: {durable}");
                    let options = [
                        ("confirms", text(confirms)),
                        ("exchange", text(exchange)),
                        ("durable", OptionValue::Flag(durable)),
                    ];
                    let acknowledged = confirms != "none" && (setting, confirms) != ("auto-ack", "by-mode");
                    carries(broker, &name, setting, &options, acknowledged);
                }
            }
        }
    }
    for prefetch in [0, 1, 65_535] {
        let name = format!("prefetch {prefetch}");
        carries(broker, &name, "manual-ack", &[("prefetch", OptionValue::Whole(prefetch))], true);
    }
}

fn carries(broker: &Broker, name: &str, setting: &str, options: &[(&str, OptionValue)], acknowledged: bool) {
    let (subscriber, mut publisher, book) = pair(&setup(broker, setting, "test/modes", options));
    assert_eq!(publisher.acknowledges(), acknowledged, "{name}");
    let bodies = send(&mut *publisher, &SIZES);
    check(name, &book, &bodies, acknowledged);
    publisher.finish(LIMIT).unwrap();
    subscriber.finish(LIMIT).unwrap();
    book.wait(name, |_| true, |seen| assert_eq!((seen.bodies.len(), &seen.broken), (SIZES.len(), &None)));
}

pub fn large_ones(broker: &mut Broker) {
    let (subscriber, mut publisher, book) = pair(&setup(broker, "manual-ack", "test/large", &[]));
    let bodies = send(&mut *publisher, &[16 << 20, 1, 1 << 20]);
    check("large", &book, &bodies, true);
    let error = publisher.send(9, &vec![0; BODY_LIMIT_BYTES + 1]).unwrap_err();
    assert!(matches!(error, SendError::TooLarge { limit_bytes: BODY_LIMIT_BYTES, .. }), "{error}");
    publisher.send(3, b"after").unwrap();
    book.wait("after", |seen| seen.bodies.len() == 4 && seen.acked.len() == 4, |_| ());
    publisher.finish(LIMIT).unwrap();
    subscriber.finish(LIMIT).unwrap();
}

pub fn all_subscribers(broker: &mut Broker) {
    for exchange in ["direct", "fanout", "topic"] {
        let setup = setup(broker, "manual-ack", "test/all", &[("exchange", text(exchange))]);
        let other = setup_of_another_topic(broker, exchange);
        let books: Vec<_> = (0..3).map(|_| Arc::new(Notebook::default())).collect();
        let subscribers: Vec<_> = [&setup, &setup, &other]
            .into_iter()
            .zip(&books)
            .map(|(setup, book)| TRANSPORT.subscriber(setup, Box::new(Arrivals(book.clone()))).unwrap())
            .collect();
        for (setup, body) in [(&setup, b"a"), (&setup, b"b"), (&other, b"c")] {
            let mut publisher = TRANSPORT.publisher(setup, Arc::new(Notebook::default())).unwrap();
            publisher.send(0, body).unwrap();
            publisher.finish(LIMIT).unwrap();
        }
        for (book, expected) in books.iter().zip([&["a", "b"][..], &["a", "b"], &["c"]]) {
            let bodies =
                book.wait(exchange, |seen| seen.bodies.len() >= expected.len(), |seen| seen.bodies.clone());
            assert_eq!(bodies, expected.iter().map(|body| body.as_bytes().to_vec()).collect::<Vec<_>>());
        }
        for subscriber in subscribers {
            subscriber.finish(LIMIT).unwrap();
        }
    }
}

fn setup_of_another_topic(broker: &Broker, exchange: &str) -> wiredyno_transport::ClientSetup {
    setup(broker, "manual-ack", "test/other", &[("exchange", text(exchange))])
}

pub fn no_subscriber(broker: &mut Broker) {
    for exchange in ["direct", "fanout", "topic"] {
        let setup = setup(broker, "manual-ack", "test/alone", &[("exchange", text(exchange))]);
        let book = Arc::new(Notebook::default());
        let mut publisher = TRANSPORT.publisher(&setup, book.clone()).unwrap();
        publisher.send(0, b"unheard").unwrap();
        book.wait(exchange, |seen| seen.acked.len() == 1, |_| ());
        let subscriber = TRANSPORT.subscriber(&setup, Box::new(Arrivals(book.clone()))).unwrap();
        publisher.send(1, b"heard").unwrap();
        book.wait(
            exchange,
            |seen| seen.bodies.len() == 1 && seen.acked.len() == 2,
            |seen| {
                assert_eq!(seen.bodies, [b"heard"]);
            },
        );
        publisher.finish(LIMIT).unwrap();
        subscriber.finish(LIMIT).unwrap();
        // An exchange of the topic's own to which no queue was ever bound.
        let mut publisher = TRANSPORT.publisher(&setup, Arc::new(Notebook::default())).unwrap();
        publisher.send(0, b"unheard").unwrap();
        publisher.finish(LIMIT).unwrap();
    }
}

/// A queue that no client of ours reads, so that all messages stay in it.
struct Store {
    runtime: tokio::runtime::Runtime,
    connection: lapin::Connection,
}

impl Store {
    fn bound(broker: &Broker, queue: &str, topic: &str) -> Store {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let uri = format!("amqp://guest:guest@{}/%2f", broker.address());
        let open = async {
            let connection = lapin::Connection::connect(&uri, Default::default()).await.unwrap();
            let channel = connection.create_channel().await.unwrap();
            let options = lapin::options::QueueDeclareOptions { exclusive: true, ..Default::default() };
            channel.queue_declare(queue.into(), options, Default::default()).await.unwrap();
            let bind = channel.queue_bind(
                queue.into(),
                "amq.direct".into(),
                topic.into(),
                Default::default(),
                Default::default(),
            );
            bind.await.unwrap();
            connection
        };
        let connection = runtime.block_on(open);
        Store { runtime, connection }
    }

    fn close(self) {
        self.runtime.block_on(self.connection.close(200, "OK".into())).unwrap();
        self.runtime
            .block_on(async { tokio::task::spawn_blocking(|| self.connection.run()).await })
            .unwrap()
            .unwrap();
    }
}

pub fn the_brokers_own_count(broker: &mut Broker) {
    let messages = 500;
    let cases = [("none", 0), ("each", messages), ("batched", messages)];
    for (number, (confirms, acked)) in cases.into_iter().enumerate() {
        let (queue, topic) = (format!("count-{number}"), format!("test/count/{number}"));
        let store = Store::bound(broker, &queue, &topic);
        let book = Arc::new(Notebook::default());
        let setup = setup(broker, "manual-ack", &topic, &[("confirms", text(confirms))]);
        let mut publisher = TRANSPORT.publisher(&setup, book.clone()).unwrap();
        for token in 0..messages {
            publisher.send(token as u64, &[7; 100]).unwrap();
        }
        publisher.finish(LIMIT).unwrap();
        // Without waiting: messages that were handed over have been sent, and confirmed if requested, when finishing
        // returns.
        book.wait(
            confirms,
            |_| true,
            |seen| {
                assert_eq!((seen.sent.len(), seen.acked.len()), (messages, acked), "{confirms}");
            },
        );
        let counted = ctl(broker, &["list_queues", "name", "messages"]);
        assert!(counted.lines().any(|line| line == format!("{queue}\t{messages}")), "{confirms}: {counted}");
        store.close();
    }
}

/// Reports each message and waits for permission to continue.
struct Slow {
    arrived: Sender<()>,
    leave: Receiver<()>,
}

impl ReceivedSink for Slow {
    fn received(&mut self, _body: &[u8], _received_ns: i64) {
        let _ = self.arrived.send(());
        let _ = self.leave.recv();
    }
    fn broken(&mut self, _reason: &str) {}
}

pub fn prefetch(broker: &mut Broker) {
    let options = [("prefetch", OptionValue::Whole(3))];
    let setup = setup(broker, "manual-ack", "test/prefetch", &options);
    let ((arrived, arrivals), (go, leave)) = (channel(), channel());
    let subscriber = TRANSPORT.subscriber(&setup, Box::new(Slow { arrived, leave })).unwrap();
    let mut publisher = TRANSPORT.publisher(&setup, Arc::new(Notebook::default())).unwrap();
    (0..10).for_each(|token| publisher.send(token, b"x").unwrap());
    publisher.finish(LIMIT).unwrap();
    arrivals.recv_timeout(LIMIT).unwrap();
    let counted = ctl(broker, &["list_queues", "messages_ready", "messages_unacknowledged"]);
    assert!(counted.lines().any(|line| line == "7\t3"), "{counted}");
    // Releases all of them.
    drop(go);
    subscriber.finish(LIMIT).unwrap();
}

pub fn heartbeats(broker: &mut Broker) {
    let (subscriber, publisher, _) = pair(&setup(broker, "auto-ack", "test/idle", &[]));
    let connections = ctl(broker, &["list_connections", "user", "timeout", "protocol"]);
    let ours = connections.lines().filter(|line| line.starts_with("guest\t0\t")).count();
    assert_eq!(
        (ours, connections.lines().filter(|line| line.starts_with("guest")).count()),
        (2, 2),
        "{connections}"
    );
    publisher.finish(LIMIT).unwrap();
    subscriber.finish(LIMIT).unwrap();
}

pub fn nothing_is_left(broker: &mut Broker) {
    let options = [("durable", OptionValue::Flag(true)), ("exchange", text("fanout"))];
    let (subscriber, publisher, _) = pair(&setup(broker, "manual-ack", "test/left", &options));
    let queues = || ctl(broker, &["list_queues", "name"]);
    let exchanges = || ctl(broker, &["list_exchanges", "name"]);
    assert!(
        queues().lines().any(|line| line.starts_with("wiredyno.")),
        "it has a queue of its own while it runs"
    );
    assert!(exchanges().lines().any(|line| line == "fanout.test.left"), "{}", exchanges());
    publisher.finish(LIMIT).unwrap();
    subscriber.finish(LIMIT).unwrap();
    // Including the heading.
    assert_eq!(queues().lines().filter(|line| *line != "name").collect::<Vec<_>>(), [""; 0]);
    let ours = |line: &&str| !line.is_empty() && *line != "name" && !line.starts_with("amq.");
    assert_eq!(exchanges().lines().filter(ours).collect::<Vec<_>>(), [""; 0]);
    assert_eq!(ctl(broker, &["list_connections", "user"]).lines().filter(|line| *line != "user").count(), 0);
}

//! Sinks that remember, and the one exchange that every transport has to carry.

#![allow(dead_code, reason = "every test program uses a part of it")]

use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use wiredyno_model::{Capability, OptionTable};
use wiredyno_transport::{ClientSetup, Publisher, ReceivedSink, SendError, SentSink, Transport};

/// The longest that any step may take; passing tests take a fraction.
pub const LIMIT: Duration = Duration::from_secs(20);

#[derive(Default)]
pub struct Seen {
    pub bodies: Vec<Vec<u8>>,
    pub received_ns: Vec<i64>,
    pub sent: Vec<(u64, i64)>,
    pub acked: Vec<(u64, i64)>,
    pub broken: Option<String>,
}

/// Shared by the sinks of a test.
#[derive(Default)]
pub struct Notebook {
    seen: Mutex<Seen>,
    changed: Condvar,
}

impl Notebook {
    fn note(&self, change: impl FnOnce(&mut Seen)) {
        change(&mut self.seen.lock().unwrap());
        self.changed.notify_all();
    }

    /// Waits until `enough` holds, then looks.
    pub fn wait<T>(&self, what: &str, enough: impl Fn(&Seen) -> bool, look: impl FnOnce(&Seen) -> T) -> T {
        let until = Instant::now() + LIMIT;
        let mut seen = self.seen.lock().unwrap();
        while !enough(&seen) {
            let left = until.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "{what}: {} arrived, {} sent, {} acknowledged, broken: {:?}",
                seen.bodies.len(),
                seen.sent.len(),
                seen.acked.len(),
                seen.broken
            );
            seen = self.changed.wait_timeout(seen, left).unwrap().0;
        }
        look(&seen)
    }
}

impl SentSink for Notebook {
    fn sent(&self, token: u64, at_ns: i64) {
        self.note(|seen| seen.sent.push((token, at_ns)));
    }
    fn acked(&self, token: u64, at_ns: i64) {
        self.note(|seen| seen.acked.push((token, at_ns)));
    }
    fn broken(&self, reason: &str) {
        self.note(|seen| seen.broken = Some(reason.to_owned()));
    }
}

pub struct Arrivals(pub Arc<Notebook>);

impl ReceivedSink for Arrivals {
    fn received(&mut self, body: &[u8], received_ns: i64) {
        self.0.note(|seen| {
            seen.bodies.push(body.to_vec());
            seen.received_ns.push(received_ns);
        });
    }
    fn broken(&mut self, reason: &str) {
        self.0.note(|seen| seen.broken = Some(reason.to_owned()));
    }
}

pub fn setup(setting: Option<&str>, endpoint: SocketAddr, topic: &str) -> ClientSetup {
    ClientSetup {
        setting: setting.map(str::to_owned),
        endpoint,
        topic: topic.to_owned(),
        limit: LIMIT,
        options: Default::default(),
        seed: 1,
        login: None,
    }
}

/// All settings of a transport, `None` for one that has just one mode.
pub fn settings(transport: &dyn Transport) -> Vec<Option<String>> {
    let settings: Vec<_> = transport.description().settings.into_iter().map(|s| Some(s.name)).collect();
    if settings.is_empty() { vec![None] } else { settings }
}

/// What holds for a transport in one setting: its own properties and the setting's.
pub fn capabilities(transport: &dyn Transport, setting: Option<&str>) -> Vec<Capability> {
    let description = transport.description();
    let own = description.settings.into_iter().filter(|s| Some(s.name.as_str()) == setting);
    own.flat_map(|s| s.capabilities).chain(description.capabilities).collect()
}

/// The largest body that goes into a datagram, as the transport itself says it.
pub fn datagram_limit_bytes(publisher: &mut dyn Publisher) -> usize {
    match publisher.send(u64::MAX, &[0; 65_508]) {
        Err(SendError::TooLarge { limit_bytes, .. }) => limit_bytes,
        other => panic!("a body larger than any datagram was taken: {other:?}"),
    }
}

/// Bodies that all differ: four bytes of their number, then a pattern; shorter ones are cut.
fn bodies(sizes: &[usize]) -> Vec<Vec<u8>> {
    let body = |(number, &size): (usize, &usize)| {
        let pattern = (0..size).map(|i| (i * 31 + number * 7) as u8);
        let mut body: Vec<u8> = (number as u32).to_le_bytes().into_iter().chain(pattern).collect();
        body.truncate(size);
        body
    };
    sizes.iter().enumerate().map(body).collect()
}

/// Sends messages of many sizes and checks that each arrives once, equal, stamped and acknowledged.
pub fn carries_messages(transport: &dyn Transport, setting: Option<&str>, endpoint: SocketAddr) {
    carries_messages_with(transport, setting, &OptionTable::new(), endpoint);
}

/// The same with values of options.
pub fn carries_messages_with(
    transport: &dyn Transport,
    setting: Option<&str>,
    options: &OptionTable,
    endpoint: SocketAddr,
) {
    let description = transport.description();
    let name = format!("{} {setting:?} {options:?}", description.id);
    let capabilities = capabilities(transport, setting);
    let datagram = capabilities.contains(&Capability::Datagram);
    let ordered = capabilities.contains(&Capability::Ordered);
    let book = Arc::new(Notebook::default());
    let mut setup = setup(setting, endpoint, &format!("test/{}", setting.unwrap_or("one")));
    setup.options = options.clone();
    let subscriber = transport.subscriber(&setup, Box::new(Arrivals(book.clone()))).unwrap();
    let mut publisher = transport.publisher(&setup, book.clone()).unwrap();
    let mut sizes = [1, 100, 20_000, 100, 1].repeat(10);
    if datagram {
        sizes.push(datagram_limit_bytes(&mut *publisher));
    } else {
        sizes.extend([65_507, 1 << 20, 1, 1 << 20, 100]);
    }
    let bodies = bodies(&sizes);
    for (token, body) in bodies.iter().enumerate() {
        publisher.send(token as u64, body).unwrap();
        // Datagrams may overrun a socket's buffer, which no promise covers; so few are under way at once.
        if datagram {
            book.wait(&name, |seen| seen.bodies.len() > token, |_| ());
        }
    }
    let all = bodies.len();
    let acks = if publisher.acknowledges() { all } else { 0 };
    let enough = |seen: &Seen| seen.bodies.len() >= all && seen.sent.len() >= all && seen.acked.len() >= acks;
    book.wait(&name, enough, |seen| {
        let (mut got, mut sent) = (seen.bodies.clone(), bodies.clone());
        if !ordered {
            got.sort();
            sent.sort();
        }
        assert!(got == sent, "{name}: what arrived differs from what was sent");
        let tokens = |stamps: &[(u64, i64)]| stamps.iter().map(|(token, _)| *token).collect::<Vec<_>>();
        assert_eq!(tokens(&seen.sent), (0..all as u64).collect::<Vec<_>>(), "{name}");
        assert_eq!(tokens(&seen.acked), (0..acks as u64).collect::<Vec<_>>(), "{name}");
        let late = seen.acked.iter().zip(&seen.sent).all(|(acked, sent)| acked.1 >= sent.1);
        assert!(late, "{name}: acknowledged before it was sent");
        assert!(seen.received_ns.is_sorted(), "{name}");
        assert_eq!(seen.broken, None, "{name}");
    });
    publisher.finish(LIMIT).unwrap();
    subscriber.finish(LIMIT).unwrap();
    book.wait(&name, |_| true, |seen| assert_eq!((seen.bodies.len(), &seen.broken), (all, &None), "{name}"));
}

/// Sends a message from each of two publishers and checks that each of three subscribers has both.
pub fn reaches_all_subscribers(transport: &dyn Transport, endpoint: SocketAddr) {
    let setting = settings(transport).swap_remove(0);
    let setup = setup(setting.as_deref(), endpoint, "test/fan-out");
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

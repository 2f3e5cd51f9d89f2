//! Exchanges that every transport must carry.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tempfile::NamedTempFile;
use wiredyno_contract::{Capability, OptionTable};
use wiredyno_transport::tls::Trust;
use wiredyno_transport::{ClientSetup, Publisher, SendError, Server, ServerSetup, Tls, Transport};

use crate::notebook::{Arrivals, LIMIT, Notebook, Seen};

/// A client's setup with default options.
pub fn setup(setting: Option<&str>, endpoint: SocketAddr, topic: &str) -> ClientSetup {
    ClientSetup {
        setting: setting.map(str::to_owned),
        endpoint,
        topic: topic.to_owned(),
        subscribers: 1,
        limit: LIMIT,
        options: Default::default(),
        seed: 1,
        login: None,
        tls: None,
        before: Default::default(),
    }
}

/// A transport's own server over loopback, and the certificate that clients trust.
pub struct Served {
    server: Box<dyn Server>,
    certificate: Option<NamedTempFile>,
}

impl Served {
    /// Starts a server with these options.
    pub fn with(transport: &dyn Transport, options: &OptionTable) -> Self {
        let any = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0);
        let setup = ServerSetup { options: options.clone(), ..ServerSetup::at(any) };
        let server = transport.server(&setup).unwrap();
        let certificate = server.certificate().map(|certificate| {
            let mut file = NamedTempFile::new().unwrap();
            file.write_all(certificate.as_bytes()).unwrap();
            file
        });
        Served { server, certificate }
    }

    /// Starts a server with default options.
    pub fn new(transport: &dyn Transport) -> Self {
        Served::with(transport, &OptionTable::new())
    }

    /// The server's address, with its actual port.
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Stops the server; returns the file that clients trust, which remains valid.
    pub fn end(self) -> Option<NamedTempFile> {
        self.certificate
    }

    /// The setup of a client of this server.
    pub fn setup(&self, setting: Option<&str>, topic: &str) -> ClientSetup {
        let trusted = |file: &NamedTempFile| {
            Tls::new(Trust::File(file.path().to_owned()), self.address().ip().to_string())
        };
        let tls = self.certificate.as_ref().map(trusted);
        ClientSetup { tls, ..setup(setting, self.address(), topic) }
    }
}

/// All settings of a transport; `None` for a transport with only one mode.
pub fn settings(transport: &dyn Transport) -> Vec<Option<String>> {
    let settings: Vec<_> = transport.description().settings.into_iter().map(|s| Some(s.name)).collect();
    if settings.is_empty() { vec![None] } else { settings }
}

/// A transport's capabilities in one setting: its own and the setting's, without those that options add.
pub fn capabilities(transport: &dyn Transport, setting: Option<&str>) -> Vec<Capability> {
    let description = transport.description();
    let own = description.settings.into_iter().filter(|s| Some(s.name.as_str()) == setting);
    own.flat_map(|s| s.capabilities).chain(description.capabilities).collect()
}

/// The largest body that fits into a datagram, as the transport's error reports it.
pub fn datagram_limit_bytes(publisher: &mut dyn Publisher) -> usize {
    match publisher.send(u64::MAX, &[0; 65_508]) {
        Err(SendError::TooLarge { limit_bytes, .. }) => limit_bytes,
        other => panic!("a body larger than any datagram was taken: {other:?}"),
    }
}

/// Bodies that all differ: four bytes with their number, then a pattern; shorter ones are truncated.
fn bodies(sizes: &[usize]) -> Vec<Vec<u8>> {
    let body = |(number, &size): (usize, &usize)| {
        let pattern = (0..size).map(|i| (i * 31 + number * 7) as u8);
        let mut body: Vec<u8> = (number as u32).to_le_bytes().into_iter().chain(pattern).collect();
        body.truncate(size);
        body
    };
    sizes.iter().enumerate().map(body).collect()
}

/// Where clients find each other, a publisher that has found a subscriber may not yet be found by it, and nothing reports when
/// it is.
fn await_found(capabilities: &[Capability]) {
    if capabilities.contains(&Capability::Direct) {
        std::thread::sleep(FOUND);
    }
}

/// Many times what discovery over loopback still needs at that point.
const FOUND: Duration = Duration::from_millis(1_500);

/// Sends messages of many sizes and checks that each arrives once, unchanged, with timestamps and an acknowledgement.
pub fn carries_messages(transport: &dyn Transport, setting: Option<&str>, endpoint: SocketAddr) {
    carries_messages_with(transport, setting, &OptionTable::new(), endpoint);
}

/// Like [`carries_messages`], with options.
pub fn carries_messages_with(
    transport: &dyn Transport,
    setting: Option<&str>,
    options: &OptionTable,
    endpoint: SocketAddr,
) {
    let mut setup = setup(setting, endpoint, &format!("test/{}", setting.unwrap_or("one")));
    setup.options = options.clone();
    carries_messages_as(transport, &setup);
}

/// Like [`carries_messages`], with a complete setup.
pub fn carries_messages_as(transport: &dyn Transport, setup: &ClientSetup) {
    let description = transport.description();
    let name = format!("{} {:?} {:?}", description.id, setup.setting, setup.options);
    let capabilities = capabilities(transport, setup.setting.as_deref());
    let datagram = capabilities.contains(&Capability::Datagram);
    // Datagrams may overflow a socket's buffer, which no promise covers; so only few are in flight.
    let one_by_one = datagram
        || capabilities.contains(&Capability::Direct) && !capabilities.contains(&Capability::Reliable);
    let ordered = capabilities.contains(&Capability::Ordered);
    let book = Arc::new(Notebook::default());
    let subscriber = transport.subscriber(setup, Box::new(Arrivals(book.clone()))).unwrap();
    let mut publisher = transport.publisher(setup, book.clone()).unwrap();
    await_found(&capabilities);
    let mut sizes = [1, 100, 20_000, 100, 1].repeat(10);
    if datagram {
        let limit = datagram_limit_bytes(&mut *publisher);
        sizes.push(limit);
        sizes.iter_mut().for_each(|size| *size = limit.min(*size));
    } else if one_by_one {
        sizes.extend([0, 65_507, 1, 0, 100]);
    } else {
        sizes.extend([0, 65_507, 1 << 20, 1, 0, 1 << 20, 100]);
    }
    let bodies = bodies(&sizes);
    for (token, body) in bodies.iter().enumerate() {
        publisher.send(token as u64, body).unwrap();
        if one_by_one {
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
        // A broker that stores messages may acknowledge a small one before a large one that was sent earlier.
        let mut acked = seen.acked.clone();
        acked.sort_unstable();
        assert_eq!(tokens(&acked), (0..acks as u64).collect::<Vec<_>>(), "{name}");
        let in_turn = acked.iter().zip(&seen.sent).all(|(acked, sent)| acked.1 >= sent.1);
        assert!(in_turn, "{name}: acknowledged before it was sent");
        assert!(seen.received_ns.is_sorted(), "{name}");
        assert_eq!(seen.broken, None, "{name}");
    });
    publisher.finish(LIMIT).unwrap();
    subscriber.finish(LIMIT).unwrap();
    book.wait(&name, |_| true, |seen| assert_eq!((seen.bodies.len(), &seen.broken), (all, &None), "{name}"));
}

/// Small bodies that differ by their number.
pub fn numbered(messages: u32) -> Vec<Vec<u8>> {
    (0..messages).map(|number| number.to_le_bytes().to_vec()).collect()
}

/// Sends this many messages from each of two publishers and checks that each of three subscribers gets all of them once, in
/// each publisher's order if order is promised.
pub fn reaches_all_subscribers(
    transport: &dyn Transport,
    setting: Option<&str>,
    endpoint: SocketAddr,
    topic: &str,
    messages: u8,
) {
    reaches_all_subscribers_of(transport, &setup(setting, endpoint, topic), messages);
}

/// Like [`reaches_all_subscribers`], with a complete setup.
pub fn reaches_all_subscribers_of(transport: &dyn Transport, setup: &ClientSetup, messages: u8) {
    let (setup, topic) = (&ClientSetup { subscribers: 3, ..setup.clone() }, &setup.topic);
    let ordered = capabilities(transport, setup.setting.as_deref()).contains(&Capability::Ordered);
    let books: Vec<_> = (0..3).map(|_| Arc::new(Notebook::default())).collect();
    let connect = |book: &Arc<Notebook>| transport.subscriber(setup, Box::new(Arrivals(book.clone())));
    let subscribers: Vec<_> = books.iter().map(|book| connect(book).unwrap()).collect();
    let bodies =
        [0, 1].map(|publisher| (0..messages).map(|number| vec![publisher, number]).collect::<Vec<_>>());
    let mut publishers = [0, 1].map(|_| transport.publisher(setup, Arc::new(Notebook::default())).unwrap());
    await_found(&capabilities(transport, setup.setting.as_deref()));
    for number in 0..usize::from(messages) {
        for (publisher, bodies) in publishers.iter_mut().zip(&bodies) {
            publisher.send(number as u64, &bodies[number]).unwrap();
        }
    }
    for publisher in publishers {
        publisher.finish(LIMIT).unwrap();
    }
    for book in &books {
        let all = bodies.concat();
        let mut arrived = book.wait(topic, |seen| seen.bodies.len() >= all.len(), |seen| seen.bodies.clone());
        // A stable sort: the order of each publisher's messages is kept.
        arrived.sort_by_key(|body| if ordered { vec![body[0]] } else { body.clone() });
        assert!(arrived == all, "{topic}: what arrived differs from what was sent: {arrived:?}");
    }
    for subscriber in subscribers {
        subscriber.finish(LIMIT).unwrap();
    }
}

//! CoAP over real sockets through a proxy with seeded drops: NON loses exactly what was dropped, CON nothing. The
//! exact times of retransmissions are tested with an injected clock, inside the crate.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use wiredyno_contract::{OptionTable, OptionValue};
use wiredyno_transport::{ClientSetup, Publisher, Server, ServerSetup, Subscriber};
use wiredyno_transport_coap::TRANSPORT;
use wiredyno_transport_stand::{Arrivals, LIMIT, Notebook, Seen, setup};
use xxhash_rust::xxh3::xxh3_64_with_seed;

const ANY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// One direction through the proxy.
#[derive(Default)]
struct Direction {
    passed: AtomicU64,
    dropped: AtomicU64,
}

impl Direction {
    fn seen(&self) -> u64 {
        self.passed.load(Ordering::SeqCst) + self.dropped.load(Ordering::SeqCst)
    }
}

struct Shared {
    /// Towards the client, and towards the server.
    front: UdpSocket,
    back: UdpSocket,
    client: Mutex<Option<SocketAddr>>,
    up: Direction,
    down: Direction,
    armed: AtomicBool,
    closing: AtomicBool,
    lost_permille: u64,
    seed: u64,
}

/// A proxy between one client and the server; drops nothing until it is armed.
struct Proxy {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Shared {
    fn drops(&self, direction: &Direction, salt: u64) -> bool {
        if !self.armed.load(Ordering::SeqCst) {
            return false;
        }
        let draw = xxh3_64_with_seed(&direction.seen().to_le_bytes(), self.seed ^ salt) % 1000;
        draw < self.lost_permille
    }

    fn carry_up(&self) {
        let mut buffer = vec![0; 65_536];
        while !self.closing.load(Ordering::SeqCst) {
            let Ok((bytes, from)) = self.front.recv_from(&mut buffer) else {
                continue;
            };
            *self.client.lock().unwrap() = Some(from);
            if self.drops(&self.up, 1) {
                self.up.dropped.fetch_add(1, Ordering::SeqCst);
                continue;
            }
            // Counted before sending, so that no effect of a datagram precedes its count.
            self.up.passed.fetch_add(1, Ordering::SeqCst);
            let _ = self.back.send(&buffer[..bytes]);
        }
    }

    fn carry_down(&self) {
        let mut buffer = vec![0; 65_536];
        while !self.closing.load(Ordering::SeqCst) {
            let Ok(bytes) = self.back.recv(&mut buffer) else {
                continue;
            };
            if self.drops(&self.down, 2) {
                self.down.dropped.fetch_add(1, Ordering::SeqCst);
                continue;
            }
            let client = self.client.lock().unwrap().unwrap();
            // Counted before sending, so that no effect of a datagram precedes its count.
            self.down.passed.fetch_add(1, Ordering::SeqCst);
            let _ = self.front.send_to(&buffer[..bytes], client);
        }
    }
}

impl Proxy {
    fn start(server: SocketAddr, lost_permille: u64, seed: u64) -> Self {
        let (front, back) = (UdpSocket::bind(ANY).unwrap(), UdpSocket::bind(ANY).unwrap());
        back.connect(server).unwrap();
        for socket in [&front, &back] {
            socket.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        }
        let shared = Arc::new(Shared {
            front,
            back,
            client: Mutex::default(),
            up: Direction::default(),
            down: Direction::default(),
            armed: AtomicBool::new(false),
            closing: AtomicBool::new(false),
            lost_permille,
            seed,
        });
        let (of_up, of_down) = (shared.clone(), shared.clone());
        let threads = vec![
            std::thread::spawn(move || of_up.carry_up()),
            std::thread::spawn(move || of_down.carry_down()),
        ];
        Proxy { shared, threads }
    }

    fn address(&self) -> SocketAddr {
        self.shared.front.local_addr().unwrap()
    }

    fn arm(&self, armed: bool) {
        self.shared.armed.store(armed, Ordering::SeqCst);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// A publisher and a subscriber, each behind a proxy.
struct Lossy {
    publisher: Box<dyn Publisher>,
    subscriber: Box<dyn Subscriber>,
    book: Arc<Notebook>,
    proxies: [Proxy; 2],
    _server: Box<dyn Server>,
}

impl Lossy {
    fn start(options: &OptionTable, setting: &str, lost_permille: u64) -> Self {
        let served = ServerSetup { options: options.clone(), ..ServerSetup::at(ANY) };
        let server = TRANSPORT.server(&served).unwrap();
        let proxies = [1, 2].map(|seed| Proxy::start(server.address(), lost_permille, seed));
        let book = Arc::new(Notebook::default());
        let to = |proxy: &Proxy| ClientSetup {
            options: options.clone(),
            ..setup(Some(setting), proxy.address(), "lossy")
        };
        let subscriber = TRANSPORT.subscriber(&to(&proxies[1]), Box::new(Arrivals(book.clone()))).unwrap();
        let publisher = TRANSPORT.publisher(&to(&proxies[0]), book.clone()).unwrap();
        for proxy in &proxies {
            proxy.arm(true);
        }
        Lossy { publisher, subscriber, book, proxies, _server: server }
    }

    fn finish(self) {
        for proxy in &self.proxies {
            proxy.arm(false);
        }
        self.publisher.finish(LIMIT).unwrap();
        self.subscriber.finish(LIMIT).unwrap();
    }
}

#[test]
fn non_loses_exactly_what_was_dropped() {
    let mut lossy = Lossy::start(&OptionTable::new(), "non", 50);
    let ways = |lossy: &Lossy| {
        let requests = &lossy.proxies[0].shared.up;
        let arrived = requests.passed.load(Ordering::SeqCst);
        (requests.seen(), arrived, lossy.proxies[1].shared.down.seen())
    };
    let (requests, arrived, notifications) = ways(&lossy);
    for number in 0..1000_u64 {
        lossy.publisher.send(number, &number.to_be_bytes()).unwrap();
        // One at a time, so that no socket's buffer overflows: until its request is dropped, or its notification
        // has reached the proxy.
        loop {
            let now = ways(&lossy);
            if now.0 - requests == number + 1 && now.2 - notifications == now.1 - arrived {
                break;
            }
            std::thread::yield_now();
        }
    }
    for proxy in &lossy.proxies {
        proxy.arm(false);
    }
    lossy.publisher.send(1000, b"end").unwrap();
    let ended = |seen: &Seen| seen.bodies.last().is_some_and(|body| body == b"end");
    let received = lossy.book.wait("end", ended, |seen| seen.bodies.len() as u64 - 1);
    let dropped = [&lossy.proxies[0].shared.up, &lossy.proxies[1].shared.down]
        .map(|way| way.dropped.load(Ordering::SeqCst));
    assert!(dropped.iter().all(|dropped| (20..=90).contains(dropped)), "{dropped:?}");
    assert_eq!(received + dropped[0] + dropped[1], 1000);
    lossy.finish();
}

#[test]
fn con_delivers_all_once_and_in_order() {
    // Short waits make the test short; many retransmissions make failure at 20 % loss each way practically
    // impossible: a message fails once in 0.36^-21, 2 * 10^9 times.
    let hasty = [
        ("ack_timeout", OptionValue::Text("4ms".to_owned())),
        ("max_retransmit", OptionValue::Whole(20)),
        ("failures_until_forgotten", OptionValue::Whole(1_000)),
    ];
    let hasty = hasty.map(|(name, value)| (name.to_owned(), value)).into();
    for (setting, size) in [("con", 20), ("con", 30_000), ("con-block", 5_000)] {
        let mut lossy = Lossy::start(&hasty, setting, 200);
        let bodies: Vec<Vec<u8>> = (0..40).map(|number| vec![number; size]).collect();
        for (number, body) in bodies.iter().enumerate() {
            lossy.publisher.send(number as u64, body).unwrap();
        }
        let all = |seen: &Seen| seen.bodies.len() >= 40 && seen.acked.len() >= 40;
        let received = lossy.book.wait(setting, all, |seen| seen.bodies.clone());
        assert!(received == bodies, "{setting} {size}");
        lossy.finish();
    }
}

//! Tests: publisher, server and subscriber on a simulated network under an injected clock. Standard parameters, so
//! minutes of retransmission pass in milliseconds, and the seed decides everything.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use coap_lite::MessageType;

use super::Setting;
use super::endpoint::{Machine, Wire};
use super::exchange::Draws;
use super::message;
use super::options::Options;
use super::receiver::{Receiver, Registration};
use super::sender::Sender;
use super::service::Service;
use crate::{ClientSetup, ReceivedSink, SentSink};

const MS_NS: i64 = 1_000_000;
const SECOND_NS: i64 = 1_000 * MS_NS;
const DELAY_NS: i64 = 35 * MS_NS;

const CON: Setting = Setting {
    confirmable: true,
    blocks: false,
};
const NON: Setting = Setting {
    confirmable: false,
    blocks: false,
};
const CON_BLOCK: Setting = Setting {
    confirmable: true,
    blocks: true,
};
const NON_BLOCK: Setting = Setting {
    confirmable: false,
    blocks: true,
};

fn address(port: u16) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port).into()
}

const PUBLISHER: u16 = 1;
const SUBSCRIBER: u16 = 2;
const SERVER: u16 = 3;

/// What the network does to a datagram of so many.
#[derive(Clone, Copy, Default)]
struct Faults {
    lost_permille: u32,
    doubled_permille: u32,
}

struct Datagram {
    from: u16,
    to: u16,
    bytes: Vec<u8>,
}

struct Network {
    now_ns: i64,
    order: u64,
    flying: BTreeMap<(i64, u64), Datagram>,
    draws: Draws,
    faults: Faults,
    /// All that was sent, lost ones too.
    sent: Vec<(i64, u16, Vec<u8>)>,
    lost: usize,
    doubled: usize,
}

struct Tap<'a> {
    network: &'a mut Network,
    from: u16,
}

impl Wire for Tap<'_> {
    fn send(&mut self, to: SocketAddr, datagram: &[u8]) -> i64 {
        let network = &mut *self.network;
        let now_ns = network.now_ns;
        network.sent.push((now_ns, self.from, datagram.to_vec()));
        let copies = if network.draws.any_u32() % 1000 < network.faults.lost_permille {
            network.lost += 1;
            0
        } else if network.draws.any_u32() % 1000 < network.faults.doubled_permille {
            network.doubled += 1;
            2
        } else {
            1
        };
        for _ in 0..copies {
            network.order += 1;
            let flying = Datagram {
                from: self.from,
                to: to.port(),
                bytes: datagram.to_vec(),
            };
            network.flying.insert((now_ns + DELAY_NS, network.order), flying);
        }
        now_ns
    }
}

#[derive(Default)]
struct Notes {
    received: Vec<(i64, Vec<u8>)>,
    sent: Vec<(u64, i64)>,
    acked: Vec<(u64, i64)>,
    broken: Vec<String>,
}

#[derive(Clone, Default)]
struct Notebook(Arc<Mutex<Notes>>);

impl SentSink for Notebook {
    fn sent(&self, token: u64, at_ns: i64) {
        self.0.lock().unwrap().sent.push((token, at_ns));
    }
    fn acked(&self, token: u64, at_ns: i64) {
        self.0.lock().unwrap().acked.push((token, at_ns));
    }
    fn broken(&self, reason: &str) {
        self.0.lock().unwrap().broken.push(reason.to_owned());
    }
}

impl ReceivedSink for Notebook {
    fn received(&mut self, body: &[u8], received_ns: i64) {
        self.0.lock().unwrap().received.push((received_ns, body.to_vec()));
    }
    fn broken(&mut self, reason: &str) {
        self.0.lock().unwrap().broken.push(reason.to_owned());
    }
}

struct World {
    sender: Sender,
    receiver: Receiver,
    service: Service,
    network: Network,
    notes: Notebook,
}

impl World {
    /// All three on a network without faults, the subscriber registered.
    fn new(setting: Setting, options: &Options, seed: u64) -> Self {
        let notes = Notebook::default();
        let setup = ClientSetup {
            setting: None,
            endpoint: address(SERVER),
            topic: "simulated/topic".into(),
            limit: Duration::ZERO,
        };
        let sink = Arc::new(notes.clone());
        let mut world = World {
            sender: Sender::new(&setup, setting, options.clone(), seed, sink),
            receiver: Receiver::new(
                &setup,
                setting,
                options.clone(),
                seed + 1,
                Box::new(notes.clone()),
            ),
            service: Service::new(options.clone(), seed + 2),
            network: Network {
                now_ns: 0,
                order: 0,
                flying: BTreeMap::new(),
                draws: Draws::new(seed + 3),
                faults: Faults::default(),
                sent: Vec::new(),
                lost: 0,
                doubled: 0,
            },
            notes,
        };
        let mut tap = Tap {
            network: &mut world.network,
            from: SUBSCRIBER,
        };
        world.receiver.register(&mut tap);
        world.run(SECOND_NS);
        assert_eq!(*world.receiver.registration(), Registration::Granted);
        world
    }

    fn publish(&mut self, token: u64, body: &[u8]) {
        let mut tap = Tap {
            network: &mut self.network,
            from: PUBLISHER,
        };
        self.sender.send(token, body, &mut tap).unwrap();
    }

    /// A machine by its port, and its way out.
    fn node(&mut self, port: u16) -> (&mut dyn Machine, Tap<'_>) {
        let machine: &mut dyn Machine = match port {
            PUBLISHER => &mut self.sender,
            SUBSCRIBER => &mut self.receiver,
            _ => &mut self.service,
        };
        let network = &mut self.network;
        (machine, Tap { network, from: port })
    }

    fn run(&mut self, until_ns: i64) {
        loop {
            let mut next: Vec<(i64, Option<u16>)> = [PUBLISHER, SUBSCRIBER, SERVER]
                .into_iter()
                .filter_map(|port| self.node(port).0.due_ns().map(|due_ns| (due_ns, Some(port))))
                .collect();
            next.extend(self.network.flying.keys().next().map(|(at_ns, _)| (*at_ns, None)));
            let Some((at_ns, port)) = next.into_iter().min().filter(|(at_ns, _)| *at_ns <= until_ns) else {
                break;
            };
            self.network.now_ns = self.network.now_ns.max(at_ns);
            let now_ns = self.network.now_ns;
            if let Some(port) = port {
                let (machine, mut tap) = self.node(port);
                machine.tick(now_ns, &mut tap);
            } else if let Some((_, datagram)) = self.network.flying.pop_first() {
                let (machine, mut tap) = self.node(datagram.to);
                machine.datagram(address(datagram.from), &datagram.bytes, now_ns, &mut tap);
            }
        }
        self.network.now_ns = self.network.now_ns.max(until_ns);
    }

    /// Publishes so many bodies of this size, one every `interval_ns`, and lets all come to rest.
    fn publish_all(&mut self, messages: u64, size_bytes: usize, interval_ns: i64) -> Vec<Vec<u8>> {
        let mut bodies = Vec::new();
        for token in 0..messages {
            let mut body = vec![token as u8; size_bytes];
            body[..8].copy_from_slice(&token.to_be_bytes());
            self.publish(token, &body);
            bodies.push(body);
            let until_ns = self.network.now_ns + interval_ns;
            self.run(until_ns);
        }
        let until_ns = self.network.now_ns + 10_000 * SECOND_NS;
        self.run(until_ns);
        bodies
    }

    fn received(&self) -> Vec<Vec<u8>> {
        let notes = self.notes.0.lock().unwrap();
        notes.received.iter().map(|(_, body)| body.clone()).collect()
    }
}

fn lossy(setting: Setting, options: &Options, lost_permille: u32, seed: u64) -> World {
    let mut world = World::new(setting, options, seed);
    world.network.faults.lost_permille = lost_permille;
    world
}

#[test]
fn con_delivers_every_message_once_and_in_order_at_5_percent_loss() {
    for (setting, size) in [(CON, 20), (CON, 20_000), (CON_BLOCK, 5_000)] {
        let mut world = lossy(setting, &Options::STANDARD, 50, 1);
        let bodies = world.publish_all(200, size, SECOND_NS);
        assert!(world.network.lost > 30);
        assert!(world.received() == bodies, "{setting:?} {size}");
        let notes = world.notes.0.lock().unwrap();
        assert_eq!(notes.acked.len(), 200);
        assert_eq!(notes.broken, Vec::<String>::new());
    }
}

#[test]
fn non_loses_what_the_network_drops_and_nothing_else() {
    // A message needs two datagrams, its request and its notification: 1 - 0.95^2 = 9.75 % are lost. Of 10,000
    // that is 975 with a standard deviation of 30.
    let mut world = lossy(NON, &Options::STANDARD, 50, 2);
    let bodies = world.publish_all(10_000, 20, 200 * MS_NS);
    let received = world.received();
    let lost = bodies.len() - received.len();
    assert!((975 - 120..=975 + 120).contains(&lost), "{lost}");
    assert!(received.is_sorted(), "nothing is reordered");
    // Of the acknowledged too: the request arrives and the response comes back.
    let acked = world.notes.0.lock().unwrap().acked.len();
    assert!((9_025 - 120..=9_025 + 120).contains(&acked), "{acked}");
}

#[test]
fn a_lost_block_of_a_non_confirmable_body_loses_the_body() {
    // 5,000 bytes are five blocks. Upload: five requests and the four answers between them. Download: the
    // notification, four requests and four answers. A body arrives when all 18 datagrams do.
    let mut world = lossy(NON_BLOCK, &Options::STANDARD, 50, 3);
    let bodies = world.publish_all(2_000, 5_000, 5 * SECOND_NS);
    let received = world.received();
    let expected = 2_000.0 * 0.95_f64.powi(18);
    let tolerance = 4.0 * (expected * (1.0 - expected / 2_000.0)).sqrt();
    let deviation = (received.len() as f64 - expected).abs();
    assert!(deviation < tolerance, "{} of {expected}", received.len());
    assert!(received.iter().all(|body| bodies.contains(body)));
}

#[test]
fn doubled_datagrams_are_dropped_unless_deduplication_is_off() {
    let faults = Faults {
        doubled_permille: 200,
        ..Faults::default()
    };
    let run = |options: &Options, setting| {
        let mut world = World::new(setting, options, 4);
        world.network.faults = faults;
        let bodies = world.publish_all(500, 20, SECOND_NS);
        let received = world.received();
        (world, bodies, received)
    };
    for setting in [NON, CON, NON_BLOCK, CON_BLOCK] {
        let (world, bodies, received) = run(&Options::STANDARD, setting);
        assert!(world.network.doubled > 100);
        assert!(received == bodies, "{setting:?}");
    }
    let off = Options {
        deduplicate: false,
        ..Options::STANDARD
    };
    let (world, bodies, received) = run(&off, NON);
    // A doubled request makes two notifications, a doubled notification is handed over twice.
    let requests_and_notifications = received.len() - bodies.len();
    assert!(requests_and_notifications > 0 && requests_and_notifications < world.network.doubled);
    let notifications = |from| world.network.sent.iter().filter(|(_, by, _)| *by == from).count();
    assert_eq!(notifications(PUBLISHER), 500);
}

#[test]
fn a_silent_server_is_asked_again_after_2_to_3_s_doubling_and_the_next_message_follows() {
    let mut world = lossy(CON, &Options::STANDARD, 1000, 5);
    let begin_ns = world.network.now_ns;
    world.publish(0, b"first");
    world.publish(1, b"second");
    world.run(begin_ns + 200 * SECOND_NS);
    let notes = world.notes.0.lock().unwrap();
    let (first_ns, second_ns) = (notes.sent[0].1 - begin_ns, notes.sent[1].1 - begin_ns);
    assert_eq!(first_ns, 0, "sent is the first transmission");
    let requests = world
        .network
        .sent
        .iter()
        .filter(|(_, from, _)| *from == PUBLISHER);
    let times: Vec<_> = requests.map(|(at_ns, ..)| at_ns - begin_ns).collect();
    let wait_ns = times[1];
    assert!((2 * SECOND_NS..=3 * SECOND_NS).contains(&wait_ns));
    assert_eq!(times[..5], [0, wait_ns, 3 * wait_ns, 7 * wait_ns, 15 * wait_ns]);
    assert_eq!(
        second_ns,
        31 * wait_ns,
        "NSTART 1: the second waits for the first"
    );
    assert_eq!(times.len(), 10);
    assert!(notes.acked.is_empty() && notes.received.is_empty());
}

#[test]
fn notifications_to_a_slow_observer_queue_or_are_superseded_when_asked_for() {
    let supersede = Options {
        supersede: true,
        ..Options::STANDARD
    };
    for (options, expected) in [(Options::STANDARD, vec![0, 1, 2, 3]), (supersede, vec![0, 3])] {
        let mut world = World::new(CON, &options, 6);
        let begin_ns = world.network.now_ns;
        // Four publishers' requests reach the server before the observer's first acknowledgement does.
        for token in 0..4_u8 {
            let (kind, method) = (MessageType::Confirmable, coap_lite::RequestType::Post);
            let path = message::path("simulated/topic");
            let mut packet = message::request(kind, method, 7, 7, &path);
            packet.payload = vec![token];
            let mut tap = Tap {
                network: &mut world.network,
                from: SERVER,
            };
            let from = address(100 + u16::from(token));
            world
                .service
                .datagram(from, &message::encode(&packet), begin_ns, &mut tap);
        }
        world.run(begin_ns + SECOND_NS);
        let got: Vec<u8> = world.received().iter().map(|body| body[0]).collect();
        assert_eq!(got, expected);
    }
}

#[test]
fn an_observer_is_forgotten_after_two_failures_in_a_row_and_registers_again() {
    let mut world = World::new(CON, &Options::STANDARD, 7);
    let notified = |world: &World| {
        let response =
            |bytes: &[u8]| message::parse(bytes).unwrap().header.get_type() == MessageType::Confirmable;
        let sent = world.network.sent.iter();
        sent.filter(|(_, from, bytes)| *from == SERVER && response(bytes))
            .count()
    };
    // The subscriber is taken off the network: neither does it hear nor is it heard.
    for (token, expected) in [(0, 5), (1, 10), (2, 10)] {
        world.publish(token, &[token as u8]);
        let until_ns = world.network.now_ns + 100 * SECOND_NS;
        while world.network.now_ns < until_ns {
            let step_ns = world.network.now_ns + MS_NS;
            let gone = |datagram: &Datagram| datagram.to == SUBSCRIBER || datagram.from == SUBSCRIBER;
            world.network.flying.retain(|_, datagram| !gone(datagram));
            world.run(step_ns);
        }
        assert_eq!(notified(&world), expected, "message {token}");
    }
    // Back again, it registers once more and is given the state that it has missed.
    let until_ns = world.network.now_ns + 100 * SECOND_NS;
    world.run(until_ns);
    assert_eq!(world.received(), [[2]]);
    world.publish(3, &[3]);
    world.run(until_ns + SECOND_NS);
    assert_eq!(world.received(), [[2], [3]]);
}

#[test]
fn an_observer_that_resets_a_notification_is_forgotten() {
    let mut world = World::new(NON, &Options::STANDARD, 8);
    world.publish(0, b"body");
    world.run(2 * SECOND_NS);
    let (_, _, notification) = world
        .network
        .sent
        .iter()
        .rev()
        .find(|(_, from, _)| *from == SERVER)
        .unwrap();
    let reset = message::empty(
        MessageType::Reset,
        message::parse(notification).unwrap().header.message_id,
    );
    let now_ns = world.network.now_ns;
    let (service, mut tap) = world.node(SERVER);
    service.datagram(address(SUBSCRIBER), &reset, now_ns, &mut tap);
    world.publish(1, b"body");
    world.run(4 * SECOND_NS);
    assert_eq!(world.received().len(), 1);
}

#[test]
fn the_seed_decides() {
    let run = |seed| {
        let mut world = lossy(CON, &Options::STANDARD, 100, seed);
        world.publish_all(50, 20, SECOND_NS);
        world.network.sent
    };
    assert!(run(11) == run(11));
    assert!(run(11) != run(12));
}

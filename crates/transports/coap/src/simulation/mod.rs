//! Tests: publisher, server and subscriber on a simulated network with an injected clock. Standard parameters, so
//! minutes of retransmission pass in milliseconds, and the seed determines everything.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::declared::Options;
use crate::declared::Setting;
use crate::endpoint::{Machine, Wire};
use crate::exchange::Draws;
use crate::receiver::{Receiver, Registration};
use crate::sender::Sender;
use crate::service::Service;
use wiredyno_transport::{ClientSetup, ReceivedSink, SentSink, ServedSink};

const MS_NS: i64 = 1_000_000;
const SECOND_NS: i64 = 1_000 * MS_NS;
const DELAY_NS: i64 = 35 * MS_NS;

mod cases;

const CON: Setting = Setting { confirmable: true, blocks: false };
const NON: Setting = Setting { confirmable: false, blocks: false };
const CON_BLOCK: Setting = Setting { confirmable: true, blocks: true };
const NON_BLOCK: Setting = Setting { confirmable: false, blocks: true };

fn address(port: u16) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port).into()
}

const PUBLISHER: u16 = 1;
const SUBSCRIBER: u16 = 2;
const SERVER: u16 = 3;

/// How many datagrams per thousand the network loses or duplicates.
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
    /// Everything that was sent, including lost datagrams.
    sent: Vec<(i64, u16, Vec<u8>)>,
    lost: usize,
    doubled: Vec<(u16, Vec<u8>)>,
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
            network.doubled.push((self.from, datagram.to_vec()));
            2
        } else {
            1
        };
        for _ in 0..copies {
            network.order += 1;
            let flying = Datagram { from: self.from, to: to.port(), bytes: datagram.to_vec() };
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
    superseded: Vec<Vec<u8>>,
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

impl ServedSink for Notebook {
    fn superseded(&self, body: &[u8], _at_ns: i64) {
        self.0.lock().unwrap().superseded.push(body.to_vec());
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
    /// All three on a network without faults, with the subscriber registered.
    fn new(setting: Setting, options: &Options, seed: u64) -> Self {
        let notes = Notebook::default();
        let setup = ClientSetup {
            setting: None,
            endpoint: address(SERVER),
            topic: "simulated/topic".into(),
            subscribers: 1,
            limit: Duration::ZERO,
            options: Default::default(),
            seed,
            login: None,
            tls: None,
            before: Default::default(),
        };
        let sink = Arc::new(notes.clone());
        let mut world = World {
            sender: Sender::new(&setup, setting, options.clone(), seed, sink),
            receiver: Receiver::new(&setup, setting, options.clone(), seed + 1, Box::new(notes.clone())),
            service: Service::new(options.clone(), seed + 2, Arc::new(notes.clone())),
            network: Network {
                now_ns: 0,
                order: 0,
                flying: BTreeMap::new(),
                draws: Draws::new(seed + 3),
                faults: Faults::default(),
                sent: Vec::new(),
                lost: 0,
                doubled: Vec::new(),
            },
            notes,
        };
        let mut tap = Tap { network: &mut world.network, from: SUBSCRIBER };
        world.receiver.register(&mut tap);
        world.run(SECOND_NS);
        assert_eq!(*world.receiver.registration(), Registration::Granted);
        world
    }

    fn publish(&mut self, token: u64, body: &[u8]) {
        let mut tap = Tap { network: &mut self.network, from: PUBLISHER };
        self.sender.send(token, body, &mut tap).unwrap();
    }

    /// The machine at a port, and its way out.
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

    /// Publishes this many bodies of this size, one every `interval_ns`, and waits until everything has settled.
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

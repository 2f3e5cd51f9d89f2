//! A tap in a connection: forwards the bytes and records the packets of both directions in the order in which they
//! passed.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use wiredyno_transport_stand::LIMIT;

/// Types of packets (MQTT 5.0, 2.1.2).
pub const CONNECT: u8 = 1;
const CONNACK: u8 = 2;
pub const PUBLISH: u8 = 3;
pub const PUBACK: u8 = 4;
pub const PUBCOMP: u8 = 7;
const SUBACK: u8 = 9;

/// Properties (MQTT 5.0, 2.2.2.2).
pub const SESSION_EXPIRY: u8 = 0x11;
pub const RECEIVE_MAXIMUM: u8 = 0x21;
pub const TOPIC_ALIAS: u8 = 0x23;
const MAXIMUM_PACKET_SIZE: u8 = 0x27;

/// A packet that passed the tap.
#[derive(Debug, Clone)]
pub struct Packet {
    /// From the client to the broker.
    pub up: bool,
    pub kind: u8,
    flags: u8,
    /// Bytes, including the fixed header.
    pub length: usize,
    /// What follows the fixed header.
    rest: Vec<u8>,
}

/// The content of a CONNECT.
#[derive(Debug, PartialEq, Eq)]
pub struct Connect {
    pub id: String,
    pub clean: bool,
    /// Properties, which only MQTT 5 has.
    pub properties: Vec<(u8, u32)>,
}

/// The content of a PUBLISH except its body.
#[derive(Debug, PartialEq, Eq)]
pub struct Publish {
    pub topic: String,
    pub acknowledged: bool,
    /// Properties, which only MQTT 5 has.
    pub properties: Vec<(u8, u32)>,
}

/// Takes fields from the front of a packet.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, bytes: usize) -> &'a [u8] {
        let (front, rest) = self.0.split_at(bytes);
        self.0 = rest;
        front
    }

    fn number(&mut self, bytes: usize) -> u32 {
        self.take(bytes).iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
    }

    fn text(&mut self) -> String {
        let bytes = self.number(2);
        String::from_utf8(self.take(bytes as usize).to_vec()).unwrap()
    }

    /// The properties that our clients use; any other fails the test.
    fn properties(&mut self) -> Vec<(u8, u32)> {
        let bytes = self.number(1) as usize;
        assert!(bytes < 128, "one byte of length is enough here");
        let mut properties = Fields(self.take(bytes));
        let mut all = Vec::new();
        while !properties.0.is_empty() {
            let property = properties.number(1) as u8;
            let width = match property {
                SESSION_EXPIRY | MAXIMUM_PACKET_SIZE => 4,
                RECEIVE_MAXIMUM | TOPIC_ALIAS => 2,
                other => panic!("property {other:#04x} was not expected"),
            };
            all.push((property, properties.number(width)));
        }
        all
    }
}

impl Packet {
    pub fn connect(&self) -> Connect {
        let mut fields = Fields(&self.rest);
        assert_eq!(fields.text(), "MQTT");
        let version = fields.number(1);
        let clean = fields.number(1) & 2 != 0;
        fields.number(2);
        let properties = if version == 5 { fields.properties() } else { Vec::new() };
        Connect { id: fields.text(), clean, properties }
    }

    pub fn publish(&self, version: u8) -> Publish {
        let mut fields = Fields(&self.rest);
        let topic = fields.text();
        let acknowledged = self.flags & 6 != 0;
        fields.take(if acknowledged { 2 } else { 0 });
        let properties = if version == 5 { fields.properties() } else { Vec::new() };
        Publish { topic, acknowledged, properties }
    }

    /// The first packet in these bytes, if it is complete.
    fn first(up: bool, bytes: &[u8]) -> Option<Packet> {
        let first = *bytes.first()?;
        let (mut remaining, mut place) = (0, 1);
        loop {
            let byte = usize::from(*bytes.get(place)?);
            remaining += (byte & 127) << (7 * (place - 1));
            place += 1;
            if byte & 128 == 0 {
                break;
            }
        }
        let rest = bytes.get(place..place + remaining)?.to_vec();
        Some(Packet { up, kind: first >> 4, flags: first & 15, length: place + remaining, rest })
    }
}

/// A proxy that records packets; ends with its connections when dropped.
pub struct Tap {
    pub address: SocketAddr,
    noted: Arc<Mutex<Vec<Packet>>>,
    ended: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
}

impl Tap {
    /// Starts a tap in front of a broker.
    pub fn at(broker: SocketAddr) -> Tap {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let (noted, ended) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (notes, end) = (noted.clone(), ended.clone());
        let accepting = std::thread::spawn(move || {
            let mut pumps = Vec::new();
            for client in listener.incoming() {
                if end.load(Ordering::SeqCst) {
                    break;
                }
                let (client, server) = (client.unwrap(), TcpStream::connect(broker).unwrap());
                for (up, from, to) in [(true, &client, &server), (false, &server, &client)] {
                    to.set_nodelay(true).unwrap();
                    let (from, to, notes) =
                        (from.try_clone().unwrap(), to.try_clone().unwrap(), notes.clone());
                    pumps.push(std::thread::spawn(move || pump(up, from, to, &notes)));
                }
            }
            for pump in pumps {
                pump.join().unwrap();
            }
        });
        Tap { address, noted, ended, accepting: Some(accepting) }
    }

    /// All packets that have passed so far.
    pub fn packets(&self) -> Vec<Packet> {
        self.noted.lock().unwrap().clone()
    }

    /// All CONNECTs that have passed so far.
    pub fn connects(&self) -> Vec<Connect> {
        self.packets().iter().filter(|packet| packet.kind == CONNECT).map(Packet::connect).collect()
    }

    /// The most messages of QoS 1 and 2 that were in flight in this direction without their last acknowledgement.
    pub fn most_on_their_way(&self, up: bool, version: u8) -> usize {
        let (mut now, mut most) = (0_usize, 0);
        for packet in self.packets() {
            match packet.kind {
                PUBLISH if packet.up == up && packet.publish(version).acknowledged => now += 1,
                PUBACK | PUBCOMP if packet.up != up => now -= 1,
                _ => {}
            }
            most = most.max(now);
        }
        most
    }
}

impl Drop for Tap {
    /// All clients must be gone before this.
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.accepting.take() {
            let _ = thread.join();
        }
    }
}

/// Forwards until one side ends; a packet is recorded before its last byte is forwarded.
fn pump(up: bool, mut from: TcpStream, mut to: TcpStream, notes: &Mutex<Vec<Packet>>) {
    let (mut chunk, mut open) = (vec![0; 1 << 16], Vec::new());
    while let Ok(bytes @ 1..) = from.read(&mut chunk) {
        open.extend_from_slice(&chunk[..bytes]);
        while let Some(packet) = Packet::first(up, &open) {
            open.drain(..packet.length);
            notes.lock().unwrap().push(packet);
        }
        if to.write_all(&chunk[..bytes]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}

/// A client without a library, to examine a broker from outside.
pub struct Raw {
    stream: TcpStream,
    version: u8,
    read: Vec<u8>,
    /// Whether the broker had a session of it.
    pub session_present: bool,
}

impl Raw {
    /// Connects with Clean Session, or Clean Start, as given, and no other options of note.
    pub fn connect(broker: SocketAddr, id: &str, clean: bool, version: u8) -> Raw {
        let mut rest = b"\0\x04MQTT".to_vec();
        rest.extend([version, u8::from(clean) << 1, 0, 60]);
        rest.extend((version == 5).then_some(0));
        rest.extend((id.len() as u16).to_be_bytes());
        rest.extend(id.bytes());
        let stream = TcpStream::connect(broker).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        let mut raw = Raw { stream, version, read: Vec::new(), session_present: false };
        raw.say(CONNECT << 4, &rest);
        let answer = raw.next(CONNACK);
        assert_eq!(answer.rest[1], 0, "the broker does not accept");
        raw.session_present = answer.rest[0] == 1;
        raw
    }

    fn say(&mut self, first: u8, rest: &[u8]) {
        self.stream.write_all(&[&[first, rest.len() as u8], rest].concat()).unwrap();
    }

    /// The next packet of this kind.
    fn next(&mut self, kind: u8) -> Packet {
        loop {
            if let Some(packet) = Packet::first(false, &self.read) {
                self.read.drain(..packet.length);
                if packet.kind == kind {
                    return packet;
                }
                continue;
            }
            let mut chunk = [0; 4096];
            let bytes = self.stream.read(&mut chunk).unwrap();
            assert!(bytes > 0, "the broker closed the connection");
            self.read.extend_from_slice(&chunk[..bytes]);
        }
    }

    /// Subscribes to a topic at QoS 0.
    pub fn subscribe(&mut self, topic: &str) {
        let no_properties: &[u8] = if self.version == 5 { &[0] } else { &[] };
        let rest = [&[0, 1], no_properties, &text(topic), &[0]].concat();
        self.say(0x82, &rest);
        self.next(SUBACK);
    }

    /// Publishes at QoS 0, not retained.
    pub fn publish(&mut self, topic: &str, body: &[u8]) {
        let no_properties: &[u8] = if self.version == 5 { &[0] } else { &[] };
        self.say(PUBLISH << 4, &[&text(topic), no_properties, body].concat());
    }

    /// The next message at QoS 0: whether it has the RETAIN flag, and its body.
    pub fn message(&mut self) -> (bool, Vec<u8>) {
        let packet = self.next(PUBLISH);
        let mut fields = Fields(&packet.rest);
        fields.text();
        if self.version == 5 {
            fields.properties();
        }
        (packet.flags & 1 != 0, fields.0.to_vec())
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = self.stream.write_all(&[0xe0, 0]);
    }
}

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_be_bytes(), text.as_bytes()].concat()
}

/// Whether a broker has a session of the client with this id.
pub fn session_present(broker: SocketAddr, id: &str, version: u8) -> bool {
    Raw::connect(broker, id, false, version).session_present
}

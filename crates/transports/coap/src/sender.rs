//! The publisher's decisions: one request per message, or one per block.
//!
//! Confirmable messages and block-wise bodies are sent one after another (RFC 7252, section 4.7; RFC 7959, section 2.5, does not
//! allow two transfers to one resource at a time); everything else waits in order. Small non-confirmable ones leave at once if
//! nothing is queued.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use coap_lite::{CoapOption, MessageType, Packet, RequestType, ResponseType};

use crate::block::{BODY_LIMIT_BYTES, Block, size_bytes};
use crate::declared::Setting;
use crate::declared::{Method, NOTIFICATION_OVERHEAD_BYTES, Options};
use crate::endpoint::{Machine, Wire};
use crate::exchange::{Draws, Due, Exchange, Lane, MessageIds};
use crate::message;
use wiredyno_transport::{ClientSetup, SentSink};

/// How many non-confirmable requests are remembered until their response arrives.
const AWAITED: usize = 65_536;

/// The publisher without its socket.
pub struct Sender {
    options: Options,
    setting: Setting,
    server: SocketAddr,
    path: Vec<String>,
    sink: Arc<dyn SentSink>,
    draws: Draws,
    ids: MessageIds,
    /// Token of the last request.
    token: u32,
    lane: Lane<Job>,
    /// By request token: the message, and when it was sent.
    awaited: BTreeMap<u32, (u64, i64)>,
    broken: Option<String>,
}

/// A message whose body is being sent.
struct Job {
    message: u64,
    body: Vec<u8>,
    /// Bytes that the server already has.
    offset_bytes: usize,
    /// Bytes of the request in flight.
    part_bytes: usize,
    szx: u8,
    /// Token of the request in flight.
    token: u32,
    /// When the first request left.
    sent_ns: i64,
}

impl Sender {
    pub fn new(
        setup: &ClientSetup,
        setting: Setting,
        options: Options,
        seed: u64,
        sink: Arc<dyn SentSink>,
    ) -> Self {
        let mut draws = Draws::new(seed);
        Sender {
            setting,
            server: setup.endpoint,
            path: message::path(&setup.topic),
            sink,
            ids: MessageIds::new(&mut draws),
            token: draws.any_u32(),
            draws,
            lane: Lane::default(),
            awaited: BTreeMap::new(),
            broken: None,
            options,
        }
    }

    /// The largest body, in bytes: limited by the request's and the notification's datagram, which hold `datagram_bytes`, and by
    /// the memory of servers.
    pub fn body_limit_bytes(&self, datagram_bytes: usize) -> usize {
        if self.setting.blocks {
            return BODY_LIMIT_BYTES;
        }
        let empty = message::request(MessageType::Confirmable, RequestType::Post, 0, 0, &self.path);
        // Plus the marker before the body.
        let overhead = message::encode(&empty).len() + 1;
        datagram_bytes - overhead.max(usize::from(NOTIFICATION_OVERHEAD_BYTES))
    }

    /// Messages not yet sent, or not yet acknowledged if acknowledgements are awaited.
    pub fn left(&self) -> usize {
        self.lane.len()
    }

    /// Why nothing more can be sent, if so.
    pub fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// Sends or queues a message; the error is the reason if nothing more can be sent.
    pub fn send(&mut self, message: u64, body: &[u8], wire: &mut dyn Wire) -> Result<(), String> {
        if let Some(reason) = &self.broken {
            return Err(reason.clone());
        }
        self.lane.push(Job {
            message,
            body: body.to_vec(),
            offset_bytes: 0,
            part_bytes: 0,
            szx: self.options.szx,
            token: 0,
            sent_ns: 0,
        });
        self.proceed(wire);
        Ok(())
    }

    fn proceed(&mut self, wire: &mut dyn Wire) {
        while self.broken.is_none()
            && let Some(job) = self.lane.next()
        {
            self.transmit(job, wire);
        }
    }

    /// Sends a whole body or its next block.
    fn transmit(&mut self, mut job: Job, wire: &mut dyn Wire) {
        let kind = match self.setting.confirmable {
            true => MessageType::Confirmable,
            false => MessageType::NonConfirmable,
        };
        let method = match self.options.method {
            Method::Post => RequestType::Post,
            Method::Put => RequestType::Put,
        };
        let id = self.ids.take();
        self.token = self.token.wrapping_add(1);
        job.token = self.token;
        let mut packet = message::request(kind, method, id, job.token, &self.path);
        let in_blocks = self.setting.blocks && job.body.len() > size_bytes(job.szx);
        if in_blocks {
            let (block, range) = Block::at(job.offset_bytes, job.body.len(), job.szx);
            message::set_uint(&mut packet, CoapOption::Block1, block.value());
            job.part_bytes = range.len();
            packet.payload = job.body[range].to_vec();
        } else {
            job.part_bytes = job.body.len();
            packet.payload = std::mem::take(&mut job.body);
        }
        let datagram = message::encode(&packet);
        let sent_ns = wire.send(self.server, &datagram);
        if job.offset_bytes == 0 {
            job.sent_ns = sent_ns;
            self.sink.sent(job.message, sent_ns);
        }
        let transmission = &self.options.transmission;
        if self.setting.confirmable {
            let exchange = Exchange::confirmable(id, datagram, sent_ns, transmission, &mut self.draws);
            self.lane.begin(exchange, job);
        } else if in_blocks {
            let exchange = Exchange::once(id, sent_ns + transmission.non_patience_ns);
            self.lane.begin(exchange, job);
        } else {
            self.awaited.insert(job.token, (job.message, sent_ns));
            if self.awaited.len() > AWAITED {
                self.awaited.pop_first();
            }
        }
    }

    /// A response to the request with this token.
    fn response(&mut self, token: u32, packet: &Packet, code: ResponseType, at_ns: i64, wire: &mut dyn Wire) {
        if let Some((message, sent_ns)) = self.awaited.remove(&token) {
            match code.is_error() {
                // A thread may record what it sent late: no acknowledgement may precede the sending.
                false => self.sink.acked(message, at_ns.max(sent_ns)),
                true => self.fail(&format!("the server answered {}", message::refusal(packet))),
            }
            return;
        }
        let Some(mut job) = self.end_of(token) else {
            return;
        };
        let all = job.offset_bytes + job.part_bytes == job.body.len() || job.body.is_empty();
        match code {
            ResponseType::Continue if !all => {
                job.offset_bytes += job.part_bytes;
                // The server may ask for smaller blocks (RFC 7959, section 2.3).
                if let Some(wanted) = message::block(packet, CoapOption::Block1) {
                    job.szx = job.szx.min(wanted.szx);
                }
                self.transmit(job, wire);
                return;
            }
            // Blocks of a non-confirmable body were lost, and thus the body.
            ResponseType::RequestEntityIncomplete => {}
            code if code.is_error() => {
                self.fail(&format!("the server answered {}", message::refusal(packet)));
            }
            _ if !all => self.fail(
                "the server treated a first block as the whole body: it does not support block-wise transfer",
            ),
            _ => self.sink.acked(job.message, at_ns.max(job.sent_ns)),
        }
        self.proceed(wire);
    }

    fn end_of(&mut self, token: u32) -> Option<Job> {
        let (_, job) = self.lane.under_way()?;
        if job.token == token { self.lane.end() } else { None }
    }

    fn fail(&mut self, reason: &str) {
        if self.broken.is_none() {
            self.broken = Some(reason.to_owned());
            self.sink.broken(reason);
        }
    }
}

impl Machine for Sender {
    fn datagram(&mut self, _from: SocketAddr, datagram: &[u8], at_ns: i64, wire: &mut dyn Wire) {
        let Some(packet) = message::parse(datagram) else {
            return;
        };
        let id = packet.header.message_id;
        let code = message::response_code(&packet);
        match (packet.header.get_type(), code, message::token(&packet)) {
            // The server can't process it: this message is lost, later ones may succeed.
            (MessageType::Reset, ..) if self.lane.with_id(id).is_some() => {
                self.lane.end();
                self.proceed(wire);
            }
            (MessageType::Acknowledgement, None, _) => {
                let until_ns = at_ns + self.options.transmission.max_transmit_wait_ns();
                if let Some((exchange, _)) = self.lane.with_id(id) {
                    // The response comes in a separate message (RFC 7252, section 5.2.2).
                    exchange.settle(until_ns);
                }
            }
            (kind, Some(code), Some(token)) => {
                if kind == MessageType::Confirmable {
                    wire.send(self.server, &message::empty(MessageType::Acknowledgement, id));
                }
                self.response(token, &packet, code, at_ns, wire);
            }
            (MessageType::Confirmable, ..) => {
                wire.send(self.server, &message::empty(MessageType::Reset, id));
            }
            _ => {}
        }
    }

    fn tick(&mut self, now_ns: i64, wire: &mut dyn Wire) {
        let Some((exchange, _)) = self.lane.under_way() else {
            return;
        };
        match exchange.due(now_ns) {
            Due::Wait => {}
            Due::Repeat(datagram) => {
                wire.send(self.server, datagram);
            }
            Due::GiveUp => {
                self.lane.end();
                self.proceed(wire);
            }
        }
    }

    fn due_ns(&self) -> Option<i64> {
        self.lane.due_ns().filter(|_| self.broken.is_none())
    }

    fn failed(&mut self, reason: &str) {
        self.fail(reason);
    }
}

//! The subscriber's decisions: register as an observer (RFC 7641), hand over what arrives, fetch the rest of bodies
//! that arrive in blocks (RFC 7959, section 3.4).
//!
//! Requests are sent one after another. The state returned by the registration is not a message and is not handed
//! over; that of a renewed registration is, if it is newer than what was seen. One file because registering,
//! notifying and fetching are states of one machine.

use std::net::SocketAddr;

use coap_lite::{CoapOption, MessageType, Packet, RequestType, ResponseType};

use crate::block::{Assembly, Block};
use crate::declared::Options;
use crate::declared::Setting;
use crate::duplicates::{Duplicates, Sighting};
use crate::endpoint::{Machine, Wire};
use crate::exchange::{Draws, Due, Exchange, Lane, MessageIds};
use crate::message;
use wiredyno_transport::{ClientSetup, ReceivedSink};

/// The registration is renewed after this long without a notification: the default Max-Age of 60 s (RFC 7252,
/// section 5.10.5) and some time for a notification in flight (RFC 7641, section 3.3.1, asks for 5 to 15 s).
const RENEWAL_NS: i64 = 70_000_000_000;

/// Observe values further apart than this have wrapped, and after [`FRESHNESS_NS`] any is newer (RFC 7641,
/// section 3.4).
const HALF_OF_VERSIONS: u32 = 1 << 23;
const FRESHNESS_NS: i64 = 128_000_000_000;

/// The state of the registration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registration {
    /// Requested, but not granted yet.
    Asked,
    /// Granted, so the server sends notifications.
    Granted,
    /// The server does not notify, or no longer; with its answer.
    Refused(String),
    /// The socket has failed: nothing listens there.
    Failed(String),
    /// Ended by this side's deregistration.
    Ended,
}

/// A request of the subscriber.
enum Ask {
    /// Creates the resource; with the token.
    Create(u32),
    Register,
    Deregister,
    Fetch(Fetch),
}

/// A fetch of the rest of a body.
struct Fetch {
    token: u32,
    tag: Option<Vec<u8>>,
    assembly: Assembly,
    szx: u8,
}

/// The subscriber without its socket.
pub struct Receiver {
    options: Options,
    setting: Setting,
    server: SocketAddr,
    path: Vec<String>,
    sink: Option<Box<dyn ReceivedSink>>,
    draws: Draws,
    ids: MessageIds,
    /// Token of the registration, and thus of all notifications.
    observation: u32,
    /// Token of the last fetch.
    token: u32,
    lane: Lane<Ask>,
    registration: Registration,
    duplicates: Duplicates,
    /// Observe value of the newest notification, and when it arrived.
    newest: Option<(u32, i64)>,
    renewal_ns: i64,
}

impl Receiver {
    pub fn new(
        setup: &ClientSetup,
        setting: Setting,
        options: Options,
        seed: u64,
        sink: Box<dyn ReceivedSink>,
    ) -> Self {
        let mut draws = Draws::new(seed);
        let observation = draws.any_u32();
        Receiver {
            options,
            setting,
            server: setup.endpoint,
            path: message::path(&setup.topic),
            sink: Some(sink),
            ids: MessageIds::new(&mut draws),
            draws,
            observation,
            token: observation,
            lane: Lane::default(),
            registration: Registration::Asked,
            duplicates: Duplicates::default(),
            newest: None,
            renewal_ns: i64::MAX,
        }
    }

    /// Requests registration as an observer.
    pub fn register(&mut self, wire: &mut dyn Wire) {
        if self.options.create && self.registration == Registration::Asked {
            self.token = self.token.wrapping_add(1);
            self.lane.push(Ask::Create(self.token));
        }
        self.lane.push(Ask::Register);
        self.proceed(wire);
    }

    /// Requests deregistration (RFC 7641, section 3.6); nothing is handed over from now on.
    pub fn deregister(&mut self, wire: &mut dyn Wire) {
        self.sink = None;
        self.renewal_ns = i64::MAX;
        self.lane = Lane::default();
        self.lane.push(Ask::Deregister);
        self.proceed(wire);
    }

    pub fn registration(&self) -> &Registration {
        &self.registration
    }

    fn proceed(&mut self, wire: &mut dyn Wire) {
        while let Some(ask) = self.lane.next() {
            self.transmit(ask, wire);
        }
    }

    fn transmit(&mut self, ask: Ask, wire: &mut dyn Wire) {
        let first_block = Block { number: 0, more: false, szx: self.options.szx };
        // Registrations are confirmable in every setting: losing one must not lose all messages.
        let blocks = self.setting.blocks.then_some(first_block);
        let (token, observe, block, confirmable) = match &ask {
            Ask::Create(token) => (*token, None, None, true),
            Ask::Register => (self.observation, Some(0), blocks, true),
            Ask::Deregister => (self.observation, Some(1), blocks, true),
            Ask::Fetch(fetch) => {
                let (block, _) = Block::at(fetch.assembly.len_bytes(), 0, fetch.szx);
                (fetch.token, None, Some(block), self.setting.confirmable)
            }
        };
        let id = self.ids.take();
        let kind = match confirmable {
            true => MessageType::Confirmable,
            false => MessageType::NonConfirmable,
        };
        let method = if matches!(ask, Ask::Create(_)) { RequestType::Put } else { RequestType::Get };
        let mut packet = message::request(kind, method, id, token, &self.path);
        if let Some(observe) = observe {
            message::set_uint(&mut packet, CoapOption::Observe, observe);
        }
        if let Some(block) = block {
            message::set_uint(&mut packet, CoapOption::Block2, block.value());
        }
        let datagram = message::encode(&packet);
        let sent_ns = wire.send(self.server, &datagram);
        let transmission = &self.options.transmission;
        let exchange = match confirmable {
            true => Exchange::confirmable(id, datagram, sent_ns, transmission, &mut self.draws),
            false => Exchange::once(id, sent_ns + transmission.non_patience_ns),
        };
        self.lane.begin(exchange, ask);
    }

    /// A message of the observation: a notification, or the answer to a registration or deregistration.
    fn observed(&mut self, packet: Packet, code: ResponseType, at_ns: i64, wire: &mut dyn Wire) {
        let id = packet.header.message_id;
        let piggybacked = packet.header.get_type() == MessageType::Acknowledgement;
        let answered = match self.lane.under_way() {
            Some((exchange, Ask::Register | Ask::Deregister)) => !piggybacked || exchange.message_id() == id,
            _ => false,
        };
        if piggybacked && !answered {
            return;
        }
        let ended = answered && matches!(self.lane.under_way(), Some((_, Ask::Deregister)));
        if ended && piggybacked {
            self.registration = Registration::Ended;
        }
        if answered && (piggybacked || !ended) {
            self.lane.end();
        }
        if self.sink.is_none() {
            return;
        }
        let version = message::uint(&packet, CoapOption::Observe);
        let Some(version) = version.filter(|_| !code.is_error()) else {
            let reason = match code.is_error() {
                true => format!("the server answered {}", message::refusal(&packet)),
                false => "the server returned the resource, but does not notify of its changes".into(),
            };
            self.stop(Registration::Refused(reason));
            return;
        };
        let first = self.registration == Registration::Asked;
        self.registration = Registration::Granted;
        self.renewal_ns = at_ns + RENEWAL_NS;
        let known = self.newest.is_some_and(|(newest, _)| newest == version);
        let newer = self.is_newer(version, at_ns);
        if newer {
            self.newest = Some((version, at_ns));
        }
        let skipped = match piggybacked {
            true => first || known,
            false => self.options.discard_stale && !newer,
        };
        if !skipped {
            self.take(packet, at_ns);
        }
        self.proceed(wire);
    }

    /// Whether a notification is newer than the newest one (RFC 7641, section 3.4).
    fn is_newer(&self, version: u32, at_ns: i64) -> bool {
        let Some((newest, since_ns)) = self.newest else {
            return true;
        };
        (newest < version && version - newest < HALF_OF_VERSIONS)
            || (newest > version && newest - version > HALF_OF_VERSIONS)
            || at_ns > since_ns + FRESHNESS_NS
    }

    /// Hands over a body, or begins to fetch its rest.
    fn take(&mut self, packet: Packet, at_ns: i64) {
        match message::block(&packet, CoapOption::Block2) {
            Some(block) if block.more => {
                let mut assembly = Assembly::default();
                if assembly.push(block, &packet.payload).is_err() {
                    return;
                }
                if !self.setting.confirmable {
                    // The server has moved on to the next body: the missing rest of the last one is lost.
                    self.lane.take_out(|ask| matches!(ask, Ask::Fetch(_)));
                    if matches!(self.lane.under_way(), Some((_, Ask::Fetch(_)))) {
                        self.lane.end();
                    }
                }
                self.token = self.token.wrapping_add(1);
                self.lane.push(Ask::Fetch(Fetch {
                    token: self.token,
                    tag: packet.get_first_option(CoapOption::ETag).cloned(),
                    assembly,
                    szx: block.szx,
                }));
            }
            _ => self.deliver(&packet.payload, at_ns),
        }
    }

    fn deliver(&mut self, body: &[u8], at_ns: i64) {
        if let Some(sink) = &mut self.sink {
            sink.received(body, at_ns);
        }
    }

    /// The answer to a fetch, or to the creation of the resource.
    fn fetched(&mut self, packet: &Packet, code: ResponseType, at_ns: i64, wire: &mut dyn Wire) {
        let mut fetch = match self.lane.end() {
            Some(Ask::Fetch(fetch)) => fetch,
            Some(Ask::Create(_)) if code.is_error() => {
                let reason =
                    format!("the server refused to create the resource: {}", message::refusal(packet));
                return self.stop(Registration::Refused(reason));
            }
            Some(_) => return self.proceed(wire),
            None => return,
        };
        // A different tag means a different state of the resource, with a notification of its own: this one is
        // lost.
        let same = fetch.tag.as_ref() == packet.get_first_option(CoapOption::ETag);
        let block = message::block(packet, CoapOption::Block2);
        if let Some(block) = block.filter(|_| same && !code.is_error())
            && let Ok(complete) = fetch.assembly.push(block, &packet.payload)
        {
            if complete {
                self.deliver(&fetch.assembly.into_body(), at_ns);
            } else {
                self.token = self.token.wrapping_add(1);
                fetch.token = self.token;
                fetch.szx = block.szx;
                self.transmit(Ask::Fetch(fetch), wire);
            }
        }
        self.proceed(wire);
    }

    fn stop(&mut self, why: Registration) {
        let (Registration::Refused(reason) | Registration::Failed(reason)) = &why else {
            return;
        };
        if self.registration == Registration::Granted
            && let Some(sink) = &mut self.sink
        {
            sink.broken(reason);
        }
        self.lane = Lane::default();
        self.renewal_ns = i64::MAX;
        self.registration = why;
    }

    fn response(
        &mut self,
        packet: Packet,
        code: ResponseType,
        datagram: &[u8],
        at_ns: i64,
        wire: &mut dyn Wire,
    ) {
        let id = packet.header.message_id;
        let kind = packet.header.get_type();
        let token = message::token(&packet);
        let fetching = match self.lane.under_way() {
            Some((_, Ask::Fetch(fetch))) => Some(fetch.token),
            Some((_, Ask::Create(token))) => Some(*token),
            _ => None,
        };
        let observed = token == Some(self.observation);
        if !observed && (token.is_none() || token != fetching) {
            // Nobody waits for it: the server may forget us (RFC 7641, section 3.6). An answer to a fetch that was
            // given up is late, no more.
            let late = token.is_some_and(|token| self.token.wrapping_sub(token) < 1 << 16);
            if kind != MessageType::Acknowledgement && !late {
                wire.send(self.server, &message::empty(MessageType::Reset, id));
            }
            return;
        }
        if kind == MessageType::Confirmable {
            wire.send(self.server, &message::empty(MessageType::Acknowledgement, id));
        }
        if kind != MessageType::Acknowledgement && self.options.deduplicate {
            let transmission = &self.options.transmission;
            let lifetime_ns = match kind {
                MessageType::Confirmable => transmission.exchange_lifetime_ns(),
                _ => transmission.non_lifetime_ns(),
            };
            if self.duplicates.note(id, datagram, at_ns, lifetime_ns) != Sighting::First {
                return;
            }
        }
        if observed {
            self.observed(packet, code, at_ns, wire);
        } else {
            self.fetched(&packet, code, at_ns, wire);
        }
    }
}

impl Machine for Receiver {
    fn datagram(&mut self, _from: SocketAddr, datagram: &[u8], at_ns: i64, wire: &mut dyn Wire) {
        let Some(packet) = message::parse(datagram) else {
            return;
        };
        let id = packet.header.message_id;
        match (packet.header.get_type(), message::response_code(&packet)) {
            (MessageType::Reset, _) => {
                let asked = matches!(self.lane.with_id(id), Some((_, Ask::Register)));
                if asked {
                    self.stop(Registration::Refused("the server reset the registration".into()));
                } else if self.lane.with_id(id).is_some() {
                    self.lane.end();
                    self.proceed(wire);
                }
            }
            (MessageType::Acknowledgement, None) => {
                let until_ns = at_ns + self.options.transmission.max_transmit_wait_ns();
                if let Some((exchange, _)) = self.lane.with_id(id) {
                    // The response comes in a separate message (RFC 7252, section 5.2.2).
                    exchange.settle(until_ns);
                }
            }
            (_, Some(code)) => self.response(packet, code, datagram, at_ns, wire),
            (MessageType::Confirmable, None) => {
                wire.send(self.server, &message::empty(MessageType::Reset, id));
            }
            (MessageType::NonConfirmable, None) => {}
        }
    }

    fn tick(&mut self, now_ns: i64, wire: &mut dyn Wire) {
        if now_ns >= self.renewal_ns {
            self.renewal_ns = now_ns + RENEWAL_NS;
            if !matches!(self.lane.under_way(), Some((_, Ask::Register))) {
                self.register(wire);
            }
        }
        let Some((exchange, ask)) = self.lane.under_way() else {
            return;
        };
        match exchange.due(now_ns) {
            Due::Wait => {}
            Due::Repeat(datagram) => {
                wire.send(self.server, datagram);
            }
            Due::GiveUp => {
                let again = matches!(ask, Ask::Register);
                self.lane.end();
                if again {
                    self.lane.push(Ask::Register);
                }
                self.proceed(wire);
            }
        }
    }

    fn due_ns(&self) -> Option<i64> {
        let renewal_ns = Some(self.renewal_ns).filter(|due_ns| *due_ns < i64::MAX);
        self.lane.due_ns().into_iter().chain(renewal_ns).min()
    }

    fn failed(&mut self, reason: &str) {
        self.stop(Registration::Failed(reason.to_owned()));
    }
}

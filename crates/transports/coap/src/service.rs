//! The server's decisions: resources that publishers replace and observers follow (RFC 7641).
//!
//! Every path is a resource from the first request for it. POST and PUT replace its state and notify all its
//! observers in messages of the request's type: confirmable requests cause confirmable notifications. Limits:
//! clients are remembered as long as the server lives, which is one trial.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

use coap_lite::{CoapOption, MessageClass, MessageType, Packet, RequestType, ResponseType};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::block::{Assembly, Misfit};
use crate::declared::Options;
use crate::duplicates::Sighting;
use crate::endpoint::{Machine, Wire};
use crate::message;
use crate::peer::{Notification, NotificationEnd, Peer, State};
use wiredyno_transport::ServedSink;

/// Critical options (odd numbers; RFC 7252, section 5.4.6) that requests may carry: Uri-Host, Uri-Port, Uri-Path,
/// Uri-Query, Accept, Block2, Block1.
const UNDERSTOOD: [u16; 7] = [3, 7, 11, 15, 17, 23, 27];

/// Observe values have 24 bits (RFC 7641, section 2).
const VERSIONS: u32 = 1 << 24;

struct Resource {
    name: Arc<str>,
    state: State,
    observers: Vec<Observer>,
}

struct Observer {
    peer: SocketAddr,
    token: Vec<u8>,
    blocks: Option<u8>,
    /// Consecutive confirmable notifications that were not acknowledged.
    failures: u32,
}

/// The server without its socket.
pub struct Service {
    options: Options,
    seed: u64,
    sink: Arc<dyn ServedSink>,
    resources: HashMap<String, Resource>,
    peers: HashMap<SocketAddr, Peer>,
}

impl Service {
    /// A server without resources; superseded messages are reported to the sink.
    pub fn new(options: Options, seed: u64, sink: Arc<dyn ServedSink>) -> Self {
        Service { options, seed, sink, resources: HashMap::new(), peers: HashMap::new() }
    }

    /// Notifies all observers that the server ends (RFC 7641, section 4.2: a notification with an error is the
    /// last one).
    pub fn close(&mut self, wire: &mut dyn Wire) {
        for observer in self.resources.values().flat_map(|resource| &resource.observers) {
            if let Some(peer) = self.peers.get_mut(&observer.peer) {
                let (kind, code) = (MessageType::NonConfirmable, ResponseType::ServiceUnavailable);
                let packet = message::response(kind, code, peer.ids.take(), &observer.token);
                wire.send(observer.peer, &message::encode(&packet));
            }
        }
        self.resources.clear();
    }

    fn resource(&mut self, name: &str) -> &mut Resource {
        let new = || Resource {
            name: name.into(),
            state: State { body: Arc::from([]), version: 1 },
            observers: Vec::new(),
        };
        self.resources.entry(name.to_owned()).or_insert_with(new)
    }

    fn peer(&mut self, address: SocketAddr) -> &mut Peer {
        // From the order in which clients appear: their ports differ from trial to trial, whatever the seed.
        let seed = xxh3_64_with_seed(&self.peers.len().to_le_bytes(), self.seed);
        self.peers.entry(address).or_insert_with(|| Peer::new(address, seed))
    }

    /// Whether a request is a copy for which repeating the first one's answer suffices.
    fn is_settled_copy(
        &mut self,
        from: SocketAddr,
        packet: &Packet,
        datagram: &[u8],
        at_ns: i64,
        wire: &mut dyn Wire,
    ) -> bool {
        let confirmable = packet.header.get_type() == MessageType::Confirmable;
        let transmission = &self.options.transmission;
        let lifetime_ns = match confirmable {
            true => transmission.exchange_lifetime_ns(),
            false => transmission.non_lifetime_ns(),
        };
        let id = packet.header.message_id;
        let seen = &mut self.peer(from).duplicates;
        let Sighting::Copy(answer) = seen.note(id, datagram, at_ns, lifetime_ns) else {
            return false;
        };
        match answer {
            Some(answer) if confirmable => {
                wire.send(from, &answer);
                true
            }
            // Requests without effects are processed again (RFC 7252, section 4.5).
            _ => !confirmable || packet.header.code != MessageClass::Request(RequestType::Get),
        }
    }

    fn request(
        &mut self,
        from: SocketAddr,
        packet: &Packet,
        method: RequestType,
        at_ns: i64,
        wire: &mut dyn Wire,
    ) {
        let confirmable = packet.header.get_type() == MessageType::Confirmable;
        let id = packet.header.message_id;
        let (kind, answer_id) = match confirmable {
            true => (MessageType::Acknowledgement, id),
            false => (MessageType::NonConfirmable, self.peer(from).ids.take()),
        };
        let mut answer = message::response(kind, ResponseType::Changed, answer_id, packet.get_token());
        let name = message::resource(packet);
        let unknown = packet.options().any(|(number, _)| number % 2 == 1 && !UNDERSTOOD.contains(number));
        let mut news = None;
        match method {
            _ if unknown => answer.header.code = MessageClass::Response(ResponseType::BadOption),
            RequestType::Get => self.get(from, &name, packet, &mut answer, at_ns),
            RequestType::Post | RequestType::Put => news = self.upload(from, &name, packet, &mut answer),
            _ => answer.header.code = MessageClass::Response(ResponseType::MethodNotAllowed),
        }
        let answer = message::encode(&answer);
        wire.send(from, &answer);
        if confirmable && self.options.deduplicate {
            self.peer(from).duplicates.keep_answer(id, &answer);
        }
        if let Some(body) = news {
            self.replace(&name, body.into(), confirmable, at_ns, wire);
        }
    }

    /// Accepts a body or one block of it; returns the body when it is complete.
    fn upload(
        &mut self,
        from: SocketAddr,
        name: &str,
        packet: &Packet,
        answer: &mut Packet,
    ) -> Option<Vec<u8>> {
        if packet.get_first_option(CoapOption::Block1).is_none() {
            return Some(packet.payload.clone());
        }
        let mut refuse = |code| {
            answer.header.code = MessageClass::Response(code);
            None
        };
        let Some(block) = message::block(packet, CoapOption::Block1) else {
            return refuse(ResponseType::BadOption);
        };
        let upload = &mut self.peer(from).upload;
        if block.number == 0 {
            // A new body replaces an unfinished one (RFC 7959, section 2.5).
            *upload = Some((name.to_owned(), Assembly::default()));
        }
        let Some((_, assembly)) = upload.as_mut().filter(|(of, _)| of == name) else {
            return refuse(ResponseType::RequestEntityIncomplete);
        };
        let complete = match assembly.push(block, &packet.payload) {
            Ok(complete) => complete,
            Err(Misfit::Gap) => return refuse(ResponseType::RequestEntityIncomplete),
            Err(Misfit::Size) => return refuse(ResponseType::RequestEntityTooLarge),
        };
        message::set_uint(answer, CoapOption::Block1, block.value());
        if !complete {
            answer.header.code = MessageClass::Response(ResponseType::Continue);
            return None;
        }
        upload.take().map(|(_, assembly)| assembly.into_body())
    }

    /// Answers with a resource's state, and registers or deregisters an observer.
    fn get(&mut self, from: SocketAddr, name: &str, packet: &Packet, answer: &mut Packet, at_ns: i64) {
        answer.header.code = MessageClass::Response(ResponseType::Content);
        let block = message::block(packet, CoapOption::Block2);
        let options = self.options.clone();
        if let Some(block) = block.filter(|block| block.number > 0) {
            if !self.peer(from).serve_block(name, block, answer, &options, at_ns) {
                self.resource(name).state.describe(answer, Some(block.szx), block.offset_bytes());
            }
            return;
        }
        let blocks = block.map(|block| block.szx);
        // The peer must exist for notifications.
        self.peer(from);
        let resource = self.resource(name);
        let token = packet.get_token();
        let observe = message::uint(packet, CoapOption::Observe);
        if observe.is_some() {
            // Registering again with the same token renews the registration (RFC 7641, section 4.1).
            resource.observers.retain(|observer| (observer.peer, &*observer.token) != (from, token));
        }
        if observe == Some(0) {
            resource.observers.push(Observer { peer: from, token: token.to_vec(), blocks, failures: 0 });
            message::set_uint(answer, CoapOption::Observe, resource.state.version);
        }
        resource.state.describe(answer, blocks, 0);
    }

    fn replace(&mut self, name: &str, body: Arc<[u8]>, confirmable: bool, at_ns: i64, wire: &mut dyn Wire) {
        let resource = self.resource(name);
        let version = (resource.state.version + 1) % VERSIONS;
        resource.state = State { body, version };
        let notifications: Vec<_> = resource
            .observers
            .iter()
            .map(|observer| {
                let notification = Notification {
                    resource: resource.name.clone(),
                    token: observer.token.clone(),
                    state: resource.state.clone(),
                    confirmable,
                    blocks: observer.blocks,
                };
                (observer.peer, notification)
            })
            .collect();
        for (address, notification) in notifications {
            if let Some(peer) = self.peers.get_mut(&address) {
                for skipped in peer.notify(notification, &self.options, at_ns, wire) {
                    self.sink.superseded(&skipped.state.body, at_ns);
                }
            }
        }
    }

    /// Updates an observation after a notification has ended.
    fn judge(&mut self, address: SocketAddr, end: NotificationEnd, at_ns: i64, wire: &mut dyn Wire) {
        let (token, failures) = match end {
            NotificationEnd::Alive(token) => (token, None),
            NotificationEnd::Failed(token) => (token, Some(1)),
            NotificationEnd::Rejected(token) => (token, Some(self.options.failures_until_forgotten)),
        };
        let mut gone = false;
        for resource in self.resources.values_mut() {
            resource.observers.retain_mut(|observer| {
                if (observer.peer, &observer.token) != (address, &token) {
                    return true;
                }
                observer.failures = failures.map_or(0, |more| observer.failures + more);
                let stays = observer.failures < self.options.failures_until_forgotten;
                gone |= !stays;
                stays
            });
        }
        if gone && let Some(peer) = self.peers.get_mut(&address) {
            peer.forget(&token, &self.options, at_ns, wire);
        }
    }

    /// Performs what is due for one client.
    fn tick_peer(&mut self, address: SocketAddr, now_ns: i64, wire: &mut dyn Wire) {
        let Some(peer) = self.peers.get_mut(&address) else {
            return;
        };
        if peer.due_ns().is_some_and(|due_ns| due_ns <= now_ns)
            && let Some(end) = peer.tick(&self.options, now_ns, wire)
        {
            self.judge(address, end, now_ns, wire);
        }
    }
}

impl Machine for Service {
    fn datagram(&mut self, from: SocketAddr, datagram: &[u8], at_ns: i64, wire: &mut dyn Wire) {
        let Some(packet) = message::parse(datagram) else {
            return;
        };
        let id = packet.header.message_id;
        let kind = packet.header.get_type();
        let end = match (kind, packet.header.code) {
            (MessageType::Acknowledgement, _) => {
                let peer = self.peers.get_mut(&from);
                peer.and_then(|peer| peer.acknowledged(id, &self.options, at_ns, wire))
            }
            (MessageType::Reset, _) => self.peers.get_mut(&from).and_then(|peer| peer.rejected(id)),
            (_, MessageClass::Request(method)) => {
                let deduplicate = self.options.deduplicate;
                if !deduplicate || !self.is_settled_copy(from, &packet, datagram, at_ns, wire) {
                    self.request(from, &packet, method, at_ns, wire);
                }
                None
            }
            // A ping, or an unexpected message (RFC 7252, sections 4.2 and 4.3).
            (MessageType::Confirmable, _) => {
                wire.send(from, &message::empty(MessageType::Reset, id));
                None
            }
            (MessageType::NonConfirmable, _) => None,
        };
        if let Some(end) = end {
            self.judge(from, end, at_ns, wire);
        }
        // After the last block of a notification the next one follows at once.
        self.tick_peer(from, at_ns, wire);
    }

    fn tick(&mut self, now_ns: i64, wire: &mut dyn Wire) {
        let addresses: Vec<_> = self.peers.keys().copied().collect();
        for address in addresses {
            self.tick_peer(address, now_ns, wire);
        }
    }

    fn due_ns(&self) -> Option<i64> {
        self.peers.values().filter_map(Peer::due_ns).min()
    }

    fn failed(&mut self, _reason: &str) {}
}

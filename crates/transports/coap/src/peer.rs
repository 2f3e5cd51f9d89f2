//! What the server remembers of one client: message ids, queued messages, uploads and fetches.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;

use coap_lite::{CoapOption, MessageType, Packet, ResponseType};

use crate::block::{Assembly, Block, size_bytes};
use crate::declared::Options;
use crate::duplicates::Duplicates;
use crate::endpoint::Wire;
use crate::exchange::{Draws, Due, Exchange, Lane, MessageIds};
use crate::message;

/// How many of the last non-confirmable notifications are remembered, to identify one that the client resets.
const REMEMBERED: usize = 256;

/// One state of a resource.
#[derive(Clone)]
pub struct State {
    pub body: Arc<[u8]>,
    /// Both Observe value (RFC 7641, section 4.4) and entity tag.
    pub version: u32,
}

impl State {
    /// Fills in a message about this state, with the block that begins at `offset_bytes` if the client uses
    /// blocks.
    pub fn describe(&self, packet: &mut Packet, blocks: Option<u8>, offset_bytes: usize) -> bool {
        let Some(szx) = blocks.filter(|szx| offset_bytes > 0 || self.body.len() > size_bytes(*szx)) else {
            packet.payload = self.body.to_vec();
            return true;
        };
        let (block, range) = Block::at(offset_bytes, self.body.len(), szx);
        // The entity tag tells the client which blocks belong together (RFC 7959, section 2.4).
        message::set_uint(packet, CoapOption::ETag, self.version);
        message::set_uint(packet, CoapOption::Block2, block.value());
        packet.payload = self.body[range].to_vec();
        !block.more
    }
}

/// A resource's new state, to be sent to an observer.
pub struct Notification {
    pub resource: Arc<str>,
    pub token: Vec<u8>,
    pub state: State,
    pub confirmable: bool,
    /// Size exponent, if the observer uses blocks.
    pub blocks: Option<u8>,
}

impl Notification {
    fn in_blocks(&self) -> bool {
        self.blocks.is_some_and(|szx| self.state.body.len() > size_bytes(szx))
    }
}

/// How a notification ended, if the server must act.
pub enum NotificationEnd {
    /// The observer with this token is alive.
    Alive(Vec<u8>),
    /// The observer did not acknowledge in time.
    Failed(Vec<u8>),
    /// The observer has cancelled by a reset.
    Rejected(Vec<u8>),
}

pub struct Peer {
    address: SocketAddr,
    pub duplicates: Duplicates,
    pub ids: MessageIds,
    lane: Lane<Notification>,
    /// A body that arrives in blocks, and its resource.
    pub upload: Option<(String, Assembly)>,
    /// The resource and state that the last notification in blocks announced: its blocks stay the same until
    /// the next.
    announced: Option<(Arc<str>, State)>,
    last: VecDeque<(u16, Vec<u8>)>,
    draws: Draws,
}

impl Peer {
    pub fn new(address: SocketAddr, seed: u64) -> Self {
        let mut draws = Draws::new(seed);
        Peer {
            address,
            duplicates: Duplicates::default(),
            ids: MessageIds::new(&mut draws),
            lane: Lane::default(),
            upload: None,
            announced: None,
            last: VecDeque::new(),
            draws,
        }
    }

    /// Sends a notification, or queues it after those that await an acknowledgement or are being fetched.
    /// Returns queued ones for the same observer that it superseded.
    pub fn notify(
        &mut self,
        notification: Notification,
        options: &Options,
        now_ns: i64,
        wire: &mut dyn Wire,
    ) -> Vec<Notification> {
        if !notification.confirmable && notification.blocks.is_none() {
            self.transmit(notification, options, wire);
            return Vec::new();
        }
        let superseded = match options.supersede {
            true => self.lane.take_out(|waiting| waiting.token == notification.token),
            false => Vec::new(),
        };
        self.lane.push(notification);
        self.proceed(options, now_ns, wire);
        superseded
    }

    /// Sends queued notifications, as far as allowed.
    fn proceed(&mut self, options: &Options, _now_ns: i64, wire: &mut dyn Wire) {
        while let Some(notification) = self.lane.next() {
            self.transmit(notification, options, wire);
        }
    }

    fn transmit(&mut self, notification: Notification, options: &Options, wire: &mut dyn Wire) {
        let transmission = &options.transmission;
        let kind =
            if notification.confirmable { MessageType::Confirmable } else { MessageType::NonConfirmable };
        let id = self.ids.take();
        let mut packet = message::response(kind, ResponseType::Content, id, &notification.token);
        message::set_uint(&mut packet, CoapOption::Observe, notification.state.version);
        notification.state.describe(&mut packet, notification.blocks, 0);
        let in_blocks = notification.in_blocks();
        if in_blocks {
            self.announced = Some((notification.resource.clone(), notification.state.clone()));
        }
        let datagram = message::encode(&packet);
        let sent_ns = wire.send(self.address, &datagram);
        if notification.confirmable {
            let exchange = Exchange::confirmable(id, datagram, sent_ns, transmission, &mut self.draws);
            self.lane.begin(exchange, notification);
            return;
        }
        if self.last.len() == REMEMBERED {
            self.last.pop_front();
        }
        self.last.push_back((id, notification.token.clone()));
        if in_blocks {
            let until_ns = sent_ns + transmission.non_patience_ns;
            self.lane.begin(Exchange::once(id, until_ns), notification);
        }
    }

    /// The client has acknowledged a notification.
    pub fn acknowledged(
        &mut self,
        id: u16,
        options: &Options,
        now_ns: i64,
        wire: &mut dyn Wire,
    ) -> Option<NotificationEnd> {
        let (exchange, notification) = self.lane.with_id(id)?;
        let end = NotificationEnd::Alive(notification.token.clone());
        if notification.in_blocks() {
            exchange.settle(now_ns + options.transmission.max_transmit_wait_ns());
        } else {
            self.lane.end();
            self.proceed(options, now_ns, wire);
        }
        Some(end)
    }

    /// The client has reset a notification (RFC 7641, section 3.6).
    pub fn rejected(&mut self, id: u16) -> Option<NotificationEnd> {
        if let Some((_, notification)) = self.lane.with_id(id) {
            return Some(NotificationEnd::Rejected(notification.token.clone()));
        }
        let (_, token) = self.last.iter().rev().find(|(last, _)| *last == id)?;
        Some(NotificationEnd::Rejected(token.clone()))
    }

    /// Answers a request for a block; `false` if no state of this resource was announced to the client.
    pub fn serve_block(
        &mut self,
        resource: &str,
        block: Block,
        answer: &mut Packet,
        options: &Options,
        now_ns: i64,
    ) -> bool {
        let Some((_, state)) = self.announced.as_ref().filter(|(of, _)| **of == *resource) else {
            return false;
        };
        let version = state.version;
        let last = state.describe(answer, Some(block.szx), block.offset_bytes());
        let under_way = self.lane.under_way();
        if let Some((exchange, notification)) = under_way
            && notification.state.version == version
            && *notification.resource == *resource
        {
            let transmission = &options.transmission;
            let patience_ns = match (last, notification.confirmable) {
                // Due at once: the next notification follows the answer with the last block.
                (true, _) => 0,
                (false, true) => transmission.max_transmit_wait_ns(),
                (false, false) => transmission.non_patience_ns,
            };
            exchange.settle(now_ns + patience_ns);
        }
        true
    }

    /// Retransmits or gives up what is due.
    pub fn tick(&mut self, options: &Options, now_ns: i64, wire: &mut dyn Wire) -> Option<NotificationEnd> {
        let (exchange, notification) = self.lane.under_way()?;
        let failed = match exchange.due(now_ns) {
            Due::Wait => return None,
            Due::Repeat(datagram) => {
                wire.send(self.address, datagram);
                return None;
            }
            Due::GiveUp => notification.confirmable && !exchange.is_settled(),
        };
        let ended = self.lane.end();
        self.proceed(options, now_ns, wire);
        ended.filter(|_| failed).map(|n| NotificationEnd::Failed(n.token))
    }

    /// The observer with this token is gone: discards what was queued for it.
    pub fn forget(&mut self, token: &[u8], options: &Options, now_ns: i64, wire: &mut dyn Wire) {
        self.lane.take_out(|waiting| waiting.token == token);
        if self.lane.under_way().is_some_and(|(_, n)| n.token == token) {
            self.lane.end();
        }
        self.proceed(options, now_ns, wire);
    }

    pub fn due_ns(&self) -> Option<i64> {
        self.lane.due_ns()
    }
}

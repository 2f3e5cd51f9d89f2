//! What the bytes of a flow are for, read from their plain text where packets enter the link, that is in the order in which the
//! sender sent them: a message, its acknowledgement, a sign of life, or the conversation's own set-up.
//!
//! The rule for packets that hold several: each byte of the application layer counts for the frame that it is of, and the
//! headers below it (Ethernet, IP, TCP or UDP) count for the frame that the packet's first new byte is of. Segments without payload
//! are TCP's own: SYN, FIN and RST count as set-up, bare acknowledgements as transport. What was sent before counts as
//! retransmitted, whatever it held, with the headers of its packet. What can't be read counts as unread: a conversation that is
//! encrypted or makes no sense, and a frame's header up to where a packet ends inside of it.

mod amqp;
mod content;
mod kafka;
mod mqtt;
mod quic;
mod records;

use wiredyno_contract::WireFormat;
use wiredyno_model::trial::WireClasses;

use super::passage::Message;
use super::{coap, rtps};
use crate::spec::Direction;

/// What bytes are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Class {
    /// Frames that carry a message.
    Message,
    /// The protocol's acknowledgements, and requests for further messages.
    Acknowledgement,
    /// Signs of life and their answers.
    KeepAlive,
    /// The rest of the conversation: connections, logins, subscriptions, and their ends.
    SetUp,
    /// Can't be read.
    Unread,
}

impl Class {
    /// Counts bytes that are for it.
    pub(super) fn count(self, classes: &mut WireClasses, bytes: u64) {
        *match self {
            Class::Message => &mut classes.message,
            Class::Acknowledgement => &mut classes.acknowledgement,
            Class::KeepAlive => &mut classes.keep_alive,
            Class::SetUp => &mut classes.set_up,
            Class::Unread => &mut classes.unread,
        } += bytes;
    }
}

/// What the beginning of a frame tells.
enum Begun {
    /// So many bytes have to be there to tell, more than were given.
    Needs(usize),
    /// The frame's length with its header, and what it is for.
    Frame(u64, Class),
    /// It is no frame of the format.
    Nonsense,
}

/// The longest beginning of a frame that is looked at: an answer to a fetch up to the length of its first records.
const BEGINNING_LIMIT_BYTES: usize = 512;

/// One direction of a stream.
#[derive(Debug, Default)]
struct Stream {
    /// What has come of a frame of which too little is known yet.
    beginning: Vec<u8>,
    /// Bytes that are left of the present frame, and what they are for.
    left: Option<(u64, Class)>,
    /// It makes no sense.
    lost: bool,
    /// Anything was read.
    begun: bool,
    /// Bytes so far, counted from the SYN.
    position: u64,
    /// When the first byte of the present frame entered.
    begun_ns: u64,
    /// The present frame, where it is looked into.
    frame: Option<Vec<u8>>,
    /// A message that is made of several frames.
    content: content::Content,
}

/// Of bytes that enter: when, and whether the messages that begin in them are to be told.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Seen {
    pub(super) at_ns: u64,
    pub(super) telling: bool,
}

/// A message that has entered in a stream, and where it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) message: Message,
    pub(super) end: u64,
}

/// The longest frame that is looked into for its messages; those in longer ones are not told.
const FRAME_LIMIT_BYTES: u64 = 16 << 20;

/// One flow's conversation.
#[derive(Debug)]
pub(super) struct Conversation {
    format: WireFormat,
    streams: [Stream; 2],
    asked: kafka::Asked,
    /// Which way requests go.
    client: Option<Direction>,
    /// The version of MQTT that the client asked for.
    mqtt_level: Option<u8>,
    shown: Vec<Shown>,
}

impl Conversation {
    pub(super) fn new(format: WireFormat) -> Self {
        Self {
            format,
            streams: Default::default(),
            asked: kafka::Asked::default(),
            client: None,
            mqtt_level: None,
            shown: Vec::new(),
        }
    }

    /// A SYN went this way for the first time: the first of a connection is the client's.
    pub(super) fn opened(&mut self, direction: Direction) {
        if self.client.is_none_or(|client| client == direction) {
            *self = Self { client: Some(direction), ..Self::new(self.format) };
        }
    }

    /// What a datagram, or the first fragment of one, is for.
    pub(super) fn datagram(&self, body: &[u8]) -> Class {
        match self.format {
            WireFormat::Coap => coap::class(body),
            WireFormat::Rtps => rtps::class(body),
            WireFormat::Plain => Class::Message,
            WireFormat::Quic => quic::class(body),
            _ => Class::Unread,
        }
    }

    /// Books new bytes of a stream, the first of which is so many behind the SYN; tells what it is for.
    pub(super) fn stream(
        &mut self,
        (direction, at): (Direction, u64),
        mut bytes: &[u8],
        seen: Seen,
        classes: &mut WireClasses,
    ) -> Class {
        let stream = &mut self.streams[direction.index()];
        // Something was dropped before it came here.
        stream.lost |= stream.begun && stream.position != at;
        stream.position = at;
        let mut first = None;
        while !bytes.is_empty() {
            let (taken, class) = self.piece(direction, bytes, seen);
            class.count(classes, taken as u64);
            first.get_or_insert(class);
            bytes = &bytes[taken..];
            let stream = &mut self.streams[direction.index()];
            stream.position += taken as u64;
            if stream.left.is_none()
                && let Some(frame) = stream.frame.take()
            {
                self.look_into(direction, &frame);
            }
        }
        first.unwrap_or(Class::Unread)
    }

    /// The messages that have entered since this was asked last.
    pub(super) fn shown(&mut self) -> std::vec::Drain<'_, Shown> {
        self.shown.drain(..)
    }

    /// Finds the messages that a whole frame ends.
    fn look_into(&mut self, direction: Direction, frame: &[u8]) {
        let stream = &mut self.streams[direction.index()];
        let (end, entered_ns) = (stream.position, stream.begun_ns);
        let mut show = |body: &[u8], entered_ns| {
            self.shown.push(Shown { message: Message::of(body, entered_ns), end });
        };
        match self.format {
            WireFormat::Plain => show(frame.get(4..).unwrap_or_default(), entered_ns),
            WireFormat::Mqtt if mqtt::is_connect(frame) => self.mqtt_level = mqtt::level(frame),
            WireFormat::Mqtt => {
                mqtt::body(frame, self.mqtt_level).into_iter().for_each(|body| show(body, entered_ns));
            }
            WireFormat::Amqp091 => {
                if let Some((body, entered_ns)) = stream.content.of_0_9_1(frame, entered_ns) {
                    show(&body, entered_ns);
                }
            }
            WireFormat::Amqp10 => {
                if let Some((body, entered_ns)) = stream.content.of_1_0(frame, entered_ns) {
                    show(&body, entered_ns);
                }
            }
            WireFormat::Kafka => records::values(frame, &mut |value| show(value, entered_ns)),
            WireFormat::Coap | WireFormat::Rtps | WireFormat::Quic => {}
        }
    }

    /// How many of the bytes belong together, at least one, and what they are for.
    fn piece(&mut self, direction: Direction, bytes: &[u8], seen: Seen) -> (usize, Class) {
        let stream = &mut self.streams[direction.index()];
        if stream.lost {
            return (bytes.len(), Class::Unread);
        }
        if let Some((left, class)) = stream.left.take() {
            let taken = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
            if let Some(frame) = &mut stream.frame {
                frame.extend_from_slice(&bytes[..taken]);
            }
            stream.left = Some((left - taken as u64, class)).filter(|(left, _)| *left > 0);
            return (taken, class);
        }
        let before = stream.beginning.len();
        if before == 0 {
            stream.begun_ns = seen.at_ns;
        }
        let mut given = bytes.iter();
        loop {
            let is_first = !stream.begun;
            let by_client = self.client == Some(direction);
            let begun = match self.format {
                WireFormat::Mqtt => mqtt::begun(&stream.beginning),
                WireFormat::Amqp091 => amqp::begun_0_9_1(&stream.beginning),
                WireFormat::Amqp10 => amqp::begun_1_0(&stream.beginning),
                WireFormat::Kafka => self.asked.begun(by_client, &stream.beginning),
                WireFormat::Plain => plain(is_first, &stream.beginning),
                WireFormat::Coap | WireFormat::Rtps | WireFormat::Quic => Begun::Nonsense,
            };
            let needed = match begun {
                Begun::Needs(needed) if needed <= BEGINNING_LIMIT_BYTES => needed,
                Begun::Frame(length, class) if length >= stream.beginning.len() as u64 => {
                    stream.begun = true;
                    let left = length - stream.beginning.len() as u64;
                    stream.left = Some((left, class)).filter(|(left, _)| *left > 0);
                    let here = stream.beginning.len() - before;
                    // What version a client speaks is said before anything is measured.
                    let connects = self.format == WireFormat::Mqtt && mqtt::is_connect(&stream.beginning);
                    let told = seen.telling && class == Class::Message;
                    let looked_into = (told || connects) && length <= FRAME_LIMIT_BYTES;
                    stream.frame = looked_into.then(|| stream.beginning.clone());
                    stream.beginning.clear();
                    return (here, class);
                }
                _ => {
                    stream.lost = true;
                    return (bytes.len(), Class::Unread);
                }
            };
            while stream.beginning.len() < needed {
                match given.next() {
                    Some(byte) => stream.beginning.push(*byte),
                    // The packet ends inside of it.
                    None => return (bytes.len(), Class::Unread),
                }
            }
        }
    }
}

/// One byte of greeting, then messages behind their length as four bytes, big-endian.
fn plain(is_first: bool, beginning: &[u8]) -> Begun {
    match (is_first, beginning) {
        (true, []) => Begun::Needs(1),
        (true, _) => Begun::Frame(1, Class::SetUp),
        (false, _) => match be_u32(beginning, 0) {
            Some(length) => Begun::Frame(4 + u64::from(length), Class::Message),
            None => Begun::Needs(4),
        },
    }
}

fn be_u16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn be_u32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests;

/// A batch of Kafka's records with these values.
#[cfg(test)]
pub(super) fn written_records(values: &[&[u8]]) -> Vec<u8> {
    records::tests::written(values, 0)
}

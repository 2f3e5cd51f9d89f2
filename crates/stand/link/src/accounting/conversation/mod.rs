//! The purpose of a flow's bytes, read from their plaintext where packets enter the link, that is in the sender's order: a message,
//! its acknowledgement, a keep-alive, or the conversation's own set-up.
//!
//! The rule for packets that hold several frames: each byte of the application layer counts for its frame, and the headers below
//! (Ethernet, IP, TCP or UDP) count for the frame of the packet's first new byte. Segments without payload are TCP's own: SYN, FIN
//! and RST count as set-up, bare acknowledgements as transport. What was sent before counts as retransmitted, whatever it held,
//! including the headers of its packet. Bytes that can't be read count as unread: an encrypted or unintelligible conversation, and
//! the beginning of a frame header that a packet cuts off.

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

/// What bytes are for; [`Classes`] counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Class {
    /// Frames that carry a message.
    Message,
    /// The protocol's acknowledgements, and requests for further messages.
    Acknowledgement,
    /// Keep-alives and their answers.
    KeepAlive,
    /// The rest of the conversation: connecting, logging in, subscribing, and their ends.
    SetUp,
    /// Encrypted or unintelligible bytes, and incomplete headers.
    Unread,
}

impl Class {
    /// Counts bytes with this purpose.
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

/// What the beginning of a frame reveals.
enum Begun {
    /// This many bytes are needed to decide, more than were given.
    Needs(usize),
    /// The frame's length including its header, and its purpose.
    Frame(u64, Class),
    /// It is not a frame of the format.
    Nonsense,
}

/// The most bytes of a frame's beginning that are examined: an answer to a fetch up to the length of its first records.
const BEGINNING_LIMIT_BYTES: usize = 512;

/// One direction of a TCP connection.
#[derive(Debug, Default)]
struct Stream {
    /// The first bytes of a frame that is still undecided.
    beginning: Vec<u8>,
    /// How many bytes of the present frame remain, and their purpose.
    left: Option<(u64, Class)>,
    /// Whether the stream is unintelligible from here on.
    lost: bool,
    /// Whether any byte has been read.
    begun: bool,
    /// Bytes so far, counted from the SYN.
    position: u64,
    /// When the first byte of the present frame entered.
    begun_ns: u64,
    /// The present frame, if its content is needed.
    frame: Option<Vec<u8>>,
    /// A message that consists of several frames.
    content: content::Content,
}

/// When bytes enter, and whether the messages that begin in them are reported.
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

/// The longest frame that is searched for messages; those in longer frames are not reported.
const FRAME_LIMIT_BYTES: u64 = 16 << 20;

/// The conversation of one flow, in both directions.
#[derive(Debug)]
pub(super) struct Conversation {
    format: WireFormat,
    streams: [Stream; 2],
    asked: kafka::Asked,
    /// The direction in which requests go.
    client: Option<Direction>,
    /// The version of MQTT that the client requested.
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

    /// A SYN went this way for the first time: a connection's first SYN is the client's.
    pub(super) fn opened(&mut self, direction: Direction) {
        if self.client.is_none_or(|client| client == direction) {
            *self = Self { client: Some(direction), ..Self::new(self.format) };
        }
    }

    /// The purpose of a datagram, or of the first fragment of one.
    pub(super) fn datagram(&self, body: &[u8]) -> Class {
        match self.format {
            WireFormat::Coap => coap::class(body),
            WireFormat::Rtps => rtps::class(body),
            WireFormat::Plain => Class::Message,
            WireFormat::Quic => quic::class(body),
            _ => Class::Unread,
        }
    }

    /// Counts new bytes of a stream, whose first byte is at this offset after the SYN; returns the purpose of that byte.
    pub(super) fn stream(
        &mut self,
        (direction, at): (Direction, u64),
        mut bytes: &[u8],
        seen: Seen,
        classes: &mut WireClasses,
    ) -> Class {
        let stream = &mut self.streams[direction.index()];
        // Bytes before these were dropped ahead of the link.
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

    /// Takes the messages that have entered since the last call.
    pub(super) fn shown(&mut self) -> std::vec::Drain<'_, Shown> {
        self.shown.drain(..)
    }

    /// Extracts the messages that end in a complete frame.
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

    /// How many of the bytes belong together, at least one, and their purpose.
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
                    // The client states its version before anything is measured.
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
                    // The packet ends inside the header.
                    None => return (bytes.len(), Class::Unread),
                }
            }
        }
    }
}

/// One byte of greeting, then messages preceded by their length in four bytes, big-endian.
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

/// A batch of Kafka records with these values.
#[cfg(test)]
pub(super) fn written_records(values: &[&[u8]]) -> Vec<u8> {
    records::tests::written(values, 0)
}

//! CoAP retransmissions by message id (RFC 7252, section 4.2), observed where datagrams enter the link, that is in the sender's
//! order. A confirmable message that one end of a flow sends again within EXCHANGE_LIFETIME with the same message id and token is
//! a retransmission. Acknowledgements and resets that are repeated with it are not, nor are non-confirmable messages, which are
//! never retransmitted.
//!
//! Limits: datagrams are read as CoAP only on request, because other protocols' datagrams can look like it. A message id that is
//! reused for another message within its lifetime (above 265 messages a second) is distinguished by the message's bytes, as the
//! endpoints do.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use super::conversation::Class;

/// EXCHANGE_LIFETIME with the default parameters (RFC 7252, section 4.8.2), counted from the last sighting, so that it also covers
/// longer waits between two repeats.
const EXCHANGE_LIFETIME_NS: u64 = 247_000_000_000;

const CONFIRMABLE: u8 = 0;
const HEADER_BYTES: usize = 4;

/// The fixed part of a CoAP message and its token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Message<'a> {
    pub(super) kind: u8,
    pub(super) code: u8,
    pub(super) id: u16,
    pub(super) token: &'a [u8],
}

impl<'a> Message<'a> {
    /// Reads the beginning of a datagram's body (RFC 7252, section 3); `None` unless it is CoAP version 1.
    pub(super) fn read(body: &'a [u8]) -> Option<Self> {
        let [first, code, high, low, rest @ ..] = body else { return None };
        // Token lengths 9 to 15 are reserved.
        let token = rest.get(..usize::from(first & 0x0f)).filter(|token| token.len() <= 8)?;
        let message =
            Message { kind: first >> 4 & 3, code: *code, id: u16::from_be_bytes([*high, *low]), token };
        // An empty message is only a header (section 4.1); classes 1, 6 and 7 are reserved (section 3).
        let sound = match code >> 5 {
            0 => *code != 0 || body.len() == HEADER_BYTES,
            class => (2..=5).contains(&class),
        };
        (first >> 6 == 1 && sound).then_some(message)
    }
}

/// What a message is for. Notifications and their blocks carry a message, as PUT and POST do; requests for a further block, and
/// answers without a body, acknowledge. A ping is an empty confirmable message (section 4.3).
pub(super) fn class(body: &[u8]) -> Class {
    const GET: u8 = 1;
    const DELETE: u8 = 4;
    let Some(message) = Message::read(body) else { return Class::Unread };
    let options = Options::read(body.get(HEADER_BYTES + message.token.len()..).unwrap_or_default());
    match (message.code >> 5, message.code) {
        (0, 0) if message.kind == CONFIRMABLE => Class::KeepAlive,
        (0, 0) => Class::Acknowledgement,
        (0, GET) if options.later_block() => Class::Acknowledgement,
        (0, GET | DELETE) => Class::SetUp,
        (0, _) => Class::Message,
        (2, _) if options.body.is_some() || options.observe => Class::Message,
        _ => Class::Acknowledgement,
    }
}

/// The part of a body that a message holds: all of it, or a block (RFC 7959).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Content<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) block: Option<Block>,
}

/// Which part of a body a block is. Blocks of a request with Block1 belong to the body being sent to its path, answers with Block2
/// to the one that their ETag names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) whose: Vec<u8>,
    pub(super) number: u32,
    pub(super) offset: usize,
    pub(super) is_last: bool,
}

/// The part of a body that a message holds, if [`class`] says that it carries one.
pub(super) fn content(body: &[u8]) -> Option<Content<'_>> {
    let message = Message::read(body)?;
    let options = Options::read(body.get(HEADER_BYTES + message.token.len()..)?);
    let (value, whose) = match message.code >> 5 {
        0 => (options.block1, options.path),
        _ => (options.block2, options.tag),
    };
    let block = value.map(|value| {
        let (number, is_last) = (value >> 4, value & 8 == 0);
        Block { whose, number, offset: (number as usize) << (4 + (value & 7)), is_last }
    });
    let block = block.filter(|block| block.number > 0 || !block.is_last);
    Some(Content { bytes: options.body.unwrap_or_default(), block })
}

/// The relevant options (section 3.1) and what follows them.
#[derive(Debug, Default)]
struct Options<'a> {
    /// Whether Observe is present (RFC 7641).
    observe: bool,
    /// Block1 and Block2 (RFC 7959).
    block1: Option<u32>,
    block2: Option<u32>,
    /// The value of ETag; empty without it.
    tag: Vec<u8>,
    /// The segments of Uri-Path, each after its length.
    path: Vec<u8>,
    /// What follows a payload marker.
    body: Option<&'a [u8]>,
}

impl<'a> Options<'a> {
    /// Reads as many options as can be parsed.
    fn read(mut rest: &'a [u8]) -> Self {
        const ETAG: u32 = 4;
        const OBSERVE: u32 = 6;
        const URI_PATH: u32 = 11;
        const BLOCK2: u32 = 23;
        const BLOCK1: u32 = 27;
        let (mut found, mut number) = (Options::default(), 0_u32);
        while let Some((&first, behind)) = rest.split_first() {
            if first == 0xff {
                found.body = Some(behind);
                break;
            }
            let Some((delta, behind)) = extended(first >> 4, behind) else { break };
            let Some((length, behind)) = extended(first & 0x0f, behind) else { break };
            let Some((value, behind)) = behind.split_at_checked(length as usize) else { break };
            number += delta;
            // A block's number, size and more flag take three bytes at most.
            let block =
                || (length <= 3).then(|| value.iter().fold(0, |all, byte| all << 8 | u32::from(*byte)));
            match number {
                ETAG => found.tag = value.to_vec(),
                OBSERVE => found.observe = true,
                URI_PATH => found.path.extend([&[length as u8], value].concat()),
                BLOCK2 => found.block2 = block(),
                BLOCK1 => found.block1 = block(),
                _ => {}
            }
            rest = behind;
        }
        found
    }

    /// Whether a block other than the first is requested.
    fn later_block(&self) -> bool {
        self.block2.is_some_and(|value| value >> 4 > 0)
    }
}

/// An option's delta or length, which may continue after its nibble.
fn extended(nibble: u8, rest: &[u8]) -> Option<(u32, &[u8])> {
    match nibble {
        13 => rest.split_first().map(|(more, rest)| (u32::from(*more) + 13, rest)),
        14 => rest.split_first_chunk().map(|(more, rest)| (u32::from(u16::from_be_bytes(*more)) + 269, rest)),
        15 => None,
        short => Some((u32::from(short), rest)),
    }
}

/// The message ids that one end of a flow has sent.
#[derive(Debug, Default)]
pub(super) struct IdWatch {
    seen: HashMap<u16, Seen>,
}

#[derive(Debug)]
struct Seen {
    /// Digest of the token and the body.
    digest: u64,
    last_ns: u64,
}

impl IdWatch {
    /// Whether a datagram's body (for a fragmented one, the content of its first fragment) was sent before.
    pub(super) fn is_resent(&mut self, body: &[u8], at_ns: u64) -> bool {
        let Some(message) = Message::read(body).filter(|message| message.kind == CONFIRMABLE) else {
            return false;
        };
        let mut hasher = DefaultHasher::new();
        hasher.write(message.token);
        hasher.write(body);
        let now = Seen { digest: hasher.finish(), last_ns: at_ns };
        let digest = now.digest;
        self.seen.insert(message.id, now).is_some_and(|before| {
            before.digest == digest && at_ns.saturating_sub(before.last_ns) < EXCHANGE_LIFETIME_NS
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    fn message(first: u8, code: u8, id: u16, rest: &[u8]) -> Vec<u8> {
        [&[first, code][..], &id.to_be_bytes(), rest].concat()
    }

    #[test]
    fn the_header_is_that_of_rfc_7252() {
        // Version 1, CON, four bytes of token; 0.02; id; token; an option and a body.
        let post = message(0x44, 0x02, 0x1234, b"\xde\xad\xbe\xef\xb1a\xffxy");
        let expected = Message { kind: 0, code: 2, id: 0x1234, token: b"\xde\xad\xbe\xef" };
        assert_eq!(Message::read(&post), Some(expected));
        let reset = message(0x70, 0, 7, b"");
        assert_eq!(Message::read(&reset).map(|reset| (reset.kind, reset.id)), Some((3, 7)));
    }

    #[test]
    fn what_is_no_coap_is_not_read() {
        for (body, why) in [
            (message(0x84, 2, 1, b"abcd"), "version 2"),
            (message(0x49, 2, 1, b"123456789"), "a token of nine bytes"),
            (message(0x44, 2, 1, b"abc"), "a token that is cut off"),
            (message(0x40, 0, 1, b"x"), "an empty message followed by something"),
            (message(0x40, 0x20, 1, b""), "class 1"),
            (message(0x40, 0xe0, 1, b""), "class 7"),
            (b"\x40\x01\x00".to_vec(), "a header that is cut off"),
            (Vec::new(), "nothing"),
        ] {
            assert_eq!(Message::read(&body), None, "{why}");
        }
    }

    #[test]
    fn blocks_say_which_part_of_which_body_they_are() {
        let put = |block: &[u8]| message(0x44, 3, 1, &[b"tokn\xb1a\x01b", block, b"\xffxy"].concat());
        let block = |number, offset, is_last| {
            let block = Block { whose: b"\x01a\x01b".to_vec(), number, offset, is_last };
            Some(Content { bytes: b"xy", block: Some(block) })
        };
        let whole = Some(Content { bytes: b"xy", block: None });
        assert_eq!(content(&put(b"")), whole);
        assert_eq!(content(&put(b"\xd1\x03\x0e")), block(0, 0, false), "of 1,024 bytes, with more");
        assert_eq!(content(&put(b"\xd1\x03\x16")), block(1, 1_024, true));
        assert_eq!(content(&put(b"\xd2\x03\x01\x0a")), block(16, 1_024, false), "of 64 bytes");
        assert_eq!(content(&put(b"\xd1\x03\x06")), whole, "the only block");
        let answer = content(b"\x64\x45\0\x01tokn\x41E\xd1\x06\x16\xffxy");
        let of_tag = Block { whose: b"E".to_vec(), number: 1, offset: 1_024, is_last: true };
        assert_eq!(answer, Some(Content { bytes: b"xy", block: Some(of_tag) }));
    }

    #[test]
    fn the_same_confirmable_message_again_is_a_retransmission() {
        let mut watch = IdWatch::default();
        let con = |id, token: &[u8]| message(0x44, 0x45, id, token);
        assert!(!watch.is_resent(&con(1, b"aaaa"), 0));
        assert!(!watch.is_resent(&con(2, b"aaaa"), 0));
        assert!(watch.is_resent(&con(1, b"aaaa"), 2 * SECOND_NS));
        assert!(watch.is_resent(&con(1, b"aaaa"), 6 * SECOND_NS));
        assert!(!watch.is_resent(&con(1, b"bbbb"), 7 * SECOND_NS), "another token");
        assert!(!watch.is_resent(&con(1, b"bbbbx"), 8 * SECOND_NS), "an id used again too early");
        assert!(watch.is_resent(&con(1, b"bbbbx"), 9 * SECOND_NS));
        assert!(!watch.is_resent(&con(1, b"bbbbx"), 256 * SECOND_NS), "its lifetime has ended");
        let ping = message(0x40, 0, 9, b"");
        assert!(!watch.is_resent(&ping, 0) && watch.is_resent(&ping, 1));
    }

    #[test]
    fn acknowledgements_resets_and_non_confirmable_messages_are_never_retransmissions() {
        for first in [0x54, 0x64, 0x74] {
            let mut watch = IdWatch::default();
            let body = message(first, 0x44, 1, b"aaaa");
            assert!(!watch.is_resent(&body, 0) && !watch.is_resent(&body, 1), "{first:#x}");
        }
    }
}

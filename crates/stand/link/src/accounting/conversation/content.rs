//! Messages of AMQP 0-9-1 and AMQP 1.0, each of which may take several frames, assembled from the frames of one direction of a
//! connection. Messages with interleaved frames are not reported.

use super::amqp::PROTOCOL_HEADER_BYTES;
use super::{be_u16, be_u32};

#[derive(Debug, Default)]
pub(super) struct Content {
    under_way: Option<UnderWay>,
}

#[derive(Debug)]
struct UnderWay {
    channel: u16,
    begun_ns: u64,
    /// For AMQP 0-9-1, its length, once its header has arrived.
    length: Option<u64>,
    bytes: Vec<u8>,
}

impl UnderWay {
    fn new(channel: u16, begun_ns: u64) -> Self {
        UnderWay { channel, begun_ns, length: None, bytes: Vec::new() }
    }
}

/// A body, and when the first frame of its message began to enter.
type Whole = (Vec<u8>, u64);

impl Content {
    /// Takes a frame of AMQP 0-9-1: a method with content, a content header or a part of its body (specification, section 4.2.6).
    pub(super) fn of_0_9_1(&mut self, frame: &[u8], entered_ns: u64) -> Option<Whole> {
        const METHOD: u8 = 1;
        const HEADER: u8 = 2;
        const PAYLOAD_AT: usize = 7;
        let channel = be_u16(frame, 1)?;
        // The last octet ends the frame.
        let payload = frame.get(PAYLOAD_AT..frame.len().checked_sub(1)?)?;
        if frame[0] == METHOD {
            self.under_way = Some(UnderWay::new(channel, entered_ns));
            return None;
        }
        let content = self.under_way.as_mut().filter(|content| content.channel == channel)?;
        if frame[0] == HEADER {
            // Class and weight come first.
            content.length = Some(u64::from(be_u32(payload, 4)?) << 32 | u64::from(be_u32(payload, 8)?));
        } else {
            content.bytes.extend_from_slice(payload);
        }
        let is_whole = content.length == Some(content.bytes.len() as u64);
        self.under_way.take_if(|_| is_whole).map(|content| (content.bytes, content.begun_ns))
    }

    /// Takes a frame of AMQP 1.0 that holds a transfer (part 2, section 2.7.5).
    pub(super) fn of_1_0(&mut self, frame: &[u8], entered_ns: u64) -> Option<Whole> {
        const DESCRIPTOR: usize = 3;
        const MORE: usize = 5;
        let channel = be_u16(frame, PROTOCOL_HEADER_BYTES - 2)?;
        let performative = frame.get(usize::from(*frame.get(4)?) * 4..)?;
        let (fields, payload) = performative.get(DESCRIPTOR..).and_then(value)?;
        let more = elements(fields)?.nth(MORE).is_some_and(|field| matches!(field, [0x41] | [0x56, 1]));
        let before = self.under_way.take().filter(|before| before.channel == channel);
        let mut content = before.unwrap_or_else(|| UnderWay::new(channel, entered_ns));
        content.bytes.extend_from_slice(payload);
        if more {
            self.under_way = Some(content);
            return None;
        }
        Some((data(&content.bytes)?, content.begun_ns))
    }
}

/// A message's data, from its sections (part 3, section 3.2): all of `data`, or the bytes of `amqp-value`.
fn data(mut sections: &[u8]) -> Option<Vec<u8>> {
    const DATA: u8 = 0x75;
    const AMQP_VALUE: u8 = 0x77;
    let (mut found, mut any) = (Vec::new(), false);
    while !sections.is_empty() {
        let (descriptor, rest) = value(sections.strip_prefix(&[0])?)?;
        let (section, rest) = value(rest)?;
        if matches!(descriptor.last(), Some(&(DATA | AMQP_VALUE))) {
            found.extend_from_slice(match section {
                [0xa0, _, bytes @ ..] | [0xb0, _, _, _, _, bytes @ ..] => bytes,
                _ => return None,
            });
            any = true;
        }
        sections = rest;
    }
    any.then_some(found)
}

/// A value of a primitive type and the bytes after it: the upper half of its code determines its length (part 1, section 1.2).
fn value(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (code, rest) = bytes.split_first()?;
    let length = match code >> 4 {
        0x4 => 0,
        width @ 0x5..=0x9 => 1 << (width - 5),
        0xa | 0xc | 0xe => 1 + usize::from(*rest.first()?),
        0xb | 0xd | 0xf => 4 + be_u32(rest, 0)? as usize,
        _ => return None,
    };
    bytes.split_at_checked(1 + length)
}

/// The elements of a list, as far as they can be parsed.
fn elements(list: &[u8]) -> Option<impl Iterator<Item = &[u8]>> {
    let mut rest = match list {
        [0x45] => &[],
        [0xc0, _, _, elements @ ..] | [0xd0, _, _, _, _, _, _, _, _, elements @ ..] => elements,
        _ => return None,
    };
    Some(std::iter::from_fn(move || {
        let (element, behind) = value(rest)?;
        rest = behind;
        Some(element)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_of_several_frames_of_amqp_0_9_1_is_put_together() {
        let frame = |kind: u8, channel: u8, payload: &[u8]| {
            [&[kind, 0, channel][..], &(payload.len() as u32).to_be_bytes(), payload, &[0xce]].concat()
        };
        let header =
            |length: u64| frame(2, 1, &[&[0, 60, 0, 0][..], &length.to_be_bytes(), &[0, 0]].concat());
        let mut content = Content::default();
        assert_eq!(content.of_0_9_1(&frame(3, 1, b"left"), 1), None, "its beginning was not seen");
        for (frame, at_ns) in [(frame(1, 1, b"\0\x3c\0\x28"), 2), (header(5), 3), (frame(3, 1, b"abc"), 4)] {
            assert_eq!(content.of_0_9_1(&frame, at_ns), None);
        }
        assert_eq!(content.of_0_9_1(&frame(3, 2, b"xy"), 5), None, "another channel");
        assert_eq!(content.of_0_9_1(&frame(3, 1, b"de"), 6), Some((b"abcde".to_vec(), 2)));
        content.of_0_9_1(&frame(1, 1, b"\0\x3c\0\x28"), 7);
        assert_eq!(
            content.of_0_9_1(&header(0), 8),
            Some((Vec::new(), 7)),
            "an empty one has no part of a body"
        );
    }

    fn transfer(more: bool, payload: &[u8]) -> Vec<u8> {
        let fields = [0x43, 0x52, 7, 0xa0, 1, 9, 0x43, 0x42, if more { 0x41 } else { 0x42 }];
        let list = [&[0xc0, fields.len() as u8 + 1, 6][..], &fields].concat();
        let body = [&[0, 0x53, 0x14][..], &list, payload].concat();
        [&(body.len() as u32 + 8).to_be_bytes()[..], &[2, 0, 0, 0], &body].concat()
    }

    #[test]
    fn a_message_of_several_transfers_of_amqp_1_0_is_put_together() {
        let sections = [&[0, 0x53, 0x70, 0xc0, 2, 1, 0x42][..], &[0, 0x53, 0x75, 0xa0, 4], b"abcd"].concat();
        let mut content = Content::default();
        assert_eq!(content.of_1_0(&transfer(false, &sections), 1), Some((b"abcd".to_vec(), 1)));
        for (begin, more) in [(0, true), (3, true), (9, false)] {
            let end = if more { begin + if begin == 0 { 3 } else { 6 } } else { sections.len() };
            let told = content.of_1_0(&transfer(more, &sections[begin..end]), 2 + begin as u64);
            assert_eq!(told, (!more).then(|| (b"abcd".to_vec(), 2)));
        }
        for length in 0..sections.len() {
            assert_eq!(content.of_1_0(&transfer(false, &sections[..length]), 1), None);
        }
    }
}

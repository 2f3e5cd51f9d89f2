//! Follows what a client writes, to detect when the last byte of a message has left.
//!
//! It follows frames by their sizes and examines the beginning of each: for a transfer it needs to know whether more
//! transfers of the same delivery follow (AMQP 1.0, part 2, sections 2.3 and 2.7.5).
//!
//! Limits: its input was written by our own client. Anything that it can't parse does not end a message.

/// Bytes of a frame that are examined: up to the field `more` of a transfer, including the longest delivery tag (32 bytes,
/// part 2, section 2.8.7).
const HEAD_BYTES: usize = 96;

/// Bytes of a protocol header, which is not a frame (part 2, section 2.2): "AMQP" and four more.
const PROTOCOL_HEADER: &[u8] = b"AMQP";
pub const PROTOCOL_HEADER_BYTES: usize = 8;

/// Descriptor of a transfer (part 2, section 2.7.5), in the short form that every encoder may use.
const TRANSFER: [u8; 3] = [0x00, 0x53, 0x14];

/// Index of the field `more` in a transfer, from 0.
const MORE: usize = 5;

/// The position in a stream of frames.
pub struct Frames {
    head: [u8; HEAD_BYTES],
    /// Bytes of the frame so far.
    seen: usize,
}

impl Frames {
    /// Starts at the beginning of a connection.
    pub fn new() -> Self {
        Frames { head: [0; HEAD_BYTES], seen: 0 }
    }

    /// Follows these bytes; returns how many messages end in them.
    pub fn ended(&mut self, mut bytes: &[u8]) -> usize {
        let mut ended = 0;
        while !bytes.is_empty() {
            // The size is known from the fourth byte on; until then it is read byte by byte.
            let wanted = if self.seen < 4 { 1 } else { self.size().saturating_sub(self.seen).max(1) };
            let (part, rest) = bytes.split_at(wanted.min(bytes.len()));
            if let Some(room) = self.head.get_mut(self.seen..) {
                let kept = room.len().min(part.len());
                room[..kept].copy_from_slice(&part[..kept]);
            }
            self.seen += part.len();
            bytes = rest;
            if self.seen >= 4 && self.seen >= self.size() {
                ended += usize::from(self.ends_message());
                self.seen = 0;
            }
        }
        ended
    }

    fn size(&self) -> usize {
        let size = [self.head[0], self.head[1], self.head[2], self.head[3]];
        if size == PROTOCOL_HEADER { PROTOCOL_HEADER_BYTES } else { u32::from_be_bytes(size) as usize }
    }

    fn ends_message(&self) -> bool {
        let head = &self.head[..self.seen.min(HEAD_BYTES)];
        // The fifth byte states, in four-byte words, where the body begins.
        let body = head.get(4).and_then(|offset| head.get(usize::from(*offset) * 4..));
        body.and_then(|body| body.strip_prefix(&TRANSFER)).is_some_and(|list| more(list) == Some(false))
    }
}

/// The field `more` of a transfer's list; false if absent.
fn more(list: &[u8]) -> Option<bool> {
    let (count, mut fields) = match list {
        [0x45, ..] => (0, &list[1..]),
        [0xc0, _, count, fields @ ..] => (usize::from(*count), fields),
        [0xd0, _, _, _, _, a, b, c, d, fields @ ..] => {
            (u32::from_be_bytes([*a, *b, *c, *d]) as usize, fields)
        }
        _ => return None,
    };
    if count <= MORE {
        return Some(false);
    }
    for _ in 0..MORE {
        fields = skip(fields)?;
    }
    match fields {
        [0x40 | 0x42, ..] | [0x56, 0, ..] => Some(false),
        [0x41, ..] | [0x56, 1, ..] => Some(true),
        _ => None,
    }
}

/// What follows a value of a primitive type: the upper half of its code determines its length (part 1, section 1.2).
fn skip(fields: &[u8]) -> Option<&[u8]> {
    let (code, value) = fields.split_first()?;
    let bytes = match code >> 4 {
        0x4 => 0,
        width @ 0x5..=0x9 => 1 << (width - 5),
        0xa | 0xc | 0xe => 1 + usize::from(*value.first()?),
        0xb | 0xd | 0xf => 4 + u32::from_be_bytes(value.get(..4)?.try_into().ok()?) as usize,
        _ => return None,
    };
    value.get(bytes..)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame as in section 2.3, of type AMQP on channel 0.
    fn frame(body: &[u8]) -> Vec<u8> {
        let size = (body.len() as u32 + 8).to_be_bytes();
        [&size[..], &[2, 0, 0, 0], body].concat()
    }

    /// A transfer with these fields, and a payload of this many bytes.
    fn transfer(fields: &[&[u8]], payload: usize) -> Vec<u8> {
        let values = fields.concat();
        let list = [0xc0, values.len() as u8 + 1, fields.len() as u8];
        frame(&[&TRANSFER[..], &list, &values, &vec![0x14; payload]].concat())
    }

    const HANDLE: &[u8] = &[0x43];
    const ID: &[u8] = &[0x70, 0, 0, 1, 2];
    const TAG: &[u8] = &[0xa0, 4, 1, 2, 3, 4];
    const NONE: &[u8] = &[0x40];

    #[test]
    fn a_message_ends_with_its_last_transfer() {
        let table: [(&[&[u8]], usize); 7] = [
            (&[HANDLE, ID, TAG, HANDLE, &[0x41], &[0x42]], 1),
            (&[HANDLE, ID, TAG, HANDLE, &[0x41], &[0x41]], 0),
            (&[HANDLE, ID, TAG, &[0x52, 0], &[0x42], &[0x56, 1]], 0),
            (&[HANDLE, ID, TAG, NONE, NONE, &[0x56, 0]], 1),
            (&[HANDLE, NONE, NONE, NONE, NONE, NONE], 1),
            (&[HANDLE, ID, TAG], 1),
            (&[HANDLE, ID, &[0xa0, 200], HANDLE, &[0x41], &[0x42]], 0),
        ];
        for (fields, expected) in table {
            assert_eq!(Frames::new().ended(&transfer(fields, 1_000)), expected, "{fields:02x?}");
        }
    }

    #[test]
    fn it_does_not_matter_how_the_bytes_are_cut() {
        let whole = [
            PROTOCOL_HEADER.to_vec(),
            vec![3, 1, 0, 0],
            frame(&[0x00, 0x53, 0x41, 0x45]),
            PROTOCOL_HEADER.to_vec(),
            vec![0, 1, 0, 0],
            frame(&[0x00, 0x53, 0x10, 0x45]),
            // An empty frame, such as a heartbeat.
            frame(&[]),
            transfer(&[HANDLE, ID, TAG, HANDLE, &[0x41], &[0x42]], 0),
            transfer(&[HANDLE, ID, TAG, HANDLE, &[0x41], &[0x41]], 5_000),
            transfer(&[HANDLE, NONE, NONE, NONE, NONE, &[0x41]], 5_000),
            transfer(&[HANDLE, NONE, NONE, NONE, NONE, &[0x42]], 1),
            frame(&[0x00, 0x53, 0x15, 0x45]),
            transfer(&[HANDLE, ID, TAG, HANDLE, &[0x41], &[0x42]], 70),
        ]
        .concat();
        for cut in [1, 2, 3, 5, 7, 8, 64, 1_000, whole.len()] {
            let mut frames = Frames::new();
            let ends: Vec<usize> = whole.chunks(cut).map(|part| frames.ended(part)).collect();
            assert_eq!(ends.iter().sum::<usize>(), 3, "cut into {cut} bytes");
            assert!(ends.last() >= Some(&1), "cut into {cut} bytes: the last byte ends the last message");
        }
    }
}

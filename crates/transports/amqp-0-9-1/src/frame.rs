//! Follows a stream of frames (AMQP 0-9-1, section 4.2.3): type, channel, size, payload, end. Nothing is copied except the
//! first bytes of each frame, which identify it.
//!
//! Limits: nothing is checked, as the library and the broker do that; bytes that are not frames are misread.

/// Bytes of type, channel and size.
const HEADER_BYTES: usize = 7;

/// How much of a payload is kept: enough for a complete basic.ack.
const KEPT_BYTES: usize = 13;

/// Bytes that a client sends before its first frame (section 4.2.2).
pub const PROTOCOL_HEADER_BYTES: usize = 8;

/// The frame types that matter here (section 4.2.3).
const METHOD: u8 = 1;
const CONTENT_HEADER: u8 = 2;
const CONTENT_BODY: u8 = 3;

/// A frame that has passed completely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame {
    /// A method: class and method numbers, and the first bytes of its arguments, padded with zeros (section 4.2.4).
    Method([u16; 2], [u8; 9]),
    /// The header of a content with a body of this many bytes (section 4.2.6).
    ContentHeader(u64),
    /// This many bytes of a content's body.
    ContentBody(u32),
    /// Any other frame, such as a heartbeat.
    Other,
}

/// The position in a stream of frames.
pub struct Reader {
    /// Bytes before the first frame that are still to come.
    skipped: usize,
    /// The first bytes of the current frame.
    head: [u8; HEADER_BYTES + KEPT_BYTES],
    /// How many bytes of the frame have passed.
    seen: u64,
    /// Its length, as far as known.
    whole: u64,
}

impl Reader {
    /// Starts at the beginning of a stream whose first `bytes` bytes are not frames.
    pub fn behind(bytes: usize) -> Reader {
        Reader { skipped: bytes, head: [0; HEADER_BYTES + KEPT_BYTES], seen: 0, whole: HEADER_BYTES as u64 }
    }

    /// Continues with these bytes, and reports every frame that ends in them.
    pub fn read(&mut self, mut bytes: &[u8], mut tell: impl FnMut(Frame)) {
        let skipped = self.skipped.min(bytes.len());
        self.skipped -= skipped;
        bytes = &bytes[skipped..];
        while !bytes.is_empty() {
            let wanted = usize::try_from(self.whole - self.seen).unwrap_or(usize::MAX);
            let (taken, rest) = bytes.split_at(wanted.min(bytes.len()));
            let from = usize::try_from(self.seen).unwrap_or(usize::MAX);
            if let Some(room) = self.head.get_mut(from..) {
                let kept = taken.len().min(room.len());
                room[..kept].copy_from_slice(&taken[..kept]);
            }
            self.seen += taken.len() as u64;
            bytes = rest;
            if self.seen < self.whole {
                break;
            }
            if self.whole == HEADER_BYTES as u64 {
                // The payload, and the octet that ends the frame.
                self.whole += u64::from(self.size()) + 1;
                continue;
            }
            tell(self.frame());
            *self = Reader::behind(0);
        }
    }

    fn size(&self) -> u32 {
        u32::from_be_bytes(self.part(3))
    }

    fn part<const N: usize>(&self, from: usize) -> [u8; N] {
        let mut part = [0; N];
        part.copy_from_slice(&self.head[from..from + N]);
        part
    }

    fn frame(&self) -> Frame {
        let short = |from| u16::from_be_bytes(self.part(from));
        match self.head[0] {
            METHOD => {
                let mut arguments: [u8; 9] = self.part(HEADER_BYTES + 4);
                // Without the octet at its end.
                let has = (self.size() as usize).saturating_sub(4).min(arguments.len());
                arguments[has..].fill(0);
                Frame::Method([short(HEADER_BYTES), short(HEADER_BYTES + 2)], arguments)
            }
            CONTENT_HEADER => Frame::ContentHeader(u64::from_be_bytes(self.part(HEADER_BYTES + 4))),
            CONTENT_BODY => Frame::ContentBody(self.size()),
            _ => Frame::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
        let mut bytes = vec![kind, 0, 1];
        bytes.extend((payload.len() as u32).to_be_bytes());
        bytes.extend(payload);
        bytes.push(0xce);
        bytes
    }

    fn method(class: u16, method: u16, arguments: &[u8]) -> Vec<u8> {
        frame(METHOD, &[&class.to_be_bytes()[..], &method.to_be_bytes(), arguments].concat())
    }

    fn header(body_bytes: u64) -> Vec<u8> {
        frame(CONTENT_HEADER, &[&[0, 60, 0, 0][..], &body_bytes.to_be_bytes(), &[0, 0]].concat())
    }

    #[test]
    fn frames_are_told_whichever_way_the_stream_is_cut() {
        let ack = [0, 0, 0, 0, 0, 0, 1, 2, 1];
        let stream = [
            b"AMQP\x00\x00\x09\x01".to_vec(),
            method(60, 40, &[0, 0, 3, b'a', b'b', b'c', 1, b'k', 0, 7, 7, 7]),
            header(300),
            frame(CONTENT_BODY, &[9; 300]),
            frame(8, &[]),
            header(0),
            method(60, 80, &ack),
            method(20, 11, &[]),
        ]
        .concat();
        let expected = [
            Frame::Method([60, 40], [0, 0, 3, b'a', b'b', b'c', 1, b'k', 0]),
            Frame::ContentHeader(300),
            Frame::ContentBody(300),
            Frame::Other,
            Frame::ContentHeader(0),
            Frame::Method([60, 80], ack),
            Frame::Method([20, 11], [0; 9]),
        ];
        for piece in [1, 2, 3, 7, 8, 20, 64, stream.len()] {
            let mut reader = Reader::behind(PROTOCOL_HEADER_BYTES);
            let mut told = Vec::new();
            for bytes in stream.chunks(piece) {
                reader.read(bytes, |frame| told.push(frame));
            }
            assert_eq!(told, expected, "in pieces of {piece}");
        }
    }

    #[test]
    fn a_frame_is_told_with_its_last_byte_and_not_before() {
        let bytes = method(60, 80, &[0; 9]);
        let mut reader = Reader::behind(0);
        let mut told = 0;
        reader.read(&bytes[..bytes.len() - 1], |_| told += 1);
        reader.read(&[], |_| told += 1);
        assert_eq!(told, 0);
        reader.read(&bytes[bytes.len() - 1..], |_| told = 10);
        assert_eq!(told, 10);
    }

    #[test]
    fn what_is_no_frame_does_no_harm() {
        let mut reader = Reader::behind(0);
        for byte in 0..=u8::MAX {
            reader.read(&[byte; 300], |_| {});
        }
    }
}

//! Follows what a broker sends before it has admitted a client (AMQP 1.0, part 5, section 5.3): if it rejects the client
//! silently, its progress shows what it rejected.
//!
//! Limits: bytes that are not SASL of AMQP 1.0 leave the stage unchanged.

use crate::frame::PROTOCOL_HEADER_BYTES;

/// How far a broker has come with a login.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Stage {
    /// It has not listed its login mechanisms.
    #[default]
    Silent,
    /// It has listed them, which a client answers with its login, and sent nothing more.
    Asked,
    /// It has answered the login.
    Answered,
}

/// The last byte of the descriptors of sasl-mechanisms and sasl-outcome (sections 5.3.3.1 and 5.3.3.6).
const MECHANISMS: u8 = 0x40;
const OUTCOME: u8 = 0x44;

/// The type of frames of this layer, and the shortest (section 5.3.1; part 2, section 2.3.1).
const SASL_FRAME: u8 = 1;
const FRAME_HEADER_BYTES: usize = 8;

/// A longer greeting is not valid.
const MOST_BYTES: usize = 64 << 10;

/// Follows the beginning of a stream.
#[derive(Debug, Default)]
pub struct Greeting {
    stage: Stage,
    said: Vec<u8>,
}

impl Greeting {
    /// Follows these bytes; returns how far the broker has come.
    pub fn read(&mut self, bytes: &[u8]) -> Stage {
        if self.stage == Stage::Answered || self.said.len() > MOST_BYTES {
            return self.stage;
        }
        self.said.extend_from_slice(bytes);
        let mut rest = self.said.get(PROTOCOL_HEADER_BYTES..).unwrap_or_default();
        while let Some((frame, next)) = frame(rest) {
            rest = next;
            self.stage = self.stage.max(stage(frame));
        }
        if self.stage == Stage::Answered {
            self.said = Vec::new();
        }
        self.stage
    }
}

/// The first frame of these bytes, if it is complete.
fn frame(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (size, _) = bytes.split_first_chunk()?;
    let size = usize::try_from(u32::from_be_bytes(*size)).ok()?;
    bytes.split_at_checked(size).filter(|(frame, _)| frame.len() >= FRAME_HEADER_BYTES)
}

fn stage(frame: &[u8]) -> Stage {
    let [.., words, kind, _, _] = frame[..FRAME_HEADER_BYTES] else { return Stage::Silent };
    // The body begins after this many words of four bytes.
    match frame.get(usize::from(words) * 4..) {
        Some([0x00, 0x53, MECHANISMS, ..]) if kind == SASL_FRAME => Stage::Asked,
        Some([0x00, 0x53, OUTCOME, ..]) if kind == SASL_FRAME => Stage::Answered,
        _ => Stage::Silent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Qpid sends: its header, PLAIN among the mechanisms, and then that the login is wrong.
    const SAID: [&[u8]; 3] = [
        b"AMQP\x03\x01\x00\x00",
        b"\x00\x00\x00\x1b\x02\x01\x00\x00\x00\x53\x40\xc0\x0e\x01\xe0\x0b\x01\xb3\x00\x00\x00\x05PLAIN",
        b"\x00\x00\x00\x10\x02\x01\x00\x00\x00\x53\x44\xc0\x03\x01\x50\x01",
    ];

    #[test]
    fn stages_are_seen_however_the_bytes_come() {
        let stages = [Stage::Silent, Stage::Asked, Stage::Answered];
        let mut whole = Greeting::default();
        for (bytes, expected) in SAID.into_iter().zip(stages) {
            assert_eq!(whole.read(bytes), expected);
        }
        let mut single = Greeting::default();
        for (bytes, expected) in SAID.into_iter().zip(stages) {
            let last = bytes.iter().map(|byte| single.read(&[*byte])).last();
            assert_eq!(last, Some(expected));
        }
    }

    #[test]
    fn what_is_no_login_stays_silent() {
        let mut other = Greeting::default();
        assert_eq!(other.read(b"HTTP/1.1 400 Bad Request\r\n\r\n"), Stage::Silent);
        let mut empty = Greeting::default();
        assert_eq!(empty.read(b"AMQP\x03\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), Stage::Silent);
    }
}

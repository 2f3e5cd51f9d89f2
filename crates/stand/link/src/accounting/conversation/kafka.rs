//! Kafka's requests and responses (protocol guide): size, then for a request its key, version and correlation id, for a response only the
//! id, so a response is classified by its request.
//!
//! A Fetch request asks for further messages and states by its offset which have arrived: it counts as acknowledgement. Its answer counts
//! as message if any of its partitions has records, and as keep-alive if none arrived within the wait. Answers of an unknown version count
//! as message, and so do those whose first ten partitions or so have none.

use std::collections::VecDeque;

use super::{Begun, Class, be_u16, be_u32};

const PRODUCE: u16 = 0;
const FETCH: u16 = 1;
const OFFSET_COMMIT: u16 = 8;
const HEARTBEAT: u16 = 12;

/// The protocol guide's keys end below this, and brokers accept no larger requests unless configured to (`socket.request.max.bytes`): this
/// excludes TLS and text.
const KEYS_END: u16 = 100;
const LARGEST_BYTES: u32 = 100 << 20;

/// Most unanswered requests that are kept: those of a producer that wants no answer stay forever.
const KEPT: usize = 64;

/// A request, kept in the order of sending.
#[derive(Debug, Clone, Copy)]
struct Request {
    correlation: u32,
    key: u16,
    version: u16,
}

#[derive(Debug, Default)]
pub(super) struct Asked(VecDeque<Request>);

impl Asked {
    pub(super) fn begun(&mut self, request: bool, beginning: &[u8]) -> Begun {
        if request { self.request(beginning) } else { self.response(beginning) }
    }

    fn request(&mut self, beginning: &[u8]) -> Begun {
        let (Some(size), Some(key), Some(version), Some(correlation)) =
            (be_u32(beginning, 0), be_u16(beginning, 4), be_u16(beginning, 6), be_u32(beginning, 8))
        else {
            return Begun::Needs(12);
        };
        if key >= KEYS_END || size > LARGEST_BYTES {
            return Begun::Nonsense;
        }
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(Request { correlation, key, version });
        let class = match key {
            PRODUCE => Class::Message,
            FETCH | OFFSET_COMMIT => Class::Acknowledgement,
            HEARTBEAT => Class::KeepAlive,
            _ => Class::SetUp,
        };
        Begun::Frame(4 + u64::from(size), class)
    }

    fn response(&mut self, beginning: &[u8]) -> Begun {
        let (Some(size), Some(correlation)) = (be_u32(beginning, 0), be_u32(beginning, 4)) else {
            return Begun::Needs(8);
        };
        let length = 4 + u64::from(size);
        let Some(place) = self.0.iter().position(|request| request.correlation == correlation) else {
            return Begun::Nonsense;
        };
        let request = self.0[place];
        let class = match request.key {
            PRODUCE | OFFSET_COMMIT => Class::Acknowledgement,
            FETCH => match has_records(request.version, length, beginning) {
                Ok(true) => Class::Message,
                Ok(false) => Class::KeepAlive,
                Err(needed) if needed as u64 <= length => return Begun::Needs(needed),
                Err(_) => Class::Message,
            },
            HEARTBEAT => Class::KeepAlive,
            _ => Class::SetUp,
        };
        self.0.remove(place);
        Begun::Frame(length, class)
    }
}

/// Whether a partition of a fetch answer has records; `Err` with the number of bytes needed to decide, if more than available. For versions 4 to
/// 11 ("Fetch API" of the protocol guide); others are assumed to have some, as are answers in which the next partition is too far in.
fn has_records(version: u16, length: u64, beginning: &[u8]) -> Result<bool, usize> {
    if !(4..=11).contains(&version) {
        return Ok(true);
    }
    let mut at = 8 + 4; // size, correlation, throttle
    if version >= 7 {
        at += 2 + 4; // error, session
    }
    let is_beyond = |at: usize| at + 4 > super::BEGINNING_LIMIT_BYTES || (at + 4) as u64 > length;
    let count = |at: usize| be_u32(beginning, at).ok_or(at + 4);
    let topics = count(at)?;
    at += 4;
    for _ in 0..topics {
        if is_beyond(at) {
            return Ok(true);
        }
        at += 2 + usize::from(be_u16(beginning, at).ok_or(at + 2)?);
        if is_beyond(at) {
            return Ok(true);
        }
        let partitions = count(at)?;
        at += 4;
        for _ in 0..partitions {
            at += 4 + 2 + 8 + 8; // index, error, high watermark, last stable offset
            if version >= 5 {
                at += 8; // where the log begins
            }
            if is_beyond(at) {
                return Ok(true);
            }
            let aborted = match count(at)? {
                u32::MAX => 0,
                aborted => aborted as usize,
            };
            at += 4 + aborted.min(super::BEGINNING_LIMIT_BYTES) * 16;
            if version >= 11 {
                at += 4; // the replica to read from
            }
            if is_beyond(at) {
                return Ok(true);
            }
            if !matches!(count(at)?, 0 | u32::MAX) {
                return Ok(true);
            }
            at += 4;
        }
    }
    Ok(false)
}

//! Frames of AMQP 0-9-1 and AMQP 1.0, two protocols that share only the eight bytes they begin with.

use super::{Begun, Class, be_u16, be_u32};

const PROTOCOL_HEADER: &[u8] = b"AMQP";
pub(super) const PROTOCOL_HEADER_BYTES: usize = 8;

/// Type, channel, length, payload, end byte (AMQP 0-9-1 specification, section 4.2.3); a method's payload begins with class and method
/// (4.2.4), whose numbers are in the XML definition.
pub(super) fn begun_0_9_1(beginning: &[u8]) -> Begun {
    const BASIC: u16 = 60;
    const AROUND: u64 = 8;
    if beginning.len() < PROTOCOL_HEADER_BYTES {
        return Begun::Needs(PROTOCOL_HEADER_BYTES);
    }
    if beginning.starts_with(PROTOCOL_HEADER) {
        return Begun::Frame(PROTOCOL_HEADER_BYTES as u64, Class::SetUp);
    }
    let Some(length) = be_u32(beginning, 3) else { return Begun::Nonsense };
    let class = match beginning[0] {
        1 => match (be_u16(beginning, 7), be_u16(beginning, 9)) {
            // publish, return, deliver, get-ok
            (Some(BASIC), Some(40 | 50 | 60 | 71)) => Class::Message,
            // ack, reject, nack
            (Some(BASIC), Some(80 | 90 | 120)) => Class::Acknowledgement,
            (Some(_), Some(_)) => Class::SetUp,
            _ => return Begun::Needs(11),
        },
        // The header and the body of a content.
        2 | 3 => Class::Message,
        8 => Class::KeepAlive,
        _ => return Begun::Nonsense,
    };
    Begun::Frame(AROUND + u64::from(length), class)
}

/// Size, offset of the body in words, type, channel (AMQP 1.0, part 2, section 2.3.1). An empty body is a keep-alive (2.4.5); others begin
/// with their descriptor (part 1, section 1.2), whose codes are in section 2.7.
pub(super) fn begun_1_0(beginning: &[u8]) -> Begun {
    const HEADER_BYTES: usize = 8;
    if beginning.len() < HEADER_BYTES {
        return Begun::Needs(HEADER_BYTES);
    }
    if beginning.starts_with(PROTOCOL_HEADER) {
        return Begun::Frame(PROTOCOL_HEADER_BYTES as u64, Class::SetUp);
    }
    let Some(size) = be_u32(beginning, 0) else { return Begun::Nonsense };
    let (body_at, kind) = (usize::from(beginning[4]) * 4, beginning[5]);
    let wanted = match (kind, body_at) {
        (_, ..HEADER_BYTES) | (2.., _) => return Begun::Nonsense,
        // SASL
        (1, _) => return Begun::Frame(u64::from(size), Class::SetUp),
        _ if size as usize <= body_at => return Begun::Frame(u64::from(size), Class::KeepAlive),
        _ => body_at + 3,
    };
    let code = match beginning.get(body_at + 1..wanted) {
        None => return Begun::Needs(wanted),
        // An unsigned long in its short and its long encoding.
        Some([0x53, code]) => *code,
        Some([0x80, _]) => match beginning.get(body_at + 9) {
            Some(code) => *code,
            None => return Begun::Needs(body_at + 10),
        },
        Some(_) => return Begun::Nonsense,
    };
    let class = match code {
        0x14 => Class::Message,
        // flow, disposition
        0x13 | 0x15 => Class::Acknowledgement,
        _ => Class::SetUp,
    };
    Begun::Frame(u64::from(size), class)
}

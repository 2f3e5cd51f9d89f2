//! MQTT control packets: a byte of type and flags, then the remaining length in one to four bytes of seven bits each (MQTT 3.1.1 and
//! MQTT 5.0, sections 2.1 and 2.2.3 / 1.5.5; types: table 2.1 of both).

use super::{Begun, Class, be_u16};

pub(super) fn begun(beginning: &[u8]) -> Begun {
    let Some((&first, rest)) = beginning.split_first() else { return Begun::Needs(2) };
    let class = match first >> 4 {
        3 => Class::Message,                      // PUBLISH
        4..=7 => Class::Acknowledgement,          // PUBACK, PUBREC, PUBREL, PUBCOMP
        12 | 13 => Class::KeepAlive,              // PINGREQ, PINGRESP
        1 | 2 | 8..=11 | 14 | 15 => Class::SetUp, // CONNECT, CONNACK, SUBSCRIBE to UNSUBACK, DISCONNECT, AUTH
        _ => return Begun::Nonsense,
    };
    // TLS begins with the byte 22 (RFC 8446, section 5.1): a CONNECT has no flags.
    if first >> 4 == 1 && first & 0x0f != 0 {
        return Begun::Nonsense;
    }
    let mut remaining = 0;
    for (place, byte) in rest.iter().enumerate() {
        remaining |= u64::from(byte & 0x7f) << (7 * place);
        match (byte & 0x80, place) {
            (0, _) => return Begun::Frame(2 + place as u64 + remaining, class),
            (_, 3) => return Begun::Nonsense,
            _ => {}
        }
    }
    Begun::Needs(beginning.len() + 1)
}

/// Whether a packet is a CONNECT, a client's first.
pub(super) fn is_connect(beginning: &[u8]) -> bool {
    beginning.first().is_some_and(|first| first >> 4 == 1)
}

/// The bytes after the fixed header.
fn behind_length(packet: &[u8]) -> Option<&[u8]> {
    Some(number(packet.get(1..)?)?.1)
}

/// A number in seven-bit groups, and the bytes after it.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let last = bytes.iter().take(4).position(|byte| byte & 0x80 == 0)?;
    let digits = bytes[..=last].iter().rev();
    let value = digits.fold(0, |value, byte| value << 7 | usize::from(byte & 0x7f));
    Some((value, &bytes[last + 1..]))
}

/// The bytes after a length-prefixed string or binary value.
fn behind_text(bytes: &[u8]) -> Option<&[u8]> {
    bytes.get(2 + usize::from(be_u16(bytes, 0)?)..)
}

/// The version that a CONNECT requests, after the protocol's name (section 3.1.2.2 of both).
pub(super) fn level(connect: &[u8]) -> Option<u8> {
    behind_text(behind_length(connect)?)?.first().copied()
}

/// The body of a PUBLISH, after the topic, the packet id if it has one, and from version 5 on the properties (section 3.3 of both).
pub(super) fn body(publish: &[u8], level: Option<u8>) -> Option<&[u8]> {
    const QOS: u8 = 0x06;
    let qos = publish.first()? & QOS;
    let mut rest = behind_text(behind_length(publish)?)?;
    if qos > 0 {
        rest = rest.get(2..)?;
    }
    if level? >= 5 {
        let (properties, behind) = number(rest)?;
        rest = behind.get(properties..)?;
    }
    Some(rest)
}

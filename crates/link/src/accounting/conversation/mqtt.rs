//! MQTT control packets: a byte of type and flags, then the remaining length in one to four bytes of seven bits each (MQTT 3.1.1 and
//! MQTT 5.0, sections 2.1 and 2.2.3 / 1.5.5; types: table 2.1 of both).

use super::{Begun, Class};

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

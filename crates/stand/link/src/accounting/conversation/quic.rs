//! QUIC: what an encrypted packet's header tells in the clear.

use super::Class;

/// The bit that long headers have (RFC 9000, section 17.2).
const LONG: u8 = 0x80;
/// The bits of a long packet's type.
const TYPE: u8 = 0x30;
/// The type of packets with early data (section 17.2.3).
const ZERO_RTT: u8 = 0x10;

/// What a datagram is for, by the first packet in it: the handshake's (Initial, Handshake, Retry, and offers of versions) are set-up. What others
/// hold can't be told: messages, acknowledgements, or both.
pub(super) fn class(datagram: &[u8]) -> Class {
    match datagram.first() {
        Some(first) if first & LONG != 0 && first & TYPE != ZERO_RTT => Class::SetUp,
        _ => Class::Unread,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handshakes_are_set_up_and_the_rest_is_unread() {
        // The first bytes of an Initial packet of version 1 (RFC 9001, appendix A.2, header protection included).
        assert_eq!(class(&[0xc0, 0, 0, 0, 1, 8]), Class::SetUp);
        assert_eq!(class(&[0xe5, 0, 0, 0, 1]), Class::SetUp);
        assert_eq!(class(&[0xf0, 0, 0, 0, 1]), Class::SetUp);
        assert_eq!(class(&[0xd3, 0, 0, 0, 1]), Class::Unread);
        assert_eq!(class(&[0x4c, 0xfe]), Class::Unread);
        assert_eq!(class(&[]), Class::Unread);
    }
}

//! QUIC: what the plaintext header of an encrypted packet reveals.

use super::Class;

/// The bit set in long headers (RFC 9000, section 17.2).
const LONG: u8 = 0x80;
/// The bits with the type of a long-header packet.
const TYPE: u8 = 0x30;
/// The type of packets with early data (section 17.2.3).
const ZERO_RTT: u8 = 0x10;

/// The purpose of a datagram, from its first packet: handshake packets (Initial, Handshake, Retry, Version Negotiation) are set-up. The content
/// of others is unknown: messages, acknowledgements, or both.
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

//! CoAP messages (RFC 7252, section 3) through `coap-lite`: the few forms that are used here.

use coap_lite::{CoapOption, MessageClass, MessageType, Packet, RequestType, ResponseType};

use crate::block::Block;

/// Parses a datagram; `None` unless it is CoAP version 1.
pub fn parse(datagram: &[u8]) -> Option<Packet> {
    let packet = Packet::from_bytes(datagram).ok()?;
    (packet.header.get_version() == 1).then_some(packet)
}

/// The bytes of a message, for one datagram.
pub fn encode(packet: &Packet) -> Vec<u8> {
    // It only fails for messages above a limit, and none is set.
    packet.to_bytes_unlimited().unwrap_or_default()
}

fn shape(kind: MessageType, code: MessageClass, message_id: u16, token: &[u8]) -> Packet {
    let mut packet = Packet::new();
    packet.header.set_version(1);
    packet.header.set_type(kind);
    packet.header.code = code;
    packet.header.message_id = message_id;
    packet.set_token(token.to_vec());
    packet
}

/// A request for a resource. Our tokens have 32 bits, as RFC 7252, section 5.3.1, requires of clients on the
/// Internet.
pub fn request(
    kind: MessageType,
    method: RequestType,
    message_id: u16,
    token: u32,
    path: &[String],
) -> Packet {
    let mut packet = shape(kind, MessageClass::Request(method), message_id, &token.to_be_bytes());
    for segment in path {
        packet.add_option(CoapOption::UriPath, segment.as_bytes().to_vec());
    }
    packet
}

/// A response or notification, without options and body.
pub fn response(kind: MessageType, code: ResponseType, message_id: u16, token: &[u8]) -> Packet {
    shape(kind, MessageClass::Response(code), message_id, token)
}

/// A message without code: an acknowledgement, a reset or, if confirmable, a ping (RFC 7252, section 4.3).
pub fn empty(kind: MessageType, message_id: u16) -> Vec<u8> {
    encode(&shape(kind, MessageClass::Empty, message_id, &[]))
}

/// The segments of a topic as Uri-Path options.
pub fn path(topic: &str) -> Vec<String> {
    topic.split('/').filter(|s| !s.is_empty()).map(str::to_owned).collect()
}

/// The resource that a request names, its segments joined by slashes.
pub fn resource(packet: &Packet) -> String {
    let segments = packet.get_option(CoapOption::UriPath).into_iter().flatten();
    let segments: Vec<_> = segments.map(|s| String::from_utf8_lossy(s)).collect();
    segments.join("/")
}

/// Sets an option of format uint, in the fewest bytes possible (RFC 7252, section 3.2).
pub fn set_uint(packet: &mut Packet, option: CoapOption, value: u32) {
    let bytes = value.to_be_bytes();
    packet.add_option(option, bytes[value.leading_zeros() as usize / 8..].to_vec());
}

/// The first option of format uint; `None` if absent or longer than four bytes.
pub fn uint(packet: &Packet, option: CoapOption) -> Option<u32> {
    let bytes = packet.get_first_option(option)?;
    (bytes.len() <= 4).then(|| bytes.iter().fold(0, |value, byte| value << 8 | u32::from(*byte)))
}

/// A Block option; `None` if absent or malformed.
pub fn block(packet: &Packet, option: CoapOption) -> Option<Block> {
    Block::from_value(uint(packet, option)?)
}

/// The token, if it can be one of ours.
pub fn token(packet: &Packet) -> Option<u32> {
    packet.get_token().try_into().ok().map(u32::from_be_bytes)
}

/// The response code, if the message is a response; unknown codes count as 5.00.
pub fn response_code(packet: &Packet) -> Option<ResponseType> {
    match packet.header.code {
        MessageClass::Response(code) => Some(code),
        // Classes 2 to 5 are responses (RFC 7252, section 12.1.2).
        MessageClass::Reserved(code) if (2..=5).contains(&(code >> 5)) => {
            Some(ResponseType::InternalServerError)
        }
        _ => None,
    }
}

/// A text for reports: `4.05`, and the server's diagnostic message.
pub fn refusal(packet: &Packet) -> String {
    let code = packet.header.get_code();
    match std::str::from_utf8(&packet.payload) {
        Ok(text) if !text.is_empty() => format!("{code} ({text})"),
        _ => code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_the_bytes_of_rfc_7252() {
        // Version 1, CON, 4 bytes of token; 0.02; id; token; Uri-Path (11) twice; marker; body.
        let path = path("/a/bc");
        let mut packet = request(MessageType::Confirmable, RequestType::Post, 0x1234, 0xdead_beef, &path);
        packet.payload = b"xy".to_vec();
        let bytes = b"\x44\x02\x12\x34\xde\xad\xbe\xef\xb1a\x02bc\xffxy";
        assert_eq!(encode(&packet), bytes);
        let back = parse(bytes).unwrap();
        assert_eq!(resource(&back), "a/bc");
        assert_eq!(token(&back), Some(0xdead_beef));
        assert_eq!(empty(MessageType::Reset, 1), b"\x70\0\0\x01");
    }

    #[test]
    fn uints_have_no_leading_zeros() {
        for (value, length) in [(0, 0), (1, 1), (255, 1), (256, 2), (0xff_ffff, 3), (1 << 24, 4)] {
            let mut packet = Packet::new();
            set_uint(&mut packet, CoapOption::Observe, value);
            assert_eq!(packet.get_first_option(CoapOption::Observe).unwrap().len(), length);
            assert_eq!(uint(&packet, CoapOption::Observe), Some(value));
        }
    }

    #[test]
    fn cut_and_changed_datagrams_never_panic() {
        let mut packet = request(MessageType::NonConfirmable, RequestType::Get, 1, 2, &path("some/where"));
        set_uint(&mut packet, CoapOption::Block2, 0x16);
        packet.payload = vec![7; 40];
        let bytes = encode(&packet);
        for cut in 0..bytes.len() {
            let _ = parse(&bytes[..cut]);
        }
        for place in 0..bytes.len() {
            for value in 0..=255 {
                let mut changed = bytes.clone();
                changed[place] = value;
                if let Some(packet) = parse(&changed) {
                    let _ = (resource(&packet), block(&packet, CoapOption::Block2), refusal(&packet));
                }
            }
        }
        assert_eq!(parse(b"\x80\x01\0\0"), None, "version 2");
    }
}

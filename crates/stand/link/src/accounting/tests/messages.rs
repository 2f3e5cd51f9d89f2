//! Which messages packets carry, and when these were in flight.

use wiredyno_contract::WireFormat;

use super::*;
use crate::accounting::passage::Message;

/// Packets of a flow in the order in which they enter and leave.
struct Flow(Accounts);

impl Flow {
    fn of(format: WireFormat) -> Self {
        let mut accounts = Accounts::default();
        accounts.read_as(format);
        Flow(accounts)
    }

    fn measured(format: WireFormat) -> Self {
        let mut flow = Flow::of(format);
        flow.0.mark(Phase::Measure);
        flow
    }

    /// A packet enters and is dropped, or carries something.
    fn enter(&mut self, at_ns: u64, packet: &[u8], dropped: bool) -> Option<Carried> {
        let ip = Ipv4::read(packet).unwrap();
        let dropped = dropped.then_some(DropReason::Loss);
        self.0.enter_read(at_ns, Direction::Up, &ip, packet.len(), dropped)
    }

    /// A packet enters at one time and is handed over at another.
    fn pass(&mut self, at_ns: u64, packet: &[u8], delivered_ns: u64) {
        let carried = self.enter(at_ns, packet, false);
        self.deliver(carried.as_ref(), delivered_ns);
    }

    fn deliver(&mut self, carried: Option<&Carried>, at_ns: u64) {
        carried.into_iter().for_each(|carried| self.0.delivered(carried, at_ns));
    }

    /// For these bodies: when each entered and was complete, and whether as a copy.
    fn told(&self, bodies: &[&[u8]]) -> Vec<(u64, Option<u64>, bool)> {
        let passages = self.0.passages().unwrap();
        let digests = bodies.iter().map(|body| Message::of(body, 0).digest);
        assert!(passages.iter().map(|passage| passage.digest).eq(digests), "{passages:?}");
        passages.iter().map(|one| (one.entered_ns, one.delivered_ns, one.resent)).collect()
    }
}

/// An open connection with its greeting delivered.
fn stream(format: WireFormat, greeting: &[u8]) -> Flow {
    let mut flow = Flow::of(format);
    flow.pass(0, &segment(Direction::Up, 99, SYN, b""), 1);
    flow.pass(2, &segment(Direction::Up, 100, ACK, greeting), 3);
    flow.0.mark(Phase::Measure);
    flow
}

fn bytes(sequence: u32, bytes: &[u8]) -> Vec<u8> {
    segment(Direction::Up, sequence, ACK, bytes)
}

#[test]
fn a_message_over_three_segments_waits_for_the_lost_one_and_those_behind_it_wait_too() {
    let mut flow = stream(WireFormat::Plain, b"P");
    let first = flow.enter(10, &bytes(101, b"\0\0\0\x06"), false);
    assert_eq!(flow.enter(11, &bytes(105, b"abcd"), true), None);
    let third = flow.enter(12, &bytes(109, b"ef"), false);
    // Two messages in one segment, and the beginning of a third.
    let fourth = flow.enter(13, &bytes(111, b"\0\0\0\x01x\0\0\0\x01y\0"), false);
    for (carried, at_ns) in [(&first, 20), (&third, 22), (&fourth, 23)] {
        flow.deliver(carried.as_ref(), at_ns);
    }
    let waiting = (13, None, false);
    assert_eq!(flow.told(&[b"abcdef", b"x", b"y"]), [(10, None, false), waiting, waiting]);
    flow.pass(30, &bytes(105, b"abcd"), 40);
    flow.pass(41, &bytes(122, b"\0\0\x01z"), 51);
    flow.pass(60, &bytes(105, b"abcd"), 70);
    let there = (13, Some(40), false);
    let expected = [(10, Some(40), false), there, there, (13, Some(51), false)];
    assert_eq!(flow.told(&[b"abcdef", b"x", b"y", b"z"]), expected);
}

#[test]
fn a_repeat_may_bring_new_bytes_behind_the_old() {
    let mut flow = stream(WireFormat::Plain, b"P");
    flow.enter(10, &bytes(101, b"\0\0\0\x04ab"), true);
    flow.pass(20, &bytes(101, b"\0\0\0\x04abcd\0\0\0\x01x"), 30);
    assert_eq!(flow.told(&[b"abcd", b"x"]), [(10, Some(30), false), (20, Some(30), false)]);
}

#[test]
fn behind_what_was_not_seen_nothing_is_told() {
    let mut flow = stream(WireFormat::Plain, b"P");
    flow.pass(10, &bytes(101, b"\0\0\0\x01a"), 20);
    flow.pass(11, &bytes(116, b"\0\0\0\x01b"), 21);
    assert_eq!(flow.told(&[b"a"]), [(10, Some(20), false)]);
}

#[test]
fn bodies_of_mqtt_stand_behind_what_its_version_puts_before_them() {
    for (level, properties) in [(4, &b""[..]), (5, b"\x02\x01\0")] {
        let connect = [&b"\x10\x0d\0\x04MQTT"[..], &[level], b"\x02\0\x3c\0\x01c"].concat();
        let mut flow = stream(WireFormat::Mqtt, &connect);
        let publish = |first: u8, id: &[u8]| {
            let rest = [&b"\0\x01t"[..], id, properties, b"body"].concat();
            [&[first, rest.len() as u8][..], &rest].concat()
        };
        let both = [publish(0x32, b"\0\x07"), publish(0x30, b"")].concat();
        flow.pass(10, &bytes(115, &both), 20);
        assert_eq!(flow.told(&[b"body", b"body"]), [(10, Some(20), false); 2], "version {level}");
    }
}

#[test]
fn messages_of_a_batch_share_its_times() {
    let batch = crate::accounting::conversation::written_records(&[b"one", b"two"]);
    let produce = [&[0, 0, 0, 7, 0, 0, 0, 9][..], &[0xee; 9], &batch].concat();
    let mut flow = stream(WireFormat::Kafka, b"");
    let whole = [&(produce.len() as u32).to_be_bytes()[..], &produce].concat();
    let (begin, end) = whole.split_at(30);
    flow.pass(10, &bytes(100, begin), 20);
    flow.pass(12, &bytes(130, end), 22);
    assert_eq!(flow.told(&[b"one", b"two"]), [(10, Some(22), false); 2]);
}

fn datagram(id: u16, fragment: u16, body: &[u8]) -> Vec<u8> {
    ip(UDP, EDGE, CLOUD, id, fragment, body)
}

fn whole(body: &[u8]) -> Vec<u8> {
    datagram(1, 0, &[&udp(8), body].concat())
}

#[test]
fn a_datagram_in_fragments_is_there_with_the_last_if_none_is_lost() {
    let mut flow = Flow::measured(WireFormat::Plain);
    let body = [7; 24];
    let first = [&udp(8)[..], &body[..8]].concat();
    for (id, lost) in [(1, None), (2, Some(0)), (3, Some(1)), (4, Some(2))] {
        let at_ns = u64::from(id) * 10;
        let fragments = [(0x2000, &first[..]), (0x2002, &body[8..16]), (3, &body[16..])];
        for (number, (place, bytes)) in fragments.into_iter().enumerate() {
            let at_ns = at_ns + number as u64;
            let carried = flow.enter(at_ns, &datagram(id, place, bytes), lost == Some(number));
            flow.deliver(carried.as_ref(), at_ns + 5);
        }
    }
    let lost = |at_ns| (at_ns, None, false);
    assert_eq!(flow.told(&[&body[..]; 4]), [(10, Some(17), false), lost(20), lost(30), lost(40)]);
}

#[test]
fn a_copy_of_a_coap_message_is_told_as_one() {
    let mut flow = Flow::measured(WireFormat::Coap);
    let put = whole(b"\x44\x03\0\x01tokn\xffbody");
    flow.enter(10, &put, true);
    flow.pass(30, &put, 40);
    flow.pass(50, &whole(b"\x44\x03\0\x02tokn\xffother"), 60);
    let told = flow.told(&[b"body", b"body", b"other"]);
    assert_eq!(told, [(10, None, false), (30, Some(40), true), (50, Some(60), false)]);
}

#[test]
fn blocks_of_coap_are_one_message_also_where_one_comes_again() {
    let mut flow = Flow::measured(WireFormat::Coap);
    let body: Vec<u8> = (0..20).collect();
    // Blocks of 16 bytes of two successive messages.
    for (id, at_ns) in [(1, 10), (3, 110)] {
        let put = |id: u8, block: u8, part: &[u8]| {
            whole(&[&[0x44, 3, 0, id][..], b"tokn\xb1a\xd1\x03", &[block, 0xff], part].concat())
        };
        flow.pass(at_ns, &put(id, 0x08, &body[..16]), at_ns + 10);
        flow.pass(at_ns + 5, &put(id, 0x08, &body[..16]), at_ns + 15);
        flow.enter(at_ns + 20, &put(id + 1, 0x10, &body[16..]), true);
        flow.pass(at_ns + 30, &put(id + 1, 0x10, &body[16..]), at_ns + 40);
    }
    assert_eq!(flow.told(&[&body[..]; 2]), [(10, Some(50), false), (110, Some(150), false)]);
}

/// An RTPS message with these submessages, each with its id.
fn rtps(parts: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let mut message = b"RTPS\x02\x03\x01\x10one prefix..".to_vec();
    for (id, content) in parts {
        // Little-endian, with data.
        message.extend([&[*id, 0x05][..], &(content.len() as u16).to_le_bytes(), content].concat());
    }
    whole(&message)
}

/// A submessage with a sample's number and, for a fragment, its place, followed by bytes.
fn submessage(numbers: &[u32], bytes: &[u8], room: u16) -> Vec<u8> {
    let numbers: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    [&[0, 0][..], &room.to_le_bytes(), &[0, 0, 0, 0, 0, 0, 1, 3], &numbers, bytes].concat()
}

fn serialized(body: &[u8]) -> Vec<u8> {
    [&[0, 1, 0, 0][..], &(body.len() as u32).to_le_bytes(), body, &[0]].concat()
}

#[test]
fn samples_of_rtps_share_a_datagram_or_take_several() {
    let mut flow = Flow::measured(WireFormat::Rtps);
    let data = |number, body: &[u8]| (0x15, submessage(&[0, number], &serialized(body), 16));
    flow.pass(10, &rtps(&[data(1, b"one"), data(2, b"two")]), 20);
    flow.enter(30, &rtps(&[data(3, b"three")]), true);
    flow.pass(40, &rtps(&[data(3, b"three")]), 50);
    let sample = serialized(b"a long one");
    let fragment = |first: u32, bytes: &[u8]| {
        // One fragment of 8 bytes at a time.
        let place = [0, 4, first, 8 << 16 | 1, sample.len() as u32];
        rtps(&[(0x16, submessage(&place, bytes, 28))])
    };
    flow.pass(60, &fragment(1, &sample[..8]), 70);
    flow.enter(61, &fragment(2, &sample[8..16]), true);
    flow.pass(62, &fragment(3, &sample[16..]), 72);
    flow.pass(80, &fragment(2, &sample[8..16]), 90);
    flow.pass(81, &fragment(3, &sample[16..]), 91);
    let told = flow.told(&[b"one", b"two", b"three", b"three", b"a long one"]);
    let first = (10, Some(20), false);
    assert_eq!(told, [first, first, (30, None, false), (40, Some(50), true), (60, Some(90), false)]);
}

#[test]
fn what_is_not_measured_or_not_readable_is_no_message() {
    let mut flow = Flow::of(WireFormat::Plain);
    flow.pass(10, &whole(b"before"), 20);
    flow.0.mark(Phase::Measure);
    flow.pass(30, &whole(b"measured"), 40);
    assert_eq!(flow.told(&[b"measured"]), [(30, Some(40), false)]);
    let mut encrypted = Flow::measured(WireFormat::Quic);
    encrypted.pass(10, &whole(&[0x4c; 200]), 20);
    assert!(encrypted.told(&[]).is_empty());
}

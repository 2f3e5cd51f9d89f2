use super::*;

/// Frames of a client and a server in turn, each with its purpose.
type Said = Vec<(Direction, Vec<u8>, Class)>;

const UP: Direction = Direction::Up;
const DOWN: Direction = Direction::Down;

fn framed(parts: &[&[u8]]) -> Vec<u8> {
    let body = parts.concat();
    [&(body.len() as u32).to_be_bytes()[..], &body].concat()
}

/// A frame of AMQP 0-9-1.
fn amqp_0_9_1(kind: u8, payload: &[u8]) -> Vec<u8> {
    [&[kind, 0, 1][..], &framed(&[payload]), &[0xce]].concat()
}

/// A frame of AMQP 1.0, with or without a performative.
fn amqp_1_0(kind: u8, body: &[u8]) -> Vec<u8> {
    let size = 8 + body.len() as u32;
    [&size.to_be_bytes()[..], &[2, kind, 0, 0], body].concat()
}

fn request(key: u16, version: u16, correlation: u32, rest: &[u8]) -> Vec<u8> {
    framed(&[&key.to_be_bytes(), &version.to_be_bytes(), &correlation.to_be_bytes(), rest])
}

/// An answer to a Fetch of version 11 with partitions of topic "t" that have this many bytes of records each.
fn fetched(correlation: u32, records: &[usize]) -> Vec<u8> {
    let partition = |records: &usize| {
        [
            &[0; 4 + 2 + 8 + 8 + 8][..],
            &[0xff; 4 + 4], // no list of aborted, no preferred replica
            &(*records as u32).to_be_bytes(),
            &vec![7; *records],
        ]
        .concat()
    };
    let partitions: Vec<u8> = records.iter().flat_map(partition).collect();
    framed(&[
        &correlation.to_be_bytes(),
        &[0; 4 + 2 + 4], // throttle, error, session
        &[0, 0, 0, 1],   // topics
        b"\0\x01t",
        &(records.len() as u32).to_be_bytes(),
        &partitions,
    ])
}

fn said(format: WireFormat) -> Said {
    use Class::{Acknowledgement as Ack, KeepAlive, Message, SetUp};
    let content =
        [&amqp_0_9_1(1, b"\0\x3c\0\x28\0\0..."), &amqp_0_9_1(2, &[0; 14]), &amqp_0_9_1(3, &[5; 300])];
    match format {
        WireFormat::Mqtt => vec![
            (UP, b"\x10\x0d\0\x04MQTT\x04\x02\0\x3c\0\x01c".to_vec(), SetUp),
            (DOWN, b"\x20\x02\0\0".to_vec(), SetUp),
            (UP, [&b"\x32\xad\x02"[..], &[1; 301]].concat(), Message),
            (DOWN, b"\x40\x02\0\x01".to_vec(), Ack),
            (UP, b"\xc0\0".to_vec(), KeepAlive),
            (DOWN, b"\xd0\0".to_vec(), KeepAlive),
            (UP, b"\x30\x05\0\x01t..".to_vec(), Message),
            (UP, b"\x62\x02\0\x01".to_vec(), Ack),
            (UP, b"\xe0\0".to_vec(), SetUp),
        ],
        WireFormat::Amqp091 => vec![
            (UP, b"AMQP\0\0\x09\x01".to_vec(), SetUp),
            (DOWN, amqp_0_9_1(1, b"\0\x0a\0\x0a.........."), SetUp),
            (UP, content[0].clone(), Message),
            (UP, content[1].clone(), Message),
            (UP, content[2].clone(), Message),
            (DOWN, amqp_0_9_1(1, b"\0\x3c\0\x50\0\0\0\0\0\0\0\x01\0"), Ack),
            (DOWN, amqp_0_9_1(1, b"\0\x3c\0\x3c.."), Message),
            (UP, amqp_0_9_1(8, b""), KeepAlive),
            (UP, amqp_0_9_1(1, b"\0\x0a\0\x32.."), SetUp),
        ],
        WireFormat::Amqp10 => vec![
            (UP, b"AMQP\x03\x01\0\0".to_vec(), SetUp),
            (DOWN, amqp_1_0(1, b"\0\x53\x40..."), SetUp),
            (UP, amqp_1_0(0, b"\0\x53\x10..."), SetUp),
            (UP, amqp_1_0(0, &[b"\0\x53\x14", &[9; 700][..]].concat()), Message),
            (DOWN, amqp_1_0(0, b"\0\x80\0\0\0\0\0\0\0\x15..."), Ack),
            (DOWN, amqp_1_0(0, b"\0\x53\x13..."), Ack),
            (UP, amqp_1_0(0, b""), KeepAlive),
            (UP, amqp_1_0(0, b"\0\x53\x18..."), SetUp),
        ],
        WireFormat::Kafka => vec![
            (UP, request(18, 3, 1, b"..."), SetUp),
            (DOWN, framed(&[&[0, 0, 0, 1], b"....."]), SetUp),
            (UP, request(0, 7, 2, &[8; 400]), Message),
            (DOWN, framed(&[&[0, 0, 0, 2], b"....."]), Ack),
            (UP, request(1, 11, 3, b"..."), Ack),
            (DOWN, fetched(3, &[400]), Message),
            (UP, request(1, 11, 4, b"..."), Ack),
            (UP, request(12, 3, 5, b"..."), KeepAlive),
            (DOWN, fetched(4, &[0]), KeepAlive),
            (DOWN, framed(&[&[0, 0, 0, 5], b"..."]), KeepAlive),
            (UP, request(1, 11, 6, b"..."), Ack),
            (DOWN, fetched(6, &[0, 0, 300, 0]), Message),
            (UP, request(1, 11, 7, b"..."), Ack),
            (DOWN, fetched(7, &[0; 6]), KeepAlive),
        ],
        WireFormat::Plain => vec![
            (UP, b"P".to_vec(), SetUp),
            (DOWN, b"P".to_vec(), SetUp),
            (UP, framed(&[&[3; 500]]), Message),
            (UP, framed(&[]), Message),
        ],
        WireFormat::Coap | WireFormat::Rtps | WireFormat::Quic => Vec::new(),
    }
}

const STREAMS: [WireFormat; 5] =
    [WireFormat::Mqtt, WireFormat::Amqp091, WireFormat::Amqp10, WireFormat::Kafka, WireFormat::Plain];

fn opened(format: WireFormat) -> Conversation {
    let mut conversation = Conversation::new(format);
    conversation.opened(UP);
    conversation.opened(DOWN);
    conversation
}

/// Reads bytes that follow those read before.
fn read(
    conversation: &mut Conversation,
    direction: Direction,
    bytes: &[u8],
    classes: &mut WireClasses,
) -> Class {
    let at = conversation.streams[direction.index()].position;
    conversation.stream((direction, at), bytes, Seen::default(), classes)
}

#[test]
fn every_frame_is_told_for_what_it_is() {
    for format in STREAMS {
        let mut conversation = opened(format);
        for (number, (direction, frame, class)) in said(format).into_iter().enumerate() {
            let mut classes = WireClasses::default();
            let first = read(&mut conversation, direction, &frame, &mut classes);
            let mut expected = WireClasses::default();
            class.count(&mut expected, frame.len() as u64);
            assert_eq!((first, classes), (class, expected), "{format:?}: frame {number}");
        }
    }
}

#[test]
fn frames_may_share_a_packet_and_go_over_several() {
    for format in STREAMS {
        let whole = said(format);
        let mut expected = WireClasses::default();
        for (_, frame, class) in &whole {
            class.count(&mut expected, frame.len() as u64);
        }
        // Requests first, then all answers, in packets of every size: nothing is lost, and every purpose is
        // right.
        for size in 1..40 {
            let (mut conversation, mut found) = (opened(format), WireClasses::default());
            for direction in Direction::ALL {
                let of = |way: &&(Direction, Vec<u8>, Class)| way.0 == direction;
                let bytes: Vec<u8> =
                    whole.iter().filter(of).flat_map(|(_, frame, _)| frame.clone()).collect();
                for packet in bytes.chunks(size) {
                    read(&mut conversation, direction, packet, &mut found);
                }
            }
            assert_eq!(found.total(), expected.total(), "{format:?} in packets of {size}");
            assert!(
                found.message <= expected.message && found.set_up <= expected.set_up,
                "{format:?}: {size}"
            );
            let told = found.total() - found.unread;
            assert!(size < 12 || told * 2 > found.total(), "{format:?} in packets of {size}: {found:?}");
        }
        let (mut conversation, mut found) = (opened(format), WireClasses::default());
        for direction in Direction::ALL {
            let of = |way: &&(Direction, Vec<u8>, Class)| way.0 == direction;
            let bytes: Vec<u8> = whole.iter().filter(of).flat_map(|(_, frame, _)| frame.clone()).collect();
            read(&mut conversation, direction, &bytes, &mut found);
        }
        assert_eq!(found, expected, "{format:?} in one packet");
    }
}

#[test]
fn what_makes_no_sense_is_unread_from_there_on() {
    // The beginning of a TLS handshake, and a response without a request.
    let hello = b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03................................................";
    for format in STREAMS.into_iter().filter(|format| *format != WireFormat::Plain) {
        let (mut conversation, mut found) = (opened(format), WireClasses::default());
        assert_eq!(read(&mut conversation, UP, hello, &mut found), Class::Unread, "{format:?}");
        assert_eq!(found, WireClasses { unread: hello.len() as u64, ..WireClasses::default() }, "{format:?}");
    }
    let (mut conversation, mut found) = (opened(WireFormat::Kafka), WireClasses::default());
    read(&mut conversation, DOWN, &framed(&[&[0, 0, 0, 9], b"..."]), &mut found);
    assert_eq!(found.unread, 11);
}

#[test]
fn a_new_connection_on_the_same_ports_is_read_from_its_beginning() {
    let mut conversation = opened(WireFormat::Plain);
    let mut found = WireClasses::default();
    read(&mut conversation, UP, b"P\0\0\0\x05cut", &mut found);
    conversation.opened(UP);
    conversation.opened(DOWN);
    let mut found = WireClasses::default();
    read(&mut conversation, UP, b"P\0\0\0\x02ab", &mut found);
    assert_eq!(found, WireClasses { set_up: 1, message: 6, ..WireClasses::default() });
}

#[test]
fn any_bytes_are_taken_and_none_is_lost() {
    use rand_chacha::rand_core::{Rng, SeedableRng};
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    for round in 0..400 {
        let format = STREAMS[round % STREAMS.len()];
        let (mut conversation, mut found, mut given) = (opened(format), WireClasses::default(), 0);
        for (direction, mut frame, _) in said(format) {
            let place = random.next_u32() as usize % frame.len();
            frame[place] ^= 1 << (random.next_u32() % 8);
            read(&mut conversation, direction, &frame, &mut found);
            given += frame.len() as u64;
        }
        assert_eq!(found.total(), given, "{format:?} in round {round}");
    }
}

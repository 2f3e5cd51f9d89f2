//! What must hold on the simulated network.

use coap_lite::{CoapOption, MessageType, RequestType};

use super::*;
use crate::message;

fn lossy(setting: Setting, options: &Options, lost_permille: u32, seed: u64) -> World {
    let mut world = World::new(setting, options, seed);
    world.network.faults.lost_permille = lost_permille;
    world
}

#[test]
fn con_delivers_every_message_once_and_in_order_at_5_percent_loss() {
    for (setting, size) in [(CON, 20), (CON, 20_000), (CON_BLOCK, 5_000)] {
        let mut world = lossy(setting, &Options::STANDARD, 50, 1);
        let bodies = world.publish_all(200, size, SECOND_NS);
        assert!(world.network.lost > 30);
        assert!(world.received() == bodies, "{setting:?} {size}");
        let notes = world.notes.0.lock().unwrap();
        assert_eq!(notes.acked.len(), 200);
        assert_eq!(notes.broken, Vec::<String>::new());
    }
}

#[test]
fn non_loses_what_the_network_drops_and_nothing_else() {
    // A message needs two datagrams, its request and its notification: 1 - 0.95^2 = 9.75 % are lost. Of 10,000
    // that is 975 with a standard deviation of 30.
    let mut world = lossy(NON, &Options::STANDARD, 50, 2);
    let bodies = world.publish_all(10_000, 20, 200 * MS_NS);
    let received = world.received();
    let lost = bodies.len() - received.len();
    assert!((975 - 120..=975 + 120).contains(&lost), "{lost}");
    assert!(received.is_sorted(), "nothing is reordered");
    // The same holds for acknowledgements: the request arrives and the response comes back.
    let acked = world.notes.0.lock().unwrap().acked.len();
    assert!((9_025 - 120..=9_025 + 120).contains(&acked), "{acked}");
}

#[test]
fn a_lost_block_of_a_non_confirmable_body_loses_the_body() {
    // 5,000 bytes are five blocks. Upload: five requests and the four answers between them. Download: the
    // notification, four requests and four answers. A body arrives when all 18 datagrams do.
    let mut world = lossy(NON_BLOCK, &Options::STANDARD, 50, 3);
    let bodies = world.publish_all(2_000, 5_000, 5 * SECOND_NS);
    let received = world.received();
    let expected = 2_000.0 * 0.95_f64.powi(18);
    let tolerance = 4.0 * (expected * (1.0 - expected / 2_000.0)).sqrt();
    let deviation = (received.len() as f64 - expected).abs();
    assert!(deviation < tolerance, "{} of {expected}", received.len());
    assert!(received.iter().all(|body| bodies.contains(body)));
}

#[test]
fn doubled_datagrams_are_dropped_unless_deduplication_is_off() {
    let faults = Faults { doubled_permille: 200, ..Faults::default() };
    let run = |options: &Options, setting| {
        let mut world = World::new(setting, options, 4);
        world.network.faults = faults;
        let bodies = world.publish_all(500, 20, SECOND_NS);
        let received = world.received();
        (world, bodies, received)
    };
    for setting in [NON, CON, NON_BLOCK, CON_BLOCK] {
        let (world, bodies, received) = run(&Options::STANDARD, setting);
        assert!(world.network.doubled.len() > 100);
        assert!(received == bodies, "{setting:?}");
    }
    let off = Options { deduplicate: false, ..Options::STANDARD };
    let (world, bodies, received) = run(&off, NON);
    // A duplicated request makes two notifications, a duplicated notification is handed over twice; a duplicated
    // answer to a request has no effect.
    let counts = |(from, bytes): &&(u16, Vec<u8>)| {
        let packet = message::parse(bytes).unwrap();
        let notifies = message::uint(&packet, CoapOption::Observe).is_some();
        *from == PUBLISHER || (notifies && packet.header.get_type() == MessageType::NonConfirmable)
    };
    let expected = world.network.doubled.iter().filter(counts).count();
    assert!((100..300).contains(&expected), "{expected}");
    assert_eq!(received.len(), bodies.len() + expected);
}

#[test]
fn a_silent_server_is_asked_again_after_2_to_3_s_doubling_and_the_next_message_follows() {
    let mut world = lossy(CON, &Options::STANDARD, 1000, 5);
    let begin_ns = world.network.now_ns;
    world.publish(0, b"first");
    world.publish(1, b"second");
    world.run(begin_ns + 200 * SECOND_NS);
    let notes = world.notes.0.lock().unwrap();
    let (first_ns, second_ns) = (notes.sent[0].1 - begin_ns, notes.sent[1].1 - begin_ns);
    assert_eq!(first_ns, 0, "sent is the first transmission");
    let requests = world.network.sent.iter().filter(|(_, from, _)| *from == PUBLISHER);
    let times: Vec<_> = requests.map(|(at_ns, ..)| at_ns - begin_ns).collect();
    let wait_ns = times[1];
    assert!((2 * SECOND_NS..=3 * SECOND_NS).contains(&wait_ns));
    assert_eq!(times[..5], [0, wait_ns, 3 * wait_ns, 7 * wait_ns, 15 * wait_ns]);
    assert_eq!(second_ns, 31 * wait_ns, "NSTART 1: the second waits for the first");
    assert_eq!(times.len(), 10);
    assert!(notes.acked.is_empty() && notes.received.is_empty());
}

#[test]
fn notifications_to_a_slow_observer_queue_or_are_superseded_when_asked_for() {
    let supersede = Options { supersede: true, ..Options::STANDARD };
    for (options, expected) in [(Options::STANDARD, vec![0, 1, 2, 3]), (supersede, vec![0, 3])] {
        let mut world = World::new(CON, &options, 6);
        let begin_ns = world.network.now_ns;
        // Four publishers' requests reach the server before the observer's first acknowledgement does.
        for token in 0..4_u8 {
            let (kind, method) = (MessageType::Confirmable, RequestType::Post);
            let path = message::path("simulated/topic");
            let mut packet = message::request(kind, method, 7, 7, &path);
            packet.payload = vec![token];
            let mut tap = Tap { network: &mut world.network, from: SERVER };
            let from = address(100 + u16::from(token));
            world.service.datagram(from, &message::encode(&packet), begin_ns, &mut tap);
        }
        world.run(begin_ns + SECOND_NS);
        let got: Vec<u8> = world.received().iter().map(|body| body[0]).collect();
        assert_eq!(got, expected);
        let skipped: Vec<u8> = (0..4).filter(|token| !expected.contains(token)).collect();
        assert_eq!(world.notes.0.lock().unwrap().superseded.concat(), skipped);
    }
}

#[test]
fn what_is_sent_is_delivered_or_superseded_and_the_server_says_which() {
    for (setting, size, lost_permille) in [(CON, 20, 0), (CON, 20, 100), (CON_BLOCK, 3_000, 50)] {
        let options = Options { supersede: true, ..Options::STANDARD };
        let mut world = lossy(setting, &options, lost_permille, 8);
        let bodies = world.publish_all(400, size, 20 * MS_NS);
        let received = world.received();
        let superseded = world.notes.0.lock().unwrap().superseded.clone();
        let mut fates = [received.clone(), superseded.clone()].concat();
        fates.sort();
        // Nothing is given up at these rates: that takes five losses in a row of one message, one in 100,000 or
        // fewer.
        assert!(fates == bodies, "{setting:?}: {} received, {} superseded", received.len(), superseded.len());
        assert_eq!(received.last(), bodies.last(), "the newest state always arrives");
        // Without loss the observer's acknowledgement is as fast as the publisher's: nothing waits.
        assert_eq!(superseded.is_empty(), lost_permille == 0, "{setting:?} {size}");
    }
}

#[test]
fn an_observer_is_forgotten_after_two_failures_in_a_row_and_registers_again() {
    let mut world = World::new(CON, &Options::STANDARD, 7);
    let notified = |world: &World| {
        let response =
            |bytes: &[u8]| message::parse(bytes).unwrap().header.get_type() == MessageType::Confirmable;
        let sent = world.network.sent.iter();
        sent.filter(|(_, from, bytes)| *from == SERVER && response(bytes)).count()
    };
    // The subscriber is disconnected from the network in both directions.
    for (token, expected) in [(0, 5), (1, 10), (2, 10)] {
        world.publish(token, &[token as u8]);
        let until_ns = world.network.now_ns + 100 * SECOND_NS;
        while world.network.now_ns < until_ns {
            let step_ns = world.network.now_ns + MS_NS;
            let gone = |datagram: &Datagram| datagram.to == SUBSCRIBER || datagram.from == SUBSCRIBER;
            world.network.flying.retain(|_, datagram| !gone(datagram));
            world.run(step_ns);
        }
        assert_eq!(notified(&world), expected, "message {token}");
    }
    // Once reconnected, it registers again and gets the state that it has missed.
    let until_ns = world.network.now_ns + 100 * SECOND_NS;
    world.run(until_ns);
    assert_eq!(world.received(), [[2]]);
    world.publish(3, &[3]);
    world.run(until_ns + SECOND_NS);
    assert_eq!(world.received(), [[2], [3]]);
}

#[test]
fn an_observer_that_resets_a_notification_is_forgotten() {
    let mut world = World::new(NON, &Options::STANDARD, 8);
    world.publish(0, b"body");
    world.run(2 * SECOND_NS);
    let (_, _, notification) = world.network.sent.iter().rev().find(|(_, from, _)| *from == SERVER).unwrap();
    let reset = message::empty(MessageType::Reset, message::parse(notification).unwrap().header.message_id);
    let now_ns = world.network.now_ns;
    let (service, mut tap) = world.node(SERVER);
    service.datagram(address(SUBSCRIBER), &reset, now_ns, &mut tap);
    world.publish(1, b"body");
    world.run(4 * SECOND_NS);
    assert_eq!(world.received().len(), 1);
}

#[test]
fn the_seed_decides() {
    let run = |seed| {
        let mut world = lossy(CON, &Options::STANDARD, 100, seed);
        world.publish_all(50, 20, SECOND_NS);
        world.network.sent
    };
    assert!(run(11) == run(11));
    assert!(run(11) != run(12));
}

#[test]
fn changed_datagrams_never_panic() {
    for setting in [CON_BLOCK, NON_BLOCK, CON, NON] {
        let mut world = World::new(setting, &Options::STANDARD, 13);
        world.publish_all(3, 3_000, SECOND_NS);
        let recorded = world.network.sent.clone();
        for round in 0..20_000 {
            let pick = |draws: &mut Draws, below: usize| draws.any_u32() as usize % below;
            let draws = &mut world.network.draws;
            let (_, _, mut bytes) = recorded[pick(draws, recorded.len())].clone();
            for _ in 0..=pick(draws, 3) {
                let place = pick(draws, bytes.len().min(40));
                bytes[place] = draws.any_u32() as u8;
            }
            bytes.truncate(pick(draws, 2 * bytes.len()) + 1);
            let now_ns = world.network.now_ns + i64::from(round) * MS_NS;
            for port in [PUBLISHER, SUBSCRIBER, SERVER] {
                let (machine, mut tap) = world.node(port);
                machine.datagram(address(SUBSCRIBER), &bytes, now_ns, &mut tap);
                machine.tick(now_ns, &mut tap);
            }
            world.network.flying.clear();
        }
    }
}

use std::net::{Ipv4Addr, SocketAddrV4};

use super::*;

const UP: Direction = Direction::Up;
const DOWN: Direction = Direction::Down;

fn message(sequence: u64, encoded_ns: i64, received_ns: Option<i64>) -> MessageRecord {
    MessageRecord {
        sequence,
        body_bytes: 100,
        intended_send_ns: encoded_ns,
        build_start_ns: encoded_ns,
        built_ns: encoded_ns,
        encoded_ns,
        handed_over_ns: None,
        sent_ns: Some(encoded_ns + 1),
        acked_ns: None,
        received_ns,
        decoded_ns: received_ns,
        crossing: None,
        arrivals: u32::from(received_ns.is_some()),
    }
}

/// The digest of a message's body.
fn body(sequence: u64) -> u128 {
    u128::from(sequence) << 64 | 7
}

fn passed(direction: Direction, sequence: u64, entered_ns: u64, delivered_ns: Option<u64>) -> Passage {
    Passage { flow: 0, direction, digest: body(sequence), resent: false, entered_ns, delivered_ns }
}

fn again(passage: Passage) -> Passage {
    Passage { resent: true, ..passage }
}

fn at(port: u16) -> SocketAddrV4 {
    SocketAddrV4::new(Ipv4Addr::new(10, 77, 0, 1), port)
}

/// The hops of both roles, with these passages.
fn ways(lists: [&[Passage]; 2], clock: SeatClock) -> [Passages; 2] {
    lists.map(|list| {
        let passed = Passages::of(list.iter(), clock);
        Passages { crosses: !list.is_empty(), passed }
    })
}

fn tell(messages: &[MessageRecord], to: &[Passage], from: &[Passage]) -> Vec<Option<Crossing>> {
    let mut crossings = Crossings { ways: Some(ways([to, from], SeatClock::OURS)), known: 0 };
    let told = messages.iter().map(|message| crossings.told(body(message.sequence), *message).crossing);
    let told: Vec<Option<Crossing>> = told.collect();
    assert_eq!(crossings.known(), Some(told.iter().flatten().count() as u64));
    told
}

fn crossing(stamps: [i64; 4]) -> Option<Crossing> {
    let [to_broker_ns, at_broker_ns, from_broker_ns, at_subscriber_ns] = stamps.map(Some);
    Some(Crossing { to_broker_ns, at_broker_ns, from_broker_ns, at_subscriber_ns })
}

#[test]
fn messages_that_are_on_their_way_together_are_told_apart() {
    let messages = [message(0, 100, Some(400)), message(1, 110, Some(390)), message(2, 120, Some(395))];
    let to = [passed(UP, 0, 110, Some(190)), passed(UP, 1, 112, Some(152)), passed(UP, 2, 121, Some(190))];
    // The broker changes their order.
    let from =
        [passed(DOWN, 1, 200, Some(380)), passed(DOWN, 2, 201, Some(391)), passed(DOWN, 0, 230, Some(399))];
    let expected =
        [crossing([110, 190, 230, 399]), crossing([112, 152, 200, 380]), crossing([121, 190, 201, 391])];
    assert_eq!(tell(&messages, &to, &from), expected);
}

#[test]
fn waiting_for_a_copy_is_the_networks_and_the_first_whole_one_counts() {
    let messages = [message(0, 100, Some(900)), message(1, 101, Some(500))];
    let to = [
        passed(UP, 0, 110, None),
        passed(UP, 1, 111, Some(151)),
        again(passed(UP, 0, 310, Some(350))),
        again(passed(UP, 0, 510, Some(550))),
    ];
    let from = [
        passed(DOWN, 1, 160, Some(200)),
        passed(DOWN, 0, 360, None),
        again(passed(DOWN, 0, 660, Some(880))),
        again(passed(DOWN, 0, 860, Some(980))),
    ];
    assert_eq!(tell(&messages, &to, &from), [crossing([110, 350, 360, 880]), crossing([111, 151, 160, 200])]);
}

#[test]
fn of_equal_bodies_each_has_its_own_passage() {
    let equal = [message(0, 100, Some(400)), message(0, 500, Some(900))];
    // A copy of the first comes late.
    let to =
        [passed(UP, 0, 110, Some(150)), again(passed(UP, 0, 501, Some(541))), passed(UP, 0, 505, Some(545))];
    let from = [passed(DOWN, 0, 200, Some(390)), passed(DOWN, 0, 600, Some(890))];
    assert_eq!(tell(&equal, &to, &from), [crossing([110, 150, 200, 390]), crossing([505, 545, 600, 890])]);
}

#[test]
fn a_lost_message_has_no_crossing_and_one_whose_passage_is_missing_or_too_late_has_none() {
    let messages = [message(0, 100, None), message(1, 500, Some(900)), message(2, 501, Some(901))];
    let to = [passed(UP, 0, 110, Some(120)), passed(UP, 1, 505, Some(545)), passed(UP, 2, 506, Some(546))];
    let from = [passed(DOWN, 0, 130, Some(140)), passed(DOWN, 2, 850, Some(990))];
    assert_eq!(tell(&messages, &to, &from), [None, None, None]);
}

#[test]
fn with_the_subscriber_on_the_brokers_host_there_is_one_way() {
    let messages = [message(0, 100, Some(400))];
    let to = [passed(UP, 0, 110, Some(150))];
    let one_way = Crossing {
        to_broker_ns: Some(110),
        at_broker_ns: Some(150),
        from_broker_ns: None,
        at_subscriber_ns: None,
    };
    assert_eq!(tell(&messages, &to, &[]), [Some(one_way)]);
    assert_eq!(tell(&messages, &[], &[]), [None], "with all roles on one host nothing crosses");
}

#[test]
fn passages_belong_to_the_role_whose_socket_they_went_through() {
    let flow =
        |port| FlowCounters { protocol: 6, edge: at(port), cloud: at(1883), tallies: Default::default() };
    let flows = [flow(40_001), flow(40_002)];
    let list = [
        passed(UP, 0, 1, Some(2)),
        Passage { flow: 1, ..passed(UP, 1, 3, Some(4)) },
        passed(DOWN, 2, 5, Some(6)),
    ];
    let nobody = Passages::new((&list, SeatClock::OURS), &flows, &[], (Host::Edge, Host::Cloud));
    assert!(nobody.crosses && nobody.passed.is_empty());
    let local = Passages::new((&list, SeatClock::OURS), &flows, &[], (Host::Cloud, Host::Cloud));
    assert!(!local.crosses);
}

#[test]
fn passages_are_found_by_a_link_that_has_a_clock_of_its_own() {
    let ahead = SeatClock::of(1, 1_000_000, 10);
    let shifted = [passed(UP, 0, 1_000_110, Some(1_000_150))];
    let crossed = |clock| ways([&shifted, &[]], clock)[0].crossed(body(0), 100, 400);
    assert_eq!(crossed(ahead), Some(Some((110, 150))));
    assert_eq!(crossed(SeatClock::OURS), None);
}

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

fn passed(direction: Direction, entered_ns: u64, delivered_ns: Option<u64>) -> Passage {
    Passage { flow: 0, direction, resent: false, entered_ns, delivered_ns }
}

fn again(passage: Passage) -> Passage {
    Passage { resent: true, ..passage }
}

/// The ways of both roles, with the packets that these had.
fn ways<'a>(to: &'a [Passage], from: &'a [Passage]) -> [Way<'a>; 2] {
    [to, from].map(|list| {
        let passages = list.iter().collect();
        Way { crosses: !list.is_empty(), passages, clock: SeatClock::OURS }
    })
}

/// The crossings of messages that are told one by one, in order.
fn tell_with(messages: &[MessageRecord], to: &[Passage], from: &[Passage]) -> Vec<Option<Crossing>> {
    let mut crossings =
        Crossings { ways: Some(ways(to, from)), held: None, busy_until_ns: i64::MIN, known: 0 };
    let mut told: Vec<MessageRecord> =
        messages.iter().filter_map(|message| crossings.push(*message)).collect();
    told.extend(crossings.last());
    assert!(told.iter().map(|message| message.sequence).eq(messages.iter().map(|message| message.sequence)));
    told.iter().map(|message| message.crossing).collect()
}

fn crossing(stamps: [i64; 4]) -> Option<Crossing> {
    let [to_broker_ns, at_broker_ns, from_broker_ns, at_subscriber_ns] = stamps.map(Some);
    Some(Crossing { to_broker_ns, at_broker_ns, from_broker_ns, at_subscriber_ns })
}

#[test]
fn a_message_of_several_packets_crosses_from_its_first_to_its_last() {
    let messages = [message(0, 100, Some(400)), message(1, 500, Some(900))];
    let to = [passed(UP, 110, Some(150)), passed(UP, 112, Some(152)), passed(UP, 505, Some(545))];
    let from = [passed(DOWN, 200, Some(390)), passed(DOWN, 201, Some(391)), passed(DOWN, 600, Some(890))];
    let told = tell_with(&messages, &to, &from);
    assert_eq!(told, [crossing([110, 152, 200, 391]), crossing([505, 545, 600, 890])]);
}

#[test]
fn waiting_for_a_repeat_is_the_networks() {
    let messages = [message(0, 100, Some(900))];
    // The first try is lost, then a repeat of what was before comes in between.
    let to = [again(passed(UP, 105, Some(145))), passed(UP, 110, None), again(passed(UP, 310, Some(350)))];
    let from = [passed(DOWN, 360, None), again(passed(DOWN, 660, Some(880)))];
    assert_eq!(tell_with(&messages, &to, &from), [crossing([110, 350, 360, 880])]);
}

#[test]
fn messages_that_were_on_their_way_together_are_not_told_apart() {
    let messages = [message(0, 100, Some(400)), message(1, 300, Some(600)), message(2, 700, Some(900))];
    let to = [passed(UP, 110, Some(150)), passed(UP, 310, Some(350)), passed(UP, 710, Some(750))];
    let from = [passed(DOWN, 200, Some(390)), passed(DOWN, 400, Some(590)), passed(DOWN, 800, Some(890))];
    assert_eq!(tell_with(&messages, &to, &from), [None, None, crossing([710, 750, 800, 890])]);
}

#[test]
fn a_lost_message_has_no_crossing_and_one_whose_packets_are_missing_has_none() {
    let messages = [message(0, 100, None), message(1, 500, Some(900))];
    let to = [passed(UP, 110, None), passed(UP, 505, Some(545))];
    let from = [passed(DOWN, 950, Some(990))];
    assert_eq!(tell_with(&messages, &to, &from), [None, None]);
}

#[test]
fn with_the_subscriber_on_the_brokers_host_there_is_one_way() {
    let messages = [message(0, 100, Some(400))];
    let to = [passed(UP, 110, Some(150))];
    let one_way = Crossing {
        to_broker_ns: Some(110),
        at_broker_ns: Some(150),
        from_broker_ns: None,
        at_subscriber_ns: None,
    };
    assert_eq!(tell_with(&messages, &to, &[]), [Some(one_way)]);
    let messages = [message(0, 100, Some(400))];
    assert_eq!(tell_with(&messages, &[], &[]), [None], "with all roles on one host nothing crosses");
}

#[test]
fn packets_belong_to_the_role_whose_socket_they_went_through() {
    let at = |port| SocketAddrV4::new(Ipv4Addr::new(10, 77, 0, 1), port);
    let flow =
        |port| FlowCounters { protocol: 6, edge: at(port), cloud: at(1883), tallies: Default::default() };
    let flows = [flow(40_001), flow(40_002)];
    let list =
        [passed(UP, 1, Some(2)), Passage { flow: 1, ..passed(UP, 3, Some(4)) }, passed(DOWN, 5, Some(6))];
    let nobody = Way::new((&list, SeatClock::OURS), &flows, &[], (Host::Edge, Host::Cloud));
    assert!(nobody.crosses && nobody.passages.is_empty());
    let local = Way::new((&list, SeatClock::OURS), &flows, &[], (Host::Cloud, Host::Cloud));
    assert!(!local.crosses);
}

#[test]
fn packets_are_found_by_a_link_that_has_a_clock_of_its_own() {
    let ahead = SeatClock::new(1_000_000, 10);
    let shifted = |entered_ns: u64, delivered_ns: u64| {
        passed(UP, entered_ns + 1_000_000, Some(delivered_ns + 1_000_000))
    };
    let passages = [shifted(110, 150), shifted(505, 545)];
    let way = Way { crosses: true, passages: passages.iter().collect(), clock: ahead };
    assert_eq!((way.begin_ns(100, 400), way.end_ns(110, 400)), (Some(110), Some(150)));
    let taken_for_ours = Way { clock: SeatClock::OURS, ..way };
    assert_eq!(taken_for_ours.begin_ns(100, 400), None);
}

//! Made-up records, of which the truth is known. One file because all tests make and read them by the same functions.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use wiredyno_contract::bulk::{write_received, write_sent};

use super::*;

/// An account and its messages.
#[derive(Debug, PartialEq)]
struct Accounted {
    messages: Vec<MessageRecord>,
    delivery: Delivery,
    body_bytes: u64,
    delivered_body_bytes: u64,
    schedule: Schedule,
    first_message_ns: Option<u64>,
    counted_only: Option<String>,
}

/// The account of these records, through files: the same with one shard and with many, and if either role has its own clock.
fn account(
    sent: &[SentRow],
    received: &[ReceivedRow],
    superseded: &[SupersededRow],
    terms: &Terms<'_>,
) -> Accounted {
    let folder = tempfile::tempdir().unwrap();
    let ours = SeatClock::OURS;
    let apart = (SeatClock::of(1, 3_600_000_000_000, 50), SeatClock::of(2, -7_000_000, 90));
    let ways = [(1_000_000, (ours, ours)), (7, (ours, ours)), (1_000_000, apart)];
    let accounts = ways.map(|(shard_rows, (sender, receiver))| {
        let path = |name| folder.path().join(name);
        let file = |name| File::create(path(name)).unwrap();
        let sent: Vec<_> = sent.iter().map(|row| row.told_by(sender, ours)).collect();
        let received: Vec<_> = received.iter().map(|row| row.told_by(receiver, ours)).collect();
        write_sent(&mut file("the-sent"), &sent).unwrap();
        write_received(&mut file("the-received"), &received).unwrap();
        let records = Records {
            sent: &Recorded { path: path("the-sent"), clock: sender },
            received: &Recorded { path: path("the-received"), clock: receiver },
            superseded,
            scratch: folder.path(),
            shard_rows,
        };
        let mut messages = Vec::new();
        let mut keep = |_, message| {
            messages.push(message);
            Ok(())
        };
        let matching = Matching::of(&records, terms).unwrap();
        let announced = matching.messages();
        let account = matching.account(&mut keep).unwrap();
        assert_eq!((announced, account.delivery.sent), (messages.len() as u64, announced));
        let Account { delivery, body_bytes, delivered_body_bytes, schedule, .. } = account;
        let Account { first_message_ns, counted_only, .. } = account;
        Accounted {
            messages,
            delivery,
            body_bytes,
            delivered_body_bytes,
            schedule,
            first_message_ns,
            counted_only,
        }
    });
    let [one, many, apart] = accounts;
    assert_eq!(one, many);
    assert_eq!(one, apart);
    one
}

fn sent(sequence: u64, digest: u128, at: i64) -> SentRow {
    SentRow {
        sequence,
        digest,
        body_bytes: 10,
        intended_send_ns: at,
        build_start_ns: at + 1,
        built_ns: at + 2,
        encoded_ns: at + 3,
        handed_over_ns: at + 4,
        sent_ns: at + 4,
        acked_ns: ABSENT,
    }
}

fn received(digest: u128, at: i64) -> ReceivedRow {
    ReceivedRow { digest, body_bytes: 10, received_ns: at, decoded_ns: at + 1 }
}

#[test]
fn messages_are_late_only_if_the_bound_of_two_clocks_leaves_no_doubt() {
    let sent = [sent(0, 1, 100), sent(1, 2, 200), sent(2, 3, 300)];
    let late = |bound_ns, at: [i64; 3]| {
        let terms = Terms { clock_bound: Span { ns: bound_ns }, ..OPEN };
        let received = [received(1, at[0]), received(2, at[1]), received(3, at[2])];
        account(&sent, &received, &[], &terms).delivery.late
    };
    assert_eq!(late(50, [150, 1_400, 350]), Some(1));
    assert_eq!(late(250, [150, 1_400, 350]), None, "the second was 200 ns late, give or take 250");
    assert_eq!(late(250, [150, 250, 1_250]), None, "the third was 50 ns early");
    assert_eq!(late(0, [150, 250, 1_301]), Some(1));
}

/// An open loop with a message every 100 ns, late after 1,000 ns.
const OPEN: Terms<'_> = Terms {
    turn: None,
    deadline: Span { ns: 1_000 },
    drain: Span { ns: 1_000 },
    cutoff_ns: 50_000,
    kind: LoadKind::Open,
    clients: Clients { publishers: 1, subscribers: 1, topics: 1, shared: false },
    clock_bound: Span { ns: 0 },
    counted_only: None,
};
const CLOSED: Terms<'_> = Terms { kind: LoadKind::Closed, ..OPEN };

#[test]
fn each_fate_of_a_message_is_counted_once() {
    let sent = [
        sent(SentRow::WARMUP, 99, 0),
        sent(0, 1, 100),
        sent(1, 2, 200),
        sent(2, 3, 300),
        sent(3, 4, 400),
        sent(4, 5, 500),
    ];
    let received = [
        received(99, 50),
        received(1, 150),
        received(3, 350),    // overtakes message 2
        received(2, 360),    // reordered
        received(2, 370),    // duplicated
        received(77, 380),   // corrupted
        received(4, 1_401),  // late
        received(5, 99_999), // after the drain: lost
    ];
    let account = account(&sent, &received, &[], &OPEN);
    let expected = Delivery {
        sent: 5,
        delivered: 4,
        lost: 1,
        superseded: 0,
        late: Some(1),
        duplicated: Some(1),
        reordered: Some(1),
        corrupted: 1,
    };
    assert_eq!(account.delivery, expected);
    assert_eq!(account.counted_only, None);
    assert_eq!(account.body_bytes, 50);
    assert_eq!(account.first_message_ns, Some(49), "the publisher turned to it at 1");
    assert_eq!(account.messages[1].arrivals, 2);
    assert_eq!(account.messages[4].received_ns, None);
    assert_eq!(account.messages[0].acked_ns, None);
    assert_eq!(account.schedule.lag_p99_ns, 1);
    assert_eq!(account.schedule.rate_error, 0.0);
}

#[test]
fn a_message_counts_once_for_each_subscriber_of_its_topic() {
    let terms =
        Terms { clients: Clients { publishers: 2, subscribers: 4, topics: 2, shared: false }, ..OPEN };
    let sent = [sent(SentRow::WARMUP, 99, 0), sent(0, 1, 100), sent(1, 2, 200)];
    let to = |subscriber, digest, at| received(digest_for(subscriber, digest), at);
    let received = [
        to(0, 99, 50),
        to(2, 99, 51),
        to(2, 1, 150),
        to(0, 1, 160),
        to(0, 2, 250), // of the other topic: corrupted
        to(1, 2, 260),
        to(1, 2, 270), // a copy, which does not stand for subscriber 3's
    ];
    let account = account(&sent, &received, &[], &terms);
    let expected = Delivery {
        sent: 4,
        delivered: 3,
        lost: 1,
        superseded: 0,
        late: Some(0),
        duplicated: Some(1),
        reordered: None,
        corrupted: 1,
    };
    assert_eq!(account.delivery, expected);
    let told: Vec<_> = account.messages.iter().map(|m| (m.sequence, m.received_ns, m.arrivals)).collect();
    assert_eq!(told, [(0, Some(160), 1), (0, Some(150), 1), (1, Some(260), 2), (1, None, 0)]);
    assert_eq!((account.body_bytes, account.delivered_body_bytes), (40, 30));
    assert_eq!(account.first_message_ns, Some(49));
    assert_eq!(account.schedule.rate_error, 0.0);
}

#[test]
fn a_message_that_subscribers_share_counts_once_and_its_second_receipt_is_a_copy_whoever_got_it() {
    let clients = Clients { publishers: 2, subscribers: 6, topics: 2, shared: true };
    let sent = [sent(SentRow::WARMUP, 99, 0), sent(0, 1, 100), sent(1, 2, 200), sent(2, 3, 300)];
    // Subscribers 0, 2 and 4 all receive as 0, and 1, 3 and 5 as 1.
    let by = |subscriber, digest, at| received(digest_for(clients.receives_as(subscriber), digest), at);
    let received = [
        by(4, 99, 50),
        by(2, 1, 150),
        by(5, 2, 260),
        by(0, 1, 270), // what another member of its group had: a copy
        by(2, 2, 280), // of the other topic: corrupted
    ];
    let account = account(&sent, &received, &[], &Terms { clients, ..OPEN });
    let expected = Delivery {
        sent: 3,
        delivered: 2,
        lost: 1,
        superseded: 0,
        late: Some(0),
        duplicated: Some(1),
        reordered: None,
        corrupted: 1,
    };
    assert_eq!(account.delivery, expected);
    let told: Vec<_> = account.messages.iter().map(|m| (m.sequence, m.received_ns, m.arrivals)).collect();
    assert_eq!(told, [(0, Some(150), 2), (1, Some(260), 1), (2, None, 0)]);
    assert_eq!((account.body_bytes, account.delivered_body_bytes), (30, 20));
}

#[test]
fn sent_is_delivered_and_lost_and_superseded() {
    let superseded = |digest, at_ns| SupersededRow { digest, at_ns };
    let sent: Vec<SentRow> = [sent(SentRow::WARMUP, 99, 0)]
        .into_iter()
        .chain((0..6).map(|n| sent(n, u128::from(n), 100)))
        .chain([sent(6, 42, 100), sent(7, 42, 2_000)])
        .collect();
    let received = [received(0, 150), received(1, 150)];
    let skipped = [
        superseded(99, 10), // a warm-up message, which no figure counts
        superseded(1, 140), // a copy; the message arrived
        superseded(2, 140), // superseded
        superseded(3, 140), // superseded, and a copy of it too
        superseded(3, 141),
        superseded(4, 50_001),  // after the drain: lost
        superseded(42, 300),    // one of two with equal contents
        superseded(1_000, 300), // of no message
    ];
    for terms in [OPEN, Terms { counted_only: Some("why"), ..OPEN }] {
        let delivery = account(&sent, &received, &skipped, &terms).delivery;
        assert_eq!((delivery.sent, delivery.delivered, delivery.superseded, delivery.lost), (8, 2, 3, 3));
    }
}

#[test]
fn an_arrival_belongs_to_the_latest_of_its_content_that_was_sent_before_it() {
    let sent = [sent(0, 7, 0), sent(1, 7, 10_000), sent(2, 7, 20_000)];
    // The first is lost, the second arrives twice, the third once.
    let arrivals = [received(7, 10_150), received(7, 10_900), received(7, 20_150)];
    let account = account(&sent, &arrivals, &[], &OPEN);
    let expected = Delivery { sent: 3, delivered: 2, lost: 1, duplicated: Some(1), ..Delivery::default() };
    assert_eq!(account.delivery, expected);
    let times: Vec<_> = account.messages.iter().map(|message| message.received_ns).collect();
    assert_eq!(times, [None, Some(10_150), Some(20_150)]);
}

#[test]
fn what_arrives_before_any_message_of_its_content_was_sent_is_corrupted() {
    // A flipped bit in a number can make the content of a message to come.
    let account = account(&[sent(0, 1, 100), sent(1, 2, 200)], &[received(2, 150)], &[], &OPEN);
    assert_eq!((account.delivery.delivered, account.delivery.corrupted), (0, 1));
}

#[test]
fn an_arrival_before_the_stamp_of_its_sending_is_kept() {
    // The transport may return to the publisher after the subscriber has the message.
    let account = account(&[sent(0, 1, 100)], &[received(1, 102)], &[], &OPEN);
    let message = account.messages[0];
    assert_eq!((message.received_ns, message.sent_ns), (Some(102), Some(104)));
    assert_eq!(account.delivery.late, Some(0));
}

#[test]
fn nothing_sent_is_an_empty_account() {
    let account = account(&[], &[], &[], &OPEN);
    assert_eq!(account.delivery, Delivery::default());
    assert_eq!(account.counted_only, None);
}

#[test]
fn equals_that_may_be_under_way_together_are_only_counted() {
    let near = [sent(0, 7, 0), sent(1, 8, 100), sent(2, 7, 900)];
    let arrivals = [received(7, 950), received(8, 960), received(9, 970)];
    let account = |sent: &[SentRow], arrivals: &[ReceivedRow]| account(sent, arrivals, &[], &OPEN);
    let counted = account(&near, &arrivals);
    let reason = counted.counted_only.unwrap();
    assert!(reason.starts_with("message 0 and message 2 have the same content"), "{reason}");
    assert_eq!(
        counted.delivery,
        Delivery {
            sent: 3,
            delivered: 2,
            lost: 1,
            superseded: 0,
            late: None,
            duplicated: None,
            reordered: None,
            corrupted: 1,
        }
    );
    assert!(counted.messages.iter().all(|message| message.received_ns.is_none()));
    let apart = [sent(0, 7, 0), sent(1, 8, 100), sent(2, 7, 1_200)];
    assert_eq!(account(&apart, &[received(7, 950), received(8, 960)]).counted_only, None);
    // What is in flight for longer than the drain, and for half of the distance between equals, may overlap them.
    let reason = account(&apart, &[received(7, 1_100)]).counted_only.unwrap();
    assert!(reason.starts_with("a message was in flight for 1.1"), "{reason}");
}

#[test]
fn one_at_a_time_equals_are_told_apart_until_one_is_given_up() {
    let warm = |number, at| sent(SentRow::WARMUP | number, 7, at);
    let rows = [warm(0, 0), warm(1, 10), sent(0, 7, 100), sent(1, 7, 200), sent(2, 7, 300)];
    let account = |times: &[i64]| {
        let arrivals: Vec<ReceivedRow> = times.iter().map(|&at| received(7, at)).collect();
        account(&rows, &arrivals, &[], &CLOSED)
    };
    let whole = account(&[50, 60, 150, 250, 350]);
    assert_eq!((whole.counted_only, whole.delivery.delivered), (None, 3));
    assert_eq!(whole.messages[2].received_ns, Some(350));
    let last_lost = account(&[50, 60, 150, 250]);
    assert_eq!((last_lost.counted_only, last_lost.delivery.lost), (None, 1));
    let given_up = account(&[50, 60, 150, 350]);
    assert_eq!(
        given_up.counted_only.unwrap(),
        "message 1 had not arrived when message 2, of the same content, was sent"
    );
    assert_eq!((given_up.delivery.delivered, given_up.delivery.lost, given_up.delivery.late), (2, 1, None));
    assert!(account(&[50, 150, 250, 350]).counted_only.is_some(), "a warm-up message is left in flight");
    assert!(account(&[50, 60, 150, 151, 250, 350]).counted_only.is_some(), "a copy");
}

const MS: i64 = 1_000_000;

/// `small`: numbers of three digits, a message every 10 ms, 5 % loss on both of its hops.
#[test]
fn numbers_that_wrap_never_make_a_latency_longer_than_it_was() {
    let mut random = ChaCha8Rng::seed_from_u64(17);
    let (mut rows, mut arrivals) = (Vec::new(), Vec::new());
    for number in 0..3_000u64 {
        let at = number as i64 * 10 * MS;
        rows.push(sent(number, u128::from(number % 1_000), at));
        if random.next_u64() % 10_000 >= 975 {
            arrivals.push(received(
                u128::from(number % 1_000),
                at + 70 * MS + (random.next_u64() % 3_000_000) as i64,
            ));
        }
    }
    let terms =
        Terms { drain: Span::from_ms(8_000), deadline: Span::from_ms(2_000), cutoff_ns: i64::MAX, ..OPEN };
    let account = account(&rows, &arrivals, &[], &terms);
    assert_eq!(account.counted_only, None);
    assert_eq!(account.delivery.delivered, arrivals.len() as u64);
    let latencies = account.messages.iter().filter_map(|m| Some(m.received_ns? - m.intended_send_ns));
    assert!(latencies.clone().max().unwrap() < 73 * MS, "{:?}", latencies.max());
}

/// What really became of made-up messages.
struct Truth {
    rows: Vec<SentRow>,
    arrivals: Vec<ReceivedRow>,
    first: Vec<Option<i64>>,
    delivery: Delivery,
}

/// Messages whose contents recur after `span`, lost, repeated, damaged and delayed by less than `drain`.
fn made_up(seed: u64, messages: u64, span: u64, interval: i64, terms: &Terms<'_>) -> Truth {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut chance = |per_cent: u64| random.next_u64() % 100 < per_cent;
    let mut lots = ChaCha8Rng::seed_from_u64(!seed);
    let mut below = |limit: u64| (lots.next_u64() % limit) as i64;
    let (mut rows, mut arrivals, mut first) = (Vec::new(), Vec::new(), Vec::new());
    let mut delivery = Delivery { sent: messages, ..Delivery::default() };
    let drain = terms.drain.ns;
    for number in 0..messages {
        // The publisher is late now and then, but keeps the order.
        let at = number as i64 * interval + below(interval as u64 - 4);
        rows.push(SentRow {
            intended_send_ns: number as i64 * interval,
            ..sent(number, u128::from(number % span), at)
        });
        let mut come = Vec::new();
        if !chance(10) {
            for _ in 0..1 + u32::from(chance(10)) + u32::from(chance(5)) {
                let most = if chance(5) { drain - 1 } else { drain / 20 };
                come.push(at + 1 + below(most));
            }
        }
        if chance(3) {
            arrivals.push(received(u128::from(1_000_000 + number), at + below(drain)));
            delivery.corrupted += 1;
        }
        arrivals.extend(come.iter().map(|&at| received(u128::from(number % span), at)));
        *delivery.duplicated.as_mut().unwrap() += come.len().saturating_sub(1) as u64;
        first.push(come.into_iter().min());
    }
    // Stable: arrivals at the same moment keep the order of sending.
    arrivals.sort_by_key(|row| row.received_ns);
    let mut order: Vec<(i64, usize)> =
        first.iter().enumerate().filter_map(|(position, at)| Some(((*at)?, position))).collect();
    order.sort_unstable();
    let mut latest = None;
    for (at, position) in order {
        delivery.delivered += 1;
        *delivery.late.as_mut().unwrap() +=
            u64::from(at - rows[position].intended_send_ns > terms.deadline.ns as i64);
        *delivery.reordered.as_mut().unwrap() += u64::from(latest > Some(position));
        latest = latest.max(Some(position));
    }
    delivery.lost = messages - delivery.delivered;
    Truth { rows, arrivals, first, delivery }
}

#[test]
fn whatever_becomes_of_messages_the_account_is_the_truth() {
    let (interval, span) = (100, 30);
    // Equals are sent at least 2,904 ns apart.
    let terms = Terms { drain: Span { ns: 2_900 }, deadline: Span { ns: 400 }, cutoff_ns: i64::MAX, ..OPEN };
    let seeds = if std::env::var_os("WIREDYNO_TEST_FULL").is_some() { 200 } else { 20 };
    for seed in 0..seeds {
        let truth = made_up(seed, 1_000, span, interval, &terms);
        let account = account(&truth.rows, &truth.arrivals, &[], &terms);
        assert_eq!(account.counted_only, None, "seed {seed}");
        assert_eq!(account.delivery, truth.delivery, "seed {seed}");
        let first: Vec<Option<i64>> = account.messages.iter().map(|message| message.received_ns).collect();
        assert!(first == truth.first, "seed {seed}: another arrival");
        let counted = Terms { counted_only: Some("why"), ..terms };
        let counted = self::account(&truth.rows, &truth.arrivals, &[], &counted).delivery;
        assert_eq!(
            (counted.sent, counted.corrupted),
            (truth.delivery.sent, truth.delivery.corrupted),
            "seed {seed}"
        );
        assert!(counted.delivered >= truth.delivery.delivered, "seed {seed}: copies stand for what was lost");
    }
}

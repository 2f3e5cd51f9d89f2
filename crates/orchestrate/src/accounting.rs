//! Exact accounting: matches what was sent with what arrived, by content alone.
//!
//! Digests of bodies are matched in order: when several messages of a trial have the same content (a number
//! that wraps), an arrival belongs to the earliest of them that has not arrived yet.

use std::collections::{HashMap, VecDeque};

use wiredyno_model::Span;
use wiredyno_model::trial::{Delivery, MessageRecord, Schedule};
use wiredyno_runner_wire::bulk::{ABSENT, ReceivedRow, SentRow, SupersededRow};

use crate::pace;

/// The messages of a trial and what became of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// Every measured message in order of sending.
    pub messages: Vec<MessageRecord>,
    /// Their sums.
    pub delivery: Delivery,
    /// Bytes of all bodies sent.
    pub body_bytes: u64,
    /// How the schedule was kept.
    pub schedule: Schedule,
}

/// Matches arrivals with messages, and of what did not arrive tells the superseded from the lost. `cutoff_ns` ends the
/// drain: what arrives or is superseded later counts as lost.
/// `interval_ns` is the intended time between messages, absent for a closed loop.
pub fn account(
    sent: &[SentRow],
    received: &[ReceivedRow],
    superseded: &[SupersededRow],
    deadline: Span,
    cutoff_ns: i64,
    interval_ns: Option<u64>,
) -> Account {
    let mut waiting: HashMap<u128, VecDeque<usize>> = HashMap::new();
    for (position, row) in sent.iter().enumerate() {
        waiting.entry(row.digest).or_default().push_back(position);
    }
    let mut arrivals: Vec<(u32, Option<ReceivedRow>)> = vec![(0, None); sent.len()];
    let mut delivery = Delivery::default();
    let mut latest_sent = None;
    for row in received.iter().filter(|row| row.received_ns <= cutoff_ns) {
        let Some(candidates) = waiting.get_mut(&row.digest) else {
            delivery.corrupted += 1;
            continue;
        };
        // The last candidate stays, so that further arrivals of it count as duplicates.
        let position =
            if candidates.len() > 1 { candidates.pop_front() } else { candidates.front().copied() };
        let Some(position) = position else { continue };
        let measured = !sent[position].is_warmup();
        let (count, first) = &mut arrivals[position];
        *count += 1;
        if *count > 1 {
            delivery.duplicated += u64::from(measured);
            continue;
        }
        *first = Some(*row);
        if measured {
            if latest_sent.is_some_and(|latest| latest > position) {
                delivery.reordered += 1;
            }
            latest_sent = latest_sent.max(Some(position));
        }
    }
    let mut skipped: HashMap<u128, u64> = HashMap::new();
    for row in superseded.iter().filter(|row| row.at_ns <= cutoff_ns) {
        *skipped.entry(row.digest).or_default() += 1;
    }
    let mut messages = Vec::with_capacity(sent.len());
    let mut body_bytes = 0;
    for (row, (count, first)) in sent.iter().zip(arrivals).filter(|(row, _)| !row.is_warmup()) {
        body_bytes += row.body_bytes;
        delivery.sent += 1;
        match first {
            Some(arrival) => {
                delivery.delivered += 1;
                let limit = row.intended_send_ns.saturating_add_unsigned(deadline.ns);
                delivery.late += u64::from(arrival.received_ns > limit);
            }
            // What arrived is delivered, also when a copy of it was superseded.
            None => match skipped.get_mut(&row.digest).filter(|left| **left > 0) {
                Some(left) => {
                    *left -= 1;
                    delivery.superseded += 1;
                }
                None => delivery.lost += 1,
            },
        }
        messages.push(MessageRecord {
            sequence: row.sequence,
            body_bytes: u32::try_from(row.body_bytes).unwrap_or(u32::MAX),
            intended_send_ns: row.intended_send_ns,
            build_start_ns: row.build_start_ns,
            built_ns: row.built_ns,
            encoded_ns: row.encoded_ns,
            handed_over_ns: present(row.handed_over_ns),
            sent_ns: present(row.sent_ns),
            acked_ns: present(row.acked_ns),
            received_ns: first.map(|arrival| arrival.received_ns),
            decoded_ns: first.and_then(|arrival| present(arrival.decoded_ns)),
            arrivals: count,
        });
    }
    let schedule = pace::schedule(&messages, interval_ns.is_some());
    Account { messages, delivery, body_bytes, schedule }
}

fn present(time_ns: i64) -> Option<i64> {
    (time_ns != ABSENT).then_some(time_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

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

    const LIMIT: Span = Span { ns: 1_000 };

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
        let account = account(&sent, &received, &[], LIMIT, 50_000, Some(100));
        let expected = Delivery {
            sent: 5,
            delivered: 4,
            lost: 1,
            superseded: 0,
            late: 1,
            duplicated: 1,
            reordered: 1,
            corrupted: 1,
        };
        assert_eq!(account.delivery, expected);
        assert_eq!(account.body_bytes, 50);
        assert_eq!(account.messages[1].arrivals, 2);
        assert_eq!(account.messages[4].received_ns, None);
        assert_eq!(account.messages[0].acked_ns, None);
        assert_eq!(account.schedule.lag_p99_ns, 1);
        assert_eq!(account.schedule.rate_error, 0.0);
    }

    #[test]
    fn sent_is_delivered_and_lost_and_superseded() {
        let superseded = |digest, at_ns| SupersededRow { digest, at_ns };
        let sent: Vec<SentRow> = [sent(SentRow::WARMUP, 99, 0)]
            .into_iter()
            .chain((0..6).map(|n| sent(n, u128::from(n), 100)))
            .chain([sent(6, 42, 100), sent(7, 42, 200)])
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
        let delivery = account(&sent, &received, &skipped, LIMIT, 50_000, None).delivery;
        assert_eq!((delivery.sent, delivery.delivered, delivery.superseded, delivery.lost), (8, 2, 3, 3));
        assert_eq!(delivery.sent, delivery.delivered + delivery.superseded + delivery.lost);
    }

    #[test]
    fn equal_contents_are_matched_in_order() {
        let sent = [sent(0, 7, 100), sent(1, 7, 200)];
        let account = account(&sent, &[received(7, 150), received(7, 250)], &[], LIMIT, 5_000, None);
        assert_eq!(account.delivery.delivered, 2);
        assert_eq!(account.delivery.duplicated, 0);
        assert_eq!(account.messages[1].received_ns, Some(250));
    }

    #[test]
    fn nothing_sent_is_an_empty_account() {
        let account = account(&[], &[], &[], LIMIT, 0, Some(1));
        assert_eq!(account.delivery, Delivery::default());
    }

    #[test]
    fn a_negative_latency_is_kept() {
        let account = account(&[sent(0, 1, 100)], &[received(1, 90)], &[], LIMIT, 5_000, None);
        assert_eq!(account.messages[0].received_ns, Some(90));
        assert_eq!(account.delivery.late, 0);
    }
}

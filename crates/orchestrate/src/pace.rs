//! Whether a trial kept its pace: how late the publisher was and why, and whether messages piled up.
//!
//! The lag of a message is `build_start` minus `intended_send`. It has two parts: the publisher was still *busy* with the
//! message before (building, encoding, a client that blocks), which belongs to what is measured; and it *woke up late*,
//! which is the stand's own fault.

use wiredyno_model::trial::{Backlog, MessageRecord, Schedule};

/// How the schedule was kept. `open` is whether there was one: a closed loop has no rate to miss.
pub fn schedule(messages: &[MessageRecord], open: bool) -> Schedule {
    let lags = sorted(messages.iter().map(|message| message.build_start_ns - message.intended_send_ns));
    let parts: Vec<Lag> = lags_of(messages).collect();
    let woken = sorted(parts.iter().map(|lag| lag.woken_ns));
    let busy = sorted(parts.iter().map(|lag| lag.busy_ns));
    Schedule {
        lag_p50_ns: quantile(&lags, 0.5),
        lag_p99_ns: quantile(&lags, 0.99),
        lag_max_ns: lags.last().copied().unwrap_or_default(),
        rate_error: if open { rate_error(messages) } else { 0.0 },
        woken_p99_ns: quantile(&woken, 0.99),
        woken_rate_error: if open { woken_rate_error(messages, &parts) } else { 0.0 },
        busy_p99_ns: quantile(&busy, 0.99),
    }
}

/// The two parts of a message's lag.
struct Lag {
    busy_ns: i64,
    woken_ns: i64,
}

fn lags_of(messages: &[MessageRecord]) -> impl Iterator<Item = Lag> + '_ {
    let before = std::iter::once(None).chain(messages.iter().map(|message| message.handed_over_ns));
    messages.iter().zip(before).map(|(message, before)| {
        let free_ns = before.unwrap_or(i64::MIN);
        let due_ns = message.intended_send_ns;
        Lag {
            busy_ns: free_ns.saturating_sub(due_ns).max(0),
            woken_ns: message.build_start_ns - due_ns.max(free_ns),
        }
    })
}

fn sorted(values: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut values: Vec<i64> = values.collect();
    values.sort_unstable();
    values
}

/// The smallest value that at least this share of all does not exceed; 0 of none.
fn quantile(sorted: &[i64], share: f64) -> i64 {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

/// Relative error of the achieved rate: the span from first to last send against the intended span.
fn rate_error(messages: &[MessageRecord]) -> f64 {
    let [first, .., last] = messages else { return 0.0 };
    let intended = (last.intended_send_ns - first.intended_send_ns) as f64;
    let actual = (last.build_start_ns - first.build_start_ns) as f64;
    if intended <= 0.0 || actual <= 0.0 {
        return 0.0;
    }
    (intended / actual - 1.0).abs()
}

/// What waking up late at both ends alone did to the span of sending.
fn woken_rate_error(messages: &[MessageRecord], lags: &[Lag]) -> f64 {
    let ([first, .., last], [early, .., late]) = (messages, lags) else { return 0.0 };
    let intended = (last.intended_send_ns - first.intended_send_ns) as f64;
    if intended <= 0.0 {
        return 0.0;
    }
    (late.woken_ns - early.woken_ns).unsigned_abs() as f64 / intended
}

/// Messages under way when half of them, and when all had been handed over.
pub fn backlog(messages: &[MessageRecord]) -> Backlog {
    let under_way = |at_ns: i64| {
        let sent = messages.iter().filter(|message| left_ns(message) <= at_ns);
        sent.filter(|message| message.received_ns.is_some_and(|received_ns| received_ns > at_ns)).count()
            as u64
    };
    match messages {
        [] => Backlog::default(),
        [.., last] => {
            let half = &messages[(messages.len() - 1) / 2];
            Backlog { half: under_way(left_ns(half)), end: under_way(left_ns(last)) }
        }
    }
}

/// From the first intended send to the last hand-over, in nanoseconds.
pub fn sending_ns(messages: &[MessageRecord]) -> u64 {
    match messages {
        [first, ..] => {
            let last_ns = messages.iter().map(left_ns).max().unwrap_or(first.intended_send_ns);
            u64::try_from(last_ns - first.intended_send_ns).unwrap_or(0)
        }
        [] => 0,
    }
}

/// When a message left the publisher's hands.
fn left_ns(message: &MessageRecord) -> i64 {
    message.handed_over_ns.or(message.sent_ns).unwrap_or(message.encoded_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message due at one moment, begun at another, handed over at a third and received at a fourth.
    fn message(due_ns: i64, begun_ns: i64, handed_over_ns: i64, received_ns: Option<i64>) -> MessageRecord {
        MessageRecord {
            sequence: 0,
            body_bytes: 1,
            intended_send_ns: due_ns,
            build_start_ns: begun_ns,
            built_ns: begun_ns,
            encoded_ns: begun_ns,
            handed_over_ns: Some(handed_over_ns),
            sent_ns: None,
            acked_ns: None,
            received_ns,
            decoded_ns: None,
            crossing: None,
            arrivals: 1,
        }
    }

    #[test]
    fn queueing_behind_one_s_own_encoding_is_not_waking_up_late() {
        // Due every 100, each takes 150: the second is due while the first is still in hand.
        let slow: Vec<_> = (0..100).map(|k| message(k * 100, k * 150 + 1, (k + 1) * 150, None)).collect();
        let kept = schedule(&slow, true);
        assert_eq!(kept.woken_p99_ns, 1);
        assert_eq!(kept.busy_p99_ns, 98 * 50);
        assert_eq!(kept.lag_max_ns, 99 * 50 + 1);
        assert!(kept.rate_error > 0.3 && kept.woken_rate_error == 0.0, "{kept:?}");
    }

    #[test]
    fn waking_up_late_is_told_from_the_later_of_both_moments() {
        let late: Vec<_> = (0..100).map(|k| message(k * 100, k * 100 + 40, k * 100 + 50, None)).collect();
        let kept = schedule(&late, true);
        assert_eq!((kept.woken_p99_ns, kept.busy_p99_ns, kept.lag_p50_ns), (40, 0, 40));
        // The last one alone wakes up half a span late.
        let mut last = late;
        last[99] = message(9_900, 9_900 + 4_990, 15_000, None);
        let kept = schedule(&last, true);
        assert!((kept.woken_rate_error - 0.5).abs() < 1e-9 && schedule(&last, false).woken_rate_error == 0.0);
    }

    #[test]
    fn records_without_the_hand_over_count_all_lag_as_waking() {
        let mut old = message(200, 260, 0, None);
        old.handed_over_ns = None;
        let kept = schedule(&[old, old], true);
        assert_eq!((kept.woken_p99_ns, kept.busy_p99_ns), (60, 0));
    }

    #[test]
    fn a_backlog_is_what_has_left_and_not_arrived_and_loss_is_none() {
        // Every 10, each arrives 25 later: two or three are always under way.
        let steady: Vec<_> = (0..20).map(|k| message(k * 10, k * 10, k * 10, Some(k * 10 + 25))).collect();
        assert_eq!(backlog(&steady), Backlog { half: 3, end: 3 });
        // Served one every 20 only.
        let growing: Vec<_> = (0..20).map(|k| message(k * 10, k * 10, k * 10, Some(k * 20 + 25))).collect();
        assert_eq!(backlog(&growing), Backlog { half: 6, end: 11 });
        let lost: Vec<_> = (0..20).map(|k| message(k * 10, k * 10, k * 10, None)).collect();
        assert_eq!(backlog(&lost), Backlog::default());
        assert_eq!((backlog(&[]), sending_ns(&[])), (Backlog::default(), 0));
        assert_eq!(sending_ns(&steady), 190);
    }
}

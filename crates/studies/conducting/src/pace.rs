//! Whether a trial kept its pace: how late the publisher was and why, and whether messages accumulated.
//!
//! The lag of a message is `build_start` minus `intended_send`. It has two parts: the publisher was still *busy* with the
//! previous message (building, encoding, a client that blocks), which belongs to what is measured; and it *woke up late*,
//! which is the stand's own fault.

use wiredyno_contract::Span;
use wiredyno_model::trial::{Backlog, MessageRecord, Schedule};
use wiredyno_stats::histogram::HistogramError;
use wiredyno_stats::{Quantile, Recorder};

/// When messages of a trial were sent, as far as that must be known before they are read again.
#[derive(Debug, Clone, Copy, Default)]
pub struct Moments {
    /// How many messages so far.
    count: u64,
    /// Half the number of all messages.
    half: u64,
    first_intended_ns: i64,
    half_left_ns: i64,
    last_left_ns: i64,
    latest_left_ns: i64,
}

impl Moments {
    /// Adds the next message; `left` is how many remain, this one included.
    pub fn add(&mut self, message: &MessageRecord, left: u64) {
        let left_ns = left_ns(message);
        if self.count == 0 {
            self.half = left.saturating_sub(1) / 2;
            self.first_intended_ns = message.intended_send_ns;
            self.latest_left_ns = left_ns;
        }
        if self.count == self.half {
            self.half_left_ns = left_ns;
        }
        self.last_left_ns = left_ns;
        self.latest_left_ns = self.latest_left_ns.max(left_ns);
        self.count += 1;
    }

    /// When the first message was due, by CLOCK_MONOTONIC.
    pub fn first_intended_ns(&self) -> i64 {
        self.first_intended_ns
    }

    /// From the first intended send to the last hand-over, in nanoseconds.
    pub fn sending_ns(&self) -> u64 {
        u64::try_from(self.latest_left_ns - self.first_intended_ns).unwrap_or(0)
    }
}

/// Computes how a trial kept its schedule, from its messages, added in order of sending.
pub struct Pace {
    /// Whether there was a schedule: closed loops and batches have no rate to keep.
    open: bool,
    /// The pause of a loop in which each message waits for the previous one.
    turn: Option<Span>,
    gaps: Recorder,
    moments: Moments,
    lags: Recorder,
    woken: Recorder,
    busy: Recorder,
    backlog: Backlog,
    /// First and last message, and how late the publisher woke up for each.
    ends: Option<[(MessageRecord, i64); 2]>,
}

impl Pace {
    /// `exact`: whether every value is kept.
    ///
    /// # Errors
    /// When there is no memory for percentiles.
    pub fn new(
        open: bool,
        turn: Option<Span>,
        exact: bool,
        moments: Moments,
    ) -> Result<Self, HistogramError> {
        let [lags, woken, busy] = [Recorder::new(exact)?, Recorder::new(exact)?, Recorder::new(exact)?];
        let gaps = Recorder::new(exact)?;
        Ok(Pace { open, turn, gaps, moments, lags, woken, busy, backlog: Backlog::default(), ends: None })
    }

    /// Adds the next message.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn add(&mut self, message: &MessageRecord) -> Result<(), HistogramError> {
        let before = self.ends.as_ref().and_then(|[_, (last, _)]| last.handed_over_ns);
        let free_ns = before.unwrap_or(i64::MIN);
        let due_ns = message.intended_send_ns;
        let woken_ns = message.build_start_ns - due_ns.max(free_ns);
        let received = self.ends.as_ref().and_then(|[_, (last, _)]| last.received_ns);
        // A message that arrived after the next was due (given up before, or for the last of several subscribers) did not open that turn.
        if let (Some(pause), Some(received_ns)) =
            (self.turn, received.filter(|received_ns| *received_ns <= due_ns))
        {
            self.gaps.record(due_ns - received_ns - pause.ns as i64)?;
        }
        self.lags.record(message.build_start_ns - due_ns)?;
        self.woken.record(woken_ns)?;
        self.busy.record(free_ns.saturating_sub(due_ns).max(0))?;
        let first = self.ends.map_or((*message, woken_ns), |[first, _]| first);
        self.ends = Some([first, (*message, woken_ns)]);
        let left_ns = left_ns(message);
        let under_way = |at_ns: i64| {
            left_ns <= at_ns && message.received_ns.is_some_and(|received_ns| received_ns > at_ns)
        };
        self.backlog.half += u64::from(under_way(self.moments.half_left_ns));
        self.backlog.end += u64::from(under_way(self.moments.last_left_ns));
        Ok(())
    }

    /// How the schedule was kept, and how many messages were in flight when half of them, and when all had been handed over.
    pub fn told(self) -> (Schedule, Backlog) {
        let (rate_error, woken_rate_error) = match self.ends {
            Some([(first, early), (last, late)]) if self.open => {
                (rate_error(&first, &last), woken_rate_error(&first, &last, late - early))
            }
            _ => (0.0, 0.0),
        };
        let [lags, woken, busy] = [self.lags, self.woken, self.busy].map(Recorder::tally);
        // The smallest value that at least this share of all does not exceed; 0 if there are none.
        let rank = |of: &Option<wiredyno_stats::Tally>, share| {
            of.as_ref().map_or(0, |of| of.nearest_rank(share) as i64)
        };
        let schedule = Schedule {
            lag_p50_ns: rank(&lags, Quantile::MEDIAN),
            lag_p99_ns: rank(&lags, Quantile::P99),
            lag_max_ns: lags.as_ref().map_or(0, |lags| lags.max() as i64),
            rate_error,
            woken_p99_ns: rank(&woken, Quantile::P99),
            woken_rate_error,
            busy_p99_ns: rank(&busy, Quantile::P99),
            gap_ns: self.gaps.tally().map(|gaps| gaps.mean().round() as i64),
        };
        (schedule, self.backlog)
    }
}

/// Relative error of the achieved rate: the actual against the intended span from first to last send.
fn rate_error(first: &MessageRecord, last: &MessageRecord) -> f64 {
    let intended = (last.intended_send_ns - first.intended_send_ns) as f64;
    let actual = (last.build_start_ns - first.build_start_ns) as f64;
    if intended <= 0.0 || actual <= 0.0 {
        return 0.0;
    }
    (intended / actual - 1.0).abs()
}

/// The part of that error that waking up late at both ends caused.
fn woken_rate_error(first: &MessageRecord, last: &MessageRecord, later_ns: i64) -> f64 {
    let intended = (last.intended_send_ns - first.intended_send_ns) as f64;
    if intended <= 0.0 {
        return 0.0;
    }
    later_ns.unsigned_abs() as f64 / intended
}

/// When the publisher handed over a message.
fn left_ns(message: &MessageRecord) -> i64 {
    message.handed_over_ns.or(message.sent_ns).unwrap_or(message.encoded_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(messages: &[MessageRecord], open: bool) -> (Schedule, Backlog, u64) {
        told_in_turns(messages, open, None)
    }

    fn told_in_turns(messages: &[MessageRecord], open: bool, turn: Option<Span>) -> (Schedule, Backlog, u64) {
        let mut moments = Moments::default();
        let left = (1..=messages.len() as u64).rev();
        messages.iter().zip(left).for_each(|(message, left)| moments.add(message, left));
        let mut pace = Pace::new(open, turn, true, moments).unwrap();
        messages.iter().for_each(|message| pace.add(message).unwrap());
        let (schedule, backlog) = pace.told();
        (schedule, backlog, moments.sending_ns())
    }

    fn schedule(messages: &[MessageRecord], open: bool) -> Schedule {
        told(messages, open).0
    }

    fn backlog(messages: &[MessageRecord]) -> Backlog {
        told(messages, true).1
    }

    /// A message with times: due, begun, handed over and received.
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
        // Due every 100, each takes 150: the second is due while the first is still being sent.
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
        // Only the last one wakes up half a span late.
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
    fn the_gap_of_a_closed_loop_is_from_a_receipt_to_the_next_due_moment_without_the_pause() {
        // Received 40 after it was due; the next is due 10 of pause and 7 later. The third was lost, so the fourth has no gap.
        let received = |k: i64| (k != 2).then_some(k * 57 + 40);
        let turns: Vec<_> = (0..5).map(|k| message(k * 57, k * 57, k * 57, received(k))).collect();
        let gap = |messages, turn| told_in_turns(messages, false, turn).0.gap_ns;
        assert_eq!(gap(&turns, Some(Span { ns: 10 })), Some(7));
        let mut late = turns.clone();
        late[1].received_ns = Some(10_000);
        assert_eq!(gap(&late, Some(Span { ns: 10 })), Some(7));
        assert_eq!((gap(&turns, None), gap(&turns[..1], Some(Span { ns: 10 }))), (None, None));
    }

    #[test]
    fn a_backlog_is_what_has_left_and_not_arrived_and_loss_is_none() {
        // Every 10, each arrives 25 later: two or three are always in flight.
        let steady: Vec<_> = (0..20).map(|k| message(k * 10, k * 10, k * 10, Some(k * 10 + 25))).collect();
        assert_eq!(backlog(&steady), Backlog { half: 3, end: 3 });
        // Served only every 20.
        let growing: Vec<_> = (0..20).map(|k| message(k * 10, k * 10, k * 10, Some(k * 20 + 25))).collect();
        assert_eq!(backlog(&growing), Backlog { half: 6, end: 11 });
        let lost: Vec<_> = (0..20).map(|k| message(k * 10, k * 10, k * 10, None)).collect();
        assert_eq!(backlog(&lost), Backlog::default());
        assert_eq!(told(&[], true), (Schedule::default(), Backlog::default(), 0));
        assert_eq!(told(&steady, true).2, 190);
    }
}

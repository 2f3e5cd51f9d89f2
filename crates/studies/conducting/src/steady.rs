//! Whether a trial was in a steady state: whether later messages took longer than earlier ones.

use wiredyno_model::trial::MessageRecord;
use wiredyno_stats::histogram::HistogramError;
use wiredyno_stats::{Quantile, Recorder};

use crate::messages::latency;

/// The least number of delivered messages in each third: fewer don't show a trend.
const FEWEST: u64 = 10;

/// How much larger the median latency of a trial's last third is than that of its first, as a share: 0.5 means half as
/// much again. Thirds are of messages in order of sending; the middle one is left out.
#[derive(Debug)]
pub struct Trend {
    third: u64,
    count: u64,
    seen: u64,
    first: Recorder,
    last: Recorder,
}

impl Trend {
    /// For this number of messages. `exact`: whether every latency is kept.
    ///
    /// # Errors
    /// When there is no memory for percentiles.
    pub fn of(count: u64, exact: bool) -> Result<Self, HistogramError> {
        Ok(Trend {
            third: count / 3,
            count,
            seen: 0,
            first: Recorder::new(exact)?,
            last: Recorder::new(exact)?,
        })
    }

    /// Adds the next message.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn add(&mut self, message: &MessageRecord) -> Result<(), HistogramError> {
        let place = self.seen;
        self.seen += 1;
        match latency(message) {
            Some(latency_ns) if place < self.third => self.first.record(latency_ns),
            Some(latency_ns) if place >= self.count - self.third => self.last.record(latency_ns),
            _ => Ok(()),
        }
    }

    /// The share; absent with fewer than ten delivered in either third, or if the first median is not positive.
    pub fn share(self) -> Option<f64> {
        let median = |third: Recorder| {
            third
                .tally()
                .filter(|third| third.count() >= FEWEST)
                .map(|third| third.quantile(Quantile::MEDIAN))
        };
        let (first, last) = (median(self.first)?, median(self.last)?);
        (first > 0.0).then(|| last / first - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latency_trend(messages: &[MessageRecord]) -> Option<f64> {
        let mut trend = Trend::of(messages.len() as u64, true).unwrap();
        messages.iter().for_each(|message| trend.add(message).unwrap());
        trend.share()
    }

    fn messages(latency_ns: impl Fn(i64) -> Option<i64>, count: i64) -> Vec<MessageRecord> {
        let message = |number: i64| MessageRecord {
            sequence: number.unsigned_abs(),
            body_bytes: 1,
            intended_send_ns: number * 100,
            build_start_ns: number * 100,
            built_ns: number * 100,
            encoded_ns: number * 100,
            handed_over_ns: None,
            sent_ns: None,
            acked_ns: None,
            received_ns: latency_ns(number).map(|latency_ns| number * 100 + latency_ns),
            decoded_ns: None,
            crossing: None,
            arrivals: 1,
        };
        (0..count).map(message).collect()
    }

    #[test]
    fn a_latency_that_grows_has_a_trend_and_a_steady_one_has_none() {
        assert_eq!(latency_trend(&messages(|_| Some(70), 90)), Some(0.0));
        assert_eq!(
            latency_trend(&messages(|number| Some(if number < 45 { 100 } else { 150 }), 90)),
            Some(0.5)
        );
        assert_eq!(
            latency_trend(&messages(|number| Some(100 - number), 90)).map(f64::is_sign_negative),
            Some(true)
        );
    }

    #[test]
    fn too_few_messages_tell_no_trend() {
        assert_eq!(latency_trend(&messages(|_| Some(70), 29)), None);
        assert_eq!(latency_trend(&messages(|number| (number % 2 == 0).then_some(70), 54)), None);
        assert_eq!(latency_trend(&messages(|number| (number % 2 == 0).then_some(70), 60)), Some(0.0));
        assert_eq!(latency_trend(&[]), None);
    }
}

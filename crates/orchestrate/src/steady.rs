//! Whether a trial was in a steady state: whether later messages took longer than earlier ones.

use wiredyno_model::trial::MessageRecord;
use wiredyno_stats::{Quantile, Sample};

/// Delivered messages in each third, at least: fewer tell nothing about a trend.
const FEWEST: usize = 10;

/// How much larger the median latency of a trial's last third is than that of its first, as a share: 0.5 means half as
/// much again. Thirds are of messages in order of sending, the middle one is left out. Absent with fewer than ten
/// delivered in either, or where the first median is not positive.
pub fn latency_trend(messages: &[MessageRecord]) -> Option<f64> {
    let third = messages.len() / 3;
    let median = |messages: &[MessageRecord]| {
        let latency =
            |message: &MessageRecord| Some((message.received_ns? - message.intended_send_ns) as f64);
        let latencies: Vec<f64> = messages.iter().filter_map(latency).collect();
        let enough = latencies.len() >= FEWEST;
        enough.then(|| Sample::new(latencies).ok()).flatten().map(|sample| sample.quantile(Quantile::MEDIAN))
    };
    let first = median(&messages[..third])?;
    let last = median(&messages[messages.len() - third..])?;
    (first > 0.0).then(|| last / first - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

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

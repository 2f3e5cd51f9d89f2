//! What running trials do now, in a few words.

use wiredyno_model::live::{LivePhase, LiveTrial};

use crate::in_words::{count, short_time};

/// One line about the last second: the rates, and for a single trial its latencies and what is missing.
pub fn line(trials: &[LiveTrial]) -> Option<String> {
    if let [trial] = trials {
        return Some(format!("{}: {}", trial.name, of_one(trial)));
    }
    let rate = |of: fn(&LiveTrial) -> Option<u64>| {
        let rates = trials.iter().filter_map(|trial| per_second(of(trial)?, trial.second.span_ns));
        rates.reduce(|one, other| one + other)
    };
    let (sent, received) = (rate(|trial| trial.second.sent)?, rate(|trial| trial.second.received)?);
    Some(format!("{} running: {sent:.0}/s sent, {received:.0}/s received", count(trials.len(), "trial")))
}

fn per_second(count: u64, span_ns: u64) -> Option<f64> {
    (span_ns > 0).then(|| count as f64 * 1e9 / span_ns as f64)
}

fn of_one(trial: &LiveTrial) -> String {
    let second = &trial.second;
    let rate = |of: Option<u64>| per_second(of?, second.span_ns);
    let (Some(sent), Some(received)) = (rate(second.sent), rate(second.received)) else {
        return match second.phase {
            LivePhase::WarmUp => "warming up".to_owned(),
            LivePhase::Sending => "sending; its runner does not report how much".to_owned(),
            LivePhase::Draining => "waiting for what is on its way".to_owned(),
        };
    };
    let mut words = vec![format!("{sent:.0}/s sent, {received:.0}/s received")];
    if let (Some(p50), Some(p99)) = (second.p50_ns, second.p99_ns) {
        words.push(format!("p50 {}, p99 {}", short_time(p50 as f64), short_time(p99 as f64)));
    }
    let (judged, missing) = (trial.so_far.judged, trial.so_far.missing);
    if missing > 0 {
        words.push(format!("{:.1} % missing", 100.0 * missing as f64 / judged.max(1) as f64));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use wiredyno_model::live::{LiveSecond, LiveTotal};

    use super::*;

    fn trial(second: LiveSecond) -> LiveTrial {
        let so_far = LiveTotal { judged: 200, missing: 5, ..LiveTotal::default() };
        LiveTrial { name: "a".into(), repeat: 0, attempt: 0, second, so_far }
    }

    #[test]
    fn a_line_says_what_is_known_and_no_more() {
        let second = LiveSecond {
            span_ns: 2_000_000_000,
            sent: Some(10_000),
            received: Some(9_000),
            p50_ns: Some(123_456),
            p99_ns: Some(2_000_000),
            ..LiveSecond::default()
        };
        let whole = "a: 5000/s sent, 4500/s received, p50 123.46 µs, p99 2.00 ms, 2.5 % missing";
        assert_eq!(line(&[trial(second.clone())]).unwrap(), whole);
        let blind = LiveSecond { sent: None, phase: LivePhase::Sending, ..second.clone() };
        assert_eq!(line(&[trial(blind)]).unwrap(), "a: sending; its runner does not report how much");
        let two = line(&[trial(second.clone()), trial(second)]).unwrap();
        assert_eq!(two, "2 trials running: 10000/s sent, 9000/s received");
        assert_eq!(line(&[]), None);
    }
}

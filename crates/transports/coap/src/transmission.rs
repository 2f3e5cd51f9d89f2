//! Times derived from the transmission parameters (RFC 7252, section 4.8.2).

use crate::declared::Transmission;

impl Transmission {
    fn longest_first_wait_ns(&self) -> i64 {
        self.ack_timeout_ns * self.ack_random_permille / 1000
    }

    /// MAX_TRANSMIT_SPAN: from the first transmission to the last, at most (45 s).
    pub fn max_transmit_span_ns(&self) -> i64 {
        self.longest_first_wait_ns() * ((1 << self.max_retransmit) - 1)
    }

    /// MAX_TRANSMIT_WAIT: from the first transmission until it is given up, at most (93 s).
    pub fn max_transmit_wait_ns(&self) -> i64 {
        self.longest_first_wait_ns() * ((2 << self.max_retransmit) - 1)
    }

    /// EXCHANGE_LIFETIME: how long the message id of a confirmable message stays in use (247 s); the
    /// processing delay is ACK_TIMEOUT.
    pub fn exchange_lifetime_ns(&self) -> i64 {
        self.max_transmit_span_ns() + 2 * self.max_latency_ns + self.ack_timeout_ns
    }

    /// NON_LIFETIME: how long the message id of a non-confirmable message stays in use (145 s).
    pub fn non_lifetime_ns(&self) -> i64 {
        self.max_transmit_span_ns() + self.max_latency_ns
    }
}

#[cfg(test)]
mod tests {
    use wiredyno_contract::{OptionValue, TransportOptions};

    use super::*;
    use crate::declared::Options;

    const SECOND_NS: i64 = 1_000_000_000;

    #[test]
    fn derived_times_are_those_of_rfc_7252_section_4_8_2() {
        let t = Transmission::STANDARD;
        assert_eq!(t.max_transmit_span_ns(), 45 * SECOND_NS);
        assert_eq!(t.max_transmit_wait_ns(), 93 * SECOND_NS);
        assert_eq!(t.exchange_lifetime_ns(), 247 * SECOND_NS);
        assert_eq!(t.non_lifetime_ns(), 145 * SECOND_NS);
    }

    #[test]
    fn extremes_of_the_options_overflow_nothing() {
        let extremes = [
            ("ack_timeout", OptionValue::Text("60s".into())),
            ("ack_random_factor", OptionValue::Whole(10)),
            ("max_retransmit", OptionValue::Whole(20)),
            ("max_latency", OptionValue::Text("1h".into())),
        ];
        let extremes = extremes.map(|(name, value)| (name.to_owned(), value)).into();
        let options = Options::STANDARD.with(&extremes).unwrap();
        assert!(options.transmission.exchange_lifetime_ns() > 0);
        assert!(options.transmission.max_transmit_wait_ns() > 0);
    }
}

//! What an endpoint can be told: the transmission parameters of RFC 7252 and the variants that change what is
//! measured.

use super::block::LARGEST_SZX;

const SECOND_NS: i64 = 1_000_000_000;

/// Transmission parameters (RFC 7252, section 4.8) and what follows from them (section 4.8.2). NSTART is 1 and
/// no parameter: one confirmable message per peer is under way at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transmission {
    /// ACK_TIMEOUT: the shortest first wait for an acknowledgement.
    pub ack_timeout_ns: i64,
    /// ACK_RANDOM_FACTOR in thousandths, 1000 or more: the first wait is drawn between ACK_TIMEOUT and this
    /// many thousandths of it.
    pub ack_random_permille: i64,
    /// MAX_RETRANSMIT: how often a confirmable message is sent again before it is given up, at most 25.
    pub max_retransmit: u32,
    /// MAX_LATENCY: the longest that a datagram is assumed to travel.
    pub max_latency_ns: i64,
    /// How long the parts of a non-confirmable block-wise transfer wait for the other side before the whole
    /// body is given up. RFC 7959 leaves this open; ours is the longest first wait of a confirmable message.
    pub non_patience_ns: i64,
}

impl Transmission {
    /// The default values of RFC 7252, section 4.8.
    pub const STANDARD: Transmission = Transmission {
        ack_timeout_ns: 2 * SECOND_NS,
        ack_random_permille: 1500,
        max_retransmit: 4,
        max_latency_ns: 100 * SECOND_NS,
        non_patience_ns: 3 * SECOND_NS,
    };

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

    /// EXCHANGE_LIFETIME: how long the message id of a confirmable message stays taken (247 s); the
    /// processing delay is ACK_TIMEOUT.
    pub fn exchange_lifetime_ns(&self) -> i64 {
        self.max_transmit_span_ns() + 2 * self.max_latency_ns + self.ack_timeout_ns
    }

    /// NON_LIFETIME: how long the message id of a non-confirmable message stays taken (145 s).
    pub fn non_lifetime_ns(&self) -> i64 {
        self.max_transmit_span_ns() + self.max_latency_ns
    }
}

/// How publishers hand over a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// POST, the default.
    Post,
    /// PUT.
    Put,
}

/// The variants of an endpoint. The standard ones measure every message that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Timers and repetitions.
    pub transmission: Transmission,
    /// How publishers hand over a body.
    pub method: Method,
    /// Size exponent of blocks, 0..=6: blocks have 2^(szx + 4) bytes (RFC 7959, section 2.2).
    pub szx: u8,
    /// Drop messages whose id was seen before (RFC 7252, section 4.5). Off, every copy that arrives is handed over.
    pub deduplicate: bool,
    /// Subscriber: drop notifications that are older than the newest one seen (RFC 7641, section 3.4). Off,
    /// because every message that arrives is to be measured.
    pub discard_stale: bool,
    /// Server: a newer notification takes the place of those that still wait for a slow observer (RFC 7641,
    /// section 4.5.2). Off, for the same reason.
    pub supersede: bool,
    /// Server: so many confirmable notifications in a row have to fail before the observer is forgotten. RFC
    /// 7641, section 4.5, forgets after the first (1); ours are 2, so that one unlucky message on a
    /// very lossy link does not end a whole trial.
    pub failures_until_forgotten: u32,
}

impl Options {
    /// What the registry's transport uses.
    pub const STANDARD: Options = Options {
        transmission: Transmission::STANDARD,
        method: Method::Post,
        szx: LARGEST_SZX,
        deduplicate: true,
        discard_stale: false,
        supersede: false,
        failures_until_forgotten: 2,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_times_are_those_of_rfc_7252_section_4_8_2() {
        let t = Transmission::STANDARD;
        assert_eq!(t.max_transmit_span_ns(), 45 * SECOND_NS);
        assert_eq!(t.max_transmit_wait_ns(), 93 * SECOND_NS);
        assert_eq!(t.exchange_lifetime_ns(), 247 * SECOND_NS);
        assert_eq!(t.non_lifetime_ns(), 145 * SECOND_NS);
    }
}

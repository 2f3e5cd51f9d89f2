//! Which messages of a peer were seen before (RFC 7252, section 4.5).
//!
//! Two datagrams are copies of one message if their message ids and all their bytes are equal within the id's
//! lifetime. The bytes are compared by an XXH3 digest of 64 bits, because a sender faster than 265 messages per
//! second (65,536 ids in EXCHANGE_LIFETIME) must reuse ids too early: two messages of ours then still differ in
//! their token or in their Observe value, while a retransmission never does.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

/// The longest answer that is kept for retransmission; longer ones are recreated.
const ANSWER_LIMIT_BYTES: usize = 2_048;

/// What was seen from one peer; at most one entry per message id.
#[derive(Default)]
pub struct Duplicates {
    seen: HashMap<u16, Seen>,
}

struct Seen {
    digest: u64,
    until_ns: i64,
    answer: Option<Vec<u8>>,
}

/// Whether a message is new or a copy.
#[derive(Debug, PartialEq, Eq)]
pub enum Sighting {
    /// The message has not been seen before.
    First,
    /// A copy, with the answer to the first one if it was kept.
    Copy(Option<Vec<u8>>),
}

impl Duplicates {
    /// Records a message whose id stays in use for `lifetime_ns`.
    pub fn note(&mut self, message_id: u16, datagram: &[u8], now_ns: i64, lifetime_ns: i64) -> Sighting {
        let digest = xxh3_64(datagram);
        if let Some(seen) = self.seen.get(&message_id)
            && seen.digest == digest
            && now_ns < seen.until_ns
        {
            return Sighting::Copy(seen.answer.clone());
        }
        self.seen.insert(message_id, Seen { digest, until_ns: now_ns + lifetime_ns, answer: None });
        Sighting::First
    }

    /// Keeps the answer to a recorded message.
    pub fn keep_answer(&mut self, message_id: u16, answer: &[u8]) {
        if let Some(seen) = self.seen.get_mut(&message_id)
            && answer.len() <= ANSWER_LIMIT_BYTES
        {
            seen.answer = Some(answer.to_vec());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_same_id_and_bytes_within_the_lifetime() {
        let mut seen = Duplicates::default();
        assert_eq!(seen.note(1, b"one", 0, 10), Sighting::First);
        assert_eq!(seen.note(1, b"one", 9, 10), Sighting::Copy(None));
        seen.keep_answer(1, b"answer");
        assert_eq!(seen.note(1, b"one", 9, 10), Sighting::Copy(Some(b"answer".to_vec())));
        assert_eq!(seen.note(2, b"one", 9, 10), Sighting::First);
        assert_eq!(seen.note(1, b"one", 10, 10), Sighting::First, "its lifetime has ended");
        assert_eq!(seen.note(1, b"other", 11, 10), Sighting::First, "an id used again too early");
        assert_eq!(seen.note(1, b"other", 12, 10), Sighting::Copy(None));
    }
}

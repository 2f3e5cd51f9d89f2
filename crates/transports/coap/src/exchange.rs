//! Waiting for the other side: retransmission of confirmable messages (RFC 7252, section 4.2) and their single
//! place per peer (NSTART 1, section 4.7). Pure: time is an argument.

use std::collections::VecDeque;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::declared::Transmission;

/// Seeded random values of one endpoint: first waits, first message ids, first tokens.
pub struct Draws(ChaCha8Rng);

impl Draws {
    /// Equal seeds give equal draws.
    pub fn new(seed: u64) -> Self {
        Draws(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A random number of 32 bits.
    pub fn any_u32(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// The first wait for an acknowledgement.
    fn first_wait_ns(&mut self, transmission: &Transmission) -> i64 {
        let spread = transmission.ack_timeout_ns * (transmission.ack_random_permille - 1000) / 1000;
        // The bias of taking the remainder of 64 bits is below one part in 2^30 here.
        transmission.ack_timeout_ns + (self.0.next_u64() % (spread.unsigned_abs() + 1)) as i64
    }
}

/// Message ids of one sender towards one peer: they begin at a random value and count up (RFC 7252, section 4.4).
pub struct MessageIds(u16);

impl MessageIds {
    /// Begins at a random id.
    pub fn new(draws: &mut Draws) -> Self {
        MessageIds(draws.any_u32() as u16)
    }

    /// The next id. It wraps after 65,536 messages, at high rates before the lifetime of the first has ended: see
    /// [`crate::duplicates`].
    /// [`crate::duplicates`].
    pub fn take(&mut self) -> u16 {
        self.0 = self.0.wrapping_add(1);
        self.0
    }
}

/// A message that waits for the other side.
pub struct Exchange {
    message_id: u16,
    /// The datagram to retransmit; empty if there is none.
    datagram: Vec<u8>,
    /// How often it may still be retransmitted.
    repetitions: u32,
    wait_ns: i64,
    due_ns: i64,
    settled: bool,
}

/// What must be done about an exchange.
#[derive(Debug, PartialEq, Eq)]
pub enum Due<'a> {
    /// Nothing must be done yet.
    Wait,
    /// Retransmit this datagram, as sent before.
    Repeat(&'a [u8]),
    /// The other side did not answer in time.
    GiveUp,
}

impl Exchange {
    /// A confirmable message that was just sent.
    pub fn confirmable(
        message_id: u16,
        datagram: Vec<u8>,
        now_ns: i64,
        transmission: &Transmission,
        draws: &mut Draws,
    ) -> Self {
        let wait_ns = draws.first_wait_ns(transmission);
        Exchange {
            message_id,
            datagram,
            repetitions: transmission.max_retransmit,
            wait_ns,
            due_ns: now_ns + wait_ns,
            settled: false,
        }
    }

    /// A message that is never retransmitted and given up at `until_ns`.
    pub fn once(message_id: u16, until_ns: i64) -> Self {
        Exchange {
            message_id,
            datagram: Vec::new(),
            repetitions: 0,
            wait_ns: 0,
            due_ns: until_ns,
            settled: false,
        }
    }

    /// The message id of what was sent.
    pub fn message_id(&self) -> u16 {
        self.message_id
    }

    /// Acknowledged, or known to have arrived otherwise: from now on it is not retransmitted, and given up at
    /// `until_ns`.
    pub fn settle(&mut self, until_ns: i64) {
        self.repetitions = 0;
        self.datagram = Vec::new();
        self.due_ns = until_ns;
        self.settled = true;
    }

    /// Whether the message is known to have arrived.
    pub fn is_settled(&self) -> bool {
        self.settled
    }

    /// What must be done now; every retransmission doubles the wait.
    pub fn due(&mut self, now_ns: i64) -> Due<'_> {
        if now_ns < self.due_ns {
            return Due::Wait;
        }
        if self.repetitions == 0 {
            return Due::GiveUp;
        }
        self.repetitions -= 1;
        self.wait_ns *= 2;
        self.due_ns = now_ns + self.wait_ns;
        Due::Repeat(&self.datagram)
    }
}

/// One exchange in flight, with others queued after it.
pub struct Lane<T> {
    under_way: Option<(Exchange, T)>,
    waiting: VecDeque<T>,
}

impl<T> Default for Lane<T> {
    fn default() -> Self {
        Lane { under_way: None, waiting: VecDeque::new() }
    }
}

impl<T> Lane<T> {
    /// Appends an item to the queue.
    pub fn push(&mut self, item: T) {
        self.waiting.push_back(item);
    }

    /// The next item to send, if nothing is in flight.
    pub fn next(&mut self) -> Option<T> {
        if self.under_way.is_some() {
            return None;
        }
        self.waiting.pop_front()
    }

    /// Marks the item as in flight.
    pub fn begin(&mut self, exchange: Exchange, item: T) {
        self.under_way = Some((exchange, item));
    }

    /// The exchange that is in flight.
    pub fn under_way(&mut self) -> Option<&mut (Exchange, T)> {
        self.under_way.as_mut()
    }

    /// The exchange in flight, if it has this message id.
    pub fn with_id(&mut self, message_id: u16) -> Option<&mut (Exchange, T)> {
        self.under_way.as_mut().filter(|(exchange, _)| exchange.message_id == message_id)
    }

    /// Ends the exchange in flight; returns its item.
    pub fn end(&mut self) -> Option<T> {
        self.under_way.take().map(|(_, item)| item)
    }

    /// Removes queued items that match, in order.
    pub fn take_out(&mut self, gone: impl FnMut(&T) -> bool) -> Vec<T> {
        let (out, stay): (VecDeque<T>, _) = std::mem::take(&mut self.waiting).into_iter().partition(gone);
        self.waiting = stay;
        out.into()
    }

    /// How many items are in flight or queued.
    pub fn len(&self) -> usize {
        self.waiting.len() + usize::from(self.under_way.is_some())
    }

    /// When [`Exchange::due`] must be called next.
    pub fn due_ns(&self) -> Option<i64> {
        self.under_way.as_ref().map(|(exchange, _)| exchange.due_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: i64 = 1_000_000_000;

    /// The times at which a message is retransmitted, and at which it is given up, on an exact clock.
    fn times(seed: u64) -> (Vec<i64>, i64) {
        let mut draws = Draws::new(seed);
        let mut exchange = Exchange::confirmable(7, vec![1], 0, &Transmission::STANDARD, &mut draws);
        let mut sent = vec![0];
        loop {
            let now_ns = exchange.due_ns;
            assert_eq!(exchange.due(now_ns - 1), Due::Wait);
            match exchange.due(now_ns) {
                Due::Repeat(datagram) => assert_eq!(datagram, [1]),
                Due::GiveUp => return (sent, now_ns),
                Due::Wait => panic!("due at {now_ns} and yet to wait"),
            }
            sent.push(now_ns);
        }
    }

    #[test]
    fn a_message_goes_out_again_after_2_to_3_s_doubling_and_is_given_up_after_4_repetitions() {
        let mut firsts = Vec::new();
        for seed in 0..200 {
            let (sent, given_up) = times(seed);
            assert_eq!(sent.len(), 5, "seed {seed}");
            let first = sent[1];
            assert!((2 * SECOND_NS..=3 * SECOND_NS).contains(&first), "seed {seed}");
            assert_eq!(sent, [0, first, 3 * first, 7 * first, 15 * first], "seed {seed}");
            assert_eq!(given_up, 31 * first, "seed {seed}");
            firsts.push(first);
        }
        // Uniform on 2..3 s: the mean of 200 is 2.5 s with a standard error of 20 ms.
        let mean = firsts.iter().sum::<i64>() / 200;
        assert!((mean - 2_500_000_000).abs() < 80_000_000, "{mean}");
        assert_eq!(times(3), times(3), "the seed decides");
    }

    #[test]
    fn an_acknowledged_message_is_not_sent_again() {
        let mut exchange = Exchange::confirmable(7, vec![1], 0, &Transmission::STANDARD, &mut Draws::new(1));
        exchange.settle(100 * SECOND_NS);
        assert_eq!(exchange.due(99 * SECOND_NS), Due::Wait);
        assert_eq!(exchange.due(100 * SECOND_NS), Due::GiveUp);
    }

    #[test]
    fn one_is_under_way_and_the_others_wait_in_order() {
        let mut lane = Lane::default();
        for item in ['a', 'b', 'c'] {
            lane.push(item);
        }
        let first = lane.next().unwrap();
        lane.begin(Exchange::once(1, 5), first);
        assert_eq!(lane.next(), None);
        assert!(lane.with_id(2).is_none() && lane.with_id(1).is_some());
        assert_eq!((lane.len(), lane.due_ns()), (3, Some(5)));
        assert_eq!(lane.end(), Some('a'));
        assert_eq!(lane.take_out(|item| *item == 'b'), ['b']);
        assert_eq!(lane.next(), Some('c'));
        assert_eq!(lane.len(), 0);
    }
}

//! Assigns arrivals to messages, within a shard: all messages and arrivals of some contents.

use std::collections::HashMap;

use wiredyno_contract::Span;
use wiredyno_contract::bulk::SentRow;
use wiredyno_model::trial::Delivery;

use super::Terms;
use super::spill::Words;

/// What matching needs to know of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    /// Its index among all that were sent, in the order in which the publisher began them.
    pub position: u64,
    pub sequence: u64,
    pub digest: u128,
    pub build_start_ns: i64,
    pub intended_send_ns: i64,
}

impl Key {
    fn is_warmup(&self) -> bool {
        self.sequence & SentRow::WARMUP != 0
    }

    fn name(&self) -> String {
        let number = self.sequence & !SentRow::WARMUP;
        if self.is_warmup() { format!("warm-up message {number}") } else { format!("message {number}") }
    }
}

impl Words<6> for Key {
    fn words(&self) -> [u64; 6] {
        let (high, low) = halves(self.digest);
        let times = (self.build_start_ns.cast_unsigned(), self.intended_send_ns.cast_unsigned());
        [self.position, self.sequence, high, low, times.0, times.1]
    }

    fn of([position, sequence, high, low, build_start, intended_send]: [u64; 6]) -> Self {
        Key {
            position,
            sequence,
            digest: whole(high, low),
            build_start_ns: build_start.cast_signed(),
            intended_send_ns: intended_send.cast_signed(),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival {
    /// Its index among all arrivals.
    pub place: u64,
    pub digest: u128,
    pub received_ns: i64,
    pub decoded_ns: i64,
}

impl Words<5> for Arrival {
    fn words(&self) -> [u64; 5] {
        let (high, low) = halves(self.digest);
        [self.place, high, low, self.received_ns.cast_unsigned(), self.decoded_ns.cast_unsigned()]
    }

    fn of([place, high, low, received, decoded]: [u64; 5]) -> Self {
        let digest = whole(high, low);
        Arrival { place, digest, received_ns: received.cast_signed(), decoded_ns: decoded.cast_signed() }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Arrived {
    pub position: u64,
    pub times: u32,
    pub received_ns: i64,
    pub decoded_ns: i64,
}

impl Words<4> for Arrived {
    fn words(&self) -> [u64; 4] {
        let times = (self.received_ns.cast_unsigned(), self.decoded_ns.cast_unsigned());
        [self.position, u64::from(self.times), times.0, times.1]
    }

    fn of([position, times, received, decoded]: [u64; 4]) -> Self {
        let times = u32::try_from(times).unwrap_or(u32::MAX);
        Arrived { position, times, received_ns: received.cast_signed(), decoded_ns: decoded.cast_signed() }
    }
}

/// The first arrival of a measured message, for the order across shards.
#[derive(Debug, Clone, Copy)]
pub(super) struct First {
    pub place: u64,
    pub position: u64,
}

impl Words<2> for First {
    fn words(&self) -> [u64; 2] {
        [self.place, self.position]
    }

    fn of([place, position]: [u64; 2]) -> Self {
        First { place, position }
    }
}

fn halves(digest: u128) -> (u64, u64) {
    ((digest >> 64) as u64, digest as u64)
}

fn whole(high: u64, low: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// The messages of a shard, by content.
pub(super) struct Shard<'a> {
    sent: &'a [Key],
    received: &'a [Arrival],
    by_digest: HashMap<u128, Vec<u32>>,
}

/// Every arrival of a shard, assigned to a message or to none.
pub(super) struct Matched {
    /// Of each message: how often it arrived, and its first arrival.
    arrivals: Vec<(u32, Option<Arrival>)>,
    duplicated: u64,
    corrupted: u64,
}

impl Matched {
    /// The messages that arrived, in order of sending.
    pub fn arrived<'s>(&'s self, sent: &'s [Key]) -> impl Iterator<Item = Arrived> + 's {
        sent.iter().zip(&self.arrivals).filter_map(|(key, (times, first))| {
            let Arrival { received_ns, decoded_ns, .. } = (*first)?;
            Some(Arrived { position: key.position, times: *times, received_ns, decoded_ns })
        })
    }

    /// First arrivals of measured messages, in order of arrival.
    pub fn firsts(&self, sent: &[Key]) -> Vec<First> {
        let measured = sent.iter().zip(&self.arrivals).filter(|(key, _)| !key.is_warmup());
        let first = |(key, (_, first)): (&Key, &(u32, Option<Arrival>))| {
            Some(First { place: first.as_ref()?.place, position: key.position })
        };
        let mut firsts: Vec<First> = measured.filter_map(first).collect();
        firsts.sort_unstable_by_key(|first| first.place);
        firsts
    }
}

/// Two messages of one content, one sent after the other, by their indices in the shard.
#[derive(Debug, Clone, Copy)]
struct Pair {
    first: usize,
    second: usize,
    gap_ns: i64,
}

/// Evidence against the matching, from all shards together.
#[derive(Debug, Default)]
pub(super) struct Doubts {
    /// The two of equal content that were sent closest to each other.
    closest: Option<(i64, u64, String)>,
    /// The longest time that a message was in flight.
    longest_ns: Option<i64>,
    /// The first two of equal content that may have been confused in a closed loop.
    unsure: Option<(u64, String)>,
}

impl Doubts {
    pub fn add(&mut self, other: Doubts) {
        self.closest = [self.closest.take(), other.closest].into_iter().flatten().min();
        self.longest_ns = self.longest_ns.max(other.longest_ns);
        self.unsure = [self.unsure.take(), other.unsure].into_iter().flatten().min();
    }

    /// Why the matching can't be trusted, if messages of a schedule may have been in flight together with equal ones.
    pub fn of_schedule(&self, drain: Span) -> Option<String> {
        let (gap_ns, _, pair) = self.closest.as_ref()?;
        let gap = span(*gap_ns);
        if gap.ns < drain.ns {
            return Some(format!(
                "{pair} have the same content and were sent {} apart, which is less than the drain of {}",
                gap.rounded(),
                drain.rounded()
            ));
        }
        let longest = span(self.longest_ns?);
        (longest.ns >= drain.ns.max(gap.ns / 2)).then(|| {
            format!(
                "a message was in flight for {}, and messages of the same content were sent {} apart",
                longest.rounded(),
                gap.rounded()
            )
        })
    }

    /// Why the matching can't be trusted, if messages follow each other: one was given up and its content sent
    /// again while it may still have been in flight.
    pub fn of_turns(&self) -> Option<String> {
        self.unsure.as_ref().map(|(_, why)| why.clone())
    }
}

impl<'a> Shard<'a> {
    /// `sent` in order of sending, `received` in order of arrival.
    pub fn of(sent: &'a [Key], received: &'a [Arrival]) -> Self {
        let mut by_digest: HashMap<u128, Vec<u32>> = HashMap::with_capacity(sent.len());
        for (place, key) in sent.iter().enumerate() {
            by_digest.entry(key.digest).or_default().push(place as u32);
        }
        Shard { sent, received, by_digest }
    }

    /// The messages of one content, in order of sending.
    fn equal_to(&self, digest: u128) -> &[u32] {
        self.by_digest.get(&digest).map_or(&[], Vec::as_slice)
    }

    /// The latest message of this content that the publisher had begun by then.
    fn latest(&self, digest: u128, at_ns: i64) -> Option<usize> {
        let equal = self.equal_to(digest);
        let before = equal.partition_point(|&place| self.sent[place as usize].build_start_ns <= at_ns);
        before.checked_sub(1).map(|last| equal[last] as usize)
    }

    /// Assigns every arrival to the latest equal message sent before it.
    pub fn matched(&self) -> Matched {
        let arrivals = vec![(0, None); self.sent.len()];
        let mut matched = Matched { arrivals, duplicated: 0, corrupted: 0 };
        for arrival in self.received {
            let Some(place) = self.latest(arrival.digest, arrival.received_ns) else {
                matched.corrupted += 1;
                continue;
            };
            let (times, first) = &mut matched.arrivals[place];
            *times += 1;
            if *times > 1 {
                matched.duplicated += u64::from(!self.sent[place].is_warmup());
                continue;
            }
            *first = Some(*arrival);
        }
        matched
    }

    /// What became of the measured messages, if that is known for each; how many were late only if their clocks leave no doubt; without their order, which is only known across shards.
    /// `skipped` is how often messages of each content were superseded.
    pub fn delivery(
        &self,
        matched: &Matched,
        mut skipped: HashMap<u128, u64>,
        terms: &Terms<'_>,
    ) -> Delivery {
        let (mut delivery, mut late) = (Delivery::default(), [0, 0]);
        let bound_ns = terms.clock_bound.ns;
        for (key, (_, first)) in self.sent.iter().zip(&matched.arrivals).filter(|(key, _)| !key.is_warmup()) {
            delivery.sent += 1;
            match first {
                Some(arrival) => {
                    delivery.delivered += 1;
                    let limit = key.intended_send_ns.saturating_add_unsigned(terms.deadline.ns);
                    late[0] += u64::from(arrival.received_ns > limit.saturating_add_unsigned(bound_ns));
                    late[1] += u64::from(arrival.received_ns > limit.saturating_sub_unsigned(bound_ns));
                }
                // A message that arrived is delivered, even if a copy of it was superseded.
                None => match skipped.get_mut(&key.digest).filter(|left| **left > 0) {
                    Some(left) => {
                        *left -= 1;
                        delivery.superseded += 1;
                    }
                    None => delivery.lost += 1,
                },
            }
        }
        // The two clocks of a message may leave it open.
        delivery.late = (late[0] == late[1]).then_some(late[0]);
        delivery.duplicated = Some(matched.duplicated);
        delivery.corrupted = matched.corrupted;
        delivery
    }

    /// The same by content, if it is not known which message an arrival was. Arrivals before `begun_ns`, when the
    /// publisher began the first measured message, are warm-up messages.
    pub fn counted(&self, skipped: &HashMap<u128, u64>, begun_ns: i64) -> Delivery {
        let mut delivery = Delivery { late: None, duplicated: None, reordered: None, ..Delivery::default() };
        let mut arrived: HashMap<u128, u64> = HashMap::new();
        for row in self.received {
            match self.equal_to(row.digest).first() {
                Some(&first) if self.sent[first as usize].build_start_ns <= row.received_ns => {
                    *arrived.entry(row.digest).or_default() += u64::from(row.received_ns >= begun_ns);
                }
                _ => delivery.corrupted += 1,
            }
        }
        for (digest, equal) in &self.by_digest {
            let count = equal.iter().filter(|place| !self.sent[**place as usize].is_warmup()).count() as u64;
            let of = |counts: &HashMap<u128, u64>| counts.get(digest).copied().unwrap_or_default();
            let delivered = of(&arrived).min(count);
            let superseded = of(skipped).min(count - delivered);
            delivery.sent += count;
            delivery.delivered += delivered;
            delivery.superseded += superseded;
            delivery.lost += count - delivered - superseded;
        }
        delivery
    }

    /// Consecutive messages of equal content, of which at least the second is measured.
    fn pairs(&self) -> impl Iterator<Item = Pair> + '_ {
        let neighbours = self.by_digest.values().flat_map(|equal| equal.windows(2));
        let pairs = neighbours.map(|pair| {
            let (first, second) = (pair[0] as usize, pair[1] as usize);
            let gap_ns = self.sent[second].build_start_ns - self.sent[first].build_start_ns;
            Pair { first, second, gap_ns }
        });
        pairs.filter(|pair| !self.sent[pair.second].is_warmup())
    }

    /// The evidence of this shard against the matching.
    pub fn doubts(&self, matched: &Matched, drain: Span) -> Doubts {
        let closest = self.pairs().min_by_key(|pair| (pair.gap_ns, pair.first)).map(|pair| {
            let (first, second) = (&self.sent[pair.first], &self.sent[pair.second]);
            (pair.gap_ns, first.position, format!("{} and {}", first.name(), second.name()))
        });
        let under_way = self.sent.iter().zip(&matched.arrivals);
        let longest_ns = under_way
            .filter_map(|(key, (_, first))| Some(first.as_ref()?.received_ns - key.build_start_ns))
            .max();
        Doubts { closest, longest_ns, unsure: self.unsure(matched, drain) }
    }

    fn unsure(&self, matched: &Matched, drain: Span) -> Option<(u64, String)> {
        let near = self.pairs().filter(|pair| span(pair.gap_ns).ns < drain.ns);
        let times = |place: usize| matched.arrivals[place].0;
        let unsure = near.filter(|pair| {
            // Warm-up messages are sent all at once: there must be as many arrivals as messages, so that none is left in flight.
            let settled = if self.sent[pair.first].is_warmup() {
                let equal = self.equal_to(self.sent[pair.first].digest).iter().map(|place| *place as usize);
                let warmup = equal.filter(|place| self.sent[*place].is_warmup());
                warmup.map(|place| i64::from(times(place)) - 1).sum::<i64>() == 0
            } else {
                times(pair.first) == 1
            };
            !settled || times(pair.second) > 1
        });
        let unsure = unsure.min_by_key(|pair| pair.first)?;
        let key = &self.sent[unsure.first];
        let (first, second) = (key.name(), self.sent[unsure.second].name());
        let why = match times(unsure.first) {
            0 => format!("{first} had not arrived when {second}, of the same content, was sent"),
            _ => format!("{first} and {second} have the same content, and a copy of one arrived"),
        };
        Some((key.position, why))
    }
}

fn span(ns: i64) -> Span {
    Span { ns: ns.max(0).unsigned_abs() }
}

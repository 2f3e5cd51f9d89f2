//! Which message an arrival belongs to.

use std::collections::HashMap;

use wiredyno_model::Span;
use wiredyno_runner_wire::bulk::{ReceivedRow, SentRow};

/// What was sent, by content. Rows stand in the order in which the publisher turned to them.
pub(super) struct Contents<'a> {
    sent: &'a [SentRow],
    by_digest: HashMap<u128, Vec<usize>>,
}

/// Every arrival given to a message, or to none.
pub(super) struct Matched {
    /// Of each message: how often it arrived, and its first arrival.
    pub arrivals: Vec<(u32, Option<ReceivedRow>)>,
    pub duplicated: u64,
    pub reordered: u64,
    pub corrupted: u64,
}

/// Two messages of one content, one sent after the other, by their positions.
#[derive(Debug, Clone, Copy)]
struct Pair {
    first: usize,
    second: usize,
    gap_ns: i64,
}

impl<'a> Contents<'a> {
    pub fn of(sent: &'a [SentRow]) -> Self {
        let mut by_digest: HashMap<u128, Vec<usize>> = HashMap::with_capacity(sent.len());
        for (position, row) in sent.iter().enumerate() {
            by_digest.entry(row.digest).or_default().push(position);
        }
        Contents { sent, by_digest }
    }

    /// The messages of one content, in order of sending.
    pub fn equal_to(&self, digest: u128) -> &[usize] {
        self.by_digest.get(&digest).map_or(&[], Vec::as_slice)
    }

    /// The latest message of this content that the publisher had turned to by then.
    fn latest(&self, digest: u128, at_ns: i64) -> Option<usize> {
        let equal = self.equal_to(digest);
        let before = equal.partition_point(|&position| self.sent[position].build_start_ns <= at_ns);
        before.checked_sub(1).map(|last| equal[last])
    }

    /// Gives every arrival to the latest equal message sent before it.
    pub fn matched<'r>(&self, received: impl Iterator<Item = &'r ReceivedRow>) -> Matched {
        let arrivals = vec![(0, None); self.sent.len()];
        let mut matched = Matched { arrivals, duplicated: 0, reordered: 0, corrupted: 0 };
        let mut latest_arrived = None;
        for row in received {
            let Some(position) = self.latest(row.digest, row.received_ns) else {
                matched.corrupted += 1;
                continue;
            };
            let measured = !self.sent[position].is_warmup();
            let (count, first) = &mut matched.arrivals[position];
            *count += 1;
            if *count > 1 {
                matched.duplicated += u64::from(measured);
                continue;
            }
            *first = Some(*row);
            if measured {
                matched.reordered += u64::from(latest_arrived.is_some_and(|latest| latest > position));
                latest_arrived = latest_arrived.max(Some(position));
            }
        }
        matched
    }

    /// Neighbours of equal content, of which at least the second is measured.
    fn pairs(&self) -> impl Iterator<Item = Pair> + '_ {
        let neighbours = self.by_digest.values().flat_map(|equal| equal.windows(2));
        let pairs = neighbours.map(|pair| Pair {
            first: pair[0],
            second: pair[1],
            gap_ns: self.sent[pair[1]].build_start_ns - self.sent[pair[0]].build_start_ns,
        });
        pairs.filter(|pair| !self.sent[pair.second].is_warmup())
    }

    /// Why the matching can't be trusted, where messages of a schedule may have been under way together with equals.
    pub fn doubt_of_schedule(&self, matched: &Matched, drain: Span) -> Option<String> {
        let closest = self.pairs().min_by_key(|pair| (pair.gap_ns, pair.first))?;
        let gap = span(closest.gap_ns);
        if gap.ns < drain.ns {
            let (first, second) = (self.name(closest.first), self.name(closest.second));
            return Some(format!(
                "{first} and {second} have the same content and were sent {} apart, which is less than the drain of {}",
                gap.rounded(),
                drain.rounded()
            ));
        }
        let under_way = self.sent.iter().zip(&matched.arrivals);
        let longest = under_way
            .filter_map(|(row, (_, first))| Some(first.as_ref()?.received_ns - row.build_start_ns))
            .max()
            .map(span)?;
        (longest.ns >= drain.ns.max(gap.ns / 2)).then(|| {
            format!(
                "a message was under way for {}, and messages of the same content were sent {} apart",
                longest.rounded(),
                gap.rounded()
            )
        })
    }

    /// Why the matching can't be trusted, where messages go one after the other: one was given up and its content sent
    /// again while it may still have been under way.
    pub fn doubt_of_turns(&self, matched: &Matched, drain: Span) -> Option<String> {
        let near = self.pairs().filter(|pair| span(pair.gap_ns).ns < drain.ns);
        let times = |position: usize| matched.arrivals[position].0;
        let unsure = near.filter(|pair| {
            // Warm-up messages go all at once: as many arrivals as there were of them, and none is left under way.
            let settled = if self.sent[pair.first].is_warmup() {
                let equal = self.equal_to(self.sent[pair.first].digest).iter();
                let warmup = equal.filter(|position| self.sent[**position].is_warmup());
                warmup.map(|position| i64::from(times(*position)) - 1).sum::<i64>() == 0
            } else {
                times(pair.first) == 1
            };
            !settled || times(pair.second) > 1
        });
        let unsure = unsure.min_by_key(|pair| pair.first)?;
        let (first, second) = (self.name(unsure.first), self.name(unsure.second));
        Some(match times(unsure.first) {
            0 => format!("{first} had not arrived when {second}, of the same content, was sent"),
            _ => format!("{first} and {second} have the same content, and a copy of one arrived"),
        })
    }

    fn name(&self, position: usize) -> String {
        let row = &self.sent[position];
        let number = row.sequence & !SentRow::WARMUP;
        if row.is_warmup() { format!("warm-up message {number}") } else { format!("message {number}") }
    }
}

fn span(ns: i64) -> Span {
    Span { ns: ns.max(0).unsigned_abs() }
}

//! A subscriber's position in each partition, and its commits.
//!
//! A record counts as dealt with when the runner's sink has returned: it is decoded and recorded then. What is committed is the offset after it, so that a
//! member that takes the partition over gets each record that was not dealt with, and gets those again that were, but whose commit is missing.

use std::collections::BTreeSet;
use std::time::Instant;

use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer};
use rdkafka::{Offset, TopicPartitionList};
use wiredyno_contract::{Membership, PartitionUse};

use crate::declared::{self, Commit, Options};
use crate::group::Listening;

/// What was taken from a partition.
#[derive(Debug, Clone, Copy, Default)]
struct Taken {
    messages: u64,
    next: Option<i64>,
}

/// What a subscriber has taken and committed; belongs to its receiving thread.
#[derive(Default)]
pub struct Progress {
    topic: String,
    /// When it commits, and how; `None` if it makes no commits of its own.
    commits: Option<(Commit, CommitMode)>,
    /// Whether taken records are counted: outside a group nobody asks for the counts.
    counts: bool,
    /// By the number of the partition.
    taken: Vec<Taken>,
    /// Partitions with records since the last commit.
    due: BTreeSet<i32>,
    /// Commits that were confirmed, or refused, while it waited for the answer.
    answered: u64,
    failed: u64,
    /// Commits whose answers come by the client's callback.
    under_way: u64,
    committing_ns: u64,
}

impl Progress {
    /// Nothing is committed yet.
    pub fn of(options: &Options, topic: &str) -> Self {
        let mode = match options.commit_mode {
            declared::CommitMode::Sync => CommitMode::Sync,
            declared::CommitMode::Async => CommitMode::Async,
        };
        let own = matches!(options.commit, Commit::Record | Commit::Batch);
        Progress {
            topic: topic.to_owned(),
            commits: own.then_some((options.commit, mode)),
            counts: options.is_known_by_group(),
            ..Progress::default()
        }
    }

    /// A record was dealt with.
    pub fn took(&mut self, consumer: &BaseConsumer<Listening>, partition: i32, offset: i64) {
        let Some(place) = usize::try_from(partition).ok().filter(|_| self.counts) else { return };
        if self.taken.len() <= place {
            self.taken.resize(place + 1, Taken::default());
        }
        self.taken[place].messages += 1;
        self.taken[place].next = Some(offset + 1);
        match self.commits {
            Some((Commit::Record, mode)) => self.commit(consumer, &[partition], mode),
            Some(_) => {
                self.due.insert(partition);
            }
            None => {}
        }
    }

    /// All records of a call were dealt with.
    pub fn dealt_with(&mut self, consumer: &BaseConsumer<Listening>) {
        let Some((_, mode)) = self.commits.filter(|_| !self.due.is_empty()) else { return };
        let due: Vec<i32> = std::mem::take(&mut self.due).into_iter().collect();
        self.commit(consumer, &due, mode);
    }

    fn commit(&mut self, consumer: &BaseConsumer<Listening>, partitions: &[i32], mode: CommitMode) {
        let begin = Instant::now();
        let mut offsets = TopicPartitionList::with_capacity(partitions.len());
        for &partition in partitions {
            let next = usize::try_from(partition).ok().and_then(|place| self.taken.get(place)?.next);
            let Some(next) = next else { continue };
            // An offset that the list does not take would be missing from the broker's, and is counted as such.
            self.failed += u64::from(
                offsets.add_partition_offset(&self.topic, partition, Offset::Offset(next)).is_err(),
            );
        }
        // During a rebalance, a commit may be refused: the records are then delivered once more.
        let done = consumer.commit(&offsets, mode);
        // The library tells an error of some partitions with these alone.
        let refused = offsets.elements().iter().any(|element| element.error().is_err());
        match (done, mode) {
            (Ok(()), CommitMode::Sync) if refused => self.failed += 1,
            (Ok(()), CommitMode::Sync) => self.answered += 1,
            (Ok(()), CommitMode::Async) => self.under_way += 1,
            (Err(_), _) => self.failed += 1,
        }
        self.committing_ns += u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
    }

    /// Commits whose answers come by the client's callback.
    pub fn under_way(&self) -> u64 {
        self.under_way
    }

    /// Adds this to a membership that knows which partitions are held.
    pub fn tell(&self, membership: &mut Membership) {
        if self.commits.is_some_and(|(_, mode)| matches!(mode, CommitMode::Sync)) {
            (membership.commits, membership.failed_commits) = (self.answered, 0);
        }
        membership.failed_commits += self.failed;
        membership.committing_ns = self.committing_ns;
        for (partition, taken) in (0_u32..).zip(&self.taken).filter(|(_, taken)| taken.messages > 0) {
            let known = membership.partitions.iter().position(|known| known.partition == partition);
            let place = known.unwrap_or_else(|| {
                membership.partitions.push(PartitionUse { partition, ..PartitionUse::default() });
                membership.partitions.len() - 1
            });
            let used = &mut membership.partitions[place];
            (used.messages, used.next) = (taken.messages, taken.next);
        }
        membership.partitions.sort_by_key(|used| used.partition);
    }
}

//! The figures of a trial that come from its subscribers' memberships.

use std::collections::{BTreeMap, BTreeSet};

use wiredyno_contract::{Membership, PartitionUse};

/// Assignments after all members were connected, summed over members; absent where there is none.
pub fn rebalances(memberships: &[Membership]) -> Option<f64> {
    let all = memberships.iter().map(|member| f64::from(member.rebalances)).sum();
    (!memberships.is_empty()).then_some(all)
}

/// The time from giving up partitions to the next assignment, of the member for which it was longest, in nanoseconds; absent without rebalances.
pub fn rebalance_time(memberships: &[Membership]) -> Option<f64> {
    // A client that rebalances cooperatively tells no time.
    let rebalanced = memberships.iter().filter(|member| member.rebalances > 0 && member.rebalancing_ns > 0);
    rebalanced.map(|member| member.rebalancing_ns).max().map(|ns| ns as f64)
}

/// How long commits blocked the members' threads, per message that they took; absent where they did not commit themselves.
pub fn commit_time(memberships: &[Membership]) -> Option<f64> {
    let committing_ns: u64 = memberships.iter().map(|member| member.committing_ns).sum();
    let taken =
        memberships.iter().flat_map(|member| &member.partitions).map(|used| used.messages).sum::<u64>();
    (committing_ns > 0 && taken > 0).then(|| committing_ns as f64 / taken as f64)
}

/// Messages that were taken from the fullest partition, as a multiple of the mean of all partitions that members held or took from; absent with fewer
/// than two.
pub fn partition_skew(memberships: &[Membership]) -> Option<f64> {
    let mut taken = BTreeMap::<(&str, u32), u64>::new();
    for member in memberships {
        for used in &member.partitions {
            *taken.entry((&member.group, used.partition)).or_default() += used.messages;
        }
    }
    let (all, most) = (taken.values().sum::<u64>(), *taken.values().max()?);
    (taken.len() > 1 && all > 0).then(|| most as f64 * taken.len() as f64 / all as f64)
}

/// Messages after the committed offset in the partitions that members held; absent where there is no member, or an offset is unknown.
pub fn uncommitted(memberships: &[Membership]) -> Option<f64> {
    let uses = || {
        memberships
            .iter()
            .flat_map(|member| member.partitions.iter().map(|used| (member.group.as_str(), used)))
    };
    let held: BTreeSet<(&str, u32)> =
        uses().filter(|(_, used)| used.held).map(|(group, used)| (group, used.partition)).collect();
    // A member that was lost tells of no partition that it held.
    let is_lost =
        |(group, used): (&str, &PartitionUse)| used.messages > 0 && !held.contains(&(group, used.partition));
    if held.is_empty() || uses().any(is_lost) {
        return None;
    }
    let behind = |used: &PartitionUse| match (used.end, used.committed) {
        (Some(end), Some(committed)) => Some((end - committed).max(0) as f64),
        // Nothing came from there.
        _ if used.messages == 0 => Some(0.0),
        _ => None,
    };
    uses().filter(|(_, used)| used.held).map(|(_, used)| behind(used)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(messages: u64, committed: Option<i64>, end: Option<i64>) -> PartitionUse {
        PartitionUse { held: true, messages, committed, end, ..PartitionUse::default() }
    }

    #[test]
    fn what_is_not_committed_is_known_of_all_partitions_or_not_at_all() {
        let of = |partitions: Vec<PartitionUse>| {
            uncommitted(&[Membership { partitions, ..Membership::default() }, Membership::default()])
        };
        assert_eq!(of(vec![used(10, Some(7), Some(10)), used(5, Some(5), Some(5))]), Some(3.0));
        assert_eq!(of(vec![used(10, Some(7), Some(10)), used(0, None, None)]), Some(3.0));
        assert_eq!(of(vec![used(10, Some(7), Some(10)), used(1, None, Some(1))]), None);
        let elsewhere = PartitionUse { held: false, ..used(4, None, None) };
        assert_eq!(of(vec![used(10, Some(7), Some(10)), elsewhere]), Some(3.0), "its new holder reports it");
        let lost = PartitionUse { partition: 1, held: false, ..used(4, None, None) };
        assert_eq!(of(vec![used(10, Some(7), Some(10)), lost]), None, "nobody tells of it");
        assert_eq!((of(Vec::new()), uncommitted(&[])), (None, None));
    }

    #[test]
    fn skew_is_of_partitions_whoever_took_from_them() {
        let member = |taken: &[(u32, u64)]| Membership {
            group: "g".into(),
            partitions: taken
                .iter()
                .map(|&(partition, messages)| PartitionUse { partition, ..used(messages, None, None) })
                .collect(),
            ..Membership::default()
        };
        assert_eq!(partition_skew(&[member(&[(0, 10), (1, 10)]), member(&[(2, 10)])]), Some(1.0));
        assert_eq!(partition_skew(&[member(&[(0, 10)]), member(&[(0, 20), (1, 0)])]), Some(2.0));
        assert_eq!(partition_skew(&[member(&[(0, 10)])]), None, "one partition");
        assert_eq!(partition_skew(&[member(&[(0, 0), (1, 0)])]), None);
    }

    #[test]
    fn time_of_commits_is_per_message_that_was_taken() {
        let member = |committing_ns, messages| Membership {
            committing_ns,
            partitions: vec![used(messages, None, None)],
            ..Membership::default()
        };
        assert_eq!(commit_time(&[member(300, 10), member(0, 20)]), Some(10.0));
        assert_eq!(commit_time(&[member(0, 10)]), None, "the library commits, or no one");
    }

    #[test]
    fn rebalances_are_summed_and_the_longest_time_is_told() {
        let member =
            |rebalances, rebalancing_ns| Membership { rebalances, rebalancing_ns, ..Membership::default() };
        let all = [member(2, 30), member(1, 50), member(0, 0)];
        assert_eq!((rebalances(&all), rebalance_time(&all)), (Some(3.0), Some(50.0)));
        assert_eq!((rebalances(&all[2..]), rebalance_time(&all[2..])), (Some(0.0), None));
        assert_eq!((rebalances(&[]), rebalance_time(&[])), (None, None));
        assert_eq!(rebalance_time(&[member(1, 0)]), None, "a cooperative one");
    }
}

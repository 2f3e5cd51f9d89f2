//! Subscribers that share a topic's messages: they have one account together, and their figures per partition add up to it.

use std::collections::BTreeSet;

use wiredyno_link::spec::LinkSpec;

use crate::stage::{Order, carry_out};

const MESSAGES: u32 = 300;
const WARM_UP: u32 = 4;

/// A strategy of assignment, the number of members, and when they commit.
const ROWS: [(&str, u32, &str); 3] =
    [("range", 1, "auto"), ("roundrobin", 2, "record"), ("cooperative-sticky", 3, "batch")];

pub fn each_message_once() {
    let order = |(assignment, members, commit): &(&str, u32, &str)| Order {
        options: format!(
            "group = \"shared\"\npartitions = 4\nkey = \"sequence\"\nassignment = \"{assignment}\"\ncommit = \"{commit}\""
        ),
        subscribers: *members,
        warmup: WARM_UP,
        // Only as long as needed: a broker beside other tests may take seconds.
        drain: "60s".to_owned(),
        ..Order::new("kafka:acks-all", MESSAGES, &LinkSpec::unshaped())
    };
    for ((assignment, members, commit), outcome) in ROWS.iter().zip(carry_out(&ROWS.each_ref().map(order))) {
        let (record, name) = (&outcome.record, format!("{members} members by {assignment}"));
        let delivery = outcome.delivery();
        assert_eq!(record.fan_out, 1, "{name}: no message is for each");
        let told = (delivery.delivered, delivery.lost, delivery.duplicated, delivery.corrupted);
        assert_eq!(told, (MESSAGES.into(), 0, Some(0), 0), "{name}");
        let known = delivery.reordered.is_some();
        assert_eq!(known, *members == 1, "{name}: there is no order between members");
        assert_eq!(record.crossed, Some(MESSAGES.into()), "{name}: the packets of each message are known");
        let of_members: Vec<u32> = record.memberships.iter().map(|one| one.subscriber).collect();
        assert_eq!(of_members, (0..*members).collect::<Vec<_>>(), "{name}");
        let used: Vec<_> = record.memberships.iter().flat_map(|one| &one.partitions).collect();
        let held: BTreeSet<u32> = used.iter().filter(|used| used.held).map(|used| used.partition).collect();
        assert_eq!((held, used.len()), ((0..4).collect(), 4), "{name}: each is one member's");
        let messages: u64 = used.iter().map(|used| used.messages).sum();
        // Warm-up messages are as many as the broker needs.
        assert!(messages >= u64::from(MESSAGES + WARM_UP), "{name}: {messages}");
        for used in used {
            let all = (Some(used.messages as i64), used.committed);
            assert_eq!(all, (used.end, used.end), "{name}: {used:?} has what was sent, and has committed it");
        }
        for member in &record.memberships {
            assert_eq!((member.rebalances, member.failed_commits), (0, 0), "{name}: {member:?}");
            assert!(member.commits > 0, "{name}: {member:?}");
            assert_eq!(member.committing_ns > 0, *commit != "auto", "{name}: {member:?}");
        }
    }
}

//! A consumer group, as one member sees it: when it is stable, how often it rebalances, what is committed.
//!
//! Only the broker knows when all members have joined. It is asked (DescribeGroups) by a client of its own: on the member's connections, a fetch that
//! waits for records delays all later requests.
//!
//! One file because what the library reports of a group, what the broker says of it and what is told at the end are three views of one thing.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rdkafka::client::{Client, ClientContext};
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext, Rebalance};
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::groups::GroupInfo;
use rdkafka::{Offset, TopicPartitionList};
use rdkafka_sys as sys;
use sys::rd_kafka_type_t::RD_KAFKA_PRODUCER;
use wiredyno_contract::{Membership, PartitionUse};

use crate::client::{Connecting, Health, POLL, config, local, part};
use wiredyno_transport::ConnectError;

/// Pause before the broker is asked again.
const PAUSE: Duration = Duration::from_millis(10);

/// How long one request may take before the connection is checked again.
const ASKED: Duration = Duration::from_secs(2);

/// The coordinator's word for a group whose members have their partitions (Kafka, `ClassicGroupState`).
const STABLE: &str = "Stable";

/// Receives the library's reports other than records, on the thread that polls.
#[derive(Default)]
pub struct Listening {
    /// The state of the connections.
    pub health: Health,
    /// What happened to the group.
    pub group: GroupReports,
}

impl ClientContext for Listening {
    fn log(&self, _level: RDKafkaLogLevel, _facility: &str, _message: &str) {}

    fn error(&self, error: KafkaError, reason: &str) {
        self.health.note(&error, reason);
    }
}

impl ConsumerContext for Listening {
    fn pre_rebalance(&self, rebalance: &Rebalance<'_>) {
        if let Rebalance::Revoke(list) = rebalance {
            self.group.rebalancing().revoked(list.count());
        }
    }

    fn post_rebalance(&self, rebalance: &Rebalance<'_>) {
        if let Rebalance::Assign(list) = rebalance {
            self.group.rebalancing().assigned(list.count());
        }
    }

    fn commit_callback(&self, result: KafkaResult<()>, offsets: &TopicPartitionList) {
        let refused = offsets.elements().iter().find_map(|element| element.error().err());
        match result.err().or(refused).map(|error| error.rdkafka_error_code()) {
            None => self.group.confirmed.fetch_add(1, Ordering::SeqCst),
            // Nothing was due.
            Some(Some(RDKafkaErrorCode::NoOffset)) => 0,
            Some(_) => self.group.refused.fetch_add(1, Ordering::SeqCst),
        };
    }
}

/// What the library reports of a group.
#[derive(Default)]
pub struct GroupReports {
    rebalancing: Mutex<Rebalancing>,
    confirmed: AtomicU64,
    refused: AtomicU64,
}

/// Changes of what a member reads, so far.
#[derive(Debug, Default)]
struct Rebalancing {
    /// Whether a member goes on reading what it keeps: then the library's reports name only the partitions that move, and a report that names none changes nothing.
    cooperative: bool,
    /// Since when partitions have been given up, until the next assignment.
    since: Option<Instant>,
    joining: u32,
    /// Those since all members were connected; absent before.
    later: Option<(u32, Duration)>,
    /// Whether the member has stopped receiving: what happens then is the end of the trial.
    over: bool,
}

impl Rebalancing {
    fn revoked(&mut self, partitions: usize) {
        if !self.cooperative {
            self.since.get_or_insert_with(Instant::now);
        } else if partitions > 0 {
            self.count(Duration::ZERO);
        }
    }

    fn assigned(&mut self, partitions: usize) {
        if !self.cooperative || partitions > 0 {
            let without = self.since.take().map_or(Duration::ZERO, |since| since.elapsed());
            self.count(without);
        }
    }

    fn count(&mut self, without: Duration) {
        match &mut self.later {
            _ if self.over => {}
            Some((count, span)) => (*count, *span) = (*count + 1, *span + without),
            None => self.joining += 1,
        }
    }
}

impl GroupReports {
    fn rebalancing(&self) -> MutexGuard<'_, Rebalancing> {
        self.rebalancing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All members are connected: what comes from now on disturbs messages.
    pub fn settled(&self) {
        self.rebalancing().later.get_or_insert_default();
    }

    /// The member stops receiving. A rebalance that has not ended counts until now.
    pub fn over(&self) {
        let mut rebalancing = self.rebalancing();
        if let Some(since) = rebalancing.since.take().filter(|_| rebalancing.later.is_some()) {
            rebalancing.count(since.elapsed());
        }
        rebalancing.over = true;
    }

    /// Rebalances are cooperative: members go on reading what they keep.
    pub fn cooperates(&self) {
        self.rebalancing().cooperative = true;
    }

    /// Forgets commits so far: those with which a subscription begins.
    pub fn forget_commits(&self) {
        self.confirmed.store(0, Ordering::SeqCst);
        self.refused.store(0, Ordering::SeqCst);
    }

    /// How many commits were answered.
    pub fn answered(&self) -> u64 {
        self.confirmed.load(Ordering::SeqCst) + self.refused.load(Ordering::SeqCst)
    }

    /// The membership so far, without partitions.
    pub fn told(&self, group: &str) -> Membership {
        let rebalancing = self.rebalancing();
        let (rebalances, span) = rebalancing.later.unwrap_or_default();
        Membership {
            group: group.to_owned(),
            joining: rebalancing.joining,
            rebalances,
            rebalancing_ns: u64::try_from(span.as_nanos()).unwrap_or(u64::MAX),
            commits: self.confirmed.load(Ordering::SeqCst),
            failed_commits: self.refused.load(Ordering::SeqCst),
            ..Membership::default()
        }
    }
}

/// The group of a member, as the broker describes it once it is complete.
pub struct Complete<'a> {
    /// The group's name.
    pub group: &'a str,
    /// The topic that its members share.
    pub topic: &'a str,
    /// How many partitions the topic has.
    pub partitions: usize,
    /// How many members it must have.
    pub members: usize,
    /// Bootstrap servers, as host:port separated by commas.
    pub brokers: &'a str,
}

/// What a broker without such a group says.
const UNKNOWN: &str = "the broker does not know it";

impl Complete<'_> {
    /// Waits until all members have joined, every partition has a member, and this member holds those that the broker says it has. Another thread polls
    /// the member meanwhile.
    pub fn wait(
        &self,
        consumer: &BaseConsumer<Listening>,
        connecting: &Connecting<'_>,
    ) -> Result<(), ConnectError> {
        let mut terms = config(connecting.setup);
        terms.set("bootstrap.servers", self.brokers);
        let native = terms.create_native_config().map_err(local)?;
        let asking = Client::new(&terms, native, RD_KAFKA_PRODUCER, Listening::default()).map_err(local)?;
        let mut lack = None;
        let waited = loop {
            let left = match connecting.left() {
                Ok(left) => left,
                Err(_) if !connecting.health.is_down() => {
                    let lack = lack.unwrap_or_else(|| UNKNOWN.to_owned());
                    break Err(connecting.not_granted(format!("the group {}: {lack}", self.group)));
                }
                Err(error) => break Err(error),
            };
            match asking.fetch_group_list(Some(self.group), left.min(ASKED)) {
                Ok(list) => match list.groups().iter().find(|known| known.name() == self.group) {
                    Some(known) => match self.lack(known, consumer) {
                        None => break Ok(()),
                        Some(why) => lack = Some(why),
                    },
                    None => lack = Some(UNKNOWN.to_owned()),
                },
                // What the broker said before tells more than that it did not answer again in the time that was left.
                Err(error) => lack = lack.or_else(|| Some(error.to_string())),
            }
            std::thread::sleep(PAUSE.min(left));
        };
        part(asking, POLL);
        waited
    }

    /// What the group lacks; `None` if it is complete, and this member has its part.
    fn lack(&self, known: &GroupInfo, consumer: &BaseConsumer<Listening>) -> Option<String> {
        if known.state() != STABLE {
            return Some(format!("its state is {}", known.state()));
        }
        let members = known.members();
        if members.len() != self.members {
            return Some(format!("it has {} of {} members", members.len(), self.members));
        }
        let part = |bytes: Option<&[u8]>| assigned(bytes.unwrap_or_default(), self.topic);
        let all: Vec<i32> = members.iter().flat_map(|member| part(member.assignment())).collect();
        if all.len() != self.partitions {
            return Some(format!("{} of {} partitions are assigned", all.len(), self.partitions));
        }
        let id = member_id(consumer);
        let own = members.iter().find(|member| Some(member.id()) == id.as_deref());
        let Some(own) = own else { return Some("this subscriber is not a member".to_owned()) };
        let held = consumer.assignment().map(|held| numbers(&held)).unwrap_or_default();
        let own: BTreeSet<i32> = part(own.assignment()).into_iter().collect();
        (own != held).then(|| "a member does not have its partitions yet".to_owned())
    }
}

/// The numbers of the partitions in a list of one topic.
pub fn numbers(list: &TopicPartitionList) -> BTreeSet<i32> {
    list.elements().iter().map(|element| element.partition()).collect()
}

/// The member's id, which the coordinator has given it.
fn member_id(consumer: &BaseConsumer<Listening>) -> Option<String> {
    let client = consumer.client().native_ptr();
    // SAFETY: the client is alive; the text, if there is one, is ours until it is given back, and is copied before.
    unsafe {
        let id = sys::rd_kafka_memberid(client);
        if id.is_null() {
            return None;
        }
        let text = CStr::from_ptr(id).to_string_lossy().into_owned();
        sys::rd_kafka_mem_free(client, id.cast());
        Some(text)
    }
}

/// The partitions of a topic in a member's assignment, as it is encoded between members (Kafka, `ConsumerProtocolAssignment`: a version, then an array of
/// topics, each with an array of partitions; all big-endian). Empty if there is none, or it can't be read.
fn assigned(bytes: &[u8], topic: &str) -> Vec<i32> {
    let mut rest = bytes;
    let mut take = |length: usize| {
        let (head, tail) = rest.split_at_checked(length)?;
        rest = tail;
        Some(head)
    };
    let mut read = || -> Option<Vec<i32>> {
        let mut of_topic = Vec::new();
        take(2)?;
        let topics = i32::from_be_bytes(take(4)?.try_into().ok()?);
        for _ in 0..topics {
            let length = i16::from_be_bytes(take(2)?.try_into().ok()?);
            let name = take(usize::try_from(length).ok()?)?.to_vec();
            let partitions = i32::from_be_bytes(take(4)?.try_into().ok()?);
            for _ in 0..partitions {
                let partition = i32::from_be_bytes(take(4)?.try_into().ok()?);
                of_topic.extend((name == topic.as_bytes()).then_some(partition));
            }
        }
        Some(of_topic)
    };
    read().unwrap_or_default()
}

/// The partitions that a member holds, with what the broker has for its group and where each ends. What can't be found out in time is absent.
pub fn held(consumer: &BaseConsumer<Listening>, topic: &str, left: Duration) -> Vec<PartitionUse> {
    let Ok(list) = consumer.assignment() else { return Vec::new() };
    let committed = consumer.committed_offsets(list.clone(), left).ok();
    let committed_of = |partition: i32| match committed.as_ref()?.find_partition(topic, partition)?.offset() {
        Offset::Offset(offset) => Some(offset),
        _ => None,
    };
    let of = |partition: i32| PartitionUse {
        partition: u32::try_from(partition).unwrap_or_default(),
        held: true,
        committed: committed_of(partition),
        end: end(consumer, topic, partition),
        ..PartitionUse::default()
    };
    numbers(&list).into_iter().map(of).collect()
}

/// Where a partition ended when it was last fetched from; `None` if it was not.
fn end(consumer: &BaseConsumer<Listening>, topic: &str, partition: i32) -> Option<i64> {
    let topic = CString::new(topic).ok()?;
    let (mut low, mut high) = (-1, -1);
    // SAFETY: the client is alive, the name outlives the call, and both numbers are written during it; nothing is sent.
    let error = unsafe {
        sys::rd_kafka_get_watermark_offsets(
            consumer.client().native_ptr(),
            topic.as_ptr(),
            partition,
            &mut low,
            &mut high,
        )
    };
    (error == sys::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR_NO_ERROR && high >= 0).then_some(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assignment_is_read_and_a_damaged_one_is_empty() {
        // Version 1, two topics: `a` with partitions 0 and 7, `bc` with 2; then no data of the application.
        let bytes = [
            &[0, 1, 0, 0, 0, 2][..],
            &[0, 1, b'a', 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 7],
            &[0, 2, b'b', b'c', 0, 0, 0, 1, 0, 0, 0, 2],
            &[0xff, 0xff, 0xff, 0xff],
        ]
        .concat();
        assert_eq!(assigned(&bytes, "a"), [0, 7]);
        assert_eq!(assigned(&bytes, "bc"), [2]);
        assert_eq!(assigned(&bytes, "b"), [0; 0]);
        assert_eq!(assigned(&[], "a"), [0; 0]);
        assert_eq!(assigned(&bytes[..20], "a"), [0; 0], "cut short");
    }

    #[test]
    fn assignments_are_counted_apart_until_all_have_joined_and_not_at_the_end() {
        let list = TopicPartitionList::new();
        let listening = Listening::default();
        let assign = || listening.post_rebalance(&Rebalance::Assign(&list));
        assign();
        assign();
        listening.group.settled();
        let told = listening.group.told("g");
        assert_eq!((told.joining, told.rebalances, told.rebalancing_ns), (2, 0, 0));
        listening.pre_rebalance(&Rebalance::Revoke(&list));
        listening.pre_rebalance(&Rebalance::Revoke(&list));
        assign();
        let told = listening.group.told("g");
        assert_eq!((told.joining, told.rebalances), (2, 1));
        assert!(told.rebalancing_ns > 0);
        // One that has begun and does not end before the member stops.
        listening.pre_rebalance(&Rebalance::Revoke(&list));
        listening.group.over();
        let told = listening.group.told("g");
        assert_eq!(told.rebalances, 2);
        listening.pre_rebalance(&Rebalance::Revoke(&list));
        assign();
        listening.group.over();
        assert_eq!(listening.group.told("g"), told);
    }

    #[test]
    fn cooperative_rebalances_count_where_partitions_move_and_have_no_time() {
        let (none, mut two) = (TopicPartitionList::new(), TopicPartitionList::new());
        two.add_partition("t", 0);
        two.add_partition("t", 1);
        let listening = Listening::default();
        listening.group.cooperates();
        listening.post_rebalance(&Rebalance::Assign(&two));
        listening.group.settled();
        // The library reports an assignment of nothing after it has revoked, and again when the member has joined anew.
        listening.pre_rebalance(&Rebalance::Revoke(&two));
        listening.post_rebalance(&Rebalance::Assign(&none));
        listening.post_rebalance(&Rebalance::Assign(&none));
        listening.group.over();
        let told = listening.group.told("g");
        assert_eq!((told.joining, told.rebalances, told.rebalancing_ns), (1, 1, 0));
    }

    #[test]
    fn commits_are_counted_by_their_answers_and_none_is_not_a_failure() {
        let listening = Listening::default();
        let list = TopicPartitionList::new();
        let refused = |code| Err(KafkaError::ConsumerCommit(code));
        listening.commit_callback(Ok(()), &list);
        listening.commit_callback(refused(RDKafkaErrorCode::NoOffset), &list);
        listening.commit_callback(refused(RDKafkaErrorCode::IllegalGeneration), &list);
        let told = listening.group.told("g");
        assert_eq!((told.commits, told.failed_commits, listening.group.answered()), (1, 1, 2));
        listening.group.forget_commits();
        assert_eq!(listening.group.answered(), 0);
    }
}

//! Members that share a topic's partitions, what they commit, and what becomes of the records of one that is killed: counted here from the broker's own copy
//! of the records, by an independent client, and compared with what the members and Kafka's own tool say. One file because a group's
//! members, their processes and the counts are one harness.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::{ClientConfig, Message, Offset, TopicPartitionList};
use wiredyno_contract::{Membership, OptionValue};
use wiredyno_transport::{ClientSetup, ConnectError, Publisher, ReceivedSink, Subscriber};
use wiredyno_transport_kafka::TRANSPORT;
use wiredyno_transport_stand::{Arrivals, Broker, LIMIT, Notebook, full, setup};

use crate::{Case, tools, topics};

pub const CASES: [Case; 6] = [
    (
        "members_share_a_topics_partitions_and_each_record_goes_to_one_of_them",
        members_share_a_topics_partitions_and_each_record_goes_to_one_of_them,
    ),
    ("what_is_committed_is_what_kafkas_own_tool_says", what_is_committed_is_what_kafkas_own_tool_says),
    (
        "nothing_that_a_killed_member_did_not_commit_is_lost",
        nothing_that_a_killed_member_did_not_commit_is_lost,
    ),
    (
        "a_member_that_stands_still_is_replaced_and_brings_only_copies",
        a_member_that_stands_still_is_replaced_and_brings_only_copies,
    ),
    (
        "a_member_that_waits_for_others_says_what_the_group_lacks",
        a_member_that_waits_for_others_says_what_the_group_lacks,
    ),
    ("a_topic_with_too_few_partitions_is_refused", a_topic_with_too_few_partitions_is_refused),
];

const PARTITIONS: i32 = 4;

/// A member of a group of so many, with further options.
fn member(broker: &Broker, topic: &str, members: u32, options: &[(&str, &str)]) -> ClientSetup {
    let mut setup = setup(Some("acks-all"), broker.address(), topic);
    setup.subscribers = members;
    let texts = [("group", "shared"), ("key", "sequence"), ("linger", "0ns")];
    let texts = texts.iter().chain(options).map(|(name, value)| (*name, OptionValue::of_word(value)));
    let whole = [("partitions", OptionValue::Whole(PARTITIONS.into()))];
    setup.options = whole.into_iter().chain(texts).map(|(name, value)| (name.to_owned(), value)).collect();
    setup
}

/// The members of a group in this process, each with its notebook.
struct Members {
    books: Vec<Arc<Notebook>>,
    members: Vec<Box<dyn Subscriber>>,
}

impl Members {
    fn join(setup: &ClientSetup, members: u32) -> Self {
        let books: Vec<_> = (0..members).map(|_| Arc::new(Notebook::default())).collect();
        let connect = |book: &Arc<Notebook>| {
            TRANSPORT
                .subscriber(setup, Box::new(Arrivals(book.clone())))
                .unwrap_or_else(|error| panic!("{error}"))
        };
        let members = books.iter().map(connect).collect();
        Members { books, members }
    }

    fn settle(&self) {
        for member in &self.members {
            member.settle(Instant::now() + LIMIT).unwrap_or_else(|error| panic!("{error}"));
        }
    }

    /// Waits until so many records have arrived in all.
    fn await_all(&self, what: &str, records: usize) {
        let until = Instant::now() + LIMIT;
        let arrived = || self.books.iter().map(|book| book.look(|seen| seen.bodies.len())).sum::<usize>();
        while arrived() < records {
            assert!(Instant::now() < until, "{what}: {} of {records} arrived", arrived());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn bodies(&self) -> Vec<Vec<Vec<u8>>> {
        self.books.iter().map(|book| book.look(|seen| seen.bodies.clone())).collect()
    }

    fn memberships(&mut self) -> Vec<Membership> {
        self.members.iter_mut().map(|member| member.membership(LIMIT).unwrap()).collect()
    }

    /// All leave at once, as a runner makes them: whoever created the group waits for the others.
    fn finish(self) {
        let ends: Vec<_> =
            self.members.into_iter().map(|member| std::thread::spawn(move || member.finish(LIMIT))).collect();
        ends.into_iter().for_each(|end| end.join().unwrap().unwrap_or_else(|error| panic!("{error}")));
    }
}

fn body(number: usize) -> Vec<u8> {
    format!("record {number}").into_bytes()
}

fn publisher(setup: &ClientSetup) -> Box<dyn Publisher> {
    TRANSPORT.publisher(setup, Arc::new(Notebook::default())).unwrap_or_else(|error| panic!("{error}"))
}

fn send(publisher: &mut dyn Publisher, numbers: std::ops::Range<usize>) {
    numbers.for_each(|number| publisher.send(number as u64, &body(number)).unwrap());
}

/// An independent client, in a group if it asks what that has committed.
fn witness(broker: &Broker, group: &str) -> BaseConsumer {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", broker.address().to_string()).set("group.id", group);
    config.set("enable.auto.commit", "false").create().unwrap()
}

/// Where each record of a topic is: the partition and the offset of each body, read by an independent client.
fn places(broker: &Broker, topic: &str, records: usize) -> BTreeMap<Vec<u8>, (u32, i64)> {
    let witness = witness(broker, "witness");
    let mut from = TopicPartitionList::new();
    for partition in 0..PARTITIONS {
        from.add_partition_offset(topic, partition, Offset::Beginning).unwrap();
    }
    witness.assign(&from).unwrap();
    let (mut places, until) = (BTreeMap::new(), Instant::now() + LIMIT);
    while places.len() < records {
        assert!(Instant::now() < until, "{} of {records} records are at the broker", places.len());
        if let Some(Ok(record)) = witness.poll(Duration::from_millis(100)) {
            let body = record.payload().unwrap().to_vec();
            let before = places.insert(body, (record.partition() as u32, record.offset()));
            assert_eq!(before, None, "the broker has a record twice");
        }
    }
    places
}

/// What a group has committed, by partition, as an independent client gets it from the broker.
fn committed(broker: &Broker, group: &str, topic: &str) -> BTreeMap<u32, i64> {
    let mut list = TopicPartitionList::new();
    list.add_partition_range(topic, 0, PARTITIONS - 1);
    let committed = witness(broker, group).committed_offsets(list, LIMIT).unwrap();
    let offset = |(_, partition): (String, i32), offset: Offset| (partition as u32, offset.to_raw().unwrap());
    committed.to_topic_map().into_iter().map(|(place, at)| offset(place, at)).collect()
}

fn members_share_a_topics_partitions_and_each_record_goes_to_one_of_them(broker: &mut Broker) {
    const RECORDS: usize = 600;
    for (row, (assignment, count)) in
        [("range", 2), ("roundrobin", 3), ("cooperative-sticky", 3), ("range", 5)].into_iter().enumerate()
    {
        let (name, topic) = (format!("{assignment}, {count} members"), format!("shared-{row}"));
        let setup = member(broker, &topic, count, &[("assignment", assignment)]);
        let mut members = Members::join(&setup, count);
        members.settle();
        let mut publisher = publisher(&setup);
        send(&mut *publisher, 0..RECORDS);
        members.await_all(&name, RECORDS);
        let (told, bodies) = (members.memberships(), members.bodies());
        let places = places(broker, &topic, RECORDS);
        let used: BTreeSet<u32> = places.values().map(|(partition, _)| *partition).collect();
        assert_eq!(used.len(), 4, "{name}: keys are spread over partitions");
        let all: BTreeSet<&Vec<u8>> = bodies.iter().flatten().collect();
        assert_eq!(all.len(), RECORDS, "{name}: each record");
        assert_eq!(bodies.iter().flatten().count(), RECORDS, "{name}: once");
        for (membership, bodies) in told.iter().zip(&bodies) {
            let mut taken: BTreeMap<u32, u64> = BTreeMap::new();
            bodies.iter().for_each(|body| *taken.entry(places[body].0).or_default() += 1);
            let own: BTreeMap<u32, u64> =
                membership.partitions.iter().map(|used| (used.partition, used.messages)).collect();
            assert_eq!(own, taken, "{name}: {membership:?}");
            assert!(membership.partitions.iter().all(|used| used.held), "{name}: {membership:?}");
            assert_eq!((membership.rebalances, membership.rebalancing_ns), (0, 0), "{name}");
            assert!(membership.joining >= 1, "{name}: {membership:?}");
            // Within a partition there is an order.
            let mut last: BTreeMap<u32, i64> = BTreeMap::new();
            for (partition, offset) in bodies.iter().map(|body| places[body]) {
                assert!(last.insert(partition, offset).is_none_or(|last| last < offset), "{name}");
            }
        }
        let held: Vec<u32> = told.iter().flat_map(|one| &one.partitions).map(|used| used.partition).collect();
        assert_eq!(held.iter().collect::<BTreeSet<_>>().len(), 4, "{name}: {held:?}");
        assert_eq!(held.len(), 4, "{name}: a partition has one reader: {held:?}");
        let readers = told.iter().filter(|one| !one.partitions.is_empty()).count();
        assert_eq!(readers, (count as usize).min(4), "{name}");
        publisher.finish(LIMIT).unwrap();
        members.finish();
        assert_eq!(topics(broker.address()), [""; 0], "{name}");
    }
    assert_eq!(groups(broker), [""; 0], "groups remain");
}

fn groups(broker: &Broker) -> Vec<String> {
    let list = witness(broker, "witness").fetch_group_list(None, LIMIT).unwrap();
    list.groups().iter().map(|group| group.name().to_owned()).collect()
}

fn what_is_committed_is_what_kafkas_own_tool_says(broker: &mut Broker) {
    const RECORDS: usize = 300;
    let rows: [(&str, &[(&str, &str)]); 6] = [
        ("record, waiting", &[("commit", "record")]),
        ("record, not waiting", &[("commit", "record"), ("commit_mode", "async")]),
        ("batch, waiting", &[("commit", "batch"), ("take", "100"), ("take_wait", "20ms")]),
        ("batch, not waiting", &[("commit", "batch"), ("commit_mode", "async"), ("take", "50")]),
        ("auto", &[("commit", "auto")]),
        ("none", &[("commit", "none")]),
    ];
    for (row, (name, options)) in rows.into_iter().enumerate() {
        let topic = format!("committed-{row}");
        let setup = member(broker, &topic, 2, options);
        let mut members = Members::join(&setup, 2);
        members.settle();
        let mut publisher = publisher(&setup);
        send(&mut *publisher, 0..RECORDS);
        members.await_all(name, RECORDS);
        let told = members.memberships();
        let group = told[0].group.clone();
        let by_witness = committed(broker, &group, &topic);
        let mut by_us = BTreeMap::new();
        for used in told.iter().flat_map(|membership| &membership.partitions) {
            let (committed, end) = (used.committed.unwrap(), used.end.unwrap());
            assert_eq!(end, used.messages as i64, "{name}: {used:?}");
            assert_eq!(used.next, Some(end), "{name}: {used:?}");
            assert_eq!(committed, if name == "none" { 0 } else { end }, "{name}: {used:?}");
            assert_eq!(by_us.insert(used.partition, (committed, end)), None, "{name}: one holds it");
        }
        assert_eq!(by_us.len(), 4, "{name}");
        let of_us: BTreeMap<u32, i64> = by_us.iter().map(|(partition, (at, _))| (*partition, *at)).collect();
        assert_eq!(of_us, by_witness, "{name}");
        // The tool takes seconds to start.
        if matches!(name, "record, waiting" | "auto") {
            assert_eq!(by_us, tools::described(broker, &group, &topic), "{name}");
        }
        if name == "auto" {
            // As the broker counts its logs, and as their files are long.
            assert_eq!(broker.stored(&topic), Some(tools::logged(broker, &topic)), "{name}");
        }
        for membership in &told {
            let messages: u64 = membership.partitions.iter().map(|used| used.messages).sum();
            let commits = match name.split(',').next() {
                Some("record") => messages..=messages,
                Some("batch") => 1..=messages,
                Some("auto") => 1..=u64::MAX,
                _ => 0..=0,
            };
            assert!(commits.contains(&membership.commits), "{name}: {membership:?}");
            assert_eq!(membership.failed_commits, 0, "{name}: {membership:?}");
            let own = name.starts_with("record") || name.starts_with("batch");
            assert_eq!(membership.committing_ns > 0, own, "{name}: {membership:?}");
        }
        publisher.finish(LIMIT).unwrap();
        members.finish();
    }
    assert_eq!((topics(broker.address()), groups(broker)), (vec![], vec![]), "nothing remains");
}

/// Says in this environment that the program is a member of another process: address, topic, members, when they commit.
const MEMBER: &str = "WIREDYNO_TEST_KAFKA_MEMBER";

/// Writes each body in a line, at once.
struct Lines;

impl ReceivedSink for Lines {
    fn received(&mut self, body: &[u8], _received_ns: i64) {
        let line = [body, b"\n"].concat();
        let mut out = std::io::stdout().lock();
        // Without a reader the test is over.
        let _ = out.write_all(&line).and_then(|()| out.flush());
    }

    fn broken(&mut self, reason: &str) {
        eprintln!("broken: {reason}");
    }
}

/// The options of a member that may end at any time, and that commits so.
fn mortal(commit: &str) -> Vec<(&str, &str)> {
    let taken = if commit == "batch" { &[("take", "100"), ("take_wait", "20ms")][..] } else { &[] };
    [("commit", commit), ("session_timeout", "6s")].iter().chain(taken).copied().collect()
}

/// If this process is a member that a test has started, it is one until its input ends.
pub fn member_of_another_process() -> Option<ExitCode> {
    let told = std::env::var(MEMBER).ok()?;
    let words: Vec<&str> = told.split(' ').collect();
    let mut own = setup(Some("acks-all"), words[0].parse().unwrap(), words[1]);
    own.subscribers = words[2].parse().unwrap();
    let options = [("group", "shared"), ("partitions", "4")].into_iter().chain(mortal(words[3]));
    own.options = options.map(|(name, value)| (name.to_owned(), OptionValue::of_word(value))).collect();
    let member = TRANSPORT.subscriber(&own, Box::new(Lines)).unwrap_or_else(|error| panic!("{error}"));
    member.settle(Instant::now() + LIMIT).unwrap_or_else(|error| panic!("{error}"));
    let _ = std::io::stdin().read_line(&mut String::new());
    Some(ExitCode::SUCCESS)
}

/// A member in a process of its own, ended when dropped.
struct Mortal {
    child: Child,
    lines: Arc<Mutex<Vec<Vec<u8>>>>,
    reading: Option<std::thread::JoinHandle<()>>,
}

impl Mortal {
    fn start(broker: &Broker, topic: &str, commit: &str) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.env(MEMBER, format!("{} {topic} 2 {commit}", broker.address()));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (lines, out) = (Arc::new(Mutex::new(Vec::new())), child.stdout.take().unwrap());
        let kept = lines.clone();
        let reading = std::thread::spawn(move || {
            for line in BufReader::new(out).split(b'\n').map_while(Result::ok) {
                kept.lock().unwrap_or_else(PoisonError::into_inner).push(line);
            }
        });
        Mortal { child, lines, reading: Some(reading) }
    }

    fn count(&self) -> usize {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// What it has received so far.
    fn so_far(&self) -> Vec<Vec<u8>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(i32::try_from(self.child.id()).unwrap()), signal).unwrap();
    }

    /// Kills it: what it has received is complete then.
    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.reading.take().into_iter().for_each(|reading| reading.join().unwrap());
    }
}

impl Drop for Mortal {
    fn drop(&mut self) {
        self.kill();
    }
}

/// By partition, the offsets of what was received.
fn offsets(bodies: &[Vec<u8>], places: &BTreeMap<Vec<u8>, (u32, i64)>) -> BTreeMap<u32, BTreeSet<i64>> {
    let mut offsets: BTreeMap<u32, BTreeSet<i64>> = BTreeMap::new();
    for (partition, offset) in bodies.iter().map(|body| places[body]) {
        assert!(offsets.entry(partition).or_default().insert(offset), "one member received it twice");
    }
    offsets
}

/// How a member ends its work, and with what.
struct Fall<'a> {
    topic: &'a str,
    /// When members commit.
    commit: &'a str,
    records: usize,
    /// After how many records it falls.
    after: usize,
    /// The most records that it can have in hand then.
    in_hand: i64,
}

/// Two members, of which that of another process falls while records arrive; `rises` is called with what the other one has received when it has all the rest.
fn fallen(
    broker: &Broker,
    fall: &Fall<'_>,
    falls: impl FnOnce(&mut Mortal),
    rises: impl FnOnce(Mortal, &[Vec<u8>]),
) {
    let Fall { topic, commit, records, after, .. } = *fall;
    let setup = member(broker, topic, 2, &mortal(commit));
    let mut members = Members::join(&setup, 1);
    let mut mortal = Mortal::start(broker, topic, commit);
    members.settle();
    let mut publisher = publisher(&setup);
    let (mut sent, until) = (0, Instant::now() + LIMIT);
    while mortal.count() < after {
        assert!(Instant::now() < until, "the other member received {} records", mortal.count());
        if sent < records / 2 {
            send(&mut *publisher, sent..sent + 10);
            sent += 10;
        } else {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    falls(&mut mortal);
    send(&mut *publisher, sent..records);
    let places = places(broker, topic, records);
    let at_end = |seen: &wiredyno_transport_stand::Seen| {
        if seen.bodies.len() + mortal.count() < records {
            return false;
        }
        let before = mortal.so_far();
        seen.bodies.iter().chain(&before).collect::<BTreeSet<_>>().len() >= records
    };
    members.books[0].wait("all records", at_end, |_| ());
    let (told, received) = (members.memberships().remove(0), members.bodies().remove(0));
    let before = mortal.so_far();
    taken_over(fall, (&before, &received), &places, &told);
    rises(mortal, &received);
    publisher.finish(LIMIT).unwrap();
    members.finish();
}

/// The other member takes partitions over where they were committed: it gets what the first had not dealt with, and of the rest at most what that one had in hand.
fn taken_over(
    fall: &Fall<'_>,
    (before, received): (&[Vec<u8>], &[Vec<u8>]),
    places: &BTreeMap<Vec<u8>, (u32, i64)>,
    told: &Membership,
) {
    let (before, after) = (offsets(before, places), offsets(received, places));
    assert!(!before.is_empty(), "it had partitions");
    let mut twice = 0;
    for (partition, first) in &before {
        let end = places.values().filter(|(of, _)| of == partition).count() as i64;
        // The fallen member had a run from the beginning, the other one has the rest.
        let dealt_with = first.len() as i64;
        assert_eq!(*first, (0..dealt_with).collect::<BTreeSet<_>>(), "partition {partition}");
        let rest = after.get(partition).cloned().unwrap_or_default();
        let begin = rest.first().copied().unwrap_or(end);
        assert_eq!(rest, (begin..end).collect::<BTreeSet<_>>(), "partition {partition}");
        assert!(
            (dealt_with - fall.in_hand..=dealt_with).contains(&begin),
            "partition {partition}: {dealt_with}, {begin}"
        );
        twice += dealt_with - begin;
        let used = told.partitions.iter().find(|used| used.partition == *partition).unwrap();
        assert!(used.held, "{used:?}");
        assert_eq!((used.messages as i64, used.committed), (end - begin, Some(end)), "{used:?}");
    }
    // Only what it had in hand.
    assert!((0..=fall.in_hand).contains(&twice), "{twice} records were received twice");
    assert!(told.rebalances >= 1 && told.rebalancing_ns > 0, "{told:?}");
    assert_eq!(told.partitions.len(), 4, "{told:?}");
}

/// A member is killed while records arrive, which commits each; in the long form also members that commit batches, in the middle of 100,000 records, at twenty
/// moments.
fn nothing_that_a_killed_member_did_not_commit_is_lost(broker: &mut Broker) {
    let each = Fall { topic: "killed", commit: "record", records: 3_000, after: 200, in_hand: 1 };
    let killed = |fall: &Fall<'_>| fallen(broker, fall, Mortal::kill, |_, _| ());
    killed(&each);
    for seed in 0..if full() { 20 } else { 0 } {
        let (topic, after) = (format!("killed-{seed}"), 1_000 + seed * 947);
        killed(&Fall { topic: &topic, commit: "batch", records: 100_000, after, in_hand: 100 });
    }
    assert_eq!((topics(broker.address()), groups(broker)), (vec![], vec![]), "nothing remains");
}

/// A member stands still until the group has gone on without it. What it receives when it goes on are copies of what the other one has received, and it commits nothing.
fn a_member_that_stands_still_is_replaced_and_brings_only_copies(broker: &mut Broker) {
    let fall = Fall { topic: "still", commit: "record", records: 3_000, after: 200, in_hand: 1 };
    let falls = |mortal: &mut Mortal| mortal.signal(Signal::SIGSTOP);
    let rises = |mut mortal: Mortal, received: &[Vec<u8>]| {
        let before = mortal.count();
        mortal.signal(Signal::SIGCONT);
        // It ends by itself when its input does.
        drop(mortal.child.stdin.take());
        let until = Instant::now() + LIMIT;
        while mortal.child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < until, "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
        mortal.kill();
        let late = mortal.so_far().split_off(before);
        assert!(late.iter().all(|body| received.contains(body)), "a record that only it received");
    };
    fallen(broker, &fall, falls, rises);
    assert_eq!((topics(broker.address()), groups(broker)), (vec![], vec![]), "nothing remains");
}

fn a_member_that_waits_for_others_says_what_the_group_lacks(broker: &mut Broker) {
    let setup = member(broker, "alone", 2, &[]);
    let members = Members::join(&setup, 1);
    let until = Instant::now() + LIMIT;
    loop {
        let error = members.members[0].settle(Instant::now() + Duration::from_secs(1)).unwrap_err();
        assert!(matches!(error, ConnectError::NotGranted { .. }), "{error}");
        // A busy broker may need longer until it has one.
        if error.to_string().contains("it has 1 of 2 members") {
            break;
        }
        assert!(Instant::now() < until, "{error}");
    }
    members.finish();
    assert_eq!((topics(broker.address()), groups(broker)), (vec![], vec![]), "nothing remains");
}

fn a_topic_with_too_few_partitions_is_refused(broker: &mut Broker) {
    let mut one = setup(Some("acks-all"), broker.address(), "narrow");
    let sink = || Box::new(Arrivals(Arc::new(Notebook::default())));
    let first = TRANSPORT.subscriber(&one, sink()).unwrap();
    one.options = [("partitions".to_owned(), OptionValue::Whole(4))].into();
    let error = TRANSPORT.subscriber(&one, sink()).err().unwrap();
    assert!(
        matches!(&error, ConnectError::Unfit { reason, .. } if reason.contains("1 partitions, not 4")),
        "{error}"
    );
    first.finish(LIMIT).unwrap();
    assert_eq!(topics(broker.address()), [""; 0]);
}

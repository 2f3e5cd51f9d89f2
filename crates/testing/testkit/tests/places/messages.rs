//! Message trials: what belongs to a message lies between its stamps, on both sides, and everything else outside.

use std::fs::File;

use libtest_mimic::Trial;
use wiredyno_contract::bulk::{ReceivedRow, SentRow, read_received, read_sent};
use wiredyno_contract::{Client, Endpoint, LoadKind, Operation, Start, Subscribe, Success};
use wiredyno_testkit::{LIMIT, Runner, payloads};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport_stand::free_port;

use crate::marks::{Mark, one};
use crate::{Desk, Loaded, PAYLOAD, Probed};

const WARM_UP: u32 = 2;
const MESSAGES: u32 = 12;

/// The first interval to try. It is doubled if the machine is too busy for a publisher to wait for a message.
const INTERVAL_NS: u64 = 5_000_000;

/// Most messages of a batch that a client holds (docs/RUNNER.md, `start`).
const IN_HAND_BYTES: u64 = 64 << 20;

/// The length of a message of which a client may hold three.
const LONG: &str = "opaque@20000000";

pub fn tests(probed: &'static [Probed]) -> Vec<Trial> {
    let mut trials = Vec::new();
    for near in probed.iter().filter(|probed| probed.sends) {
        for far in probed.iter().filter(|probed| probed.sends) {
            for (kind, name) in
                [(LoadKind::Open, "open_loop"), (LoadKind::Closed, "closed_loop"), (LoadKind::Batch, "batch")]
            {
                let name = format!("what_belongs_to_a_message_lies_between_its_stamps {name}");
                let run = move || message_trial(near, far, kind);
                trials.push(near.trial(Some(far), &name, run));
            }
        }
        let name = "a_drain_counts_from_when_the_last_was_sent";
        trials.push(near.trial(None, name, move || drain(near)));
        let name = "a_client_holds_no_more_of_a_batch_than_its_bound";
        trials.push(near.trial(None, name, move || bound(near)));
    }
    trials
}

fn message_trial(near: &Probed, far: &Probed, kind: LoadKind) {
    let until_ns = now_ns() + LIMIT.as_nanos() as i64 / 2;
    let mut interval_ns = INTERVAL_NS;
    while !Exchange::run(near, far, kind, interval_ns).check(near) {
        assert!(now_ns() < until_ns, "every number was put in after its message was due");
        interval_ns *= 2;
    }
}

/// The records and marks of both sides.
struct Exchange {
    kind: LoadKind,
    sent: Vec<SentRow>,
    received: Vec<ReceivedRow>,
    publisher: Vec<Mark>,
    subscriber: Vec<Mark>,
}

fn endpoint() -> Endpoint {
    Endpoint { host: "127.0.0.1".into(), port: free_port().unwrap() }
}

fn publish(near: &Probed, setting: Option<&str>, endpoint: Endpoint) -> Operation {
    let client = Client::new(near.id().parse().unwrap(), endpoint, "t");
    Operation::Publish(Client { setting: setting.map(str::to_owned), seed: 1, ..client }.into())
}

fn start(kind: LoadKind, messages: u32, interval_ns: u64, gate: Option<String>) -> Operation {
    Operation::Start(Start {
        kind,
        seed: 1,
        deadline_ns: LIMIT.as_nanos() as u64,
        gate,
        ..Start::open(now_ns() + 2 * interval_ns as i64, messages, interval_ns)
    })
}

fn limit_ns() -> i64 {
    now_ns() + LIMIT.as_nanos() as i64 / 2
}

fn finish(runner: &mut Runner, records: String) {
    let finished = runner.must(Operation::Finish { records });
    assert!(matches!(&finished, Success::Finished { fault: None, unfinished: None, .. }), "{finished:?}");
}

impl Exchange {
    fn run(near: &Probed, far: &Probed, kind: LoadKind, interval_ns: u64) -> Exchange {
        let desk = Desk::of(&payloads::find(PAYLOAD), 3);
        let source = desk.source.wire();
        let (mut publisher, mut subscriber) = (near.load(&desk, &source), far.load(&desk, &source));
        let gate = (kind == LoadKind::Closed).then(|| desk.name("gate"));
        let endpoint = endpoint();
        let arrived = |runner: &mut Runner, messages: u32| {
            let wait = Operation::AwaitReceived { messages: messages.into(), until_ns: limit_ns() };
            let waited = runner.must(wait);
            let Success::Progress { messages: arrived, .. } = waited else { panic!("{waited:?}") };
            assert_eq!(arrived, u64::from(messages));
        };
        let client = Client { seed: 1, ..Client::new(far.id().parse().unwrap(), endpoint.clone(), "t") };
        let begun_ns = now_ns();
        subscriber.runner.must(Operation::Subscribe(Subscribe {
            client,
            listen: false,
            share: None,
            shared: false,
            gate: gate.clone(),
        }));
        publisher.runner.must(publish(near, None, endpoint));
        publisher.runner.must(Operation::WarmUp { messages: WARM_UP });
        arrived(&mut subscriber.runner, WARM_UP);
        // A closed loop waits only for receipts.
        let interval_ns = if kind == LoadKind::Closed { 0 } else { interval_ns };
        publisher.runner.must(start(kind, MESSAGES, interval_ns, gate));
        sent(&mut publisher.runner, MESSAGES);
        arrived(&mut subscriber.runner, WARM_UP + MESSAGES);
        finish(&mut publisher.runner, desk.name("sent"));
        finish(&mut subscriber.runner, desk.name("received"));
        let ended_ns = now_ns();
        let sent = read_sent(&mut File::open(desk.path("sent")).unwrap()).unwrap();
        let received = read_received(&mut File::open(desk.path("received")).unwrap()).unwrap();
        let stamps = sent.iter().map(|row| row.handed_over_ns);
        let stamps = stamps.chain(received.iter().map(|row| row.received_ns));
        for stamp in stamps {
            assert!(
                (begun_ns..=ended_ns).contains(&stamp),
                "{stamp} of a runner is of another clock than ours"
            );
        }
        Exchange {
            kind,
            sent,
            received,
            publisher: publisher.marks(),
            subscriber: subscriber.marks_with("handed", MESSAGES.into(), LIMIT),
        }
    }

    /// Whether numbers were inserted before messages were due.
    fn check(&self, near: &Probed) -> bool {
        let other: Vec<&Mark> = self.publisher.iter().filter(|mark| mark.what.starts_with("other")).collect();
        assert!(other.is_empty(), "between the due moment and the hand-over of messages: {other:?}");
        let measured = &self.sent[WARM_UP as usize..];
        assert_eq!((measured.len(), self.received.len()), (MESSAGES as usize, (MESSAGES + WARM_UP) as usize));
        let mut ahead = 0;
        for (place, row) in measured.iter().enumerate() {
            assert_eq!(row.sequence, place as u64);
            let number = place as u64 + 1;
            self.check_sent(near, number, row);
            let decoded_ns = self.check_received(number, row);
            // The first message waits for the start, whatever the loop.
            let is_ahead = one(&self.publisher, "number", number).end_ns <= row.intended_send_ns;
            ahead += u32::from(is_ahead && place > 0);
            if let Some(next) = measured.get(place + 1)
                && self.kind == LoadKind::Closed
            {
                let read = one(&self.subscriber, "read", number);
                assert!(
                    decoded_ns <= read.begin_ns && read.end_ns <= next.intended_send_ns,
                    "receipt before read"
                );
            }
        }
        ahead > 0
    }

    fn check_sent(&self, near: &Probed, number: u64, row: &SentRow) {
        let [numbered, build, encode, send, sent] =
            ["number", "build", "encode", "send", "sent"].map(|what| one(&self.publisher, what, number));
        let times = [
            ("build start", row.build_start_ns),
            ("build begins", build.begin_ns),
            ("build ends", build.end_ns),
            ("built", row.built_ns),
            ("encode begins", encode.begin_ns),
            ("encode ends", encode.end_ns),
            ("encoded", row.encoded_ns),
            ("send begins", send.begin_ns),
            ("send ends", send.end_ns),
            ("handed over", row.handed_over_ns),
        ];
        in_order(number, &times);
        in_order(number, &[("due", row.intended_send_ns), ("build start", row.build_start_ns)]);
        in_order(number, &[("numbered", numbered.end_ns), ("build start", row.build_start_ns)]);
        assert_eq!(row.sent_ns, sent.begin_ns, "message {number}: `sent` is when the transport said");
        if let Some(next) =
            self.publisher.iter().find(|mark| mark.what == "number" && mark.number == number + 1)
        {
            in_order(number, &[("handed over", row.handed_over_ns), ("the next is numbered", next.begin_ns)]);
        }
        for what in &near.marks {
            let between = |mark: &&Mark| (numbered.end_ns..=build.begin_ns).contains(&mark.begin_ns);
            let seen = self.publisher.iter().filter(|mark| mark.what == *what).filter(between).count();
            assert_eq!(seen, 1, "message {number}: marks `{what}` between its number and its build");
        }
    }

    /// Checks a received message and returns its stamp `decoded`.
    fn check_received(&self, number: u64, row: &SentRow) -> i64 {
        let [received, decode, read, handed] =
            ["received", "decode", "read", "handed"].map(|what| one(&self.subscriber, what, number));
        let arrivals: Vec<_> = self.received.iter().filter(|arrival| arrival.digest == row.digest).collect();
        assert_eq!(arrivals.len(), 1, "message {number} has so many rows");
        let arrival = arrivals[0];
        assert_eq!(
            arrival.received_ns, received.begin_ns,
            "message {number}: `received` is when the transport said"
        );
        let times = [
            ("received", arrival.received_ns),
            ("handed to the subscriber", handed.begin_ns),
            ("decode begins", decode.begin_ns),
            ("decode ends", decode.end_ns),
            ("decoded", arrival.decoded_ns),
            ("read begins", read.begin_ns),
            ("read ends", read.end_ns),
            ("handed back", handed.end_ns),
        ];
        in_order(number, &times);
        arrival.decoded_ns
    }
}

fn in_order(number: u64, times: &[(&str, i64)]) {
    let wrong = times.windows(2).find(|pair| pair[0].1 > pair[1].1);
    assert!(wrong.is_none(), "message {number}: not in this order: {wrong:?} of {times:?}");
}

/// Waits until all are sent; returns the time of the last.
fn sent(runner: &mut Runner, messages: u32) -> i64 {
    let waited = runner.must(Operation::AwaitSent { until_ns: limit_ns(), acked: false });
    let Success::Progress { messages: sent, last_ns, .. } = waited else { panic!("{waited:?}") };
    assert_eq!(sent, u64::from(messages));
    last_ns.unwrap()
}

/// Publishes a batch, or an open loop, over the transport that holds messages; returns all marks of sends.
fn held(near: &Probed, desk: &Desk, kind: LoadKind, messages: u32) -> (Loaded, i64) {
    let mut publisher = near.load(desk, &desk.source.wire());
    publisher.runner.must(publish(near, Some("held"), endpoint()));
    publisher.runner.must(start(kind, messages, 1_000_000, None));
    let last_ns = sent(&mut publisher.runner, messages);
    finish(&mut publisher.runner, desk.name("sent"));
    (publisher, last_ns)
}

fn drain(near: &Probed) {
    let desk = Desk::of(&payloads::find(PAYLOAD), 1);
    let (publisher, last_ns) = held(near, &desk, LoadKind::Open, 4);
    let marks = publisher.marks();
    let told_ns = marks.iter().filter(|mark| mark.what == "sent").map(|mark| mark.begin_ns).max();
    assert_eq!(Some(last_ns), told_ns, "`last_ns` is when the transport said that the last was sent");
}

fn bound(near: &Probed) {
    let desk = Desk::of(&payloads::find(LONG), 1);
    let (publisher, _) = held(near, &desk, LoadKind::Batch, 6);
    let marks = publisher.marks();
    let bytes = read_sent(&mut File::open(desk.path("sent")).unwrap()).unwrap()[0].body_bytes;
    let most = (IN_HAND_BYTES / bytes) as usize;
    assert!((1..6).contains(&most), "{bytes} bytes");
    for (place, send) in marks.iter().filter(|mark| mark.what == "send").enumerate() {
        let told = marks.iter().filter(|mark| mark.what == "sent" && mark.begin_ns <= send.begin_ns).count();
        assert!(place - told.min(place) < most, "message {place} was handed over when {told} had been sent");
    }
}

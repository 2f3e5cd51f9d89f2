//! A trial as the orchestrator drives it: two runners over pipes, every transport and setting of the registry.

// Helper functions of tests may unwrap like the tests themselves: a failure is a failed test.
#![allow(clippy::unwrap_used)]

mod stand;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use stand::{Runner, load};
use wiredyno_model::{Arrivals, LoadKind, OptionTable, TransportId};
use wiredyno_runner_wire::bulk::{ABSENT, ReceivedRow, SentRow, read_received, read_sent};
use wiredyno_runner_wire::{Endpoint, Operation, Outcome};
use wiredyno_transports::clock::now_ns;

const MESSAGES: u32 = 20;
const WARM_UP: u32 = 3;
const INTERVAL_NS: u64 = 2_000_000;
const LIMIT_NS: i64 = 20_000_000_000;

struct Trial<'a> {
    transport: TransportId,
    setting: Option<String>,
    kind: LoadKind,
    codec: &'a str,
}

fn start(kind: LoadKind, gate: Option<String>) -> Operation {
    Operation::Start {
        at_ns: now_ns() + 5_000_000,
        messages: MESSAGES,
        kind,
        interval_ns: INTERVAL_NS,
        arrivals: Arrivals::Constant,
        seed: 1,
        deadline_ns: LIMIT_NS as u64,
        gate,
    }
}

impl Trial<'_> {
    /// Carries out a trial and gives both sides' records.
    fn run(&self, folder: &Path) -> (Vec<SentRow>, Vec<ReceivedRow>, bool) {
        let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
        let gate = (self.kind == LoadKind::Closed).then(|| path("gate"));
        let (mut near, mut far) = (Runner::start(), Runner::start());
        near.must(load("small", self.codec));
        far.must(load("small", self.codec));
        let endpoint = Endpoint { host: "127.0.0.1".into(), port: 0 };
        let (options, seed) = (OptionTable::new(), 1);
        let transport = self.transport.clone();
        let serve = Operation::Serve { transport, endpoint, options: options.clone(), seed };
        let Outcome::Serving { endpoint } = far.must(serve) else { panic!("not serving") };
        let (transport, setting) = (self.transport.clone(), self.setting.clone());
        far.must(Operation::Subscribe {
            transport: transport.clone(),
            setting: setting.clone(),
            endpoint: endpoint.clone(),
            topic: "trial/1".into(),
            gate: gate.clone(),
            options: options.clone(),
            seed,
        });
        let topic = "trial/1".into();
        near.must(Operation::Publish { transport, setting, endpoint, topic, options, seed });
        near.must(Operation::WarmUp { messages: WARM_UP });
        let until_ns = now_ns() + LIMIT_NS;
        let arrived = |messages| Operation::AwaitReceived { messages, until_ns };
        far.must(arrived(WARM_UP.into()));
        near.must(start(self.kind, gate));
        let sent = near.must(Operation::AwaitSent { until_ns, acked: true });
        let Outcome::Progress { messages, acked, last_ns } = sent else { panic!("{sent:?}") };
        assert_eq!(messages, u64::from(MESSAGES));
        assert!(last_ns.is_some());
        let received = far.must(arrived(u64::from(WARM_UP + MESSAGES)));
        let Outcome::Progress { messages, .. } = received else { panic!("{received:?}") };
        assert_eq!(messages, u64::from(WARM_UP + MESSAGES));
        for (runner, file) in [(&mut near, "sent"), (&mut far, "received")] {
            let finished = runner.must(Operation::Finish { records: path(file) });
            let expected =
                Outcome::Finished { records: u64::from(WARM_UP + MESSAGES), fault: None, unfinished: None };
            assert_eq!(finished, expected);
        }
        assert_eq!(near.must(Operation::Stop), Outcome::Done);
        far.hang_up().unwrap();
        (
            read_sent(&mut File::open(path("sent")).unwrap()).unwrap(),
            read_received(&mut File::open(path("received")).unwrap()).unwrap(),
            acked == u64::from(MESSAGES),
        )
    }
}

/// How often each digest occurs.
fn counted(digests: impl Iterator<Item = u128>) -> BTreeMap<u128, u32> {
    let mut counts = BTreeMap::new();
    for digest in digests {
        *counts.entry(digest).or_insert(0) += 1;
    }
    counts
}

fn check(name: &str, sent: &[SentRow], received: &[ReceivedRow], acked: bool) {
    let digests = counted(sent.iter().map(|row| row.digest));
    assert_eq!(digests, counted(received.iter().map(|row| row.digest)), "{name}");
    assert!(digests.values().all(|&count| count == 1), "{name}: every body differs, warm-up included");
    let (warm, measured) = sent.split_at(WARM_UP as usize);
    assert!(warm.iter().all(SentRow::is_warmup) && measured.iter().all(|row| !row.is_warmup()), "{name}");
    assert!(measured.iter().map(|row| row.sequence).eq(0..u64::from(MESSAGES)), "{name}");
    for row in measured {
        let times = [row.intended_send_ns, row.build_start_ns, row.built_ns, row.encoded_ns, row.sent_ns];
        assert!(times.is_sorted(), "{name}: {times:?}");
        let arrival = received.iter().find(|arrival| arrival.digest == row.digest).unwrap();
        assert!(row.encoded_ns <= arrival.received_ns, "{name}: received before it was encoded");
        assert!(arrival.received_ns <= arrival.decoded_ns, "{name}");
        assert_eq!(row.body_bytes, arrival.body_bytes);
        assert_eq!(row.acked_ns != ABSENT, acked, "{name}: acknowledged");
    }
}

/// Every transport and setting, each with another codec, so that all carry a trial once.
fn all_trials(kind: LoadKind, check_loop: impl Fn(&str, &[SentRow], &[ReceivedRow])) {
    let codecs: Vec<_> = wiredyno_codecs::REGISTRY.iter().map(|codec| codec.id()).collect();
    let mut number = 0;
    for transport in wiredyno_transports::REGISTRY {
        let description = transport.description();
        let mut settings: Vec<_> = description.settings.into_iter().map(|s| Some(s.name)).collect();
        if settings.is_empty() {
            settings.push(None);
        }
        for setting in settings {
            let trial = Trial {
                transport: description.id.clone(),
                codec: codecs[number % codecs.len()],
                setting,
                kind,
            };
            number += 1;
            let name = format!("{} {:?} {:?} {}", trial.transport, trial.setting, kind, trial.codec);
            let folder = tempfile::tempdir().unwrap();
            let (sent, received, acked) = trial.run(folder.path());
            check(&name, &sent, &received, acked);
            check_loop(&name, &sent, &received);
        }
    }
}

#[test]
fn an_open_loop_keeps_its_intended_times_over_every_transport() {
    all_trials(LoadKind::Open, |name, sent, _| {
        for pair in sent[WARM_UP as usize..].windows(2) {
            let gap_ns = pair[1].intended_send_ns - pair[0].intended_send_ns;
            assert_eq!(gap_ns, INTERVAL_NS as i64, "{name}");
        }
    });
}

#[test]
fn a_closed_loop_sends_after_each_receipt_over_every_transport() {
    all_trials(LoadKind::Closed, |name, sent, received| {
        for pair in sent[WARM_UP as usize..].windows(2) {
            let receipt = received.iter().find(|arrival| arrival.digest == pair[0].digest).unwrap();
            let pause_ns = pair[1].intended_send_ns - receipt.decoded_ns;
            assert!(pause_ns >= INTERVAL_NS as i64, "{name}: {pause_ns} ns after the receipt");
        }
    });
}

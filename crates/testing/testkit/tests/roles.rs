//! A trial as the orchestrator drives it: two runners with a codec loaded, over every transport and setting that they have.

// Helper functions of tests may unwrap like the tests themselves: a failure is a failed test.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};
use wiredyno_contract::bulk::{ABSENT, ReceivedRow, SentRow, read_received, read_sent};
use wiredyno_contract::{
    Arrivals, Capability, Client, Endpoint, LoadKind, Operation, OptionTable, Start, Subscribe, Success,
    TlsTerms, TransportDescription, TransportId,
};
use wiredyno_testkit::{LIMIT, Loaded, Subject, folders, payloads, rust};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport_stand::{Shared, folder, free_port};

const MESSAGES: u32 = 20;
const WARM_UP: u32 = 3;
const INTERVAL_NS: u64 = 2_000_000;

/// A payload whose messages carry numbers.
const PAYLOAD: &str = "nested-bounds";

/// The load: how messages are issued, and the window of a closed loop.
type Issued = (LoadKind, u32);

const LOADS: [Issued; 4] =
    [(LoadKind::Open, 1), (LoadKind::Closed, 1), (LoadKind::Closed, 4), (LoadKind::Batch, 1)];

/// A test with its name.
type Named = (&'static str, fn(&Subject));

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let subjects = match rust::subjects(|id| id == PAYLOAD) {
        Ok(subjects) => &*subjects.leak(),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let mut trials = Vec::new();
    let mosquitto = Shared::of(folder("mosquitto"), 1);
    for subject in subjects {
        for load in LOADS {
            trials.extend(all_trials(subject, load, &mosquitto));
        }
        let own: [Named; 2] = [
            ("a_publisher_whose_relay_dies_says_so_and_still_gives_its_records", relay_dies),
            ("a_schedule_ends_with_the_input", a_schedule_ends_with_the_input),
        ];
        trials.extend(own.into_iter().map(|(name, run)| {
            Trial::test(format!("{name} {}", subject.name()), move || {
                run(subject);
                Ok(())
            })
        }));
    }
    // Runners in other languages take part with the transports that they have.
    let folders = folders::subjects(None).into_iter();
    let folders: Vec<Subject> = folders
        .filter(|subject| subject.payload.id().name == PAYLOAD && !subject.program.is_empty())
        .collect();
    for subject in &*folders.leak() {
        for load in LOADS {
            trials.extend(all_trials(subject, load, &mosquitto));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Every transport and setting, each with another codec, so that every codec carries a trial.
fn all_trials(subject: &'static Subject, load: Issued, mosquitto: &Arc<Shared>) -> Vec<Trial> {
    let codecs: Vec<&str> = subject.carried().collect();
    let mut trials = Vec::new();
    for transport in &subject.description().transports {
        let served = |protocol: &String| *protocol == transport.id.protocol;
        let alone = has(transport, Capability::Brokerless) || has(transport, Capability::Direct);
        if !alone && !mosquitto.folder.broker.protocols.iter().any(served) {
            continue;
        }
        // A CoAP server skips a state that is superseded before it was sent (RFC 7641, section 4.5.2).
        if transport.id.protocol == "coap" && load != LOADS[0] && load != LOADS[1] {
            continue;
        }
        let mut settings: Vec<_> = transport.settings.iter().map(|s| Some(s.name.clone())).collect();
        if settings.is_empty() {
            settings.push(None);
        }
        for setting in settings {
            let codec = codecs[trials.len() % codecs.len()];
            let exchange = Exchange { subject, transport, setting, load, codec };
            let name = exchange.name();
            trials.push(match alone {
                true => Trial::test(name, move || {
                    exchange.check(None);
                    Ok(())
                }),
                false => {
                    mosquitto.trial(&name, move |broker| exchange.check(Some(local(broker.address().port()))))
                }
            });
        }
    }
    trials
}

fn has(transport: &TransportDescription, capability: Capability) -> bool {
    transport.capabilities.contains(&capability)
}

fn local(port: u16) -> Endpoint {
    Endpoint { host: "127.0.0.1".into(), port }
}

fn serve(transport: &TransportId, options: OptionTable) -> Operation {
    Operation::Serve { transport: transport.clone(), endpoint: local(0), options, seed: 1, tls: None }
}

fn start((kind, window): Issued, messages: u32, gate: Option<String>) -> Operation {
    Operation::Start(Start {
        kind,
        window,
        seed: 1,
        deadline_ns: LIMIT.as_nanos() as u64 / 2,
        gate,
        ..Start::open(now_ns() + 5_000_000, messages, INTERVAL_NS)
    })
}

struct Exchange {
    subject: &'static Subject,
    transport: &'static TransportDescription,
    setting: Option<String>,
    load: Issued,
    codec: &'static str,
}

impl Exchange {
    fn name(&self) -> String {
        let setting = self.setting.as_deref().map_or(String::new(), |setting| format!(":{setting}"));
        let kind = match self.load {
            (LoadKind::Open | LoadKind::Search, _) => "an_open_loop_keeps_its_intended_times",
            (LoadKind::Closed, 1) => "a_closed_loop_sends_after_each_receipt",
            (LoadKind::Closed, _) => "a_window_has_no_more_under_way",
            (LoadKind::Batch, _) => "a_batch_sends_when_the_one_before_is_taken",
        };
        format!("{kind} {} {}{setting} {}", self.subject.name(), self.transport.id, self.codec)
    }

    fn loaded(&self) -> Loaded {
        self.subject.load(self.codec, &payloads::samples(&self.subject.payload, 50))
    }

    /// The address of a broker, or of the transport's own server.
    fn check(&self, broker: Option<Endpoint>) {
        let folder = tempfile::tempdir().unwrap();
        let (sent, received, acked) = self.run(folder.path(), broker);
        let name = self.name();
        check(&name, &sent, &received, acked);
        let measured = &sent[WARM_UP as usize..];
        let decoded_ns =
            |row: &SentRow| received.iter().find(|arrival| arrival.digest == row.digest).unwrap().decoded_ns;
        for (place, row) in measured.iter().enumerate().skip(1) {
            let before = &measured[place - 1];
            match self.load.0 {
                LoadKind::Open | LoadKind::Search => {
                    let gap_ns = row.intended_send_ns - before.intended_send_ns;
                    assert_eq!(gap_ns, INTERVAL_NS as i64, "{name}");
                }
                LoadKind::Closed => {
                    let free_ns = row.intended_send_ns - INTERVAL_NS as i64;
                    let under_way = measured[..place].iter().filter(|row| decoded_ns(row) > free_ns).count();
                    assert!(
                        under_way < self.load.1 as usize,
                        "{name}: {under_way} under way at message {place}"
                    );
                }
                LoadKind::Batch => assert!(row.intended_send_ns >= before.handed_over_ns, "{name}"),
            }
        }
    }

    /// Carries out a trial; both sides' records, and whether messages were acknowledged.
    #[expect(
        clippy::too_many_lines,
        reason = "the sequence of operations of a trial, in the contract's order"
    )]
    fn run(&self, folder: &Path, broker: Option<Endpoint>) -> (Vec<SentRow>, Vec<ReceivedRow>, bool) {
        let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
        let gate = (self.load.0 == LoadKind::Closed).then(|| path("gate"));
        let (mut near, mut far) = (self.loaded().runner, self.loaded().runner);
        let (endpoint, tls) = match broker {
            Some(endpoint) => (endpoint, None),
            // Clients find each other.
            None if has(self.transport, Capability::Direct) => (local(free_port().unwrap()), None),
            None => match far.must(serve(&self.transport.id, OptionTable::new())) {
                Success::Serving { endpoint, certificate } => {
                    let tls = certificate.map(|certificate| {
                        std::fs::write(path("relay.pem"), certificate).unwrap();
                        TlsTerms::of(endpoint.host.clone(), Some(path("relay.pem")))
                    });
                    (endpoint, tls)
                }
                other => panic!("not serving: {other:?}"),
            },
        };
        let transport = self.transport.id.clone();
        let client = Client::new(transport, endpoint, "trial/1");
        let client = Client { setting: self.setting.clone(), seed: 1, tls, ..client };
        far.must(Operation::Subscribe(Subscribe {
            client: client.clone(),
            listen: false,
            share: None,
            shared: false,
            gate: gate.clone(),
        }));
        near.must(Operation::Publish(client.into()));
        if has(self.transport, Capability::Direct) {
            // The subscriber may not have discovered the publisher yet, and nothing reports it.
            std::thread::sleep(std::time::Duration::from_millis(500));
        }
        near.must(Operation::WarmUp { messages: WARM_UP });
        let until_ns = now_ns() + LIMIT.as_nanos() as i64 / 2;
        let arrived = |messages| Operation::AwaitReceived { messages, until_ns };
        far.must(arrived(WARM_UP.into()));
        // A conversation without messages: the blank before a trial.
        near.must(start(LOADS[0], 0, None));
        let sent = near.must(Operation::AwaitSent { until_ns, acked: true });
        let Success::Progress { messages: 0, acked: 0, .. } = sent else { panic!("{sent:?}") };
        let written = near.must(Operation::WriteSent { records: path("blank") });
        assert_eq!(written, Success::Written { records: 0 });
        let delivered = far.must(Operation::AwaitDelivered { sent: path("blank"), until_ns });
        let Success::Progress { messages: 0, .. } = delivered else { panic!("{delivered:?}") };
        near.must(start(self.load, MESSAGES, gate));
        let sent = near.must(Operation::AwaitSent { until_ns, acked: true });
        let Success::Progress { messages, acked, last_ns, stand_cpu_ns, .. } = sent else {
            panic!("{sent:?}")
        };
        assert_eq!(messages, u64::from(MESSAGES));
        // Without waits it is computed from few readings and may be zero.
        let waits = self.load == LOADS[0] || self.load == LOADS[1];
        let least = Some(u64::from(waits));
        assert!(last_ns.is_some() && stand_cpu_ns >= least);
        let written = near.must(Operation::WriteSent { records: path("measured") });
        assert_eq!(written, Success::Written { records: u64::from(MESSAGES) });
        let delivered = far.must(Operation::AwaitDelivered { sent: path("measured"), until_ns });
        let Success::Progress { messages, stand_cpu_ns, .. } = delivered else { panic!("{delivered:?}") };
        assert_eq!(messages, u64::from(MESSAGES));
        assert!(stand_cpu_ns >= least);
        let received = far.must(arrived(u64::from(WARM_UP + MESSAGES)));
        let Success::Progress { messages, .. } = received else { panic!("{received:?}") };
        assert_eq!(messages, u64::from(WARM_UP + MESSAGES));
        for (runner, file) in [(&mut near, "sent"), (&mut far, "received")] {
            let finished = runner.must(Operation::Finish { records: path(file) });
            let expected = Success::Finished {
                records: u64::from(WARM_UP + MESSAGES),
                fault: None,
                unfinished: None,
                memberships: Vec::new(),
            };
            assert_eq!(finished, expected);
        }
        assert_eq!(near.must(Operation::Stop), Success::Done);
        assert!(near.hang_up().success() && far.hang_up().success());
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

const CODEC: &str = "protobuf/prost";

fn publish(transport: &str, endpoint: Endpoint) -> Operation {
    Operation::Publish(Client::new(transport.parse().unwrap(), endpoint, "t").into())
}

fn serving(runner: &mut wiredyno_testkit::Runner, transport: &str, options: OptionTable) -> Endpoint {
    match runner.must(serve(&transport.parse().unwrap(), options)) {
        Success::Serving { endpoint, .. } => endpoint,
        other => panic!("not serving: {other:?}"),
    }
}

fn relay_dies(subject: &Subject) {
    let (mut relay, loaded) = (subject.start(), subject.load(CODEC, &payloads::samples(&subject.payload, 1)));
    let mut near = loaded.runner;
    let endpoint = serving(&mut relay, "tcp/wiredyno", OptionTable::new());
    near.must(publish("tcp/wiredyno", endpoint));
    near.must(Operation::WarmUp { messages: 2 });
    assert!(relay.hang_up().success());
    near.must(Operation::Start(Start {
        arrivals: Arrivals::Poisson,
        seed: 1,
        ..Start::open(now_ns(), 100_000, 1_000_000)
    }));
    let wait = Operation::AwaitSent { until_ns: now_ns() + 20_000_000_000, acked: false };
    let failure = near.ask(wait).unwrap_err();
    assert!(failure.error.contains("connection is lost"), "{failure}");
    let file = tempfile::NamedTempFile::new().unwrap();
    let finish = Operation::Finish { records: file.path().to_str().unwrap().into() };
    let Success::Finished { records, fault, .. } = near.must(finish) else { panic!() };
    assert!(records >= 2 && fault.is_some_and(|fault| fault.contains("tcp/wiredyno")));
}

fn a_schedule_ends_with_the_input(subject: &Subject) {
    let loaded = subject.load(CODEC, &payloads::samples(&subject.payload, 1));
    let mut runner = loaded.runner;
    let endpoint = serving(&mut runner, "udp/wiredyno", OptionTable::new());
    runner.must(publish("udp/wiredyno", endpoint));
    runner.must(Operation::Start(Start::open(i64::MAX, 1, 1)));
    assert!(runner.hang_up().success());
}

//! A runner composed of transports only: how it describes itself, its roles, and how it refuses.
//!
//! What needs a codec is tested with composed runners in crates/testing/testkit.

// Helper functions may unwrap like the tests themselves: a failure is a failed test.
#![allow(clippy::unwrap_used)]

mod stand;

use stand::Runner;
use wiredyno_contract::{
    Answer, Client, Endpoint, Operation, OptionTable, OptionValue, PayloadSource, Start, Success, bulk,
};

/// A role that has ended well, without a record.
const ENDED: Success =
    Success::Finished { records: 0, fault: None, unfinished: None, memberships: Vec::new() };

fn local(port: u16) -> Endpoint {
    Endpoint { host: "127.0.0.1".into(), port }
}

fn serve(transport: &str, options: OptionTable) -> Operation {
    Operation::Serve {
        transport: transport.parse().unwrap(),
        endpoint: local(0),
        options,
        seed: 0,
        tls: None,
    }
}

fn serving(runner: &mut Runner, transport: &str) -> Endpoint {
    match runner.must(serve(transport, OptionTable::new())) {
        Success::Serving { endpoint, .. } => endpoint,
        other => panic!("not serving: {other:?}"),
    }
}

fn subscribe(transport: &str, endpoint: Endpoint) -> Operation {
    Operation::Subscribe(Client::new(transport.parse().unwrap(), endpoint, "t").into())
}

fn payload() -> PayloadSource {
    PayloadSource {
        name: "person".parse().unwrap(),
        descriptor_set: "/nowhere/descriptors".into(),
        definition: "0".repeat(32),
        message: "wiredyno.payload.person.Person".into(),
        samples: "/nowhere/samples".into(),
        samples_digest: "0".repeat(32),
        training: None,
        sequence: None,
        schemas: Default::default(),
    }
}

#[test]
fn a_description_states_what_it_was_composed_of() {
    let mut runner = Runner::start();
    let Success::Description(description) = runner.must(Operation::Describe) else { panic!() };
    assert!(description.runner.language.starts_with("Rust 1."), "{}", description.runner.language);
    let composed: Vec<_> = stand::TRANSPORTS.iter().map(|transport| transport.description().id).collect();
    let mut declared = wiredyno_transport_registry::descriptions();
    declared.retain(|transport| composed.contains(&transport.id));
    assert_eq!(description.transports, declared);
    assert!(description.compressions.iter().all(|method| !method.version.is_empty()));
    assert_eq!((description.codecs.len(), description.definition), (0, None));
    runner.hang_up().unwrap();
}

#[test]
fn what_can_not_be_done_is_a_reply_and_the_runner_lives_on() {
    let mut runner = Runner::start();
    runner.send("{\"id\": 41, \"op\": \"dance\"}");
    let reply = runner.reply();
    assert_eq!(reply.id, 41);
    assert!(matches!(reply.answer, Answer::Failed(failure) if failure.error.contains("RUNNER.md")));
    runner.send("no json");
    assert_eq!(runner.reply().id, 0);
    let publish = |host: &str| {
        let endpoint = Endpoint { host: host.into(), port: 1 };
        let client = Client::new("mqtt/rumqttc".parse().unwrap(), endpoint, "t");
        Operation::Publish(Client { setting: Some("qos0".into()), ..client }.into())
    };
    let start = Operation::Start(Start::open(0, 1, 1));
    let load = Operation::Load {
        payload: payload(),
        codec: "json/serde-json".parse().unwrap(),
        compression: Default::default(),
        samples: None,
    };
    let call_first = Operation::CallFirst { payload: payload(), codec: "json/serde-json".parse().unwrap() };
    let deaf = OptionTable::from([("deaf".to_owned(), OptionValue::Flag(true))]);
    let wrong = OptionTable::from([("supersed".to_owned(), OptionValue::Flag(true))]);
    let refusals = [
        (load, "composed of transports only"),
        (Operation::Encode { sample: Some(0), value: None }, "`load`"),
        (Operation::Decode { body: "00".into() }, "`load`"),
        (publish("127.0.0.1"), "`load`"),
        (publish("cloud"), "IP address"),
        (start, "`publish`"),
        (Operation::Finish { records: "/nowhere/records".into() }, "`publish`"),
        (Operation::FinishServing { records: "/nowhere/records".into() }, "`serve`"),
        (Operation::WarmUp { messages: 1 }, "`publish`"),
        (Operation::AwaitSent { until_ns: 0, acked: false }, "`publish`"),
        (Operation::AwaitReceived { messages: 1, until_ns: 0 }, "`subscribe`"),
        (serve("tcp/nobody", OptionTable::new()), "no transport `tcp/nobody`"),
        (serve("tcp/wiredyno", deaf), "tcp has no option `deaf`"),
        (serve("coap/wiredyno", wrong), "did you mean `supersede`?"),
        (subscribe("tcp/wiredyno", local(1)), "127.0.0.1:1"),
    ];
    for (operation, word) in refusals {
        let failure = runner.ask(operation).unwrap_err();
        assert!(failure.error.contains(word), "{word}: {failure}");
    }
    let failure = runner.ask(call_first).unwrap_err();
    assert!(failure.error.contains("fresh process"), "a refused load counts, too: {failure}");
    assert_eq!(runner.must(Operation::Stop), Success::Done);
    runner.hang_up().unwrap();
}

#[test]
fn a_subscriber_without_a_codec_is_one_thing_at_a_time_and_writes_its_records() {
    for transport in ["tcp/wiredyno", "udp/wiredyno"] {
        let (mut server, mut runner) = (Runner::start(), Runner::start());
        let endpoint = serving(&mut server, transport);
        let connected = runner.must(subscribe(transport, endpoint.clone()));
        assert!(
            matches!(connected, Success::Connected { connect_ns: Some(1..), tls: None, handshake: None }),
            "{connected:?}"
        );
        let failure = runner.ask(subscribe(transport, endpoint)).unwrap_err();
        assert!(failure.error.contains("a subscriber already"), "{failure}");
        let progress = runner.must(Operation::AwaitReceived { messages: 1, until_ns: 0 });
        assert!(
            matches!(
                progress,
                Success::Progress {
                    messages: 0,
                    acked: 0,
                    last_ns: None,
                    stand_cpu_ns: Some(1..),
                    session_cpu_ns: 1..
                }
            ),
            "{progress:?}"
        );
        let file = tempfile::NamedTempFile::new().unwrap();
        let finish = |path: &str| Operation::Finish { records: path.into() };
        let finished = runner.must(finish(file.path().to_str().unwrap()));
        assert_eq!(finished, ENDED);
        assert_eq!(bulk::read_received(&mut file.reopen().unwrap()).unwrap(), []);
        assert!(runner.ask(finish("/nowhere/records")).is_err(), "it is none any more");
        runner.hang_up().unwrap();
        server.hang_up().unwrap();
    }
}

#[test]
fn records_that_can_not_be_written_are_told_with_their_path() {
    let mut runner = Runner::start();
    let endpoint = serving(&mut runner, "tcp/wiredyno");
    runner.must(subscribe("tcp/wiredyno", endpoint));
    let failure = runner.ask(Operation::Finish { records: "/nowhere/records".into() }).unwrap_err();
    assert!(failure.error.contains("/nowhere/records"), "{failure}");
    runner.hang_up().unwrap();
}

#[test]
fn a_server_writes_what_it_superseded_and_ends() {
    let mut runner = Runner::start();
    let options = OptionTable::from([("supersede".to_owned(), OptionValue::Flag(true))]);
    assert!(matches!(runner.must(serve("coap/wiredyno", options)), Success::Serving { .. }));
    let file = tempfile::NamedTempFile::new().unwrap();
    let finish = || Operation::FinishServing { records: file.path().to_str().unwrap().into() };
    assert_eq!(runner.must(finish()), ENDED);
    assert_eq!(bulk::read_superseded(&mut file.reopen().unwrap()).unwrap(), []);
    assert!(runner.ask(finish()).unwrap_err().error.contains("`serve` first"));
    runner.hang_up().unwrap();
}

#[test]
fn a_lost_relay_ends_a_wait_with_the_reason() {
    let (mut server, mut runner) = (Runner::start(), Runner::start());
    let endpoint = serving(&mut server, "tcp/wiredyno");
    runner.must(subscribe("tcp/wiredyno", endpoint));
    server.hang_up().unwrap();
    let failure = runner.ask(Operation::AwaitReceived { messages: 1, until_ns: i64::MAX }).unwrap_err();
    assert!(failure.error.contains("connection is lost"), "{failure}");
}

#[test]
fn the_end_of_the_input_ends_a_wait() {
    let mut runner = Runner::start();
    let endpoint = serving(&mut runner, "udp/wiredyno");
    runner.must(subscribe("udp/wiredyno", endpoint));
    runner.begin(Operation::AwaitReceived { messages: 1, until_ns: i64::MAX });
    runner.hang_up().unwrap();
}

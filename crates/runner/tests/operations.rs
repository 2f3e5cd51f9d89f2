//! One runner: what it says of itself, what it encodes and measures, and how it refuses.

// Helper functions of tests may unwrap like the tests themselves: a failure is a failed test.
#![allow(clippy::unwrap_used)]

mod stand;

use stand::{Runner, load, load_compressed};
use wiredyno_codecs::alloc::CountingAllocator;
use wiredyno_model::trial::{Buffer, Phase};
use wiredyno_model::{Arrivals, LoadKind, OptionTable, OptionValue};
use wiredyno_runner_wire::{Answer, Endpoint, Operation, Outcome, bulk};
use wiredyno_transports::clock::now_ns;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn encode(sample: Option<u32>, value: Option<&str>) -> Operation {
    Operation::Encode { sample, value: value.map(str::to_owned) }
}

fn local(port: u16) -> Endpoint {
    Endpoint { host: "127.0.0.1".into(), port }
}

#[test]
fn a_description_states_versions_and_who_carries_what() {
    let mut runner = Runner::start();
    let Outcome::Description(description) = runner.must(Operation::Describe) else { panic!() };
    assert!(description.runner.language.starts_with("Rust 1."), "{}", description.runner.language);
    assert_eq!(description.transports.len(), wiredyno_transports::REGISTRY.len());
    assert!(description.codecs.iter().all(|codec| !codec.version.is_empty()));
    let person = description.payloads.iter().find(|payload| payload.name == "person").unwrap();
    assert!(person.not_carried.iter().any(|(codec, _)| codec.format == "raw"));
    runner.hang_up().unwrap();
}

#[test]
fn every_codec_encodes_and_decodes_the_samples_it_carries() {
    let mut runner = Runner::start();
    let Outcome::Description(description) = runner.must(Operation::Describe) else { panic!() };
    for codec in &description.codecs {
        for payload in &description.payloads {
            let size = if payload.sized { "@64" } else { "" };
            let operation = load(&format!("{}{size}", payload.name), &codec.id.to_string());
            if let Some((_, reason)) = payload.not_carried.iter().find(|(id, _)| *id == codec.id) {
                let failure = runner.ask(operation).unwrap_err();
                assert!(failure.error.contains(reason), "{failure}");
                continue;
            }
            let Outcome::Loaded { samples, body_bytes, .. } = runner.must(operation) else { panic!() };
            assert_eq!(body_bytes.len() as u32, samples);
            let Outcome::Encoded { body } = runner.must(encode(Some(0), None)) else { panic!() };
            assert_eq!(body.len(), 2 * body_bytes[0] as usize);
            let decode = Operation::Decode { body: body.clone() };
            let Outcome::Decoded { value } = runner.must(decode) else { panic!() };
            let again = runner.must(encode(None, Some(&value)));
            let Outcome::Encoded { body: again } = again else { panic!() };
            assert_eq!(again, body, "{} {}", codec.id, payload.name);
        }
    }
}

#[test]
fn a_measurement_has_its_batches_and_a_digest_that_stays() {
    let mut runner = Runner::start();
    runner.must(load("person", "protobuf/prost"));
    for phase in Phase::ALL {
        let mut digests = Vec::new();
        for buffer in [Buffer::Fresh, Buffer::Reused] {
            let outcome =
                runner.must(Operation::Measure { phase, batch_time_ns: 100_000, batches: 3, buffer });
            let Outcome::Measured { measurement, digest } = outcome else { panic!() };
            assert_eq!((measurement.phase, measurement.batches.len()), (phase, 3));
            assert!(measurement.batches.iter().all(|batch| batch.iterations > 0));
            digests.push(digest);
        }
        assert_eq!(digests[0], digests[1]);
    }
}

#[test]
fn every_compression_squeezes_and_gives_back_what_a_codec_makes() {
    let mut runner = Runner::start();
    let Outcome::Description(description) = runner.must(Operation::Describe) else { panic!() };
    runner.must(load("small", "json/serde-json"));
    let Outcome::Encoded { body: plain } = runner.must(encode(Some(3), None)) else { panic!() };
    let Outcome::Decoded { value } = runner.must(Operation::Decode { body: plain.clone() }) else { panic!() };
    for id in description.compressions.iter().flat_map(|method| &method.ids) {
        let loaded = runner.must(load_compressed("small", "json/serde-json", &id.to_string()));
        let Outcome::Loaded { body_bytes, uncompressed_bytes, dictionary, .. } = loaded else { panic!() };
        assert_eq!(uncompressed_bytes.len(), if id.is_none() { 0 } else { body_bytes.len() });
        assert_eq!(dictionary.is_some(), id.dictionary);
        let Outcome::Encoded { body } = runner.must(encode(Some(3), None)) else { panic!() };
        assert_eq!(body == plain, id.is_none(), "{id}");
        assert_eq!(body.len(), 2 * body_bytes[3] as usize);
        assert_eq!(
            runner.must(Operation::Decode { body }),
            Outcome::Decoded { value: value.clone() },
            "{id}"
        );
        for phase in Phase::COMPRESSION {
            let measure =
                Operation::Measure { phase, batch_time_ns: 50_000, batches: 2, buffer: Buffer::Reused };
            match runner.ask(measure) {
                Ok(Outcome::Measured { measurement, .. }) => {
                    assert!(!id.is_none() && measurement.batches.len() == 2);
                    assert!(measurement.allocations.is_some() && measurement.stack_bytes.is_some());
                }
                outcome => assert!(id.is_none(), "{id}: {outcome:?}"),
            }
        }
    }
    let failure = runner.ask(load_compressed("person", "json/serde-json", "zstd:3:dictionary")).unwrap_err();
    assert!(failure.error.contains("other samples than those measured"), "{failure}");
    let failure = runner.ask(load_compressed("person", "json/serde-json", "gzip:12")).unwrap_err();
    assert!(failure.error.contains("1 to 9"), "{failure}");
}

#[test]
fn first_calls_are_measured_once_and_in_a_fresh_process_only() {
    let first = || Operation::CallFirst {
        payload: "person".parse().unwrap(),
        codec: "avro/apache-avro".parse().unwrap(),
    };
    let mut runner = Runner::start();
    let Outcome::CalledFirst { calls } = runner.must(first()) else { panic!() };
    assert!(calls.setup_ns > 0 && calls.encode_ns > 0 && calls.decode_ns > 0, "{calls:?}");
    let failure = runner.ask(first()).unwrap_err();
    assert!(failure.error.contains("fresh process"), "{failure}");
}

#[test]
fn samples_are_encoded_and_decoded_alone_in_fresh_processes_only() {
    let (payload, codec) = (|| "person".parse().unwrap(), || "protobuf/prost".parse().unwrap());
    let encode = |give| Operation::EncodeSamples { payload: payload(), codec: codec(), samples: 3, give };
    let mut runner = Runner::start();
    assert_eq!(runner.must(encode(false)), Outcome::EncodedSamples { bodies: Vec::new() });
    let failure = runner.ask(encode(false)).unwrap_err();
    assert!(failure.error.contains("fresh process"), "{failure}");
    let Outcome::EncodedSamples { bodies } = runner.must(encode(true)) else { panic!() };
    assert!(!bodies.is_empty() && bodies.len() <= 3, "{bodies:?}");
    let decode = |bodies| Operation::DecodeSamples { payload: payload(), codec: codec(), bodies };
    let mut runner = Runner::start();
    assert_eq!(runner.must(decode(Vec::new())), Outcome::Done, "of no message it stays fresh");
    assert_eq!(runner.must(decode(bodies.clone())), Outcome::Done);
    let failure = runner.ask(decode(bodies)).unwrap_err();
    assert!(failure.error.contains("fresh process"), "{failure}");
    let failure = Runner::start().ask(decode(vec!["0aff".to_owned()])).unwrap_err();
    assert!(failure.error.contains("protobuf/prost can't decode"), "{failure}");
}

#[test]
fn what_can_not_be_done_is_a_reply_and_the_runner_lives_on() {
    let mut runner = Runner::start();
    let reply = runner.line("{\"id\": 41, \"op\": \"dance\"}");
    assert_eq!(reply.id, 41);
    assert!(matches!(reply.answer, Answer::Failed(failure) if failure.error.contains("RUNNER.md")));
    assert_eq!(runner.line("no json").id, 0);
    let publish = |host: &str, setting: Option<&str>| Operation::Publish {
        transport: "mqtt/rumqttc".parse().unwrap(),
        setting: setting.map(str::to_owned),
        endpoint: Endpoint { host: host.into(), port: 1 },
        topic: "t".into(),
        options: OptionTable::new(),
        seed: 0,
    };
    let finish = || Operation::Finish { records: "/nowhere/records".into() };
    let start = Operation::Start {
        at_ns: 0,
        messages: 1,
        kind: LoadKind::Open,
        interval_ns: 1,
        arrivals: Arrivals::Constant,
        seed: 0,
        deadline_ns: 0,
        gate: None,
    };
    let refusals = [
        (encode(Some(0), None), "load"),
        (publish("127.0.0.1", Some("qos0")), "load"),
        (publish("cloud", Some("qos0")), "IP address"),
        (start, "publish"),
        (finish(), "publish"),
        (Operation::FinishServing { records: "/nowhere/records".into() }, "serve"),
        (Operation::WarmUp { messages: 1 }, "publish"),
        (Operation::AwaitReceived { messages: 1, until_ns: 0 }, "subscribe"),
        (load("nothing", "json/serde-json"), "nothing"),
        (load("person", "json/nothing"), "json/nothing"),
    ];
    for (operation, word) in refusals {
        let failure = runner.ask(operation).unwrap_err();
        assert!(failure.error.contains(word), "{failure}");
    }
    runner.must(load("person", "json/serde-json"));
    let deaf = OptionTable::from([("deaf".to_owned(), OptionValue::Flag(true))]);
    let wrong = OptionTable::from([("supersed".to_owned(), OptionValue::Flag(true))]);
    let serve = |transport: &str, options| Operation::Serve {
        transport: transport.parse().unwrap(),
        endpoint: local(0),
        options,
        seed: 0,
    };
    let refusals = [
        (serve("tcp/wiredyno", deaf), "tcp has no option `deaf`"),
        (serve("coap/wiredyno", wrong), "did you mean `supersede`?"),
        (publish("127.0.0.1", Some("qos9")), "qos9"),
        (publish("127.0.0.1", Some("qos0")), "127.0.0.1:1"),
        (encode(Some(1_000_000), None), "1000000"),
        (encode(None, None), "either"),
        (encode(None, Some("{\"nobody\": 1}")), "nobody"),
        (Operation::Decode { body: "0g".into() }, "hexadecimal"),
        (Operation::Decode { body: "00".into() }, "json/serde-json"),
    ];
    for (operation, word) in refusals {
        let failure = runner.ask(operation).unwrap_err();
        assert!(failure.error.contains(word), "{failure}");
    }
    assert_eq!(runner.must(Operation::Stop), Outcome::Done);
    runner.hang_up().unwrap();
}

#[test]
fn a_publisher_whose_relay_dies_says_so_and_still_gives_its_records() {
    let (mut relay, mut near) = (Runner::start(), Runner::start());
    let tcp = || "tcp/wiredyno".parse().unwrap();
    let serve =
        Operation::Serve { transport: tcp(), endpoint: local(0), options: OptionTable::new(), seed: 0 };
    let Outcome::Serving { endpoint } = relay.must(serve) else { panic!() };
    near.must(load("small", "raw/wiredyno"));
    let options = OptionTable::new();
    near.must(Operation::Publish {
        transport: tcp(),
        setting: None,
        endpoint,
        topic: "t".into(),
        options,
        seed: 0,
    });
    near.must(Operation::WarmUp { messages: 2 });
    relay.hang_up().unwrap();
    near.must(Operation::Start {
        at_ns: now_ns(),
        messages: 100_000,
        kind: LoadKind::Open,
        interval_ns: 1_000_000,
        arrivals: Arrivals::Poisson,
        seed: 1,
        deadline_ns: 0,
        gate: None,
    });
    let wait = Operation::AwaitSent { until_ns: now_ns() + 20_000_000_000, acked: false };
    let failure = near.ask(wait).unwrap_err();
    assert!(failure.error.contains("connection is lost"), "{failure}");
    let file = tempfile::NamedTempFile::new().unwrap();
    let finish = Operation::Finish { records: file.path().to_str().unwrap().into() };
    let Outcome::Finished { records, fault, .. } = near.must(finish) else { panic!() };
    assert!(records >= 2 && fault.is_some_and(|fault| fault.contains("tcp/wiredyno")));
}

#[test]
fn a_server_writes_what_it_superseded_and_ends() {
    let mut runner = Runner::start();
    let coap = || "coap/wiredyno".parse().unwrap();
    let options = OptionTable::from([("supersede".to_owned(), OptionValue::Flag(true))]);
    let serve = Operation::Serve { transport: coap(), endpoint: local(0), options, seed: 0 };
    assert!(matches!(runner.must(serve), Outcome::Serving { .. }));
    let file = tempfile::NamedTempFile::new().unwrap();
    let finish = || Operation::FinishServing { records: file.path().to_str().unwrap().into() };
    assert_eq!(runner.must(finish()), Outcome::Finished { records: 0, fault: None, unfinished: None });
    assert_eq!(bulk::read_superseded(&mut file.reopen().unwrap()).unwrap(), []);
    assert!(runner.ask(finish()).unwrap_err().error.contains("`serve` first"));
    runner.hang_up().unwrap();
}

#[test]
fn the_end_of_the_input_ends_a_wait_and_a_schedule() {
    let mut runner = Runner::start();
    let udp = || "udp/wiredyno".parse().unwrap();
    let serve =
        Operation::Serve { transport: udp(), endpoint: local(0), options: OptionTable::new(), seed: 0 };
    let Outcome::Serving { endpoint } = runner.must(serve) else { panic!() };
    runner.must(load("opaque@100", "raw/wiredyno"));
    let options = OptionTable::new();
    runner.must(Operation::Publish {
        transport: udp(),
        setting: None,
        endpoint,
        topic: "t".into(),
        options,
        seed: 0,
    });
    runner.must(Operation::Start {
        at_ns: i64::MAX,
        messages: 1,
        kind: LoadKind::Open,
        interval_ns: 1,
        arrivals: Arrivals::Constant,
        seed: 1,
        deadline_ns: 0,
        gate: None,
    });
    runner.hang_up().unwrap();
}

//! One runner: its operations with a codec, their outcomes, and how each refuses invalid requests.

// Helper functions of tests may unwrap like the tests themselves: a failure is a failed test.
use std::sync::LazyLock;

use wiredyno_contract::{
    Answer, Buffer, Client, Endpoint, Operation, OptionTable, OptionValue, PayloadSource, Phase, Success,
};
use wiredyno_testkit::{Source, Subject, rust};

static SUBJECTS: LazyLock<Vec<Subject>> =
    LazyLock::new(|| rust::subjects(|id| ["person", "small"].contains(&id)).unwrap());

/// Every runner over a payload.
fn over(payload: &str) -> impl Iterator<Item = &'static Subject> {
    SUBJECTS.iter().filter(move |subject| subject.payload.id().name == payload)
}

fn encode(sample: Option<u32>, value: Option<&str>) -> Operation {
    Operation::Encode { sample, value: value.map(str::to_owned) }
}

fn load(payload: PayloadSource, codec: &str, compression: &str) -> Operation {
    Operation::Load {
        payload,
        codec: codec.parse().unwrap(),
        compression: compression.parse().unwrap(),
        samples: Some(50),
    }
}

#[test]
fn a_measurement_has_its_batches_and_a_digest_that_stays() {
    for subject in over("person") {
        let mut loaded =
            subject.load("protobuf/prost", &wiredyno_testkit::payloads::samples(&subject.payload, 1));
        for phase in Phase::ALL {
            let (first, digest) = loaded.measure(phase, 100_000, 3, Buffer::Fresh);
            assert_eq!((first.phase, first.batches.len()), (phase, 3));
            assert!(first.batches.iter().all(|batch| batch.iterations > 0));
            assert_eq!(loaded.measure(phase, 100_000, 3, Buffer::Reused).1, digest);
        }
        for (batch_time_ns, batches) in [(1, 0), (61_000_000_000, 1)] {
            let phase = Phase::Encode;
            let measure = Operation::Measure {
                phase,
                batch_time_ns,
                batches,
                buffer: Buffer::Fresh,
                burden_per_mille: 0,
                settle_ns: None,
            };
            let failure = loaded.runner.ask(measure).unwrap_err();
            assert!(failure.error.contains("at least one batch"), "{failure}");
        }
    }
}

#[test]
fn every_compression_squeezes_and_gives_back_what_a_codec_makes() {
    for subject in over("small") {
        let codec = "json/serde-json";
        let source = Source::training(&subject.payload, 50, 100).unwrap();
        let mut runner = subject.start();
        runner.must(load(source.wire(), codec, "none"));
        let Success::Encoded { body: plain } = runner.must(encode(Some(3), None)) else { panic!() };
        let decoded = runner.must(Operation::Decode { body: plain.clone() });
        let Success::Decoded { value } = decoded else { panic!() };
        for id in subject.description().compressions.iter().flat_map(|method| &method.ids) {
            let loaded = runner.must(load(source.wire(), codec, &id.to_string()));
            let Success::Loaded { body_bytes, uncompressed_bytes, dictionary, .. } = loaded else { panic!() };
            assert_eq!(uncompressed_bytes.len(), if id.is_none() { 0 } else { body_bytes.len() });
            assert_eq!(dictionary.is_some(), id.dictionary);
            let Success::Encoded { body } = runner.must(encode(Some(3), None)) else { panic!() };
            assert_eq!(body == plain, id.is_none(), "{id}");
            assert_eq!(body.len(), 2 * body_bytes[3] as usize);
            let given_back = Success::Decoded { value: value.clone() };
            assert_eq!(runner.must(Operation::Decode { body }), given_back, "{id}");
            for phase in Phase::COMPRESSION {
                let measure = Operation::Measure {
                    phase,
                    batch_time_ns: 50_000,
                    batches: 2,
                    buffer: Buffer::Reused,
                    burden_per_mille: 0,
                    settle_ns: None,
                };
                match runner.ask(measure) {
                    Ok(Success::Measured { measurement, .. }) => {
                        assert!(!id.is_none() && measurement.batches.len() == 2);
                        assert!(measurement.allocations.is_some() && measurement.stack_bytes.is_some());
                    }
                    outcome => assert!(id.is_none(), "{id}: {outcome:?}"),
                }
            }
        }
        let untrained = Source::own(&subject.payload, Some(50)).unwrap();
        runner.ask(load(untrained.wire(), codec, "zstd:3:dictionary")).unwrap_err();
        let failure = runner.ask(load(source.wire(), codec, "gzip:12")).unwrap_err();
        assert!(failure.error.contains("1 to 9"), "{failure}");
    }
}

#[test]
fn first_calls_are_measured_once_and_in_a_fresh_process_only() {
    for subject in over("person") {
        let source = Source::own(&subject.payload, None).unwrap();
        let first =
            || Operation::CallFirst { payload: source.wire(), codec: "avro/apache-avro".parse().unwrap() };
        let mut runner = subject.start();
        let Success::CalledFirst { calls } = runner.must(first()) else { panic!() };
        assert!(calls.setup_ns > 0 && calls.encode_ns > 0 && calls.decode_ns > 0, "{calls:?}");
        let failure = runner.ask(first()).unwrap_err();
        assert!(failure.error.contains("fresh process"), "{failure}");
    }
}

#[test]
fn samples_are_encoded_and_decoded_alone_in_fresh_processes_only() {
    for subject in over("small") {
        let source = Source::own(&subject.payload, None).unwrap();
        let codec = || "protobuf/prost".parse().unwrap();
        let encode =
            |give| Operation::EncodeSamples { payload: source.wire(), codec: codec(), samples: 3, give };
        let mut runner = subject.start();
        assert_eq!(runner.must(encode(false)), Success::EncodedSamples { bodies: Vec::new() });
        let failure = runner.ask(encode(false)).unwrap_err();
        assert!(failure.error.contains("fresh process"), "{failure}");
        let Success::EncodedSamples { bodies } = runner.must(encode(true)) else { panic!() };
        assert_eq!(bodies.len(), 3, "{bodies:?}");
        let decode = |bodies| Operation::DecodeSamples { payload: source.wire(), codec: codec(), bodies };
        let mut runner = subject.start();
        assert_eq!(runner.must(decode(Vec::new())), Success::Done, "of no message it stays fresh");
        assert_eq!(runner.must(decode(bodies.clone())), Success::Done);
        let failure = runner.ask(decode(bodies)).unwrap_err();
        assert!(failure.error.contains("fresh process"), "{failure}");
        for (body, why) in [("0aff", "protobuf/prost can't decode"), ("0g", "hexadecimal")] {
            let failure = subject.start().ask(decode(vec![body.to_owned()])).unwrap_err();
            assert!(failure.error.contains(why), "{failure}");
        }
    }
}

/// The refusals of each operation; the runner keeps running.
#[test]
#[expect(
    clippy::too_many_lines,
    reason = "the list of refusals, one per operation and cause, against one process"
)]
fn what_can_not_be_done_is_a_reply_and_the_runner_lives_on() {
    for subject in over("person") {
        let source = Source::own(&subject.payload, None).unwrap();
        let mut runner = subject.start();
        runner.send("{\"id\": 41, \"op\": \"dance\"}");
        let reply = runner.reply();
        assert_eq!(reply.id, 41);
        assert!(matches!(reply.answer, Answer::Failed(failure) if failure.error.contains("RUNNER.md")));
        runner.send("no json");
        assert_eq!(runner.reply().id, 0);
        let publish = |setting: Option<&str>| {
            let endpoint = Endpoint { host: "127.0.0.1".into(), port: 1 };
            let client = Client::new("mqtt/rumqttc".parse().unwrap(), endpoint, "t");
            Operation::Publish(Client { setting: setting.map(str::to_owned), ..client }.into())
        };
        let json = "json/serde-json";
        let other = PayloadSource { definition: "0".repeat(32), ..source.wire() };
        let absent = PayloadSource { samples: "/nowhere/samples".into(), ..source.wire() };
        let no_samples = PayloadSource { samples: source.wire().descriptor_set, ..source.wire() };
        let decode_samples = |body: &str| Operation::DecodeSamples {
            payload: source.wire(),
            codec: json.parse().unwrap(),
            bodies: vec![body.to_owned()],
        };
        let refusals = [
            (encode(Some(0), None), "`load`"),
            (Operation::Decode { body: "00".into() }, "`load`"),
            (publish(Some("qos0")), "`load`"),
            (load(other, json, "none"), "build one for it"),
            (load(absent, json, "none"), "/nowhere/samples"),
            (load(no_samples, json, "none"), "not a file of samples"),
            (load(source.wire(), "json/nothing", "none"), "json/nothing"),
            (load(source.wire(), json, "zip:1"), "zip"),
            (decode_samples("00"), "fresh process"),
        ];
        for (operation, word) in refusals {
            let failure = runner.ask(operation).unwrap_err();
            assert!(failure.error.contains(word), "{failure}");
        }
        runner.must(load(source.wire(), json, "none"));
        let wrong = OptionTable::from([("supersed".to_owned(), OptionValue::Flag(true))]);
        let serve = Operation::Serve {
            transport: "coap/wiredyno".parse().unwrap(),
            endpoint: Endpoint { host: "127.0.0.1".into(), port: 0 },
            options: wrong,
            seed: 0,
            tls: None,
        };
        let compress = Operation::Measure {
            phase: Phase::Compress,
            batch_time_ns: 1,
            batches: 1,
            buffer: Buffer::Fresh,
            burden_per_mille: 0,
            settle_ns: None,
        };
        let refusals = [
            (serve, "did you mean `supersede`?"),
            (publish(Some("qos9")), "qos9"),
            (publish(Some("qos0")), "127.0.0.1:1"),
            (encode(Some(1_000_000), None), "1000000"),
            (encode(None, None), "either"),
            (encode(Some(0), Some("")), "either"),
            (encode(None, Some("0g")), "hexadecimal"),
            // A field whose length exceeds the rest.
            (encode(None, Some("0aff")), json),
            (Operation::Decode { body: "0g".into() }, "hexadecimal"),
            (Operation::Decode { body: "00".into() }, json),
            (compress, "name one in `load`"),
        ];
        for (operation, word) in refusals {
            let failure = runner.ask(operation).unwrap_err();
            assert!(failure.error.contains(word), "{failure}");
        }
        assert!(matches!(runner.must(encode(Some(0), None)), Success::Encoded { .. }), "it is loaded still");
        assert_eq!(runner.must(Operation::Stop), Success::Done);
        assert!(runner.hang_up().success());
    }
}

/// Samples truncated in the middle, with a wrong count, and of another message.
#[test]
fn damaged_files_of_samples_are_refused_by_their_path() {
    for subject in over("person") {
        let source = Source::own(&subject.payload, None).unwrap();
        let whole = std::fs::read(source.wire().samples).unwrap();
        let path = source.folder().join("damaged");
        let wire = PayloadSource { samples: path.display().to_string(), ..source.wire() };
        let mut more = whole.clone();
        more[8] = 2;
        let mut long = whole.clone();
        long[16..20].copy_from_slice(&u32::MAX.to_le_bytes());
        for (bytes, why) in
            [(&whole[..whole.len() - 1], "inside a sample"), (&more, "end"), (&long, "claims")]
        {
            std::fs::write(&path, bytes).unwrap();
            let failure = subject.start().ask(load(wire.clone(), "protobuf/prost", "none")).unwrap_err();
            assert!(failure.error.contains(path.to_str().unwrap()), "{failure}");
            assert!(failure.error.contains(why) || why == "end", "{failure}");
        }
        let mut other = whole.clone();
        let last = other.len() - 1;
        other[20] = 0xff;
        other[last] = 0xff;
        std::fs::write(&path, &other).unwrap();
        let failure = subject.start().ask(load(wire, "protobuf/prost", "none")).unwrap_err();
        assert!(failure.error.contains("sample 0 of person"), "{failure}");
    }
}

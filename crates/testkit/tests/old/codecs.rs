//! Every codec of the registry over every payload.

#![allow(clippy::unwrap_used)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use wiredyno_codecs::alloc::count_all;
use wiredyno_codecs::measure::{MeasureSettings, one_call};
use wiredyno_codecs::{BindError, Bound, Buffer, Payload, Phase, REGISTRY};
use wiredyno_model::CodecId;

/// Enough to meet every shape, few enough to stay quick.
const SAMPLES: usize = 20;

/// Of messages longer than this, such as images, a few samples say as much and take long enough.
const LONG_BYTES: usize = 50_000;

/// How many samples of a payload the suites use.
fn samples_of(payload: &Payload) -> usize {
    let first = payload.samples(Some(1)).unwrap().next().unwrap().unwrap();
    if prost::Message::encoded_len(&first) > LONG_BYTES { 2 } else { SAMPLES }
}

/// Rounds that damage bytes: as many as wanted, fewer for long messages.
fn rounds_over(bytes: usize, wanted: usize) -> usize {
    wanted.min(1 + (8 << 20) / (bytes + 1))
}

const SIZED: &[(&str, u32)] =
    &[("opaque", 0), ("opaque", 3), ("opaque", 1024), ("opaque-text", 1024), ("kafka-record", 4696)];

/// Every payload, at sizes where it takes one.
fn payloads() -> Vec<Payload> {
    let entries = wiredyno_payloads::PAYLOADS.iter().map(|entry| (wiredyno_payloads::PAYLOADS, entry));
    let own = wiredyno_testkit::PAYLOADS.iter().map(|entry| (wiredyno_testkit::PAYLOADS, entry));
    let mut payloads = Vec::new();
    for (all, entry) in entries.chain(own) {
        let sizes: Vec<_> =
            SIZED.iter().filter(|(name, _)| *name == entry.name).map(|(_, s)| Some(*s)).collect();
        for size_bytes in if sizes.is_empty() { vec![None] } else { sizes } {
            let id = wiredyno_model::PayloadId { name: entry.name.to_owned(), size_bytes };
            payloads.push(Payload::find(all, &id).unwrap());
        }
    }
    payloads
}

/// Every pair that the format can express, with samples loaded.
fn pairs() -> Vec<Box<dyn Bound>> {
    let bound = |payload| REGISTRY.iter().filter_map(move |codec| pair(payload, codec.id()));
    payloads().iter().flat_map(bound).collect()
}

/// A pair, with samples loaded, if the format can express the payload.
fn pair(payload: &Payload, codec: &str) -> Option<Box<dyn Bound>> {
    let id: CodecId = codec.parse().unwrap();
    match payload.bind(&id) {
        Ok(mut bound) => {
            let samples = payload.samples(Some(samples_of(payload))).unwrap();
            bound.load(&mut samples.map(Result::unwrap)).unwrap();
            Some(bound)
        }
        Err(BindError::CannotCarry { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

fn name(bound: &dyn Bound) -> String {
    format!("{} over {}", bound.codec(), bound.payload())
}

#[test]
fn ids_are_unique_and_every_codec_states_a_version() {
    let mut ids = Vec::new();
    for codec in REGISTRY {
        let description = codec.description().unwrap();
        assert!(!ids.contains(&description.id), "{} stands twice in the registry", description.id);
        assert!(description.version.starts_with(|c: char| c.is_ascii_digit()), "{description:?}");
        assert!(!description.library.is_empty() && !description.about.is_empty(), "{description:?}");
        ids.push(description.id);
    }
}

#[test]
fn a_codec_that_cannot_carry_a_payload_says_why() {
    let payload = wiredyno_payloads::find(&"person".parse().unwrap()).unwrap();
    let error = payload.carried_by(&"raw/wiredyno".parse().unwrap()).unwrap_err().to_string();
    assert!(error.contains("more than one plain string or bytes field"), "{error}");
    let error = payload.bind(&"protobuf/prots".parse().unwrap()).err().unwrap().to_string();
    assert!(error.contains("protobuf/prost"), "{error}");
}

/// What is compiled once for all of them: definitions that differ in comments alone.
const SHARED: [&[&str]; 2] = [
    &["denm", "denm-management"],
    &["envelope-1-certificate", "envelope-1-digest", "envelope-2", "envelope-3"],
];

#[test]
fn payloads_of_one_definition_keep_their_names_texts_and_samples() {
    for names in SHARED {
        let payloads: Vec<Payload> =
            names.iter().map(|name| wiredyno_payloads::find(&name.parse().unwrap()).unwrap()).collect();
        let mut first_samples = Vec::new();
        for (payload, name) in payloads.iter().zip(names) {
            let entry = payload.entry();
            assert_eq!(entry.name, *name);
            assert!(
                entry.descriptor_set == payloads[0].entry().descriptor_set,
                "{name} has its own definition"
            );
            let bound = pair(payload, "protobuf/prost").unwrap();
            assert_eq!(bound.payload(), *name);
            first_samples.push((entry.proto, bound.encoded_sample(0).unwrap().to_vec()));
        }
        first_samples.sort();
        first_samples.dedup_by(|one, other| one.0 == other.0 || one.1 == other.1);
        assert_eq!(first_samples.len(), names.len(), "texts and samples are each payload's own");
    }
}

#[test]
fn every_sample_comes_back_equal() {
    for mut bound in pairs() {
        let first = bound.verify_round_trips().unwrap_or_else(|error| panic!("{error}"));
        let again = bound.verify_round_trips().unwrap();
        assert_eq!(first, again, "{}: the bytes change from call to call", name(bound.as_ref()));
    }
}

#[test]
fn values_of_unknown_type_come_back_as_json() {
    for payload in payloads() {
        let samples: Vec<_> =
            payload.samples(Some(samples_of(&payload))).unwrap().map(Result::unwrap).collect();
        for codec in REGISTRY {
            let Ok(mut bound) = payload.bind(&codec.id().parse().unwrap()) else {
                continue;
            };
            for sample in &samples {
                let mut bytes = Vec::new();
                bound.encode_value(sample, &mut bytes).unwrap();
                let back = bound.decode_value(&bytes).unwrap();
                let (sent, back) = (
                    wiredyno_schema::write_value(sample).unwrap(),
                    wiredyno_schema::write_value(&back).unwrap(),
                );
                let (sent, back): (serde_json::Value, serde_json::Value) =
                    (serde_json::from_str(&sent).unwrap(), serde_json::from_str(&back).unwrap());
                assert_eq!(sent, back, "{}", name(bound.as_ref()));
            }
        }
    }
}

/// Formats that leave out bytes which are zero, wherever they stand, so that no width is constant.
const SQUEEZING: &[&str] = &["capnproto/capnp:packed", "bitcode/bitcode"];

#[test]
fn numbered_messages_differ_and_keep_their_size() {
    for mut bound in pairs() {
        let Some(span) = bound.sequence_span() else {
            continue;
        };
        let mut known = Vec::new();
        let mut sizes = Vec::new();
        for number in [0, 1, 2, 77, 127, 128, 255, 256, 999].into_iter().filter(|n| *n < span) {
            let mut bytes = Vec::new();
            bound.prepare(0, number);
            bound.build();
            bound.encode(&mut bytes).unwrap();
            let mut stamped = false;
            bound.receive(&bytes, &mut || stamped = true).unwrap();
            assert!(stamped, "{}", name(bound.as_ref()));
            assert!(!known.contains(&bytes), "{}: number {number} is not in the bytes", name(bound.as_ref()));
            sizes.push(bytes.len());
            known.push(bytes);
        }
        sizes.dedup();
        if SQUEEZING.contains(&bound.codec()) {
            continue;
        }
        assert!(sizes.len() <= 1, "{}: sizes {sizes:?} change with the number", name(bound.as_ref()));
    }
}

/// What decoding damaged input may keep alive at once: apache-avro's allocation limit and the capacity that
/// serde and its codecs take on trust, then a multiple of the input for the objects made of it.
const PEAK_BYTES: u64 = 20 << 20;
const PEAK_PER_INPUT_BYTE: u64 = 200;

/// Decodes, reads and converts whatever the bytes hold.
fn digest_damaged(bound: &dyn Bound, bytes: &[u8], what: &str) {
    let (outcome, allocated) = count_all(|| {
        catch_unwind(AssertUnwindSafe(|| {
            let _ = bound.receive(bytes, &mut || {});
            let _ = bound.decode_value(bytes);
        }))
    });
    assert!(outcome.is_ok(), "{} panics at {what}: {bytes:02x?}", name(bound));
    let limit = PEAK_BYTES + PEAK_PER_INPUT_BYTE * bytes.len() as u64;
    assert!(allocated.peak_bytes <= limit, "{} allocates {allocated:?} at {what}: {bytes:02x?}", name(bound));
}

/// How many samples of a pair are cut at all those lengths; with `WIREDYNO_TEST_FULL` all are.
const CUT: usize = 2;

#[test]
fn truncated_bytes_never_panic() {
    let most = if std::env::var_os("WIREDYNO_TEST_FULL").is_some() { usize::MAX } else { CUT };
    for bound in pairs() {
        for sample in 0..bound.sample_count().min(most) {
            let bytes = bound.encoded_sample(sample).unwrap().to_vec();
            // Long samples are cut at every length near their ends and at some in between.
            let step = bytes.len() / rounds_over(bytes.len(), 200) + 1;
            let near = rounds_over(bytes.len(), 64);
            let ends =
                |length: &usize| *length < 64 || *length + near > bytes.len() || length.is_multiple_of(step);
            for length in (0..bytes.len()).filter(ends) {
                digest_damaged(
                    bound.as_ref(),
                    &bytes[..length],
                    &format!("length {length} of sample {sample}"),
                );
            }
        }
    }
}

/// Damages an encoded sample as the seed says, and decodes it.
fn decode_damaged(bound: &dyn Bound, seed: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let sample = random.next_u64() as usize % bound.sample_count();
    let mut bytes = bound.encoded_sample(sample).unwrap().to_vec();
    if bytes.is_empty() {
        return;
    }
    for _ in 0..=random.next_u32() % 8 {
        let at = random.next_u64() as usize % bytes.len();
        match random.next_u32() % 4 {
            0 => bytes[at] ^= 1 << (random.next_u32() % 8),
            1 => bytes[at] = random.next_u32() as u8,
            2 => bytes[at] = 0xff,
            _ => bytes.insert(at, random.next_u32() as u8),
        }
    }
    digest_damaged(bound, &bytes, &format!("seed {seed}"));
}

/// In the long form, how long each codec's decoder is given damaged input, over all payloads that it carries.
const LONG: Duration = Duration::from_secs(60);

/// `WIREDYNO_MUTATIONS` sets the rounds per pair; with `WIREDYNO_TEST_FULL` each codec gets a minute more.
#[test]
fn mutated_bytes_never_panic_or_hang() {
    let rounds = std::env::var("WIREDYNO_MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    for bound in pairs() {
        let longest =
            (0..bound.sample_count()).filter_map(|at| bound.encoded_sample(at)).map(<[u8]>::len).max();
        for seed in 0..rounds_over(longest.unwrap_or(0), rounds) as u64 {
            decode_damaged(bound.as_ref(), seed);
        }
    }
    if std::env::var_os("WIREDYNO_TEST_FULL").is_none() {
        return;
    }
    // Each thread takes the next codec; whatever it allocates is counted for it alone.
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(codec) = REGISTRY.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // Seeds behind those of the short form.
                    decode_damaged_for(LONG, codec.id(), rounds as u64);
                }
            });
        }
    });
}

/// Damages the samples of every payload that the codec carries, in turn, with one seed after the other.
fn decode_damaged_for(time: Duration, codec: &str, first_seed: u64) {
    let bounds: Vec<_> = payloads().iter().filter_map(|payload| pair(payload, codec)).collect();
    let (begun, mut seed) = (Instant::now(), first_seed);
    while !bounds.is_empty() && begun.elapsed() < time {
        bounds.iter().for_each(|bound| decode_damaged(bound.as_ref(), seed));
        seed += 1;
    }
    println!("{codec}: seeds up to {seed} over each of {} payloads", bounds.len());
}

/// Messages of a fixed size are read straight through; their fields may stand in another order all the same.
#[test]
fn fields_of_netstrings_come_in_any_order() {
    let payload = wiredyno_payloads::find(&"vehicle-data".parse().unwrap()).unwrap();
    for codec in ["netstrings/wiredyno", "netstrings/wiredyno:crc"] {
        let bound = pair(&payload, codec).unwrap();
        let bytes = bound.encoded_sample(0).unwrap();
        // Behind magic, length, and a message of three doubles stand two doubles, each with id and size.
        let (head, rest) = bytes.split_at(6 + 8 + 55);
        let swapped = [head, &rest[16..32], &rest[..16], &rest[32..]].concat();
        assert_ne!(swapped, bytes);
        assert_eq!(bound.decode_value(&swapped).unwrap(), bound.decode_value(bytes).unwrap());
    }
}

/// Names come in any order, each once; what is unknown is passed over, what is missing refused.
#[test]
fn fields_by_name_come_once_and_in_any_order() {
    let payload = wiredyno_payloads::find(&"person".parse().unwrap()).unwrap();
    for codec in ["json/serde-json", "json/sonic-rs"] {
        let bound = pair(&payload, codec).unwrap();
        let decode = |text: &str| bound.decode_value(text.as_bytes()).map_err(|error| error.to_string());
        let whole = r#"{"first_name":"a","last_name":"b","age":1,"phone_number":"c"}"#;
        let other = r#"{"age":1,"more":[{}],"phone_number":"c","last_name":"b","first_name":"a"}"#;
        assert_eq!(decode(other).unwrap(), decode(whole).unwrap());
        let twice = decode(&whole.replace("{", r#"{"age":2,"#)).unwrap_err();
        assert!(twice.contains("duplicate field `age`"), "{codec}: {twice}");
        let missing = decode(&whole.replace(r#""age":1,"#, "")).unwrap_err();
        assert!(missing.contains("missing field `age`"), "{codec}: {missing}");
    }
}

/// Elements without content cost no bytes, so that only the count's own limit stops a decoder.
#[test]
fn a_huge_count_of_empty_elements_ends_soon() {
    let payload = Payload::find(wiredyno_testkit::PAYLOADS, &"kitchen-sink".parse().unwrap()).unwrap();
    let sample = payload.samples(None).unwrap().map(Result::unwrap).last().unwrap();
    let mut bound = payload.bind(&"avro/apache-avro".parse().unwrap()).unwrap();
    let mut bytes = Vec::new();
    bound.encode_value(&sample, &mut bytes).unwrap();
    assert!(bytes.ends_with(&[6, 0]), "three elements, then the end: {bytes:02x?}");
    bytes.truncate(bytes.len() - 2);
    // 2^40 elements, as a zigzag varint, then the end.
    bytes.extend_from_slice(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x40, 0]);
    assert!(bound.decode_value(&bytes).is_err());
}

#[test]
fn all_phases_are_measured_and_checked() {
    let settings = MeasureSettings { batch_ns: 1_000, batches: 2, buffer: Buffer::Fresh };
    for mut bound in pairs() {
        for phase in Phase::ALL {
            for buffer in [Buffer::Fresh, Buffer::Reused] {
                let settings = MeasureSettings { buffer, ..settings };
                let measured = bound.measure(phase, &settings).unwrap_or_else(|error| panic!("{error}"));
                let measured = measured.measurement;
                assert_eq!(measured.batches.len(), 2);
                assert!(measured.batches.iter().all(|batch| batch.cpu_ns.is_some()));
                let told = measured.allocations.is_some() && measured.stack_bytes.is_some();
                let name = name(bound.as_ref());
                assert!(told || measured.missing.iter().any(|m| m.what != "instructions"), "{name} says why");
            }
        }
    }
}

/// A dictionary must not have seen what is measured, whatever part of it is loaded.
#[test]
fn samples_to_train_on_are_others_than_those_to_measure() {
    for payload in payloads().iter().filter(|payload| payload.can_train().is_ok()) {
        let deal = |limit| {
            let (measured, training) = payload.samples_apart(limit, 50).unwrap();
            // As values, because entries of maps are written in any order.
            let json = |value: Result<_, _>| -> serde_json::Value {
                serde_json::from_str(&wiredyno_schema::write_value(&Result::unwrap(value)).unwrap()).unwrap()
            };
            (measured.map(json).collect::<Vec<_>>(), training.map(json).collect::<Vec<_>>())
        };
        let (measured, training) = deal(None);
        assert!(training.iter().all(|sample| !measured.contains(sample)), "{}", payload.id());
        assert_eq!(deal(Some(1)), (measured[..1].to_vec(), training), "{}", payload.id());
    }
}

/// Heap and stack of one call belong to a build, not to a moment.
#[test]
fn ten_repeats_agree_on_heap_and_stack_of_one_call() {
    let payloads = payloads();
    let payload = payloads.iter().find(|payload| payload.entry().name == "kitchen-sink").unwrap();
    for codec in REGISTRY {
        let Ok(mut bound) = payload.bind(&codec.id().parse().unwrap()) else {
            continue;
        };
        bound.load(&mut payload.samples(Some(5)).unwrap().map(Result::unwrap)).unwrap();
        for phase in Phase::ALL {
            let mut one = || one_call(bound.as_mut(), phase, Buffer::Fresh).unwrap();
            let first = one();
            for _ in 1..10 {
                assert_eq!(one(), first, "{} {}", codec.id(), phase.name());
            }
        }
    }
}

#[global_allocator]
static ALLOCATOR: wiredyno_codecs::alloc::CountingAllocator = wiredyno_codecs::alloc::CountingAllocator;

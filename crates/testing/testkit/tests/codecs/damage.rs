//! Damaged input: a refusal or another value, never a panic, a crash, silence, or memory without bounds.
//!
//! All of it is decoded with `decode`; if the runner has TCP, a subscriber also receives it, as in a trial, because
//! there the decoded object is read instead of converted.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use wiredyno_contract::{Client, Endpoint, Operation, Success};
use wiredyno_testkit::rust::TCP;
use wiredyno_testkit::{LIMIT, Loaded, Runner, Subject, full, memory};
use wiredyno_transport::clock::now_ns;

use crate::{samples, test};

/// What decoding damaged input may keep alive at once: apache-avro's allocation limit and the capacity that
/// serde and its codecs take on trust, then a multiple of the input for the objects made of it.
const PEAK_BYTES: u64 = 20 << 20;
const PEAK_PER_INPUT_BYTE: u64 = 200;

/// What a subscriber takes besides: its thread's stack, and room for its records.
const SUBSCRIBER_BYTES: u64 = 16 << 20;

/// Rounds that damage bytes: as many as wanted, fewer for long messages.
fn rounds_over(bytes: usize, wanted: usize) -> usize {
    wanted.min(1 + (8 << 20) / (bytes + 1))
}

/// A process for damaged input, and its encoded samples.
fn ready(subject: &Subject, codec: &str) -> (Loaded, Vec<Vec<u8>>) {
    // A virtual machine reserves its heap at its start, so that the system's allocator says nothing of it.
    let mut loaded = match subject.reuses() {
        true => subject.load(codec, &samples(subject)),
        false => {
            let runner = Runner::start_with(&subject.program, memory::EXACT);
            subject.load_in(runner, codec, &samples(subject))
        }
    };
    let whole = loaded.encode_all();
    // Once undamaged, so that what the first call allocates exists.
    loaded.decode(&whole[0]).unwrap();
    (loaded, whole)
}

/// Decodes the bytes, then reads and converts the value, if there is one.
fn digest_damaged(subject: &Subject, loaded: &mut Loaded, inputs: &[Vec<u8>]) {
    let longest = inputs.iter().map(Vec::len).max().unwrap_or(0) as u64;
    let allowed = PEAK_BYTES + PEAK_PER_INPUT_BYTE * longest;
    let before = memory::of(&loaded.runner);
    let decode = |input: &Vec<u8>| Operation::Decode { body: hex::encode(input) };
    // A reply is a refusal or a value, and both are fine: anything else has ended the test already.
    loaded.runner.ask_all(inputs.iter().map(decode));
    bounded(loaded, before, allowed);
    let tcp = subject.description().transports.iter().any(|transport| transport.id.to_string() == TCP);
    if tcp {
        receive_damaged(loaded, inputs);
        bounded(loaded, before, allowed + SUBSCRIBER_BYTES);
        // The subscriber had accepted it.
        loaded.load(None).unwrap();
    }
}

fn bounded(loaded: &Loaded, before: memory::AddressSpace, allowed: u64) {
    let after = memory::of(&loaded.runner);
    let limit = before.peak_bytes.max(before.bytes + allowed);
    assert!(
        after.peak_bytes <= limit,
        "{} takes {} bytes more, allowed are {allowed}",
        loaded.name(),
        after.peak_bytes - before.bytes
    );
}

/// Sends the inputs to a subscriber. This test acts as the relay: it confirms the greeting, then sends one frame for each, a length
/// as four bytes, big-endian, before the body.
fn receive_damaged(loaded: &mut Loaded, inputs: &[Vec<u8>]) {
    let relay = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = relay.local_addr().unwrap().port();
    let mut frames = Vec::new();
    for input in inputs {
        frames.extend((input.len() as u32).to_be_bytes());
        frames.extend(input);
    }
    let relayed = std::thread::spawn(move || {
        let (mut stream, _) = relay.accept().unwrap();
        let mut greeting = [0];
        stream.read_exact(&mut greeting).unwrap();
        stream.write_all(&greeting).unwrap();
        // If the subscriber ends early, its records say so.
        let _ = stream.write_all(&frames);
        let _ = stream.read(&mut greeting);
    });
    let name = loaded.name();
    let runner = &mut loaded.runner;
    let endpoint = Endpoint { host: "127.0.0.1".into(), port };
    runner.must(Operation::Subscribe(Client::new(TCP.parse().unwrap(), endpoint, "damage").into()));
    let until_ns = now_ns() + LIMIT.as_nanos() as i64 / 2;
    runner.must(Operation::AwaitReceived { messages: inputs.len() as u64, until_ns });
    let records = loaded.source.folder().join("received").display().to_string();
    match runner.must(Operation::Finish { records }) {
        Success::Finished { records, fault: None, .. } => assert_eq!(records, inputs.len() as u64, "{name}"),
        other => panic!("{name}: {other:?}"),
    }
    relayed.join().unwrap();
}

/// How many samples of a pair are truncated at all those lengths; with `WIREDYNO_TEST_FULL` all are.
const CUT: usize = 2;

pub fn truncated_bytes_never_panic(subject: &Subject, codec: &str) {
    let most = if full() { usize::MAX } else { CUT };
    let (mut loaded, whole) = ready(subject, codec);
    for bytes in whole.iter().take(most) {
        // Long samples are truncated at every length near their ends and at some in between.
        let step = bytes.len() / rounds_over(bytes.len(), 200) + 1;
        let near = rounds_over(bytes.len(), 64);
        let ends =
            |length: &usize| *length < 64 || *length + near > bytes.len() || length.is_multiple_of(step);
        let cut: Vec<Vec<u8>> =
            (0..bytes.len()).filter(ends).map(|length| bytes[..length].to_vec()).collect();
        digest_damaged(subject, &mut loaded, &cut);
    }
}

/// An encoded sample, damaged according to the seed.
fn damaged(whole: &[Vec<u8>], seed: u64) -> Option<Vec<u8>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut bytes = whole[random.next_u64() as usize % whole.len()].clone();
    if bytes.is_empty() {
        return None;
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
    Some(bytes)
}

/// Numbers at which lengths and counts are often handled wrong. Random damage seldom hits one.
const EXTREMES: [u32; 4] = [0, 0x8000_0000, 0x7fff_ffff, 0xffff_ffff];

/// How many places of a sample get an extreme: quick, and with `WIREDYNO_TEST_FULL`.
const PLACES: [usize; 2] = [40, 2_000];

/// A sample with each extreme at each place, in both byte orders.
fn with_extremes(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let places = bytes.len().saturating_sub(3).min(PLACES[usize::from(full())]);
    let words = EXTREMES.into_iter().flat_map(|extreme| [extreme.to_be_bytes(), extreme.to_le_bytes()]);
    let mut words: Vec<[u8; 4]> = words.collect();
    words.sort_unstable();
    words.dedup();
    (0..places).flat_map(move |at| {
        let put = |word: &[u8; 4]| {
            let mut damaged = bytes.to_vec();
            damaged[at..at + 4].copy_from_slice(word);
            damaged
        };
        words.iter().map(put).collect::<Vec<_>>()
    })
}

/// Rounds per pair: quick, and with `WIREDYNO_TEST_FULL`; `WIREDYNO_MUTATIONS` sets another number.
const ROUNDS: [usize; 2] = [100, 500];

fn rounds() -> usize {
    let wanted = std::env::var("WIREDYNO_MUTATIONS").ok().and_then(|text| text.parse().ok());
    wanted.unwrap_or(ROUNDS[usize::from(full())])
}

pub fn mutated_bytes_never_panic_or_hang(subject: &Subject, codec: &str) {
    let (mut loaded, whole) = ready(subject, codec);
    let longest = whole.iter().map(Vec::len).max().unwrap_or(0);
    let random = (0..rounds_over(longest, rounds()) as u64).filter_map(|seed| damaged(&whole, seed));
    // A count of two thousand million is not damage to find by waiting for its end.
    let is_bounded = UNBOUNDED.iter().all(|(known, _)| *known != codec);
    let inputs: Vec<_> = random.chain(with_extremes(&whole[0]).filter(|_| is_bounded)).collect();
    digest_damaged(subject, &mut loaded, &inputs);
}

/// With `WIREDYNO_TEST_FULL`: how long each codec's decoder gets damaged input, over all payloads that it carries.
const LONG: Duration = Duration::from_secs(20);

/// Libraries known to loop for as long as damaged bytes demand, found by a minute of such input.
const UNBOUNDED: [(&str, &str); 1] =
    [("avro/fastavro", "it reads a list of records without fields for as long as the list's count says")];

/// How many seeds are sent at once in the long form.
const AT_ONCE: u64 = 1_000;

/// With `WIREDYNO_TEST_FULL` each codec of each runner gets [`LONG`] more.
pub fn long_tests(subjects: &'static [Subject]) -> Vec<Trial> {
    if !full() {
        return Vec::new();
    }
    let mut pairs: Vec<(&str, &str)> = subjects
        .iter()
        .flat_map(|subject| subject.carried().map(move |codec| (subject.runner, codec)))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let long = |(runner, codec): (&'static str, &'static str)| {
        let why = UNBOUNDED.iter().find(|(known, _)| *known == codec).map(|(_, why)| format!(" [{why}]"));
        let name = format!("many_more_mutated_bytes {runner} {codec}{}", why.as_deref().unwrap_or_default());
        test(name, move || many_more(subjects, runner, codec)).with_ignored_flag(why.is_some())
    };
    pairs.into_iter().map(long).collect()
}

/// Damages the samples of every payload that the codec carries, in turn, with seeds after those of the short form.
fn many_more(subjects: &[Subject], runner: &str, codec: &str) {
    let carrying = subjects
        .iter()
        .filter(|subject| subject.runner == runner && subject.carried().any(|known| known == codec));
    let mut all: Vec<_> = carrying.map(|subject| (subject, ready(subject, codec))).collect();
    let (begun, mut seed) = (Instant::now(), rounds() as u64);
    while begun.elapsed() < LONG {
        for (subject, (loaded, whole)) in &mut all {
            let longest = whole.iter().map(Vec::len).max().unwrap_or(0);
            let seeds = seed..seed + rounds_over(longest, AT_ONCE as usize) as u64;
            let inputs: Vec<_> = seeds.filter_map(|seed| damaged(whole, seed)).collect();
            digest_damaged(subject, loaded, &inputs);
        }
        seed += AT_ONCE;
    }
    println!("{codec}: seeds up to {seed} over each of {} payloads", all.len());
}

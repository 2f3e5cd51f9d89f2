//! Measurements are right, and reproducible where they must be.

use wiredyno_contract::{Buffer, Operation, Phase, Success};
use wiredyno_testkit::{Source, Subject, payloads};

use crate::samples;

pub fn all_phases_are_measured_and_checked(subject: &Subject, codec: &str) {
    let mut loaded = subject.load(codec, &samples(subject));
    for phase in Phase::ALL {
        let mut digests = Vec::new();
        for buffer in [Buffer::Fresh, Buffer::Reused] {
            let name = format!("{}, {}, {buffer:?}", loaded.name(), phase.name());
            let (measured, digest) = loaded.measure(phase, 1_000, 2, buffer);
            assert_eq!((measured.phase, measured.buffer), (phase, buffer), "{name}");
            assert_eq!(measured.batches.len(), 2, "{name}");
            assert!(measured.batches.iter().all(|batch| batch.iterations > 0), "{name}");
            assert!(measured.batches.iter().all(|batch| batch.cpu_ns.is_some()), "{name}");
            let told = measured.allocations.is_some() && measured.stack_bytes.is_some();
            assert!(told || measured.missing.iter().any(|m| m.what != "instructions"), "{name} says why");
            digests.push(digest);
        }
        digests.push(loaded.measure(phase, 50_000, 1, Buffer::Reused).1);
        digests.dedup();
        assert_eq!(digests.len(), 1, "{}, {}: products differ", loaded.name(), phase.name());
    }
}

/// Heap and stack of one call depend on the build, not on the moment.
pub fn ten_repeats_agree_on_heap_and_stack_of_one_call(subject: &Subject, codec: &str) {
    let mut loaded = subject.load(codec, &payloads::samples(&subject.payload, 5));
    for phase in Phase::ALL {
        let mut one = || {
            let (measured, _) = loaded.measure(phase, 1, 1, Buffer::Fresh);
            (measured.allocations, measured.stack_bytes)
        };
        let first = one();
        for _ in 1..10 {
            assert_eq!(one(), first, "{codec} {}", phase.name());
        }
    }
}

pub fn first_calls_are_timed_and_right(subject: &Subject, codec: &str) {
    let source = Source::of(&subject.payload, &samples(subject)[..1]).unwrap();
    let first = || Operation::CallFirst { payload: source.wire(), codec: codec.parse().unwrap() };
    let mut runner = subject.start();
    let Success::CalledFirst { calls } = runner.must(first()) else { panic!("{codec}") };
    assert!(calls.encode_ns > 0 && calls.decode_ns > 0, "{codec}: {calls:?}");
    let failure = runner.ask(first()).unwrap_err();
    assert!(failure.error.contains("fresh process"), "{failure}");
}

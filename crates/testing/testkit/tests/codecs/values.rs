//! Values survive a round trip, and bytes stay the same.

use prost_reflect::DynamicMessage;
use serde_json::Value;
use wiredyno_contract::{Capability, Operation, Success};
use wiredyno_testkit::{Source, Subject};

use crate::samples;

/// On `load`, the runner compares every sample with what its own bytes decode to.
pub fn every_sample_comes_back_equal(subject: &Subject, codec: &str) {
    let limit = samples(subject).len();
    let source = Source::own(&subject.payload, Some(limit)).unwrap();
    let mut loaded = subject.load(codec, &samples(subject));
    let first = loaded.encode_all();
    assert!(first.iter().map(Vec::len).eq(loaded.body_bytes.iter().map(|bytes| *bytes as usize)));
    // From the file that the program writes, as it requests it.
    loaded.source = source;
    loaded.load(None).unwrap();
    assert_eq!(loaded.encode_all(), first, "{}: the bytes change from call to call", loaded.name());
    loaded.load(Some(1)).unwrap();
    assert_eq!(loaded.encode_all(), first[..1], "{}", loaded.name());
}

/// A value as JSON, which distinguishes absent fields from defaults only where the message does.
fn json(value: &DynamicMessage) -> Value {
    serde_json::from_str(&wiredyno_schema::write_value(value).unwrap()).unwrap()
}

/// Values that were not loaded go in and come out as Protobuf's bytes.
pub fn values_of_unknown_type_come_back(subject: &Subject, codec: &str) {
    let samples = samples(subject);
    let mut loaded = subject.load(codec, &samples[..1]);
    for sample in &samples {
        let bytes = loaded.encode_value(sample).unwrap();
        let back = loaded.decode(&bytes).unwrap();
        assert_eq!(json(sample), json(&back), "{}", loaded.name());
        let again = loaded.encode_value(&back).unwrap();
        assert!(same_bytes(subject, codec, &again, &bytes), "{}: {again:02x?}, {bytes:02x?}", loaded.name());
    }
}

/// Whether two encodings of one value are equal; if the format allows several, they have the same bytes in some order.
fn same_bytes(subject: &Subject, codec: &str, one: &[u8], other: &[u8]) -> bool {
    let mut codecs = subject.description().codecs.iter();
    let canonical = codecs
        .any(|known| known.id.to_string() == codec && known.capabilities.contains(&Capability::Canonical));
    let sorted = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        bytes.sort_unstable();
        bytes
    };
    one == other || !canonical && sorted(one) == sorted(other)
}

/// One process only encodes, another only decodes.
pub fn fresh_processes_give_the_same_bytes(subject: &Subject, codec: &str) {
    let samples = samples(subject);
    let first = subject.load(codec, &samples).encode_all();
    for (one, other) in subject.encoded(codec, &samples).iter().zip(&first) {
        let name = subject.name();
        assert!(same_bytes(subject, codec, one, other), "{codec} over {name}: {one:02x?}, {other:02x?}");
    }
    let source = Source::of(&subject.payload, &samples[..1]).unwrap();
    let bodies: Vec<String> = first.iter().map(hex::encode).collect();
    let decode =
        |bodies| Operation::DecodeSamples { payload: source.wire(), codec: codec.parse().unwrap(), bodies };
    let mut runner = subject.start();
    assert_eq!(runner.must(decode(Vec::new())), Success::Done, "of no message it stays fresh");
    assert_eq!(runner.must(decode(bodies)), Success::Done);
}

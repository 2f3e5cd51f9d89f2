//! What one codec writes, every other codec of the same bytes reads: across libraries, languages and runners.

use std::collections::BTreeMap;

use libtest_mimic::Trial;
use wiredyno_schema::canonical_bytes;
use wiredyno_testkit::{Loaded, Subject};

use crate::{samples, test};

/// The payload with the most constructs, and the one that all runners carry with every format.
const PAYLOADS: [&str; 2] = ["kitchen-sink", "person"];

/// Jackson's binary formats write the keys of maps as texts, whatever the definition says: of a map with other keys, only they read each other's.
const KEYS_AS_TEXTS: [&str; 3] = ["cbor/jackson", "cbor/jackson:streaming", "messagepack/jackson"];

/// A runner over a payload, with one of its codecs.
type Speaker = (&'static Subject, &'static str);

/// A test for each payload and each kind of bytes that at least two codecs write.
pub fn tests(subjects: &'static [Subject]) -> Vec<Trial> {
    let mut speakers: BTreeMap<(&str, String), Vec<Speaker>> = BTreeMap::new();
    for payload in PAYLOADS {
        for subject in subjects.iter().filter(|subject| subject.payload.id().to_string() == payload) {
            for codec in subject.carried() {
                let has_maps = payload == PAYLOADS[0];
                let apart =
                    if has_maps && KEYS_AS_TEXTS.contains(&codec) { " with keys as texts" } else { "" };
                speakers.entry((payload, bytes_of(codec) + apart)).or_default().push((subject, codec));
            }
        }
    }
    let several = speakers.into_iter().filter(|(_, speakers)| speakers.len() > 1);
    let named = several.map(|((payload, bytes), speakers)| {
        test(format!("every_codec_reads_what_the_others_write {payload} {bytes}"), move || {
            exchange(&speakers)
        })
    });
    named.collect()
}

/// The format of a codec, with its variant where that changes what is written and not only how a library is used.
fn bytes_of(codec: &str) -> String {
    let (library, variant) = codec.split_once(':').unwrap_or((codec, ""));
    let format = library.split_once('/').map_or(library, |(format, _)| format);
    match variant {
        "" | "arena" | "generic" | "hashing" | "lite" | "streaming" => format.to_owned(),
        "container-alone" | "container-alone-hashing" => format!("{format}:container"),
        other => format!("{format}:{other}"),
    }
}

fn exchange(speakers: &[Speaker]) {
    let samples = samples(speakers[0].0);
    let mut loaded: Vec<Loaded> =
        speakers.iter().map(|(subject, codec)| subject.load(codec, &samples)).collect();
    let written: Vec<Vec<Vec<u8>>> = loaded.iter_mut().map(Loaded::encode_all).collect();
    for reader in &mut loaded {
        for ((_, writer), bodies) in speakers.iter().zip(&written) {
            for (number, (body, sample)) in bodies.iter().zip(&samples).enumerate() {
                let name = reader.name();
                let read = reader.decode(body).unwrap_or_else(|failure| {
                    panic!("{name} refuses sample {number} of {writer}: {failure}");
                });
                let same = canonical_bytes(&read) == canonical_bytes(sample);
                assert!(same, "{name} reads sample {number} of {writer} as {read}, not {sample}");
            }
        }
    }
}

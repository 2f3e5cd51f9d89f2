//! Encoders without generated code give the bytes of the compiled codecs, for every payload.

#![allow(clippy::unwrap_used)]

use prost_reflect::DynamicMessage;
use wiredyno_codecs::{Payload, PayloadEntry, REGISTRY};
use wiredyno_dynamic::{ENCODERS, Encoder, Plan};
use wiredyno_schema::Definition;
use wiredyno_schema::generator::Generator;

const SEED: u64 = 20_261_121;

/// A few in `make test`; `WIREDYNO_TEST_FULL` takes more.
fn values() -> usize {
    if std::env::var_os("WIREDYNO_TEST_FULL").is_some() { 500 } else { 20 }
}

fn payloads(entries: &'static [PayloadEntry]) -> impl Iterator<Item = Payload> {
    entries.iter().map(move |entry| {
        let plain = Payload::find(entries, &entry.name.parse().unwrap()).unwrap();
        match plain.is_sized() {
            true => Payload::find(entries, &format!("{}@1176", entry.name).parse().unwrap()).unwrap(),
            false => plain,
        }
    })
}

/// Compares one encoder with its codec over every value; gives how many bytes both wrote.
fn compare(encoder: &Encoder, plan: &Plan, payload: &Payload, samples: &[DynamicMessage]) -> usize {
    let (codec, name) = (encoder.codec().parse().unwrap(), payload.entry().name);
    let refused = encoder.refuses(plan);
    if let Err(reason) = payload.carried_by(&codec) {
        let own = refused.unwrap_or_else(|| panic!("{codec} over {name}: {reason}"));
        assert!(reason.to_string().contains(&own), "{codec} over {name}: {own:?}, but {reason}");
        return 0;
    }
    assert_eq!(refused, None, "{codec} over {name}");
    let mut bound = payload.bind(&codec).unwrap();
    let mut bytes = 0;
    for (at, sample) in samples.iter().enumerate() {
        let (mut wanted, mut found) = (Vec::new(), Vec::new());
        let compiled = bound.encode_value(sample, &mut wanted);
        let dynamic = match plan.value(sample) {
            Ok(value) => encoder.encode(plan, &value, &mut found).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        let place = format!("{codec} over {name}, value {at}, seed {SEED}");
        assert_eq!(compiled.is_ok(), dynamic.is_ok(), "{place}: {compiled:?} {dynamic:?}");
        if compiled.is_ok() {
            // It writes fields by their numbers and maps by a hash: the same bytes in another order.
            if encoder.codec() == "protobuf/upb" {
                wanted.sort_unstable();
                found.sort_unstable();
            }
            assert_eq!(hex::encode(&wanted), hex::encode(&found), "{place}");
            bytes += found.len();
        }
    }
    bytes
}

#[test]
fn every_dynamic_encoder_gives_the_bytes_of_its_codec() {
    let all = payloads(wiredyno_payloads::PAYLOADS).chain(payloads(wiredyno_testkit::PAYLOADS));
    let mut bytes = vec![0; ENCODERS.len()];
    for payload in all {
        let entry = payload.entry();
        let plan = Plan::new(Definition::from_source(entry.proto, entry.name).unwrap());
        let invented = Generator::invented(payload.descriptor(), SEED).take(values());
        let own = payload.samples(Some(values())).unwrap().map(Result::unwrap);
        let samples: Vec<_> = own.chain(invented).collect();
        for (encoder, bytes) in ENCODERS.iter().zip(&mut bytes) {
            *bytes += compare(encoder, &plan, &payload, &samples);
        }
    }
    for (encoder, bytes) in ENCODERS.iter().zip(bytes) {
        // Few payloads are what raw and the envelope's rules can carry; all others meet some.
        let rare = ["raw/wiredyno", "ts-103-097/wiredyno"].contains(&encoder.codec());
        assert!(bytes > 0 || rare, "{} was compared over no payload", encoder.codec());
    }
}

#[test]
fn the_list_follows_the_registry_and_names_each_codec_once() {
    let places: Vec<usize> = ENCODERS
        .iter()
        .map(|encoder| REGISTRY.iter().position(|codec| codec.id() == encoder.codec()).unwrap())
        .collect();
    assert!(places.is_sorted_by(|a, b| a < b), "{places:?}");
    for encoder in ENCODERS {
        let first = encoder.same_as().map(|id| ENCODERS.iter().find(|other| other.codec() == id).unwrap());
        assert!(first.is_none_or(|first| first.same_as().is_none()), "{}", encoder.codec());
    }
}

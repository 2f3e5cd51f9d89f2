//! Encoders without generated code give the bytes of the compiled codecs, for every payload.

#![allow(clippy::unwrap_used)]

use wiredyno_codecs::{Payload, PayloadEntry};
use wiredyno_dynamic::{ENCODERS, Plan};
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

#[test]
fn every_dynamic_encoder_gives_the_bytes_of_its_codec() {
    let all = payloads(wiredyno_payloads::PAYLOADS).chain(payloads(wiredyno_testkit::PAYLOADS));
    let mut compared = 0;
    for payload in all {
        let entry = payload.entry();
        let plan = Plan::new(Definition::from_source(entry.proto, entry.name).unwrap());
        let invented = Generator::invented(payload.descriptor(), SEED).take(values());
        let own = payload.samples(Some(values())).unwrap().map(Result::unwrap);
        let samples: Vec<_> = own.chain(invented).collect();
        for encoder in ENCODERS {
            let codec = encoder.codec().parse().unwrap();
            let carried = payload.carried_by(&codec);
            assert_eq!(
                carried.is_ok(),
                encoder.refuses(&plan).is_none(),
                "{codec} over {}: {carried:?}",
                entry.name
            );
            if carried.is_err() {
                continue;
            }
            let mut bound = payload.bind(&codec).unwrap();
            for (at, sample) in samples.iter().enumerate() {
                let (mut wanted, mut found) = (Vec::new(), Vec::new());
                let compiled = bound.encode_value(sample, &mut wanted);
                let dynamic = encoder.encode(&plan, sample, &mut found);
                assert_eq!(
                    compiled.is_ok(),
                    dynamic.is_ok(),
                    "{codec} over {}, value {at}: {compiled:?} {dynamic:?}",
                    entry.name
                );
                assert_eq!(
                    hex::encode(wanted),
                    hex::encode(found),
                    "{codec} over {}, value {at}, seed {SEED}",
                    entry.name
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

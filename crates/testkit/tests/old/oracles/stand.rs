//! What the comparisons share: values, tools, and tests that are ignored by name.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use libtest_mimic::Trial;
use wiredyno_codecs::{Bound, Payload, PayloadEntry};
use wiredyno_schema::generator::Generator;

/// Seeded random values per payload; `WIREDYNO_TEST_FULL` asks for more.
pub fn random_values() -> usize {
    if std::env::var_os("WIREDYNO_TEST_FULL").is_some() { 500 } else { 50 }
}

/// Where the random values start. Printed by every failing comparison.
pub const SEED: u64 = 20_261_121;

/// The Python that `make test` made, else the one on the path.
pub fn python() -> OsString {
    std::env::var_os("WIREDYNO_PYTHON").unwrap_or_else(|| "python3".into())
}

/// Whether a program runs and succeeds.
pub fn runs(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> bool {
    let command = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    command.is_ok_and(|status| status.success())
}

/// A test that needs a tool: ignored, with the reason in its name, where `missing` gives one.
pub fn test(name: &str, missing: Option<&str>, run: fn()) -> Trial {
    let name = missing.map_or_else(|| name.to_owned(), |reason| format!("{name} [{reason}]"));
    let trial = Trial::test(name, move || {
        run();
        Ok(())
    });
    trial.with_ignored_flag(missing.is_some())
}

/// Every payload of the program and of this crate; those with a size at 64 bytes.
pub fn payloads() -> Vec<Payload> {
    let find = |entries: &'static [PayloadEntry]| {
        entries.iter().map(move |entry| {
            let plain = Payload::find(entries, &entry.name.parse().unwrap()).unwrap();
            match plain.is_sized() {
                true => Payload::find(entries, &format!("{}@64", entry.name).parse().unwrap()).unwrap(),
                false => plain,
            }
        })
    };
    find(wiredyno_payloads::PAYLOADS).chain(find(wiredyno_testkit::PAYLOADS)).collect()
}

/// The payload's own first samples, or as many invented values from [`SEED`], bound to a codec. `None` if the format can't carry it.
pub fn bound(payload: &Payload, codec: &str, invented: bool) -> Option<Box<dyn Bound>> {
    let codec = codec.parse().unwrap();
    payload.carried_by(&codec).ok()?;
    let mut bound = payload.bind(&codec).unwrap();
    match invented {
        true => bound.load(&mut Generator::invented(payload.descriptor(), SEED).take(random_values())),
        false => bound.load(&mut payload.samples(Some(random_values())).unwrap().map(Result::unwrap)),
    }
    .unwrap_or_else(|error| panic!("{} over {}, seed {SEED}: {error}", codec, payload.id()));
    Some(bound)
}

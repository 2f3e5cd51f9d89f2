//! Feeds damaged files to the importers: any file is imported or refused. A successful import yields a valid
//! definition, which reads the samples converted from the same file.
//!
//! Seeded: the same inputs on every machine, a thousand for each importer, or with `WIREDYNO_TEST_FULL=1` as many
//! as half a minute allows. A hang or blow-up shows in the number of allocations or the live memory, both bounded
//! by the input's length; a loop that allocates nothing, and a stack overflow, are caught by the watchdog and by the input
//! that is kept in `target/tmp/fuzz/` while it is tried.

#![allow(clippy::unwrap_used)]

mod counting;
mod mutate;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use counting::{Counting, counted};
use wiredyno_schema::idl::Idl;
use wiredyno_schema::idl::avsc::Avsc;
use wiredyno_schema::import::infer::{Inference, as_object};
use wiredyno_schema::import::{Draft, ImportError, avsc, json, json_schema, proto};
use wiredyno_schema::{Definition, read_value};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of inputs in the short form.
const ROUNDS: u64 = 1_000;

/// The duration of the long form.
const LONG: Duration = Duration::from_secs(30);

/// No input of a few kilobytes takes this long on any machine; a test that does hangs.
const HANGS: Duration = Duration::from_secs(120);

/// Allocations and memory allowed for any file (it may load well-known types), and those per byte.
const CALLS: u64 = 400_000;
const CALLS_PER_BYTE: u64 = 1_000;
const PEAK_BYTES: i64 = 16 << 20;
const PEAK_PER_BYTE: i64 = 4_000;

/// An importer: `Err` means that it refuses the input.
type Import<'a> = &'a dyn Fn(&str) -> Result<(), ImportError>;

/// The folder of the current input, which stays there if it breaks something.
fn desk(importer: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz").join(importer);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Tries one input after the other; `kept` is the file with the current one.
fn fuzz(importer: &str, kept: &Path, corpus: &[String], import: Import<'_>) {
    for (at, text) in corpus.iter().enumerate() {
        std::fs::write(kept, text).unwrap();
        import(text)
            .unwrap_or_else(|error| panic!("{importer}: file {at} of the corpus is refused: {error}"));
    }
    let full = std::env::var_os("WIREDYNO_TEST_FULL").is_some();
    let (begun, mut carried, mut seed) = (Instant::now(), 0_u64, 0);
    let (alive, watched) = channel::<()>();
    let name = importer.to_owned();
    let watchdog = std::thread::spawn(move || {
        loop {
            match watched.recv_timeout(HANGS) {
                Ok(()) => {}
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    eprintln!("{name} hangs at what is kept in target/tmp/fuzz/{name}");
                    std::process::abort();
                }
            }
        }
    });
    while if full { begun.elapsed() < LONG } else { seed < ROUNDS } {
        let text = mutate::mutated(corpus, seed);
        std::fs::write(kept, &text).unwrap();
        let (outcome, allocated) = counted(|| catch_unwind(AssertUnwindSafe(|| import(&text))));
        let broken = match outcome {
            Err(_) => Some("panics".to_owned()),
            Ok(_) if allocated.calls > CALLS + CALLS_PER_BYTE * text.len() as u64 => {
                Some(format!("takes {} steps", allocated.calls))
            }
            Ok(_) if allocated.peak_bytes > PEAK_BYTES + PEAK_PER_BYTE * text.len() as i64 => {
                Some(format!("holds {} bytes", allocated.peak_bytes))
            }
            Ok(imported) => {
                carried += u64::from(imported.is_ok());
                None
            }
        };
        if let Some(how) = broken {
            let stays = kept.with_file_name(format!("seed-{seed}"));
            std::fs::copy(kept, &stays).unwrap();
            panic!("{importer} {how} at seed {seed}, kept as {}:\n{text}", stays.display());
        }
        let _ = alive.send(());
        seed += 1;
    }
    drop(alive);
    watchdog.join().unwrap();
    println!("{importer}: {seed} inputs, {carried} of them imported");
    assert!(
        carried > 0 && carried < seed,
        "{importer}: the damage is too heavy or too light to be meaningful"
    );
}

/// Asserts that an imported draft compiles.
fn sound(draft: &Draft) -> Definition {
    let text = draft.to_proto();
    Definition::from_source(&text, "message.proto").unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn corpus(names: &[&str]) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus");
    names.iter().map(|name| std::fs::read_to_string(folder.join(name)).unwrap()).collect()
}

/// One file from each of several bundled payloads.
fn bundled(file: &str, payloads: &[&str]) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../payloads");
    payloads.iter().map(|name| std::fs::read_to_string(folder.join(name).join(file)).unwrap()).collect()
}

const DEFINITIONS: &[&str] =
    &["person", "kafka-record", "json-order", "json-config", "envelope-2", "laser-scan"];

#[test]
fn a_damaged_proto_file_is_imported_or_refused() {
    let mut files = corpus(&["legacy.proto"]);
    files.extend(bundled("message.proto", DEFINITIONS));
    let kept = desk("proto").join("trying.proto");
    fuzz("proto", &kept, &files, &|_| {
        let imported = proto::import(&kept, None, "fuzz")?;
        sound(&imported.draft);
        Ok(())
    });
}

#[test]
fn a_damaged_avro_schema_is_imported_or_refused() {
    let mut files = corpus(&["trip.avsc"]);
    for text in bundled("message.proto", DEFINITIONS) {
        let definition = Definition::from_source(&text, "message.proto").unwrap();
        files.push(Avsc.lower(&definition).unwrap().text);
    }
    fuzz("avsc", &desk("avsc").join("trying.avsc"), &files, &|text| {
        sound(&avsc::import(text, "fuzz.avsc", "fuzz")?);
        Ok(())
    });
}

#[test]
fn a_damaged_json_schema_is_imported_or_refused() {
    let files = corpus(&["order.schema.json"]);
    fuzz("json-schema", &desk("json-schema").join("trying.schema.json"), &files, &|text| {
        sound(&json_schema::import(text, "fuzz.schema.json", "fuzz")?);
        Ok(())
    });
}

#[test]
fn damaged_samples_become_a_definition_that_reads_them_or_are_refused() {
    let mut files = corpus(&["events.jsonl"]);
    for text in bundled("samples.jsonl", &["person", "envelope-1-digest"]) {
        files.push(text.lines().take(3).collect::<Vec<_>>().join("\n"));
    }
    fuzz("jsonl", &desk("jsonl").join("trying.jsonl"), &files, &|text| {
        let mut inference = Inference::default();
        for document in json::documents(text, "fuzz.jsonl") {
            inference.add(&as_object(document?));
        }
        let draft = inference.draft("fuzz", "fuzz.jsonl")?;
        let definition = sound(&draft);
        for document in json::documents(text, "fuzz.jsonl") {
            let line = draft.sample(&as_object(document?), "fuzz.jsonl")?;
            read_value(&line, &definition.descriptor, "samples.jsonl", 1)
                .unwrap_or_else(|error| panic!("{error}\n{line}\n{}", draft.to_proto()));
        }
        Ok(())
    });
}

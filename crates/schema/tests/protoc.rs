//! The code for Google's Protobuf runtime that is kept beside the sources is what protoc makes of the payloads today.
//!
//! `WIREDYNO_UPDATE_SNAPSHOTS=1` writes it. Needs the protoc of [`wiredyno_schema::protoc`]; ignored by name without it.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use wiredyno_schema::{Definition, protoc};

/// Folders of payloads, and where their code is kept.
const KEPT: [(&str, &str); 2] =
    [("payloads", "crates/payloads/upb"), ("crates/testkit/payloads", "crates/testkit/upb")];

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // protoc may be the only thing that differs between two runs: one thread is quick enough.
    arguments.test_threads.get_or_insert(1);
    let found = protoc::find();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut trials = Vec::new();
    for (payloads, kept) in KEPT {
        let mut folders: Vec<PathBuf> =
            std::fs::read_dir(root.join(payloads)).unwrap().map(|entry| entry.unwrap().path()).collect();
        folders.retain(|folder| folder.join("message.proto").is_file());
        folders.sort();
        let mut seen: Vec<Definition> = Vec::new();
        for folder in folders {
            let definition = read(&folder);
            // Of payloads that share a definition, the first one's code is that of all.
            if seen.iter().any(|other| other.descriptor_set == definition.descriptor_set) {
                continue;
            }
            seen.push(definition.clone());
            let name = folder.file_name().unwrap().to_string_lossy().into_owned();
            let (kept, program) = (root.join(kept).join(format!("{name}.rs")), found.clone());
            let trial = Trial::test(format!("{payloads}/{name}"), move || {
                compare(&definition, &kept, &program.unwrap());
                Ok(())
            });
            trials.push(trial.with_ignored_flag(found.is_none()));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn read(folder: &Path) -> Definition {
    let proto = folder.join("message.proto");
    let text = std::fs::read_to_string(&proto).unwrap();
    Definition::from_source(&text, &proto.display().to_string()).unwrap()
}

fn compare(definition: &Definition, kept: &Path, program: &Path) {
    let code = protoc::rust_code(definition, program).unwrap();
    if std::env::var_os("WIREDYNO_UPDATE_SNAPSHOTS").is_some() {
        std::fs::create_dir_all(kept.parent().unwrap()).unwrap();
        std::fs::write(kept, &code).unwrap();
    }
    let there = std::fs::read_to_string(kept).unwrap_or_default();
    assert!(
        there == code,
        "{} is not what protoc {} makes of {}: run this test with WIREDYNO_UPDATE_SNAPSHOTS=1",
        kept.display(),
        protoc::VERSION,
        definition.root().full_name
    );
}

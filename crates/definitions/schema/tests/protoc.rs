//! Runs the protoc that matches Google's Protobuf runtime on every bundled definition and those of the tests.
//!
//! Needs the protoc that `protobuf/upb` declares; without it, the test is ignored with the reason in its name. crates/testing/testkit tests that the
//! generated code compiles and behaves like other codecs, for the payloads that are compiled there.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use wiredyno_schema::Definition;
use wiredyno_schema::codegen::protoc;

/// Folders that contain payloads.
const PAYLOADS: [&str; 2] = ["payloads", "crates/testing/testkit/payloads"];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let codec = wiredyno_codec_registry::REGISTRY.iter().find(|codec| codec.id == "protobuf/upb").unwrap();
    let found = wiredyno_needs::program(codec.needs.iter().find(|need| need.name == "protoc").unwrap());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut trials = Vec::new();
    for payloads in PAYLOADS {
        let mut folders: Vec<PathBuf> =
            std::fs::read_dir(root.join(payloads)).unwrap().map(|entry| entry.unwrap().path()).collect();
        folders.retain(|folder| folder.join("message.proto").is_file());
        folders.sort();
        for folder in folders {
            let missing = found.as_ref().err().map(|lack| format!(" [{lack}]")).unwrap_or_default();
            let name = folder.file_name().unwrap().to_string_lossy().into_owned();
            let program = found.clone();
            let trial = Trial::test(format!("protoc_makes_code_of {payloads}/{name}{missing}"), move || {
                makes_code(&folder, &program.unwrap());
                Ok(())
            });
            trials.push(trial.with_ignored_flag(found.is_err()));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn makes_code(folder: &Path, program: &Path) {
    let proto = folder.join("message.proto");
    let text = std::fs::read_to_string(&proto).unwrap();
    let definition = Definition::from_source(&text, &proto.display().to_string()).unwrap();
    let code = protoc::rust_code(&definition, program).unwrap();
    for message in 0..definition.messages.len() {
        assert!(code.contains(&format!("pub struct M{message} ")), "message {message} is missing: {code}");
    }
    assert_eq!(code, protoc::rust_code(&definition, program).unwrap(), "the code differs between calls");
}

//! Schemathesis generates valid and invalid requests from the OpenAPI document: no answer is a 500, and none is undocumented. Ignored, with
//! the reason in the name, where the tests' Python does not have it.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

mod stand;

use std::path::PathBuf;
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};
use stand::{STUDY, Server};

/// Cases for each operation and phase: quick, and with `WIREDYNO_TEST_FULL`.
const CASES: [&str; 2] = ["15", "200"];
const SEED: &str = "23";

fn main() {
    let arguments = Arguments::from_args();
    let program = find();
    let name = match program {
        Some(_) => "requests_from_the_document_find_no_500_and_no_undocumented_answer",
        None => "requests_from_the_document_find_no_500_and_no_undocumented_answer (schemathesis is missing)",
    };
    let ignored = program.is_none();
    let trial = Trial::test(name, move || fuzzed(&program.unwrap_or_default())).with_ignored_flag(ignored);
    libtest_mimic::run(&arguments, vec![trial]).exit();
}

/// The program `schemathesis` in the folder of the tests' Python.
fn find() -> Option<PathBuf> {
    let python = PathBuf::from(std::env::var_os("WIREDYNO_PYTHON")?);
    Some(python.with_file_name("schemathesis")).filter(|program| program.is_file())
}

fn fuzzed(program: &std::path::Path) -> Result<(), Failed> {
    let desk = tempfile::tempdir()?;
    let server = Server::start(&desk.path().join("data"), &["--login", "--most-tests", "3", "--pause", "0"]);
    let token = server.token();
    let body = serde_json::json!({ "study": STUDY }).to_string();
    let bearer = format!("Bearer {token}");
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    server.request("POST", "/api/tests", &headers, body.as_bytes()).expect(201);
    let full = std::env::var_os("WIREDYNO_TEST_FULL").is_some();
    let output = Command::new(program)
        .args(["run", &format!("http://{}/api/openapi.json", server.address), "--seed", SEED, "--no-color"])
        .args(["-n", CASES[usize::from(full)], "--phases", "examples,coverage,fuzzing"])
        .args([
            "--checks",
            "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
        ])
        // An event stream has no end. Logging out is harmless: requests carry a token.
        .args(["--exclude-operation-id", "queue_events", "--exclude-operation-id", "test_events"])
        .args(["--request-timeout", "60", "--rate-limit", "80/s", "-H", &format!("Authorization: {bearer}")])
        .current_dir(desk.path())
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{said}\n{}", String::from_utf8_lossy(&output.stderr)).into())
}

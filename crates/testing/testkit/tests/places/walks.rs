//! Codecs in other languages build what they encode from a row in one walk; checked if the probes have a script that can see it.

use std::io::Write as _;
use std::process::{Command, Stdio};

use libtest_mimic::Trial;
use wiredyno_testkit::{Source, payloads};

use crate::Probed;

/// Samples per payload, both its own and invented ones.
const VALUES: usize = 20;

pub fn tests(probed: &'static [Probed]) -> Vec<Trial> {
    let with = probed.iter().filter(|probed| probed.walks.is_some());
    let name = "what_is_encoded_is_built_of_a_row_in_one_walk";
    with.map(|probed| probed.trial(None, name, move || walks(probed))).collect()
}

fn walks(probed: &Probed) {
    let Some([program, arguments @ ..]) = probed.walks.as_deref() else {
        panic!("{} has no walks", probed.name)
    };
    let mut sources = Vec::new();
    for name in payloads::OWN.into_iter().chain(["person", "current-status"]) {
        let payload = payloads::find(name);
        let values = [payloads::samples(&payload, VALUES), payloads::invented(&payload, VALUES)].concat();
        sources.push(Source::of(&payload, &values).unwrap());
    }
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let mut input = child.stdin.take().unwrap();
    for source in &sources {
        // A script that stops early reports why on stderr; its status counts.
        let _ = writeln!(input, "{}", serde_json::to_string(&source.wire()).unwrap());
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "see above for the first value; seed {}", payloads::seed());
    let seen: usize = String::from_utf8_lossy(&output.stdout).trim().parse().unwrap();
    assert!(seen >= sources.len() * VALUES, "{seen} values were seen");
}

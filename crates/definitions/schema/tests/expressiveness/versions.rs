//! Old readers with new bytes and new readers with old bytes, in each language's own library.

use std::path::Path;
use std::process::Command;

use libtest_mimic::Trial;
use wiredyno_schema::expressiveness::{COMPILERS, Definitions, Reading, TRIALS, definitions};
use wiredyno_schema::idl;

use crate::compilers::ROS_PYTHON;
use crate::{python, test};

/// The Python of a language's library, ours unless only another has it, and the import that must succeed.
fn needs(language: &str) -> (std::ffi::OsString, &'static str) {
    match language {
        "rosmsg" => (ROS_PYTHON.into(), "import genpy.dynamic"),
        "asn1" => (python(), "import asn1tools"),
        "avsc" => (python(), "import fastavro"),
        "omg-idl" => (python(), "import cyclonedds.idl"),
        "proto" => (python(), "import google.protobuf, shutil; assert shutil.which('protoc')"),
        "thrift" => (python(), "import thrift, shutil; assert shutil.which('thrift')"),
        "capnp" => (python(), "import shutil; assert shutil.which('capnp')"),
        "fbs" => (python(), "import shutil; assert shutil.which('flatc')"),
        "lcm" => (python(), "import shutil; assert shutil.which('lcm-gen')"),
        "xsd" => (python(), "import shutil; assert shutil.which('xmllint')"),
        _ => (python(), ""),
    }
}

fn outcome(word: &str) -> Option<Reading> {
    [Reading::Reads, Reading::Refuses, Reading::Garbles].into_iter().find(|outcome| outcome.verb() == word)
}

fn check(language: &'static str) {
    let idl = idl::find(language).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expressiveness/versions.py");
    let mut wrong = String::new();
    for trial in TRIALS.iter().filter(|trial| trial.language == language) {
        let texts = match trial.definitions {
            Definitions::Translated => {
                definitions(trial.change).unwrap().map(|definition| idl.lower(&definition).unwrap().text)
            }
            Definitions::Written(old, new) => [old.to_owned(), new.to_owned()],
        };
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in ["old", "new"].into_iter().zip(&texts) {
            let folder = folder.path().join(name);
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join(format!("log.{}", idl.extension())), text).unwrap();
        }
        let change = trial.change.construct();
        let output = Command::new(needs(language).0)
            .arg(&script)
            .args([language, change, trial.with])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut lines = said.lines();
        let mut found = || lines.next().and_then(|line| outcome(line.split(':').next().unwrap_or_default()));
        let found = (found(), found());
        if found != (Some(trial.old_reads_new), Some(trial.new_reads_old)) {
            let errors = String::from_utf8_lossy(&output.stderr);
            wrong += &format!(
                "{change}, {:?} {}: expected {} and {}, found\n{said}{errors}\n",
                trial.form,
                trial.with,
                trial.old_reads_new.verb(),
                trial.new_reads_old.verb()
            );
        }
    }
    assert!(wrong.is_empty(), "{language}:\n{wrong}");
}

pub fn tests() -> Vec<Trial> {
    COMPILERS
        .iter()
        .map(|compiler| {
            let (interpreter, imports) = needs(compiler.language);
            let output = Command::new(interpreter).args(["-c", imports]).output();
            let there = output.is_ok_and(|output| output.status.success());
            let missing = (!there).then_some("its library is missing: make deps-test");
            let name = format!("{}_readers_do_as_the_table_says", compiler.language.replace('-', "_"));
            test(name, missing, || check(compiler.language))
        })
        .collect()
}

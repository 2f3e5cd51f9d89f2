//! The foreign serializers in oracles/robots: generated, compiled, and given our bytes, which they must reproduce.
//!
//! The times that they print are for `make bench-codecs`; here only the bytes count.

use std::path::Path;

use wiredyno_testkit::foreign::{Build, Program, cyclone, lcm_gen, plain_netstrings, roscpp};

use crate::stand;

const PAYLOADS: [&str; 2] = ["vehicle-data", "laser-scan"];

/// Few calls: only the bytes are compared.
const CALLS: u64 = 1_000;

/// Builds the program for each payload and gives it the first messages.
fn each(codec: &str, build: Build) {
    for name in PAYLOADS {
        for subject in stand::over(name, codec) {
            let values = stand::values(subject, false);
            let folder = stand::folder();
            let mut program: Option<Program> = None;
            for bytes in subject.encoded(codec, &values[..values.len().min(5)]) {
                // Compiled once, run with one message at a time.
                let program = match &mut program {
                    Some(program) => program,
                    None => program.insert(
                        build(&subject.payload, folder.path(), &bytes)
                            .unwrap_or_else(|error| panic!("{error}")),
                    ),
                };
                program.give(&bytes);
                let times =
                    program.time(CALLS).unwrap_or_else(|error| panic!("{codec} over {name}: {error}"));
                assert_eq!(times.bytes, bytes.len(), "{codec} over {name}");
            }
        }
    }
}

fn c_from_lcm_gen_writes_the_same_bytes() {
    each("lcm/wiredyno", lcm_gen);
}

fn roscpp_writes_the_same_bytes() {
    each("ros1/wiredyno", roscpp);
}

fn cyclones_c_writes_the_same_bytes() {
    each("cdr/wiredyno", cyclone);
}

fn a_plain_writer_of_netstrings_writes_the_same_bytes() {
    each("netstrings/wiredyno", plain_netstrings);
}

pub fn tests() -> Vec<libtest_mimic::Trial> {
    let there = |path: &str| Path::new(path).exists();
    let cpp = stand::runs("c++", &["--version"]);
    let missing = |there: bool, what: &'static str| if there { None } else { Some(what) };
    vec![
        stand::test(
            "c_from_lcm_gen_writes_the_same_bytes",
            missing(
                there("/usr/include/lcm/lcm_coretypes.h") && stand::runs("lcm-gen", &["--version"]),
                "no lcm-gen or LCM headers: apt-get install liblcm-bin liblcm-dev",
            ),
            c_from_lcm_gen_writes_the_same_bytes,
        ),
        stand::test(
            "roscpp_writes_the_same_bytes",
            missing(
                cpp && there("/usr/include/ros/serialization.h") && there("/usr/lib/gencpp/gen_cpp.py"),
                "no roscpp or gencpp: apt-get install g++ libroscpp-core-dev python3-gencpp",
            ),
            roscpp_writes_the_same_bytes,
        ),
        stand::test(
            "cyclones_c_writes_the_same_bytes",
            missing(
                there("/usr/include/dds/ddsi/ddsi_cdrstream.h") && stand::runs("idlc", &["-v"]),
                "no idlc or Cyclone headers: apt-get install cyclonedds-tools cyclonedds-dev",
            ),
            cyclones_c_writes_the_same_bytes,
        ),
        stand::test(
            "a_plain_writer_of_netstrings_writes_the_same_bytes",
            missing(cpp, "no C++ compiler: apt-get install g++"),
            a_plain_writer_of_netstrings_writes_the_same_bytes,
        ),
    ]
}

//! The foreign serializers in oracles/robots: generated, compiled, and given our bytes, which they must write again.
//!
//! The times that they print are for `make bench-codecs`; here only the bytes count.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use wiredyno_schema::Definition;
use wiredyno_schema::idl::{Idl, Lcm, OmgIdl, RosMsg};

use crate::stand;

/// Payload and its root message.
const PAYLOADS: [(&str, &str); 2] = [("vehicle-data", "VehicleData"), ("laser-scan", "LaserScan")];

/// Few: the bytes are compared, the times are not.
const CALLS: &str = "1000";

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("oracles/robots")
}

/// Runs a command in a folder.
fn run(folder: &Path, program: &str, arguments: &[&str]) {
    let status =
        Command::new(program).args(arguments).current_dir(folder).stdout(Stdio::null()).status().unwrap();
    assert!(status.success(), "{program} {arguments:?} in {}", folder.display());
}

/// Feeds the program the first random samples and reads the sizes that it prints.
fn feed(program: &Path, payload: &str, codec: &str) {
    let payload = stand::payloads().into_iter().find(|known| known.entry().name == payload).unwrap();
    let bound = stand::bound(&payload, codec, false).unwrap();
    for sample in 0..bound.sample_count().min(5) {
        let bytes = bound.encoded_sample(sample).unwrap();
        let mut child =
            Command::new(program).arg(CALLS).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(format!("{}\n", hex::encode(bytes)).as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{codec} over {}", payload.id());
        let times: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(times["bytes"], bytes.len(), "{times}");
        assert!(times["encode_ns"].as_f64().unwrap() > 0.0 && times["decode_ns"].as_f64().unwrap() > 0.0);
        if sample == 0 {
            println!("{codec} over {}: {times}", payload.id());
        }
    }
}

/// Calls `build` with a folder of its own, the definition, the root's name and the path to build to, then feeds it.
fn each(codec: &str, build: impl Fn(&Path, &Definition, &str, &Path)) {
    for (payload, root) in PAYLOADS {
        let Some(found) = stand::payloads().into_iter().find(|known| known.entry().name == payload) else {
            // Builds with WIREDYNO_PAYLOADS leave payloads out.
            continue;
        };
        let name = format!("wiredyno-{}-{payload}-{}", codec.replace('/', "-"), std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let definition = Definition::from_source(found.entry().proto, payload).unwrap();
        let program = folder.join("program");
        build(&folder, &definition, root, &program);
        feed(&program, payload, codec);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

/// Compiles one of the programs.
fn compile(folder: &Path, compiler: &str, source: &str, rest: &[&str]) {
    let (source, include) = (sources().join(source), format!("-I{}", sources().display()));
    let mut arguments = vec!["-O3", "-o", "program", "-I.", &include, source.to_str().unwrap()];
    arguments.extend(rest);
    run(folder, compiler, &arguments);
}

fn c_from_lcm_gen_writes_the_same_bytes() {
    each("lcm/wiredyno", |folder, definition, root, _| {
        std::fs::write(folder.join("payload.lcm"), Lcm.lower(definition).unwrap().text).unwrap();
        run(folder, "lcm-gen", &["-c", "--c-cpath", ".", "--c-hpath", ".", "payload.lcm"]);
        let generated: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".c"))
            .collect();
        let (ty, header) = (format!("-DTYPE=wiredyno_{root}"), format!("-DHEADER=\"wiredyno_{root}.h\""));
        let mut rest = vec![ty.as_str(), header.as_str()];
        rest.extend(generated.iter().map(String::as_str));
        rest.push("-llcm");
        compile(folder, "cc", "lcm.c", &rest);
    });
}

fn roscpp_writes_the_same_bytes() {
    each("ros1/wiredyno", |folder, definition, root, _| {
        let text = RosMsg.lower(definition).unwrap().text;
        let separator = format!("{}\nMSG: wiredyno/", "=".repeat(80));
        for (at, part) in text.split(&separator).enumerate() {
            let (name, body) = if at == 0 { (root, part) } else { part.split_once('\n').unwrap() };
            let file = format!("{name}.msg");
            std::fs::write(folder.join(&file), body).unwrap();
        }
        let messages = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".msg"))
            .collect::<Vec<_>>();
        let own = format!("wiredyno:{}", folder.display());
        for message in messages {
            let arguments = [
                "/usr/lib/gencpp/gen_cpp.py",
                "-p",
                "wiredyno",
                "-o",
                "wiredyno",
                "-e",
                "/usr/share/gencpp",
                "-I",
                &own,
                &message,
            ];
            run(folder, "/usr/bin/python3", &arguments);
        }
        let (ty, header) = (format!("-DTYPE={root}"), format!("-DHEADER=\"wiredyno/{root}.h\""));
        compile(folder, "c++", "ros.cpp", &[&ty, &header, "-lroscpp_serialization", "-lrostime"]);
    });
}

fn cyclones_c_writes_the_same_bytes() {
    each("cdr/wiredyno", |folder, definition, root, _| {
        std::fs::write(folder.join("payload.idl"), OmgIdl.lower(definition).unwrap().text).unwrap();
        run(folder, "idlc", &["-l", "c", "payload.idl"]);
        let ty = format!("-DTYPE=wiredyno_{root}");
        compile(folder, "cc", "cdr.c", &[&ty, "-DHEADER=\"payload.h\"", "payload.c", "-lddsc"]);
    });
}

fn a_plain_writer_of_netstrings_writes_the_same_bytes() {
    each("netstrings/wiredyno", |folder, _, root, _| {
        compile(folder, "c++", "netstrings.cpp", &[&format!("-DTYPE={root}")]);
    });
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

//! Packs, as users make them and take them to other machines.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::stand::{Desk, Said, TINY, array, said, wiredyno};

/// The study of a few seconds, with a payload and a link of its own.
fn study() -> String {
    let axes = TINY
        .replace("\"person\"", "\"traveller\"")
        .replace("mode = [", "link = [\"loopback\", \"bumpy\"]\nmode = [");
    let modes = axes.replace("[\"udp\", \"tcp\", \"mqtt:qos0\", \"mqtt:qos1\", \"mqtt:qos2\"]", "[\"tcp\"]");
    let why = modes.replace("Does the whole path work?", "Does a pack run where nothing can be compiled?");
    why.replace("name = \"tiny\"", "name = \"carried\"").replace("repeats = 2", "repeats = 1")
}

/// A desk with a study of its own payload and its own link, which has a trace. The payload has the definition of `person`, so
/// its runner exists.
fn desk() -> Desk {
    let desk = Desk::for_runs();
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    fs::create_dir_all(desk.file("traveller")).unwrap();
    for file in fs::read_dir(project.join("payloads/person")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), desk.file("traveller").join(file.file_name())).unwrap();
    }
    fs::create_dir_all(desk.file("links")).unwrap();
    fs::write(desk.file("links/drive.csv"), "second,bits_per_s\n0,8000000\n1,4000000\n").unwrap();
    let link = "about = 'a drive'\nsource = 'made up'\n[up]\nrate_floor = '8kbit'\n[up.trace]\nfile = 'drive.csv'\n[down]\n";
    fs::write(desk.file("links/bumpy.toml"), link).unwrap();
    fs::write(desk.file("carried.toml"), study()).unwrap();
    // From here on the name means the folder.
    desk.wiredyno(&["build", "./traveller", "--codec", "json/serde-json,protobuf/prost"]).well();
    desk
}

/// The pack's launcher with an empty cache, without cargo and, where it can be taken away, without a network.
fn elsewhere(desk: &Desk, arguments: &[&str]) -> Said {
    let script = format!("ip link set lo up 2>/dev/null; exec pack/wiredyno {}", arguments.join(" "));
    let can_unshare =
        Command::new("unshare").args(["-rn", "true"]).status().is_ok_and(|status| status.success());
    let mut command = if can_unshare {
        let mut command = Command::new("unshare");
        command.args(["-rn", "sh", "-c", &script]);
        command
    } else {
        let mut command = Command::new("sh");
        command.args(["-c", &script]);
        command
    };
    command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("HOME", desk.file("home"));
    said(command.current_dir(desk.path()))
}

#[test]
fn a_pack_runs_without_compiler_network_or_the_files_it_was_made_of() {
    let desk = desk();
    let told = desk.wiredyno(&["pack", "carried.toml", "-o", "made/pack"]).well();
    assert!(told.contains("carried with 1 runner") && told.contains("glibc 2."), "{told}");
    // It must not depend on where it was made.
    fs::rename(desk.file("made/pack"), desk.file("pack")).unwrap();
    for gone in
        ["carried.toml", "tiny.toml", "links/drive.csv", "links/bumpy.toml", "traveller/message.proto"]
    {
        fs::remove_file(desk.file(gone)).unwrap();
    }
    let mut sums = Command::new("sha256sum");
    said(sums.args(["-c", "--quiet", "SHA256SUMS"]).current_dir(desk.file("pack"))).well();
    let listed = elsewhere(&desk, &["list", "studies"]).well();
    assert!(listed.contains("Does a pack run where nothing can be compiled?"), "{listed}");
    elsewhere(&desk, &["run", "carried", "--out", "r"]).well();
    let summary = desk.summary("r");
    let builds = array(&summary["environment"]["builds"]);
    let key = builds[0]["build"].as_str().unwrap();
    assert!(desk.file("pack/runners").join(key).join("runner").is_file(), "{key}");
    assert!(!desk.file("home/.cache/wiredyno/runners").exists());
    assert!(array(&summary["codecs"]).iter().all(|codec| codec["outcomes"]["complete"] == 1), "{summary}");
    let loopback = array(&summary["cells"]).iter().filter(|cell| cell["axes"]["link"] == "loopback");
    assert!(loopback.into_iter().all(|cell| cell["delivery"]["delivered"] == 5), "{summary}");

    let refused =
        elsewhere(&desk, &["encode", "--payload", "small", "--codec", "json/serde-json"]).refused(1);
    assert!(refused.contains("it was packed for carried") && refused.contains("rustup"), "{refused}");
    let runner = desk.file("pack/runners").join(key).join("runner");
    let mut bytes = fs::read(&runner).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&runner, bytes).unwrap();
    let refused = elsewhere(&desk, &["run", "carried", "--out", "again"]).refused(1);
    assert!(refused.contains("differs from what was packed: unpack it again"), "{refused}");
    assert!(!desk.file("again").exists());
}

#[test]
fn a_machine_without_what_a_pack_needs_is_told_so_before_anything_starts() {
    let desk = Desk::for_runs();
    fs::write(desk.file("tiny-codecs.toml"), TINY_CODECS).unwrap();
    desk.wiredyno(&["pack", "tiny-codecs.toml", "-o", "pack"]).well();
    let launcher = fs::read_to_string(desk.file("pack/wiredyno")).unwrap();
    let with = |name: &str, value: &str| {
        let line = launcher.lines().find(|line| line.starts_with(name)).unwrap();
        fs::write(desk.file("pack/wiredyno"), launcher.replace(line, &format!("{name}='{value}'"))).unwrap();
        elsewhere(&desk, &["list"]).refused(1)
    };
    let told = with("needs_glibc", "2.999");
    assert!(told.contains("needs glibc 2.999 or newer, and this machine has 2."), "{told}");
    let told = with("needs_cpu", "sse9");
    assert!(told.contains("compiled for CPUs with sse9, which this one lacks"), "{told}");
    let told = with("needs_architecture", "vax");
    assert!(told.contains("is for vax, and this machine is "), "{told}");
    // Versions compare as numbers, not as texts.
    fs::write(desk.file("pack/wiredyno"), launcher.replace("needs_glibc='2.", "needs_glibc='1.9")).unwrap();
    elsewhere(&desk, &["list", "links"]).well();
}

const TINY_CODECS: &str =
    "name = 'tiny-codecs'\nwhy = '?'\naxes.payload = ['person']\naxes.codec = ['json/serde-json']\n";

#[test]
fn what_cannot_be_packed_is_refused_and_leaves_nothing() {
    let desk = Desk::new();
    let refused = desk.wiredyno(&["pack", "languages", "-o", "pack"]).refused(1);
    assert!(
        refused.contains(
            "can't be packed: it measures codecs of the runner `java` and the runner `python`, which need"
        ),
        "{refused}"
    );
    let refused = desk.wiredyno(&["pack", "demoo", "-o", "pack"]).refused(2);
    assert!(refused.contains("did you mean `demo`?"), "{refused}");
    let refused = desk.wiredyno(&["pack", "-o", "pack"]).refused(2);
    assert!(refused.contains("name a study to pack"), "{refused}");
    assert!(!desk.file("pack").exists());
    fs::create_dir(desk.file("there")).unwrap();
    let refused = desk.wiredyno(&["pack", "demo", "-o", "there"]).refused(1);
    assert!(refused.contains("there exists: name another folder"), "{refused}");
    assert!(wiredyno(&["pack", "--help"]).well().contains("--without-broker"));
}

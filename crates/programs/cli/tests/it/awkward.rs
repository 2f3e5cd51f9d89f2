//! Definitions with awkward names, compiled with every codec: what `size` reports without a compiler matches what `build` and `encode` do.

use std::collections::BTreeSet;

use crate::stand::{Desk, array, full, number};

#[path = "../../../../definitions/dynamic/tests/libraries/awkward.rs"]
#[allow(dead_code, reason = "documents are the other suite's")]
mod definitions;

#[test]
fn sizes_and_builds_of_awkward_definitions_agree() {
    // Minutes of compiling.
    if !full() {
        return;
    }
    for seed in 0..6 {
        let desk = Desk::new();
        let source = definitions::proto(&mut definitions::Draw(seed));
        std::fs::create_dir_all(desk.file("awkward")).unwrap();
        std::fs::write(desk.file("awkward/message.proto"), &source).unwrap();
        desk.wiredyno(&["new", "invented", "--from", "awkward/message.proto"]).well();
        std::fs::copy(desk.file("invented/samples.jsonl"), desk.file("awkward/samples.jsonl")).unwrap();
        let sizes = desk.wiredyno(&["size", "awkward", "--json"]).json();
        let refused: BTreeSet<&str> =
            array(&sizes["refused"]).iter().map(|one| one["id"].as_str().unwrap()).collect();
        let built = desk.wiredyno(&["build", "awkward"]).well();
        for line in built.lines().filter_map(|line| line.trim().strip_prefix("left out: ")) {
            let codec = line.split(": ").next().unwrap();
            let id = codec.trim_end_matches(':');
            assert!(refused.contains(id) || line.contains("protoc"), "seed {seed}: {line}\n{source}");
        }
        for one in array(&sizes["codecs"]) {
            let id = one["id"].as_str().unwrap();
            if built.contains(&format!("left out: {id}:")) {
                continue;
            }
            let encode = ["encode", "--payload", "awkward", "--codec", id, "--sample", "0", "--hex"];
            let bytes = desk.wiredyno(&encode).well().trim().len() as u64 / 2;
            let [least, most] = ["min_bytes", "max_bytes"].map(|key| number(&one["plain"], key));
            assert!(
                (least..=most).contains(&bytes),
                "seed {seed}, {id}: {bytes} of {least} to {most}\n{source}"
            );
        }
    }
}

//! What the Makefile reads from declarations, through `scripts/needs`, equals what the registries declare.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use wiredyno_contract::{Need, NeedKind};

fn script(verb: &str) -> Command {
    let mut command = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../scripts/needs"));
    command.arg(verb);
    command
}

fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Each package's needs, with their role.
fn declared() -> Vec<(&'static str, &'static str, &'static Need)> {
    let codecs = wiredyno_codec_registry::REGISTRY.iter();
    let codecs = codecs.flat_map(|codec| codec.needs.iter().map(|need| (codec.package, "needs", need)));
    let transports = wiredyno_transport_registry::REGISTRY.iter().flat_map(|transport| {
        let needs = transport.needs.iter().map(|need| (transport.package, "needs", need));
        needs.chain(transport.encrypts_with.iter().map(|need| (transport.package, "encrypts_with", need)))
    });
    codecs.chain(transports).collect()
}

fn line((package, role, need): (&str, &str, &Need)) -> String {
    let kind = match need.kind {
        NeedKind::Library => "library",
        NeedKind::Header => "header",
        NeedKind::Program => "program",
    };
    let debian = need.debian.join(" ");
    let fields = [need.version.word(), &debian, need.maven.unwrap_or(""), need.named_by.unwrap_or("")];
    let fields = fields.map(|field| if field.is_empty() { "-" } else { field });
    format!("{package}\t{role}\t{kind}\t{}\t{}", need.name, fields.join("\t"))
}

#[test]
fn the_script_lists_what_the_registries_have() {
    let listed: BTreeSet<String> = said(&mut script("list")).lines().map(str::to_owned).collect();
    let declared: BTreeSet<String> = declared().into_iter().map(line).collect();
    assert!(declared.len() >= 4, "{declared:?}");
    assert_eq!(listed, declared, "is a need written in another form than scripts/needs reads?");
}

#[test]
fn packages_whose_library_is_missing_are_left_out_and_are_not_tested_with_encryption() {
    let folder = tempfile::tempdir().unwrap();
    let knows_nothing = folder.path().join("pkg-config");
    std::fs::write(&knows_nothing, "#!/bin/sh\nexit 1\n").unwrap();
    std::fs::set_permissions(&knows_nothing, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let libraries = declared().into_iter();
    let libraries = libraries.filter(|(_, role, need)| *role == "needs" && need.kind == NeedKind::Library);
    let expected: BTreeSet<String> = libraries.map(|(package, ..)| package.to_owned()).collect();
    let without = said(script("without").env("PATH", &path));
    let without = without.split_whitespace().filter(|word| *word != "--exclude").map(str::to_owned);
    assert_eq!(without.collect::<BTreeSet<_>>(), expected);
    assert_eq!(said(script("encrypted").env("PATH", &path)).trim(), "");
}

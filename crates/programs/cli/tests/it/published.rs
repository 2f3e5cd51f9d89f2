//! docs/SUPPORTED.md matches the program's output.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::stand::{self, Desk};
use serde_json::Value;
use wiredyno_contract::TransportSetting;

const BEGIN: &str = "<!-- supported:begin -->\n";
const END: &str = "<!-- supported:end -->";

fn in_project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").join(path)
}

/// Standard output of the program, run in its own folder and with its own cache, so that it finds only bundled
/// files.
fn wiredyno(arguments: &[&str]) -> String {
    let desk = Desk::new();
    stand::said(desk.command(arguments).env(stand::CACHE, desk.file("cache"))).well()
}

fn list(what: &str) -> Vec<Value> {
    serde_json::from_str(&wiredyno(&["list", what, "--json"])).unwrap()
}

fn text<'a>(entry: &'a Value, key: &str) -> &'a str {
    entry[key].as_str().unwrap_or_default()
}

fn words(entry: &Value, key: &str) -> String {
    let items = entry[key].as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
}

fn library(entry: &Value) -> String {
    format!("{} {}", text(entry, "library"), text(entry, "version"))
}

/// The library of a codec, with the language unless that is Rust. A library that comes with the language has its version, which
/// differs from machine to machine, as does that of a library in C or C++.
fn codec_library(codec: &Value) -> String {
    let runner = text(codec, "runner");
    // The machine's.
    if let Some(language) = codec["language"].as_str() {
        return format!("{} in {}", text(codec, "library"), language.to_uppercase());
    }
    match list("runners").iter().find(|entry| text(entry, "id") == runner) {
        Some(language) if runner != "rust" => {
            let with_language = language["version"] == codec["version"];
            let library = if with_language { text(codec, "library").to_owned() } else { library(codec) };
            format!("{library} in {}", text(language, "language"))
        }
        _ => library(codec),
    }
}

/// A heading, and a row of cells for every entry of `wiredyno list`.
type Listed = (&'static str, [&'static str; 3], fn(&Value) -> [String; 3]);

const LISTS: [Listed; 6] = [
    ("codecs", ["codec", "library", "properties"], |codec| {
        [format!("`{}`", text(codec, "id")), codec_library(codec), words(codec, "capabilities")]
    }),
    ("protocols", ["protocol: modes", "client", "a message counts as received at"], |protocol| {
        let modes = format!("`{}`", words(protocol, "modes").replace(", ", "`, `"));
        [modes, library(protocol), text(protocol, "received_at").to_owned()]
    }),
    ("brokers", ["broker", "for", "what"], |broker| {
        [format!("`{}`", text(broker, "id")), words(broker, "protocols"), text(broker, "about").to_owned()]
    }),
    ("payloads", ["payload", "samples", "what"], |payload| {
        let sized = if payload["sized"] == true { "@SIZE" } else { "" };
        let id = format!("`{}{sized}`", text(payload, "name"));
        [id, payload["samples"].to_string(), text(payload, "about").to_owned()]
    }),
    ("links", ["link", "mean round trip", "what"], |link| {
        let round_trip_ms = link["mean_round_trip_ns"].as_f64().unwrap_or(f64::NAN) / 1e6;
        [format!("`{}`", text(link, "id")), format!("{round_trip_ms} ms"), text(link, "about").to_owned()]
    }),
    ("studies", ["study", "links", "question"], |study| {
        let links = words(&study["axes"], "link");
        [format!("`{}`", text(study, "id")), links, text(study, "why").to_owned()]
    }),
];

fn table() -> String {
    let mut out = String::new();
    for (what, heading, row) in LISTS {
        let title = format!("{}{}", what[..1].to_uppercase(), &what[1..]);
        writeln!(out, "\n## {title}\n\n| {} |\n|---|---|---|", heading.join(" | ")).unwrap();
        for entry in list(what) {
            writeln!(out, "| {} |", row(&entry).join(" | ")).unwrap();
        }
        if what == "protocols" {
            out += &clients_of_folders();
        }
    }
    out + "\n"
}

/// The clients of runners that are folders.
fn clients_of_folders() -> String {
    let mut out = "\n## Clients in other languages\n\n| protocol: modes | client | a message counts as received at |\n|---|---|---|\n".to_owned();
    for folder in wiredyno_languages::all().unwrap() {
        for client in &folder.declared.transports {
            let mode = |setting: &TransportSetting| format!("`{}:{}`", client.id.protocol, setting.name);
            let modes = client.settings.iter().map(mode).collect::<Vec<_>>().join(", ");
            let library = format!("{} {} in {}", client.library, client.version, folder.declared.language);
            writeln!(out, "| {modes} | {library} | {} |", client.received_at).unwrap();
        }
    }
    out
}

#[test]
fn what_is_supported_is_what_the_registries_hold() {
    let path = in_project("docs/SUPPORTED.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (written, after) = rest.split_once(END).unwrap();
    let table = table();
    if std::env::var_os("WIREDYNO_UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
        return;
    }
    assert!(
        written == table,
        "docs/SUPPORTED.md is not what `wiredyno list` says: run with WIREDYNO_UPDATE_SNAPSHOTS=1\n{table}"
    );
}

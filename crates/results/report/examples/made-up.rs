//! Writes the reports of the made-up summaries of the tests, for work on the front end:
//! `cargo run --release -p wiredyno-report --example made-up -- FOLDER`.

#![allow(clippy::unwrap_used, reason = "the made-up summaries belong to tests, which may panic")]

#[path = "../tests/made_up/mod.rs"]
mod made_up;

use std::path::PathBuf;

use wiredyno_report::{Format, render, terminal};

fn main() {
    let folder: PathBuf = std::env::args_os().nth(1).unwrap_or_else(|| ".".into()).into();
    for (name, summary) in made_up::studies::all() {
        let path = folder.join(name);
        std::fs::write(path.with_extension("html"), render(&summary, Format::Html).unwrap()).unwrap();
        std::fs::write(path.with_extension("md"), render(&summary, Format::Markdown).unwrap()).unwrap();
        std::fs::write(path.with_extension("txt"), terminal(&summary, 100)).unwrap();
        println!("{}.html, .md, .txt", path.display());
    }
}

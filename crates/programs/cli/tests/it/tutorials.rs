//! The commands of docs/tutorials, as a reader types them: one tutorial after the other, in an empty folder.

use std::path::Path;
use std::process::Command;

use crate::stand::{self, Desk};

/// The exit codes allowed on a machine that is busy with other tests: done, all trials of a cell invalid, something differs,
/// can't tell, not decided. Anything else is a fault of the tutorial or the program.
const ENDINGS: [i32; 5] = [0, 3, 10, 11, 12];

/// A fenced block: the word after the fence, and the content.
fn blocks(text: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(about) = line.strip_prefix("```") {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            all.push((about.to_owned(), body.join("\n") + "\n"));
        }
    }
    all
}

/// A command as it is typed; in the quick form, a run with one trial a cell, which is valid on a busy machine too.
fn hastened(line: &str) -> String {
    if stand::full() || !line.contains("wiredyno run ") || line.contains("--dry-run") {
        return line.to_owned();
    }
    let repeats = if line.contains("trials.repeats=") { "" } else { " --set trials.repeats=1" };
    format!("{line}{repeats} {}", stand::any_machine().join(" "))
}

#[test]
fn every_command_of_the_tutorials_does_what_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/tutorials");
    let mut tutorials: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    tutorials.sort();
    assert_eq!(tutorials.len(), 3);
    stand::provide();
    let desk = Desk::new();
    let program = Path::new(stand::PROGRAM).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let links = stand::said(&mut desk.command(&["doctor"])).well().contains("here     emulated link");
    let (mut run, mut left_out) = (0, 0);
    for (about, body) in tutorials.iter().flat_map(|file| blocks(&std::fs::read_to_string(file).unwrap())) {
        if let Some((_, file)) = about.split_once("file=") {
            let file = desk.file(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, body).unwrap();
            continue;
        }
        assert_eq!(about, "sh", "a block is a file, or commands for the shell");
        for line in body.lines() {
            if !links && (line.contains(" run ") || line.contains(" link exec ") || line.contains("first")) {
                left_out += 1;
                continue;
            }
            let mut shell = Command::new("sh");
            shell.args(["-c", &hastened(line)]).env("PATH", &path).current_dir(desk.path());
            let output = shell.env(stand::CACHE, stand::HOME).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.code().is_some_and(|code| ENDINGS.contains(&code)), "{line}\n{said}");
            run += 1;
        }
    }
    println!("{run} commands run, {left_out} left out for want of a link");
    assert!(run > 5);
    if links {
        for made in [
            "first/report.html",
            "trips/message.proto",
            "trips-over-lte/summary.json",
            "satellite/report.html",
        ] {
            assert!(desk.file(made).is_file(), "{made}");
        }
        assert!(std::fs::read_dir(desk.file("packets/captures")).unwrap().count() > 0);
    }
}

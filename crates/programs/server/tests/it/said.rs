//! Sixty recorded runs of many shapes: the page, the lists, the API and the command line say the same sentences and numbers about each.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use wiredyno_model::summary::Summary;

use crate::answered::shapes::shapes;
use crate::made_up::studies;
use crate::stand::Server;

/// Of the shapes of messages, these: the others differ from them in their numbers alone.
const SHAPES: usize = 48;

/// The shapes of messages, then those of whole studies: searches, fan-out, security, codecs alone, overload, claims.
fn recorded() -> Vec<(String, Summary)> {
    let studies = studies::all().into_iter().map(|(name, run)| (name.to_owned(), run));
    let mut runs: Vec<(String, Summary)> = shapes().into_iter().take(SHAPES).chain(studies).collect();
    for (place, (_, run)) in runs.iter_mut().enumerate() {
        run.run.id = format!("run-{place:02}");
    }
    runs
}

/// The program of the command line, which stands beside the server.
fn wiredyno(runs: &Path, arguments: &[&str]) -> Output {
    let server = PathBuf::from(env!("CARGO_BIN_EXE_wiredyno-server"));
    let mut command = Command::new(server.with_file_name("wiredyno"));
    command.args(arguments).current_dir(runs).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Text without blanks, which the formats set differently.
fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn of_html(html: &str) -> String {
    let mut text = String::new();
    for part in html.split('<') {
        text.push_str(part.split_once('>').map_or(part, |(_, after)| after));
    }
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    bare(&entities.into_iter().fold(text, |text, (entity, is)| text.replace(entity, is)))
}

/// Markdown without emphasis and escapes.
fn of_markdown(text: &str) -> String {
    let text = bare(text).replace("**", "");
    let mut plain = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        plain.extend(if character == '\\' { characters.next() } else { Some(character) });
    }
    plain
}

/// What stands between two marks, each time.
fn between<'t>(text: &'t str, begin: &'static str, end: &'static str) -> impl Iterator<Item = &'t str> {
    text.split(begin).skip(1).filter_map(move |part| part.split(end).next())
}

/// Every sentence and every cell of an answer's Markdown stands on its page.
fn check_page(of: &str, page: &str, text: &str) {
    let shown = of_html(page);
    for line in text.lines().skip(1).filter(|line| !line.starts_with("|--") && !line.starts_with("| --")) {
        for piece in line.trim_start_matches("- ").replace("\\|", "\u{0}").split('|') {
            let piece = of_markdown(&piece.replace('\u{0}', "\\|"));
            let is_rule = piece.chars().all(|c| matches!(c, '-' | ':'));
            assert!(is_rule || shown.contains(&piece), "{of}: {piece:?} of {line:?} is not in {shown}");
        }
    }
}

/// The JSON of an answer without what only the API adds.
fn without_texts(mut answer: Value) -> Value {
    for name in ["text", "page", "weighed"] {
        answer.as_object_mut().unwrap().remove(name);
    }
    answer
}

/// An answer that the API and the command line give to the same question.
fn check_answer(of: &str, server: &Server, path: &str, runs: &Path, arguments: &[&str]) {
    let answer = server.get(path);
    let json = wiredyno(runs, &[arguments, &["--json"]].concat());
    if json.status.code() == Some(2) {
        assert_eq!(answer.status, 400, "{of}: {arguments:?}");
        let message = answer.json()["error"]["message"].as_str().unwrap().to_owned();
        let error = String::from_utf8_lossy(&json.stderr).into_owned();
        assert!(bare(&error).contains(&bare(&message)), "{of}: {message:?} and {error:?}");
        return;
    }
    assert!(matches!(json.status.code(), Some(0 | 10 | 11 | 12)), "{of}: {json:?}");
    let whole = answer.expect(200);
    let told: Value = serde_json::from_str(&said(&json)).unwrap();
    let text = whole["text"].as_str().unwrap().to_owned();
    assert_eq!(
        said(&wiredyno(runs, &[arguments, &["--format", "md"]].concat())),
        text,
        "{of}: {arguments:?}"
    );
    check_page(of, whole["page"].as_str().unwrap(), &text);
    assert_eq!(without_texts(whole), told, "{of}: {arguments:?}");
}

/// The first screen on the page, in the file, in lists and in text.
fn check_report(of: &str, server: &Server, entry: &Value, runs: &Path, id: &str) {
    let page = server.get(&format!("/api/runs/{id}/page")).expect(200);
    let first = page["sections"][0]["html"].as_str().unwrap();
    assert!(page["sections"][0]["id"] == "answer", "{of}: begins with {first}");
    let file = server.get(&format!("/api/runs/{id}/report")).text();
    let sections = page["sections"].as_array().unwrap();
    for section in sections {
        let html = section["html"].as_str().unwrap();
        assert!(file.contains(html), "{of}: the file lacks {}", section["id"]);
    }
    let text = of_markdown(&said(&wiredyno(runs, &["report", id, "--format", "md"])));
    let block = between(first, "<div class=\"answer\">", "</div>").next().unwrap();
    let sentences: Vec<String> = between(block, "<p>", "</p>").map(of_html).collect();
    assert!(!sentences.is_empty() && sentences.iter().all(|one| !one.is_empty()), "{of}: {first}");
    for sentence in &sentences {
        assert!(text.contains(sentence), "{of}: {sentence:?} is not in {text}");
    }
    assert_eq!(bare(entry["answer"].as_str().unwrap()), sentences.concat(), "{of}");
    let badge = of_html(between(first, "<summary>", "</summary>").next().unwrap());
    let listed = [&entry["fitness"], &entry["sure"]].map(|part| bare(part.as_str().unwrap()));
    assert_eq!(listed.concat(), badge, "{of}");
    for figure in between(first, "<span class=\"figure\">", "</span>").map(of_html) {
        assert!(text.contains(&figure), "{of}: {figure:?} is not in the text");
    }
    let table = server.get(&format!("/api/runs/{id}/figures?format=csv")).text();
    assert_eq!(table, said(&wiredyno(runs, &["report", id, "--format", "csv"])), "{of}");
}

#[test]
fn page_api_and_command_line_say_the_same_about_runs_of_every_shape() {
    let data = tempfile::tempdir().unwrap();
    let runs = data.path().join("runs");
    let recorded = recorded();
    assert!(recorded.len() > 60);
    for (_, run) in &recorded {
        let folder = runs.join(&run.run.id);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("summary.json"), serde_json::to_vec(run).unwrap()).unwrap();
    }
    let server = Server::start(data.path(), &[]);
    let listed = server.get("/api/runs").expect(200)["runs"].as_array().unwrap().clone();
    assert_eq!(listed.len(), recorded.len(), "every run is listed");
    let mut before = recorded.last().unwrap().1.run.id.clone();
    for (name, run) in &recorded {
        let id = run.run.id.as_str();
        let of = format!("{id}, {name}");
        let entry = listed.iter().find(|entry| entry["id"] == id).unwrap();
        check_report(&of, &server, entry, &runs, id);
        check_answer(&of, &server, &format!("/api/runs/{id}/recommend"), &runs, &["recommend", id]);
        let path = format!("/api/compare?base={before}&new={id}");
        check_answer(&of, &server, &path, &runs, &["compare", &before, id]);
        id.clone_into(&mut before);
    }
}

//! Answers through the program: exit codes of `compare`, `recommend` and thresholds, and the workflow of docs/ANSWERS.md.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::stand::{CACHE, Desk, HOME, Said, TINY, array, said};

const NO_DIFFERENCE: Option<i32> = Some(0);
const DIFFERENCE: Option<i32> = Some(10);
const CANT_TELL: Option<i32> = Some(11);
const NOT_DECIDED: Option<i32> = Some(12);

/// The machine's load is irrelevant here.
fn limits() -> &'static str {
    &TINY[TINY.find("[limits]").unwrap()..]
}

/// A study of two codecs without messages.
fn study(repeats: u32, thresholds: &str) -> String {
    format!(
        r#"
name = "two-codecs"
why = "Which body is smaller?"
[axes]
payload = ["person"]
codec = ["json/serde-json", "protobuf/prost"]
[trials]
repeats = {repeats}
[codec_trials]
batch_time = "100us"
batches = 5
{}
{thresholds}
"#,
        limits()
    )
}

/// A desk with a run of that study in `r`, and the run's result.
fn ran(repeats: u32, thresholds: &str) -> (Desk, Said) {
    let desk = Desk::for_runs();
    std::fs::write(desk.file("study.toml"), study(repeats, thresholds)).unwrap();
    let said = desk.wiredyno(&["run", "study.toml", "--out", "r", "--junit", "junit.xml"]);
    (desk, said)
}

#[test]
fn compare_says_by_its_exit_code_whether_something_differs() {
    let (desk, run) = ran(5, "");
    run.well();
    let compare = |arguments: &[&str]| desk.wiredyno(&[&["compare", "r"], arguments].concat());
    let same = compare(&["r", "--metric", "body"]);
    assert_eq!(same.code, NO_DIFFERENCE, "{}{}", same.out, same.err);
    assert!(same.out.contains("it is the same run twice"), "{}", same.out);
    let codecs = ["--per", "codec=json/serde-json,protobuf/prost", "--metric", "body"];
    let differ = compare(&codecs);
    assert_eq!(differ.code, DIFFERENCE, "{}{}", differ.out, differ.err);
    // 33 of 84 bytes.
    assert!(differ.out.contains("× 0.393"), "{}", differ.out);
    // A share counts as a factor in both directions: 1 / 0.393 = 2.55.
    let worse = compare(&[&codecs[..], &["--worse-only", "--json"]].concat());
    assert_eq!(worse.code, NO_DIFFERENCE, "{}{}", worse.out, worse.err);
    let json: serde_json::Value = serde_json::from_str(&worse.out).unwrap();
    assert_eq!(json["conclusion"], "no-difference", "{json}");
    let large = compare(&[&codecs[..], &["--least", "150%"]].concat());
    assert_eq!(large.code, DIFFERENCE, "{}{}", large.out, large.err);
    let enough = compare(&[&codecs[..], &["--least", "160%"]].concat());
    assert_eq!(enough.code, NO_DIFFERENCE, "{}{}", enough.out, enough.err);
    let json = compare(&[&codecs[..], &["--format", "json"]].concat());
    assert_eq!(json.code, DIFFERENCE);
    serde_json::from_str::<serde_json::Value>(&json.out).unwrap();
    let markdown = compare(&[&codecs[..], &["--format", "md"]].concat()).out;
    assert!(markdown.lines().any(|line| line.starts_with("| ")), "{markdown}");
    let error = compare(&["--per", "codek=a,b"]).refused(2);
    assert!(error.contains("no axis `codek`"), "{error}");
    let error = compare(&[]).refused(2);
    assert!(error.contains("--per"), "{error}");
    for (wrong, part) in [
        (&["--per", "codec=json/serde-json,no/codec"][..], "no `no/codec` on the axis `codec`"),
        (&["--per", "codec=json/serde-json"], "name a second value"),
        (&["--per", "codec=json/serde-json,protobuf/prost", "--where", "los=0"], "los"),
        (&["r", "--metric", "body.p99"], "only means over trials can be compared"),
    ] {
        let error = compare(wrong).refused(2);
        assert!(error.contains(part), "{wrong:?}: {error}");
    }
}

#[test]
fn one_trial_decides_no_difference_of_times_and_needs_stay_open() {
    let (desk, run) = ran(1, "");
    run.well();
    let compared = desk.wiredyno(&["compare", "r", "r", "--metric", "total"]);
    assert_eq!(compared.code, NOT_DECIDED, "{}{}", compared.out, compared.err);
    let recommended = desk.wiredyno(&["recommend", "r", "--below", "encode=1s"]);
    assert_eq!(recommended.code, NOT_DECIDED, "{}{}", recommended.out, recommended.err);
}

#[test]
fn recommend_names_a_choice_or_says_that_there_is_none() {
    let (desk, run) = ran(5, "");
    run.well();
    let recommend = |arguments: &[&str]| desk.wiredyno(&[&["recommend", "r"], arguments].concat());
    let chosen = recommend(&["--weigh", "bytes=1"]);
    assert_eq!(chosen.code, Some(0), "{}{}", chosen.out, chosen.err);
    assert!(chosen.out.contains("protobuf/prost"), "{}", chosen.out);
    let none = recommend(&["--need", "body=1B"]);
    assert_eq!(none.code, Some(10), "{}{}", none.out, none.err);
    let error = recommend(&["--weigh", "bites=1"]).refused(2);
    assert!(error.contains("bites"), "{error}");
}

#[test]
fn thresholds_decide_the_exit_code_of_a_run_and_stand_in_junit_xml() {
    let kept = "[[threshold]]\nmetric = \"body\"\nbelow = \"1kB\"\n";
    let (desk, run) = ran(5, kept);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    let junit = std::fs::read_to_string(desk.file("junit.xml")).unwrap();
    assert!(junit.contains("tests=\"2\"") && junit.contains("failures=\"0\""), "{junit}");
    let failed =
        format!("{kept}[[threshold]]\nmetric = \"body\"\nwhere = \"codec=json/*\"\nbelow = \"50B\"\n");
    let (desk, run) = ran(5, &failed);
    assert_eq!(run.code, Some(10), "{}{}", run.out, run.err);
    assert!(run.out.contains("json/serde-json"), "{}", run.out);
    let junit = std::fs::read_to_string(desk.file("junit.xml")).unwrap();
    assert!(junit.contains("tests=\"3\"") && junit.contains("failures=\"1\""), "{junit}");
    assert_eq!(array(&desk.summary("r")["thresholds"]).len(), 3);
    // A run to compare with must exist before anything is measured.
    let missing = "[[threshold]]\nmetric = \"body\"\nthan = \"nowhere\"\nworse_by = \"5%\"\n";
    let (desk, run) = ran(5, missing);
    assert_eq!(run.code, Some(1), "{}{}", run.out, run.err);
    assert!(run.err.contains("nowhere") && !desk.file("r").exists(), "{}", run.err);
}

/// `threshold` with a base: its JSON, and what it prints without a run to judge.
#[test]
fn a_run_is_held_against_a_stored_one() {
    let (desk, run) = ran(1, "");
    run.well();
    let threshold = |arguments: &[&str]| desk.wiredyno(&[&["threshold"], arguments].concat());
    let same = threshold(&["r", "--baseline", "r", "--json"]);
    assert_eq!(same.code, NO_DIFFERENCE, "{}{}", same.out, same.err);
    let json: serde_json::Value = serde_json::from_str(&same.out).unwrap();
    assert_eq!((json["verdict"].as_str(), array(&json["results"]).len()), (Some("pass"), 2), "{json}");
    let times = threshold(&["r", "--baseline", "r", "--metric", "total", "--junit", "j.xml"]);
    assert_eq!(times.code, NOT_DECIDED, "{}{}", times.out, times.err);
    let missing = threshold(&["r", "--baseline", "r", "--metric", "latency", "--junit", "j.xml"]);
    assert_eq!(missing.code, CANT_TELL, "{}{}", missing.out, missing.err);
    let junit = std::fs::read_to_string(desk.file("j.xml")).unwrap();
    assert!(junit.contains("<error") && junit.contains("errors=\"1\""), "{junit}");
    let before = threshold(&["--baseline", "r"]);
    assert_eq!(before.code, NO_DIFFERENCE, "{}{}", before.out, before.err);
    assert!(before.out.contains("Repeats of each run: 1."), "{}", before.out);
    threshold(&[]).refused(2);
    let none = threshold(&["r"]).refused(2);
    assert!(none.contains("has no thresholds"), "{none}");
    // Options that would change none of the study's own thresholds.
    let text = std::fs::read_to_string(desk.file("r/summary.json")).unwrap();
    let mut summary: serde_json::Value = serde_json::from_str(&text).unwrap();
    summary["study"]["threshold"] =
        serde_json::json!([{ "metric": "body", "than": "r", "worse_by": "100%" }]);
    std::fs::create_dir(desk.file("own")).unwrap();
    std::fs::write(desk.file("own/summary.json"), summary.to_string()).unwrap();
    for option in [["--worse-by", "1%"], ["--where", "codec=json/*"]] {
        let told = threshold(&["own", "--baseline", "r", option[0], option[1]]).refused(2);
        assert!(told.contains("name what --worse-by and --where are about with --metric"), "{told}");
    }
    threshold(&["own", "--baseline", "r", "--metric", "body", "--worse-by", "1%"]).well();
}

/// An indented block of docs/ANSWERS.md between two marks.
fn block(mark: &str) -> String {
    let text = include_str!("../../../../../docs/ANSWERS.md");
    let (_, rest) = text.split_once(&format!("<!-- {mark}:begin -->")).unwrap();
    let (block, _) = rest.split_once(&format!("<!-- {mark}:end -->")).unwrap();
    block.lines().map(|line| line.strip_prefix("    ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// The commands of the documented workflow.
fn steps() -> Vec<String> {
    let workflow = block("workflow");
    let steps = workflow.lines().filter_map(|line| line.trim().strip_prefix("- run: "));
    steps.map(|step| step.replace("${{ github.base_ref }}", "main")).collect()
}

fn git(folder: &Path, arguments: &[&str]) {
    let author =
        ["-c", "user.name=Wiredyno", "-c", "user.email=tests@localhost", "-c", "commit.gpgsign=false"];
    said(Command::new("git").args(author).args(arguments).current_dir(folder)).well();
}

fn write_payload(folder: &Path, fields: &str, sample: &str) {
    let payload = folder.join("payloads/trips");
    std::fs::create_dir_all(&payload).unwrap();
    std::fs::write(
        payload.join("message.proto"),
        format!("syntax = \"proto3\";\nmessage Trip {{ {fields} }}\n"),
    )
    .unwrap();
    std::fs::write(payload.join("samples.jsonl"), sample).unwrap();
}

/// Runs the workflow's steps in a clone with a change on top of `main`; the exit status and output of the last one.
fn workflow(change: impl Fn(&Path)) -> (Option<i32>, String) {
    let desk = Desk::for_runs();
    let (origin, clone) = (desk.file("origin"), desk.file("clone"));
    std::fs::create_dir(&origin).unwrap();
    git(&origin, &["init", "-q", "-b", "main"]);
    write_payload(&origin, "uint32 trip = 1; double speed = 2;", "{\"trip\":17,\"speed\":3.5}\n");
    std::fs::write(origin.join("message.toml"), format!("{}\n{}", block("workflow-study"), limits()))
        .unwrap();
    git(&origin, &["add", "."]);
    git(&origin, &["commit", "-q", "-m", "base"]);
    git(desk.path(), &["clone", "-q", "origin", "clone"]);
    change(&clone);
    let (home, scratch) = (desk.file("home"), desk.file("scratch"));
    std::fs::create_dir(&scratch).unwrap();
    // The program and what it bundles are built already: only later steps are made, whatever is newer.
    let built = desk.file("built");
    std::fs::create_dir(&built).unwrap();
    std::os::unix::fs::symlink("/bin/true", built.join("npm")).unwrap();
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    std::os::unix::fs::symlink(project.canonicalize().unwrap(), clone.join("wiredyno")).unwrap();
    let path = std::env::join_paths(
        std::iter::once(home.join(".local/bin"))
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let path = PathBuf::from(path.unwrap());
    let step = |text: &str| {
        let mut command = Command::new("bash");
        command.args(["-e", "-c", text]).current_dir(&clone).env("PATH", &path).env(CACHE, HOME);
        if text.starts_with("make ") {
            let found = format!("{}:{}", built.display(), path.display());
            command.env("HOME", &home).env("MAKEFLAGS", "CARGO=true").env("PATH", found);
        }
        command.env("GITHUB_PATH", desk.file("path")).env("GITHUB_STEP_SUMMARY", desk.file("summary.md"));
        said(command.env("RUNNER_TEMP", &scratch))
    };
    let steps = steps();
    let (last, before) = steps.split_last().unwrap();
    assert!(before.len() == 4 && last.contains("wiredyno threshold"), "{steps:?}");
    before.iter().for_each(|text| drop(step(text).well()));
    let code = step(last).code;
    (code, std::fs::read_to_string(desk.file("summary.md")).unwrap())
}

#[test]
fn the_documented_workflow_fails_where_a_message_grows() {
    let (code, text) = workflow(|clone| {
        write_payload(
            clone,
            "uint32 trip = 1; double speed = 2; string driver = 3;",
            "{\"trip\":17,\"speed\":3.5,\"driver\":\"Alice Andreson\"}\n",
        );
    });
    assert_eq!(code, DIFFERENCE, "{text}");
    // 11 bytes of Protobuf become 27.
    assert!(
        text.contains("worse by 145 %") && text.contains("Trip.driver (string, number 3) was added"),
        "{text}"
    );
}

#[test]
fn the_documented_workflow_passes_where_nothing_changed_or_a_message_shrinks() {
    let (code, text) = workflow(|_| {});
    assert_eq!(code, NO_DIFFERENCE, "{text}");
    assert!(text.contains("the same"), "{text}");
    let (code, text) = workflow(|clone| write_payload(clone, "uint32 trip = 1;", "{\"trip\":17}\n"));
    assert_eq!(code, NO_DIFFERENCE, "{text}");
    assert!(text.contains("better by"), "{text}");
}

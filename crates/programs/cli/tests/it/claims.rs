//! Everything that the files of published figures and their studies name exists, and `wiredyno claims` judges runs correctly.

use std::collections::BTreeMap;
use std::fs;
use std::process::Output;

use crate::stand;
use serde_json::{Value, json};
use wiredyno_claims::{Foreseen, Published, Without, against, bundled, foresee};
use wiredyno_model::Study;
use wiredyno_planning::catalogue::{Kind, find};
use wiredyno_planning::study::{Reduced, find_reduced};

fn all() -> Vec<Published> {
    bundled()
        .map(|(name, text)| Published::parse(name, text).unwrap_or_else(|error| panic!("{error}")))
        .collect()
}

fn study_of(published: &Published) -> Study {
    let found = find(Kind::Study, &published.study).unwrap();
    Study::parse(&found.name, &found.text).unwrap()
}

fn wiredyno(arguments: &[&str]) -> Output {
    stand::program().args(arguments).output().unwrap()
}

fn ids(what: &str) -> Vec<String> {
    let output = wiredyno(&["list", what, "--json"]);
    let list: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    list.iter().map(|entry| entry["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_codec_that_a_claim_rests_on_is_in_the_registry() {
    let known = ids("codecs");
    for published in all() {
        let named = published.codecs().into_iter().cloned().chain(study_of(&published).axes.codec.to_vec());
        let missing: Vec<String> = named.map(|id| id.to_string()).filter(|id| !known.contains(id)).collect();
        assert!(missing.is_empty(), "{}: {missing:?}", published.study);
    }
}

#[test]
fn every_payload_that_a_claim_rests_on_is_bundled() {
    let known = ids("payloads");
    for published in all() {
        let named =
            published.payloads().into_iter().cloned().chain(study_of(&published).axes.payload.to_vec());
        let bare = |id: &str| id.split('@').next().unwrap_or_default().to_owned();
        let is_known = |id: &String| known.iter().any(|known| bare(known) == bare(id));
        let missing: Vec<String> = named.map(|id| id.to_string()).filter(|id| !is_known(id)).collect();
        assert!(missing.is_empty(), "{}: {missing:?}", published.study);
    }
}

#[test]
fn every_mode_that_a_claim_rests_on_is_one_of_a_protocol() {
    let output = wiredyno(&["list", "protocols", "--json"]);
    let list: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let modes = |entry: &Value| {
        entry["modes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|mode| mode.as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let known: Vec<String> = list.iter().flat_map(modes).collect();
    for published in all() {
        let missing: Vec<String> =
            published.modes().iter().map(ToString::to_string).filter(|mode| !known.contains(mode)).collect();
        assert!(missing.is_empty(), "{}: {missing:?}", published.study);
    }
}

/// A claim that its study does not measure would never be decided.
#[test]
fn every_study_measures_what_its_claims_rest_on() {
    for (name, text) in bundled() {
        let published = Published::parse(name, text).unwrap();
        assert_eq!(against(&published, &study_of(&published), name, text), Ok(()));
    }
}

/// The replacements of `--fast` make a valid study, which also records its own pace.
#[test]
fn every_study_that_can_go_faster_can() {
    for id in wiredyno_planning::catalogue::list(Kind::Study) {
        let found = find(Kind::Study, &id).unwrap();
        let slow = Study::parse(&found.name, &found.text).unwrap();
        if slow.fast.is_empty() {
            continue;
        }
        let (fast, _) = find_reduced(&slow.name, &[], Reduced { fast: true, decisive: false }).unwrap();
        assert_eq!(
            fast.own_pace.keys().collect::<Vec<_>>(),
            slow.fast.keys().collect::<Vec<_>>(),
            "{}",
            slow.name
        );
        assert!(
            fast.trials.until.is_some(),
            "{}: a cell stops when its interval is narrow enough",
            slow.name
        );
    }
}

/// Whatever the whole study can judge, its decisive cells can; and there are fewer of them.
#[test]
fn decisive_cells_judge_every_claim_that_the_whole_study_judges() {
    let mut found = 0;
    for published in all() {
        let whole = study_of(&published);
        if whole.decisive.is_empty() {
            continue;
        }
        found += 1;
        let (study, source) =
            find_reduced(&published.study, &[], Reduced { fast: false, decisive: true }).unwrap();
        assert!(source.is_changed && study.decisive.is_empty(), "{}", source.text);
        let (cells, all) = (study.cells(&|_, _| true), whole.cells(&|_, _| true));
        assert!(
            cells.len() < all.len() && cells.iter().all(|cell| all.contains(cell)),
            "{}",
            published.study
        );
        for (claim, foreseen) in foresee(&published, &study, &cells, &study.codec_cells()) {
            assert!(
                !matches!(foreseen, Foreseen::Lacks(_)),
                "{} {}: {foreseen:?}",
                published.study,
                claim.id
            );
        }
    }
    assert_eq!(found, 3);
}

/// The claims that a run will decide are printed before it starts.
#[test]
fn a_plan_says_which_claims_it_has_to_decide() {
    for published in all() {
        let study = study_of(&published);
        let cells = study.cells(&|_, _| true);
        for (claim, foreseen) in foresee(&published, &study, &cells, &study.codec_cells()) {
            let of = format!("{} {}", published.study, claim.id);
            assert!(!matches!(foreseen, Foreseen::Lacks(_)), "{of}: {foreseen:?}");
            let lacks = |id: &str| {
                published
                    .must
                    .iter()
                    .any(|must| must.id == id && must.lacks.is_some() && must.without == Without::NoVerdict)
            };
            let cannot = claim.cannot_judge.is_some() || published.musts(claim).into_iter().any(lacks);
            assert_eq!(cannot, foreseen != Foreseen::Judged, "{of}: {foreseen:?}");
        }
    }
    // A pace that is not the study's decides nothing that depends on it.
    let published = all().into_iter().find(|published| published.study == "scania-v2c").unwrap();
    let (fast, _) = find_reduced("scania-v2c", &[], Reduced { fast: true, decisive: false }).unwrap();
    let foreseen = foresee(&published, &fast, &fast.cells(&|_, _| true), &[]);
    let of = |id: &str| &foreseen.iter().find(|(claim, _)| claim.id == id).unwrap().1;
    let Foreseen::CannotJudge(why) = of("c15.3") else { panic!("{:?}", of("c15.3")) };
    assert!(
        why.contains("`load.interval` is 10s there") || why.contains("`load.kind` is open there"),
        "{why}"
    );
    let told = |more: &[&str]| {
        let output = wiredyno(&[&["run", "scania-serialization", "--dry-run"], more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let whole = told(&[]);
    let heading = "claims to judge: 5 of the 25 of ";
    assert!(whole.contains(heading) && whole.contains("can't be judged: c09.1: "), "{whole}");
    assert!(!whole.contains("not measured: "), "{whole}");
    let part = told(&["--only", "codec=protobuf/prost"]);
    assert!(part.contains("not measured: c02: these cells have no "), "{part}");
}

#[test]
fn verdicts_are_printed_for_people_and_programs_and_do_not_bear_on_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let arguments = [
        "run",
        "scania-serialization",
        "--set",
        "trials.repeats=1",
        "--set",
        "codec_trials.batches=2",
        "--set",
        "codec_trials.samples=20",
        "--set",
        "codec_trials.batch_time=1ms",
        "--out",
        run.to_str().unwrap(),
    ];
    let output = stand::program().args(arguments).args(stand::any_machine()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = wiredyno(&["claims", run.to_str().unwrap(), "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let verdicts: Value = serde_json::from_slice(&output.stdout).unwrap();
    let claims = verdicts["claims"].as_array().unwrap();
    let of = |id: &str| claims.iter().find(|claim| claim["id"] == id).unwrap();
    // One trial shows sizes, but no order of times.
    assert_eq!(
        (&of("c06")["verdict"], &of("c06")["here"]),
        (&json!("by-design"), &json!("holds")),
        "{}",
        of("c06")
    );
    assert_eq!(of("c02")["verdict"], "not-measured", "{}", of("c02"));
    assert_eq!(of("c01")["verdict"], "cannot-judge", "{}", of("c01"));
    assert_eq!(of("c09.1")["verdict"], "cannot-judge");
    let sum: u64 =
        verdicts["counts"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(sum as usize, claims.len());
    let text = String::from_utf8(wiredyno(&["claims", run.to_str().unwrap()]).stdout).unwrap();
    assert!(
        text.contains("c06         by design\n") && text.contains("25 claims and parts of claims: "),
        "{text}"
    );

    // Every publication at once: those without a run are not measured.
    let output = wiredyno(&["claims", "--all", run.to_str().unwrap(), "--json"]);
    let every: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(every.len(), all().len());
    let with_run: Vec<&str> =
        every.iter().filter(|one| !one["run"].is_null()).filter_map(|one| one["study"].as_str()).collect();
    assert_eq!(with_run, ["scania-serialization"]);
    let text = String::from_utf8(wiredyno(&["claims", "--all", run.to_str().unwrap()]).stdout).unwrap();
    assert!(
        text.contains("study kafka-serialization: no run was named") && text.contains("not measured"),
        "{text}"
    );
    let twice = wiredyno(&["claims", "--all", run.to_str().unwrap(), run.to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&twice.stderr).contains("name one of them"));

    // A user's file replaces the bundled one, and errors in it are reported with the line.
    let own = folder.path().join("own.toml");
    fs::write(&own, "study = \"x\"\ntitel = \"y\"\n").unwrap();
    let output = wiredyno(&["claims", run.to_str().unwrap(), "--published", own.to_str().unwrap()]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(error.contains("own.toml:2") && error.contains("did you mean `title`?"), "{error}");
}

/// How far the study's pace and the fast one may differ, as a ratio of mean latencies.
const EQUIVALENT: f64 = 1.15;

/// Part of the vehicle-to-cloud study at both paces. Takes some minutes: one pace waits ten seconds between messages.
#[test]
fn the_fast_way_and_the_studys_pace_give_the_same_verdicts() {
    if std::env::var_os("WIREDYNO_TEST_FULL").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, pace: &[&str]| {
        let out = folder.path().join(name);
        let part = [
            "run",
            "scania-v2c",
            "--only",
            "payload=current-status,small",
            "--only",
            "link=lte-rig",
            "--only",
            "loss=0",
            "--only",
            "mode=mqtt:qos0,mqtt:qos2,coap:non",
            "--out",
            out.to_str().unwrap(),
        ];
        let output = wiredyno(&[&part[..], pace].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let claims = wiredyno(&["claims", out.to_str().unwrap(), "--json"]);
        let claims: Value = serde_json::from_slice(&claims.stdout).unwrap();
        let summary = fs::read_to_string(out.join("summary.json")).unwrap();
        (claims, serde_json::from_str::<Value>(&summary).unwrap())
    };
    let (own, own_run) = run("own", &["--set", "load.messages=6"]);
    let (fast, fast_run) = run("fast", &["--fast"]);
    let latencies = |run: &Value| {
        let cell =
            |cell: &Value| (cell["axes"].to_string(), cell["metrics"]["latency"]["mean"].as_f64().unwrap());
        run["cells"].as_array().unwrap().iter().map(cell).collect::<BTreeMap<_, _>>()
    };
    let (slow, quick) = (latencies(&own_run), latencies(&fast_run));
    assert_eq!(slow.len(), 6);
    for (cell, latency) in &slow {
        let ratio = quick[cell] / latency;
        assert!((1.0 / EQUIVALENT..EQUIVALENT).contains(&ratio), "{cell}: {ratio}");
    }
    // Every comparison that both decide has the same verdict.
    let decided = |claims: &Value| {
        let claims = claims["claims"].as_array().unwrap();
        let comparisons = claims.iter().flat_map(|claim| claim["comparisons"].as_array().unwrap().clone());
        let told = comparisons.filter(|one| ["holds", "fails"].iter().any(|told| one["outcome"] == *told));
        let key = |one: &Value| format!("{} {} {}", one["left"], one["asked"], one["right"]);
        told.map(|one| (key(&one), one["outcome"].to_string())).collect::<BTreeMap<_, _>>()
    };
    let (own, fast) = (decided(&own), decided(&fast));
    let both = own.iter().filter_map(|(what, outcome)| Some((what, outcome, fast.get(what)?)));
    let both: Vec<_> = both.collect();
    assert!(both.len() >= 10, "{own:?} {fast:?}");
    assert!(both.iter().all(|(_, own, fast)| own == fast), "{both:?}");
}

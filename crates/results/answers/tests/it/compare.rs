//! Comparisons of made-up runs.

use crate::made_up::{self, Figures, drift, noise};
use wiredyno_answers::compare::{Conclusion, Wanted, along, runs};
use wiredyno_model::Cell;
use wiredyno_model::summary::{EffectVerdict, Outcomes, PayloadBuild, Summary};

const STUDY: &str = r#"
name = "made-up"
why = "?"
[axes]
payload = ["small"]
codec = ["json/serde-json", "protobuf/prost"]
mode = ["mqtt:qos0", "tcp"]
link = ["lan"]
[load]
kind = "open"
interval = "200ms"
messages = 10
deadline = "2s"
drain = "8s"
"#;

/// A run in which everything takes `times` as long; its name seeds its noise.
fn run(name: &str, times: f64) -> Summary {
    let figures = |cell: &Cell, repeat: u32| -> Figures {
        let latency = 50e6 * times * drift(repeat) * noise(&format!("{name} {cell}"), repeat);
        vec![("latency", latency), ("wire_per_message", 400.0), ("lost", 0.0)]
    };
    let mut summary = made_up::messages(STUDY, figures);
    summary.run.id = name.to_owned();
    summary
}

#[test]
fn equal_runs_do_not_differ_and_slower_ones_do() {
    let wanted = Wanted::default();
    let same = runs(&run("a", 1.0), &run("b", 1.0), &wanted);
    assert_eq!(same.conclusion, Conclusion::NoDifference, "{same:?}");
    let slower = runs(&run("a", 1.0), &run("b", 1.2), &wanted);
    assert_eq!(slower.conclusion, Conclusion::Difference);
    let at_least = |least: f64| runs(&run("a", 1.0), &run("b", 1.2), &Wanted { least, ..Wanted::default() });
    assert_eq!(at_least(0.5).conclusion, Conclusion::NoDifference, "20 % is less than what was asked for");
    let cells = slower.cells.iter().map(|change| &change.effect);
    let largest = slower.effects.iter().chain(cells).map(|effect| effect.estimate).fold(1.0, f64::max);
    assert_eq!(at_least(largest - 0.999).conclusion, Conclusion::NotDecided, "about 20 %, and perhaps more");
    assert_eq!(slower.clone().of_the_worse().conclusion, Conclusion::Difference);
    let faster = runs(&run("a", 1.2), &run("b", 1.0), &wanted);
    assert_eq!(
        (faster.conclusion, faster.clone().of_the_worse().conclusion),
        (Conclusion::Difference, Conclusion::NoDifference)
    );
    let latency = slower.effects.iter().find(|effect| effect.metric == "latency").unwrap();
    assert!((latency.estimate - 1.2).abs() < 0.02 && latency.combinations == 4, "{latency:?}");
    assert!(slower.cells.iter().all(|change| change.effect.metric == "latency"));
    assert_eq!(slower.cells.len(), 4);
}

#[test]
fn few_repeats_decide_nothing() {
    let few = |name: &str, times: f64| {
        let mut summary = run(name, times);
        for cell in &mut summary.cells {
            cell.metrics.values_mut().for_each(|metric| metric.by_repeat.retain(|repeat, _| *repeat < 4));
        }
        summary
    };
    let comparison = runs(&few("a", 1.0), &few("b", 3.0), &Wanted::default());
    assert_eq!(comparison.conclusion, Conclusion::NotDecided);
}

#[test]
fn what_can_not_be_compared_is_refused_metric_by_metric() {
    let base = run("a", 1.0);
    let refused = |change: fn(&mut Summary)| {
        let mut new = run("b", 1.0);
        change(&mut new);
        let comparison = runs(&base, &new, &Wanted::default());
        let compared: Vec<String> = comparison.effects.iter().map(|effect| effect.metric.clone()).collect();
        let why: Vec<String> = comparison.refused.iter().map(|refusal| refusal.why.clone()).collect();
        (compared.join(" "), why.join("; "))
    };
    let (compared, why) = refused(|new| new.environment.cpu = "another".into());
    assert_eq!(compared, "lost wire_per_message");
    assert!(why.contains("the machines differ"), "{why}");
    let (compared, why) =
        refused(|new| drop(new.inputs.insert("payload small samples.jsonl".into(), "9".into())));
    assert_eq!((compared.as_str(), why.as_str()), ("", "payload small samples.jsonl differs"));
    let (compared, why) = refused(|new| drop(new.inputs.insert("link lan".into(), "9".into())));
    assert_eq!((compared.as_str(), why.as_str()), ("", "link lan differs"));
    let (compared, why) = refused(|new| new.study.load.as_mut().unwrap().messages = 11);
    assert_eq!(compared, "");
    assert!(why.contains("[load]"), "{why}");
    let (compared, why) = refused(|new| new.run.version = "0.2.0".into());
    assert_eq!((compared.as_str(), why.contains("versions of Wiredyno")), ("", true), "{why}");
    // Another payload's samples are no reason, nor are versions of what is measured.
    let (compared, why) = refused(|new| {
        new.inputs.insert("payload person samples.jsonl".into(), "9".into());
        new.environment.kernel = "Linux 9".into();
    });
    assert_eq!((compared.as_str(), why.as_str()), ("lost latency wire_per_message", ""));
    let (_, why) = refused(|new| new.inputs.clear());
    assert!(why.contains("kept no digests"), "{why}");
}

#[test]
fn anyway_compares_and_says_so() {
    let mut new = run("b", 1.2);
    new.environment.cpu = "another".into();
    let comparison = runs(&run("a", 1.0), &new, &Wanted { anyway: true, ..Wanted::default() });
    assert_eq!(comparison.conclusion, Conclusion::Difference);
    assert!(comparison.refused.iter().all(|refusal| refusal.anyway));
    assert_eq!(comparison.refused[0].metrics, ["latency"]);
}

#[test]
fn cells_without_a_counterpart_are_named_and_can_not_be_told() {
    let mut new = run("b", 1.0);
    new.cells.retain(|cell| cell.axes.mode.to_string() != "tcp");
    let comparison = runs(&run("a", 1.0), &new, &Wanted::default());
    assert_eq!(
        comparison.unmatched,
        ["small json/serde-json tcp lan (only in a)", "small protobuf/prost tcp lan (only in a)"]
    );
    assert_eq!(comparison.conclusion, Conclusion::CantTell);
}

#[test]
fn values_of_an_axis_are_compared_in_one_run() {
    let summary = run("a", 1.0);
    let values = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let found = along(&summary, "mode", &values(&["tcp", "mqtt:qos0"]), &Wanted::default()).unwrap();
    assert_eq!(found.question, "mqtt:qos0 instead of tcp");
    assert_eq!(found.effects[0].instead_of, "tcp");
    assert_eq!(found.conclusion, Conclusion::NoDifference);
    let refused = along(&summary, "mode", &values(&["tcp", "udp"]), &Wanted::default()).unwrap_err();
    assert!(refused.contains("mqtt:qos0, tcp"), "{refused}");
    assert!(along(&summary, "mode", &values(&["tcp"]), &Wanted::default()).is_err());
}

/// All of a cell's trials failed: nothing about it is equal, and nothing is concluded.
#[test]
fn a_side_that_lost_all_trials_can_not_be_told() {
    let mut new = run("b", 1.0);
    let lost = &mut new.cells[0];
    (lost.valid_trials, lost.outcomes) = (0, Outcomes { failed: 5, ..Outcomes::default() });
    lost.metrics.clear();
    let name = lost.axes.to_string();
    for (base, new) in [(run("a", 1.0), new.clone()), (new.clone(), run("a", 1.0)), (new.clone(), new)] {
        let comparison = runs(&base, &new, &Wanted::default());
        assert_eq!(comparison.conclusion, Conclusion::CantTell, "{comparison:?}");
        let [untold] = &comparison.untold[..] else { panic!("{comparison:?}") };
        assert!(untold.what == name && untold.why.contains("5 failed"), "{untold:?}");
    }
    // What is shown elsewhere is still shown.
    let mut slower = run("b", 1.5);
    slower.cells[0].valid_trials = 0;
    assert_eq!(runs(&run("a", 1.0), &slower, &Wanted::default()).conclusion, Conclusion::Difference);
}

#[test]
fn a_metric_that_one_side_lacks_or_has_in_another_unit_can_not_be_told() {
    let lacks = |change: fn(&mut Summary)| {
        let mut new = run("b", 1.0);
        change(&mut new);
        runs(&run("a", 1.0), &new, &Wanted::default())
    };
    let gone = lacks(|new| new.cells.iter_mut().for_each(|cell| drop(cell.metrics.remove("latency"))));
    assert_eq!(gone.conclusion, Conclusion::CantTell, "{gone:?}");
    assert!(gone.untold.iter().all(|one| one.why.contains("latency was not measured")), "{gone:?}");
    let other = lacks(|new| new.cells[0].metrics.get_mut("latency").unwrap().unit = "bytes".into());
    assert_eq!(other.conclusion, Conclusion::CantTell);
    assert!(other.untold[0].why.ends_with("latency is in bytes"), "{other:?}");
    // A metric that neither has and nobody requested is not mentioned; a requested one is.
    let asked = |metric: &str| {
        let wanted = Wanted { metrics: vec![metric.to_owned()], ..Wanted::default() };
        runs(&run("a", 1.0), &run("b", 1.0), &wanted).conclusion
    };
    assert_eq!(asked("publisher_memory"), Conclusion::CantTell);
    assert_eq!(asked("wire_per_message"), Conclusion::NoDifference);
}

/// Of 60 pairs of equal runs, at most the 5 % that the level allows, plus chance, differ.
#[test]
fn equal_runs_are_a_gate() {
    let scattered = |name: &str| {
        let figures = |cell: &Cell, repeat: u32| -> Figures {
            let of = |metric: &str| noise(&format!("{name} {cell} {metric}"), repeat).powi(10);
            vec![
                ("latency", 50e6 * of("latency")),
                ("publisher_cpu_per_message", 1e5 * of("cpu")),
                ("subscriber_cpu_per_delivery", 1e5 * of("other cpu")),
                ("wire_per_message", 400.0 * of("bytes")),
                ("lost", 0.0),
            ]
        };
        let mut summary = made_up::messages(STUDY, figures);
        summary.run.id = name.to_owned();
        summary
    };
    let conclusions = (0..60).map(|pair| {
        runs(&scattered(&format!("a{pair}")), &scattered(&format!("b{pair}")), &Wanted::default()).conclusion
    });
    let conclusions: Vec<Conclusion> = conclusions.collect();
    let count = |of: Conclusion| conclusions.iter().filter(|one| **one == of).count();
    assert!(count(Conclusion::Difference) <= 8, "{conclusions:?}");
    assert_eq!(count(Conclusion::CantTell), 0, "what is not decided is no want of data: {conclusions:?}");
}

/// A body that grew because its definition changed is exactly the question, and the field is named.
#[test]
fn a_body_is_compared_across_definitions_and_the_field_is_named() {
    let bodies = |fields: &str, bytes: f64, digest: &str| {
        let mut summary = made_up::run(
            "name = \"m\"\nwhy = \"?\"\n[axes]\npayload = [\"small\"]\ncodec = [\"protobuf/prost\"]\n",
            |_, _| Vec::new(),
            |_, repeat| vec![("body", bytes), ("total", 100.0 * noise("total", repeat))],
        );
        summary.environment.builds = vec![PayloadBuild {
            payload: "small".into(),
            build: String::new(),
            language: None,
            codecs: Vec::new(),
            folder: None,
            definition: format!("syntax = \"proto3\"; message Trip {{ {fields} }}"),
        }];
        for file in ["message.proto", "samples.jsonl"] {
            summary.inputs.insert(format!("payload small {file}"), digest.to_owned());
        }
        summary
    };
    let base = bodies("uint32 trip = 1;", 116.0, "1");
    let new = bodies("uint32 trip = 1; string driver = 2;", 131.0, "2");
    let found = runs(&base, &new, &Wanted { metrics: vec!["body".into()], ..Wanted::default() });
    assert_eq!((found.conclusion, found.effects[0].verdict), (Conclusion::Difference, EffectVerdict::Worse));
    assert_eq!(found.differs, ["definition of small: Trip.driver (string, number 2) was added"]);
    // Other samples of the same definition are other messages.
    let mut samples = bodies("uint32 trip = 1;", 131.0, "1");
    samples.inputs.insert("payload small samples.jsonl".into(), "2".into());
    let found = runs(&base, &samples, &Wanted { metrics: vec!["body".into()], ..Wanted::default() });
    assert_eq!(found.conclusion, Conclusion::CantTell, "{found:?}");
    // Times of another message show nothing.
    let found = runs(&base, &new, &Wanted { metrics: vec!["total".into()], ..Wanted::default() });
    assert_eq!(found.conclusion, Conclusion::CantTell, "{found:?}");
}

#[test]
fn no_value_is_dropped_without_a_word_and_bundles_have_an_interval() {
    let mut summary = run("a", 1.0);
    // JSON over tcp and Protobuf over MQTT alone: they differ in two values.
    summary.cells.retain(|cell| (cell.axes.codec.format == "json") == (cell.axes.mode.to_string() == "tcp"));
    let values = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let found = along(&summary, "codec", &values(&["json/serde-json", "protobuf/prost"]), &Wanted::default())
        .unwrap();
    assert_eq!((found.conclusion, found.effects.len()), (Conclusion::CantTell, 0));
    assert!(found.untold[0].what.contains("protobuf/prost instead of json/serde-json"), "{found:?}");
    assert!(found.untold[0].why.contains("no two cells are otherwise equal"), "{found:?}");
    let bundles = values(&["json/serde-json+tcp", "protobuf/prost+mqtt:qos0"]);
    let found = along(&summary, "codec+mode", &bundles, &Wanted::default()).unwrap();
    assert_eq!(
        (found.conclusion, found.question.as_str()),
        (Conclusion::NoDifference, "protobuf/prost+mqtt:qos0 instead of json/serde-json+tcp")
    );
    assert!(
        found.effects.iter().all(|effect| effect.interval.is_some() && effect.combinations == 1),
        "{found:?}"
    );
    let refused =
        along(&summary, "codec+mode", &values(&["json/serde-json+tcp", "cbor/x+tcp"]), &Wanted::default());
    assert!(refused.unwrap_err().contains("protobuf/prost+mqtt:qos0"));
}

const TWO_LINKS: &str = r#"
name = "made-up"
why = "?"
[axes]
payload = ["small"]
codec = ["json/serde-json", "protobuf/prost"]
mode = ["tcp"]
link = ["lan", "lte"]
[load]
kind = "open"
interval = "200ms"
messages = 10
deadline = "2s"
drain = "8s"
"#;

/// A run in which Protobuf takes this many times as long as JSON on each link.
fn on_links(lan: f64, lte: f64) -> Summary {
    made_up::messages(TWO_LINKS, |cell, repeat| {
        let on_link = if cell.link.to_string() == "lan" { lan } else { lte };
        let times = if cell.codec.format == "json" { 1.0 } else { on_link };
        vec![("latency", 50e6 * times * made_up::drift(repeat) * made_up::noise(&cell.to_string(), repeat))]
    })
}

fn of_codecs(run: &Summary) -> wiredyno_answers::compare::Comparison {
    let values = ["json/serde-json", "protobuf/prost"].map(str::to_owned);
    along(run, "codec", &values, &Wanted::default()).unwrap()
}

#[test]
fn opposite_effects_are_two_differences_and_not_none() {
    let both = of_codecs(&on_links(0.5, 2.0));
    assert_eq!(
        (both.conclusion, both.clone().of_the_worse().conclusion),
        (Conclusion::Difference, Conclusion::Difference),
        "{both:?}"
    );
    let one = of_codecs(&on_links(0.3, 3.0));
    assert_eq!(one.clone().of_the_worse().conclusion, Conclusion::Difference);
    let neither = of_codecs(&on_links(0.5, 0.4));
    assert_eq!(neither.clone().of_the_worse().conclusion, Conclusion::NoDifference, "{neither:?}");
}

#[test]
fn what_enters_no_test_for_want_of_repeats_is_listed_and_can_not_be_told() {
    let mut run = on_links(1.0, 1.0);
    let cell = run
        .cells
        .iter_mut()
        .find(|cell| cell.axes.link.to_string() == "lte" && cell.axes.codec.format != "json");
    let latency = cell.unwrap().metrics.get_mut("latency").unwrap();
    latency.by_repeat.retain(|repeat, _| *repeat < 4);
    let found = of_codecs(&run);
    assert_eq!(found.conclusion, Conclusion::CantTell, "{found:?}");
    assert!(
        found.untold.iter().any(|one| one.why == "4 repeats are complete on both sides, a test needs 5"),
        "{found:?}"
    );
}

#[test]
fn a_condition_under_which_one_value_was_not_measured_is_listed() {
    let mut run = on_links(1.0, 1.0);
    run.cells.retain(|cell| cell.axes.link.to_string() == "lan" || cell.axes.codec.format != "json");
    let found = of_codecs(&run);
    assert_eq!(found.unmatched, ["small protobuf/prost tcp lte (not measured with json/serde-json)"]);
    assert_eq!(found.conclusion, Conclusion::CantTell);
}

/// Each trial lost the same share, and the number of messages bounds it.
#[test]
fn equal_losses_in_all_trials_are_no_certainty() {
    let losing = |share: f64| {
        let mut run = made_up::messages(STUDY, move |_, _| vec![("lost", share)]);
        run.cells.truncate(1);
        run
    };
    let found =
        runs(&losing(0.1), &losing(0.1), &Wanted { metrics: vec!["lost".to_owned()], ..Wanted::default() });
    assert_eq!(found.conclusion, Conclusion::NotDecided, "50 of 500 twice: {found:?}");
    let more =
        runs(&losing(0.1), &losing(0.3), &Wanted { metrics: vec!["lost".to_owned()], ..Wanted::default() });
    assert_eq!((more.conclusion, more.effects[0].verdict), (Conclusion::Difference, EffectVerdict::Worse));
}

#[test]
fn where_no_message_arrived_latency_can_not_be_told() {
    let nothing = || {
        let mut run = made_up::messages(STUDY, |_, _| vec![("wire_per_message", 400.0), ("lost", 1.0)]);
        run.cells.iter_mut().for_each(|cell| cell.delivery.delivered = 0);
        run
    };
    let found = runs(&nothing(), &nothing(), &Wanted::default());
    assert_eq!(found.conclusion, Conclusion::CantTell, "{found:?}");
    assert!(found.untold.iter().any(|one| one.metric.as_deref() == Some("latency")), "{found:?}");
}

#[test]
fn a_value_is_not_held_against_itself() {
    let values = ["tcp", "tcp"].map(str::to_owned);
    let told = along(&run("a", 1.0), "mode", &values, &Wanted::default()).unwrap_err();
    assert_eq!(told, "--per mode: tcp is on both sides; name another value than the first");
}

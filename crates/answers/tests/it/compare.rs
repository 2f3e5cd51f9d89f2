//! Comparisons of made-up runs.

use crate::made_up::{self, Figures, drift, noise};
use wiredyno_answers::compare::{Conclusion, Wanted, along, runs};
use wiredyno_model::Cell;
use wiredyno_model::summary::Summary;

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

/// A run in which everything takes `times` as long; the name makes its noise its own.
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
    assert_eq!(same.conclusion(0.0), Conclusion::Nothing, "{same:?}");
    let slower = runs(&run("a", 1.0), &run("b", 1.2), &wanted);
    assert_eq!(slower.conclusion(0.0), Conclusion::Difference);
    assert_eq!(slower.conclusion(0.5), Conclusion::Nothing, "20 % is less than what was asked for");
    let latency = slower.effects.iter().find(|effect| effect.metric == "latency").unwrap();
    assert!((latency.estimate - 1.2).abs() < 0.02 && latency.combinations == 4, "{latency:?}");
    assert!(slower.cells.iter().all(|change| change.effect.metric == "latency"));
    assert_eq!(slower.cells.len(), 4);
}

#[test]
fn few_repeats_tell_nothing() {
    let few = |name: &str, times: f64| {
        let mut summary = run(name, times);
        for cell in &mut summary.cells {
            cell.metrics.values_mut().for_each(|metric| metric.by_repeat.retain(|repeat, _| *repeat < 4));
        }
        summary
    };
    let comparison = runs(&few("a", 1.0), &few("b", 3.0), &Wanted::default());
    assert_eq!(comparison.conclusion(0.0), Conclusion::CantTell);
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
    // Another payload's samples are no reason, and versions never are.
    let (compared, why) = refused(|new| {
        new.inputs.insert("payload person samples.jsonl".into(), "9".into());
        new.run.version = "0.2.0".into();
        new.environment.kernel = "Linux 9".into();
    });
    assert_eq!((compared.as_str(), why.as_str()), ("latency lost wire_per_message", ""));
    let (_, why) = refused(|new| new.inputs.clear());
    assert!(why.contains("kept no digests"), "{why}");
}

#[test]
fn anyway_compares_and_says_so() {
    let mut new = run("b", 1.2);
    new.environment.cpu = "another".into();
    let comparison = runs(&run("a", 1.0), &new, &Wanted { anyway: true, ..Wanted::default() });
    assert_eq!(comparison.conclusion(0.0), Conclusion::Difference);
    assert!(comparison.refused.iter().all(|refusal| refusal.anyway));
    assert_eq!(comparison.refused[0].metrics, ["latency"]);
}

#[test]
fn cells_without_a_counterpart_are_named() {
    let mut new = run("b", 1.0);
    new.cells.retain(|cell| cell.axes.mode.to_string() != "tcp");
    let comparison = runs(&run("a", 1.0), &new, &Wanted::default());
    assert_eq!(
        comparison.unmatched,
        ["small json/serde-json tcp lan (only in a)", "small protobuf/prost tcp lan (only in a)"]
    );
}

#[test]
fn values_of_an_axis_are_compared_in_one_run() {
    let summary = run("a", 1.0);
    let values = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let found = along(&summary, "mode", &values(&["tcp", "mqtt:qos0"]), &Wanted::default()).unwrap();
    assert_eq!(found.question, "mqtt:qos0 instead of tcp");
    assert_eq!(found.effects[0].instead_of, "tcp");
    assert_eq!(found.conclusion(0.0), Conclusion::Nothing);
    let refused = along(&summary, "mode", &values(&["tcp", "udp"]), &Wanted::default()).unwrap_err();
    assert!(refused.contains("mqtt:qos0, tcp"), "{refused}");
    assert!(along(&summary, "mode", &values(&["tcp"]), &Wanted::default()).is_err());
}

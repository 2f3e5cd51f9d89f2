//! Thresholds over made-up runs.

use crate::made_up::{self, Figures, drift, noise};
use wiredyno_answers::threshold::{judge, overall, plan};
use wiredyno_model::Cell;
use wiredyno_model::summary::{NotRun, Part, PayloadBuild, Summary, ThresholdVerdict, Withheld};
use wiredyno_model::trial::Delivery;

const STUDY: &str = r#"
name = "made-up"
why = "?"
[axes]
payload = ["small"]
codec = ["protobuf/prost"]
mode = ["mqtt:qos1", "tcp"]
link = ["lan"]
[load]
kind = "open"
interval = "200ms"
messages = 10
deadline = "2s"
drain = "8s"
"#;

fn run(thresholds: &str, times: f64) -> Summary {
    let figures = |cell: &Cell, repeat: u32| -> Figures {
        let latency = 50e6 * times * drift(repeat) * noise(&format!("{times} {cell}"), repeat);
        vec![("latency", latency), ("wire_per_message", 400.0), ("lost", 0.0)]
    };
    made_up::messages(&format!("{STUDY}{thresholds}"), figures)
}

fn verdicts(thresholds: &str) -> Vec<ThresholdVerdict> {
    let results =
        judge(&run(thresholds, 1.0), &mut |folder| Ok(run("", if folder == "slow" { 2.0 } else { 1.0 })));
    results.unwrap().iter().map(|result| result.verdict).collect()
}

use ThresholdVerdict::{CantTell, Fail, NotDecided, Pass};

#[test]
fn a_limit_is_kept_where_the_whole_interval_keeps_it() {
    for (below, expected) in [("80ms", Pass), ("52ms", NotDecided), ("20ms", Fail)] {
        let found = verdicts(&format!("[[threshold]]\nmetric = \"latency\"\nbelow = \"{below}\"\n"));
        assert_eq!(found, [expected, expected], "{below}");
    }
    let of_one = "[[threshold]]\nmetric = \"latency\"\nwhere = \"mode=tcp\"\nbelow = \"80ms\"\n";
    assert_eq!(verdicts(of_one), [Pass]);
    assert_eq!(verdicts("[[threshold]]\nmetric = \"latency.p99\"\nbelow = \"1s\"\n"), [CantTell, CantTell]);
    assert_eq!(verdicts("[[threshold]]\nmetric = \"latency.max\"\nbelow = \"40ms\"\n"), [Fail, Fail]);
    assert_eq!(verdicts("[[threshold]]\nmetric = \"wire_per_message\"\nabove = \"399B\"\n"), [Pass, Pass]);
    assert_eq!(verdicts("[[threshold]]\nmetric = \"body\"\nbelow = \"9B\"\n"), [CantTell, CantTell]);
}

/// Nothing that was not measured keeps a limit.
#[test]
fn a_cell_without_a_complete_trial_does_not_pass() {
    let mut summary = run("[[threshold]]\nmetric = \"latency\"\nbelow = \"80ms\"\n", 1.0);
    summary.cells[0].valid_trials = 0;
    let results = judge(&summary, &mut |_| Err(String::new())).unwrap();
    assert_eq!(results.iter().map(|result| result.verdict).collect::<Vec<_>>(), [CantTell, Pass]);
    assert!(results[0].text.starts_with("no complete trial"), "{results:?}");
}

#[test]
fn a_stored_run_is_what_a_figure_must_not_be_worse_than() {
    let than =
        |run: &str| format!("[[threshold]]\nmetric = \"latency\"\nthan = \"{run}\"\nworse_by = \"5%\"\n");
    assert_eq!(verdicts(&than("same")), [Pass, Pass]);
    assert_eq!(verdicts(&than("slow")), [Pass, Pass]);
    let slower = judge(&run(&than("same"), 2.0), &mut |_| Ok(run("", 1.0))).unwrap();
    assert!(slower.iter().all(|result| result.verdict == Fail), "{slower:?}");
    assert!(slower[0].text.contains("worse by ["), "{slower:?}");
    // Times on another machine are not comparable.
    let elsewhere = judge(&run(&than("same"), 1.0), &mut |_| {
        let mut base = run("", 1.0);
        base.environment.cpu = "another".into();
        Ok(base)
    });
    let elsewhere = elsewhere.unwrap();
    assert!(elsewhere[0].text.contains("not comparable"), "{elsewhere:?}");
    assert_eq!(overall(&elsewhere), CantTell);
    assert_eq!(overall(&slower), Fail);
    assert!(judge(&run(&than("gone"), 1.0), &mut |_| Err("gone".into())).is_err());
}

/// `latency below 500ms` used to pass for a cell without latency.
#[test]
fn a_cell_without_the_metric_can_not_be_told() {
    let mut summary = run("[[threshold]]\nmetric = \"latency\"\nbelow = \"500ms\"\n", 1.0);
    summary.cells[0].metrics.remove("latency");
    let results = judge(&summary, &mut |_| Err(String::new())).unwrap();
    assert_eq!(results.iter().map(|result| result.verdict).collect::<Vec<_>>(), [CantTell, Pass]);
    assert_eq!(results[0].text, "latency was not measured");
    let hidden = Withheld { bound: Some(9e6), rate_per_s: Some(20.0), trials: Some(16) };
    summary.cells[0].withheld.insert("latency".into(), hidden);
    let results = judge(&summary, &mut |_| Err(String::new())).unwrap();
    assert!(results[0].text.contains("hidden by what processes take"), "{}", results[0].text);
    let needs = results[0].text.split("it needs at least 20").nth(1);
    assert!(needs.is_some_and(|needs| needs.ends_with("/s, or 16 trials like these")), "{}", results[0].text);
    summary.cells[1].metrics.remove("latency");
    let results = judge(&summary, &mut |_| Err(String::new())).unwrap();
    assert_eq!((results.len(), overall(&results)), (2, CantTell));
}

/// Trials that all lost nothing do not vary, but their number bounds the loss.
#[test]
fn none_lost_of_few_is_no_proof() {
    for (below, expected) in [("1%", Pass), ("0.5%", NotDecided)] {
        let found = verdicts(&format!("[[threshold]]\nmetric = \"lost\"\nbelow = \"{below}\"\n"));
        assert_eq!(found, [expected, expected], "0 of 500 messages, at most 0.735 %: {below}");
    }
}

#[test]
fn a_base_in_the_same_study_is_what_the_others_are_held_against() {
    let study = STUDY.replace("[\"protobuf/prost\"]", "[\"json/serde-json\", \"protobuf/prost\"]");
    let verdicts = |protobuf: f64, worse_by: &str| {
        let threshold = format!(
            "[[threshold]]\nmetric = \"latency\"\nbase = \"codec=json/serde-json\"\nworse_by = \"{worse_by}\"\n"
        );
        let figures = |cell: &Cell, repeat: u32| -> Figures {
            let times = if cell.codec.format == "json" { 1.0 } else { protobuf };
            vec![("latency", 50e6 * times * drift(repeat) * noise(&cell.to_string(), repeat))]
        };
        let summary = made_up::messages(&format!("{study}{threshold}"), figures);
        let results = judge(&summary, &mut |_| Err(String::new())).unwrap();
        assert!(results.iter().all(|result| result.cell.contains("protobuf/prost")), "{results:?}");
        results.iter().map(|result| result.verdict).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(1.0, "5%"), [Pass, Pass]);
    assert_eq!(verdicts(1.3, "5%"), [Fail, Fail]);
    assert_eq!(verdicts(1.05, "5%"), [NotDecided, NotDecided]);
}

/// One p99 per trial, and t over trials.
#[test]
fn a_tail_is_compared_by_that_of_each_trial_and_says_of_how_many() {
    let with_tails = |times: f64| {
        let mut summary = run("", 1.0);
        for cell in &mut summary.cells {
            let metric = cell.metrics.get_mut("latency").unwrap();
            let tails = metric.by_repeat.iter().map(|(repeat, mean)| (*repeat, 3.0 * times * mean));
            metric.p99_by_repeat = tails.collect();
            (metric.count, metric.p99) = (10_000, Some(150e6 * times));
        }
        summary
    };
    let judged = |times: f64, thresholds: &str| {
        let mut new = with_tails(times);
        new.study = run(thresholds, 1.0).study;
        judge(&new, &mut |_| Ok(with_tails(1.0))).unwrap()
    };
    let than = "[[threshold]]\nmetric = \"latency.p99\"\nthan = \"base\"\nworse_by = \"10%\"\n";
    assert!(judged(1.0, than).iter().all(|result| result.verdict == Pass));
    let worse = judged(1.3, than);
    assert!(worse.iter().all(|result| result.verdict == Fail), "{worse:?}");
    assert!(worse[0].text.contains("(5 trials, 10,000 messages)"), "{worse:?}");
    let below = "[[threshold]]\nmetric = \"latency.p99\"\nbelow = \"300ms\"\n";
    assert!(judged(1.0, below).iter().all(|result| result.verdict == Pass));
    // With 10 messages, a trial has none.
    let few = judge(&run(than, 1.0), &mut |_| Ok(run("", 1.0))).unwrap();
    assert!(few[0].verdict == CantTell && few[0].text.contains("needs trials of 1,000 messages"), "{few:?}");
}

#[test]
fn a_body_that_grew_fails_and_names_the_field() {
    let bodies = |fields: &str, bytes: f64, digest: &str, thresholds: &str| {
        let study = format!(
            "name = \"m\"\nwhy = \"?\"\n[axes]\npayload = [\"small\"]\ncodec = [\"protobuf/prost\"]\n[trials]\nrepeats = 1\n{thresholds}"
        );
        let mut summary = made_up::run(&study, |_, _| Vec::new(), |_, _| vec![("body", bytes)]);
        summary.environment.builds = vec![PayloadBuild {
            payload: "small".into(),
            build: String::new(),
            language: None,
            codecs: Vec::new(),
            folder: None,
            definition: format!("syntax = \"proto3\"; message Trip {{ {fields} }}"),
        }];
        summary.inputs.insert("payload small message.proto".into(), digest.to_owned());
        summary
    };
    let than = "[[threshold]]\nmetric = \"body\"\nthan = \"base\"\nworse_by = \"2%\"\n";
    let judged = |bytes: f64| {
        let new = bodies("uint32 trip = 1; string driver = 2;", bytes, "2", than);
        let [result] =
            <[_; 1]>::try_from(judge(&new, &mut |_| Ok(bodies("uint32 trip = 1;", 116.0, "1", ""))).unwrap())
                .unwrap();
        (result.verdict, result.text)
    };
    let (verdict, text) = judged(131.0);
    assert_eq!(
        (verdict, text.as_str()),
        (Fail, "body 131 B, in made-up 116 B: worse by 12.9 %; Trip.driver (string, number 2) was added")
    );
    assert_eq!(judged(118.0).0, Pass);
    assert_eq!(judged(100.0).0, Pass, "smaller is not worse");
}

#[test]
fn a_cell_that_the_new_run_lacks_can_not_be_told() {
    let mut new = run("[[threshold]]\nmetric = \"latency\"\nthan = \"base\"\n", 0.5);
    new.cells.remove(0);
    let results = judge(&new, &mut |_| Ok(run("", 1.0))).unwrap();
    assert_eq!(results.iter().map(|result| result.verdict).collect::<Vec<_>>(), [Pass, CantTell]);
    assert_eq!(results[1].text, "made-up has no such cell");
}

/// Before a run is made: a body needs one repeat, a latency that varies by some percent a few.
#[test]
fn how_many_repeats_it_takes_is_said_before() {
    let base = run(
        "[[threshold]]\nmetric = \"latency\"\nthan = \"base\"\nworse_by = \"10%\"\n\
         [[threshold]]\nmetric = \"body\"\nthan = \"base\"\nworse_by = \"2%\"\n",
        1.0,
    );
    let planned = plan(&base, &base.study.threshold).unwrap();
    let of = |metric: &str| planned.iter().find(|one| one.threshold.starts_with(metric)).unwrap();
    // Drift by a factor of 1.2 between repeats needs many, though two runs of one seed share it.
    assert!(of("latency").repeats.is_some_and(|repeats| repeats > 20 && repeats < 200), "{planned:?}");
    assert!(of("body").text.contains("can't tell"), "{planned:?}");
}

/// The slowest of the messages sent are those that never arrived, and trials that lost one have no 99th percentile of a
/// thousand.
#[test]
fn a_tail_of_survivors_does_not_pass() {
    let judged = |lost: u64, change: fn(&mut wiredyno_model::summary::Metric), threshold: &str| {
        let mut run = run(&format!("[[threshold]]\nmetric = \"{threshold}\"\nbelow = \"10s\"\n"), 1.0);
        for cell in &mut run.cells {
            cell.delivery = Delivery { sent: 10_000, delivered: 10_000 - lost, lost, ..Delivery::default() };
            let metric = cell.metrics.get_mut("latency").unwrap();
            metric.p99_by_repeat = metric.by_repeat.clone();
            change(metric);
        }
        judge(&run, &mut |_| Ok(run.clone())).unwrap().remove(0)
    };
    let whole = |_: &mut wiredyno_model::summary::Metric| {};
    assert_eq!(judged(0, whole, "latency.p99").verdict, Pass);
    let some = judged(99, whole, "latency.p99");
    assert!(some.verdict == Pass && some.text.contains(", of 9,901 of 10,000 sent"), "{some:?}");
    let more = judged(400, whole, "latency.p99");
    assert!(more.verdict == Fail && more.text.contains("the others never arrived"), "{more:?}");
    assert_eq!(judged(1, whole, "latency.max").verdict, Fail);
    let mean = judged(400, whole, "latency");
    assert!(mean.verdict == Pass && mean.text.contains(", of 9,600 of 10,000 sent"), "{mean:?}");
    let part = judged(5, |metric| metric.p99_by_repeat.retain(|repeat, _| *repeat < 3), "latency.p99");
    assert!(
        part.verdict == NotDecided && part.text.contains("2 of its trials have fewer than 1,000"),
        "{part:?}"
    );
}

/// The base has bodies of messages and of codec trials; here all codec trials failed.
#[test]
fn trials_that_failed_do_not_drop_out_of_what_is_judged() {
    let study = format!("{STUDY}[[threshold]]\nmetric = \"body\"\nthan = \"base\"\nworse_by = \"5%\"\n");
    let whole = made_up::run(&study, |_, _| vec![("body", 100.0)], |_, _| vec![("body", 100.0)]);
    let mut failed = whole.clone();
    for codec in &mut failed.codecs {
        codec.valid_trials = 0;
        codec.metrics.clear();
    }
    let judged = |summary: &Summary| {
        let results = judge(summary, &mut |_| Ok(whole.clone())).unwrap();
        results.iter().map(|result| result.verdict).collect::<Vec<_>>()
    };
    assert_eq!(judged(&whole), [Pass, Pass, Pass]);
    assert_eq!(judged(&failed), [Pass, Pass, CantTell]);
}

#[test]
fn what_was_not_run_or_not_reached_keeps_no_limit() {
    let judged = |where_: &str, change: fn(&mut Summary)| {
        let threshold =
            format!("[[threshold]]\nmetric = \"latency\"\nwhere = \"{where_}\"\nbelow = \"80ms\"\n");
        let mut summary = run(&threshold, 1.0);
        change(&mut summary);
        judge(&summary, &mut |_| Err(String::new())).unwrap()
    };
    let without_kafka = |summary: &mut Summary| {
        let part = Part::Cell(Box::new(Cell {
            mode: "kafka:acks-1".parse().unwrap(),
            ..summary.cells[0].axes.clone()
        }));
        let why = "librdkafka is not installed".to_owned();
        summary.not_run.push(NotRun { what: part.to_string(), why, part: Some(part) });
    };
    let told = judged("link=lan", without_kafka);
    assert_eq!(overall(&told), CantTell, "{told:?}");
    assert!(told[2].text == "not run: librdkafka is not installed", "{told:?}");
    assert_eq!(overall(&judged("mode=tcp", without_kafka)), Pass);
    let interrupted = judged("link=lan", |summary| summary.run.complete = false);
    assert_eq!(overall(&interrupted), CantTell, "{interrupted:?}");
}

/// Each trial lost 1 of 10: the loss of a cell is known to some points nevertheless.
#[test]
fn equal_shares_in_all_trials_are_no_certainty() {
    let losing = |share: f64, worse_by: &str| {
        let threshold =
            format!("[[threshold]]\nmetric = \"lost\"\nthan = \"base\"\nworse_by = \"{worse_by}\"\n");
        made_up::messages(&format!("{STUDY}{threshold}"), move |_, _| vec![("lost", share)])
    };
    let judged = |worse_by: &str| {
        let results = judge(&losing(0.1, worse_by), &mut |_| Ok(losing(0.1, worse_by))).unwrap();
        (results[0].verdict, results[0].text.clone())
    };
    // 50 of 500 on both sides.
    let (verdict, text) = judged("1%");
    assert_eq!(verdict, NotDecided);
    assert!(text.starts_with("lost 10 %, in made-up 10 %: worse by [-3.87, 3.87] points"), "{text}");
    assert_eq!(judged("5%").0, Pass);
}

#[test]
fn of_nothing_no_share_is_taken() {
    let repeated = |cpu: f64| {
        let threshold = "[[threshold]]\nmetric = \"latency\"\nthan = \"base\"\nworse_by = \"5%\"\n";
        made_up::messages(&format!("{STUDY}{threshold}"), move |cell, repeat| {
            vec![("latency", cpu * noise(&cell.to_string(), repeat))]
        })
    };
    let more = judge(&repeated(1e3), &mut |_| Ok(repeated(0.0))).unwrap();
    assert!(more[0].verdict == Fail && more[0].text.contains(": it was 0, worse by ["), "{more:?}");
    let none = judge(&repeated(0.0), &mut |_| Ok(repeated(0.0))).unwrap();
    assert_eq!(none[0].verdict, Pass, "{none:?}");
}

#[test]
fn samples_that_were_replaced_are_told() {
    let study = format!("{STUDY}[[threshold]]\nmetric = \"body\"\nthan = \"base\"\nworse_by = \"5%\"\n");
    let with = |digest: &str, bytes: f64| {
        let mut summary = made_up::run(&study, |_, _| Vec::new(), |_, _| vec![("body", bytes)]);
        summary.inputs.insert("payload small message.proto".to_owned(), digest.to_owned());
        summary.inputs.insert("payload small samples.jsonl".to_owned(), digest.to_owned());
        summary
    };
    let judged = judge(&with("b", 60.0), &mut |_| Ok(with("a", 100.0))).unwrap();
    let codec = judged.iter().find(|result| result.text.starts_with("body")).unwrap();
    assert!(codec.text.ends_with("; the samples differ"), "{judged:?}");
}

/// Samples of 80 to 120 bytes: every trial has the same mean.
#[test]
fn what_the_samples_decide_needs_one_repeat_also_where_they_differ() {
    let study = "name = \"m\"\nwhy = \"?\"\n[axes]\npayload = [\"small\"]\ncodec = [\"protobuf/prost\"]\n[trials]\nrepeats = 1\n\
                 [[threshold]]\nmetric = \"body\"\nbelow = \"200B\"\n";
    let mut summary = made_up::run(study, |_, _| Vec::new(), |_, _| vec![("body", 100.0)]);
    let body = summary.codecs[0].metrics.get_mut("body").unwrap();
    (body.min, body.max) = (80.0, 120.0);
    assert_eq!(judge(&summary, &mut |_| Err(String::new())).unwrap()[0].verdict, Pass);
}

/// What two clocks may have made up is not decided, however many trials show it.
#[test]
fn clocks_leave_a_limit_open_that_trials_decide() {
    let of = |thresholds: &str, bound_ns: u64| {
        let with = |thresholds: &str, times: f64| {
            let mut summary = run(thresholds, times);
            summary.cells.iter_mut().for_each(|cell| cell.clock_bound_ns = Some(bound_ns));
            summary
        };
        judge(&with(thresholds, 1.0), &mut |_| Ok(with("", 2.0))).unwrap().remove(0)
    };
    let below = |limit: &str| format!("[[threshold]]\nmetric = \"latency\"\nbelow = \"{limit}\"\n");
    assert_eq!(of(&below("80ms"), 10_000_000).verdict, Pass);
    assert_eq!(of(&below("20ms"), 10_000_000).verdict, Fail);
    for limit in ["80ms", "20ms"] {
        let open = of(&below(limit), 40_000_000);
        assert_eq!(open.verdict, NotDecided, "{open:?}");
        assert!(open.text.contains("not decided: clocks, which may be wrong by 40 ms"), "{open:?}");
    }
    // 50 ms, and 100 ms in the stored run.
    let than = "[[threshold]]\nmetric = \"latency\"\nthan = \"slow\"\nworse_by = \"5%\"\n";
    assert_eq!(of(than, 5_000_000).verdict, Pass);
    let open = of(than, 40_000_000);
    assert_eq!(open.verdict, NotDecided, "{open:?}");
    assert!(open.text.contains("clocks, which may be wrong by 80 ms"), "{open:?}");
    let bytes = "[[threshold]]\nmetric = \"wire_per_message\"\nabove = \"399B\"\n";
    assert_eq!(of(bytes, 40_000_000).verdict, Pass, "clocks are not in it");
}

//! Knees of latency over rate, of made-up runs.

use crate::made_up::{self, Figures};
use wiredyno_answers::knees;
use wiredyno_model::Cell;
use wiredyno_model::summary::{Knee, KneeReason, OpenRate, OpenReason, Outcomes, RatioInterval, Summary};

const STUDY: &str = r#"
name = "made-up"
why = "?"
[axes]
payload = ["small"]
codec = ["protobuf/prost"]
mode = ["mqtt:qos1", "tcp"]
link = ["lan"]
rate = ["4k/s", "1k/s", "2k/s", "8k/s"]
[load]
kind = "open"
messages = 10
deadline = "2s"
drain = "8s"
"#;

/// Latency of a queue that carries this many a second: 1 / (most - rate), in seconds.
fn run(most_per_s: f64) -> Summary {
    let figures = |cell: &Cell, _: u32| -> Figures {
        let left = most_per_s - cell.rate.unwrap().per_s();
        vec![("latency", if left > 0.0 { 1e9 / left } else { 1e9 })]
    };
    made_up::messages(STUDY, figures)
}

fn told(knee: &Knee) -> (String, Option<String>, Option<String>, Option<KneeReason>) {
    let text = |rate: Option<wiredyno_contract::MessageRate>| rate.map(|rate| rate.to_string());
    (knee.axes.mode.to_string(), text(knee.rate), text(knee.beyond), knee.why)
}

#[test]
fn the_knee_is_the_highest_rate_before_latency_doubles() {
    // At 4k/s it is 5/2 of that at 1k/s, at 2k/s 5/4.
    let found = knees(&run(6_000.0));
    let expected = |mode: &str| {
        (mode.to_owned(), Some("2k/s".to_owned()), Some("4k/s".to_owned()), Some(KneeReason::Latency))
    };
    assert_eq!(found.iter().map(told).collect::<Vec<_>>(), [expected("mqtt:qos1"), expected("tcp")]);
    let said = wiredyno_answers::knees::sentence(&found[1]).to_plain();
    assert_eq!(
        said,
        "small protobuf/prost tcp lan kept up at 2k/s; at 4k/s latency was more than twice that at the lowest rate."
    );
    let (_, rate, beyond, why) = told(&knees(&run(1e6))[0]);
    assert_eq!((rate.as_deref(), beyond, why), (Some("8k/s"), None, None));
}

#[test]
fn what_is_overloaded_or_loses_more_is_beyond_the_knee_whatever_its_latency() {
    let mut summary = run(1e6);
    for cell in &mut summary.cells {
        let (tcp, rate) = (cell.axes.mode.protocol == "tcp", cell.axes.rate.unwrap().per_s());
        let lost = if rate >= 4_000.0 && !tcp { [0.1, 0.2] } else { [0.0, 0.005] };
        cell.lost_ratio = Some(RatioInterval { ratio: lost[0], interval_95: lost });
        cell.outcomes.overloaded = u32::from(tcp);
    }
    let found = knees(&summary);
    let mqtt =
        ("mqtt:qos1".to_owned(), Some("2k/s".to_owned()), Some("4k/s".to_owned()), Some(KneeReason::Lost));
    let tcp = ("tcp".to_owned(), None, Some("1k/s".to_owned()), Some(KneeReason::NotComplete));
    assert_eq!(found.iter().map(told).collect::<Vec<_>>(), [mqtt, tcp]);
    summary.cells.retain(|cell| cell.axes.rate.unwrap().per_s() < 1_500.0);
    assert!(knees(&summary).is_empty(), "one rate has no curve");
}

#[test]
fn a_rate_that_the_stand_spoilt_is_unknown_and_one_that_loses_is_not_kept_up_with() {
    let mut spoilt = run(1e6);
    for cell in &mut spoilt.cells {
        if cell.axes.rate.unwrap().per_s() < 2_000.0 {
            cell.valid_trials = 0;
            cell.outcomes = Outcomes { invalid: 5, ..Outcomes::default() };
            cell.metrics.clear();
        }
    }
    let (_, rate, beyond, why) = told(&knees(&spoilt)[0]);
    assert_eq!((rate.as_deref(), beyond, why), (Some("8k/s"), None, None));
    let mut lossy = run(1e6);
    for cell in &mut lossy.cells {
        cell.delivery.lost = cell.delivery.sent;
        cell.delivery.delivered = 0;
        cell.metrics.clear();
    }
    let (_, rate, _, why) = told(&knees(&lossy)[0]);
    assert_eq!((rate, why), (None, Some(KneeReason::Lost)));
}

fn open(knee: &Knee) -> Option<(String, OpenReason)> {
    knee.open.map(|OpenRate { rate, why }| (rate.to_string(), why))
}

/// Ten messages of which none was lost, one trial, and a missing latency are not "kept up at every requested rate".
#[test]
fn what_the_data_leave_open_is_not_kept() {
    let all = |change: &dyn Fn(&mut wiredyno_model::summary::CellSummary)| {
        let mut summary = run(1e6);
        summary.cells.iter_mut().for_each(change);
        knees(&summary)[0].clone()
    };
    let few = all(&|cell| (cell.delivery.sent, cell.delivery.delivered) = (10, 10));
    assert_eq!((told(&few).1, open(&few)), (None, Some(("1k/s".to_owned(), OpenReason::Messages))));
    let said = wiredyno_answers::knees::sentence(&few).to_plain();
    assert!(
        said.ends_with(
            "is not shown to keep up at any rate; 1k/s is not decided: more messages would tell whether it loses over 1 %."
        ),
        "{said}"
    );
    let once = all(&|cell| {
        cell.metrics.get_mut("latency").unwrap().by_repeat.retain(|repeat, _| *repeat == 0);
    });
    assert_eq!(
        (told(&once).1.as_deref(), open(&once)),
        (Some("1k/s"), Some(("2k/s".to_owned(), OpenReason::Trials)))
    );
    let without = all(&|cell| cell.metrics.clear());
    assert_eq!((told(&without).1, open(&without)), (None, Some(("1k/s".to_owned(), OpenReason::NoFigure))));
}

/// Around a factor of two: some repeats below, some above.
#[test]
fn a_factor_whose_interval_holds_two_is_not_decided() {
    let figures = |cell: &Cell, repeat: u32| -> Figures {
        let base = if cell.rate.unwrap().per_s() < 1_500.0 { 1e6 } else { 2e6 };
        let scatter = if cell.rate.unwrap().per_s() < 1_500.0 { 1.0 } else { made_up::drift(repeat) };
        vec![("latency", base * scatter)]
    };
    let found = knees(&made_up::messages(STUDY, figures))[0].clone();
    assert_eq!(
        (told(&found).1.as_deref(), told(&found).2, open(&found)),
        (Some("1k/s"), None, Some(("2k/s".to_owned(), OpenReason::Trials)))
    );
    let said = wiredyno_answers::knees::sentence(&found).to_plain();
    assert!(
        said.ends_with(
            "kept up at 1k/s; 2k/s is not decided: more trials would tell whether latency doubles."
        ),
        "{said}"
    );
}

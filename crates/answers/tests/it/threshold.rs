//! Thresholds over made-up runs.

use crate::made_up::{self, Figures, drift, noise};
use wiredyno_answers::threshold::{judge, overall};
use wiredyno_model::Cell;
use wiredyno_model::summary::{Summary, ThresholdVerdict};

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

use ThresholdVerdict::{CantTell, Fail, Pass};

#[test]
fn a_limit_is_kept_where_the_whole_interval_keeps_it() {
    for (below, expected) in [("80ms", Pass), ("52ms", CantTell), ("20ms", Fail)] {
        let found = verdicts(&format!("[[threshold]]\nmetric = \"latency\"\nbelow = \"{below}\"\n"));
        assert_eq!(found, [expected, expected], "{below}");
    }
    let of_one = "[[threshold]]\nmetric = \"latency\"\nwhere = \"mode=tcp\"\nbelow = \"80ms\"\n";
    assert_eq!(verdicts(of_one), [Pass]);
    assert_eq!(verdicts("[[threshold]]\nmetric = \"latency.p99\"\nbelow = \"1s\"\n"), [CantTell, CantTell]);
    assert_eq!(verdicts("[[threshold]]\nmetric = \"latency.max\"\nbelow = \"40ms\"\n"), [Fail, Fail]);
    assert_eq!(verdicts("[[threshold]]\nmetric = \"wire_per_message\"\nabove = \"399B\"\n"), [Pass, Pass]);
    assert_eq!(verdicts("[[threshold]]\nmetric = \"body\"\nbelow = \"9B\"\n"), [CantTell]);
}

/// What was not measured keeps no limit.
#[test]
fn a_cell_without_a_complete_trial_does_not_pass() {
    let mut summary = run("[[threshold]]\nmetric = \"latency\"\nbelow = \"80ms\"\n", 1.0);
    summary.cells[0].valid_trials = 0;
    let results = judge(&summary, &mut |_| Err(String::new())).unwrap();
    assert_eq!(results.iter().map(|result| result.verdict).collect::<Vec<_>>(), [Pass, CantTell]);
    assert_eq!(results[1].text, "no complete trial");
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
    // On another machine times can't be told.
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

//! What reports of a made-up summary say: the best and its rivals, what qualifies figures, what was not run.

use crate::made_up;
use wiredyno_contract::{Capability, Ratio};
use wiredyno_model::Until;
use wiredyno_model::summary::{Metric, Outcomes, StopReason, Stopped, Summary, UnderOverload, Withheld};
use wiredyno_model::trial::{BrokerUsed, PEER};
use wiredyno_report::{Format, render, terminal};

/// The line of the Markdown report about this condition under this heading.
pub(crate) fn answer(summary: &Summary, heading: &str, condition: &str) -> String {
    let text = render(summary, Format::Markdown).unwrap();
    let section = text.split("### ").find(|section| section.starts_with(heading));
    let section = section.unwrap_or_else(|| panic!("no heading {heading} in\n{text}"));
    let line = section.lines().find(|line| line.starts_with(&format!("- *{condition}*")));
    line.unwrap_or_else(|| panic!("nothing on {condition} in\n{section}")).to_owned()
}

/// Sets the latency of a cell: its mean and half of its interval's width, in milliseconds.
pub(crate) fn set_latency(summary: &mut Summary, name: &str, mean_ms: f64, half_ms: Option<f64>) {
    let cell = summary.cells.iter_mut().find(|cell| cell.axes.to_string() == name).unwrap();
    let latency = cell.metrics.get_mut("latency").unwrap();
    latency.mean = mean_ms * 1e6;
    latency.interval_95 = half_ms.map(|half| [(mean_ms - half) * 1e6, (mean_ms + half) * 1e6]);
    let trials = if half_ms.is_some() { 5 } else { 4 };
    latency.by_repeat = made_up::by_repeat(latency.mean, half_ms.unwrap_or(0.0) * 1e6, trials);
}

/// The part of the terminal's text after the answer.
pub(crate) fn behind_the_answer(summary: &Summary, columns: usize) -> String {
    terminal(summary, columns).split_once("\n\n").unwrap().1.to_owned()
}

#[test]
fn a_clear_best_is_named_with_its_interval_and_the_next() {
    let mut summary = made_up::summary();
    set_latency(&mut summary, "small protobuf/prost tcp lte loss 0%", 20.0, Some(0.4));
    set_latency(&mut summary, "small json/serde-json tcp lte loss 0%", 30.0, Some(0.5));
    assert_eq!(
        answer(&summary, "Fastest delivery", "small, lte, 0 % loss"),
        "- *small, lte, 0 % loss*: **protobuf/prost over tcp**: **20.00 ms** [19.60, 20.40]. \
         Next json/serde-json over tcp, 30.0 ms [29.5, 30.5]."
    );
}

#[test]
fn what_can_not_be_told_apart_is_a_tie() {
    let mut summary = made_up::summary();
    set_latency(&mut summary, "small protobuf/prost tcp lte loss 0%", 20.0, Some(1.0));
    set_latency(&mut summary, "small json/serde-json tcp lte loss 0%", 20.5, Some(1.0));
    let line = answer(&summary, "Fastest delivery", "small, lte, 0 % loss");
    assert!(line.contains("**protobuf/prost over tcp**: **20.0 ms** [19.0, 21.0], tied with **json/serde-json over tcp**. Next"), "{line}");
}

#[test]
fn without_intervals_no_order_is_claimed() {
    let mut summary = made_up::summary();
    for cell in &mut summary.cells {
        cell.valid_trials = 3;
        for metric in cell.metrics.values_mut() {
            metric.interval_95 = None;
            metric.median_interval_95 = None;
        }
    }
    let line = answer(&summary, "Fastest delivery", "small, lte, 0 % loss");
    assert!(line.contains("Lowest measured: ") && line.contains("no order is claimed"), "{line}");
    assert!(!line.contains('['), "{line}");
    let text = terminal(&summary, 100);
    assert!(text.contains("No interval with fewer than 5 complete trials"), "{text}");
}

#[test]
fn a_best_without_interval_does_not_beat_one_that_has_it() {
    let mut summary = made_up::summary();
    set_latency(&mut summary, "small protobuf/prost tcp lte loss 0%", 20.0, Some(1.0));
    set_latency(&mut summary, "small json/serde-json tcp lte loss 0%", 12.0, None);
    let line = answer(&summary, "Fastest delivery", "small, lte, 0 % loss");
    assert!(line.contains("**protobuf/prost over tcp**: **20.0 ms**"), "{line}");
    assert!(
        line.contains("json/serde-json over tcp measured about as good or better, but without an interval"),
        "{line}"
    );
}

#[test]
fn a_study_that_goes_on_says_how_each_combination_stopped() {
    let mut summary = made_up::summary();
    assert!(!render(&summary, Format::Markdown).unwrap().contains("How many trials"));
    summary.study.trials.until =
        Some(Until { metric: "latency".into(), within: Ratio::from_percent(5), at_most: 30 });
    for (place, cell) in summary.cells.iter_mut().enumerate() {
        let (why, within) = match place {
            0 => (StopReason::Limit, Some(0.0812)),
            1 => (StopReason::NotMeasured, None),
            _ => (StopReason::Reached, Some(0.04)),
        };
        cell.stopped = Some(Stopped { why, within });
    }
    let (cells, first) = (summary.cells.len(), summary.cells[0].axes.to_string());
    let text = render(&summary, Format::Markdown).unwrap();
    let row = text.lines().find(|line| line.contains(&first) && line.contains("limit")).unwrap();
    assert!(row.contains("8.12 %"), "{row}");
    assert_eq!(text.lines().filter(|line| line.contains("| reached")).count(), cells - 2, "{text}");
    assert!(text.contains("5 to 30 repeats"), "{text}");
    let caution = terminal(&summary, 100).replace("\n  ", " ");
    let expected = format!(
        "{} of {cells} combinations are as precise as asked: each was repeated until the 95 % interval of `latency` is \
         within 5 % of the mean, at most 30 trials; 1 stopped at the limit, with wider intervals; 1 have no such \
         figure.",
        cells - 2
    );
    assert!(caution.contains(&expected), "{caution}");
}

#[test]
fn a_governor_that_changes_the_frequency_and_a_busy_machine_are_named() {
    let mut summary = made_up::summary();
    assert!(!terminal(&summary, 100).contains("governor"));
    summary.environment.governor = "powersave".into();
    summary.environment.load_1min = 7.25;
    let text = terminal(&summary, 100).replace("\n  ", " ");
    assert!(text.contains("The frequency governor is powersave"), "{text}");
    assert!(text.contains("The load average was 7.2 before the run on 2 CPUs"), "{text}");
}

#[test]
fn no_difference_is_said_where_all_tie() {
    let mut summary = made_up::summary();
    summary.codecs.retain(|codec| codec.axes.payload.name == "small");
    for (codec, order) in summary.codecs.iter_mut().zip([[0, 1, 2, 3, 4], [3, 1, 0, 4, 2]]) {
        let total = codec.metrics.get_mut("total").unwrap();
        (total.mean, total.interval_95) = (400.0, Some([390.0, 410.0]));
        total.by_repeat = order.into_iter().zip([390.0, 395.0, 400.0, 405.0, 410.0]).collect();
    }
    let line = answer(&summary, "Least codec time", "small");
    assert!(line.contains("No significant difference: **both tie**, 400 ns"), "{line}");
}

#[test]
fn one_hop_beside_two_is_told_and_has_a_column() {
    let mut summary = made_up::summary();
    let text = terminal(&summary, 100);
    assert!(!text.contains("One hop") && !text.contains("one hop"), "{text}");
    let udp = summary.transports_described.iter_mut().find(|t| t.id.protocol == "udp").unwrap();
    udp.capabilities.push(Capability::Direct);
    for cell in summary.cells.iter_mut().filter(|cell| cell.axes.mode.protocol == "udp") {
        cell.broker.as_mut().unwrap().id = "peer".into();
    }
    let markdown = render(&summary, Format::Markdown).unwrap();
    assert!(markdown.contains("**One hop and two hops**: messages of udp go directly"), "{markdown}");
    let rows = markdown.lines().filter(|line| line.contains("| udp | 1 |")).count();
    assert!(rows > 0 && markdown.lines().any(|line| line.contains("| tcp | 2 |")), "{markdown}");
    // Each is ranked among its kind, in sentences and heat maps.
    let one = answer(&summary, "Fastest delivery", "small, lte, 0 % loss, one hop");
    assert!(one.contains("over udp") && !one.contains("over tcp"), "{one}");
    let two = answer(&summary, "Fastest delivery", "small, lte, 0 % loss, two hops");
    assert!(two.contains("over tcp") && !two.contains("over udp"), "{two}");
    // 5 % on the one remaining leg.
    assert!(markdown.contains("independent loss on 1 leg predicts 5 %"), "{markdown}");
}

#[test]
fn what_to_be_careful_with_is_listed() {
    let mut summary = made_up::summary();
    summary.run.utilisation = 0.84;
    summary.run.complete = false;
    let text = render(&summary, Format::Markdown).unwrap();
    for part in [
        "**The run was interrupted**",
        "trials are invalid**, the stand's own fault. They are in no figure",
        "**embedded 0.20.0** is labelled: embedded, for a first look",
        "**2 combinations** could not be run",
        "**The machine was busy 84 % of the time**",
        "Use fewer lanes to find out.",
        "the body does not fit a datagram: choose a smaller payload",
        "packets left the link up to 8.2ms late",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn with_one_lane_nobody_is_told_to_use_fewer() {
    let mut summary = made_up::summary();
    (summary.run.utilisation, summary.run.lanes) = (0.84, 1);
    let text = render(&summary, Format::Markdown).unwrap();
    assert!(text.contains("busy 84 %") && text.contains("Send less, or use"), "{text}");
    assert!(!text.contains("fewer lanes"), "{text}");
}

#[test]
fn the_way_of_messages_stands_above_the_cells_or_beside_each() {
    let mut summary = made_up::summary();
    let text = terminal(&summary, 100);
    assert!(text.contains("small, lte, 0 % loss; there and back, two hops\n"), "{text}");
    summary.study.hosts.subscriber = wiredyno_model::Host::Cloud;
    let text = terminal(&summary, 100);
    assert!(text.contains("small, lte, 0 % loss; one way, two hops\n"), "{text}");
    summary.cells[0].broker = Some(BrokerUsed { id: PEER.to_owned(), ..BrokerUsed::default() });
    let text = behind_the_answer(&summary, 140);
    let of = |mode: &str| text.lines().find(|line| line.contains(mode)).unwrap_or_else(|| panic!("{text}"));
    assert!(
        of("mqtt:qos0").contains("one way, one hop") && of("mqtt:qos1").contains("one way, two hops"),
        "{text}"
    );
}

#[test]
fn a_complete_trial_without_latency_is_called_valid_and_what_was_not_run_comes_first() {
    let mut summary = made_up::summary();
    let cell = &mut summary.cells[0];
    cell.metrics.remove("latency");
    let first = |summary: &Summary| {
        behind_the_answer(summary, 140).lines().find(|line| line.contains("mqtt:qos0")).unwrap().to_owned()
    };
    assert!(first(&summary).contains("no latency"), "{}", first(&summary));
    summary.cells[0].delivery.delivered = 0;
    assert!(first(&summary).contains("nothing arrived"), "{}", first(&summary));
    summary.cells[0].outcomes = Outcomes { invalid: 5, ..Outcomes::default() };
    assert!(first(&summary).contains("no valid trial"), "{}", first(&summary));
    summary.cells[0].invalid = (0..9).map(|number| format!("reason {number}")).collect();
    let text = terminal(&summary, 140);
    let left_out = text.split("Left out\n").nth(1).unwrap();
    assert!(left_out.contains("the body does not fit a datagram"), "{left_out}");
}

#[test]
fn unknown_metrics_are_shown() {
    let mut summary = made_up::summary();
    let latency = summary.cells[0].metrics["latency"].clone();
    summary.cells[0].metrics.insert("queue_depth".into(), latency);
    assert!(render(&summary, Format::Markdown).unwrap().contains(r"| Queue depth | queue\_depth |"));
}

#[test]
fn what_comes_before_the_measured_messages_has_a_section_of_its_own() {
    let mut summary = made_up::summary();
    let told = |summary: &Summary| render(summary, Format::Markdown).unwrap();
    assert!(!told(&summary).contains("## What does it cost before the first message?"));
    let latency = summary.cells[0].metrics["latency"].clone();
    for name in ["first_message", "setup_wire"] {
        summary.cells[0].metrics.insert(name.into(), latency.clone());
    }
    let text = told(&summary);
    assert!(
        text.contains("## What does it cost before the first message?")
            && text.contains("| first message | bytes of set-up |"),
        "{text}"
    );
}

#[test]
fn overloaded_and_failed_trials_stand_in_their_row_and_in_a_section_of_their_own() {
    let mut summary = made_up::summary();
    let [first, second, ..] = summary.cells.as_mut_slice() else { panic!("the made-up run has cells") };
    let (metrics, delivery, lost_ratio) = (first.metrics.clone(), first.delivery, first.lost_ratio);
    first.under_overload = Some(UnderOverload { metrics, delivery, lost_ratio });
    first.metrics.clear();
    first.valid_trials = 0;
    first.trials = 5;
    first.outcomes = Outcomes { overloaded: 4, failed: 1, ..Outcomes::default() };
    first.overloaded = vec!["the broker could not keep the rate (4 times)".into()];
    first.failed = vec!["the connection was reset".into()];
    second.outcomes = Outcomes { complete: second.valid_trials, failed: 2, ..Outcomes::default() };
    let text = render(&summary, Format::Markdown).unwrap();
    assert!(text.contains("## What was overloaded, and what failed?"), "{text}");
    let results =
        text.split("## What was measured for each combination?").nth(1).unwrap().split("## ").next().unwrap();
    let row = results.lines().find(|line| line.contains("4 overloaded")).unwrap();
    assert!(row.contains("0 of 5") && row.contains("1 failed") && row.contains("| overloaded |"), "{row}");
    assert!(results.contains("2 failed"), "{results}");
    assert!(text.contains("4 of ") && text.contains("are overloaded"), "{text}");
    let left_out = text.split("## What was left out, and why?").nth(1).unwrap();
    assert!(!left_out.contains("connection was reset"), "a result is not left out");
    assert!(terminal(&summary, 100).contains("the broker could not keep the rate"));
}

#[test]
fn a_latency_that_grows_over_a_trial_is_told() {
    let mut summary = made_up::summary();
    let trend = |mean: f64, interval| Metric {
        unit: "ratio".into(),
        mean,
        interval_95: Some(interval),
        ..summary.cells[0].metrics["latency"].clone()
    };
    let (grows, noise) = (trend(0.5, [0.3, 0.7]), trend(0.5, [-0.1, 1.1]));
    summary.cells[1].metrics.insert("latency_trend".into(), noise);
    summary.cells[0].metrics.insert("latency_trend".into(), grows);
    let text = render(&summary, Format::Markdown).unwrap();
    assert_eq!(text.matches("is not steady").count(), 1, "{text}");
    assert!(text.contains("its latency rises by 50"), "{text}");
}

#[test]
fn keep_alives_in_the_bytes_per_message_are_told() {
    let mut summary = made_up::summary();
    let wire = summary.cells[0].metrics["wire_per_message"].clone();
    let of_wire = |share: f64| Metric { mean: wire.mean * share, ..wire.clone() };
    let told = |summary: &Summary| {
        render(summary, Format::Markdown)
            .unwrap()
            .contains("Bytes per message include what is sent by the clock")
    };
    summary.cells[0].metrics.insert("keep_alive_wire".into(), of_wire(0.04));
    assert!(!told(&summary));
    summary.cells[0].metrics.insert("keep_alive_wire".into(), of_wire(0.21));
    let text = render(&summary, Format::Markdown).unwrap();
    assert!(told(&summary) && text.contains("21") && text.contains("are keep-alives"), "{text}");
}

#[test]
fn what_is_sent_by_the_clock_is_not_told_apart_where_frames_are_encrypted() {
    let mut summary = made_up::summary();
    let told =
        |summary: &Summary| render(summary, Format::Markdown).unwrap().contains("frames can't be read");
    assert!(!told(&summary), "runs of older versions have no classes either");
    summary.cells[0].axes.security = Some(wiredyno_contract::Security::Tls);
    assert!(told(&summary));
}

/// The less a client takes, the sooner its CPU time is withheld.
#[test]
fn the_best_is_named_with_those_of_whom_the_metric_is_withheld() {
    const METRIC: &str = "publisher_cpu_per_message";
    let mut summary = made_up::summary();
    let first = made_up::metric("ns", 86_900.0, 100.0, 5);
    summary.cells[0].metrics.insert(METRIC.into(), first);
    summary.cells.truncate(2);
    let [one, other] = summary.cells.as_mut_slice() else { panic!() };
    other.axes = wiredyno_model::Cell { mode: "tcp".parse().unwrap(), ..one.axes.clone() };
    other.metrics.remove(METRIC);
    let with = |bound: f64, summary: &Summary| {
        let mut summary = summary.clone();
        let known = Withheld { bound: Some(bound), rate_per_s: Some(20.0), trials: Some(16) };
        summary.cells[1].withheld.insert(METRIC.into(), known);
        render(&summary, Format::Markdown).unwrap()
    };
    let name = format!("{} over {}", summary.cells[1].axes.coding(), summary.cells[1].axes.sending());
    let text = with(200e3, &summary);
    assert!(text.contains(&format!("Withheld, and so not compared: {name} (at most 200")), "{text}");
    let text = with(40e3, &summary);
    assert!(text.contains(&format!("Better than these is {name} (at most 40")), "{text}");
    assert!(text.contains("no number of messages is enough: it takes at least 20"), "{text}");
    assert!(text.contains("or 16 trials like these"), "{text}");
}

/// An older version's "pass" for a latency that does not exist.
#[test]
fn thresholds_of_an_older_version_are_judged_anew() {
    let mut summary = made_up::summary();
    summary.study.threshold =
        serde_json::from_value(serde_json::json!([{ "metric": "latency", "below": "1h" }])).unwrap();
    let passed = |summary: &Summary| {
        let text = render(summary, Format::Markdown).unwrap();
        text.lines().find(|line| line.contains(" can't be told.")).unwrap().to_owned()
    };
    summary.not_run.clear();
    summary.cells.retain(|cell| cell.valid_trials > 4);
    assert!(passed(&summary).contains("**Pass**"), "{}", passed(&summary));
    summary.thresholds = wiredyno_answers::threshold::judge(&summary, &mut |_| Err(String::new())).unwrap();
    summary.cells.iter_mut().for_each(|cell| drop(cell.metrics.remove("latency")));
    assert!(passed(&summary).contains("**Can't tell**"), "{}", passed(&summary));
}

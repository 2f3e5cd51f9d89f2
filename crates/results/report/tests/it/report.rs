//! The texts of reports of a made-up summary, in each format.

use crate::made_up;
use wiredyno_contract::{
    Capability, Missing, OptionKind, OptionTable, OptionValue, Ratio, TransportOption, TransportSetting,
};
use wiredyno_model::Until;
use wiredyno_model::summary::{
    CellSummary, Metric, Outcomes, StopReason, Stopped, Summary, UnderOverload, Withheld,
};
use wiredyno_model::trial::{BrokerUsed, Delivery, PEER};
use wiredyno_report::{Format, render, terminal};

/// The line of the Markdown report about this condition under this heading.
fn answer(summary: &Summary, heading: &str, condition: &str) -> String {
    let text = render(summary, Format::Markdown).unwrap();
    let section = text.split("### ").find(|section| section.starts_with(heading));
    let section = section.unwrap_or_else(|| panic!("no heading {heading} in\n{text}"));
    let line = section.lines().find(|line| line.starts_with(&format!("- *{condition}*")));
    line.unwrap_or_else(|| panic!("nothing on {condition} in\n{section}")).to_owned()
}

/// Sets the latency of a cell: its mean and half of its interval's width, in milliseconds.
fn set_latency(summary: &mut Summary, name: &str, mean_ms: f64, half_ms: Option<f64>) {
    let cell = summary.cells.iter_mut().find(|cell| cell.axes.to_string() == name).unwrap();
    let latency = cell.metrics.get_mut("latency").unwrap();
    latency.mean = mean_ms * 1e6;
    latency.interval_95 = half_ms.map(|half| [(mean_ms - half) * 1e6, (mean_ms + half) * 1e6]);
    let trials = if half_ms.is_some() { 5 } else { 4 };
    latency.by_repeat = made_up::by_repeat(latency.mean, half_ms.unwrap_or(0.0) * 1e6, trials);
}

/// The part of the terminal's text after the answer.
fn behind_the_answer(summary: &Summary, columns: usize) -> String {
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
fn a_fast_mode_that_loses_messages_is_said_to_and_the_best_complete_one_stands_beside_it() {
    let mut summary = made_up::summary();
    set_latency(&mut summary, "small protobuf/prost udp lte loss 5%", 20.0, Some(1.0));
    set_latency(&mut summary, "small json/serde-json tcp lte loss 5%", 90.0, Some(1.0));
    let line = answer(&summary, "Fastest delivery", "small, lte, 5 % loss");
    assert!(
        line.contains(
            "**json/serde-json over tcp**: **90.0 ms** [89.0, 91.0]. Next protobuf/prost over tcp, "
        ),
        "{line}"
    );
    assert!(
        line.ends_with(
            "over udp measured lower, from 20.0 ms [19.0, 21.0] on, but are missing messages (10 % [2, 18])."
        ),
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
    assert!(markdown.contains("**One hop beside two**: messages of udp go directly"), "{markdown}");
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
fn the_loss_of_a_datagram_mode_stands_beside_the_model() {
    let text = terminal(&made_up::summary(), 100).replace("\n  ", " ");
    // 1 - 0.95^2: up to the relay and down again. The large JSON body takes several packets and is left out.
    assert!(text.contains("predicts 9.75 %, which lies inside."), "{text}");
    assert_eq!(
        text.matches("independent loss").count(),
        1,
        "only udp declares datagrams without repeats:\n{text}"
    );
}

/// The made-up summary with CoAP's modes as their transport describes them: `con` repeats up to four times, `non` does
/// not repeat; each loses this many of 400 messages at 5 % loss.
fn with_coap(lost_by_con: u64, lost_by_non: u64) -> Summary {
    let mut summary = made_up::summary();
    let coap = summary.transports_described.iter_mut().find(|t| t.id.protocol == "coap").unwrap();
    coap.settings[0].repeats_option = Some("max_retransmit".into());
    coap.settings.push(TransportSetting::new("non", "not repeated", Vec::new()));
    coap.options.push(TransportOption {
        name: "max_retransmit".into(),
        kind: OptionKind::Whole { least: 0, most: 20 },
        default: OptionValue::Whole(4),
        about: String::new(),
        brings: Vec::new(),
    });
    let lossy = |cell: &&CellSummary| {
        cell.axes.mode.protocol == "coap" && cell.axes.loss.is_some_and(|loss| loss.get() > 0.0)
    };
    let mut con: CellSummary = summary.cells.iter().find(lossy).unwrap().clone();
    summary.cells.retain(|cell| cell.axes.mode.protocol != "coap");
    con.metrics.get_mut("body").unwrap().max = 60.0;
    for (mode, lost) in [("coap:con", lost_by_con), ("coap:non", lost_by_non)] {
        let mut cell = con.clone();
        cell.axes.mode = mode.parse().unwrap();
        cell.delivery = Delivery { sent: 400, lost, delivered: 400 - lost, ..Delivery::default() };
        summary.cells.push(cell);
    }
    summary
}

fn model_of(summary: &Summary, mode: &str) -> String {
    let text = render(summary, Format::Markdown).unwrap();
    let lost = format!("**{mode} lost** ");
    text.lines()
        .find(|line| line.contains(&lost))
        .unwrap_or_else(|| panic!("{lost} not in\n{text}"))
        .to_owned()
}

#[test]
fn con_loses_less_than_non_and_both_stand_beside_the_model() {
    let summary = with_coap(0, 39);
    let non = model_of(&summary, "coap:non");
    assert!(non.contains("39 of 400") && non.contains("predicts 9.75 %, which lies inside."), "{non}");
    // 1 - (1 - 0.05^5)^2 = 6.25e-7.
    let con = model_of(&summary, "coap:con");
    let predicted = "each sent up to 5 times, independent loss on 2 legs predicts 1 message in 1,600,000, which lies inside.";
    assert!(con.contains(predicted), "{con}");
    assert!(
        con.contains("less than coap:non lost (9.75 % [6.30, 14.19]); the 99 % intervals do not overlap."),
        "{con}"
    );
}

#[test]
fn the_model_of_con_follows_the_repeats_that_the_study_asks_for() {
    let mut summary = with_coap(2, 39);
    let options = OptionTable::from([("max_retransmit".to_owned(), OptionValue::Whole(1))]);
    summary.study.transport.insert("coap".into(), options);
    // 1 - (1 - 0.05^2)^2 = 0.499 %.
    let con = model_of(&summary, "coap:con");
    assert!(con.contains("each sent up to 2 times") && con.contains("predicts 0.499 %, which"), "{con}");
}

#[test]
fn con_that_loses_more_than_its_model_is_said_to_with_the_likely_reason() {
    let con = model_of(&with_coap(40, 39), "coap:con");
    assert!(
        con.contains("OUTSIDE: messages still queued or due for retransmission when the drain ended"),
        "{con}"
    );
    assert!(
        con.contains("MORE than coap:non lost (9.75 % [6.30, 14.19]); the 99 % intervals overlap."),
        "{con}"
    );
}

#[test]
fn a_percentile_of_few_messages_is_their_largest_and_says_so() {
    let mut summary = made_up::summary();
    let name = "small protobuf/prost tcp lte loss 0%";
    let row = |summary: &Summary| {
        let text = render(summary, Format::Markdown).unwrap();
        let table = text.split("## What was measured for each combination?").nth(1).unwrap();
        let row = table.lines().find(|line| line.starts_with("| small | protobuf/prost | tcp | 0 % |"));
        row.unwrap_or_else(|| panic!("{table}")).to_owned()
    };
    assert!(row(&summary).contains(" \u{2020} |"), "{}", row(&summary));
    // Once, not in every row.
    let said = |summary: &Summary| {
        let text = render(summary, Format::Markdown).unwrap();
        let words = text.split("\u{2020}: ").nth(1).unwrap().split('.').next().unwrap().to_owned();
        assert_eq!(text.matches("too few for a p99").count(), 1, "{text}");
        words
    };
    assert_eq!(said(&summary), "the largest of 30 to 50 messages, too few for a p99, which needs 1,000");
    let cell = summary.cells.iter_mut().find(|cell| cell.axes.to_string() == name).unwrap();
    let latency = cell.metrics.get_mut("latency").unwrap();
    (latency.count, latency.max) = (400, 349e6);
    let few = row(&summary);
    assert!(few.contains("| 349 ms \u{2020} |"), "{few}");
    assert!(said(&summary).starts_with("the largest of 30 to 400 messages"));
    let cell = summary.cells.iter_mut().find(|cell| cell.axes.to_string() == name).unwrap();
    let latency = cell.metrics.get_mut("latency").unwrap();
    (latency.count, latency.p99, latency.p99_interval_95) = (1_000, Some(120e6), Some([115e6, 131e6]));
    let enough = row(&summary);
    assert!(enough.contains("| 120 ms [115, 131], of 1,000 in ") && !enough.contains('\u{2020}'), "{enough}");
}

#[test]
fn every_share_of_lost_and_late_messages_has_its_interval() {
    let summary = made_up::summary();
    let markdown = render(&summary, Format::Markdown).unwrap();
    let delivery = markdown.split("## Did the messages arrive?").nth(1).unwrap().split("## ").next().unwrap();
    let rows: Vec<&str> = delivery.lines().filter(|line| line.starts_with("| small | ")).collect();
    assert!(!rows.is_empty());
    for row in rows {
        // Lost and late, even if there are none: `0 0 % [0, 7.1]`.
        assert_eq!(row.matches(" % [").count(), 2, "{row}");
    }
    let text = behind_the_answer(&summary, 100);
    let rows = text.lines().filter(|line| line.contains("mqtt:") || line.contains("  udp"));
    let rows: Vec<&str> = rows.filter(|line| line.contains(" ms ")).collect();
    assert!(rows.len() >= 16, "{text}");
    for row in rows {
        assert!(row.contains(" % ["), "{row}");
    }
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

/// Set `WIREDYNO_UPDATE_SNAPSHOTS` to rewrite the file, then review the difference.
#[test]
fn markdown_is_as_it_was() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots/report.md");
    let text = render(&made_up::summary(), Format::Markdown).unwrap();
    if std::env::var_os("WIREDYNO_UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let before = std::fs::read_to_string(path).unwrap_or_default();
    let differs = before.lines().zip(text.lines()).position(|(before, now)| before != now);
    assert!(
        before == text,
        "the report differs from {path}, first in line {:?}: if that is meant, run with WIREDYNO_UPDATE_SNAPSHOTS=1",
        differs.map(|line| line + 1)
    );
}

#[test]
fn a_study_of_codecs_alone_has_no_sections_on_messages() {
    let mut summary = made_up::summary();
    summary.cells.clear();
    summary.study.axes.mode.clear();
    summary.study.axes.loss.clear();
    summary.study.load = None;
    let text = render(&summary, Format::Markdown).unwrap();
    assert!(
        text.contains("## What do codecs cost alone?") && !text.contains("## How long did messages take?"),
        "{text}"
    );
    assert!(render(&summary, Format::Html).unwrap().contains("data-chart=\"phases\""));
    assert!(behind_the_answer(&summary, 100).starts_with("codecs alone"));
}

#[test]
fn of_many_codecs_text_shows_the_best_few_and_where_the_rest_is() {
    let summary = made_up::many::summary();
    let markdown = render(&summary, Format::Markdown).unwrap();
    assert!(markdown.lines().count() <= 145, "{}", markdown.lines().count());
    assert!(markdown.contains("**45 codecs of 27 formats**"), "{markdown}");
    let rows = |payload: &str| {
        let row = format!("| {payload} | ");
        markdown.lines().filter(|line| line.starts_with(&row)).count()
    };
    assert_eq!((rows("person"), rows("laser-scan")), (3, 3), "{markdown}");
    let text = terminal(&summary, 100);
    assert!(text.lines().count() <= 40 && text.contains("report.html"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let person = text.lines().find(|line| line.starts_with("  person ")).unwrap();
    assert!(person.contains("asn1-uper/rasn") && person.contains("21 B"), "{person}");
}

#[test]
fn codecs_stand_by_payload_family_and_format_with_columns_of_what_was_measured() {
    let mut summary = made_up::many::summary();
    let html = render(&summary, Format::Html).unwrap();
    let table = |html: &str, id: &str| {
        let start = html.find(&format!("<table id=\"{id}\"")).unwrap();
        html[start..].split("</table>").next().unwrap().to_owned()
    };
    let codecs = table(&html, "codec-table");
    let place = |text: &str| codecs.find(text).unwrap_or_else(|| panic!("{text} in\n{codecs}"));
    assert!(place(">json/serde-json<") < place(">bson/bson<"), "text first");
    assert!(place(">bson/bson<") < place(">avro/apache-avro<"), "then self-describing");
    assert!(place(">flatbuffers/planus<") < place(">asn1-uper/rasn<"), "then zero-copy, then telecom");
    assert!(!codecs.contains("heap to encode"));
    let sizes = table(&html, "size-table");
    assert_eq!(sizes.matches("<tr").count(), 1 + 44, "ts-103-097 was measured nowhere");
    assert!(sizes.contains("style=\"--heat:0.000\"") && sizes.contains("style=\"--heat:1.000\""));
    let peak = summary.codecs[0].metrics["body"].clone();
    summary.codecs[0].metrics.insert("encode_peak".into(), peak);
    assert!(table(&render(&summary, Format::Html).unwrap(), "codec-table").contains("heap to encode"));
}

#[test]
fn what_loses_more_is_not_the_better_for_the_latency_of_what_arrived() {
    let html = render(&made_up::summary(), Format::Html).unwrap();
    let latency = |tone: &str| html.matches(&format!("<td class=\"{tone}\" data-label=\"Latency\"")).count();
    // UDP, of two payloads.
    assert_eq!(latency("survivors"), 2);
    assert!(latency("better") > 0 && latency("worse") > 0);
}

#[test]
fn what_both_sides_lost_stands_before_what_is_known_of_the_others() {
    let html = render(&made_up::summary(), Format::Html).unwrap();
    let modes = html.split("id=\"effects-mode\"").nth(1).unwrap().split("</table>").next().unwrap();
    let place = |text: &str| modes.find(text).unwrap_or_else(|| panic!("no {text} in {modes}"));
    assert!(place(">Lost</th>") < place(">Latency</th>"), "{modes}");
    let udp =
        modes.split("<tr").find(|row| row.contains(">udp <") && row.contains("current-status")).unwrap();
    let told = "35 of 200 lost, 0 of 200 with mqtt:qos0";
    assert!(udp.find(told).unwrap() < udp.find("data-label=\"Latency\"").unwrap(), "{udp}");
    let summary = made_up::summary();
    let markdown = render(&summary, Format::Markdown).unwrap();
    let udp = markdown.lines().find(|line| line.starts_with("- **udp instead of mqtt:qos0**: c")).unwrap();
    assert!(udp.find(told).unwrap() < udp.find("latency").unwrap(), "{udp}");
    let text = terminal(&summary, 400);
    let row = text.lines().find(|line| line.contains("mean latency")).unwrap();
    assert!(row.find("lost").unwrap() < row.find("mean latency").unwrap(), "{row}");
    let results = markdown.lines().find(|line| line.starts_with("| payload | codec | mode")).unwrap();
    assert!(results.find("| lost").unwrap() < results.find("mean latency").unwrap(), "{results}");
}

#[test]
fn the_best_of_a_column_is_bold_unless_it_lost_messages() {
    let mut summary = made_up::summary();
    set_latency(&mut summary, "small protobuf/prost tcp lte loss 0%", 20.0, Some(0.4));
    set_latency(&mut summary, "small protobuf/prost udp lte loss 5%", 10.0, Some(0.4));
    let markdown = render(&summary, Format::Markdown).unwrap();
    let table = markdown.split("## What was measured for each combination?").nth(1).unwrap();
    let row = |start: &str| table.lines().find(|line| line.starts_with(start)).unwrap();
    assert!(row("| small | protobuf/prost | tcp | 0 %").contains("| **20.00 ms** [19.60, 20.40] |"));
    assert!(row("| small | json/serde-json | tcp | 0 %").contains("| 68.6 ms ["));
    assert!(row("| small | protobuf/prost | udp | 5 %").contains("| 10.00 ms ["), "it lost messages");
}

#[test]
fn a_panel_of_one_row_is_a_row_of_a_table() {
    let study = "name = \"one\"\nwhy = \"?\"\n[axes]\npayload = [\"small\", \"current-status\"]\ncodec = [\"protobuf/prost\"]\n\
                 mode = [\"mqtt:qos0\", \"tcp\"]\nlink = [\"lan\", \"lte\"]\nloss = [0.0, 0.01, 0.02, 0.03, 0.05]\n[load]\nkind = \"open\"\n\
                 interval = \"200ms\"\nmessages = 10\ndeadline = \"2s\"\ndrain = \"8s\"\n[trials]\nrepeats = 5\n";
    let rows = |html: &str| -> Vec<usize> {
        let tables = html.split("<table class=\"matrix\"").skip(1);
        tables.map(|table| table.split("</table>").next().unwrap().matches("scope=\"row\"").count()).collect()
    };
    let html = render(&made_up::summary_of(study), Format::Html).unwrap();
    let all = rows(&html);
    assert!(!all.is_empty() && all.iter().all(|rows| *rows == 20), "a table for all conditions: {all:?}");
    // The same for one mode.
    let one_mode = study
        .replace("[\"protobuf/prost\"]", "[\"protobuf/prost\", \"json/serde-json\"]")
        .replace("[\"mqtt:qos0\", \"tcp\"]", "[\"tcp\"]");
    let all = rows(&render(&made_up::summary_of(&one_mode), Format::Html).unwrap());
    assert!(!all.is_empty() && all.iter().all(|rows| *rows == 20), "{all:?}");
    for (name, summary) in made_up::studies::all() {
        let all = rows(&render(&summary, Format::Html).unwrap());
        assert!(!all.contains(&1), "{name}: {all:?}");
    }
}

#[test]
fn what_nobody_has_has_no_figure_and_no_section() {
    let all = made_up::studies::all();
    let of = |name: &str| {
        let (_, summary) = all.iter().find(|(known, _)| *known == name).unwrap();
        render(summary, Format::Html).unwrap()
    };
    let nothing = of("nothing-valid");
    assert_eq!(nothing.matches("<figure").count(), 0);
    assert!(!nothing.contains("id=\"latency\"") && nothing.contains("id=\"left-out\""));
    assert!(nothing.contains("Nothing was measured: what was left out, and why, is listed below."));
    assert!(!of("one-cell").contains("data-chart=\"scatter\""), "one alone is held against nothing");
}

#[test]
fn the_navigation_has_few_places_and_reaches_every_section() {
    for (name, summary) in made_up::studies::all() {
        let html = render(&summary, Format::Html).unwrap();
        let list =
            html.split("<nav aria-label=\"Sections\">").nth(1).unwrap().split("</nav>").next().unwrap();
        let menus = list.matches("<summary>").count();
        let in_menus: usize = list
            .split("<details")
            .skip(1)
            .map(|menu| menu.split("</details>").next().unwrap().matches("<a ").count())
            .sum();
        assert!(menus + list.matches("<a ").count() - in_menus <= 8, "{name}: {list}");
        for section in html.split("<section id=\"").skip(1) {
            let id = section.split('"').next().unwrap();
            assert!(list.contains(&format!("href=\"#{id}\"")), "{name}: {id} is not in {list}");
        }
    }
}

#[test]
fn paper_shows_the_first_rows_of_a_long_table_and_says_how_many_more_there_are() {
    let html = render(&made_up::summary(), Format::Html).unwrap();
    let results = html.split("id=\"results-table\"").nth(1).unwrap().split("</div>").next().unwrap();
    assert!(results.contains("data-printed=\"25\">19 more in the file</p>"), "44 rows");
    assert!(html.contains(":nth-child(n+26 of:not([hidden]))"), "the style sheet leaves out as many");
}

#[test]
fn batches_that_waited_for_a_cpu_have_a_column_and_their_absence_a_reason() {
    let mut summary = made_up::summary();
    let column = |summary: &Summary| {
        let html = render(summary, Format::Html).unwrap();
        html.contains(">disturbed batches</th>")
    };
    assert!(!column(&summary));
    let template = summary.codecs[0].metrics["total"].clone();
    let disturbed = Metric { unit: "ratio".into(), mean: 0.2, ..template };
    summary.codecs[0].metrics.insert("disturbed_batches".into(), disturbed);
    assert!(column(&summary));
    let why = "the system has no CPU clock per thread, so whether batches waited for a CPU is unknown";
    for codec in &mut summary.codecs {
        codec.missing.push(Missing { what: "cpu".into(), why: why.into() });
    }
    let text = render(&summary, Format::Markdown).unwrap();
    assert!(text.contains(&format!("Codec trials without **cpu** (all codec trials): {why}.")), "{text}");
}

#[test]
fn a_compression_has_a_column_in_the_table_of_codecs_and_a_row_of_its_own_in_the_table_of_sizes() {
    let summary = made_up::many::compressed();
    let html = render(&summary, Format::Html).unwrap();
    let table = |id: &str| {
        let start = html.find(&format!("<table id=\"{id}\"")).unwrap();
        html[start..].split("</table>").next().unwrap().to_owned()
    };
    let codecs = table("codec-table");
    assert!(codecs.contains(">compression</th>") && codecs.contains(">compress</th>"), "{codecs}");
    assert_eq!(codecs.matches("<td>zstd:3</td>").count(), 257);
    let sizes = table("size-table");
    assert_eq!(sizes.matches("<tr").count(), 1 + 2 * 44);
    let place = |text: &str| sizes.find(text).unwrap_or_else(|| panic!("{text} in\n{sizes}"));
    assert!(place(">json/serde-json<") < place(">json/serde-json + zstd:3<"), "as the study has them");
    assert!(place(">json/serde-json + zstd:3<") < place(">json/sonic-rs<"), "beside its codec");
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
fn a_heat_map_has_one_scale_for_all_conditions_and_no_winner_that_lost_messages() {
    let html = render(&made_up::summary(), Format::Html).unwrap();
    let maps: Vec<&str> = html.split("<figure class=\"chart heat-map\">").skip(1).collect();
    assert!(!maps.is_empty());
    for map in maps {
        let map = map.split("</figure>").next().unwrap();
        let matrices = map.matches("class=\"matrix\"").count();
        let winners: Vec<&str> =
            map.split("heat winner").skip(1).map(|rest| rest.split("</td>").next().unwrap()).collect();
        assert_eq!(winners.len(), matrices);
        assert!(
            winners.iter().all(|winner| winner.contains("best") && !winner.contains("lost some")),
            "{winners:?}"
        );
        assert_eq!(map.matches("--heat:1.000").count(), 1, "one is the hottest of all conditions: {map}");
    }
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

#[test]
fn what_was_dropped_is_summed_up_by_combination_and_fault() {
    let mut summary = made_up::summary();
    let dropped =
        |of: &[(&str, u32)]| of.iter().map(|(kind, trials)| ((*kind).to_owned(), *trials)).collect();
    let [first, second, ..] = summary.cells.as_mut_slice() else { panic!() };
    (first.trials, first.outcomes.invalid) = (9, 4);
    first.dropped = dropped(&[("waited for a CPU", 3), ("link late", 2)]);
    (second.trials, second.outcomes.invalid) = (6, 1);
    second.dropped = dropped(&[("waited for a CPU", 1)]);
    let names = [first.axes.to_string(), second.axes.to_string()];
    let text = render(&summary, Format::Markdown).unwrap();
    let left_out = text.split("## What was left out, and why?").nth(1).unwrap();
    let row = |what: &str| left_out.lines().find(|line| line.starts_with(&format!("| {what} |"))).unwrap();
    assert!(row("combination").ends_with("| invalid | link late | waited for a CPU |"), "{left_out}");
    assert!(row("all").starts_with("| all | ") && row("all").ends_with("| 2 | 4 |"), "{left_out}");
    assert_eq!(row(&names[0]), format!("| {} | 4 of 9 | 2 | 3 |", names[0]));
    assert!(
        row(&names[1]).starts_with(&format!("| {} | 1 of 6 |", names[1]))
            && row(&names[1]).ends_with("| 1 |")
    );
}

#[test]
fn a_run_without_any_result_still_has_a_report() {
    let mut summary = made_up::summary();
    summary.cells.clear();
    summary.codecs.clear();
    let text = render(&summary, Format::Markdown).unwrap();
    assert!(
        text.contains("## What was left out, and why?") && text.contains("Nothing was measured"),
        "{text}"
    );
}

#[test]
fn json_is_the_summary() {
    let summary = made_up::summary();
    let again: Summary = serde_json::from_str(&render(&summary, Format::Json).unwrap()).unwrap();
    assert_eq!(again, summary);
}

#[test]
fn html_loads_nothing_from_anywhere() {
    let html = render(&made_up::summary(), Format::Html).unwrap();
    assert!(html.contains("default-src 'none'"));
    for (place, _) in html.match_indices("://") {
        let start = html[..place].rfind(|c: char| !c.is_ascii_alphanumeric()).map_or(0, |found| found + 1);
        let end =
            html[place..].find(['"', '\'', '`', ' ', ')', '<']).map_or(html.len(), |found| place + found);
        let address = &html[start..end];
        assert!(address.starts_with("http://www.w3.org/"), "{address} is no namespace");
    }
    for part in ["<link", "<img", "<iframe", "src=\"http", "@import", "url(http"] {
        assert!(!html.contains(part), "{part}");
    }
}

#[test]
fn hostile_text_stays_text() {
    let hostile = "</script><script>alert(1)</script><!--\" onmouseover='x' & | `*";
    let mut summary = made_up::summary();
    summary.study.name = hostile.into();
    summary.study.why = hostile.into();
    summary.study.analysis = Some(hostile.into());
    summary.run.id = hostile.into();
    summary.notes = vec![hostile.into()];
    summary.not_run[0].why = hostile.into();
    summary.environment.cpu = hostile.into();
    summary.cells[0].broker.as_mut().unwrap().label = hostile.into();
    let plain = render(&made_up::summary(), Format::Html).unwrap();
    let html = render(&summary, Format::Html).unwrap();
    assert!(!html.contains("<script>alert"));
    for part in ["<script", "</script", "<!--"] {
        assert_eq!(html.matches(part).count(), plain.matches(part).count(), "{part}");
    }
    let data = html.split("id=\"wiredyno-data\">").nth(1).unwrap().split("</script>").next().unwrap();
    assert!(data.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)), "{data}");
    let markdown = render(&summary, Format::Markdown).unwrap();
    assert_eq!(markdown.matches("<script").count(), markdown.matches(r"\<script").count(), "{markdown}");
}

#[test]
fn the_terminal_summary_fits_a_hundred_columns() {
    let text = terminal(&made_up::summary(), 100);
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    assert!(text.contains("small, lte, 5 % loss"), "{text}");
    assert!(text.contains("codecs alone"), "{text}");
}

/// Four codecs of `cam`: bytes, and ns and bytes of each phase's time, heap and stack, all known to one in a thousand.
fn four_codecs(figures: [(&str, f64, f64, f64, f64); 4]) -> Summary {
    let mut summary = made_up::many::summary();
    summary.not_run.clear();
    summary.codecs.retain(|codec| {
        codec.axes.payload.name == "cam" && figures.iter().any(|f| codec.axes.codec.to_string() == f.0)
    });
    for codec in &mut summary.codecs {
        let id = codec.axes.codec.to_string();
        let (_, body, encode, decode, memory) = figures.into_iter().find(|f| f.0 == id).unwrap();
        let mut set = |name: &str, unit: &str, mean: f64| {
            let by_repeat = made_up::by_repeat(mean, mean / 1_000.0, 5);
            let template = codec.metrics["body"].clone();
            let unit = unit.to_owned();
            codec.metrics.insert(name.into(), Metric { unit, mean, by_repeat, ..template });
        };
        set("body", "bytes", body);
        for (phase, time) in [("build", 0.0), ("encode", encode), ("decode", decode), ("read", 0.0)] {
            set(phase, "ns", time);
            set(&format!("{phase}_peak"), "bytes", memory);
            set(&format!("{phase}_stack"), "bytes", 0.0);
        }
    }
    summary
}

#[test]
fn a_codec_is_worth_a_choice_unless_another_beats_it() {
    let choice = |figures| {
        let text = render(&four_codecs(figures), Format::Markdown).unwrap();
        text.lines().find(|line| line.starts_with("- **cam**")).unwrap().to_owned()
    };
    // json is behind uper at everything; cbor has the bytes of lcm and is behind it otherwise.
    let line = choice([
        ("asn1-uper/wiredyno", 40.0, 300.0, 400.0, 900.0),
        ("lcm/wiredyno", 120.0, 50.0, 100.0, 900.0),
        ("cbor/ciborium", 120.0, 900.0, 900.0, 2_000.0),
        ("json/serde-json", 400.0, 1_000.0, 1_500.0, 3_000.0),
    ]);
    assert_eq!(
        line,
        "- **cam**: 2 of 4 are worth considering; each of the others measured worse than one of these at something and \
         better at nothing. **asn1-uper/wiredyno**: fewest bytes (40 B) and least memory (900 B), but 6.0 times the best \
         time to encode. **lcm/wiredyno**: fastest to encode (50 ns), fastest to decode (100 ns) and least memory (900 B), \
         but 3.0 times the best bytes. Gives up least: **lcm/wiredyno**, nowhere more than 3.0 times the best (bytes)."
    );
    let line = choice([
        ("asn1-uper/wiredyno", 40.0, 50.0, 100.0, 900.0),
        ("lcm/wiredyno", 120.0, 50.0, 100.0, 900.0),
        ("cbor/ciborium", 120.0, 900.0, 900.0, 2_000.0),
        ("json/serde-json", 400.0, 1_000.0, 1_500.0, 3_000.0),
    ]);
    assert_eq!(line, "- **cam**: **asn1-uper/wiredyno**: none of 4 measured better at any of the four.");
}

/// 1 GB beside 0 B was reported as "1.00 times the best".
#[test]
fn what_the_best_needs_none_of_is_told_as_it_is() {
    let summary = four_codecs([
        ("asn1-uper/wiredyno", 40.0, 300.0, 400.0, 1e9),
        ("lcm/wiredyno", 120.0, 50.0, 100.0, 0.0),
        ("cbor/ciborium", 130.0, 900.0, 900.0, 2_000.0),
        ("json/serde-json", 400.0, 1_000.0, 1_500.0, 3_000.0),
    ]);
    let text = render(&summary, Format::Markdown).unwrap();
    let line = text.lines().find(|line| line.starts_with("- **cam**")).unwrap();
    assert!(line.contains("fewest bytes (40 B), but 1 GB of memory where the best needs none."), "{line}");
    assert!(line.contains("Gives up least: **lcm/wiredyno**"), "{line}");
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

#[test]
fn nothing_is_recommended_without_enough_trials_or_figures() {
    let mut summary = four_codecs([
        ("asn1-uper/wiredyno", 40.0, 300.0, 400.0, 900.0),
        ("lcm/wiredyno", 120.0, 50.0, 100.0, 900.0),
        ("cbor/ciborium", 130.0, 900.0, 900.0, 2_000.0),
        ("json/serde-json", 400.0, 1_000.0, 1_500.0, 3_000.0),
    ]);
    let first = summary.codecs.first_mut().unwrap();
    first.metrics.get_mut("encode").unwrap().by_repeat.pop_last();
    let gone = first.axes.codec.to_string();
    let text = render(&summary, Format::Markdown).unwrap();
    let line = text.lines().find(|line| line.starts_with("- **cam**")).unwrap();
    assert!(
        line.ends_with(&format!("Not compared, because trials or figures are missing: {gone}.")),
        "{line}"
    );
    for codec in &mut summary.codecs {
        codec.metrics.remove("read_stack");
    }
    let text = render(&summary, Format::Markdown).unwrap();
    assert!(text.contains("Nothing is recommended"), "{text}");
}

//! What reports say about lost, late and dropped messages, and the models of loss beside them.

use crate::made_up;
use crate::report::{answer, behind_the_answer, set_latency};
use wiredyno_contract::{OptionKind, OptionTable, OptionValue, TransportOption, TransportSetting};
use wiredyno_model::summary::{CellSummary, Summary};
use wiredyno_model::trial::Delivery;
use wiredyno_report::{Format, render, terminal};

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

//! Each row of the table of axes, followed to every place that shows axes: names, conditions, tables, figures,
//! pictures.

use wiredyno_model::axis::TABLE;
use wiredyno_model::summary::Summary;
use wiredyno_model::{Axes, AxisInfo, AxisKind, Part, Selection, Unit};
use wiredyno_report::{Format, page, render};

use crate::made_up;

/// Two values of an axis, as a study writes them.
fn two(axis: &AxisInfo) -> [String; 2] {
    let words = |words: [&str; 2]| words.map(|word| format!("\"{word}\""));
    match (axis.name, axis.kind) {
        ("payload", _) => words(["small", "current-status"]),
        ("codec", _) => words(["json/serde-json", "protobuf/prost"]),
        ("compression", _) => words(["none", "zstd:3"]),
        ("mode", _) => words(["tcp", "mqtt:qos0"]),
        ("broker", _) => words(["mosquitto", "hivemq"]),
        ("link", _) => words(["lte", "lan"]),
        (_, AxisKind::Number(Unit::Ratio)) => ["0.0", "0.05"].map(str::to_owned),
        (_, AxisKind::Number(Unit::PerSecond)) => words(["500/s", "1k/s"]),
        (_, AxisKind::Number(_)) => ["1", "3"].map(str::to_owned),
        // The values that its schema lists.
        (name, AxisKind::Category) => {
            let schema = schemars::schema_for!(Axes).to_value();
            let items = &schema["properties"][name]["items"];
            let path = items["$ref"].as_str().unwrap_or_else(|| panic!("{name}: {items}"));
            let listed = schema.pointer(path.trim_start_matches('#')).unwrap();
            let options = listed["oneOf"]
                .as_array()
                .or(listed["anyOf"].as_array())
                .unwrap_or_else(|| panic!("{name}: {listed}"));
            let values = options.iter().filter_map(|option| option["const"].as_str());
            let values: Vec<&str> = values.take(2).collect();
            words([values[0], values[1]])
        }
    }
}

/// A study in which only this axis varies.
fn varied(axis: &AxisInfo) -> Summary {
    let mut axes = vec![
        ("payload", "\"small\""),
        ("codec", "\"json/serde-json\""),
        ("mode", "\"mqtt:qos1\""),
        ("link", "\"lte\""),
    ];
    axes.retain(|(name, _)| *name != axis.name);
    let fixed: String = axes.iter().map(|(name, value)| format!("{name} = [{value}]\n")).collect();
    // Three of each can share one topic or three.
    let clients = ["publishers", "subscribers"].iter().filter(|clients| **clients != axis.name);
    let clients: String = clients.map(|clients| format!("{clients} = 3\n")).collect();
    let kind = if axis.kind == AxisKind::Number(Unit::PerSecond) { "open" } else { "closed" };
    let study = format!(
        "name = \"axes\"\nwhy = \"What does it change?\"\n[axes]\n{fixed}{} = [{}]\n[load]\nkind = \"{kind}\"\n{clients}messages = 10\ndeadline = \"2s\"\ndrain = \"8s\"\n",
        axis.name,
        two(axis).join(", ")
    );
    made_up::summary_of(&study)
}

#[test]
fn each_axis_is_told_everywhere_and_rivals_share_their_conditions() {
    for axis in TABLE {
        let name = axis.name;
        let summary = varied(axis);
        let [one, other] = &summary.cells[..] else { panic!("{name}: {} cells", summary.cells.len()) };
        assert_ne!(one.axes.to_string(), other.axes.to_string(), "{name}");
        let values = [one, other].map(|cell| cell.axes.value(name).unwrap());
        assert_eq!(summary.study.axes.values(name), values, "{name}");
        let selection: Selection = format!("{name}={}", values[1]).parse().unwrap();
        assert!(
            selection.means(|axis| other.axes.value(axis)) && !selection.means(|axis| one.axes.value(axis)),
            "{name}"
        );
        // A picture has a panel for each condition; in it, a row for each coding and way to send.
        let markdown = render(&summary, Format::Markdown).unwrap();
        // The method names both values.
        let done = markdown.lines().find(|line| line.contains("late after")).unwrap();
        let told = |value: &String| match axis.kind {
            AxisKind::Number(Unit::Ratio) => format!("{} %", value.parse::<f64>().unwrap() * 100.0),
            _ => value.replace('-', " "),
        };
        let both = [values.join(" and "), values.each_ref().map(told).join(" and ")];
        assert!(both.iter().any(|both| done.contains(both)), "{name}: {both:?} in {done}");
        let fastest = markdown.split("### ").find(|section| section.starts_with("Fastest delivery")).unwrap();
        let conditions = fastest.lines().filter(|line| line.starts_with("- *")).count();
        assert_eq!(conditions, if axis.part == Part::Condition { 2 } else { 1 }, "{name}: {fastest}");
        let rows = [one, other].map(|cell| (cell.axes.coding(), cell.axes.sending()));
        assert_eq!(rows[0] != rows[1], axis.part != Part::Condition, "{name}: {rows:?}");
        // Tables and figures have a column for it.
        let results = markdown.lines().find(|line| line.starts_with("| payload | codec |")).unwrap();
        assert!(results.contains(&format!("| {name} |")), "{name}: {results}");
        let csv = render(&summary, Format::Csv).unwrap();
        let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let header = lines.next().unwrap();
        let column = header
            .iter()
            .position(|column| *column == name || column.strip_suffix("_per_s") == Some(name))
            .unwrap();
        let mut told: Vec<&str> = lines.map(|line| line[column]).filter(|value| !value.is_empty()).collect();
        told.sort_unstable();
        told.dedup();
        assert_eq!(told.len(), if name == "compression" { 1 } else { 2 }, "{name}: {told:?}");
    }
    // The front end gets the table.
    let page: serde_json::Value = serde_json::from_str(&page(&made_up::summary()).unwrap()).unwrap();
    let names: Vec<&str> =
        page["axes"].as_array().unwrap().iter().map(|axis| axis["name"].as_str().unwrap()).collect();
    assert_eq!(names, wiredyno_model::AXES);
}

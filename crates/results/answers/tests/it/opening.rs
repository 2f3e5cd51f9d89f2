//! The first answer of made-up runs whose right answer is known.

use crate::made_up::{self, Figures, noise};
use crate::recommend::STUDY;
use wiredyno_answers::Conclusion;
use wiredyno_answers::opening::{Choice, Opening, Standing, opening};
use wiredyno_model::Cell;
use wiredyno_model::summary::Summary;

/// QoS 0 is the fastest and loses at 5 % loss.
fn figures(cell: &Cell, repeat: u32) -> Figures {
    let lossy = cell.loss.is_some_and(|loss| loss.get() > 0.0);
    let (latency, bytes, lost) = match cell.mode.to_string().as_str() {
        "mqtt:qos0" => (50e6, 400.0, if lossy { 0.05 } else { 0.0 }),
        "mqtt:qos1" => (60e6, 600.0, 0.0),
        _ => (200e6, 500.0, 0.0),
    };
    let times = if cell.codec.format == "json" { 2.0 } else { 1.0 };
    vec![
        ("latency", latency * noise(&cell.to_string(), repeat)),
        ("wire_per_message", bytes * times),
        ("lost", lost),
    ]
}

fn said(opening: &Opening) -> Vec<String> {
    opening.answer.iter().map(|sentence| sentence.to_plain()).collect()
}

fn find<'a>(opening: &'a Opening, name: &str) -> &'a Choice {
    let choices = &opening.picture.as_ref().unwrap().choices;
    choices.iter().find(|choice| choice.name == name).unwrap_or_else(|| panic!("{name}: {choices:?}"))
}

#[test]
fn the_answer_has_absolute_numbers_and_who_lost() {
    let opening = opening(&made_up::messages(STUDY, figures));
    let said = said(&opening);
    assert!(
        said[0]
            .starts_with("protobuf/prost over mqtt:qos1 is the best by bytes and time together over 2 conditions: it takes 600 B and 5")
            || said[0].starts_with(
                "protobuf/prost over mqtt:qos1 is the best by bytes and time together over 2 conditions: it takes 600 B and 6"
            ),
        "{said:?}"
    );
    assert!(said[0].contains(", where json/serde-json over tcp takes 1,000 B and "), "{said:?}");
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said[1].contains("5 % loss, mqtt:qos1 and tcp lost none of 2,000, mqtt:qos0 lost 50 of 1,000 ["),
        "{said:?}"
    );
    assert_eq!(opening.conclusion, Conclusion::Difference);
}

#[test]
fn the_picture_has_the_figures_of_one_condition_and_what_was_delivered_where_most_was_lost() {
    let opening = opening(&made_up::messages(STUDY, figures));
    let picture = opening.picture.as_ref().unwrap();
    assert!(picture.condition.contains("0 % loss") || !picture.condition.contains("5 % loss"), "{picture:?}");
    let titles: Vec<&str> = picture.measures.iter().map(|measure| measure.title.as_str()).collect();
    assert_eq!(titles[..2], ["bytes on the wire a message", "mean latency"]);
    assert!(titles[2].starts_with("delivered, ") && titles[2].contains("5 % loss"), "{titles:?}");
    assert_eq!(picture.choices[0].name, "protobuf/prost over mqtt:qos1");
    assert_eq!((picture.choices.len(), picture.more), (6, 0));
    let lossy = find(&opening, "protobuf/prost over mqtt:qos0");
    assert_eq!(lossy.standing, Standing::Misses, "the fastest is not the best where it loses");
    let delivered = lossy.figures[2].unwrap();
    assert!((delivered.mean - 0.95).abs() < 1e-9 && delivered.interval.unwrap()[1] < 1.0);
    // Under the picture's condition nothing is lost.
    assert!(!lossy.figures[1].unwrap().of_survivors);
}

#[test]
fn those_that_cant_be_told_apart_are_named_together() {
    let same = |cell: &Cell, repeat: u32| -> Figures {
        vec![("latency", 50e6 * noise(&cell.to_string(), repeat)), ("wire_per_message", 400.0), ("lost", 0.0)]
    };
    let opening = opening(&made_up::messages(STUDY, same));
    let said = said(&opening);
    assert!(
        said[0]
            .starts_with("6 of 6 choices can't be told apart by bytes and time together over 2 conditions: "),
        "{said:?}"
    );
    assert!(
        said[1] == "No message was lost: none of 6,000; of each combination at most 0.735 %.",
        "{said:?}"
    );
    assert_eq!(opening.conclusion, Conclusion::NotDecided);
    assert!(opening.picture.unwrap().choices.iter().all(|choice| choice.standing == Standing::WithBest));
}

#[test]
fn where_every_choice_loses_there_is_no_best_and_the_numbers_stand_all_the_same() {
    let all = |cell: &Cell, repeat: u32| -> Figures {
        let mut figures = figures(cell, repeat);
        figures.retain(|(name, _)| *name != "lost");
        figures.push(("lost", 0.2));
        figures
    };
    let opening = opening(&made_up::messages(STUDY, all));
    let said = said(&opening);
    assert!(said[0].starts_with("No choice loses at most 1 % of its messages. "), "{said:?}");
    assert!(said[1].starts_with("Least bytes: protobuf/prost over mqtt:qos0 with 400 B and "), "{said:?}");
    assert!(said[2].contains("each mode lost some; "), "{said:?}");
    assert_eq!(opening.sure, "Each choice is shown to lose more than 1 %.");
    assert!(find(&opening, "protobuf/prost over tcp").figures[1].unwrap().of_survivors);
}

#[test]
fn a_run_without_a_complete_trial_says_so() {
    let mut summary: Summary = made_up::messages(STUDY, figures);
    for cell in &mut summary.cells {
        cell.valid_trials = 0;
        cell.metrics.clear();
    }
    let opening = opening(&summary);
    assert!(
        said(&opening)[0].starts_with("This run has no figure: none of its 60 trials is complete."),
        "{opening:?}"
    );
    assert!(opening.picture.is_none() && opening.conclusion == Conclusion::CantTell);
}

#[test]
fn codecs_alone_are_told_by_bytes_and_the_time_of_all_phases() {
    let study = STUDY.replace(
        "mode = [\"mqtt:qos0\", \"mqtt:qos1\", \"tcp\"]\nlink = [\"lan\"]\nloss = [0.0, 0.05]\n",
        "",
    );
    let study = study.split("[load]").next().unwrap().to_owned();
    let codec = |cell: &wiredyno_model::CodecCell, repeat: u32| -> Figures {
        let times = if cell.codec.format == "json" { 4.0 } else { 1.0 };
        vec![("body", 30.0 * times), ("total", 250.0 * times * noise(&cell.to_string(), repeat))]
    };
    let opening = opening(&made_up::run(&study, |_, _| Vec::new(), codec));
    let said = said(&opening);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].starts_with("protobuf/prost is the best by bytes and time together: it takes 30 B and 25"),
        "{said:?}"
    );
    assert!(said[0].contains("where json/serde-json takes 120 B and "), "{said:?}");
}

#[test]
fn while_it_is_open_whether_others_meet_the_needs_nothing_is_decided() {
    // In one mode all arrive, in the others one in a hundred is lost: 5 of 500 leave 1 % open.
    let open = |cell: &Cell, repeat: u32| -> Figures {
        let mut figures = figures(cell, repeat);
        figures.retain(|(name, _)| *name != "lost");
        figures.push(("lost", if cell.mode.to_string() == "tcp" { 0.0 } else { 0.01 }));
        figures
    };
    let opening = opening(&made_up::messages(STUDY, open));
    assert!(
        said(&opening)[0].contains(" among those that could be judged, and another may be better: it takes "),
        "{opening:?}"
    );
    assert_eq!(opening.sure, "Whether 4 choices lose at most 1 % is not decided: more messages would tell.");
    assert_eq!(opening.conclusion, Conclusion::NotDecided);
}

#[test]
fn what_is_not_counted_is_not_spoken_of() {
    let on_loopback = |cell: &Cell, repeat: u32| -> Figures {
        let mut figures = figures(cell, repeat);
        figures.retain(|(name, _)| *name != "wire_per_message");
        figures
    };
    let said = said(&opening(&made_up::messages(STUDY, on_loopback)));
    assert!(said[0].contains(" by time over 2 conditions: ") && !said[0].contains("bytes"), "{said:?}");
}

/// The picture has room for eight: the ninth and tenth are in the answer.
#[test]
fn the_picture_has_the_choices_that_the_answer_names() {
    let study = STUDY.replace("mode = [", "mode = [\"mqtt:qos2\", \"coap:con\", \"udp\", ");
    let run = made_up::messages(&study, |cell, repeat| {
        let (mode, lossy) = (cell.mode.to_string(), cell.loss.is_some_and(|loss| loss.get() > 0.0));
        let bytes = if mode == "udp" { 100.0 } else { 400.0 };
        let lost = if lossy { 0.0 } else { 0.004 };
        vec![
            ("latency", 50e6 * noise(&cell.to_string(), repeat)),
            ("wire_per_message", bytes + if cell.codec.format == "json" { 10.0 } else { 0.0 }),
            ("lost", if mode == "udp" { 0.2 } else { lost }),
        ]
    });
    let opening = opening(&run);
    let said = said(&opening).join(" ");
    let picture = opening.picture.as_ref().unwrap();
    let drawn: Vec<&str> = picture.choices.iter().map(|choice| choice.name.as_str()).collect();
    assert_eq!((drawn.len(), picture.more), (8, 4));
    for mode in ["mqtt:qos0", "mqtt:qos1", "mqtt:qos2", "tcp", "coap:con", "udp"] {
        for codec in ["json/serde-json", "protobuf/prost"] {
            let name = format!("{codec} over {mode}");
            assert!(!said.contains(&name) || drawn.contains(&name.as_str()), "{name}: {said} {drawn:?}");
        }
    }
    assert!(said.contains("protobuf/prost over udp"), "{said}");
}

/// The tenth choice is a prefix of the eleventh, `json/serde-json` of `json/serde-json + zstd:3`; only the eleventh is in the answer.
#[test]
fn a_choice_is_not_named_by_the_name_of_another() {
    let study = "name = \"made-up\"\nwhy = \"?\"\n[axes]\npayload = [\"small\"]\ncompression = [\"none\", \"zstd:3\"]\n\
                 codec = [\"cbor/minicbor\", \"protobuf/prost\", \"avro/apache\", \"bson/bson\", \"xml/quick-xml\", \"json/serde-json\"]\n";
    let run = made_up::run(
        study,
        |_, _| Vec::new(),
        |cell, repeat| {
            let places = ["cbor", "protobuf", "avro", "bson", "xml", "json"];
            let place = places.iter().position(|format| *format == cell.codec.format).unwrap() * 2;
            let place = (place + usize::from(!cell.compression.is_none())) as f64;
            vec![
                ("body", 100.0 + 50.0 * place),
                ("total", (1e3 + 500.0 * place) * noise(&cell.to_string(), repeat)),
            ]
        },
    );
    let opening = opening(&run);
    let said = said(&opening).join(" ");
    assert!(said.contains(", where json/serde-json + zstd:3 takes "), "{said}");
    let picture = opening.picture.as_ref().unwrap();
    let drawn: Vec<&str> = picture.choices.iter().map(|choice| choice.name.as_str()).collect();
    assert_eq!((drawn.len(), picture.more), (8, 4));
    assert_eq!(drawn[6..], ["bson/bson", "json/serde-json + zstd:3"], "{drawn:?}");
}

use super::*;

const STUDY: &str = r#"
name = "t"
why = "?"
[axes]
payload = ["small"]
codec = ["json/serde-json"]
[trials]
repeats = 5
"#;

fn set(settings: &[&str]) -> Result<Study, StudyError> {
    let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
    apply("t.toml", STUDY, &settings, &BTreeMap::new()).map(|(study, _)| study)
}

#[test]
fn cells_lose_what_an_axis_has_no_more() {
    let text = STUDY
        .replace(
            "\n[axes]",
            "\ncells = [\"payload=small,person; loss=0\", \"payload=opaque@*; loss=0.05\"]\n[axes]",
        )
        .replace("[\"small\"]", "[\"small\", \"person\", \"opaque@10\", \"opaque@20\"]\nloss = [0, 0.05]");
    let cells = |settings: &[&str]| {
        let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
        let study = apply("t.toml", &text, &settings, &BTreeMap::new()).map(|(study, _)| study.cells);
        study.map_err(|error| error.to_string())
    };
    assert_eq!(cells(&["payload=person"]).unwrap(), ["payload=person; loss=0"]);
    assert_eq!(cells(&["payload=opaque@20,small", "loss=5%"]).unwrap(), ["payload=opaque@*; loss=0.05"]);
    let apart = cells(&["payload=small", "loss=0.05"]).unwrap_err();
    assert!(apart.contains("remove `cells` with --set cells="), "{apart}");
    assert!(cells(&["payload=small", "loss=0.05", "cells="]).unwrap().is_empty());
}

#[test]
fn axes_take_several_values_and_other_keys_their_path() {
    let study =
        set(&["payload=person,opaque@10", "trials.repeats=2", "codec_trials.batch_time=5ms"]).unwrap();
    assert_eq!(study.axes.payload.len(), 2);
    assert_eq!(study.trials.repeats, 2);
    assert_eq!(study.codec_trials.batch_time.ns, 5_000_000);
}

#[test]
fn an_axis_without_a_value_is_taken_away() {
    let study = set(&["loss=0.1,0.2", "axes.loss="]).unwrap();
    assert!(study.axes.loss.is_empty());
    assert!(set(&["trials.repeats="]).unwrap_err().to_string().contains("write a name, an equals sign"));
    assert!(set(&["payload="]).unwrap_err().to_string().contains("payload"));
}

#[test]
fn formats_take_the_place_of_codecs_and_the_other_way_round() {
    let study = set(&["format=json,cbor", "runner=python"]).unwrap();
    assert!(study.axes.codec.is_empty());
    assert_eq!((study.axes.format.len(), study.axes.runner.len()), (2, 1));
    let study = set(&["format=json", "codec=cbor/ciborium"]).unwrap();
    assert!(study.axes.format.is_empty() && study.axes.codec.len() == 1);
    let patterns = set(&["codec=json/*", "runner=python"]).unwrap();
    assert_eq!(patterns.axes.codec.patterns().len(), 1);
    assert!(set(&["runner=python"]).unwrap_err().to_string().contains("name formats"));
}

#[test]
fn an_option_of_a_transport_is_an_axis_or_has_one_value() {
    let axis = "coap.ack_timeout=1s,2s";
    for setting in [axis, "axes.coap.ack_timeout=1s,2s"] {
        let study = set(&["transport.coap.ack_timeout=3s", "transport.coap.block_size=64", setting]).unwrap();
        assert_eq!(study.axes.values("coap.ack_timeout"), ["1s", "2s"]);
        assert_eq!(study.transport["coap"].keys().collect::<Vec<_>>(), ["block_size"]);
    }
    let study = set(&[axis, "transport.coap.ack_timeout=3s"]).unwrap();
    assert!(study.axes.option.is_empty() && study.transport["coap"].len() == 1);
    assert!(set(&["caop.ack_timeout=1s"]).unwrap_err().to_string().contains("unknown field `caop`"));
    let only = only(&["coap.ack_timeout=2000ms".to_owned()]).unwrap();
    assert_eq!(
        (only[0].axis.as_str(), only[0].values.as_slice()),
        ("coap.ack_timeout", &["2s".to_owned()][..])
    );
}

#[test]
fn a_study_says_what_it_may_do_faster_and_keeps_its_own_pace() {
    let text = format!(
        "{STUDY}[fast]\n\"trials.repeats\" = \"6\"\npayload = \"small,person\"\n\"trials.until.metric\" = \"encode\"\n\
             \"trials.until.within\" = \"5%\"\n\"trials.until.at_most\" = \"9\"\n"
    );
    let (study, source) = faster("t.toml", &text, &["trials.until.at_most=20".to_owned()]).unwrap();
    assert_eq!((study.trials.repeats, study.axes.payload.len()), (6, 2));
    assert_eq!(study.trials.until.as_ref().unwrap().at_most, 20, "what is set goes before");
    let own = |key: &str| study.own_pace.get(key).map(String::as_str);
    assert_eq!((own("trials.repeats"), own("payload")), (Some("5"), Some("small")));
    assert_eq!((own("trials.until.metric"), own("trials.until.at_most")), (Some(""), None));
    assert_eq!(Study::parse("again.toml", &source.text).unwrap(), study);
    let refused = faster("t.toml", STUDY, &[]).unwrap_err().to_string();
    assert!(refused.starts_with("t.toml: --fast: "), "{refused}");
    let wrong = text.replace("trials.repeats", "trials.repeat");
    assert!(faster("t.toml", &wrong, &[]).unwrap_err().to_string().contains("did you mean `repeats`?"));
}

#[test]
fn decisive_cells_are_run_alone_and_settings_come_after() {
    let text = format!("decisive = [\"payload=small\"]\n{STUDY}");
    let alone = decisive("t.toml", &text).unwrap();
    let (study, source) = apply("t.toml", &alone, &[], &BTreeMap::new()).unwrap();
    assert_eq!((study.cells.as_slice(), study.decisive.len()), (&["payload=small".to_owned()][..], 0));
    assert_eq!(Study::parse("again.toml", &source.text).unwrap(), study);
    // A study whose values are replaced no longer has the decisive cells.
    let person = ["payload=person".to_owned()];
    assert_eq!(apply("t.toml", &text, &person, &BTreeMap::new()).unwrap().0.decisive.len(), 0);
    let refused = decisive("t.toml", STUDY).unwrap_err().to_string();
    assert!(refused.starts_with("t.toml: --decisive: "), "{refused}");
    let wrong = text.replace("payload=small", "payload=smal");
    let refused = decisive("t.toml", &wrong).unwrap_err().to_string();
    assert!(refused.contains("t.toml:1: decisive: the axis `payload` has no value `smal`"), "{refused}");
}

#[test]
fn what_does_not_exist_is_refused() {
    let error = set(&["trials.retries=1", "trials.repeats=x"]).unwrap_err();
    assert!(error.is_refusal() && error.to_string().starts_with("--set trials.repeats=x: "), "{error}");
    let error = set(&["repeats=3"]).unwrap_err().to_string();
    assert_eq!(error, "--set repeats=3: there is no key of that name; did you mean `trials.repeats`?");
    let error = set(&["codec_trials.batch_time=5"]).unwrap_err().to_string();
    assert!(error.contains("`5` is not a span of time") && error.contains("\"200ms\""), "{error}");
    assert!(set(&["trials.repeat=2"]).unwrap_err().to_string().contains("did you mean `repeats`?"));
    assert!(set(&["payload"]).is_err());
    assert!(only(&["colour=red".to_owned()]).unwrap_err().to_string().contains("payload, codec"));
    assert_eq!(only(&["loss=5%".to_owned()]).unwrap()[0].values, ["0.05"]);
}

//! What a verdict is about: the study's own library, every library, or nothing, depending on what must be equal and is not.

use wiredyno_claims::{Judgement, Published, Standing, Verdict, judge};

use crate::relations::run;

/// Two formats: one whose library is the study's own, one with a second library here.
const HEAD: &str = r#"
study = "made-up"
title = "t"
authors = ["A", "B"]
year = 2015
source = "s"
setup = "s"
causes = []
[[must]]
id = "definition"
what = "its definition"
lacks = "the study's definition, which is not published"
without = "no-failure"
[[must]]
id = "quantity"
what = "the time of a container whose payload is a string"
lacks = "a container around a string"
[[must]]
id = "repeats"
what = "the number of repeats"
settings = { "trials.repeats" = "10" }
[[must]]
id = "these-repeats"
what = "the number of repeats"
settings = { "trials.repeats" = "5" }
[[measure]]
id = "time"
quantity = "wall time of a call"
held = "one machine"
must = ["library"]
[[measure]]
id = "bytes"
quantity = "bytes of a message"
held = "its definition"
"#;

const FORMATS: &str = r#"
[[format]]
id = "a"
name = "A"
theirs = "libA 1"
OWN-A
codec = "protobuf/prost"
ALSO-A
[[format]]
id = "b"
name = "B"
theirs = "libB 2"
OWN-B
codec = "json/serde-json"
[[message]]
id = "m"
name = "M"
payload = "small"
"#;

const OWN_A: &str = "own = { library = \"prost\", version = \"0.14\" }";
const OWN_B: &str = "own = { library = \"serde_json\" }";

/// What the figures show of "A encodes in less time than B": with prost, and with a second library.
fn figures(with_prost: f64, with_upb: f64) -> [(&'static str, &'static str, f64, f64, f64); 3] {
    [
        ("small", "protobuf/prost", 40.0, with_prost, 1.0),
        ("small", "protobuf/upb", 40.0, with_upb, 1.0),
        ("small", "json/serde-json", 100.0, 100.0, 1.0),
    ]
}

/// Replaces the marks of the file and judges one claim.
fn judged(own: [&str; 2], also: bool, claim: &str, figures: [f64; 2]) -> Judgement {
    let also = if also { "also = [\"protobuf/upb\"]" } else { "" };
    let formats = FORMATS.replace("OWN-A", own[0]).replace("OWN-B", own[1]).replace("ALSO-A", also);
    let text = format!("{HEAD}{formats}\n[[claim]]\nid = \"x\"\nsays = \"s\"\nwhere = \"w\"\n{claim}\n");
    let published = Published::parse("made-up.toml", &text).unwrap_or_else(|error| panic!("{error}"));
    let mut summary = run(&self::figures(figures[0], figures[1]), 5);
    let described = |id: &str, library: &str, version: &str| {
        serde_json::json!({
            "id": id, "library": library, "version": version, "about": "", "capabilities": []
        })
    };
    summary.codecs_described = serde_json::from_value(serde_json::json!([
        described("protobuf/prost", "prost", "0.14.4"),
        described("protobuf/upb", "upb", "1"),
        described("json/serde-json", "serde_json", "1.0"),
    ]))
    .unwrap();
    judge(&published, &summary).remove(0)
}

const FASTER: &str = "metric = [\"encode\"]\nmessages = [\"m\"]\nless = { of = { format = \"a\" }, than = { format = \"b\" } }";

#[test]
fn a_verdict_says_of_which_library() {
    use Verdict::{CannotJudge, Depends, FailsOwn, HoldsAll, HoldsOwn, NotDecided};
    let time = &format!("measure = \"time\"\n{FASTER}");
    let (own, none) = ([OWN_A, OWN_B], ["", ""]);
    for (own, also, figures, verdict, part) in [
        // The study's own libraries: whatever another one shows.
        (own, false, [50.0, 0.0], HoldsOwn, "0.500 times"),
        (own, true, [50.0, 200.0], HoldsOwn, "0.500 times"),
        (own, true, [200.0, 50.0], FailsOwn, "2.0"),
        (own, true, [100.1, 50.0], NotDecided, "a tie"),
        // One of the two is missing: others may agree, or not; a failure is not the study's.
        ([OWN_A, ""], true, [50.0, 60.0], HoldsAll, "with each of 2 choices of libraries"),
        (none, false, [50.0, 0.0], HoldsAll, "0.500 times"),
        (
            none,
            true,
            [50.0, 200.0],
            Depends,
            "holds with protobuf/prost, json/serde-json and fails with protobuf/upb",
        ),
        (
            none,
            true,
            [200.0, 50.0],
            Depends,
            "holds with protobuf/upb, json/serde-json and fails with protobuf/prost",
        ),
        (none, true, [200.0, 300.0], CannotJudge, "the study's own: libA 1; libB 2. Here it does not hold"),
        (none, false, [200.0, 0.0], CannotJudge, "the study's own: libA 1; libB 2"),
        // Neither holds with all nor fails with any.
        (none, true, [50.0, 100.1], NotDecided, "with protobuf/upb, json/serde-json: "),
        (none, false, [100.1, 0.0], NotDecided, "a tie"),
        // The library of the run has another version, or its name is another.
        (
            ["own = { library = \"prost\", version = \"0.9\" }", OWN_B],
            false,
            [200.0, 0.0],
            CannotJudge,
            "the run had prost 0.14.4 in rust",
        ),
        (
            ["own = { library = \"prost\", runner = \"python\" }", OWN_B],
            false,
            [200.0, 0.0],
            CannotJudge,
            "the run had prost 0.14.4 in rust",
        ),
        (["own = { library = \"protobuf\" }", OWN_B], false, [50.0, 0.0], HoldsAll, "0.500 times"),
    ] {
        let judgement = judged(own, also, time, figures);
        assert_eq!(judgement.verdict, verdict, "{own:?} {also} {figures:?}: {judgement:#?}");
        assert!(judgement.why.contains(part), "{}", judgement.why);
    }
}

#[test]
fn what_must_be_equal_is_checked_against_the_run() {
    use Verdict::{ByDesign, CannotJudge, FailsOwn, HoldsAll, HoldsOwn};
    let own = [OWN_A, OWN_B];
    for (more, ours, verdict, part) in [
        // Bytes follow from the format: no library is needed.
        ("measure = \"bytes\"", 50.0, HoldsOwn, "exactly"),
        // A definition that differs: it may hold all the same, but its failure is of our definition.
        ("must = [\"definition\"]", 50.0, HoldsAll, "0.500 times"),
        ("must = [\"definition\"]", 200.0, CannotJudge, "not published. Here it does not hold"),
        // Another quantity: nothing is said, however it comes out.
        ("must = [\"quantity\"]", 50.0, CannotJudge, "a container around a string. Here it holds"),
        ("must = [\"quantity\"]", 200.0, CannotJudge, "a container around a string. Here it does not hold"),
        // Settings of the run.
        ("must = [\"repeats\"]", 200.0, CannotJudge, "`trials.repeats` is 10 there and 5 in this run"),
        ("must = [\"these-repeats\"]", 200.0, FailsOwn, "2.0"),
        (
            "by_design = \"the payload was made from the figure\"",
            50.0,
            ByDesign,
            "made from the figure. Here it holds",
        ),
        ("", 50.0, HoldsOwn, "0.500 times"),
        ("", 200.0, FailsOwn, "2.0"),
    ] {
        let body = "metric = [\"body\"]\nmessages = [\"m\"]\nless = { of = { format = \"a\" }, than = { format = \"b\" } }";
        let claim = if more.contains("bytes") {
            format!("{more}\n{body}")
        } else {
            format!("measure = \"time\"\n{more}\n{FASTER}")
        };
        let judgement = judged(own, false, &claim, [ours, 0.0]);
        assert_eq!(judgement.verdict, verdict, "{more}: {judgement:#?}");
        assert!(judgement.why.contains(part), "{more}: {}", judgement.why);
        let of_own = matches!(verdict, HoldsOwn | FailsOwn | ByDesign);
        assert_eq!(judgement.differs.is_empty(), of_own, "{more}: {:?}", judgement.differs);
    }
    assert_eq!(
        judged(own, false, &format!("measure = \"time\"\n{FASTER}"), [50.0, 0.0]).quantity.as_deref(),
        Some("wall time of a call")
    );
}

/// A claim fails with the study's own library only if everything that must be equal is; and where the usual choice holds, no verdict says
/// that it fails.
#[test]
fn whatever_the_figures_a_failure_is_said_only_of_the_studys_own() {
    let times = [20.0, 95.0, 100.1, 106.0, 180.0];
    for own in [[OWN_A, OWN_B], [OWN_A, ""], ["", ""]] {
        for must in ["", "must = [\"definition\"]\n", "must = [\"quantity\"]\n", "must = [\"repeats\"]\n"] {
            for prost in times {
                for upb in times {
                    let claim = format!("measure = \"time\"\n{must}{FASTER}");
                    let judgement = judged(own, true, &claim, [prost, upb]);
                    let of = format!("{own:?} {must} {prost} {upb}: {}", judgement.why);
                    let equal = own == [OWN_A, OWN_B] && must.is_empty();
                    assert_eq!(judgement.differs.is_empty(), equal, "{of}");
                    match judgement.verdict {
                        Verdict::HoldsOwn => {
                            assert!(equal && judgement.here == Some(Standing::Holds), "{of}")
                        }
                        Verdict::FailsOwn => {
                            assert!(equal && judgement.here == Some(Standing::Fails), "{of}")
                        }
                        Verdict::HoldsAll => {
                            assert!(
                                !equal && judgement.with.iter().all(|with| with.standing == Standing::Holds),
                                "{of}"
                            );
                        }
                        Verdict::Depends => {
                            let any = |standing| judgement.with.iter().any(|with| with.standing == standing);
                            assert!(!equal && any(Standing::Holds) && any(Standing::Fails), "{of}");
                        }
                        Verdict::NotDecided | Verdict::CannotJudge => {}
                        verdict => panic!("{of}: {verdict:?}"),
                    }
                    if must.contains("quantity") || must.contains("repeats") {
                        assert_eq!(judgement.verdict, Verdict::CannotJudge, "{of}");
                    }
                }
            }
        }
    }
}

/// "Generally" is a share of the comparisons; without it, each must hold.
#[test]
fn a_share_of_comparisons_can_be_enough() {
    // Four messages: how much longer b takes than a, in each.
    let of = |times: [f64; 4]| {
        let payloads = ["one", "two", "three", "four"];
        let figures: Vec<_> = payloads
            .iter()
            .zip(times)
            .flat_map(|(payload, time)| {
                [(*payload, "protobuf/prost", 1.0, 100.0, 1.0), (*payload, "json/serde-json", 1.0, time, 1.0)]
            })
            .collect();
        run(&figures, 5)
    };
    let messages: String = ["one", "two", "three", "four"]
        .map(|id| format!("[[message]]\nid = \"{id}\"\nname = \"{id}\"\npayload = \"{id}\"\n"))
        .concat();
    let formats = FORMATS.replace("OWN-A", OWN_A).replace("OWN-B", OWN_B).replace("ALSO-A", "");
    let judged = |share: &str, times: [f64; 4]| {
        let text = format!(
            "{HEAD}{formats}{messages}\n[[claim]]\nid = \"x\"\nsays = \"s\"\nwhere = \"w\"\n{share}\nmetric = [\"encode\"]\n\
             messages = [\"one\", \"two\", \"three\", \"four\"]\nless = {{ of = {{ format = \"a\" }}, than = {{ format = \"b\" }} }}\n"
        );
        let published = Published::parse("made-up.toml", &text).unwrap_or_else(|error| panic!("{error}"));
        judge(&published, &of(times)).remove(0)
    };
    let generally = "hedge = \"generally: three of four\"\nshare = 0.75";
    for (share, times, here) in [
        ("", [200.0, 200.0, 200.0, 200.0], Standing::Holds),
        ("", [200.0, 200.0, 200.0, 50.0], Standing::Fails),
        (generally, [200.0, 200.0, 200.0, 50.0], Standing::Holds),
        (generally, [200.0, 200.0, 50.0, 50.0], Standing::Fails),
        // A tie neither helps nor refutes.
        (generally, [200.0, 200.0, 200.0, 100.0], Standing::Holds),
        (generally, [200.0, 200.0, 100.0, 50.0], Standing::Tie),
        (generally, [200.0, 200.0, 100.0, 100.0], Standing::Tie),
        ("", [200.0, 200.0, 200.0, 100.0], Standing::Tie),
    ] {
        let judgement = judged(share, times);
        assert_eq!(judgement.here, Some(here), "{share} {times:?}: {}", judgement.why);
        assert_eq!(judgement.hedge.is_some(), !share.is_empty());
    }
    let why = judged(generally, [200.0, 200.0, 200.0, 50.0]).why;
    assert!(why.starts_with("3 of 4 comparisons hold (3 are needed); the closest to its bound: "), "{why}");
}

/// The closest comparison is the one nearest to the bound, also where the bound is not 1.
#[test]
fn the_closest_is_the_nearest_to_the_bound() {
    let figures = [
        ("one", "protobuf/prost", 1.0, 1.0, 1.0),
        ("one", "json/serde-json", 2.2, 1.0, 1.0),
        ("two", "protobuf/prost", 1.0, 1.0, 1.0),
        ("two", "json/serde-json", 5.8, 1.0, 1.0),
        ("three", "protobuf/prost", 1.0, 1.0, 1.0),
        ("three", "json/serde-json", 4.0, 1.0, 1.0),
    ];
    let messages: String = ["one", "two", "three"]
        .map(|id| format!("[[message]]\nid = \"{id}\"\nname = \"{id}\"\npayload = \"{id}\"\n"))
        .concat();
    let formats = FORMATS.replace("OWN-A", OWN_A).replace("OWN-B", OWN_B).replace("ALSO-A", "");
    let why = |bounds: &str| {
        let text = format!(
            "{HEAD}{formats}{messages}\n[[claim]]\nid = \"x\"\nsays = \"s\"\nwhere = \"w\"\nmetric = [\"body\"]\n\
             messages = [\"one\", \"two\", \"three\"]\nratio = {{ of = {{ format = \"b\" }}, to = {{ format = \"a\" }}, {bounds} }}\n"
        );
        let published = Published::parse("made-up.toml", &text).unwrap_or_else(|error| panic!("{error}"));
        judge(&published, &run(&figures, 5)).remove(0).why
    };
    assert!(
        why("from = 1").contains("b for one") || why("from = 1").contains("for one is 2.200"),
        "{}",
        why("from = 1")
    );
    assert!(why("from = 1, up_to = 6").contains("for two is 5.800"), "{}", why("from = 1, up_to = 6"));
    // Among those that fail, the farthest from the bound.
    assert!(
        why("from = 1, up_to = 3")
            .contains("2 of 3 comparisons say otherwise; the farthest: json/serde-json for two"),
        "{}",
        why("from = 1, up_to = 3")
    );
}

#[test]
fn what_is_not_decided_says_how_many_repeats_would() {
    let figures =
        [("small", "protobuf/prost", 1.0, 97.0, 1.0), ("small", "json/serde-json", 1.0, 100.0, 1.0)];
    let mut summary = run(&figures, 5);
    // Far apart from trial to trial.
    for (repeat, value) in &mut summary.codecs[0].metrics.get_mut("encode").unwrap().by_repeat {
        *value *= 1.0 + [0.15, -0.12, 0.08, -0.1, 0.02][*repeat as usize % 5];
    }
    let formats = FORMATS.replace("OWN-A", OWN_A).replace("OWN-B", OWN_B).replace("ALSO-A", "");
    let text = format!("{HEAD}{formats}\n[[claim]]\nid = \"x\"\nsays = \"s\"\nwhere = \"w\"\n{FASTER}\n");
    let judgement = judge(&Published::parse("made-up.toml", &text).unwrap(), &summary).remove(0);
    assert_eq!(judgement.verdict, Verdict::NotDecided, "{judgement:#?}");
    let repeats = judgement.comparisons[0].repeats_to_decide.unwrap();
    assert!(
        repeats > 5 && judgement.why.contains(&format!("about {repeats} repeats would")),
        "{}",
        judgement.why
    );
}

#[test]
fn what_makes_no_sense_about_judging_is_refused() {
    let formats = FORMATS.replace("OWN-A", OWN_A).replace("OWN-B", OWN_B).replace("ALSO-A", "");
    let claim = |id: &str, more: &str| {
        format!("\n[[claim]]\nid = \"{id}\"\nsays = \"s\"\nwhere = \"w\"\n{more}\n{FASTER}\n")
    };
    let one = |more: &str| claim("x", more);
    for (text, part) in [
        (one("measure = \"tme\""), "no measure `tme` in this file; did you mean `time`?"),
        (one("must = [\"libary\"]"), "no requirement `libary` in this file; did you mean `library`?"),
        (one("share = 0.8"), "need a `hedge`"),
        (one("hedge = \"h\"\nshare = 1.5"), "`share` is a number above 0"),
        (one("hedge = \"h\"\ntie = 0.9"), "`tie` is a number from 0"),
        (claim("x.1", ""), "parts of a claim are two or more, in order: `x.1`, `x.2`; found x.1"),
        (claim("x.1", "") + &claim("x.3", ""), "found x.1, x.3"),
        (claim("x", "") + &claim("x.1", ""), "parts of a claim"),
        ("[[must]]\nid = \"library\"\nwhat = \"w\"\nlacks = \"l\"\n".to_owned(), "or is `library`"),
        ("[[must]]\nid = \"n\"\nwhat = \"w\"\n".to_owned(), "write either `settings`"),
    ] {
        let error = Published::parse("made-up.toml", &format!("{HEAD}{formats}{text}")).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.line > Some(20), "{error}");
    }
    let parts = claim("x.1", "") + &claim("x.2", "");
    assert!(Published::parse("made-up.toml", &format!("{HEAD}{formats}{parts}")).is_ok());
}

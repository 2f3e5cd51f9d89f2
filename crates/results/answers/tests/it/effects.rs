//! Effects of made-up runs: they are found where they were put, and nowhere else.
//!
//! One file because all cases are variations of one made-up study.

use crate::made_up::{self, Figures, drift, noise};
use wiredyno_answers::effects::{headlines, lost_nothing};
use wiredyno_answers::{effects, sentences};
use wiredyno_model::Cell;
use wiredyno_model::summary::{Coverage, Effect, EffectScale, EffectVerdict, Summary};

const STUDY: &str = r#"
name = "made-up"
why = "?"
[axes]
payload = ["small", "person"]
codec = ["json/serde-json", "json/sonic-rs", "protobuf/prost"]
mode = ["mqtt:qos0", "mqtt:qos1", "mqtt:qos2", "tcp"]
link = ["lan"]
loss = [0.0, 0.05]
[load]
kind = "open"
interval = "200ms"
messages = 10
deadline = "2s"
drain = "8s"
"#;

/// Protobuf is 30 % faster over `person` only; QoS 2 doubles the latency; loss triples it over QoS 2 alone. Sonic changes
/// nothing. Bytes are exact.
fn figures(cell: &Cell, repeat: u32) -> Figures {
    let (payload, codec, mode) = (cell.payload.to_string(), cell.codec.to_string(), cell.mode.to_string());
    let lossy = cell.loss.is_some_and(|loss| loss.get() > 0.0);
    let mut latency = 50e6 * drift(repeat) * noise(&cell.to_string(), repeat);
    let mut bytes = 400.0;
    if codec == "protobuf/prost" {
        latency *= if payload == "person" { 0.7 } else { 1.0 };
        bytes -= 100.0;
    }
    if mode == "mqtt:qos2" {
        latency *= if lossy { 6.0 } else { 2.0 };
        bytes += 200.0;
    }
    let lost = if lossy && mode == "mqtt:qos0" { 0.1 + 0.01 * f64::from(repeat % 3) } else { 0.0 };
    vec![("latency", latency), ("wire_per_message", bytes), ("lost", lost)]
}

fn summary() -> Summary {
    made_up::messages(STUDY, figures)
}

fn find<'a>(all: &'a [Effect], value: &str, payload: &str, metric: &str) -> &'a Effect {
    let fits =
        |effect: &&Effect| effect.value == value && effect.payload == payload && effect.metric == metric;
    all.iter().find(fits).unwrap_or_else(|| panic!("no effect of {value} on {metric} of {payload}"))
}

#[test]
fn what_was_put_in_is_found_and_nothing_else() {
    let all = effects(&summary());
    let protobuf = find(&all, "protobuf/prost", "person", "latency");
    assert_eq!((protobuf.verdict, protobuf.scale), (EffectVerdict::Better, EffectScale::Factor));
    let [low, high] = protobuf.interval.unwrap();
    assert!(low < 0.7 && 0.7 < high && high - low < 0.05, "{protobuf:?}");
    assert_eq!((protobuf.combinations, protobuf.same_direction, protobuf.repeats), (8, 8, 5));
    assert_eq!(protobuf.instead_of, "json/serde-json");
    for (value, payload) in
        [("protobuf/prost", "small"), ("json/sonic-rs", "small"), ("json/sonic-rs", "person")]
    {
        let none = find(&all, value, payload, "latency");
        assert_eq!(none.verdict, EffectVerdict::NoDifference, "{none:?}");
    }
}

/// What two clocks may have made up is not decided, however sure it seems: 30 % of 50 ms are 15 ms. What loses nothing is not a matter of clocks.
#[test]
fn what_two_clocks_may_have_made_up_is_not_decided() {
    let told = |bound_ns: u64| {
        let mut summary = summary();
        summary.cells.iter_mut().for_each(|cell| cell.clock_bound_ns = Some(bound_ns));
        effects(&summary)
    };
    let of = |all: &[Effect]| {
        let effect = find(all, "protobuf/prost", "person", "latency").clone();
        (effect.verdict, effect.clock_bound_ns, effect.text)
    };
    assert_eq!(of(&told(2_000_000)).0, EffectVerdict::Better, "4 ms together");
    let (verdict, bound_ns, text) = of(&told(10_000_000));
    assert_eq!((verdict, bound_ns), (EffectVerdict::Undecided, Some(20_000_000)));
    assert!(
        text.contains("not decided") && text.contains("clocks: the two may have made up 20 ms"),
        "{text}"
    );
    assert_eq!(
        of(&told(100_000_000)).0,
        EffectVerdict::Undecided,
        "of a latency below its bound nothing is known"
    );
    let none = |bound_ns| find(&told(bound_ns), "json/sonic-rs", "small", "latency").verdict;
    assert_eq!((none(10_000), none(5_000_000)), (EffectVerdict::NoDifference, EffectVerdict::Undecided));
    let all = told(100_000_000);
    assert_eq!(find(&all, "mqtt:qos2", "small", "wire_per_message").verdict, EffectVerdict::Worse);
}

#[test]
fn exact_figures_have_no_width() {
    let all = effects(&summary());
    let protobuf = find(&all, "protobuf/prost", "small", "wire_per_message");
    assert_eq!(protobuf.verdict, EffectVerdict::Better);
    assert_eq!(protobuf.difference, -100.0);
    assert!(protobuf.text.contains("(100 B less)"), "{}", protobuf.text);
    let sonic = find(&all, "json/sonic-rs", "small", "wire_per_message");
    assert_eq!((sonic.verdict, sonic.estimate), (EffectVerdict::NoDifference, 1.0));
    assert!(sonic.text.ends_with(": the same"), "{}", sonic.text);
}

/// Loss makes messages of MQTT a tenth larger and those of `tcp`, which are far larger, a tenth smaller: more by the mean ratio, less in the sum.
#[test]
fn bytes_that_contradict_the_factor_are_not_told_beside_it() {
    let all = effects(&made_up::messages(STUDY, |cell, repeat| {
        let lossy = cell.loss.is_some_and(|loss| loss.get() > 0.0);
        let (bytes, factor) = if cell.mode.to_string() == "tcp" { (4_000.0, 0.9) } else { (400.0, 1.1) };
        let own = bytes * if lossy { factor } else { 1.0 };
        vec![("latency", 50e6 * noise(&cell.to_string(), repeat)), ("wire_per_message", own), ("lost", 0.0)]
    }));
    let loss = find(&all, "0.05", "small", "wire_per_message");
    assert!(loss.estimate > 1.0 && loss.difference < 0.0, "{loss:?}");
    assert!(!loss.text.contains("B less") && !loss.text.contains("B more"), "{}", loss.text);
}

#[test]
fn an_effect_that_depends_on_another_axis_says_on_which() {
    let all = effects(&summary());
    let qos2 = find(&all, "mqtt:qos2", "small", "latency");
    assert_eq!(qos2.instead_of, "mqtt:qos1");
    let at: Vec<(&str, f64)> = qos2.depends_on.iter().map(|at| (at.value.as_str(), at.estimate)).collect();
    assert_eq!(qos2.depends_on[0].axis, "loss");
    assert!((at[0].1 - 2.0).abs() < 0.05 && (at[1].1 - 6.0).abs() < 0.15, "{at:?}");
    assert!(qos2.text.contains("at 0 % loss") && qos2.text.contains("at 5 % loss"), "{}", qos2.text);
    let loss = find(&all, "0.05", "small", "latency");
    assert!(loss.text.contains("over mqtt:qos2"), "{}", loss.text);
    assert!(find(&all, "mqtt:qos1", "small", "latency").depends_on.is_empty());
}

#[test]
fn losses_are_told_in_points_and_none_has_a_bound() {
    let all = effects(&summary());
    let loss = find(&all, "0.05", "small", "lost");
    assert_eq!((loss.scale, loss.verdict), (EffectScale::Difference, EffectVerdict::Worse));
    assert!(loss.text.contains("points"), "{}", loss.text);
    let qos2 = find(&all, "mqtt:qos2", "small", "lost");
    assert_eq!((qos2.means, qos2.verdict), ([0.0, 0.0], EffectVerdict::NoDifference));
    // 3 codecs, 2 losses, 5 repeats of 100 messages: 3,000 of each. 1 - 0.025 ^ (1 / 3000).
    assert_eq!(qos2.text, "neither lost any (at most 0.123 %)");
}

#[test]
fn questions_are_few_and_fixed_before_anything_is_looked_at() {
    let all = effects(&summary());
    let mut asked: Vec<String> =
        all.iter().map(|effect| format!("{} {} {}", effect.axis, effect.value, effect.instead_of)).collect();
    asked.dedup();
    assert_eq!(
        asked,
        [
            "codec json/sonic-rs json/serde-json",
            "codec protobuf/prost json/serde-json",
            "mode mqtt:qos1 mqtt:qos0",
            "mode mqtt:qos2 mqtt:qos1",
            "mode tcp mqtt:qos0",
            "loss 0.05 0",
        ]
    );
    // Two contrasts of codecs over two payloads.
    assert_eq!(find(&all, "protobuf/prost", "small", "latency").family, 4);
    let said: Vec<String> = sentences(&all).iter().map(|sentence| sentence.to_plain()).collect();
    assert_eq!(said.len(), 6);
    assert!(
        said[1].starts_with("protobuf/prost instead of json/serde-json: small: lost: the same (")
            && said[1].contains(" with json/serde-json); latency: no difference"),
        "{}",
        said[1]
    );
}

#[test]
fn fewer_than_five_repeats_claim_nothing() {
    let mut study = STUDY.to_owned();
    study.push_str("[trials]\nrepeats = 4\n");
    let all = effects(&made_up::messages(&study, figures));
    // For losses, messages are counted instead of trials.
    let by_trials = || all.iter().filter(|effect| !lost_nothing(effect));
    let no_interval =
        |effect: &Effect| effect.verdict == EffectVerdict::NoInterval && effect.interval.is_none();
    assert!(by_trials().all(|effect| no_interval(effect) && effect.repeats == 4), "{all:?}");
    let lost = find(&all, "mqtt:qos2", "small", "lost");
    assert_eq!(lost.text, "neither lost any (at most 0.154 %)");
    let qos2 = find(&all, "mqtt:qos2", "small", "latency");
    assert!((qos2.estimate - 12.0_f64.sqrt()).abs() < 0.1, "{qos2:?}");
    assert!(
        qos2.text.contains("not decided") && qos2.text.contains("5 would give an interval"),
        "{}",
        qos2.text
    );
}

#[test]
fn one_combination_has_effects_too_and_one_value_has_none() {
    let study = r#"
name = "made-up"
why = "?"
[axes]
payload = ["small"]
codec = ["json/serde-json", "protobuf/prost"]
"#;
    let codec = |cell: &wiredyno_model::CodecCell, repeat: u32| {
        let times = if cell.codec.format == "json" { 2.0 } else { 1.0 };
        vec![("total", 100.0 * times * noise(&cell.to_string(), repeat)), ("body", 10.0 * times)]
    };
    let all = effects(&made_up::run(study, |_, _| Vec::new(), codec));
    let metrics: Vec<&str> = all.iter().map(|effect| effect.metric.as_str()).collect();
    assert_eq!(metrics, ["body", "total"]);
    assert!(all.iter().all(|effect| effect.verdict == EffectVerdict::Better && effect.combinations == 1));
    let alone = study.replace(", \"protobuf/prost\"", "");
    assert!(effects(&made_up::run(&alone, |_, _| Vec::new(), codec)).is_empty());
}

/// A cell without a complete trial is not a counterpart of any.
#[test]
fn what_was_not_measured_is_compared_with_nothing() {
    let mut summary = summary();
    for cell in &mut summary.cells {
        if cell.axes.mode.to_string() == "tcp" && cell.axes.codec.format == "protobuf" {
            cell.valid_trials = 0;
            cell.metrics.clear();
        }
    }
    let all = effects(&summary);
    assert_eq!(find(&all, "protobuf/prost", "person", "latency").combinations, 6);
}

/// A metric known for nine in ten messages is not compared, one known for 96 in a hundred is.
#[test]
fn what_is_known_of_too_few_messages_is_compared_with_nothing() {
    let combinations = |known| {
        let mut summary = summary();
        for cell in &mut summary.cells {
            if cell.axes.mode.to_string() == "tcp" && cell.axes.codec.format == "protobuf" {
                cell.metrics.get_mut("latency").unwrap().coverage = Some(Coverage { known, of: 100 });
            }
        }
        let all = effects(&summary);
        ["latency", "wire_per_message"]
            .map(|metric| find(&all, "protobuf/prost", "person", metric).combinations)
    };
    assert_eq!((combinations(90), combinations(96)), ([6, 8], [8, 8]));
}

const OPTIONS: &str = r#"
name = "made-up"
why = "?"
[axes]
payload = ["small"]
codec = ["json/serde-json", "protobuf/prost"]
mode = ["mqtt:qos1", "kafka:acks-1", "kafka:acks-all"]
"kafka.linger" = ["0ns", "5ms", "20ms"]
[load]
kind = "closed"
messages = 10
deadline = "2s"
drain = "8s"
"#;

/// Kafka takes twice as long as MQTT; lingering for 5 ms makes it three times, for 20 ms eight times; Protobuf takes half.
fn lingering(cell: &Cell, repeat: u32) -> Figures {
    let mut latency = 10e6 * drift(repeat) * noise(&cell.to_string(), repeat);
    latency *= match cell.value("kafka.linger").as_deref() {
        None => 1.0,
        Some("0ns") => 2.0,
        Some("5ms") => 6.0,
        Some(_) if cell.codec.format == "protobuf" => 8.0,
        Some(_) => 16.0,
    };
    vec![("latency", latency)]
}

#[test]
fn an_option_is_an_axis_of_the_cells_that_have_it() {
    let all = effects(&made_up::messages(OPTIONS, lingering));
    let asked: Vec<String> = all
        .iter()
        .map(|effect| format!("{}: {} instead of {}", effect.axis, effect.value, effect.instead_of))
        .collect();
    assert_eq!(
        asked,
        [
            "codec: protobuf/prost instead of json/serde-json",
            "mode: kafka:acks-1 instead of mqtt:qos1",
            "mode: kafka:acks-all instead of kafka:acks-1",
            "kafka.linger: 5ms instead of 0ns",
            "kafka.linger: 20ms instead of 0ns",
        ]
    );
    let near = |effect: &Effect, expected: f64| (effect.estimate / expected - 1.0).abs() < 0.05;
    let [codec, across, within, five, twenty] = <[Effect; 5]>::try_from(all).unwrap();
    assert_eq!(
        (five.combinations, five.verdict),
        (4, EffectVerdict::Worse),
        "two codecs, two modes of Kafka"
    );
    assert!(near(&five, 3.0), "{five:?}");
    let at: Vec<&str> = twenty.depends_on.iter().map(|at| at.value.as_str()).collect();
    assert_eq!((twenty.combinations, at), (4, vec!["json/serde-json", "protobuf/prost"]));
    // MQTT has no such option: Kafka is taken with its first value. Kafka's own modes are compared at every value.
    assert_eq!((across.combinations, within.combinations), (2, 6));
    assert!(near(&across, 2.0) && near(&within, 1.0), "{across:?} {within:?}");
    let at: Vec<(&str, bool)> =
        codec.depends_on.iter().map(|at| (at.value.as_str(), at.estimate < 0.9)).collect();
    assert_eq!(at, [("0ns", false), ("5ms", false), ("20ms", true)], "{codec:?}");
    assert!(codec.text.contains("shown only with linger=20ms"), "{}", codec.text);
}

/// For many payloads a headline reports the smallest and the largest effect, and how many payloads show none.
#[test]
fn effects_on_many_payloads_are_told_from_smallest_to_largest() {
    const SIZES: &str =
        r#"["opaque@10", "opaque@100", "opaque@1000", "opaque@5000", "opaque@10000", "opaque@100000"]"#;
    let study = STUDY
        .replace(r#"["small", "person"]"#, SIZES)
        .replace(r#"["json/serde-json", "json/sonic-rs", "protobuf/prost"]"#, r#"["raw/wiredyno"]"#)
        .replace(r#"["mqtt:qos0", "mqtt:qos1", "mqtt:qos2", "tcp"]"#, r#"["mqtt:qos1", "mqtt:qos2"]"#);
    let figures = |cell: &Cell, repeat: u32| {
        let times = match (cell.mode.to_string().as_str(), cell.payload.size_bytes) {
            ("mqtt:qos2", Some(bytes @ ..5_001)) => 2.0 + 1.0 / f64::from(bytes),
            _ => 1.0,
        };
        let latency = 50e6 * times * drift(repeat) * noise(&cell.to_string(), repeat);
        vec![("latency", latency), ("wire_per_message", 400.0)]
    };
    let told: Vec<String> =
        headlines(&effects(&made_up::messages(&study, figures))).iter().map(|one| one.to_plain()).collect();
    let [line] = &told[..] else { panic!("{told:?}") };
    assert!(line.starts_with("mqtt:qos2 instead of mqtt:qos1: latency ×"), "{line}");
    assert!(line.contains(" to ×") && line.contains("2 of 6 payloads"), "{line}");
    assert_eq!(line.matches("opaque@").count(), 2, "{line}");
}

/// Codec trials of JSON, and of Protobuf with bodies of this many bytes, `repeats` of each.
fn bodies(repeats: u32, protobuf: f64) -> Summary {
    let study = format!(
        "name = \"made-up\"\nwhy = \"?\"\n[axes]\npayload = [\"small\"]\ncodec = [\"json/serde-json\", \"protobuf/prost\"]\n\
         [trials]\nrepeats = {repeats}\n"
    );
    made_up::run(
        &study,
        |_, _| Vec::new(),
        |cell, _| vec![("body", if cell.codec.format == "json" { 100.0 } else { protobuf })],
    )
}

#[test]
fn what_the_samples_decide_is_compared_exactly_with_one_repeat() {
    for (bytes, verdict, text) in [
        (40.0, EffectVerdict::Better, "body × 0.400 (60 B less)"),
        (101.0, EffectVerdict::Worse, "body × 1.01 (1 B more)"),
        (100.0, EffectVerdict::NoDifference, "body: the same"),
    ] {
        let [body] = <[Effect; 1]>::try_from(effects(&bodies(1, bytes))).unwrap();
        assert_eq!((body.verdict, body.repeats, body.text.as_str()), (verdict, 1, text));
    }
}

#[test]
fn nothing_is_said_from_no_pairs() {
    let mut summary = summary();
    for cell in &mut summary.cells {
        let is_json = cell.axes.codec.format == "json";
        let kept = move |repeat: u32| (repeat < 2) == is_json;
        cell.metrics.values_mut().for_each(|metric| metric.by_repeat.retain(|repeat, _| kept(*repeat)));
    }
    let all = effects(&summary);
    assert!(all.iter().all(|effect| effect.repeats > 0), "{all:?}");
    assert!(!all.iter().any(|effect| effect.value == "protobuf/prost"), "{all:?}");
}

#[test]
fn one_hop_is_held_against_no_two() {
    let mut summary = summary();
    for cell in &mut summary.cells {
        let id = if cell.axes.mode.to_string() == "tcp" { "peer" } else { "mosquitto" };
        let broker = serde_json::json!({ "id": id, "version": "1", "label": "" });
        cell.broker = Some(serde_json::from_value(broker).unwrap());
    }
    let all = effects(&summary);
    assert!(!all.iter().any(|effect| effect.value == "tcp"), "{all:?}");
    assert!(all.iter().any(|effect| effect.value == "mqtt:qos1"));
}

#[test]
fn latency_of_what_arrived_says_what_was_lost_and_headlines_begin_with_it() {
    let all = effects(&summary());
    let qos1 = find(&all, "mqtt:qos1", "small", "latency");
    // 12 % in half of the cells of QoS 0.
    assert!(qos1.lost.is_some_and(|[without, with]| without > 0.05 && with == 0.0), "{qos1:?}");
    assert!(qos1.text.contains("of what arrived: 0 % lost, 5.40 % with mqtt:qos0"), "{}", qos1.text);
    assert!(find(&all, "mqtt:qos2", "small", "latency").lost.is_none());
    let told: Vec<String> = headlines(&all).iter().map(|line| line.to_plain()).collect();
    let qos1 = told.iter().find(|line| line.starts_with("mqtt:qos1")).unwrap();
    assert!(qos1.starts_with("mqtt:qos1 instead of mqtt:qos0: lost -"), "{qos1}");
    assert!(
        told.iter().filter(|line| line.starts_with("mqtt:qos2")).all(|line| !line.contains("lost")),
        "{told:?}"
    );
}

/// Loss scatters a metric that is constant without it: the lossless conditions are reported separately.
#[test]
fn lossless_conditions_are_told_apart_where_all_together_decide_nothing() {
    let figures = |cell: &Cell, repeat: u32| {
        let times = if cell.codec.to_string() == "protobuf/prost" { 0.9 } else { 1.0 };
        let scatter = match cell.loss.is_some_and(|loss| loss.get() > 0.0) {
            true => noise(&format!("wild {cell}"), repeat).powi(80),
            false => noise(&cell.to_string(), repeat),
        };
        vec![("latency", 50e6 * times * scatter)]
    };
    let all = effects(&made_up::messages(STUDY, figures));
    let open: Vec<&Effect> = all
        .iter()
        .filter(|effect| effect.value == "protobuf/prost" && effect.verdict == EffectVerdict::Undecided)
        .collect();
    assert!(!open.is_empty(), "{all:?}");
    for effect in open {
        let told =
            effect.text.contains("not decided") && effect.text.contains("shown only at 0 % loss: × 0.");
        assert!(told, "{}", effect.text);
    }
}

/// Links with and without loss differ in the same way, without an axis of loss.
#[test]
fn links_are_told_apart_where_all_together_decide_nothing() {
    let study = STUDY.replace("link = [\"lan\"]\nloss = [0.0, 0.05]", "link = [\"lan\", \"lte\"]");
    assert_ne!(study, STUDY);
    let figures = |cell: &Cell, repeat: u32| {
        let times = if cell.codec.to_string() == "protobuf/prost" { 0.9 } else { 1.0 };
        let scatter = match cell.link.to_string() == "lte" {
            true => noise(&format!("wild {cell}"), repeat).powi(80),
            false => noise(&cell.to_string(), repeat),
        };
        vec![("latency", 50e6 * times * scatter)]
    };
    let all = effects(&made_up::messages(&study, figures));
    let mut open = all
        .iter()
        .filter(|effect| effect.value == "protobuf/prost" && effect.verdict == EffectVerdict::Undecided)
        .peekable();
    assert!(open.peek().is_some(), "{all:?}");
    for effect in open {
        assert!(effect.text.contains("shown only on lan: × 0."), "{}", effect.text);
    }
}

#[test]
fn the_publishers_cpu_is_told_only_where_it_differs() {
    let run = made_up::messages(STUDY, |cell, repeat| {
        let cpu = if cell.mode.to_string() == "tcp" { 2e4 } else { 1e4 };
        let mut figures = figures(cell, repeat);
        figures.push(("publisher_cpu_per_message", cpu * noise(&cell.to_string(), repeat)));
        figures
    });
    let told: Vec<String> = sentences(&effects(&run)).iter().map(|sentence| sentence.to_plain()).collect();
    for sentence in &told {
        assert_eq!(sentence.contains("publisher CPU"), sentence.starts_with("tcp instead of"), "{sentence}");
    }
    assert!(told.iter().any(|sentence| sentence.starts_with("tcp instead of")), "{told:?}");
}

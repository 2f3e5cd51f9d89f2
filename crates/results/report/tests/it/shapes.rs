//! Sixty runs of every shape that a summary can have go through every answer in every format: no answer concludes without data, and none
//! contradicts another.

use std::collections::{BTreeMap, BTreeSet};

use crate::answered::shapes::shapes;
use wiredyno_answers::Conclusion;
use wiredyno_answers::compare::{Wanted, along, runs};
use wiredyno_answers::recommend::{Need, Recommendation, Weight, recommend};
use wiredyno_answers::threshold::overall;
use wiredyno_model::summary::{CellSummary, Effect, EffectScale, EffectVerdict, Summary, ThresholdVerdict};
use wiredyno_model::{Cell, Selection};
use wiredyno_report::{Format, render};

fn is_shown(verdict: EffectVerdict) -> bool {
    Conclusion::from(verdict) == Conclusion::Difference
}

/// What holds for every effect, in every answer.
fn check_effect(of: &str, effect: &Effect) {
    let told = format!("{of}: {effect:?}");
    assert!(effect.repeats > 0 && effect.combinations > 0, "said from nothing: {told}");
    let numbers = [effect.estimate, effect.difference].into_iter().chain(effect.means);
    assert!(numbers.chain(effect.interval.into_iter().flatten()).all(f64::is_finite), "{told}");
    let none = if effect.scale == EffectScale::Factor { 1.0 } else { 0.0 };
    let excludes = effect.interval.is_some_and(|[low, high]| low > none || high < none);
    assert_eq!(is_shown(effect.verdict), excludes, "verdict and interval: {told}");
    match effect.verdict {
        EffectVerdict::NoDifference | EffectVerdict::Undecided => {
            assert!(effect.interval.is_some(), "{told}")
        }
        EffectVerdict::NoInterval => assert!(effect.repeats < 5 && effect.interval.is_none(), "{told}"),
        _ => {}
    }
}

fn check_text(of: &str, text: &str) {
    for word in ["NaN", " inf", "-inf", "null"] {
        assert!(!text.contains(word), "{of}: `{word}` in {text}");
    }
}

fn check_report(of: &str, run: &Summary) {
    // The page has scripts, which contain such numbers.
    render(run, Format::Html).unwrap();
    for format in [Format::Markdown, Format::Csv] {
        check_text(of, &render(run, format).unwrap());
    }
    render(run, Format::Json).unwrap();
    check_text(of, &wiredyno_report::terminal(run, 100));
    wiredyno_report::page(run).unwrap();
    run.effects.iter().for_each(|effect| check_effect(of, effect));
}

fn check_compare(of: &str, run: &Summary) {
    let itself = runs(run, run, &Wanted::default());
    itself.effects.iter().for_each(|effect| check_effect(of, effect));
    assert_ne!(itself.conclusion, Conclusion::Difference, "{of} differs from itself: {itself:?}");
    let lacks = run.cells.is_empty() || run.cells.iter().any(|cell| cell.valid_trials == 0);
    assert!(!lacks || itself.conclusion == Conclusion::CantTell, "{of}: {itself:?}");
    let answer = wiredyno_report::comparison(&itself);
    check_text(of, &(answer.to_terminal(100) + &answer.to_markdown()));
    serde_json::to_string(&itself).unwrap();
    let values = ["json/serde-json", "protobuf/prost"].map(str::to_owned);
    let Ok(codecs) = along(run, "codec", &values, &Wanted::default()) else { return };
    codecs.effects.iter().for_each(|effect| check_effect(of, effect));
    for effect in &codecs.effects {
        let same = |other: &&Effect| {
            (&other.metric, &other.value, &other.axis) == (&effect.metric, &effect.value, &effect.axis)
        };
        let other =
            run.effects.iter().find(same).unwrap_or_else(|| panic!("{of}: only compare says {effect:?}"));
        let opposite =
            [(EffectVerdict::Better, EffectVerdict::Worse), (EffectVerdict::Worse, EffectVerdict::Better)];
        assert!(!opposite.contains(&(effect.verdict, other.verdict)), "{of}: {effect:?} {other:?}");
        assert_eq!(effect.estimate, other.estimate, "{of}");
    }
    check_text(of, &wiredyno_report::comparison(&codecs).to_terminal(100));
}

fn check_recommend(of: &str, run: &Summary) -> Option<Recommendation> {
    let messages = !run.cells.is_empty();
    let needs = Need::with_default(Vec::new(), messages).unwrap();
    let weights = Weight::parse("time=1,bytes=1", messages).unwrap();
    let found = recommend(run, &Selection::default(), &needs, &weights).ok()?;
    let lists = [&found.miss, &found.undecided, &found.left_out];
    let mut listed: Vec<&str> = found.meet.iter().map(|one| one.candidate.as_str()).collect();
    listed.extend(lists.iter().flat_map(|list| list.iter().map(|one| one.candidate.as_str())));
    let candidates: BTreeSet<String> =
        run.cells.iter().map(|cell| format!("{} over {}", cell.axes.codec, cell.axes.mode)).collect();
    assert_eq!(listed.len(), candidates.len(), "{of}: each stands once: {found:?}");
    assert!(candidates.iter().all(|name| listed.contains(&name.as_str())), "{of}: {found:?}");
    assert!(lists.iter().all(|list| list.iter().all(|one| !one.why.is_empty())), "{of}: {found:?}");
    if let Some(choice) = &found.choice {
        assert_eq!(&found.group, std::slice::from_ref(choice), "{of}: {found:?}");
    }
    for name in &found.group {
        let own =
            run.cells.iter().filter(|cell| format!("{} over {}", cell.axes.codec, cell.axes.mode) == *name);
        for cell in own {
            assert!(
                cell.valid_trials > 0 && cell.metrics.contains_key("latency"),
                "{of}: {name} has no data"
            );
            assert!(cell.delivery.lost * 100 <= cell.delivery.sent, "{of}: {name} loses");
        }
    }
    let answer = wiredyno_report::recommendation(&found);
    check_text(of, &(answer.to_terminal(100) + &answer.to_markdown()));
    serde_json::to_string(&found).unwrap();
    Some(found)
}

fn check_thresholds(of: &str, run: &Summary) {
    let name = |cell: &Cell| {
        let loss = 100.0 * cell.loss.map_or(0.0, |loss| loss.get());
        format!("{} {} {} {} {loss} % loss", cell.payload, cell.codec, cell.mode, cell.link)
    };
    let has = |cell: &str, metric: &str| {
        let is_it = |one: &&CellSummary| name(&one.axes) == cell && one.valid_trials > 0;
        // Lost messages are counted.
        let knows = |one: &CellSummary| {
            one.metrics.contains_key(metric) || (metric == "lost" && one.delivery.sent > 0)
        };
        run.cells.iter().any(|one| is_it(&one) && knows(one))
    };
    for result in &run.thresholds {
        let metric = result.threshold.split(' ').next().unwrap();
        if !has(&result.cell, metric) {
            assert_eq!(result.verdict, ThresholdVerdict::CantTell, "{of}: {result:?}");
        }
        if result.threshold.contains("itself") {
            assert_ne!(result.verdict, ThresholdVerdict::Fail, "{of}: {result:?}");
        }
    }
    let counted: BTreeMap<&str, usize> = run.thresholds.iter().fold(BTreeMap::new(), |mut counts, result| {
        *counts.entry(result.threshold.as_str()).or_default() += 1;
        counts
    });
    assert_eq!(counted.len(), 4, "{of}: every threshold says something: {counted:?}");
    let junit = wiredyno_report::junit("shapes", &run.thresholds).unwrap();
    let open = run.thresholds.iter().filter(|result| result.verdict == ThresholdVerdict::CantTell).count();
    assert_eq!(junit.matches("<error").count(), open, "{of}: {junit}");
    check_text(of, &wiredyno_report::thresholds("shapes", &run.thresholds).to_terminal(100));
    if run.cells.iter().any(|cell| cell.valid_trials == 0) {
        assert!(overall(&run.thresholds) >= ThresholdVerdict::CantTell, "{of}");
    }
}

#[test]
fn no_answer_speaks_without_data_or_contradicts_another() {
    let all = shapes();
    assert_eq!(all.len(), 60);
    for (of, run) in &all {
        check_report(of, run);
        check_compare(of, run);
        check_thresholds(of, run);
        let found = check_recommend(of, run);
        // Of two candidates that differ in the codec alone, one that is shown to be worse at everything that is weighed is not the choice.
        let worse = run
            .effects
            .iter()
            .filter(|effect| effect.value == "protobuf/prost")
            .all(|effect| effect.metric == "lost" || effect.verdict == EffectVerdict::Better);
        let choice = found.and_then(|found| found.choice);
        let is_json = choice.as_deref().is_some_and(|choice| choice.starts_with("json"));
        assert!(!(worse && is_json && run.cells.len() > 2), "{of}: {choice:?}");
    }
    for pair in all.windows(2) {
        let [(one, base), (other, new)] = pair else { continue };
        let of = format!("{other} instead of {one}");
        let there = runs(base, new, &Wanted::default());
        let back = runs(new, base, &Wanted::default());
        there.effects.iter().for_each(|effect| check_effect(&of, effect));
        assert_eq!(there.conclusion, back.conclusion, "{of}");
    }
}

//! Answers on their own: a comparison, a recommendation, thresholds. Terminal, Markdown and JUnit render the same content. One file
//! because every answer is rendered by the same two functions.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use wiredyno_answers::compare::{self, Comparison, Conclusion};
use wiredyno_answers::effects::{self as words, Untold};
use wiredyno_answers::recommend::{Missed, Recommendation, Scored, WeightRange};
use wiredyno_answers::threshold::Planned;
use wiredyno_model::summary::{Effect, EffectVerdict, ThresholdResult, ThresholdVerdict};

use crate::document::Block;
use crate::metric::{Scope, describe};
use crate::quantity;
use crate::sentence::{Sentence, escape_markdown, listed};
use crate::table::{About, Column, Row, Table, Value};
use crate::{markdown, terminal};

/// More rows than these are counted; JSON has all of them.
const ROWS: usize = 30;

/// An answer: its conclusion in a sentence, then tables and lists with the reasons.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The question that it answers.
    pub title: String,
    /// The conclusion, in a sentence.
    pub conclusion: Sentence,
    /// The parts, each with a heading, which is empty if the conclusion introduces it.
    pub parts: Vec<(String, Block)>,
}

impl Answer {
    /// For a terminal of this many columns: the conclusion comes last, where a reader looks first.
    pub fn to_terminal(&self, columns: usize) -> String {
        let mut out = terminal::wrap(&self.title, columns);
        for (heading, block) in &self.parts {
            out += "\n";
            if !heading.is_empty() {
                out += &format!("{heading}\n");
            }
            out += &terminal::block(block, columns);
        }
        out + "\n" + &terminal::wrap(&self.conclusion.to_plain(), columns)
    }

    /// Markdown for a comment on a change.
    pub fn to_markdown(&self) -> String {
        let mut out =
            format!("### {}\n\n{}\n\n", escape_markdown(&self.title), self.conclusion.to_markdown());
        for (heading, block) in &self.parts {
            if !heading.is_empty() {
                out += &format!("**{}**\n\n", escape_markdown(heading));
            }
            out += &markdown::render_block(block);
        }
        out.truncate(out.trim_end().len());
        out + "\n"
    }
}

fn table(columns: Vec<Column>, rows: Vec<Vec<Value>>) -> Block {
    let rows = rows.into_iter().map(|values| Row { about: About::Other, values });
    Block::Table(Table { columns, rows: rows.collect(), ..Table::default() })
}

fn list(sentences: impl IntoIterator<Item = String>) -> Block {
    Block::List(sentences.into_iter().map(Sentence::plain).collect())
}

/// The answer of `wiredyno compare`.
pub fn comparison(comparison: &Comparison) -> Answer {
    let mut parts = Vec::new();
    let refused: Vec<String> = comparison
        .refused
        .iter()
        .map(|refusal| {
            let what = if refusal.anyway {
                "compared anyway, as requested"
            } else {
                "not compared without --anyway"
            };
            format!("{}; {what}: {}", refusal.why, refusal.metrics.join(", "))
        })
        .collect();
    if !comparison.effects.is_empty() {
        let all: Vec<(&Effect, &str)> =
            comparison.effects.iter().map(|effect| (effect, effect.payload.as_str())).collect();
        parts.push((String::new(), effect_table("payload", &all)));
    }
    if !comparison.cells.is_empty() {
        let all: Vec<(&Effect, &str)> =
            comparison.cells.iter().take(ROWS).map(|change| (&change.effect, change.cell.as_str())).collect();
        let more = comparison.cells.len().saturating_sub(ROWS);
        let more = if more > 0 { format!(" ({more} more with --json)") } else { String::new() };
        parts.push((format!("Single cells that differ{more}"), effect_table("cell", &all)));
    }
    for (heading, lines) in [
        ("Can't tell", comparison.untold.iter().map(untold).collect::<Vec<_>>()),
        ("Not comparable", refused),
        ("Without a counterpart", comparison.unmatched.clone()),
        ("What else differs", comparison.differs.clone()),
    ] {
        if !lines.is_empty() {
            parts.push((heading.to_owned(), list(first_of(lines))));
        }
    }
    Answer { title: comparison.question.clone(), conclusion: concluded(comparison), parts }
}

fn untold(one: &Untold) -> String {
    let metric = one.metric.as_ref().map(|metric| format!(", {metric}")).unwrap_or_default();
    format!("{}{metric}: {}", one.what, one.why)
}

/// As many lines as a reader takes in, and the number of the others.
fn first_of(mut lines: Vec<String>) -> Vec<String> {
    let more = lines.len().saturating_sub(ROWS);
    if more > 0 {
        lines.truncate(ROWS);
        lines.push(format!("{more} more"));
    }
    lines
}

/// Effects, each with its payload or cell; losses of both sides come first if there are any.
fn effect_table(what: &str, effects: &[(&Effect, &str)]) -> Block {
    // For effects that know it; `None` if none does.
    let lost = |(effect, of): &(&Effect, &str)| {
        let knows = |(other, other_of): &&(&Effect, &str)| {
            let is_alike = (&other.value, &other.payload) == (&effect.value, &effect.payload);
            other_of == of && is_alike && words::tells_lost(&other.metric)
        };
        let mut known = effects.iter().filter(knows).map(|(other, _)| words::lost_of_sent(other)).peekable();
        known.peek()?;
        Some(known.flatten().next())
    };
    let has_lost = effects.iter().any(|one| lost(one).flatten().is_some());
    let mut columns = vec![Column::words(what)];
    columns.extend(has_lost.then(|| Column::numbers("lost before \u{2192} after")));
    columns.push(Column::words("metric"));
    columns.extend(["before", "after", "change [95 %]"].map(Column::numbers));
    columns.push(Column::words("difference"));
    let row = |one: &(&Effect, &str)| {
        let mut values = vec![Value::text(one.1)];
        values.extend(has_lost.then(|| match lost(one) {
            Some(Some([before, after])) => Value::text(format!("{before} \u{2192} {after}")),
            Some(None) => Value::text("none"),
            None => Value::none(),
        }));
        values.extend(effect_values(one.0));
        values
    };
    table(columns, effects.iter().map(row).collect())
}

fn effect_values(effect: &Effect) -> Vec<Value> {
    let scope = if effect.scope == "message" { Scope::Message } else { Scope::Codec };
    let figure = |value: f64| Value::number(quantity::quantity(value, &effect.unit), value);
    let (main, interval) = words::figure(effect);
    let real = match effect.verdict {
        EffectVerdict::Better => "better".to_owned(),
        EffectVerdict::Worse => "worse".to_owned(),
        EffectVerdict::Different => "different".to_owned(),
        EffectVerdict::NoDifference if words::same(effect) => "the same".to_owned(),
        EffectVerdict::NoDifference => format!("none over {}", words::bound(effect)),
        EffectVerdict::Undecided => match words::needed(effect) {
            Some(needed) => format!("not decided: {needed}"),
            None => "not decided".to_owned(),
        },
        EffectVerdict::NoInterval => format!("not decided: {}", words::too_few(effect)),
    };
    let real = match words::dependence(effect) {
        Some(dependence) => format!("{real} ({dependence})"),
        None => real,
    };
    vec![
        Value::text(describe(scope, &effect.metric).title),
        figure(effect.means[0]),
        figure(effect.means[1]),
        Value { detail: interval, ..Value::number(main, effect.estimate) },
        Value::text(real),
    ]
}

fn concluded(comparison: &Comparison) -> Sentence {
    let count =
        |verdict: EffectVerdict| comparison.effects.iter().filter(|effect| effect.verdict == verdict).count();
    let (better, worse) = (count(EffectVerdict::Better), count(EffectVerdict::Worse));
    let different = count(EffectVerdict::Different);
    let shown = better + worse + different;
    let start = Sentence::default();
    match comparison.conclusion {
        Conclusion::Difference => {
            let all = comparison.effects.len();
            let cells = match comparison.cells.len() {
                0 => String::new(),
                1 => "; a single cell differs".to_owned(),
                count => format!("; {count} single cells differ"),
            };
            let other = if different > 0 { format!(", {different} different") } else { String::new() };
            start
                .strong("A difference")
                .then(format!(": {better} of {all} figures better, {worse} worse{other}{cells}."))
        }
        Conclusion::NoDifference if comparison.worse_only && shown > 0 => start
            .strong("Nothing became worse")
            .then(format!(": {better} of {} figures became better.", comparison.effects.len())),
        Conclusion::NoDifference if comparison.least > 0.0 => start
            .strong("No difference")
            .then(format!(" of {} or more.", quantity::percent(comparison.least))),
        Conclusion::NoDifference => start.strong("No difference").then(
            ": none is significant, and the intervals rule out one over 10 %, of shares over one point.",
        ),
        Conclusion::NotDecided if shown > 0 => start.strong("Not decided").then(format!(
            ": {shown} of {} figures differ, but not by {} for certain. {}",
            comparison.effects.len(),
            quantity::percent(comparison.least),
            what_decides(comparison)
        )),
        Conclusion::NotDecided => start.strong("Not decided").then(format!(
            ": no difference is significant, but one over {} is within the intervals. {}",
            quantity::percent(if comparison.least > 0.0 { comparison.least } else { 0.1 }),
            what_decides(comparison)
        )),
        Conclusion::CantTell => start.strong("Can't tell").then(format!(": {}.", why_not(comparison))),
    }
}

/// The number of repeats that undecided figures need, the largest of them.
pub(crate) fn what_decides(comparison: &Comparison) -> String {
    let open = || {
        comparison
            .effects
            .iter()
            .filter(|effect| compare::of_effect(effect, comparison.least) == Conclusion::NotDecided)
    };
    if open().any(|effect| effect.verdict == EffectVerdict::NoInterval) {
        return "Five repeats of each run would give intervals.".to_owned();
    }
    match open().filter_map(|effect| effect.repeats_needed).max() {
        Some(repeats) => {
            format!("{} repeats would show 10 %.", quantity::count(u64::from(repeats)))
        }
        None => "More repeats would decide.".to_owned(),
    }
}

/// Why a comparison can't conclude.
pub(crate) fn why_not(comparison: &Comparison) -> String {
    let refused = comparison.refused.iter().filter(|refusal| !refusal.anyway).count();
    let counted = [
        (comparison.untold.len(), ["can't be compared because data are missing"; 2]),
        (comparison.unmatched.len(), ["cell has no counterpart", "cells have no counterpart"]),
        (refused, ["difference forbids a comparison", "differences forbid a comparison"]),
    ];
    let told = counted
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, [one, many])| format!("{count} {}", if count == 1 { one } else { many }));
    let told: Vec<String> = told.collect();
    if told.is_empty() { "nothing could be compared".to_owned() } else { listed(&told) }
}

/// The answer of `wiredyno recommend`.
pub fn recommendation(found: &Recommendation) -> Answer {
    let mut parts = Vec::new();
    if !found.needs.is_empty() {
        parts.push(("Needed".to_owned(), list(found.needs.clone())));
    }
    if !found.meet.is_empty() {
        parts.push(("Meet every need, best first".to_owned(), candidates(found)));
    }
    for (heading, missed) in [
        ("Miss a need", &found.miss),
        ("Not decided", &found.undecided),
        ("Left out: can't tell", &found.left_out),
    ] {
        if !missed.is_empty() {
            let line = |one: &Missed| format!("{}: {}", one.candidate, one.why.join("; "));
            parts.push((heading.to_owned(), list(missed.iter().map(line))));
        }
    }
    if found.meet.len() > 1 {
        parts.push(("What the best depends on".to_owned(), list(found.weights.iter().map(weight_words))));
    }
    let title = format!("What to choose under {}", found.conditions.join("; "));
    Answer { title, conclusion: chosen(found), parts }
}

/// Candidates that meet every need, with their scores and the result of the test.
fn candidates(found: &Recommendation) -> Block {
    let names: Vec<String> = found.meet[0].ratios.iter().map(|(name, _)| name.clone()).collect();
    let mut columns = vec![Column::words("candidate"), Column::numbers("score")];
    columns.extend(names.iter().map(Column::numbers));
    columns.extend(["distinguished from the best", "Pareto front", "known"].map(Column::words));
    let row = |one: &Scored| {
        let mut values =
            vec![Value::text(&one.candidate), Value::number(format!("{:.3}", one.score), one.score)];
        values.extend(one.ratios.iter().map(|(_, ratio)| {
            let text = if *ratio <= 1.0 { "best".to_owned() } else { format!("\u{d7} {ratio:.2}") };
            Value::number(text, *ratio)
        }));
        let beside = match one.behind_by {
            Some([low, high]) if one.is_behind => format!("behind by {low:.3} to {high:.3}"),
            Some(_) => "no".to_owned(),
            None if found.group.first() == Some(&one.candidate) => String::new(),
            None => "no: fewer than five repeats".to_owned(),
        };
        values.push(Value::text(beside));
        values.push(Value::text(if one.on_front { "yes" } else { "" }));
        values.push(Value::text(one.notes.join("; ")));
        values
    };
    table(columns, found.meet.iter().map(row).collect())
}

fn weight_words(range: &WeightRange) -> String {
    let WeightRange { name, weight, below, above } = range;
    let number = |weight: f64| format!("{weight:.3}").trim_end_matches('0').trim_end_matches('.').to_owned();
    let own = number(*weight);
    match (below, above) {
        (None, None) => format!("{name}: the best is the same at every weight"),
        (Some((at, other)), None) => {
            format!("{name} weighs {own}; below {} it would be {other}", number(*at))
        }
        (None, Some((at, other))) => {
            format!("{name} weighs {own}; above {} it would be {other}", number(*at))
        }
        (Some((low, one)), Some((high, other))) => format!(
            "{name} weighs {own}; below {} it would be {one}, above {} {other}",
            number(*low),
            number(*high)
        ),
    }
}

fn chosen(found: &Recommendation) -> Sentence {
    let start = Sentence::default();
    let open = not_judged(found);
    match (&found.choice, found.conclusion) {
        (Some(choice), _) if found.meet.len() == 1 && found.needs.is_empty() => {
            start.strong(choice).then(format!(" is the only one that was measured.{open}"))
        }
        (Some(choice), _) if found.meet.len() == 1 => {
            start.strong(choice).then(format!(" is the only one that may meet every need.{open}"))
        }
        (Some(choice), _) => start.strong(choice).then(format!(
            ": a test of the scores distinguishes it from the other {} that {} every need ({} repeats).{open}",
            found.meet.len() + found.undecided.len() - 1,
            if found.undecided.is_empty() { "meet" } else { "meet or may meet" },
            found.repeats
        )),
        (None, Conclusion::NotDecided) if found.group.len() == 1 => start
            .strong("Not decided")
            .then(": ")
            .strong(listed(&found.group))
            .then(format!(" is the best of those that could be judged; another may be better.{open}")),
        (None, Conclusion::NotDecided) if !found.group.is_empty() => {
            start.strong("Not decided").then(": ").strong(listed(&found.group)).then(format!(
                " can't be told apart with {} repeats; {}.{open}",
                found.repeats,
                separates(found)
            ))
        }
        (None, Conclusion::NotDecided) => start
            .strong("Not decided")
            .then(format!(": nothing is known to meet every need, but some may.{open}")),
        (None, Conclusion::Difference) => start.strong("Nothing").then(" meets every need."),
        (None, _) => start.strong("Can't tell").then(format!(": no candidate has data.{open}")),
    }
}

fn separates(found: &Recommendation) -> String {
    match found.repeats_needed {
        Some(repeats) => format!(
            "about {} would, if the scores differ as they do here",
            quantity::count(u64::from(repeats))
        ),
        None => "no number of repeats up to 10,000 would, if the scores differ as they do here".to_owned(),
    }
}

/// Candidates with an undecided need, or about which nothing can be said: one of them may be better.
fn not_judged(found: &Recommendation) -> String {
    let counted = [(found.undecided.len(), "not decided"), (found.left_out.len(), "left out")];
    let told =
        counted.into_iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    let told: Vec<String> = told.collect();
    if told.is_empty() {
        String::new()
    } else {
        format!(" Not judged: {}; reasons are listed.", listed(&told))
    }
}

/// The answer of `wiredyno threshold`.
pub fn thresholds(study: &str, results: &[ThresholdResult]) -> Answer {
    let columns = ["threshold", "cell", "verdict", "figure"].map(Column::words).to_vec();
    let row = |result: &ThresholdResult| {
        vec![
            Value::text(&result.threshold),
            Value::text(&result.cell),
            Value::text(verdict_word(result.verdict)),
            Value::text(&result.text),
        ]
    };
    // Failures come first.
    let mut sorted: Vec<&ThresholdResult> = results.iter().collect();
    sorted.sort_by_key(|result| std::cmp::Reverse(result.verdict));
    let count = |verdict: ThresholdVerdict| results.iter().filter(|result| result.verdict == verdict).count();
    use ThresholdVerdict::{CantTell, Fail, NotDecided, Pass};
    let counts = [Pass, Fail, NotDecided, CantTell].map(count);
    let verdict = verdict_word(wiredyno_answers::threshold::overall(results));
    Answer {
        title: format!("Thresholds of {study}"),
        conclusion: Sentence::default().strong(crate::metric::capitalised(verdict)).then(format!(
            ": {} pass, {} fail, {} not decided, {} can't be told.",
            counts[0], counts[1], counts[2], counts[3]
        )),
        parts: vec![(String::new(), table(columns, sorted.into_iter().map(row).collect()))],
    }
}

fn verdict_word(verdict: ThresholdVerdict) -> &'static str {
    match verdict {
        ThresholdVerdict::Pass => "pass",
        ThresholdVerdict::NotDecided => "not decided",
        ThresholdVerdict::CantTell => "can't tell",
        ThresholdVerdict::Fail => "fail",
    }
}

/// The number of repeats that thresholds against a stored run need.
pub fn planned(run: &str, planned: &[Planned]) -> Answer {
    let mut columns = ["threshold", "cell"].map(Column::words).to_vec();
    columns.extend(["repeats needed", "has"].map(Column::numbers));
    columns.push(Column::words("because"));
    let row = |one: &Planned| {
        let count = |repeats: u32| Value::number(quantity::count(u64::from(repeats)), f64::from(repeats));
        let needed = one.repeats.map_or_else(|| Value::text("not known"), count);
        vec![
            Value::text(&one.threshold),
            Value::text(&one.cell),
            needed,
            count(one.has),
            Value::text(&one.text),
        ]
    };
    let most = planned.iter().map(|one| one.repeats).collect::<Option<Vec<u32>>>();
    let conclusion = match most.and_then(|all| all.into_iter().max()) {
        Some(most) => Sentence::default().strong(format!("Repeats of each run: {most}")).then(
            ". With so many, each of them passes in four of five pairs of equal runs; all together in fewer.",
        ),
        None => Sentence::default().strong("Can't tell").then(" how many repeats all of them need."),
    };
    Answer {
        title: format!("Repeats for thresholds against {run}"),
        conclusion,
        parts: vec![(String::new(), table(columns, planned.iter().map(row).collect()))],
    }
}

/// Thresholds as JUnit XML: a test suite for each threshold, a test case for each cell. "Can't tell" is an error; "not decided" is
/// skipped, with what would decide it.
///
/// # Errors
/// When the text can't be serialized, which no text is known to cause.
pub fn junit(study: &str, results: &[ThresholdResult]) -> Result<String, quick_junit::SerializeError> {
    let mut report = Report::new(study);
    let mut suites: Vec<TestSuite> = Vec::new();
    for result in results {
        let status = match result.verdict {
            ThresholdVerdict::Pass => TestCaseStatus::success(),
            ThresholdVerdict::NotDecided => {
                let mut status = TestCaseStatus::skipped();
                status.set_message(format!("not decided: {}", result.text));
                status
            }
            ThresholdVerdict::CantTell => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
                status.set_message(format!("can't tell: {}", result.text));
                status
            }
            ThresholdVerdict::Fail => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_message(result.text.clone());
                status
            }
        };
        let mut case = TestCase::new(result.cell.clone(), status);
        case.set_classname(result.threshold.clone());
        match suites.iter_mut().find(|suite| suite.name.as_str() == result.threshold) {
            Some(suite) => drop(suite.add_test_case(case)),
            None => {
                let mut suite = TestSuite::new(result.threshold.clone());
                suite.add_test_case(case);
                suites.push(suite);
            }
        }
    }
    report.add_test_suites(suites);
    report.to_string()
}

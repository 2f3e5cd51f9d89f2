//! Answers by themselves: a comparison, a recommendation, thresholds. One content; terminal, Markdown and JUnit draw it.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use wiredyno_answers::compare::{Comparison, Conclusion};
use wiredyno_answers::effects as words;
use wiredyno_answers::recommend::{Missed, Recommendation, STABLE, WeightRange};
use wiredyno_model::summary::{Effect, EffectVerdict, ThresholdResult, ThresholdVerdict};

use crate::document::Block;
use crate::metric::{Scope, describe};
use crate::quantity;
use crate::sentence::{Sentence, escape_markdown};
use crate::table::{About, Column, Row, Table, Value};
use crate::{markdown, terminal};

/// More rows than these are counted: who wants all has JSON.
const ROWS: usize = 30;

/// An answer: its first line says it, tables and lists below say why.
#[derive(Debug, Clone)]
pub struct Answer {
    /// What is asked.
    pub title: String,
    /// What it comes to, in a sentence.
    pub conclusion: Sentence,
    /// Each with a heading, empty where the conclusion introduces it.
    pub parts: Vec<(String, Block)>,
}

impl Answer {
    /// For a terminal of so many columns: the conclusion comes last, where eyes are.
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

    /// As Markdown, for a comment under a change.
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

/// A comparison; differences below a share (0.02) don't matter.
pub fn comparison(comparison: &Comparison, least: f64) -> Answer {
    let mut parts = Vec::new();
    let refused: Vec<String> = comparison
        .refused
        .iter()
        .map(|refusal| {
            let what =
                if refusal.anyway { "compared anyway, as asked" } else { "not compared without --anyway" };
            format!("{}; {what}: {}", refusal.why, refusal.metrics.join(", "))
        })
        .collect();
    if !comparison.effects.is_empty() {
        let rows = comparison.effects.iter().map(|effect| effect_row(effect, &effect.payload));
        parts.push((String::new(), table(effect_columns("payload"), rows.collect())));
    }
    if !comparison.cells.is_empty() {
        let rows = comparison.cells.iter().take(ROWS).map(|change| effect_row(&change.effect, &change.cell));
        let more = comparison.cells.len().saturating_sub(ROWS);
        let more = if more > 0 { format!(" ({more} more with --json)") } else { String::new() };
        parts
            .push((format!("Single cells that differ{more}"), table(effect_columns("cell"), rows.collect())));
    }
    if !refused.is_empty() {
        parts.push(("Not comparable".to_owned(), list(refused)));
    }
    if !comparison.unmatched.is_empty() {
        let count = comparison.unmatched.len();
        let mut shown: Vec<String> = comparison.unmatched.iter().take(ROWS).cloned().collect();
        if count > ROWS {
            shown.push(format!("{} more", count - ROWS));
        }
        parts.push(("Without a counterpart".to_owned(), list(shown)));
    }
    if !comparison.differs.is_empty() {
        parts.push(("What else differs".to_owned(), list(comparison.differs.iter().cloned())));
    }
    Answer { title: comparison.question.clone(), conclusion: concluded(comparison, least), parts }
}

fn effect_columns(what: &str) -> Vec<Column> {
    let words = [what, "metric"].map(Column::words);
    let numbers = ["before", "after", "change [95 %]"].map(Column::numbers);
    words.into_iter().chain(numbers).chain([Column::words("difference")]).collect()
}

fn effect_row(effect: &Effect, what: &str) -> Vec<Value> {
    let scope = if effect.scope == "message" { Scope::Message } else { Scope::Codec };
    let figure = |value: f64| Value::number(quantity::quantity(value, &effect.unit), value);
    let (main, interval) = words::figure(effect);
    let real = match effect.verdict {
        EffectVerdict::Better => "better".to_owned(),
        EffectVerdict::Worse => "worse".to_owned(),
        EffectVerdict::NoDifference if words::same(effect) => "the same".to_owned(),
        EffectVerdict::NoDifference => format!("none over {}", words::bound(effect)),
        EffectVerdict::Undecided => "can't tell".to_owned(),
        EffectVerdict::NoInterval => "too few repeats".to_owned(),
    };
    vec![
        Value::text(what),
        Value::text(describe(scope, &effect.metric).title),
        figure(effect.means[0]),
        figure(effect.means[1]),
        Value { detail: interval, ..Value::number(main, effect.estimate) },
        Value::text(real),
    ]
}

fn concluded(comparison: &Comparison, least: f64) -> Sentence {
    let count =
        |verdict: EffectVerdict| comparison.effects.iter().filter(|effect| effect.verdict == verdict).count();
    let (better, worse) = (count(EffectVerdict::Better), count(EffectVerdict::Worse));
    match comparison.conclusion(least) {
        Conclusion::Difference => {
            let all = comparison.effects.len();
            let cells = match comparison.cells.len() {
                0 => String::new(),
                1 => "; a single cell differs".to_owned(),
                count => format!("; {count} single cells differ"),
            };
            let figures = format!(": {better} of {all} figures better, {worse} worse{cells}.");
            Sentence::default().strong("A difference").then(figures)
        }
        Conclusion::Nothing if least > 0.0 && better + worse > 0 => Sentence::default()
            .strong("No difference")
            .then(format!(" of {} or more.", quantity::percent(least))),
        Conclusion::Nothing => Sentence::default()
            .strong("No difference")
            .then(": none is significant, and the intervals rule out one over 10 %."),
        Conclusion::CantTell if comparison.effects.is_empty() => {
            Sentence::default().strong("Can't tell").then(": nothing could be compared.")
        }
        Conclusion::CantTell => Sentence::default().strong("Can't tell").then(
            ": no difference is significant, but one over 10 % is within the intervals. More repeats would decide.",
        ),
    }
}

/// A recommendation.
pub fn recommendation(found: &Recommendation) -> Answer {
    let mut parts = Vec::new();
    if !found.meet.is_empty() {
        let names: Vec<String> = found.meet[0].ratios.iter().map(|(name, _)| name.clone()).collect();
        let mut columns = vec![Column::words("candidate"), Column::numbers("score")];
        columns.extend(names.iter().map(Column::numbers));
        columns.extend(["Pareto front", "known"].map(Column::words));
        let rows = found.meet.iter().take(ROWS).map(|one| {
            let mut values =
                vec![Value::text(&one.candidate), Value::number(format!("{:.3}", one.score), one.score)];
            values.extend(one.ratios.iter().map(|(_, ratio)| {
                let text = if *ratio <= 1.0 { "best".to_owned() } else { format!("× {ratio:.2}") };
                Value::number(text, *ratio)
            }));
            values.push(Value::text(if one.on_front { "yes" } else { "" }));
            values.push(Value::text(one.notes.join("; ")));
            values
        });
        parts.push(("Meet every need, best first".to_owned(), table(columns, rows.collect())));
    }
    for (heading, missed) in [("Miss a need", &found.miss), ("Can't tell", &found.undecided)] {
        if !missed.is_empty() {
            let line = |one: &Missed| format!("{}: {}", one.candidate, one.why.join("; "));
            parts.push((heading.to_owned(), list(missed.iter().take(ROWS).map(line))));
        }
    }
    if found.meet.len() > 1 {
        parts.push(("What the choice depends on".to_owned(), list(found.weights.iter().map(weight_words))));
    }
    let title = format!("What to choose under {}", found.conditions.join("; "));
    Answer { title, conclusion: chosen(found), parts }
}

fn weight_words(range: &WeightRange) -> String {
    let WeightRange { name, weight, below, above } = range;
    let number = |weight: f64| format!("{weight:.3}").trim_end_matches('0').trim_end_matches('.').to_owned();
    let own = number(*weight);
    match (below, above) {
        (None, None) => format!("{name}: the choice is the same at every weight"),
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
    let Some(choice) = &found.choice else {
        return if found.undecided.is_empty() {
            Sentence::default().strong("Nothing").then(" meets every need.")
        } else {
            Sentence::default()
                .strong("Can't tell")
                .then(": nothing is known to meet every need, but some may.")
        };
    };
    let sentence = Sentence::default().strong(choice);
    let stays = found.stays.unwrap_or(0.0);
    let share = quantity::quantity((stays * 100.0).round() / 100.0, "ratio");
    if found.meet.len() == 1 {
        return sentence.then(" is the only one that meets every need.");
    }
    let sentence = sentence.then(format!(": it stays the choice in {share} of resamplings of the trials"));
    match found.else_chosen.first() {
        Some((other, times)) if stays < STABLE => sentence.then(format!(
            ", {other} would be it in {}: the data leave it open.",
            quantity::quantity((times * 100.0).round() / 100.0, "ratio")
        )),
        _ => sentence.then("."),
    }
}

/// The thresholds of a study.
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
    // What fails stands first.
    let mut sorted: Vec<&ThresholdResult> = results.iter().collect();
    sorted.sort_by_key(|result| std::cmp::Reverse(result.verdict));
    let count = |verdict: ThresholdVerdict| results.iter().filter(|result| result.verdict == verdict).count();
    let counts = [ThresholdVerdict::Pass, ThresholdVerdict::Fail, ThresholdVerdict::CantTell].map(count);
    let verdict = verdict_word(wiredyno_answers::threshold::overall(results));
    Answer {
        title: format!("Thresholds of {study}"),
        conclusion: Sentence::default()
            .strong(crate::metric::capitalised(verdict))
            .then(format!(": {} pass, {} fail, {} can't be told.", counts[0], counts[1], counts[2])),
        parts: vec![(String::new(), table(columns, sorted.into_iter().map(row).collect()))],
    }
}

fn verdict_word(verdict: ThresholdVerdict) -> &'static str {
    match verdict {
        ThresholdVerdict::Pass => "pass",
        ThresholdVerdict::CantTell => "can't tell",
        ThresholdVerdict::Fail => "fail",
    }
}

/// Thresholds as JUnit XML: a test suite a threshold, a test case a cell. What can't be told is skipped, with the reason.
///
/// # Errors
/// When the text can't be written, which no text is known to cause.
pub fn junit(study: &str, results: &[ThresholdResult]) -> Result<String, quick_junit::SerializeError> {
    let mut report = Report::new(study);
    let mut suites: Vec<TestSuite> = Vec::new();
    for result in results {
        let status = match result.verdict {
            ThresholdVerdict::Pass => TestCaseStatus::success(),
            ThresholdVerdict::CantTell => {
                let mut status = TestCaseStatus::skipped();
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

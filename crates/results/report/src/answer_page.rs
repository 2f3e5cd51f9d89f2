//! Answers on their own for a page: the first screen of a report (the answer, how sure it is, one picture of absolute figures, losses
//! first), then the tables and lists that the terminal prints.

use wiredyno_answers::Conclusion;
use wiredyno_answers::compare::Comparison;
use wiredyno_answers::effects::tells_lost;
use wiredyno_answers::opening::{self, Choice, Measure, Picture, PictureFigure, Standing};
use wiredyno_answers::recommend::{Recommendation, Weight};
use wiredyno_model::Selection;
use wiredyno_model::metric::Scope;
use wiredyno_model::summary::{Effect, Summary};

use crate::answer::{comparison, what_decides, why_not};
use crate::first_screen;
use crate::html::{self, Bars};
use crate::sentence::Sentence;

/// Measures in the picture of a comparison.
const MEASURES: usize = 4;
/// Payloads in it, each with a row for each run.
const PAYLOADS: usize = 4;

/// A report's first screen in a few lines, for lists of runs.
#[derive(Debug, Clone)]
pub struct Brief {
    /// The answer, its sentences one after another.
    pub answer: String,
    /// The first word of the badge: `sound`, `with care` or `not sound`.
    pub fitness: &'static str,
    /// The line of the badge.
    pub sure: String,
}

/// The first screen of a run's report, in a few lines.
pub fn brief(summary: &Summary) -> Brief {
    let summary = &wiredyno_answers::concluded_anew(summary);
    let opening = opening::opening(summary);
    let badge = first_screen::badge(summary, &opening);
    let answer = first_screen::answer(summary, &opening);
    let answer: Vec<String> = answer.iter().map(Sentence::to_plain).collect();
    Brief { answer: answer.join(" "), fitness: badge.fitness.word(), sure: badge.line }
}

/// The comparison of two runs as HTML.
pub fn comparison_on_page(base: &Summary, new: &Summary, of: &Comparison) -> String {
    let sure = match of.conclusion {
        Conclusion::Difference => {
            "All figures are tested together: at 95 %, no difference that is called shown is there by chance."
                .to_owned()
        }
        Conclusion::NoDifference => {
            "The intervals of all figures, tested together at 95 %, leave no room for one that matters."
                .to_owned()
        }
        Conclusion::NotDecided => what_decides(of),
        Conclusion::CantTell => format!("Can't tell: {}.", why_not(of)),
    };
    let badge = first_screen::of_two(base, new, of.conclusion, Sentence::plain(sure));
    html::on_page(&comparison(of), Some(&badge), before_and_after(base, new, of).as_ref())
}

/// A recommendation as HTML, with the absolute figures of its candidates.
pub fn recommendation_on_page(
    summary: &Summary,
    cells: &Selection,
    weights: &[Weight],
    found: &Recommendation,
) -> String {
    let picture = opening::picture(summary, cells, weights, found);
    let bars =
        picture.map(|picture| Bars { caption: first_screen::caption(&picture), rows: "choice", picture });
    html::on_page(&crate::recommendation(found), None, bars.as_ref())
}

/// The means of both runs: of messages, or of codecs where no figure of messages is compared.
fn before_and_after(base: &Summary, new: &Summary, of: &Comparison) -> Option<Bars> {
    let has_messages = of.effects.iter().any(|effect| effect.scope == "message");
    let scope = if has_messages { Scope::Message } else { Scope::Codec };
    let effects = || of.effects.iter().filter(|effect| (effect.scope == "message") == has_messages);
    let mut names: Vec<&str> = Vec::new();
    let mut payloads: Vec<&str> = Vec::new();
    for effect in effects() {
        if !names.contains(&effect.metric.as_str()) {
            names.push(&effect.metric);
        }
        if !payloads.contains(&effect.payload.as_str()) {
            payloads.push(&effect.payload);
        }
    }
    names.truncate(MEASURES);
    let measures: Vec<Measure> = names.iter().filter_map(|name| Measure::of(scope, name)).collect();
    if measures.len() < names.len() || measures.is_empty() {
        return None;
    }
    let more = payloads.len().saturating_sub(PAYLOADS);
    let choice = |payload: &str, place: usize| {
        let run = [base, new][place].run.id.as_str();
        let name = if payloads.len() > 1 { format!("{payload}, {run}") } else { run.to_owned() };
        let figure = |metric: &&str| {
            let found = effects().find(|effect| effect.payload == payload && effect.metric == **metric);
            found.map(|effect| figure(effect, place))
        };
        Choice { name, standing: Standing::Behind, figures: names.iter().map(figure).collect() }
    };
    let drawn = payloads.iter().take(PAYLOADS);
    let choices = drawn.flat_map(|payload| [0, 1].map(|place| choice(payload, place))).collect();
    let others = match more {
        0 => String::new(),
        1 => " One more payload is in the table.".to_owned(),
        more => format!(" {more} more payloads are in the table."),
    };
    Some(Bars {
        caption: format!(
            "Means over the combinations that both runs have, of which the changes below are ratios or differences; bars begin at \
             zero.{others}"
        ),
        rows: "run",
        picture: Picture { condition: String::new(), measures, choices, more },
    })
}

/// What an effect says of one side: 0 before, 1 after.
fn figure(effect: &Effect, place: usize) -> PictureFigure {
    let lost = effect.lost.is_some_and(|shares| shares[place] > 0.0);
    PictureFigure {
        mean: effect.means[place],
        interval: None,
        of_survivors: lost && effect.metric != "lost" && tells_lost(&effect.metric),
    }
}

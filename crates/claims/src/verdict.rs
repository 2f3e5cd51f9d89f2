//! Verdicts: what a run says to each claim of a study.
//!
//! A claim stands for one comparison or several, and holds when all of them do. It is *confirmed* when the 95 % interval of
//! every comparison lies where the claim puts it: each has to be shown, so that together they need no correction (R. L.
//! Berger, "Multiparameter Hypothesis Testing and Acceptance Sampling", Technometrics 24, 1982). It is *refuted* when
//! one interval lies outside altogether, at a level corrected for all comparisons of the claim (Bonferroni), because any
//! of them would do. Otherwise it is *inconclusive*. Where the run lacks a figure, or no run can have it, it is
//! *not comparable*.

use std::collections::BTreeMap;

use serde::Serialize;
use wiredyno_model::CodecId;
use wiredyno_model::summary::Summary;

use crate::compare::{Estimate, Scale, compare};
use crate::expand::{Asked, Question, Term, expand};
use crate::measured::{Kind, kind, measured, metric_words};
use crate::published::{Claim, Published};

/// What a run says to a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It holds here too.
    Confirmed,
    /// It does not hold here.
    Refuted,
    /// The trials do not tell.
    Inconclusive,
    /// Nothing here can tell.
    NotComparable,
}

impl Verdict {
    /// All, in the order in which they are counted.
    pub const ALL: [Verdict; 4] =
        [Verdict::Confirmed, Verdict::Refuted, Verdict::Inconclusive, Verdict::NotComparable];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Verdict::Confirmed => "confirmed",
            Verdict::Refuted => "refuted",
            Verdict::Inconclusive => "inconclusive",
            Verdict::NotComparable => "not comparable",
        }
    }
}

/// What became of one comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// As the claim has it.
    Holds,
    /// Not as the claim has it.
    Fails,
    /// Not told.
    Open,
}

/// One comparison that a claim stands for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// What is compared: codec, payload's message and metric.
    pub left: String,
    /// With what.
    pub right: String,
    /// What the claim says of left over right, in words: `below 1`, `3.5 to 4.1`.
    pub asked: String,
    /// How the two stand to each other; absent where one was not measured.
    pub estimate: Option<Estimate>,
    /// What became of it; absent where there is no estimate.
    pub outcome: Option<Standing>,
    /// Why there is no estimate.
    pub why: Option<String>,
    /// Whether it lacks a figure, so that nothing can be said however many trials there are.
    #[serde(skip)]
    lacks_figure: bool,
}

/// The verdict with another codec of a format.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WithOther {
    /// The codec that takes part.
    pub codec: CodecId,
    /// In place of this one.
    pub in_place_of: CodecId,
    /// What the run says then.
    pub verdict: Verdict,
}

/// A claim with its verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judgement {
    /// The claim's id.
    pub id: String,
    /// What the study says.
    pub says: String,
    /// Where.
    #[serde(rename = "where")]
    pub place: String,
    /// What the run says to it.
    pub verdict: Verdict,
    /// Why, in a sentence: the interval that decides, or what is missing.
    pub why: String,
    /// The codecs that were compared.
    pub codecs: Vec<CodecId>,
    /// Whether time or memory of other implementations than the study's were compared.
    pub other_implementations: bool,
    /// The same with other codecs of the formats.
    pub with_others: Vec<WithOther>,
    /// What it rests on.
    pub comparisons: Vec<Comparison>,
    /// What to know: the study's own numbers, or what is not checked.
    pub note: Option<String>,
}

/// Judges every claim of a study by a run.
pub fn judge(published: &Published, summary: &Summary) -> Vec<Judgement> {
    published.claim.iter().map(|claim| judge_claim(published, summary, claim)).collect()
}

fn judge_claim(published: &Published, summary: &Summary, claim: &Claim) -> Judgement {
    let questions = expand(claim);
    let codecs: BTreeMap<&str, &CodecId> =
        published.format.iter().map(|format| (format.id.as_str(), &format.codec)).collect();
    let run = Run { published, summary };
    let comparisons = run.answer(&questions, &codecs);
    let (verdict, why) = match &claim.not_comparable {
        Some(why) => (Verdict::NotComparable, why.clone()),
        None => conclude(&comparisons),
    };
    let mut formats: Vec<&str> = Vec::new();
    for term in questions.iter().flat_map(|question| [&question.left, &question.right]) {
        formats.extend(std::iter::once(&term.format).chain(&term.over).map(String::as_str));
    }
    let mut used: Vec<&str> = Vec::new();
    formats.retain(|format| {
        !used.contains(format) && {
            used.push(format);
            true
        }
    });
    let with_others = if claim.not_comparable.is_some() {
        Vec::new()
    } else {
        run.with_others(&questions, &codecs, &formats)
    };
    let implementation_counts = questions.iter().any(|question| kind(&question.left.metric) != Kind::Size);
    let other = |id: &&str| published.format(id).is_some_and(|format| !format.same_implementation);
    Judgement {
        id: claim.id.clone(),
        says: claim.says.clone(),
        place: claim.place.clone(),
        verdict,
        why,
        codecs: formats.iter().filter_map(|id| codecs.get(id).map(|&codec| codec.clone())).collect(),
        other_implementations: implementation_counts && formats.iter().any(other),
        with_others,
        comparisons,
        note: claim.note.clone(),
    }
}

/// A study beside a run.
struct Run<'a> {
    published: &'a Published,
    summary: &'a Summary,
}

impl Run<'_> {
    fn answer(&self, questions: &[Question], codecs: &BTreeMap<&str, &CodecId>) -> Vec<Comparison> {
        let answer = |question: &Question| {
            let name = |term: &Term| term_name(term, codecs, question.left.metric != question.right.metric);
            let comparison = Comparison {
                left: name(&question.left),
                right: name(&question.right),
                asked: question.asked.words(),
                estimate: None,
                outcome: None,
                why: None,
                lacks_figure: false,
            };
            let values = self
                .values(&question.left, codecs)
                .and_then(|left| Ok((left, self.values(&question.right, codecs)?)));
            let (left, right) = match values {
                Ok(values) => values,
                Err(why) => return Comparison { why: Some(why), lacks_figure: true, ..comparison },
            };
            let deterministic =
                [&question.left, &question.right].iter().all(|term| kind(&term.metric) == Kind::Size);
            match compare(&left, &right, deterministic, questions.len()) {
                Ok(estimate) => match question.asked.outcome(&estimate) {
                    Some(outcome) => {
                        Comparison { estimate: Some(estimate), outcome: Some(outcome), ..comparison }
                    }
                    None => {
                        let why =
                            format!("no ratio of {} to {}: a figure is 0", comparison.left, comparison.right);
                        Comparison { why: Some(why), lacks_figure: true, ..comparison }
                    }
                },
                Err(why) => Comparison { why: Some(why), ..comparison },
            }
        };
        questions.iter().map(answer).collect()
    }

    /// A term's values by repeat.
    fn values(&self, term: &Term, codecs: &BTreeMap<&str, &CodecId>) -> Result<BTreeMap<u32, f64>, String> {
        let message = self.published.message(&term.message);
        let message = message.ok_or_else(|| format!("there is no message `{}`", term.message))?;
        let of = |format: &str| {
            let codec = codecs.get(format).ok_or_else(|| format!("there is no format `{format}`"))?;
            Ok::<_, String>(measured(self.summary, codec, message, &term.metric)?.by_repeat)
        };
        let values = of(&term.format)?;
        let Some(over) = &term.over else {
            return Ok(values);
        };
        let over = of(over)?;
        let ratios = values.iter().filter_map(|(repeat, value)| Some((*repeat, value / over.get(repeat)?)));
        Ok(ratios.filter(|(_, ratio)| ratio.is_finite()).collect())
    }

    /// The verdicts with every other codec of the formats, one put in at a time.
    fn with_others(
        &self,
        questions: &[Question],
        codecs: &BTreeMap<&str, &CodecId>,
        formats: &[&str],
    ) -> Vec<WithOther> {
        let mut verdicts = Vec::new();
        for format in formats.iter().filter_map(|id| self.published.format(id)) {
            for codec in &format.also {
                let mut with = codecs.clone();
                with.insert(&format.id, codec);
                let (verdict, _) = conclude(&self.answer(questions, &with));
                verdicts.push(WithOther { codec: codec.clone(), in_place_of: format.codec.clone(), verdict });
            }
        }
        verdicts
    }
}

impl Asked {
    fn words(self) -> String {
        match self {
            Asked::Less => "below 1".to_owned(),
            Asked::Within(low, high) if low == high => format!("exactly {low}"),
            Asked::Within(low, f64::INFINITY) => format!("at least {low}"),
            Asked::Within(low, high) if low <= 0.0 => format!("at most {high}"),
            Asked::Within(low, high) => format!("{low} to {high}"),
        }
    }

    /// What an estimate says to it; `None` where a ratio is asked for and there is none.
    fn outcome(self, estimate: &Estimate) -> Option<Standing> {
        let [low, high] = estimate.interval_95;
        let [lowest, highest] = estimate.interval_corrected;
        let equal = estimate.scale.equal();
        let (holds, fails) = match (self, estimate.scale) {
            (Asked::Less, _) => (high < equal, lowest >= equal),
            (Asked::Within(least, most), Scale::Ratio) => {
                (low >= least && high <= most, lowest > most || highest < least)
            }
            (Asked::Within(..), Scale::Difference) => return None,
        };
        Some(match (holds, fails) {
            (true, _) => Standing::Holds,
            (false, true) => Standing::Fails,
            (false, false) => Standing::Open,
        })
    }
}

/// `protobuf/prost, cam`, with the metric where the two sides differ in it.
fn term_name(term: &Term, codecs: &BTreeMap<&str, &CodecId>, with_metric: bool) -> String {
    let codec = |format: &str| codecs.get(format).map_or_else(|| format.to_owned(), ToString::to_string);
    let over = term.over.as_ref().map(|over| format!(" over {}", codec(over))).unwrap_or_default();
    let metric = if with_metric { format!(" ({})", metric_words(&term.metric)) } else { String::new() };
    format!("{}{over} for {}{metric}", codec(&term.format), term.message)
}

/// The verdict of all comparisons together and the reason for it.
fn conclude(comparisons: &[Comparison]) -> (Verdict, String) {
    let with = |outcome: Standing| comparisons.iter().filter(move |c| c.outcome == Some(outcome));
    let all = comparisons.len();
    if let Some(worst) = with(Standing::Fails).max_by(|a, b| a.distance().total_cmp(&b.distance())) {
        let fails = with(Standing::Fails).count();
        let count =
            if all == 1 { String::new() } else { format!("{fails} of {all} comparisons say otherwise; ") };
        return (Verdict::Refuted, format!("{count}{}", worst.sentence(true)));
    }
    if let Some(lacking) = comparisons.iter().find(|comparison| comparison.lacks_figure) {
        return (Verdict::NotComparable, lacking.why.clone().unwrap_or_default());
    }
    if let Some(open) = comparisons.iter().find(|c| c.outcome == Some(Standing::Open) || c.why.is_some()) {
        let count = if all == 1 {
            String::new()
        } else {
            format!("{} of {all} comparisons hold; not told: ", with(Standing::Holds).count())
        };
        return (Verdict::Inconclusive, format!("{count}{}", open.sentence(true)));
    }
    match with(Standing::Holds).min_by(|a, b| a.distance().total_cmp(&b.distance())) {
        Some(closest) if all == 1 => (Verdict::Confirmed, closest.sentence(false)),
        Some(closest) => (
            Verdict::Confirmed,
            format!("all {all} comparisons hold, the closest: {}", closest.sentence(false)),
        ),
        None => (Verdict::NotComparable, "it names nothing to compare".to_owned()),
    }
}

impl Comparison {
    /// How far apart the two are, whichever way: the size of the logarithm of their ratio.
    fn distance(&self) -> f64 {
        self.estimate.map_or(0.0, |estimate| match estimate.scale {
            Scale::Ratio => estimate.value.ln().abs(),
            Scale::Difference => f64::MAX,
        })
    }

    /// The estimate in words, with the interval that decided.
    fn sentence(&self, corrected: bool) -> String {
        let Some(estimate) = &self.estimate else {
            return self.why.clone().unwrap_or_default();
        };
        let [low, high] = if corrected { estimate.interval_corrected } else { estimate.interval_95 };
        let interval = if estimate.exact {
            ", exactly".to_owned()
        } else {
            format!(" [{}, {}]", digits(low), digits(high))
        };
        match estimate.scale {
            Scale::Ratio => format!(
                "{} is {} times {}{interval}; claimed: {}",
                self.left,
                digits(estimate.value),
                self.right,
                self.asked
            ),
            Scale::Difference => format!(
                "{} less {} is {}{interval}; claimed: below 0",
                self.left,
                self.right,
                digits(estimate.value)
            ),
        }
    }
}

/// Three decimals below 10, fewer above.
pub(crate) fn digits(value: f64) -> String {
    match value.abs() {
        size if size >= 1000.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

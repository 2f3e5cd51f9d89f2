//! Verdicts: what a run shows about each claim of a study. One file because a verdict is one path from terms to words.
//!
//! A claim stands for one comparison or several, and holds if all of them do. It is *confirmed* if the 95 % interval of every comparison
//! lies where the claim puts it: each must be shown, so that together they need no correction (R. L. Berger, "Multiparameter Hypothesis
//! Testing and Acceptance Sampling", Technometrics 24, 1982). It is *refuted* if one interval lies entirely outside, at a level corrected
//! for all comparisons of the claim (Bonferroni), because any of them is enough. Otherwise, and if the run lacks a figure, it is *not
//! decided*. If the machine can't provide a figure, or no run can, it is *not comparable*.

use std::collections::BTreeMap;

use serde::Serialize;
use wiredyno_contract::{CodecId, ModeId};
use wiredyno_model::summary::Summary;

use crate::compare::{Estimate, Scale, compare, in_its_unit};
use crate::expand::{Asked, Quantity, Question, Term, expand};
use crate::measured::{Kind, Lack, Measured, Of, kind, measured, metric_words, place_words};
use crate::published::{Claim, Format, Protocol, Published};
use crate::trend::{self, Points};

/// A run's verdict on a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Shown: the claim holds here, too.
    Confirmed,
    /// Shown: the claim does not hold here.
    Refuted,
    /// The trials do not decide it.
    NotDecided,
    /// Nothing here can decide it.
    NotComparable,
}

impl Verdict {
    /// All verdicts, in the order of counts.
    pub const ALL: [Verdict; 4] =
        [Verdict::Confirmed, Verdict::Refuted, Verdict::NotDecided, Verdict::NotComparable];

    /// The word for it in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Verdict::Confirmed => "confirmed",
            Verdict::Refuted => "refuted",
            Verdict::NotDecided => "not decided",
            Verdict::NotComparable => "not comparable",
        }
    }
}

/// The result of one comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Shown to be as claimed.
    Holds,
    /// Shown not to be as claimed.
    Fails,
    /// Neither is shown: the interval is too wide.
    Open,
}

/// One comparison that a claim stands for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Left side: codec, payload's message, place on axes and metric.
    pub left: String,
    /// Right side, in the same form.
    pub right: String,
    /// The claim's condition on left over right, in words: `below 1`, `3.5 to 4.1`.
    pub asked: String,
    /// The estimated relation of the two; absent if one was not measured.
    pub estimate: Option<Estimate>,
    /// The result; absent if there is no estimate.
    pub outcome: Option<Standing>,
    /// Why there is no estimate.
    pub why: Option<String>,
    /// Whether it lacks a figure that this machine can't provide.
    #[serde(skip)]
    not_had: bool,
    /// The unit of the quantity itself, if the condition is about that.
    #[serde(skip)]
    unit: String,
}

/// The verdict with a stand-in replaced.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WithOther {
    /// The codec, mode or conditions that replace it.
    pub with: String,
    /// The stand-in that is replaced.
    pub in_place_of: String,
    /// The verdict with the replacement.
    pub verdict: Verdict,
}

/// A claim with its verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judgement {
    /// The claim's id, such as `c07`.
    pub id: String,
    /// The study's statement, in our words.
    pub says: String,
    /// The place in the publication.
    #[serde(rename = "where")]
    pub place: String,
    /// The run's verdict on it.
    pub verdict: Verdict,
    /// Why, in a sentence: the interval that decides, or what is missing.
    pub why: String,
    /// The codecs that were compared.
    pub codecs: Vec<CodecId>,
    /// The modes that were compared; empty for codec trials.
    pub modes: Vec<ModeId>,
    /// Whether time or memory of implementations other than the study's were compared.
    pub other_implementations: bool,
    /// The verdicts with other codecs of the formats, other modes of the protocols, and under other conditions.
    pub with_others: Vec<WithOther>,
    /// The comparisons behind the verdict.
    pub comparisons: Vec<Comparison>,
    /// A remark for readers: the study's own numbers, or what is not checked.
    pub note: Option<String>,
}

/// Judges every claim of a study by a run's figures.
pub fn judge(published: &Published, summary: &Summary) -> Vec<Judgement> {
    published.claim.iter().map(|claim| judge_claim(published, Some(summary), claim)).collect()
}

/// The verdicts without a run of the study: whatever could be compared is not decided.
pub fn unjudged(published: &Published) -> Vec<Judgement> {
    published.claim.iter().map(|claim| judge_claim(published, None, claim)).collect()
}

fn judge_claim(published: &Published, summary: Option<&Summary>, claim: &Claim) -> Judgement {
    let questions = expand(published, claim);
    let named = Named::of(published, &questions);
    let stand_ins = StandIns::of(published);
    let (comparisons, with_others) = match (summary, &claim.not_comparable) {
        (Some(summary), None) => {
            let run = Run { published, summary };
            (run.answer(&questions, &stand_ins), run.with_others(&questions, &stand_ins, &named))
        }
        _ => (Vec::new(), Vec::new()),
    };
    let (verdict, why) = match (&claim.not_comparable, summary) {
        (Some(why), _) => (Verdict::NotComparable, why.clone()),
        (None, Some(_)) => conclude(&comparisons),
        (None, None) => {
            let study = &published.study;
            (Verdict::NotDecided, format!("there is no run of the study, start one: wiredyno run {study}"))
        }
    };
    Judgement {
        id: claim.id.clone(),
        says: claim.says.clone(),
        place: claim.place.clone(),
        verdict,
        why,
        codecs: named.formats.iter().map(|format| format.codec.clone()).collect(),
        modes: named.modes(published),
        other_implementations: named.other_implementations(&questions),
        with_others,
        comparisons,
        note: claim.note.clone(),
    }
}

/// The formats and protocols in a claim, in order, each once.
struct Named<'a> {
    formats: Vec<&'a Format>,
    protocols: Vec<&'a Protocol>,
    of_messages: bool,
}

impl<'a> Named<'a> {
    fn of(published: &'a Published, questions: &[Question]) -> Self {
        let mut named = Named { formats: Vec::new(), protocols: Vec::new(), of_messages: false };
        for term in questions.iter().flat_map(Question::terms) {
            let over = term.over.as_ref();
            for format in std::iter::once(&term.format).chain(over).filter_map(|id| published.format(id)) {
                if !named.formats.iter().any(|known| known.id == format.id) {
                    named.formats.push(format);
                }
            }
            for protocol in term.protocol.iter().chain(over).filter_map(|id| published.protocol(id)) {
                if !named.protocols.iter().any(|known| known.id == protocol.id) {
                    named.protocols.push(protocol);
                }
            }
            named.of_messages |= is_of_messages(term);
        }
        named
    }

    fn modes(&self, published: &Published) -> Vec<ModeId> {
        let modes: Vec<ModeId> = self.protocols.iter().map(|protocol| protocol.mode.clone()).collect();
        if modes.is_empty() && self.of_messages {
            return published.conditions.get("mode").and_then(|mode| mode.parse().ok()).into_iter().collect();
        }
        modes
    }

    fn other_implementations(&self, questions: &[Question]) -> bool {
        let counts = questions.iter().flat_map(Question::terms).any(|term| kind(&term.metric) != Kind::Size);
        let other = self.formats.iter().any(|format| !format.same_implementation)
            || self.protocols.iter().any(|protocol| !protocol.same_implementation);
        counts && other
    }
}

pub(crate) fn is_of_messages(term: &Term) -> bool {
    Published::is_of_messages(&term.metric, term.protocol.is_some() || !term.at.is_empty())
}

/// The stand-ins for the study's formats, protocols and conditions.
#[derive(Clone)]
pub(crate) struct StandIns<'a> {
    codecs: BTreeMap<&'a str, &'a CodecId>,
    modes: BTreeMap<&'a str, &'a ModeId>,
    /// Conditions that replace the file's.
    conditions: BTreeMap<String, String>,
}

impl<'a> StandIns<'a> {
    pub(crate) fn of(published: &'a Published) -> Self {
        StandIns {
            codecs: published.format.iter().map(|format| (format.id.as_str(), &format.codec)).collect(),
            modes: published.protocol.iter().map(|protocol| (protocol.id.as_str(), &protocol.mode)).collect(),
            conditions: BTreeMap::new(),
        }
    }

    /// The codec that stands for a format.
    pub(crate) fn codec(&self, format: &str) -> Option<&'a CodecId> {
        self.codecs.get(format).copied()
    }

    /// Place of a term's message trials on axes.
    pub(crate) fn placed(
        &self,
        published: &Published,
        term: &Term,
        protocol: Option<&str>,
    ) -> BTreeMap<String, String> {
        let known = protocol.and_then(|id| published.protocol(id));
        let mode = protocol.and_then(|id| Some(("mode".to_owned(), self.modes.get(id)?.to_string())));
        let mode: BTreeMap<String, String> = mode.into_iter().collect();
        let mut conditions = self.conditions.clone();
        if let Some(protocol) = known {
            conditions.retain(|axis, _| !protocol.fixed.contains(axis));
        }
        published.placed(known, &[&conditions, &mode, &term.at])
    }
}

/// Values by repeat, or why there are none.
type Values = Result<BTreeMap<u32, f64>, Lack>;

/// A study with a run of it.
struct Run<'a> {
    published: &'a Published,
    summary: &'a Summary,
}

impl Run<'_> {
    fn answer(&self, questions: &[Question], stand_ins: &StandIns<'_>) -> Vec<Comparison> {
        let answer = |question: &Question| {
            let [left, right] =
                [&question.left, &question.right].map(|side| self.words(side, question, stand_ins));
            let in_unit = question.right == Quantity::One;
            let unit = if in_unit { self.unit(&question.left, stand_ins) } else { String::new() };
            let comparison = Comparison {
                left,
                right,
                asked: question.asked.words(in_unit, &unit),
                unit,
                estimate: None,
                outcome: None,
                why: None,
                not_had: false,
            };
            let estimate = self.estimate(question, stand_ins, questions.len());
            match estimate {
                Ok(estimate) => match question.asked.outcome(&estimate, question.is_of_figures()) {
                    Some(outcome) => {
                        Comparison { estimate: Some(estimate), outcome: Some(outcome), ..comparison }
                    }
                    None => {
                        let why =
                            format!("no ratio of {} to {}: a figure is 0", comparison.left, comparison.right);
                        Comparison { why: Some(why), ..comparison }
                    }
                },
                Err(lack) => {
                    let not_had = matches!(lack, Lack::NotHad(_));
                    Comparison { why: Some(lack.to_string()), not_had, ..comparison }
                }
            }
        };
        questions.iter().map(answer).collect()
    }

    fn estimate(
        &self,
        question: &Question,
        stand_ins: &StandIns<'_>,
        comparisons: usize,
    ) -> Result<Estimate, Lack> {
        if let (Quantity::Of(term), Quantity::One) = (&question.left, &question.right) {
            let measured = self.measured(term, &term.format, term.protocol.as_deref(), stand_ins)?;
            return in_its_unit(&measured, comparisons).map_err(Lack::NotRun);
        }
        let left = self.values(&question.left, stand_ins).transpose()?;
        let right = self.values(&question.right, stand_ins).transpose()?;
        let level = |of: &Points| {
            let level = if of.is_factor { 1.0 } else { 0.0 };
            Points { by_repeat: of.by_repeat.keys().map(|repeat| (*repeat, level)).collect(), ..of.clone() }
        };
        let (left, right) = match (left, right) {
            (Some(left), Some(right)) => (left, right),
            (Some(left), None) => (left.clone(), level(&left)),
            (None, Some(right)) => (level(&right), right),
            (None, None) => return Err(Lack::NotRun("it names nothing to compare".to_owned())),
        };
        let deterministic = question.terms().iter().all(|term| kind(&term.metric) == Kind::Size);
        compare(&left.by_repeat, &right.by_repeat, deterministic, comparisons).map_err(Lack::NotRun)
    }

    /// A quantity by repeat; `None` for a reference that takes the other side's level.
    fn values(&self, quantity: &Quantity, stand_ins: &StandIns<'_>) -> Option<Result<Points, Lack>> {
        let all = |terms: Vec<&Term>| -> Result<Vec<BTreeMap<u32, f64>>, Lack> {
            terms.into_iter().map(|term| self.of_term(term, stand_ins)).collect()
        };
        match quantity {
            Quantity::Of(term) => {
                let plain = |by_repeat| Points { by_repeat, is_factor: true };
                Some(self.of_term(term, stand_ins).map(plain))
            }
            Quantity::Trend(terms) => {
                Some(all(terms.iter().collect()).map(|of_terms| trend::trend(&of_terms)))
            }
            Quantity::Slope(points) => {
                let numbers: Vec<f64> = points.iter().map(|(number, _)| *number).collect();
                let of_terms = all(points.iter().map(|(_, term)| term).collect());
                Some(of_terms.map(|of_terms| trend::slope(&numbers, &of_terms)))
            }
            Quantity::Level | Quantity::One => None,
        }
    }

    fn of_term(&self, term: &Term, stand_ins: &StandIns<'_>) -> Values {
        let values = self.measured(term, &term.format, term.protocol.as_deref(), stand_ins)?.by_repeat;
        let Some(over) = &term.over else {
            return Ok(values.into_iter().map(|(repeat, value)| (repeat, value / term.per)).collect());
        };
        let over = if self.published.format(over).is_some() {
            self.measured(term, over, term.protocol.as_deref(), stand_ins)?
        } else {
            self.measured(term, &term.format, Some(over.as_str()), stand_ins)?
        };
        let ratios = values
            .iter()
            .filter_map(|(repeat, value)| Some((*repeat, value / over.by_repeat.get(repeat)? / term.per)));
        Ok(ratios.filter(|(_, ratio)| ratio.is_finite()).collect())
    }

    fn measured(
        &self,
        term: &Term,
        format: &str,
        protocol: Option<&str>,
        stand_ins: &StandIns<'_>,
    ) -> Result<Measured, Lack> {
        let unknown = |what: &str, id: &str| Lack::NotRun(format!("there is no {what} `{id}`"));
        let message =
            self.published.message(&term.message).ok_or_else(|| unknown("message", &term.message))?;
        let codec = stand_ins.codecs.get(format).ok_or_else(|| unknown("format", format))?;
        if !is_of_messages(term) {
            return measured(self.summary, codec, message, &term.metric, Of::Codec);
        }
        let at = stand_ins.placed(self.published, term, protocol);
        measured(self.summary, codec, message, &term.metric, Of::Messages(&at))
    }

    fn unit(&self, quantity: &Quantity, stand_ins: &StandIns<'_>) -> String {
        let term = quantity.terms().into_iter().next();
        let measured =
            term.map(|term| self.measured(term, &term.format, term.protocol.as_deref(), stand_ins));
        measured.and_then(Result::ok).map_or_else(String::new, |measured| measured.unit)
    }

    /// The verdicts with every other codec, mode and conditions, one replaced at a time.
    fn with_others(
        &self,
        questions: &[Question],
        stand_ins: &StandIns<'_>,
        named: &Named<'_>,
    ) -> Vec<WithOther> {
        let mut verdicts = Vec::new();
        let mut with = |with: String, in_place_of: String, others: &StandIns<'_>| {
            let (verdict, _) = conclude(&self.answer(questions, others));
            verdicts.push(WithOther { with, in_place_of, verdict });
        };
        for format in &named.formats {
            for codec in &format.also {
                let mut others = stand_ins.clone();
                others.codecs.insert(&format.id, codec);
                with(codec.to_string(), format.codec.to_string(), &others);
            }
        }
        for protocol in &named.protocols {
            for mode in &protocol.also {
                let mut others = stand_ins.clone();
                others.modes.insert(&protocol.id, mode);
                with(mode.to_string(), protocol.mode.to_string(), &others);
            }
        }
        for conditions in self.published.also_under.iter().filter(|_| named.of_messages) {
            // If the claim itself names it there is nothing to replace.
            let said = |axis: &String| {
                questions.iter().flat_map(Question::terms).any(|term| term.at.contains_key(axis))
            };
            if conditions.keys().any(said) {
                continue;
            }
            let others = StandIns { conditions: conditions.clone(), ..stand_ins.clone() };
            let usual = |axis: &String| Some((axis.clone(), self.published.conditions.get(axis)?.clone()));
            let in_place_of = conditions.keys().filter_map(usual).collect();
            with(place_words(conditions), place_words(&in_place_of), &others);
        }
        verdicts
    }

    /// A side in words, with the metric if the two differ in it.
    fn words(&self, quantity: &Quantity, question: &Question, stand_ins: &StandIns<'_>) -> String {
        let metrics: Vec<&Vec<String>> = question.terms().into_iter().map(|term| &term.metric).collect();
        let with_metric = metrics.windows(2).any(|two| two[0] != two[1]) || question.right == Quantity::One;
        let first_and_last = |terms: &[&Term]| match terms {
            [first, .., last] => {
                let name = |term: &Term| self.term_name(term, stand_ins, with_metric);
                format!("from {} to {}", name(first), name(last))
            }
            _ => String::new(),
        };
        match quantity {
            Quantity::Of(term) => self.term_name(term, stand_ins, with_metric),
            Quantity::Trend(_) => format!("the growth {}", first_and_last(&quantity.terms())),
            Quantity::Slope(_) => format!("the slope {}", first_and_last(&quantity.terms())),
            Quantity::Level => LEVEL.to_owned(),
            Quantity::One => "1".to_owned(),
        }
    }

    /// A term in words: `protobuf/prost for cam`, `mqtt:qos1 for large (loss 0.05)`, with the metric if requested.
    fn term_name(&self, term: &Term, stand_ins: &StandIns<'_>, with_metric: bool) -> String {
        let codec = |format: &str| {
            stand_ins.codecs.get(format).map_or_else(|| format.to_owned(), ToString::to_string)
        };
        let mode = |id: &str| stand_ins.modes.get(id).map(ToString::to_string);
        let over = term.over.as_ref();
        let over =
            over.map(|id| format!(" over {}", mode(id).unwrap_or_else(|| codec(id)))).unwrap_or_default();
        let who = match term.protocol.as_deref().and_then(mode) {
            // The format in which a message is always sent is not worth mentioning.
            Some(mode) if self.published.message(&term.message).is_some_and(|m| m.format.is_some()) => mode,
            Some(mode) => format!("{} over {mode}", codec(&term.format)),
            None => codec(&term.format),
        };
        let place = if term.at.is_empty() { String::new() } else { format!(" ({})", place_words(&term.at)) };
        let per = if term.per == 1.0 { String::new() } else { format!(" by {}", digits(term.per)) };
        let metric = if with_metric { format!(" ({})", metric_words(&term.metric)) } else { String::new() };
        format!("{who}{over} for {}{place}{per}{metric}", term.message)
    }
}

impl Asked {
    /// The condition in words; `unit` if it is about the quantity itself.
    fn words(self, in_unit: bool, unit: &str) -> String {
        let number = |value: f64| if in_unit { amount(value, unit) } else { short(value) };
        match self {
            Asked::Less => BELOW.to_owned(),
            Asked::Within(low, high) if low == high => format!("exactly {}", number(low)),
            Asked::Within(low, f64::INFINITY) => format!("at least {}", number(low)),
            Asked::Within(low, high) if low <= 0.0 => format!("at most {}", number(high)),
            Asked::Within(low, high) => {
                format!("{} to {}", short(low), if in_unit { number(high) } else { short(high) })
            }
        }
    }

    /// The result that an estimate gives; `None` if a ratio is needed and there is none. Figures that are [`ALIKE`] are not less than one
    /// another; trends, which add up from value to value, have no such margin.
    fn outcome(self, estimate: &Estimate, of_figures: bool) -> Option<Standing> {
        let [low, high] = estimate.interval_95;
        let [lowest, highest] = estimate.interval_corrected;
        let equal = estimate.scale.equal();
        let (holds, fails) = match (self, estimate.scale) {
            (Asked::Less, scale) => {
                let alike = of_figures && scale == Scale::Ratio && lowest >= 1.0 / ALIKE && highest <= ALIKE;
                (high < equal, lowest >= equal || alike)
            }
            (Asked::Within(least, most), Scale::Ratio | Scale::Value) => {
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

/// The verdict of all comparisons together, with the reason.
fn conclude(comparisons: &[Comparison]) -> (Verdict, String) {
    let with = |outcome: Standing| comparisons.iter().filter(move |c| c.outcome == Some(outcome));
    let all = comparisons.len();
    if let Some(worst) = with(Standing::Fails).max_by(|a, b| a.distance().total_cmp(&b.distance())) {
        let fails = with(Standing::Fails).count();
        let count =
            if all == 1 { String::new() } else { format!("{fails} of {all} comparisons say otherwise; ") };
        return (Verdict::Refuted, format!("{count}{}", worst.sentence(true)));
    }
    if let Some(lacking) = comparisons.iter().find(|comparison| comparison.not_had) {
        return (Verdict::NotComparable, lacking.why.clone().unwrap_or_default());
    }
    if let Some(open) = comparisons.iter().find(|c| c.outcome == Some(Standing::Open) || c.why.is_some()) {
        let count = if all == 1 {
            String::new()
        } else {
            format!("{} of {all} comparisons hold; undecided: ", with(Standing::Holds).count())
        };
        return (Verdict::NotDecided, format!("{count}{}", open.sentence(true)));
    }
    match with(Standing::Holds).min_by(|a, b| a.distance().total_cmp(&b.distance())) {
        Some(closest) if all == 1 => (Verdict::Confirmed, closest.sentence(false)),
        Some(closest) => (
            Verdict::Confirmed,
            format!("all {all} comparisons hold, the closest: {}", closest.sentence(false)),
        ),
        None => (Verdict::NotDecided, "it names nothing to compare".to_owned()),
    }
}

impl Comparison {
    /// The distance of the two, in either direction: the size of the logarithm of their ratio.
    fn distance(&self) -> f64 {
        self.estimate.map_or(0.0, |estimate| match estimate.scale {
            Scale::Ratio => estimate.value.ln().abs(),
            Scale::Value => estimate.value.abs(),
            Scale::Difference => f64::MAX,
        })
    }

    /// The estimate in words, with the interval that decided.
    fn sentence(&self, corrected: bool) -> String {
        let Some(estimate) = &self.estimate else {
            return self.why.clone().unwrap_or_default();
        };
        let [low, high] = if corrected { estimate.interval_corrected } else { estimate.interval_95 };
        let between = |low: f64, high: f64, words: &dyn Fn(f64) -> String| match estimate.exact {
            true => ", exactly".to_owned(),
            false => format!(" [{}, {}]", words(low), words(high)),
        };
        let interval = between(low, high, &digits);
        match estimate.scale {
            // Growth compared with none is itself a factor.
            Scale::Ratio if self.left == LEVEL && self.asked == BELOW => {
                let interval = between(1.0 / high, 1.0 / low, &digits);
                format!("{} is {}{interval}; claimed: above 1", self.right, digits(1.0 / estimate.value))
            }
            Scale::Ratio if self.right == LEVEL => {
                format!("{} is {}{interval}; claimed: {}", self.left, digits(estimate.value), self.asked)
            }
            Scale::Ratio => {
                let alike = self.asked == BELOW && self.outcome == Some(Standing::Fails) && low < 1.0;
                format!(
                    "{} is {} times {}{interval}{}; claimed: {}",
                    self.left,
                    digits(estimate.value),
                    self.right,
                    if alike { ", equal within 5 %" } else { "" },
                    self.asked
                )
            }
            Scale::Value => {
                let interval = between(low, high, &|value| amount(value, &self.unit));
                format!(
                    "{} is {}{interval}; claimed: {}",
                    self.left,
                    amount(estimate.value, &self.unit),
                    self.asked
                )
            }
            Scale::Difference => format!(
                "{} minus {} is {}{interval}; claimed: below 0",
                self.left,
                self.right,
                digits(estimate.value)
            ),
        }
    }
}

/// Two figures that certainly differ by less than this factor are equal for anyone who chooses between them.
const ALIKE: f64 = 1.05;

/// The words for no growth, and for the condition on something that is claimed to be less.
const LEVEL: &str = "none";
const BELOW: &str = "below 1";

/// A value in its unit; times in a suitable one.
fn amount(value: f64, unit: &str) -> String {
    const TIMES: [(f64, &str); 3] = [(1e9, "s"), (1e6, "ms"), (1e3, "\u{b5}s")];
    let (size, unit) = match unit {
        "" | "ratio" => return short(value),
        "ns" => TIMES.into_iter().find(|(size, _)| value.abs() >= *size).unwrap_or((1.0, "ns")),
        unit => (1.0, unit),
    };
    format!("{} {unit}", short(value / size))
}

/// A number with up to three decimals.
fn short(value: f64) -> String {
    ((value * 1000.0).round() / 1000.0).to_string()
}

/// Three decimals below 10, fewer above.
pub(crate) fn digits(value: f64) -> String {
    match value.abs() {
        size if size >= 1000.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

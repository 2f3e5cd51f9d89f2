//! A run's answer to every comparison of a claim, with one choice of stand-ins. Together with the words for them, because both walk the same
//! terms.

use std::collections::BTreeMap;

use wiredyno_model::summary::Summary;

use crate::bounds::Bounded as _;
use crate::compare::{Corrections, Estimate, compare, in_its_unit};
use crate::conclude::{BELOW, Concluded, LEVEL, Needed, amount, conclude, digits, short};
use crate::expand::{Asked, Quantity, Question, Term};
use crate::measured::{Kind, Lack, Measured, Of, kind, measured, metric_words, place_words};
use crate::published::Published;
use crate::stand_ins::{Named, StandIns, is_of_messages};
use crate::trend::{self, Points};
use crate::verdict::{Comparison, Standing, With};

/// Values by repeat, or why there are none.
type Values = Result<BTreeMap<u32, f64>, Lack>;

/// A study with a run of it.
pub(crate) struct Run<'a> {
    pub published: &'a Published,
    pub summary: &'a Summary,
}

impl Run<'_> {
    /// Every comparison of a claim with these stand-ins.
    pub(crate) fn answer(
        &self,
        questions: &[Question],
        asked: Needed,
        stand_ins: &StandIns<'_>,
    ) -> Vec<Comparison> {
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
                repeats_to_decide: None,
                distance: 0.0,
                tends_to: None,
                not_had: false,
            };
            let bounds = question.bounds(asked.tie);
            match self.estimate(question, stand_ins, asked.corrections()) {
                Ok(estimate) => match bounds.outcome(&estimate) {
                    Some(outcome) => {
                        let open = outcome == Standing::Open;
                        let decides = open.then(|| bounds.decides(&estimate, asked.corrections()));
                        let (repeats, tends_to) = decides.unwrap_or((None, None));
                        Comparison {
                            distance: bounds.distance(&estimate),
                            repeats_to_decide: repeats,
                            tends_to,
                            estimate: Some(estimate),
                            outcome: Some(outcome),
                            ..comparison
                        }
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
        corrections: Corrections,
    ) -> Result<Estimate, Lack> {
        if let (Quantity::Of(term), Quantity::One) = (&question.left, &question.right) {
            let measured = self.measured(term, &term.format, term.protocol.as_deref(), stand_ins)?;
            return in_its_unit(&measured, corrections).map_err(Lack::NotRun);
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
        compare(&left.by_repeat, &right.by_repeat, deterministic, corrections).map_err(Lack::NotRun)
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

    /// The results under each of the file's other conditions; none where the claim itself names them.
    pub(crate) fn under_others(&self, questions: &[Question], asked: Needed, named: &Named<'_>) -> Vec<With> {
        let said =
            |axis: &String| questions.iter().flat_map(Question::terms).any(|term| term.at.contains_key(axis));
        let others = self.published.also_under.iter().filter(|_| named.of_messages);
        let others = others.filter(|conditions| !conditions.keys().any(said));
        let judged = |conditions: &BTreeMap<String, String>| {
            let stand_ins = StandIns { conditions: conditions.clone(), ..StandIns::of(self.published) };
            let Concluded::Standing(standing, why) =
                conclude(&self.answer(questions, asked, &stand_ins), asked)
            else {
                return None;
            };
            Some(With { with: place_words(conditions), standing, why })
        };
        others.filter_map(judged).collect()
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
}

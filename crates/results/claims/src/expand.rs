//! Expands a claim into every comparison that it stands for.

use std::collections::BTreeMap;

use wiredyno_contract::Ratio;
use wiredyno_model::{Figure, Statistic};

use crate::published::{Claim, MESSAGE, PROTOCOL, Published, Side, Values};

/// One side of a comparison, fully specified.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Term {
    /// Id of the format.
    pub format: String,
    /// Id of the message.
    pub message: String,
    /// Id of the protocol; absent if the conditions name it, or for a codec trial.
    pub protocol: Option<String>,
    /// Place on axes, which overrides the conditions.
    pub at: BTreeMap<String, String>,
    /// The metrics that are summed.
    pub metric: Vec<String>,
    /// The format or protocol whose figure is the divisor.
    pub over: Option<String>,
    /// The number that it is divided by; 1 for none.
    pub per: f64,
}

/// A quantity that is compared.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Quantity {
    /// A single figure.
    Of(Term),
    /// Growth of a figure from one term to the next: the mean factor, or the slope if it is not above 0 everywhere.
    Trend(Vec<Term>),
    /// Growth of a figure with a number, by least squares.
    Slope(Vec<(f64, Term)>),
    /// No growth, the reference for trends.
    Level,
    /// One unit of the metric, the reference for bounds.
    One,
}

impl Quantity {
    /// The terms that it is computed from.
    pub(crate) fn terms(&self) -> Vec<&Term> {
        match self {
            Quantity::Of(term) => vec![term],
            Quantity::Trend(terms) => terms.iter().collect(),
            Quantity::Slope(points) => points.iter().map(|(_, term)| term).collect(),
            Quantity::Level | Quantity::One => Vec::new(),
        }
    }
}

/// The condition on the ratio of two quantities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Asked {
    /// The ratio is below 1.
    Less,
    /// The ratio is between these, ends included.
    Within(f64, f64),
}

impl Asked {
    /// The two are alike within a share, whichever of the two is the divisor.
    fn alike(within: f64) -> Self {
        Asked::Within(1.0 / (1.0 + within), 1.0 + within)
    }
}

/// One comparison of a claim.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Question {
    pub left: Quantity,
    pub right: Quantity,
    pub asked: Asked,
}

impl Question {
    /// The terms of both sides, left first.
    pub(crate) fn terms(&self) -> Vec<&Term> {
        self.left.terms().into_iter().chain(self.right.terms()).collect()
    }

    /// Whether one figure is compared with another.
    pub(crate) fn is_of_figures(&self) -> bool {
        matches!((&self.left, &self.right), (Quantity::Of(_), Quantity::Of(_)))
    }
}

/// The values of a claim at one of its combinations.
#[derive(Debug, Clone, Default)]
struct Place<'a> {
    format: Option<&'a String>,
    message: Option<&'a String>,
    protocol: Option<&'a String>,
    at: BTreeMap<String, String>,
}

/// Every comparison of a claim, each once; empty if it is not comparable.
pub(crate) fn expand(published: &Published, claim: &Claim) -> Vec<Question> {
    let writing = Writing { published, claim };
    let mut questions = Vec::new();
    for place in writing.places() {
        for question in writing.questions(&place) {
            if question.left != question.right && !questions.contains(&question) {
                questions.push(question);
            }
        }
    }
    questions
}

struct Writing<'a> {
    published: &'a Published,
    claim: &'a Claim,
}

impl<'a> Writing<'a> {
    /// All combinations of the claim's formats, messages, protocols and values on axes, without the axis that a trend runs along.
    fn places(&self) -> Vec<Place<'a>> {
        let claim = self.claim;
        let along = |axis: &str| claim.ways().iter().any(|(along, _)| *along == axis);
        let messages = if along(MESSAGE) { vec![None] } else { each(&claim.messages) };
        let protocols = if along(PROTOCOL) { vec![None] } else { each(&claim.protocols) };
        let mut places = Vec::new();
        for format in each(&claim.formats) {
            for &message in &messages {
                for &protocol in &protocols {
                    for at in combinations(&claim.at) {
                        let one_place = [BTreeMap::new()];
                        let each: &[BTreeMap<String, String>] =
                            if claim.places.is_empty() { &one_place } else { &claim.places };
                        places.extend(each.iter().map(|place| {
                            let mut at = at.clone();
                            at.extend(place.clone());
                            Place { format, message, protocol, at }
                        }));
                    }
                }
            }
        }
        places
    }

    fn questions(&self, place: &Place<'_>) -> Vec<Question> {
        let claim = self.claim;
        let mut pairs: Vec<(Side, Side, Asked)> = Vec::new();
        if let Some(lowest) = &claim.lowest {
            pairs.extend(
                lowest.among.iter().map(|other| (self.named(&lowest.of), self.named(other), Asked::Less)),
            );
        }
        if let Some(highest) = &claim.highest {
            pairs.extend(
                highest.among.iter().map(|other| (self.named(other), self.named(&highest.of), Asked::Less)),
            );
        }
        if let Some(less) = &claim.less {
            pairs.push((less.of.clone(), less.than.clone(), Asked::Less));
        }
        for order in claim.order.iter().chain(claim.orders.iter().flatten()) {
            pairs.extend(order.windows(2).map(|two| (two[0].clone(), two[1].clone(), Asked::Less)));
        }
        if let Some(range) = &claim.ratio {
            let asked = Asked::Within(range.from.unwrap_or(0.0), range.up_to.unwrap_or(f64::INFINITY));
            pairs.push((range.of.clone(), range.to.clone(), asked));
        }
        if let Some(equal) = &claim.equal {
            let asked = Asked::Within(1.0 - equal.within, 1.0 + equal.within);
            pairs.push((equal.of.clone(), equal.to.clone(), asked));
        }
        if let Some(similar) = &claim.similar {
            let with: Vec<(&String, &String)> = match &similar.of {
                Some(of) => similar.among.iter().map(|other| (of, other)).collect(),
                None => {
                    let all = similar.among.iter().enumerate();
                    all.flat_map(|(place, one)| {
                        similar.among[place + 1..].iter().map(move |other| (one, other))
                    })
                    .collect()
                }
            };
            let asked = Asked::alike(similar.within);
            pairs.extend(with.into_iter().map(|(one, other)| (self.named(one), self.named(other), asked)));
        }
        let of_pairs = pairs.iter().flat_map(|(left, right, asked)| {
            let rights = self.terms(right, place);
            self.terms(left, place).into_iter().flat_map(move |left| {
                let with = |right: &Term| Question {
                    left: Quantity::Of(left.clone()),
                    right: Quantity::Of(right.clone()),
                    asked: *asked,
                };
                rights.iter().map(with).collect::<Vec<_>>()
            })
        });
        of_pairs.chain(self.along(place)).chain(self.bounds(place)).collect()
    }

    /// The comparisons of relations along an axis.
    fn along(&self, place: &Place<'_>) -> Vec<Question> {
        let claim = self.claim;
        let whole = Side::default();
        let mut questions = Vec::new();
        let less = |left, right| Question { left, right, asked: Asked::Less };
        if let Some(way) = &claim.increases {
            questions
                .push(less(Quantity::Level, Quantity::Trend(self.way(&whole, place, &way.along, &way.over))));
        }
        if let Some(way) = &claim.decreases {
            questions
                .push(less(Quantity::Trend(self.way(&whole, place, &way.along, &way.over)), Quantity::Level));
        }
        if let Some(way) = &claim.constant {
            let terms = self.way(&whole, place, &way.along, &way.over);
            questions.extend(against_first(terms, way.within));
        }
        if let Some(way) = &claim.tracks {
            let terms = self.way(&whole, place, &way.along, &way.over).into_iter();
            let of_number = terms.zip(self.numbers(&way.along, &way.over));
            let per =
                of_number.map(|(term, number)| Term { per: number, ..term }).filter(|term| term.per > 0.0);
            questions.extend(against_first(per.collect(), way.within));
        }
        if let Some(way) = &claim.slope {
            let points = |side: &Side| {
                let sides = self.concrete(side, place);
                let numbers = self.numbers(&way.along, &way.over);
                let points = |side: &Side| {
                    let terms = self.way(side, place, &way.along, &way.over);
                    Quantity::Slope(numbers.iter().copied().zip(terms).collect())
                };
                sides.iter().map(points).collect::<Vec<_>>()
            };
            let than = points(&way.than);
            for of in points(&way.of) {
                questions.extend(than.iter().map(|than| less(of.clone(), than.clone())));
            }
        }
        questions
    }

    /// The comparison of a quantity with bounds.
    fn bounds(&self, place: &Place<'_>) -> Vec<Question> {
        let Some(bounds) = &self.claim.value else { return Vec::new() };
        let of = |term: Term| {
            let figure = Figure {
                metric: term.metric.first().cloned().unwrap_or_default(),
                statistic: Statistic::Mean,
            };
            let end = |text: &Option<String>, open: f64| {
                text.as_ref().map_or(open, |text| figure.quantity(text).unwrap_or(f64::NAN))
            };
            let asked =
                Asked::Within(end(&bounds.from, f64::NEG_INFINITY), end(&bounds.up_to, f64::INFINITY));
            Question { left: Quantity::Of(term), right: Quantity::One, asked }
        };
        self.terms(&bounds.of, place).into_iter().map(of).collect()
    }

    /// A format or a protocol by its id, as a side.
    fn named(&self, id: &str) -> Side {
        let values = Some(Values::One(id.to_owned()));
        if self.published.format(id).is_some() {
            Side { format: values, ..Side::default() }
        } else {
            Side { protocol: values, ..Side::default() }
        }
    }

    /// Every combination of the values that a side names, each as a side with one of each.
    fn concrete(&self, side: &Side, place: &Place<'_>) -> Vec<Side> {
        let each = |own: &Option<Values>, given: Option<&String>| match (own, given) {
            (Some(own), _) => own.all().iter().cloned().map(Some).collect::<Vec<_>>(),
            (None, given) => vec![given.cloned()],
        };
        let mut sides = Vec::new();
        for format in each(&side.format, place.format) {
            for protocol in each(&side.protocol, place.protocol) {
                for message in each(&side.message, place.message) {
                    sides.push(Side {
                        format: format.clone().map(Values::One),
                        protocol: protocol.clone().map(Values::One),
                        message: message.map(Values::One),
                        ..side.clone()
                    });
                }
            }
        }
        sides
    }

    fn terms(&self, side: &Side, place: &Place<'_>) -> Vec<Term> {
        self.concrete(side, place).iter().map(|side| self.term(side, place)).collect()
    }

    /// A side with one value of each.
    fn term(&self, side: &Side, place: &Place<'_>) -> Term {
        let one = |values: &Option<Values>| values.as_ref().and_then(|values| values.all().first().cloned());
        let message = one(&side.message).unwrap_or_default();
        let sent_in = || self.published.message(&message).and_then(|message| message.format.clone());
        let mut at = place.at.clone();
        at.extend(side.at.clone());
        Term {
            format: one(&side.format).or_else(sent_in).unwrap_or_default(),
            message,
            protocol: one(&side.protocol),
            at,
            metric: side.metric.as_ref().unwrap_or(&self.claim.metric).clone(),
            over: side.over.clone(),
            per: 1.0,
        }
    }

    /// The terms of a side along an axis.
    fn way(&self, side: &Side, place: &Place<'_>, along: &str, over: &[String]) -> Vec<Term> {
        let at = |value: &String| {
            let mut side = side.clone();
            match along {
                MESSAGE => side.message = Some(Values::One(value.clone())),
                PROTOCOL => side.protocol = Some(Values::One(value.clone())),
                axis => drop(side.at.insert(axis.to_owned(), value.clone())),
            }
            self.terms(&side, place)
        };
        over.iter().flat_map(at).collect()
    }

    /// The values of an axis as numbers: losses as ratios, messages by their sizes; otherwise by position.
    fn numbers(&self, along: &str, over: &[String]) -> Vec<f64> {
        let number = |(place, value): (usize, &String)| {
            let size =
                || self.published.message(value).and_then(|message| message.payload.as_ref()?.size_bytes);
            let number = if along == MESSAGE {
                size().map(f64::from)
            } else {
                value.parse().ok().or_else(|| value.parse::<Ratio>().ok().map(Ratio::get))
            };
            number.unwrap_or(place as f64)
        };
        over.iter().enumerate().map(number).collect()
    }
}

/// Compares each but the first with the first.
fn against_first(terms: Vec<Term>, within: f64) -> Vec<Question> {
    let mut terms = terms.into_iter();
    let Some(first) = terms.next() else { return Vec::new() };
    let with = |term| Question {
        left: Quantity::Of(term),
        right: Quantity::Of(first.clone()),
        asked: Asked::alike(within),
    };
    terms.map(with).collect()
}

/// All combinations of values on axes; a single empty one if there are none.
pub fn combinations(at: &BTreeMap<String, Values>) -> Vec<BTreeMap<String, String>> {
    let mut all = vec![BTreeMap::new()];
    for (axis, values) in at {
        let with = |place: &BTreeMap<String, String>| {
            let one = |value: &String| {
                let mut place = place.clone();
                place.insert(axis.clone(), value.clone());
                place
            };
            values.all().iter().map(one).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

/// The names, or a single `None`.
fn each(names: &[String]) -> Vec<Option<&String>> {
    if names.is_empty() { vec![None] } else { names.iter().map(Some).collect() }
}

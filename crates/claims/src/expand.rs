//! A claim written out: every comparison that it stands for.

use crate::published::{Claim, Side};

/// One side, fully named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Term {
    /// The format.
    pub format: String,
    /// The message.
    pub message: String,
    /// The metrics whose sum it is.
    pub metric: Vec<String>,
    /// The format that it is divided by.
    pub over: Option<String>,
}

/// What is asked of the ratio of two terms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Asked {
    /// Below 1.
    Less,
    /// Between the two, ends included.
    Within(f64, f64),
}

/// One comparison.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Question {
    pub left: Term,
    pub right: Term,
    pub asked: Asked,
}

/// Every comparison of a claim, each once; empty where it is not comparable.
pub(crate) fn expand(claim: &Claim) -> Vec<Question> {
    let mut pairs: Vec<(Side, Side, Asked)> = Vec::new();
    let side = |format: &String| Side { format: Some(format.clone()), ..Side::default() };
    if let Some(lowest) = &claim.lowest {
        pairs.extend(lowest.among.iter().map(|other| (side(&lowest.of), side(other), Asked::Less)));
    }
    if let Some(highest) = &claim.highest {
        pairs.extend(highest.among.iter().map(|other| (side(other), side(&highest.of), Asked::Less)));
    }
    if let Some(less) = &claim.less {
        pairs.push((less.of.clone(), less.than.clone(), Asked::Less));
    }
    if let Some(order) = &claim.order {
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
    let mut questions = Vec::new();
    for (left, right, asked) in pairs {
        // What a side leaves out runs through the claim's; both sides run together.
        for format in each(&claim.formats) {
            for message in each(&claim.messages) {
                let question = Question {
                    left: term(claim, &left, format, message),
                    right: term(claim, &right, format, message),
                    asked,
                };
                if question.left != question.right && !questions.contains(&question) {
                    questions.push(question);
                }
            }
        }
    }
    questions
}

/// The names, or once none.
fn each(names: &[String]) -> Vec<Option<&String>> {
    if names.is_empty() { vec![None] } else { names.iter().map(Some).collect() }
}

fn term(claim: &Claim, side: &Side, format: Option<&String>, message: Option<&String>) -> Term {
    let or =
        |own: &Option<String>, given: Option<&String>| own.as_ref().or(given).cloned().unwrap_or_default();
    Term {
        format: or(&side.format, format),
        message: or(&side.message, message),
        metric: side.metric.as_ref().unwrap_or(&claim.metric).clone(),
        over: side.over.clone(),
    }
}

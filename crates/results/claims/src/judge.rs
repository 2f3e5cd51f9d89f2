//! Verdicts: what a run says about each claim, and about which library.
//!
//! A claim is judged with the libraries that stand in for the study's, and with every other choice in one language that the run has measured. What must be
//! equal for a verdict on the study's own is stated in the file and checked against the run ([`crate::equal`]). Where everything is equal, the verdict is
//! on the study's own library. Where only the library differs, or something whose lack can't make a false claim hold, the claim may still
//! hold with every library, or depend on it; that it fails is never said of the study's own. Where anything else differs, nothing is said.

use wiredyno_model::summary::Summary;

use crate::conclude::{Concluded, Needed, conclude};
use crate::equal::{Differs, differing};
use crate::expand::{Question, expand};
use crate::published::{Claim, Published, Without};
use crate::run::Run;
use crate::stand_ins::{Named, StandIns};
use crate::verdict::{Comparison, Judgement, Standing, Verdict, With};

/// Judges every claim of a study by a run's figures.
pub fn judge(published: &Published, summary: &Summary) -> Vec<Judgement> {
    published.claim.iter().map(|claim| judge_claim(published, Some(summary), claim)).collect()
}

/// The verdicts without a run of the study: what can't be judged, and what was not measured.
pub fn unjudged(published: &Published) -> Vec<Judgement> {
    published.claim.iter().map(|claim| judge_claim(published, None, claim)).collect()
}

/// What a run shows, before it is decided what the verdict is about.
struct Shown {
    here: Option<Concluded>,
    comparisons: Vec<Comparison>,
    with: Vec<With>,
    under: Vec<With>,
}

fn judge_claim(published: &Published, summary: Option<&Summary>, claim: &Claim) -> Judgement {
    let questions = expand(published, claim);
    let named = Named::of(published, &questions);
    let differs = differing(published, claim, &named, summary);
    let asked = Needed::of(questions.len(), claim.share, claim.tie);
    let shown = match summary {
        Some(summary) if !questions.is_empty() => {
            show(&Run { published, summary }, &questions, asked, &named)
        }
        _ => Shown { here: None, comparisons: Vec::new(), with: Vec::new(), under: Vec::new() },
    };
    let (verdict, why) = verdict(published, claim, &differs, &shown);
    let measure = published.measure_of(claim);
    Judgement {
        id: claim.id.clone(),
        says: claim.says.clone(),
        place: claim.place.clone(),
        verdict,
        why,
        differs: differs.into_iter().map(|one| one.what).collect(),
        hedge: claim.hedge.clone(),
        quantity: measure.map(|measure| measure.quantity.clone()),
        held: measure.map(|measure| measure.held.clone()),
        codecs: named.formats.iter().map(|format| format.codec.clone()).collect(),
        modes: named.modes(published),
        here: match &shown.here {
            Some(Concluded::Standing(standing, _)) => Some(*standing),
            _ => None,
        },
        with: if shown.with.len() > 1 { shown.with } else { Vec::new() },
        under: shown.under,
        comparisons: shown.comparisons,
        note: claim.note.clone(),
    }
}

fn show(run: &Run<'_>, questions: &[Question], asked: Needed, named: &Named<'_>) -> Shown {
    let comparisons = run.answer(questions, asked, &StandIns::of(run.published));
    let here = conclude(&comparisons, asked);
    let measured = |choice: &StandIns<'_>| match conclude(&run.answer(questions, asked, choice), asked) {
        Concluded::Standing(standing, why) => Some(With { with: choice.words(named), standing, why }),
        Concluded::Missing { .. } => None,
    };
    let choices = StandIns::choices(run.published, named);
    let in_one_language = choices.iter().filter(|choice| choice.languages(run.summary, named) <= 1);
    // A choice of the file itself is judged, whatever its languages.
    let usual = choices.iter().take(1).filter(|choice| choice.languages(run.summary, named) > 1);
    let with = usual.chain(in_one_language).filter_map(measured).collect();
    Shown { here: Some(here), comparisons, with, under: run.under_others(questions, asked, named) }
}

/// The verdict, with its reason.
fn verdict(published: &Published, claim: &Claim, differs: &[Differs], shown: &Shown) -> (Verdict, String) {
    let here = match &shown.here {
        Some(Concluded::Standing(standing, why)) => Some((*standing, why)),
        _ => None,
    };
    let told = |reason: String| match here {
        Some((standing, why)) => format!("{reason}. Here it {}: {why}", told_here(standing)),
        None => reason,
    };
    if let Some(why) = &claim.by_design {
        return (Verdict::ByDesign, told(why.clone()));
    }
    if let Some(why) = &claim.cannot_judge {
        return (Verdict::CannotJudge, format!("missing: {why}"));
    }
    let joined = |differs: &mut dyn Iterator<Item = &Differs>| {
        differs.map(|one| one.what.as_str()).collect::<Vec<_>>().join("; ")
    };
    let mut decisive = differs.iter().filter(|one| one.without == Without::NoVerdict).peekable();
    if decisive.peek().is_some() {
        return (Verdict::CannotJudge, told(format!("missing: {}", joined(&mut decisive))));
    }
    match &shown.here {
        None => {
            let study = &published.study;
            let why = format!("there is no run of the study, start one: wiredyno run {study}");
            (Verdict::NotMeasured, why)
        }
        Some(Concluded::Missing { why, not_had: true }) => (Verdict::CannotJudge, why.clone()),
        Some(Concluded::Missing { why, not_had: false }) => (Verdict::NotMeasured, why.clone()),
        Some(Concluded::Standing(standing, why)) if differs.is_empty() => match standing {
            Standing::Holds => (Verdict::HoldsOwn, why.clone()),
            Standing::Fails => (Verdict::FailsOwn, why.clone()),
            Standing::Tie | Standing::Open => (Verdict::NotDecided, why.clone()),
        },
        Some(Concluded::Standing(_, why)) => with_others(&joined(&mut differs.iter()), why, differs, shown),
    }
}

/// The words for a result that is not a verdict on the study's own.
fn told_here(standing: Standing) -> &'static str {
    match standing {
        Standing::Holds => "holds",
        Standing::Fails => "does not hold",
        Standing::Tie => "is a tie",
        Standing::Open => "is not decided",
    }
}

/// The verdict where the study's own library is missing, or something without which a failure says nothing.
fn with_others(missing: &str, why: &str, differs: &[Differs], shown: &Shown) -> (Verdict, String) {
    let count = |standing| shown.with.iter().filter(|with| with.standing == standing).count();
    let of = |standing| {
        let which = shown.with.iter().filter(move |with| with.standing == standing);
        which.map(|with| with.with.as_str()).collect::<Vec<_>>().join(" or ")
    };
    let (all, holds, fails) = (shown.with.len(), count(Standing::Holds), count(Standing::Fails));
    // Only a library that differs can explain that libraries differ.
    let is_library = differs.iter().any(|one| one.is_library);
    let both = || format!("it holds with {} and fails with {}", of(Standing::Holds), of(Standing::Fails));
    if holds == all {
        let which =
            if all > 1 { format!("with each of {all} choices of libraries; ") } else { String::new() };
        (Verdict::HoldsAll, format!("{which}{why}"))
    } else if holds > 0 && fails > 0 && is_library {
        (Verdict::Depends, both())
    } else if holds > 0 && fails > 0 {
        // Other options of the same format: which of them the study had is what is missing.
        (Verdict::CannotJudge, format!("missing: {missing}. Here {}", both()))
    } else if fails > 0 && holds == 0 {
        let which = if all > 1 {
            format!("with {fails} of {all} choices of libraries it fails; ")
        } else {
            String::new()
        };
        (Verdict::CannotJudge, format!("missing: {missing}. Here it does not hold: {which}{why}"))
    } else {
        let undecided = |with: &&With| matches!(with.standing, Standing::Open | Standing::Tie);
        let told = shown.with.iter().find(undecided).filter(|_| all > 1);
        let why = told.map_or_else(|| why.to_owned(), |with| format!("with {}: {}", with.with, with.why));
        (Verdict::NotDecided, why)
    }
}

//! What a run says about a claim: about which library, and why.

use serde::Serialize;
use wiredyno_contract::{CodecId, ModeId};

use crate::compare::Estimate;

/// A run's verdict on a claim. It says what it is about: the study's own library, or those measured here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Shown with everything equal that must be: the study's own library, definition, pace, link.
    HoldsOwn,
    /// Shown with every library measured here, though not with the study's own, or though something else differs.
    HoldsAll,
    /// Shown with some libraries, and its opposite with others.
    Depends,
    /// Its opposite is shown with everything equal that must be.
    FailsOwn,
    /// The trials do not decide it.
    NotDecided,
    /// Something is missing without which no verdict would be about the study's own library.
    CannotJudge,
    /// True by construction: the payload or the link was made from it.
    ByDesign,
    /// No trials of it.
    NotMeasured,
}

impl Verdict {
    /// All verdicts, in the order of counts.
    pub const ALL: [Verdict; 8] = [
        Verdict::HoldsOwn,
        Verdict::HoldsAll,
        Verdict::Depends,
        Verdict::FailsOwn,
        Verdict::NotDecided,
        Verdict::CannotJudge,
        Verdict::ByDesign,
        Verdict::NotMeasured,
    ];

    /// The words for it in reports.
    pub const fn words(self) -> &'static str {
        match self {
            Verdict::HoldsOwn => "holds with the study's own library",
            Verdict::HoldsAll => "holds with every library measured here",
            Verdict::Depends => "depends on the library",
            Verdict::FailsOwn => "fails with the study's own library",
            Verdict::NotDecided => "not decided",
            Verdict::CannotJudge => "can't be judged here",
            Verdict::ByDesign => "by design",
            Verdict::NotMeasured => "not measured",
        }
    }

    /// The words for this many claims with it, after their number: "15" and "hold with every library measured here".
    pub const fn said_of(self, claims: usize) -> &'static str {
        match self {
            _ if claims == 1 => self.said_of_one(),
            Verdict::HoldsOwn => "hold with the study's own library",
            Verdict::HoldsAll => "hold with every library measured here",
            Verdict::Depends => "depend on the library",
            Verdict::FailsOwn => "fail with the study's own library",
            Verdict::NotDecided => "are not decided",
            Verdict::CannotJudge => self.words(),
            Verdict::ByDesign => "are true by design",
            Verdict::NotMeasured => "were not measured",
        }
    }

    const fn said_of_one(self) -> &'static str {
        match self {
            Verdict::NotDecided => "is not decided",
            Verdict::ByDesign => "is true by design",
            Verdict::NotMeasured => "was not measured",
            Verdict::HoldsOwn
            | Verdict::HoldsAll
            | Verdict::Depends
            | Verdict::FailsOwn
            | Verdict::CannotJudge => self.words(),
        }
    }
}

/// The result of one comparison, or of all comparisons of a claim with one choice of libraries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Shown to be as claimed.
    Holds,
    /// Shown not to be as claimed.
    Fails,
    /// Shown to be equal, where one was claimed to be less: neither as claimed nor against it.
    Tie,
    /// Nothing is shown: the interval is too wide.
    Open,
}

impl Standing {
    /// The word for it in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Standing::Holds => "holds",
            Standing::Fails => "fails",
            Standing::Tie => "a tie",
            Standing::Open => "not decided",
        }
    }
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
    /// The fewest repeats that would decide it, with a probability of 0.8, if its estimate is right; absent if it is decided, or if more than
    /// [`MOST_REPEATS`] would be needed.
    pub repeats_to_decide: Option<usize>,
    /// How far the estimate lies from the nearest bound of the condition: of the logarithm for a ratio.
    #[serde(skip)]
    pub(crate) distance: f64,
    /// Whether more repeats than those at hand would have it hold rather than fail, if its estimate is right; absent for a tie.
    #[serde(skip)]
    pub(crate) tends_to: Option<Standing>,
    /// Whether it lacks a figure that this machine can't provide.
    #[serde(skip)]
    pub(crate) not_had: bool,
    /// The unit of the quantity itself, if the condition is about that.
    #[serde(skip)]
    pub(crate) unit: String,
}

/// More repeats than this are not worth naming: the figure lies on the bound.
pub const MOST_REPEATS: usize = 1_000;

/// The result with one choice of libraries, or under other conditions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct With {
    /// The codecs and modes, or the conditions.
    pub with: String,
    /// What the run shows with them.
    pub standing: Standing,
    /// The interval that decides.
    pub why: String,
}

/// A claim with its verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judgement {
    /// The claim's id, such as `c07`, or `c07.2` for a part of it.
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
    /// What must be equal and is not, a phrase each; empty for a verdict on the study's own.
    pub differs: Vec<String>,
    /// What the words that restrict the claim were taken to mean.
    pub hedge: Option<String>,
    /// The quantity, as the study defined and measured it.
    pub quantity: Option<String>,
    /// What the study held fixed.
    pub held: Option<String>,
    /// The codecs that stand for the study's formats.
    pub codecs: Vec<CodecId>,
    /// The modes that stand for its protocols; empty for codec trials.
    pub modes: Vec<ModeId>,
    /// What the run shows with these, whatever differs; absent if it lacks the figures.
    pub here: Option<Standing>,
    /// The results with every choice of libraries that was measured, these first; empty if there is only one choice.
    pub with: Vec<With>,
    /// The results under other conditions.
    pub under: Vec<With>,
    /// The comparisons behind `here`.
    pub comparisons: Vec<Comparison>,
    /// A remark for readers: the study's own numbers, or what is not checked.
    pub note: Option<String>,
}

impl Judgement {
    /// The results with each choice of libraries where they differ; nothing where all are the same, which the reason says.
    pub fn differing_choices(&self) -> &[With] {
        let same = self.with.windows(2).all(|two| two[0].standing == two[1].standing);
        if same { &[] } else { &self.with }
    }
}

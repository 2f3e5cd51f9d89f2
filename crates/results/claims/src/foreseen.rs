//! What the cells of a plan can decide about a study's claims, before any of them has run.

use wiredyno_contract::PayloadId;
use wiredyno_model::{Cell, CodecCell, Study};

use crate::equal::settings;
use crate::expand::{Term, expand};
use crate::measured::{Of, is_of, words};
use crate::published::{Claim, Message, Published, Without};
use crate::stand_ins::{StandIns, is_of_messages};

/// What a run can decide about a claim, judging by its cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Foreseen {
    /// Everything that it compares is planned: the run will judge it, for the study's own library or for others.
    Judged,
    /// This part of it is not planned.
    Lacks(String),
    /// No such run can judge it: this is missing, or the pace is not the study's.
    CannotJudge(String),
}

/// What a run of this study with these cells, of message trials and of codec trials, can judge about each claim of a study, in the study's
/// order.
pub fn foresee<'a>(
    published: &'a Published,
    study: &'a Study,
    cells: &[Cell],
    codec_cells: &[CodecCell],
) -> Vec<(&'a Claim, Foreseen)> {
    let planned = Planned { published, study, stand_ins: StandIns::of(published), cells, codec_cells };
    published.claim.iter().map(|claim| (claim, planned.foresee(claim))).collect()
}

struct Planned<'a> {
    published: &'a Published,
    study: &'a Study,
    stand_ins: StandIns<'a>,
    cells: &'a [Cell],
    codec_cells: &'a [CodecCell],
}

impl Planned<'_> {
    fn foresee(&self, claim: &Claim) -> Foreseen {
        if let Some(why) = &claim.cannot_judge {
            return Foreseen::CannotJudge(why.clone());
        }
        let mut differs = settings(self.published, claim, Some(self.study)).into_iter();
        if let Some(decisive) = differs.find(|one| one.without == Without::NoVerdict) {
            return Foreseen::CannotJudge(decisive.what);
        }
        let questions = expand(self.published, claim);
        let mut terms = questions.iter().flat_map(|question| question.terms());
        terms.find_map(|term| self.lacks(term)).map_or(Foreseen::Judged, Foreseen::Lacks)
    }

    /// The part of a term that is not planned.
    fn lacks(&self, term: &Term) -> Option<String> {
        let (format, protocol) = (term.format.as_str(), term.protocol.as_deref());
        let other = term.over.as_deref().map(|over| match self.published.format(over) {
            Some(_) => (over, protocol),
            None => (format, Some(over)),
        });
        let message = self.published.message(&term.message);
        let payloads: Vec<&PayloadId> = message.into_iter().flat_map(Message::payloads).collect();
        let lacks =
            |(format, protocol)| payloads.iter().find_map(|id| self.lacks_one(term, format, protocol, id));
        lacks((format, protocol)).or_else(|| other.and_then(lacks))
    }

    fn lacks_one(
        &self,
        term: &Term,
        format: &str,
        protocol: Option<&str>,
        payload: &PayloadId,
    ) -> Option<String> {
        let codec = self.stand_ins.codec(format)?;
        if !is_of_messages(term) {
            let is_it = |cell: &CodecCell| {
                cell.payload == *payload && cell.codec == *codec && cell.compression.is_none()
            };
            return (!self.codec_cells.iter().any(is_it)).then(|| words(payload, codec, Of::Codec));
        }
        let at = self.stand_ins.placed(self.published, term, protocol);
        let planned = self.cells.iter().any(|cell| is_of(cell, codec, payload, &at));
        (!planned).then(|| words(payload, codec, Of::Messages(&at)))
    }
}

//! How each language expresses each field of one definition.

use serde::Serialize;

use super::{Support, languages};
use crate::idl::Expression;
use crate::model::Definition;

/// How one language expresses a definition.
#[derive(Debug, Serialize)]
pub struct OfPayload {
    /// The id of its [`Idl`](crate::idl::Idl).
    pub language: &'static str,
    /// The language's name, for people.
    pub name: &'static str,
    /// How many paths are expressed directly.
    pub direct: usize,
    /// How many paths need a stand-in.
    pub stand_ins: usize,
    /// Why the language refuses the definition, if it does, with the path at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// One entry for each path (field, oneof, enum, package) that the language has a note for.
    pub paths: Vec<OfPath>,
}

/// How a language expresses one path of a definition.
#[derive(Debug, Serialize)]
pub struct OfPath {
    /// `Message.field`, `Message.oneof`, `Enum`, or the package.
    pub path: String,
    /// How the translation expresses it.
    #[serde(flatten)]
    pub support: Support,
}

/// How every language expresses a definition, ordered by language id.
pub fn of_payload(definition: &Definition) -> Vec<OfPayload> {
    let of = |idl: &'static dyn crate::idl::Idl| {
        let mut of = OfPayload {
            language: idl.id(),
            name: idl.name(),
            direct: 0,
            stand_ins: 0,
            refused: None,
            paths: Vec::new(),
        };
        match idl.lower(definition) {
            Err(refusal) => of.refused = Some(format!("{}: {}", refusal.path, refusal.reason)),
            Ok(lowered) => {
                for note in lowered.notes {
                    let support = match note.expression {
                        Expression::Direct => Support::Direct,
                        Expression::StandIn(by) => Support::StandIn(by),
                    };
                    match support {
                        Support::Direct => of.direct += 1,
                        _ => of.stand_ins += 1,
                    }
                    of.paths.push(OfPath { path: note.path, support });
                }
            }
        }
        of
    };
    languages().map(of).collect()
}

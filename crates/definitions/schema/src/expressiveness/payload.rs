//! What each language says of each field of one definition.

use serde::Serialize;

use super::{Support, languages};
use crate::idl::Expression;
use crate::model::Definition;

/// One language and a definition.
#[derive(Debug, Serialize)]
pub struct OfPayload {
    /// The language's id.
    pub language: &'static str,
    /// Its name.
    pub name: &'static str,
    /// How many notes are direct.
    pub direct: usize,
    /// How many go by something else.
    pub stand_ins: usize,
    /// Why the whole is refused, if it is, with the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// By path: fields, oneofs, enums and the package, as the language has something to say of them.
    pub paths: Vec<OfPath>,
}

/// One path of a definition in one language.
#[derive(Debug, Serialize)]
pub struct OfPath {
    /// `Message.field`, `Message.oneof`, `Enum`, or the package.
    pub path: String,
    /// What the translation says.
    #[serde(flatten)]
    pub support: Support,
}

/// What every language says of a definition, in the order of their ids.
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

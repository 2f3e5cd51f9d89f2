//! What interface languages can express: a table of constructs by languages. Each cell is derived rather than written down.
//!
//! A cell describes the language. It is derived from the notes of translating a small definition
//! ([`CONSTRUCTS`]). Where the translation uses less than the language has, or definitions can't express the
//! construct, a short text in the language itself ([`TEXTS`]) decides. For versioning, it is how readers behaved in trials
//! ([`TRIALS`]). The test `expressiveness` feeds every text to the language's own compiler and repeats every trial.
//!
//! Limits: a language is what the compiler used here accepts (the generated table has the versions), not its newest standard.

mod constructs;
mod payload;
mod published;
mod render;
mod texts;
mod trials;

pub use constructs::{By, CONSTRUCTS, Construct};
pub use payload::{OfPayload, of_payload};
pub use published::{Compared, PRINTED, Printed, PrintedTable, compared};
pub use render::{document, markdown, of_payload_markdown, of_payload_text, text};
pub use texts::{COMPILERS, Compiler, Says, TEXTS, Text};
pub use trials::{Change, Definitions, Reading, TRIALS, Trial, definitions};

use serde::Serialize;

use crate::definition::DefinitionError;
use crate::idl::{Expression, IDLS, Idl, Lowered};
use crate::model::Definition;

/// Whether, and how, a language expresses a construct.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "support", content = "by")]
pub enum Support {
    /// Expressed directly, as intended.
    Direct,
    /// Not directly; this names the stand-in that carries the same.
    StandIn(String),
    /// Not at all; this is the reason.
    Not(String),
}

/// A text that backs a cell, and how the language's compiler must react.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// The whole source file, in the language.
    pub text: String,
    /// Whether the compiler accepts it.
    pub taken: bool,
}

/// A construct in a language: one cell of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// The id of its [`Construct`].
    pub construct: &'static str,
    /// The id of its [`Idl`].
    pub language: &'static str,
    /// Whether the language expresses the construct.
    #[serde(flatten)]
    pub support: Support,
    /// What `wiredyno schema translate` makes of the construct, if the language could do otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translated: Option<Support>,
    /// A limit or version that readers of the table should know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<&'static str>,
    /// The texts that the test compiles.
    #[serde(skip)]
    pub evidence: Vec<Evidence>,
}

/// Why the table can't be derived: its sources contradict each other. A test excludes that.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// A construct's definition is invalid.
    #[error("a construct's definition: {0}")]
    Definition(#[from] DefinitionError),
    /// No translation, text or trial decides a cell.
    #[error("nothing tells whether {language} says `{construct}`: give it an entry in texts.rs or trials.rs")]
    Untold {
        /// The id of the language.
        language: &'static str,
        /// The id of the construct.
        construct: &'static str,
    },
}

/// The table's languages: all that are not variants of another.
pub fn languages() -> impl Iterator<Item = &'static dyn Idl> {
    IDLS.iter().copied().filter(|idl| idl.variant_of().is_none())
}

/// All cells, by construct and then by language.
///
/// # Errors
/// When the table's sources contradict each other, which a test excludes.
pub fn table() -> Result<Vec<Cell>, TableError> {
    let mut cells = Vec::new();
    for construct in CONSTRUCTS {
        for idl in languages() {
            cells.push(cell(construct, idl)?);
        }
    }
    Ok(cells)
}

fn cell(construct: &'static Construct, idl: &'static dyn Idl) -> Result<Cell, TableError> {
    let texts = || TEXTS.iter().filter(|text| text.language == idl.id() && text.construct == construct.id);
    let (translated, mut evidence) = translated(construct, idl)?;
    evidence.extend(texts().map(Text::evidence));
    let natural = texts().find_map(Text::support);
    let refused = texts().find_map(|text| text.why_refused());
    let tried = match construct.by {
        By::Readers(change) => trials::support(change, idl.id()),
        _ => None,
    };
    let support = match (&translated, natural, tried) {
        (_, _, Some(tried)) => tried,
        (Some(Support::Direct), _, _) => Support::Direct,
        (_, Some(natural), _) => natural,
        (Some(translated), None, _) => translated.clone(),
        (None, None, _) => Support::Not(format!(
            "{} is refused",
            refused.ok_or(TableError::Untold { language: idl.id(), construct: construct.id })?
        )),
    };
    let translated = translated.filter(|translated| *translated != support);
    let remark = texts().find_map(|text| text.remark);
    Ok(Cell { construct: construct.id, language: idl.id(), support, translated, remark, evidence })
}

/// The translation of a construct, with the texts to compile; `None` if definitions can't express it.
fn translated(construct: &Construct, idl: &dyn Idl) -> Result<(Option<Support>, Vec<Evidence>), TableError> {
    let lower = |members: &str, types: &str| -> Result<(Definition, Result<Lowered, String>), TableError> {
        let definition = construct.definition(members, types)?;
        let lowered = idl.lower(&definition).map_err(|refusal| refusal.reason);
        Ok((definition, lowered))
    };
    let (members, types) = match construct.by {
        By::Translation { members, types } => (members, types),
        By::Restriction { members, .. } => (members, ""),
        By::Package => ("int32 value = 1;", ""),
        By::Text | By::Readers(_) => return Ok((None, Vec::new())),
    };
    let (definition, lowered) = lower(members, types)?;
    let lowered = match lowered {
        Ok(lowered) => lowered,
        Err(reason) => return Ok((Some(Support::Not(reason)), Vec::new())),
    };
    let is_package = matches!(construct.by, By::Package);
    let mut by: Vec<&str> = lowered
        .notes
        .iter()
        .filter(|note| (note.path == definition.package()) == is_package)
        .filter_map(|note| match &note.expression {
            Expression::StandIn(by) => Some(by.as_str()),
            Expression::Direct => None,
        })
        .collect();
    // All alternatives of a oneof have the same stand-in.
    by.dedup();
    let mut evidence = vec![Evidence { text: lowered.text.clone(), taken: true }];
    let mut support = if by.is_empty() { Support::Direct } else { Support::StandIn(by.join("; ")) };
    if let (By::Restriction { without, .. }, Support::StandIn(by)) = (construct.by, &support)
        && let (_, Ok(plain)) = lower(without, types)?
        && plain.text == lowered.text
    {
        evidence.push(Evidence { text: plain.text, taken: true });
        support = Support::Not(by.clone());
    }
    Ok((Some(support), evidence))
}

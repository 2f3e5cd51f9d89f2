//! Message definitions in other interface languages: one file per language, one registry.
//!
//! For each field, a language states whether it expresses it directly, through a stand-in (and which), or not at
//! all, which refuses the translation. The language's own compiler accepts the text.

mod asn1;
mod lowered_file;

pub use asn1::Asn1;
pub use lowered_file::{LoweredFile, lower_to_file, write_all};
pub mod xsd;

use heck::ToUpperCamelCase;

use crate::model::{Cardinality, Definition, Field, Message};

pub mod avsc;
pub mod capnp;
pub mod fbs;
pub mod proto;
pub mod thrift;

mod lcm;
mod odvd;
mod omg_idl;
mod plain;
mod rosmsg;
mod untold;

pub use lcm::Lcm;
pub use odvd::Odvd;
pub use omg_idl::OmgIdl;
pub use rosmsg::RosMsg;

/// How a language expresses one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    /// Directly, as the definition means it.
    Direct,
    /// Through the stand-in that this names, which carries the same values.
    StandIn(String),
}

/// How one field is expressed, or the oneof, enum or package that the path names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// `Message.field`, `Message.oneof`, `Enum`, or the package's name.
    pub path: String,
    /// How the language expresses it.
    pub expression: Expression,
}

/// A definition translated to another language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lowered {
    /// The contents of the translated file.
    pub text: String,
    /// One note per field; also for oneofs, enums and the package where the language has something to note.
    pub notes: Vec<Note>,
}

/// The language can't express an element of the definition, and there is no stand-in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path} can't be expressed in {language}: {reason}")]
pub struct Refusal {
    /// The language's name, for people.
    pub language: &'static str,
    /// What is refused: `Message.field`, `Message.oneof`, `Enum`.
    pub path: String,
    /// Why, and what to change if anything helps.
    pub reason: String,
}

/// An interface language that definitions are translated to.
pub trait Idl: Sync {
    /// Its id in commands and files: `lcm`.
    fn id(&self) -> &'static str;
    /// Its name for people: `LCM type specification`.
    fn name(&self) -> &'static str;
    /// The usual extension of its files, without the dot.
    fn extension(&self) -> &'static str;
    /// The language that this is a variant of, if it is not a language of its own.
    fn variant_of(&self) -> Option<&'static str> {
        None
    }
    /// Translates a definition.
    ///
    /// # Errors
    /// When the language can't express something, even through a stand-in.
    fn lower(&self, definition: &Definition) -> Result<Lowered, Refusal>;
}

/// Every language, ordered by id.
pub static IDLS: &[&dyn Idl] = &[
    &Asn1,
    &avsc::Avsc,
    &capnp::Capnp,
    &fbs::Fbs,
    &Lcm,
    &Odvd,
    &OmgIdl,
    &proto::Proto,
    &RosMsg,
    &thrift::Thrift,
    &xsd::Xsd,
    &xsd::XsdMerged,
];

/// The language with this id or file extension: `omg-idl` or `idl`.
pub fn find(word: &str) -> Option<&'static dyn Idl> {
    IDLS.iter().find(|idl| idl.id() == word || idl.extension() == word).copied()
}

impl Note {
    /// A note on a field or oneof of a message.
    fn of(message: &Message, name: &str, expression: Expression) -> Note {
        Note { path: format!("{}.{name}", message.name), expression }
    }
}

impl Expression {
    /// A stand-in, described by `by`.
    fn stand_in(by: impl Into<String>) -> Expression {
        Expression::StandIn(by.into())
    }
}

/// A message's or enum's name in languages with CamelCase names.
pub(crate) fn type_name(name: &str) -> String {
    name.to_upper_camel_case()
}

/// The name of the type that stands in for an entry of a map field.
pub(crate) fn entry_name(message: &Message, field: &Field) -> String {
    format!("{}{}Entry", type_name(&message.name), type_name(&field.name))
}

/// Whether a message is always present, in a language where others may be absent.
pub(crate) fn is_required_message(field: &Field) -> bool {
    matches!(field.ty, crate::model::Type::Message(_)) && field.cardinality == Cardinality::Implicit
}

/// The name, with a trailing underscore if the language reserves it.
pub(crate) fn unreserved(name: &str, reserved: &[&str]) -> String {
    match reserved.contains(&name) {
        true => format!("{name}_"),
        false => name.to_owned(),
    }
}

//! Message definitions in other interface languages: one file a language, one registry.
//!
//! Every language says of each field whether it expresses it directly, through a stand-in (and which), or not at
//! all; the last refuses the translation. Texts are what the language's own compiler reads.

mod asn1;
mod file;

pub use asn1::Asn1;
pub use file::{LoweredFile, lower_to_file, write_all};
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
    /// As the definition means it.
    Direct,
    /// By something else that carries the same values; says by what.
    StandIn(String),
}

/// What became of one field, or of a oneof, an enum or the package where its path says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// `Message.field`, `Message.oneof`, `Enum`, or the package's name.
    pub path: String,
    /// How it is expressed.
    pub expression: Expression,
}

/// A definition in another language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lowered {
    /// The file's text.
    pub text: String,
    /// One note for each field; others for oneofs, enums and the package where the language has something to say of them.
    pub notes: Vec<Note>,
}

/// The language can't express something, and there is no stand-in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path} can't be expressed in {language}: {reason}")]
pub struct Refusal {
    /// The language's name.
    pub language: &'static str,
    /// `Message.field` and the like.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// An interface language.
pub trait Idl: Sync {
    /// As commands and files name it: `lcm`.
    fn id(&self) -> &'static str;
    /// As people name it: `LCM type specification`.
    fn name(&self) -> &'static str;
    /// The usual end of its files, without the dot.
    fn extension(&self) -> &'static str;
    /// The language that this is another use of, if it is no language of its own.
    fn variant_of(&self) -> Option<&'static str> {
        None
    }
    /// Translates a definition.
    ///
    /// # Errors
    /// When the language can't express something even through a stand-in.
    fn lower(&self, definition: &Definition) -> Result<Lowered, Refusal>;
}

/// Every language, in the order of their ids.
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

/// The language with an id, or whose files end so: `omg-idl` and `idl`.
pub fn find(word: &str) -> Option<&'static dyn Idl> {
    IDLS.iter().find(|idl| idl.id() == word || idl.extension() == word).copied()
}

impl Note {
    /// A field, or a oneof, of a message.
    fn of(message: &Message, name: &str, expression: Expression) -> Note {
        Note { path: format!("{}.{name}", message.name), expression }
    }
}

impl Expression {
    /// By something else, which this says.
    fn stand_in(by: impl Into<String>) -> Expression {
        Expression::StandIn(by.into())
    }
}

/// The name of a message or enum in languages that join words by capitals.
pub(crate) fn type_name(name: &str) -> String {
    name.to_upper_camel_case()
}

/// The name of what stands for an entry of a map field.
pub(crate) fn entry_name(message: &Message, field: &Field) -> String {
    format!("{}{}Entry", type_name(&message.name), type_name(&field.name))
}

/// Whether a message is always there, where others may be absent.
pub(crate) fn is_required_message(field: &Field) -> bool {
    matches!(field.ty, crate::model::Type::Message(_)) && field.cardinality == Cardinality::Implicit
}

/// A text with an underscore behind it where a language keeps the word for itself.
pub(crate) fn unreserved(name: &str, reserved: &[&str]) -> String {
    match reserved.contains(&name) {
        true => format!("{name}_"),
        false => name.to_owned(),
    }
}

//! What is known of a codec or a transport without compiling it: the program lists and plans with it, and a runner that has
//! them describes itself by the very same words.

use crate::capability::{Capability, CodecDescription};
use crate::id::IdError;

/// A codec, as its folder declares it: [`DeclaredCodec::new`], and what differs from its defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeclaredCodec {
    /// `format/implementation`, or `format/implementation:variant`.
    pub id: &'static str,
    /// The crate that has it.
    pub package: &'static str,
    /// Its type in that crate, a unit struct.
    pub type_name: &'static str,
    /// The library that does the work, one of the crate's dependencies; [`OWN_LIBRARY`] for our own.
    pub library: &'static str,
    /// One sentence: the canonical options, and what lies inside each phase.
    pub about: &'static str,
    /// The fairness labels, in any order.
    pub capabilities: &'static [Capability],
    /// What is generated for it.
    pub objects: Objects,
    /// Whether its bytes are known without compiling it, by an encoder of `crates/dynamic`. Where not, `wiredyno size` leaves
    /// it out and says so.
    pub size_known: bool,
}

/// The name that codecs of our own state as their library.
pub const OWN_LIBRARY: &str = "wiredyno";

/// What is generated for a codec from a message definition, beside the domain types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Objects {
    /// Nothing: it walks the domain value.
    None,
    /// Nothing: the Protobuf objects by which values come to every runner.
    Protobuf,
    /// The message's only field.
    Raw,
    /// Objects for serde.
    Serde(SerdeStyle),
    /// Objects for serde with the shape of the Avro schema, and that schema.
    Avro,
    /// FlatBuffers' tables, and their schema.
    FlatBuffers,
    /// Archived objects of rkyv.
    Rkyv,
    /// Google's Protobuf objects, from protoc.
    Upb,
}

/// What serde's formats want differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SerdeStyle {
    /// Absent optional fields are left out: for formats with field names in the bytes.
    Omitting,
    /// Every field is written, absent ones as null: for formats where the place tells the field.
    Complete,
    /// As `Omitting`, for formats without unsigned integers and with text keys only.
    Signed,
}

/// A library of the machine's that a package is linked with dynamically: needed to compile the package, and to run what has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SystemLibrary {
    /// As pkg-config calls it.
    pub pkg_config: &'static str,
    /// The oldest version that will do, as pkg-config compares versions.
    pub least: &'static str,
    /// Debian's package with its headers, which brings the library too.
    pub debian: &'static str,
}

/// How the address of a server of a protocol is written: `SCHEME://HOST:PORT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Addresses {
    /// Of one that is spoken to in the clear; without words for a protocol that is always encrypted.
    pub clear: Scheme,
    /// Of one with TLS; `None` for a protocol that has none here. A package whose protocol has it has a cargo feature `tls`, without
    /// which it is compiled without.
    pub tls: Option<Scheme>,
}

/// What stands in front of an address, and what is meant where its port is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scheme {
    /// The words, in lower case; any of them.
    pub words: &'static [&'static str],
    /// The standard port; `None` where there is none.
    pub port: Option<u16>,
}

impl Addresses {
    /// None: of a protocol that has no servers.
    pub const NONE: Addresses = Addresses::clear(&[], None);

    /// Those of a protocol that is not encrypted here.
    pub const fn clear(words: &'static [&'static str], port: Option<u16>) -> Self {
        Addresses { clear: Scheme { words, port }, tls: None }
    }

    /// Those of a protocol that is always encrypted, without a standard port.
    pub const fn encrypted(words: &'static [&'static str]) -> Self {
        Addresses { clear: Scheme { words: &[], port: None }, tls: Some(Scheme { words, port: None }) }
    }

    /// The same, with TLS too.
    #[must_use]
    pub const fn or_tls(self, words: &'static [&'static str], port: u16) -> Self {
        Addresses { tls: Some(Scheme { words, port: Some(port) }), ..self }
    }
}

impl DeclaredCodec {
    /// A codec of our own, without a word about it, capabilities or generated objects, whose bytes are known by compiling it alone.
    pub const fn new(id: &'static str, package: &'static str, type_name: &'static str) -> Self {
        DeclaredCodec {
            id,
            package,
            type_name,
            library: OWN_LIBRARY,
            about: "",
            capabilities: &[],
            objects: Objects::None,
            size_known: false,
        }
    }

    /// The same, with the work done by this dependency of its crate.
    #[must_use]
    pub const fn library(self, library: &'static str) -> Self {
        DeclaredCodec { library, ..self }
    }

    /// The same, with this sentence: the canonical options, and what lies inside each phase.
    #[must_use]
    pub const fn about(self, about: &'static str) -> Self {
        DeclaredCodec { about, ..self }
    }

    /// The same, with these fairness labels.
    #[must_use]
    pub const fn capabilities(self, capabilities: &'static [Capability]) -> Self {
        DeclaredCodec { capabilities, ..self }
    }

    /// The same, for which this is generated from a message definition.
    #[must_use]
    pub const fn objects(self, objects: Objects) -> Self {
        DeclaredCodec { objects, ..self }
    }

    /// The same, whose bytes `crates/dynamic` knows without compiling it.
    #[must_use]
    pub const fn size_known(self) -> Self {
        DeclaredCodec { size_known: true, ..self }
    }

    /// As a runner describes it, with the version of its library.
    ///
    /// # Errors
    /// When the id is none.
    pub fn describe(&self, version: &str) -> Result<CodecDescription, IdError> {
        let mut capabilities = self.capabilities.to_vec();
        capabilities.sort();
        Ok(CodecDescription {
            runner: None,
            id: self.id.parse()?,
            library: self.library.to_owned(),
            version: version.to_owned(),
            about: self.about.to_owned(),
            capabilities,
        })
    }
}

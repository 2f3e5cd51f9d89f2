//! What is known about a codec or a transport without compiling it. The program lists and plans with these declarations,
//! and a compiled runner describes itself with the same text.
//!
//! One file because the declarations of codecs and of transports share their types and follow one pattern.

use crate::capability::Capability;
use crate::codec_description::CodecDescription;
use crate::id::{IdError, TransportId};
use crate::native::{Language, Native};
use crate::need::Need;
use crate::option::TransportOption;
use crate::security::Security;
use crate::transport_description::{BodyLimit, TransportDescription, TransportSetting, WireFormat};

/// A codec, as its folder declares it: [`DeclaredCodec::new`], and what differs from its defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeclaredCodec {
    /// `format/implementation`, or `format/implementation:variant`.
    pub id: &'static str,
    /// The crate that implements it.
    pub package: &'static str,
    /// Its type in that crate, a unit struct.
    pub type_name: &'static str,
    /// The library that does the work, one of the crate's dependencies; [`OWN_LIBRARY`] for our own code. That of a codec in C or C++ is
    /// the machine's.
    pub library: &'static str,
    /// One sentence: the canonical options, and what each phase includes.
    pub about: &'static str,
    /// The fairness labels, in any order.
    pub capabilities: &'static [Capability],
    /// What is generated for it from a message definition.
    pub objects: Objects,
    /// Whether an encoder of `crates/definitions/dynamic` knows its bytes, so that it need not be compiled. Otherwise `wiredyno size`
    /// leaves it out and says so.
    pub size_known: bool,
    /// What it needs on the machine to be compiled and to run, beyond what cargo provides.
    pub needs: &'static [Need],
}

/// A transport, as its folder declares it: [`DeclaredTransport::new`], and what differs from its defaults.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct DeclaredTransport {
    /// The protocol, the first part of its modes: `mqtt`.
    pub protocol: &'static str,
    /// The client implementation, usually the library's name.
    pub implementation: &'static str,
    /// The crate that implements it.
    pub package: &'static str,
    /// The library that does the work, one of the crate's dependencies; [`OWN_LIBRARY`] for our own code.
    pub library: &'static str,
    /// Looks up the library's version by crate and library; a transport without one is refused.
    pub version: LibraryVersion,
    /// How addresses of its servers are written.
    pub addresses: Addresses,
    /// What it needs on the machine to be compiled and to run, beyond what cargo provides.
    pub needs: &'static [Need],
    /// What its feature `tls` needs in addition.
    pub encrypts_with: &'static [Need],
    /// The settings that can follow the protocol in a mode, in order of reliability; empty where the protocol has only one.
    pub settings: fn() -> Vec<TransportSetting>,
    /// What a study can set beyond the mode, with the defaults.
    pub options: fn() -> Vec<TransportOption>,
    /// What its packets contain, where the link can parse them.
    pub format: Option<WireFormat>,
    /// At which packet a message counts as received.
    pub received_at: &'static str,
    /// What `sent` means for this library.
    pub sent_at: &'static str,
    /// How its connections can be secured; the first is the default.
    pub securities: &'static [Security],
    /// Why it has no others, where a reader should know the reason; empty for none.
    pub security_note: &'static str,
    /// The largest body that it carries, in bytes, whatever the setting; `None` where none is known, or where settings have their own.
    pub limit_bytes: Option<u64>,
    /// Labels that hold for every setting, sorted.
    pub capabilities: &'static [Capability],
    /// Time until its clients are ready, beyond connecting sockets, in nanoseconds as measured on two CPUs: topics are created, members
    /// join a group, participants discover each other. Plans use it to estimate durations.
    pub ready_ns: u64,
}

/// Gives the version of a library, by the crate that depends on it and the library; `None` where it has none.
pub type LibraryVersion = fn(&str, &str) -> Option<&'static str>;

/// The library that codecs of our own name.
pub const OWN_LIBRARY: &str = "wiredyno";

/// What is generated for a codec from a message definition, in addition to the domain types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objects {
    /// Nothing: it walks the domain value.
    None,
    /// Nothing: the Protobuf objects in which every runner receives its values.
    Protobuf,
    /// Access to the message's only field.
    Raw,
    /// Objects for serde, in one of several styles.
    Serde(SerdeStyle),
    /// Objects for serde in the shape of the Avro schema, and that schema.
    Avro,
    /// FlatBuffers' tables, and their schema.
    FlatBuffers,
    /// Objects with rkyv's derives, archived in place.
    Rkyv,
    /// Google's Protobuf objects, from protoc.
    Upb,
    /// The application's types in C++, and how the codec in C or C++ is compiled.
    Native(&'static Native),
}

/// How serde's formats differ in what they need. Formats with field names in the bytes leave out absent optional fields, and write
/// well-known types as users of the format do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SerdeStyle {
    /// Field names; times are text: JSON.
    Omitting,
    /// As `Omitting`, with the numbers of proto3's JSON mapping: 64-bit integers are text, and so are NaN and infinities.
    Proto3,
    /// Field names; times are tagged text: CBOR.
    Tagged,
    /// Field names; times are an extension of the format: MessagePack.
    Extended,
    /// Field names; no unsigned integers, keys are text, times are dates: BSON.
    Signed,
    /// Every field is written, absent ones as null: for formats that identify fields by position. Well-known types are messages like any
    /// other.
    Complete,
}

impl SerdeStyle {
    /// Whether the bytes contain field names.
    pub const fn has_names(self) -> bool {
        !matches!(self, SerdeStyle::Complete)
    }
}

/// How addresses of a protocol's servers are written: `SCHEME://HOST:PORT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Addresses {
    /// For connections in the clear; without words for a protocol that is always encrypted.
    pub clear: Scheme,
    /// For TLS; `None` for a protocol that has none here. A package whose protocol has it has a cargo feature `tls`; without the
    /// feature it is compiled without TLS.
    pub tls: Option<Scheme>,
}

/// The scheme of an address, and the port that it implies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scheme {
    /// Its spellings, in lower case, all equivalent.
    pub words: &'static [&'static str],
    /// The standard port, used where an address has none; `None` where there is none.
    pub port: Option<u16>,
}

impl Addresses {
    /// For a protocol that has no servers.
    pub const NONE: Addresses = Addresses::clear(&[], None);

    /// For a protocol that is never encrypted here.
    pub const fn clear(words: &'static [&'static str], port: Option<u16>) -> Self {
        Addresses { clear: Scheme { words, port }, tls: None }
    }

    /// For a protocol that is always encrypted, without a standard port.
    pub const fn encrypted(words: &'static [&'static str]) -> Self {
        Addresses { clear: Scheme { words: &[], port: None }, tls: Some(Scheme { words, port: None }) }
    }

    /// Adds schemes and port of addresses with TLS.
    #[must_use]
    pub const fn or_tls(self, words: &'static [&'static str], port: u16) -> Self {
        Addresses { tls: Some(Scheme { words, port: Some(port) }), ..self }
    }
}

impl DeclaredCodec {
    /// A codec of our own, with an empty `about`, no capabilities and no generated objects, whose bytes are known only by compiling
    /// it.
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
            needs: &[],
        }
    }

    /// Sets the library that does the work, one of its crate's dependencies.
    #[must_use]
    pub const fn library(self, library: &'static str) -> Self {
        DeclaredCodec { library, ..self }
    }

    /// Sets the sentence on the canonical options and on what each phase includes.
    #[must_use]
    pub const fn about(self, about: &'static str) -> Self {
        DeclaredCodec { about, ..self }
    }

    /// Sets the fairness labels.
    #[must_use]
    pub const fn capabilities(self, capabilities: &'static [Capability]) -> Self {
        DeclaredCodec { capabilities, ..self }
    }

    /// Sets what is generated from a message definition.
    #[must_use]
    pub const fn objects(self, objects: Objects) -> Self {
        DeclaredCodec { objects, ..self }
    }

    /// Declares that `crates/definitions/dynamic` knows its bytes without compiling it.
    #[must_use]
    pub const fn size_known(self) -> Self {
        DeclaredCodec { size_known: true, ..self }
    }

    /// Makes it a codec in C or C++, whose struct has the declared type's name.
    #[must_use]
    pub const fn native(self, native: &'static Native) -> Self {
        DeclaredCodec { objects: Objects::Native(native), ..self }
    }

    /// How it is compiled, if it is in C or C++.
    pub const fn as_native(&self) -> Option<&'static Native> {
        match self.objects {
            Objects::Native(native) => Some(native),
            _ => None,
        }
    }

    /// Its language.
    pub fn language(&self) -> Language {
        self.as_native().map_or(Language::Rust, |native| native.language)
    }

    /// Sets what it needs on the machine.
    #[must_use]
    pub const fn needs(self, needs: &'static [Need]) -> Self {
        DeclaredCodec { needs, ..self }
    }

    /// The description that a runner gives, with the version of its library. One in C or C++ adds its compiler.
    ///
    /// # Errors
    /// When the id is invalid.
    pub fn describe(&self, version: &str) -> Result<CodecDescription, IdError> {
        let mut capabilities = self.capabilities.to_vec();
        capabilities.sort();
        Ok(CodecDescription {
            runner: None,
            id: self.id.parse()?,
            language: self.as_native().map(|native| native.language.name().to_owned()),
            library: self.library.to_owned(),
            version: version.to_owned(),
            compiler: None,
            about: self.about.to_owned(),
            capabilities,
        })
    }
}

impl DeclaredTransport {
    /// A client of our own, for a protocol that has one mode, no options and no servers, and is never encrypted.
    pub const fn new(
        protocol: &'static str,
        implementation: &'static str,
        package: &'static str,
        version: LibraryVersion,
    ) -> Self {
        DeclaredTransport {
            protocol,
            implementation,
            package,
            library: OWN_LIBRARY,
            version,
            addresses: Addresses::NONE,
            needs: &[],
            encrypts_with: &[],
            settings: Vec::new,
            options: Vec::new,
            format: None,
            received_at: "",
            sent_at: "",
            securities: &[Security::None],
            security_note: "",
            limit_bytes: None,
            capabilities: &[],
            ready_ns: 0,
        }
    }

    /// Sets the library that does the work, one of its crate's dependencies.
    #[must_use]
    pub const fn library(self, library: &'static str) -> Self {
        DeclaredTransport { library, ..self }
    }

    /// Sets how its servers' addresses are written.
    #[must_use]
    pub const fn addresses(self, addresses: Addresses) -> Self {
        DeclaredTransport { addresses, ..self }
    }

    /// Sets what it needs on the machine.
    #[must_use]
    pub const fn needs(self, needs: &'static [Need]) -> Self {
        DeclaredTransport { needs, ..self }
    }

    /// Sets what its feature `tls` needs on the machine.
    #[must_use]
    pub const fn encrypts_with(self, encrypts_with: &'static [Need]) -> Self {
        DeclaredTransport { encrypts_with, ..self }
    }

    /// Sets the settings, in order of reliability.
    #[must_use]
    pub const fn settings(self, settings: fn() -> Vec<TransportSetting>) -> Self {
        DeclaredTransport { settings, ..self }
    }

    /// Sets the options.
    #[must_use]
    pub const fn options(self, options: fn() -> Vec<TransportOption>) -> Self {
        DeclaredTransport { options, ..self }
    }

    /// Sets how the link parses its packets.
    #[must_use]
    pub const fn format(self, format: WireFormat) -> Self {
        DeclaredTransport { format: Some(format), ..self }
    }

    /// Sets the packet at which a message counts as received.
    #[must_use]
    pub const fn received_at(self, received_at: &'static str) -> Self {
        DeclaredTransport { received_at, ..self }
    }

    /// Sets what `sent` means for its library.
    #[must_use]
    pub const fn sent_at(self, sent_at: &'static str) -> Self {
        DeclaredTransport { sent_at, ..self }
    }

    /// Sets how connections can be secured; the first is the default.
    #[must_use]
    pub const fn securities(self, securities: &'static [Security]) -> Self {
        DeclaredTransport { securities, ..self }
    }

    /// Sets why it has no other securities.
    #[must_use]
    pub const fn security_note(self, security_note: &'static str) -> Self {
        DeclaredTransport { security_note, ..self }
    }

    /// Sets the largest body that it carries, in bytes.
    #[must_use]
    pub const fn limit_bytes(self, limit_bytes: u64) -> Self {
        DeclaredTransport { limit_bytes: Some(limit_bytes), ..self }
    }

    /// Sets the labels that hold for every setting, sorted.
    #[must_use]
    pub const fn capabilities(self, capabilities: &'static [Capability]) -> Self {
        DeclaredTransport { capabilities, ..self }
    }

    /// Sets the time until its clients are ready, in nanoseconds.
    #[must_use]
    pub const fn ready_ns(self, ready_ns: u64) -> Self {
        DeclaredTransport { ready_ns, ..self }
    }

    /// The description that a runner gives. A library without a version is described with an empty one, which is refused.
    pub fn describe(&self) -> TransportDescription {
        TransportDescription {
            id: TransportId { protocol: self.protocol.into(), implementation: self.implementation.into() },
            library: self.library.to_owned(),
            version: (self.version)(self.package, self.library).unwrap_or_default().to_owned(),
            server: None,
            settings: (self.settings)(),
            options: (self.options)(),
            format: self.format,
            received_at: self.received_at.to_owned(),
            sent_at: self.sent_at.to_owned(),
            securities: self.securities.to_vec(),
            security_note: self.security_note.to_owned(),
            limit: self.limit_bytes.map(BodyLimit::of),
            capabilities: self.capabilities.to_vec(),
        }
    }

    /// Whether it is the client with this id.
    pub fn is(&self, id: &TransportId) -> bool {
        id.protocol == self.protocol && id.implementation == self.implementation
    }

    /// Whether it has a capability in every setting.
    pub fn has(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }

    /// Whether it is encrypted on request and in the clear otherwise: then its package has a cargo feature `tls`.
    pub fn may_encrypt(&self) -> bool {
        let is_clear = |security: &&Security| security.is_none();
        let clear = self.securities.iter().filter(is_clear).count();
        clear > 0 && clear < self.securities.len()
    }

    /// What it needs on the machine, including encryption where requested.
    pub fn needed(&self, encrypted: bool) -> impl Iterator<Item = &'static Need> + use<> {
        let encrypts_with = if encrypted { self.encrypts_with } else { &[] };
        self.needs.iter().chain(encrypts_with)
    }
}

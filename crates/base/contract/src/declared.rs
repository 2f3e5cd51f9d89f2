//! What is known of a codec or a transport without compiling it: the program lists and plans with it, and a runner that has
//! them describes itself by the very same words.

use crate::capability::{
    BodyLimit, Capability, CodecDescription, TransportDescription, TransportSetting, WireFormat,
};
use crate::id::{IdError, TransportId};
use crate::need::Need;
use crate::option::TransportOption;
use crate::security::Security;

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
    /// Whether its bytes are known without compiling it, by an encoder of `crates/definitions/dynamic`. Where not, `wiredyno size` leaves
    /// it out and says so.
    pub size_known: bool,
    /// What it needs of the machine, beyond what cargo brings, to be compiled and to run.
    pub needs: &'static [Need],
}

/// A transport, as its folder declares it: [`DeclaredTransport::new`], and what differs from its defaults.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct DeclaredTransport {
    /// The protocol.
    pub protocol: &'static str,
    /// The client implementation of it.
    pub implementation: &'static str,
    /// The crate that has it.
    pub package: &'static str,
    /// The library that does the work, one of the crate's dependencies; [`OWN_LIBRARY`] for our own.
    pub library: &'static str,
    /// The library's version, by crate and library; one without any is refused.
    pub version: LibraryVersion,
    /// How the address of its server is written.
    pub addresses: Addresses,
    /// What it needs of the machine, beyond what cargo brings, to be compiled and to run.
    pub needs: &'static [Need],
    /// What it needs beyond that with its feature `tls`.
    pub encrypts_with: &'static [Need],
    /// The settings that can stand behind the protocol in a mode, in order of reliability; empty where the protocol has just one.
    pub settings: fn() -> Vec<TransportSetting>,
    /// What a study can tell it beyond the mode, with the defaults.
    pub options: fn() -> Vec<TransportOption>,
    /// What its packets hold, where the link can read them.
    pub format: Option<WireFormat>,
    /// At which packet a message counts as received.
    pub received_at: &'static str,
    /// What `sent` means for this library.
    pub sent_at: &'static str,
    /// How its connections can be secured; the first holds where a study does not say.
    pub securities: &'static [Security],
    /// Why it has no others, where there is a reason that a reader should know; empty for none.
    pub security_note: &'static str,
    /// The largest body that it carries, in bytes, whatever the setting; `None` where none is known, or where settings have their own.
    pub limit_bytes: Option<u64>,
    /// Properties of every setting, sorted.
    pub capabilities: &'static [Capability],
    /// Until its clients are ready, beyond sockets that connect, in nanoseconds as measured on two CPUs: topics are made, members join a
    /// group, participants discover each other. Plans estimate by it.
    pub ready_ns: u64,
}

/// Tells the version of a library by the crate that depends on it, and the library; `None` where it has none.
pub type LibraryVersion = fn(&str, &str) -> Option<&'static str>;

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

/// What serde's formats want differently. In formats with field names in the bytes absent optional fields are left out, and well-known
/// types are written as users of the format write them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SerdeStyle {
    /// Field names; times are texts: JSON.
    Omitting,
    /// As `Omitting`, with the numbers of proto3's JSON mapping: integers of 64 bits are texts, NaN and infinities too.
    Proto3,
    /// Field names; times are texts with a tag: CBOR.
    Tagged,
    /// Field names; times are an extension of the format: MessagePack.
    Extended,
    /// Field names; no unsigned integers, keys are texts, times are dates: BSON.
    Signed,
    /// Every field is written, absent ones as null: for formats where the place tells the field. Well-known types are messages like others.
    Complete,
}

impl SerdeStyle {
    /// Whether field names stand in the bytes.
    pub const fn has_names(self) -> bool {
        !matches!(self, SerdeStyle::Complete)
    }
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
            needs: &[],
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

    /// The same, whose bytes `crates/definitions/dynamic` knows without compiling it.
    #[must_use]
    pub const fn size_known(self) -> Self {
        DeclaredCodec { size_known: true, ..self }
    }

    /// The same, which needs this of the machine.
    #[must_use]
    pub const fn needs(self, needs: &'static [Need]) -> Self {
        DeclaredCodec { needs, ..self }
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

impl DeclaredTransport {
    /// A client of our own, of a protocol that has one mode, no options and no servers, and is never encrypted.
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

    /// The same, with the work done by this dependency of its crate.
    #[must_use]
    pub const fn library(self, library: &'static str) -> Self {
        DeclaredTransport { library, ..self }
    }

    /// The same, whose servers have such addresses.
    #[must_use]
    pub const fn addresses(self, addresses: Addresses) -> Self {
        DeclaredTransport { addresses, ..self }
    }

    /// The same, which needs this of the machine.
    #[must_use]
    pub const fn needs(self, needs: &'static [Need]) -> Self {
        DeclaredTransport { needs, ..self }
    }

    /// The same, which needs this of the machine with its feature `tls`.
    #[must_use]
    pub const fn encrypts_with(self, encrypts_with: &'static [Need]) -> Self {
        DeclaredTransport { encrypts_with, ..self }
    }

    /// The same, with these settings, in order of reliability.
    #[must_use]
    pub const fn settings(self, settings: fn() -> Vec<TransportSetting>) -> Self {
        DeclaredTransport { settings, ..self }
    }

    /// The same, with these options.
    #[must_use]
    pub const fn options(self, options: fn() -> Vec<TransportOption>) -> Self {
        DeclaredTransport { options, ..self }
    }

    /// The same, whose packets the link reads so.
    #[must_use]
    pub const fn format(self, format: WireFormat) -> Self {
        DeclaredTransport { format: Some(format), ..self }
    }

    /// The same, for which a message counts as received at this packet.
    #[must_use]
    pub const fn received_at(self, received_at: &'static str) -> Self {
        DeclaredTransport { received_at, ..self }
    }

    /// The same, for whose library `sent` means this.
    #[must_use]
    pub const fn sent_at(self, sent_at: &'static str) -> Self {
        DeclaredTransport { sent_at, ..self }
    }

    /// The same, whose connections can be secured so; the first holds where a study does not say.
    #[must_use]
    pub const fn securities(self, securities: &'static [Security]) -> Self {
        DeclaredTransport { securities, ..self }
    }

    /// The same, which has no other securities for this reason.
    #[must_use]
    pub const fn security_note(self, security_note: &'static str) -> Self {
        DeclaredTransport { security_note, ..self }
    }

    /// The same, which carries no larger bodies, in bytes.
    #[must_use]
    pub const fn limit_bytes(self, limit_bytes: u64) -> Self {
        DeclaredTransport { limit_bytes: Some(limit_bytes), ..self }
    }

    /// The same, with these properties in every setting, sorted.
    #[must_use]
    pub const fn capabilities(self, capabilities: &'static [Capability]) -> Self {
        DeclaredTransport { capabilities, ..self }
    }

    /// The same, whose clients take this long until they are ready.
    #[must_use]
    pub const fn ready_ns(self, ready_ns: u64) -> Self {
        DeclaredTransport { ready_ns, ..self }
    }

    /// As a runner describes it. One whose library has no version is described with an empty one, which is refused.
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

    /// Whether it has a property in every setting.
    pub fn has(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }

    /// Whether it is encrypted where that is asked for, and in the clear else: then its package has a cargo feature `tls`.
    pub fn may_encrypt(&self) -> bool {
        let is_clear = |security: &&Security| security.is_none();
        let clear = self.securities.iter().filter(is_clear).count();
        clear > 0 && clear < self.securities.len()
    }

    /// What it needs of the machine, with encryption where that is asked for.
    pub fn needed(&self, encrypted: bool) -> impl Iterator<Item = &'static Need> + use<> {
        let encrypts_with = if encrypted { self.encrypts_with } else { &[] };
        self.needs.iter().chain(encrypts_with)
    }
}

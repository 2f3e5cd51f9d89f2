//! What implementations declare about themselves. Capabilities are also the fairness labels of reports:
//! differences between implementations are declared by them, never derived from their names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{CodecId, CompressionId, ModeId, TransportId};
use crate::option::{OptionTable, OptionValue, TransportOption};
use crate::security::Security;

/// One property of a codec or transport that a reader of results should know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Capability {
    /// Decoding does not copy: the cost of access lies in the `read` phase.
    ZeroCopy,
    /// Both sides need the schema; field names are not in the bytes.
    SchemaDriven,
    /// The bytes can be read without a schema.
    SelfDescribing,
    /// Decoding refuses strings that are not UTF-8.
    ValidatesUtf8,
    /// Encoding can write into a reused buffer.
    ReusesBuffers,
    /// The same value always gives the same bytes.
    Canonical,
    /// A person can read the bytes.
    HumanReadable,
    /// Bytes fields are written as base64 text.
    BytesAsBase64,
    /// Messages arrive in the order in which they were sent.
    Ordered,
    /// Lost packets are retransmitted until the message arrives.
    Reliable,
    /// A message can arrive more than once.
    MayDuplicate,
    /// No broker is needed; the runner plays the broker's role itself.
    Brokerless,
    /// One message is one datagram, which limits its size.
    Datagram,
    /// A subscriber can accept a publisher's connection itself, without a broker in between.
    PeerToPeer,
    /// Messages of different topics are kept apart.
    Topics,
    /// A waiting message can be skipped in favour of a newer one: it is counted as superseded.
    MaySupersede,
    /// There is never a broker or relay between publisher and subscriber: they discover each other, and a message
    /// makes one hop.
    Direct,
    /// Connections are always encrypted: the protocol has no unencrypted ones.
    Encrypted,
    /// The subscribers of a topic share its messages: each message goes to one of them.
    Shared,
}

/// The name of the runner that is composed from Rust's codecs. Every other runner is a folder.
pub const RUST: &str = "rust";

/// How a runner describes one codec.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CodecDescription {
    /// `format/implementation`, or `format/implementation:variant`.
    pub id: CodecId,
    /// The name of the runner that has it; absent for Rust's. A runner does not state its own name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<String>,
    /// The language of the application that uses it, where that is not its runner's: `c`, `c++`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The library that does the work; `wiredyno` for our own code.
    pub library: String,
    /// The library's version. A codec without one is refused.
    pub version: String,
    /// The compiler of its own code and its version, where that is not its runner's: `GCC 12.2.0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
    /// One sentence: which options of the format are the canonical ones here.
    pub about: String,
    /// The fairness labels that hold for it, sorted.
    pub capabilities: Vec<Capability>,
}

impl CodecDescription {
    /// The name of the runner that has it, [`RUST`] where none is given.
    pub fn runner_name(&self) -> &str {
        self.runner.as_deref().unwrap_or(RUST)
    }

    /// Its language: its own where it states one, else the name of its runner.
    pub fn language(&self) -> &str {
        self.language.as_deref().unwrap_or_else(|| self.runner_name())
    }

    /// Its library with its version, and for a codec in C or C++ its language and compiler.
    pub fn library_text(&self) -> String {
        let own = [self.language.as_deref().map(str::to_uppercase), self.compiler.clone()];
        let own: Vec<String> = own.into_iter().flatten().collect();
        let language = if own.is_empty() { String::new() } else { format!(" in {}", own.join(", ")) };
        format!("{} {}{language}", self.library, self.version)
    }
}

/// How a runner describes one compression method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompressionDescription {
    /// The first part of its ids: `zstd`.
    pub method: String,
    /// The library that does the work.
    pub library: String,
    /// The library's version. A method without one is refused.
    pub version: String,
    /// What the bytes are, and what is timed.
    pub about: String,
    /// Its lowest and highest level; absent where it has no levels.
    pub levels: Option<[u8; 2]>,
    /// Whether it can use a dictionary that both sides know beforehand.
    pub dictionary: bool,
    /// The ids that lists show; other levels can be used as well.
    pub ids: Vec<CompressionId>,
}

impl CompressionDescription {
    /// Whether an id belongs to this method; `Err` says what is wrong with its level or dictionary.
    ///
    /// # Errors
    /// When the method matches but the rest of the id does not fit it.
    pub fn accepts(&self, id: &CompressionId) -> Result<bool, String> {
        if id.method != self.method {
            return Ok(false);
        }
        match (self.levels, id.level) {
            (Some([least, greatest]), Some(level)) if (least..=greatest).contains(&level) => {}
            (None, None) => {}
            (Some([least, greatest]), _) => {
                return Err(format!(
                    "`{id}`: write a level from {least} to {greatest}, as in `{}:{least}`",
                    self.method
                ));
            }
            (None, Some(_)) => return Err(format!("`{id}`: {0} has no levels, write `{0}`", self.method)),
        }
        if id.dictionary && !self.dictionary {
            return Err(format!("`{id}`: {} has no dictionary here, leave the word out", self.method));
        }
        Ok(true)
    }
}

/// How a runner describes one transport.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TransportDescription {
    /// `protocol/implementation`.
    pub id: TransportId,
    /// The library that does the work; `wiredyno` for our own code.
    pub library: String,
    /// The library's version. A transport without one is refused.
    pub version: String,
    /// Library and version of the server that the runner itself can provide where there is no broker; absent for none.
    #[serde(default)]
    pub server: Option<String>,
    /// The settings that can follow the protocol in a mode, in order of reliability; empty where the protocol has only one.
    pub settings: Vec<TransportSetting>,
    /// What a study can set beyond the mode, in `[transport.<protocol>]`; empty for nothing.
    #[serde(default)]
    pub options: Vec<TransportOption>,
    /// What its packets contain, where the link can parse them; absent for anything else.
    #[serde(default)]
    pub format: Option<WireFormat>,
    /// At which packet a message counts as received, for instance "PUBLISH" or "PUBREL" at MQTT QoS 2.
    pub received_at: String,
    /// What `sent` means for this library.
    pub sent_at: String,
    /// How its connections can be secured; the first is the default.
    #[serde(default = "TransportDescription::in_the_clear")]
    pub securities: Vec<Security>,
    /// Why it has no others, where a reader should know the reason; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub security_note: String,
    /// The largest body that it carries, where its settings have no limits of their own; absent where none is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<BodyLimit>,
    /// Labels that hold for every setting, sorted.
    pub capabilities: Vec<Capability>,
}

impl ModeId {
    /// The client that the mode asks for: the one that it names, else the first of its protocol.
    pub fn transport<'a>(&self, known: &'a [TransportDescription]) -> Option<&'a TransportDescription> {
        let is_it = |id: &TransportId| {
            let named = self.implementation.as_ref();
            id.protocol == self.protocol && named.is_none_or(|named| *named == id.implementation)
        };
        known.iter().find(|transport| is_it(&transport.id))
    }
}

impl TransportDescription {
    /// Its modes as studies write them, in order of reliability. Modes of a protocol's first client in `among` omit the client's
    /// name.
    pub fn modes(&self, among: &[TransportDescription]) -> Vec<ModeId> {
        let first = among.iter().find(|other| other.id.protocol == self.id.protocol);
        let is_first = first.is_none_or(|first| first.id == self.id);
        let mode = |setting: Option<&TransportSetting>| ModeId {
            protocol: self.id.protocol.clone(),
            implementation: (!is_first).then(|| self.id.implementation.clone()),
            setting: setting.map(|setting| setting.name.clone()),
        };
        match &self.settings[..] {
            [] => vec![mode(None)],
            settings => settings.iter().map(|setting| mode(Some(setting))).collect(),
        }
    }

    /// The securities of a protocol that is never encrypted here.
    pub fn in_the_clear() -> Vec<Security> {
        vec![Security::None]
    }

    /// Whether it has a capability in a setting.
    pub fn has(&self, setting: Option<&str>, capability: Capability) -> bool {
        let of_setting = self.settings.iter().find(|known| Some(known.name.as_str()) == setting);
        self.capabilities.contains(&capability)
            || of_setting.is_some_and(|known| known.capabilities.contains(&capability))
    }

    /// The largest body that it carries in a setting; `None` where none is known.
    pub fn limit(&self, setting: Option<&str>) -> Option<&BodyLimit> {
        let of_setting = self.settings.iter().find(|known| Some(known.name.as_str()) == setting);
        of_setting.and_then(|known| known.limit.as_ref()).or(self.limit.as_ref())
    }
}

/// The largest body that a mode carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BodyLimit {
    /// The limit in bytes, with the option at its default.
    pub bytes: u64,
    /// The option, in bytes, that raises and lowers the limit by as much as it changes; absent where the limit is fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
}

impl BodyLimit {
    /// A fixed limit.
    pub fn of(bytes: impl Into<u64>) -> Self {
        BodyLimit { bytes: bytes.into(), option: None }
    }

    /// Makes it the limit at these option values.
    pub(crate) fn take(&mut self, options: &[TransportOption], values: &OptionTable) {
        let Some(name) = &self.option else { return };
        let default = options.iter().find(|option| option.name == *name).map(|option| &option.default);
        let whole = |value: Option<&OptionValue>| value.and_then(OptionValue::as_whole);
        if let (Some(default), Some(value)) = (whole(default), whole(values.get(name))) {
            self.bytes = self.bytes.saturating_add_signed(value.saturating_sub(default));
        }
    }
}

/// One reliability setting of a transport.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TransportSetting {
    /// What follows the colon in a mode: `qos1`.
    pub name: String,
    /// What it guarantees, in a sentence.
    pub about: String,
    /// Labels of this setting beyond those of every setting, sorted.
    pub capabilities: Vec<Capability>,
    /// The option that limits how often one message is retransmitted; absent where the protocol itself
    /// retransmits nothing, or without such a limit.
    #[serde(default)]
    pub repeats_option: Option<String>,
    /// The largest body that it carries; absent where none is known, or where all settings share one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<BodyLimit>,
}

impl TransportSetting {
    /// A setting without a limit on repeats or on the body.
    pub fn new(name: &str, about: &str, capabilities: Vec<Capability>) -> Self {
        TransportSetting {
            name: name.to_owned(),
            about: about.to_owned(),
            capabilities,
            repeats_option: None,
            limit: None,
        }
    }
}

/// What a protocol's packets contain, as far as the link's accounting parses them: it classifies bytes by purpose, and
/// recognises retransmitted datagrams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WireFormat {
    /// CoAP over UDP (RFC 7252, section 3).
    Coap,
    /// MQTT 3.1.1 and 5 over TCP (OASIS, section 2.1 of both).
    Mqtt,
    /// AMQP 0-9-1 over TCP (specification, section 4.2).
    #[serde(rename = "amqp-0-9-1")]
    Amqp091,
    /// AMQP 1.0 over TCP (OASIS, part 2, section 2.3).
    #[serde(rename = "amqp-1-0")]
    Amqp10,
    /// Kafka's protocol over TCP (its protocol guide, "Protocol primitives" and "Message headers").
    Kafka,
    /// RTPS over UDP, DDS's wire protocol (DDSI-RTPS, section 9.4).
    Rtps,
    /// One byte of greeting each way over TCP, then length-prefixed messages; in UDP, datagrams that are messages.
    Plain,
    /// QUIC over UDP (RFC 9000, section 17). Packets are encrypted: only the long headers of the handshake can be recognised.
    Quic,
}

impl WireFormat {
    /// Whether the link can recognise retransmissions: by TCP's sequence numbers or CoAP's message ids, or because there never are
    /// any. QUIC's numbers are encrypted, and it never repeats a packet unchanged.
    pub fn tells_repeats(self) -> bool {
        self != WireFormat::Quic
    }
}

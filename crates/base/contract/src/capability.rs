//! What implementations declare about themselves. Capabilities are also the fairness labels of reports:
//! differences between implementations are declared by them, never looked up by their names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{CodecId, CompressionId, ModeId, TransportId};
use crate::option::{OptionTable, OptionValue, TransportOption};
use crate::security::Security;

/// One property of a codec or transport that a reader of numbers should know.
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
    /// Encoding can write into a buffer that is used again.
    ReusesBuffers,
    /// The same value always gives the same bytes.
    Canonical,
    /// A person can read the bytes.
    HumanReadable,
    /// Bytes fields are written as base64 text.
    BytesAsBase64,
    /// Messages arrive in the order in which they were sent.
    Ordered,
    /// Lost packets are sent again until the message arrives.
    Reliable,
    /// A message can arrive more than once.
    MayDuplicate,
    /// No broker is needed; the runner serves the broker's role itself.
    Brokerless,
    /// One message is one datagram, which limits its size.
    Datagram,
    /// A subscriber can take a publisher's connection itself, without a broker between them.
    PeerToPeer,
    /// Messages of different topics are kept apart.
    Topics,
    /// A message that waits can be skipped in favour of a newer one: it is counted as superseded.
    MaySupersede,
    /// There is never anybody between publisher and subscriber: they find each other, and a message makes one hop.
    Direct,
    /// Connections are always encrypted: the protocol has no other ones.
    Encrypted,
}

/// The name of the runner that is composed of Rust's codecs. Every other one is a folder.
pub const RUST: &str = "rust";

/// What a runner says of one codec.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CodecDescription {
    /// Its id.
    pub id: CodecId,
    /// The name of the runner that has it; absent for Rust's. A runner does not say its own name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<String>,
    /// The library that does the work; `wiredyno` for our own.
    pub library: String,
    /// The library's version. A codec without one is refused.
    pub version: String,
    /// One sentence: which options of the format are the canonical ones here.
    pub about: String,
    /// Its properties, sorted.
    pub capabilities: Vec<Capability>,
}

impl CodecDescription {
    /// The name of the runner that has it.
    pub fn runner_name(&self) -> &str {
        self.runner.as_deref().unwrap_or(RUST)
    }
}

/// What a runner says of one compression method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompressionDescription {
    /// The first word of its ids.
    pub method: String,
    /// The library that does the work.
    pub library: String,
    /// The library's version. A method without one is refused.
    pub version: String,
    /// What the bytes are, and what is inside the clock.
    pub about: String,
    /// Its least and greatest level; absent where it has just one way.
    pub levels: Option<[u8; 2]>,
    /// Whether it can use a dictionary that both sides know beforehand.
    pub dictionary: bool,
    /// The ids that lists show; other levels can be written all the same.
    pub ids: Vec<CompressionId>,
}

impl CompressionDescription {
    /// Whether an id is one of this method's; `Err` says what is wrong with its level or dictionary.
    ///
    /// # Errors
    /// When the method is this one, but the rest of the id does not fit it.
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

/// What a runner says of one transport.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TransportDescription {
    /// Its id.
    pub id: TransportId,
    /// The library that does the work; `wiredyno` for our own.
    pub library: String,
    /// The library's version. A transport without one is refused.
    pub version: String,
    /// Library and version of the server that the runner can be where there is no broker; absent for none.
    #[serde(default)]
    pub server: Option<String>,
    /// The settings that can stand behind the protocol in a mode, in order of reliability; empty where the
    /// protocol has just one.
    pub settings: Vec<TransportSetting>,
    /// What a study can tell it beyond the mode, in `[transport.<protocol>]`; empty for nothing.
    #[serde(default)]
    pub options: Vec<TransportOption>,
    /// What its packets hold, where the link can read them; absent for anything else.
    #[serde(default)]
    pub format: Option<WireFormat>,
    /// At which packet a message counts as received, for instance "PUBLISH" or "PUBREL" at MQTT QoS 2.
    pub received_at: String,
    /// What `sent` means for this library.
    pub sent_at: String,
    /// How its connections can be secured; the first holds where a study does not say.
    #[serde(default = "TransportDescription::in_the_clear")]
    pub securities: Vec<Security>,
    /// Why it has no others, where there is a reason that a reader should know; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub security_note: String,
    /// The largest body that it carries, of one whose settings have no limits of their own; absent where none is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<BodyLimit>,
    /// Properties of every setting, sorted.
    pub capabilities: Vec<Capability>,
}

impl ModeId {
    /// The client that it asks for: the one that it names, else the first of its protocol.
    pub fn transport<'a>(&self, known: &'a [TransportDescription]) -> Option<&'a TransportDescription> {
        let is_it = |id: &TransportId| {
            let named = self.implementation.as_ref();
            id.protocol == self.protocol && named.is_none_or(|named| *named == id.implementation)
        };
        known.iter().find(|transport| is_it(&transport.id))
    }
}

impl TransportDescription {
    /// Its modes as studies write them, in order of reliability. Those of a protocol's first client, among those that there are, go
    /// without its name.
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

    /// The securities of a protocol that is not encrypted here.
    pub fn in_the_clear() -> Vec<Security> {
        vec![Security::None]
    }

    /// Whether it has a property in a setting.
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
    /// So many bytes, with the option's default.
    pub bytes: u64,
    /// The option, in bytes, with whose value it grows and shrinks by as much; absent where it is always the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
}

impl BodyLimit {
    /// One that is always the same.
    pub fn of(bytes: impl Into<u64>) -> Self {
        BodyLimit { bytes: bytes.into(), option: None }
    }

    /// Makes it the limit with these values of options.
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
    /// The word behind the colon: `qos1`.
    pub name: String,
    /// What it promises, in a sentence.
    pub about: String,
    /// Properties of this setting, sorted.
    pub capabilities: Vec<Capability>,
    /// The option that says how often one message is sent again at most; absent where the protocol sends nothing
    /// again itself, or without such a limit.
    #[serde(default)]
    pub repeats_option: Option<String>,
    /// The largest body that it carries; absent where none is known, or where it is the same in all settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<BodyLimit>,
}

impl TransportSetting {
    /// One without a limit on repeats.
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

/// What a protocol's packets hold, as far as the link's accounting reads it: by it bytes are told apart by what they are for,
/// and in datagrams what was sent before.
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
    /// One byte of greeting each way over TCP, then messages behind their length; and UDP datagrams that are messages.
    Plain,
    /// QUIC over UDP (RFC 9000, section 17). Packets are encrypted: only the long headers of the handshake can be told.
    Quic,
}

impl WireFormat {
    /// Whether the link can tell what was sent before: by TCP's sequence numbers or CoAP's message ids, or because nothing ever is.
    /// QUIC's numbers are encrypted, and no packet of it is ever repeated as it was.
    pub fn tells_repeats(self) -> bool {
        self != WireFormat::Quic
    }
}

//! How a runner describes its transports: their settings, options, securities and limits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capability::Capability;
use crate::id::{ModeId, TransportId};
use crate::option::{OptionCapability, OptionTable, OptionValue, TransportOption};
use crate::security::Security;

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

    /// What it has where a study does not say: the first of its own.
    pub fn usual_security(&self) -> Security {
        self.securities.first().copied().unwrap_or(Security::None)
    }

    /// Why it does not have a security; `None` if it has it.
    pub fn lacks(&self, security: Security) -> Option<String> {
        if self.securities.contains(&security) {
            return None;
        }
        let words: Vec<&str> = self.securities.iter().map(|known| known.word()).collect();
        let protocol = &self.id.protocol;
        Some(match self.security_note.as_str() {
            "" => format!("{protocol} has no security `{security}` here, only {}", words.join(", ")),
            note => {
                format!("{protocol} has no security `{security}` here, only {}: {note}", words.join(", "))
            }
        })
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

    /// The same transport under these options: its settings with the capabilities and limits that the values imply. An
    /// option without a value implies nothing.
    pub fn under(mut self, values: &OptionTable) -> Self {
        let brought = self.options.iter().flat_map(|option| {
            let value = values.get(&option.name);
            option.brings.iter().filter(move |brought| value == Some(&brought.value))
        });
        for OptionCapability { capability, setting, .. } in brought.cloned().collect::<Vec<_>>() {
            let is_meant =
                |known: &&mut TransportSetting| setting.as_ref().is_none_or(|name| known.name == *name);
            // Where the protocol has only one mode, they are the protocol's own.
            let alone = self.settings.is_empty().then_some(&mut self.capabilities);
            let of_settings = self.settings.iter_mut().filter(is_meant).map(|known| &mut known.capabilities);
            for capabilities in of_settings.chain(alone) {
                capabilities.push(capability);
                capabilities.sort_unstable();
                capabilities.dedup();
            }
        }
        let options = &self.options;
        let of_settings = self.settings.iter_mut().filter_map(|setting| setting.limit.as_mut());
        for limit in of_settings.chain(self.limit.as_mut()) {
            limit.take(options, values);
        }
        self
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
    fn take(&mut self, options: &[TransportOption], values: &OptionTable) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::option::OptionKind;

    #[test]
    fn values_bring_capabilities() {
        let deduplicate = TransportOption {
            name: "deduplicate".into(),
            kind: OptionKind::Flag,
            default: OptionValue::Flag(true),
            about: String::new(),
            brings: vec![OptionCapability {
                value: OptionValue::Flag(false),
                capability: Capability::MayDuplicate,
                setting: None,
            }],
        };
        let coap = TransportDescription {
            id: "coap/x".parse().unwrap(),
            library: "x".into(),
            version: "1".into(),
            server: None,
            settings: vec![TransportSetting::new("con", "", vec![Capability::Reliable])],
            options: vec![deduplicate],
            format: None,
            received_at: String::new(),
            sent_at: String::new(),
            securities: TransportDescription::in_the_clear(),
            security_note: String::new(),
            limit: None,
            capabilities: Vec::new(),
        };
        let off = OptionTable::from([("deduplicate".to_owned(), OptionValue::Flag(false))]);
        assert_eq!(coap.clone().under(&OptionTable::new()), coap);
        let all = [Capability::Reliable, Capability::MayDuplicate];
        assert_eq!(coap.under(&off).settings[0].capabilities, all);
    }
}

//! Ids as written in files, TOML, CLI, JSON and reports: kebab-case words with fixed separators.
//!
//! One file because every kind of id has the same parts: type, `Display`, `FromStr` and tests.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a text is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// The text does not have the shape of its kind.
    #[error("`{text}` is not a {kind} id: write {shape}, for example `{example}`")]
    Shape {
        /// The text that was given.
        text: String,
        /// The expected kind: payload, codec, compression, mode, link, transport.
        kind: &'static str,
        /// The expected shape, in words.
        shape: &'static str,
        /// A valid id of that kind.
        example: &'static str,
    },
}

fn is_word(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'.'))
        && !text.starts_with(['-', '.'])
        && !text.ends_with(['-', '.'])
}

/// Implements the text, serde and schema forms of an id through its `Display` and `FromStr`.
macro_rules! textual {
    ($name:ident, $kind:literal) => {
        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(text: String) -> Result<Self, IdError> {
                text.parse()
            }
        }
        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.to_string()
            }
        }
        impl JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $kind.into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string" })
            }
        }
    };
}

/// A payload, with its size in bytes where it is sized: `person`, `opaque@1024`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PayloadId {
    /// The folder's name in `payloads/`.
    pub name: String,
    /// The number after the at sign: bytes for `opaque`, the nominal size of others.
    pub size_bytes: Option<u32>,
}

impl fmt::Display for PayloadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.size_bytes {
            Some(size) => write!(f, "{}@{size}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

impl FromStr for PayloadId {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let wrong = || IdError::Shape {
            text: text.to_owned(),
            kind: "payload",
            shape: "a kebab-case name, with `@` and a size in bytes if the payload takes one",
            example: "opaque@1024",
        };
        let (name, size_bytes) = match text.split_once('@') {
            Some((name, size)) => (name, Some(size.parse().map_err(|_| wrong())?)),
            None => (text, None),
        };
        if !is_word(name) {
            return Err(wrong());
        }
        Ok(PayloadId { name: name.to_owned(), size_bytes })
    }
}
textual!(PayloadId, "PayloadId");

/// A broker, with its number of nodes where given: `rabbitmq`, `kafka@3`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BrokerId {
    /// The folder's name in `brokers/`.
    pub name: String,
    /// The number after the at sign; `None` for the broker's default.
    pub nodes: Option<u32>,
}

impl fmt::Display for BrokerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.nodes {
            Some(nodes) => write!(f, "{}@{nodes}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

impl FromStr for BrokerId {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let wrong = || IdError::Shape {
            text: text.to_owned(),
            kind: "broker",
            shape: "a kebab-case name, with `@` and a number of nodes if the broker has several",
            example: "kafka@3",
        };
        let (name, nodes) = match text.split_once('@') {
            Some((name, nodes)) => (name, Some(nodes.parse().map_err(|_| wrong())?)),
            None => (text, None),
        };
        if !is_word(name) {
            return Err(wrong());
        }
        Ok(BrokerId { name: name.to_owned(), nodes })
    }
}
textual!(BrokerId, "BrokerId");

/// One implementation of a format: `format/implementation`, or `format/implementation:variant` where options change the bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CodecId {
    /// The rule for turning a message into bytes: `protobuf`, `asn1-uper`.
    pub format: String,
    /// The library, or `wiredyno` for our own code.
    pub implementation: String,
    /// The options that change the bytes; `None` for the canonical ones.
    pub variant: Option<String>,
}

impl fmt::Display for CodecId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.format, self.implementation)?;
        match &self.variant {
            Some(variant) => write!(f, ":{variant}"),
            None => Ok(()),
        }
    }
}

impl FromStr for CodecId {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let wrong = || IdError::Shape {
            text: text.to_owned(),
            kind: "codec",
            shape: "`format/implementation` or `format/implementation:variant` in kebab-case",
            example: "protobuf/prost",
        };
        let (format, rest) = text.split_once('/').ok_or_else(wrong)?;
        let (implementation, variant) = match rest.split_once(':') {
            Some((implementation, variant)) => (implementation, Some(variant)),
            None => (rest, None),
        };
        if !is_word(format) || !is_word(implementation) || variant.is_some_and(|v| !is_word(v)) {
            return Err(wrong());
        }
        Ok(CodecId {
            format: format.to_owned(),
            implementation: implementation.to_owned(),
            variant: variant.map(str::to_owned),
        })
    }
}
textual!(CodecId, "CodecId");

/// What is done to the encoded bytes before they are sent: `none`, `lz4`, `gzip:6`, `zstd:3:dictionary`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CompressionId {
    /// The method: `gzip`, `zstd`, or `none`.
    pub method: String,
    /// How hard it tries, on the method's own scale; `None` where the method has no levels.
    pub level: Option<u8>,
    /// Whether both sides share a dictionary beforehand.
    pub dictionary: bool,
}

impl CompressionId {
    /// The id for no compression.
    pub const NONE: &str = "none";
    /// The part of an id that asks for a dictionary.
    pub const DICTIONARY: &str = "dictionary";

    /// The bytes stay as the codec made them.
    pub fn none() -> Self {
        CompressionId { method: Self::NONE.to_owned(), level: None, dictionary: false }
    }

    /// Whether the bytes stay as the codec made them.
    pub fn is_none(&self) -> bool {
        self.method == Self::NONE
    }
}

impl Default for CompressionId {
    fn default() -> Self {
        CompressionId::none()
    }
}

impl fmt::Display for CompressionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.method)?;
        if let Some(level) = self.level {
            write!(f, ":{level}")?;
        }
        if self.dictionary { write!(f, ":{}", Self::DICTIONARY) } else { Ok(()) }
    }
}

impl FromStr for CompressionId {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let wrong = || IdError::Shape {
            text: text.to_owned(),
            kind: "compression",
            shape: "`none`, or a method with its level and `dictionary` if it has them",
            example: "zstd:3",
        };
        let mut words = text.split(':');
        let method = words.next().filter(|word| is_word(word)).ok_or_else(wrong)?;
        let mut words = words.peekable();
        let level = match words.next_if(|word| *word != Self::DICTIONARY) {
            // Only as it is printed: no signs, no leading zeros.
            Some(word) => Some(word.parse().ok().filter(|n: &u8| n.to_string() == word).ok_or_else(wrong)?),
            None => None,
        };
        let dictionary = words.next().is_some();
        if words.next().is_some() || (method == Self::NONE && (level.is_some() || dictionary)) {
            return Err(wrong());
        }
        let id = CompressionId { method: method.to_owned(), level, dictionary };
        if id.to_string() == text { Ok(id) } else { Err(wrong()) }
    }
}
textual!(CompressionId, "CompressionId");

/// A protocol with its reliability setting: `mqtt:qos1`, `coap:con`. Protocols with only one mode are written without
/// it: `tcp`. A client other than the protocol's first follows a slash: `dds/cyclonedds:reliable`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ModeId {
    /// The protocol: `mqtt`, `tcp`, `udp`.
    pub protocol: String,
    /// The client; `None` for the protocol's first.
    pub implementation: Option<String>,
    /// The reliability setting; `None` where the protocol has only one.
    pub setting: Option<String>,
}

impl fmt::Display for ModeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.protocol)?;
        if let Some(implementation) = &self.implementation {
            write!(f, "/{implementation}")?;
        }
        match &self.setting {
            Some(setting) => write!(f, ":{setting}"),
            None => Ok(()),
        }
    }
}

impl FromStr for ModeId {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let (client, setting) = match text.split_once(':') {
            Some((client, setting)) => (client, Some(setting)),
            None => (text, None),
        };
        let (protocol, implementation) = match client.split_once('/') {
            Some((protocol, implementation)) => (protocol, Some(implementation)),
            None => (client, None),
        };
        if !is_word(protocol) || [implementation, setting].iter().flatten().any(|word| !is_word(word)) {
            return Err(IdError::Shape {
                text: text.to_owned(),
                kind: "mode",
                shape: "`protocol:setting`, or `protocol` if there is just one setting, with `/client` after the protocol for a \
                        client other than its first",
                example: "mqtt:qos1",
            });
        }
        Ok(ModeId {
            protocol: protocol.to_owned(),
            implementation: implementation.map(str::to_owned),
            setting: setting.map(str::to_owned),
        })
    }
}
textual!(ModeId, "ModeId");

/// One client implementation of a protocol: `protocol/implementation`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TransportId {
    /// The protocol: `mqtt`.
    pub protocol: String,
    /// The library, or `wiredyno` for our own code.
    pub implementation: String,
}

impl fmt::Display for TransportId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.protocol, self.implementation)
    }
}

impl FromStr for TransportId {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        match text.split_once('/') {
            Some((protocol, implementation)) if is_word(protocol) && is_word(implementation) => {
                Ok(TransportId { protocol: protocol.to_owned(), implementation: implementation.to_owned() })
            }
            _ => Err(IdError::Shape {
                text: text.to_owned(),
                kind: "transport",
                shape: "`protocol/implementation` in kebab-case",
                example: "mqtt/rumqttc",
            }),
        }
    }
}
textual!(TransportId, "TransportId");

/// A link: the name of a file in `links/`, the path of another file, `loopback` for this machine without an emulated link, or `real` for the network between
/// agents.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LinkId(String);

impl LinkId {
    /// The id for no emulated link: all roles talk over this machine's loopback interface.
    pub const LOOPBACK: &str = "loopback";

    /// The id for no emulated link: hosts are agents, which talk over the existing network.
    pub const REAL: &str = "real";

    /// The id as written in a study.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the loopback interface rather than a link between hosts.
    pub fn is_loopback(&self) -> bool {
        self.0 == Self::LOOPBACK
    }

    /// Whether this is the network between agents.
    pub fn is_real(&self) -> bool {
        self.0 == Self::REAL
    }

    /// Whether packets are delayed, lost and counted by a link of ours.
    pub fn is_emulated(&self) -> bool {
        !self.is_loopback() && !self.is_real()
    }

    /// Whether it is the path of a file rather than a name in `links/`.
    pub fn is_path(&self) -> bool {
        self.0.contains('/')
    }
}

impl fmt::Display for LinkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for LinkId {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let is_path = text.contains('/') && text.ends_with(".toml") && !text.contains(['\n', ',', ';']);
        if is_word(text) || is_path {
            return Ok(LinkId(text.to_owned()));
        }
        Err(IdError::Shape {
            text: text.to_owned(),
            kind: "link",
            shape: "the kebab-case name of a file in links/, or a path such as ./my.toml",
            example: "lte",
        })
    }
}
textual!(LinkId, "LinkId");

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trips<T: FromStr<Err = IdError> + fmt::Display>(text: &str) {
        match text.parse::<T>() {
            Ok(id) => assert_eq!(id.to_string(), text),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn ids_print_as_they_were_read() {
        round_trips::<PayloadId>("person");
        round_trips::<PayloadId>("opaque@1024");
        round_trips::<CodecId>("protobuf/prost");
        round_trips::<CodecId>("exi/wiredyno:strict");
        for text in ["none", "lz4", "gzip:6", "zstd:3:dictionary", "zstd:19"] {
            round_trips::<CompressionId>(text);
        }
        round_trips::<ModeId>("tcp");
        round_trips::<ModeId>("mqtt:qos1");
        round_trips::<ModeId>("dds/cyclonedds:reliable");
        round_trips::<ModeId>("dds/cyclonedds");
        round_trips::<LinkId>("lte");
        round_trips::<TransportId>("mqtt/rumqttc");
    }

    #[test]
    fn a_wrong_id_is_refused_with_an_example() {
        for text in ["", "Person", "opaque@", "opaque@x", "a b", "-a", "opaque@99999999999"] {
            assert!(text.parse::<PayloadId>().is_err(), "{text} must be refused");
        }
        for text in ["protobuf", "protobuf/", "/prost", "a/b:", "a/b:C"] {
            assert!(text.parse::<CodecId>().is_err(), "{text} must be refused");
        }
        for text in
            ["", "none:3", "gzip:06", "gzip:", "zstd:3:dict", "zstd:dictionary:3", "zstd:3:dictionary:x"]
        {
            assert!(text.parse::<CompressionId>().is_err(), "{text} must be refused");
        }
        for text in [
            "",
            "mqtt:",
            ":qos1",
            "dds/",
            "dds/:reliable",
            "/rustdds:reliable",
            "dds/a/b:reliable",
            "dds:reliable/a",
        ] {
            assert!(text.parse::<ModeId>().is_err(), "{text} must be refused");
        }
        let message = "protobuf".parse::<CodecId>().unwrap_err().to_string();
        assert!(message.contains("protobuf/prost"), "{message}");
    }
}

//! Cells: the combinations of a study's axes.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{BrokerId, CodecId, CompressionId, LinkId, ModeId, PayloadId};
use crate::study::Axes;
use crate::unit::Ratio;

/// One combination of the axes' values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// The payload.
    pub payload: PayloadId,
    /// The codec.
    pub codec: CodecId,
    /// What is done to its bytes; absent for nothing.
    #[serde(default, skip_serializing_if = "CompressionId::is_none")]
    pub compression: CompressionId,
    /// The mode.
    pub mode: ModeId,
    /// The broker that the study names for it; absent where the installed one that is preferred serves, or none is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broker: Option<BrokerId>,
    /// The link.
    pub link: LinkId,
    /// Loss per direction, 0..1; absent where the link's own applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Ratio>,
}

/// The axes by name, in their order.
pub const AXES: [&str; 7] = ["payload", "codec", "compression", "mode", "broker", "link", "loss"];

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.payload, coding(&self.codec, &self.compression), self.mode)?;
        if let Some(broker) = &self.broker {
            write!(f, " by {broker}")?;
        }
        write!(f, " {}", self.link)?;
        match self.loss {
            Some(loss) => write!(f, " loss {}%", loss.get() * 100.0),
            None => Ok(()),
        }
    }
}

/// A payload with a codec and what is done to its bytes: what one codec trial measures.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct CodecCell {
    /// The payload.
    pub payload: PayloadId,
    /// The codec.
    pub codec: CodecId,
    /// What is done to its bytes; absent for nothing.
    #[serde(default, skip_serializing_if = "CompressionId::is_none")]
    pub compression: CompressionId,
}

impl fmt::Display for CodecCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.payload, self.coding())
    }
}

/// A codec with what is done to its bytes, as reports name the two: `json/serde-json + zstd:3`.
fn coding(codec: &CodecId, compression: &CompressionId) -> String {
    if compression.is_none() { codec.to_string() } else { format!("{codec} + {compression}") }
}

impl Cell {
    /// The codec with its compression, `json/serde-json + zstd:3`; the codec alone where nothing is compressed.
    pub fn coding(&self) -> String {
        coding(&self.codec, &self.compression)
    }

    /// The mode with its broker where the study names one, `mqtt:qos1 by hivemq`.
    pub fn sending(&self) -> String {
        match &self.broker {
            Some(broker) => format!("{} by {broker}", self.mode),
            None => self.mode.to_string(),
        }
    }

    /// Its value on an axis, as text; `None` where it has none, and for names that are no axis.
    pub fn value(&self, axis: &str) -> Option<String> {
        match axis {
            "mode" => Some(self.mode.to_string()),
            "broker" => self.broker.as_ref().map(BrokerId::to_string),
            "link" => Some(self.link.to_string()),
            "loss" => self.loss.map(|loss| loss.to_string()),
            _ => self.codec_cell().value(axis),
        }
    }

    /// Payload, codec and compression.
    pub fn codec_cell(&self) -> CodecCell {
        CodecCell {
            payload: self.payload.clone(),
            codec: self.codec.clone(),
            compression: self.compression.clone(),
        }
    }
}

impl CodecCell {
    /// As [`Cell::value`]; it has none on the axes of messages.
    pub fn value(&self, axis: &str) -> Option<String> {
        match axis {
            "payload" => Some(self.payload.to_string()),
            "codec" => Some(self.codec.to_string()),
            "compression" => Some(self.compression.to_string()),
            _ => None,
        }
    }

    /// As [`Cell::coding`].
    pub fn coding(&self) -> String {
        coding(&self.codec, &self.compression)
    }
}

impl Axes {
    /// The values of an axis in the study's order, as text; empty for names that are no axis.
    pub fn values(&self, axis: &str) -> Vec<String> {
        fn texts<T: ToString>(values: &[T]) -> Vec<String> {
            values.iter().map(T::to_string).collect()
        }
        match axis {
            "payload" => texts(&self.payload),
            "codec" => texts(&self.codec),
            "compression" => texts(&self.compression),
            "mode" => texts(&self.mode),
            "broker" => texts(&self.broker),
            "link" => texts(&self.link),
            "loss" => texts(&self.loss),
            _ => Vec::new(),
        }
    }

    /// The brokers named that serve a protocol; one nameless where none of them does.
    fn brokers_of(&self, protocol: &str, serves: &dyn Fn(&BrokerId, &str) -> bool) -> Vec<Option<BrokerId>> {
        let named = self.broker.iter().filter(|broker| serves(broker, protocol));
        let named: Vec<_> = named.cloned().map(Some).collect();
        if named.is_empty() { vec![None] } else { named }
    }

    /// All combinations, the last axis varying fastest. A mode goes together with those of the brokers named that serve its
    /// protocol, which `serves` knows.
    pub fn cells(&self, serves: &dyn Fn(&BrokerId, &str) -> bool) -> Vec<Cell> {
        let losses: Vec<Option<Ratio>> =
            if self.loss.is_empty() { vec![None] } else { self.loss.iter().copied().map(Some).collect() };
        let mut cells = Vec::new();
        for CodecCell { payload, codec, compression } in self.codec_cells() {
            for mode in &self.mode {
                for broker in self.brokers_of(&mode.protocol, serves) {
                    for link in &self.link {
                        // Loopback has no loss of ours: one cell whatever the loss axis says.
                        let losses = if link.is_loopback() { &[None][..] } else { &losses[..] };
                        cells.extend(losses.iter().map(|&loss| Cell {
                            payload: payload.clone(),
                            codec: codec.clone(),
                            compression: compression.clone(),
                            mode: mode.clone(),
                            broker: broker.clone(),
                            link: link.clone(),
                            loss,
                        }));
                    }
                }
            }
        }
        cells
    }

    /// All combinations of payload, codec and compression.
    pub fn codec_cells(&self) -> Vec<CodecCell> {
        let mut cells = Vec::new();
        for payload in &self.payload {
            for codec in &self.codec {
                cells.extend(self.compression.iter().map(|compression| CodecCell {
                    payload: payload.clone(),
                    codec: codec.clone(),
                    compression: compression.clone(),
                }));
            }
        }
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Study;

    #[test]
    fn a_mode_goes_together_with_the_brokers_that_serve_its_protocol() {
        let text = "name = \"t\"\nwhy = \"?\"\n[axes]\npayload = [\"small\"]\ncodec = [\"raw/wiredyno\"]\n\
                    mode = [\"mqtt:qos1\", \"kafka:acks-1\", \"tcp\"]\nbroker = [\"mosquitto\", \"hivemq\", \"kafka@3\"]\n\
                    [load]\nkind = \"closed\"\nmessages = 1\ndeadline = \"1s\"\ndrain = \"1s\"\n";
        let study = Study::parse("t.toml", text).unwrap();
        let serves = |broker: &BrokerId, protocol: &str| {
            (broker.name == "kafka") == (protocol == "kafka") && protocol != "tcp"
        };
        let names: Vec<String> = study.axes.cells(&serves).iter().map(ToString::to_string).collect();
        let expected = [
            "small raw/wiredyno mqtt:qos1 by mosquitto loopback",
            "small raw/wiredyno mqtt:qos1 by hivemq loopback",
            "small raw/wiredyno kafka:acks-1 by kafka@3 loopback",
            "small raw/wiredyno tcp loopback",
        ];
        assert_eq!(names, expected);
        assert_eq!(Study::parse("again.toml", &toml::to_string(&study).unwrap()).unwrap(), study);
    }
}

//! Whether runners understand each other: what a codec of a format writes, read by every other codec of that format.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wiredyno_contract::{CodecId, PayloadId};

/// What codecs wrote and read of each other.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Interoperability {
    /// Each writer with each reader of its format, for each payload that both carry.
    pub exchanges: Vec<Exchange>,
    /// Runners that are missing here, with the reason, and codecs that refused a payload that they should carry.
    pub left_out: Vec<LeftOut>,
}

/// What one codec wrote of a payload's samples and another read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Exchange {
    /// The payload whose samples were written.
    pub payload: PayloadId,
    /// The codec that wrote them.
    pub writer: CodecId,
    /// The codec that read them.
    pub reader: CodecId,
    /// How many samples were written.
    pub samples: u32,
    /// How many came out as they were.
    pub understood: u32,
    /// The first that did not; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Misread>,
}

/// A sample that did not come out as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Misread {
    /// Its number, from 0.
    pub sample: u32,
    /// What became of it.
    #[serde(flatten)]
    pub how: How,
}

/// What became of a sample that did not come out as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "became", rename_all = "kebab-case")]
pub enum How {
    /// The reader refused its bytes.
    Refused {
        /// The reader's reason.
        reason: String,
    },
    /// It came out as another value.
    Different {
        /// The path of the first field that differs.
        field: String,
        /// The value that was written.
        written: String,
        /// The value that was read.
        read: String,
    },
}

/// What took no part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// A runner, or a codec with its payload.
    pub what: String,
    /// Why, in words.
    pub why: String,
}

/// How well a reader understands a writer, over all payloads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Understanding {
    /// Every sample came out as it was.
    Whole,
    /// Some did: this many of this many.
    Part(u32, u32),
    /// None did.
    None,
}

impl Interoperability {
    /// The formats of which there are at least two codecs, in alphabetical order.
    pub fn formats(&self) -> Vec<&str> {
        let formats: BTreeSet<&str> =
            self.exchanges.iter().map(|exchange| exchange.writer.format.as_str()).collect();
        formats.into_iter().collect()
    }

    /// The codecs of a format that took part, each once, in the order in which they wrote.
    pub fn codecs(&self, format: &str) -> Vec<&CodecId> {
        let mut codecs: Vec<&CodecId> = Vec::new();
        for exchange in self.exchanges.iter().filter(|exchange| exchange.writer.format == format) {
            if !codecs.contains(&&exchange.writer) {
                codecs.push(&exchange.writer);
            }
        }
        codecs
    }

    /// How well a reader understands a writer; `None` if no payload is carried by both.
    pub fn between(&self, writer: &CodecId, reader: &CodecId) -> Option<Understanding> {
        let both = |exchange: &&Exchange| exchange.writer == *writer && exchange.reader == *reader;
        let (mut samples, mut understood) = (0, 0);
        for exchange in self.exchanges.iter().filter(both) {
            samples += exchange.samples;
            understood += exchange.understood;
        }
        match understood {
            _ if samples == 0 => None,
            all if all == samples => Some(Understanding::Whole),
            0 => Some(Understanding::None),
            some => Some(Understanding::Part(some, samples)),
        }
    }

    /// The pairs of different codecs, by understanding: whole, in part, none.
    pub fn counted(&self) -> [usize; 3] {
        let mut counts = [0; 3];
        for format in self.formats() {
            let codecs = self.codecs(format);
            for writer in &codecs {
                for reader in codecs.iter().filter(|reader| *reader != writer) {
                    match self.between(writer, reader) {
                        Some(Understanding::Whole) => counts[0] += 1,
                        Some(Understanding::Part(..)) => counts[1] += 1,
                        Some(Understanding::None) => counts[2] += 1,
                        None => {}
                    }
                }
            }
        }
        counts
    }

    /// The exchanges in which a sample did not come out as it was.
    pub fn misread(&self) -> impl Iterator<Item = (&Exchange, &Misread)> {
        self.exchanges.iter().filter_map(|exchange| Some((exchange, exchange.first.as_ref()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(payload: &str, writer: &str, reader: &str, understood: u32) -> Exchange {
        let [writer, reader] = [writer, reader].map(|id| id.parse().unwrap());
        let how = How::Refused { reason: "no".to_owned() };
        let first = (understood < 10).then_some(Misread { sample: understood, how });
        Exchange { payload: payload.parse().unwrap(), writer, reader, samples: 10, understood, first }
    }

    #[test]
    fn pairs_are_counted_over_all_payloads_without_those_of_one_codec() {
        let exchanges = vec![
            exchange("person", "json/a", "json/a", 10),
            exchange("person", "json/a", "json/b", 10),
            exchange("small", "json/a", "json/b", 10),
            exchange("person", "json/b", "json/a", 10),
            exchange("small", "json/b", "json/a", 0),
            exchange("person", "cbor/c", "cbor/d", 0),
        ];
        let found = Interoperability { exchanges, left_out: Vec::new() };
        assert_eq!(found.formats(), ["cbor", "json"]);
        let codecs: Vec<String> = found.codecs("json").iter().map(ToString::to_string).collect();
        assert_eq!(codecs, ["json/a", "json/b"]);
        let between =
            |writer: &str, reader: &str| found.between(&writer.parse().unwrap(), &reader.parse().unwrap());
        assert_eq!(between("json/a", "json/b"), Some(Understanding::Whole));
        assert_eq!(between("json/b", "json/a"), Some(Understanding::Part(10, 20)));
        assert_eq!(between("cbor/c", "cbor/d"), Some(Understanding::None));
        assert_eq!(between("cbor/d", "cbor/c"), None);
        // Of CBOR's two codecs one only read, so that it is no row.
        assert_eq!(found.counted(), [1, 1, 0]);
        assert_eq!(found.misread().count(), 2);
    }
}

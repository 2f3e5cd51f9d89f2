//! How many different samples a run has: whether bodies come round again within what a client's compressor sees, which then makes more of them than of
//! messages that never repeat, and how much room their files take.

use std::collections::HashMap;

use wiredyno_answers::quantity::quantity;
use wiredyno_conducting::conduct::{distinct_of, reads_more};
use wiredyno_contract::{CodecId, OptionTable, OptionValue, PayloadId, TransportDescription};
use wiredyno_model::{Cell, Records};
use wiredyno_payloads::Payload;
use wiredyno_schema::canonical_bytes;

use super::PreparedRun;
use crate::run::sizes::body_bytes;

/// How many samples are encoded to find out how long bodies are.
const LOOKED_AT: usize = 20;

/// How far compressors of batches look back, bytes: DEFLATE's window (RFC 1951, section 2), the blocks of Snappy, LZ4's window (its block format), and that of
/// zstd at its level 3 (`windowLog` 21).
const WINDOWS: [(&str, u64); 4] =
    [("gzip", 32_768), ("snappy", 65_536), ("lz4", 65_536), ("zstd", 2_097_152)];

impl PreparedRun {
    /// A sentence for each payload and compressor whose bodies repeat.
    pub fn told_of_repeats(&self) -> Vec<String> {
        let (mut told, mut sizes) = (Vec::new(), Sizes::new());
        for cell in &self.plan.cells {
            let said = self.repeats(cell, &mut sizes);
            told.extend(said.filter(|said| !told.contains(said)));
        }
        told
    }

    fn repeats(&self, cell: &Cell, sizes: &mut Sizes) -> Option<String> {
        let load = self.request.study.load.as_ref()?.of(cell);
        let client = self.known.client(cell)?;
        let (word, sees) = compressor(client, &self.request.study.options_for(cell))?;
        let payload = self.payloads.iter().find(|known| *known.id() == cell.payload)?;
        let known = self.known.payloads.iter().find(|known| known.name == cell.payload.name)?;
        let made = if self.trains_dictionaries() { known.samples } else { known.distinct };
        let distinct = made.min(distinct_of(&load, reads_more(cell, has_number(payload))));
        // Each publisher sends every n-th message, and compresses its own.
        let distinct = distinct / greatest_common_divisor(distinct, load.publishers.max(1));
        let key = (cell.payload.clone(), cell.codec.clone());
        let bytes = *sizes.entry(key).or_insert_with(|| mean_body_bytes(payload, &cell.codec));
        let bytes = bytes.or_else(|| self.body_bytes.get(&cell.payload).copied())?;
        let messages = load.messages / load.publishers.max(1);
        (messages > distinct && u64::from(distinct) * bytes < sees).then(|| {
            format!(
                "Messages of `{}` in {} have {distinct} distinct contents of about {bytes} bytes for a publisher, which come round within the {sees} bytes that \
                 {word} sees of a batch: it compresses them better than messages that never repeat.",
                cell.payload, cell.codec
            )
        })
    }
}

/// Files of samples above this size are told before a run, in bytes.
const LARGE: u64 = 100_000_000;

impl PreparedRun {
    /// A sentence for each payload whose samples take much room.
    pub fn told_of_room(&self) -> Vec<String> {
        let told = |payload: &Payload| {
            let first: Vec<_> = payload.samples(Some(LOOKED_AT)).ok()?.flatten().collect();
            let whole: usize = first.iter().map(|sample| canonical_bytes(sample).len()).sum();
            let made =
                if self.trains_dictionaries() { payload.sample_count() } else { payload.distinct_count() };
            let samples = u64::from(made.ok()?.min(self.samples_of(payload)));
            let bytes = samples * whole as u64 / first.len().max(1) as u64;
            let reads =
                |cell: &Cell| cell.payload == *payload.id() && cell.records == Some(Records::Postgresql);
            let table = match self.plan.cells.iter().any(reads) {
                true => ", and as much again as a table of the database",
                false => "",
            };
            (bytes > LARGE).then(|| {
                format!(
                    "The {samples} samples of `{}` take {} in the folder for temporary files{table}.",
                    payload.id(),
                    quantity(bytes as f64, "bytes")
                )
            })
        };
        self.payloads.iter().filter_map(told).collect()
    }

    /// Whether dictionaries are trained: then all cells have the payloads' sets alone.
    pub(super) fn trains_dictionaries(&self) -> bool {
        self.request.study.axes.compression.iter().any(|id| id.dictionary)
    }

    /// The most samples of a payload that trials have, of messages or of codecs.
    pub(super) fn samples_of(&self, payload: &Payload) -> u32 {
        let own = self.plan.cells.iter().filter(|cell| cell.payload == *payload.id());
        let of_cell = |cell: &Cell| {
            let load = self.request.study.load.as_ref()?.of(cell);
            Some(distinct_of(&load, reads_more(cell, has_number(payload))))
        };
        own.filter_map(of_cell).chain([self.request.study.codec_trials.samples]).max().unwrap_or(1)
    }
}

fn has_number(payload: &Payload) -> bool {
    payload.definition().sequence_field().is_some()
}

/// The mean size of bodies by payload and codec, where it is known without compiling the codec.
type Sizes = HashMap<(PayloadId, CodecId), Option<u64>>;

fn mean_body_bytes(payload: &Payload, codec: &CodecId) -> Option<u64> {
    let bytes = body_bytes(payload, codec, LOOKED_AT).ok()??;
    (!bytes.is_empty()).then(|| bytes.iter().sum::<u64>() / bytes.len() as u64)
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// The word of the compressor of a client's batches, and how many bytes it sees at a time; absent if it compresses none.
fn compressor(client: &TransportDescription, options: &OptionTable) -> Option<(String, u64)> {
    let of = |name: &str| {
        let default = client.options.iter().find(|option| option.name == name);
        options.get(name).or(default.map(|option| &option.default))
    };
    let (Some(OptionValue::Text(word)), Some(OptionValue::Whole(batch))) =
        (of("compression"), of("batch_bytes"))
    else {
        return None;
    };
    let window = WINDOWS.iter().find(|(known, _)| known == word).map_or(u64::MAX, |(_, window)| *window);
    (word != "none").then(|| (word.clone(), window.min(u64::try_from(*batch).unwrap_or_default())))
}

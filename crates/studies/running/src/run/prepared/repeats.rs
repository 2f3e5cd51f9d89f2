//! Bodies that come round again within what a client's compressor sees: it then makes more of them than of messages that never repeat.

use std::collections::HashMap;

use wiredyno_conducting::conduct::{loaded_of, samples_of};
use wiredyno_contract::{CodecId, OptionTable, OptionValue, PayloadId, TransportDescription};
use wiredyno_model::Cell;
use wiredyno_model::axis::Records;
use wiredyno_payloads::Payload;

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
        let made = self.known.payloads.iter().find(|known| known.name == cell.payload.name)?.distinct;
        let read =
            cell.records == Some(Records::Postgresql) && payload.definition().sequence_field().is_some();
        let distinct = made.min(if read { samples_of(&load) } else { loaded_of(&load) });
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

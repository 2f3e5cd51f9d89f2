//! Bodies that come round again within what a client's compressor sees: it then makes more of them than of messages that never repeat.

use wiredyno_conducting::conduct::samples_of;
use wiredyno_contract::{OptionTable, OptionValue, TransportDescription};
use wiredyno_model::Cell;

use super::PreparedRun;

/// How far compressors of batches look back, bytes: DEFLATE's window (RFC 1951, section 2), the blocks of Snappy, and LZ4's window (its block format). Those of
/// zstd see the whole batch.
const WINDOWS: [(&str, u64); 3] = [("gzip", 32_768), ("snappy", 65_536), ("lz4", 65_536)];

impl PreparedRun {
    /// A sentence for each payload and compressor whose bodies repeat.
    pub(super) fn told_of_repeats(&self) -> Vec<String> {
        let mut told = Vec::new();
        for cell in &self.plan.cells {
            let said = self.repeats(cell);
            told.extend(said.filter(|said| !told.contains(said)));
        }
        told
    }

    fn repeats(&self, cell: &Cell) -> Option<String> {
        let load = self.request.study.load.as_ref()?.of(cell);
        let client = self.known.client(cell)?;
        let (word, sees) = compressor(client, &self.request.study.options_for(cell))?;
        let payload = self.known.payloads.iter().find(|known| known.name == cell.payload.name)?;
        let distinct = payload.samples.min(samples_of(&load));
        let bytes = *self.body_bytes.get(&cell.payload)?;
        // Bodies of some codecs are shorter still: then more of them fit.
        let round = u64::from(distinct) * bytes;
        (load.messages > distinct && round < sees).then(|| {
            format!(
                "Messages of `{}` have {distinct} distinct contents of about {bytes} bytes, which come round within the {sees} bytes that {word} sees of a \
                 batch: it compresses them better than messages that never repeat.",
                cell.payload
            )
        })
    }
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

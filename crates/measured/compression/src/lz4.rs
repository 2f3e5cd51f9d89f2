//! `lz4`: one LZ4 block per message, preceded by its plain length as u32, little-endian.
//!
//! The block format preceded by a length is what most bindings call "block with size"; the frame format would add
//! 11 to 15 bytes of header, block size and end mark to every message.
//! Source of the format: `doc/lz4_Block_format.md` of the LZ4 project.

use lz4_flex::block::{
    CompressTable, compress_into_with_table, decompress_into, get_maximum_output_size, uncompressed_size,
};
use wiredyno_contract::CompressionId;

use super::bound::Squeezer;
use super::{BoundCompression, CompressionError, Compressor, Dictionary, Method, plausible, room, version};

const LENGTH_BYTES: usize = 4;

/// A byte of a block gives at most this many: the length of a match grows by up to 255 with each of its bytes.
const MOST_PER_BYTE: usize = 255;

/// The id `lz4`, which has no levels.
pub struct Lz4;

impl Method for Lz4 {
    fn name(&self) -> &'static str {
        "lz4"
    }

    fn library(&self) -> (&'static str, &'static str) {
        ("lz4_flex", version("lz4_flex"))
    }

    fn about(&self) -> &'static str {
        "One block per message, preceded by its plain length as a little-endian u32; no frame, no checksum. The hash table \
         is kept between messages; clearing it is timed."
    }

    fn ids(&self) -> &'static [&'static str] {
        &["lz4"]
    }

    fn bind(
        &self,
        id: &CompressionId,
        _: Option<Dictionary>,
    ) -> Result<Option<Box<dyn BoundCompression>>, CompressionError> {
        let table = Table { table: CompressTable::default(), scratch: Vec::new() };
        Ok(Some(Box::new(Squeezer::new(id, table, None))))
    }
}

struct Table {
    table: CompressTable,
    /// The library writes into initialised memory: this has the length that the longest message needed.
    scratch: Vec<u8>,
}

impl Compressor for Table {
    fn compress(&mut self, plain: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        let length = u32::try_from(plain.len()).map_err(|_| "they are longer than 4 GiB".to_owned())?;
        let most = get_maximum_output_size(plain.len());
        if self.scratch.len() < most {
            self.scratch.resize(most, 0);
        }
        let used = compress_into_with_table(plain, &mut self.scratch, &mut self.table)
            .map_err(|error| error.to_string())?;
        out.clear();
        out.reserve(LENGTH_BYTES + used);
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&self.scratch[..used]);
        Ok(())
    }

    fn decompress(&mut self, compressed: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        let (length, block) = uncompressed_size(compressed).map_err(|error| error.to_string())?;
        plausible(length, block.len(), MOST_PER_BYTE)?;
        room(out, length)?;
        out.resize(length, 0);
        let got = decompress_into(block, out).map_err(|error| error.to_string())?;
        if got == length { Ok(()) } else { Err(format!("they give {got} bytes, but claim {length}")) }
    }
}

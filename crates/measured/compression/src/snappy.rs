//! `snappy`: one raw Snappy block per message, which begins with its plain length as a varint.
//!
//! Source of the format: `format_description.txt` of the Snappy project. Its framing format, which adds a stream
//! identifier and checksums, is not used.

use snap::raw::{Decoder, Encoder, decompress_len, max_compress_len};
use wiredyno_contract::CompressionId;

use super::bound::Squeezer;
use super::{BoundCompression, CompressionError, Compressor, Dictionary, Method, plausible, room, version};

/// A byte of a block gives at most this many: a copy of three bytes gives up to 64.
const MOST_PER_BYTE: usize = 22;

/// The id `snappy`, which has no levels.
pub struct Snappy;

impl Method for Snappy {
    fn name(&self) -> &'static str {
        "snappy"
    }

    fn library(&self) -> (&'static str, &'static str) {
        ("snap", version("snap"))
    }

    fn about(&self) -> &'static str {
        "One raw block per message, without the framing format. The hash table is kept between messages."
    }

    fn ids(&self) -> &'static [&'static str] {
        &["snappy"]
    }

    fn bind(
        &self,
        id: &CompressionId,
        _: Option<Dictionary>,
    ) -> Result<Option<Box<dyn BoundCompression>>, CompressionError> {
        let tables = Tables { encoder: Encoder::new(), decoder: Decoder::new(), scratch: Vec::new() };
        Ok(Some(Box::new(Squeezer::new(id, tables, None))))
    }
}

struct Tables {
    encoder: Encoder,
    decoder: Decoder,
    /// The library writes into initialised memory: this has the length that the longest message needed.
    scratch: Vec<u8>,
}

impl Compressor for Tables {
    fn compress(&mut self, plain: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        let most = max_compress_len(plain.len());
        if self.scratch.len() < most {
            self.scratch.resize(most, 0);
        }
        let used = self.encoder.compress(plain, &mut self.scratch).map_err(|error| error.to_string())?;
        out.clear();
        out.extend_from_slice(&self.scratch[..used]);
        Ok(())
    }

    fn decompress(&mut self, compressed: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        let length = decompress_len(compressed).map_err(|error| error.to_string())?;
        plausible(length, compressed.len(), MOST_PER_BYTE)?;
        room(out, length)?;
        out.resize(length, 0);
        let got = self.decoder.decompress(compressed, out).map_err(|error| error.to_string())?;
        if got == length { Ok(()) } else { Err(format!("they give {got} bytes, but claim {length}")) }
    }
}

//! `zstd`: one Zstandard frame (RFC 8878) per message, by the reference library.
//!
//! The library's defaults: the frame states the content's size, has no checksum, and with a dictionary carries its
//! id. Contexts are kept between messages; a dictionary is digested before the first.

use wiredyno_contract::CompressionId;
use zstd::bulk;
use zstd::zstd_safe::{compress_bound, get_frame_content_size};

use super::bound::Squeezer;
use super::{BoundCompression, CompressionError, Compressor, Dictionary, Method, room, version};

/// `zstd:1` to `zstd:22`, each also with `:dictionary`.
pub struct Zstd;

impl Method for Zstd {
    fn name(&self) -> &'static str {
        "zstd"
    }

    fn library(&self) -> (&'static str, &'static str) {
        ("zstd", version("zstd"))
    }

    fn about(&self) -> &'static str {
        "One frame per message (RFC 8878) with its size and without a checksum. Contexts are kept between messages. A \
         dictionary is known to both sides in advance: it is trained on samples other than those measured, and digested \
         before the first message."
    }

    fn levels(&self) -> Option<[u8; 2]> {
        Some([1, 22])
    }

    fn takes_dictionary(&self) -> bool {
        true
    }

    fn ids(&self) -> &'static [&'static str] {
        &["zstd:3", "zstd:3:dictionary"]
    }

    fn bind(
        &self,
        id: &CompressionId,
        dictionary: Option<Dictionary>,
    ) -> Result<Option<Box<dyn BoundCompression>>, CompressionError> {
        let bytes = dictionary.as_ref().map_or(&[][..], Dictionary::bytes);
        let contexts = Contexts::new(id.level.unwrap_or(3).into(), bytes)
            .map_err(|error| CompressionError::SetUp { id: id.to_string(), reason: error.to_string() })?;
        Ok(Some(Box::new(Squeezer::new(id, contexts, dictionary.map(|dictionary| dictionary.used())))))
    }
}

struct Contexts {
    compress: bulk::Compressor<'static>,
    decompress: bulk::Decompressor<'static>,
}

impl Contexts {
    fn new(level: i32, dictionary: &[u8]) -> std::io::Result<Self> {
        Ok(Contexts {
            compress: bulk::Compressor::with_dictionary(level, dictionary)?,
            decompress: bulk::Decompressor::with_dictionary(dictionary)?,
        })
    }
}

impl Compressor for Contexts {
    fn compress(&mut self, plain: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        out.clear();
        out.reserve(compress_bound(plain.len()));
        self.compress.compress_to_buffer(plain, out).map(|_| ()).map_err(|error| error.to_string())
    }

    fn decompress(&mut self, compressed: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        let length = match get_frame_content_size(compressed) {
            Ok(Some(length)) => usize::try_from(length).unwrap_or(usize::MAX),
            Ok(None) => return Err("the frame does not state its size".to_owned()),
            Err(_) => return Err("they are not a zstd frame".to_owned()),
        };
        room(out, length)?;
        let got = self.decompress.decompress_to_buffer(compressed, out).map_err(|error| error.to_string())?;
        // A second frame could still fit into the rest of the buffer.
        if got == length { Ok(()) } else { Err(format!("they give {got} bytes, but claim {length}")) }
    }
}

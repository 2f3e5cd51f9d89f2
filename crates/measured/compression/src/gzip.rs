//! `gzip`: one gzip member (RFC 1952) per message, by flate2 over zlib-rs.
//!
//! The member's header is the shortest possible: no name, no time. Both directions keep their state between
//! messages. Decompression parses the header here and checks length and CRC-32 after the deflate stream, because
//! the library forgets the format when its state is reset.

use flate2::{Compress, Compression, Crc, Decompress, FlushCompress, FlushDecompress, Status};
use wiredyno_contract::CompressionId;

use super::bound::Squeezer;
use super::{BoundCompression, CompressionError, Compressor, Dictionary, LIMIT_BYTES, Method, room, version};

/// log2 of the largest window, gzip's default.
const WINDOW_BITS: u8 = 15;

/// Flags of the header's fourth byte, RFC 1952 section 2.3.1.
const HEADER_CRC: u8 = 2;
const EXTRA: u8 = 4;
const NAME: u8 = 8;
const COMMENT: u8 = 16;

/// Header and trailer of a member without options.
const FRAME_BYTES: usize = 18;

/// The ids `gzip:1` to `gzip:9`.
pub struct Gzip;

impl Method for Gzip {
    fn name(&self) -> &'static str {
        "gzip"
    }

    fn library(&self) -> (&'static str, &'static str) {
        ("flate2 (zlib-rs)", version("flate2"))
    }

    fn about(&self) -> &'static str {
        "One gzip member per message (RFC 1952), no name or time in its header. States are kept between messages; checking \
         the CRC is timed."
    }

    fn levels(&self) -> Option<[u8; 2]> {
        Some([1, 9])
    }

    fn ids(&self) -> &'static [&'static str] {
        &["gzip:6"]
    }

    fn bind(
        &self,
        id: &CompressionId,
        _: Option<Dictionary>,
    ) -> Result<Option<Box<dyn BoundCompression>>, CompressionError> {
        let level = Compression::new(id.level.unwrap_or(6).into());
        let states =
            States { compress: Compress::new_gzip(level, WINDOW_BITS), decompress: Decompress::new(false) };
        Ok(Some(Box::new(Squeezer::new(id, states, None))))
    }
}

struct States {
    compress: Compress,
    decompress: Decompress,
}

impl Compressor for States {
    fn compress(&mut self, plain: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        self.compress.reset();
        out.clear();
        // The bound of zlib's deflateBound for its default settings.
        let length = plain.len();
        out.reserve(length + (length >> 12) + (length >> 14) + (length >> 25) + 13 + FRAME_BYTES);
        loop {
            let taken = self.compress.total_in() as usize;
            let status = self.compress.compress_vec(&plain[taken..], out, FlushCompress::Finish);
            match status.map_err(|error| error.to_string())? {
                Status::StreamEnd => return Ok(()),
                Status::Ok | Status::BufError => out.reserve(out.capacity().max(64)),
            }
        }
    }

    fn decompress(&mut self, compressed: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        let (stream, trailer) = member(compressed).ok_or("they are not a gzip member")?;
        let stated = u32::from_le_bytes([trailer[4], trailer[5], trailer[6], trailer[7]]) as usize;
        room(out, stated)?;
        self.decompress.reset(false);
        loop {
            let taken = self.decompress.total_in() as usize;
            let before = (taken, out.len());
            let status = self.decompress.decompress_vec(&stream[taken..], out, FlushDecompress::Finish);
            if status.map_err(|error| error.to_string())? == Status::StreamEnd {
                break;
            }
            if out.len() >= LIMIT_BYTES {
                return Err(format!("they contain more than the limit of {LIMIT_BYTES} bytes"));
            }
            let moved = before != (self.decompress.total_in() as usize, out.len());
            if !moved && out.len() < out.capacity() {
                return Err("they end too soon".to_owned());
            }
            let more = out.len().max(4096).min(LIMIT_BYTES - out.len());
            out.try_reserve(more).map_err(|error| error.to_string())?;
        }
        if self.decompress.total_in() as usize != stream.len() || stated != out.len() {
            return Err("the member's length is wrong, or bytes follow it".to_owned());
        }
        let mut crc = Crc::new();
        crc.update(out);
        if crc.sum().to_le_bytes() != trailer[..4] {
            return Err("the CRC is wrong".to_owned());
        }
        Ok(())
    }
}

/// The deflate stream and the trailer of a member that occupies all of `bytes`.
fn member(bytes: &[u8]) -> Option<(&[u8], &[u8; 8])> {
    let (header, mut rest) = bytes.split_at_checked(10)?;
    let [0x1f, 0x8b, 8, flags, ..] = *header else { return None };
    if flags & EXTRA != 0 {
        let (length, behind) = rest.split_at_checked(2)?;
        rest = behind.get(usize::from(u16::from_le_bytes([length[0], length[1]]))..)?;
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            let end = rest.iter().position(|byte| *byte == 0)?;
            rest = &rest[end + 1..];
        }
    }
    if flags & HEADER_CRC != 0 {
        rest = rest.get(2..)?;
    }
    rest.split_last_chunk::<8>()
}

//! The capture of a link: pcapng as in the IETF draft draft-ietf-opsawg-pcapng, one interface per direction, timestamps in
//! nanoseconds. Written without a library, because only five kinds of fields are needed.
//!
//! Each packet gets a synthesised Ethernet header, so that `frame.len` is what the accounting counts. Packets are in the order
//! and at the time at which they enter the link; dropped ones are included, with a comment that gives the reason. Linux file
//! writes block: capturing on a slow disk shows in the lateness.

use std::io::{self, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::DropReason;
use crate::spec::Direction;

const SECTION_HEADER: u32 = 0x0A0D_0D0A;
const BYTE_ORDER_MAGIC: u32 = 0x1A2B_3C4D;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
const LINKTYPE_ETHERNET: u16 = 1;
const OPTION_COMMENT: u16 = 1;
const OPTION_IF_NAME: u16 = 2;
const OPTION_IF_DESCRIPTION: u16 = 3;
const OPTION_IF_TSRESOL: u16 = 9;
const OPTION_SHB_USERAPPL: u16 = 4;
/// Locally administered addresses (second-lowest bit of the first byte), invented: edge ends in 1, cloud in 2.
const EDGE_MAC: [u8; 6] = [0x02, 0x77, 0, 0, 0, 1];
const CLOUD_MAC: [u8; 6] = [0x02, 0x77, 0, 0, 0, 2];
const ETHERTYPE_IPV4: [u8; 2] = [0x08, 0x00];

/// The file of a capture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptureFile {
    /// The pcapng to write; an existing file is replaced.
    pub path: PathBuf,
    /// The file's comment, as shown by Wireshark; empty for none.
    pub comment: String,
}

/// Writes packets to a pcapng stream.
#[derive(Debug)]
pub struct Capture<W: Write> {
    sink: W,
    block: Vec<u8>,
}

impl<W: Write> Capture<W> {
    /// Begins a capture: section header, with a comment on the whole capture unless it is empty, and one interface per direction.
    pub fn new(sink: W, comment: &str) -> io::Result<Self> {
        let mut capture = Self { sink, block: Vec::with_capacity(2048) };
        capture.begin(SECTION_HEADER);
        capture.u32(BYTE_ORDER_MAGIC);
        capture.u16(1);
        capture.u16(0);
        capture.block.extend((-1i64).to_le_bytes());
        if !comment.is_empty() {
            capture.option(OPTION_COMMENT, comment.as_bytes());
        }
        capture.option(OPTION_SHB_USERAPPL, concat!("wiredyno ", env!("CARGO_PKG_VERSION")).as_bytes());
        capture.end_with_options()?;
        for (name, about) in [
            ("up", "edge to cloud, where it enters the link"),
            ("down", "cloud to edge, where it enters the link"),
        ] {
            capture.begin(INTERFACE_DESCRIPTION);
            capture.u16(LINKTYPE_ETHERNET);
            capture.u16(0);
            capture.u32(0);
            capture.option(OPTION_IF_NAME, name.as_bytes());
            capture.option(OPTION_IF_DESCRIPTION, about.as_bytes());
            capture.option(OPTION_IF_TSRESOL, &[9]);
            capture.end_with_options()?;
        }
        Ok(capture)
    }

    /// Adds an IPv4 packet that entered at `unix_ns`, with the reason if it was dropped.
    pub fn packet(
        &mut self,
        unix_ns: u64,
        direction: Direction,
        packet: &[u8],
        dropped: Option<DropReason>,
    ) -> io::Result<()> {
        let frame_bytes = (packet.len() + 14) as u32;
        self.begin(ENHANCED_PACKET);
        self.u32(direction.index() as u32);
        self.u32((unix_ns >> 32) as u32);
        self.u32(unix_ns as u32);
        self.u32(frame_bytes);
        self.u32(frame_bytes);
        let (to, from) = match direction {
            Direction::Up => (CLOUD_MAC, EDGE_MAC),
            Direction::Down => (EDGE_MAC, CLOUD_MAC),
        };
        self.block.extend(to);
        self.block.extend(from);
        self.block.extend(ETHERTYPE_IPV4);
        self.block.extend(packet);
        self.pad();
        match dropped {
            Some(reason) => {
                self.option(OPTION_COMMENT, format!("dropped: {}", reason.word()).as_bytes());
                self.end_with_options()
            }
            None => self.end(),
        }
    }

    /// Flushes everything written so far to the system.
    pub fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }

    fn begin(&mut self, kind: u32) {
        self.block.clear();
        self.u32(kind);
        self.u32(0);
    }

    fn u16(&mut self, value: u16) {
        self.block.extend(value.to_le_bytes());
    }

    fn u32(&mut self, value: u32) {
        self.block.extend(value.to_le_bytes());
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        self.u16(code);
        self.u16(value.len() as u16);
        self.block.extend(value);
        self.pad();
    }

    fn end_with_options(&mut self) -> io::Result<()> {
        self.u32(0);
        self.end()
    }

    /// Closes the block: its length follows the type and is repeated at the end.
    fn end(&mut self) -> io::Result<()> {
        let length = (self.block.len() + 4) as u32;
        self.u32(length);
        self.block[4..8].copy_from_slice(&length.to_le_bytes());
        self.sink.write_all(&self.block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_padded_and_name_their_length_twice() {
        let mut bytes = Vec::new();
        let mut capture = Capture::new(&mut bytes, "").unwrap();
        capture.packet(0x1_0000_0002, Direction::Down, &[0x45; 21], Some(DropReason::Loss)).unwrap();
        capture.packet(5, Direction::Up, &[0x45; 22], None).unwrap();
        let mut blocks = Vec::new();
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let word = |at: usize| u32::from_le_bytes(rest[at..at + 4].try_into().unwrap());
            let length = word(4) as usize;
            assert_eq!(length % 4, 0);
            assert_eq!(word(length - 4) as usize, length);
            blocks.push((word(0), rest[8..length - 4].to_vec()));
            rest = &rest[length..];
        }
        let kinds: Vec<u32> = blocks.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, [SECTION_HEADER, 1, 1, 6, 6]);
        let dropped = &blocks[3].1;
        assert_eq!(dropped[..20], [1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 35, 0, 0, 0, 35, 0, 0, 0]);
        assert!(dropped.windows(13).any(|w| w == b"dropped: loss"));
    }
}

//! The file with a payload's samples: written by the program once, read by runners in any language.
//!
//! | offset | type | |
//! |---:|---|---|
//! | 0 | 8 bytes | `WDSAMP01` |
//! | 8 | u64 | number of samples |
//! | 16 | u32, bytes | length of the first sample and its value as Protobuf's bytes; then the next |
//!
//! Everything little-endian, no padding.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

/// The first bytes of every samples file.
pub const MAGIC: [u8; 8] = *b"WDSAMP01";

/// The longest sample that is accepted: 1 GiB.
const MOST_BYTES: u32 = 1 << 30;

/// Reads samples one by one.
#[derive(Debug)]
pub struct Samples<R> {
    input: R,
    left: u64,
}

impl Samples<BufReader<File>> {
    /// Opens a file.
    ///
    /// # Errors
    /// When it can't be read or is not a samples file.
    pub fn open(path: &Path) -> io::Result<Self> {
        Samples::new(BufReader::new(File::open(path)?))
    }
}

impl<R: Read> Samples<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// When it is not the header of a samples file.
    pub fn new(mut input: R) -> io::Result<Self> {
        let (mut magic, mut count) = ([0; 8], [0; 8]);
        input.read_exact(&mut magic)?;
        if magic != MAGIC {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is not a file of samples"));
        }
        input.read_exact(&mut count)?;
        Ok(Samples { input, left: u64::from_le_bytes(count) })
    }

    fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut length = [0; 4];
        self.input.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length);
        if length > MOST_BYTES {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("a sample claims {length} bytes"),
            ));
        }
        let mut sample = Vec::new();
        self.input.by_ref().take(length.into()).read_to_end(&mut sample)?;
        if sample.len() as u64 != u64::from(length) {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ends inside a sample"));
        }
        Ok(sample)
    }
}

impl<R: Read> Iterator for Samples<R> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let sample = self.read();
        if sample.is_err() {
            self.left = 0;
        }
        Some(sample)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> io::Result<Vec<Vec<u8>>> {
        Samples::new(bytes)?.collect()
    }

    #[test]
    fn samples_come_as_they_were_written_and_damage_is_told() {
        let mut file = MAGIC.to_vec();
        file.extend(2_u64.to_le_bytes());
        file.extend([3, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0]);
        assert_eq!(read(&file).unwrap(), [vec![1, 2, 3], vec![]]);
        assert!(read(&file[..file.len() - 5]).is_err());
        assert!(read(&file[..4]).is_err());
        file[16..20].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(read(&file).unwrap_err().to_string().contains("claims"));
        file[0] = b'X';
        assert!(read(&file).unwrap_err().to_string().contains("not a file of samples"));
    }
}

//! A bulk file while it grows: rows are appended, read and changed in place, and are never all in memory.
//!
//! Until [`RowFile::complete`] its header says that it has no rows.

use std::fs::File;
use std::io::{self, Read};
use std::marker::PhantomData;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use crate::bulk::{BulkError, HEADER_BYTES, Row, Rows};

/// A growing file of rows of one kind.
#[derive(Debug)]
pub struct RowFile<R> {
    file: Arc<File>,
    rows: u64,
    bytes: Vec<u8>,
    row: PhantomData<R>,
}

impl<R: Row> RowFile<R> {
    /// Starts with an empty file that is open for reading and writing.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn new(file: File) -> io::Result<Self> {
        let file = RowFile { file: Arc::new(file), rows: 0, bytes: Vec::new(), row: PhantomData };
        file.complete()?;
        Ok(file)
    }

    /// How many rows it has: one more than the highest place written.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Writes rows from a place on, which may lie beyond the end.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn put(&mut self, first: u64, rows: &[R]) -> io::Result<()> {
        self.bytes.clear();
        rows.iter().for_each(|row| row.put(&mut self.bytes));
        self.file.write_all_at(&self.bytes, place::<R>(first))?;
        self.rows = self.rows.max(first + rows.len() as u64);
        Ok(())
    }

    /// Changes the row in a place.
    ///
    /// # Errors
    /// When the file can't be read or written, or has no such row.
    pub fn change(&mut self, place: u64, change: impl FnOnce(&mut R)) -> Result<(), BulkError> {
        if let Some(row) = self.reader().rows(place, place + 1).next() {
            let mut row = row?;
            change(&mut row);
            self.put(place, &[row])?;
        }
        Ok(())
    }

    /// Writes the number of rows into the header. More rows can still be put.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn complete(&self) -> io::Result<()> {
        self.file.write_all_at(&R::header(self.rows), 0)
    }

    /// An independent reader of its rows.
    pub fn reader(&self) -> RowReader<R> {
        RowReader { file: self.file.clone(), row: PhantomData }
    }

    /// Writes the rows from a place on as a separate file; returns how many there are.
    ///
    /// # Errors
    /// When a file can't be read or written.
    pub fn copy(&self, first: u64, to: &mut File) -> io::Result<u64> {
        use std::io::Write;
        let rows = self.rows.saturating_sub(first);
        to.write_all(&R::header(rows))?;
        let mut from = At { file: self.file.clone(), at: place::<R>(first) };
        io::copy(&mut from, to)?;
        Ok(rows)
    }
}

/// Reads rows of a file that may still grow.
#[derive(Debug)]
pub struct RowReader<R> {
    file: Arc<File>,
    row: PhantomData<R>,
}

impl<R: Row> RowReader<R> {
    /// Rows from one place up to another, which must exist.
    pub fn rows(&self, from: u64, to: u64) -> Rows<R, impl Read + use<R>> {
        Rows::unheaded(At { file: self.file.clone(), at: place::<R>(from) }, to.saturating_sub(from))
    }
}

fn place<R: Row>(row: u64) -> u64 {
    HEADER_BYTES as u64 + row * R::BYTES as u64
}

/// A file from a position on, independent of other readers.
#[derive(Debug)]
struct At {
    file: Arc<File>,
    at: u64,
}

impl Read for At {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(bytes, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bulk::{ReceivedRow, read_received};

    fn row(number: u64) -> ReceivedRow {
        ReceivedRow { digest: number.into(), body_bytes: number, received_ns: 1, decoded_ns: 2 }
    }

    #[test]
    fn rows_go_to_their_places_and_are_read_and_changed_there() {
        let path = tempfile::NamedTempFile::new().unwrap();
        let mut file = RowFile::new(path.reopen().unwrap()).unwrap();
        assert_eq!(read_received(&mut path.reopen().unwrap()).unwrap(), []);
        file.put(2, &[row(2), row(3)]).unwrap();
        file.put(0, &[row(0), row(1)]).unwrap();
        file.change(3, |row| row.decoded_ns = 7).unwrap();
        let read: Result<Vec<ReceivedRow>, _> = file.reader().rows(1, 4).collect();
        let last = ReceivedRow { decoded_ns: 7, ..row(3) };
        assert_eq!(read.unwrap(), [row(1), row(2), last]);
        file.complete().unwrap();
        assert_eq!((file.rows(), read_received(&mut path.reopen().unwrap()).unwrap().len()), (4, 4));
        let copy = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(file.copy(2, &mut copy.reopen().unwrap()).unwrap(), 2);
        assert_eq!(read_received(&mut copy.reopen().unwrap()).unwrap(), [row(2), last]);
        assert!(file.change(9, |_| ()).is_err());
    }
}

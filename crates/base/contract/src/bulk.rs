//! Per-message records of a role: too many for a pipe, so they go to a file that the request names.
//!
//! The file is a header of 16 bytes, then rows of one fixed size, all little-endian. A time that did not occur
//! is [`ABSENT`]. Header: 8 bytes magic (`WDPUBL01`, `WDRECV01` or `WDSUPR01`), u64 number of rows.
//!
//! One file because the rows of all three kinds share one codec of fields, header and errors.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::marker::PhantomData;

/// Stands for a time that did not occur.
pub const ABSENT: i64 = i64::MIN;

const SENT_MAGIC: &[u8; 8] = b"WDPUBL01";
const RECEIVED_MAGIC: &[u8; 8] = b"WDRECV01";
const SUPERSEDED_MAGIC: &[u8; 8] = b"WDSUPR01";

/// The digest of a body for one of several subscribers, counted from 0: the first one's is that of the body itself, and each other
/// has its own, so that what one subscriber received is never taken for another's. (The factor is the golden ratio's fraction in
/// 128 bits; it is odd, so no two subscribers share a digest.)
pub fn digest_for(subscriber: u32, digest: u128) -> u128 {
    digest ^ u128::from(subscriber).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
}

/// One message handed to the transport, in order of sending; 88 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentRow {
    /// Number of the message; warm-up messages have [`SentRow::WARMUP`] set.
    pub sequence: u64,
    /// XXH3-128 of the body, with seed 0.
    pub digest: u128,
    /// Length of the body in bytes, as sent.
    pub body_bytes: u64,
    /// When the message was due.
    pub intended_send_ns: i64,
    /// Before the codec's object was built.
    pub build_start_ns: i64,
    /// When the object was built and encoding began.
    pub built_ns: i64,
    /// When the bytes were ready.
    pub encoded_ns: i64,
    /// When the call that hands them to the transport returned, and the publisher was free for the next message.
    pub handed_over_ns: i64,
    /// When the transport had taken it, as its `sent_at` defines, or [`ABSENT`].
    pub sent_ns: i64,
    /// When it was acknowledged, or [`ABSENT`].
    pub acked_ns: i64,
}

impl SentRow {
    /// Set in `sequence` of a warm-up message.
    pub const WARMUP: u64 = 1 << 63;

    /// The number among the messages of its warm-up or start.
    pub fn number(&self) -> u64 {
        self.sequence & !Self::WARMUP
    }

    /// Whether it is a warm-up message.
    pub fn is_warmup(&self) -> bool {
        self.sequence & Self::WARMUP != 0
    }
}

/// One arrival, in order; 40 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceivedRow {
    /// XXH3-128 of the body, changed by [`digest_for`] where there are several subscribers.
    pub digest: u128,
    /// Length of the body, before decompression.
    pub body_bytes: u64,
    /// When the client handed it to the application.
    pub received_ns: i64,
    /// When it was decoded, or [`ABSENT`] if decoding failed.
    pub decoded_ns: i64,
}

/// One message that a server skipped in favour of a newer one, in order; one row for each subscriber that did not
/// get it. 24 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SupersededRow {
    /// XXH3-128 of the skipped body.
    pub digest: u128,
    /// When the newer one replaced it.
    pub at_ns: i64,
}

/// Why a file is not a bulk file of the requested kind.
#[derive(Debug, thiserror::Error)]
pub enum BulkError {
    /// The file could not be read.
    #[error("the records could not be read: {0}")]
    Read(#[from] io::Error),
    /// The magic is another one.
    #[error(
        "the records start with {found:02x?}, not with {expected:02x?}: the runner wrote another kind of file"
    )]
    Magic {
        /// The first eight bytes of the file.
        found: [u8; 8],
        /// The magic of the requested kind.
        expected: [u8; 8],
    },
    /// Fewer rows than the header says.
    #[error("the records end after {found} of {expected} rows: the runner did not finish writing")]
    Short {
        /// Rows that the file really has.
        found: u64,
        /// Rows that the header announces.
        expected: u64,
    },
}

/// A row of a bulk file: [`SentRow`], [`ReceivedRow`] or [`SupersededRow`].
pub trait Row: Sized + sealed::Fixed {}

mod sealed {
    use super::{Fields, HEADER_BYTES};

    /// The layout of a row in its file.
    pub trait Fixed: Sized {
        const MAGIC: &'static [u8; 8];
        const BYTES: usize;
        fn put(&self, out: &mut Vec<u8>);
        fn take(row: &mut Fields<'_>) -> Self;
        /// The header of a file with `rows` rows.
        fn header(rows: u64) -> [u8; HEADER_BYTES] {
            let mut header = [0; HEADER_BYTES];
            header[..8].copy_from_slice(Self::MAGIC);
            header[8..].copy_from_slice(&rows.to_le_bytes());
            header
        }
    }
}
use sealed::Fixed;

pub(crate) const HEADER_BYTES: usize = 16;

/// The bytes of a row that are not read yet; fields are taken from the front.
pub struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        let (field, rest) = self.0.split_at(N);
        bytes.copy_from_slice(field);
        self.0 = rest;
        bytes
    }
    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.array())
    }
    fn i64(&mut self) -> i64 {
        i64::from_le_bytes(self.array())
    }
    fn u128(&mut self) -> u128 {
        u128::from_le_bytes(self.array())
    }
}

impl Row for SentRow {}
impl Fixed for SentRow {
    const MAGIC: &'static [u8; 8] = SENT_MAGIC;
    const BYTES: usize = 88;
    fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.sequence.to_le_bytes());
        out.extend(self.digest.to_le_bytes());
        out.extend(self.body_bytes.to_le_bytes());
        for time in [
            self.intended_send_ns,
            self.build_start_ns,
            self.built_ns,
            self.encoded_ns,
            self.handed_over_ns,
            self.sent_ns,
            self.acked_ns,
        ] {
            out.extend(time.to_le_bytes());
        }
    }
    fn take(row: &mut Fields<'_>) -> Self {
        SentRow {
            sequence: row.u64(),
            digest: row.u128(),
            body_bytes: row.u64(),
            intended_send_ns: row.i64(),
            build_start_ns: row.i64(),
            built_ns: row.i64(),
            encoded_ns: row.i64(),
            handed_over_ns: row.i64(),
            sent_ns: row.i64(),
            acked_ns: row.i64(),
        }
    }
}

impl Row for ReceivedRow {}
impl Fixed for ReceivedRow {
    const MAGIC: &'static [u8; 8] = RECEIVED_MAGIC;
    const BYTES: usize = 40;
    fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.digest.to_le_bytes());
        out.extend(self.body_bytes.to_le_bytes());
        out.extend(self.received_ns.to_le_bytes());
        out.extend(self.decoded_ns.to_le_bytes());
    }
    fn take(row: &mut Fields<'_>) -> Self {
        ReceivedRow {
            digest: row.u128(),
            body_bytes: row.u64(),
            received_ns: row.i64(),
            decoded_ns: row.i64(),
        }
    }
}

impl Row for SupersededRow {}
impl Fixed for SupersededRow {
    const MAGIC: &'static [u8; 8] = SUPERSEDED_MAGIC;
    const BYTES: usize = 24;
    fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.digest.to_le_bytes());
        out.extend(self.at_ns.to_le_bytes());
    }
    fn take(row: &mut Fields<'_>) -> Self {
        SupersededRow { digest: row.u128(), at_ns: row.i64() }
    }
}

fn write_rows<R: Row>(out: &mut impl Write, rows: &[R]) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, out);
    out.write_all(&R::header(rows.len() as u64))?;
    let mut bytes = Vec::with_capacity(R::BYTES);
    for row in rows {
        bytes.clear();
        row.put(&mut bytes);
        out.write_all(&bytes)?;
    }
    out.flush()
}

const BUFFER_BYTES: usize = 1 << 16;

/// Reads the rows of a bulk file one by one, so that memory use is one buffer, whatever the size of the file. Ends
/// after an error.
pub struct Rows<R, I> {
    input: BufReader<I>,
    bytes: Vec<u8>,
    expected: u64,
    found: u64,
    ended: bool,
    /// Whether data after the last row is allowed.
    within: bool,
    row: PhantomData<R>,
}

impl<R: Row, I: Read> Rows<R, I> {
    /// Reads the header of `input`.
    ///
    /// # Errors
    /// When the input is not a file of such rows.
    pub fn of(input: I) -> Result<Self, BulkError> {
        let mut input = BufReader::with_capacity(BUFFER_BYTES, input);
        let mut header = [0; HEADER_BYTES];
        if filled(&mut input, &mut header)? < header.len() {
            return Err(BulkError::Short { found: 0, expected: 0 });
        }
        let mut header = Fields(&header);
        let found = header.array::<8>();
        if &found != R::MAGIC {
            return Err(BulkError::Magic { found, expected: *R::MAGIC });
        }
        Ok(Self::behind_header(input, header.u64(), false))
    }

    /// Reads `rows` rows that follow each other without a header.
    pub(crate) fn unheaded(input: I, rows: u64) -> Self {
        Self::behind_header(BufReader::with_capacity(BUFFER_BYTES, input), rows, true)
    }

    fn behind_header(input: BufReader<I>, expected: u64, within: bool) -> Self {
        Rows { input, bytes: vec![0; R::BYTES], expected, found: 0, ended: false, within, row: PhantomData }
    }

    /// How many rows the header announces.
    pub fn expected(&self) -> u64 {
        self.expected
    }

    fn row(&mut self) -> Result<Option<R>, BulkError> {
        if self.within && self.found == self.expected {
            return Ok(None);
        }
        let whole = filled(&mut self.input, &mut self.bytes)? == R::BYTES;
        self.found += u64::from(whole);
        match (whole, self.found == self.expected) {
            (true, _) if self.found <= self.expected => Ok(Some(R::take(&mut Fields(&self.bytes)))),
            (false, true) => Ok(None),
            _ => Err(BulkError::Short { found: self.found, expected: self.expected }),
        }
    }
}

impl<R: Row, I: Read> Iterator for Rows<R, I> {
    type Item = Result<R, BulkError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let row = self.row().transpose();
        self.ended = !matches!(row, Some(Ok(_)));
        row
    }
}

/// Reads until the buffer is full or the input ends; returns how many bytes it read.
fn filled(input: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < bytes.len() {
        match input.read(&mut bytes[read..]) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

fn read_rows<R: Row>(input: &mut impl Read) -> Result<Vec<R>, BulkError> {
    Rows::of(input)?.collect()
}

/// Writes what a publisher sent, header included.
///
/// # Errors
/// When writing to the output fails.
pub fn write_sent(out: &mut impl Write, rows: &[SentRow]) -> io::Result<()> {
    write_rows(out, rows)
}

/// Reads what a publisher sent into memory.
///
/// # Errors
/// When the input is not such a file, or ends too early.
pub fn read_sent(input: &mut impl Read) -> Result<Vec<SentRow>, BulkError> {
    read_rows(input)
}

/// Merges what several publishers sent, in the order in which messages were handed over, with one row of each in memory at a
/// time. The time for a row grows with the logarithm of the number of publishers. `told` gives each row of a publisher, by its place among the inputs, the
/// times of the clock that all have in common; it must keep their order.
///
/// # Errors
/// When an input is not such a file or ends too early, or writing to the output fails.
pub fn merge_sent<I: Read>(
    inputs: Vec<I>,
    told: impl Fn(usize, SentRow) -> SentRow,
    out: &mut impl Write,
) -> Result<(), BulkError> {
    merge(inputs, told, |row| row.handed_over_ns, out)
}

/// Merges what several subscribers received, in the order of receipt, in the same way.
///
/// # Errors
/// When an input is not such a file or ends too early, or writing to the output fails.
pub fn merge_received<I: Read>(
    inputs: Vec<I>,
    told: impl Fn(usize, ReceivedRow) -> ReceivedRow,
    out: &mut impl Write,
) -> Result<(), BulkError> {
    merge(inputs, told, |row| row.received_ns, out)
}

fn merge<R: Row + Copy, I: Read>(
    inputs: Vec<I>,
    told: impl Fn(usize, R) -> R,
    at_ns: impl Fn(&R) -> i64,
    out: &mut impl Write,
) -> Result<(), BulkError> {
    let mut inputs = inputs.into_iter().map(Rows::of).collect::<Result<Vec<Rows<R, I>>, _>>()?;
    let rows = inputs.iter().map(Rows::expected).sum();
    out.write_all(&R::header(rows))?;
    let next = |input: usize, rows: &mut Rows<R, I>| {
        rows.next().transpose().map(|row| row.map(|row| told(input, row)))
    };
    let firsts = inputs.iter_mut().enumerate().map(|(input, rows)| next(input, rows));
    let mut heads = firsts.collect::<Result<Vec<_>, _>>()?;
    let of = |(input, head): (usize, &Option<R>)| head.as_ref().map(|row| Reverse((at_ns(row), input)));
    let mut earliest: BinaryHeap<_> = heads.iter().enumerate().filter_map(of).collect();
    let mut bytes = Vec::with_capacity(R::BYTES);
    while let Some(Reverse((_, input))) = earliest.pop() {
        let next = next(input, &mut inputs[input])?;
        earliest.extend(next.as_ref().map(|row| Reverse((at_ns(row), input))));
        if let Some(row) = std::mem::replace(&mut heads[input], next) {
            bytes.clear();
            row.put(&mut bytes);
            out.write_all(&bytes)?;
        }
    }
    Ok(out.flush()?)
}

/// Writes what a subscriber received, header included.
///
/// # Errors
/// When writing to the output fails.
pub fn write_received(out: &mut impl Write, rows: &[ReceivedRow]) -> io::Result<()> {
    write_rows(out, rows)
}

/// Reads what a subscriber received into memory.
///
/// # Errors
/// When the input is not such a file, or ends too early.
pub fn read_received(input: &mut impl Read) -> Result<Vec<ReceivedRow>, BulkError> {
    read_rows(input)
}

/// Writes what a server superseded, header included.
///
/// # Errors
/// When writing to the output fails.
pub fn write_superseded(out: &mut impl Write, rows: &[SupersededRow]) -> io::Result<()> {
    write_rows(out, rows)
}

/// Reads what a server superseded into memory.
///
/// # Errors
/// When the input is not such a file, or ends too early.
pub fn read_superseded(input: &mut impl Read) -> Result<Vec<SupersededRow>, BulkError> {
    read_rows(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(sequence: u64) -> SentRow {
        SentRow {
            sequence,
            digest: 1 << 100 | u128::from(sequence),
            body_bytes: 10,
            intended_send_ns: -5,
            build_start_ns: 1,
            built_ns: 2,
            encoded_ns: 3,
            handed_over_ns: 4,
            sent_ns: 4,
            acked_ns: ABSENT,
        }
    }

    #[test]
    fn rows_come_back_as_written() {
        let rows = [sent(1), sent(2 | SentRow::WARMUP)];
        let mut file = Vec::new();
        write_sent(&mut file, &rows).unwrap();
        assert_eq!(file.len(), 16 + 2 * 88);
        assert_eq!(read_sent(&mut &file[..]).unwrap(), rows);
        assert!(rows[1].is_warmup() && !rows[0].is_warmup());
    }

    #[test]
    fn files_of_several_publishers_become_one_in_the_order_of_sending() {
        let at = |sequence, handed_over_ns| SentRow { handed_over_ns, ..sent(sequence) };
        let of = |rows: &[SentRow]| {
            let mut file = Vec::new();
            write_sent(&mut file, rows).unwrap();
            file
        };
        let files = [of(&[at(0, 5), at(2, 9)]), of(&[]), of(&[at(1, 3), at(4, 9), at(7, 11)])];
        let mut merged = Vec::new();
        let merge = |told: fn(usize, SentRow) -> SentRow, merged: &mut Vec<u8>| {
            merge_sent(files.iter().map(Vec::as_slice).collect(), told, merged).unwrap();
        };
        merge(|_, row| row, &mut merged);
        assert_eq!(merged, of(&[at(1, 3), at(0, 5), at(2, 9), at(4, 9), at(7, 11)]));
        merged.clear();
        // The third one's clock is three behind.
        let told =
            |input, row: SentRow| SentRow { handed_over_ns: row.handed_over_ns + [0, 0, 3][input], ..row };
        merge(told, &mut merged);
        assert_eq!(merged, of(&[at(0, 5), at(1, 6), at(2, 9), at(4, 12), at(7, 14)]));
        let cut = &files[2][..files[2].len() - 1];
        assert!(matches!(merge_sent(vec![cut], |_, row| row, &mut Vec::new()), Err(BulkError::Short { .. })));
    }

    #[test]
    fn what_several_received_is_merged_by_the_time_of_receipt() {
        let at = |digest, received_ns| ReceivedRow { digest, body_bytes: 1, received_ns, decoded_ns: ABSENT };
        let of = |rows: &[ReceivedRow]| {
            let mut file = Vec::new();
            write_received(&mut file, rows).unwrap();
            file
        };
        let files = [of(&[at(1, 5), at(2, 9)]), of(&[at(3, 3), at(4, 7)])];
        let mut merged = Vec::new();
        // The second one's clock is three behind.
        let told =
            |input, row: ReceivedRow| ReceivedRow { received_ns: row.received_ns + [0, 3][input], ..row };
        merge_received(files.iter().map(Vec::as_slice).collect(), told, &mut merged).unwrap();
        assert_eq!(merged, of(&[at(1, 5), at(3, 6), at(2, 9), at(4, 10)]));
    }

    #[test]
    fn superseded_rows_come_back_as_written() {
        let rows = [SupersededRow { digest: 1 << 99, at_ns: -7 }, SupersededRow { digest: 2, at_ns: 8 }];
        let mut file = Vec::new();
        write_superseded(&mut file, &rows).unwrap();
        assert_eq!((file.len(), &file[..8]), (16 + 2 * 24, &b"WDSUPR01"[..]));
        assert_eq!(read_superseded(&mut &file[..]).unwrap(), rows);
    }

    #[test]
    fn another_kind_of_file_and_a_short_one_are_refused() {
        let mut file = Vec::new();
        let row = ReceivedRow { digest: 7, body_bytes: 1, received_ns: 2, decoded_ns: 3 };
        write_received(&mut file, &[row, row]).unwrap();
        assert_eq!(file.len(), 16 + 2 * 40);
        assert!(matches!(read_sent(&mut &file[..]), Err(BulkError::Magic { .. })));
        file.truncate(file.len() - 1);
        assert!(matches!(read_received(&mut &file[..]), Err(BulkError::Short { found: 1, expected: 2 })));
        assert!(read_received(&mut &file[..3]).is_err());
    }
}

//! Rows of a trial on disk, in shards that fit into memory, and sorted shards as one sequence.
//!
//! A shard has all messages and arrivals of its contents, which their digests distribute evenly, so that it can be matched by
//! itself. The result of a shard is sorted, and is merged with those of the others: memory depends on the size of a shard,
//! not on the number of messages.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

/// The most files that are open at once, of either role: half of what Linux allows a process by default.
const MOST_SHARDS: u64 = 256;

/// How much of each file is buffered.
const BUFFER_BYTES: usize = 1 << 14;

/// A row as 64-bit integers.
pub(super) trait Words<const N: usize>: Sized {
    fn words(&self) -> [u64; N];
    fn of(words: [u64; N]) -> Self;
}

/// How many shards hold this number of rows, with about `most` in each.
pub(super) fn shards(rows: u64, most: u64) -> u64 {
    rows.div_ceil(most.max(1)).clamp(1, MOST_SHARDS)
}

/// The shard of a content.
pub(super) fn shard_of(digest: u128, shards: u64) -> usize {
    // Both halves of the digest: a map of the shard hashes all of it anyway.
    (((digest >> 64) as u64 ^ digest as u64) % shards) as usize
}

/// Files of rows, one for each shard.
pub(super) struct Spill {
    files: Vec<(PathBuf, BufWriter<File>)>,
}

impl Spill {
    /// Creates empty files in a folder.
    pub fn new(folder: &Path, name: &str, shards: u64) -> io::Result<Self> {
        let file = |shard| {
            let path = folder.join(format!("{name}-{shard}"));
            let file = File::create(&path)?;
            Ok((path, BufWriter::with_capacity(BUFFER_BYTES, file)))
        };
        Ok(Spill { files: (0..shards).map(file).collect::<io::Result<_>>()? })
    }

    pub fn add<const N: usize>(&mut self, shard: usize, row: &impl Words<N>) -> io::Result<()> {
        row.words().iter().try_for_each(|word| self.files[shard].1.write_all(&word.to_le_bytes()))
    }

    /// Flushes the files, and returns their paths by shard.
    pub fn paths(self) -> io::Result<Vec<PathBuf>> {
        let whole = |(path, mut file): (PathBuf, BufWriter<File>)| file.flush().map(|()| path);
        self.files.into_iter().map(whole).collect()
    }
}

/// The rows of a file, in order.
pub(super) struct Spilled<const N: usize, R> {
    input: BufReader<File>,
    row: PhantomData<R>,
}

impl<const N: usize, R: Words<N>> Spilled<N, R> {
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Spilled { input: BufReader::with_capacity(BUFFER_BYTES, File::open(path)?), row: PhantomData })
    }

    fn row(&mut self) -> io::Result<Option<R>> {
        let mut words = [0; N];
        for (place, word) in words.iter_mut().enumerate() {
            let mut bytes = [0; 8];
            match self.input.read_exact(&mut bytes) {
                Ok(()) => *word = u64::from_le_bytes(bytes),
                Err(error) if error.kind() == ErrorKind::UnexpectedEof && place == 0 => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(R::of(words)))
    }
}

impl<const N: usize, R: Words<N>> Iterator for Spilled<N, R> {
    type Item = io::Result<R>;

    fn next(&mut self) -> Option<Self::Item> {
        self.row().transpose()
    }
}

/// Sorted files as one sorted sequence. The first word of a row is its key.
pub(super) struct Merged<const N: usize, R> {
    files: Vec<Spilled<N, R>>,
    /// The next row of each file, the smallest first.
    next: BinaryHeap<Reverse<([u64; N], usize)>>,
}

impl<const N: usize, R: Words<N>> Merged<N, R> {
    pub fn open(paths: &[PathBuf]) -> io::Result<Self> {
        let files = paths.iter().map(|path| Spilled::open(path)).collect::<io::Result<Vec<_>>>()?;
        let mut merged = Merged { files, next: BinaryHeap::new() };
        (0..merged.files.len()).try_for_each(|file| merged.look(file))?;
        Ok(merged)
    }

    fn look(&mut self, file: usize) -> io::Result<()> {
        if let Some(row) = self.files[file].row()? {
            self.next.push(Reverse((row.words(), file)));
        }
        Ok(())
    }

    /// The next row, if it has this key.
    pub fn next_at(&mut self, key: u64) -> io::Result<Option<R>> {
        match self.next.peek() {
            Some(Reverse((words, _))) if words[0] == key => self.next_row(),
            _ => Ok(None),
        }
    }

    pub fn next_row(&mut self) -> io::Result<Option<R>> {
        let Some(Reverse((words, file))) = self.next.pop() else { return Ok(None) };
        self.look(file)?;
        Ok(Some(R::of(words)))
    }
}

//! What a role has done so far, kept in a file in memory while it runs, for whoever wants to see how a trial goes. It is provisional and
//! enters no result.
//!
//! Both sides map the file. The role is the only writer of its counters and entries, with plain stores to memory: no system call, no lock,
//! nothing that waits. The program creates the file, reads it, and sets only the mask, which sits in a cache line of its own.
//!
//! All is 64-bit words in the machine's byte order. Line 0 is the program's: magic, number of entries in the ring (a power of two), mask.
//! Line 1 is the role's: messages, bytes of their bodies, entries written so far. The ring follows: two words for each entry, the lower half
//! of the body's digest and a time. A message gets an entry if its digest and the mask have no bit in common, so that publisher and
//! subscriber choose the same messages however many there are (trajectory sampling, N. Duffield and M. Grossglauser 2001).

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering, fence};

const MAGIC: u64 = u64::from_ne_bytes(*b"WDLIVE01");

/// Entries in the ring of a file that [`LiveReader::create`] makes.
pub const RING: u64 = 4_096;

/// Words of the lines before the ring, and the place of each word in them.
const HEAD: usize = 16;
const RING_AT: usize = 1;
const MASK_AT: usize = 2;
const MESSAGES_AT: usize = 8;
const BODY_BYTES_AT: usize = 9;
const ENTRIES_AT: usize = 10;

/// How many of the oldest entries a reader leaves: they may be overwritten as it reads, by a writer whose stores arrive in any order.
const MARGIN: u64 = 4;

/// Why a file is not one of these.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// It can't be opened or mapped.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It begins with something else, or is too short.
    #[error("it does not have the layout of docs/RUNNER.md: it was made by another version of the program")]
    Layout,
}

#[derive(Debug)]
struct Map {
    words: NonNull<AtomicU64>,
    /// How many words are mapped.
    len: usize,
    /// How many entries the ring holds before the oldest is overwritten.
    ring: u64,
}

// SAFETY: the mapping belongs to this value alone until it is dropped, and all access to it is atomic.
unsafe impl Send for Map {}
// SAFETY: as above.
unsafe impl Sync for Map {}

impl Map {
    fn of(file: &File) -> Result<Map, LiveError> {
        let len = usize::try_from(file.metadata()?.len()).map_err(|_| LiveError::Layout)? / 8;
        if len < HEAD {
            return Err(LiveError::Layout);
        }
        // Populated, so that no first store to a page ever enters the kernel.
        let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_POPULATE);
        // SAFETY: a new mapping of an open file, at an address of the kernel's choice.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), len * 8, access, flags, file.as_raw_fd(), 0) };
        if at == libc::MAP_FAILED {
            return Err(io::Error::last_os_error().into());
        }
        let words = NonNull::new(at.cast::<AtomicU64>()).ok_or(LiveError::Layout)?;
        Ok(Map { words, len, ring: 0 })
    }

    /// With the ring that its first line describes.
    fn checked(mut self) -> Result<Map, LiveError> {
        let ring = self.word(RING_AT).load(Ordering::Relaxed);
        let room = (self.len - HEAD) as u64 / 2;
        if self.word(0).load(Ordering::Relaxed) != MAGIC || !ring.is_power_of_two() || ring > room {
            return Err(LiveError::Layout);
        }
        self.ring = ring;
        Ok(self)
    }

    fn word(&self, at: usize) -> &AtomicU64 {
        assert!(at < self.len);
        // SAFETY: within the mapping, which is aligned to a page and lives as long as this value.
        unsafe { self.words.add(at).as_ref() }
    }

    /// The first word of the entry with this number.
    fn entry(&self, number: u64) -> usize {
        HEAD + 2 * (number & (self.ring - 1)) as usize
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: what `of` has mapped; nothing refers to it any more.
        unsafe { libc::munmap(self.words.as_ptr().cast(), self.len * 8) };
    }
}

/// The role's side.
#[derive(Debug)]
pub struct LiveWriter {
    map: Map,
    messages: u64,
    body_bytes: u64,
    entries: u64,
}

impl LiveWriter {
    /// Maps the file that a request names.
    ///
    /// # Errors
    /// When it can't be opened, or has another layout.
    pub fn open(path: &str) -> Result<Self, LiveError> {
        let file = File::options().read(true).write(true).open(path)?;
        Ok(LiveWriter { map: Map::of(&file)?.checked()?, messages: 0, body_bytes: 0, entries: 0 })
    }

    /// Counts a message. `at_ns` is when it was due, or received.
    pub fn count(&mut self, digest: u128, body_bytes: usize, at_ns: i64) {
        let (map, digest) = (&self.map, digest as u64);
        if digest & map.word(MASK_AT).load(Ordering::Relaxed) == 0 {
            let at = map.entry(self.entries);
            // The count of earlier entries is seen before what overwrites one of them.
            fence(Ordering::Release);
            map.word(at).store(digest, Ordering::Relaxed);
            map.word(at + 1).store(at_ns.cast_unsigned(), Ordering::Relaxed);
            self.entries += 1;
            map.word(ENTRIES_AT).store(self.entries, Ordering::Release);
        }
        self.messages += 1;
        self.body_bytes += body_bytes as u64;
        map.word(BODY_BYTES_AT).store(self.body_bytes, Ordering::Relaxed);
        map.word(MESSAGES_AT).store(self.messages, Ordering::Relaxed);
    }
}

/// A message that a role has reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveEntry {
    /// The lower half of the body's digest.
    pub digest: u64,
    /// When it was due, or received: CLOCK_MONOTONIC, in nanoseconds.
    pub at_ns: i64,
}

/// How much a role has done so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LiveCount {
    /// Publisher: measured messages handed over. Subscriber: arrivals, warm-up and copies included.
    pub messages: u64,
    /// Length of their bodies, in bytes.
    pub body_bytes: u64,
    /// How many of them got an entry.
    pub entries: u64,
}

/// The program's side.
#[derive(Debug)]
pub struct LiveReader {
    map: Map,
}

impl LiveReader {
    /// Makes the file, for one role.
    ///
    /// # Errors
    /// When it can't be made or mapped.
    pub fn create(path: &std::path::Path) -> Result<Self, LiveError> {
        let file = File::options().read(true).write(true).create_new(true).open(path)?;
        file.set_len((HEAD as u64 + 2 * RING) * 8)?;
        let map = Map::of(&file)?;
        map.word(RING_AT).store(RING, Ordering::Relaxed);
        map.word(0).store(MAGIC, Ordering::Release);
        Ok(LiveReader { map: map.checked()? })
    }

    /// What has been counted so far.
    pub fn count(&self) -> LiveCount {
        let word = |at| self.map.word(at).load(Ordering::Relaxed);
        LiveCount { messages: word(MESSAGES_AT), body_bytes: word(BODY_BYTES_AT), entries: word(ENTRIES_AT) }
    }

    /// From now on, of messages only those get an entry whose digest has no bit of the mask.
    pub fn keep(&self, mask: u64) {
        self.map.word(MASK_AT).store(mask, Ordering::Relaxed);
    }

    /// Appends the entries from number `from` on; returns the number to continue with, and whether none had been overwritten.
    pub fn entries(&self, from: u64, into: &mut Vec<LiveEntry>) -> (u64, bool) {
        let map = &self.map;
        let written = map.word(ENTRIES_AT).load(Ordering::Acquire);
        let first = from.max(written.saturating_sub(map.ring));
        let begin = into.len();
        into.extend((first..written).map(|number| {
            let at = map.entry(number);
            let word = |at| map.word(at).load(Ordering::Relaxed);
            LiveEntry { digest: word(at), at_ns: word(at + 1).cast_signed() }
        }));
        fence(Ordering::Acquire);
        let now = map.word(ENTRIES_AT).load(Ordering::Relaxed);
        let whole_from = (now + MARGIN).saturating_sub(map.ring);
        let lost = whole_from.saturating_sub(first).min(written - first);
        into.drain(begin..begin + usize::try_from(lost).unwrap_or_default());
        (written, first == from && lost == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both() -> (tempfile::TempDir, LiveReader, LiveWriter) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("live");
        let reader = LiveReader::create(&path).unwrap();
        let writer = LiveWriter::open(path.to_str().unwrap()).unwrap();
        // The mapping outlives the name.
        std::fs::remove_file(path).unwrap();
        (folder, reader, writer)
    }

    #[test]
    fn what_is_counted_is_read_once_and_in_order() {
        let (_folder, reader, mut writer) = both();
        writer.count(1 << 64 | 7, 10, -5);
        writer.count(8, 20, 6);
        let mut entries = Vec::new();
        assert_eq!(reader.entries(0, &mut entries), (2, true));
        assert_eq!(entries, [LiveEntry { digest: 7, at_ns: -5 }, LiveEntry { digest: 8, at_ns: 6 }]);
        assert_eq!(reader.count(), LiveCount { messages: 2, body_bytes: 30, entries: 2 });
        writer.count(9, 1, 7);
        entries.clear();
        assert_eq!(reader.entries(2, &mut entries), (3, true));
        assert_eq!(entries, [LiveEntry { digest: 9, at_ns: 7 }]);
    }

    #[test]
    fn a_mask_leaves_out_messages_by_their_digest_but_counts_them() {
        let (_folder, reader, mut writer) = both();
        reader.keep(3);
        (0..100).for_each(|digest| writer.count(digest, 1, 0));
        let mut entries = Vec::new();
        assert_eq!(reader.entries(0, &mut entries), (25, true));
        assert!(entries.iter().all(|entry| entry.digest % 4 == 0));
        assert_eq!(reader.count().messages, 100);
    }

    #[test]
    fn entries_that_were_overwritten_are_not_read() {
        let (_folder, reader, mut writer) = both();
        (0..u128::from(RING) + 100).for_each(|digest| writer.count(digest, 1, 0));
        let mut entries = Vec::new();
        let (next, whole) = reader.entries(0, &mut entries);
        assert_eq!((next, whole), (RING + 100, false));
        let digests: Vec<u64> = entries.iter().map(|entry| entry.digest).collect();
        assert_eq!(digests, (100 + MARGIN..RING + 100).collect::<Vec<_>>());
    }

    #[test]
    fn no_entry_is_torn_while_a_writer_overtakes_the_reader() {
        let (_folder, reader, mut writer) = both();
        std::thread::scope(|scope| {
            let writing = scope.spawn(move || (0..300_000).for_each(|n: i64| writer.count(n as u128, 1, n)));
            let (mut next, mut before, mut entries) = (0, -1, Vec::new());
            while !writing.is_finished() || next < 300_000 {
                entries.clear();
                (next, _) = reader.entries(next, &mut entries);
                for entry in &entries {
                    assert_eq!(entry.digest.cast_signed(), entry.at_ns);
                    assert!(entry.at_ns > before);
                    before = entry.at_ns;
                }
            }
        });
    }

    #[test]
    fn another_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other");
        for content in [&b""[..], &[0; 4_096], b"WDPUBL01"] {
            std::fs::write(&path, content).unwrap();
            assert!(matches!(LiveWriter::open(path.to_str().unwrap()), Err(LiveError::Layout)));
        }
        assert!(matches!(LiveWriter::open("/nowhere/live"), Err(LiveError::Io(_))));
    }
}

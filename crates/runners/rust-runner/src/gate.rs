//! The gate of a closed loop: a named pipe beside the link, through which the subscriber sends the publisher the digest of each
//! receipt.

use std::collections::{HashMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::fcntl::{FcntlArg, fcntl};
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::stat::Mode;
use nix::sys::time::TimeSpec;
use nix::unistd::mkfifo;
use wiredyno_transport::clock::now_ns;

/// The longest sleep before a wait checks whether it was halted.
const SLICE_NS: i64 = 100_000_000;

/// Bytes of a digest. All writes have this size, far below PIPE_BUF, so none is split (pipe(7)).
const DIGEST: usize = 16;

/// Receipts per read.
const READ: usize = 256;

/// Requested size of the pipe, where the system allows it: 65,536 receipts. Linux's default holds 4,096 (pipe(7)).
const PIPE_BYTES: i32 = 1 << 20;

/// Why the publisher's end can't be created.
#[derive(Debug, thiserror::Error)]
#[error("can't create the gate {path}: {source}; name a new file in an existing folder")]
pub struct GateError {
    path: PathBuf,
    source: io::Error,
}

#[derive(Debug)]
pub struct Gate {
    pipe: File,
    path: PathBuf,
}

impl Gate {
    /// Creates the pipe; it is removed with the gate.
    ///
    /// # Errors
    /// When the path exists already, or the pipe can't be created.
    pub fn open(path: &str) -> Result<Gate, GateError> {
        let failed = |source| GateError { path: path.into(), source };
        mkfifo(path, Mode::S_IRUSR | Mode::S_IWUSR).map_err(|error| failed(error.into()))?;
        // Also for writing, so that it never reads end of file.
        let pipe = OpenOptions::new().read(true).write(true).custom_flags(nix::libc::O_NONBLOCK).open(path);
        let gate = Gate { pipe: pipe.map_err(failed)?, path: path.into() };
        // If it stays small, more unread receipts are dropped.
        let _ = fcntl(gate.pipe.as_fd(), FcntlArg::F_SETPIPE_SZ(PIPE_BYTES));
        Ok(gate)
    }

    /// Waits until one of the messages in flight is received or given up. Receipts of others (late ones, copies) are ignored.
    /// False when halted.
    ///
    /// # Errors
    /// When the pipe fails.
    pub fn wait(&self, under_way: &mut UnderWay, halted: &AtomicBool) -> io::Result<bool> {
        let mut receipts = [0; DIGEST * READ];
        loop {
            let bytes = match (&self.pipe).read(&mut receipts) {
                Ok(bytes) => bytes,
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) =>
                {
                    0
                }
                Err(error) => return Err(error),
            };
            let now = now_ns();
            for receipt in receipts[..bytes].chunks_exact(DIGEST) {
                let digest = receipt.try_into().map_or(0, u128::from_le_bytes);
                under_way.received(digest, now);
            }
            under_way.give_up(now);
            if under_way.has_room() {
                return Ok(true);
            }
            if halted.load(Ordering::Relaxed) {
                return Ok(false);
            }
            let until_ns = under_way.next_deadline_ns().unwrap_or(i64::MAX);
            let slice_ns = until_ns.saturating_sub(now).clamp(1_000, SLICE_NS);
            let slice = TimeSpec::new(slice_ns / 1_000_000_000, slice_ns % 1_000_000_000);
            // A signal ends it early, which the loop handles.
            let _ = ppoll(&mut [PollFd::new(self.pipe.as_fd(), PollFlags::POLLIN)], Some(slice), None);
        }
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The messages of a closed loop that are neither received nor given up, and the moments since when other messages may take their
/// places.
#[derive(Debug)]
pub struct UnderWay {
    /// Content and deadline, in order of sending. A received message stays until its turn comes.
    sent: VecDeque<(u128, i64)>,
    /// How many messages with a content are in flight.
    missing: HashMap<u128, u32>,
    /// How many messages with a content in `sent` are received.
    received: HashMap<u128, u32>,
    /// When places became free.
    free_ns: VecDeque<i64>,
}

impl UnderWay {
    /// Nothing is in flight; all places of the window are free from a moment on.
    pub fn new(window: u32, from_ns: i64) -> Self {
        let free_ns = std::iter::repeat_n(from_ns, window.max(1) as usize).collect();
        UnderWay { sent: VecDeque::new(), missing: HashMap::new(), received: HashMap::new(), free_ns }
    }

    /// Takes a place; returns since when it has been free, `None` when there is none.
    pub fn take(&mut self) -> Option<i64> {
        self.free_ns.pop_front()
    }

    /// Adds the message that was sent in the place taken, with its deadline; deadlines come in order.
    pub fn add(&mut self, digest: u128, deadline_ns: i64) {
        self.sent.push_back((digest, deadline_ns));
        *self.missing.entry(digest).or_default() += 1;
    }

    fn has_room(&self) -> bool {
        !self.free_ns.is_empty()
    }

    fn received(&mut self, digest: u128, at_ns: i64) {
        if count_down(&mut self.missing, digest) {
            *self.received.entry(digest).or_default() += 1;
            self.free_ns.push_back(at_ns);
        }
    }

    /// Gives up what is missing past its deadline.
    fn give_up(&mut self, at_ns: i64) {
        while let Some(&(digest, deadline_ns)) = self.sent.front() {
            if count_down(&mut self.received, digest) {
                self.sent.pop_front();
            } else if deadline_ns <= at_ns {
                self.sent.pop_front();
                count_down(&mut self.missing, digest);
                self.free_ns.push_back(at_ns);
            } else {
                return;
            }
        }
    }

    fn next_deadline_ns(&self) -> Option<i64> {
        self.sent.front().map(|(_, deadline_ns)| *deadline_ns)
    }
}

/// Takes one away; false when there is none.
fn count_down(counts: &mut HashMap<u128, u32>, digest: u128) -> bool {
    let Some(count) = counts.get_mut(&digest) else { return false };
    *count -= 1;
    if *count == 0 {
        counts.remove(&digest);
    }
    true
}

#[derive(Debug)]
pub struct Receipts {
    gate: PathBuf,
    pipe: Option<File>,
}

impl Receipts {
    /// For a gate that need not be open yet.
    pub fn new(gate: &str) -> Receipts {
        Receipts { gate: gate.into(), pipe: None }
    }

    /// Reports a receipt. Before the gate is open (warm-up) and after it is gone nothing reads it, and a full
    /// gate is not waiting for this receipt: none of these is an error.
    pub fn tell(&mut self, digest: u128) {
        if self.pipe.is_none() {
            let pipe = OpenOptions::new().write(true).custom_flags(nix::libc::O_NONBLOCK).open(&self.gate);
            self.pipe = pipe.ok();
        }
        if let Some(pipe) = &mut self.pipe {
            match pipe.write(&digest.to_le_bytes()) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.pipe = None,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes all places that are free now, and counts them.
    fn taken(under_way: &mut UnderWay) -> usize {
        std::iter::from_fn(|| under_way.take()).count()
    }

    #[test]
    fn only_receipts_of_what_is_under_way_open_the_gate() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gate");
        let path = path.to_str().unwrap();
        let halted = AtomicBool::new(false);
        let mut receipts = Receipts::new(path);
        receipts.tell(1);
        let gate = Gate::open(path).unwrap();
        assert!(Gate::open(path).is_err(), "a gate is made once");
        let mut under_way = UnderWay::new(1, 5);
        assert_eq!((under_way.take(), under_way.take()), (Some(5), None));
        under_way.add(3, i64::MAX);
        [2, 3, 3].into_iter().for_each(|digest| receipts.tell(digest));
        assert!(gate.wait(&mut under_way, &halted).unwrap());
        assert_eq!(taken(&mut under_way), 1, "a copy makes no room");
        let deadline_ns = now_ns() + 1_000_000;
        under_way.add(3, deadline_ns);
        assert!(gate.wait(&mut under_way, &halted).unwrap());
        assert!(under_way.take() >= Some(deadline_ns));
        receipts.tell(3);
        under_way.add(4, i64::MAX);
        halted.store(true, Ordering::Relaxed);
        assert!(!gate.wait(&mut under_way, &halted).unwrap());
        drop(gate);
        assert!(!std::path::Path::new(path).exists());
        receipts.tell(4);
    }

    #[test]
    fn a_window_has_room_again_for_each_receipt_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gate");
        let (halted, mut under_way) = (AtomicBool::new(false), UnderWay::new(4096, 0));
        let gate = Gate::open(path.to_str().unwrap()).unwrap();
        let mut receipts = Receipts::new(path.to_str().unwrap());
        assert_eq!(taken(&mut under_way), 4096);
        // Each content twice.
        (0..4096).for_each(|number| under_way.add(number / 2, i64::MAX));
        (0..4096).rev().for_each(|number| receipts.tell(number / 2));
        let mut free = 0;
        while free < 4096 {
            assert!(gate.wait(&mut under_way, &halted).unwrap());
            free += taken(&mut under_way);
        }
        assert_eq!(free, 4096);
        under_way.give_up(0);
        assert!(under_way.sent.is_empty() && under_way.missing.is_empty() && under_way.received.is_empty());
    }

    #[test]
    fn what_is_given_up_makes_room_once_and_its_late_receipt_none() {
        let mut under_way = UnderWay::new(2, 0);
        assert_eq!(taken(&mut under_way), 2);
        under_way.add(1, 100);
        under_way.add(2, 110);
        under_way.give_up(99);
        assert!(!under_way.has_room() && under_way.next_deadline_ns() == Some(100));
        under_way.received(2, 105);
        under_way.give_up(105);
        assert_eq!([under_way.take(), under_way.take(), under_way.take()], [Some(105), Some(105), None]);
        under_way.received(1, 130);
        assert_eq!((under_way.take(), under_way.next_deadline_ns()), (None, None));
    }
}

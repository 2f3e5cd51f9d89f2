//! The gate of a closed loop between two machines: what the subscriber's machine hears at its end is passed on to the publisher's, over the control path.
//!
//! A gate is a named pipe (docs/RUNNER.md): the publisher makes it, and the subscriber writes the digest of each receipt into it. Here the subscriber gets a pipe of its own machine; a
//! connection carries what comes out of it here, another from here to the publisher's machine, which writes it into the publisher's pipe. What finds no pipe there, or a full one, is dropped, as in a loop on one
//! machine. A receipt opens the gate later by both paths: this lengthens the pause between two messages, but no latency.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use super::PIECE_BYTES;
use super::line::Connection;
use crate::wire::{Frames, LOOK, Limit, WireError};

/// How long a gate may stay silent: as long as its trial lasts.
const SILENT: Duration = Duration::from_secs(24 * 3_600);

/// The subscriber's pipe.
pub(crate) struct Source(File);

impl Source {
    /// Makes the pipe. It is deleted with its folder.
    pub(crate) fn new(path: &Path) -> io::Result<Self> {
        mkfifo(path, Mode::S_IRUSR | Mode::S_IWUSR)?;
        // Also for writing, so that it never reads its end.
        let pipe = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(path)?;
        Ok(Source(pipe))
    }

    /// What came out, perhaps nothing, within a look.
    pub(crate) fn next(&mut self) -> io::Result<Vec<u8>> {
        let timeout = PollTimeout::try_from(LOOK).unwrap_or(PollTimeout::ZERO);
        let mut waiting = [PollFd::new(self.0.as_fd(), PollFlags::POLLIN)];
        if !poll(&mut waiting, timeout).is_ok_and(|ready| ready > 0) {
            return Ok(Vec::new());
        }
        let mut piece = vec![0; PIECE_BYTES];
        match self.0.read(&mut piece) {
            Ok(count) => {
                piece.truncate(count);
                Ok(piece)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Sends what comes out, until it can't or should stop.
    pub(crate) fn send<S: Limit>(
        mut self,
        connection: &mut Frames<S>,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<(), WireError> {
        while goes_on() {
            let piece = self.next().map_err(WireError::Broken)?;
            if !piece.is_empty() {
                connection.send_piece(&piece)?;
            }
        }
        Ok(())
    }
}

/// The publisher's pipe, which need not exist yet, or no longer exists.
pub(crate) struct Sink {
    path: PathBuf,
    pipe: Option<File>,
}

impl Sink {
    pub(crate) fn new(path: PathBuf) -> Self {
        Sink { path, pipe: None }
    }

    /// Writes digests; what finds no reader is dropped.
    pub(crate) fn put(&mut self, digests: &[u8]) {
        for digest in digests.chunks(DIGEST_BYTES) {
            if self.pipe.is_none() {
                let opened = OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK).open(&self.path);
                self.pipe = opened.ok();
            }
            let full = |error: &io::Error| error.kind() == io::ErrorKind::WouldBlock;
            if let Some(pipe) = &mut self.pipe
                && pipe.write_all(digest).is_err_and(|error| !full(&error))
            {
                // The publisher has removed it.
                self.pipe = None;
            }
        }
    }

    /// Receives what goes in, until nothing more arrives.
    pub(crate) fn receive<S: Limit>(
        mut self,
        connection: &mut Frames<S>,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<(), WireError> {
        loop {
            let piece = connection.receive_piece(Instant::now() + SILENT, goes_on)?;
            self.put(&piece);
        }
    }
}

/// Of a receipt (docs/RUNNER.md).
const DIGEST_BYTES: usize = 16;

/// Where digests come from, here.
pub(crate) enum Origin {
    Here(Source),
    There(Box<Connection>),
}

/// Where they go, here.
pub(crate) enum Goal {
    Here(Sink),
    There(Box<Connection>),
}

/// A gate that is passed on, as long as this is kept.
pub(crate) struct Relayed {
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    /// What serves it elsewhere, and ends on drop.
    _others: Box<dyn Send>,
}

impl Relayed {
    pub(crate) fn begin(mut from: Origin, mut to: Goal, others: impl Send + 'static) -> io::Result<Self> {
        let ends = Arc::new(AtomicBool::new(false));
        let its = ends.clone();
        let pass = move || {
            let goes_on = || !its.load(Ordering::Relaxed);
            let mut passed = || -> Result<(), WireError> {
                while goes_on() {
                    let piece = match &mut from {
                        Origin::Here(source) => source.next().map_err(WireError::Broken)?,
                        Origin::There(connection) => {
                            connection.receive_piece(Instant::now() + SILENT, &goes_on)?
                        }
                    };
                    match &mut to {
                        _ if piece.is_empty() => {}
                        Goal::Here(sink) => sink.put(&piece),
                        Goal::There(connection) => connection.send_piece(&piece)?,
                    }
                }
                Ok(())
            };
            // A machine that is lost is noticed by its roles; a closed loop without its gate continues by deadlines.
            let _ = passed();
        };
        let thread = std::thread::Builder::new().name("gate".to_owned()).spawn(pass)?;
        Ok(Relayed { ends, thread: Some(thread), _others: Box::new(others) })
    }
}

impl Drop for Relayed {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic has been printed.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_pass_from_pipe_to_pipe_and_what_finds_nobody_is_dropped() {
        let desk = tempfile::tempdir().unwrap();
        let (ours, theirs) = (desk.path().join("subscriber"), desk.path().join("publisher"));
        // The publisher has no pipe yet.
        Sink::new(theirs.clone()).put(&[1; DIGEST_BYTES]);
        assert!(!theirs.exists());
        let source = Source::new(&ours).unwrap();
        let others = Arc::new(());
        let goal = Goal::Here(Sink::new(theirs.clone()));
        let relayed = Relayed::begin(Origin::Here(source), goal, others.clone()).unwrap();
        let mut subscriber = OpenOptions::new().write(true).open(&ours).unwrap();
        let mut publisher = Source::new(&theirs).unwrap();
        let mut arrived = Vec::new();
        let until = Instant::now() + Duration::from_secs(60);
        for number in 2..=4 {
            subscriber.write_all(&[number; DIGEST_BYTES]).unwrap();
        }
        while arrived.len() < 3 * DIGEST_BYTES && Instant::now() < until {
            arrived.extend(publisher.next().unwrap());
        }
        assert_eq!(arrived, [[2; DIGEST_BYTES], [3; DIGEST_BYTES], [4; DIGEST_BYTES]].concat());
        drop(relayed);
        assert_eq!(Arc::strong_count(&others), 1, "it ends with what serves it elsewhere");
    }
}

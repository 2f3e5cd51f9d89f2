//! Lines to a child and from it, each within a time limit, those received also within a length limit.
//!
//! Failures are distinguished, because they show which side is at fault: a child that does not read, one that writes nothing, one that
//! never ends a line, one that is gone.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, ChildStdin, ChildStdout};
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, poll};

use crate::patience::Patience;
use crate::pidfd::{PidFd, milliseconds};

/// The longest line accepted, in bytes: replies with samples have megabytes.
pub const MOST_LINE_BYTES: usize = 256 << 20;

/// How often a wait checks for an interruption.
const LOOK_AROUND: Duration = Duration::from_millis(200);

/// Why a line was not sent or received.
#[derive(Debug, thiserror::Error)]
pub enum TalkError {
    /// The child has ended, or closed its side.
    #[error("it gave no more output")]
    Closed,
    /// The child did not read what was sent: the pipe to it is full.
    #[error("it did not read the request within {} s", limit.as_secs_f64())]
    Deaf {
        /// How long sending was tried.
        limit: Duration,
    },
    /// No line arrived within the limit.
    #[error("it did not answer within {} s", limit.as_secs_f64())]
    Silent {
        /// The limit of the wait.
        limit: Duration,
    },
    /// More bytes arrived without an end of line than a line may have, or the limit passed within a line.
    #[error("it wrote {bytes} bytes without an end of line")]
    Endless {
        /// How many bytes were read.
        bytes: usize,
    },
    /// The user interrupted it.
    #[error("interrupted")]
    Interrupted,
    /// Reading, writing or polling a pipe failed.
    #[error("its pipe failed: {0}")]
    Pipe(#[from] io::Error),
}

/// The pipes of a child.
#[derive(Debug)]
pub struct Talk {
    input: ChildStdin,
    output: ChildStdout,
    unread: Vec<u8>,
}

impl Talk {
    /// Takes the pipes of a child that was started with both.
    ///
    /// # Errors
    /// When one is missing.
    pub fn with(child: &mut Child) -> io::Result<Self> {
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("its pipes are missing"));
        };
        // Our end only: the other one has its own flags (pipe(7)).
        fcntl(&input, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        Ok(Talk { input, output, unread: Vec::new() })
    }

    /// Sends a line, its end included, within a limit.
    ///
    /// # Errors
    /// When the child is gone, does not read in time, or `interrupted` returns true.
    pub fn send(
        &mut self,
        line: &[u8],
        limit: Duration,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<(), TalkError> {
        let mut patience = Patience::of(limit);
        let mut rest = line;
        while !rest.is_empty() {
            match self.input.write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Err(TalkError::Closed),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let left = patience.left();
                    if interrupted() {
                        return Err(TalkError::Interrupted);
                    }
                    if left.is_zero() {
                        return Err(TalkError::Deaf { limit });
                    }
                    let mut room = [PollFd::new(self.input.as_fd(), PollFlags::POLLOUT)];
                    ignore_signals(poll(&mut room, milliseconds(left.min(LOOK_AROUND))))?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// The next line, its end included, within a limit. `process` shows that the child has ended even if a process that it started
    /// keeps its output open.
    ///
    /// # Errors
    /// When the child is gone, writes nothing or no end of line in time, or `interrupted` returns true.
    pub fn line(
        &mut self,
        limit: Duration,
        process: Option<&PidFd>,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Vec<u8>, TalkError> {
        let mut patience = Patience::of(limit);
        // No byte is searched twice.
        let mut searched = 0;
        loop {
            if let Some(end) = self.unread[searched..].iter().position(|byte| *byte == b'\n') {
                let behind = self.unread.split_off(searched + end + 1);
                return Ok(std::mem::replace(&mut self.unread, behind));
            }
            searched = self.unread.len();
            if searched > MOST_LINE_BYTES {
                return Err(TalkError::Endless { bytes: searched });
            }
            let left = patience.left();
            if interrupted() {
                return Err(TalkError::Interrupted);
            }
            // Read first what is there already: it may have arrived while this program was stopped.
            match self.read(left.min(LOOK_AROUND), process)? {
                Came::Bytes if left.is_zero() => return Err(TalkError::Endless { bytes: searched }),
                Came::Bytes => {}
                Came::Nothing if left.is_zero() => return Err(TalkError::Silent { limit }),
                Came::Nothing => {}
                Came::End => return Err(TalkError::Closed),
            }
        }
    }

    /// Reads and discards output until the child has ended or closed it, or the limit is over.
    pub fn drain(&mut self, limit: Duration, process: Option<&PidFd>) {
        let mut patience = Patience::of(limit);
        loop {
            let left = patience.left();
            let came = self.read(left.min(LOOK_AROUND), process);
            self.unread.clear();
            if left.is_zero() || matches!(came, Ok(Came::End) | Err(_)) {
                return;
            }
        }
    }

    fn read(&mut self, limit: Duration, process: Option<&PidFd>) -> io::Result<Came> {
        let mut awaited = vec![PollFd::new(self.output.as_fd(), PollFlags::POLLIN)];
        awaited.extend(process.map(|process| PollFd::new(process.as_fd(), PollFlags::POLLIN)));
        ignore_signals(poll(&mut awaited, milliseconds(limit)))?;
        let happened = |place: usize| {
            awaited.get(place).and_then(PollFd::revents).is_some_and(|events| !events.is_empty())
        };
        let (said, ended) = (happened(0), happened(1));
        drop(awaited);
        if !said {
            return Ok(if ended { Came::End } else { Came::Nothing });
        }
        let mut chunk = [0; 64 * 1024];
        match self.output.read(&mut chunk) {
            Ok(0) => Ok(Came::End),
            Ok(count) => {
                self.unread.extend_from_slice(&chunk[..count]);
                Ok(Came::Bytes)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(Came::Nothing),
            Err(error) => Err(error),
        }
    }
}

/// The result of one read of the output.
enum Came {
    Bytes,
    Nothing,
    End,
}

fn ignore_signals(polled: nix::Result<i32>) -> io::Result<()> {
    match polled {
        Ok(_) | Err(Errno::EINTR) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::Group;
    use std::process::{Command, Stdio};

    const SHORT: Duration = Duration::from_millis(300);
    const LONG: Duration = Duration::from_secs(60);

    fn shell(line: &str) -> (Group, Talk) {
        let mut command = Command::new("sh");
        command.args(["-c", line]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut group = Group::spawn(&mut command).unwrap();
        let talk = Talk::with(group.child()).unwrap();
        (group, talk)
    }

    fn line(line: &str, limit: Duration) -> Result<String, TalkError> {
        let (group, mut talk) = shell(line);
        let line = talk.line(limit, group.process(), &|| false)?;
        Ok(String::from_utf8_lossy(&line).into_owned())
    }

    #[test]
    fn lines_come_whole_however_they_are_cut() {
        assert_eq!(line("printf 'a'; sleep 0.1; printf 'b\\nc'; sleep 1000", LONG).unwrap(), "ab\n");
        let (group, mut talk) = shell("printf 'one\\ntwo\\n'");
        let mut next = || talk.line(LONG, group.process(), &|| false);
        assert_eq!((next().unwrap(), next().unwrap()), (b"one\n".to_vec(), b"two\n".to_vec()));
        assert!(matches!(next(), Err(TalkError::Closed)));
    }

    #[test]
    fn every_way_not_to_answer_ends_and_has_its_name() {
        assert!(matches!(line("sleep 1000", SHORT), Err(TalkError::Silent { .. })));
        assert!(matches!(line("exec >&-; sleep 1000", LONG), Err(TalkError::Closed)));
        assert!(matches!(line("printf half", LONG), Err(TalkError::Closed)));
        // What it leaves behind holds its output open.
        assert!(matches!(line("sleep 1000 & exit 0", LONG), Err(TalkError::Closed)));
        assert!(matches!(
            line("exec cat /dev/zero", LONG),
            Err(TalkError::Endless { bytes }) if bytes > MOST_LINE_BYTES
        ));
        let (group, mut talk) = shell("sleep 1000");
        assert!(matches!(talk.line(LONG, group.process(), &|| true), Err(TalkError::Interrupted)));
    }

    #[test]
    fn a_child_that_does_not_read_is_given_up_and_one_that_is_slow_is_not() {
        let long = vec![b'x'; 1 << 20];
        let (_deaf, mut talk) = shell("sleep 1000");
        assert!(matches!(talk.send(&long, SHORT, &|| false), Err(TalkError::Deaf { .. })));
        assert!(matches!(talk.send(&long, LONG, &|| true), Err(TalkError::Interrupted)));
        let (group, mut talk) = shell("sleep 0.3; head -c 1048576 | wc -c; sleep 1000");
        talk.send(&long, LONG, &|| false).unwrap();
        assert_eq!(talk.line(LONG, group.process(), &|| false).unwrap(), b"1048576\n");
        let (mut gone, mut talk) = shell("exit 0");
        gone.ended_within(LONG);
        assert!(matches!(talk.send(&long, LONG, &|| false), Err(TalkError::Closed)));
    }
}

//! A child with a process group of its own, and the end of both.
//!
//! A child that has not been waited for keeps its number, and its group does too: until then, and only until then, something is
//! sent to a number here. Whoever is still in the group when the child ends has no business any more and is killed before the child is
//! waited for.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;

use crate::patience::Patience;
use crate::pidfd::PidFd;

/// How often a wait looks.
const LOOK: Duration = Duration::from_millis(200);
/// The same where the system has no descriptors of processes.
const LOOK_WITHOUT: Duration = Duration::from_millis(5);

/// How long a killed child is waited for: longer than the kernel needs to take down gigabytes.
const DYING: Duration = Duration::from_secs(10);

/// See the module. It is killed when dropped.
#[derive(Debug)]
pub struct Group {
    child: Child,
    process: Option<Arc<PidFd>>,
    status: Option<ExitStatus>,
}

impl Group {
    /// Starts a command in a group of its own. Signals of the terminal don't reach it.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        let child = command.process_group(0).spawn()?;
        let process = PidFd::open(child.id()).map(Arc::new);
        Ok(Group { child, process, status: None })
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// For its pipes.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Its descriptor, which becomes readable when it ends.
    pub fn process(&self) -> Option<&PidFd> {
        self.process.as_deref()
    }

    /// The same for somebody else who waits for its end.
    pub fn shared_process(&self) -> Option<Arc<PidFd>> {
        self.process.clone()
    }

    fn number(&self) -> Pid {
        // Ids of processes fit (proc(5), pid_max).
        Pid::from_raw(self.child.id() as i32)
    }

    /// How it has ended; `None` while it lives.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        if self.status.is_some() {
            return self.status;
        }
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        if let Ok(WaitStatus::StillAlive) = waitid(Id::Pid(self.number()), flags) {
            return None;
        }
        // It has not been waited for yet: the group is still its own.
        let _ = killpg(self.number(), Signal::SIGKILL);
        self.status = self.child.try_wait().ok().flatten();
        self.status
    }

    /// How it has ended within a limit; `None` when it lives on.
    pub fn ended_within(&mut self, limit: Duration) -> Option<ExitStatus> {
        let mut patience = Patience::of(limit);
        loop {
            if let Some(status) = self.ended() {
                return Some(status);
            }
            let left = patience.left();
            match &self.process {
                _ if left.is_zero() => return None,
                Some(process) => {
                    process.await_end(left.min(LOOK));
                }
                None => std::thread::sleep(left.min(LOOK_WITHOUT)),
            }
        }
    }

    /// Sends a signal to all of the group, where the child has not ended.
    pub fn signal(&mut self, signal: Signal) {
        if self.ended().is_none() {
            let _ = killpg(self.number(), signal);
        }
    }

    /// Kills all of it. How the child has ended; `None` when the kernel does not let go of it within ten seconds.
    pub fn kill(&mut self) -> Option<ExitStatus> {
        self.signal(Signal::SIGKILL);
        self.ended_within(DYING)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Waits for a child that was killed, ten seconds at most.
pub fn reap(child: &mut Child) -> Option<ExitStatus> {
    let process = PidFd::open(child.id());
    let mut patience = Patience::of(DYING);
    loop {
        match child.try_wait() {
            Ok(None) if patience.is_over() => return None,
            Ok(None) => match &process {
                Some(process) => {
                    process.await_end(LOOK);
                }
                None => std::thread::sleep(LOOK_WITHOUT),
            },
            Ok(status) => return status,
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::ExitStatusExt;
    use std::process::Stdio;

    /// Starts shell lines that print a number, which is given.
    fn start(line: &str) -> (Group, u32) {
        let mut command = Command::new("sh");
        let mut group =
            Group::spawn(command.args(["-c", line]).stdin(Stdio::piped()).stdout(Stdio::piped())).unwrap();
        let mut said = String::new();
        BufReader::new(group.child().stdout.take().unwrap()).read_line(&mut said).unwrap();
        (group, said.trim().parse().unwrap())
    }

    #[test]
    fn what_a_child_leaves_behind_ends_with_it() {
        let (mut group, grandchild) = start("sleep 1000 & echo $!; exit 3");
        let grandchild = PidFd::open(grandchild);
        assert_eq!(group.ended_within(Duration::from_secs(60)).and_then(|status| status.code()), Some(3));
        assert_eq!(group.ended().and_then(|status| status.code()), Some(3), "it stays known");
        assert!(grandchild.is_none_or(|process| process.await_end(Duration::from_secs(60))));
    }

    #[test]
    fn what_does_not_end_is_waited_for_no_longer_than_said_and_killed() {
        let (mut group, grandchild) = start("trap '' TERM; sleep 1000 & echo $!; wait; wait; sleep 1000");
        let grandchild = PidFd::open(grandchild).unwrap();
        assert_eq!(group.ended_within(Duration::from_millis(50)), None);
        group.signal(Signal::SIGTERM);
        assert_eq!(group.ended_within(Duration::from_millis(50)), None);
        assert_eq!(group.kill().and_then(|status| status.signal()), Some(9));
        assert!(grandchild.await_end(Duration::from_secs(60)));
    }
}
